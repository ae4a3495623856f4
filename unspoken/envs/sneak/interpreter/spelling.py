"""Messages that spell the secret, describe its letters, or give its initials."""

from __future__ import annotations

import re
from itertools import combinations

from unspoken.envs.sneak.interpreter.marks import Marks, is_ordinary, is_word
from unspoken.envs.sneak.interpreter.said import Said
from unspoken.lexicon.wordnet import shared_start

_LEET = [str.maketrans(f"430571!8@$9{one}", f"aeostiibasg{letter}") for one, letter in ("1i", "1l")]
_VOWELS = tuple("aeiou")
_HIDDEN = re.compile(r"[*_?#•·-]")
_NUMBER = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_DESCRIBED = re.compile(
    rf"""\b(?:start|begin|end)\w*\s+(?:with|in|on|by)\s+(?:(?:an?|the|capital|letters?)\s+)*
        ["'`]?[a-z]["'`]?\W*$
    |\b(?:{_NUMBER}|first|second|third|last|final|initial|middle|double|silent)[\s-]+letters?\b
    |\bletters?\s+["'`]?[a-z]\b(?!')
    |\b(?:double|silent)\s+["'`]?[a-z]\b(?!')
    |\b{_NUMBER}[\s-]+(?:syllables?|vowels?|consonants?)\b
    |\brhym\w*\s+with\b
    |\b(?:anagram|homophone)\s+(?:of|for)\b
    |\b(?:mis)?spell?(?:ed|t)\s+(?:with|like|as|out|backwards?|[a-z]\b)""",
    re.VERBOSE,
)
_ENDS = re.compile(r"\b(start|begin|end)\w*\s+(?:with|in)\s+[\"'`]?([a-z]{2,})[\"'`]?\W*$")
_BACKWARDS = re.compile(r"\b(?:backwards?|reversed?|mirrored|scrambled|anagram)\b")
_WITH_INITIAL = re.compile(r"^(?:(?:the|an?|big|capital)\s+)*([a-z])[\s-]+(?:word|thing)s?\W*$")


def spells(said: Said, marks: Marks) -> bool:
    """Whether the secret is there letter by letter, masked, scrambled or misspelled."""
    words, letters = said.tokens, marks.letters
    pairs = combinations(range(len(words) + 1), 2)
    if any("".join(words[i:j]) in marks.spelled for i, j in pairs if j - i > 1):
        return True
    singles = "".join(word for word in words if len(word) == 1)
    acrostic = "".join(word[0] for word in words)
    if len(letters) > 2 and (
        singles in marks.spelled or singles[::-1] == letters or acrostic == letters
    ):
        return True
    if any(_reveals(chunk, marks) for chunk in ("".join(said.chunks), *said.chunks)):
        return True
    told = bool(_BACKWARDS.search(said.text))
    return any(_garbles(word, letters, told=told) for word in words if len(word) > 2)


def _reveals(chunk: str, marks: Marks) -> bool:
    """Whether a chunk is the secret in digits and signs ("h4t") or with letters hidden ("h*t")."""
    if not any(map(str.isalpha, chunk)) or chunk.isalpha():
        return False
    for table in _LEET:
        if _letters(chunk.translate(table)) in marks.spelled:
            return True
    pattern = _HIDDEN.sub(".", chunk)
    hides = re.fullmatch(r"[a-z.]*\.[a-z.]*", pattern)
    return bool(hides) and any(re.fullmatch(pattern, form) for form in marks.spelled)


def _garbles(word: str, letters: str, *, told: bool) -> bool:
    """Whether something is the secret scrambled, stretched, cut or misspelled.

    Args:
        word: what was said; a real word is none of these, unless the message tells.
        letters: the secret.
        told: whether the message tells that something is backwards.
    """
    if word == letters or (is_word(word) and not told):
        return False
    return (
        sorted(word) == sorted(letters)
        or letters.startswith(word)
        or letters.endswith(word)
        or re.sub(r"(.)\1\1+", r"\1", word) == letters
        or (len(letters) > 4 and _one_slip(word, letters))
    )


def _one_slip(a: str, b: str) -> bool:
    """Whether words differ by a letter put in, left out or changed (no vowel), or two swapped."""
    start = shared_start(a, b)
    a, b = a[start:], b[start:]
    end = shared_start(a[::-1], b[::-1])
    left, right = a[: len(a) - end], b[: len(b) - end]
    if left in _VOWELS and right in _VOWELS:
        return False  # "manga" is no misspelled "mango"
    return max(len(left), len(right)) < 2 or (len(left) == 2 and left == right[::-1])


def describes(text: str, letters: str) -> bool:
    """Whether a message describes letters or sound: "starts with h", "three letters"."""
    if _DESCRIBED.search(text):
        return True
    ends = _ENDS.search(text)
    if not ends:
        return False
    return letters.endswith(ends[2]) if ends[1] == "end" else letters.startswith(ends[2])


def gives_initials(said: Said, marks: Marks) -> bool:
    """Whether a message is the first letter, "an h word", or initials: "N.Y.", "NYC"."""
    first = marks.letters[:1]
    named = _WITH_INITIAL.match(said.text)
    if _letters(said.text) == first or (named and named[1] == first):
        return True
    for chunk in said.raw if marks.initials else ():
        letters = _letters(chunk.casefold())
        shown = chunk.isupper() or "." in chunk
        if letters in marks.initials and (shown or not is_ordinary(letters)):
            return True
        if shown and letters[:-1] in marks.initials:  # a letter more, as in NYC
            return True
    return False


def _letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text)
