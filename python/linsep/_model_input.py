"""Designs and responses from formulas with a frame, and from models of statsmodels."""

from __future__ import annotations

from typing import Any

import numpy as np
from linsep._fitted import statsmodels_start
from linsep._response import ORDINAL

__all__ = ["from_formula", "from_statsmodels", "is_fitter", "is_formula", "is_statsmodels"]

# What a GLM of the family Binomial is with a link: those from 0 to 1 over all numbers do not differ.
_BINOMIAL_LINKS = {
    **dict.fromkeys(("logit", "probit", "cdflink", "cloglog", "loglog", "cauchy"), "binomial"),
    "log": "log-binomial",
}
# What may be the name of a column of the frame.
_BY_NAME = ("trials", "weights", "groups", "time", "event", "entry")


def is_formula(x: Any, data: Any) -> bool:
    """Return whether x is a formula."""
    return isinstance(x, str) and (data is not None or "~" in x)


def is_statsmodels(x: Any) -> bool:
    """Return whether x is a model of statsmodels, or one of firthmodels in its shape, fitted or not."""
    inner = getattr(x, "model", x)
    module = type(inner).__module__.partition(".")[0]
    ours = module in ("statsmodels", "firthmodels")
    return ours and hasattr(inner, "exog") and hasattr(inner, "endog")


def is_fitter(x: Any) -> bool:
    """Return whether x is a fitter of lifelines."""
    return type(x).__module__.partition(".")[0] == "lifelines"


def _column(frame: Any, value: Any, what: str) -> Any:
    """Return a column of the frame by its name; anything else as it is."""
    if not isinstance(value, str):
        return value
    if value not in list(frame.columns):
        names = ", ".join(map(str, list(frame.columns)[:8]))
        raise ValueError(f'{what} is "{value}", which is not a column of data; the columns are {names}')
    return frame[value]


def from_formula(formula: str, data: Any, y: Any, model: str, arguments: dict[str, Any]) -> Any:
    """Return design, outcome and arguments of a formula with a frame."""
    if data is None:
        raise TypeError(
            "data is missing: a formula needs the frame that has its columns, as "
            'check_separation("y ~ a + b", data=df)'
        )
    if y is not None:
        raise TypeError("y was given with a formula, which has an outcome of its own left of ~")
    if "~" not in formula:
        raise ValueError(
            f'"{formula}" is no formula: expected "outcome ~ terms", such as "y ~ a*b + C(c)"'
        )
    if hasattr(data, "to_pandas") and not hasattr(data, "iloc"):
        data = data.to_pandas()
    left, right = (part.strip() for part in formula.split("~", 1))
    right, factors = _absorbed(right, arguments.get("absorb"), data)
    if factors is not None:
        arguments = {**arguments, "absorb": factors}
    arguments = {
        name: _column(data, value, name) if name in _BY_NAME else value
        for name, value in arguments.items()
    }
    design = _design(right, data)
    outcome = None
    if left:
        outcome = data[left] if left in list(data.columns) else _outcome(left, data)
    if len(design) != len(data):
        raise ValueError(
            f"the formula leaves {len(data) - len(design)} of {len(data)} rows out, for missing values: "
            "drop them first, with data.dropna()"
        )
    if model == "cox" and arguments["time"] is None:
        arguments["time"], outcome = outcome, None
    if model in (*ORDINAL, "cox", "conditional") or factors is not None:
        # Thresholds, comparisons or levels leave no room for a constant.
        design = design[[name for name in design.columns if name not in ("Intercept", "const")]]
    return design, outcome, arguments


def _absorbed(right: str, absorb: Any, data: Any) -> tuple[str, Any]:
    """Return the right side of a formula without factors, and these: those after a bar, or by name."""
    if "|" in right:
        if absorb is not None:
            raise TypeError("absorb was given with a formula that has factors of its own, after |")
        right, _, after = right.partition("|")
        absorb = [name.strip() for name in after.split("+")]
        if not all(absorb) or "|" in after:
            raise ValueError(
                f'the factors "{after.strip()}" are no list of columns: expected '
                '"y ~ a + b | firm + year"'
            )
    if isinstance(absorb, str):
        absorb = [absorb]
    if isinstance(absorb, list | tuple) and absorb and all(isinstance(name, str) for name in absorb):
        absorb = {name: _column(data, name, "a factor") for name in absorb}
    return right.strip() or "1", absorb


