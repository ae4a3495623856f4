"""A listener that picks what is most alike: `embedding?model=use&temperature=0.1`."""

from __future__ import annotations

from unspoken.envs.sneak.instances import Instance
from unspoken.evaluator.rsa import listener
from unspoken.judges.listeners.base import Distribution
from unspoken.judges.listeners.offline import OfflineListener


class Embedding(OfflineListener):
    """Picks the word that is most like the message, or the message most like the secret.

    P(x) ∝ exp(cosine / temperature) over the words (chameleon) or the messages (ally). A message
    that is not understood leaves the chameleon at chance.

    Args:
        name: for reports.
        model: "static", word vectors that come with the package, or "use", Universal Sentence
            Encoder multilingual 3 (extra "embedding"), which also reads phrases.
        temperature: above 0; by default what fits the model (`TEMPERATURES`).

    Raises:
        ValueError: if an option is out of its range.
        ImportError: if the model needs an extra that is not installed; names the extra.
    """

    def __init__(
        self,
        name: str = "embedding",
        *,
        model: str = "static",
        temperature: float | None = None,
    ) -> None:
        super().__init__(name, model, temperature, depth=None, alpha=1.0)

    def ally(self, instance: Instance, message: str) -> Distribution:
        """See `Listener.ally`."""
        messages = (message, *instance.decoys)
        return listener(self._meaning(messages, [instance.secret]))[:, 0]

    def chameleon(self, instance: Instance, message: str) -> Distribution:
        """See `Listener.chameleon`."""
        return listener(self._meaning(instance.words, [message]))[:, 0]
