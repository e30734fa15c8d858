"""Cost as rows and as features grow: docs/cost.svg, and the fitted slopes.

    python benches/peers/chart.py

The paper's data, CPU time on one thread. A line of peers is the fastest of the settings of its kind that
left no mistake at that size.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import shapes
from cells import markdown
from records import OUR_MAX, OURS, TOP, Records, separates

# Lines: label, how the names of entrants begin, colour, marker.
LINES = [
    ("linsep decide", (OURS,), "#1b6ca8", "o"),
    ("linsep decide, largest margin", (OUR_MAX["angular"],), "#5aa9e6", "s"),
    ("logistic regression, L-BFGS", ("logistic lbfgs",), "#c1440e", "^"),
    ("linear SVM, LIBLINEAR", ("LinearSVC", "LIBLINEAR"), "#e0a030", "v"),
    ("linear program, HiGHS", ("HiGHS",), "#6b6b6b", "D"),
    ("largest margin, Clarabel", ("Clarabel, angular",), "#9a5fb5", "P"),
]


def sizes(fixed: str, value: int) -> list[shapes.Shape]:
    """Return the shapes of the paper's kind in which rows or features are `value`, by size."""
    found = [s for s in shapes.SHAPES if s.group in ("paper", "growth") and getattr(s, fixed) == value]
    return sorted(found, key=lambda shape: shape.values)


def points(
    records: Records, line: tuple, along: list[shapes.Shape], axis: str
) -> list[tuple[int, float]]:
    """Return sizes and times of a line where there are any."""
    _, names, _, _ = line
    found = []
    for shape in along:
        if names[0] in (OURS, OUR_MAX["angular"]):
            run = records.get(shape.name, names[0])
            if run["state"] == "done":
                found.append((getattr(shape, axis), run["cpu"]))
            continue
        best = records.best_peer(shape.name, separates, names=names)
        if best is not None:
            found.append((getattr(shape, axis), best[1]["cpu"]))
    return found


def slope(found: list[tuple[int, float]]) -> float | None:
    """Return the exponent of growth, fitted by least squares on the logarithms."""
    if len(found) < 3:
        return None
    x, t = np.log(np.array(found, dtype=float)).T
    return float(np.polyfit(x, t, 1)[0])


def panels(records: Records) -> list[tuple[str, str, list]]:
    """Return the two panels: title, axis, and each line with its points."""
    wanted = [
        ("100 features, rows grow", "rows", sizes("features", 100)),
        ("10,000 rows, features grow", "features", sizes("rows", 10_000)),
    ]
    return [
        (title, axis, [(line, points(records, line, along, axis)) for line in LINES])
        for title, axis, along in wanted
    ]


def slopes(records: Records) -> str:
    """Return the fitted exponents as a table."""
    rows = [[line[0]] for line in LINES]
    for _, _, lines in panels(records):
        for cells, (_, found) in zip(rows, lines, strict=True):
            fit = slope(found)
            cells += ["–" if fit is None else f"{fit:.2f}", f"{found[-1][0]:,}" if found else "–"]
    head = ["entrant", "rows to the power", "up to rows", "features to the power", "up to features"]
    return markdown(head, rows)


def draw(records: Records, path: Path) -> None:
    """Draw both panels."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    # Text stays text, and no date or random id changes the file.
    pyplot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "linsep", "font.size": 10})
    figure, axes = pyplot.subplots(1, 2, figsize=(10.5, 4.6), sharey=True)
    for ax, (title, axis, lines) in zip(axes, panels(records), strict=True):
        for (label, _, colour, marker), found in lines:
            if not found:
                continue
            x, t = zip(*found, strict=True)
            # The largest margin often costs no more than any: its dashes lie on the other line.
            most = "largest margin" in label
            style = {"linewidth": 2.4 if label.startswith("linsep") else 1.4, "markersize": 5}
            style |= {"linestyle": "--" if most else "-", "color": colour, "marker": marker}
            ax.plot(x, t, label=label, **style)
            if slope(found) is not None:
                place = {"textcoords": "offset points", "xytext": (6, 5 if most else -5), "fontsize": 9}
                ax.annotate(f"{slope(found):.2f}", (x[-1], t[-1]), color=colour, **place)
        ax.set(xscale="log", yscale="log", title=title, xlabel=axis)
        ax.grid(True, which="major", color="#e4e4e4")
        ax.margins(x=0.1, y=0.1)
    axes[0].set_ylabel("CPU seconds, one thread")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=3, frameon=False)
    figure.tight_layout(rect=(0, 0.12, 1, 1))
    figure.savefig(path, metadata={"Date": None})


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--results", type=Path, default=TOP / "target" / "peers" / "results.jsonl")
    parser.add_argument("-o", "--output", type=Path, default=TOP / "docs" / "cost.svg")
    options = parser.parse_args(arguments)
    records = Records.read(options.results)
    draw(records, options.output)
    print(slopes(records))


if __name__ == "__main__":
    main()
