"""The AIDG paper's tables for a run of one or both of its games, with intervals.

Rates have Wilson's interval; ratings, and shares of answers, whose answers hang together within a
game, have bootstrap intervals over resampled games. Ratings are computed in schedule order. Games
without a winner are counted as void and nowhere else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from unspoken.benchmarks import aidg_search
from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.aidg_ratings import (
    EXPERIMENTS,
    Ratings,
    Row,
    Run,
    attempt,
    estimate,
    seat,
    seeker_won,
    with_ends,
)
from unspoken.benchmarks.store import FILE, Game, read_config, read_games
from unspoken.benchmarks.tables import PERCENT, Column, Table, mean
from unspoken.envs.aidg_search.rules import ANSWERS, MAX_TURNS, Ending


def mode(game: Game) -> str:
    """The attack mode of an AIDG-I game as the schedule set it, "A" or "B"; "" if it did not."""
    return game.fixture.setting.get("mode", "")


def stats(*folders: Path, mode_of: Callable[[Game], str] = mode) -> list[Table]:
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
    games: Run,
    *,
    mode_of: Callable[[Game], str] = mode,
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
    ratings = Ratings(played, resamples, seed)
    tables = [corpus(games, played), ratings.advantage(), ratings.table()]
    if len(played) == 2:
        tables.append(ratings.by_experiment())
    dialogue, search = played.get("aidg_dialogue"), played.get("aidg_search")
    if dialogue and any(mode_of(game) in ("A", "B") for game in dialogue):
        tables += [modes(dialogue, mode_of), modes_by_player(dialogue, mode_of)]
    if search:
        every, timing = games["aidg_search"], aidg_search.lock_timing(search, max_turns)
        tables += [
            _with_wilson(aidg_search.outcomes(every), "share", lambda r: (r["games"], len(every))),
            _with_wilson(timing, "rate", lambda r: (r["wins"], r["games"])),
            disqualifications(search),
            answers(search, resamples, seed),
        ]
    tables.append(tests(played, ratings))
    return [table for table in tables if table.rows]


# Tables -----------------------------------------------------------------------------------------


def corpus(games: Run, played: Run) -> Table:
    """Table 2, and the turns of the seekers' wins (5.6)."""
    rows: list[Row] = []
    for name, list_ in played.items():
        turns = [game.result.turn for game in list_]
        won = [game.result.turn for game in list_ if seeker_won(game)]
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
        *with_ends(Column("seeker_rate", "seekers won", PERCENT)),
        Column("holder_rate", "holders won", PERCENT),
        Column("mean_win_turn", "turns of seekers' wins, mean", "{:.2f}"),
        Column("median_win_turn", "median", "{:g}"),
    ]
    return Table("corpus", "Games and win rates (AIDG Table 2)", columns, rows)


def modes(games: Sequence[Game], mode_of: Callable[[Game], str]) -> Table:
    """Table 5: confirmation (A) against blind extraction (B)."""
    counts = {mode: _count(g for g in games if mode_of(g) == mode) for mode in "AB"}
    rows: list[Row] = [
        {"mode": mode, "games": count[1], "wins": count[0], **_rate("rate", count)}
        for mode, count in counts.items()
    ]
    row: Row = {"mode": "A over B", "p": attempt(st.fisher, *counts.values())}
    if odds := attempt(st.odds_ratio, *counts.values()):
        row |= {"odds": odds.ratio, "odds_low": odds.low, "odds_high": odds.high}
    rows.append(row)
    columns = [
        Column("mode", "mode"),
        Column("games", "games"),
        Column("wins", "wins"),
        *with_ends(Column("rate", "win rate", PERCENT)),
        *with_ends(Column("odds", "odds ratio (Woolf)", "{:.2f}")),
        Column("p", "p (Fisher)", "{:.2g}"),
    ]
    return Table("modes", "Prior knowledge (AIDG Table 5)", columns, rows)


def modes_by_player(games: Sequence[Game], mode_of: Callable[[Game], str]) -> Table:
    """Table 13: the seekers' win rates in each mode."""
    rows: list[Row] = []
    for player, own in _by_seeker(games).items():
        row: Row = {"player": player}
        (won_a, a), (won_b, b) = (_count(g for g in own if mode_of(g) == m) for m in "AB")
        row |= _rate("A", (won_a, a)) | _rate("B", (won_b, b))
        row["difference"] = won_a / a - won_b / b if a and b else None
        rows.append(row)
    columns = [
        Column("player", "seeker"),
        *with_ends(Column("A", "mode A", PERCENT)),
        *with_ends(Column("B", "mode B", PERCENT)),
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
        *with_ends(Column("disqualified", "disqualified", PERCENT)),
        *with_ends(Column("won", "won", PERCENT)),
        Column("turn", "turn disqualified", "{:.1f}"),
    ]
    return Table("disqualified", "Disqualification (AIDG Table 10)", columns, rows)


