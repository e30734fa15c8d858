"""Separation in logistic regression, beside statsmodels, and the classic cases."""

import itertools
import time
import warnings

import linsep
import numpy as np
import pytest

# As in the endometrial cancer study (Heinze and Schemper, 2002): neovasculation (NV) occurs in
# patients of high grade (HG) only; the pulsatility index (PI) and the endometrium height (EH) overlap.
ENDOMETRIAL = {
    "NV": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
    "PI": [13, 16, 8, 34, 20, 5, 17, 10, 26, 17, 8, 23, 11, 21, 0, 5],
    "EH": [1.6, 2.2, 3.3, 0.9, 2.5, 1.4, 1.1, 1.8, 1.3, 0.7, 1.2, 2.0, 1.0, 0.6, 1.5, 2.4],
    "HG": [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1],
}


def test_the_endometrial_case():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ENDOMETRIAL, index=[f"p{k}" for k in range(16)])
    found = linsep.check_separation(frame[["NV", "PI", "EH"]], frame["HG"], intercept=True)
    assert found.kind == "quasi-complete" and found and not found.estimate_exists
    assert found.infinite == {"NV": "+inf"}
    assert found.rows.tolist() == [12, 13, 14, 15]
    assert found.index.tolist() == ["p12", "p13", "p14", "p15"]
    assert found.to_frame()["estimate"].to_dict() == {
        "intercept": "finite",
        "NV": "+inf",
        "PI": "finite",
        "EH": "finite",
    }
    without = linsep.check_separation(frame[["PI", "EH"]], frame["HG"], intercept=True)
    assert without.kind == "overlap" and without.estimate_exists and not without.infinite
    assert len(without.conflicting_rows)
    flipped = linsep.check_separation(frame[["NV", "PI", "EH"]], 1 - frame["HG"], intercept=True)
    assert flipped.infinite == {"NV": "-inf"}


def test_formulas_give_the_same_answer():
    pd = pytest.importorskip("pandas")
    patsy, formulaic = pytest.importorskip("patsy"), pytest.importorskip("formulaic")
    frame = pd.DataFrame(ENDOMETRIAL)
    y, X = patsy.dmatrices("HG ~ NV + PI + EH", frame)
    found = linsep.check_separation(X, y)
    assert found.columns == ["Intercept", "NV", "PI", "EH"] and found.infinite == {"NV": "+inf"}
    framed = patsy.dmatrices("HG ~ NV + PI + EH", frame, return_type="dataframe")[1]
    assert linsep.check_separation(framed, frame["HG"]).infinite == {"NV": "+inf"}
    _, X = formulaic.model_matrix("HG ~ NV + PI + EH", frame)
    found = linsep.check_separation(X, frame["HG"])
    assert found.columns == ["Intercept", "NV", "PI", "EH"] and found.infinite == {"NV": "+inf"}


def check(X, y, kind, infinite, rows, aliased=()):
    found = linsep.check_separation(X, y)
    assert (found.kind, found.infinite, found.rows.tolist(), found.aliased) == (
        kind,
        infinite,
        rows,
        list(aliased),
    )
    if found:
        signed = np.where(np.array(y)[:, None] == 1, X, -np.array(X, dtype=float))
        scores = signed @ found.direction
        assert np.all(scores[rows] > 0) and np.allclose(np.delete(scores, rows), 0)


