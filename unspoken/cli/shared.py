"""Options and outputs that several commands share."""

from __future__ import annotations

import json
import logging
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from unspoken.agents.llm.models import Models
    from unspoken.benchmarks.report import Summary as Tournament
    from unspoken.benchmarks.sneak.report import Summary as Sneak
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

MaxConnections = Annotated[
    int | None, typer.Option(help="Most requests in flight to one endpoint.", min=1)
]
MaxCost = Annotated[
    float | None,
    typer.Option(help="Stop when requests have cost so much; goes on with a higher one.", min=0),
]
MaxTokens = Annotated[
    int | None, typer.Option(help="Stop when requests have taken so many tokens.", min=0)
]
PriceFile = Annotated[Path | None, typer.Option("--prices", help="What tokens cost, TOML.")]
ModelFile = Annotated[Path | None, typer.Option("--models", help="Options by model, TOML.")]
ModelArgs = Annotated[
    list[str] | None,
    typer.Option("--model-args", help="Option of all models, KEY=VALUE; give it several times."),
]
Cache = Annotated[
    str | None,
    typer.Option(help="Keep replies on disk: on, sampling, a folder, or sampling:FOLDER."),
]

BUDGET = 3
"""Exit code of a run that stopped because its budget was spent."""


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


def models_of(file: Path | None, args: list[str] | None) -> Models | None:
    """Options of models from a file and KEY=VALUE pairs; None if there are none.

    Raises:
        ValueError: if something in them is not as it should be; says where.
        ImportError: if the extra `llm` is missing.
    """
    if file is None and not args:
        return None
    from unspoken.agents.llm.models import read_models

    return read_models(file, args or ())


def print_tables(tables: Sequence[Table], *, as_json: bool) -> None:
    """Tables on the terminal, or as one JSON object."""
    from unspoken.benchmarks.tables import show

    if as_json:
        print(json.dumps({table.key: table.json() for table in tables}, indent=2))
    else:
        show(tables)


class Bar:
    """A progress bar on standard error, which also counts what went wrong and what it takes."""

    def __init__(self, title: str) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            ProgressColumn,
            Task,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.text import Text

        class Traffic(ProgressColumn):
            """What requests take, as it is whenever the bar is drawn."""

            def render(_, task: Task) -> Text:
                return Text(self._traffic(), no_wrap=True, overflow="ellipsis")

        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            Traffic(),
            console=Console(stderr=True),
        )
        self.done, self.total = 0, 0
        self._task = self.progress.add_task(title, total=None, note="")
        self._counts = Counter[str]()
        self._shared: Any = None

    def set(self, done: int, total: int) -> None:
        """Show how much of what there is to do is done."""
        module = sys.modules.get("unspoken.agents.llm.traffic")
        if module is not None and self._shared is None:
            self._shared = module.current()
        self.done, self.total = done, total
        self.progress.start()  # not before: what is refused at once needs no bar
        self.progress.update(self._task, completed=done, total=total)

    def note(self, what: str) -> None:
        """Count something that went wrong."""
        self._counts[what] += 1
        text = ", ".join(f"{n} {name}" for name, n in self._counts.items())
        self.progress.update(self._task, note=text)

    def _traffic(self) -> str:
        shared = self._shared
        if shared is None or not (shared.spent.models or shared.in_flight):
            return ""
        parts = [f"{shared.spent.tokens:,} tokens"]
        if shared.prices is not None:
            parts.insert(0, f"{shared.spent.cost:.4f} {shared.prices.currency}")
        parts.append(f"{shared.in_flight} open")
        if shared.waiting:
            parts.append(f"{shared.waiting} queued")
        return ", ".join(parts)


@contextmanager
def bar(title: str, folder: Path) -> Iterator[Bar]:
    """A bar while something runs that can be stopped and gone on with; counts retries, too.

    A run whose budget is spent ends here, with exit code `BUDGET`.
    """
    from unspoken.agents.base import RunOver

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
    except RunOver as over:
        print(
            f"stopped: {over}; {shown.done} of {shown.total} are done, and the same command with "
            f"--out {folder} and a higher limit goes on from here"
        )
        raise typer.Exit(BUDGET) from None
    finally:
        if shown.progress.live.is_started:
            shown.progress.stop()
        client.removeHandler(retries)


def print_end(folder: Path, summary: Tournament | Sneak) -> None:
    """The tables of a run, and what went wrong in it."""
    print_tables(summary.tables, as_json=False)
    for name, count in summary.fallbacks.items():
        print(f"{count} fallbacks: {name} gave nothing readable")
    for reason, count in summary.failures.items():
        print(f"{count} void: {reason}")
    print(f"{folder}: run.sqlite (every move), results.json, report.md")
