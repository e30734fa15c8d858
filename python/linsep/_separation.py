"""Does a logistic regression have an estimate, and if not, which coefficients run away?

The answer comes from Rust (`linsep::models`); here it gets names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from linsep import _html, _linsep
from linsep._data import Labels, Matrix
from linsep._decision import naming_columns, whole
from linsep._table import read_data

__all__ = ["Separation", "check_separation"]


@dataclass(frozen=True, repr=False)
class Separation:
    """Whether the maximum likelihood estimate of a logistic regression exists, and why not.

    Attributes
    ----------
    kind : str
        "complete", "quasi-complete" or "overlap"; "undecided" if a limit was reached first.
    columns : list of str
        The names of all columns.
    infinite : dict
        The columns whose coefficients run away, with "+inf", "-inf", or "±inf" where some directions
        of growing likelihood lead one way and some the other.
    aliased : list of str
        Columns that are a combination of others: their coefficients have no value of their own.
    rows : ndarray of int
        The rows, counted from 0, whose fitted probabilities run to 0 or 1: they cause the separation.
    separated : int
        How many these are; of the rows of a cluster only the first are named.
    index : index or None
        The same rows by the index of the frame, where X was one.
    direction : ndarray or None
        A direction along which the likelihood grows for ever, for just these rows.
    conflicting_rows : ndarray of int
        Rows that hold the estimates of the other columns, or of all, in place: they overlap.
    """

    kind: str
    columns: list[str]
    infinite: dict[str, str]
    aliased: list[str]
    rows: np.ndarray
    direction: np.ndarray | None
    conflicting_rows: np.ndarray
    index: Any = None
    separated: int = 0

    @property
    def estimate_exists(self) -> bool:
        """Whether the maximum of the likelihood is attained."""
        return self.kind == "overlap"

    def __bool__(self) -> bool:
        """Return true if the data is separated, completely or not."""
        return self.kind in ("complete", "quasi-complete")

    def _status(self) -> list[tuple[str, str]]:
        unknown = "unknown" if self.kind == "undecided" else "finite"
        return [
            (c, "aliased" if c in self.aliased else self.infinite.get(c, unknown)) for c in self.columns
        ]

    def to_frame(self) -> Any:
        """Return a pandas frame of the columns and what becomes of their estimates."""
        import pandas as pd

        return pd.DataFrame(self._status(), columns=["column", "estimate"]).set_index("column")

    def _facts(self) -> list[tuple[str, str]]:
        exists = {"overlap": "exists", "undecided": "unknown"}.get(self.kind, "does not exist")
        facts = [("estimate", exists)]
        if self.infinite:
            facts.append(("infinite", _html.listed(f"{c} ({w})" for c, w in self.infinite.items())))
        if self.aliased:
            facts.append(("aliased", _html.listed(self.aliased)))
        if len(self.rows):
            named = self.rows if self.index is None else self.index
            facts.append(("caused by rows", _html.listed(named, of=self.separated)))
        return facts

    def __repr__(self) -> str:
        lines = [f"  {name:<14}  {value}" for name, value in self._facts()]
        return "\n".join([f"Separation: {self.kind}", *lines])

    def _repr_html_(self) -> str:
        return _html.facts(f"Separation: {_html.badge(self.kind)}", self._facts())


def check_separation(
    X: Any,
    y: Any = None,
    *,
    intercept: bool = False,
    positive: Any = None,
    max_passes: int | None = None,
    time_limit: float | None = None,
) -> Separation:
    """Say whether a logistic regression on this design has a maximum likelihood estimate.

    Parameters
    ----------
    X : array-like of shape (rows, columns)
        The design matrix as the model sees it: an array, a frame, or a matrix of patsy or formulaic.
        Or a table in a file, as for :func:`linsep.decide`.
    y : array-like of shape (rows,)
        The outcome: two different labels. A table has its own.
    intercept : bool
        Whether the model adds a constant to the design by itself, as scikit-learn's does and
        statsmodels' does not.
    positive : object, optional
        The label that counts as success; the larger one by default.
    max_passes, time_limit
        Limits of each decision, as for :func:`linsep.decide`.

    Returns
    -------
    Separation

    Notes
    -----
    The kind is proven as by :func:`linsep.decide`, and rows and columns are found without rounding.

    References
    ----------
    A. Albert and J. Anderson, On the existence of maximum likelihood estimates in logistic regression
    models, Biometrika 71 (1984).

    Examples
    --------
    >>> import linsep
    >>> X = [[1, 0, 1], [1, 0, 2], [1, 0, 3], [1, 0, 4], [1, 1, 2], [1, 1, 3]]
    >>> linsep.check_separation(X, [0, 1, 0, 1, 1, 1])
    Separation: quasi-complete
      estimate        does not exist
      infinite        x1 (+inf)
      caused by rows  4, 5
    """
    matrix, labels = read_data(X, y, positive)
    return separation_parts(matrix, labels, intercept, max_passes, time_limit)


def separation_parts(
    matrix: Matrix,
    labels: Labels,
    intercept: bool,
    max_passes: int | None,
    time_limit: float | None,
    most_rows: int | None = None,
    progress: Callable[[str], Any] | None = None,
) -> Separation:
    """Return the answer for data that has been read; only so many separated rows are named."""
    names = matrix.names or [f"x{k}" for k in range(matrix.columns)]
    with naming_columns(names, numbered=False):
        found = _linsep.separation(
            matrix.values,
            labels.positive,
            intercept=bool(intercept),
            max_passes=None if max_passes is None else whole("max_passes", max_passes),
            time_limit=None if time_limit is None else float(time_limit),
            most_rows=most_rows,
            progress=progress,
        )
    if intercept:
        names = ["intercept", *names]
    rows = found["rows"]
    return Separation(
        kind=found["kind"],
        columns=names,
        infinite={names[k]: word for k, word in found["infinite"]},
        aliased=[names[k] for k in found["aliased"]],
        rows=rows,
        direction=found["direction"],
        conflicting_rows=found["conflicting_rows"],
        index=None if matrix.index is None else matrix.index[rows],
        separated=found["separated"],
    )
