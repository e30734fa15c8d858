"""What cannot be used is refused, with the row and the column that local calls name."""

import os
import re
import subprocess
import sys

import linsep
import linsep.spark
import numpy as np
import pytest
from conftest import frame, make_separable, write_folder
from pyspark.ml.linalg import Vectors
from pyspark.sql import functions as F

NAMES = ["a", "b", "c"]


@pytest.fixture
def data():
    return make_separable(40, 3)


def named(error):
    """Return the row and the column that a message names."""
    return re.search(
        r'row (\d+), column (?:\d+ )?"?([\w\[\]]+)"? \(counted from 0\)', str(error)
    ).groups()


@pytest.mark.parametrize("value", [None, float("nan"), float("-inf")])
def test_a_value_that_is_none(spark, data, value, tmp_path):
    X, y = data
    X[[33, 25], 1] = np.nan if value is None else value
    with pytest.raises(ValueError) as local:
        linsep.decide(X, y)
    df = frame(spark, X, y, 3, NAMES)
    if value is None:
        df = df.withColumn("b", F.when(~F.isnan("b"), F.col("b")))
    with pytest.raises(ValueError) as refused:
        linsep.spark.decide(df)
    assert named(refused.value) == ("25", "b") == (named(local.value)[0], "b")
    assert "df.dropna(subset=['a', 'b', 'c'])" in str(refused.value)


def test_a_value_that_is_none_in_a_file(spark, data, tmp_path):
    X, y = data
    X[25, 1] = np.nan
    df = spark.read.parquet(write_folder(tmp_path / "rows", X, y, [30, 10])).repartition(3)
    with pytest.raises(ValueError) as refused:
        linsep.spark.verify(df, linsep.decide([[0], [1]], [0, 1]).proof)
    assert named(refused.value) == ("25", "x1")


def test_the_first_of_several_rows_that_cannot_be_used(spark):
    column = "if(id IN (25, 33), double('nan'), id) AS a"
    df = (
        spark.range(40, numPartitions=1)
        .selectExpr("39 - id AS id")
        .selectExpr("id", column, "id % 2 AS label")
    )
    with pytest.raises(ValueError) as refused:
        linsep.spark.decide(df, row_number="id")
    assert named(refused.value) == ("25", "a")


@pytest.mark.parametrize("bad", [None, float("nan")])
def test_a_value_of_an_array_that_is_none(spark, data, bad):
    X, y = data
    rows = [(row, int(label)) for row, label in zip(X.tolist(), y, strict=True)]
    rows[27][0][2] = bad
    df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 3), ["features", "label"])
    with pytest.raises(ValueError) as refused:
        linsep.spark.decide(df)
    assert named(refused.value) == ("27", "features[2]")


@pytest.mark.parametrize(
    ("form", "length"),
    [(list, 2), (Vectors.dense, 4), (lambda row: Vectors.sparse(len(row), {0: 1.0}), 2)],
)
def test_a_row_of_another_length(spark, data, form, length):
    X, y = data
    rows = [
        (form((*row, 1.0)[: length if k == 27 else 3]), int(y[k])) for k, row in enumerate(X.tolist())
    ]
    df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 3), ["features", "label"])
    with pytest.raises(ValueError, match=r"row 27.*features.*3.*") as refused:
        linsep.spark.decide(df)
    assert "(counted from 0)" in str(refused.value) and str(length) in str(refused.value)


def test_a_row_without_a_list(spark, data):
    X, y = data
    rows = [(None if k == 27 else row, int(y[k])) for k, row in enumerate(X.tolist())]
    df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 3), ["features", "label"])
    with pytest.raises(ValueError, match=r"row 27.*features.*counted from 0"):
        linsep.spark.decide(df)


def test_columns_that_cannot_be_features(spark, data):
    df = frame(spark, *data, 2, NAMES).withColumn("name", F.lit("x"))
    with pytest.raises(ValueError, match="column 'name' is of type string; expected numbers"):
        linsep.spark.decide(df)
    with pytest.raises(
        ValueError, match="there is no column 'd'; the columns are 'a', 'b', 'c', 'label', 'name'"
    ):
        linsep.spark.decide(df, features=["a", "d"])
    with pytest.raises(ValueError, match="there is no column 'class'"):
        linsep.spark.decide(df, label="class")
    with pytest.raises(ValueError, match="there is no column 'id'"):
        linsep.spark.decide(df, features="a", row_number="id")
    with pytest.raises(ValueError, match="column 'label' cannot be a feature as well"):
        linsep.spark.decide(df, features=["a", "label"])
    with pytest.raises(ValueError, match="at least one column of features"):
        linsep.spark.decide(df.select("label"))


def test_labels_that_cannot_be_used(spark, data):
    X, y = data
    df = frame(spark, X, y, 2, NAMES)
    with pytest.raises(ValueError, match="found one class: all 40 rows are 1"):
        linsep.spark.decide(df.withColumn("label", F.lit(1)))
    with pytest.raises(ValueError, match="no row has the label 7; the labels are 0, 1"):
        linsep.spark.decide(df, positive=7)
    with pytest.raises(ValueError, match="expected rows, found none"):
        linsep.spark.decide(df.where("a > 100"))
    some = df.withColumn("label", F.when(F.col("a") < 1, F.col("label")))
    with pytest.raises(ValueError, match=f"{(X[:, 0] >= 1).sum()} rows have no label\nhint: df.dropna"):
        linsep.spark.decide(some)
    with pytest.raises(ValueError, match="found more than 1000 labels in 'label'"):
        linsep.spark.decide(spark.range(1001).select(F.col("id").alias("a"), F.col("id").alias("label")))


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("id + 1", "the numbers in 'id' run from 1 to 40; expected 0 to 39, each of them once"),
        ("if(id = 7, 8, id)", "the numbers in 'id' are not 0 to 39, each of them once"),
        ("if(id = 7, null, id)", "the numbers in 'id'"),
        ("id / 2", "column 'id' is of type double; expected integers"),
    ],
)
def test_numbers_of_rows_that_are_none(spark, number, message):
    df = spark.range(40).selectExpr(f"{number} AS id", "id AS a", "id % 2 AS label")
    with pytest.raises(ValueError, match=re.escape(message)):
        linsep.spark.decide(df, row_number="id")


def test_calls_that_cannot_be_meant(spark, data, tmp_path):
    df = frame(spark, *data, 2, NAMES)
    with pytest.raises(ValueError, match="storage is 'MEMORY'; expected None or one of LOCAL, "):
        linsep.spark.decide(df, storage="MEMORY")
    with pytest.raises(TypeError, match="df is a str; expected a DataFrame of Spark"):
        linsep.spark.decide(write_folder(tmp_path / "rows", *data, [40]))
    with pytest.raises(ValueError, match="margin is 'huge'"):
        linsep.spark.decide(df, margin="huge")
    with pytest.raises(TypeError, match="resume was given without checkpoint"):
        linsep.spark.decide(df, resume=True)


def test_without_pyspark_it_says_what_to_install():
    code = "import sys; sys.modules['pyspark'] = None; import linsep; import linsep.spark"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 1
    last = ended.stderr.strip().splitlines()[-1]
    assert last == 'ImportError: linsep.spark needs PySpark 4: pip install "linsep[spark]"'


def test_without_java_it_is_said(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment["PATH"] = str(tmp_path)
    code = "import linsep.spark"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert "RuntimeWarning: Spark needs Java 17, and none was found" in done.stderr
