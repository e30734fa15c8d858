"""What the machines of a cluster do with Arrow batches: generators, as Spark's `mapInArrow` wants them.

All arithmetic is Rust's. Nothing here needs Spark, which takes long to import, but `task_number`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from linsep import _linsep

Batches: TypeAlias = Iterator[pa.RecordBatch]

# Rows that were packed, and what is wrong with one of them. Spark wants these very types.
PACKED = pa.schema(
    [
        ("key", pa.int64()),
        ("partition", pa.int32()),
        ("rows", pa.int32()),
        ("positives", pa.int32()),
        ("runs", pa.binary()),
        ("packed", pa.binary()),
        ("stamp", pa.int64()),
        ("check", pa.int64()),
        ("sparse", pa.bool_()),
        ("fault_row", pa.int64()),
        ("fault_column", pa.string()),
        ("fault", pa.string()),
    ]
)
# What a partition holds.
SURVEYED = pa.schema(
    [
        ("partition", pa.int32()),
        ("rows", pa.int64()),
        ("positives", pa.int64()),
        ("stamp", pa.int64()),
        ("check", pa.int64()),
        ("sparse", pa.bool_()),
        ("fault_row", pa.int64()),
        ("fault_column", pa.string()),
        ("fault", pa.string()),
    ]
)
# The same, and where its packed rows are.
STASHED = SURVEYED.append(pa.field("path", pa.string()))
# What was found, or the partition of packed rows that were not there to look into.
FOUND = pa.schema([("found", pa.binary()), ("lost", pa.int32())])
PICKED = pa.schema([("numbers", pa.binary()), ("packed", pa.binary()), ("lost", pa.int32())])


# How a fault begins that is about files, not about a row.
MOVED = "files have changed"


def task_number() -> int:
    """Return the number of this task.

    Where a task reads several partitions it is that of none: it makes those again that were lost.
    """
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


def pack(
    batches: Batches,
    lengths: Sequence[int],
    cut: int,
    numbered: bool,
    files: dict[str, int] | None,
) -> Batches:
    """Pack rows: features, whether positive, number and file where rows are numbered, partition."""
    packer, here, worst = None, -1, None
    for batch in batches:
        if packer is None:
            if not batch.num_rows:
                continue
            here = batch.column("partition")[0].as_py()
            packer = _linsep.Packer(list(lengths), cut, here, numbered=numbered, files=files)
        try:
            packed, fault = packer.pack(batch)
        except KeyError as error:
            packed, fault = [], (-1, None, f"{MOVED}: {error.args[0]}")
        if fault is not None and (worst is None or fault[0] < worst[0]):
            worst = fault
        if worst is not None:
            if not numbered:
                break
            # Rows come in any order, and the first of them is to be named.
            continue
        if packed:
            columns: list[Any] = [list(column) for column in zip(*packed, strict=True)]
            nothing = [None] * len(packed)
            yield _batch([*columns, nothing, nothing, nothing], PACKED)
    if worst is not None:
        # Said, not raised: Spark would try again, and again.
        yield _batch([[None], [here], *([None] for _ in range(7)), *([item] for item in worst)], PACKED)


def chained(batches: Batches, tasks: Sequence[Callable[[Batches], Batches]]) -> Batches:
    """Hand what one task yields to the next."""
    for task in tasks:
        batches = task(batches)
    return batches


def survey(batches: Batches) -> Batches:
    """Say what packed rows hold, in one row per task; one without rows says so too."""
    rows = positives = stamp = check = 0
    here, sparse = task_number(), False
    fault: tuple[Any, Any, Any] = (None, None, None)
    light = [name for name in PACKED.names if name in SURVEYED.names]
    for batch in batches:
        # The rows themselves are long, and stay where they are.
        columns = batch.select(light).to_pydict()
        if columns["partition"]:
            here = columns["partition"][0]
        faults = zip(columns["fault_row"], columns["fault_column"], columns["fault"], strict=True)
        fault = next((these for these in faults if these[2] is not None), fault)
        known = [k for k, what in enumerate(columns["fault"]) if what is None]
        rows += sum(columns["rows"][k] for k in known)
        positives += sum(columns["positives"][k] for k in known)
        stamp += sum(columns["stamp"][k] for k in known)
        check += sum(columns["check"][k] for k in known)
        sparse = sparse or any(columns["sparse"][k] for k in known)
    values = [here, rows, positives, _signed(stamp), _signed(check), sparse, *fault]
    yield _batch([[value] for value in values], SURVEYED)


def answer(batches: Batches, request: bytes, sparse: bool, offsets: list[int] | None) -> Batches:
    """Answer a request with packed rows."""
    worker = _linsep.Worker(request, sparse=sparse, offsets=offsets)
    for batch in batches:
        worker.add(batch)
    found = worker.finish()
    if found is not None:
        yield _batch([[found], [None]], FOUND)


def merge(batches: Batches, request: bytes) -> Batches:
    """Merge answers to a request; what was not there is handed on."""
    found = None
    for batch in batches:
        for answer, lost in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if answer is None:
                yield named_lost(lost, FOUND)
            else:
                found = answer if found is None else _linsep.merge(request, [found, answer])
    if found is not None:
        yield _batch([[found], [None]], FOUND)


def pick(batches: Batches, wanted: np.ndarray, sparse: bool, offsets: list[int] | None) -> Batches:
    """Hand over those of the packed rows that are wanted."""
    for batch in batches:
        picked = _linsep.pick(batch, wanted, sparse=sparse, offsets=offsets)
        if picked is not None:
            yield _batch([*([item] for item in picked), [None]], PICKED)


def named_lost(partition: int, schema: pa.Schema) -> pa.RecordBatch:
    """Return the row of an answer that says which packed rows were not there."""
    return _batch([*([None] for _ in schema.names[1:]), [partition]], schema)


def _batch(columns: list[Any], schema: pa.Schema) -> pa.RecordBatch:
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _signed(number: int) -> int:
    number %= 2**64
    return number - 2**64 if number >= 2**63 else number
