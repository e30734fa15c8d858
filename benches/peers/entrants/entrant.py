"""What an entrant is: a program with its settings, and how the harness calls it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

SEPARABLE, NOT_SEPARABLE = "separable", "not separable"


@dataclass
class Answer:
    """A hyperplane, or none; the verdict where one is given; whatever else is worth a note."""

    coef: np.ndarray | None = None
    intercept: float = 0.0
    verdict: str | None = None
    note: str = ""
    proof_checks: Callable[[], bool] | None = None


class Watch:
    """CPU and wall time of the solving, less what is not charged to the entrant."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._free_cpu = self._free_wall = 0.0
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    @contextmanager
    def paused(self):
        """Charge nothing for what runs inside: the harness looks for mistakes there."""
        cpu, wall = time.process_time(), time.perf_counter()
        yield
        self._free_cpu += time.process_time() - cpu
        self._free_wall += time.perf_counter() - wall

    @property
    def cpu(self) -> float:
        return time.process_time() - self._cpu - self._free_cpu

    @property
    def wall(self) -> float:
        return time.perf_counter() - self._wall - self._free_wall

    @property
    def over(self) -> bool:
        """Whether an entrant that goes epoch by epoch has to stop."""
        return self.cpu > 0.95 * self.limit


def _as_is(X: Any, y: np.ndarray, path: Path) -> Any:
    return X, y


@dataclass(frozen=True)
class Entrant:
    """A program with its settings.

    `solve` is what is timed. `prepare` makes of the matrix in memory what the program keeps data in, if
    it has a format of its own: it is charged only where reading is. `whole` is the one call from file to
    answer, where the program has one.
    """

    name: str
    package: str  # what has to be installed
    goal: str  # "any", "angular" or "geometric": which hyperplane it looks for
    settings: str
    why: str
    solve: Callable[[Any, Watch], Answer]
    prepare: Callable[[Any, np.ndarray, Path], Any] = _as_is
    whole: Callable[[Path], Any] | None = None
    ours: bool = False
    threads: bool = False  # whether it can use more than one
    epochs: bool = False  # whether it stops by itself at the limit, looking for mistakes on the way
    sparse: bool = True
    most_rows: float = float("inf")
    most_values: float = float("inf")  # stored ones; what is known to be hopeless is not started

    @property
    def installed(self) -> bool:
        return find_spec(self.package) is not None


def signs(y: np.ndarray) -> np.ndarray:
    return np.where(y, 1.0, -1.0)


def lifted(X: Any):
    """Return rows with a 1 appended, scaled to length one: what the angular margin is measured on."""
    from scipy import sparse

    if sparse.issparse(X):
        X = sparse.csr_matrix(sparse.hstack([X, np.ones((X.shape[0], 1))], format="csr"))
        lengths = np.sqrt(X.multiply(X).sum(axis=1)).A1
        X.data /= np.repeat(lengths, np.diff(X.indptr))
        return X
    Z = np.empty((X.shape[0], X.shape[1] + 1))
    Z[:, :-1] = X
    Z[:, -1] = 1.0
    Z /= np.sqrt(np.einsum("ij,ij->i", Z, Z))[:, None]
    return Z
