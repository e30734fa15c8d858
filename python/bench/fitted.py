"""How long it takes to say that a fitted model's estimate exists, beside its fit and without it.

`make bench-fitted` prints it, in milliseconds: the fit by statsmodels; the answer about what it
returned, proof included; the answer about the same model unfitted; how many characters both proofs
have. First come the families at a moderate size, then logistic regressions of growing size.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import linsep
import numpy as np

SIZES = [(1_000, 10), (10_000, 50), (100_000, 20)]
FAMILY_SIZE = (5_000, 8)


def design(rows: int, columns: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """Return a design with a constant and a rare dummy, the scores of its rows, and random numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    X[:, 0] = 1
    X[:, 1] = rng.random(rows) < 0.01
    beta = rng.normal(size=columns) / np.sqrt(columns)
    return X, X @ beta, rng


def families(rows: int, columns: int) -> Iterator[tuple[str, Any, Callable[[Any], Any]]]:
    """Return a model of statsmodels of each family, and what fits it."""
    import statsmodels.api as sm
    from statsmodels.discrete.conditional_models import ConditionalLogit
    from statsmodels.duration.hazard_regression import PHReg
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    X, score, rng = design(rows, columns)
    y = (score + rng.logistic(size=rows) > 0).astype(int)
    counts = rng.poisson(np.exp(0.5 * score))
    codes = np.digitize(score + rng.logistic(size=rows), [-1.0, 0.0, 1.0])
    quiet: Callable[[Any], Any] = lambda model: model.fit(disp=0)  # noqa: E731
    plain: Callable[[Any], Any] = lambda model: model.fit()  # noqa: E731
    yield "Logit", sm.Logit(y, X), quiet
    yield "Probit", sm.Probit(y, X), quiet
    yield "GLM binomial", sm.GLM(y, X, family=sm.families.Binomial()), plain
    yield "Poisson", sm.Poisson(counts, X), quiet
    yield "GLM Poisson", sm.GLM(counts, X, family=sm.families.Poisson()), plain
    yield "NegativeBinomial", sm.NegativeBinomial(counts, X), quiet
    yield "MNLogit", sm.MNLogit(codes, X), quiet
    ordered: Callable[[Any], Any] = lambda model: model.fit(method="bfgs", disp=0)  # noqa: E731
    yield "OrderedModel", OrderedModel(codes, X[:, 1:], distr="logit"), ordered
    groups = np.arange(rows) // 4
    yield "ConditionalLogit", ConditionalLogit(y, X[:, 1:], groups=groups), quiet
    times = rng.exponential(np.exp(-score))
    yield "PHReg", PHReg(times, X[:, 1:], status=rng.random(rows) < 0.7), plain


def timed(work: Callable[[], Any], runs: int = 3) -> tuple[float, Any]:
    """Return the shortest of some runs in milliseconds, and what the last returned."""
    best, result = np.inf, None
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
        if best > 2:
            break
    return 1000 * best, result


def line(name: str, model: Any, fit: Callable[[Any], Any]) -> None:
    """Print one line."""
    fitting, fitted = timed(lambda: fit(model), runs=1)
    ours, found = timed(lambda: linsep.check_separation(fitted))
    without, plain = timed(lambda: linsep.check_separation(model))
    assert found.kind == plain.kind and linsep.verify_separation(found.proof, model)
    sizes = [len(answer.proof.to_json()) for answer in (found, plain)]
    numbers = "".join(f"{number:>10.1f}" for number in (fitting, ours, without))
    print(f"{name:<20}{numbers}{sizes[0]:>12,}{sizes[1]:>12,}  {found.kind}", flush=True)


def main() -> None:
    """Print one line per family, and per size."""
    import statsmodels.api as sm

    warnings.simplefilter("ignore")
    columns = "".join(f"{word:>10}" for word in ("fit", "fitted", "unfitted"))
    print(f"{'milliseconds':<20}{columns}{'proof':>12}{'without':>12}  answer")
    for name, model, fit in families(*FAMILY_SIZE):
        line(name, model, fit)
    for rows, columns in SIZES:
        X, score, rng = design(rows, columns)
        for kind, shift in (("", 0), (" rare", 5)):
            y = (score + rng.logistic(size=rows) > shift).astype(int)
            line(f"{rows:,} x {columns}{kind}", sm.Logit(y, X), lambda model: model.fit(disp=0))


if __name__ == "__main__":
    main()
