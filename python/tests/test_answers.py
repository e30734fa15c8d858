"""One question, one answer: of a table as of its arrays, in a folder as in memory, and of copies."""

import copy
import json
import pickle

import linsep
import numpy as np
import pytest
from conftest import make_separable

pd = pytest.importorskip("pandas")


def times():
    """Return a frame of covariates, times, events, entries and strata."""
    rng = np.random.default_rng(4)
    rows = 60
    frame = pd.DataFrame(
        {
            "dose": rng.integers(0, 4, rows).astype(float),
            "treated": (np.arange(rows) % 6 == 0).astype(float),
            "age": rng.integers(30, 80, rows).astype(float),
            "weeks": rng.integers(5, 40, rows),
            "died": rng.integers(0, 2, rows),
            "since": rng.integers(0, 5, rows),
            "site": np.where(rng.random(rows) < 0.5, "north", "south"),
        }
    )
    # Nobody dies who was treated.
    frame.loc[frame["treated"] == 1, "died"] = 0
    return frame


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_cox_model_of_a_file_is_that_of_its_arrays(tmp_path, form):
    frame = times()
    path = tmp_path / f"times.{form}"
    frame.to_csv(path, index=False) if form == "csv" else frame.to_parquet(path, index=False)
    X = frame[["dose", "treated", "age"]]
    for beside in (
        {"time": "weeks", "event": "died"},
        {"time": "weeks", "event": "died", "entry": "since", "ties": "efron"},
        {"time": "weeks", "event": "died", "groups": "site", "event_value": 1},
    ):
        arrays = {name: frame[own] if own in frame else own for name, own in beside.items()}
        # What else the file has is no covariate.
        exclude = [name for name in ("since", "site", "died") if name not in beside.values()]
        table = linsep.open(path, label="weeks", exclude=exclude)
        expected = linsep.check_separation(X, model="cox", **arrays)
        found = linsep.check_separation(table, model="cox", **beside)
        assert expected.kind == "quasi-complete" and expected.infinite["treated"] == "-inf"
        assert found.proof == expected.proof
        assert (found.kind, found.infinite, found.columns) == (
            expected.kind,
            expected.infinite,
            expected.columns,
        )
        for name in ("rows", "settled", "direction", "conflicting_rows"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
        assert found.excluded == expected.excluded and repr(found) == repr(expected)
        assert timeless(found) == timeless(expected)
        assert linsep.verify_separation(expected.proof, table, model="cox", **beside)
        assert linsep.verify_separation(found.proof, X, model="cox", **arrays)
        other = {**beside, "time": "age"}
        assert not linsep.verify_separation(found.proof, table, model="cox", **other)


@pytest.mark.parametrize(
    ("outcome", "options"),
    [
        ("died", {"intercept": True, "weights": "weight"}),
        ("died", {"model": "conditional", "groups": "site"}),
        ("count", {"intercept": True, "trials": "tries"}),
        ("cured", {"model": "log-binomial", "intercept": True, "weights": "weight"}),
        ("count", {"model": "log-binomial", "intercept": True, "trials": "tries"}),
        ("count", {"model": "poisson", "intercept": True}),
        ("count", {"model": "negative-binomial", "intercept": True, "weights": "weight"}),
        ("stage", {"model": "multinomial", "intercept": True, "levels": ["i", "ii", "iii"]}),
        ("stage", {"model": "cumulative", "levels": ["i", "ii", "iii"]}),
        ("stage", {"model": "adjacent", "levels": ["i", "ii", "iii"], "parallel": False}),
        ("stage", {"model": "sequential", "levels": ["i", "ii", "iii"], "weights": "weight"}),
    ],
)
def test_every_model_of_a_file_is_that_of_its_arrays(tmp_path, outcome, options):
    frame = times()
    frame["weight"] = (np.arange(60) % 5 != 1).astype(float)
    frame["count"] = np.where(frame["treated"] == 1, 0, frame["weeks"] % 4)
    frame["tries"] = 4
    frame["cured"] = (frame["count"] == 3).astype(int)
    frame["stage"] = np.array(["i", "ii", "iii"])[np.where(frame["treated"] == 1, 0, frame["weeks"] % 3)]
    beside = {name: own for name, own in options.items() if name in ("weights", "groups", "trials")}
    columns = ["dose", "treated", "age"]
    path = tmp_path / "rows.csv"
    frame[[*columns, *beside.values(), outcome]].to_csv(path, index=False)
    arrays = {name: frame[own] for name, own in beside.items()}
    expected = linsep.check_separation(frame[columns], frame[outcome], **{**options, **arrays})
    assert expected.kind == "quasi-complete" and len(expected.infinite)
    for table in (path, linsep.open(path, label=outcome)):
        found = linsep.check_separation(table, **options)
        assert found.proof == expected.proof and timeless(found) == timeless(expected)
        assert repr(found) == repr(expected) and found.next_steps == expected.next_steps
        np.testing.assert_array_equal(found.left, expected.left)
        assert linsep.verify_separation(expected.proof, table, **options)


def timeless(answer):
    return {name: value for name, value in answer.to_dict().items() if name != "seconds"}


def test_columns_of_a_table_are_named(tmp_path):
    times().to_csv(tmp_path / "times.csv", index=False)
    path = tmp_path / "times.csv"
    with pytest.raises(TypeError, match=r"time is \[1\]; expected the name of a column of the table"):
        linsep.check_separation(path, model="cox", time=[1])
    with pytest.raises(ValueError, match=r'times\.csv: no column "week"'):
        linsep.check_separation(path, model="cox", time="week", event="died")
    with pytest.raises(TypeError, match="time is missing"):
        linsep.check_separation(path, model="cox")
    with pytest.raises(TypeError, match="y was given with a table"):
        linsep.check_separation(path, [1], model="cox", time="weeks")
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        linsep.check_separation(tmp_path / "none.csv", model="cox", time="weeks")


def three(**options):
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "c"]
    return X, y, linsep.separability_matrix(X, y, **options)


