"""Separation in every model: each reduction beside a likelihood that is maximised directly."""

import itertools

import linsep
import numpy as np
import pytest
from scipy.optimize import minimize

SIGN = {"+inf": 1, "-inf": -1}


def logistic(z):
    return 1 / (1 + np.exp(-z))


def path(loglik, size, start=None):
    """Return the maximisers of the likelihood with a ridge of 1e-4, 1e-6 and 1e-8.

    Where the estimate exists they come to rest; where it does not they run on, as the logarithm does.
    """
    g, found = np.zeros(size) if start is None else np.array(start, dtype=float), []

    def gradient(g, ridge):
        # The complex step: exact to the last digits, for functions of exp and log.
        steps = np.eye(size) * 1e-30j
        return np.array([-loglik(g + step).imag / 1e-30 for step in steps]) + ridge * g

    for ridge in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8):

        def cost(g, ridge=ridge):
            with np.errstate(all="ignore"):
                value = -loglik(g.astype(complex)).real + ridge / 2 * g @ g
            return value if np.isfinite(value) else 1e10

        for _ in range(60):
            slope = gradient(g, ridge)
            if np.abs(slope).max() < 1e-13:
                break
            bend = np.column_stack(
                [(gradient(g + h, ridge) - gradient(g - h, ridge)) / 2e-5 for h in np.eye(size) * 1e-5]
            )
            step, before = -np.linalg.solve(bend + 1e-3 * ridge * np.eye(size), slope), cost(g)
            size_of_step = 1.0
            while cost(g + size_of_step * step) > before and size_of_step > 1e-10:
                size_of_step /= 2
            if size_of_step <= 1e-10:
                g = minimize(cost, g, jac=lambda g, r=ridge: gradient(g, r), options={"gtol": 1e-12}).x
                break
            g = g + size_of_step * step
        if ridge in (1e-4, 1e-6, 1e-8):
            found.append(g)
    return found


def binomial(X, y):
    return lambda g: np.sum(np.log(logistic(np.where(y == 1, 1, -1) * (X @ g))))


def grouped(X, y, trials):
    return lambda g: np.sum(y * np.log(logistic(X @ g)) + (trials - y) * np.log(logistic(-X @ g)))


def log_binomial(X, y, trials):
    """Return the likelihood where all probabilities are below 1, with a barrier before the border.

    A logarithm does not change along which directions the likelihood never falls, so neither whether it
    has a maximum; but the maximum is then inside, where derivatives lead to it.
    """

    def loglik(g):
        eta = X @ g
        if np.any(eta.real >= 0):
            return np.complex128(np.nan)
        barrier = 0.1 * np.sum(np.log(-eta[y > 0]))
        return np.sum(y * eta + (trials - y) * np.log(1 - np.exp(eta))) + barrier

    return loglik


def poisson(X, y):
    return lambda g: np.sum(y * (X @ g) - np.exp(X @ g))


def negative_binomial(X, y):
    return lambda g: np.sum(y * (X @ g) - (y + 0.5) * np.log(1 + 2 * np.exp(X @ g)))


def multinomial(X, y, K):
    def loglik(g):
        eta = np.column_stack([np.zeros(len(X)), X @ g.reshape(K - 1, -1).T])
        return np.sum(eta[np.arange(len(X)), y] - np.log(np.sum(np.exp(eta), axis=1)))

    return loglik


def predictors(X, K, parallel, g):
    """Return theta_j - x·beta_j of each row and threshold, from coefficients in the order of linsep."""
    p = X.shape[1]
    if parallel:
        return g[p:][None, :] - (X @ g[:p])[:, None]
    blocks = g.reshape(K - 1, p + 1)
    return blocks[:, 0][None, :] - X @ blocks[:, 1:].T


def cumulative(X, y, K, parallel):
    def loglik(g):
        below = logistic(predictors(X, K, parallel, g))
        zero, one = np.zeros((len(X), 1)), np.ones((len(X), 1))
        probabilities = np.diff(np.hstack([zero, below, one]), axis=1)
        return np.sum(np.log(probabilities[np.arange(len(X)), y]))

    return loglik


