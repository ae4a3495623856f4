"""Which word of the list a noun phrase names, if its head is one.

"a wooden kitchen chair that rocks" names the chair; "a chair leg", "bigger than a chair",
"chair-shaped" and "a body part such as the knee" name nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from unspoken.envs.aidg_search.interpreter.clean import word_set

DETERMINERS = word_set(
    "a an the some any one your my his her our their this that another each every"
)
PREPOSITIONS = word_set(
    "about above across after against along among around as at before behind below beneath "
    "beside besides between beyond by despite down during except excluding for from in including "
    "inside into like near of off on onto opposite out outside over past per resembling since than "
    "through throughout till to toward towards under underneath unlike until up upon via with "
    "within without versus vs eg etc but such"
)
_CLAUSE_WORDS = word_set(
    "that which who whom whose where when while if because so is are was were be been am can could "
    "will would may might must shall should do does did has have had not you we they i it he she "
    "people humans someone somebody everyone everybody kids children men women there here then now "
    "please yes no maybe too instead itself themselves alone right correct though yet only"
)
STOP = PREPOSITIONS | _CLAUSE_WORDS
_JOIN = word_set(", / or and either nor - -- --- : ie namely specifically")
_ADVERBS = word_set(
    "possibly perhaps maybe actually really simply just literally basically essentially probably "
    "definitely certainly indeed still likely surely specifically namely precisely exactly "
    "commonly usually typically normally generally often ie rather quite merely only perchance "
    "already not both either"
)
_KINDS = word_set(
    "kind kinds type types sort sorts form forms variety varieties species example examples "
    "instance instances specimen version style breed make model brand piece pieces slice slices "
    "loaf pair pairs set bunch block chunk flight bit item pack"
)
# After a word of the list these make an adjective of it: "button shaped", "battery powered".
_COMPOUND = word_set(
    "shaped like sized powered operated based related themed driven coloured colored flavoured "
    "flavored free friendly proof covered mounted filled made-up inspired style type looking making"
)
_PARTICIPLES = word_set(
    "worn made found built seen kept drawn driven eaten grown held hung known sold bought flown "
    "ridden lit cut sung thrown shown taken given set put meant left hidden written woven sewn"
)
_VERB_FOLLOWERS = DETERMINERS | PREPOSITIONS | word_set("people it something things other its both")
_COLOURS = word_set(
    "red yellow green blue brown grey gray white black pink purple gold golden silver"
)
_OTHER = word_set("other another some something anything similar else such")
_ADJECTIVE_ENDINGS = ("ing", "ed", "al", "ic", "ive", "ous", "y", "ful", "en", "ble")
_NOT_A_NOUN = word_set("else other similar something anything thing things object objects item")

_IRREGULAR = {"tooth": ("teeth",), "shelf": ("shelves",), "scarf": ("scarves", "scarfs")}
_SPELLINGS = {
    "aeroplane": "airplane",
    "scissor": "scissors",
}
# Other names that could hardly mean anything else. They are guesses, but no lock on the word.
_SYNONYMS = {
    "plane": "airplane",
    "jetliner": "airplane",
    "motorbike": "motorcycle",
    "bike": "bicycle",
    "pushbike": "bicycle",
    "spanner": "wrench",
    "mic": "microphone",
    "zip": "zipper",
    "chopper": "helicopter",
    "croc": "crocodile",
    "brolly": "umbrella",
    "spud": "potato",
    "stairway": "staircase",
    "stairs": "staircase",
    "tater": "potato",
}
_HALVES = word_set(
    "paint brush light house wind mill water fall stair case ear ring skate board eye lash motor "
    "cycle air plane key butter fly neck lace sub marine bike push aero"
)


_CHOICE = re.compile(
    r"(?:(?:one|any|either) of (?:(?:these|those|the|following|words|items|things|objects|options|"
    r"two|three|:) )+|(?:among|amongst|in|on) (?:these|those|the following|this list|the list) "
    r"(?:(?:words|items|list|options|things|objects|of|:) )*)"
)


class Named(NamedTuple):
    """A word of the list that was named: as it was said (singular), and as it is listed.

    `also` is a second word that was named beside it ("a chair or a table").
    """

    said: str
    word: str
    also: str = ""


class Lexicon:
    """The words of an ontology in every spelling under which they are recognised.

    Args:
        words: the words of the list.
    """

    def __init__(self, words: tuple[str, ...]) -> None:
        self.spelled: dict[str, str] = {}
        """Plurals and spellings of a word, which are the word itself, to the word."""
        self.named: dict[str, Named] = {}
        """The same and other names of it."""
        self.joined: dict[tuple[str, str], str] = {}
        """Compounds that were written in two: ("paint", "brush") to "paintbrush"."""
        listed = set(words)
        for spelling, word in [(w, w) for w in words] + list(_SPELLINGS.items()):
            if word in listed:
                for form in (spelling, *_plurals(spelling)):
                    self.spelled.setdefault(form, word)
        for form, word in self.spelled.items():
            self.named[form] = Named(word, word)
        for name, word in _SYNONYMS.items():
            if word in listed:
                for form in (name, *_plurals(name)):
                    self.named.setdefault(form, Named(name, word))
        for form in self.named:
            for cut in range(2, len(form) - 1):
                if form[:cut] in _HALVES and form[cut:].rstrip("s") in _HALVES:
                    self.joined[form[:cut], form[cut:]] = form
        self._letters = re.compile(r"\b[a-z](?:[ .,-]{1,2}[a-z]){2,20}\b", re.IGNORECASE)

    def rejoin(self, text: str) -> str:
        """Write words that were spelled out, "c-h-a-i-r", in one again."""
        return self._letters.sub(self._rejoined, text[-2000:])

    def _rejoined(self, match: re.Match[str]) -> str:
        word = re.sub(r"[^a-z]", "", match[0].lower())
        if word in self.named:
            return word
        return f"{word[0]} {word[1:]}" if word[0] == "a" and word[1:] in self.named else match[0]

    def head(self, words: list[str], *, bare: bool = False) -> Named | None:
        """The word that a predicate names, e.g. of "is it" + ["a", "kitchen", "chair"].

        Args:
            words: what follows "is it", in lower case, punctuation as tokens of its own.
            bare: whether the words stand alone, as an utterance of their own.
        """
        heads = self._heads(words, bare)
        first = next(heads, None)
        other = next((h.said for h in heads if first and h.word != first.word), "")
        return first._replace(also=other) if first else None

    def _heads(self, words: list[str], bare: bool) -> Iterator[Named]:
        i = 0
        while i < len(words):
            named, i = self._phrase(words, i, bare)
            if named is not None:
                yield named
            if i >= len(words) or words[i] not in _JOIN | {"("}:
                return
            if words[i] == "(":
                named = self._aside(words, i + 1)
                if named is not None:
                    yield named
                return
            while i < len(words) and words[i] in _JOIN:
                i += 1

    def _aside(self, words: list[str], i: int) -> Named | None:
        """In brackets one word names; several are examples of a category."""
        end = words.index(")", i) if ")" in words[i:] else len(words)
        inside = [w for w in words[i:end] if w not in DETERMINERS]
        return self.named.get(inside[0]) if len(inside) == 1 else None

    def _phrase(self, words: list[str], i: int, bare: bool) -> tuple[Named | None, int]:
        n, determiner = len(words), bare
        while i < n:  # determiners, adverbs and "kind of", in any order
            if choice := _CHOICE.match(" ".join(words[i:])):
                determiner, i = True, i + choice[0].count(" ")
            elif words[i] in _ADVERBS:
                i += 1
            elif words[i] in DETERMINERS:
                determiner, i = True, i + 1
            elif (kind := self.kind_of(words, i)) > i:
                determiner, i = True, kind
            else:
                break
        start = i
        while i < n and words[i] not in STOP and words[i] not in _JOIN and words[i].isascii():
            if words[i] in DETERMINERS:  # "wearing a hat": no noun phrase begins with a verb
                return None, n
            if not re.match(r"[a-z0-9]", words[i]):
                break
            if i > start and words[i - 1] in self.named and self._participle(words, i):
                break
            i += 1
        span = words[start:i]
        named = self.named.get(span[-1]) if span else None
        if named is None:
            return None, i
        if not determiner and self._verbal(span):
            return None, i
        if span[-1] == "orange" and not determiner and not bare:  # the colour
            return None, i
        if span[-1] == "orange" and len(span) > 1 and span[-2] in ("color", "colour"):
            return None, i
        if self._modifies(words, i) or words[i : i + 2] in (
            ["for", "example"],
            ["for", "instance"],
        ):
            return None, n
        return named, i

    def kind_of(self, words: list[str], i: int) -> int:
        """Index after "special kind of", or `i`."""
        for j in (i, i + 1, i + 2):
            if words[j + 1 : j + 2] == ["of"] and words[j] in _KINDS:
                return j + 2
            if j + 1 < len(words) and words[j] in STOP:
                break
        return i

    def _participle(self, words: list[str], i: int) -> bool:
        """Whether the word after a noun opens a clause about it ("a bridge spanning a river")."""
        word = words[i]
        if word in _COMPOUND or "-" in word:
            return False
        if word in _PARTICIPLES or (word.endswith("ed") and len(word) > 4):
            return True
        return word.endswith("ing") and i + 1 < len(words) and words[i + 1] in _VERB_FOLLOWERS

    def _verbal(self, span: list[str]) -> bool:
        """Whether a phrase without determiner begins with a verb ("eating apples")."""
        first = span[0]
        return len(span) > 1 and (
            first in _PARTICIPLES or (first.endswith(("ing", "ed")) and len(first) > 4)
        )

    def _modifies(self, words: list[str], i: int) -> bool:
        """Whether a noun before "or" shares the head after it ("a knee or elbow joint")."""
        if words[i : i + 1] not in (["or"], ["and"], ["/"]):
            return False
        end = j = i + 1
        while end < len(words) and words[end] not in STOP and words[end] not in _JOIN:
            end += 1
        shared = words[j:end]
        if not shared or shared[0] in DETERMINERS or shared[0] in _OTHER:
            return False
        if words[i - 1] == "orange" and shared[0] in _COLOURS:
            return True
        return (
            len(shared) > 1
            and not shared[0].endswith(_ADJECTIVE_ENDINGS)
            and shared[-1] not in self.named
            and shared[-1] not in _NOT_A_NOUN
        )


def _plurals(word: str) -> tuple[str, ...]:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("s") and not word.endswith("ss"):
        return ()
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return (word + "es",)
    if word[-1] == "y" and word[-2] not in "aeiou":
        return (word[:-1] + "ies",)
    return (word + "s", word + "es") if word[-1] == "o" else (word + "s",)
