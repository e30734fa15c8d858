"""Pictures: what is in them is what was found, nothing overlaps, and nothing else is touched."""

import copy
import dataclasses
import json
import pickle
import sys

import linsep
import numpy as np
import pytest
from conftest import make_picture, make_separable
from linsep import _linsep, _plot

matplotlib = pytest.importorskip("matplotlib")
plt = pytest.importorskip("matplotlib.pyplot")

ALL = [name for name, _, _ in _linsep.methods()]


@pytest.fixture(autouse=True)
def no_traces():
    """No picture changes a setting, and none stays open."""
    before = dict(matplotlib.rcParams)
    yield
    assert dict(matplotlib.rcParams) == before
    plt.close("all")


@pytest.fixture
def wrong_labels():
    X, y = make_separable(200, 3, seed=1, gap=0.6)
    wrong = [20, 90, 150]
    y[wrong] ^= 1
    return X, y, wrong


def save_table(folder, X, y):
    """Write rows of three features to a CSV file, with a column of names, and return its path."""
    rows = [f"r{k},{a},{b},{c},{label}" for k, ((a, b, c), label) in enumerate(zip(X, y, strict=True))]
    path = folder / "points.csv"
    path.write_text("\n".join(["name,long,broad,deep,label", *rows]) + "\n")
    return path


def words(ax):
    return [text.get_text() for text in ax.texts]


def check_inside_and_apart(ax, texts):
    """Assert that no text leaves the axes or covers another."""
    ax.figure.canvas.draw()
    frame = ax.get_window_extent()
    # The box of an annotation reaches to what it points at; the text's own does not.
    boxes = [matplotlib.text.Text.get_window_extent(text) for text in texts]
    for k, box in enumerate(boxes):
        assert frame.x0 <= box.x0 and box.x1 <= frame.x1, texts[k].get_text()
        assert frame.y0 <= box.y0 and box.y1 <= frame.y1, texts[k].get_text()
        for other in boxes[:k]:
            assert not box.overlaps(other.padded(-1)), texts[k].get_text()


@pytest.mark.parametrize("x", ["epochs", "work"])
@pytest.mark.parametrize("gap", [0.0, 0.5])
def test_a_race_of_all_methods_can_be_read(x, gap):
    X, y = make_separable(150, 4, gap=gap)
    race = linsep.race(X, y, "all", max_epochs=100)
    ax = race.plot(x)
    assert sorted(words(ax)) == sorted(ALL)
    check_inside_and_apart(ax, ax.texts)
    lines = {line.get_label(): line for line in ax.lines if line.get_label() in ALL}
    for entrant in race:
        line = lines[entrant.name]
        expected = entrant.passes_after if x == "work" else np.arange(1, entrant.epochs + 1)
        assert line.get_xdata()[-1] == expected[-1]
        assert line.get_ydata()[-1] == entrant.mistakes
        if entrant.epochs < 20:
            np.testing.assert_array_equal(line.get_xdata(), expected)
            np.testing.assert_array_equal(line.get_ydata(), entrant.mistakes_after)
    looks = {(line.get_color(), str(line._dash_pattern)) for line in lines.values()}
    markers = {line.get_marker() for line in lines.values()}
    assert len(looks) == len(markers) == len(ALL)
    rings = [line for line in ax.lines if line.get_markersize() == 12]
    assert len(rings) == sum(entrant.stop in ("separated", "converged") for entrant in race)
    ticks = [label.get_text() for label in ax.get_yticklabels()]
    low, _ = ax.get_ylim()
    assert "0" in ticks and low < 0
    assert ax.get_title() == "150 rows x 4 features"


