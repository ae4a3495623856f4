"""Options and outputs that several commands share."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
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


class Bar:
    """A progress bar on standard error, which also counts what went wrong."""

    def __init__(self, title: str) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task = self.progress.add_task(title, total=None, note="")
        self._counts = Counter[str]()

    def set(self, done: int, total: int) -> None:
        """Show how much of what there is to do is done."""
        self.progress.start()  # not before: what is refused at once needs no bar
        self.progress.update(self._task, completed=done, total=total)

    def note(self, what: str) -> None:
        """Count something that went wrong."""
        self._counts[what] += 1
        text = ", ".join(f"{n} {name}" for name, n in self._counts.items())
        self.progress.update(self._task, note=text)


@contextmanager
def bar(title: str, folder: Path) -> Iterator[Bar]:
    """A bar while something runs that can be stopped and gone on with; counts retries, too."""
    shown = Bar(title)

    class Retries(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            shown.note("retries")

    client = logging.getLogger("unspoken.agents.llm.client")
    client.setLevel(logging.INFO)
    retries = Retries()
    client.addHandler(retries)
    try:
        yield shown
    except KeyboardInterrupt:
        print(f"stopped; the same command with --out {folder} goes on from here")
        raise typer.Exit(130) from None
    finally:
        if shown.progress.live.is_started:
            shown.progress.stop()
        client.removeHandler(retries)


def print_end(
    folder: Path, tables: Sequence[Table], fallbacks: dict[str, int], failures: dict[str, int]
) -> None:
    """The tables of a run, and what went wrong in it."""
    print_tables(tables, as_json=False)
    for name, count in fallbacks.items():
        print(f"{count} fallbacks: {name} gave nothing readable")
    for reason, count in failures.items():
        print(f"{count} void: {reason}")
    print(f"{folder}: run.sqlite (every move), results.json, report.md")
