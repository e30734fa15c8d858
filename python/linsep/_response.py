"""What a model's rows have beside their columns: outcomes, counts, categories or times."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from linsep import _linsep
from linsep._data import _module, read_classes

__all__ = ["MODELS", "ORDINAL", "Response", "read_response", "vector"]

MODELS = (
    "binomial",
    "multinomial",
    "cumulative",
    "adjacent",
    "sequential",
    "poisson",
    "negative-binomial",
    "conditional",
    "cox",
)
ORDINAL = ("cumulative", "adjacent", "sequential")
_COUNTS = ("poisson", "negative-binomial")
_SUCCESS, _FAILURE = 1, 2  # as Rust counts them


@dataclass(frozen=True)
class Response:
    """A model, and what its rows have."""

    model: str
    asked: dict[str, Any]
    categories: list[Any] = field(default_factory=list)
    # The outcome of each row, to be shown; None where rows have times.
    shown: np.ndarray | None = None
    # What the code of a fit has to know, beside the model: see `_advice.Fitting`.
    fitting: dict[str, Any] = field(default_factory=dict)

    @property
    def counted(self) -> np.ndarray | None:
        """Which rows count: those of a weight above zero that have seen a trial; None if all do."""
        kept, trials = self.asked.get("kept"), self.asked.get("trials")
        tried = None if trials is None or trials.all() else trials > 0
        if kept is None or tried is None:
            return kept if tried is None else tried
        return kept & tried


def vector(values: Any, rows: int, what: str) -> np.ndarray:
    """Return one entry per row as an array."""
    array = np.asarray(values.to_numpy() if _module(values) in ("pandas", "polars") else values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or len(array) != rows:
        raise ValueError(f"expected {rows} {what}, one per row, found an array of shape {array.shape}")
    return array


def _numbers(values: Any, rows: int, what: str) -> np.ndarray:
    array = vector(values, rows, what)
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} are not numbers: {error}") from None
    missing = np.isnan(numbers)
    if missing.any():
        raise ValueError(f"row {int(missing.argmax())} (counted from 0) is missing in {what}")
    return np.ascontiguousarray(numbers)


def _truths(values: Any, rows: int, what: str, event: Any = None) -> np.ndarray:
    """Return yes or no per row, as Rust reads them: 1 and 0, or two values of which `event` is yes."""
    array = vector(values, rows, what)
    if event is not None:
        event = str(int(event)) if isinstance(event, bool | np.bool_) else str(event)
    if array.dtype.kind in "OSU":
        words, codes = np.unique([str(v) for v in array], return_inverse=True)
        return _linsep.events(what, None, words.tolist(), codes.astype(np.uint32), event)
    return _linsep.events(what, _numbers(array, rows, what), [], None, event)


def _groups(values: Any, rows: int) -> np.ndarray:
    array = vector(values, rows, "groups")
    if array.dtype.kind == "O":
        array = np.array([str(v) for v in array])
    return np.ascontiguousarray(np.unique(array, return_inverse=True)[1], dtype=np.uint32)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _categories(
    y: Any, rows: int, levels: Any, ordered: bool, model: str
) -> tuple[np.ndarray, list[Any], np.ndarray]:
    """Return codes, the categories that occur in their order, and the labels."""
    if levels is None:
        levels = _own_levels(y)
    labels, found = read_classes(y, rows)
    if levels is None:
        if ordered and any(isinstance(c, str) for c in found):
            try:
                [float(c) for c in found]
            except ValueError:
                raise ValueError(
                    f"the categories of a {model} model have an order, and {found[0]!r} has none: give "
                    "it as levels=[...], lowest first, or use numbers or an ordered pandas.Categorical"
                ) from None
        levels = found
    levels = [_plain(level) for level in levels]
    repeated = [level for k, level in enumerate(levels) if level in levels[:k]]
    if repeated:
        raise ValueError(f"levels has {repeated[0]!r} twice; expected each category once")
    unknown = [c for c in found if c not in levels]
    if unknown:
        raise ValueError(f"y has the category {unknown[0]!r}, which is not one of levels: {levels}")
    occurring = [level for level in levels if level in found]
    codes = np.zeros(rows, dtype=np.uint32)
    for code, level in enumerate(occurring):
        codes[labels == level] = code
    return codes, occurring, labels


def _own_levels(y: Any) -> list[Any] | None:
    """Return the levels of a categorical column in their order, if it has any."""
    dtype = getattr(y, "dtype", None)
    categories = getattr(dtype, "categories", None)
    if categories is None:
        categories = getattr(y, "categories", None)  # a pandas.Categorical by itself
    return None if categories is None else list(categories)


def _trials_of_labels(y: Any, rows: int, positive: Any) -> tuple[np.ndarray, list[Any], np.ndarray]:
    labels, found = read_classes(y, rows)
    between = [c for c in found if isinstance(c, float) and not isinstance(c, bool) and 0 < c < 1]
    if between and all(isinstance(c, int | float) and 0 <= c <= 1 for c in found):
        row = int(np.argmax(labels == between[0]))
        raise ValueError(
            f"y looks like proportions: row {row} (counted from 0) has {between[0]:g}. Give the number "
            "of trials of each row as trials=; for two classes that are coded so, compare first: y > 0.5"
        )
    if positive is None and len(found) > 2:
        raise ValueError(
            f"expected two classes, found {len(found)}: "
            + ", ".join(repr(c) for c in found[:8])
            + (", …" if len(found) > 8 else "")
            + '. Name one with positive=, or ask for model="multinomial", or "poisson" for counts'
        )
    if positive is None:
        # Of one class alone, 0 and its like are failures.
        chosen = found[-1] if len(found) == 2 or found[0] not in (0, "0", False, -1) else None
    else:
        if positive not in found and len(found) > 1:
            raise ValueError(f"no row has the label {positive!r}; the labels are {found[:8]}")
        chosen = positive
    others = [c for c in found if c != chosen]
    success = labels == chosen if chosen is not None else np.zeros(rows, dtype=bool)
    categories = [others[0] if len(others) == 1 else "rest" if others else None, chosen]
    return np.where(success, _SUCCESS, _FAILURE).astype(np.uint8), categories, labels


def read_response(
    rows: int,
    y: Any,
    *,
    model: str,
    intercept: bool = False,
    positive: Any = None,
    levels: Any = None,
    trials: Any = None,
    weights: Any = None,
    groups: Any = None,
    time: Any = None,
    event: Any = None,
    event_value: Any = None,
    entry: Any = None,
    ties: str = "breslow",
    parallel: bool = True,
) -> Response:
    """Return the response of a model. Raises where an argument is of no use to it."""
    if model not in MODELS:
        raise ValueError(f"model is {model!r}; expected one of " + ", ".join(map(repr, MODELS)))
    given = {"trials": trials, "groups": groups, "time": time, "event": event, "entry": entry}
    _check_arguments(model, y, **given, event_value=event_value, levels=levels)
    asked: dict[str, Any] = {
        "family": model,
        "intercept": bool(intercept),
        "parallel": bool(parallel),
        "ties": ties,
        "trials": None,
        "codes": None,
        "count": 0,
        "groups": None,
        "events": None,
        "times": None,
        "entries": None,
        "kept": None,
    }
    if weights is not None:
        asked["kept"] = _linsep.kept(_numbers(weights, rows, "weights"))
    categories: list[Any] = []
    shown: np.ndarray | None = None
    if model == "cox":
        if time is None and y is not None:
            time, event = _structured(y, event)
        asked["times"] = _numbers(time, rows, "times")
        if event is None:
            asked["events"] = np.ones(rows, dtype=bool)
        else:
            asked["events"] = _truths(event, rows, "events", event_value)
        if entry is not None:
            asked["entries"] = _numbers(entry, rows, "entries")
        if groups is not None:
            asked["groups"] = _groups(groups, rows)
    elif model == "conditional":
        asked["events"] = _truths(y, rows, "outcomes")
        asked["groups"] = _groups(groups, rows)
        shown, categories = asked["events"], [False, True]
    elif model in _COUNTS:
        shown = _numbers(y, rows, "counts")
        asked["trials"] = _linsep.trials(shown)
    elif model == "binomial" and trials is not None:
        successes = _numbers(y, rows, "successes")
        asked["trials"] = _linsep.trials(successes, _numbers(trials, rows, "trials"))
        shown = vector(y, rows, "successes")
    elif model == "binomial":
        asked["trials"], categories, shown = _trials_of_labels(y, rows, positive)
    else:
        codes, categories, shown = _categories(y, rows, levels, model in ORDINAL, model)
        codes, occurring = _linsep.categories(np.ascontiguousarray(codes), asked["kept"])
        categories = [categories[k] for k in occurring]
        asked["codes"], asked["count"] = codes, len(categories)
    fitting = {
        "intercept": bool(intercept),
        "weighted": weights is not None and not asked["kept"].all(),
        "event": event is not None,
        "event_value": event_value,
        "entry": entry is not None,
        "strata": groups is not None,
        "ties": ties,
    }
    if trials is not None:
        fitting["trials"] = "shares" if np.any(successes != np.floor(successes)) else "numbers"
    return Response(model, asked, categories, shown, fitting)


def _structured(y: Any, event: Any) -> tuple[Any, Any]:
    """Return times and events of an array with two fields, as scikit-survival has it."""
    array = y if isinstance(y, np.ndarray) else np.asarray(y)
    if array.dtype.names and len(array.dtype.names) == 2:
        names = sorted(array.dtype.names, key=lambda name: array.dtype[name].kind != "b")
        return array[names[1]], array[names[0]]
    return y, event


def _check_arguments(model: str, y: Any, **given: Any) -> None:
    """Raise where something is missing, or was given in vain."""
    uses = {
        "trials": ("binomial",),
        "groups": ("conditional", "cox"),
        "time": ("cox",),
        "event": ("cox",),
        "event_value": ("cox",),
        "entry": ("cox",),
        "levels": ("multinomial", *ORDINAL),
    }
    for name, value in given.items():
        if value is not None and model not in uses[name]:
            models = " and ".join(uses[name])
            raise TypeError(f"{name} was given for a {model} model; it is for {models}")
    if given["event_value"] is not None and given["event"] is None:
        raise TypeError("event_value was given without event, the column that has it")
    if model == "cox":
        if given["time"] is None and y is None:
            raise TypeError(
                "time is missing: a cox model needs time=, and event= unless all rows have one"
            )
    elif y is None:
        raise TypeError("y is missing: only tables and paths have labels of their own")
    if model == "conditional" and given["groups"] is None:
        raise TypeError("groups is missing: a conditional model compares rows of one group")
