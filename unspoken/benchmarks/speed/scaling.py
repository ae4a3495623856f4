"""How steps a second depend on the game, its length, its players, its words, and on reuse."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from unspoken.benchmarks.speed.peers import connect_four
from unspoken.benchmarks.speed.timing import Chunk, best_rates, choosing, one_core, replaying
from unspoken.benchmarks.tables import Cell, Column, Table
from unspoken.envs import aidg_search_v0
from unspoken.envs.aidg_search.batch import Batch
from unspoken.envs.registry import game, games

_RATE = "{:,.0f}"
_GAMES = 50
"""Games that are recorded and played again: so many that seeding counts for nothing."""
_LANES = 4096


def games_table(seconds: float) -> Table:
    """AEC steps a second of all games beside PettingZoo's connect_four_v3, in one run.

    "raw_env" and "env()" play again games that were played before: what the env itself takes,
    with the texts, masks and infos of `last`. "chosen" is env() with a random choice among
    `flatnonzero(mask)`, as a user's loop would make it, in new games all the time; what a game
    prepares once for each of its secrets is in this one only.

    Args:
        seconds: time for each measurement.

    Raises:
        ImportError: without pygame, which connect_four needs; names the extra.
    """
    questions = len(aidg_search_v0.raw_env().ontology.questions)
    played: list[tuple[str, Callable[[], Any], Callable[[], Any], int | None]] = [
        ("connect_four_v3", lambda: connect_four("raw_env"), lambda: connect_four("env"), None),
        *(
            (spec.id, import_module(spec.module).raw_env, spec.env, None)
            for spec in games().values()
        ),
        ("aidg_search_v0, whole games", aidg_search_v0.raw_env, aidg_search_v0.env, questions),
    ]
    kinds = ("raw", "env()", "chosen")
    with one_core():
        chunks: dict[tuple[str, str], Chunk] = {}
        for name, raw_env, env, allow in played:
            chunks[name, "raw"] = replaying(raw_env(), _GAMES, allow)
            chunks[name, "env()"] = replaying(env(), _GAMES, allow)
            chunks[name, "chosen"] = choosing(env(), allow)
        rates = best_rates(chunks, seconds)
    rows: list[dict[str, Cell]] = [
        {
            "env": name,
            **{kind: rates[name, kind] for kind in kinds},
            **{
                f"{kind}_ratio": rates[name, kind] / rates["connect_four_v3", kind]
                for kind in kinds
            },
        }
        for name, *_ in played
    ]
    columns = [Column("env", "environment", left=True)]
    for kind, heading in zip(kinds, ("raw_env, steps/s", "env()", "env(), chosen"), strict=True):
        columns += [Column(kind, heading, _RATE), Column(f"{kind}_ratio", "ratio", "{:.1f}")]
    title = f"AEC steps a second, random legal moves, best of five in {seconds:g} s"
    return Table("games", title, columns, rows)


def batches_table(seconds: float) -> Table:
    """Steps a second of every game's batch beside its `env()`, random legal moves, in one run.

    A step of a batch moves one lane; choosing the move is counted for batches and not for `env()`,
    which plays again games that were played before.

    Args:
        seconds: time for each measurement.
    """
    with one_core():
        chunks: dict[tuple[str, str], Chunk] = {}
        for spec in games().values():
            chunks[spec.id, "env()"] = replaying(spec.env(), _GAMES)
            chunks[spec.id, "batch"] = _sampling(spec.module.removesuffix("_v0"))
        rates = best_rates(chunks, seconds)
    rows: list[dict[str, Cell]] = [
        {
            "game": spec.id,
            "batch": rates[spec.id, "batch"],
            "env": rates[spec.id, "env()"],
            "ratio": rates[spec.id, "batch"] / rates[spec.id, "env()"],
        }
        for spec in games().values()
    ]
    columns = [
        Column("game", "game", left=True),
        Column("batch", "batch, steps/s", _RATE),
        Column("env", "env()", _RATE),
        Column("ratio", "ratio", "{:,.0f}"),
    ]
    return Table("batches", f"Batches of {_LANES:,} games, one core", columns, rows)


def _sampling(package: str) -> Chunk:
    """Random legal moves in a batch of a game, the game's default options."""
    batch = import_module(f"{package}.batch").Batch(_LANES)
    batch.reset(seed=0)

    def chunk() -> int:
        batch.step(batch.sample())
        return _LANES

    return chunk


