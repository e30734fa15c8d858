"""Which rows probably carry a wrong label."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from linsep import _linsep
from linsep._answer import Said, question, title_of, write_page
from linsep._data import classed, read_classes, read_labels, read_matrix
from linsep._decision import whole
from linsep._proof import Margin
from linsep._table import Table, is_path, read_data

__all__ = ["Audit", "audit"]


@dataclass(frozen=True, repr=False)
class Audit(Said):
    """What makes each row suspicious of a wrong label. Rows count from 0, as in the file of a table.

    Arrays of one value per row are in the order of the data, and empty if a limit was reached before any
    row could be judged. Rows of a file that were left out have no probability (nan) and no label (None).

    Attributes
    ----------
    suspects : ndarray of int
        The rows to look at, the most suspicious first: those whose label is more probably wrong than
        right.
    ranking : ndarray of int
        All rows, the most suspicious first.
    probability : ndarray of float
        The probability that the label of each row is wrong, as hyperplanes see it that were learnt from
        other rows.
    suggested : ndarray
        The label that these hyperplanes would give each row.
    against : ndarray of float
        The share of them that put the row into another class than its own.
    expected : float
        The number of wrong labels to expect: the sum of all probabilities.
    contradicted : ndarray of bool
        Whether an identical row stands under another label. That is proven.
    in_the_way : ndarray of bool
        Whether the row is one of those without which the rest is proven to be separable; all False if
        all rows are separable, and for more than two classes.
    irreducible : bool or None
        Whether it is proven that none of the rows in the way can be put back; None if there are none.
    margin_weight : ndarray of float or None
        The share that each row has in bounding the largest margin of separable rows: zero if the margin
        does not depend on it. None if the rows are not separable, or of more than two classes.
    margin_without : dict
        Bounds on the largest margin without single suspects; see `leave_out`.
    verdict, margin : str or None, Margin or None
        Whether a hyperplane separates all rows, and bounds on the largest margin; see :class:`Decision`.
        None for more than two classes.
    verdict_without_suspects, margin_without_suspects : str or None, Margin or None
        The same for the rows that are no suspects.
    contradictions : list of list of int
        Groups of identical rows that stand under several labels.
    stopped : str or None
        The limit that was reached before everything was done: "time" or "cancelled".
    labels : ndarray
        The labels that were audited.
    index : index or None
        All rows by the index of the frame, or by the column of the table that names its rows.
    suspects_index : index or None
        The suspects by the index of the frame, or by the column of the table that names its rows.
    """

    suspects: np.ndarray
    ranking: np.ndarray
    probability: np.ndarray
    suggested: np.ndarray
    against: np.ndarray
    expected: float
    contradicted: np.ndarray
    in_the_way: np.ndarray
    irreducible: bool | None
    margin_weight: np.ndarray | None
    margin_without: dict[int, Margin]
    verdict: str | None
    margin: Margin | None
    verdict_without_suspects: str | None
    margin_without_suspects: Margin | None
    contradictions: list[list[int]]
    stopped: str | None
    seconds: float
    rows: int
    features: int
    classes: list[Any]
    labels: np.ndarray | None = None
    suspects_index: Any = None
    index: Any = None
    _sources: tuple[str, ...] = ()

    @property
    def proven(self) -> np.ndarray:
        """Whether each row is proven to conflict with others; all others are at most suspicious."""
        return self.contradicted | self.in_the_way

    def to_frame(self) -> Any:
        """Return one line per row, the most suspicious first, as a pandas DataFrame.

        It has the index of the frame that was audited, or the names that a table gives to its rows.
        """
        import pandas as pd

        columns: dict[str, Any] = {"row": np.arange(len(self.probability))}
        if self.labels is not None and len(self.probability):
            columns["label"] = self.labels
        columns |= {
            "suggested": self.suggested,
            "probability": self.probability,
            "against": self.against,
            "contradicted": self.contradicted,
            "in_the_way": self.in_the_way,
        }
        if self.margin_weight is not None:
            columns["margin_weight"] = self.margin_weight
        if self.index is None or not len(self.probability):
            return pd.DataFrame(columns).iloc[self.ranking].reset_index(drop=True)
        return pd.DataFrame(columns, index=self.index).iloc[self.ranking]

    def to_csv(self) -> str:
        """Return one line per row as the program writes it with `-o`: rows are counted from 1."""
        if self._answer is None:
            raise ValueError("the answer is not here: audit again")
        return _linsep.audit_csv(self._answer)

    def to_html(self, *, title: str = "data") -> str:
        """Return one HTML page with the suspects, which loads nothing from anywhere."""
        if self._answer is None:
            raise ValueError("the answer is not here: audit again, and report then")
        return self._answer.page(title, "")

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write the page of :meth:`to_html` to a file, which appears whole or not at all."""
        write_page("the page", path, self.to_html(title=title_of(path, title)), self._sources)


