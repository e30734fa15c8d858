"""Ways to give a model to check_separation, numbers on which tolerances fail, and what is refused."""

import json
import warnings

import linsep
import numpy as np
import pytest


def frame():
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(
        {
            "y": [0, 1, 0, 1, 0, 1, 1, 1, 0, 1],
            "a": [1.0, 2, 3, 4, 5, 6, 2, 3, 2, 5],
            "c": list("uuvvuvwwuv"),
            "t": [5.0, 3, 4, 2, 6, 1, 7, 8, 9, 2],
            "g": [1, 1, 1, 2, 2, 2, 3, 3, 3, 3],
        }
    )


def test_formulas_with_a_frame():
    df = frame()
    found = linsep.check_separation("y ~ a + C(c)", data=df)
    assert found.kind == "quasi-complete" and found.infinite == {"C(c)[T.w]": "+inf"}
    assert found.columns[0] == "Intercept" and found.settled.tolist() == [6, 7]
    polars = pytest.importorskip("polars")
    again = linsep.check_separation("y ~ a + C(c)", data=polars.from_pandas(df))
    assert again.infinite == found.infinite
    # Expressions are outcomes too; a model without room for a constant leaves it out.
    assert linsep.check_separation("y == 1 ~ a + C(c)", data=df).kind == "quasi-complete"
    cox = linsep.check_separation("t ~ a", data=df, model="cox", event="y")
    assert cox.columns == ["a"] and cox.kind == "overlap"
    within = linsep.check_separation("y ~ a", data=df, model="conditional", groups="g")
    assert within.columns == ["a"]
    with pytest.raises(ValueError, match='groups is "h", which is not a column of data'):
        linsep.check_separation("y ~ a", data=df, model="conditional", groups="h")
    with pytest.raises(TypeError, match="data is missing"):
        linsep.check_separation("y ~ a")
    with pytest.raises(ValueError, match="cannot be used with this frame"):
        linsep.check_separation("y ~ nothing", data=df)
    with pytest.raises(ValueError, match="neither a column of data nor an expression"):
        linsep.check_separation("nothing ~ a", data=df)


def test_models_of_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    from statsmodels.discrete.conditional_models import ConditionalLogit
    from statsmodels.duration.hazard_regression import PHReg
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    df = frame()
    X = sm.add_constant(df[["a"]].assign(w=(df["c"] == "w") * 1.0))
    families = sm.families
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in (
            sm.Logit(df["y"], X),
            sm.Probit(df["y"], X),
            sm.GLM(df["y"], X, family=families.Binomial()),
            sm.Logit(df["y"], X).fit(disp=0, maxiter=5),
        ):
            found = linsep.check_separation(model)
            assert (found.model, found.kind) == ("binomial", "quasi-complete"), model
            assert found.infinite == {"w": "+inf"} and found.columns == ["const", "a", "w"]
        counts = np.where(df["c"] == "w", 0, df["y"] + 1)
        links = families.links
        for link in (links.Probit(), links.CLogLog(), links.LogLog(), links.Cauchy()):
            found = linsep.check_separation(sm.GLM(df["y"], X, family=families.Binomial(link=link)))
            assert (found.model, found.infinite) == ("binomial", {"w": "+inf"}), link
        log = families.Binomial(link=links.Log())
        # With a log link more successes hold what more failures leave free.
        assert linsep.check_separation(sm.GLM(df["y"], X, family=log)).kind == "overlap"
        for few in (
            sm.GLM(1 - df["y"], X, family=log),
            sm.GLM(1 - df["y"], X, family=log).fit(maxiter=2),
        ):
            found = linsep.check_separation(few)
            assert (found.model, found.infinite) == ("log-binomial", {"w": "-inf"})
            assert linsep.verify_separation(found.proof, few)
        pairs = np.column_stack([1 - df["y"], 1 + df["y"]])
        found = linsep.check_separation(sm.GLM(pairs, X, family=log))
        assert (found.model, found.infinite) == ("log-binomial", {"w": "-inf"})
        with pytest.raises(TypeError, match="Binomial with the link Identity is not known"):
            linsep.check_separation(sm.GLM(df["y"], X, family=families.Binomial(link=links.Identity())))
        for model in (
            sm.Poisson(counts, X),
            sm.GLM(counts, X, family=families.Poisson()),
            sm.NegativeBinomial(counts, X),
        ):
            found = linsep.check_separation(model)
            assert found.infinite == {"w": "-inf"} and found.rows.tolist() == [6, 7], model
        found = linsep.check_separation(sm.MNLogit(df["c"], X[["const", "a"]]))
        assert (found.model, found.columns) == ("multinomial", ["1: const", "1: a", "2: const", "2: a"])
        stages = df["a"].clip(2, 4).astype("category").cat.as_ordered()
        ordered = linsep.check_separation(OrderedModel(stages, df[["a"]]))
        assert (ordered.model, ordered.kind) == ("cumulative", "complete")
        within = linsep.check_separation(ConditionalLogit(df["y"], df[["a"]], groups=df["g"]))
        assert within.model == "conditional"
        late = PHReg(df["t"], df[["a"]], status=df["y"], entry=df["t"] - 1, ties="efron")
        assert linsep.check_separation(late).model == "cox"
        with pytest.raises(TypeError, match="a statsmodels OLS is not known"):
            linsep.check_separation(sm.OLS(df["y"], X))
        with pytest.raises(TypeError, match="family Gamma"):
            linsep.check_separation(sm.GLM(df["a"], X, family=families.Gamma()))


