"""Where a run is kept: one SQLite file, and for a tournament its tables, written game by game.

The file is in WAL mode, and a game is one transaction: a process that is killed loses the games
in play and nothing else. The tables are described in `SCHEMA`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from unspoken.benchmarks.design import Fixture
from unspoken.envs.base import Message
from unspoken.envs.registry import role_of
from unspoken.envs.result import Result
from unspoken.rating.elo import START, DualElo

try:
    import fcntl
except ImportError:  # Windows: two runs of one folder are then not kept apart
    fcntl = None  # type: ignore[assignment]

FILE = "run.sqlite"

_META = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);  -- JSON values
CREATE TABLE IF NOT EXISTS spent (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    value TEXT NOT NULL);         -- JSON: what all requests took, by model, lost ones among them
"""

SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    id INTEGER PRIMARY KEY,       -- place in the schedule
    round INTEGER NOT NULL, secret TEXT NOT NULL, seed INTEGER NOT NULL,
    setting TEXT NOT NULL,        -- JSON: further options of the game
    hidden TEXT NOT NULL,         -- the secret in words, as the holder knew it
    outcome TEXT NOT NULL, winner TEXT, turn INTEGER NOT NULL, weight REAL NOT NULL,
    reason TEXT NOT NULL,
    winners TEXT NOT NULL,        -- JSON: the agents of the winning side, in games with sides
    seconds REAL NOT NULL);
CREATE TABLE IF NOT EXISTS seats (
    game INTEGER NOT NULL REFERENCES games (id), agent TEXT NOT NULL, player TEXT NOT NULL,
    reward REAL NOT NULL, PRIMARY KEY (game, agent));
CREATE TABLE IF NOT EXISTS moves (
    game INTEGER NOT NULL REFERENCES games (id), n INTEGER NOT NULL, turn INTEGER NOT NULL,
    role TEXT NOT NULL, text TEXT NOT NULL, move TEXT NOT NULL, action INTEGER NOT NULL,
    original TEXT,                -- what was really said, where the others heard something else
    PRIMARY KEY (game, n));
CREATE TABLE IF NOT EXISTS calls (             -- what went to a model and came back
    game INTEGER NOT NULL REFERENCES games (id), n INTEGER NOT NULL, agent TEXT NOT NULL,
    messages TEXT NOT NULL, reply TEXT, prompt_tokens INTEGER, completion_tokens INTEGER,
    details TEXT NOT NULL,                     -- JSON: model, finish reason, attempts, latency, …
    PRIMARY KEY (game, n));
CREATE TABLE IF NOT EXISTS ratings (           -- after every rated game, in schedule order
    game INTEGER NOT NULL REFERENCES games (id),
    kind TEXT NOT NULL,                        -- C as seeker, V as holder
    player TEXT NOT NULL, before REAL NOT NULL, after REAL NOT NULL, PRIMARY KEY (game, kind));
CREATE TABLE IF NOT EXISTS again (             -- void games that were played again
    game INTEGER NOT NULL, record TEXT NOT NULL);  -- JSON: what was in each table of them
"""

_OF_A_GAME = {"games": "id", "seats": "game", "moves": "game", "calls": "game"}
"""The tables that hold a game, and the column that says which."""


class StoreError(ValueError):
    """A folder that does not hold the run that was asked for; the message says how to mend it."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game that was played.

    Attributes:
        fixture: what was to be played.
        hidden: the secret in words, as the holder knew it.
        result: how it ended.
        rewards: by agent.
        history: the dialogue.
        originals: what was really said where the others heard something else, by place in the
            history.
        calls: the requests to models, in order, each with the agent that made it and the trace
            of `unspoken.agents.llm`.
        seconds: how long it took.
    """

    fixture: Fixture
    hidden: str
    result: Result
    rewards: Mapping[str, float]
    history: tuple[Message, ...]
    originals: Mapping[int, str] = field(default_factory=dict)
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    seconds: float = 0.0

    @property
    def first_won(self) -> bool:
        """Whether the role of the first seat, the seeker's, won."""
        return self.result.winner == role_of(next(iter(self.fixture.seats)))


