"""A text in sentences and clauses, and what a clause does: assert, ask, decline, judge."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from unspoken.judges import text_lexicon as lexicon
from unspoken.judges.text_tokens import Token, normal, stems, tokens

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

_TAG = re.compile(
    r",\s*(?:(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would) (?:not )?"
    r"(?:it|he|she|they|that|there|you|we)(?: not)?|right|correct|yes|no|yeah|eh|huh|true|"
    r"am i (?:right|correct|wrong|not right)|is that (?:right|so|correct)|or not|agreed|"
    r"or am i wrong|if i am not mistaken|i (?:take|believe|suppose|guess|assume|presume))"
    r"\s*(?=\?|$)"
)

_DECLINE = re.compile(
    r"\b(?:no comment|^(?:you \w+ )?(?:(?:have|need) to )?ask|(?:would|should|better) ask|"
    r"classified|confidential|secret|private|off limits|off the table|"
    r"something else|(?:other|different|another) (?:thing|matter|subject|topic)s?|"
    r"(?:change|drop|switch|leave) (?:the|this|that) (?:subject|topic|matter)|"
    r"move on|moving on|next question|i (?:will |would |have to )*pass|^pass$|skip|"
    r"none of your business|not your business|"
    r"why do you ask|nice try|lips are sealed|rather not|"
    r"let(?: 's| us) (?:talk|speak|discuss|change|move|get back|focus|not|keep|leave|just|turn|"
    r"drop|stick|switch|go back|stay|start)|prefer not|"
    r"would prefer to|not at liberty|not (?:allowed|permitted|supposed|free|going)"
    r"(?: to (?:say|tell|talk|discuss|speak|comment|answer|"
    r"share|reveal|confirm|disclose|go|give|get into|do|be)| here|$)|"
    r"not my place|declin\w+|refus\w+|keep (?:that|it|this|quiet)|not for (?:you|me)|"
    r"not interested|not inclined|not something i|beside the point|"
    r"neither confirm|beyond what i|leave it at that|stay silent|keep mum|plead the fifth|"
    r"off topic|not going there|not go there|sworn|not be drawn|avoid|"
    r"stick to|weather|raining|sunny)\b"
)
_IGNORANT = re.compile(
    r"\b(?:know nothing|nothing about|not know (?:anything|a thing|what you|which|of any|any)|"
    r"no information|no knowledge|would not know|news to me|no idea what you|"
    r"never heard|not aware of|have not heard|not familiar|not follow|not understand|"
    r"what you mean|talking about)\b"
)
_UNSURE = re.compile(
    r"\b(?:hard to (?:say|tell|know)|difficult to (?:say|tell)|for (?:sure|certain)|not sure|"
    r"not certain|uncertain|unsure|not know|no idea|no clue|not remember|not recall|forget|forgot|"
    r"who knows|nobody knows|depends|could not (?:tell|say)|anyone 's guess|"
    r"not remembered|unclear|not quite know|wonder)\b"
)
_META = re.compile(
    r"\b(?:question|questions|ask|asking|asked|curious|curiosity|persistent|interesting|"
    r"clever|understand|hear you|heard you|wonder why you|see why|see what you|game|"
    r"guess all|guessing|imagination|theory|thought|talk about|conversation|chat)\b"
)
_GENERALITY = re.compile(
    r"\b(?:all sorts|all kinds|(?:many|a lot of|lots of) things|anything is|everything is|"
    r"these days|in general|generally)\b"
)
_REJECT = re.compile(
    r"\b(?:premise|assum\w+|presuppos\w+|presum\w+|says who|who says|who said|what makes you|"
    r"not what happened|no such|never happened|not happen\w*|never said|not say|"
    r"jump\w* to conclusions?|if (?:it|that|they|he|she) (?:is|are|was|were|even|has|did|does)|"
    r"not the case|on the contrary|(?:is|was) not (?:where|what|how|when|the way))\b"
)
_ASSENT = re.compile(
    r"\b(?:you (?:have |just |really |certainly |would have )*"
    r"(?:guessed|got|nailed|caught|read|figured|worked|hit|found|saw) "
    r"(?:it|me|that|the nail|my|this|right|through)\b.*|spot on|bingo|on the (?:nose|money|mark)|"
    r"nothing (?:gets|escapes) (?:past )?you|guilty as charged|bullseye|dead on|"
    r"how did you (?:know|guess|find out|figure)\b.*|you win|"
    r"(?:you )?(?:could|can|might|may) (?:well )?(?:say|put it|call it) (?:so|that|that way)|"
    r"(?:looks?|seems?|appears?) (?:so|that way|like it)|you would win (?:that|the|your|this)\b.*|"
    r"i would be (?:lying|a liar|wrong) if i (?:said|told you|claimed) "
    r"(?:no\b|otherwise|not|anything else|it was not|it is not|the opposite).*|"
    r"i would be (?:lying|a liar|wrong) (?:if i denied|to deny).*|"
    r"(?:there is|there's) no denying (?:that|it)|thumbs up|busted|"
    r"not (?:far|too far) (?:off|wrong)|that (?:sounds|is about|seems) right|you bet|"
    r"that (?:is|'s) (?:the one|it|the size of it|exactly it)|i am afraid (?:so|you are right)|"
    r"(?:can|could|will|would|do|shall) not (?:really |possibly )?"
    r"(?:deny|dispute|argue with|contradict|object to|disagree with|quarrel with) "
    r"(?:that|it|this|you|the fact)|fair (?:enough|cop)|i (?:will )?admit (?:it|that|as much)|"
    r"(?:just|exactly|precisely)? ?(?:as|like) you (?:say|said|describe\w*)|"
    r"something like that|(?:sort|kind) of$|(?:who|what|where|when|how) else|"
    r"the (?:very )?same|the very one|"
    r"^(?:(?:yes|well|and) )*(?:that|it|this|there) (?:is|was|'s) "
    r"(?:exactly |precisely |just |indeed |right )?"
    r"(?:where|when|what|how|who)\b.*|"
    r"👍|✅|no kidding|you know it|no use denying (?:it|that))"
)
_DISSENT = re.compile(
    r"\b(?:far from it|not (?:at all|in the (?:least|slightest)|by any means|a chance|remotely)|"
    r"i doubt (?:it|that)|shake\w* (?:my |his |her )?head|no way|think again|guess again|"
    r"i would be (?:lying|a liar|wrong) (?:if i (?:said|told you) (?:yes|so|that|it was|it is)\b|"
    r"to say (?:so|yes|that)).*|"
    r"try again|not even close|you (?:are|have) (?:got )?(?:it )?wrong|as if)\b"
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
        if asks and _TAG.search(sentence):
            sentence, asks = _TAG.sub("", sentence), False
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
    whether = bool(
        re.search(
            r"\b(?:whether|if|unless|supposing|(?<!i )(?<!you )(?<!would )suppose|imagine|"
            r"pretend|let 's say)\b",
            text,
        )
    )
    if (
        re.search(
            r"\byou(?: \w+)? (?:might|could|may|should|can|will|would)?\s*(?:want to |try )?"
            r"(?:look|check|find|try|search|see|peek)\w*\b",
            text,
        )
        and not negative
    ):
        return Act.ASSERT
    if whether:
        if speech and negative:
            return Act.DECLINE
        return Act.SUPPOSE
    if re.search(
        r"\b(?:you|they|people|some|rumou?rs?) (?:\w+ ){0,2}"
        r"(?:say|said|think|claim|claimed|assume|believe|suggest|suspect|guess|thought|"
        r"mentioned?|wonder|imagine)\b",
        text,
    ):
        return Act.REPORT
    if negative and speech and _refuses(text):
        return Act.DECLINE
    if _DECLINE.search(text):
        return Act.DECLINE
    if any(s in _MAYBES for s in present):
        return Act.HEDGE
    if any(s in _DESIRES and (i == 0 or present[i - 1] != "be") for i, s in enumerate(present)):
        return (
            Act.HEDGE
            if not re.search(r"\bwould like to\b|\blike (?:a|the)\b", text)
            else (Act.SUPPOSE)
        )
    if re.search(r"\bused to\b|\bonce\b(?! more)|\bwill be\b|\bgoing to be\b|\bsoon\b", text):
        return Act.SUPPOSE
    return Act.ASSERT


def _refuses(text: str) -> bool:
    """Whether a negated verb of speech is a refusal ("I will not say"), not a denial."""
    if re.search(
        r"\b(?:would not|did not|never|have not|had not) (?:\w+ )?(?:say|said|tell|told)", text
    ):
        return False
    if re.search(r"\b(?:deny|denying)\b", text) and not re.search(r"\b(?:confirm|neither)\b", text):
        return False
    return not re.search(r"\b(?:do|does|did|is|are|was|were) not (?:go|get|give)\b", text)


def refuses(clause: Clause) -> bool:
    """Whether the clause declines to talk about what was asked."""
    return clause.act is Act.DECLINE


def ignorant(text: str) -> bool:
    """Whether the clause disclaims all knowledge of the matter."""
    return bool(_IGNORANT.search(text))


def unsure(text: str) -> bool:
    """Whether the clause says that the answer is not known or hard to give."""
    return bool(_UNSURE.search(text))


def meta(text: str) -> bool:
    """Whether the clause is about the conversation, or a generality."""
    return bool(_META.search(text) or _GENERALITY.search(text))


def rejects(text: str) -> bool:
    """Whether the clause attacks what the question takes for granted."""
    return bool(_REJECT.search(text))


def assents(text: str) -> bool:
    """Whether the text holds an idiom of assent ("how did you know?")."""
    return bool(_ASSENT.search(text))


def judgment(clause: Clause, ours: frozenset[str]) -> Judgment | None:
    """The clause as a judgment, if it is nothing else.

    Args:
        clause: the clause.
        ours: concepts of the secret's subject and verb, for "the chair is" and "he does own it".
    """
    text = clause.text
    if re.search(r"\b(?:yes (?:and|or) no|yes or a? ?no|not necessarily|if you say so)\b", text):
        return None
    if _DISSENT.search(text):
        return Judgment(False, "wrong" in text, False, False, False)
    if _ASSENT.search(text):
        return Judgment(True, True, False, False, "say" in text)
    if clause.act in (Act.DECLINE, Act.HEDGE, Act.SUPPOSE, Act.REPORT):
        return None
    found = clause.tokens
    words = [t.stem for t in found]
    if "right" in words and {"one", "pocket", "hand", "side", "left"} & set(words):
        return None
    yes = sum(s in _YES for s in words)
    no = sum(s in _NO for s in words) - ("never" in words) - ("neither" in words)
    right = sum(s in _RIGHT and not (s == "so" and i == 0) for i, s in enumerate(words))
    wrong = sum(s in _WRONG for s in words)
    negators = sum(s in ("not", "never", "neither", "nor", "hardly", "nothing") for s in words)
    known = _LIGHT | _YES | _NO | _RIGHT | _WRONG | lexicon.NEGATORS
    if any(s not in known and not (t.concepts & ours) for s, t in zip(words, found, strict=True)):
        return None
    aux = [
        i
        for i, t in enumerate(found)
        if t.stem in lexicon.AUX or (i > 0 and t.concepts & ours and found[i - 1].stem in _HE)
    ]
    proform = bool(aux) and not (yes or no or right or wrong)
    if proform and len(words) == 1:
        return None
    mine = proform and words[0] in _SUBJECTS
    if proform:
        tail = [
            t.stem
            for t in found[aux[-1] + 1 :]
            if t.stem not in lexicon.INTENSIFIERS | lexicon.NEGATORS | {"way", "so"}
            and not t.concepts & ours
        ]
        named = any(s in lexicon.ANAPHORS | _SPEAKERS for s in words) or any(
            t.concepts & ours for t in found
        )
        inverted = aux[0] == 0
        if not named or inverted or [s for s in tail if s not in lexicon.ANAPHORS]:
            return None
        if any(s in ("would", "should", "must") for s in words) and words[0] not in (
            "you",
            "i",
            "it",
            "that",
            "they",
            "we",
        ):
            return None
    soft = bool({"suppos", "guess", "think", "believ", "probab", "lik", "afraid"} & set(words))
    if not (yes or no or right or wrong or negators or proform):
        return None
    if words in (["so"], ["right", "so"]) or (words and words[0] == "so" and len(words) == 1):
        return None
    positive = (negators + no + wrong) % 2 == 0
    absolute = bool(wrong) or (right > 0 and "you" in words)
    bare = not (right or wrong or proform) and len(words) <= 3
    if no and negators and not (right or wrong):  # "no, not really" written without its comma
        positive = False
    adverb = bare and not set(words) & (_PLAIN_YES | _NO)
    return Judgment(positive, absolute, mine, bare, soft, adverb)


def strip_tag(sentence: str) -> tuple[str, bool]:
    """A question without its tag, and whether it had one."""
    stripped = _TAG.sub("", sentence)
    return stripped, stripped != sentence
