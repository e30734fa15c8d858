"""Why data is not separable."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from linsep._data import Matrix
from linsep._html import counted, listed

__all__ = ["Explanation"]


def row_names(rows: np.ndarray, index: Any, names: list[str] | None) -> Any:
    """Return what rows are called, by a table or by the index of a frame; None if they have no names."""
    if names is not None:
        return np.array(names, dtype=object)
    return None if index is None else index[rows]


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
        As many conflicts as `at_least`, of which no two share a row: from each a row must go.
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
        removal = found["removal"]
        suspects = np.array([row for row, _ in removal or []], dtype=np.int64)
        distances = np.array([distance for _, distance in removal or []], dtype=np.float64)
        named = None if removal is None else row_names(suspects, matrix.index, found["suspect_names"])
        read = cls(
            contradictions=found["contradictions"],
            suspects=suspects,
            distances=distances,
            irreducible=found["irreducible"],
            coef=found["coef"],
            intercept=found["intercept"],
            carried_features=found["carried_features"],
            carried_rows=found["carried_rows"],
            suspects_index=named,
            at_least=found["at_least"],
            at_most=None if removal is None else len(suspects),
            conflicts=found["conflicts"] or [],
        )
        return read if matrix.kept is None else read.renumbered(np.flatnonzero(matrix.kept))

    def renumbered(self, places: np.ndarray) -> Explanation:
        """Return the explanation with rows numbered as `places` says: those of the whole data."""

        def number(rows: Any) -> Any:
            return None if rows is None else places[np.asarray(rows, dtype=np.int64)]

        carried = number(self.carried_rows)
        return replace(
            self,
            contradictions=[number(group).tolist() for group in self.contradictions],
            suspects=number(self.suspects),
            conflicts=[number(conflict).tolist() for conflict in self.conflicts],
            carried_rows=None if carried is None else carried.tolist(),
        )

    def facts(self) -> list[tuple[str, str]]:
        """Return what there is to say, by name."""
        facts = []
        if self.contradictions:
            facts.append(("contradictions", listed(self.contradictions, 5)))
        if len(self.suspects):
            named = self.suspects if self.suspects_index is None else self.suspects_index
            facts.append((f"separable without {counted(len(named), 'row', 'rows')}", listed(named)))
            facts.append(("must go", self.must_go()))
        if self.carried_features is not None:
            facts.append(("weakly separated by features", listed(self.carried_features)))
        return facts

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
            return f"{counted(self.at_most, 'row', 'rows')}, and no smaller set exists (proven)"
        return f"at least {self.at_least} and at most {counted(self.at_most, 'row', 'rows')} (proven)"

    def __repr__(self) -> str:
        lines = [f"  {name}: {value}" for name, value in self.facts()]
        return "\n".join(["Explanation", *lines])
