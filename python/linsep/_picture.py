"""What there is to see of a decision: Rust has the numbers, and the names of rows and features."""

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

__all__ = ["Source", "picture"]


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

    def given(self) -> Any:
        """Return the rows, and no others, for Rust."""
        if self.places is None:
            return self.labels.of(self.matrix)
        keep = np.zeros(self.matrix.rows, dtype=bool)
        keep[self.places] = True
        return self.labels.of(self.matrix.take(keep))

    def within(self, rows: np.ndarray) -> list[int]:
        """Return where among the rows those of these numbers are."""
        kept = self.matrix.kept
        numbers = self.places if kept is None else np.flatnonzero(kept)
        found = rows if numbers is None else np.searchsorted(numbers, rows)
        return [int(row) for row in found]


def picture(decision: Decision, source: Source | None, drawn: str | None = None) -> dict[str, Any]:
    """Return what Rust says there is to see, unless it was drawn already."""
    why = decision.explanation
    suspects = np.arange(0) if why is None else why.suspects
    if drawn is not None or source is None:
        text = drawn
    elif decision._answer is not None:
        text = decision._answer.drawn(source.given()).picture()
    else:
        given = source.given()
        # A decision that comes from a file or another process knows less.
        coef, intercept, suspects = _plane(decision, given)
        conflict = source.within(decision.conflicting_rows)
        if any(row >= decision.rows for row in conflict):
            raise ValueError("the decision counts its rows in other data than this")
        coef = np.ascontiguousarray(coef, dtype=np.float64)
        text = _linsep.picture(given, coef, float(intercept), conflict, source.within(suspects))
    seen: dict[str, Any] = json.loads(text or "{}")
    seen.update(verdict=decision.verdict, removed=len(suspects))
    return seen


def _plane(decision: Decision, given: Any) -> tuple[np.ndarray, float, np.ndarray]:
    """Return the hyperplane to draw and the suspects: without them it separates, if there are any."""
    why = decision.explanation
    if why is not None and why.coef is not None and why.intercept is not None:
        return why.coef, why.intercept, why.suspects
    if decision.coef is None or decision.intercept is None:
        return *_linsep.compromise(given, max_passes=None), np.arange(0)
    return decision.coef, decision.intercept, np.arange(0)
