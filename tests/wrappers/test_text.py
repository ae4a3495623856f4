"""Agents that talk play by menu, and agents that choose talk."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from support.players import Asker

from unspoken.agents.base import Agent, AgentFailure, BaseAgent, Outcome
from unspoken.agents.random import RandomAgent
from unspoken.agents.specs import make_agent, roles_of
from unspoken.envs.registry import game, games, role_of
from unspoken.wrappers.single import SingleAgent
from unspoken.wrappers.text import MenuToText, TextToMenu


class Talker(BaseAgent):
    """Says a legal sentence of the menu, in other letters."""

    def __init__(self, name="talker"):
        super().__init__(name)

    def act(self, observation, info):
        assert "action_mask" not in observation
        assert "action_mask" not in info
        menu = info.get("menu") or self.spec.menu(self.role)
        return f" {menu[int(self.rng.choice(np.flatnonzero(info['menu_mask'])))]} "


class Says(Talker):
    """Says one thing."""

    def __init__(self, text):
        super().__init__()
        self.text = text

    def act(self, observation, info):
        return self.text


class Chooser(RandomAgent):
    """Knows menus only."""

    def act(self, observation, info):
        assert "menu_mask" not in info
        np.testing.assert_array_equal(observation["action_mask"], info["action_mask"])
        return super().act(observation, info)


def play(spec, wrapped, seed) -> tuple:
    env = spec.env()
    env.reset(seed=seed)
    players = {agent: copy.deepcopy(wrapped) for agent in env.agents}
    for number, (agent, player) in enumerate(players.items()):
        player.reset(role_of(agent), spec, 100 * seed + number)
    while env.result is None:
        agent = env.agent_selection
        observation, _, _, _, info = env.last()
        env.step(players[agent].act(observation, info))
    return env.history


@pytest.mark.parametrize("name", games())
def test_a_talker_plays_by_menu(name) -> None:
    wrapped = TextToMenu(Talker())
    for seed in range(3):
        history = play(game(name), wrapped, seed)
        assert history == play(game(name), wrapped, seed)


@pytest.mark.parametrize("name", games())
def test_a_chooser_talks_in_sentences_of_the_menu(name) -> None:
    spec = game(name)
    for seed in range(3):
        by_menu = play(spec, RandomAgent(), seed)
        talked = play(spec.with_options(utterances="free"), MenuToText(Chooser()), seed)
        assert [m.text for m in talked] == [m.text for m in by_menu]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Is it a chair?", "is no move of the menu"),
        ("lock: unicorn", "is no move of the menu"),
        ("", "is no move of the menu"),
    ],
)
def test_what_is_no_move_is_a_failure_that_says_why(text, why) -> None:
    env = SingleAgent("aidg_search", "holder", TextToMenu(Says(text)))
    with pytest.raises(AgentFailure, match=why):
        env.reset(seed=0)
    agent = TextToMenu(Says(text))
    spec = game("aidg_search")
    inner = spec.env()
    inner.reset(seed=0)
    agent.reset("seeker", spec, 0)
    observation, _, _, _, info = inner.last()
    with pytest.raises(AgentFailure, match=why):
        agent.act(observation, info)


def test_indices_and_texts_pass_as_they_are() -> None:
    spec, free = game("aidg_search"), game("aidg_search").with_options(utterances="free")
    for given, wrapper, said in ((spec, TextToMenu, 4), (free, MenuToText, "Is it alive?")):
        env, agent = given.env(), wrapper(Says(said))
        env.reset(seed=0)
        agent.reset("seeker", given, 0)
        observation, _, _, _, info = env.last()
        assert agent.act(observation, info) == said


def test_they_are_agents_with_name_roles_and_memory() -> None:
    for wrapper in (TextToMenu, MenuToText):
        table = wrapper(make_agent("table", "aidg_search"))
        assert isinstance(table, Agent)
        assert (table.name, table.quick) == ("table", True)
        assert roles_of(table, ("seeker", "holder")) == ("holder",)
        told: list[Outcome] = []
        inner = Asker()
        inner.observe = told.append
        wrapper(inner).observe("outcome")
        assert told == ["outcome"]