def answers(games: Sequence[Game], resamples: int, seed: int) -> Table:
    """Table 11: what holders answered in games that they won and lost."""
    rows: list[Row] = [{"answer": answer} for answer in ANSWERS]
    columns = [Column("answer", "answer")]
    for key, label, lost in (("won", "holder won", False), ("lost", "holder lost", True)):
        columns += [Column(f"{key}_n", "n"), *with_ends(Column(key, label, PERCENT))]
        said = _answers(games, lost)
        if said:
            samples = st.resample(said, _shares, resamples=resamples, seed=seed)
            for i, row in enumerate(rows):
                row[f"{key}_n"] = sum(counts[i] for counts in said)
                row |= estimate(key, _shares(said)[i], samples[:, i])
    return Table("answers", "Answers by outcome (AIDG Table 11)", columns, rows)


def tests(played: Run, ratings: Ratings) -> Table:
    """The tests of sections 5.2, 5.4, 5.8 and 5.9, where the run has data for them."""
    rows: list[Row] = []

    def add(section: str, what: str, test: Callable[..., st.Statistic], *data: Any) -> None:
        result = attempt(test, *data)
        if result is not None:
            rows.append({"section": section, "what": what, "value": result.value, "p": result.p})

    if len(played) == 2:
        counts = [_count(games) for games in played.values()]
        add("5.2", "chi-squared of the games' win rates (Yates)", st.chi_squared, *counts)
        for k, kind in ((1, "V"), (0, "C")):
            pair = ratings.points[:2, k]
            known = pair[:, ~np.isnan(pair).any(axis=0)]
            add("5.8", f"rho of {kind}_ELO in both games (Spearman)", st.spearman, *known)
    if "aidg_search" in played:
        games = played["aidg_search"]
        who = disqualifications(games).rows
        pairs = [[row[key] for row in who] for key in ("disqualified", "won")]
        add("5.4", "r of disqualification and win rate (Pearson)", st.pearson, *pairs)
        sums = [np.sum(_answers(games, lost), axis=0, dtype=int) for lost in (False, True)]
        counts = [(int(n[_MAYBE]), int(n.sum())) for n in sums if n.shape]
        if len(counts) == 2:
            what = "z of “maybe”, holder won against lost (answers as if independent)"
            add("5.9", what, st.two_proportion_z, *counts)
    columns = [
        Column("what", "test"),
        Column("section", "AIDG"),
        Column("value", "value", "{:.3f}"),
        Column("p", "p", "{:.2g}"),
    ]
    return Table("tests", "Tests", columns, rows)


# Within -----------------------------------------------------------------------------------------

_MAYBE = ANSWERS.index("maybe")


def _count(games: Iterable[Game]) -> st.Count:
    won = [seeker_won(game) for game in games]
    return sum(won), len(won)


def _by_seeker(games: Sequence[Game]) -> dict[str, list[Game]]:
    names = sorted({seat(game, 0) for game in games})
    return {name: [game for game in games if seat(game, 0) == name] for name in names}


def _answers(games: Sequence[Game], lost: bool) -> list[list[int]]:
    """How often each answer was given, a row a game that the holder lost (or won)."""
    said = [
        [sum(m.move == "answer" and m.text == answer for m in game.history) for answer in ANSWERS]
        for game in games
        if seeker_won(game) == lost
    ]
    return [counts for counts in said if any(counts)]


def _shares(said: Sequence[Sequence[int]]) -> st.Floats:
    sums = np.sum(said, axis=0)
    return np.asarray(sums / sums.sum(), dtype=np.float64)


def _rate(key: str, count: st.Count) -> Row:
    """A rate and the ends of Wilson's interval; nothing where there are no trials."""
    if not count[1]:
        return {}
    low, high = st.wilson(count)
    return {key: count[0] / count[1], f"{key}_low": low, f"{key}_high": high}


def _with_wilson(table: Table, rate: str, count: Callable[[Any], st.Count]) -> Table:
    """The table with Wilson's interval beside a rate; `count` finds it in a row."""
    rows = [{**row, **_rate(rate, count(row))} for row in table.rows]
    columns = [with_ends(column) if column.key == rate else [column] for column in table.columns]
    return replace(table, columns=list(chain(*columns)), rows=rows)
