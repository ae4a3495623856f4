"""PPO with masks for both seats of a game in RLlib.

    pip install unspoken "ray[rllib]>=2.60" torch
    python examples/rllib_ppo.py --iterations 5 --seed 1

RLlib pins an old gymnasium (2.60.0 wants 1.2.2), so give it an environment of its own.

A questioner and a witness learn against each other. `RLlibEnv` has the mask where RLlib's
`ActionMaskingTorchRLModule` looks for it.
"""

from __future__ import annotations

import argparse
from typing import Any

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from unspoken.envs.registry import game, role_of
from unspoken.wrappers.masks import RLlibEnv

GAME = game("cross_examination").with_options(reward="standing", max_turns=6)


def make(_: dict[str, Any]) -> PettingZooEnv:
    """The game, as RLlib takes PettingZoo's environments."""
    return PettingZooEnv(RLlibEnv(GAME))


def config(batch: int, seed: int) -> PPOConfig:
    """One policy for each role, all in this process."""
    register_env(GAME.id, make)
    network = DefaultModelConfig(fcnet_hiddens=[128, 128], vf_share_layers=False)
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=network)
    return (
        PPOConfig()
        .environment(GAME.id)
        .env_runners(num_env_runners=0)
        .multi_agent(
            policies=set(GAME.roles),
            policy_mapping_fn=lambda agent, episode, **_: role_of(agent),
        )
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(rl_module_specs=dict.fromkeys(GAME.roles, module))
        )
        .training(
            train_batch_size_per_learner=batch,
            minibatch_size=min(batch, 256),
            num_epochs=4,
            lr=3e-4,
            entropy_coeff=0.01,
        )
        .debugging(seed=seed)
    )


def train(iterations: int, batch: int, seed: int) -> None:
    """Learn, and print the mean return of each role after each iteration."""
    algorithm = config(batch, seed).build_algo()
    for iteration in range(1, iterations + 1):
        found = algorithm.train()["env_runners"]
        returns = found["module_episode_returns_mean"]
        shown = "  ".join(f"{role} {returns[role]:+.3f}" for role in GAME.roles)
        print(f"iteration {iteration:3d}  {shown}", flush=True)
    algorithm.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--batch", type=int, default=2_000, help="turns of an iteration")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    train(arguments.iterations, arguments.batch, arguments.seed)
