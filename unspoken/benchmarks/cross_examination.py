"""The tables of a run of the cross-examination: who is believed, and by which answers (SDA 4).

Labels and scores are those of the rules, also where a run's annotator labelled free words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from unspoken.agents.cross_examination.reading import replay
from unspoken.benchmarks.store import Game
from unspoken.benchmarks.tables import (
    PERCENT,
    Cell,
    Column,
    Table,
    leaderboard,
    mean,
    outcome_table,
)
from unspoken.envs.cross_examination.cases import files, load_all
from unspoken.envs.cross_examination.jury import COMMITMENTS, THRESHOLD, Account
from unspoken.envs.cross_examination.menu import QUESTIONER, WITNESS, secret
from unspoken.envs.cross_examination.rules import Ending, Turn
from unspoken.evaluator import sda_reference as sda
from unspoken.rating.elo import DualElo

OUTCOMES = {
    Ending.BELIEVED: "witness wins: believed",
    Ending.DISCREDITED: "questioner wins: witness discredited",
    Ending.VOID: "void: agent or provider failed",
}
SEATS = {QUESTIONER: "questioner", WITNESS: "witness"}
MAXIMS = ("rel", "man", "qual", "const")


class Played(NamedTuple):
    """A game with what the rules make of it.

    Attributes:
        game: the game.
        turns: the questions that were answered, with their labels and scores.
    """

    game: Game
    turns: tuple[Turn, ...]

    @property
    def account(self) -> Account:
        """How the witness stood at the end."""
        return self.turns[-1].account if self.turns else Account()

    @property
    def nrbat(self) -> float | None:
        """NRBaT after the last answer (SDA equation 17); its mean over a dialogue is always 0."""
        if not self.turns:
            return None
        labels = [turn.label for turn in self.turns]
        codes = [COMMITMENTS.index(label.commitment) for label in labels]
        rel, man, qual, const = ([label[i] for label in labels] for i in range(1, 5))
        scores = sda.score(codes, rel, man, qual, const, [0, len(codes)])
        return float(scores.nrbat[-1])


def tables(
    games: Sequence[Game], elo: DualElo, players: Sequence[str], options: Mapping[str, Any]
) -> list[Table]:
    """All tables of a run, most important first."""
    cases = {secret(case): case for case in load_all(files(options.get("case")))}
    played = [Played(g, tuple(replay(cases[g.hidden], g.history).turns)) for g in games]
    return [
        leaderboard(games, elo, players),
        outcomes(games),
        matchups(games, players),
        labels(played),
        *(scores(played, seat) for seat in SEATS),
        agreement(played, float(options.get("threshold", THRESHOLD))),
    ]


def outcomes(games: Sequence[Game]) -> Table:
    """How the examinations ended."""
    ends = Counter(game.result.outcome for game in games)
    counts = [(key, label, ends[key]) for key, label in OUTCOMES.items()]
    return outcome_table("How the examinations ended", counts, len(games))


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


def labels(played: Sequence[Played]) -> Table:
    """What witnesses answered, by SDA's scheme: shares of their answers."""
    rows: list[dict[str, Cell]] = [
        {
            "player": name,
            "answers": sum(len(p.turns) for p in own),
            **{c: mean(t.label.commitment == c for t in _turns(own)) for c in COMMITMENTS},
            **{m: mean(getattr(t.label, m) for t in _turns(own)) for m in MAXIMS},
        }
        for name, own in _by(played, WITNESS).items()
    ]
    columns = [
        Column("player", "witness", left=True),
        Column("answers", "answers"),
        *(Column(c, c, PERCENT) for c in COMMITMENTS),
        *(Column(m, f"not {m}", PERCENT) for m in MAXIMS),
    ]
    return Table("labels", "What witnesses answered: commitments and violations", columns, rows)


def scores(played: Sequence[Played], seat: str) -> Table:
    """SDA's scores by who had a seat: means over answers, and of the games' ends.

    NRBaT compares when gains and penalties came, not which are greater; the standing does that.
    """
    rows: list[dict[str, Cell]] = [
        {
            "player": name,
            "games": len(own),
            "bat": mean(turn.account.bat for turn in _turns(own)),
            "pat": mean(turn.account.pat for turn in _turns(own)),
            "standing": mean(p.account.standing for p in own),
            "nrbat": mean(p.nrbat for p in own if p.nrbat is not None),
            "confronted": mean(t.question.form == "impeachment" for t in _turns(own)),
        }
        for name, own in _by(played, seat).items()
    ]
    columns = [
        Column("player", SEATS[seat], left=True),
        Column("games", "games"),
        Column("bat", "BaT", "{:.2f}"),
        Column("pat", "PaT", "{:.2f}"),
        Column("standing", "standing", "{:+.2f}"),
        Column("nrbat", "NRBaT at the end", "{:+.2f}"),
        Column("confronted", "confrontations", PERCENT),
    ]
    title = f"What the witness's answers were worth, by {SEATS[seat]}"
    return Table(f"scores_{SEATS[seat]}", title, columns, rows)


def agreement(played: Sequence[Played], threshold: float = THRESHOLD) -> Table:
    """How far SDA's scores tell the verdict: shares of games, and means of the scores.

    With the jury "score" the standing is the verdict, unless an annotator labelled free words.

    Args:
        played: all games; those without a verdict are left out.
        threshold: the standing from which on the witness is believed.
    """
    judged = [p for p in played if p.game.result.winner is not None]
    believed = [p.game.result.winner == "witness" for p in judged]
    predictors: list[tuple[str, list[float], float]] = [
        (f"standing, from {threshold:g}", [p.account.standing for p in judged], threshold),
        ("the outcome model (SDA Table 3), from 1/2", [p.account.chance for p in judged], 0.5),
        ("NRBaT at the end, from 0", [p.nrbat or 0.0 for p in judged], 0.0),
    ]
    rows: list[dict[str, Cell]] = [
        {
            "score": name,
            "games": len(judged),
            "agreement": mean((v >= cut) == b for v, b in zip(values, believed, strict=True)),
            "believed": mean(v for v, b in zip(values, believed, strict=True) if b),
            "discredited": mean(v for v, b in zip(values, believed, strict=True) if not b),
        }
        for name, values, cut in predictors
        if judged
    ]
    columns = [
        Column("score", "believed by", left=True),
        Column("games", "games"),
        Column("agreement", "agreement", PERCENT),
        Column("believed", "mean if believed", "{:+.2f}"),
        Column("discredited", "if discredited", "{:+.2f}"),
    ]
    return Table("agreement", "Agreement of SDA's scores with the verdict", columns, rows)


def _by(played: Sequence[Played], seat: str) -> dict[str, list[Played]]:
    """The games of everybody who had a seat."""
    found: dict[str, list[Played]] = {}
    for one in played:
        found.setdefault(one.game.fixture.seats[seat], []).append(one)
    return dict(sorted(found.items()))


def _turns(played: Iterable[Played]) -> list[Turn]:
    return [turn for one in played for turn in one.turns]
