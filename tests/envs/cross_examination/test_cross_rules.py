"""What an answer is, decided exactly, and the course of an examination (SDA 4.5, 5)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.envs.cross_examination.cases import CONTENTS, MANNERS, Stance, load_all
from unspoken.envs.cross_examination.jury import VALUES, Label, bat, pat
from unspoken.envs.cross_examination.rules import (
    FORMS,
    Ending,
    Examination,
    Ground,
    Question,
    against,
    answers,
    assess,
)

HOME, OFFICE, BADGE, TIRED, SUNDAY, GUARDED = range(6)
YES, NO = True, False
CASES = load_all()


def ask(game, fact, form):
    question = game.questions()[len(FORMS) * fact + FORMS.index(form)]
    assert question is not None, (fact, form)
    game.ask(question)


def hear(game, fact, form, content, manner="clear"):
    ask(game, fact, form)
    game.answer(content, manner)
    return game.turns[-1].label


def can(game, fact):
    """The first letters of the forms in which a fact can be asked about."""
    three = game.questions()[len(FORMS) * fact :][: len(FORMS)]
    return "".join(q.form[0] for q in three if q is not None)


# One answer ------------------------------------------------------------------------------------

# By hand: the commitment by its first letter; then the violations r, m, q, c.
BY_CONTENT = {
    (HOME, "affirm"): "b",
    (HOME, "deny"): "d",
    (OFFICE, "affirm"): "d",
    (OFFICE, "deny"): "b",
    (OFFICE, "partial"): "n",
    (OFFICE, "none"): "-",
    (TIRED, "affirm"): "n",
    (TIRED, "deny"): "n",
    (TIRED, "none"): "-",
    (SUNDAY, "affirm"): "n",
    (SUNDAY, "deny"): "-q",  # everybody knows that it was Sunday
}
BY_MANNER = {"clear": "", "vague": "m", "off_point": "r", "hedged": "m"}
COMMITMENTS = {"b": "beneficial", "d": "detrimental", "n": "neutral", "-": "none"}


def label(letters):
    return Label(COMMITMENTS[letters[0]], *(letter in letters for letter in "rmqc"))


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize(("fact", "content"), BY_CONTENT)
def test_contents_and_manners(small, fact, content, manner):
    known = [Stance(SUNDAY, YES)]
    wanted = label(BY_CONTENT[fact, content] + BY_MANNER[manner])
    assert assess(small, known, [], Question("open", fact), content, manner) == wanted


@pytest.mark.parametrize(
    ("form", "wanted"), [("open", "n"), ("leading", "nm"), ("impeachment", "nm")]
)
def test_a_part_is_clear_only_to_an_open_question(small, form, wanted):
    assert assess(small, [], [], Question(form, OFFICE), "partial", "clear") == label(wanted)


@pytest.mark.parametrize(
    ("known", "record", "fact", "content", "wanted"),
    [
        ((OFFICE, YES), None, OFFICE, "deny", "-q"),
        ((OFFICE, YES), None, OFFICE, "affirm", "d"),
        ((OFFICE, YES), None, HOME, "affirm", "-q"),  # through the link
        ((OFFICE, YES), None, BADGE, "affirm", "d"),  # what is known does not decide it
        ((BADGE, YES), None, HOME, "affirm", "-q"),  # through two links
        (None, (OFFICE, YES), HOME, "affirm", "bc"),
        (None, (HOME, YES), OFFICE, "affirm", "dc"),
        (None, (HOME, YES), HOME, "deny", "dc"),
        (None, (HOME, YES), BADGE, "affirm", "dc"),
        (None, (HOME, NO), OFFICE, "deny", "b"),
        (None, (HOME, YES), OFFICE, "partial", "n"),
        (None, (HOME, YES), OFFICE, "none", "-"),
        ((OFFICE, YES), (OFFICE, YES), HOME, "affirm", "-qc"),
    ],
)
def test_what_is_known_and_what_was_said(small, known, record, fact, content, wanted):
    known, record = ([Stance(*stance)] if stance else [] for stance in (known, record))
    question = Question("open", fact)
    assert assess(small, known, record, question, content, "clear") == label(wanted)


def test_an_answer_to_open_words_is_neutral_or_none(small):
    question = Question("open", None)
    assert assess(small, [], [Stance(HOME, YES)], question, "deny", "hedged") == label("nm")
    assert assess(small, [], [], question, "none", "off_point") == label("-r")
    assert answers(small, question) == ("affirm", "deny", "none")


def test_contents_that_can_answer(small):
    assert answers(small, Question("open", HOME)) == ("affirm", "deny", "none")
    assert answers(small, Question("leading", OFFICE)) == CONTENTS
    assert answers(small, Question("impeachment", OFFICE)) == ("affirm", "deny", "none")


# Whole examinations, by hand -------------------------------------------------------------------


def test_a_dialogue_by_hand(small):
    """Six turns; every label, benefit, penalty and sum was reckoned by hand."""
    game = Examination(small, (0,), 6)
    #    fact    form           content    manner      label  BaT  PaT
    played = [
        (HOME, "open", "affirm", "clear", "b", 1.0, 0.0),
        # hedged, against "home": 0.4 back; 1 + 0.2 * (1 + 0.4)
        (OFFICE, "leading", "affirm", "hedged", "dmc", 0.4, 1.28),
        # shown the log: it takes "home" back; 1 + 0.2 * 1.4
        (HOME, "impeachment", "deny", "clear", "dc", 0.0, 1.28),
        # a part off the point: 0.5 * 0.4
        (TIRED, "open", "affirm", "off_point", "nr", 0.5, 0.2),
        # the log does not say anything about the badge
        (BADGE, "leading", "deny", "clear", "b", 1.0, 0.0),
        (GUARDED, "leading", "none", "vague", "-m", 0.0, 0.5),
    ]
    sums = [(1.0, 0.0), (1.4, 1.28), (1.4, 2.56), (1.9, 2.76), (2.9, 2.76), (2.9, 3.26)]
    for (fact, form, content, manner, letters, benefit, penalty), (bats, pats) in zip(
        played, sums, strict=True
    ):
        assert hear(game, fact, form, content, manner) == label(letters)
        account = game.account
        assert (account.bat, account.pat) == (pytest.approx(benefit), pytest.approx(penalty))
        assert (account.sum_bat, account.sum_pat) == (pytest.approx(bats), pytest.approx(pats))
    assert not any(game.questions())
    assert game.account.standing == pytest.approx(-0.06)  # (2.9 - 3.26) / 6
    game.verdict(False)
    assert (game.result.outcome, game.result.winner) == (Ending.DISCREDITED, "questioner")
    assert (game.result.turn, game.result.reason) == (6, "standing -0.060")


def test_a_liar_who_sticks_to_it_by_hand(small):
    game = Examination(small, (0,), 12)
    assert hear(game, OFFICE, "open", "deny") == label("b")  # 1 | 0
    assert hear(game, GUARDED, "open", "affirm") == label("bc")  # 2 | 0.2 * 2
    assert can(game, OFFICE) == "i"
    # the log first: a lie that is seen is none, and inconsistent with "guarded"; 0.4 + 0.5 + 0.4
    assert hear(game, OFFICE, "impeachment", "deny") == label("-qc")
    assert game.shown == [0]
    # then the other answer: now it gives in; 1.3 + 1 + 0.2 * 2
    ask(game, OFFICE, "impeachment")
    assert game.question.ground == Ground(OFFICE, 3, Stance(GUARDED, YES), turn=2)
    game.answer("affirm", "clear")
    assert game.turns[-1].label == label("dc")
    assert (game.account.sum_bat, game.account.sum_pat) == (2, pytest.approx(2.7))
    # what it took back binds it no more
    assert can(game, OFFICE) == can(game, GUARDED) == ""
    assert hear(game, BADGE, "leading", "affirm") == label("d")


# Which questions can be asked ------------------------------------------------------------------


def test_at_first_there_are_open_questions_only(small):
    game = Examination(small, (0,))
    assert [can(game, fact) for fact in range(6)] == ["o"] * 6


def test_a_question_raises_its_topic(small):
    game = Examination(small, (0,))
    hear(game, TIRED, "open", "none")
    assert [can(game, fact) for fact in range(6)] == ["o", "o", "o", "ol", "ol", "ol"]


@pytest.mark.parametrize(
    ("form", "content", "left"),
    [
        ("open", "affirm", ""),
        ("open", "deny", "i"),  # the log
        ("open", "none", "ol"),
        ("open", "partial", "l"),
        ("leading", "partial", ""),
        ("leading", "none", "ol"),
        ("leading", "deny", "i"),
    ],
)
def test_what_is_answered_is_not_asked_again(small, form, content, left):
    game = Examination(small, (0,))
    hear(game, HOME, "open", "none")
    hear(game, OFFICE, form, content)
    assert can(game, OFFICE) == left


def test_a_part_leaves_the_leading_question_then_nothing(small):
    game = Examination(small, ())
    hear(game, OFFICE, "open", "partial")
    hear(game, OFFICE, "leading", "partial")
    assert can(game, OFFICE) == ""


def test_the_questioner_needs_something_that_contradicts(small):
    game = Examination(small, ())  # the log is not in its hands
    hear(game, OFFICE, "open", "deny")
    assert can(game, OFFICE) == ""
    hear(game, BADGE, "leading", "affirm")
    assert (can(game, OFFICE), can(game, BADGE)) == ("i", "i")
    ask(game, OFFICE, "impeachment")
    assert game.question.ground == Ground(OFFICE, 1, Stance(BADGE, YES), turn=2)


def test_an_exhibit_works_through_links(small):
    game = Examination(small, (0,))
    hear(game, HOME, "open", "affirm")
    ask(game, HOME, "impeachment")
    assert game.question.ground == Ground(HOME, 1, Stance(OFFICE, YES), exhibit=0)
    assert game.known == (Stance(SUNDAY, YES), Stance(OFFICE, YES))


def test_a_confrontation_is_used_up_by_an_answer_not_by_an_evasion(small):
    game = Examination(small, (0,))
    hear(game, OFFICE, "open", "deny")
    for _ in range(3):
        assert hear(game, OFFICE, "impeachment", "none") == label("-")
    assert hear(game, OFFICE, "impeachment", "deny", "hedged") == label("-mq")
    assert can(game, OFFICE) == ""


def test_the_jury_decides_after_the_last_turn_or_when_nothing_is_left(small):
    game = Examination(small, (), 2)
    hear(game, HOME, "open", "none")
    assert (game.turn, any(game.questions())) == (2, True)
    hear(game, HOME, "open", "none")
    assert not any(game.questions())
    game = Examination(small, (), 99)
    for fact in (HOME, OFFICE, BADGE, TIRED, SUNDAY):
        hear(game, fact, "open", "affirm" if fact in (TIRED, SUNDAY) else "deny")
    assert any(game.questions())
    hear(game, GUARDED, "open", "deny")
    assert not any(game.questions())
    game.verdict(True)
    assert (game.result.outcome, game.result.winner, game.turn) == ("believed", "witness", 6)


def test_void(small):
    game = Examination(small, ())
    hear(game, HOME, "open", "none")
    game.void("timeout")
    assert (game.result.winner, game.result.turn, game.result.reason) == (None, 2, "timeout")


def test_a_label_from_elsewhere_counts_but_the_stance_stays(small):
    game = Examination(small, ())
    ask(game, HOME, "open")
    game.answer("affirm", "clear", Label("detrimental", man=True))
    assert (game.account.sum_bat, game.account.sum_pat) == (0.4, 1.0)
    assert game.record == (Stance(HOME, YES),)


# Whatever is played ----------------------------------------------------------------------------


@st.composite
def examinations(draw):
    """An examination of one of the package's cases, played to a random point."""
    case = draw(st.sampled_from(CASES))
    held = draw(st.sets(st.integers(0, len(case.exhibits) - 1)))
    game = Examination(case, tuple(sorted(held)), draw(st.integers(1, 20)))
    for _ in range(draw(st.integers(0, 20))):
        questions = [question for question in game.questions() if question is not None]
        if not questions:
            break
        game.ask(draw(st.sampled_from(questions)))
        content = draw(st.sampled_from(answers(case, game.question)))
        game.answer(content, draw(st.sampled_from(MANNERS)))
    return game


