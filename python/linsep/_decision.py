"""The verdict on a data set."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from linsep import _linsep
from linsep._answer import Said, question, title_of, write_page
from linsep._data import Labels, Matrix, read_matrix
from linsep._explanation import Explanation
from linsep._picture import Source, picture
from linsep._proof import Margin, Proof, Verification
from linsep._table import is_path, read_data, sources

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Decision", "decide"]


@dataclass(frozen=True, repr=False)
class Decision(Said):
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
        Rows, counted from 0, that no hyperplane puts all on their own sides; empty if separable. Rows of
        a table are counted as in its file, also where some were left out.
    conflicting_index : index or None
        The same rows by the index of the frame, or by the column of the table that names its rows.
    ruled_out_by : str or None
        What shows that no hyperplane separates strictly: "conflict", these rows cancel in integers, or
        "matrix", with `row_weights` they make a positive definite matrix. `conflict="exact"` asks for
        integers.
    multipliers : list of int
        How many times each of these rows is taken so that they cancel; empty for a matrix.
    row_weights : ndarray or None
        The weights with which these rows make a positive definite matrix, if that is what shows it.
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
    left_out : list of str
        Steps of the search that need all rows in memory, and were left out because they do not fit:
        "dual". Others took their place.
    unfinished : bool
        Whether a limit kept the search from its goal, an answer or the largest margin: a checkpoint then
        stays, to go on from.
    chance : float
        The chance that random labels of as many rows in general position are separable.
    contradictory_rows : list of int or None
        Two of the conflicting rows that are the same row under both labels, if there are such.
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
    ruled_out_by: str | None = None
    row_weights: np.ndarray | None = None
    conflicting_index: Any = None
    explanation: Explanation | None = None
    because: str | None = None
    left_out: list[str] = field(default_factory=list)
    unfinished: bool = False

    chance: float = 0.0
    contradictory_rows: list[int] | None = None

    # The data, for pictures. Not a field: it is not part of what the decision says, nor of its copies.
    _data: ClassVar[Source | None] = None

    def __getstate__(self) -> dict[str, Any]:
        return self._state("_data")

    @classmethod
    def read(
        cls,
        answer: _linsep.Answer,
        matrix: Matrix,
        classes: tuple[Any, Any],
        positive: Any = None,
        **more: Any,
    ) -> Any:
        """Return the decision that Rust made about rows of a matrix."""
        found = _linsep.values(answer)
        why, proof, rows = found["explanation"], found["proof"], found["rows"]
        decision = cls(
            verdict=found["verdict"],
            coef=found["coef"],
            intercept=found["intercept"],
            margin=Margin(*found["margin"]),
            conflicting_rows=rows,
            ruled_out_by=found["ruled_out_by"],
            multipliers=[int(m, 16) for m in found["multipliers"]],
            row_weights=found["row_weights"],
            proof=None if proof is None else Proof(proof, positive, _sources=matrix.sources),
            way=found["way"],
            passes=found["passes"],
            seconds=found["seconds"],
            rows=found["row_count"],
            features=found["features"],
            classes=classes,
            feature_names=found["feature_names"],
            conflicting_index=matrix.named(rows, found["row_names"]),
            explanation=None if why is None else Explanation.read(why, matrix),
            because=found["because"],
            left_out=found["left_out"],
            unfinished=found["unfinished"],
            chance=found["chance"],
            contradictory_rows=found["contradictory"],
            **more,
        )
        return decision._says(answer)

    @property
    def separable(self) -> bool:
        """Whether some hyperplane puts every row strictly on its own side."""
        return self.verdict == "separable"

    def verify(self, X: Any, y: Any = None) -> Verification:
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

    def plot(
        self,
        X: Any = None,
        y: Any = None,
        *,
        kind: Literal["plane", "distances", "view", "weights"] | None = None,
        ax: Axes | Any = None,
    ) -> Any:
        """Draw the hyperplane and the rows around it.

        Where none separates all rows, it is one with few mistakes; where an explanation names suspects,
        it is the one that separates the others.

        Parameters
        ----------
        X, y : array-like, optional
            The data, if the decision comes from a file or another process; else it has kept a reference
            to it.
        kind : {"plane", "distances", "view", "weights"}, optional
            "plane": rows of two features in their own units, the hyperplane as a line, and the lines
            through the nearest rows if it separates them; rows that are alike are one point, and many
            rows are counted in cells. "distances": how many rows of each class lie how far from the
            hyperplane, and on which side. "view": each row by its distance and by its place in the
            direction of largest spread within the hyperplane. "weights": what each feature
            contributes, its weight times its spread. "plane" and "view" mark and name the nearest,
            conflicting and suspect rows. None: three of them, of two features "plane" in the place of
            "view", which is the same picture turned.
        ax : matplotlib Axes, or three of them, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib Axes, or an array of three

        Raises
        ------
        ValueError
            If the data is needed and was not given, or is not that of the decision.
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> import linsep
        >>> decision = linsep.decide([[0, 1], [1, 3], [4, 2], [5, 5]], ["a", "a", "b", "b"])
        >>> decision.plot(kind="distances").get_title()
        'all 4 rows on their own side'
        >>> decision.plot(kind="plane").get_xlabel()
        'x0'
        >>> decision.plot().shape
        (3,)
        """
        from linsep import _plot

        _plot.check_kind(kind, self.features)
        source = self._data if X is None else Source.read(self, X, y)
        drawn = None if self._answer is None else self._answer.picture()
        if source is None and drawn is None:
            raise ValueError("the decision has no data with it: pass it, as decision.plot(X, y)")
        return _plot.draw_hyperplane(picture(self, source, drawn), kind, ax)

    def to_html(self, *, title: str = "data") -> str:
        """Return one HTML page to look at and to send, which loads nothing from anywhere.

        It has the verdict in one sentence, the distances of all rows, a view of them, the weights, the
        conflicting rows with their multipliers, the suspects, and how to verify the proof.

        Parameters
        ----------
        title : str
            What the data is called.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If the decision comes from a file or another process: its rows are not here. Rows of a
            cluster are drawn while it is asked: see `picture` of :func:`linsep.spark.decide`.
        """
        if self._answer is not None and self._answer.picture() is not None:
            return self._answer.page(title, _CHECK)
        if self._data is None or self._answer is None:
            raise ValueError("the decision has no data with it: decide again, and report then")
        return self._answer.drawn(self._data.given()).page(title, _CHECK)

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write the page of :meth:`to_html` to a file, which appears whole or not at all.

        Parameters
        ----------
        path : path
            The file.
        title : str, optional
            What the data is called; by default the name of the file without its ending.

        Examples
        --------
        >>> import linsep, os, tempfile
        >>> decision = linsep.decide([[0, 1], [1, 3], [4, 2], [5, 5]], ["a", "a", "b", "b"])
        >>> path = os.path.join(tempfile.mkdtemp(), "four points.html")
        >>> decision.report(path)
        >>> "One straight cut" in open(path, encoding="utf-8").read()
        True
        """
        page = self.to_html(title=title_of(path, title))
        write_page("the page", path, page, self._data.matrix.sources if self._data else ())

    def _keep(self, source: Source) -> Decision:
        object.__setattr__(self, "_data", source)
        return self


