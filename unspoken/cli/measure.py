"""`unspoken baselines`, `unspoken speed` and `unspoken stats`."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from unspoken.cli.shared import Agents, AsJson, Seed, print_tables

if TYPE_CHECKING:
    from unspoken.benchmarks.tables import Table


class Section(StrEnum):
    """A part of `unspoken speed`; see `unspoken.benchmarks.speed.speed_tables`."""

    GAMES = "games"
    PEERS = "peers"
    KERNELS = "kernels"
    GROWTH = "growth"
    SCALING = "scaling"
    THREADS = "threads"
    STARTUP = "startup"


def baselines(
    game: Annotated[
        Literal["aidg_search", "chameleon"], typer.Argument(help="The game.")
    ] = "aidg_search",
    agent: Agents = None,
    games: Annotated[int, typer.Option(help="Games each.", min=2)] = 2000,
    seed: Seed = 0,
) -> None:
    """What agents reach in the same games: seekers of aidg_search, honest sides of chameleon.

    Seekers meet the truthful holder; perfect play with certain answers, solved exactly, and a bound
    of what is possible stand beside them. Honest sides meet chameleons some of which have tells, in
    a league in which everybody is known by name.
    """
    from rich.console import Console
    from rich.progress import Progress

    from unspoken.benchmarks.baselines import seekers
    from unspoken.benchmarks.chameleon import honest_league
    from unspoken.envs.registry import game as find

    measures: dict[str, tuple[list[str], Callable[..., Table]]] = {
        "aidg_search": (["greedy", "lookahead", "rules", "random"], seekers),
        "chameleon": (["rules", "rsa", "reputation"], honest_league),
    }
    usual, measure = measures[game]
    names = agent or usual
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("games", total=len(names) * games)
        table = measure(
            find(game), names, games=games, seed=seed, watch=lambda: progress.advance(task)
        )
    tables = [table]
    if game == "aidg_search":
        from unspoken.benchmarks.exact import exact_table

        tables.append(exact_table())
    print_tables(tables, as_json=False)


def speed(
    only: Annotated[
        list[Section] | None, typer.Option(help="A part of it; give it again for more.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Time for each measurement.", min=0.05)] = 1.0,
    as_json: AsJson = False,
) -> None:
    """How fast games, kernels and start-up are, beside peers and limits, in one run."""
    from unspoken.benchmarks.speed import speed_tables

    tables: list[Table] = []
    for section in only or Section:
        typer.echo(f"measuring {section} …", err=True)
        try:
            found, missing = speed_tables(section.value, seconds)
        except ImportError as error:  # the other parts need no extra
            found, missing = (), [str(error)]
        for line in missing:
            typer.echo(line, err=True)
        tables += found
        if not as_json:
            print_tables(found, as_json=False)
    if as_json:
        print_tables(tables, as_json=True)


def stats(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs: one, or one of each AIDG game.")
    ],
    as_json: AsJson = False,
) -> None:
    """The tables of the AIDG paper for runs of your own, with intervals."""
    from unspoken.benchmarks.aidg import stats as run_stats

    print_tables(run_stats(*runs), as_json=as_json)
