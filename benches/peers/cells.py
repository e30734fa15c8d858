"""What stands in one cell of a table."""

from __future__ import annotations

from entrants.entrant import Entrant
from records import SAME_MARGIN, Records


def markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def seconds(value: float) -> str:
    """Return a time with three digits."""
    if value < 1.0:
        return f"{value * 1000:.3g} ms"
    return f"{value:.3g} s" if value < 100 else f"{value:.0f} s"


def ratio(time: float | None, ours: float | None) -> str:
    if not time or not ours:
        return "–"
    return f"{time / ours:.2f}" if time < 10 * ours else f"{time / ours:,.0f}"


def over_ours(run: dict, ours: dict) -> str:
    return ratio(run.get("cpu"), ours.get("cpu")) if run["state"] == "done" else over(run)


def size(count: float) -> str:
    return f"{max(count, 0) / 2**20:,.0f} MiB"


def over(run: dict) -> str:
    """Return why there is no time."""
    if run["state"] == "over the limit" and "limit" in run:
        return f"over {seconds(run['limit'])}"
    return run.get("why") or run["state"]


def time_of(run: dict, by: str = "cpu") -> str:
    if run["state"] == "done" and by in run:
        return seconds(run[by])
    return over(run)


def peer(found: tuple[Entrant, dict] | None, ours: dict, by: str = "cpu") -> str:
    """Return a peer as its time over ours, and its name."""
    if found is None:
        return "none in time"
    if by not in ours or ours["state"] != "done":
        return f"{seconds(found[1][by])} {found[0].name}"
    times = ratio(found[1][by], ours[by])
    # Where a peer is faster, it shows.
    return f"{times if found[1][by] >= ours[by] else f'**{times}**'} {found[0].name}"


def verdict(run: dict, truth: str | None) -> str:
    said = run.get("verdict")
    if said is None:
        return "–"
    if truth is None:
        return said
    return said if said == truth else f"{said} (wrong)"


def margin(records: Records, data: str, kind: str, run: dict) -> str:
    """Return the margin as a part of the largest, 1 if it is the same."""
    short = records.short_by(data, kind, run)
    if short is None:
        return "–"
    return "1" if short <= SAME_MARGIN else f"{1 - short:.4g}"
