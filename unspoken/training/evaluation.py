"""How well a role is played against others, over the same deals for everybody."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from unspoken.agents.base import Agent
from unspoken.agents.specs import DEFAULTS, make_agent, roles_of
from unspoken.benchmarks.executors import make_executor
from unspoken.benchmarks.tables import PERCENT, Cell, Column, Table
from unspoken.envs.registry import GameSpec, role_of

_DEVIATIONS = 1.96
HONEST = "honest"
"""Who has not the special part."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a role reached.

    Attributes:
        player: who played it.
        opponent: against whom.
        games: how many.
        wins: share of games that it won, 0 to 1.
        reward: mean reward.
        score: mean of ±weight of the result (M(t) in the search game, else 1), 0 without a winner.
        spread: half the 95 % interval of `score`.
        part: where one seat of the role has a special part, whether the player had that; see
            `parts_of`.
    """

    player: str
    opponent: str
    games: int
    wins: float
    reward: float
    score: float
    spread: float
    part: str = ""


def parts_of(spec: GameSpec) -> tuple[str, ...]:
    """The parts that one seat of a role can have: honest or the chameleon; else none but ""."""
    return (HONEST, spec.special) if spec.special else ("",)


def opponents_of(spec: GameSpec, role: str) -> tuple[str, ...]:
    """The built-in agents that can have the other seats of a game."""
    others = [other for other in spec.roles if other != role] or list(spec.roles)
    return tuple(
        name for name in DEFAULTS.get(spec.name, ("random",)) if _plays(name, spec, others)
    )


def players_of(spec: GameSpec, role: str) -> tuple[str, ...]:
    """The built-in agents that play a role."""
    return tuple(
        name for name in DEFAULTS.get(spec.name, ("random",)) if _plays(name, spec, [role])
    )


def _plays(name: str, spec: GameSpec, roles: Sequence[str]) -> bool:
    try:
        able = roles_of(make_agent(name, spec.name), spec.roles)
    except ImportError:  # the extra that it needs is not installed
        return False
    return set(roles) <= set(able)


def measure(
    spec: GameSpec,
    role: str,
    player: Agent,
    opponents: Sequence[str | Agent],
    *,
    games: int,
    seed: Sequence[int] | int,
    part: str = "",
) -> Score:
    """Play a role against others.

    Game i is the same deal, with the same seeds for everybody, whoever plays it; the seats of the
    role take turns. Nobody is told how games end.

    Args:
        spec: the game.
        role: the role that is measured.
        player: who plays it.
        opponents: the others or their specs; they take turns.
        games: 1 or more.
        seed: of everything.
        part: one of `parts_of`, which the player then has in every game; "" for either, as the
            game deals it.
    """
    env = spec.env()
    companies = [[_copy(who, spec) for _ in spec.seats] for who in opponents]
    names = [who if isinstance(who, str) else who.name for who in opponents]
    own = [seat for seat in spec.seats if role_of(seat) == role]
    won, rewards, scores = [], [], []
    for i in range(games):
        deal, *seeds = _seeds(seed, i, 1 + len(spec.seats))
        seat = own[i % len(own)]
        special = seat if part != HONEST else _other(own, seat, deal)
        env.reset(seed=deal, options={spec.special: special} if part else {})
        company = companies[i % len(companies)]
        sitting = dict(zip(spec.seats, company, strict=True)) | {seat: player}
        for (agent, who), its in zip(sitting.items(), seeds, strict=True):
            who.reset(role_of(agent), spec, its)
        while env.result is None:
            now = env.agent_selection
            observation, _, _, _, info = env.last()
            assert observation is not None
            env.step(sitting[now].act(observation, info))
        result = env.result
        win = seat in result.winners if result.winners else result.winner == role
        won.append(win)
        rewards.append(env.rewards[seat])
        scores.append(0.0 if result.winner is None else result.weight * (1 if win else -1))
    spread = _DEVIATIONS * float(np.std(scores)) / math.sqrt(games)
    wins, reward, score = (float(np.mean(values)) for values in (won, rewards, scores))
    return Score(player.name, ", ".join(names), games, wins, reward, score, spread, part)


def compare(
    spec: GameSpec,
    role: str,
    player: Agent,
    usual: Sequence[str],
    *,
    games: int,
    seed: Sequence[int] | int,
    executor: str = "local",
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> list[Score]:
    """A player against every built-in opponent, and built-in players against the usual ones.

    Each part of the role is measured apart.

    Args:
        spec: the game.
        role: the role.
        player: who is measured.
        usual: the opponents of training.
        games: of each pair.
        seed: of everything.
        executor: where games are played: "local" or "ray"; the scores are the same.
        watch: called after every pair with how many are done, and how many there are.

    Raises:
        ValueError: if there is no such executor, or the player cannot be sent to it.
        ImportError: if the executor needs an extra that is not installed; names the extra.
    """
    met = dict.fromkeys((*usual, *opponents_of(spec, role)))
    pairs = [(player, opponent) for opponent in met]
    for name in players_of(spec, role):
        pairs += [(make_agent(name, spec.name), opponent) for opponent in dict.fromkeys(usual)]
    rows = [(*pair, part) for part in parts_of(spec) for pair in pairs]
    scores: dict[int, Score] = {}

    async def work(row: int) -> tuple[int, Score]:
        who, opponent, part = rows[row]
        return row, measure(spec, role, who, [opponent], games=games, seed=seed, part=part)

    def keep(found: tuple[int, Score]) -> None:
        scores.update([found])
        watch(len(scores), len(rows))

    make_executor(executor).run(range(len(rows)), work, keep)
    return [scores[row] for row in range(len(rows))]


def score_table(role: str, scores: Sequence[Mapping[str, Any]]) -> Table:
    """Scores, as `asdict` makes them, as a table."""
    rows: list[dict[str, Cell]] = [
        {**score, "interval": f"{score['score']:+.3f} ± {score['spread']:.3f}"} for score in scores
    ]
    parts = (
        [Column("part", "part", left=True)] if any(score.get("part") for score in scores) else []
    )
    columns = [
        *parts,
        Column("opponent", "against", left=True),
        Column("player", role, left=True),
        Column("games", "games"),
        Column("wins", "wins", PERCENT),
        Column("reward", "reward", "{:+.3f}"),
        Column("interval", "score (±M)"),
    ]
    return Table("learning", f"What was learnt: {role}, in new games", columns, rows)


def as_rows(scores: Sequence[Score]) -> list[dict[str, Any]]:
    """Scores as they are kept in JSON."""
    return [asdict(score) for score in scores]


def _other(own: Sequence[str], seat: str, deal: int) -> str:
    """One of the other seats of a role, by a game's seed."""
    others = [other for other in own if other != seat]
    return others[deal % len(others)]


def _copy(who: str | Agent, spec: GameSpec) -> Agent:
    return make_agent(who, spec.name) if isinstance(who, str) else copy.deepcopy(who)


def _seeds(seed: Sequence[int] | int, i: int, n: int) -> list[int]:
    entropy = [seed, i] if isinstance(seed, int) else [*seed, i]
    return [int(s) for s in np.random.SeedSequence(entropy).generate_state(n)]
