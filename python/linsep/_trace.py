"""The updates of a method, one by one: arrays, an animation, and the page that plays them."""

from __future__ import annotations

import os
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from linsep import _linsep
from linsep._answer import title_of, write_page
from linsep._decision import whole

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation

__all__ = ["Trace", "animate", "updates", "write_trace"]


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The updates of a method, one by one, in the order in which they happened.

    Where a method answers with something else than the vector that it corrects ("averaged", "voted",
    "pocket"), hyperplanes and scores are those of its answer.

    Attributes
    ----------
    rows : ndarray of int
        The row that caused each update, counted from 0; -1 for what happened at the end of an epoch,
        such as a projection of "joint".
    epochs : ndarray of int
        The epoch of each update, counted from 1.
    mistakes : ndarray of bool
        Whether the row was on the wrong side of the vector that is corrected.
    scores_before, scores_after : ndarray of float
        w·z of that row before and after the update, as the method sees it, at length 1; NaN if there
        is no row.
    weights, biases : ndarray of shape (updates, features) and (updates,)
        The hyperplane after each update.
    start_weights, start_bias : ndarray of shape (features,) and float
        The hyperplane before the first.
    left_out : int
        How many further updates there were.
    """

    rows: np.ndarray
    epochs: np.ndarray
    mistakes: np.ndarray
    scores_before: np.ndarray
    scores_after: np.ndarray
    weights: np.ndarray
    biases: np.ndarray
    start_weights: np.ndarray
    start_bias: float
    left_out: int

    @classmethod
    def read(cls, found: dict[str, Any] | None) -> Trace | None:
        """Return what Rust found."""
        return None if found is None else cls(**found)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        more = f", {self.left_out:,} left out" if self.left_out else ""
        return f"Trace({len(self):,} updates{more})"


def updates(trace: bool | int) -> int | None:
    """Return how many updates are to be kept, None for none."""
    if isinstance(trace, (bool, np.bool_)):
        return _linsep.TRACE_STEPS if trace else None
    return whole("trace", trace, least=0)


def write_trace(
    answer: _linsep.Answer | None,
    path: str | os.PathLike[str],
    title: str | None,
    sources: tuple[str, ...],
) -> None:
    """Write the steps to a file: a page or a CSV, by its name."""
    text = _linsep.trace_file(_there(answer), os.fsdecode(path), title_of(path, title))
    write_page("the steps", path, text, sources)


def _there(answer: _linsep.Answer | None) -> _linsep.Answer:
    if answer is None:
        raise ValueError("the answer is not here: ask again with trace=True")
    return answer


_COLUMNS = 3
# Points, letters of a line of two, and the room around the rows, as on the page.
_DOT, _LETTERS, _ROOM = 22, 54, 0.2
_RINGS = {"wrong": "#B3261E", "moved": "#8A5A00"}


def animate(answer: _linsep.Answer | None, classes: tuple[Any, Any], interval: float) -> FuncAnimation:
    """Draw the steps of all methods, side by side, one after the other."""
    from linsep import _plot

    seen = _linsep.trace_frames(_there(answer))
    plt = _plot._pyplot()
    from matplotlib.animation import FuncAnimation

    runs = seen["runs"]
    across = min(len(runs), _COLUMNS)
    down = -(-len(runs) // across)
    size = (4.2 * across, 4.0 * down) if len(runs) > 1 else (6.4, 5.2)
    figure, axes = plt.subplots(down, across, figsize=size, squeeze=False, layout="constrained")
    for ax in axes.flat[len(runs) :]:
        ax.set_visible(False)
    panels = [_Panel(ax, seen, run) for ax, run in zip(axes.flat, runs, strict=False)]
    frames = max(len(run["words"]) for run in runs)
    handles = list(zip(panels[0].rows, map(_plot._plain, classes[::-1]), strict=True))
    figure.legend(
        *zip(*handles, strict=True), loc="outside lower center", ncols=2, fontsize=9, frameon=False
    )

    def draw(frame: int) -> list[Any]:
        return [artist for panel in panels for artist in panel.draw(frame)]

    draw(0)
    return FuncAnimation(figure, draw, frames=frames, interval=interval, repeat=False)


class _Panel:
    """The picture of one method, at any of its steps."""

    def __init__(self, ax: Any, seen: dict[str, Any], run: dict[str, Any]) -> None:
        from linsep import _plot
        from matplotlib.patches import Polygon

        self.run, self.ax = run, ax
        x, y, positive = seen["x"], seen["y"], seen["positive"]
        limits = [_limits(x), _limits(y)]
        ax.set_xlim(*limits[0])
        ax.set_ylim(*limits[1])
        self.corners = [(limits[0][i], limits[1][j]) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
        sides = ((True, _plot._POSITIVE, "o"), (False, _plot._NEGATIVE, "s"))
        self.shades, self.rows = [], []
        for own, colour, marker in sides:
            shade = Polygon(np.zeros((3, 2)), closed=True, facecolor=colour, alpha=0.12, linewidth=0)
            ax.add_patch(shade)
            self.shades.append(shade)
            own_x, own_y = x[positive == own], y[positive == own]
            self.rows.append(ax.scatter(own_x, own_y, s=_DOT, c=colour, marker=marker, linewidths=0))
        (self.was,) = ax.plot([], [], color=_plot._FAINT, linestyle=":", linewidth=1.2)
        (self.line,) = ax.plot([], [], color=_plot._INK, linewidth=2)
        (self.ring,) = ax.plot([], [], "o", markersize=13, fillstyle="none", markeredgewidth=2)
        (self.arrow,) = ax.plot([], [], color=_RINGS["wrong"], linewidth=2.2)
        self.plain = _plot._plain
        ax.set_xlabel(_plot._cut(seen["across"], 40))
        ax.set_ylabel(_plot._cut(seen["up"], 40))
        if not seen["up"]:
            ax.set_yticks([])

    def draw(self, frame: int) -> list[Any]:
        """Draw a step, or the last if there are fewer."""
        run = self.run
        k = min(frame, len(run["words"]) - 1)
        line, before = run["lines"][k], run["lines"][max(k - 1, 0)]
        kind, at = run["kinds"][k], run["at"][k]
        for shade, sign in zip(self.shades, (1.0, -1.0), strict=True):
            side, _ = self.split(sign * line)
            shade.set_xy(np.array(side) if line.any() and len(side) > 2 else np.zeros((3, 2)))
        self.line.set_data(*_columns(self.split(line)[1]))
        self.line.set_linestyle("--" if kind == "together" else "-")
        moving = kind in ("wrong", "moved", "together")
        self.was.set_data(*_columns(self.split(before)[1] if moving else []))
        ringed = kind in _RINGS and bool(np.isfinite(at).all())
        self.ring.set_data(*_columns([at] if ringed else []))
        self.ring.set_markeredgecolor(_RINGS.get(kind, "none"))
        self.arrow.set_data(*_columns([self.foot(before, at), self.foot(line, at)] if ringed else []))
        lines = textwrap.wrap(run["words"][k], _LETTERS, max_lines=2)
        # As many lines at every step, so that nothing jumps.
        words = self.plain("\n".join([*lines, "", ""][:2]))
        self.ax.set_title(f"{run['name']}, {run['when'][k]}\n{words}", fontsize=9, loc="left")
        return [*self.shades, self.line, self.was, self.ring, self.arrow, self.ax.title]

    def split(self, line: np.ndarray) -> tuple[list[Any], list[Any]]:
        """Return what of the axes is on the positive side, and where the line cuts their border."""
        values = [line[0] * x + line[1] * y + line[2] for x, y in self.corners]
        side, cut = [], []
        for k, corner in enumerate(self.corners):
            here, there, other = values[k], values[(k + 1) % 4], self.corners[(k + 1) % 4]
            if here >= 0:
                side.append(corner)
            if (here >= 0) != (there >= 0):
                share = here / (here - there)
                point = tuple(a + share * (b - a) for a, b in zip(corner, other, strict=True))
                side.append(point)
                cut.append(point)
        return side, cut

    def foot(self, line: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Return the point of a line that is nearest to a row as it is seen; NaN if there is no line."""
        (left, low), (right, high) = self.corners[0], self.corners[2]
        scale = np.array([right - left, high - low])
        slope = line[:2] * scale
        length = float(slope @ slope)
        if length == 0:
            return np.full(2, np.nan)
        off = float(line[:2] @ at + line[2])
        found: np.ndarray = at - off / length * slope * scale
        return found


def _limits(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = _ROOM * (high - low) if low < high else 0.5
    return low - room, high + room


def _columns(points: list[Any]) -> tuple[list[float], list[float]]:
    return [float(x) for x, _ in points], [float(y) for _, y in points]
