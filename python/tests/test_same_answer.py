"""The same question gets the same answer, to the byte, from the program and from Python.

Of a file that is opened, and of the frame that pandas makes of it.
`crates/linsep-cli/tests/same_answer.rs` holds the same for Rust.
"""

import json
import subprocess
from pathlib import Path

import linsep
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]
LIST = json.loads((ROOT / "testdata/questions/questions.json").read_text())
PROGRAM = ROOT / "target/debug/linsep"


def is_model(question):
    """Return whether a question is about a model that has no success."""
    return question["ask"] == "estimate" and question.get("model", "binomial") not in (
        "binomial",
        "log-binomial",
        "conditional",
    )


def questions():
    for table in LIST["tables"]:
        for kind in ("two", "many", "beside"):
            if kind != "two" and not table.get(kind):
                continue
            for question in LIST[kind]:
                read = dict(table["read"])
                if kind == "many" or "positive" in question or is_model(question):
                    read.pop("positive", None)
                yield table["file"], question, read, kind


ALL = list(questions())


@pytest.fixture(scope="session")
def program():
    """The program, built if it is not there."""
    # As the other tests build it.
    build = ["cargo", "build", "--quiet", "--workspace", "--all-features", "--bin", "linsep"]
    subprocess.run(build, cwd=ROOT, check=True)
    return PROGRAM


def printed(program, file, question, read):
    ask = {"classes": "decide", "estimate": "separation"}.get(question["ask"], question["ask"])
    words = [ask, file, "--json"]
    for key, value in {**question, **read}.items():
        flag = "--" + key.replace("_", "-")
        if key == "ask":
            continue
        if value is True:
            words.append(flag)
        elif key == "methods":
            words += [flag, ",".join(method["name"] for method in value)]
        elif isinstance(value, list):
            words += [flag, ",".join(value)]
        elif isinstance(value, dict):
            words += [flag, value["name"]]
        else:
            words += [flag, str(value)]
    found = subprocess.run([program, *words], cwd=ROOT, capture_output=True, text=True)
    return json.loads(found.stdout) if found.stdout else found.stderr


def options(question):
    """Return the keywords of a question."""
    own = {name: value for name, value in question.items() if name != "ask"}
    if question["ask"] == "fit":
        own["method"] = own["method"]["name"]
    if question["ask"] == "race":
        own["methods"] = [method["name"] for method in own["methods"]]
    return own


def asked(question, X, y=None, read=None):
    """Return the answer of Python to a question about arrays, or about a table."""
    own = options(question)
    named = {} if y is None or (read or {}).get("positive") is None else {"positive": read["positive"]}
    if question["ask"] == "decide":
        return linsep.decide(X, y, **own, **named)
    if question["ask"] == "audit":
        return linsep.audit(X, y, **own, **named)
    if question["ask"] == "fit":
        return linsep.fit(X, y, **own, **named)
    if question["ask"] == "race":
        return linsep.race(X, y, **own, **named)
    if question["ask"] == "classes":
        own = {name: value for name, value in own.items() if name not in ("pairs", "one_vs_rest")}
        return linsep.separability_matrix(X, y, **own)
    model = own.get("model", "binomial")
    constant = model in ("binomial", "log-binomial", "multinomial", "poisson", "negative-binomial")
    return linsep.check_separation(X, y, intercept=constant, **own, **named)


def timeless(value):
    """Return a value without times, which differ from run to run."""
    if isinstance(value, dict):
        return {key: timeless(own) for key, own in value.items() if key != "seconds"}
    return [timeless(own) for own in value] if isinstance(value, list) else value


def same(found, expected):
    """Hold that two answers are the same bytes, times left out."""
    found, expected = (json.dumps(timeless(own)) for own in (json.loads(found), expected))
    assert found == expected


@pytest.mark.parametrize(
    "file,question,read,kind", ALL, ids=[f"{Path(f).stem}-{json.dumps(q)}" for f, q, _, _ in ALL]
)
def test_a_file(program, file, question, read, kind, monkeypatch):
    monkeypatch.chdir(ROOT)
    expected = printed(program, file, question, read)
    try:
        table = linsep.open(file, **read)
        found = asked(question, table)
    except (ValueError, TypeError):
        assert isinstance(expected, str), expected
        return
    same(found.to_json(), expected)


def frame(file, read):
    """Return the frame of a table whose columns are numbers but for names and labels, and its labels."""
    table = pd.read_csv(ROOT / file, dtype={"label": str})
    if read.get("row_id"):
        table = table.set_index(read["row_id"])
    names = [name for name in ("label", "class", "target", "y") if name in table.columns]
    label = names[0] if names else table.columns[-1]
    y = table.pop(label).astype(str)
    left_out = [name for name in read.get("exclude", []) if name in table.columns]
    return table.drop(columns=left_out), y


def is_plain(file, read):
    """Return whether pandas reads a table as it stands: nothing missing, no words, no ids."""
    table, _ = frame(file, read)
    numbers = all(dtype.kind in "if" for dtype in table.dtypes)
    return numbers and not table.isna().any(axis=None) and len(table.columns) > 0


PLAIN = [
    case
    for case in ALL
    if case[3] != "beside" and not case[2].get("missing") and is_plain(case[0], case[2])
]


@pytest.mark.parametrize(
    "file,question,read,kind", PLAIN, ids=[f"{Path(f).stem}-{json.dumps(q)}" for f, q, _, _ in PLAIN]
)
def test_a_frame(program, file, question, read, kind, monkeypatch):
    monkeypatch.chdir(ROOT)
    expected = printed(program, file, question, read)
    X, y = frame(file, read)
    try:
        found = asked(question, X, y, read)
    except ValueError:
        assert isinstance(expected, str), expected
        return
    same(found.to_json(), expected)


@pytest.mark.parametrize("table", LIST["tables"], ids=lambda table: Path(table["file"]).stem)
def test_a_proof(program, table, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    file, read = table["file"], table["read"]
    opened = linsep.open(file, **read)
    proof = linsep.decide(opened, explain=True).proof
    path = tmp_path / "proof.json"
    proof.save(path)
    for question, found in (
        ({}, linsep.verify(opened, path)),
        ({"model": "binomial"}, linsep.verify_separation(proof, opened, intercept=True)),
    ):
        words = [word for key, value in {**question, **read}.items() for word in flag(key, value)]
        run = [program, "verify", file, path, "--json", *words]
        expected = subprocess.run(run, cwd=ROOT, capture_output=True, text=True)
        assert expected.returncode == (0 if found.valid else 1)
        same(found.to_json(), json.loads(expected.stdout))


def flag(key, value):
    """Return an option of the program."""
    return ["--" + key.replace("_", "-"), ",".join(value) if isinstance(value, list) else str(value)]


def test_enough_is_asked():
    assert len(ALL) >= 200 and len(PLAIN) >= 40, (len(ALL), len(PLAIN))
