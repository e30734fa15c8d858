"""Where packed rows are kept between passes."""

import contextlib
import io
import sys

import linsep
import linsep.spark
import pytest
from conftest import frame, make_data, write_folder
from linsep.spark import _rows
from linsep.spark._rows import Rows
from pyspark import cloudpickle

# Takes three passes.
DATA = make_data("separable")
# What executors run is sent to them as it is: they have no folder of tests.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


def files(cluster):
    """Return the files of packed rows that the executors have."""
    return sorted(cluster.folder.glob("**/linsep-*"))


@pytest.fixture(scope="module")
def expected():
    return linsep.decide(*DATA)


@pytest.mark.parametrize("storage", ["LOCAL", "DISK_ONLY", "MEMORY_AND_DISK_DESER", None])
def test_the_answer_is_the_same_wherever_rows_are_kept(spark, cluster, tmp_path, expected, storage):
    df = spark.read.parquet(write_folder(tmp_path / "rows", *DATA, [100, 200]))
    before, seen = files(cluster), []

    class counting(io.StringIO):
        def write(self, line):
            seen.append(len(files(cluster)) - len(before))
            return super().write(line)

    with contextlib.redirect_stdout(counting()):
        decision = linsep.spark.decide(df, storage=storage, verbose=True)
    assert decision.proof.to_json() == expected.proof.to_json()
    # A file per partition while it lasts, and none after.
    assert max(seen) == (decision.traffic.partitions if storage == "LOCAL" else 0)
    assert files(cluster) == before


def nowhere(batches, packing, name):
    """Pack rows where the disk is full."""
    import pyarrow as pa
    from linsep import _stash

    for place in _stash.write(batches, packing, name):
        yield place.set_column(place.num_columns - 1, "path", pa.array([None], pa.string()))


def test_files_that_cannot_be_written(spark, expected, monkeypatch):
    monkeypatch.setattr(_rows._stash, "write", nowhere)
    decision = linsep.spark.decide(frame(spark, *DATA, 3))
    assert decision.proof.to_json() == expected.proof.to_json()
    assert [job.kind for job in decision.traffic.jobs[:3]] == ["count", "pack", "pack"]


def test_files_that_are_gone_are_made_again_and_kept_by_spark(spark, cluster, expected, monkeypatch):
    before, collect = files(cluster), Rows._collect

    def without(self, what, found):
        if self.storage == "LOCAL" and what == "a pass over the rows":
            for path in set(files(cluster)) - set(before):
                path.unlink()
        asked.append(self.storage)
        return collect(self, what, found)

    asked = []
    monkeypatch.setattr(Rows, "_collect", without)
    decision = linsep.spark.decide(frame(spark, *DATA, 3))
    assert decision.proof.to_json() == expected.proof.to_json()
    assert {"LOCAL", "MEMORY_AND_DISK_DESER"} <= set(asked)


def test_a_task_that_comes_to_another_machine_is_sent_once_more(
    spark, cluster, expected, monkeypatch, tmp_path
):
    before, collect, hidden = files(cluster), Rows._collect, []

    def elsewhere(self, what, found):
        if what == "a pass over the rows":
            if not hidden:
                path = (set(files(cluster)) - set(before)).pop()
                hidden.append((path, path.rename(tmp_path / "hidden")))
            elif hidden[0][1].exists():
                hidden[0][1].rename(hidden[0][0])
        asked.append((what, self.storage))
        return collect(self, what, found)

    asked = []
    monkeypatch.setattr(Rows, "_collect", elsewhere)
    decision = linsep.spark.decide(frame(spark, *DATA, 3))
    assert decision.proof.to_json() == expected.proof.to_json()
    # The rows were never packed again, and one pass took two jobs.
    assert {storage for _, storage in asked} == {"LOCAL"}
    jobs = sum(what == "a pass over the rows" for what, _ in asked)
    assert jobs == expected.passes + 1


@pytest.mark.parametrize("storage", ["LOCAL", "MEMORY_AND_DISK_DESER"])
def test_many_answers_are_merged_before_they_come_here(spark, expected, monkeypatch, storage):
    df = frame(spark, *DATA, 9)
    plainly = linsep.spark.decide(df, storage=storage)
    # As if they were long.
    monkeypatch.setattr(_rows, "_DIRECT", 1)
    monkeypatch.setattr(_rows, "_DIRECT_BYTES", 1)
    merged = linsep.spark.decide(df, storage=storage)
    assert merged.proof.to_json() == plainly.proof.to_json() == expected.proof.to_json()
    most = [
        max(job.answers for job in decision.traffic.jobs if job.kind == "pass")
        for decision in (plainly, merged)
    ]
    # Nine partitions, or four tasks for each of two cores; then one for each group of them.
    assert most == ([8, 2] if storage == "LOCAL" else [9, 3])
