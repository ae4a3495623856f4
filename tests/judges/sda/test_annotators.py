"""The rule-based annotator, specs, and annotators as jurors of the cross-examination."""

import copy
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unspoken.agents.specs import SpecError
from unspoken.envs.cross_examination.cases import DEFAULT, load
from unspoken.envs.cross_examination.interpreter import Annotator as GameAnnotator
from unspoken.envs.cross_examination.interpreter import read_answer
from unspoken.envs.cross_examination.rules import Question
from unspoken.envs.cross_examination_v0 import env as cross_examination
from unspoken.evaluator.sda_reference import COMMITMENTS
from unspoken.judges.sda.annotators import Annotator, Labels, make_annotator
from unspoken.judges.sda.annotators.reading import asked, claim, said
from unspoken.judges.sda.annotators.rules import OPENING, RuleBasedAnnotator
from unspoken.judges.sda.transcripts import OUTCOMES, REASONS, Exchange, Turn

RULES = RuleBasedAnnotator()
BEFORE = [Exchange("Your name?", "Ann Lee.")] * OPENING


def labels(question, answer, before=BEFORE):
    return RULES.annotate([*before, Exchange(question, answer)]).labels


@pytest.mark.parametrize(
    ("question", "form", "negative"),
    [
        ("Where were you that evening?", "open", False),
        ("So, at what time did he come?", "open", False),
        ("You drove off. Then who called the police?", "open", False),
        ("Tell the jury what you saw.", "open", False),
        ("Slowed down from what?", "open", False),
        ("Did you brake before the impact?", "yes_no", False),
        ("Okay. Have you never been there?", "yes_no", True),
        ("You were there, weren't you?", "leading", False),
        ("You were not there, were you?", "leading", True),
        ("You can't practise in this state, can you, doctor?", "leading", True),
        ("You signed it; is that correct?", "leading", False),
        ("You have no notes of that; is that correct?", "leading", True),
        ("Isn't it true that you were there?", "leading", False),
        ("Didn't you see him?", "leading", False),
        ("Would you agree that it was dark?", "leading", False),
        ("When you came home, you saw the light, right?", "leading", False),
        ("And it was dark by then?", "leading", False),
        ("You wanted him gone.", "remark", False),
        ("That is not what I asked.", "remark", True),
    ],
)
def test_what_questions_ask_for(question, form, negative):
    found = asked(question)
    assert (found.form, found.negative) == (form, negative)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("Yes, sir.", "yes"),
        ("Well, that's absolutely correct.", "yes"),
        ("I did.", "yes"),
        ("Thirty, yes.", "yes"),
        ("It's possible.", "yes"),
        ("I suppose so.", "yes"),
        ("No.", "no"),
        ("No, sir, I did not.", "no"),
        ("I didn't.", "no"),
        ("In their notes? No.", "no"),
        ("That is not correct.", "no"),
        ("Not necessarily.", "no"),
        ("I don't think so.", "no"),
        ("I'm afraid not.", "no"),
        ("Yes and no.", "mixed"),
        ("I can't recall.", "forgets"),
        ("I don't recall.", "forgets"),
        ("No, I don't know that.", "forgets"),
        ("I have no idea.", "forgets"),
        ("I'm not a clerk. I couldn't tell you that.", "forgets"),
        ("I don't recall the hour, but it was dark and he was alone.", "content"),
        ("I would rather not discuss that.", "refuses"),
        ("No comment.", "refuses"),
        ("Are you asking me?", "counter"),
        ("The wife was being ---", "broken"),
        ("(Nods.)", "empty"),
        ("...", "empty"),
        ("No state has ever refused me.", "content"),
        ("My keys hang in the kitchen.", "content"),
    ],
)
def test_what_answers_do(answer, kind):
    assert said(answer).kind == kind


