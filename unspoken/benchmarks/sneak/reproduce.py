"""Figures of the SNEAK paper that follow from others that it prints.

The messages and the evaluators' answers are not published, so what can be recomputed is averages
over evaluators, their agreement, and shares of the 117 items of the human study. No formula is
bent to make a figure agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

import numpy as np

from unspoken.benchmarks.figures import Figure, agrees, compare
from unspoken.benchmarks.sneak.analysis import HEADINGS, REFERENCE, published, robustness
from unspoken.benchmarks.sneak.results import METRICS
from unspoken.benchmarks.tables import Table

NAMES = {
    "Random": "Random word",
    "Category Synonym": "Category-Synonym",
    "Secret Synonym": "Secret-Synonym",
    "Qwen3": "Qwen3-235B",
    "Gemma-3": "Gemma-3-27B",
    "Mixtral-8x22B-Instruct": "Mixtral-8x22B",
}
"""Rows of Table 10 that Table 2 calls otherwise."""

PEOPLE = "Human Participants"

_TASKS = ("ally", "chameleon")
_SILENT = "people's answers are not published"
_ROBUST = "by the means that Table 10 prints, all 22 rows; the paper does not say which rows"


def reproduce() -> Table:
    """Every figure that follows from another one, with what was recomputed beside it."""
    title = "SNEAK, recomputed from the figures that it prints"
    figures = [*_averages(), *_robustness(), *_study(), *_text()]
    return compare("sneak", title, figures)


def _averages() -> Iterator[Figure]:
    """Averages over the evaluators: by their own figures, and in Table 10 by Table 2."""
    for number in (8, 10):
        fit = total = 0
        for row in published()[f"table_{number}"].values():
            for k in range(len(METRICS)):
                *each, average = row[4 * k : 4 * k + 4]
                unit = 10.0 ** -len(average.partition(".")[2])
                # half a unit for the mean of rounded figures, half for its own rounding
                fit += abs(fmean(map(float, each)) - float(average)) <= unit + 1e-9
                total += 1
        what = "averages that fit the evaluators', but for rounding"
        yield Figure(f"Table {number}", what, f"{total} of {total}", f"{fit} of {total}")
    found = [
        agrees(row[4 * k + 3], float(other[k]))
        for name, row in published()["table_10"].items()
        if (other := published()["table_2"].get(NAMES.get(name, name)))
        for k in range(len(METRICS))
    ]
    total = len(found)
    what = "averages that Table 2 rounds to"
    yield Figure("Table 10", what, f"{total} of {total}", f"{sum(found)} of {total}")


def _robustness() -> Iterator[Figure]:
    """Section 4.1, by Table 10."""
    p = published()
    rows = np.array(list(p["table_10"].values()), dtype=float).reshape(-1, len(METRICS), 4)
    deviation, rank = robustness(rows[:, :, :3].swapaxes(1, 2), p["evaluators"])
    spread = deviation.rows[0]
    for key, printed in zip(METRICS, p["robustness"]["deviation"], strict=False):
        value = spread[key]
        assert isinstance(value, float)
        yield Figure("4.1", f"{HEADINGS[key]}, deviation over evaluators", printed, value, _ROBUST)
    for key, ends in zip(METRICS, p["robustness"]["rho"], strict=False):
        found = [row[key] for row in rank.rows]
        rhos = [rho for rho in found if isinstance(rho, float)]
        for what, printed, rho in zip(("least", "most"), ends, (min(rhos), max(rhos)), strict=True):
            yield Figure("4.1", f"{HEADINGS[key]}, rho, {what}", printed, rho, _ROBUST)


def _study() -> Iterator[Figure]:
    """The human study: shares of 117 items with five answers each, and chance."""
    p = published()
    items = int(p["table_1"]["categories"])
    shares = [("Table 6", f"{task}, workers right", p["table_6"][task][0], 5) for task in _TASKS]
    shares += [("Table 6", f"{task}, plurality right", p["table_6"][task][1], 1) for task in _TASKS]
    shares += [("Table 7", f"{task}, top-1 agreement", p["table_7"][task][0], 1) for task in _TASKS]
    for where, what, printed, answers in shares:
        n = items * answers
        count = round(float(printed) * n / 100)
        yield Figure(where, f"{what}: {count} of {n}", f"{printed}%", count / n)
    for task, printed, options in zip(_TASKS, p["table_6"]["chance"], (6, 12), strict=True):
        yield Figure("Table 6", f"{task}, chance, 1 of {options}", f"{printed}%", 1 / options)
    for i, task in enumerate(_TASKS):
        strict = p["table_7"][task][1]
        for what, printed in (
            ("strict-majority agreement", f"{strict}%"),
            ("Fleiss' κ", p["study"]["kappa"][i]),
            ("r of vote share", p["study"]["r"][i]),
        ):
            yield Figure(
                "4.1", f"{task}, {what}", printed, None, "people's answers are not published"
            )


def _text() -> Iterator[Figure]:
    """What the text says of Table 2."""
    soft = {name: float(row[METRICS.index("soft")]) for name, row in published()["table_2"].items()}
    people = soft.pop(PEOPLE)
    models = {name: score for name, score in soft.items() if name not in REFERENCE.values()}
    low, second = sorted(models, key=models.__getitem__)[:2]
    why = f"over {low}; {people / models[second]:.1f}× over {second}, the next"
    yield Figure(
        "Abstract", "people over models, SoftScore, at most", "4×", people / models[low], why
    )
