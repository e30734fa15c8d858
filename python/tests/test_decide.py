"""Verdicts, and everything that comes with them."""

import json
import pickle

import linsep
import numpy as np
import pytest

CASES = [
    ("separable", [[100.0], [101.0]], [0, 1]),
    ("separable", [[0, 0], [1, 0], [0, 1], [1, 1]], [0, 0, 0, 1]),
    ("quasi-separable", [[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]),
    ("inseparable", [[0.0], [1.0], [2.0]], [0, 1, 0]),
    ("inseparable", [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]),
    ("inseparable", [[3.0], [3.0]], [0, 1]),
]


@pytest.mark.parametrize(("verdict", "X", "y"), CASES)
@pytest.mark.parametrize("margin", ["any", "max"])
def test_every_verdict_has_a_proof_that_verifies(verdict, X, y, margin):
    decision = linsep.decide(X, y, margin=margin)
    assert decision.verdict == verdict
    assert decision.separable == (verdict == "separable")
    check = decision.proof.verify(X, y)
    assert check and check.verdict == verdict and check.reason is None
    if verdict == "separable":
        assert decision.predict(X).tolist() == y
        assert len(decision.conflicting_rows) == 0
        assert decision.margin.lower > 0
    else:
        X, y = np.array(X, dtype=float), 2 * np.array(y) - 1
        total = sum(
            m * y[i] * np.append(X[i], 1)
            for i, m in zip(decision.conflicting_rows, decision.multipliers, strict=True)
        )
        assert np.all(total == 0)


def test_the_largest_margin_is_bracketed(separable):
    X, y = separable
    largest = linsep.decide(X, y, margin="max", gap=1e-9)
    lower, upper, kind = largest.margin
    assert kind == "angular" and 0 < lower <= upper <= lower * (1 + 1e-8)
    assert linsep.decide(X, y).margin.lower <= upper
    lifted = np.column_stack([X, np.ones(len(X))])
    w = np.append(largest.coef, largest.intercept)
    scores = (2 * y - 1) * (lifted @ w) / np.linalg.norm(lifted, axis=1) / np.linalg.norm(w)
    assert scores.min() == pytest.approx(lower, rel=1e-9)


def test_the_largest_geometric_margin_is_the_distance_of_the_nearest_row(separable):
    X, y = separable
    decision = linsep.decide(X, y, margin="max", margin_kind="geometric")
    lower, upper, kind = decision.margin
    assert kind == "geometric" and 0 < lower <= upper <= lower * (1 + 1e-5)
    distances = (2 * y - 1) * (X @ decision.coef + decision.intercept) / np.linalg.norm(decision.coef)
    assert distances.min() == pytest.approx(lower, rel=1e-9)
    assert decision.verify(X, y).margin == decision.margin
    with pytest.raises(ValueError, match="margin_kind is 'big'"):
        linsep.decide(X, y, margin_kind="big")


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([0, 1], (0, 1)),
        ([1, -1], (-1, 1)),
        (["no", "yes"], ("no", "yes")),
        (["9", "10"], ("9", "10")),
        ([True, False], (False, True)),
        ([2.5, 1.5], (1.5, 2.5)),
    ],
)
def test_the_larger_label_is_positive(labels, classes):
    decision = linsep.decide([[0.0], [1.0]], labels)
    assert decision.classes == classes
    assert decision.predict([[0.0], [1.0]]).tolist() == labels
    value = decision.coef[0] * labels.index(classes[1]) + decision.intercept
    assert value > 0


def test_one_label_can_be_named_as_positive():
    X, y = [[0.0], [1.0], [2.0]], ["a", "b", "c"]
    decision = linsep.decide(X, y, positive="a")
    assert decision.classes == ("rest", "a") and decision.separable
    assert decision.proof.verify(X, y)
    assert not linsep.decide(X, y, positive="b").separable
    with pytest.raises(ValueError, match="no row has the label 'z'; the labels are 'a', 'b', 'c'"):
        linsep.decide(X, y, positive="z")


