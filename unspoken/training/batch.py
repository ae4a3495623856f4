"""Seekers in many games at once, as stable-baselines3 wants them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from unspoken.agents.aidg_dialogue.reading import REFUSALS
from unspoken.envs.aidg_dialogue.batch import Batch as DialogueBatch
from unspoken.envs.aidg_dialogue.rules import ACTS, MAX_TURNS
from unspoken.envs.aidg_search.batch import Batch as SearchBatch
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_dialogue_reference import packaged
from unspoken.training import aidg_dialogue, aidg_search
from unspoken.training.choices import Floats32, View, space

ROLE = "seeker"


class _Seekers(VecEnv):
    """The lanes of a batch.

    Args:
        batch: the games.
        spec: the game.
        view: what is observed; see `unspoken.training.choices.encode`.
    """

    def __init__(self, batch: SearchBatch | DialogueBatch, spec: GameSpec, view: View) -> None:
        self._lanes, self._view = batch, view
        actions = spaces.Discrete(batch.masks.shape[1])
        super().__init__(batch.num_envs, space(spec, ROLE, view), actions)

    def reset(self) -> Floats32:
        """Deal every lane a new game, by the seeds of `seed` if there are any."""
        self._lanes.reset(self._seeds if any(s is not None for s in self._seeds) else None)
        self._reset_seeds()
        self._started, self._start = time.monotonic(), np.zeros(self.num_envs, np.int64)
        self._steps = 0
        return self._seen()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions, whole numbers [B]."""
        self._actions = actions

    def step_wait(self) -> tuple[Floats32, Floats32, NDArray[np.bool_], list[dict[str, Any]]]:
        """Move in every lane; finished ones are dealt anew.

        The info of a finished lane has SB3's "episode"; games are never cut short, so that there
        is nothing to bootstrap from.
        """
        batch = self._lanes
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
        return list(self._lanes.masks.astype(np.bool_))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Lanes have `action_masks` and no render mode."""
        if attr_name == "render_mode":
            return [None] * self.num_envs
        if attr_name == "action_masks":
            return list(self._lanes.masks)
        raise AttributeError(f"lanes of a batch have no attribute {attr_name!r}")

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Lanes have nothing that could be set."""
        raise AttributeError(f"lanes of a batch have no attribute {attr_name!r} to set")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No lane is wrapped."""
        return [False] * self.num_envs

    def _seen(self) -> Floats32:
        numbers = self._features()
        if self._view == "features":
            return numbers
        states, options = self._choices(numbers)
        return np.concatenate([states, options.reshape(self.num_envs, -1)], axis=1)

    def _features(self) -> Floats32:
        raise NotImplementedError

    def _choices(self, numbers: Floats32) -> tuple[Floats32, Floats32]:
        raise NotImplementedError


class SearchVecEnv(_Seekers):
    """Seekers against holders that follow the answer table.

    Args:
        spec: the search game; its options are those that its `Batch` takes.
        num_envs: how many games.
        view: what is observed; see `unspoken.training.choices.encode`.
    """

    def __init__(self, spec: GameSpec, num_envs: int, view: View) -> None:
        self._batch = SearchBatch(num_envs, holder="table", **spec.options)
        self._table = aidg_search.table_of(spec)
        super().__init__(self._batch, spec, view)

    def _features(self) -> Floats32:
        return self._batch.features()

    def _choices(self, numbers: Floats32) -> tuple[Floats32, Floats32]:
        return aidg_search.choices(numbers, self._batch.asked(), self._table)


class DialogueVecEnv(_Seekers):
    """Seekers of one secret against holders that reply as the agent `rules` does.

    Args:
        spec: the dialogue game; its options are those that its `Batch` takes.
        num_envs: how many games.
        view: what is observed; see `unspoken.training.choices.encode`.
        batch: further options of the `Batch`.
    """

    def __init__(self, spec: GameSpec, num_envs: int, view: View, **batch: Any) -> None:
        self._batch = DialogueBatch(num_envs, holder="rules", **spec.options, **batch)
        self._most = spec.options.get("max_refusals")
        self._turns = int(spec.options.get("max_turns", MAX_TURNS))
        self._known = spec.options.get("mode", "A") == "A"
        super().__init__(self._batch, spec, view)

    def _features(self) -> Floats32:
        from unspoken.evaluator import aidg_dialogue as kernels

        batch, lanes = self._batch, np.arange(self.num_envs)
        before = np.arange(self._turns) < (batch.turn - 1)[:, None]  # what was replied to
        acts = np.where(before, batch.acts, -1)
        last = np.zeros((len(lanes), len(ACTS)))
        replied = np.flatnonzero(batch.turn > 1)
        last[replied, acts[replied, batch.turn[replied] - 2]] = 1
        refusals = np.isin(acts, REFUSALS).sum(axis=1)
        refusing = np.full(len(lanes), True) if self._most is None else refusals < self._most
        joints = batch.joints()
        belief = joints.sum(axis=1)
        bits = math.log2(belief.shape[1])
        hazards, gains = np.empty((2, len(lanes), batch.masks.shape[1]))
        for may in (False, True):
            if (some := refusing == may).any():
                hazards[some] = kernels.hazards(joints[some], packaged(may))
                gains[some] = kernels.information_gain(joints[some], packaged(may))
        entropies = -(belief * np.log2(np.where(belief > 0, belief, 1))).sum(axis=1)
        common = [batch.turn / self._turns, np.full(len(lanes), self._known), refusing, 0 * lanes]
        numbers = [*np.transpose(common)[None], last, belief, entropies[:, None] / bits]
        numbers += [joints.sum(axis=2), hazards, gains / bits]
        return np.concatenate(numbers, axis=1).clip(0, 1).astype(np.float32)

    def _choices(self, numbers: Floats32) -> tuple[Floats32, Floats32]:
        batch = self._batch
        asked = np.zeros((self.num_envs, batch.masks.shape[1]), np.float32)
        for turn in range(self._turns):
            on = np.flatnonzero(batch.turn - 1 > turn)
            asked[on, batch.questions[on, turn]] += 1 / self._turns
        last = np.where(
            batch.turn > 1, batch.questions[np.arange(self.num_envs), batch.turn - 2], -1
        )
        return aidg_dialogue.choices(numbers, asked, last)


_BATCHES: dict[tuple[str, str], tuple[Any, Callable[[GameSpec, int, View], VecEnv]]] = {
    ("aidg_search", "table"): (SearchBatch, SearchVecEnv),
    ("aidg_dialogue", "rules"): (DialogueBatch, DialogueVecEnv),
}


def lanes(
    spec: GameSpec, role: str, opponents: Sequence[Any], num_envs: int, view: View
) -> VecEnv | None:
    """Games in parallel lanes, None where there is no batch of them.

    Args:
        spec: the game.
        role: the learner's.
        opponents: who has the other role.
        num_envs: how many games.
        view: what is observed; see `unspoken.training.choices.encode`.
    """
    if role != ROLE or len(opponents) != 1 or spec.options.get("facts", 1) != 1:
        return None
    if not isinstance(opponents[0], str):  # an agent as it is
        return None
    batch, env = _BATCHES.get((spec.name, opponents[0]), (None, None))
    if (
        batch is None
        or env is None
        or not spec.options.keys() <= signature(batch).parameters.keys()
    ):
        return None
    return env(spec, num_envs, view)
