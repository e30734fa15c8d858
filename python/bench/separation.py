"""How long it takes to say whether a logistic regression has an estimate, beside a program and a fit.

`make bench-separation` runs all sizes; the figures are seconds, and the answers of the program where
they differ.

The linear program is Konis' (2007), as R's detectseparation has it: the largest sum of X'g over the
signed rows with X g >= 0 and -1 <= g <= 1, solved by HiGHS. What it calls infinite is what is not zero,
to a tolerance. Statsmodels' Logit says nothing of separation: it is what comes next where there is none.
"""

from __future__ import annotations

import sys
import time
import warnings

import linsep
import numpy as np

SIZES = [(286, 32), (1_000, 10), (1_000, 100), (10_000, 50), (100_000, 10), (100_000, 100)]
LARGE = [(1_000_000, 10), (1_000_000, 100)]
# A linear program of more values than this takes longer than anyone waits.
MOST_VALUES = 12_000_000


def design(kind: str, rows: int, columns: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return a design with a constant, and outcomes that overlap, or that some direction separates."""
    rng = np.random.default_rng(seed)
    if (rows, columns) == (286, 32):
        return dummies(kind, rng)
    X = rng.normal(size=(rows, columns))
    X[:, 0] = 1
    beta = rng.normal(size=columns) / np.sqrt(columns)
    if kind == "complete":
        return X, (X @ beta > 0.1).astype(int)
    y = (X @ beta + rng.logistic(size=rows) > 0).astype(int)
    if kind == "quasi":
        X[:, 1] = (rng.random(rows) < 0.1) & (y == 1)
    return X, y


def dummies(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a constant and the levels of six factors, as a table of 286 patients has them."""
    levels = [rng.integers(0, k, size=286) for k in (6, 3, 11, 7, 4, 6)]
    columns = [np.ones(286)] + [(own == k) * 1.0 for own in levels for k in range(1, own.max() + 1)]
    X = np.column_stack(columns)[:, :32]
    y = (rng.random(286) < 0.3).astype(int)
    if kind == "quasi":
        y[X[:, 9] == 1] = 1
    if kind == "complete":
        y = (X[:, 1] + X[:, 7] > 0).astype(int)
    return X, y


def konis(X: np.ndarray, y: np.ndarray) -> int:
    """Return how many columns the linear program calls infinite."""
    from scipy.optimize import linprog

    signed = np.where(y[:, None] == 1, X, -X)
    found = linprog(
        -signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(X)), bounds=(-1, 1), method="highs"
    )
    return int(np.sum(np.abs(found.x) > 1e-9)) if found.status == 0 else -1


def logit(X: np.ndarray, y: np.ndarray) -> int:
    """Return the steps that statsmodels takes to fit."""
    import statsmodels.api as sm

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return int(sm.Logit(y, X).fit(disp=0).mle_retvals["iterations"])
        except Exception:
            return -1


def timed(work, *arguments) -> tuple[float, object]:
    """Return the shortest of up to three runs, and what it returned."""
    best, result = np.inf, None
    for _ in range(3):
        start = time.perf_counter()
        result = work(*arguments)
        best = min(best, time.perf_counter() - start)
        if best > 2:
            break
    return best, result


def main() -> None:
    """Print one line per size and kind."""
    sizes = SIZES + ([] if "--small" in sys.argv else LARGE)
    print(f"{'rows x columns':<18}{'kind':<10}{'linsep':>9}{'HiGHS':>9}{'Logit':>9}  infinite columns")
    for rows, columns in sizes:
        for kind in ("overlap", "quasi", "complete"):
            X, y = design(kind, rows, columns)
            ours, found = timed(linsep.check_separation, X, y)
            small = X.size <= MOST_VALUES
            theirs, infinite = timed(konis, X, y) if small else (np.nan, None)
            fit, _ = timed(logit, X, y)
            print(
                f"{f'{rows:,} x {X.shape[1]}':<18}{kind:<10}{ours:>9.3f}{theirs:>9.3f}{fit:>9.3f}  "
                f"{len(found.infinite)} ({found.kind})"
                + ("" if infinite in (None, len(found.infinite)) else f"; HiGHS says {infinite}"),
                flush=True,
            )


if __name__ == "__main__":
    main()
