"""Forms of words: "mice" and "mouse", "running" and "run", "happier" and "happy"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from unspoken.lexicon.wordnet import base_forms, exceptions, readings, senses, spelling, tag_count

_FUNCTION_WORDS = """
a about against all although am among amongst an and any anybody anyone anything are as at be
because been being but by can cannot could did do does during everybody everyone everything for
from had has have he her hers herself him himself his how i if in into is it its itself may me
might mine must my myself nor not of on onto or our ours ourselves per shall she should since so
some something such than that the their theirs them themselves then there these they this
those to too toward towards unless until upon us very via was we were what when where
whereas whether which who whoever whom whose why will with without would you your yours yourself
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Say nothing by themselves; up, down and other particles that do are not among them."""

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SYLLABLE = re.compile(r"[aeiouy]+")


def tokens(text: str) -> tuple[str, ...]:
    """The words of a text in lower case; hyphens part them, a possessive 's is dropped."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return tuple(token.removesuffix("'s") for token in _TOKEN.findall(folded))


@lru_cache(maxsize=1 << 14)
def lemma(word: str) -> str:
    """The base form of a word or phrase: "mice" is "mouse", "running" is "run".

    Of several readings the one that is most common in tagged text; a noun that only looks like a
    verb form ("evening", "rose") is not taken for one. A word that WordNet does not know stays.

    Returns:
        the base form in lower case; the base form of a base form is itself.
    """
    base = spelling(word)
    while True:
        others = [reading for reading in readings(base) if reading[0] != base]
        best = max(others, key=lambda reading: tag_count(*reading), default=None)
        if best is None or (senses(base) and tag_count(*best) <= tag_count(base)):
            return base
        base = best[0]


@lru_cache(maxsize=1 << 14)
def forms(word: str) -> frozenset[str]:
    """All inflections of a word or phrase, and of what it is a form of.

    Plurals, verb forms, comparatives and superlatives, for each part of speech that WordNet has
    the word in; an unknown word is inflected as noun and verb. Meant for recognising forms: some
    are rare or non-standard ("mouses").

    Args:
        word: any text; of a phrase the last word is inflected, of a verb phrase also the first.

    Returns:
        forms in lower case with single spaces; the word itself is always among them.
    """
    same = " ".join(word.lower().split())
    base_of = readings(word) or ((same, "n"), (same, "v"))
    found = {same, spelling(word), *(base for base, _ in base_of)}
    for base, pos in base_of:
        found.update(_inflections(base, pos))
    return frozenset(found)


@cache
def _irregular(pos: str) -> dict[str, tuple[str, ...]]:
    """The irregular forms of each lemma."""
    found: dict[str, list[str]] = {}
    for form, lemmas in exceptions(pos).items():
        for base in lemmas:
            found.setdefault(base, []).append(form)
    return {base: tuple(of_base) for base, of_base in found.items()}


def _inflections(base: str, pos: str) -> Iterator[str]:
    irregular = _irregular(pos).get(base, ())
    yield from irregular
    if " " in base:
        first, _, rest = base.partition(" ")
        start, _, last = base.rpartition(" ")
        yield from (f"{start} {form}" for form in _inflections(last, "n"))
        if pos == "v":
            yield from (f"{form} {rest}" for form in _inflections(first, "v"))
        return
    for form in _regular(base, pos):
        # beside "hopped" and "saw" there is no "hoped" and "seed": they are of other words
        if not irregular or set(base_forms(form, pos)) <= {base}:
            yield form


def _regular(base: str, pos: str) -> Iterator[str]:
    if not base[-1:].isalpha() or "'" in base:
        return
    consonant_y = base.endswith("y") and base[-2:-1] not in "aeiou"
    if pos in "nv":
        if base.endswith(("s", "x", "z", "ch", "sh")):
            yield base + "es"
        elif consonant_y:
            yield base[:-1] + "ies"
        else:
            yield base + "s"
        if base.endswith("o"):
            yield base + "es"
        if pos == "n" and base.endswith("man"):
            yield base[:-3] + "men"
    stem = base[:-1] + "i" if consonant_y else base.removesuffix("e")
    syllables = len(_SYLLABLE.findall(stem))
    if syllables == 1 and re.search(r"[^aeiou][aeiou][^aeiouwxy]$", base):
        stem = base + base[-1]
    if pos == "v":
        yield stem + "ed"
        if base.endswith("ie"):
            yield base[:-2] + "ying"
        elif base.endswith(("ee", "oe", "ye")) or consonant_y or not syllables:
            yield base + "ing"
        else:
            yield stem + "ing"
    if pos == "a" and (syllables == 1 or base.endswith(("y", "le", "ow", "er"))):
        yield stem + "er"
        yield stem + "est"
