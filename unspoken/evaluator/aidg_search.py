"""The search game's evaluator as compiled kernels, which release the GIL.

The functions are those of `unspoken.evaluator.aidg_search_reference`, where their meaning and
their sources are written down; nothing is compiled before its first call. Words whose belief is
negligible cost nothing, so a position gets cheaper to search as the game goes on. A batch is one
compiled loop on the calling thread; arguments are checked outside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

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
    Matrix,
    Position,
    Vector,
    Whole,
    channel,
    check_ask,
    check_belief,
    check_lock,
    check_positions,
    check_table,
    check_update,
    likelihood,
    pack,
    packaged,
)
from unspoken.evaluator.bounds import check_search

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
    "position_value_batch",
    "update",
]


def update(belief: Floats, packed: Floats, question: int | Whole, answer: int | Whole) -> Floats:
    """The belief after an answer, float64 [W]; [B, W] if any argument is a batch. Rows sum to 1.

    Args:
        belief: float64 [W], or a batch [B, W].
        packed: float64 [W, 4, Q].
        question: index of the question, 0 to Q - 1, or whole numbers [B].
        answer: 0 yes, 1 no, 2 maybe, or whole numbers [B].

    Raises:
        ValueError: if shapes do not fit, a question or an answer is out of its range, or the
            belief rules the answer out, which no belief does with a table from `likelihood`.
    """
    batch = check_update(belief, packed, question, answer)
    if batch or isinstance(question, np.ndarray) or isinstance(answer, np.ndarray):
        beliefs = _beliefs(belief, batch)
        return _update_batch(beliefs, packed, _whole(question, batch), _whole(answer, batch))
    return _update(belief, packed, question, answer)


@overload
def entropy(belief: Vector) -> float: ...
@overload
def entropy(belief: Matrix) -> Floats: ...
def entropy(belief: Floats) -> float | Floats:
    """Entropy of a belief in bits, 0 to log2(W): a float; float64 [B] for a batch.

    Args:
        belief: float64 [W], or a batch [B, W].

    Raises:
        ValueError: if the belief has another shape.
    """
    return _entropy_batch(belief) if check_belief(belief) else _entropy(belief)


def information_gain(belief: Floats, packed: Floats) -> Floats:
    """Expected information of every question in bits, float64 [Q]; [B, Q] for a batch.

    Args:
        belief: float64 [W], or a batch [B, W].
        packed: float64 [W, 4, Q].

    Returns:
        0 to log2(3), in whole multiples of TIE.

    Raises:
        ValueError: if shapes do not fit.
    """
    batch = check_belief(belief, packed)
    return _gains_batch(belief, packed) if batch else _gains(belief, packed)


def pace(packed: Floats) -> float:
    """Bits that the best question wins while all words are equally likely, above 0 to log2(3).

    Args:
        packed: float64 [W, 4, Q].

    Raises:
        ValueError: if it has another shape.
    """
    check_table(packed)
    uniform = np.full(len(packed), 1 / len(packed))
    return max(NEGLIGIBLE, float(_gains(uniform, packed).max()))


@overload
def lock_value(belief: Vector, turn: int, max_turns: int = MAX_TURNS) -> float: ...
@overload
def lock_value(belief: Matrix, turn: int | Whole, max_turns: int = MAX_TURNS) -> Floats: ...
@overload
def lock_value(belief: Floats, turn: Whole, max_turns: int = MAX_TURNS) -> Floats: ...
def lock_value(belief: Floats, turn: int | Whole, max_turns: int = MAX_TURNS) -> float | Floats:
    """Expected M-weighted outcome of locking the likeliest word now: M(t) (2 max b - 1).

    Args:
        belief: float64 [W], or a batch [B, W].
        turn: the current turn, 1 to `max_turns`, or whole numbers [B].
        max_turns: question turns plus the forced final guess.

    Returns:
        A value from -2 to 2; float64 [B] if belief or turn is a batch.

    Raises:
        ValueError: if shapes do not fit or a turn is out of its range.
    """
    batch = check_lock(belief, turn, max_turns)
    if batch or isinstance(turn, np.ndarray):
        return _lock_batch(_beliefs(belief, batch), _whole(turn, batch), max_turns)
    return _lock_value(belief, turn, max_turns)


@overload
def ask_value(bits: float, pace: float, turn: int, max_turns: int = MAX_TURNS) -> float: ...
@overload
def ask_value(
    bits: Floats, pace: float, turn: int | Whole, max_turns: int = MAX_TURNS
) -> Floats: ...
@overload
def ask_value(
    bits: float | Floats, pace: float, turn: Whole, max_turns: int = MAX_TURNS
) -> Floats: ...
def ask_value(
    bits: float | Floats, pace: float, turn: int | Whole, max_turns: int = MAX_TURNS
) -> float | Floats:
    """Estimate of the M-weighted outcome of asking on until the word is known or turns run out.

    Args:
        bits: entropy of the belief, 0 or more, or float64 [B].
        pace: bits that a good question wins, more than 0.
        turn: the current turn, 1 to `max_turns`, or whole numbers [B].
        max_turns: question turns plus the forced final guess.

    Returns:
        A value from -2 to 2; minus infinity on the last turn, where nothing can be asked.
        float64 [B] if bits or turn is a batch.

    Raises:
        ValueError: if shapes do not fit, `pace` is not above 0 or a turn is out of its range.
    """
    batch = check_ask(bits, pace, turn, max_turns)
    if batch or isinstance(bits, np.ndarray) or isinstance(turn, np.ndarray):
        spread = np.ascontiguousarray(np.broadcast_to(bits, batch), np.float64)
        return _ask_batch(spread, pace, _whole(turn, batch), max_turns)
    return _ask_value(bits, pace, turn, max_turns)


def position_value(position: Position, depth: int = 1, width: int = 8) -> float:
    """Expected M-weighted outcome for the seeker by bounded lookahead, -2 to 2.

    Args:
        position: the position.
        depth: questions to look ahead, 0 or more.
        width: questions to consider at each step, 1 or more.

    Raises:
        ValueError: if `depth` or `width` is out of its range.
    """
    lock, ask, _ = _options(position, depth, width)
    return max(lock, ask)


def position_value_batch(
    beliefs: Floats,
    turns: int | Whole = 1,
    max_turns: int = MAX_TURNS,
    packed: Floats | None = None,
    depth: int = 1,
    width: int = 8,
) -> Floats:
    """`position_value` of many positions with one answer table, float64 [B], -2 to 2.

    Args:
        beliefs: float64 [B, W], rows sum to 1.
        turns: the current turn of all or, whole numbers [B], of each; 1 to `max_turns`.
        max_turns: question turns plus the forced final guess.
        packed: float64 [W, 4, Q]; by default the package's own table.
        depth: questions to look ahead, 0 or more.
        width: questions to consider at each step, 1 or more.

    Raises:
        ValueError: if shapes do not fit, or a turn, `depth` or `width` is out of its range.
    """
    table = packaged() if packed is None else packed
    check_positions(beliefs, turns, max_turns, table)
    check_search(depth, width)
    batch = beliefs.shape[:1]
    rows, each = _beliefs(beliefs, batch), _whole(turns, batch)
    return _position_values(rows, table, pace(table), each, max_turns, depth, width)


def best_action(position: Position, depth: int = 1, width: int = 8) -> int:
    """The seeker's menu index that bounded lookahead values most: a question, or Q + word.

    Args:
        position: the position.
        depth: questions to look ahead, 0 or more.
        width: questions to consider at each step, 1 or more.

    Returns:
        A whole number from 0 to Q + W - 1.

    Raises:
        ValueError: if `depth` or `width` is out of its range.
    """
    lock, ask, question = _options(position, depth, width)
    if lock > ask - TIE:
        return int(position.answers.shape[2] + position.belief.argmax())
    if depth == 0:
        return int(_gains(position.belief, position.answers).argmax())
    return question


def evaluate_batch(positions: Sequence[Position]) -> list[dict[str, float]]:
    """Score of each role in each position, -1 to 1: its M-weighted outcome over M(1) = 2.

    Positions that share the table (the same array) and `max_turns` are valued by one
    `position_value_batch`.
    """
    groups: dict[tuple[int, int], list[int]] = {}
    for i, position in enumerate(positions):
        groups.setdefault((id(position.answers), position.max_turns), []).append(i)
    values = np.empty(len(positions))
    for group in groups.values():
        first = positions[group[0]]
        beliefs = np.stack([positions[i].belief for i in group])
        turns = np.array([positions[i].turn for i in group])
        values[group] = position_value_batch(beliefs, turns, first.max_turns, first.answers)
    return [{"seeker": value, "holder": -value} for value in (values / 2).tolist()]


def _options(position: Position, depth: int, width: int) -> tuple[float, float, int]:
    check_search(depth, width)
    belief, packed = position.belief, position.answers
    turn, max_turns = position.turn, position.max_turns
    ask, question = _ask(belief, packed, pace(packed), turn, max_turns, depth, width)
    return _lock_value(belief, turn, max_turns), ask, question


def _beliefs(belief: Floats, batch: tuple[int, ...]) -> Floats:
    return np.ascontiguousarray(np.broadcast_to(belief, (*batch, belief.shape[-1])), np.float64)


def _whole(number: int | Whole, batch: tuple[int, ...]) -> NDArray[np.int64]:
    return np.ascontiguousarray(np.broadcast_to(number, batch), np.int64)


@njit(cache=True, nogil=True)
def _update(belief: Floats, packed: Floats, question: int, answer: int) -> Floats:
    child = np.empty_like(belief)
    if _update_into(belief, packed, question, answer, child) == 0:
        raise ValueError("an answer that the belief rules out")
    return child


@njit(cache=True, nogil=True)
def _update_batch(beliefs: Floats, packed: Floats, questions: Whole, answers: Whole) -> Floats:
    children = np.empty_like(beliefs)
    for i in range(len(beliefs)):
        if _update_into(beliefs[i], packed, questions[i], answers[i], children[i]) == 0:
            raise ValueError("an answer that the belief rules out")
    return children


@njit(cache=True, nogil=True)
def _update_into(
    belief: Floats, packed: Floats, question: int, answer: int, child: Floats
) -> float:
    """Write the belief after an answer into `child`; the answer's probability."""
    total = 0.0
    for w in range(len(belief)):
        child[w] = belief[w] * packed[w, answer, question]
        total += child[w]
    if total > 0:
        for w in range(len(belief)):
            child[w] /= total
    return total


