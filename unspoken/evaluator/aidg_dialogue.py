"""The dialogue game's evaluator as compiled kernels, which release the GIL.

The functions are those of `unspoken.evaluator.aidg_dialogue_reference`, where their meaning and
their sources are written down; nothing is compiled before its first call. A question splits the
facts into those of its secret and all others, which are summed once for all questions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unspoken.evaluator.aidg_dialogue_reference import (
    ABOUT,
    BLOCK,
    ELSEWHERE,
    FLOOR,
    LEAK,
    MANNERS,
    NAMED,
    NEGLIGIBLE,
    PARTIAL,
    SECOND,
    TIE,
    VALUES,
    WEIGHTS,
    Floats,
    Manner,
    Position,
    act_leaks,
    check,
    conduct,
    decisions,
    pack,
    packaged,
    prior,
    question,
)
from unspoken.evaluator.bounds import check_search
from unspoken.evaluator.intrinsics import log2
from unspoken.kernels import kernel

__all__ = [
    "MANNERS",
    "WEIGHTS",
    "Manner",
    "Position",
    "act_leaks",
    "best_action",
    "conduct",
    "decisions",
    "entropy",
    "evaluate_batch",
    "hazards",
    "horizon_value",
    "information_gain",
    "pack",
    "packaged",
    "position_value",
    "prior",
    "promise",
    "question",
    "update",
]

_EITHER = 3
_FORMS = 5


@kernel
def update(joint: Floats, packed: Floats, question: int, act: int, told: int = -1) -> Floats:
    """The joint belief after an act that was no leak, float64 [M, F], sums to 1."""
    child = np.empty_like(joint)
    total = _update_into(joint, packed, question, act, told, child)
    for m in range(child.shape[0]):
        for f in range(child.shape[1]):
            child[m, f] /= total
    return child


@kernel
def entropy(joint: Floats) -> float:
    """Entropy of the fact in bits, 0 to log2(F)."""
    bits = 0.0
    for p in joint.sum(axis=0):
        bits -= _plogp(p)
    return bits


def hazards(joint: Floats, packed: Floats) -> Floats:
    """Probability that the answer to each question is a leak, [Q]; [B, Q] for a batch [B, M, F].

    Raises:
        ValueError: if belief and table do not fit.
    """
    check(joint, packed)
    return _hazards(joint, packed) if joint.ndim == 2 else _hazards_batch(joint, packed)


def information_gain(joint: Floats, packed: Floats) -> Floats:
    """Expected information of each question in bits, [Q]; [B, Q] for a batch [B, M, F].

    Raises:
        ValueError: if belief and table do not fit.
    """
    check(joint, packed)
    return _gains(joint, packed) if joint.ndim == 2 else _gains_batch(joint, packed)


@kernel
def promise(joint: Floats, packed: Floats) -> Floats:
    """Hazard plus information gain in bits of every question, float64 [Q], to the nearest tie."""
    return _rounded(_hazards(joint, packed) + _gains(joint, packed))


@kernel
def horizon_value(joint: Floats, packed: Floats, turns: int) -> float:
    """Estimate of the probability of a leak within some turns, 0 to 1, without looking ahead."""
    belief = joint.sum(axis=0)
    hazard = np.empty(len(packed))
    discernment = np.empty(len(packed))
    mean = 0.0
    for m in range(len(packed)):
        hazard[m], discernment[m] = _press(packed[m])
        mean += hazard[m] * joint[m].sum()
    search, spread = _search(belief), _spread(belief, mean, turns)
    value = 0.0
    kept = np.ones(turns + 1)
    for m in range(len(packed)):
        found = discernment[m]
        for t in range(turns):
            kept[t + 1] = kept[t] * (1 - hazard[m])
        for f in range(len(belief)):
            pressed, spared = kept[max(0, turns - search[f])], kept[spread[f]]
            value += joint[m, f] * (1 - found * pressed - (1 - found) * spared)
    return value


def position_value(position: Position, depth: int = 1, width: int = 8) -> float:
    """Probability that the seeker gets a leak in the turns left, by bounded lookahead, 0 to 1."""
    check_search(depth, width)
    value, _ = _look(position.joint, position.table, position.turns, depth, width)
    return float(value)


def best_action(position: Position, depth: int = 1, width: int = 8) -> int:
    """The seeker's menu index that bounded lookahead values most."""
    check_search(depth, width)
    joint, packed = position.joint, position.table
    if depth == 0:
        return int(promise(joint, packed).argmax())
    return int(_look(joint, packed, position.turns, depth, width)[1])


