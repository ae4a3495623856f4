"""The search game's evaluator as compiled kernels, which release the GIL.

The functions are those of `unspoken.evaluator.aidg_search_reference`, where their meaning and
their sources are written down; nothing is compiled before its first call. Words whose belief is
negligible cost nothing, so a position gets cheaper to search as the game goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unspoken.envs.aidg_search.rules import MAX_TURNS
from unspoken.evaluator.aidg_search_reference import (
    EFFICIENCY,
    NEGLIGIBLE,
    OVERHEAD,
    TIE,
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
    "evaluate_batch",
    "information_gain",
    "likelihood",
    "lock_value",
    "pace",
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


def pace(packed: Floats) -> float:
    """Bits that the best question wins while all words are equally likely; more than 0."""
    uniform = np.full(len(packed), 1 / len(packed))
    return max(NEGLIGIBLE, float(information_gain(uniform, packed).max()))


@njit(cache=True, nogil=True)
def lock_value(belief: Floats, turn: int, max_turns: int = MAX_TURNS) -> float:
    """Expected M-weighted outcome of locking the likeliest word now: M(t) (2 max b - 1)."""
    return float(_multiplier(turn, max_turns) * (2 * belief.max() - 1))


@njit(cache=True, nogil=True)
def ask_value(bits: float, pace: float, turn: int, max_turns: int = MAX_TURNS) -> float:
    """Estimate of the M-weighted outcome of asking on until the word is known or turns run out."""
    left = max_turns - turn
    if left == 0:
        return -np.inf
    needed = OVERHEAD + bits / (EFFICIENCY * pace)
    asked = min(needed, left)
    rest = (needed - asked) * EFFICIENCY * pace
    return float(_multiplier(turn + asked, max_turns) * (2 * 2.0**-rest - 1))


def position_value(position: Position, depth: int = 1, width: int = 8) -> float:
    """Expected M-weighted outcome for the seeker by bounded lookahead, -2 to 2."""
    lock, ask, _ = _options(position, depth, width)
    return max(lock, ask)


def best_action(position: Position, depth: int = 1, width: int = 8) -> int:
    """The seeker's menu index that bounded lookahead values most: a question, or Q + word."""
    lock, ask, question = _options(position, depth, width)
    if lock > ask - TIE:
        return int(position.answers.shape[2] + position.belief.argmax())
    if depth == 0:
        return int(information_gain(position.belief, position.answers).argmax())
    return question


def evaluate_batch(positions: Sequence[Position]) -> list[dict[str, float]]:
    """Score of each role in each position: its expected M-weighted outcome over M(1) = 2."""
    values = [position_value(position) / 2 for position in positions]
    return [{"seeker": value, "holder": -value} for value in values]


def _options(position: Position, depth: int, width: int) -> tuple[float, float, int]:
    check_search(depth, width)
    belief, packed = position.belief, position.answers
    turn, max_turns = position.turn, position.max_turns
    asked = np.zeros(packed.shape[2], np.bool_)
    ask, question = _ask(belief, packed, asked, pace(packed), turn, max_turns, depth, width)
    return lock_value(belief, turn, max_turns), ask, question


@njit(cache=True, nogil=True)
def _multiplier(turn: float, max_turns: int) -> float:
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
    rows = packed.reshape(len(packed), -1)
    total = mixed.reshape(-1)
    total[:] = 0.0
    for w in range(len(belief)):
        if belief[w] >= NEGLIGIBLE:
            for i in range(len(total)):
                total[i] += belief[w] * rows[w, i]
    for q in range(len(gains)):
        gains[q] = -mixed[3, q]
    for answer in range(3):
        for q in range(len(gains)):
            p = mixed[answer, q]
            if p > 0:
                gains[q] -= p * np.log2(p)
    for q in range(len(gains)):
        gains[q] = np.rint(gains[q] / TIE) * TIE


@njit(cache=True, nogil=True)
def _ask(
    belief: Floats,
    packed: Floats,
    asked: NDArray[np.bool_],
    pace: float,
    turn: int,
    max_turns: int,
    depth: int,
    width: int,
) -> tuple[float, int]:
    """Value of asking and the question to ask, -1 if none; `asked` comes back as it was."""
    best, best_question = -np.inf, -1
    if turn == max_turns:
        return best, best_question
    if depth == 0:
        return ask_value(entropy(belief), pace, turn, max_turns), best_question
    gains = np.where(asked, -np.inf, _gains(belief, packed))
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
                ask, _ = _ask(child, packed, asked, pace, turn + 1, max_turns, depth - 1, width)
                value += p * max(lock, ask)
        asked[question] = False
        if value > best + TIE:
            best, best_question = value, question
    return best, best_question
