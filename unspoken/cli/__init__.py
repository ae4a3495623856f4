"""The command `unspoken`. Heavy modules are imported by the subcommand that needs them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import unspoken
from unspoken.cli import (
    export,
    judge,
    measure,
    power,
    replay,
    reproduce,
    sda,
    sneak,
    tournament,
    train,
)

app = typer.Typer(
    help="Hidden-information dialogue games: tournaments, play, judging, measurements.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"auto_envvar_prefix": "UNSPOKEN"},
)
for command in (
    tournament.tournament,
    tournament.play,
    replay.replay,
    measure.baselines,
    measure.stats,
    measure.speed,
    train.train,
    train.curves,
    train.exploit,
    export.export,
):
    app.command()(command)
for name, group in (
    ("sneak", sneak.app),
    ("sda", sda.app),
    ("judge", judge.app),
    ("reproduce", reproduce.app),
    ("power", power.app),
):
    app.add_typer(group, name=name)


def _version(show: bool) -> None:
    if show:
        print(f"unspoken {unspoken.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            allow_from_autoenv=False,
            help="Show the version.",
        ),
    ] = False,
) -> None:
    """Hidden-information dialogue games: tournaments, play, judging, measurements."""


def main() -> None:
    """Run the command; what a user did wrong ends in one line, not in a traceback."""
    sys.path.insert(0, "")  # agents of one's own are named by import paths from here
    try:
        app()
    except (ValueError, OSError, ImportError) as error:
        sys.exit(f"unspoken: {error}")
