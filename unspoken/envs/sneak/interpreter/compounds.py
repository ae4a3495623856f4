"""Words that are made of the secret and another word: "applesauce", "motorcar"."""

from __future__ import annotations

from unspoken.envs.sneak.interpreter.accidents import CHANCE
from unspoken.lexicon.morphology import lemma
from unspoken.lexicon.wordnet import derivations, senses


def is_compound(token: str, letters: str) -> bool:
    """Whether a word is made of the secret and another word: "applesauce", "motorcar"."""
    if letters not in token or not 3 <= len(letters) <= len(token) - 3:
        return False
    word = lemma(token)
    if word in CHANCE or token in CHANCE:
        return False
    for rest in (word.removeprefix(letters), word.removesuffix(letters)):
        if 3 <= len(rest) < len(word) and senses(rest) and not _explained(word, letters):
            return True
    return False


def _explained(word: str, letters: str) -> bool:
    """Whether a word that holds the letters is made of another: "accountant" of "account"."""
    return any(
        len(other) < len(word) and not other.startswith(letters) and not other.endswith(letters)
        for other in derivations(word)
    )