def test_a_race_that_ended_at_once_is_drawn():
    race = linsep.race([[1.0], [2.0], [4.0]], [0, 0, 1], ["fine", "lp"])
    assert race.plot().get_xlabel() == "epoch (a ring: finished)"
    entrant = race["fine"]
    # Cut short in the first epoch.
    empty = dataclasses.replace(
        entrant, mistakes_after=entrant.mistakes_after[:0], passes_after=entrant.passes_after[:0]
    )
    ax = dataclasses.replace(race, entrants=(empty,)).plot("work")
    assert words(ax) == ["fine"]
    with pytest.raises(ValueError, match='x is \'time\'; expected "epochs" or "work"'):
        race.plot("time")


def test_a_method_looks_the_same_in_every_race(separable):
    def looks(*methods):
        line = next(line for line in linsep.race(*separable, methods).plot().lines)
        return line.get_color(), line.get_linestyle(), line.get_marker()

    assert looks("svm") == looks("svm", "fine", "pocket")


def test_pictures_go_where_they_are_told(separable):
    X, y = separable
    figure, axes = plt.subplots(2, 3)
    decision = linsep.decide(X, y)
    matrix = linsep.separability_matrix(X, y + (X[:, 0] > 1))
    assert linsep.race(X, y).plot(ax=axes[0, 0]) is axes[0, 0]
    assert matrix.plot(ax=axes[0, 1]) is axes[0, 1]
    assert decision.plot(kind="view", ax=axes[0, 2]) is axes[0, 2]
    assert decision.plot(ax=axes[1]).tolist() == axes[1].tolist()
    assert plt.get_fignums() == [figure.number]
    with pytest.raises(ValueError, match="expected three axes"):
        decision.plot(ax=axes[0, 0])
    # A figure that pyplot does not know of will do.
    own = matplotlib.figure.Figure()
    linsep.race(X, y).plot(ax=own.subplots())
    assert plt.get_fignums() == [figure.number]


def test_spread_keeps_order_and_distance():
    places = _plot.spread([0.0, 0.0, 0.0, 0.5, 0.99, 0.99], 0.1, 0.0, 1.0)
    np.testing.assert_allclose(places, [0.0, 0.1, 0.2, 0.5, 0.9, 1.0])
    np.testing.assert_allclose(_plot.spread([0.5], 0.1, 0.0, 1.0), [0.5])
    # Too many for the room come closer.
    np.testing.assert_allclose(np.diff(_plot.spread([0.5] * 21, 0.1, 0.0, 1.0)), 0.05)


def test_a_matrix_of_verdicts():
    matrix = linsep.separability_matrix([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "c"])
    ax = matrix.plot()
    # Three pairs, drawn on both sides of the diagonal, and three against the rest.
    assert len(ax.patches) == 9
    assert words(ax).count("separable") == 8 and words(ax).count("inseparable") == 1
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c", "rest"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c"]
    lower = matrix.one_vs_one["a", "b"].margin.lower
    assert f"{lower:.2g}" in words(ax)
    assert "angular margin" in ax.get_xlabel()


def test_what_is_called_at_least_is_proven():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(20, 3)) + 9 * k for k in range(6)])
    matrix = linsep.separability_matrix(X, np.repeat(np.arange(6), 20))
    ax = matrix.plot()
    assert "at least" in ax.get_xlabel()
    drawn = [float(t.get_text()) for t in ax.texts if t.get_text()[:1].isdigit()]
    proven = [matrix.margin(a, b).lower for a in range(6) for b in range(6) if a != b]
    proven += [d.margin.lower for d in matrix.one_vs_rest.values() if d.separable]
    assert len(drawn) == len(proven)
    for shown, lower in zip(sorted(drawn), sorted(proven), strict=True):
        assert 0.5 * lower < shown <= lower


