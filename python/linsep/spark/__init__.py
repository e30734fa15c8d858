"""Data on a Spark cluster: decided and verified where it is.

`decide`, `verify` and `check_separation` take a DataFrame, `LinearSeparator` is an estimator of `pyspark.ml`.
The rows stay on the executors; a request goes to them and what was found comes back, so that verdicts and
proofs are those of the same rows on one machine, byte for byte. linsep has to be installed on all machines.
"""

try:
    import pyspark  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "pyspark":
        raise
    raise ImportError('linsep.spark needs PySpark 4: pip install "linsep[spark]"') from error

from linsep.spark._calls import Decision, decide, verify
from linsep.spark._errors import ClusterError
from linsep.spark._ml import LinearSeparator, LinearSeparatorModel
from linsep.spark._rows import Numbering
from linsep.spark._traffic import Job, Traffic

__all__ = [
    "ClusterError",
    "Decision",
    "Job",
    "LinearSeparator",
    "LinearSeparatorModel",
    "Numbering",
    "Traffic",
    "decide",
    "verify",
]
