"""Does a statistical model have an estimate, and if not, which coefficients run away?

The answer comes from Rust (`linsep::models`); here it gets names. In reading order: `_response` and
`_model_input` read what is asked about, this file asks, `_advice` says what to make of the answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from linsep import _linsep
from linsep._advice import Fitting, step_code
from linsep._answer import Said, question
from linsep._data import Labels, Matrix, read_matrix, unmasked
from linsep._decision import whole
from linsep._fitted import from_estimator, is_estimator
from linsep._model_input import from_formula, from_statsmodels, is_fitter, is_formula, is_statsmodels
from linsep._proof import Proof, Verification
from linsep._response import (
    MODELS,
    ROLES,
    Response,
    fitting_options,
    model_question,
    read_absorb,
    read_response,
)
from linsep._table import Table, is_path, read_data, sources, table_options

__all__ = ["Separation", "check_recession", "check_separation", "structure_vectors", "verify_separation"]


@dataclass(frozen=True, repr=False)
class Separation(Said):
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
        A direction along which the likelihood grows for ever, for just these rows; None where levels are
        absorbed.
    conflicting_rows : ndarray of int
        Rows that hold the estimates of the other coefficients, or of all, in place: they overlap.
    cone_dimension : int
        The dimension of the cone of such directions, without those that change nothing.
    left_out : list of str
        Coefficients to leave out of the limiting model, whose rows are all but the settled ones: it has
        a finite estimate.
    model : str
        The model.
    proof : Proof or None
        The proof of the kind: see :func:`verify_separation`.
    causes : list of str
        What the separated rows have in common, where that can be said of one column.
    absorbed : dict
        For each column that was absorbed, its levels without rows that are left, all of their rows being
        separated, and where their coefficients run to. The levels of others are finite, but for one of
        each connected set, which is the base.
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
    absorbed: dict[str, dict[str, str]] = field(default_factory=dict)
    _steps: list[tuple[str, str, list[str], bool]] = field(default_factory=list)
    _estimates: list[str] = field(default_factory=list)
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
        return [(step[1], code or "") for step, code in zip(self._steps, self._code(), strict=True)]

    def _code(self) -> list[str | None]:
        return [step_code(self._fitting, step, own, gone) for step, _, own, gone in self._steps]

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

    def to_frame(self) -> Any:
        """Return a pandas frame of the coefficients and what becomes of their estimates."""
        import pandas as pd

        status = list(zip(self.columns, self._estimates, strict=True))
        return pd.DataFrame(status, columns=["column", "estimate"]).set_index("column")


def check_separation(
    X: Any,
    y: Any = None,
    *outcome: Any,
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
    start: Any = None,
    absorb: Any = None,
    max_passes: int | None = None,
    time_limit: float | None = None,
) -> Separation:
    """Say whether a statistical model of this design has a maximum likelihood estimate.

    Parameters
    ----------
    X : array-like of shape (rows, columns), formula, model or table
        The design matrix as the model sees it: an array, a frame of pandas or polars, a sparse matrix,
        or a matrix of patsy or formulaic. Or a formula, with `data`. Or a model of statsmodels: Logit,
        Probit, GLM (binomial, log-binomial, Poisson and negative binomial), Poisson, NegativeBinomial,
        MNLogit, OrderedModel, ConditionalLogit or PHReg; what their `fit` returns says where to begin.
        Or a table in a file, as for :func:`linsep.decide`: then `trials`, `weights`, `groups`, `time`,
        `event` and `entry` are names of its columns. Or a fitted estimator, followed by its design and
        outcome: ``check_separation(estimator, X, y)`` for LogisticRegression and PoissonRegressor of
        scikit-learn, FirthLogisticRegression and FirthCoxPH of firthmodels. The question is about their
        model without a penalty.
    y : array-like of shape (rows,)
        The outcome: labels, categories or counts. A formula, a model and a table have their own.
    *outcome
        After a fitted estimator and its design: the outcome.
    model : str
        "binomial" (logit, probit, cloglog), "log-binomial" (log link), "multinomial", "cumulative",
        "adjacent" or "sequential" (ordered categories), "poisson" or "negative-binomial" (log link),
        "conditional" (logit within groups) or "cox".
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
        Grouped data: the number of trials of each row; `y` is the number of successes, or their share.
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
    start : array-like, optional
        Coefficients to begin with, one for each of :attr:`Separation.columns` and in their order: those
        of a fit, as a rule. They change no answer, only how soon it is found.
    absorb : array-like, frame, dict or list, optional
        Factors whose levels have a coefficient each, as many as one likes: the columns of a frame,
        arrays of levels of any type, or the names of columns where X is a formula or a table in a file.
        A formula may have them after a bar: "y ~ a + b | firm + year". For binomial, Poisson and
        negative binomial models; their levels add up to a constant, so `intercept` changes nothing. X
        may be None, or have no column. The answer is about the columns of X, and about levels that are
        gone: see :attr:`Separation.absorbed`.
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
    quasi-complete: the estimate does not exist: some direction separates some rows
      model       binomial model without an intercept, 6 rows, 3 coefficients
      proof       checked in exact arithmetic (proof.save(path) keeps it)
                  coefficient  estimate
                  x0           finite
                  x1           +inf
                  x2           finite
      caused by   2 rows: 4, 5
      because     all 2 rows with x1 = 1 have y = 1
      what next   drop x1, or merge its level with another
                      X.drop(columns=['x1'])
                  fit the limiting model, of the 4 rows that are not separated, without x1
                      sm.Logit(y[found.left], X[found.left].drop(columns=['x1'])).fit()
                  penalise: ridge; Firth's in R (brglm2, logistf)
                      sm.GLM(y, X, family=sm.families.Binomial()).fit_regularized(...)

    A Cox model in which the covariate puts all events in order:

    >>> X, time, event = [[4], [3], [2], [1]], [1, 2, 3, 4], [1, 1, 0, 1]
    >>> found = linsep.check_separation(X, model="cox", time=time, event=event)
    >>> found.kind, found.infinite
    ('complete', {'x0': '+inf'})

    A Poisson model with a coefficient for each firm, one of which has zeros alone:

    >>> x, y = [[1], [2], [3], [2], [1], [5]], [0, 3, 1, 0, 2, 0]
    >>> found = linsep.check_separation(x, y, model="poisson", absorb={"firm": list("aabbbc")})
    >>> found.kind, found.rows.tolist(), found.absorbed
    ('quasi-complete', [5], {'firm': {'c': '-inf'}})
    """
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
        "start": None if start is None else np.asarray(start, dtype=float).ravel().tolist(),
        "absorb": absorb,
        "max_passes": whole("max_passes", max_passes),
        "time_limit": None if time_limit is None else float(time_limit),
    }
    if is_estimator(X) and len(outcome) <= 1:
        model, own = from_estimator(X, arguments)
        X, y = y, outcome[0] if outcome else None
        arguments = {**arguments, **own}
    elif outcome:
        raise TypeError(
            "check_separation() takes X and y; a third argument follows a fitted estimator alone"
        )
    if isinstance(X, Table) or (is_path(X) and not is_formula(X, data)):
        return _of_table(X, y, model, arguments)
    matrix, response, model = _read(X, y, model, data, arguments)
    answer = _linsep.estimate_model(response.asked, matrix.design(), response.beside)
    return _shaped(answer, matrix, response, Fitting(model, **response.fitting))


def _read(
    X: Any, y: Any, model: str, data: Any, arguments: dict[str, Any]
) -> tuple[Matrix, Response, str]:
    """Return the design, the response and the model."""
    if model not in MODELS:
        raise ValueError(f"model is {model!r}; expected one of " + ", ".join(map(repr, MODELS)))
    if is_formula(X, data):
        X, y, arguments = from_formula(X, data, y, model, arguments)
    elif is_statsmodels(X):
        if y is not None:
            raise TypeError("y was given with a model of statsmodels, which has its own")
        X, y, own = from_statsmodels(X)
        model = own.pop("model")
        own = {**own, "start": arguments.get("start") or own.get("start")}
        arguments = {**arguments, "intercept": False, **own}
    elif is_fitter(X):
        raise TypeError(
            f"a lifelines {type(X).__name__} keeps no design to read: give its frame, as "
            'check_separation(df[columns], model="cox", time=df["T"], event=df["E"])'
        )
    matrix = _no_columns(X, arguments) or read_matrix(X)
    y = unmasked(y, "y")
    arguments = {**arguments, **{part: unmasked(arguments.get(part), part) for part in ROLES}}
    return matrix, read_response(matrix.rows, y, model, arguments), model


def _no_columns(X: Any, arguments: dict[str, Any]) -> Matrix | None:
    """Return a design without a column, where levels are absorbed and there is nothing else."""
    if arguments.get("absorb") is None or (X is not None and (np.ndim(X) != 2 or np.shape(X)[1] > 0)):
        return None
    factors = read_absorb(arguments["absorb"])
    rows = len(X) if X is not None else len(factors[0][4])  # type: ignore[arg-type]
    return Matrix(np.zeros((rows, 0)), rows, 0, [], getattr(X, "index", None))


def _is_plain(model: str, arguments: dict[str, Any]) -> bool:
    """Return whether rows are labelled with two classes, and nothing stands beside them."""
    beside = (arguments[part] is not None for part in ("trials", "weights", "absorb"))
    return model == "binomial" and not any(beside)


def _table_question(model: str, arguments: dict[str, Any]) -> str:
    """Return the question about a table, whose columns are named."""
    names = {role: arguments[role] for role in ROLES if arguments[role] is not None}
    for role, name in names.items():
        if not isinstance(name, str):
            raise TypeError(f"{role} is {name!r}; expected the name of a column of the table")
    absorb = arguments["absorb"]
    absorb = [absorb] if isinstance(absorb, str) else list(absorb or [])
    if not all(isinstance(name, str) for name in absorb):
        raise TypeError("absorb has to name columns of the table, as absorb=['firm', 'year']")
    return model_question(model, arguments, names, absorb)


def _of_table(X: Any, y: Any, model: str, arguments: dict[str, Any]) -> Separation:
    fitting = Fitting(model, **fitting_options(arguments))
    if not _is_plain(model, arguments):
        asked, place, options = _whole_table(X, y, model, arguments)
        answer = _linsep.estimate_table(asked, place, options)
        matrix = Matrix(None, 0, 0, sources=sources(place))
        counted = _linsep.values(answer)["counted"]
        left_out = counted is not None and not all(counted)
        fitting = replace(
            fitting,
            weighted=arguments["weights"] is not None and left_out,
            trials=None if arguments["trials"] is None else "numbers",
        )
        return _shaped(answer, matrix, Response(asked), fitting)
    # Which class is positive is said when the table is opened.
    asked = _table_question(model, {**arguments, "positive": None})
    matrix, labels = read_data(X, y, arguments["positive"])
    return separation_parts(matrix, labels, asked, fitting)


def _whole_table(X: Any, y: Any, model: str, arguments: dict[str, Any]) -> tuple[str, str, Any]:
    """Return the question about all columns of a table in a file, the file, and how it is read."""
    if y is not None:
        raise TypeError("y was given with a table, which has an outcome of its own")
    options = X._options if isinstance(X, Table) else table_options()
    if options["positive"] is not None:
        if arguments["positive"] is not None:
            raise TypeError("positive was given with a table: name the positive class in linsep.open")
        arguments = {**arguments, "positive": options["positive"]}
    asked = _table_question(model, arguments)
    _linsep.validate(asked)
    return asked, X.path if isinstance(X, Table) else os.fsdecode(X), options


def _shaped(
    answer: _linsep.Answer,
    matrix: Matrix,
    response: Response,
    fitting: Fitting,
    **more: Any,
) -> Separation:
    found = _linsep.values(answer)
    rows, proof, counted = found["rows"], found["proof"], found["counted"]
    made = more.pop("cls", Separation)
    separation: Separation = made(
        kind=found["kind"],
        because=found["because"],
        unfinished=found["open"],
        columns=found["coefficients"],
        infinite=dict(found["infinite"]),
        aliased=found["aliased"],
        rows=rows,
        direction=found["direction"],
        conflicting_rows=found["conflicting_rows"],
        index=matrix.named(rows, found["row_names"]),
        separated=found["separated"],
        settled=found["settled"],
        excluded=[(row, _excluded(what, response)) for row, what in found["excluded"]],
        cone_dimension=found["cone_dimension"],
        left_out=found["left_out"],
        model=fitting.model,
        proof=None if proof is None else Proof(proof, _sources=matrix.sources),
        causes=found["causes"],
        absorbed={column: dict(gone) for column, _, gone in found["absorbed"]},
        total=found["row_count"] if matrix.kept is None else len(matrix.kept),
        # Whoever has a model of their own knows what to do with it.
        _steps=[] if fitting.model == "own" else found["next_steps"],
        _estimates=found["estimates"],
        _fitting=fitting,
        _counted=matrix.kept if counted is None else matrix.spread(counted, False),
        **more,
    )
    separation._says(answer)
    return separation


def _excluded(what: Any, response: Response) -> Any:
    """Return what is excluded: a label, several in words, or a row."""
    return response.label(what[1]) if isinstance(what, tuple) else what


def separation_parts(
    matrix: Matrix,
    labels: Labels,
    asked: str,
    fitting: Fitting,
    progress: Callable[[str], Any] | None = None,
    **more: Any,
) -> Any:
    """Return the answer for a binomial model of data that was read."""
    answer = _linsep.ask(asked, labels.of(matrix), progress)
    return _shaped(answer, matrix, Response(asked), fitting, **more)


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
    asked = question(
        "estimate",
        intercept=False,
        positive="1",
        max_passes=whole("max_passes", max_passes),
        time_limit=None if time_limit is None else float(time_limit),
    )
    answer = _linsep.recession(asked, matrix.design())
    return _shaped(answer, matrix, Response(asked), Fitting("own"))


def _with_defaults(function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what :func:`check_separation` would take for a model. Raises at an unknown name."""
    absent = ("trials", "weights", "groups", "time", "event", "event_value", "entry", "levels")
    own = ("absorb",) if function == "verify_separation" else ()
    options = {
        **dict.fromkeys((*absent, *own, "positive")),
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
    found = _linsep.structure_vectors(response.asked, matrix.design(), response.beside)
    shape = (len(found["offsets"]) - 1, len(found["coefficients"]))
    return (
        sparse.csr_array((found["values"], found["indices"], found["offsets"]), shape=shape),
        found["coefficients"],
        [(row, _excluded(what, response)) for row, what in found["made_of"]],
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
    >>> found.kind, linsep.verify_separation(found.proof, X, y).model
    ('overlap', 'binomial model without an intercept')

    It says nothing of the model with an intercept:

    >>> linsep.verify_separation(found.proof, X, y, intercept=True).valid
    False
    """
    options = _with_defaults("verify_separation", arguments)
    text = proof.to_json()
    if isinstance(X, Table) or (is_path(X) and not is_formula(X, data)):
        if not _is_plain(model, options):
            asked, place, reading = _whole_table(X, y, model, options)
            return Verification.read(_linsep.verify_table(asked, place, reading, text))
        table, labels = read_data(X, y, options["positive"])
        return verify_parts(labels.of(table), bool(options["intercept"]), text)
    matrix, response, _ = _read(X, y, model, data, options)
    found = _linsep.verify_model(response.asked, matrix.design(), response.beside, text)
    return Verification.read(found)


def verify_parts(given: Any, intercept: bool | None, text: str) -> Verification:
    """Check a proof about rows or, if `intercept` is given, about a binomial model of their labels."""
    model = None if intercept is None else {"family": "binomial", "intercept": intercept}
    return Verification.read(_linsep.verify(question("verify", model=model), given, text))
