"""Recognises a question of the bank in other words.

A wording is compared with every text and form of the bank: as it is, then by what it asks (see
`senses`). A key that two questions of the bank share decides nothing, so a wording is never given
to the wrong one of two questions.
"""

from __future__ import annotations

import re
from functools import lru_cache

from unspoken.envs.aidg_search.interpreter.clauses import (
    lead,
    with_subject,
    without_filler,
    without_tail,
)
from unspoken.envs.aidg_search.interpreter.clean import sentences, spoken, tokenise, word_set
from unspoken.envs.aidg_search.interpreter.guess import STOP
from unspoken.envs.aidg_search.interpreter.senses import sense
from unspoken.envs.aidg_search.ontology import Question

# "a fruit, such as an apple or a banana"; what holds more than nouns may narrow the question
_NO_NOUN = "|".join(sorted(STOP | {"or", "and"}))
_WORD = rf"(?!(?:{_NO_NOUN})(?: |$))[a-z0-9][a-z0-9'-]*"
_NOUN = rf"{_WORD}(?: {_WORD}){{0,3}}"
_NOUNS = rf"{_NOUN}(?: (?:, or|, and|,|or|and|/) {_NOUN}){{0,8}}(?: etc)?[ ).,]*$"
_EXAMPLES = re.compile(
    rf" [,(-]+ (?:the way|just as|just like|much as|much like|as|like)(?: an?| the| some)? {_NOUN}"
    r" (?:do|does|is|are|has|have|can|would|did)[ ).,]*$"
    rf"|(?: [,(]| -+)? (?:such as|for (?:example|instance)|eg)(?: (?:,|:|like|such as))* {_NOUNS}"
    rf"|^is it .*?(?P<of> [,(] (?:say )?like(?: ,)? {_NOUNS})"
    rf"|^is it (?:an?|some)(?: [a-z-]+){{1,3}}?(?P<kind> like {_NOUNS})"
)
_RESTATED = re.compile(
    r"(?: [,(:]| -+)+ (?:i mean|as in|that is(?: to say)?|ie|in other words|meaning|or rather)"
    r"(?: [,:])? (?P<again>.+?)[ ).,]*$|(?: i mean| as in)(?: [,:])? (?P<then>.+?)[ ).,]*$"
)
_ASKS_AGAIN = re.compile(r"(?:is|does|do|can|could|would|has|are|will) (?:it|you|people|there)\b")

_SIMPLE = re.compile(r"(?!.*\b(?:cannot|etc)\b)[A-Za-z]+(?:,? [A-Za-z-]*[A-Za-z0-9])*\?")
_LED = word_set(
    "true correct right the fair safe accurate reasonable possible be not to , like for i"
)
_TAILS = word_set(
    "it they you that there we people not right correct yes no maybe true false please ok okay eh "
    "huh yeah chance perhaps say think wonder though then thanks know so ask general se speaking "
    "opinion guess suppose cases answer example instance part"
)
# Words without which a line does not speak of the secret as anything but "it"
_NAMED = word_set(
    "this that what whatever secret mystery its object objects thing things item items word words "
    "answer entity noun solution target concept one in being to"
)


class Bank:
    """The questions of an ontology, indexed by their wordings.

    Args:
        questions: the questions; an index into them is what `find` returns.
    """

    def __init__(self, questions: tuple[Question, ...]) -> None:
        self._keys: dict[object, int | None] = {}
        self._vocabulary: set[str] = set()
        itself: dict[object, int | None] = {}
        for index, question in enumerate(questions):
            for wording in (question.text, *question.forms):
                line = as_line(wording)
                self._vocabulary.update(line.split())
                itself[_bare(line)] = index  # a text or form is always itself
                for key in sense(line):
                    if self._keys.setdefault(key, index) != index:
                        self._keys[key] = None
        self._keys |= itself

    def knows(self, word: str) -> bool:
        """Whether a word occurs in the bank."""
        return word in self._vocabulary

    def find(self, line: str) -> int:
        """Index of the question that a line of words asks, -1 if the bank does not hold it.

        Examples ("a fruit, such as an apple") and restatements ("artificial, as in made by
        people") that do not change the question are passed over.
        """
        line = without_filler(line)
        index = self._find(line)
        return index if index >= 0 else self._without_aside(line)

    def _without_aside(self, line: str) -> int:
        if match := _EXAMPLES.search(line):
            start = max(match.start(), match.start("of"), match.start("kind"))
            return self._find(line[:start])
        if match := _RESTATED.search(line):
            restated = match["again"] or match["then"]
            first, again = self._find(line[: match.start()]), -1
            for frame in ("", "is it ", "is it a "):
                if again < 0:
                    again = self._find(frame + restated)
            whole = first < 0 and _ASKS_AGAIN.match(restated) is not None
            return again if again == first or whole else -1
        return -1

    def _find(self, line: str) -> int:
        index = self._keys.get(_bare(line))
        if index is not None:
            return index
        for key in sense(line):
            index = self._keys.get(key)
            if index is not None:
                return index
        return -1


def _bare(line: str) -> str:
    """A line without punctuation."""
    return " ".join([w for w in line.split() if w[0].isalnum()])


@lru_cache(maxsize=4096)
def as_line(text: str) -> str:
    """A single question as a line of words without filler."""
    if _SIMPLE.fullmatch(text):  # nothing to clean
        words = text[:-1].lower().replace(",", " ,").split()
        if words[1:2] == ["the"] or not _NAMED.isdisjoint(words):
            with_subject(words, [(0, 0)] * len(words))
        if words[1:2] == ["it"] and _LED.isdisjoint(words[2:3]) and _TAILS.isdisjoint(words[-1:]):
            return " ".join(words)
    else:
        parts = list(sentences(spoken(text)))
        if not parts:
            return ""
        sentence = tokenise(" ".join(reversed(parts)))
        words = sentence.words
        with_subject(words, sentence.spans)
    line = " ".join(words)
    skip, _ = lead(line)
    return without_tail(" ".join(words[skip:]))
