"""The second checker, `checker/linsep_check.py`, agrees with the first.

On the cases of `testdata`, the questions of `testdata/questions`, forgeries of their proofs, and random
proofs of the program.
"""

import argparse
import copy
import csv
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import linsep
import numpy as np
import pytest

tomllib = pytest.importorskip("tomllib", reason="Python 3.10 reads no TOML")

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "target/debug/linsep"
LIST = json.loads((ROOT / "testdata/questions/questions.json").read_text())
SPEC = importlib.util.spec_from_file_location("linsep_check", ROOT / "checker/linsep_check.py")
checker = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(checker)

# Beyond this the exact matrix of a proof takes the second checker, which is all Python, too long.
LARGEST = 300 * 30
FILES = sorted((ROOT / "testdata").glob("*.toml"))
CASES = [case for file in FILES for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]]
ASKED = (
    {},
    {"margin": "max"},
    {"margin": "max", "margin_kind": "geometric", "gap": 1e-3},
    {"conflict": "exact"},
    {"explain": True},
)
POSITIVE, COUNTS = ("binomial", "log-binomial", "conditional"), ("poisson", "negative-binomial")
BESIDE = ("weight", "trials", "group", "time", "died", "count", "entry")
MODELS = (
    {"model": "poisson", "weights": "weight", "intercept": True},
    {"model": "negative-binomial", "intercept": False},
    {"model": "binomial", "intercept": False},
    {"model": "log-binomial", "intercept": False},
    {"model": "multinomial", "intercept": False},
    {"model": "cumulative", "parallel": False},
    {"model": "adjacent"},
    {"model": "adjacent", "parallel": False},
    {"model": "sequential", "weights": "weight"},
    {"model": "sequential", "parallel": False},
    {"model": "cox", "time": "time", "event": "died", "groups": "group"},
    {"model": "cox", "time": "time", "entry": "entry", "ties": "efron"},
)


def read_table(file, label=None):
    """Return the columns of a file whose cells are all numbers, and the others."""
    with open(ROOT / file, newline="") as opened:
        rows = list(csv.DictReader(opened))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    if "time" in columns:
        columns["entry"] = [str(int(row["time"]) - 1 - int(row["count"])) for row in rows]
    features = {}
    for name, cells in columns.items():
        if name not in (*BESIDE, label, "label", "id") and all(map(checker.NUMBER.fullmatch, cells)):
            features[name] = [float(cell) for cell in cells]
    return features, columns


def data_of(case):
    """Return the rows of a case, its labels, and which of them is positive."""
    if "rows" in case:
        rows = [
            [float.fromhex(v) if isinstance(v, str) else float(v) for v in row] for row in case["rows"]
        ]
        return rows, list(case["labels"].translate(str.maketrans("+-", "10"))), None
    features, columns = read_table(case["file"], case["label"])
    chosen = [features[name] for name in case.get("features", features)]
    return [list(row) for row in zip(*chosen, strict=True)], columns[case["label"]], case["positive"]


def write(path, X, more):
    """Write a table with the columns x1, x2, … and those of `more`."""
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow([*(f"x{k + 1}" for k in range(len(X[0]))), *more])
        out.writerows([*map(repr, row), *cells] for row, *cells in zip(X, *more.values(), strict=True))


def accepts(path, proof, **asked):
    """Return whether the second checker accepts a proof, and what it says."""
    try:
        return True, checker.check(path, proof, **asked)[0]
    except (checker.Refused, ValueError, KeyError, TypeError) as reason:
        return False, repr(reason)


def verifies(verify, path):
    """Return whether linsep accepts a proof file, which may be damaged."""
    try:
        return bool(verify(linsep.Proof.load(path)))
    except ValueError:
        return False


def negative(value):
    return str(-int(value)) if isinstance(value, str) else -value


