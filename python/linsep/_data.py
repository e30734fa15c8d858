"""What users hand over, as the arrays that Rust reads: in place where possible, else converted once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from linsep import _linsep

__all__ = ["Labels", "Matrix", "read_labels", "read_matrix"]

# Beyond this not every integer is a float64.
_LARGEST_EXACT = 2**53


@dataclass(frozen=True)
class Matrix:
    """Features as Rust reads them, with the names that a frame gave them."""

    values: Any  # a 2-d float array, (indptr, indices, data, columns), or the rows of a table
    rows: int
    columns: int
    names: list[str] | None = None
    index: Any = None
    sources: tuple[str, ...] = ()  # the files that the values are read from, if any
    kept: Any = None  # an array of bool: which rows of the file these are; None: all, or of no file

    def named(self, rows: np.ndarray, names: list[str] | None) -> Any:
        """Return what rows are called: by the index of a frame, or by the table; None if by nothing."""
        if self.index is not None:
            return self.index[rows]
        return None if names is None else np.array(names, dtype=object)

    def row_names(self) -> Any:
        """Return what tells Rust the names of rows; None if the index of a frame only counts them."""
        index = self.index
        if index is None or _counts(index):
            return None
        return lambda rows: [str(index[row]) for row in rows]

    def design(self) -> _linsep.Arrays:
        """Return the rows without labels, for Rust."""
        return _linsep.Arrays(self.values, columns=self.names, names=self.row_names())

    def spread(self, values: Any, absent: Any) -> np.ndarray:
        """Return one value per row of the file, `absent` for rows that were left out."""
        values = np.asarray(values)
        if self.kept is None or not len(values):
            return values
        kind = object if absent is None else values.dtype
        out = np.full(len(self.kept), absent, dtype=kind)
        out[self.kept] = values
        return out

    def take(self, keep: np.ndarray) -> Matrix:
        """Return a copy of the rows for which `keep` is true."""
        index = None if self.index is None else self.index[keep]
        if not isinstance(self.values, tuple):
            values = np.ascontiguousarray(self.values[keep])
            return Matrix(values, len(values), self.columns, self.names, index)
        from scipy import sparse

        indptr, indices, data, columns = self.values
        part = sparse.csr_array((data, indices, indptr), shape=(self.rows, columns))[keep]
        return Matrix(_csr_parts(part), part.shape[0], columns, self.names, index)


@dataclass(frozen=True)
class Labels:
    """Which rows are positive, and what the two classes are called."""

    positive: Any  # an array of bool; None where the table knows
    classes: tuple[Any, Any]  # the negative one first

    def of(self, matrix: Matrix) -> Any:
        """Return the rows of a matrix under these labels, for Rust; a table has its own."""
        if self.positive is None:
            return matrix.values
        return _coded(matrix, self.positive, list(self.classes))


def _coded(matrix: Matrix, codes: np.ndarray, classes: list[Any]) -> _linsep.Arrays:
    return _linsep.Arrays(
        matrix.values,
        np.ascontiguousarray(codes, dtype=np.uint32),
        [spelled(label) for label in classes],
        columns=matrix.names,
        names=matrix.row_names(),
    )


def classed(matrix: Matrix, values: np.ndarray, classes: list[Any]) -> _linsep.Arrays:
    """Return the rows of a matrix with their classes, for Rust."""
    codes = np.zeros(matrix.rows, dtype=np.uint32)
    for code, label in enumerate(classes):
        codes[values == label] = code
    return _coded(matrix, codes, classes)


def spelled(label: Any) -> str:
    """Return a label as a file would have it: 1, not 1.0."""
    if isinstance(label, float) and label.is_integer() and abs(label) < 2**53:
        return str(int(label))
    return str(label)


def _counts(index: Any) -> bool:
    """Return whether an index only counts the rows, from 0 on."""
    return (getattr(index, "start", None), getattr(index, "step", None)) == (0, 1)


def _module(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def read_matrix(x: Any) -> Matrix:
    """Return the features of `x`: an array, a sparse matrix, a frame, a table or nested lists.

    NumPy float64 and float32 arrays in C order and canonical CSR matrices of float64 with 32-bit
    indices are not copied (the row offsets of CSR are); everything else is converted to float64 once.
    """
    if isinstance(x, str | bytes | os.PathLike) or isinstance(getattr(x, "_rows", None), _linsep.Rows):
        raise TypeError("a table in a file was given where arrays or a frame are expected")
    names = index = None
    x = unmasked(x)
    module = _module(x)
    if hasattr(x, "design_info"):
        names = [str(name) for name in x.design_info.column_names]
    # formulaic's ModelMatrix is a proxy around a frame, an array or a sparse matrix.
    if hasattr(x, "__wrapped__") and module == "formulaic":
        x = x.__wrapped__
        module = _module(x)
    if module == "pandas" and hasattr(x, "iloc"):
        if x.ndim == 1:
            raise _not_2d(1)
        names, index = [str(name) for name in x.columns], x.index
        x = _frame_values(x, names)
    elif module == "polars" and hasattr(x, "to_numpy"):
        if not hasattr(x, "columns"):
            raise _not_2d(1)
        if hasattr(x, "collect"):
            x = x.collect()
        names = [str(name) for name in x.columns]
        x = _columns([x[name].to_numpy() for name in x.columns], names)
    elif module == "pyarrow" and hasattr(x, "column_names"):
        names = [str(name) for name in x.column_names]
        x = _columns([c.to_numpy(zero_copy_only=False) for c in _arrow_columns(x)], names)
    elif module == "scipy" and hasattr(x, "tocsr"):
        if x.ndim != 2:
            raise _not_2d(x.ndim)
        return Matrix(_csr_parts(x), x.shape[0], x.shape[1])
    values = _dense(x, names)
    rows, columns = values.shape
    return Matrix(values, rows, columns, names, index, _mapped(x))


def _mapped(x: Any) -> tuple[str, ...]:
    """Return the file that an array is mapped from, if it is."""
    while x is not None:
        if isinstance(x, np.memmap) and x.filename is not None:
            return (os.fsdecode(x.filename),)
        x = getattr(x, "base", None)
    return ()


def _arrow_columns(table: Any) -> list[Any]:
    # A chunked column of a table has no zero_copy_only of its own.
    return [c.combine_chunks() if hasattr(c, "combine_chunks") else c for c in table.columns]


def _not_2d(dimensions: int) -> ValueError:
    return ValueError(
        f"expected a 2-dimensional array of rows and features, found {dimensions} "
        "dimension(s). Reshape your data: X.reshape(-1, 1) if it has a single feature"
    )


def _frame_values(frame: Any, names: list[str]) -> np.ndarray:
    kinds = {dtype.kind for dtype in frame.dtypes if isinstance(dtype, np.dtype)}
    plain = all(isinstance(dtype, np.dtype) for dtype in frame.dtypes)
    if plain and kinds <= set("f") and len({str(d) for d in frame.dtypes}) == 1:
        return frame.to_numpy()
    columns = []
    for k, name in enumerate(names):
        column = frame.iloc[:, k]
        if isinstance(column.dtype, np.dtype):
            columns.append(column.to_numpy())
            continue
        try:
            floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError) as error:
            raise ValueError(f'column "{name}" is not numeric: {error}') from error
        if getattr(column.dtype, "kind", None) in ("i", "u") and _is_large(floats):
            _refuse_rounded(column.to_numpy(dtype=object), floats, f'column "{name}"')
        columns.append(floats)
    return _columns(columns, names)


def _columns(columns: list[np.ndarray], names: list[str]) -> np.ndarray:
    """Return one array in C order of columns of any numeric type."""
    if not columns:
        raise ValueError("expected at least one feature, found none")
    out = np.empty((len(columns[0]), len(columns)))
    for k, (column, name) in enumerate(zip(columns, names, strict=True)):
        out[:, k] = _floats(np.asarray(column), f'column "{name}"')
    return out


def _dense(x: Any, names: list[str] | None) -> np.ndarray:
    values = np.asarray(x)
    if values.ndim != 2:
        raise _not_2d(values.ndim)
    if values.shape[0] == 0 or values.shape[1] == 0:
        rows, columns = values.shape
        what = "rows" if rows == 0 else "features"
        raise ValueError(f"found an array of {rows} rows and {columns} features: no {what}")
    if values.dtype not in (np.float64, np.float32) or not values.dtype.isnative:
        if values.dtype.kind in "OUS":
            # Column by column, so that the message can name the one that is not numeric.
            labels = names or [str(k) for k in range(values.shape[1])]
            return _columns(list(values.T), labels)
        values = _floats(values, "the array")
    elif not isinstance(x, np.ndarray) and _is_large(values):
        # A list of integers and floats has become one of floats.
        _refuse_rounded(np.asarray(x, dtype=object), values, "the array")
    return np.require(values, requirements=["C", "A"])


def _floats(values: np.ndarray, what: str) -> np.ndarray:
    """Return the values as float64, or say why that cannot be."""
    kind = values.dtype.kind
    if kind == "c":
        raise ValueError(f"{what}: complex data is not supported")
    if kind not in "fiubO" or (kind == "f" and values.dtype.itemsize > 8):
        raise ValueError(f"{what} is not numeric: its type is {values.dtype}")
    if kind == "O":
        try:
            floats = _nearest(values)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{what} is not numeric: {error}") from error
        _refuse_rounded(values, floats, what)
        return floats
    floats = values.astype(np.float64, order="C")
    if kind in "iu" and values.dtype.itemsize == 8:
        _refuse_rounded(values, floats, what)
    return floats


def _is_large(floats: np.ndarray) -> bool:
    """Return whether there are floats beyond which not every integer is one."""
    within = floats.size == 0 or -_LARGEST_EXACT < floats.min() <= floats.max() < _LARGEST_EXACT
    return not within


def _rounded(values: np.ndarray, floats: np.ndarray) -> np.ndarray:
    """Return where values are integers other than the floats that became of them."""
    if values.dtype.kind in "iu":
        beyond = 2.0 ** (63 if values.dtype.kind == "i" else 64)
        with np.errstate(invalid="ignore"):
            back = floats.astype(values.dtype)
        return (floats >= beyond) | (back != values)

    def is_rounded(value: Any, nearest: float) -> bool:
        return isinstance(value, int | np.integer) and (np.isinf(nearest) or int(nearest) != int(value))

    pairs = zip(values.ravel(), floats.ravel(), strict=True)
    return np.array([is_rounded(*pair) for pair in pairs], dtype=bool).reshape(values.shape)


def _refuse_rounded(values: np.ndarray, floats: np.ndarray, what: str) -> None:
    """Raise a ValueError at the first integer that float64 does not hold: the rule of all readers."""
    if not _is_large(floats):
        return
    wrong = _rounded(values, floats)
    if wrong.any():
        row, *column = np.argwhere(wrong)[0]
        found = int(values[wrong][0])
        shown = str(found) if abs(found) < 10**40 else "one of more than 40 digits"
        where = f"row {row}" + (f", column {column[0]}" if column else "")
        raise ValueError(
            f"{what} has integers that float64 does not hold exactly (not all above 2**53 are): "
            f"{where} (counted from 0) has {shown}. Leave the column out if it only names rows, "
            "subtract a constant, or convert it to floats if rounding is acceptable"
        )


def check_exact(x: Any) -> None:
    """Raise a ValueError if an array, a list or a frame hides values, or has integers to be rounded.

    For those who leave the conversion to others; what is wrong otherwise they say themselves.
    """
    x = unmasked(x)
    if _module(x) == "pandas" and hasattr(x, "iloc") and x.ndim == 2:
        parts = [(f'column "{name}"', x.iloc[:, k]) for k, name in enumerate(x.columns)]
    else:
        parts = [("the array", x)]
    for what, part in parts:
        try:
            values = np.asarray(part)
            if values.dtype.kind == "f" and isinstance(part, list | tuple) and _is_large(values):
                values = np.asarray(part, dtype=object)
            floats = _nearest(values) if values.dtype.kind in "iuO" else None
        except (TypeError, ValueError):
            return
        if floats is not None:
            _refuse_rounded(values, floats, what)


def _nearest(values: np.ndarray) -> np.ndarray:
    """Return the nearest floats; an integer that is larger than all is infinite."""
    try:
        return values.astype(np.float64)
    except OverflowError:
        return np.full(values.shape, np.inf)


def unmasked(x: Any, what: str = "X") -> Any:
    """Return x without its mask. Masked values are missing, and are refused as NaN is."""
    masked = np.ma.MaskedArray
    if isinstance(x, list | tuple) and any(isinstance(item, masked) for item in x):
        x = np.ma.array(x)
    if not isinstance(x, masked) or x.ndim == 0:
        return x
    hidden: Any = np.ma.getmaskarray(x)
    if hidden.dtype.names:
        hidden = np.logical_or.reduce([hidden[name] for name in hidden.dtype.names])
    if hidden.any():
        row, *column = np.argwhere(hidden)[0]
        where = f"row {row}" + (f", column {column[0]}" if column and hidden.shape[1] > 1 else "")
        raise ValueError(
            f"{where} (counted from 0) of {what}: expected a value, found a masked one; fill it in, or "
            "leave the row out"
        )
    return np.asarray(x)


def _csr_parts(x: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    rows, columns = x.shape
    if rows == 0 or columns == 0:
        what = "rows" if rows == 0 else "features"
        raise ValueError(f"found a matrix of {rows} rows and {columns} features: no {what}")
    if columns > np.iinfo(np.int32).max:
        raise ValueError(f"expected fewer than 2**31 features, found {columns}")
    csr = x.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    data = csr.data
    if data.dtype != np.float64 or not data.dtype.isnative:
        data = _floats(data, "the matrix")
    return (
        csr.indptr.astype(np.int64),
        np.require(csr.indices, np.int32, ["C", "A"]),
        np.require(data, requirements=["C", "A"]),
        columns,
    )


def read_labels(y: Any, rows: int, positive: Any = None) -> Labels:
    """Return the two classes of `y`; the larger label is positive, or the one named.

    Numbers are compared by value, as are strings that all read as numbers; other strings by letters.
    """
    values, classes = read_classes(y, rows)
    if positive is not None:
        matches = [c for c in classes if c == positive]
        if not matches:
            raise ValueError(f"no row has the label {positive!r}; the labels are {_listed(classes)}")
        chosen = matches[0]
        others = [c for c in classes if c != chosen]
    else:
        if len(classes) > 2:
            raise ValueError(
                f"expected two classes, found {len(classes)}: {_listed(classes)}. Name one with "
                "positive=, or use linsep.separability_matrix"
            )
        chosen, others = classes[-1], classes[:-1]
    if not others:
        raise ValueError(f"expected two classes, found one class: all {rows} rows are {classes[0]!r}")
    negative = others[0] if len(others) == 1 else "rest"
    return Labels(np.ascontiguousarray(values == chosen, dtype=bool), (negative, chosen))


def read_classes(y: Any, rows: int) -> tuple[np.ndarray, list[Any]]:
    """Return the labels as one array, and the distinct ones in order."""
    if y is None:
        raise TypeError("y is missing: only tables and paths have labels of their own")
    y = unmasked(y, "y")
    values = np.asarray(y.to_numpy() if _module(y) in ("pandas", "polars") else y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"expected one label per row, found an array of shape {values.shape}")
    if len(values) != rows:
        raise ValueError(f"expected {rows} labels, one per row, found {len(values)}")
    if values.dtype.kind == "O":
        missing = np.array([v is None or v != v for v in values], dtype=bool)
    else:
        missing = values != values if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    if missing.any():
        raise ValueError(f"row {int(missing.argmax())} (counted from 0) has no label")
    try:
        found = list(np.unique(values))
    except TypeError as error:
        raise ValueError("labels of different types cannot be ordered; make them one type") from error
    plain = [c.item() if isinstance(c, np.generic) else c for c in found]
    if all(isinstance(c, str) for c in plain):
        try:
            plain.sort(key=float)
        except ValueError:
            plain.sort()
    return values, plain


def _listed(classes: list[Any]) -> str:
    return ", ".join(repr(c) for c in classes[:8]) + (", …" if len(classes) > 8 else "")
