"""`unspoken export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    run: Annotated[Path, typer.Argument(help="Folder of a tournament of one game, or of `sneak`.")],
    to: Annotated[
        str,
        typer.Option(help="jsonl (chats, for training), inspect (a log), or parquet (tables)."),
    ],
    out: Annotated[Path, typer.Option(help="File to write, or a folder for it.")],
    each: Annotated[
        str,
        typer.Option(
            help="A line of jsonl: player (a game as a player had it), or request (and its reply)."
        ),
    ] = "player",
    force: Annotated[bool, typer.Option(help="Write over what is there.")] = False,
) -> None:
    """A run for other tools: chats for trainers, a log for inspect, tables for datasets.

    What was hidden is in the files, but never in the chat of a player that was not told it.
    """
    from unspoken.benchmarks.export import export as write

    made = write(run, to, out, each=each, force=force)
    wrote = ", ".join(f"{count} {name}" for name, count in made.rows.items())
    print(f"{made.path}: {wrote}, of {made.done} {made.what}")
    if made.missing is None:
        print(f"how many {made.what} the run still lacks cannot be told here")
    elif made.missing:
        print(f"the run is not finished: {made.missing} {made.what} are missing")
    for reason, count in made.left_out.items():
        print(f"left out: {count} ({reason})")
