"""The tournament's design: who meets whom, over which secret, from which seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game that is to be played.

    Attributes:
        id: place in the schedule, from 0; ratings are taken in this order.
        round: which repetition of the design, from 0.
        seats: who sits where, agent ("seeker_0") to player's name.
        secret: what is hidden.
        seed: all chance of the game and its players.
    """

    id: int
    round: int
    seats: Mapping[str, str]
    secret: str
    seed: int


def ordered_pairs(
    players: Mapping[str, Sequence[str]],
    agents: tuple[str, str],
    secrets: Sequence[str],
    *,
    rounds: int,
    seed: int,
) -> list[Fixture]:
    """Every player in the first role against every other in the second (AIDG 4.2, eq. 5).

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

    Raises:
        ValueError: if `rounds` is below 1 or nobody can meet anybody.
    """
    if rounds < 1:
        raise ValueError(f"rounds={rounds}: at least 1")
    first, second = (agent.rpartition("_")[0] for agent in agents)
    pairs = [
        (a, b)
        for a, b in product(players, repeat=2)
        if a != b and first in players[a] and second in players[b]
    ]
    if not pairs:
        raise ValueError(
            f"nobody can meet anybody: of {', '.join(players) or 'no players'}, at least one must "
            f"play {first} and another one {second}"
        )
    fixtures: list[Fixture] = []
    for r in range(rounds):
        rng = np.random.default_rng([seed, r])
        order = rng.permutation(len(pairs))
        passes = -(-len(pairs) // len(secrets))
        dealt = np.concatenate([rng.permutation(len(secrets)) for _ in range(passes)])
        seeds = rng.integers(2**31, size=len(pairs))
        for k, (p, s) in enumerate(zip(order, dealt, strict=False)):
            seats = dict(zip(agents, pairs[p], strict=True))
            fixtures.append(Fixture(len(fixtures), r, seats, secrets[s], int(seeds[k])))
    return fixtures
