"""Small HTML tables for notebooks. They load nothing from anywhere, and every label is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_CELL = 'style="text-align:left;padding:2px 8px"'

COLOURS = {
    "separable": "#1b7f3b",
    "quasi-separable": "#a15c00",
    "inseparable": "#b3261e",
    "undecided": "#5f6368",
    "overlap": "#1b7f3b",
    "quasi-complete": "#a15c00",
    "complete": "#b3261e",
}


def badge(word: str) -> str:
    """Return a verdict in its colour."""
    colour = COLOURS.get(word, "#5f6368")
    return f'<strong style="color:{colour}">{escape(word)}</strong>'


def facts(title: str, rows: Iterable[tuple[str, Any]]) -> str:
    """Return a table of names and values under a title, which is HTML already."""
    body = "".join(
        f"<tr><th {_CELL}>{escape(name)}</th><td {_CELL}>{escape(str(value))}</td></tr>"
        for name, value in rows
    )
    return f"<div><p>{title}</p><table>{body}</table></div>"


def grid(title: str, header: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table with a header; cells that name a verdict get its colour."""
    head = "".join(f"<th {_CELL}>{escape(str(h))}</th>" for h in header)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td {_CELL}>{badge(c) if c in COLOURS else escape(str(c))}</td>" for c in map(str, row)
        )
        + "</tr>"
        for row in rows
    )
    return f"<div><p>{title}</p><table><tr>{head}</tr>{body}</table></div>"


def counted(count: int, one: str, many: str) -> str:
    """Return a number of things with the word for them."""
    return f"{count:,} {one if count == 1 else many}"


def number(value: float) -> str:
    """Return a number in six digits."""
    return f"{value:.6g}"


def listed(items: Iterable[Any], most: int = 10, of: int = 0) -> str:
    """Return the first few items, and how many more; `of`: how many there are in all, if known."""
    everything = list(items)
    text = ", ".join(str(item) for item in everything[:most])
    more = max(len(everything), of) - min(len(everything), most)
    return text + (f", … and {more} more" if more > 0 else "")
