"""Agents that talk where one chooses, and agents that choose where one talks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unspoken.agents.base import Agent, AgentFailure, Outcome, sentences
from unspoken.envs.registry import GameSpec


class _Adapter:
    """An agent for another mode than its own."""

    utterances = ""
    """The mode that the agent within is to see."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.name = agent.name
        self.quick: bool = getattr(agent, "quick", False)
        self.roles: frozenset[str] | None = getattr(agent, "roles", None)

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role."""
        self.role, self.spec = role, spec.with_options(utterances=self.utterances)
        self.agent.reset(role, self.spec, seed)

    def observe(self, outcome: Outcome) -> None:
        """A game in which the agent sat is over."""
        self.agent.observe(outcome)


class TextToMenu(_Adapter):
    """An agent that says texts, in games whose actions are indices of a menu.

    Args:
        agent: sees what it would see in free mode; what it says is read by the game.
    """

    utterances = "free"

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int:
        """The index of what the agent says.

        Raises:
            AgentFailure: if that is not in the menu, or not legal now; names the text and why.
        """
        mask = info["action_mask"]
        free = {key: value for key, value in info.items() if key != "action_mask"}
        free["menu_mask"] = mask.copy()
        said = self.agent.act({"observation": observation["observation"]}, free)
        if not isinstance(said, str):
            return said
        understood = self.spec.understand(self.role, said, free)
        action, problem = understood.action, understood.problem
        if problem or not 0 <= action < len(mask) or not mask[action]:
            why = problem or "no sentence that can be said now means this"
            raise AgentFailure(f"{said!r} is no move of the menu: {why}")
        return action


class MenuToText(_Adapter):
    """An agent that chooses from menus, in games whose actions are texts.

    Args:
        agent: sees what it would see in menu mode; what it chooses is said as the menu has it.
    """

    utterances = "menu"

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> str:
        """The sentence that the agent chooses."""
        mask = info["menu_mask"]
        menu = {key: value for key, value in info.items() if key != "menu_mask"}
        menu["action_mask"] = mask.copy()
        seen = {"observation": observation["observation"], "action_mask": mask.copy()}
        action = self.agent.act(seen, menu)
        return action if isinstance(action, str) else sentences(self.spec, self.role, info)[action]
