"""What was asked, done and leaked so far, read from the dialogue."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.aidg_dialogue.rules import ACTS, LEAKS
from unspoken.envs.aidg_dialogue.secrets import DEFAULT, Secret, load
from unspoken.envs.base import Message
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_dialogue_reference import (
    VALUES,
    decisions,
    entropy,
    packaged,
    parts,
    prior,
    relations,
    update,
)

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
        """Whether both were moves of the menus and nothing leaked; open words tell nothing."""
        return self.question >= 0 and self.act >= 0 and not self.leaked

    @property
    def secret(self) -> int:
        """Index of the secret that was asked about, -1 for open words."""
        return parts(self.question)[0] if self.question >= 0 else -1


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


class Book:
    """A file of secrets, with the numbers that the evaluator gives its facts and questions.

    Args:
        secrets: the file's secrets, all with structure.
    """

    def __init__(self, secrets: tuple[Secret, ...]) -> None:
        self.secrets = secrets

    def __len__(self) -> int:
        """The number of facts."""
        return VALUES * len(self.secrets)

    @cached_property
    def _statements(self) -> tuple[str, ...]:
        return tuple(
            secret.statement.replace("{value}", value)
            for secret in self.secrets
            for value in sorted(secret.values)
        )

    @cached_property
    def _about(self) -> dict[str, int]:
        """The sentences that speak of a secret without being asked, and its index."""
        told = {f"{said}.": fact // VALUES for fact, said in enumerate(self._statements)}
        for index, secret in enumerate(self.secrets):
            told |= {secret.partial: index, secret.reword: index}
        return told

    def facts_in(self, text: str) -> list[int]:
        """The facts that a game says are hidden: those whose statement is in `info["secret"]`."""
        return [f for f, said in enumerate(self._statements) if f"; {said}; " in f"; {text}; "]

    def fact(self, secret: Secret) -> int:
        """The fact that a secret hides, which may be another than the file's (option `vary`)."""
        index = next(i for i, own in enumerate(self.secrets) if own.id == secret.id)
        return VALUES * index + sorted(secret.values).index(secret.value)

    def bits(self, exchanges: Iterable[Exchange]) -> Iterator[float | None]:
        """Bits of entropy that each reply of a game with one fact took away.

        A leak gives away all that was left. None where it is not known what a reply tells.
        """
        joint, packed = prior(np.ones(len(self), np.bool_)), packaged()
        for exchange in exchanges:
            before = entropy(joint)
            if exchange.leaked:
                yield before
            elif exchange.evidence:
                told = self.told(exchange)
                joint = update(joint, packed, exchange.question, exchange.act, told)
                yield before - entropy(joint)
            else:
                yield None

    def told(self, exchange: Exchange) -> int:
        """Index of the secret that a reply tells of by its own words, -1 if it does not."""
        return self._about.get(exchange.text, -1) if exchange.act >= 0 else -1

    def leaked(self, heard: Iterable[Exchange]) -> set[int]:
        """Indices of the secrets that have leaked, as far as moves of the menus tell which."""
        told = [(self.told(e), e.secret) for e in heard if e.leaked and e.act >= 0]
        return {asked if own < 0 else own for own, asked in told} - {-1}

    def possible(self, heard: Iterable[Exchange]) -> Facts:
        """The facts for which no reply was a lie, or a leak that went unannounced, bool [F]."""
        truths, leaks = decisions()
        left = np.ones(len(self), np.bool_)
        for exchange in heard:
            if exchange.evidence:
                form = parts(exchange.question)[1]
                related = relations(len(self.secrets))[exchange.question]
                left &= truths[form, related, exchange.act] >= 0
                left &= ~leaks[form, related, exchange.act]
                told = self.told(exchange)
                left &= (told < 0) | (np.arange(len(self)) // VALUES == told)
        return left

    def mask(self, facts: Collection[int]) -> Facts:
        """Which facts are among some, bool [F]."""
        return np.isin(np.arange(len(self)), list(facts))


@cache
def _book(path: Path) -> Book:
    book = Book(load(path))
    if not all(secret.structured for secret in book.secrets):
        raise ValueError(f"{path} holds plain sentences: the built-in agents need structure")
    return book


def book_of(spec: GameSpec) -> Book:
    """The secrets that a game is played with; the same object for the same file.

    Raises:
        ValueError: if they are sentences without structure, which menu moves need.
    """
    return _book(Path(spec.options.get("secrets", DEFAULT)))


DODGES = tuple(ACTS.index(act) for act in ("hedge", "deflect", "refuse", "partial"))
REFUSALS = tuple(ACTS.index(act) for act in ("refuse", "deflect"))
