"""From whatever a model typed to plain sentences: thinking, markup and layout taken off.

Everything here is linear in the text, and only the last `CAP` characters are looked at.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

CAP = 20_000
LONGEST = 120  # words of one sentence that are looked at

# Marks that stand for quotation marks and for full stops inside quotations, which end no sentence.
OPEN, CLOSE, ASKED, SAID = "\x01", "\x02", "\x03", "\x04"

_THINKING = re.compile(
    r"[<\[]\s?(/?)\s?(?:think(?:ing)?|thoughts?|reason(?:ing)?|scratchpad|reflection|analysis)"
    r"\s?[>\]]",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|[a-z_]{1,20}\|>")
_MOVE_TAG = re.compile(r"<(lock|question|ask|guess)>", re.IGNORECASE)
_OTHER_TAG = re.compile(
    r"</?(?:lock|question|ask|guess|answer|output|response|final|final_answer|move|action|reply|"
    r"message|utterance|code|br|p|b|i|em|strong|div|span)\s?/?>",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```[a-z]{0,12}|\\(?:boxed|text|textbf|mathrm)\b", re.IGNORECASE)
_OBJECT = re.compile(r"\{[^{}]{2,2000}\}")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs)\.", re.IGNORECASE)
_DOUBLE = re.compile(r'"([^"\n]{1,300})"')
_SINGLE = re.compile(
    r"(?<![A-Za-z0-9'])'((?:[^'\n]|(?<=[A-Za-z])'(?=[a-z])){1,300})'(?![A-Za-z0-9'])"
)
_BULLET = re.compile(r"^[\s#>*•+-]*(?:\(?\d{1,3}[.)]\s)?[\s*]*")
_END = re.compile(
    rf"(?<=[?!])[)\]]*\s*|(?<=\.)[)\]]*\s+|(?<=[{ASKED}{SAID}]{CLOSE})\s+(?=[A-Z{OPEN}])"
)
_HANGING = re.compile(
    r":\s*$|^\W*(?:lock|question|my question|ask|guess|final guess|final answer)\W*$", re.IGNORECASE
)
_NEW_LINE = re.compile(
    r"(?:lock|question|ask|guess|final|q\d*\b|is|are|was|were|do|does|did|can|could|would|will|"
    r"has|have|so|ok|okay|it|my|i)\b"
)
_TOKEN = re.compile(rf"[a-z0-9]+(?:['-][a-z0-9]+)*|[,:;()/?!.{OPEN}{CLOSE}{ASKED}{SAID}]|[-=>]+")

_LOOKS_LIKE = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛`´′ʼ＇", "'"),
        **dict.fromkeys("“”„‟«»″＂「」『』", '"'),
        **dict.fromkeys("–—―−→⇒", " - "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f", ""),
        # Cyrillic letters that print as Latin ones: the cheapest way to hide a word
        **dict(zip("аеорсхіукмтвнАЕОРСХІУКМТВН", "aeopcxiykmtbhAEOPCXIYKMTBH", strict=True)),
        **{mark: " " for mark in (OPEN, CLOSE, ASKED, SAID, "\r", "\t", "\x0b", "\x0c")},
    }
)
_UNMARK = str.maketrans(dict.fromkeys("*`_[]{}~|^$\\", " "))
_IN_QUOTES = str.maketrans({"?": ASKED, ".": SAID, "!": SAID})
_OUT_OF_QUOTES = str.maketrans({OPEN: '"', CLOSE: '"', ASKED: "?", SAID: "."})

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
_IS_SHORT = frozenset("it that this what who where there here he she word answer thing".split())
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
_JSON_TEXT = ("text", "content", "utterance", "message", "response", "output", "value", "argument")


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
    text = _without_thinking(text.replace("''", '"'))
    if "<|" in text:
        text = _CHANNEL.sub("\n", text[text.rfind("<|message|>") :])
    if "<" in text:
        text = _OTHER_TAG.sub("\n", _MOVE_TAG.sub(r"\n\1: ", text))
    if "```" in text or "\\" in text:
        text = _FENCE.sub("\n", text)
    if "{" in text:
        text = _OBJECT.sub(_json_lines, text)
    return text.translate(_UNMARK)


def sentences(text: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a spoken text, last one first, and whether each begins a line."""
    for line in reversed(_lines(text)):
        line = _ABBREVIATION.sub(lambda m: m[1].replace(".", ""), line)
        if '"' in line:
            line = _DOUBLE.sub(_quoted, line)
        if "'" in line:
            line = _SINGLE.sub(_quoted, line)
        parts = [part for part in _END.split(line) if part.strip(" .!?)(\"'")]
        for i in range(len(parts) - 1, -1, -1):
            yield parts[i], i == 0


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


def _without_thinking(text: str) -> str:
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
    kind = next((values.pop(k) for k in _JSON_KIND if k in values), "").lower()
    lines = []
    for key, value in values.items():
        if key in _JSON_TEXT or (kind and key in _JSON_LABEL):
            lines.append(f"{_JSON_LABEL.get(kind, '')}: {value}".removeprefix(": "))
        elif key in _JSON_LABEL:
            lines.append(f"{_JSON_LABEL[key]}: {value}")
    return "\n" + "\n".join(lines) + "\n"


def _lines(text: str) -> list[str]:
    """Lines without bullets; a line broken in mid-sentence or after a label is joined again."""
    lines: list[str] = []
    for line in text.split("\n"):
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


def _quoted(match: re.Match[str]) -> str:
    return OPEN + match[1].translate(_IN_QUOTES) + CLOSE


def _written_out(token: str) -> str:
    if token in _CONTRACTED:
        return _CONTRACTED[token]
    if "'" not in token:
        return token
    for suffix, written in _SUFFIXES:
        if token.endswith(suffix):
            return token.removesuffix(suffix) + written
    stem = token.removesuffix("'s")
    return stem + " is" if stem in _IS_SHORT and stem != token else stem.replace("'", "")