def changed(proof):
    """Yield names of changes to a proof, and the proofs with one thing changed, that do not hold."""

    def change(name, edit):
        other = copy.deepcopy(proof)
        edit(other, other["claim"])
        return name, other

    claim, margin = proof["claim"], proof.get("margin")
    digit = "1" if proof["data"]["fingerprint"][0] == "0" else "0"
    other_print = digit + proof["data"]["fingerprint"][1:]
    yield change("fingerprint", lambda p, c: p["data"].update(fingerprint=other_print))
    yield change("rows", lambda p, c: p["data"].update(rows=p["data"]["rows"] + 1))
    yield change("version", lambda p, c: p.update(version=7))
    others = {"separable": "inseparable", "inseparable": "separable"}
    yield change("verdict", lambda p, c: c.update(verdict=others.get(c["verdict"], "separable")))
    if claim["verdict"] == "quasi-separable" and "conflict" in claim:
        whole = {"verdict": "inseparable", "conflict": claim["conflict"], "orthogonal": []}
        yield change("a stronger verdict", lambda p, c: p.update(claim=whole))
    if "hyperplane" in claim:
        plane = claim["hyperplane"]
        turned = {"weights": [negative(v) for v in plane["weights"]], "bias": negative(plane["bias"])}
        yield change("weights", lambda p, c: c.update(hyperplane=turned))
    if "conflict" in claim:
        more = str(int(claim["conflict"][0]["multiplier"]) + 1)
        yield change("multiplier", lambda p, c: c["conflict"][0].update(multiplier=more))
        yield change("row", lambda p, c: c["conflict"][0].update(row=p["data"]["rows"] + 1))
        yield change("row left out", lambda p, c: c["conflict"].pop())
    if "matrix" in claim:
        weights = [0.0, *claim["matrix"]["weights"][1:]]
        yield change("weight", lambda p, c: c["matrix"].update(weights=weights))
        rows = [*claim["matrix"]["rows"][1:], claim["matrix"]["rows"][1]]
        yield change("matrix row", lambda p, c: c["matrix"].update(rows=rows))
        yield change("matrix of one row", lambda p, c: c["matrix"].update(rows=[1], weights=[1.0]))
    if margin and 0 < margin["lower"] and margin["upper"] < 1e300:
        yield change("lower", lambda p, c: p["margin"].update(lower=2 * margin["upper"]))
        yield change("upper", lambda p, c: p["margin"].update(upper=margin["lower"] / 2))
        yield change("weight of a bound", lambda p, c: p["margin"]["upper_rows"][0].update(weight=-1.0))
    if proof.get("removal"):
        yield change("removal", lambda p, c: p["removal"].update(rows=[]))


def agree(folder, proof, verdict, verify, **asked):
    """Check a proof in both ways, and forgeries of it."""
    path = folder / "proof.json"
    proof.save(path)
    assert verifies(verify, path)
    good, said = accepts(folder / "data.csv", path, **asked)
    assert good and f" is {verdict} " in said, said
    for name, forgery in changed(json.loads(path.read_text())):
        path.write_text(json.dumps(forgery))
        assert not verifies(verify, path), name
        good, said = accepts(folder / "data.csv", path, **asked)
        assert not good, (name, said)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_cases(case, tmp_path):
    X, y, positive = data_of(case)
    write(tmp_path / "data.csv", X, {"label": y})
    for asked in ASKED:
        limits = {"max_passes": 50} if asked.get("margin") else {}
        found = linsep.decide(X, y, positive=positive, **asked, **limits)
        assert found.verdict == case["verdict"]
        if len(X) * len(X[0]) > LARGEST and "matrix" in json.loads(found.proof.to_json())["claim"]:
            continue

        def verify(proof):
            return linsep.verify(X, y, proof, positive=positive)

        agree(tmp_path, found.proof, found.verdict, verify, positive=positive)


def noise(rows, features):
    rng = np.random.default_rng(5)
    return rng.normal(size=(rows, features)), rng.integers(0, 2, rows)


@pytest.mark.parametrize("passes", [None, 1])
@pytest.mark.parametrize("constant", [False, True])
def test_matrices(constant, passes, tmp_path):
    X, y = noise(120, 40)
    if constant:
        X[:, 0] = 1
    write(tmp_path / "data.csv", X.tolist(), {"label": y.tolist()})
    found = linsep.decide(X, y, max_passes=passes).proof
    assert "matrix" in json.loads(found.to_json())["claim"]
    agree(tmp_path, found, found.verdict, lambda proof: linsep.verify(X, y, proof))


