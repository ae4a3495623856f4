"""A listener that reasons about the speaker: `rsa?depth=1&alpha=2`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from unspoken.envs.sneak.instances import Instance
from unspoken.evaluator import rsa
from unspoken.judges.listeners.base import Distribution
from unspoken.judges.listeners.offline import OfflineListener
from unspoken.judges.listeners.similarity import model as similarity_model
from unspoken.lexicon.vectors import sayable


class RSA(OfflineListener):
    """A rational-speech-act listener over word vectors (`unspoken.evaluator.rsa`).

    The chameleon asks which word would have made a speaker say just this; the ally, which of the
    messages one who means the secret would have said, and others not. Speakers choose among the
    messages in play and the words of the vocabulary that are nearest to the words of the category.

    Args:
        name: for reports.
        depth: 0 for the literal listener, 1 or more for pragmatic ones.
        alpha: how rational it takes speakers to be, above 0.
        alternatives: how many words of the vocabulary a speaker has for each word of the category.
        model: see `Embedding`.
        temperature: see `Embedding`.

    Raises:
        ValueError: if an option is out of its range.
        ImportError: if the model needs an extra that is not installed; names the extra.
    """

    def __init__(
        self,
        name: str = "rsa",
        *,
        depth: int = 1,
        alpha: float = 1.0,
        alternatives: int = 5,
        model: str = "static",
        temperature: float | None = None,
    ) -> None:
        super().__init__(name, model, temperature, depth, alpha)
        for option, value in (("depth", depth), ("alternatives", alternatives)):
            if value < 0:
                raise ValueError(f"{option}={value}: 0 or more")
        self._nearest = alternatives

    def ally(self, instance: Instance, message: str) -> Distribution:
        """See `Listener.ally`."""
        played = (message, *instance.decoys)
        said, heard = self._heard(instance.words, played)
        at = [said.index(text) for text in played]
        found: Distribution = rsa.ally(heard[:, at])[instance.words.index(instance.secret)]
        return found

    def chameleon(self, instance: Instance, message: str) -> Distribution:
        """See `Listener.chameleon`."""
        _, heard = self._heard(instance.words, (message,))
        return heard[:, 0]

    def alternatives(self, words: Sequence[str]) -> tuple[str, ...]:
        """Words of the vocabulary that are nearest to each of the words, and none of them."""
        return _nearest(tuple(words), self._nearest, self.model) if self.depth else ()

    def _heard(self, words: Sequence[str], played: Sequence[str]) -> tuple[list[str], Distribution]:
        """Everything that could be said, and P(word | said), float64 [words, said]."""
        said = list(dict.fromkeys([*played, *self.alternatives(words)]))
        return said, rsa.listener(self._meaning(words, said), self.depth or 0, self.alpha)


@lru_cache(maxsize=1024)
def _nearest(words: tuple[str, ...], count: int, model: str) -> tuple[str, ...]:
    said = sayable(words)
    likeness = similarity_model(model)(words, said)
    nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :count]
    return tuple(said[i] for i in np.unique(nearest))
