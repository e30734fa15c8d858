"""Separability among many classes: every class against every other, and against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from linsep import _html
from linsep._data import Labels, read_classes, read_matrix
from linsep._decision import Decision, decide_parts
from linsep._picture import Source

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SeparabilityMatrix", "separability_matrix"]


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
    """

    classes: list[Any]
    one_vs_one: dict[tuple[Any, Any], Decision]
    one_vs_rest: dict[Any, Decision]

    @property
    def separable(self) -> bool:
        """Whether each class is separable from the rest."""
        return all(decision.separable for decision in self.one_vs_rest.values())

    def verdict(self, a: Any, b: Any = None) -> str:
        """Return the verdict on two classes, or on one against the rest."""
        if b is None:
            return self.one_vs_rest[a].verdict
        pair = (a, b) if (a, b) in self.one_vs_one else (b, a)
        return self.one_vs_one[pair].verdict

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

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header = ["", *map(str, self.classes), "rest"]
        rows = [
            [
                str(a),
                *("·" if a == b else self.verdict(a, b) for b in self.classes),
                self.verdict(a),
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
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        header, rows = self._table()
        return _html.grid("Separability of the classes", header, rows)


def separability_matrix(X: Any, y: Any, **options: Any) -> SeparabilityMatrix:
    """Decide for all pairs of classes, and for each class against the rest.

    Parameters
    ----------
    X, y : array-like
        The data, as for :func:`linsep.decide`, with two or more different labels.
    **options
        `margin`, `gap`, `max_passes` and `time_limit` (for each decision) of :func:`linsep.decide`.

    Returns
    -------
    SeparabilityMatrix

    Examples
    --------
    >>> import linsep
    >>> linsep.separability_matrix([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "c"])
       a          b          c          rest
    a  ·          separable  separable  separable
    b  separable  ·          separable  inseparable
    c  separable  separable  ·          separable
    """
    unknown = set(options) - {"margin", "gap", "max_passes", "time_limit"}
    if unknown:
        raise TypeError(f"unknown option: {', '.join(sorted(unknown))}")
    matrix = read_matrix(X)
    values, classes = read_classes(y, matrix.rows)
    if len(classes) < 2:
        raise ValueError(f"expected two or more classes, found one class: {classes[0]!r}")
    one_vs_rest = {}
    for c in classes:
        labels = Labels(values == c, ("rest", c))
        decision = decide_parts(matrix, labels, positive=c, **options)
        one_vs_rest[c] = decision._keep(Source(matrix, labels))
    one_vs_one = {}
    for a, b in combinations(classes, 2):
        keep = (values == a) | (values == b)
        places = np.flatnonzero(keep)
        part = matrix.take(keep)
        labels = Labels(values[keep] == b, (a, b))
        decision = decide_parts(part, labels, **options)
        object.__setattr__(decision, "conflicting_rows", places[decision.conflicting_rows])
        # Not the part: a copy for each pair would take several times the memory of the data.
        one_vs_one[a, b] = decision._keep(Source(matrix, labels, places))
    return SeparabilityMatrix(classes, one_vs_one, one_vs_rest)
