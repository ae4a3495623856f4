"""What seekers of the search game reach against the truthful holder, beside what is possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.base import Agent
from unspoken.agents.specs import make_agent
from unspoken.benchmarks.tables import PERCENT, Cell, Column, Table, mean
from unspoken.envs.aidg_search.ontology import Ontology, load
from unspoken.envs.base import DialogueEnv
from unspoken.envs.registry import GameSpec, role_of
from unspoken.envs.result import Result

HOLDER = "table"


def seekers(
    spec: GameSpec,
    names: Sequence[str],
    *,
    games: int,
    seed: int = 0,
    watch: Callable[[], None] = lambda: None,
) -> Table:
    """Win rate, turns and M-weighted score of each seeker over the same secrets and seeds.

    Args:
        spec: the search game.
        names: specs of the seekers.
        games: of each, at least 1; secrets take turns.
        seed: of everything.
        watch: called after every game.
    """
    rows: list[dict[str, Cell]] = []
    env = spec.env()
    for name in names:
        seeker, holder = make_agent(name, spec.name), make_agent(HOLDER, spec.name)
        results = []
        for i in range(games):
            results.append(_play(env, spec, seeker, holder, (seed, i)))
            watch()
        wins = [result for result in results if result.winner == "seeker"]
        rows.append(
            {
                "player": name,
                "games": games,
                "wins": len(wins) / games,
                "correct_lock": mean(result.turn for result in wins),
                "turns": mean(result.turn for result in results),
                "score": mean(
                    result.weight if result.winner == "seeker" else -result.weight
                    for result in results
                ),
            }
        )
    ontology = load()
    bits, best = math.log2(len(ontology.words)), capacity(ontology)
    title = (
        f"Seekers against {HOLDER}; no seeker locks rightly every time before turn "
        f"{1 + bits / best:.2f} on average ({bits:.2f} bits, at most {best:.3f} a question)"
    )
    columns = [
        Column("player", "seeker", left=True),
        Column("games", "games"),
        Column("wins", "wins", PERCENT),
        Column("correct_lock", "turn of a correct lock", "{:.2f}"),
        Column("turns", "turns", "{:.2f}"),
        Column("score", "score (±M)", "{:+.3f}"),
    ]
    return Table("baselines", title, columns, rows)


def capacity(ontology: Ontology, *, tolerance: float = 1e-6) -> float:
    """The most bits that any answer can tell about the word, whatever is believed.

    Each question is a channel from words to answers; its capacity bounds the information of one
    answer under every belief, and adaptive asking cannot exceed it on average, so that log2(W)
    bits take at least log2(W) / capacity questions.

    Args:
        ontology: the words, questions and answer table.
        tolerance: of the capacities, in bits.
    """
    return max(_capacity(channel, tolerance) for channel in np.moveaxis(ontology.table, 1, 0))


def _capacity(channel: NDArray[np.float64], tolerance: float) -> float:
    """Capacity in bits of a channel, float64 [inputs, outputs] (Blahut 1972, Arimoto 1972)."""
    channel = np.unique(channel, axis=0)
    p = np.full(len(channel), 1 / len(channel))
    while True:
        out = p @ channel
        logs = np.log2(np.where(channel > 0, channel / np.where(out > 0, out, 1), 1))
        gains = (channel * logs).sum(axis=1)
        low, high = math.log2(float(p @ 2**gains)), float(gains.max())
        if high - low < tolerance:
            return high
        p = p * 2**gains
        p /= p.sum()


def _play(
    env: DialogueEnv, spec: GameSpec, seeker: Agent, holder: Agent, seed: tuple[int, int]
) -> Result:
    words = spec.secrets()
    env_seed, *seeds = np.random.SeedSequence(seed).generate_state(3).tolist()
    env.reset(seed=env_seed, options={"secret": words[seed[1] % len(words)]})
    players = dict(zip(spec.agents, (seeker, holder), strict=True))
    for (agent, player), own in zip(players.items(), seeds, strict=True):
        player.reset(role_of(agent), spec, own)
    while env.result is None:
        agent = env.agent_selection
        env.step(players[agent].act(env.observe(agent), env.infos[agent]))
    return env.result
