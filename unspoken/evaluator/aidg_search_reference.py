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
        float64 [Q], or [B, Q], in whole multiples of TIE, so that questions which tell the same
        have the same gain.
    """
    belief = np.where(belief < NEGLIGIBLE, 0.0, belief)
    mixed = np.tensordot(belief, packed, axes=(-1, 0))
    gains = _bits(mixed[..., :3, :], axis=-2) - mixed[..., 3, :]
    return np.asarray(np.rint(gains / TIE) * TIE)


def lock_value(belief: Floats, turn: int, max_turns: int = MAX_TURNS) -> float:
    """Expected M-weighted outcome of locking the likeliest word now: M(t) (2 max b - 1)."""
    return multiplier(turn, max_turns) * (2 * float(belief.max()) - 1)


def pace(packed: Floats) -> float:
    """Bits that the best question wins while all words are equally likely; more than 0."""
    uniform = np.full(len(packed), 1 / len(packed))
    return max(NEGLIGIBLE, float(information_gain(uniform, packed).max()))


def ask_value(bits: float, pace: float, turn: int, max_turns: int = MAX_TURNS) -> float:
    """Estimate of the M-weighted outcome of asking on until the word is known or turns run out.

    The bits that are left when the turns run out make the final guess right with probability
    2^-bits.

    Args:
        bits: entropy of the belief.
        pace: bits that a good question wins, more than 0.
        turn: the current turn.
        max_turns: question turns plus the forced final guess.

    Returns:
        A value from -2 to 2; minus infinity on the last turn, where nothing can be asked.
    """
    left = max_turns - turn
    if left == 0:
        return -np.inf
    needed = OVERHEAD + bits / (EFFICIENCY * pace)
    asked = min(needed, left)
    rest = (needed - asked) * EFFICIENCY * pace
    return float(2 * (max_turns + 1 - turn - asked) / max_turns * (2 * 2.0**-rest - 1))


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


def best_action(position: Position, depth: int = 1, width: int = 8) -> int:
    """The seeker's menu index that bounded lookahead values most: a question, or Q + word.

    Where locking and asking are worth the same it locks. Among questions of the same worth it
    takes the one with more gain, then the lower index; with depth 0 that alone decides.
    """
    lock, ask, question = _options(position, depth, width)
    if lock > ask - TIE:
        return int(position.answers.shape[2] + position.belief.argmax())
    if depth == 0:
        return int(information_gain(position.belief, position.answers).argmax())
    return question


def _options(position: Position, depth: int, width: int) -> tuple[float, float, int]:
    check_search(depth, width)
    belief, packed = position.belief, position.answers
    turn, max_turns = position.turn, position.max_turns
    asked = np.zeros(packed.shape[2], np.bool_)
    ask, question = _ask(belief, packed, asked, pace(packed), turn, max_turns, depth, width)
    return lock_value(belief, turn, max_turns), ask, question


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
