"""What there is to see of a decision: the numbers come from Rust, here they get Python's names."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from linsep import _linsep
from linsep._data import Labels, Matrix
from linsep._table import Table, read_data

if TYPE_CHECKING:
    from linsep._decision import Decision

__all__ = ["Source", "picture", "write_page"]


@dataclass(frozen=True)
class Source:
    """The rows that a decision is about, to be read again when it is drawn."""

    matrix: Matrix
    labels: Labels
    # Those rows of the matrix that the labels are for; None: all.
    places: np.ndarray | None = None

    @classmethod
    def read(cls, decision: Decision, x: Any, y: Any) -> Source:
        """Return the data that was handed over; a ValueError if it cannot be that of the decision."""
        # A table has been told which class is positive.
        positive = None if isinstance(x, Table) else decision.classes[1]
        matrix, labels = read_data(x, y, positive)
        found, expected = (matrix.rows, matrix.columns), (decision.rows, decision.features)
        if found != expected:
            raise ValueError(
                f"the decision is about {expected[0]:,} rows x {expected[1]:,} features; "
                f"found {found[0]:,} x {found[1]:,}"
            )
        return cls(matrix, labels)

    def part(self) -> Matrix:
        """Return the rows, and no others."""
        if self.places is None:
            return self.matrix
        keep = np.zeros(self.matrix.rows, dtype=bool)
        keep[self.places] = True
        return self.matrix.take(keep)

    def within(self, rows: np.ndarray) -> list[int]:
        """Return where among the rows those of these numbers are."""
        numbers = self._numbers()
        found = rows if numbers is None else np.searchsorted(numbers, rows)
        return [int(row) for row in found]

    def number(self, row: int) -> int:
        """Return the number of a row, the inverse of `within`."""
        numbers = self._numbers()
        return row if numbers is None else int(numbers[row])

    def _numbers(self) -> np.ndarray | None:
        """Return what the rows are called elsewhere: in the whole matrix, or in the file."""
        kept = self.matrix.kept
        return self.places if kept is None else np.flatnonzero(kept)


def picture(decision: Decision, source: Source) -> dict[str, Any]:
    """Return what Rust says there is to see, with the names that things have here."""
    matrix = source.part()
    coef, intercept, suspects = _plane(decision, matrix, source.labels)
    conflict = source.within(decision.conflicting_rows)
    if any(row >= matrix.rows for row in conflict):
        raise ValueError("the decision counts its rows in other data than this")
    text = _linsep.picture(
        matrix.values,
        source.labels.positive,
        np.ascontiguousarray(coef, dtype=np.float64),
        float(intercept),
        conflict,
        source.within(suspects),
    )
    seen = json.loads(text)
    negative, positive = decision.classes
    seen.update(
        negative=str(negative),
        positive=str(positive),
        verdict=decision.verdict,
        removed=len(suspects),
    )
    for mark in seen["marked"]:
        mark["name"] = _row_name(decision, matrix, source, mark)
    for weight in seen["weights"]:
        weight["feature"] = _feature_name(matrix, weight["feature"])
    return seen


def write_page(decision: Decision, source: Source, decided: _linsep.Decided, title: str) -> str:
    """Return the page of a decision, with the names that things have here."""
    matrix = source.part()
    names = None
    if not isinstance(matrix.values, _linsep.Rows):
        rows = matrix.index if source.places is None or matrix.index is not None else source.places
        negative, positive = map(str, decision.classes)
        features = matrix.names or [f"x{k}" for k in range(matrix.columns)]
        names = (features, (negative, positive), None if rows is None else [str(row) for row in rows])
    return _linsep.page(matrix.values, source.labels.positive, decided, source=title, names=names)


def _plane(decision: Decision, matrix: Matrix, labels: Labels) -> tuple[np.ndarray, float, np.ndarray]:
    """Return the hyperplane to draw and the suspects: without them it separates, if there are any."""
    why = decision.explanation
    suspects = np.arange(0) if why is None else why.suspects
    if decision._decided is not None:
        return *_linsep.drawn_plane(matrix.values, labels.positive, decision._decided), suspects
    # A decision that comes from a file or another process knows less.
    if why is not None and why.coef is not None and why.intercept is not None:
        return why.coef, why.intercept, suspects
    if decision.coef is None or decision.intercept is None:
        found = _linsep.compromise(matrix.values, labels.positive, max_passes=None)
        return *found, np.arange(0)
    return decision.coef, decision.intercept, np.arange(0)


def _row_name(decision: Decision, matrix: Matrix, source: Source, mark: dict[str, Any]) -> str:
    if matrix.index is not None:
        return str(matrix.index[mark["row"]])
    # A table that names its rows names the conflicting ones too, be there any or not.
    if decision.conflicting_index is not None:
        return str(mark["name"])
    return str(source.number(mark["row"]))


def _feature_name(matrix: Matrix, name: str) -> str:
    """Return the name of a feature. Rust knows none of arrays: it calls the first one x1."""
    if matrix.names is not None and name in matrix.names and isinstance(matrix.values, _linsep.Rows):
        return name
    k = int(name.removeprefix("x")) - 1
    return f"x{k}" if matrix.names is None else matrix.names[k]
