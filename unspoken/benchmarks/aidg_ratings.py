"""Dual-Elo ratings of a run of one or both AIDG games: Tables 3, 4 and 12, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.estimates import Row, attempt, estimate
from unspoken.benchmarks.store import Game
from unspoken.benchmarks.tables import Column, Table
from unspoken.rating.elo import START, DualElo

EXPERIMENTS = {"aidg_dialogue": "AIDG-I", "aidg_search": "AIDG-II"}

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
                row |= _sampled("advantage", fmean(v) - fmean(c), gaps)
                row |= estimate(
                    "d", attempt(st.paired_d, v, c), attempt(st.paired_d_interval, v, c)
                )
                test = attempt(st.paired_t, v, c)
                row["p"] = test and test.p
            rows.append(row)
        columns = [
            Column("experiment", "experiment", left=True),
            Column("players", "players"),
            Column("advantage", "V - C", _GAP),
            Column("d", "Cohen's d, paired", "{:.2f}"),
            Column("p", "p", "{:.2g}"),
        ]
        title = (
            "Defense advantage of those in both roles (AIDG Table 3); 95%: bootstrap over games, "
            "d by noncentral t over players"
        )
        return Table("advantage", title, columns, rows)

    def table(self) -> Table:
        """Table 4: ratings, averaged over the experiments that have them, ranked by C.

        A gap is given where both ratings are of the same experiments.
        """
        two = len(self.names) > 1
        single, samples = self.points[:2], self.samples[:, :2]  # without "combined"
        c, v = _known_mean(single)
        cs, vs = np.moveaxis(_known_mean(samples), 1, 0)
        rated = ~np.isnan(single)
        gaps = np.where((rated[:, 0] == rated[:, 1]).all(axis=0), v - c, np.nan)
        order = sorted(range(len(c)), key=lambda i: (-np.nan_to_num(c[i]), -np.nan_to_num(v[i])))
        rows: list[Row] = [
            {
                "rank": rank,
                "player": self.players[i],
                **_sampled("c_elo", c[i], cs[:, i]),
                **_sampled("v_elo", v[i], vs[:, i]),
                **_sampled("gap", gaps[i], vs[:, i] - cs[:, i]),
                **({"rated_in": self._rated_in(rated[:, :, i])} if two else {}),
            }
            for rank, i in enumerate(order, start=1)
        ]
        spread: Row = {"rank": None, "player": "sample SD"}
        for key, ratings in (("c_elo", c), ("v_elo", v)):
            known = ratings[~np.isnan(ratings)]
            spread[key] = float(known.std(ddof=1)) if len(known) > 1 else None
        columns = [
            Column("rank", "#"),
            Column("player", "player", left=True),
            Column("c_elo", "C_ELO", _RATING),
            Column("v_elo", "V_ELO", _RATING),
            Column("gap", "gap", _GAP),
            *([Column("rated_in", "game", left=True)] if two else []),
        ]
        title = "Ratings (AIDG Table 4); 95%: bootstrap over games"
        return Table("elo", title, columns, [*rows, spread])

    def by_experiment(self) -> Table:
        """Table 12: ratings of each experiment, and their means where a player has both."""
        rows: list[Row] = []
        for j, player in enumerate(self.players):
            for i, name in enumerate(self.names):
                row: Row = {"player": player, "experiment": name}
                for k, key in enumerate(("c_elo", "v_elo")):
                    row |= _sampled(key, self.points[i, k, j], self.samples[:, i, k, j])
                if len(row) > 2:
                    rows.append(row)
        columns = [
            Column("player", "player", left=True),
            Column("experiment", "experiment", left=True),
            Column("c_elo", "C_ELO", _RATING),
            Column("v_elo", "V_ELO", _RATING),
        ]
        title = "Ratings by game (AIDG Table 12); 95%: bootstrap over games"
        return Table("elo_by_game", title, columns, rows)

    def _rated_in(self, rated: NDArray[np.bool_]) -> str:
        """The experiments behind a player's ratings; `rated` is (2 experiments, 2 roles)."""
        named = {
            kind: "both" if role.all() else self.names[int(role.argmax())]
            for kind, role in zip("CV", rated.T, strict=True)
            if role.any()
        }
        if len(set(named.values())) == 1:
            return next(iter(named.values()))
        return ", ".join(f"{kind}: {name}" for kind, name in named.items())


def seat(game: Game, place: int) -> str:
    """Who sat in a place: 0 the seeker's, 1 the holder's."""
    return list(game.fixture.seats.values())[place]


def seeker_won(game: Game) -> bool:
    """Whether it was the seeker that won."""
    return game.result.winner == "seeker"


def _sampled(key: str, value: float, samples: st.Floats) -> Row:
    """An estimate with its bootstrap interval; nothing where the value is NaN."""
    if np.isnan(value):
        return {}
    low, high = st.percentiles(samples)
    return estimate(key, float(value), st.Interval(float(low), float(high)))


def _known_mean(ratings: st.Floats) -> st.Floats:
    """Means over the experiments that have a rating, the third axis from the end; or NaN."""
    known = ~np.isnan(ratings)
    with np.errstate(invalid="ignore"):
        means = np.where(known, ratings, 0).sum(axis=-3) / known.sum(axis=-3)
    return np.asarray(means, dtype=np.float64)
