"""Does a process that is asked for hours stay small, and answer the same? `make soak` asks for one.

Random questions about a fixed pool of tables, files among them, are asked first from the main thread,
for half of the time, and then from several threads at once. The first answer to each question is
kept, as the hash of its JSON without seconds, and of the page or text that some are rendered to; all
later answers are compared with it, from whatever thread they come. So is what the checker says of
proofs.

Memory is printed every minute, between questions: what is resident once free memory has been handed
back to the system. A quarter of each half is for warming up; from then on it may grow by 32 MB, or by
1 MB per minute if that is more. The exit status is 1 if it grows by more, or if any answer is another.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import hashlib
import itertools
import json
import random
import re
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import linsep
import numpy as np
from scipy.sparse import csr_matrix
from tables import KINDS, Table, make

# What memory may grow by after warming up, in MB: in all, or per minute where that is more.
GROWTH, GROWTH_PER_MINUTE = 32, 1
# Kinds that take longer than a question of a soak may.
TOO_LARGE = ("tall", "big", "long", "wide", "dummies", "text", "models", "levels", "classes")
METHODS = ["joint", "fine", "perceptron", "corral", "svm", "sgd", "lp", "smooth", "averaged"]


def resident() -> float:
    """Return the MB of memory that the process has after it has given back what is free."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def timeless(answer: Any) -> str:
    """Return what an answer says, without how long it took."""
    if isinstance(answer, dict):
        answer = {key: value for key, value in answer.items() if key != "seconds"}
        return "{" + ",".join(f"{key}:{timeless(value)}" for key, value in answer.items()) + "}"
    if isinstance(answer, list):
        return "[" + ",".join(map(timeless, answer)) + "]"
    return json.dumps(answer)


def said(answer: Any, rendered: str) -> str:
    """Return an answer as JSON without seconds, with what `rendered` names."""
    text = timeless(json.loads(answer.to_json()))
    page = answer.to_html() if rendered == "page" else repr(answer) if rendered == "text" else ""
    # Times, in seconds and their parts, are all that may differ.
    page = re.sub(r"[\d.,]+\s*(ms|µs|ns|s|min|seconds?)\b|\"seconds\":[\d.e-]+", "", page)
    return hashlib.sha256((text + page).encode()).hexdigest()


@dataclass
class Pool:
    """Tables, and what can be asked about them."""

    folder: Path
    tables: list[tuple[str, Any, Any, Path]] = field(default_factory=list)
    classes: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def fill(self) -> None:
        """Make the tables: arrays, matrices of SciPy, and files."""
        for kind in KINDS:
            sizes = () if kind in TOO_LARGE else (0.1,) if kind == "extremes" else (0.1, 0.15, 0.3)
            for turn, most in enumerate(sizes):
                table = make(kind, turn, most)
                self.add(f"{kind}-{turn}", table.X, table.y)
        rng = np.random.default_rng(1)
        for k, rows in enumerate((12, 150, 2000)):
            X = rng.normal(size=(rows, 6)) * (rng.random((rows, 6)) < 0.4)
            self.add(
                f"sparse-{k}", csr_matrix(X), (X @ rng.normal(size=6) + 0.3 * k > rng.random(rows)) + 0
            )
            self.classes.append((rng.normal(size=(rows, 3)), np.arange(rows) % (k + 3)))

    def add(self, name: str, X: Any, y: np.ndarray) -> None:
        """Add a table, in memory and as a file."""
        if len(np.unique(y)) == 2:
            dense = X if isinstance(X, np.ndarray) else X.toarray()
            path = Table(dense, y).write(self.folder, name)
            self.tables.append((name, X, y, path))

    def question(self, rng: random.Random) -> tuple[str, Callable[[], str]]:
        """Return a random question: its name, and how to ask it."""
        name, X, y, path = rng.choice(self.tables)
        ask = rng.choice(
            ["decide"] * 4 + ["separation", "fit", "race", "audit", "verify", "open", "matrix"]
        )
        if ask == "decide":
            options = {
                "margin": rng.choice(["any", "max"]),
                "conflict": rng.choice(["any", "exact"]),
                "explain": rng.random() < 0.3,
                "max_passes": rng.choice([None, 40]),
            }
            rendered = rng.choice(["page", "text", "json"])
            return f"decide {name} {options} {rendered}", lambda: said(
                linsep.decide(X, y, **options), rendered
            )
        if ask == "separation":
            model = rng.choice(["binomial", "log-binomial", "poisson", "cumulative", "multinomial"])
            through = {"max_passes": 60} | ({} if model == "cumulative" else {"intercept": True})
            return f"{model} {name}", lambda: said(
                linsep.check_separation(X, y, model=model, **through), "text"
            )
        if ask == "fit":
            method, trace = rng.choice(METHODS), rng.random() < 0.2
            through = dict(max_epochs=20, trace=trace, shuffle=rng.random() < 0.5)
            return f"fit {method} {name} {through}", lambda: said(
                linsep.fit(X, y, method, **through), "page"
            )
        if ask == "race":
            methods = tuple(rng.sample(METHODS, 3))
            return f"race {name} {methods}", lambda: raced(X, y, methods)
        # An audit of cells from 1e-300 to 1e300 takes minutes.
        if ask == "audit" and not name.startswith("extremes"):
            return f"audit {name}", lambda: said(linsep.audit(X, y, leave_out=2), "page")
        if ask in ("verify", "audit"):
            return f"verify {name}", lambda: verified(X, y)
        if ask == "open":
            options = {"stream": rng.random() < 0.5}
            return f"open {name} {options}", lambda: opened(path, options)
        k = rng.randrange(len(self.classes))
        many = dict(argmax=rng.random() < 0.5, margin=rng.choice(["any", "max"]))
        return f"matrix {k} {many}", lambda: said(
            linsep.separability_matrix(*self.classes[k], **many), "page"
        )


