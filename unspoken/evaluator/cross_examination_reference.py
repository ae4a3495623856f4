"""What the numbers of the cross-examination's evaluator mean, in plain Python.

Every function of `unspoken.evaluator.cross_examination` is here under the same name and equal to
1e-9, written to be read; that module is the one to call. Sources: SDA 4.5 (labels and scores,
through `rules` and `jury`); the model of the players is ours.

There are F facts with 2F stances: stance 2i is the contrary of fact i, 2i + 1 the fact. E exhibits
are or may be held by the questioner. What a confrontation rests on is a ground: ground e is
exhibit e, ground E + s an answer that put stance s on record; there are G = E + 2F. A question is
a form, a fact and a ground (-1 for none); there are 3F in the questioner's menu. The witness has
16 answers, index 4 content + manner.

A tally is what the witness has at the end, over the number of its answers: of BaT - PaT, its
standing, where the jury goes by the score; of the outcome model's log-odds, without the
intercept, where it goes by the model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.cross_examination.cases import CONTENTS, MANNERS, Case, Stance
from unspoken.envs.cross_examination.jury import (
    BAT,
    COMMITMENTS,
    INTERCEPT,
    JURIES,
    PAT,
    THRESHOLD,
    Commitment,
    Jury,
    Label,
    bat,
    pat,
)
from unspoken.envs.cross_examination.rules import FORMS, MAX_TURNS, Examination
from unspoken.evaluator.bounds import check_search

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

AFFIRM, DENY, PARTIAL, NONE = range(len(CONTENTS))
CLEAR, VAGUE, OFF_POINT, HEDGED = range(len(MANNERS))
OPEN, LEADING, IMPEACHMENT = range(len(FORMS))
BENEFICIAL, NEUTRAL, EMPTY, DETRIMENTAL = range(len(COMMITMENTS))
MAXIMS = ("rel", "man", "qual", "const")

# Numba's cache does not see changes of these: touch cross_examination.py after one.
RATIONALITY = 3.0
"""How much likelier a move is for each point that it gains, as the exponent of e."""
HABIT = 0.2
"""How readily a stranger violates a maxim, where it gains or loses nothing by that."""
LATER = 0.09
"""Points that each pair of answers to come costs by clashing; measured between built-in players."""
SPREAD = 0.9
"""Deviation of what an answer brings from what was expected of it, in points; measured likewise."""
TIE = 1e-9
"""Numbers nearer than this are the same, whatever the order of summation."""


class Facts(NamedTuple):
    """What stays the same in a game.

    Attributes:
        helpful: 1 where to affirm a fact helps the witness, -1 where it hurts, else 0, int8 [F].
        topics: place of each fact's topic, int64 [F], from 0 to T - 1.
        parts: whether a part can be told, bool [F].
        conflicts: whether two stances contradict each other, bool [2F, 2F].
        proofs: the stance that each exhibit proves, int64 [E].
    """

    helpful: NDArray[np.int8]
    topics: NDArray[np.int64]
    parts: Flags
    conflicts: Flags
    proofs: NDArray[np.int64]


class Record(NamedTuple):
    """What has come of a game so far.

    Attributes:
        said: 1 where the witness stands by a fact, -1 by its contrary, else 0, int8 [F].
        told: 1 where it told a part when it was asked openly, 2 when it was led, else 0, int8 [F].
        raised: whether there was a question on a topic, bool [T].
        known: which stances everybody knows, what follows by links apart, bool [2F].
        held: probability that the questioner holds an exhibit, float64 [E]; 1 once it is shown.
        spent: confrontations that were answered, bool [F, G].
        sums: the sums of BaT and of PaT, float64 [2].
    """

    said: NDArray[np.int8]
    told: NDArray[np.int8]
    raised: Flags
    known: Flags
    held: Floats
    spent: Flags
    sums: Floats


class Asked(NamedTuple):
    """A question as the evaluator numbers it.

    Attributes:
        form: `OPEN`, `LEADING` or `IMPEACHMENT`.
        fact: place of the fact; -1 for words that are about none.
        ground: what it confronts the witness with, 0 to G - 1, or -1.
    """

    form: int
    fact: int
    ground: int = -1


class Terms(NamedTuple):
    """What a game is about and who plays it.

    Attributes:
        max_turns: questions at most.
        gain: what a point of BaT counts for the jury.
        loss: what a point of PaT counts against the witness.
        odds: how readily the witness violates each maxim, as odds, float64 [4].
        manners: `manners` of each commitment, for contents that are not unclear by themselves and
            for those that are, float64 [4, 2, 4].
        ease: how readily each is said, float64 [4, 2].
    """

    max_turns: int
    gain: float
    loss: float
    odds: Floats
    manners: Floats
    ease: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """A position, before a question or before an answer, as one of the players sees it.

    Attributes:
        facts: what stays the same.
        record: what has come of the game.
        question: the question under discussion; None where the questioner is to ask.
        turns: answers so far.
        max_turns: questions at most.
        jury: who decides, "score" or "model".
        threshold: the standing from which on "score" believes the witness.
        habits: how readily the witness violates each of `MAXIMS` where it gains or loses nothing
            by that, probabilities between 0 and 1, float64 [4]; None for a stranger's.

    Raises:
        ValueError: if these do not fit each other; names what does not.
    """

    facts: Facts
    record: Record
    question: Asked | None = None
    turns: int = 0
    max_turns: int = MAX_TURNS
    jury: Jury = "score"
    threshold: float = THRESHOLD
    habits: Floats | None = None

    def __post_init__(self) -> None:
        n, e = len(self.facts.helpful), len(self.facts.proofs)
        shapes = {
            "conflicts": (self.facts.conflicts, (2 * n, 2 * n)),
            "said": (self.record.said, (n,)),
            "held": (self.record.held, (e,)),
            "spent": (self.record.spent, (n, e + 2 * n)),
        }
        for name, (array, wanted) in shapes.items():
            if array.shape != wanted:
                raise ValueError(f"{name} has the shape {array.shape}: {wanted} here")
        if not 0 <= self.turns <= self.max_turns - (self.question is not None):
            raise ValueError(f"turns={self.turns} leaves no turn of {self.max_turns} to answer in")
        if self.jury not in JURIES:
            raise ValueError(f"jury={self.jury!r} does not exist; choose from {list(JURIES)}")
        if self.habits is not None and not (
            self.habits.shape == (len(MAXIMS),) and ((self.habits > 0) & (self.habits < 1)).all()
        ):
            raise ValueError(f"habits={self.habits}: four probabilities above 0 and below 1")

    @property
    def terms(self) -> Terms:
        """What the game is about and who plays it."""
        gain, loss = (1.0, 1.0) if self.jury == "score" else (BAT, -PAT)
        habits = np.full(len(MAXIMS), HABIT) if self.habits is None else self.habits
        odds = habits / (1 - habits)
        cells = [
            [manners(odds, gain, loss, made, pressed) for pressed in (False, True)]
            for made in COMMITMENTS
        ]
        how, ease = (np.array([[cell[k] for cell in row] for row in cells]) for k in (0, 1))
        return Terms(self.max_turns, gain, loss, odds, how, ease)


def manners(
    odds: Floats, gain: float, loss: float, commitment: Commitment, pressed: bool
) -> tuple[Floats, float]:
    """How a witness says something.

    A manner is the likelier, the more it brings and the more readily the witness violates what it
    violates. The ways to be unclear share its readiness for that.

    Args:
        odds: how readily it violates each maxim, float64 [4].
        gain: what a point of BaT counts.
        loss: what a point of PaT counts.
        commitment: what it says does for its goal.
        pressed: whether that is unclear by itself.

    Returns:
        P(manner), float64 [4], and how readily the witness says this at all, beside what it leads
        to: the sum of what makes the manners likely, over e to the power of what they bring.
    """
    ways = 3 if pressed else 2
    weights, nets = np.ones(len(MANNERS)), np.zeros(len(MANNERS))
    for manner in range(len(MANNERS)):
        rel, unclear = manner == OFF_POINT, manner in (VAGUE, HEDGED)
        man = pressed or unclear
        weights[manner] = (odds[0] if rel else 1) * (odds[1] if man else 1)
        weights[manner] /= ways if man and not rel else 1
        nets[manner] = gain * bat(commitment, rel, man, False) - loss * pat(
            commitment, rel, man, False, False, 0.0
        )
    likely = weights * np.exp(RATIONALITY * nets)
    how = likely / likely.sum()
    return how, float(likely.sum() * np.exp(-RATIONALITY * (how @ nets)))


def stance_of(fact: int, said: int) -> int:
    """Index of the stance of what was said of a fact."""
    return 2 * fact + (said > 0)


def position_of(
    game: Examination,
    held: Sequence[float] | None = None,
    *,
    jury: Jury = "score",
    threshold: float = THRESHOLD,
    habits: Floats | None = None,
) -> Position:
    """The position that a game of the rules is in.

    Args:
        game: the game, as far as a player knows it: its case's exhibits are those that the
            questioner may hold, shown ones included.
        held: probability that it holds each of them, 0 to 1; `game.exhibits` are held if None.
        jury: as in `Position`.
        threshold: as in `Position`.
        habits: as in `Position`.
    """
    case = game.case
    facts, n, e = facts_of(case), len(case.facts), len(case.exhibits)
    said = np.zeros(n, np.int8)
    for stance in game.record:
        said[stance.fact] = 1 if stance.value else -1
    told = np.zeros(n, np.int8)
    for turn in game.turns:
        fact = turn.question.fact
        if fact is not None and turn.content == "partial":
            told[fact] = max(int(told[fact]), 1 if turn.question.form == "open" else 2)
    known = np.zeros(2 * n, np.bool_)
    known[[stance.place for stance in game.known]] = True
    probability = np.isin(np.arange(e), game.exhibits) if held is None else held
    spent = np.zeros((n, e + 2 * n), np.bool_)
    for fact, exhibit, stance in game.spent:
        spent[fact, _ground(exhibit, stance, e)] = True
    question = None
    if game.to_move == "witness" and game.question is not None:
        form, fact, ground = game.question
        rests = _ground(ground.exhibit, ground.stance, e) if ground else -1
        question = Asked(FORMS.index(form), -1 if fact is None else fact, rests)
    record = Record(
        said,
        told,
        np.array([topic.id in game.raised for topic in case.topics]),
        known,
        np.array(probability, np.float64),
        spent,
        np.array([game.account.sum_bat, game.account.sum_pat]),
    )
    turns, most = len(game.turns), game.max_turns
    return Position(facts, record, question, turns, most, jury, threshold, habits)


def facts_of(case: Case) -> Facts:
    """A case as the evaluator numbers it; its exhibits are those that may be held."""
    signs = {True: 1, False: -1, None: 0}
    ids = [topic.id for topic in case.topics]
    return Facts(
        np.array([signs[case.helpful(i)] for i in range(len(case.facts))], np.int8),
        np.array([ids.index(fact.topic) for fact in case.facts], np.int64),
        np.array([bool(fact.part) for fact in case.facts], np.bool_),
        case.conflicts,
        np.array([exhibit.proof.place for exhibit in case.exhibits], np.int64),
    )


def _ground(exhibit: int, stance: Stance, exhibits: int) -> int:
    return exhibit if exhibit >= 0 else exhibits + stance.place


# What the rules say -----------------------------------------------------------------------------


def questions(facts: Facts, record: Record) -> list[tuple[Asked, float]]:
    """What can be asked, in order of facts and forms, and how probably the questioner can."""
    found = []
    for i, said in enumerate(record.said):
        if not said and record.told[i] == 0:
            found.append((Asked(OPEN, i), 1.0))
        if not said and record.told[i] < 2 and record.raised[facts.topics[i]]:
            found.append((Asked(LEADING, i), 1.0))
        if said:
            found += [(Asked(IMPEACHMENT, i, g), p) for g, p in _grounds(facts, record, i)]
    return found


def _grounds(facts: Facts, record: Record, fact: int) -> list[tuple[int, float]]:
    """What a confrontation on a fact can rest on, and how probably it is the first such thing."""
    contrary = facts.conflicts[stance_of(fact, record.said[fact])]
    found, left = [], 1.0
    for e, proof in enumerate(facts.proofs):
        if contrary[proof] and not record.spent[fact, e] and left * record.held[e] > 0:
            found.append((e, left * float(record.held[e])))
            left *= 1 - float(record.held[e])
    for other in np.flatnonzero(record.said):
        s = stance_of(int(other), record.said[other])
        ground = len(facts.proofs) + s
        if contrary[s] and not record.spent[fact, ground] and left > 0:
            return [*found, (ground, left)]
    return found


def asking(facts: Facts, record: Record, asked: Asked) -> Record:
    """The record when a question has been asked: an exhibit that it rests on is shown."""
    if not 0 <= asked.ground < len(facts.proofs):
        return record
    held, known = record.held.copy(), record.known.copy()
    held[asked.ground] = 1
    known[facts.proofs[asked.ground]] = True
    return record._replace(held=held, known=known)


def answering(facts: Facts, record: Record, asked: Asked, content: int) -> Record:
    """The record when a question has been answered, but for the sums."""
    if asked.fact < 0:
        return record
    i = asked.fact
    said, told, raised = record.said.copy(), record.told.copy(), record.raised.copy()
    spent = record.spent.copy()
    raised[facts.topics[i]] = True
    if content in (AFFIRM, DENY):
        said[i] = 1 if content == AFFIRM else -1
    elif content == PARTIAL:
        told[i] = max(int(told[i]), 1 if asked.form == OPEN else 2)
    if asked.ground >= 0 and content != NONE:
        spent[i, asked.ground] = True
    return record._replace(said=said, told=told, raised=raised, spent=spent)


def answerable(facts: Facts, asked: Asked, content: int) -> bool:
    """Whether a content can answer a question."""
    if content != PARTIAL:
        return True
    return asked.fact >= 0 and bool(facts.parts[asked.fact]) and asked.form != IMPEACHMENT


def label(facts: Facts, record: Record, asked: Asked, content: int, manner: int) -> Label:
    """What the rules make of an answer; `record` is that after `asking`."""
    rel, man = manner == OFF_POINT, manner in (VAGUE, HEDGED)
    if content == NONE:
        return Label("none", rel, man)
    if content == PARTIAL or asked.fact < 0:
        return Label("neutral", rel, man or (content == PARTIAL and asked.form != OPEN))
    value = 1 if content == AFFIRM else -1
    against = facts.conflicts[:, stance_of(asked.fact, value)]
    recorded = [stance_of(i, v) for i, v in enumerate(record.said) if v]
    qual, const = bool(against[record.known].any()), bool(against[recorded].any())
    served = value * facts.helpful[asked.fact]
    code = EMPTY if qual else {1: BENEFICIAL, 0: NEUTRAL, -1: DETRIMENTAL}[int(served)]
    return Label(COMMITMENTS[code], rel, man, qual, const)


def scores(made: Label, sum_bat: float) -> tuple[float, float]:
    """BaT and PaT of an answer; `sum_bat` is that of the answers before."""
    benefit = bat(*made[:4])
    return benefit, pat(*made, sum_bat + benefit)


# What it is worth -------------------------------------------------------------------------------


def tally(terms: Terms, record: Record, turns: float, more: float = 0.0) -> float:
    """What the sums come to over some answers, with some more points; 0 over none."""
    net = terms.gain * record.sums[0] - terms.loss * record.sums[1] + more
    return float(net / turns) if turns > 0 else 0.0


def ease(facts: Facts, record: Record, terms: Terms, asked: Asked) -> float:
    """What the content that pays most at once brings, in points, as the witness says things."""
    record = asking(facts, record, asked)
    return max(
        float(_said(facts, record, terms, asked, content)[1] @ (terms.gain, -terms.loss))
        for content in range(len(CONTENTS))
        if answerable(facts, asked, content)
    )


def horizon(facts: Facts, record: Record, terms: Terms, turns: int) -> float:
    """Estimate of the final tally without looking ahead.

    The questioner goes on with what is least easy for the witness, which says what pays most at
    once. Of a fact's open and leading question only the less easy one counts; a confrontation
    counts as far as it is probable. What confrontations the answers to come make possible is
    not looked at; it costs `LATER` a pair.
    """
    kept: dict[int, float] = {}
    found: list[tuple[float, float]] = []
    for asked, probability in questions(facts, record):
        worth = ease(facts, record, terms, asked)
        if asked.form == IMPEACHMENT:
            found.append((worth, probability))
        else:
            kept[asked.fact] = min(worth, kept.get(asked.fact, math.inf))
    found += [(worth, 1.0) for worth in kept.values()]
    left, more = float(terms.max_turns - turns), 0.0
    for worth, probability in sorted(found):
        taken = min(probability, left)
        more += taken * worth
        left -= taken
    taken = terms.max_turns - turns - left
    more -= terms.loss * LATER * taken * max(0.0, taken - 1) / 2
    return tally(terms, record, turns + taken, more)


def position_value(position: Position, depth: int = 1, width: int = 8) -> float:
    """How a position stands for the witness, -1 to 1.

    Twice the probability that the jury believes it, less 1. With the jury "score" the final
    standing is taken to be spread around what is expected of it, by `SPREAD` for the root of the
    answers that are left.

    Args:
        position: the position.
        depth: questions to look ahead, 0 or more; one under discussion comes on top.
        width: questions to consider at each step, 1 or more.

    Raises:
        ValueError: if `depth` or `width` is out of its range.
    """
    check_search(depth, width)
    facts, record, terms, asked = _parts(position)
    if asked is None:
        value = _look(facts, record, terms, position.turns, depth, width)
    else:
        value = _reply(facts, record, terms, asked, position.turns, depth + 1, width)
    over = asked is None and not questions(facts, record)
    return verdict(position, value, 0 if over else position.max_turns - position.turns)


def verdict(position: Position, value: float, left: int) -> float:
    """The score of the witness, -1 to 1, where a final tally is expected and answers are left."""
    if position.jury == "model":
        return 2 / (1 + math.exp(-(INTERCEPT + value))) - 1
    above = round(min(1.0, max(-1.0, value)), 9) - position.threshold
    if left == 0:
        return 1.0 if above >= 0 else -1.0
    return math.erf(above * position.max_turns / (SPREAD * math.sqrt(2 * left)))


def question_values(position: Position, depth: int = 2, width: int = 8) -> Floats:
    """The final tally to be expected after each question; the questioner wants the least.

    Args:
        position: the position; a question under discussion does not count.
        depth: questions to look ahead, these included; 1 or more.
        width: questions to consider at each further step, 1 or more.

    Returns:
        float64 [3F], the questioner's menu; NaN where a question cannot be asked. Where it is
        not sure what a confrontation would rest on, the mean over what it may be.

    Raises:
        ValueError: if `depth` or `width` is out of its range.
    """
    check_search(depth - 1, width)
    facts, record, terms, _ = _parts(position)
    sums, weights = np.zeros((2, len(FORMS) * len(facts.helpful)))
    if position.turns < position.max_turns:
        for asked, probability in questions(facts, record):
            after = asking(facts, record, asked)
            place = len(FORMS) * asked.fact + asked.form
            value = _reply(facts, after, terms, asked, position.turns, depth, width)
            sums[place] += probability * value
            weights[place] += probability
    return np.where(weights > 0, sums / np.where(weights > 0, weights, 1), np.nan)


def answer_values(position: Position, depth: int = 2, width: int = 8) -> Floats:
    """The final tally to be expected after each answer; the witness wants the most.

    Args:
        position: the position, with a question under discussion.
        depth: further questions to look ahead, 0 or more.
        width: questions to consider at each step, 1 or more.

    Returns:
        float64 [16], the witness's menu; NaN where an answer cannot be given.

    Raises:
        ValueError: if `depth` or `width` is out of its range, or no question is asked.
    """
    check_search(depth, width)
    facts, record, terms, asked = _parts(position)
    if asked is None:
        raise ValueError("the position has no question under discussion: nothing can be answered")
    values = np.full((len(CONTENTS), len(MANNERS)), np.nan)
    for content in range(len(CONTENTS)):
        for manner in range(len(MANNERS)):
            if answerable(facts, asked, content):
                made = label(facts, record, asked, content, manner)
                after = answering(facts, record, asked, content)._replace(
                    sums=record.sums + scores(made, float(record.sums[0]))
                )
                turns = position.turns + 1
                values[content, manner] = _look(facts, after, terms, turns, depth, width)
    return values.ravel()


def best_question(position: Position, depth: int = 2, width: int = 8) -> int:
    """The index of the questioner's menu after which the tally is least; the first of those."""
    return int(np.nanargmin(rounded(question_values(position, depth, width))))


