"""The secrets of the dialogue game, read from a file.

The format is described in `unspoken/data/aidg_dialogue/README.md`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

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
_OPTIONAL = {"paraphrases"}
_HEADER = re.compile(r"\s*\[\[\s*secret\s*\]\]")
_SLOT = re.compile(r"\{(.*?)\}")


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

    @property
    def structured(self) -> bool:
        """Whether there is more than the sentence, as menu moves need."""
        return bool(self.statement)

    @property
    def values(self) -> tuple[str, ...]:
        """The true value, then its alternatives; empty without structure."""
        return (self.value, *self.alternatives) if self.structured else ()


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
    located = readers[path.suffix](path, text)
    if not located:
        raise SecretsError(f"{path} holds no secret")
    seen: dict[tuple[str, str], int] = {}
    for line, secret in located:
        for key in ("id", "text"):
            first = seen.setdefault((key, getattr(secret, key).casefold()), line)
            if first != line:
                raise SecretsError(
                    f"{path}, line {line}: secret {secret.id!r} has the same {key} as the one of "
                    f"line {first}"
                )
    return tuple(secret for _, secret in located)


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


def _plain(path: Path, text: str) -> list[tuple[int, Secret]]:
    """One secret a line, named after its line."""
    return [
        (number, Secret(id=f"line_{number}", text=line.strip().rstrip(".").rstrip()))
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip(" \t.") and not line.lstrip().startswith("#")
    ]


def _structured(path: Path, text: str) -> list[tuple[int, Secret]]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SecretsError(f"{path} is not valid TOML: {error}") from None
    unknown = data.keys() - {"secret"}
    entries = data.get("secret", [])
    if unknown or not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise SecretsError(f"{path} may hold [[secret]] tables only; see {DEFAULT}")
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines, 1) if _HEADER.match(line)]
    if len(starts) != len(entries):  # tables written inline; then there are no lines to name
        starts = [1] * len(entries)
    ends = [*starts[1:], len(lines) + 1][: len(entries)]
    located = []
    for n, (entry, start, end) in enumerate(zip(entries, starts, ends, strict=True), 1):
        problem = _problem(entry)
        if problem:
            key, what = problem
            own = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
            line = next((i for i in range(start, end) if own.match(lines[i - 1])), start)
            name = repr(entry["id"]) if "id" in entry else f"number {n}"
            raise SecretsError(f"{path}, line {line}: secret {name}: {what}")
        made: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
        located.append((start, Secret(**made)))
    return located


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
    values = [entry["value"], *entry["alternatives"]]
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
    return None
