"""The search game as numbers.

The seeker's are those of `unspoken.wrappers.vector`, so that a policy that learnt there plays here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from unspoken.agents.aidg_search.belief import evidence
from unspoken.agents.aidg_search.holders import allowed
from unspoken.agents.aidg_search.player import Asked
from unspoken.agents.features import Features, Layout
from unspoken.envs.aidg_search.ontology import DEFAULT, load
from unspoken.envs.aidg_search.rules import ANSWERS, MAX_TURNS
from unspoken.envs.base import Message
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_search_reference import FLOOR, Floats, channel

_HOLDER = (
    *(f"truth: {answer}" for answer in ANSWERS),
    *(f"may say: {answer}" for answer in ANSWERS),
    *(f"belief in the secret after: {answer}" for answer in ANSWERS),
    *(f"entropy after: {answer}" for answer in ANSWERS),
    "belief in the secret",
    "rank of the secret",
    "entropy",
    "turn",
)


def layout(spec: GameSpec, role: str) -> Layout:
    """All from 0 to 1, for the N words that the secret may be.

    Seeker, N + 2: the belief in each word by the answers, in the order of the ontology; its
    entropy as a share of log2(N); the turn as a share of `max_turns`.

    Holder, 16: P(answer) of the cell of the secret and the question, for the three answers;
    whether each is true, and the same as before where the question was asked before; the belief
    in the secret of a seeker who has heard each of them, and its entropy (share of log2(N)); both
    as they are now, with the share of words that are believed in more; the turn (share). Those
    that depend on a question are 0 while none of the bank is to be answered.
    """
    if role == "holder":
        return Layout(_HOLDER)
    words = _table_of(spec).words
    return Layout((*(f"belief: {word}" for word in words), "entropy", "turn"))


def features(spec: GameSpec, role: str, info: Mapping[str, Any]) -> Features:
    """The numbers of `layout`, float32 [n]."""
    table, history = _table_of(spec), info["history"]
    turn = info["turn"] / spec.options.get("max_turns", MAX_TURNS)
    heard = _heard(history)
    belief, entropy = table.belief(heard)
    if role == "seeker":
        numbers = np.empty(len(belief) + 2, np.float32)
        numbers[:-2] = belief
        numbers[-2:] = entropy, turn
        return numbers
    own = table.words.index(info["secret"])
    rank = np.count_nonzero(belief > belief[own]) / max(len(belief) - 1, 1)
    asked = np.zeros(4 * len(ANSWERS))
    question = _pending(history)
    if question >= 0:
        cell = table.cells[own, question]
        now = Asked(own, question, evidence(history), info["turn"])
        asked[:3] = cell
        asked[3:6][allowed(cell, now)] = 1
        before = heard.get(question, ())
        for answer in range(len(ANSWERS)):
            then, doubt = table.belief({**heard, question: (*before, answer)})
            asked[6 + answer], asked[9 + answer] = then[own], doubt
    return np.array([*asked, belief[own], rank, entropy, turn], np.float32)


class _Table:
    """The part of an answer table that a game is played with.

    Attributes:
        words: the N words that the secret may be.
        cells: P(answer | word, question), float64 [N, Q, 3].
    """

    def __init__(self, folder: str | Path, words: tuple[str, ...] | None, noise: float) -> None:
        ontology = load(Path(folder))
        places = [i for i, word in enumerate(ontology.words) if words is None or word in words]
        self.words = tuple(ontology.words[i] for i in places)
        self.cells = ontology.table[places]
        self._channel = channel(noise)
        self._log_likelihood = lru_cache(maxsize=1 << 13)(self._weigh)

    def belief(self, heard: Mapping[int, tuple[int, ...]]) -> tuple[Floats, float]:
        """P(word | answers), float64 [N], and its entropy as a share of log2(N), 0 to 1.

        Args:
            heard: the answers to each question.
        """
        logs = np.zeros(len(self.words))
        for question, answers in heard.items():
            logs += self._log_likelihood(question, answers)
        logs -= logs.max()
        weights = np.exp(logs)
        total = float(weights.sum())
        nats = math.log(total) - float(weights @ logs) / total
        most = max(math.log(len(logs)), math.log(2))
        return weights / total, min(max(nats / most, 0.0), 1.0)

    def _weigh(self, question: int, answers: tuple[int, ...]) -> Floats:
        """Log P(answers to a question | word), float64 [N].

        What is meant is settled once a game, so that only the channel makes answers differ.
        """
        heard = self._channel[:, answers].prod(axis=1)
        return np.asarray(np.log(np.maximum(self.cells[:, question] @ heard, FLOOR)))


def _table_of(spec: GameSpec) -> _Table:
    options = spec.options
    words = options.get("words")
    return _table(
        options.get("ontology", DEFAULT),
        None if words is None else tuple(words),
        float(options.get("holder_noise", 0.0)),
    )


_table = lru_cache(maxsize=64)(_Table)


def _heard(history: Sequence[Message]) -> dict[int, tuple[int, ...]]:
    """The answers to each question of the bank."""
    heard: dict[int, tuple[int, ...]] = {}
    for question, answer in evidence(history):
        heard[question] = (*heard.get(question, ()), answer)
    return heard


def _pending(history: Sequence[Message]) -> int:
    """The question that is to be answered, -1 for none or one that is not of the bank."""
    for message in reversed(history):
        if message.move in ("question", "open_question"):
            return message.action
        if message.move == "answer":
            break
    return -1
