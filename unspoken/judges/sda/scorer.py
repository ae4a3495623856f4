"""Scores of annotated examinations, turn by turn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from unspoken.evaluator.sda_reference import (
    COMMITMENTS,
    PAPER,
    VIOLATIONS,
    Labels,
    Scores,
    Variant,
    Weights,
)
from unspoken.judges.sda.transcripts import Dialogue

_CODES = {label: code for code, label in enumerate(COMMITMENTS)}
_WON = {"witness": 1, "questioner": -1, None: 0}


def labels(dialogues: Sequence[Dialogue]) -> Labels:
    """The labels of all turns, one dialogue after the other, as the kernel takes them."""
    turns = [turn for dialogue in dialogues for turn in dialogue.turns]
    return Labels(
        np.array([_CODES[turn.commitment] for turn in turns], np.int8),
        np.array([turn.rel for turn in turns], np.bool_),
        np.array([turn.man for turn in turns], np.bool_),
        np.array([turn.qual for turn in turns], np.bool_),
        np.array([turn.const for turn in turns], np.bool_),
        np.cumsum([0, *(len(dialogue.turns) for dialogue in dialogues)], dtype=np.int64),
        np.array([_WON[turn.outcome] for turn in turns], np.int8),
    )


def scores(
    dialogues: Sequence[Dialogue], weights: Weights = PAPER, variant: Variant = "equations"
) -> Scores:
    """The scores of all turns, one dialogue after the other, float64 [N] each.

    Args:
        dialogues: each with at least one turn.
        weights: values and weights; the paper's by default.
        variant: "equations" or "published", as in `unspoken.evaluator.sda.score`.

    Raises:
        ValueError: if a dialogue has no turn or the variant does not exist.
    """
    from unspoken.evaluator.sda import score

    given = labels(dialogues)
    return score(*given[:-1], weights, variant, given.outcome)


def check_once(labelled: Iterable[tuple[str, str]]) -> None:
    """Refuse a dialogue that one annotator has twice, as when a file is given twice.

    Args:
        labelled: dialogues and annotators.

    Raises:
        ValueError: names the dialogue and the annotator.
    """
    seen: set[tuple[str, str]] = set()
    for name, annotator in labelled:
        if (name, annotator) in seen:
            whose = f"by {annotator!r}" if annotator else "without an annotator"
            raise ValueError(f"dialogue {name!r} is there twice, {whose}: give it once")
        seen.add((name, annotator))


def score_dialogues(
    dialogues: Sequence[Dialogue], weights: Weights = PAPER, variant: Variant = "equations"
) -> list[dict[str, Any]]:
    """One row a turn: where it is, its labels and its scores.

    Args:
        dialogues: each with at least one turn.
        weights: values and weights; the paper's by default.
        variant: "equations" or "published", as in `unspoken.evaluator.sda.score`.

    Returns:
        Rows with dialogue, annotator, turn (from 1), commitment, rel, man, qual, const, outcome,
        and the fields of `Scores`; nra is None until a turn has an outcome.

    Raises:
        ValueError: if a dialogue has no turn or is there twice by one annotator, or the variant
            does not exist.
    """
    check_once((dialogue.id, dialogue.annotator) for dialogue in dialogues)
    columns = zip(*(column.tolist() for column in scores(dialogues, weights, variant)), strict=True)
    rows = []
    for dialogue in dialogues:
        for number, turn in enumerate(dialogue.turns, 1):
            row: dict[str, Any] = {"dialogue": dialogue.id, "annotator": dialogue.annotator}
            row |= {"turn": number}
            row |= {name: getattr(turn, name) for name in ("commitment", *VIOLATIONS, "outcome")}
            row |= zip(Scores._fields, next(columns), strict=True)
            if math.isnan(row["nra"]):
                row["nra"] = None
            rows.append(row)
    return rows
