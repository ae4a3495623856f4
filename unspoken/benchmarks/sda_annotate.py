"""Annotating examinations: many turns at once, each one written as soon as it is labelled.

Turns are independent of each other, so a run that was broken off and resumed is the same as an
unbroken one. What could not be labelled stays without labels and is asked for again when the run
is resumed; nothing stands in for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import unspoken
from unspoken.benchmarks.concurrency import at_once
from unspoken.benchmarks.store import Record, call_row
from unspoken.benchmarks.tables import Column, Table
from unspoken.judges.sda.annotators import Annotated, Annotator, Labels, make_annotator
from unspoken.judges.sda.transcripts import Dialogue, Examination, Exchange, Turn, write

TRANSCRIPT, INCOMPLETE = "transcript.csv", "incomplete.csv"

SCHEMA = """
CREATE TABLE IF NOT EXISTS turns (
    examination INTEGER NOT NULL,  -- its place in the run
    turn INTEGER NOT NULL,         -- from 1
    labels TEXT,                   -- JSON: the fields of Labels; null if there are none
    problem TEXT NOT NULL,         -- why there are none
    PRIMARY KEY (examination, turn));
CREATE TABLE IF NOT EXISTS calls ( -- what went to a model and came back, over all attempts
    examination INTEGER NOT NULL, turn INTEGER NOT NULL,
    messages TEXT NOT NULL, reply TEXT, prompt_tokens INTEGER, completion_tokens INTEGER,
    details TEXT NOT NULL);        -- JSON: model, finish reason, attempts, latency, …