def test_a_matrix_of_many_classes_can_be_read():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 10
    X = rng.normal(size=(10, 6))[y] + 0.3 * rng.normal(size=(400, 6))
    matrix = linsep.separability_matrix(X, y)
    ax = matrix.plot()
    assert len(ax.patches) == 100
    signs = {"separable": "+", "quasi-separable": "~", "inseparable": "×", "undecided": "?"}
    verdicts = [matrix.verdict(a, b) for a in range(10) for b in range(10) if a != b]
    verdicts += [matrix.verdict(a) for a in range(10)]
    for verdict, sign in signs.items():
        assert words(ax).count(sign) == verdicts.count(verdict)
        assert (f"{sign} {verdict}" in ax.get_xlabel()) == (verdict in verdicts)
    check_inside_and_apart(ax, ax.texts)


def test_distances_are_those_of_the_rows(separable):
    X, y = separable
    decision = linsep.decide(X, y, margin="max", margin_kind="geometric")
    ax = decision.plot(kind="distances")
    assert ax.get_title() == "all 300 rows on their own side"
    counts = [int(patch.get_data().values.sum()) for patch in ax.patches if hasattr(patch, "get_data")]
    assert counts == [(y == 0).sum(), (y == 1).sum()]
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names[:2] == [f"0 ({(y == 0).sum()})", f"1 ({(y == 1).sum()})"]
    assert names[2] == f"no row nearer than {decision.margin.lower:.3g}"


def test_a_view_marks_and_names_rows(wrong_labels):
    pd = pytest.importorskip("pandas")
    X, y, wrong = wrong_labels
    decision = linsep.decide(X, y, explain=True)
    assert sorted(decision.explanation.suspects.tolist()) == wrong
    ax = decision.plot(kind="view")
    assert set(map(str, wrong)) <= set(words(ax))
    assert decision.plot(kind="distances").get_title() == "3 of 200 rows not on their own side"
    check_inside_and_apart(ax, ax.texts)
    frame = pd.DataFrame(X, columns=["long", "broad", "deep"], index=[f"r{k}" for k in range(200)])
    named = linsep.decide(frame, y, explain=True)
    assert {f"r{k}" for k in wrong} <= set(words(named.plot(kind="view")))
    bars = named.plot(kind="weights")
    assert {label.get_text() for label in bars.get_yticklabels()} == {"long", "broad", "deep"}
    scaled = np.abs(named.explanation.coef * X.std(axis=0))
    assert bars.get_yticklabels()[0].get_text() == frame.columns[scaled.argmax()]


FOUR = np.array([[0.0, 10.0], [1.0, 30.0], [4.0, 20.0], [5.0, 50.0]])


def test_two_features_are_drawn_with_the_line_between_them():
    decision = linsep.decide(FOUR, ["a", "a", "b", "b"])
    ax = decision.plot(kind="plane")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x0", "x1")
    offsets = [tuple(at) for dots in ax.collections for at in dots.get_offsets()]
    assert set(map(tuple, FOUR)) <= set(offsets)
    # Two edges, and the line between them.
    lower, upper, line = [artist for artist in ax.lines if len(artist.get_xdata()) == 2]
    assert np.abs(line.get_xydata() @ decision.coef + decision.intercept).max() < 1e-9
    length = np.linalg.norm(decision.coef)
    margin = np.abs(FOUR @ decision.coef + decision.intercept).min() / length
    for edge, expected in ((lower, -margin), (upper, margin)):
        found = (edge.get_xydata() @ decision.coef + decision.intercept) / length
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    (band,) = [patch for patch in ax.patches if hasattr(patch, "get_xy")]
    within = (band.get_xy() @ decision.coef + decision.intercept) / length
    assert np.abs(within).max() <= margin * (1 + 1e-9)
    # Of all three the first, in the place of the view.
    first, second, third = decision.plot()
    assert first.get_xlabel() == "x0"
    assert "distance" in second.get_xlabel() and "weight" in third.get_xlabel()


def test_where_no_line_separates_there_are_no_edges(xor):
    ax = linsep.decide(*xor).plot(kind="plane")
    assert len([artist for artist in ax.lines if len(artist.get_xdata()) == 2]) <= 1
    assert not ax.patches
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "in conflict (4)" in names
    check_inside_and_apart(ax, ax.texts)


