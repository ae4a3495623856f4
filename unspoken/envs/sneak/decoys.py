"""Decoys from WordNet: messages that fit a category and come from nobody who knows a secret.

After SNEAK 2.2: attributes and related concepts of every word of the category are looked up,
added up over the words, and the most frequent kept. What says little is worth little, so that
"bird" gets "wing" and not "entity". No secret is ever seen.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from unspoken.envs.sneak.instances import SneakDataError
from unspoken.lexicon.morphology import forms, lemma, tokens
from unspoken.lexicon.senses import category_synonyms, senses_for
from unspoken.lexicon.wordnet import (
    Sense,
    Synset,
    derivations,
    keyword_specificity,
    keyword_typicality,
    senses,
    synsets,
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
_UNTYPICAL = {"n": 0.4, "a": 0.4, "v": 0.1}
"""What of that is left where a keyword is no more common than in any definition: of verbs such as
"undertake" hardly anything."""
_POINTS = 0.5
"""What a term still counts that is said of one word itself and of the others only by what is far
above them: it points to that word."""
_TYPICAL = 0.15
"""How typical what defines a concept above the category must be of its words."""
_LEAST = 1.0
"""What a term must count on average of the words that have it, to be taken for what they share."""
_BY_NAME = 0.5
"""What a term counts that defines a word in the category's name."""
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
_PART = 3
"""Letters that a word has to have to count as a part of another."""
_STOP = frozenset(("of", "or", "and", "the", "a", "an", "in", "to", "for", "s"))


def generate(category: str, words: Sequence[str], wordnet: Sequence[str] = ()) -> tuple[str, ...]:
    """Five decoys for a category; the same ones for the same arguments.

    Terms that a third of the words share are taken first; then those that define the words of the
    category's name, then those that define what is above it, then what fewer words share, then
    what is rare or near WordNet's root. Of these the ones with the highest sum over the words,
    times the share of the words that have them.

    Args:
        category: its name.
        words: its members.
        wordnet: WordNet nouns that say which senses the members have, the best first; the name
            of the category if there are none.

    Raises:
        SneakDataError: if WordNet has too little that the words share.
    """
    nouns = wordnet or (category,)
    tops = frozenset(top for noun in nouns for top in synsets(noun, "n"))
    total: dict[str, float] = defaultdict(float)
    shared: dict[str, int] = defaultdict(int)
    kind: dict[str, str] = {}
    own = Counter[str]()
    for sense in filter(None, senses_for(words, nouns)):
        own.update(_own(sense))
        for term, (worth, reached) in _terms(sense, tops).items():
            total[term] += worth
            shared[term] += 1
            kind.setdefault(term, reached)
    named = _said_by(category)
    for term, worth in named.items():
        if 3 * shared[term] < len(words):
            total[term], shared[term], kind[term] = worth * len(words), len(words), "name"
    reserved = _reserved(category, words, wordnet)
    left = {
        term: total[term] * shared[term] / len(words) * (_POINTS if own[term] == 1 else 1.0)
        for term in list(total)
        if shared[term] > 1 and not _fault(term, reserved, MAX_WORDS)
    }
    share = {term: shared[term] / len(words) for term in left}
    rank = {term: _rank(term, kind[term], share[term], total[term] / shared[term]) for term in left}
    decoys: list[str] = []
    while left and len(decoys) < N_DECOYS:
        best = min(left, key=lambda term: (rank[term], -round(left[term], 6), term))
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


def _rank(term: str, kind: str, share: float, worth: float) -> int:
    """0 for what is looked at first."""
    if term.lower() in _OPAQUE or worth < _LEAST:
        return 5
    if kind == "far":
        return 4
    if 3 * share < 1:
        return 3
    return {"above": 2, "name": 1}.get(kind, 0)


def decoy_faults(
    category: str,
    words: Sequence[str],
    decoys: Sequence[str],
    wordnet: Sequence[str] = (),
    *,
    max_words: int = MAX_WORDS,
) -> list[str]:
    """What is wrong with decoys for a category, one sentence each; nothing if they are fine.

    A decoy has 1 to `max_words` words. None of them is a form or derivation of a word in the
    category's name or among its members, a part of one, or holds one. A decoy is not what the
    category or one member can be called instead, and no two are forms of the same.
    """
    reserved = _reserved(category, words, wordnet)
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


class _Reserved(NamedTuple):
    """What decoys must not say."""

    forms: dict[str, str]
    """Words that no decoy holds, and what they are a form of."""
    names: dict[str, str]
    """Texts that are no decoys, and what they are a name of."""
    parts: dict[str, str]
    """Words that may not begin or end with a word of a decoy, nor the other way round."""


def _fault(decoy: str, reserved: _Reserved, max_words: int) -> str:
    said = tokens(decoy)
    if not 0 < len(said) <= max_words:
        return f"has {len(said)} words, not 1 to {max_words}"
    whole = " ".join(said)
    for part in (*said, whole, "".join(said)):
        if part in reserved.forms:
            return f"repeats {reserved.forms[part]}"
    if whole in reserved.names:
        return f"is another name of {reserved.names[whole]}"
    for part in said:
        for word, of in reserved.parts.items():
            if len(part) >= _PART and part not in _STOP and _joined(*sorted((part, word), key=len)):
                return f"shares a part with {of}"
    return ""


def _joined(short: str, long: str) -> bool:
    return long.startswith(short) or long.endswith(short)


