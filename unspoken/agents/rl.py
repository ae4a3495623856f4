"""The package's own trained policies as one agent: `rl`, or `rl?stochastic=true`."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from unspoken.agents.base import BaseAgent
from unspoken.agents.sb3 import SB3Agent
from unspoken.envs.registry import GameSpec, games
from unspoken.envs.registry import game as find

FOLDER = files("unspoken.data") / "policies"
"""`GAME_ROLE.zip`, a policy each; its README says how each was made."""
EXTRA = ("torch", "stable_baselines3", "sb3_contrib")
"""What the extra `rl` installs."""


class RLAgent(BaseAgent):
    """Plays each role of a game by the policy that the package brings for it.

    It has no other role: in the others it is absent from tables, as agents of one role are. As
    with `sb3:FILE.zip`, only weights are read from the files, which cannot run code.

    Args:
        name: how tables call it.
        game: the game's name.
        stochastic: draw moves by their probabilities instead of taking the likeliest.

    Raises:
        ImportError: if the extra `rl` is not installed.
        ValueError: if there is no policy for the game.
    """

    def __init__(self, name: str, game: str, *, stochastic: bool = False) -> None:
        super().__init__(name)
        found = shipped(game)
        if not found:
            known = [other for other in games() if shipped(other)]
            raise ValueError(
                f"no policy for {game} comes with the package, only for {', '.join(known)}; "
                f"`unspoken train {game}` makes one, to be played as sb3:FILE.zip"
            )
        self.game = game  # type: ignore[misc]
        self.roles = frozenset(found)  # type: ignore[misc]
        self._policies = {
            role: SB3Agent(str(path), name, stochastic=stochastic) for role, path in found.items()
        }

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role.

        Raises:
            ValueError: if it has no policy for this role, or for these options of the game.
        """
        super().reset(role, spec, seed)
        self._policies[role].reset(role, spec, seed)

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int:
        """An index of the menu."""
        return self._policies[self.role].act(observation, info)


def shipped(game: str) -> dict[str, str]:
    """The files of a game's policies by role; nothing heavy is imported."""
    named = {role: FOLDER / f"{game}_{role}.zip" for role in find(game).roles}
    return {role: str(path) for role, path in named.items() if path.is_file()}


def installed() -> bool:
    """Whether the extra `rl` is there; nothing of it is imported."""
    return all(importlib.util.find_spec(name) is not None for name in EXTRA)
