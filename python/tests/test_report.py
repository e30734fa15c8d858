"""The page of a decision; what it looks like is for the tests in a browser."""

import pickle

import linsep
import numpy as np
import pytest
from conftest import make_separable


@pytest.fixture
def data():
    X, y = make_separable(80, 3)
    return X, np.where(y > 0, "yes", "no")


def test_a_report_is_a_whole_file_or_none(tmp_path, data):
    decision = linsep.decide(*data)
    path = tmp_path / "my data.html"
    decision.report(path)
    page = path.read_text(encoding="utf-8")
    assert "<title>my data: separable</title>" in page
    assert page == decision.to_html(title="my data")
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError):
        decision.report(tmp_path / "nowhere" / "page.html")
    assert list(tmp_path.iterdir()) == [path]


def test_names_of_frames_are_on_the_page(data):
    pd = pytest.importorskip("pandas")
    X, y = data
    frame = pd.DataFrame(X, columns=["long", "<broad>", "deep"], index=[f"r{k}" for k in range(80)])
    y[5] = "no" if y[5] == "yes" else "yes"
    page = linsep.decide(frame, y, explain=True).to_html()
    assert "row r5, " in page and "&lt;broad&gt;" in page and "<broad>" not in page


def test_pairs_count_rows_as_the_matrix_does():
    X = [[0.0], [9.0], [1.0], [8.0], [5.0]]
    matrix = linsep.separability_matrix(X, ["a", "c", "a", "c", "b"])
    page = matrix.one_vs_one["a", "c"].to_html()
    assert "row 3, " in page and "row 4, " not in page


def test_a_table_names_its_rows_itself(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("name,age,label\nann,1,no\nbob,2,no\ncy,5,yes\n")
    page = linsep.decide(linsep.open(path, row_id="name")).to_html()
    assert "row cy, " in page and "age 5" in page


def test_without_its_data_there_is_no_page(data):
    decision = pickle.loads(pickle.dumps(linsep.decide(*data)))
    with pytest.raises(ValueError, match="decide again, and report then"):
        decision.to_html()


def test_the_weak_separator_is_what_is_drawn():
    pytest.importorskip("matplotlib")
    # Only the second feature separates, and three rows lie on the hyperplane.
    X, y = [[1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]], [0, 1, 0, 1]
    decision = linsep.decide(X, y)
    assert decision.verdict == "quasi-separable"
    assert "some rows lie on it" in decision.to_html()
    axes = decision.plot(kind="weights")
    names = dict(zip(axes.get_yticks(), (t.get_text() for t in axes.get_yticklabels()), strict=True))
    widths = {names[bar.get_y() + bar.get_height() / 2]: bar.get_width() for bar in axes.patches}
    assert widths["x0"] == 0 and widths["x1"] > 0