def test_a_proof_is_saved_and_refused_for_other_data(tmp_path, xor):
    X, y = xor
    proof = linsep.decide(X, y).proof
    path = tmp_path / "proof.json"
    proof.save(path)
    assert list(tmp_path.iterdir()) == [path]
    assert linsep.Proof.load(path) == proof
    assert linsep.verify(X, y, path)
    refused = linsep.verify(X + 1, y, path)
    assert not refused and "other data" in refused.reason
    assert repr(refused).startswith("refused: the proof is about other data")
    assert pickle.loads(pickle.dumps(proof)) == proof


def test_a_tampered_proof_is_refused():
    X, y = [[100.0], [101.0]], [0, 1]
    text = linsep.decide(X, y).proof.to_json()
    import json

    claim = json.loads(text)
    claim["claim"]["hyperplane"]["bias"] = 0.0
    claim["margin"], claim["version"] = None, 1
    refused = linsep.Proof(json.dumps(claim)).verify(X, y)
    assert refused.reason == "row 0 (counted from 0) is on the wrong side"
    with pytest.raises(ValueError, match="not a proof file"):
        linsep.Proof(text[:-30])
    with pytest.raises(FileNotFoundError):
        linsep.Proof.load("no-such-file")


def test_undecided_says_so():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 20)), rng.integers(0, 2, 4000)
    decision = linsep.decide(X, y, time_limit=1e-9)
    assert decision.verdict == "undecided" and decision.proof is None
    with pytest.raises(ValueError, match="there is no proof"):
        decision.verify(X, y)


def test_the_index_of_a_frame_names_the_rows():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"dose": [0.0, 1.0, 2.0]}, index=["ann", "bob", "eve"])
    decision = linsep.decide(frame, [0, 1, 0])
    assert decision.conflicting_rows.tolist() == [0, 1, 2]
    assert decision.conflicting_index.tolist() == ["ann", "bob", "eve"]
    assert decision.feature_names == ["dose"]
    shown = [line.split() for line in repr(decision).splitlines()]
    assert [line[0] for line in shown if line[0] in frame.index] == ["ann", "bob", "eve"]
    assert ["row", "label", "dose"] in shown


def test_wrong_labels_are_found():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += 2 * y - 1
    y[[17, 42]] ^= 1
    decision = linsep.decide(X, y, explain=True)
    why = decision.explanation
    assert sorted(why.suspects.tolist()) == [17, 42]
    assert np.all(why.distances > 0) and why.irreducible
    rest = np.setdiff1d(np.arange(200), why.suspects)
    assert linsep.decide(X[rest], y[rest]).separable
    shown = repr(decision)
    assert "2 rows, the most suspicious first; without them the rest is separable" in shown
    named = [line.split()[0] for line in shown.split("suspects")[1].splitlines()[1:]]
    assert [int(row) for row in named if row.isdigit()][-2:] == why.suspects.tolist()
    assert linsep.decide(X, y).explanation is None
    twice = linsep.decide([[1.0], [1.0], [0.0]], [0, 1, 0], explain=True)
    assert twice.explanation.contradictions == [[0, 1]]


def test_how_many_rows_must_go_is_proven():
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, (400, 4))
    y = (X @ [1.0, -2.0, 0.5, 1.0] > 0).astype(int)
    wrong = rng.choice(400, 8, replace=False)
    y[wrong] ^= 1
    decision = linsep.decide(X, y, explain=True)
    why = decision.explanation
    assert 1 <= why.at_least <= why.at_most == len(why.suspects)
    assert len(why.conflicts) == why.at_least
    rows = np.concatenate(why.conflicts)
    assert len(set(rows.tolist())) == len(rows)
    for conflict in why.conflicts:
        assert not linsep.decide(X[conflict], y[conflict]).separable
    assert why.at_least == why.at_most
    must_go = f"{why.at_most} rows must go, and no smaller set exists (proven)"
    assert must_go in repr(decision) and must_go in decision._repr_html_()
    assert why.must_go() == must_go.replace(" must go", "") and why.must_go() in repr(why)
    found = decision.proof.verify(X, y)
    assert found.valid and found.removal == (why.at_least, why.at_most)
    assert json.loads(decision.proof.to_json())["version"] == 4
    plain = linsep.decide(X, y)
    assert plain.proof.verify(X, y).removal is None
    assert json.loads(plain.proof.to_json())["version"] == 1
    tampered = json.loads(decision.proof.to_json())
    tampered["removal"]["conflicts"].append(tampered["removal"]["conflicts"][0])
    assert not linsep.Proof(json.dumps(tampered)).verify(X, y)