def adjacent(X, y, K, parallel):
    def loglik(g):
        p = X.shape[1]
        if parallel:
            steps = g[p:][None, :] + (X @ g[:p])[:, None]
        else:
            blocks = g.reshape(K - 1, p + 1)
            steps = blocks[:, 0][None, :] + X @ blocks[:, 1:].T
        eta = np.hstack([np.zeros((len(X), 1)), np.cumsum(steps, axis=1)])
        return np.sum(eta[np.arange(len(X)), y] - np.log(np.sum(np.exp(eta), axis=1)))

    return loglik


def sequential(X, y, K, parallel):
    steps = np.arange(K - 1)[None, :]
    taken, stopped = steps < y[:, None], steps == y[:, None]

    def loglik(g):
        eta = predictors(X, K, parallel, g)
        return np.sum(np.log(logistic(-eta[taken]))) + np.sum(np.log(logistic(eta[stopped])))

    return loglik


def sums_of_sets(eta, sets):
    return np.log(np.sum(np.exp(np.sum(eta[sets], axis=1))))


def conditional(X, y, groups):
    own, sets = np.flatnonzero(y == 1), []
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        cases = int(y[rows].sum())
        if cases:
            sets.append(np.array(list(itertools.combinations(rows, cases))))

    def loglik(g):
        eta = X @ g
        return np.sum(eta[own]) - sum(sums_of_sets(eta, some) for some in sets)

    return loglik


def cox(X, time, event, ties, entry=None, groups=None):
    entry = np.full(len(time), -np.inf) if entry is None else entry
    groups = np.zeros(len(time)) if groups is None else groups
    moments = []
    for group, moment in sorted(set(zip(groups[event].tolist(), time[event].tolist(), strict=True))):
        there = np.flatnonzero((groups == group) & (entry < moment) & (time >= moment))
        dying = there[event[there] & (time[there] == moment)]
        sets = np.array(list(itertools.combinations(there, len(dying)))) if ties == "exact" else None
        moments.append((there, dying, sets))

    def loglik(g):
        eta, total = X @ g, 0
        weights = np.exp(eta)
        for there, dying, sets in moments:
            d, own = len(dying), np.sum(eta[dying])
            if ties == "exact":
                total = total + own - sums_of_sets(eta, sets)
            else:
                shares = np.arange(d) / d if ties == "efron" else np.zeros(d)
                total = total + own
                total = total - np.sum(np.log(np.sum(weights[there]) - shares * np.sum(weights[dying])))
        return total

    return loglik


def agree(found, loglik, start=None):
    """Check that the answer is that of the ridge path."""
    early, middle, late = path(loglik, len(found.columns), start)
    moved = late - middle
    if found.aliased:
        return None
    exists = bool(np.abs(moved).max() < 0.05)
    assert exists == found.estimate_exists, (found, early, middle, late)
    for k, name in enumerate(found.columns):
        way = found.infinite.get(name)
        if way is None:
            assert abs(moved[k]) < 0.05, (found, name, middle, late)
        elif way in SIGN:
            assert moved[k] * SIGN[way] > -0.05, (found, name, middle, late)
    return found.kind


def draw(rng, n, p):
    X = rng.integers(-2, 3, size=(n, p)).astype(float)
    if rng.random() < 0.3:
        X[:, 0] = rng.integers(0, 2, size=n)
    return X


def ordered_start(K, p, parallel):
    thresholds = np.arange(K - 1) - (K - 2) / 2
    if parallel:
        return np.concatenate([np.zeros(p), thresholds])
    return np.hstack([thresholds[:, None], np.zeros((K - 1, p))]).ravel()


def tally(kinds, least):
    counts = {kind: kinds.count(kind) for kind in set(kinds) - {None}}
    assert all(counts.get(kind, 0) >= count for kind, count in least.items()), counts


def test_binomial_and_grouped():
    rng, kinds = np.random.default_rng(1), []
    for _ in range(40):
        n, p = int(rng.integers(5, 11)), int(rng.integers(1, 4))
        X = draw(rng, n, p)
        trials = rng.integers(1, 4, size=n)
        y = np.minimum(rng.integers(0, 4, size=n), trials)
        if rng.random() < 0.6:
            y = np.where(X[:, 0] + 0.5 > 0, trials, 0)
            y[0] = min(y[0], 1)
        found = linsep.check_separation(X, y, trials=trials)
        kinds.append(agree(found, grouped(X, y, trials)))
        y = (y > 0).astype(int)
        constant = np.column_stack([np.ones(n), X])
        kinds.append(agree(linsep.check_separation(X, y, intercept=True), binomial(constant, y)))
    tally(kinds, {"overlap": 8, "quasi-complete": 8, "complete": 4})


