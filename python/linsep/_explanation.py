"""Why data is not separable."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from linsep._data import Matrix

__all__ = ["Explanation"]


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why data is not separable: where to look for wrong labels. Rows are counted from 0, those of a
    table as in its file.

    Attributes
    ----------
    contradictions : list of list of int
        Groups of identical rows that stand under both labels.
    suspects : ndarray of int
        Rows without which the rest is separable, the most suspicious first; empty if there are none.
        To find the smallest set is NP-hard: this is one if `at_least` and `at_most` are the same.
    distances : ndarray of float
        How far each suspect lies on the wrong side of the hyperplane that separates the rest.
    irreducible : bool or None
        Whether it is proven that no suspect can be put back.
    at_least, at_most : int or None
        Between how many rows must go for the rest to be separable, whichever they are; proven, and in
        the proof of the decision. None if there are no suspects.
    conflicts : list of list of int
        As many disjoint conflicts (no two share a row) as `at_least`: from each a row must go.
    coef, intercept
        The hyperplane that separates the rest.
    carried_features, carried_rows : list of int or None
        For quasi-separable data: the features that a weak separator uses, and the rows strictly on
        their own sides.
    suspects_index : index or None
        The suspects by the index of the frame, or by the column of the table that names its rows.
    """

    contradictions: list[list[int]]
    suspects: np.ndarray
    distances: np.ndarray
    irreducible: bool | None
    coef: np.ndarray | None
    intercept: float | None
    carried_features: list[int] | None
    carried_rows: list[int] | None
    suspects_index: Any = None
    at_least: int | None = None
    at_most: int | None = None
    conflicts: list[list[int]] = field(default_factory=list)

    @classmethod
    def read(cls, found: dict[str, Any], matrix: Matrix) -> Explanation:
        """Return the explanation that Rust found of these rows."""
        found = dict(found)
        names = found.pop("suspect_names")
        named = None if found["at_most"] is None else matrix.named(found["suspects"], names)
        return cls(**found, suspects_index=named)

    def must_go(self) -> str:
        """Return between how many rows must go for the rest to be separable, in words.

        Examples
        --------
        >>> import linsep
        >>> linsep.decide([[1], [2], [3], [4]], [0, 1, 0, 1], explain=True).explanation.must_go()
        '1 row, and no smaller set exists (proven)'
        """
        if self.at_most is None:
            return "no rows"
        if self.at_least == self.at_most:
            return f"{_rows(self.at_most)}, and no smaller set exists (proven)"
        return f"at least {self.at_least} and at most {_rows(self.at_most)} (proven)"

    def __repr__(self) -> str:
        groups = len(self.contradictions)
        said = f"Explanation: {groups:,} contradiction{'' if groups == 1 else 's'}"
        # Where no rows were found, that does not say that none must go.
        return said if self.at_most is None else f"{said}; must go: {self.must_go()}"


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"
