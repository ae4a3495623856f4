"""The search game's evaluator as compiled kernels, which release the GIL.

The functions are those of `unspoken.evaluator.aidg_search_reference`, where their meaning and
their sources are written down; nothing is compiled before its first call. Words whose belief is
negligible are not looked up, so a position gets cheaper to search as the game goes on. Beliefs are
mixed with the table three at a time, the rows of a batch as well as what may follow a question:
the table is larger than a core's cache, and so reading it is what costs most. A batch is one
compiled loop on the calling thread; arguments are checked outside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
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
from unspoken.evaluator.intrinsics import log2
from unspoken.kernels import kernel

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
    gains = _gains(_beliefs(belief, batch or (1,)), packed)
    return gains if batch else gains[0]


def pace(packed: Floats) -> float:
    """Bits that the best question wins while all words are equally likely, above 0 to log2(3).

    Args:
        packed: float64 [W, 4, Q].

    Raises:
        ValueError: if it has another shape.
    """
    check_table(packed)
    return _pace(packed)


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
    locks, asks, _ = _search(rows, table, each, max_turns, depth, width)
    return np.maximum(locks, asks)


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
    beliefs, turns = _beliefs(position.belief, (1,)), _whole(position.turn, (1,))
    locks, asks, questions = _search(
        beliefs, position.answers, turns, position.max_turns, depth, width
    )
    return locks[0], asks[0], int(questions[0])


def _beliefs(belief: Floats, batch: tuple[int, ...]) -> Floats:
    # Copies, for numba compiles anew for arrays that are strided or cannot be written to.
    rows = np.empty((*batch, belief.shape[-1]))
    rows[:] = belief
    return rows


def _whole(number: int | Whole, batch: tuple[int, ...]) -> NDArray[np.int64]:
    return np.full(batch, number, np.int64)


# What is inlined below is so for the sake of compile time: it is then compiled once, in its caller.
# What of fast arithmetic is allowed: a product that is added is not rounded before, and where it
# says so, sums are in any order. Both change less than TIE, to which results are rounded.
_FUSED = {"contract"}
_SUMMED = {"contract", "reassoc", "nsz"}


@kernel
def _update(belief: Floats, packed: Floats, question: int, answer: int) -> Floats:
    child = np.empty_like(belief)
    if _update_into(belief, packed, question, answer, child) == 0:
        raise ValueError("an answer that the belief rules out")
    return child


@kernel
def _update_batch(beliefs: Floats, packed: Floats, questions: Whole, answers: Whole) -> Floats:
    children = np.empty_like(beliefs)
    for i in range(len(beliefs)):
        if _update_into(beliefs[i], packed, questions[i], answers[i], children[i]) == 0:
            raise ValueError("an answer that the belief rules out")
    return children


@kernel
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


@kernel(fastmath=_SUMMED)
def _entropy(belief: Floats) -> float:
    bits = 0.0
    for w in range(len(belief)):
        bits -= belief[w] * log2(belief[w])
    return bits


@kernel
def _entropy_batch(beliefs: Floats) -> Floats:
    bits = np.empty(len(beliefs))
    for i in range(len(beliefs)):
        bits[i] = _entropy(beliefs[i])
    return bits


@kernel
def _lock_value(belief: Floats, turn: int, max_turns: int) -> float:
    return float(_multiplier(turn, max_turns) * (2 * belief.max() - 1))


@kernel
def _lock_batch(beliefs: Floats, turns: Whole, max_turns: int) -> Floats:
    values = np.empty(len(beliefs))
    for i in range(len(beliefs)):
        values[i] = _lock_value(beliefs[i], turns[i], max_turns)
    return values


@kernel
def _ask_value(bits: float, pace: float, turn: int, max_turns: int) -> float:
    left = max_turns - turn
    if left == 0:
        return -np.inf
    needed = OVERHEAD + bits / (EFFICIENCY * pace)
    asked = min(needed, left)
    rest = (needed - asked) * EFFICIENCY * pace
    return float(_multiplier(turn + asked, max_turns) * (2 * 2.0**-rest - 1))


@kernel
def _ask_batch(bits: Floats, pace: float, turns: Whole, max_turns: int) -> Floats:
    values = np.empty(len(bits))
    for i in range(len(bits)):
        values[i] = _ask_value(bits[i], pace, turns[i], max_turns)
    return values


@kernel
def _search(
    beliefs: Floats, packed: Floats, turns: Whole, max_turns: int, depth: int, width: int
) -> tuple[Floats, Floats, Whole]:
    """What locking and asking are worth, and the best question, [B] each."""
    locks, asks, questions = np.empty(len(beliefs)), np.empty(len(beliefs)), np.empty_like(turns)
    gains, pace = _gains(beliefs, packed), _pace(packed)
    for i in range(len(beliefs)):
        belief, turn, best = beliefs[i], turns[i], gains[i].argmax()
        locks[i] = _lock_value(belief, turn, max_turns)
        asks[i], questions[i] = _ask(belief, packed, gains[i], pace, turn, max_turns, depth, width)
        if depth == 0:
            questions[i] = best
    return locks, asks, questions


@kernel(inline="always")
def _pace(packed: Floats) -> float:
    uniform = np.full((1, len(packed)), 1 / len(packed))
    return float(max(NEGLIGIBLE, _gains(uniform, packed).max()))


@kernel
def _multiplier(turn: float, max_turns: int) -> float:
    return 2 * (max_turns + 1 - turn) / max_turns


@kernel
def _gains(beliefs: Floats, packed: Floats) -> Floats:
    size = len(beliefs)
    threes = size - size % 3
    gains, mixed = np.empty((size, packed.shape[2])), np.empty((3, *packed.shape[1:]))
    for i in range(0, threes, 3):
        _gains_of_three(beliefs[i : i + 3], packed, gains[i : i + 3], mixed)
    for i in range(threes, size):
        _mix(beliefs[i], packed, mixed[0])
        _gains_of(mixed[0], gains[i])
    return gains


@kernel(inline="always")
def _gains_of_three(beliefs: Floats, packed: Floats, gains: Floats, mixed: Floats) -> None:
    _mix_three(beliefs, packed, mixed)
    for j in range(3):
        _gains_of(mixed[j], gains[j])


@kernel(error_model="numpy", fastmath=_FUSED)
def _gains_of(mixed: Floats, gains: Floats) -> None:
    for q in range(len(gains)):
        yes, no, maybe = mixed[0, q], mixed[1, q], mixed[2, q]
        bits = -mixed[3, q] - yes * log2(yes) - no * log2(no) - maybe * log2(maybe)
        gains[q] = np.rint(bits / TIE) * TIE


@kernel(fastmath=_FUSED)
def _mix(belief: Floats, packed: Floats, mixed: Floats) -> None:
    """The table's mean under a belief, [4, Q]; four words at a time, for fewer sums in between."""
    rows, total = packed.reshape(len(packed), -1), mixed.reshape(-1)
    words, kept, n = np.zeros(len(packed) + 3, np.uint64), np.zeros(len(packed) + 3), 0
    for w in range(len(packed)):
        if belief[w] >= NEGLIGIBLE:
            words[n], kept[n] = w, belief[w]
            n += 1
    total[:] = 0.0
    for k in range(0, n, 4):
        w0, w1, w2, w3 = words[k], words[k + 1], words[k + 2], words[k + 3]
        p0, p1, p2, p3 = kept[k], kept[k + 1], kept[k + 2], kept[k + 3]
        for i in range(len(total)):
            total[i] += p0 * rows[w0, i] + p1 * rows[w1, i] + p2 * rows[w2, i] + p3 * rows[w3, i]


