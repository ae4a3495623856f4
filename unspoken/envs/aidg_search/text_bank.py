"""Recognises a question of the bank in other words.

A wording is compared with every text and form of the bank under keys of growing tolerance:
the plain form of the wording; then that form without adverbs such as "usually" and with its
words in any order, where a preposition stays with the word it governs. A key that two questions
of the bank share decides nothing, so a wording is never given to the wrong one of two questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from unspoken.envs.aidg_search.ontology import Question
from unspoken.envs.aidg_search.text_clauses import lead, plain, with_subject, without_tail
from unspoken.envs.aidg_search.text_clean import sentences, spoken, tokenise, word_set
from unspoken.envs.aidg_search.text_guess import PREPOSITIONS

_SYNONYMS = {
    "larger": "bigger",
    "large": "big",
    "color": "colour",
    "colors": "colour",
    "colored": "coloured",
    "gray": "grey",
    "jewelry": "jewellery",
    "human": "person",
    "humans": "person",
    "people": "person",
    "children": "child",
    "kid": "child",
    "automobile": "car",
    "traveling": "travelling",
    "manmade": "man-made",
    "human-made": "man-made",
    "artificial": "man-made",
    "ocean": "sea",
    "store": "shop",
    "pants": "trousers",
    "gift": "present",
    "noise": "sound",
    "feet": "foot",
    "teeth": "tooth",
    "leaves": "leaf",
    "commonly": "often",
    "frequently": "often",
    "typically": "usually",
    "normally": "usually",
    "generally": "usually",
    "primarily": "mostly",
    "mainly": "mostly",
    "1": "one",
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "1000": "thousand",
    "living": "alive",
    "would": "do",
    "does": "do",
    "will": "do",
    "could": "can",
    "encounter": "find",
    "see-through": "transparent",
}
_PHRASES = [
    (re.compile(rf"\b{pattern}\b"), by)
    for pattern, by in (
        (r"man made|made by (?:humans|people|man|mankind|human hands)|human made", "man-made"),
        (r"made (?:out of|from|up of)", "made of"),
        (r"human beings?", "person"),
        (r"(?:living|alive) (?=thing|being|creature|organism)", "living-"),
        (r"inside of", "inside"),
        (r"outside of", "outside"),
        (r"on top of", "on-top-of"),
        (r"(?:this|that) (?:object|thing|item)", "it"),
        (r"every day|daily|on a daily basis", "every-day"),
        (r"in everyday life", "every-day"),
    )
]
_NEUTRAL = word_set(
    "a an the any some your its one's someone's such also actually really typical average "
    "ordinary regular standard"
)
_ADVERBS = word_set("usually often mostly ordinarily")
_ANYBODY = word_set("you person one we someone somebody anyone i folk")
_PASSIVE = {
    "used": "use",
    "found": "find",
    "worn": "wear",
    "eaten": "eat",
    "seen": "find",
    "kept": "keep",
    "held": "hold",
    "carried": "carry",
    "bought": "buy",
    "ridden": "ride",
    "lifted": "lift",
    "folded": "fold",
    "climbed": "climb",
    "thrown": "throw",
}


class Bank:
    """The questions of an ontology, indexed by their wordings.

    Args:
        questions: the questions; an index into them is what `find` returns.
    """

    def __init__(self, questions: tuple[Question, ...]) -> None:
        self._keys: dict[object, int | None] = {}
        self._vocabulary: set[str] = set()
        for index, question in enumerate(questions):
            for wording in (question.text, *question.forms):
                self._vocabulary.update(as_line(wording).split())
                for key in _keys(as_line(wording)):
                    if self._keys.setdefault(key, index) != index:
                        self._keys[key] = None
        for index, question in enumerate(questions):  # a text or form is always itself
            for wording in (question.text, *question.forms):
                self._keys[_keys(as_line(wording))[0]] = index

    def knows(self, word: str) -> bool:
        """Whether a word occurs in the bank."""
        return word in self._vocabulary

    def find(self, line: str) -> int:
        """Index of the question that a line of words asks, -1 if the bank does not hold it."""
        index = self._keys.get(line)
        if index is not None:
            return index
        for key in _keys(line):
            index = self._keys.get(key)
            if index is not None:
                return index
        return -1


@lru_cache(maxsize=4096)
def as_line(text: str) -> str:
    """A single question as a line of words without filler."""
    parts = list(sentences(spoken(text)))
    if not parts:
        return ""
    sentence = tokenise(" ".join(reversed(parts)))
    words, spans = list(sentence.words), list(sentence.spans)
    with_subject(words, spans)
    line = " ".join(words)
    skip, _ = lead(line)
    return without_tail(" ".join(words[skip:]))


@lru_cache(maxsize=4096)
def _keys(line: str) -> tuple[object, ...]:
    """The keys of a wording, strictest first."""
    bare = " ".join([w for w in line.split() if w[0].isalnum()])
    line = plain(bare)
    for pattern, by in _PHRASES:
        line = pattern.sub(by, line)
    words = [_SYNONYMS.get(w, w) for w in line.split()]
    words = [_singular(w) for w in words if w not in _NEUTRAL]
    ordered = tuple(words)
    words = [_SYNONYMS.get(w, w) for w in words if w not in _ADVERBS]
    words = _active(words)
    if len(words) < 3:
        return bare, ordered
    return bare, ordered, (words[0], words[1], tuple(sorted(_governed(words[2:]))))


def _active(words: list[str]) -> list[str]:
    """Turn "is it used for" into "do you use it for"; anybody as "you"; seeing as finding."""
    if len(words) > 2 and words[0] in ("do", "can") and words[1] in _ANYBODY:
        words = [words[0], "you", *words[2:]]
        if words[2:3] == ["see"]:
            words[2] = "find"
        if words[2:4] == ["find", "it"]:
            words[0] = "do"
        return words
    if words[:2] == ["can", "it"] and words[2:3] == ["be"] and len(words) > 3:
        verb, aux, rest = words[3], "can", words[4:]
    elif words[:2] == ["is", "it"] and len(words) > 2:
        verb, aux, rest = words[2], "do", words[3:]
    else:
        return words
    if verb not in _PASSIVE:
        return words
    if rest[:2] == ["by", "person"]:
        rest = rest[2:]
    verb = _PASSIVE[verb]
    return ["do" if verb == "find" else aux, "you", verb, "it", *rest]


def _governed(words: list[str]) -> Iterator[str]:
    """Words, a preposition joined to the word after it, since word order there makes the sense."""
    i = 0
    while i < len(words):
        j = i
        while words[j] in PREPOSITIONS and j + 1 < len(words):
            j += 1
        word = words[j]
        if (j > i and word.endswith("ing") and words[i] in ("for", "to")) or (
            j > i and words[i:j] == ["to"]
        ):
            yield "to " + _stem(word)
        else:
            yield " ".join(words[i : j + 1])
        i = j + 1


def _singular(word: str) -> str:
    if len(word) < 4 or word.endswith(("ss", "us", "is", "always")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word.removesuffix("s")


def _stem(word: str) -> str:
    """Make "digging" and "dig", "making" and "make" alike."""
    if word.endswith("ing") and len(word) > 5:
        word = word[:-3]
        if word[-1] == word[-2] and word[-1] not in "sl":
            word = word[:-1]
    return word.removesuffix("e")