def test_rows_that_are_alike_are_one_point_with_their_number():
    X = np.repeat(FOUR, [3, 1, 1, 2], axis=0)
    y = ["a"] * 4 + ["b"] * 3
    ax = linsep.decide(X, y).plot(kind="plane")
    counts = sorted(text for text in words(ax) if text.startswith("×"))
    assert counts == ["×2", "×3"]
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"a (4)", "b (3)"} <= set(names)


def test_many_rows_of_two_features_are_cells():
    X, y = make_separable(6000, 2, gap=0.2)
    ax = linsep.decide(X, y).plot(kind="plane")
    (image,) = ax.images
    assert image.get_array().shape == (54, 90, 4)
    left, right, low, high = image.get_extent()
    assert (left, right) == (X[:, 0].min(), X[:, 0].max())
    assert (low, high) == (X[:, 1].min(), X[:, 1].max())


def test_the_plane_is_for_two_features(separable):
    decision = linsep.decide(*separable)
    with pytest.raises(ValueError, match="shows two features, and there are 5"):
        decision.plot(kind="plane")
    assert decision.plot()[1].get_ylabel() == "direction of largest spread within it"


def test_the_plane_names_features_and_marks_suspects():
    pd = pytest.importorskip("pandas")
    X, y = make_separable(120, 2, seed=3, gap=0.4)
    y[17] ^= 1
    frame = pd.DataFrame(X, columns=["long", "broad"], index=[f"r{k}" for k in range(120)])
    ax = linsep.decide(frame, y, explain=True).plot(kind="plane")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("long", "broad")
    assert "r17" in words(ax)
    check_inside_and_apart(ax, ax.texts)


def test_a_fit_draws_its_hyperplane(separable, xor):
    found = linsep.fit(FOUR, ["a", "a", "b", "b"])
    assert found.plot(kind="plane").get_title() == "all 4 rows on their own side"
    axes = found.plot()
    assert axes.shape == (3,) and axes[0].figure.get_suptitle() == "separated: 'b' against 'a'"
    failed = linsep.fit(*xor, "perceptron", max_epochs=3)
    assert failed.plot()[0].figure.get_suptitle().startswith("not separated")
    wide = linsep.fit(*separable)
    assert wide.plot(kind="distances").get_title() == "all 300 rows on their own side"
    with pytest.raises(ValueError, match="shows two features, and there are 5"):
        wide.plot(kind="plane")
    with pytest.raises(ValueError, match="fit again, and plot then"):
        pickle.loads(pickle.dumps(found)).plot()


def test_no_line_of_a_race_rises_from_zero():
    X, y = make_separable(200, 4, gap=0.3)
    race = linsep.race(X, y, ["joint", "fine", "perceptron", "averaged"])
    ax = race.plot()
    own = [line for line in ax.lines if line.get_transform() == ax.transData]
    done = [line for line in own if line.get_ydata()[-1] == 0]
    assert len([e for e in race if e.separated]) >= 2 and done
    for line in own:
        found = np.asarray(line.get_ydata())
        zero = np.flatnonzero(found == 0)
        if len(zero):
            assert (found[zero[0] :] == 0).all(), line.get_label()
    # Beside a name there is a level piece of its line, and nothing leads there.
    assert all(text.arrow_patch is None for text in ax.texts)
    pieces = [line for line in ax.lines if line.get_transform() == ax.transAxes]
    assert len(pieces) == len(race)
    assert all(len(set(line.get_ydata())) == 1 for line in pieces)
    low, _ = ax.get_ylim()
    assert ax.get_yscale() == "symlog" and low < 0


def test_many_rows_are_drawn_as_cells():
    X, y = make_separable(3000, 3, gap=0.5)
    ax = linsep.decide(X, y).plot(kind="view")
    (image,) = ax.images
    assert image.get_array().shape == (40, 64, 4)
    assert (ax.get_xlim(), ax.get_ylim()) != ((0, 1), (0, 1))
    X, y = make_separable(12_000, 3, gap=0.5)
    assert "logarithmic" in linsep.decide(X, y).plot(kind="distances").get_ylabel()


