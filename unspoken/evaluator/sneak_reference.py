"""What messages of SNEAK are worth, in plain NumPy.

Every function of `unspoken.evaluator.sneak` is here under the same name and equal to 1e-9, written
to be read; that module is the one to call. Sources: SNEAK 2.1 (scores), `rsa_reference`. W is the
number of words, D of decoys, n of texts that are messages, decoys or alternatives to them; C of
candidate messages. All that listeners know of texts is their similarity to the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.sneak.rules import soft_score
from unspoken.evaluator.rsa_reference import Floats, ally, check_alpha, listener, log_meaning

Whole = NDArray[np.integer[Any]]

TIE = 1e-9
"""SoftScores nearer than this are the same, whatever the order of summation."""


class Scores(NamedTuple):
    """What each candidate is worth, with each word as the secret; all float64 [C, W], 0 to 1.

    Attributes:
        p_ally: probability that the ally picks the candidate among it and the decoys.
        p_chameleon: probability that the chameleon takes the word for the secret.
        soft: SoftScore.
    """

    p_ally: Floats
    p_chameleon: Floats
    soft: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """A speaker's position before it speaks, or with one candidate the one after it has spoken.

    Attributes:
        similarity: of texts to words, float64 [n, W], -1 to 1.
        secret: index of the secret, 0 to W - 1.
        decoys: which texts are the decoys, whole numbers [D].
        candidates: which texts the speaker can say, whole numbers [C], at least one; None for
            all that are no decoys.
        alternatives: see `soft_scores`.
        temperature: see `soft_scores`; by default what fits the vectors of the package.
        depth: see `soft_scores`.
        alpha: see `soft_scores`.

    Raises:
        ValueError: if something is out of its range.
    """

    similarity: Floats
    secret: int
    decoys: Whole
    candidates: Whole | None = None
    alternatives: Whole | None = None
    temperature: float = 0.12
    depth: int | None = None
    alpha: float = 1.0

    def __post_init__(self) -> None:
        check(self.similarity, self.decoys, self.messages, self.alternatives, self.depth)
        if not 0 <= self.secret < self.similarity.shape[1]:
            raise ValueError(f"secret={self.secret}: 0 to {self.similarity.shape[1] - 1}")
        if not len(self.messages):
            raise ValueError("candidates: at least one message")

    @property
    def messages(self) -> Whole:
        """The candidates, whole numbers [C]."""
        if self.candidates is None:
            return np.setdiff1d(np.arange(len(self.similarity)), self.decoys)
        return self.candidates


def soft_scores(
    similarity: Floats,
    decoys: Whole,
    candidates: Whole | None = None,
    alternatives: Whole | None = None,
    *,
    temperature: float,
    depth: int | None = None,
    alpha: float = 1.0,
) -> Scores:
    """What listeners make of every candidate, and its expected SoftScore (SNEAK 2.1).

    With `depth=None` listeners go by similarity alone: the chameleon picks a word with
    probability ∝ exp(similarity / temperature), the ally a message likewise by its similarity to
    the secret. With a depth they are rational-speech-act listeners: the chameleon is
    `rsa_reference.listener`, the ally `rsa_reference.ally`. Then speakers choose, in the mind of
    the chameleon, among the message and the alternatives, and in the ally's also the decoys.

    Args:
        similarity: of texts to words, float64 [n, W], -1 to 1.
        decoys: which texts are the decoys, whole numbers [D], at least one.
        candidates: which texts to score, whole numbers [C]; all n by default.
        alternatives: what else speakers could have said, whole numbers [A]; means something at
            depth 1 and beyond.
        temperature: above 0.
        depth: None, or 0 or more.
        alpha: how rational speakers are, above 0.

    Raises:
        ValueError: if an argument is out of its range, or shapes do not fit.
    """
    scored, others = check(similarity, decoys, candidates, alternatives, depth)
    check_alpha(alpha)
    meaning = log_meaning(similarity, temperature).T
    n_words, n_messages = len(meaning), 1 + len(decoys)
    p_ally = np.empty((len(scored), n_words))
    p_chameleon, soft = np.empty_like(p_ally), np.empty_like(p_ally)
    for row, candidate in enumerate(scored):
        in_play = [candidate, *decoys]
        if depth is None:
            p_ally[row] = _softmax(meaning[:, in_play])[:, 0]
            p_chameleon[row] = _softmax(meaning[:, [candidate]].T)
        else:
            alone = list(dict.fromkeys([candidate, *others]))
            p_chameleon[row] = listener(meaning[:, alone], depth, alpha)[:, 0]
            said = list(dict.fromkeys([*in_play, *others]))
            heard = listener(meaning[:, said], depth, alpha)
            p_ally[row] = ally(heard[:, [said.index(m) for m in in_play]])[:, 0]
        for w in range(n_words):
            soft[row, w] = soft_score(p_ally[row, w], p_chameleon[row, w], n_messages, n_words)
    return Scores(p_ally, p_chameleon, soft)


def evaluate_batch(positions: Sequence[Position]) -> list[dict[str, float]]:
    """Score of each role in each position, -1 to 1: 2 r - 1 for its expected reward r.

    The speaker is taken to say its best candidate, the first of those with the highest SoftScore.
    """
    scores = []
    for position in positions:
        all_scores = soft_scores(
            position.similarity,
            position.decoys,
            position.messages,
            position.alternatives,
            temperature=position.temperature,
            depth=position.depth,
            alpha=position.alpha,
        )
        p_ally, p_chameleon, soft = (score[:, position.secret] for score in all_scores)
        best = np.flatnonzero(soft >= soft.max() - TIE)[0]
        rewards = {"speaker": soft[best], "ally": p_ally[best], "chameleon": p_chameleon[best]}
        scores.append({role: 2 * float(reward) - 1 for role, reward in rewards.items()})
    return scores


def check(
    similarity: Floats,
    decoys: Whole,
    candidates: Whole | None,
    alternatives: Whole | None,
    depth: int | None,
) -> tuple[Whole, Whole]:
    """Refuse arguments that make no sense; candidates and alternatives with defaults filled in.

    Raises:
        ValueError: names the argument and its range.
    """
    if similarity.ndim != 2 or similarity.shape[1] < 2 or not np.isfinite(similarity).all():
        raise ValueError(f"similarity {similarity.shape}: finite, [texts, 2 or more words]")
    if not len(decoys):
        raise ValueError("decoys: at least one")
    if depth is not None and depth < 0:
        raise ValueError(f"depth={depth}: None, or 0 or more")
    scored = np.arange(len(similarity)) if candidates is None else candidates
    others = np.zeros(0, np.int64) if alternatives is None else alternatives
    for name, rows in (("decoys", decoys), ("candidates", scored), ("alternatives", others)):
        if rows.ndim != 1 or not ((rows >= 0) & (rows < len(similarity))).all():
            raise ValueError(f"{name}={rows!r}: indices of texts, 0 to {len(similarity) - 1}")
    return scored, others


def _softmax(logs: Floats) -> Floats:
    weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))
