"""Can one hyperplane tell two classes apart? Decided, and proven.

`decide` gives the verdict with its proof, `verify` checks a proof, `audit` ranks rows that probably
carry a wrong label, `open` opens a table in a file,
`separability_matrix` does it for many classes, `check_separation` asks whether a statistical model has
an estimate, `fit` trains a hyperplane with an online method, `race` runs them side by side, and
`LinearSeparator` is a scikit-learn
classifier. What they return has a method `plot` where there is something to see.
"""

from typing import TYPE_CHECKING, Any

from linsep._audit import Audit, audit
from linsep._decision import Decision, decide
from linsep._explanation import Explanation
from linsep._fit import Fit, fit
from linsep._linsep import __version__
from linsep._matrix import Argmax, SeparabilityMatrix, separability_matrix
from linsep._proof import Margin, Proof, Verification, verify, verify_folder
from linsep._race import Entrant, Race, race
from linsep._separation import (
    Separation,
    check_recession,
    check_separation,
    structure_vectors,
    verify_separation,
)
from linsep._table import Table, open
from linsep._trace import Trace

if TYPE_CHECKING:
    from linsep._estimator import LinearSeparator

__all__ = [
    "Argmax",
    "Audit",
    "Decision",
    "Entrant",
    "Explanation",
    "Fit",
    "LinearSeparator",
    "Margin",
    "Proof",
    "Race",
    "SeparabilityMatrix",
    "Separation",
    "Table",
    "Trace",
    "Verification",
    "__version__",
    "audit",
    "check_recession",
    "check_separation",
    "decide",
    "fit",
    "open",
    "race",
    "separability_matrix",
    "structure_vectors",
    "verify",
    "verify_folder",
    "verify_separation",
]


def __getattr__(name: str) -> Any:
    # scikit-learn is needed for the estimator only, and takes a second to import.
    if name == "LinearSeparator":
        try:
            from linsep._estimator import LinearSeparator
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "sklearn":
                raise
            raise ImportError("LinearSeparator needs scikit-learn: pip install scikit-learn") from error
        return LinearSeparator
    raise AttributeError(f"module 'linsep' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
