"""Vowpal Wabbit: passes over a cache of its own; reading is the parsing of its text."""

from __future__ import annotations

from math import ceil, log2
from pathlib import Path

import numpy as np

from .entrant import Answer, Entrant

# Where VW keeps the offset, before the index is cut to its bits.
CONSTANT = 11650396


def _text(X, y: np.ndarray, path: Path) -> Path:
    """Write the data as VW's text, without zeros, unless it is there."""
    from scipy.sparse import csr_matrix

    text = path.with_suffix(".vw.txt")
    if not text.exists():
        rows = csr_matrix(X)
        with text.open("w") as file:
            for k in range(rows.shape[0]):
                row = slice(rows.indptr[k], rows.indptr[k + 1])
                pairs = zip(rows.indices[row].tolist(), rows.data[row].tolist(), strict=True)
                file.write(("1 |" if y[k] else "-1 |") + "".join(f" {j}:{v!r}" for j, v in pairs) + "\n")
    return text


def _workspace(text: Path, features: int, options: str):
    from vowpalwabbit import Workspace

    bits = max(18, ceil(log2(features + 1)) + 1)
    files = f"-d {text} --cache_file {text}.cache"
    return Workspace(f"{files} --quiet --holdout_off -b {bits} {options}")


def _entrant(name: str, options: str, why: str) -> Entrant:
    def prepare(X, y, path):
        text = _text(X, y, path)
        # One pass makes the cache.
        _workspace(text, X.shape[1], "").finish()
        return text, X.shape[1]

    def solve(data, watch):
        text, features = data
        model = _workspace(text, features, options)
        with watch.paused():
            coef = np.array([model.get_weight(j) for j in range(features)])
            intercept = model.get_weight(CONSTANT)
        model.finish()
        return Answer(coef, float(intercept))

    def whole(path):
        text = path.with_suffix(".vw.txt")
        Path(f"{text}.cache").unlink()
        # How many features there are only sets how many bits are enough: more do no harm.
        _workspace(text, 2**20 - 1, options).finish()

    return Entrant(name, "vowpalwabbit", "any", options, why, solve, prepare, whole, most_values=1.1e7)


ENTRANTS = [
    _entrant(
        "Vowpal Wabbit, online",
        "--loss_function hinge --passes 200 -l 20 --power_t 0",
        "left the fewest mistakes of six (default steps, logistic, --sgd, --coin)",
    ),
    _entrant(
        "Vowpal Wabbit, bfgs",
        "--loss_function logistic --bfgs --passes 300 --l2 1e-6",
        "no mistakes in half of the time of --l2 1e-8; without --l2 it stops at once",
    ),
]
