"""scikit-learn: online methods, support vector machines and logistic regression."""

from __future__ import annotations

import numpy as np

from .entrant import Answer, Entrant, lifted

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

    return SGDClassifier(loss="hinge", alpha=1e-7, random_state=0)


def _linear_svc(**options):
    def make():
        from sklearn.svm import LinearSVC

        return LinearSVC(max_iter=100_000, random_state=0, **options)

    return make


def _logistic(**options):
    def make():
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=1e10, max_iter=100_000, **options)

    return make


def _svc(data, watch):
    from sklearn.svm import SVC

    X, y = data
    model = SVC(kernel="linear", C=1e10, tol=1e-8, cache_size=2000).fit(X, y)
    coef = model.coef_
    coef = np.asarray(coef.todense() if hasattr(coef, "todense") else coef).ravel()
    return Answer(coef, float(model.intercept_[0]))


def _entrant(name: str, settings: str, why: str, solve, goal: str = "any", **more) -> Entrant:
    return Entrant(name, "sklearn", goal, settings, why, solve, **more)


ENTRANTS = [
    _entrant("Perceptron", "partial_fit until no mistake", "TODO", _epochs(_perceptron), epochs=True),
    _entrant("Perceptron, std", "partial_fit until no mistake", "TODO", _epochs(_perceptron, True), epochs=True),
    _entrant("SGDClassifier", "hinge, alpha=1e-7", "TODO", _epochs(_sgd), epochs=True),
    _entrant("SGDClassifier, std", "hinge, alpha=1e-7", "TODO", _epochs(_sgd, True), epochs=True),
    _entrant("LinearSVC primal", "C=1e6", "TODO", _batch(_linear_svc(dual=False, C=1e6))),
    _entrant("LinearSVC primal, std", "C=1e6", "TODO", _batch(_linear_svc(dual=False, C=1e6), True)),
    _entrant("LinearSVC dual", "C=1e6", "TODO", _batch(_linear_svc(dual=True, C=1e6, loss="hinge"))),
    _entrant("lbfgs 1e-4", "", "", _batch(_logistic(tol=1e-4)), threads=True),
    _entrant("lbfgs 1e-8", "", "", _batch(_logistic(tol=1e-8)), threads=True),
    _entrant("lbfgs 1e-4, std", "", "", _batch(_logistic(tol=1e-4), True), threads=True),
    _entrant("lbfgs 1e-8, std", "", "", _batch(_logistic(tol=1e-8), True), threads=True),
    _entrant("newton-cholesky", "", "", _batch(_logistic(tol=1e-8, solver="newton-cholesky")), sparse=False, threads=True),
    _entrant("SVC linear (LIBSVM)", "C=1e10", "", _svc, goal="geometric", most_rows=20_000),
]
