"""What to say of a separation: what the rows have in common, and what to do next, with code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from linsep import _linsep
from linsep._response import ORDINAL

__all__ = ["Fitting", "common_causes", "next_steps"]

# Values beyond which nothing is looked for in common: it would take longer than the answer.
_MOST_VALUES = 50_000_000


def _number(value: float) -> str:
    return f"{value:g}"


def common_causes(
    values: Any,
    columns: list[str],
    rows: np.ndarray,
    shown: np.ndarray | None,
    outcome: str,
    kept: np.ndarray | None,
) -> list[tuple[str, np.ndarray]]:
    """Return sentences on what separated rows have in common, each with its rows. Rows that are not kept
    have nothing to say."""
    if shown is None or len(rows) == 0:
        return []
    total = len(shown)
    if not isinstance(values, tuple | np.ndarray) or total * len(columns) > _MOST_VALUES:
        return []
    separated = np.zeros(total, dtype=bool)
    separated[rows] = True
    found: list[tuple[str, np.ndarray]] = []
    labels = list(dict.fromkeys(shown[rows].tolist()))
    if len(labels) > 8:
        return []
    for label in labels:
        members = np.ascontiguousarray(separated & (shown == label))
        for column, relation, value, own in _linsep.in_common(values, members, kept):
            where = f"{columns[column]} {relation} {_number(value)}"
            what = _outcome(label)
            one = len(own) == 1
            sentence = (
                f"the one row with {where} has {outcome} = {what}"
                if one
                else f"all {len(own):,} rows with {where} have {outcome} = {what}"
            )
            found.append((sentence, own))
    return sorted(found, key=lambda pair: -len(pair[1]))


def _outcome(label: Any) -> str:
    return _number(label) if isinstance(label, float) else str(label)


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

    def code(self, mask: str, dropped: list[str], constant: bool, likelihood: bool) -> str | None:
        """Return the code of a fit of the rows of a mask without some columns, or None."""

        def some(name: str) -> str:
            return f"{name}[{mask}]" if mask else name

        design = some("X") + (f".drop(columns={dropped!r})" if dropped else "")
        design = f"sm.add_constant({design})" if constant else design
        y = some("y")
        family = {"binomial": "Binomial", "poisson": "Poisson", "negative-binomial": "NegativeBinomial"}
        if self.model in family and (self.trials or not likelihood):
            weights = f", var_weights={some('trials')}" if self.trials else ""
            outcome = f"{y} / {some('trials')}" if self.trials == "numbers" else y
            named = f"family=sm.families.{family[self.model]}()"
            return f"sm.GLM({outcome}, {design}, {named}{weights})"
        plain = {
            "binomial": "Logit",
            "poisson": "Poisson",
            "negative-binomial": "NegativeBinomial",
            "multinomial": "MNLogit",
        }
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


def next_steps(
    fitting: Fitting,
    kind: str,
    columns: int,
    infinite: list[str | None],
    dropped: list[str | None],
    left: int,
) -> list[tuple[str, str]]:
    """Return what can be done, each with the code for statsmodels; no code where it has none.

    `infinite` and `dropped` are columns of the design whose coefficients run away, or are to go: None
    stands for a constant, which is not a column. `columns` is the number of all columns.
    """
    steps: list[tuple[str, str]] = []
    model = fitting.model
    if kind not in ("complete", "quasi-complete"):
        return steps
    away = _once(infinite)
    if away:
        names = ", ".join(away[:3]) + (", …" if len(away) > 3 else "")
        steps.append((f"drop {names}, or merge its level with another", f"X.drop(columns={away!r})"))
    elif model in ORDINAL:
        steps.append(("merge a category with the one beside it", ""))
    constant = fitting.intercept and None not in dropped
    some_column = constant or len(_once(dropped)) < columns
    if kind == "quasi-complete" and left and some_column and model in _LIMITS:
        code = fitting.code("found.left", _once(dropped), constant, likelihood=True)
        step = f"fit the limiting model, of the {left:,} rows that are not separated"
        steps.append((step, f"{code}.fit()"))
    mask = "found.counted" if fitting.weighted else ""
    penalised = fitting.code(mask, [], fitting.intercept, likelihood=False)
    if model in ORDINAL:
        steps.append(("penalise: R's ordinalNet and brglm2 do", ""))
    elif penalised is None:
        steps.append(("penalise: Firth's in R (coxphf)", ""))
    elif model != "own":
        code = penalised + _PENALTY.get(model, _RIDGE)
        steps.append(("penalise: ridge here; Firth's in R (brglm2, logistf, coxphf)", code))
    return steps


# Models whose limiting model is one of the same family.
_LIMITS = ("binomial", "poisson", "negative-binomial")


def _once(names: list[str | None]) -> list[str]:
    """Return the columns, each once."""
    return list(dict.fromkeys(name for name in names if name is not None))
