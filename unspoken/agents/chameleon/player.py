"""What the built-in players of Chameleon share: how they see a move to be made."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.base import BaseAgent, legal_actions
from unspoken.agents.chameleon.reading import (
    Card,
    Charge,
    Said,
    card,
    charges,
    clues,
    seat,
    speakers,
)
from unspoken.envs.chameleon.menu import Places, places
from unspoken.evaluator.chameleon_reference import Whole
from unspoken.evaluator.rsa_reference import Floats


@dataclass(frozen=True, slots=True)
class Table:
    """A game as one of its players sees it. Players are numbered by their seats.

    Attributes:
        card: what lies on the table.
        word: index of the secret on the card; None for the chameleon.
        me: who sees it.
        players: how many there are.
        said: the clues so far, C of them.
        speakers: who gave them, int64 [C].
        charges: the accusations, and the votes that are open.
    """

    card: Card
    word: int | None
    me: int
    players: int
    said: Said
    speakers: Whole
    charges: tuple[Charge, ...]


@dataclass
class ChameleonPlayer(BaseAgent):
    """A built-in player of Chameleon; subclasses say what they believe and which clue they give."""

    game: ClassVar[str] = "chameleon"

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int:
        """An index of the menu."""
        legal = legal_actions(observation, info)
        table, at = seen_by(info), _places(observation, info)
        if info["phase"] == "clue":
            return int(at.clue[self._clue(table, legal[legal < at.clue.stop])])
        if info["phase"] == "guess":
            return _best(self.belief(table), at.guess, legal)
        span = at.vote if info["phase"] == "vote" else at.accuse
        return _best(self.suspicion(table), span, legal)

    @abstractmethod
    def belief(self, table: Table) -> Floats:
        """Probability of each word to the chameleon, float64 [W]."""

    @abstractmethod
    def suspicion(self, table: Table) -> Floats:
        """How much each player is to be accused rather than the others, float64 [N]."""

    @abstractmethod
    def _clue(self, table: Table, legal: NDArray[np.intp]) -> int:
        """One of the places of the vocabulary, `legal`, which are some that nothing refuses."""


def seen_by(info: Mapping[str, Any]) -> Table:
    """The game as the one whose info it is sees it."""
    held = card(info["category"], info["words"])
    given = clues(info["history"])
    players = len(info["players"])
    return Table(
        held,
        None if info["chameleon"] else held.words.index(info["word"]),
        seat(info["speaker"]),
        players,
        held.said([text for _, text in given]),
        speakers(given),
        charges(info["history"], players),
    )


def _places(observation: Mapping[str, Any], info: Mapping[str, Any]) -> Places:
    """The places of a menu, of which the mask tells the length."""
    size = len(info["menu_mask"] if "menu_mask" in info else observation["action_mask"])
    players = len(info["players"])
    return places(players, size - places(players, 0).guess.stop)


def _best(values: Floats, span: range, legal: NDArray[np.intp]) -> int:
    """The legal action of a span whose value is greatest, the first of those that have it."""
    inside = [int(action) for action in legal if action in span]
    return max(inside, key=lambda action: float(values[span.index(action)]))