def test_many_features_are_cut_to_the_largest():
    X, y = make_separable(80, 60, gap=1.0)
    ax = linsep.decide(X, y).plot(kind="weights")
    assert len(ax.get_yticklabels()) == 20
    assert ax.get_title() == "the 20 largest of 60 weights"
    assert all(label.get_text().startswith("x") for label in ax.get_yticklabels())


def test_pairs_of_a_matrix_draw_their_own_rows():
    X = np.array([[9.0], [0.0], [1.0], [0.5], [8.0]])
    matrix = linsep.separability_matrix(X, ["z", "a", "a", "b", "z"])
    ax = matrix.one_vs_one["a", "b"].plot(kind="view")
    # Rows have the numbers that they have in all of the data.
    assert set(words(ax)) == {"1", "2", "3"}
    assert matrix.one_vs_rest["z"].plot().shape == (3,)


def test_a_decision_keeps_its_data_to_itself(separable):
    X, y = separable
    decision = linsep.decide(X, y)
    assert decision._data.matrix.values is X
    assert "_data" not in dataclasses.asdict(decision) and "_data" not in repr(decision)
    assert len(pickle.dumps(decision)) < X.nbytes
    for other in (pickle.loads(pickle.dumps(decision)), copy.deepcopy(decision)):
        with pytest.raises(ValueError, match=r"pass it, as decision\.plot\(X, y\)"):
            other.plot()
        assert other.plot(X, y).shape == (3,)
        with pytest.raises(ValueError, match="about 300 rows x 5 features; found 299 x 5"):
            other.plot(X[1:], y[1:])
    with pytest.raises(TypeError, match="y is missing"):
        decision.plot(X)


def test_labels_of_more_than_two_classes_are_taken_as_before():
    X = [[0.0], [1.0], [2.0], [3.0]]
    decision = linsep.decide(X, ["a", "b", "b", "c"], positive="a")
    ax = pickle.loads(pickle.dumps(decision)).plot(X, ["a", "b", "b", "c"], kind="distances")
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names[:2] == ["rest (3)", "a (1)"]


def test_what_cannot_be_drawn_is_said(separable):
    decision = linsep.decide(*separable)
    with pytest.raises(ValueError, match="kind is 'pie'; expected"):
        decision.plot(kind="pie")
    flat = dataclasses.replace(decision, coef=np.zeros(5), intercept=1.0)
    axes = flat.plot(*separable)
    assert words(axes[0]) == ["all weights are zero: no distances"]
    # All rows on one side: the hyperplane is in the picture.
    far = dataclasses.replace(decision, intercept=1e3)
    left, right = far.plot(*separable, kind="view").get_xlim()
    assert left < 0 < right


def test_a_table_names_its_rows_and_features(tmp_path, monkeypatch, wrong_labels):
    X, y, _ = wrong_labels
    path = save_table(tmp_path, X, y)

    def picture(rows, positive, *more):
        assert isinstance(rows, _linsep.Rows) and positive is None
        seen = json.loads(make_picture(X, y == 1, *more))
        for mark in seen["marked"]:
            mark["name"] = f"r{mark['row']}" if named else str(mark["row"] + 1)
        for weight in seen["weights"]:
            weight["feature"] = ["long", "broad", "deep"][int(weight["feature"][1:]) - 1]
        return json.dumps(seen)

    monkeypatch.setattr(_linsep, "picture", picture)
    for named in (True, False):
        options = {"row_id": "name"} if named else {"exclude": "name"}
        _, view, weights = linsep.decide(linsep.open(path, **options)).plot()
        assert {label.get_text() for label in weights.get_yticklabels()} == {"long", "broad", "deep"}
        # Without names they are counted from 0, as everywhere in Python.
        numbers = {int(word.removeprefix("r")) for word in words(view)}
        assert {word.startswith("r") for word in words(view)} == {named}
        assert set(linsep.decide(X, y).conflicting_rows.tolist()) <= numbers


