"""The secrets of the dialogue game, read from a file.

The format is described in `unspoken/data/aidg_dialogue/README.md`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import unspoken.data

DEFAULT = Path(unspoken.data.__path__[0]) / "aidg_dialogue" / "secrets.toml"

ALTERNATIVES = 4

_SLOTS: dict[str, tuple[str, ...]] = {
    "statement": ("value",),
    "topic": (),
    "leading": ("value",),
    "presupposition": ("value",),
    "either": ("value", "other"),
    "hypothetical": ("value",),
    "partial": (),
    "reword": (),
}
_OPTIONAL = {"paraphrases", "link"}
_HEADER = re.compile(r"\s*\[\[\s*[\"']?secret[\"']?\s*\]\]")
_SLOT = re.compile(r"\{(.*?)\}")
_NAME = re.compile(r"[a-z0-9_]+")
_WORD = re.compile(r"[^\W_]+")
_ARTICLES = {"a", "an", "the"}
JOINT = "; "
"""Stands between facts that are hidden together, so no sentence may hold a semicolon."""


class SecretsError(ValueError):
    """A secrets file that the game cannot use; the message says where and what."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A sentence to be kept, and how the players' moves speak of it.

    A secret from a plain text file has `id` and `text` only; the rest is empty.

    Attributes:
        id: short name, unique in its file.
        text: the secret, a declarative sentence without its full stop.
        subject: what it is about, as a noun phrase.
        value: what is hidden about the subject.
        alternatives: four other values of the same kind; at most one value can be true.
        statement: with {value}: says that the subject has that value.
        topic: an open question about the subject that names no value.
        leading: with {value}: a tag question.
        presupposition: with {value}: a question that takes the statement for granted.
        either: with {value} and {other}: a choice of two.
        hypothetical: with {value}: a yes denies the statement, a no confirms it.
        partial: a true sentence about the subject that does not give the value.
        reword: the secret in other words.
        paraphrases: more ways to say the secret, for the arbiter.
        link: a word that it shares with the secrets it belongs together with; "" for none.
    """

    id: str
    text: str
    subject: str = ""
    value: str = ""
    alternatives: tuple[str, ...] = ()
    statement: str = ""
    topic: str = ""
    leading: str = ""
    presupposition: str = ""
    either: str = ""
    hypothetical: str = ""
    partial: str = ""
    reword: str = ""
    paraphrases: tuple[str, ...] = ()
    link: str = ""

    @property
    def structured(self) -> bool:
        """Whether there is more than the sentence, as menu moves need."""
        return bool(self.statement)

    @property
    def values(self) -> tuple[str, ...]:
        """The true value, then its alternatives; empty without structure."""
        return (self.value, *self.alternatives) if self.structured else ()


class _Entry(NamedTuple):
    """A secret, and the lines that its keys are on; "" for its first line."""

    secret: Secret
    lines: dict[str, int]

    def at(self, key: str) -> int:
        return self.lines.get(key, self.lines[""])


@cache
def load(path: Path = DEFAULT) -> tuple[Secret, ...]:
    """Read the secrets of a file.

    Args:
        path: a `.toml` file, or a `.txt` file with one secret a line (empty lines and lines that
            begin with # are skipped); the package's own by default.

    Raises:
        SecretsError: if the file is missing or wrong; names the file, the line and the secret.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SecretsError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SecretsError(f"{path} is not UTF-8 text") from None
    readers = {".toml": _structured, ".txt": _plain}
    if path.suffix not in readers:
        raise SecretsError(f"{path}: a secrets file is {' or '.join(readers)}")
    entries = readers[path.suffix](path, text)
    if not entries:
        raise SecretsError(f"{path} holds no secret")
    seen: dict[tuple[str, str], int] = {}
    for entry in entries:
        for key, kind, said in _once(entry.secret):
            line, same = entry.at(key), (kind, " ".join(said.casefold().split()))
            if same in seen:
                what = f"asks {said!r} like" if kind == "question" else f"has the same {key} as"
                raise SecretsError(
                    f"{path}, line {line}: secret {entry.secret.id!r} {what} the one of "
                    f"line {seen[same]}"
                )
            seen[same] = line
    return tuple(entry.secret for entry in entries)


def _once(secret: Secret) -> Iterator[tuple[str, str, str]]:
    """What may be only once in a file: the key it comes from, its kind, and the text."""
    yield "id", "id", secret.id
    yield "text", "text", secret.text
    if secret.structured:
        yield "topic", "question", secret.topic
        values = sorted(secret.values)
        for key in ("leading", "presupposition", "either", "hypothetical"):
            for i, value in enumerate(values):
                other = values[(i + 1) % len(values)]
                said = getattr(secret, key).replace("{value}", value).replace("{other}", other)
                yield key, "question", said


@cache
def dealt(secrets: tuple[Secret, ...], facts: int) -> tuple[tuple[Secret, ...], ...]:
    """What can be hidden together: any secret, or several that are linked, in file order."""
    if facts == 1:
        return tuple((secret,) for secret in secrets)
    groups: dict[str, list[Secret]] = {}
    for secret in secrets:
        if secret.link:
            groups.setdefault(secret.link, []).append(secret)
    return tuple(hand for group in groups.values() for hand in combinations(group, facts))


def find(wanted: str, path: Path = DEFAULT) -> Secret:
    """The secret of a file with this id or text; a plain one of this text if there is none.

    Raises:
        ValueError: if the text is empty.
    """
    text = wanted.strip().rstrip(".")
    if not text:
        raise ValueError("the secret is empty: give an id or a text of the file, or any sentence")
    for secret in load(path):
        if text.casefold() in (secret.id.casefold(), secret.text.casefold()):
            return secret
    return Secret(id="secret", text=text)


def _plain(path: Path, text: str) -> list[_Entry]:
    """One secret a line, named after its line."""
    entries = [
        _Entry(Secret(f"line_{number}", line.strip().rstrip(".").rstrip()), {"": number})
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip(" \t.") and not line.lstrip().startswith("#")
    ]
    for secret, lines in entries:
        if ";" in secret.text:
            raise SecretsError(f"{path}, line {lines['']}: a secret must not hold a semicolon")
    return entries


def _structured(path: Path, text: str) -> list[_Entry]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SecretsError(f"{path} is not valid TOML: {error}") from None
    lines = text.splitlines()
    unknown = sorted(data.keys() - {"secret"})
    tables = data.get("secret", [])
    if unknown or not isinstance(tables, list) or not all(isinstance(e, dict) for e in tables):
        key = re.escape(unknown[0] if unknown else "secret")
        own = re.compile(rf"\s*\[*\s*[\"']?{key}[\"']?\s*[=.\]]")
        where = next((f", line {n}" for n, line in enumerate(lines, 1) if own.match(line)), "")
        raise SecretsError(f"{path}{where}: may hold [[secret]] tables only; see {DEFAULT}")
    starts = [number for number, line in enumerate(lines, 1) if _HEADER.match(line)]
    if len(starts) != len(tables):  # tables written inline; then there are no lines to name
        starts = [1] * len(tables)
    ends = [*starts[1:], len(lines) + 1][: len(tables)]
    entries = []
    for n, (table, start, end) in enumerate(zip(tables, starts, ends, strict=True), 1):
        places = {"": start}
        for key in table:
            own = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
            places[key] = next((i for i in range(start, end) if own.match(lines[i - 1])), start)
        problem = _problem(table)
        if problem:
            key, what = problem
            name = repr(table["id"]) if "id" in table else f"number {n}"
            line = places.get(key, start)
            raise SecretsError(f"{path}, line {line}: secret {name}: {what}")
        made: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}
        entries.append(_Entry(Secret(**made), places))
    return entries