@pytest.mark.parametrize(
    ("question", "answer", "commitment"),
    [
        ("You were there, weren't you?", "Yes.", "detrimental"),
        ("You were there, weren't you?", "I was there.", "detrimental"),
        ("You were there, weren't you?", "No.", "beneficial"),
        ("You did not call anybody, did you?", "No.", "detrimental"),
        ("You did not call anybody; is that correct?", "That's correct.", "detrimental"),
        ("You did not call anybody?", "I called the police.", "beneficial"),
        ("You called the police?", "I never called the police.", "beneficial"),
        ("Where were you?", "At home, with my daughter.", "beneficial"),
        ("Good morning.", "Yes, good morning.", "neutral"),
        ("Did you lock the door?", "I don't recall.", "none"),
        ("Do you remember the colour?", "I don't remember.", "beneficial"),
        ("Did you lock the door?", "I would rather not say.", "none"),
        ("You told him?", "I didn't say that, sir.", "beneficial"),
        ("Did you lock the door?", "I won't answer that.", "none"),
        ("Did you lock the door?", "Why would I lock it?", "none"),
        ("Did you lock the door?", "After he ---", "none"),
        ("Did you lock the door?", "(No response.)", "none"),
    ],
)
def test_commitments(question, answer, commitment):
    assert labels(question, answer).commitment == commitment


def test_what_is_granted_at_the_opening_is_background():
    assert labels("You are the registrar?", "Yes.", before=[]).commitment == "neutral"
    assert labels("You are not licensed, are you?", "No.", before=[]).commitment == "detrimental"
    assert labels("You are the registrar?", "No.", before=[]).commitment == "beneficial"


@pytest.mark.parametrize(
    ("question", "answer", "violated"),
    [
        ("Did you see the van?", "Yes, I saw the van.", ""),
        ("Did you see the van?", "Lovely weather, Tuesday.", "rel"),
        ("Did you see the van?", "I think I saw the van.", "man"),
        ("Did you see the van?", "To my knowledge the van came by.", "man"),
        ("Where was the van?", "I think at the corner.", ""),
        ("Did you see the van?", "Which van?", "man"),
        ("Did you see the van?", "I won't answer that.", "man"),
        ("Did you see the van?", "I don't recall.", ""),
        ("You testified that you saw the van, didn't you?", "I don't recall.", "qual"),
        ("You testified to that; do you remember it?", "I don't recall.", ""),
    ],
)
def test_maxims(question, answer, violated):
    found = labels(question, answer)
    assert [name for name in ("rel", "man", "qual") if getattr(found, name)] == violated.split()


def test_a_contradiction_names_the_earlier_turn():
    turns = [
        Exchange("Did you drive the van that evening?", "No."),
        Exchange("Who was at home?", "My daughter."),
        Exchange("You drove the van that evening, didn't you?", "Yes."),
        Exchange("You did not drive the van that evening?", "That is correct."),
        Exchange("Did you drive the lorry that evening?", "Yes."),
    ]
    found = [RULES.annotate(turns[: n + 1]).labels for n in range(len(turns))]
    assert [one.contradicts for one in found] == [None, None, 1, 3, None]
    assert [one.const for one in found] == [False, False, True, True, False]
    assert (found[2].outcome, found[2].reasons) == ("questioner", ("credibility",))
    assert claim(turns[1]).words == {"daughter"}


def test_outcomes_follow_from_the_labels():
    assert labels("You saw it?", "No.")[6:8] == ("witness", ("logic",))
    assert labels("You saw it?", "Yes.")[6:8] == ("questioner", ("logic",))
    assert labels("You saw it?", "I won't answer that.")[6:8] == ("questioner", ("credibility",))


pieces = [
    "you",
    "did",
    "not",
    "the van",
    ",",
    "didn't",
    "?",
    ".",
    "no",
    "yes",
    "I recall",
    "--",
    "(",
]
text = st.text(max_size=80) | st.lists(st.sampled_from(pieces)).map(" ".join)


@given(st.lists(st.builds(Exchange, text, text), min_size=1, max_size=4))
@settings(max_examples=200)
def test_any_words_get_labels_that_are_allowed(turns):
    found = RULES.annotate(turns)
    assert found.problem == ""
    assert found == RuleBasedAnnotator().annotate(list(turns))
    one = found.labels
    assert one.commitment in COMMITMENTS
    assert one.outcome in OUTCOMES
    assert set(one.reasons) <= set(REASONS)
    assert one.const == (one.contradicts is not None)
    assert one.contradicts is None or 0 < one.contradicts < len(turns)
    assert isinstance(one.turn(turns[-1]), Turn)


