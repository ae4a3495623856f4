"""What the numbers of the search game's evaluator mean, in plain NumPy.

Every function of `unspoken.evaluator.aidg_search` is here under the same name and equal to 1e-6,
written to be read; that module is the one to call. Sources: DESIGN section 4 (position), AIDG
equation 1 (the multiplier M). Throughout, W is the number of words, Q of questions; answers are in
the order yes, no, maybe; values are in units of M, so they lie between -2 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.aidg_search.ontology import load
from unspoken.envs.aidg_search.rules import MAX_TURNS, multiplier

Floats = NDArray[np.float64]

FLOOR = 1e-12
"""No answer is less likely than this, so that no belief dies of a contradiction."""
NEGLIGIBLE = 1e-10
"""Words and answers less probable than this are left out of sums over the future."""


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
    """

    belief: Floats
    turn: int = 1
    max_turns: int = MAX_TURNS
    packed: Floats | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.turn <= self.max_turns:
            raise ValueError(f"turn {self.turn} is not between 1 and {self.max_turns}")
        if self.belief.shape != self.answers.shape[:1]:
            raise ValueError(
                f"belief has shape {self.belief.shape}, but the answer table has "
                f"{len(self.answers)} words"
            )

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
    """
    heard = np.maximum(table @ channel(noise), FLOOR)
    return np.asarray(heard / heard.sum(axis=-1, keepdims=True))


def pack(likelihood: Floats) -> Floats:
    """The likelihoods as the kernels read them, float64 [W, 4, Q].

    Planes 0 to 2 are the answers; plane 3 is the entropy of the answer given the word, in bits.
    The last axis is the long one, so that every sum over words is a stream of fused
    multiply-adds.

    Args:
        likelihood: float64 [W, Q, 3].
    """
    planes = np.moveaxis(likelihood, -1, 1)
    return np.ascontiguousarray(np.concatenate([planes, _bits(planes, axis=1)[:, None]], axis=1))


def update(belief: Floats, packed: Floats, question: int, answer: int) -> Floats:
    """The belief after an answer, float64 [W], sums to 1.

    Args:
        belief: float64 [W].
        packed: float64 [W, 4, Q].
        question: index of the question.
        answer: 0 yes, 1 no, 2 maybe.
    """
    joint = belief * packed[:, answer, question]
    return np.asarray(joint / joint.sum())


def entropy(belief: Floats) -> float:
    """Entropy of a belief [W] in bits, 0 to log2(W)."""
    return float(_bits(belief, axis=0))


def information_gain(belief: Floats, packed: Floats) -> Floats:
    """Expected information of every question about the secret, in bits, 0 to log2(3).

    Args:
        belief: float64 [W], or a batch [B, W].
        packed: float64 [W, 4, Q].

    Returns:
        float64 [Q], or [B, Q].
    """
    belief = np.where(belief < NEGLIGIBLE, 0.0, belief)
    mixed = np.tensordot(belief, packed, axes=(-1, 0))
    return np.asarray(_bits(mixed[..., :3, :], axis=-2) - mixed[..., 3, :])


def lock_value(belief: Floats, turn: int, max_turns: int = MAX_TURNS) -> float:
    """Expected M-weighted outcome of locking the likeliest word now: M(t) (2 max b - 1)."""
    return multiplier(turn, max_turns) * (2 * float(belief.max()) - 1)


def ask_value(bits: float, gain: float, turn: int, max_turns: int = MAX_TURNS) -> float:
    """Estimate of the M-weighted outcome of asking on and locking at the best later turn.

    It takes every question to win the same share of the bits that are left, or of one bit while
    more are left, and the lock to be right with probability 2^-bits.

    Args:
        bits: entropy of the belief.
        gain: information gain of the best question, in bits.
        turn: the current turn, before `max_turns`.
        max_turns: question turns plus the forced final guess.

    Returns:
        A value from -2 to 2; minus infinity on the last turn, where nothing can be asked.
    """
    share = max(gain, 0.0) / max(min(bits, 1.0), NEGLIGIBLE)
    best = -np.inf
    for later in range(turn + 1, max_turns + 1):
        bits = max(0.0, bits - share * min(bits, 1.0))
        best = max(best, multiplier(later, max_turns) * (2 * 2.0**-bits - 1))
    return float(best)


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
    return max(_options(position, depth, width))


def best_action(position: Position, depth: int = 1, width: int = 8) -> int:
    """The seeker's menu index that bounded lookahead values most: a question, or Q + word.

    Where locking and asking are worth the same it locks; among questions the one with more gain,
    then the lower index, is taken.
    """
    lock, ask = _options(position, depth, width)
    if lock >= ask:
        return position.answers.shape[2] + int(position.belief.argmax())
    packed = position.answers
    gains = information_gain(position.belief, packed)
    asked = np.zeros(len(gains), np.bool_)
    values = {
        q: _after(position.belief, packed, asked, q, position.turn, position.max_turns, depth, width)
        for q in _candidates(gains, asked, width)
    }
    return max(values, key=lambda q: values[q]) if depth else int(gains.argmax())


def _options(position: Position, depth: int, width: int) -> tuple[float, float]:
    check_search(depth, width)
    lock = lock_value(position.belief, position.turn, position.max_turns)
    asked = np.zeros(position.answers.shape[2], np.bool_)
    return lock, _ask(
        position.belief, position.answers, asked, position.turn, position.max_turns, depth, width
    )


def check_search(depth: int, width: int) -> None:
    """Refuse bounds of a lookahead that make no sense.

    Raises:
        ValueError: names the bound and its range.
    """
    if depth < 0:
        raise ValueError(f"depth={depth}: 0 or more questions to look ahead")
    if width < 1:
        raise ValueError(f"width={width}: 1 or more questions to consider")


def _ask(
    belief: Floats,
    packed: Floats,
    asked: NDArray[np.bool_],
    turn: int,
    max_turns: int,
    depth: int,
    width: int,
) -> float:
    if turn == max_turns:
        return -np.inf
    gains = np.where(asked, -np.inf, information_gain(belief, packed))
    if depth == 0 or asked.all():
        return ask_value(entropy(belief), float(gains.max()), turn, max_turns)
    return max(
        _after(belief, packed, asked, q, turn, max_turns, depth, width)
        for q in _candidates(gains, asked, width)
    )


def _after(
    belief: Floats,
    packed: Floats,
    asked: NDArray[np.bool_],
    question: int,
    turn: int,
    max_turns: int,
    depth: int,
    width: int,
) -> float:
    asked = asked.copy()
    asked[question] = True
    value = 0.0
    for answer in range(3):
        p = float(belief @ packed[:, answer, question])
        if p > NEGLIGIBLE:
            child = update(belief, packed, question, answer)
            lock = lock_value(child, turn + 1, max_turns)
            ask = _ask(child, packed, asked, turn + 1, max_turns, depth - 1, width)
            value += p * max(lock, ask)
    return value


def _candidates(gains: Floats, asked: NDArray[np.bool_], width: int) -> list[int]:
    order = np.argsort(-gains, kind="stable")
    return [int(q) for q in order if not asked[q]][:width]


def _bits(p: Floats, axis: int) -> Floats:
    safe = np.where(p > 0, p, 1.0)
    return np.asarray(-(p * np.log2(safe)).sum(axis=axis))
