"""What was asked, done and leaked so far, read from the dialogue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.aidg_dialogue.menu import questions
from unspoken.envs.aidg_dialogue.rules import ACTS, FORMS, Question
from unspoken.envs.aidg_dialogue.secrets import DEFAULT, Secret, load
from unspoken.envs.base import Message
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_dialogue_reference import (
    VALUES,
    decisions,
    parts,
    relation,
)

LEAKS = ("explicit", "confirmational", "paraphrase", "implicit")

Facts = NDArray[np.bool_]


class Exchange(NamedTuple):
    """A question and the reply to it.

    Attributes:
        question: index in the seeker's menu, -1 for open words.
        act: index in the holder's menu, -1 for open words.
        text: the reply.
        leaked: whether the game announced a leak.
    """

    question: int
    act: int
    text: str
    leaked: bool

    @property
    def evidence(self) -> bool:
        """Whether both were moves of the menus; open words are no evidence."""
        return self.question >= 0 and self.act >= 0


def exchanges(history: Iterable[Message]) -> list[Exchange]:
    """The questions that were answered, in order."""
    found = []
    question = -1
    for message in history:
        if message.role == "seeker":
            question = message.action
        elif message.role == "holder":
            found.append(Exchange(question, message.action, message.text, message.move in LEAKS))
    return found


@dataclass(frozen=True)
class Book:
    """A file of secrets, with the numbers that the evaluator gives its facts and questions.

    Attributes:
        secrets: the file's secrets, all with structure.
    """

    secrets: tuple[Secret, ...]

    @property
    def questions(self) -> tuple[Question, ...]:
        """The seeker's acts, in the order of its menu."""
        return questions(self.secrets)

    def facts_in(self, text: str) -> list[int]:
        """The facts that a game says are hidden: those whose statement is in `info["secret"]`."""
        return [f for f, said in enumerate(_statements(self)) if f"; {said}; " in f"; {text}; "]

    def told(self, exchange: Exchange) -> int:
        """Index of the secret that a partial reply is about; -1 for other replies."""
        if exchange.act < 0 or ACTS[exchange.act] != "partial":
            return -1
        partials = [secret.partial for secret in self.secrets]
        return partials.index(exchange.text) if exchange.text in partials else -1

    def leaked(self, heard: Iterable[Exchange]) -> set[int]:
        """Indices of the secrets that have leaked, as far as menu moves tell which."""
        return {secret for e in heard if e.leaked and (secret := self._leaking(e)) >= 0}

    def _leaking(self, exchange: Exchange) -> int:
        for index, secret in enumerate(self.secrets):
            if exchange.text == secret.reword:
                return index
        for fact, statement in enumerate(_statements(self)):
            if exchange.text == f"{statement}.":
                return fact // VALUES
        return parts(exchange.question)[0] if exchange.evidence else -1

    def possible(self, heard: Iterable[Exchange]) -> Facts:
        """The facts for which no reply was a lie or a leak that was not announced, bool [F]."""
        truths, leaks = decisions()
        left = np.ones(VALUES * len(self.secrets), np.bool_)
        for exchange in heard:
            if exchange.evidence and not exchange.leaked:
                form = parts(exchange.question)[1]
                related = [relation(exchange.question, fact) for fact in range(len(left))]
                left &= truths[form, related, exchange.act] >= 0
                left &= ~leaks[form, related, exchange.act]
                told = self.told(exchange)
                if told >= 0:
                    left &= np.arange(len(left)) // VALUES == told
        return left


@cache
def _statements(book: Book) -> tuple[str, ...]:
    """What each fact says, in the order of the facts."""
    return tuple(
        secret.statement.replace("{value}", value)
        for secret in book.secrets
        for value in sorted(secret.values)
    )


@cache
def _book(path: Path) -> Book:
    return Book(load(path))


def book_of(spec: GameSpec) -> Book:
    """The secrets that a game is played with.

    Raises:
        ValueError: if they are sentences without structure, which menu moves need.
    """
    path = Path(spec.options.get("secrets", DEFAULT))
    book = _book(path)
    if not all(secret.structured for secret in book.secrets):
        raise ValueError(f"{path} holds plain sentences: the built-in agents need structure")
    return book


def form_of(question: int) -> str:
    """The form of a question, by name."""
    return FORMS[parts(question)[1]]


def touches(question: int, facts: Sequence[int]) -> bool:
    """Whether a question is about the secret of one of the facts."""
    return question >= 0 and parts(question)[0] in {fact // VALUES for fact in facts}
