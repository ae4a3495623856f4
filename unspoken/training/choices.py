"""What a role can choose from, as numbers: a state, and some numbers for each option of its menu.

A network that gives every option its score by the same rule (`unspoken.training.policy`) need not
learn a menu of hundreds by heart. Each game has a module with two functions of a game, a role, and
what an agent in it knows, as `unspoken.agents.features` has them:

- `layout(spec, role)` names the numbers of the state and of an option;
- `see(spec, role, info)` are the numbers, from nothing but the agent's `info`.

Other distributions put the module of their game in `MODULES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal, NamedTuple, Protocol, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from unspoken.agents import features
from unspoken.envs.base import choose
from unspoken.envs.registry import GameSpec
from unspoken.wrappers.single import SingleAgent

Floats32 = NDArray[np.float32]
View = Literal["options", "features"]

VERSION = 1
"""Raised whenever the same position gives other numbers; policies say which they were made for."""

MODULES: dict[str, str] = {
    "aidg_search": "unspoken.training.aidg_search",
    "aidg_dialogue": "unspoken.training.aidg_dialogue",
    "chameleon": "unspoken.training.chameleon",
    "cross_examination": "unspoken.training.cross_examination",
    "sneak": "unspoken.training.sneak",
}
"""The module of each game's choices; loaded on first use."""


class Layout(NamedTuple):
    """What the numbers are.

    Attributes:
        state: names of the S numbers of the state.
        option: names of the K numbers of an option.
        options: how many options the menu has, A.
    """

    state: tuple[str, ...]
    option: tuple[str, ...]
    options: int

    @property
    def size(self) -> int:
        """How many numbers there are in all, S + A K."""
        return len(self.state) + self.options * len(self.option)


class Seen(NamedTuple):
    """A position as a role sees it.

    Attributes:
        state: float32 [S].
        options: float32 [A, K].
    """

    state: Floats32
    options: Floats32


class GameChoices(Protocol):
    """What a module of choices has."""

    def layout(self, spec: GameSpec, role: str) -> Layout:
        """The names of the numbers."""

    def see(self, spec: GameSpec, role: str, info: Mapping[str, Any]) -> Seen:
        """The numbers; new arrays."""


def layout(spec: GameSpec, role: str) -> Layout:
    """The names of the numbers.

    Raises:
        ValueError: if the game or the role has none; says what to do.
    """
    return _module(spec).layout(spec, role)


def space(spec: GameSpec, role: str, view: View) -> spaces.Box:
    """The space of what `encode` gives.

    Raises:
        ValueError: if the view or its numbers do not exist.
    """
    choose("view", view, ("options", "features"))
    if view == "features":
        return features.space(spec, role)
    return spaces.Box(-np.inf, np.inf, (layout(spec, role).size,), np.float32)


def encode(spec: GameSpec, role: str, view: View, info: Mapping[str, Any]) -> Floats32:
    """What a policy gets to see, float32 [n]; a new array.

    Args:
        spec: the game and its options.
        role: the agent's.
        view: "options" for the state and then the options of this module, one after the other;
            "features" for the numbers of `unspoken.agents.features`.
        info: the agent's.
    """
    if view == "features":
        return features.encode(spec, role, info)
    seen = _module(spec).see(spec, role, info)
    return np.concatenate([seen.state, seen.options.ravel()])


class Seat(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A seat of a game that sees what `encode` gives.

    Args:
        env: a `SingleAgent`; what it observes is not looked at, so "text" is cheapest.
        view: see `encode`.
    """

    def __init__(self, env: SingleAgent, view: View) -> None:
        super().__init__(env)
        self._view = view
        self._seat = env
        self.observation_space = space(env.game, env.role, view)

    def reset(self, **given: Any) -> tuple[Floats32, dict[str, Any]]:
        """Deal a game; see `SingleAgent`. The info is left out."""
        _, info = self.env.reset(**given)
        return self._encoded(info), {}

    def step(self, action: Any) -> tuple[Floats32, float, bool, bool, dict[str, Any]]:
        """Make a move; see `SingleAgent`. The info is left out."""
        _, reward, terminated, truncated, info = self.env.step(action)
        return self._encoded(info), float(reward), terminated, truncated, {}

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, bool [A]; all true when the game is over."""
        return self._seat.action_masks()

    def _encoded(self, info: Mapping[str, Any]) -> Floats32:
        return encode(self._seat.game, self._seat.role, self._view, info)


def _module(spec: GameSpec) -> GameChoices:
    if spec.name not in MODULES:
        raise ValueError(
            f"there are no options as numbers for {spec.name}, only for "
            f"{', '.join(sorted(MODULES))}: train with view = 'features', or add a module to "
            "unspoken.training.choices.MODULES"
        )
    return cast(GameChoices, import_module(MODULES[spec.name]))
