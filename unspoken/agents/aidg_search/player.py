"""What the built-in players of the search game share: how they see a move to be made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.aidg_search.belief import MAYBE, Evidence, evidence, folder_of
from unspoken.agents.base import BaseAgent, legal_actions
from unspoken.envs.aidg_search.ontology import Ontology, load
from unspoken.envs.aidg_search.rules import MAX_TURNS
from unspoken.envs.registry import GameSpec


@dataclass(frozen=True, slots=True)
class Search:
    """A seeker's move to be made.

    Attributes:
        heard: the answers so far.
        questions: indices of the questions that are legal now, int64 [n]; none on the last turn.
        words: which words may be locked, bool [W].
        turn: the current turn.
        max_turns: question turns plus the final guess.
    """

    heard: list[Evidence]
    questions: NDArray[np.intp]
    words: NDArray[np.bool_]
    turn: int
    max_turns: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A holder's answer to be given.

    Attributes:
        word: index of the secret.
        question: index of the question in the bank.
        heard: the answers so far.
        turn: the current turn.
    """

    word: int
    question: int
    heard: list[Evidence]
    turn: int


@dataclass
class SearchPlayer(BaseAgent):
    """A built-in player of the search game; subclasses say how to seek, to hold, or both."""

    game: ClassVar[str] = "aidg_search"
    roles: ClassVar[frozenset[str] | None] = frozenset({"seeker", "holder"})

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role.

        Raises:
            ValueError: if the agent does not play this game or this role.
        """
        super().reset(role, spec, seed)
        self.seed = seed

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int:
        """An index of the menu; "maybe" to a question that is not in the bank."""
        history = info["history"]
        if self.role == "seeker":
            return self._seek(self._search(observation, info))
        question = next(m.action for m in reversed(history) if m.role == "seeker")
        if question < 0:
            return MAYBE
        word = self._ontology.words.index(info["secret"])
        return self._hold(Asked(word, question, evidence(history), info["turn"]))

    def _seek(self, search: Search) -> int:
        raise NotImplementedError

    def _hold(self, asked: Asked) -> int:
        raise NotImplementedError

    def _search(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Search:
        legal = legal_actions(observation, info)
        n = len(self._ontology.questions)
        words = np.zeros(len(self._ontology.words), np.bool_)
        words[legal[legal >= n] - n] = True
        turn = info["turn"]
        return Search(
            evidence(info["history"]),
            legal[legal < n],
            words,
            turn,
            max(turn, self._max_turns),
        )

    def _lock(self, word: int) -> int:
        return len(self._ontology.questions) + word

    @property
    def _folder(self) -> Path:
        return folder_of(self.spec)

    @property
    def _ontology(self) -> Ontology:
        return load(self._folder)

    @property
    def _max_turns(self) -> int:
        return int(self.spec.options.get("max_turns", MAX_TURNS))

    @property
    def _garbled(self) -> float:
        """Probability that the env itself garbles an answer."""
        return float(self.spec.options.get("holder_noise", 0.0))

    @property
    def _dealt(self) -> NDArray[np.bool_]:
        """Which words the secret may be, as the game is announced, bool [W]."""
        dealt = self.spec.options.get("words") or self._ontology.words
        return np.isin(self._ontology.words, dealt)
