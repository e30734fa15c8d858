"""The rows of a DataFrame: numbered, packed once, and asked as often as a call needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import numpy as np
import pyarrow as pa
from linsep import _linsep, _stash, _tasks
from linsep._data import Labels, read_labels, spelled
from linsep.spark._errors import told_plainly
from linsep.spark._traffic import Traffic
from py4j.protocol import Py4JError
from pyspark import StorageLevel
from pyspark.errors import AnalysisException, PySparkException
from pyspark.logger import PySparkLogger
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import from_arrow_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Bytes of rows that are packed together: to fetch a row, so much is read.
_PACKED_BYTES = 1 << 19
# Rows are kept in files of the machines that have packed them, or else by Spark in this way.
LOCAL = "LOCAL"
_BY_SPARK = "MEMORY_AND_DISK_DESER"
# Tasks for each core that read files.
_TASKS = 4
# Times that tasks are sent after files before Spark keeps the rows itself.
_TRIES = 3
# Answers, and bytes of them, that come to the driver as they are; more are merged on the executors
# first, which costs another stage.
_DIRECT = 32
_DIRECT_BYTES = 1 << 23
# Different labels after which nobody means classes.
_MOST_CLASSES = 1000

# Settings for our jobs. Spark makes room for long Arrow batches by copying what it has again and again,
# which takes longer than the rest; and it makes no code for tables of more than a hundred columns.
_SETTINGS = {
    "spark.sql.execution.arrow.maxBytesPerBatch": str(1 << 22),
    "spark.sql.codegen.maxFields": "100000",
}
# What is needed of packed rows to look into them.
_PACKED = ["partition", "runs", "packed", "stamp"]

_Made = TypeVar("_Made")

_NUMBERS = (T.NumericType, T.BooleanType, T.DateType, T.TimestampType, T.TimestampNTZType)
_WHOLE = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)


@dataclass(frozen=True)
class Numbering:
    """Where the numbers of the rows come from.

    Attributes
    ----------
    kind : str
        "files": the place in its Parquet file, files in the order of their paths; no shuffle, and the
        same in every run. "column": a column has them. "partitions": the place in the partition,
        partitions in order, as `zipWithIndex` counts; the same in every run only if the DataFrame is.
    files : dict
        For "files": the number of the first row of each file.
    """

    kind: str
    files: dict[str, int]

    def named(self, rows: np.ndarray) -> list[str] | None:
        """Return rows by file and place in it, or None where they have no such names."""
        if self.kind != "files":
            return None
        firsts = np.array(list(self.files.values()))
        paths = [os.path.basename(path) for path in self.files]
        at = np.searchsorted(firsts, rows, side="right") - 1
        return [f"{paths[k]}:{row - firsts[k]}" for k, row in zip(at, rows.tolist(), strict=True)]


@dataclass(frozen=True)
class Features:
    """The columns that hold features."""

    columns: list[str]
    lengths: list[int]
    names: list[str]
    vectors: bool


class Rows:
    """The rows of a DataFrame, packed and ready to be asked.

    They are packed once and kept: in files of the machines that packed them (`storage` "LOCAL"), which a
    request then finds without a detour through Spark, or by Spark at the level of that name. Without a
    storage they are packed in every job again.
    """

    def __init__(
        self,
        source: DataFrame,
        pack: Callable[..., Any],
        storage: str | None,
        numbering: Numbering,
        features: Features,
        labels: Labels,
        cut: int,
        traffic: Traffic,
    ) -> None:
        self.source = source
        self.pack = pack
        self.storage = storage
        # Of the files, if there are any.
        self.name = uuid4().hex
        self.kept = self._keep()
        self.numbering = numbering
        self.features = features
        self.labels = labels
        self.cut = cut
        self.traffic = traffic
        # Of partitions that have rows, where those are numbered.
        self.filled: list[int] = []
        self.offsets: list[int] | None = None
        self.rows = 0
        self.sparse = False
        self.stamp = 0
        # The same for rows that are the same, wherever they are.
        self.content = 0
        # Bytes of the longest answer so far.
        self.longest = _DIRECT_BYTES

    def cluster(self) -> _linsep.Cluster:
        """Return the rows as Rust asks for them."""
        return _linsep.Cluster(
            self.ask,
            self.fetch,
            rows=self.rows,
            features=len(self.features.names),
            sparse=self.sparse,
            stamp=self.stamp,
            classes=(spelled(self.labels.classes[0]), spelled(self.labels.classes[1])),
            columns=list(self.features.names),
        )

    def survey(self) -> None:
        """Look at all partitions, which packs their rows.

        Raises if a value cannot be used, and _Renumbered if rows have other numbers than were counted.
        """
        light = [name for name in _tasks.PACKED.names if name in _tasks.SURVEYED.names]
        with self.traffic.job("pack") as job:
            if self.storage == LOCAL and self.kept is not None:
                surveyed = self.kept
            else:
                surveyed = self._apply(_tasks.survey, _tasks.SURVEYED, light)
            found = self._collect("packing the rows", surveyed)
            job.answers, job.received = len(found), 64 * len(found)
        if self.storage == LOCAL and any(row.rows and row.path is None for row in found):
            # Before any number is used: they may come in another order.
            self._let_spark_keep()
            return self.survey()
        found.sort(key=lambda row: row.partition)
        self.traffic.partitions = len(found)
        firsts = [0, *accumulate(row.rows for row in found)]
        self._refuse_faults(found, firsts)
        self.rows = firsts[-1]
        if self.numbering.kind == "partitions":
            # One without rows that was made again may have the number of another.
            numbers = {row.partition: k for row, k in zip(found, firsts, strict=False) if row.rows}
            self.filled = list(numbers)
            self.offsets = [numbers.get(k, 0) for k in range(1 + max(numbers, default=0))]
        elif sum(row.check for row in found) % 2**64 != _linsep.numbers_check(self.rows) % 2**64:
            raise _Renumbered
        positives = sum(row.positives for row in found)
        if not 0 < positives < self.rows:
            raise _changed("rows of both classes were counted, and were not there a moment later")
        self.sparse = any(row.sparse for row in found)
        self.stamp = sum(row.stamp for row in found) % 2**64
        checks = sum(row.check for row in found) % 2**64
        self.content = checks if self.numbering.kind == "partitions" else self.stamp

    def steadily(self, work: Callable[[bool], _Made]) -> _Made:
        """Return what `work` makes of the rows; it is told whether it starts once more.

        Rows that went with a machine are made again. After a shuffle Spark keeps to no order: they are
        the same rows then, with other numbers.
        """
        for tried in range(_TRIES):
            try:
                return work(tried > 0)
            except OSError:
                if not self._came_back():
                    raise
            self.traffic.say("lost rows were made again in another order: once more from the start")
        return work(True)

    def _came_back(self) -> bool:
        """Say whether the rows are those that they were, in places that were not known."""
        if self.storage is None:
            return False
        was, rows = self.stamp, (self.rows, self.content)
        with suppress(ValueError, _Renumbered):
            self.survey()
            if self.stamp == was:
                return False
            if (self.rows, self.content) == rows:
                return True
        if self.storage != LOCAL:
            return False
        # A function of the user may go by the number of its task, which is another where files are read.
        self._let_spark_keep()
        with suppress(ValueError, _Renumbered):
            self.survey()
        return (self.rows, self.content) == rows

    def _refuse_faults(self, found: list[Any], firsts: list[int]) -> None:
        counted = self.numbering.kind == "partitions"
        faults = [
            (row.fault_row + (first if counted else 0), row.fault_column, row.fault)
            for row, first in zip(found, firsts, strict=False)
            if row.fault is not None
        ]
        if not faults:
            return
        if any(what.startswith(_tasks.MOVED) for _, _, what in faults):
            raise _Renumbered
        # Where rows are counted within partitions, only the first number is sure.
        number, column, what = faults[0] if counted else min(faults, key=lambda fault: fault[0])
        if column is not None:
            # A feature by its number, or a column by the name that it was sent by.
            named = self.features.names if column.isdigit() else self.features.columns
            column = named[int(column.removeprefix("x"))]
        place = "" if column is None else f', column "{column}"'
        columns = ", ".join(repr(name) for name in self.features.columns[:3])
        more = ", …" if len(self.features.columns) > 3 else ""
        hint = f"df.dropna(subset=[{columns}{more}]) leaves out rows with missing values"
        raise ValueError(f"row {number}{place} (counted from 0): {what}\nhint: {hint}")

    def ask(self, request: bytes) -> list[bytes]:
        """Return answers of all partitions, merged in groups where there are many."""
        task = partial(_tasks.answer, request=request, sparse=self.sparse, offsets=self.offsets)
        merged, tasks = None, self._tasks()
        if tasks > _DIRECT and tasks * self.longest > _DIRECT_BYTES:
            merged = partial(_tasks.merge, request=request)
        with self.traffic.job("pass") as job:
            rows = self._find("a pass over the rows", task, _tasks.FOUND, merged=merged)
            found = [bytes(row.found) for row in rows]
            job.sent, job.received, job.answers = len(request), sum(map(len, found)), len(found)
        # The next pass asks for much the same.
        self.longest = max(map(len, found), default=0)
        return found

    def fetch(self, rows: np.ndarray) -> list[tuple[bytes, bytes]]:
        """Return rows by their numbers, packed."""
        wanted = np.unique(rows)
        task = partial(_tasks.pick, wanted=wanted, sparse=self.sparse, offsets=self.offsets)
        with self.traffic.job("fetch") as job:
            found = self._find("fetching rows", task, _tasks.PICKED, keys=self._keys(wanted))
            picked = [(bytes(row.numbers), bytes(row.packed)) for row in found]
            job.sent, job.answers = wanted.nbytes, len(picked)
            job.received = sum(len(numbers) + len(packed) for numbers, packed in picked)
        return picked

    def _keep(self) -> DataFrame | None:
        """Return what the cluster keeps: packed rows, or where they are."""
        if self.storage is None:
            return None
        if self.storage == LOCAL:
            task = partial(_stash.write, packing=self.pack, name=self.name)
            places = self.source.mapInArrow(task, _spark(_tasks.STASHED))
            # Kept as well: tasks go where their files are, and those of a lost machine are made again.
            return places.persist(getattr(StorageLevel, _BY_SPARK))
        packed = self.source.mapInArrow(self.pack, _spark(_tasks.PACKED))
        return packed.persist(getattr(StorageLevel, self.storage))

    def _find(
        self,
        what: str,
        task: Any,
        schema: pa.Schema,
        *,
        keys: list[int] | None = None,
        merged: Any = None,
    ) -> list[Any]:
        """Return what a task finds in all packed rows, or in those that have one of these keys."""
        found: list[Any] = []
        lost = None
        for _ in range(_TRIES):
            answers = self._apply(task, schema, _PACKED, keys, lost)
            if merged is not None:
                groups = int(self._tasks() ** 0.5)
                answers = answers.repartition(groups).mapInArrow(merged, _spark(schema))
            rows = self._collect(what, answers)
            found += [row for row in rows if row.lost is None]
            lost = [row.lost for row in rows if row.lost is not None]
            if not lost:
                return found
        self._let_spark_keep()
        return self._find(what, task, schema, keys=keys, merged=merged)

    def _let_spark_keep(self) -> None:
        """Have Spark keep the rows: files cannot be written, or tasks cannot be brought to them."""
        self.forget()
        self.storage = _BY_SPARK
        self.kept = self._keep()

    def _apply(
        self,
        task: Any,
        schema: pa.Schema,
        columns: list[str],
        keys: list[int] | None = None,
        lost: list[int] | None = None,
    ) -> DataFrame:
        """Return what a task finds in packed rows: those with one of these keys, of these partitions."""
        if self.kept is None:
            task = partial(_tasks.chained, tasks=[self.pack, task])
            return self.source.mapInArrow(task, _spark(schema))
        if self.storage == LOCAL:
            task = partial(_stash.read, task=task, schema=schema, keys=keys)
            # A task costs more than reading a file: those of a machine are put together.
            places = self.kept.select("partition", "rows", "path").coalesce(self._tasks())
            # A task may have been started elsewhere because the machine with its file was busy. What it
            # missed goes by partition: a file that was made again has another path.
            some = places if lost is None else places.where(F.col("partition").isin(lost))
            return some.mapInArrow(task, _spark(schema))
        packed = self.kept if keys is None else self.kept.where(F.col("key").isin(keys))
        return packed.select(*columns).mapInArrow(task, _spark(schema))

    def _tasks(self) -> int:
        """Return how many tasks a request takes."""
        partitions = self.traffic.partitions
        if self.storage != LOCAL:
            return partitions
        return min(partitions, _TASKS * _cores(self.source.sparkSession))

    def _collect(self, what: str, found: DataFrame) -> list[Any]:
        session = self.source.sparkSession
        with told_plainly(what, session), _settings(session):
            return found.collect()

    def forget(self) -> None:
        """Have the cluster keep the rows no longer."""
        if self.kept is None:
            return
        self.kept.unpersist()
        if self.storage == LOCAL:
            # A few tasks for each machine; what they miss goes with the application.
            with suppress(PySparkException, Py4JError):
                tasks = self.source.sparkSession.range(0, 2 * _cores(self.source.sparkSession))
                sweep = partial(_stash.sweep, name=self.name)
                tasks.mapInArrow(sweep, _spark(_tasks.FOUND)).collect()
        self.kept = None

    def _keys(self, wanted: np.ndarray) -> list[int] | None:
        """Return the keys of the packed rows that hold these rows; None if they cannot be told."""
        if self.numbering.kind == "column":
            return None
        if self.offsets is None:
            places = {(-1, int(place)) for place in np.unique(wanted // self.cut)}
        else:
            firsts = np.array([self.offsets[k] for k in self.filled])
            at = np.searchsorted(firsts, wanted, side="right") - 1
            inside = (wanted - firsts[at]) // self.cut
            places = {(self.filled[k], int(place)) for k, place in zip(at, inside, strict=True)}
        return [_linsep.packed_key(partition, place) for partition, place in places]


class _Renumbered(Exception):
    """Rows are not where they were counted, or not once each."""


@contextmanager
def opened(
    df: DataFrame,
    *,
    features: str | Sequence[str] | None,
    label: str,
    positive: Any,
    row_number: str | None,
    storage: str | None,
    say: Callable[[str], object] | None,
) -> Iterator[Rows]:
    """Number and pack the rows of a DataFrame; what is kept of them goes with the context."""
    from pyspark.sql import DataFrame

    if not isinstance(df, DataFrame):
        raise TypeError(f"df is a {type(df).__name__}; expected a DataFrame of Spark")
    known = [LOCAL, *(name for name in vars(StorageLevel) if name.isupper() and name != "NONE")]
    if storage is not None and storage not in known:
        raise ValueError(f"storage is {storage!r}; expected None or one of {', '.join(known)}")
    traffic = Traffic(_say=say)
    with told_plainly("counting the rows", df.sparkSession):
        chosen = read_features(df, features, [label, *([row_number] if row_number else [])])
        with traffic.job("count") as job:
            labels, is_positive, rows = _read_labels(df, label, positive)
            numbering, numbers = _numbered(df, row_number, rows)
            job.answers, job.received = len(numbering.files) + 2, 64 * (len(numbering.files) + 2)
    columns, lengths = _sent(df, chosen)
    cut = rows_together(chosen)

    def packed(numbering: Numbering, numbers: list[Any]) -> Rows:
        pack = partial(
            _tasks.pack,
            lengths=lengths,
            cut=cut,
            numbered=bool(numbers),
            files=numbering.files if numbering.kind == "files" else None,
        )
        # Spark's own count of partitions, which holds for rows that are made again, too.
        partition = F.spark_partition_id().alias("partition")
        source = df.select(*columns, is_positive.alias("positive"), *numbers, partition)
        return Rows(source, pack, storage, numbering, chosen, labels, cut, traffic)

    found = packed(numbering, numbers)
    try:
        try:
            found.survey()
            if storage is None and found.rows != rows:
                counted = f"{rows:,} rows were counted"
                raise _changed(f"{counted}, and {found.rows:,} were there a moment later")
        except _Renumbered:
            if numbering.kind == "column":
                raise ValueError(
                    f"the numbers in {row_number!r} are not 0 to {rows - 1:,}, each of them once"
                ) from None
            if storage is None:
                raise _changed("its files are not those that were counted a moment before") from None
            # `limit` and the like take other rows each time; what is kept stays.
            found.forget()
            found = packed(Numbering("partitions", {}), [])
            found.survey()
        yield found
    finally:
        found.forget()


def _sent(df: DataFrame, features: Features) -> tuple[list[Any], list[int]]:
    """Return the columns that go to Python, and how many features each is."""
    # By names of our own: those of others may have dots in them.
    columns = [F.col(quoted(name)).alias(f"x{k}") for k, name in enumerate(features.columns)]
    kinds = {type(df.schema[name].dataType) for name in features.columns}
    if len(columns) > 1 and kinds in ({T.DoubleType}, {T.FloatType}):
        # Spark hands over one array in half the time of as many columns.
        return [F.array(*columns).alias("x0")], [len(columns)]
    return columns, features.lengths


def rows_together(features: Features) -> int:
    """Return how many rows are packed together."""
    width = len(features.names)
    # A sparse row stores a few of its values.
    values = min(width, 100) if features.vectors else width
    return min(max(_PACKED_BYTES // (8 * max(values, 1)), 1), 1 << 14)


def read_features(
    df: DataFrame, features: str | Sequence[str] | None, others: list[str], of: int | None = None
) -> Features:
    """Return the columns of features: numbers, arrays of numbers, or one column of vectors.

    Where `of` says how many features they are, no row is looked at if that will do.
    """
    known = {field.name: field.dataType for field in df.schema.fields}
    for name in others:
        if name not in known:
            raise ValueError(f"there is no column {name!r}; the columns are {_listed(known)}")
    if features is None:
        columns = [name for name in known if name not in others]
    else:
        columns = [features] if isinstance(features, str) else list(features)
    if not columns:
        raise ValueError("expected at least one column of features, found none")
    for name in columns:
        if name not in known:
            raise ValueError(f"there is no column {name!r}; the columns are {_listed(known)}")
        if name in others:
            raise ValueError(f"column {name!r} cannot be a feature as well")
    kinds = [_kind(name, known[name]) for name in columns]
    if "vector" in kinds and len(columns) > 1:
        raise ValueError(
            f"column {columns[kinds.index('vector')]!r} holds vectors, which have to be the only "
            "features; VectorAssembler puts columns together"
        )
    lengths = [1] * len(columns)
    lists = [k for k, kind in enumerate(kinds) if kind != "number"]
    if len(lists) == 1 and of is not None:
        lengths[lists[0]] = of - (len(columns) - 1)
    elif lists:
        lengths = _lengths(df, columns, lists)
    names: list[str] = []
    for name, kind, length in zip(columns, kinds, lengths, strict=True):
        names += [name] if kind == "number" else [f"{name}[{k}]" for k in range(length)]
    return Features(columns, lengths, names, "vector" in kinds)


def _kind(name: str, found: T.DataType) -> str:
    if isinstance(found, VectorUDT):
        return "vector"
    if isinstance(found, T.ArrayType) and isinstance(found.elementType, _NUMBERS):
        return "list"
    if isinstance(found, _NUMBERS):
        return "number"
    raise ValueError(
        f"column {name!r} is of type {found.simpleString()}; expected numbers, an array of numbers or a "
        "vector. Name the features with features=, and encode text with StringIndexer and OneHotEncoder"
    )


def _lengths(df: DataFrame, columns: list[str], lists: list[int]) -> list[int]:
    """Return how many features each column is, by its first row that has any."""
    wanted = [columns[k] for k in lists]
    first = df.select(*(F.col(quoted(name)) for name in wanted)).dropna().head(1)
    if not first:
        raise ValueError(f"no row has a value in {_listed(wanted)}: expected rows of features")
    lengths = [1] * len(columns)
    for k, value in zip(lists, first[0], strict=True):
        lengths[k] = len(value)
        if not lengths[k]:
            raise ValueError(f"column {columns[k]!r} holds lists without a value")
    return lengths


def _read_labels(df: DataFrame, label: str, positive: Any) -> tuple[Labels, Any, int]:
    """Return the classes, a column that says which rows are positive, and the number of rows."""
    column = F.col(quoted(label))
    try:
        found = df.groupBy(column.alias("label")).count().limit(_MOST_CLASSES + 1).collect()
    except AnalysisException as error:
        raise ValueError(f"column {label!r} cannot hold labels: {error}") from error
    if not found:
        raise ValueError("expected rows, found none")
    missing = sum(row["count"] for row in found if row.label is None or row.label != row.label)
    if missing:
        rows = "1 row has" if missing == 1 else f"{missing:,} rows have"
        raise ValueError(f"{rows} no label\nhint: df.dropna(subset=[{label!r}]) leaves them out")
    if len(found) > _MOST_CLASSES:
        raise ValueError(f"expected two classes, found more than {_MOST_CLASSES} labels in {label!r}")
    counts = {row.label: row["count"] for row in found}
    rows = sum(counts.values())
    if len(counts) == 1:
        raise ValueError(
            f"expected two classes, found one class: all {rows:,} rows are {next(iter(counts))!r}"
        )
    values = np.empty(len(counts), dtype=object)
    values[:] = list(counts)
    labels = read_labels(values, len(counts), positive)
    return labels, column == F.lit(labels.classes[1]), rows


def _numbered(df: DataFrame, row_number: str | None, rows: int) -> tuple[Numbering, list[Any]]:
    """Return where numbers of rows come from, and the columns that have them."""
    if row_number is not None:
        found = df.schema[row_number].dataType
        if not isinstance(found, _WHOLE):
            raise ValueError(
                f"column {row_number!r} is of type {found.simpleString()}; expected integers, the "
                "numbers of the rows"
            )
        column = F.col(quoted(row_number)).cast("long")
        least, most, count = df.select(F.min(column), F.max(column), F.count(column)).head()  # type: ignore[misc]
        if (least, most, count) != (0, rows - 1, rows):
            raise ValueError(
                f"the numbers in {row_number!r} run from {least} to {most}; expected 0 to {rows - 1:,}, "
                "each of them once"
            )
        return Numbering("column", {}), [column.alias("number")]
    number, file = F.col("_metadata.row_index"), F.col("_metadata.file_path")
    try:
        with _unlogged():
            places = df.select(file.alias("file"), number.alias("number"))
            places.schema  # noqa: B018
        counted = places.groupBy("file").agg(F.count("number"), F.min("number"), F.max("number"))
        files = sorted(tuple(row) for row in counted.collect())
    except AnalysisException:
        # No source that numbers its rows.
        return Numbering("partitions", {}), []
    whole = all(path and least == 0 and most + 1 == count for path, count, least, most in files)
    if not whole or sum(count for _, count, _, _ in files) != rows:
        # Rows were left out, or are there twice.
        return Numbering("partitions", {}), []
    firsts = [0, *accumulate(count for _, count, _, _ in files)]
    offsets = {path: first for (path, *_), first in zip(files, firsts, strict=False)}
    return Numbering("files", offsets), [number.alias("number"), file.alias("file")]


@contextmanager
def _unlogged() -> Iterator[None]:
    """Keep Spark from logging, at length, that a column is not there: here that is an answer."""
    logger = PySparkLogger.getLogger("DataFrameQueryContextLogger")
    was, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = was


@contextmanager
def _settings(session: SparkSession) -> Iterator[None]:
    """Have Spark run jobs with settings of ours."""
    before: dict[str, str | None] = {}
    try:
        for name, value in _SETTINGS.items():
            # A Spark that knows no such setting does without.
            with suppress(PySparkException, Py4JError):
                before[name] = session.conf.get(name, None)
                session.conf.set(name, value)
        yield
    finally:
        for name, was in before.items():
            if was is None:
                session.conf.unset(name)
            else:
                session.conf.set(name, was)


def _cores(session: SparkSession) -> int:
    """Return how many tasks run at the same time, as far as Spark says."""
    try:
        return session.sparkContext.defaultParallelism
    except (PySparkException, AttributeError):
        return 32


def _spark(schema: pa.Schema) -> T.StructType:
    return from_arrow_schema(schema)


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _listed(names: Any) -> str:
    everything = [repr(name) for name in names]
    return ", ".join(everything[:8]) + (", …" if len(everything) > 8 else "")


def _changed(why: str) -> OSError:
    return OSError(
        f"the DataFrame has changed while it was read: {why}\n"
        "hint: write it to Parquet, or name a column of numbers with row_number="
    )
