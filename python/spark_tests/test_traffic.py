"""What goes between the driver and the cluster."""

import re

import linsep
import linsep.spark
import numpy as np
import pytest
from conftest import make_data, make_separable, write_folder

ROWS = 200_000


@pytest.mark.parametrize("verdict", ["separable", "inseparable"])
def test_little_comes_to_the_driver(spark, tmp_path, verdict, capsys):
    X, y = make_separable(ROWS, 5, gap=0.01)
    if verdict == "inseparable":
        y[::1000] ^= 1
    folder = write_folder(tmp_path / "rows", X, y, [90_000, 100_000, 10_000])
    decision = linsep.spark.decide(spark.read.parquet(folder), verbose=True)
    assert decision.proof.to_json() == linsep.decide(X, y).proof.to_json()
    traffic = decision.traffic
    passes = [job for job in traffic.jobs if job.kind == "pass"]
    assert len(passes) == decision.passes
    assert [job.kind for job in traffic.jobs[:2]] == ["count", "pack"]
    # A byte per row would be more. Spark counts too: see spark.driver.maxResultSize.
    assert max(job.received for job in traffic.jobs) < ROWS / 2
    assert traffic.received < X.nbytes / 20
    assert traffic.sent < ROWS / 2
    assert traffic.received == sum(job.received for job in traffic.jobs)
    lines = capsys.readouterr().out.splitlines()
    said = [
        line
        for line in lines
        if re.match(r"(count|pack|pass|fetch): .* s, .* sent, .* received in", line)
    ]
    assert len(said) == len(traffic.jobs)


def test_the_decision_tells_how_it_was_reached(spark, tmp_path):
    X, y = make_data("inseparable")
    decision = linsep.spark.decide(spark.read.parquet(write_folder(tmp_path / "rows", X, y, [100, 200])))
    assert re.search(r"numbered by +places in files", repr(decision))
    assert re.search(rf"cluster +{len(decision.traffic.jobs)} jobs on \d partitions?", repr(decision))
    assert re.search(r"driver: [\d.]+ \w+ sent, [\d.]+ kB received", repr(decision))
    assert list(decision.numbering.files.values()) == [0, 100]
    assert np.all(decision.conflicting_rows < 300)
