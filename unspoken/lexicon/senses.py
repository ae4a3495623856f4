"""Which sense a word has among others, and what can be said in its place (SNEAK 2.2, 3.1)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from unspoken.lexicon.wordnet import (
    Synset,
    derivations,
    readings,
    spelling,
    synsets,
    used_nouns,
    wu_palmer,
)


def senses_for(words: Sequence[str], category: str | Sequence[str]) -> tuple[Synset | None, ...]:
    """The noun sense that each word has as a member of a category.

    A sense below one of the category's own senses is taken before any other, the category's
    sense with most of the words below it first. Where several are left, the one that is most
    similar to the senses of the other words, or shares a topic such as law with them; then the
    most common.

    Args:
        words: the members.
        category: a noun, or several, the best first: "fish", or ["kitchen utensil", "vessel"].

    Returns:
        one synset a word; None for a word that is no noun in WordNet.
    """
    found = [synsets(word, "n") for word in words]
    tops = _tops([category] if isinstance(category, str) else category, found)
    choices = [
        next(filter(None, (tuple(s for s in f if top in s.ancestors()) for top in tops)), f)
        for f in found
    ]
    return tuple(_best(i, choices) for i in range(len(words)))


_RARER = 0.03
"""How much more similar to the others a sense must be to be taken before a more common one."""


def _tops(nouns: Sequence[str], found: Sequence[Sequence[Synset]]) -> list[Synset]:
    """The senses of each noun in turn, those with most words below them first."""

    def cover(top: Synset) -> int:
        return sum(any(top in sense.ancestors() for sense in word) for word in found)

    return [top for noun in nouns for top in sorted(_meant(noun), key=cover, reverse=True)]


_NO_HEAD = frozenset(f"{noun}{s}" for noun in ("part", "kind", "type", "item") for s in ("", "s"))
"""What a phrase may begin with that does not say what is meant: "part of a plant"."""


def _meant(noun: str) -> tuple[Synset, ...]:
    """The senses of a noun, or of the head of a phrase that WordNet does not have."""
    head = re.split(r" (?:of|or|and|in) ", noun.lower())[0]
    if exact := synsets(noun, "n"):
        return exact
    if not head.strip() or head in _NO_HEAD:
        return ()
    return synsets(head, "n") or synsets(head.split()[-1], "n")


def _best(i: int, choices: Sequence[Sequence[Synset]]) -> Synset | None:
    """The sense of word `i` that goes best with the others'."""
    choice = choices[i]
    if len(choice) < 2:
        return choice[0] if choice else None
    others = [other for j, other in enumerate(choices) if other and j != i]
    value = [_support(s, others) - _RARER * rank for rank, s in enumerate(choice)]
    return choice[value.index(max(value))]


def _support(sense: Synset, others: Sequence[Sequence[Synset]]) -> float:
    """How similar a sense is to the most similar sense of each other word, on average."""
    if not others:
        return 0.0
    topics = set(sense.related("topic"))
    best = (
        max(1.0 if topics & set(o.related("topic")) else wu_palmer(sense, o) for o in other)
        for other in others
    )
    return sum(best) / len(others)


def sense_for(word: str, category: str | Sequence[str]) -> Synset | None:
    """The noun sense that a word has as a member of a category; see `senses_for`."""
    return senses_for([word], category)[0]


def clustering(words: Sequence[str], category: str | Sequence[str]) -> float:
    """Average pairwise Wu-Palmer similarity among the words of a category (SNEAK 4.2), in (0, 1].

    Args:
        words: the members; those that are no nouns in WordNet are left out.
        category: as for `senses_for`.

    Raises:
        ValueError: if WordNet has fewer than two of the words.
    """
    found = [sense for sense in senses_for(words, category) if sense is not None]
    if len(found) < 2:
        raise ValueError(f"similarity needs two words that WordNet has as nouns: {list(words)}")
    pairs = [wu_palmer(a, b) for a, b in combinations(found, 2)]
    return sum(pairs) / len(pairs)


_RELATED = 4.0
"""Nouns that share a concept this specific, in nats, have to do with each other."""


def synonyms(word: str, sense: Synset) -> tuple[str, ...]:
    """The other words of a sense, the most used first, Latin names last.

    Args:
        word: left out, in all its spellings and forms.
        sense: what is meant by it.
    """
    others = [s for s in sense.senses if not {b for b, _ in readings(s.word)} & _said(word)]
    return tuple(s.word for s in sorted(others, key=lambda s: (s.scientific, -s.count)))


def near_synonyms(word: str, sense: Synset) -> tuple[str, ...]:
    """The synonyms of a word, then the words of broader concepts, the closest first.

    Args:
        word: left out, in all its spellings and forms, and what repeats it ("piece of furniture").
        sense: a noun sense, what is meant by it.
    """
    broader = (
        concept
        for concept, steps in sense.ancestors().items()
        if steps < 2 or concept.specificity > _RELATED
    )
    found = (other for concept in broader for other in synonyms(word, concept))
    said = spelling(word).split()
    return tuple(
        dict.fromkeys(
            w for w in found if not set(said) <= set(spelling(w).replace("-", " ").split())
        )
    )


def category_synonyms(
    category: str, words: Sequence[str] = (), nouns: Sequence[str] = ()
) -> tuple[str, ...]:
    """What else a category can be called (SNEAK 3.1): synonyms first, then broader words.

    Args:
        category: its name.
        words: its members; they tell which sense of the name is meant, and are left out.
        nouns: WordNet nouns above the members, the best first; the name itself if there are none.

    Returns:
        the closest first; empty where WordNet has neither the name nor the nouns.
    """
    found = [synsets(word, "n") for word in words]
    exact = synsets(category, "n")
    above = [top for top in _tops(nouns[:1], found) if top.specificity > _RELATED]
    meant = next(iter([*_tops([category], found)] if exact else [*above, *_meant(category)]), None)
    if meant is None:
        return ()
    said = {form for word in (category, *words) for form in _said(word)}
    near = dict.fromkeys([*meant.words, *near_synonyms(category, meant)])
    return tuple(word for word in near if said.isdisjoint(_said(word)))


def random_words(n: int, rng: np.random.Generator, avoid: Collection[str] = ()) -> tuple[str, ...]:
    """Different nouns drawn at random that have nothing to do with some words.

    Args:
        n: how many.
        rng: what draws them.
        avoid: words; what has their stem, or shares a specific concept with them, is not drawn.

    Returns:
        single words in lower case that occur in tagged text.

    Raises:
        ValueError: if there are not so many.
    """
    stems = {form for word in avoid for form in (*_said(word), *derivations(word))}
    concepts = {up for word in avoid for up in _concepts(word)}
    drawn: list[str] = []
    for i in rng.permutation(len(used_nouns())) if n else ():
        word = used_nouns()[i]
        if word not in stems and concepts.isdisjoint(_concepts(word)):
            drawn.append(word)
            if len(drawn) == n:
                break
    if len(drawn) < n:
        raise ValueError(f"{n} random words asked for, there are only {len(drawn)}")
    return tuple(drawn)


def _said(word: str) -> set[str]:
    """A word, and what it is a form of."""
    return {spelling(word), *(base for base, _ in readings(word))}


@lru_cache(maxsize=1 << 14)
def _concepts(word: str) -> frozenset[Synset]:
    """The specific concepts that a noun belongs to in any sense."""
    ups = (up for sense in synsets(word, "n") for up in sense.ancestors())
    return frozenset(up for up in ups if up.specificity > _RELATED)
