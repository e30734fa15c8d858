"""Tables in files: the same answers and proofs as for arrays, in memory and from the disk."""

import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import linsep
import numpy as np
import pytest
from conftest import make_separable
from linsep import _linsep
from linsep._decision import decide_question
from linsep._table import read_table
from scipy import sparse

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

NAMES = ["a", "b", "c", "d"]
# What `linsep.open` hands on where nothing is asked for.
DEFAULTS = {
    "label": None,
    "positive": None,
    "features": None,
    "exclude": [],
    "row_id": None,
    "categorical": "auto",
    "all_levels": False,
    "labels": None,
    "missing": "refuse",
    "format": None,
    "delimiter": None,
    "header": None,
    "index_base": None,
    "stream": None,
    "cache_dir": None,
    "cache_limit": None,
}


def in_blocks(path, **options):
    """Return a table that stays on the disk, in blocks of a few rows, and fits in no memory."""
    return read_table(path, {**DEFAULTS, "stream": True, "block_bytes": 512, "memory": 0, **options})


def agree(path, X, y, **options):
    """Decide a file in memory, from the disk and in small blocks, and the same rows as arrays."""
    expected = linsep.decide(X, y)
    for table in (
        linsep.open(path, stream=False, **options),
        linsep.open(path, stream=True, **options),
    ):
        decision = linsep.decide(table)
        assert decision.proof.to_json() == expected.proof.to_json()
        assert (decision.verdict, decision.way) == (expected.verdict, expected.way)
        # The table can be decided again, and counts anew.
        assert decision.passes == linsep.decide(table).passes == expected.passes
        np.testing.assert_array_equal(decision.coef, expected.coef)
        np.testing.assert_array_equal(decision.conflicting_rows, expected.conflicting_rows)
        assert decision.rows == table.rows == np.shape(X)[0]
        assert decision.features == table.features == np.shape(X)[1]
        assert linsep.verify(table, decision.proof)
        assert expected.proof.verify(table)
        assert decision.verify(table)
    return expected


@pytest.fixture(params=["separable", "inseparable"])
def data(request):
    X, y = make_separable(300, 4)
    if request.param == "inseparable":
        y[::50] ^= 1
    return X, y


@pytest.fixture
def frame(data):
    X, y = data
    return pd.DataFrame(X, columns=NAMES).assign(label=y)


def test_csv(tmp_path, data, frame):
    frame.to_csv(tmp_path / "plain.csv", index=False)
    agree(tmp_path / "plain.csv", *data)
    # The index that pandas writes is no feature.
    frame.to_csv(tmp_path / "index.csv")
    agree(tmp_path / "index.csv", *data)
    table = linsep.open(tmp_path / "index.csv")
    assert table.left_out == {1: "it has no name and counts the rows"}
    assert table.feature_names == NAMES and table.label == "label" and table.classes == ("0", "1")
    frame.to_csv(tmp_path / "odd.txt", index=False, header=False, sep=";")
    options = {"format": "csv", "delimiter": ";", "header": False, "label": 5}
    agree(tmp_path / "odd.txt", *data, **options)
    frame.to_csv(tmp_path / "packed.csv.gz", index=False)
    agree(tmp_path / "packed.csv.gz", *data)


def test_parquet(tmp_path, data, frame):
    frame.to_parquet(tmp_path / "one.parquet", index=False)
    agree(tmp_path / "one.parquet", *data)
    pl.from_pandas(frame).write_parquet(tmp_path / "polars.parquet", row_group_size=64)
    agree(tmp_path / "polars.parquet", *data)
    parts = tmp_path / "parts"
    parts.mkdir()
    for k in range(3):
        frame[100 * k : 100 * (k + 1)].to_parquet(parts / f"part-{k}.parquet", index=False)
    (parts / "_SUCCESS").touch()
    agree(parts, *data)
    agree(f"{parts}/part-*.parquet", *data)
    assert linsep.open(parts / "part-?.parquet").rows == 300


def test_arrow(tmp_path, data, frame):
    frame.to_feather(tmp_path / "one.feather", compression="uncompressed")
    agree(tmp_path / "one.feather", *data)
    pl.from_pandas(frame).write_ipc(tmp_path / "polars.arrow")
    agree(tmp_path / "polars.arrow", *data)


