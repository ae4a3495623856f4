"""What batches of all games share: how lanes are seeded, dealt and stepped."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from unspoken.envs import generators


class State(Protocol):
    """The part of a game's state that is the same in all games."""

    @property
    def generators(self) -> generators.Lanes:
        """See `unspoken.envs.generators`, uint64 [B, 6]."""

    @property
    def games(self) -> NDArray[np.int64]:
        """Games dealt since the lane was seeded, int64 [B]."""

    @property
    def shown(self) -> NDArray[np.int8]:
        """Which mask is shown, or that the lane waits for a new game, int8 [B]."""

    @property
    def ending(self) -> NDArray[np.int8]:
        """Of the game that the last step ended, int8 [B]; below 0 where it ended none."""


class Lanes(ABC):
    """B games in parallel lanes that need not be in step.

    A game's `Batch` says what its kernels do (`_move`, `_choose`) and what is wrong with an action
    (`_complaint`).

    Args:
        num_envs: B, 1 or more.
        state: the lanes.
        waiting: what `state.shown` says of a lane that waits for a new game.
    """

    def __init__(self, num_envs: int, state: State, waiting: int) -> None:
        self.num_envs = num_envs
        self._lanes = state
        self._waiting = waiting
        self._has_reset = False

    def sample(self) -> NDArray[np.int64]:
        """A legal action for every lane, each as likely, int64 [B].

        The choice is a function of the lane's seed, game, turn and player to move.
        """
        self._check_reset()
        actions = np.empty(self.num_envs, np.int64)
        self._choose(actions)
        return actions

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which lanes the last step finished a game in, bool [B]."""
        return np.asarray(self._lanes.ending >= 0)

    def reset(self, seed: int | Sequence[int | None] | None = None) -> None:
        """Deal every lane a new game.

        Args:
            seed: lane i gets `seed + i`, or `seed[i]`; None goes on with its present generator.

        Raises:
            ValueError: if a sequence has another length than B.
            gymnasium.error.Error: if a seed is no whole number of 0 or more.
        """
        n, lanes = self.num_envs, self._lanes
        if seed is None or isinstance(seed, int):
            seeds: Sequence[int | None] = [None if seed is None else seed + i for i in range(n)]
        elif len(seed) == n:
            seeds = seed
        else:
            raise ValueError(f"{len(seed)} seeds for {n} lanes: one number, or one for each lane")
        for i, one in enumerate(seeds):
            if one is not None or not lanes.games[i]:  # never dealt: never seeded
                generators.seed_lane(lanes.generators[i], one)
                lanes.games[i] = 0
        lanes.shown[:] = self._waiting
        self._deal()
        self._has_reset = True

    def step(self, actions: ArrayLike) -> None:
        """Let the player to move in every lane say its action.

        Args:
            actions: whole numbers [B]: indices of the menus, as the env's.

        Raises:
            ValueError: if they have another shape or type, or one is not legal; names the lane,
                the action and what is expected. Nothing has then changed.
        """
        self._check_reset()
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions {given.dtype} {list(given.shape)}: whole numbers "
                f"[{self.num_envs}], one for each lane"
            )
        given = np.ascontiguousarray(given, np.int64)
        lane = self._move(given)
        if lane >= 0:
            raise ValueError(self._complaint(lane, int(given[lane])))

    @abstractmethod
    def _choose(self, actions: NDArray[np.int64]) -> None:
        """Write a legal action of every lane, uniform over all that are."""

    @abstractmethod
    def _move(self, actions: NDArray[np.int64]) -> int:
        """Carry out the actions; the first lane whose action is illegal, and then nothing, or -1.

        Lanes that wait are dealt a new game, and their actions ignored.
        """

    @abstractmethod
    def _complaint(self, lane: int, action: int) -> str:
        """What is wrong with an illegal action, and what is expected."""

    def _deal(self) -> None:
        """Give all lanes, which wait for it, a new game."""
        self._move(np.zeros(self.num_envs, np.int64))

    def _check_reset(self) -> None:
        if not self._has_reset:
            raise ResetNeeded("call reset() first: no game was dealt")


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view of an array that cannot be written on."""
    view = array.view()
    view.setflags(write=False)
    return view