"""

Place = tuple[int, int]
"""A turn: the place of its examination in the run, and its number from 1."""
Watcher = Callable[[Annotated | None, int, int], None]
"""Called when a turn was asked about (None at the start), with the numbers of turns that have
labels and of all that are to have them now."""


@dataclass(frozen=True)
class Summary:
    """What a run has come to.

    Attributes:
        complete: the examinations of which all turns are labelled.
        incomplete: the others; those of their turns that are labelled are `Turn`s.
        problems: dialogue, turn and reason of what was asked and could not be labelled.
        prompt_tokens: over all attempts, as far as the server counts them.
        completion_tokens: likewise.
    """

    complete: tuple[Dialogue, ...]
    incomplete: tuple[Examination, ...]
    problems: tuple[tuple[str, int, str], ...]
    prompt_tokens: int
    completion_tokens: int


class Annotations(Record):
    """The record of one run."""

    schema = SCHEMA

    def save(self, place: Place, found: Annotated) -> None:
        """Write what came of a turn, with its requests, in one transaction."""
        labels = None if found.labels is None else json.dumps(found.labels._asdict())
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?)", (*place, labels, found.problem)
            )
            self._db.executemany(
                "INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(*place, *call_row(call)) for call in found.calls],
            )

    def labelled(self) -> dict[Place, Labels]:
        """The turns that have labels."""
        rows = self._db.execute(
            "SELECT examination, turn, labels FROM turns WHERE labels IS NOT NULL"
        )
        return {(one, turn): _labels(text) for one, turn, text in rows}

    def problems(self) -> Iterator[tuple[int, int, str]]:
        """The turns that have none, and why."""
        yield from self._db.execute(
            "SELECT examination, turn, problem FROM turns WHERE labels IS NULL ORDER BY 1, 2"
        )

    def tokens(self) -> tuple[int, int]:
        """What went to models and came back, over all attempts."""
        sums = "SELECT SUM(prompt_tokens), SUM(completion_tokens) FROM calls"
        sent, received = self._db.execute(sums).fetchone()
        return sent or 0, received or 0


def annotate(
    dialogues: Sequence[Examination],
    annotator: str,
    out: Path,
    *,
    concurrency: int = 8,
    limit: int | None = None,
    force: bool = False,
    watch: Watcher = lambda found, done, total: None,
) -> Summary:
    """Label examinations, or go on with it.

    The folder then holds `run.sqlite` with every label and request, `transcript.csv` with the
    examinations of which all turns are labelled, and `incomplete.csv` with the others, where
    missing labels are empty cells; either file only if there is something to put into it.

    It ends early where a refusal would meet every turn (a wrong key, no such model), unless some
    have got labels before it: then it was that turn's.

    Args:
        dialogues: what to label, each name once.
        annotator: its spec; see `unspoken.judges.sda.annotators.specs`.
        out: folder of the run; one that holds this run already is gone on with.
        concurrency: turns in work at once.
        limit: label only so many turns now, the first of all; the rest can follow later.
        force: throw away what the folder holds.
        watch: told of every turn.

    Raises:
        ValueError: if there is nothing to label, a name comes twice, or a setting is out of range.
        StoreError: if the folder holds another run.
    """
    for name, value in (("concurrency", concurrency), ("limit", limit)):
        if value is not None and value < 1:
            raise ValueError(f"{name}={value}: at least 1")
    names = [dialogue.id for dialogue in dialogues]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not names:
        raise ValueError(f"examinations given twice: {', '.join(twice)}" if twice else "no turns")
    by = make_annotator(annotator)
    config = {
        "benchmark": "sda_annotate",
        "annotator": annotator,
        "dialogues": _fingerprint(dialogues),
        "unspoken": unspoken.__version__,
    }
    with Annotations(out, config, force=force) as record:
        places = [
            (one, turn)
            for one, dialogue in enumerate(dialogues)
            for turn in range(1, len(dialogue.turns) + 1)
        ][:limit]
        labelled = record.labelled()
        done = sum(place in labelled for place in places)
        answered = False
        watch(None, done, len(places))

        async def label(place: Place) -> None:
            nonlocal done, answered
            dialogue = dialogues[place[0]]
            found = await by.aannotate(dialogue.turns[: place[1]], dialogue.witness)
            record.save(place, found)
            answered = answered or found.labels is not None
            done += found.labels is not None
            watch(found, done, len(places))
            if found.hopeless and not answered:
                raise _HopelessError

        with suppress(_HopelessError):
            at_once(label, [place for place in places if place not in labelled], concurrency)
        summary = _summary(dialogues, by, record)
    for name, held in ((TRANSCRIPT, summary.complete), (INCOMPLETE, summary.incomplete)):
        if held:
            write(out / name, held)
        else:
            (out / name).unlink(missing_ok=True)
    return summary


class _HopelessError(Exception):
    """No turn can be labelled, whatever it is."""


def summary_table(summary: Summary) -> Table:
    """How many turns of each examination are labelled."""
    rows: list[dict[str, Any]] = []
    held: list[Dialogue | Examination] = [*summary.complete, *summary.incomplete]
    for dialogue in held:
        labelled = sum(isinstance(turn, Turn) for turn in dialogue.turns)
        failed = sum(name == dialogue.id for name, *_ in summary.problems)
        row = {"dialogue": dialogue.id, "turns": len(dialogue.turns), "labelled": labelled}
        rows.append(row | {"failed": failed})
    columns = [
        Column("dialogue", "examination", left=True),
        *(Column(key, key) for key in ("turns", "labelled", "failed")),
    ]
    return Table("annotated", "Turns that are labelled", columns, rows)


def _summary(dialogues: Sequence[Examination], by: Annotator, record: Annotations) -> Summary:
    labelled = record.labelled()
    complete: list[Dialogue] = []
    incomplete: list[Examination] = []
    for one, dialogue in enumerate(dialogues):
        turns = tuple(
            labelled[one, n].turn(exchange) if (one, n) in labelled else _bare(exchange)
            for n, exchange in enumerate(dialogue.turns, 1)
        )
        whole = tuple(turn for turn in turns if isinstance(turn, Turn))
        if len(whole) == len(turns):
            complete.append(Dialogue(dialogue.id, whole, by.name))
        else:
            incomplete.append(Examination(dialogue.id, turns, dialogue.witness))
    problems = tuple((dialogues[one].id, turn, why) for one, turn, why in record.problems())
    return Summary(tuple(complete), tuple(incomplete), problems, *record.tokens())


def _bare(exchange: Exchange) -> Exchange:
    """Without the labels of somebody else."""
    return Exchange(exchange.question, exchange.answer)


def _labels(text: str) -> Labels:
    fields = json.loads(text)
    return Labels(**fields | {"reasons": tuple(fields["reasons"])})


def _fingerprint(dialogues: Sequence[Examination]) -> str:
    said = [
        (dialogue.id, dialogue.witness, [(turn.question, turn.answer) for turn in dialogue.turns])
        for dialogue in dialogues
    ]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]
