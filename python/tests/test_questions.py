"""A proof answers one question, and outputs never land on what was read: as the program has it in
tests/transcripts/questions.md and overwriting.md."""

import os
import pickle

import linsep
import numpy as np
import pytest

NI = ([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])


def test_a_model_without_an_intercept_is_another_one():
    X, y = NI
    without = linsep.check_separation(X, y)
    assert without.kind == "overlap"
    found = linsep.verify_separation(without.proof, X, y)
    assert found and found.model == "binomial model without an intercept"
    refused = linsep.verify_separation(without.proof, X, y, intercept=True)
    assert not refused and refused.verdict is None and refused.model is None
    assert "the question about a binomial model with an intercept" in str(refused)
    with_one = linsep.check_separation(X, y, intercept=True)
    assert with_one.kind == "complete"
    assert not linsep.verify_separation(with_one.proof, X, y)


def test_rows_as_they_stand_are_not_a_model():
    X, y = NI
    rows = linsep.decide(X, y).proof
    assert linsep.verify(X, y, rows).model is None
    refused = linsep.verify_separation(rows, X, y, intercept=True)
    assert not refused and "about the rows as they stand" in str(refused)
    for intercept in (True, False):
        # Also where a constant column makes the vectors the very rows of the data.
        design = np.column_stack([np.ones(4), X])
        proof = linsep.check_separation(design, y, intercept=intercept).proof
        assert linsep.verify_separation(proof, design, y, intercept=intercept)
        assert not linsep.verify(design, y, proof)
        assert not proof.verify(design, y)


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ({"ties": "efron"}, {}),
        ({"ties": "exact"}, {"ties": "breslow"}),
        ({"event": [1, 1, 1, 0]}, {"event": [1, 1, 0, 0]}),
        ({"groups": [1, 1, 1, 1]}, {"groups": [1, 2, 1, 2]}),
    ],
)
def test_options_of_a_cox_model(made, asked):
    X = [[3.0], [1.0], [2.0], [4.0]]
    options = {"model": "cox", "time": [1, 1, 2, 3]}
    proof = linsep.check_separation(X, **options, **made).proof
    assert linsep.verify_separation(proof, X, **options, **made)
    assert not linsep.verify_separation(proof, X, **options, **asked)


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ({"model": "cumulative"}, {"model": "cumulative", "parallel": False}),
        ({"model": "cumulative"}, {"model": "sequential"}),
        ({"model": "adjacent", "parallel": False}, {"model": "adjacent"}),
        ({"model": "multinomial"}, {"model": "multinomial", "intercept": True}),
        ({"model": "multinomial"}, {"model": "multinomial", "levels": [3, 2, 1]}),
        ({"model": "poisson"}, {"model": "negative-binomial"}),
    ],
)
def test_options_of_categories_and_counts(made, asked):
    X, y = [[1.0, 2], [2, 1], [3, 5], [1, 4], [2, 2], [3, 1]], [1, 2, 3, 2, 3, 1]
    proof = linsep.check_separation(X, y, **made).proof
    assert linsep.verify_separation(proof, X, y, **made)
    assert not linsep.verify_separation(proof, X, y, **asked)


def test_a_table_is_asked_about_with_its_question(tmp_path):
    path = tmp_path / "ni.csv"
    path.write_text("x,y\n1,0\n2,0\n3,1\n4,1\n")
    for intercept in (True, False):
        found = linsep.check_separation(path, intercept=intercept)
        assert linsep.verify_separation(found.proof, path, intercept=intercept)
        assert linsep.verify_separation(found.proof, linsep.open(path), intercept=intercept)
        assert not linsep.verify_separation(found.proof, path, intercept=not intercept)
        assert not linsep.verify(path, found.proof)


def test_the_classifier_for_all_is_one_question():
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "c"]
    argmax = linsep.separability_matrix(X, y, argmax=True).argmax
    assert argmax.verify(X, y)
    other = linsep.check_separation(X, y, model="multinomial").proof
    forged = type(argmax)(**{**vars(argmax), "proof": other})
    assert not forged.verify(X, y)


def test_no_proof_lands_on_the_data(tmp_path):
    path, link = tmp_path / "g.csv", tmp_path / "link.csv"
    text = "x,y\n1,0\n2,0\n3,1\n4,1\n"
    path.write_text(text)
    link.symlink_to(path)
    os.link(path, tmp_path / "hard.csv")
    decision = linsep.decide(linsep.open(path))
    proof = pickle.loads(pickle.dumps(decision.proof))
    for place in (path, link, tmp_path / "hard.csv", f"{tmp_path}/./g.csv"):
        with pytest.raises(ValueError, match="the proof would overwrite the data"):
            decision.proof.save(place)
        with pytest.raises(ValueError, match="the proof would overwrite the data"):
            proof.save(place)
        with pytest.raises(ValueError, match="the proof would overwrite the data"):
            linsep.check_separation(path).proof.save(place)
        with pytest.raises(ValueError, match="the checkpoint would overwrite the data"):
            linsep.decide(path, checkpoint=place)
    assert path.read_text() == text
    decision.proof.save(tmp_path / "p.json")
    assert linsep.verify(path, tmp_path / "p.json")


def test_no_page_lands_on_the_data(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.array(NI[0]))
    before = path.read_bytes()
    decision = linsep.decide(np.load(path, mmap_mode="r"), NI[1])
    with pytest.raises(ValueError, match="the page would overwrite the data"):
        decision.report(path)
    with pytest.raises(ValueError, match="the proof would overwrite the data"):
        decision.proof.save(path)
    assert path.read_bytes() == before
    decision.report(tmp_path / "page.html")
    decision.report(tmp_path / "page.html")
