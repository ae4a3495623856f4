"""Where a message stands in the vocabulary."""

from __future__ import annotations

from functools import cache

from unspoken.lexicon.morphology import tokens
from unspoken.lexicon.vectors import vocabulary


def place(message: str) -> int:
    """Place of a message in the vocabulary, whatever its case and punctuation; -1 if in none."""
    return _places().get(" ".join(tokens(message)), -1)


@cache
def _places() -> dict[str, int]:
    return {word: index for index, word in enumerate(vocabulary())}
