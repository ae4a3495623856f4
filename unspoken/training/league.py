"""A league for games of two roles: both learn, against their pasts and against scripted agents.

Each round both roles learn a leg. Opponents are drawn the more often the likelier they are to win,
by ratings that are updated after each leg; then the policy as it is joins the league.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from unspoken.agents.base import Agent
from unspoken.agents.specs import make_agent
from unspoken.benchmarks.tables import Cell, Column, Table
from unspoken.rating.elo import START, DualElo, expected_score
from unspoken.training.evaluation import measure, players_of
from unspoken.training.learn import load, make_env, new, run_leg, save, seed_of, write
from unspoken.training.tasks import Task

FLOOR = 0.05
"""Share of a chance that even a hopeless opponent keeps, so that nobody is unlearnt."""


class League:
    """Who plays a game of two roles, and how well.

    Attributes:
        players: the agents of each role, by role.
        elo: their ratings; "C" of the role that the game names first, "V" of the other.
    """

    def __init__(
        self, roles: tuple[str, str], game: str, start: dict[str, tuple[str, ...]]
    ) -> None:
        self.roles = roles
        self.players: dict[str, list[Agent]] = {
            role: [make_agent(name, game) for name in start[role]] for role in roles
        }
        self.elo = DualElo()

    def rating(self, role: str, name: str) -> float:
        """A rating, 1500 before the first game."""
        ratings = self.elo.c if role == self.roles[0] else self.elo.v
        return ratings.get(name, START)

    def weights(self, role: str, name: str) -> list[float]:
        """How often each player of the other role is met: its chance to win, and a little more."""
        other = self.roles[role == self.roles[0]]
        own = self.rating(role, name)
        return [
            FLOOR + expected_score(self.rating(other, player.name), own)
            for player in self.players[other]
        ]

    def record(self, role: str, name: str, other: str, wins: int, games: int) -> None:
        """Take in games between two players, wins and losses in turn as far as they go."""
        for i in range(games):
            won = (i + 1) * wins // games - i * wins // games  # spread evenly: Elo minds the order
            first = role == self.roles[0]
            pair = (name, other) if first else (other, name)
            self.elo.record(*pair, float(won if first else 1 - won))


def train(
    tasks: Sequence[Task],
    folder: Path,
    *,
    seed: int = 0,
    games: int = 20,
    resume: bool = False,
    watch: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> League:
    """Let both roles of a game learn from each other; writes `ROLE_NNN.zip` and `league.json`.

    A league that was stopped ends as one that was not when it is gone on with; an unfinished leg
    is learnt again.

    Args:
        tasks: of the game's two roles in its order; there are as many rounds as both have legs.
        folder: where all is kept; made if there is none.
        seed: of everything.
        games: by which a policy is rated against each of the others after a leg.
        resume: go on with what the folder holds.
        watch: told as it goes on.

    Raises:
        ImportError: if the extra `rl` is not installed.
        ValueError: if the tasks are not those of a game's two roles, or the folder holds another
            league, or one although `resume` is false.
    """
    from unspoken.agents.sb3 import SB3Agent

    spec = tasks[0].spec
    if len(tasks) != 2 or tuple(task.role for task in tasks) != spec.roles:
        raise ValueError(
            f"a league is for games of two roles and both of them; {spec.name} has "
            f"{', '.join(spec.roles)}"
        )
    so_far = _begin(tasks, folder, seed, games, resume)
    start = {role: players_of(spec, role) for role in spec.roles}
    league = League((tasks[0].role, tasks[1].role), spec.name, start)
    rounds = max(1, min(task.steps // task.leg for task in tasks))
    models: dict[str, Any] = {}
    for place in range(2 * rounds):
        turn, side = 1 + place // 2, place % 2
        task, role, other = tasks[side], tasks[side].role, tasks[1 - side].role
        name, before = f"{role}_{turn:03d}", f"{role}_{turn - 1:03d}"
        opponents = list(league.players[other])
        if place == len(so_far["legs"]):
            env = make_env(task, opponents, league.weights(role, before))
            if role in models:
                models[role].set_env(env)
            elif turn > 1:
                models[role] = load(folder / f"{before}.zip", env)
            else:
                models[role] = new(task, env, folder, seed_of(seed, side))
            run_leg(models[role], task, seed_of(seed, side, turn))
            save(models[role], task, folder / f"{name}.zip")
        player = SB3Agent(str(folder / f"{name}.zip"), name)
        if place == len(so_far["legs"]):
            met = {}
            for opponent in opponents:
                found = measure(
                    spec, role, player, [opponent], games=games, seed=[seed, side, turn]
                )
                met[opponent.name] = round(found.wins * games)
            so_far["legs"].append(met)
        for against, wins in so_far["legs"][place].items():
            league.record(role, name, against, wins, games)
        league.players[role].append(player)
        so_far["ratings"] = league_table(league).json()
        write(folder / "league.json", so_far)
        watch("legs", place + 1, 2 * rounds)
    return league


def _begin(
    tasks: Sequence[Task], folder: Path, seed: int, games: int, resume: bool
) -> dict[str, Any]:
    """What a folder holds of a league; a new one says what is to be."""
    kept = {"tasks": [asdict(task) for task in tasks], "seed": seed, "games": games}
    wanted: dict[str, Any] = json.loads(json.dumps(kept))
    file = folder / "league.json"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        return {**wanted, "legs": []}
    if not resume:
        raise ValueError(
            f"{folder} holds a league; give --resume to go on with it, or another --out"
        )
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if {key: found.get(key) for key in wanted} != wanted:
        raise ValueError(f"{folder} holds another league; give another --out")
    return found


def league_table(league: League) -> Table:
    """Everybody's rating, by role, the best first."""
    rows: list[dict[str, Cell]] = []
    for role in league.roles:
        rated = sorted(
            ((league.rating(role, player.name), player.name) for player in league.players[role]),
            key=lambda pair: (-pair[0], pair[1]),
        )
        rows += [{"role": role, "player": name, "elo": rating} for rating, name in rated]
    columns = [
        Column("role", "role", left=True),
        Column("player", "player", left=True),
        Column("elo", "Elo", "{:.0f}"),
    ]
    return Table("league", "The league: ratings by role", columns, rows)
