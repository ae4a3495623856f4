"""SNEAK as numbers: how like each option is to what its role looks for, by word vectors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

import numpy as np

from unspoken.agents.features import Features, Layout
from unspoken.envs.registry import GameSpec
from unspoken.lexicon.vectors import similarity, vector, vocabulary

_OF_AN_OPTION = {
    "speaker": ("like the secret", "like the nearest other word"),
    "ally": ("is there", "like the secret", "like the nearest other word"),
    "chameleon": ("is there", "like the message"),
}


def layout(spec: GameSpec, role: str) -> Layout:
    """All from -1 to 1: some for each option of the menu, and whether one was refused before.

    Speaker, 2 V + 1 for the V words of the vocabulary: the cosine of each with the secret, then
    that of each with the word of the card, the secret apart, that is most like it.

    Ally, 3 M + 1 for M messages: which places of the menu hold one, and the same of each message.

    Chameleon, 2 W + 1 for W words: which places hold one, and the cosine of each with the message.

    What is not there is 0, as all is before there is something to hear.
    """
    options = spec.menu(role) if role == "speaker" else range(len(spec.menu(role)))
    names = [f"{name}: {option}" for name in _OF_AN_OPTION[role] for option in options]
    return Layout((*names, "refused"), -1, 1)


def features(spec: GameSpec, role: str, info: Mapping[str, Any]) -> Features:
    """The numbers of `layout`, float32 [n]."""
    if role == "speaker":
        likeness = {word: likeness_to(word) for word in info["words"]}
        own = likeness.pop(info["secret"])
        rows = np.stack([own, np.max(list(likeness.values()), axis=0)])
    elif role == "ally":
        rows = np.zeros((3, len(info["menu"])), np.float32)
        heard = info["messages"]
        if heard:
            others = [word for word in info["words"] if word != info["secret"]]
            rows[0, : len(heard)] = 1
            rows[1, : len(heard)] = similarity(heard, [info["secret"]])[:, 0]
            rows[2, : len(heard)] = similarity(heard, others).max(axis=1)
    else:
        rows = np.zeros((2, len(info["menu"])), np.float32)
        words = info["words"]
        rows[0, : len(words)] = 1
        if info["message"]:
            rows[1, : len(words)] = similarity(words, [info["message"]])[:, 0]
    return np.append(rows.clip(-1, 1), np.float32(bool(info["refused"]))).astype(np.float32)


@lru_cache(maxsize=1 << 11)
def likeness_to(word: str) -> Features:
    """Cosine of each word of the vocabulary with a word, float32 [V], read-only."""
    found = _vectors() @ vector(word)
    found.setflags(write=False)
    return found


@cache
def _vectors() -> Features:
    """Of all words of the vocabulary, float32 [V, d]."""
    return np.stack([vector(word) for word in vocabulary()])
