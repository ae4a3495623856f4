"""What listeners that go by word vectors share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from unspoken.envs.sneak.instances import Instance
from unspoken.evaluator.rsa import log_meaning
from unspoken.evaluator.rsa_reference import Floats
from unspoken.evaluator.sneak import Position, Scores, soft_scores
from unspoken.judges.listeners.base import Distribution
from unspoken.judges.listeners.similarity import model as similarity_model

TEMPERATURES = {"static": 0.12, "use": 0.13}
"""By model: the likeliest on clues out of WordNet, by `tools/calibrate_listeners.py`."""


class OfflineListener(ABC):
    """A listener that knows how alike texts are, and nothing else.

    Attributes:
        name: for reports.
        model: what says how alike texts are.
        temperature: of the similarities.
        depth: None, or the depth of its reasoning.
        alpha: how rational it takes speakers to be.
    """

    def __init__(
        self, name: str, model: str, temperature: float | None, depth: int | None, alpha: float
    ) -> None:
        similarity_model(model)
        self.name = name
        self.model = model
        self.temperature = TEMPERATURES[model] if temperature is None else temperature
        self.depth = depth
        self.alpha = alpha
        for option, value in (("temperature", self.temperature), ("alpha", alpha)):
            if not 0 < value < np.inf:
                raise ValueError(f"{option}={value}: above 0")

    @abstractmethod
    def ally(self, instance: Instance, message: str) -> Distribution:
        """See `Listener.ally`."""

    @abstractmethod
    def chameleon(self, instance: Instance, message: str) -> Distribution:
        """See `Listener.chameleon`."""

    def alternatives(self, words: Sequence[str]) -> tuple[str, ...]:
        """What else the listener thinks that a speaker could have said about one of the words."""
        return ()

    def position(self, instance: Instance, messages: Sequence[str]) -> Position:
        """The evaluator's position in which the speaker can say one of these messages."""
        others = self.alternatives(instance.words)
        texts = list(dict.fromkeys([*messages, *instance.decoys, *others]))
        index = {text: i for i, text in enumerate(texts)}
        return Position(
            similarity_model(self.model)(texts, instance.words).astype(np.float64),
            instance.words.index(instance.secret),
            decoys=np.array([index[text] for text in instance.decoys]),
            candidates=np.array([index[text] for text in messages]),
            alternatives=np.array([index[text] for text in others], np.int64),
            temperature=self.temperature,
            depth=self.depth,
            alpha=self.alpha,
        )

    def scores(self, instance: Instance, messages: Sequence[str]) -> Scores:
        """What each of many messages would be worth, all at once.

        Args:
            instance: the game.
            messages: C of them, at least one.

        Returns:
            p_ally, p_chameleon and SoftScore, each float64 [C], 0 to 1: as `ally(…)[0]` and
            `chameleon(…)` at the secret have them.
        """
        position = self.position(instance, messages)
        scores = soft_scores(
            position.similarity,
            position.decoys,
            position.candidates,
            position.alternatives,
            temperature=position.temperature,
            depth=position.depth,
            alpha=position.alpha,
        )
        return Scores(*(score[:, position.secret] for score in scores))

    def _meaning(self, words: Sequence[str], messages: Sequence[str]) -> Floats:
        """Log meanings, float64 [words, messages]."""
        return log_meaning(similarity_model(self.model)(words, messages), self.temperature)
