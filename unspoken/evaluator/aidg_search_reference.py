"""What the numbers of the search game's evaluator mean, in plain NumPy.

Every function of `unspoken.evaluator.aidg_search` is here under the same name and equal to 1e-6,
written to be read; that module is the one to call. Sources: DESIGN section 4 (position), AIDG
equation 1 (the multiplier M). Throughout, W is the number of words, Q of questions, B of rows in a
batch; answers are in the order yes, no, maybe; values are in units of M, so they lie between -2
and 2. In a batch form, arguments that are single are the same for every row, and row i of the
result is what the single form says of row i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.aidg_search.ontology import load
from unspoken.envs.aidg_search.rules import MAX_TURNS
from unspoken.evaluator.bounds import check_search

Floats = NDArray[np.float64]
Whole = NDArray[np.integer[Any]]
Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
"""[W], for the type checker: an array known to be one gives a float where a batch gives [B]."""
Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]

# Numba's cache does not see changes of these: touch aidg_search.py after one.
FLOOR = 1e-12
"""No answer is less likely than this, so that no belief dies of a contradiction."""
NEGLIGIBLE = 1e-10
"""Words and answers less probable than this are left out of sums over the future."""
TIE = 1e-9
"""Values nearer than this are the same, whatever the order of summation."""
OVERHEAD, EFFICIENCY = 0.8, 1.05
"""Questions that a seeker needs: OVERHEAD + bits / (EFFICIENCY * pace), fitted to `greedy`."""


@cache
def packaged() -> Floats:
    """The packed answer table of the package's own ontology, for a holder that never errs."""
    return pack(likelihood(load().table))


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """A seeker's position, before its move.

    Attributes:
        belief: P(word is the secret), float64 [W], sums to 1.
        turn: the current turn, from 1 to `max_turns`.
        max_turns: question turns plus the forced final guess.
        packed: what `pack` made of the answer table, given what was already answered; by default
            the package's own table.

    Raises:
        ValueError: if `turn` is out of its range, or belief or table has the wrong shape.
    """

    belief: Vector
    turn: int = 1
    max_turns: int = MAX_TURNS
    packed: Floats | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.turn <= self.max_turns:
            raise ValueError(f"turn {self.turn} is not between 1 and {self.max_turns}")
        if check_belief(self.belief, self.answers):
            raise ValueError(f"belief {self.belief.shape}: a position has one, of shape [words]")

    @property
    def answers(self) -> Floats:
        """The packed answer table, float64 [W, 4, Q]."""
        return packaged() if self.packed is None else self.packed


def channel(noise: float) -> Floats:
    """P(answer heard | answer meant) of a holder that errs, float64 [3, 3], rows sum to 1.

    Args:
        noise: probability that an answer is one of the other two, evenly; 0 to 1.

    Raises:
        ValueError: if `noise` is no probability.
    """
    if not 0 <= noise <= 1:
        raise ValueError(f"noise={noise} is not a probability from 0 to 1")
    return np.full((3, 3), noise / 2) + (1 - 1.5 * noise) * np.eye(3)


def likelihood(table: Floats, noise: float = 0.0) -> Floats:
    """P(answer | word, question) of a holder that errs, float64 [W, Q, 3], rows sum to 1.

    Args:
        table: the same of a truthful holder, as `Ontology.table`.
        noise: probability of an erroneous answer, 0 to 1.

    Raises:
        ValueError: if `noise` is no probability or the table has another shape.
    """
    check_cells(table)
    heard = np.maximum(table @ channel(noise), FLOOR)
    return np.asarray(heard / heard.sum(axis=-1, keepdims=True))


def pack(likelihood: Floats) -> Floats:
    """The likelihoods as the kernels read them, float64 [W, 4, Q].

    Planes 0 to 2 are the answers; plane 3 is the entropy of the answer given the word, in bits.
    The last axis is the long one, so that every sum over words is a stream of fused
    multiply-adds.

    Args:
        likelihood: float64 [W, Q, 3].

    Raises:
        ValueError: if it has another shape.
    """
    check_cells(likelihood)
    planes = np.moveaxis(likelihood, -1, 1)
    return np.ascontiguousarray(np.concatenate([planes, _bits(planes, axis=1)[:, None]], axis=1))


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
    check_update(belief, packed, question, answer)
    joint = belief * packed[:, answer, question].T
    total = joint.sum(axis=-1, keepdims=True)
    if (total == 0).any():
        raise ValueError("an answer that the belief rules out")
    return np.asarray(joint / total)


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
    batch = check_belief(belief)
    bits = _bits(belief, axis=-1)
    return bits if batch else float(bits)


