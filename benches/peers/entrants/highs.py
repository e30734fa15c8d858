"""HiGHS: the linear program that asks for w and b with y (w x + b) >= 1 for every row."""

from __future__ import annotations

import os

import numpy as np

from .entrant import NOT_SEPARABLE, SEPARABLE, Answer, Entrant, signs


def _program(X, y: np.ndarray, path):
    """Return the program, row by row as the data is; nothing is minimised."""
    import highspy
    from scipy import sparse

    rows, features = X.shape
    A = sparse.csr_matrix(sparse.hstack([sparse.csr_matrix(X), np.ones((rows, 1))], format="csr"))
    A.data *= np.repeat(signs(y), np.diff(A.indptr))
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = features + 1, rows
    program.col_cost_ = np.zeros(features + 1)
    program.col_lower_ = np.full(features + 1, -highspy.kHighsInf)
    program.col_upper_ = np.full(features + 1, highspy.kHighsInf)
    program.row_lower_ = np.ones(rows)
    program.row_upper_ = np.full(rows, highspy.kHighsInf)
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = A.indptr
    program.a_matrix_.index_ = A.indices
    program.a_matrix_.value_ = A.data
    return program


def _run(**options):
    def solve(program, watch):
        import highspy

        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.setOptionValue("presolve", "off")
        highs.setOptionValue("threads", int(os.environ.get("OMP_NUM_THREADS", "0")))
        for name, value in options.items():
            highs.setOptionValue(name, value)
        highs.passModel(program)
        highs.run()
        status = highs.getModelStatus()
        said = {
            highspy.HighsModelStatus.kOptimal: SEPARABLE,
            highspy.HighsModelStatus.kInfeasible: NOT_SEPARABLE,
        }.get(status)
        note = highs.modelStatusToString(status)
        if said != SEPARABLE:
            return Answer(verdict=said, note=note)
        found = np.array(highs.getSolution().col_value)
        return Answer(found[:-1], float(found[-1]), said, note)

    return solve


def _entrant(name: str, settings: str, why: str, **options) -> Entrant:
    return Entrant(name, "highspy", "any", settings, why, _run(**options), _program, threads=True)


ENTRANTS = [
    _entrant(
        "HiGHS dual simplex",
        "solver=simplex, presolve=off",
        "presolve finds nothing to remove; the primal simplex takes twice as long, pdlp longer still",
        solver="simplex",
    ),
    _entrant(
        "HiGHS interior point",
        "solver=ipm, run_crossover=off, presolve=off",
        "a vertex is not asked for",
        solver="ipm",
        run_crossover="off",
    ),
    _entrant(
        "HiGHS hipo",
        "solver=hipo, run_crossover=off, presolve=off",
        "its newer interior point method: slower on separable data, faster on inseparable data",
        solver="hipo",
        run_crossover="off",
    ),
]
