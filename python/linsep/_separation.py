"""Does a statistical model have an estimate, and if not, which coefficients run away?

The answer comes from Rust (`linsep::models`); here it gets names. In reading order: `_response` and
`_model_input` read what is asked about, this file asks, `_advice` says what to make of the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from linsep import _html, _linsep
from linsep._advice import Fitting, common_causes, next_steps
from linsep._data import Labels, Matrix, read_matrix, unmasked
from linsep._decision import naming_columns, whole
from linsep._model_input import from_formula, from_statsmodels, is_fitter, is_formula, is_statsmodels
from linsep._proof import Proof, Verification
from linsep._response import MODELS, ORDINAL, Response, read_response
from linsep._table import Table, is_path, read_data

__all__ = ["Separation", "check_recession", "check_separation", "structure_vectors", "verify_separation"]

# Coefficients that are shown one by one; of more, those that are finite are counted.
_SHOWN = 40


@dataclass(frozen=True, repr=False)
class Separation:
    """Whether the maximum likelihood estimate of a model exists, and why not.

    It is true where the data is separated, completely or not.

    Attributes
    ----------
    kind : str
        "complete", "quasi-complete" or "overlap"; "undecided" if a limit was reached first.
    because : str or None
        The limit that was reached before everything was known: "passes", "time" or "cancelled".
    unfinished : str or None
        What that limit left open of a kind that is proven: "coefficients", which of them are finite and
        whether more rows are separated, or "signs", whether an infinite one can have the other sign too.
    columns : list of str
        The names of all coefficients, in the order of the design.
    infinite : dict
        The coefficients that run away, with "+inf", "-inf", or "±inf" where some directions
        of growing likelihood lead one way and some the other.
    aliased : list of str
        Coefficients without a value of their own: their columns are combinations of others.
    rows : ndarray of int
        The rows, counted from 0, that cause the separation: what they exclude becomes certain, as fitted
        probabilities run to 0 or 1. Rows of a table are counted as in its file.
    settled : ndarray of int
        Those of them that are separated from all that they are compared with: they say nothing in the
        limiting model.
    excluded : list of tuple
        What the separated rows exclude: (row, category), or (row, other row) in models that compare
        rows. Empty where a row has two outcomes.
    separated : int
        How many comparisons are separated; of a binomial model, rows. Of the rows of a cluster only the
        first are named.
    index : index or None
        The same rows by the index of the frame, where X was one.
    direction : ndarray or None
        A direction along which the likelihood grows for ever, for just these rows.
    conflicting_rows : ndarray of int
        Rows that hold the estimates of the other coefficients, or of all, in place: they overlap.
    cone_dimension : int
        The dimension of the cone of such directions, but for those that change nothing.
    left_out : list of str
        Coefficients to leave out of the limiting model, whose rows are all but the settled ones: it has
        a finite estimate.
    model : str
        The model.
    proof : Proof or None
        The proof of the kind: see :func:`verify_separation`.
    causes : list of str
        What the separated rows have in common, where that can be said of one column.
    """

    kind: str
    columns: list[str]
    infinite: dict[str, str]
    aliased: list[str]
    rows: np.ndarray
    direction: np.ndarray | None
    conflicting_rows: np.ndarray
    index: Any = None
    separated: int = 0
    settled: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    excluded: list[tuple[int, Any]] = field(default_factory=list)
    cone_dimension: int = 0
    left_out: list[str] = field(default_factory=list)
    model: str = "binomial"
    proof: Proof | None = None
    causes: list[str] = field(default_factory=list)
    total: int = 0
    because: str | None = None
    unfinished: str | None = None
    _design: list[tuple[str, str | None]] = field(default_factory=list)
    _fitting: Fitting = field(default_factory=lambda: Fitting("own"))
    _counted: np.ndarray | None = None

    @property
    def estimate_exists(self) -> bool:
        """Whether the maximum of the likelihood is attained."""
        return self.kind == "overlap"

    def __bool__(self) -> bool:
        """Return true if the data is separated, completely or not."""
        return self.kind in ("complete", "quasi-complete")

    @property
    def next_steps(self) -> list[tuple[str, str]]:
        """What can be done about it, each with the code for statsmodels where it has some."""
        if self._open() == "coefficients":
            return []
        columns = dict(self._design)
        return next_steps(
            self._fitting,
            self.kind,
            len({column for column in columns.values() if column is not None}),
            [columns.get(name) for name in self.infinite],
            [columns.get(name) for name in self.left_out],
            self._left(),
        )

    def _left(self) -> int:
        """Return how many rows the limiting model has. Of a cluster no list of all rows is here."""
        counted = self.total if self._counted is None else int(self._counted.sum())
        return counted - (len(self.settled) if self.excluded else max(len(self.settled), self.separated))

    @property
    def counted(self) -> np.ndarray:
        """Which rows count: false for those of weight zero, and those without a trial."""
        return np.ones(self.total, dtype=bool) if self._counted is None else self._counted

    @property
    def left(self) -> np.ndarray:
        """Which rows the limiting model has: those that count and are not settled."""
        left = self.counted.copy()
        left[self.settled] = False
        return left

    def _status(self) -> list[tuple[str, str]]:
        unknown = "unknown" if self._open() == "coefficients" else "finite"
        aliased = set(self.aliased)
        return [(c, "aliased" if c in aliased else self.infinite.get(c, unknown)) for c in self.columns]

    def _open(self) -> str | None:
        return "coefficients" if self.kind == "undecided" else self.unfinished

    def to_frame(self) -> Any:
        """Return a pandas frame of the coefficients and what becomes of their estimates."""
        import pandas as pd

        return pd.DataFrame(self._status(), columns=["column", "estimate"]).set_index("column")

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
        return {
            "model": self.model,
            "kind": self.kind,
            "because": self.because,
            "unfinished": self.unfinished,
            "estimate_exists": None if self.kind == "undecided" else self.estimate_exists,
            "coefficients": dict(self._status()),
            "infinite": dict(self.infinite),
            "aliased": list(self.aliased),
            "rows": self.rows.tolist(),
            "settled": self.settled.tolist(),
            "excluded": [[row, _jsonable(what)] for row, what in self.excluded],
            "separated": self.separated,
            "direction": None if self.direction is None else self.direction.tolist(),
            "conflicting_rows": self.conflicting_rows.tolist(),
            "cone_dimension": self.cone_dimension,
            "left_out": list(self.left_out),
            "causes": list(self.causes),
            "next_steps": [{"step": step, "code": code} for step, code in self.next_steps],
        }

    def _coefficients(self) -> list[tuple[str, str]]:
        status = self._status()
        if len(status) <= _SHOWN:
            return status
        moved = [pair for pair in status if pair[1] != "finite"]
        shown, finite = moved[:_SHOWN], len(status) - len(moved)
        if len(moved) > len(shown):
            rest = "unknown" if self._open() == "coefficients" else "not finite"
            shown.append((f"… {len(moved) - len(shown):,} more", rest))
        return [*shown, (f"all {finite:,} others", "finite")] if finite else shown

    def _facts(self) -> list[tuple[str, str]]:
        exists = {"overlap": "exists", "undecided": "unknown"}.get(self.kind, "does not exist")
        facts = [("model", self.model), ("estimate", exists)]
        if self.because is not None:
            left = {None: "an answer was proven", "signs": "all signs were known"}
            what = left.get(self.unfinished, "it was known which coefficients are finite")
            stopped = {"time": "the time ran out", "passes": "the passes ran out"}
            facts.append(("open", f"{stopped.get(self.because, 'stopped')} before {what}"))
        facts += [("coefficient" if k == 0 else "", line) for k, line in enumerate(self._lines())]
        if len(self.rows):
            named = self.rows if self.index is None else self.index
            of = self.separated if not self.excluded else len(self.rows)
            facts.append(("caused by rows", _html.listed(named, of=max(of, len(self.rows)))))
        facts += [("because" if k == 0 else "", cause) for k, cause in enumerate(self.causes)]
        for k, (step, code) in enumerate(self.next_steps):
            facts.append(("what next" if k == 0 else "", step))
            if code:
                facts.append(("", f"    {code}"))
        return facts

    def _lines(self) -> list[str]:
        pairs = self._coefficients()
        width = min(max((len(name) for name, _ in pairs), default=0), 48)
        return [f"{name:<{width}}  {status}" for name, status in pairs]

    def __repr__(self) -> str:
        lines = [f"  {name:<14}  {value}".rstrip() for name, value in self._facts()]
        return "\n".join([f"Separation: {self.kind}", *lines])

    def _repr_html_(self) -> str:
        plain = [fact for fact in self._facts() if fact[0] not in ("coefficient",)]
        lines = set(self._lines())
        facts = [(name, value) for name, value in plain if value not in lines]
        table = _html.grid(
            f"{len(self.columns):,} coefficients", ["coefficient", "estimate"], self._coefficients()
        )
        return _html.facts(f"Separation: {_html.badge(self.kind)}", facts) + table


def _jsonable(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def check_separation(
    X: Any,
    y: Any = None,
    *,
    model: str = "binomial",
    data: Any = None,
    intercept: bool = False,
    positive: Any = None,
    levels: Sequence[Any] | None = None,
    trials: Any = None,
    weights: Any = None,
    groups: Any = None,
    time: Any = None,
    event: Any = None,
    event_value: Any = None,
    entry: Any = None,
    ties: str = "breslow",
    parallel: bool = True,
    max_passes: int | None = None,
    time_limit: float | None = None,
) -> Separation:
    """Say whether a statistical model of this design has a maximum likelihood estimate.

    Parameters
    ----------
    X : array-like of shape (rows, columns), formula, model or table
        The design matrix as the model sees it: an array, a frame of pandas or polars, a sparse matrix,
        or a matrix of patsy or formulaic. Or a formula, with `data`. Or a model of statsmodels: Logit,
        Probit, GLM (binomial, Poisson and negative binomial), Poisson, NegativeBinomial, MNLogit,
        OrderedModel, ConditionalLogit or PHReg, fitted or not. Or, for a binomial model, a table in a
        file, as for :func:`linsep.decide`.
    y : array-like of shape (rows,)
        The outcome: labels, categories or counts. A formula, a model and a table have their own.
    model : str
        "binomial" (logit, probit, cloglog), "multinomial", "cumulative", "adjacent" or "sequential"
        (ordered categories), "poisson" or "negative-binomial" (log link), "conditional" (logit within
        groups) or "cox".
    data : frame, optional
        The frame of a formula such as "y ~ a*b + C(c)". Then `trials`, `weights`, `groups`, `time`,
        `event` and `entry` may be names of its columns.
    intercept : bool
        Whether the model adds a constant to the design by itself, as scikit-learn's does and
        statsmodels' does not. A formula has its own; models of ordered categories have thresholds,
        conditional and Cox models nothing of the kind.
    positive : object, optional
        The label that counts as success; the larger one by default.
    levels : sequence, optional
        The categories in order: of a multinomial model the first is the base. By default those of a
        categorical column, or sorted. Categories that do not occur are dropped.
    trials : array-like, optional
        Grouped data: the number of trials of each row, of which `y` are successes, as a number or a
        share.
    weights : array-like, optional
        Weights: rows of weight zero are left out, others change nothing.
    groups : array-like, optional
        The groups of a conditional model, or the strata of a Cox model.
    time, event, entry : array-like, optional
        Of a Cox model: when each row was last seen, whether the event occurred then (1 or 0, true or
        false; by default in all rows), and since when it was observed (left truncation).
    event_value : object, optional
        Which of two values of `event` is the event, such as 2 where R's survival codes 1 and 2.
    ties : {"breslow", "efron", "exact"}
        What a Cox model makes of events at one time.
    parallel : bool
        Whether columns have one coefficient for all ordered categories, or one per threshold.
    max_passes, time_limit
        Limits of the whole question, as for :func:`linsep.decide`; what is proven by then is said.

    Returns
    -------
    Separation

    Notes
    -----
    The kind is proven as by :func:`linsep.decide`, and rows and coefficients are found without rounding:
    no tolerance enters the answer.

    References
    ----------
    A. Albert and J. Anderson, On the existence of maximum likelihood estimates in logistic regression
    models, Biometrika 71 (1984).

    Examples
    --------
    >>> import linsep
    >>> X = [[1, 0, 1], [1, 0, 2], [1, 0, 3], [1, 0, 4], [1, 1, 2], [1, 1, 3]]
    >>> linsep.check_separation(X, [0, 1, 0, 1, 1, 1])
    Separation: quasi-complete
      model           binomial
      estimate        does not exist
      coefficient     x0  finite
                      x1  +inf
                      x2  finite
      caused by rows  4, 5
      because         all 2 rows with x1 = 1 have y = 1
      what next       drop x1, or merge its level with another
                          X.drop(columns=['x1'])
                      fit the limiting model, of the 4 rows that are not separated
                          sm.Logit(y[found.left], X[found.left].drop(columns=['x1'])).fit()
                      penalise: ridge here; Firth's in R (brglm2, logistf, coxphf)
                          sm.GLM(y, X, family=sm.families.Binomial()).fit_regularized(...)

    A Cox model in which the covariate puts all events in order:

    >>> X, time, event = [[4], [3], [2], [1]], [1, 2, 3, 4], [1, 1, 0, 1]
    >>> found = linsep.check_separation(X, model="cox", time=time, event=event)
    >>> found.kind, found.infinite
    ('complete', {'x0': '+inf'})
    """
    limits = (max_passes, time_limit)
    arguments: dict[str, Any] = {
        "trials": trials,
        "weights": weights,
        "groups": groups,
        "time": time,
        "event": event,
        "event_value": event_value,
        "entry": entry,
        "ties": ties,
        "levels": levels,
        "positive": positive,
        "parallel": parallel,
        "intercept": intercept,
    }
    if isinstance(X, Table) or (is_path(X) and not is_formula(X, data)):
        return _of_table(X, y, model, arguments, limits)
    matrix, response, outcome = _read(X, y, model, data, arguments)
    return _answer(matrix, response, outcome, limits)


def _read(
    X: Any, y: Any, model: str, data: Any, arguments: dict[str, Any]
) -> tuple[Matrix, Response, str]:
    """Return the design, the response and the name of the outcome."""
    if model not in MODELS:
        raise ValueError(f"model is {model!r}; expected one of " + ", ".join(map(repr, MODELS)))
    if is_formula(X, data):
        X, y, arguments = from_formula(X, data, y, model, arguments)
    elif is_statsmodels(X):
        if y is not None:
            raise TypeError("y was given with a model of statsmodels, which has its own")
        X, y, own = from_statsmodels(X)
        model = own.pop("model")
        arguments = {**arguments, "intercept": False, **own}
    elif is_fitter(X):
        raise TypeError(
            f"a lifelines {type(X).__name__} keeps no design to read: give its frame, as "
            'check_separation(df[columns], model="cox", time=df["T"], event=df["E"])'
        )
    matrix = read_matrix(X)
    y = unmasked(y, "y")
    given = ("trials", "weights", "groups", "time", "event", "entry")
    arguments = {**arguments, **{part: unmasked(arguments.get(part), part) for part in given}}
    response = read_response(matrix.rows, y, model=model, **arguments)
    name = getattr(y, "name", None)
    return matrix, response, str(name) if name is not None else "y"


def _of_table(X: Any, y: Any, model: str, arguments: dict[str, Any], limits: Any) -> Separation:
    _check_table(model, arguments)
    matrix, labels = read_data(X, y, arguments["positive"])
    return separation_parts(matrix, labels, arguments["intercept"], *limits)


def _check_table(model: str, arguments: dict[str, Any]) -> None:
    """Raise if more is asked of a table in a file than a binomial model of its labels."""
    if model != "binomial":
        raise TypeError(
            f"a table in a file was given for a {model} model; expected arrays or a frame. The command "
            f"`linsep separation FILE --model {model}` reads tables"
        )
    given = ("trials", "weights", "groups", "time", "event", "event_value", "entry", "levels")
    for name in (name for name in given if arguments[name] is not None):
        raise TypeError(f"{name} was given with a table; expected arrays or a frame")


def _limits(limits: tuple[int | None, float | None]) -> dict[str, Any]:
    max_passes, time_limit = limits
    return {
        "max_passes": None if max_passes is None else whole("max_passes", max_passes),
        "time_limit": None if time_limit is None else float(time_limit),
    }


def _answer(
    matrix: Matrix, response: Response, outcome: str, limits: tuple[int | None, float | None]
) -> Separation:
    columns = _design_names(matrix)
    with naming_columns(columns, numbered=False):
        found = _linsep.model_separation(matrix.values, response.asked, **_limits(limits))
    return _shaped(found, matrix, response, outcome)


def _design_names(matrix: Matrix) -> list[str]:
    return matrix.names or [f"x{k}" for k in range(matrix.columns)]


def _names(
    coefficients: list[tuple[int | None, int | None]], columns: list[str], of: Response
) -> list[str]:
    """Return the names of coefficients, each with its category or threshold."""

    def name(block: int | None, column: int | None) -> str:
        own = "intercept" if column is None else columns[column]
        if block is None:
            return own
        if of.model in ORDINAL:
            threshold = f"{of.categories[block]} | {of.categories[block + 1]}"
            return threshold if column is None else f"{threshold}: {own}"
        return f"{of.categories[block]}: {own}"

    return [name(block, column) for block, column in coefficients]


def _excluded(made_of: dict[str, np.ndarray], of: Response) -> list[tuple[int, Any]]:
    """Return what separated vectors exclude, by row."""
    rows, at, other = (made_of[part].tolist() for part in ("row", "at", "other"))
    if of.model in ("conditional", "cox"):
        return list(zip(rows, other, strict=True))
    if of.model in ("multinomial", "adjacent"):
        return [(row, of.categories[k]) for row, k in zip(rows, other, strict=True)]
    if of.model not in ORDINAL:
        return []
    # At a threshold: what is above it, or what is below.
    found = []
    for row, k, below in zip(rows, at, made_of["positive"].tolist(), strict=True):
        low, high = of.categories[k], of.categories[k + 1]
        if below:
            found.append((row, f"above {low}"))
        else:
            found.append((row, f"{low}" if of.model == "sequential" else f"below {high}"))
    return found


def _shaped(found: dict[str, Any], matrix: Matrix, response: Response, outcome: str) -> Separation:
    columns = _design_names(matrix)
    names = _names(found["coefficients"], columns, response)
    rows = matrix.in_file(found["rows"])
    shown, counted = response.shown, response.counted
    # After a limit nothing more is looked for.
    settled = found["settled"] if found["because"] is None else found["settled"][:0]
    causes = common_causes(matrix.values, columns, settled, shown, outcome, counted)
    design = [None if column is None else columns[column] for _, column in found["coefficients"]]
    return Separation(
        kind=found["kind"],
        because=found["because"],
        unfinished=found["open"],
        columns=names,
        infinite={names[k]: word for k, word in found["infinite"]},
        aliased=[names[k] for k in found["aliased"]],
        rows=rows,
        direction=found["direction"],
        conflicting_rows=matrix.in_file(found["conflicting_rows"]),
        index=None if matrix.index is None else matrix.index[rows],
        separated=found["separated"],
        settled=matrix.in_file(found["settled"]),
        excluded=_excluded(found["excluded"], response),
        cone_dimension=found["cone_dimension"],
        left_out=[names[k] for k in found["left_out"]],
        model=response.model,
        proof=None if found["proof"] is None else Proof(found["proof"], _sources=matrix.sources),
        causes=[sentence for sentence, _ in causes],
        total=matrix.rows if matrix.kept is None else len(matrix.kept),
        _design=list(zip(names, design, strict=True)),
        _fitting=Fitting(response.model, **response.fitting),
        _counted=matrix.kept if counted is None else matrix.spread(counted, False),
    )


def separation_parts(
    matrix: Matrix,
    labels: Labels,
    intercept: bool,
    max_passes: int | None,
    time_limit: float | None,
    most_rows: int | None = None,
    progress: Callable[[str], Any] | None = None,
) -> Separation:
    """Return the answer for a binomial model of data that was read; so many rows are named at most."""
    with naming_columns(_design_names(matrix), numbered=False):
        found = _linsep.separation(
            matrix.values,
            labels.positive,
            intercept=bool(intercept),
            most_rows=most_rows,
            progress=progress,
            **_limits((max_passes, time_limit)),
        )
    fitting = {"intercept": bool(intercept)}
    response = Response("binomial", {}, list(labels.classes), fitting=fitting)
    return _shaped(found, matrix, response, "y")


def check_recession(
    V: Any, *, max_passes: int | None = None, time_limit: float | None = None
) -> Separation:
    """Say whether some direction g has V g >= 0, and not V g = 0: for those with a model of their own.

    Parameters
    ----------
    V : array-like of shape (vectors, coefficients)
        The structure vectors: a log-likelihood that is concave, and does not fall along g exactly if V g
        >= 0, has a maximum exactly if there is no such direction.
    max_passes, time_limit
        Limits of the whole question, as for :func:`linsep.decide`; what is proven by then is said.

    Returns
    -------
    Separation

    Examples
    --------
    >>> import linsep
    >>> linsep.check_recession([[1, 0], [0, 1], [0, -1]]).infinite
    {'x0': '+inf'}
    """
    matrix = read_matrix(V)
    response = read_response(matrix.rows, np.ones(matrix.rows), model="binomial", positive=1)
    found = _answer(matrix, response, "y", (max_passes, time_limit))
    values = {name: getattr(found, name) for name in found.__dataclass_fields__}
    return Separation(**{**values, "model": "own", "causes": [], "_fitting": Fitting("own")})


def _with_defaults(function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what :func:`check_separation` would take for a model. Raises at an unknown name."""
    absent = ("trials", "weights", "groups", "time", "event", "event_value", "entry", "levels")
    options = {
        **dict.fromkeys((*absent, "positive")),
        "ties": "breslow",
        "parallel": True,
        "intercept": False,
    }
    for name in arguments:
        if name not in options:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
    return {**options, **arguments}