@pytest.mark.parametrize("verdict", ["quasi-separable", "not-strictly-separable"])
def test_a_matrix_of_some_rows(verdict, tmp_path):
    # The last row is alone in the last column, which separates it from the others.
    X, y = noise(120, 40)
    X, y = np.column_stack([X, np.zeros(120)]), np.append(y, 1)
    file = json.loads(linsep.decide(X, y[:-1]).proof.to_json())
    X = np.vstack([X, np.eye(41)[40]])
    matrix = {**file["claim"]["matrix"], "left_out": []}
    claim = {"verdict": verdict, "matrix": matrix, "orthogonal": []}
    if verdict == "quasi-separable":
        claim["hyperplane"] = {"weights": np.eye(41)[40].tolist(), "bias": 0.0}
    data = {"rows": 121, "features": 41, "fingerprint": checker.fingerprint(X.tolist(), y.tolist())}
    write(tmp_path / "data.csv", X.tolist(), {"label": y.tolist()})
    (tmp_path / "made.json").write_text(json.dumps({**file, "data": data, "claim": claim}))
    made = linsep.Proof.load(tmp_path / "made.json")
    agree(tmp_path, made, verdict, lambda proof: linsep.verify(X, y, proof))


def is_read(table):
    """Return whether a table has features that are numbers, and no cell is empty."""
    features, columns = read_table(table["file"])
    return features and "label" in columns and all(map(all, columns.values()))


@pytest.mark.parametrize(
    "table", [t for t in LIST["tables"] if is_read(t)], ids=lambda table: Path(table["file"]).stem
)
def test_questions(table, tmp_path):
    features, columns = read_table(table["file"])
    X, y = [list(row) for row in zip(*features.values(), strict=True)], columns["label"]
    positive = table["read"].get("positive")
    beside = {name: columns[name] for name in BESIDE if name in columns}
    write(tmp_path / "data.csv", X, {**beside, "label": y})
    names = ",".join(f"x{k + 1}" for k in range(len(X[0])))
    for question in LIST["two"]:
        if question["ask"] == "decide":
            asked = {key: value for key, value in question.items() if key != "ask"}
            found = linsep.decide(X, y, positive=positive, **asked)
            if found.proof is not None:

                def verify(proof):
                    return linsep.verify(X, y, proof, positive=positive)

                asked = {"positive": positive, "features": names}
                agree(tmp_path, found.proof, found.proof.verdict, verify, **asked)
    questions = [question for question in LIST["two"] if question["ask"] == "estimate"]
    questions += [*LIST["beside"], *MODELS] if table.get("beside") else []
    for question in questions:
        model = question.get("model", "binomial")
        one = {"positive": question.get("positive", positive)} if model in POSITIVE else {}
        outcome = None if model == "cox" else y
        if model in COUNTS:
            outcome = [float(cell) for cell in columns["count"]]
        given = {key: columns[question[key]] for key in checker.COLUMNS if key in question}
        for key in given:
            if key != "groups":
                given[key] = [float(cell) for cell in given[key]]
        options = {key: question[key] for key in ("ties", "parallel") if key in question}
        if checker.OPTION[model] == "intercept":
            options["intercept"] = question.get("intercept", True)
        if checker.OPTION[model] == "parallel":
            options["levels"] = sorted(set(y))
        options = {"model": model, **one, **given, **options}
        try:
            found = linsep.check_separation(X, outcome, **options)
        except ValueError as problem:
            assert "log-binomial" in str(problem)
            continue

        def verify(proof, outcome=outcome, options=options):
            return linsep.verify_separation(proof, X, outcome, **options)

        asked = {"model": model, "features": names, **one, "ties": question.get("ties")}
        asked.update({key: question[key] for key in given})
        asked["label"] = "count" if model in COUNTS else "label"
        asked["no_intercept"] = not options.get("intercept", True)
        asked["not_parallel"] = not question.get("parallel", True)
        if found.proof is not None:
            agree(tmp_path, found.proof, found.proof.verdict, verify, **asked)


def test_null_counts_as_left_out(tmp_path):
    X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], ["0", "0", "1", "1"]
    write(tmp_path / "data.csv", X, {"label": y})
    path = tmp_path / "proof.json"
    proof = json.loads(linsep.decide(X, y).proof.to_json())
    for good, field, edited in (
        (True, "matrix", {**proof, "claim": {**proof["claim"], "matrix": None}}),
        (True, "model", {**proof, "margin": None, "model": None, "removal": None}),
        (False, "hyperplane", {**proof, "claim": {**proof["claim"], "hyperplane": None}}),
        (False, "orthogonal", {**proof, "claim": {**proof["claim"], "orthogonal": None}}),
        (False, "nothing", {**proof, "nothing": None}),
    ):
        path.write_text(json.dumps(edited))
        assert verifies(lambda proof: linsep.verify(X, y, proof), path) == good, field
        assert accepts(tmp_path / "data.csv", path)[0] == good, field


