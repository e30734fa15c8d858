"""What can be handed over, without a copy where possible, and what is refused."""

import subprocess
import sys
import textwrap

import linsep
import numpy as np
import pytest
from conftest import make_separable
from linsep import _linsep
from linsep._data import read_matrix
from scipy import sparse


def in_place(X):
    """Return where Rust reads the first value of X."""
    return _linsep.address(read_matrix(X).values)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arrays_in_c_order_are_read_in_place(dtype):
    X = np.ones((4, 3), dtype=dtype)
    assert in_place(X) == X.ctypes.data
    X.flags.writeable = False
    assert in_place(X) == X.ctypes.data


def test_csr_is_read_in_place():
    X = sparse.random_array((50, 20), density=0.3, format="csr", rng=np.random.default_rng(0))
    assert in_place(X) == X.data.ctypes.data
    assert np.shares_memory(read_matrix(X).values[1], X.indices)


def test_other_forms_are_converted():
    X = np.arange(12.0).reshape(4, 3)
    for other in [np.asfortranarray(X), X.astype(int), X[::2], X.astype(">f8")]:
        assert in_place(other) != np.asarray(other).ctypes.data
        np.testing.assert_array_equal(read_matrix(other).values, np.asarray(other, dtype=float))


@pytest.fixture(
    params=[
        "f8",
        "f4",
        "i8",
        "fortran",
        "strided",
        "lists",
        "csr",
        "csc",
        "csr64",
        "pandas",
        "mixed",
        "nullable",
        "polars",
        "arrow",
        "object",
        "bool",
    ]
)
def same_data(request):
    X = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 0]], dtype=float)
    kind = request.param
    names = ["a", "b", "c"]
    if kind in ("pandas", "mixed", "nullable"):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(X, columns=names)
        if kind == "mixed":
            return frame.astype({"a": "int64", "b": "float32", "c": "bool"})
        return frame.astype("Float64") if kind == "nullable" else frame
    if kind == "polars":
        return pytest.importorskip("polars").DataFrame(X, schema=names)
    if kind == "arrow":
        return pytest.importorskip("pyarrow").table({n: X[:, k] for k, n in enumerate(names)})
    csr = sparse.csr_matrix(X)
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    return {
        "f8": X,
        "f4": X.astype(np.float32),
        "i8": X.astype(int),
        "fortran": np.asfortranarray(X),
        "strided": np.repeat(X, 2, axis=0)[::2],
        "lists": X.tolist(),
        "csr": csr,
        "csc": csr.tocsc(),
        "csr64": wide,
        "object": X.astype(object),
        "bool": X.astype(bool),
    }[kind]


def test_every_form_gives_the_same_proof(same_data):
    X = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 0]], dtype=float)
    y = [1, 1, 1, 0, 0]
    expected = linsep.decide(X, y).proof
    assert linsep.decide(same_data, y).proof.fingerprint == expected.fingerprint
    assert expected.verify(same_data, y)


