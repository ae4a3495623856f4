"""What a seeker believes, recomputed from the dialogue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from unspoken.envs.aidg_search.ontology import DEFAULT, Ontology, load
from unspoken.envs.base import Message
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_search_reference import FLOOR, Floats, channel, pack

Evidence = tuple[int, int]
"""A question of the bank and the answer that was heard to it, both as indices."""


def ontology_of(spec: GameSpec) -> Ontology:
    """The words, questions and answer table that a game is played with."""
    return load(Path(spec.options.get("ontology", DEFAULT)))


def evidence(history: Sequence[Message]) -> Iterator[Evidence]:
    """The answers to questions of the bank, in order; answers to open questions say nothing."""
    question = -1
    for message in history:
        if message.move in ("question", "open_question"):
            question = message.action
        elif message.move == "answer" and question >= 0:
            yield question, message.action


class Belief:
    """A posterior over the words, and what each word would still answer.

    A truthful holder draws a mixed cell of the table once a game, so an answer that was given
    also settles, as far as the holder is trusted, what the same question gets when it is asked
    again. The table is therefore conditioned along with the belief; asking again is then worth
    exactly what it tells about lies.

    Args:
        table: P(answer meant | word, question), float64 [W, Q, 3].
        prior: float64 [W], sums to 1.
        heard: P(answer heard | answer meant), float64 [3, 3], as `channel` makes it.

    Attributes:
        words: P(word), float64 [W].
        packed: the evaluator's packed table of what would be heard now, float64 [W, 4, Q].
        bits: log2 of the probability of everything heard so far.
    """

    def __init__(self, table: Floats, prior: Floats, heard: Floats) -> None:
        self.words = prior
        self.bits = 0.0
        self._heard = heard
        self._meant = table.copy()
        self.packed = pack(self._likelihood(table))

    def hear(self, question: int, answer: int) -> None:
        """Take in an answer."""
        joint = self.words * self.packed[:, answer, question]
        self.bits += float(np.log2(joint.sum()))
        self.words = joint / joint.sum()
        meant = np.maximum(self._meant[:, question] * self._heard[:, answer], FLOOR)
        meant /= meant.sum(axis=1, keepdims=True)
        self._meant[:, question] = meant
        self.packed[:, :, question] = pack(self._likelihood(meant[:, None]))[:, :, 0]

    def _likelihood(self, meant: Floats) -> Floats:
        heard = np.maximum(meant @ self._heard, FLOOR)
        return np.asarray(heard / heard.sum(axis=-1, keepdims=True))