def verified(X: Any, y: np.ndarray) -> str:
    """Return what the checker says of a proof, and of the same proof for other labels."""
    proof = linsep.decide(X, y, max_passes=60).proof
    if proof is None:
        return "no proof"
    return f"{linsep.verify(X, y, proof)!r} {linsep.verify(X, 1 - y, proof).valid}"


def raced(X: Any, y: np.ndarray, methods: tuple[str, ...]) -> str:
    """Return what a race says. Its page is made, but not compared: it has seconds without a unit."""
    race = linsep.race(X, y, methods, max_epochs=15)
    return f"{said(race, 'json')} {bool(race.to_html())}"


def opened(path: Path, options: dict[str, Any]) -> str:
    """Return what is said of a table in a file."""
    table = linsep.open(path, **options)
    return said(linsep.decide(table, max_passes=40), "page") + repr(linsep.fit(table, max_epochs=5).coef)


@dataclass
class Soak:
    """What has been asked, and what was answered first."""

    pool: Pool
    first: dict[str, str] = field(default_factory=dict)
    asked: int = 0
    faults: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, seed: int, until: float) -> None:
        """Ask random questions until it is time, and compare the answers."""
        rng = random.Random(seed)
        while time.monotonic() < until:
            name, ask = self.pool.question(rng)
            try:
                answer = ask()
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
            with self.lock:
                self.asked += 1
                before = self.first.setdefault(name, answer)
                if before != answer:
                    self.faults.append(f"{name}: at first {before[:300]}, then {answer[:300]}")
                    print("another answer:", self.faults[-1], file=sys.stderr, flush=True)

    def half(self, threads: int, minutes: float) -> list[tuple[float, float]]:
        """Ask from the main thread, or from so many others. Return times in minutes, and MB at rest."""
        started, sizes = time.monotonic(), []
        until = started + 60 * minutes
        for turn in itertools.count():
            # All rest now and then, so that what is measured is not what questions are at work on.
            rest = min(until, time.monotonic() + min(60, 60 * minutes / 8))
            seeds = [1000 * turn + k + 1 for k in range(max(threads, 1))]
            others = [threading.Thread(target=self.ask, args=(seed, rest)) for seed in seeds if threads]
            for other in others:
                other.start()
            if not others:
                self.ask(seeds[0], rest)
            for other in others:
                other.join()
            sizes.append(((time.monotonic() - started) / 60, resident()))
            questions = f"{self.asked:9,} asked, {len(self.first):6,} different"
            print(f"{sizes[-1][0]:6.1f} min {questions}, {sizes[-1][1]:8.1f} MB", flush=True)
            if time.monotonic() >= until:
                return sizes


def growth(sizes: list[tuple[float, float]]) -> tuple[float, float]:
    """Return by how many MB memory grew per minute after warming up, by least squares, and in all."""
    minutes, size = np.array(sizes[len(sizes) // 4 :]).T
    slope = float(np.polyfit(minutes, size, 1)[0]) if len(minutes) > 1 else 0.0
    return slope, slope * float(np.ptp(minutes))


def main() -> int:
    """Ask, and print what came of it. Return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60, help="how long, in all [default: 60]")
    parser.add_argument("--threads", type=int, default=8, help="threads in the second half [default: 8]")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    grown = False
    with tempfile.TemporaryDirectory(prefix="linsep-soak-") as folder:
        soak = Soak(Pool(Path(folder)))
        soak.pool.fill()
        for threads in (0, given.threads):
            print(
                f"{len(soak.pool.tables)} tables, from",
                f"{threads} threads" if threads else "the main thread",
            )
            slope, most = growth(soak.half(threads, given.minutes / 2))
            grown |= most > max(GROWTH, GROWTH_PER_MINUTE * given.minutes / 2)
            print(f"after warming up {slope:+.2f} MB per minute, {most:+.1f} MB in all")
    refused = [answer for answer in soak.first.values() if re.match(r"\w+(Error|Exception)", answer)]
    print(f"{soak.asked:,} questions, {len(soak.first):,} of them different, {len(refused):,} refused")
    for word, times in Counter(answer.split(":")[0] for answer in refused).items():
        print(f"  {times:,} x {word}, such as {next(a for a in refused if a.startswith(word))[:160]}")
    print(f"{len(soak.faults)} were answered otherwise than at first", *soak.faults, sep="\n")
    return 1 if soak.faults or grown else 0


if __name__ == "__main__":
    sys.exit(main())
