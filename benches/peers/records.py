"""What the runs say together: the truth of each question, its largest margin, who was best."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import entrants
import shapes
from entrants.entrant import SEPARABLE, Entrant

TOP = Path(__file__).resolve().parent.parent.parent
Key = tuple[str, str, int]  # data set, entrant, threads
OURS = "linsep decide"
OUR_MAX = {"angular": "linsep decide, max angular", "geometric": "linsep decide, max geometric"}
# Two margins are the same if they differ by no more than this part: what `decide` itself stops at.
SAME_MARGIN = 1e-6


@dataclass
class Records:
    """All runs by data set, entrant and threads; of several, the last."""

    runs: dict[Key, dict]
    machine: dict

    @classmethod
    def read(cls, path: Path) -> Records:
        records = cls({}, {})
        for line in path.read_text().splitlines() if path.exists() else []:
            record = json.loads(line)
            if "machine" in record:
                records.machine = record["machine"]
            else:
                records.runs[record["data"], record["entrant"], record["threads"]] = record
        return records

    def get(self, data: str, entrant: str, threads: int = 1) -> dict:
        return self.runs.get((data, entrant, threads), {"state": "not run", "why": "not run"})

    def of(self, data: str, threads: int = 1) -> Iterator[tuple[Entrant, dict]]:
        """Yield entrants and runs on a data set, in the order of the entrants."""
        for entrant in entrants.ENTRANTS:
            if (data, entrant.name, threads) in self.runs:
                yield entrant, self.runs[data, entrant.name, threads]

    def data_sets(self, *groups: str) -> Iterator[str]:
        """Yield the data sets of these groups that there are runs of, each before its flipped one."""
        known = {data for data, _, _ in self.runs}
        for shape in shapes.SHAPES:
            if shape.group in groups:
                yield from (name for name in (shape.name, shape.name + shapes.FLIPPED) if name in known)

    def truth(self, data: str) -> str | None:
        """Return the verdict of ours whose proof was checked; else what the making of the data says."""
        ours = self.get(data, OURS)
        if ours.get("proof_checked"):
            return ours["verdict"]
        shape = shapes.NAMED[data.removesuffix(shapes.FLIPPED)]
        made = shape.group in ("paper", "sparse", "growth") and data == shape.name
        separated = any(run.get("mistakes") == 0 for _, run in self.of(data))
        return SEPARABLE if made or separated else None

    def largest(self, data: str, kind: str) -> float | None:
        """Return the largest margin that any run has reached, if one looked for it to the end."""
        found = [run.get(kind) or 0.0 for entrant, run in self.of(data) if run.get("mistakes") == 0]
        sought = [e for e, run in self.of(data) if e.goal == kind and run["state"] == "done"]
        return max(found) if found and sought else None

    def short_by(self, data: str, kind: str, run: dict) -> float | None:
        """Return by what part the margin of a run falls short of the largest; None with mistakes."""
        largest = self.largest(data, kind)
        if largest is None or run.get("mistakes") != 0:
            return None
        return 1.0 - run[kind] / largest

    def reaches(self, data: str, kind: str, within: float) -> Callable[[Entrant, dict], bool]:
        """Return what tells whether the margin of a run is the largest, up to this part of it."""

        def told(entrant: Entrant, run: dict) -> bool:
            short = self.short_by(data, kind, run)
            return short is not None and short <= within

        return told

    def best_peer(
        self,
        data: str,
        wanted: Callable[[Entrant, dict], bool],
        by: str = "cpu",
        threads: int = 1,
        names: tuple[str, ...] = ("",),
    ) -> tuple[Entrant, dict] | None:
        """Return the fastest peer, of those whose names begin so, that did what was wanted in time."""
        peers = [
            (entrant, run)
            for entrant, run in self.of(data, threads)
            if not entrant.ours and entrant.name.startswith(names)
            if run["state"] == "done" and by in run and wanted(entrant, run)
        ]
        return min(peers, key=lambda pair: pair[1][by]) if peers else None


def separates(entrant: Entrant, run: dict) -> bool:
    return run.get("mistakes") == 0


def says(verdict: str | None) -> Callable[[Entrant, dict], bool]:
    """Return what tells whether a run has given this verdict."""
    return lambda entrant, run: verdict is not None and run.get("verdict") == verdict


def title(data: str) -> str:
    """Return what a data set is called in tables."""
    plain = data.removesuffix(shapes.FLIPPED)
    return shapes.NAMED[plain].title + ("" if data == plain else ", 1 % flipped")
