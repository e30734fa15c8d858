"""Executors that die, tasks that fail, rows that change, and Ctrl-C."""

import contextlib
import io
import os
import signal
import sys
import threading

import linsep
import linsep.spark
import numpy as np
import psutil
import pytest
from conftest import frame, kept, known_executors, make_data, write_folder
from pyspark import cloudpickle
from pyspark.sql import functions as F
from standalone import wait_for

# Takes three passes.
DATA = make_data("separable")
# What executors run is sent to them as it is: they have no folder of tests.
cloudpickle.register_pickle_by_value(sys.modules[__name__])
cloudpickle.register_pickle_by_value(sys.modules["standalone"])


class after(io.StringIO):
    """Does something as soon as a line that contains a text was printed, the first time."""

    def __init__(self, text, act):
        super().__init__()
        self.text, self.act = text, act

    def write(self, line):
        count = super().write(line)
        if self.act is not None and self.text in line:
            act, self.act = self.act, None
            act()
        return count


def decide(df, text, act, **options):
    """Decide a DataFrame; `act` is called after the first job of a kind."""
    with contextlib.redirect_stdout(after(f"{text}:", act)):
        return linsep.spark.decide(df, verbose=True, **options)


def through(df, change):
    """Return the DataFrame with every batch of its partition 1 changed on the executors."""

    def task(batches):
        for batch in batches:
            here, rows = batch.column("here"), batch.drop_columns(["here"])
            yield from change(rows) if len(here) and here[0].as_py() == 1 else [rows]

    return df.withColumn("here", F.spark_partition_id()).mapInArrow(task, df.schema)


def executor():
    """Return the process of the executor that a task runs in: the parent of the daemon of its worker."""
    return psutil.Process().parent().parent().pid


def gate(folder):
    """Return a change that, once `armed` is there, says which executor it is in and waits for `open`."""

    def wait(batch):
        if (folder / "armed").exists() and not (folder / "open").exists():
            (folder / "here.tmp").write_text(str(executor()))
            (folder / "here.tmp").rename(folder / "here")
            wait_for((folder / "open").exists, "the gate to open")
        return [batch]

    return wait


@contextlib.contextmanager
def when_reached(folder, act):
    """Do something with the executor that is waiting in the gate, then open it."""

    def watch():
        wait_for((folder / "here").exists, "a task to reach the gate")
        act(int((folder / "here").read_text()))
        (folder / "open").touch()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    yield
    thread.join()
    assert (folder / "open").exists()


def test_an_executor_is_killed_in_the_middle_of_a_pass(spark, cluster, tmp_path):
    X, y = DATA
    df = through(frame(spark, X, y, 3), gate(tmp_path))
    before = []

    def kill(executor):
        before.extend(cluster.executors())
        os.kill(executor, signal.SIGKILL)
        assert executor in before

    with when_reached(tmp_path, kill):
        decision = decide(df, "fetch", (tmp_path / "armed").touch, storage=None)
    expected = linsep.decide(X, y)
    assert decision.proof.to_json() == expected.proof.to_json()
    assert decision.passes == expected.passes
    # The worker has started another one in its place.
    wait_for(lambda: len(cluster.executors()) == 2, "the new executor")
    assert set(cluster.executors()) != set(before)


def noting(path):
    """Return a change that changes nothing, and notes which executor has made it."""

    def note(batch):
        with open(path, "a") as notes:
            notes.write(f"{executor()}\n")
        return [batch]

    return note


def kill_executors(spark, pids, is_known):
    """Kill executors. The driver has noticed, or comes upon it with its next job."""
    before = known_executors(spark)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    if is_known:
        wait_for(
            lambda: len(before - known_executors(spark)) >= len(pids), "the driver to miss executors"
        )


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("slices", [4, 9])
def test_an_executor_dies_between_passes_with_the_rows_that_it_kept(spark, tmp_path, slices, is_known):
    X, y = DATA
    notes, noted = tmp_path / "notes", []
    # Four partitions are read by a task each, of nine some are read together.
    df = through(frame(spark, X, y, slices), noting(notes))

    def kill():
        noted.extend(notes.read_text().split())
        kill_executors(spark, [int(noted[-1])], is_known)

    decision = decide(df, "pass", kill)
    assert decision.proof.to_json() == linsep.decide(X, y).proof.to_json()
    # Rows are packed once; those that were lost, once more.
    assert len(notes.read_text().split()) == len(noted) + 1


