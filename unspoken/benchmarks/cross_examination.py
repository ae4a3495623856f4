"""The tables of a run of the cross-examination: who is believed, and by which answers (SDA 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from unspoken.agents.cross_examination.reading import cases_of, replay
from unspoken.benchmarks.store import Game
from unspoken.benchmarks.tables import PERCENT, Cell, Column, Table, leaderboard, mean
from unspoken.envs.cross_examination.cases import load_all
from unspoken.envs.cross_examination.jury import COMMITMENTS
from unspoken.envs.cross_examination.menu import QUESTIONER, WITNESS, secret
from unspoken.envs.cross_examination.rules import Examination
from unspoken.rating.elo import DualElo

OUTCOMES = {
    "believed": "witness wins: believed",
    "discredited": "questioner wins: witness discredited",
    "void": "void: agent or provider failed",
}
_MAXIMS = ("rel", "man", "qual", "const")


def tables(
    games: Sequence[Game], elo: DualElo, players: Sequence[str], options: Mapping[str, Any]
) -> list[Table]:
    """All tables of a run, most important first."""
    cases = {secret(case): case for case in load_all(cases_of(options))}
    played = [(game, replay(cases[game.hidden], game.history)) for game in games]
    return [
        leaderboard(games, elo, players),
        outcomes(games),
        matchups(games, players),
        answers(played),
        examined(played),
    ]


def outcomes(games: Sequence[Game]) -> Table:
    """How the examinations ended."""
    counts = Counter(game.result.outcome for game in games)
    rows: list[dict[str, Cell]] = [
        {"outcome": key, "label": label, "games": counts[key], "share": counts[key] / len(games)}
        for key, label in OUTCOMES.items()
        if games
    ]
    columns = [
        Column("label", "outcome", left=True),
        Column("games", "games"),
        Column("share", "share", PERCENT),
    ]
    return Table("outcomes", "How the examinations ended", columns, rows)


def matchups(games: Sequence[Game], players: Sequence[str]) -> Table:
    """How often each witness (a row) was believed against each questioner (a column)."""
    won: dict[tuple[str, str], list[bool]] = {}
    for game in games:
        if game.result.winner is not None:
            pair = game.fixture.seats[WITNESS], game.fixture.seats[QUESTIONER]
            won.setdefault(pair, []).append(game.result.winner == "witness")
    rows: list[dict[str, Cell]] = [
        {"witness": own} | {other: mean(won.get((own, other), ())) for other in players}
        for own in players
        if any(pair[0] == own for pair in won)
    ]
    asking = [name for name in players if any(pair[1] == name for pair in won)]
    columns = [Column("witness", "witness", left=True)]
    columns += [Column(name, f"by {name}", PERCENT) for name in asking]
    return Table("matchups", "Witnesses believed, by who examined them", columns, rows)


def answers(played: Sequence[tuple[Game, Examination]]) -> Table:
    """What witnesses said, by the labels of SDA's scheme, and what it was worth a turn.

    Labels are those of the rules; NRBaT is left out, since its mean over a dialogue is 0.
    """
    rows = [
        {
            "player": name,
            "answers": len(turns),
            **{c: mean(t.label.commitment == c for t in turns) for c in COMMITMENTS},
            **{m: mean(getattr(t.label, m) for t in turns) for m in _MAXIMS},
            "bat": mean(t.account.bat for t in turns),
            "pat": mean(t.account.pat for t in turns),
        }
        for name, turns in _by(played, WITNESS).items()
    ]
    columns = [
        Column("player", "witness", left=True),
        Column("answers", "answers"),
        *(Column(c, c, PERCENT) for c in COMMITMENTS),
        *(Column(m, m, PERCENT) for m in _MAXIMS),
        Column("bat", "BaT", "{:.2f}"),
        Column("pat", "PaT", "{:.2f}"),
    ]
    title = "What witnesses answered: commitments, violations, scores a turn"
    return Table("answers", title, columns, rows)


def examined(played: Sequence[tuple[Game, Examination]]) -> Table:
    """What questioners got out of those they examined."""
    standing: dict[str, list[float]] = {}
    for game, examination in played:
        standing.setdefault(game.fixture.seats[QUESTIONER], []).append(examination.account.standing)
    rows = [
        {
            "player": name,
            "standing": fmean(standing[name]),
            "confronted": mean(t.question.form == "impeachment" for t in turns),
            "const": mean(t.label.const for t in turns),
            "bat": mean(t.account.bat for t in turns),
            "pat": mean(t.account.pat for t in turns),
        }
        for name, turns in _by(played, QUESTIONER).items()
    ]
    columns = [
        Column("player", "questioner", left=True),
        Column("standing", "standing left", "{:+.2f}"),
        Column("confronted", "confrontations", PERCENT),
        Column("const", "contradictions", PERCENT),
        Column("bat", "BaT", "{:.2f}"),
        Column("pat", "PaT", "{:.2f}"),
    ]
    return Table("examined", "What questioners left of the witnesses", columns, rows)


def _by(played: Sequence[tuple[Game, Examination]], seat: str) -> dict[str, list[Any]]:
    """The answered turns of everybody who sat in a seat."""
    found: dict[str, list[Any]] = {}
    for game, examination in played:
        found.setdefault(game.fixture.seats[seat], []).extend(examination.turns)
    return dict(sorted(found.items()))