def best_answer(position: Position, depth: int = 2, width: int = 8) -> int:
    """The index of the witness's menu after which the tally is most; the first of those."""
    return int(np.nanargmax(rounded(answer_values(position, depth, width))))


def evaluate_batch(positions: Sequence[Position]) -> list[dict[str, float]]:
    """Score of each role in each position: `position_value` for the witness, -1 to 1."""
    values = [position_value(position) for position in positions]
    return [{"questioner": -value, "witness": value} for value in values]


def _parts(position: Position) -> tuple[Facts, Record, Terms, Asked | None]:
    return position.facts, position.record, position.terms, position.question


def _look(facts: Facts, record: Record, terms: Terms, turns: int, depth: int, width: int) -> float:
    """The expected final tally where the questioner is to ask.

    Of the questions that are least easy, as many as `width` probably can be asked of, it takes
    the likelier the one after which the tally is less.
    """
    found = questions(facts, record) if turns < terms.max_turns else []
    if depth == 0 or not found:
        return horizon(facts, record, terms, turns)
    eases = [rounded(ease(facts, record, terms, asked)) for asked, _ in found]
    values: list[float] = []
    probabilities: list[float] = []
    for k in np.argsort(eases, kind="stable"):
        asked, probability = found[k]
        if sum(probabilities) > width - TIE:
            break
        after = asking(facts, record, asked)
        values.append(_reply(facts, after, terms, asked, turns, depth, width))
        probabilities.append(probability)
    return _choice(values, probabilities, terms)


