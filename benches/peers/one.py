"""Runs one entrant on one data set, in this process, and prints what came of it as lines of JSON.

Not charged: imports, a first call on a few rows, the making of thread pools, page faults of the data,
and whatever the harness itself looks at: mistakes, margins, proofs. Each line repeats the last one with
more in it, so that what is known survives when a limit ends the process.

The driver calls `run` in a fork of itself; by hand, or where threads are to be started anew:

    python one.py ENTRANT DATA_SET --folder target/peers/data --limit 60
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import entrants
import shapes
from entrants.entrant import Answer, Entrant, Watch

# Runs are repeated until there are this many, or until they took this long together.
REPEATS, REPEAT_SECONDS = 5, 1.0


def say(known: dict) -> None:
    print(json.dumps(known), flush=True)


def mistakes_and_margins(X, y: np.ndarray, answer: Answer) -> dict:
    """Return the rows on the wrong side or on the hyperplane, and both margins."""
    if answer.coef is None:
        return {"mistakes": None}
    scores = (np.asarray(X @ answer.coef).ravel() + answer.intercept) * np.where(y, 1.0, -1.0)
    if hasattr(X, "tocsr"):
        lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel() + 1.0)
    else:
        lengths = np.sqrt(np.einsum("ij,ij->i", X, X) + 1.0)
    norm = float(np.linalg.norm(answer.coef))
    if norm == 0.0:
        return {"mistakes": int(min(y.sum(), len(y) - y.sum()))}
    return {
        "mistakes": int(np.count_nonzero(~(scores > 0.0))),
        "geometric": float(scores.min() / norm),
        "angular": float((scores / lengths).min() / np.hypot(norm, answer.intercept)),
    }


def memory(name: str) -> int:
    """Return VmRSS or VmHWM of this process in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(name)


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def warm_up(entrant: Entrant, sparse: bool) -> None:
    """Call the entrant on a few rows, so that the first real call finds everything loaded."""
    rng = np.random.default_rng(0)
    X = rng.random((40, 4))
    y = X[:, 0] > 0.5
    if sparse:
        from scipy.sparse import csr_matrix

        X = csr_matrix(X)
    with tempfile.TemporaryDirectory() as folder:
        entrant.solve(entrant.prepare(X, y, Path(folder) / "few.npy"), Watch(1.0))


@dataclass
class Loaded:
    """A data set in memory, where it came from, and the CPU time of the cheapest way to read it."""

    path: Path
    X: Any
    y: np.ndarray
    read: float

    @classmethod
    def load(cls, folder: Path, name: str) -> Loaded:
        path = shapes.data_file(folder, name)
        return cls(path, *shapes.load(folder, name), seconds_to_read(path))


def seconds_to_read(path: Path) -> float:
    """Return the CPU time of the cheapest way to read the file that Python libraries offer."""
    begun = time.process_time()
    if path.suffix == ".svm":
        from sklearn.datasets import load_svmlight_file

        load_svmlight_file(str(path))
        return time.process_time() - begun
    X = np.load(path)
    copied = time.process_time() - begun
    del X
    begun = time.process_time()
    mapped = np.load(path, mmap_mode="r")
    mapped.reshape(-1)[:: 4096 // mapped.itemsize].sum()
    return min(copied, time.process_time() - begun)


def timed(entrant: Entrant, data, limit: float) -> tuple[Answer, float, float]:
    watch = Watch(limit)
    answer = entrant.solve(data, watch)
    return answer, watch.cpu, watch.wall


def run(entrant: Entrant, loaded: Loaded, limit: float, repeats: int) -> None:
    """Prepare, solve, look; say what is known after each step."""
    X, y, path = loaded.X, loaded.y, loaded.path
    warnings.simplefilter("ignore")
    warm_up(entrant, hasattr(X, "tocsr"))
    known: dict = {"state": "preparing", "read": loaded.read}
    say(known)
    reset_peak()
    before = memory("VmRSS")
    begun = time.process_time()
    data = entrant.prepare(X, y, path)
    known["prepare"] = time.process_time() - begun
    # The driver ends this process when it has used so much. (RLIMIT_CPU would make the kernel count in
    # ticks of 4 ms.) Entrants that look for mistakes between epochs stop by themselves.
    known |= {
        "state": "over the limit",
        "until": time.process_time() + (5 if entrant.epochs else 1) * limit,
    }
    say(known)
    answer, cpu, wall = timed(entrant, data, limit)
    times, walls = [cpu], [wall]
    known |= {"peak": memory("VmHWM") - before, "cpu": cpu, "wall": wall, "note": answer.note}
    known |= {"verdict": answer.verdict, **mistakes_and_margins(X, y, answer)}
    known["state"] = "over the limit" if cpu > 0.95 * limit else "done"
    say(known)
    while len(times) < repeats and sum(times) < REPEAT_SECONDS:
        _, cpu, wall = timed(entrant, data, limit)
        times.append(cpu)
        walls.append(wall)
    known |= {"cpu": statistics.median(times), "wall": statistics.median(walls), "runs": len(times)}
    known["until"] = time.process_time() + 2 * limit + 10
    say(known)
    known["whole"] = whole(entrant, path, known)
    del known["until"]
    say(known)
    if answer.proof_checks is not None:
        known["proof_checked"] = answer.proof_checks()
    say(known)


def whole(entrant: Entrant, path: Path, known: dict) -> float:
    """Return the CPU time from the file to the answer."""
    if entrant.whole is None:
        return known["read"] + known["prepare"] + known["cpu"]
    times: list[float] = []
    while not times or (len(times) < known["runs"] and sum(times) < REPEAT_SECONDS):
        begun = time.process_time()
        entrant.whole(path)
        times.append(time.process_time() - begun)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entrant")
    parser.add_argument("data_set")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--repeat", type=int, default=REPEATS)
    options = parser.parse_args()
    loaded = Loaded.load(options.folder, options.data_set)
    run(entrants.NAMED[options.entrant], loaded, options.limit, options.repeat)


if __name__ == "__main__":
    main()
