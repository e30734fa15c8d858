"""Rows on other machines, without the machines: what executors do, in this process."""

import re
from itertools import pairwise

import linsep
import numpy as np
import pytest
from conftest import make_separable
from linsep import _linsep
from linsep._data import Labels, Matrix
from linsep._decision import decide_parts, decide_question
from scipy import sparse

pa = pytest.importorskip("pyarrow")
from linsep import _tasks  # noqa: E402

VECTOR = pa.struct(
    [
        ("type", pa.int8()),
        ("size", pa.int32()),
        ("indices", pa.list_(pa.int32())),
        ("values", pa.list_(pa.float64())),
    ]
)


def columns(X):
    return [pa.array(column) for column in X.T], [1] * X.shape[1]


def lists(X):
    return [pa.array(list(X))], [X.shape[1]]


def vectors(X, is_sparse):
    """Return vectors as Spark has them; `is_sparse` says which rows are sparse."""
    rows = []
    for i, row in enumerate(X):
        kept = np.flatnonzero(row)
        if is_sparse(i):
            rows.append({"type": 0, "size": len(row), "indices": kept, "values": row[kept]})
        else:
            rows.append({"type": 1, "size": None, "indices": None, "values": row})
    return [pa.array(rows, VECTOR)], [X.shape[1]]


def packed_parts(arrays, lengths, positive, parts, batch_rows=7, cut=5, number=None):
    """Return the packed batches of each part, and whether rows are sparse."""
    names = [f"c{k}" for k in range(len(arrays))]
    all_columns = [*arrays, pa.array(positive)] + ([] if number is None else [pa.array(number)])
    extra = ["positive"] + ([] if number is None else ["number"])
    table = pa.RecordBatch.from_arrays(all_columns, names=[*names, *extra])
    found = []
    for part, (first, end) in enumerate(parts):
        packer = _linsep.Packer(lengths, cut, part, numbered=number is not None)
        batches = []
        for at in range(first, end, batch_rows):
            packed, fault = packer.pack(table.slice(at, min(batch_rows, end - at)))
            assert fault is None
            nothing = [None] * len(packed)
            values = [*map(list, zip(*packed, strict=True)), nothing, nothing, nothing]
            batches.append(_tasks._batch(values, _tasks.PACKED))
        found.append(batches)
    sparse_rows = any(any(batch["sparse"].to_pylist()) for part in found for batch in part)
    return found, sparse_rows


def cluster_of(arrays, lengths, y, parts, number=None, names=None):
    """Return rows in parts as a cluster, and how often it is asked."""
    positive = np.asarray(y) == max(y)
    rows, width = len(y), sum(lengths)
    packed, is_sparse = packed_parts(arrays, lengths, positive, parts, number=number)
    offsets = None if number is not None else [first for first, _ in parts]
    counts = {"fetch": 0, "ask": 0}

    def ask(request):
        counts["ask"] += 1
        answers = []
        for batches in packed:
            for batch in _tasks.answer(iter(batches), request, is_sparse, offsets):
                answers += batch["found"].to_pylist()
        # Some are merged on the way.
        some = answers[:2]
        together = _tasks._batch([some, [None] * len(some)], _tasks.FOUND)
        merged = list(_tasks.merge(iter([together]), request))
        return [*merged[0]["found"].to_pylist(), *answers[2:]]

    def fetch(wanted):
        counts["fetch"] += 1
        found = []
        for batches in packed:
            for batch in _tasks.pick(iter(batches), np.unique(wanted), is_sparse, offsets):
                found += zip(batch["numbers"].to_pylist(), batch["packed"].to_pylist(), strict=True)
        return found

    known = {"classes": ("0", "1"), "columns": names}
    return _linsep.Cluster(ask, fetch, rows=rows, features=width, sparse=is_sparse, **known), counts


