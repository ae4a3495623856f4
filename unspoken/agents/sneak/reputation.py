"""A speaker that learns how well each ally and each chameleon hears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from unspoken.agents.base import Outcome, check_memory
from unspoken.agents.sneak.speakers import Best, ear
from unspoken.envs.registry import GameSpec
from unspoken.envs.sneak.instances import Instance, file_of, load
from unspoken.envs.sneak.menu import ALLY, CHAMELEON
from unspoken.envs.sneak.rules import Ending
from unspoken.evaluator.rsa_reference import Floats

TEMPERATURES = (0.01, 0.03, 0.1, 0.3, 1.0, 1e6)
"""How well listeners may hear: nearly always what is most alike, down to nothing at all."""
LAPSE = 0.1
"""How often any of them does not listen and guesses."""

_SEATS = (ALLY, CHAMELEON)
_FOUND: dict[str, tuple[bool, bool]] = {
    Ending.SIGNALLED: (True, False),
    Ending.LEAKED: (True, True),
    Ending.MISSED: (False, False),
    Ending.BACKFIRED: (False, True),
}
"""By how a game ended: whether the ally found the message, and the chameleon the secret."""


class Game(NamedTuple):
    """What a finished game shows about its listeners.

    Attributes:
        secret: the word.
        message: what was said.
        found: whether the ally found the message, and the chameleon the secret.
    """

    secret: str
    message: str
    found: tuple[bool, bool]


@dataclass
class Reputation(Best):
    """Says as much as this ally needs, and no more than this chameleon may hear.

    For each ally and each chameleon, by name, it keeps a posterior over how well they hear: over
    the temperature of the assumed listener, from one who always takes what is most alike to one
    who is deaf. Finished games, in which it is open who found what, are the evidence; each game
    fades those before it. It says the word of the vocabulary with the highest expected SoftScore
    of listeners who name one option: P(ally finds it) · (1 - P(chameleon finds the secret)), each
    the mean over the posterior. So it says more to a dull ally and before a dull chameleon, and
    less before a sharp one. Listeners without a name share one record.

    The words of a finished game are taken to be all words of the secret's category, and where
    several categories have it, each is as likely as the others.

    Attributes:
        memory: what a game counts after each further game, more than 0 and up to 1.
    """

    name: str = "reputation"
    memory: float = field(default=0.97, kw_only=True)
    records: dict[tuple[str, str], list[Game]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_memory(self.memory)

    def observe(self, outcome: Outcome) -> None:
        """Remember what the finished game shows about both listeners."""
        said = [message.text for message in outcome.history if message.move == "message"]
        found = _FOUND.get(outcome.result.outcome)
        if outcome.role == "speaker" and said and found:
            game = Game(outcome.secret, said[-1], found)
            for seat in _SEATS:
                self.records.setdefault(_record(seat, outcome.names), []).append(game)

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role, with what is remembered of the listeners."""
        super().reset(role, spec, seed)
        self.posteriors = np.array([self._posterior(seat) for seat in _SEATS])

    def _posterior(self, seat: str) -> Floats:
        """Probability of each temperature of the listener in a seat, float64 [T]."""
        logs = np.zeros(len(TEMPERATURES))
        place = _SEATS.index(seat)
        for game in self.records.get(_record(seat, self.spec.names), ()):
            finds = self._finds(game)[place]
            logs = self.memory * logs + np.log(finds if game.found[place] else 1 - finds)
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def _finds(self, game: Game) -> Floats:
        """How often listeners would have found what they should, float64 [2, T]."""
        found = []
        for card in load(file_of(self.spec.options)):
            if game.secret in card.words:
                decoys = self._likely_decoys(card, card.words)
                instance = Instance(card.name, card.kind, card.words, game.secret, decoys)
                found.append(_hearing_of(instance, game.message, self.listener))
        if not found:  # remembered from a game with other words
            return np.full((2, len(TEMPERATURES)), 0.5)
        return np.asarray(np.mean(found, axis=0))

    def _worth(self, instance: Instance, words: Sequence[str]) -> Floats:
        found = hearing(instance, words, self.listener)
        ally, chameleon = (p @ f for p, f in zip(self.posteriors, found, strict=True))
        return np.asarray(ally * (1 - chameleon))


def hearing(instance: Instance, messages: Sequence[str], listener: str) -> Floats:
    """How often listeners of each temperature find what they should, float64 [2, T, n].

    Args:
        instance: the game, with its decoys.
        messages: n of them.
        listener: spec of the assumed listener; its own temperature does not matter.

    Returns:
        the ally's probability of the message and the chameleon's of the secret, 0 to 1.
    """
    from unspoken.evaluator.sneak import soft_scores

    position = ear(listener).position(instance, messages)
    found = np.empty((2, len(TEMPERATURES), len(messages)))
    for t, temperature in enumerate(TEMPERATURES):
        scores = soft_scores(
            position.similarity,
            position.decoys,
            position.candidates,
            position.alternatives,
            temperature=temperature,
            depth=position.depth,
            alpha=position.alpha,
        )
        found[:, t] = scores.p_ally[:, position.secret], scores.p_chameleon[:, position.secret]
    chance = np.array([1 / (1 + len(instance.decoys)), 1 / len(instance.words)])
    return (1 - LAPSE) * found + LAPSE * chance[:, None, None]


@lru_cache(maxsize=1 << 14)
def _hearing_of(instance: Instance, message: str, listener: str) -> Floats:
    """`hearing` of one message, float64 [2, T]."""
    return hearing(instance, [message], listener)[..., 0]


def _record(seat: str, names: Mapping[str, str]) -> tuple[str, str]:
    return seat, names.get(seat, "")