@kernel(fastmath=_FUSED)
def _mix_three(beliefs: Floats, packed: Floats, mixed: Floats) -> None:
    """`_mix` of three beliefs, [3, 4, Q]: what is read of the table serves all of them."""
    rows, total = packed.reshape(len(packed), -1), mixed.reshape(3, -1)
    words, kept, n = np.zeros(len(packed) + 3, np.uint64), np.zeros((3, len(packed) + 3)), 0
    for w in range(len(packed)):
        words[n] = w
        for j in range(3):
            kept[j, n] = beliefs[j, w] if beliefs[j, w] >= NEGLIGIBLE else 0.0
        n += kept[0, n] + kept[1, n] + kept[2, n] > 0
    x, y, z = kept
    for j in range(3):
        kept[j, n:] = 0.0
    total[:] = 0.0
    for k in range(0, n, 4):
        w0, w1, w2, w3 = words[k], words[k + 1], words[k + 2], words[k + 3]
        x0, x1, x2, x3 = x[k], x[k + 1], x[k + 2], x[k + 3]
        y0, y1, y2, y3 = y[k], y[k + 1], y[k + 2], y[k + 3]
        z0, z1, z2, z3 = z[k], z[k + 1], z[k + 2], z[k + 3]
        for i in range(rows.shape[1]):
            a, b, c, d = rows[w0, i], rows[w1, i], rows[w2, i], rows[w3, i]
            total[0, i] += x0 * a + x1 * b + x2 * c + x3 * d
            total[1, i] += y0 * a + y1 * b + y2 * c + y3 * d
            total[2, i] += z0 * a + z1 * b + z2 * c + z3 * d