def audit(
    X: Any,
    y: Any = None,
    *,
    positive: Any = None,
    leave_out: int | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
    top: int | None = None,
) -> Audit:
    """Rank rows by how probably their label is wrong, on data of any kind: separable or not.

    Hyperplanes are learnt from some rows and asked about others. Where they contradict a label more
    boldly than chance explains, the row is suspicious. Beside that stands what is proven.

    Parameters
    ----------
    X : array-like of shape (rows, features)
        As in :func:`decide`: arrays, sparse matrices, frames, tables in files, paths. All rows have to
        fit in memory.
    y : array-like of shape (rows,)
        Labels of two classes or more: numbers, strings or booleans. Each class needs two rows. Tables
        are of two classes.
    positive : object, optional
        The label of one class; all others are then one.
    leave_out : int, optional
        Separable rows of two classes: bound the largest margin without each of the first `leave_out`
        suspects. By default 10, or none if there are more than a million values, where it would take
        longer than all else.
    time_limit : float, optional
        The time in seconds after which the work ends with what is known.
    verbose : bool
        Whether a line is printed as each part of the work begins.
    top : int, optional
        The number of rows of the ranking to show and to put into the JSON, suspects or not; by default
        the suspects.

    Returns
    -------
    Audit

    Raises
    ------
    ValueError
        If the data cannot be used, or a class has one row only.

    Examples
    --------
    The label of row 7 is wrong, though a hyperplane can still accommodate it.

    >>> import linsep
    >>> X = [[k + 30 * (k // 20), k % 7 + 9 * (k // 20)] for k in range(40)]
    >>> y = ["b" if k >= 20 or k == 7 else "a" for k in range(40)]
    >>> audit = linsep.audit(X, y)
    >>> audit.suspects.tolist(), str(audit.suggested[7])
    ([7], 'a')
    """
    asked = question(
        "audit",
        leave_out=whole("leave_out", leave_out, 0),
        time_limit=None if time_limit is None else float(time_limit),
        top=whole("top", top, 0),
    )
    _linsep.validate(asked)
    values = None
    if isinstance(X, Table) or is_path(X) or y is None:
        matrix, labels = read_data(X, y, positive, verbose)
        given, classes = labels.of(matrix), list(labels.classes)
    else:
        matrix = read_matrix(X)
        values, classes = read_classes(y, matrix.rows)
        if positive is not None or len(classes) == 2:
            labels = read_labels(y, matrix.rows, positive)
            given, classes = labels.of(matrix), list(labels.classes)
            chosen = labels.positive.astype(int)
            values = values if positive is None else np.array(classes, dtype=object)[chosen]
        elif len(classes) < 2:
            raise ValueError(f"expected two classes, found one class: all rows are {classes[0]!r}")
        else:
            given = classed(matrix, values, classes)
    answer = _linsep.ask(asked, given, print if verbose else None)
    audited = _read(_linsep.values(answer), matrix, classes, values)
    audited._says(answer)
    return audited


def _read(found: dict[str, Any], matrix: Any, classes: list[Any], values: Any) -> Audit:
    """Return the audit that Rust made."""
    first = found["ranking"][: found["suspects"]]
    names = found["row_names"]
    index = matrix.index
    if index is None and names is not None:
        index = matrix.spread(np.array(names, dtype=object), None)
    suggested = np.array(classes)[found["suggested"]] if len(found["suggested"]) else np.array([])
    weight = found["margin_weight"]
    verdict, margin = found["all"] or (None, None)
    rest, rest_margin = found["rest"] or (None, None)
    return Audit(
        suspects=first,
        ranking=found["ranking"],
        probability=matrix.spread(found["probability"], np.nan),
        suggested=matrix.spread(suggested, None),
        against=matrix.spread(found["against"], np.nan),
        expected=found["expected"],
        contradicted=matrix.spread(found["contradicted"], False),
        in_the_way=matrix.spread(found["in_the_way"], False),
        irreducible=found["irreducible"],
        margin_weight=None if weight is None else matrix.spread(weight, np.nan),
        margin_without={row: Margin(*bounds) for row, bounds in found["margin_without"]},
        verdict=verdict,
        margin=None if margin is None else Margin(*margin),
        verdict_without_suspects=rest,
        margin_without_suspects=None if rest_margin is None else Margin(*rest_margin),
        contradictions=found["contradictions"],
        stopped=found["stopped"],
        seconds=found["seconds"],
        rows=matrix.rows,
        features=matrix.columns,
        classes=classes,
        labels=values,
        suspects_index=matrix.named(first, found["suspect_names"]),
        index=index,
        _sources=matrix.sources,
    )
