"""The cross-examination for many lanes at once, compiled: moves, masks, scores and features.

Nothing is checked here but legality; `batch` is the module to use. B is the number of lanes, C of
cases, F, E and T of the most facts, exhibits and topics of a case, G = E + 2F of grounds, A of
actions. Stances and grounds are numbered as in `unspoken.evaluator.cross_examination_reference`,
with the F and E of the longest case. A lane plays one game after another with one generator.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.cross_examination.features import A_FACT, WHOLE
from unspoken.envs.cross_examination.jury import BAT, INTERCEPT, PAT
from unspoken.envs.generators import GOLDEN, Lanes, integers, mixed, permutation, random
from unspoken.evaluator.cross_examination import labelled, scored
from unspoken.evaluator.cross_examination_reference import (
    AFFIRM,
    DENY,
    HEDGED,
    IMPEACHMENT,
    LEADING,
    NONE,
    OFF_POINT,
    OPEN,
    PARTIAL,
    VAGUE,
)
from unspoken.kernels import kernel

NOT_OVER, BELIEVED, DISCREDITED = range(-1, 2)
ASKING, ANSWERING, WAITING = range(3)
"""Who moves, and whose mask is shown; or a lane that waits for a new game."""

_FORMS = IMPEACHMENT + 1
_MANNERS = HEDGED + 1
_PLACES = 1e9  # a standing is rounded to so many parts, as `jury.Account.standing` is

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Whole = NDArray[np.int64]


class Rules(NamedTuple):
    """What all lanes share; read-only. Cases that are smaller than the arrays fill their beginning.

    Attributes:
        max_turns: questions at most, N.
        exhibits: how many the questioner holds at most.
        by_model: whether the jury is drawn by the outcome model.
        threshold: the standing from which on it believes the witness, where it goes by the score.
        by_standing: whether the standing is paid, not the outcome.
        facts: how many there are, int64 [C].
        helpful: as in the evaluator's `Facts`, as the next four, int8 [C, F].
        topics: int64 [C, F].
        parts: bool [C, F].
        conflicts: bool [C, 2F, 2F].
        proofs: int64 [C, E].
        held: how many exhibits there are, int64 [C].
        refuted: which stances everybody knows to be false from the start, bool [C, 2F].
        truth: 1 for what is so, else -1, int8 [C, F].
    """

    max_turns: int
    exhibits: int
    by_model: bool
    threshold: float
    by_standing: bool
    facts: Whole
    helpful: NDArray[np.int8]
    topics: Whole
    parts: Flags
    conflicts: Flags
    proofs: Whole
    held: Whole
    refuted: Flags
    truth: NDArray[np.int8]


class State(NamedTuple):
    """The lanes.

    Attributes:
        generators: uint64 [B, 6], see `unspoken.envs.generators`.
        games: games dealt since the lane was seeded, int64 [B].
        keys: what the draws of random moves are counted from, uint64 [B].
        cases: int64 [B].
        held: whether the questioner holds an exhibit, bool [B, E].
        said: 1 where the witness stands by a fact, -1 by its contrary, else 0, int8 [B, F].
        told: 1 where it told a part when it was asked openly, 2 when it was led, int8 [B, F].
        raised: whether a question on a topic was answered, bool [B, T].
        refuted: which stances the jury knows to be false, bool [B, 2F].
        opposed: which stances contradict what the witness stands by, bool [B, 2F].
        spent: confrontations that were answered, bool [B, F, G].
        grounds: what each fact can be confronted with next, int64 [B, F]; -1 for nothing.
        asked: form and fact under discussion, int64 [B, 2]; stale before the first.
        turns: answers in the game so far, int64 [B].
        sums: the sums of BaT and of PaT, float64 [B, 2].
        scores: BaT and PaT of the last step's answer, float64 [B, 2]; 0 where it was none.
        standing: float64 [B].
        shown: who moves, int8 [B].
        masks: int8 [B, A].
        rewards: of the last step, float64 [B, 2]: questioner, witness.
        ending: of the game that the last step ended, int8 [B]; NOT_OVER if it ended none.
        ended_turns: answers in the lane's last finished game, int64 [B].
        ended_standing: the standing at its end, float64 [B].
        questions: asked in turn t at [:, t - 1], int16 [B, N]; what is further on is stale.
        answers: answered, int8 [B, N], likewise.
    """

    generators: Lanes
    games: Whole
    keys: NDArray[np.uint64]
    cases: Whole
    held: Flags
    said: NDArray[np.int8]
    told: NDArray[np.int8]
    raised: Flags
    refuted: Flags
    opposed: Flags
    spent: Flags
    grounds: Whole
    asked: Whole
    turns: Whole
    sums: Floats
    scores: Floats
    standing: Floats
    shown: NDArray[np.int8]
    masks: NDArray[np.int8]
    rewards: Floats
    ending: NDArray[np.int8]
    ended_turns: Whole
    ended_standing: Floats
    questions: NDArray[np.int16]
    answers: NDArray[np.int8]


@kernel(error_model="numpy")
def choose(state: State, actions: Whole) -> None:
    """Write an action of every lane that is uniform over all legal ones, int64 [B]."""
    masks, keys, turns, shown = state.masks, state.keys, state.turns, state.shown
    for i in range(len(actions)):
        n = 0
        for a in range(masks.shape[1]):
            n += masks[i, a]
        draw = mixed(keys[i] + np.uint64(2 * turns[i] + shown[i]) * GOLDEN) >> np.uint64(32)
        k = np.int64((draw * np.uint64(n)) >> np.uint64(32))
        for a in range(masks.shape[1]):
            if masks[i, a]:
                if k == 0:
                    actions[i] = a
                k -= 1


@kernel(error_model="numpy")
def step(actions: Whole, rules: Rules, state: State) -> int:
    """Let every lane's player say its action, int64 [B].

    Returns:
        The first lane whose mask does not allow its action, and then nothing has changed; else -1.
    """
    # Arrays are counted, atomically, when a tuple's field is looked at: outside the loop.
    max_turns, by_standing = rules.max_turns, rules.by_standing
    proofs, conflicts = rules.proofs, rules.conflicts
    cases, refuted = state.cases, state.refuted
    grounds, asked, turns, sums = state.grounds, state.asked, state.turns, state.sums
    paid, standing, shown, masks = state.scores, state.standing, state.shown, state.masks
    rewards, ending = state.rewards, state.ending
    ended_turns, ended_standing = state.ended_turns, state.ended_standing
    questions, answers = state.questions, state.answers
    for i in range(len(actions)):
        legal = 0 <= actions[i] < masks.shape[1] and masks[i, actions[i]]
        if shown[i] != WAITING and not legal:
            return i
    for i in range(len(actions)):
        action, now, case = actions[i], shown[i], cases[i]
        ending[i] = NOT_OVER
        rewards[i, 0] = rewards[i, 1] = paid[i, 0] = paid[i, 1] = 0.0
        if now == ASKING:
            questions[i, turns[i]] = action
            fact, form = action // _FORMS, action % _FORMS
            asked[i, 0], asked[i, 1] = form, fact
            if form == IMPEACHMENT and grounds[i, fact] < proofs.shape[1]:
                proof = proofs[case, grounds[i, fact]]
                for s in range(refuted.shape[1]):
                    refuted[i, s] |= conflicts[case, proof, s]
            shown[i] = ANSWERING
            _show_answers(i, rules, state)
            continue
        if now == ANSWERING:
            answers[i, turns[i]] = action
            _answer(i, action // _MANNERS, action % _MANNERS, rules, state)
            turns[i] += 1
            net = (sums[i, 0] - sums[i, 1]) / turns[i]
            standing[i] = np.rint(min(1.0, max(-1.0, net)) * _PLACES) / _PLACES
            shown[i] = ASKING
            if turns[i] < max_turns and _show_questions(i, rules, state):
                continue
            believed = _believed(i, rules, state)
            ending[i] = BELIEVED if believed else DISCREDITED
            rewards[i, 1] = standing[i] if by_standing else (1.0 if believed else -1.0)
            rewards[i, 0] = -rewards[i, 1]
            ended_turns[i], ended_standing[i] = turns[i], standing[i]
        _deal(i, rules, state)
        _show_questions(i, rules, state)
    return -1


@kernel(error_model="numpy")
def _deal(i: int, rules: Rules, state: State) -> None:
    """Give a lane a new game."""
    lane = state.generators[i]
    case = state.cases[i] = integers(lane, len(rules.facts))
    order = np.empty(rules.held[case], np.int64)
    permutation(lane, order)
    for e in range(state.held.shape[1]):
        state.held[i, e] = False
    for place in range(min(rules.exhibits, len(order))):
        state.held[i, order[place]] = True
    state.games[i] += 1
    state.keys[i] = mixed(lane[3] + np.uint64(state.games[i]) * GOLDEN)
    for f in range(state.said.shape[1]):
        state.said[i, f], state.told[i, f], state.grounds[i, f] = 0, 0, -1
        for ground in range(state.spent.shape[2]):
            state.spent[i, f, ground] = False
    for topic in range(state.raised.shape[1]):
        state.raised[i, topic] = False
    for s in range(state.refuted.shape[1]):
        state.refuted[i, s], state.opposed[i, s] = rules.refuted[case, s], False
    state.turns[i], state.sums[i, 0], state.sums[i, 1], state.standing[i] = 0, 0.0, 0.0, 0.0
    state.shown[i] = ASKING


@kernel(error_model="numpy", forceinline=True)
def _answer(i: int, content: int, manner: int, rules: Rules, state: State) -> None:
    """Put an answer on record and add up its scores."""
    case, form, fact = state.cases[i], state.asked[i, 0], state.asked[i, 1]
    said, opposed, sums, paid = state.said[i], state.opposed[i], state.sums[i], state.scores[i]
    stance = 2 * fact + (content == AFFIRM)
    refuted, contrary = state.refuted[i, stance], opposed[stance]
    helpful, part = rules.helpful[case, fact], rules.parts[case, fact]
    made, man, qual, const = labelled(form, helpful, part, content, refuted, contrary)
    man |= manner in (VAGUE, HEDGED)
    paid[0], paid[1] = scored(made, manner == OFF_POINT, man, qual, const, sums[0])
    sums[0] += paid[0]
    sums[1] += paid[1]
    state.raised[i, rules.topics[case, fact]] = True
    if form == IMPEACHMENT and content != NONE:
        state.spent[i, fact, state.grounds[i, fact]] = True
    if content == PARTIAL:
        state.told[i, fact] = max(state.told[i, fact], 1 if form == OPEN else 2)
    elif content != NONE:
        said[fact] = 1 if content == AFFIRM else -1
        conflicts = rules.conflicts[case]
        for s in range(len(opposed)):
            opposed[s] = False
        for f in range(len(said)):
            if said[f] != 0:
                own = 2 * f + (said[f] > 0)
                for s in range(len(opposed)):
                    opposed[s] |= conflicts[own, s]
    # what was said or used up changes what can be confronted
    proofs, n = rules.proofs[case], rules.held[case]
    for f in range(len(said)):
        state.grounds[i, f] = -1
        if said[f] != 0:
            contrary = rules.conflicts[case, 2 * f + (said[f] > 0)]
            held, spent = state.held[i], state.spent[i, f]
            state.grounds[i, f] = _ground(said, contrary, proofs[:n], held, spent)


@kernel(error_model="numpy", forceinline=True)
def _ground(
    said: NDArray[np.int8], contrary: Flags, proofs: Whole, held: Flags, spent: Flags
) -> int:
    """The first thing that the witness can still be confronted with on a fact; -1 for nothing.

    Args:
        said: int8 [F].
        contrary: what contradicts what it stands by, bool [2F].
        proofs: of the exhibits that there are, int64 [at most E].
        held: bool [E].
        spent: what it was confronted with, bool [G].
    """
    for e in range(len(proofs)):
        if held[e] and contrary[proofs[e]] and not spent[e]:
            return e
    for f in range(len(said)):
        other = 2 * f + (said[f] > 0)
        if said[f] != 0 and contrary[other] and not spent[len(held) + other]:
            return int(len(held) + other)
    return -1


@kernel(error_model="numpy")
def _show_questions(i: int, rules: Rules, state: State) -> bool:
    """Write the questioner's mask; returns whether anything can be asked."""
    case, mask, anything = state.cases[i], state.masks[i], False
    for a in range(len(mask)):
        mask[a] = 0
    for f in range(rules.facts[case]):
        told, said = state.told[i, f], state.said[i, f] != 0
        mask[_FORMS * f + OPEN] = not said and told == 0
        led = state.raised[i, rules.topics[case, f]] and told < 2
        mask[_FORMS * f + LEADING] = not said and led
        mask[_FORMS * f + IMPEACHMENT] = state.grounds[i, f] >= 0
        for form in range(_FORMS):
            anything |= mask[_FORMS * f + form] != 0
    return anything


