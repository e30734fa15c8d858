"""Races: the same data, the same order, work counted the same way."""

import dataclasses
import json
import pickle

import linsep
import numpy as np
import pytest
from conftest import make_separable

ALL = [name for name, _, _ in linsep._linsep.methods()]


def test_a_race_tells_how_each_method_did(separable):
    X, y = separable
    race = linsep.race(X, y, ["fine", "perceptron", "svm"], settings={"svm": {"hard": True}})
    assert [entrant.name for entrant in race] == ["fine", "perceptron", "svm"] and len(race) == 3
    for entrant in race:
        mistakes = int((np.where(X @ entrant.coef + entrant.intercept > 0, 1, 0) != y).sum())
        assert entrant.mistakes == mistakes == entrant.mistakes_after[-1]
        assert entrant.accuracy == 1 - mistakes / len(y)
        assert entrant.separated == (mistakes == 0)
        assert len(entrant.mistakes_after) == len(entrant.passes_after) == entrant.epochs
        assert (np.diff(entrant.passes_after) >= 0).all()
        assert entrant.passes_after[-1] == entrant.passes
    fine = race["fine"]
    # Skipping: the work is less than a pass per epoch.
    assert fine.separated and fine.stop == "separated" and fine.passes < fine.epochs
    assert race["perceptron"].passes == race["perceptron"].epochs
    assert fine.angular_margin > 0 and fine.geometric_margin > 0
    with pytest.raises(KeyError):
        race["lp"]


def test_the_same_race_twice():
    X, y = make_separable(200, 4, gap=0.5)
    first, second = (linsep.race(X, y, "all", max_epochs=50, shuffle=True, seed=3) for _ in range(2))
    assert [entrant.name for entrant in first] == ALL
    for a, b in zip(first, second, strict=True):
        assert a.updates == b.updates and a.coef.tolist() == b.coef.tolist()
    other = linsep.race(X, y, "perceptron", shuffle=True, seed=4)
    assert other["perceptron"].coef.tolist() != first["perceptron"].coef.tolist()


def test_names_of_methods(separable):
    with pytest.raises(ValueError, match=r"no method is called .perceptrn.; did you mean .perceptron."):
        linsep.race(*separable, ["fine", "perceptrn"])
    with pytest.raises(ValueError, match=r"did you mean .passive-aggressive."):
        linsep.race(*separable, "Passive_Aggressive")
    with pytest.raises(ValueError, match="the methods are fine, joint, corral, perceptron, "):
        linsep.race(*separable, ["oracle of Delphi"])
    with pytest.raises(ValueError, match="methods is fine twice; expected each method once"):
        linsep.race(*separable, ["fine", "fine"])
    with pytest.raises(ValueError, match="methods is empty"):
        linsep.race(*separable, [])


def test_settings_and_limits(separable):
    plain = linsep.race(*separable, "fine")["fine"]
    wide = linsep.race(*separable, "fine", settings={"fine": {"epsilon": 1e-3}})["fine"]
    assert wide.updates != plain.updates
    short = linsep.race(*separable, "perceptron", max_epochs=2)["perceptron"]
    assert short.epochs == 2 and short.stop == "epoch-limit" and not short.separated
    cut = linsep.race(*make_separable(2000, 3, gap=0.0), "svm", time_limit=1e-9)["svm"]
    assert cut.stop in ("time-limit", "separated")
    with pytest.raises(ValueError, match="settings are for 'svm', which is not in the race"):
        linsep.race(*separable, "fine", settings={"svm": {}})
    with pytest.raises(ValueError, match="settings are for 'epsilon', which is not in the race"):
        linsep.race(*separable, "fine", settings={"epsilon": 1e-6})
    with pytest.raises(TypeError, match="settings of 'fine' are 3; expected a dict"):
        linsep.race(*separable, "fine", settings={"fine": 3})
    with pytest.raises(ValueError, match="epsilon is -1"):
        linsep.race(*separable, "fine", settings={"fine": {"epsilon": -1.0}})
    with pytest.raises(ValueError, match="max_epochs is 0"):
        linsep.race(*separable, max_epochs=0)
    with pytest.raises(ValueError, match="time_limit is -1"):
        linsep.race(*separable, time_limit=-1)
    with pytest.raises(ValueError, match="seed is -1"):
        linsep.race(*separable, seed=-1)


def test_rows_sorted_by_class_are_shuffled():
    X, y = make_separable(300, 5, gap=0.5)
    order = np.argsort(y, kind="stable")
    race = linsep.race(X[order], y[order])
    assert race.shuffled and race.sorted_by_class
    assert "the rows are sorted by class, so each epoch visits them in a new random order" in repr(race)
    assert "shuffle=False" in repr(race) and race.seed == 0
    asked = linsep.race(X[order], y[order], shuffle=False)
    assert not asked.shuffled and asked.sorted_by_class
    assert "slow to learn from" in repr(asked) and "slow to learn from" in asked._repr_html_()
    mixed = linsep.race(X, y)
    assert not mixed.shuffled and "order" not in repr(mixed)
    shuffled = linsep.race(X, y, shuffle=True, seed=7)
    assert "rows in a new random order each epoch" in repr(shuffled)
    assert shuffled.seed == shuffled.to_dict()["seed"] == 7


def test_what_sorted_by_class_means():
    def sorted_by_class(positive):
        race = linsep.race(np.arange(len(positive)).reshape(-1, 1), positive, "fine", max_epochs=1)
        return race.sorted_by_class

    halves = np.arange(100) >= 50
    assert sorted_by_class(halves) and sorted_by_class(~halves)
    # A few rows out of place change nothing.
    nearly = halves.copy()
    nearly[10] = True
    assert sorted_by_class(nearly)
    assert not sorted_by_class(np.arange(100) % 2 == 0)
    assert not sorted_by_class(np.random.default_rng(0).random(100) < 0.1)
    assert not sorted_by_class(np.array([False, False, True, True]))


