"""What goes wrong on a cluster, in a few words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

__all__ = ["ClusterError"]

_TASK = re.compile(r"Task (\d+) in stage \S+ failed (\d+) times?")
_RAISED = re.compile(r"^(?:\w+\.)*(\w+(?:Error|Exception|Interrupt)): (.*)$", re.MULTILINE)
_LOST = re.compile(r"ExecutorLostFailure.*?Reason: (.*)", re.DOTALL)


class ClusterError(RuntimeError):
    """A job of the cluster failed for good.

    Attributes
    ----------
    partition : int or None
        The partition whose task failed, counted from 0.
    cause : str
        Why it failed.
    """

    def __init__(self, message: str, partition: int | None = None, cause: str = "") -> None:
        super().__init__(message)
        self.partition = partition
        self.cause = cause

    def __reduce__(self) -> tuple[object, ...]:
        return ClusterError, (str(self), self.partition, self.cause)


@contextmanager
def told_plainly(what: str, session: SparkSession) -> Iterator[None]:
    """Raise a ClusterError in the place of what Spark raises when a job fails."""
    tag = f"linsep-{uuid4().hex}"
    context = _context(session)
    if context is not None:
        context.addJobTag(tag)
    try:
        yield
    except (PySparkException, Py4JError) as error:
        text = str(error)
        task = _TASK.search(text)
        if task is None and "aborted" not in text and "Python worker" not in text:
            raise
        failed = [int(task.group(1))] * int(task.group(2)) if task else _failed(context, tag)
        partition, cause = (failed[0] if failed else None), _cause(text)
        where = "a task" if partition is None else f"partition {partition}"
        times = f" {failed.count(failed[0])} times" if failed else ""
        raise ClusterError(f"{what}: {where} failed{times}: {cause}", partition, cause) from error
    finally:
        if context is not None:
            context.removeJobTag(tag)


def _context(session: SparkSession) -> SparkContext | None:
    """Return the context of a session, unless that is on another machine."""
    try:
        return session.sparkContext
    except (PySparkException, AttributeError):
        return None


def _failed(context: SparkContext | None, tag: str) -> list[int]:
    """Return the partitions of tasks that failed, the most often first; nothing if unknown.

    Spark raises what a task of Python has raised, and does not say which task it was.
    """
    if context is None:
        return []
    failed: list[int] = []
    try:
        java = context._jsc.sc()
        java.listenerBus().waitUntilEmpty()
        for job in java.statusTracker().getJobIdsForTag(tag):
            for stage in java.statusTracker().getJobInfo(job).get().stageIds():
                tasks = java.statusStore().taskList(stage, 0, 2**31 - 1)
                found = [tasks.apply(k) for k in range(tasks.size())]
                failed += [task.partitionId() for task in found if task.status() == "FAILED"]
    except (Py4JError, PySparkException):
        # No public interface has it, and this one may change.
        return []
    return sorted(failed, key=lambda partition: -failed.count(partition))


def _cause(text: str) -> str:
    """Return what a task raised, or why its executor was lost."""
    raised = [match for match in _RAISED.finditer(text) if not match.group(1).startswith("Spark")]
    raised = [match for match in raised if match.group(1) not in ("PythonException", "Py4JJavaError")]
    if raised:
        name, message = raised[-1].groups() if "Traceback" in text else raised[0].groups()
        if name == "ModuleNotFoundError" and "linsep" in message:
            return (
                f"{name}: {message}; linsep has to be installed on all machines, for the Python that "
                "PYSPARK_PYTHON names"
            )
        return f"{name}: {message.strip()}"
    lost = _LOST.search(text)
    if lost:
        return f"its executor was lost: {lost.group(1).strip().splitlines()[0]}"
    return text.strip().splitlines()[0]
