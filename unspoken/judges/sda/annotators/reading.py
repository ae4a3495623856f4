"""What signal words tell of a question and of the answer to it."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from unspoken.envs.cross_examination.signals import (
    AUX,
    FILLED,
    FORGETS,
    HEDGED,
    MIXED,
    NEGATIVE,
    NO,
    NOT,
    OPEN,
    REFUSES,
    TAG,
    VAGUE,
    WHO,
    YES,
    pattern,
)
from unspoken.judges.rule_based.lexicon import words
from unspoken.judges.sda.transcripts import Exchange
from unspoken.lexicon.morphology import lemma, tokens
from unspoken.lexicon.wordnet import base_forms

Form = Literal["open", "yes_no", "leading", "remark"]
Kind = Literal["yes", "no", "mixed", "content", "forgets", "refuses", "counter", "broken", "empty"]

_SENTENCE = re.compile(r"(?<=[.?!])[\"'”’)]*\s+")
_ASKS_FIRST = pattern(rf"{FILLED}{AUX}(?:{NOT})?\b")
_SUGGESTS_FIRST = pattern(
    rf"{FILLED}(?:{AUX}{NOT}\b|{AUX} {WHO} not\b|would you agree|do you agree|"
    r"(?:is|would) it (?:be )?(?:fair|safe|true|correct|right|a fair statement)\b)|"
    rf",\s*(?:{AUX}{NOT})\s+{WHO}\b"
)
_INVERTED = pattern(rf"^(\W*(?:\w+\W+){{0,3}}?{AUX}){NOT}")
_YES_LAST = pattern(r"(?:^|[.,?;-])\s*yes(?:,? (?:sir|ma['’]am))?\W*$")
_NO_LAST = pattern(r"(?:^|[.,?;-])\s*no(?:,? (?:sir|ma['’]am))?\W*$")
_HALF_YES = pattern(
    rf"{FILLED}(?:(?:it|that)(?:['’]s| is| was) (?:a )?(?:\w+ly )?(?:possib|likely|apparent)|"
    r"(?:possibly|probably|perhaps|maybe|likely|approximately|sometimes|theoretically|apparently)\b|"
    r"i (?:suppose|guess|believe so|think so|imagine)(?: so)?(?=[.,;]|\s*$)|"
    r"(?:(?:it|that) )?(?:may|might|could)(?: well)? (?:have )?be|something like that)"
)
_BROKEN_OFF = re.compile(r"(?:(?<!-)--+|—|\.\s?\.\s?\.|…)[\"'”]?\s*$")
_STAGE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_POINTS = pattern(
    r"\b(?:it|its|that|this|these|those|there|then|he|him|his|she|her|they|them|their|one|ones|"
    r"both|either|neither|same|so)\b"
)
_PRESSED = pattern(
    r"\bexhibit|\byou(?:['’]ve| have| had)? (?:just |earlier |previously )?(?:said|testified|told|"
    r"stated|wrote|signed|indicated|claimed)\b|\bwill (?:say|testify)\b|\b(?:on|in) your "
    r"(?:report|statement|notes|testimony)\b"
)
_OF_MEMORY = pattern(
    r"\b(?:you (?:\w+ly )?(?:know|recall|remember|recollect)|"
    r"(?:are|were) you (?:aware|sure|certain)|"
    rf"you (?:do|did|can|could)(?:{NOT}| not) (?:know|recall|remember|say|tell))\b"
)
_EMPTY = words(
    "a about all also am an and any anything as at back be because become before but by can "
    "correct could day do doctor each else ever every fact for from get give go have he her "
    "here him his how i if in into it its just know like make may me might more most much must "
    "my never no nor not nothing now of off oh ok okay on one only or other our out over own "
    "question really right say see shall she should sir so some something still sure take tell "
    "than that the their them then there these they thing think this those to too true uh um "
    "under up us very was way we well were what when where which while who whom whose why will "
    "with would yes you your"
)


class Asked(NamedTuple):
    """A question.

    Attributes:
        form: "open" leaves the answer to the witness; "yes_no" asks whether; "leading" puts a
            claim to be granted; "remark" asks nothing.
        negative: whether the claim is in the negative.
        pressed: whether it confronts the witness with an exhibit, a person or its own words.
        of_memory: whether it asks what the witness knows or remembers, so that not to is an answer.
    """

    form: Form
    negative: bool
    pressed: bool
    of_memory: bool


class Said(NamedTuple):
    """An answer.

    Attributes:
        kind: "yes" or "no" in words for it, or "mixed"; "content" is an answer without them;
            "forgets" does not remember or know; "refuses"; "counter" is a question back; "broken"
            off before anything was said; "empty" has no words.
        hedged: whether it holds the witness's own words for being unsure.
        vague: whether it is conditional or loose.
        pointing: whether a pronoun takes up what was said before.
    """

    kind: Kind
    hedged: bool
    vague: bool
    pointing: bool


class Claim(NamedTuple):
    """What a turn has put on record.

    Attributes:
        words: base forms of its content words.
        holds: whether it is so or not so.
    """

    words: frozenset[str]
    holds: bool


def _put(question: str) -> str:
    """The claim of a question, without the tag that asks for it."""
    return _SENTENCE.split(TAG.sub("", question.strip()))[-1]


def asked(question: str) -> Asked:
    """What a question asks for."""
    text = question.strip()
    last = _SENTENCE.split(text)[-1]
    tag = TAG.search(text)
    form: Form
    if tag:
        form = "leading"
    elif OPEN.search(last):
        form = "open"
    elif _SUGGESTS_FIRST.search(last):
        form = "leading"
    elif _ASKS_FIRST.search(last):
        form = "yes_no"
    else:
        # a statement that is put to a witness is put to be granted
        form = "leading" if "?" in last else "remark"
    put = _put(text)
    if not tag and form == "leading":
        put = _INVERTED.sub(r"\1", put)  # "didn't you see" claims that you did
    denies = form != "open" and negative(put)
    return Asked(form, denies, bool(_PRESSED.search(text)), bool(_OF_MEMORY.search(text)))


def said(answer: str) -> Said:
    """What an answer does."""
    text = " ".join(_STAGE.sub(" ", answer).split())
    return Said(
        _kind(text),
        bool(HEDGED.search(text)),
        bool(VAGUE.search(text)),
        bool(_POINTS.search(text)),
    )


def _kind(text: str) -> Kind:
    if not re.search(r"\w", text):
        return "empty"
    sentences = _SENTENCE.split(text)
    if REFUSES.search(sentences[0]):
        return "refuses"
    # who does not remember but tells what he does remember has answered
    told = re.search(r"\bbut\b", text, re.IGNORECASE) or len(sentences) > 2
    if not told and any(map(FORGETS.search, sentences)):
        return "forgets"
    if MIXED.search(text):
        return "mixed"
    if NO.search(text):
        return "no"
    if YES.search(text) or _YES_LAST.search(sentences[0]) or _HALF_YES.search(text):
        return "yes"
    if any(_NO_LAST.search(sentence) for sentence in sentences[:2]):
        return "no"
    if all(sentence.rstrip("\"'”").endswith("?") for sentence in sentences):
        return "counter"
    return "broken" if len(text.split()) < 10 and _BROKEN_OFF.search(text) else "content"


def content(text: str) -> frozenset[str]:
    """The base forms of the words of a text that say something, of verbs where they can be some."""
    found = (token.split("'")[0] for token in tokens(text))
    return frozenset(_base(word) for word in found if word not in _EMPTY and len(word) > 1)


def _base(word: str) -> str:
    # "drove" is also a herd, but in an answer it is what somebody did
    return next(iter(base_forms(word, "v")), lemma(word))


def negative(text: str) -> bool:
    """Whether a text has a word for not."""
    return bool(NEGATIVE.search(text))


def claim(exchange: Exchange) -> Claim | None:
    """What an exchange has put on record, if a yes, a no or plain words tell."""
    question, answer = asked(exchange.question), said(exchange.answer)
    if answer.kind == "content":
        return Claim(content(exchange.answer), not negative(exchange.answer))
    if answer.kind in ("yes", "no") and question.form in ("yes_no", "leading"):
        # "no" to a claim in the negative grants it
        holds = answer.kind == "yes" and not question.negative
        return Claim(content(_put(exchange.question)), holds)
    return None
