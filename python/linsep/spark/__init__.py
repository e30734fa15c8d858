"""Data on a Spark cluster: decided and verified where it is.

`decide`, `verify` and `check_separation` take a DataFrame, `LinearSeparator` is an estimator of
`pyspark.ml`. The rows stay on the executors: a request goes there and what was found comes back, so that
verdicts and proofs are those of the same rows on one machine, byte for byte. linsep has to be installed
on all machines.
"""

import os
import shutil
import warnings
from importlib.util import find_spec

if find_spec("pyspark") is None:
    raise ImportError('linsep.spark needs PySpark 4: pip install "linsep[spark]"')
# A session on another machine, by Spark Connect, needs none here.
if shutil.which("java") is None and not {"JAVA_HOME", "SPARK_REMOTE"} & set(os.environ):
    warnings.warn(
        "Spark needs Java 17, and none was found: install it (openjdk-17-jre-headless on Debian), "
        "or set JAVA_HOME",
        RuntimeWarning,
        stacklevel=2,
    )

from linsep.spark._calls import (
    Decision,
    Separation,
    check_separation,
    decide,
    verify,
    verify_separation,
)
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
    "Separation",
    "Traffic",
    "check_separation",
    "decide",
    "verify",
    "verify_separation",
]