def test_a_column_of_embeddings(tmp_path, data):
    X, y = data
    pa.parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"embedding": pa.array(X.tolist()), "label": y})
    pa.parquet.write_table(table, tmp_path / "lists.parquet", row_group_size=77)
    agree(tmp_path / "lists.parquet", X, y)
    assert linsep.open(tmp_path / "lists.parquet").features == 4


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_npy(tmp_path, data, dtype):
    X, y = data[0].astype(dtype), data[1]
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "x.labels.npy", y)
    agree(tmp_path / "x.npy", X, y)
    assert linsep.open(tmp_path / "x.npy").label is None
    (tmp_path / "words.txt").write_text("".join("yes\n" if label else "no\n" for label in y))
    agree(tmp_path / "x.npy", X, y, labels=tmp_path / "words.txt")
    np.save(tmp_path / "both.npy", np.column_stack([y, X]))
    agree(tmp_path / "both.npy", X, y, label=1)


def test_libsvm(tmp_path, data):
    datasets = pytest.importorskip("sklearn.datasets")
    X, y = data
    X = np.where(np.abs(X) < 0.3, 0.0, X)
    X[:, 3] += 1.0
    datasets.dump_svmlight_file(X, y, str(tmp_path / "x.svm"), zero_based=False)
    rows, labels = datasets.load_svmlight_file(str(tmp_path / "x.svm"), zero_based=False)
    agree(tmp_path / "x.svm", sparse.csr_matrix(rows), labels.astype(int))
    base = linsep.open(tmp_path / "x.svm", index_base=0)
    assert base.features == 5


def test_text_and_missing_values(tmp_path):
    frame = pd.DataFrame(
        {
            "color": ["red", "blue", "red", "green", None, "blue"],
            "size": [1.0, 2.0, np.nan, 4.0, 5.0, 7.0],
            "id": ["r1", "r2", "r3", "r4", "r5", "r6"],
            "class": ["no", "yes", "no", "yes", "no", "yes"],
        }
    )
    for path in (tmp_path / "x.csv", tmp_path / "x.parquet"):
        write = frame.to_csv if path.suffix == ".csv" else frame.to_parquet
        write(path, index=False)
        with pytest.raises(ValueError, match=r'x.*(line 4|row 3), column "size".*\n?hint: missing='):
            linsep.open(path)
        for stream in (False, True):
            kept = linsep.open(path, missing="drop", row_id="id", stream=stream)
            assert (kept.rows, kept.dropped, kept.filled) == (4, 2, 0)
            assert kept.levels == {"color": ["blue", "green", "red"]}
            assert kept.feature_names == ["color=green", "color=red", "size"]
            assert kept.on_disk is stream and kept.classes == ("no", "yes")
            X = np.array([[0, 1, 1.0], [0, 0, 2.0], [1, 0, 4.0], [0, 0, 7.0]])
            proof = linsep.decide(X, ["no", "yes", "yes", "yes"]).proof
            assert linsep.decide(kept).proof == proof
            filled = linsep.open(path, missing="median", exclude=["id"], stream=stream)
            assert (filled.rows, filled.dropped, filled.filled) == (6, 0, 2)
            # The most frequent level, of equals the first; and the middle of 1, 2, 4, 5 and 7.
            X = [[0, 1, 1], [0, 0, 2], [0, 1, 4], [1, 0, 4], [0, 0, 5], [0, 0, 7]]
            assert linsep.decide(filled).proof == linsep.decide(X, [0, 1, 0, 1, 0, 1]).proof
            every = linsep.open(path, missing="mean", all_levels=True, stream=stream)
            assert every.feature_names == ["color=blue", "color=green", "color=red", "size"]
            assert every.left_out == {"id": "it is called an identifier, and no value occurs twice"}
        with pytest.raises(ValueError, match='column "color": expected a number, found "red"'):
            linsep.open(tmp_path / "x.csv", categorical="no", missing="drop")
        numbers = linsep.open(path, features=["size", 1], missing="drop", categorical="color")
        assert numbers.feature_names == ["size", "color=green", "color=red"]


