"""Tables that are hard to decide about, each from its seed: what `limits.py` and `soak.py` ask about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator

__all__ = ["KINDS", "Table", "make"]

# Numbers of features and rows are multiplied by one of these; by the last where they are many as it is.
SIZES = (1.0, 0.3, 5.0, 2.0)
LARGE = ("wide", "thin", "big", "tall", "long")


@dataclass
class Table:
    """Rows with their labels, or the text of a file; and the verdict, where it is known."""

    X: np.ndarray | None
    y: np.ndarray | None
    text: str | None = None
    ending: str = "npy"
    truth: str | None = None

    def write(self, folder: Path, name: str) -> Path:
        """Write the table to a folder, and return where it is."""
        path = folder / f"{name}.{self.ending}"
        if self.text is not None:
            path.write_text(self.text)
        else:
            np.save(path, self.X)
            np.save(path.with_suffix(".labels.npy"), self.y)
        return path


def noisy(rng: Generator, X: np.ndarray, share: float) -> np.ndarray:
    """Return labels by a hyperplane through the middle of the columns, of which a share is wrong."""
    spread = X.std(axis=0)
    scaled = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    y = scaled @ rng.normal(size=X.shape[1]) > 0
    return (y ^ (rng.random(len(y)) < share)).astype(int)


def wide(rng: Generator, f: float) -> Table:
    """Random labels at Cover's capacity, where half of all labels separate."""
    rows = int(1000 * f)
    return Table(rng.normal(size=(rows, rows // 2)), rng.integers(0, 2, rows))


def thin(rng: Generator, f: float) -> Table:
    """Many rows, separable by next to nothing."""
    X = rng.normal(size=(int(30_000 * f), int(40 * f)))
    return Table(X, (X @ rng.normal(size=X.shape[1]) > 0).astype(int), truth="separable")


def quasi(rng: Generator, f: float) -> Table:
    """Dummies of which some settle the label; all other rows are there under both."""
    rest = rng.integers(0, 3, (int(1500 * f), int(60 * f))).astype(float)
    settled = rng.integers(0, 3, (int(200 * f), rest.shape[1])).astype(float)
    dummies = np.eye(12)[rng.integers(0, 12, len(settled))]
    X = np.hstack(
        [np.vstack([rest, rest, settled]), np.vstack([np.zeros((2 * len(rest), 12)), dummies])]
    )
    y = np.repeat([0, 1, 1], [len(rest), len(rest), len(settled)])
    order = rng.permutation(len(y))
    return Table(X[order], y[order], truth="quasi-separable")


def dummies(rng: Generator, f: float) -> Table:
    """Three factors of many levels, some of them with one label only, beside one number."""
    rows, levels = int(4000 * f), int(250 * f)
    factors = rng.zipf(1.3, (rows, 3)) % levels
    y = (rng.random(rows) < rng.random(levels)[factors[:, 0]]).astype(int)
    lines = [
        f"a{a},b{b},c{c},{v:.3f},{label}"
        for (a, b, c), v, label in zip(factors, rng.random(rows), y, strict=True)
    ]
    return Table(None, None, "\n".join(["a,b,c,v,label", *lines, ""]), "csv")


def timestamps(rng: Generator, f: float) -> Table:
    """Seconds and nanoseconds since 1970 beside fractions."""
    rows, columns = int(4000 * f), int(30 * f)
    seconds = 1.6e9 + rng.integers(0, 10**7, (rows, columns)).astype(float)
    X = np.hstack(
        [seconds, seconds[:, :3] * 1e6, rng.random((rows, columns)) / 7, rng.integers(0, 2, (rows, 4))]
    )
    return Table(X, noisy(rng, X[:, -columns - 4 :], rng.choice([0, 0.03])))


def shares(rng: Generator, f: float) -> Table:
    """Amounts, their sums, and shares that add up to one but for rounding."""
    amounts = np.round(rng.lognormal(3, 2, (int(3000 * f), int(25 * f))), 2)
    total = amounts.sum(axis=1, keepdims=True)
    X = np.hstack([amounts, total, amounts / total, np.cumsum(amounts, axis=1)])
    return Table(X, noisy(rng, amounts / total, rng.choice([0, 0.02])))


def low_rank(rng: Generator, f: float) -> Table:
    """Products of two thin matrices: columns depend on each other, but for rounding."""
    X = rng.normal(size=(int(2000 * f), 15)) @ rng.normal(size=(15, int(120 * f)))
    return Table(X, noisy(rng, X, rng.choice([0, 0.02, 0.5])))


def copies(rng: Generator, f: float) -> Table:
    """Columns five times, with noise of 1e-12."""
    base = rng.normal(size=(int(2000 * f), int(15 * f)))
    X = np.hstack([base + 1e-12 * rng.normal(size=base.shape) for _ in range(5)])
    return Table(X, noisy(rng, base, rng.choice([0, 0.02])))


def extremes(rng: Generator, f: float) -> Table:
    """Cells from 1e-300 to 1e300, row by row or column by column."""
    shape = (int(600 * f), int(30 * f))
    powers = rng.uniform(-300, 300, shape if rng.random() < 0.5 else (1, shape[1]))
    X = rng.normal(size=shape) * 10.0**powers
    return Table(X, rng.integers(0, 2, len(X)))


def subnormals(rng: Generator, f: float) -> Table:
    """Numbers with few bits, next to zero, some columns beside ordinary ones."""
    X = rng.integers(-(2**20), 2**20, (int(1500 * f), int(40 * f))) * 5e-324
    X[:, :: rng.integers(2, 9)] = rng.normal(size=X[:, :1].shape)
    return Table(X, noisy(rng, np.sign(X), 0.02))


def powers(rng: Generator, f: float) -> Table:
    """Powers of one number, and a label that changes with it many times."""
    x = rng.random(int(3000 * f))[:, None] * 20
    return Table(
        x ** np.arange(1, 8 + int(8 * f)), (np.sin(x[:, 0] * rng.integers(1, 4)) > 0).astype(int)
    )


def integers(rng: Generator, f: float) -> Table:
    """Integers of 50 bits, with labels of which some are wrong."""
    X = rng.integers(-(2**50), 2**50, (int(3000 * f), int(60 * f))).astype(float)
    return Table(X, noisy(rng, X, rng.choice([0, 0.01, 0.2])))


def text(rng: Generator, f: float) -> Table:
    """Counts of words, sparse, with flipped labels."""
    rows, words = int(3000 * f), int(20_000 * f)
    weights, lines = rng.normal(size=words), []
    for _ in range(rows):
        places, counts = np.unique(rng.zipf(1.2, rng.integers(20, 200)) % words, return_counts=True)
        label = int(weights[places] @ counts > 0) ^ int(rng.random() < 0.03)
        lines.append(
            " ".join([str(label), *(f"{j + 1}:{c}" for j, c in zip(places, counts, strict=True))])
        )
    return Table(None, None, "\n".join([*lines, ""]), "libsvm")


def big(rng: Generator, f: float) -> Table:
    """Many rows of many features, of which one in a hundred is wrong; or text of half the size."""
    X = rng.normal(size=(20_000, int(150 * (1 + f))))
    if f < 1:
        lines = [
            ",".join([*map(repr, row.tolist()), str(k % 7 % 2)])
            for k, row in enumerate(X[:10_000].round(4))
        ]
        return Table(None, None, "\n".join([*lines, ""]), "csv")
    return Table(X, noisy(rng, X, 0.01))


def tall(rng: Generator, f: float) -> Table:
    """A million rows of few features."""
    X = rng.normal(size=(int(700_000 * f), 8))
    return Table(X, noisy(rng, X, rng.choice([0, 0.001, 0.1])))


def long(rng: Generator, f: float) -> Table:
    """Few rows, each of tens of thousands of features: any labels separate."""
    rows = int(200 * f)
    return Table(rng.normal(size=(rows, int(30_000 * f))), np.arange(rows) % 3 % 2, truth="separable")


def classes(rng: Generator, f: float) -> Table:
    """Many classes that overlap."""
    y = np.arange(int(5000 * f)) % int(20 * f + 2)
    centres = rng.normal(size=(y.max() + 1, 30)) * rng.choice([0.3, 1, 2])
    return Table(centres[y] + rng.normal(size=(len(y), 30)), y)


def outcomes(rng: Generator, X: np.ndarray, names: list[str]) -> Table:
    """Return a design with an outcome for every family of models."""
    rows, spread = len(X), np.maximum(X.std(axis=0), 0.05)
    score = (X - X.mean(axis=0)) / spread @ rng.normal(size=X.shape[1]) / np.sqrt(X.shape[1])
    y = np.digitize(score + rng.logistic(size=rows) * 0.5, [-1.5, -0.5, 0.5, 1.5])
    days = 1 + np.floor(rng.exponential(np.exp(-np.clip(score, -3, 3))) * 50)
    entry = np.floor(days * rng.random(rows) * 0.9)
    beside = [
        y,
        days,
        (rng.random(rows) < 0.6),
        entry,
        rng.integers(0, rows // 8, rows),
        rng.poisson(np.exp(score - 1).clip(0, 9)),
        rng.random(rows) < 1 / (1 + np.exp(-score)),
    ]
    table = np.column_stack([X, *beside])
    head = ",".join([*names, "y", "days", "died", "entry", "group", "count", "case"])
    return Table(
        None, None, "\n".join([head, *(",".join(f"{v:.12g}" for v in row) for row in table), ""]), "csv"
    )


def models(rng: Generator, f: float) -> Table:
    """A design of numbers and rare dummies, with an outcome for every family of models."""
    rows, columns = int(1500 * f), int(30 * f)
    X = np.hstack([rng.normal(size=(rows, columns)), rng.random((rows, 6)) < 0.01])
    return outcomes(rng, X, [f"x{j}" for j in range(X.shape[1])])


def levels(rng: Generator, f: float) -> Table:
    """A design of a factor of many levels, and sums, with an outcome for every family of models."""
    rows = int(2000 * f)
    X = np.eye(int(60 * f))[rng.zipf(1.3, rows) % int(60 * f)]
    amounts = rng.integers(0, 1000, (rows, 5)) / 100
    X = np.hstack([X[:, 1:], amounts, amounts.sum(axis=1, keepdims=True)])
    return outcomes(rng, X, [f"x{j}" for j in range(X.shape[1])])


MAKERS = [wide, thin, quasi, dummies, timestamps, shares, low_rank, copies, extremes, subnormals, powers]
MAKERS += [integers, text, big, tall, long, classes, models, levels]
KINDS: dict[str, Callable[[Generator, float], Table]] = {maker.__name__: maker for maker in MAKERS}


def make(kind: str, turn: int, most: float = 9.0) -> Table:
    """Return the table of a kind that belongs to a turn, no larger than `most` says."""
    rng = np.random.default_rng([list(KINDS).index(kind), turn])
    size = min(SIZES[(turn + turn // 12) % len(SIZES)], most, SIZES[-1] if kind in LARGE else most)
    with np.errstate(all="ignore"):
        return KINDS[kind](rng, size)
