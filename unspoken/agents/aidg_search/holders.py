"""Holders that follow the answer table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.aidg_search.belief import MAYBE
from unspoken.agents.aidg_search.player import Asked, SearchPlayer
from unspoken.agents.base import check_probability
from unspoken.envs.aidg_search.rules import ANSWERS
from unspoken.evaluator.aidg_search_reference import Floats

YES, NO = ANSWERS.index("yes"), ANSWERS.index("no")


def draw(cell: Floats, seed: int, question: int) -> int:
    """The answer that a mixed cell [3] of the table gets in the game of a seed, always the same."""
    if cell.max() == 1:
        return int(cell.argmax())
    chance = np.random.default_rng([seed, question]).random()
    return min(int(np.searchsorted(cell.cumsum(), chance, side="right")), len(cell) - 1)


def allowed(cell: Floats, asked: Asked) -> NDArray[np.intp]:
    """The answers that are true of a cell [3], or only the one that was given to it before."""
    true = np.flatnonzero(cell > 0)
    before = [e.answer for e in asked.heard if e.question == asked.question and e.answer in true]
    return np.array(before[:1]) if before else true


@dataclass
class Table(SearchPlayer):
    """Answers by the table; a mixed cell is drawn once a game and question.

    Attributes:
        error: probability, 0 to 1, that an answer is false, drawn anew each time: yes and no
            are exchanged, "maybe" becomes either.
    """

    roles: ClassVar[frozenset[str]] = frozenset({"holder"})
    name: str = "table"
    error: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        check_probability("error", self.error)

    def _hold(self, asked: Asked) -> int:
        truth = draw(self._ontology.table[asked.word, asked.question], self.seed, asked.question)
        if self.rng.random() >= self.error:
            return truth
        if truth == MAYBE:
            return int(self.rng.choice([YES, NO]))
        return NO if truth == YES else YES


@dataclass
class Evasive(SearchPlayer):
    """Says "maybe" whenever that is not a lie, else the truth."""

    roles: ClassVar[frozenset[str]] = frozenset({"holder"})
    name: str = "evasive"

    def _hold(self, asked: Asked) -> int:
        cell = self._ontology.table[asked.word, asked.question]
        return MAYBE if cell[MAYBE] > 0 else draw(cell, self.seed, asked.question)
