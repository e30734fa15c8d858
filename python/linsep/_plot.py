"""Pictures on matplotlib's axes. Colours are those of Okabe and Ito, which colour-blind people can tell
apart, and never carry a meaning alone: dashes, markers, hatches, words or signs do as well.

matplotlib is optional, and is imported when a picture is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from linsep import _linsep

if TYPE_CHECKING:
    from linsep._decision import Decision
    from linsep._matrix import SeparabilityMatrix
    from linsep._race import Entrant, Race
    from matplotlib.axes import Axes

KINDS = ("plane", "distances", "view", "weights")

_INK = "#333333"
_FAINT = "#999999"
# As on the page of a report.
_NEGATIVE, _POSITIVE = "#D55E00", "#0072B2"
_SMALL = 8  # points

# Of the lines of a race. Fourteen methods: no two share both colour and dashes, nor a marker.
_COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
_MARKERS = "os^DvPX*<>hpd8"

# Points that a line may have along the whole axis.
_MOST_POINTS = 120

# Of the cells of a matrix: colour, colour of the text, sign. They differ in lightness too.
_VERDICTS = {
    "separable": ("#C3E3F4", _INK, "+"),
    "quasi-separable": ("#F0B840", _INK, "~"),
    "inseparable": ("#A83F00", "white", "×"),
    "undecided": ("#D9D9D9", _INK, "?"),
}
# The width of a cell, in points, from which on the longest of these words fits.
_WORDS_FIT = 62

# Of the rows that a view marks: outline and what it means.
_MARKS = {
    "nearest": ("o", "nearest, or most wrong"),
    "conflict": ("s", "in conflict"),
    "suspect": ("D", "suspect"),
}
_MOST_LABELS = 15
# Places beside which the number of their rows stands, where there are no more.
_MOST_COUNTED = 60
_MOST_BARS = 20


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise ImportError('plotting needs matplotlib: pip install "linsep[plot]"') from error
    return plt


def _axes(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return the axes to draw on: those that were handed over, or new ones."""
    if ax is not None:
        return ax
    return _pyplot().subplots(figsize=size, layout="constrained")[1]


