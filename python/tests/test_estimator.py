"""The scikit-learn classifier."""

import pickle
import subprocess
import sys
import textwrap
import time
import warnings

import linsep
import numpy as np
import pytest
from conftest import make_separable
from linsep import LinearSeparator, _linsep
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

METHODS = ["auto", *(name for name, _, _ in _linsep.methods())]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_separates(method):
    X, y = make_separable(200, 4, gap=0.5)
    model = LinearSeparator(method, max_iter=20_000)
    # A soft margin may leave mistakes where it need not; a hard one does not.
    model.set_params(settings={"hard": True} if method == "svm" else None)
    model.fit(X, y)
    assert model.score(X, y) == 1 and model.verdict_ == "separable"
    assert model.certificate_.verify(X, y)
    assert model.coef_.shape == (1, 4) and model.intercept_.shape == (1,)
    assert model.margin_.lower > 0 and model.n_iter_ >= 1
    assert len(model.conflicting_rows_) == 0
    np.testing.assert_array_equal(model.predict(X), (model.decision_function(X) > 0).astype(int))


def test_auto_answers_what_decide_does(separable):
    X, y = separable
    model, decision = LinearSeparator().fit(X, y), linsep.decide(X, y, margin="max")
    scale = model.intercept_[0] / decision.intercept
    assert np.log2(scale) == round(np.log2(scale)), "a power of two changes no side"
    np.testing.assert_array_equal(model.coef_[0], scale * decision.coef)
    assert model.certificate_ == decision.proof and model.margin_ == decision.margin


def test_auto_on_inseparable_data_is_a_soft_margin():
    X, y = make_blobs(200, centers=2, cluster_std=4, random_state=0)
    model = LinearSeparator(C=0.5).fit(X, y)
    assert model.verdict_ == "inseparable" and model.certificate_.verify(X, y)
    exactly = {"tol": 1e-12, "max_iter": 1_000_000, "settings": {"loss": "l2"}}
    soft = LinearSeparator("svm", C=0.5, **exactly).fit(X, y)
    np.testing.assert_allclose(model.coef_, soft.coef_, rtol=1e-6)
    assert model.score(X, y) > 0.7
    assert set(model.conflicting_rows_) <= set(range(200)) and len(model.conflicting_rows_)


@pytest.mark.parametrize("noise", [0.0, 3.0])
def test_the_answer_does_not_depend_on_order_or_repetition(noise):
    X, y = make_separable(120, 3, gap=0.3)
    X += noise * np.random.default_rng(1).normal(size=X.shape)
    order = np.random.default_rng(0).permutation(len(y))
    twice = np.concatenate([order, order[:50]])
    expected = LinearSeparator().fit(X, y)
    again = LinearSeparator().fit(X[order], y[order])
    np.testing.assert_allclose(again.coef_, expected.coef_, rtol=1e-6)
    weights = np.ones(len(y))
    weights[order[:50]] = 2
    weighted = LinearSeparator().fit(X, y, sample_weight=weights)
    repeated = LinearSeparator().fit(X[twice], y[twice])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("method", ["auto", "svm", "perceptron"])
def test_many_classes(iris, method, multi_class):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = LinearSeparator(method, multi_class=multi_class, max_iter=300)
    with pytest.warns(ConvergenceWarning) if method == "perceptron" else _nothing():
        model.fit(X, names)
    assert model.score(X, names) > {"auto": 0.9, "svm": 0.65, "perceptron": 0.6}[method]
    assert model.decision_function(X).shape == (150, 3) and model.coef_.shape == (3, 4)
    assert len(model.verdict_) == len(model.margin_) == len(model.certificate_) == 3
    if method == "auto":
        expected = ["separable", "inseparable", "inseparable"]
        assert model.verdict_.tolist() == (
            expected if multi_class == "ovr" else ["separable", "separable", "inseparable"]
        )
        assert all(np.isin(y[rows], [1, 2]).all() for rows in model.conflicting_rows_[2:])


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def test_rows_of_weight_zero_are_dropped():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    assert LinearSeparator().fit(X, y).verdict_ == "inseparable"
    model = LinearSeparator().fit(X, y, sample_weight=[1, 0, 2, 3])
    assert model.verdict_ == "separable"
    assert model.certificate_.verify(X[[0, 2, 3]], y[[0, 2, 3]])
    found = LinearSeparator().fit(np.append([[9.0]], X, 0), [1, *y], sample_weight=[0, 1, 1, 1, 1])
    assert set(found.conflicting_rows_) <= {1, 2, 3, 4}
    with pytest.raises(ValueError, match="sample_weight drops every row of the class 0"):
        LinearSeparator().fit(X, y, sample_weight=[0, 1, 0, 1])
    kept = LinearSeparator("perceptron").fit(X, y, sample_weight=[1, 0, 1, 1])
    assert kept.verdict_ == "separable"