def _design(right: str, data: Any) -> Any:
    """Return the design of the right side of a formula as a frame."""
    try:
        import formulaic
    except ModuleNotFoundError:
        formulaic = None
    if formulaic is not None:
        try:
            return formulaic.model_matrix(f"~ {right}", data, na_action="raise", output="pandas")
        except Exception as error:
            raise ValueError(f'the formula "{right}" cannot be used with this frame: {error}') from error
    try:
        import patsy
    except ModuleNotFoundError:
        raise ImportError(
            "a formula needs formulaic or patsy: pip install formulaic, or give a design matrix"
        ) from None
    return patsy.dmatrix(right, data, NA_action="raise", return_type="dataframe")


def _outcome(left: str, data: Any) -> Any:
    try:
        found = data.eval(left)
    except Exception as error:
        names = ", ".join(map(str, list(data.columns)[:8]))
        raise ValueError(
            f'the outcome "{left}" is neither a column of data nor an expression of them: {error}. '
            f"The columns are {names}"
        ) from error
    return found


def from_statsmodels(x: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Return design, outcome and arguments of a model of statsmodels, fitted or not."""
    design, outcome, arguments = _of_model(x)
    start = statsmodels_start(x, design.shape[1])
    return design, outcome, arguments if start is None else {**arguments, "start": start}


def _of_model(x: Any) -> tuple[Any, Any, dict[str, Any]]:
    inner = getattr(x, "model", x)
    kind = type(inner).__name__
    exog = np.asarray(inner.exog, dtype=float)
    if exog.ndim != 2:
        raise ValueError("the model of statsmodels has no exog: there is no coefficient to ask about")
    names = [str(name) for name in list(inner.exog_names)[: exog.shape[1]]]
    endog = np.asarray(inner.endog)
    design = _named(exog, names, getattr(getattr(inner, "data", None), "row_labels", None))
    if kind in ("Logit", "Probit", "FirthLogit"):
        return design, *_proportions(endog, None)
    if kind == "GLM":
        return design, *_of_glm(inner, endog)
    if kind in ("Poisson", "GeneralizedPoisson"):
        return design, endog, {"model": "poisson"}
    if kind in ("NegativeBinomial", "NegativeBinomialP"):
        return design, endog, {"model": "negative-binomial"}
    if kind == "MNLogit":
        return design, endog, {"model": "multinomial"}
    if kind == "OrderedModel":
        labels = list(getattr(inner, "labels", []))
        outcome = np.array([labels[int(code)] for code in endog], dtype=object) if labels else endog
        return design, outcome, {"model": "cumulative", "levels": labels or None}
    if kind == "ConditionalLogit":
        return design, endog, {"model": "conditional", "groups": inner.groups}
    if kind == "PHReg":
        arguments = {"model": "cox", "time": endog, "ties": inner.ties}
        for ours, theirs in (("event", "status"), ("entry", "entry"), ("groups", "strata")):
            arguments[ours] = getattr(inner, theirs, None)
        return design, None, arguments
    raise TypeError(
        f"a statsmodels {kind} is not known; expected Logit, Probit, GLM, Poisson, NegativeBinomial, "
        "MNLogit, OrderedModel, ConditionalLogit or PHReg"
    )


def _named(exog: np.ndarray, names: list[str], rows: Any) -> Any:
    import pandas as pd  # statsmodels brings it

    # The model has the index of the frame it was made of, without rows that it left out.
    index = rows if rows is not None and len(rows) == len(exog) else None
    return pd.DataFrame(exog, columns=names, index=index)


def _proportions(endog: np.ndarray, weights: Any) -> tuple[Any, dict[str, Any]]:
    """Return outcomes between 0 and 1 as shares of successes: what matters is which are 0 or 1."""
    return endog, {"model": "binomial", "trials": np.ones(len(endog)), "weights": weights}


def _of_glm(inner: Any, endog: np.ndarray) -> tuple[Any, dict[str, Any]]:
    family, link = type(inner.family).__name__, type(inner.family.link).__name__
    weights = None
    for name in ("freq_weights", "var_weights"):
        given = getattr(inner, name, None)
        if given is not None and np.any(np.asarray(given) == 0):
            weights = (np.asarray(given) != 0).astype(float)
    if family == "Binomial" and link.lower() in _BINOMIAL_LINKS:
        outcome, arguments = _proportions(endog, weights)
        return outcome, {**arguments, "model": _BINOMIAL_LINKS[link.lower()]}
    counts = {"Poisson": "poisson", "NegativeBinomial": "negative-binomial"}
    if family in counts and link.lower() == "log":
        return endog, {"model": counts[family], "weights": weights}
    raise TypeError(
        f"a GLM of the family {family} with the link {link} is not known; expected Binomial with the "
        "link Logit, Probit, CLogLog, LogLog, Cauchy or Log, or Poisson or NegativeBinomial with Log"
    )
