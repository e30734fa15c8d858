"""Data that several tests use."""

import os

# Without it scikit-learn passes over one of its checks; SciPy looks at it when it is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pytest


def make_separable(rows, features, seed=0, gap=0.05):
    """Return data that a random hyperplane separates, with some room on either side of it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features))
    w = rng.normal(size=features)
    y = (X @ w > 0).astype(int)
    X += gap * np.outer(2 * y - 1, w) / np.linalg.norm(w)
    return X, y


@pytest.fixture
def separable():
    return make_separable(300, 5)


@pytest.fixture
def xor():
    return np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
