"""What all games share, whatever is played: nothing that slows every look at an env."""

from __future__ import annotations

import copy
import pickle

import pytest

from unspoken.envs.base import DialogueEnv
from unspoken.envs.registry import games


@pytest.fixture(params=sorted(games()))
def env(request):
    made = games()[request.param].env()
    made.reset(seed=0)
    return made


def moved(env, moves=1):
    for _ in range(moves):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    return env


def test_python_finds_attributes_the_fast_way(env):
    """A `__getattr__`, or more than 30 names in `__dict__`, makes each of them slower."""
    assert not hasattr(DialogueEnv, "__getattr__")
    assert len(vars(moved(env, 2))) <= 30


@pytest.mark.parametrize("first", ["last", "infos"])
def test_an_info_is_made_once_a_position(env, first):
    moved(env)
    agent = env.agent_selection
    seen = env.last()[4] if first == "last" else env.infos[agent]
    assert env.last()[4] is env.infos[agent] is seen
    assert env.info(agent) is not seen
    moved(env)
    assert env.last()[4] is env.infos[env.agent_selection] is not seen


def test_infos_of_a_finished_game_are_each_agent_s_own(env):
    moved(env).void("somebody left")
    for agent in env.possible_agents:
        assert env.agent_selection == agent
        seen = env.last()[4]
        assert seen is env.infos[agent]
        assert seen["speaker"] == env.info(agent)["speaker"]
        assert seen["result"] == env.result
        env.step(None)
    assert env.infos == {}


def test_copies_go_on_by_themselves(env):
    moved(env)
    before, turned = env.history, env.agent_selection
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert (other.history, other.agent_selection) == (before, turned)
        moved(other)
        assert (env.history, env.agent_selection) == (before, turned)


def test_who_speaks_is_named_in_the_transcript(env):
    moved(env)
    lines = env.observe(env.possible_agents[0])["observation"].splitlines()
    for line in env.history:
        name = line.role.replace("_", " ").capitalize()
        assert f"{name} (turn {line.turn}): {line.text}" in lines
