"""Data that several tests use."""

import json
import os

# Without it scikit-learn passes over one of its checks; SciPy looks at it when it is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# No test opens a window.
os.environ.setdefault("MPLBACKEND", "Agg")

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


def make_picture(x, positive, coef, intercept, conflict, suspects):
    """Return what `_linsep.picture` says of dense rows, worked out with NumPy."""
    x, sign = np.asarray(x, dtype=float), np.where(positive, 1, -1)
    length = np.linalg.norm(coef)
    across = (x @ coef + intercept) / length if length else np.zeros(len(x))
    centred = x - x.mean(axis=0)
    within = centred - np.outer(centred @ coef, coef) / length**2 if length else centred
    up = within @ np.linalg.svd(within, full_matrices=False)[2][0]
    spread = x.std(axis=0)
    order = np.argsort(-np.abs(coef * spread), kind="stable")[:50]
    edges = np.linspace(across.min(), across.max(), 65)
    nearest = [
        int(row)
        for side in (False, True)
        for row in np.flatnonzero(positive == side)[np.argsort((sign * across)[positive == side])[:3]]
    ]
    why = {row: [] for row in sorted({*conflict, *suspects, *nearest})}
    for name, rows in (("conflict", conflict), ("suspect", suspects), ("nearest", nearest)):
        for row in rows:
            why[row].append(name)

    def point(row):
        place = {"x": across[row], "y": up[row]}
        return {"row": row, "name": str(row + 1), "positive": bool(positive[row]), "values": [], **place}

    ranges = [[float(v.min()), float(v.max())] for v in (across, up)]
    few = len(x) <= 2000
    return json.dumps(
        {
            "rows": len(x),
            "features": x.shape[1],
            "negative": "0",
            "positive": "1",
            "mistakes": int((sign * across <= 0).sum()),
            "smallest": float((sign * across).min()) if length else None,
            "histogram": {
                "edges": edges.tolist(),
                "negative": np.histogram(across[~positive], edges)[0].tolist(),
                "positive": np.histogram(across[positive], edges)[0].tolist(),
            },
            "view": {
                "x": ranges[0],
                "y": ranges[1],
                "flat": False,
                "points": [point(row) for row in range(len(x))] if few else None,
                "cells": None if few else _cells(across, up, positive, ranges),
            },
            "marked": [
                {**point(row), "why": reasons, "multiplier": None} for row, reasons in why.items()
            ],
            "weights": [
                {"feature": f"x{k + 1}", "weight": w, "spread": s, "scaled": w * s}
                for k, w, s in zip(order.tolist(), coef[order], spread[order], strict=True)
            ],
        }
    )


def _cells(across, up, positive, ranges):
    counts = [
        np.histogram2d(across[side], up[side], bins=(96, 48), range=ranges)[0].astype(int)
        for side in (~positive, positive)
    ]
    filled = [
        [int(k), int(r), int(counts[0][k, r]), int(counts[1][k, r])]
        for k, r in np.argwhere(counts[0] + counts[1] > 0)
    ]
    return {"columns": 96, "rows": 48, "filled": filled}
