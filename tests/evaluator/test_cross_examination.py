"""The cross-examination's evaluator: kernels against the reference, and both against the rules."""

import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unspoken.evaluator
from unspoken.envs.cross_examination.cases import (
    CONTENTS,
    MANNERS,
    SAID,
    Case,
    Exhibit,
    Fact,
    Stance,
    Topic,
    load_all,
)
from unspoken.envs.cross_examination.jury import COMMITMENTS, JURIES, Label
from unspoken.envs.cross_examination.rules import FORMS, Examination, Question, answers
from unspoken.evaluator import cross_examination as kernels
from unspoken.evaluator import cross_examination_reference as reference

HOME, OFFICE, TIRED = range(3)
YES, NO, PART, NOTHING = range(4)
CLEAR, VAGUE, OFF_POINT, HEDGED = range(4)


def small():
    """Being at home helps and excludes being in the office, which hurts; an exhibit proves it."""
    facts = [
        Fact("home", "place", "", "helps", "", "", "", ""),
        Fact("office", "place", "", "hurts", "", "", "", "", part="somewhere"),
        Fact("tired", "state", "", "neutral", "", "", "", "", part="it was late"),
    ]
    conflicts = np.zeros((6, 6), np.bool_)
    for one, other in [(0, 1), (2, 3), (4, 5), (1, 3)]:
        conflicts[one, other] = conflicts[other, one] = True
    return Case(
        id="small",
        title="",
        charge="",
        witness="",
        goal="",
        topics=(Topic("place", "", ""), Topic("state", "", "")),
        facts=tuple(facts),
        links=(),
        conflicts=conflicts,
        manners=SAID,
        truth=(False, True, True),
        exhibits=(Exhibit("the log", "", Stance(OFFICE, True)),),
    )


SMALL = small()
CASES = (SMALL, *load_all())


def played(*exchanges, case=SMALL, max_turns=12, exhibits=(0,)):
    """A game after some (fact, form, content, manner), with a last question if it has no answer."""
    game = Examination(case, exhibits, max_turns)
    for fact, form, *answer in exchanges:
        game.ask(game.questions()[3 * fact + FORMS.index(form)])
        if answer:
            content, manner = answer
            game.answer(CONTENTS[content], MANNERS[manner])
    return game


@st.composite
def games(draw, cases=CASES):
    """Any game that can come about, before a question or an answer."""
    case = draw(st.sampled_from(cases))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    held = tuple(i for i in range(len(case.exhibits)) if rng.random() < 0.7)
    game = Examination(case, held, draw(st.integers(2, 12)))
    moves = draw(st.integers(0, 2 * game.max_turns - 1))
    for _ in range(moves):
        if game.to_move == "questioner":
            asked = [q for q in game.questions() if q is not None]
            if not asked:
                break
            confronting = [q for q in asked if q.ground is not None]
            asked = confronting if confronting and rng.random() < 0.5 else asked
            game.ask(asked[rng.integers(len(asked))])
        else:
            contents = answers(case, game.question)
            game.answer(contents[rng.integers(len(contents))], MANNERS[rng.integers(4)])
    return game


@st.composite
def positions(draw, cases=CASES):
    game = draw(games(cases))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    held = None
    if draw(st.booleans()):
        held = rng.choice([0.0, 0.3, 0.7, 1.0], len(game.case.exhibits))
        held[game.shown] = 1
    habits = rng.uniform(0.02, 0.98, 4) if draw(st.booleans()) else None
    jury = draw(st.sampled_from(JURIES))
    return reference.position_of(game, held, jury=jury, habits=habits)


# Kernels and reference ------------------------------------------------------------------------


def same(wanted):
    return pytest.approx(wanted, abs=1e-9, nan_ok=True)


@given(positions())
@settings(max_examples=10)
def test_kernels_equal_the_reference(position):
    assert kernels.position_value(position, 0) == same(reference.position_value(position, 0))
    assert kernels.position_value(position, 1, 3) == same(reference.position_value(position, 1, 3))
    if position.question is not None:
        wanted = reference.answer_values(position, 0)
        assert kernels.answer_values(position, 0) == same(wanted)
    elif position.turns < position.max_turns and reference.questions(*position_parts(position)):
        wanted = reference.question_values(position, 1)
        assert kernels.question_values(position, 1) == same(wanted)
        assert kernels.best_question(position, 1) == reference.best_question(position, 1)


