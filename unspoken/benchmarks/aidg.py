"""The AIDG paper's tables for a run of one or both of its games, with intervals.

Rates have Wilson's interval, their differences Newcombe's, mean turns Student's t; ratings, and
shares of answers, whose answers hang together within a game, have bootstrap intervals over
resampled games. A value and its interval are one cell when shown, and three keys of a row: of the
value, and with "_low" and "_high". Ratings are computed in schedule order. Games without a winner
are counted as void and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from unspoken.benchmarks import aidg_dialogue, aidg_search
from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.aidg_ratings import EXPERIMENTS, Ratings, Run, seat, seeker_won
from unspoken.benchmarks.estimates import Row, attempt, estimate
from unspoken.benchmarks.store import Game, read_config, read_games, reading
from unspoken.benchmarks.tables import PERCENT, Column, Table, mean
from unspoken.envs.aidg_dialogue.rules import MODES
from unspoken.envs.aidg_search.rules import ANSWERS, MAX_TURNS, Ending


def stats(*folders: Path) -> list[Table]:
    """The tables of a run, or of a run of each game together.

    Args:
        folders: each holds a run of another AIDG game.

    Raises:
        FileNotFoundError: if a folder holds no run.
        ValueError: if a run is of another game, or two are of the same.
    """
    games: dict[str, list[Game]] = {}
    max_turns = MAX_TURNS
    for folder in folders:
        with reading(folder) as db:
            config = read_config(db)
            name = config["game"].rpartition("_v")[0]
            if name in games:
                raise ValueError(f"{folder} holds a second run of {name}; give one of each game")
            games[name] = list(read_games(db))
        if name == "aidg_search":
            max_turns = config["options"].get("max_turns", MAX_TURNS)
    return run_tables(games, max_turns=max_turns)


def run_tables(
    games: Run,
    *,
    max_turns: int = MAX_TURNS,
    resamples: int = 1000,
    seed: int = 0,
) -> list[Table]:
    """Tables 2 to 7 and 10 to 13 of the paper, as far as there are data for them.

    Args:
        games: by game, "aidg_dialogue" or "aidg_search", in schedule order with dialogues.
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
    tables = [
        corpus(games, played),
        win_turns(played, resamples, seed),
        ratings.advantage(),
        ratings.table(),
    ]
    if len(played) == 2:
        tables.append(ratings.by_experiment())
    dialogue, search = played.get("aidg_dialogue"), played.get("aidg_search")
    if dialogue and any("mode" in game.fixture.setting for game in dialogue):
        tables += modes(dialogue)
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
    """Table 2."""
    rows: list[Row] = []
    for name, list_ in played.items():
        turns = [game.result.turn for game in list_]
        won, n = _count(list_)
        rows.append(
            {
                "experiment": EXPERIMENTS[name],
                "games": n,
                "void": len(games[name]) - n,
                "turns": sum(turns),
                **_mean("depth", turns),
                **_rate("seeker_rate", (won, n)),
                **_rate("holder_rate", (n - won, n)),
            }
        )
    columns = [
        Column("experiment", "experiment", left=True),
        Column("games", "games"),
        Column("void", "void"),
        Column("turns", "turns"),
        Column("depth", "mean turns", "{:.1f}"),
        Column("seeker_rate", "seekers won", PERCENT),
        Column("holder_rate", "holders won", PERCENT),
    ]
    title = "Games and win rates (AIDG Table 2); 95%: t of turns, Wilson of rates"
    return Table("corpus", title, columns, rows)


def win_turns(played: Run, resamples: int, seed: int) -> Table:
    """When seekers won (5.6)."""
    rows: list[Row] = []
    for name, games in played.items():
        turns = [game.result.turn for game in games if seeker_won(game)]
        row: Row = {"experiment": EXPERIMENTS[name], "wins": len(turns), **_mean("mean", turns)}
        if turns:
            interval = st.bootstrap(turns, median, resamples=resamples, seed=seed)
            row |= estimate("median", median(turns), interval if len(turns) > 1 else None)
        rows.append(row)
    columns = [
        Column("experiment", "experiment", left=True),
        Column("wins", "wins"),
        Column("mean", "mean turn", "{:.2f}"),
        Column("median", "median turn", "{:g}"),
    ]
    title = "Turns of the seekers' wins (AIDG 5.6); 95%: t of means, bootstrap of medians"
    return Table("win_turns", title, columns, rows)


