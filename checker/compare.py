"""Holds linsep_check.py against `linsep verify`: on random proofs, and on forgeries of them.

    python3 compare.py path/to/linsep [--seed 1] [--count 100] [--forgeries 12]

Makes tables, lets linsep prove what it finds, and shows each proof and its forgeries to both: they
have to agree on what is valid. Counted apart is what differs by rounding alone: linsep counts its
own against bounds and matrices that hold, and older angular bounds depend on how it rounds lengths.
Exits with 1 if they disagree about anything else.
"""
# ruff: noqa: B905 (zip of Python 3.9 has no `strict`)

import argparse
import copy
import json
import math
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import linsep_check  # noqa: E402

WORDS = ("separable", "inseparable", "quasi-separable", "not-strictly-separable", "angular")
WORDS += ("geometric", "binomial", "poisson", "cox", "cumulative", "adjacent", "exact")


def make_table(rng, n, d):
    """Rows as tables have them, ugly ones too, and for each a score along some direction."""
    choices = ([0.0, 1.0], [0.0, 5e-324, -5e-324, 1e-310], [0.0, 1e300, -1e300, 1e-5], [1.5])
    choices += (range(-3, 4), range(-3, 4), range(99), [k / 10 for k in range(10)])
    columns = []
    while len(columns) < d:
        few = [float(v) for v in rng.choices(rng.choice(choices), k=n)]
        k, (a, b) = rng.randrange(3), rng.choices(columns or [few], k=2)
        times, mixed = [1.6e9 + v * 1e5 for v in few], [p + k * q for p, q in zip(a, b)]
        columns.append(rng.choice([few, few, times, mixed, [rng.gauss(0, 1) for _ in few]]))
    weights = [rng.gauss(0, 1) / (max(map(abs, values)) or 1.0) for values in columns]
    rows = list(zip(*columns))
    return rows, [sum(w * v for w, v in zip(weights, row)) for row in rows]


def npy(shape, values):
    header = str({"descr": "<f8", "fortran_order": False, "shape": shape}) + "\n"
    begin = b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode()
    return begin + struct.pack(f"<{len(values)}d", *values)


def write_table(rng, folder, names, rows, more):
    """The file: with commas, or sometimes of another kind if labels are all there is beside rows."""
    path = folder / f"data.{rng.choice(['csv', 'csv', 'npy', 'svm']) if [*more] == ['label'] else 'csv'}"
    lines = [[*map(repr, row), *map(str, cells)] for row, *cells in zip(rows, *more.values())]
    lines = [",".join(line) for line in [[*names, *more], *lines]]
    if path.suffix == ".svm":
        base, zeros = rng.choice([0, 1]), rng.choice([0, 0.2])
        pairs = [[f"{k}:{v}" for k, v in enumerate(x, base) if v or rng.random() < zeros] for x in rows]
        lines = [" ".join([str(y), *row, "# a row"]) for y, row in zip(more["label"], pairs)]
    if path.suffix == ".npy":
        path.with_suffix(".labels.npy").write_bytes(npy((len(rows),), more["label"]))
        path.write_bytes(npy((len(rows), len(rows[0])), [v for row in rows for v in row]))
    else:
        path.write_text("\n".join(lines) + "\n")
    return path


