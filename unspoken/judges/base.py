"""What an arbiter of the dialogue game is, and how arbiters are compared with labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, get_args

from unspoken.envs.aidg_dialogue.rules import Leak
from unspoken.envs.aidg_dialogue.secrets import Secret
from unspoken.envs.base import Message

Category = Leak

CATEGORIES: tuple[Category, ...] = get_args(Category)


class Verdict(NamedTuple):
    """What an arbiter makes of a reply.

    Attributes:
        category: one of `CATEGORIES`.
        confidence: how sure the arbiter is, 0 to 1.
        evidence: the words that decided it; "" for none.
    """

    category: Category
    confidence: float
    evidence: str


class Arbiter(Protocol):
    """Weighs a holder's reply.

    Attributes:
        name: for reports.
    """

    name: str

    def judge(self, secret: Secret, history: Sequence[Message], reply: str) -> Verdict:
        """Whether the reply gives the secret away.

        Args:
            secret: what the holder keeps.
            history: the dialogue before the reply; its last seeker message is the question.
            reply: the holder's words.
        """
        ...


class Case(NamedTuple):
    """An exchange with the category that a person gave the reply."""

    secret: Secret
    history: tuple[Message, ...]
    reply: str
    leak: Category


def confusion(cases: Iterable[Case], arbiter: Arbiter) -> dict[tuple[Category, Category], int]:
    """How often each (label, verdict) pair occurs; every pair has an entry."""
    counts = Counter(
        (case.leak, arbiter.judge(case.secret, case.history, case.reply).category) for case in cases
    )
    return {(label, said): counts[label, said] for label in CATEGORIES for said in CATEGORIES}
