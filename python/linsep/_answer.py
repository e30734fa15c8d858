"""What every answer has: the text, the page and the JSON that Rust makes of it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from linsep import _linsep

__all__ = ["Said"]

# Characters of a line, as in most code.
_WIDTH = 88


class Said:
    """An answer that Rust has given, and renders. Copies that were pickled keep what it said."""

    # Not fields: they are not part of what a dataclass compares and copies.
    _answer: ClassVar[_linsep.Answer | None] = None
    _kept: ClassVar[dict[str, str]] = {}

    def _says(self, answer: _linsep.Answer) -> Any:
        object.__setattr__(self, "_answer", answer)
        return self

    def _code(self) -> list[str | None]:
        """Return code that stands under parts of the text, in their order."""
        return []

    def _render(self, what: str) -> str:
        if self._answer is None:
            return self._kept.get(what, "")
        if what == "json":
            return self._answer.to_json()
        if what == "html":
            return self._answer.html(self._code())
        return self._answer.text(_WIDTH, self._code())

    def to_json(self) -> str:
        """Return what the program prints with `--json`: one object, the same to the byte."""
        return self._render("json")

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values. Rows are counted from 1, as in all that programs read."""
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def __repr__(self) -> str:
        return self._render("text") or f"{type(self).__name__}(…)"

    def _repr_html_(self) -> str:
        return self._render("html")

    def _state(self, *hidden: str) -> dict[str, Any]:
        """Return what a copy keeps: the values, and what was said."""
        hidden = ("_answer", *hidden)
        state = {name: value for name, value in self.__dict__.items() if name not in hidden}
        if self._answer is not None:
            state["_kept"] = {what: self._render(what) for what in ("text", "html", "json")}
        return state

    def __getstate__(self) -> dict[str, Any]:
        return self._state()


def write_page(what: str, path: str | os.PathLike[str], page: str, sources: tuple[str, ...]) -> None:
    """Write a page to a file, which appears whole or not at all, and not on what was read."""
    _linsep.write_file(what, os.fsdecode(path), page, sources)


def title_of(path: str | os.PathLike[str], title: str | None) -> str:
    """Return what the data of a page is called: by default as the file, without its ending."""
    return os.path.splitext(os.path.basename(os.fsdecode(path)))[0] if title is None else title


def question(ask: str, **options: Any) -> str:
    """Return a question as Rust reads it; what is None is left at its default there."""
    given = {name: value for name, value in options.items() if value is not None}
    return written({"ask": ask, **given})


# What numbers have to be that JSON has no word for, as Rust says it of others.
_EXPECTED = {
    "gap": "a number between 0 and 1",
    "time_limit": "a time above 0",
    "start": "finite numbers",
}


def written(options: Mapping[str, Any]) -> str:
    """Return options as JSON. Raises a ValueError at NaN and infinity, which it does not have."""
    given = dict(options)
    for name, value in given.items():
        if isinstance(value, np.generic):
            given[name] = value = value.item()
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, float) and not math.isfinite(number):
                shown = "NaN" if math.isnan(number) else number
                raise ValueError(f"{name} is {shown}; expected {_EXPECTED.get(name, 'a finite number')}")
    return json.dumps(given)