@njit(cache=True, nogil=True)
def _entropy(belief: Floats) -> float:
    bits = 0.0
    for p in belief:
        if p > 0:
            bits -= p * np.log2(p)
    return bits


@njit(cache=True, nogil=True)
def _entropy_batch(beliefs: Floats) -> Floats:
    bits = np.empty(len(beliefs))
    for i in range(len(beliefs)):
        bits[i] = _entropy(beliefs[i])
    return bits


@njit(cache=True, nogil=True)
def _lock_value(belief: Floats, turn: int, max_turns: int) -> float:
    return float(_multiplier(turn, max_turns) * (2 * belief.max() - 1))


@njit(cache=True, nogil=True)
def _lock_batch(beliefs: Floats, turns: Whole, max_turns: int) -> Floats:
    values = np.empty(len(beliefs))
    for i in range(len(beliefs)):
        values[i] = _lock_value(beliefs[i], turns[i], max_turns)
    return values


@njit(cache=True, nogil=True)
def _ask_value(bits: float, pace: float, turn: int, max_turns: int) -> float:
    left = max_turns - turn
    if left == 0:
        return -np.inf
    needed = OVERHEAD + bits / (EFFICIENCY * pace)
    asked = min(needed, left)
    rest = (needed - asked) * EFFICIENCY * pace
    return float(_multiplier(turn + asked, max_turns) * (2 * 2.0**-rest - 1))