def test_suspects_are_arrays_where_there_are_none(separable):
    for X, y in (separable, ([[1.0], [1.0]], [0, 1])):
        why = linsep.decide(X, y, explain=True).explanation
        assert why.suspects.dtype == np.int64 and why.suspects.shape == (0,)
        assert why.distances.dtype == np.float64 and why.distances.shape == (0,)
        assert why.at_least is None and why.at_most is None and why.conflicts == []
        assert "must go" not in repr(why) and "contradiction" in repr(why)


def test_renderings_are_readable_and_escaped():
    decision = linsep.decide([[0.0], [1.0]], ["<b>no</b>", "yes & so"])
    assert repr(decision).startswith("separable: ")
    assert 'positive "yes & so", negative "<b>no</b>"' in repr(decision)
    html = decision._repr_html_()
    assert "<b>no" not in html and "&lt;b&gt;no" in html and "yes &amp; so" in html
    assert "http" not in html and "<script" not in html


def test_progress_is_printed(capsys, separable):
    linsep.decide(*separable, verbose=True, margin="max")
    assert "pass 1: " in capsys.readouterr().out


def test_many_classes():
    pytest.importorskip("pandas")
    X = [[0.0], [1.0], [2.0], [3.0], [2.5]]
    matrix = linsep.separability_matrix(X, ["a", "b", "b", "c", "c"], margin="max")
    assert matrix.classes == ["a", "b", "c"]
    assert matrix.verdict("a", "b") == matrix.verdict("b", "a") == "separable"
    assert matrix.verdict("b") == "inseparable" and not matrix.separable
    frame = matrix.to_frame()
    assert len(frame) == 6
    assert frame.set_index(["class", "against"]).loc[("a", "rest"), "margin_lower"] > 0
    assert "inseparable" in matrix._repr_html_()
    # Rows are those of the whole data.
    assert matrix.margin("b", "rest") == matrix.margin("b") == matrix.one_vs_rest["b"].margin
    assert matrix.verdict("a", "rest") == matrix.verdict("a")
    with pytest.raises(KeyError, match="'x' is not one of the classes"):
        matrix.margin("a", "x")
    with pytest.raises(KeyError, match="'a' twice: expected two classes, or one and 'rest'"):
        matrix.verdict("a", "a")
    mixed = linsep.separability_matrix([[9.0], [0.0], [1.0], [0.5]], ["z", "a", "a", "b"])
    assert sorted(mixed.one_vs_one["a", "b"].conflicting_rows.tolist()) == [1, 2, 3]
    with pytest.raises(TypeError, match="speed"):
        linsep.separability_matrix(X, [0, 1, 2, 3, 4], speed=1)


def test_many_classes_take_the_options_of_decide(capsys):
    X, y = [[9.0], [0.0], [1.0], [0.5], [0.7]], ["z", "a", "a", "b", "b"]
    matrix = linsep.separability_matrix(
        X, y, margin="max", margin_kind="geometric", explain=True, verbose=True
    )
    assert matrix.margin("a", "z").kind == "geometric"
    assert matrix.margin("z", "a").lower == pytest.approx(4.0, rel=1e-5)
    assert capsys.readouterr().out.splitlines()[-1] == "6 of 6 questions"
    why = matrix.one_vs_one["a", "b"].explanation
    assert [int(row) for row in why.suspects] == [2]
    assert matrix.one_vs_one["a", "z"].explanation is not None
    assert "the geometric margin" in repr(matrix) and matrix.argmax is None
    with pytest.raises(ValueError, match="margin_kind"):
        linsep.separability_matrix(X, y, margin_kind="round")


