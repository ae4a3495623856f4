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
from unspoken.envs.cross_examination.rules import FORMS, Examination, Form, Question

_ABOUT = 0.45  # share of a question's weight that has to belong to a fact
_SAYS = 0.6  # share of a clause's weight that an answer has to say
_ASIDE = 3  # words of a sentence on something else


def _signal(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ENDINGS = re.compile(r"(?:['’]s|ing|ed|es|s|e|y)$")
_EMPTY = re.compile(
    r"""(?:a|about|all|also|am|an|and|any|anything|are|as|at|be|been|before|but|by|can|could|did|do|
    does|ever|for|from|had|has|have|he|her|him|his|how|i|if|in|is|it|its|just|me|my|myself|never|no|
    nobody|none|nor|not|nothing|now|of|off|on|or|our|really|right|said|say|she|so|some|something|
    tell|that|the|their|them|then|there|they|this|to|true|us|was|we|were|what|when|where|which|who|
    whom|whose|why|will|with|would|yes|you|your|yourself|\w+n['’]t)""",
    re.VERBOSE,
)
_SENTENCE = re.compile(r"[^.!?;:]+[.!?;:]*")
_LEAD = r"^\W*(?:(?:so|now|well|and|but|then|please|oh|look|sir|madam|okay|ok)\W+)*"
_THAT = r"that(?:\ is|['’]s|\ was)"
_NEGATIVE = _signal(r"\b(?:no|not|never|nothing|nobody|none|nor|without|cannot)\b|n['’]t\b")
_OPEN = _signal(
    rf"""{_LEAD}(?:(?:in|at|from|with|to|on|of)\ )?
    (?:what|who|whom|whose|when|where|why|how|which|tell|describe|explain)\b(?!.*,[^,]*n['’]t\b)"""
)
_YES = _signal(
    rf"""{_LEAD}(?:yes|yeah|yep|aye|indeed|correct|certainly|absolutely|of\ course|sure|true|right|
    exactly|{_THAT}\ (?:so|right|true|correct)|(?:i\ (?:did|was|do|had)|it\ (?:was|is))
    (?=\W*$|[.,;!]))
    \b(?!\s+(?:not|never)\b)"""
)
_NO = _signal(
    rf"""{_LEAD}(?:(?:no|nope|never|not\ at\ all|(?:certainly|of\ course|absolutely)\ not|false|
    wrong|untrue|{_THAT}\ (?:not\ (?:so|right|true|correct)|wrong|false|untrue))\b
    |i\ (?:did|was|do|had)(?:\ not|n['’]t)\b(?!\ (?:know|recall|remember|think)\b))"""
)
_FORGETS = _signal(
    r"""(?:\b(?:not|cannot|no\ longer)|n['’]t)\s+(?:\w+\s+)?
    (?:recall|remember|know|tell|sure|certain)\W*(?:$|[,.;!]|\b(?:and|but|any|that|if|whether|what|
    who|when|where|how|which)\b)|\bi\ (?:have|had)\ no\ (?:idea|memory)\b"""
)
_REFUSES = _signal(
    r"""(?:\b(?:cannot|refuse\ to|decline\ to|(?:will|would|can|could|must|may|shall|am)\ not)|
    (?:wo|ca|would|could|must|sha)n['’]t|rather\ not|not\ going\ to|free\ to)\s+
    (?:answer|say|comment|discuss|speak|talk)\b
    |\bno\ comment\b|\bask\ (?:my|the)\ (?:lawyer|attorney)\b|\bnothing\ to\ say\b"""
)
_HEDGED = _signal(
    r"""\b(?:as\ (?:far|best)\ (?:as\ )?i\ (?:can\ )?\w+|if\ i\ (?:remember|recall)|
    (?:to|from)\ (?:the\ best\ of\ )?my\ (?:knowledge|recollection|memory)|
    from\ what\ i\ (?:can\ )?\w+|perhaps|maybe|possibly|probably|might|may\ have|could\ have|
    i\ (?:should\ )?(?:think|believe|suppose|guess|imagine)|not\ entirely\ sure)\b"""
)
_VAGUE = _signal(
    r"""\b(?:in\ a\ (?:manner\ of\ speaking|way|sense)|in\ some\ (?:way|sense)|sort\ of|kind\ of|
    more\ or\ less|(?:it|that)\ depends|so\ to\ speak|to\ (?:some|a\ certain)\ extent|
    (?:one|you)\ could\ (?:say|put\ it)(?:\ (?:so|that\ way|like\ that))?|something\ like\ that|
    not\ (?:exactly|really))\b"""
)


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
    put: Form = "open" if _OPEN.search(text) else "leading"
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
    """What an answer in free words says about the question's fact, and in which manner."""
    fact = None if question.fact is None else case.facts[question.fact]
    content = _content(text, case, fact)
    return content, _manner(text, content, _words(_all(fact)) if fact else frozenset())


def _manner(text: str, content: Content, about: frozenset[str]) -> Manner:
    if content != "none":
        if _HEDGED.search(text):
            return "hedged"
        if _VAGUE.search(text):
            return "vague"
        sentences = map(_words, _SENTENCE.findall(text))
        stray = any(len(said) >= _ASIDE and said.isdisjoint(about) for said in sentences)
        return "off_point" if about and stray else "clear"
    if _FORGETS.search(text):
        return "hedged"
    if _REFUSES.search(text):
        return "clear"
    said = _words(text)
    return "vague" if said & about or _VAGUE.search(text) or not said else "off_point"


def _content(text: str, case: Case, fact: Fact | None) -> Content:
    clauses: dict[Content, str] = {}
    if fact is not None:
        clauses = {"affirm": fact.yes, "deny": fact.no, "partial": fact.part}
    sentences = [s for s in _SENTENCE.findall(text) if not s.rstrip().endswith("?")]
    told = [
        (len(clause), content)
        for content, clause in clauses.items()
        if any(_like(s, clause) and _holds(s, clause) for s in sentences)
    ]
    if told:
        return max(told)[1]
    plain = _VAGUE.sub("", _HEDGED.sub("", text))
    if _REFUSES.search(plain):
        return "none"
    if _YES.search(plain):
        return "affirm"
    if _NO.search(plain):
        return "deny"
    if _FORGETS.search(text):
        return "none"
    if fact is None:
        return "partial" if any(map(_words, sentences)) else "none"
    weights = _weights(case)
    said = [
        (_says(sentence, clause, weights), content)
        for content, clause in clauses.items()
        for sentence in sentences
        if clause
    ]
    best: tuple[float, Content] = max(said, default=(0.0, "none"), key=lambda pair: pair[0])
    return best[1] if best[0] else "none"


def _holds(text: str, clause: str) -> bool:
    """Whether a text holds a clause word for word."""
    said, words = (" ".join(map(str.casefold, _WORD.findall(t))) for t in (text, clause))
    return bool(words) and f" {words} " in f" {said} "


def _says(sentence: str, clause: str, weights: dict[str, float]) -> float:
    """How far a sentence says what a clause says: 0, or from `_SAYS` up."""
    share = _share(_words(clause), _words(sentence), weights)
    return (_like(sentence, clause) and share >= _SAYS) * (share + _alike(sentence, clause))


def _like(sentence: str, clause: str) -> bool:
    """Whether both have a negation or neither has."""
    return bool(_NEGATIVE.search(sentence)) == bool(_NEGATIVE.search(clause))


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


def _words(text: str) -> frozenset[str]:
    """The words of a text that say something, without their endings."""
    said = (word for word in _every(text) if not _EMPTY.fullmatch(word))
    return frozenset(_ENDINGS.sub("", word) or word for word in said)
