"""Trained policies as agents: `sb3:policy.zip`, or `sb3:policy.zip?stochastic=true`."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unspoken.agents.base import BaseAgent, legal_actions
from unspoken.envs.registry import GameSpec

if TYPE_CHECKING:
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy


class SB3Agent(BaseAgent):
    """Plays as a policy that `unspoken train` has made.

    Only the weights are read from the file, which cannot run code; the network is built anew from
    what the zip says of itself. Torch is held to one thread: more are slower for networks so small.

    Args:
        path: the policy's zip.
        name: how tables call it.
        stochastic: draw moves by their probabilities instead of taking the likeliest.

    Raises:
        ImportError: if the extra `rl` is not installed.
        OSError: if the file cannot be read.
        ValueError: if it holds no such policy, or one of another version of the numbers.
    """

    def __init__(self, path: str, name: str = "", *, stochastic: bool = False) -> None:
        BaseAgent.__init__(self, name or f"sb3:{path}")
        self._take(*load(Path(path)), stochastic)

    @classmethod
    def of(
        cls,
        policy: MaskableActorCriticPolicy,
        about: Mapping[str, Any],
        name: str,
        *,
        stochastic: bool = False,
    ) -> SB3Agent:
        """An agent of a policy that is at hand, and of what its zip would say."""
        agent = cls.__new__(cls)
        BaseAgent.__init__(agent, name)
        agent._take(policy, about, stochastic)
        return agent

    def _take(
        self, policy: MaskableActorCriticPolicy, about: Mapping[str, Any], stochastic: bool
    ) -> None:
        self._policy, self._about, self._stochastic = policy, about, stochastic
        self.roles = frozenset({about["role"]})  # type: ignore[misc]

    def __deepcopy__(self, memo: dict[int, Any]) -> SB3Agent:
        """A copy that shares the network, which playing does not change."""
        copied = type(self).__new__(type(self))
        memo |= {id(self): copied, id(self._policy): self._policy}
        copied.__dict__ |= copy.deepcopy(self.__dict__, memo)
        return copied

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role.

        Raises:
            ValueError: if the policy was trained for another game, role or size; says which.
        """
        about = self._about
        if (spec.name, spec.version, role) != (about["game"], about["version"], about["role"]):
            raise ValueError(
                f"{self.name} plays {about['role']} of {about['game']}_v{about['version']}, "
                f"not {role} of {spec.id}"
            )
        if (sizes := self._sizes(spec)) != (about["observations"], about["actions"]):
            raise ValueError(
                f"{self.name} was trained for {about['observations']} numbers and "
                f"{about['actions']} actions; with these options {spec.name} has "
                f"{sizes[0]} and {sizes[1]}: train one for them"
            )
        super().reset(role, spec, seed)

    def _sizes(self, spec: GameSpec) -> tuple[int, int]:
        """How many numbers and actions a game with these options has."""
        from unspoken.training.choices import space

        role = self._about["role"]
        return space(spec, role, self._about["view"]).shape[0], len(spec.menu(role))

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int:
        """An index of the menu."""
        from unspoken.training.choices import encode
        from unspoken.training.policy import scores

        mask = np.zeros(self._about["actions"], np.bool_)
        mask[legal_actions(observation, info)] = True
        seen = encode(self.spec, self.role, self._about["view"], info)
        found = scores(self._policy, seen, mask)
        if not self._stochastic:
            return int(found.argmax())
        weights = np.exp(found.astype(np.float64) - found.max())
        return int(self.rng.choice(len(weights), p=weights / weights.sum()))


def load(path: Path) -> tuple[MaskableActorCriticPolicy, dict[str, Any]]:
    """A policy and what its zip says of it.

    Raises:
        ImportError: if the extra `rl` is not installed.
        OSError: if the file cannot be read.
        ValueError: if it holds no such policy, or one of another version of the numbers.
    """
    try:
        import torch

        from unspoken.training import choices, learn, policy
    except ImportError as error:
        raise ImportError("trained policies need the extra: pip install 'unspoken[rl]'") from error
    try:
        with zipfile.ZipFile(path) as bundle:
            about: dict[str, Any] = json.loads(bundle.read(learn.DESCRIPTION))
            weights = bundle.read("policy.pth")
    except (zipfile.BadZipFile, KeyError, ValueError):
        raise ValueError(f"{path} is no policy that `unspoken train` has made") from None
    if about["choices"] != choices.VERSION:
        raise ValueError(
            f"{path} was made for version {about['choices']} of the numbers that policies see; "
            f"this is version {choices.VERSION}: train it anew"
        )
    torch.set_num_threads(1)
    built = policy.build(about)
    built.load_state_dict(torch.load(io.BytesIO(weights), weights_only=True))
    built.set_training_mode(False)
    return built, about