def test_without_matplotlib_the_remedy_is_named(monkeypatch, separable):
    race, decision = linsep.race(*separable), linsep.decide(*separable)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in (race.plot, decision.plot, lambda: decision.plot(kind="view")):
        with pytest.raises(
            ImportError, match=r'plotting needs matplotlib: pip install "linsep\[plot\]"'
        ):
            draw()


def test_rust_sees_what_numpy_sees(tmp_path, wrong_labels):
    X, y, wrong = wrong_labels
    decision = linsep.decide(X, y, explain=True)
    why = decision.explanation
    arguments = (why.coef, why.intercept, decision.conflicting_rows.tolist(), wrong)
    found = json.loads(_linsep.picture(decision._data.given(), *arguments))
    expected = json.loads(make_picture(X, y == 1, *arguments))
    assert found["mistakes"] == expected["mistakes"]
    assert found["smallest"] == pytest.approx(expected["smallest"])
    # As many rows on either side of the hyperplane, which is an edge between two bins.
    edges = np.array(found["histogram"]["edges"])
    assert np.abs(edges).min() < 1e-9
    for label, side in (("negative", y != 1), ("positive", y == 1)):
        counts = np.array(found["histogram"][label])
        below = (X[side] @ why.coef + why.intercept < 0).sum()
        assert counts.sum() == side.sum() and counts[edges[1:] < 1e-9].sum() == below
    assert [m["row"] for m in found["marked"]] == [m["row"] for m in expected["marked"]]
    across = [point["x"] for point in found["view"]["points"]]
    assert across == pytest.approx([point["x"] for point in expected["view"]["points"]])
    assert [w["scaled"] for w in found["weights"]] == pytest.approx(
        [w["scaled"] for w in expected["weights"]]
    )
    # A table names its rows and features itself.
    path = save_table(tmp_path, X, y)
    for stream in (False, True):
        table = linsep.open(path, row_id="name", stream=stream)
        axes = linsep.decide(table).plot()
        assert {label.get_text() for label in axes[2].get_yticklabels()} == {"long", "broad", "deep"}
        assert axes[1].texts and all(word.startswith("r") for word in words(axes[1]))


def test_epochs_too_many_to_be_told_apart_become_a_band():
    rng = np.random.default_rng(0)
    race = linsep.race([[1.0], [2.0], [4.0]], [0, 0, 1], "fine")
    mistakes = rng.integers(3, 50, size=5000)
    mistakes[[0, -1]] = 70, 2
    noisy = dataclasses.replace(
        race["fine"], mistakes_after=mistakes, passes_after=np.arange(1.0, 5001.0), mistakes=2
    )
    ax = dataclasses.replace(race, entrants=(noisy,)).plot()
    (band,) = ax.collections
    box = band.get_datalim(ax.transData)
    assert (box.x0, box.x1, box.y0, box.y1) == (1, 5000, 2, 70)
    line = ax.lines[0]
    assert len(line.get_xdata()) < 150
    assert (line.get_xdata()[0], line.get_ydata()[0]) == (1, 70)
    assert (line.get_xdata()[-1], line.get_ydata()[-1]) == (5000, 2)


def test_names_are_not_formulas():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"$\\undefined{a}$": [0.0, 0, 1, 1], "b$": [0.0, 1, 0, 1]})
    y = ["$x$", "$x$", "$x$", "$\\frac$"]
    fit = linsep.fit(X, y, trace=True)
    linsep.decide(X, y).plot(kind="plane")
    linsep.decide(X, y).plot(kind="weights")
    linsep.separability_matrix(X, y).plot()
    fit.plot()
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    animation = fit.animate()
    animation._draw_frame(1)
    animation._fig.canvas.draw()
