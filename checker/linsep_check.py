"""Checks a proof file of linsep against its data: exactly, and with code of its own (PROOFS.md).

python3 linsep_check.py DATA PROOF [--model ...] says "valid: ..." (status 0), "refused: ..." (1), or
"error: ..." (2) for what cannot be read. DATA is a table of numbers with commas, X.npy in C order with
its labels in X.labels.npy, or libsvm text (.libsvm, .svm). Not here: words, missing values, one class,
folders of proofs, and the options --trials, --levels, --event-value and --absorb.
"""
# ruff: noqa: B905 (zip of Python 3.9 has no `strict`)

import argparse
import ast
import csv
import json
import math
import re
import struct
import sys
from fractions import Fraction
from pathlib import Path

Refused = AssertionError  # the proof does not show what it claims, or speaks of another question
SIGNED = ("binomial", "log-binomial", "poisson", "negative-binomial")  # their vectors are x and -x
THRESHOLDS = ("cumulative", "sequential")
OPTION = {**dict.fromkeys((*SIGNED, "multinomial"), "intercept"), "conditional": None, "cox": "ties"}
OPTION.update(dict.fromkeys((*THRESHOLDS, "adjacent"), "parallel"))
COLUMNS = ("weights", "groups", "time", "event", "entry")
OPTIONS = ("label", "positive", "features", "model", "ties", "no_intercept", "not_parallel", *COLUMNS)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
NPY = dict(zip("<f8 <f4 <i8 <i4 <i2 |i1 <u8 <u4 <u2 |u1 |b1".split(), "dfqihbQIHBB"))  # as in struct
getattr(sys, "set_int_max_str_digits", int)(4_000_001)  # newer versions of Python stop at 4,300
# What stands in a file: int is a place or a count, INTEGER a string, (kind,) may be left out.
INTEGER = re.compile("-?[0-9]{1,4000000}")
CONFLICT = [{"row": int, "multiplier": INTEGER}]
MATRIX = {"rows": [int], "weights": [float], "left_out": [int], "first": [int]}
MARGIN = {"kind": str, "lower": float, "upper": float, "upper_rows": [{"row": int, "weight": float}]}
FILE = {"format": str, "version": int, "data": {"rows": int, "features": int, "fingerprint": str}}
FILE.update(claim=dict, model=({"model": dict, "constant": (int,), "allowed": ([INTEGER],)},))
FILE.update(margin=(MARGIN,), removal=({"rows": [int], "hyperplane": dict, "conflicts": [CONFLICT]},))
SHOWN = {"conflict": (CONFLICT,), "matrix": (MATRIX,), "orthogonal": ([[INTEGER]],)}
CLAIMS = {"separable": {"hyperplane": dict}, "quasi-separable": {"hyperplane": dict, **SHOWN}}
CLAIMS.update({"inseparable": SHOWN, "not-strictly-separable": SHOWN})


