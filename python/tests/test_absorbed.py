"""Factors whose levels have a coefficient each: from arrays, frames, formulas and files, with proofs."""

import datetime
from pathlib import Path

import linsep
import numpy as np
import pandas as pd
import pytest

CASES = Path(__file__).resolve().parents[2] / "testdata" / "ppmlhdfe"


def published(number):
    """Return a published case: its frame, the names of columns and factors, and the separated rows."""
    frame = pd.read_csv(CASES / f"{number:02}.csv")
    columns = [name for name in frame if name.startswith("x")]
    factors = [name for name in frame if name.startswith("id")]
    return frame, columns, factors, np.flatnonzero(frame["separated"]).tolist()


@pytest.mark.parametrize("number", range(1, 19))
def test_published_cases(number, tmp_path):
    frame, columns, factors, separated = published(number)
    if not factors:
        factors, frame["all"] = ["all"], "one"
    x = frame[columns] if columns else None
    found = linsep.check_separation(x, frame["y"], model="poisson", absorb=frame[factors])
    assert found.rows.tolist() == separated
    assert bool(found) == bool(separated)
    verified = linsep.verify_separation(
        found.proof, x, frame["y"], model="poisson", absorb=frame[factors]
    )
    assert verified.valid
    # A formula, and a file, whose rows count from 0, too.
    formula = f"y ~ {' + '.join(columns) or '1'} | {' + '.join(factors)}"
    again = linsep.check_separation(formula, data=frame, model="poisson")
    assert (again.rows.tolist(), again.infinite) == (separated, found.infinite)
    assert again.absorbed == found.absorbed
    path = tmp_path / "case.csv"
    frame.drop(columns="separated").to_csv(path, index=False)
    table = linsep.open(path, label="y")
    there = linsep.check_separation(table, model="poisson", absorb=factors)
    assert there.proof == found.proof
    assert (there.infinite, there.aliased) == (found.infinite, found.aliased)
    assert linsep.verify_separation(there.proof, table, model="poisson", absorb=factors).valid


def data(rows=400, firms=40):
    rng = np.random.default_rng(1)
    firm, year = rng.integers(0, firms, rows), rng.integers(2000, 2010, rows)
    x = rng.normal(size=(rows, 2))
    y = (rng.random(rows) < 0.3) & (firm != 7)
    return x, y.astype(int), firm, year


def test_levels_of_any_type_are_the_same_question():
    x, y, firm, year = data()
    found = linsep.check_separation(x, y, absorb={"firm": firm, "year": year})
    assert found.kind == "quasi-complete"
    assert found.absorbed["firm"]["7"] == "-inf"
    assert set(np.flatnonzero(firm == 7)) <= set(found.rows.tolist())
    large = firm.astype(np.int64) + 2**60
    dates = np.datetime64("2020-01-01T00:00:00.000000001") + firm.astype("timedelta64[ns]")
    kinds = [
        firm.astype(float),
        large,
        dates,
        np.array([f"firm {k:03}" for k in firm]),
        np.array([datetime.date(2000 + k, 1, 1) for k in firm], dtype=object),
        pd.Categorical(firm),
        pd.Series(firm, dtype="Int64"),
        firm.tolist(),
    ]
    for levels in kinds:
        other = linsep.check_separation(x, y, absorb=[levels, year])
        assert (other.kind, other.rows.tolist()) == (found.kind, found.rows.tolist())
        assert list(other.absorbed) == ["f1", "f2"]
        assert other.proof == found.proof
    stacked = linsep.check_separation(x, y, absorb=np.column_stack([firm, year]))
    assert stacked.proof == found.proof
    # A constant is among the levels already.
    assert linsep.check_separation(x, y, intercept=True, absorb=[firm, year]).proof == found.proof


