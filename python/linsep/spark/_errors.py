"""What goes wrong on a cluster, in a few words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

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
def told_plainly(what: str) -> Iterator[None]:
    """Raise a ClusterError in the place of what Spark raises when a job fails."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        text = str(error)
        task = _TASK.search(text)
        if task is None and "aborted" not in text and "Python worker" not in text:
            raise
        partition = int(task.group(1)) if task else None
        cause = _cause(text)
        where = "a task" if partition is None else f"partition {partition}"
        times = f" {task.group(2)} times" if task else ""
        raise ClusterError(f"{what}: {where} failed{times}: {cause}", partition, cause) from error


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
