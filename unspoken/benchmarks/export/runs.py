"""A run as exports read it: one game, or one message of the SNEAK benchmark, after the other."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from unspoken.benchmarks import tournament
from unspoken.benchmarks.sneak.design import BENCHMARK, fingerprint
from unspoken.benchmarks.sneak.store import Message, read_messages
from unspoken.benchmarks.store import (
    FILE,
    Game,
    StoreError,
    read_calls,
    read_config,
    read_games,
)
from unspoken.envs.registry import GameSpec, game
from unspoken.envs.sneak.instances import file_of, instances, load


class Run:
    """A run that is read.

    Args:
        db: its store.
        folder: where that is.

    Attributes:
        config: what the run was started with.
        db: its store.
        file: the store's file.
        benchmark: whether it is a run of the SNEAK benchmark, and not a tournament.
        what: "games" or "messages".
        done: how many of them are there.

    Raises:
        StoreError: if the store is no run's, or its game does not exist here.
    """

    def __init__(self, db: sqlite3.Connection, folder: Path) -> None:
        self.done: int
        self.db = db
        self.file = folder / FILE
        self.config = read_config(db)
        self.benchmark = self.config.get("game") == BENCHMARK
        self.what = "messages" if self.benchmark else "games"
        if not self.benchmark and "agents" not in self.config:
            raise StoreError(f"{self.file} is not a run of unspoken: it says of no players")
        (self.done,) = db.execute(f"SELECT COUNT(*) FROM {self.what}").fetchone()

    @cached_property
    def spec(self) -> GameSpec:
        """The game and its options, in free text."""
        if self.benchmark:
            file = self.config["categories"]
            own = {} if file is None else {"categories": file}
            return game("sneak").with_options(utterances="free", **own)
        return game(self.config["game"]).with_options(**self.config["options"])

    @cached_property
    def players(self) -> list[str]:
        """Specs of the players."""
        return list(self.config["speakers" if self.benchmark else "agents"])

    @property
    def missing(self) -> int | None:
        """How many games or messages the run still lacks; None if that cannot be told.

        That is so where a player needs something that is not here, a file or an extra.
        """
        try:
            return max(0, self._planned() - self.done)
        except (ValueError, ImportError, OSError):
            return None

    def _planned(self) -> int:
        if self.benchmark:
            return len(self.players) * sum(map(len, self.words.values()))
        with ExitStack() as stack:
            if self.served():
                from unspoken.agents.llm.traffic import replaying

                stack.enter_context(replaying(()))  # players can be built without a key
            design = {key: self.config[key] for key in ("rounds", "seed", "paired")}
            return len(tournament.plan(self.spec, self.players, **design).fixtures)

    def games(self) -> Iterator[Game]:
        """The games of a tournament with their requests, in schedule order."""
        for played in read_games(self.db):
            yield replace(played, calls=tuple(read_calls(self.db, played.fixture.id)))

    def messages(self) -> Iterator[Message]:
        """The messages of the SNEAK benchmark with their requests, in order."""
        for message in read_messages(self.db):
            yield replace(message, calls=read_calls(self.db, message.id, "message"))

    @cached_property
    def currency(self) -> str | None:
        """The currency that costs are in; None if there were no prices."""
        try:
            row = self.db.execute("SELECT value FROM spent").fetchone()
        except sqlite3.OperationalError:  # a run of before there were prices
            return None
        found: str | None = json.loads(row[0]).get("currency") if row else None
        return found

    @cached_property
    def words(self) -> dict[str, tuple[str, ...]]:
        """The words of each category of the SNEAK benchmark.

        Raises:
            StoreError: if they are not those that the run was made with.
        """
        file = file_of(self.config)
        categories = load(file)
        if fingerprint(instances(categories)) != self.config["instances"]:
            raise StoreError(
                f"{file} has changed since the run; what its messages are worth cannot be told "
                "without the categories that it was made with"
            )
        return {category.name: category.words for category in categories}

    def seed_of(self, message: Message) -> int:
        """The seed of the situation that a message of the SNEAK benchmark was made in."""
        n = message.id // len(self.players)
        seeds = np.random.SeedSequence([self.config["seed"], n]).generate_state(2)
        return int(seeds[0])

    def served(self) -> list[str]:
        """Names of the models that were asked, in the order of the alphabet."""
        query = "SELECT DISTINCT json_extract(details, '$.model') FROM calls ORDER BY 1"
        return [str(name) for (name,) in self.db.execute(query)]
