"""How well an arbiter of the dialogue game does on exchanges that people labelled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from unspoken.benchmarks.tables import PERCENT, Cell, Column, Table
from unspoken.envs.aidg_dialogue.secrets import find
from unspoken.envs.base import Message
from unspoken.judges.base import CATEGORIES, Arbiter, Case, confusion


def confusion_tables(file: Path, arbiter: Arbiter) -> list[Table]:
    """The confusion table, and precision and recall of every category.

    Args:
        file: JSON lines with "secret" (an id or a text), "question", "reply" and "leak", and
            optionally "before", the earlier turns as [role, text] pairs.
        arbiter: who judges.

    Raises:
        ValueError: if a line is wrong; names it.
    """
    counts = confusion(read_cases(file), arbiter)
    confused: list[dict[str, Cell]] = [
        {"label": label, **{said: counts[label, said] for said in CATEGORIES}}
        for label in CATEGORIES
    ]
    rates: list[dict[str, Cell]] = []
    for category in CATEGORIES:
        right = counts[category, category]
        said = sum(counts[label, category] for label in CATEGORIES)
        labelled = sum(counts[category, other] for other in CATEGORIES)
        rates.append(
            {
                "category": category,
                "labelled": labelled,
                "precision": right / said if said else None,
                "recall": right / labelled if labelled else None,
            }
        )
    return [
        Table(
            "confusion",
            f"Verdicts of {arbiter.name} (columns) by label (rows)",
            [Column("label", "label", left=True), *(Column(c, c) for c in CATEGORIES)],
            confused,
        ),
        Table(
            "rates",
            f"Precision and recall of {arbiter.name}",
            [
                Column("category", "category", left=True),
                Column("labelled", "labelled"),
                Column("precision", "precision", PERCENT),
                Column("recall", "recall", PERCENT),
            ],
            rates,
        ),
    ]


def read_cases(file: Path) -> Iterator[Case]:
    """The labelled exchanges of a file, in order."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            said = [*data.get("before", []), ["seeker", data["question"]]]
            history = tuple(
                Message(turn, role, text, "open", -1) for turn, (role, text) in enumerate(said, 1)
            )
            case = Case(find(data["secret"]), history, data["reply"], data["leak"])
            if case.leak not in CATEGORIES:
                raise ValueError(f"leak is {case.leak!r}, not one of {', '.join(CATEGORIES)}")
        except KeyError as error:
            raise ValueError(f"{file}, line {number}: has no {error}") from None
        except (ValueError, TypeError) as error:
            raise ValueError(f"{file}, line {number}: {error}") from None
        yield case