def _points(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of the axes in points."""
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    return box.width * 72 / dpi, box.height * 72 / dpi


# A race.


@dataclass(frozen=True)
class _Track:
    """The line of one method."""

    entrant: Entrant
    x: np.ndarray
    y: np.ndarray

    @property
    def looks(self) -> dict[str, Any]:
        """Return what tells the method from others, in this race and in any other."""
        k = [name for name, _, _ in _linsep.methods()].index(self.entrant.name)
        dashes = _DASHES[(k + 2 * (k // len(_COLOURS))) % len(_DASHES)]
        return {
            "color": _COLOURS[k % len(_COLOURS)],
            "linestyle": dashes,
            "marker": _MARKERS[k % len(_MARKERS)],
        }

    @property
    def end(self) -> tuple[float, float]:
        return float(self.x[-1]), float(self.y[-1])


def draw_race(race: Race, x: str = "epochs", ax: Axes | None = None) -> Axes:
    """Draw the mistakes left over epochs or over work; see :meth:`linsep.Race.plot`."""
    if x not in ("epochs", "work"):
        raise ValueError(f'x is {x!r}; expected "epochs" or "work"')
    ax = _axes(ax)
    tracks = [_track(entrant, x) for entrant in race]
    _scale_race(ax, tracks)
    last = max(track.end[0] for track in tracks)
    for track in tracks:
        _draw_track(ax, track, last)
    _label_tracks(ax, tracks)
    what = "epoch" if x == "epochs" else "work, in passes over the data"
    ax.set_xlabel(f"{what} (a ring: finished)")
    ax.set_ylabel("mistakes left")
    ax.set_title(f"{race.rows:,} rows x {race.features:,} features")
    return ax


def _track(entrant: Entrant, x: str) -> _Track:
    mistakes = entrant.mistakes_after
    if not len(mistakes):
        # Not one whole epoch: all there is to show is the answer.
        at = entrant.epochs if x == "epochs" else entrant.passes
        return _Track(entrant, np.array([float(at)]), np.array([entrant.mistakes]))
    epochs = np.arange(1, len(mistakes) + 1, dtype=float)
    return _Track(entrant, epochs if x == "epochs" else entrant.passes_after, mistakes)


def _scale_race(ax: Axes, tracks: list[_Track]) -> None:
    """Set both axes: mistakes logarithmic down to 1, and 0 below it; room for names on the right."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    ax.set_yscale("symlog", linthresh=1, linscale=0.6)
    most = max(float(track.y.max()) for track in tracks)
    ax.set_ylim(-0.35, max(most, 1) * 1.6)
    steps = (1, 2, 5) if most < 100 else (1,)
    ticks = [0, *(step * 10**k for k in range(10) for step in steps if step * 10**k <= 1.6 * most)]
    ax.yaxis.set_major_locator(FixedLocator(ticks))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.grid(axis="y", color=_FAINT, alpha=0.3, linewidth=0.6)
    low = min(float(track.x[0]) for track in tracks)
    high = max(track.end[0] for track in tracks)
    width, _ = _points(ax)
    names = 0.56 * _SMALL * max(len(track.entrant.name) for track in tracks) + 44
    _set_span(ax, low, high, max(0.4, 1 - names / width))


def _set_span(ax: Axes, low: float, high: float, share: float) -> None:
    """Let the values from low to high take this share of the width; no ticks beyond them."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

    logarithmic = low > 0 and high / low > 30
    a, b = (np.log10(low), np.log10(high)) if logarithmic else (low, high)
    span = (b - a) or 1.0
    left, right = a - 0.03 * span, a + span / share
    if logarithmic:
        ax.set_xscale("log")
        left, right = 10**left, 10**right
    ax.set_xlim(left, right)
    locator = LogLocator() if logarithmic else MaxNLocator(integer=True)
    ticks = [tick for tick in locator.tick_values(low, high) if left <= tick <= high * (1 + 1e-9)]
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def _draw_track(ax: Axes, track: _Track, last: float) -> None:
    """Draw a line; where epochs are too many to be told apart, their median in a band of all of them.

    One that ended with 0 mistakes goes on faintly to the end of the longest.
    """
    looks = track.looks
    x, low, middle, high = _condensed(ax, track)
    if (low < high).any():
        ax.fill_between(x, low, high, color=looks["color"], alpha=0.13, linewidth=0)
    ax.plot(
        x,
        middle,
        markevery=_evenly(ax, x),
        markersize=4.5,
        linewidth=1.3,
        label=track.entrant.name,
        **looks,
    )
    if track.end[1] == 0 and track.end[0] < last:
        # Done: no mistake comes back.
        rest = [track.end[0], last], [0, 0]
        ax.plot(*rest, color=looks["color"], linestyle=looks["linestyle"], linewidth=1.3, alpha=0.45)
    if track.entrant.stop in ("separated", "converged", "rounded", "looks-inseparable"):
        ax.plot(*track.end, "o", markersize=12, markerfacecolor="none", color=_INK, zorder=4)


def _condensed(ax: Axes, track: _Track) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return places on the axis with the least, the median and the largest number of mistakes there."""
    places = np.log(track.x) if ax.get_xscale() == "log" else track.x
    left, right = ax.get_xlim()
    span = np.log(right / left) if ax.get_xscale() == "log" else right - left
    bins = np.floor(_MOST_POINTS * (places - places[0]) / span)
    # The end is where it is.
    bins[-1] += 1
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    groups = np.split(track.y, starts[1:])
    found = np.array([(group.min(), np.median(group), group.max()) for group in groups]).T
    last = np.append(starts[1:], len(bins)) - 1
    return track.x[last], found[0], found[1], found[2]


def _evenly(ax: Axes, x: np.ndarray, count: int = 8) -> list[int]:
    """Return which points get a marker: as many as that, evenly along the axis, and the last."""
    places = np.log(x) if ax.get_xscale() == "log" else x
    wanted = np.linspace(places[0], places[-1], min(count, len(x)))
    return sorted({int(k) for k in np.searchsorted(places, wanted).clip(0, len(x) - 1)})


def _label_tracks(ax: Axes, tracks: list[_Track]) -> None:
    """Write each name on the right, at the height of its end, beside a piece of line with its looks.

    Nothing leads from the line to the name: it would seem to go on, and to rise from 0.
    """
    width, height = _points(ax)
    to_axes = ax.transData + ax.transAxes.inverted()
    ends = np.array([to_axes.transform(track.end) for track in tracks])
    # Of lines that end at one height, the one that ends first gets the lowest place.
    order = np.lexsort((ends[:, 0], ends[:, 1]))
    heights = spread(ends[order, 1], 1.35 * _SMALL / height, 0.03, 0.97)
    start = float(ends[:, 0].max()) + 10 / width
    for k, place in zip(order, heights, strict=True):
        ax.plot(
            [start, start + 10 / width, start + 20 / width],
            [place] * 3,
            markevery=[1],
            markersize=4.5,
            linewidth=1.3,
            transform=ax.transAxes,
            clip_on=False,
            **tracks[k].looks,
        )
        ax.annotate(
            tracks[k].entrant.name,
            xy=(start + 25 / width, place),
            xycoords="axes fraction",
            fontsize=_SMALL,
            color=_INK,
            va="center",
        )


def spread(wanted: Sequence[float] | np.ndarray, gap: float, low: float, high: float) -> np.ndarray:
    """Return places near the wanted ones, which rise, that are `gap` apart and between low and high."""
    places = np.clip(np.array(wanted, dtype=float), low, high)
    if len(places) > 1:
        gap = min(gap, (high - low) / (len(places) - 1))
    for k in range(1, len(places)):
        places[k] = max(places[k], places[k - 1] + gap)
    places[-1] = min(places[-1], high)
    for k in range(len(places) - 2, -1, -1):
        places[k] = min(places[k], places[k + 1] - gap)
    return places


# A matrix of verdicts.


def draw_matrix(matrix: SeparabilityMatrix, ax: Axes | None = None) -> Axes:
    """Draw verdicts on pairs of classes; see :meth:`linsep.SeparabilityMatrix.plot`."""
    count = len(matrix.classes)
    side = 1.6 + 0.62 * (count + 1)
    ax = _axes(ax, (max(6.4, side + 0.4), max(4.8, side)))
    rest = count + 0.3
    ax.set_xlim(-0.5, rest + 0.5)
    ax.set_ylim(count - 0.5, -0.5)
    cell = _points(ax)[0] / (count + 1.3)
    for i, a in enumerate(matrix.classes):
        for j, b in enumerate(matrix.classes):
            if i != j:
                pair = (a, b) if (a, b) in matrix.one_vs_one else (b, a)
                _draw_cell(ax, j, i, matrix.one_vs_one[pair], cell, matrix.cell(*pair))
        _draw_cell(ax, rest, i, matrix.one_vs_rest[a], cell, matrix.cell(a))
    _name_classes(ax, [_cut(str(label), 16) for label in matrix.classes], rest, cell)
    _explain_cells(ax, matrix, cell)
    ax.set_title("Which classes can a hyperplane tell apart?")
    return ax


def _draw_cell(ax: Axes, x: float, y: float, decision: Decision, width: float, margin: str) -> None:
    from matplotlib.patches import Rectangle

    colour, ink, sign = _VERDICTS[decision.verdict]
    ax.add_patch(Rectangle((x - 0.48, y - 0.47), 0.96, 0.94, facecolor=colour, edgecolor="none"))
    word, size = sign, float(np.clip(width / 3.4, 9, 16))
    if width >= _WORDS_FIT:
        word, size = decision.verdict.replace("-", "-\n"), 9
    known = _margin_is_known(decision)
    place = y - 0.16 if known else y
    ax.text(x, place, word, ha="center", va="center", color=ink, fontsize=size)
    if known:
        size = float(np.clip(width / 4, 5, 9))
        ax.text(x, y + 0.24, margin, ha="center", va="center", color=ink, fontsize=size)


def _margin_is_known(decision: Decision) -> bool:
    return decision.separable and decision.margin.lower > 0


def _name_classes(ax: Axes, names: list[str], rest: float, width: float) -> None:
    places = list(range(len(names)))
    ax.set_xticks([*places, rest], [*names, "rest"])
    if 7 * max(map(len, names)) > width:
        for label in ax.get_xticklabels():
            label.set(rotation=30, horizontalalignment="right", rotation_mode="anchor")
    ax.set_yticks(places, names)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _explain_cells(ax: Axes, matrix: SeparabilityMatrix, width: float) -> None:
    decisions = [*matrix.one_vs_one.values(), *matrix.one_vs_rest.values()]
    met = {decision.verdict for decision in decisions} if width < _WORDS_FIT else set()
    notes = [f"{sign} {verdict}" for verdict, (_, _, sign) in _VERDICTS.items() if verdict in met]
    kinds = {decision.margin.kind for decision in decisions if _margin_is_known(decision)}
    notes += [f"numbers: {kind} margin, at least" for kind in sorted(kinds)]
    ax.set_xlabel("   ".join(notes), fontsize=_SMALL)


def _cut(text: str, most: int) -> str:
    return _plain(text if len(text) <= most else text[: most - 1] + "…")


def _plain(text: object) -> str:
    # Matplotlib takes what is between two dollars for a formula.
    return str(text).replace("$", r"\$")


# A hyperplane: of a decision, or of a fit.


def check_kind(kind: str | None, features: int) -> None:
    """Raise a ValueError unless there is such a picture of rows with so many features."""
    if kind is not None and kind not in KINDS:
        raise ValueError(
            f'kind is {kind!r}; expected "plane", "distances", "view", "weights" or None for all'
        )
    if kind == "plane" and features != 2:
        raise ValueError(
            f'kind is "plane", which shows two features, and there are {features:,}; '
            'expected "distances", "view", "weights" or None for all'
        )


def draw_hyperplane(seen: dict[str, Any], kind: str | None, ax: Any) -> Any:
    """Draw what there is to see of a hyperplane; see :meth:`linsep.Decision.plot`."""
    draw = {
        "plane": _draw_plane,
        "distances": _draw_distances,
        "view": _draw_view,
        "weights": _draw_weights,
    }
    if kind is not None:
        ax = _axes(ax)
        draw[kind](seen, ax)
        return ax
    # Of two features the view is the plane, turned.
    first = ("plane", "distances") if seen["features"] == 2 else ("distances", "view")
    kinds = (*first, "weights")
    if ax is None:
        figure, ax = _pyplot().subplots(1, 3, figsize=(15, 4.8), layout="constrained")
        classes = f"{seen['positive']!r} against {seen['negative']!r}"
        figure.suptitle(_plain(f"{seen['verdict']}: {classes}"))
    axes = np.asarray(ax, dtype=object).ravel()
    if len(axes) != len(kinds):
        raise ValueError(
            f"expected three axes for all three pictures, or a kind; found {len(axes)} axes"
        )
    for one, name in zip(axes, kinds, strict=True):
        draw[name](seen, one)
    return axes


def _nothing(ax: Axes, why: str) -> None:
    ax.text(0.5, 0.5, why, ha="center", va="center", transform=ax.transAxes, color=_INK)
    ax.set_xticks([])
    ax.set_yticks([])


def _sides(seen: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return side, name, colour and marker of both classes."""
    return [
        ("negative", _cut(seen["negative"], 24), _NEGATIVE, "o"),
        ("positive", _cut(seen["positive"], 24), _POSITIVE, "^"),
    ]


def _verdict(seen: dict[str, Any]) -> str:
    if not seen["mistakes"]:
        return f"all {seen['rows']:,} rows on their own side"
    return f"{seen['mistakes']:,} of {seen['rows']:,} rows not on their own side"


def _draw_distances(seen: dict[str, Any], ax: Axes) -> None:
    if seen["smallest"] is None:
        return _nothing(ax, "all weights are zero: no distances")
    histogram = seen["histogram"]
    for side, name, colour, _ in _sides(seen):
        counts = np.array(histogram[side])
        ax.stairs(
            counts,
            histogram["edges"],
            fill=True,
            facecolor=colour,
            edgecolor="white",
            linewidth=0,
            hatch="////" if side == "positive" else None,
            alpha=0.85 if side == "negative" else 0.7,
            label=f"{name} ({counts.sum():,})",
        )
    most = max(max(histogram["negative"]), max(histogram["positive"]))
    ax.set_ylabel("rows")
    if most > 200:
        # A single row on the wrong side is worth seeing beside thousands.
        ax.set_yscale("symlog", linthresh=1)
        ax.set_ylabel("rows (logarithmic)")
    # Room for the legend above the bars.
    ax.set_ylim(0, most**1.35 if most > 200 else 1.4 * most)
    _draw_hyperplane(seen, ax)
    ax.legend(fontsize=_SMALL, framealpha=0.9, loc="upper left")
    ax.set_xlabel("signed distance from the hyperplane")
    ax.set_title(_verdict(seen), fontsize=11)


def _draw_hyperplane(seen: dict[str, Any], ax: Axes) -> None:
    """Draw the hyperplane, and on both sides the band without rows, or how far off mistakes are."""
    ax.axvline(0, color=_INK, linewidth=1.4)
    smallest, dashed = seen["smallest"], (0, (4, 3))
    if smallest > 0:
        name = f"no row nearer than {smallest:.3g}"
        ax.axvspan(-smallest, smallest, color=_FAINT, alpha=0.25, linewidth=0, label=name)
    elif smallest < 0:
        name = f"no mistake further off than {-smallest:.3g}"
        ax.plot([], [], color=_INK, linewidth=0.7, linestyle=dashed, label=name)
    for place in {smallest, -smallest} - {0}:
        ax.axvline(place, color=_INK, linewidth=0.7, linestyle=dashed)


def _draw_plane(seen: dict[str, Any], ax: Axes) -> None:
    plane = seen.get("plane")
    if plane is None:
        return _nothing(ax, "values too far apart to be drawn")
    (left, right), (low, high) = plane["frame"]
    ax.set_xlim(left, right)
    ax.set_ylim(low, high)
    if plane["band"]:
        ax.fill(*np.array(plane["band"]).T, color=_FAINT, alpha=0.25, linewidth=0)
    for k, edge in enumerate(plane["edges"]):
        name = None if k else f"no row nearer than {seen['smallest']:.3g}"
        ax.plot(*np.array(edge).T, color=_INK, linewidth=0.7, linestyle=(0, (4, 3)), label=name)
    if plane["line"] is not None:
        ax.plot(*np.array(plane["line"]).T, color=_INK, linewidth=1.4)
    if plane["places"] is not None:
        _draw_places(seen, ax)
    else:
        _draw_cells(seen, ax, plane["cells"], plane["covered"])
    marked = [{**mark, "x": mark["pair"][0], "y": mark["pair"][1]} for mark in seen["marked"]]
    _draw_marks(marked, ax)
    ax.legend(fontsize=_SMALL, framealpha=0.9)
    for axis, value in zip((ax.xaxis, ax.yaxis), plane["values"], strict=True):
        if value is not None:
            # The feature does not vary: nothing around its value means anything.
            axis.set_ticks([value], [f"{value:.10g}"])
    ax.set_xlabel(_cut(seen["names"][0], 40))
    ax.set_ylabel(_cut(seen["names"][1], 40))
    ax.set_title(_verdict(seen), fontsize=11)


def _draw_places(seen: dict[str, Any], ax: Axes) -> None:
    """Draw where rows are: the more in one place, the larger, and their number if there is room."""
    places = seen["plane"]["places"]
    size = float(np.clip(9000 / max(len(places), 1), 8, 28))
    met: dict[tuple[float, float], int] = {}
    for place in places:
        at = place["x"], place["y"]
        met[at] = max(met.get(at, 0), place["count"])
    full = [place["count"] == met[place["x"], place["y"]] for place in places]
    for side, name, colour, marker in _sides(seen):
        own = [k for k, place in enumerate(places) if place["positive"] == (side == "positive")]
        counts = np.array([places[k]["count"] for k in own], dtype=float)
        ax.scatter(
            [places[k]["x"] for k in own],
            [places[k]["y"] for k in own],
            s=np.minimum(size * (1 + np.log2(np.maximum(counts, 1))), 12 * size),
            marker=marker,
            color=colour,
            alpha=0.75,
            linewidths=0,
            # Of two classes in one place, the one with fewer rows is on top.
            zorder=2 if all(full[k] for k in own) else 2.5,
            label=f"{name} ({counts.sum():,.0f})",
        )
    if len(places) <= _MOST_COUNTED:
        for place in places:
            if place["count"] > 1:
                ax.annotate(
                    f"×{place['count']:,}",
                    (place["x"], place["y"]),
                    # To the left: names of rows begin on the right.
                    xytext=(-7, -4),
                    textcoords="offset points",
                    ha="right",
                    va="center",
                    fontsize=_SMALL - 1,
                    color=_INK,
                )


def _draw_view(seen: dict[str, Any], ax: Axes) -> None:
    if seen["smallest"] is None:
        return _nothing(ax, "all weights are zero: no view")
    view = seen["view"]
    # All rows may be on one side: the hyperplane is in the picture all the same.
    ax.set_xlim(*_padded(min(view["x"][0], 0), max(view["x"][1], 0)))
    ax.set_ylim(*_padded(*view["y"]))
    _draw_hyperplane(seen, ax)
    if view["points"] is not None:
        _draw_points(seen, ax)
    else:
        _draw_cells(seen, ax, view["cells"], (view["x"], view["y"]))
    _draw_marks(seen["marked"], ax)
    ax.legend(fontsize=_SMALL, framealpha=0.9)
    ax.set_xlabel("signed distance from the hyperplane")
    flat = view.get("flat", False)
    ax.set_ylabel("rows, apart to be seen" if flat else "direction of largest spread within it")
    ax.set_title(f"{seen['rows']:,} rows x {seen['features']:,} features", fontsize=11)


def _padded(low: float, high: float) -> tuple[float, float]:
    room = 0.06 * (high - low) or 1.0
    return low - room, high + room


def _draw_points(seen: dict[str, Any], ax: Axes) -> None:
    points = seen["view"]["points"]
    size = float(np.clip(9000 / max(len(points), 1), 8, 28))
    for side, name, colour, marker in _sides(seen):
        own = [point for point in points if point["positive"] == (side == "positive")]
        ax.scatter(
            [point["x"] for point in own],
            [point["y"] for point in own],
            s=size,
            marker=marker,
            color=colour,
            alpha=0.75,
            linewidths=0,
            label=name,
        )


def _draw_cells(seen: dict[str, Any], ax: Axes, cells: dict[str, Any], covered: Any) -> None:
    """Colour each cell by the mixture of classes in it; the fuller, the less transparent."""
    from matplotlib.colors import to_rgb

    image = np.zeros((cells["rows"], cells["columns"], 4))
    if cells["filled"]:
        column, row, negatives, positives = np.array(cells["filled"], dtype=int).T
        count = negatives + positives
        share = (positives / count)[:, None]
        image[row, column, :3] = (1 - share) * to_rgb(_NEGATIVE) + share * np.array(to_rgb(_POSITIVE))
        image[row, column, 3] = 0.3 + 0.7 * np.log1p(count) / np.log1p(count.max())
    limits = ax.get_xlim(), ax.get_ylim()
    ax.imshow(image, extent=(*covered[0], *covered[1]), origin="lower", aspect="auto", zorder=1.5)
    ax.set_xlim(*limits[0])
    ax.set_ylim(*limits[1])
    for _, name, colour, _ in _sides(seen):
        ax.scatter([], [], marker="s", color=colour, label=name)


def _draw_marks(marked: list[dict[str, Any]], ax: Axes) -> None:
    for why, (outline, meaning) in _MARKS.items():
        rows = [mark for mark in marked if why in mark["why"]]
        if why == "nearest":
            # Of a row that is marked anyway it says nothing more.
            rows = [mark for mark in rows if mark["why"] == [why]]
        if rows:
            ax.scatter(
                [mark["x"] for mark in rows],
                [mark["y"] for mark in rows],
                s=75 if why == "nearest" else 95,
                marker=outline,
                facecolors="none",
                edgecolors=_INK,
                linewidths=1.1,
                zorder=4,
                label=f"{meaning} ({len(rows):,})" if len(rows) > 1 else meaning,
            )
    # Those to look at first: suspects, then what rules a separation out.
    rank = {"suspect": 0, "conflict": 1, "nearest": 2}
    chosen = sorted(marked, key=lambda mark: min(rank.get(why, 3) for why in mark["why"]))
    _label_points(ax, [(mark["x"], mark["y"], mark["name"]) for mark in chosen[:_MOST_LABELS]])


def _label_points(ax: Axes, labels: list[tuple[float, float, str]]) -> None:
    """Write labels beside points, each in the first free place around its point."""
    from matplotlib.patheffects import withStroke

    scale = ax.figure.dpi / 72
    height = 1.25 * _SMALL * scale
    frame = ax.get_window_extent()
    at = ax.transData.transform([label[:2] for label in labels]) if labels else np.empty((0, 2))
    # No label covers the mark of another row.
    reach = 7 * scale
    taken = [(x - reach, y - reach, x + reach, y + reach) for x, y in at]
    for (px, py), (x, y, name) in zip(at, labels, strict=True):
        text = _cut(name, 20)
        width = 0.65 * _SMALL * scale * len(text)
        for dx, dy in _around(scale):
            left = px + dx if dx > 0 else px + dx - width
            box = (left, py + dy - height / 2, left + width, py + dy + height / 2)
            inside = box[0] > frame.x0 and box[2] < frame.x1 and box[1] > frame.y0 and box[3] < frame.y1
            if inside and not any(_overlap(box, other) for other in taken):
                break
        else:
            # No place is free: the mark itself stays.
            continue
        taken.append(box)
        ax.annotate(
            text,
            xy=(x, y),
            xytext=(dx / scale, dy / scale),
            textcoords="offset points",
            ha="left" if dx > 0 else "right",
            va="center",
            fontsize=_SMALL,
            color=_INK,
            zorder=5,
            path_effects=[withStroke(linewidth=2, foreground="white")],
            arrowprops={"arrowstyle": "-", "color": _INK, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 5},
        )


def _around(scale: float) -> list[tuple[float, float]]:
    """Return places around a point, the near ones first."""
    steps = [(10, 8), (10, -8), (-10, 8), (-10, -8), (14, 20), (14, -20), (-14, 20), (-14, -20)]
    steps += [(side * 18, rise * far) for far in (34, 48, 64) for side in (1, -1) for rise in (1, -1)]
    return [(dx * scale, dy * scale) for dx, dy in steps]


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _draw_weights(seen: dict[str, Any], ax: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    weights = seen["weights"][:_MOST_BARS]
    if not weights:
        return _nothing(ax, "no weights")
    places = np.arange(len(weights))
    values = np.array([weight["scaled"] for weight in weights])
    for side, name, colour, _ in _sides(seen):
        own = values > 0 if side == "positive" else values <= 0
        if own.any():
            ax.barh(
                places[own],
                values[own],
                height=0.75,
                color=colour,
                hatch="////" if side == "positive" else None,
                edgecolor="white",
                linewidth=0,
                label=f"more of it: {name}",
            )
    size = float(np.clip(_points(ax)[1] / (1.4 * len(weights)), 5, 9))
    ax.set_yticks(places, [_cut(weight["feature"], 22) for weight in weights], fontsize=size)
    ax.set_ylim(len(weights) - 0.4, -0.6)
    ax.axvline(0, color=_INK, linewidth=1)
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.set_xlabel("weight times spread of the feature")
    more = seen["features"] - len(weights)
    ax.set_title(
        f"the {len(weights)} largest of {seen['features']:,} weights" if more > 0 else "weights",
        fontsize=11,
    )
    ax.legend(fontsize=_SMALL, framealpha=0.9)
