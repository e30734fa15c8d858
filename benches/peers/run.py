"""Runs linsep and its peers on the same data, one process after the other, and keeps what came of it.

    make bench-peers                                                          all of it
    python benches/peers/run.py --shapes 10k-100 --entrants "linsep decide"   some of it

Every line of results.jsonl is one run, or the machine. A run that is there already is not
made again, unless with --fresh.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
from functools import partial
from pathlib import Path

import child
import entrants
import one
import shapes
from entrants.entrant import Entrant
from one import Loaded
from records import OURS, TOP, Key, Records

WORK = TOP / "target" / "peers"
PACKAGES = ["linsep", "scikit-learn", "liblinear-official", "vowpalwabbit", "highspy", "clarabel"]
PACKAGES += ["numpy", "scipy"]
# The chart shows these.
GROWING = ("linsep decide", "logistic lbfgs", "LinearSVC primal", "HiGHS", "Clarabel, angular")
EXHAUSTED = ("over the limit", "out of memory")


def machine() -> dict:
    """Return what the figures depend on."""
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = None
    return {
        "cores": os.cpu_count(),
        "cpu": model,
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "python": platform.python_version(),
        "versions": versions,
    }


def limit_of(entrant: Entrant, name: str, done: dict[Key, dict], options) -> float:
    """Return the CPU seconds for a run: enough to tell by how much it is slower than ours, not more."""
    if entrant.ours:
        return options.limit
    # Ours runs first and sets the scale.
    times = [options.least, options.beyond * done.get((name, OURS, 1), {}).get("cpu", options.limit)]
    for ours in entrants.ENTRANTS:
        if ours.ours and ours.goal == entrant.goal != "any":
            times.append(options.beyond / 5 * done.get((name, ours.name, 1), {}).get("cpu", 0.0))
    return min(options.limit, max(times))


def hopeless(entrant: Entrant, name: str, done: dict[Key, dict]) -> str | None:
    """Return why a run is not started, if it is not."""
    flipped = name.endswith(shapes.FLIPPED)
    shape = shapes.NAMED[name.removesuffix(shapes.FLIPPED)]
    if shape.sparse and not entrant.sparse:
        return "dense data only"
    if shape.rows > entrant.most_rows or shape.values > entrant.most_values:
        return "too large for it"
    for (other, who, threads), run in done.items():
        if (who, threads) != (entrant.name, 1) or run["state"] not in EXHAUSTED or who == OURS:
            continue
        smaller = shapes.NAMED[other.removesuffix(shapes.FLIPPED)]
        if other != name and other.endswith(shapes.FLIPPED) == flipped and shape.contains(smaller):
            return f"{run['state']} at {smaller.title} already"
    return None


def plan(options) -> list[tuple[str, Entrant, int]]:
    """Return the runs in order: data set by data set, ours first, all cores last."""
    wanted = [e for e in entrants.ENTRANTS if e.installed and e.name.startswith(tuple(options.entrants))]
    cores = os.cpu_count() or 1
    runs = []
    for shape in shapes.SHAPES:
        if not {shape.name, shape.group} & set(options.shapes):
            continue
        growth = shape.group == "growth"
        for name in [shape.name] if growth else [shape.name, shape.name + shapes.FLIPPED]:
            some = [e for e in wanted if not growth or e.name.startswith(GROWING)]
            runs += [(name, entrant, 1) for entrant in some]
            if not growth and shape.values >= options.threads_from and cores > 1:
                runs += [(name, entrant, cores) for entrant in some if entrant.threads]
    return runs


def summary(run: dict) -> str:
    """Return a run in one line for the screen."""
    if "cpu" not in run:
        return run.get("why") or run["state"]
    left = "" if run.get("mistakes") is None else f"{run['mistakes']:,} left"
    over = "" if run["state"] == "done" else f" ({run['state']})"
    return f"{run['cpu']:9.4f} s  {left:12} {run.get('verdict') or '':14} {run.get('note', '')}{over}"


def options_of() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    groups = ["real", "paper", "sparse", "mnist", "growth"]
    parser.add_argument(
        "--shapes", nargs="+", default=groups, help="names, or groups: " + ", ".join(groups)
    )
    parser.add_argument(
        "--entrants", nargs="+", default=[""], help="names, or how they begin (default all)"
    )
    parser.add_argument("--limit", type=float, default=60, help="CPU seconds per run (default 60)")
    parser.add_argument("--beyond", type=float, default=30, help="and at most so many times ours (30)")
    parser.add_argument("--least", type=float, default=6, help="but at least so many seconds (6)")
    parser.add_argument("--memory", type=float, default=8, help="GiB per run (default 8)")
    parser.add_argument(
        "--repeat", type=int, default=5, help="times that short runs are made (default 5)"
    )
    parser.add_argument(
        "--threads-from", type=float, default=1e7, help="values from which all cores run too"
    )
    parser.add_argument("--quick", action="store_true", help="one tiny shape, no repeats")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--work", type=Path, default=WORK, help="where data and results are kept")
    options = parser.parse_args()
    if options.quick:
        options.shapes, options.repeat = ["tiny"], 1
    return options


def make(entrant: Entrant, name: str, threads: int, limit: float, loaded: Loaded, options) -> dict:
    """Make one run in a process of its own."""
    data = options.work / "data"
    if threads == 1:
        start = partial(child.fork, lambda: one.run(entrant, loaded, limit, options.repeat))
    else:
        start = partial(child.spawn, entrant.name, name, data, limit, options.repeat)
    return child.watched(start, options.work, limit, options.memory * 2**30)


def main() -> None:
    """Make the runs that are not there yet."""
    options = options_of()
    child.alone()
    results, data = options.work / "results.jsonl", options.work / "data"
    data.mkdir(parents=True, exist_ok=True)
    if options.fresh:
        results.unlink(missing_ok=True)
    done = Records.read(results).runs
    # Slow to load, and shared with what is forked.
    import sklearn.datasets
    import sklearn.linear_model
    import sklearn.preprocessing
    import sklearn.svm  # noqa: F401

    at, loaded = "", None
    with results.open("a") as file:
        file.write(json.dumps({"machine": machine()}) + "\n")
        for name, entrant, threads in plan(options):
            once = done.get((name, entrant.name, 1), {}).get("state")
            if (name, entrant.name, threads) in done or (threads > 1 and once != "done"):
                continue
            run = {"data": name, "entrant": entrant.name, "threads": threads}
            why = hopeless(entrant, name, done)
            if why is None:
                if at != name:
                    shapes.ensure(data, name)
                    at, loaded = name, Loaded.load(data, name)
                limit = threads * limit_of(entrant, name, done, options)
                run |= {"limit": limit} | make(entrant, name, threads, limit, loaded, options)
            else:
                run |= {"state": "not run", "why": why}
            done[name, entrant.name, threads] = run
            file.write(json.dumps(run) + "\n")
            file.flush()
            print(f"{name:24} {entrant.name:40} {threads}  {summary(run)}", flush=True)


if __name__ == "__main__":
    main()
