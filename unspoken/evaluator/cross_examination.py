"""The cross-examination's evaluator as compiled kernels, which release the GIL.

The functions are those of `unspoken.evaluator.cross_examination_reference`, where their meaning
and their sources are written down; nothing is compiled before its first call. The tree of what
may be asked and answered is gone through depth first, one row of `Tree` a level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.cross_examination.jury import CONST, MAN, QUAL, REL, VALUES
from unspoken.evaluator.bounds import check_search
from unspoken.evaluator.cross_examination_reference import (
    AFFIRM,
    BENEFICIAL,
    DETRIMENTAL,
    EMPTY,
    HABIT,
    HEDGED,
    IMPEACHMENT,
    LATER,
    LEADING,
    MAXIMS,
    NEUTRAL,
    NONE,
    OFF_POINT,
    OPEN,
    PARTIAL,
    RATIONALITY,
    SPREAD,
    TIE,
    VAGUE,
    Asked,
    Facts,
    Flags,
    Floats,
    Position,
    Record,
    Terms,
    facts_of,
    position_of,
    rounded,
    stance_of,
    verdict,
)
from unspoken.kernels import kernel

__all__ = [
    "HABIT",
    "MAXIMS",
    "RATIONALITY",
    "SPREAD",
    "Asked",
    "Facts",
    "Position",
    "Record",
    "Terms",
    "answer_values",
    "best_answer",
    "best_question",
    "evaluate_batch",
    "facts_of",
    "position_of",
    "position_value",
    "question_values",
    "verdict",
]

_CONTENTS = NONE + 1
_MANNERS = HEDGED + 1
_FORMS = IMPEACHMENT + 1
_WORTH = tuple(VALUES.values())

Ints = NDArray[np.int64]


class Tree(NamedTuple):
    """Room for the positions on one way down the tree, and for what is known of their moves.

    The first six are those of `Record`, a row for each of L levels.

    Attributes:
        refuted: which stances the jury knows to be false, bool [L, 2F].
        opposed: which stances contradict what the witness stands by, bool [L, 2F].
        asked: the questions that are considered, as `Asked`, int64 [L, C, 3].
        probable: how probably each can be asked, float64 [L, C].
        many: how many they are, int64 [L].
        at: which of their answers is looked at, four to a question, int64 [L].
        likely: how readily each content is said, beside what it leads to, float64 [L, C, 4]; 0
            where it cannot be.
        values: the expected final tally after it, float64 [L, C, 4].
    """

    said: NDArray[np.int8]
    told: NDArray[np.int8]
    raised: Flags
    held: Floats
    spent: Flags
    sums: Floats
    refuted: Flags
    opposed: Flags
    asked: Ints
    probable: Floats
    many: Ints
    at: Ints
    likely: Floats
    values: Floats


def position_value(position: Position, depth: int = 1, width: int = 8) -> float:
    """How a position stands for the witness, -1 to 1."""
    check_search(depth, width)
    tree, now = _tree(position, depth + 2), position.turns
    if position.question is None:
        value = _look(position.facts, position.terms, tree, 0, now, depth, width)
        over = not _find(position.facts, tree, 0)
    else:
        value = _reply(position.facts, position.terms, tree, 0, 0, now, depth + 1, width)
        over = False
    return verdict(position, value, 0 if over else position.max_turns - now)


def question_values(position: Position, depth: int = 2, width: int = 8) -> Floats:
    """The final tally to be expected after each question, float64 [3F]; NaN where it is none."""
    check_search(depth - 1, width)
    tree = _tree(position, depth + 2)
    return _question_values(position.facts, position.terms, tree, 0, position.turns, depth, width)


def answer_values(position: Position, depth: int = 2, width: int = 8) -> Floats:
    """The final tally to be expected after each answer, float64 [16]; NaN where it is none.

    Raises:
        ValueError: if no question is under discussion.
    """
    check_search(depth, width)
    if position.question is None:
        raise ValueError("the position has no question under discussion: nothing can be answered")
    tree = _tree(position, depth + 2)
    return _answer_values(position.facts, position.terms, tree, 0, position.turns, depth, width)


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


def _tree(position: Position, levels: int) -> Tree:
    """Room for some levels; on the first, the position and the question under discussion."""
    conflicts, record = position.facts.conflicts, position.record
    stances = [stance_of(i, v) for i, v in enumerate(record.said) if v]
    clashes = conflicts[record.known].any(axis=0), conflicts[stances].any(axis=0)
    most = len(record.said) * (len(record.held) + 3)
    asked = np.zeros((levels, most, 3), np.int64)
    if position.question is not None:
        asked[0, 0] = position.question
    kept = record.said, record.told, record.raised, record.held, record.spent, record.sums
    rows: list[Any] = [np.repeat(np.asarray(a)[None], levels, axis=0) for a in (*kept, *clashes)]
    rows += [asked, np.zeros((levels, most)), np.zeros(levels, np.int64)]
    rows += [np.zeros(levels, np.int64)] + [np.zeros((levels, most, _CONTENTS)) for _ in range(2)]
    return Tree(*rows)


# What the rules say -----------------------------------------------------------------------------


@kernel
def _stance(fact: int, said: int) -> int:
    return 2 * fact + (1 if said > 0 else 0)


@kernel
def _find(facts: Facts, tree: Tree, level: int) -> int:
    """Write down what can be asked; returns how much it is."""
    said, told, raised = tree.said[level], tree.told[level], tree.raised[level]
    spent, asked, probable = tree.spent[level], tree.asked[level], tree.probable[level]
    exhibits, n = len(facts.proofs), 0
    for i in range(len(said)):
        if said[i] == 0:
            for form in (OPEN, LEADING):
                if told[i] <= form and (form == OPEN or raised[facts.topics[i]]):
                    asked[n, 0], asked[n, 1], asked[n, 2], probable[n] = form, i, -1, 1.0
                    n += 1
            continue
        contrary, left = facts.conflicts[_stance(i, said[i])], 1.0
        for e in range(exhibits):
            p = left * tree.held[level, e]
            if contrary[facts.proofs[e]] and not spent[i, e] and p > 0:
                asked[n, 0], asked[n, 1], asked[n, 2], probable[n] = IMPEACHMENT, i, e, p
                n += 1
                left *= 1 - tree.held[level, e]
        for other in range(len(said)):
            s = _stance(other, said[other])
            if said[other] != 0 and contrary[s] and not spent[i, exhibits + s] and left > 0:
                asked[n, 0], asked[n, 1], asked[n, 2] = IMPEACHMENT, i, exhibits + s
                probable[n] = left
                n += 1
                break
    return n


@kernel
def _play(facts: Facts, tree: Tree, level: int, k: int, content: int) -> None:
    """Put the position after a question and its answer, but for the sums, on the next level."""
    under = level + 1
    form, fact, ground = tree.asked[level, k, 0], tree.asked[level, k, 1], tree.asked[level, k, 2]
    _copy(tree, level)
    if fact < 0:
        return
    tree.raised[under, facts.topics[fact]] = True
    if 0 <= ground < len(facts.proofs):
        tree.held[under, ground] = 1
        for s in range(len(facts.conflicts)):
            tree.refuted[under, s] |= facts.conflicts[facts.proofs[ground], s]
    if content == PARTIAL:
        tree.told[under, fact] = max(tree.told[level, fact], 1 if form == OPEN else 2)
    elif content != NONE:
        tree.said[under, fact] = 1 if content == AFFIRM else -1
        changed = tree.said[level, fact] == -tree.said[under, fact]
        for s in range(len(facts.conflicts)):
            tree.opposed[under, s] &= not changed
        for i in range(len(facts.helpful)):
            if tree.said[under, i] != 0 and (changed or i == fact):
                own = _stance(i, tree.said[under, i])
                for s in range(len(facts.conflicts)):
                    tree.opposed[under, s] |= facts.conflicts[own, s]
    if ground >= 0 and content != NONE:
        tree.spent[under, fact, ground] = True


@kernel
def _copy(tree: Tree, level: int) -> None:
    """Put the position of a level on the next one; loops, for slices take long to compile."""
    under = level + 1
    facts, grounds = tree.spent.shape[1], tree.spent.shape[2]
    for i in range(facts):
        tree.said[under, i] = tree.said[level, i]
        tree.told[under, i] = tree.told[level, i]
        for g in range(grounds):
            tree.spent[under, i, g] = tree.spent[level, i, g]
    for i in range(tree.raised.shape[1]):
        tree.raised[under, i] = tree.raised[level, i]
    for e in range(tree.held.shape[1]):
        tree.held[under, e] = tree.held[level, e]
    for s in range(2 * facts):
        tree.refuted[under, s] = tree.refuted[level, s]
        tree.opposed[under, s] = tree.opposed[level, s]


@kernel
def labelled(
    form: int, helpful: int, part: bool, content: int, refuted: bool, opposed: bool
) -> tuple[int, bool, bool, bool]:
    """What the rules make of a content as an answer; numbers only, for arrays cost time here.

    Args:
        form: of the question.
        helpful: what the fact does for the witness, 1, -1 or 0.
        part: whether it has a part.
        content: what is said.
        refuted: whether the jury knows that stance to be false.
        opposed: whether it contradicts what the witness stands by.

    Returns:
        Its commitment, -1 if it cannot be said, and whether it violates manner by itself,
        quality and consistency.
    """
    if content == NONE:
        return EMPTY, False, False, False
    if content == PARTIAL:
        return (NEUTRAL if part and form != IMPEACHMENT else -1), form != OPEN, False, False
    if refuted or helpful == 0:
        return (EMPTY if refuted else NEUTRAL), False, refuted, opposed
    serves = (helpful > 0) == (content == AFFIRM)
    return (BENEFICIAL if serves else DETRIMENTAL), False, refuted, opposed


@kernel
def _label_of(
    facts: Facts, tree: Tree, level: int, k: int, content: int
) -> tuple[int, bool, bool, bool]:
    """`labelled` of a content as an answer to question k of a level."""
    form, fact, ground = tree.asked[level, k, 0], tree.asked[level, k, 1], tree.asked[level, k, 2]
    if fact < 0:
        return labelled(form, 0, False, content, False, False)
    s = 2 * fact + (1 if content == AFFIRM else 0)
    refuted = tree.refuted[level, s]
    if 0 <= ground < len(facts.proofs):
        refuted |= facts.conflicts[facts.proofs[ground], s]
    part, helpful = facts.parts[fact], facts.helpful[fact]
    return labelled(form, helpful, part, content, refuted, tree.opposed[level, s])


@kernel
def scored(
    commitment: int, rel: float, man: float, qual: bool, const: bool, sum_bat: float
) -> tuple[float, float]:
    """BaT and PaT; linear in `rel` and `man`, so that their probabilities give the means."""
    worth = _WORTH[commitment]
    broken = REL * rel + MAN * man + QUAL * qual
    benefit = abs(worth) * broken if commitment == DETRIMENTAL else max(worth, 0.0)
    penalty = abs(worth) * (broken if commitment in (BENEFICIAL, NEUTRAL) else 1.0)
    return benefit, penalty + CONST * const * (sum_bat + benefit)


# What it is worth -------------------------------------------------------------------------------


@kernel
def _manner(manners: Floats, commitment: int, pressed: bool) -> tuple[float, float]:
    """Probabilities that something is said off the point, and unclearly."""
    how = manners[commitment, int(pressed)]
    return how[OFF_POINT], 1.0 if pressed else how[VAGUE] + how[HEDGED]


@kernel
def _eases(facts: Facts, terms: Terms, tree: Tree, level: int, n: int) -> Floats:
    """What the content that pays most at once brings, for each question that was written down."""
    asked, refuted, opposed = tree.asked[level], tree.refuted[level], tree.opposed[level]
    sum_bat, eases = tree.sums[level, 0], np.full(n, -np.inf)
    for k in range(n):
        form, fact, ground = asked[k, 0], asked[k, 1], asked[k, 2]
        for content in range(_CONTENTS):
            s = 2 * fact + (1 if content == AFFIRM else 0)
            false = refuted[s]
            if 0 <= ground < len(facts.proofs):
                false |= facts.conflicts[facts.proofs[ground], s]
            part, helpful = facts.parts[fact], facts.helpful[fact]
            made, man, qual, const = labelled(form, helpful, part, content, false, opposed[s])
            if made >= 0:
                rel, unclear = _manner(terms.manners, made, man)
                benefit, penalty = scored(made, rel, unclear, qual, const, sum_bat)
                eases[k] = max(eases[k], terms.gain * benefit - terms.loss * penalty)
    return eases


@kernel
def _horizon(facts: Facts, terms: Terms, tree: Tree, level: int, turns: int) -> float:
    n = _find(facts, tree, level)
    asked, probable = tree.asked[level], tree.probable[level]
    eases = _eases(facts, terms, tree, level, n)
    for k in range(1, n):
        if asked[k, 0] == LEADING and asked[k - 1, 1] == asked[k, 1]:  # after the open one
            eases[k] = min(eases[k - 1], eases[k])
            probable[k - 1] = 0.0
    left, more = float(terms.max_turns - turns), 0.0
    for k in _order(eases):
        taken = min(probable[k], left)
        more += taken * eases[k]
        left -= taken
    answers = terms.max_turns - left
    more -= terms.loss * LATER * (answers - turns) * max(0.0, answers - turns - 1) / 2
    net = terms.gain * tree.sums[level, 0] - terms.loss * tree.sums[level, 1] + more
    return float(net / answers) if answers > 0 else 0.0


@kernel
def _open(facts: Facts, terms: Terms, tree: Tree, level: int, turns: int, width: int) -> int:
    """Write down the questions to consider at a level; returns how many they are."""
    n = _find(facts, tree, level) if turns < terms.max_turns else 0
    eases = _eases(facts, terms, tree, level, n)
    order, asked, many, probable = _order(eases), tree.asked[level].copy(), 0, 0.0
    chances = tree.probable[level].copy()
    while many < n and probable <= width - TIE:
        k = order[many]
        for part in range(3):
            tree.asked[level, many, part] = asked[k, part]
        tree.probable[level, many] = chances[k]
        probable += chances[k]
        many += 1
    tree.many[level], tree.at[level] = many, 0
    return many


@kernel
def _order(values: Floats) -> Ints:
    """Places of some values from the least to the greatest, those nearer than `TIE` as they are."""
    order = np.empty(len(values), np.int64)
    for k in range(len(values)):
        at = k
        while at > 0 and np.floor(values[order[at - 1]] / TIE + 0.5) > np.floor(
            values[k] / TIE + 0.5
        ):
            order[at] = order[at - 1]
            at -= 1
        order[at] = k
    return order


@kernel
def _look(
    facts: Facts, terms: Terms, tree: Tree, top: int, turns: int, depth: int, width: int
) -> float:
    """The expected final tally of the position at a level, where the questioner is to ask."""
    if depth == 0 or _open(facts, terms, tree, top, turns, width) == 0:
        return _horizon(facts, terms, tree, top, turns)
    level = top
    while tree.at[top] < _CONTENTS * tree.many[top]:
        k, content = tree.at[level] // _CONTENTS, tree.at[level] % _CONTENTS
        if k < tree.many[level]:
            tree.likely[level, k, content] = _say(facts, terms, tree, level, k, content)
            if tree.likely[level, k, content] > 0:
                now, under = turns + level + 1 - top, level + 1
                deeper = under - top < depth
                if deeper and _open(facts, terms, tree, under, now, width) > 0:
                    level = under
                    continue
                tree.values[level, k, content] = _horizon(facts, terms, tree, under, now)
        else:
            value = _back(terms, tree, level)
            level -= 1
            tree.values[level, tree.at[level] // _CONTENTS, tree.at[level] % _CONTENTS] = value
        tree.at[level] += 1
    return _back(terms, tree, top)


@kernel
def _back(terms: Terms, tree: Tree, level: int) -> float:
    """The expected final tally at a level, from those after the answers."""
    n = tree.many[level]
    values = np.empty(n)
    for k in range(n):
        values[k] = _mean(tree.values[level, k], tree.likely[level, k], terms.max_turns)
    order, rest, likely = _order(values), np.zeros(n), np.empty(n)
    for j in range(n - 1, -1, -1):
        worse = values[order[j]] - values[order[0]]
        likely[j] = np.exp(-RATIONALITY * terms.max_turns * worse)
        if j > 0:
            rest[j - 1] = rest[j] + tree.probable[level, order[j]] * likely[j]
    total, mean, left = 0.0, 0.0, 1.0
    for j in range(n):
        k = order[j]
        taken = left * tree.probable[level, k] * likely[j] / (likely[j] + rest[j])
        total += taken
        mean += taken * values[k]
        left -= taken
    return mean / total


@kernel
def _mean(values: Floats, weights: Floats, max_turns: int) -> float:
    """The expected final tally after the contents, from those after each."""
    best = -np.inf
    for k in range(len(values)):
        if weights[k] > 0:
            best = max(best, values[k])
    total = mean = 0.0
    for k in range(len(values)):
        if weights[k] > 0:
            likely = weights[k] * np.exp(RATIONALITY * max_turns * (values[k] - best))
            total += likely
            mean += likely * values[k]
    return mean / total


@kernel
def _say(facts: Facts, terms: Terms, tree: Tree, level: int, k: int, content: int) -> float:
    """Put the position after a content, said in its mean manner, on the next level.

    Returns how readily it is said, 0 if it cannot be.
    """
    made, man, qual, const = _label_of(facts, tree, level, k, content)
    if made < 0:
        return 0.0
    rel, unclear = _manner(terms.manners, made, man)
    benefit, penalty = scored(made, rel, unclear, qual, const, tree.sums[level, 0])
    _play(facts, tree, level, k, content)
    tree.sums[level + 1, 0] = tree.sums[level, 0] + benefit
    tree.sums[level + 1, 1] = tree.sums[level, 1] + penalty
    odds = (terms.odds[2] if qual else 1.0) * (terms.odds[3] if const else 1.0)
    return float(terms.ease[made, int(man)] * odds)


@kernel
def _reply(
    facts: Facts, terms: Terms, tree: Tree, top: int, k: int, turns: int, depth: int, width: int
) -> float:
    """The expected final tally where the witness is to answer a question of a level."""
    values, likely = np.zeros(_CONTENTS), np.zeros(_CONTENTS)
    for content in range(_CONTENTS):
        likely[content] = _say(facts, terms, tree, top, k, content)
        if likely[content] > 0:
            values[content] = _look(facts, terms, tree, top + 1, turns + 1, depth - 1, width)
    return _mean(values, likely, terms.max_turns)


@kernel
def _question_values(
    facts: Facts, terms: Terms, tree: Tree, top: int, turns: int, depth: int, width: int
) -> Floats:
    n = _FORMS * len(facts.helpful)
    sums, weights = np.zeros(n), np.zeros(n)
    for k in range(_find(facts, tree, top) if turns < terms.max_turns else 0):
        place = _FORMS * tree.asked[top, k, 1] + tree.asked[top, k, 0]
        value = _reply(facts, terms, tree, top, k, turns, depth, width)
        sums[place] += tree.probable[top, k] * value
        weights[place] += tree.probable[top, k]
    for place in range(n):
        sums[place] = sums[place] / weights[place] if weights[place] > 0 else np.nan
    return sums


@kernel
def _answer_values(
    facts: Facts, terms: Terms, tree: Tree, top: int, turns: int, depth: int, width: int
) -> Floats:
    values = np.full(_CONTENTS * _MANNERS, np.nan)
    sum_bat, sum_pat = tree.sums[top, 0], tree.sums[top, 1]
    for place in range(len(values)):
        content, manner = place // _MANNERS, place % _MANNERS
        commitment, man, qual, const = _label_of(facts, tree, top, 0, content)
        if commitment < 0:
            continue
        man |= manner in (VAGUE, HEDGED)
        benefit, penalty = scored(commitment, manner == OFF_POINT, man, qual, const, sum_bat)
        bats, pats = sum_bat + benefit, sum_pat + penalty
        if manner > 0 and bats == tree.sums[top + 1, 0] and pats == tree.sums[top + 1, 1]:
            values[place] = values[place - 1]  # the manner makes no difference
            continue
        _play(facts, tree, top, 0, content)
        tree.sums[top + 1, 0], tree.sums[top + 1, 1] = bats, pats
        values[place] = _look(facts, terms, tree, top + 1, turns + 1, depth, width)
    return values
