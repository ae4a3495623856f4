"""The search game's seeker as a `gymnasium.vector.VectorEnv`, over a batch of games.

```python
from unspoken.wrappers.vector import AidgSearchVectorEnv
envs = AidgSearchVectorEnv(num_envs=1024)
observations, infos = envs.reset(seed=0)
```
Observations are numbers, as MaskablePPO of sb3-contrib and CleanRL's networks take them; the text
of a game is made when it is asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from unspoken.envs.aidg_search.batch import Batch
from unspoken.envs.aidg_search.rules import MAX_TURNS
from unspoken.envs.base import choose

Observations = NDArray[np.float32]
Infos = dict[str, Any]
_AUTORESET = {AutoresetMode.SAME_STEP: "same_step", AutoresetMode.NEXT_STEP: "next_step"}


class AidgSearchVectorEnv(VectorEnv[Observations, NDArray[Any], NDArray[Any]]):
    """One seeker in each of B games of AIDG-II, against holders that follow the answer table.

    A step is one question and its answer, or the lock. The holder is not offered as a learner's
    role: no rule makes it tell the truth where actions are indices, so it would learn to lie.

    The observation of a lane is float32 [N + 2], all from 0 to 1: the belief in each of the N
    words given the answers, its entropy as a share of log2(N), and the turn as a share of
    `max_turns`. The action is an index of the seeker's menu: Q questions, then one lock a word.

    `infos["action_mask"]`, bool [B, Q + W], says what is legal now, as `action_masks` does. Where
    a game has ended, `infos["ending"]` (with `infos["_ending"]`) says how, as an index of
    `unspoken.envs.aidg_search.batch.ENDINGS`; with same-step autoreset `infos["final_obs"]` (with
    `infos["_final_obs"]`) holds what was last seen of it.

    Args:
        num_envs: B, 1 or more.
        autoreset_mode: NEXT_STEP (gymnasium's default; its observation wrappers take no other) or
            SAME_STEP (no step is spent on resets). With NEXT_STEP a finished lane's mask is all
            true until its next step, which ignores the action.
        render_mode: None or "ansi" (`render` returns the transcript of each game).
        words: see `Batch`, as the rest.
        max_turns: question turns plus the forced final guess.
        holder_noise: probability that an answer is heard as another.
        reward: "outcome" or "decay".
        ontology: folder with `words.toml` and `questions.toml`.

    Raises:
        ValueError: if an option is out of its range; names the option and the range.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        words: tuple[str, ...] | list[str] | None = None,
        max_turns: int = MAX_TURNS,
        holder_noise: float = 0.0,
        reward: Literal["outcome", "decay"] = "outcome",
        ontology: str | Path | None = None,
    ) -> None:
        mode = AutoresetMode(autoreset_mode)
        choose("autoreset_mode", mode, tuple(_AUTORESET))
        choose("render_mode", render_mode, (None, "ansi"))
        self.batch = Batch(
            num_envs,
            words=words,
            max_turns=max_turns,
            holder_noise=holder_noise,
            reward=reward,
            ontology=ontology,
            holder="table",
            autoreset=_AUTORESET[mode],  # type: ignore[arg-type]
        )
        self.num_envs = self.batch.num_envs
        self.render_mode = render_mode
        self.metadata = {"render_modes": ["ansi"], "autoreset_mode": mode}
        self._same_step = mode is AutoresetMode.SAME_STEP
        self.single_observation_space = spaces.Box(0, 1, (len(self.batch.words) + 2,), np.float32)
        self.single_action_space = spaces.Discrete(self.batch.masks.shape[1])
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Deal every lane a new game.

        Args:
            seed: lane i gets `seed + i`, or `seed[i]`; None goes on with its generator.
            options: none are known; ignored.
        """
        self.batch.reset(seed)
        self._seen = self.batch.features()
        return self._seen, {"action_mask": self.action_masks()}

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], Infos]:
        """Ask or lock in every lane.

        Args:
            actions: whole numbers [B].

        Returns:
            Observations float32 [B, N + 2], rewards float64 [B], terminations and truncations
            bool [B] (a game is never cut short: the last of these is all false), and infos. All
            are new arrays.

        Raises:
            ValueError: if an action is not legal; names the lane. Nothing has then changed.
        """
        batch, before = self.batch, self._seen
        batch.step(actions)
        self._seen = batch.features()
        done = batch.done
        infos: Infos = {"action_mask": self.action_masks()}
        if done.any():
            infos["ending"], infos["_ending"] = batch.ending.copy(), done.copy()
            if self._same_step:  # a lock shows the seeker nothing new, so this is the last sight
                infos["final_obs"], infos["_final_obs"] = before.copy(), done.copy()
        return self._seen, batch.rewards[:, 0].copy(), done, np.zeros_like(done), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """What is legal in each lane, bool [B, Q + W]; a new array. sb3-contrib asks for it."""
        return self.batch.masks.astype(np.bool_)

    def render(self) -> tuple[str, ...] | None:
        """What the seeker of each lane has read so far; None without a render mode."""
        return self.batch.texts() if self.render_mode == "ansi" else None
