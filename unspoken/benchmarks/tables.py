"""Tables that are printed, written as Markdown and kept as JSON, and the one of all tournaments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from unspoken.benchmarks.store import Game
from unspoken.envs.registry import role_of
from unspoken.rating.elo import DualElo
from unspoken.rating.teams import TeamGame, rate

Cell = str | float | int | None


@dataclass(frozen=True)
class Column:
    """A column: its key in JSON, its heading, how its values are written, and on which side."""

    key: str
    heading: str
    form: str = "{}"
    left: bool = False

    def show(self, value: Cell) -> str:
        """The value as people read it; a dash where there is none."""
        return "–" if value is None else self.form.format(value)


@dataclass(frozen=True)
class Table:
    """A table of results.

    Attributes:
        key: its name in results.json.
        title: what it shows.
        columns: left to right.
        rows: one mapping a row, from column keys to values.
    """

    key: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Cell]]

    def rich(self) -> RichTable:
        """For the terminal."""
        table = RichTable(title=self.title, title_justify="left", title_style="bold")
        table.box, table.pad_edge, table.collapse_padding = box.SIMPLE_HEAD, False, True
        for column, width in zip(self.columns, self._widths(), strict=True):
            if column.left:
                table.add_column(column.heading, overflow="fold", min_width=min(width, _FOLD))
            else:
                table.add_column(column.heading, justify="right", no_wrap=True, min_width=width)
        for cells in self._shown():
            table.add_row(*cells)
        return table

    @property
    def width(self) -> int:
        """Characters that the table takes at least, so that no number is cut."""
        folded = zip(self.columns, self._widths(), strict=True)
        return sum(min(width, _FOLD) if column.left else width for column, width in folded) + (
            2 * len(self.columns)
        )

    def _widths(self) -> list[int]:
        cells = [[column.heading for column in self.columns], *self._shown()]
        return [max(map(len, column)) for column in zip(*cells, strict=True)]

    def markdown(self) -> str:
        """For the report."""
        head = [column.heading for column in self.columns]
        rule = ["---" if column.left else "---:" for column in self.columns]
        lines = ["| " + " | ".join(cells) + " |" for cells in [head, rule, *self._shown()]]
        return "\n".join([f"## {self.title}", "", *lines, ""])

    def json(self) -> list[dict[str, Any]]:
        """For results.json."""
        return [dict(row) for row in self.rows]

    def _shown(self) -> list[list[str]]:
        return [[column.show(row.get(column.key)) for column in self.columns] for row in self.rows]


PERCENT = "{:.1%}"
_FOLD = 24
"""Characters that a column of text keeps before its lines are folded."""


def show(tables: Sequence[Table]) -> None:
    """Print tables on the terminal; one that is wider than that is printed in full all the same."""
    for table in tables:
        console = Console()
        console.width = max(console.width, table.width)
        console.print(table.rich())


def mean(values: Iterable[float]) -> float | None:
    """The arithmetic mean; None of nothing."""
    values = list(values)
    return fmean(values) if values else None


def outcome_table(title: str, counts: Iterable[tuple[str, str, int]], games: int) -> Table:
    """How games ended.

    Args:
        title: the table's.
        counts: of each ending, or kind of it, the game's word, a label, and how often it came.
        games: all games; without any there are no rows.
    """
    rows: list[dict[str, Cell]] = [
        {"outcome": key, "label": label, "games": n, "share": n / games}
        for key, label, n in counts
        if games
    ]
    columns = [
        Column("label", "outcome", left=True),
        Column("games", "games"),
        Column("share", "share", PERCENT),
    ]
    return Table("outcomes", title, columns, rows)


def leaderboard(
    games: Sequence[Game],
    elo: DualElo,
    players: Sequence[str],
    extra: Mapping[Column, Mapping[str, Cell]] | None = None,
) -> Table:
    """The ranked table: both ratings, their gap, the win rate in each role, mean turns.

    Void games without a winner count nowhere here. Players are ranked by C_ELO as in AIDG
    Table 4, those that only hold come last, by V_ELO.

    Args:
        games: all games.
        elo: the final ratings.
        players: everybody's name.
        extra: further columns with each player's value.
    """
    extra = extra or {}
    rows = []
    for name in players:
        sought, held = ([g for g in games if _sat(g, place) == name] for place in (0, 1))
        c, v = elo.c.get(name), elo.v.get(name)
        rows.append(
            {
                "player": name,
                "c_elo": c,
                "v_elo": v,
                "gap": None if c is None or v is None else v - c,
                "seeker_win_rate": _win_rate(sought, 0),
                "holder_win_rate": _win_rate(held, 1),
                "mean_turns": mean(g.result.turn for g in sought if g.result.winner),
                "games": len(sought) + len(held),
                **{column.key: values.get(name) for column, values in extra.items()},
            }
        )
    rows.sort(key=_rank)
    for rank, row in enumerate(rows, start=1):
        row["rank"] = rank
    columns = [
        Column("rank", "#"),
        Column("player", "player", left=True),
        Column("c_elo", "C_ELO", "{:.1f}"),
        Column("v_elo", "V_ELO", "{:.1f}"),
        Column("gap", "gap", "{:+.1f}"),
        Column("seeker_win_rate", "C wins", PERCENT),
        Column("holder_win_rate", "V wins", PERCENT),
        *extra,
        Column("mean_turns", "turns", "{:.1f}"),
        Column("games", "games"),
    ]
    seats = games[0].fixture.seats if games else ("seeker_0", "holder_0")
    first, second = map(role_of, seats)
    title = f"Dual Elo: C as {first}, V as {second}; turns as {first}"
    return Table("ratings", title, columns, rows)


def team_leaderboard(games: Sequence[Game], players: Sequence[str]) -> Table:
    """The ranked table of games of many players: skill, win rate and games in each part.

    Skills are those of `unspoken.rating.teams`, as gains over where everybody began. Players are
    ranked by the mean of their gains. Void games without a winner count nowhere here.
    """
    won: dict[tuple[str, str], list[bool]] = {}
    rated: list[TeamGame] = []
    for game in games:
        if game.result.winner is None:
            continue
        sides: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
        for agent, name in game.fixture.seats.items():
            who = name, part(game, agent)
            lost = agent not in game.result.winners
            sides[lost].append(who)
            won.setdefault(who, []).append(not lost)
        rated.append(TeamGame(tuple(sides[0]), tuple(sides[1])))
    skills = rate(rated) if rated else {}
    parts = sorted({part_ for _, part_ in won})
    rows: list[dict[str, Cell]] = []
    for name in players:
        row: dict[str, Cell] = {"player": name}
        for each in parts:
            skill, wins = skills.get((name, each)), won.get((name, each), [])
            row[f"{each}_skill"] = skill.gain if skill else None
            row[f"{each}_sigma"] = skill.sigma if skill else None
            row[f"{each}_win_rate"] = mean(wins)
            row[f"{each}_games"] = len(wins)
        row["skill"] = mean(s.gain for (who, _), s in skills.items() if who == name)
        rows.append(row)
    rows.sort(key=lambda row: (-_number(row["skill"]), row["player"]))
    for rank, row in enumerate(rows, start=1):
        row["rank"] = rank
    columns = [Column("rank", "#"), Column("player", "player", left=True)]
    columns.append(Column("skill", "skill", "{:+.1f}"))
    for each in parts:
        columns += [
            Column(f"{each}_skill", each, "{:+.1f}"),
            Column(f"{each}_sigma", "±", "{:.1f}"),
            Column(f"{each}_win_rate", "wins", PERCENT),
            Column(f"{each}_games", "games"),
        ]
    title = "Skill in each part: openskill, gained since the start"
    return Table("ratings", title, columns, rows)


def part(game: Game, agent: str) -> str:
    """What an agent is in a game: its role, or where all share one, whether it is the special one.

    Of a chameleon game: "chameleon" of the player that is it, "player" of the others.
    """
    setting = game.fixture.setting
    return next((option for option, seat in setting.items() if seat == agent), role_of(agent))


def _number(value: Cell) -> float:
    return value if isinstance(value, int | float) else float("-inf")


def _sat(game: Game, place: int) -> str:
    return list(game.fixture.seats.values())[place]


def _win_rate(games: Sequence[Game], place: int) -> float | None:
    won = []
    for game in games:
        role = role_of(list(game.fixture.seats)[place])
        if game.result.winner is not None:
            won.append(game.result.winner == role)
    return mean(won)


def _rank(row: Mapping[str, Any]) -> tuple[float, float, str]:
    c, v = (float("-inf") if row[key] is None else row[key] for key in ("c_elo", "v_elo"))
    return (-c, -v, row["player"])
