"""Reads `lock: WORD` in the spellings that people and models use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unspoken.envs.aidg_search.interpreter.clauses import lead
from unspoken.envs.aidg_search.interpreter.clean import word_set
from unspoken.envs.aidg_search.interpreter.guess import DETERMINERS, PREPOSITIONS, STOP, Lexicon
from unspoken.envs.aidg_search.interpreter.moves import Candidate, Weight, guess, lock, no_move

_LOCK = re.compile(
    r"(?:^| )(?:lock|locks|locked|locking|lock-in|locking-in)(?= |$)"
    r"(?: (?:it|that|this|me)\b)?(?: (?:in|on|down|onto|with)\b)*"
    r"(?: (?:the|my|a|an)\b)?(?: (?:final|secret|only|one)\b)?(?: (?:guess|answer|word|choice)\b)?"
    r"(?: (?:in|is|as|of|for|be)\b)?(?P<colon>(?: (?:[:(/]|[-=>]+))*)"
)
# What may stand before "lock chair", which has no colon to tell that it is the command
_COMMAND = re.compile(
    r"(?:^|.* )(?:i|we|let me|let us|will|would|to|am|are|shall|please|and|so|then|now|therefore|"
    r"must|should|have|just|hereby|my|[-,:;(>.\x01]+)$"
)
_ABOUT_IT = re.compile(
    r"(?:is|are|does|do|has|have|can|could|would|did|was)(?: not)? (?:it|you|people|one|we)\b"
)
_HYPOTHETICAL = re.compile(
    r"(?:if|what if|should i|may i|can i|could i|shall i|would i|do i|am i|is it (?:time|ok|okay|"
    r"safe|wise|"
    r"right)|should we|can we|may we|do you want me|would it be)\b"
)
_WEIGHED = re.compile(
    r"\b(?:not|never|before|without|instead of|rather than|thinking|tempted|refuse|"
    r"consider|considering|considered|unless|until|unsure|hesitant|hesitate|almost|could|might|"
    r"would(?! like| rather| love)|"
    r"once|avoid|close to|risky|later|after|next turn)\b"
)
_CONDITION = re.compile(r"(?:[(,] )*(?:if|when|once|then i|after|unless|until|in case)\b")
_DROPPED = re.compile(r"\bbut (?:that|i am not|i will not|not yet|first|not)\b")
_NEARBY = re.compile(r" (?:[,;:.]|but|so|and|-+|\x03|\x04)(?= |$)")
_END = re.compile(r" (?:[.!?;()\x02\x03\x04]|-+(?! or))(?= |$)")
_TRIM = re.compile(
    r"(?:(?:i (?:think|guess|believe|say)|that|is|it|word|my|your|final|guess|answer|in|on|as|a|an|"
    r"the|some|one|maybe|probably|[:=>/(.,\x01-]+) )+(?=\w)"
)
_PLACEHOLDERS = word_set(
    "word guess x noun object thing it none nothing unknown tbd answer n/a n na nil null yet later "
    "now no something pending choice secret yes maybe soon shortly eventually next again"
)
_ALSO_NOUNS = word_set("can will may might must")
_NAMELESS = word_set("not anything everything anyone except if neither")


def locks(line: str, is_question: bool, lexicon: Lexicon) -> list[Candidate]:
    """The locks in a sentence, up to the first that is made."""
    found: list[Candidate] = []
    for match in _LOCK.finditer(line):
        before, rest = line[: match.start()].strip(), line[match.end() :].strip()
        # only what stands in the same clause as "lock" says how it is meant
        nearby = _NEARBY.split(f" {before}")[-1].strip()
        bare = " ".join(before.split()[lead(before)[0] :])
        if _ABOUT_IT.match(bare) and not _HYPOTHETICAL.match(bare):
            continue
        if not match["colon"].strip() and bare and not _COMMAND.match(before):
            continue
        candidate = _named(rest, lexicon)
        if candidate is None:
            continue
        conditional = _CONDITION.match(bare if bare.startswith("if") else before)
        tentative = nearby in ("maybe", "perhaps") and is_question
        if tentative or _HYPOTHETICAL.match(nearby):
            word = candidate.reading.word
            if word:
                listed = lexicon.named[word].word if word in lexicon.named else word
                found.append(guess(listed, word, Weight.WEAK if tentative else Weight.MADE))
        elif conditional or _WEIGHED.search(nearby) or _DROPPED.search(rest):
            found.append(no_move("a lock was weighed but not made"))
        else:
            found.append(candidate)
        if found and found[-1].weight is Weight.MADE:
            break
    return found


def _named(rest: str, lexicon: Lexicon) -> Candidate | None:
    """What follows "lock:" as a lock; None where "lock" was not the command."""
    if match := _TRIM.match(rest + " "):
        rest = rest[match.end() :]
    rest = _END.split(f" {rest}", maxsplit=1)[0].strip()
    words = [w for w in rest.split() if w[0].isalnum() or w in (",", "/")]
    while words and words[0] == "lock":
        words.pop(0)
    words = words[lexicon.kind_of(words, 0) :]
    if not words or words[0] in _PLACEHOLDERS:
        return no_move('"lock:" names no word')
    if words[0] in _NAMELESS:
        return no_move("a lock must name the one word it guesses")
    if words[0] in PREPOSITIONS or words[0] in ("and", "or"):
        return None
    phrase: list[str] = []
    if words[0] in _ALSO_NOUNS and STOP.isdisjoint(words[1:]):  # "lock: can", "lock: can opener"
        phrase.append(words[0])
    for word in words[len(phrase) :]:
        if word in STOP or word in (",", "or", "and", "/", "lock"):
            break
        phrase.append(word)
    if not phrase:
        return no_move('"lock:" names no word')
    if len(phrase) > 3 and phrase[0] in lexicon.spelled:  # "chair final answer thank you"
        phrase = phrase[:1]
    if len(phrase) > 3:
        return no_move("a lock must name one word")
    joined = " ".join(phrase)
    word = lexicon.spelled.get(joined) or lexicon.spelled.get(re.sub("[ -]", "", joined), joined)
    for other in _others(words[len(phrase) :], lexicon):
        if lexicon.spelled.get(other, other) != word:
            return no_move(f'a lock is one guess, and this names "{other}" too')
    return lock(word)


def _others(rest: list[str], lexicon: Lexicon) -> Iterator[str]:
    """Further guesses after the first: "or table", ", table"."""
    for i, word in enumerate(rest):
        if word in ("or", "/", ",", "and"):
            after = [
                w for w in rest[i + 1 : i + 4] if w not in DETERMINERS | {"or", "and", "maybe"}
            ]
            if (after and after[0] in lexicon.named and after[1:2] != ["of"]) or (
                after and word in ("or", "/") and after[0] not in STOP
            ):
                yield after[0]
        elif word in STOP:
            return