def test_a_folder_of_proofs_is_checked_as_a_whole(tmp_path):
    X, y, matrix = three(argmax=True)
    folder = tmp_path / "proofs"
    matrix.save_proofs(folder)
    found = linsep.verify_folder(X, y, folder, pairs=True, one_vs_rest=True, argmax=True)
    assert found and repr(found).startswith("valid: 7 proofs about 4 rows of 3 classes")
    assert linsep.verify(X, y, folder) and "valid" in found._repr_html_()
    # Of a table in a file as well.
    path = tmp_path / "rows.csv"
    pd.DataFrame({"x": np.ravel(X), "label": y}).to_csv(path, index=False)
    assert linsep.verify_folder(path, None, folder, pairs=True)
    assert linsep.verify(path, folder)
    # Of other rows, and of other labels, it says nothing.
    assert not linsep.verify_folder([[0.0], [1.0], [2.0], [3.5]], y, folder)
    assert not linsep.verify_folder(X, ["a", "b", "c", "c"], folder)
    # What was not asked is not answered.
    three()[2].save_proofs(tmp_path / "fewer")
    assert linsep.verify_folder(X, y, tmp_path / "fewer", pairs=True, one_vs_rest=True)
    assert not linsep.verify_folder(X, y, tmp_path / "fewer", argmax=True)


def test_a_folder_that_leaves_a_proof_out_is_refused(tmp_path):
    X, y, matrix = three()
    for place in range(6):
        folder = tmp_path / f"without {place}"
        matrix.save_proofs(folder)
        proofs = sorted(path for path in folder.iterdir() if path.name != "index.json")
        assert len(proofs) == 6
        proofs[place].unlink()
        with_index = sorted(path.name for path in folder.iterdir())
        assert len(with_index) == 6
        assert refused(X, y, folder, proofs[place].name)
        # Nor does it help to leave it out of the index.
        (index,) = (path for path in folder.iterdir() if path.name == "index.json")
        text = json.loads(index.read_text())
        (entries,) = (key for key, value in text.items() if isinstance(value, list) and len(value) == 6)
        text[entries] = [own for own in text[entries] if proofs[place].name not in json.dumps(own)]
        assert len(text[entries]) == 5
        index.write_text(json.dumps(text))
        assert refused(X, y, folder, proofs[place].name)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        linsep.verify_folder(X, y, tmp_path / "nowhere")
    with pytest.raises(ValueError, match="expected 3 labels, one per row, found 4"):
        linsep.verify_folder(X[:3], y, tmp_path / "without 0")


