"""What the built-in players of the cross-examination share: how they see a move to be made."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.base import BaseAgent, legal_actions
from unspoken.agents.cross_examination.reading import examination
from unspoken.envs.cross_examination.cases import Content, Manner
from unspoken.envs.cross_examination.menu import ANSWERS
from unspoken.envs.cross_examination.rules import MAX_TURNS, Examination


@dataclass
class CrossPlayer(BaseAgent):
    """A built-in player of the cross-examination; subclasses say how to ask and to answer."""

    game: ClassVar[str] = "cross_examination"
    roles: ClassVar[frozenset[str] | None] = frozenset({"questioner", "witness"})

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int:
        """An index of the menu; to words that are about no fact, a plain no."""
        game = examination(info, self._max_turns)
        if self.role == "questioner":
            return self._ask(game, legal_actions(observation, info))
        assert game.question is not None
        if game.question.fact is None:
            return act("deny")
        return self._answer(game)

    @abstractmethod
    def _ask(self, game: Examination, legal: NDArray[np.intp]) -> int:
        """The index of a legal question."""

    @abstractmethod
    def _answer(self, game: Examination) -> int:
        """The index of an answer to the question about a fact."""

    @property
    def _max_turns(self) -> int:
        return int(self.spec.options.get("max_turns", MAX_TURNS))


def act(content: Content, manner: Manner = "clear") -> int:
    """The index of an answer."""
    return ANSWERS.index((content, manner))
