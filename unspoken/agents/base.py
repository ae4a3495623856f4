"""The one interface of all agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.base import Message
from unspoken.envs.registry import GameSpec
from unspoken.envs.result import Result


class AgentFailure(Exception):
    """An agent could not answer at all (its provider is down, its time is up).

    The game is then void: without a winner, not rated. The message is kept as the reason.
    """


class RunOver(Exception):
    """Nothing more of the whole run can be played (its budget is spent), whoever was to move."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an agent learns when a game is over.

    Attributes:
        game: the game's name.
        role: the role that this agent had.
        names: who sat where, agent to competitor's name.
        secret: what was hidden, now open.
        history: the whole dialogue.
        result: how it ended.
        reward: this agent's reward.
    """

    game: str
    role: str
    names: Mapping[str, str]
    secret: str
    history: tuple[Message, ...]
    result: Result
    reward: float


@runtime_checkable
class Agent(Protocol):
    """A player.

    One object may play many games one after another, but one at a time; the runner gives every
    game of a round a deep copy, so what an agent holds must be copyable. Agents that wait for
    something (a server, a person) have `async def aact` instead of blocking in `act`, or leave
    `quick` unset, in which case the runner calls `act` in a thread.

    Attributes:
        name: how tables call it.
    """

    name: str

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role; all chance of the agent comes from `seed`."""

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int | str:
        """The next action: an index of the menu, or a text where the game takes text.

        Raises:
            AgentFailure: if there can be no answer.
        """

    def observe(self, outcome: Outcome) -> None:
        """A game in which the agent sat is over."""


@dataclass
class BaseAgent:
    """What built-in agents share.

    Attributes:
        game: the only game it plays; "" for any.
        roles: the only roles it takes; None for any.
        name: how tables call it.
        quick: `act` takes microseconds to milliseconds and never waits.
        role: the role in the present game.
        spec: the present game.
        rng: all chance of the present game.
    """

    game: ClassVar[str] = ""
    roles: ClassVar[frozenset[str] | None] = None
    name: str
    quick: bool = field(default=True, repr=False)

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role.

        Raises:
            ValueError: if it is an agent of one game, and this is another or not its role.
        """
        if self.game and (spec.name != self.game or (self.roles and role not in self.roles)):
            own = f" as {' or '.join(sorted(self.roles))}" if self.roles else ""
            other = f" as {role}" if self.roles else ""
            raise ValueError(f"{self.name} plays {self.game}{own}, not {spec.name}{other}")
        self.role = role
        self.spec = spec
        self.rng = np.random.default_rng(seed)

    def observe(self, outcome: Outcome) -> None:
        """Nothing is learnt from outcomes unless an agent says so."""


def legal_actions(observation: Mapping[str, Any], info: Mapping[str, Any]) -> NDArray[np.intp]:
    """Indices of the menu that are legal now, int64 [n], in menu mode and in free mode alike."""
    mask = info["menu_mask"] if "menu_mask" in info else observation["action_mask"]
    return np.flatnonzero(mask)


def sentences(spec: GameSpec, role: str, info: Mapping[str, Any]) -> tuple[str, ...]:
    """The canonical sentences of an agent's menu; index i is what action i says."""
    menu: tuple[str, ...] = info.get("menu") or spec.menu(role)
    return menu


def check_memory(value: float) -> None:
    """Refuse an option `memory` that is out of its range.

    Raises:
        ValueError: names the value and the range.
    """
    if not 0 < value <= 1:
        raise ValueError(f"memory={value} is not above 0 and at most 1")


def check_probability(name: str, value: float) -> None:
    """Refuse an option that is no probability.

    Raises:
        ValueError: names the option and its range.
    """
    if not 0 <= value <= 1:
        raise ValueError(f"{name}={value} is not a probability from 0 to 1")
