"""A message as the rules look at it: its words, without what only disguises them."""

from __future__ import annotations

import re
import unicodedata

from unspoken.lexicon.morphology import tokens

_CYRILLIC = "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u0501\u04bb"
_GREEK = "\u03b1\u03b5\u03bf\u03c1\u03c4\u03b9\u03ba\u03bd"
_LOOKALIKES = str.maketrans(_CYRILLIC + _GREEK, "aeopcyxisjdh" + "aeoptikv")
_DRAWN = {"black", "white", "heavy", "face", "sign", "symbol", "with", "mark", "emoji"}
"""Words in the names of emoji that tell how they are drawn, not what they show."""
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_AROUND = ".,;:!?\"'()[]"
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Where words are joined as in TopHat."""


class Said:
    """A message as the rules look at it.

    Attributes:
        text: in lower case, without accents and look-alikes.
        tokens: its words.
        foreign: its words with accents, and without a foreign article before an apostrophe.
        raw: what blanks part, without the punctuation around it.
        chunks: the same in lower case, without accents and look-alikes.
    """

    def __init__(self, message: str) -> None:
        plain = _visible(message)
        accented = HUMP.sub(" ", plain).casefold()
        self.text = folded(accented)
        self.tokens = tokens(re.sub(r"'(?:ll|d|re|ve|m)\b", " ", self.text))
        self.foreign = tokens(re.sub(r"\b\w{1,5}'(?=\w{2})", "", accented))
        self.raw = [chunk.strip(_AROUND) for chunk in plain.split()]
        self.chunks = [folded(chunk.casefold()) for chunk in self.raw]


def is_emoji(character: str) -> bool:
    """Whether a character is a picture or another symbol with a name of its own."""
    return unicodedata.category(character) == "So"


def folded(text: str) -> str:
    """A text in lower case without accents and look-alikes."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(c for c in parts if not unicodedata.combining(c)).translate(_LOOKALIKES)


def _visible(text: str) -> str:
    """A text with straight quotes, in which emoji are words and nothing is invisible."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    if text.isascii():
        return text
    shown = (c for c in text if unicodedata.category(c) not in ("Cf", "Mn", "Me"))
    return "".join(f" {_name(c)} " if is_emoji(c) else c for c in shown)


def _name(emoji: str) -> str:
    words = unicodedata.name(emoji, "").lower().replace("-", " ").split()
    return " ".join(word for word in words if word not in _DRAWN)
