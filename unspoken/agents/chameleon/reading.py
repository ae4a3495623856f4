"""What the built-in players of Chameleon read: cards, clues, and who charged whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.base import Message
from unspoken.envs.chameleon.interpreter import clue_mask, clue_place
from unspoken.envs.chameleon.menu import places
from unspoken.envs.sneak.instances import load
from unspoken.evaluator.chameleon_reference import TEMPERATURE, VAGUE, Whole, speech
from unspoken.evaluator.rsa_reference import Floats, log_meaning
from unspoken.lexicon.vectors import similarity, vocabulary


class Charge(NamedTuple):
    """An accusation, or a vote that is open: whose, and against whom, by seat."""

    by: int
    against: int


class Said(NamedTuple):
    """How likely clues are; both float64 [C, W].

    Attributes:
        speech: log S(m | w), from those who know the word.
        faked: log F(m | w), from the chameleon; see `unspoken.evaluator.chameleon_reference`.
    """

    speech: Floats
    faked: Floats


@dataclass(frozen=True, eq=False)
class Card:
    """A card, and how those who know its word speak of it.

    Attributes:
        words: those on it.
        similarity: of the words of the vocabulary with them, float32 [V, W], read-only.
        silence: how likely a text would be that is like no word; float64 [1, W] each.
    """

    words: tuple[str, ...]
    similarity: NDArray[np.float32]
    silence: Said

    @cached_property
    def of_vocabulary(self) -> Said:
        """How likely the words of the vocabulary are, float64 [V, W] each, read-only."""
        found = self._said(self.similarity)
        for table in found:
            table.setflags(write=False)
        return found

    @cached_property
    def likelihood(self) -> NDArray[np.float32]:
        """S(m | w) of the words of the vocabulary, float32 [V, W]."""
        return np.exp(self.of_vocabulary.speech).astype(np.float32)

    @cached_property
    def general(self) -> NDArray[np.float32]:
        """How like all words of the card each word of the vocabulary is, float32 [V]."""
        return np.asarray(self.similarity.mean(axis=1))

    def vocabulary(self, places: Whole) -> Said:
        """How likely some words of the vocabulary are, by their places."""
        return Said(*(table[places] for table in self.of_vocabulary))

    def said(self, clues: Sequence[str]) -> Said:
        """How likely clues are, in the vocabulary or not."""
        places = [_place(clue) for clue in clues]
        if min(places, default=0) >= 0:
            return self.vocabulary(np.array(places, np.int64))
        found = np.empty((len(clues), len(self.words)))
        for c, (clue, place) in enumerate(zip(clues, places, strict=True)):
            found[c] = similarity([clue], self.words)[0] if place < 0 else self.similarity[place]
        return self._said(found)

    def _said(self, similarity: NDArray[np.floating]) -> Said:
        return Said(
            self.silence.speech + log_meaning(similarity, TEMPERATURE),
            self.silence.faked + log_meaning(similarity, VAGUE),
        )


_place = lru_cache(maxsize=1 << 14)(clue_place)


@lru_cache(maxsize=256)
def card(category: str, words: tuple[str, ...]) -> Card:
    """The card of a category and its words."""
    table = similarity(vocabulary(), words)
    table.setflags(write=False)
    sayable, nothing = table[clue_mask(category, words) > 0], np.zeros((1, len(words)))
    silence = Said(*(speech(nothing, sayable, t) for t in (TEMPERATURE, VAGUE)))
    return Card(words, table, silence)


def find_card(word: str, file: Path) -> Card | None:
    """The card of a file that a word is on, the first where there are several, or none."""
    held = (category for category in load(file) if word in category.words)
    category = next(held, None)
    return None if category is None else card(category.name, category.words)


def seat(agent: str) -> int:
    """The seat of an agent: 2 of "player_2"."""
    return int(agent.rpartition("_")[2])


def charges(history: Iterable[Message], players: int) -> tuple[Charge, ...]:
    """The accusations, and the votes that are open, in order."""
    at = places(players, 0)
    spans = {"accuse": at.accuse, "vote": at.vote}
    return tuple(
        Charge(seat(message.role), spans[message.move].index(message.action))
        for message in history
        if message.move in spans
    )


def clues(history: Iterable[Message]) -> tuple[tuple[int, str], ...]:
    """Who gave which clue, by seat, in order."""
    return tuple((seat(m.role), m.text) for m in history if m.move == "clue")


def best(values: Floats, n: int) -> NDArray[np.intp]:
    """The places of the n greatest values, the greatest first, and of equals the first.

    As a stable sort has them, for a fraction of its cost.
    """
    found = np.arange(len(values))
    if len(values) > n:
        found = np.flatnonzero(values >= np.partition(values, len(values) - n)[len(values) - n])
    return found[np.argsort(-values[found], kind="stable")[:n]]


def speakers(given: Iterable[tuple[int, str]]) -> Whole:
    """The seats of those who gave clues, int64 [C]."""
    return np.array([by for by, _ in given], np.int64)
