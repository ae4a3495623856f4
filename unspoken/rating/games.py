"""Games as ratings see them: merged, checked, and in an order that names do not decide."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class RatedGame(NamedTuple):
    """One game.

    Attributes:
        seeker: the name of who sought.
        holder: the name of who held.
        score: the seeker's, 0 (holder won) to 1 (seeker won).
        weight: how much the game counts, above 0; M(t) in AIDG-II, 1 in AIDG-I.
    """

    seeker: str
    holder: str
    score: float
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Cells:
    """Equal games merged: K cells, sorted by seeker, holder, score and weight.

    Attributes:
        seekers: names of all S who sought, in canonical order.
        holders: names of all H who held, in canonical order.
        seeker: place in `seekers`, int64 [K].
        holder: place in `holders`, int64 [K].
        score: the seeker's score, float64 [K], 0 to 1.
        weight: of one game, float64 [K], above 0.
        count: number of equal games, int64 [K], at least 1.
    """

    seekers: tuple[str, ...]
    holders: tuple[str, ...]
    seeker: Ints
    holder: Ints
    score: Floats
    weight: Floats
    count: Ints


def merge(games: Iterable[tuple[str, str, float, float]]) -> Cells:
    """Merge equal games and put players in canonical order.

    The order follows from the games alone (colour refinement of the graph of who met whom with
    which result); only players whom that does not tell apart are ordered by name. So whatever is
    computed from the cells, draws of a seeded generator included, depends neither on the order
    of the games nor, but for such look-alikes, on what the players are called.

    Args:
        games: at least one; `RatedGame`s or plain tuples like them.

    Raises:
        ValueError: if there is no game, or a score or a weight is out of range.
    """
    counts = Counter((g[0], g[1], float(g[2]), float(g[3])) for g in games)
    if not counts:
        raise ValueError("no games to rate")
    for a, b, x, w in counts:
        if not (0 <= x <= 1 and 0 < w < math.inf):
            raise ValueError(
                f"{a} against {b}: score={x} must be in [0, 1] and weight={w} positive and finite"
            )
    players = _canonical(counts)
    sought, held = {game[0] for game in counts}, {game[1] for game in counts}
    seekers = [p for p in players if p in sought]
    holders = [p for p in players if p in held]
    place = {p: i for i, p in enumerate(seekers)}, {p: i for i, p in enumerate(holders)}
    rows = sorted((place[0][a], place[1][b], x, w, n) for (a, b, x, w), n in counts.items())
    seeker, holder, score, weight, count = zip(*rows, strict=True)
    return Cells(
        tuple(seekers),
        tuple(holders),
        np.array(seeker, np.int64),
        np.array(holder, np.int64),
        np.array(score, np.float64),
        np.array(weight, np.float64),
        np.array(count, np.int64),
    )


def _canonical(counts: Mapping[tuple[str, str, float, float], int]) -> list[str]:
    kind = {player: 0 for game in counts for player in game[:2]}
    kinds = 1
    while True:
        record: dict[str, list[tuple[int, int, float, float, int]]] = {p: [] for p in kind}
        for (seeker, holder, score, weight), n in counts.items():
            record[seeker].append((0, kind[holder], score, weight, n))
            record[holder].append((1, kind[seeker], score, weight, n))
        marks = {p: (kind[p], tuple(sorted(record[p]))) for p in kind}
        rank = {mark: i for i, mark in enumerate(sorted(set(marks.values())))}
        kind = {p: rank[mark] for p, mark in marks.items()}
        if len(rank) == kinds:  # a round only ever splits kinds
            return sorted(kind, key=lambda p: (kind[p], p))
        kinds = len(rank)