def scaling_tables(seconds: float) -> tuple[Table, ...]:
    """How cost grows with turns, players and words, and with the games that one env has played.

    Args:
        seconds: time for each measurement; reuse takes as long as 10,000 games do.
    """
    search = game("aidg_search")
    questions = len(aidg_search_v0.raw_env().ontology.questions)
    words = search.secrets()
    with one_core():
        return (
            _table(
                "turns",
                "turns",
                "aidg_search_v0, env(): whole games of so many questions",
                {
                    n: replaying(search.env(max_turns=n + 1), -(-1000 // n), questions)
                    for n in _TURNS
                },
                seconds,
            ),
            _table(
                "players",
                "players",
                "chameleon_v0, env(): players",
                {n: replaying(game("chameleon").env(players=n), 20) for n in range(3, 9)},
                seconds,
            ),
            _table(
                "search_words",
                "words",
                "aidg_search_v0, env(): words that the secret may be, whole games",
                {
                    n: replaying(search.env(words=words[:n]), 50, questions)
                    for n in (10, 50, len(words))
                },
                seconds,
            ),
            _table(
                "sneak_words",
                "words",
                "sneak_v0, env(): words of an instance",
                {n: replaying(game("sneak").env(n_words=n), 50) for n in (4, 8, 11)},
                seconds,
            ),
            _reuse(questions),
        )


def threads_table(seconds: float) -> Table:
    """Whole games of batches in as many threads as there are cores, beside one thread.

    Kernels release the GIL; each thread has a batch of its own.

    Args:
        seconds: time for each measurement.
    """
    cores = os.cpu_count() or 1
    batches = [Batch(_LANES, holder="table") for _ in range(cores)]
    for i, batch in enumerate(batches):
        batch.reset(seed=i * _LANES)
    with ThreadPoolExecutor(cores) as pool:

        def at_once(n: int) -> Chunk:
            return lambda: sum(pool.map(lambda batch: batch.play(10, "ask").turns, batches[:n]))

        counts = sorted({1, max(1, cores // 2), cores})
        return _table(
            "threads",
            "threads",
            f"Whole search games in batches of {_LANES:,}, posterior at the lock: threads",
            {n: at_once(n) for n in counts},
            seconds,
        )


_TURNS = (10, 100, 1_000)
_PLAYED = (1, 10, 100, 1_000, 10_000)


def _table(
    key: str, heading: str, title: str, chunks: Mapping[int, Chunk], seconds: float
) -> Table:
    rates = best_rates(chunks, seconds)
    first = next(iter(rates.values()))
    rows: list[dict[str, Cell]] = [
        {key: n, "rate": rate, "ratio": rate / first} for n, rate in rates.items()
    ]
    return Table(key, title, _columns(key, heading), rows)


def _columns(key: str, heading: str) -> list[Column]:
    return [
        Column(key, heading, "{:,}"),
        Column("rate", "steps/s", _RATE),
        Column("ratio", "to the first", "{:.2f}"),
    ]


def _reuse(questions: int) -> Table:
    """Steps a second of one env in the ten games after it has played so many.

    The best of ten single games each: there is no second try on one and the same env.
    """
    games_ = replaying(game("aidg_search").env(), 1, questions)
    done, rates = 0, {}
    for n in _PLAYED:
        while done < n:
            games_()
            done += 1
        best = 0.0
        for _ in range(10):
            start = time.perf_counter()
            steps = games_()
            best = max(best, steps / (time.perf_counter() - start))
            done += 1
        rates[n] = best
    rows: list[dict[str, Cell]] = [
        {"reuse": n, "rate": rate, "ratio": rate / rates[_PLAYED[0]]} for n, rate in rates.items()
    ]
    title = "aidg_search_v0, env(): one env, after so many games"
    return Table("reuse", title, _columns("reuse", "games before"), rows)