@lru_cache(maxsize=256)
def _reserve(category: str, words: tuple[str, ...], wordnet: tuple[str, ...]) -> _Reserved:
    reserved = _Reserved({}, {}, {})
    for said, text in [("the category", category), *((f"the word {w!r}", w) for w in words)]:
        parts = [token for token in tokens(text) if token not in _STOP]
        for part in (*parts, " ".join(parts), "".join(parts)):
            for form in forms(part) | derivations(part):
                reserved.forms.setdefault(form, said)
        for part in parts:
            if len(part) >= _PART:
                reserved.parts.setdefault(part, said)
    names = [("the category", name) for name in category_synonyms(category, words, wordnet)]
    for word, sense in zip(words, senses_for(words, wordnet or category), strict=True):
        names += [(f"the word {word!r}", name) for name in (sense.words if sense else ())]
    for said, name in names:
        for form in forms(name):
            reserved.names.setdefault(" ".join(tokens(form)), said)
    return reserved


def _reserved(category: str, words: Sequence[str], wordnet: Sequence[str]) -> _Reserved:
    return _reserve(category, tuple(words), tuple(wordnet))


@lru_cache(maxsize=1 << 14)
def _stems(term: str) -> frozenset[str]:
    """What two decoys may not share: words of the same stem, or the opposite."""
    opposites = (o.word for sense in senses(term) for o in sense.related("antonym"))
    parts = (*tokens(term), "".join(tokens(term)), *opposites)
    return frozenset(form for part in parts for form in forms(part) | derivations(part))


@lru_cache(maxsize=4096)
def _terms(sense: Synset, tops: frozenset[Synset]) -> dict[str, tuple[float, str]]:
    """What goes with a sense: how much each term counts, and the kind of way it was reached by."""
    found: dict[str, tuple[float, str]] = {}
    for term, worth, kind in _gather(sense, tops):
        counts = worth * (0.5 if term in _GENERIC else 1.0)
        if term not in found or counts > found[term][0]:
            found[term] = counts, kind
    return found


def _gather(sense: Synset, tops: frozenset[Synset]) -> Iterator[tuple[str, float, str]]:
    above = sense.ancestors()
    inside = {c for c in above if not tops.isdisjoint(c.ancestors())} or above
    for concept in above:
        worth = min(concept.specificity, _MOST)
        name = _name(concept)
        if concept != sense:
            yield name.word, worth * _familiar(name), "broader"
        if worth < _FROM_RELATIONS:
            continue
        for relation, weight in _RELATIONS.items():
            whole = concept in inside or relation != "attribute"
            reached = relation.split("_")[-1] if whole else "above"
            for other in map(_name, concept.related(relation)):
                if not other.scientific:
                    yield other.word, worth * weight * _familiar(other), reached
        if name.word.lower() not in _OPAQUE:
            for made in (*name.related("derivation"), *name.related("pertained")):
                if made.synset.pos != "n" and made.word.islower():
                    yield made.word, worth * _DERIVED * _familiar(made), "derived"
        if concept == sense or worth >= _FROM_KEYWORDS:
            for keyword in concept.keywords:
                typical = keyword_typicality(keyword, sense.lexfile) >= _TYPICAL
                reached = "keyword" if concept in inside else "above" if typical else "far"
                yield _written(keyword), _worth_of(keyword, sense.lexfile, worth), reached


def _worth_of(keyword: str, lexfile: str, most: float) -> float:
    """What a word in a definition counts: familiar ones typical of such definitions the most."""
    specific = min(most, keyword_specificity(keyword))
    pos = max(_KEYWORD, key=lambda pos: tag_count(keyword, pos))
    anyway = _UNTYPICAL[pos]
    typical = anyway + (1 - anyway) * keyword_typicality(keyword, lexfile)
    return specific * typical * _KEYWORD[pos] * _scale(tag_count(keyword))


def _said_by(category: str) -> dict[str, float]:
    """What defines the words of a category's name, and how much each term counts."""
    found: dict[str, float] = {}
    for token in tokens(category):
        for meant in _plain(token):
            if meant.specificity >= _FROM_KEYWORDS:
                for keyword in meant.keywords:
                    if tag_count(keyword, "v") > tag_count(keyword) / 2:
                        continue
                    counts = _BY_NAME * _worth_of(keyword, meant.lexfile, _MOST)
                    found[_written(keyword)] = max(counts, found.get(_written(keyword), 0.0))
    return found


def _own(sense: Synset) -> set[str]:
    """What is said of a sense itself and of the concepts right above it."""
    near = [concept for concept, steps in sense.ancestors().items() if steps < 2]
    return {
        *(_name(concept).word for concept in near[1:]),
        *(_written(keyword) for keyword in sense.keywords),
        *(_name(other).word for relation in _RELATIONS for other in sense.related(relation)),
        *(made.word for word in sense.senses for made in word.related("derivation")),
    }


def _name(concept: Synset) -> Sense:
    """The word of a synset that is used most."""
    return max(concept.senses, key=lambda sense: (sense.count, -sense.id))


def _familiar(sense: Sense) -> float:
    """How familiar a word is in this sense, 0.05 to 1; of a phrase at most as its rarest word."""
    count = tag_count(sense.word) if sense.rank == 1 else sense.count
    if count == 0 and " " in sense.word:
        count = min((tag_count(lemma(part)) for part in tokens(sense.word)), default=0) // 32
    return _scale(count)


def _scale(count: int) -> float:
    return 0.05 + 0.95 * min(math.log2(1 + count) / _FAMILIAR, 1.0)


def _written(keyword: str) -> str:
    """A keyword with a capital if it is never written without."""
    found = {sense.word for sense in senses(keyword)}
    return keyword if keyword in found else min(found)


def _plain(word: str) -> tuple[Synset, ...]:
    """What a word means nearly always; nothing unless it is a noun with one common sense."""
    found = senses(word, "n") if word not in _STOP else ()
    counts = [sense.count for sense in found]
    plain = found and 3 * counts[0] >= 2 * sum(counts) and 2 * sum(counts) >= tag_count(word)
    return (found[0].synset,) if plain else ()
