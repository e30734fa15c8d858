"""Several methods on the same data, in the same order, counted the same way."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from linsep import _html, _linsep
from linsep._data import Labels, Matrix, read_labels, read_matrix
from linsep._decision import naming_columns, whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Entrant", "Race", "race"]


_HEADER = [
    "method",
    "separated",
    "epochs",
    "updates",
    "mistakes",
    "accuracy",
    "passes",
    "margin",
    "seconds",
]


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
        "epoch-limit"; or "time-limit".
    epochs, updates : int
        Epochs, the last one counted even if it was cut short, and changes of the weights.
    mistakes, accuracy : int and float
        Rows that its hyperplane puts on the wrong side, and the share of those that it does not.
    passes : float
        Its work: the number of scores it computed, divided by the number of rows.
    angular_margin, geometric_margin : float or None
        Margins of its hyperplane, negative if it makes mistakes; see :class:`Margin`.
    seconds : float
        The time it took, without the counting of mistakes after each epoch.
    coef, intercept : ndarray of shape (features,) and float
        The hyperplane: the positive side is coef·x + intercept > 0.
    mistakes_after, passes_after : ndarray
        After each whole epoch: the mistakes of the hyperplane that the method would have answered with,
        and its work so far.
    """

    name: str
    separated: bool
    stop: str
    epochs: int
    updates: int
    mistakes: int
    accuracy: float
    passes: float
    angular_margin: float | None
    geometric_margin: float | None
    seconds: float
    coef: np.ndarray
    intercept: float
    mistakes_after: np.ndarray
    passes_after: np.ndarray

    @classmethod
    def read(cls, name: str, rows: int, found: dict[str, Any]) -> Entrant:
        """Return what Rust found."""
        return cls(
            name=name,
            separated=found["stop"] == "separated",
            stop=found["stop"],
            epochs=found["epochs"],
            updates=found["updates"],
            mistakes=found["mistakes"],
            accuracy=1 - found["mistakes"] / rows,
            passes=found["rows_evaluated"] / rows,
            angular_margin=found["angular_margin"],
            geometric_margin=found["geometric_margin"],
            seconds=found["seconds"],
            coef=found["coef"],
            intercept=found["intercept"],
            mistakes_after=np.array(found["history"], dtype=np.int64),
            passes_after=np.array(found["history_rows_evaluated"], dtype=np.float64) / rows,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, strings and lists."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in values.items()}

    def _cells(self) -> list[str]:
        margin = self.angular_margin
        return [
            self.name,
            "yes" if self.separated else "no",
            f"{self.epochs:,}",
            f"{self.updates:,}",
            f"{self.mistakes:,}",
            f"{100 * self.accuracy:.4f} %",
            f"{self.passes:,.1f}",
            "-" if margin is None else _short(margin),
            f"{self.seconds:.3f}",
        ]


@dataclass(frozen=True, repr=False, eq=False)
class Race:
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

    def __getitem__(self, name: str) -> Entrant:
        for entrant in self.entrants:
            if entrant.name == name:
                return entrant
        raise KeyError(name)

    def __iter__(self) -> Iterator[Entrant]:
        return iter(self.entrants)

    def __len__(self) -> int:
        return len(self.entrants)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, strings and lists, as `json.dumps` takes them."""
        return {
            "rows": self.rows,
            "features": self.features,
            "classes": list(self.classes),
            "shuffled": self.shuffled,
            "sorted_by_class": self.sorted_by_class,
            "seed": self.seed,
            "methods": [entrant.to_dict() for entrant in self.entrants],
        }

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

    def _title(self) -> str:
        negative, positive = self.classes
        return (
            f"Race: {self.rows:,} rows x {self.features:,} features, {positive!r} against {negative!r}"
        )

    def _order(self) -> str | None:
        if self.shuffled:
            why = "sorted by class, so they are " if self.sorted_by_class else ""
            return f"the rows are {why}visited in random order, seed {self.seed}"
        if self.sorted_by_class:
            return "the rows are visited in their order, sorted by class: slow to learn from"
        return None

    def __repr__(self) -> str:
        table = [_HEADER, *(entrant._cells() for entrant in self.entrants)]
        widths = [max(len(line[k]) for line in table) for k in range(len(_HEADER))]
        lines = [
            "  ".join(
                cell.ljust(width) if k == 0 else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            for line in table
        ]
        order = self._order()
        return "\n".join([self._title(), *([] if order is None else [f"  {order}"]), *lines])

    def _repr_html_(self) -> str:
        order = self._order()
        title = self._title() if order is None else f"{self._title()}; {order}"
        return _html.grid(_html.escape(title), _HEADER, [e._cells() for e in self.entrants])


def race(
    X: Any,
    y: Any,
    methods: str | Sequence[str] = ("fine", "perceptron"),
    *,
    max_epochs: int = 1000,
    time_limit: float | None = None,
    shuffle: bool | None = None,
    seed: int = 0,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    verbose: bool = False,
    positive: Any = None,
) -> Race:
    """Run several methods on the same data, in the same order, one after the other.

    Parameters
    ----------
    X : array-like of shape (rows, features)
        An array, a sparse matrix or a frame, as for :func:`linsep.decide`, in memory.
    y : array-like of shape (rows,)
        Two different labels; the larger one is positive.
    methods : "all", or a list of str
        "fine" (the paper's), "perceptron", "pocket", "maxover", "winnow", "voted", "averaged",
        "passive-aggressive", "sgd", "svm", "lp".
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
    verbose : bool
        Whether a line is printed after each epoch.
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
    Race: 2 rows x 1 features, 'yes' against 'no'
    method      separated  epochs  updates  mistakes    accuracy    passes  margin  seconds
    fine              yes       2        1         0  100.0000 %       2.0  1.0e-5  ...
    perceptron        yes  20,304   40,405         0  100.0000 %  20,304.0  4.9e-5  ...
    >>> race["fine"].updates
    1
    """
    names = _names(methods)
    given = _settings(names, settings)
    limits = _limits(max_epochs, time_limit, seed)
    matrix = read_matrix(X)
    labels = read_labels(y, matrix.rows, positive)
    is_sorted = _linsep.sorted_by_class(labels.positive)
    limits["shuffle"] = is_sorted if shuffle is None else bool(shuffle)
    entrants = tuple(_run(name, matrix, labels, given[name], limits, verbose) for name in names)
    return Race(
        entrants=entrants,
        rows=matrix.rows,
        features=matrix.columns,
        classes=labels.classes,
        shuffled=limits["shuffle"],
        sorted_by_class=is_sorted,
        seed=limits["seed"],
    )


def _short(margin: float) -> str:
    """Return a margin as the program prints it: 1.0e-5."""
    digits, _, exponent = f"{margin:.1e}".partition("e")
    return f"{digits}e{int(exponent)}"


def _run(
    name: str,
    matrix: Matrix,
    labels: Labels,
    settings: Mapping[str, Any],
    limits: dict[str, Any],
    verbose: bool,
) -> Entrant:
    def say(line: str) -> None:
        print(f"{name}: {line}")

    with naming_columns(matrix.names):
        found = _linsep.fit(
            matrix.values,
            labels.positive,
            method=json.dumps({"name": name, **settings}),
            history=True,
            progress=say if verbose else None,
            **limits,
        )
    return Entrant.read(name, matrix.rows, found)


def _names(methods: str | Sequence[str]) -> list[str]:
    known = [name for name, _, _ in _linsep.methods()]
    if isinstance(methods, str):
        methods = known if methods == "all" else [methods]
    names = list(methods)
    if not names:
        raise ValueError("methods is empty; expected the names of methods")
    for name in names:
        if name not in known:
            raise ValueError(f"no method is called {name!r}{_nearest(name, known)}")
        if names.count(name) > 1:
            raise ValueError(f"the method {name!r} is named twice")
    return names


def _nearest(name: Any, known: list[str]) -> str:
    near = get_close_matches(str(name).lower().replace("_", "-"), known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; the methods are {', '.join(known)}"


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


def _limits(max_epochs: int, time_limit: float | None, seed: int) -> dict[str, Any]:
    epochs = whole("max_epochs", max_epochs)
    if epochs < 1:
        raise ValueError(f"max_epochs is {epochs}; expected an integer, at least 1")
    if isinstance(seed, bool) or int(seed) != seed or not 0 <= seed < 2**64:
        raise ValueError(f"seed is {seed!r}; expected an integer, at least 0")
    seconds = None if time_limit is None else float(time_limit)
    # The same limit as that of a decision.
    _linsep.check_limits(gap=1e-6, max_passes=None, time_limit=seconds)
    return {"max_epochs": epochs, "time_limit": seconds, "seed": int(seed)}
