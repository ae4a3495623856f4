"""Reads what players of the search game type: a seeker's utterance, a holder's answer.

An utterance is stripped of thinking and markup, split into sentences, and read from its end: the
last move that was made counts. Within a sentence the grammar decides, not the mention of a word:

* `lock: WORD`, in the spellings that models use, locks. The whole phrase is the guess, so
  "lock: table lamp" locks "table lamp", which is no word of the list. Plurals and spellings are the
  word ("chairs", "paint brush"); other names of it are not ("plane").
* A sentence that says that the secret is a word of the list is a direct guess, however it is
  dressed up. A noun that is not on the list ("Is it a car?") cannot be told from a category
  without knowing the world, so asking for it is an open question; on the final turn it is a guess.
* A move that was only weighed ("I could ask ..., but") or taken back does not count. A suspicion
  ("I think it's a tiger.") is a direct guess only where nothing else was said.
* What, where, how and the like have no answer among yes, no and maybe: invalid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

from unspoken.envs.aidg_search.interpreter import clean, moves
from unspoken.envs.aidg_search.interpreter.moves import Candidate, Weight
from unspoken.envs.aidg_search.interpreter.sentence import SentenceReader
from unspoken.envs.aidg_search.ontology import DEFAULT, Ontology, load
from unspoken.envs.aidg_search.reading import Reading

# Sentences that can hold a move; others are not looked at, which keeps long chatter cheap.
_VERB = r"(?:is|are|was|does|do|did|can|could|would|will|has|have)"
_TELLING = re.compile(
    rf"\?|\x03|lock|guess|answer|whether|\bif\b|ask|^\W*(?:[\w']+\W+){{0,4}}?{_VERB}\b|"
    rf"\b{_VERB}\s+(?:it|they|this|that|the|you|people)\b|\bit(?:'s|s an?|\s+{_VERB})\b|wait|"
    rf"scratch|"
    r"forget|never ?mind|ignore|disregard|withdraw|second thought|rephrase|reconsider|disqualif|"
    r"\bword\b|\b(?:sounds|looks|seems)\b|confirm|verify|that would|that is|"
    r"think|believe|suspect|\bsay\b|go(?:ing)? with|what|how|tell|must be|has to be|"
    r"gotta|got to be",
    re.IGNORECASE,
)
_SHORT = 35  # a sentence of so few characters may be a bare word
_REACH = 2000  # characters of a sentence that are looked at
_SENTENCES = 60  # that are read, from the end

_ANSWERS = {"yes": "yes", "no": "no", "maybe": "maybe"}
_STRICT_TRIM = " \t\r\n.!*_`\"'()[]\u201c\u201d\u2018\u2019\u200b"
# A longer reply, in order of what is tried at one place. "no" is often a mere determiner ("no
# doubt"), and words of agreement answer only where they come first ("right", "correct").
_REPLY = re.compile(
    r"(?P<skip>\byes\W+(?:or\W+)?no\W+(?:or\W+)?maybe\b|\byes or no\b|\bno (?:doubt|problem|"
    r"worries|"
    r"question))"
    r"|(?P<maybe>\b(?:maybe|perhaps|possibly|sometimes|depends|unsure|yes and no|no idea|partly|"
    r"partially|occasionally|not (?:really )?(?:sure|certain|necessarily|always)|hard to (?:say|"
    r"tell)|"
    r"(?:can ?not|can't|could ?n[o']t|could not) (?:really )?(?:say|tell|be sure|answer)|"
    r"(?:don't|do not) (?:really )?know)\b)"
    r"|(?P<no>\b(?:nope|nah|negative)\b|\bno\b(?=\W*$|\s*[^\w\s]|\s+(?:because|since|it|they|as|"
    r"but|"
    r"and|this|that|not)\b)"
    r"|^(?:never|false|incorrect|not (?:really|at all)|(?:definitely|certainly|absolutely|"
    r"of course|"
    r"probably) not|no)\b)"
    r"|(?P<yes>\b(?:yes|yep|yeah|yup|affirmative)\b"
    r"|^(?:aye|correct|indeed|certainly|definitely|absolutely|sure|true|right|exactly|of course)\b)"
)


class Interpreter:
    """Reads utterances in terms of one ontology.

    Args:
        ontology: whose words and questions utterances are about.
    """

    def __init__(self, ontology: Ontology) -> None:
        self._reader = SentenceReader(ontology)
        self._menu = {
            question.text: self._reader.asked(i).reading
            for i, question in enumerate(ontology.questions)
        } | {f"lock: {word}": moves.lock(word).reading for word in ontology.words}

    def read(self, text: str, *, final: bool = False) -> Reading:
        """Read a seeker's utterance; never raises, whatever the text.

        Args:
            text: what the seeker typed.
            final: whether this is the forced final guess. Then a guess in any form is a lock.
        """
        reading = self._menu.get(text)
        if reading is not None:
            return reading
        said = clean.spoken(text)
        best = self._choose(said)
        return self._final(best, said) if final else best.reading

    def read_answer(self, text: str, *, lenient: bool = False) -> str | None:
        """Read a holder's reply.

        Args:
            text: what the holder typed.
            lenient: take the first clear yes, no or maybe out of a longer reply. Otherwise the
                reply must be that one word, give or take case, quotes and a full stop.

        Returns:
            "yes", "no", "maybe", or None where the reply is none of these.
        """
        if text in _ANSWERS:
            return text
        if "<" in text or "[" in text:
            text = clean.without_thinking(text)
        answer = _ANSWERS.get(text.strip(_STRICT_TRIM).lower()) if len(text) < 1000 else None
        return _loose_answer(clean.spoken(text)) if lenient and answer is None else answer

    def _final(self, best: Candidate, said: str) -> Reading:
        """The reading of a forced final guess: one that names a single word locks it."""
        move = best.reading.move
        if move == "direct_guess":
            if best.also:
                why = f'the final guess is one word, and this names "{best.said}" and "{best.also}"'
                return moves.no_move(why).reading
            return moves.lock(best.said).reading
        if move == "open_question" and (noun := self._reader.noun_asked(best.reading.question)):
            return moves.lock(noun).reading
        if move == "invalid" or (move == "open_question" and "?" not in said):
            for raw in islice(clean.sentences(said), 3):
                if noun := self._reader.final_noun(raw, bare=move == "invalid"):
                    return moves.lock(noun).reading
        return best.reading

    def _choose(self, said: str) -> Candidate:
        """The last move that was made; else one said in passing; else why there is none."""
        best = moves.no_move('no yes/no question and no "lock: WORD" found')
        hinted, taken_back, sentences = False, 0, 0
        for raw in islice(_telling(said), _SENTENCES):
            sentences += 1
            found, retracts = self._reader.read(raw)
            if best.weight is Weight.MADE:
                # "lock: chair. It is the chair, right?" says the lock again
                again = [c for c in found if c.weight is Weight.MADE][-1:]
                if again and again[0].reading.move == "lock":
                    return again[0] if again[0].reading.word == best.reading.word else best
                return best
            taken_back += retracts
            for candidate in reversed(found):
                if candidate.weight is Weight.HINT:
                    if not hinted and best.weight is Weight.HINT:
                        best, hinted = candidate, True
                elif taken_back:
                    taken_back -= 1
                    if not hinted and best.weight is Weight.HINT:
                        best, hinted = moves.no_move("the move was taken back"), True
                elif candidate.weight > best.weight:
                    best = candidate
            if best.weight is Weight.MADE and best.reading.move != "direct_guess":
                return best
        if best.weight is Weight.WEAK and best.reading.move == "question" and sentences > 1:
            return moves.no_move("states things about the word but asks nothing")
        return best


def _telling(said: str) -> Iterator[str]:
    for raw in clean.sentences(said):
        if len(raw) <= _SHORT or _TELLING.search(raw, max(0, len(raw) - _REACH)):
            yield raw


def _loose_answer(said: str) -> str | None:
    """The first clear answer in a longer reply."""
    for match in _REPLY.finditer(said.lower().strip(" \n.!\"'():")):
        if match.lastgroup != "skip":
            return match.lastgroup
    return None


@cache
def interpreter(folder: Path = DEFAULT) -> Interpreter:
    """The interpreter of an ontology's folder; the package's own by default."""
    return Interpreter(load(folder))