def modes(games: Sequence[Game]) -> list[Table]:
    """Tables 5 and 13: confirmation (A) against blind extraction (B), of all and by seeker."""
    counted = aidg_dialogue.modes(games, list(_by_seeker(games)))
    known: Sequence[Mapping[str, Any]] = counted.rows  # the first is of all seekers
    counts = [[_wins(row, mode) for mode in MODES] for row in known]
    by_player: list[Row] = []
    for row, (a, b) in zip(known, counts, strict=True):
        ends = attempt(st.newcombe, a, b)
        more = _rate("rate_A", a) | _rate("rate_B", b)
        by_player.append({**row, **more, **estimate("difference", row["difference"], ends)})
    rows: list[Row] = [
        {"mode": mode, "games": count[1], "wins": count[0], **_rate("rate", count)}
        for mode, count in zip(MODES, counts[0], strict=True)
    ]
    last: Row = {"mode": "A over B", "p": attempt(st.fisher, *counts[0])}
    if odds := attempt(st.odds_ratio, *counts[0]):
        last |= estimate("odds", odds.ratio, st.Interval(odds.low, odds.high))
        last["mode"] = "A over B (Haldane-Anscombe)" if odds.corrected else "A over B"
    columns = [
        Column("mode", "mode", left=True),
        Column("games", "games"),
        Column("wins", "wins"),
        Column("rate", "win rate", PERCENT),
        Column("odds", "odds ratio", "{:.2f}"),
        Column("p", "p (Fisher)", "{:.2g}"),
    ]
    title = "Prior knowledge (AIDG Table 5); 95%: Wilson of rates, Woolf of odds"
    return [
        Table("modes", title, columns, [*rows, last]),
        replace(
            counted,
            key="modes_by_player",
            title="Modes by seeker (AIDG Table 13); 95%: Wilson of rates, Newcombe of differences",
            rows=by_player,
        ),
    ]


def disqualifications(games: Sequence[Game]) -> Table:
    """Table 10: who was disqualified, how often and when."""
    rows: list[Row] = []
    for player, own in _by_seeker(games).items():
        out = [game.result.turn for game in own if game.result.outcome == Ending.DISQUALIFIED]
        row: Row = {"player": player, "games": len(own), **_mean("turn", out)}
        rows.append(row | _rate("disqualified", (len(out), len(own))) | _rate("won", _count(own)))
    columns = [
        Column("player", "seeker", left=True),
        Column("games", "games"),
        Column("disqualified", "disqualified", PERCENT),
        Column("won", "won", PERCENT),
        Column("turn", "mean turn of it", "{:.1f}"),
    ]
    title = "Disqualification (AIDG Table 10); 95%: Wilson of rates, t of turns"
    return Table("disqualified", title, columns, rows)


def answers(games: Sequence[Game], resamples: int, seed: int) -> Table:
    """Table 11: what holders answered in games that they won and lost."""
    rows: list[Row] = [{"answer": answer} for answer in ANSWERS]
    columns = [Column("answer", "answer", left=True)]
    for key, label, lost in (("won", "holder won", False), ("lost", "holder lost", True)):
        columns += [Column(f"{key}_n", "n"), Column(key, label, PERCENT)]
        said = _answers(games, lost)
        if said:
            samples = st.resample(said, _shares, resamples=resamples, seed=seed)
            low, high = (ends.tolist() for ends in st.percentiles(samples))
            for i, row in enumerate(rows):
                row[f"{key}_n"] = sum(counts[i] for counts in said)
                row |= estimate(key, float(_shares(said)[i]), st.Interval(low[i], high[i]))
    title = "Answers by outcome (AIDG Table 11); 95%: bootstrap over games"
    return Table("answers", title, columns, rows)


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
        Column("what", "test", left=True),
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
    return estimate(key, count[0] / count[1], st.wilson(count))


def _mean(key: str, values: Sequence[float]) -> Row:
    """A mean and the ends of Student's t interval, which takes two values that differ."""
    return estimate(key, mean(values), attempt(st.mean_interval, values))


def _wins(row: Mapping[str, Any], mode: str) -> st.Count:
    """The wins in a mode of a row of `aidg_dialogue.modes`."""
    games = row[f"games_{mode}"]
    return round(games * row[f"rate_{mode}"]) if games else 0, games


def _with_wilson(table: Table, rate: str, count: Callable[[Any], st.Count]) -> Table:
    """The table with Wilson's interval beside a rate; `count` finds it in a row."""
    rows = [{**row, **_rate(rate, count(row))} for row in table.rows]
    return replace(table, title=f"{table.title}; 95%: Wilson", rows=rows)
