"""Language models in the cross-examination: prompts, and whole games against the local server."""

import json
from itertools import pairwise

import pytest
from support.openai_server import FAULTS, KEY, Answer

from unspoken.agents.llm.prompts import Prompts
from unspoken.envs.registry import game

SPEC = game("cross_examination")
FIRE = {"secret": "warehouse_fire"}
ENDINGS = ("believed", "discredited")


@pytest.fixture
def seats(make):
    def of(**options):
        return {"questioner_0": make(**options), "witness_0": make(**options)}

    return of


def prompts(role, *said, **options):
    """The system message, the last message, and the env, after some lines."""
    spec = SPEC.with_options(**options)
    env = spec.env(utterances="free")
    env.reset(seed=0, options=FIRE)
    for line in said:
        env.step(line)
    messages = Prompts(None, spec, role).conversation(env.infos[f"{role}_0"])
    return messages[0]["content"], messages[-1]["content"], env


def test_the_questioners_rules():
    text, turn, env = prompts("questioner", max_turns=7)
    for words in (
        "You are the questioner",
        "The warehouse fire",
        "Pavel Orlik",
        "he did his rounds",
        "7 questions at most",
        "Orlik slept in the lodge (hurts the witness if it is so)",
        "(nobody disputes this; neither helps nor hurts)",
        "Who makes a round every hour does not sleep.",
        "nothing else",
    ):
        assert words in text, words
    held = env.infos["questioner_0"]["exhibits"]
    assert len(held) == 3
    for exhibit in env._game.case.exhibits:
        assert (exhibit.text in text) == (exhibit in held)
    assert "You hold these exhibits" not in prompts("questioner", exhibits=0)[0]
    assert turn == "(Question 1 of 7. Begin the examination.)"
    assert ", the last" in prompts("questioner", max_turns=1)[1]


def test_the_witnesss_rules():
    text, turn, env = prompts("witness", "What did you do in the lodge?")
    for words in (
        "You are the witness",
        "You are Pavel Orlik",
        "12 questions at most",
        "Orlik slept in the lodge: true (to affirm it hurts you)",
        "Orlik made a round every hour: not true (to affirm it helps you)",
        "contradicts your own earlier words",
    ):
        assert words in text, words
    assert not any(exhibit.text in text for exhibit in env._game.case.exhibits)
    assert turn.splitlines() == ["What did you do in the lodge?", "(Question 1 of 12.)"]


@pytest.mark.parametrize("seed", range(3))
def test_blocking_and_not_is_the_same_game(play, seats, seed):
    (env, calls), (other, others) = [
        play(seats(), seed=seed, spec=SPEC, blocking=blocking) for blocking in (True, False)
    ]
    assert (env.result, env.history) == (other.result, other.history)
    assert env.result.outcome in ENDINGS
    assert len(calls) == len(others) == len(env.history)


def test_what_models_say_is_taken_for_moves(play, seats):
    forms, contents = set(), set()
    for seed in range(6):
        env, _ = play(seats(), seed=seed, spec=SPEC)
        asked = [turn for turn in env._game.turns if turn.question.fact is not None]
        forms |= {turn.question.form for turn in asked}
        contents |= {turn.content for turn in asked}
    assert forms == {"open", "leading", "impeachment"}
    assert contents >= {"affirm", "deny", "none"}


def test_requests_grow_by_the_new_lines_only(play, seats):
    env, calls = play(seats(), spec=SPEC.with_options(max_turns=5))
    assert env.result.turn == 5
    for own in (calls[::2], calls[1::2]):
        for before, after in pairwise(own):
            asked = before["messages"]
            assert after["messages"][: len(asked)] == asked
    assert "Question 5 of 5, the last" in calls[-1]["messages"][-1]["content"]


@pytest.mark.parametrize("rate", [0.3, 1.0])
@pytest.mark.parametrize("blocking", [True, False])
def test_no_mix_of_faults_breaks_a_game(openai_server, play, seats, rate, blocking):
    for seed in range(2):
        openai_server.trouble(rate, seed=seed, faults=tuple(FAULTS))
        agents = seats(timeout=0.1, retries=3)
        env, calls = play(agents, seed=seed, spec=SPEC, blocking=blocking)
        assert env.result.reason or env.result.outcome in ENDINGS
        saved = json.dumps(calls, ensure_ascii=False).encode()
        assert KEY.encode() not in saved
        assert KEY not in env.result.reason
        assert KEY not in repr(agents) + repr(vars(env))


def test_by_menu(openai_server, play, seats):
    openai_server.trouble(0.2, seed=1, faults=("503", "empty", "garbage"))
    env, calls = play(seats(retries=20), spec=SPEC.with_options(utterances="menu"))
    assert env.result.outcome in ENDINGS
    assert all(line.action >= 0 for line in env.history)
    assert len(calls) >= len(env.history)


def test_every_sentence_that_is_shown_can_be_said(openai_server, make):
    spec = SPEC.with_options(utterances="menu")
    env = spec.env()
    env.reset(seed=1, options=FIRE)
    for role in ("questioner", "witness"):
        agent, seat = make(role, spec), f"{role}_0"
        seen = env.observe(seat), env.infos[seat]
        agent.act(*seen)
        text = openai_server.requests[-1]["messages"][0]["content"]
        listed = text.split("written here:\n")[1].split("\n\n")[0].splitlines()
        for action, sentence in zip(seen[0]["action_mask"].nonzero()[0], listed, strict=True):
            openai_server.script(Answer(sentence))
            assert agent.act(*seen) == action
        assert not any(call["unreadable"] for call in agent.take_trace())
        env.step(int(seen[0]["action_mask"].argmax()))