# What checks a decision in Python.
_CHECK = "linsep.verify(X, y, decision.proof)"


def decide(
    X: Any,
    y: Any = None,
    *,
    margin: Literal["any", "max"] = "any",
    margin_kind: Literal["angular", "geometric"] = "angular",
    gap: float = 1e-6,
    conflict: Literal["any", "exact"] = "any",
    max_passes: int | None = None,
    time_limit: float | None = None,
    explain: bool = False,
    verbose: bool = False,
    positive: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Decision:
    """Decide whether one hyperplane can tell two classes apart, and prove it.

    Parameters
    ----------
    X : array-like of shape (rows, features)
        A NumPy array, a SciPy sparse matrix, a pandas or polars frame, an Arrow table, or lists.
        float64 and float32 arrays in C order and canonical CSR of float64 are read in place. Or a table
        in a file: a :class:`Table`, or a path, which is opened as :func:`linsep.open` does by default.
    y : array-like of shape (rows,)
        Two different labels: numbers, strings or booleans. The larger one is positive. A table has
        labels of its own.
    margin : {"any", "max"}
        Whether any separating hyperplane is good enough, or the one with the largest margin is sought.
    margin_kind : {"angular", "geometric"}
        Which margin; see :class:`Margin`.
    gap : float
        The relative gap between the bounds on the margin that ends "max".
    conflict : {"any", "exact"}
        How rows show that none separates: "any", in integers where they are few, else by one positive
        definite matrix, which takes a fraction of the time; "exact", in integers whatever it takes.
    max_passes : int, optional
        The number of reads of the data after which the answer is "undecided".
    time_limit : float, optional
        The time in seconds after which the answer is "undecided".
    explain : bool
        Whether to look for rows without which the rest is separable, where to look for wrong labels.
        The time limit is for both together. It needs all rows in memory: for a table that does not fit
        there is a warning in its place.
    verbose : bool
        Whether a line is printed after each pass.
    positive : object, optional
        The label of the positive class; all others are then negative.
    checkpoint : path, optional
        A file for what each pass finds, to go on from after a limit, Ctrl-C or a kill. A verdict removes
        it.
    resume : bool
        Whether to go on from the checkpoint, to the same answer and proof as if the call had never
        stopped. The data and the options have to be the same, limits aside.

    Returns
    -------
    Decision

    Raises
    ------
    ValueError
        If the data cannot be used; the message names the row and the column, counted from 0. If the
        checkpoint is of other data or options.
    OSError
        If a file cannot be read or written, or has changed since the table was opened.

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
    kept = None if checkpoint is None else os.fsdecode(checkpoint)
    asked = decide_question(
        margin=margin,
        margin_kind=margin_kind,
        gap=gap,
        conflict=conflict,
        max_passes=max_passes,
        time_limit=time_limit,
        explain=explain,
        checkpoint=kept,
        resume=resume,
    )
    if kept is not None and is_path(X) and y is None:
        _linsep.refuse_overwriting("the checkpoint", kept, sources(os.fsdecode(X)))
    if is_path(X) or kept is None:
        # Before the file is read, which may take long.
        _linsep.validate(asked)
    matrix, labels = read_data(X, y, positive, verbose)
    if kept is not None:
        _linsep.refuse_overwriting("the checkpoint", kept, matrix.sources)
    decision = decide_parts(matrix, labels, asked, print if verbose else None, positive)
    return decision._keep(Source(matrix, labels))


def whole(name: str, value: Any, least: int = 1) -> int | None:
    """Return an integer as Rust reads it. Raises a ValueError if it is none, or out of range."""
    if value is None:
        return None
    if not isinstance(value, bool) and least <= value < 2**63 and int(value) == value:
        return int(value)
    raise ValueError(f"{name} is {value!r}; expected an integer, at least {least}")


def check_margin(margin: str) -> None:
    """Raise a ValueError unless the goal is one of the two words for it."""
    if margin not in ("any", "max"):
        raise ValueError(f'margin is {margin!r}; expected "any" or "max"')


def margin_options(
    margin: str, margin_kind: str, gap: float, conflict: str, max_passes: Any, time_limit: Any
) -> dict[str, Any]:
    """Return the options of a search as a question has them."""
    check_margin(margin)
    if margin_kind not in ("angular", "geometric"):
        raise ValueError(f'margin_kind is {margin_kind!r}; expected "angular" or "geometric"')
    if conflict not in ("any", "exact"):
        raise ValueError(f'conflict is {conflict!r}; expected "any" or "exact"')
    return {
        "margin": margin,
        "margin_kind": margin_kind,
        "gap": float(gap),
        "conflict": conflict,
        "max_passes": whole("max_passes", max_passes),
        "time_limit": None if time_limit is None else float(time_limit),
    }


def decide_question(
    *,
    margin: str = "any",
    margin_kind: str = "angular",
    gap: float = 1e-6,
    conflict: str = "any",
    max_passes: int | None = None,
    time_limit: float | None = None,
    explain: bool = False,
    picture: bool = False,
    checkpoint: str | None = None,
    resume: bool = False,
) -> str:
    """Return the question whether two classes can be told apart."""
    options = margin_options(margin, margin_kind, gap, conflict, max_passes, time_limit)
    more = {"explain": bool(explain), "picture": bool(picture)}
    kept = {"checkpoint": checkpoint, "resume": bool(resume)}
    return question("decide", **options, **more, **kept)


class Deadline:
    """A limit on time for several questions together."""

    def __init__(self, seconds: float | None) -> None:
        self.until = None if seconds is None else time.monotonic() + float(seconds)
        self.now = self.until

    def share(self, questions: int) -> None:
        """Give the next question its share of the time left, if `questions` are left."""
        if self.until is not None:
            start = time.monotonic()
            self.now = start + max(0.0, self.until - start) / questions

    def left(self) -> float | None:
        """Return the seconds that are left for the question, above 0; None without a limit."""
        return None if self.now is None else max(self.now - time.monotonic(), 1e-3)


def decide_parts(
    matrix: Matrix,
    labels: Labels,
    asked: str,
    progress: Callable[[str], Any] | None = None,
    positive: Any = None,
) -> Decision:
    """Return the decision on data that has been read."""
    answer = _linsep.ask(asked, labels.of(matrix), progress)
    decision: Decision = Decision.read(answer, matrix, labels.classes, positive)
    if decision.explanation is None and json.loads(asked).get("explain"):
        reason = "it needs all rows in memory, and they do not fit"
        warnings.warn(f"the explanation is left out: {reason}", UserWarning, stacklevel=3)
    return decision
