"""Learning curves of several runs of the same task."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from unspoken.benchmarks.tables import PERCENT, Cell, Column, Table

# Student's t, two-sided 95 %, by degrees of freedom; from 10 on the error is under 0.3.
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


def curve_table(runs: Sequence[Mapping[str, Any]]) -> Table:
    """Means over runs after each leg that all have finished, with Student's 95 % intervals.

    Args:
        runs: as `learning.json` holds them.

    Raises:
        ValueError: if there is none, or they are not of the same task.
    """
    if not runs or any(run["task"] != runs[0]["task"] for run in runs):
        raise ValueError("curves are of one or more runs of the same task, with different seeds")
    rows: list[dict[str, Cell]] = []
    for points in zip(*(run["curve"] for run in runs), strict=False):
        scores = [point["score"] for point in points]
        rows.append(
            {
                "steps": points[0]["steps"],
                "minutes": fmean(point["seconds"] for point in points) / 60,
                "wins": fmean(point["wins"] for point in points),
                "reward": fmean(point["reward"] for point in points),
                "score": fmean(scores),
                "spread": half_interval(scores),
            }
        )
    task = runs[0]["task"]
    columns = [
        Column("steps", "moves"),
        Column("minutes", "minutes", "{:.1f}"),
        Column("wins", "wins", PERCENT),
        Column("reward", "reward", "{:+.3f}"),
        Column("score", "score (±M)", "{:+.3f}"),
        Column("spread", "±", "{:.3f}"),
    ]
    title = (
        f"{task['role']} of {task['game']} against {', '.join(task['opponents'])}: {len(runs)} runs"
    )
    return Table("curve", title, columns, rows)


def half_interval(values: Sequence[float]) -> float | None:
    """Half of Student's 95 % interval of a mean; None of fewer than two values."""
    if len(values) < 2:
        return None
    t = _T[min(len(values) - 2, len(_T) - 1)]
    return float(t * stdev(values) / math.sqrt(len(values)))
