"""The reference speakers of SNEAK 3.1, and the one that searches for the best message.

Numba comes in with the assumed listener, when `Best` is made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from unspoken.agents.sneak.player import Heard, SneakPlayer, Speech, nearest, uniform
from unspoken.envs.base import choose
from unspoken.envs.sneak.instances import Category, Instance
from unspoken.envs.sneak.rules import Distribution
from unspoken.evaluator.rsa_reference import Floats
from unspoken.lexicon.senses import category_synonyms, near_synonyms, random_words, senses_for
from unspoken.lexicon.vectors import sayable, similarity

if TYPE_CHECKING:
    from unspoken.judges.listeners.offline import OfflineListener

_DRAWN = 8
"""How many random words are drawn; the rules refuse one of them very rarely."""


@dataclass
class RandomWord(SneakPlayer):
    """Says a word that has nothing to do with the card (SNEAK 3.1); as a listener it guesses.

    In free mode that is a noun of WordNet; by menu any word that is allowed, related or not.
    """

    name: str = "random"

    def _speak(self, speech: Speech) -> Iterator[str]:
        if speech.free:
            avoid = (speech.instance.category, *speech.instance.words)
            yield from random_words(_DRAWN, self.rng, avoid)
        yield str(self.rng.choice(speech.words))

    def _hear(self, heard: Heard) -> Distribution:
        return uniform(len(heard.options))


@dataclass
class CategorySynonym(SneakPlayer):
    """Says another word for the category (SNEAK 3.1), or the next broader word.

    It takes WordNet's words in their order, the first that can be said; if there is none, the word
    of the vocabulary that is most like the category's name.
    """

    roles: ClassVar[frozenset[str]] = frozenset({"speaker"})
    name: str = "category"

    def _speak(self, speech: Speech) -> Iterator[str]:
        yield from _category_synonyms(speech.category)
        yield nearest(speech.category.name, speech.words, speech.category.words)


@dataclass
class SecretSynonym(SneakPlayer):
    """Says a synonym of the secret (SNEAK 3.1), or the next broader word.

    It takes WordNet's words in their order, the first that can be said: the rules refuse those
    that share a stem with the secret, and what is a word for the category, or stands above most
    other words on the card too, is no word for the secret. If there is none, it says the word of
    the vocabulary that is most like the secret.
    """

    roles: ClassVar[frozenset[str]] = frozenset({"speaker"})
    name: str = "synonym"

    def _speak(self, speech: Speech) -> Iterator[str]:
        category, secret = speech.category, speech.instance.secret
        yield from _synonyms(category)[secret]
        yield nearest(secret, speech.words, (category.name, *category.words))


@dataclass
class Best(SneakPlayer):
    """Says the word of the vocabulary with the highest expected SoftScore: m* (SNEAK 2.1).

    All words that the rules allow are tried on the listeners that it assumes. Decoys are not
    shown to speakers. It takes for them what decoys are, words that fit the whole card: those of
    the vocabulary with the highest mean similarity to its words. With `decoys="known"` it looks
    them up in the file of the categories, which is as good as a speaker with these listeners can
    be. In free mode it says the same words.

    Attributes:
        listener: spec of the assumed listener, "embedding" or "rsa", with options.
        decoys: "assumed" or "known".
    """

    roles: ClassVar[frozenset[str]] = frozenset({"speaker"})
    name: str = "best"
    listener: str = field(default="embedding", kw_only=True)
    decoys: str = field(default="assumed", kw_only=True)

    def __post_init__(self) -> None:
        choose("decoys", self.decoys, ("assumed", "known"))
        ear(self.listener)

    def _speak(self, speech: Speech) -> Iterator[str]:
        instance = speech.instance
        decoys = self._likely_decoys(speech.category, instance.words)
        worth = self._worth(replace(instance, decoys=decoys), speech.words)
        yield speech.words[int(worth.argmax())]

    def _worth(self, instance: Instance, words: Sequence[str]) -> Floats:
        """What is expected of each message, float64 [n]."""
        return ear(self.listener).scores(instance, words).soft

    def _likely_decoys(self, category: Category, words: Sequence[str]) -> tuple[str, ...]:
        if self.decoys == "known":
            return category.decoys
        count = self.spec.options.get("n_decoys") or len(category.decoys)
        return likely_decoys(category.name, tuple(sorted(words)), count)


@cache
def ear(spec: str) -> OfflineListener:
    """The assumed listener of a spec.

    Raises:
        ValueError: if it cannot score many messages at once.
        SpecError: if there is none.
    """
    from unspoken.judges.listeners.offline import OfflineListener
    from unspoken.judges.listeners.specs import make_listener

    found = make_listener(spec)
    if not isinstance(found, OfflineListener):
        raise ValueError(f"listener={spec!r}: embedding or rsa, with options")
    return found


@lru_cache(maxsize=1024)
def likely_decoys(category: str, words: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Words of the vocabulary that are most like all words of a card, and none of them."""
    found = sayable((category, *words))
    likeness = similarity(found, words).mean(axis=1)
    return tuple(found[i] for i in np.argsort(-likeness, kind="stable")[:count])


@lru_cache(maxsize=256)
def _category_synonyms(category: Category) -> tuple[str, ...]:
    return category_synonyms(category.name, category.words, category.wordnet)


@lru_cache(maxsize=256)
def _synonyms(category: Category) -> dict[str, tuple[str, ...]]:
    """What can be said for each word of a category and not for the category."""
    senses = senses_for(category.words, category.wordnet or category.name)
    near = {
        word: near_synonyms(word, sense) if sense else ()
        for word, sense in zip(category.words, senses, strict=True)
    }
    shared = Counter(chain.from_iterable(near.values()))
    others = len(category.words) - 1
    general = {word for word, count in shared.items() if 2 * (count - 1) >= others}
    general.update((category.name, *_category_synonyms(category)))
    return {word: tuple(w for w in found if w not in general) for word, found in near.items()}
