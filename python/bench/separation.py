"""What it costs to say whether a logistic regression has an estimate, beside two programs and a fit.

`make bench-separation` runs all sizes; `OPTIONS=--large` adds those that take minutes. The figures are
seconds of CPU time on one thread, the shortest of up to three runs, and how many times those of linsep
the others' are; behind them what the others say that is not so, held against what linsep has proven.

firthmodels' detect_separation solves Konis' linear program (2007), as R's detectseparation does: the
largest sum of X'g over the signed rows with X g >= 0 and -1 <= g <= 1. What it calls infinite is what is
not zero, to a tolerance. HiGHS solves the same here without what firthmodels does around it.
Statsmodels' Logit says nothing of separation: it is what comes next where there is none.
"""

from __future__ import annotations

import sys
import time
import warnings

import linsep
import numpy as np

SIZES = [(286, 32), (1_000, 10), (1_000, 100), (10_000, 50), (20_000, 100)]
LARGE = [(100_000, 10), (100_000, 100), (1_000_000, 10), (1_000_000, 100)]
# A linear program of more values than this takes longer than anyone waits.
MOST_VALUES = 12_000_000
TOLERANCE = 1e-9


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


def ugly(kind: str, rows: int = 1_000, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Return a constant, a level in which all succeed, and a column of a size that is usual."""
    rng = np.random.default_rng(seed)
    sizes = {
        "dollars": rng.lognormal(11, 1, rows).round(2),
        "timestamps": 1.7e9 + rng.integers(0, 10**8, rows),
        "all levels": rng.normal(size=rows),
    }
    size = sizes[kind]
    level = (rng.random(rows) < 0.05) * 1.0
    y = (rng.random(rows) < 0.4).astype(int)
    y[level == 1] = 1
    columns = [np.ones(rows), size, level]
    if kind == "all levels":
        columns.append(1 - level)
    if kind == "timestamps":
        # Whoever came after a moment succeeded.
        y = (size > np.quantile(size, 0.7)).astype(int)
    return np.column_stack(columns), y


def konis(X: np.ndarray, y: np.ndarray) -> dict[int, int]:
    """Return the columns that the linear program calls infinite, and their signs."""
    from scipy.optimize import linprog

    signed = np.where(y[:, None] == 1, X, -X)
    found = linprog(
        -signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(X)), bounds=(-1, 1), method="highs"
    )
    if found.status != 0:
        raise ValueError("no answer")
    return {int(k): int(np.sign(found.x[k])) for k in np.flatnonzero(np.abs(found.x) > TOLERANCE)}


def firth(X: np.ndarray, y: np.ndarray) -> dict[int, int]:
    """Return the columns that firthmodels calls infinite, and their signs."""
    from firthmodels import detect_separation

    try:
        found = detect_separation(X, y, fit_intercept=False)
    except np.linalg.LinAlgError as error:
        raise ValueError("refused: rank deficient") from error
    return {int(k): int(found.directions[k]) for k in np.flatnonzero(~np.asarray(found.is_finite))}


def logit(X: np.ndarray, y: np.ndarray) -> None:
    """Fit with statsmodels, which may fail."""
    import statsmodels.api as sm

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            sm.Logit(y, X).fit(disp=0)
        except Exception:
            return


def timed(work, *arguments) -> tuple[float, object]:
    """Return the shortest CPU time of up to three runs, and what was returned or is wrong."""
    best, result = np.inf, None
    for _ in range(3):
        start = time.process_time()
        try:
            result = work(*arguments)
        except ValueError as error:
            result = str(error)
        best = min(best, time.process_time() - start)
        if best > 2:
            break
    return best, result


def mistakes(found: linsep.Separation, said: object) -> str:
    """Return what is said of columns that is not so; nothing if all of it is."""
    if isinstance(said, str):
        return said
    own = {list(found.columns).index(name): way for name, way in found.infinite.items()}
    signs = {"+inf": 1, "-inf": -1}
    missed = [k for k in own if k not in said]
    made_up = [k for k in said if k not in own]
    turned = [k for k, sign in said.items() if signs.get(own.get(k, ""), sign) != sign]
    parts = (
        ("calls finite", missed),
        ("calls infinite", made_up),
        ("wrong sign of", turned),
    )
    return ", ".join(
        f"{what} {', '.join(f'x{k}' for k in some[:3])}{' …' if len(some) > 3 else ''} ({len(some)})"
        for what, some in parts
        if some
    )


def line(title: str, kind: str, X: np.ndarray, y: np.ndarray) -> None:
    """Print what each entrant needs, and what it gets wrong."""
    ours, found = timed(linsep.check_separation, X, y)
    if not linsep.verify_separation(found.proof, X, y):
        raise AssertionError("the proof does not hold")
    text, notes = f"{title:<18}{kind:<12}{ours:>8.3f}", [found.kind]
    for name, work in (("firthmodels", firth), ("HiGHS", konis), ("Logit", logit)):
        if name != "Logit" and X.size > MOST_VALUES:
            text += f"{'–':>10}{'':>8}"
            continue
        theirs, said = timed(work, X, y)
        text += f"{theirs:>10.3f} {f'({theirs / ours:.1f})':>7}"
        wrong = mistakes(found, said) if name != "Logit" else ""
        notes += [f"{name}: {wrong}"] if wrong else []
    print(f"{text}  {'; '.join(notes)}", flush=True)


def main() -> None:
    """Print one line per size and kind."""
    sizes = SIZES + (LARGE if "--large" in sys.argv else [])
    # What is done once is no part of it.
    for work in (linsep.check_separation, firth, konis, logit):
        work(*design("quasi", 200, 5))
    head = f"{'rows x columns':<18}{'':<12}{'linsep':>8}"
    print(head + "".join(f"{name:>10} {'(times)':>7}" for name in ("firthmod.", "HiGHS", "Logit")))
    for rows, columns in sizes:
        for kind in ("overlap", "quasi", "complete"):
            X, y = design(kind, rows, columns)
            line(f"{rows:,} x {X.shape[1]}", kind, X, y)
    for kind in ("dollars", "timestamps", "all levels"):
        X, y = ugly(kind)
        line(f"{len(X):,} x {X.shape[1]}", kind, X, y)


if __name__ == "__main__":
    main()
