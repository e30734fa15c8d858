"""Fitted models: the coefficients that the search begins with, and what an estimator asks about.

Coefficients change no answer: the checker accepts what they lead to, or the search goes on without. So
whatever cannot be read here, or is not finite, is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["from_estimator", "is_estimator", "statsmodels_start"]

# Estimators with coefficients, and the model that each fits.
_ESTIMATORS = {
    "LogisticRegression": "binomial",
    "LogisticRegressionCV": "binomial",
    "PoissonRegressor": "poisson",
    "FirthLogisticRegression": "binomial",
    "FirthCoxPH": "cox",
}


def is_estimator(x: Any) -> bool:
    """Return whether x is an estimator: it is fitted to data that it does not keep."""
    return hasattr(x, "fit") and hasattr(x, "get_params") and not isinstance(x, type)


def statsmodels_start(x: Any, columns: int) -> list[float] | None:
    """Return the coefficients of what a fit of statsmodels returned, in order, if it has any."""
    inner = getattr(x, "model", None)
    if inner is None or not hasattr(x, "params"):
        return None
    params = np.asarray(x.params, dtype=float)
    if params.ndim == 2:
        # A column per category.
        return _finite(params.ravel(order="F"))
    if hasattr(inner, "transform_threshold_params"):
        with np.errstate(all="ignore"):
            thresholds = np.asarray(inner.transform_threshold_params(params), dtype=float)[1:-1]
        return _finite(np.concatenate([params[:columns], thresholds]))
    # What follows is no coefficient: a dispersion.
    return _finite(params[:columns])


def _finite(values: Any) -> list[float] | None:
    """Return numbers as a list, or None if they are no hint."""
    values = np.asarray(values, dtype=float)
    return values.tolist() if np.all(np.isfinite(values)) else None


def from_estimator(estimator: Any, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the model that an estimator fits, and what it says of the question."""
    name = type(estimator).__name__
    if name not in _ESTIMATORS:
        raise TypeError(
            f"a {name} is not known; expected {', '.join(_ESTIMATORS)}, or X and y with start= for the "
            "coefficients. Of a pipeline or a search give the fitted estimator inside, and its data"
        )
    if not hasattr(estimator, "coef_"):
        raise ValueError(f"the {name} is not fitted: fit it first, or give X and y alone")
    model = _ESTIMATORS[name]
    coefficients = np.atleast_2d(np.asarray(estimator.coef_, dtype=float))
    if model == "cox":
        return model, {"start": _finite(coefficients.ravel())}
    intercept = bool(getattr(estimator, "fit_intercept", False))
    if intercept:
        constants = np.reshape(np.asarray(estimator.intercept_, dtype=float), (-1, 1))
        coefficients = np.hstack([constants, coefficients])
    own: dict[str, Any] = {"intercept": intercept}
    classes = getattr(estimator, "classes_", None)
    if len(coefficients) > 1:
        # One row per class; of the model the first class has none.
        model, coefficients = "multinomial", coefficients[1:] - coefficients[0]
        own["levels"] = given.get("levels") or list(classes)  # type: ignore[arg-type]
    elif classes is not None and given.get("positive") is None and given.get("trials") is None:
        own["positive"] = classes[1]
    own["start"] = _finite(coefficients.ravel())
    return model, own