@njit(cache=True, nogil=True)
def _ask_batch(bits: Floats, pace: float, turns: Whole, max_turns: int) -> Floats:
    values = np.empty(len(bits))
    for i in range(len(bits)):
        values[i] = _ask_value(bits[i], pace, turns[i], max_turns)
    return values


@njit(cache=True, nogil=True)
def _position_values(
    beliefs: Floats,
    packed: Floats,
    pace: float,
    turns: Whole,
    max_turns: int,
    depth: int,
    width: int,
) -> Floats:
    values = np.empty(len(beliefs))
    for i in range(len(beliefs)):
        belief, turn = beliefs[i], turns[i]
        ask, _ = _ask(belief, packed, pace, turn, max_turns, depth, width)
        values[i] = max(_lock_value(belief, turn, max_turns), ask)
    return values


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
    pace: float,
    turn: int,
    max_turns: int,
    depth: int,
    width: int,
) -> tuple[float, int]:
    """Value of asking and the question to ask, -1 if none.

    The search goes down and up the levels by hand: a cached function that calls itself crashes
    when another one calls it (numba issue 6061).
    """
    if turn == max_turns:
        return -np.inf, -1
    if depth == 0:
        return _ask_value(_entropy(belief), pace, turn, max_turns), -1
    levels = min(depth, max_turns - turn)
    beliefs = np.empty((levels + 1, len(belief)))
    gains = np.empty((levels, packed.shape[2]))
    asked, questions, answers, best_questions = np.empty((4, levels), np.int64)
    values, chances, locks, bests = np.empty((4, levels))
    mixed = np.empty(packed.shape[1:])
    beliefs[0] = belief
    level, entered = 0, True
    while True:
        if entered:
            _gains_into(beliefs[level], packed, gains[level], mixed)
            for above in range(level):
                gains[level, questions[above]] = -np.inf
            asked[level], answers[level] = 0, 3
            values[level], bests[level], best_questions[level] = -np.inf, -np.inf, -1
            entered = False
        if answers[level] < 3:  # hear the next answer
            answer, child = answers[level], beliefs[level + 1]
            answers[level] += 1
            p = _update_into(beliefs[level], packed, questions[level], answer, child)
            if p > NEGLIGIBLE:
                then = turn + level + 1
                lock = _lock_value(child, then, max_turns)
                if level + 1 < levels:
                    chances[level], locks[level] = p, lock
                    level, entered = level + 1, True
                elif then == max_turns:
                    values[level] += p * lock
                else:
                    ask = _ask_value(_entropy(child), pace, then, max_turns)
                    values[level] += p * max(lock, ask)
            continue
        if values[level] > bests[level] + TIE:
            bests[level], best_questions[level] = values[level], questions[level]
        question = gains[level].argmax()
        if asked[level] < width and gains[level, question] > -np.inf:  # ask the next question
            gains[level, question] = -np.inf
            asked[level] += 1
            questions[level], answers[level], values[level] = question, 0, 0.0
        elif level > 0:  # go back up
            level -= 1
            values[level] += chances[level] * max(locks[level], bests[level + 1])
        else:
            return bests[0], best_questions[0]
