"""`unspoken baselines`, `unspoken speed` and `unspoken stats`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unspoken.cli.shared import Agents, AsJson, Seed, print_tables


def baselines(
    agent: Agents = None,
    games: Annotated[int, typer.Option(help="Games each.", min=1)] = 2000,
    seed: Seed = 0,
) -> None:
    """What seekers of aidg_search reach against the truthful holder, and what is possible."""
    from rich.console import Console
    from rich.progress import Progress

    from unspoken.benchmarks.baselines import seekers
    from unspoken.envs.registry import game as find

    names = agent or ["greedy", "lookahead", "rules", "random"]
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("games", total=len(names) * games)
        table = seekers(
            find("aidg_search"), names, games=games, seed=seed, watch=lambda: progress.advance(task)
        )
    print_tables([table], as_json=False)


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
