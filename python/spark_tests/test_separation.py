"""Separation in logistic regression, on the cluster and here."""

import re

import linsep
import linsep.spark
import numpy as np
import pytest
from conftest import frame, write_folder


def designs():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, size=(300, 5)).astype(float)
    y = rng.integers(0, 2, size=300)
    yield "overlap", X, y
    dummy = X.copy()
    dummy[:, 1] = np.where(y == 1, X[:, 1] > 1, 0)
    yield "quasi-complete", dummy, y
    aliased = dummy.copy()
    aliased[:, 3] = aliased[:, 0] + 2 * aliased[:, 2]
    yield "quasi-complete", aliased, y
    yield "complete", X, (X @ [1, -2, 0.5, 0, 0] > 0.2).astype(int)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("slices", [1, 5])
def test_the_answer_is_that_of_one_machine(spark, slices, intercept):
    for kind, X, y in designs():
        df = frame(spark, X, y, slices)
        expected = linsep.check_separation(X, y, intercept=intercept)
        found = linsep.spark.check_separation(df, intercept=intercept)
        assert found.kind == expected.kind and (found.kind == kind or not intercept)
        assert list(found.infinite.values()) == list(expected.infinite.values())
        assert len(found.aliased) == len(expected.aliased)
        assert found.separated == len(expected.rows)
        np.testing.assert_array_equal(found.rows, expected.rows)
        np.testing.assert_array_equal(found.conflicting_rows, expected.conflicting_rows)
        if expected.direction is not None:
            np.testing.assert_array_equal(found.direction, expected.direction)
        # A proof about a model is one about that model alone.
        assert not linsep.spark.verify(df, found.proof)
        if intercept:
            checked = linsep.spark.verify_separation(df, found.proof)
            assert checked and checked.model == "binomial model with an intercept"
        else:
            assert not linsep.spark.verify_separation(df, found.proof)
            with pytest.raises(ValueError, match="do not fit in memory"):
                linsep.spark.verify_separation(df, found.proof, intercept=False)
            assert linsep.verify_separation(found.proof, X, y)


def test_rows_are_named_by_file_and_the_first_of_many(spark, tmp_path):
    rng = np.random.default_rng(0)
    X = np.hstack([rng.normal(size=(3000, 2)), np.ones((3000, 1))])
    y = (X[:, 0] > 0).astype(int)
    df = spark.read.parquet(write_folder(tmp_path / "rows", X, y, [1000, 2000]))
    found = linsep.spark.check_separation(df, features=["x0", "x1"])
    assert found.kind == "complete" and found.separated == 3000 and len(found.rows) == 1000
    assert found.index[0] == "part-0.parquet:0" and found.columns == ["intercept", "x0", "x1"]
    assert re.search(r"caused by +3,000 rows: .*…\n", repr(found))
    assert not any("fit the limiting model" in step for step, _ in found.next_steps)
    # No list of rows came here but that of the first.
    assert max(job.received for job in found.traffic.jobs) < 100_000
