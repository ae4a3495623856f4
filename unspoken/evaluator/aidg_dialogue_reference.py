"""What the numbers of the dialogue game's evaluator mean, in plain NumPy.

Every function of `unspoken.evaluator.aidg_dialogue` is here under the same name and equal to 1e-6,
written to be read; that module is the one to call. Sources: DESIGN section 4 (position), AIDG 3.2
(what leaks, through `rules.decide`); the model of holders is ours.

A fact is a secret of the file with one of its values: K secrets of V = 5 values, in alphabetical
order as in the seeker's menu, make F = 5 K facts, fact V k + v. There are Q = 21 K questions, the
seeker's menu. A = 10 acts are the holder's menu; M manners are what a holder may be like. What a
question is to a fact is one of R = 4 relations. A leak is announced by the game, so each act that
was not announced as one also tells that it was none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.aidg_dialogue.rules import (
    ACTS,
    FORMS,
    MAX_TURNS,
    Decision,
    Question,
    decide,
    legal,
)
from unspoken.envs.aidg_dialogue.secrets import ALTERNATIVES, Secret
from unspoken.evaluator.bounds import check_search

Floats = NDArray[np.float64]

VALUES = ALTERNATIVES + 1
BLOCK = 1 + (len(FORMS) - 1) * VALUES
"""Questions about one secret: its topic, then four forms for each value."""

ELSEWHERE, ABOUT, NAMED, SECOND = range(4)
"""Relations of a question to a fact: of another secret; of the secret but not of its value; naming
the value; naming it second."""

LEAK = len(ACTS)
"""Plane of a packed table that holds the probability of a leak."""
PARTIAL = ACTS.index("partial")
"""Acts before this one may be said of any secret; this one and those after tell which it is."""

# Numba's cache does not see changes of these: touch aidg_dialogue.py after one.
FLOOR = 1e-12
"""No act is less likely than this, so that no belief dies of a contradiction."""
NEGLIGIBLE = 1e-10
"""Acts less probable than this are left out of sums over the future."""
TIE = 1e-9
"""Numbers nearer than this are the same, whatever the order of summation."""
NOISE = 0.02
"""How often any holder does just anything, a lie included."""


class Manner(NamedTuple):
    """What a holder is like, as probabilities.

    Attributes:
        openness: that it answers plainly where that gives nothing away: that it knows nothing of
            another secret, that a false value is false.
        yielding: that it answers plainly where that gives the fact away.
        engaging: that it hedges or tells a part when it dodges, instead of declining.
        slipping: the same where the question takes the fact for granted, so that it is a leak.
    """

    openness: float
    yielding: float
    engaging: float
    slipping: float


MANNERS = (
    Manner(0.95, 0.01, 0.5, 0.08),  # open and careful: dodges only when it matters
    Manner(0.95, 0.05, 0.5, 0.5),  # open, and does not see what it leaves standing
    Manner(0.05, 0.01, 0.6, 0.6),  # vague about everything
    Manner(0.05, 0.0, 0.03, 0.01),  # talks about nothing
    Manner(0.8, 0.4, 0.5, 0.5),  # eager to please
)
WEIGHTS = (0.3, 0.2, 0.2, 0.2, 0.1)
"""P(manner) of a stranger."""


@cache
def decisions() -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """What each act amounts to, by `rules.decide`.

    Returns:
        Truth, int8 [5 forms, R, A] (1 true, -1 a lie, 0 where the secret does not decide it), and
        whether it is a leak, bool [5, R, A]; both read-only.
    """
    secret = Secret("s", "", value="x", alternatives=("a", "b", "c", "d"))
    slots = {
        ELSEWHERE: ("other", "x", "a"),
        ABOUT: ("s", "a", "b"),
        NAMED: ("s", "x", "a"),
        SECOND: ("s", "a", "x"),
    }
    table: list[list[list[Decision]]] = [
        [[decide(secret, Question(form, *slot), act) for act in ACTS] for slot in slots.values()]
        for form in FORMS
    ]
    signs = {True: 1, False: -1, None: 0}
    truths = np.array([[[signs[d.truth] for d in r] for r in f] for f in table], np.int8)
    leaks = np.array([[[d.leak != "none" for d in r] for r in f] for f in table])
    truths.setflags(write=False)
    leaks.setflags(write=False)
    return truths, leaks


def conduct(manner: Manner, *, refusing: bool = True) -> Floats:
    """P(act | form, relation) of a holder of a manner, float64 [5, R, A], rows sum to 1.

    Args:
        manner: what the holder is like.
        refusing: whether it may (still) refuse and deflect.
    """
    return np.array([[_row(manner, f, r, refusing) for r in range(4)] for f in range(len(FORMS))])


def _row(manner: Manner, form: int, relation: int, refusing: bool) -> Floats:
    topic = FORMS[form] == "topic"
    matters = relation in (NAMED, SECOND) or (topic and relation == ABOUT)
    premise = relation == NAMED and FORMS[form] == "presupposition"
    answered = manner.yielding if matters else manner.openness
    engaged = (1 - answered) * (manner.slipping if premise else manner.engaging)
    declined = 1 - answered - engaged
    row = np.zeros(len(ACTS))
    plain = _plain(form, relation)
    row[plain] = answered / len(plain)
    parts = 0.0 if relation == ELSEWHERE else 1 / 3
    row[_acts("hedge", "partial")] += engaged * np.array([1 - parts, parts])
    row[_acts("deflect", "refuse")] += declined / 2
    anything = np.array([act in legal(FORMS[form]) for act in ACTS], float)
    row = (1 - NOISE) * row + NOISE * anything / anything.sum()
    if not refusing:
        row[_acts("deflect", "refuse")] = 0
    row = np.maximum(row, FLOOR)
    return np.asarray(row / row.sum())


def _plain(form: int, relation: int) -> list[int]:
    """The acts that answer a question honestly and directly."""
    if relation == ELSEWHERE:
        return _acts("unknown")
    truths, _ = decisions()
    direct = [act for act in _acts("affirm", "second", "deny") if truths[form, relation, act] > 0]
    return direct or _acts("reword", "disclose")


def _acts(*names: str) -> list[int]:
    return [ACTS.index(name) for name in names]


def pack(conducts: Sequence[Floats]) -> Floats:
    """Conducts as the functions below read them, float64 [M, 5, R, A + 1].

    Plane a is P(act a, and it is no leak); the last plane is P(leak).

    Args:
        conducts: what `conduct` made of each manner, float64 [5, R, A].
    """
    table = np.stack(conducts)
    _, leaks = decisions()
    quiet = np.maximum(np.where(leaks, 0.0, table), FLOOR)
    leaking = np.where(leaks, table, 0.0).sum(axis=-1, keepdims=True)
    return np.ascontiguousarray(np.concatenate([quiet, leaking], axis=-1))


@cache
def packaged(refusing: bool = True) -> Floats:
    """The packed table of `MANNERS`, read-only."""
    packed = pack([conduct(manner, refusing=refusing) for manner in MANNERS])
    packed.setflags(write=False)
    return packed


def question(secret: int, form: int, value: int = 0) -> int:
    """Index of a question in the seeker's menu.

    Args:
        secret: index of the secret in its file.
        form: index in `FORMS`.
        value: index of the value among the secret's in alphabetical order; no matter for a topic.
    """
    return BLOCK * secret + (0 if form == 0 else 1 + 4 * value + form - 1)


def parts(question: int) -> tuple[int, int, int]:
    """The secret, the form and the value of a question, as indices; the inverse of `question`."""
    secret, rest = divmod(question, BLOCK)
    if rest == 0:
        return secret, 0, 0
    return secret, 1 + (rest - 1) % 4, (rest - 1) // 4


def relation(question: int, fact: int) -> int:
    """What a question is to a fact: `ELSEWHERE`, `ABOUT`, `NAMED` or `SECOND`."""
    secret, form, value = parts(question)
    if fact // VALUES != secret:
        return ELSEWHERE
    if form == 0:
        return ABOUT
    if fact % VALUES == value:
        return NAMED
    is_second = FORMS[form] == "either" and fact % VALUES == (value + 1) % VALUES
    return SECOND if is_second else ABOUT


@cache
def relations(secrets: int) -> NDArray[np.intp]:
    """`relation` of every question to every fact, int64 [Q, F], read-only."""
    table = np.array(
        [[relation(q, f) for f in range(VALUES * secrets)] for q in range(BLOCK * secrets)]
    )
    table.setflags(write=False)
    return table


def prior(facts: NDArray[np.bool_], weights: Sequence[float] | Floats = WEIGHTS) -> Floats:
    """P(manner, fact) before anything is said, float64 [M, F], sums to 1.

    Args:
        facts: which facts may be the hidden one, bool [F]; all are as likely. In mode A it is one.
        weights: P(manner), float64 [M].
    """
    return np.outer(weights, facts / facts.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """A seeker's position, before its move.

    With several hidden facts it is about the next one to leak.

    Attributes:
        joint: P(manner, fact), float64 [M, F], sums to 1.
        turn: the current turn, from 1 to `max_turns`.
        max_turns: turns a side.
        packed: what `pack` made of the manners; by default that of `MANNERS`.
    """

    joint: Floats
    turn: int = 1
    max_turns: int = MAX_TURNS
    packed: Floats | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.turn <= self.max_turns:
            raise ValueError(f"turn {self.turn} is not between 1 and {self.max_turns}")
        check(self.joint, self.table)

    @property
    def table(self) -> Floats:
        """The packed table, float64 [M, 5, R, A + 1]."""
        return packaged() if self.packed is None else self.packed

    @property
    def turns(self) -> int:
        """Turns that are left, the current one included."""
        return self.max_turns - self.turn + 1


def check(joint: Floats, packed: Floats) -> None:
    """Refuse a belief that does not fit its table.

    Raises:
        ValueError: if they differ in manners, or the facts are not whole secrets.
    """
    if joint.shape[-2] != len(packed) or joint.shape[-1] % VALUES:
        raise ValueError(
            f"joint belief {joint.shape} is not [manners, facts] for {len(packed)} manners and "
            f"secrets of {VALUES} values"
        )


def update(joint: Floats, packed: Floats, question: int, act: int, told: int = -1) -> Floats:
    """The joint belief after an act that was no leak, float64 [M, F], sums to 1.

    Args:
        joint: float64 [M, F].
        packed: float64 [M, 5, R, A + 1].
        question: index of the question.
        act: index of the act.
        told: index of the secret that the words are about, if they tell ("partial"); else -1.
    """
    n = joint.shape[1]
    _, form, _ = parts(question)
    likely = packed[:, form, relations(n // VALUES)[question], act]
    if told >= 0:
        likely = np.where(np.arange(n) // VALUES == told, likely, FLOOR)
    after = joint * likely
    return np.asarray(after / after.sum())


def entropy(joint: Floats) -> float:
    """Entropy of the fact in bits, 0 to log2(F)."""
    return float(-_plogp(joint.sum(axis=0)).sum())


def act_leaks(joint: Floats, question: int) -> Floats:
    """Probability that each act would be a leak as an answer, float64 [A], 0 to 1.

    To a seeker this is a matter of belief; for one who knows the fact it is 0 or 1, exactly.

    Args:
        joint: float64 [M, F].
        question: index of the question.
    """
    _, leaks = decisions()
    _, form, _ = parts(question)
    related = relations(joint.shape[1] // VALUES)[question]
    return np.asarray(joint.sum(axis=0) @ leaks[form, related].astype(float))


def hazards(joint: Floats, packed: Floats) -> Floats:
    """Probability that the answer to each question will be a leak, float64 [Q], 0 to 1.

    Args:
        joint: float64 [M, F], or a batch [B, M, F].
        packed: float64 [M, 5, R, A + 1].

    Returns:
        float64 [Q], or [B, Q].
    """
    check(joint, packed)
    related = relations(joint.shape[-1] // VALUES)
    forms = np.array([parts(q)[1] for q in range(len(related))])
    leaking = packed[:, forms[:, None], related, LEAK]
    return np.asarray(np.tensordot(joint, leaking, axes=((-2, -1), (0, 2))))


def information_gain(joint: Floats, packed: Floats) -> Floats:
    """Expected information about the fact in the answer to each question, in bits.

    A leak tells all, an act of `PARTIAL` the secret.

    Args:
        joint: float64 [M, F], or a batch [B, M, F].
        packed: float64 [M, 5, R, A + 1].

    Returns:
        float64 [Q], or [B, Q]; from 0 to the entropy.
    """
    check(joint, packed)
    if joint.ndim == 3:
        return np.stack([information_gain(one, packed) for one in joint])
    table = relations(joint.shape[1] // VALUES)
    return np.array([_gain(joint, packed, q, related) for q, related in enumerate(table)])


def _gain(joint: Floats, packed: Floats, question: int, related: NDArray[np.intp]) -> float:
    _, form, _ = parts(question)
    said = np.einsum("mf,mfa->fa", joint, packed[:, form, related, : PARTIAL + 1])
    partial = said[:, PARTIAL].reshape(-1, VALUES).sum(axis=1)
    heard = np.concatenate([said[:, :PARTIAL].sum(axis=0), partial])
    left = _plogp(heard).sum() - _plogp(said).sum()
    return entropy(joint) - float(left)


def horizon_value(joint: Floats, packed: Floats, turns: int) -> float:
    """Estimate of the probability of a leak within some turns, 0 to 1, without looking ahead.

    Each manner has a hazard, that of the form of question which most often makes it leak the fact
    it names, and a discernment, how well its answers to that form tell the fact from other
    secrets (total variation). As far as they tell, the seeker goes through the secrets and then
    the values, the likelier first, a turn for each, and presses the fact for the rest of the
    turns; as far as they do not, it spreads its turns over the facts, each to where it adds most.

    Args:
        joint: float64 [M, F].
        packed: float64 [M, 5, R, A + 1].
        turns: turns left, 0 or more.
    """
    belief = joint.sum(axis=0)
    weights = joint.sum(axis=1)
    hazard = packed[:, :, NAMED, LEAK].max(axis=1)
    form = packed[:, :, NAMED, LEAK].argmax(axis=1)
    rows = packed[np.arange(len(packed)), form]
    discernment = np.abs(rows[:, ELSEWHERE] - rows[:, NAMED]).sum(axis=1) / 2
    pressed = np.maximum(0, turns - _search(belief))
    spread = _spread(belief, float(weights @ hazard), turns)
    kept = 1 - hazard[:, None]
    found = discernment[:, None]
    leaked = found * (1 - kept**pressed) + (1 - found) * (1 - kept**spread)
    return float((joint * leaked).sum())


def _search(belief: Floats) -> NDArray[np.intp]:
    """Turns that it takes to come to each fact, int64 [F]."""
    facts = belief.reshape(-1, VALUES)
    return (_ranks(facts.sum(axis=1))[:, None] + np.stack([_ranks(row) for row in facts])).ravel()


def _ranks(p: Floats) -> NDArray[np.intp]:
    order = np.argsort(-rounded(p), kind="stable")
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(p))
    return ranks


def _spread(belief: Floats, hazard: float, turns: int) -> NDArray[np.intp]:
    """How often each fact is pressed if the facts cannot be told apart, int64 [F]."""
    times = np.zeros(len(belief), np.intp)
    left = belief.copy()
    for _ in range(turns):
        fact = int(rounded(left).argmax())
        times[fact] += 1
        left[fact] *= 1 - hazard
    return times


def position_value(position: Position, depth: int = 1, width: int = 8) -> float:
    """Probability that the seeker gets a leak in the turns left, by bounded lookahead, 0 to 1.

    The seeker takes the best of the `width` questions whose hazard and information gain (in bits)
    add up to most; the holder acts by its manner. After `depth` questions `horizon_value` stands
    for the rest.

    Args:
        position: the position.
        depth: questions to look ahead, 0 or more.
        width: questions to consider at each step, 1 or more.

    Raises:
        ValueError: if `depth` or `width` is out of its range.
    """
    check_search(depth, width)
    return _look(position.joint, position.table, position.turns, depth, width)[0]


def best_action(position: Position, depth: int = 1, width: int = 8) -> int:
    """The seeker's menu index that bounded lookahead values most.

    Among questions of the same worth it takes the one with more hazard and gain, then the lower
    index; with depth 0 that alone decides.
    """
    check_search(depth, width)
    joint, packed = position.joint, position.table
    if depth == 0:
        return int(promise(joint, packed).argmax())
    return _look(joint, packed, position.turns, depth, width)[1]


def promise(joint: Floats, packed: Floats) -> Floats:
    """Hazard plus information gain in bits of every question, float64 [Q], to the nearest tie."""
    return rounded(hazards(joint, packed) + information_gain(joint, packed))


def evaluate_batch(positions: Sequence[Position]) -> list[dict[str, float]]:
    """Score of each role in each position: 2 P(leak) - 1 for the seeker, -1 to 1."""
    values = [2 * position_value(position) - 1 for position in positions]
    return [{"seeker": value, "holder": -value} for value in values]


def _look(joint: Floats, packed: Floats, turns: int, depth: int, width: int) -> tuple[float, int]:
    if turns == 0:
        return 0.0, -1
    if depth == 0:
        return horizon_value(joint, packed, turns), -1
    best, best_question = -np.inf, -1
    leaking = hazards(joint, packed)
    related = relations(joint.shape[1] // VALUES)
    for question in np.argsort(-promise(joint, packed), kind="stable")[:width]:
        value = float(leaking[question])
        _, form, _ = parts(int(question))
        for act in range(PARTIAL + 1):
            p = float((joint * packed[:, form, related[question], act]).sum())
            if p > NEGLIGIBLE:
                child = update(joint, packed, int(question), act)
                value += p * _look(child, packed, turns - 1, depth - 1, width)[0]
        if value > best + TIE:
            best, best_question = value, int(question)
    return best, best_question


def rounded(p: Floats) -> Floats:
    """Numbers to the nearest multiple of `TIE`."""
    return np.asarray(np.floor(p / TIE + 0.5) * TIE)


def _plogp(p: Floats) -> Floats:
    return np.asarray(p * np.log2(np.where(p > 0, p, 1.0)))
