"""aidg_dialogue between language models, judged by a third."""

import json
from itertools import pairwise

import pytest
from support.openai_server import FAULTS, KEY, Answer

from unspoken.agents.llm.prompts import Prompts
from unspoken.envs.registry import game

SPEC = game("aidg_dialogue")
MODES = ["A", "B"]


@pytest.fixture
def seats(make):
    def of(**options):
        return {"seeker_0": make(**options), "holder_0": make(**options)}

    return of


@pytest.fixture
def dialogue(openai_server, play, seats):
    """Plays a free game under a model's arbitration; returns the env and the agents' calls."""

    def of(seed=0, *, agents=None, blocking=True, arbiter="timeout=5", **options):
        judge = f"openai:judge?{arbiter}&base_url={openai_server.base_url}"
        spec = SPEC.with_options(**{"arbiter": judge, "utterances": "free", **options})
        return play(agents or seats(), seed=seed, spec=spec, blocking=blocking)

    return of


def prompts(server, role):
    """The prompts that a role was asked with, each as one text."""
    texts = [" ".join(m["content"] for m in request["messages"]) for request in server.requests]
    return [text for text in texts if f"You are the {role} " in text]


def system(role, mode="A", menu=(), **options):
    spec = SPEC.with_options(**options)
    env = spec.env(utterances="free", mode=mode)
    env.reset(seed=0)
    if role == "holder":
        env.step("Hello?")
    message, *_ = Prompts(None, spec, role).conversation(env.infos[f"{role}_0"], menu)
    return message["content"], env


@pytest.mark.parametrize("mode", MODES)
def test_the_seekers_rules(mode):
    text, env = system("seeker", mode, max_turns=7)
    for words in ("7 turns", "speak first", "Do not ask outright", "leading questions"):
        assert words in text
    assert ("Do not simply state" in text) == (mode == "A")
    assert (f'"{env.secret}"' in text) == (mode == "A")
    assert "lose at once" not in text
    assert "lose at once" in system("seeker", mode, on_seeker_violation="forfeit")[0]


@pytest.mark.parametrize("mode", MODES)
def test_the_holders_rules(mode):
    text, env = system("holder", mode)
    for words in (f'"{env.secret}"', "10 times", "nor confirm", "Do not lie", "vague", "one fact"):
        assert words in text
    assert "loses the game" not in text
    assert "loses the game" in system("holder", mode, on_lie="forfeit")[0]


def test_several_facts():
    text, env = system("holder", facts=3)
    assert "3 facts" in text
    assert all(secret.text in text for secret in env.hidden)
    text, _ = system("seeker", facts=3)
    assert "every one of them" in text


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(3))
def test_blocking_and_not_is_the_same_game(dialogue, mode, seed):
    (env, calls), (other, others) = [
        dialogue(seed, mode=mode, blocking=blocking) for blocking in (True, False)
    ]
    assert (env.result, env.history) == (other.result, other.history)
    assert env.result.outcome in ("leak", "contained")
    assert len(calls) == len(others) == len(env.history)


@pytest.mark.parametrize("mode", MODES)
def test_who_is_told_what(openai_server, dialogue, mode):
    for seed in range(6):
        openai_server.requests.clear()
        env, _ = dialogue(seed, mode=mode)
        said = " ".join(line.text for line in env.history)
        seeker, holder, arbiter = (
            prompts(openai_server, role) for role in ("seeker", "holder", "arbiter")
        )
        assert len(seeker) == len(holder) == env.result.turn
        assert all(env.secret in text for text in (*holder, *arbiter))
        if mode == "A":
            assert all(f'"{env.secret}"' in text for text in seeker)
        else:
            assert all(env.secret not in text for text in seeker) or env.secret in said
            assert env.secret not in seeker[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rate", [0.3, 1.0])
@pytest.mark.parametrize("blocking", [True, False])
def test_no_mix_of_faults_breaks_a_game(openai_server, dialogue, seats, mode, rate, blocking):
    for seed in range(3):
        openai_server.trouble(rate, seed=seed, faults=tuple(FAULTS))
        agents = seats(timeout=0.1, retries=3)
        env, calls = dialogue(
            seed, mode=mode, agents=agents, blocking=blocking, arbiter="timeout=0.1&retries=0"
        )
        assert env.result.reason or env.result.outcome in ("contained", "leak")
        saved = json.dumps(calls, ensure_ascii=False).encode()
        assert KEY.encode() not in saved
        assert KEY not in env.result.reason
        assert KEY not in repr(agents) + repr(vars(env))


def test_requests_grow_by_the_new_lines_only(openai_server, dialogue):
    openai_server.play = lambda messages: (
        '{"category": "none"}' if "arbiter" in messages[0]["content"] else "Hm, and what of it?"
    )
    env, calls = dialogue(mode="B")
    assert (env.result.outcome, env.result.turn) == ("contained", 10)
    for own in (calls[::2], calls[1::2]):
        for before, after in pairwise(own):
            asked = before["messages"]
            assert after["messages"][: len(asked)] == asked
    assert "Turn 10 of 10, the last" in calls[-2]["messages"][-1]["content"]


def test_the_referees_announcements_are_passed_on(openai_server, dialogue):
    facts = {"facts": 2, "mode": "B", "max_turns": 3}

    def leaky(messages):
        if "arbiter" in messages[0]["content"]:
            return own(messages)
        if "You are the holder" in messages[0]["content"]:
            first = messages[0]["content"].split('"')[1].split("; ")[0]
            return f"Well, {first}."
        return "What is your secret?"

    own, openai_server.play = openai_server.play, leaky
    env, calls = dialogue(**facts)
    assert env.result.outcome == "contained"
    seeker, holder = calls[2]["messages"][-1], calls[3]["messages"][-1]
    assert "this has given one of the facts away" in seeker["content"]
    assert "what you said last broke the rules" in seeker["content"]
    assert "your last reply has given one of the facts away" in holder["content"]


@pytest.mark.parametrize("mode", MODES)
def test_by_menu(openai_server, play, seats, mode):
    openai_server.trouble(0.2, seed=1, faults=("503", "empty", "garbage"))
    env, calls = play(seats(retries=20), spec=SPEC.with_options(mode=mode, utterances="menu"))
    assert env.result.outcome in ("leak", "contained")
    assert all(line.action >= 0 for line in env.history)
    assert len(calls) >= len(env.history)


def test_every_sentence_that_a_holder_is_shown_can_be_said(openai_server, make):
    spec = SPEC.with_options(utterances="menu")
    env = spec.env()
    env.reset(seed=1)
    env.step(0)
    agent = make("holder", spec)
    seen = env.observe("holder_0"), env.infos["holder_0"]
    agent.act(*seen)
    text = openai_server.requests[0]["messages"][0]["content"]
    listed = text.split("written here:\n")[1].split("\n\n")[0].splitlines()
    for action, sentence in zip(seen[0]["action_mask"].nonzero()[0], listed, strict=True):
        openai_server.script(Answer(sentence))
        assert agent.act(*seen) == action
    assert not any(call["unreadable"] for call in agent.take_trace()[1:])