def _choice(values: Sequence[float], probabilities: Sequence[float], terms: Terms) -> float:
    """Mean of the final tallies after some questions, each of which perhaps cannot be asked.

    The questioner goes through them, the least tally first, and takes one that it can ask as
    probably as logit quantal response has it among those that follow, as far as they can be
    asked. Where all can be asked that is logit quantal response.
    """
    likely = np.exp(-RATIONALITY * terms.max_turns * (np.array(values) - min(values)))
    total, mean, left = 0.0, 0.0, 1.0
    for n, k in enumerate(order := np.argsort(rounded(np.array(values)), kind="stable")):
        rest = sum(probabilities[j] * likely[j] for j in order[n + 1 :])
        taken = left * probabilities[k] * likely[k] / (likely[k] + rest)
        total, mean, left = total + taken, mean + taken * values[k], left - taken
    return mean / total


def _reply(
    facts: Facts, record: Record, terms: Terms, asked: Asked, turns: int, depth: int, width: int
) -> float:
    """The expected final tally where the witness is to answer.

    Its contents are considered one by one, and each with the mean of its manners. An answer is
    the likelier, the more it brings, and the more readily the witness violates what it violates.
    """
    likely, values = [], []
    for content in range(len(CONTENTS)):
        if answerable(facts, asked, content):
            likelihood, means = _said(facts, record, terms, asked, content)
            after = answering(facts, record, asked, content)._replace(sums=record.sums + means)
            likely.append(likelihood)
            values.append(_look(facts, after, terms, turns + 1, depth - 1, width))
    goals = np.array(values)
    weights = likely * np.exp(RATIONALITY * terms.max_turns * (goals - goals.max()))
    return float(weights @ goals / weights.sum())


def _said(
    facts: Facts, record: Record, terms: Terms, asked: Asked, content: int
) -> tuple[float, Floats]:
    """How readily a content is said, beside what it leads to, and its mean BaT and PaT."""
    made = [label(facts, record, asked, content, manner) for manner in range(len(MANNERS))]
    clear = made[CLEAR]
    place = COMMITMENTS.index(clear.commitment), int(clear.man)
    odds = terms.odds[2:][[clear.qual, clear.const]].prod()
    pairs = np.array([scores(given, float(record.sums[0])) for given in made])
    return float(terms.ease[place] * odds), terms.manners[place] @ pairs


def rounded(values: Floats | float) -> Floats:
    """Numbers to the nearest multiple of `TIE`."""
    return np.asarray(np.floor(np.asarray(values) / TIE + 0.5) * TIE)
