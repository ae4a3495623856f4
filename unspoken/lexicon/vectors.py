"""Static word vectors that ship with the package, and the words that can be messages.

Where the vectors come from, their licences and how well they tell what goes with what is in
`unspoken/data/vectors/README.md`. They are read on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import unspoken.data
from unspoken.lexicon.morphology import FUNCTION_WORDS, lemma, tokens
from unspoken.lexicon.wordnet import senses

DATA = Path(unspoken.data.__path__[0]) / "vectors"

Floats = NDArray[np.float32]

_PART = 3
"""Letters that each part of a compound has at least."""
_STEPS = 4
"""How far up WordNet a broader word still tells something."""


@cache
def vocabulary() -> tuple[str, ...]:
    """About 2,000 single content words that can be messages, always in the same order.

    Common concrete nouns, adjectives and verbs, and some abstract nouns; each one has a vector.
    """
    lines = (DATA / "vocabulary.txt").read_text(encoding="utf-8").splitlines()
    return tuple(word for line in lines if not line.startswith("#") for word in line.split())


@lru_cache(maxsize=1024)
def sayable(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of the vocabulary that are no form of some others, or of a part of them."""
    named = {lemma(part) for word in words for part in tokens(word)}
    return tuple(word for word in vocabulary() if lemma(word) not in named)


@lru_cache(maxsize=1 << 16)
def vector(text: str) -> Floats:
    """The vector of a text: the mean of its words', scaled to length 1.

    A phrase that has a vector of its own gets that. A word that has none gets its lemma's, or
    else those of the two known words that it is made of, or that of a synonym or the nearest
    broader word in WordNet. Function words and what is still unknown add nothing.

    Args:
        text: a word or a phrase, in any case.

    Returns:
        float32 [d], of length 1, read-only; all 0 if nothing in the text is known.
    """
    table, index = _table()
    words = tokens(text)
    whole = index.get(_key(text))
    rows = [row for word in words for row in _rows(word)] if whole is None else [whole]
    total = table[rows].sum(axis=0)
    found: Floats = total / (np.linalg.norm(total) or 1)
    found.setflags(write=False)
    return found


def known(text: str) -> bool:
    """Whether a text has a vector of its own, and is not made up of others'."""
    return _key(text) in _table()[1]


def similarity(a: Sequence[str], b: Sequence[str]) -> Floats:
    """Cosine of each text of `a` with each of `b`, float32 [len(a), len(b)], -1 to 1.

    A text of which nothing is known has cosine 0 with all others.
    """
    return _stacked(a) @ _stacked(b).T


def _stacked(texts: Sequence[str]) -> Floats:
    return np.stack([vector(text) for text in texts]) if texts else _table()[0][:0]


@cache
def _table() -> tuple[Floats, dict[str, int]]:
    words = (DATA / "words.txt").read_text(encoding="utf-8").splitlines()
    table = np.load(DATA / "vectors.npy").astype(np.float32)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    return table, {word: row for row, word in enumerate(words)}


@lru_cache(maxsize=1 << 14)
def _rows(word: str) -> list[int]:
    if word in FUNCTION_WORDS:
        return []
    _, index = _table()
    for known in (word, lemma(word)):
        if known in index:
            return [index[known]]
    # the longest first part: "toothbrushes" is tooth + brushes, not to + othbrushes
    for cut in range(len(word) - _PART, _PART - 1, -1):
        parts = word[:cut], lemma(word[cut:])
        if all(part in index for part in parts):
            return [index[part] for part in parts]
    for sense in senses(lemma(word))[:1]:
        for synset, steps in sense.synset.ancestors().items():
            rows = [index[name] for name in map(_key, synset.words) if name in index]
            if rows and steps <= _STEPS:
                return rows[:1]
    return []


def _key(text: str) -> str:
    return " ".join(tokens(text))
