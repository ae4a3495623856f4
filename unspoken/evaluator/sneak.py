"""What messages of SNEAK are worth, as compiled kernels, which release the GIL.

The functions are those of `unspoken.evaluator.sneak_reference`, where their meaning and their
sources are written down; nothing is compiled before its first call. All candidates are scored by
one compiled loop on the calling thread.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unspoken.evaluator.rsa import listen
from unspoken.evaluator.rsa_reference import Floats, check_alpha, log_meaning
from unspoken.evaluator.sneak_reference import TIE, Position, Scores, Whole, check
from unspoken.kernels import kernel

__all__ = ["Position", "Scores", "evaluate_batch", "soft_scores"]

Indices = NDArray[np.int64]
_BY_SIMILARITY = -1


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
    """What listeners make of every candidate, and its expected SoftScore; float64 [C, W] each.

    Args:
        similarity: of texts to words, float64 [n, W], -1 to 1.
        decoys: which texts are the decoys, whole numbers [D], at least one.
        candidates: which texts to score, whole numbers [C]; all n by default.
        alternatives: what else speakers could have said, whole numbers [A].
        temperature: above 0.
        depth: None for listeners that go by similarity alone, 0 or more for rational ones.
        alpha: how rational speakers are, above 0.

    Raises:
        ValueError: if an argument is out of its range, or shapes do not fit.
    """
    scored, others = check(similarity, decoys, candidates, alternatives, depth)
    meaning = log_meaning(similarity, temperature)
    check_alpha(alpha)
    first, played = np.zeros(1, np.int64), decoys.astype(np.int64)
    known = others.astype(np.int64) if depth else first[:0]  # the literal listener needs none
    scores = _scores(
        np.ascontiguousarray(meaning.T),
        scored.astype(np.int64),
        played,
        np.concatenate([first, known]),
        np.concatenate([first, played, known]),
        _BY_SIMILARITY if depth is None else depth,
        alpha,
    )
    return Scores(*scores)


def evaluate_batch(positions: Sequence[Position]) -> list[dict[str, float]]:
    """Score of each role in each position, -1 to 1: 2 r - 1 for its expected reward r.

    The speaker is taken to say its best candidate, the first of those with the highest SoftScore.
    """
    found = []
    for position in positions:
        scores = soft_scores(
            position.similarity,
            position.decoys,
            position.messages,
            position.alternatives,
            temperature=position.temperature,
            depth=position.depth,
            alpha=position.alpha,
        )
        soft = scores.soft[:, position.secret]
        best = np.flatnonzero(soft >= soft.max() - TIE)[0]
        ally, chameleon, speaker = (float(score[best, position.secret]) for score in scores)
        rewards = {"speaker": speaker, "ally": ally, "chameleon": chameleon}
        found.append({role: 2 * reward - 1 for role, reward in rewards.items()})
    return found


@kernel
def _scores(
    meaning: Floats,
    candidates: Indices,
    decoys: Indices,
    private: Indices,
    public: Indices,
    depth: int,
    alpha: float,
) -> tuple[Floats, Floats, Floats]:
    """Scores of all candidates.

    `private` and `public` are what speakers choose among in the mind of the chameleon and of the
    ally; in both the first is replaced by the candidate.
    """
    words, texts = meaning.shape
    p_ally = np.empty((len(candidates), words))
    p_chameleon = np.empty((len(candidates), words))
    soft = np.empty((len(candidates), words))
    log_prior = np.full(words, -np.log(words))
    cost = np.zeros(len(public))
    column = np.full(texts, -1)
    for row in range(len(candidates)):
        if depth == _BY_SIMILARITY:
            _by_similarity(meaning, candidates[row], decoys, p_ally[row], p_chameleon[row])
        else:
            public[0] = private[0] = candidates[row]
            heard = _table(meaning, private, column)
            listen(heard, depth, alpha, log_prior, cost)
            for w in range(words):
                p_chameleon[row, w] = np.exp(heard[w, 0])
            heard = _table(meaning, public, column)
            listen(heard, depth, alpha, log_prior, cost)
            for w in range(words):
                total = 1.0
                for decoy in decoys:
                    total += np.exp(heard[w, column[decoy]] - heard[w, 0])
                p_ally[row, w] = 1 / total
        for w in range(words):
            utility = _above_chance(p_ally[row, w], 1 + len(decoys))
            leakage = _above_chance(p_chameleon[row, w], words)
            soft[row, w] = utility * (1 - leakage)
    return p_ally, p_chameleon, soft


@kernel
def _table(meaning: Floats, texts: Indices, column: Indices) -> Floats:
    """Meanings of the texts, each once; their columns are noted in `column`.

    Whatever else `column` holds is left over from the candidates before.
    """
    for text in texts:
        column[text] = -1
    size = 0
    for text in texts:
        if column[text] == -1:
            column[text] = size
            size += 1
    table = np.empty((len(meaning), size))
    for text in texts:
        for w in range(len(meaning)):
            table[w, column[text]] = meaning[w, text]
    return table


@kernel
def _by_similarity(
    meaning: Floats, candidate: int, decoys: Indices, p_ally: Floats, p_chameleon: Floats
) -> None:
    words = len(meaning)
    for w in range(words):
        total = 1.0
        for decoy in decoys:
            total += np.exp(meaning[w, decoy] - meaning[w, candidate])
        p_ally[w] = 1 / total
    highest = meaning[:, candidate].max()
    total = 0.0
    for w in range(words):
        p_chameleon[w] = np.exp(meaning[w, candidate] - highest)
        total += p_chameleon[w]
    for w in range(words):
        p_chameleon[w] /= total


@kernel
def _above_chance(p: float, n: int) -> float:
    return max(0.0, (p - 1 / n) / (1 - 1 / n))
