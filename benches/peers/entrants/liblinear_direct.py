"""LIBLINEAR, called directly: with its own tolerances, and an offset that is not regularised."""

from __future__ import annotations

import numpy as np

from .entrant import Answer, Entrant, lifted, signs


def _problem(X, y: np.ndarray, bias: float):
    from liblinear.liblinear import problem
    from scipy.sparse import csr_matrix

    return problem(signs(y), csr_matrix(X), bias)


def _with_offset(X, y, path):
    return _problem(X, y, 1.0), X.shape[1]


def _lifted(X, y, path):
    return _problem(lifted(X), y, -1.0), X.shape[1]


def _train(options: str):
    def solve(data, watch):
        from liblinear.liblinear import parameter
        from liblinear.liblinearutil import train

        problem, features = data
        model = train(problem, parameter(options + " -q"))
        weights = np.ctypeslib.as_array(model.w, (features + 1,)) * model.label[0]
        return Answer(weights[:features].copy(), float(weights[features]))

    return solve


def _entrant(name, options, goal, prepare, why, **more) -> Entrant:
    return Entrant(name, "liblinear", goal, options, why, _train(options), prepare, **more)


ENTRANTS = [
    _entrant(
        "LIBLINEAR -s 2 -R",
        "-s 2 -R -B 1 -c 1e10 -e 1e-8",
        "geometric",
        _with_offset,
        "squared hinge, primal, offset free; a smaller -c or a larger -e gives a smaller margin",
    ),
    _entrant(
        "LIBLINEAR -s 2, lifted",
        "-s 2 -c 1e10 -e 1e-8",
        "angular",
        _lifted,
        "the same on rows of length one with a 1 appended",
    ),
    _entrant(
        "LIBLINEAR -s 1, lifted",
        "-s 1 -c 1e10 -e 1e-8",
        "angular",
        _lifted,
        "squared hinge, dual; goes on with -s 2 by itself where it does not converge",
    ),
    _entrant(
        "LIBLINEAR -s 3, lifted",
        "-s 3 -c 1e10 -e 1e-8",
        "angular",
        _lifted,
        "hinge, dual: exact at a finite C, but stops after its fixed number of iterations",
    ),
]
