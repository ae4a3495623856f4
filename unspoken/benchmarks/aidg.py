"""The AIDG paper's tables for a run of one or both of its games, with intervals.

Rates have Wilson's interval; ratings, and shares of answers, whose answers hang together within a
game, have bootstrap intervals over resampled games. Ratings are computed in schedule order. Games
without a winner are counted as void and nowhere else.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from unspoken.benchmarks import aidg_search
from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.store import FILE, Game, read_config, read_games
from unspoken.benchmarks.tables import PERCENT, Cell, Column, Table, mean
from unspoken.envs.aidg_search.rules import ANSWERS, MAX_TURNS, Ending
from unspoken.rating.elo import START, DualElo

EXPERIMENTS = {"aidg_dialogue": "AIDG-I", "aidg_search": "AIDG-II"}

Row = dict[str, Cell]
_Run = Mapping[str, Sequence[Game]]
_RATING, _GAP = "{:.1f}", "{:+.1f}"


def stats(*folders: Path, mode_of: Callable[[Game], str] | None = None) -> list[Table]:
    """The tables of a run, or of a run of each game together.

    Args:
        folders: each holds a run of another AIDG game.
        mode_of: the attack mode, "A" or "B", of an AIDG-I game.

    Raises:
        FileNotFoundError: if a folder holds no run.
        ValueError: if a run is of another game, or two are of the same.
    """
    games: dict[str, list[Game]] = {}
    max_turns = MAX_TURNS
    for folder in folders:
        path = folder / FILE
        if not path.exists():
            raise FileNotFoundError(f"{folder} holds no run: there is no {FILE} in it")
        with closing(sqlite3.connect(path)) as db:
            config = read_config(db)
            name = config["game"].rpartition("_v")[0]
            if name in games:
                raise ValueError(f"{folder} holds a second run of {name}; give one of each game")
            games[name] = list(read_games(db))
        if name == "aidg_search":
            max_turns = config["options"].get("max_turns", MAX_TURNS)
    return run_tables(games, mode_of=mode_of, max_turns=max_turns)


def run_tables(
    games: _Run,
    *,
    mode_of: Callable[[Game], str] | None = None,
    max_turns: int = MAX_TURNS,
    resamples: int = 1000,
    seed: int = 0,
) -> list[Table]:
    """Tables 2 to 7 and 10 to 13 of the paper, as far as there are data for them.

    Args:
        games: by game, "aidg_dialogue" or "aidg_search", in schedule order with dialogues.
        mode_of: the attack mode, "A" or "B", of an AIDG-I game; Tables 5 and 13 need it.
        max_turns: of the AIDG-II games.
        resamples: of the bootstrap.
        seed: of the bootstrap.

    Raises:
        ValueError: if there is another game among `games`, or none was played.
    """
    other = sorted(games.keys() - EXPERIMENTS.keys())
    if other:
        raise ValueError(f"no games of AIDG: {', '.join(other)}; choose from {list(EXPERIMENTS)}")
    decided = {
        name: [game for game in games[name] if game.result.winner is not None]
        for name in EXPERIMENTS
        if name in games
    }
    played = {name: list_ for name, list_ in decided.items() if list_}
    if not played:
        raise ValueError("no game has been played to its end yet")
    ratings = _Ratings(played, resamples, seed)
    tables = [corpus(games, played), ratings.advantage(), ratings.table()]
    if len(played) == 2:
        tables.append(ratings.by_experiment())
    dialogue, search = played.get("aidg_dialogue"), played.get("aidg_search")
    if dialogue and mode_of:
        tables += [modes(dialogue, mode_of), modes_by_player(dialogue, mode_of)]
    if search:
        tables += [
            _with_wilson(aidg_search.outcomes(games["aidg_search"]), "games", None),
            _with_wilson(aidg_search.lock_timing(search, max_turns), "wins", "games"),
            disqualifications(search),
            answers(search, resamples, seed),
        ]
    tables.append(tests(played, ratings))
    return tables


# Tables -----------------------------------------------------------------------------------------


def corpus(games: _Run, played: _Run) -> Table:
    """Table 2, and the turns of the seekers' wins (5.6)."""
    rows: list[Row] = []
    for name, list_ in played.items():
        turns = [game.result.turn for game in list_]
        won = [game.result.turn for game in list_ if _won(game)]
        rows.append(
            {
                "experiment": EXPERIMENTS[name],
                "games": len(list_),
                "void": len(games[name]) - len(list_),
                "turns": sum(turns),
                "depth": mean(turns),
                **_rate("seeker_rate", (len(won), len(list_))),
                "holder_rate": 1 - len(won) / len(list_),
                "mean_win_turn": mean(won),
                "median_win_turn": median(won) if won else None,
            }
        )
    columns = [
        Column("experiment", "experiment"),
        Column("games", "games"),
        Column("void", "void"),
        Column("turns", "turns"),
        Column("depth", "mean turns", "{:.1f}"),
        *_with_ends(Column("seeker_rate", "seekers won", PERCENT)),
        Column("holder_rate", "holders won", PERCENT),
        Column("mean_win_turn", "turns of seekers' wins, mean", "{:.2f}"),
        Column("median_win_turn", "median", "{:g}"),
    ]
    return Table("corpus", "Games and win rates (AIDG Table 2)", columns, rows)


