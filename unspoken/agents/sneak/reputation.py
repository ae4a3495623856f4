"""A speaker that learns how well each ally and each chameleon hears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from unspoken.agents.base import Outcome
from unspoken.agents.sneak.player import file_of
from unspoken.agents.sneak.speakers import Best
from unspoken.envs.registry import GameSpec
from unspoken.envs.sneak.instances import Instance, load
from unspoken.envs.sneak.menu import ALLY, CHAMELEON
from unspoken.envs.sneak.rules import Ending
from unspoken.evaluator.rsa_reference import Floats

TEMPERATURES = (0.01, 0.03, 0.1, 0.3, 1.0, 1e6)
"""How well listeners may hear: nearly always what is most alike, down to nothing at all."""
LAPSE = 0.1
"""How often any of them does not listen and guesses."""

_FOUND = {
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
    the mean over the posterior. So it says more to a dull ally or before a dull chameleon, and
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
        if not 0 < self.memory <= 1:
            raise ValueError(f"memory={self.memory} is not above 0 and at most 1")
        self._known: dict[Game, Floats] = {}

    def observe(self, outcome: Outcome) -> None:
        """Remember what the finished game shows about both listeners."""
        said = [message.text for message in outcome.history if message.move == "message"]
        found = _FOUND.get(outcome.result.outcome)
        if outcome.role == "speaker" and said and found:
            game = Game(outcome.secret, said[-1], found)
            for seat in (ALLY, CHAMELEON):
                self.records.setdefault(_record(seat, outcome.names), []).append(game)

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role, with what is remembered of the listeners."""
        super().reset(role, spec, seed)
        self.posteriors = np.array([self._posterior(seat) for seat in (ALLY, CHAMELEON)])

    def _posterior(self, seat: str) -> Floats:
        """Probability of each temperature of the listener in a seat, float64 [T]."""
        logs = np.zeros(len(TEMPERATURES))
        place = (ALLY, CHAMELEON).index(seat)
        for game in self.records.get(_record(seat, self.spec.names), ()):
            found = self._likelihood(game)[place]
            logs = self.memory * logs + np.log(found if game.found[place] else 1 - found)
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def _likelihood(self, game: Game) -> Floats:
        """How often listeners of each temperature find what they should, float64 [2, T]."""
        if game not in self._known:
            cards = [c for c in load(file_of(self.spec)) if game.secret in c.words]
            found = [
                self._hearing(
                    Instance(c.name, c.kind, c.words, game.secret, self._decoys(c, c.words)),
                    [game.message],
                )[..., 0]
                for c in cards
            ]
            self._known[game] = (
                np.mean(found, axis=0) if found else np.full((2, len(TEMPERATURES)), 0.5)
            )
        return self._known[game]

    def _worth(self, instance: Instance, words: Sequence[str]) -> Floats:
        found = self._hearing(instance, words)
        ally, chameleon = (p @ f for p, f in zip(self.posteriors, found, strict=True))
        return np.asarray(ally * (1 - chameleon))

    def _hearing(self, instance: Instance, messages: Sequence[str]) -> Floats:
        from unspoken.evaluator.sneak import soft_scores

        position = self._ear.position(instance, messages)
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


def _record(seat: str, names: Mapping[str, str]) -> tuple[str, str]:
    return seat, names.get(seat, "")