class Record:
    """The file of one run, held by one process. Use it as a context manager.

    Args:
        folder: where `run.sqlite` is or will be.
        config: what is being run. A folder that holds a run of another config is refused.
        force: throw away what the folder holds.

    Attributes:
        spending: says what all requests of the run have taken; kept whenever something is written,
            so that what broken off games took is not forgotten. None keeps what was kept last.

    Raises:
        StoreError: if the folder holds another run, is in use, or its file is no run.
    """

    schema: ClassVar[str]
    grows: ClassVar[tuple[str, ...]] = ()
    """What of the config may be more than it was: a run may be prolonged."""

    def __init__(self, folder: Path, config: dict[str, Any], *, force: bool = False) -> None:
        self.spending: Callable[[], Mapping[str, Any]] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _claim(folder)
        path = folder / FILE
        if force:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
        try:
            self._db = _connect(path)
            self._claim_config(path, config)
            self._db.executescript(self.schema)
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"{path} is not a run of unspoken ({error}); name another folder with --out, or "
                "start it anew with --force"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            with self._db:
                self._note_spent()
        finally:
            self._db.close()
            if self._lock is not None:
                self._lock.close()

    def _claim_config(self, path: Path, config: dict[str, Any]) -> None:
        self._db.executescript(_META)
        held = read_config(self._db)
        for key in self.grows:
            if key in held and held[key] < config[key]:
                held[key] = config[key]
        for key in config if held else ():
            if held.get(key) != config[key]:
                raise StoreError(
                    f"{path} holds a run with {key}={held.get(key)!r}, not {config[key]!r}; go on "
                    "with the same settings, name another folder with --out, or start anew with "
                    "--force"
                )
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)",
                [(key, json.dumps(value)) for key, value in config.items()],
            )

    def spent(self) -> dict[str, Any] | None:
        """What all requests of the run have taken, as it was noted last; None if it never was."""
        return read_spent(self._db)

    def _note_spent(self) -> None:
        if self.spending is not None:
            row = (json.dumps(self.spending()),)
            self._db.execute("INSERT OR REPLACE INTO spent VALUES (1, ?)", row)


class Store(Record):
    """The record of one tournament; only its `rounds` may grow.

    Args:
        folder: as `Record`.
        config: as `Record`.
        force: as `Record`.
        again: whether void games are to be played again: they are put aside.

    Attributes:
        held: the games that were there when it was opened, by place in the schedule.
        done: places in the schedule of all games that are there.
        elo: the ratings as far as the schedule is complete.
    """

    schema = SCHEMA
    grows = ("rounds",)

    def __init__(
        self, folder: Path, config: dict[str, Any], *, force: bool = False, again: bool = False
    ) -> None:
        super().__init__(folder, config, force=force)
        if again:
            with self._db:
                self._put_aside()
        self.elo = DualElo()
        self._rated = 0
        self.held = {game.fixture.id: game for game in read_games(self._db)}
        self._waiting = dict(self.held)
        self.done = set(self.held)
        with self._db:
            self._rate()

    def save(self, game: Game) -> None:
        """Write a game, and the ratings as far as the schedule is complete, in one transaction."""
        f, r = game.fixture, game.result
        with self._db:
            planned = (f.id, f.round, f.secret, f.seed, json.dumps(dict(f.setting)), game.hidden)
            ended = (r.outcome, r.winner, r.turn, r.weight, r.reason, json.dumps(r.winners))
            self._db.execute(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*planned, *ended, game.seconds),
            )
            self._db.executemany(
                "INSERT INTO seats VALUES (?, ?, ?, ?)",
                [(f.id, agent, name, game.rewards[agent]) for agent, name in f.seats.items()],
            )
            self._db.executemany(
                "INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (f.id, n, m.turn, m.role, m.text, m.move, m.action, game.originals.get(n))
                    for n, m in enumerate(game.history)
                ],
            )
            self._db.executemany(
                "INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [(f.id, n, agent, *call_row(trace)) for n, (agent, trace) in enumerate(game.calls)],
            )
            self._note_spent()
            self._waiting[f.id] = game
            self.done.add(f.id)
            self._rate()

    def _put_aside(self) -> None:
        """Take the void games out; ratings are then computed anew."""
        void = [id_ for (id_,) in self._db.execute("SELECT id FROM games WHERE outcome = 'void'")]
        for id_ in void:
            record = {}
            for table, key in _OF_A_GAME.items():
                rows = self._db.execute(f"SELECT * FROM {table} WHERE {key} = ?", (id_,))
                names = [column for column, *_ in rows.description]
                record[table] = [dict(zip(names, row, strict=True)) for row in rows]
            value = json.dumps(record, ensure_ascii=False)
            self._db.execute("INSERT INTO again VALUES (?, ?)", (id_, value))
            for table, key in reversed(_OF_A_GAME.items()):
                self._db.execute(f"DELETE FROM {table} WHERE {key} = ?", (id_,))
        if void:
            self._db.execute("DELETE FROM ratings")

    def _rate(self) -> None:
        while (game := self._waiting.pop(self._rated, None)) is not None:
            self._rated += 1
            if game.result.winner is None or len(game.fixture.seats) != 2:
                continue  # games of many players are rated by `unspoken.rating.teams`
            seeker, holder = game.fixture.seats.values()
            before = self.elo.c.get(seeker, START), self.elo.v.get(holder, START)
            self.elo.record(seeker, holder, float(game.first_won), game.result.weight)
            id_ = game.fixture.id
            self._db.executemany(
                "INSERT OR REPLACE INTO ratings VALUES (?, ?, ?, ?, ?)",
                [
                    (id_, "C", seeker, before[0], self.elo.c[seeker]),
                    (id_, "V", holder, before[1], self.elo.v[holder]),
                ],
            )


