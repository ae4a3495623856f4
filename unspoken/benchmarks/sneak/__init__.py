"""SNEAK as a benchmark, and the tables of tournaments of sneak_v0.

`run` makes messages and has them evaluated, `report` and `analysis` say what came of it; `sweep`,
`human` and `decoys` are the paper's further studies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unspoken.benchmarks.store import Game
from unspoken.benchmarks.tables import PERCENT, Cell, Column, Table, mean, team_leaderboard
from unspoken.envs.sneak.instances import Instance, file_of, instances, load
from unspoken.envs.sneak.rules import Ending, leakage, utility
from unspoken.rating.elo import DualElo


def tables(
    games: Sequence[Game], elo: DualElo, players: Sequence[str], options: Mapping[str, Any]
) -> list[Table]:
    """All tables of a tournament, most important first."""
    return [team_leaderboard(games, players), speakers(games, players, options)]


def speakers(games: Sequence[Game], players: Sequence[str], options: Mapping[str, Any]) -> Table:
    """What each speaker's messages were worth to those it sat with; void games count nowhere.

    Utility and leakage follow from the rewards of the ally and the chameleon, which are their
    probabilities; a refused message is worth 0 in everything. `binary` is the share of games won:
    BinaryScore above one half.
    """
    found = {i.id: i for i in instances(load(file_of(options)))}
    rows: list[dict[str, Cell]] = []
    for name in players:
        spoken = [
            game
            for game in games
            if game.fixture.seats["speaker_0"] == name and game.result.winner is not None
        ]
        worth = [_worth(game, *_sizes(found[game.fixture.secret], options)) for game in spoken]
        useful, leaked = zip(*worth, strict=True) if worth else ((), ())
        rows.append(
            {
                "speaker": name,
                "utility": mean(useful),
                "leakage": mean(leaked),
                "soft": mean(game.rewards["speaker_0"] for game in spoken),
                "binary": mean(game.result.winner == "speaker" for game in spoken),
                "refused": sum(game.result.outcome == Ending.VIOLATION for game in spoken),
                "games": len(spoken),
            }
        )
    rows.sort(key=lambda row: -(row["soft"] if isinstance(row["soft"], float) else -1.0))
    columns = [
        Column("speaker", "speaker", left=True),
        Column("utility", "utility", PERCENT),
        Column("leakage", "leakage", PERCENT),
        Column("soft", "SoftScore", PERCENT),
        Column("binary", "wins", PERCENT),
        Column("refused", "refused"),
        Column("games", "games"),
    ]
    return Table("speakers", "Speakers, with the listeners they met", columns, rows)


def _sizes(instance: Instance, options: Mapping[str, Any]) -> tuple[int, int]:
    """|M| and |W| of a game."""
    n_decoys = options.get("n_decoys") or len(instance.decoys)
    return 1 + n_decoys, options.get("n_words") or len(instance.words)


def _worth(game: Game, n_messages: int, n_words: int) -> tuple[float, float]:
    """Utility and leakage of a game's message."""
    if game.result.outcome == Ending.VIOLATION:
        return 0.0, 0.0
    found, leaked = game.rewards["ally_0"], game.rewards["chameleon_0"]
    return utility(found, n_messages), leakage(leaked, n_words)
