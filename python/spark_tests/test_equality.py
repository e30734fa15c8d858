"""Verdicts and proofs are those of the same rows on one machine, byte for byte."""

import datetime
import decimal

import linsep
import linsep.spark
import numpy as np
import pytest
from conftest import agree, frame, make_data, make_separable, write_folder
from pyspark.ml.linalg import Vectors
from pyspark.sql import functions as F
from scipy import sparse

# One file of a single row, one without any.
SIZES = [200, 1, 60, 0, 39]


@pytest.mark.parametrize(
    ("verdict", "partitions"),
    [
        ("inseparable", 1),
        ("inseparable", 2),
        ("inseparable", 7),
        ("separable", 2),
        ("quasi-separable", 7),
    ],
)
def test_files_in_any_number_of_partitions(spark, tmp_path, verdict, partitions):
    X, y = make_data(verdict)
    folder = write_folder(tmp_path / "rows", X, y, SIZES)
    df = spark.read.parquet(folder).repartition(partitions)
    decision = agree(df, linsep.open(folder, label="label"), numbering="files")
    assert decision.verdict == verdict
    assert decision.traffic.partitions == partitions
    assert decision.proof.to_json() == linsep.decide(X, y).proof.to_json()
    if verdict != "separable":
        firsts = dict(zip([f"part-{k}.parquet" for k in range(5)], np.cumsum([0, *SIZES]), strict=False))
        places = [name.split(":") for name in decision.conflicting_index]
        assert [firsts[file] + int(row) for file, row in places] == decision.conflicting_rows.tolist()


@pytest.mark.parametrize(
    ("verdict", "kind"),
    [("separable", "angular"), ("separable", "geometric"), ("quasi-separable", "angular")],
)
def test_the_largest_margin(spark, verdict, kind):
    X, y = make_data(verdict)
    decision = agree(frame(spark, X, y, 2), X, y, margin="max", margin_kind=kind)
    assert decision.margin.kind == kind


@pytest.mark.parametrize("slices", [1, 2, 7])
def test_rows_without_files_are_numbered_by_partitions(spark, slices):
    X, y = make_data("inseparable")
    decision = agree(frame(spark, X, y, slices), X, y, numbering="partitions")
    assert decision.traffic.partitions == slices and decision.conflicting_index is None


def test_skewed_and_empty_partitions(spark):
    X, y = make_data("inseparable")
    df = frame(spark, X[:2], y[:2], 1)
    nothing = df.limit(0)
    df = nothing.union(df).union(nothing).union(frame(spark, X[2:], y[2:], 1)).union(nothing)
    agree(df, X, y, numbering="partitions")


def test_fewer_rows_than_partitions(spark):
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    assert agree(frame(spark, X, y, 7), X, y, verify=False).verdict == "inseparable"
    spread = frame(spark, X, y, 1).repartition(7)
    rows = np.array(spread.collect())
    agree(spread, rows[:, :1], rows[:, 1].astype(int))


@pytest.mark.parametrize("partitions", [1, 7])
def test_rows_in_any_order_that_a_column_numbers(spark, partitions):
    X, y = make_data("inseparable")
    order = np.random.default_rng(1).permutation(len(X))
    df = frame(spark, np.column_stack([X, np.arange(len(X))])[order], y[order], partitions)
    df = df.withColumn("place", F.col("x3").cast("int")).drop("x3")
    agree(df, X, y, row_number="place", numbering="column")


def test_files_of_which_rows_were_left_out(spark, tmp_path):
    X, y = make_data("inseparable")
    df = spark.read.parquet(write_folder(tmp_path / "rows", X, y, SIZES)).where("x1 > -0.5")
    rows = np.array(df.collect())
    assert 100 < len(rows) < 300
    agree(df, rows[:, :3], rows[:, 3].astype(int), numbering="partitions")


