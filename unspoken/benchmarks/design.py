"""The tournament's design: who meets whom, over which secret, from which seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from unspoken.envs.registry import GameSpec, role_of

_Seating = tuple[Mapping[str, str], Mapping[str, str]]
"""Who sits where, and the setting."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game that is to be played.

    Attributes:
        id: place in the schedule, from 0; ratings are taken in this order.
        round: which repetition of the design, from 0.
        seats: who sits where, agent ("seeker_0") to player's name.
        secret: what is hidden.
        seed: all chance of the game and its players.
        setting: further options of `reset`: AIDG-I's mode, for example.
    """

    id: int
    round: int
    seats: Mapping[str, str]
    secret: str
    seed: int
    setting: Mapping[str, str] = field(default_factory=dict)


def schedule(
    players: Mapping[str, Sequence[str]],
    spec: GameSpec,
    *,
    rounds: int,
    seed: int,
    paired: bool,
) -> list[Fixture]:
    """The design of a game: everybody against everybody, or a league where seats share a role.

    A round is one tournament of the paper: secrets are drawn without replacement within it (when
    a round has more games than there are secrets, all are used before one comes again), and its
    games are in random order, since Elo depends on the order. Round i is the same whatever the
    number of rounds, so a tournament can be prolonged.

    Args:
        players: the roles that each player takes, by name.
        spec: the game with its options.
        rounds: repetitions, at least 1.
        seed: of the order, the secrets and the games' own seeds.
        paired: whether games that ought to differ in their players alone share their secret and
            seed: the two seatings of a pair (roles swapped), and where three or more have roles of
            their own, all that meet the same others in the first seat. A secret then comes
            several times in a round.

    Raises:
        ValueError: if `rounds` is below 1 or nobody can meet anybody.
    """
    if rounds < 1:
        raise ValueError(f"rounds={rounds}: at least 1")
    secrets = spec.secrets()
    shared = len(spec.roles) < len(spec.seats)
    games: Sequence[_Seating] = [] if shared else complete(players, spec.seats, spec.settings)
    fixtures: list[Fixture] = []
    for r in range(rounds):
        rng = np.random.default_rng([seed, r])
        if shared:
            games = league(list(players), spec.seats, spec.special, rng)
        shuffled = [games[g] for g in rng.permutation(len(games))]
        deals = _deals(shuffled, paired=paired and not shared)
        passes = -(-(max(deals) + 1) // len(secrets))
        dealt = np.concatenate([rng.permutation(len(secrets)) for _ in range(passes)])
        seeds = rng.integers(2**31, size=len(games))
        for (seats, setting), deal in zip(shuffled, deals, strict=True):
            secret, own = secrets[dealt[deal]], int(seeds[deal])
            fixtures.append(Fixture(len(fixtures), r, seats, secret, own, setting))
    return fixtures


def complete(
    players: Mapping[str, Sequence[str]],
    agents: Sequence[str],
    settings: Sequence[Mapping[str, str]] = ({},),
) -> list[_Seating]:
    """Every choice of different players for the seats, in every setting.

    For two seats this is AIDG's complete block design: its equation 5 with one setting, equation 4
    with the two modes of AIDG-I (AIDG 4.2).

    Args:
        players: the roles that each player takes, by name.
        agents: the seats, each with a role of its own.
        settings: what each seating plays once.

    Raises:
        ValueError: if nobody can meet anybody.
    """
    roles = [role_of(agent) for agent in agents]
    takers = [[name for name, taken in players.items() if role in taken] for role in roles]
    games: list[_Seating] = [
        (dict(zip(agents, names, strict=True)), setting)
        for names, setting in product(product(*takers), settings)
        if len(set(names)) == len(names)
    ]
    if not games:
        raise ValueError(
            f"nobody can meet anybody: of {', '.join(players) or 'no players'}, at least one must "
            f"play {roles[0]} and {'another one ' if len(roles) == 2 else 'others '}"
            f"{' and '.join(roles[1:])}"
        )
    return games


def league(
    players: Sequence[str], agents: Sequence[str], special: str, rng: np.random.Generator
) -> list[_Seating]:
    """One game a player in which it has the special part, the others drawn to sit with it.

    The others are drawn so that everybody sits equally often, as nearly as chance allows; where
    there are fewer players than seats some sit twice at a table.

    Args:
        players: everybody's name.
        agents: the seats, all of one role.
        special: the option of `reset` that names the seat of the special part; "" for none.
        rng: of the draw.
    """
    games: list[_Seating] = []
    waiting: list[str] = []
    for lead in (players[i] for i in rng.permutation(len(players))):
        table = [lead]
        while len(table) < len(agents):
            everybody_sits = len(set(table)) == len(players)
            if not waiting or not (everybody_sits or any(name not in table for name in waiting)):
                waiting += [players[i] for i in rng.permutation(len(players))]
            table.append(next((name for name in waiting if name not in table), waiting[0]))
            waiting.remove(table[-1])
        places = rng.permutation(len(agents))
        seats = {agents[place]: name for place, name in sorted(zip(places, table, strict=True))}
        games.append((seats, {special: agents[places[0]]} if special else {}))
    return games


def _deals(games: Sequence[_Seating], *, paired: bool) -> list[int]:
    """Which deal of secret and seed each game takes: one of its own, or one with its likes."""
    deals: dict[Any, int] = {}
    keys: list[Any] = list(range(len(games)))
    if paired:
        keys = [(_alike(list(seats.values())), *setting.items()) for seats, setting in games]
    return [deals.setdefault(key, len(deals)) for key in keys]


def _alike(names: Sequence[str]) -> Any:
    return frozenset(names) if len(names) == 2 else tuple(names[1:])