@pytest.mark.parametrize("numbering", ["files", "column"])
def test_all_executors_die_between_passes_with_numbered_rows(spark, cluster, tmp_path, numbering):
    X, y = DATA
    if numbering == "files":
        df = spark.read.parquet(write_folder(tmp_path / "rows", X, y, [50, 100, 0, 150]))
    else:
        order = np.random.default_rng(1).permutation(len(X))
        df = frame(spark, np.column_stack([X, np.arange(len(X))])[order], y[order], 3)
        df = df.withColumn("place", F.col("x3").cast("int")).drop("x3")
    # After a shuffle rows come in any order, which does not matter here.
    df = df.repartition(5)

    def kill():
        kill_executors(spark, cluster.executors(), True)

    decision = decide(df, "pass", kill, row_number="place" if numbering == "column" else None)
    assert decision.numbering.kind == numbering
    assert decision.proof.to_json() == linsep.decide(X, y).proof.to_json()


@pytest.mark.parametrize("storage", ["LOCAL", "DISK_ONLY"])
def test_lost_rows_that_come_back_in_another_order_are_decided_in_that_order(
    spark, cluster, tmp_path, storage
):
    X, y = DATA
    # Of four partitions the first has no rows.
    df = frame(spark, np.vstack([np.full_like(X[:100], -9.0), X]), [0] * 100 + y.tolist(), 4)
    df = through(df.where("x0 > -9"), changed(tmp_path, other_order))

    def kill():
        # As after a shuffle, which hands on rows as they come.
        (tmp_path / "armed").touch()
        kill_executors(spark, cluster.executors(), True)

    decision = decide(df, "pass", kill, storage=storage)
    order = [*reversed(range(100)), *range(100, 300)]
    assert decision.proof.to_json() == linsep.decide(X[order], y[order]).proof.to_json()
    assert decision.numbering.kind == "partitions"


def test_lost_rows_of_a_function_that_goes_by_its_task(spark, tmp_path):
    X, y = DATA

    def shift(batches):
        import pyarrow as pa
        import pyarrow.compute as pc
        from pyspark import TaskContext

        here = TaskContext.get().partitionId()
        with open(tmp_path / "notes", "a") as notes:
            notes.write(f"{executor()}\n")
        for batch in batches:
            moved = pc.add(batch.column(0), pa.scalar(here / 8))
            yield batch.set_column(0, batch.schema.field(0), moved)

    df = frame(spark, X, y, 4)
    df = df.mapInArrow(shift, df.schema)
    rows = np.array(df.collect())

    def kill():
        kill_executors(spark, [int((tmp_path / "notes").read_text().split()[-1])], True)

    decision = decide(df, "pass", kill)
    expected = linsep.decide(rows[:, :3], rows[:, 3].astype(int))
    assert decision.proof.to_json() == expected.proof.to_json()


def broken(folder):
    """Return a change that fails, for good, once `armed` is there."""

    def fail(batch):
        if (folder / "armed").exists():
            raise ArithmeticError("the disk is\non fire")
        return [batch]

    return fail


@pytest.mark.parametrize("job", ["count", "pass"])
def test_a_task_that_fails_for_good(spark, tmp_path, job):
    X, y = DATA
    df = through(frame(spark, X, y, 3), broken(tmp_path))
    if job == "count":
        (tmp_path / "armed").touch()
    with pytest.raises(linsep.spark.ClusterError) as failed:
        decide(df, "fetch", (tmp_path / "armed").touch, storage=None)
    error = failed.value
    assert error.cause.startswith("ArithmeticError: the disk is")
    assert len(str(error).splitlines()) <= 2 and "Traceback" not in str(error)
    assert error.partition == 1
    what = {"count": "counting the rows", "pass": "a pass over the rows"}[job]
    assert str(error).startswith(f"{what}: partition 1 failed 4 times: ArithmeticError: the disk is")