def test_log_binomial():
    rng, kinds = np.random.default_rng(8), []
    for _ in range(60):
        n, p = int(rng.integers(5, 11)), int(rng.integers(1, 4))
        X = np.column_stack([np.ones(n), draw(rng, n, p)])
        trials = rng.integers(1, 4, size=n)
        y = np.minimum(rng.integers(0, 4, size=n), trials) * (rng.random(n) < 0.6)
        if rng.random() < 0.5:
            y[X[:, 1] > 0] = 0
        found = linsep.check_separation(X, y, model="log-binomial", trials=trials)
        kinds.append(agree(found, log_binomial(X, y, trials), [-2] + [0] * p))
        # The same with the model's own constant, and for counts: a success is a count above zero.
        again = linsep.check_separation(X[:, 1:], y, model="log-binomial", intercept=True, trials=trials)
        assert (again.kind, list(again.infinite.values())) == (found.kind, list(found.infinite.values()))
        counts = linsep.check_separation(X, y, model="poisson")
        assert counts.infinite == found.infinite
        # Yet a proof is about one of the two.
        assert linsep.verify_separation(found.proof, X, y, model="log-binomial", trials=trials)
        assert not linsep.verify_separation(found.proof, X, y, model="poisson")
        assert not linsep.verify_separation(counts.proof, X, y, model="log-binomial", trials=trials)
        # Only rows of no success can be separated.
        assert not np.any(y[found.rows])
    tally(kinds, {"overlap": 8, "quasi-complete": 8})


def test_log_binomial_models_without_a_constant():
    X, y = np.array([[1.0, 0], [0, 1], [0, 1]]), [1, 0, 0]
    found = linsep.check_separation(X, y, model="log-binomial")
    assert (found.kind, found.infinite) == ("quasi-complete", {"x1": "-inf"})
    assert linsep.verify_separation(found.proof, X, y, model="log-binomial")
    with pytest.raises(ValueError, match=r"give row 0, which has a failure.*\n?.*with an intercept"):
        linsep.check_separation([[1.0], [-1.0]], [0, 0], model="log-binomial")
    assert linsep.check_separation([[1.0], [-1.0]], [0, 0], model="log-binomial", intercept=True)


@pytest.mark.parametrize("model", ["poisson", "negative-binomial"])
def test_counts(model):
    rng, kinds = np.random.default_rng(2), []
    for _ in range(40):
        n, p = int(rng.integers(5, 11)), int(rng.integers(1, 4))
        X = np.column_stack([np.ones(n), draw(rng, n, p)])
        y = rng.poisson(0.7, size=n) * (rng.random(n) < 0.7)
        if rng.random() < 0.5:
            y[X[:, 1] > 0] = 0
        loglik = poisson(X, y) if model == "poisson" else negative_binomial(X, y)
        found = linsep.check_separation(X, y, model=model)
        kinds.append(agree(found, loglik))
        # The same with the model's own constant.
        again = linsep.check_separation(X[:, 1:], y, model=model, intercept=True)
        assert (again.kind, list(again.infinite.values())) == (found.kind, list(found.infinite.values()))
        # Only rows of no events can be separated.
        assert not np.any(y[found.rows])
    tally(kinds, {"overlap": 8, "quasi-complete": 8})


def test_multinomial():
    rng, kinds = np.random.default_rng(3), []
    for _ in range(30):
        n, p, K = int(rng.integers(7, 13)), int(rng.integers(1, 3)), int(rng.integers(3, 5))
        X = np.column_stack([np.ones(n), draw(rng, n, p)])
        y = rng.integers(0, K, size=n)
        if rng.random() < 0.5:
            y = np.where(X[:, 1] > 0, K - 1, rng.integers(0, K - 1, size=n))
        if len(set(y)) < K:
            continue
        found = linsep.check_separation(X, y, model="multinomial")
        kinds.append(agree(found, multinomial(X, y, K)))
        again = linsep.check_separation(X[:, 1:], y, model="multinomial", intercept=True)
        assert (again.kind, list(again.infinite.values())) == (found.kind, list(found.infinite.values()))
    tally(kinds, {"overlap": 3, "quasi-complete": 8})


