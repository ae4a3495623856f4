"""How steps are counted: short measurements in turn, the best of them, on one core."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

Chunk = Callable[[], int]
"""Does some steps, a few milliseconds of them, and returns how many."""

Name = TypeVar("Name", bound=Hashable)

REPEATS = 5


def best_rates(chunks: Mapping[Name, Chunk], seconds: float) -> dict[Name, float]:
    """Steps a second of each, the best of five measurements that take turns.

    What disturbs a machine only ever makes it slower, and taking turns lets all meet the same
    disturbance. One chunk before is not counted: it compiles and fills caches.

    Args:
        chunks: what to measure, by name.
        seconds: time for each, all its measurements together.
    """
    best = dict.fromkeys(chunks, 0.0)
    for chunk in chunks.values():
        chunk()
    for _ in range(REPEATS):
        for name, chunk in chunks.items():
            best[name] = max(best[name], _rate(chunk, seconds / REPEATS))
    return best


def _rate(chunk: Chunk, seconds: float) -> float:
    steps, spent, start = 0, 0.0, time.perf_counter()
    while spent < seconds:
        steps += chunk()
        spent = time.perf_counter() - start
    return steps / spent


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and those it starts, on one core; no effect where the system cannot."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def choosing(env: Any, allow: int | None = None) -> Chunk:
    """Random legal moves in an AEC env: `last`, a choice among `flatnonzero(mask)`, `step`.

    Args:
        env: with an "action_mask" in its observations.
        allow: choose among the first that many actions while one of them is legal.
    """
    draws = np.random.default_rng(0).random(1 << 12).tolist()
    env.reset(seed=0)

    def chunk() -> int:
        steps = 0
        for draw in draws[:512]:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = np.flatnonzero(observation["action_mask"][:allow])
            if not len(legal):
                legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[int(draw * len(legal))]))
            steps += 1
        draws[:] = draws[512:] + draws[:512]
        return steps

    return chunk


def replaying(env: Any, games: int, allow: int | None = None) -> Chunk:
    """The same loop over moves that were chosen before, so that only the env takes time.

    Args:
        env: see `choosing`.
        games: how many games are recorded, with random legal moves, and then played again.
        allow: see `choosing`.
    """
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    actions: list[int] = []
    for _ in range(games):
        while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            mask = env.observe(env.agent_selection)["action_mask"]
            legal = np.flatnonzero(mask[:allow])
            actions.append(int(rng.choice(legal if len(legal) else np.flatnonzero(mask))))
            env.step(actions[-1])
        env.reset()

    def chunk() -> int:
        env.reset(seed=0)
        for action in actions:
            _, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                env.last()
            env.step(action)
        return len(actions)

    return chunk
