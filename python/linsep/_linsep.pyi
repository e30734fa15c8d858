import os
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "SOFT_MARGIN_FEATURES",
    "TRACE_STEPS",
    "Answer",
    "Arrays",
    "Cluster",
    "Packer",
    "Rows",
    "Worker",
    "__version__",
    "address",
    "ask",
    "audit_csv",
    "compromise",
    "estimate_model",
    "estimate_table",
    "fit",
    "merge",
    "method",
    "methods",
    "model_file",
    "numbers_check",
    "open_table",
    "packed_key",
    "pick",
    "picture",
    "read_proof",
    "recession",
    "refuse_overwriting",
    "save_proofs",
    "scores",
    "soft_margin",
    "structure_vectors",
    "trace_file",
    "trace_frames",
    "validate",
    "values",
    "verify",
    "verify_folder",
    "verify_model",
    "verify_table",
    "write_file",
]

SOFT_MARGIN_FEATURES: int
TRACE_STEPS: int
__version__: str

_Say: TypeAlias = Callable[[str], Any]
_Column: TypeAlias = tuple[str, str, NDArray[np.float64] | None, list[str], NDArray[np.uint32] | None]

@final
class Answer:
    def to_json(self) -> str: ...
    def reply(self) -> str: ...
    def text(self, width: int | None = None, code: list[str | None] = ...) -> str: ...
    def html(self, code: list[str | None] = ...) -> str: ...
    def page(self, title: str, check: str) -> str: ...
    def drawn(self, x: Any, progress: _Say | None = None) -> Answer: ...
    def picture(self) -> str | None: ...

@final
class Arrays:
    def __new__(
        cls,
        x: Any,
        codes: NDArray[np.uint32] | None = None,
        classes: list[str] = ...,
        *,
        columns: list[str] | None = None,
        names: Callable[[list[int]], list[str]] | None = None,
    ) -> Arrays: ...

@final
class Rows:
    def text(self, name: str, place: str) -> str: ...
    def html(self, name: str, place: str) -> str: ...

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
        classes: tuple[str, str] | None = None,
        columns: list[str] | None = None,
    ) -> Cluster: ...

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
def ask(question: str, x: Any, progress: _Say | None = None) -> Answer: ...
def audit_csv(answer: Answer) -> str: ...
def compromise(
    x: Any,
    *,
    max_passes: int | None,
    time_limit: float | None = None,
    progress: _Say | None = None,
) -> tuple[NDArray[np.float64], float]: ...
def estimate_model(question: str, x: Any, beside: list[_Column]) -> Answer: ...
def estimate_table(question: str, path: str, options: dict[str, Any]) -> Answer: ...
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
    progress: _Say | None = None,
) -> dict[str, Any]: ...
def merge(request: bytes, answers: list[bytes]) -> bytes | None: ...
def method(name: str, settings: str) -> str: ...
def methods() -> list[tuple[str, bool, bool]]: ...
def model_file(answer: Answer) -> str: ...
def numbers_check(rows: int) -> int: ...
def open_table(
    path: str, options: dict[str, Any], progress: _Say | None = None
) -> tuple[Rows, dict[str, Any]]: ...
def packed_key(partition: int, place: int) -> int: ...
def pick(
    batch: Any, wanted: NDArray[np.int64], *, sparse: bool, offsets: list[int] | None = None
) -> tuple[bytes, bytes] | None: ...
def picture(
    x: Any,
    coef: NDArray[np.float64],
    intercept: float,
    conflict: list[int],
    suspects: list[int],
) -> str: ...
def read_proof(text: str) -> dict[str, Any]: ...
def recession(question: str, x: Any) -> Answer: ...
def refuse_overwriting(
    what: str, path: str | os.PathLike[str], inputs: Sequence[str | os.PathLike[str]]
) -> None: ...
def save_proofs(answer: Answer, folder: str, inputs: Sequence[str]) -> None: ...
def scores(
    batch: Any, lengths: list[int], coef: NDArray[np.float64], intercept: float
) -> NDArray[np.float64]: ...
def soft_margin(
    x: Any,
    positive: NDArray[np.bool_],
    *,
    cost: float,
    max_passes: int,
    weights: NDArray[np.float64] | None = None,
    time_limit: float | None = None,
) -> dict[str, Any]: ...
def structure_vectors(question: str, x: Any, beside: list[_Column]) -> dict[str, Any]: ...
def trace_file(answer: Answer, path: str | os.PathLike[str], title: str) -> str: ...
def trace_frames(answer: Answer) -> dict[str, Any]: ...
def validate(question: str) -> None: ...
def values(answer: Answer) -> dict[str, Any]: ...
def verify(question: str, x: Any, text: str) -> Answer: ...
def verify_folder(question: str, x: Any, folder: str) -> Answer: ...
def verify_model(question: str, x: Any, beside: list[_Column], proof: str) -> Answer: ...
def verify_table(question: str, path: str, options: dict[str, Any], proof: str) -> Answer: ...
def write_file(
    what: str, path: str | os.PathLike[str], text: str, inputs: Sequence[str | os.PathLike[str]]
) -> None: ...
