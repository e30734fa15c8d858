"""Does a logistic regression have an estimate, and if not, which coefficients run away?

The likelihood of a design with rows x and outcomes s = +1 or -1 grows, and never falls again, along the
directions b with s x·b >= 0 for all rows. Those with x·b = 0 everywhere change nothing. There are three
cases (Albert and Anderson, 1984):

    complete        some direction has s x·b > 0 for all rows
    quasi-complete  none has, but some has s x·b > 0 for at least one
    overlap         neither: the estimate exists

No constant is added to the design: the deciding engine always allows one, so every row is given to it
twice, as (x, s) and as (-x, -s). A hyperplane (w, b) has both on their own sides exactly if
s w·x > |b|, that is if w alone separates; and a weak one that is not strict everywhere has b = 0.

Let F be the rows with x·b = 0 for all such directions b. A coefficient is finite exactly if its unit
vector is a combination of rows of F: the directions span the null space of F, since one of them is
strict off F and may be moved a little within that space. That is decided exactly (`_residues`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from linsep import _html
from linsep._data import Labels, Matrix, read_labels, read_matrix
from linsep._decision import Decision, decide_parts
from linsep._residues import determined, vanishing

__all__ = ["Separation", "check_separation"]

_WORDS = {1: "+inf", -1: "-inf", 0: "±inf"}


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
            facts.append(("caused by rows", _html.listed(named)))
        return facts

    def __repr__(self) -> str:
        lines = [f"  {name:<14}  {value}" for name, value in self._facts()]
        return "\n".join([f"Separation: {self.kind}", *lines])

    def _repr_html_(self) -> str:
        return _html.facts(f"Separation: {_html.badge(self.kind)}", self._facts())


def check_separation(
    X: Any,
    y: Any,
    *,
    intercept: bool = False,
    positive: Any = None,
    max_passes: int = 1000,
    time_limit: float | None = None,
) -> Separation:
    """Say whether a logistic regression on this design has a maximum likelihood estimate.

    Parameters
    ----------
    X : array-like of shape (rows, columns)
        The design matrix as the model sees it: an array, a frame, or a matrix of patsy or formulaic.
    y : array-like of shape (rows,)
        The outcome: two different labels.
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
    The kind comes from :func:`linsep.decide` and is proven; which columns are infinite is computed in
    residues modulo two primes, without rounding.

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
    matrix = read_matrix(X)
    labels = read_labels(y, matrix.rows, positive)
    design = _dense(matrix)
    names = matrix.names or [f"x{k}" for k in range(matrix.columns)]
    if intercept:
        design = np.column_stack([np.ones(len(design)), design])
        names = ["intercept", *names]
    finite = np.isfinite(design)
    if not finite.all():
        row, column = (int(k) for k in np.argwhere(~finite)[0])
        raise ValueError(
            f'row {row}, column "{names[column]}" (counted from 0): input contains NaN or infinity'
        )
    signed = np.where(labels.positive[:, None], design, -design)
    limits = {"max_passes": max_passes, "time_limit": time_limit}
    face = _face(signed, limits)
    empty = np.arange(0)
    if face is None:
        return Separation("undecided", names, {}, [], empty, None, empty, None)
    on_face, direction, conflict = face
    rows = np.flatnonzero(~on_face)
    kind = "overlap" if not len(rows) else "complete" if len(rows) == len(signed) else "quasi-complete"
    known = determined(signed)
    held = determined(signed[on_face]) if on_face.any() else np.zeros(len(names), dtype=bool)
    infinite = {}
    for k in np.flatnonzero(known & ~held):
        infinite[names[k]] = _WORDS[_way(signed, int(k), direction, limits)]
    return Separation(
        kind=kind,
        columns=names,
        infinite=infinite,
        aliased=[names[k] for k in np.flatnonzero(~known)],
        rows=rows,
        direction=None if kind == "overlap" else direction,
        conflicting_rows=conflict,
        index=None if matrix.index is None else matrix.index[rows],
    )


def _dense(matrix: Matrix) -> np.ndarray:
    if not isinstance(matrix.values, tuple):
        return np.asarray(matrix.values, dtype=np.float64)
    from scipy import sparse

    indptr, indices, data, columns = matrix.values
    return sparse.csr_array((data, indices, indptr), shape=(matrix.rows, columns)).toarray()


def _decide(signed: np.ndarray, limits: dict[str, Any]) -> Decision:
    """Decide whether some w has w·z > 0 for all rows z, with no constant allowed."""
    both = np.concatenate([signed, -signed])
    positive = np.arange(len(both)) < len(signed)
    matrix = Matrix(both, len(both), both.shape[1])
    return decide_parts(matrix, Labels(positive, (0, 1)), **limits)


def _weak_separator(decision: Decision) -> list[int]:
    """Return the integer weights of a quasi-separable decision."""
    assert decision.proof is not None
    return [int(w) for w in json.loads(decision.proof.to_json())["claim"]["hyperplane"]["weights"]]


def _face(
    signed: np.ndarray, limits: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return the rows on which all directions vanish, a direction strict off them, and a conflict
    among them; None if a limit was reached first."""
    face = np.arange(len(signed))
    steps: list[np.ndarray] = []
    conflict = np.arange(0)
    while len(face):
        decision = _decide(signed[face], limits)
        if decision.verdict == "undecided":
            return None
        if decision.verdict == "inseparable":
            conflict = np.unique(face[decision.conflicting_rows % len(face)])
            break
        if decision.verdict == "separable":
            assert decision.coef is not None
            steps.append(decision.coef)
            face = face[:0]
            break
        weights = _weak_separator(decision)
        steps.append(_scaled(weights))
        # What one weak separator leaves at zero another may not.
        face = face[vanishing(signed[face], weights)]
    on_face = np.zeros(len(signed), dtype=bool)
    on_face[face] = True
    return on_face, _combined(signed, steps), conflict


def _scaled(weights: list[int]) -> np.ndarray:
    """Return integers of any size as floats, the largest of them 1."""
    largest = max(abs(w) for w in weights)
    return np.array([float(Fraction(w, largest)) for w in weights])


def _combined(signed: np.ndarray, steps: list[np.ndarray]) -> np.ndarray:
    """Return one direction: each step so small that it undoes nothing of those before it."""
    direction = np.zeros(signed.shape[1])
    for step in steps:
        scores, change = signed @ direction, signed @ step
        falls = (scores > 0) & (change < 0)
        size = 0.5 * float(np.min(scores[falls] / -change[falls], initial=1.0))
        direction = direction + size * step if steps[0] is not step else step.copy()
    largest = np.abs(direction).max(initial=0.0)
    return direction / largest if largest > 0 else direction


def _way(signed: np.ndarray, k: int, direction: np.ndarray, limits: dict[str, Any]) -> int:
    """Return the sign that coefficient `k` has in all directions, or 0 if they differ."""
    signs = {sign for sign in (1, -1) if _reaches(signed, k, sign, limits)}
    if len(signs) == 1:
        return signs.pop()
    # Where a limit was reached the one direction that is known has to do.
    return 0 if signs else int(np.sign(direction[k]))


def _reaches(signed: np.ndarray, k: int, sign: int, limits: dict[str, Any]) -> bool:
    """Return whether some direction has this sign in coefficient `k`: asked as one more row."""
    extra = np.zeros((1, signed.shape[1]))
    extra[0, k] = sign
    rows = np.concatenate([signed, extra])
    face = _face(rows, limits)
    return face is not None and not face[0][-1]
