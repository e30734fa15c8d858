"""scikit-learn: online methods, support vector machines and logistic regression."""

from __future__ import annotations

import numpy as np

from .entrant import Answer, Entrant

EPOCHS = 1000


def _plane(model, scale=None, shift=None) -> Answer:
    """Return the hyperplane of a fitted model, in the units of the data before it was scaled."""
    coef = np.array(model.coef_[0], dtype=np.float64)
    intercept = float(np.ravel(model.intercept_)[0])
    if scale is not None:
        coef /= scale
    if shift is not None:
        intercept -= float(coef @ shift)
    steps = getattr(model, "n_iter_", None)
    return Answer(coef, intercept, note="" if steps is None else f"{int(np.max(steps))} iterations")


def _standardised(X):
    """Return columns of variance one and, where they are dense, mean zero; their scale and shift."""
    from sklearn.preprocessing import MaxAbsScaler, StandardScaler

    if hasattr(X, "tocsr"):
        scaler = MaxAbsScaler()
        return scaler.fit_transform(X), scaler.scale_, None
    scaler = StandardScaler()
    return scaler.fit_transform(X), scaler.scale_, scaler.mean_


def _batch(make, standardise=False):
    """Return a solve that fits the model once."""

    def solve(data, watch):
        X, y = data
        scale = shift = None
        if standardise:
            X, scale, shift = _standardised(X)
        return _plane(make().fit(X, y), scale, shift)

    return solve


def _epochs(make, standardise=False):
    """Return a solve that shows the data epoch by epoch until no mistake is left.

    Looking for mistakes is not charged.
    """

    def solve(data, watch):
        X, y = data
        scale = shift = None
        if standardise:
            X, scale, shift = _standardised(X)
        model = make()
        epochs = 0
        while epochs < EPOCHS and not watch.over:
            model.partial_fit(X, y, classes=[False, True])
            epochs += 1
            with watch.paused():
                if np.array_equal(model.predict(X), y):
                    break
        answer = _plane(model, scale, shift)
        answer.note = f"{epochs} epochs"
        return answer

    return solve


def _perceptron():
    from sklearn.linear_model import Perceptron

    return Perceptron(random_state=0)


def _sgd():
    from sklearn.linear_model import SGDClassifier

    steps = {"learning_rate": "invscaling", "eta0": 1.0, "power_t": 0.25}
    return SGDClassifier(loss="hinge", alpha=0.0, random_state=0, **steps)


def _linear_svc(**options):
    def make():
        from sklearn.svm import LinearSVC

        return LinearSVC(C=1e6, max_iter=100_000, random_state=0, **options)

    return make


def _logistic(**options):
    def make():
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=1e10, max_iter=100_000, **options)

    return make


def _svc(data, watch):
    from sklearn.svm import SVC

    X, y = data
    model = SVC(kernel="linear", C=1e10, tol=1e-6, cache_size=2000).fit(X, y)
    coef = model.coef_
    coef = np.asarray(coef.todense() if hasattr(coef, "todense") else coef).ravel()
    return Answer(coef, float(model.intercept_[0]))


def _entrant(name: str, settings: str, why: str, solve, goal: str = "any", **more) -> Entrant:
    return Entrant(name, "sklearn", goal, settings, why, solve, **more)


_UNTIL = "partial_fit, one epoch at a time, until no mistake is left or 1,000 epochs"
_WEAK = "C=1e10"
_BLAS = {"threads": True}

ENTRANTS = [
    _entrant(
        "Perceptron",
        f"{_UNTIL}; looking for mistakes is not charged",
        "its own stop leaves more mistakes; a penalty does too",
        _epochs(_perceptron),
        epochs=True,
    ),
    _entrant(
        "Perceptron, std",
        "the same, columns standardised",
        "fewer epochs on most data; the standardising is charged",
        _epochs(_perceptron, True),
        epochs=True,
    ),
    _entrant(
        "SGDClassifier, std",
        f"hinge, alpha=0, invscaling, eta0=1, power_t=0.25, columns standardised; {_UNTIL}",
        "left the fewest mistakes of seven schedules (optimal, constant, averaged ...)",
        _epochs(_sgd, True),
        epochs=True,
    ),
    _entrant(
        "LinearSVC primal",
        "dual=False, C=1e6",
        "a smaller C leaves mistakes, a smaller tol costs ten times as much and gains nothing",
        _batch(_linear_svc(dual=False)),
    ),
    _entrant(
        "LinearSVC primal, std",
        "the same, columns standardised",
        "wins where the scales of columns differ",
        _batch(_linear_svc(dual=False), True),
    ),
    _entrant(
        "LinearSVC dual, std",
        "dual=True, loss=hinge, C=1e6, max_iter=100,000, columns standardised",
        "coordinate descent: good where features are many",
        _batch(_linear_svc(dual=True, loss="hinge"), True),
    ),
    _entrant(
        "logistic lbfgs",
        _WEAK,
        "weak regularisation and the default tol=1e-4: the fastest where it is enough",
        _batch(_logistic(tol=1e-4)),
        **_BLAS,
    ),
    _entrant(
        "logistic lbfgs, tol 1e-8",
        f"{_WEAK}, tol=1e-8",
        "goes on until no mistake is left where the default tolerance stops too early",
        _batch(_logistic(tol=1e-8)),
        **_BLAS,
    ),
    _entrant(
        "logistic lbfgs, std",
        f"{_WEAK}, columns standardised",
        "needs fewer iterations; the standardising is charged",
        _batch(_logistic(tol=1e-4), True),
        **_BLAS,
    ),
    _entrant(
        "logistic lbfgs, std, tol 1e-6",
        f"{_WEAK}, tol=1e-6, columns standardised",
        "between the two others",
        _batch(_logistic(tol=1e-6), True),
        **_BLAS,
    ),
    _entrant(
        "logistic lbfgs, std, tol 1e-8",
        f"{_WEAK}, tol=1e-8, columns standardised",
        "the surest of the five",
        _batch(_logistic(tol=1e-8), True),
        **_BLAS,
    ),
    _entrant(
        "logistic newton-cholesky, std",
        f"{_WEAK}, columns standardised",
        "good where features are few; dense data only, and the Hessian has to fit",
        _batch(_logistic(tol=1e-4, solver="newton-cholesky"), True),
        sparse=False,
        **_BLAS,
    ),
    _entrant(
        "logistic newton-cholesky, std, tol 1e-8",
        f"{_WEAK}, tol=1e-8, columns standardised",
        "the same, further",
        _batch(_logistic(tol=1e-8, solver="newton-cholesky"), True),
        sparse=False,
        **_BLAS,
    ),
    _entrant(
        "SVC (LIBSVM)",
        "linear kernel, C=1e10, tol=1e-6, cache of 2 GB",
        "the largest geometric margin; tol=1e-3 stops short of it",
        _svc,
        goal="geometric",
        most_rows=20_000,
    ),
]
