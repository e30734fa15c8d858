"""Tables in files: opened once, in memory where they fit, else read from the disk on every pass."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from linsep import _linsep
from linsep._data import Labels, Matrix, read_labels, read_matrix

__all__ = ["Table", "open"]

Column: TypeAlias = str | int
FilePath: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True, repr=False, eq=False)
class Table:
    """A table in a file, as :func:`linsep.open` has read it. :func:`linsep.decide` and
    :func:`linsep.verify` take it in the place of X and y.

    Attributes
    ----------
    path : str
        The file, the folder or the pattern.
    rows, features : int
        The rows that are used, and the features that became of the columns.
    feature_names : list of str or None
        Their names: that of the column, or such as "color=red" for the level of a category.
    classes : tuple of str
        The negative and the positive label, "rest" for several; or all labels, where they are more than
        two: such a table is for :func:`linsep.separability_matrix`, :func:`linsep.audit` and models of
        categories.
    label : str, int or None
        The column of the labels, by its number where it has no name; None if they are not in a column.
    on_disk : bool
        Whether the rows stay on the disk.
    dropped : int
        Rows that were left out for missing values.
    kept : ndarray of bool or None
        Which rows of the file are used; None if all are. Whatever is said of a table counts rows as the
        file does, from 0; its proofs count those that are used.
    filled : int
        Missing values that were filled in.
    left_out : dict
        Columns that were found not to be features, although nobody said so, with the reason.
    levels : dict
        Categories by column (its name or number), with their levels in order.
    """

    path: str
    rows: int
    features: int
    feature_names: list[str] | None
    classes: tuple[str, ...]
    label: str | int | None
    on_disk: bool
    dropped: int
    kept: np.ndarray | None
    filled: int
    left_out: dict[str | int, str]
    levels: dict[str, list[str]]
    _rows: _linsep.Rows
    _room: tuple[int, int] | None
    _sources: tuple[str, ...] = ()
    _options: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return self._rows.text(_shown(self.path), self._place())

    def _repr_html_(self) -> str:
        return self._rows.html(_shown(self.path), self._place())

    def _place(self) -> str:
        if not self.on_disk:
            return "in memory"
        if self._room is None:
            return "on the disk"
        needed, free = (f"{count / 1e9:,.1f} GB" for count in self._room)
        return f"on the disk: they would take about {needed} of {free} of free memory"


def open(
    path: FilePath,
    *,
    label: Column | None = None,
    positive: str | float | None = None,
    features: Column | Sequence[Column] | None = None,
    exclude: Column | Sequence[Column] | None = None,
    row_id: Column | None = None,
    categorical: Column | Sequence[Column] = "auto",
    all_levels: bool = False,
    labels: FilePath | None = None,
    missing: Literal["refuse", "drop", "mean", "median"] = "refuse",
    format: Literal["csv", "tsv", "libsvm", "npy", "parquet", "arrow"] | None = None,
    delimiter: str | None = None,
    header: bool | Literal["auto"] = "auto",
    index_base: Literal[0, 1] | None = None,
    stream: bool | Literal["auto"] = "auto",
    cache_dir: FilePath | None = None,
    cache_limit: int | None = None,
    verbose: bool = False,
) -> Table:
    """Open a table in a file, or in many: in memory if it fits, else it stays on the disk.

    The options are those of the program. Columns are named by strings and numbered by integers, counted
    from 1; a list names several.

    Parameters
    ----------
    path : path
        A file of CSV, TSV, libsvm, NumPy's npy, Parquet or Arrow (Feather); text and npy may be
        compressed. A folder of Parquet or Arrow files, or a pattern like "data/part-*.parquet".
    label : column, optional
        The labels; by default the column called label, class, target or y, else the last.
    positive : str or number, optional
        The label of the positive class; all others are then negative. By default the larger of two.
    features, exclude : column or list of columns, optional
        The features, in this order (by default all columns but the label), and columns that are not.
    row_id : column, optional
        The column that names the rows.
    categorical : "auto", "no", column or list of columns
        Columns to one-hot encode: "auto" (text columns), "no", or these.
    all_levels : bool
        Whether the first level of a category has a feature too; by default it is where all others are 0.
    labels : path, optional
        A file of labels, npy or text with one per line; for X.npy by default X.labels.npy if it exists.
    missing : {"refuse", "drop", "mean", "median"}
        What to do with missing, NaN and infinite values: refuse them, drop their rows, or impute
        the column's mean or median (of a category, the most frequent level).
    format : {"csv", "tsv", "libsvm", "npy", "parquet", "arrow"}, optional
        The format; by default by the extension, else by the content.
    delimiter : str, optional
        The character between cells; by default a tab for TSV, else what fits the first lines best: a
        comma, semicolon, tab, pipe or space.
    header : bool or "auto"
        Whether the first line holds names; "auto" if none of its cells is a number.
    index_base : {0, 1}, optional
        The number of the first feature in libsvm data; by default 0 if any index is 0, else 1.
    stream : bool or "auto"
        Whether the rows stay on the disk and are read in blocks on every pass; "auto" if they would take
        more than half of the free memory. The results are the same.
    cache_dir, cache_limit : path and int, optional
        Text that stays on the disk is read from a binary copy: its folder (by default that of the data),
        and the bytes that it may take at most.
    verbose : bool
        Whether a line is printed every second while rows are read.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If the table or an option is of no use; the message names the file, the line or row (counted from
        1) and the column.
    OSError
        If a file cannot be read, or the binary copy not be written.
    MemoryError
        If rows that are to be in memory do not fit.

    Notes
    -----
    A table in memory does not change with its file, except that npy files of floats are read in place. A
    file that has changed since it was opened, and is read again, is an OSError.

    Examples
    --------
    >>> import linsep, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "shirts.csv")
    >>> text = "color,size,label\\nred,1,no\\nblue,2,yes\\nred,3,no\\nblue,,yes\\n"
    >>> _ = path.write_text(text)
    >>> table = linsep.open(path, missing="drop")
    >>> table
    table: ...shirts.csv
      data        3 rows, 2 features; positive "yes", negative "no"
                  1 row with missing values dropped
                  one feature per level of color (2 levels but "blue")
      label       column "label"
      rows        in memory
    >>> linsep.decide(table).verdict
    'separable'
    >>> folder.cleanup()
    """
    return read_table(
        path,
        table_options(
            label=label,
            positive=positive,
            features=features,
            exclude=exclude,
            row_id=row_id,
            categorical=categorical,
            all_levels=all_levels,
            labels=labels,
            missing=missing,
            format=format,
            delimiter=delimiter,
            header=header,
            index_base=index_base,
            stream=stream,
            cache_dir=cache_dir,
            cache_limit=cache_limit,
        ),
        verbose,
    )


def table_options(
    *,
    label: Any = None,
    positive: Any = None,
    features: Any = None,
    exclude: Any = None,
    row_id: Any = None,
    categorical: Any = "auto",
    all_levels: Any = False,
    labels: Any = None,
    missing: Any = "refuse",
    format: Any = None,
    delimiter: Any = None,
    header: Any = "auto",
    index_base: Any = None,
    stream: Any = "auto",
    cache_dir: Any = None,
    cache_limit: Any = None,
) -> dict[str, Any]:
    """Return the options of a table as Rust takes them; raises if one is not of its type."""
    return {
        "block_bytes": None,
        "memory": None,
        "label": _column("label", label),
        "positive": _spelled(positive),
        "features": None if features is None else _columns("features", features),
        "exclude": [] if exclude is None else _columns("exclude", exclude),
        "row_id": _column("row_id", row_id),
        "categorical": _categorical(categorical),
        "all_levels": _truth("all_levels", all_levels),
        "labels": _path("labels", labels),
        "missing": _text("missing", missing, optional=False),
        "format": _text("format", format),
        "delimiter": _text("delimiter", delimiter),
        "header": _truth_or_auto("header", header),
        "index_base": _whole("index_base", index_base),
        "stream": _truth_or_auto("stream", stream),
        "cache_dir": _path("cache_dir", cache_dir),
        "cache_limit": _whole("cache_limit", cache_limit),
    }


def read_table(path: Any, options: dict[str, Any], verbose: bool = False) -> Table:
    """Open a table with options whose types are right."""
    place = _path("path", path)
    if place is None:
        raise TypeError("path is None; expected a path")
    options = {"block_bytes": None, "memory": None, **options}
    rows, about = _linsep.open_table(place, options, print if verbose else None)
    room = about.pop("room")
    read = sources(place, options["labels"])
    return Table(path=place, _rows=rows, _room=room, _sources=read, _options=options, **about)


def is_path(x: Any) -> bool:
    """Return whether x is the path of a table."""
    return isinstance(x, str | bytes | os.PathLike)


def read_data(x: Any, y: Any, positive: Any, verbose: bool = False) -> tuple[Matrix, Labels]:
    """Return what a call is about: arrays or a frame with labels, a table, or a path, which is opened.

    Raises TypeError if there are labels beside a table, or none beside an array.
    """
    if not isinstance(x, Table) and not is_path(x):
        if y is None:
            raise TypeError("y is missing: only tables and paths have labels of their own")
        matrix = read_matrix(x)
        return matrix, read_labels(y, matrix.rows, positive)
    if y is not None:
        raise TypeError(
            "y was given with a table, which has labels of its own; see linsep.open(labels=)"
        )
    if is_path(x):
        x = open(x, positive=positive, verbose=verbose)
    elif positive is not None:
        raise TypeError("positive was given with a table: name the positive class in linsep.open")
    matrix = Matrix(x._rows, x.rows, x.features, x.feature_names, sources=x._sources, kept=x.kept)
    return matrix, Labels(None, x.classes)  # type: ignore[arg-type]


def sources(path: str, labels: str | None = None) -> tuple[str, ...]:
    """Return the files and folders that a table is read from: outputs must not land there."""
    found = glob.glob(path) if glob.has_magic(path) and not os.path.exists(path) else [path]
    beside = os.path.splitext(path)[0] + ".labels.npy"
    return (*found, beside if labels is None else labels)


def _shown(path: str) -> str:
    """Return a path as it can be printed: bytes of it that are not UTF-8 as \\xff."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _wrong(name: str, value: Any, expected: str) -> TypeError:
    return TypeError(f"{name} is {value!r}; expected {expected}")


