"""Words of one stem and words made of others: told by their letters, and by what they mean.

Letters alone take "number" for a form of "numb" and "carpet" for a pet; WordNet links only some of
what belongs together. Letters propose and vectors decide, as in Schone and Jurafsky (2000),
"Knowledge-free induction of morphology using latent semantic analysis".
"""

from __future__ import annotations

import re
from functools import lru_cache

from unspoken.lexicon.vectors import known, similarity
from unspoken.lexicon.wordnet import derivations, senses, shared_start, tag_count

_SUFFIXES = """
a able age al an ance ancy ant ar ard ary ate ation ative cy d dom e ean ed eer en ence ency ent
eous er ery ess est ety ful hood ia ial ian iard ible ic ical ics ie ify ing ion ious ise ish ism
ist ition ity ive ize less let like ling logy ly man ment ness on or ory ous red ress ric ry ship
sion some t te th tic tical tion ty ulent ve woman y
"""
_LONGER = "|".join(suffix for suffix in _SUFFIXES.split() if len(suffix) > 1)
_ENDING = re.compile(f"(?:i?(?:{'|'.join(_SUFFIXES.split())})|(?:i?(?:{_LONGER})){{2}})?")
_PREFIX = re.compile("be|dis|em|en|il|im|in|ir|mis|non|re|un")
_STEM = 3
"""Letters that a stem, or a part of a compound, has at least."""
_UNLIKE, _LIKE, _ALIKE = 0.3, 0.43, 0.65
"""Cosines: less than the first is chance in spite of a link; more than the second is kinship where
the stem is the same, more than the third where only its consonants are. Chosen on pairs such as
number/numb (0.10), star/stare (0.24), pear/pearl (0.39), and pottery/potter (0.45), deceit/deceive
(0.53), theft/thief (0.72)."""


@lru_cache(maxsize=1 << 14)
def kin(word: str) -> frozenset[str]:
    """`derivations`, without those that have nothing to do with the word: "mare" and "Mars"."""
    return frozenset(d for d in derivations(word) if not _known(word, d) or _cos(word, d) > _UNLIKE)


@lru_cache(maxsize=1 << 16)
def same_stem(a: str, b: str) -> bool:
    """Whether words have a stem in common, and mean what is near: "wisdom" and "wise".

    They may differ in endings, a negation or another prefix, or else in the vowels ("thief").

    Args:
        a: a single word in lower case.
        b: another.
    """
    if a == b or min(len(a), len(b)) < _STEM or starts(a).isdisjoint(starts(b)):
        return False
    for one in _bare(a):
        for other in _bare(b):
            stem = one[: shared_start(one, other)]
            rests = one[len(stem) :], other[len(stem) :]
            if len(stem) >= _STEM and all(_is_ending(rest, stem[-1]) for rest in rests):
                return _belongs(stem, a, b)
    return a[:2] == b[:2] and _same_consonants(a, b) and _known(a, b) and _cos(a, b) > _ALIKE


@lru_cache(maxsize=1 << 14)
def starts(word: str) -> frozenset[str]:
    """Two letters that words of one stem have in common, with or without a prefix."""
    return frozenset(bare[:2] for bare in _bare(word))


@lru_cache(maxsize=1 << 14)
def _bare(word: str) -> tuple[str, ...]:
    """A word, and what it is without a prefix."""
    return word, _PREFIX.sub("", word, count=1) if _PREFIX.match(word) else word


def _is_ending(rest: str, last: str) -> bool:
    """Whether what follows a stem is an ending; the stem's last letter may be doubled."""
    return bool(_ENDING.fullmatch(rest) or (rest[:1] == last and _ENDING.fullmatch(rest[1:])))


def _belongs(stem: str, a: str, b: str) -> bool:
    """Whether words that differ in endings are near in meaning; a long stem tells of rare ones."""
    if _is_kind(a, b) or _is_kind(b, a):
        return True
    if is_name(a) != is_name(b):
        return False
    if _known(a, b):
        return _cos(a, b) > _LIKE
    return len(stem) > _STEM and bool(senses(a) and senses(b))


def _same_consonants(a: str, b: str) -> bool:
    """Whether the consonants of one word, three or more, begin those of the other."""
    one, other = sorted((re.sub("[aeiouy]", "", word) for word in (a, b)), key=len)
    return len(one) >= _STEM and other.startswith(one)


@lru_cache(maxsize=1 << 16)
def is_made_of(word: str, part: str) -> bool:
    """Whether a word is a compound of another and a third: "applesauce" of "apple".

    It is if the rest is a word too, and the whole is a kind of what stands last ("football"), or
    near the part in meaning; no name is one ("Newton").

    Args:
        word: a single word in lower case.
        part: a shorter one.
    """
    if len(part) < _STEM or part not in word or is_name(word):
        return False
    for rest in (word.removeprefix(part), word.removesuffix(part)):
        if _STEM <= len(rest) < len(word) and _is_part(rest):
            end = rest if word.endswith(rest) else part
            if _ENDING.fullmatch(end):
                continue
            if not senses(word):  # "snowmonster", and not "Paddington"
                return min(len(part), len(rest)) > _STEM
            head = rest if end == rest else part
            return _is_kind(word, head) or not known(word) or _cos(word, part) > _LIKE
    return False


def _is_part(rest: str) -> bool:
    """Whether the rest of a compound is a word, and a familiar one if it is short."""
    familiar = len(rest) > _STEM or tag_count(rest) > 0
    return familiar and bool(senses(rest)) and not is_name(rest)


def is_another(form: str, word: str) -> bool:
    """Whether a form of a word is rather a word of its own, as "number" is beside "numb"."""
    if form in (word, word + "s", word + "es") or not senses(form):
        return False
    return _known(form, word) and _cos(form, word) < _LIKE and form not in kin(word)


def is_name(word: str) -> bool:
    """Whether WordNet has a word as a name only."""
    own = senses(word)
    return bool(own) and not any(sense.word[0].islower() for sense in own)


def _is_kind(word: str, of: str) -> bool:
    """Whether one of a word's meanings is another's, or stands below it."""
    tops = {sense.synset for sense in senses(of, "n")}
    return any(not tops.isdisjoint(sense.synset.ancestors()) for sense in senses(word, "n"))


def _known(a: str, b: str) -> bool:
    return known(a) and known(b)


def _cos(a: str, b: str) -> float:
    return float(similarity([a], [b])[0, 0])
