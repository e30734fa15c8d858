"""One run in a process of its own, watched: it is ended when it has used too much time or memory."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO

HERE = Path(__file__).resolve().parent
THREADS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"]


def alone() -> None:
    """Begin again with one thread for everything, unless that is so: what is forked shares it."""
    wanted = {variable: "1" for variable in THREADS}
    if not wanted.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | wanted)


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


def fork(work: Callable[[], None], out: IO[str], err: IO[str]) -> int:
    """Run the work in a copy of this process, which has libraries and data in memory already."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def spawn(
    entrant: str, name: str, folder: Path, limit: float, repeat: int, out: IO[str], err: IO[str]
) -> int:
    """Start one.py anew with all cores: libraries ask for their number of threads when loaded."""
    command = [sys.executable, str(HERE / "one.py"), entrant, name]
    command += ["--folder", str(folder), "--limit", str(limit), "--repeat", str(repeat)]
    environment = os.environ | {variable: str(os.cpu_count()) for variable in THREADS}
    outputs = [(os.POSIX_SPAWN_DUP2, file.fileno(), place) for place, file in ((1, out), (2, err))]
    return os.posix_spawn(sys.executable, command, environment, file_actions=outputs)


def watched(
    start: Callable[[IO[str], IO[str]], int], scratch: Path, limit: float, memory: float
) -> dict:
    """Start a process, watch it to its end, and return what it last said of itself."""
    out, err = scratch / "one.out", scratch / "one.err"
    why = status = None
    # Preparing, a proof checked once more and a run from the file take their time, too.
    ends = time.monotonic() + 4 * limit + 180
    with out.open("w") as stdout, err.open("w") as stderr:
        pid = start(stdout, stderr)
        while status is None:
            time.sleep(0.01)
            ended, code = os.waitpid(pid, os.WNOHANG)
            if ended:
                status = os.waitstatus_to_exitcode(code)
            elif why is None:
                why = too_much(pid, last_said(out), ends, memory)
                if why is not None:
                    os.kill(pid, signal.SIGKILL)
    known = last_said(out)
    known.pop("until", None)
    if "cpu" in known:
        return known
    if why is not None:
        known["state"] = why
    elif status != 0:
        known |= {"state": "failed", "error": err.read_text(errors="replace").strip()[-300:]}
    return known
