"""Packed rows in files of the machine that has packed them, where later requests find them at once.

A file may be missing: where a disk is full none is written, and a cluster may hand a task to another
machine. Both are said, and whoever asked knows what to do.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from linsep import _tasks
from linsep._tasks import PACKED, STASHED, Batches

Task: TypeAlias = Callable[[Batches], Batches]


def write(batches: Batches, packing: Task, name: str) -> Batches:
    """Write packed rows to a file, and say what they hold and where it is.

    That is nowhere if there are none, or if it cannot be written.
    """
    file: _File | None = None

    def written() -> Batches:
        nonlocal file
        for batch in packing(batches):
            # By the partition that rows say they are of: another task may make them again.
            file = file or _File(name, batch.column("partition")[0].as_py())
            file.write(batch)
            yield batch

    try:
        (surveyed,) = _tasks.survey(written())
        if file is not None:
            file.finish()
    finally:
        if file is not None:
            file.discard()
    path = None if file is None else file.path
    yield pa.RecordBatch.from_arrays([*surveyed.columns, pa.array([path], pa.string())], schema=STASHED)


def read(batches: Batches, task: Task, schema: pa.Schema, keys: list[int] | None) -> Batches:
    """Hand packed rows in files to a task, or those with one of these keys.

    Partitions whose files are not here are named.
    """
    places = [place for batch in batches for place in batch.to_pylist() if place["rows"]]
    here: list[str] = []
    lost: list[int] = []
    for place in places:
        if place["path"] is not None and os.path.exists(place["path"]):
            here.append(place["path"])
        else:
            lost.append(place["partition"])
    yield from task(_rows(here, None if keys is None else pa.array(keys, pa.int64())))
    for partition in lost:
        yield _tasks.named_lost(partition, schema)


def sweep(batches: Batches, name: str) -> Batches:
    """Remove all files of this name from this machine."""
    for _ in batches:
        pass
    for folder in _folders():
        for path in glob.glob(os.path.join(glob.escape(folder), f"linsep-{name}-*")):
            with suppress(OSError):
                os.remove(path)
    return iter(())


def _folders() -> list[str]:
    """Return the folders that Spark has here.

    It removes them with the application, whatever becomes of a call.
    """
    return [folder for folder in os.environ.get("SPARK_LOCAL_DIRS", "").split(",") if folder]


class _File:
    """A file of packed rows: whole, or not there."""

    def __init__(self, name: str, partition: int) -> None:
        folders = _folders()
        self.path: str | None = None
        self.scratch = ""
        self.writer: pa.ipc.RecordBatchFileWriter | None = None
        if not folders:
            return
        folder = folders[partition % len(folders)]
        self.path = os.path.join(folder, f"linsep-{name}-{partition}.arrow")
        # Two attempts at the same partition do not disturb each other.
        self.scratch = f"{self.path}-{os.getpid()}"
        with self._attempt():
            self.writer = pa.ipc.new_file(self.scratch, PACKED)

    @contextmanager
    def _attempt(self) -> Iterator[None]:
        """Do without a file if this fails."""
        try:
            yield
        except OSError:
            self.path = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows."""
        if self.writer is not None and self.path is not None:
            with self._attempt():
                self.writer.write(batch)

    def finish(self) -> None:
        """Close the file and give it its name."""
        if self.writer is not None and self.path is not None:
            with self._attempt():
                self.writer.close()
                os.replace(self.scratch, self.path)

    def discard(self) -> None:
        """Remove what has no name."""
        with suppress(OSError):
            os.remove(self.scratch)


def _rows(paths: list[str], keys: pa.Array | None) -> Batches:
    for path in paths:
        with pa.memory_map(path) as source:
            reader = pa.ipc.open_file(source)
            for k in range(reader.num_record_batches):
                batch = reader.get_batch(k)
                if keys is not None:
                    batch = batch.filter(pc.is_in(batch.column("key"), value_set=keys))
                yield batch
