"""What is left of a run of the benchmark when it is over: tables, `results.json`, `report.md`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unspoken.benchmarks import instructions
from unspoken.benchmarks.report import save, spent_table
from unspoken.benchmarks.sneak.analysis import more_tables, run_tables
from unspoken.benchmarks.sneak.results import read_results
from unspoken.benchmarks.sneak.store import VOID
from unspoken.benchmarks.store import read_spent, reading
from unspoken.benchmarks.tables import PERCENT, Column, Table


@dataclass(frozen=True)
class Summary:
    """A run, read back from its store.

    Attributes:
        config: what was run.
        tables: the leaderboard first.
        tokens: prompt and completion tokens by speaker or evaluator.
        fallbacks: how often each of them had to be replaced because it gave nothing readable.
        failures: how often each reason made a message void.
        unevaluated: how often each reason left a message without an evaluation.
        spent: what all requests of the run took, by model; None if it was not counted.
    """

    config: dict[str, Any]
    tables: list[Table]
    tokens: dict[str, dict[str, int]]
    fallbacks: dict[str, int]
    failures: dict[str, int]
    unevaluated: dict[str, int]
    spent: dict[str, Any] | None


def write(folder: Path) -> Summary:
    """Write `results.json` and `report.md` into a run's folder.

    Raises:
        FileNotFoundError: if the folder holds no run.
        StoreError: if its file is not a run's of the benchmark.
    """
    results = read_results(folder)
    with reading(folder) as db:
        spent, moves = read_spent(db), instructions.messages(db)
        tokens = {
            asked: {"prompt": prompt or 0, "completion": completion or 0}
            for asked, prompt, completion in db.execute(
                "SELECT asked, SUM(prompt_tokens), SUM(completion_tokens) FROM calls "
                "GROUP BY asked ORDER BY asked"
            )
        }
        fallbacks = dict(
            db.execute(
                "SELECT asked, COUNT(*) FROM calls "
                "WHERE json_extract(details, '$.fallback') GROUP BY asked"
            ).fetchall()
        )
        bounded = db.execute(
            "SELECT asked, COUNT(*), SUM(json_extract(details, '$.bounded')), "
            "MAX(json_extract(details, '$.mass')) FROM calls "
            "WHERE json_extract(details, '$.bounded') IS NOT NULL GROUP BY asked ORDER BY asked"
        ).fetchall()
    reasons = Counter(m.reason for m in results.messages if m.fault == VOID)
    unevaluated = Counter(
        e.reason for m in results.messages for e in m.evaluations.values() if e.reason
    )
    tables = run_tables(results)
    if bounded:
        tables.append(_bounded(bounded))
    tables += instructions.tables(moves)
    if spent and spent["models"]:
        tables.append(spent_table(spent))
    counted = tokens, fallbacks, dict(reasons), dict(unevaluated)
    summary = Summary(results.config, tables, *counted, spent)
    config = results.config
    counts = {"messages": len(results.messages), "of_instances": len(results.instances)}
    more: dict[str, Any] = {"tokens": tokens, "fallbacks": fallbacks, "failures": summary.failures}
    more |= {"unevaluated": summary.unevaluated, "spent": spent}
    head = (
        f"# SNEAK: {len(config['speakers'])} speakers, {len(config['evaluators'])} evaluators, "
        f"seed {config['seed']}\n\n{len(results.messages)} messages on {len(results.instances)} "
        f"instances, unspoken {config['unspoken']}.\n"
    )
    save(folder, config | counts | more, head, tables)
    return summary


def _bounded(rows: Sequence[tuple[str, int, int, float]]) -> Table:
    """How many labels models gave no probability of, which then have the most that they can."""
    keys = ("evaluator", "questions", "labels", "mass")
    columns = [
        Column("evaluator", "evaluator", left=True),
        Column("questions", "questions"),
        Column("labels", "labels not mentioned"),
        Column("mass", "their part of an answer, at most", PERCENT),
    ]
    title = "Labels whose probabilities are bounds"
    return Table("bounded", title, columns, [dict(zip(keys, row, strict=True)) for row in rows])


def stats(folder: Path) -> list[Table]:
    """The tables of a run that take the extra "stats" (SNEAK 4.1, 4.2).

    Raises:
        FileNotFoundError: if the folder holds no run.
        StoreError: if its file is not a run's of the benchmark.
        ImportError: if the extra is missing.
    """
    return more_tables(read_results(folder))
