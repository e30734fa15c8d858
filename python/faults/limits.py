"""Do limits hold on hard tables? `make limits` runs it: some 200 tables, ten minutes.

Each table is made from a fixed seed, in a temporary folder (`--keep DIR`: in that one, and it stays),
and the program is asked one question about it with `--time-limit 1s`. From start to end it may take
two seconds, plus what it takes to read the table. Nothing is subtracted for files below 2 MB; for
larger ones it is how long one epoch of the Perceptron on the same file takes. With `--interrupt`
there is no time limit, but Ctrl-C after half a second, and the program may go on for a second more. A
checkpoint that was asked for has to be there and fit to go on from; any other file has to be whole or
absent, and none may be left over.

A machine has other things to do, so a case that takes too long is tried three times more, and the
least counts. Cases that take too long even then, or end with a wrong status or verdict, are listed
with their command, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from questions import COMMANDS, OUTPUTS, question
from tables import KINDS, make

LIMIT, ENDS_WITHIN = 1.0, 2.0
INTERRUPT_AFTER, STOPS_WITHIN = 0.5, 1.0
GIVEN_UP_AFTER = 30.0
# Files from this size on take long enough to read that it matters.
LARGE = 2_000_000

WHOLE = {".html": b"</html>", ".svg": b"</svg>", ".csv": b"\n"}
STATUS = {
    "separable": 0,
    "quasi-separable": 1,
    "inseparable": 1,
    "not-all-separable": 1,
    "undecided": 3,
    "complete": 1,
    "quasi-complete": 1,
    "overlap": 0,
}


def run(command: list[str], folder: Path, interrupt: bool = False) -> tuple[float | None, int, str, str]:
    """Return the seconds it took (from the signal on; None if it had ended), its status and output."""
    started, before = time.monotonic(), False
    with (folder / "stdout").open("w+") as out, (folder / "stderr").open("w+") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err, cwd=folder)
        try:
            if interrupt:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(INTERRUPT_AFTER)
                    before = True
                started = time.monotonic()
                child.send_signal(signal.SIGINT)
            child.wait(GIVEN_UP_AFTER)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        seconds = None if before else time.monotonic() - started
        out.seek(0)
        err.seek(0)
        return seconds, child.returncode, out.read(), err.read()


def slow(judged: tuple[float | None, str | None]) -> tuple[bool, float]:
    """Return what puts a fault first of several results, and then the least time."""
    return judged[1] is None, judged[0] or 0.0


def wrong(asked: str, status: int, out: str, err: str, truth: str | None) -> str | None:
    """Return what is wrong with an answer, if anything is."""
    if status == 130 and not out:
        return None
    if status < 0:
        return f"ended by signal {-status}, which it gets after {GIVEN_UP_AFTER:g} s"
    if status not in (0, 1, 3):
        return f"status {status}: {(err.strip() or 'nothing said').splitlines()[0][:300]}"
    try:
        answer = json.loads(out)
    except ValueError:
        return f"status {status} without one JSON object: {out[:80]!r}"
    verdict = answer.get("kind" if asked.startswith("separation") else "verdict")
    if asked.startswith(("decide", "separation")):
        if STATUS.get(verdict, 3) != status and not ("--margin max" in asked and status == 3):
            return f"status {status} for the verdict {verdict}"
        if verdict == "undecided" and answer.get("because", "time") not in ("time", "cancelled"):
            return f"undecided because of {answer['because']}"
        if asked.startswith("decide") and truth and verdict not in (truth, "undecided"):
            return f"the verdict {verdict}, where the truth is {truth}"
    ends = [run.get("stop") for run in [answer, *answer.get("methods", [])]]
    if asked.startswith(("fit", "race")) and {"time-limit", "cancelled"} & {*ends} and status == 1:
        return f"status 1 where a limit came first: {ends}"
    return None


def damaged(command: list[str], folder: Path, status: int, named: set[str]) -> str | None:
    """Return what is wrong with the files that an interrupted run left, if anything is."""
    for path in sorted(folder.rglob("*")):
        known = path.relative_to(folder).parts[0] in {*named, "stdout", "stderr"}
        if not known and path.suffix != ".linsep-cache":
            return f"left {path.name} behind"
        data, end = b"" if path.is_dir() else path.read_bytes(), WHOLE.get(path.suffix, b"")
        whole = data.rstrip(b"\n ").endswith(end) if end != b"\n" else data.endswith(end)
        if path.suffix == ".json":
            with contextlib.suppress(ValueError):
                json.loads(data)
                continue
            whole = False
        if not whole:
            return f"{path.name} is not whole"
    if "--checkpoint" in command and status == 3:
        if not (folder / "run.checkpoint").exists():
            return "kept no checkpoint"
        _, again, _, err = run([*command, "--resume", "--time-limit", "1ms"], folder)
        if again not in (0, 1, 3):
            return f"does not go on from the checkpoint: status {again}, {err.strip()[:200]}"
    return None


@dataclass
class Case:
    """A command, and what is known about its answer."""

    kind: str
    asked: str
    table: Path | None = None
    truth: str | None = None
    # Whether files are asked for beside the answer; for an interrupt they always are.
    outputs: bool = False
    # Commands that have to run before it.
    first: tuple[str, ...] = ()

    def command(self, program: str, interrupt: bool) -> list[str]:
        """Return the words of the command."""
        name, *options = shlex.split(self.asked)
        if self.table is None:
            return [program, name, *options]
        outputs = OUTPUTS[name] if interrupt or self.outputs else ""
        if outputs and {"--pairs", "--argmax", "--one-vs-rest"} & {*options}:
            outputs = "-o model.json" if name == "fit" else "--proof proofs --report page.html"
        limit = [] if interrupt else ["--time-limit", f"{LIMIT:g}s"]
        return [program, name, str(self.table), *options, *shlex.split(outputs), *limit, "--json"]

    def reading(self, program: str, folder: Path) -> float:
        """Return what it takes to read the table: next to nothing if it is small."""
        if self.table is None or self.table.stat().st_size < LARGE:
            return 0.0
        every = "--one-vs-rest" if self.kind in ("classes", "models", "levels") else ""
        least = f"fit {self.table} {every} --method perceptron --max-epochs 1 --json"
        return run([program, *shlex.split(least)], folder)[0] or 0.0

    def judge(self, program: str, interrupt: bool) -> tuple[float | None, str | None]:
        """Return how long it took, None if it ended before the signal, and what is wrong."""
        with tempfile.TemporaryDirectory(prefix="linsep-limits-") as name:
            folder = Path(name)
            for line in self.first:
                run([program, *shlex.split(line)], folder)
            command = self.command(program, interrupt)
            reading = 0.0 if interrupt else self.reading(program, folder)
            seconds, status, out, err = run(command, folder, interrupt)
            if self.table is None:
                # What gives no answer says that it was interrupted, with the status of an error.
                ends_well = status in (0, 1, 3, 130) or "interrupted" in err
                fault = None if ends_well else f"status {status}: {err[:200]}"
            else:
                fault = wrong(self.asked, status, out, err, self.truth)
            if interrupt and not fault:
                named = {*command, *shlex.split(" ".join(self.first)), "rows.labels.npy"}
                fault = damaged(command, folder, status, named)
            return None if seconds is None else max(seconds - reading, 0.0), fault


def cases(folder: Path, only: str | None, count: int, interrupt: bool) -> Iterator[Case]:
    """Make tables, one at a time, and yield what is asked about each."""
    kinds = [kind for kind in KINDS if only in (None, kind)]
    for k in range(count if kinds else 0):
        kind, turn = kinds[k % len(kinds)], k // len(kinds)
        table = make(kind, turn)
        path = table.write(folder, f"{kind}-{turn}")
        yield Case(kind, question(kind, turn), path, table.truth, outputs=k % 2 == 1)
    if interrupt and only in (None, "commands"):
        yield from (Case("commands", asked, first=first) for *first, asked in map(tuple, COMMANDS))


def main() -> int:
    """Ask, and print what came of it. Return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", required=True, help="the program that is asked")
    parser.add_argument(
        "--interrupt", action="store_true", help="Ctrl-C after half a second, no time limit"
    )
    parser.add_argument(
        "--only", metavar="KIND", choices=[*KINDS, "commands"], help="one kind of tables"
    )
    parser.add_argument("--count", type=int, default=200, help="how many tables [default: 200]")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="make the tables here, and keep them")
    given = parser.parse_args()
    program, most = str(Path(given.program).resolve()), STOPS_WITHIN if given.interrupt else ENDS_WITHIN
    found, times = [], defaultdict(list)
    with contextlib.ExitStack() as stack:
        folder = given.keep or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="linsep-tables-"))
        )
        folder.mkdir(parents=True, exist_ok=True)
        for case in cases(folder.resolve(), given.only, given.count, given.interrupt):
            seconds, fault = case.judge(program, given.interrupt)
            for _ in range(3):
                # What is five times over is no noise.
                if seconds is not None and most < seconds < 5 * most and not fault:
                    seconds, fault = min(
                        (seconds, fault), case.judge(program, given.interrupt), key=slow
                    )
            times[case.kind].append(seconds)
            if fault or (seconds is not None and seconds > most):
                words = shlex.join(case.command(given.program, given.interrupt))
                found.append(f"{seconds or 0:6.2f} s  {fault or 'too long'}\n          {words}")
                print(found[-1], file=sys.stderr, flush=True)
            if case.table and not given.keep:
                for path in case.table.parent.iterdir():
                    path.unlink()
    print(f"{'kind':12}{'asked':>7}{'ended before' if given.interrupt else '':>14}{'longest':>10}")
    for kind, all_times in times.items():
        ran = [seconds for seconds in all_times if seconds is not None]
        before = f"{len(all_times) - len(ran)}" if given.interrupt else ""
        print(f"{kind:12}{len(all_times):>7}{before:>14}{max(ran, default=0):>8.2f} s")
    print(f"{len(found)} of {sum(map(len, times.values()))} took more than {most:g} s or ended wrongly")
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
