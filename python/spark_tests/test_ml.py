"""The estimator of pyspark.ml: params, persistence, transform, pipelines and cross-validation."""

import linsep
import linsep.spark
import numpy as np
import pytest
from conftest import frame, make_separable
from linsep.spark import LinearSeparator, LinearSeparatorModel
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import BinaryClassificationEvaluator, MulticlassClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.linalg import Vectors
from pyspark.ml.tuning import CrossValidator, CrossValidatorModel, ParamGridBuilder

NAMES = ["a", "b", "c"]


@pytest.fixture(scope="module")
def data():
    X, y = make_separable(200, 3, seed=4)
    return X, y.astype(float)


@pytest.fixture
def df(spark, data):
    return frame(spark, *data, 3, NAMES)


def labelled(found):
    """Return what was predicted and what is true, row by row."""
    return [(row.prediction, row.label) for row in found.select("prediction", "label").collect()]


def test_a_pipeline_is_fitted_saved_and_loaded(spark, df, data, tmp_path):
    assembler = VectorAssembler(inputCols=NAMES, outputCol="features")
    pipeline = Pipeline(stages=[assembler, LinearSeparator(margin="any")])
    model = pipeline.fit(df)
    fitted = model.stages[-1]
    local = linsep.decide(*data)
    assert fitted.separable and fitted.proof == local.proof and fitted.numFeatures == 3
    np.testing.assert_array_equal(fitted.coefficients.toArray(), local.coef)
    assert (fitted.intercept, fitted.margin) == (local.intercept, local.margin)
    found = model.transform(df)
    assert all(predicted == true for predicted, true in labelled(found))
    scores = np.array([row.rawPrediction.toArray() for row in found.select("rawPrediction").collect()])
    np.testing.assert_array_equal(scores[:, 0], -scores[:, 1])
    np.testing.assert_allclose(scores[:, 1], data[0] @ local.coef + local.intercept)
    model.save(str(tmp_path / "model"))
    again = PipelineModel.load(str(tmp_path / "model"))
    loaded = again.stages[-1]
    assert isinstance(loaded, LinearSeparatorModel) and loaded.uid == fitted.uid
    assert loaded.coefficients == fitted.coefficients and loaded.intercept == fitted.intercept
    assert (loaded.verdict, loaded.margin, loaded.proof, loaded.classes) == (
        fitted.verdict,
        fitted.margin,
        fitted.proof,
        fitted.classes,
    )
    assert labelled(again.transform(df)) == labelled(found)
    assert linsep.spark.verify(df, loaded.proof)
    pipeline.write().overwrite().save(str(tmp_path / "pipeline"))
    stage = Pipeline.load(str(tmp_path / "pipeline")).getStages()[-1]
    assert stage.getOrDefault(stage.margin) == "any" and stage.getFeaturesCol() == "features"


def test_folds_are_decided_one_by_one(df, tmp_path):
    separator = LinearSeparator(featuresCols=NAMES, margin="any", storageLevel="NONE")
    grid = ParamGridBuilder().addGrid(separator.margin, ["any", "max"]).build()
    search = CrossValidator(
        estimator=separator,
        estimatorParamMaps=grid,
        evaluator=BinaryClassificationEvaluator(),
        numFolds=2,
        seed=1,
    )
    found = search.fit(df)
    assert len(found.avgMetrics) == 2 and min(found.avgMetrics) > 0.95
    assert found.bestModel.verdict == "separable"
    found.save(str(tmp_path / "search"))
    again = CrossValidatorModel.load(str(tmp_path / "search"))
    assert again.bestModel.proof == found.bestModel.proof
    predicted = again.transform(df)
    assert MulticlassClassificationEvaluator(metricName="accuracy").evaluate(predicted) == 1.0


def test_params_are_what_pyspark_makes_of_them(df):
    separator = LinearSeparator(maxPasses=1, labelCol="label", featuresCols=NAMES)
    assert separator.getOrDefault(separator.maxPasses) == 1
    assert separator.copy({separator.maxPasses: 5}).getOrDefault("maxPasses") == 5
    assert "margin" in separator.explainParams()
    assert separator.fit(df).verdict == "undecided"
    copied = separator.fit(df, {separator.maxPasses: 50, separator.predictionCol: "guess"})
    assert copied.verdict == "separable" and "guess" in copied.transform(df).columns
    renamed = copied.copy({copied.predictionCol: "other"})
    assert renamed.proof == copied.proof and "other" in renamed.transform(df).columns
    with pytest.raises(ValueError, match='margin is \'most\'; expected "any" or "max"'):
        LinearSeparator(featuresCols=NAMES, margin="most").fit(df)
    with pytest.raises(TypeError):
        LinearSeparator(no_such=1)


def test_labels_of_any_kind_come_back(spark, data, tmp_path):
    X, y = data
    words = frame(spark, X, np.where(y > 0, "yes", "no"), 2, NAMES)
    model = LinearSeparator(featuresCols=NAMES, margin="any").fit(words)
    model.save(str(tmp_path / "words"))
    found = LinearSeparatorModel.load(str(tmp_path / "words")).transform(words)
    assert all(predicted == true for predicted, true in labelled(found))
    # One class against two others: the others have no label in common.
    three = frame(spark, X, np.where(y > 0, 2, np.arange(len(y)) % 2), 2, NAMES)
    model = LinearSeparator(featuresCols=NAMES, margin="any", positiveLabel=2).fit(three)
    found = labelled(model.transform(three))
    assert model.separable and all(predicted == float(true == 2) for predicted, true in found)


def test_data_that_is_not_separable_has_a_model_too(spark, data):
    X, y = data
    flipped = y.copy()
    flipped[:3] = 1 - flipped[:3]
    df = frame(spark, X, flipped, 2, NAMES)
    model = LinearSeparator(featuresCols=NAMES).fit(df)
    assert model.verdict == "inseparable" and not model.separable and model.proof is not None
    # The three rows, and some that lie as near to the hyperplane as they do far from it.
    assert 3 <= sum(predicted != true for predicted, true in labelled(model.transform(df))) < 12
    # One row under both labels, from the start: no hyperplane was met.
    twice = spark.createDataFrame([(1.0, 0.0), (1.0, 1.0)], ["a", "label"])
    model = LinearSeparator(featuresCols=["a"]).fit(twice)
    assert {predicted for predicted, _ in labelled(model.transform(twice))} <= {0.0, 1.0}


def test_vectors_and_arrays_are_transformed(spark, data):
    X, y = data
    X = np.where(np.abs(X) < 0.2, 0.0, X)
    rows = [
        (
            Vectors.sparse(3, {k: v for k, v in enumerate(x) if v}) if i % 2 else Vectors.dense(x),
            x.tolist(),
            t,
        )
        for i, (x, t) in enumerate(zip(X, y.tolist(), strict=True))
    ]
    df = spark.createDataFrame(rows, ["features", "list", "label"])
    model = LinearSeparator(margin="any").fit(df.select("features", "label"))
    found = model.transform(df)
    by_list = model.copy({model.featuresCol: "list"}).transform(df)
    assert labelled(found) == labelled(by_list)
    expected = X @ model.coefficients.toArray() + model.intercept > 0
    assert [predicted for predicted, _ in labelled(found)] == expected.astype(float).tolist()
    with pytest.raises(ValueError, match="the model has 3 features, and 'label' 1"):
        model.copy({model.featuresCol: "label"}).transform(df)
