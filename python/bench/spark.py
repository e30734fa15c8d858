"""Decide a table on a Spark cluster, beside the linear classifiers of pyspark.ml, in one run.

A master and two workers of one core each run on this machine. The data is the paper's, in Parquet files.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import linsep
import linsep.spark
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from linsep.spark._traffic import amount
from pyspark.ml import Pipeline
from pyspark.ml.classification import LinearSVC, LogisticRegression
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "spark_tests"))
from standalone import Cluster  # noqa: E402

FILES = 20
BY_SPARK = "MEMORY_AND_DISK_DESER"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--partitions", type=int, default=200, help="of one more run, for equality")
    parser.add_argument("--memory", default="6g", help="of each executor")
    parser.add_argument(
        "--parts", default="pyspark.ml,spark,read,partitions,verify", help="what to run as well"
    )
    options = parser.parse_args()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    folder = Path(tempfile.mkdtemp(prefix="linsep-bench-spark-"))
    cluster = Cluster(folder, memory=options.memory)
    try:
        data = write(folder, options)
        cluster.start()
        run(cluster, data, options)
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


def write(folder: Path, options: argparse.Namespace) -> Path:
    """Write the paper's data to Parquet files."""
    array, data = folder / "c.npy", folder / "data"
    program = HERE.parents[1] / "target" / "release" / "linsep"
    size = ["--rows", str(options.rows), "--features", str(options.features)]
    subprocess.run(
        [program, "generate", *size, "--seed", str(options.seed), "-q", "-o", array], check=True
    )
    rows, labels = np.load(array, mmap_mode="r"), np.load(folder / "c.labels.npy")
    data.mkdir()
    for k, part in enumerate(np.array_split(np.arange(options.rows), FILES)):
        values = rows[part[0] : part[-1] + 1]
        columns = {f"x{j}": np.ascontiguousarray(values[:, j]) for j in range(options.features)}
        columns["label"] = (labels[part[0] : part[-1] + 1] > 0).astype(float)
        path = data / f"part-{k:04}.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=50_000, use_dictionary=False)
    array.unlink()
    return data


def session(cluster: Cluster, memory: str) -> SparkSession:
    """Return a session with Spark's own settings, but for where it is and how much memory it has."""
    os.environ["SPARK_CONF_DIR"] = str(cluster.folder / "driver")
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.executor.memory": memory,
        "spark.local.dir": str(cluster.folder / "local"),
        "spark.sql.warehouse.dir": str(cluster.folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(cluster.url).appName("linsep benchmark")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def run(cluster: Cluster, data: Path, options: argparse.Namespace) -> None:
    parts = options.parts.split(",")
    spark = session(cluster, options.memory)
    frame = spark.read.parquet(str(data))
    print(f"{options.rows:,} x {options.features} doubles, {FILES} Parquet files, 2 executors of 1 core")

    started = time.perf_counter()
    local = linsep.decide(data)
    local_seconds = time.perf_counter() - started
    print(f"one machine, 2 threads: {local.verdict}, {local.passes} passes, {local_seconds:.1f} s")

    # Twice each, in turn: what a JVM does for the first time it does slowly.
    runs = {"linsep, kept in files": [], "LogisticRegression": []}
    for _ in range(2):
        runs["linsep, kept in files"].append(decide("kept in files", frame, local))
        if "pyspark.ml" in parts:
            runs["LogisticRegression"].append(fit("LogisticRegression", LogisticRegression(), frame))
    kept = runs["linsep, kept in files"]
    ratios = {"one machine": local_seconds}
    if "pyspark.ml" in parts:
        ratios["LinearSVC"] = fit("LinearSVC", LinearSVC(), frame)
    if "spark" in parts:
        ratios["kept by Spark"] = decide("kept by Spark", frame, local, storage=BY_SPARK)
    if "read" in parts:
        ratios["read again on every pass"] = decide("read again", frame, local, storage=None)
    if "partitions" in parts:
        decide(f"{options.partitions} partitions", frame.repartition(options.partitions), local)
    if "verify" in parts:
        started = time.perf_counter()
        verified = linsep.spark.verify(frame, local.proof)
        print(f"verify: {verified}, {time.perf_counter() - started:.1f} s")
    for k, (ours, theirs) in enumerate(zip(kept, runs["LogisticRegression"], strict=False)):
        print(f"linsep, kept in files / LogisticRegression, run {k + 1}: {ours / theirs:.2f}")
    for name, seconds in ratios.items():
        print(f"linsep, kept in files, run 2 / {name}: {kept[-1] / seconds:.2f}")


def decide(name: str, frame, local: linsep.Decision, **options) -> float:
    """Decide on the cluster; say what it took, and whether it is what one machine finds."""
    started = time.perf_counter()
    found = linsep.spark.decide(frame, **options)
    seconds = time.perf_counter() - started
    same = "the proof of one machine" if found.proof == local.proof else "ANOTHER PROOF"
    jobs = found.traffic.jobs
    print(
        f"linsep, {name}: {found.verdict}, {seconds:.1f} s, {same}, numbered by {found.numbering.kind}"
    )
    for kind in ("count", "pack", "fetch", "pass"):
        these = [job for job in jobs if job.kind == kind]
        times = ", ".join(f"{job.seconds:.1f}" for job in these)
        most = max((job.received for job in these), default=0)
        sent = max((job.sent for job in these), default=0)
        print(f"  {kind:<6} {len(these)} x: {times} s; at most {amount(sent)} out, {amount(most)} in")
    print(f"  driver: {amount(found.traffic.memory)} more memory, {found.traffic.partitions} partitions")
    return seconds


def fit(name: str, classifier, frame) -> float:
    """Fit a classifier of pyspark.ml with its default settings; count the mistakes that are left."""
    names = [column for column in frame.columns if column != "label"]
    pipeline = Pipeline(stages=[VectorAssembler(inputCols=names, outputCol="features"), classifier])
    started = time.perf_counter()
    model = pipeline.fit(frame)
    seconds = time.perf_counter() - started
    found = model.transform(frame)
    mistakes = found.where(found.prediction != found.label).count()
    steps = model.stages[-1].summary().totalIterations if name == "LinearSVC" else None
    steps = model.stages[-1].summary.totalIterations if steps is None else steps
    print(
        f"{name}: {seconds:.1f} s, {steps} iterations, {mistakes:,} mistakes left, no verdict, no proof"
    )
    return seconds


if __name__ == "__main__":
    main()
