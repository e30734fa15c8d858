"""What went between the driver and the cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Job:
    """One job of the cluster, as the driver saw it.

    Attributes
    ----------
    kind : str
        "count" (rows and labels), "pack", "pass" or "fetch" (single rows).
    seconds : float
        From its start until all answers were here.
    sent, received : int
        Bytes of the request, which goes to each executor once, and of all answers.
    answers : int
        How many answers came: one per partition, or one per group of them.
    """

    kind: str
    seconds: float = 0.0
    sent: int = 0
    received: int = 0
    answers: int = 0


@dataclass
class Traffic:
    """All jobs of a call.

    Attributes
    ----------
    partitions : int
        Partitions of the rows.
    jobs : list of Job
        The jobs, in order.
    memory : int
        Bytes that the driver's Python had at most after a job beyond what it had before the call.
    """

    partitions: int = 0
    jobs: list[Job] = field(default_factory=list)
    memory: int = 0
    _say: Callable[[str], object] | None = field(default=None, repr=False)
    _before: int = field(default_factory=lambda: _resident(), repr=False)

    @property
    def sent(self) -> int:
        """Bytes of all requests."""
        return sum(job.sent for job in self.jobs)

    @property
    def received(self) -> int:
        """Bytes of all answers."""
        return sum(job.received for job in self.jobs)

    @contextmanager
    def job(self, kind: str) -> Iterator[Job]:
        """Time a job, and say what it was."""
        job, started = Job(kind), time.perf_counter()
        yield job
        job.seconds = time.perf_counter() - started
        self.jobs.append(job)
        self.memory = max(self.memory, _resident() - self._before)
        self.say(
            f"{kind}: {job.seconds:.2f} s, {amount(job.sent)} sent, {amount(job.received)} "
            f"received in {job.answers:,} answers"
        )

    def say(self, line: str) -> None:
        """Say this to whoever wants to hear of jobs."""
        if self._say is not None:
            self._say(line)


def amount(count: float) -> str:
    """Return a number of bytes as people read it."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} GB"


def _resident() -> int:
    """Return the bytes of memory that this process has; 0 where nobody says."""
    try:
        with open("/proc/self/statm") as told:
            return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
