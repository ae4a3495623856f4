"""The key that tolerates most: what a question asks, in whatever words and order.

A wording is brought to base forms and to one word for each meaning (`thesaurus`), then to a plain
statement that begins with who does it: "Is it used by people?" and "Do they use this?" both
become "you use it". What is left is compared as a bag of words, a preposition joined to its noun.
A word that no rule knows stays in the key, so that a question is never taken for a broader one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise

from unspoken.envs.aidg_search.interpreter.clauses import plain
from unspoken.envs.aidg_search.interpreter.clean import word_set
from unspoken.envs.aidg_search.interpreter.frames import ERGATIVE, stated
from unspoken.envs.aidg_search.interpreter.guess import PREPOSITIONS
from unspoken.envs.aidg_search.interpreter.thesaurus import statements, thesaurus

_STRENGTH = word_set("mostly mainly primarily ever always never only exactly rarely")
# What people do if they can.
_CAN_BE = word_set("find buy sit walk climb steer fold roll put keep store lift")
# What a thing does when it is used to do it. "Used to eat" is not "eats".
_DOES = word_set(
    "record protect fasten hold dig cut make tell store carry keep "
    "show give-off connect repair "
    "build decorate display inform measure support write send paint"
)
_LISTED = re.compile(
    r" , (?=(?:(?:a|an|the|some|any|its|your) )?[a-z-]+"
    r"(?: ,(?: (?:a|an|the|some|any|its|your))? [a-z-]+){0,6} (?:, )?or )"
)
_PREPOSITION = rf"(?:{'|'.join(sorted(PREPOSITIONS))})"
_ALTERNATIVES = [
    (re.compile(pattern), by)
    for pattern, by in (
        (r"(?<!\S)(\S+) (\S+) or \1 (?=\S+(?!\S))", r"\1 \2 or "),
        (r"(?<!\S)(\S+) (?:it|stuff) or (\S+) (?:it|stuff)(?!\S)", r"\1 or \2 it"),
        (rf"(?<!\S)({_PREPOSITION}) (\S+) or \1 (?!it)", r"\1 \2 or "),
        (rf"(?<!\S)({_PREPOSITION}) (\S+) or ({_PREPOSITION}) (?:it|\2)(?!\S)", r"\1 or \3 \2"),
    )
]
_ASKED = [
    (re.compile(pattern), by)
    for pattern, by in (
        (
            r"^is it (?:(?:made|good|meant|intended|designed|there|suitable|"
            r"used|employed|useful) )?for (?=\w\w+ing\b)",
            "is it used to ",
        ),
        (
            r"^is it (?:usually |often |normally )?(?=(?:standing|lying|hanging|"
            r"sitting|resting|"
            r"growing|living|burning|moving|making|having|swimming|flying|dangling)\b)",
            "does it ",
        ),
    )
]
_KIND = re.compile(r"\b(?:kind|sort|type)s? of (?=\w)| of (?:some|any) (?:kind|sort|type)s?\b")
_KEEPING = word_set("put keep carry store hold support")

Key = tuple[object, ...]


@lru_cache(maxsize=4096)
def sense(line: str) -> tuple[Key, ...]:
    """What a wording asks, as keys of growing tolerance; none where it is too short."""
    return tuple(_agreed(key) for key in _keys(statement(line)))


def statement(line: str) -> list[str]:
    """A line as a plain statement in base forms."""
    if " , " in line:
        line = _LISTED.sub(" or ", line.replace(" , or ", " or "))
    table = thesaurus()
    line = _KIND.sub("", line)
    for pattern, by in _ASKED:
        line = pattern.sub(by, line, count=1)
    words = table.words(plain(" ".join([w for w in line.split() if w[0].isalnum()])))
    words = table.rewritten(words)
    if words and words[0] in ("might", "may"):
        words[0] = "can"
    strength = [w for w in words[1:5] if w in _STRENGTH]
    if strength:
        words = [w for i, w in enumerate(words) if not (1 <= i < 5 and w in _STRENGTH)]
    return table.rewritten(stated(words)) + strength


def _keys(words: list[str]) -> Iterator[Key]:
    """The keys of a statement: as it is, and where "can" and "does" are alike."""
    if len(words) < 2:
        return
    if words[:2] == ["you", "can"] and words[2:3] and words[2] in _CAN_BE:
        words = ["you", *words[2:]]
    if words[:4] in (["you", "use", "it", "to"], ["you", "use", "it", "for"]):
        words = ["it", *words[4:]] if words[4:5] and words[4] in _DOES else words
    if "five" in words and "at-once" in words:
        words = [w for w in words if w != "at-once"]
    ergative = next((w for w in words[1:3] if w in ERGATIVE), None)
    if words[0] == "you" and ergative and _object_of(words):
        words = ["it", *[w for w in words[1:] if w != "it"]]
    rest = words[1:]
    if _KEEPING.isdisjoint(rest):
        rest = [w for w in rest if w != "stuff"]
    while rest and rest[-1] in ("from", "for", "to", "with") and len(rest) > 2:
        rest = rest[:-1]
    text = " ".join(rest)
    if "or" in rest:
        for pattern, by in _ALTERNATIVES:
            text = pattern.sub(by, text)
    grouped = _grouped(text.split())
    bag = sorted(w for w in _governed(grouped) if w not in ("it", "its", "there", "up"))
    yield words[0], *bag
    if words[0] == "it" and "can" in bag and "be" not in bag:
        yield words[0], *[w for w in bag if w != "can"]


def _object_of(words: list[str]) -> bool:
    """Whether something is done to it: "you hang it", not "you hang things on it"."""
    return any(w == "it" and not _is_preposition(before) for before, w in pairwise(words))


def _grouped(words: list[str]) -> list[str]:
    """Make one word, in alphabetical order, of alternatives: "motor or engine"."""
    grouped: list[str] = []
    for i, word in enumerate(words):
        if i > 1 and words[i - 1] == "or" and len(grouped) > 1 and "it" not in (word, grouped[-2]):
            before = grouped[-2]
            if before != "or" and _is_preposition(before) == _is_preposition(word):
                grouped[-2:] = ["|".join(sorted({*before.split("|"), word}))]
                continue
        grouped.append(word)
    return grouped


def _is_preposition(word: str) -> bool:
    return word.split("|", 1)[0] in PREPOSITIONS


def _governed(words: list[str]) -> Iterator[str]:
    """Words, a preposition joined to the word after it, since word order there makes the sense."""
    i = 0
    while i < len(words):
        j = i
        while _is_preposition(words[j]) and j + 1 < len(words):
            j += 1
        yield " ".join(words[i : j + 1]) if words[i:j] != ["for"] else f"to {words[j]}"
        i = j + 1


@cache
def _agreements() -> dict[Key, Key]:
    """Keys of statements that mean the same, to the key of one of them."""
    table = thesaurus()
    agreements: dict[Key, Key] = {}
    for meaning, ways in statements():
        keys = list(_keys(table.rewritten(table.words(meaning))))
        for way in ways:
            for key in _keys(table.rewritten(table.words(way))):
                if key != keys[-1]:
                    agreements.setdefault(key, keys[-1])
    return agreements


def _agreed(key: Key) -> Key:
    return _agreements().get(key, key)
