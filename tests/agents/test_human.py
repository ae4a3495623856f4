"""A person at the terminal."""

import builtins

import pytest

from unspoken.agents.base import AgentFailure
from unspoken.agents.human import HumanAgent, play
from unspoken.envs.registry import game

SPEC = game("aidg_search")


def person(lines, role="seeker"):
    shown = []
    agent = HumanAgent(ask=lambda prompt: next(lines), show=shown.append)
    agent.reset(role, SPEC, 0)
    return agent, shown


def test_refused_with_a_reason_and_asked_again() -> None:
    agent, shown = person(iter(["", "hello", "Is it alive?"]))
    env = SPEC.env(utterances="free")
    env.reset(seed=0)
    action = agent.act(env.observe("seeker_0"), env.infos["seeker_0"])
    assert action == "Is it alive?"
    assert len(shown) == 4  # the brief, the help, two reasons


def test_in_menu_mode_words_become_the_index() -> None:
    agent, _ = person(iter(["is it alive"]))
    env = SPEC.env()
    env.reset(seed=0)
    action = agent.act(env.observe("seeker_0"), env.infos["seeker_0"])
    assert env.menu("seeker_0")[action] == "Is it alive?"


def test_a_question_mark_searches_the_menu() -> None:
    agent, shown = person(iter(["? lock cha", "Is it alive?"]))
    env = SPEC.env(utterances="free")
    env.reset(seed=0)
    agent.act(env.observe("seeker_0"), env.infos["seeker_0"])
    assert "  lock: chair" in shown
    assert not any("alive" in line for line in shown[2:])


def test_the_end_of_the_input_is_a_failure() -> None:
    def ask(prompt):
        raise EOFError

    agent = HumanAgent(ask=ask, show=lambda line: None)
    agent.reset("seeker", SPEC, 0)
    env = SPEC.env(utterances="free")
    env.reset(seed=0)
    with pytest.raises(AgentFailure, match="the input ended"):
        agent.act(env.observe("seeker_0"), env.infos["seeker_0"])


def test_a_whole_game_at_the_terminal(monkeypatch, capsys) -> None:
    lines = iter(["Is it alive?", "can it fly", "lock: chair"])
    monkeypatch.setattr(builtins, "input", lambda prompt: next(lines))
    play(SPEC, "seeker", {"holder": "table"}, seed=5)
    out = capsys.readouterr().out
    assert "holder: " in out
    assert "on turn 3: the " in out
    assert "the secret was: " in out


def test_a_role_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="has no role 'judge'; choose from seeker, holder"):
        play(SPEC, "judge", {}, seed=0)


def test_a_holder_is_told_its_word_and_the_question() -> None:
    agent, shown = person(iter(["yes"]), role="holder")
    env = SPEC.env(utterances="free")
    env.reset(seed=0, options={"secret": "penguin"})
    env.step("Is it alive?")
    assert agent.act(env.observe("holder_0"), env.infos["holder_0"]) == "yes"
    assert "penguin" in shown[0]
    assert "Is it alive?" in shown[0]
