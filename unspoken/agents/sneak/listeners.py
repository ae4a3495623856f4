"""Listeners that go by word vectors: the seats of the ally and the chameleon.

Numba comes in with the listeners, when a player is made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from unspoken.agents.base import check_probability
from unspoken.agents.sneak.player import Heard, SneakPlayer, distribution, uniform
from unspoken.envs.sneak.rules import Distribution

if TYPE_CHECKING:
    from unspoken.judges.listeners.offline import OfflineListener


@dataclass
class Listening(SneakPlayer):
    """A player that hears as one of `unspoken.judges.listeners`.

    Attributes:
        model: what says how alike texts are, "static" or "use".
        temperature: of the similarities, above 0; by default what fits the model. It shows where
            the likeliest option is not just taken (`greedy=false`, `distribution=true`).
        greedy: whether it takes the likeliest option, or draws one by its probability.
        error: probability, 0 to 1, that it takes any option at random instead.
        distribution: whether it gives all probabilities for an answer, in free mode.
    """

    model: str = field(default="static", kw_only=True)
    temperature: float | None = field(default=None, kw_only=True)
    greedy: bool = field(default=True, kw_only=True)
    error: float = field(default=0.0, kw_only=True)
    distribution: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_probability("error", self.error)
        self._ear = self._listener()

    def _listener(self) -> OfflineListener:
        raise NotImplementedError

    def _hear(self, heard: Heard) -> Distribution:
        hear = self._ear.ally if self.role == "ally" else self._ear.chameleon
        return hear(heard.instance, heard.message)

    def _answer(self, p: Distribution, free: bool) -> int | str:
        errs = self.rng.random() < self.error
        if self.distribution and free:
            return distribution((1 - self.error) * p + self.error * uniform(len(p)))
        if errs:
            return int(self.rng.integers(len(p)))
        return int(p.argmax()) if self.greedy else super()._answer(p, free)


@dataclass
class Embedding(Listening):
    """Takes the word that is most like the message, or the message most like the secret."""

    roles: ClassVar[frozenset[str]] = frozenset({"ally", "chameleon"})
    name: str = "embedding"

    def _listener(self) -> OfflineListener:
        from unspoken.judges.listeners.embedding import Embedding

        return Embedding(self.name, model=self.model, temperature=self.temperature)
