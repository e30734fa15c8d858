"""What a fit returned is answered like its model: coefficients say where to begin, and nothing else."""

import sys
import warnings
from pathlib import Path

import linsep
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
import fitted as bench

ROWS, COLUMNS = 1500, 5


def said(found):
    """Return what an answer says, without what shows it and the time that it took."""
    witnesses = ("proof", "conflicting_rows", "direction", "seconds")
    shown = {key: value for key, value in found.to_dict().items() if key not in witnesses}
    return {**shown, "separated": found.separated, "is_proven": found.proof is not None}


def check(fitted, *arguments, **options):
    """Check that the answer about a fitted model is that about its data, and proven; return it."""
    plain = linsep.check_separation(
        fitted.model if not arguments else arguments[0], *arguments[1:], **options
    )
    found = linsep.check_separation(fitted, *arguments)
    assert said(found) == said(plain)
    return found


def fits(family):
    """Return a model of the benchmark, and what its fit returns."""
    pytest.importorskip("statsmodels")
    for name, model, fit in bench.families(ROWS, COLUMNS):
        if name == family:
            return model, fit(model)
    raise AssertionError(f"no {family}")


FAMILIES = [
    "Logit",
    "Probit",
    "GLM binomial",
    "Poisson",
    "GLM Poisson",
    "NegativeBinomial",
    "MNLogit",
    "OrderedModel",
    "ConditionalLogit",
    "PHReg",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family(family):
    model, fitted = fits(family)
    found = check(fitted)
    assert found.kind == "overlap"
    # By one matrix of the rows drawn for the coefficients, and no larger than they are few.
    proof = found.proof.to_json()
    assert '"matrix"' in proof and len(proof) < 40_000
    assert linsep.verify_separation(found.proof, model)
    # It is about these rows alone.
    X = np.asarray(model.exog).copy()
    model.exog = X + (X == X[7])
    assert not linsep.verify_separation(found.proof, model)


@pytest.mark.filterwarnings("ignore")
def test_separated_data_and_fits_that_went_astray():
    sm = pytest.importorskip("statsmodels.api")
    X, score, rng = bench.design(ROWS, COLUMNS)
    y = (score + rng.logistic(size=ROWS) > 0).astype(int)
    # The dummy occurs in successes alone; then the rows are separated by one direction.
    y[X[:, 1] == 1] = 1
    for maxiter in (3, 35):
        found = check(sm.Logit(y, X).fit(disp=0, maxiter=maxiter))
        assert (found.kind, found.infinite) == ("quasi-complete", {"x1": "+inf"})
        assert linsep.verify_separation(found.proof, X, y)
    counts = rng.poisson(1.0, size=ROWS) * (X[:, 1] == 0)
    found = check(sm.GLM(counts, X, family=sm.families.Poisson()).fit())
    assert found.infinite == {"x1": "-inf"}
    kind = check(sm.GLM((score > 0) * 1, X, family=sm.families.Binomial()).fit(maxiter=9)).kind
    assert kind == "complete"
    # Numbers that no fit ends with.
    result = sm.Logit((score + rng.logistic(size=ROWS) > 0) * 1, X).fit(disp=0)
    for params in (
        [np.nan] * COLUMNS,
        [np.inf] * COLUMNS,
        [1e308] * COLUMNS,
        -result.params,
        np.zeros(COLUMNS),
    ):
        result._results.params = np.asarray(params)
        assert check(result).kind == "overlap"


@pytest.mark.filterwarnings("ignore")
def test_ugly_fits():
    pd = pytest.importorskip("pandas")
    sm = pytest.importorskip("statsmodels.api")
    import statsmodels.formula.api as smf

    X, score, rng = bench.design(ROWS, COLUMNS)
    df = pd.DataFrame(X[:, 1:], columns=list("abcd"))
    df["y"] = (score + rng.logistic(size=ROWS) > 0).astype(int)
    df["town"] = rng.choice(list("uvwxyz"), size=ROWS, p=[0.5, 0.3, 0.1, 0.06, 0.03, 0.01])
    df["when"] = 1.7e9 + rng.integers(0, 10**6, size=ROWS)
    df["gone"] = np.where(rng.random(ROWS) < 0.1, np.nan, df["c"])
    found = check(smf.logit("y ~ b + C(town) + a", df).fit(disp=0))
    assert found.kind == "overlap" and "C(town)[T.z]" in found.columns
    assert check(smf.logit("y ~ b + gone", df, missing="drop").fit(disp=0)).kind == "overlap"
    # Seconds since 1970, a column twice, one of zeros, a constant that is not 1.
    dated = df[["b", "c"]].assign(when=df["when"], again=df["b"], none=0.0, three=0.3)
    fitted = sm.GLM(df["y"], dated, family=sm.families.Binomial()).fit()
    found = check(fitted)
    assert found.aliased == ["b", "again", "none"] and linsep.verify_separation(found.proof, fitted)
    weights = (rng.random(ROWS) < 0.8) * 2.0
    found = check(sm.GLM(df["y"], X, family=sm.families.Binomial(), freq_weights=weights).fit())
    assert found.kind == "overlap" and found.counted.sum() == (weights > 0).sum()
    # An offset moves the estimate, not the question.
    exposed = sm.GLM(
        rng.poisson(3.0, size=ROWS),
        X,
        family=sm.families.Poisson(),
        exposure=rng.uniform(1e3, 1e6, size=ROWS),
    )
    assert check(exposed.fit()).kind == "overlap"
    # One row of one class, copies of rows, shares of successes.
    one = np.zeros(ROWS)
    one[5] = 1
    for y in (one, np.clip(0.5 + 0.1 * score, 0.0, 1.0)):
        check(sm.GLM(y, np.repeat(X[:75], 20, axis=0), family=sm.families.Binomial()).fit())
    regularised = sm.Logit(df["y"], X).fit_regularized(alpha=1.0, disp=0)
    assert check(regularised).kind == "overlap"


@pytest.mark.filterwarnings("ignore")
def test_estimators_of_scikit_learn():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge
    from sklearn.pipeline import make_pipeline

    X, score, rng = bench.design(ROWS, COLUMNS)
    X, y = X[:, 1:], np.where(score + rng.logistic(size=ROWS) > 0, "yes", "no")
    found = check(LogisticRegression().fit(X, y), X, y, intercept=True)
    assert (
        found.kind == "overlap"
        and found.columns[0] == "intercept"
        and '"matrix"' in found.proof.to_json()
    )
    assert linsep.verify_separation(found.proof, X, y, intercept=True)
    check(LogisticRegression(fit_intercept=False).fit(X, y), X, y)
    y[X[:, 0] == 1] = "yes"
    found = check(LogisticRegression().fit(X, y), X, y, intercept=True)
    assert found.infinite == {"x0": "+inf"}
    codes = np.digitize(score + rng.logistic(size=ROWS), [-1.0, 1.0])
    found = check(LogisticRegression().fit(X, codes), X, codes, model="multinomial", intercept=True)
    assert found.kind == "overlap" and len(found.columns) == 10 and '"matrix"' in found.proof.to_json()
    counts = rng.poisson(np.exp(0.3 * score))
    check(PoissonRegressor().fit(X, counts), X, counts, model="poisson", intercept=True)
    with pytest.raises(ValueError, match="LogisticRegression is not fitted: fit it first"):
        linsep.check_separation(LogisticRegression(), X, y)
    with pytest.raises(TypeError, match="a Ridge is not known; expected LogisticRegression"):
        linsep.check_separation(Ridge().fit(X, counts), X, counts)
    with pytest.raises(TypeError, match=r"Of a pipeline .* give the fitted estimator inside"):
        linsep.check_separation(make_pipeline(LogisticRegression()).fit(X, y), X, y)
    with pytest.raises(TypeError, match="a third argument follows a fitted estimator alone"):
        linsep.check_separation(X, y, y)


def test_models_of_firthmodels():
    firthmodels = pytest.importorskip("firthmodels")
    from firthmodels.adapters.statsmodels import FirthLogit

    X, score, rng = bench.design(300, 4)
    y = (score + rng.logistic(size=300) > 0).astype(int)
    y[X[:, 1] == 1] = 1
    own = firthmodels.FirthLogisticRegression().fit(X[:, 1:], y)
    # Firth's estimate is finite where the other is not.
    assert check(own, X[:, 1:], y, intercept=True).infinite == {"x0": "+inf"}
    found = linsep.check_separation(FirthLogit(y, X).fit())
    assert found.infinite == {"x2": "+inf"} and found.columns == ["x1", "x2", "x3", "x4"]
    events = np.array(
        [(bool(e), t) for e, t in zip(y, rng.exponential(size=300), strict=True)], dtype="?,f8"
    )
    cox = firthmodels.FirthCoxPH().fit(X[:, 1:], events)
    assert check(cox, X[:, 1:], events, model="cox").kind == "overlap"


def test_coefficients_by_hand():
    X, score, rng = bench.design(ROWS, COLUMNS)
    y = (score + rng.logistic(size=ROWS) > 0).astype(int)
    plain = linsep.check_separation(X, y)
    found = linsep.check_separation(X, y, start=[0.1] * COLUMNS)
    assert said(found) == said(plain) and '"matrix"' in found.proof.to_json()
    with pytest.raises(
        ValueError, match="start is 3 numbers for 5 coefficients; expected one number per"
    ):
        linsep.check_separation(X, y, start=[0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="start is NaN; expected finite numbers"):
        linsep.check_separation(X, y, start=[0.0, np.nan, 0.0, 0.0, 0.0])


def test_the_rule_in_numpy():
    """What the guide says of scores: below one the estimate exists."""
    sm = pytest.importorskip("statsmodels.api")
    below = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        X = np.column_stack([np.ones(12), rng.integers(-2, 3, size=(12, 2))]).astype(float)
        y = (X @ [0.0, 1.0, -1.0] + rng.normal(size=12) * seed % 4 > 0).astype(int)
        if len(set(y)) < 2 or np.linalg.matrix_rank(X) < 3:
            continue
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                fitted = sm.Logit(y, X).fit(disp=0, maxiter=8)
            except Exception:
                continue
        S = fitted.model.score_obs(fitted.params)
        if np.linalg.cond(S) > 1e6:
            continue  # rounding decides: this is what the checker of linsep is for
        total = S.sum(0)
        if total @ np.linalg.solve(S.T @ S, total) < 1:
            below += 1
            assert linsep.check_separation(fitted).kind == "overlap", seed
    assert below > 10
