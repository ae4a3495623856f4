"""What messages of SNEAK are worth, as compiled kernels, which release the GIL.

The functions are those of `unspoken.evaluator.sneak_reference`, where their meaning and their
sources are written down; nothing is compiled before its first call. All candidates are scored by
one compiled loop on the calling thread.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unspoken.evaluator.rsa import listen
from unspoken.evaluator.rsa_reference import Floats, check_alpha, log_meaning
from unspoken.evaluator.sneak_reference import TIE, Position, Scores, Whole, check

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
    scores = _scores(
        np.ascontiguousarray(meaning.T),
        decoys.astype(np.int64),
        scored.astype(np.int64),
        others.astype(np.int64),
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


@njit(cache=True, nogil=True)
def _scores(
    meaning: Floats,
    decoys: Indices,
    candidates: Indices,
    alternatives: Indices,
    depth: int,
    alpha: float,
) -> tuple[Floats, Floats, Floats]:
    words, texts = meaning.shape
    p_ally = np.empty((len(candidates), words))
    p_chameleon = np.empty((len(candidates), words))
    soft = np.empty((len(candidates), words))
    log_prior = np.full(words, -np.log(words))
    cost = np.zeros(1 + len(decoys) + len(alternatives))
    others = alternatives if depth > 0 else alternatives[:0]  # the literal listener sees none
    column = np.full(texts, -1)
    for row in range(len(candidates)):
        candidate = candidates[row]
        if depth == _BY_SIMILARITY:
            _by_similarity(meaning, candidate, decoys, p_ally[row], p_chameleon[row])
        else:
            alone = _table(meaning, candidate, decoys[:0], others, column)
            listen(alone, depth, alpha, log_prior, cost)
            said = _table(meaning, candidate, decoys, others, column)
            listen(said, depth, alpha, log_prior, cost)
            for w in range(words):
                p_chameleon[row, w] = np.exp(alone[w, 0])
                total = 1.0
                for decoy in decoys:
                    total += np.exp(said[w, column[decoy]] - said[w, 0])
                p_ally[row, w] = 1 / total
        for w in range(words):
            utility = _above_chance(p_ally[row, w], 1 + len(decoys))
            leakage = _above_chance(p_chameleon[row, w], words)
            soft[row, w] = utility * (1 - leakage)
    return p_ally, p_chameleon, soft


@njit(cache=True, nogil=True)
def _table(
    meaning: Floats, candidate: int, decoys: Indices, others: Indices, column: Indices
) -> Floats:
    """Meanings of the candidate, the decoys and the others, each once; their columns in `column`.

    Whatever else `column` holds is left over from the candidates before.
    """
    column[decoys] = -1
    column[others] = -1
    column[candidate] = 0
    size = 1
    for rows in (decoys, others):
        for text in rows:
            if column[text] == -1:
                column[text] = size
                size += 1
    table = np.empty((len(meaning), size))
    table[:, 0] = meaning[:, candidate]
    for rows in (decoys, others):
        for text in rows:
            table[:, column[text]] = meaning[:, text]
    return table


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _above_chance(p: float, n: int) -> float:
    return max(0.0, (p - 1 / n) / (1 - 1 / n))
