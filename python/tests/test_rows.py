"""Rows have the numbers of their file and the labels of their frame; no value is hidden or rounded."""

import os
import subprocess
import sys

import linsep
import numpy as np
import pytest
from linsep import LinearSeparator

pd = pytest.importorskip("pandas")

GAPS = "x,y,id,label\n,1,r0,a\n1,1,r1,a\n5,5,r2,b\n,2,r3,b\n5,5,r4,a\n9,9,r5,b\n,9,r6,b\n"
KEPT = [False, True, True, False, True, True, False]


@pytest.fixture(params=[False, True], ids=["memory", "disk"])
def stream(request):
    return request.param


def gaps(tmp_path, stream, **options):
    path = tmp_path / "gaps.csv"
    path.write_text(GAPS)
    return linsep.open(path, missing="drop", stream=stream, **options)


def test_rows_of_a_table_are_those_of_its_file(tmp_path, stream):
    table = gaps(tmp_path, stream, exclude="id")
    assert table.kept.tolist() == KEPT and (table.rows, table.dropped) == (4, 3)
    decision = linsep.decide(table, explain=True)
    assert decision.conflicting_rows.tolist() == [2, 4]
    assert decision.explanation.contradictions == [[2, 4]]
    assert set(decision.explanation.suspects) <= {2, 4}
    assert set(np.concatenate(decision.explanation.conflicts)) <= {2, 4}
    # A user looks at the rows of the file.
    frame = pd.read_csv(tmp_path / "gaps.csv")
    assert frame.iloc[decision.conflicting_rows]["id"].tolist() == ["r2", "r4"]
    said = " ".join(repr(decision).split())
    assert "rows 2 and 4 are the same row under both labels" in said
    assert decision.verify(table).valid
    pytest.importorskip("matplotlib")
    from linsep._picture import picture

    marked = {mark["name"] for mark in picture(decision, decision._data)["marked"]}
    assert {"2", "4"} <= marked <= {"1", "2", "4", "5"}


def test_names_of_rows_stay_beside_their_numbers(tmp_path, stream):
    decision = linsep.decide(gaps(tmp_path, stream, row_id="id"), explain=True)
    assert decision.conflicting_rows.tolist() == [2, 4]
    assert list(decision.conflicting_index) == ["r2", "r4"]