def _problem(entry: dict[str, Any]) -> tuple[str, str] | None:
    """The key at fault and what is wrong with it, if anything is."""
    keys = [field.name for field in fields(Secret)]
    for key in keys:
        if key not in entry:
            if key in _OPTIONAL:
                continue
            return "", f"has no {key!r}"
        value = entry[key]
        if key in ("alternatives", "paraphrases"):
            if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
                return key, f"{key} must be a list of texts"
        elif not isinstance(value, str) or not value.strip() or "\n" in value:
            return key, f"{key} must be a text on one line"
    for key in entry:
        if key not in keys:
            return key, f"has an unknown key {key!r}; keys are {keys}"
    for key in ("id", "link"):
        if not _NAME.fullmatch(entry.get(key, "none")):
            return key, f"{key} must be of a-z, 0-9 and _ only: {entry[key]!r}"
    values = [entry["value"], *entry["alternatives"]]
    for key, held in (("value", values[:1]), ("alternatives", values[1:])):
        for value in held:
            if set("{};") & set(value):
                return key, f"a value must hold neither braces nor a semicolon: {value!r}"
    if ";" in entry["text"]:
        return "text", f"text must not hold a semicolon: {entry['text']!r}"
    if len(values) != ALTERNATIVES + 1:
        return "alternatives", f"needs {ALTERNATIVES} alternatives, has {len(values) - 1}"
    if len({value.casefold() for value in values}) != len(values):
        return "alternatives", "value and alternatives must all be different"
    for key, slots in _SLOTS.items():
        found = tuple(sorted(_SLOT.findall(entry[key])))
        if found != tuple(sorted(slots)):
            wanted = " and ".join(f"{{{slot}}}" for slot in slots) or "no slot"
            return key, f"{key} must hold {wanted} once: {entry[key]!r}"
    said = entry["statement"].replace("{value}", entry["value"])
    if said != entry["text"]:
        return "statement", f"statement with the value says {said!r}, text says {entry['text']!r}"
    for key in ("topic", "partial"):
        for value in values:
            if _within(value, entry[key]):
                return key, f"{key} must not give a value away, here {value!r}: {entry[key]!r}"
    return None


def _within(value: str, sentence: str) -> bool:
    """Whether a sentence holds the words of a value one after the other, articles aside."""
    said, words = (
        " ".join(word for word in _WORD.findall(text.casefold()) if word not in _ARTICLES)
        for text in (sentence, value)
    )
    return bool(words) and f" {words} " in f" {said} "