def need(condition, reason, error=Refused):  # a ValueError if something cannot be read
    if not condition:
        raise error(reason)


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def scaled(values):  # the integers v 2^s of numbers v, and the smallest such s
    ratios = [value.as_integer_ratio() for value in values]
    s = max((q.bit_length() for p, q in ratios), default=1) - 1
    return [(p << s) // q for p, q in ratios], s


def to_float(cell):
    good = NUMBER.fullmatch(cell) and math.isfinite(float(cell))
    good = good and (not cell.lstrip("+-").isdigit() or int(cell) == float(cell))
    need(good, f"not a number, or an integer that f64 does not hold: {cell!r}", ValueError)
    return float(cell)


def to_label(cell):  # 1, +1 and 1.0 are the same label; numbers stand before words
    return (0, to_float(cell), "") if NUMBER.fullmatch(cell) else (1, 0.0, cell)


def read_npy(path):  # rows of cells; those of a vector have one each
    content = path.read_bytes()
    start = 10 if content[6] == 1 else 12
    end = start + int.from_bytes(content[8:start], "little")
    header = ast.literal_eval(content[start : min(end, 2**15)].decode("latin-1"))
    kind, (n, d) = NPY.get(str(header["descr"])), (*header["shape"], 1)[:2]
    good = kind and not header["fortran_order"] and len(content) - end == n * d * struct.calcsize(kind)
    need(good, f"cannot read {path.name}: save it as C-ordered float64", ValueError)
    return [[str(v) for v in row] for row in struct.iter_unpack(f"<{d}{kind}", content[end:])]


def read_libsvm(path):  # rows of cells, the label last
    lines = [line.split("#")[0].split() for line in path.read_text("utf-8").splitlines()]
    table = []
    for line in filter(None, lines):
        [label], *pairs = [word.split(":") for word in line]
        row = {read(index, INTEGER): value for index, value in pairs}
        need(len(row) == len(pairs) and [-1, *row] == sorted({-1, *row}), "an index falls", ValueError)
        table.append((row, label))
    used = [index for row, label in table for index in row]
    every = range(min([1, *used]), max(used) + 1)
    need(len(table) * len(every) <= 10**8, "more than 10^8 cells", ValueError)
    return [[*(row.get(index, "0") for index in every), label] for row, label in table]


def read_data(path, options):  # the rows x, and the columns of cells beside them by what they are for
    names = []
    if path.suffix == ".npy":
        x, labels = read_npy(path), read_npy(path.with_suffix(".labels.npy"))
        need(len(x) == len(labels), "expected one label per row", ValueError)
        rows = [[*row, label] for row, [label] in zip(x, labels)]
    elif path.suffix in (".libsvm", ".svm"):
        rows = read_libsvm(path)
    else:
        lines = csv.reader(path.read_text("utf-8-sig").splitlines())
        rows = [[cell.strip() for cell in line] for line in lines if any(line)]
        names = [] if any(NUMBER.fullmatch(cell) for cell in rows[0]) else rows.pop(0)
    need(len({len(row) for row in rows}) == 1, "expected rows of one length", ValueError)
    columns = list(zip(*rows))
    place = {str(k + 1): k for k in range(len(columns))}
    place.update({name: k for k, name in enumerate(names)})
    used = {key: place[getattr(options, key)] for key in COLUMNS if getattr(options, key)}
    if options.model != "cox":
        usual = [name for name in names if name in ("label", "class", "target", "y")]
        used["label"] = place[options.label or [*usual, str(len(columns))][0]]
    chosen = [place[name] for name in (options.features or "").split(",") if name]
    chosen = chosen or [k for k in range(len(columns)) if k not in used.values()]
    x = list(zip(*([to_float(cell) for cell in columns[k]] for k in chosen)))
    return x, {key: columns[k] for key, k in used.items()}


def two_classes(cells, options):  # 1 for the larger of two labels or the one that is named, else -1
    labels = [to_label(cell) for cell in cells["label"]]
    positive = max(labels) if options.positive is None else to_label(options.positive)
    need(len(set(labels)) == 2 or options.positive is not None, "expected two classes", ValueError)
    return [1 if label == positive else -1 for label in labels]


def fingerprint(rows, labels):  # says plainly that data are others; nothing that is proven rests on it
    def mix(z):
        z = (z + 0x9E3779B97F4A7C15) % 2**64
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) % 2**64
        return z ^ z >> 31

    def digest(high, low, place):
        return mix(low ^ mix(high ^ place)), mix(high ^ mix(low ^ mix(place)))

    d, one, two = len(rows[0]), 0, 0
    keys = [mix(2 * k + 1) * 2**64 + mix(2 * k + 2) for k in range(d)]
    for i, (x, y) in enumerate(zip(rows, labels)):
        bits = struct.unpack(f"{d}Q", struct.pack(f"{d}d", *(v + 0.0 for v in x)))  # -0 + 0 is 0
        p, q = digest(*divmod(dot(bits, keys) % 2**128, 2**64), mix(2 * i + (y > 0)))
        one, two = (one + p) % 2**64, (two + q) % 2**64
    return "{:016x}{:016x}".format(*digest(one, two, mix(mix(len(rows)) ^ d)))