def test_a_table_of_three_classes_is_for_questions_about_three(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("x,y\n0,a\n1,b\n2,c\n")
    assert linsep.open(path).classes == ("a", "b", "c")
    for two in (linsep.decide, linsep.race, linsep.fit, linsep.check_separation):
        for given in (path, linsep.open(path)):
            with pytest.raises(ValueError, match=r'x\.csv: .*found 3: "a", "b", "c"\nhint: positive='):
                two(given)


def test_the_positive_class_is_named_when_the_table_is_opened(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("x,y\n0,a\n1,b\n2,c\n")
    table = linsep.open(path, positive="a")
    assert table.classes == ("rest", "a")
    decision = linsep.decide(table)
    assert decision.separable and decision.classes == ("rest", "a")
    assert decision.verify(table)
    assert decision.predict([[-1.0], [9.0]]).tolist() == ["a", "rest"]
    direct = linsep.decide(path, positive="a")
    assert direct.proof == decision.proof and direct.verify(path)
    assert linsep.verify(str(path), direct.proof, positive="a")
    for ask in (linsep.decide, linsep.race, linsep.fit, linsep.audit, linsep.check_separation):
        with pytest.raises(TypeError, match="positive was given with a table"):
            ask(table, positive="b")
    with pytest.raises(TypeError, match="positive was given with a table"):
        linsep.check_separation(table, positive="b", weights="x")
    proof = linsep.check_separation(table).proof
    with pytest.raises(TypeError, match="positive was given with a table"):
        linsep.verify_separation(proof, table, positive="b")
    path.write_text("x,y\n0,1\n1,0\n")
    assert linsep.open(path, positive=0).classes == ("1", "0")
    assert linsep.open(path, positive=np.float64(1)).classes == ("0", "1")


def test_paths_are_opened(tmp_path, data, frame):
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    expected = linsep.decide(*data).proof
    for given in (path, str(path), str(path).encode()):
        assert linsep.decide(given).proof == expected
    expected.save(tmp_path / "proof.json")
    assert linsep.verify(path, tmp_path / "proof.json")
    assert linsep.verify(str(path), proof=expected)
    assert expected.verify(path)
    with pytest.raises(ValueError, match="gap is 0"):
        linsep.decide(tmp_path / "no-such-file.csv", gap=0)


def test_labels_are_of_the_table_or_beside_the_array(tmp_path, data, frame):
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    X, y = data
    table, proof = linsep.open(path), linsep.decide(path).proof
    for given in (table, path):
        with pytest.raises(TypeError, match="y was given with a table"):
            linsep.decide(given, y)
        with pytest.raises(TypeError, match="y was given with a table"):
            linsep.verify(given, y, proof)
    for call in (
        lambda: linsep.decide(X),
        lambda: proof.verify(X),
        lambda: linsep.separability_matrix(X),
        lambda: linsep.verify_folder(X, None, tmp_path),
        lambda: linsep.audit(X),
        lambda: linsep.fit(X),
    ):
        with pytest.raises(TypeError, match="y is missing: only tables and paths"):
            call()
    for call in (lambda: linsep.verify(X, y), lambda: linsep.verify(table)):
        with pytest.raises(TypeError, match="proof is missing"):
            call()
    with pytest.raises(TypeError, match="y was given with a table"):
        linsep.separability_matrix(path, y)
    with pytest.raises(TypeError, match="y was given with a table"):
        linsep.check_separation(table, y)


def test_a_table_is_asked_for_separation_as_arrays_are(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, size=(200, 4)).astype(float)
    y = rng.integers(0, 2, size=200)
    # A dummy that only ones have, and a column that is a sum.
    X[:, 1] = np.where(y == 1, X[:, 1] > 1, 0)
    X[:, 3] = X[:, 0] + X[:, 1]
    path = tmp_path / "design.csv"
    pd.DataFrame({**dict(zip(NAMES, X.T, strict=True)), "label": y}).to_csv(path, index=False)
    expected = linsep.check_separation(pd.DataFrame(X, columns=NAMES), y, intercept=True)
    assert expected.kind == "quasi-complete" and len(expected.aliased) and len(expected.rows)
    for table in (path, linsep.open(path), in_blocks(path)):
        found = linsep.check_separation(table, intercept=True)
        assert (found.kind, found.infinite, found.aliased) == (
            expected.kind,
            expected.infinite,
            expected.aliased,
        )
        assert found.columns == expected.columns and found.separated == len(expected.rows)
        np.testing.assert_array_equal(found.rows, expected.rows)
        np.testing.assert_array_equal(found.direction, expected.direction)
        np.testing.assert_array_equal(found.conflicting_rows, expected.conflicting_rows)


def test_rows_are_named(tmp_path):
    X, y = make_separable(200, 3)
    y[[17, 42]] ^= 1
    frame = pd.DataFrame(X, columns=NAMES[:3]).assign(who=[f"row-{k}" for k in range(200)], label=y)
    frame.loc[5, "who"] = "row, the fifth"
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_parquet(tmp_path / "x.parquet", index=False)
    for name in ("x.csv", "x.parquet"):
        for stream in (False, True):
            table = linsep.open(tmp_path / name, row_id="who", stream=stream)
            assert table.features == 3
            decision = linsep.decide(table, explain=True)
            assert (
                decision.conflicting_index.tolist() == frame["who"][decision.conflicting_rows].tolist()
            )
            why = decision.explanation
            assert sorted(why.suspects_index) == ["row-17", "row-42"]
            assert why.suspects_index.tolist() == [f"row-{row}" for row in why.suspects]
            assert "row-17" in repr(decision)
            numbered = linsep.decide(linsep.open(tmp_path / name, exclude="who", stream=stream))
            assert numbered.conflicting_index is None


def test_what_needs_all_rows_is_left_out_where_they_do_not_fit(tmp_path):
    X, y = make_separable(200, 3)
    y[[17, 42]] ^= 1
    # Names that are numbers are taken for a row of data, unless one says that they are names.
    pd.DataFrame(X).assign(label=y).to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(ValueError, match=r'found 3: "0", "1", "label"\nhint: .*header=True'):
        linsep.decide(tmp_path / "x.csv")
    table = in_blocks(tmp_path / "x.csv", header=True)
    with pytest.warns(UserWarning, match="the explanation is left out: it needs all rows in memory"):
        decision = linsep.decide(table, explain=True)
    assert decision.explanation is None and decision.left_out == []
    assert decision.proof == linsep.decide(X, y).proof
    # The dual problem is for sparse rows of many features.
    rng = np.random.default_rng(0)
    wide = sparse.random_array((60, 1500), density=0.02, format="csr", rng=rng)
    labels = np.arange(60) % 2
    datasets = pytest.importorskip("sklearn.datasets")
    datasets.dump_svmlight_file(wide, labels, str(tmp_path / "x.svm"), zero_based=False)
    decision = linsep.decide(in_blocks(tmp_path / "x.svm"))
    assert decision.left_out == ["dual"] and decision.verify(tmp_path / "x.svm")
    assert "left out    the dual problem, which needs all rows in memory" in repr(decision)
    assert linsep.decide(tmp_path / "x.svm").left_out == []


BAD_OPTIONS = [
    ({"label": 0}, ValueError, "label is 0; columns are counted from 1"),
    ({"label": -1}, ValueError, "label is -1; columns are counted from 1"),
    ({"label": True}, TypeError, "label is True; expected the name of a column, or its number from 1"),
    ({"label": "z"}, ValueError, 'x.csv: no column "z"; the columns are "a", "b", "y"'),
    ({"label": 9}, ValueError, "x.csv: no column 9;"),
    ({"features": [1, 2.5]}, TypeError, r"features is \[1, 2.5\]; expected names of columns"),
    ({"features": [0]}, ValueError, "features is 0; columns are counted from 1"),
    ({"features": []}, ValueError, "expected at least one feature"),
    ({"exclude": 2.5}, TypeError, "exclude is 2.5; expected names of columns"),
    ({"exclude": [None]}, TypeError, "exclude is .None."),
    ({"row_id": ["a"]}, TypeError, r"row_id is \['a'\]"),
    ({"categorical": None}, TypeError, "categorical is None"),
    ({"all_levels": "yes"}, TypeError, "all_levels is 'yes'; expected True or False"),
    ({"labels": 5}, TypeError, "labels is 5; expected a path"),
    ({"labels": "no-such-file"}, FileNotFoundError, "no-such-file"),
    (
        {"missing": "zero"},
        ValueError,
        'missing is "zero"; expected "refuse", "drop", "mean" or "median"',
    ),
    ({"missing": None}, TypeError, "missing is None"),
    ({"format": "xlsx"}, ValueError, 'format is "xlsx"; expected "csv", "tsv"'),
    ({"format": 3}, TypeError, "format is 3; expected text"),
    ({"delimiter": ";;"}, ValueError, 'delimiter is ";;"; expected one ASCII character'),
    ({"delimiter": ""}, ValueError, 'delimiter is ""; expected one ASCII character'),
    ({"header": "maybe"}, TypeError, "header is 'maybe'; expected \"auto\", True or False"),
    ({"index_base": 2}, ValueError, "index_base is 2; expected 0 or 1"),
    ({"stream": 1}, TypeError, 'stream is 1; expected "auto", True or False'),
    ({"cache_dir": 3}, TypeError, "cache_dir is 3; expected a path"),
    ({"cache_limit": -1}, ValueError, "cache_limit is -1; expected an integer, at least 0"),
    ({"cache_limit": "20G"}, TypeError, "cache_limit is '20G'; expected an integer"),
    ({"cache_limit": float("nan")}, TypeError, "cache_limit is nan"),
    ({"positive": "z"}, ValueError, 'no row has the label "z"; the labels are "no", "yes"'),
    ({"positive": True}, TypeError, "positive is True; expected a label as it is spelled"),
]


@pytest.mark.parametrize(("options", "kind", "message"), BAD_OPTIONS)
def test_bad_options(tmp_path, options, kind, message):
    (tmp_path / "x.csv").write_text("a,b,y\n1,2,no\n3,4,yes\n")
    with pytest.raises(kind, match=message):
        linsep.open(tmp_path / "x.csv", **options)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("", ValueError, "x.csv: expected data, found an empty file"),
        ("a,y\n", ValueError, "x.csv: expected data rows, found only a header"),
        ("a,y\n1,no\n2,yes\n3\n", ValueError, "x.csv: line 4: expected 2 cells, found 1"),
        ("a,y\n1,no\ninf,yes\n", ValueError, 'x.csv: line 3, column "a": expected a finite number'),
        ("a,y\n1,no\n2,no\n", ValueError, 'expected two classes, found one: all 2 rows are "no"'),
        ("a,y\n1,no\n2,\n", ValueError, 'line 3, column "y": expected a label, found nothing'),
        ("a,y\n1e308,no\n1e999,yes\n", ValueError, 'line 3, column "a": expected a finite number'),
    ],
)
def test_bad_tables(tmp_path, text, kind, message, stream):
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(kind, match=message):
        linsep.open(path, stream=stream)
    assert list(tmp_path.iterdir()) == [path]


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="No such file") as error:
        linsep.open(tmp_path / "none.csv")
    assert error.value.filename == str(tmp_path / "none.csv") and error.value.errno == 2
    with pytest.raises(FileNotFoundError, match="expected Parquet or Arrow files, found none"):
        linsep.open(tmp_path)
    # A dash is a name here, not the standard input of the interpreter.
    with pytest.raises(FileNotFoundError):
        linsep.open("-")
    with pytest.raises(TypeError, match="path is 5; expected a path"):
        linsep.open(5)
    with pytest.raises(TypeError, match="path is None"):
        linsep.open(None)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(ValueError, match=r"bad.parquet: the file is damaged"):
        linsep.open(tmp_path / "bad.parquet")
    for write, hint in [
        (pd.DataFrame.to_json, "pandas.read_json"),
        (pd.DataFrame.to_pickle, "pandas.read_pickle"),
        (lambda frame, path: frame.to_csv(path, encoding="utf-16"), 'encoding="utf-16"'),
        (pd.DataFrame.to_parquet, 'format="parquet" reads it'),
    ]:
        write(pd.DataFrame({"x": [1, 2], "y": [0, 1]}), tmp_path / "other.csv")
        with pytest.raises(ValueError, match=r"other.csv: expected a table, found .*\nhint: ") as error:
            linsep.open(tmp_path / "other.csv")
        assert hint in str(error.value)