def test_one_classifier_for_all():
    X, y = [[0.0], [1.0], [2.0], [3.0]], np.array(["a", "b", "b", "c"])
    matrix = linsep.separability_matrix(X, y, argmax=True)
    # No hyperplane tells the middle from the rest, and yet the largest of three scores can.
    assert matrix.verdict("b") == "inseparable" and matrix.argmax.exists
    assert (matrix.argmax.predict(X) == y).all()
    assert matrix.argmax.coef.shape == (3, 1) and matrix.argmax.intercept.shape == (3,)
    assert matrix.argmax.verify(X, y).verdict == "separable"
    assert not matrix.argmax.verify([[0.0], [1.0], [2.0], [3.5]], y).valid
    assert "can be right on every row" in repr(matrix) and "can be right" in matrix._repr_html_()
    mixed = linsep.separability_matrix([[0.0], [1.0], [0.5], [3.0]], [1, 1, 2, 3], argmax=True).argmax
    assert mixed.exists is False and mixed.pair == (1, 2) and mixed.coef is None
    assert mixed.conflicting_rows.tolist() == [0, 1, 2]
    assert mixed.verify([[0.0], [1.0], [0.5], [3.0]], [1, 1, 2, 3]).valid
    with pytest.raises(ValueError, match="no linear classifier"):
        mixed.predict([[0.0]])
    rng = np.random.default_rng(0)
    sparse = pytest.importorskip("scipy.sparse").csr_matrix(
        rng.normal(size=(60, 20)) * (rng.random((60, 20)) < 0.3)
    )
    labels = np.asarray(sparse @ rng.normal(size=(20, 4))).argmax(axis=1)
    found = linsep.separability_matrix(sparse, labels, argmax=True).argmax
    assert found.exists and (found.predict(sparse) == labels).all()


def test_multipliers_of_any_length():
    # Numbers of very different size: the multipliers have more digits than Python would read.
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 12)) * 2.0 ** rng.integers(-300, 300, size=(60, 12))
    y = np.arange(60) % 2
    decision = linsep.decide(np.vstack([X, X[:1]]), np.append(y, 1 - y[0]))
    assert decision.verdict != "undecided"
    signs = np.where(np.append(y, 1 - y[0]) == 1, 1, -1)
    total = sum(
        int(signs[row]) * multiplier
        for row, multiplier in zip(decision.conflicting_rows, decision.multipliers, strict=True)
    )
    assert total == 0


def test_why_there_is_no_verdict():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 8))
    limited = linsep.decide(X, X[:, 0] > X[::-1, 1], time_limit=1e-9)
    assert limited.verdict == "undecided" and limited.because == "time"
    assert "the time ran out" in repr(limited) and "time_limit=" in repr(limited)
    assert linsep.decide([[0.0], [1.0]], [0, 1]).because is None


def flipped(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows with labels of a hyperplane, one in forty of them wrong."""
    draw = np.random.default_rng(3)
    X = draw.uniform(-1, 1, (rows, columns))
    y = X @ draw.uniform(-1, 1, columns) > 0
    y[::40] = ~y[::40]
    return X, y


def test_one_matrix_or_integers():
    X, y = flipped(2600, 110)
    decision = linsep.decide(X, y)
    assert (decision.verdict, decision.ruled_out_by, decision.multipliers) == (
        "inseparable",
        "matrix",
        [],
    )
    rows, weights = decision.conflicting_rows, decision.row_weights
    # The theorem, in floats: the decrement is below one.
    A = np.hstack([X, np.ones((len(X), 1))]) * np.where(y, 1, -1)[:, None]
    A = A[rows] * weights[:, None]
    total = A.sum(0)
    assert total @ np.linalg.solve(A.T @ A, total) < 1
    verified = linsep.verify(X, y, decision.proof)
    assert verified.valid and "all rounding counted" in repr(verified)
    assert not linsep.verify(X, ~y, decision.proof).valid
    assert "rule it out by one matrix" in repr(decision)
    exact = linsep.decide(X, y, conflict="exact")
    assert (exact.verdict, exact.ruled_out_by, exact.row_weights) == ("inseparable", "conflict", None)
    assert len(exact.multipliers) == len(exact.conflicting_rows)
    with pytest.raises(ValueError, match='conflict is \'most\'; expected "any" or "exact"'):
        linsep.decide(X, y, conflict="most")


def test_a_page_of_a_matrix(tmp_path):
    X, y = flipped(2600, 110)
    page = tmp_path / "page.html"
    linsep.decide(X, y, explain=True).report(page)
    text = page.read_text()
    assert "one positive definite matrix" in text and "checked with all rounding counted" in text
