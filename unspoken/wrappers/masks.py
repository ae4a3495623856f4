"""Games in numbers, with the mask of what is legal where each library looks for it.

| library | what it takes |
| --- | --- |
| sb3-contrib | `SingleAgent.action_masks()` |
| Tianshou, TorchRL, AgileRL, PettingZoo | `FeaturesEnv` |
| RLlib | `RLlibEnv` |
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils.wrappers import BaseWrapper

from unspoken.agents import features
from unspoken.envs.base import DialogueEnv
from unspoken.envs.registry import GameSpec, game, role_of


class FeaturesEnv(BaseWrapper[str, Any, Any]):
    """A game whose observations are numbers, as a PettingZoo AEC environment.

    `observation_space(agent)` is `Dict(observation=Box, action_mask=Box)`: float32 [n], of
    `unspoken.agents.features` with zeros up to the longest of all roles, and int8 [m]. Both are
    the same for all agents, as shared networks need it. Infos hold the mask alone; the game's own
    are at `unwrapped.infos`. TorchRL and others that sample for everybody want
    `nonzero_mask=True`.

    Args:
        game: the game's name, or its spec with options.
        options: of the game.

    Raises:
        ValueError: if the game, an option or the game's features do not exist.
    """

    observation_key = "observation"
    mask_type: type[np.generic] = np.int8

    def __init__(self, game: str | GameSpec, **options: Any) -> None:
        self._game = _menu_game(game, options)
        self._core: DialogueEnv = self._game.env()
        super().__init__(self._core)
        boxes = {role: features.space(self._game, role) for role in self._game.roles}
        n = max(box.shape[0] for box in boxes.values())
        self._n = n
        low = min(float(box.low.min()) for box in boxes.values())
        high = max(float(box.high.max()) for box in boxes.values())
        m = max(map(len, map(self._core.menu, self._core.possible_agents)))
        space = spaces.Dict(
            {
                self.observation_key: spaces.Box(min(low, 0), max(high, 0), (n,), np.float32),
                "action_mask": spaces.Box(0, 1, (m,), self.mask_type),
            }
        )
        self._spaces = dict.fromkeys(self._core.possible_agents, space)

    def observation_space(self, agent: str) -> spaces.Dict:
        """Space of the agent's observations; the same object at every call."""
        return self._spaces[agent]

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What the agent knows now, and what is legal; for any possible agent at any time."""
        # agents that have left have no place in `infos`
        info = self._core.infos.get(agent) or self._core.info(agent)
        numbers = np.zeros(self._n, np.float32)
        own = features.encode(self._game, role_of(agent), info)
        numbers[: len(own)] = own
        return {self.observation_key: numbers, "action_mask": self._shown(info["action_mask"])}

    @property
    def infos(self) -> dict[str, dict[str, Any]]:  # type: ignore[override]
        """The mask of every agent that is still there; TorchRL takes nothing but numbers."""
        return {
            agent: {"action_mask": info["action_mask"]} for agent, info in self._core.infos.items()
        }

    def _shown(self, mask: NDArray[np.int8]) -> NDArray[Any]:
        return mask.copy()


class RLlibEnv(FeaturesEnv):
    """`FeaturesEnv` as RLlib's action-masking module takes it.

    The numbers are under "observations"; the mask is float32, and all ones for agents that are
    not to move.
    """

    observation_key = "observations"
    mask_type = np.float32

    def _shown(self, mask: NDArray[np.int8]) -> NDArray[Any]:
        return (mask if mask.any() else np.ones_like(mask)).astype(np.float32)


def _menu_game(wanted: str | GameSpec, options: dict[str, Any]) -> GameSpec:
    spec = game(wanted) if isinstance(wanted, str) else wanted
    return spec.with_options(**options, utterances="menu")
