"""LinearSeparator beside scikit-learn on the paper's shapes: ratios in one run.

Classes that overlap first, beside LinearSVC.

Then for each shape: the time of a fit, and whether the training data has mistakes left. Then the cost of
crossing from Python: the time of a call less the time spent in Rust.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from linsep import LinearSeparator, decide
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.svm import LinearSVC

OVERLAPPING = [(2_000, 10), (20_000, 20)]
SHAPES = [(1_000_000, 100), (100_000, 100), (10_000, 1_000), (1_000, 10_000)]


def make(rows, features, seed=0):
    """Return the paper's data: uniform points, labelled by a random hyperplane through their centre."""
    rng = np.random.default_rng(seed)
    X = np.empty((rows, features))
    step = max(1, 2**22 // features)
    for start in range(0, rows, step):
        X[start : start + step] = rng.random((min(step, rows - start), features))
    w = rng.uniform(-1, 1, features)
    y = np.empty(rows, dtype=np.int64)
    for start in range(0, rows, step):
        y[start : start + step] = (X[start : start + step] - 0.5) @ w > 0
    return X, y


def entrants(epochs):
    """Return what is compared: ours first, the rest with weak regularisation, as separation needs."""
    return {
        "linsep auto, any margin": LinearSeparator(margin="any"),
        "linsep fine": LinearSeparator("fine", max_iter=1000),
        "Perceptron": Perceptron(),
        "LinearSVC": LinearSVC(C=1e4, max_iter=epochs),
        "LogisticRegression": LogisticRegression(C=1e4, max_iter=epochs),
    }


def train(model, X, y, epochs):
    """Return the time of a fit and the mistakes that it leaves.

    A Perceptron of scikit-learn does not stop at the first hyperplane without mistakes; it is shown the
    data epoch by epoch and stopped there. Looking for mistakes is not charged to it.
    """
    seconds, mistakes = 0.0, len(y)
    for _ in range(epochs if isinstance(model, Perceptron) else 1):
        begun = time.perf_counter()
        if isinstance(model, Perceptron):
            model.partial_fit(X, y, classes=[0, 1])
        else:
            model.fit(X, y)
        seconds += time.perf_counter() - begun
        mistakes = int(np.count_nonzero(model.predict(X) != y))
        if mistakes == 0:
            break
    return seconds, mistakes


def race(X, y, epochs):
    """Print time and mistakes of every entrant, and the ratio of times to the first."""
    first = None
    for name, model in entrants(epochs).items():
        seconds, mistakes = train(model, X, y, epochs)
        first = first or seconds
        left = "separated" if mistakes == 0 else f"{mistakes:,} mistakes left"
        print(f"  {name:26} {seconds:9.3f} s  {seconds / first:8.1f} x  {left}", flush=True)


def overlapping(rows, features, repeats=5):
    """Print the time of a fit of classes that overlap, the best of several, beside LinearSVC."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, features))
    y = (X[:, :3].sum(axis=1) + 1.5 * rng.normal(size=rows) > 0).astype(int)
    models = {"LinearSVC": LinearSVC(), "linsep auto": LinearSeparator(max_iter=50)}
    print(f"{rows:,} x {features:,}, classes that overlap", flush=True)
    first = None
    for name, model in models.items():
        times = []
        for _ in range(repeats):
            begun = time.perf_counter()
            model.fit(X, y)
            times.append(time.perf_counter() - begun)
        seconds, mistakes = min(times), int(np.count_nonzero(model.predict(X) != y))
        first = first or seconds
        ratio = f"{seconds / first:8.1f} x  {mistakes:,} mistakes"
        print(f"  {name:26} {1e3 * seconds:9.2f} ms {ratio}, n_iter_ {model.n_iter_}", flush=True)


def crossing(X, y, repeats=5):
    """Print what a call costs beyond the time in Rust, the median of several."""
    shares = []
    labels = y == 1
    for _ in range(repeats):
        begun = time.perf_counter()
        decision = decide(X, labels)
        whole = time.perf_counter() - begun
        shares.append((whole - decision.seconds, decision.seconds))
    extra, rust = sorted(shares)[len(shares) // 2]
    print(f"  crossing from Python: {1e3 * extra:.2f} ms on {1e3 * rust:.1f} ms: {extra / rust:.2%}")


def main():
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the rows (default 1)")
    parser.add_argument("--overlapping", action="store_true", help="only classes that overlap")
    parser.add_argument("--epochs", type=int, default=100, help="limit for scikit-learn (default 100)")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    for rows, features in OVERLAPPING:
        overlapping(rows, features)
    for rows, features in [] if options.overlapping else SHAPES:
        rows = max(100, int(rows * options.scale))
        X, y = make(rows, features)
        print(f"{rows:,} x {features:,}", flush=True)
        race(X, y, options.epochs)
        crossing(X, y)


if __name__ == "__main__":
    main()
