"""How free words are read: questions, answers, and their limits."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.envs.cross_examination.cases import DEFAULT, load, load_all
from unspoken.envs.cross_examination.interpreter import read_answer, read_question
from unspoken.envs.cross_examination.menu import ANSWERS, answer_menu
from unspoken.envs.cross_examination.rules import Examination, Question

FIRE = load(DEFAULT / "warehouse_fire.toml")
CASES = load_all()
SLEPT = FIRE.index("slept")


def fresh(*exhibits):
    return Examination(FIRE, exhibits)


def tell(game, id_, content):
    game.ask(game.questions()[3 * FIRE.index(id_)])
    game.answer(content, "clear")
    return game


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Did you smoke behind the hall on that night?", "smoked"),
        ("How many rounds did you do that night?", "made_rounds"),
        ("Is it true that you knew the alarm code?", "knew_code"),
        ("Who was the first to phone the fire brigade?", "first_to_call"),
        ("Had you given up smoking, years before the fire?", "gave_up"),
        ("What did you have for breakfast?", None),
        ("Do you like being a watchman?", None),
        ("", None),
    ],
)
def test_which_fact_a_question_is_about(text, fact):
    question = read_question(text, fresh())
    assert (question.fact is None) == (fact is None)
    assert fact is None or FIRE.facts[question.fact].id == fact


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_cases_own_questions_in_slightly_other_words(case):
    game = Examination(case, ())
    for i, said in enumerate(case.facts):
        for text in (said.open, said.leading, f"Now, tell the jury: {said.leading.lower()}"):
            assert read_question(text, game).fact == i, text


def test_the_form_is_what_can_be_asked():
    game = fresh()
    leading = "You slept in the lodge, didn't you?"
    assert read_question(leading, game).form == "open"  # no question on the topic yet
    tell(game, "made_rounds", "none")
    assert read_question(leading, game).form == "leading"
    assert read_question("What did you do in the lodge?", game).form == "open"
    assert read_question("Tell us what you did in the lodge.", game).form == "open"


def test_a_confrontation_names_its_ground():
    game = tell(fresh(0), "made_rounds", "affirm")  # the watchman's clock tells against it
    again = read_question("Are you sure that you made a round every hour?", game)
    assert again.fact is None
    shown = read_question("But the watchman's clock was turned only once!", game)
    assert (shown.form, shown.fact) == ("impeachment", FIRE.index("made_rounds"))
    assert shown.ground.exhibit == 0
    assert read_question("The watchman's clock was turned only once!", fresh()).fact is None


def test_a_confrontation_with_another_answer():
    game = tell(fresh(), "made_rounds", "affirm")
    tell(game, "slept", "affirm")
    text = "A round every hour, and yet you slept in the lodge?"
    question = read_question(text, game)
    assert question.form == "impeachment"
    assert {question.fact, question.ground.stance.fact} == {FIRE.index("made_rounds"), SLEPT}


@pytest.mark.parametrize(
    ("text", "content", "manner"),
    [
        ("Yes.", "affirm", "clear"),
        ("That is correct.", "affirm", "clear"),
        ("I did.", "affirm", "clear"),
        ("Well, sort of, yes.", "affirm", "vague"),
        ("I slept a bit in the lodge, I think.", "affirm", "hedged"),
        ("I slept in the lodge.", "affirm", "clear"),
        ("No, I never slept.", "deny", "clear"),
        ("Of course not.", "deny", "clear"),
        ("That's not true!", "deny", "clear"),
        ("I wasn't asleep.", "deny", "clear"),
        ("I did not sleep a minute.", "deny", "clear"),
        ("To my knowledge, no.", "deny", "hedged"),
        ("It is not true that I slept in the lodge.", "deny", "clear"),
        ("I don't remember.", "none", "hedged"),
        ("I'm not sure.", "none", "hedged"),
        ("No comment.", "none", "clear"),
        ("I won't answer that.", "none", "clear"),
        ("I would rather not say.", "none", "clear"),
        ("My knees are bad.", "none", "off_point"),
        ("Why do you ask?", "none", "off_point"),
        ("The lodge is a cold place.", "none", "vague"),
        ("", "none", "vague"),
        ("The weather was lovely in August. I slept in the lodge.", "affirm", "off_point"),
    ],
)
def test_what_an_answer_says(text, content, manner):
    assert read_answer(text, FIRE, Question("leading", SLEPT)) == (content, manner)


SIGN = load(DEFAULT / "incident_report.toml")
SHOP = load(DEFAULT / "insurance_claim.toml")


@pytest.mark.parametrize(
    ("case", "fact", "text", "content", "manner"),
    [
        (SIGN, "sign_on", "It was off.", "deny", "clear"),
        (SIGN, "sign_on", "Off.", "deny", "clear"),
        (SIGN, "sign_on", "It was on.", "affirm", "clear"),
        (SIGN, "sign_on", "It wasn't on.", "deny", "clear"),
        (SIGN, "sign_on", "It was never on.", "deny", "clear"),
        (SIGN, "sign_on", "It wasn't off.", "affirm", "clear"),
        (SIGN, "sign_on", "It wasn't on, it was off.", "deny", "clear"),
        (SIGN, "sign_on", "Yes, it was off.", "deny", "clear"),
        (SIGN, "sign_on", "I believe it was off.", "deny", "hedged"),
        (SIGN, "sign_on", "I don't think it was off.", "affirm", "hedged"),
        (SIGN, "sign_on", "I'm afraid it was definitely off.", "deny", "clear"),
        (SIGN, "sign_on", "I couldn't say whether it was off.", "none", "hedged"),
        (SIGN, "sign_on", "It was on and off.", "none", "vague"),
        (SIGN, "sign_on", "My phone was off.", "none", "off_point"),
        (SHOP, "rent_due", "On time.", "deny", "clear"),
        (SHOP, "rent_due", "It was late.", "affirm", "clear"),
        (SHOP, "broken_lock", "It was whole.", "deny", "clear"),
        (SHOP, "forty", "Fewer.", "deny", "clear"),
        (SHOP, "forty", "In the shop.", "none", "vague"),
        (FIRE, "slept", "I was in the lodge.", "none", "vague"),
        (FIRE, "smoked", "I was behind the hall.", "partial", "clear"),
    ],
)
def test_the_words_that_set_a_denial_apart(case, fact, text, content, manner):
    assert read_answer(text, case, Question("leading", case.index(fact))) == (content, manner)


@pytest.mark.parametrize(
    ("text", "content", "manner"),
    [
        ("Yes and no.", "none", "vague"),
        ("No. Yes.", "none", "vague"),
        ("I did and I didn't.", "none", "vague"),
        ("I slept in the lodge. I did not sleep.", "none", "vague"),
        ("I think so.", "affirm", "hedged"),
        ("I don't think so.", "deny", "hedged"),
        ("I think not.", "deny", "hedged"),
        ("I'd have to say no.", "deny", "clear"),
        ("I would say yes.", "affirm", "clear"),
        ("My answer is no.", "deny", "clear"),
        ("I'm afraid not.", "deny", "clear"),
        ("I am afraid so.", "affirm", "clear"),
        ("Not that I recall.", "deny", "hedged"),
        ("Not that I know of.", "deny", "hedged"),
        ("Not really.", "deny", "vague"),
        ("I wouldn't say so.", "deny", "vague"),
        ("No doubt.", "affirm", "clear"),
        ("That's not the case.", "deny", "clear"),
        ("I deny it.", "deny", "clear"),
        ("I dispute that.", "deny", "clear"),
        ("I can't deny it.", "affirm", "clear"),
        ("No, I don't recall.", "none", "hedged"),
        ("I can't remember.", "none", "hedged"),
        ("I don't recall that I slept in the lodge.", "none", "hedged"),
        ("No, but I don't recall the hour.", "deny", "clear"),
        ("I forgot.", "none", "hedged"),
        ("I refuse to discuss that.", "none", "clear"),
    ],
)
def test_a_yes_or_a_no_in_other_words(text, content, manner):
    assert read_answer(text, FIRE, Question("leading", SLEPT)) == (content, manner)


DENIALS = (
    "I deny that {}.",
    "It is false that {}.",
    "It's not true that {}.",
    "I dispute that {}.",
)
GRANTED = ("I don't deny that {}.", "It is true that {}.", "I cannot dispute that {}.")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_verb_before_a_clause_denies_or_grants_it(case):
    for i, fact in enumerate(case.facts):
        for clause, own, other in ((fact.yes, "affirm", "deny"), (fact.no, "deny", "affirm")):
            for frames, content in ((GRANTED, own), (DENIALS, other)):
                for frame in frames:
                    text = frame.format(clause)
                    assert read_answer(text, case, Question("leading", i))[0] == content, text


@given(st.data())
def test_the_menu_is_read_back_as_it_is_meant(data):
    case = data.draw(st.sampled_from(CASES))
    question = Question(
        data.draw(st.sampled_from(("open", "leading"))),
        data.draw(st.integers(0, len(case.facts) - 1)),
    )
    sentences = answer_menu(case, question)
    menu = {act: text for act, text in zip(ANSWERS, sentences, strict=True) if text}
    act = data.draw(st.sampled_from(sorted(menu)))
    text = menu[act]
    if act[0] != "none":
        text = data.draw(st.sampled_from(("", "Yes, ", "No, "))) + text
    if data.draw(st.booleans()):
        text = re.sub(r"[.,:;?!]", "", text)
    assert read_answer(text, case, question) == act


def test_every_sentence_of_the_menus_is_read_back():
    for case in CASES:
        for i in range(len(case.facts)):
            question = Question("open", i)
            for act, text in zip(ANSWERS, answer_menu(case, question), strict=True):
                bare = re.sub(r"[.,:;?!]", "", text)
                assert not text or read_answer(bare, case, question) == act, bare


@pytest.mark.parametrize(
    "piece", ["no ", "yes, ", "i think ", "i'd have to say ", "it is ", "i deny that ", ", it "]
)
def test_long_answers_take_no_long_time(piece):
    start = time.perf_counter()
    read_answer(piece * 3000, FIRE, Question("leading", SLEPT))
    assert time.perf_counter() - start < 3


def test_a_part_is_known_by_its_words():
    question = Question("open", FIRE.index("smoked"))
    assert read_answer("I went behind the hall, for air.", FIRE, question)[0] == "partial"


@pytest.mark.parametrize(
    ("text", "content"),
    [("Yes.", "affirm"), ("Never.", "deny"), ("No comment.", "none"), ("Very nice.", "partial")],
)
def test_answers_to_open_words(text, content):
    assert read_answer(text, FIRE, Question("open", None))[0] == content


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_cases_own_answers_are_read_by_their_content(case):
    """The game knows them by heart; the reading by signal words must not say the contrary."""
    for i in range(len(case.facts)):
        for form in ("open", "leading"):
            question = Question(form, i)
            for (content, _), text in zip(ANSWERS, answer_menu(case, question), strict=True):
                if content in ("affirm", "deny") and text:
                    assert read_answer(text, case, question)[0] == content, text
