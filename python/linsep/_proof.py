"""Proofs, and what comes of checking them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from linsep import _linsep
from linsep._answer import Said, question
from linsep._data import classed, read_classes, read_matrix
from linsep._table import Table, is_path, read_data

__all__ = ["Margin", "Proof", "Verification", "verify", "verify_folder"]


class Margin(NamedTuple):
    """Proven bounds on the largest margin that any hyperplane has on the data.

    Attributes
    ----------
    lower, upper : float
        The hyperplane found has a margin of at least `lower`; none has one above `upper`.
    kind : str
        "angular": the smallest y (w·x + b) / (‖(x, 1)‖ ‖(w, b)‖). "geometric": the smallest
        y (w·x + b) / ‖w‖, what users of support vector machines call the margin.
    """

    lower: float
    upper: float
    kind: str = "angular"


@dataclass(frozen=True, repr=False)
class Verification(Said):
    """What the checker says of a proof. It is true where the proof holds.

    Attributes
    ----------
    valid : bool
        Whether the proof holds.
    verdict : str or None
        What was proven: "separable", "quasi-separable" or "inseparable".
    margin : Margin or None
        The bounds on the margin that were proven, if any were claimed.
    reason : str or None
        Why the proof does not hold.
    removal : tuple of int or None
        Bounds on how many rows must go for the rest to be separable (at least, at most), if claimed.
    model : str or None
        The model that it was proven of, with its options; None if of the rows as they stand.
    """

    valid: bool
    verdict: str | None = None
    margin: Margin | None = None
    reason: str | None = None
    removal: tuple[int, int] | None = None
    model: str | None = None

    @classmethod
    def read(cls, answer: _linsep.Answer) -> Verification:
        """Return what Rust says."""
        found = _linsep.values(answer)
        margin = found.get("margin")
        verified = cls(**{**found, "margin": None if margin is None else Margin(*margin)})
        verified._says(answer)
        return verified

    def __bool__(self) -> bool:
        return self.valid


class Proof:
    """A claim about data, with what it takes to check it: the text of a proof file.

    Parameters
    ----------
    text : str
        A proof file, as the program writes it too.
    positive : object, optional
        The label of the positive class, where it is not the larger one.

    Attributes
    ----------
    verdict : str
        What is claimed: "separable", "quasi-separable" or "inseparable".
    rows, features : int
        The shape of the data that it is about.
    fingerprint : str
        A name for that data.

    Examples
    --------
    >>> import linsep
    >>> X, y = [[100.0], [101.0]], ["no", "yes"]
    >>> proof = linsep.decide(X, y).proof
    >>> proof
    Proof(separable, 2 rows x 1 features)
    >>> linsep.Proof(proof.to_json()).verify(X, y)
    valid: the data is separable (verified in exact arithmetic, 2 rows)
      margin      at least ... angular; none exceeds ...
    >>> proof.verify([[100.0], [99.0]], y).valid
    False
    """

    def __init__(self, text: str, positive: Any = None, *, _sources: Sequence[str] = ()) -> None:
        about = _linsep.read_proof(text)
        self._text = text
        self._positive = positive
        # The files that the data came from, which :meth:`save` must not overwrite.
        self._sources = tuple(_sources)
        self.verdict: str = about["verdict"]
        self.rows: int = about["rows"]
        self.features: int = about["features"]
        self.fingerprint: str = about["fingerprint"]

    @classmethod
    def load(cls, path: str | os.PathLike[str], positive: Any = None) -> Proof:
        """Return the proof in a file."""
        return cls(Path(path).read_text(encoding="utf-8"), positive)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the proof file, which `linsep verify DATA PROOF` reads as well."""
        _linsep.write_file("the proof", path, self._text, self._sources)

    def to_json(self) -> str:
        """Return the text of the proof file."""
        return self._text

    def verify(self, X: Any, y: Any = None, *, positive: Any = None) -> Verification:
        """Check the proof against the data, in exact arithmetic; a table or a path needs no y.

        It has to be about the rows as they stand: :func:`linsep.verify_separation` checks one about a
        model.
        """
        # A table has been told which class is positive.
        named = self._positive if positive is None and not isinstance(X, Table) else positive
        matrix, labels = read_data(X, y, named)
        return Verification.read(_linsep.verify(question("verify"), labels.of(matrix), self._text))

    def __repr__(self) -> str:
        return f"Proof({self.verdict}, {self.rows} rows x {self.features} features)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Proof) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._text, self._positive, self._sources)


def _again(text: str, positive: Any, sources: tuple[str, ...]) -> Proof:
    return Proof(text, positive, _sources=sources)


def verify(
    X: Any,
    y: Any = None,
    proof: Proof | str | os.PathLike[str] | None = None,
    *,
    positive: Any = None,
) -> Verification:
    """Check a proof against data, in exact arithmetic: `verify(X, y, proof)` or `verify(table, proof)`.

    The checker shares no code with the search that found the proof.

    Parameters
    ----------
    X, y : array-like
        The data, as for :func:`linsep.decide`. A table, or the path of one, needs no y.
    proof : Proof or path
        The proof, the file that it is in, or a folder of proofs about many classes, as
        :meth:`SeparabilityMatrix.save_proofs` and the program write it.
    positive : object, optional
        The label of the positive class, where it is not the larger one.

    Returns
    -------
    Verification
        True where the proof holds; its `reason` says why it does not.

    Examples
    --------
    >>> import linsep
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]
    >>> linsep.verify(X, y, linsep.decide(X, y).proof)
    valid: the data is inseparable (verified in exact arithmetic, 4 rows)
    """
    if proof is None and (isinstance(X, Table) or is_path(X)):
        y, proof = None, y
    if proof is None:
        raise TypeError("proof is missing: linsep.verify(X, y, proof) or linsep.verify(table, proof)")
    if not isinstance(proof, Proof) and os.path.isdir(proof):
        return verify_folder(X, y, proof)
    if not isinstance(proof, Proof):
        proof = Proof.load(proof)
    return proof.verify(X, y, positive=positive)


def verify_folder(
    X: Any,
    y: Any,
    folder: str | os.PathLike[str],
    *,
    pairs: bool = False,
    one_vs_rest: bool = False,
    argmax: bool = False,
) -> Verification:
    """Check a folder of proofs about many classes, in exact arithmetic, as a whole.

    Parameters
    ----------
    X, y : array-like
        The data, as for :func:`linsep.separability_matrix`.
    folder : path
        The folder, as :meth:`SeparabilityMatrix.save_proofs` and the program write it.
    pairs, one_vs_rest, argmax : bool
        Questions that it has to answer.

    Returns
    -------
    Verification
        True where all of it holds; its text says what does not.

    Examples
    --------
    >>> import linsep, tempfile
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "c"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     linsep.separability_matrix(X, y).save_proofs(folder)
    ...     linsep.verify_folder(X, y, folder, pairs=True)
    valid: 6 proofs about 4 rows of 3 classes (verified in exact arithmetic)
      answers     every pair, every class against the rest
      verdicts    5 separable, 1 inseparable
    """
    if isinstance(X, Table) or is_path(X):
        given = read_data(X, y, None)[0].values
    else:
        matrix = read_matrix(X)
        given = classed(matrix, *read_classes(y, matrix.rows))
    asked = question("verify", pairs=bool(pairs), one_vs_rest=bool(one_vs_rest), argmax=bool(argmax))
    found = _linsep.verify_folder(asked, given, os.fsdecode(folder))
    return Verification.read(found)