def deadly(batch):
    os.kill(executor(), signal.SIGKILL)
    return [batch]


def test_a_task_that_takes_its_executor_with_it(spark):
    with pytest.raises(
        linsep.spark.ClusterError, match="partition 1 failed 4 times: its executor was lost"
    ) as failed:
        linsep.spark.decide(through(frame(spark, *DATA, 3), deadly))
    assert failed.value.partition == 1 and "137" in failed.value.cause


def changed(folder, how):
    """Return a change of the values that comes when `armed` is there."""

    def change(batch):
        return how(batch) if (folder / "armed").exists() else [batch]

    return change


def moved(batch):
    import pyarrow as pa
    import pyarrow.compute as pc

    return [batch.set_column(0, batch.schema.field(0), pc.add(batch.column(0), pa.scalar(1e-9)))]


def drawn(batch):
    import pyarrow as pa

    column = pa.array(np.random.default_rng().normal(size=batch.num_rows))
    return [batch.set_column(0, batch.schema.field(0), column)]


def other_order(batch):
    return [batch.take(list(range(batch.num_rows))[::-1])]


def longer(batch):
    return [batch, batch.slice(0, 1)]


def shorter(batch):
    return [batch.slice(1)]


@pytest.mark.parametrize(
    ("how", "job"),
    [
        (moved, "pass"),
        (other_order, "pass"),
        (longer, "count"),
        (longer, "pack"),
        (longer, "pass"),
        (shorter, "pack"),
    ],
)
def test_rows_that_change_after_a_job(spark, tmp_path, how, job):
    df = through(frame(spark, *DATA, 3), changed(tmp_path, how))
    with pytest.raises(OSError, match="changed while"):
        decide(df, job, (tmp_path / "armed").touch, storage=None)


def test_a_file_that_is_written_anew_between_jobs(spark, tmp_path):
    X, y = DATA
    folder = write_folder(tmp_path / "rows", X, y, [100, 200])
    other = X.copy()
    other[250] += 1

    def rewrite():
        write_folder(tmp_path / "rows", other, y, [100, 200])

    with pytest.raises(OSError, match="changed while"):
        decide(spark.read.parquet(folder), "pass", rewrite, storage=None)


def test_rows_that_were_lost_and_are_others_now(spark, cluster, tmp_path):
    X, y = DATA
    df = through(frame(spark, X, y, 3), changed(tmp_path, moved))

    def kill():
        (tmp_path / "armed").touch()
        for pid in cluster.executors():
            os.kill(pid, signal.SIGKILL)

    with pytest.raises(OSError, match="changed while"):
        decide(df, "pass", kill)


def test_rows_that_are_drawn_anew_in_every_pass(spark):
    with pytest.raises(OSError, match="changed while"):
        linsep.spark.decide(through(frame(spark, *DATA, 3), drawn), storage=None)


def test_an_interrupt_between_jobs_leaves_nothing_behind(spark):
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decide(frame(spark, *DATA, 2), "pass", interrupt)
    assert kept(spark) == 0


def test_ctrl_c_in_the_middle_of_a_job_leaves_nothing_behind(spark, tmp_path):
    df = through(frame(spark, *DATA, 3), gate(tmp_path))

    def interrupt(_executor):
        os.kill(os.getpid(), signal.SIGINT)

    with when_reached(tmp_path, interrupt), pytest.raises(KeyboardInterrupt):
        decide(df, "count", (tmp_path / "armed").touch)
    assert kept(spark) == 0
    # The cluster is ready for more.
    assert linsep.spark.decide(df).separable


def test_frames_that_the_user_keeps_are_left_alone(spark):
    df = frame(spark, *DATA, 2).persist()
    df.count()
    assert linsep.spark.decide(df).separable
    assert kept(spark) == 1 and df.is_cached
    df.unpersist(blocking=True)
