"""Text as tokens with stems and meanings; numbers, times of day and phrases made alike."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from unspoken.judges.rule_based import lexicon


class Token(NamedTuple):
    """A word, number, time or phrase.

    Attributes:
        word: as written, lower case.
        stem: two tokens with the same stem are the same word in other inflections.
        concepts: two tokens that share a concept mean the same.
    """

    word: str
    stem: str
    concepts: frozenset[str]


def _listed(text: str) -> list[str]:
    return text.split()


_UNITS = _listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = _listed("twenty thirty forty fifty sixty seventy eighty ninety")
_CARDINALS = {w: n for n, w in enumerate(_UNITS)} | {w: 20 + 10 * n for n, w in enumerate(_TENS)}
_ORDINALS = {
    w: n
    for n, w in enumerate(
        _listed(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
        ),
        1,
    )
}

_HOUR = rf"(\d{{1,2}}|{'|'.join(_UNITS[1:13])})"
_EVENING = r"pm|(?:in|during) the (?:evening|afternoon)|at night|tonight|this (?:evening|afternoon)"
_MORNING = r"am|(?:in|during) the morning|this morning|before noon"
_CLOCK = re.compile(
    rf"\b{_HOUR}(?::(\d\d))?\s*(?:oclock)?,?\s*(?:({_EVENING})|({_MORNING}))(?![a-z])"
)
_CLOCK_AFTER = re.compile(
    rf"\b(?:({_EVENING}|evening|night)|({_MORNING}|morning))\b,?\s+(?:\w+\s+){{0,2}}?at {_HOUR}\b"
    r"(?!:)(?:\s*oclock)?"
)
_CLOCK_24 = re.compile(r"\b(1[3-9]|2[0-3]|0?0)(?::(\d\d)|(\d\d) hours)\b")
_CLOCK_SHIFT = re.compile(rf"\b(?:an|{_HOUR}) hours? (before|after) @(\d\d):(\d\d)\w")
_NAMED = {"midnight": "@00:00m", "noon": "@12:00m", "midday": "@12:00w"}

_SPELLING = [
    (re.compile(pattern), put)
    for pattern, put in (
        (r"[\u2018\u2019\u02bc`]", "'"),
        (r"[\u201c\u201d]", '"'),
        (r"\bp\.\s?m\b\.?", "pm"),
        (r"(?<=[\d\s])a\.\s?m\b\.?", "am"),
        (r"(\d)\s?(am|pm)\b", r"\1 \2"),
        (r"o'? ?clock\b", "oclock"),
        (r"(?<=\b[a-z])-(?=[a-z]-|[a-z]\b)", ""),
        (r"\bm+[- ]?h+m+\b|\buh[- ]huh\b|\bmm+\b(?=[.!]|$)", "yes"),
        (r"\bno[- ]one\b", "nobody"),
        (r"\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"\bcan't\b", "can not"),
        (r"\bshan't\b", "shall not"),
        (r"\bain't\b", "is not"),
        (r"n't\b", " not"),
        (r"\b(do|does|did|is|are|was|were|has|have|could|would|should)nt\b", r"\1 not"),
        (r"'re\b", " are"),
        (r"'ve\b", " have"),
        (r"'ll\b", " will"),
        (r"'m\b", " am"),
        (r"'d\b", " would"),
        (r"s'(?=\s)", "s 's"),
        (r"'s\b", " 's"),
        (r"%", " percent"),
        (r"\b(no|without an?y?|without|beyond) (doubt|question)\b", "surely"),
        (r"\bnot (?:only|just|merely)\b", "only"),
        (r"\bnothing (?:but|other than|except)\b", "only"),
        (r"\banything but\b|\bfar from(?! it)\b|\bno longer\b|\bcan hardly be\b", "not"),
        (r"\b(?:forgot|forget|forgets|failed|neglected|omitted|fails) to\b", "not"),
        (r"\b(?:rather than|instead of|as opposed to)\b", "not"),
        (r"\bnot (.{1,60}?) any ?more\b", r"not \1"),
    )
]

_WORD = re.compile(
    r"@\d\d:\d\d[a-z]|\d{1,2}:\d\d|\d+(?:st|nd|rd|th)\b|\d+|[^\W\d_]+_[\w.]*|[^\W\d_]+(?:\d[^\W\d_]+)?|'s(?![a-z])|_+"
)


@lru_cache(maxsize=1 << 12)
def normal(text: str) -> str:
    """Lower case, contractions written out, times of day as @HH:MM and a letter for the style."""
    text = " ".join(text.lower().split())
    for pattern, put in _SPELLING:
        text = pattern.sub(put, text)
    text = _CLOCK.sub(_clock, text)
    text = _CLOCK_AFTER.sub(
        lambda m: _time(m[3], None, "pm" if m[1] else "am", night="night" in (m[1] or "")) + "w",
        text,
    )
    text = _CLOCK_24.sub(lambda m: f"@{int(m[1]):02}:{m[2] or m[3]}w", text)
    for name, time in _NAMED.items():
        text = re.sub(rf"\b{name}\b", time, text)
    return _CLOCK_SHIFT.sub(_shifted, text)


def _clock(match: re.Match[str]) -> str:
    hour, minutes, evening, morning = match.groups()
    digits = hour.isdigit() and (evening or morning) in ("am", "pm")
    half = "pm" if evening else "am"
    return _time(hour, minutes, half, night=evening == "at night") + ("a" if digits else "w")


def _time(hour: str, minutes: str | None, half: str, *, night: bool) -> str:
    h = int(hour) if hour.isdigit() else _CARDINALS[hour]
    if h < 12 and half == "pm" and not (night and h < 5):
        h += 12
    elif h == 12 and (half == "am" or night):
        h = 0
    return f"@{h:02}:{minutes or '00'}"


def _shifted(match: re.Match[str]) -> str:
    count, direction, hour, minutes = match.groups()
    by = 1 if count is None else int(count) if count.isdigit() else _CARDINALS[count]
    h = (int(hour) + (by if direction == "after" else -by)) % 24
    return f"@{h:02}:{minutes}w"


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """The word without its inflection; never a word to show."""
    word = word.partition("_")[0] or word
    word = lexicon.IRREGULAR.get(word, word)
    if word in lexicon.FUNCTION or word in lexicon.NEGATORS:
        return word
    n = len(word)
    if word.endswith("ies") and n > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("ied") and n > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and n > 3:
        word = word[:-1]
    elif word.endswith("ing") and n > 5 and not word.endswith("thing"):
        word = word[:-3]
    elif n > 4 and word.endswith(("ed", "ly")) and not word.endswith("eed"):
        word = word[:-2]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word + "*" if word in lexicon.FUNCTION | lexicon.NEGATORS else word


def stems(words: Iterable[str]) -> frozenset[str]:
    """A table of the lexicon, to look stems up in."""
    return frozenset(stem(word) for word in words)


def _phrases() -> tuple[dict[str, frozenset[str]], dict[str, list[tuple[tuple[str, ...], str]]]]:
    single: dict[str, set[str]] = {}
    longer: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for ring, entries in lexicon.RINGS.items():
        for entry in entries.split(", "):
            parts = tuple(stem(w) for w in entry.split())
            if len(parts) == 1:
                single.setdefault(parts[0], set()).add(ring)
            else:
                longer.setdefault(parts[0], []).append((parts, ring))
    for found in longer.values():
        found.sort(key=lambda pair: -len(pair[0]))
    return {k: frozenset(v) for k, v in single.items()}, longer


_SINGLE, _LONGER = _phrases()
_BETWEEN_DIGITS = {"and", "then", "a", "followed", "by", "an"}


@lru_cache(maxsize=1 << 12)
def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a normal text, without punctuation."""
    words = _WORD.findall(text)
    found = _joined_digits(_arithmetic(_verbs(_numbers(words))))
    return tuple(_phrased(found))


