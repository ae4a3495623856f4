"""The network that gives every option of a menu its score by one rule."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

_SMALL = 0.01


class Scorer(nn.Module):
    """Scores of A options, and what the value is computed from.

    Args:
        state: S.
        option: K.
        options: A.
        hidden: sizes of the hidden layers.
    """

    last: nn.Linear
    """The layer that the scores come from; it begins small, so that nothing is preferred."""

    def __init__(self, state: int, option: int, options: int, hidden: tuple[int, ...]) -> None:
        super().__init__()
        self.latent_dim_pi, self.latent_dim_vf = options, hidden[-1]
        self._sizes = state, options, option
        self.value = nn.Sequential(nn.Linear(state, hidden[0]), *_layers(hidden))

    def forward(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Scores [B, A] and the value's latent [B, hidden[-1]] of observations [B, S + A K]."""
        return self.forward_actor(seen), self.forward_critic(seen)

    def forward_actor(self, seen: Tensor) -> Tensor:
        """Scores [B, A]."""
        state, options, option = self._sizes
        return self.score(seen[:, :state], seen[:, state:].reshape(-1, options, option))

    def forward_critic(self, seen: Tensor) -> Tensor:
        """The value's latent [B, hidden[-1]]."""
        latent: Tensor = self.value(seen[:, : self._sizes[0]])
        return latent

    def score(self, state: Tensor, options: Tensor) -> Tensor:
        """Scores [B, A] of states [B, S] and options [B, A, K]."""
        raise NotImplementedError


class LinearScorer(Scorer):
    """An option's score is linear in its numbers, with weights that the state decides.

    It costs a fraction of a network for every option, which tells where there are hundreds.
    """

    def __init__(self, state: int, option: int, options: int, hidden: tuple[int, ...]) -> None:
        super().__init__(state, option, options, hidden)
        self.last = nn.Linear(hidden[-1], option)
        self.weights = nn.Sequential(nn.Linear(state, hidden[0]), *_layers(hidden), self.last)

    def score(self, state: Tensor, options: Tensor) -> Tensor:
        """Scores [B, A]."""
        return torch.bmm(options, self.weights(state)[..., None]).squeeze(-1)


class NetworkScorer(Scorer):
    """An option's score is a network's of its numbers and the state's, the same for all options.

    The first layer sees the state once a position, not once an option.
    """

    def __init__(self, state: int, option: int, options: int, hidden: tuple[int, ...]) -> None:
        super().__init__(state, option, options, hidden)
        self.of_option = nn.Linear(option, hidden[0])
        self.of_state = nn.Linear(state, hidden[0], bias=False)
        self.last = nn.Linear(hidden[-1], 1)
        self.scores = nn.Sequential(*_layers(hidden), self.last)

    def score(self, state: Tensor, options: Tensor) -> Tensor:
        """Scores [B, A]."""
        scores: Tensor = self.scores(self.of_option(options) + self.of_state(state)[:, None])
        return scores.squeeze(-1)


SCORERS: dict[str, type[Scorer]] = {"linear": LinearScorer, "network": NetworkScorer}


class OptionPolicy(MaskableActorCriticPolicy):
    """A policy of MaskablePPO over a `Scorer`.

    Args:
        observation_space: Box [S + A K].
        action_space: Discrete A.
        lr_schedule: as SB3 gives it.
        state: S.
        option: K.
        hidden: sizes of the hidden layers.
        scorer: "linear" or "network".
        given: the rest of what SB3 gives.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Discrete,
        lr_schedule: Schedule,
        *,
        state: int,
        option: int,
        hidden: tuple[int, ...],
        scorer: str,
        **given: Any,
    ) -> None:
        self._shape, self._scorer = (state, option, int(action_space.n), tuple(hidden)), scorer
        super().__init__(observation_space, action_space, lr_schedule, **given)

    def _build(self, lr_schedule: Schedule) -> None:
        scorer = SCORERS[self._scorer](*self._shape)
        self.mlp_extractor = scorer  # type: ignore[assignment]
        self.action_net = nn.Identity()
        self.value_net = nn.Linear(scorer.latent_dim_vf, 1)
        scorer.apply(lambda m: self.init_weights(m, gain=float(np.sqrt(2))))
        self.init_weights(scorer.last, gain=_SMALL)
        self.init_weights(self.value_net, gain=1)
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]
            **self.optimizer_kwargs,
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        state, option, _, hidden = self._shape
        return super()._get_constructor_parameters() | {
            "state": state,
            "option": option,
            "hidden": hidden,
            "scorer": self._scorer,
        }


def policy_class(
    about: Mapping[str, Any],
) -> tuple[type[MaskableActorCriticPolicy], dict[str, Any]]:
    """The class of a policy and the arguments that make it.

    Args:
        about: what its zip says of it; see `unspoken.training.learn.describe`.
    """
    hidden = tuple(about["hidden"])
    if about["view"] == "features":
        return MaskableActorCriticPolicy, {"net_arch": list(hidden)}
    given = {key: about[key] for key in ("state", "option", "scorer")}
    return OptionPolicy, given | {"hidden": hidden}


def build(about: Mapping[str, Any]) -> MaskableActorCriticPolicy:
    """An untrained policy of a description."""
    kind, arguments = policy_class(about)
    seen = spaces.Box(-np.inf, np.inf, (about["observations"],), np.float32)
    return kind(seen, spaces.Discrete(about["actions"]), lambda _: 0.0, **arguments)


def scores(policy: MaskableActorCriticPolicy, seen: Any, mask: Any) -> Any:
    """Log-probabilities of all actions, float32 [A], minus infinity where the mask forbids.

    Args:
        policy: a policy.
        seen: one observation, float32 [n].
        mask: what is legal, bool [A].
    """
    with torch.no_grad():
        distribution = policy.get_distribution(torch.as_tensor(seen)[None]).distribution
    logits = distribution.logits[0].numpy()  # type: ignore[union-attr]
    return np.where(mask, logits, -np.inf)


def _layers(hidden: tuple[int, ...]) -> list[nn.Module]:
    layers: list[nn.Module] = [nn.Tanh()]
    for before, after in pairwise(hidden):
        layers += [nn.Linear(before, after), nn.Tanh()]
    return layers
