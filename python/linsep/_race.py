"""Several methods on the same data, in the same order, counted the same way."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from linsep import _linsep, _trace
from linsep._answer import Said, question, title_of, write_page, written
from linsep._decision import whole
from linsep._table import read_data
from linsep._trace import Trace

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation
    from matplotlib.axes import Axes

__all__ = ["Entrant", "Race", "race"]


@dataclass(frozen=True, eq=False)
class Entrant:
    """How one method did in a race.

    Attributes
    ----------
    name : str
        The method.
    separated : bool
        Whether its hyperplane puts every row on its own side.
    stop : str
        Why it ended: "separated"; "converged", the end of its own rule, with mistakes left;
        "rounded", right on all rows by less than the numbers of a hyperplane can hold;
        "looks-inseparable", rows were met that seem to cancel; "epoch-limit"; or "time-limit".
    epochs, updates : int
        Epochs, the last one counted even if it was cut short, and changes of the weights.
    updates_bound : int, float or None
        How many updates the method makes at most by its own guarantee, which follows from the margin
        that it found, in a race from the largest that any method found. A float where it is above
        2**53; None if the method has no such guarantee, or if nothing separated the rows.
    mistakes, accuracy : int and float
        Rows that its hyperplane puts on the wrong side, and the share of those that it does not.
    passes : float
        Its work: the number of scores it computed, divided by the number of rows.
    angular_margin, geometric_margin : float or None
        Margins of its hyperplane, negative if it makes mistakes; see :class:`Margin`.
    margin_bound : float or None
        What no hyperplane's angular margin is above, if the method knows; with ``scale="standard"``
        among the scaled rows.
    scaled_margin : float or None
        The angular margin of its hyperplane among the scaled rows, with ``scale="standard"``.
    seconds : float
        The time it took, without the counting of mistakes after each epoch.
    coef, intercept : ndarray of shape (features,) and float
        The hyperplane: the positive side is coef·x + intercept > 0.
    mistakes_after, passes_after : ndarray
        After each whole epoch: the mistakes of the hyperplane that the method would have answered with,
        and its work so far.
    trace : Trace or None
        Its updates one by one, if they were asked for.
    """

    name: str
    separated: bool
    stop: str
    epochs: int
    updates: int
    updates_bound: float | None
    mistakes: int
    accuracy: float
    passes: float
    angular_margin: float | None
    geometric_margin: float | None
    margin_bound: float | None
    scaled_margin: float | None
    seconds: float
    coef: np.ndarray
    intercept: float
    mistakes_after: np.ndarray
    passes_after: np.ndarray
    trace: Trace | None = None

    @classmethod
    def read(cls, name: str, rows: int, found: dict[str, Any]) -> Entrant:
        """Return what Rust found."""
        return cls(
            name=name,
            separated=found["stop"] == "separated",
            stop=found["stop"],
            epochs=found["epochs"],
            updates=found["updates"],
            updates_bound=found["updates_bound"],
            mistakes=found["mistakes"],
            accuracy=found["accuracy"],
            passes=found["rows_evaluated"] / rows,
            angular_margin=found["angular_margin"],
            geometric_margin=found["geometric_margin"],
            margin_bound=found["margin_bound"],
            scaled_margin=found["scaled_margin"],
            seconds=found["seconds"],
            coef=found["coef"],
            intercept=found["intercept"],
            mistakes_after=np.array(found["history"], dtype=np.int64),
            passes_after=np.array(found["history_rows_evaluated"], dtype=np.float64) / rows,
            trace=Trace.read(found["trace"]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, strings and lists, without the trace."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "trace"}
        return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in values.items()}


@dataclass(frozen=True, repr=False, eq=False)
class Race(Said):
    """How several methods did on the same data. `race["fine"]` is one of them.

    Attributes
    ----------
    entrants : tuple of Entrant
        The methods, in the order in which they were named.
    rows, features : int
        The shape of the data.
    classes : tuple
        The negative and the positive label; "rest" stands for several.
    shuffled : bool
        Whether the rows were visited in a new random order in each epoch.
    sorted_by_class : bool
        Whether the rows come sorted by class, which is slow to learn from in that order.
    seed : int
        The random seed.
    """

    entrants: tuple[Entrant, ...]
    rows: int
    features: int
    classes: tuple[Any, Any]
    shuffled: bool
    sorted_by_class: bool
    seed: int
    _sources: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Entrant:
        for entrant in self.entrants:
            if entrant.name == name:
                return entrant
        raise KeyError(name)

    def __iter__(self) -> Iterator[Entrant]:
        return iter(self.entrants)

    def __len__(self) -> int:
        return len(self.entrants)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each method."""
        import pandas as pd

        left_out = ("coef", "intercept", "mistakes_after", "passes_after")
        rows = [entrant.to_dict() for entrant in self.entrants]
        return pd.DataFrame(rows).drop(columns=list(left_out)).set_index("name")

    def plot(self, x: Literal["epochs", "work"] = "epochs", ax: Axes | None = None) -> Axes:
        """Draw the mistakes that each method had left after each epoch.

        A ring marks where a method finished by itself. Colour, dashes and marker tell methods apart,
        and a method looks the same in every race.

        Parameters
        ----------
        x : {"epochs", "work"}
            What goes to the right: epochs, or the work done by then, in passes over the data.
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import linsep
        >>> race = linsep.race([[1.0], [2.0], [4.0]], ["a", "a", "b"])
        >>> race.plot("work").get_xlabel()
        'work, in passes over the data (a ring: finished)'
        """
        from linsep import _plot

        return _plot.draw_race(self, x, ax)

    def to_html(self, *, title: str = "data") -> str:
        """Return one HTML page with the charts, which loads nothing from anywhere."""
        if self._answer is None:
            raise ValueError("the answer is not here: race again, and report then")
        return self._answer.page(title, "")

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write the page of :meth:`to_html` to a file, which appears whole or not at all."""
        write_page("the page", path, self.to_html(title=title_of(path, title)), self._sources)

    def write_trace(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write the updates to a file, by its name: a page on which they are played, or a CSV.

        Needs ``trace=True``. The file appears whole or not at all.
        """
        _trace.write_trace(self._answer, path, title, self._sources)

    def animate(self, *, interval: float = 900) -> FuncAnimation:
        """Return a matplotlib animation of the updates, all methods side by side.

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


def race(
    X: Any,
    y: Any = None,
    methods: str | Sequence[str] = ("joint", "fine", "perceptron"),
    *,
    scale: Literal["none", "standard"] = "none",
    max_epochs: int = 1000,
    time_limit: float | None = None,
    shuffle: bool | None = None,
    seed: int = 0,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    trace: bool | int = False,
    verbose: bool = False,
    positive: Any = None,
) -> Race:
    """Run several methods on the same data, in the same order, one after the other.

    Parameters
    ----------
    X : array-like of shape (rows, features)
        An array, a sparse matrix, a frame or a table, as for :func:`linsep.decide`, that fits in memory.
    y : array-like of shape (rows,)
        Two different labels; the larger one is positive. A table has labels of its own.
    methods : "all", or a list of str
        "joint", "fine" (the paper's), "corral", "perceptron", "pocket", "maxover", "winnow", "voted",
        "averaged", "smooth", "passive-aggressive", "sgd", "svm", "lp".
    scale : {"none", "standard"}
        Whether they learn from columns as they are, or with mean 0 and deviation 1. The hyperplanes are
        in the units of the data either way.
    max_epochs : int
        The number of epochs after which a method is stopped.
    time_limit : float, optional
        The time in seconds after which a method is stopped.
    shuffle : bool, optional
        Whether rows are visited in a new random order in each epoch. By default they are if they come
        sorted by class, from which most methods learn slowly; the result says so.
    seed : int
        The random seed.
    settings : dict, optional
        Settings of methods by their names on the command line, such as ``{"fine": {"epsilon": 1e-6}}``.
    trace : bool or int
        Whether the first 1,000 updates of each method, or as many as are named here, are kept one by
        one: see :class:`Trace`, :meth:`Race.animate` and :meth:`Race.write_trace`.
    verbose : bool
        Whether a line is printed after each epoch, and after each update that is traced.
    positive : object, optional
        The label of the positive class; all others are then negative.

    Returns
    -------
    Race

    Raises
    ------
    ValueError
        If a method has no such name, if a setting is out of its range, or if the data cannot be used.

    Notes
    -----
    After each epoch the mistakes of the method's hyperplane are counted, in one more pass over the data,
    which counts neither as its work nor as its time.

    Examples
    --------
    >>> import linsep
    >>> race = linsep.race([[100.0], [101.0]], ["no", "yes"], max_epochs=100_000)
    >>> race
    method      separated  epochs  updates      at most  mistakes    accuracy   passes  margin  seconds
    joint             yes       2        1       2.0e18         0  100.0000 %      2.5  1.0e-5  ...
    fine              yes       2        1       1.0e18         0  100.0000 %      2.0  1.0e-5  ...
    perceptron        yes  20,304   40,405  412,211,810         0  100.0000 %  20304.0  4.9e-5  ...
    >>> race["fine"].updates
    1
    """
    names = _names(methods)
    given = _settings(names, settings)
    asked = question(
        "race",
        methods=[json.loads(_linsep.method(name, written(given[name]))) for name in names],
        scale=scale,
        max_epochs=whole("max_epochs", max_epochs),
        time_limit=None if time_limit is None else float(time_limit),
        shuffle=None if shuffle is None else bool(shuffle),
        seed=_seed(seed),
        trace=_trace.updates(trace),
    )
    _linsep.validate(asked)
    matrix, labels = read_data(X, y, positive)
    answer = _linsep.ask(asked, labels.of(matrix), print if verbose else None)
    found = _linsep.values(answer)
    result = Race(
        entrants=tuple(Entrant.read(name, matrix.rows, own) for name, own in found["entrants"]),
        rows=matrix.rows,
        features=matrix.columns,
        classes=labels.classes,
        shuffled=found["shuffled"],
        sorted_by_class=found["sorted_by_class"],
        seed=_seed(seed),
        _sources=matrix.sources,
    )
    result._says(answer)
    return result


def _names(methods: str | Sequence[str]) -> list[str]:
    if isinstance(methods, str):
        return [name for name, _, _ in _linsep.methods()] if methods == "all" else [methods]
    return list(methods)


def _seed(seed: int) -> int:
    if isinstance(seed, bool) or int(seed) != seed or not 0 <= seed < 2**64:
        raise ValueError(f"seed is {seed!r}; expected an integer, at least 0")
    return int(seed)


def _settings(
    names: list[str], settings: Mapping[str, Mapping[str, Any]] | None
) -> dict[str, Mapping[str, Any]]:
    given = dict(settings or {})
    for name, values in given.items():
        if name not in names:
            raise ValueError(
                f"settings are for {name!r}, which is not in the race; "
                f'expected a dict such as {{"{names[0]}": {{…}}}}'
            )
        if not isinstance(values, Mapping):
            raise TypeError(f"settings of {name!r} are {values!r}; expected a dict")
    return {name: given.get(name, {}) for name in names}
