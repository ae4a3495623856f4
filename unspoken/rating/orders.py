"""How far dual Elo depends on the order of the games, and its average over orders.

Elo moves with every game, so the last games count most; for players that do not learn that is
an accident of the schedule. The mean over random orders is free of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from unspoken.rating.elo import START, DualElo, K
from unspoken.rating.games import Floats, merge


@dataclass(frozen=True, slots=True)
class Spread:
    """One rating over many orders of the same games, in Elo points.

    Attributes:
        given: the rating in the order given.
        mean: over the orders drawn.
        sd: population deviation over the orders.
        low: the lowest of them.
        high: the highest of them.
    """

    given: float
    mean: float
    sd: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Orders:
    """Dual Elo over random orders.

    Attributes:
        c: ratings as seeker, by name.
        v: ratings as holder, by name.
        orders: how many orders were drawn.
    """

    c: Mapping[str, Spread]
    v: Mapping[str, Spread]
    orders: int


def over_orders(
    games: Iterable[tuple[str, str, float, float]],
    *,
    orders: int = 1000,
    seed: int = 0,
    k: float = K,
) -> Orders:
    """Play the same games into dual Elo in many random orders.

    The orders drawn, and so all but `Spread.given`, depend neither on the order given nor on
    names (see `unspoken.rating.games.merge`). Memory is 4 bytes a game and order.

    Args:
        games: at least one `RatedGame`, or tuple of seeker, holder, seeker's score, weight.
        orders: how many to draw, at least 1.
        seed: of the draws.
        k: Elo's learning constant.

    Raises:
        ValueError: if there are no games, a score or a weight is out of range, or `orders` is
            below 1.
    """
    if orders < 1:
        raise ValueError(f"orders={orders}: at least 1")
    games = list(games)
    cells = merge(games)
    given = DualElo(k=k)
    for game in games:
        given.record(*game)
    rng = np.random.default_rng(seed)
    listed = np.repeat(np.arange(len(cells.count), dtype=np.int32), cells.count)
    drawn = rng.permuted(np.tile(listed, (orders, 1)), axis=1)
    c = np.full((orders, len(cells.seekers)), START)
    v = np.full((orders, len(cells.holders)), START)
    every = np.arange(orders)
    for game_ in np.ascontiguousarray(drawn.T):  # the same place in every order at once
        s, h = cells.seeker[game_], cells.holder[game_]
        expected = 1 / (1 + 10 ** ((v[every, h] - c[every, s]) / 400))
        change = k * cells.weight[game_] * (cells.score[game_] - expected)
        c[every, s] += change
        v[every, h] -= change
    return Orders(
        {p: _spread(given.c[p], c[:, i]) for p, i in _places(cells.seekers)},
        {p: _spread(given.v[p], v[:, i]) for p, i in _places(cells.holders)},
        orders,
    )


def _places(names: tuple[str, ...]) -> list[tuple[str, int]]:
    return sorted((name, i) for i, name in enumerate(names))


def _spread(given: float, ratings: Floats) -> Spread:
    return Spread(
        given,
        float(ratings.mean()),
        float(ratings.std()),
        float(ratings.min()),
        float(ratings.max()),
    )
