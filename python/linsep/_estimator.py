"""The scikit-learn classifier."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from itertools import combinations
from numbers import Integral, Real
from types import MethodType
from typing import Any

import numpy as np
from linsep import _linsep
from linsep._data import Labels, Matrix, check_exact, read_matrix, unmasked
from linsep._decision import Deadline, Decision, decide_parts, decide_question, whole
from linsep._proof import Margin, Proof
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

__all__ = ["LinearSeparator"]

_METHODS = {name: (weights, goes_on) for name, weights, goes_on in _linsep.methods()}
# Methods in which a weight multiplies the loss of a row.
_WEIGHTED = ("auto", *(name for name, (weights, _) in _METHODS.items() if weights))


class _Fit:
    """The method `fit`, which takes `sample_weight` only where the chosen method has a loss to weigh."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self.function
        if instance.method in _WEIGHTED or instance.method not in _METHODS:
            return MethodType(self.function, instance)
        return MethodType(_fit_unweighted, instance)


def _fit_unweighted(self: Any, X: Any, y: Any, **fit_params: Any) -> Any:
    """Fit without weights; those that keep or drop rows are taken all the same."""
    weights = unmasked(fit_params.pop("sample_weight", None), "sample_weight")
    if fit_params:
        raise TypeError(f"fit() got an unexpected keyword argument {next(iter(fit_params))!r}")
    if weights is not None and not set(np.unique(np.asarray(weights, dtype=float))) <= {0.0, 1.0}:
        raise ValueError(
            f"method {self.method!r} has no loss that sample_weight could multiply; weights of 0 and 1 "
            f"drop and keep rows. Methods that take weights: {', '.join(_WEIGHTED)}"
        )
    return type(self).fit(self, X, y, sample_weight=weights)


def _goes_on(estimator: Any) -> bool:
    method = estimator.method
    if method in _METHODS and not _METHODS[method][1]:
        raise AttributeError(f"method {method!r} cannot go on with other rows: no partial_fit")
    return True


