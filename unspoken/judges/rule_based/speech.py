"""A text in sentences and clauses, and what a clause does: assert, ask, decline, judge."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from unspoken.judges.rule_based import idioms, lexicon
from unspoken.judges.rule_based.tokens import Token, normal, stems, tokens

_SPEECH = stems(lexicon.SPEECH)
_ATTITUDES = stems(lexicon.ATTITUDES)
_MAYBES = stems(lexicon.MAYBES)
_DESIRES = stems(lexicon.DESIRES)
_SEARCH = stems(lexicon.SEARCH)
_YES = stems(lexicon.YES)
_PLAIN_YES = stems(lexicon.PLAIN_YES)
_NO = stems(lexicon.NO)
_RIGHT = stems(lexicon.RIGHT_WORDS)
_WRONG = stems(lexicon.WRONG_WORDS)
_LIGHT = stems(lexicon.VERDICT_LIGHT)
_SUBJECTS = {"i", "we"}
_SPEAKERS = {"you", "i", "we", "somebody", "someone"}
_RESUMING = {"you", "i", "it", "that", "they", "we"}
_SOFT = {"suppos", "guess", "think", "believ", "probab", "lik", "afraid"}
_HE = {"it", "he", "she", "they"}

_SENTENCE = re.compile(r"(?<=[.!?…])(?<![ap]\.m\.)[\"')\]]*\s+|\n+|\s*[;]\s*", re.IGNORECASE)
_CLAUSE = re.compile(
    r"\s*(?:[,()]|:(?!\d))\s*|\s+[–—-]+\s+|[–—]|\.{2,}|…"
    r"|\s+(?=(?:but|because|although|though|however|except)\b)"
    r"|\s+(?=and (?:i|it|he|she|they|you|we|that|there|not)\b)"
    r"|\s+(?=so (?:i|it|he|she|they|you|we|that|there)\b)"
)
_LEAD = re.compile(
    r"^((?:well|oh|ah|um|uh|hmm+|okay|ok|so|and|but|why)\s+)*"
    r"(yes|yeah|yep|yup|no|nope|nah|correct|right|indeed|exactly|sure)\s+"
    r"(?=(?:it|he|she|they|you|that|this|the|there|i|we|since|in|at|because|for)\b)(?!there of)"
)
_QUOTED = re.compile(r"\"([^\"]*)\"|(?<!\w)'([^']{3,})'(?!\w)")
_QUOTING = re.compile(
    r"\b(?:you|they|people|someone|somebody|who|rumou?rs?)\b[^.\"']{0,20}"
    r"\b(?:say|says|said|saying|ask|asks|asked|asking|think|claim|claims|claimed|call|wrote|write|"
    r"suggest|tell me|told me)\b"
)
_WORDS_AS_WORDS = re.compile(
    r"\b(?:the )?(?:phrase|sentence|expression|question|wording)\b[^.\"']{0,12}$"
)


class Act(Enum):
    """What a clause does."""

    ASSERT = "assert"
    ASK = "ask"
    DECLINE = "decline"
    HEDGE = "hedge"
    REPORT = "report"
    SUPPOSE = "suppose"


class Clause(NamedTuple):
    """A clause.

    Attributes:
        text: its words, made normal.
        tokens: its tokens.
        act: what it does with its content.
        sentence: number of its sentence.
        bare: whether it has no verb of its own.
    """

    text: str
    tokens: tuple[Token, ...]
    act: Act
    sentence: int
    bare: bool


class Judgment(NamedTuple):
    """A clause that judges what was said rather than saying something.

    Attributes:
        positive: it says that something is so.
        absolute: it says it of the hypothesis itself ("you are right"), and not of the question
            ("yes").
        mine: it is about what the speaker does ("I would").
        bare: it is an interjection only ("yes").
        soft: "I suppose so".
        adverb: it is a bare adverb ("probably"), which may belong to another clause.
    """

    positive: bool
    absolute: bool
    mine: bool
    bare: bool
    soft: bool
    adverb: bool = False


@lru_cache(maxsize=1 << 12)
def raw_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text as written, with their end marks."""
    return tuple(s.strip() for s in _SENTENCE.split(text) if s and s.strip(" .!?\"'"))


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, normal, with their end marks."""
    return tuple(normal(s) for s in raw_sentences(text))


def without_quotes(sentence: str) -> str:
    """The sentence without words that it quotes from somebody else."""

    def keep(match: re.Match[str]) -> str:
        inner = match[1] if match[1] is not None else match[2]
        before = sentence[: match.start()]
        after = sentence[match.end() :]
        quoted = (
            _QUOTING.search(before)
            or _WORDS_AS_WORDS.search(before)
            or re.match(r"\W*(?:you|they) (?:say|said|ask)|\W*(?:is|was) (?:what|your)", after)
        )
        return " " if quoted else f" {inner} "

    return _QUOTED.sub(keep, sentence)


@lru_cache(maxsize=1 << 12)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a reply, in order."""
    made: list[Clause] = []
    for number, sentence in enumerate(sentences(text)):
        sentence = without_quotes(sentence)
        asks = sentence.rstrip(" \"')").endswith("?")
        if asks and idioms.TAG.search(sentence):
            sentence, asks = idioms.TAG.sub("", sentence), False
        pieces: list[str] = []
        for piece in _pieces(sentence):
            if pieces and _goes_on(pieces[-1], piece):
                pieces[-1] += " " + piece
            else:
                pieces.append(piece)
        for piece in pieces:
            found = tokens(piece)
            if found:
                last = piece is pieces[-1]
                act = Act.ASK if asks and (last or _interrogative(piece)) else _act(piece, found)
                made.append(Clause(piece, found, act, number, _bare(found)))
    return tuple(made)