def test_small_designs():
    # One column, no constant: the question is homogeneous.
    check([[1.0], [2.0]], [0, 1], "overlap", {}, [])
    check([[-1.0], [2.0]], [0, 1], "complete", {"x0": "+inf"}, [0, 1])
    check([[-1.0], [0.0], [2.0]], [0, 1, 1], "quasi-complete", {"x0": "+inf"}, [0, 2])
    # With a constant a cut between 1 and 2 does it; the constant must then run to minus infinity.
    check([[1, 1.0], [1, 2.0]], [0, 1], "complete", {"x0": "-inf", "x1": "+inf"}, [0, 1])
    # A cut at zero may lie on either side of it.
    check([[1, -1.0], [1, 1.0]], [0, 1], "complete", {"x0": "±inf", "x1": "+inf"}, [0, 1])
    # The point 1 has both outcomes: the cut is there.
    X = [[1, 0.0], [1, 1.0], [1, 1.0], [1, 2.0]]
    check(X, [0, 0, 1, 1], "quasi-complete", {"x0": "-inf", "x1": "+inf"}, [0, 3])
    check(X, [1, 0, 1, 1], "overlap", {}, [])
    # A column that is the sum of the first two has no coefficient of its own, nor have they.
    X = [[1, 0, 1], [0, 1, 1], [1, 0, 1], [0, 1, 1]]
    check(X, [0, 0, 1, 1], "overlap", {}, [], ["x0", "x1", "x2"])
    # Two dummies, each with a cell of one outcome.
    X = [[1, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 0], [1, 0, 1]]
    check(X, [0, 1, 1, 1, 0], "quasi-complete", {"x1": "+inf", "x2": "-inf"}, [2, 3, 4])


def brute_force(X, y):
    """Return the kind and the infinite columns from linear programs, as detectseparation has them."""
    from scipy.optimize import linprog

    signed = np.where(y[:, None] == 1, X, -X)
    n, d = signed.shape
    box = [(-1, 1)] * d
    strict = np.zeros(n, dtype=bool)
    for i in range(n):
        best = linprog(-signed[i], A_ub=-signed, b_ub=np.zeros(n), bounds=box)
        strict[i] = -best.fun > 1e-7
    kind = "complete" if strict.all() else "quasi-complete" if strict.any() else "overlap"
    ways = {}
    for k in range(d):
        reach = [
            -linprog(-sign * np.eye(d)[k], A_ub=-signed, b_ub=np.zeros(n), bounds=box).fun > 1e-7
            for sign in (1, -1)
        ]
        if any(reach):
            ways[f"x{k}"] = {(1, 1): "±inf", (1, 0): "+inf", (0, 1): "-inf"}[tuple(map(int, reach))]
    return kind, ways, np.flatnonzero(strict).tolist()


def random_designs(count, seed):
    rng = np.random.default_rng(seed)
    made = 0
    while made < count:
        n, d = int(rng.integers(5, 16)), int(rng.integers(1, 5))
        X = rng.integers(-2, 3, size=(n, d)).astype(float)
        if rng.random() < 0.7:
            X[:, 0] = 1
        w = rng.integers(-2, 3, size=d)
        noise = rng.choice([0.0, 1.0, 3.0])
        y = (X @ w + noise * rng.normal(size=n) > 0).astype(int)
        if len(set(y)) == 2 and np.linalg.matrix_rank(X) == d:
            made += 1
            yield X, y


def test_linear_programs_agree():
    kinds = set()
    for X, y in random_designs(150, seed=1):
        found = linsep.check_separation(X, y)
        kind, ways, rows = brute_force(X, y)
        assert (found.kind, found.infinite, found.rows.tolist()) == (kind, ways, rows), (X, y)
        kinds.add(kind)
    assert kinds == {"complete", "quasi-complete", "overlap"}


def estimate_exists(X, y):
    """Return whether the Newton iterations of statsmodels come to rest."""
    sm = pytest.importorskip("statsmodels.api")
    from statsmodels.tools.sm_exceptions import PerfectSeparationError

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            fit = sm.Logit(y, X).fit(disp=0, maxiter=200, tol=1e-12)
        except (PerfectSeparationError, np.linalg.LinAlgError):
            return False
    # On separated data the gradient falls as well, but only because fitted values run away.
    gradient = np.abs(fit.model.score(fit.params)).max()
    return bool(gradient < 1e-6 and np.abs(X @ fit.params).max() < 12)


def test_statsmodels_agrees_on_when_the_estimate_exists():
    seen = {True: 0, False: 0}
    for X, y in itertools.chain(random_designs(200, seed=2)):
        expected = linsep.check_separation(X, y).estimate_exists
        assert estimate_exists(X, y) == expected, (X.tolist(), y.tolist())
        seen[expected] += 1
    assert min(seen.values()) >= 30