def _word(word: str) -> Token:
    if word.startswith("@"):
        return Token(word, word, frozenset({word[:6]}))
    if match := re.fullmatch(r"(\d+)(st|nd|rd|th)", word):
        return Token(word, word, frozenset({"#" + match[1]}))
    if word.isdecimal():
        return Token(word, word, frozenset({"#" + (word.lstrip("0") or "0")}))
    if word in _ORDINALS:
        return Token(word, word, frozenset({f"#{_ORDINALS[word]}", *_SINGLE.get(word, ())}))
    base = stem(word)
    return Token(word, base, _SINGLE.get(base, frozenset()) | {base})


def _numbers(words: list[str]) -> list[Token]:
    made: list[Token] = []
    i = 0
    while i < len(words):
        word = words[i]
        value = _CARDINALS.get(word)
        last = made[-1].word if made else ""
        if word == "one" and (
            last in lexicon.DETERMINERS | set(_ORDINALS) | {"which", "left", "right", "other"}
            or (i + 1 < len(words) and words[i + 1] in ("of", "with", "in"))
        ):
            made.append(Token(word, word, frozenset({"one"})))
            i += 1
            continue
        if value is None:
            made.append(_word(word))
            i += 1
            continue
        used = [word]
        if value >= 20 and i + 1 < len(words) and 1 <= _CARDINALS.get(words[i + 1], 0) <= 9:
            value += _CARDINALS[words[i + 1]]
            used.append(words[i + 1])
        elif i + 1 < len(words) and words[i + 1] == "hundred":
            value *= 100
            used.append("hundred")
        made.append(Token(" ".join(used), " ".join(used), frozenset({f"#{value}"})))
        i += len(used)
    return made


