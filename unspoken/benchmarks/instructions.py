"""How well language models keep to a game's rules, and what their moves take; of any game's run.

Everything is read from a run's record: the requests of every move and what the game made of it.
AIDG reports disqualifications a model and when they came (5.4, Table 10; that table itself is
`aidg.disqualifications`) and finds that instructions are followed less as a dialogue goes on. Here
it is all that can go wrong on the way to a move, by player and role, and by turn. Of a run of
`unspoken sneak` a message counts as a game.


- asked again: the first reply was no move, and the model was told so;
- unreadable: replies that were no move, of first and second ones;
- fallback: the second was none either, and another move was made in its place;
- invalid: what was said broke a rule or was no move to the game;
- forfeit: that, or a lie, lost the game at once.

Moves that no reply came to, since the server failed, do not count.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.estimates import Row, estimate
from unspoken.benchmarks.store import Game, read_config, read_games, reading
from unspoken.benchmarks.tables import PERCENT, Column, Table
from unspoken.envs.aidg_dialogue.rules import Ending as DialogueEnding
from unspoken.envs.aidg_search.rules import Ending as SearchEnding
from unspoken.envs.registry import role_of
from unspoken.envs.sneak.rules import Ending as SneakEnding

INVALID = frozenset({"invalid", "direct_guess", "violation"})
"""Moves of any game's dialogue that broke a rule."""

FORFEITS: dict[str, dict[str, str]] = {
    "aidg_search": {
        SearchEnding.DISQUALIFIED: "seeker",
        SearchEnding.NO_FINAL_GUESS: "seeker",
        SearchEnding.HOLDER_VIOLATION: "holder",
    },
    "aidg_dialogue": {
        DialogueEnding.SEEKER_VIOLATION: "seeker",
        DialogueEnding.LIE: "holder",
    },
    "sneak": {SneakEnding.VIOLATION: "speaker"},
}
"""By game, the endings that come of breaking a rule, and the role that did."""

AGAIN = "again"
"""The step of a request that tells the model what was wrong with its first reply."""


@dataclass
class Move:
    """A move of a language model, or what it failed at.

    Attributes:
        game: place of the game in the schedule.
        player: the player's name.
        role: its role.
        turn: the game's turn.
        steps: what each request was for.
        unreadable: replies that were no move.
        answered: whether there was a reply to the last request.
        fallback: whether another move was made in its place.
        invalid: whether what was said broke a rule or was no move.
        forfeit: whether it lost the game at once.
    """

    game: int
    player: str
    role: str
    turn: int
    steps: list[str] = field(default_factory=list)
    unreadable: int = 0
    answered: bool = False
    fallback: bool = False
    invalid: bool = False
    forfeit: bool = False

    @property
    def again(self) -> bool:
        """Whether the model was asked again."""
        return AGAIN in self.steps

    @property
    def failed(self) -> bool:
        """Whether no reply came to the last request."""
        return bool(self.steps) and not self.answered

    def add(self, request: _Request) -> None:
        """Take one more request into account."""
        self.steps.append(request.step)
        self.unreadable += request.unreadable
        self.answered, self.fallback = bool(request.answered), bool(request.fallback)
        self.invalid = bool(request.unreadable and not request.fallback)


def stats(folder: Path) -> list[Table]:
    """The tables of a run, rates with Wilson's interval.

    There are none if no language model played, or the record is of an older version.

    Raises:
        ImportError: if the extra that intervals need is not installed; names the extra.
        FileNotFoundError: if the folder holds no run.
        StoreError: if its file is not a run's.
    """
    with reading(folder) as db:
        of_messages = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'messages'").fetchone()
        made = messages(db) if of_messages else moves(db, list(read_games(db)))
    return tables(made, intervals=True)


def tables(made: Sequence[Move], *, intervals: bool = False) -> list[Table]:
    """As `stats`, from the moves of a run; intervals only if asked for."""
    if not made:
        return []
    found = [requests(made), followed(made, intervals)]
    several = len({move.turn for move in made}) > 1
    return [*found, by_turn(made, intervals)] if several else found


def moves(db: sqlite3.Connection, games: Sequence[Game]) -> list[Move]:
    """The moves of all language models of a tournament, in order."""
    name = read_config(db)["game"].rpartition("_v")[0]
    found: dict[tuple[int, str, int], Move] = {}
    seats = {game.fixture.id: game.fixture.seats for game in games}
    for request in _requests(db, "game", "agent"):
        id_, agent = request.of, request.by
        if agent in seats.get(id_, {}):
            new = Move(id_, seats[id_][agent], role_of(agent), request.turn)
            found.setdefault((id_, agent, request.move), new).add(request)
    for game in games:
        loser = FORFEITS.get(name, {}).get(game.result.outcome)
        for agent in game.fixture.seats:
            said = [line for line in game.history if line.role in (agent, role_of(agent))]
            for n, line in enumerate(said):
                move_ = found.get((game.fixture.id, agent, n))
                if move_ is not None:
                    move_.invalid |= line.move in INVALID
                    move_.forfeit = role_of(agent) == loser and n == len(said) - 1
    return list(found.values())


def messages(db: sqlite3.Connection) -> list[Move]:
    """The messages of all language models of a run of `unspoken sneak`, in order."""
    found: dict[int, Move] = {}
    faults = dict(db.execute("SELECT id, fault FROM messages"))
    for request in _requests(db, "message", "asked"):
        move = found.get(request.of)
        if move is None or move.failed:  # one that failed was asked for once more
            move = found[request.of] = Move(request.of, request.by, "speaker", request.turn)
        move.add(request)
    for id_, move in found.items():
        move.invalid |= faults.get(id_, "") not in ("", "void")
    return list(found.values())