def test_files_that_are_read_twice(spark, tmp_path):
    X, y = make_data("separable")
    df = spark.read.parquet(write_folder(tmp_path / "rows", X, y, SIZES))
    rows = np.array(df.union(df).collect())
    agree(df.union(df), rows[:, :3], rows[:, 3].astype(int), numbering="partitions")


def test_many_partitions_take_a_few_tasks(spark):
    X, y = make_data("inseparable")
    decision = agree(frame(spark, X, y, 33), X, y, verify=False)
    passes = [job for job in decision.traffic.jobs if job.kind == "pass"]
    assert decision.traffic.partitions == 33
    # Four for each of two cores.
    assert all(job.answers <= 8 for job in passes)


@pytest.mark.parametrize("storage", [None, "DISK_ONLY"])
def test_wherever_the_rows_are_kept(spark, storage):
    X, y = make_data("inseparable")
    agree(frame(spark, X, y, 2), X, y, storage=storage, verify=False)


def test_columns_of_all_types_of_numbers(spark):
    X, y = make_separable(60, 3)
    types = (
        "flag boolean, tiny byte, small short, whole int, big long, single float, price decimal(9, 3)"
    )
    rows = [
        (
            bool(k % 2),
            k % 100,
            300 * (k % 50),
            -k,
            k << 40,
            float(np.float32(X[k, 0])),
            decimal.Decimal(k).scaleb(-3),
            float(X[k, 1]),
            int(y[k]),
        )
        for k in range(60)
    ]
    df = spark.createDataFrame(rows, f"{types}, `a b` double, label int").coalesce(1)
    values = np.array([[float(value) for value in row[:-1]] for row in df.collect()])
    labels = np.array([row.label for row in df.collect()])
    decision = agree(df, values, labels)
    assert decision.feature_names[-1] == "a b"
    agree(df, values[:, [4, 0]], labels, features=["big", "flag"], verify=False)


@pytest.mark.parametrize(("element", "dtype"), [("double", np.float64), ("float", np.float32)])
def test_arrays_of_numbers(spark, element, dtype):
    X, y = make_data("inseparable")
    X = X.astype(dtype)
    df = frame(spark, X, y, 2).select(
        F.array(*(F.col(f"x{k}").cast(element) for k in range(3))).alias("features"), "label"
    )
    decision = agree(df, X, y, verify=False)
    assert decision.feature_names == ["features[0]", "features[1]", "features[2]"]


@pytest.mark.parametrize("form", ["dense", "sparse", "mixed"])
def test_vectors(spark, form):
    X, y = make_data("inseparable")
    X[np.random.default_rng(2).random(X.shape) < 0.5] = 0.0
    forms = {"dense": [False], "sparse": [True], "mixed": [True, False, False]}[form]

    def vector(row, is_sparse):
        return Vectors.sparse(3, np.flatnonzero(row), row[row != 0]) if is_sparse else Vectors.dense(row)

    rows = [(vector(X[k], forms[k % len(forms)]), int(y[k])) for k in range(len(X))]
    df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 2), ["features", "label"])
    agree(df, X if form == "dense" else sparse.csr_array(X), y)


@pytest.mark.parametrize("conflict", [False, True])
def test_wide_rows(spark, conflict):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(40, 800)), rng.integers(0, 2, 40)
    if conflict:
        # One row under both labels.
        X[31], y[31] = X[7], 1 - y[7]
    rows = [(X[k].tolist(), int(y[k])) for k in range(40)]
    df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 2), ["features", "label"])
    decision = agree(df, X, y)
    assert decision.way == ("duplicates" if conflict else "smooth")
    assert decision.conflicting_rows.tolist() == ([7, 31] if conflict else [])


