"""The verdict on a data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from linsep import _html, _linsep
from linsep._data import Labels, Matrix, read_labels, read_matrix
from linsep._explanation import Explanation
from linsep._proof import Margin, Proof

__all__ = ["Decision", "decide"]


@dataclass(frozen=True, repr=False)
class Decision:
    """A verdict with what it rests on.

    Attributes
    ----------
    verdict : str
        "separable": some hyperplane puts every row strictly on its own side. "quasi-separable": none
        does, but one puts no row on the wrong side, and not all rows on itself. "inseparable": not even
        that. "undecided": a limit was reached first; see `because`.
    coef, intercept : ndarray of shape (features,) and float, or None
        The hyperplane: the positive side is coef·x + intercept > 0. Where there is no separating one,
        the one with the fewest mistakes that was met.
    margin : Margin
        Bounds on the largest margin.
    conflicting_rows : ndarray of int
        Rows, counted from 0, that no hyperplane puts all on their own sides; empty if separable.
    conflicting_index : index or None
        The same rows by the index of the frame, where X was one.
    multipliers : list of int
        How many times each of these rows is taken so that they cancel.
    proof : Proof or None
        The proof, which the checker has accepted. If undecided, the proof that no hyperplane separates
        strictly, if rows that rule it out were found; else None.
    because : str or None
        The limit that left it undecided: "passes", "time" or "cancelled".
    way, passes, seconds
        How it was found, in how many reads of the data (those that prove it included), in what time on
        the Rust side.
    classes : tuple
        The negative and the positive label; "rest" stands for several.
    explanation : Explanation or None
        Where to look for wrong labels, if that was asked for.
    """

    verdict: str
    coef: np.ndarray | None
    intercept: float | None
    margin: Margin
    conflicting_rows: np.ndarray
    multipliers: list[int]
    proof: Proof | None
    way: str
    passes: int
    seconds: float
    rows: int
    features: int
    classes: tuple[Any, Any]
    feature_names: list[str] | None = None
    conflicting_index: Any = None
    explanation: Explanation | None = None
    because: str | None = None

    @property
    def separable(self) -> bool:
        """Whether some hyperplane puts every row strictly on its own side."""
        return self.verdict == "separable"

    def verify(self, X: Any, y: Any) -> Any:
        """Check the proof against the data; see :meth:`Proof.verify`."""
        if self.proof is None:
            raise ValueError("there is no proof: the verdict is undecided")
        return self.proof.verify(X, y)

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of the side on which each row lies."""
        if self.coef is None:
            raise ValueError("there is no hyperplane to predict with")
        x = X if hasattr(X, "tocsr") else read_matrix(X).values
        values = np.asarray(x @ self.coef) + self.intercept
        negative, chosen = self.classes
        return np.array([chosen if value > 0 else negative for value in values])

    def _facts(self) -> list[tuple[str, str]]:
        negative, positive = self.classes
        facts = [
            ("data", f"{self.rows:,} rows x {self.features:,} features"),
            ("classes", f"{positive!r} against {negative!r}"),
        ]
        if self.verdict in ("separable", "undecided"):
            low, high = _html.number(self.margin.lower), _html.number(self.margin.upper)
            facts.append((f"{self.margin.kind} margin", f"between {low} and {high}"))
        if self.because is not None:
            facts.append(("undecided because of", self.because))
        if len(self.conflicting_rows):
            named = self.conflicting_rows if self.conflicting_index is None else self.conflicting_index
            facts.append(("conflicting rows", _html.listed(named)))
        if self.explanation is not None:
            facts.extend(self.explanation.facts())
        facts.append(("proof", "accepted by the checker" if self.proof is not None else "none"))
        passes = _html.counted(self.passes, "pass", "passes")
        facts.append(("found by", f"{self.way}, {passes}, {self.seconds:.3g} s"))
        return facts

    def __repr__(self) -> str:
        width = max(len(name) for name, _ in self._facts())
        lines = [f"  {name:<{width}}  {value}" for name, value in self._facts()]
        return "\n".join([f"Decision: {self.verdict}", *lines])

    def _repr_html_(self) -> str:
        return _html.facts(f"Decision: {_html.badge(self.verdict)}", self._facts())


