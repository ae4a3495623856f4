"""The words, the question bank and the answer table of the search game, read from data files.

The files are described in `unspoken/data/aidg_search/README.md`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import unspoken.data

DEFAULT = Path(unspoken.data.__path__[0]) / "aidg_search"


class OntologyError(ValueError):
    """A data file that does not say what the game needs; the message says where and what."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the bank: its id, its canonical sentence, and other wordings of the same."""

    id: str
    text: str
    forms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Ontology:
    """Everything the word game knows of its world.

    Attributes:
        words: the W words, in the order of AIDG Table 9.
        categories: the category of each word.
        questions: the Q questions.
        table: P(answer | word, question), float64 [W, Q, 3], answers in the order yes, no, maybe;
            read-only, rows sum to 1.
    """

    words: tuple[str, ...]
    categories: tuple[str, ...]
    questions: tuple[Question, ...]
    table: NDArray[np.float64]


@cache
def load(folder: Path = DEFAULT) -> Ontology:
    """Read `words.toml` and `questions.toml` of a folder.

    Args:
        folder: where the two files are; the package's own by default.

    Raises:
        OntologyError: if a file is missing or inconsistent; names the file, the question and the
            word at fault.
    """
    words_file, questions_file = folder / "words.toml", folder / "questions.toml"
    groups: dict[str, list[str]] = _read(words_file)
    pairs = [(word, category) for category, words in groups.items() for word in words]
    words = tuple(word for word, _ in pairs)
    if len(set(words)) != len(words):
        twice = sorted({w for w in words if words.count(w) > 1})
        raise OntologyError(f"{words_file}: listed twice: {', '.join(twice)}")
    data = _read(questions_file)
    levels = {
        name: _distribution(f"{questions_file}: level {name!r}", p)
        for name, p in data.get("levels", {}).items()
    }
    entries: list[dict[str, Any]] = data.get("question", [])
    index = {word: i for i, word in enumerate(words)}
    table = np.empty((len(words), len(entries), 3))
    for q, entry in enumerate(entries):
        where = f"{questions_file}: question {entry.get('id', q)!r}"
        for key in ("id", "text", "rest"):
            if key not in entry:
                raise OntologyError(f"{where} has no {key!r}")
        if entry["rest"] not in levels:
            raise OntologyError(f"{where}: rest is {entry['rest']!r}, not one of {list(levels)}")
        table[:, q] = levels[entry["rest"]]
        seen: set[str] = set()
        for level in levels.keys() & entry.keys():
            for word in entry[level].split():
                if word not in index:
                    raise OntologyError(f"{where}: {word!r} is not a word of {words_file.name}")
                if word in seen:
                    raise OntologyError(f"{where}: {word!r} stands twice")
                seen.add(word)
                table[index[word], q] = levels[level]
        unknown = entry.keys() - levels.keys() - {"id", "text", "forms", "rest"}
        if unknown:
            raise OntologyError(f"{where}: unknown key {sorted(unknown)}; levels: {list(levels)}")
    table.setflags(write=False)
    questions = tuple(Question(e["id"], e["text"], tuple(e.get("forms", ()))) for e in entries)
    for what in ("id", "text"):
        values = [getattr(q, what) for q in questions]
        if len(set(values)) != len(values):
            twice = sorted({v for v in values if values.count(v) > 1})
            raise OntologyError(f"{questions_file}: {what} given twice: {', '.join(twice)}")
    return Ontology(words, tuple(category for _, category in pairs), questions, table)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise OntologyError(f"{path} does not exist; an ontology folder needs it") from None
    except tomllib.TOMLDecodeError as error:
        raise OntologyError(f"{path} is not valid TOML: {error}") from None


def _distribution(where: str, values: Any) -> NDArray[np.float64]:
    p = np.asarray(values, dtype=np.float64)
    if p.shape != (3,) or (p < 0).any() or abs(p.sum() - 1) > 1e-9:
        raise OntologyError(f"{where}: {values} is not three probabilities (yes, no, maybe)")
    return p
