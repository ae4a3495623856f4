"""Steps a second, as ratios to a peer measured in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from unspoken.benchmarks.tables import Cell, Column, Table
from unspoken.envs import aidg_search_v0

Chooser = Callable[[Any, float], int]


def speed_table(seconds: float = 2.0) -> Table:
    """Steps a second of the search game beside PettingZoo's connect_four_v3.

    Both are driven by the same loop (`last`, a random legal move from the mask, `step`, `reset`
    when the game is over); ours give their text and mask at every step.

    Args:
        seconds: time for each measurement.

    Raises:
        ImportError: if pygame is missing, which connect_four needs; names the extra.
    """
    try:
        from pettingzoo.classic.connect_four import connect_four
    except ImportError as error:
        raise ImportError(
            'measuring beside connect_four needs the "speed" extra: pip install "unspoken[speed]"'
        ) from error
    n_questions = len(aidg_search_v0.raw_env().ontology.questions)

    def question(mask: Any, r: float) -> int:
        legal = np.flatnonzero(mask[:n_questions])
        return _any_legal(mask, r) if not len(legal) else int(legal[int(r * len(legal))])

    measured: list[tuple[str, float, float]] = []
    for name, raw, wrapped, choose in (
        ("connect_four_v3, random moves", connect_four.raw_env, connect_four.env, _any_legal),
        ("aidg_search_v0, random moves", aidg_search_v0.raw_env, aidg_search_v0.env, _any_legal),
        ("aidg_search_v0, whole games", aidg_search_v0.raw_env, aidg_search_v0.env, question),
    ):
        measured.append((name, _rate(raw(), choose, seconds), _rate(wrapped(), choose, seconds)))
    _, peer_raw, peer_wrapped = measured[0]
    rows: list[dict[str, Cell]] = [
        {
            "env": name,
            "raw": raw,
            "raw_ratio": raw / peer_raw,
            "env()": wrapped,
            "env_ratio": wrapped / peer_wrapped,
        }
        for name, raw, wrapped in measured
    ]
    columns = [
        Column("env", "environment", left=True),
        Column("raw", "raw_env, steps/s", "{:,.0f}"),
        Column("raw_ratio", "ratio", "{:.2f}"),
        Column("env()", "env(), steps/s", "{:,.0f}"),
        Column("env_ratio", "ratio", "{:.2f}"),
    ]
    return Table("speed", f"Steps a second, {seconds:g} s each, one process", columns, rows)


def _any_legal(mask: Any, r: float) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[int(r * len(legal))])


def _rate(env: Any, choose: Chooser, seconds: float) -> float:
    draws = np.random.default_rng(0).random(1 << 14).tolist()
    env.reset(seed=0)
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        for r in draws[:512]:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
            else:
                env.step(choose(observation["action_mask"], r))
                steps += 1
        draws = draws[512:] + draws[:512]
    return steps / (time.perf_counter() - start)
