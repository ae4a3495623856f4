"""What is left of a run when it is over: tables, `results.json` and `report.md`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from unspoken.benchmarks import instructions
from unspoken.benchmarks.ratings import joint_ratings, order_spread
from unspoken.benchmarks.store import (
    Game,
    count_again,
    read_config,
    read_games,
    read_ratings,
    read_spent,
    reading,
)
from unspoken.benchmarks.tables import Column, Table, leaderboard, team_leaderboard


@dataclass(frozen=True)
class Summary:
    """A run, read back from its store.

    Attributes:
        config: what was run.
        games: what was played.
        tables: the tables of the game, the ranking first.
        tokens: prompt and completion tokens by player, and of the game's own arbiter.
        fallbacks: how often each of them had to be replaced because it gave nothing readable.
        failures: how often each reason voided a game.
        spent: what all requests of the run took, by model; None if it was not counted.
        again: how many void games were played again.
    """

    config: dict[str, Any]
    games: list[Game]
    tables: list[Table]
    tokens: dict[str, dict[str, int]]
    fallbacks: dict[str, int]
    failures: dict[str, int]
    spent: dict[str, Any] | None
    again: int


def summarise(folder: Path) -> Summary:
    """Read a run and compute its tables.

    Raises:
        FileNotFoundError: if the folder holds no run.
        StoreError: if its file is not a run's.
    """
    with reading(folder) as db:
        config = read_config(db)
        games = list(read_games(db))
        elo = read_ratings(db)
        spent, again = read_spent(db), count_again(db)
        moves = instructions.moves(db, games)
        tokens = {
            player: {"prompt": prompt or 0, "completion": completion or 0}
            for player, prompt, completion in db.execute(
                "SELECT COALESCE(player, agent), SUM(prompt_tokens), SUM(completion_tokens) "
                "FROM calls LEFT JOIN seats USING (game, agent) GROUP BY 1 ORDER BY 1"
            )
        }
        fallbacks = dict(
            db.execute(
                "SELECT COALESCE(player, agent), COUNT(*) FROM calls LEFT JOIN seats "
                "USING (game, agent) WHERE json_extract(details, '$.fallback') GROUP BY 1"
            ).fetchall()
        )
    players = config["agents"]
    name = config["game"].rpartition("_v")[0]
    try:
        module = import_module(f"unspoken.benchmarks.{name}")
    except ModuleNotFoundError:  # somebody else's game
        pairs = all(len(game.fixture.seats) == 2 for game in games)
        tables = [leaderboard(games, elo, players) if pairs else team_leaderboard(games, players)]
    else:
        tables = module.tables(games, elo, players, config["options"])
    if any(game.result.winner and len(game.fixture.seats) == 2 for game in games):
        tables += [joint_ratings(games), order_spread(games)]
    tables += instructions.tables(moves)
    failures = Counter(g.result.reason for g in games if g.result.winner is None)
    if spent and spent["models"]:
        tables.append(spent_table(spent))
    return Summary(config, games, tables, tokens, fallbacks, dict(failures), spent, again)


def write(folder: Path) -> Summary:
    """Write `results.json` and `report.md` into a run's folder."""
    summary = summarise(folder)
    config = summary.config
    results = {
        **config,
        "games": len(summary.games),
        "tokens": summary.tokens,
        "fallbacks": summary.fallbacks,
        "failures": summary.failures,
        "spent": summary.spent,
        "again": summary.again,
    }
    head = (
        f"# {config['game']}: {len(config['agents'])} players, {config['rounds']} rounds, seed "
        f"{config['seed']}\n\n{len(summary.games)} games, unspoken {config['unspoken']}.\n"
    )
    void = [_void_table(summary.failures)] if summary.failures else []
    save(folder, results, head, [*summary.tables, *void])
    return summary


def _void_table(failures: dict[str, int]) -> Table:
    """Why games were void, each reason with the player at fault."""
    columns = [Column("reason", "reason", left=True), Column("games", "games")]
    rows: list[dict[str, Any]] = [{"reason": why, "games": n} for why, n in failures.items()]
    return Table("void", "Void games, which no other table counts", columns, rows)


def spent_table(spent: dict[str, Any]) -> Table:
    """What all requests of a run took, by model; those of games that were broken off, too."""
    currency = spent["currency"]
    columns = [
        Column("model", "model", left=True),
        Column("requests", "requests", "{:,}"),
        Column("failed", "failed", "{:,}"),
        Column("cached", "from the cache", "{:,}"),
        Column("prompt_tokens", "prompt tokens", "{:,}"),
        Column("completion_tokens", "reply tokens", "{:,}"),
        Column("missing", "replies without a count", "{:,}"),
        Column("cost", f"cost, {currency}", "{:.4f}"),
    ]
    rows = [
        {"model": model, **use, "cost": None if use["unpriced"] or not currency else use["cost"]}
        for model, use in spent["models"].items()
    ]
    columns = columns if currency else columns[:-1]
    return Table("spent", "What requests took", columns, rows)


def save(folder: Path, results: dict[str, Any], head: str, tables: Sequence[Table]) -> None:
    """Write what is left of a run.

    Args:
        folder: of the run.
        results: of `results.json`, apart from the tables.
        head: the beginning of `report.md`.
        tables: for both.
    """
    results = results | {table.key: table.json() for table in tables}
    write_file(folder / "results.json", json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    parts = [head, *(table.markdown() for table in tables)]
    write_file(folder / "report.md", "\n".join(parts))


def write_file(path: Path, text: str) -> None:
    """Write a file so that a kill leaves the old one or the new one, and not half of it."""
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)
