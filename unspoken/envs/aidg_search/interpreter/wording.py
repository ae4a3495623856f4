"""The keys of a wording, under which the bank finds it in other words.

The strictest key is the wording itself. The next ones hold its plain form; that form without
adverbs such as "usually" and with its words in any order, where a preposition stays with the word
it governs; and at last a form in which synonyms are alike, alternatives have no order, and it does
not matter who does a thing or whether it is done. What makes a question another one is in every
key: negation, strength ("always", "only", "mostly", "exactly", "ever") and what is compared with
what.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from unspoken.envs.aidg_search.interpreter.clauses import plain
from unspoken.envs.aidg_search.interpreter.clean import word_set
from unspoken.envs.aidg_search.interpreter.guess import PREPOSITIONS

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
        (
            r"man made|made by (?:humans|people|man|mankind|human hands|human beings?|a person|a "
            r"human(?: being)?|someone)|human made",
            "man-made",
        ),
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
        (
            r"(?:would|will|does|do) it (?:(?:usually|often|typically|normally|commonly|"
            r"generally) )?be",
            "is it",
        ),
        (r"(?:does|do) it (?:often |usually )?(?:serve|function|act) as", "is it"),
        (r"(?:has|was|is) it (?:been )?man-made", "is it man-made"),
        (
            r"(?:(?:closely|strongly|directly) )?(?:linked|connected|associated|related) (?:with|"
            r"to)",
            "linked with",
        ),
        (r"(?:when|while) (?:\w+ )?(?:are |is )?sleep(?:ing)?|during sleep", "when-sleeping"),
        (
            r"(?:when|while) (?:it is |being |in )?(?:being )?us(?:e|ed|ing)(?: it)?|"
            r"(?:when|while) (?:you|one|people|somebody|someone) uses? it",
            "when-used",
        ),
        (r"(?:at least|more than|over) (?=(?:a |one )?(?:thousand|1000) years?)", ""),
        (r"(?<=two |ree |ore |any )of (?:these|those|them)", "of it"),
        (
            r"(?:hazardous|risky|harmful|threatening|a (?:danger|hazard|threat|risk)) (?:to|for)",
            "dangerous to",
        ),
        (r"dangerous for", "dangerous to"),
        (
            r"(?:adult|grown|fully grown|grown-up|grown up) (?:person|human|man|woman|people|adult)"
            r"|grown-up|grown up",
            "adult",
        ),
        (r"(?:person|human|someone|our|your|people) (?=(?:bod(?:y|ies)|homes?|houses?)\b)", ""),
        (r"pick it up|lift it up|lift it off the ground", "lift it"),
        (r"pick up|lift up", "lift"),
        (
            r"(?:with|using|in) (?:just |only |using )*(?:one|a single|one single) hand(?: only| "
            r"alone)?"
            r"|one-handed",
            "with one hand",
        ),
        (r"(?:a )?single (?=person|human|adult)", "one "),
        (
            r"(?:on|of|by) (?:its|their) own(?: accord| power)?|all by itself|by itself|"
            r"independently"
            r"|under its own power|itself",
            "by-itself",
        ),
        (r"at the same time|at one time|at a time|simultaneously|all at once|at once", "at-once"),
        (r"each day|every single day|day after day|each and every day", "every-day"),
        (
            r"before (?:it is|it gets|being|you) eaten|before (?:eating|consuming|you eat|you "
            r"consume)"
            r"(?: it)?|before (?:it is|being) consumed|before consumption",
            "before-eating",
        ),
        (
            r"underground|(?:under|beneath|below|underneath) (?:the )?(?:ground|soil|earth|dirt|"
            r"surface of the (?:ground|earth))|in the (?:ground|soil|earth) under the (?:ground|"
            r"soil)",
            "under ground",
        ),
        (
            r"in (?:terms of )?(?:its )?(?:shape|size|colou?r|taste|flavou?r|texture|appearance|"
            r"nature)"
            r"(?= than|$)",
            "",
        ),
        (
            r"(?:(?:some|any|an?) )?(?:kind|sort|type|form)s? of(?: an?)?(?= )|"
            r"of (?:some|any) (?:kind|sort|type)",
            "",
        ),
        (r"(?:over|above|upwards of) (?=\w+(?: \w+)? (?:people|persons|years))", "more than "),
        (r"at least one(?= [a-z])", ""),
        (r"(?<=is it )(?:located|situated|positioned) (?=in|on|at|inside|near)", ""),
        (r"(?<=is it )see through", "see-through"),
        (r"without (?:any )?(?:outside )?help", "by-itself"),
        (r"covered (?:in|by|with)", "covered with"),
        (r"come across|run into|stumble upon|spot|discover", "find"),
        (
            r"lots of|plenty of|loads of|a (?:lot|large number|wide range|great many|variety) of|"
            r"various|numerous|multiple|countless",
            "many",
        ),
        (r"on board(?: of)?|aboard", "on"),
        (r"in order to|so as to", "to"),
        (r"(?:at|in|within|for) all(?= |$)", ""),
        (r"for the most part", "mostly"),
        (r"right now|at the moment|at present|these days|as of now|in any way", ""),
        (
            r"(?:quite|rather|fairly|pretty) often|a lot of the time|most of the time|as a rule|"
            r"in general|regularly|tends? to(?= )",
            "",
        ),
        (r"(?:is|be) (?:equipped|fitted|supplied|provided) with", "have"),
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
    "during": "in",
    "onto": "on",
    "upon": "on",
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
    "purchase": "buy",
    "purchased": "bought",
    "transport": "carry",
    "handheld": "hand-held",
}
_LOOSE_NEUTRAL = word_set(
    "thing things something anything objects items other that which currently already nowadays "
    "presently up normal their his her our my indeed else quite basically essentially either "
    "comfortably"
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
        (r"(?<!\S)(\S+) (\S+) or \1 (?=\S+(?!\S))", r"\1 \2 or "),
        (r"(?<!\S)(\S+) it or (\S+) it(?!\S)", r"\1 or \2 it"),
        (rf"(?<!\S)({_PREPOSITION}) (\S+) or \1 (?!it)", r"\1 \2 or "),
        (rf"(?<!\S)({_PREPOSITION}) (\S+) or ({_PREPOSITION}) (?:it|\2)(?!\S)", r"\1 or \3 \2"),
    )
]


@lru_cache(maxsize=4096)
def keys(line: str) -> tuple[object, ...]:
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
    if words[0] in ("might", "may") and words[1:2] != ["it"]:
        words[0] = "do"
    for i in range(len(words) - 1):  # "for cutting" is "to cut"
        if words[i] == "for" and words[i + 1].endswith("ing"):
            words[i] = "to"
    words = [_SYNONYMS.get(w, w) for w in words if w not in _LOOSE_NEUTRAL]
    words = [_singular(w) for w in words if w not in _NEUTRAL and w not in _ADVERBS]
    words = [_LOOSE.get(w, w) for w in (_SYNONYMS.get(w, w) for w in words)]
    words = [_lemma(w) for w in words if w not in _ADVERBS]
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
        if words[2:3] in (["see"], ["se"]):
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
    if len(rest) > 1 and rest[0] == "or" and (other := infinitive(rest[1])):
        return [aux, "you", verb, "or", other, "it", *rest[2:]]
    if rest[:2] == ["by", "person"]:
        rest = rest[2:]
    return ["do" if verb == "find" else aux, "you", verb, "it", *rest]


def _infinitive(participle: str) -> str | None:
    """The verb of a participle that `_lemma` has not changed beyond recognition, or None."""
    return participle.removesuffix(_DONE) if participle.endswith(_DONE) else None


def _framed(words: list[str]) -> list[str]:
    """Turn "is there X in it" and "do you find X on it" into "do it have X"."""
    if words[-2:-1] and words[-2] in _PLACES and words[-1] == "it":
        if words[:2] == ["is", "ther"]:
            return ["do", "it", "hav", *words[2:-2]]
        if words[:3] == ["do", "you", "find"] and words[3] != "it":
            return ["do", "it", "hav", *words[3:-2]]
        if words[:3] == ["do", "it", "hav"]:
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
    return word if word == "one" or word in PREPOSITIONS else _stem(word)


def _undoubled(word: str) -> str:
    return word[:-1] if word[-1] == word[-2] and word[-1] not in "sl" else word
