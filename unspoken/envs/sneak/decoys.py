"""Decoys from WordNet: messages that fit a category and come from nobody who knows a secret.

After SNEAK 2.2: attributes and related concepts of every word of the category are looked up,
added up over the words, and the most frequent kept. What says little is worth little, so that
"bird" gets "wing" and not "entity". No secret is ever seen.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from unspoken.envs.sneak.instances import SneakDataError
from unspoken.lexicon.morphology import forms, lemma, tokens
from unspoken.lexicon.senses import senses_for
from unspoken.lexicon.wordnet import (
    Sense,
    Synset,
    derivations,
    keyword_specificity,
    keyword_typicality,
    senses,
    tag_count,
)

N_DECOYS = 5
MAX_WORDS = 3
"""Words that a decoy of ours may have; those that a model writes may have more."""

_RELATIONS = {
    **dict.fromkeys(("part_meronym", "substance_meronym", "member_meronym"), 0.9),
    **dict.fromkeys(("part_holonym", "substance_holonym", "member_holonym", "topic"), 0.9),
    "attribute": 0.5,
}
_DERIVED = 0.8
_KEYWORD = {"n": 0.9, "a": 0.7, "v": 0.5}
"""What a term counts by how it is reached; a broader concept counts 1."""
_SAME_KIND = 0.8
"""What a term still counts after another that was reached in the same kind of way."""
_NEAR_THE_ROOT = """
abstraction, article, artefact, artifact, attribute, being, causal agent,
cause, class, communication, component, content, definite quantity, entity, form,
fundamental quantity, group, group action, grouping, happening, individual, instrumentality,
instrumentation, kind, living thing, location, magnitude, matter, means, natural object, object,
occurrence, organism, part, physical condition, physical entity, physical object, piece, point,
portion, psychological feature, region, relation, section, segment, set, social control, someone,
space, substance, system, term, thing, unit, way, whole
"""
_OPAQUE = frozenset(_NEAR_THE_ROOT.replace("\n", " ").strip().split(", "))
"""What WordNet has near the root; taken only where there is nothing else."""
_SAID_OF_MUCH = """
act action activity adult amount aspect change characteristic concept condition event feature
figure idea measure person phenomenon process property quality quantity result state status
structure
"""
_GENERIC = frozenset(_SAID_OF_MUCH.split())
"""Near the root too, but said of things in daily life: they count half."""
_FROM_RELATIONS = 3.6
_FROM_KEYWORDS = 4.5
_MOST = 8.0
"""How specific a concept must be, in nats, for what belongs to it and for what defines it to be
looked at; and the most that being specific counts."""
_FAMILIAR = 5.0
"""log2 of 1 + the count in tagged text from which on a word is as familiar as any."""
_STOP = frozenset(("of", "or", "and", "the", "a", "an", "in", "to", "for", "s"))


def generate(category: str, words: Sequence[str], wordnet: Sequence[str] = ()) -> tuple[str, ...]:
    """Five decoys for a category; the same ones for the same arguments.

    Args:
        category: its name.
        words: its members.
        wordnet: WordNet nouns that say which senses the members have, the best first; the name
            of the category if there are none.

    Raises:
        SneakDataError: if WordNet has too little that the words share.
    """
    total: dict[str, float] = defaultdict(float)
    shared: dict[str, int] = defaultdict(int)
    kind: dict[str, str] = {}
    for sense in senses_for(words, wordnet or category):
        for term, (worth, reached) in _terms(sense).items() if sense else ():
            total[term] += worth
            shared[term] += 1
            kind.setdefault(term, reached)
    reserved = _reserved(category, words)
    left = {t: total[t] for t in total if shared[t] > 1 and not _fault(t, reserved, MAX_WORDS)}
    decoys: list[str] = []
    while left and len(decoys) < N_DECOYS:
        best = min(left, key=lambda t: (t.lower() in _OPAQUE, -round(left[t], 6), t))
        decoys.append(best)
        stems = _stems(best)
        left = {
            term: worth * (_SAME_KIND if kind[term] == kind[best] else 1.0)
            for term, worth in left.items()
            if stems.isdisjoint(_stems(term))
        }
    if len(decoys) < N_DECOYS:
        raise SneakDataError(
            f"category {category!r}: its words share only {len(decoys)} terms in WordNet, "
            f"{N_DECOYS} decoys are needed; give nouns above the words as `wordnet`, or write "
            f"the decoys yourself"
        )
    return tuple(decoys)


def decoy_faults(
    category: str, words: Sequence[str], decoys: Sequence[str], max_words: int = MAX_WORDS
) -> list[str]:
    """What is wrong with decoys for a category, one sentence each; nothing if they are fine.

    A decoy has 1 to `max_words` words, none of which is a form or derivation of a word in the
    category's name or among its members, and no two decoys are forms of the same.
    """
    reserved = _reserved(category, words)
    faults, seen = [], dict[str, str]()
    for decoy in decoys:
        same = "".join(lemma(token) for token in tokens(decoy))
        fault = _fault(decoy, reserved, max_words)
        if not fault and same in seen:
            fault = f"is the same as {seen[same]!r}"
        if fault:
            faults.append(f"decoy {decoy!r} {fault}")
        seen[same] = decoy
    return faults


def _fault(decoy: str, reserved: dict[str, str], max_words: int) -> str:
    said = tokens(decoy)
    if not 0 < len(said) <= max_words:
        return f"has {len(said)} words, not 1 to {max_words}"
    for part in (*said, " ".join(said), "".join(said)):
        if part in reserved:
            return f"repeats {reserved[part]}"
    return ""


def _reserved(category: str, words: Sequence[str]) -> dict[str, str]:
    """The words that a decoy must not hold, and what they are a form of."""
    found: dict[str, str] = {}
    for said, text in [("the category", category), *((f"the word {w!r}", w) for w in words)]:
        parts = [token for token in tokens(text) if token not in _STOP]
        for part in (*parts, " ".join(parts), "".join(parts)):
            for form in forms(part) | derivations(part):
                found.setdefault(form, said)
    return found


@lru_cache(maxsize=1 << 14)
def _stems(term: str) -> frozenset[str]:
    """What two decoys may not share: words of the same stem, or the opposite."""
    opposites = (o.word for sense in senses(term) for o in sense.related("antonym"))
    parts = (*tokens(term), "".join(tokens(term)), *opposites)
    return frozenset(form for part in parts for form in forms(part) | derivations(part))


@lru_cache(maxsize=4096)
def _terms(sense: Synset) -> dict[str, tuple[float, str]]:
    """What goes with a sense: how much each term counts, and the kind of way it was reached by."""
    found: dict[str, tuple[float, str]] = {}
    for term, worth, kind in _gather(sense):
        counts = worth * (0.5 if term in _GENERIC else 1.0)
        if term not in found or counts > found[term][0]:
            found[term] = counts, kind
    return found


def _gather(sense: Synset) -> Iterator[tuple[str, float, str]]:
    for concept in sense.ancestors():
        worth = min(concept.specificity, _MOST)
        name = _name(concept)
        if concept != sense:
            yield name.word, worth * _familiar(name), "broader"
        if worth < _FROM_RELATIONS:
            continue
        for relation, weight in _RELATIONS.items():
            for other in map(_name, concept.related(relation)):
                if not other.scientific:
                    yield other.word, worth * weight * _familiar(other), relation.split("_")[-1]
        if name.word.lower() not in _OPAQUE:
            for made in (*name.related("derivation"), *name.related("pertained")):
                if made.synset.pos != "n" and made.word.islower():
                    yield made.word, worth * _DERIVED * _familiar(made), "derived"
        if concept == sense or worth >= _FROM_KEYWORDS:
            for keyword in concept.keywords:
                specific = min(worth, keyword_specificity(keyword))
                typical = 0.4 + 0.6 * keyword_typicality(keyword, sense.lexfile)
                pos = max(_KEYWORD, key=lambda pos: tag_count(keyword, pos))
                counts = specific * typical * _KEYWORD[pos] * _scale(tag_count(keyword))
                yield _written(keyword), counts, "keyword"


def _name(concept: Synset) -> Sense:
    """The word of a synset that is used most."""
    return max(concept.senses, key=lambda sense: (sense.count, -sense.id))


def _familiar(sense: Sense) -> float:
    """How familiar a word is in this sense, 0.15 to 1; of a phrase at most as its rarest word."""
    count = tag_count(sense.word) if sense.rank == 1 else sense.count
    if count == 0 and " " in sense.word:
        count = min((tag_count(lemma(part)) for part in tokens(sense.word)), default=0) // 32
    return _scale(count)


def _scale(count: int) -> float:
    return 0.15 + 0.85 * min(math.log2(1 + count) / _FAMILIAR, 1.0)


def _written(keyword: str) -> str:
    """A keyword with a capital if it is never written without."""
    found = {sense.word for sense in senses(keyword)}
    return keyword if keyword in found else min(found)
