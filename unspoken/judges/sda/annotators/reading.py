"""What signal words tell of a question and of the answer to it."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from unspoken.judges.rule_based.lexicon import words
from unspoken.judges.sda.transcripts import Exchange
from unspoken.lexicon.morphology import lemma, tokens
from unspoken.lexicon.wordnet import base_forms

Form = Literal["open", "yes_no", "leading", "remark"]
Kind = Literal["yes", "no", "content", "forgets", "refuses", "counter", "broken", "empty"]

_AUX = r"(?:is|are|was|were|do|does|did|have|has|had|would|could|can|will|should|must|may|might|am)"
_NOT = r"n['’]t"
_WHO = r"(?:it|he|she|they|you|there|that|this|i|we|one)"
_ADDRESS = r"(?:,?\s+(?:sir|ma['’]am|madam|doctor|professor|officer|detective|m[rs]s?\.?\s+\w+))?"
_FILLED = (
    r"^\W*(?:(?:well|oh|ah|uh|um|er|look|now|so|and|but|or|then|okay|ok|all right|please|again|"
    r"in fact|sir|ma['’]am|madam|doctor|your honou?r)\b\W*)*"
)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_SENTENCE = re.compile(r"(?<=[.?!])[\"'”’)]*\s+")
_NEGATIVE = _pattern(
    rf"\b(?:no|not|never|nothing|nobody|none|nor|neither|without|cannot)\b|{_NOT}\b"
)

_OPEN = _pattern(
    rf"{_FILLED}(?:(?:in|at|from|with|within|to|on|by|for|of|about|until|since) )?"
    r"(?:what|who|whom|whose|why|how|which)\b.*\?|"
    rf"{_FILLED}(?:tell|describe|explain)\b|"
    rf"{_FILLED}(?:when(?=\s+{_AUX}\b)|where(?=(?:\s+\w+){{0,4}}?\s+{_AUX}\b))|"
    r"\b(?:at|about) what time\b|\b(?:what|whom?|when|where|why|how)\s*\?"
)
_ASKS_FIRST = _pattern(rf"{_FILLED}{_AUX}(?:{_NOT})?\b")
_SUGGESTS_FIRST = _pattern(
    rf"{_FILLED}(?:{_AUX}{_NOT}\b|{_AUX} {_WHO} not\b|would you agree|do you agree|"
    r"(?:is|would) it (?:be )?(?:fair|safe|true|correct|right|a fair statement)\b)|"
    rf",\s*(?:{_AUX}{_NOT})\s+{_WHO}\b"
)
_TAG = _pattern(
    rf"(?:[,;:]|\s-+)\s*(?:and )?(?:{_AUX}(?:{_NOT})?\s+{_WHO}(?:\s+not)?|right|correct|true|yes|"
    rf"(?:is|was)(?:{_NOT})? (?:that|it)(?: not)?(?: also)? "
    r"(?:so|right|true|correct|a fair statement))"
    rf"{_ADDRESS}\s*\?*\s*$"
)

_INVERTED = _pattern(rf"^(\W*(?:\w+\W+){{0,3}}?{_AUX}){_NOT}")
_YES = _pattern(
    rf"{_FILLED}(?:yes|yeah|yep|aye|indeed|correct|certainly|absolutely|of course|sure|true|right|"
    r"exactly|obvious(?:ly)?|that(?:['’]s| is| was) (?:\w+ly )?(?:so|right|true|correct|accurate)|"
    r"(?:i|it|he|she|they|we|there) (?:did|was|were|do|does|had|has|have|would|could|can|am|is|are)"
    r"(?=[.,;]|\s*$))(?!\s+(?:not|never)\b)"
)
_NO = _pattern(
    rf"{_FILLED}(?:no\b(?! (?:one|state|court|matter)\b)|nope|never(?=[.,;]|\s*$)|not\b|incorrect|"
    r"false\b|wrong\b|untrue|"
    rf"(?:i|it|he|she|they|we|there) (?:did|was|were|do|does|had|has|have|would|could|can|is|are)"
    rf"(?:{_NOT}| not)(?=[.,;]|\s*$)|"
    r"(?:certainly|of course|absolutely|definitely) not|"
    rf"that(?:['’]s| is| was)(?:{_NOT}| not| in) ?(?:so|right|true|correct|accurate)?)"
)
_YES_LAST = _pattern(r"(?:^|[.,?;-])\s*yes(?:,? (?:sir|ma['’]am))?\W*$")
_NO_LAST = _pattern(r"(?:^|[.,?;-])\s*no(?:,? (?:sir|ma['’]am))?\W*$")
_HALF_YES = _pattern(
    rf"{_FILLED}(?:(?:it|that)(?:['’]s| is| was) (?:a )?(?:\w+ly )?(?:possib|likely|apparent)|"
    r"(?:possibly|probably|perhaps|maybe|likely|approximately|sometimes|theoretically|apparently)\b|"
    r"i (?:suppose|guess|believe so|think so|imagine)(?: so)?(?=[.,;]|\s*$)|"
    r"(?:(?:it|that) )?(?:may|might|could)(?: well)? (?:have )?be|something like that)"
)
_UNABLE = rf"(?:(?:can|could|would)(?:{_NOT}| not)|cannot|unable to|hard to)"
_FORGETS = _pattern(
    rf"(?:\b{_UNABLE}|\bdo(?:{_NOT}| not)|\bno longer)\s+(?:\w+ly\s+)?(?:recall|remember|know|"
    rf"recollect)\b|\bdid(?:{_NOT}| not)\s+(?:\w+ly\s+)?(?:recall|remember)\b|"
    rf"\b(?:{_UNABLE}|rather not)\s+(?:\w+ly\s+)?(?:say|tell|explain|make out|be sure)\b|"
    r"\bnot (?:\w+ly )?(?:sure|certain)\b|"
    rf"\bdo(?:{_NOT}| not) have (?:that|the|those|any) (?:\w+ )?(?:figures?|numbers?|dates?)\b|"
    r"\bno (?:idea|memory|recollection|way of knowing)\b|\bforg[eo]t|"
    r"\bwould (?:have|need) to (?:look|check|see)\b"
)
_REFUSES = _pattern(
    r"\b(?:will not|won['’]t|would rather not|['’]d rather not|refuse to|decline to|cannot|"
    r"can['’]t|must not|not going to|(?:am|['’]m) not (?:free|at liberty|here) to|prefer not to)"
    r"\s+(?:\w+\s+)?(?:answer|comment|discuss|speak|talk)\b|\bno comment\b|"
    r"\bask (?:my|the) (?:lawyer|attorney)\b|\b(?:take|plead) the fifth\b|\bnothing to say\b"
)
_HEDGED = _pattern(
    r"\b(?:as far as i|as best i|if i (?:remember|recall)|(?:to (?:the best of )?)?my "
    r"(?:knowledge|recollection|memory)|from what i|i (?:should |would |seem to )?(?:think|believe|"
    r"suppose|guess|imagine|assume|recall)|perhaps|maybe|possibly|possible|possibility|probably|"
    r"apparently|presumably|might|may (?:well )?(?:have|be)|could (?:well )?(?:have been|be)|"
    r"it would seem|i would not swear|not (?:entirely|absolutely|completely) (?:sure|certain))\b"
)
_VAGUE = _pattern(
    r"\b(?:in a (?:manner of speaking|way|sense)|in some (?:way|sense|respect)s?|sort of|kind of|"
    r"more or less|depend(?:s|ing)?|so to speak|to (?:some|a certain) (?:extent|degree)|"
    r"something like that|not exactly|not really|not necessarily|at some point|"
    r"if (?:that|it|i|he|she|they|there|you)\b)"
)
_BROKEN_OFF = re.compile(r"(?:(?<!-)--+|—|\.\s?\.\s?\.|…)[\"'”]?\s*$")
_STAGE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_POINTS = _pattern(
    r"\b(?:it|its|that|this|these|those|there|then|he|him|his|she|her|they|them|their|one|ones|"
    r"both|either|neither|same|so)\b"
)
_PRESSED = _pattern(
    r"\bexhibit|\byou(?:['’]ve| have| had)? (?:just |earlier |previously )?(?:said|testified|told|"
    r"stated|wrote|signed|indicated|claimed)\b|\bwill (?:say|testify)\b|\b(?:on|in) your "
    r"(?:report|statement|notes|testimony)\b"
)
_OF_MEMORY = _pattern(
    r"\b(?:you (?:\w+ly )?(?:know|recall|remember|recollect)|"
    r"(?:are|were) you (?:aware|sure|certain)|"
    rf"you (?:do|did|can|could)(?:{_NOT}| not) (?:know|recall|remember|say|tell))\b"
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
        kind: "yes" or "no" in words for it; "content" is an answer without them; "forgets" does
            not remember or know; "refuses"; "counter" is a question back; "broken" off before
            anything was said; "empty" has no words.
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
    return _SENTENCE.split(_TAG.sub("", question.strip()))[-1]


def asked(question: str) -> Asked:
    """What a question asks for."""
    text = question.strip()
    last = _SENTENCE.split(text)[-1]
    tag = _TAG.search(text)
    form: Form
    if tag:
        form = "leading"
    elif _OPEN.search(last):
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
        bool(_HEDGED.search(text)),
        bool(_VAGUE.search(text)),
        bool(_POINTS.search(text)),
    )


def _kind(text: str) -> Kind:
    if not re.search(r"\w", text):
        return "empty"
    sentences = _SENTENCE.split(text)
    if _REFUSES.search(sentences[0]):
        return "refuses"
    # who does not remember but tells what he does remember has answered
    told = re.search(r"\bbut\b", text, re.IGNORECASE) or len(sentences) > 2
    if not told and any(map(_FORGETS.search, sentences)):
        return "forgets"
    if _YES.search(text) or _YES_LAST.search(sentences[0]) or _HALF_YES.search(text):
        return "yes"
    if _NO.search(text) or any(_NO_LAST.search(sentence) for sentence in sentences[:2]):
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
    return bool(_NEGATIVE.search(text))


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
