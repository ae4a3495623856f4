"""`unspoken tournament` and `unspoken play`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unspoken.cli.shared import (
    Agents,
    Bar,
    Cache,
    MaxConnections,
    MaxCost,
    MaxTokens,
    ModelArgs,
    ModelFile,
    Options,
    PriceFile,
    Seed,
    bar,
    models_of,
    options_of,
    print_end,
)

if TYPE_CHECKING:
    from unspoken.benchmarks.running import Running
    from unspoken.benchmarks.store import Game
    from unspoken.benchmarks.tournament import Plan


def tournament(
    game: Annotated[str | None, typer.Option(help="Which game; every game if not given.")] = None,
    agent: Agents = None,
    rounds: Annotated[int, typer.Option(help="Repetitions of the design.", min=1)] = 5,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the run; one that holds this run already is gone on with."),
    ] = None,
    option: Options = None,
    paired: Annotated[
        bool | None,
        typer.Option(help="Same secret for both seatings of a pair. Default: as the game has it."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Play only so many games now, the first of the schedule.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Throw away what the folder holds.")] = False,
    executor: Annotated[
        str, typer.Option(help="Where games are played: local, or ray (extra `ray`).")
    ] = "local",
    concurrency: Annotated[
        int | None,
        typer.Option(
            help="Games in play at once; local only. Default: as --max-connections, or 8.", min=1
        ),
    ] = None,
    game_timeout: Annotated[
        float | None, typer.Option(help="Seconds a game may take; it is void after that.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Play void games again; what they were is kept apart.")
    ] = False,
    max_connections: MaxConnections = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    prices: PriceFile = None,
    models: ModelFile = None,
    model_args: ModelArgs = None,
    cache: Cache = None,
) -> None:
    """Every seeker against every holder, rated by dual Elo, kept in DIR/run.sqlite.

    A run that --max-cost or --max-tokens stopped ends with exit code 3; the same command goes on.
    """
    from unspoken.agents.base import RunOver
    from unspoken.agents.specs import defaults
    from unspoken.benchmarks import report, tournament
    from unspoken.benchmarks.running import Running
    from unspoken.envs.registry import game as find
    from unspoken.envs.registry import games

    given = options_of(option)
    specs = [s.with_options(**given) for s in ([find(game)] if game else games().values())]
    usual = {spec.name: ([], "") if agent else defaults(spec) for spec in specs}
    for line in dict.fromkeys(line for _, line in usual.values() if line):
        print(line)
    folder = out or Path("runs") / datetime.now().strftime("%Y%m%d-%H%M%S")
    found = models_of(models, model_args)
    plans = [
        tournament.plan(
            spec,
            agent or usual[spec.name][0],
            rounds=rounds,
            seed=seed,
            paired=paired,
            limit=limit,
            game_timeout=game_timeout,
            models=found,
        )
        for spec in specs
    ]
    running = Running(
        executor=executor,
        concurrency=concurrency,
        force=force,
        again=again,
        max_connections=max_connections,
        max_cost=max_cost,
        max_tokens=max_tokens,
        prices=prices,
        cache=cache,
    )
    for number, plan in enumerate(plans):
        place = folder / plan.spec.name if len(plans) > 1 else folder
        with bar(plan.spec.id, folder) as shown:
            if number and 0 in (running.max_cost, running.max_tokens):
                raise RunOver("the games before have spent the budget")
            _carry_out(plan, place, running, shown)
        summary = report.write(place)
        print_end(place, summary)
        if summary.again:
            print(f"{summary.again} void games were played again; run.sqlite keeps what they were")
        if summary.failures:
            print(f"the same command with --out {folder} --again plays void games again")
        running = running.after(summary.spent)


def _carry_out(plan: Plan, folder: Path, running: Running, shown: Bar) -> None:
    from unspoken.benchmarks import tournament

    def watch(last: Game | None, done: int, total: int) -> None:
        if last is None and done:
            going = f"going on with {folder}: {done} of {total} games are done"
            shown.progress.console.print(going)
        elif last is not None and last.result.winner is None:
            shown.note("void")
        shown.set(done, total)

    tournament.carry_out(plan, folder, running, watch)


def play(
    game: Annotated[str, typer.Argument(help="The game, for example aidg_search.")],
    role: Annotated[str, typer.Option("--as", help="Your role.")] = "seeker",
    against: Annotated[str | None, typer.Option(help="Who has the other roles.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed; otherwise each game is new.")] = None,
    option: Options = None,
) -> None:
    """Play against agents in the terminal."""
    from unspoken.agents.human import play as play_in_terminal
    from unspoken.agents.specs import OPPONENTS
    from unspoken.envs.registry import game as find

    spec = find(game).with_options(utterances="free", **options_of(option))
    usual = OPPONENTS.get(spec.name, {})
    others = {other: against or usual.get(other, "random") for other in spec.roles}
    play_in_terminal(spec, role, others, seed)