@pytest.mark.parametrize("method", METHODS)
def test_weights_are_taken_or_refused(method):
    X, y = make_blobs(100, centers=2, cluster_std=6, random_state=1)
    takes = method in ("auto", "svm", "sgd", "passive-aggressive")
    model = LinearSeparator(method, max_iter=200)
    with pytest.warns() if takes and method not in ("auto", "svm") else _nothing():
        if not takes:
            with pytest.raises(ValueError, match="has no loss that sample_weight could multiply"):
                model.fit(X, y, sample_weight=np.arange(1, 101))
            with pytest.raises(ValueError, match="has no loss that weights could multiply"):
                clone(model).set_params(class_weight={0: 2.0}).fit(X, y)
            with pytest.raises(TypeError, match="unexpected keyword argument 'weight'"):
                model.fit(X, y, weight=1)
            return
        heavy = model.set_params(class_weight={0: 1000, 1: 1e-4}).fit(X, y)
    assert np.mean(heavy.predict(X) == 0) > 0.9


def test_batches(separable):
    X, y = separable
    model = LinearSeparator("perceptron")
    for _ in range(60):
        for start in range(0, 300, 30):
            model.partial_fit(X[start : start + 30], y[start : start + 30], classes=[0, 1])
    assert model.score(X, y) > 0.98 and model.n_iter_ == 600
    # One pass in batches is one epoch.
    batched = LinearSeparator("fine")
    for start in range(0, 300, 100):
        batched.partial_fit(X[start : start + 100], y[start : start + 100])
    whole = LinearSeparator("fine").partial_fit(X, y)
    np.testing.assert_array_equal(batched.coef_, whole.coef_)
    assert LinearSeparator().partial_fit(X, y).coef_.tolist() == whole.coef_.tolist()


def test_batches_may_lack_classes(iris):
    X, y = iris
    for multi_class in ["ovr", "ovo"]:
        model = LinearSeparator("perceptron", multi_class=multi_class)
        for _ in range(100):
            for start in range(0, 150, 50):
                part = slice(start, start + 50)
                model.partial_fit(X[part], y[part], classes=[0, 1, 2])
        # The last batch counts most: its class is known.
        assert model.score(X[100:], y[100:]) > 0.9 and np.isfinite(model.coef_).all()
    with pytest.raises(ValueError, match="pass classes="):
        LinearSeparator("fine").partial_fit(X[:50], y[:50])
    with pytest.raises(ValueError, match="label 2 is not one of classes"):
        LinearSeparator("fine").partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert not hasattr(LinearSeparator("svm"), "partial_fit")


def test_warm_start(separable):
    X, y = separable
    model = LinearSeparator("perceptron", max_iter=1, warm_start=True)
    with pytest.warns(ConvergenceWarning):
        for _ in range(3):
            model.fit(X, y)
    with pytest.warns(ConvergenceWarning):
        cold = LinearSeparator("perceptron", max_iter=3).fit(X, y)
    np.testing.assert_array_equal(model.coef_, cold.coef_)
    with pytest.raises(ValueError, match="has no warm start"):
        LinearSeparator("svm", warm_start=True).fit(X, y)


def test_randomness_has_a_seed(separable):
    X, y = separable

    def coef(seed):
        return LinearSeparator("perceptron", shuffle=True, random_state=seed).fit(X, y).coef_

    np.testing.assert_array_equal(coef(1), coef(1))
    assert not np.array_equal(coef(1), coef(2))


def test_early_stops_warn_and_progress_is_shown(capsys, separable):
    X, y = separable
    with pytest.warns(ConvergenceWarning, match="stopped at its limit"):
        LinearSeparator("perceptron", max_iter=1).fit(X, y)
    LinearSeparator("perceptron", verbose=True).fit(X, y)
    assert "epoch 1: " in capsys.readouterr().out