@pytest.mark.parametrize("kind", ["npy", "svm"])
def test_files_that_are_no_tables(kind, tmp_path):
    X, y = noise(30, 4)
    X, path, proof = X.round(2), tmp_path / f"data.{kind}", tmp_path / "proof.json"

    def save(X, y):
        if kind == "npy":
            np.save(path, X)
            np.save(tmp_path / "data.labels.npy", y)
        else:
            rows = [" ".join(f"{k + 1}:{v!r}" for k, v in enumerate(row) if v) for row in X.tolist()]
            path.write_text(
                "".join(f"{label} {row} # a row\n" for label, row in zip(y, rows, strict=True))
            )

    found = linsep.decide(X, y)
    found.proof.save(proof)
    save(X, y)
    good, said = accepts(path, proof)
    assert good and f" is {found.verdict} " in said, said
    for name, forgery in changed(json.loads(proof.read_text())):
        proof.write_text(json.dumps(forgery))
        assert not accepts(path, proof)[0], name
    found.proof.save(proof)
    other, label = X.copy(), y.copy()
    other[3, 2] += 1
    label[5] = 1 - label[5]
    for name, one, two in (("value", other, y), ("label", X, label), ("row", X[:-1], y[:-1])):
        save(one, two)
        good, said = accepts(path, proof)
        assert not good and "other data" in said, (name, said)


def test_arrays_that_are_not_read(tmp_path):
    X, y = noise(30, 4)
    path, proof = tmp_path / "data.npy", tmp_path / "proof.json"
    linsep.decide(X, y).proof.save(proof)
    np.save(tmp_path / "data.labels.npy", y)
    others = [
        np.asfortranarray(X),
        X.astype(">f8"),
        X.astype("f2"),
        X.astype(str),
        X[None],
        X.astype(complex),
    ]
    for other in others:
        np.save(path, other)
        good, said = accepts(path, proof)
        assert not good and "C-ordered float64" in said, said
    np.save(path, X[:-1])
    assert "one label per row" in accepts(path, proof)[1]
    np.save(path, X)
    path.write_bytes(path.read_bytes()[:-1])
    assert "C-ordered float64" in accepts(path, proof)[1]
    path.write_text("1,2,3,4,5,6,7,8")
    assert not accepts(path, proof)[0]


@pytest.mark.parametrize(
    "line", ["1 1:1 1:2", "1 2:1 1:2", "1 -1:1", "1:1 2:1", "1 1:x", "1 999999999999:1"]
)
def test_libsvm_that_is_not_read(line, tmp_path):
    path = tmp_path / "data.svm"
    path.write_text(f"1 1:1 2:2\n0 1:2\n{line}\n")
    with pytest.raises(ValueError):
        checker.read_data(path, argparse.Namespace(**dict.fromkeys(checker.OPTIONS)))


def test_integers_that_f64_does_not_hold(tmp_path):
    options, path = argparse.Namespace(**dict.fromkeys(checker.OPTIONS)), tmp_path / "data.npy"
    for cell in ("9007199254740993", "-9007199254740993", "+12345678901234567"):
        for read in (checker.to_float, checker.to_label):
            with pytest.raises(ValueError, match="does not hold"):
                read(cell)
    for cell in (
        "9007199254740992",
        "-009007199254740994",
        "10000000000000000000000",
        "9007199254740993.0",
    ):
        assert checker.to_float(cell) == float(cell)
    np.save(tmp_path / "data.labels.npy", [0, 1])
    np.save(path, [[2**53, 1], [3, 4]])
    assert checker.read_data(path, options)[0] == [(2.0**53, 1.0), (3.0, 4.0)]
    np.save(path, [[2**53 + 1, 1], [3, 4]])
    with pytest.raises(ValueError, match="does not hold"):
        checker.read_data(path, options)


def test_random_proofs_of_the_program():
    if not PROGRAM.exists():
        pytest.skip("there is no program: cargo build --bin linsep")
    command = [sys.executable, ROOT / "checker/compare.py", PROGRAM, "--seed", "7", "--count", "15"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "agreed, linsep says valid" in run.stdout