@contextmanager
def reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """The store of a run, to read from.

    Raises:
        FileNotFoundError: if the folder holds no run.
        StoreError: if its file is not a run's.
    """
    path = folder / FILE
    if not path.exists():
        raise FileNotFoundError(f"{folder} holds no run: there is no {FILE} in it")
    with closing(sqlite3.connect(path)) as db:
        try:
            yield db
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{path} is not a run of unspoken ({error})") from error


def read_config(db: sqlite3.Connection) -> dict[str, Any]:
    """What a run was started with."""
    return {key: json.loads(value) for key, value in db.execute("SELECT key, value FROM meta")}


def read_games(db: sqlite3.Connection) -> Iterator[Game]:
    """The games of a run, in schedule order."""
    for row in db.execute("SELECT * FROM games ORDER BY id").fetchall():
        id_, round_, secret, seed, setting, hidden = row[:6]
        outcome, winner, turn, weight, reason, winners, seconds = row[6:]
        seats, rewards = {}, {}
        for agent, player, reward in db.execute(
            "SELECT agent, player, reward FROM seats WHERE game = ? ORDER BY rowid", (id_,)
        ):
            seats[agent], rewards[agent] = player, reward
        said = db.execute(
            "SELECT turn, role, text, move, action, original FROM moves WHERE game = ? ORDER BY n",
            (id_,),
        ).fetchall()
        yield Game(
            Fixture(id_, round_, seats, secret, seed, json.loads(setting)),
            hidden,
            Result(outcome, winner, turn, weight, reason, tuple(json.loads(winners))),
            rewards,
            tuple(Message(*m[:-1]) for m in said),
            {n: m[-1] for n, m in enumerate(said) if m[-1] is not None},
            seconds=seconds,
        )


def read_spent(db: sqlite3.Connection) -> dict[str, Any] | None:
    """What all requests of a run have taken, as it was noted last; None if it never was.

    Returns:
        "models": by model, the fields of `unspoken.agents.llm.traffic.Use`; "currency" of their
        costs, None if there were no prices.
    """
    if not _has(db, "spent"):
        return None
    row = db.execute("SELECT value FROM spent").fetchone()
    return None if row is None else dict(json.loads(row[0]))


def count_again(db: sqlite3.Connection) -> int:
    """How many void games were put aside to be played again."""
    if not _has(db, "again"):
        return 0
    (count,) = db.execute("SELECT COUNT(*) FROM again").fetchone()
    return int(count)


def _has(db: sqlite3.Connection, table: str) -> bool:
    """Whether a run is new enough to have a table."""
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return db.execute(query, (table,)).fetchone() is not None


def read_calls(
    db: sqlite3.Connection, id_: int, owner: str = "game"
) -> list[tuple[str, dict[str, Any]]]:
    """The requests of a game, or whatever else owns them, as they were: who made each, and it."""
    query = f"SELECT * FROM calls WHERE {owner} = ? ORDER BY n"
    return [(row[2], call_of(row[3:])) for row in db.execute(query, (id_,))]


def read_ratings(db: sqlite3.Connection) -> DualElo:
    """The ratings after the last rated game."""
    elo = DualElo()
    for player, kind, after in db.execute("SELECT player, kind, after FROM ratings ORDER BY game"):
        (elo.c if kind == "C" else elo.v)[player] = after
    return elo


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    return db


def _claim(folder: Path) -> Any:
    if fcntl is None:
        return None
    lock = (folder / "run.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise StoreError(
            f"{folder} is in use by another run; wait for it or name another folder with --out"
        ) from None
    return lock


def call_row(trace: Mapping[str, Any]) -> tuple[Any, ...]:
    """A request as the last five columns of `calls` have it."""
    rest = dict(trace)
    usage = dict(rest.pop("usage", None) or {})
    counted = usage.pop("prompt_tokens", None), usage.pop("completion_tokens", None)
    if usage:
        rest["usage"] = usage  # what else the server counted
    return (
        json.dumps(rest.pop("messages", []), ensure_ascii=False),
        rest.pop("reply", None),
        *counted,
        json.dumps(rest, ensure_ascii=False),
    )


def call_of(row: Sequence[Any]) -> dict[str, Any]:
    """A request from the last five columns of `calls`."""
    messages, reply, prompt, completion, details = row
    call: dict[str, Any] = {"messages": json.loads(messages), "reply": reply, **json.loads(details)}
    counted = {"prompt_tokens": prompt, "completion_tokens": completion}
    usage = {key: n for key, n in counted.items() if n is not None} | call.get("usage", {})
    return call | {"usage": usage or None}
