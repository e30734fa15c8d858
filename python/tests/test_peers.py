"""The comparison with other programs runs, keeps what came of it, and its tables can be made."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PEERS = ROOT / "benches" / "peers"


def run(script, *arguments):
    command = [sys.executable, str(PEERS / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """Return the folder of a run on sixty rows, with two entrants that are installed everywhere."""
    folder = tmp_path_factory.mktemp("peers")
    names = ["linsep decide", "logistic lbfgs, std, tol 1e-8"]
    run("run.py", "--quick", "--work", folder, "--entrants", *names)
    return folder


def read(work):
    lines = (work / "results.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return {(r["data"], r["entrant"]): r for r in records if "entrant" in r}


def test_records_say_what_came_of_each_run(work):
    runs = read(work)
    assert len(runs) == 8  # four entrants on the data as it is and with flipped labels
    for run in runs.values():
        assert run["state"] == "done" and run["threads"] == 1
        assert {"cpu", "wall", "whole", "peak", "limit", "note"} <= run.keys()
    for (data, entrant), run in runs.items():
        if entrant.startswith("linsep"):
            assert run["verdict"] == ("separable" if data == "tiny" else "not separable")
            assert run["proof_checked"] is True
        else:
            assert run["verdict"] is None
            assert (run["mistakes"] == 0) == (data == "tiny")


def test_margins_are_those_of_the_hyperplanes(work):
    runs = read(work)
    angular, geometric = (
        runs["tiny", f"linsep decide, max {kind}"] for kind in ("angular", "geometric")
    )
    peer = runs["tiny", "logistic lbfgs, std, tol 1e-8"]
    for kind, best in (("angular", angular), ("geometric", geometric)):
        for other in (angular, geometric, peer):
            assert 0 < other[kind] <= best[kind] * (1 + 1e-6)


def test_a_run_that_is_there_is_not_made_again(work):
    before = read(work)
    names = ["linsep decide", "logistic lbfgs, std, tol 1e-8"]
    assert run("run.py", "--quick", "--work", work, "--entrants", *names) == ""
    assert read(work) == before


def test_a_table_has_all_runs_on_a_data_set(work):
    out = run("tables.py", "--results", work / "results.jsonl", "everything")
    assert "## 60 x 3, 1 % flipped" in out
    assert "Truth: not separable." in out
    assert "| linsep decide | 0 | separable |" in out


def test_every_table_of_the_documents_can_be_made(work):
    documents = ("COMPARE.md", "README.md", "benches/peers/results.md")
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in documents)
    names = re.findall("<!-- table: (.*) -->", text)
    assert names and len(names) == text.count("<!-- end -->")
    for name in names:
        out = run("tables.py", "--results", work / "results.jsonl", name)
        # The chart needs more sizes than one, and all cores may be one.
        assert name in ("machine", "settings", "slopes", "cores") or "60 x 3" in out
