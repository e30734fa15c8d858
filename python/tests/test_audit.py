"""Rows that probably carry a wrong label."""

import linsep
import numpy as np
import pytest


def clouds(rows=120, columns=4, apart=3.0, wrong=(), classes=2, seed=0):
    """Return rows around as many centres as there are classes, and labels of which some are wrong."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % classes
    centres = apart * np.eye(classes, columns)
    X = rng.normal(size=(rows, columns)) + centres[y] * 2
    labels = y.copy()
    labels[list(wrong)] = (labels[list(wrong)] + 1) % classes
    return X, labels, y


def test_wrong_labels_in_the_way_are_found_and_proven():
    X, labels, truth = clouds(wrong=[3, 40])
    audit = linsep.audit(X, labels)
    assert sorted(audit.suspects.tolist()) == [3, 40]
    assert audit.ranking[:2].tolist() == audit.suspects.tolist()
    assert len(audit.ranking) == len(audit.probability) == 120
    assert (audit.suggested[audit.suspects] == truth[audit.suspects]).all()
    assert audit.proven[audit.suspects].all() and audit.in_the_way.sum() == 2
    assert audit.verdict == "inseparable"
    assert audit.verdict_without_suspects == "separable"
    assert audit.margin_weight is None and audit.margin_without == {}
    assert 1.5 < audit.expected < 4 and audit.stopped is None


def test_wrong_labels_that_a_hyperplane_accommodates_cost_margin():
    X, labels, _ = clouds(rows=100, columns=110, apart=3.0, wrong=[7], seed=1)
    audit = linsep.audit(X, labels)
    assert audit.suspects.tolist() == [7]
    assert audit.verdict == "separable" and not audit.proven.any()
    assert audit.margin_weight.sum() == pytest.approx(1)
    assert audit.margin_without[7].lower > audit.margin.upper
    assert audit.margin_without_suspects.lower > audit.margin.upper
    assert linsep.audit(X, labels, leave_out=0).margin_without == {}


def test_any_number_of_classes_and_kinds_of_labels():
    X, labels, truth = clouds(classes=4, wrong=[10, 21])
    words = np.array(["a", "b", "c", "d"])
    audit = linsep.audit(X, words[labels])
    assert sorted(audit.suspects.tolist()) == [10, 21]
    assert (audit.suggested[audit.suspects] == words[truth[audit.suspects]]).all()
    assert audit.classes == ["a", "b", "c", "d"] and audit.verdict is None
    against_rest = linsep.audit(X, words[labels], positive="b")
    assert against_rest.classes == ["rest", "b"] and against_rest.verdict is not None


def test_copies_under_two_labels():
    X, labels, _ = clouds()
    X, labels = np.vstack([X, X[:1]]), np.append(labels, 1)
    audit = linsep.audit(X, labels)
    assert audit.contradictions == [[0, 120]]
    assert audit.contradicted[[0, 120]].all() and audit.suspects.tolist() == [120]


def test_frames_files_and_sparse_rows(tmp_path):
    pd = pytest.importorskip("pandas")
    sparse = pytest.importorskip("scipy.sparse")
    X, labels, _ = clouds(wrong=[5])
    frame = pd.DataFrame(X, columns=list("pqrs"), index=[f"row {k}" for k in range(120)])
    audit = linsep.audit(frame, labels)
    assert list(audit.suspects_index) == ["row 5"]
    table = audit.to_frame()
    first = table.loc["row 5"]
    assert table.index[0] == "row 5" and first["row"] == 5 and first["label"] == labels[5]
    assert len(table) == 120
    assert linsep.audit(sparse.csr_array(X), labels).suspects.tolist() == [5]
    path = tmp_path / "rows.csv"
    frame.assign(name=frame.index, label=labels).to_csv(path, index=False)
    audit = linsep.audit(linsep.open(path, row_id="name"))
    assert list(audit.suspects_index) == ["row 5"]
    assert linsep.audit(path).suspects.tolist() == [5]


def test_same_answer_again():
    X, labels, _ = clouds(wrong=[5])
    first, second = linsep.audit(X, labels), linsep.audit(X, labels)
    assert (first.probability == second.probability).all()


def test_it_says_what_was_found():
    X, labels, _ = clouds(wrong=[5])
    audit = linsep.audit(X, labels)
    first, *facts = repr(audit).splitlines()
    assert first.startswith("1 suspect: ")
    # The row, counted from 0, with the label that it has and the one that it looks like.
    assert any(fact.split()[:3] == ["5", *map(str, [labels[5], audit.suggested[5]])] for fact in facts)
    assert "1 suspect" in audit._repr_html_()


def test_all_that_is_ranked_can_be_shown(tmp_path):
    X, labels, _ = clouds(wrong=[5])
    audit = linsep.audit(X, labels, top=3)
    assert [row["row"] for row in audit.to_dict()["ranking"]] == (audit.ranking[:3] + 1).tolist()
    lines = audit.to_csv().splitlines()
    assert len(lines) == len(labels) + 1 and "probability" in lines[0]
    audit.report(tmp_path / "rows.html")
    page = (tmp_path / "rows.html").read_text(encoding="utf-8")
    assert "1 suspect" in page and "rows" in page and "http" not in page.replace("www.w3.org", "")


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        ([0, 0, 1, 1], {"time_limit": 0}, "time_limit is 0; expected a time above 0"),
        ([0, 0, 1, 1], {"time_limit": float("nan")}, "time_limit is NaN; expected a time above 0"),
        ([0, 0, 1, 1], {"leave_out": -1}, "leave_out is -1; expected an integer, at least 0"),
        ([0, 0, 1, 1], {"leave_out": float("inf")}, "leave_out is inf; expected an integer"),
        ([0, 0, 1, 1], {"top": -1}, "top is -1; expected an integer, at least 0"),
        ([0, 0, 1, 1], {"top": 1.5}, "top is 1.5; expected an integer, at least 0"),
        (["a", "a", "a", "b"], {}, 'one row has the label "b"; an audit needs two of every class'),
        (["a", "a", "b", "c"], {}, 'one row has the label "b"; an audit needs two of every class'),
        ([1, 1, 1, 1], {}, "expected two classes, found one class"),
        ([1, 2, 3], {}, "expected 4 labels, one per row, found 3"),
    ],
)
def test_errors_say_what_is_wrong(labels, options, message):
    with pytest.raises(ValueError, match=message):
        linsep.audit([[0.0], [1.0], [2.0], [3.0]], labels, **options)


def test_a_limit_ends_the_work():
    X, labels, _ = clouds(rows=2000, columns=50)
    audit = linsep.audit(X, labels, time_limit=1e-6)
    assert audit.stopped == "time" and len(audit.ranking) == len(audit.suspects) == 0
    assert len(audit.to_frame()) == 0
