"""What to say of a separation: what the rows have in common, and what to do next, with code."""

from __future__ import annotations

from typing import Any

import numpy as np
from linsep import _linsep
from linsep._response import ORDINAL

__all__ = ["common_causes", "next_steps"]

# Values beyond which nothing is looked for in common: it would take longer than the answer.
_MOST_VALUES = 50_000_000


def _number(value: float) -> str:
    return f"{value:g}"


def common_causes(
    values: Any, columns: list[str], rows: np.ndarray, shown: np.ndarray | None, outcome: str
) -> list[tuple[str, np.ndarray]]:
    """Return sentences on what separated rows have in common, each with its rows."""
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
        for column, relation, value, own in _linsep.in_common(values, members):
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


_FITS = {
    "binomial": "sm.Logit(y, X)",
    "poisson": "sm.Poisson(y, X)",
    "negative-binomial": "sm.NegativeBinomial(y, X)",
    "multinomial": "sm.MNLogit(y, X)",
    "cumulative": "OrderedModel(y, X)",
    "conditional": "ConditionalLogit(y, X, groups=groups)",
    "cox": "PHReg(time, X, status=event)",
}
_PENALISED = {
    "binomial": "sm.GLM(y, X, family=sm.families.Binomial()).fit_regularized(alpha=0.01, L1_wt=0)",
    "poisson": "sm.GLM(y, X, family=sm.families.Poisson()).fit_regularized(alpha=0.01, L1_wt=0)",
    "negative-binomial": (
        "sm.GLM(y, X, family=sm.families.NegativeBinomial()).fit_regularized(alpha=0.01, L1_wt=0)"
    ),
    "multinomial": 'sm.MNLogit(y, X).fit_regularized(method="l1", alpha=0.1)',
    "conditional": "ConditionalLogit(y, X, groups=groups).fit_regularized(alpha=0.01, L1_wt=0)",
    "cox": "PHReg(time, X, status=event).fit_regularized(alpha=0.01, L1_wt=0)",
}


def next_steps(
    model: str, kind: str, infinite: list[str], dropped: list[str], left: int
) -> list[tuple[str, str]]:
    """Return what can be done, each with the code for statsmodels; no code where it has none."""
    steps: list[tuple[str, str]] = []
    if kind not in ("complete", "quasi-complete"):
        return steps
    names = ", ".join(infinite[:3]) + (", …" if len(infinite) > 3 else "")
    if infinite:
        steps.append((f"drop {names}, or merge its level with another", _drop(infinite)))
    if kind == "quasi-complete" and left and model in ("binomial", "poisson", "negative-binomial"):
        fit = _FITS[model].replace("y, X", "y[left], X.loc[left]" + _columns(dropped))
        steps.append(
            (
                f"fit the limiting model, of the {left:,} rows that are not separated",
                f"left = ~y.index.isin(y.index[found.settled]); {fit}.fit()",
            )
        )
    if model in _PENALISED:
        steps.append(("penalise: ridge here; Firth's in R (brglm2, logistf, coxphf)", _PENALISED[model]))
    elif model in ORDINAL:
        steps.append(("penalise: R's ordinalNet and brglm2 do", ""))
    return steps


def _drop(names: list[str]) -> str:
    return (
        f"X.drop(columns={names[:3]!r})" if len(names) <= 3 else "X.drop(columns=list(found.infinite))"
    )


def _columns(dropped: list[str]) -> str:
    return f".drop(columns={dropped!r})" if 0 < len(dropped) <= 6 else ".drop(columns=found.left_out)"
