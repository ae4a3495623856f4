"""Dual-Elo ratings of a run of one or both AIDG games: Tables 3, 4 and 12, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any, TypeVar

import numpy as np

from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.store import Game
from unspoken.benchmarks.tables import Cell, Column, Table
from unspoken.rating.elo import START, DualElo

EXPERIMENTS = {"aidg_dialogue": "AIDG-I", "aidg_search": "AIDG-II"}

T = TypeVar("T")
Row = dict[str, Cell]
Run = Mapping[str, Sequence[Game]]
"""The games of a run by the game's name, a key of `EXPERIMENTS`."""

_RATING, _GAP = "{:.1f}", "{:+.1f}"


class Ratings:
    """Final ratings of all players, by experiment and averaged, and their bootstrap samples.

    Attributes:
        players: whoever played.
        names: of the experiments, and "combined" if there are two.
        points: array (experiments, 2, players) of C and V; NaN where a player lacked the role.
        samples: the same of each resample, (resamples, experiments, 2, players).
    """

    def __init__(self, played: Run, resamples: int, seed: int) -> None:
        seated = [list(g.fixture.seats.values()) for games in played.values() for g in games]
        self.players = sorted({player for seats in seated for player in seats})
        self.names = [EXPERIMENTS[name] for name in played]
        points, samples = [], []
        for games in played.values():
            sat = [{seat(game, place) for game in games} for place in (0, 1)]
            absent = np.array([[player not in role for player in self.players] for role in sat])
            bouts = [(seat(g, 0), seat(g, 1), float(seeker_won(g)), g.result.weight) for g in games]
            point = self._rate(bouts)
            sample = st.resample(bouts, self._rate, resamples=resamples, seed=seed)
            point[absent] = sample[:, absent] = np.nan
            points.append(point)
            samples.append(sample)
            seed += 1
        self.points, self.samples = np.stack(points), np.stack(samples, axis=1)
        if len(played) == 2:
            self.names.append("combined")
            self.points, self.samples = (
                np.concatenate([x, x.mean(axis=-3, keepdims=True)], axis=-3)
                for x in (self.points, self.samples)
            )

    def _rate(self, bouts: Sequence[tuple[str, str, float, float]]) -> st.Floats:
        elo = DualElo()
        for bout in bouts:
            elo.record(*bout)
        return np.array([[r.get(p, START) for p in self.players] for r in (elo.c, elo.v)])

    def advantage(self) -> Table:
        """Table 3; "combined" is of every player's mean ratings, and not the mean of both d."""
        rows: list[Row] = []
        for i, name in enumerate(self.names):
            both = ~np.isnan(self.points[i]).any(axis=0)
            c, v = self.points[i][:, both].tolist()
            row: Row = {"experiment": name, "players": len(c)}
            if c:
                gaps = (self.samples[:, i, 1] - self.samples[:, i, 0])[:, both].mean(axis=1)
                row |= estimate("advantage", fmean(v) - fmean(c), gaps)
                test = attempt(st.paired_t, v, c)
                row |= {"d": attempt(st.paired_d, v, c), "p": test and test.p}
            rows.append(row)
        columns = [
            Column("experiment", "experiment"),
            Column("players", "players in both roles"),
            *with_ends(Column("advantage", "defense advantage", _GAP)),
            Column("d", "Cohen's d, paired", "{:.2f}"),
            Column("p", "p", "{:.2g}"),
        ]
        return Table("advantage", "Defense advantage, V - C (AIDG Table 3)", columns, rows)

    def table(self) -> Table:
        """Table 4: ratings, averaged over the experiments, ranked by C."""
        (c, v), (cs, vs) = self.points[-1], np.moveaxis(self.samples[:, -1], 1, 0)
        order = sorted(range(len(c)), key=lambda i: (-np.nan_to_num(c[i]), -np.nan_to_num(v[i])))
        rows: list[Row] = [
            {
                "rank": rank,
                "player": self.players[i],
                **estimate("c_elo", c[i], cs[:, i]),
                **estimate("v_elo", v[i], vs[:, i]),
                **estimate("gap", v[i] - c[i], vs[:, i] - cs[:, i]),
            }
            for rank, i in enumerate(order, start=1)
        ]
        spread: Row = {"rank": None, "player": "sample deviation"}
        for key, ratings in (("c_elo", c), ("v_elo", v)):
            known = ratings[~np.isnan(ratings)]
            spread[key] = float(known.std(ddof=1)) if len(known) > 1 else None
        columns = [
            Column("rank", "#"),
            Column("player", "player"),
            *with_ends(Column("c_elo", "C_ELO", _RATING)),
            *with_ends(Column("v_elo", "V_ELO", _RATING)),
            *with_ends(Column("gap", "gap", _GAP)),
        ]
        return Table("elo", "Ratings (AIDG Table 4)", columns, [*rows, spread])

    def by_experiment(self) -> Table:
        """Table 12: ratings of each experiment and their means."""
        columns = [Column("player", "player")]
        rows: list[Row] = [{"player": player} for player in self.players]
        for i, name in enumerate(self.names):
            for k, kind in enumerate("CV"):
                column = Column(f"{kind.lower()}_{name}", f"{kind} ({name})", _RATING)
                columns += with_ends(column)
                for j, row in enumerate(rows):
                    row |= estimate(column.key, self.points[i, k, j], self.samples[:, i, k, j])
        return Table("elo_by_game", "Ratings by game (AIDG Table 12)", columns, rows)


def seat(game: Game, place: int) -> str:
    """Who sat in a place: 0 the seeker's, 1 the holder's."""
    return list(game.fixture.seats.values())[place]


def seeker_won(game: Game) -> bool:
    """Whether it was the seeker that won."""
    return game.result.winner == "seeker"


def estimate(key: str, value: float, samples: st.Floats) -> Row:
    """A value and the ends of its bootstrap interval; nothing where there is no value."""
    if np.isnan(value):
        return {}
    low, high = st.percentiles(samples)
    return {key: float(value), f"{key}_low": float(low), f"{key}_high": float(high)}


def with_ends(column: Column) -> list[Column]:
    """A column and those of its interval."""
    low = Column(f"{column.key}_low", "95% from", column.form)
    return [column, low, Column(f"{column.key}_high", "to", column.form)]


def attempt(function: Callable[..., T], *data: Any) -> T | None:
    """The statistic, or None where the data have none."""
    try:
        return function(*data)
    except ValueError:
        return None