class _Ratings:
    """Final ratings of all players, by experiment and averaged, and their bootstrap samples.

    Attributes:
        players: whoever played.
        names: of the experiments, and "combined" if there are two.
        points: array (experiments, 2, players) of C and V; NaN where a player lacked the role.
        samples: the same of each resample, (resamples, experiments, 2, players).
    """

    def __init__(self, played: _Run, resamples: int, seed: int) -> None:
        seated = [list(g.fixture.seats.values()) for games in played.values() for g in games]
        self.players = sorted({player for seats in seated for player in seats})
        self.names = [EXPERIMENTS[name] for name in played]
        points, samples = [], []
        for games in played.values():
            sat = [{_seat(game, place) for game in games} for place in (0, 1)]
            absent = np.array([[player not in role for player in self.players] for role in sat])
            point = self._rate(games)
            sample = st.resample(games, self._rate, resamples=resamples, seed=seed)
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

    def _rate(self, games: Sequence[Game]) -> st.Floats:
        elo = DualElo()
        for game in games:
            elo.record(_seat(game, 0), _seat(game, 1), float(_won(game)), game.result.weight)
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
                row |= _estimate("advantage", mean(v)- mean(c), gaps)
                row |= {"d": _maybe(st.paired_d, v, c), "p": _p(_maybe(st.paired_t, v, c))}
            rows.append(row)
        columns = [
            Column("experiment", "experiment"),
            Column("players", "players in both roles"),
            *_with_ends(Column("advantage", "defense advantage", _GAP)),
            Column("d", "Cohen's d, paired", "{:.2f}"),
            Column("p", "p", "{:.2g}"),
        ]
        return Table("advantage", "Defense advantage, V - C (AIDG Table 3)", columns, rows)

    def table(self) -> Table:
        """Table 4: ratings, averaged over the experiments, ranked by C."""
        (c, v), (cs, vs) = self.points[-1], np.moveaxis(self.samples[:, -1], 1, 0)
        order = sorted(range(len(c)), key=lambda i: (np.isnan(c[i]), -c[i], -v[i]))
        rows: list[Row] = [
            {
                "rank": rank,
                "player": self.players[i],
                **_estimate("c_elo", c[i], cs[:, i]),
                **_estimate("v_elo", v[i], vs[:, i]),
                **_estimate("gap", v[i] - c[i], vs[:, i] - cs[:, i]),
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
            *_with_ends(Column("c_elo", "C_ELO", _RATING)),
            *_with_ends(Column("v_elo", "V_ELO", _RATING)),
            *_with_ends(Column("gap", "gap", _GAP)),
        ]
        return Table("elo", "Ratings (AIDG Table 4)", columns, [*rows, spread])

    def by_experiment(self) -> Table:
        """Table 12: ratings of each experiment and their means."""
        columns = [Column("player", "player")]
        rows: list[Row] = [{"player": player} for player in self.players]
        for i, name in enumerate(self.names):
            for k, kind in enumerate("CV"):
                column = Column(f"{kind.lower()}_{name}", f"{kind} ({name})", _RATING)
                columns += _with_ends(column)
                for j, row in enumerate(rows):
                    row |= _estimate(column.key, self.points[i, k, j], self.samples[:, i, k, j])
        return Table("elo_by_game", "Ratings by game (AIDG Table 12)", columns, rows)


def modes(games: Sequence[Game], mode_of: Callable[[Game], str]) -> Table:
    """Table 5: confirmation (A) against blind extraction (B)."""
    counts = {mode: _count(g for g in games if mode_of(g) == mode) for mode in "AB"}
    rows: list[Row] = [
        {"mode": mode, "games": count[1], "wins": count[0], **_rate("rate", count)}
        for mode, count in counts.items()
    ]
    odds = _maybe(st.odds_ratio, *counts.values()) or (None, None, None)
    p = _maybe(st.fisher, *counts.values())
    rows.append({"mode": "odds of A over B", "odds": odds[0], "p": p})
    rows[-1] |= {"odds_low": odds[1], "odds_high": odds[2]}
    columns = [
        Column("mode", "mode"),
        Column("games", "games"),
        Column("wins", "wins"),
        *_with_ends(Column("rate", "win rate", PERCENT)),
        *_with_ends(Column("odds", "odds ratio (Woolf)", "{:.2f}")),
        Column("p", "p (Fisher)", "{:.2g}"),
    ]
    return Table("modes", "Prior knowledge (AIDG Table 5)", columns, rows)


def modes_by_player(games: Sequence[Game], mode_of: Callable[[Game], str]) -> Table:
    """Table 13: the seekers' win rates in each mode."""
    rows: list[Row] = []
    for player, own in _by_seeker(games).items():
        a, b = (_rate(m, _count(g for g in own if mode_of(g) == m)) for m in "AB")
        x, y = a["A"], b["B"]
        difference = x - y if isinstance(x, float) and isinstance(y, float) else None
        rows.append({"player": player, **a, **b, "difference": difference})
    columns = [
        Column("player", "seeker"),
        *_with_ends(Column("A", "mode A", PERCENT)),
        *_with_ends(Column("B", "mode B", PERCENT)),
        Column("difference", "difference", "{:+.1%}"),
    ]
    return Table("modes_by_player", "Modes by seeker (AIDG Table 13)", columns, rows)


def disqualifications(games: Sequence[Game]) -> Table:
    """Table 10: who was disqualified, how often and when."""
    rows: list[Row] = []
    for player, own in _by_seeker(games).items():
        out = [game.result.turn for game in own if game.result.outcome == Ending.DISQUALIFIED]
        row: Row = {"player": player, "games": len(own), "turn": mean(out)}
        rows.append(row | _rate("disqualified", (len(out), len(own))) | _rate("won", _count(own)))
    columns = [
        Column("player", "seeker"),
        Column("games", "games"),
        *_with_ends(Column("disqualified", "disqualified", PERCENT)),
        *_with_ends(Column("won", "won", PERCENT)),
        Column("turn", "mean turn of it", "{:.1f}"),
    ]
    return Table("disqualified", "Disqualification (AIDG Table 10)", columns, rows)


def answers(games: Sequence[Game], resamples: int, seed: int) -> Table:
    """Table 11: what holders answered in games that they won and lost."""
    rows: list[Row] = [{"answer": answer} for answer in ANSWERS]
    columns = [Column("answer", "answer")]
    for key, label, lost in (("won", "holder won", False), ("lost", "holder lost", True)):
        said = [counts for counts, seeker_won in _said(games) if seeker_won == lost and any(counts)]
        columns += [Column(f"{key}_n", "n"), *_with_ends(Column(key, label, PERCENT))]
        if said:
            samples = st.resample(said, _shares, resamples=resamples, seed=seed)
            for i, row in enumerate(rows):
                row[f"{key}_n"] = sum(counts[i] for counts in said)
                row |= _estimate(key, _shares(said)[i], samples[:, i])
    return Table("answers", "Answers by outcome (AIDG Table 11)", columns, rows)


def tests(played: _Run, ratings: _Ratings) -> Table:
    """The tests of sections 5.2, 5.4, 5.8 and 5.9, where the run has data for them."""
    rows: list[Row] = []

    def add(section: str, what: str, test: Callable[..., st.Statistic], *data: Any) -> None:
        result = _maybe(test, *data)
        if result is not None:
            rows.append({"section": section, "what": what, "value": result[0], "p": result[1]})

    if len(played) == 2:
        first, second = map(_count, played.values())
        add("5.2", "χ² of the games' win rates (Yates)", st.chi_squared, first, second)
        for k, kind in ((1, "V"), (0, "C")):
            pair = ratings.points[:2, k]
            what = f"Spearman's rho of {kind}_ELO in both games"
            add("5.8", what, st.spearman, *pair[:, ~np.isnan(pair).any(axis=0)])
    if search := played.get("aidg_search"):
        who = disqualifications(search).rows
        pair_ = [[row[key] for row in who] for key in ("disqualified", "won")]
        add("5.4", "Pearson's r of disqualification and win rate", st.pearson, *pair_)
        said = [sum((Counter(dict(enumerate(c))) for c, won in _said(search) if won == lost),
                Counter()) for lost in (False, True)]
        maybe = ANSWERS.index("maybe")
        counts = [(n[maybe], n.total()) for n in said]
        what = "z of “maybe” when holders won and lost (answers taken as independent)"
        add("5.9", what, st.two_proportion_z, *counts)
    columns = [
        Column("what", "test"),
        Column("section", "AIDG"),
        Column("value", "value", "{:.3f}"),
        Column("p", "p", "{:.2g}"),
    ]
    return Table("tests", "Tests", columns, rows)