def test_a_file_that_changes_is_an_error(tmp_path, data, frame):
    X, y = data
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_parquet(tmp_path / "x.parquet", index=False)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "x.labels.npy", y)
    for name in ("x.csv", "x.parquet", "x.npy"):
        path = tmp_path / name
        # Rows of text are kept in memory; arrays are read in place.
        tables = [linsep.open(path, stream=True)]
        tables += [linsep.open(path, stream=False)] if name == "x.npy" else []
        proof = linsep.decide(tables[0]).proof
        with path.open("ab") as file:
            file.write(b"\n")
        for table in tables:
            for call in (linsep.decide, proof.verify):
                with pytest.raises(OSError, match=f"{name}: the file has changed since"):
                    call(table)
        path.unlink()
        for table in tables:
            with pytest.raises(FileNotFoundError, match=name):
                linsep.decide(table)


def test_the_binary_copy_of_text(tmp_path, data, frame):
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    folder = tmp_path / "copies"
    folder.mkdir()
    expected = linsep.decide(*data).proof
    assert linsep.decide(linsep.open(path, stream=True, cache_dir=folder)).proof == expected
    (copy,) = folder.iterdir()
    assert copy.suffix == ".linsep-cache" and list(tmp_path.glob("*.linsep-cache")) == []
    written = copy.stat().st_mtime_ns
    again = linsep.open(path, stream=True, cache_dir=folder, cache_limit=10)
    assert copy.stat().st_mtime_ns == written, "a copy that is there is used"
    assert linsep.decide(again).proof == expected
    copy.unlink()
    with pytest.raises(OSError, match=r"x.csv.*: the cache would exceed 10 bytes\nhint: cache_dir="):
        linsep.open(path, stream=True, cache_dir=folder, cache_limit=10)
    assert list(folder.iterdir()) == []
    with pytest.raises(FileNotFoundError, match="the cache cannot be written"):
        linsep.open(path, stream=True, cache_dir=tmp_path / "none")


