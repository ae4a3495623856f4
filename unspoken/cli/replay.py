"""`unspoken replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unspoken.cli.shared import bar

SHOWN = 10
"""Differences that are printed."""


def replay(
    run: Annotated[Path, typer.Argument(help="Folder of a tournament or of `unspoken sneak`.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder to keep the second run in. Default: nowhere.")
    ] = None,
) -> None:
    """Play a run again from its record, offline and without a key: is it the same to the byte?"""
    from unspoken.benchmarks.replay import replay as play_again

    with bar("replay", run) as shown:
        found = play_again(run, out, watch=shown.set)
    held = f"{found.played} {found.what}, {found.requests} recorded requests"
    if not found.different:
        print(f"{run}: {held}; all the same to the byte")
        return
    for place, difference in list(found.different.items())[:SHOWN]:
        print(f"{found.what[:-1]} {place}: {difference}")
    print(
        f"{run}: {held}; {len(found.different)} differ (made with unspoken {found.version}; first "
        f"{min(SHOWN, len(found.different))} shown: recorded was replayed)"
    )
    raise typer.Exit(1)
