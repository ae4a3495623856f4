"""Players that seek and hold: by information gain, by lookahead, by plain counting.

Numba comes in with the evaluator's kernels, on the first move.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.aidg_search.belief import Belief, Evidence, Manner
from unspoken.agents.aidg_search.holders import YES, allowed, draw
from unspoken.agents.aidg_search.player import Asked, Search, SearchPlayer
from unspoken.agents.base import check_probability
from unspoken.envs.aidg_search.ontology import load
from unspoken.evaluator.aidg_search_reference import Position
from unspoken.evaluator.bounds import check_search


@dataclass
class Believer(SearchPlayer):
    """Believes the table; as holder gives the truth that is worst for one who does so too.

    Attributes:
        noise: probability, 0 to 1, of a wrong answer that the belief reckons with, beside what
            the env itself garbles.
    """

    noise: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        check_probability("noise", self.noise)

    def _seek(self, search: Search) -> int:
        belief = self._belief(search.words).hear(search.heard)
        return choose(belief, search, self._best)

    def _hold(self, asked: Asked) -> int:
        answers = allowed(self._ontology.table[asked.word, asked.question], asked)
        if len(answers) == 1:
            return int(answers[0])
        return min(map(int, answers), key=lambda answer: self._prospect(asked, answer))

    def _prospect(self, asked: Asked, answer: int) -> float:
        heard = [*asked.heard, Evidence(asked.question, answer)]
        belief = self._belief(self._dealt).hear(heard)
        turn = asked.turn + 1
        return self._worth(Position(belief.words, turn, max(turn, self._max_turns), belief.packed))

    def _belief(self, words: NDArray[np.bool_]) -> Belief:
        # two channels one after the other are one: 1 - 1.5 error multiplies
        error = self.noise + self._garbled - 1.5 * self.noise * self._garbled
        return Belief(self._folder, words, (Manner(error),))

    @abstractmethod
    def _best(self, position: Position) -> int:
        """The index of a question of the position's table, or their number plus a word's."""

    @abstractmethod
    def _worth(self, position: Position) -> float:
        """How well a seeker stands who is to move."""


@dataclass
class Greedy(Believer):
    """Asks what has most information gain; locks when asking on is not worth the turn.

    Holding, it leaves the seeker with the most entropy.
    """

    name: str = "greedy"

    def _best(self, position: Position) -> int:
        from unspoken.evaluator import aidg_search as kernels

        return kernels.best_action(position, 0)

    def _worth(self, position: Position) -> float:
        from unspoken.evaluator import aidg_search as kernels

        return -kernels.entropy(position.belief)


@dataclass
class Lookahead(Believer):
    """Plays what bounded lookahead values most, and holds against one who does.

    Attributes:
        depth: questions to look ahead, 0 or more.
        width: questions to consider at each step, 1 or more.
    """

    name: str = "lookahead"
    depth: int = field(default=2, kw_only=True)
    width: int = field(default=8, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_search(self.depth, self.width)

    def _best(self, position: Position) -> int:
        from unspoken.evaluator import aidg_search as kernels

        return kernels.best_action(position, self.depth, self.width)

    def _worth(self, position: Position) -> float:
        from unspoken.evaluator import aidg_search as kernels

        return kernels.position_value(position, self.depth, self.width)


@dataclass
class Rules(SearchPlayer):
    """Plays like a person with a list: the category first, then even splits of what is left.

    A word is left while no other contradicts the answers less, where an answer contradicts a word
    if it is not the likeliest one for it. When one word is left it is locked. Holding, it answers
    like the table.
    """

    name: str = "rules"

    def _seek(self, search: Search) -> int:
        usual, of_category = _usual_answers(self._folder), _category_questions(self._folder)
        against = np.where(search.words, 0.0, np.inf)
        for question, answer in search.heard:
            against += usual[:, question] != answer
        left = np.flatnonzero(against == against.min())
        asked = {question for question, _ in search.heard}
        questions = [int(q) for q in search.questions if q not in asked]
        categories = Counter(self._ontology.categories[w] for w in left)
        if len(categories) > 1:
            for category, _ in categories.most_common():
                if of_category[category] in questions:
                    return of_category[category]
        largest = {q: int(np.bincount(usual[left, q]).max()) for q in questions}
        evenest = min(questions, key=largest.__getitem__, default=None)
        if evenest is None or largest[evenest] == len(left):
            return self._lock(int(left[0]))
        return evenest

    def _hold(self, asked: Asked) -> int:
        return draw(self._ontology.table[asked.word, asked.question], self.seed, asked.question)


def choose(belief: Belief, search: Search, best: Callable[[Position], int]) -> int:
    """The menu index of the best legal move.

    Args:
        belief: what is believed now.
        search: the move to be made.
        best: the best action of a position, as the evaluator numbers them.
    """
    packed = belief.packed
    n = packed.shape[2]
    legal = search.questions
    if len(legal) < n:
        packed = np.take(packed, legal, axis=2)
    if len(legal):
        action = best(Position(belief.words, search.turn, search.max_turns, packed))
        if action < len(legal):
            return int(legal[action])
    return int(n + belief.words.argmax())


@cache
def _usual_answers(folder: Path) -> NDArray[np.intp]:
    """The likeliest answer of each cell, int64 [W, Q]."""
    return np.asarray(load(folder).table.argmax(axis=-1))


@cache
def _category_questions(folder: Path) -> dict[str, int]:
    """The question whose usual yes comes nearest to meaning each category."""
    categories = np.array(load(folder).categories)
    yes = _usual_answers(folder) == YES
    return {
        str(category): int((yes == (categories == category)[:, None]).sum(axis=0).argmax())
        for category in np.unique(categories)
    }
