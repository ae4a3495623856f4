"""A player by the evaluator. Numba comes in with its kernels, on the first move."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.cross_examination.player import CrossPlayer
from unspoken.envs.cross_examination.env import EXHIBITS
from unspoken.envs.cross_examination.jury import THRESHOLD
from unspoken.envs.cross_examination.rules import Examination
from unspoken.evaluator.bounds import check_search
from unspoken.evaluator.cross_examination_reference import Floats, Position, position_of

COVERED = 0.6
"""Share of the facts against the witness that the package's cases have an exhibit on."""


@dataclass
class Search(CrossPlayer):
    """Asks and answers what bounded lookahead values most.

    It believes that its opponent is what the evaluator takes players for. As witness it believes
    that the questioner holds as many exhibits as the game says, any of those that could be.

    Attributes:
        depth: questions to look ahead; 1 or more.
        width: questions to consider at each step, 1 or more.
    """

    name: str = "search"
    depth: int = field(default=2, kw_only=True)
    width: int = field(default=8, kw_only=True)

    def __post_init__(self) -> None:
        check_search(self.depth - 1, self.width)

    def position(self, game: Examination) -> Position:
        """The game as the evaluator sees it."""
        options = self.spec.options
        return position_of(
            game,
            None if self.role == "questioner" else self._held(game),
            jury=options.get("jury", "score"),
            threshold=options.get("threshold", THRESHOLD),
            habits=self._habits(game),
        )

    def _habits(self, game: Examination) -> Floats | None:
        """How readily the witness violates each maxim; None for a stranger's."""
        return None

    def _held(self, game: Examination) -> list[float]:
        """Probability that the questioner holds each exhibit of the case."""
        shown, suspected = len(game.shown), len(game.case.exhibits) - len(game.shown)
        most = self.spec.options.get("exhibits", EXHIBITS)
        each = COVERED if most is None else min(1.0, (most - shown) / max(1, suspected))
        return [1.0] * shown + [each] * suspected

    def _ask(self, game: Examination, legal: NDArray[np.intp]) -> int:
        from unspoken.evaluator import cross_examination as kernels

        return kernels.best_question(self.position(game), self.depth, self.width)

    def _answer(self, game: Examination) -> int:
        from unspoken.evaluator import cross_examination as kernels

        return kernels.best_answer(self.position(game), self.depth, self.width)