def test_all_kinds_of_rows():
    pd = pytest.importorskip("pandas")
    sparse = pytest.importorskip("scipy.sparse")
    X, y = make_separable(120, 3, gap=0.5)
    expected = linsep.race(X, y)["fine"].coef.tolist()
    words = np.where(y == 1, "yes", "no")
    frame = linsep.race(pd.DataFrame(X, columns=list("abc")), pd.Series(words))
    assert frame.classes == ("no", "yes") and frame["fine"].coef.tolist() == expected
    csr = linsep.race(sparse.csr_array(X), y, "perceptron")["perceptron"]
    assert csr.separated
    assert linsep.race(X.astype(np.float32), y)["fine"].separated
    three = np.where(X[:, 0] > 5, "c", words)
    assert linsep.race(X, three, positive="yes").classes == ("no", "yes")
    with pytest.raises(ValueError, match=r'row 2, column "b" .counted from 0.'):
        X[2, 1] = np.nan
        linsep.race(pd.DataFrame(X, columns=list("abc")), y)
    with pytest.raises(FileNotFoundError, match=r"data\.csv"):
        linsep.race("data.csv", None)


def test_renderings(tmp_path):
    pd = pytest.importorskip("pandas")
    race = linsep.race([[1.0], [2.0], [4.0], [5.0]], ["<b>no</b>", "<b>no</b>", "yes", "yes"])
    lines = repr(race).splitlines()
    assert lines[0].split()[:3] == ["method", "separated", "epochs"]
    assert len({len(line) for line in lines}) == 1, "the columns are aligned"
    assert [line.split()[0] for line in lines[1:]] == ["joint", "fine", "perceptron"]
    assert "perceptron" in race._repr_html_()
    for page in (race._repr_html_(), race.to_html(title="<b>no</b>")):
        assert "<b>no" not in page and "http" not in page.replace("www.w3.org", "")
    assert "&lt;b&gt;no" in race.to_html(title="<b>no</b>")
    race.report(tmp_path / "race.html")
    assert (tmp_path / "race.html").read_text(encoding="utf-8") == race.to_html(title="race")
    plain = race.to_dict()
    assert plain == json.loads(race.to_json())
    assert plain["labels"] == {"negative": "<b>no</b>", "positive": "yes"}
    assert plain["methods"][1]["method"] == "fine"
    assert plain["methods"][1]["history"][-1]["mistakes_after"] == 0
    assert race["fine"].to_dict()["mistakes_after"][-1] == 0
    frame = race.to_frame()
    assert isinstance(frame, pd.DataFrame) and list(frame.index) == ["joint", "fine", "perceptron"]
    assert frame.loc["fine", "mistakes"] == 0 and "coef" not in frame.columns
    with pytest.raises(dataclasses.FrozenInstanceError):
        race.rows = 3
    assert repr(pickle.loads(pickle.dumps(race))) == repr(race)


def test_progress_is_printed(capsys, separable):
    linsep.race(*separable, ["fine", "pocket"], max_epochs=2, verbose=True)
    told = capsys.readouterr().out
    lines = told.splitlines()
    assert lines[0].startswith("fine: epoch 1: ") and lines[-1].startswith("pocket: epoch 2: ")


def test_updates_are_within_the_bound_of_each_method():
    X, y = make_separable(120, 3, gap=0.6)
    methods = ["joint", "fine", "corral", "perceptron", "pocket", "voted", "averaged", "maxover", "svm"]
    for scale in ("none", "standard"):
        race = linsep.race(X, y, methods, scale=scale, settings={"fine": {"epsilon": 0.05}})
        for entrant in race:
            if entrant.name == "svm":
                assert entrant.updates_bound is None
            else:
                assert entrant.updates <= entrant.updates_bound
        assert isinstance(race["perceptron"].updates_bound, int)
        # By default epsilon is so small that the bound is beyond what floats count.
        assert isinstance(race["joint"].updates_bound, float) and race["joint"].updates_bound > 1e18
        listed = race.to_dict()["methods"]
        assert [own["updates_bound"] for own in listed] == [e.updates_bound for e in race]
        alone = linsep.fit(X, y, "perceptron", scale=scale)
        # The margin that another method found is at least as good.
        assert alone.updates_bound >= race["perceptron"].updates_bound
        assert alone.entrant.updates == race["perceptron"].updates
        assert "perceptron guarantees at most" in repr(alone)
    assert linsep.fit([[0.0], [1.0], [2.0]], [0, 1, 0], "perceptron").updates_bound is None


def test_methods_that_bound_the_margin_say_so():
    X, y = make_separable(120, 3, gap=0.1)
    race = linsep.race(X, y, ["corral", "maxover", "smooth", "fine", "svm", "sgd"])
    best = race["corral"].angular_margin
    for name in ("corral", "maxover", "smooth", "fine", "svm"):
        assert race[name].margin_bound >= best * (1 - 1e-9)
        assert race[name].scaled_margin is None
    assert race["sgd"].margin_bound is None
    found = linsep.fit(X, y, "corral", scale="standard")
    assert 0.99 * found.margin_bound <= found.entrant.scaled_margin <= found.margin_bound * (1 + 1e-12)
    assert found.margin_bound == found.to_dict()["margin"]["scaled"]["angular_upper_bound"]
