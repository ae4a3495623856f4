"""What a game makes of a model's reply."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.llm.replies import Reply, bare, candidates, visible
from unspoken.envs.base import MAX_UTTERANCE, Understood
from unspoken.envs.registry import GameSpec

_SHORT = 2_000
"""Characters of the longest reply in which marks and lists are looked for."""

_TAGGED = re.compile(r"<message>.*</message>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Reader:
    """Reads what a player says in one situation.

    Attributes:
        spec: the game.
        role: the player's role.
        info: the player's info.
        legal: indices of the menu that can be said, by menu; None in free games.
    """

    spec: GameSpec
    role: str
    info: Mapping[str, Any]
    legal: NDArray[np.intp] | None

    def read(self, reply: Reply, *, choosy: bool = True) -> tuple[str, Understood]:
        """What a reply says, and how the game takes that.

        Marks and labels around a reply go if it is in no menu with them.

        Args:
            reply: the reply.
            choosy: whether a list of several moves is a problem.
        """
        text = visible(reply.text)[:MAX_UTTERANCE]
        understood = self._understand(text)
        if understood.action < 0 and len(text) <= _SHORT and (plain := bare(text)) != text:
            again = self._understand(plain)
            if not again.problem:
                text, understood = plain, again
        if choosy and (several := self._several(text)):
            understood = Understood(
                -1,
                f"You gave {several} to choose from, and one is to be said: choose one and leave "
                "the others out, or, if they belong together, say it without a list.",
            )
        if understood.problem and reply.finish_reason == "length":
            understood = understood._replace(
                problem=f"{understood.problem} Your reply was cut off: be shorter."
            )
        return text, understood

    def meaning(self, reply: Reply) -> Hashable | None:
        """What two replies that come to the same have in common; None if it is no move."""
        text, (action, problem) = self.read(reply)
        if problem:
            return None
        return action if action >= 0 else tuple(re.findall(r"\w+", text.casefold()))

    def _understand(self, text: str) -> Understood:
        if not text:
            return Understood(-1, "You said nothing.")
        understood = self.spec.understand(self.role, text, self.info)
        if self.legal is None or understood.problem or understood.action in self.legal:
            return understood
        return Understood(-1, "That is not among the sentences that you can say now.")

    def _several(self, text: str) -> int:
        """How many moves a reply lists, if more than one; one in a game's own tags is meant."""
        if len(text) > _SHORT or _TAGGED.search(text):
            return 0
        moves = sum(not self._understand(item).problem for item in candidates(text))
        return moves if moves > 1 else 0