@given(examinations())
def test_labels_and_sums_agree_with_a_plain_account(game):
    """Told again from the turns alone: last words, proofs, conflicts, formulas."""
    case, said, bats, pats = game.case, {}, 0.0, 0.0
    known = {Stance(i, True) for i, fact in enumerate(case.facts) if fact.known}
    for turn in game.turns:
        form, fact, ground = turn.question
        if form == "impeachment":
            assert case.contradict(said[fact], ground.stance)
            if ground.exhibit >= 0:
                assert ground.exhibit in game.exhibits
                assert ground.stance == case.exhibits[ground.exhibit].proof
                known.add(ground.stance)
            else:
                assert said[ground.stance.fact] == ground.stance
        else:
            assert fact not in said
        commitment, rel, man, qual, const = turn.label
        assert rel == (turn.manner == "off_point")
        if turn.content in ("affirm", "deny"):
            stance = Stance(fact, turn.content == "affirm")
            assert qual == any(case.contradict(stance, proof) for proof in known)
            assert const == any(case.contradict(stance, other) for other in said.values())
            helps = {"helps": 1, "hurts": -1, "neutral": 0}[case.facts[fact].bearing]
            worth = helps if stance.value else -helps
            plain = {1: "beneficial", 0: "neutral", -1: "detrimental"}[worth]
            assert commitment == ("none" if qual else plain)
            said[fact] = stance
        else:
            assert (qual, const) == (False, False)
            assert commitment == {"partial": "neutral", "none": "none"}[turn.content]
        bats += bat(commitment, rel, man, qual)
        pats += pat(commitment, rel, man, qual, const, bats)
        assert (turn.account.sum_bat, turn.account.sum_pat) == pytest.approx((bats, pats))
    assert game.record == tuple(said[fact] for fact in sorted(said))
    assert len(game.turns) <= game.max_turns
    assert -1 <= game.account.standing <= 1


@given(examinations())
def test_what_is_kept_is_what_follows_from_the_turns(game):
    again = replace(game, turns=[*game.turns], shown=[*game.shown], spent=[*game.spent])
    for kept in (game, again):
        assert kept.refuted.tolist() == against(game.case, game.known).tolist()
        assert kept.inconsistent.tolist() == against(game.case, game.record).tolist()
    assert again == game
    assert again.record == game.record
    assert again.questions() == game.questions()


@given(examinations())
def test_questions_are_in_their_places(game):
    for place, question in enumerate(game.questions()):
        if question is not None:
            assert place == len(FORMS) * question.fact + FORMS.index(question.form)
            assert (question.ground is not None) == (question.form == "impeachment")


def test_the_truth_weighs_nothing_that_is_not_shown(small):
    """SDA scores what is perceived: the label of a lie is that of the same words said truly."""
    for content in ("affirm", "deny"):
        labels = {
            assess(case, [], [], Question("open", HOME), content, "clear")
            for case in (small, small.public)
        }
        assert len(labels) == 1


def test_values_are_those_of_equation_6():
    assert VALUES == {"beneficial": 1, "neutral": 0.5, "none": -0.5, "detrimental": -1}
