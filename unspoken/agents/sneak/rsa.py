"""A player that speaks and listens as rational speech acts have it.

Numba comes in with the listeners, when a player is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unspoken.agents.sneak.listeners import Listening
from unspoken.agents.sneak.player import Speech

if TYPE_CHECKING:
    from unspoken.judges.listeners.offline import OfflineListener


@dataclass
class RSA(Listening):
    """Speaks as S_depth and listens as L_depth (`unspoken.evaluator.rsa`).

    The speaker means the secret and chooses among the words of the vocabulary that the rules
    allow, so that a listener who knows the words finds it: it minds no chameleon.

    Attributes:
        depth: 1 or more; S_1 speaks to the literal listener.
        alpha: how rational speakers are, above 0.
        greedy: whether it says and takes the likeliest, or draws by the probabilities.
    """

    name: str = "rsa"
    depth: int = field(default=1, kw_only=True)
    alpha: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise ValueError(f"depth={self.depth}: 1 or more")
        super().__post_init__()

    def _listener(self) -> OfflineListener:
        from unspoken.judges.listeners.rsa import RSA

        return RSA(
            self.name,
            depth=self.depth,
            alpha=self.alpha,
            model=self.model,
            temperature=self.temperature,
        )

    def _speak(self, speech: Speech) -> Iterator[str]:
        from unspoken.evaluator import rsa
        from unspoken.judges.listeners.similarity import model

        words = speech.instance.words
        similarity = model(self.model)(words, speech.words)
        meaning = rsa.log_meaning(similarity, self._ear.temperature)
        said = rsa.speaker(meaning, self.depth, self.alpha)[words.index(speech.instance.secret)]
        yield speech.words[
            int(said.argmax() if self.greedy else self.rng.choice(len(said), p=said))
        ]
