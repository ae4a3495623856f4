"""Information gain in the noiseless search game: words that are left as bits, counted.

Where every answer is certain and all words that are left are equally likely, a position is a set
of words and a question splits it in three. Its information is the entropy of how many words give
each answer, H = log2 n - (sum over answers of c log2 c) / n, which takes three counts and a table
of c log2 c instead of a sum over words. It equals `unspoken.evaluator.aidg_search.information_gain`
for that table and belief. Sets are uint64 [N], N = ceil(W / 64); word w is bit w % 64 of number
w // 64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unspoken.evaluator.aidg_search_reference import TIE, Floats, Whole, check_cells
from unspoken.evaluator.intrinsics import log2, popcount
from unspoken.kernels import kernel

__all__ = ["information_gain", "pack", "sets", "update"]

Sets = NDArray[np.uint64]
_BITS = 64


def pack(table: Floats) -> Sets:
    """The words that give each answer to each question, uint64 [N, 3, Q].

    Args:
        table: P(answer | word, question), float64 [W, Q, 3], each 0 or 1, as `Ontology.table`
            where no cell is open.

    Raises:
        ValueError: if it has another shape, or an answer is not certain; names the first.
    """
    check_cells(table)
    certain = table.max(axis=-1) == 1
    for word, question in np.argwhere(~certain)[:1]:
        cell = table[word, question].tolist()
        raise ValueError(f"word {word}, question {question}: the answer is not certain: {cell}")
    return np.ascontiguousarray(sets((table == 1).transpose(1, 2, 0)).transpose(2, 1, 0))


def sets(left: NDArray[np.bool_]) -> Sets:
    """Sets of words as bits, uint64 [..., N].

    Args:
        left: whether a word is in the set, bool [..., W].
    """
    missing = -left.shape[-1] % _BITS
    padded = np.concatenate([left, np.zeros((*left.shape[:-1], missing), np.bool_)], axis=-1)
    octets = np.ascontiguousarray(np.packbits(padded, axis=-1, bitorder="little"))
    return octets.view("<u8").astype(np.uint64)


def update(left: Sets, packed: Sets, question: int | Whole, answer: int | Whole) -> Sets:
    """The words that are left after an answer: those that give it, uint64 [B, N].

    Args:
        left: uint64 [B, N].
        packed: uint64 [N, 3, Q].
        question: index of the question, 0 to Q - 1, or whole numbers [B].
        answer: 0 yes, 1 no, 2 maybe, or whole numbers [B].

    Raises:
        ValueError: if shapes do not fit.
        IndexError: if a question or an answer is out of its range.
    """
    _check(left, packed)
    return np.asarray(left & packed[:, answer, question].T)


def information_gain(left: Sets, packed: Sets) -> Floats:
    """Information of every question in bits, float64 [B, Q], 0 to log2(3), in multiples of TIE.

    Args:
        left: the words that are left, uint64 [B, N]; where none is, nothing can be learnt.
        packed: uint64 [N, 3, Q].

    Raises:
        ValueError: if shapes do not fit.
    """
    _check(left, packed)
    return _gains(np.ascontiguousarray(left), np.ascontiguousarray(packed))


def _check(left: Any, packed: Any) -> None:
    for name, array, axes in (("left", left, 2), ("packed", packed, 3)):
        if array.ndim != axes or array.dtype != np.uint64:
            raise ValueError(f"{name} {array.shape} of {array.dtype}: not uint64 with {axes} axes")
    if packed.shape[:2] != (left.shape[1], 3):
        raise ValueError(f"left {left.shape} and packed {packed.shape}: not [B, N] and [N, 3, Q]")


@kernel
def _gains(left: Sets, packed: Sets) -> Floats:
    numbers, questions = len(packed), packed.shape[2]
    gains, counts = np.empty((len(left), questions)), np.empty((2, questions), np.int64)
    weighted = np.arange(_BITS * numbers + 1) * 1.0
    for c in range(len(weighted)):
        weighted[c] *= log2(weighted[c])
    for i in range(len(left)):
        size = 0
        counts[:] = 0
        for k in range(numbers):
            size += popcount(left[i, k])
            for answer in range(2):
                for q in range(questions):
                    counts[answer, q] += popcount(left[i, k] & packed[k, answer, q])
        whole, share = log2(max(1.0, float(size))), 1 / max(1, size)
        for q in range(questions):
            yes, no = counts[0, q], counts[1, q]
            bits = whole - share * (weighted[yes] + weighted[no] + weighted[size - yes - no])
            gains[i, q] = np.rint(bits / TIE) * TIE
    return gains
