from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Rows",
    "__version__",
    "address",
    "check_checkpoint",
    "check_limits",
    "decide",
    "fit",
    "methods",
    "open_table",
    "read_proof",
    "separation",
    "verify",
]

__version__: str

@final
class Rows: ...

def address(x: Any) -> int: ...
def check_checkpoint(path: str, *, resume: bool) -> None: ...
def check_limits(*, gap: float, max_passes: int | None, time_limit: float | None = None) -> None: ...
def decide(
    x: Any,
    positive: NDArray[np.bool_] | None,
    *,
    maximise: bool,
    geometric: bool,
    gap: float,
    max_passes: int | None,
    time_limit: float | None = None,
    explain: bool = False,
    checkpoint: str | None = None,
    resume: bool = False,
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
def open_table(
    path: str, options: dict[str, Any], progress: Callable[[str], Any] | None = None
) -> tuple[Rows, dict[str, Any]]: ...
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
def verify(x: Any, positive: NDArray[np.bool_] | None, text: str) -> dict[str, Any]: ...