def _verbs(found: list[Token]) -> list[Token]:
    """'Left' as a form of 'leave' where it is one, not the side."""
    made: list[Token] = []
    for i, token in enumerate(found):
        last = found[i - 1].word if i else ""
        following = found[i + 1].word if i + 1 < len(found) else ""
        verb = token.word == "left" and following not in _SIDED
        if verb and (
            (last in _LEAVERS and following not in ("in", "inside", "of"))
            or following in lexicon.DETERMINERS | _LEFT_SO
        ):
            token = Token("left", "leave", _SINGLE.get("leave", frozenset()) | {"leave"})
        made.append(token)
    return made


_LEAVERS = {
    *lexicon.words("i you he she we they who somebody someone nobody was were been being had got")
}
_LEFT_SO = {"it", "them", "open", "ajar", "shut", "behind", "alone"}
_SIDED = {"pocket", "side", "hand", "one", "jacket", "trouser", "trousers", "breast", "pockets"}


def _value(token: Token) -> int | None:
    if token.word in _ORDINALS or not token.stem[:1].isalnum():
        return None
    return next(
        (int(c[1:]) for c in token.concepts if c[0] == "#" and c[1:].isdecimal() and len(c) < 8),
        None,
    )


def _arithmetic(found: list[Token]) -> list[Token]:
    """'six times seven' and its like as the number they make."""
    made: list[Token] = []
    for token in found:
        made.append(token)
        right = _value(token)
        if right is None or len(made) < 3:
            continue
        left, sign = _value(made[-3]), made[-2].word
        if left is not None and sign == "by" and len(made) > 3 and made[-4].word == "multiply":
            made[-4:] = [Token("multiply", "#", frozenset({f"#{left * right}"}))]
            continue
        if left is None and len(made) > 3 and sign in ("by", "than"):
            left, sign = _value(made[-4]), made[-3].word
        if left is None and made[-3].word in ("number", "right", "just", "immediately"):
            step = {"after": 1, "before": -1}.get(sign)
            if step:
                made[-2:] = [Token(f"{sign} {right}", "#", frozenset({f"#{right + step}"}))]
            continue
        if left is None:
            continue
        results = {
            "times": left * right,
            "multiplied": left * right,
            "plus": left + right,
            "minus": left - right,
            "more": left + right,
            "less": right - left,
        }
        if sign == "and" and len(made) > 3 and made[-4].word == "between" and right == left + 2:
            results["and"] = left + 1
        if sign in results:
            made[-3:] = [Token(f"{left} {sign} {right}", "#", frozenset({f"#{results[sign]}"}))]
    return made


def _joined_digits(found: list[Token]) -> list[Token]:
    """'a four and then a two' as 42."""
    made: list[Token] = []
    run: list[Token] = []
    held: list[Token] = []

    def close() -> None:
        if len(run) > 1:
            value = "".join(str(_value(t)) for t in run)
            word = " ".join(t.word for t in run)
            made.append(Token(word, word, frozenset({f"#{value}"})))
        else:
            made.extend(run)
        made.extend(held)
        run.clear()
        held.clear()

    for token in found:
        value = _value(token)
        if value is not None and value < 10:
            run.append(token)
            held.clear()
        elif run and token.word in _BETWEEN_DIGITS:
            held.append(token)
        else:
            close()
            made.append(token)
    close()
    return made


def _phrased(found: list[Token]) -> list[Token]:
    """Phrases as one token; the words within a phrase no longer stand for themselves."""
    made: list[Token] = []
    i = 0
    all_stems = [t.stem for t in found]
    while i < len(found):
        rings: set[str] = set()
        length = 1
        for phrase, ring in _LONGER.get(all_stems[i], ()):
            n = len(phrase)
            if n >= length and tuple(all_stems[i : i + n]) == phrase and (n > 1):
                rings.add(ring)
                length = n
        if rings:
            word = " ".join(t.word for t in found[i : i + length])
            made.append(Token(word, " ".join(all_stems[i : i + length]), frozenset(rings)))
        elif all_stems[i] == "underscor" and made:
            pass
        else:
            made.append(found[i])
        i += length
    return made