def test_threads_share_a_table(tmp_path):
    _, _, table = hard(tmp_path)
    expected = linsep.decide(table, margin="max")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: linsep.decide(table, margin="max"), range(8)))
    assert {d.passes for d in found} == {expected.passes}
    assert {d.proof for d in found} == {expected.proof}


def test_auto_reads_small_files_into_memory(tmp_path, frame):
    frame.to_csv(tmp_path / "x.csv", index=False)
    assert not linsep.open(tmp_path / "x.csv").on_disk
    assert list(tmp_path.iterdir()) == [tmp_path / "x.csv"]


def test_renderings(tmp_path):
    (tmp_path / "<x>.csv").write_text("id,c,a,y\n1,u,1,<b>no</b>\n2,v,,yes\n3,u,3,yes\n4,v,4,yes\n")
    table = linsep.open(tmp_path / "<x>.csv", missing="mean", stream=True)
    lines = repr(table).splitlines()
    assert lines[0].startswith("table: ") and lines[0].endswith("<x>.csv")
    said = " ".join(" ".join(lines).split())
    for fact in (
        'data 4 rows, 2 features; positive "yes", negative "<b>no</b>"',
        "1 missing value",
        'left out column "id"',
        'one feature per level of c (2 levels but "u")',
        'label column "y"',
        "rows on the disk",
    ):
        assert fact in said, fact
    html = table._repr_html_()
    assert "&lt;x&gt;.csv" in html and "<b>no" not in html and "http" not in html


