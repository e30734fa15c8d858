"""Runs linsep and its peers on the same data, one process after the other, and keeps what came of it.

    make bench-peers                     all of it
    python benches/peers/run.py --shapes 10k-100 --entrants "linsep decide" "lbfgs"

Every line of results.jsonl is one run. A run that is there already is not made again, unless with
--fresh.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import entrants
import shapes
from entrants.entrant import Entrant

HERE = Path(__file__).resolve().parent
WORK = HERE.parent.parent / "target" / "peers"
THREADS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"]
PACKAGES = ["linsep", "scikit-learn", "liblinear-official", "vowpalwabbit", "highspy", "clarabel", "numpy", "scipy"]
# The first entrant of ours sets the scale of limits.
OURS = "linsep decide"


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
            pass
    return {"cores": os.cpu_count(), "cpu_model": model, "python": platform.python_version(), "versions": versions}


def resident(pid: int) -> int:
    """Return the memory that a process holds, in bytes; 0 if it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def processor_seconds(pid: int) -> float:
    """Return the CPU time that a process has used; 0 if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def last_said(out: Path) -> dict:
    """Return the last line of JSON in a file; libraries may have printed between them."""
    for line in reversed(out.read_text().splitlines(keepends=True)):
        if line.startswith("{") and line.endswith("}\n"):
            return json.loads(line)
    return {"state": "failed"}


def attempt(entrant: Entrant, name: str, threads: int, limit: float, options) -> dict:
    """Run one entrant on one data set in a process of its own, and return what it last said."""
    environment = os.environ | {variable: str(threads) for variable in THREADS}
    command = [sys.executable, str(HERE / "one.py"), entrant.name, name]
    command += ["--folder", str(options.folder), "--limit", str(limit), "--repeat", str(options.repeat)]
    out, err = options.results.with_suffix(".out"), options.results.with_suffix(".err")
    state = None
    with out.open("w") as stdout, err.open("w") as stderr:
        child = subprocess.Popen(command, env=environment, stdout=stdout, stderr=stderr, cwd=HERE)
        ends = time.monotonic() + 4 * limit + 120
        while child.poll() is None:
            time.sleep(0.02)
            until = last_said(out).get("until", float("inf"))
            if processor_seconds(child.pid) > until:
                state = "over the limit"
                child.kill()
            elif resident(child.pid) > options.memory * 2**30:
                state = "out of memory"
                child.kill()
            elif time.monotonic() > ends:
                state = "over the limit"
                child.kill()
        child.wait()
    known = last_said(out)
    if state is not None and "cpu" not in known:
        known["state"] = state
    if child.returncode != 0 and state is None and "cpu" not in known:
        known |= {"state": "failed", "error": err.read_text().strip().splitlines()[-1:]}
    return known


def limit_of(entrant: Entrant, name: str, done: dict, options) -> float:
    """Return the seconds for a run: enough to tell by how much it is slower than ours, not more."""
    ours = done.get((name, OURS, 1), {}).get("cpu", options.limit)
    limit = max(options.least, options.beyond * ours)
    if entrant.goal != "any":
        same = [run for (at, who, threads), run in done.items() if at == name and threads == 1
                and entrants.NAMED[who].ours and entrants.NAMED[who].goal == entrant.goal]
        limit = max([limit, *(options.beyond / 5 * run.get("cpu", 0.0) for run in same)])
    return options.limit if entrant.ours else min(options.limit, limit)


def hopeless(entrant: Entrant, name: str, done: dict) -> str | None:
    """Return why a run is not started, if it is not."""
    shape = shapes.NAMED[name.removesuffix(shapes.FLIPPED)]
    if shape.sparse and not entrant.sparse:
        return "dense data only"
    if shape.rows > entrant.most_rows or shape.values > entrant.most_values:
        return "too large for it"
    for (other, who, threads), run in done.items():
        if who != entrant.name or threads != 1 or other == name or run["state"] not in ("over the limit", "out of memory"):
            continue
        if other.endswith(shapes.FLIPPED) != name.endswith(shapes.FLIPPED):
            continue
        smaller = shapes.NAMED[other.removesuffix(shapes.FLIPPED)]
        if smaller.group in ("real", "mnist") or smaller.sparse != shape.sparse or shape.group in ("real", "mnist"):
            continue
        if smaller.rows <= shape.rows and smaller.features <= shape.features:
            return f"{run['state']} on {smaller.title} already"
    return None


def plan(options) -> list[tuple[str, Entrant, int]]:
    """Return the runs in order: data set by data set, ours first."""
    runs = []
    for shape in shapes.SHAPES:
        chosen = shape.name in options.shapes or shape.group in options.shapes
        if not chosen:
            continue
        kinds = [shape.name] if shape.group == "growth" else [shape.name, shape.name + shapes.FLIPPED]
        for name in kinds:
            for entrant in entrants.ENTRANTS:
                if options.entrants and not any(entrant.name.startswith(part) for part in options.entrants):
                    continue
                if entrant.installed:
                    runs.append((name, entrant, 1))
            if shape.values >= options.threads_from and os.cpu_count() > 1:
                runs += [(name, e, os.cpu_count()) for n, e, t in runs if n == name and t == 1 and e.threads]
    return runs


def summary(run: dict) -> str:
    """Return a run in one line for the screen."""
    if "cpu" not in run:
        return run["state"]
    left = "" if run.get("mistakes") is None else f"{run['mistakes']:,} left"
    wrong = "" if run["state"] == "done" else f" ({run['state']})"
    return f"{run['cpu']:9.4f} s  {left:14} {run.get('verdict') or '':14} {run.get('note', '')}{wrong}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", default=["paper", "sparse", "real", "mnist", "growth"])
    parser.add_argument("--entrants", nargs="+", help="names, or how they begin (default all)")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds per run (default 60)")
    parser.add_argument("--beyond", type=float, default=50.0, help="... and at most this many times decide's own")
    parser.add_argument("--least", type=float, default=5.0, help="... but at least these")
    parser.add_argument("--memory", type=float, default=8.0, help="GiB per run (default 8)")
    parser.add_argument("--repeat", type=int, default=5, help="short runs are repeated (default 5)")
    parser.add_argument("--threads-from", type=float, default=1e7, help="values from which all cores are tried too")
    parser.add_argument("--quick", action="store_true", help="one tiny shape, no repeats")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--folder", type=Path, default=WORK / "data")
    parser.add_argument("--results", type=Path, default=WORK / "results.jsonl")
    options = parser.parse_args()
    if options.quick:
        options.shapes, options.repeat = ["tiny"], 1
    options.results.parent.mkdir(parents=True, exist_ok=True)
    if options.fresh:
        options.results.unlink(missing_ok=True)
    done = {}
    if options.results.exists():
        for line in options.results.read_text().splitlines():
            run = json.loads(line)
            if "entrant" in run:
                done[run["data"], run["entrant"], run["threads"]] = run
    with options.results.open("a") as file:
        file.write(json.dumps({"machine": machine()}) + "\n")
        for name, entrant, threads in plan(options):
            if (name, entrant.name, threads) in done:
                continue
            why = hopeless(entrant, name, done)
            if why is None and threads > 1 and done.get((name, entrant.name, 1), {}).get("state") != "done":
                continue
            if why is None:
                shapes.ensure(options.folder, name)
                limit = limit_of(entrant, name, done, options)
                run = {"limit": limit, **attempt(entrant, name, threads, limit, options)}
            else:
                run = {"state": "not run", "why": why}
            run = {"data": name, "entrant": entrant.name, "threads": threads, **run}
            done[name, entrant.name, threads] = run
            file.write(json.dumps(run) + "\n")
            file.flush()
            print(f"{name:24} {entrant.name:30} {threads}  {summary(run)}", flush=True)


if __name__ == "__main__":
    main()
