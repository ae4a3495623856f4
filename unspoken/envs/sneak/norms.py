"""Categories from published category-production norms, such as Banks and Connell (2023).

The norms say how many people named which members of which category. As in SNEAK 2.2 the twelve
members that most people named become the words of a category; its decoys come from WordNet.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from unspoken.envs.sneak.decoys import generate
from unspoken.envs.sneak.instances import Category, Kind, SneakDataError, toml
from unspoken.lexicon.morphology import forms
from unspoken.lexicon.senses import senses_for
from unspoken.lexicon.wordnet import synset

COLUMNS = {
    "category": ("category", "categoryname", "categorylabel", "cue"),
    "member": ("member", "exemplar", "response", "categorymember", "item", "word"),
    "frequency": ("frequency", "productionfrequency", "prodfreq", "freq", "n", "count"),
    "kind": ("kind", "concreteabstract", "abstractconcrete", "categorytype", "type", "domain"),
}
"""What each column may be called; case, blanks and punctuation do not matter. `kind` may lack."""

MOST_WORDS = 12
FEWEST_WORDS = 10
"""How many words a category has (SNEAK Table 1)."""

_KINDS: dict[str, Kind] = {"c": "concrete", "a": "abstract"}


class _Row(NamedTuple):
    line: int
    category: str
    member: str
    frequency: float
    kind: str


class Imported(NamedTuple):
    """What came of a table.

    Attributes:
        categories: those in the file that was written, in the order of the table.
        left_out: why others are not in it, a sentence each.
    """

    categories: tuple[Category, ...]
    left_out: tuple[str, ...]


def import_norms(csv_path: Path, out_path: Path) -> Imported:
    """Make a categories file, as `instances.load` reads it, of a table of norms.

    Args:
        csv_path: a table with a header and one row a category and member, separated by commas,
            semicolons or tabs; its columns are called as in `COLUMNS`. Rows of the same member add
            up. Without a column for the kind, a category is concrete if most of its words are
            physical things or people in WordNet.
        out_path: the TOML file to write.

    A member that names its category is no word of it. A category is left out if it has too few
    members, or WordNet has no decoys for it; one that is wanted can be added to the file by hand.

    Returns:
        the categories, and those left out.

    Raises:
        SneakDataError: if a file cannot be read or written, a column is missing, a value is wrong,
            or no category can be used; names what and where.
    """
    members: dict[str, dict[str, list[float]]] = {}
    spelt: dict[str, str] = {}
    kinds: dict[str, Kind] = {}
    for row in _rows(csv_path):
        category, member = row.category.casefold(), row.member.casefold()
        spelt.setdefault(category, row.category)
        spelt.setdefault(f"{category}/{member}", row.member)
        members.setdefault(category, {}).setdefault(member, []).append(row.frequency)
        if row.kind:
            kind = _KINDS.get(row.kind.casefold()[0])
            if kind is None or kinds.setdefault(category, kind) != kind:
                raise SneakDataError(
                    f"{csv_path}, line {row.line}: kind of {row.category!r} is {row.kind!r}; write "
                    f"concrete or abstract, the same in every row of a category"
                )
    found, left_out = [], []
    for key, counts in members.items():
        ranked = sorted(counts, key=lambda member: -sum(counts[member]))
        named = [member for member in ranked if forms(member).isdisjoint(forms(key))]
        words = tuple(spelt[f"{key}/{member}"] for member in named[:MOST_WORDS])
        if len(words) < FEWEST_WORDS:
            left_out.append(
                f"category {spelt[key]!r} has {len(words)} different members; {FEWEST_WORDS} are "
                f"needed"
            )
            continue
        try:
            decoys = generate(spelt[key], words)
        except SneakDataError:
            left_out.append(f"category {spelt[key]!r}: its words share too little in WordNet")
            continue
        found.append(
            Category(spelt[key], kinds.get(key) or _kind(spelt[key], words), words, decoys)
        )
    if not found:
        raise SneakDataError(f"{csv_path} has no category that can be used: {'; '.join(left_out)}")
    try:
        out_path.write_text(toml(found), encoding="utf-8")
    except OSError as error:
        raise SneakDataError(f"{out_path} cannot be written: {error.strerror}") from None
    return Imported(tuple(found), tuple(left_out))


def _rows(path: Path) -> Iterator[_Row]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise SneakDataError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SneakDataError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    header = lines[0] if lines else ""
    reader = csv.reader(lines, delimiter=max(",;\t", key=header.count))
    names = [re.sub(r"[\W_]", "", name).casefold() for name in next(reader, [])]
    places = {
        column: next((names.index(alias) for alias in aliases if alias in names), None)
        for column, aliases in COLUMNS.items()
    }
    lacking = [column for column in COLUMNS if places[column] is None and column != "kind"]
    if lacking:
        wanted = "; ".join(f"{column}: {', '.join(COLUMNS[column])}" for column in lacking)
        raise SneakDataError(
            f"{path}: no column for {', '.join(lacking)} in the header {header!r}; rename a column "
            f"to one of these ({wanted})"
        )
    any_row = False
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        any_row = True
        values = {
            column: cells[place].strip() if place is not None and place < len(cells) else ""
            for column, place in places.items()
        }
        where = f"{path}, line {reader.line_num}"
        if not values["category"] or not values["member"]:
            raise SneakDataError(f"{where}: needs a category and a member, has {cells}")
        try:
            frequency = float(values["frequency"])
        except ValueError:
            frequency = -1.0
        if not 0 <= frequency < float("inf"):
            raise SneakDataError(f"{where}: frequency is {values['frequency']!r}, not a count")
        yield _Row(reader.line_num, values["category"], values["member"], frequency, values["kind"])
    if not any_row:
        raise SneakDataError(f"{path} has no row under its header")


def _kind(category: str, words: tuple[str, ...]) -> Kind:
    physical = synset("physical_entity.n.01")
    found = [physical in sense.ancestors() for sense in senses_for(words, category) if sense]
    return "concrete" if 2 * sum(found) > len(found) else "abstract"