@given(positions(cases=(SMALL,)), st.sampled_from([(1, 9), (2, 2), (2, 9), (3, 2)]))
@settings(max_examples=10)
def test_searches_equal_the_reference(position, bounds):
    assert kernels.position_value(position, *bounds) == same(
        reference.position_value(position, *bounds)
    )
    if position.question is not None:
        wanted = reference.answer_values(position, *bounds)
        assert kernels.answer_values(position, *bounds) == same(wanted)
        assert kernels.best_answer(position, *bounds) == reference.best_answer(position, *bounds)
    else:
        wanted = reference.question_values(position, *bounds)
        assert kernels.question_values(position, *bounds) == same(wanted)


def position_parts(position):
    return position.facts, position.record


# Against the rules ----------------------------------------------------------------------------


@given(games())
@settings(max_examples=60)
def test_what_can_be_asked_is_what_the_rules_say(game):
    if game.to_move == "witness":
        game.answer("none", "clear")
    position = reference.position_of(game)
    legal = [
        reference.Asked(FORMS.index(q.form), q.fact, ground_of(q, len(game.case.exhibits)))
        for q in replace(game, max_turns=99).questions()
        if q is not None
    ]
    assert reference.questions(*position_parts(position)) == [(asked, 1.0) for asked in legal]
    asked = {3 * q.fact + FORMS.index(q.form) for q in game.questions() if q is not None}
    values = kernels.question_values(position, 1)
    assert set(np.flatnonzero(~np.isnan(values))) == asked


def ground_of(question, exhibits):
    if question.ground is None:
        return -1
    exhibit, stance = question.ground.exhibit, question.ground.stance
    return exhibit if exhibit >= 0 else exhibits + stance.place


@given(games())
@settings(max_examples=60)
def test_labels_and_what_follows_are_those_of_the_rules(game):
    if game.to_move == "questioner":
        asked = [q for q in game.questions() if q is not None]
        if not asked:
            return
        before = reference.position_of(game)
        game.ask(asked[0])
        after = reference.position_of(game)
        shown = reference.asking(before.facts, before.record, after.question)
        assert_same(shown, after.record)
    position = reference.position_of(game)
    facts, record, question = position.facts, position.record, position.question
    for c, content in enumerate(CONTENTS):
        possible = reference.answerable(facts, question, c)
        assert possible == (content in answers(game.case, game.question))
        for m, manner in enumerate(MANNERS):
            if possible:
                label = reference.label(facts, record, question, c, m)
                assert label == game.assess(content, manner)
                then = replace(game, turns=[*game.turns], spent=[*game.spent])
                then.answer(content, manner)
                sums = record.sums + reference.scores(label, record.sums[0])
                answered = reference.answering(facts, record, question, c)._replace(sums=sums)
                assert_same(answered, reference.position_of(then).record)
    can = ~np.isnan(kernels.answer_values(position, 0)).reshape(4, 4)
    assert can.all(axis=1).tolist() == can.any(axis=1).tolist()
    assert [c for c, legal in zip(CONTENTS, can[:, 0], strict=True) if legal] == list(
        answers(game.case, game.question)
    )


def assert_same(one, other):
    for name, a, b in zip(one._fields, one, other, strict=True):
        if name == "told":  # a part does not matter any more where there is a commitment
            a, b = (np.where(record.said != 0, 0, record.told) for record in (one, other))
        assert np.asarray(a) == pytest.approx(np.asarray(b)), name


# By hand --------------------------------------------------------------------------------------


def test_the_last_answer_by_hand():
    """After one benefit of 1, the second and last question is an open one about what hurts."""
    game = played((HOME, "open", YES, CLEAR), (OFFICE, "open"), max_turns=2)
    wanted = {
        (YES, CLEAR): (1 + 0 - (1 + 0.2 * 1)) / 2,  # admitted, and at odds with being at home
        (YES, VAGUE): (1 + 0.4 - (1 + 0.2 * 1.4)) / 2,
        (YES, HEDGED): (1 + 0.4 - (1 + 0.2 * 1.4)) / 2,
        (NO, CLEAR): (1 + 1) / 2,
        (NO, OFF_POINT): (1 + 1 - 0.4) / 2,
        (PART, CLEAR): (1 + 0.5) / 2,
        (PART, VAGUE): (1 + 0.5 - 0.5 * 0.4) / 2,
        (NOTHING, CLEAR): (1 - 0.5) / 2,
        (NOTHING, HEDGED): (1 - 0.5) / 2,
    }
    for depth in range(4):
        values = kernels.answer_values(kernels.position_of(game), depth).reshape(4, 4)
        assert {act: values[act] for act in wanted} == pytest.approx(wanted)
    assert kernels.best_answer(kernels.position_of(game)) == 4 * NO + CLEAR


