"""The estimator of `pyspark.ml` and its model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from linsep import _linsep
from linsep._decision import decide_question
from linsep._proof import Margin, Proof
from linsep.spark._calls import Decision, decided
from linsep.spark._rows import Rows, opened, quoted, read_features
from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.linalg import DenseVector, Vectors
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasFeaturesCol, HasLabelCol, HasPredictionCol, HasRawPredictionCol
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["LinearSeparator", "LinearSeparatorModel"]


class _Columns(HasFeaturesCol, HasLabelCol, HasPredictionCol, HasRawPredictionCol):
    """The columns that the estimator and its model know."""

    featuresCols: Param[list[str]] = Param(
        Params._dummy(),
        "featuresCols",
        "columns of numbers or arrays that are the features, in the place of featuresCol",
        TypeConverters.toListString,
    )

    def getFeaturesCols(self) -> list[str]:
        """Return the columns that are the features."""
        if self.isDefined(self.featuresCols):
            return list(self.getOrDefault("featuresCols"))
        return [self.getFeaturesCol()]


class LinearSeparator(Estimator, _Columns, DefaultParamsReadable, DefaultParamsWritable):  # type: ignore[type-arg]
    """A linear classifier that knows whether its training data is separable, and proves it.

    Where the data is not separable the model has the hyperplane with the fewest mistakes that a descent
    on the logistic loss meets, in at most 60 more passes.

    Parameters
    ----------
    featuresCol, labelCol, predictionCol, rawPredictionCol : str
        As everywhere in `pyspark.ml`. Features are a column of vectors or of arrays of numbers; labels
        two different values of any type.
    featuresCols : list of str, optional
        Columns of numbers, in the place of featuresCol.
    positiveLabel : object, optional
        The label of the positive class; all others are then negative, and predictions are 1.0 and 0.0 if
        these are several.
    margin : {"max", "any"}
        Whether the separating hyperplane has the largest angular margin, or is any one.
    gap : float
        For "max": the relative gap between the bounds on the margin at which it stops.
    maxPasses, timeLimit, rowNumberCol, storageLevel
        As for :func:`linsep.spark.decide`; a storageLevel of "NONE" keeps no rows.
    """

    positiveLabel: Param[Any] = Param(
        Params._dummy(), "positiveLabel", "the label of the positive class", TypeConverters.identity
    )
    margin: Param[str] = Param(
        Params._dummy(), "margin", '"max" or "any" margin', TypeConverters.toString
    )
    gap: Param[float] = Param(
        Params._dummy(), "gap", "relative gap between the bounds on the margin", TypeConverters.toFloat
    )
    maxPasses: Param[int] = Param(
        Params._dummy(), "maxPasses", "passes after which it is undecided", TypeConverters.toInt
    )
    timeLimit: Param[float] = Param(
        Params._dummy(), "timeLimit", "seconds after which it is undecided", TypeConverters.toFloat
    )
    rowNumberCol: Param[str] = Param(
        Params._dummy(), "rowNumberCol", "column that numbers the rows from 0", TypeConverters.toString
    )
    storageLevel: Param[str] = Param(
        Params._dummy(),
        "storageLevel",
        "where packed rows are kept between passes",
        TypeConverters.toString,
    )

    _input_kwargs: dict[str, Any]

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        labelCol: str = "label",
        predictionCol: str = "prediction",
        rawPredictionCol: str = "rawPrediction",
        featuresCols: list[str] | None = None,
        positiveLabel: Any = None,
        margin: str = "max",
        gap: float = 1e-6,
        maxPasses: int | None = None,
        timeLimit: float | None = None,
        rowNumberCol: str | None = None,
        storageLevel: str = "LOCAL",
    ) -> None:
        super().__init__()
        self._setDefault(margin="max", gap=1e-6, storageLevel="LOCAL")
        self.setParams(**self._input_kwargs)

    def setParams(self, **params: Any) -> LinearSeparator:
        """Set parameters by name."""
        return self._set(**{name: value for name, value in params.items() if value is not None})

    def _value(self, param: Param[Any]) -> Any:
        return self.getOrDefault(param) if self.isDefined(param) else None

    def _fit(self, dataset: DataFrame) -> LinearSeparatorModel:
        options: dict[str, Any] = {
            "margin": self._value(self.margin),
            "gap": self._value(self.gap),
            "max_passes": self._value(self.maxPasses),
            "time_limit": self._value(self.timeLimit),
        }
        asked = decide_question(**options)
        _linsep.validate(asked)
        storage, positive = self._value(self.storageLevel), self._value(self.positiveLabel)
        with opened(
            dataset,
            features=self.getFeaturesCols(),
            label=self.getLabelCol(),
            positive=positive,
            row_number=self._value(self.rowNumberCol),
            storage=None if storage == "NONE" else storage,
            say=None,
        ) as rows:
            decision, coef, intercept = rows.steadily(lambda _: _learned(rows, positive, asked, options))
        model = LinearSeparatorModel._of(decision, coef, intercept)
        model._resetUid(self.uid)
        return self._copyValues(model)


def _learned(
    rows: Rows, positive: Any, asked: str, options: dict[str, Any]
) -> tuple[Decision, Any, Any]:
    """Return the decision, and the hyperplane: one that separates, or a compromise."""
    decision = decided(rows, asked, positive=positive)
    if decision.separable:
        return decision, decision.coef, decision.intercept
    limits = {name: options[name] for name in ("max_passes", "time_limit")}
    return decision, *_linsep.compromise(rows.cluster(), **limits)


class LinearSeparatorModel(Model, _Columns, MLReadable, MLWritable):  # type: ignore[type-arg]
    """The hyperplane that :class:`LinearSeparator` has found, with the verdict and its proof.

    Attributes
    ----------
    coefficients, intercept : DenseVector and float
        The positive side is coefficients·x + intercept > 0.
    classes : tuple
        The negative and the positive label.
    verdict : str
        "separable", "quasi-separable", "inseparable" or "undecided", of the training data.
    margin : linsep.Margin
        Bounds on its largest margin.
    proof : linsep.Proof or None
        The proof of the verdict.
    decision : Decision or None
        All that is known of the training; not saved with the model.
    """

    def __init__(self) -> None:
        super().__init__()
        self.coefficients: DenseVector = Vectors.dense([])
        self.intercept = 0.0
        self.classes: tuple[Any, Any] = (0.0, 1.0)
        self.verdict = "undecided"
        self.margin = Margin(float("-inf"), float("inf"))
        self.proof: Proof | None = None
        self.decision: Decision | None = None

    @classmethod
    def _of(cls, decision: Decision, coef: Any, intercept: Any) -> LinearSeparatorModel:
        model = cls()
        model.coefficients, model.intercept = Vectors.dense(coef), float(intercept)
        negative, positive = decision.classes
        # Several negative classes have no one label.
        model.classes = (
            (0.0, 1.0) if negative == "rest" and not isinstance(positive, str) else decision.classes
        )
        model.verdict, model.margin = decision.verdict, decision.margin
        model.proof, model.decision = decision.proof, decision
        return model

    @property
    def separable(self) -> bool:
        """Whether the training data is separable."""
        return self.verdict == "separable"

    @property
    def numFeatures(self) -> int:
        """The number of features."""
        return len(self.coefficients)

    def copy(self, extra: Any = None) -> LinearSeparatorModel:
        """Return a copy with other parameters; the hyperplane and the proof are the same."""
        copied = super().copy(extra)
        for name in ("coefficients", "intercept", "classes", "verdict", "margin", "proof", "decision"):
            setattr(copied, name, getattr(self, name))
        return copied

    def _transform(self, dataset: DataFrame) -> DataFrame:
        columns = self.getFeaturesCols()
        chosen = read_features(dataset, columns, [], of=self.numFeatures)
        if len(chosen.names) != self.numFeatures:
            raise ValueError(
                f"the model has {self.numFeatures:,} features, and {', '.join(map(repr, columns))} "
                f"{len(chosen.names):,}"
            )
        scores = _scores(chosen.lengths, self.coefficients.toArray(), self.intercept)
        score = scores(*(F.col(quoted(name)) for name in columns))
        raw, name = self.getRawPredictionCol(), self.getPredictionCol()
        if raw:
            dataset = dataset.withColumn(raw, array_to_vector(F.array(-score, score)))
        if name:
            negative, positive = self.classes
            dataset = dataset.withColumn(
                name, F.when(score > 0, F.lit(positive)).otherwise(F.lit(negative))
            )
        return dataset

    def write(self) -> MLWriter:
        """Return what saves the model."""
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> MLReader[LinearSeparatorModel]:
        """Return what loads a model."""
        return _ModelReader()

    def __repr__(self) -> str:
        return f"LinearSeparatorModel: uid={self.uid}, {self.verdict}, numFeatures={self.numFeatures}"


def _scores(lengths: list[int], coef: Any, intercept: float) -> Any:
    """Return a function of columns: how far each row is on the positive side."""

    def scores(*columns: pa.Array) -> pa.Array:
        names = [f"x{k}" for k in range(len(columns))]
        batch = pa.RecordBatch.from_arrays(list(columns), names=names)
        return pa.array(_linsep.scores(batch, lengths, coef, intercept))

    return arrow_udf(scores, "double")  # type: ignore[call-overload]


class _ModelWriter(MLWriter):
    def __init__(self, model: LinearSeparatorModel) -> None:
        super().__init__()
        self.model = model

    def saveImpl(self, path: str) -> None:
        model = self.model
        DefaultParamsWriter.saveMetadata(model, path, self.sparkSession)
        negative, positive = model.classes
        classes = self.sparkSession.createDataFrame([(negative, positive)], ["negative", "positive"])
        about = {"verdict": model.verdict, "margin": list(model.margin)}
        proof = None if model.proof is None else (model.proof.to_json(), model.proof._positive)
        data = classes.select(
            F.lit(model.coefficients.toArray().tolist()).alias("coefficients"),
            F.lit(model.intercept).alias("intercept"),
            "negative",
            "positive",
            F.lit(json.dumps(about)).alias("about"),
            F.lit(None if proof is None else proof[0]).cast("string").alias("proof"),
            F.lit(None if proof is None else json.dumps(proof[1]))
            .cast("string")
            .alias("proof_positive"),
        )
        data.coalesce(1).write.parquet(f"{path}/data")


class _ModelReader(MLReader[LinearSeparatorModel]):
    def load(self, path: str) -> LinearSeparatorModel:
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        row = self.sparkSession.read.parquet(f"{path}/data").first()
        if row is None:
            raise ValueError(f"{path}: the model has no data; was it saved completely?")
        model = LinearSeparatorModel()
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        about = json.loads(row.about)
        low, high, kind = about["margin"]
        model.coefficients, model.intercept = Vectors.dense(row.coefficients), row.intercept
        model.classes = (row.negative, row.positive)
        model.verdict, model.margin = about["verdict"], Margin(low, high, kind)
        if row.proof is not None:
            model.proof = Proof(row.proof, json.loads(row.proof_positive))
        return model
