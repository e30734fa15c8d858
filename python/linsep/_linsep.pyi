import os
from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "SOFT_MARGIN_FEATURES",
    "Cluster",
    "Decided",
    "Packer",
    "Rows",
    "Worker",
    "__version__",
    "address",
    "argmax",
    "audit_rows",
    "categories",
    "check_checkpoint",
    "check_limits",
    "compromise",
    "decide",
    "drawn_plane",
    "events",
    "fit",
    "in_common",
    "kept",
    "margin_at_least",
    "merge",
    "methods",
    "model_separation",
    "numbers_check",
    "open_table",
    "packed_key",
    "page",
    "pick",
    "picture",
    "read_proof",
    "refuse_overwriting",
    "scores",
    "separation",
    "soft_margin",
    "sorted_by_class",
    "structure_vectors",
    "trials",
    "verify",
    "verify_separation",
    "write_file",
]

SOFT_MARGIN_FEATURES: int
__version__: str

@final
class Rows: ...

@final
class Cluster:
    def __new__(
        cls,
        ask: Callable[[bytes], list[bytes]],
        fetch: Callable[[NDArray[np.int64]], list[tuple[bytes, bytes]]],
        *,
        rows: int,
        features: int,
        sparse: bool,
        stamp: int | None = None,
    ) -> Cluster: ...

@final
class Decided: ...

@final
class Packer:
    def __new__(
        cls,
        lengths: list[int],
        cut: int,
        partition: int,
        *,
        numbered: bool = False,
        files: dict[str, int] | None = None,
    ) -> Packer: ...
    def pack(
        self, batch: Any
    ) -> tuple[
        list[tuple[int, int, int, int, bytes, bytes, int, int, bool]],
        tuple[int, str | None, str] | None,
    ]: ...

@final
class Worker:
    def __new__(cls, request: bytes, *, sparse: bool, offsets: list[int] | None = None) -> Worker: ...
    def add(self, batch: Any) -> None: ...
    def finish(self) -> bytes | None: ...

def address(x: Any) -> int: ...
def margin_at_least(lower: float) -> str: ...
def argmax(
    x: Any,
    codes: NDArray[np.uint32],
    count: int,
    *,
    max_passes: int | None,
    time_limit: float | None = None,
) -> dict[str, Any]: ...
def audit_rows(
    x: Any,
    positive: NDArray[np.bool_] | None,
    *,
    classes: NDArray[np.uint32] | None,
    names: list[str],
    leave_out: int | None,
    time_limit: float | None = None,
    progress: Callable[[str], Any] | None = None,
) -> dict[str, Any]: ...
def categories(
    codes: NDArray[np.uint32], kept: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.uint32], list[int]]: ...
def check_checkpoint(path: str, *, resume: bool) -> None: ...
def check_limits(*, gap: float, max_passes: int | None, time_limit: float | None = None) -> None: ...
def compromise(
    x: Any,
    positive: NDArray[np.bool_] | None,
    *,
    max_passes: int | None,
    time_limit: float | None = None,
    progress: Callable[[str], Any] | None = None,
) -> tuple[NDArray[np.float64], float]: ...
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
def drawn_plane(
    x: Any, positive: NDArray[np.bool_] | None, decided: Decided
) -> tuple[NDArray[np.float64], float]: ...
def events(
    what: str,
    numbers: NDArray[np.float64] | None,
    words: list[str],
    codes: NDArray[np.uint32] | None,
    event: str | None = None,
) -> NDArray[np.bool_]: ...
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
def in_common(
    x: Any, members: NDArray[np.bool_], kept: NDArray[np.bool_] | None = None
) -> list[tuple[int, str, float, NDArray[np.int64]]]: ...
def kept(weights: NDArray[np.float64]) -> NDArray[np.bool_]: ...
def merge(request: bytes, answers: list[bytes]) -> bytes | None: ...
def methods() -> list[tuple[str, bool, bool]]: ...
def model_separation(
    x: Any, asked: dict[str, Any], *, max_passes: int | None, time_limit: float | None = None
) -> dict[str, Any]: ...
def numbers_check(rows: int) -> int: ...
def open_table(
    path: str, options: dict[str, Any], progress: Callable[[str], Any] | None = None
) -> tuple[Rows, dict[str, Any]]: ...
def packed_key(partition: int, place: int) -> int: ...
def page(
    x: Any,
    positive: NDArray[np.bool_] | None,
    decided: Decided,
    *,
    source: str,
    names: tuple[list[str] | None, tuple[str, str], list[str] | None] | None = None,
    progress: Callable[[str], Any] | None = None,
) -> str: ...
def pick(
    batch: Any, wanted: NDArray[np.int64], *, sparse: bool, offsets: list[int] | None = None
) -> tuple[bytes, bytes] | None: ...
def picture(
    x: Any,
    positive: NDArray[np.bool_] | None,
    coef: NDArray[np.float64],
    intercept: float,
    conflict: list[int],
    suspects: list[int],
) -> str: ...
def read_proof(text: str) -> dict[str, Any]: ...
def refuse_overwriting(
    what: str, path: str | os.PathLike[str], inputs: Sequence[str | os.PathLike[str]]
) -> None: ...
def scores(
    batch: Any, lengths: list[int], coef: NDArray[np.float64], intercept: float
) -> NDArray[np.float64]: ...
def separation(
    x: Any,
    positive: NDArray[np.bool_] | None,
    *,
    intercept: bool,
    max_passes: int | None,
    time_limit: float | None = None,
    most_rows: int | None = None,
    progress: Callable[[str], Any] | None = None,
) -> dict[str, Any]: ...
def soft_margin(
    x: Any,
    positive: NDArray[np.bool_],
    *,
    cost: float,
    max_passes: int,
    weights: NDArray[np.float64] | None = None,
    time_limit: float | None = None,
) -> dict[str, Any]: ...
def sorted_by_class(positive: NDArray[np.bool_]) -> bool: ...
def structure_vectors(x: Any, asked: dict[str, Any]) -> dict[str, Any]: ...
def trials(
    counts: NDArray[np.float64], trials: NDArray[np.float64] | None = None
) -> NDArray[np.uint8]: ...
def verify(
    x: Any, positive: NDArray[np.bool_] | None, text: str, *, intercept: bool | None = None
) -> dict[str, Any]: ...
def verify_separation(x: Any, asked: dict[str, Any], text: str) -> dict[str, Any]: ...
def write_file(
    what: str, path: str | os.PathLike[str], text: str, inputs: Sequence[str | os.PathLike[str]]
) -> None: ...