def test_grouped_data_is_that_of_single_trials():
    rng = np.random.default_rng(3)
    for _ in range(20):
        X = np.column_stack([np.ones(8), rng.integers(-2, 3, size=(8, 2))])
        trials = rng.integers(0, 4, size=8)
        y = np.minimum(rng.integers(0, 4, size=8), trials)
        single = [(row, 1) for row in range(8) for _ in range(y[row])]
        single += [(row, 0) for row in range(8) for _ in range(trials[row] - y[row])]
        if not single:
            continue
        rows, labels = np.array(single).T
        expected = linsep.check_separation(X[rows], labels)
        found = linsep.check_separation(X, y, trials=trials)
        assert (found.kind, found.infinite) == (expected.kind, expected.infinite)
        weights = np.ones(8)
        weights[trials == 0] = 0
        assert linsep.check_separation(X, y, trials=trials, weights=weights).infinite == found.infinite


def test_weights_of_zero_leave_rows_out():
    X, y = [[1, 0.0], [1, 1], [1, 2], [1, 3]], [0, 1, 0, 1]
    assert linsep.check_separation(X, y).kind == "overlap"
    assert linsep.check_separation(X, y, weights=[1, 0, 5, 0.1]).kind == "complete"
    codes = ["a", "b", "c", "b"]
    found = linsep.check_separation(X, codes, model="multinomial", weights=[1, 1, 0, 1])
    assert found.columns == ["b: x0", "b: x1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": [0.2, 0.5, 0.0, 1.0]}, r"row 0 .*of y: .*looks like a share of successes.*trials="),
        ({"y": [0, 1, 2, 1]}, 'expected two classes, found 3.*model="multinomial"'),
        (
            {"y": [0, 1, 1, 5], "trials": [1, 1, 1, 2]},
            "row 3 .*expected 0 to 2 successes in 2 trials, found 5",
        ),
        (
            {"y": [0, 1, 1, -1], "model": "poisson"},
            "row 3 .* of y: expected a count, at least 0, found -1",
        ),
        ({"y": list("abca"), "model": "cumulative"}, "have an order.*levels="),
        (
            {"y": list("abca"), "model": "multinomial", "levels": ["a", "b"]},
            'row 2 .* of y: expected one of the levels "a", "b", found "c"',
        ),
        ({"y": [0, 0, 0, 0], "model": "cumulative"}, "at least two categories that occur, found 1"),
        ({"model": "cox", "time": [1, 2, 3, np.nan]}, "row 3 .* is missing in time"),
        (
            {"model": "cox", "time": [1, 2, 3, 4], "event": [0, 0, 0, 2]},
            "row 3 .* of event: expected 0 or 1, or true or false, found 2",
        ),
        (
            {"model": "cox", "time": [1, 2, 3, 4], "ties": "sometimes"},
            "ties is 'sometimes'; expected one of 'breslow'",
        ),
        ({"model": "cox", "time": [1, 2, 3]}, r"expected 4 values of time, one per row, .*\(3,\)"),
        (
            {"y": [0, 1, 0, 1], "weights": [1, 1, -1, 1]},
            "row 2 .* of weights: expected a weight, at least 0, found -1",
        ),
        ({"y": [0, 1, 0, 1], "model": "logistic"}, "model is 'logistic'; expected one of 'binomial'"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        linsep.check_separation([[1.0], [2.0], [3.0], [4.0]], **arguments)


def test_arguments_that_belong_to_other_models():
    X = [[1.0], [2.0]]
    with pytest.raises(TypeError, match="trials was given for a poisson model"):
        linsep.check_separation(X, [0, 1], model="poisson", trials=[1, 1])
    with pytest.raises(TypeError, match="groups is missing"):
        linsep.check_separation(X, [0, 1], model="conditional")
    with pytest.raises(TypeError, match="time is missing"):
        linsep.check_separation(X, model="cox")
    with pytest.raises(TypeError, match="y is missing"):
        linsep.check_separation(X)


def test_structure_vectors_and_vectors_of_ones_own():
    rng = np.random.default_rng(8)
    X = rng.integers(-2, 3, size=(12, 2)).astype(float)
    y = rng.integers(0, 3, size=12)
    time, event = rng.integers(1, 6, size=12), rng.random(12) < 0.7
    cases = [
        {"y": y > 0, "intercept": True},
        {"y": y, "model": "poisson", "intercept": True},
        {"y": y, "model": "multinomial", "intercept": True},
        *(
            {"y": y, "model": m, "parallel": p}
            for m in ("cumulative", "adjacent", "sequential")
            for p in (1, 0)
        ),
        {"model": "cox", "time": time, "event": event},
        {"y": y > 0, "model": "conditional", "groups": np.repeat([1, 2, 3], 4)},
    ]
    for arguments in cases:
        found = linsep.check_separation(X, **arguments)
        V, columns, excluded = linsep.structure_vectors(X, **arguments)
        assert columns == found.columns and V.shape == (len(excluded), len(columns))
        own = linsep.check_recession(V)
        assert own.kind == found.kind, arguments
        assert list(own.infinite.values()) == list(found.infinite.values()), arguments
        if found:
            scores = V @ found.direction
            assert scores.min() > -1e-12 and (scores > 1e-12).sum() == found.separated


def test_answers_as_plain_values():
    found = linsep.check_separation([[1, 0], [1, 0], [1, 1]], ["no", "yes", "yes"])
    plain = json.loads(json.dumps(found.to_dict()))
    # As programs read them all is counted from 1, here as well as on the command line.
    assert plain["coefficients"] == [
        {"name": "x1", "estimate": "finite"},
        {"name": "x2", "estimate": "+inf"},
    ]
    assert plain == json.loads(found.to_json()) and plain["separated_rows"] == [3]
    (common,) = plain["in_common"]
    assert (common["column"], common["value"], common["outcome"]) == ("x2", 1, "yes")
    assert plain["estimate_exists"] is False and plain["left_out"] == ["x2"]
    assert plain["cone_dimension"] == 1 and "proof" in plain
    assert found.infinite == {"x1": "+inf"} and found.left_out == ["x1"]
    assert found.causes == ["the one row with x1 = 1 has y = yes"]
    assert "x1" in found._repr_html_() and "+inf" in found._repr_html_()
    ordered = linsep.check_separation([[1.0], [2], [3]], [1, 2, 3], model="cumulative")
    assert ordered.columns == ["x0", "1 | 2", "2 | 3"]
    assert ordered.excluded == [(0, "above 1"), (1, "above 2"), (1, "below 2"), (2, "below 3")]


def test_proofs_hold_for_their_data_alone():
    X, y = np.array([[1, 0.0], [1, 1], [1, 1], [1, 3]]), np.array([0, 1, 0, 1])
    for arguments in (
        {"y": y},
        {"y": y, "intercept": True},
        {"y": y, "model": "poisson"},
        {"y": [0, 1, 2, 1], "model": "multinomial"},
        {"model": "cox", "time": [4, 3, 2, 1.0]},
    ):
        found = linsep.check_separation(X, **arguments)
        assert found.proof is not None and linsep.verify_separation(found.proof, X, **arguments)
        other = X.copy()
        other[2, 1] = 0.5
        refused = linsep.verify_separation(found.proof, other, **arguments)
        assert not refused and "other data" in str(refused.reason)
    refused = linsep.verify_separation(found.proof, X, y)
    assert not refused and "the proof is about a cox model" in str(refused.reason)


# Where tolerances fail. Each case is decided by the last bits of its numbers.


def test_income_in_dollars_beside_a_dummy():
    rng = np.random.default_rng(0)
    income = np.round(rng.lognormal(11, 1, size=200), 2)
    dummy = (rng.random(200) < 0.1).astype(float)
    y = (rng.random(200) < 0.5).astype(int)
    y[dummy == 1] = 1
    X = np.column_stack([np.ones(200), income, dummy])
    for scale in (1, 1e12, 1e-12):
        found = linsep.check_separation(X * [1, scale, 1], y)
        assert (found.kind, found.infinite) == ("quasi-complete", {"x2": "+inf"})


def test_unix_timestamps():
    # Seconds around 1.7e9: the cut is between two seconds.
    seconds = 1_700_000_000 + np.array([0, 1, 2, 3, 4, 5.0])
    X = np.column_stack([np.ones(6), seconds])
    assert linsep.check_separation(X, [0, 0, 0, 1, 1, 1]).infinite == {"x0": "-inf", "x1": "+inf"}
    assert linsep.check_separation(X, [0, 0, 1, 0, 1, 1]).kind == "overlap"


def test_a_sum_that_is_not_three_tenths():
    # 0.1 + 0.2 is above 0.3, by one bit.
    X = np.array([[1, 0.3], [1, 0.1 + 0.2]])
    assert linsep.check_separation(X, [0, 1]).kind == "complete"
    X = np.array([[1, 0.3], [1, 0.1 + 0.2], [1, 0.3]])
    assert linsep.check_separation(X, [0, 1, 1]).kind == "quasi-complete"
    X = np.array([[1, 0.3], [1, 0.1 + 0.2], [1, 0.3], [1, 0.1 + 0.2]])
    assert linsep.check_separation(X, [0, 1, 1, 0]).kind == "overlap"


def test_a_sentinel_for_missing_values():
    X = np.array([[1, 3.0], [1, 2147483647], [1, 5], [1, 2147483647], [1, 4]])
    assert linsep.check_separation(X, [0, 1, 1, 1, 0]).kind == "complete"
    assert linsep.check_separation(X, [0, 1, 1, 1, 1]).kind == "complete"
    # The sentinel has both outcomes: the cut is there.
    assert linsep.check_separation(X, [0, 0, 0, 1, 0]).kind == "quasi-complete"
    assert linsep.check_separation(X, [1, 0, 0, 1, 0]).kind == "overlap"


def test_differences_that_no_float_holds():
    # x1 - x0 rounds to x2 - x1, but is larger by less than a bit.
    tiny = 2.0**-60
    X = np.array([[tiny], [1.0], [2.0]])
    time, event = [3.0, 2.0, 1.0], [1, 1, 1]
    assert linsep.check_separation(X, model="cox", time=time, event=event).kind == "complete"
    # Two columns whose exact differences are proportional, and one in which they are not.
    X = np.array([[tiny, 2 * tiny, 0.0], [1.0, 2.0, 2.0], [0.0, 0.0, 0.0]])
    found = linsep.check_separation(X[:, :2], model="cox", time=time, event=event)
    assert found.aliased == ["x0", "x1"]
    found = linsep.check_separation(X[:, [0, 2]], model="cox", time=time, event=event)
    assert found.aliased == []
