from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "__version__",
    "address",
    "check_limits",
    "decide",
    "fit",
    "methods",
    "read_proof",
    "separation",
    "verify",
]

__version__: str

def address(x: Any) -> int: ...
def check_limits(*, gap: float, max_passes: int | None, time_limit: float | None = None) -> None: ...
def decide(
    x: Any,
    positive: NDArray[np.bool_],
    *,
    maximise: bool,
    geometric: bool,
    gap: float,
    max_passes: int | None,
    time_limit: float | None = None,
    explain: bool = False,
    progress: Callable[[str], Any] | None = None,
) -> dict[str, Any]: ...
def fit(
    x: Any,
    positive: NDArray[np.bool_],
    *,
    method: str,
    max_epochs: int,
    weights: NDArray[np.float64] | None = None,
    time_limit: float | None = None,
    shuffle: bool = False,
    seed: int = 0,
    history: bool = False,
    part: bool = False,
    start: str | None = None,
    keep_state: bool = False,
    prove: bool = False,
    progress: Callable[[str], Any] | None = None,
) -> dict[str, Any]: ...
def methods() -> list[tuple[str, bool, bool]]: ...
def read_proof(text: str) -> dict[str, Any]: ...
def separation(
    x: Any,
    positive: NDArray[np.bool_],
    *,
    intercept: bool,
    max_passes: int | None,
    time_limit: float | None = None,
    progress: Callable[[str], Any] | None = None,
) -> dict[str, Any]: ...
def verify(x: Any, positive: NDArray[np.bool_], text: str) -> dict[str, Any]: ...