def hard(tmp_path):
    """Return data of which the largest margin takes some passes, and its table on the disk."""
    X, y = make_separable(3000, 8)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "x.labels.npy", y)
    return X, y, linsep.open(tmp_path / "x.npy", stream=True)


@pytest.mark.parametrize("form", ["arrays", "table", "path"])
def test_a_decision_goes_on_from_its_checkpoint(tmp_path, form):
    X, y, table = hard(tmp_path)
    given = {"arrays": (X, y), "table": (table,), "path": (tmp_path / "x.npy",)}[form]
    whole = linsep.decide(*given, margin="max")
    kept = tmp_path / "kept"
    stopped = linsep.decide(*given, margin="max", max_passes=3, checkpoint=kept)
    assert stopped.unfinished and kept.exists()
    after = linsep.decide(*given, margin="max", checkpoint=str(kept), resume=True)
    assert after.proof == whole.proof and after.passes == whole.passes
    assert not after.unfinished and not kept.exists(), "a verdict removes it"
    assert linsep.decide(*given, margin="max", checkpoint=kept).proof == whole.proof
    assert not kept.exists()


@pytest.mark.parametrize("form", ["arrays", "table", "path"])
def test_a_checkpoint_of_something_else_is_refused(tmp_path, form):
    X, y, table = hard(tmp_path)
    given = {"arrays": (X, y), "table": (table,), "path": (tmp_path / "x.npy",)}[form]
    kept = tmp_path / "kept"
    linsep.decide(*given, margin="max", max_passes=3, checkpoint=kept)
    with pytest.raises(ValueError, match="kept: the checkpoint is of another run: its goals"):
        linsep.decide(*given, margin="any", checkpoint=kept, resume=True)
    with pytest.raises(ValueError, match="the checkpoint is of another run: its data differ"):
        linsep.decide(X + 1.0, y, margin="max", checkpoint=kept, resume=True)
    assert kept.exists()
    with pytest.raises(TypeError, match="resume was given without checkpoint"):
        linsep.decide(*given, resume=True)
    for checkpoint, resume in [(tmp_path / "none", True), (tmp_path / "no" / "such", False)]:
        with pytest.raises(FileNotFoundError):
            linsep.decide(*given, checkpoint=checkpoint, resume=resume)
    notes = tmp_path / "notes.txt"
    notes.write_text("what I must not lose")
    with pytest.raises(ValueError, match=r"notes.txt: not a checkpoint of decide"):
        linsep.decide(*given, checkpoint=notes)
    assert notes.read_text() == "what I must not lose"