def test_the_answer_is_that_of_dummies_by_hand():
    x, y, firm, year = data(120, 12)
    for weights in (None, (np.arange(120) % 7 > 0).astype(float)):
        found = linsep.check_separation(x, y, absorb=[firm, year], weights=weights)
        dummies = pd.get_dummies(pd.DataFrame({"firm": firm, "year": year}).astype(str), dtype=float)
        by_hand = linsep.check_separation(np.column_stack([x, dummies.to_numpy()]), y, weights=weights)
        assert (found.kind, found.rows.tolist()) == (by_hand.kind, by_hand.rows.tolist())
        assert found.columns == ["x0", "x1"]
        assert not {"x0", "x1"} & (set(by_hand.infinite) | set(by_hand.aliased))


def test_aliased_and_infinite_columns():
    x, y, firm, year = data()
    # What a firm always has is aliased with its level; what goes with failures alone runs away.
    alone = np.where((y == 0) & (np.arange(len(y)) % 40 == 0), 1.0, 0.0)
    frame = pd.DataFrame({"x": x[:, 0], "size": firm * 2.0, "alone": alone, "firm": firm, "year": year})
    found = linsep.check_separation(frame[["x", "size", "alone"]], y, absorb=frame[["firm", "year"]])
    assert found.aliased == ["size"]
    assert found.infinite == {"alone": "-inf"}
    assert set(np.flatnonzero(alone)) <= set(found.rows.tolist())
    assert found.unfinished is None
    said = str(found)
    assert "absorbed    firm: 40 levels" in said
    assert all("sm." not in code for _, code in found.next_steps)


def test_a_proof_is_about_these_levels():
    x, y, firm, year = data()
    found = linsep.check_separation(x, y, absorb=[firm, year])
    assert linsep.verify_separation(found.proof, x, y, absorb=[firm, year])
    other = firm.copy()
    other[0] = (other[0] + 1) % 40
    assert not linsep.verify_separation(found.proof, x, y, absorb=[other, year])
    assert not linsep.verify_separation(found.proof, x, y, absorb=[firm])
    assert not linsep.verify_separation(found.proof, x, y)
    assert not linsep.verify_separation(found.proof, x, y, intercept=True)
    assert not linsep.verify_separation(found.proof, x, y, model="poisson", absorb=[firm, year])


def test_no_column_but_levels():
    _, y, firm, _ = data()
    found = linsep.check_separation(None, y, absorb={"firm": firm})
    assert (found.columns, found.kind) == ([], "quasi-complete")
    assert linsep.verify_separation(found.proof, None, y, absorb={"firm": firm}).valid
    constant = linsep.check_separation(None, [0, 0, 0], model="poisson", absorb=[[1, 1, 1]])
    assert constant.kind == "complete"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"absorb": "firm"}, "names of columns go with a formula"),
        ({"absorb": ["firm", "year"]}, "names of columns go with a formula"),
        ({"absorb": [[1, 2, 3]]}, "expected 4 levels of f1, one per row, found 3"),
        ({"absorb": [["a", None, "b", "c"]]}, r"row 1 \(counted from 0\) is missing in f1"),
        ({"absorb": [[1.0, 2.0, np.nan, 1.0]]}, r"row 2 \(counted from 0\) is missing in f1"),
        (
            {"absorb": [[1, 1, 2, 2]], "model": "cumulative"},
            r"is for binomial, poisson, negative-binomial",
        ),
    ],
)
def test_what_cannot_be_absorbed(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        linsep.check_separation([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1], **arguments)


def test_formulas():
    x, y, firm, year = data()
    frame = pd.DataFrame({"y": y, "a": x[:, 0], "b": x[:, 1], "firm": firm, "year": year})
    found = linsep.check_separation("y ~ a + b | firm + year", data=frame)
    assert found.columns == ["a", "b"]
    assert found.proof == linsep.check_separation("y ~ a + b", data=frame, absorb=["firm", "year"]).proof
    with pytest.raises(ValueError, match='a factor is "years"'):
        linsep.check_separation("y ~ a | years", data=frame)
    with pytest.raises(ValueError, match="are no list of columns"):
        linsep.check_separation("y ~ a | firm +", data=frame)
    with pytest.raises(TypeError, match=r"after \|"):
        linsep.check_separation("y ~ a | firm", data=frame, absorb="year")
