"""Options and outputs that several commands share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from unspoken.benchmarks.tables import Table

Agents = Annotated[
    list[str] | None,
    typer.Option("--agent", "-a", help="Who plays; give it several times. Default: built-ins."),
]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", help="Option of the game, KEY=VALUE (JSON or a word)."),
]
Seed = Annotated[int, typer.Option(help="Seed of everything.", envvar="UNSPOKEN_SEED")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def options_of(pairs: list[str] | None) -> dict[str, Any]:
    """Options of a game from KEY=VALUE pairs.

    Raises:
        ValueError: if a pair has no equals sign.
    """
    options: dict[str, Any] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--option {pair!r}: write KEY=VALUE")
        try:
            options[key] = json.loads(value)
        except json.JSONDecodeError:
            options[key] = value
    return options


def print_tables(tables: Sequence[Table], *, as_json: bool) -> None:
    """Tables on the terminal, or as one JSON object."""
    from unspoken.benchmarks.tables import show

    if as_json:
        print(json.dumps({table.key: table.json() for table in tables}, indent=2))
    else:
        show(tables)