def cox_pairs(rows, cells, exact):  # each event i and j at risk then, but what follows from later ones
    time = [to_float(cell) for cell in cells["time"]]
    entry = [to_float(cell) for cell in cells.get("entry", ())] or [-math.inf] * len(time)
    event = [cell.lower() in ("1", "true", "1.0") for cell in cells.get("event", "1" * len(time))]
    rows = sorted(rows, key=lambda i: time[i])
    events = {time[i]: [k for k in rows if event[k] and time[k] == time[i]] for i in rows if event[i]}
    for first, *others in events.values() if not exact else ():
        yield from [pair for k in others for pair in ((first, k), (k, first))]
    for j, t in [(j, t) for j in rows for t in events if entry[j] < t <= time[j]]:
        # x_i - x_j = (x_i - x_r) + (x_r - x_j), where r is the first event after t at risk at t
        later = ((u, r) for u in events if u > t for r in events[u] if entry[r] < t)
        u, r = next(later, (math.inf, j))
        follows = u <= time[j] and r != j and not (exact and j in events[u])
        if j not in events[t] and not follows:
            yield from [(i, j) for i in (events[t] if exact else events[t][:1])]


def vectors(x, cells, options, family):  # the table in PROOFS.md, in order: rows and their labels
    kept = [i for i, w in enumerate(cells.get("weights", "1" * len(x))) if to_float(w) != 0]
    if family in SIGNED:
        counts = family in ("poisson", "negative-binomial")
        y = [to_float(cell) for cell in cells["label"]] if counts else two_classes(cells, options)
        for i in kept:
            if y[i] > 0:
                yield x[i], 1
            if y[i] <= 0 or family != "binomial":
                yield x[i], -1
    elif family in ("conditional", "cox"):
        y = two_classes(cells, options) if family == "conditional" else None
        groups = [to_label(cell) for cell in cells.get("groups", "1" * len(x))]
        for group in sorted({groups[i] for i in kept}):
            rows = [i for i in kept if groups[i] == group]
            if family == "cox":
                pairs = cox_pairs(rows, cells, options.ties == "exact")
            else:
                pairs = [(i, j) for i in rows for j in rows if y[i] > y[j]]
            for i, j in pairs:
                yield [Fraction(a) - Fraction(b) for a, b in zip(x[i], x[j])], 1
    else:
        labels = {i: to_label(cells["label"][i]) for i in kept}
        yield from category_rows(x, labels, sorted(set(labels.values())), options)


def category_rows(x, labels, order, options):
    """With numbers s for the constants and u = x or -x: (s, sum(s) u), or blocks s times (1, u)."""
    family, n, thresholds = options.model, len(order), options.model in THRESHOLDS
    for i, label in labels.items():
        c, u = order.index(label), [Fraction(-v if thresholds else v) for v in x[i]]
        if thresholds:  # s is e_k, with a label, of the thresholds or steps k about the category c
            before = [(k, -1) for k in range(c)]
            steps = [*before, (c, 1)] if family == "sequential" else [(c, 1), *before[-1:]]
            signs = [([int(j == k) for j in range(n - 1)], y) for k, y in steps if k < n - 1]
        else:  # z_c - z_k, where z_k is e_k without its first number, or has 1 in the first k places
            z = [[j == k or (j < k and family == "adjacent") for j in range(1, n)] for k in range(n)]
            signs = [([a - b for a, b in zip(z[c], z[k])], 1) for k in range(n) if k != c]
        for s, y in signs:
            v = [*s, *(sum(s) * a for a in u)]
            if options.not_parallel or family == "multinomial":
                v = [a * b for a in s for b in (u if options.no_intercept else [1, *u])]
            yield v[1:] if thresholds else v, y  # the bias stands for the first threshold


