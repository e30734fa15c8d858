"""Why data is not separable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from linsep._html import counted, listed

__all__ = ["Explanation"]


def row_names(rows: np.ndarray, index: Any, names: list[str] | None) -> Any:
    """Return what rows are called, by a table or by the index of a frame; None if they have no names."""
    if names is not None:
        return np.array(names, dtype=object)
    return None if index is None else index[rows]


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why data is not separable: where to look for wrong labels. Rows are counted from 0.

    Attributes
    ----------
    contradictions : list of list of int
        Groups of identical rows that stand under both labels.
    suspects : ndarray of int or None
        Rows without which the rest is separable, the most suspicious first. There may be a smaller
        set: to find the smallest is NP-hard.
    distances : ndarray of float or None
        How far each suspect lies on the wrong side of the hyperplane that separates the rest.
    irreducible : bool or None
        Whether it is proven that no suspect can be put back.
    coef, intercept
        The hyperplane that separates the rest.
    carried_features, carried_rows : list of int or None
        For quasi-separable data: the features that a weak separator uses, and the rows strictly on
        their own sides.
    suspects_index : index or None
        The suspects by the index of the frame, or by the column of the table that names its rows.
    """

    contradictions: list[list[int]]
    suspects: np.ndarray | None
    distances: np.ndarray | None
    irreducible: bool | None
    coef: np.ndarray | None
    intercept: float | None
    carried_features: list[int] | None
    carried_rows: list[int] | None
    suspects_index: Any = None

    @classmethod
    def read(cls, found: dict[str, Any], index: Any) -> Explanation:
        """Return the explanation that Rust found."""
        removal = found["removal"]
        suspects = distances = None
        if removal is not None:
            suspects = np.array([row for row, _ in removal], dtype=np.int64)
            distances = np.array([distance for _, distance in removal])
        named = None if suspects is None else row_names(suspects, index, found["suspect_names"])
        return cls(
            contradictions=found["contradictions"],
            suspects=suspects,
            distances=distances,
            irreducible=found["irreducible"],
            coef=found["coef"],
            intercept=found["intercept"],
            carried_features=found["carried_features"],
            carried_rows=found["carried_rows"],
            suspects_index=named,
        )

    def renumbered(self, places: np.ndarray) -> Explanation:
        """Return the explanation with rows numbered as `places` says: those of the whole data."""

        def number(rows: Any) -> Any:
            return None if rows is None else places[np.asarray(rows, dtype=np.int64)]

        carried = number(self.carried_rows)
        return replace(
            self,
            contradictions=[number(group).tolist() for group in self.contradictions],
            suspects=number(self.suspects),
            carried_rows=None if carried is None else carried.tolist(),
        )

    def facts(self) -> list[tuple[str, str]]:
        """Return what there is to say, by name."""
        facts = []
        if self.contradictions:
            facts.append(("contradictions", listed(self.contradictions, 5)))
        if self.suspects is not None:
            named = self.suspects if self.suspects_index is None else self.suspects_index
            facts.append((f"separable without {counted(len(named), 'row', 'rows')}", listed(named)))
        if self.carried_features is not None:
            facts.append(("weakly separated by features", listed(self.carried_features)))
        return facts

    def __repr__(self) -> str:
        lines = [f"  {name}: {value}" for name, value in self.facts()]
        return "\n".join(["Explanation", *lines])
