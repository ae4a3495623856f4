"""What the game itself reads in free text: which fact a question is about, what an answer says.

The reading of answers is simple and goes by signal words. An `Annotator` can label answers better;
what goes on record is read here all the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from unspoken.envs.base import Message
from unspoken.envs.cross_examination.cases import Case, Content, Fact, Manner
from unspoken.envs.cross_examination.jury import Label
from unspoken.envs.cross_examination.menu import ANSWERS, answer_menu
from unspoken.envs.cross_examination.rules import FORMS, Examination, Form, Question
from unspoken.envs.cross_examination.signals import (
    AT_ONCE,
    BEGUN,
    DENIES,
    FILLED,
    FORGETS,
    GRANTS,
    HEDGED,
    MIXED,
    NEGATIVE,
    NO,
    OPEN,
    REFUSES,
    TAG,
    VAGUE,
    YES,
    pattern,
)

_ABOUT = 0.45  # share of a question's weight that has to belong to a fact
_SAYS = 0.6  # share of a clause's weight that an answer has to say
_ASIDE = 3  # words of a sentence on something else


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ENDINGS = re.compile(r"(?:['’]s|ing|ed|es|ys|s|e|y)$")
_SMALL = re.compile(  # what two clauses differ in by grammar alone
    r"""(?:a|also|am|an|and|any|are|as|be|been|both|but|can|could|did|do|does|else|had|has|have|he|
    her|him|his|i|if|is|it|its|me|my|myself|never|no|nobody|none|nor|not|nothing|of|or|our|she|so|
    than|that|the|their|them|then|there|they|this|to|us|was|we|were|what|when|where|which|who|will|with|
    without|would|you|your|yourself|\w+n['’]t)""",
    re.VERBOSE,
)
_EMPTY = re.compile(
    r"""(?:about|absolutely|actually|all|always|anything|at|before|by|certainly|clearly|completely|
    definitely|ever|for|from|how|in|indeed|just|moment|now|off|on|only|quite|really|right|said|say|
    sir|some|something|sure|tell|time|true|very|whom|whose|why|yes)""",
    re.VERBOSE,
)
_SENTENCE = re.compile(r"[^.!?;:]+[.!?;:]*")
_AT_ONCE = re.compile(r"^(?:yes|yeah|yep|aye|no|nope) ")
_WHETHER = pattern(r"\W*(?:that|if|whether)\b")
_ANNOUNCED = pattern(BEGUN)
_NEGATED = pattern(rf"{FILLED}i (?:did|was|do|had)(?: not|n['’]t)\b")
_PART = re.compile(
    r"(?<!nobody)(?<!nothing)(?<!none),?\s+but\s+|,\s+(?=(?:i|it|he|she|they|we|the|there|that)\b)",
    re.IGNORECASE,
)
_OTHER: dict[Content, Content] = {"affirm": "deny", "deny": "affirm"}


@runtime_checkable
class Annotator(Protocol):
    """Labels answers by SDA's scheme."""

    def label(
        self, case: Case, history: Sequence[Message], question: Question, answer: str
    ) -> Label:
        """The label of an answer.

        Args:
            case: the case as both sides know it, without its truth.
            history: the dialogue before the answer; its last message is the question.
            question: what the game takes the question for; without a fact where it is about none.
            answer: the witness's words, on one line.
        """
        ...


def read_question(text: str, game: Examination) -> Question:
    """What a question in free words asks.

    It is the question about the fact that it has most words in common with, if it has enough, in
    the form in which it is put or else in the other one. If that has been answered, or if the text
    names an exhibit, it is a confrontation, but only with something that it names. Otherwise it
    is about no fact.
    """
    openly = any(map(OPEN.search, _SENTENCE.findall(text))) and not TAG.search(text)
    put: Form = "open" if openly else "leading"
    fact = _fact(text, game.case)
    facts = range(len(game.case.facts))
    questions = game.questions()
    for about in facts if fact is None else (fact, *facts):
        for ground in game.grounds(about):
            if ground.exhibit >= 0 and _names(text, game.case.exhibits[ground.exhibit].name):
                return Question("impeachment", about, ground)
    if fact is None:
        return Question(put, None)
    for form in (put, *FORMS[:2]):
        question = questions[len(FORMS) * fact + FORMS.index(form)]
        if question is not None:
            return question
    for ground in game.grounds(fact):
        if ground.exhibit < 0 and _names(text, game.case.facts[ground.stance.fact].yes):
            return Question("impeachment", fact, ground)
    return Question(put, None)


def _names(text: str, name: str) -> bool:
    """Whether a text has half of the words of a name, or more."""
    words = _words(name)
    return 2 * len(words & _words(text)) >= len(words) > 0


def read_answer(text: str, case: Case, question: Question) -> tuple[Content, Manner]:
    """What an answer in free words says about the question's fact, and in which manner.

    A sentence of the menu is known by its words alone, whatever its stops, and also after a yes or
    a no. Else a clause of the fact counts before a yes or a no, and in the contrary sense where it
    is denied ("it is false that ..."). An answer that says both commits to nothing.
    """
    menu = dict(zip(ANSWERS, answer_menu(case, question), strict=True))
    for words in (_said(text), _bare(text)):
        for act, sentence in menu.items():
            own = words == _said(sentence) or words == _bare(sentence)
            if sentence and own and (act[0] != "none" or words == _said(text)):
                return act
    fact = None if question.fact is None else case.facts[question.fact]
    content = _content(text, case, fact)
    return content, _manner(text, content, _words(_all(fact)) if fact else frozenset())


def _manner(text: str, content: Content, about: frozenset[str]) -> Manner:
    if content != "none":
        if HEDGED.search(text):
            return "hedged"
        if VAGUE.search(text):
            return "vague"
        sentences = map(_words, _SENTENCE.findall(text))
        stray = any(len(said) >= _ASIDE and said.isdisjoint(about) for said in sentences)
        return "off_point" if about and stray else "clear"
    if FORGETS.search(text):
        return "hedged"
    if REFUSES.search(text):
        return "clear"
    said = _words(text)
    loose = MIXED.search(text) or VAGUE.search(text) or HEDGED.search(text)
    return "vague" if said & about or loose or not said else "off_point"


def _content(text: str, case: Case, fact: Fact | None) -> Content:
    sentences = [s for s in _SENTENCE.findall(text) if not s.rstrip().endswith("?")]
    clauses = _clauses(fact)
    stated = list(dict.fromkeys(p for s in sentences for p in _stated(s, clauses)))
    told = [_told(part, clauses) for part in stated]
    told += [_contrasted(part, fact) for part in stated if fact]
    found = {content for content in told if content != "none"}
    if {"affirm", "deny"} <= found:
        return "none"
    if found - {"partial"}:
        return "affirm" if "affirm" in found else "deny"
    plain = _plain(text)
    if MIXED.search(text) or REFUSES.search(plain):
        return "none"
    denied = NO.search(text) or NO.search(plain)
    if denied and not (FORGETS.search(sentences[0] if sentences else "") and " but " not in text):
        return "deny"
    if not denied and (YES.search(text) or YES.search(plain)):
        return "affirm"
    if found:
        return "partial"
    if FORGETS.search(text):
        return "none"
    if fact is None:
        return "partial" if any(map(_words, sentences)) else "none"
    weights, kept = _weights(case), _contrast(fact)[0] | _contrast(fact)[1]
    point = _words(fact.yes) & _words(fact.no)  # of which some word has to be said
    said = [
        (_says(part, clause, weights, kept), _turned(content, flips))
        for content, clause in clauses.items()
        for part, flips in stated
        if clause and (content == "partial" or not point or point & _words(part))
    ]
    best: tuple[float, Content] = max(said, default=(0.0, "none"), key=lambda pair: pair[0])
    if best[0]:
        return best[1]
    return "deny" if any(map(_NEGATED.search, sentences)) else "none"


def _plain(text: str) -> str:
    """A text without the words for being unsure, loose words, and what announces it."""
    return _ANNOUNCED.sub("", VAGUE.sub("", HEDGED.sub("", text)))


def _clauses(fact: Fact | None) -> dict[Content, str]:
    return {"affirm": fact.yes, "deny": fact.no, "partial": fact.part} if fact else {}


def _stated(sentence: str, clauses: dict[Content, str]) -> list[tuple[str, bool]]:
    """The parts of a sentence that state something, and whether each is denied."""
    sentence = AT_ONCE.sub("", sentence)
    granted = GRANTS.search(sentence)
    # a verb of a clause itself governs nothing
    verbs = (v for v in DENIES.finditer(sentence) if not _within(v.group(), clauses))
    verb = granted or next(verbs, None)
    if verb is None:
        forgot = FORGETS.search(sentence)
        if forgot and _WHETHER.match(sentence, forgot.end()):
            sentence = sentence[: forgot.start()]
        return [(part, False) for part in (sentence, *_PART.split(sentence))]
    governed, *rest = _PART.split(sentence[verb.end() :])
    free = (*_PART.split(sentence[: verb.start()]), *rest)
    return [(governed, granted is None), *((part, False) for part in free)]


def _within(text: str, clauses: dict[Content, str]) -> bool:
    return any(_holds(clause, text) for clause in clauses.values())


def _turned(content: Content, flips: bool) -> Content:
    return _OTHER.get(content, "none") if flips else content


def _told(stated: tuple[str, bool], clauses: dict[Content, str]) -> Content:
    """What a part of a sentence tells, holding a clause word for word, the longest of them."""
    part, flips = stated
    held = [
        (len(clause), content)
        for content, clause in clauses.items()
        if _like(part, clause) and _holds(part, clause)
    ]
    return _turned(max(held)[1], flips) if held else "none"


def _contrasted(stated: tuple[str, bool], fact: Fact) -> Content:
    """What a part of a sentence says by the words that a fact's affirmation and denial differ in.

    Only where no negation tells them apart, and of words that are all about the fact.
    """
    part, flips = _plain(stated[0]), stated[1]
    contrast = _contrast(fact)
    said = _words(part, contrast[0] | contrast[1])
    sides = [bool(said & own) for own in contrast]
    own = " ".join((fact.statement, fact.open, fact.leading, fact.yes, fact.no))
    strange = said - _words(own, contrast[0] | contrast[1])
    negated = bool(NEGATIVE.search(part))
    if NEGATIVE.search(fact.yes) or NEGATIVE.search(fact.no) or strange or sum(sides) != 1:
        return "none"
    return _turned("affirm" if sides[0] else "deny", flips != negated)


def _contrast(fact: Fact) -> tuple[frozenset[str], frozenset[str]]:
    """The words that a fact's affirmation has and its denial lacks, and the other way round.

    Small ones ("on") are among them only where there are no others.
    """
    small, full = [], []
    for clause, contrary in ((fact.yes, fact.no), (fact.no, fact.yes)):
        own = _stems(clause) - _stems(contrary) - _stems(fact.open)
        small.append(own)
        full.append(own & _words(clause))
    return full[0] or small[0], full[1] or small[1]


def _holds(text: str, clause: str) -> bool:
    """Whether a text holds a clause word for word."""
    said, words = _said(text), _said(clause)
    return bool(words) and f" {words} " in f" {said} "


def _said(text: str) -> str:
    """The words of a text, without its stops."""
    return " ".join(map(str.casefold, _WORD.findall(text)))


def _bare(text: str) -> str:
    """The words of a text, without its stops, after a yes or a no."""
    return _AT_ONCE.sub("", _said(text))


def _says(sentence: str, clause: str, weights: dict[str, float], kept: frozenset[str]) -> float:
    """How far a sentence says what a clause says: 0, or from `_SAYS` up."""
    share = _share(_words(clause, kept), _words(sentence, kept), weights)
    return (_like(sentence, clause) and share >= _SAYS) * (share + _alike(sentence, clause))


def _like(sentence: str, clause: str) -> bool:
    """Whether both have a negation or neither has."""
    return bool(NEGATIVE.search(sentence)) == bool(NEGATIVE.search(clause))


def _alike(one: str, other: str) -> float:
    """The share of the words of two texts, small ones too, that both have."""
    first, second = _every(one), _every(other)
    return len(first & second) / max(1, len(first | second))


def _fact(text: str, case: Case) -> int | None:
    """The fact that a text is about, if it is about one more than about any other."""
    weights = _weights(case)
    said = _words(text)
    scores = []
    for fact in case.facts:
        about = _share(said, _words(_all(fact)), weights)
        alike = max(_alike(text, fact.open), _alike(text, fact.leading))
        scores.append((about >= _ABOUT) * (about + alike))
    best = max(range(len(scores)), key=scores.__getitem__)
    return best if scores[best] and scores.count(scores[best]) == 1 else None


def _share(words: frozenset[str], among: frozenset[str], weights: dict[str, float]) -> float:
    """How much of the weight of some words is among others, 0 to 1."""
    strange = max(weights.values()) / 2
    weighed = [(weights.get(word, strange), word in among) for word in sorted(words)]
    whole = sum(weight for weight, _ in weighed)
    return sum(weight for weight, held in weighed if held) / whole if whole else 0.0


def _weights(case: Case) -> dict[str, float]:
    """What a word weighs: more, the fewer facts have it."""
    held = [_words(_all(fact)) for fact in case.facts]
    counts = Counter(word for words in held for word in sorted(words))
    return {word: math.log((1 + len(held)) / count) for word, count in counts.items()}


def _all(fact: Fact) -> str:
    return " ".join((fact.statement, fact.open, fact.leading, fact.yes, fact.no, fact.part))


def _every(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))


def _words(text: str, kept: frozenset[str] = frozenset()) -> frozenset[str]:
    """The words of a text that say something, or are to be kept, without their endings."""
    stems = {word: _ENDINGS.sub("", word) or word for word in _every(text)}
    return frozenset(
        stem
        for word, stem in stems.items()
        if not _SMALL.fullmatch(word) and (stem in kept or not _EMPTY.fullmatch(word))
    )


def _stems(text: str) -> frozenset[str]:
    """The words of a text that are more than grammar, without their endings."""
    words = (word for word in _every(text) if not _SMALL.fullmatch(word))
    return frozenset(_ENDINGS.sub("", word) or word for word in words)