def structure_vectors(
    X: Any, y: Any = None, *, model: str = "binomial", data: Any = None, **arguments: Any
) -> tuple[Any, list[str], list[tuple[int, Any]]]:
    """Return the vectors that decide whether an estimate exists.

    Parameters
    ----------
    X, y, model, data, **arguments
        As for :func:`check_separation`.

    Returns
    -------
    V : scipy.sparse.csr_array
        One row per vector, one column per coefficient; differences of numbers are rounded.
    columns : list of str
        The names of the coefficients.
    excluded : list of tuple
        For each vector the row, and what it excludes if it is separated.

    Examples
    --------
    >>> import linsep
    >>> V, columns, excluded = linsep.structure_vectors([[7.0], [8.0]], ["a", "b"], model="multinomial")
    >>> V.toarray(), columns, excluded
    (array([[-7.],
           [ 8.]]), ['b: x0'], [(0, 'b'), (1, 'a')])
    """
    from scipy import sparse

    matrix, response, _ = _read(X, y, model, data, _with_defaults("structure_vectors", arguments))
    found = _linsep.structure_vectors(matrix.values, response.asked)
    names = _names(found["coefficients"], _design_names(matrix), response)
    shape = (len(found["offsets"]) - 1, len(names))
    made_of = found["made_of"]
    excluded = _excluded(made_of, response)
    if not excluded:
        labels = [
            response.categories[1 - int(p)] if response.categories else not p
            for p in made_of["positive"]
        ]
        excluded = list(zip(made_of["row"].tolist(), labels, strict=True))
    return (
        sparse.csr_array((found["values"], found["indices"], found["offsets"]), shape=shape),
        names,
        excluded,
    )


