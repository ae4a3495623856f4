"""From whatever a model typed to plain sentences: thinking, markup and layout taken off.

Everything here is linear in the text, and only the last `CAP` characters are looked at.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple


def word_set(words: str) -> frozenset[str]:
    """The words of a string."""
    return frozenset(words.split())


CAP = 20_000
MOST = 400  # lines that are looked at
LONGEST = 120  # words of one sentence that are looked at

# Marks that stand for quotation marks and for full stops inside quotations, which end no sentence.
OPEN, CLOSE, ASKED, SAID = "\x01", "\x02", "\x03", "\x04"
DOT = "\x05"  # the full stop of an abbreviation

_THINKING = re.compile(
    r"[<\[](?=[\s/a-z])\s?(/?)\s?(?:think(?:ing)?|thoughts?|reason(?:ing)?|scratchpad|reflection|"
    r"analysis)"
    r"\s?[>\]]",
    re.IGNORECASE,
)
_THINKING_NAMES = ("think", "thought", "reason", "scratchpad", "reflection", "analysis")
_CHANNEL = re.compile(r"<\|[a-z_]{1,20}\|>")
_TAG = re.compile(r"<(/?)([A-Za-z_]{1,12}) ?/?>")
_MOVE_TAGS = frozenset({"lock", "question", "ask", "guess"})
_OTHER_TAGS = word_set(
    "answer output response final final_answer move action reply message utterance code br p b i "
    "em "
    "strong div span"
)
_FENCE = re.compile(r"```[a-z]{0,12}|\\(?:boxed|text|textbf|mathrm)\b", re.IGNORECASE)
_OBJECT = re.compile(r"\{[^{}]{2,2000}\}")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs)\.", re.IGNORECASE)
_DOUBLE = re.compile(r'"([^"\n]{1,300})"')
_SINGLE = re.compile(
    r"(?<![A-Za-z0-9'])'((?:[^'\n]|(?<=[A-Za-z])'(?=[a-z])){1,300})'(?![A-Za-z0-9'])"
)
_BULLET = re.compile(r"^[\s#>*•+-]*(?:\(?\d{1,3}[.)]\s)?[\s*]*")
_END = re.compile(rf"[?!][?!)\]]*\s*|\.[)\]]*\s+|[{ASKED}{SAID}]{CLOSE}\s+(?=[A-Z{OPEN}])")
_HANGING = re.compile(
    r":\s*$|^\W{0,8}(?:lock|question|my question|ask|guess|final guess|final answer)\W*$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\W{0,8}(?:my )?(?:(?P<move>(?:next |final |first )?(?:yes(?:/| or |-| / )no )?"
    r"(?:question|ask|lock|guess|answer|move|"
    r"action|"
    r"output|q)\b[\w ]{0,10})|(?:reasoning|thoughts?|thinking|analysis|explanation|rationale|"
    r"notes?|"
    r"hypothesis|strategy|plan|scratchpad|reflection|deduction|justification|suspicion|candidates?|"
    r"context|summary|recap|facts|confidence)(?: so far)?)\W{0,4}(?:[:=]|- )",
    re.IGNORECASE,
)
_MOVE = re.compile(rf"[?{ASKED}][^a-z]*$|\block(?: in)?\s*[:=]", re.IGNORECASE)
_NEW_LINE = re.compile(
    r"(?:lock|question|ask|guess|final|q\d*|so|ok|okay|my|i|(?:is|are|was|were|do|does|did|can|"
    r"could|"
    r"would|will|has|have) (?:it|they|this|that|the|you|people))\b"
)
_TOKEN = re.compile(
    rf"[a-z0-9]+(?:['{DOT}-][a-z0-9]+)*|[,:;()/?!.{OPEN}{CLOSE}{ASKED}{SAID}]|[-=>]+"
)

# Letters that print as Latin ones: the cheapest way to hide a word.
_CYRILLIC = (
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0456\u0443\u043a\u043c\u0442\u0432\u043d"
    "\u0410\u0415\u041e\u0420\u0421\u0425\u0406\u0423\u041a\u041c\u0422\u0412\u041d"
)
_LOOKS_LIKE = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b`\u00b4\u2032\u02bc\uff07", "'"),
        **dict.fromkeys(
            "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02\u300c\u300d\u300e\u300f", '"'
        ),
        **dict.fromkeys("\u2013\u2014\u2015\u2212\u2192\u21d2", " - "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f", ""),
        **dict(zip(_CYRILLIC, "aeopcxiykmtbhAEOPCXIYKMTBH", strict=True)),
        **dict.fromkeys((OPEN, CLOSE, ASKED, SAID, DOT, "\r", "\t", "\x0b", "\x0c"), " "),
    }
)
_UNMARK = str.maketrans({**dict.fromkeys("*`_[]{}~^$\\", " "), "|": " / "})
_IN_QUOTES = str.maketrans({"?": ASKED, ".": SAID, "!": SAID})
_OUT_OF_QUOTES = str.maketrans({OPEN: '"', CLOSE: '"', ASKED: "?", SAID: ".", DOT: "."})

_CONTRACTED = {
    "can't": "can not",
    "cannot": "can not",
    "cant": "can not",
    "won't": "will not",
    "wont": "will not",
    "shan't": "shall not",
    "ain't": "is not",
    "isnt": "is not",
    "arent": "are not",
    "hasnt": "has not",
    "havent": "have not",
    "shouldnt": "should not",
    "thats": "that is",
    "whats": "what is",
    "theres": "there is",
    "theyre": "they are",
    "youre": "you are",
    "ive": "i have",
    "wasnt": "was not",
    "doesnt": "does not",
    "dont": "do not",
    "didnt": "did not",
    "couldnt": "could not",
    "wouldnt": "would not",
    "im": "i am",
    "let's": "let us",
    "lets": "let us",
    "gonna": "going to",
    "gotta": "got to",
    "wanna": "want to",
}
_SUFFIXES = (
    ("n't", " not"),
    ("'re", " are"),
    ("'ve", " have"),
    ("'ll", " will"),
    ("'d", " would"),
    ("'m", " am"),
)
_IS_SHORT = word_set("it that this what who where there here he she word answer thing")
_JSON_LABEL = {
    "question": "Question",
    "ask": "Question",
    "q": "Question",
    "query": "Question",
    "next_question": "Question",
    "lock": "Lock",
    "guess": "Guess",
    "final_guess": "Guess",
    "final_answer": "Final answer",
    "answer": "Final answer",
    "word": "Guess",
}
_JSON_KIND = ("move", "action", "type", "kind")
_JSON_TEXT = word_set(
    "text content utterance message response output value argument say speech command reply turn "
    "next_move move_text input arg payload"
)
_JSON_NAMED = word_set("target object item noun choice secret name")


class Sentence(NamedTuple):
    """A sentence as it stood, and its words (lower case, contractions written out) with offsets."""

    raw: str
    words: list[str]
    spans: list[tuple[int, int]]


def spoken(text: str) -> str:
    """What is said aloud: the text's end without thinking tags and markup, in ASCII."""
    head, text = text[:-CAP], text[-CAP:]
    if head.rfind("<think") > head.rfind("</think"):
        text = "<think>" + text
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_LOOKS_LIKE)).translate(_LOOKS_LIKE)
        text = unicodedata.normalize("NFKD", text)
        text = "".join([c if c < "\x80" else " " for c in text if not unicodedata.combining(c)])
    else:
        text = text.translate(_LOOKS_LIKE)
    text = without_thinking(text.replace("''", '"'))
    if "<|" in text:
        text = _CHANNEL.sub("\n", text[text.rfind("<|message|>") :])
    if "<" in text:
        text = _TAG.sub(_untagged, text)
    if "```" in text or "\\" in text:
        text = _FENCE.sub("\n", text)
    if "{" in text:
        text = _OBJECT.sub(_json_lines, text)
    return text.translate(_UNMARK)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a spoken text, last one first, without those labelled as thoughts."""
    last = True
    for line in reversed(_lines(text)):
        line = _ABBREVIATION.sub(lambda m: m[0].replace(".", DOT), line)
        if '"' in line:
            line = _DOUBLE.sub(_quoted, line)
        if "'" in line:
            line = _SINGLE.sub(_quoted, line)
        yield from reversed(_aloud(_parts(line), last))
        last = False


def tokenise(raw: str) -> Sentence:
    """Split a sentence into words; only its last `LONGEST` words are kept."""
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    # a word and its space take more than two characters, so this keeps enough of them
    for match in _TOKEN.finditer(raw.lower(), max(0, len(raw) - 12 * LONGEST)):
        for word in _written_out(match[0]).split():
            words.append(word)
            spans.append(match.span())
    return Sentence(raw, words[-LONGEST:], spans[-LONGEST:])


def as_typed(raw: str) -> str:
    """Undo the marks that `sentences` put in."""
    return raw.translate(_OUT_OF_QUOTES)


def without_thinking(text: str) -> str:
    """The text outside thinking tags; an unclosed one swallows the rest."""
    lower = text.lower()
    if not any(name in lower for name in _THINKING_NAMES):
        return text
    kept: list[str] = []
    inside, at = False, 0
    for tag in _THINKING.finditer(text):
        if tag[1]:
            if not inside:  # opened by the chat template, or before what is looked at
                kept.clear()
            inside = False
        else:
            if not inside:
                kept.append(text[at : tag.start()])
            inside = True
        at = tag.end()
    if not inside:
        kept.append(text[at:])
    return "\n".join(kept)


def _json_lines(match: re.Match[str]) -> str:
    try:
        data: dict[str, Any] = json.loads(match[0])
    except ValueError:
        return match[0]
    values = {k.lower(): v.strip() for k, v in data.items() if isinstance(v, str) and v.strip()}
    # {"action": "lock", "word": "chair"}, but also {"action": "lock: chair"}
    kinds = {k: values.pop(k) for k in _JSON_KIND if k in values}
    kind = next((v.lower() for v in kinds.values() if v.replace("_", "").isalpha()), "")
    lines = [v for v in kinds.values() if not v.replace("_", "").isalpha()]
    for key, value in values.items():
        if key in _JSON_TEXT or (kind and (key in _JSON_LABEL or key in _JSON_NAMED)):
            lines.append(f"{_JSON_LABEL.get(kind, '')}: {value}".removeprefix(": "))
        elif key in _JSON_LABEL:
            lines.append(f"{_JSON_LABEL[key]}: {value}")
    return "\n" + "\n".join(lines) + "\n"


def _lines(text: str) -> list[str]:
    """Lines without bullets; a line broken in mid-sentence or after a label is joined again."""
    lines: list[str] = []
    for line in [line for line in text.split("\n") if line.strip()][-MOST:]:
        line = _BULLET.sub("", line, count=1).rstrip()
        if not line:
            continue
        if lines and _HANGING.search(lines[-1][-40:]):
            lines[-1] = lines[-1].rstrip(" :") + ": " + line
        elif (
            lines
            and line[0].islower()
            and lines[-1][-1] not in ".?!:"
            and not _NEW_LINE.match(line)
        ):
            lines[-1] += " " + line
        else:
            lines.append(line)
    return lines


def _parts(line: str) -> list[str]:
    ends = [0, *(match.end() for match in _END.finditer(line)), len(line)]
    parts = [line[i:j] for i, j in pairwise(ends)]
    return [part for part in parts if part.strip(" .!?)(\"'")]


def _untagged(match: re.Match[str]) -> str:
    name = match[2].lower()
    if name in _MOVE_TAGS:
        return "\n" if match[1] else f"\n{name}: "
    return "\n" if name in _OTHER_TAGS else match[0]


def _aloud(parts: list[str], last: bool) -> list[str]:
    """The sentences of a line without those from "Reasoning:" to the next "Question:".

    A thought that ends the utterance (`last`) in a question or a lock of its own ends in a move.
    """
    aloud: list[str] = []
    thinking, label = False, None
    for part in parts:
        label = _LABEL.match(part)
        if label:
            thinking = label["move"] is None
        if not thinking:
            aloud.append(part)
    if thinking and last and len(parts) > 1 and not label and _MOVE.search(parts[-1]):
        aloud.append(parts[-1])
    return aloud


def _quoted(match: re.Match[str]) -> str:
    return OPEN + match[1].translate(_IN_QUOTES) + CLOSE


def _written_out(token: str) -> str:
    token = token.replace(DOT, "")
    if token in _CONTRACTED:
        return _CONTRACTED[token]
    if "'" not in token:
        return token
    for suffix, written in _SUFFIXES:
        if token.endswith(suffix):
            return token.removesuffix(suffix) + written
    stem = token.removesuffix("'s")
    return stem + " is" if stem in _IS_SHORT and stem != token else stem.replace("'", "")
