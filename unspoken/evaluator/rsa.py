"""Rational speech acts as compiled kernels, which release the GIL.

The functions are those of `unspoken.evaluator.rsa_reference`, where their meaning and their
sources are written down; nothing is compiled before its first call.
"""

from __future__ import annotations

import numpy as np

from unspoken.evaluator.intrinsics import exp
from unspoken.evaluator.rsa_reference import Floats, ally, check, log_meaning
from unspoken.kernels import kernel

__all__ = ["ally", "listen", "listener", "log_meaning", "speaker"]


def listener(
    meaning: Floats,
    depth: int = 0,
    alpha: float = 1.0,
    prior: Floats | None = None,
    cost: Floats | None = None,
) -> Floats:
    """L_depth(w | m), float64 [W, M]; columns sum to 1.

    Raises:
        ValueError: if an argument is out of its range, or shapes do not fit.
    """
    prior, cost = check(meaning, depth, alpha, prior, cost)
    heard = np.ascontiguousarray(meaning, np.float64).copy()
    listen(heard, depth, alpha, np.log(prior), cost)
    return np.exp(heard)


def speaker(
    meaning: Floats,
    depth: int = 1,
    alpha: float = 1.0,
    prior: Floats | None = None,
    cost: Floats | None = None,
) -> Floats:
    """S_depth(m | w), float64 [W, M]; rows sum to 1.

    Raises:
        ValueError: if an argument is out of its range, or shapes do not fit.
    """
    prior, cost = check(meaning, depth, alpha, prior, cost, least=1)
    said = np.ascontiguousarray(meaning, np.float64).copy()
    listen(said, depth - 1, alpha, np.log(prior), cost)
    _speak(said, alpha, cost)
    return np.exp(said)


@kernel
def listen(table: Floats, depth: int, alpha: float, log_prior: Floats, cost: Floats) -> None:
    """Turn log meanings [W, M] into log L_depth(w | m), in place."""
    _hear(table, log_prior)
    for _ in range(depth):
        _speak(table, alpha, cost)
        _hear(table, log_prior)


@kernel
def _hear(table: Floats, log_prior: Floats) -> None:
    """Messages stay innermost, for they lie side by side."""
    highest, total = np.full(table.shape[1], -np.inf), np.zeros(table.shape[1])
    for w in range(table.shape[0]):
        for m in range(table.shape[1]):
            table[w, m] += log_prior[w]
            highest[m] = max(highest[m], table[w, m])
    for w in range(table.shape[0]):
        for m in range(table.shape[1]):
            total[m] += exp(table[w, m] - highest[m])
    for m in range(table.shape[1]):
        total[m] = highest[m] + np.log(total[m])
    for w in range(table.shape[0]):
        for m in range(table.shape[1]):
            table[w, m] = min(table[w, m] - total[m], 0.0)


@kernel(fastmath={"reassoc", "nsz"})
def _speak(table: Floats, alpha: float, cost: Floats) -> None:
    for w in range(table.shape[0]):
        highest = -np.inf
        for m in range(table.shape[1]):
            table[w, m] = alpha * (table[w, m] - cost[m])
            highest = max(highest, table[w, m])
        total = 0.0
        for m in range(table.shape[1]):
            total += exp(table[w, m] - highest)
        total = highest + np.log(total)
        for m in range(table.shape[1]):
            table[w, m] = min(table[w, m] - total, 0.0)