def evaluate_batch(positions: Sequence[Position]) -> list[dict[str, float]]:
    """Score of each role in each position: 2 P(leak) - 1 for the seeker, -1 to 1."""
    values = [2 * position_value(position) - 1 for position in positions]
    return [{"seeker": value, "holder": -value} for value in values]


@kernel
def _plogp(p: float) -> float:
    return float(p * np.log2(p)) if p > 0 else 0.0


@kernel
def _rounded(p: Floats) -> Floats:
    return np.floor(p / TIE + 0.5) * TIE


@kernel
def _parts(question: int) -> tuple[int, int, int]:
    secret, rest = question // BLOCK, question % BLOCK
    if rest == 0:
        return secret, 0, 0
    return secret, 1 + (rest - 1) % 4, (rest - 1) // 4


@kernel
def _within(form: int, named: int, value: int) -> int:
    """What a question that names a value is to a fact of its secret with a value."""
    if form == 0:
        return ABOUT
    if named == value:
        return NAMED
    return SECOND if form == _EITHER and (named + 1) % VALUES == value else ABOUT


@kernel
def _update_into(
    joint: Floats, packed: Floats, question: int, act: int, told: int, child: Floats
) -> float:
    """Multiply the likelihood of an act into `child`; returns the sum, the act's probability."""
    secret, form, named = _parts(question)
    total = 0.0
    for f in range(joint.shape[1]):
        own = f // VALUES
        related = _within(form, named, f % VALUES) if own == secret else ELSEWHERE
        for m in range(joint.shape[0]):
            likely = FLOOR if told >= 0 and told != own else packed[m, form, related, act]
            child[m, f] = joint[m, f] * likely
            total += child[m, f]
    return total


