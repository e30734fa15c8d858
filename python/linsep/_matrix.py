"""Separability among many classes: every class against every other, and against the rest."""

from __future__ import annotations

import html
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from linsep import _html, _linsep
from linsep._data import Labels, Matrix, read_classes, read_matrix
from linsep._decision import Deadline, Decision, Margin, check_options, decide_parts, naming_columns
from linsep._picture import Source
from linsep._proof import Proof, Verification
from linsep._separation import verify_separation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Argmax", "SeparabilityMatrix", "separability_matrix"]


@dataclass(frozen=True, repr=False)
class Argmax:
    """Whether one linear classifier, the largest of one score per class wins, makes no mistake.

    Attributes
    ----------
    exists : bool or None
        Whether there is one; None if a limit was reached first.
    classes : list
        The labels, in order.
    coef : ndarray of shape (classes, features) or None
        The weights of such a classifier, if there is one; those of the first class are zero.
    intercept : ndarray of shape (classes,) or None
        Its biases.
    pair : tuple or None
        Two labels that no hyperplane tells apart, where that is why there is none.
    conflicting_rows : ndarray of int
        Rows, counted from 0, that rule it out.
    proof : Proof or None
        The proof, about the multinomial model of the rows: see :meth:`verify`.
    because : str or None
        The limit that was reached, if one was.
    seconds : float
        Time.
    """

    exists: bool | None
    classes: list[Any]
    coef: np.ndarray | None
    intercept: np.ndarray | None
    pair: tuple[Any, Any] | None
    conflicting_rows: np.ndarray
    proof: Proof | None
    because: str | None
    seconds: float

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of each row: that of the largest score."""
        if self.coef is None or self.intercept is None:
            raise ValueError("no linear classifier without mistakes was found")
        x = X if hasattr(X, "tocsr") else read_matrix(X).values
        scores = np.asarray(x @ self.coef.T) + self.intercept
        return np.array(self.classes)[scores.argmax(axis=1)]

    def verify(self, X: Any, y: Any) -> Verification:
        """Check the proof against the data, in exact arithmetic.

        The verdict "separable" says that such a classifier exists, any other that none does.
        """
        if self.proof is None:
            raise ValueError("nothing was proven")
        options: dict[str, Any] = {"model": "multinomial", "levels": self.classes, "intercept": True}
        return verify_separation(self.proof, X, y, **options)

    def __repr__(self) -> str:
        scores = f"the largest of {len(self.classes)} linear scores"
        if self.exists:
            return f"{scores} can be right on every row"
        if self.exists is None:
            return f"whether {scores} can be right on every row is open ({self.because})"
        if self.pair is not None:
            a, b = self.pair
            return f"{scores} cannot be right on every row: not even on {a!r} and {b!r} alone"
        return f"{scores} cannot be right on every row: {len(self.conflicting_rows)} rows rule it out"


@dataclass(frozen=True, repr=False)
class SeparabilityMatrix:
    """Verdicts on all pairs of classes, and on each class against the rest.

    Attributes
    ----------
    classes : list
        The labels, in order.
    one_vs_one : dict
        The decision for each pair of labels `(a, b)` with a before b; b is the positive class.
        Rows are counted from 0 in the whole data.
    one_vs_rest : dict
        The decision for each label, which is the positive class.
    argmax : Argmax or None
        Whether one linear classifier makes no mistake on all classes at once, if that was asked.
    """

    classes: list[Any]
    one_vs_one: dict[tuple[Any, Any], Decision]
    one_vs_rest: dict[Any, Decision]
    argmax: Argmax | None = None

    @property
    def separable(self) -> bool:
        """Whether each class is separable from the rest."""
        return all(decision.separable for decision in self.one_vs_rest.values())

    def verdict(self, a: Any, b: Any = None) -> str:
        """Return the verdict on two classes, or on one against the rest: b left out, or "rest"."""
        return self._decision(a, b).verdict

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the verdicts as a table in colours, with the margin where the classes are separable.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import linsep
        >>> matrix = linsep.separability_matrix([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "c"])
        >>> matrix.plot().get_title()
        'Which classes can a hyperplane tell apart?'
        """
        from linsep import _plot

        return _plot.draw_matrix(self, ax)

    def _rows(self) -> list[list[Any]]:
        named = [((a, b), d) for (a, b), d in self.one_vs_one.items()]
        named += [((c, "rest"), d) for c, d in self.one_vs_rest.items()]
        return [
            [a, b, d.verdict, d.margin.lower, d.margin.upper, len(d.conflicting_rows)]
            for (a, b), d in named
        ]

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each decision."""
        import pandas as pd

        names = ["class", "against", "verdict", "margin_lower", "margin_upper", "conflicting_rows"]
        return pd.DataFrame(self._rows(), columns=names)

    def margin(self, a: Any, b: Any = None) -> Margin:
        """Return the bounds on the largest margin between two classes, or between one and the rest.

        The rest is what b is if it is left out, or "rest", unless a class has that name.
        """
        return self._decision(a, b).margin

    def _decision(self, a: Any, b: Any = None) -> Decision:
        known = set(self.classes)
        rest = b is None or (isinstance(b, str) and b == "rest" and b not in known)
        for label in [a] if rest else [a, b]:
            if label not in known:
                raise KeyError(f"{label!r} is not one of the classes {self.classes}")
        if rest:
            return self.one_vs_rest[a]
        if a == b:
            raise KeyError(f"{a!r} twice: expected two classes, or one and 'rest'")
        return self.one_vs_one[(a, b) if (a, b) in self.one_vs_one else (b, a)]

    def _cell(self, a: Any, b: Any = None) -> str:
        decision = self._decision(a, b)
        return _linsep.margin_at_least(decision.margin.lower) if decision.separable else decision.verdict

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header = ["", *map(str, self.classes), "rest"]
        rows = [
            [
                str(a),
                *("·" if a == b else self._cell(a, b) for b in self.classes),
                self._cell(a),
            ]
            for a in self.classes
        ]
        return header, rows

    def __repr__(self) -> str:
        header, rows = self._table()
        widths = [max(len(line[k]) for line in [header, *rows]) for k in range(len(header))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in [header, *rows]
        ]
        kinds = sorted({decision.margin.kind for decision in self.one_vs_rest.values()})
        lines.append(
            f"numbers: separable, with an {kinds[0]} margin of at least that".replace("an g", "a g")
        )
        if self.argmax is not None:
            lines.append(repr(self.argmax))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        header, rows = self._table()
        title = "Separability of the classes: the margin where they are separable"
        below = "" if self.argmax is None else f"<p>{html.escape(repr(self.argmax))}</p>"
        return _html.grid(title, header, rows) + below


def separability_matrix(
    X: Any,
    y: Any,
    *,
    margin: str = "any",
    margin_kind: str = "angular",
    gap: float = 1e-6,
    max_passes: int | None = None,
    time_limit: float | None = None,
    explain: bool = False,
    verbose: bool = False,
    argmax: bool = False,
) -> SeparabilityMatrix:
    """Decide for all pairs of classes, and for each class against the rest.

    Parameters
    ----------
    X, y : array-like
        The data, as for :func:`linsep.decide`, with two or more different labels.
    margin, margin_kind, gap, max_passes, explain
        As for :func:`linsep.decide`; they count for each decision.
    time_limit : float, optional
        The time in seconds for all decisions together; what is left to ask then is undecided.
    verbose : bool
        Whether a line is printed after each decision.
    argmax : bool
        Whether to ask, too, if the largest of one linear score per class can be right on every row.

    Returns
    -------
    SeparabilityMatrix

    Examples
    --------
    >>> import linsep
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "c"]
    >>> linsep.separability_matrix(X, y, argmax=True)
       a     b      c      rest
    a  ·     0.38   0.58   0.38
    b  0.38  ·      0.070  inseparable
    c  0.58  0.070  ·      0.070
    numbers: separable, with an angular margin of at least that
    the largest of 3 linear scores can be right on every row
    """
    options: dict[str, Any] = {
        "margin": margin,
        "margin_kind": margin_kind,
        "gap": gap,
        "max_passes": max_passes,
        "time_limit": time_limit,
    }
    limits = check_options(**options)
    deadline = Deadline(limits["time_limit"])
    matrix = read_matrix(X)
    values, classes = read_classes(y, matrix.rows)
    if len(classes) < 2:
        raise ValueError(f"expected two or more classes, found one class: {classes[0]!r}")

    def tell(what: str, verdict: Any) -> None:
        if verbose:
            print(f"{what}: {verdict}")

    one_vs_rest = {}
    for c in classes:
        labels = Labels(values == c, ("rest", c))
        options["time_limit"] = deadline.left()
        decision = decide_parts(matrix, labels, positive=c, explain=explain, **options)
        one_vs_rest[c] = decision._keep(Source(matrix, labels))
        tell(f"{c} against the rest", decision.verdict)
    one_vs_one = {}
    for a, b in combinations(classes, 2):
        keep = (values == a) | (values == b)
        places = np.flatnonzero(keep)
        part = matrix.take(keep)
        labels = Labels(values[keep] == b, (a, b))
        options["time_limit"] = deadline.left()
        decision = decide_parts(part, labels, explain=explain, **options)
        object.__setattr__(decision, "conflicting_rows", places[decision.conflicting_rows])
        if decision.explanation is not None:
            object.__setattr__(decision, "explanation", decision.explanation.renumbered(places))
        # Not the part: a copy for each pair would take several times the memory of the data.
        one_vs_one[a, b] = decision._keep(Source(matrix, labels, places))
        tell(f"{a} against {b}", decision.verdict)
    found = None
    if argmax:
        found = _ask_argmax(matrix, values, classes, limits | {"time_limit": deadline.left()})
        tell("one classifier for all", found)
    return SeparabilityMatrix(classes, one_vs_one, one_vs_rest, found)


def _ask_argmax(
    matrix: Matrix, values: np.ndarray, classes: list[Any], limits: dict[str, Any]
) -> Argmax:
    codes = np.zeros(matrix.rows, dtype=np.uint32)
    for code, label in enumerate(classes):
        codes[values == label] = code
    limits = {name: limits[name] for name in ("max_passes", "time_limit")}
    with naming_columns(matrix.names):
        found = _linsep.argmax(matrix.values, codes, len(classes), **limits)
    pair, proof = found["pair"], found["proof"]
    return Argmax(
        exists=found["exists"],
        classes=classes,
        coef=found["coef"],
        intercept=found["intercept"],
        pair=None if pair is None else (classes[pair[0]], classes[pair[1]]),
        conflicting_rows=found["rows"],
        proof=None if proof is None else Proof(proof),
        because=found["because"],
        seconds=found["seconds"],
    )