@kernel(error_model="numpy", fastmath=_SUMMED)
def _hear(belief: Floats, packed: Floats, question: int, children: Floats, p: Floats) -> None:
    """The beliefs [3, W] after each answer to a question, and how likely the answers are, [3]."""
    for answer in range(3):
        child, total = children[answer], 0.0
        for w in range(len(belief)):
            child[w] = belief[w] * packed[w, answer, question]
            total += child[w]
        p[answer] = total
        if total > 0:
            for w in range(len(belief)):
                child[w] /= total


@kernel(inline="always")
def _ask(
    belief: Floats,
    packed: Floats,
    first_gains: Floats,
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
    beliefs = np.empty((levels + 1, 3, len(belief)))
    gains = np.empty((levels, 3, packed.shape[2]))
    chances = np.empty((levels, 3))
    asked, questions = np.empty(levels, np.int64), np.empty(levels, np.int64)
    answers, best_questions = np.empty(levels, np.int64), np.empty(levels, np.int64)
    values, locks, bests = np.empty(levels), np.empty(levels), np.empty(levels)
    mixed = np.empty((3, *packed.shape[1:]))
    beliefs[0, 0], gains[0, 0] = belief, first_gains
    level, at, entered = 0, 0, True
    while True:
        if entered:
            for above in range(level):
                gains[level, at, questions[above]] = -np.inf
            asked[level], answers[level] = 0, 3
            values[level], bests[level], best_questions[level] = -np.inf, -np.inf, -1
            entered = False
        if answers[level] < 3:  # hear the next answer
            answer, child = answers[level], beliefs[level + 1, answers[level]]
            answers[level] += 1
            p = chances[level, answer]
            if p > NEGLIGIBLE:
                then = turn + level + 1
                lock = _lock_value(child, then, max_turns)
                if level + 1 < levels:
                    locks[level] = lock
                    level, at, entered = level + 1, answer, True
                elif then == max_turns:
                    values[level] += p * lock
                else:
                    ask = _ask_value(_entropy(child), pace, then, max_turns)
                    values[level] += p * max(lock, ask)
            continue
        if values[level] > bests[level] + TIE:
            bests[level], best_questions[level] = values[level], questions[level]
        question = gains[level, at].argmax()
        if asked[level] < width and gains[level, at, question] > -np.inf:  # ask the next question
            gains[level, at, question] = -np.inf
            asked[level] += 1
            questions[level], answers[level], values[level] = question, 0, 0.0
            children = beliefs[level + 1]
            _hear(beliefs[level, at], packed, question, children, chances[level])
            if level + 1 < levels:
                _gains_of_three(children, packed, gains[level + 1], mixed)
        elif level > 0:  # go back up
            level -= 1
            answer, at = answers[level] - 1, answers[level - 1] - 1 if level > 0 else 0
            values[level] += chances[level, answer] * max(locks[level], bests[level + 1])
        else:
            return bests[0], best_questions[0]
