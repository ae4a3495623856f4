"""How free words are read: questions, answers, and their limits."""

import pytest

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
        ("It is not true that I slept in the lodge.", "none", "vague"),  # no better than that
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
