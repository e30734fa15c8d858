"""What a model's rows have beside their columns, as Rust reads it: numbers, or words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from linsep import _linsep
from linsep._answer import question
from linsep._data import _module, read_classes, spelled

__all__ = ["MODELS", "ORDINAL", "Response", "read_absorb", "read_response", "vector"]

MODELS = (
    "binomial",
    "log-binomial",
    "multinomial",
    "cumulative",
    "adjacent",
    "sequential",
    "poisson",
    "negative-binomial",
    "conditional",
    "cox",
)
TIES = ("breslow", "efron", "exact")
ORDINAL = ("cumulative", "adjacent", "sequential")
_INTERCEPT = ("binomial", "log-binomial", "multinomial", "poisson", "negative-binomial")
# Columns beside a design.
ROLES = ("trials", "weights", "groups", "time", "event", "entry")

# A column as Rust reads it: what it is for, its name, numbers, or words and the word of each row.
Column = tuple[str, str, np.ndarray | None, list[str], np.ndarray | None]


@dataclass(frozen=True)
class Response:
    """A question about a model, and the columns beside the design."""

    asked: str
    beside: list[Column] = field(default_factory=list)
    # The labels that Rust knows by their spelling.
    labels: dict[str, Any] = field(default_factory=dict)
    # What the code of a fit has to know, beside the model: see `_advice.Fitting`.
    fitting: dict[str, Any] = field(default_factory=dict)

    def label(self, word: str) -> Any:
        """Return the label that is spelled so."""
        return self.labels.get(word, word)


def vector(values: Any, rows: int, what: str) -> np.ndarray:
    """Return one entry per row as an array."""
    array = np.asarray(values.to_numpy() if _module(values) in ("pandas", "polars") else values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or len(array) != rows:
        raise ValueError(
            f"expected {rows} values of {what}, one per row, found an array of shape {array.shape}"
        )
    return array


def _column(role: str, name: str, values: Any, rows: int) -> Column:
    """Return a column: numbers as numbers, all else as words."""
    array = vector(values, rows, name)
    if array.dtype.kind in "OSU":
        return _words(role, name, array)
    numbers = np.ascontiguousarray(array.astype(np.float64))
    missing = np.isnan(numbers)
    if missing.any():
        raise ValueError(f"row {int(missing.argmax())} (counted from 0) is missing in {name}")
    return role, name, numbers, [], None


def _words(role: str, name: str, array: np.ndarray) -> Column:
    words, codes = np.unique([spelled(v) for v in array.tolist()], return_inverse=True)
    return role, name, None, words.tolist(), np.ascontiguousarray(codes, dtype=np.uint32)


def read_absorb(absorb: Any) -> list[Column]:
    """Return the factors of a model as Rust reads them: levels as words, whatever they are."""
    return [_factor(name, values) for name, values in _named_factors(absorb)]


def _named_factors(absorb: Any) -> list[tuple[str, Any]]:
    if isinstance(absorb, str) or (
        isinstance(absorb, list | tuple) and absorb and all(isinstance(own, str) for own in absorb)
    ):
        raise TypeError(
            f"absorb is {absorb!r}: names of columns go with a formula and data, or with a table in a "
            "file; with arrays give the levels, as absorb=df[['firm', 'year']]"
        )
    if hasattr(absorb, "collect"):
        absorb = absorb.collect()
    if isinstance(absorb, dict):
        return [(str(name), values) for name, values in absorb.items()]
    if _module(absorb) in ("pandas", "polars") and hasattr(absorb, "columns"):
        return [(str(name), absorb[name]) for name in absorb.columns]
    if isinstance(absorb, np.ndarray) and absorb.ndim == 2:
        absorb = list(absorb.T)
    elif not isinstance(absorb, list | tuple) or not absorb or np.ndim(absorb[0]) == 0:
        absorb = [absorb]
    names = [getattr(values, "name", None) for values in absorb]
    return [
        (f"f{k + 1}" if name is None else str(name), values)
        for k, (name, values) in enumerate(zip(names, absorb, strict=True))
    ]


def _factor(name: str, values: Any) -> Column:
    array = np.asarray(values.to_numpy() if _module(values) in ("pandas", "polars") else values)
    if array.ndim != 1:
        raise ValueError(f"expected one level of {name} per row, found an array of shape {array.shape}")
    if array.dtype.kind in "mM":
        absent = np.isnat(array)
    elif array.dtype.kind == "f":
        absent = np.isnan(array)
    elif array.dtype.kind == "O":
        absent = np.array([value is None or _is_missing(value) for value in array], dtype=bool)
    else:
        absent = np.zeros(len(array), dtype=bool)
    if absent.any():
        raise ValueError(
            f"row {int(absent.argmax())} (counted from 0) is missing in {name}; leave the row out, or "
            "give missing values a level of their own"
        )
    if array.dtype.kind == "O":
        array = np.array([spelled(value) for value in array.tolist()], dtype=str)
    # Integers and dates are told apart as they are: not all are floats.
    found, codes = np.unique(array, return_inverse=True)
    levels = found.astype(str).tolist() if array.dtype.kind in "mM" else found.tolist()
    words = [spelled(level) for level in levels]
    return "absorb", name, None, words, np.ascontiguousarray(codes.reshape(-1), dtype=np.uint32)


def _is_missing(value: Any) -> bool:
    """Return whether a value does not equal itself, or does not say."""
    try:
        return bool(value != value)
    except TypeError:
        return True


def _categories(y: Any, rows: int) -> tuple[Column, dict[str, Any]]:
    """Return an outcome of labels, and these by their spelling."""
    values, found = read_classes(y, rows)
    words = [spelled(label) for label in found]
    codes = np.zeros(rows, dtype=np.uint32)
    for code, label in enumerate(found):
        codes[values == label] = code
    return ("outcome", _name(y), None, words, codes), dict(zip(words, found, strict=True))


def _name(y: Any) -> str:
    name = getattr(y, "name", None)
    return str(name) if name is not None else "y"


def _own_levels(y: Any) -> list[Any] | None:
    """Return the levels of a categorical column in their order, if it has any."""
    dtype = getattr(y, "dtype", None)
    categories = getattr(dtype, "categories", None)
    if categories is None:
        categories = getattr(y, "categories", None)  # a pandas.Categorical by itself
    return None if categories is None else list(categories)


def model_question(
    model: str, given: dict[str, Any], names: dict[str, str], absorb: list[str] | None = None
) -> str:
    """Return the question about a model. `names` are those of the columns beside the design."""
    if model not in MODELS:
        raise ValueError(f"model is {model!r}; expected one of " + ", ".join(map(repr, MODELS)))
    if given["ties"] not in TIES:
        raise ValueError(f"ties is {given['ties']!r}; expected one of " + ", ".join(map(repr, TIES)))
    levels = given["levels"]
    positive = given["positive"]
    event = given["event_value"]
    intercept, parallel, ties = given["intercept"], given["parallel"], given["ties"]
    if isinstance(event, bool | np.bool_):
        event = int(event)
    return question(
        "estimate",
        model=model,
        absorb=absorb or None,
        # A model that has no constant of its own is not told that it has none.
        intercept=bool(intercept) if intercept or (model in _INTERCEPT and not absorb) else None,
        parallel=None if parallel else False,
        ties=None if ties == "breslow" else ties,
        positive=None if positive is None else spelled(positive),
        levels=None if levels is None else [spelled(_plain(level)) for level in levels],
        event_value=None if event is None else str(event),
        max_passes=given.get("max_passes"),
        time_limit=given.get("time_limit"),
        most_rows=given.get("most_rows"),
        start=given.get("start"),
        **names,
    )


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def read_response(rows: int, y: Any, model: str, given: dict[str, Any]) -> Response:
    """Return the question about a model, and the columns beside its design."""
    if model == "cox" and given["time"] is None and y is not None:
        time, event = _structured(y, given["event"])
        given, y = {**given, "time": time, "event": event}, None
    names = {role: role for role in ROLES if given[role] is not None}
    ordered = model in ("multinomial", *ORDINAL)
    if ordered and given["levels"] is None:
        given = {**given, "levels": _own_levels(y)}
    factors = [] if given.get("absorb") is None else read_absorb(given["absorb"])
    asked = model_question(model, given, names, [name for _, name, *_ in factors])
    _linsep.validate(asked)
    for _, name, _, _, codes in factors:
        if codes is not None and len(codes) != rows:
            raise ValueError(f"expected {rows} levels of {name}, one per row, found {len(codes)}")
    if y is None and model != "cox":
        raise TypeError("y is missing: only tables and paths have labels of their own")
    beside = [_column(role, role, given[role], rows) for role in names] + factors
    labels: dict[str, Any] = {}
    counted = model in ("poisson", "negative-binomial") or given["trials"] is not None
    if y is not None and counted:
        beside.append(_column("outcome", _name(y), y, rows))
    elif y is not None:
        column, labels = _categories(y, rows)
        labels |= {spelled(_plain(level)): _plain(level) for level in given["levels"] or []}
        beside.append(column)
    fitting = fitting_options(given)
    fitting["weighted"] = given["weights"] is not None and bool(
        np.any(np.asarray(given["weights"]) == 0)
    )
    if given["trials"] is not None:
        successes = np.asarray(y, dtype=float)
        fitting["trials"] = "shares" if np.any(successes != np.floor(successes)) else "numbers"
    return Response(asked, beside, labels, fitting)


def fitting_options(given: dict[str, Any]) -> dict[str, Any]:
    """Return what the code of a fit has to know of the options: see `_advice.Fitting`."""
    return {
        "intercept": bool(given["intercept"]),
        "absorbed": given.get("absorb") is not None,
        "event": given["event"] is not None,
        "event_value": given["event_value"],
        "entry": given["entry"] is not None,
        "strata": given["groups"] is not None,
        "ties": given["ties"],
    }


def _structured(y: Any, event: Any) -> tuple[Any, Any]:
    """Return times and events of an array with two fields, as scikit-survival has it."""
    array = y if isinstance(y, np.ndarray) else np.asarray(y)
    if array.dtype.names and len(array.dtype.names) == 2:
        names = sorted(array.dtype.names, key=lambda name: array.dtype[name].kind != "b")
        return array[names[1]], array[names[0]]
    return y, event