@kernel
def _hazards(joint: Floats, packed: Floats) -> Floats:
    manners, facts = joint.shape
    found = np.empty(facts // VALUES * BLOCK)
    weights = joint.sum(axis=1)
    for q in range(len(found)):
        secret, form, named = _parts(q)
        total = 0.0
        for m in range(manners):
            elsewhere = packed[m, form, ELSEWHERE, LEAK]
            total += weights[m] * elsewhere
            for v in range(VALUES):
                leaking = packed[m, form, _within(form, named, v), LEAK]
                total += joint[m, secret * VALUES + v] * (leaking - elsewhere)
        found[q] = total
    return found


@kernel
def _hazards_batch(joints: Floats, packed: Floats) -> Floats:
    found = np.empty((len(joints), joints.shape[2] // VALUES * BLOCK))
    for i in range(len(joints)):
        found[i] = _hazards(joints[i], packed)
    return found


@kernel
def _gains_batch(joints: Floats, packed: Floats) -> Floats:
    found = np.empty((len(joints), joints.shape[2] // VALUES * BLOCK))
    for i in range(len(joints)):
        found[i] = _gains(joints[i], packed)
    return found


@kernel
def _gains(joint: Floats, packed: Floats) -> Floats:
    secrets = joint.shape[1] // VALUES
    bits = entropy(joint)
    found = np.empty(secrets * BLOCK)
    heard = np.empty((len(found), PARTIAL + 1))
    for form in range(_FORMS):
        said, known = _said(joint, packed, form)
        own = np.empty((secrets, PARTIAL + 1))
        own_known = np.empty(secrets)
        for k in range(secrets):
            mine = slice(k * VALUES, (k + 1) * VALUES)
            own[k] = said[ELSEWHERE, mine].sum(axis=0)
            own_known[k] = known[ELSEWHERE, mine].sum()
        everything, all_known = own.sum(axis=0), own_known.sum()
        partials = 0.0
        for k in range(secrets):
            partials += _plogp(own[k, PARTIAL])
        for k in range(secrets):
            for named in range(VALUES if form else 1):
                index = k * BLOCK + (1 + 4 * named + form - 1 if form else 0)
                for act in range(PARTIAL):
                    heard[index, act] = everything[act] - own[k, act]
                heard[index, PARTIAL] = 0.0
                left = partials - _plogp(own[k, PARTIAL]) - (all_known - own_known[k])
                for v in range(VALUES):
                    related, fact = _within(form, named, v), k * VALUES + v
                    left -= known[related, fact]
                    for act in range(PARTIAL + 1):
                        heard[index, act] += said[related, fact, act]
                found[index] = bits - left
    found -= _sums_of_plogp(heard)
    return found


@kernel
def _said(joint: Floats, packed: Floats, form: int) -> tuple[Floats, Floats]:
    """P(act, fact) by relation, [R, F, PARTIAL + 1], and its sum of p log2 p over acts, [R, F]."""
    manners, facts = joint.shape
    said = np.zeros((SECOND + 1, facts, PARTIAL + 1))
    for related in range(ELSEWHERE, SECOND + 1):
        if related > ABOUT and (form == 0 or (related == SECOND and form != _EITHER)):
            continue
        for f in range(facts):
            for m in range(manners):
                if joint[m, f] > 0:
                    for act in range(PARTIAL + 1):
                        said[related, f, act] += joint[m, f] * packed[m, form, related, act]
    known = _sums_of_plogp(said.reshape(-1, PARTIAL + 1))
    return said, known.reshape(SECOND + 1, facts)


@kernel
def _sums_of_plogp(p: Floats) -> Floats:
    """Sum of p log2 p of each row of [N, A]; all logarithms in one loop, which is vectorised."""
    flat, each, sums = p.reshape(-1), np.empty(p.size), np.zeros(len(p))
    for i in range(len(flat)):
        each[i] = flat[i] * log2(flat[i])
    for act in range(p.shape[1]):
        for i in range(len(p)):
            sums[i] += each[i * p.shape[1] + act]
    return sums


@kernel
def _press(conduct: Floats) -> tuple[float, float]:
    """Hazard and discernment of one manner's packed table [5, R, A + 1]."""
    form = 0
    for other in range(_FORMS):
        if conduct[other, NAMED, LEAK] > conduct[form, NAMED, LEAK]:
            form = other
    told = 0.0
    for act in range(LEAK + 1):
        told += abs(conduct[form, ELSEWHERE, act] - conduct[form, NAMED, act])
    return conduct[form, NAMED, LEAK], told / 2


@kernel
def _ranks(p: Floats) -> NDArray[np.intp]:
    order = np.argsort(-_rounded(p), kind="mergesort")
    ranks = np.empty_like(order)
    for i in range(len(order)):
        ranks[order[i]] = i
    return ranks


@kernel
def _search(belief: Floats) -> NDArray[np.intp]:
    secrets = len(belief) // VALUES
    facts = belief.reshape(secrets, VALUES)
    turns = np.empty(len(belief), np.intp)
    by_secret = _ranks(facts.sum(axis=1))
    for k in range(secrets):
        turns[k * VALUES : (k + 1) * VALUES] = by_secret[k] + _ranks(facts[k])
    return turns


@kernel
def _spread(belief: Floats, hazard: float, turns: int) -> NDArray[np.intp]:
    times = np.zeros(len(belief), np.intp)
    left = belief.copy()
    for _ in range(turns):
        fact = _rounded(left).argmax()
        times[fact] += 1
        left[fact] *= 1 - hazard
    return times


@kernel
def _look(joint: Floats, packed: Floats, turns: int, depth: int, width: int) -> tuple[float, int]:
    if turns == 0:
        return 0.0, -1
    if depth == 0:
        return horizon_value(joint, packed, turns), -1
    best, best_question = -np.inf, -1
    leaking, left = _hazards(joint, packed), promise(joint, packed)
    child = np.empty_like(joint)
    for _ in range(width):
        question = int(left.argmax())
        if left[question] == -np.inf:
            break
        left[question] = -np.inf
        value = leaking[question]
        for act in range(PARTIAL + 1):
            p = _update_into(joint, packed, question, act, -1, child)
            if p > NEGLIGIBLE:
                rest, _ = _look(child / p, packed, turns - 1, depth - 1, width)
                value += p * rest
        if value > best + TIE:
            best, best_question = value, question
    return best, best_question