def test_the_last_confrontation_by_hand():
    """The exhibit is shown: to insist is refuted, to admit contradicts, to say nothing is neither.

    Only what pays most is worked out: insisting and evading cost half a point, admitting costs
    1 + 0.2 (1 + 0.4) for 0.4.
    """
    game = played((HOME, "open", YES, CLEAR), (HOME, "impeachment"), max_turns=2)
    values = kernels.answer_values(kernels.position_of(game)).reshape(4, 4)
    assert values[YES] == pytest.approx([(1 - 0.5) / 2] * 4)
    assert values[NOTHING] == pytest.approx([(1 - 0.5) / 2] * 4)
    assert values[NO, VAGUE] == pytest.approx((1 + 0.4 - 1 - 0.2 * 1.4) / 2)
    assert np.isnan(values[PART]).all()


def test_the_only_question_by_hand():
    """What comes of one question about a neutral fact: the manners, then the contents, weighed.

    Habits of 1/5 are odds of 1/4; each point makes a move e^3 times as likely.
    """
    e = math.e
    likely = [1 * e**1.5, 0.125 * e**0.9, 0.25 * e**0.9, 0.125 * e**0.9]  # 0.5, and 0.5 - 0.5 * 0.4
    said = (0.5 * likely[0] + 0.3 * sum(likely[1:])) / sum(likely)
    ready = sum(likely) / e ** (3 * said)
    weights = [ready * e ** (3 * said)] * 3 + [1.5 * e**-1.5]  # yes, no, a part; nothing, -0.5
    wanted = (3 * weights[0] * said + weights[3] * -0.5) / sum(weights)
    position = kernels.position_of(played(max_turns=1))
    assert kernels.question_values(position, 1)[3 * TIRED] == pytest.approx(wanted)


def test_manners_by_hand():
    """A habit that costs nothing is kept, one that costs is weighed against its cost."""
    odds = np.array([1.0, 4.0, 1.0, 1.0])
    how, ease = reference.manners(odds, 1.0, 1.0, "none", False)
    assert how == pytest.approx([1 / 6, 2 / 6, 1 / 6, 2 / 6])
    assert ease == pytest.approx(6)
    how, _ = reference.manners(odds, 1.0, 1.0, "beneficial", False)
    lost = math.exp(-3 * 0.4)
    assert how == pytest.approx(np.array([1, 2 * lost, lost, 2 * lost]) / (1 + 5 * lost))
    how, _ = reference.manners(odds, 1.0, 1.0, "detrimental", False)
    assert how[CLEAR] < how[OFF_POINT] < how[VAGUE]
    how, _ = reference.manners(odds, 1.0, 1.0, "neutral", True)  # unclear by itself
    assert how[CLEAR] == pytest.approx(how[VAGUE])


def test_the_horizon_by_hand():
    """Three answers are left; two more points are open, and a confrontation that may be held.

    Habits of nearly 0 let the witness take what pays most: 1 for denying the office, 0.5 for the
    neutral one, -0.5 when it is confronted with what it said.
    """
    game = played((HOME, "open", YES, CLEAR), max_turns=4)
    habits = np.full(4, 1e-9)
    for held, later in [(1.0, 3), (0.0, 2), (0.4, 2.4)]:
        position = kernels.position_of(game, [held], habits=habits)
        pressed = reference.LATER * later * (later - 1) / 2
        gained = 1 + held * -0.5 + 0.5 + 1 - pressed
        expected = gained / (1 + later)
        assert reference.horizon(
            position.facts, position.record, position.terms, 1
        ) == pytest.approx(expected, abs=1e-6)


def test_a_choice_is_as_probable_as_its_being_there():
    """Far apart, the questioner takes the first that it can ask; all there, by the logit."""
    terms = kernels.position_of(played(max_turns=100)).terms
    assert reference._choice([0.5, -1.0, 0.0], [1.0, 0.4, 0.5], terms) == pytest.approx(
        0.4 * -1.0 + 0.6 * 0.5 * 0.0 + 0.6 * 0.5 * 0.5
    )
    terms = terms._replace(max_turns=1)
    likely = np.exp([-3 * 0.2, -3 * 0.1, 0])
    assert reference._choice([0.2, 0.1, 0.0], [1.0, 1.0, 1.0], terms) == pytest.approx(
        likely @ [0.2, 0.1, 0.0] / likely.sum()
    )


