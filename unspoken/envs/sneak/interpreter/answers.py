"""A listener's answer: a label, an option in words, or probabilities."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import numpy as np

from unspoken.envs.sneak.interpreter.denial import Mention, denies, meant
from unspoken.envs.sneak.menu import choices, label
from unspoken.envs.sneak.rules import Distribution

_AROUND = " .,;:!?\"'`*_\u201c\u201d\u2018«»"
_LONGEST = 2_000
"""Characters of an answer, or of the line that it stands on."""
_SUM = 0.02
"""How far from 1 the probabilities of an answer may add up to; people round."""
_KEYS = ("probabilities", "distribution", "answer", "choice", "label", "guess", "word", "message")
_WEIGHT = re.compile(
    r"""^(?P<name>.+?)(?:\s*(?:->|=>|→|[:=]|[–—-](?=\s))\s*|\s+)\(?
    (?P<number>[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?|nan|[+-]?inf(?:inity)?)\s*
    (?P<percent>(?:%|percent\b)?)\)?$""",
    re.IGNORECASE | re.VERBOSE,
)
_PART = re.compile(r"\s*[,;\n]\s*(?:and\s+)?|\s+and\s+")
_BLANK = re.compile(r"(?<=[\d%)])\s+(?=[^\s\d(%])(?!percent\b)", re.IGNORECASE)
"""What parts weights that nothing else does: "A=0.5 B=0.5"."""
_NUMBER = re.compile(r"[=:≈~]\s*[+-]?(?:\.?\d|(?:nan|inf(?:inity)?)\b)", re.IGNORECASE)
_CUE = re.compile(
    r"""\b(?:answer|choice|choose|pick|guess|select|label|option|vote|secret|word|message)\b
    (?:\s+(?:word|message|label|option|is|was|would\s+be|must\s+be|for|as))*\s*[:=]?\s*
    (?=[\w"'(\[*])""",
    re.IGNORECASE | re.VERBOSE,
)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_LABELLED = re.compile(r"^[(\[]?(?P<label>[A-Za-z]{1,2})(?:[)\].:]|\s*[:=–—-])+\s*(?P<rest>.+)$")
_WITH_LABEL = re.compile(r"^(?P<rest>.+?)\s*[(\[](?P<label>[A-Za-z]{1,2})[)\]]$")
_LONE_LABEL = re.compile(r"(?<![\w'’-])(?:[B-HJ-Z]|[AI](?=[)\].:,]|$))(?![\w'’-])")


def read_answer(text: str, options: Sequence[str]) -> Distribution | None:
    """What a listener answered.

    A label, an option in words, both if they agree, or probabilities of either, in a sentence or
    JSON too; of several lines the last may hold it alone.

    Args:
        text: what the listener said.
        options: what it chose among; the label of the first is A.

    Returns:
        A distribution over the options, float64 [n]; all on one where only one was named. Options
        that read alike share what was said of them. None if it is no answer, or not a clear one.
    """
    plain = _plain(text)
    reader = _Options(options)
    for part in dict.fromkeys([plain, reader.end(plain)]):
        found = reader.read(part) if len(part) <= _LONGEST else None
        if found is not None:
            return found
    return None


class _Options:
    """What a listener can choose among."""

    def __init__(self, options: Sequence[str]) -> None:
        self.n = len(options)
        self.menu = {_plain(sentence): i for i, sentence in enumerate(choices(options))}
        self.labels = {label(i): i for i in range(self.n)}
        self.texts: dict[str, list[int]] = {}
        for i, option in enumerate(options):
            self.texts.setdefault(_bare(option), []).append(i)

    def read(self, said: str) -> Distribution | None:
        """A distribution, or None."""
        if said in self.menu:
            return self._on([self.menu[said]])
        data = _json(said)
        if data is not None:
            return self._weighed(data)
        weights = self._weights(said)
        if not weights:
            return self._on(self._picked(said))
        data = dict(weights)
        return self._weighed(data) if len(data) == len(weights) else None

    def end(self, said: str) -> str:
        """The last line of an answer; with those before it as far as all of them are weights."""
        lines = [line for line in said.splitlines() if line.strip()]
        rated = sum(takewhile(bool, map(self._rates, lines[::-1])))
        return "\n".join(lines[-max(rated, 1) :])

    def _rates(self, line: str) -> bool:
        """Whether a line gives an option a number, or what stands for one: "A=1/2"."""
        if len(line) > _LONGEST:
            return False
        name = _NUMBER.split(line, maxsplit=1)[0]
        return bool(self._weights(line) or (name != line and self._named(name)))

    def _weights(self, said: str) -> list[tuple[str, float]]:
        """The names and numbers of a text that holds nothing else; of one option at least."""
        whole = said.strip(" .{}[]()")
        pieces = [piece for piece in _PART.split(whole) if piece]
        for parts in (pieces, [part for piece in pieces for part in _BLANK.split(piece)]):
            found = [_WEIGHT.match(part) for part in parts]
            weights = [
                (w["name"], float(w["number"]) / (100 if w["percent"] else 1)) for w in found if w
            ]
            if len(weights) == len(parts) and any(self._named(name) for name, _ in weights):
                return weights
        return []

    def _weighed(self, data: Any) -> Distribution | None:
        """The distribution that JSON or a list of weights gives."""
        if isinstance(data, dict) and not all(map(self._named, data)):
            data = next((value for key, value in data.items() if key.casefold() in _KEYS), None)
        if isinstance(data, str):
            return self._on(self._picked(data))
        if isinstance(data, list) and len(data) == self.n:
            data = dict(zip(self.labels, data, strict=True))
        if not isinstance(data, dict) or not data:
            return None
        p = np.zeros(self.n)
        seen: set[int] = set()
        for name, weight in data.items():
            which = self._named(name)
            number = isinstance(weight, int | float) and not isinstance(weight, bool)
            if not which or not number or not 0 <= weight <= 100 or seen & set(which):
                return None
            seen |= set(which)
            p[which] = weight / len(which)
        total = float(p.sum())
        near = min((1.0, 100.0), key=lambda whole: abs(total / whole - 1))
        return p / total if abs(total / near - 1) <= _SUM else None

    def _on(self, which: Sequence[int]) -> Distribution | None:
        if not which:
            return None
        p = np.zeros(self.n)
        p[list(which)] = 1 / len(which)
        return p

    def _named(self, name: str) -> list[int]:
        """The options that a label or an option's words name; nothing else may be said."""
        bare = _bare(name)
        if bare.upper() in self.labels:
            return [self.labels[bare.upper()]]
        return self.texts.get(bare) or self._both(name)

    def _both(self, said: str) -> list[int]:
        """The option of a label and its words, if they agree: "C) rabbit", "rabbit (C)"."""
        for pattern in (_LABELLED, _WITH_LABEL):
            match = pattern.match(said.strip(_AROUND))
            index = self.labels.get(match["label"].upper()) if match else None
            if match and index is not None and index in self.texts.get(_bare(match["rest"]), ()):
                return [index]
        return []

    def _picked(self, said: str) -> list[int]:
        """The options that a text in words settles on."""
        named = self._named(said)
        if named:
            return named
        for cue in reversed(list(_CUE.finditer(said))):
            named = self._named(said[cue.end() :].split("\n")[0])
            if named and not denies(said[: cue.end()]):
                return named
        return [] if _OR.search(said) or _NUMBER.search(said) else self._mentioned(said)

    def _mentioned(self, said: str) -> list[int]:
        """The options of the one label or text that is meant, or of both if they agree."""
        mentions = []
        rest = said
        for text in sorted(filter(None, self.texts), key=len, reverse=True):
            for m in re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", rest, re.IGNORECASE):
                mentions.append(Mention(*m.span(), tuple(self.texts[text])))
                rest = f"{rest[: m.start()]}{' ' * len(m[0])}{rest[m.end() :]}"
        lone = (m for m in _LONE_LABEL.finditer(rest) if m[0] in self.labels)
        mentions.extend(Mention(*m.span(), (self.labels[m[0]],)) for m in lone)
        found = meant(said, mentions)
        if len(found) == 2:
            fewer, more = sorted(found, key=len)
            found = {fewer} if set(fewer) <= set(more) else found
        return list(found.pop()) if len(found) == 1 else []


def _json(said: str) -> Any:
    """The JSON value in a text that holds nothing else, or stands in a fence; None if there is."""
    fenced = re.search(r"```(?:json)?\s*(.+?)\s*```", said, re.DOTALL)
    text = (fenced[1] if fenced else said).strip()
    if text[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _plain(text: str) -> str:
    """A text with straight apostrophes and single blanks, its lines as they are."""
    straight = unicodedata.normalize("NFKC", text).replace("’", "'").strip()
    return re.sub(r"[^\S\n]+", " ", straight)


def _bare(text: str) -> str:
    """An option's words as they are compared: lower case, without quotes, article and full stop."""
    words = " ".join(_plain(text).casefold().split()).strip(_AROUND + "()[]")
    return re.sub(r"^(?:an?|the)\s+(?=\w)", "", words)