def _pieces(sentence: str) -> list[str]:
    if re.match(r"\W*(?:and |but |well |so )?(?:if|suppose|supposing|unless|whether)\b", sentence):
        return [sentence]
    pieces: list[str] = []
    for piece in _CLAUSE.split(sentence):
        piece = piece.strip(" .!?\"'*")
        if not piece:
            continue
        lead = _LEAD.match(piece)
        if lead:
            pieces += [lead[2], piece[lead.end() :]]
        else:
            pieces.append(piece)
    return pieces


def _goes_on(before: str, piece: str) -> bool:
    """Whether a piece without a verb completes the one before ("in the drawer, the second")."""
    left, right = tokens(before), tokens(piece)
    if not left or not right or not _bare(right):
        return False
    for found in (left, right):
        if any(t.stem in lexicon.NEGATORS for t in found):
            return False
    if re.match(r"(?:but|because|although|though|however|except)\b", piece):
        return False
    light = lexicon.FUNCTION | _YES | _NO | _RIGHT
    return not (all(t.stem in light for t in left) or all(t.stem in light for t in right))


def _interrogative(piece: str) -> bool:
    return bool(re.match(r"(?:is|are|was|were|do|does|did|who|what|why|how|where|when)\b", piece))


def _bare(found: tuple[Token, ...]) -> bool:
    return not any(t.stem in lexicon.AUX or t.stem in _BARE_VERBS for t in found)


_BARE_VERBS = stems(
    lexicon.words(
        "start begin end contain belong own keep hold lie look find put leave say tell "
        "know think guess suppose see hear happen take want like go get use mean feel sit "
        "stand need make"
    )
)


def _act(text: str, found: tuple[Token, ...]) -> Act:
    present = [t.stem for t in found]
    negative = any(s in lexicon.NEGATORS or s in ("refus", "declin", "avoid") for s in present)
    speech = any(s in _SPEECH for s in present)
    if not negative and idioms.TELLING_WHERE.search(text):
        return Act.ASSERT
    if idioms.SUPPOSING.search(text):
        return Act.DECLINE if speech and negative else Act.SUPPOSE
    if idioms.REPORTING.search(text):
        return Act.REPORT
    if (negative and speech and _refuses(text)) or idioms.DECLINE.search(text):
        return Act.DECLINE
    if any(s in _MAYBES for s in present):
        return Act.HEDGE
    if any(s in _DESIRES and (i == 0 or present[i - 1] != "be") for i, s in enumerate(present)):
        wish = re.search(r"\bwould like to\b|\blike (?:a|the)\b", text)
        return Act.SUPPOSE if wish else Act.HEDGE
    return Act.SUPPOSE if idioms.ANOTHER_TIME.search(text) else Act.ASSERT


def _refuses(text: str) -> bool:
    """Whether a negated verb of speech is a refusal ("I will not say"), not a denial."""
    if re.search(
        r"\b(?:would not|did not|never|have not|had not) (?:\w+ )?(?:say|said|tell|told)", text
    ):
        return False
    if re.search(r"\b(?:deny|denying)\b", text) and not re.search(r"\b(?:confirm|neither)\b", text):
        return False
    if re.search(
        r"\bcould not (?:\w+ )?(?:say|tell you) (?:\w+ly )?(?:who|which|when|how)\b", text
    ):
        return False
    return not re.search(r"\b(?:do|does|did|is|are|was|were) not (?:go|get|give)\b", text)


def refuses(clause: Clause) -> bool:
    """Whether the clause declines to talk about what was asked."""
    return clause.act is Act.DECLINE


def ignorant(text: str) -> bool:
    """Whether the clause disclaims all knowledge of the matter."""
    return bool(idioms.IGNORANT.search(text))


def unsure(text: str) -> bool:
    """Whether the clause says that the answer is not known or hard to give."""
    return bool(idioms.UNSURE.search(text))


