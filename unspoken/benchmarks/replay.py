"""Playing a run again from its record: offline, without a key, and the same to the byte.

Everybody plays as before, and what they ask models is answered from the record. Then all that the
two runs hold is compared, but for how long things took. What a sweep of the SNEAK benchmark made
of messages is not done again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from unspoken.agents.base import RunOver
from unspoken.benchmarks import tournament
from unspoken.benchmarks.design import Fixture
from unspoken.benchmarks.executors import Local
from unspoken.benchmarks.running import models_in
from unspoken.benchmarks.sneak import run as sneak
from unspoken.benchmarks.sneak.design import BENCHMARK
from unspoken.benchmarks.sneak.store import Message, MessageStore, read_messages
from unspoken.benchmarks.store import (
    FILE,
    Game,
    Store,
    StoreError,
    read_calls,
    read_config,
    read_games,
    reading,
)
from unspoken.envs.base import one_line
from unspoken.envs.registry import game as find
from unspoken.envs.result import Result

Watcher = Callable[[int, int], None]
"""Called with the number of games (or messages) that were played again, and of all."""

_TOURNAMENT = ("games", "seats", "moves", "calls", "ratings")
_SNEAK = ("messages", "evaluations", "calls")
"""Tables that are compared."""

_TIMES = ("seconds", "latency_s")
"""Columns, and details of requests, that say how long something took."""

_SHOWN = 120


@dataclass(frozen=True)
class Replay:
    """What came of playing a run again.

    Attributes:
        what: "games" or "messages".
        played: how many were played again.
        requests: how many requests the record holds of them.
        different: by place in the run, the first thing that differs.
        version: of unspoken, that the run was made with.
    """

    what: str
    played: int
    requests: int
    different: Mapping[int, str]
    version: str


def replay(
    folder: Path, out: Path | None = None, *, watch: Watcher = lambda done, total: None
) -> Replay:
    """Play a run again from its record, as far as it was played.

    Args:
        folder: of a tournament, or of a run of the SNEAK benchmark.
        out: where the second run is kept; nowhere if None.
        watch: told how far it is.

    Raises:
        FileNotFoundError: if `folder` holds no run.
        StoreError: if it holds none that can be played again, or `out` holds another.
        ValueError: if the game, an agent or a file that the run was made with is no longer there.
        ImportError: if models were asked and the extra `llm` is missing.
    """
    if out is None:
        with TemporaryDirectory() as place:
            return replay(folder, Path(place), watch=watch)
    if (out / FILE).exists():
        raise StoreError(f"{out} holds a run already; name another folder with --out")
    with reading(folder) as db:
        config = read_config(db)
        benchmark = config.get("game") == BENCHMARK
        if not benchmark and "agents" not in config:
            raise StoreError(f"{folder} holds neither a tournament nor a run of unspoken sneak")
        _check_record(folder, db)
        missed: dict[int, str] = {}
        again = _speak if benchmark else _play
        played = again(db, config, out, watch, missed)
        tables = _SNEAK if benchmark else _TOURNAMENT
        owner = "message" if benchmark else "game"
        with reading(out) as other:
            different = dict(_differences(db, other, tables, owner)) | missed
        (requests,) = db.execute(f"SELECT COUNT({owner}) FROM calls").fetchone()
    return Replay(f"{owner}s", played, requests, different, config["unspoken"])


def _check_record(folder: Path, db: sqlite3.Connection) -> None:
    (old,) = db.execute(
        "SELECT COUNT(*) FROM calls WHERE json_type(details, '$.served') IS NULL"
    ).fetchone()
    if old:
        raise StoreError(
            f"{folder} was recorded by an unspoken that kept less of a request than it takes to "
            f"answer it again ({old} requests); it can be read, not replayed"
        )


def _answered(db: sqlite3.Connection, id_: int | None, owner: str) -> AbstractContextManager[Any]:
    """Have requests answered from what is recorded of one game or message; of none if None."""
    calls = [] if id_ is None else [call for _, call in read_calls(db, id_, owner)]
    try:
        from unspoken.agents.llm.traffic import replaying
    except ImportError:  # the extra is missing, and whoever needs it says so
        return nullcontext()
    return replaying(calls)


def _play(
    db: sqlite3.Connection,
    config: Mapping[str, Any],
    out: Path,
    watch: Watcher,
    missed: dict[int, str],
) -> int:
    held = {game.fixture.id: game for game in read_games(db)}
    spec = find(config["game"].rpartition("_v")[0])
    if spec.id != config["game"]:
        raise StoreError(f"the run is of {config['game']}, and this unspoken plays {spec.id}")
    keys = ("rounds", "seed", "paired", "game_timeout")
    settings: dict[str, Any] = {key: config.get(key) for key in keys}
    settings["models"] = models_in(config)
    with _answered(db, None, "game"):  # so that nobody asks for a key
        made = tournament.plan(spec.with_options(**config["options"]), config["agents"], **settings)
    plan = replace(made, fixtures=[f for f in made.fixtures if f.id in held], config=dict(config))

    async def again(fixture: Fixture) -> Game:
        game = held[fixture.id]
        with _answered(db, fixture.id, "game") as record:
            try:
                cut = _cut(game, plan.timeout, record)
                return await tournament.play(
                    plan.spec, fixture, plan.players, models=plan.models, cut=cut
                )
            except RunOver as error:
                missed[fixture.id] = one_line(str(error))
                void = Result("void", None, 0, reason=missed[fixture.id])
                nothing = dict.fromkeys(fixture.seats, 0.0)
                return Game(fixture, game.hidden, void, nothing, ())

    with Store(out, plan.config) as store:
        tournament.play_all(
            plan, store, Local(1), again, lambda game, done, total: watch(done, total)
        )
    return len(plan.fixtures)


def _cut(game: Game, timeout: float | None, record: Any) -> tournament.Cut | None:
    """Where a game was broken off, if it was."""
    reason = game.result.reason
    if timeout is None or not reason.endswith(tournament.late(timeout)):
        return None
    if record is None:
        return tournament.Cut(len(game.history), reason, lambda: 0, RunOver)
    from unspoken.agents.llm.traffic import BrokenOff

    return tournament.Cut(len(game.history), reason, record.left, BrokenOff)


def _speak(
    db: sqlite3.Connection,
    config: Mapping[str, Any],
    out: Path,
    watch: Watcher,
    missed: dict[int, str],
) -> int:
    held = list(read_messages(db))
    file = config["categories"]
    with _answered(db, None, "message"):
        plan = sneak.plan(
            config["speakers"],
            config["evaluators"],
            seed=config["seed"],
            categories=None if file is None else Path(file),
            models=models_in(config),
        )
    if plan.config["instances"] != config["instances"]:
        raise StoreError(f"{file or 'the package'} has other categories than the run was made with")
    speaking = sneak.Speaking(plan)
    done = 0

    async def again(old: Message) -> Message:
        with _answered(db, old.id, "message") as record:
            try:
                message = await speaking.first(old.id)
            except RunOver as error:
                missed[old.id] = one_line(str(error))
                return replace(old, fault="void", reason=missed[old.id], evaluations={}, calls=())
            # what had failed and was done again has left requests that are still to be made
            while record and record.left() and sneak.failed(message):
                try:
                    more = await speaking.again(message)
                except RunOver:  # the rest is a sweep's
                    break
                message = replace(more, calls=(*message.calls, *more.calls))
        return message

    with MessageStore(out, dict(config)) as store:

        def keep(message: Message) -> None:
            nonlocal done
            store.save(message)
            done += 1
            watch(done, len(held))

        watch(0, len(held))
        Local(1).run(held, again, keep)
    return len(held)


def _differences(
    one: sqlite3.Connection, other: sqlite3.Connection, tables: Sequence[str], owner: str
) -> Iterator[tuple[int, str]]:
    """By game or message, the first thing in which two runs differ."""
    for (id_,) in one.execute(f"SELECT id FROM {owner}s ORDER BY id").fetchall():
        for table in tables:
            key = "id" if table == f"{owner}s" else owner
            found = _difference(_rows(one, table, key, id_), _rows(other, table, key, id_))
            if found:
                yield id_, f"{table}: {found}"
                break


def _rows(db: sqlite3.Connection, table: str, key: str, id_: int) -> list[dict[str, Any]]:
    cursor = db.execute(f"SELECT * FROM {table} WHERE {key} = ? ORDER BY 1, 2", (id_,))
    columns = [column for column, *_ in cursor.description]
    rows = [dict(zip(columns, row, strict=True)) for row in cursor]
    for row in rows:
        if table == "calls":
            details = json.loads(row.pop("details"))
            if row["reply"] is None and details["failure"] is None:  # broken off, by the clock
                details = {key: details[key] for key in ("model", "step")}
            row |= details
        for key in _TIMES:
            row.pop(key, None)
    return rows


def _difference(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> str:
    for n, (a, b) in enumerate(zip_longest(one, other)):
        if a is None or b is None:
            return f"{len(one)} rows were {len(other)}"
        for key in a:
            if a[key] != b.get(key):
                return f"row {n}, {key}: {_short(a[key])} was {_short(b.get(key))}"
        if a.keys() != b.keys():
            return f"row {n} has also {', '.join(sorted(b.keys() - a.keys()))}"
    return ""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
