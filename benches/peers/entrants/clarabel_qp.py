"""Clarabel: the quadratic program of the largest margin, min |w|^2 / 2 with y (w x + b) >= 1.

Where features outnumber rows and are dense it is given the dual, which has one variable per row:
min a K a / 2 - sum a with a >= 0 and, for the geometric kind, y a = 0.
"""

from __future__ import annotations

import os

import numpy as np

from .entrant import NOT_SEPARABLE, SEPARABLE, Answer, Entrant, lifted, signs


def _settings():
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.direct_solve_method = "faer"
    settings.max_threads = int(os.environ.get("RAYON_NUM_THREADS", "0"))
    return settings


def _primal(Z, offset: bool):
    """Return P, q, A, b and cones for rows Z that bear their sign; the offset, if any, is the last."""
    import clarabel
    from scipy import sparse

    rows, columns = Z.shape
    P = sparse.eye(columns, format="csc")
    if offset:
        P[columns - 1, columns - 1] = 0.0
    A = sparse.csc_matrix(-Z)
    return P, np.zeros(columns), A, -np.ones(rows), [clarabel.NonnegativeConeT(rows)]


def _dual(Z, offset: bool):
    import clarabel
    from scipy import sparse

    rows = Z.shape[0]
    signed = Z[:, :-1] if offset else Z
    K = signed @ signed.T
    P = sparse.triu(sparse.csc_matrix(K), format="csc")
    A, b = -sparse.eye(rows, format="csc"), np.zeros(rows)
    cones = [clarabel.NonnegativeConeT(rows)]
    if offset:
        A = sparse.vstack([sparse.csc_matrix(Z[:, -1:].T), A], format="csc")
        b = np.zeros(rows + 1)
        cones = [clarabel.ZeroConeT(1), *cones]
    return P, -np.ones(rows), A, b, cones


def _prepare(geometric: bool):
    def prepare(X, y, path):
        from scipy import sparse

        if not geometric:
            Z = lifted(X)
        elif sparse.issparse(X):
            Z = sparse.csr_matrix(sparse.hstack([X, np.ones((X.shape[0], 1))], format="csr"))
        else:
            Z = np.hstack([X, np.ones((X.shape[0], 1))])
        s = signs(y)
        Z = sparse.csr_matrix(sparse.diags(s) @ Z) if sparse.issparse(Z) else Z * s[:, None]
        wide = Z.shape[1] > Z.shape[0] and not sparse.issparse(Z)
        # The products of all pairs of rows are work, not a format: they are charged.
        return Z, wide, geometric, None if wide else _primal(Z, geometric)

    return prepare


def _solve(data, watch):
    import clarabel

    Z, wide, offset, program = data
    P, q, A, b, cones = program or _dual(Z, offset)
    found = clarabel.DefaultSolver(P, q, A, b, cones, _settings()).solve()
    note = str(found.status)
    if note in ("PrimalInfeasible", "AlmostPrimalInfeasible") and not wide:
        return Answer(verdict=NOT_SEPARABLE, note=note)
    if note in ("DualInfeasible", "AlmostDualInfeasible") and wide:
        return Answer(verdict=NOT_SEPARABLE, note=note)
    if note not in ("Solved", "AlmostSolved"):
        return Answer(note=note)
    w = np.array(found.x)
    if wide:
        a = w
        w = Z.T @ a
        if offset:
            # The nearest rows of both classes are equally far: the offset puts the plane between them.
            scores, positive = Z[:, :-1] @ w[:-1], Z[:, -1] > 0
            w[-1] = (scores[~positive].min() - scores[positive].min()) / 2
    return Answer(w[:-1], float(w[-1]), SEPARABLE, note)


def _entrant(goal: str, why: str) -> Entrant:
    settings = "direct_solve_method=faer, tolerances 1e-8; the dual where dense features outnumber rows"
    return Entrant(
        f"Clarabel, {goal}",
        "clarabel",
        goal,
        settings,
        why,
        _solve,
        _prepare(goal == "geometric"),
        threads=True,
    )


ENTRANTS = [
    _entrant("angular", "faer takes two thirds of the time of qdldl; rows are lifted as for LIBLINEAR"),
    _entrant("geometric", "the same with an offset that costs nothing"),
]
