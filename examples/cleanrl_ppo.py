"""PPO with masks in one file of plain PyTorch, after the style of CleanRL.

    pip install "unspoken[rl]"
    python examples/cleanrl_ppo.py --steps 200000 --seed 1

A seeker learns to find one of twelve words in eight turns, in 64 games at once. The return of a
game is M(t), the earlier the more, with the sign of the outcome: 1 for a right lock in the middle.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn
from torch.distributions import Categorical

from unspoken.wrappers.vector import AidgSearchVectorEnv

WORDS = ["chair", "clock", "tiger", "eagle", "apple", "bread"]
WORDS += ["bicycle", "river", "hammer", "tooth", "hat", "bridge"]
ENVS, LENGTH = 64, 32
EPOCHS, BATCHES = 4, 4
GAMMA, LAMBDA = 0.99, 0.95
CLIP, ENTROPY, VALUE, NORM = 0.2, 0.01, 0.5, 0.5
RATE = 1e-3


class Agent(nn.Module):
    """A policy and a value that share nothing."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.actor = network(inputs, actions, 0.01)
        self.critic = network(inputs, 1, 1.0)

    def policy(self, seen: torch.Tensor, mask: torch.Tensor) -> Categorical:
        """What it does, among what is legal."""
        return Categorical(logits=self.actor(seen).masked_fill(~mask, -1e9), validate_args=False)

    def value(self, seen: torch.Tensor) -> torch.Tensor:
        """The return that it expects."""
        return self.critic(seen).squeeze(-1)


def network(inputs: int, outputs: int, gain: float) -> nn.Sequential:
    """Two hidden layers with orthogonal weights."""
    layers = [nn.Linear(inputs, 128), nn.Linear(128, 128), nn.Linear(128, outputs)]
    for layer, scale in zip(layers, (2**0.5, 2**0.5, gain), strict=True):
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.Tanh(), layers[1], nn.Tanh(), layers[2])


def train(steps: int, seed: int) -> None:
    """Learn, and print the mean return of the games of each stretch; the first is near random."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    envs = AidgSearchVectorEnv(
        ENVS, autoreset_mode=AutoresetMode.SAME_STEP, words=WORDS, max_turns=8, reward="decay"
    )
    inputs, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    agent = Agent(inputs, actions)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    seen = torch.empty(LENGTH, ENVS, inputs)
    masks = torch.empty(LENGTH, ENVS, actions, dtype=torch.bool)
    chosen = torch.empty(LENGTH, ENVS, dtype=torch.long)
    logs, values, rewards, dones = torch.empty(4, LENGTH, ENVS)

    observation, info = envs.reset(seed=seed)
    updates = max(steps // (LENGTH * ENVS), 1)
    returns: list[float] = []
    start = time.perf_counter()
    for update in range(1, updates + 1):
        optimizer.param_groups[0]["lr"] = RATE * (1 - (update - 1) / updates)
        for t in range(LENGTH):
            seen[t] = torch.from_numpy(observation)
            masks[t] = torch.from_numpy(info["action_mask"])
            with torch.no_grad():
                policy = agent.policy(seen[t], masks[t])
                chosen[t] = policy.sample()
                logs[t], values[t] = policy.log_prob(chosen[t]), agent.value(seen[t])
            observation, reward, done, _, info = envs.step(chosen[t].numpy())
            rewards[t], dones[t] = torch.from_numpy(reward), torch.from_numpy(done)
            returns += reward[done].tolist()

        with torch.no_grad():  # generalised advantage estimation
            following, advantage = agent.value(torch.from_numpy(observation)), torch.zeros(ENVS)
            advantages = torch.empty_like(rewards)
            for t in reversed(range(LENGTH)):
                alive = 1 - dones[t]
                delta = rewards[t] + GAMMA * following * alive - values[t]
                advantages[t] = advantage = delta + GAMMA * LAMBDA * alive * advantage
                following = values[t]
        data = (seen, masks, chosen, logs, advantages, advantages + values)
        flat = [part.flatten(0, 1) for part in data]

        for _ in range(EPOCHS):
            for places in torch.randperm(LENGTH * ENVS).chunk(BATCHES):
                s, m, a, old, gain, target = (part[places] for part in flat)
                policy = agent.policy(s, m)
                ratio = (policy.log_prob(a) - old).exp()
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
                loss = -torch.min(gain * ratio, gain * clipped).mean()
                loss += VALUE * (agent.value(s) - target).square().mean()
                loss -= ENTROPY * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), NORM)
                optimizer.step()

        if update == 1 or update % 10 == 0 or update == updates:
            done_steps, seconds = update * LENGTH * ENVS, time.perf_counter() - start
            mean = np.mean(returns)
            print(f"step {done_steps:7d}  return {mean:+.3f}  {done_steps / seconds:.0f} steps/s")
            returns.clear()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    train(arguments.steps, arguments.seed)