def test_verdicts_by_hand():
    position = kernels.position_of(played())
    assert kernels.verdict(position, 0.3, 0) == 1
    assert kernels.verdict(position, 0.2999, 0) == -1
    assert kernels.verdict(position, 0.3, 5) == 0
    one = kernels.SPREAD * math.sqrt(4) / 12  # one deviation above: 84 in 100
    assert kernels.verdict(position, 0.3 + one, 4) == pytest.approx(2 * 0.841345 - 1, abs=1e-5)
    model = replace(position, jury="model")
    assert (1 + kernels.verdict(model, 0.0, 3)) / 2 == pytest.approx(1 / (1 + math.exp(-0.25)))


def test_when_nothing_can_be_asked_the_standing_decides():
    """A denial of the office is an admission for those who hold the log; home is left."""
    game = played(
        (OFFICE, "open", YES, CLEAR), (HOME, "open", NO, CLEAR), (TIRED, "open", YES, CLEAR)
    )
    assert not any(game.questions())
    assert kernels.position_value(kernels.position_of(game)) == -1
    assert np.isnan(kernels.question_values(kernels.position_of(game))).all()


# What it is good for --------------------------------------------------------------------------


def test_an_exhibit_that_may_be_held_makes_a_lie_worth_less():
    values = []
    for held in (0.0, 0.5, 1.0):
        game = played((HOME, "open"), max_turns=3)
        position = kernels.position_of(game, [held])
        values.append(kernels.answer_values(position, 2)[4 * YES + CLEAR])
    assert values == sorted(values, reverse=True)
    assert values[0] - values[2] > 0.1


def test_words_about_no_fact_are_neutral_or_nothing():
    game = played(max_turns=1)
    game.ask(Question("leading", None))
    values = kernels.answer_values(kernels.position_of(game)).reshape(4, 4)
    assert values[YES, CLEAR] == values[NO, CLEAR] == pytest.approx(0.5)
    assert values[NOTHING] == pytest.approx([-0.5] * 4)
    assert np.isnan(values[PART]).all()


def test_a_habit_makes_what_it_spoils_worth_less():
    """Who always hedges loses by that where it could gain."""
    game = played(max_turns=1)
    plain = kernels.question_values(kernels.position_of(game, habits=np.full(4, 0.01)), 1)
    hedges = np.array([0.01, 0.99, 0.01, 0.01])
    spoilt = kernels.question_values(kernels.position_of(game, habits=hedges), 1)
    assert (spoilt < plain)[~np.isnan(plain)].all()


def test_scores_are_zero_sum_and_bounded():
    liar = played((HOME, "open", YES, CLEAR), (OFFICE, "open", YES, CLEAR))
    strong = played((HOME, "open", YES, CLEAR), (OFFICE, "open", NO, CLEAR), exhibits=())
    batch = [kernels.position_of(game) for game in (liar, strong)]
    bad, good = unspoken.evaluator.evaluate_batch("cross_examination", batch)
    assert -1 <= bad["witness"] < good["witness"] <= 1
    assert bad["questioner"] == -bad["witness"]
    assert unspoken.evaluator.evaluate("cross_examination", batch[1]) == good
    assert reference.evaluate_batch(batch) == [pytest.approx(bad), pytest.approx(good)]


@given(positions())
@settings(max_examples=25)
def test_scores_are_in_range(position):
    assert -1 <= kernels.position_value(position) <= 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda p: replace(p, turns=13), "turns=13"),
        (lambda p: replace(p, turns=12, question=kernels.Asked(0, 0)), "turns=12"),
        (lambda p: replace(p, jury="twelve"), "jury='twelve'"),
        (lambda p: replace(p, habits=np.array([0.1, 0.2, 0.3, 1.0])), "habits"),
        (lambda p: replace(p, record=p.record._replace(held=np.ones(2))), r"held .* \(1,\)"),
        (lambda p: kernels.position_value(p, -1), "depth=-1"),
        (lambda p: kernels.question_values(p, 1, 0), "width=0"),
        (lambda p: kernels.answer_values(p), "no question under discussion"),
        (lambda p: reference.answer_values(p), "no question under discussion"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong(kernels.position_of(played()))


def test_labels_have_the_places_of_the_kernel():
    assert [COMMITMENTS[k] for k in range(4)] == ["beneficial", "neutral", "none", "detrimental"]
    assert Label._fields[1:] == reference.MAXIMS


def test_importing_agents_does_not_import_numba():
    code = "import sys, unspoken.evaluator, unspoken.agents.cross_examination.reputation; " + (
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
