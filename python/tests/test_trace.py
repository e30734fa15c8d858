"""Updates one by one: arrays, an animation, and the files that the program writes."""

import json
import pickle
import subprocess
from pathlib import Path

import linsep
import numpy as np
import pytest
from conftest import make_separable

XOR = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]


def lifted(x, y):
    z = np.append(x, 1.0) / np.linalg.norm(np.append(x, 1.0))
    return z if y == 1 else -z


def test_a_trace_is_the_run_update_by_update(separable):
    X, y = separable
    fit = linsep.fit(X, y, "fine", trace=True, shuffle=True, seed=2)
    trace = fit.trace
    assert trace is not None and len(trace) == fit.entrant.updates and trace.left_out == 0
    assert trace.weights.shape == (len(trace), X.shape[1]) and trace.biases.shape == (len(trace),)
    assert trace.weights[-1].tolist() == fit.coef.tolist() and trace.biases[-1] == fit.intercept
    assert (np.diff(trace.epochs) >= 0).all() and trace.mistakes.all()
    # Each step is the paper's: w += (epsilon - w·z) z.
    w = np.append(trace.start_weights, trace.start_bias)
    assert np.allclose(w, lifted(X[0], y[0]))
    for k, row in enumerate(trace.rows):
        z = lifted(X[row], y[row])
        assert trace.scores_before[k] == pytest.approx(w @ z, abs=1e-12) and trace.scores_before[k] <= 0
        w = w + (1e-9 - w @ z) * z
        assert np.allclose(w, [*trace.weights[k], trace.biases[k]], atol=1e-12)
        assert trace.scores_after[k] == pytest.approx(1e-9, abs=1e-12)


def test_a_trace_changes_nothing_and_is_not_made_unasked(separable):
    plain, traced = linsep.race(*separable), linsep.race(*separable, trace=3)
    assert plain["fine"].trace is None and linsep.fit(*separable).trace is None
    for a, b in zip(plain, traced, strict=True):
        assert a.coef.tolist() == b.coef.tolist() and a.updates == b.updates
        assert b.trace is not None and len(b.trace) == min(3, b.updates)
        assert b.trace.left_out == b.updates - len(b.trace)
        assert a.to_dict().keys() == b.to_dict().keys()
    assert "left out" in repr(traced["perceptron"].trace)
    assert list(plain.to_frame().columns) == list(traced.to_frame().columns)


def test_a_projection_has_no_row():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 4))
    trace = linsep.fit(X, rng.integers(0, 2, 60), max_epochs=2, trace=True).trace
    assert trace is not None
    projected = trace.rows == -1
    assert projected.any() and np.isnan(trace.scores_before[projected]).all()
    assert not trace.mistakes[projected].any() and np.isfinite(trace.scores_after[~projected]).all()


def test_numbers_of_updates_are_checked():
    for wrong in (-1, 2.5, 100_001):
        with pytest.raises(ValueError, match=f"trace is {wrong}"):
            linsep.fit(*XOR, trace=wrong)
    assert linsep.fit(*XOR, trace=0, max_epochs=3).trace is None


def test_lines_are_printed_as_it_goes(capsys):
    linsep.fit(*XOR, "perceptron", max_epochs=1, trace=2, verbose=True)
    assert capsys.readouterr().out.splitlines() == [
        "perceptron: epoch 1: row 0 is wrong: w·z = 0, corrected to 1",
        "perceptron: epoch 1: row 1 is wrong: w·z = -0.707, corrected to 0.707",
        "perceptron: epoch 1: 4 mistakes, 4 updates",
        "perceptron: … 2 further updates are not shown",
    ]