def decide(
    X: Any,
    y: Any,
    *,
    margin: Literal["any", "max"] = "any",
    margin_kind: Literal["angular", "geometric"] = "angular",
    gap: float = 1e-6,
    max_passes: int | None = None,
    time_limit: float | None = None,
    explain: bool = False,
    verbose: bool = False,
    positive: Any = None,
) -> Decision:
    """Decide whether one hyperplane can tell two classes apart, and prove it.

    Parameters
    ----------
    X : array-like of shape (rows, features)
        A NumPy array, a SciPy sparse matrix, a pandas or polars frame, an Arrow table, or lists.
        float64 and float32 arrays in C order and canonical CSR of float64 are read in place.
    y : array-like of shape (rows,)
        Two different labels: numbers, strings or booleans. The larger one is positive.
    margin : {"any", "max"}
        Whether any separating hyperplane is good enough, or the one with the largest margin is sought.
    margin_kind : {"angular", "geometric"}
        Which margin; see :class:`Margin`.
    gap : float
        The relative gap between the bounds on the margin that ends "max".
    max_passes : int, optional
        The number of reads of the data after which the answer is "undecided".
    time_limit : float, optional
        The time in seconds after which the answer is "undecided".
    explain : bool
        Whether to look for rows without which the rest is separable, where to look for wrong labels.
        The time limit is for both together.
    verbose : bool
        Whether a line is printed after each pass.
    positive : object, optional
        The label of the positive class; all others are then negative.

    Returns
    -------
    Decision

    Raises
    ------
    ValueError
        If the data cannot be used; the message names the row and the column, counted from 0.

    Examples
    --------
    >>> import linsep
    >>> decision = linsep.decide([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    >>> decision.verdict
    'inseparable'
    >>> decision.conflicting_rows.tolist()
    [0, 1, 2, 3]

    >>> decision = linsep.decide([[100.0], [101.0]], ["no", "yes"], margin="max")
    >>> decision.separable, decision.margin.upper - decision.margin.lower < 1e-6
    (True, True)
    """
    matrix = read_matrix(X)
    labels = read_labels(y, matrix.rows, positive)
    return decide_parts(
        matrix,
        labels,
        margin=margin,
        margin_kind=margin_kind,
        gap=gap,
        max_passes=max_passes,
        time_limit=time_limit,
        explain=explain,
        progress=print if verbose else None,
        positive=positive,
    )


def whole(name: str, value: Any) -> int:
    """Return an integer, or raise a ValueError; whether it is in its range, Rust says."""
    if isinstance(value, bool) or int(value) != value:
        raise ValueError(f"{name} is {value!r}; expected an integer, at least 1")
    return int(value)


def check_margin(margin: str) -> None:
    """Raise a ValueError unless the goal is one of the two words for it."""
    if margin not in ("any", "max"):
        raise ValueError(f'margin is {margin!r}; expected "any" or "max"')


def decide_parts(
    matrix: Matrix,
    labels: Labels,
    *,
    margin: str = "any",
    margin_kind: str = "angular",
    gap: float = 1e-6,
    max_passes: int | None = None,
    time_limit: float | None = None,
    explain: bool = False,
    progress: Callable[[str], Any] | None = None,
    positive: Any = None,
) -> Decision:
    """Return the decision on data that has been read."""
    check_margin(margin)
    if margin_kind not in ("angular", "geometric"):
        raise ValueError(f'margin_kind is {margin_kind!r}; expected "angular" or "geometric"')
    with naming_columns(matrix.names):
        found = _linsep.decide(
            matrix.values,
            labels.positive,
            maximise=margin == "max",
            geometric=margin_kind == "geometric",
            gap=float(gap),
            max_passes=None if max_passes is None else whole("max_passes", max_passes),
            time_limit=None if time_limit is None else float(time_limit),
            explain=explain,
            progress=progress,
        )
    rows = found["rows"]
    proof = found["proof"]
    why = found["explanation"]
    return Decision(
        verdict=found["verdict"],
        coef=found["coef"],
        intercept=found["intercept"],
        margin=Margin(*found["margin"]),
        conflicting_rows=rows,
        # Python reads decimals of a few thousand digits only, and hexadecimals of any length.
        multipliers=[int(m, 16) for m in found["multipliers"]],
        proof=None if proof is None else Proof(proof, positive),
        way=found["way"],
        passes=found["passes"],
        seconds=found["seconds"],
        rows=matrix.rows,
        features=matrix.columns,
        classes=labels.classes,
        feature_names=matrix.names,
        conflicting_index=None if matrix.index is None else matrix.index[rows],
        explanation=None if why is None else Explanation.read(why, matrix.index),
        because=found["because"],
    )


class naming_columns:
    """Adds the name of a column to an error that counts it, or puts it in the place of the number."""

    def __init__(self, names: list[str] | None, numbered: bool = True) -> None:
        self.names = names
        self.numbered = numbered

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if not isinstance(error, ValueError) or not self.names:
            return
        message = str(error)
        for k, name in enumerate(self.names):
            if f", column {k} (counted" in message:
                number = f"{k} " if self.numbered else ""
                message = message.replace(f", column {k} (", f', column {number}"{name}" (', 1)
                raise ValueError(message) from None
