"""Tables of the results, in Markdown.

python benches/peers/tables.py            prints them
python benches/peers/tables.py --write    fills them in: COMPARE.md and results.md beside
                                          this file, between <!-- table: NAME --> and <!-- end -->
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

import entrants
import shapes
from cells import margin, markdown, over_ours, peer, ratio, seconds, size, time_of, verdict
from chart import slopes
from child import HERE
from entrants.entrant import NOT_SEPARABLE, SEPARABLE
from records import OUR_MAX, OURS, SAME_MARGIN, TOP, Records, says, separates, title

# A tiny set is there in tests only.
QUESTIONS = ("paper", "sparse", "mnist", "real", "tiny")


def machine(records: Records) -> str:
    """Return the line that says where the figures come from."""
    found = records.machine
    if not found:
        return "No results yet: `make bench-peers`."
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items() if version)
    cores = f"{found['cores']} cores ({found['cpu']}), {found['memory'] / 2**30:.0f} GiB"
    return f"{cores}; Python {found['python']}, {versions}."


def settings(records: Records) -> str:
    rows = [[e.name, e.settings, e.why] for e in entrants.ENTRANTS]
    return markdown(["entrant", "settings", "why"], rows)


def any_margin(records: Records) -> str:
    """Return who separates, or says that nothing does, and in what time."""
    rows = []
    for data in records.data_sets(*QUESTIONS):
        ours = records.get(data, OURS)
        truth = records.truth(data)
        cells = [title(data), truth or "not known"]
        for by in ("cpu", "whole"):
            best = peer(records.best_peer(data, separates, by), ours, by)
            cells += [time_of(ours, by), "–" if truth == NOT_SEPARABLE else best]
        rows.append([*cells, peer(records.best_peer(data, says(truth)), ours)])
    head = ["data", "truth", "`decide`", "best peer without mistakes"]
    head += [
        "`decide`, reading included",
        "best peer, reading included",
        "best peer with the right verdict",
    ]
    return markdown(head, rows)


def largest_margin(records: Records) -> str:
    """Return what the largest margin costs, here and elsewhere."""
    rows = []
    for data in records.data_sets(*QUESTIONS):
        if records.truth(data) == NOT_SEPARABLE:
            continue
        for kind, name in OUR_MAX.items():
            ours = records.get(data, name)
            reached = margin(records, data, kind, ours)
            short = f", reaches {reached} of it" if reached not in ("1", "–") else ""
            cells = [title(data), kind, time_of(ours) + short]
            once = records.get(data, OURS).get("cpu")
            cells.append(ratio(ours.get("cpu"), once) if ours["state"] == "done" else "–")
            for within in (SAME_MARGIN, 1e-3):
                cells.append(peer(records.best_peer(data, records.reaches(data, kind, within)), ours))
            rows.append(cells)
    head = ["data", "kind", "`decide --margin max`", "times `any`", "best peer with the same margin"]
    return markdown([*head, "best peer within 0.1 %"], rows)


def flipped(records: Records) -> str:
    """Return what wrong labels cost."""
    rows = []
    for data in records.data_sets(*QUESTIONS):
        dirty = data + shapes.FLIPPED
        runs = records.get(data, OURS), records.get(dirty, OURS)
        if data.endswith(shapes.FLIPPED) or any("cpu" not in run for run in runs):
            continue
        verdicts = [run["note"].partition(",")[0] for run in runs]
        rows.append([title(data), *verdicts, ratio(runs[1]["cpu"], runs[0]["cpu"])])
    return markdown(["data", "as it is", "1 % flipped", "time, flipped over as it is"], rows)


def all_cores(records: Records) -> str:
    """Return wall times on all cores."""
    cores = records.machine.get("cores", 1)
    rows = []
    for data in records.data_sets(*QUESTIONS):
        ours = records.get(data, OURS, cores)
        if "wall" not in ours or cores == 1:
            continue
        alone = records.get(data, OURS)
        best = records.best_peer(data, separates, "wall", cores)
        rows.append([title(data), seconds(ours["wall"]), ratio(alone["wall"], ours["wall"])])
        rows[-1].append(peer(best, ours, "wall") if records.truth(data) == SEPARABLE else "–")
    head = ["data", "`decide`, wall", "one thread over all cores", "best peer without mistakes"]
    return markdown(head, rows)


def _cell(run: dict, ours: dict) -> str:
    if run["state"] == "not run":
        return "·"
    if run["state"] != "done":
        left = run.get("mistakes")
        return "over" + (f", {left:,} left" if left else "") if run["state"] != "failed" else "failed"
    left = run.get("mistakes")
    return ratio(run["cpu"], ours.get("cpu")) + (f", {left:,} left" if left else "")


def matrix(records: Records) -> str:
    """Return all entrants on all made data: time over ours, and mistakes left."""
    sets = [
        data for data in records.data_sets("paper", "sparse", "mnist", "tiny") if "flipped" not in data
    ]
    rows = []
    for entrant in entrants.ENTRANTS:
        runs = [(records.get(data, entrant.name), records.get(data, OURS)) for data in sets]
        rows.append([entrant.name, *(_cell(*pair) for pair in runs)])
    return markdown(["entrant", *map(title, sets)], rows)


def everything(records: Records) -> str:
    """Return one table per data set with all that was measured."""
    parts = []
    head = ["entrant", "mistakes left", "verdict", "CPU", "over `decide`", "CPU, reading included"]
    head += ["peak memory above the data", "angular margin", "geometric margin"]
    for data in records.data_sets(*QUESTIONS):
        truth = records.truth(data)
        once = records.get(data, OURS).get("cpu")
        rows = []
        for entrant, run in records.of(data):
            left = run.get("mistakes")
            done = run["state"] == "done"
            rows.append(
                [entrant.name, "–" if left is None else f"{left:,}", verdict(run, truth), time_of(run)]
                + [ratio(run.get("cpu"), once) if done else "–", time_of(run, "whole") if done else "–"]
                + [size(run["peak"]) if "peak" in run else "–"]
                + [margin(records, data, kind, run) for kind in OUR_MAX]
            )
        parts.append(f"## {title(data)}\n\nTruth: {truth or 'not known'}.\n\n{markdown(head, rows)}")
    return "\n\n".join(parts)


def readme(records: Records) -> str:
    """Return the few lines that stand first."""
    rows = []
    for data in records.data_sets("paper", "sparse", "tiny"):
        if data.endswith(shapes.FLIPPED):
            continue
        ours, most = records.get(data, OURS), records.get(data, OUR_MAX["angular"])
        same = records.reaches(data, "angular", SAME_MARGIN)
        wrong = records.get(data + shapes.FLIPPED, OURS)
        cells = [title(data), time_of(ours), peer(records.best_peer(data, separates), ours)]
        cells += [
            over_ours(most, ours),
            peer(records.best_peer(data, same), most),
            over_ours(wrong, ours),
        ]
        rows.append(cells)
    head = ["data", "`decide`", "best peer without mistakes", "`--margin max`"]
    return markdown([*head, "best peer with that margin", "1 % of labels flipped"], rows)


TABLES: dict[str, Callable[[Records], str]] = {
    "machine": machine,
    "settings": settings,
    "any": any_margin,
    "max": largest_margin,
    "flipped": flipped,
    "cores": all_cores,
    "matrix": matrix,
    "slopes": slopes,
    "everything": everything,
    "readme": readme,
}


def fill(text: str, records: Records) -> str:
    """Return a document with its tables written anew."""

    def written(place: re.Match) -> str:
        return f"{place[1]}\n{TABLES[place[2]](records)}\n{place[3]}"

    return re.sub(r"(<!-- table: (\w+) -->)\n.*?(<!-- end -->)", written, text, flags=re.DOTALL)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="fill in the documents")
    parser.add_argument("--results", type=Path, default=TOP / "target" / "peers" / "results.jsonl")
    parser.add_argument("tables", nargs="*", help="which to print: " + ", ".join(TABLES))
    options = parser.parse_args(arguments)
    records = Records.read(options.results)
    if not options.write:
        print("\n\n".join(TABLES[name](records) for name in options.tables or TABLES))
        return
    for document in (TOP / "COMPARE.md", HERE / "results.md"):
        document.write_text(fill(document.read_text(), records))


if __name__ == "__main__":
    main()
