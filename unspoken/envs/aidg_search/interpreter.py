"""Reads what players of the search game type: a seeker's utterance, a holder's answer.

An utterance is stripped of thinking and markup, split into sentences, and read from its end: the
last move that was made counts. Within a sentence the grammar decides, not the mention of a word:

* `lock: WORD`, in the spellings that models use, locks. The whole phrase is the guess, so
  "lock: table lamp" locks "table lamp", which is no word of the list. Plurals and spellings are the
  word ("chairs", "paint brush"); other names of it are not ("plane").
* A sentence that says that the secret is a word of the list is a direct guess, however it is
  dressed up. A noun that is not on the list ("Is it a car?") cannot be told from a category
  without knowing the world, so asking for it is an open question.
* A move that was only weighed ("I could ask ..., but") or taken back does not count. A suspicion
  ("I think it's a tiger.") is a direct guess only where nothing else was said.
* What, where, how and the like have no answer among yes, no and maybe: invalid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from unspoken.envs.aidg_search import text_clauses as clauses
from unspoken.envs.aidg_search import text_clean as clean
from unspoken.envs.aidg_search.ontology import DEFAULT, Ontology, load
from unspoken.envs.aidg_search.reading import Reading
from unspoken.envs.aidg_search.text_bank import Bank
from unspoken.envs.aidg_search.text_guess import DETERMINERS, PREPOSITIONS, STOP, Lexicon


class _Weight(IntEnum):
    """How seriously a move was meant."""

    DROPPED = 0  # weighed and not made: never counts
    HINT = 1  # a failed attempt, kept for its reason only
    WEAK = 2  # counts where nothing was made
    MADE = 3


class _Candidate(NamedTuple):
    weight: _Weight
    reading: Reading
    said: str = ""  # the guess as said, where that is not the listed word


_QUESTION_WHY = "asks the bank's question"
_OPEN_WHY = "a yes/no question that the bank does not hold"
_WH_WHY = "cannot be answered by yes, no or maybe; ask a yes/no question"
_NOTHING_WHY = 'no yes/no question and no "lock: WORD" found'

# --- lock ------------------------------------------------------------------------------------
_LOCK = re.compile(
    r"(?:^| )(?:lock|locks|locked|locking|lock-in|locking-in)(?= |$)"
    r"(?: (?:it|that|this|my|me))?(?: (?:in|on|down|onto|with))?"
    r"(?: (?:the|my|a|an))?(?: (?:final|secret|only|one))?(?: (?:guess|answer|word|choice|in))?"
    r"(?: (?:is|as|of|on|for|be))?(?P<colon>(?: (?:[:(>=/]|[-=>]+))*)(?: [,\x01])?"
)
_LOCK_BY = re.compile(
    r"(?:^|.* )(?:i|we|let me|let us|will|would|like to|want to|going to|choose to|decide to|"
    r"decided to|ready to|am|to|shall|please|and|so|then|now|therefore|must|should|ll|[-,:;(>.]|"
    r"just|hereby|confidently|final answer|answer|is|can|but)$"
)
_UNLOCKED = re.compile(
    r"\b(?:not|never|before|without|instead of|rather than|thinking of|thinking about|tempted|"
    r"consider|considering|considered|unless|until|unsure|hesitant|hesitate|almost|could|might|"
    r"when|once|cannot|avoid|about to|close to|risky|later|after|like|next turn)\b"
)
_HYPOTHETICAL = re.compile(
    r"(?:^|.* )(?:if|should i|may i|can i|could i|shall i|would i|do i|am i|is it (?:time|ok|okay|"
    r"safe|wise|right)|what if|should we|can we|may we|do you want me|would it be)(?: |$)"
)
_PLACEHOLDER = frozenset(
    "word guess x noun object thing it none nothing unknown tbd answer n/a na nil null yet later "
    "now no not something anything pending choice secret yes maybe in".split()
)
_GUESS_TRIM = re.compile(
    r"^(?:(?:i (?:think|guess|believe|say)|that|is|it|the word|word|my|final|guess|answer|in|on|"
    r"as|a|an|the|some|one|maybe|probably|[:=>/(.,;\x01-]+) )+(?=\w)"
)
_NO_GUESS = frozenset("not anything everything something nothing no except none if".split())

# --- direct guesses that are not of the form "is it X" -----------------------------------------
_DECLARED = re.compile(
    r"^(?:(?:my|the|a|first|next|best|current|only) )*(?:final |best |first |next |educated |wild )*"
    r"(?:guess|answer|it|bet|pick|choice)(?: here| now)?(?: (?:is|would be|will be|would have to be|"
    r"must be))?(?: that it is| it is)? ?(?P<mark>[:,=>-]*)(?: \x01)? (?P<what>.+)$"
)
_I_GUESS = re.compile(
    r"^(?:so |then )?(?:i|we|let me|let us)(?: am)?(?: will| would| shall| want to| am going to|"
    r" would like to| have to| must)?(?: just| now| then)*"
    r" (?:guess|guessing|say|saying|go with|going with|choose|choosing|pick|picking|answer|bet on|"
    r"settle on|try|submit)(?: it is| that it is| is)?[ :,\x01]* (?P<what>.+)$"
)
_ANSWERED = re.compile(
    r"^(?P<what>.+?) (?:is|would be|will be) (?:my|the) (?:\w+ )?(?:guess|answer|word|pick|choice)\b"
)
_SUSPECTED = re.compile(
    r"^(?:i|we)(?: am)?(?: \w+)? (?:think|believe|suspect|bet|feel|sure|confident|certain|imagine|"
    r"conclude|suppose|reckon|say|guess|convinced|positive|assume|know|thinking)(?: that)?"
    r"(?: it is| it must be| of| it has to be)? (?P<what>.+)$"
)
_STATED = re.compile(
    r"^(?:so |then |maybe |perhaps |surely )*it (?:is|must be|has to be|should be|would be|will be|"
    r"could be|might be|may be|can only be|seems to be|sounds like)(?P<what> .+)$"
)
_SPECULATIVE = re.compile(r"^(?:maybe |perhaps )*it (?:could|might|may|is not)\b")
_SUBJECT_FIRST = re.compile(
    r"^(?:is|are|would|could|might|will|does|do|can|was|should|shall|may)"
    r"(?P<what>(?: \x01)? .+?) (?:(?:be|sound|look|seem) )?(?:the )?"
    r"(?:it|right|correct|match|fit|work|ring a bell|a good guess|the right guess|a correct guess|"
    r"my guess|on your mind|in your mind)$"
)
_OFFERED = re.compile(
    r"^(?:what about|how about|what if (?:it is|i (?:said|say|guessed|locked))?|which is it|"
    r"which one is it|(?:am|would|will|was) i (?:be )?(?:right|correct|wrong)(?: \w+){0,3}?"
    r"(?: (?:said|say|saying|guess|guessed|guessing|locked|locking|lock|answered|thought|it is|"
    r"thinking|with))|(?:should|can|could|may|shall|might|do) (?:i|we) (?:\w+ )?(?:guess|say|try|"
    r"answer|lock|go with|call it)|if i (?:said|say|guessed|guess|locked|lock|answered|were to "
    r"(?:say|guess|lock)))(?: that)?(?: it is| lock)?[ :,\x01]* (?P<what>.+)$"
)
_CALLED = re.compile(
    r" (?:called|named|known as|referred to as|spelled|spelt|labelled|namely)(?: \x01)? (?P<what>.+)$"
)

# --- questions ---------------------------------------------------------------------------------
_WH = re.compile(
    r"^(?:(?:in|on|at|to|for|of|from|with|by|about) )?(?:what|where|when|who|whom|whose|why|how|"
    r"which|name|describe|give me|list)\b"
)
_ABOUT_IT = frozenset("it its them they there one ones".split())
_CHATTER = re.compile(
    r"^(?:is|was|does|do|did|can|could|would|will|have|has|are|should|may|am|shall)"
    r" (?:it (?:right|correct|true|ok|okay|clear|fair|alright|fine|allowed|good|yes|no|maybe|"
    r"my turn|your turn|possible|over|understood|wrong|yours|mine|help|helpful|make sense|sound "
    r"(?:good|right|fair|ok))(?: (?:to (?:ask|say|you|me)|if|or|with|for|so)\b.*)?$"
    r"|you (?:\w+ )?(?:give|explain|repeat|help|clarify|hint|elaborate|rephrase|ready|understand|"
    r"answer|respond|reply|provide|tell|say|confirm|know|agree|see what|get what|follow)\b"
    r"|(?:i|we|that|this|you)(?: (?:right|correct|ok|close|ready|done|help|enough|fair))?$"
    r"|(?:i|we) \w+"
    r"|the (?:game|turn|round|rules)\b)"
)
_EMPTY_PREDICATE = re.compile(
    r"^\w+ it(?: (?:a|an|the|some|not|be|have|really|of|in|to|something|anything|what))*$"
)
_ELLIPSIS = re.compile(
    r"^(?:a|an|the|some|any|made|found|used|worn|bigger|smaller|larger|taller|heavier|lighter|"
    r"longer|older|more|less|usually|often|something|alive|living|able|part)\b"
)
_ASK_WORD = re.compile(
    r"(?:ask|asking|asked|say|saying|said|guess|guessing|try|trying|like|as|eg|question|questions|"
    r"whether|if|with|mind|about|of)(?: [:,(\x01-]+)*(?: (?:if|whether|that|something like|things "
    r"like|about))?(?: [:,(\x01-]+)*$"
)
_DROPPED_BEFORE = re.compile(
    r"\b(?:not|never|tempted|tempting|consider|considering|considered|thought|instead of|rather "
    r"than|before|avoid|without|questions? like|questions? such as|was going to|forbidden|illegal|"
    r"disqualified|risky|avoided|almost|earlier|already|previously|prohibited|unlike|refrain|such "
    r"as|example|examples|if i|if we|were to|crossed my mind|later|next turn)\b"
)
_SOFT_BEFORE = re.compile(r"\b(?:could|might|may|would|thinking)\b")
_DROPPED_AFTER = re.compile(
    r"\b(?:but (?:that|this|i|which)\b(?! have)|(?:would|will|might|could|may) (?:\w+ )?(?:disqualify|"
    r"be (?:a direct|against|too|disallowed|illegal|cheating|guessing|risky|premature)|count as|"
    r"break)|is(?: not)? (?:allowed|forbidden|illegal|against|off limits|a direct guess|prohibited)|"
    r"disqualif\w+ me|breaks the rule)"
)
_RETRACTED = re.compile(
    r"^(?:(?:oh|hmm+|well|sorry|oops|actually|no|wait|hold on|but) ?[,.!-]* ?)*(?:"
    r"scratch (?:that|it)|never ?mind|forget (?:that|it)|strike (?:that|it)|ignore (?:that|it|the "
    r"previous)|i take (?:that|it) back|on second thoughts?|let me (?:rephrase|reconsider|think "
    r"again|try again|ask something else)|i withdraw|that was a (?:mistake|slip)|cancel that|"
    r"disregard (?:that|it)|i (?:can ?not|should not|must not|may not|will not|would rather not|"
    r"better not|do not want to) (?:ask|say|guess|lock|do) (?:that|it|this)?|(?:that|this|which|it) "
    r"(?:would|will|might|could|is|was|counts) (?:\w+ )?(?:disqualify|be (?:a direct|against|"
    r"cheating|disallowed|risky|too risky|illegal)|a direct|not allowed|against|forbidden|too risky|"
    r"as a (?:direct )?guess|count as))"
)
_TAKEN_BACK = re.compile(r"^(?:actually|oh|hmm+|well) ?,? (?:no|wait)\b|^no ?, ?(?:wait|no)\b|^wait$")

# --- the holder --------------------------------------------------------------------------------
_ANSWERS = {"yes": "yes", "no": "no", "maybe": "maybe"}
_LOOSE = {
    **_ANSWERS,
    **dict.fromkeys(
        ("yep", "yeah", "yup", "yea", "aye", "affirmative", "correct", "indeed", "certainly",
         "definitely", "absolutely", "sure", "true", "right", "exactly"),
        "yes",
    ),
    **dict.fromkeys(("nope", "nah", "nay", "negative", "never", "false", "incorrect"), "no"),
    **dict.fromkeys(
        ("perhaps", "possibly", "sometimes", "depends", "unsure", "uncertain", "ambiguous",
         "occasionally", "partly", "partially"),
        "maybe",
    ),
}  # fmt: skip
_STRICT_TRIM = " \t\r\n.!*_`\"'()[]“”‘’\u200b"
_UNDECIDED = re.compile(
    r"\b(?:it depends|not (?:really )?(?:sure|certain|necessarily|always|exactly)|yes and no|"
    r"(?:can ?not|can't|cannot|could ?n[o']?t|couldn't) (?:really )?(?:say|tell|be sure|answer)|"
    r"hard to say|(?:don't|do not) know|no idea|yes or no|either way|not clear)\b"
)
_DENIED = re.compile(
    r"\b(?:it|they|that|this)(?:'s| is| does| can| has| was| are| would)?(?:n't| ?not\b)|\bnot at all\b"
)
_ASSERTED = re.compile(r"^(?:it|they|that|this)(?:'s| is| does| can| has| are)\b")


class Interpreter:
    """Reads utterances in terms of one ontology.

    Args:
        ontology: whose words and questions utterances are about.
    """

    def __init__(self, ontology: Ontology) -> None:
        self._questions = tuple(q.text for q in ontology.questions)
        self._bank = Bank(ontology.questions)
        self._lexicon = Lexicon(ontology.words)
        self._menu = {text: self._asked(i) for i, text in enumerate(self._questions)}
        for word in ontology.words:
            self._menu[f"lock: {word}"] = _locked(word).reading

    def read(self, text: str, *, final: bool = False) -> Reading:
        """Read a seeker's utterance; never raises, whatever the text.

        Args:
            text: what the seeker typed.
            final: whether this is the forced final guess. Then a guess in any form is a lock.
        """
        reading = self._menu.get(text)
        if reading is not None:
            return reading
        said = self._lexicon.rejoin(clean.spoken(text))
        best = self._choose(said, final)
        if final and best.reading.move == "direct_guess":
            word = best.said or best.reading.word
            return Reading("lock", word, why=f'the final guess names "{word}"')
        if final and best.weight <= _Weight.HINT and (word := self._bare_word(said)):
            return Reading("lock", word, why=f'the final guess names "{word}"')
        return best.reading

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
        if len(text) < 200:
            answer = _ANSWERS.get(text.strip(_STRICT_TRIM).lower())
            if answer or not lenient:
                return answer
        return _loose_answer(clean.spoken(text)) if lenient else None

    # --- choosing ------------------------------------------------------------------------------

    def _choose(self, said: str, final: bool) -> _Candidate:
        best = _Candidate(_Weight.HINT, Reading("invalid", why=_NOTHING_WHY))
        taken_back, alone, seen = 0, True, 0
        for raw, begins_line in clean.sentences(said):
            seen += 1
            found = self._sentence(raw, begins_line, final)
            if found is None:
                taken_back += 1
                continue
            if best.weight is _Weight.MADE:
                # "lock: chair. It is the chair, right?": the lock stands
                last = found[-1] if found else None
                if last and last.reading.move == "lock" and last.weight is _Weight.MADE:
                    return last if last.reading.word == best.reading.word else best
                return best
            for candidate in reversed(found):
                if candidate.weight < _Weight.WEAK or not taken_back:
                    if candidate.weight > best.weight or (
                        candidate.weight is best.weight is _Weight.HINT
                        and best.reading.why == _NOTHING_WHY
                    ):
                        best = candidate
                    if candidate.weight is _Weight.MADE:
                        break
                else:
                    taken_back -= 1
            if best.weight is _Weight.MADE and best.reading.move != "direct_guess":
                return best
            alone = alone and seen == 1
        return best

    def _sentence(self, raw: str, begins_line: bool, final: bool) -> list[_Candidate] | None:
        """The moves in a sentence, in order; None if it takes the move before it back."""
        sentence = clean.tokenise(raw)
        words, spans = sentence.words, sentence.spans
        if not words:
            return []
        self._rejoin_compounds(words, spans)
        clauses.with_subject(words, spans)
        line = " ".join(words)
        if begins_line and clauses.is_reasoning(line):
            return []
        if _RETRACTED.match(line) or _TAKEN_BACK.match(clauses.without_tail(line)):
            retracted = True
        else:
            retracted = False
        found = self._sentence_moves(sentence, line)
        if retracted and not any(c.weight is _Weight.MADE for c in found):
            return None
        return found

    def _sentence_moves(self, sentence: clean.Sentence, line: str) -> list[_Candidate]:
        words = sentence.words
        is_question = "?" in sentence.words[-3:] or clean.ASKED in sentence.words[-3:]
        skip, asked = clauses.lead(line)
        found: list[_Candidate] = []
        index = self._bank.find(clauses.without_tail(" ".join(words[skip:])))
        if index >= 0 and (is_question or asked or words[skip] in clauses.AUXILIARIES):
            return [_Candidate(_Weight.MADE, self._asked(index))]
        if " lock" in f" {line}":
            found += self._locks(line, is_question)
            if found and found[-1].weight is _Weight.MADE:
                return found
        body = " ".join(words[skip:])
        guess = self._declared(line, body, is_question)
        if guess is not None:
            return [*found, guess]
        found += self._clauses(sentence, skip, asked, is_question)
        if not found:
            found += self._fragment(sentence, skip, body, is_question, asked)
        return found

    # --- locks ---------------------------------------------------------------------------------

    def _locks(self, line: str, is_question: bool) -> list[_Candidate]:
        found: list[_Candidate] = []
        for match in _LOCK.finditer(line):
            before, rest = line[: match.start()].strip(), line[match.end() :].strip()
            colon = bool(match["colon"].strip())
            nearby = re.split(r" (?:[,;:.]|but|so|and|-+|\x03|\x04)(?= |$)", f" {before}")[-1]
            lead, _ = clauses.lead(before)
            stripped = " ".join(before.split()[lead:])
            if re.search(r"\b(?:a|an|the|its|have|has)$", before) and not colon:
                continue
            if not colon and stripped and not _LOCK_BY.match(before):
                continue
            if re.match(r"^(?:is|does|has|can|do|are|would)(?: not)? (?:it|you|people)\b", stripped):
                continue
            candidate = self._lock_of(rest)
            if candidate is None:
                continue
            if _HYPOTHETICAL.match(nearby) or (nearby.strip() in ("maybe", "perhaps") and is_question):
                if candidate.reading.word:
                    tentative = nearby.strip() in ("maybe", "perhaps")
                    weight = _Weight.WEAK if tentative else _Weight.MADE
                    word = candidate.reading.word
                    named = self._lexicon.named.get(word)
                    found.append(_guessed(named.word if named else word, word, weight))
            elif _UNLOCKED.search(nearby) or _DROPPED_AFTER.search(rest):
                why = "a lock was weighed but not made"
                found.append(_Candidate(_Weight.HINT, Reading("invalid", why=why)))
            else:
                found.append(candidate)
            if found and found[-1].weight is _Weight.MADE:
                break
        return found

    def _lock_of(self, rest: str) -> _Candidate | None:
        """What a lock names; None where "lock" was not the command."""
        rest = re.split(r" (?:[.!?;\x02\x03\x04)]|-{2,})(?= |$)| - ", f" {rest} ")[0].strip()
        rest = _GUESS_TRIM.sub("", rest + " ").strip()
        words = [w for w in rest.split() if w not in (":", "\x01", "(", "=", ">", "/", "->", "=>")]
        while words and words[0] in DETERMINERS | {"it", "is", ",", "-"}:
            words.pop(0)
        if not words or words[0] in _PLACEHOLDER or words[:2] == ["your", "guess"]:
            return _unlocked('"lock:" names no word')
        if words[0] in _NO_GUESS:
            return _unlocked("a lock must name the one word it guesses")
        if words[0] in PREPOSITIONS or words[0] in ("and", "or"):
            return None
        phrase: list[str] = []
        for word in words:
            if word in STOP or word in (",", "or", "and", "/", "-"):
                break
            phrase.append(word)
        for given in self._others(words[len(phrase) :], "".join(phrase)):
            return _unlocked(f'a lock is one guess, and this names "{given}" too')
        if not phrase:
            return _unlocked('"lock:" names no word')
        if len(phrase) > 3 and phrase[0] not in self._lexicon.spelled:
            return _unlocked("a lock must name one word")
        joined = " ".join(phrase)
        if len(phrase) > 3:
            joined = phrase[0]
        word = self._lexicon.spelled.get(joined.replace(" ", ""), "")
        return _locked(word or self._lexicon.spelled.get(joined, joined))

    def _others(self, rest: list[str], first: str) -> Iterator[str]:
        """Further guesses after "chair": "or table", ", table"."""
        for i, word in enumerate(rest):
            if word in ("or", "/", ",", "and"):
                after = [w for w in rest[i + 1 : i + 4] if w not in DETERMINERS | {"or", "and"}]
                if after and after[0] in self._lexicon.named:
                    if self._lexicon.spelled.get(after[0]) != self._lexicon.spelled.get(first):
                        yield after[0]
                elif after and word in ("or", "/") and after[0] not in STOP:
                    yield after[0]
            elif word in STOP and word not in ("maybe", "yes", "no"):
                return

    # --- guesses -------------------------------------------------------------------------------

    def _declared(self, line: str, body: str, is_question: bool) -> _Candidate | None:
        """A guess that is stated: "my guess is X", "I think it is X", "what about X?"."""
        if " lock" in f" {line}" and not _OFFERED.match(body):
            return None
        for text in dict.fromkeys((clauses.without_tail(line), clauses.without_tail(body))):
            strong = _OFFERED.match(text) or _ANSWERED.match(text) or _I_GUESS.match(text)
            if strong is None and (declared := _DECLARED.match(text)):
                strong = declared if self._is_declared(declared) else None
            if strong is not None:
                candidate = self._stated(strong["what"], _Weight.MADE)
                if candidate is not None:
                    return candidate
            weak = _SUSPECTED.match(text) or _STATED.match(text)
            if weak is not None and not (_SPECULATIVE.match(text) and not is_question):
                weight = _Weight.MADE if is_question else _Weight.WEAK
                candidate = self._stated(weak["what"], weight, listed=True)
                if candidate is not None:
                    return candidate
        return None

    @staticmethod
    def _is_declared(match: re.Match[str]) -> bool:
        """ "my guess is X", "guess: X", but not "it is X" or "the answer X"."""
        head = match[0][: match.start("what")].split()
        return head[0] != "it" and bool(match["mark"] or {"is", "be", "guess"} & set(head))

    def _stated(self, what: str, weight: _Weight, listed: bool = False) -> _Candidate | None:
        words = _words(what)
        named = self._lexicon.head(words, bare=not listed)
        if named is not None:
            return _guessed(named.word, named.said, weight)
        if listed:
            return None
        noun = _noun(words)
        if not noun or self._bank.find(f"is it a {noun}") >= 0 or self._bank.find(f"is it {noun}") >= 0:
            return None
        return _guessed(noun, noun, weight)

    def _guess_in(self, clause: str) -> _Candidate | None:
        """A direct guess in a clause that asks."""
        line = clauses.without_tail(clause)
        match = _OFFERED.match(line)
        predicate = match["what"] if match else ""
        if not match:
            said = clauses.plain(line)
            if said.startswith(("is it ", "was it ")):
                predicate = said.split(" it ", 1)[1]
        named = self._lexicon.head(_words(predicate)) if predicate else None
        if named is None and (called := _CALLED.search(line)):
            named = self._lexicon.head(_words(called["what"]), bare=True)
        if named is None and (first := _SUBJECT_FIRST.match(line)):
            named = self._whole(_words(first["what"]))
        return _guessed(named.word, named.said, _Weight.MADE) if named else None

    def _whole(self, words: list[str]):  # type: ignore[no-untyped-def]
        """The word that a phrase names, if the phrase is nothing but its name."""
        named = self._lexicon.head(words, bare=True)
        return named if named and not any(w in STOP for w in words) else None

    # --- questions -----------------------------------------------------------------------------

    def _clauses(
        self, sentence: clean.Sentence, skip: int, asked: bool, is_question: bool
    ) -> list[_Candidate]:
        return []

    def _fragment(
        self, sentence: clean.Sentence, skip: int, body: str, is_question: bool, asked: bool
    ) -> list[_Candidate]:
        return []
