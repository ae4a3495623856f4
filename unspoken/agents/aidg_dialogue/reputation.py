"""A player that learns what its opponents give way to, and what they press for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from unspoken.agents.aidg_dialogue.player import Asked, Seeking
from unspoken.agents.aidg_dialogue.reading import DODGES, Book, Exchange, exchanges
from unspoken.agents.aidg_dialogue.rules import PRESSING, TOPIC, Rules, names
from unspoken.agents.base import Outcome, check_memory
from unspoken.envs.aidg_dialogue.menu import HOLDER, SEEKER
from unspoken.envs.aidg_dialogue.rules import FORMS, Act
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_dialogue_reference import (
    ABOUT,
    ELSEWHERE,
    NAMED,
    Floats,
    parts,
    relations,
    rounded,
)

PREMISE = FORMS.index("presupposition")
PRIOR = np.array([0.1, 1.9])
"""Beta parameters of a stranger's giving way, and of its dodging what does not matter."""
CALM = 2.0
"""True premises after which a holder slips half as often."""


class Game(NamedTuple):
    """What a finished game shows about the opponent."""

    secret: str
    heard: tuple[Exchange, ...]


class Tally(NamedTuple):
    """Counts of a finished game.

    Attributes:
        leaks: how often the holder gave way and did not when a question named the truth (or its
            topic), float64 [5 forms, 2].
        dodges: how often it dodged and answered questions that were not about the secret,
            float64 [2].
    """

    leaks: Floats
    dodges: Floats


@dataclass
class Reputation(Rules):
    """Plays like `Rules`, but learns, by name, from the games it has finished.

    Of each holder it keeps a Beta-Bernoulli credibility of giving way to each form of question
    that names the truth, and of dodging when nothing is at stake. It presses in the form that this
    holder most likely gives way to, probes in that form too once it beats an open question, and
    does not take a dodge for a sign from one who dodges everything. What fails in the present game
    counts at once, so that against a stranger the forms go round as those of `Rules`.

    Of each seeker it keeps how often it took the truth for granted. The more it did, the less
    the holder slips; and it declines to engage instead of hedging once it is wary.

    Finished games, in which the secret is known, give the counts; each game fades those before.
    Opponents without a name share one record.

    Attributes:
        memory: what a game's counts are worth after each further game, more than 0 and up to 1.
    """

    name: str = "reputation"
    memory: float = field(default=0.98, kw_only=True)
    records: dict[tuple[str, str], list[Game]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_memory(self.memory)

    def observe(self, outcome: Outcome) -> None:
        """Remember what the finished game shows about the opponent."""
        game = Game(outcome.secret, tuple(exchanges(outcome.history)))
        opponent = outcome.names.get(SEEKER if outcome.role == "holder" else HOLDER, "")
        self.records.setdefault((outcome.role, opponent), []).append(game)

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role, with what is remembered of the opponent."""
        super().reset(role, spec, seed)
        opponent = spec.names.get(SEEKER if role == "holder" else HOLDER, "")
        leaks, dodges = np.zeros((len(FORMS), 2)), np.zeros(2)
        for game in self.records.get((role, opponent), []):
            counted = tally(game, self._book)
            leaks = self.memory * leaks + counted.leaks
            dodges = self.memory * dodges + counted.dodges
        self.gives_way = PRIOR + leaks
        self.dodges = PRIOR + dodges
        self.premises = float(leaks[PREMISE].sum())

    # Seeking ------------------------------------------------------------------------------

    def _suspects(self, facts: list[int], seeking: Seeking) -> list[int]:
        if _mean(self.dodges) <= 0.5:
            return super()._suspects(facts, seeking)
        return facts if len(facts) == 1 else []

    def _press(self, fact: int, seeking: Seeking) -> int:
        failed = np.zeros((len(FORMS), 2))
        for exchange in seeking.heard:
            if names(fact, exchange):
                failed[parts(exchange.question)[1], 1] += 1
        return _best(self.gives_way + failed, PRESSING)

    def _probe(self) -> int:
        return _best(self.gives_way, (TOPIC, *PRESSING))

    # Holding ------------------------------------------------------------------------------

    def wariness(self, heard: Iterable[Exchange], facts: Iterable[int]) -> float:
        """How much this seeker takes the truth for granted, 0 to 1: the mean of Beta(n, CALM)."""
        now = sum(
            names(fact, exchange) and parts(exchange.question)[1] == PREMISE
            for exchange in heard
            for fact in facts
        )
        return (self.premises + now) / (self.premises + now + CALM)

    def _slips(self, asked: Asked) -> float:
        return self.slip * (1 - self.wariness(asked.heard, asked.facts))

    def _dodges(self, asked: Asked) -> tuple[Act, ...]:
        wary = self.wariness(asked.heard, asked.facts) > 0.5
        return ("deflect", "refuse", "hedge") if wary else super()._dodges(asked)


@lru_cache(maxsize=1 << 14)
def tally(game: Game, book: Book) -> Tally:
    """Count what a finished game shows."""
    leaks, dodges = np.zeros((len(FORMS), 2)), np.zeros(2)
    facts = book.facts_in(game.secret)
    for exchange in game.heard:
        if exchange.question < 0:
            continue
        form = parts(exchange.question)[1]
        related = relations(len(book.secrets))[exchange.question, facts]
        if (related == (ABOUT if form == TOPIC else NAMED)).any():
            leaks[form] += (exchange.leaked, not exchange.leaked)
        elif (related == ELSEWHERE).all() and exchange.evidence:
            dodged = exchange.act in DODGES
            dodges += (dodged, not dodged)
    return Tally(leaks, dodges)


def _best(credibility: Floats, forms: tuple[int, ...]) -> int:
    """The form with the greatest credibility, the first of those that have it."""
    means = rounded(credibility[:, 0] / credibility.sum(axis=1))
    return max(forms, key=lambda form: float(means[form]))


def _mean(beta: Floats) -> float:
    return float(beta[0] / beta.sum())
