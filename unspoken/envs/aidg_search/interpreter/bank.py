"""Recognises a question of the bank in other words.

A wording is compared with every text and form of the bank under keys of growing tolerance. A key
that two questions of the bank share decides nothing, so a wording is never given to the wrong one
of two questions.
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
from unspoken.envs.aidg_search.interpreter.clean import sentences, spoken, tokenise
from unspoken.envs.aidg_search.interpreter.guess import STOP
from unspoken.envs.aidg_search.interpreter.wording import keys
from unspoken.envs.aidg_search.ontology import Question

# "a fruit, such as an apple or a banana"; what holds more than nouns may narrow the question
_NO_NOUN = "|".join(sorted(STOP | {"or", "and"}))
_WORD = rf"(?!(?:{_NO_NOUN})(?: |$))[a-z0-9][a-z0-9'-]*"
_NOUN = rf"{_WORD}(?: {_WORD}){{0,3}}"
_NOUNS = rf"{_NOUN}(?: (?:, or|, and|,|or|and|/) {_NOUN}){{0,8}}(?: etc)?[ ).,]*$"
_EXAMPLES = re.compile(
    rf"(?: [,(]| -+)? (?:such as|for (?:example|instance)|eg)(?: (?:,|:|like|such as))* {_NOUNS}"
    rf"|^is it .*?(?P<of> [,(] (?:say )?like(?: ,)? {_NOUNS})"
    rf"|^is it (?:an?|some)(?: [a-z-]+){{1,3}}?(?P<kind> like {_NOUNS})"
)
_RESTATED = re.compile(
    r"(?: [,(:]| -+)+ (?:i mean|as in|that is(?: to say)?|ie|in other words|meaning|or rather)"
    r"(?: [,:])? (?P<again>.+?)[ ).,]*$|(?: i mean| as in)(?: [,:])? (?P<then>.+?)[ ).,]*$"
)
_ASKS_AGAIN = re.compile(r"(?:is|does|do|can|could|would|has|are|will) (?:it|you|people|there)\b")


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
                for key in keys(as_line(wording)):
                    if self._keys.setdefault(key, index) != index:
                        self._keys[key] = None
        for index, question in enumerate(questions):  # a text or form is always itself
            for wording in (question.text, *question.forms):
                self._keys[keys(as_line(wording))[0]] = index

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
        index = self._keys.get(line)
        if index is not None:
            return index
        for key in keys(line):
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