def decide_in_parts(arrays, lengths, y, parts, number=None, **options):
    cluster, counts = cluster_of(arrays, lengths, y, parts, number)
    matrix = Matrix(cluster, len(y), sum(lengths))
    return decide_parts(matrix, Labels(None, (0, 1)), decide_question(**options)), counts


def same(found, expected):
    assert found.proof.to_json() == expected.proof.to_json()
    assert (found.verdict, found.passes, found.way) == (expected.verdict, expected.passes, expected.way)
    np.testing.assert_array_equal(found.coef, expected.coef)


def cuts(rows):
    """Return 1, 2 and 7 parts, skewed and some of them empty."""
    yield [(0, rows)]
    yield [(0, 1), (1, rows)]
    ends = [0, 0, 3, 3, rows // 2, rows - 1, rows - 1, rows]
    yield list(pairwise(ends))


@pytest.mark.parametrize(("rows", "flipped"), [(200, False), (3000, True)])
def test_pictures_and_pages_are_those_of_rows_in_one_place(rows, flipped):
    X, y = make_separable(rows, 4)
    y[17] = 1 - y[17] if flipped else y[17]
    names = ["a", "b", "c", "d"]

    def drawn(x, positive):
        matrix, labels = Matrix(x, rows, 4, names), Labels(positive, (0, 1))
        given = labels.of(matrix)
        decision = decide_parts(matrix, labels, decide_question())
        answer = decision._answer.drawn(given)
        # Seconds are all that differs.
        page = re.sub(r"[0-9.]+ (µs|ms|s)\b", "", answer.page("data", "verify"))
        coef, intercept = decision.coef, decision.intercept
        if coef is None:
            coef, intercept = _linsep.compromise(given, max_passes=None)
        return answer.picture(), _linsep.picture(given, coef, intercept, [1], [2]), page

    expected = drawn(X, y == 1)
    for parts in cuts(rows):
        cluster, _ = cluster_of(*columns(X), y, parts, names=names)
        assert drawn(cluster, None) == expected


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("margin", ["any", "max"])
def test_every_form_of_rows_is_decided_as_in_one_place(flipped, margin):
    X, y = make_separable(200, 4)
    X[np.abs(X) < 0.3] = 0.0
    y[17] = 1 - y[17] if flipped else y[17]
    in_memory = linsep.decide(X, y, margin=margin)
    single = X.astype(np.float32)
    forms = [
        (columns(X), in_memory),
        (lists(X), in_memory),
        (vectors(X, lambda i: False), in_memory),
        (columns(single), linsep.decide(single, y, margin=margin)),
        (vectors(X, lambda i: True), linsep.decide(sparse.csr_array(X), y, margin=margin)),
        (vectors(X, lambda i: i % 3 == 0), linsep.decide(sparse.csr_array(X), y, margin=margin)),
    ]
    for (arrays, lengths), expected in forms:
        for parts in cuts(len(y)):
            found, _ = decide_in_parts(arrays, lengths, y, parts, margin=margin)
            same(found, expected)


def test_rows_may_come_in_any_order():
    X, y = make_separable(120, 3)
    order = np.random.default_rng(1).permutation(len(y))
    arrays, lengths = columns(X[order])
    for parts in cuts(len(y)):
        found, _ = decide_in_parts(arrays, lengths, y[order], parts, number=order)
        same(found, linsep.decide(X, y))


def test_rows_that_a_pass_names_come_with_its_answer():
    X, y = make_separable(4000, 6, gap=0.01)
    found, counts = decide_in_parts(*lists(X), y, [(0, 1500), (1500, 4000)])
    same(found, linsep.decide(X, y))
    # To start with, and no more.
    assert counts["ask"] >= 3 and counts["fetch"] == 1


def test_an_error_of_the_cluster_is_the_error_of_the_call():
    _, y = make_separable(50, 3)

    def fail(_):
        raise RuntimeError("no machine is there")

    cluster = _linsep.Cluster(fail, fail, rows=len(y), features=3, sparse=False)
    with pytest.raises(RuntimeError, match="no machine is there"):
        decide_parts(Matrix(cluster, len(y), 3), Labels(None, (0, 1)), decide_question())
    nothing = _linsep.Cluster(lambda request: [], lambda rows: [], rows=50, features=3, sparse=False)
    with pytest.raises(OSError, match="the rows have changed while they were read"):
        decide_parts(Matrix(nothing, len(y), 3), Labels(None, (0, 1)), decide_question())


def test_what_is_wrong_with_a_row_is_said():
    X = np.ones((9, 2))
    X[5, 1] = np.nan

    def fault(arrays, lengths):
        batch = pa.RecordBatch.from_arrays(
            [*arrays, pa.array([True] * 9)], names=[*(f"c{k}" for k in range(len(arrays))), "positive"]
        )
        packer = _linsep.Packer(lengths, 100, 0)
        packer.pack(batch.slice(0, 3))
        return packer.pack(batch.slice(3, 6))[1]

    row, column, what = fault(*columns(X))
    assert (row, column) == (5, "1") and "expected a finite number, found NaN" in what
    assert fault(*lists(X))[:2] == (5, "1")
    assert fault(*vectors(X, lambda i: i > 6))[:2] == (5, "1")
    short = [[1.0, 2.0]] * 7 + [[1.0]] * 2
    row, column, what = fault([pa.array(short)], [2])
    assert (row, column) == (7, "c0") and what == "expected a list of 2, found one of 1"
    text = fault([pa.array(["a"] * 9)], [1])
    assert text[1] == "c0" and "expected numbers" in text[2]


def test_bytes_that_are_no_answer_are_refused():
    with pytest.raises(RuntimeError, match="same version of linsep"):
        _linsep.merge(b"nonsense", [b"a", b"b"])
    assert _linsep.merge(b"anything", []) is None
    with pytest.raises(TypeError, match="no packed rows"):
        _linsep.Worker(b"", sparse=False).add(pa.RecordBatch.from_pydict({"a": [1]}))


@pytest.mark.parametrize("trouble", [None, "no folder", "a file in the way", "full"])
def test_packed_rows_in_files(tmp_path, monkeypatch, trouble):
    from linsep import _stash

    X, y = make_separable(60, 3)
    (batches,), _ = packed_parts(*columns(X), y > 0, [(0, 60)])
    folder = tmp_path / "disk"
    folder.mkdir()
    if trouble == "a file in the way":
        folder = folder / "file"
        folder.touch()
    if trouble != "no folder":
        monkeypatch.setenv("SPARK_LOCAL_DIRS", str(folder))
    else:
        monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    if trouble == "full":

        def full(_self, _batch):
            raise OSError("No space left on device")

        monkeypatch.setattr(pa.ipc.RecordBatchFileWriter, "write", full, raising=False)
    (place,) = _stash.write(iter(batches), lambda rows: rows, "name")
    (path,) = place.column("path").to_pylist()
    assert place.column("rows").to_pylist() == [60]
    found = list(_stash.read(iter([place]), lambda rows: rows, _tasks.FOUND, None))
    if trouble is None:
        assert found == batches
        keys = [batches[1].column("key")[0].as_py()]
        some = _stash.read(iter([place]), lambda rows: rows, _tasks.FOUND, keys)
        found = [key for batch in some for key in batch.column("key").to_pylist()]
        assert found and set(found) == set(keys)
        assert list(_stash.sweep(iter([place]), "name")) == [] and not list(folder.iterdir())
        (lost,) = _stash.read(iter([place]), lambda rows: rows, _tasks.FOUND, None)
        assert lost.to_pylist() == [{"found": None, "lost": 0}]
    else:
        assert path is None
        assert [batch.to_pylist() for batch in found] == [[{"found": None, "lost": 0}]]
        assert not folder.is_dir() or not list(folder.iterdir())
