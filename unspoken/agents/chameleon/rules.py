"""A player with rules of thumb."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.base import check_probability
from unspoken.agents.chameleon.player import ChameleonPlayer, Table
from unspoken.agents.chameleon.reading import Card, best
from unspoken.evaluator.rsa_reference import Floats

CHOICE = 8
"""Among how many of the best clues one is drawn, so that games differ."""


@dataclass
class Rules(ChameleonPlayer):
    """Gives clues of a fixed informativeness and accuses whose clue fits the word least.

    Knowing the word, it gives a clue that fits it best among those from which a listener that
    hears nothing else would not take it for the word with more than a fixed probability. As the
    chameleon it believes in the words that the clues of others fit, and gives a clue that fits
    these. It accuses and votes for the player whose clues fit the word, or the words that it
    believes in, least; whoever gave none comes first. It does not heed what others say of others.

    Attributes:
        informativeness: the probability, 0 to 1, up to which its clues tell the word.
        nerve: how much the chameleon goes by its belief when it speaks, 0 or more: at 0 its clues
            fit all words of the card, at 1 each as far as it believes in it, and beyond that the
            likeliest more and more.
    """

    name: str = "rules"
    informativeness: float = field(default=0.2, kw_only=True)
    nerve: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        check_probability("informativeness", self.informativeness)
        if not 0 <= self.nerve < np.inf:
            raise ValueError(f"nerve={self.nerve}: 0 or more")

    def belief(self, table: Table) -> Floats:
        """The words by how well the clues of others fit them, float64 [W]."""
        return _softmax(_heard(table))

    def suspicion(self, table: Table) -> Floats:
        """How little the clues of each player fit on average, float64 [N]."""
        if table.word is None:
            fits = table.said.speech @ self.belief(table)
        else:
            fits = table.said.speech[:, table.word]
        given = np.bincount(table.speakers, minlength=table.players)
        told = np.bincount(table.speakers, fits, minlength=table.players)
        return np.where(given > 0, -told / np.maximum(given, 1), np.inf)

    def _clue(self, table: Table, legal: NDArray[np.intp]) -> int:
        if table.word is None:
            clues = table.card.of_vocabulary.speech[legal]
            choice = legal[best(clues @ _softmax(self.nerve * _heard(table)), CHOICE)]
        else:
            ranks = _ranks(table.card, table.word, self.informativeness)
            left = np.zeros(len(ranks.telling), np.bool_)
            left[legal] = True
            fitting = ranks.fitting[left[ranks.fitting]]
            choice = (fitting if len(fitting) else ranks.telling[left[ranks.telling]])[:CHOICE]
        return int(self.rng.choice(choice))


class _Ranks(NamedTuple):
    """The words of the vocabulary as clues to a word, by their places.

    Attributes:
        fitting: those that do not tell too much, the best first, int64 [n].
        telling: all, by how much they tell, the least first, int64 [V].
    """

    fitting: NDArray[np.intp]
    telling: NDArray[np.intp]


@lru_cache(maxsize=1 << 11)
def _ranks(card: Card, word: int, informativeness: float) -> _Ranks:
    clues = card.of_vocabulary.speech
    told = _softmax(clues)[:, word]
    fitting = np.flatnonzero(told <= informativeness)
    order = np.argsort(-clues[fitting, word], kind="stable")
    return _Ranks(fitting[order], np.argsort(told, kind="stable"))


def _heard(table: Table) -> Floats:
    """How well the clues of others fit each word, float64 [W]."""
    return np.asarray(table.said.speech[table.speakers != table.me].sum(axis=0))


def _softmax(logs: Floats) -> Floats:
    weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))
