"""Separability among many classes: every class against every other, and against the rest."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from linsep import _linsep
from linsep._answer import Said, question, title_of, write_page
from linsep._data import Labels, Matrix, classed, read_classes, read_matrix
from linsep._decision import Decision, Margin, margin_options
from linsep._picture import Source
from linsep._proof import Proof, Verification
from linsep._separation import verify_separation
from linsep._table import Table, is_path, read_data

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
    sentence : str
        All of it in a sentence.
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
    sentence: str = ""

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
        return self.sentence


@dataclass(frozen=True, repr=False)
class SeparabilityMatrix(Said):
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
    _cells: dict[tuple[Any, Any], str] = field(default_factory=dict)
    _sources: tuple[str, ...] = ()

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

    def cell(self, a: Any, b: Any = None) -> str:
        """Return the verdict on two classes, or on one against the rest, in at most five characters:
        the margin that is proven, rounded down, or "no", "quasi" or "?".
        """
        self._decision(a, b)
        rest = b is None or (isinstance(b, str) and b == "rest" and b not in self.classes)
        pair = (a, None) if rest else (a, b) if (a, b) in self._cells else (b, a)
        return self._cells[pair]

    def save_proofs(self, folder: str | os.PathLike[str]) -> None:
        """Write all proofs to a folder, and last the index that says what each is about.

        :func:`linsep.verify_folder` and `linsep verify DATA FOLDER` check it as a whole.
        """
        if self._answer is None:
            raise ValueError("the proofs are not here: ask again, and save them then")
        _linsep.save_proofs(self._answer, os.fsdecode(folder), self._sources)

    def to_html(self, *, title: str = "data") -> str:
        """Return one HTML page to look at and to send, which loads nothing from anywhere."""
        if self._answer is None:
            raise ValueError("the answer is not here: ask again, and report then")
        return self._answer.page(title, "linsep.verify_folder(X, y, folder)")

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write the page of :meth:`to_html` to a file, which appears whole or not at all."""
        write_page("the page", path, self.to_html(title=title_of(path, title)), self._sources)


def separability_matrix(
    X: Any,
    y: Any = None,
    *,
    margin: str = "any",
    margin_kind: str = "angular",
    gap: float = 1e-6,
    conflict: str = "any",
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
        The data, as for :func:`linsep.decide`, with two or more different labels; a table or a path
        needs no y.
    margin, margin_kind, gap, conflict, max_passes, explain
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
    not all separable: all 3 pairs; 2 of 3 classes against the rest; the largest of 3 linear
      scores can be right on every row
      data        4 rows, 1 feature, 3 classes
      work        7 questions in ...
      proofs      checked in exact arithmetic (save_proofs(folder) keeps them)
      pairs       the angular margin, at least; "no": inseparable
      ...
    """
    options = margin_options(margin, margin_kind, gap, conflict, max_passes, time_limit)
    kinds = {"pairs": True, "one_vs_rest": True, "argmax": bool(argmax), "explain": bool(explain)}
    asked = question("classes", **options, **kinds)
    _linsep.validate(asked)
    values: np.ndarray | None = None
    if isinstance(X, Table) or is_path(X):
        matrix, labels = read_data(X, y, None)
        given, classes = matrix.values, list(labels.classes)
    else:
        matrix = read_matrix(X)
        values, classes = read_classes(y, matrix.rows)
        given = classed(matrix, values, classes)
    if len(classes) < 2:
        raise ValueError(f"expected two or more classes, found one class: {classes[0]!r}")
    answer = _linsep.ask(asked, given, print if verbose else None)
    found = _linsep.values(answer)
    one_vs_one, one_vs_rest, cells = {}, {}, {}
    for place, other, own, cell in found["sides"]:
        c = classes[place]
        sides_of = ("rest" if other is None else classes[other], c)
        decision = Decision.read(own, matrix, sides_of, c if other is None else None)
        if values is not None:
            decision._keep(_source(matrix, values, sides_of, other is None))
        if other is None:
            one_vs_rest[c], cells[c, None] = decision, cell
        else:
            one_vs_one[sides_of], cells[sides_of] = decision, cell
    argmaxed = found["argmax"]
    found_all = None if argmaxed is None else _argmax(argmaxed, classes)
    result = SeparabilityMatrix(classes, one_vs_one, one_vs_rest, found_all, cells, matrix.sources)
    result._says(answer)
    return result


def _source(matrix: Matrix, values: np.ndarray, sides: tuple[Any, Any], rest: bool) -> Source:
    """Return the rows of two sides, to be drawn: not a copy of them, which would take much memory."""
    negative, positive = sides
    if rest:
        return Source(matrix, Labels(values == positive, sides))
    places = np.flatnonzero((values == negative) | (values == positive))
    return Source(matrix, Labels(values[places] == positive, sides), places)


def _argmax(found: dict[str, Any], classes: list[Any]) -> Argmax:
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
        sentence=found["sentence"],
    )
