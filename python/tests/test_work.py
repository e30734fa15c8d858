"""The interpreter is free while Rust works, and Ctrl-C is heeded."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import linsep
import numpy as np
import pytest
from conftest import make_separable
from linsep import LinearSeparator

LONG = {
    # Half a million rows that overlap a little: a perceptron never ends on them.
    "fit": "LinearSeparator('perceptron', max_iter=10**9).fit(X, y)",
    "svm": "LinearSeparator('svm', max_iter=10**9, tol=1e-300).fit(X, y)",
    "lp": "[LinearSeparator('lp').fit(X, y) for _ in range(10**6)]",
    "partial": "[LinearSeparator('fine').partial_fit(X, y) for _ in range(10**6)]",
    "decide": "[linsep.decide(X, y, margin='max') for _ in range(10**6)]",
}


@pytest.mark.parametrize("call", LONG)
def test_ctrl_c_interrupts(call):
    script = f"""
        import time, numpy as np, linsep
        from linsep import LinearSeparator
        rng = np.random.default_rng(0)
        X = rng.normal(size=(200_000, 20))
        y = (X[:, 0] + 0.1 * rng.normal(size=len(X)) > 0).astype(int)
        print("ready", flush=True)
        try:
            {LONG[call]}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        assert process.poll() is None, "it must still be at work"
        process.send_signal(signal.SIGINT)
        # The work would go on for hours; how soon it ends is for a benchmark to say.
        assert process.stdout.readline() == "interrupted\n"
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_interpreter_runs_while_rust_works():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100_000, 20)), rng.integers(0, 2, 100_000)
    ticks, done = 0, threading.Event()

    def fit():
        LinearSeparator("perceptron", max_iter=10**9, time_limit=0.5).fit(X, y)
        done.set()

    thread = threading.Thread(target=fit)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.01)
    thread.join()
    assert ticks >= 5


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_two_threads_fit_at_once():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50_000, 20)), rng.integers(0, 2, 50_000)
    spans = []

    def fit():
        begun = time.monotonic()
        model = LinearSeparator("perceptron", max_iter=10**9, time_limit=1.0)
        model.fit(X, y)
        spans.append((begun, time.monotonic()))

    threads = [threading.Thread(target=fit) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (a, b), (c, d) = spans
    assert min(b, d) > max(a, c), "both were at work at the same time"


def test_threads_get_the_answers_of_one():
    problems = [make_separable(2000, 10, seed) for seed in range(8)]
    expected = [linsep.decide(X, y, margin="max").coef for X, y in problems]
    found = [None] * 8

    def work(k):
        found[k] = linsep.decide(*problems[k], margin="max").coef

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_can_decide():
    X, y = make_separable(20_000, 10)
    expected = linsep.decide(X, y).passes
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = [pool.apply_async(_passes, (X, y)) for _ in range(4)]
        assert [f.get(60) for f in found] == [expected] * 4


def _passes(X, y):
    return linsep.decide(X, y).passes


def test_an_error_in_a_callback_ends_the_work():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 5)), rng.random(1000) > 0.5

    def progress(line):
        raise RuntimeError(line)

    with pytest.raises(RuntimeError, match="epoch 1: "):
        linsep._linsep.fit(X, y, method='{"name":"perceptron"}', max_epochs=10**9, progress=progress)
