"""`unspoken tournament` and `unspoken play`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unspoken.cli.shared import Agents, Options, Seed, bar, options_of, print_end

if TYPE_CHECKING:
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
        int | None, typer.Option(help="Games in play at once; local only. Default: 8.", min=1)
    ] = None,
) -> None:
    """Every seeker against every holder, rated by dual Elo, kept in DIR/run.sqlite."""
    from unspoken.agents.specs import DEFAULTS
    from unspoken.benchmarks import tournament
    from unspoken.envs.registry import game as find
    from unspoken.envs.registry import games

    specs = [find(game)] if game else list(games().values())
    folder = out or Path("runs") / datetime.now().strftime("%Y%m%d-%H%M%S")
    plans = [
        tournament.plan(
            spec.with_options(**options_of(option)),
            agent or list(DEFAULTS.get(spec.name, ("random",))),
            rounds=rounds,
            seed=seed,
            paired=paired,
            limit=limit,
        )
        for spec in specs
    ]
    for plan in plans:
        place = folder / plan.spec.name if len(plans) > 1 else folder
        _carry_out(plan, place, executor=executor, concurrency=concurrency, force=force)


def _carry_out(plan: Plan, folder: Path, **settings: Any) -> None:
    from unspoken.benchmarks import report, tournament

    with bar(plan.spec.id, folder) as shown:

        def watch(last: Game | None, done: int, total: int) -> None:
            if last is None and done:
                going = f"going on with {folder}: {done} of {total} games are done"
                shown.progress.console.print(going)
            elif last is not None and last.result.winner is None:
                shown.note("void")
            shown.set(done, total)

        tournament.carry_out(plan, folder, watch=watch, **settings)
    summary = report.write(folder)
    print_end(folder, summary.tables, summary.fallbacks, summary.failures)


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