def ask_plain(rng, folder):
    """A question about rows as they stand: the file, the command, and options of both commands."""
    n, d, big = rng.randrange(2, 40), rng.choice([1, 2, 2, 3, 4, 5, 8, 12]), rng.random() < 0.03
    n, d = (rng.randrange(80, 250), rng.randrange(20, 40)) if big else (n, d)
    rows, score = make_table(rng, n, d)
    noise, middle = rng.choice([0, 0, 0.1, 1, 100]), sorted(score)[rng.choice([0, n // 2, n // 2])]
    labels = [0, 1, *(int(s + rng.gauss(0, noise) > middle) for s in score[2:])]
    kind = rng.choice(["angular", "geometric"])
    command = ["decide", *["--margin", "max", "--margin-kind", kind] * (rng.random() < 0.3)]
    command += ["--conflict", "exact"] * (rng.random() < 0.2)
    command += rng.choice([["--explain"] * (not big), ["--max-passes", "2"], [], [], [], []])
    path = write_table(rng, folder, [f"x{k}" for k in range(d)], rows, {"label": labels})
    return path, command, {"positive": "0"} if rng.random() < 0.1 else {}


def ask_model(rng, folder):
    """A question about a model: the file, the command, and options of both commands."""
    family, n = rng.choice([*linsep_check.OPTION]), rng.randrange(4, 25)
    rows, score = make_table(rng, n, rng.choice([1, 1, 2, 3, 4]))
    rows = [(*row, 1.0) for row in rows] if rng.random() < 0.2 else rows
    names, noise = [f"x{k}" for k in range(len(rows[0]))], rng.choice([0, 0.1, 1, 100])
    given, more = {"model": family, "features": ",".join(names)}, {}
    cuts = [rng.choice(score) for _ in range(rng.choice([1, 2, 3]))]
    level = [sum(s + rng.gauss(0, noise) > cut for cut in cuts) for s in score]
    if family in ("binomial", "log-binomial", "conditional"):
        level = [0, 1, *(min(y, 1) for y in level[2:])]
    option = {"intercept": "no_intercept", "parallel": "not_parallel"}.get(linsep_check.OPTION[family])
    if option and rng.random() < 0.4:
        given[option] = True
    if family == "conditional" or (family == "cox" and rng.random() < 0.4):
        more["groups"] = [rng.choice([2, 10, 1]) for _ in range(n)]
    if rng.random() < 0.2:
        more["weights"] = [rng.choice([0, 1, 2.5]) for _ in range(n)]
    if family == "cox":
        given["ties"] = rng.choice(["breslow", "efron", "exact"])
        more["time"] = [rng.randrange(1, rng.choice([4, 20])) for _ in range(n)]
        if rng.random() < 0.8:
            more["event"] = [int(rng.random() < 0.6) for _ in range(n)]
        if rng.random() < 0.4:
            more["entry"] = [t - rng.randrange(1, 9) for t in more["time"]]
    path = write_table(rng, folder, names, rows, {**more, "label": level})
    if path.suffix != ".csv":  # there are no names
        del given["features"]
    return path, ["separation"], {**given, **{name: name for name in more}}


def places(thing, path=()):
    """All places of a JSON value, each as the keys that lead to it."""
    yield path
    inside = range(len(thing)) if isinstance(thing, list) else thing
    for key in inside if isinstance(thing, (dict, list)) else ():
        yield from places(thing[key], (*path, key))


def other(rng, value):
    """Something else in the place of a value of a proof."""
    if isinstance(value, (bool, int)) or value is None:
        k = int(value or 0)
        return rng.choice([not value, {}, *[k + 1, k - 1, k + 2, 1] * 4, 0, float(k), 10**9])
    if isinstance(value, float):
        near = [math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
        return rng.choice([*near, -value, 0.0, value * 2, value / 2, str(value), math.nan, 1e-310])
    if isinstance(value, str) and value.lstrip("-").isdigit():
        k = int(value)
        return rng.choice([str(k + 1), str(k - 1), str(-k), "0", "", "+1", "1.5", " 1", "01", k])
    if isinstance(value, str):
        return rng.choice([*WORDS, value[::-1], 1])
    if isinstance(value, list):
        i = rng.randrange(len(value) or 1)
        changed = [value[:i] + value[i + 1 :], value + value[i : i + 1], value[i:] + value[:i]]
        return rng.choice([*changed * 3, [], {}, [1], ["1"], [["0"]]])
    gone = rng.choice([*value, "none"])
    fields = {name: part for name, part in value.items() if name != gone}
    extra = rng.choice(["extra", "margin", "removal", "orthogonal", "constant", "matrix", "none"])
    return {**fields, **rng.choice([{}, {extra: rng.choice([[], {}])}])}


def forged(rng, proof):
    """A proof with one or two of its parts changed, single numbers or whole lists and objects."""
    proof = copy.deepcopy(proof)
    for _ in range(rng.choice([1, 1, 2])):
        depth = rng.choice([1, 2, 3, 4, 5, 6])
        *path, key = rng.choice([path for path in places(proof) if 1 <= len(path) <= depth])
        inside = proof
        for step in path:
            inside = inside[step]
        inside[key] = other(rng, inside[key])
    return proof


def neighbour(rng, given):
    """The same data with another question about it, of a model of the same family or of none."""
    option = {"intercept": "no_intercept", "parallel": "not_parallel", "ties": "ties"}
    option = option.get(linsep_check.OPTION.get(given.get("model", "binomial")))
    less = {name: value for name, value in given.items() if name != option}
    if option is None or rng.random() < 0.3:
        return {name: value for name, value in given.items() if name == "features"}
    return less if option in given else {**less, option: option != "ties" or "exact"}


def other_data(rng, path, given, proof):
    """Changes a line of a CSV file, and the fingerprint of the proof to that of the new data."""
    lines = path.read_text().splitlines()
    i = rng.randrange(1, len(lines))
    cells = lines[i].split(",")
    k = rng.randrange(len(cells))
    cells[k] = rng.choice(["0", "1", cells[k].lstrip("-"), "-" + cells[k]])
    changed = [*lines[:i], ",".join(cells), *lines[i + 1 :]]
    lines = rng.choice([changed, changed[:3] + changed[4:], [lines[0], *lines[i:], *lines[1:i]]])
    path.write_text("\n".join(lines) + "\n")
    options = argparse.Namespace(**{**dict.fromkeys(linsep_check.OPTIONS), **given})
    try:
        x, cells = linsep_check.read_data(path, options)
        print_of = linsep_check.fingerprint(x, linsep_check.two_classes(cells, options))
    except ValueError:
        return proof
    return {**proof, "data": {"rows": len(x), "features": len(x[0]), "fingerprint": print_of}}


def words_of(given):
    pairs = (("--" + name.replace("_", "-"), value) for name, value in given.items())
    return [word for pair in pairs for word in pair if word is not True]


def ask_both(linsep, data, proof, given):
    """The status of each checker, what each says, and whether rounding may tell them apart."""
    try:
        own, said = 0, "; ".join(linsep_check.check(data, proof, **given))
    except linsep_check.Refused as reason:
        own, said = 1, str(reason)
    except Exception as problem:  # whatever the file holds
        own, said = 2, f"{type(problem).__name__}: {problem}"
    words = [linsep, "verify", data, proof, "-q", *words_of(given)]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace")
    answer = (done.stdout + done.stderr).strip()
    lifted = said == "`upper` is too low" and '"version":6' not in Path(proof).read_text("utf-8")
    stricter = own == 0 and done.returncode == 1 and ("be confirmed" in answer or "definite" in answer)
    return own, said, done.returncode, answer, stricter or lifted


def compare(seed, linsep, folder, counts, forgeries=12):
    """One table, its proof and its forgeries. Prints what the two checkers disagree about."""
    rng = random.Random(seed)
    path, command, given = (ask_plain if rng.random() < 0.6 else ask_model)(rng, folder)
    proof = folder / "proof.json"
    words = [linsep, *command, path, "--proof", proof, "-q", *words_of(given)]
    subprocess.run(words, capture_output=True)
    if not proof.exists():
        return counts.update({"no proof": counts.get("no proof", 0) + 1})
    original = json.loads(proof.read_text())
    trials = [("proof", original, given), ("question", original, neighbour(rng, given))]
    trials += [("forgery", forged(rng, original), given) for _ in range(forgeries)]
    if path.suffix == ".csv" and "model" not in given:
        trials += [("other data", original, given)] * 3
    for kind, content, asked in trials:
        if kind == "other data":
            content = other_data(rng, path, given, content)
        proof.write_text(json.dumps(content))
        own, said, status, answer, rounding = ask_both(linsep, path, proof, asked)
        agree = (own == 0) == (status == 0) and (kind != "proof" or own == 0)
        word = "agreed" if agree else "rounding" if rounding else "DISAGREED"
        name = f"{kind}: {word}, linsep says {['valid', 'refused', 'error'][min(status, 2)]}"
        counts[name] = counts.get(name, 0) + 1
        if not agree and not rounding:
            print(f"seed {seed}, {kind} {asked}: here {own} {said!r}, linsep {status} {answer!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("linsep")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--forgeries", type=int, default=12, help="of each proof")
    given, counts = parser.parse_args(), {}
    for seed in range(given.seed, given.seed + given.count):
        with tempfile.TemporaryDirectory() as folder:
            compare(seed, given.linsep, Path(folder), counts, given.forgeries)
    print("\n".join(f"{counts[name]:8,}  {name}" for name in sorted(counts)))
    return any("DISAGREED" in name for name in counts)


if __name__ == "__main__":
    sys.exit(main())