class _Request(NamedTuple):
    of: int
    by: str
    move: int
    turn: int
    step: str
    unreadable: int
    fallback: int
    answered: int


def _requests(db: sqlite3.Connection, of: str, by: str) -> Iterator[_Request]:
    """The requests for moves, in order; not those of arbiters and the like."""
    details = ("move", "turn", "step", "unreadable", "fallback")
    taken = ", ".join(f"json_extract(details, '$.{key}')" for key in details)
    return map(
        _Request._make,
        db.execute(
            f"SELECT {of}, {by}, {taken}, reply IS NOT NULL FROM calls "
            f"WHERE json_extract(details, '$.move') IS NOT NULL ORDER BY {of}, n"
        ),
    )


def requests(made: Sequence[Move]) -> Table:
    """What moves took: requests a move and a game, and what they were for.

    Each row has, beside its columns, the requests a move by step ("step_sample", …).
    """
    rows: list[Row] = []
    for key, own in _by(made, lambda move: (move.player, move.role)):
        steps = Counter(step or "move" for move in own for step in move.steps)
        n = sum(steps.values())
        a_move = {step: count / len(own) for step, count in steps.items()}
        rows.append(
            {
                **dict(zip(("player", "role"), key, strict=True)),
                "moves": len(own),
                "requests": n,
                "a_move": n / len(own),
                "a_game": n / len({move.game for move in own}),
                "extra": n / len(own) - 1,
                "steps": ", ".join(f"{step} {count:.2f}" for step, count in a_move.items()),
                **{f"step_{step}": count for step, count in a_move.items()},
            }
        )
    columns = [
        Column("player", "player", left=True),
        Column("role", "role", left=True),
        Column("moves", "moves"),
        Column("requests", "requests"),
        Column("a_move", "a move", "{:.2f}"),
        Column("a_game", "a game", "{:.1f}"),
        Column("extra", "beyond one a move", "{:.2f}"),
        Column("steps", "a move, by step", left=True),
    ]
    return Table("requests", "Requests to language models", columns, rows)


def followed(made: Sequence[Move], intervals: bool = False) -> Table:
    """How well instructions were followed, by player and role."""
    rate = _rate(intervals)
    rows: list[Row] = []
    for key, own in _by(made, lambda move: (move.player, move.role)):
        games = len({move.game for move in own})
        rows.append(
            {
                **dict(zip(("player", "role"), key, strict=True)),
                "games": games,
                **_rates(own, rate),
                **rate("forfeit", sum(move.forfeit for move in own), games),
            }
        )
    columns = [
        Column("player", "player", left=True),
        Column("role", "role", left=True),
        Column("games", "games"),
        *_COLUMNS,
        Column("forfeit", "games forfeited", PERCENT),
    ]
    return Table("instructions", _title("Instructions followed", intervals), columns, rows)


def by_turn(made: Sequence[Move], intervals: bool = False) -> Table:
    """How well instructions were followed, by player, role and turn."""
    rate = _rate(intervals)
    rows: list[Row] = [
        {
            **dict(zip(("player", "role", "turn"), key, strict=True)),
            **_rates(own, rate),
            **rate("forfeit", sum(move.forfeit for move in own), len(own)),
        }
        for key, own in _by(made, lambda move: (move.player, move.role, move.turn))
    ]
    columns = [
        Column("player", "player", left=True),
        Column("role", "role", left=True),
        Column("turn", "turn"),
        *_COLUMNS,
        Column("forfeit", "forfeited", PERCENT),
    ]
    title = _title("Instructions followed by turn", intervals)
    return Table("instructions_by_turn", title, columns, rows)


_COLUMNS = (
    Column("moves", "moves"),
    Column("again", "asked again", PERCENT),
    Column("unreadable", "unreadable", PERCENT),
    Column("fallback", "fallback", PERCENT),
    Column("invalid", "invalid", PERCENT),
)


Rate = Callable[[str, int, int], Row]


def _title(what: str, intervals: bool) -> str:
    return f"{what} (AIDG 5.4), of moves{'; 95%: Wilson' if intervals else ''}"


def _rate(intervals: bool) -> Rate:
    def rate(key: str, count: int, n: int) -> Row:
        if not n:
            return {key: None}
        return estimate(key, count / n, st.wilson((count, n)) if intervals else None)

    return rate


def _rates(made: Sequence[Move], rate: Rate) -> Row:
    """What went wrong, of the moves that there was a reply to."""
    own = [move for move in made if move.answered]
    again = sum(move.again for move in own)
    return {
        "moves": len(own),
        **rate("again", again, len(own)),
        **rate("unreadable", sum(move.unreadable for move in own), len(own) + again),
        **rate("fallback", sum(move.fallback for move in own), len(own)),
        **rate("invalid", sum(move.invalid for move in own), len(own)),
    }


def _by(
    made: Iterable[Move], key: Callable[[Move], tuple[Any, ...]]
) -> list[tuple[tuple[Any, ...], list[Move]]]:
    groups: dict[tuple[Any, ...], list[Move]] = {}
    for move in made:
        groups.setdefault(key(move), []).append(move)
    return sorted(groups.items())