def verify_separation(
    proof: Proof, X: Any, y: Any = None, *, model: str = "binomial", data: Any = None, **arguments: Any
) -> Verification:
    """Check the proof of a :class:`Separation` against the data, in exact arithmetic.

    Parameters
    ----------
    proof : Proof
        The proof, as :attr:`Separation.proof` has it, or loaded from a file.
    X, y, model, data, **arguments
        What the proof is about, as for :func:`check_separation`: another model, or the same with other
        options, is another question.

    Returns
    -------
    Verification
        Whether it holds; the verdict "separable" stands for complete separation, "quasi-separable" for
        quasi-complete separation, and "inseparable" for overlap.

    Examples
    --------
    >>> import linsep
    >>> X, y = [[1, 0], [1, 1], [1, 2], [1, 3]], [0, 1, 0, 1]
    >>> found = linsep.check_separation(X, y)
    >>> found.kind, linsep.verify_separation(found.proof, X, y)
    ('overlap', valid: inseparable (binomial model without an intercept))

    It says nothing of the model with an intercept:

    >>> linsep.verify_separation(found.proof, X, y, intercept=True).valid
    False
    """
    options = _with_defaults("verify_separation", arguments)
    if isinstance(X, Table) or (is_path(X) and not is_formula(X, data)):
        _check_table(model, options)
        table, labels = read_data(X, y, options["positive"])
        text, intercept = proof.to_json(), bool(options["intercept"])
        found = _linsep.verify(table.values, labels.positive, text, intercept=intercept)
        return Verification.read(found)
    matrix, response, _ = _read(X, y, model, data, options)
    return Verification.read(_linsep.verify_separation(matrix.values, response.asked, proof.to_json()))
