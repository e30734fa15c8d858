"""The calls: what is asked of a DataFrame."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from linsep import _decision, _linsep, _separation
from linsep._advice import Fitting
from linsep._answer import question
from linsep._data import Labels, Matrix
from linsep._decision import decide_question, whole
from linsep._proof import Proof, Verification
from linsep._separation import separation_parts, verify_parts
from linsep.spark._rows import Numbering, Rows, opened
from linsep.spark._traffic import Traffic, amount

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Decision", "Separation", "check_separation", "decide", "verify", "verify_separation"]

# Separated rows that come to the driver by name.
_MOST_ROWS = 1000


@dataclass(frozen=True, repr=False)
class Decision(_decision.Decision):
    """A verdict on the rows of a DataFrame: a :class:`linsep.Decision`, and how it was reached.

    Attributes
    ----------
    numbering : Numbering
        Where the numbers of the rows come from.
    traffic : Traffic
        The jobs, and what went between the driver and the cluster.
    """

    numbering: Numbering = field(default_factory=lambda: Numbering("partitions", {}))
    traffic: Traffic = field(default_factory=Traffic)

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{_cluster_lines(self.numbering, self.traffic)}"


def _cluster_lines(numbering: Numbering, traffic: Traffic) -> str:
    """Return what an answer of a cluster says beside that of other rows."""
    counted = {"files": "places in files", "column": "a column", "partitions": "places in partitions"}
    jobs = f"{len(traffic.jobs):,} job{'' if len(traffic.jobs) == 1 else 's'}"
    partitions = f"{traffic.partitions:,} partition{'' if traffic.partitions == 1 else 's'}"
    driver = f"{amount(traffic.sent)} sent, {amount(traffic.received)} received"
    return (
        f"  numbered by {counted[numbering.kind]}\n"
        f"  cluster     {jobs} on {partitions}; driver: {driver}"
    )


def decide(
    df: DataFrame,
    *,
    features: str | Sequence[str] | None = None,
    label: str = "label",
    positive: Any = None,
    row_number: str | None = None,
    margin: Literal["any", "max"] = "any",
    margin_kind: Literal["angular", "geometric"] = "angular",
    gap: float = 1e-6,
    conflict: Literal["any", "exact"] = "any",
    max_passes: int | None = None,
    time_limit: float | None = None,
    storage: str | None = "LOCAL",
    verbose: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    picture: bool = False,
) -> Decision:
    """Decide whether one hyperplane can tell two classes of a DataFrame apart, and prove it.

    Verdict, hyperplane and proof are those of :func:`linsep.decide` on the same rows, byte for byte,
    however they are spread over partitions. (Very wide sparse rows go another way there, in memory; the
    verdict is the same.)

    Parameters
    ----------
    df : DataFrame
        The rows.
    features : str or list of str, optional
        Columns of numbers or of arrays of numbers, or one column of vectors; by default all columns but
        the label.
    label : str
        The column of labels: two different values of any type. The larger one is positive.
    positive : object, optional
        The label of the positive class; all others are then negative.
    row_number : str, optional
        A column that numbers the rows from 0 on. By default rows of Parquet files are numbered by their
        places in them, files in the order of their paths; other rows by partition and place, as
        `zipWithIndex` does.
    margin, margin_kind, gap, conflict, max_passes, time_limit, checkpoint, resume
        As for :func:`linsep.decide`.
    storage : str or None
        Where packed rows are kept between passes. "LOCAL": in files in the folders that Spark has on the
        disks of its machines; they go with the call. The name of a level of `pyspark.StorageLevel`: by
        Spark. None: nowhere, every pass reads the source again.
    verbose : bool
        Whether a line is printed after each pass and each job.
    picture : bool
        Whether to count, in a few more passes, what :meth:`Decision.plot` and :meth:`Decision.report`
        show: rows are not here to be drawn later.

    Returns
    -------
    Decision

    Raises
    ------
    ValueError
        If the data cannot be used; the message names row and column.
    OSError
        If the rows change while they are read.
    ClusterError
        If a task fails for good; the message names the partition and the cause.
    """
    kept = None if checkpoint is None else os.fsdecode(checkpoint)

    def asked(again: bool) -> str:
        return decide_question(
            margin=margin,
            margin_kind=margin_kind,
            gap=gap,
            conflict=conflict,
            max_passes=max_passes,
            time_limit=time_limit,
            picture=picture,
            checkpoint=kept,
            # What was kept is about rows with other numbers.
            resume=bool(resume) and not again,
        )

    # Before the cluster is asked.
    _linsep.validate(asked(False))
    say = print if verbose else None
    with opened(
        df,
        features=features,
        label=label,
        positive=positive,
        row_number=row_number,
        storage=storage,
        say=say,
    ) as rows:
        return rows.steadily(lambda again: decided(rows, asked(again), say, positive))


def decided(rows: Rows, asked: str, say: Any = None, positive: Any = None) -> Decision:
    """Decide rows that are packed already."""
    matrix, labels = given(rows)
    answer = _linsep.ask(asked, labels.of(matrix), say)
    decision: Decision = Decision.read(
        answer,
        matrix,
        labels.classes,
        positive,
        numbering=rows.numbering,
        traffic=rows.traffic,
    )
    named = rows.numbering.named(decision.conflicting_rows)
    object.__setattr__(decision, "conflicting_index", named)
    return decision


def given(rows: Rows) -> tuple[Matrix, Labels]:
    """Return rows as the calls on arrays take them."""
    names = rows.features.names
    return Matrix(rows.cluster(), rows.rows, len(names), names), Labels(None, rows.labels.classes)


def verify(
    df: DataFrame,
    proof: Proof | str | os.PathLike[str],
    *,
    features: str | Sequence[str] | None = None,
    label: str = "label",
    positive: Any = None,
    row_number: str | None = None,
    storage: str | None = None,
) -> Verification:
    """Check a proof against the rows of a DataFrame, in exact arithmetic, where they are.

    Parameters
    ----------
    df, features, label, positive, row_number, storage
        As for :func:`decide`. Rows have to have the same numbers as when the proof was made.
    proof : Proof or path
        The proof, or the file that it is in.

    Returns
    -------
    Verification
        True where the proof holds; its `reason` says why it does not.
    """
    where = {"features": features, "label": label, "row_number": row_number, "storage": storage}
    return _checked(df, proof, None, positive, **where)


def _checked(
    df: DataFrame,
    proof: Proof | str | os.PathLike[str],
    intercept: bool | None,
    positive: Any,
    **where: Any,
) -> Verification:
    """Check a proof about the rows or, if `intercept` is given, about a logistic regression on them."""
    if not isinstance(proof, Proof):
        proof = Proof.load(proof)
    text = proof.to_json()
    if positive is None:
        positive = proof._positive
    with opened(df, positive=positive, say=None, **where) as rows:
        return rows.steadily(lambda _: verify_parts(rows.cluster(), intercept, text))


@dataclass(frozen=True, repr=False)
class Separation(_separation.Separation):
    """Whether a logistic regression on a DataFrame has an estimate: a :class:`linsep.Separation`, of
    which `rows` and `index` name the first rows only, and how it was reached.

    Attributes
    ----------
    numbering : Numbering
        Where the numbers of the rows come from.
    traffic : Traffic
        The jobs, and what went between the driver and the cluster.
    """

    numbering: Numbering = field(default_factory=lambda: Numbering("partitions", {}))
    traffic: Traffic = field(default_factory=Traffic)

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{_cluster_lines(self.numbering, self.traffic)}"


def check_separation(
    df: DataFrame,
    *,
    features: str | Sequence[str] | None = None,
    label: str = "label",
    positive: Any = None,
    intercept: bool = True,
    row_number: str | None = None,
    max_passes: int | None = None,
    time_limit: float | None = None,
    storage: str | None = "LOCAL",
    verbose: bool = False,
) -> Separation:
    """Say whether a logistic regression on a DataFrame has a maximum likelihood estimate.

    Parameters
    ----------
    df, features, label, positive, row_number, max_passes, time_limit, storage, verbose
        As for :func:`decide`; the limits are those of each decision.
    intercept : bool
        Whether the model adds a constant to the design, as that of `pyspark.ml` does.

    Returns
    -------
    Separation
        As :func:`linsep.check_separation` returns, but that of many separated rows the first 1,000 are
        named.
    """
    say = print if verbose else None
    asked = question(
        "estimate",
        intercept=bool(intercept),
        max_passes=whole("max_passes", max_passes),
        time_limit=None if time_limit is None else float(time_limit),
        most_rows=_MOST_ROWS,
    )
    _linsep.validate(asked)
    fitting = Fitting("binomial", intercept=bool(intercept))
    with opened(
        df,
        features=features,
        label=label,
        positive=positive,
        row_number=row_number,
        storage=storage,
        say=say,
    ) as rows:
        own: dict[str, Any] = {"numbering": rows.numbering, "traffic": rows.traffic}
        found: Separation = rows.steadily(
            lambda _: separation_parts(*given(rows), asked, fitting, say, cls=Separation, **own)
        )
        object.__setattr__(found, "index", rows.numbering.named(found.rows))
        return found


def verify_separation(
    df: DataFrame,
    proof: Proof | str | os.PathLike[str],
    *,
    features: str | Sequence[str] | None = None,
    label: str = "label",
    positive: Any = None,
    intercept: bool = True,
    row_number: str | None = None,
    storage: str | None = None,
) -> Verification:
    """Check the proof of a :class:`Separation` against the rows of a DataFrame, where they are.

    Parameters
    ----------
    df, features, label, positive, row_number, storage
        As for :func:`verify`.
    proof : Proof or path
        The proof, or the file that it is in.
    intercept : bool
        As for :func:`check_separation`. A proof about a model without one needs all rows in one place:
        :func:`linsep.verify_separation` checks it there.

    Returns
    -------
    Verification
    """
    where = {"features": features, "label": label, "row_number": row_number, "storage": storage}
    return _checked(df, proof, bool(intercept), positive, **where)
