"""The search game's seeker in many games at once, as stable-baselines3 wants it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from unspoken.envs.aidg_search.batch import Batch
from unspoken.envs.registry import GameSpec
from unspoken.training.aidg_search import choices, table_of
from unspoken.training.choices import Floats32, View, space

ROLE = "seeker"


class SearchVecEnv(VecEnv):
    """Seekers against holders that follow the answer table; the games of `Batch`.

    Args:
        spec: the search game; its options are those that `Batch` takes.
        num_envs: how many games.
        view: what is observed; see `unspoken.training.choices.encode`.
    """

    def __init__(self, spec: GameSpec, num_envs: int, view: View) -> None:
        self._batch = Batch(num_envs, holder="table", **spec.options)
        self._table = table_of(spec)
        self._view = view
        actions = spaces.Discrete(self._batch.masks.shape[1])
        super().__init__(num_envs, space(spec, ROLE, view), actions)

    def reset(self) -> Floats32:
        """Deal every lane a new game, by the seeds of `seed` if there are any."""
        self._batch.reset(self._seeds if any(s is not None for s in self._seeds) else None)
        self._reset_seeds()
        self._started, self._start = time.monotonic(), np.zeros(self.num_envs, np.int64)
        self._steps = 0
        return self._seen()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions, whole numbers [B]."""
        self._actions = actions

    def step_wait(self) -> tuple[Floats32, Floats32, NDArray[np.bool_], list[dict[str, Any]]]:
        """Ask or lock in every lane; finished ones are dealt anew.

        The info of a finished lane has SB3's "episode"; games are never cut short, so that there
        is nothing to bootstrap from.
        """
        batch = self._batch
        batch.step(self._actions)
        self._steps += 1
        done, rewards = batch.done, batch.rewards[:, 0].astype(np.float32)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        took = time.monotonic() - self._started
        for lane in np.flatnonzero(done):
            length = self._steps - int(self._start[lane])
            infos[lane]["episode"] = {"r": float(rewards[lane]), "l": length, "t": took}
        self._start[done] = self._steps
        return self._seen(), rewards, done, infos

    def close(self) -> None:
        """Nothing to release."""

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """`action_masks` of every lane, which sb3-contrib asks for."""
        if method_name != "action_masks":
            raise AttributeError(f"lanes of a batch have no method {method_name!r}")
        return list(self._batch.masks.astype(np.bool_))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Lanes have `action_masks` and no render mode."""
        if attr_name == "render_mode":
            return [None] * self.num_envs
        if attr_name == "action_masks":
            return list(self._batch.masks)
        raise AttributeError(f"lanes of a batch have no attribute {attr_name!r}")

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Lanes have nothing that could be set."""
        raise AttributeError(f"lanes of a batch have no attribute {attr_name!r} to set")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No lane is wrapped."""
        return [False] * self.num_envs

    def _seen(self) -> Floats32:
        batch = self._batch
        numbers = batch.features()
        if self._view == "features":
            return numbers
        states, options = choices(numbers, batch.asked(), self._table)
        return np.concatenate([states, options.reshape(self.num_envs, -1)], axis=1)
