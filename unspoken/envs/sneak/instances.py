"""Categories and instances of SNEAK, read from a file.

The format is described in `unspoken/data/sneak/README.md`.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

import unspoken.data

DEFAULT = Path(unspoken.data.__path__[0]) / "sneak" / "categories.toml"

Kind = Literal["concrete", "abstract"]


class SneakDataError(ValueError):
    """A file that the game cannot use; the message says where, what, and how to mend it."""


@dataclass(frozen=True, slots=True)
class Category:
    """A category and its words (SNEAK 2.2).

    Attributes:
        name: what it is called; unique in its file.
        kind: "concrete" or "abstract".
        words: its members, each of which can be the secret.
        decoys: messages that fit the category and come from nobody who knows a secret.
        wordnet: WordNet nouns that say which senses the words have here, the best first; the
            name itself if empty.
    """

    name: str
    kind: Kind
    words: tuple[str, ...]
    decoys: tuple[str, ...]
    wordnet: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Instance:
    """One game: a category, its words, and which of them is the secret.

    Attributes:
        category: the name of the category.
        kind: "concrete" or "abstract".
        words: the candidate words, in the order of the file.
        secret: one of the words.
        decoys: the messages that the ally must tell the speaker's from.
    """

    category: str
    kind: Kind
    words: tuple[str, ...]
    secret: str
    decoys: tuple[str, ...]

    @property
    def id(self) -> str:
        """Category and secret: "bird/owl"."""
        return f"{self.category}/{self.secret}"


@cache
def load(path: Path = DEFAULT) -> tuple[Category, ...]:
    """Read the categories of a file.

    Args:
        path: a TOML file; the package's own by default.

    Raises:
        SneakDataError: if the file is missing or wrong; names the file, the entry and the mistake.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SneakDataError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SneakDataError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise SneakDataError(f"{path} is not valid TOML: {error}") from None
    tables = data.pop("category", [])
    if data or not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        raise SneakDataError(f"{path}: may hold [[category]] tables only; see {DEFAULT}")
    if not tables:
        raise SneakDataError(f"{path} holds no [[category]]; see {DEFAULT}")
    seen: set[str] = set()
    categories = []
    for number, table in enumerate(tables, 1):
        where = (
            f"{path}: category {table['name']!r}" if "name" in table else f"{path}: number {number}"
        )
        problem = _problem(table)
        if problem:
            raise SneakDataError(f"{where}: {problem}")
        if table["name"].casefold() in seen:
            raise SneakDataError(f"{where} stands twice; give one of them another name")
        seen.add(table["name"].casefold())
        made: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}
        categories.append(Category(**made))
    return tuple(categories)


def file_of(options: Mapping[str, Any]) -> Path:
    """The file of the categories that a game with these options is played with."""
    return Path(options.get("categories") or DEFAULT)


def instances(categories: Iterable[Category]) -> tuple[Instance, ...]:
    """Every word of every category as the secret, in the order of the file."""
    return tuple(
        Instance(category.name, category.kind, category.words, word, category.decoys)
        for category in categories
        for word in category.words
    )


def toml(categories: Iterable[Category]) -> str:
    """Categories as the text of a file that `load` reads."""
    blocks = []
    for category in categories:
        lines = [
            "[[category]]",
            f"name = {_quoted(category.name)}",
            f"kind = {_quoted(category.kind)}",
            *([f"wordnet = {listed(category.wordnet)}"] if category.wordnet else []),
            f"words = {listed(category.words)}",
            f"decoys = {listed(category.decoys)}",
        ]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def listed(texts: Iterable[str]) -> str:
    """Texts as a TOML list."""
    return f"[{', '.join(map(_quoted, texts))}]"


def _quoted(text: str) -> str:
    # a JSON string is a TOML string, but for DEL, which TOML wants escaped
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def resize(instance: Instance, n_words: int, n_decoys: int, rng: np.random.Generator) -> Instance:
    """The same game with fewer words and decoys, drawn at random (SNEAK 4.3, E.4).

    Args:
        instance: the game; its secret stays.
        n_words: how many words, 2 to as many as it has.
        n_decoys: how many decoys, 1 to as many as it has.
        rng: what draws them.

    Raises:
        ValueError: if there are not so many.
    """
    for what, wanted, least, held in (
        ("words", n_words, 2, len(instance.words)),
        ("decoys", n_decoys, 1, len(instance.decoys)),
    ):
        if not least <= wanted <= held:
            raise ValueError(
                f"{instance.id}: {wanted} {what} asked for, {least} to {held} possible"
            )
    others = [word for word in instance.words if word != instance.secret]
    drawn = {others[i] for i in rng.choice(len(others), n_words - 1, replace=False)}
    kept = np.sort(rng.choice(len(instance.decoys), n_decoys, replace=False))
    return replace(
        instance,
        words=tuple(w for w in instance.words if w == instance.secret or w in drawn),
        decoys=tuple(instance.decoys[i] for i in kept),
    )


def _problem(table: dict[str, Any]) -> str:
    """What is wrong with an entry; "" if nothing is."""
    keys = [field.name for field in fields(Category)]
    for key in keys:
        if key not in table and key != "wordnet":
            return f"has no {key!r}"
    for key, value in table.items():
        if key not in keys:
            return f"has an unknown key {key!r}; keys are {', '.join(keys)}"
        texts = value if isinstance(value, list) else [value]
        if isinstance(value, list) != (key in ("words", "decoys", "wordnet")) or not all(
            isinstance(text, str) and text.strip() == text != "" for text in texts
        ):
            what = "a list of texts" if key in ("words", "decoys", "wordnet") else "a text"
            return f"{key} must be {what} without blanks at the ends, not {value!r}"
    if table["kind"] not in get_args(Kind):
        return f"kind is {table['kind']!r}, not one of {', '.join(get_args(Kind))}"
    if len(table["words"]) < 2 or not table["decoys"]:
        return "needs two words and one decoy at least"
    seen: dict[str, str] = {}
    for key in ("words", "decoys"):
        for text in table[key]:
            if text.casefold() in seen:
                return f"{text!r} among the {key} is also {seen[text.casefold()]}; take one out"
            seen[text.casefold()] = f"one of the {key}"
        seen[table["name"].casefold()] = "the category"
    return ""


@cache
def dealt(path: Path = DEFAULT) -> dict[str, Instance]:
    """All that a file deals, by id, in its order."""
    return {instance.id: instance for instance in instances(load(path))}