def test_a_table_of_no_use_leaves_no_checkpoint(tmp_path):
    (tmp_path / "x.csv").write_text("a,y\n1,no\n")
    with pytest.raises(ValueError, match="found one"):
        linsep.decide(tmp_path / "x.csv", checkpoint=tmp_path / "kept")
    with pytest.raises(ValueError, match="NaN"):
        linsep.decide([[np.nan], [1.0]], [0, 1], checkpoint=tmp_path / "kept")
    assert list(tmp_path.iterdir()) == [tmp_path / "x.csv"]


def test_an_error_in_a_callback_ends_the_work_on_a_table(tmp_path):
    _, _, table = hard(tmp_path)

    def progress(line):
        raise RuntimeError(line)

    with pytest.raises(RuntimeError, match="pass 1: "):
        _linsep.ask(decide_question(margin="max", gap=1e-12), table._rows, progress)
    # The table is as good as before.
    assert linsep.decide(table).separable


def test_progress_is_printed(tmp_path, capsys):
    _, _, table = hard(tmp_path)
    linsep.decide(table, margin="max", verbose=True)
    assert "pass 1: " in capsys.readouterr().out


@pytest.mark.parametrize(
    "call",
    ["linsep.open(path, stream=True)", "linsep.decide(table, margin='max')", "proof.verify(table)"],
)
def test_ctrl_c_interrupts(tmp_path, call):
    script = f"""
        import itertools, os, linsep, numpy as np
        rng = np.random.default_rng(0)
        X = rng.normal(size=(100_000, 20))
        y = X[:, 0] + 0.1 * rng.normal(size=len(X)) > 0
        np.savetxt("x.csv", np.column_stack([X[:20_000], y[:20_000]]), "%.3f", ",")
        np.save("x.npy", X)
        np.save("x.labels.npy", y)
        table = linsep.open("x.npy", stream=True)
        proof = linsep.decide(table).proof
        try:
            print("ready", flush=True)
            for k in itertools.count():
                path = f"x{{k}}.csv"
                os.link("x.csv", path)
                {call}
                os.unlink(path)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()


def test_damaged_columns_are_an_error_and_nothing_is_printed(tmp_path, capfd):
    rng = np.random.default_rng(3)
    found = set()
    for seed in sorted(Path(__file__).parents[2].glob("fuzz/corpus/[ap][ar]r*/*")):
        good = seed.read_bytes()
        for _ in range(60):
            bad = bytearray(good)
            for at in rng.integers(len(bad), size=3):
                bad[at] ^= 1 << rng.integers(8)
            path = tmp_path / seed.name
            path.write_bytes(bad)
            try:
                linsep.open(path)
            except (ValueError, OSError, MemoryError) as error:
                found.add("contradict" in str(error))
    # Some of them make a decoder panic, which is an error like any other.
    assert found == {True, False}
    assert "panicked" not in capfd.readouterr().err