@pytest.mark.parametrize(
    "piece", ["-", "- ", "no ", "(", "a, ", "well ", "...", "? ", "n't ", "\n"]
)
def test_long_texts_take_no_long_time(piece):
    """Nor would they end in a tester's lifetime if patterns tried every split."""
    RULES.annotate([Exchange(piece * 5000, piece * 5000), Exchange(piece * 5000, piece * 5000)])


def test_labels_do_not_hang_on_the_hash_seed():
    code = (
        "from unspoken.judges.sda.annotators import make_annotator;"
        "from unspoken.judges.sda.transcripts import read;"
        "turns = read('unspoken/data/sda/alibi.csv')[0].turns;"
        "rules = make_annotator('rules');"
        "print([rules.annotate(turns[:n + 1]) for n in range(len(turns))])"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
        ).stdout
        for seed in "12"
    ]
    assert runs[0] == runs[1] != b""


class Deaf(Annotator):
    """An annotator of a user's own."""

    def __init__(self, name="deaf"):
        self.name = name

    def annotate(self, turns, witness=""):
        raise NotImplementedError

    def label(self, case, history, question, answer):
        raise NotImplementedError


def test_specs():
    assert isinstance(make_annotator("rules"), RuleBasedAnnotator)
    assert make_annotator("rules").name == "rules"
    assert make_annotator(f"{__name__}:Deaf").name == "deaf"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("ruls", "there is no annotator 'ruls'; choose from .*openai:MODEL, rules, or an import"),
        ("openai", "annotator 'openai': write openai:MODEL"),
        ("rules?style=few-shot", "has no option 'style'; its options: none"),
        ("builtins:dict", "annotator 'builtins:dict' is no annotator: derive it from Annotator"),
    ],
)
def test_wrong_specs(spec, message):
    with pytest.raises(SpecError, match=message):
        make_annotator(spec)


# In the game -------------------------------------------------------------------------------------


def judged(annotator, *answers):
    """The last label of a game on whether Voss took the memo home, which would hurt him."""
    env = cross_examination(case="leaked_memo", utterances="free", annotator=annotator)
    env.reset(seed=1)
    for answer in answers:
        env.step("You took the memo home, didn't you?")
        env.step(answer)
    return env.infos["witness_0"]["turns"][-1].label


def test_the_case_tells_what_helps_and_the_words_how_it_is_said():
    assert isinstance(RULES, GameAnnotator)
    assert judged("rules", "Yes.") == ("detrimental", False, False, False, False)
    assert judged("rules", "I think so, in a way, yes.") == (
        "detrimental",
        False,
        True,
        False,
        False,
    )
    assert judged("rules", "No, sir.") == ("beneficial", False, False, False, False)
    assert judged("rules", "I won't answer that.") == ("none", False, True, False, False)
    assert judged("rules", "No, sir.", "Yes, I did.").const


@pytest.mark.parametrize(
    "answer",
    [
        *("Yes, sir.", "I did.", "That's absolutely correct.", "I think so.", "I'm afraid so."),
        *("No.", "I didn't.", "Not necessarily.", "I don't think so.", "I'd have to say no."),
        *("I don't recall.", "No, I don't know that.", "I have no idea.", "I can't say."),
        *("I would rather not discuss that.", "No comment.", "I won't answer that."),
        *("Yes and no.", "...", "Why would I?"),
    ],
)
def test_the_game_and_the_annotator_hear_the_same(answer):
    case = load(DEFAULT / "leaked_memo.toml")
    content, _ = read_answer(answer, case, Question("leading", case.index("took_home")))
    assert content == {"yes": "affirm", "no": "deny"}.get(said(answer).kind, "none")


@pytest.mark.parametrize(
    ("answer", "content"),
    [("It was off.", "deny"), ("I think it was on.", "affirm"), ("I'm afraid not.", "deny")],
)
def test_what_is_labelled_by_an_annotator_goes_on_record_too(answer, content):
    env = cross_examination(case="incident_report", utterances="free", annotator="rules")
    env.reset(seed=1)
    env.step("The seat belt sign was on when the water was spilled, was it?")
    env.step(answer)
    turn = env.infos["witness_0"]["turns"][-1]
    assert turn.content == content
    assert turn.stance is not None


def test_the_game_can_be_copied_and_pickled():
    env = cross_examination(utterances="free", annotator="rules")
    env.reset(seed=0)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        twin.step("Where were you?")
        twin.step("At home, I think.")
    assert Labels._fields[0] == "commitment"
