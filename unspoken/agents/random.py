"""An agent that says anything legal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unspoken.agents.base import BaseAgent, legal_actions


@dataclass
class RandomAgent(BaseAgent):
    """Uniform over the legal menu entries; any game, any role."""

    name: str = "random"

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int:
        """A legal index of the menu."""
        return int(self.rng.choice(legal_actions(observation, info)))
