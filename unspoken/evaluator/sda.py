"""Scores of Strategic Dialogue Assessment as a compiled kernel, which releases the GIL.

What the numbers mean and where they come from is written down in
`unspoken.evaluator.sda_reference`; nothing is compiled before the first call. All dialogues are
scored by one compiled loop on the calling thread; arguments are checked outside it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unspoken.evaluator.sda_reference import (
    COMMITMENTS,
    PAPER,
    VIOLATIONS,
    Flags,
    Floats,
    Labels,
    Scores,
    Variant,
    Weights,
    check_labels,
    variant_weights,
)
from unspoken.kernels import kernel

__all__ = [
    "COMMITMENTS",
    "PAPER",
    "VIOLATIONS",
    "Labels",
    "Scores",
    "Variant",
    "Weights",
    "score",
]


def score(
    commitment: ArrayLike,
    rel: ArrayLike,
    man: ArrayLike,
    qual: ArrayLike,
    const: ArrayLike,
    starts: ArrayLike,
    weights: Weights = PAPER,
    variant: Variant = "equations",
    outcome: ArrayLike | None = None,
) -> Scores:
    """BaT, PaT, their sums, NRBaT, net move benefit and NRA of every turn, float64 [N] each.

    Args:
        commitment: places in COMMITMENTS, whole numbers [N], the turns of a dialogue in order and
            one dialogue after the other.
        rel: whether relevance is violated, bool [N].
        man: whether manner is, bool [N].
        qual: whether quality is, bool [N].
        const: whether the answer contradicts an earlier one, bool [N].
        starts: whole numbers [D + 1] that rise from 0 to N; dialogue d has the turns starts[d]
            to starts[d + 1] - 1.
        weights: values and weights; the paper's by default.
        variant: "equations" as printed, or "published": as the columns that came with the paper
            were made, where a detrimental BaT leaves out quality and PaT leaves out consistency.
        outcome: 1 where the turn went to the witness, -1 to the questioner, 0 where nobody
            judged, whole numbers [N]; only NRA needs it.

    Raises:
        ValueError: if a shape, a dtype, a code or the variant is wrong; names the argument.
    """
    labels = check_labels(commitment, rel, man, qual, const, starts, outcome)
    bat_weights, pat_weights = variant_weights(weights, variant)
    return Scores(*_score(*labels, weights.values(), _losses(bat_weights), _losses(pat_weights)))


def _losses(weights: Weights) -> Floats:
    return np.array([getattr(weights, name) for name in VIOLATIONS], np.float64)


@kernel
def _score(
    commitment: NDArray[np.int8],
    rel: Flags,
    man: Flags,
    qual: Flags,
    const: Flags,
    starts: NDArray[np.int64],
    outcome: NDArray[np.int8],
    values: Floats,
    bat_losses: Floats,
    pat_losses: Floats,
) -> Floats:
    scores = np.empty((7, len(commitment)))
    bat, pat, sum_bat, sum_pat, nrbat, net, nra = scores
    for d in range(len(starts) - 1):
        first, last = starts[d], starts[d + 1]
        benefits = penalties = 0.0
        won = judged = 0
        for i in range(first, last):
            code = commitment[i]
            value = abs(values[code])
            penalty = value
            benefit = 0.0
            if code <= 1:
                benefit = values[code]
                penalty *= _lost(rel[i], man[i], qual[i], pat_losses)
            elif code == 3:
                benefit = value * _lost(rel[i], man[i], qual[i], bat_losses)
            benefits += benefit
            if const[i]:
                penalty += pat_losses[3] * benefits
            penalties += penalty
            won += outcome[i]
            judged += abs(outcome[i])
            bat[i], pat[i], net[i] = benefit, penalty, benefit - penalty
            sum_bat[i], sum_pat[i] = benefits, penalties
            nra[i] = won / judged if judged else np.nan
        mean_bat, scale_bat = _scale(sum_bat[first:last])
        mean_pat, scale_pat = _scale(sum_pat[first:last])
        for i in range(first, last):
            nrbat[i] = (sum_bat[i] - mean_bat) * scale_bat - (sum_pat[i] - mean_pat) * scale_pat
    return scores


@kernel
def _lost(rel: bool, man: bool, qual: bool, losses: Floats) -> float:
    return float(rel * losses[0] + man * losses[1] + qual * losses[2])


@kernel
def _scale(sums: Floats) -> tuple[float, float]:
    """Mean and 1 / deviation, or 0 where the deviation is 0."""
    # Differences to the first sum are exactly 0 where sums are equal; those to a mean may not be.
    mean = 0.0
    for x in sums:
        mean += x - sums[0]
    mean /= len(sums)
    variance = 0.0
    for x in sums:
        variance += (x - sums[0] - mean) ** 2
    deviation = np.sqrt(variance / len(sums))
    return sums[0] + mean, 1 / deviation if deviation > 0 else 0.0