@pytest.mark.parametrize("features", [800, 12_000])
def test_wide_sparse_rows(spark, features):
    rng = np.random.default_rng(6)
    X = sparse.random_array((60, features), density=0.01, format="csr", rng=rng)
    y = (X @ rng.normal(size=features) > 0).astype(int)
    rows = [
        (Vectors.sparse(features, X[[k]].indices, X[[k]].data), int(y[k]))
        for k in rng.permutation(60).tolist()
    ]
    df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 2), ["features", "label"])
    kept = df.collect()
    X = sparse.vstack([sparse.csr_array(row.features.toArray()[None]) for row in kept]).tocsr()
    y = np.array([row.label for row in kept])
    if features < 10_000:
        agree(df, X, y)
        return
    # The way for these needs all rows in memory; another has the same verdict.
    decision = linsep.spark.decide(df)
    assert decision.verdict == linsep.decide(X, y).verdict
    assert linsep.verify(X, y, decision.proof)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (-1, 1),
        ("no", "yes"),
        ("9", "10"),
        (False, True),
        (1.5, 2.5),
        (datetime.date(2024, 2, 29), datetime.date(2024, 3, 1)),
    ],
)
def test_labels_of_any_type(spark, low, high):
    X, y = make_separable(20, 2)
    labels = [high if label else low for label in y]
    rows = [(*row, label) for row, label in zip(X.tolist(), labels, strict=True)]
    df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 1), ["a", "b", "label"])
    decision = agree(df, X, labels, verify=False)
    assert decision.classes == (low, high)


def test_one_class_against_the_rest(spark):
    X, _ = make_separable(60, 2)
    y = np.where(X[:, 0] < -0.5, "a", np.where(X[:, 0] < 0.5, "b", "c"))
    df = frame(spark, X, y, 2).withColumnRenamed("label", "the.class")
    assert agree(df, X, y, label="the.class", positive="a").separable
    assert not agree(df, X, y, label="the.class", positive="b", verify=False).separable
    with pytest.raises(ValueError, match="expected two classes, found 3: 'a', 'b', 'c'"):
        linsep.spark.decide(df, label="the.class")


@pytest.mark.parametrize(
    "names", [["sepal.length", "b", "c"], ["a `b`", "b", "c"], ["positive", "number", "file"]]
)
def test_columns_of_any_name(spark, tmp_path, names):
    X, y = make_data("separable")
    df = spark.read.parquet(write_folder(tmp_path / "rows", X, y, SIZES)).toDF(*names, "the.class")
    agree(df, X, y, label="the.class", numbering="files")


def test_proofs_of_other_data_are_refused_for_the_same_reason(spark, tmp_path):
    def check(verdict, change):
        X, y = make_data(verdict)
        proof = linsep.decide(X, y).proof
        X, y = change(X, y)
        expected = linsep.verify(X, y, proof)
        found = linsep.spark.verify(frame(spark, X, y, 2), proof)
        assert not expected and found == expected

    def moved(X, y):
        X[17, 1] += 1e-9
        return X, y

    def flipped(X, y):
        y[3] ^= 1
        return X, y

    check("separable", moved)
    check("separable", flipped)
    check("quasi-separable", moved)
    check("inseparable", lambda X, y: (X[::-1], y[::-1]))
    check("inseparable", lambda X, y: (X[:-1], y[:-1]))
    check("inseparable", lambda X, y: (X[:, :2], y))


def test_a_proof_in_a_file(spark, tmp_path):
    X, y = make_data("separable")
    path = tmp_path / "proof.json"
    linsep.decide(X, y, margin="max").proof.save(path)
    found = linsep.spark.verify(frame(spark, X, y, 7), path)
    assert found and found == linsep.verify(X, y, path)


def test_what_was_undecided_goes_on_from_a_checkpoint(spark, tmp_path):
    X, y = make_data("separable")
    df, kept = frame(spark, X, y, 2), tmp_path / "kept"
    first = linsep.spark.decide(df, margin="max", max_passes=2, checkpoint=kept)
    assert first.unfinished and kept.exists()
    decision = linsep.spark.decide(df, margin="max", checkpoint=kept, resume=True)
    assert decision.proof.to_json() == linsep.decide(X, y, margin="max").proof.to_json()
