"""Ratings for games of more than two players: openskill over teams, averaged over orders.

A rating belongs to a player in a part ("chameleon", "ally"), as in dual Elo: a good liar need not
be a good listener. The skills of a side add up (Weng and Lin 2011, Plackett-Luce).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from openskill.models import PlackettLuce

MU = 25.0
"""What the skills of every side add up to before the first game."""

Entrant = tuple[str, str]
"""Who is rated: a player and its part."""


class TeamGame(NamedTuple):
    """One game of two sides; whoever is rated may sit on a side more than once.

    Attributes:
        winners: the side that won, at least one.
        losers: the side that lost, at least one.
    """

    winners: tuple[Entrant, ...]
    losers: tuple[Entrant, ...]


class Skill(NamedTuple):
    """A rating.

    Attributes:
        gain: how far the mean skill lies above where its part began, in openskill's units; the
            mean over the orders drawn.
        sigma: the model's uncertainty of the skill; the mean over the orders drawn.
        spread: population deviation of `gain` over the orders.
    """

    gain: float
    sigma: float
    spread: float


def rate(games: Sequence[TeamGame], *, orders: int = 20, seed: int = 0) -> dict[Entrant, Skill]:
    """Rate everybody in the games.

    openskill's result depends on the order of games; for players that do not learn that is an
    accident of the schedule, so the mean over random orders is taken.

    Args:
        games: at least one.
        orders: how many orders to draw, at least 1.
        seed: of the draws.

    Raises:
        ValueError: if there are no games or `orders` is below 1.
    """
    if not games:
        raise ValueError("no games to rate")
    if orders < 1:
        raise ValueError(f"orders={orders}: at least 1")
    # Sides may differ in size: each begins at the same sum, or the larger would seem sure to win.
    start = {who: MU / len(side) for game in games for side in game for who in side}
    rng = np.random.default_rng(seed)
    runs = [_run([games[i] for i in rng.permutation(len(games))], start) for _ in range(orders)]
    skills = {}
    for who in start:
        mus, sigmas = zip(*(run[who] for run in runs), strict=True)
        gains = np.array(mus) - start[who]
        skills[who] = Skill(float(gains.mean()), float(np.mean(sigmas)), float(gains.std()))
    return skills


def _run(
    games: Sequence[TeamGame], start: dict[Entrant, float]
) -> dict[Entrant, tuple[float, float]]:
    model = PlackettLuce()
    held = {who: (mu, model.sigma) for who, mu in start.items()}
    for game in games:
        teams = [[model.rating(*held[who]) for who in side] for side in game]
        after: dict[Entrant, list[tuple[float, float]]] = {}
        for side, rated in zip(game, model.rate(teams), strict=True):
            for who, rating in zip(side, rated, strict=True):
                after.setdefault(who, []).append((rating.mu, rating.sigma))
        for who, ratings in after.items():
            mu, sigma = np.mean(ratings, axis=0)
            held[who] = float(mu), float(sigma)
    return held
