"""A player that reasons about what its clues do to the beliefs of others.

Numba comes in with the evaluator's kernels, on the first move.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.chameleon.player import ChameleonPlayer, Table
from unspoken.agents.chameleon.reading import Charge, best
from unspoken.evaluator.chameleon_reference import Position, Posterior
from unspoken.evaluator.rsa_reference import Floats

CREDIBILITY = np.array([2.0, 2.0])
"""Beta parameters of a stranger's charges, if it is honest: right ones, and wrong ones."""

WIDTH = 200
"""How many clues are weighed: those that fit best, as the best one is always among them."""

TINY = 1e-12


@dataclass
class RSA(ChameleonPlayer):
    """Speaks and accuses by the posterior of the evaluator.

    Every clue that it can give leaves those who know the word with some suspicion of it, and the
    chameleon with some chance to name the word. It gives clues with a probability that grows with
    what they are worth, log(1 - suspicion) + caution · log(1 - leak): a rational speaker, whose
    listeners are the other players. As the chameleon, which leaks nothing, it minds suspicion
    only, as it expects it by what it believes about the word.

    It accuses and votes for whom the posterior has for the chameleon, by clues, accusations and
    open votes; as the chameleon for whom the others have most reason to suspect beside itself.

    Attributes:
        caution: what the chameleon's chance weighs against the others' suspicion, 0 or more.
        alpha: how much worse clues are avoided, above 0.
    """

    name: str = "rsa"
    caution: float = field(default=1.0, kw_only=True)
    alpha: float = field(default=100.0, kw_only=True)

    def __post_init__(self) -> None:
        if not 0 <= self.caution < np.inf:
            raise ValueError(f"caution={self.caution}: 0 or more")
        if not 0 < self.alpha < np.inf:
            raise ValueError(f"alpha={self.alpha}: above 0")

    def belief(self, table: Table) -> Floats:
        """The posterior over the words, float64 [W]."""
        return self.posterior(table).word

    def suspicion(self, table: Table) -> Floats:
        """Probability that each player is the chameleon, float64 [N].

        To the chameleon it is what it expects those who know the word to think.
        """
        return self.posterior(table).chameleon

    def posterior(self, table: Table) -> Posterior:
        """Both `suspicion` and `belief`."""
        from unspoken.evaluator import chameleon as kernels

        position = self.position(table)
        found = kernels.posterior(position)
        if table.word is not None:
            return found
        return found._replace(chameleon=found.word @ kernels.seen(position))

    def position(self, table: Table) -> Position:
        """The evaluator's position."""
        return Position(*table.said, table.speakers, self._suspects(table), table.word, table.me)

    def _clue(self, table: Table, legal: NDArray[np.intp]) -> int:
        from unspoken.evaluator import chameleon as kernels

        position = self.position(table)
        fits = table.card.of_vocabulary.speech[legal] @ kernels.posterior(position).word
        legal = legal[best(fits, WIDTH)]
        seen = kernels.outlook(position, *table.card.vocabulary(legal))
        believed, kept = (np.log(np.maximum(1 - p, TINY)) for p in seen)
        worth = believed + self.caution * kept
        weights = np.exp(self.alpha * (worth - worth.max()))
        return int(self.rng.choice(legal, p=weights / weights.sum()))

    def _suspects(self, table: Table) -> Floats:
        """How likely each player is the chameleon by all but its clues, float64 [N]."""
        weights = np.ones(table.players)
        for charge in table.charges:
            if charge.by != table.me:  # it has nothing to learn from itself
                weights *= self._likelihood(charge, table.players)
        return weights

    def _likelihood(self, charge: Charge, players: int) -> Floats:
        """Probability of a charge, for each player as the chameleon, float64 [N].

        An honest player is right with its credibility, and else equally likely wrong about each
        of the others; the chameleon charges anybody.
        """
        right = self._credibility(charge.by)
        found = np.full(players, (1 - right) / (players - 2))
        found[charge.against] = right
        found[charge.by] = 1 / (players - 1)
        return found

    def _credibility(self, player: int) -> float:
        """Probability, 0 to 1, that a player's charge is right if it is honest."""
        right, wrong = CREDIBILITY
        return float(right / (right + wrong))
