"""The cluster that all tests here share, and data."""

import json
import os
import sys

import linsep
import linsep.spark
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from standalone import WORKERS, Cluster, wait_for

# Executors run the Python that runs the tests.
os.environ["PYSPARK_PYTHON"] = sys.executable


def pytest_configure(config):
    # Spark's own; all others are shown.
    config.addinivalue_line(
        "filterwarnings", "ignore:PySpark does not yet fully support pandas:FutureWarning"
    )


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """A master and two workers, until the last test is over."""
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def spark(cluster):
    """A session whose executors are processes of their own."""
    from pyspark.sql import SparkSession

    os.environ["SPARK_CONF_DIR"] = str(cluster.folder / "driver")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    options = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        # Short jobs on a few cores: nothing is worth compiling well.
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "spark.sql.codegen.wholeStage": "false",
        "spark.local.dir": str(cluster.folder / "local"),
        "spark.sql.warehouse.dir": str(cluster.folder / "warehouse"),
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Spark itself fails a job whose results are longer, all together.
        "spark.driver.maxResultSize": "1m",
        # A lost executor's rows are wanted at once, wherever.
        "spark.locality.wait": "0s",
    }
    builder = SparkSession.builder.master(cluster.url).appName("linsep tests")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def make_separable(rows, features, seed=0, gap=0.05):
    """Return data that a random hyperplane separates, with some room on either side of it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features))
    w = rng.normal(size=features)
    y = (X @ w > 0).astype(int)
    X += gap * np.outer(2 * y - 1, w) / np.linalg.norm(w)
    return X, y


def known_executors(spark):
    """Return the executors that the driver knows, and itself."""
    known = spark.sparkContext._jsc.sc().getExecutorMemoryStatus()
    return set(known.keySet().mkString(" ").split())


@pytest.fixture(autouse=True)
def all_executors(request):
    """Wait before each test for executors that another test has killed."""
    if "spark" in request.fixturenames:
        spark, cluster = (request.getfixturevalue(name) for name in ("spark", "cluster"))
        wait_for(
            lambda: len(known_executors(spark)) == WORKERS + 1 and len(cluster.executors()) == WORKERS,
            "all executors",
        )


@pytest.fixture(autouse=True)
def nothing_is_kept(request):
    """Check after each test that no rows are left in the memory of the executors."""
    yield
    if "spark" in request.fixturenames:
        assert kept(request.getfixturevalue("spark")) == 0


def kept(spark):
    """Return how many DataFrames the executors keep."""
    return spark.sparkContext._jsc.getPersistentRDDs().size()


def frame(spark, X, y, slices, names=None):
    """Return a DataFrame with a column per feature, its rows cut into slices of about equal size."""
    names = names or [f"x{k}" for k in range(np.shape(X)[1])]
    rows = [
        (*row, label) for row, label in zip(np.asarray(X).tolist(), np.asarray(y).tolist(), strict=True)
    ]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, slices), [*names, "label"])


def agree(df, X, y=None, *, numbering=None, verify=True, **options):
    """Decide and verify a DataFrame on the cluster, and the same rows here. Return the decision."""
    ours = ("features", "label", "row_number", "storage")
    columns = {name: options.pop(name) for name in ours if name in options}
    expected = linsep.decide(X, y, **options)
    decision = linsep.spark.decide(df, **columns, **options)
    assert decision.proof.to_json() == expected.proof.to_json()
    assert decision.proof.fingerprint == expected.proof.fingerprint
    for name in ("verdict", "way", "passes", "intercept", "margin", "multipliers", "rows", "features"):
        assert getattr(decision, name) == getattr(expected, name), name
    if y is not None:
        # Files have their labels as text.
        assert decision.classes == expected.classes
    # All that the program would print, to the byte. Arrays have no names for features, and what needs
    # all rows in one place is left out on a cluster.
    left_out = ("seconds", "feature_names", "left_out", *(() if y is not None else ("labels",)))
    answers = [
        {key: value for key, value in answer.to_dict().items() if key not in left_out}
        for answer in (decision, expected)
    ]
    assert json.dumps(answers[0]) == json.dumps(answers[1])
    np.testing.assert_array_equal(decision.coef, expected.coef)
    np.testing.assert_array_equal(decision.conflicting_rows, expected.conflicting_rows)
    if numbering is not None:
        assert decision.numbering.kind == numbering
    if verify:
        checked = linsep.spark.verify(df, decision.proof, **columns)
        assert checked and checked.verdict == expected.verdict
    return decision


def make_data(verdict, rows=300):
    """Return rows of three features with this verdict."""
    if verdict == "quasi-separable":
        rng = np.random.default_rng(3)
        X = rng.integers(-4, 5, size=(rows, 3)).astype(float)
        # On the hyperplane itself, both labels.
        return X, np.where(X[:, 0] == 0, rng.integers(0, 2, rows), X[:, 0] > 0).astype(int)
    X, y = make_separable(rows, 3)
    if verdict == "inseparable":
        y[::40] ^= 1
    return X, y


def write_folder(folder, X, y, sizes):
    """Write rows to Parquet files of these sizes, one after the other."""
    assert sum(sizes) == len(X)
    folder.mkdir(exist_ok=True)
    first = 0
    for k, size in enumerate(sizes):
        part = slice(first, first + size)
        columns = {f"x{j}": X[part, j] for j in range(X.shape[1])}
        pq.write_table(pa.table({**columns, "label": y[part]}), folder / f"part-{k}.parquet")
        first += size
    return str(folder)