def courteous(text: str) -> bool:
    """Whether the clause is politeness ("I'm sorry", "thank you for asking")."""
    return bool(idioms.COURTESY.search(text))


def idle(text: str) -> bool:
    """Whether the clause only says how things stand between the speakers ("you seem sure")."""
    return bool(idioms.IDLE_TALK.search(text))


def general(text: str) -> bool:
    """Whether the clause tells what is so as a rule."""
    return bool(idioms.GENERALITY.search(text) or idioms.AS_A_RULE.search(text))


def meta(text: str) -> bool:
    """Whether the clause is about the conversation, or a generality."""
    return bool(idioms.META.search(text) or idioms.GENERALITY.search(text))


def rejects(text: str) -> bool:
    """Whether the clause attacks what the question takes for granted."""
    return bool(idioms.REJECT.search(text))


def assents(text: str) -> bool:
    """Whether the text holds an idiom of assent ("how did you know?")."""
    return bool(idioms.ASSENT.search(text))


def judgment(clause: Clause, ours: frozenset[str]) -> Judgment | None:
    """The clause as a judgment, if it is nothing else.

    Args:
        clause: the clause.
        ours: concepts of the secret's subject and verb, for "the chair is" and "he does own it".
    """
    text = clause.text
    if idioms.UNDECIDED.search(text):
        return None
    if idioms.DISSENT.search(text):
        return Judgment(False, "wrong" in text, False, False, False)
    if idioms.IDLE_TALK.search(text):
        return None
    if idioms.ASSENT.search(text):
        return Judgment(True, True, False, False, "say" in text)
    if clause.act in (Act.DECLINE, Act.HEDGE, Act.SUPPOSE, Act.REPORT):
        return None
    words = [t.stem for t in clause.tokens]
    known = _LIGHT | _YES | _NO | _RIGHT | _WRONG | lexicon.NEGATORS
    if any(t.stem not in known and not t.concepts & ours for t in clause.tokens):
        return None
    if "right" in words and {"one", "pocket", "hand", "side", "left"} & set(words):
        return None
    return _weighed(clause.tokens, words, ours)


def _weighed(found: tuple[Token, ...], words: list[str], ours: frozenset[str]) -> Judgment | None:
    """The words of a judgment, counted."""
    yes = sum(s in _YES for s in words)
    no = sum(s in _NO for s in words) - ("never" in words) - ("neither" in words)
    right = sum(s in _RIGHT and not (s == "so" and i == 0) for i, s in enumerate(words))
    wrong = sum(s in _WRONG for s in words)
    negators = sum(s in ("not", "never", "neither", "nor", "hardly", "nothing") for s in words)
    if "lie" in words and "there" in words:
        return None
    proform = not (yes or no or right or wrong) and bool(_verbs(found, ours))
    if proform and not _stands_in(found, words, ours):
        return None
    if not (yes or no or right or wrong or negators or proform) or words == ["right", "so"]:
        return None
    positive = (negators + no + wrong) % 2 == 0
    if no and negators and not (right or wrong):  # "no, not really" written without its comma
        positive = False
    bare = not (right or wrong or proform) and len(words) <= 3
    return Judgment(
        positive=positive,
        absolute=bool(wrong) or (right > 0 and "you" in words),
        mine=proform and words[0] in _SUBJECTS,
        bare=bare,
        soft=bool(_SOFT & set(words)),
        adverb=bare and not set(words) & (_PLAIN_YES | _NO),
    )


def _verbs(found: tuple[Token, ...], ours: frozenset[str]) -> list[int]:
    """Places of the verbs that may stand in for the hypothesis ("it does", "he owns it")."""
    return [
        i
        for i, t in enumerate(found)
        if t.stem in lexicon.AUX or (i > 0 and t.concepts & ours and found[i - 1].stem in _HE)
    ]


def _stands_in(found: tuple[Token, ...], words: list[str], ours: frozenset[str]) -> bool:
    """Whether a clause is a bare subject and verb ("it is", "the chair does")."""
    verbs = _verbs(found, ours)
    if len(words) == 1 or verbs[0] == 0:
        return False
    passing = lexicon.INTENSIFIERS | lexicon.NEGATORS | lexicon.ANAPHORS | {"way", "so"}
    if any(t.stem not in passing and not t.concepts & ours for t in found[verbs[-1] + 1 :]):
        return False
    if {"would", "should", "must"} & set(words) and words[0] not in _RESUMING:
        return False
    return any(t.stem in lexicon.ANAPHORS | _SPEAKERS or t.concepts & ours for t in found)


def strip_tag(sentence: str) -> tuple[str, bool]:
    """A question without its tag, and whether it had one."""
    stripped = idioms.TAG.sub("", sentence)
    return stripped, stripped != sentence