@kernel(error_model="numpy")
def _show_answers(i: int, rules: Rules, state: State) -> None:
    """Write the witness's mask."""
    mask, form, fact = state.masks[i], state.asked[i, 0], state.asked[i, 1]
    for a in range(len(mask)):
        mask[a] = 0
    for content in (AFFIRM, DENY, PARTIAL, NONE):
        told = rules.parts[state.cases[i], fact] and form != IMPEACHMENT
        for manner in range(_MANNERS):
            mask[_MANNERS * content + manner] = content != PARTIAL or told


@kernel(error_model="numpy")
def _believed(i: int, rules: Rules, state: State) -> bool:
    """The jury's verdict."""
    if rules.by_model:
        return random(state.generators[i]) < _chance(state.sums[i], state.turns[i])
    return bool(state.standing[i] >= rules.threshold)


@kernel(error_model="numpy", forceinline=True)
def _chance(sums: Floats, turns: int) -> float:
    odds = INTERCEPT + (BAT * sums[0] + PAT * sums[1]) / max(turns, 1)
    return float(1.0 / (1.0 + np.exp(-odds)))


@kernel(error_model="numpy")
def features(rules: Rules, state: State, numbers: NDArray[np.float32]) -> None:
    """Write what the player to move knows, float32 [B, 8 + 9F]; see `features` beside."""
    most, topics, parts = rules.max_turns, rules.topics, rules.parts
    helpful, proofs, truth, facts = rules.helpful, rules.proofs, rules.truth, rules.facts
    cases, held, said, raised = state.cases, state.held, state.said, state.raised
    refuted, opposed, asked, turns = state.refuted, state.opposed, state.asked, state.turns
    sums, standing, shown = state.sums, state.standing, state.shown
    for i in range(len(numbers)):
        case, witness = cases[i], shown[i] == ANSWERING
        row = numbers[i]
        for k in range(len(row)):
            row[k] = 0
        row[0], row[1] = turns[i] / most, standing[i]
        row[2], row[3] = sums[i, 0] / most, sums[i, 1] / most
        row[4] = _chance(sums[i], turns[i])
        if witness:
            row[5 + asked[i, 0]] = 1
            row[WHOLE + A_FACT * asked[i, 1] + 1] = 1
        for f in range(facts[case]):
            own = row[WHOLE + A_FACT * f : WHOLE + A_FACT * (f + 1)]
            own[0] = helpful[case, f]
            own[2] = raised[i, topics[case, f]]
            own[3] = said[i, f]
            own[4] = np.int64(refuted[i, 2 * f]) - np.int64(refuted[i, 2 * f + 1])
            own[5], own[6] = opposed[i, 2 * f + 1], opposed[i, 2 * f]
            own[7] = parts[case, f]
            own[8] = truth[case, f] if witness else 0
        if not witness:
            for e in range(held.shape[1]):
                if held[i, e]:
                    proof = proofs[case, e]
                    row[WHOLE + A_FACT * (proof // 2) + 8] = 1 if proof % 2 else -1
