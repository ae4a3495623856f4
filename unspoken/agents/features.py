"""What a role knows, as numbers: the observations of policies that read no text.

Each game has a module with two functions of a game, a role, and what an agent in it knows:

- `layout(spec, role)` names the numbers and gives their range;
- `features(spec, role, info)` are the numbers, float32 [n], from nothing but the agent's `info`,
  in menu mode and in free mode, on turn and off, from the first move to the end.

They are enough to play by, beside the mask of what is legal. Other distributions put the module of
their game in `MODULES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from unspoken.envs.registry import GameSpec

Features = NDArray[np.float32]

MODULES: dict[str, str] = {
    "aidg_search": "unspoken.agents.aidg_search.features",
    "aidg_dialogue": "unspoken.agents.aidg_dialogue.features",
    "sneak": "unspoken.agents.sneak.features",
    "chameleon": "unspoken.agents.chameleon.features",
    "cross_examination": "unspoken.agents.cross_examination.features",
}
"""The module of each game's features; loaded on first use."""


class Layout(NamedTuple):
    """What the numbers of a role are.

    Attributes:
        names: one for each number, in order; no two are the same.
        low: no number is below it.
        high: no number is above it.
    """

    names: tuple[str, ...]
    low: float = 0.0
    high: float = 1.0


class GameFeatures(Protocol):
    """What a module of features has."""

    def layout(self, spec: GameSpec, role: str) -> Layout:
        """The names and the range of the numbers."""

    def features(self, spec: GameSpec, role: str, info: Mapping[str, Any]) -> Features:
        """The numbers, float32 [n]; a new array."""


def layout(spec: GameSpec, role: str) -> Layout:
    """The names and the range of a role's numbers.

    Raises:
        ValueError: if the game has no features or no such role; says what to do.
    """
    if role not in spec.roles:
        raise ValueError(f"{spec.name} has no role {role!r}; choose from {', '.join(spec.roles)}")
    return _module(spec).layout(spec, role)


def space(spec: GameSpec, role: str) -> spaces.Box:
    """The space of a role's features, float32 [n].

    Raises:
        ValueError: as `layout`.
    """
    names, low, high = layout(spec, role)
    return spaces.Box(low, high, (len(names),), np.float32)


def encode(spec: GameSpec, role: str, info: Mapping[str, Any]) -> Features:
    """What an agent knows as numbers, float32 [n], within `space(spec, role)`; a new array.

    Args:
        spec: the game and its options.
        role: the agent's.
        info: the agent's, as the env gives it.

    Raises:
        ValueError: if the game has no features.
    """
    return _module(spec).features(spec, role, info)


def one_hot(places: Iterable[int], n: int) -> Features:
    """1 at some places of n, else 0."""
    numbers = np.zeros(n, np.float32)
    numbers[list(places)] = 1
    return numbers


def _module(spec: GameSpec) -> GameFeatures:
    if spec.name not in MODULES:
        raise ValueError(
            f"there are no features for {spec.name}, only for {', '.join(sorted(MODULES))}: add "
            "the import path of a module with layout and features to "
            "unspoken.agents.features.MODULES"
        )
    return cast(GameFeatures, import_module(MODULES[spec.name]))
