"""What a seeker believes, computed from the dialogue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.aidg_search.ontology import DEFAULT, load
from unspoken.envs.aidg_search.rules import ANSWERS
from unspoken.envs.base import Message
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_search_reference import FLOOR, Floats, channel, likelihood, pack

MAYBE = ANSWERS.index("maybe")


class Evidence(NamedTuple):
    """A question of the bank and the answer that was heard to it, both as indices."""

    question: int
    answer: int


class Manner(NamedTuple):
    """How a holder departs from the answer table.

    Attributes:
        error: probability that an answer is one of the other two, drawn anew each time.
        evasion: probability that it means "maybe" wherever the truth allows it, instead of what
            the table would draw.
    """

    error: float = 0.0
    evasion: float = 0.0


TRUTHFUL = (Manner(),)


def folder_of(spec: GameSpec) -> Path:
    """The folder of the ontology that a game is played with."""
    folder: str | Path = spec.options.get("ontology", DEFAULT)
    return folder if isinstance(folder, Path) else Path(folder)  # a new one hashes slowly


def evidence(history: Iterable[Message]) -> list[Evidence]:
    """The answers to questions of the bank, in order; answers to open questions say nothing."""
    found = []
    question = -1
    for message in history:
        if message.move in ("question", "open_question"):
            question = message.action
        elif message.move == "answer" and question >= 0:
            found.append(Evidence(question, message.action))
    return found


@lru_cache(maxsize=8)
def _meanings(folder: Path, manners: tuple[Manner, ...]) -> Floats:
    """P(answer meant | manner, word), float64 [Q, 3, G, W], read-only."""
    table = load(folder).table.transpose(1, 2, 0)[:, :, None]
    maybe = np.eye(len(ANSWERS))[MAYBE][:, None, None]
    evasion = np.array([manner.evasion for manner in manners])[:, None]
    open_cells = table[:, MAYBE : MAYBE + 1] > 0
    meant = np.where(open_cells, table + evasion * (maybe - table), table)
    meant.setflags(write=False)
    return np.asarray(meant)


@lru_cache(maxsize=8)
def _channels(manners: tuple[Manner, ...]) -> Floats:
    """P(answer heard | answer meant, manner), float64 [3 meant, 3 heard, G], read-only."""
    heard = np.stack([channel(manner.error) for manner in manners], axis=-1)
    heard.setflags(write=False)
    return heard


@lru_cache(maxsize=32)
def _packed(folder: Path, manner: Manner) -> Floats:
    """The evaluator's packed table for a holder of a manner, float64 [W, 4, Q], read-only."""
    packed = _pack(_meanings(folder, (manner,))[:, :, 0], manner.error)
    packed.setflags(write=False)
    return packed


def _pack(meant: Floats, error: float) -> Floats:
    """The evaluator's packed table from what would be meant, float64 [n, 3, W]."""
    return pack(likelihood(meant.transpose(2, 0, 1), error))


class Belief:
    """A posterior over the words and the holder's manner, and what would be answered next.

    A truthful holder draws a mixed cell of the table once a game, so an answer that was given
    also settles, as far as the holder is trusted, what the same question gets when it is asked
    again. The table is therefore conditioned along with the belief; asking again is then worth
    exactly what it tells about errors.

    Args:
        folder: the ontology's folder.
        words: which words the secret may be, bool [W].
        manners: the G manners that the holder may have.
        weights: P(manner), float64 [G], sums to 1.

    Attributes:
        joint: P(manner, word), float64 [G, W], sums to 1.
    """

    def __init__(
        self,
        folder: Path,
        words: NDArray[np.bool_],
        manners: tuple[Manner, ...] = TRUTHFUL,
        weights: Sequence[float] | Floats = (1.0,),
    ) -> None:
        self.joint = np.outer(weights, words / words.sum())
        self._folder = folder
        self._manners = manners
        self._table = _meanings(folder, manners)
        self._heard = _channels(manners)
        self._meant: dict[int, Floats] = {}

    def hear(self, heard: Iterable[Evidence]) -> Belief:
        """Take in answers; returns itself."""
        for question, answer in heard:
            meant = self._meant.get(question, self._table[question])
            likely = meant * self._heard[:, answer, :, None] + FLOOR
            total = likely.sum(axis=0)
            self._meant[question] = likely / total
            self.joint = self.joint * total
            self.joint /= self.joint.sum()
        return self

    @property
    def words(self) -> Floats:
        """P(word), float64 [W]."""
        return np.asarray(self.joint.sum(axis=0))

    @property
    def manner(self) -> Manner:
        """The expected manner of the holder."""
        error, evasion = self.joint.sum(axis=1) @ np.array(self._manners)
        return Manner(float(error), float(evasion))

    @property
    def packed(self) -> Floats:
        """What would be heard now, float64 [W, 4, Q], for the manner nearest the expected one."""
        distances = np.abs(np.array(self._manners) - self.manner).sum(axis=1)
        nearest = int(distances.argmin())
        manner = self._manners[nearest]
        packed = _packed(self._folder, manner).copy()
        if self._meant:
            meant = np.stack([by_manner[:, nearest] for by_manner in self._meant.values()])
            packed[:, :, list(self._meant)] = _pack(meant, manner.error)
        return packed