def test_all_rows_of_a_file_need_no_map(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text("x,label\n1,a\n2,b\n")
    assert linsep.open(path, missing="drop").kept is None


def test_rows_of_an_array_are_those_of_its_file(tmp_path, stream):
    np.save(tmp_path / "X.npy", np.array([[np.nan], [1.0], [5.0], [np.inf], [5.0], [9.0]]))
    np.save(tmp_path / "X.labels.npy", np.array([0, 0, 1, 1, 0, 1]))
    table = linsep.open(tmp_path / "X.npy", missing="drop", stream=stream)
    assert linsep.decide(table).conflicting_rows.tolist() == [2, 4]


def test_rows_of_parquet_are_those_of_its_file(tmp_path, stream):
    frame = pd.DataFrame({"x": [None, 1.0, 5.0, None, 5.0, 9.0], "label": list("aabbab")})
    frame.to_parquet(tmp_path / "gaps.parquet")
    table = linsep.open(tmp_path / "gaps.parquet", missing="drop", stream=stream)
    assert linsep.decide(table).conflicting_rows.tolist() == [2, 4]


def test_separated_rows_are_those_of_the_file(tmp_path, stream):
    path = tmp_path / "separated.csv"
    path.write_text("x,z,label\n,1,0\n0,1,0\n0,2,1\n0,,0\n0,3,0\n0,4,1\n1,2,1\n,2,1\n1,3,1\n")
    table = linsep.open(path, missing="drop", stream=stream)
    found = linsep.check_separation(table, intercept=True)
    assert found.kind == "quasi-complete"
    assert found.rows.tolist() == found.settled.tolist() == [6, 8]
    assert set(found.conflicting_rows) <= {1, 2, 4, 5}


def test_audited_rows_are_those_of_the_file(tmp_path, stream):
    lines = [f"r{k},{k + 30 * (k >= 20)},{int((k >= 20) != (k == 7))}" for k in range(40)]
    path = tmp_path / "audited.csv"
    path.write_text("\n".join(["id,x,y", "none,,0", *lines, "last,,1"]))
    audit = linsep.audit(linsep.open(path, label="y", row_id="id", missing="drop", stream=stream))
    assert audit.suspects.tolist() == [8] and list(audit.suspects_index) == ["r7"]
    # Every array has the rows of the file: a row that was left out was not judged.
    assert len(audit.probability) == 42 and np.isnan(audit.probability[[0, 41]]).all()
    assert audit.suggested[8] == "0" and audit.suggested[0] is None and not audit.proven[0]
    table = audit.to_frame()
    assert table["row"].tolist()[0] == 8 and table.index[0] == "r7" and len(table) == 40
    plain = linsep.audit(linsep.open(path, label="y", exclude="id", missing="drop", stream=stream))
    assert plain.to_frame()["row"].tolist()[0] == 8 and "8" in repr(plain)


def named_frame():
    frame = pd.DataFrame(
        {"const": 1.0, "x": [0, 0, 0, 0, 1, 1.0], "z": [1, 2, 3, 4, 2, 3.0]},
        index=["ann", "bob", "cid", "dot", "eve", "fay"],
    )
    return frame, pd.Series([0, 1, 0, 1, 1, 1], index=frame.index, name="y")


def test_labels_of_a_frame_survive_an_audit():
    x = np.array([k + 30 * (k >= 20) for k in range(40)], dtype=float)
    frame = pd.DataFrame({"x": x}, index=[f"p{k}" for k in range(40)])
    labels = ["b" if (k >= 20) != (k == 7) else "a" for k in range(40)]
    audit = linsep.audit(frame, labels)
    table = audit.to_frame()
    assert table.index[0] == "p7" and table["row"].tolist()[0] == 7
    assert table["probability"]["p7"] == audit.probability[7]


def test_labels_of_a_frame_survive_weights():
    frame, y = named_frame()
    found = linsep.check_separation(frame, y, weights=[1, 1, 1, 1, 0, 1])
    assert found.kind == "quasi-complete" and list(found.index) == ["fay"]


def test_labels_of_a_frame_survive_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    frame, y = named_frame()
    for model in (sm.Logit(y, frame), sm.GLM(y, frame, family=sm.families.Binomial())):
        assert list(linsep.check_separation(model).index) == ["eve", "fay"]
    # Rows that statsmodels leaves out do not shift the others.
    frame.loc["bob", "z"] = np.nan
    left = linsep.check_separation(sm.Logit(y, frame, missing="drop"))
    assert list(left.index) == ["ann", "cid", "dot", "eve", "fay"]
    arrays = sm.Logit(y.to_numpy(), named_frame()[0].to_numpy())
    assert linsep.check_separation(arrays).rows.tolist() == [4, 5]


LARGE = 2**53 + 1


@pytest.mark.parametrize(
    "X",
    [
        [[LARGE], [0]],
        [[LARGE, 0.5], [0, 0.5]],
        [[2**64 + 1], [0]],
        [[2**63 + 1], [-1]],
        [[10**400], [0]],
        np.array([[LARGE], [0]]),
        np.array([[-LARGE], [0]], dtype=object),
        np.array([[2**63 + 1], [0]], dtype=np.uint64),
        pd.DataFrame({"x": [LARGE, 0]}),
        pd.DataFrame({"x": pd.array([LARGE, 0], dtype="Int64")}),
        pd.DataFrame({"x": [LARGE, 0], "z": [0.5, 1.5]}),
    ],
)
def test_integers_that_would_be_rounded_are_refused(X):
    with pytest.raises(ValueError, match=r"does not hold exactly.*row 0.*has -?\d|more than 40 digits"):
        linsep.decide(X, [0, 1])
    with pytest.raises(ValueError, match=r"does not hold exactly|too large|infinity"):
        LinearSeparator().fit(X, [0, 1])


@pytest.mark.parametrize(
    "X",
    [
        [[2**60], [0]],
        [[2**60, 0.5], [0, 0.5]],
        [[2**64], [0]],
        [[1e300], [0]],
        np.array([[-(2**63)], [2**53]]),
        np.array([[2**63], [0]], dtype=np.uint64),
        pd.DataFrame({"x": pd.array([2**60, 0], dtype="Int64")}),
    ],
)
def test_large_integers_that_are_floats_are_taken(X):
    assert linsep.decide(X, [0, 1]).separable


def test_large_integers_in_files_are_refused_by_one_rule(tmp_path):
    (tmp_path / "x.csv").write_text(f"x,label\n1,a\n{LARGE},b\n")
    (tmp_path / "x.svm").write_text(f"a 1:1\nb 1:{LARGE}\n")
    pd.DataFrame({"x": [1, LARGE], "label": ["a", "b"]}).to_parquet(tmp_path / "x.parquet")
    for name in ("x.csv", "x.svm", "x.parquet"):
        with pytest.raises(ValueError, match=f"holds exactly.*found {LARGE}\nhint: exclude="):
            linsep.open(tmp_path / name)
    pd.DataFrame({"x": [1, 2**60], "label": ["a", "b"]}).to_parquet(tmp_path / "y.parquet")
    assert linsep.decide(tmp_path / "y.parquet").separable


X = np.array([[0.0], [1.0], [2.0], [3.0]])
HIDDEN_X = np.ma.array(X, mask=[[0], [0], [1], [0]])
y = np.array([0, 0, 1, 1])
HIDDEN_Y = np.ma.array(y, mask=[0, 1, 0, 0])
ENTRIES = {
    "decide": linsep.decide,
    "audit": linsep.audit,
    "race": linsep.race,
    "check_separation": linsep.check_separation,
    "separability_matrix": linsep.separability_matrix,
    "fit": lambda X, y: LinearSeparator().fit(X, y),
    "partial_fit": lambda X, y: LinearSeparator().partial_fit(X, y, classes=[0, 1]),
    "verify": lambda X_, y_: linsep.verify(X_, y_, linsep.decide(X, y).proof),
    "Decision.verify": lambda X_, y_: linsep.decide(X, y).verify(X_, y_),
}


@pytest.mark.parametrize("ask", ENTRIES.values(), ids=ENTRIES.keys())
def test_masked_values_are_missing_values(ask):
    with pytest.raises(
        ValueError, match=r"row 2 \(counted from 0\) of X: expected a value, found a masked"
    ):
        ask(HIDDEN_X, y)
    with pytest.raises(
        ValueError, match=r"row 2 \(counted from 0\) of X: expected a value, found a masked"
    ):
        ask(list(HIDDEN_X), y)
    with pytest.raises(
        ValueError, match=r"row 1 \(counted from 0\) of y: expected a value, found a masked"
    ):
        ask(X, HIDDEN_Y)


def test_masked_arrays_without_a_masked_value_are_arrays():
    whole = np.ma.array(X, mask=False)
    assert linsep.decide(whole, np.ma.array(y)).separable
    assert LinearSeparator().fit(whole, np.ma.array(y)).predict(whole).tolist() == y.tolist()


def test_masked_weights_groups_and_times_are_missing_values():
    hidden = np.ma.array([1, 1, 1, 1], mask=[0, 0, 0, 1])
    for name in ("weights", "trials"):
        with pytest.raises(ValueError, match=f"row 3 .* of {name}: expected a value, found a masked"):
            linsep.check_separation(X, y, **{name: hidden})
    with pytest.raises(ValueError, match=r"row 3 .* of groups"):
        linsep.check_separation(X, y, model="conditional", groups=hidden)
    for name in ("time", "event", "entry", "groups"):
        given = {"time": [1, 2, 3, 4], name: hidden}
        with pytest.raises(ValueError, match=f"row 3 .* of {name}"):
            linsep.check_separation(X, model="cox", **given)
    with pytest.raises(ValueError, match=r"row 3 .* of sample_weight"):
        LinearSeparator().fit(X, y, sample_weight=hidden)
    with pytest.raises(ValueError, match=r"row 2 .* of X"):
        LinearSeparator().fit(X, y).predict(HIDDEN_X)
    with pytest.raises(ValueError, match=r"row 2 .* of X"):
        linsep.decide(X, y).predict(HIDDEN_X)


def test_an_audit_that_was_stopped_at_once_has_not_looked():
    audit = linsep.audit(np.arange(4000.0).reshape(-1, 1), np.arange(4000) % 2, time_limit=1e-9)
    assert audit.stopped == "time" and len(audit.suspects) == 0
    first, *facts = repr(audit).splitlines()
    assert first == "stopped: the time ran out before any row could be judged"
    assert not any("suspect" in fact for fact in facts)
    assert "before any row could be judged" in audit._repr_html_()


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes there")
def test_names_that_are_not_utf8(tmp_path):
    path = os.fsencode(tmp_path) + b"/a\xff.csv"
    with open(path, "w") as file:
        file.write("x,label\n1,a\n2,b\n")
    table = linsep.open(path)
    assert linsep.decide(table).separable and linsep.decide(os.fsdecode(path)).separable
    assert repr(table).splitlines()[0].endswith("a\\xff.csv")
    repr(table).encode()
    with open(path, "w") as file:
        file.write("x,label\n1,a\nb,b\n")
    with pytest.raises(ValueError, match=r"a\\xff\.csv: line 3"):
        linsep.open(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_pipes_are_read_once(tmp_path, stream):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "x.csv").write_text(GAPS)
    with subprocess.Popen(f"cat {tmp_path}/x.csv > {tmp_path}/pipe", shell=True):
        table = linsep.open(tmp_path / "pipe", missing="drop", exclude="id", stream=stream)
    assert linsep.decide(table).conflicting_rows.tolist() == [2, 4]


def test_too_many_threads_are_a_plain_error():
    run = subprocess.run(
        [sys.executable, "-c", "import linsep"],
        capture_output=True,
        text=True,
        env={**os.environ, "RAYON_NUM_THREADS": "100000"},
    )
    assert run.stderr.splitlines()[-1].startswith(
        "ValueError: RAYON_NUM_THREADS is 100000; expected 1 to 1024"
    )