def model_rows(x, cells, options, verdict, model):  # rows and labels that stand for the vectors
    family, constant, allowed = options.model, model["constant"], model["allowed"]
    bare = family in SIGNED and bool(options.no_intercept)
    if constant is not None:
        column = {row[places([constant], len(row))[0]] for row in x}
        need(bare and len(column) == 1 and any(column), "the bias cannot stand for that column")
    log = family == "log-binomial" and bare and constant is None and verdict != "separable"
    need(log == (allowed is not None), "`allowed` is missing, or misplaced")
    for v, y in vectors(x, cells, options, "binomial") if log else ():
        # x.h <= 0 in all rows, and < 0 where there is a failure: -1 of a binomial model
        need(len(allowed) == len(v) and dot(scaled(v)[0], allowed) <= min(y, 0), "bad `allowed`")
    found = list(vectors(x, cells, options, family))
    d = len(found[0][0])
    # A number that is no float is the sum of two; the second stands in a column at the end.
    split = [k for k in range(d) if any(float(v[k]) != v[k] for v, y in found)]
    lows = [[(v[k] - Fraction(float(v[k]))) * 2**52 for k in split] for v, y in found]
    rows = [([float(a) for a in (*v, *low)], y) for (v, y), low in zip(found, lows)]
    for at, k in enumerate(split):
        tie = [2.0**-52 * (j == k) - (j == d + at) for j in range(d + len(split))]
        rows += [(tie, 1), (tie, -1)]
    if constant is None and (bare or family not in (*SIGNED, *THRESHOLDS)):
        # The bias is no coefficient: v and -v on both sides leave it no use.
        rows = [([sign * y * a for a in v], sign) for v, y in rows for sign in (1, -1)]
    return [v for v, y in rows], [y for v, y in rows]


def read(value, kind):  # a part of the file, of a kind as above
    if isinstance(kind, tuple):
        return None if value is None else read(value, kind[0])
    if isinstance(kind, list):
        need(isinstance(value, list), f"expected a list, found {value!r:.40}", ValueError)
        return [read(part, kind[0]) for part in value]
    if isinstance(kind, dict):
        need(isinstance(value, dict) and set(value) <= set(kind), f"expected {[*kind]}", ValueError)
        return {name: read(value.get(name), inside) for name, inside in kind.items()}
    good = type(value) is kind
    if kind is float:
        good = type(value) in (int, float) and math.isfinite(value)
    if kind is INTEGER:
        good, kind = isinstance(value, str) and INTEGER.fullmatch(value), int
    need(good, f"expected {kind}, found {value!r:.40}", ValueError)
    return kind(value)


def places(values, n):  # different rows or columns, counted from 1 in the file and from 0 here
    need(len({*values} & {*range(1, n + 1)}) == len(values), "no such row or column, or one twice")
    return [k - 1 for k in values]


def plane(thing, d):  # the integers (w, b), times a power of two if they are floats
    kind = INTEGER if isinstance(thing.get("bias"), str) else float
    thing = read(thing, {"weights": [kind], "bias": kind})
    need(len(thing["weights"]) + 1 == d, "a hyperplane has not one weight per feature")
    return scaled([*thing["weights"], thing["bias"]])[0]


def check_conflict(Z, conflict):  # Gordan: rows times m > 0 add up to 0, so no (w, b) is > 0 on all
    rows = [Z[i] for i in places([entry["row"] for entry in conflict], len(Z))]
    m = [entry["multiplier"] for entry in conflict]
    need(m and min(m) > 0, "no rows, or a multiplier that is not positive")
    need(not any(dot(m, column) for column in zip(*rows)), "the rows do not cancel")
    return rows


