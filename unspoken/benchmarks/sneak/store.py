"""Where a run of the benchmark is kept: every message, what evaluators made of it, every request.

A message is one transaction, with its evaluations: a process that is killed loses the messages in
work and nothing else.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unspoken.benchmarks.store import Record, call_row

SCHEMA = """
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY,       -- place in the order of the run
    speaker TEXT NOT NULL,
    instance TEXT NOT NULL,       -- "category/secret"
    said TEXT NOT NULL,           -- all that the speaker said
    message TEXT NOT NULL,        -- the message in it; empty if there is none
    fault TEXT NOT NULL,          -- empty, the rule that refuses it, or "void"
    reason TEXT NOT NULL,         -- why it is void
    seconds REAL NOT NULL);
CREATE TABLE IF NOT EXISTS evaluations (
    message INTEGER NOT NULL REFERENCES messages (id), evaluator TEXT NOT NULL,
    ally TEXT NOT NULL,           -- JSON: probability of the message and of each decoy
    chameleon TEXT NOT NULL,      -- JSON: probability of each word
    reason TEXT NOT NULL,         -- why there are none
    PRIMARY KEY (message, evaluator));
CREATE TABLE IF NOT EXISTS sweep (             -- the same in smaller instances
    message INTEGER NOT NULL REFERENCES messages (id), evaluator TEXT NOT NULL,
    n_words INTEGER NOT NULL, n_decoys INTEGER NOT NULL,
    utility REAL, leakage REAL, soft REAL, binary REAL,   -- NULL: the evaluator failed
    PRIMARY KEY (message, evaluator, n_words, n_decoys));
CREATE TABLE IF NOT EXISTS calls (             -- what went to a model and came back
    message INTEGER NOT NULL REFERENCES messages (id), n INTEGER NOT NULL,
    asked TEXT NOT NULL,                       -- the speaker or the evaluator
    messages TEXT NOT NULL, reply TEXT, prompt_tokens INTEGER, completion_tokens INTEGER,
    details TEXT NOT NULL,                     -- JSON: model, finish reason, attempts, latency, …
    PRIMARY KEY (message, n));
"""

VOID, UNPARSABLE = "void", "parse"

Calls = Sequence[tuple[str, Mapping[str, Any]]]
"""Requests in order, each with the speaker or evaluator that made it."""


SweepRow = tuple[str, int, int, Sequence[float | None]]
"""Evaluator, number of words, number of decoys, and the four metrics, None where it failed."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluator made of a message.

    Attributes:
        ally: probability that the ally gives the message and each decoy, in this order; empty if
            the evaluator failed.
        chameleon: probability that the chameleon gives each word; likewise.
        reason: why it failed; empty if it did not.
    """

    ally: tuple[float, ...] = ()
    chameleon: tuple[float, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of one speaker for one instance.

    Attributes:
        id: place in the order of the run, from 0.
        speaker: spec of the speaker.
        instance: id of the instance.
        said: all that the speaker said.
        message: the message in it; "" if there is none.
        fault: "" if it is allowed; the rule that refuses it (a key of
            `unspoken.envs.sneak.interpreter.RULES`); "void" if the speaker failed.
        reason: why it is void.
        evaluations: by evaluator; only of messages that are allowed.
        calls: the requests to models.
        seconds: how long it took.
    """

    id: int
    speaker: str
    instance: str
    said: str
    message: str
    fault: str = ""
    reason: str = ""
    evaluations: Mapping[str, Evaluation] = field(default_factory=dict)
    calls: Calls = ()
    seconds: float = 0.0


class MessageStore(Record):
    """The record of one run of the benchmark.

    Attributes:
        done: ids of the messages that were there when it was opened.
    """

    schema = SCHEMA

    def __init__(self, folder: Path, config: dict[str, Any], *, force: bool = False) -> None:
        super().__init__(folder, config, force=force)
        self.done = {id_ for (id_,) in self._db.execute("SELECT id FROM messages")}

    def save(self, message: Message) -> None:
        """Write a message with its evaluations and requests in one transaction.

        It takes the place of one that failed, whose requests stay.
        """
        m = message
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (m.id, m.speaker, m.instance, m.said, m.message, m.fault, m.reason, m.seconds),
            )
            self._db.executemany(
                "INSERT OR REPLACE INTO evaluations VALUES (?, ?, ?, ?, ?)",
                [
                    (m.id, name, json.dumps(e.ally), json.dumps(e.chameleon), e.reason)
                    for name, e in m.evaluations.items()
                ],
            )
            self._save_calls(m.id, m.calls)
            self._note_spent()

    def failed(self) -> dict[int, Message]:
        """By id, the messages that are void or that an evaluator failed on."""
        return {
            message.id: message
            for message in read_messages(self._db)
            if message.fault == VOID or any(e.reason for e in message.evaluations.values())
        }

    def swept(self, *, failed: bool = True) -> set[tuple[int, int, int]]:
        """What has been rescored: message, number of words, number of decoys.

        Args:
            failed: also that which an evaluator failed on.
        """
        rows = self._db.execute(
            "SELECT message, n_words, n_decoys FROM sweep GROUP BY 1, 2, 3 "
            "HAVING ? OR COUNT(*) = COUNT(utility)",
            (failed,),
        )
        return {(message, words, decoys) for message, words, decoys in rows}

    def save_sweep(self, message: int, rows: Sequence[SweepRow], calls: Calls) -> None:
        """Write what a message is worth in smaller instances in one transaction."""
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO sweep VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [(message, name, words, decoys, *four) for name, words, decoys, four in rows],
            )
            self._save_calls(message, calls)
            self._note_spent()

    def _save_calls(self, message: int, calls: Calls) -> None:
        query = "SELECT COUNT(*) FROM calls WHERE message = ?"
        (first,) = self._db.execute(query, (message,)).fetchone() if calls else (0,)
        self._db.executemany(
            "INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (message, n, asked, *call_row(trace))
                for n, (asked, trace) in enumerate(calls, start=first)
            ],
        )


def read_messages(db: sqlite3.Connection) -> Iterator[Message]:
    """The messages of a run in order, without their requests."""
    evaluations: dict[int, dict[str, Evaluation]] = {}
    for id_, evaluator, ally, chameleon, reason in db.execute("SELECT * FROM evaluations"):
        evaluations.setdefault(id_, {})[evaluator] = Evaluation(
            tuple(json.loads(ally)), tuple(json.loads(chameleon)), reason
        )
    for row in db.execute("SELECT * FROM messages ORDER BY id"):
        id_, speaker, instance, said, message, fault, reason, seconds = row
        of_message = evaluations.get(id_, {})
        yield Message(
            id_, speaker, instance, said, message, fault, reason, of_message, seconds=seconds
        )


def read_sweep(db: sqlite3.Connection) -> Iterator[tuple[int, SweepRow]]:
    """What has been rescored: ids of messages, each with a row."""
    for id_, evaluator, words, decoys, *four in db.execute("SELECT * FROM sweep"):
        yield id_, (evaluator, words, decoys, four)