def _column(name: str, value: Any) -> str | int | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise _wrong(name, value, "the name of a column, or its number from 1")
    if value < 1:
        raise ValueError(f"{name} is {value}; columns are counted from 1")
    return int(value)


def _columns(name: str, value: Any) -> list[str | int]:
    if isinstance(value, str | int | np.integer):
        value = [value]
    try:
        found = [_column(name, item) for item in value]
    except TypeError:
        raise _wrong(name, value, "names of columns, or their numbers from 1") from None
    if not all(isinstance(item, str | int) for item in found):
        raise _wrong(name, value, "names of columns, or their numbers from 1")
    return [item for item in found if item is not None]


def _categorical(value: Any) -> str | list[str | int]:
    if isinstance(value, str) and value in ("auto", "no"):
        return value
    return _columns("categorical", value)


def _spelled(positive: Any) -> str | None:
    if positive is None or isinstance(positive, str):
        return positive
    if isinstance(positive, bool) or not isinstance(positive, int | float | np.integer | np.floating):
        raise _wrong("positive", positive, "a label as it is spelled in the file, or a number")
    return str(positive)


def _path(name: str, value: Any) -> str | None:
    if value is None:
        return None
    try:
        return os.fsdecode(value)
    except TypeError:
        raise _wrong(name, value, "a path") from None


def _text(name: str, value: Any, optional: bool = True) -> str | None:
    if isinstance(value, str) or (optional and value is None):
        return value
    raise _wrong(name, value, "text")


def _truth(name: str, value: Any) -> bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise _wrong(name, value, "True or False")


def _truth_or_auto(name: str, value: Any) -> bool | None:
    if isinstance(value, str) and value == "auto":
        return None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise _wrong(name, value, '"auto", True or False')


def _whole(name: str, value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise _wrong(name, value, "an integer")
    if not 0 <= value < 2**63:
        raise ValueError(f"{name} is {value}; expected an integer, at least 0")
    return int(value)