def test_infinite_columns_are_those_that_run_away():
    """Newton's estimates after 10 and after 20 steps: the infinite ones have moved, no others."""
    sm = pytest.importorskip("statsmodels.api")
    X = np.column_stack([np.ones(16), ENDOMETRIAL["NV"], ENDOMETRIAL["PI"], ENDOMETRIAL["EH"]])
    y = np.array(ENDOMETRIAL["HG"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        early, late = (sm.Logit(y, X).fit(disp=0, maxiter=steps, tol=0).params for steps in (10, 20))
    moved = np.abs(late - early) > 1
    assert moved.tolist() == [False, True, False, False]
    assert late[1] > 0


def test_ways_to_give_a_design(separable):
    from scipy import sparse

    X, y = separable
    assert linsep.check_separation(X, y, intercept=True).kind == "complete"
    assert linsep.check_separation(sparse.csr_array(X), y, intercept=True).kind == "complete"
    words = np.where(y == 1, "yes", "no")
    found = linsep.check_separation(X, words, intercept=True)
    assert "complete" in repr(found) and "complete" in found._repr_html_()
    noisy = np.random.default_rng(0).normal(size=(3000, 8))
    limited = linsep.check_separation(noisy, noisy[:, 0] > noisy[::-1, 1], time_limit=1e-9)
    assert limited.kind == "undecided" and not limited.estimate_exists and not limited
    with pytest.raises(ValueError, match=r"row 1, column 1 .counted from 0.: .*NaN"):
        linsep.check_separation([[1, 2], [1, np.nan]], [0, 1])
    # One class alone is an answer.
    found = linsep.check_separation([[1.0], [2.0]], [1, 1], intercept=True)
    assert found.kind == "complete" and found.infinite == {"intercept": "±inf", "x0": "±inf"}
    found = linsep.check_separation([[1.0], [2.0]], [0, 0])
    assert found.kind == "complete" and found.infinite == {"x0": "-inf"}


def test_no_prime_fools_it():
    # Modulo either of these primes one of the columns is zero.
    p, q = 2**31 - 1, 2**31 - 19
    check([[p, 0], [p, 0], [0, q], [0, q]], [0, 1, 0, 1], "overlap", {}, [])
    check([[p, 0], [p, 0], [0, q]], [0, 1, 1], "quasi-complete", {"x1": "+inf"}, [2])


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"max_passes": 0}, "max_passes is 0; expected an integer, at least 1"),
        ({"max_passes": -3}, "max_passes is -3"),
        ({"max_passes": 1.5}, "max_passes is 1.5"),
        ({"time_limit": 0}, "time_limit is 0"),
        ({"time_limit": -1}, "time_limit is -1"),
        ({"time_limit": float("nan")}, "time_limit is NaN; expected a time above 0"),
    ],
)
def test_bad_options_are_a_value_error(option, message):
    with pytest.raises(ValueError, match=message):
        linsep.check_separation([[0.0], [1.0]], [0, 1], **option)


def test_a_limit_is_one_for_the_whole_question_and_what_is_proven_is_said():
    X = np.column_stack([ENDOMETRIAL[name] for name in ("NV", "PI", "EH")])
    kinds = set()
    for most in range(1, 40):
        found = linsep.check_separation(X, ENDOMETRIAL["HG"], intercept=True, max_passes=most)
        kinds.add((found.kind, found.because, found.unfinished))
        if found.unfinished == "coefficients":
            # That no estimate exists is proven, by rows that are separated for certain.
            assert found and set(found.rows) <= {12, 13, 14, 15} and found.proof is not None
            assert set(found.to_frame()["estimate"]) == {"unknown"} and not found.next_steps
            said = " ".join(repr(found).split())
            assert "the passes ran out (max_passes= allows more) before it was known which" in said
    assert ("quasi-complete", "passes", "coefficients") in kinds
    assert ("quasi-complete", None, None) in kinds
    assert all(because == "passes" for kind, because, _ in kinds if kind == "undecided")


def test_random_labels_of_wide_rows_end_in_time():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 1000)), rng.integers(0, 2, 100)
    begun = time.monotonic()
    found = linsep.check_separation(X, y, intercept=True, time_limit=1.0)
    # Alone the coefficients take many times as long.
    assert time.monotonic() - begun < 10
    assert found.because == "time"
    assert found.kind in ("complete", "undecided")
