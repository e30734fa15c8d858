"""The code for statsmodels that takes the steps which an answer advises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linsep._response import ORDINAL

__all__ = ["Fitting", "step_code"]


@dataclass(frozen=True)
class Fitting:
    """How a model is fitted with statsmodels, in code that a test runs for every family.

    X is the design as a frame, y the outcome as a series, `trials`, `groups`, `time`, `event` and
    `entry` what was given beside them, `found` the answer, `sm` is statsmodels.api; ConditionalLogit and
    PHReg are statsmodels' too.
    """

    model: str
    intercept: bool = False  # whether the model adds a constant, as statsmodels does not
    weighted: bool = False  # whether rows are left out for their weight
    trials: str | None = None  # what y has: "numbers" or "shares" of successes
    event: bool = False
    event_value: Any = None
    entry: bool = False
    strata: bool = False
    ties: str = "breslow"
    absorbed: bool = (
        False  # whether levels have coefficients of their own, which statsmodels does not absorb
    )

    def code(self, mask: str, dropped: list[str], constant: bool, likelihood: bool) -> str | None:
        """Return the code of a fit of the rows of a mask without some columns, or None."""

        if self.absorbed:
            return None

        def some(name: str) -> str:
            return f"{name}[{mask}]" if mask else name

        design = some("X") + (f".drop(columns={dropped!r})" if dropped else "")
        design = f"sm.add_constant({design})" if constant else design
        y = some("y")
        family = {
            "binomial": "Binomial()",
            "log-binomial": "Binomial(link=sm.families.links.Log())",
            "poisson": "Poisson()",
            "negative-binomial": "NegativeBinomial()",
        }
        plain = {
            "binomial": "Logit",
            "poisson": "Poisson",
            "negative-binomial": "NegativeBinomial",
            "multinomial": "MNLogit",
        }
        if self.model in family and (self.trials or not likelihood or self.model not in plain):
            weights = f", var_weights={some('trials')}" if self.trials else ""
            outcome = f"{y} / {some('trials')}" if self.trials == "numbers" else y
            named = f"family=sm.families.{family[self.model]}"
            return f"sm.GLM({outcome}, {design}, {named}{weights})"
        if self.model in plain:
            return f"sm.{plain[self.model]}({y}, {design})"
        if self.model == "conditional":
            return f"ConditionalLogit({y}, {design}, groups={some('groups')})"
        if self.model == "cox" and self.ties != "exact":
            value = f" == {self.event_value!r}" if self.event_value is not None else ""
            parts = [f"status={some('event')}{value}"] if self.event else []
            parts += [f"entry={some('entry')}"] if self.entry else []
            parts += [f"strata={some('groups')}"] if self.strata else []
            parts += [f"ties={self.ties!r}"] if self.ties != "breslow" else []
            return f"PHReg({', '.join([some('time'), design, *parts])})"
        return None


# statsmodels has no other penalty for categories.
_PENALTY = {"multinomial": '.fit_regularized(method="l1", alpha=0.1)'}
_RIDGE = ".fit_regularized(alpha=0.01, L1_wt=0)"
# Its penalties know nothing of probabilities that may not exceed 1.
_UNPENALISED = (*ORDINAL, "log-binomial", "own")


def step_code(fitting: Fitting, step: str, columns: list[str], constant_goes: bool) -> str | None:
    """Return the code for statsmodels that takes a step, if it has some. `columns` are to go."""
    if step == "drop":
        return f"X.drop(columns={columns!r})"
    if step == "fit-limit":
        constant = fitting.intercept and not constant_goes
        code = fitting.code("found.left", columns, constant, likelihood=True)
        return None if code is None else f"{code}.fit()"
    if step == "penalise" and fitting.model not in _UNPENALISED:
        mask = "found.counted" if fitting.weighted else ""
        code = fitting.code(mask, [], fitting.intercept, likelihood=False)
        return None if code is None else code + _PENALTY.get(fitting.model, _RIDGE)
    return None