def information_gain(belief: Floats, packed: Floats) -> Floats:
    """Expected information of every question about the secret, in bits, 0 to log2(3).

    Args:
        belief: float64 [W], or a batch [B, W].
        packed: float64 [W, 4, Q].

    Returns:
        float64 [Q], or [B, Q], in whole multiples of TIE, so that questions which tell the same
        have the same gain.

    Raises:
        ValueError: if shapes do not fit.
    """
    check_belief(belief, packed)
    belief = np.where(belief < NEGLIGIBLE, 0.0, belief)
    mixed = np.tensordot(belief, packed, axes=(-1, 0))
    gains = _bits(mixed[..., :3, :], axis=-2) - mixed[..., 3, :]
    return np.asarray(np.rint(gains / TIE) * TIE)


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
    values = _multiplier(np.asarray(turn), max_turns) * (2 * belief.max(axis=-1) - 1)
    return np.asarray(values) if batch else float(values)


def pace(packed: Floats) -> float:
    """Bits that the best question wins while all words are equally likely, above 0 to log2(3).

    Args:
        packed: float64 [W, 4, Q].

    Raises:
        ValueError: if it has another shape.
    """
    check_table(packed)
    uniform = np.full(len(packed), 1 / len(packed))
    return max(NEGLIGIBLE, float(information_gain(uniform, packed).max()))


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

    The bits that are left when the turns run out make the final guess right with probability
    2^-bits.

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
    left = max_turns - np.asarray(turn)
    needed = OVERHEAD + np.asarray(bits) / (EFFICIENCY * pace)
    asked = np.minimum(needed, left)
    rest = (needed - asked) * EFFICIENCY * pace
    known = _multiplier(turn + asked, max_turns) * (2 * 2.0**-rest - 1)
    values = np.where(left == 0, -np.inf, known)
    return values if batch else float(values)


def position_value(position: Position, depth: int = 1, width: int = 8) -> float:
    """Expected M-weighted outcome for the seeker by bounded lookahead, -2 to 2.

    The seeker takes the better of locking now and asking the best of the `width` questions with
    most information gain; the holder answers by the table. After `depth` questions the better of
    locking and `ask_value` stands for the rest. No question is asked twice on the way.

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
    each = np.broadcast_to(turns, len(beliefs))
    return np.array(
        [
            position_value(Position(belief, int(turn), max_turns, table), depth, width)
            for belief, turn in zip(beliefs, each, strict=True)
        ],
        np.float64,
    )


def best_action(position: Position, depth: int = 1, width: int = 8) -> int:
    """The seeker's menu index that bounded lookahead values most: a question, or Q + word.

    Where locking and asking are worth the same it locks. Among questions of the same worth it
    takes the one with more gain, then the lower index; with depth 0 that alone decides.

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
        return int(information_gain(position.belief, position.answers).argmax())
    return question


def evaluate_batch(positions: Sequence[Position]) -> list[dict[str, float]]:
    """Score of each role in each position, -1 to 1: its M-weighted outcome over M(1) = 2."""
    values = [position_value(position) / 2 for position in positions]
    return [{"seeker": value, "holder": -value} for value in values]


def _options(position: Position, depth: int, width: int) -> tuple[float, float, int]:
    check_search(depth, width)
    belief, packed = position.belief, position.answers
    turn, max_turns = position.turn, position.max_turns
    asked = np.zeros(packed.shape[2], np.bool_)
    ask, question = _ask(belief, packed, asked, pace(packed), turn, max_turns, depth, width)
    return lock_value(belief, turn, max_turns), ask, question


def check_cells(table: Floats) -> None:
    """Refuse what is no table of answers.

    Raises:
        ValueError: names the shape.
    """
    if table.ndim != 3 or table.shape[2] != 3 or not table.size:
        raise ValueError(f"answers {table.shape}: not [words, questions, 3]")


def check_table(packed: Floats) -> None:
    """Refuse what `pack` cannot have made.

    Raises:
        ValueError: names the shape.
    """
    shape = packed.shape
    if len(shape) != 3 or shape[1] != 4 or not shape[0] or not shape[2]:
        raise ValueError(f"answer table {shape}: not [words, 4, questions] as from `pack`")