def test_it_lives_with_scikit_learn(iris, separable):
    X, y = iris
    model = make_pipeline(StandardScaler(), LinearSeparator())
    assert cross_val_score(model, X, y).mean() > 0.85
    search = GridSearchCV(
        LinearSeparator("svm", max_iter=50_000),
        {"C": [0.1, 1, 10], "settings": [{"loss": "l1"}, {"loss": "l2"}]},
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.85
    assert OneVsRestClassifier(LinearSeparator()).fit(X, y).score(X, y) > 0.85
    fitted = LinearSeparator().fit(*separable)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.coef_, fitted.coef_)
    assert copy.certificate_.verify(*separable)
    assert clone(LinearSeparator("fine", settings={"epsilon": 0.1})).settings == {"epsilon": 0.1}


def test_names_and_forms_of_input(separable):
    pd = pytest.importorskip("pandas")
    X, y = separable
    model = LinearSeparator().fit(pd.DataFrame(X, columns=list("abcde")), y)
    assert model.feature_names_in_.tolist() == list("abcde")
    for other in [sparse.csr_matrix(X), sparse.csc_array(X), np.asfortranarray(X)]:
        np.testing.assert_allclose(LinearSeparator().fit(other, y).coef_, model.coef_, rtol=1e-9)
    single = LinearSeparator().fit(X.astype(np.float32), y)
    assert single.certificate_.verify(X.astype(np.float32), y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "magic"}, "method is 'magic'; expected one of auto, fine"),
        ({"margin": "wide"}, "margin is 'wide'"),
        ({"C": -1}, "C is -1; expected a finite number above 0"),
        ({"tol": 0}, "tol is 0"),
        ({"max_iter": 0}, "max_iter is 0"),
        ({"max_iter": True}, "max_iter is True"),
        ({"method": "fine", "max_iter": 0}, "max_iter is 0"),
        ({"method": "fine", "time_limit": 0}, "time_limit is 0"),
        ({"multi_class": "all"}, "multi_class is 'all'"),
        ({"settings": {"epsilon": 1}}, 'method "auto" has no further settings'),
        ({"method": "fine", "settings": {"speed": 1}}, "unknown field `speed`"),
        ({"method": "fine", "settings": {"relaxation": 3}}, "relaxation is 3; expected a number"),
    ],
)
def test_bad_settings_are_a_value_error(settings, message, separable):
    with pytest.raises(ValueError, match=message):
        LinearSeparator(**settings).fit(*separable)


def test_use_before_fit():
    with pytest.raises(NotFittedError):
        LinearSeparator().predict([[1.0]])


def test_scikit_learn_is_needed_for_the_estimator_only():
    script = """
        import sys
        sys.modules["sklearn"] = None
        import linsep
        assert linsep.decide([[0.0], [1.0]], [0, 1]).separable
        try:
            linsep.LinearSeparator
        except ImportError as error:
            print(error)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "LinearSeparator needs scikit-learn: pip install scikit-learn\n"


@pytest.mark.parametrize("shape", [(2_000, 10), (20_000, 20)])
def test_overlapping_data_takes_few_passes(shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape)
    y = X[:, :3].sum(axis=1) + rng.normal(size=len(X)) * 1.5 > 0
    model = LinearSeparator(max_iter=50).fit(X, y)
    assert model.verdict_ == "inseparable" and model.n_iter_ <= 50
    peer = LinearSVC(C=1.0).fit(X, y)
    assert np.mean(model.predict(X) != y) <= np.mean(peer.predict(X) != y) + 0.005
    # What is too little says so, and ends there.
    with pytest.warns(ConvergenceWarning):
        first = LinearSeparator(max_iter=2).fit(X, y)
    assert first.n_iter_ <= 3 and np.mean(first.predict(X) != y) < 0.5


def test_one_limit_for_all_hyperplanes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 40)), rng.integers(0, 12, 20_000)
    begun = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LinearSeparator("lp", time_limit=1.0).fit(X, y)
    # Twelve hyperplanes of a second each would take longer.
    assert time.monotonic() - begun < 10
    assert model.coef_.shape == (12, 40)