def refused(X, y, folder, name):
    """Return whether a folder is refused, or its missing file is named."""
    try:
        return not linsep.verify_folder(X, y, folder, pairs=True, one_vs_rest=True)
    except (OSError, ValueError) as error:
        return name in str(error)


def test_a_proof_in_another_s_place_is_refused(tmp_path):
    X, y, matrix = three()
    matrix.save_proofs(tmp_path / "proofs")
    first, second, *_ = sorted(p for p in (tmp_path / "proofs").iterdir() if p.name != "index.json")
    texts = first.read_text(), second.read_text()
    first.write_text(texts[1])
    second.write_text(texts[0])
    assert not linsep.verify_folder(X, y, tmp_path / "proofs")


def test_a_fit_is_saved_whole(tmp_path):
    X, y = make_separable(200, 4, gap=0.5)
    words = np.where(y == 1, "yes", "no")
    found = linsep.fit(pd.DataFrame(X, columns=list("abcd")), words, "perceptron")
    assert (
        found.separated and found.classes == ("no", "yes") and (found.rows, found.features) == (200, 4)
    )
    assert (found.predict(X) == words).all()
    assert found.coef is found.entrant.coef and found.entrant.mistakes == 0
    assert repr(found).startswith("separated: all 200 rows on their own side")
    assert "separated" in found._repr_html_() and "perceptron" in repr(found)
    assert found.to_dict()["mistakes"] == 0 and found.to_dict()["method"] == "perceptron"
    found.save(tmp_path / "model.json")
    model = json.loads((tmp_path / "model.json").read_text())
    text = json.dumps(model)
    # A number is written so that it reads back as the same number.
    assert all(repr(weight) in text for weight in found.coef.tolist())
    assert repr(found.intercept) in text and all(f'"{name}"' in text for name in "abcd")
    found.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == found.to_html(title="page")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "page.html"]


def test_a_fit_is_that_of_a_race_and_of_a_file(tmp_path):
    X, y = make_separable(150, 3)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "x.labels.npy", y)
    for method in ("fine", "perceptron", "averaged"):
        options = {"max_epochs": 30, "shuffle": True, "seed": 5}
        found = linsep.fit(X, y, method, evaluate_epochs=True, **options)
        raced = linsep.race(X, y, method, **options)[method]
        assert found.coef.tolist() == raced.coef.tolist() and found.intercept == raced.intercept
        assert found.entrant.mistakes_after.tolist() == raced.mistakes_after.tolist()
        file = linsep.fit(tmp_path / "x.npy", method=method, **options)
        assert file.coef.tolist() == found.coef.tolist()
    with pytest.raises(ValueError, match="the model would overwrite the data"):
        file.save(tmp_path / "x.npy")
    wide = linsep.fit(X, y, settings={"epsilon": np.float32(0.5)})
    assert wide.to_dict()["settings"]["epsilon"] == 0.5
    with pytest.raises(ValueError, match=r"no method is called .perceptrn.; did you mean .perceptron."):
        linsep.fit(X, y, "perceptrn")
    with pytest.raises(TypeError, match="settings of 'joint' are 3; expected a dict"):
        linsep.fit(X, y, settings=3)
    with pytest.raises(ValueError, match="epsilon is NaN; expected a finite number"):
        linsep.fit(X, y, settings={"epsilon": float("nan")})
    with pytest.raises(ValueError, match="max_epochs is 0; expected an integer, at least 1"):
        linsep.fit(X, y, max_epochs=0)


