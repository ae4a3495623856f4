"""Holders that reply in one way whatever is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from unspoken.agents.aidg_dialogue.player import Asked, DialoguePlayer, first
from unspoken.agents.base import check_probability
from unspoken.envs.aidg_dialogue.rules import Act


@dataclass
class Refuse(DialoguePlayer):
    """Refuses to talk about anything; where it may not, it says the vaguest thing that is safe."""

    roles: ClassVar[frozenset[str]] = frozenset({"holder"})
    name: str = "refuse"

    def _hold(self, asked: Asked) -> Act:
        return first(("refuse", "deflect", "hedge"), asked)


@dataclass
class Vague(DialoguePlayer):
    """Neither confirms nor denies anything, and does not see what a hedge leaves standing.

    Attributes:
        hedging: probability, 0 to 1, that it hedges; else it changes the subject.
    """

    roles: ClassVar[frozenset[str]] = frozenset({"holder"})
    name: str = "vague"
    hedging: float = field(default=0.3, kw_only=True)

    def __post_init__(self) -> None:
        check_probability("hedging", self.hedging)

    def _hold(self, asked: Asked) -> Act:
        hedges = self.rng.random() < self.hedging or "deflect" not in asked.honest
        return "hedge" if hedges else "deflect"