def test_memory_does_not_double():
    script = """
        import resource, numpy as np, linsep
        rows, features = 1_000_000, 100
        rng = np.random.default_rng(0)
        X = np.empty((rows, features))
        for start in range(0, rows, 100_000):
            X[start:start + 100_000] = rng.random((100_000, features))
        y = X[:, 0] > 0.5
        X[:, 0] += np.where(y, 0.01, -0.01)
        linsep.decide(X[:10], [0, 1] * 5)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert linsep.decide(X, y).separable
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print((after - before) * 1024 / X.nbytes)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )
    assert float(run.stdout) < 0.15


REFUSED = [
    ([1.0, 2.0], [0, 1], "expected a 2-dimensional array .* found 1 dimension"),
    ([[[1.0]]], [0], "found 3 dimension"),
    (np.empty((0, 3)), [], "0 rows and 3 features"),
    (np.empty((2, 0)), [0, 1], "2 rows and 0 features"),
    ([[1.0], [np.nan]], [0, 1], r"row 1, column 0 \(counted from 0\): .*NaN"),
    ([[1.0], [-np.inf]], [0, 1], r"row 1, column 0 \(counted from 0\): .*infinity"),
    ([[1.7e308, 1.7e308], [0, 0]], [0, 1], r"row 0 \(counted from 0\): the row's norm overflows"),
    ([["a"], ["b"]], [0, 1], 'column "0" is not numeric'),
    ([[1 + 1j], [2]], [0, 1], "complex data is not supported"),
    ([[2**53 + 1], [0]], [0, 1], "integers that float64 does not hold exactly"),
    ([[1.0], [2.0]], [0], "expected 2 labels, one per row, found 1"),
    ([[1.0], [2.0]], [0, 0], "found one class: all 2 rows are 0"),
    ([[1.0], [2.0], [3.0]], [0, 1, 2], "expected two classes, found 3: 0, 1, 2"),
    ([[1.0], [2.0]], [0, np.nan], r"row 1 \(counted from 0\) has no label"),
    ([[1.0], [2.0]], ["a", None], r"row 1 \(counted from 0\) has no label"),
    ([[1.0], [2.0]], [[0, 1], [1, 0]], "expected one label per row"),
    ([[1.0], [2.0]], np.array(["a", 1], dtype=object), "labels of different types"),
    (sparse.csr_array(np.array([[1.0], [np.nan]])), [0, 1], "row 1, column 0 .*NaN"),
    (sparse.csr_array((0, 2)), [], "0 rows and 2 features"),
]


@pytest.mark.parametrize(("X", "y", "message"), REFUSED)
def test_bad_data_is_a_value_error(X, y, message):
    with pytest.raises(ValueError, match=message):
        linsep.decide(X, y)


def test_a_column_is_named_where_it_has_a_name():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [1.0, 2.0], "dose": [0.5, np.nan]})
    with pytest.raises(ValueError, match=r'row 1, column "dose" .counted from 0.: .*found NaN'):
        linsep.decide(frame, [0, 1])
    with pytest.raises(ValueError, match='column "sex" is not numeric'):
        linsep.decide(frame.assign(sex=["f", "m"]), [0, 1])


def test_a_damaged_sparse_matrix_is_a_value_error():
    X = sparse.csr_array(np.eye(3))
    X.indices[1] = -1
    with pytest.raises(ValueError):
        linsep.decide(X, [0, 1, 0])
    parts = (np.array([0, 1, 9]), np.array([0, 1], dtype=np.int32), np.ones(2), 2)
    with pytest.raises(ValueError, match="not a valid CSR"):
        _linsep.Arrays(parts, np.array([1, 0], dtype=np.uint32), ["no", "yes"])


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"margin": "huge"}, "margin is 'huge'"),
        ({"gap": 0}, "gap is 0"),
        ({"gap": float("nan")}, "gap is NaN; expected a number between 0 and 1"),
        ({"margin_kind": "wide"}, "margin_kind is 'wide'"),
        ({"max_passes": 0}, "max_passes is 0"),
        ({"max_passes": -1}, "max_passes is -1"),
        ({"max_passes": True}, "max_passes is True"),
        ({"max_passes": 2.5}, "max_passes is 2.5"),
        ({"time_limit": -1}, "time_limit is -1"),
        ({"time_limit": 0}, "time_limit is 0"),
        ({"time_limit": float("nan")}, "time_limit is NaN; expected a time above 0"),
        ({"time_limit": float("inf")}, "time_limit is inf; expected a time above 0"),
        ({"gap": float("-inf")}, "gap is -inf; expected a number between 0 and 1"),
        ({"max_passes": float("nan")}, "max_passes is nan; expected an integer, at least 1"),
        ({"max_passes": float("inf")}, "max_passes is inf; expected an integer, at least 1"),
        ({"max_passes": 10**30}, "max_passes is 1000+; expected an integer, at least 1"),
    ],
)
def test_bad_options_are_a_value_error(option, message):
    with pytest.raises(ValueError, match=message):
        linsep.decide([[0.0], [1.0]], [0, 1], **option)


def test_data_is_left_as_it_was():
    X, y = make_separable(100, 4)
    before = X.copy(), y.copy()
    linsep.decide(X, y)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


@pytest.mark.parametrize(
    ("x", "positive"),
    [
        (np.ones((3, 2)), np.array([True, False])),
        (np.ones((0, 2)), np.zeros(0, dtype=bool)),
        (np.ones((2, 0)), np.array([True, False])),
        (np.ones(3), np.array([True, False, True])),
        (np.ones((3, 2)).T, np.array([True, False])),
        (np.ones((2, 2), dtype=int), np.array([True, False])),
        (np.ones((2, 2)), np.ones(4, dtype=bool)[::2]),
        (np.ones((2, 2)), np.array([1, 0])),
        ("text", np.array([True, False])),
        ((np.array([-1, 1, 2]), np.zeros(2, np.int32), np.ones(2), 1), np.array([True, False])),
        ((np.array([0, 1, 2]), np.zeros(3, np.int32), np.ones(2), 1), np.array([True, False])),
        ((np.array([0, 1, 2]), np.array([0, 5], np.int32), np.ones(2), 1), np.array([True, False])),
    ],
)
def test_the_native_module_never_panics(x, positive):
    # PanicException is no Exception; it would go through here.
    def arrays():
        codes = positive
        if positive.dtype == bool:
            # In memory as the labels are, one after the other or not.
            gap = positive.strides[0] if len(positive) else 1
            codes = np.zeros(len(positive) * gap, dtype=np.uint32)[::gap]
            codes[:] = positive
        return _linsep.Arrays(x, codes, ["no", "yes"])

    fine = '{"name":"fine"}'
    for call in (
        lambda: _linsep.ask('{"ask":"decide","gap":0.1,"max_passes":9}', arrays()),
        lambda: _linsep.ask('{"ask":"decide","margin":"max"}', x),
        lambda: _linsep.ask('{"ask":"estimate","intercept":true,"max_passes":9}', arrays()),
        lambda: _linsep.ask('{"ask":"classes","pairs":true}', arrays()),
        lambda: _linsep.ask('{"ask":"audit"}', arrays()),
        lambda: _linsep.ask(f'{{"ask":"race","methods":[{fine}]}}', arrays()),
        lambda: _linsep.ask(f'{{"ask":"fit","method":{fine}}}', arrays()),
        lambda: _linsep.verify('{"ask":"verify"}', arrays(), "{}"),
        lambda: _linsep.compromise(arrays(), max_passes=9),
        lambda: _linsep.fit(x, positive, method=fine, max_epochs=2),
        lambda: _linsep.fit(x, positive, method="{}", max_epochs=2),
    ):
        with pytest.raises((ValueError, TypeError)):
            call()


@pytest.mark.parametrize(
    "question",
    [
        "",
        "null",
        "{}",
        '{"ask":"decide"',
        '{"ask":"what"}',
        '{"ask":"verify"}',
        '{"ask":"estimate","model":"cox"}',
        '{"ask":"decide","gap":"wide"}',
        '{"ask":"decide","speed":1}',
        '{"ask":"decide","max_passes":-1}',
        '{"ask":"decide","time_limit":1e999}',
    ],
)
def test_questions_that_nobody_asks_are_refused(question):
    arrays = _linsep.Arrays(np.array([[0.0], [1.0]]), np.array([0, 1], dtype=np.uint32), ["a", "b"])
    with pytest.raises((ValueError, TypeError)):
        _linsep.ask(question, arrays)
