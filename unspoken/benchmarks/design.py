"""The tournament's design: who meets whom, over which secret, from which seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from unspoken.envs.registry import role_of


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


def ordered_pairs(
    players: Mapping[str, Sequence[str]],
    agents: tuple[str, str],
    secrets: Sequence[str],
    *,
    rounds: int,
    seed: int,
    settings: Sequence[Mapping[str, str]] = ({},),
    paired: bool = False,
) -> list[Fixture]:
    """Every player in the first role against every other in the second, in every setting.

    This is AIDG's complete block design: its equation 5 with one setting, equation 4 with the two
    modes of AIDG-I (AIDG 4.2).

    A round is one tournament of the paper: secrets are drawn without replacement within it (when
    a round has more games than there are secrets, all are used before one comes again), and its
    games are in random order, since Elo depends on the order. Round i is the same whatever the
    number of rounds, so a tournament can be prolonged.

    Args:
        players: the roles that each player takes, by name.
        agents: the two agents of the game, ("seeker_0", "holder_0").
        secrets: what can be hidden.
        rounds: repetitions, at least 1.
        seed: of the order, the secrets and the games' own seeds.
        settings: what each pair plays once in every round.
        paired: whether the two seatings of a pair (roles swapped) share their secret and seed, so
            that differences between players are not those between secrets. A secret then comes
            twice in a round.

    Raises:
        ValueError: if `rounds` is below 1 or nobody can meet anybody.
    """
    if rounds < 1:
        raise ValueError(f"rounds={rounds}: at least 1")
    first, second = map(role_of, agents)
    games = [
        (dict(zip(agents, pair, strict=True)), setting)
        for pair, setting in product(product(players, repeat=2), settings)
        if pair[0] != pair[1] and first in players[pair[0]] and second in players[pair[1]]
    ]
    if not games:
        raise ValueError(
            f"nobody can meet anybody: of {', '.join(players) or 'no players'}, at least one must "
            f"play {first} and another one {second}"
        )
    fixtures: list[Fixture] = []
    for r in range(rounds):
        rng = np.random.default_rng([seed, r])
        shuffled = [games[g] for g in rng.permutation(len(games))]
        deals = _deals(shuffled, paired=paired)
        passes = -(-(max(deals) + 1) // len(secrets))
        dealt = np.concatenate([rng.permutation(len(secrets)) for _ in range(passes)])
        seeds = rng.integers(2**31, size=len(games))
        for (seats, setting), deal in zip(shuffled, deals, strict=True):
            secret, own = secrets[dealt[deal]], int(seeds[deal])
            fixtures.append(Fixture(len(fixtures), r, seats, secret, own, setting))
    return fixtures


def _deals(
    games: Sequence[tuple[Mapping[str, str], Mapping[str, str]]], *, paired: bool
) -> list[int]:
    """Which deal of secret and seed each game takes: one of its own, or one a pair and setting."""
    deals: dict[Any, int] = {}
    return [
        deals.setdefault((frozenset(seats.values()), *setting.items()) if paired else i, len(deals))
        for i, (seats, setting) in enumerate(games)
    ]