def answers():
    X, y = make_separable(60, 3)
    y[5] ^= 1
    frame = pd.DataFrame(X, columns=["long", "broad", "deep"], index=[f"r{k}" for k in range(60)])
    yield linsep.decide(frame, y, explain=True)
    yield linsep.decide(X, y, max_passes=1)
    yield linsep.check_separation(frame, y, intercept=True)
    yield linsep.check_separation([[1, 0.0], [1, 1], [1, 2]], [0, 1, 1])
    yield linsep.audit(frame, y)
    yield linsep.race(frame, y, max_epochs=20)
    yield linsep.fit(frame, y, max_epochs=20)
    yield linsep.separability_matrix(frame, np.arange(60) % 3, argmax=True)
    yield linsep.decide(frame, y).verify(frame, y)


@pytest.mark.parametrize("again", [lambda a: pickle.loads(pickle.dumps(a)), copy.copy, copy.deepcopy])
def test_copies_say_the_same(again):
    for answer in answers():
        other = again(again(answer))
        assert type(other) is type(answer)
        assert repr(other) == repr(answer) and len(repr(other)) > 40
        assert other._repr_html_() == answer._repr_html_() and "<" in other._repr_html_()
        assert other.to_json() == answer.to_json() and other.to_dict() == json.loads(answer.to_json())


def test_copies_say_what_they_lack(tmp_path):
    X, y = make_separable(60, 3)
    for answer, call in (
        (linsep.decide(X, y), lambda a: a.to_html()),
        (linsep.audit(X, y), lambda a: a.to_html()),
        (linsep.audit(X, y), lambda a: a.to_csv()),
        (linsep.race(X, y), lambda a: a.to_html()),
        (linsep.fit(X, y), lambda a: a.save(tmp_path / "model")),
        (linsep.fit(X, y), lambda a: a.report(tmp_path / "page.html")),
        (linsep.separability_matrix(X, y), lambda a: a.save_proofs(tmp_path / "proofs")),
        (linsep.separability_matrix(X, y), lambda a: a.report(tmp_path / "page.html")),
    ):
        with pytest.raises(ValueError, match="again"):
            call(pickle.loads(pickle.dumps(answer)))
    assert list(tmp_path.iterdir()) == []


def test_what_else_a_decision_knows():
    decision = linsep.decide([[1.0], [1.0], [0.0]], [0, 1, 0])
    assert decision.contradictory_rows == [0, 1]
    assert 0 <= decision.chance <= 1
    # Of two rows on a line any labels are separable; of many almost none are.
    assert linsep.decide([[0.0], [1.0]], [0, 1]).chance == 1
    many = linsep.decide(np.arange(50.0).reshape(-1, 1), np.arange(50) > 20)
    assert many.chance == pytest.approx(50 * 2.0**-49, rel=1e-9)
    assert many.contradictory_rows is None


def test_pages_and_cells_of_many_classes(tmp_path):
    _, _, matrix = three()
    assert matrix.cell("b") == matrix.cell("b", "rest") == "no"
    assert matrix.cell("a", "c") == matrix.cell("c", "a")
    assert 0 < float(matrix.cell("a", "c")) <= matrix.margin("a", "c").lower
    with pytest.raises(KeyError, match="'x' is not one of the classes"):
        matrix.cell("a", "x")
    matrix.report(tmp_path / "classes.html")
    page = (tmp_path / "classes.html").read_text(encoding="utf-8")
    assert page == matrix.to_html(title="classes") and "linsep.verify_folder(X, y, folder)" in page


def test_proofs_do_not_land_on_the_data(tmp_path):
    path = tmp_path / "index.json"
    X = np.memmap(path, dtype=np.float64, mode="w+", shape=(4, 1))
    X[:] = [[0.0], [1.0], [2.0], [3.0]]
    X.flush()
    before = path.read_bytes()
    matrix = linsep.separability_matrix(X, ["a", "b", "b", "c"])
    with pytest.raises(ValueError, match="Choose another name"):
        matrix.save_proofs(tmp_path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["index.json"]
    matrix.save_proofs(tmp_path / "proofs")