def test_files_are_those_of_the_program(tmp_path):
    program = Path(__file__).parents[2] / "target" / "debug" / "linsep"
    if not program.exists():
        pytest.skip("the program is not built")
    data = tmp_path / "data.csv"
    X, y = make_separable(80, 3)
    data.write_text(
        "a,b,c,label\n" + "".join(f"{a},{b},{c},{k}\n" for (a, b, c), k in zip(X, y, strict=True))
    )
    fit, race = linsep.fit(linsep.open(data), trace=True), linsep.race(linsep.open(data), trace=True)
    for command, own in (("fit", fit), ("race", race)):
        theirs, ours = tmp_path / f"{command}-program.csv", tmp_path / f"{command}-python.csv"
        subprocess.run(
            [program, "-q", command, data, "--trace", theirs], check=True, capture_output=True
        )
        own.write_trace(ours)
        assert ours.read_bytes() == theirs.read_bytes()
    page = tmp_path / "page.html"
    race.write_trace(page, title="<b>lesson</b>")
    text = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;lesson" in text and "<b>lesson" not in text
    with pytest.raises(ValueError, match=r"expected a name that ends in \.html or \.csv"):
        fit.write_trace(tmp_path / "steps.txt")
    with pytest.raises(ValueError, match="would overwrite the data"):
        fit.write_trace(data)
    with pytest.raises(ValueError, match="ask for one with trace=True"):
        linsep.fit(linsep.open(data)).write_trace(page)
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv"] * 5 + [".html"]


def test_hostile_names_stay_in_their_place(tmp_path):
    pd = pytest.importorskip("pandas")
    evil = "</script><script>alert(1)</script>"
    frame = pd.DataFrame(XOR[0], columns=[evil, 'a,"b'], index=[evil, "b", "c", "d"])
    race = linsep.race(frame, [evil, "<!--", "<!--", evil], max_epochs=3, trace=True)
    race.write_trace(tmp_path / "a.html", title=evil)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page.count("</script>") == 2 and "alert(1)</" not in page and "<!--" not in page
    told = page.split('id="steps">', 1)[1].split("</script>")[0]
    words = [step["words"] for run in json.loads(told)["runs"] for step in run["steps"]]
    assert any(f"row {evil} is wrong" in own for own in words)
    race.write_trace(tmp_path / "a.csv")
    read = pd.read_csv(tmp_path / "a.csv")
    assert {f"w_{evil}", 'w_a,"b', "row_id"} <= set(read.columns)
    assert evil in set(read["row_id"]) and read["row"].max() == 4


def test_an_animation_shows_every_step(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    race = linsep.race(*XOR, ["fine", "perceptron"], max_epochs=4, trace=True)
    animation = race.animate(interval=10)
    frames = max(len(entrant.trace) for entrant in race) + 2
    animation.save(tmp_path / "steps.gif", writer="pillow")
    image = pytest.importorskip("PIL.Image").open(tmp_path / "steps.gif")
    # Frames that look the same are one.
    assert 5 < image.n_frames <= frames
    figure = plt.gcf()
    assert [ax.get_title(loc="left").split(",")[0] for ax in figure.axes] == ["fine", "perceptron"]
    assert "not separated" in figure.axes[1].get_title(loc="left")
    plt.close("all")
    wide = linsep.fit(*make_separable(60, 5), trace=True)
    wide.animate().save(tmp_path / "wide.gif", writer="pillow")
    assert plt.gcf().axes[0].get_xlabel() == "the first principal direction"
    one = linsep.fit([[100.0], [101.0]], ["no", "yes"], trace=True)
    one.animate().save(tmp_path / "one.gif", writer="pillow")
    plt.close("all")
    with pytest.raises(ValueError, match="ask again with trace=True"):
        pickle.loads(pickle.dumps(race)).animate()
    with pytest.raises(ValueError, match="ask for one with trace=True"):
        linsep.fit(*XOR, max_epochs=2).animate()


def test_a_trace_is_kept_with_the_answer(separable):
    race = pickle.loads(pickle.dumps(linsep.race(*separable, trace=5)))
    assert len(race["fine"].trace) <= 5 and race["fine"].trace.rows.dtype == np.int64
