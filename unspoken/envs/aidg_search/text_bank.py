"""Recognises a question of the bank in other words.

A wording is compared with every text and form of the bank under keys of growing tolerance:
the plain form of the wording; then that form without adverbs such as "usually" and with its
words in any order, where a preposition stays with the word it governs. A key that two questions
of the bank share decides nothing, so a wording is never given to the wrong one of two questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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
_ADVERBS = word_set("usually often ordinarily")
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
_PLACES = word_set("in on inside within at in|on inside|on")
_DONE = "+"

# --- for the loosest key ---
_LOOSE_PHRASES = [
    (re.compile(rf"\b(?:{pattern})\b"), by)
    for pattern, by in (
        (r"(?:has|was|is) it (?:been )?man-made", "is it man-made"),
        (r"(?:hazardous|risky|harmful|threatening|a (?:danger|hazard|threat|risk)) (?:to|for)",
         "dangerous to"),
        (r"dangerous for", "dangerous to"),
        (r"(?:adult|grown|fully grown|grown-up|grown up) (?:person|human|man|woman|people|adult)"
         r"|grown-up|grown up", "adult"),
        (r"(?:person|human|someone|our|your|people) (?=bod(?:y|ies)\b)", ""),
        (r"pick it up|lift it up|lift it off the ground", "lift it"),
        (r"pick up|lift up", "lift"),
        (r"(?:with|using)(?: just| only| a)? (?:one|a)?(?: single)?(?: of (?:his|her|their) )?"
         r" ?(?<=[a-z] )hand(?: only| alone)?", "with one hand"),
        (r"(?:a )?single (?=person|human|adult)", "one "),
        (r"(?:on|of|by) (?:its|their) own(?: accord| power)?|all by itself|by itself|independently"
         r"|under its own power|itself", "by-itself"),
        (r"at the same time|at one time|at a time|simultaneously|all at once|at once", "at-once"),
        (r"each day|every single day|day after day|each and every day", "every-day"),
        (r"before (?:it is|it gets|being|you) eaten|before (?:eating|consuming|you eat|you consume)"
         r"(?: it)?|before (?:it is|being) consumed|before consumption", "before-eating"),
        (r"underground|(?:under|beneath|below|underneath) (?:the )?(?:ground|soil|earth|dirt|"
         r"surface of the (?:ground|earth))|in the (?:ground|soil|earth) under the (?:ground|soil)",
         "under ground"),
        (r"in (?:terms of )?(?:shape|size|colou?r|its shape|its size)(?= than|$)", ""),
        (r"covered (?:in|by|with)", "covered with"),
        (r"come across|run into|stumble upon|spot|discover", "find"),
        (r"lots of|plenty of|loads of|a (?:lot|large number|wide range|great many|variety) of|"
         r"various|numerous", "many"),
        (r"on board(?: of)?|aboard", "on"),
        (r"in order to|so as to", "to"),
        (r"(?:at|in|within|for) all(?= |$)", ""),
        (r"right now|at the moment|at present|these days|as of now|in any way", ""),
        (r"(?:quite|rather|fairly|pretty) often|a lot of the time|most of the time|as a rule|"
         r"in general|for the most part|regularly|tends? to(?= )", ""),
        (r"(?:is|be) (?:equipped|fitted|supplied|provided) with", "have"),
        (r"(?<=do it )(?:contain|possess|feature|include|come with|hold)", "have"),
        (r"(?<=does it )(?:contain|possess|feature|include|come with)", "have"),
        (r"(?<=is it )for (?=\w+ing\b)", "used for "),
        (r"such as|for example|for instance|eg", "like"),
    )
]
_LOOSE = {
    "hazardous": "dangerous",
    "harmful": "dangerous",
    "someone": "person",
    "somebody": "person",
    "anyone": "person",
    "anybody": "person",
    "you": "person",
    "we": "person",
    "us": "person",
    "me": "person",
    "i": "person",
    "men": "person",
    "may": "can",
    "might": "can",
    "are": "is",
    "beneath": "under",
    "below": "under",
    "underneath": "under",
    "soil": "ground",
    "earth": "ground",
    "dirt": "ground",
    "into": "in",
    "inside": "in",
    "within": "in",
    "onto": "on",
    "upon": "on",
    "round": "round",
    "using": "with",
    "odor": "smell",
    "odour": "smell",
    "scent": "smell",
    "image": "picture",
    "photo": "picture",
    "photograph": "picture",
    "costly": "expensive",
    "pricey": "expensive",
    "mounted": "fixed",
    "attached": "fixed",
    "fastened": "fixed",
    "huge": "big",
    "home": "house",
    "emit": "give-off",
    "largely": "mostly",
    "chiefly": "mostly",
    "predominantly": "mostly",
    "produce": "make",
    "typical": "usual",
    "carnivorous": "meat-eating",
    "located": "found",
    "seen": "found",
    "buy": "buy",
    "purchase": "buy",
    "purchased": "bought",
    "transport": "carry",
    "handheld": "hand-held",
}
_LOOSE_NEUTRAL = word_set(
    "thing things something anything object objects item items other that which currently already "
    "nowadays presently up normal simple common one-or-more their his her our my indeed else just-one "
    "quite simply basically essentially itself either"
)
_STRENGTH = word_set("mostly ever always never only exactly rarely")
_LISTED = re.compile(
    r" , (?=(?:(?:a|an|the|some|any|its|your) )?[a-z-]+"
    r"(?: ,(?: (?:a|an|the|some|any|its|your))? [a-z-]+){0,6} (?:, )?or )"
)
_PREPOSITION = rf"(?:{'|'.join(sorted(PREPOSITIONS))})"
_ALTERNATIVES = [
    (re.compile(pattern), by)
    for pattern, by in (
        (r"(?<!\S)(\S+) it or (\S+) it(?!\S)", r"\1 or \2 it"),
        (rf"(?<!\S)({_PREPOSITION}) (\S+) or \1 (?!it)", r"\1 \2 or "),
        (rf"(?<!\S)({_PREPOSITION}) (\S+) or ({_PREPOSITION}) (?:it|\2)(?!\S)", r"\1 or \3 \2"),
    )
]


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
        index = self._find(line)
        if index < 0 and (" ," in line or _MAY_HOLD_ASIDE.search(line)):
            return self._without_aside(line)
        return index

    def _without_aside(self, line: str) -> int:
        """The question of a line without its examples or restatement; see `find`."""
        if match := _EXAMPLES.search(line):
            return self._find(line[: match.start()])
        if match := _RESTATED.search(line):
            first, again = self._find(line[: match.start()]), -1
            for frame in ("", "is it ", "is it a "):
                if again < 0:
                    again = self._find(frame + match["again"])
            whole = _ASKS_AGAIN.match(match["again"]) is not None
            return again if again == first or (whole and first < 0) else -1
        return -1

    def _find(self, line: str) -> int:
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
    short = plain(bare)
    for pattern, by in _PHRASES:
        short = pattern.sub(by, short)
    words = [_SYNONYMS.get(w, w) for w in short.split()]
    words = [_singular(w) for w in words if w not in _NEUTRAL]
    ordered = tuple(words)
    words = [_SYNONYMS.get(w, w) for w in words if w not in _ADVERBS]
    words = _active(words, _PASSIVE.get)
    if len(words) < 3:
        return bare, ordered
    bag = (words[0], words[1], tuple(sorted(_governed(words[2:]))))
    return bare, ordered, bag, _loose_key(line)


def _loose_key(line: str) -> object:
    """The key that tolerates most: what is asked, whoever is named as the one who does it."""
    line = _LISTED.sub(" or ", line.replace(" , or ", " or "))
    line = plain(" ".join([w for w in line.split() if w[0].isalnum()]))
    for pattern, by in _PHRASES + _LOOSE_PHRASES:
        line = pattern.sub(by, line)
    words = line.split()
    for i in range(len(words) - 1):  # "for cutting" is "to cut"
        if words[i] == "for" and words[i + 1].endswith("ing"):
            words[i] = "to"
    words = [_LOOSE.get(w, w) for w in (_SYNONYMS.get(w, w) for w in words)]
    words = [
        _lemma(_singular(w))
        for w in words
        if w not in _NEUTRAL and w not in _ADVERBS and w not in _LOOSE_NEUTRAL
    ]
    words = [_LOOSE.get(w, w) for w in words]
    strength = [w for w in words[1:4] if w in _STRENGTH]  # "do you mostly use it"
    words = [w for i, w in enumerate(words) if not (1 <= i < 4 and w in _STRENGTH)] + strength
    words = _framed(_active(words, _infinitive))
    rest = " ".join(words[2:])
    for pattern, by in _ALTERNATIVES:
        rest = pattern.sub(by, rest)
    return "loose", *words[:2], tuple(sorted(_governed(_grouped(rest.split()))))


def _active(words: list[str], infinitive: Callable[[str], str | None]) -> list[str]:
    """Turn "is it used for" into "do you use it for"; anybody as "you"; seeing as finding."""
    if len(words) > 2 and words[0] in ("do", "can") and words[1] in _ANYBODY:
        words = [words[0], "you", *words[2:]]
        if words[2:3] == ["see"]:
            words[2] = "find"
        if words[2:4] == ["find", "it"]:
            words[0] = "do"
        return words
    if words[:2] == ["can", "it"] and words[2:3] == ["be"] and len(words) > 3:
        participle, aux, rest = words[3], "can", words[4:]
    elif words[:2] == ["is", "it"] and len(words) > 2:
        participle, aux, rest = words[2], "do", words[3:]
    else:
        return words
    verb = infinitive(participle)
    if verb is None:
        return words
    if rest[:2] == ["by", "person"]:
        rest = rest[2:]
    return ["do" if verb == "find" else aux, "you", verb, "it", *rest]


def _infinitive(participle: str) -> str | None:
    """The verb of a participle that `_lemma` has not changed beyond recognition, or None."""
    return participle.removesuffix(_DONE) if participle.endswith(_DONE) else None


def _framed(words: list[str]) -> list[str]:
    """Turn "is there X in it" and "do you find X on it" into "do it have X"."""
    if words[-2:-1] and words[-2] in _PLACES and words[-1] == "it":
        if words[:2] == ["is", "there"]:
            return ["do", "it", "have", *words[2:-2]]
        if words[:3] == ["do", "you", "find"] and words[3] != "it":
            return ["do", "it", "have", *words[3:-2]]
        if words[:3] == ["do", "it", "have"]:
            return words[:-2]
    return words


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
    return word.split("|", 1)[0] in PREPOSITIONS or word == "on-top-of"


def _governed(words: list[str]) -> Iterator[str]:
    """Words, a preposition joined to the word after it, since word order there makes the sense."""
    i = 0
    while i < len(words):
        j = i
        while _is_preposition(words[j]) and j + 1 < len(words):
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
        word = _undoubled(word[:-3])
    return word.removesuffix("e")


def _lemma(word: str) -> str:
    """`_stem` for any verb; a participle ends in `_DONE` then."""
    if word in _PASSIVE:
        return _PASSIVE[word].removesuffix("e") + _DONE
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y" + _DONE
    if word.endswith("ed") and len(word) > 4 and word[-3] != "e":
        return _undoubled(word[:-2]).removesuffix("e") + _DONE
    return _stem(word) if len(word) > 3 else word


def _undoubled(word: str) -> str:
    return word[:-1] if word[-1] == word[-2] and word[-1] not in "sl" else word
