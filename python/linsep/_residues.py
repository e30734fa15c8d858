"""Exact linear algebra on floats by residues: which vectors a span has, which products vanish.

Every float is an integer times a power of two, so it has a residue modulo an odd prime, and sums and
products of residues are exact. A rank modulo a prime is never above the true one, and below it only if
the prime divides a certain minor; both primes would have to do so for a wrong answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# Products of two residues fit into 63 bits.
PRIMES = (2**31 - 1, 2**31 - 19)


def residues(values: np.ndarray, prime: int) -> np.ndarray:
    """Return the residues of finite floats."""
    mantissa, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    whole = (mantissa * 2.0**53).astype(np.int64)
    shifts = exponent.astype(np.int64) - 53
    low = int(shifts.min(initial=0))
    high = int(shifts.max(initial=0))
    powers = np.array([pow(2, e, prime) for e in range(low, high + 1)], dtype=np.int64)
    return (whole % prime) * powers[shifts - low] % prime


def vanishing(rows: np.ndarray, weights: Sequence[int]) -> np.ndarray:
    """Return, for each row, whether its product with the integer weights is zero."""
    zero = np.ones(len(rows), dtype=bool)
    for prime in PRIMES:
        total = np.zeros(len(rows), dtype=np.int64)
        for k, weight in enumerate(weights):
            total = (total + residues(rows[:, k], prime) * (weight % prime)) % prime
        zero &= total == 0
    return zero


def determined(rows: np.ndarray) -> np.ndarray:
    """Return, for each column k, whether the unit vector of k lies in the span of the rows."""
    best = max((_reduced(residues(rows, prime), prime) for prime in PRIMES), key=lambda r: r[0])
    return best[1]


def _reduced(matrix: np.ndarray, prime: int) -> tuple[int, np.ndarray]:
    """Return the rank, and which unit vectors are rows of the reduced echelon form."""
    columns = matrix.shape[1]
    rank = 0
    pivots: list[int] = []
    for column in range(columns):
        if rank == len(matrix):
            break
        nonzero = np.flatnonzero(matrix[rank:, column])
        if not len(nonzero):
            continue
        pivot = rank + int(nonzero[0])
        matrix[[rank, pivot]] = matrix[[pivot, rank]]
        inverse = pow(int(matrix[rank, column]), -1, prime)
        matrix[rank] = matrix[rank] * inverse % prime
        factors = matrix[:, column].copy()
        factors[rank] = 0
        touched = np.flatnonzero(factors)
        matrix[touched] = (
            matrix[touched] - factors[touched, None] * matrix[rank][None, :] % prime
        ) % prime
        pivots.append(column)
        rank += 1
    units = np.zeros(columns, dtype=bool)
    for k, column in enumerate(pivots):
        units[column] = np.count_nonzero(matrix[k]) == 1
    return rank, units