class LinearSeparator(ClassifierMixin, BaseEstimator):
    """A linear classifier that knows whether its training data is separable, and proves it.

    Parameters
    ----------
    method : str, default="auto"
        "auto" decides exactly: where the data is separable it answers with a separating hyperplane,
        else with a support vector machine with a soft margin (squared hinge). Or one of the
        online methods: "joint", "fine" (the paper's), "corral", "perceptron", "pocket", "maxover",
        "winnow", "voted", "averaged", "smooth", "passive-aggressive", "sgd", "svm", "lp".
    margin : {"max", "any"}, default="max"
        For "auto": whether the separating hyperplane has the largest angular margin, so that the
        answer does not depend on the order or the repetition of rows, or is any one.
    gap : float, default=1e-6
        For "auto" with "max": the relative gap between the bounds on the margin at which it stops.
    C : float, default=1.0
        The weight of losses in "svm", "passive-aggressive" and the soft margin of "auto".
    tol : float, optional
        The tolerance of "svm", by default 1e-4, and of the soft margin of "auto" for over 255 features.
        For fewer it is met up to rounding, and the tolerance is not used.
    max_iter : int, default=1000
        The number of epochs of an online method. For "auto" the number of passes over the data that the
        decision may take, and as many for the soft margin.
    time_limit : float, optional
        The time in seconds for the fit. Hyperplanes that are left to find share the time that is left.
    shuffle : bool, default=False
        Whether an online method visits the rows in a new random order each epoch.
    multi_class : {"ovr", "ovo"}, default="ovr"
        Whether each class is told from the rest or from each other class.
    class_weight : dict or "balanced", optional
        Weights of the classes, which multiply the loss of their rows in "svm", "sgd",
        "passive-aggressive" and the soft margin of "auto". They cannot change a verdict. The
        methods that have no loss raise a ValueError.
    settings : dict, optional
        Further settings of the online method, by their names on the command line, such as
        ``{"epsilon": 1e-6}`` for "joint" or ``{"loss": "l2"}`` for "svm".
    warm_start : bool, default=False
        Whether `fit` of an online method goes on from the last one.
    random_state : int, RandomState or None
        The random seed.
    verbose : bool, default=False
        Whether a line is printed after each pass or epoch.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (hyperplanes, features) and (hyperplanes,)
        The hyperplanes as they were certified, times a power of two, which changes no side: so that
        the nearest row of a separable set has a score of about 1, as in a support vector machine.
    classes_ : ndarray
        The labels.
    n_iter_ : int
        Passes or epochs, the most for any hyperplane.
    verdict_ : str, or ndarray of str
        "separable", "quasi-separable", "inseparable" or "undecided"; one for each hyperplane.
        Online methods never prove the absence of a hyperplane.
    margin_ : Margin, or list of Margin
        Bounds on the largest angular margin.
    certificate_ : Proof or None, or a list of them
        The proof of the verdict. It speaks of the rows with a positive weight.
    conflicting_rows_ : ndarray of int, or list of them
        Rows of the data given to `fit` that no hyperplane puts all on their own sides.
    n_features_in_, feature_names_in_
        As in all of scikit-learn.

    Examples
    --------
    >>> from linsep import LinearSeparator
    >>> model = LinearSeparator().fit([[0, 0], [1, 0], [2, 2], [3, 2]], ["a", "a", "b", "b"])
    >>> model.verdict_, model.predict([[0.5, 0], [2.5, 2]]).tolist()
    ('separable', ['a', 'b'])
    >>> LinearSeparator().fit([[0], [1], [2]], [0, 1, 0]).conflicting_rows_.tolist()
    [0, 1, 2]
    """

    # What `fit` finds out.
    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    n_iter_: int
    verdict_: Any
    margin_: Any
    certificate_: Any
    conflicting_rows_: Any
    _states: list[str | None]
    _one_vs_rest: bool
    _clock: Deadline

    def __init__(
        self,
        method: str = "auto",
        *,
        margin: str = "max",
        gap: float = 1e-6,
        C: float = 1.0,
        tol: float | None = None,
        max_iter: int = 1000,
        time_limit: float | None = None,
        shuffle: bool = False,
        multi_class: str = "ovr",
        class_weight: dict[Any, float] | str | None = None,
        settings: dict[str, Any] | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.method = method
        self.margin = margin
        self.gap = gap
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.shuffle = shuffle
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.settings = settings
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @_Fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSeparator:
        """Fit the hyperplane, or one for each class or pair of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, features)
            float64 and float32 arrays in C order and CSR of float64 are read in place.
        y : array-like of shape (rows,)
            The labels.
        sample_weight : array-like of shape (rows,), optional
            Weights of the rows. A positive one cannot change a verdict; 0 drops the row.

        Returns
        -------
        LinearSeparator
        """
        self._check_settings()
        X, y = self._validate(X, y, reset=True)
        classes = unique_labels(y)
        if len(classes) < 2:
            raise ValueError(
                f"expected two or more classes, found one class: all labels are {classes[0]}"
            )
        resumes = self.warm_start and hasattr(self, "_states")
        if resumes and not np.array_equal(classes, self.classes_):
            raise ValueError("warm_start: the classes are not those of the last fit")
        self.classes_ = classes
        weights, keep = self._weights(X, y, sample_weight)
        places = np.flatnonzero(keep)
        if len(places) < len(keep):
            X, y, weights = X[places], y[places], None if weights is None else weights[places]
            for label in classes:
                if not np.any(y == label):
                    raise ValueError(f"sample_weight drops every row of the class {label}")
        tasks = self._tasks(read_matrix(X), y)
        starts = self._states if resumes else [None] * len(tasks)
        self._clock = Deadline(self.time_limit)
        found = []
        for k, ((matrix, positive, rows), start) in enumerate(zip(tasks, starts, strict=True)):
            self._clock.share(len(tasks) - k)
            part = None if weights is None else weights[rows]
            found.append(self._solve(matrix, positive, part, start))
        del self._clock
        self._keep(found, [places[rows] for _, _, rows in tasks])
        return self

    @available_if(_goes_on)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> LinearSeparator:
        """Go on with one epoch over a batch of rows; "auto" learns as "fine" does.

        Parameters
        ----------
        X, y : array-like
            The batch. It need not have rows of every class.
        classes : array-like, optional
            All labels; needed in the first call unless the batch has them all.

        Returns
        -------
        LinearSeparator
        """
        self._check_settings()
        first = not hasattr(self, "_states")
        X, y = self._validate(X, y, reset=first)
        if first:
            self.classes_ = unique_labels(y if classes is None else classes)
            if len(self.classes_) < 2:
                raise ValueError("expected two or more classes, found one class; pass classes=")
        elif classes is not None and not np.array_equal(unique_labels(classes), self.classes_):
            raise ValueError("classes are not those of the first call to partial_fit")
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(f"label {unknown[0]} is not one of classes")
        if self.class_weight == "balanced":
            raise ValueError('class_weight "balanced" has no meaning for a batch; give a dict')
        weights, _ = self._weights(X, y, None)
        tasks = self._tasks(read_matrix(X), y)
        states = [None] * len(tasks) if first else self._states
        method = "fine" if self.method == "auto" else self.method
        found = []
        for k, ((matrix, positive, rows), start) in enumerate(zip(tasks, states, strict=True)):
            if matrix.rows == 0:
                found.append(self._unchanged(k, matrix.columns, start))
                continue
            part = None if weights is None else weights[rows]
            found.append(self._learn(method, matrix, positive, part, start, part_of_more=True))
        before = getattr(self, "n_iter_", 0) if not first else 0
        self._keep(found, [np.arange(0)] * len(tasks))
        self.n_iter_ = before + 1
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return w·x + b for each row: (rows,) with two classes, else (rows, classes)."""
        check_is_fitted(self)
        check_exact(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        values = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        if len(self.classes_) == 2:
            return values.ravel()
        return values if self._one_vs_rest else _votes(values, len(self.classes_))

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of each row."""
        values = self.decision_function(X)
        chosen = (values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[chosen]

    # What follows is the way from arrays to Rust and back.

    def _check_settings(self) -> None:
        if self.method != "auto" and self.method not in _METHODS:
            known = ", ".join(["auto", *_METHODS])
            raise ValueError(f"method is {self.method!r}; expected one of {known}")
        passes = whole("max_iter", self.max_iter)
        if passes is None or passes < 1:
            raise ValueError(f"max_iter is {passes}; expected an integer, at least 1")
        # The online methods take the same limits.
        _linsep.validate(
            decide_question(
                margin=self.margin, gap=self.gap, max_passes=passes, time_limit=self.time_limit
            )
        )
        if self.multi_class not in ("ovr", "ovo"):
            raise ValueError(f'multi_class is {self.multi_class!r}; expected "ovr" or "ovo"')
        for name in ("C", "tol"):
            value = getattr(self, name)
            if value is None and name == "tol":
                continue
            if not isinstance(value, Real) or not 0 < float(value) < np.inf:
                raise ValueError(f"{name} is {value!r}; expected a finite number above 0")
        if not isinstance(self.max_iter, Integral):
            raise ValueError(f"max_iter is {self.max_iter!r}; expected an integer, at least 1")
        if self.warm_start and (self.method == "auto" or not _METHODS[self.method][1]):
            raise ValueError(f"method {self.method!r} has no warm start")
        if self.settings and self.method == "auto":
            raise ValueError('method "auto" has no further settings')

    def _validate(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        check_exact(X)
        y = unmasked(y, "y")
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            reset=reset,
        )
        check_classification_targets(y)
        return X, y

    def _weights(
        self, X: Any, y: np.ndarray, sample_weight: Any
    ) -> tuple[np.ndarray | None, np.ndarray]:
        """Return the weights, if they are of any account, and which rows have one above zero."""
        keep = np.ones(len(y), dtype=bool)
        if sample_weight is None and self.class_weight is None:
            return None, keep
        weights = _check_sample_weight(
            unmasked(sample_weight, "sample_weight"),
            X,
            dtype=np.float64,
            ensure_non_negative=True,
            copy=True,
        )
        if self.class_weight is not None:
            weights *= compute_sample_weight(self.class_weight, y)
        keep = weights > 0
        if np.any(weights < 0) or not np.all(np.isfinite(weights)):
            raise ValueError("weights must be finite and not negative")
        if not keep.any():
            raise ValueError("sample_weight is 0 for every row")
        if np.all(weights[keep] == 1):
            return None, keep
        if self.method != "auto" and not _METHODS[self.method][0]:
            raise ValueError(
                f"method {self.method!r} has no loss that weights could multiply; "
                f"methods that take them: {', '.join(_WEIGHTED)}"
            )
        return weights, keep

    def _tasks(self, matrix: Matrix, y: np.ndarray) -> list[tuple[Matrix, np.ndarray, np.ndarray]]:
        """Return features, labels and row numbers for each hyperplane."""
        rows = np.arange(matrix.rows)
        classes = self.classes_
        self._one_vs_rest = self.multi_class == "ovr"
        if len(classes) == 2:
            return [(matrix, y == classes[1], rows)]
        if self._one_vs_rest:
            return [(matrix, y == label, rows) for label in classes]
        tasks = []
        for a, b in combinations(classes, 2):
            keep = (y == a) | (y == b)
            if not keep.any():
                empty = np.empty((0, matrix.columns))
                tasks.append((Matrix(empty, 0, matrix.columns), keep[:0], rows[:0]))
                continue
            tasks.append((matrix.take(keep), y[keep] == b, rows[keep]))
        return tasks

    def _solve(
        self, matrix: Matrix, positive: np.ndarray, weights: np.ndarray | None, start: Any
    ) -> dict[str, Any]:
        if self.method != "auto":
            return self._learn(self.method, matrix, positive, weights, start)
        decision = self._decide(matrix, positive)
        found = {
            "verdict": decision.verdict,
            "margin": decision.margin,
            "proof": decision.proof,
            "rows": decision.conflicting_rows,
            "state": None,
        }
        if decision.separable:
            gap = decision.margin.upper - decision.margin.lower
            early = self.margin == "max" and gap > max(self.gap, 1e-12) * 2 * decision.margin.upper
            stopped = early and decision.passes >= self.max_iter
            assert decision.coef is not None and decision.intercept is not None
            # The nearest row then has about the score 1 that a soft margin asks for as well.
            length = float(np.linalg.norm(np.append(decision.coef, decision.intercept)))
            scale = _power_of_two(decision.margin.lower * length)
            plane = {"coef": scale * decision.coef, "intercept": scale * decision.intercept}
            more = {"iterations": decision.passes, "stopped": stopped, "scale": 1.0}
            return {**found, **plane, **more}
        soft = self._soft_margin(matrix, positive, weights)
        undecided = decision.verdict == "undecided"
        plane = {"coef": soft["coef"], "intercept": soft["intercept"]}
        iterations = max(decision.passes, soft["iterations"])
        return {
            **found,
            **plane,
            "iterations": iterations,
            "stopped": undecided or soft["stopped"],
            "scale": 1.0,
        }

    def _decide(self, matrix: Matrix, positive: np.ndarray) -> Decision:
        asked = decide_question(
            margin=self.margin,
            gap=self.gap,
            max_passes=self.max_iter,
            time_limit=self._time_left(),
        )
        labels = Labels(np.ascontiguousarray(positive), (0, 1))
        return decide_parts(matrix, labels, asked, print if self.verbose else None)

    def _time_left(self) -> float | None:
        """Return the time for the hyperplane under way."""
        clock = getattr(self, "_clock", None)
        return self.time_limit if clock is None else clock.left()

    def _soft_margin(
        self, matrix: Matrix, positive: np.ndarray, weights: np.ndarray | None
    ) -> dict[str, Any]:
        # Newton's method takes some ten steps to the optimum, whatever the order of the rows. Of more
        # features coordinate descent comes near it.
        if matrix.columns > _linsep.SOFT_MARGIN_FEATURES:
            return self._learn("svm", matrix, positive, weights, None, loss="l2")
        found = _linsep.soft_margin(
            matrix.values,
            np.ascontiguousarray(positive),
            cost=float(self.C),
            max_passes=int(self.max_iter),
            weights=None if weights is None else np.ascontiguousarray(weights),
            time_limit=self._time_left(),
        )
        plane = {"coef": found["coef"], "intercept": found["intercept"]}
        return {**plane, "iterations": found["passes"], "stopped": not found["converged"]}

    def _learn(
        self,
        method: str,
        matrix: Matrix,
        positive: np.ndarray,
        weights: np.ndarray | None,
        start: str | None,
        part_of_more: bool = False,
        loss: str | None = None,
    ) -> dict[str, Any]:
        settings: dict[str, Any] = {"name": method}
        if method == "svm":
            tolerance = 1e-4 if self.tol is None else self.tol
            settings.update(cost=float(self.C), tolerance=float(tolerance))
            settings.update({} if loss is None else {"loss": loss})
        if method == "passive-aggressive":
            settings.update(aggressiveness=float(self.C))
        settings.update(self.settings or {})
        goes_on = _METHODS[method][1]
        # A start at random is asked for by name, and needs a seed as a shuffle does.
        random = self.shuffle or settings.get("start") == "random"
        seed = int(check_random_state(self.random_state).randint(2**31)) if random else 0
        found = _linsep.fit(
            matrix.values,
            np.ascontiguousarray(positive),
            method=json.dumps(settings),
            max_epochs=1 if part_of_more else int(self.max_iter),
            weights=None if weights is None else np.ascontiguousarray(weights),
            time_limit=self._time_left(),
            shuffle=bool(self.shuffle),
            seed=seed,
            part=part_of_more,
            start=start,
            keep_state=goes_on and (part_of_more or self.warm_start),
            prove=not part_of_more,
            progress=print if self.verbose else None,
        )
        lower = found["angular_margin"]
        length = float(np.linalg.norm(found["coef"]))
        bound = found["margin_bound"]
        proof = found["proof"]
        return {
            "coef": found["coef"],
            "intercept": found["intercept"],
            "iterations": found["epochs"],
            "stopped": not part_of_more and found["stop"] in ("epoch-limit", "time-limit"),
            "verdict": "undecided" if proof is None else "separable",
            "margin": Margin(-1.0 if lower is None else lower, 1.0 if bound is None else bound),
            "proof": None if proof is None else Proof(proof),
            "rows": np.arange(0),
            "state": found["state"],
            "scale": 1.0 if method == "svm" else _power_of_two(length),
        }

    def _unchanged(self, k: int, columns: int, state: str | None) -> dict[str, Any]:
        """Return the result of a batch without any row of the pair `k`."""
        fitted = hasattr(self, "coef_")
        return {
            "coef": self.coef_[k] if fitted else np.zeros(columns),
            "intercept": self.intercept_[k] if fitted else 0.0,
            "iterations": 1,
            "stopped": False,
            "verdict": "undecided",
            "margin": Margin(-1.0, 1.0),
            "proof": None,
            "rows": np.arange(0),
            "state": state,
            "scale": 1.0,
        }

    def _keep(self, found: list[dict[str, Any]], places: list[np.ndarray]) -> None:
        coef = np.array([f["coef"] for f in found], dtype=np.float64)
        intercept = np.array([f["intercept"] for f in found], dtype=np.float64)
        if len(found) > 1 and self._one_vs_rest:
            # One scale, on which the classes compete.
            scale = np.array([f["scale"] for f in found])
            coef, intercept = coef * scale[:, None], intercept * scale
        self.coef_, self.intercept_ = coef, intercept
        self.n_iter_ = int(max(f["iterations"] for f in found))
        rows = [at[f["rows"]] for f, at in zip(found, places, strict=True)]
        if len(found) == 1:
            self.verdict_ = found[0]["verdict"]
            self.margin_ = found[0]["margin"]
            self.certificate_ = found[0]["proof"]
            self.conflicting_rows_ = rows[0]
        else:
            self.verdict_ = np.array([f["verdict"] for f in found])
            self.margin_ = [f["margin"] for f in found]
            self.certificate_ = [f["proof"] for f in found]
            self.conflicting_rows_ = rows
        if any(f["state"] is not None for f in found):
            self._states = [f["state"] for f in found]
        elif hasattr(self, "_states"):
            del self._states
        if any(f["stopped"] for f in found):
            warnings.warn(
                f"method {self.method!r} stopped at its limit before it was done; "
                "raise max_iter or time_limit",
                ConvergenceWarning,
                stacklevel=3,
            )


def _power_of_two(size: float) -> float:
    """Return the power of two that brings `size` near 1. It changes nothing but exponents."""
    if not 1e-280 < size < 1e280:
        return 1.0
    return 2.0 ** -round(np.log2(size))


def _votes(values: np.ndarray, classes: int) -> np.ndarray:
    """Return the votes of all pairs for each class; confidence decides between equals."""
    votes = np.zeros((len(values), classes))
    confidence = np.zeros_like(votes)
    for k, (a, b) in enumerate(combinations(range(classes), 2)):
        won = values[:, k] > 0
        votes[won, b] += 1
        votes[~won, a] += 1
        confidence[:, a] -= values[:, k]
        confidence[:, b] += values[:, k]
    # Less than half a vote, whatever its size.
    return votes + confidence / (3 * (np.abs(confidence) + 1))
