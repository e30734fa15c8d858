"""What counts as an event, a count and a category, and advice that can be followed: as the program has
it in tests/transcripts/outcomes.md."""

import warnings

import linsep
import numpy as np
import pytest

TIME = [1, 2, 3, 4, 5, 6]
STATUS = [2, 2, 1, 2, 2, 1]
DOSE = np.array([[4.0], [3], [2], [1], [2], [1]])


def cox(**options):
    return linsep.check_separation(DOSE, model="cox", time=TIME, **options)


def test_events_are_what_cannot_be_mistaken():
    with pytest.raises(
        ValueError, match=r"row 0 .counted from 0. of event: expected 0 or 1.*found 2.*R's"
    ):
        cox(event=STATUS)
    expected = cox(event=[1, 1, 0, 1, 1, 0])
    words = ["dead" if s == 2 else "alive" for s in STATUS]
    for given in (
        {"event": STATUS, "event_value": 2},
        {"event": np.array(STATUS, dtype=float), "event_value": 2.0},
        {"event": words, "event_value": "dead"},
        {"event": [s == 2 for s in STATUS]},
        {"event": ["TRUE" if s == 2 else "FALSE" for s in STATUS]},
        {"event": [s == 1 for s in STATUS], "event_value": False},
    ):
        assert cox(**given).proof == expected.proof
    assert cox(event=STATUS, event_value=1).proof != expected.proof
    with pytest.raises(ValueError, match="expected rows with the event 3, found 2, 1"):
        cox(event=STATUS, event_value=3)
    with pytest.raises(ValueError, match="expected two values"):
        cox(event=[1, 2, 3, 1, 2, 3], event_value=2)
    with pytest.raises(ValueError, match="expected 0 or 1"):
        cox(event=words)
    with pytest.raises(TypeError, match="event_value was given without event"):
        cox(event_value=2)


def test_a_category_without_weight_does_not_exist():
    X, y, w = [[1.0], [2], [3], [4], [5], [6]], list("ababcc"), [1, 1, 1, 1, 0, 0]
    for model in ("multinomial", "cumulative", "adjacent", "sequential"):
        options = {"model": model, "levels": ["a", "b", "c"], "weights": w}
        found = linsep.check_separation(X, y, **options)
        assert found.kind == "overlap" and not any("c" in name for name in found.columns)
        assert linsep.verify_separation(found.proof, X, y, **options)
        assert not linsep.verify_separation(found.proof, X, y, **{**options, "weights": None})
        with pytest.raises(ValueError, match=r'levels .*"a" twice'):
            linsep.check_separation(X, y, model=model, levels=["a", "b", "a", "c"])


def test_rows_without_weight_are_no_reason():
    X = np.array([[0, 1.0], [0, 2], [0, 3], [0, 2], [1, 2], [1, 3], [1, 1], [0, 9]])
    y, w = [0, 1, 0, 1, 1, 1, 0, 1], [1, 1, 1, 1, 1, 1, 0, 0]
    found = linsep.check_separation(X, y, weights=w, intercept=True)
    assert found.causes == ["all 2 rows with x0 = 1 have y = 1"]
    assert found.left.tolist() == [True] * 4 + [False] * 4
    assert any("of the 4 rows" in step for step, _ in found.next_steps)


def test_counts_and_trials():
    X = [[1.0], [0], [0], [1]]
    assert (
        linsep.check_separation(X, [0, 1.5, 0, 2.25], model="poisson", intercept=True).kind == "overlap"
    )
    with pytest.raises(
        ValueError, match=r"row 1 .counted from 0. of y: expected a count, at least 0, found -1"
    ):
        linsep.check_separation(X, [0, -1, 0, 2], model="poisson")
    with pytest.raises(ValueError, match="expected 0 to 5 successes in 5 trials, found 6"):
        linsep.check_separation(X, [0, 6, 5, 5], trials=[5, 5, 5, 5])
    with pytest.raises(ValueError, match=r"a whole number of trials, at least 0, found 2\.5"):
        linsep.check_separation(X, [0, 2, 5, 5], trials=[5, 2.5, 5, 5])
    with pytest.raises(ValueError, match="expected a weight, at least 0, found -1"):
        linsep.check_separation(X, [0, 1, 0, 1], weights=[1, -1, 1, 1])


# Every line of code that is printed runs: each family, quasi-completely and completely separated, with a
# constant that the model adds or the design has, and with rows of weight zero.

