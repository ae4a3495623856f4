"""`unspoken baselines`, `unspoken speed` and `unspoken stats`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from unspoken.cli.shared import Agents, AsJson, Seed, print_tables

if TYPE_CHECKING:
    from unspoken.benchmarks.tables import Table


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
    seconds: Annotated[float, typer.Option(help="Time for each measurement.", min=0.05)] = 2.0,
) -> None:
    """Steps a second beside PettingZoo's connect_four, in one run."""
    from unspoken.benchmarks.speed import speed_table

    print_tables([speed_table(seconds)], as_json=False)


def stats(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs: one, or one of each AIDG game.")
    ],
    as_json: AsJson = False,
) -> None:
    """The tables of the AIDG paper for runs of your own, with intervals."""
    from unspoken.benchmarks.aidg import stats as run_stats

    print_tables(run_stats(*runs), as_json=as_json)
