"""Double DQN with masks in Tianshou 2.

    pip install unspoken "tianshou>=2,<3"
    python examples/tianshou_dqn.py --epochs 5 --seed 1

A witness learns in one case to be believed by a questioner that asks by rules. Tianshou wants the
mask in the observation, beside the numbers; where a whole game is trained, with all of its seats,
`tianshou.env.pettingzoo_env.PettingZooEnv(FeaturesEnv(game))` has it there.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import torch
from gymnasium import spaces
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from unspoken.wrappers.single import SingleAgent

ENVS = 8


class Masked(gymnasium.Wrapper[dict[str, Any], Any, Any, Any]):
    """`SingleAgent` with its mask in the observation."""

    def __init__(self, env: SingleAgent) -> None:
        super().__init__(env)
        mask = spaces.MultiBinary(int(env.action_space.n))
        self.observation_space = spaces.Dict(obs=env.observation_space, mask=mask)

    def reset(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The first observation; infos are left out, since Tianshou would store them."""
        seen, info = self.env.reset(**options)
        return {"obs": seen, "mask": info["action_mask"]}, {}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """The next observation."""
        seen, reward, terminated, truncated, info = self.env.step(action)
        seen = {"obs": seen, "mask": info["action_mask"]}
        return seen, float(reward), terminated, truncated, {}


def make() -> Masked:
    """A witness; its reward is its standing with the jury, -1 to 1."""
    return Masked(SingleAgent("cross_examination", "witness", "rules", reward="standing"))


def train(epochs: int, steps: int, seed: int) -> None:
    """Learn, and print the mean return of 50 games after each epoch; the first is untrained."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    one = make()
    numbers = one.observation_space["obs"].shape
    actions = int(one.action_space.n)
    envs, tests = (DummyVectorEnv([make] * ENVS) for _ in range(2))
    envs.seed(seed)
    net = Net(state_shape=numbers, action_shape=actions, hidden_sizes=(128, 128))
    policy = DiscreteQLearningPolicy(
        model=net, action_space=one.action_space, eps_training=0.1, eps_inference=0.0
    )
    dqn = DQN(
        policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=0.99, target_update_freq=200
    )
    buffer = VectorReplayBuffer(20_000, ENVS)
    training = Collector[CollectStats](dqn, envs, buffer, exploration_noise=True)
    testing = Collector[CollectStats](dqn, tests)
    training.reset()
    training.collect(n_step=500, random=False)

    def report(epoch: int, step: int | None) -> None:
        tests.seed(1_000_000)  # the same games each time
        testing.reset_env()  # seeding has dealt new ones

    def score(stats: CollectStats) -> float:
        mean = float(stats.returns_stat.mean) if stats.returns_stat else float("nan")
        print(f"return {mean:+.3f} of {stats.n_collected_episodes} games", flush=True)
        return mean

    dqn.run_training(
        OffPolicyTrainerParams(
            training_collector=training,
            test_collector=testing,
            max_epochs=epochs,
            epoch_num_steps=steps,
            collection_step_num_env_steps=ENVS * 4,
            test_step_num_episodes=50,
            batch_size=64,
            update_step_num_gradient_steps_per_sample=0.25,
            test_fn=report,
            compute_score_fn=score,
            verbose=False,
            show_progress=False,
        )
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=4_000, help="of an epoch")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    train(arguments.epochs, arguments.steps, arguments.seed)
