"""The search game's evaluator as compiled kernels, which release the GIL.

The functions are those of `unspoken.evaluator.aidg_search_reference`, where their meaning and
their sources are written down; nothing is compiled before its first call. Words whose belief is
negligible cost nothing, so a position gets cheaper to search as the game goes on.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unspoken.envs.aidg_search.rules import MAX_TURNS
from unspoken.evaluator.aidg_search_reference import (
    NEGLIGIBLE,
    Floats,
    Position,
    channel,
    check_search,
    likelihood,
    pack,
    packaged,
)

__all__ = [
    "Position",
    "ask_value",
    "best_action",
    "channel",
    "entropy",
    "evaluate",
    "evaluate_batch",
    "information_gain",
    "likelihood",
    "lock_value",
    "pack",
    "packaged",
    "position_value",
    "update",
]


@njit(cache=True, nogil=True)
def update(belief: Floats, packed: Floats, question: int, answer: int) -> Floats:
    """The belief after an answer, float64 [W], sums to 1."""
    child = np.empty_like(belief)
    total = 0.0
    for w in range(len(belief)):
        child[w] = belief[w] * packed[w, answer, question]
        total += child[w]
    for w in range(len(belief)):
        child[w] /= total
    return child


@njit(cache=True, nogil=True)
def entropy(belief: Floats) -> float:
    """Entropy of a belief [W] in bits, 0 to log2(W)."""
    bits = 0.0
    for p in belief:
        if p > 0:
            bits -= p * np.log2(p)
    return bits


def information_gain(belief: Floats, packed: Floats) -> Floats:
    """Expected information of every question in bits, float64 [Q]; [B, Q] for a batch [B, W].

    Raises:
        ValueError: if belief and table disagree about the number of words.
    """
    if belief.shape[-1] != len(packed):
        raise ValueError(f"belief {belief.shape} and answer table {packed.shape}: other words")
    return _gains(belief, packed) if belief.ndim == 1 else _gains_batch(belief, packed)


@njit(cache=True, nogil=True)
def lock_value(belief: Floats, turn: int, max_turns: int = MAX_TURNS) -> float:
    """Expected M-weighted outcome of locking the likeliest word now: M(t) (2 max b - 1)."""
    return _multiplier(turn, max_turns) * (2 * belief.max() - 1)


@njit(cache=True, nogil=True)
def ask_value(bits: float, gain: float, turn: int, max_turns: int = MAX_TURNS) -> float:
    """Estimate of the M-weighted outcome of asking on and locking at the best later turn."""
    share = max(gain, 0.0) / max(min(bits, 1.0), NEGLIGIBLE)
    best = -np.inf
    for later in range(turn + 1, max_turns + 1):
        bits = max(0.0, bits - share * min(bits, 1.0))
        best = max(best, _multiplier(later, max_turns) * (2 * 2.0**-bits - 1))
    return best


def position_value(position: Position, depth: int = 1, width: int = 8) -> float:
    """Expected M-weighted outcome for the seeker by bounded lookahead, -2 to 2."""
    lock, ask, _ = _options(position, depth, width)
    return max(lock, ask)


def best_action(position: Position, depth: int = 1, width: int = 8) -> int:
    """The seeker's menu index that bounded lookahead values most: a question, or Q + word."""
    lock, ask, question = _options(position, depth, width)
    if lock >= ask:
        return position.answers.shape[2] + int(position.belief.argmax())
    return question


def evaluate(position: Position) -> dict[str, float]:
    """Score of each role: the expected M-weighted outcome over M(1) = 2, so from -1 to 1."""
    value = position_value(position) / 2
    return {"seeker": value, "holder": -value}


def evaluate_batch(positions: list[Position]) -> list[dict[str, float]]:
    """`evaluate` of each position."""
    return [evaluate(position) for position in positions]


def _options(position: Position, depth: int, width: int) -> tuple[float, float, int]:
    check_search(depth, width)
    lock = lock_value(position.belief, position.turn, position.max_turns)
    packed = position.answers
    asked = np.zeros(packed.shape[2], np.bool_)
    ask, question = _ask(
        position.belief, packed, asked, position.turn, position.max_turns, depth, width
    )
    return lock, ask, question


@njit(cache=True, nogil=True)
def _multiplier(turn: int, max_turns: int) -> float:
    return 2 * (max_turns + 1 - turn) / max_turns


@njit(cache=True, nogil=True)
def _gains(belief: Floats, packed: Floats) -> Floats:
    gains = np.empty(packed.shape[2])
    _gains_into(belief, packed, gains, np.empty(packed.shape[1:]))
    return gains


@njit(cache=True, nogil=True)
def _gains_batch(beliefs: Floats, packed: Floats) -> Floats:
    gains = np.empty((len(beliefs), packed.shape[2]))
    mixed = np.empty(packed.shape[1:])
    for i in range(len(beliefs)):
        _gains_into(beliefs[i], packed, gains[i], mixed)
    return gains


@njit(cache=True, nogil=True)
def _gains_into(belief: Floats, packed: Floats, gains: Floats, mixed: Floats) -> None:
    mixed[:] = 0.0
    for w in range(len(belief)):
        b = belief[w]
        if b >= NEGLIGIBLE:
            for plane in range(4):
                for q in range(len(gains)):
                    mixed[plane, q] += b * packed[w, plane, q]
    for q in range(len(gains)):
        gains[q] = -mixed[3, q]
    for answer in range(3):
        for q in range(len(gains)):
            p = mixed[answer, q]
            if p > 0:
                gains[q] -= p * np.log2(p)


@njit(cache=True, nogil=True)
def _ask(
    belief: Floats,
    packed: Floats,
    asked: NDArray[np.bool_],
    turn: int,
    max_turns: int,
    depth: int,
    width: int,
) -> tuple[float, int]:
    """Value of asking, and what to ask; `asked` comes back as it was."""
    if turn == max_turns:
        return -np.inf, -1
    gains = _gains(belief, packed)
    for q in range(len(gains)):
        if asked[q]:
            gains[q] = -np.inf
    question = int(gains.argmax())
    if depth == 0 or gains[question] == -np.inf:
        return ask_value(entropy(belief), gains[question], turn, max_turns), question
    best, best_question = -np.inf, -1
    for _ in range(width):
        question = int(gains.argmax())
        if gains[question] == -np.inf:
            break
        gains[question] = -np.inf
        asked[question] = True
        value = 0.0
        for answer in range(3):
            p = 0.0
            for w in range(len(belief)):
                p += belief[w] * packed[w, answer, question]
            if p > NEGLIGIBLE:
                child = update(belief, packed, question, answer)
                lock = lock_value(child, turn + 1, max_turns)
                ask, _ = _ask(child, packed, asked, turn + 1, max_turns, depth - 1, width)
                value += p * max(lock, ask)
        asked[question] = False
        if value > best:
            best, best_question = value, question
    return best, best_question