def check_belief(belief: Floats, packed: Floats | None = None) -> tuple[int, ...]:
    """The batch that a belief is: () for [W], (B,) for [B, W].

    Raises:
        ValueError: if it is neither, or the table is none or has other words.
    """
    shape = belief.shape
    if not 1 <= len(shape) <= 2 or not shape[-1] or belief.dtype.kind != "f":
        raise ValueError(f"belief {shape} of {belief.dtype}: not floats [words] or [batch, words]")
    if packed is not None:
        table = packed.shape
        if len(table) != 3 or table[1] != 4 or not table[2] or table[0] != shape[-1]:
            check_table(packed)
            raise ValueError(f"belief {shape} and answer table {table}: other words")
    return shape[:-1]


def check_update(
    belief: Floats, packed: Floats, question: int | Whole, answer: int | Whole
) -> tuple[int, ...]:
    """The batch, () or (B,), that the arguments of `update` are.

    Raises:
        ValueError: says what is wrong with which.
    """
    batch = check_belief(belief, packed)
    asked = _check_whole("question", question, 0, packed.shape[2] - 1)
    heard = _check_whole("answer", answer, 0, 2)
    return _common(batch, asked, heard) if batch or asked or heard else ()


def check_lock(belief: Floats, turn: int | Whole, max_turns: int) -> tuple[int, ...]:
    """The batch, () or (B,), that the arguments of `lock_value` are.

    Raises:
        ValueError: says what is wrong with which.
    """
    return _common(check_belief(belief), _check_whole("turn", turn, 1, max_turns))


def check_ask(
    bits: float | Floats, pace: float, turn: int | Whole, max_turns: int
) -> tuple[int, ...]:
    """The batch, () or (B,), that the arguments of `ask_value` are.

    Raises:
        ValueError: says what is wrong with which.
    """
    if not pace > 0:
        raise ValueError(f"pace={pace}: more than 0 bits")
    batch = () if isinstance(bits, float) else np.shape(bits)
    if len(batch) > 1:
        raise ValueError(f"bits {batch}: neither a number nor [batch]")
    return _common(batch, _check_whole("turn", turn, 1, max_turns))


def check_positions(beliefs: Floats, turns: int | Whole, max_turns: int, packed: Floats) -> None:
    """Refuse stacked positions that do not fit together.

    Raises:
        ValueError: says what is wrong with which.
    """
    if not check_belief(beliefs, packed):
        raise ValueError(f"beliefs {beliefs.shape}: not [batch, words]")
    check_lock(beliefs, turns, max_turns)


def _check_whole(name: str, value: int | Whole, low: int, high: int) -> tuple[int, ...]:
    if isinstance(value, (int, np.integer)):
        if low <= value <= high:
            return ()
        raise ValueError(f"{name} {value} is not between {low} and {high}")
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "iu":
        raise ValueError(f"{name} {value!r}: neither a whole number nor an array [batch] of them")
    for outside in value[(value < low) | (value > high)]:
        raise ValueError(f"{name} {outside} is not between {low} and {high}")
    return value.shape


def _common(*batches: tuple[int, ...]) -> tuple[int, ...]:
    batch: tuple[int, ...] = ()
    for other in batches:
        if other and batch and other != batch:
            raise ValueError(f"batches of different lengths: {batch[0]} and {other[0]}")
        batch = batch or other
    return batch


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
    if turn == max_turns:
        return -np.inf, -1
    if depth == 0:
        return ask_value(entropy(belief), pace, turn, max_turns), -1
    best, best_question = -np.inf, -1
    gains = information_gain(belief, packed)
    order = np.argsort(-gains, kind="stable")
    for question in order[~asked[order]][:width]:
        now = asked.copy()
        now[question] = True
        value = 0.0
        for answer in range(3):
            p = float(belief @ packed[:, answer, question])
            if p > NEGLIGIBLE:
                child = update(belief, packed, int(question), answer)
                lock = lock_value(child, turn + 1, max_turns)
                ask, _ = _ask(child, packed, now, pace, turn + 1, max_turns, depth - 1, width)
                value += p * max(lock, ask)
        if value > best + TIE:
            best, best_question = value, int(question)
    return best, best_question


def _bits(p: Floats, axis: int) -> Floats:
    safe = np.where(p > 0, p, 1.0)
    return np.asarray(-(p * np.log2(safe)).sum(axis=axis))


def _multiplier(turn: Floats | Whole, max_turns: int) -> Floats:
    return np.asarray(2 * (max_turns + 1 - turn) / max_turns)
