"""Methods: what they ask, in which order, and which reply is played (SNEAK 3.2)."""

import pytest
from support.openai_server import Answer

from unspoken.envs.registry import game

BANK = game("aidg_search").menu("seeker")


@pytest.fixture
def asked(openai_server, make, situation):
    """Lets a seeker with a method move over scripted replies; returns the move and the trace."""

    def of(*replies, **options):
        openai_server.script(*map(Answer, replies))
        agent = make("seeker", **options)
        move = agent.act(*situation())
        return move, agent.take_trace()

    return of


def texts(call):
    return [m["content"] for m in call["messages"]]


def test_cot_plays_what_stands_between_the_tags(asked):
    said = f"A lamp? I would ask first.\n<answer>no</answer> No: <answer>{BANK[0]}</answer>"
    move, (call,) = asked(said, method="cot")
    assert move == BANK[0]
    assert call["step"] == "reason"
    assert "<answer>" in texts(call)[-1]


def test_a_message_keeps_the_tags_by_which_sneak_finds_it(openai_server, make):
    spec = game("sneak").with_options(utterances="free")
    env = spec.env()
    env.reset(seed=0, options={"secret": "bird/owl"})
    openai_server.script(Answer("It hunts by <b>night</b>.\n<message>silent hunter</message>"))
    agent = make("speaker", spec, method="cot")
    said = agent.act(env.observe("speaker_0"), env.infos["speaker_0"])
    assert said == "<message>silent hunter</message>"


def test_reasoning_without_tags_is_never_said(asked):
    move, calls = asked("I think it is the lamp.", BANK[1], method="cot")
    assert move == BANK[1]
    assert [call["step"] for call in calls] == ["reason", ""]
    assert calls[0]["unreadable"]


def test_self_consistency_plays_the_majority(asked):
    move, calls = asked(BANK[0], BANK[1], BANK[1].upper(), method="self-consistency")
    assert move == BANK[1]
    assert [call["step"] for call in calls] == ["sample"] * 3


def test_sets_corrects_what_is_not_verified_and_plays_the_majority(asked):
    move, calls = asked(
        BANK[0], "It says too much.\nVERDICT: bad", BANK[2], BANK[2], "Fine.\n**Verdict: good**",
        method="sets", samples=2,
    )  # fmt: skip
    assert move == BANK[2]
    assert [call["step"] for call in calls] == ["sample", "verify", "correct", "sample", "verify"]
    assert texts(calls[2])[-4::2] == [BANK[0], "It says too much.\nVERDICT: bad"]


def test_sets_lets_the_model_choose_among_equals(asked):
    good = "VERDICT: good"
    move, calls = asked(BANK[0], good, BANK[1], good, "Number 2.", method="sets", samples=2)
    assert move == BANK[1]
    assert calls[-1]["step"] == "choose"
    assert f"1) {BANK[0]}\n2) {BANK[1]}" in texts(calls[-1])[-1]


@pytest.mark.parametrize("choice", ["", "none of them", "7"])
def test_an_unreadable_choice_takes_the_first(asked, choice):
    good = "VERDICT: good"
    move, _ = asked(BANK[0], good, BANK[1], good, choice, method="sets", samples=2)
    assert move == BANK[0]


def test_sets_stops_after_so_many_corrections(asked):
    bad = "VERDICT: bad"
    move, calls = asked(*[BANK[0], bad] * 2, BANK[4], method="sets", samples=1, corrections=2)
    assert move == BANK[4]
    assert len(calls) == 5


def test_rmr_refines_its_own_first_version(asked):
    move, calls = asked(BANK[0], BANK[3], method="rmr")
    assert move == BANK[3]
    assert [call["step"] for call in calls] == ["draft", "refine"]
    assert texts(calls[1])[-2] == BANK[0]
    assert texts(calls[1])[:-2] == texts(calls[0])


def test_own_templates_go_first(asked, tmp_path):
    (tmp_path / "aidg_search").mkdir()
    (tmp_path / "aidg_search" / "seeker.rmr.jinja").write_text("Once more, {{ role }}.")
    _, calls = asked(BANK[0], BANK[3], method="rmr", prompts=tmp_path)
    assert texts(calls[1])[-1] == "Once more, seeker."


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "magic"}, "method='magic' does not exist; choose from plain, cot"),
        ({"samples": 0}, "samples=0: 1 or more"),
        ({"corrections": -1}, "corrections=-1: 0 or more"),
    ],
)
def test_bad_options(make, options, said):
    with pytest.raises(ValueError, match=said):
        make(**options)


def test_what_is_sent_in_vain_is_in_the_trace(openai_server, make, situation):
    openai_server.script("503", Answer(BANK[0]), "429", Answer(BANK[1]))
    agent = make("seeker", method="rmr")
    assert agent.act(*situation()) == BANK[1]
    assert [call["attempts"] for call in agent.take_trace()] == [2, 2]