def pivots(rows):
    """Of Bareiss' elimination: as many as the rank, and leading minors, all > 0 if it is definite."""
    found, last = [], 1
    while rows and rows[0]:
        at = next((i for i, row in enumerate(rows) if row[0] != 0), None)
        if at is not None:
            top, rows = rows[at], rows[:at] + rows[at + 1 :]
            rows = [[(top[0] * v - row[0] * t) // last for v, t in zip(row, top)] for row in rows]
            last = top[0]
            found.append(last if at == 0 else 0)  # no minor where rows had to change places
        rows = [row[1:] for row in rows]
    return found


def check_matrix(Z, matrix, vectors, weak):
    """If B = [K r; r' 1] is definite, no (w, b) has y (w.x + b) >= 0 on all rows but 0 on all: with
    a = l z without the coordinates left out, K = sum a a', r = sum a, t = a.w >= 0 and s = sum t,
    u = (w, -s) has u'Bu = sum t^2 - s^2 <= 0, so u = 0. (Any numbers may divide columns, and one all l.)
    If it is weak, a claim is about these rows alone: columns of zeros go."""
    weights, d = scaled(matrix["weights"])[0], len(Z[0])
    rows = [Z[i] for i in places(matrix["rows"], len(Z))]
    need(rows and len(rows) == len(weights) and min(weights) > 0, "not one weight > 0 per row")
    left_out, first = places(matrix["left_out"], d), places(matrix["first"], d)
    rest = [k for k in range(d) if k not in left_out and k not in first]
    need(len(rest) + len(first) + len(left_out) == d, "a column is left out and taken out")
    need(len(rest) <= 10_000 and max(weights) <= min(weights) * 2**200, "a limit is passed")
    free = len(pivots([[v[k] for k in left_out] for v in vectors]))
    need(free == len(vectors) == len(left_out), "vectors are dependent in what is left out")
    columns = [[row[k] for row in rows] for k in first + rest]
    columns = [(column, math.gcd(*column) or 1) for column in columns if any(column) or not weak]
    A = [[p * (v // g) for p, v in zip(weights, column)] for column, g in columns]
    B = [[dot(p, q) for q in A] + [sum(p)] for p in A] + [[*map(sum, A), 1]]
    need(len([minor for minor in pivots(B) if minor > 0]) == len(B), "the matrix is not definite")
    return rows


def check_removal(Z, y, removal, matrix):  # what stays is separable; of each conflict a row must go
    gone, w = places(removal["rows"], len(Z)), plane(removal["hyperplane"], len(Z[0]))
    stay = set(range(len(Z))) - set(gone)
    need(gone and {y[i] for i in stay} == {1, -1}, "no row goes, or what stays is of one class")
    need(all(dot(w, Z[i]) > 0 for i in stay), "a row that stays is on the wrong side")
    for conflict in removal["conflicts"]:
        check_conflict(Z, conflict)  # below, `places` sees that no two of them share a row
    rows = places([entry["row"] for conflict in removal["conflicts"] for entry in conflict], len(Z))
    need(rows or matrix, "there is no conflict")
    return f"removal: at least {max(len(removal['conflicts']), 1)} and at most {len(gone)} rows must go"


def check_margin(Z, s, y, hyperplane, margin, version):  # no row is nearer than `lower`
    lower, upper, entries = margin["lower"], margin["upper"], margin["upper_rows"]
    angular = {"angular": True, "geometric": False}[margin["kind"]]
    w, exact = plane(hyperplane, len(Z[0])), isinstance(hyperplane["bias"], str)
    squares = [dot(z, z) if angular else 4**s for z in Z]  # w.z / |z| |w|, or w.z / 2^s |w without b|
    least = Fraction(lower) ** 2 * (dot(w, w) if angular else dot(w[:-1], w[:-1]))
    far = all(dot(w, z) ** 2 >= least * square for z, square in zip(Z, squares))
    need(lower <= 0 or (far and not exact), "a row is nearer than `lower`, or w is in integers")
    rows = places([entry["row"] for entry in entries], len(Z))
    lengths = [math.isqrt(squares[i] << 1024) for i in rows]  # times 2^512, rounded down
    units = [float(Fraction(v, 2 ** (s + 512))) if angular and version < 6 else 1 for v in lengths]
    c = scaled([entry["weight"] / unit for entry, unit in zip(entries, units)])[0]  # see PROOFS.md
    need(c and min(c) >= 0, "no rows, or a negative weight")
    if not angular:  # the hulls of the classes are 2 rho apart: c adds up to as much in either
        sums = {k: sum(a for a, i in zip(c, rows) if y[i] == k) for k in (1, -1)}
        c = [a * sums[-y[i]] for a, i in zip(c, rows)]
    below = dot(c, lengths)  # rho sum c |z| <= sum c w.z <= |sum c z| if |w| = 1, or with 2^s for |z|
    total = [dot(c, column) for column in zip(*(Z[i] for i in rows))]
    good = upper >= 0 < below and dot(total, total) << 1024 <= (Fraction(upper) * below) ** 2
    need(good or upper >= (1 if angular else sys.float_info.max), "`upper` is too low")
    return f"margin: {margin['kind']}, at least {lower}, at most {upper}"


def check(data, proof, **given):  # lines that say what the proof shows; Refused if it does not
    options = argparse.Namespace(**{**dict.fromkeys(OPTIONS), **given})
    need(Path(proof).stat().st_size <= 2**30, "the file is larger than 1 GiB", ValueError)
    once = lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else "twice"  # noqa: E731
    file = read(json.loads(Path(proof).read_text("utf-8"), object_pairs_hook=once), FILE)
    version, model, margin, removal = map(file.get, ("version", "model", "margin", "removal"))
    verdict = file["claim"]["verdict"]
    claim = read(file["claim"], {"verdict": str, **CLAIMS[verdict]})
    hyperplane, conflict, matrix, v = map(claim.get, ("hyperplane", *SHOWN))
    strict, whole = verdict == "separable", verdict == "inseparable"
    need(strict or (conflict is None) != (matrix is None), "no conflict or matrix, or both", ValueError)
    need((v is None) == (not matrix and not whole), "`orthogonal` is missing, or misplaced", ValueError)
    need(strict or not margin, "a margin of what is not separable")
    need(not removal or not (strict or model), "a removal of what is separable, or of a model")
    if model or any(getattr(options, name) for name in OPTIONS[3:]):  # the question comes before rows
        options.model = options.model or "binomial"  # as `linsep verify` has it
    values = {"family": options.model, "ties": options.ties or "breslow"}
    values.update(intercept=not options.no_intercept, parallel=not options.not_parallel)
    asked = options.model and {key: values[key] for key in ("family", OPTION[options.model]) if key}
    named = json.dumps(model and model["model"], sort_keys=True)
    need(named == json.dumps(asked, sort_keys=True), f"the proof is about {named}, not {asked}")
    first = 4 if removal else 3 if model else 2 if verdict == "not-strictly-separable" else 1
    first = 5 if matrix or options.model == "log-binomial" else first
    good = version == first or (version == 6 and margin and margin["kind"] == "angular")
    need(file["format"] == "linsep-proof" and good, f"expected version {first}", ValueError)
    x, cells = read_data(Path(data), options)
    x, y = model_rows(x, cells, options, verdict, model) if model else (x, two_classes(cells, options))
    n, d, v = len(x), len(x[0]) + 1, v or []
    own = {"rows": n, "features": d - 1, "fingerprint": fingerprint(x, y)}
    need(file["data"] == own, f"the proof is about other data: {file['data']}, not {own}")
    flat, s = scaled([a for row in x for a in (*row, 1.0)])
    Z = [[y[i] * a for a in flat[i * d : (i + 1) * d]] for i in range(n)]
    need(len(v) <= d and all(len(one) == d for one in v), "too many or too long vectors")
    if hyperplane is not None:
        w = plane(hyperplane, d)
        sides = [dot(w, z) for z in Z]
        need(min(sides) > 0 if strict else min(sides) == 0 < max(sides), "a row is on the wrong side")
    if not strict:
        rows = check_matrix(Z, matrix, v, not whole) if matrix else check_conflict(Z, conflict)
        need(not any(dot(u, z) for u in v for z in (Z if whole else rows)), "a vector is not orthogonal")
        # A weak separator is 0 on the rows of a conflict, so on their span: on all that the v leave.
        need(matrix or not whole or len(pivots(rows)) + len(pivots(v)) == d, "the conflict spans less")
    lines = [f"valid: {asked or 'the data'} is {verdict} (exactly, {n} rows)"]
    lines += [check_margin(Z, s, y, hyperplane, margin, version)] if margin else []
    return lines + ([check_removal(Z, y, removal, matrix)] if removal else [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("data", "proof", *("--" + name.replace("_", "-") for name in OPTIONS)):
        parser.add_argument(name, action="store_true" if name.startswith("--no") else "store")
    try:
        print("\n".join(check(**vars(parser.parse_args()))))
    except Refused as reason:
        sys.exit(f"refused: {reason}")
    except Exception as problem:  # no traceback, whatever a file holds
        parser.exit(2, f"error: {type(problem).__name__}: {problem}\n")
