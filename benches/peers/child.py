"""One run in a process of its own, watched: it is ended when it has used too much time or memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
THREADS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"]


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
    """Return the last whole line of JSON in a file; libraries may have printed between them."""
    for line in reversed(out.read_text(errors="replace").splitlines(keepends=True)):
        if line.startswith("{") and line.endswith("}\n"):
            return json.loads(line)
    return {"state": "failed"}


def too_much(pid: int, said: dict, ends: float, memory: float) -> str | None:
    """Return why a process has to end, if it has to."""
    if processor_seconds(pid) > said.get("until", float("inf")) or time.monotonic() > ends:
        return "over the limit"
    if resident(pid) > memory:
        return "out of memory"
    return None


def attempt(
    entrant: str,
    name: str,
    *,
    threads: int,
    limit: float,
    repeat: int,
    memory: float,
    folder: Path,
    scratch: Path,
) -> dict:
    """Run one entrant on one data set, and return what it last said of itself."""
    command = [sys.executable, str(HERE / "one.py"), entrant, name]
    command += ["--folder", str(folder), "--limit", str(limit), "--repeat", str(repeat)]
    environment = os.environ | {variable: str(threads) for variable in THREADS}
    out, err = scratch / "one.out", scratch / "one.err"
    why = None
    # Reading, preparing, a proof checked once more and a run from the file take their time, too.
    ends = time.monotonic() + 4 * limit + 180
    with out.open("w") as stdout, err.open("w") as stderr:
        child = subprocess.Popen(command, env=environment, stdout=stdout, stderr=stderr, cwd=HERE)
        while why is None and child.poll() is None:
            time.sleep(0.02)
            why = too_much(child.pid, last_said(out), ends, memory)
        if why is not None:
            child.kill()
        child.wait()
    known = last_said(out)
    known.pop("until", None)
    if "cpu" in known:
        return known
    if why is not None:
        known["state"] = why
    elif child.returncode != 0:
        known |= {"state": "failed", "error": err.read_text(errors="replace").strip()[-300:]}
    return known