@pytest.mark.parametrize("model", ["cumulative", "adjacent", "sequential"])
@pytest.mark.parametrize("parallel", [True, False])
def test_ordered_categories(model, parallel):
    logliks = {"cumulative": cumulative, "adjacent": adjacent, "sequential": sequential}
    rng, kinds = np.random.default_rng(4), []
    for _ in range(20):
        # With coefficients per threshold it takes more rows to hold them all.
        n, p, K = int(rng.integers(8, 14)), int(rng.integers(1, 3)), int(rng.integers(3, 5))
        n, p = (n, p) if parallel else (3 * n, 1)
        X = draw(rng, n, p)
        y = rng.integers(0, K, size=n)
        if rng.random() < 0.4:
            y = np.clip(X[:, 0].astype(int) + rng.integers(0, 2, size=n) + 1, 0, K - 1)
        if len(set(y)) < K:
            continue
        found = linsep.check_separation(X, y, model=model, parallel=parallel)
        start = ordered_start(K, p, parallel) if model == "cumulative" else None
        kinds.append(agree(found, logliks[model](X, y, K, parallel), start))
    tally(kinds, {"overlap": 2, "quasi-complete": 3})


def test_conditional():
    rng, kinds = np.random.default_rng(5), []
    for _ in range(30):
        groups = np.repeat(np.arange(int(rng.integers(3, 6))), rng.integers(2, 5))
        n, p = len(groups), int(rng.integers(1, 4))
        X = draw(rng, n, p)
        y = (rng.random(n) < 0.5).astype(int)
        if rng.random() < 0.5:
            y = (X[:, 0] > 0).astype(int)
        try:
            found = linsep.check_separation(X, y, model="conditional", groups=groups)
        except ValueError as error:
            assert "no group has both cases and controls" in str(error)
            continue
        kinds.append(agree(found, conditional(X, y, groups)))
    tally(kinds, {"overlap": 3, "quasi-complete": 2, "complete": 1})


@pytest.mark.parametrize("ties", ["breslow", "efron", "exact"])
@pytest.mark.parametrize("late", [False, True])
def test_cox(ties, late):
    rng, kinds = np.random.default_rng(6), []
    for _ in range(24):
        n, p = int(rng.integers(5, 10)), int(rng.integers(1, 4))
        X = draw(rng, n, p)
        time = rng.integers(1, 7, size=n).astype(float)
        if rng.random() < 0.5:
            time = 4 - X[:, 0] + rng.integers(0, 2, size=n)
        event = rng.random(n) < 0.7
        entry = time - rng.integers(1, 5, size=n) if late else None
        groups = rng.integers(0, 2, size=n) if rng.random() < 0.3 else None
        arguments = {"time": time, "event": event, "entry": entry, "groups": groups, "ties": ties}
        try:
            found = linsep.check_separation(X, model="cox", **arguments)
        except ValueError as error:
            assert "no event has another row at risk" in str(error)
            continue
        kinds.append(agree(found, cox(X, time, event, ties, entry, groups)))
    tally(kinds, {"overlap": 2, "quasi-complete": 2, "complete": 1})


def test_the_chain_of_a_cox_model_says_what_all_pairs_say():
    rng = np.random.default_rng(7)
    for ties in ("breslow", "efron", "exact"):
        for _ in range(60):
            n, p = int(rng.integers(5, 30)), int(rng.integers(1, 4))
            X = draw(rng, n, p)
            time = rng.integers(1, 9, size=n).astype(float)
            event = rng.random(n) < 0.6
            entry = time - rng.integers(1, 6, size=n) if rng.random() < 0.5 else np.full(n, -1.0)
            pairs = []
            for i in np.flatnonzero(event):
                at_risk = (entry < time[i]) & (time >= time[i]) & (np.arange(n) != i)
                if ties == "exact":
                    at_risk &= ~(event & (time == time[i]))
                pairs += [X[i] - X[j] for j in np.flatnonzero(at_risk)]
            if not pairs:
                continue
            found = linsep.check_separation(
                X, model="cox", time=time, event=event, entry=entry, ties=ties
            )
            expected = linsep.check_recession(np.array(pairs))
            assert (found.infinite, found.aliased) == (expected.infinite, expected.aliased)
            assert found.estimate_exists == expected.estimate_exists
            assert (found.kind == "complete") == (expected.kind == "complete")