RNG = np.random.default_rng(5)
ROWS = 60
DUMMY = (np.arange(ROWS) % 5 == 0).astype(float)
NOISE = np.round(RNG.normal(size=ROWS), 2)


def _outcomes(model):
    """Return outcomes that a dummy separates in part, and the rest does not."""
    draws = RNG.integers(0, 3, ROWS)
    if model in ("poisson", "negative-binomial"):
        return np.where(DUMMY == 1, 0, draws)
    if model == "log-binomial":
        return np.where(DUMMY == 1, 0, draws == 0).astype(int)
    if model in ("binomial", "conditional"):
        return np.where(DUMMY == 1, 1, draws > 0).astype(int)
    return np.where(DUMMY == 1, 2, draws)


def _cases():
    for model in ("binomial", "log-binomial", "poisson", "negative-binomial", "multinomial"):
        for options in (
            {},
            {"intercept": True},
            {"weights": True},
            {"weights": True, "intercept": True},
        ):
            yield model, options
    for model in ("cumulative", "adjacent", "sequential"):
        yield from ((model, {}), (model, {"parallel": False}), (model, {"weights": True}))
    for model in ("binomial", "log-binomial"):
        yield from ((model, {"trials": kind}) for kind in ("numbers", "shares"))
    yield from (("conditional", {}), ("conditional", {"weights": True}))
    for options in ({}, {"event": True}, {"event_value": 2}, {"entry": True}, {"groups": True}):
        yield "cox", options
    yield from (("cox", {"ties": ties}) for ties in ("efron", "exact"))
    yield "cox", {"event": True, "weights": True}


@pytest.mark.parametrize(("model", "options"), list(_cases()), ids=str)
@pytest.mark.parametrize("complete", [False, True], ids=["some", "all"])
def test_printed_code_runs(model, options, complete):
    pd, sm = pytest.importorskip("pandas"), pytest.importorskip("statsmodels.api")
    from statsmodels.discrete.conditional_models import ConditionalLogit
    from statsmodels.duration.hazard_regression import PHReg

    index = [f"r{k}" for k in range(ROWS)]
    X = pd.DataFrame({"one": 1.0, "noise": NOISE, "dummy": DUMMY}, index=index)
    if options.get("intercept") or model not in (
        "binomial",
        "log-binomial",
        "poisson",
        "negative-binomial",
        "multinomial",
    ):
        X = X.drop(columns="one")
    y = pd.Series(_outcomes(model), index=index, name="outcome")
    if complete:
        X["told"] = y.astype(float)
    given = {
        key: value
        for key, value in options.items()
        if key in ("intercept", "parallel", "ties", "event_value")
    }
    names = {"X": X, "y": y, "sm": sm, "ConditionalLogit": ConditionalLogit, "PHReg": PHReg}

    def beside(name, values):
        given[name] = names[name] = pd.Series(values, index=index)

    if options.get("weights"):
        beside("weights", np.where(np.arange(ROWS) % 7 == 3, 0.0, 1.5))
    if "trials" in options:
        trials = np.where(np.arange(ROWS) % 9 == 4, 0, 5)
        y = names["y"] = pd.Series(np.minimum(_outcomes(model) * 5, trials), index=index)
        if options["trials"] == "shares":
            y.iloc[1] = 2
            y = names["y"] = (y / np.maximum(trials, 1)).astype(float)
        beside("trials", trials)
    if model == "conditional":
        beside("groups", np.arange(ROWS) // 6)
    if model == "cox":
        beside("time", np.where(DUMMY == 1, 1.0, 2.0 + RNG.integers(0, 20, ROWS)))
        if options.get("event"):
            beside("event", (np.arange(ROWS) % 4 > 0).astype(int))
        if "event_value" in options:
            beside("event", 1 + (np.arange(ROWS) % 4 > 0))
        if options.get("entry"):
            beside("entry", np.zeros(ROWS))
        if options.get("groups"):
            beside("groups", np.arange(ROWS) % 2)
        y = None
        if complete:
            X["told"] = -names["time"]
    found = names["found"] = linsep.check_separation(X, y, model=model, **given)
    assert found, "the case is separated"
    steps = found.next_steps
    assert steps
    for _, code in steps:
        if code:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                eval(code, dict(names))
    codes = [code for _, code in steps if code]
    assert codes or model in ("cumulative", "adjacent", "sequential")
    if options.get("weights"):
        assert all("found." in code for code in codes if not code.startswith("X.drop"))
