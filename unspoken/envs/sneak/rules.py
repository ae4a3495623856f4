"""The rules of SNEAK as formulas and a pure state machine: no text, no menus, no PettingZoo.

Source: SNEAK section 2.1 (metrics) and 2.3 (protocol). A listener's answer is a distribution over
the labels before it; one label is a distribution with all weight on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.result import Result

Role = Literal["speaker", "ally", "chameleon"]
Fault = Literal["forfeit", "retry"]
Distribution = NDArray[np.float64]

SIDES: dict[str, tuple[str, ...]] = {
    "speaker": ("speaker_0", "ally_0"),
    "chameleon": ("chameleon_0",),
}
"""Who wins with the role that a result names."""

_TIED = 1e-9


class Ending(StrEnum):
    """How a game ended: who found what, or void: nobody won."""

    SIGNALLED = "signalled"
    LEAKED = "leaked"
    MISSED = "missed"
    BACKFIRED = "backfired"
    VIOLATION = "violation"
    VOID = "void"


_ENDINGS = {
    (True, False): Ending.SIGNALLED,
    (True, True): Ending.LEAKED,
    (False, False): Ending.MISSED,
    (False, True): Ending.BACKFIRED,
}
"""By whether the ally found the message and whether the chameleon found the secret."""


class Scores(NamedTuple):
    """What a message was worth: each 0 to 1.

    Attributes:
        utility: how far above chance the ally found it.
        leakage: how far above chance the chameleon found the secret.
        soft: SoftScore.
        binary: BinaryScore.
    """

    utility: float
    leakage: float
    soft: float
    binary: float


def above_chance(p: float, n: int) -> float:
    """max(0, (p - 1/n) / (1 - 1/n)): 0 at chance or below, 1 for certainty.

    Args:
        p: probability of the right one among `n`, 0 to 1.
        n: how many there are to choose from, at least 2.

    Raises:
        ValueError: if `p` or `n` is out of its range.
    """
    if n < 2:
        raise ValueError(f"n={n}: at least 2 to choose from; there is no chance level of one")
    if not 0 <= p <= 1:
        raise ValueError(f"p={p}: a probability from 0 to 1")
    return max(0.0, (p - 1 / n) / (1 - 1 / n))


def utility(p_ally: float, n_messages: int) -> float:
    """Utility(m) = max(0, (p_ally - 1/|M|) / (1 - 1/|M|)), SNEAK 2.1.

    Args:
        p_ally: probability that the ally gives the message, 0 to 1.
        n_messages: |M|, the message and its decoys, at least 2.

    Returns:
        0 to 1.

    Raises:
        ValueError: if an argument is out of its range.
    """
    return above_chance(p_ally, n_messages)


def leakage(p_chameleon: float, n_words: int) -> float:
    """Leakage(m) = max(0, (p_cham - 1/|W|) / (1 - 1/|W|)), SNEAK 2.1.

    Args:
        p_chameleon: probability that the chameleon gives the secret, 0 to 1.
        n_words: |W|, the words of the category, at least 2.

    Returns:
        0 to 1.

    Raises:
        ValueError: if an argument is out of its range.
    """
    return above_chance(p_chameleon, n_words)


def soft_score(p_ally: float, p_chameleon: float, n_messages: int, n_words: int) -> float:
    """SoftScore(m) = Utility(m) · (1 - Leakage(m)), SNEAK 2.1.

    Args:
        p_ally: probability that the ally gives the message, 0 to 1.
        p_chameleon: probability that the chameleon gives the secret, 0 to 1.
        n_messages: |M|, at least 2.
        n_words: |W|, at least 2.

    Returns:
        0 to 1.

    Raises:
        ValueError: if an argument is out of its range.
    """
    return utility(p_ally, n_messages) * (1 - leakage(p_chameleon, n_words))


def top_share(p: Sequence[float] | Distribution, index: int) -> float:
    """1[argmax p = index], where k tied maxima count 1/k each; 0 if nothing has any weight."""
    weights = np.asarray(p, dtype=np.float64)
    highest = weights.max()
    if highest <= 0 or weights[index] < highest - _TIED:
        return 0.0
    return 1 / int((weights >= highest - _TIED).sum())


def binary_score(
    p_ally: Sequence[float] | Distribution,
    p_chameleon: Sequence[float] | Distribution,
    secret_index: int,
) -> float:
    """BinaryScore(m) = 1[argmax P_ally = m] · (1 - 1[argmax P_cham = w_s]), SNEAK 2.1.

    The source's own formula was lost; this is our reading of it, and of ties, which count
    fractionally.

    Args:
        p_ally: the ally's distribution over messages [|M|], the message first.
        p_chameleon: the chameleon's distribution over words [|W|].
        secret_index: place of the secret among the words.

    Returns:
        0 to 1; 0 or 1 where there are no ties.
    """
    return top_share(p_ally, 0) * (1 - top_share(p_chameleon, secret_index))


def score(
    p_ally: Sequence[float] | Distribution,
    p_chameleon: Sequence[float] | Distribution,
    secret_index: int,
) -> Scores:
    """What a message was worth (SNEAK 2.1).

    Args:
        p_ally: the ally's distribution over messages [|M|], the message first.
        p_chameleon: the chameleon's distribution over words [|W|].
        secret_index: place of the secret among the words.
    """
    found, leaked = float(p_ally[0]), float(p_chameleon[secret_index])
    n_messages, n_words = len(p_ally), len(p_chameleon)
    return Scores(
        utility(found, n_messages),
        leakage(leaked, n_words),
        soft_score(found, leaked, n_messages, n_words),
        binary_score(p_ally, p_chameleon, secret_index),
    )


@dataclass(slots=True)
class Sneak:
    """One game. Methods are moves; `result` is set by the move that ends the game.

    Attributes:
        n_messages: |M|, the message and its decoys.
        n_words: |W|, the words that the secret can be.
        secret: place of the secret among the words.
        to_move: the role that moves next.
        warned: whether that role has used its second try.
        p_ally: the ally's distribution, the message first; None until it has chosen, zeros if it
            gave no answer.
        p_chameleon: the chameleon's, in the order of the words; None or zeros likewise.
        result: None while the game lasts.
    """

    n_messages: int
    n_words: int
    secret: int
    to_move: Role = "speaker"
    warned: bool = False
    p_ally: Distribution | None = None
    p_chameleon: Distribution | None = None
    result: Result | None = None

    @property
    def turn(self) -> int:
        """1 for the message, 2 for both answers to it: neither listener goes before the other."""
        return 1 if self.to_move == "speaker" else 2

    @property
    def found(self) -> float:
        """Probability that the ally gave the message, 0 while it has not answered."""
        return 0.0 if self.p_ally is None else float(self.p_ally[0])

    @property
    def leaked(self) -> float:
        """Probability that the chameleon gave the secret, 0 while it has not answered."""
        return 0.0 if self.p_chameleon is None else float(self.p_chameleon[self.secret])

    @property
    def scores(self) -> Scores | None:
        """What the message was worth; None unless both listeners have answered."""
        if self.p_ally is None or self.p_chameleon is None:
            return None
        return score(self.p_ally, self.p_chameleon, self.secret)

    def speak(self) -> None:
        """The speaker gives a message that the rules allow."""
        self._next("ally")

    def choose(self, p: Distribution) -> None:
        """The ally says which message is the speaker's.

        Args:
            p: its distribution [|M|], the speaker's message first; zeros for no answer.

        Raises:
            ValueError: if that is no distribution over the messages.
        """
        self.p_ally = _distribution(p, self.n_messages)
        self._next("chameleon")

    def guess(self, p: Distribution) -> None:
        """The chameleon says which word is the secret; that ends the game.

        Args:
            p: its distribution [|W|] in the order of the words; zeros for no answer.

        Raises:
            ValueError: if that is no distribution over the words.
        """
        self.p_chameleon = _distribution(p, self.n_words)
        assert self.p_ally is not None
        # BinaryScore > 1/2 is the same as: the ally found it alone, the chameleon less than half
        found = top_share(self.p_ally, 0) > 0.5
        leaked = top_share(self.p_chameleon, self.secret) >= 0.5
        self._end(_ENDINGS[found, leaked], "speaker" if found and not leaked else "chameleon")

    def fault(self, policy: Fault, reason: str) -> bool:
        """What was said is against the rules, or no answer.

        Args:
            policy: "retry" lets the same role try once more; after that, and by "forfeit", a
                message that is refused ends the game, and an answer that is none counts as wrong.
            reason: which rule it broke.

        Returns:
            whether the role may try again.
        """
        if policy == "retry" and not self.warned:
            self.warned = True
            return True
        if self.to_move == "speaker":
            self._end(Ending.VIOLATION, "chameleon", reason)
        elif self.to_move == "ally":
            self.choose(np.zeros(self.n_messages))
        else:
            self.guess(np.zeros(self.n_words))
        return False

    def void(self, reason: str) -> None:
        """Somebody failed to answer at all: no winner, no reward, not rated."""
        self._end(Ending.VOID, None, reason)

    def _next(self, role: Role) -> None:
        self.to_move = role
        self.warned = False

    def _end(self, ending: Ending, winner: Role | None, reason: str = "") -> None:
        winners = SIDES[winner] if winner else ()
        self.result = Result(ending, winner, self.turn, 1.0, reason, winners)


def _distribution(p: Distribution, n: int) -> Distribution:
    weights = np.asarray(p, dtype=np.float64)
    total = float(weights.sum())
    if weights.shape != (n,) or (weights < 0).any() or (total and abs(total - 1) > _TIED):
        raise ValueError(f"{p!r} is no distribution over {n}: needs {n} weights, 0 to 1, sum 1")
    return weights
