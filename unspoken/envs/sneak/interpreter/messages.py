"""A speaker's message and the rule that refuses it.

Source: the prompts in SNEAK appendix A ("must not contain the secret word or obvious variations of
it", no spelling, initials, description of letters or translation). Which variations are obvious is
decided here, and written down in the README.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.sneak.instances import Instance
from unspoken.envs.sneak.interpreter.marks import Marks, marks_of
from unspoken.envs.sneak.interpreter.said import HUMP, Said, is_emoji
from unspoken.envs.sneak.interpreter.spelling import describes, gives_initials, spells
from unspoken.lexicon.morphology import FUNCTION_WORDS, lemma
from unspoken.lexicon.stems import is_made_of, same_stem, starts
from unspoken.lexicon.vectors import vocabulary
from unspoken.lexicon.wordnet import senses

MAX_WORDS = 5
MAX_LENGTH = 100

RULES = {
    "parse": "Put your message between <message> and </message>.",
    "length": f"A message has one to {MAX_WORDS} words.",
    "secret": "That says the secret, or a word of it.",
    "inflection": "That is a form of the secret.",
    "derivation": "That is made of the secret, or of the same stem.",
    "spelling": "That spells the secret, describes its letters, or says what it rhymes with.",
    "initials": "That gives initials of the secret.",
    "translation": "That is the secret in another language.",
}
"""The rules of messages in the order in which they are tried, each with what its breach is told."""


class Reading(NamedTuple):
    """A speaker's text, read.

    Attributes:
        message: the message in it, on one line; "" if there is none.
        rule: the key of `RULES` that refuses it; "" if none does.
    """

    message: str
    rule: str = ""

    @property
    def why(self) -> str:
        """What is wrong with it, as a sentence to the speaker; "" if nothing is."""
        return RULES[self.rule] if self.rule else ""


_SPAN = re.compile(
    r"<\s*message\s*>((?:(?!<\s*/?\s*message\s*>).)*)<\s*/\s*message\s*>", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r"<\s*/?\s*message\s*/?\s*>", re.IGNORECASE)
_NAMED = re.compile(r"^(?:my\s+)?(?:message|clue|hint)\s*:\s*", re.IGNORECASE)
_PAIRS = ("**", "__", "``", '""', "''", "\u201c\u201d", "\u2018\u2019", "«»", "()", "[]")
_PARTS = re.compile(rf"[^\w.'’*@$#?!-]|{HUMP.pattern}")
_CHAIN = 4
"""Words that hyphens can make one of: jack-of-all-trades."""


def read_message(raw: str, instance: Instance, *, tagged: bool = False) -> Reading:
    """The message in a speaker's text, and the rule that refuses it if one does.

    Args:
        raw: what the speaker said. The message is what stands in the last
            `<message>…</message>`, and all of the text if there is no such span.
        instance: category, words and secret.
        tagged: whether a text without that span is a fault (SNEAK appendix A).
    """
    raw = raw.encode("utf-8", "replace").decode()  # no lone surrogates
    spans = _SPAN.findall(raw)
    if tagged and not spans:
        return Reading("", "parse")
    text = spans[-1] if spans else _TAG.sub(" ", raw)
    message = _unwrapped(_NAMED.sub("", _unwrapped(" ".join(text.split()))))
    return Reading(message, fault(message, instance))


def fault(message: str, instance: Instance) -> str:
    """The rule that refuses a message, a key of `RULES`; "" if none does."""
    if len(message) > MAX_LENGTH or not 1 <= count_words(message) <= MAX_WORDS:
        return "length"
    found = set(_faults(Said(message), marks_of(instance)))
    return min(found, key=list(RULES).index, default="")


def allowed(instance: Instance) -> NDArray[np.int8]:
    """Which words of the vocabulary are messages that no rule refuses: int8 [n], read-only."""
    return _allowed(instance.category, tuple(sorted(instance.words)), instance.secret)


@lru_cache(maxsize=4096)
def _allowed(category: str, words: tuple[str, ...], secret: str) -> NDArray[np.int8]:
    marks = marks_of(Instance(category, "concrete", words, secret, ()))
    words = vocabulary()
    mask = np.ones(len(words), np.int8)
    for i in _suspects(marks):
        mask[i] = not _refuses(marks, words[i])
    mask.setflags(write=False)
    return mask


def _suspects(marks: Marks) -> set[int]:
    """Where in the vocabulary stand the words that `_refuses` has to look at: few of them."""
    found = {i for start in starts(marks.letters) for i in _by_start().get(start, ())}
    found.update(i for i, forms in enumerate(_forms()) if marks.letters in forms)
    named = {*marks.phrases, *marks.foreign, *(w + end for w in marks.foreign for end in "sx")}
    return found | {i for i, word in enumerate(vocabulary()) if word in named}


@cache
def _forms() -> tuple[str, ...]:
    """Each word of the vocabulary and its lemma."""
    return tuple(f"{word} {lemma(word)}" for word in vocabulary())


@cache
def _by_start() -> dict[str, list[int]]:
    """Places in the vocabulary by the first letters of stems."""
    found: dict[str, list[int]] = {}
    for i, forms in enumerate(_forms()):
        for start in frozenset[str]().union(*map(starts, forms.split(" "))):
            found.setdefault(start, []).append(i)
    return found


def count_words(message: str) -> int:
    """How many words a message has.

    What blanks and punctuation part are words; what hyphens join is one, unless it is more than
    four. An emoji counts as a word.
    """
    text = unicodedata.normalize("NFKC", message)
    text = "".join(" x " if is_emoji(c) else c for c in text)
    return sum(map(_count, _PARTS.split(text)))


def _count(chunk: str) -> int:
    parts = [part for part in re.split(r"[-_.]+", chunk) if any(map(str.isalnum, part))]
    spelled = all(len(part) == 1 for part in parts)
    return len(parts) if len(parts) > _CHAIN and not spelled else bool(parts)


def _unwrapped(text: str) -> str:
    """A text without the quotes, asterisks or brackets around it, and its full stop."""
    text = text.strip()
    while len(text) > 1 and text[0] + text[-1] in _PAIRS:
        text = text[1:-1].strip()
    single = text.count(".") == 1 and text.endswith(".")
    return text[:-1].rstrip() if single else text


def _faults(said: Said, marks: Marks) -> Iterator[str]:
    """The rules that a message breaks."""
    for phrase in _runs(said.tokens, marks.longest):
        rule = marks.phrases.get(phrase)
        if rule:
            yield rule
    if any(_is_derived(token, marks) for token in said.tokens):
        yield "derivation"
    if spells(said, marks) or describes(said.text, marks.letters):
        yield "spelling"
    if gives_initials(said, marks):
        yield "initials"
    if any(_is_foreign(phrase, marks) for phrase in _runs(said.foreign, marks.longest)):
        yield "translation"


def _refuses(marks: Marks, word: str) -> bool:
    """Whether a message of one plain English word is refused; as `fault`, but faster."""
    return word in marks.phrases or _is_derived(word, marks) or _is_foreign(word, marks)


def _runs(words: Sequence[str], longest: int) -> Iterator[str]:
    """The sequences of neighbouring words, up to a length."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + longest, len(words)) + 1):
            yield " ".join(words[start:end])


def _is_derived(token: str, marks: Marks) -> bool:
    """Whether a word has a stem of the secret, or is made of it and another word."""
    words = {token, lemma(token)} - FUNCTION_WORDS
    secret = marks.letters
    return any(same_stem(word, secret) or is_made_of(word, secret) for word in words)


def _is_foreign(phrase: str, marks: Marks) -> bool:
    """Whether something is a translation, or one with the ending that most plurals have."""
    plural = phrase[-1] in "sx" and not senses(phrase)
    return phrase in marks.foreign or (plural and phrase[:-1] in marks.foreign)
