"""One hyperplane, trained with an online method: what the program's `fit` does."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from linsep import _linsep, _trace
from linsep._answer import Said, question, title_of, write_page, written
from linsep._data import read_matrix
from linsep._decision import whole
from linsep._picture import Source
from linsep._race import Entrant, _seed, _settings
from linsep._table import read_data

if TYPE_CHECKING:
    from linsep._trace import Trace
    from matplotlib.animation import FuncAnimation
    from matplotlib.axes import Axes

__all__ = ["Fit", "fit"]


@dataclass(frozen=True, repr=False, eq=False)
class Fit(Said):
    """A hyperplane that a method has found.

    Attributes
    ----------
    entrant : Entrant
        What it took, and the hyperplane: see :class:`Entrant`.
    classes : tuple
        The negative and the positive label; "rest" stands for several.
    rows, features : int
        The shape of the data.
    """

    entrant: Entrant
    classes: tuple[Any, Any]
    rows: int
    features: int

    _data: ClassVar[Source | None] = None

    def __getstate__(self) -> dict[str, Any]:
        return self._state("_data")

    @property
    def separated(self) -> bool:
        """Whether the hyperplane puts every row on its own side."""
        return self.entrant.separated

    @property
    def coef(self) -> np.ndarray:
        """The weights."""
        return self.entrant.coef

    @property
    def intercept(self) -> float:
        """The bias."""
        return self.entrant.intercept

    @property
    def updates_bound(self) -> float | None:
        """How many updates the method makes at most with this margin; see :class:`Entrant`."""
        return self.entrant.updates_bound

    @property
    def margin_bound(self) -> float | None:
        """An upper bound on the angular margin of any hyperplane, if known; see :class:`Entrant`."""
        return self.entrant.margin_bound

    @property
    def trace(self) -> Trace | None:
        """The updates one by one; None unless ``trace=True`` asked for them."""
        return self.entrant.trace

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of the side on which each row lies."""
        x = X if hasattr(X, "tocsr") else read_matrix(X).values
        values = np.asarray(x @ self.coef) + self.intercept
        negative, chosen = self.classes
        return np.array([chosen if value > 0 else negative for value in values])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, which `linsep predict MODEL DATA` reads."""
        if self._answer is None:
            raise ValueError("the model is not here: fit again, and save it then")
        sources = self._data.matrix.sources if self._data else ()
        write_page("the model", path, _linsep.model_file(self._answer), sources)

    def plot(
        self,
        *,
        kind: Literal["plane", "distances", "view", "weights"] | None = None,
        ax: Axes | Any = None,
    ) -> Any:
        """Draw the hyperplane and the rows around it, as :meth:`linsep.Decision.plot` does.

        Parameters
        ----------
        kind : {"plane", "distances", "view", "weights"}, optional
            Which picture; None: three of them.
        ax : matplotlib Axes, or three of them, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib Axes, or an array of three

        Examples
        --------
        >>> import linsep
        >>> found = linsep.fit([[0, 1], [1, 3], [4, 2], [5, 5]], ["a", "a", "b", "b"])
        >>> found.plot(kind="plane").get_title()
        'all 4 rows on their own side'
        """
        from linsep import _plot

        _plot.check_kind(kind, self.features)
        if self._answer is None or self._data is None:
            raise ValueError("the fit has no data with it: fit again, and plot then")
        drawn = self._answer.drawn(self._data.given()).picture()
        seen: dict[str, Any] = json.loads(drawn or "{}")
        seen["verdict"] = "separated" if self.separated else "not separated"
        return _plot.draw_hyperplane(seen, kind, ax)

    def to_html(self, *, title: str = "data") -> str:
        """Return one HTML page to look at and to send, which loads nothing from anywhere."""
        if self._answer is None or self._data is None:
            raise ValueError("the fit has no data with it: fit again, and report then")
        return self._answer.drawn(self._data.given()).page(title, "")

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write the page of :meth:`to_html` to a file, which appears whole or not at all."""
        sources = self._data.matrix.sources if self._data else ()
        write_page("the page", path, self.to_html(title=title_of(path, title)), sources)

    def write_trace(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write the updates to a file, by its name: a page on which they are played, or a CSV.

        Needs ``trace=True``. The file appears whole or not at all.
        """
        _trace.write_trace(self._answer, path, title, self._data.matrix.sources if self._data else ())

    def animate(self, *, interval: float = 900) -> FuncAnimation:
        """Return a matplotlib animation of the updates, step by step.

        Needs ``trace=True``.

        Parameters
        ----------
        interval : float
            Milliseconds between two steps.

        Returns
        -------
        matplotlib.animation.FuncAnimation
            Keep it as long as it is to be seen; ``save("steps.gif")`` writes it.
        """
        return _trace.animate(self._answer, self.classes, interval)


def fit(
    X: Any,
    y: Any = None,
    method: str = "joint",
    *,
    scale: Literal["none", "standard"] = "none",
    max_epochs: int = 1000,
    time_limit: float | None = None,
    shuffle: bool = False,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    evaluate_epochs: bool = False,
    trace: bool | int = False,
    verbose: bool = False,
    positive: Any = None,
) -> Fit:
    """Train a hyperplane with an online method. For scikit-learn there is :class:`LinearSeparator`.

    Parameters
    ----------
    X, y : array-like
        The data, as for :func:`linsep.decide`; a table or a path needs no y.
    method : str
        One of those of :func:`linsep.race`.
    scale : {"none", "standard"}
        Whether it learns from columns as they are, or with mean 0 and deviation 1. The hyperplane is in
        the units of the data either way.
    max_epochs : int
        The number of epochs after which it is stopped.
    time_limit : float, optional
        The time in seconds after which it is stopped.
    shuffle : bool
        Whether rows are visited in a new random order in each epoch.
    seed : int
        The random seed.
    settings : dict, optional
        Settings of the method by their names on the command line, such as ``{"epsilon": 1e-6}``.
    evaluate_epochs : bool
        Whether the mistakes of the hyperplane are counted after every epoch, a pass each.
    trace : bool or int
        Whether the first 1,000 updates, or as many as are named here, are kept one by one: see
        :class:`Trace`, :meth:`Fit.animate` and :meth:`Fit.write_trace`.
    verbose : bool
        Whether a line is printed after each epoch, and after each update that is traced.
    positive : object, optional
        The label of the positive class; all others are then negative.

    Returns
    -------
    Fit

    Examples
    --------
    >>> import linsep
    >>> found = linsep.fit([[100.0], [101.0]], ["no", "yes"])
    >>> found.separated, found.entrant.updates, found.predict([[90.0]]).tolist()
    (True, 1, ['no'])
    """
    given = _settings([method], None if settings is None else {method: settings})
    asked = question(
        "fit",
        method=json.loads(_linsep.method(method, written(given[method]))),
        scale=scale,
        max_epochs=whole("max_epochs", max_epochs),
        time_limit=None if time_limit is None else float(time_limit),
        shuffle=bool(shuffle),
        seed=_seed(seed),
        evaluate_epochs=bool(evaluate_epochs),
        history=True,
        trace=_trace.updates(trace),
    )
    _linsep.validate(asked)
    matrix, labels = read_data(X, y, positive, verbose)
    answer = _linsep.ask(asked, labels.of(matrix), print if verbose else None)
    entrant = Entrant.read(method, matrix.rows, _linsep.values(answer))
    result = Fit(entrant, labels.classes, matrix.rows, matrix.columns)
    result._says(answer)
    object.__setattr__(result, "_data", Source(matrix, labels))
    return result
