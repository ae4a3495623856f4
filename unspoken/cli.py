"""The command `unspoken`. Heavy modules are imported by the subcommand that needs them."""

from __future__ import annotations

import json
import logging
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import unspoken

if TYPE_CHECKING:
    from unspoken.benchmarks.store import Game
    from unspoken.benchmarks.tables import Table
    from unspoken.benchmarks.tournament import Plan

app = typer.Typer(
    help="Hidden-information dialogue games: tournaments, play, judging, measurements.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

judges = typer.Typer(
    help="How a game reads or judges a text, as one JSON object.", no_args_is_help=True
)
app.add_typer(judges, name="judge")
reproductions = typer.Typer(
    help="A paper's figures, recomputed from what it published.", no_args_is_help=True
)
app.add_typer(reproductions, name="reproduce")
powers = typer.Typer(
    help="How many games a wanted precision takes (95% intervals).", no_args_is_help=True
)
app.add_typer(powers, name="power")

Agents = Annotated[
    list[str] | None,
    typer.Option("--agent", "-a", help="Who plays; give it several times. Default: built-ins."),
]
ArbiterSpec = Annotated[
    str, typer.Option(help="rules, openai:MODEL, or an import path (module:Class).")
]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", help="Option of the game, KEY=VALUE (JSON or a word)."),
]
Seed = Annotated[int, typer.Option(help="Seed of everything.", envvar="UNSPOKEN_SEED")]


def _version(show: bool) -> None:
    if show:
        print(f"unspoken {unspoken.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Hidden-information dialogue games: tournaments, play, judging, measurements."""


@app.command()
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
    concurrency: Annotated[int, typer.Option(help="Games in play at once.", min=1)] = 8,
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
            spec.with_options(**_options(option)),
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
        _carry_out(plan, place, concurrency=concurrency, force=force)


def _options(pairs: list[str] | None) -> dict[str, Any]:
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


def _carry_out(plan: Plan, folder: Path, *, concurrency: int, force: bool) -> None:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from unspoken.benchmarks import report, tournament
    from unspoken.benchmarks.tables import show

    console = Console()
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    counts = Counter[str]()

    def note(what: str) -> None:
        counts[what] += 1
        text = ", ".join(f"{n} {name}" for name, n in counts.items())
        progress.update(progress.task_ids[-1], note=text)

    def watch(last: Game | None, done: int, total: int) -> None:
        if last is None:
            progress.add_task(plan.spec.id, total=total, completed=done, note="")
            if done:
                progress.console.print(f"going on with {folder}: {done} of {total} games are done")
            return
        if last.result.winner is None:
            note("void")
        progress.update(progress.task_ids[-1], completed=done)

    class Retries(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            note("retries")

    client = logging.getLogger("unspoken.agents.llm.client")
    client.setLevel(logging.INFO)
    retries = Retries()
    client.addHandler(retries)
    try:
        with progress:
            tournament.carry_out(plan, folder, concurrency=concurrency, force=force, watch=watch)
    except KeyboardInterrupt:
        console.print(f"stopped; the same command with --out {folder} goes on from here")
        raise typer.Exit(130) from None
    finally:
        client.removeHandler(retries)
    summary = report.write(folder)
    show(summary.tables)
    for name, count in summary.fallbacks.items():
        console.print(f"{count} fallbacks: {name} gave nothing readable")
    for reason, count in summary.failures.items():
        console.print(f"{count} void: {reason}")
    console.print(f"{folder}: run.sqlite (every move), results.json, report.md")


@judges.command("aidg_search")
def judge_aidg_search(
    text: Annotated[str, typer.Argument(help="What a seeker said; - reads standard input.")],
    final: Annotated[bool, typer.Option(help="Read it as the forced final guess.")] = False,
) -> None:
    """What a seeker's text is: question, lock, direct guess, open question or invalid."""
    from unspoken.envs.aidg_search.interpreter import interpreter

    reading = interpreter().read(sys.stdin.read() if text == "-" else text, final=final)
    fields = {"move": reading.move, "word": reading.word or None}
    fields |= {"question": reading.question or None, "why": reading.why}
    print(json.dumps(fields, ensure_ascii=False))


@judges.command("aidg_dialogue")
def judge_aidg_dialogue(
    secret: Annotated[str, typer.Option(help="The secret: an id or a text of the file, or any.")],
    reply: Annotated[str, typer.Option(help="What the holder said.")],
    question: Annotated[str, typer.Option(help="What the seeker had said.")] = "",
    secrets: Annotated[
        Path | None, typer.Option(help="Your own file of secrets; the package's if not given.")
    ] = None,
    arbiter: ArbiterSpec = "rules",
) -> None:
    """Whether a holder's reply leaks the secret, and by which words."""
    from unspoken.envs.aidg_dialogue.secrets import DEFAULT, find
    from unspoken.envs.base import Message
    from unspoken.judges.specs import make_arbiter

    history = (Message(1, "seeker", question, "open", -1),) if question else ()
    verdict = make_arbiter(arbiter).judge(find(secret, secrets or DEFAULT), history, reply)
    fields = {"leak": verdict.category, "evidence": verdict.evidence}
    print(json.dumps(fields | {"confidence": verdict.confidence}, ensure_ascii=False))


@judges.command("cases")
def judge_cases(
    file: Annotated[
        Path,
        typer.Argument(help="JSON lines: secret, question, reply, leak (the label a person gave)."),
    ],
    arbiter: ArbiterSpec = "rules",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Confusion, precision and recall of an arbiter on labelled exchanges."""
    from unspoken.benchmarks.arbiters import confusion_tables
    from unspoken.judges.specs import make_arbiter

    _show(confusion_tables(file, make_arbiter(arbiter)), as_json=as_json)


@app.command()
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

    spec = find(game).with_options(utterances="free", **_options(option))
    usual = OPPONENTS.get(spec.name, {})
    others = {other: against or usual.get(other, "random") for other in spec.roles}
    play_in_terminal(spec, role, others, seed)


@app.command()
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
    _show([table], as_json=False)


@app.command()
def speed(
    seconds: Annotated[float, typer.Option(help="Time for each measurement.", min=0.05)] = 2.0,
) -> None:
    """Steps a second beside PettingZoo's connect_four, in one run."""
    from unspoken.benchmarks.speed import speed_table

    _show([speed_table(seconds)], as_json=False)


@reproductions.command("aidg")
def reproduce_aidg(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Every figure of AIDG that follows from its published counts and ratings."""
    from unspoken.benchmarks.aidg_reproduce import reproduce

    _show([reproduce()], as_json=as_json)


@app.command()
def stats(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs: one, or one of each AIDG game.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """The tables of the AIDG paper for runs of your own, with intervals."""
    from unspoken.benchmarks.aidg import stats as run_stats

    _show(run_stats(*runs), as_json=as_json)


Rate = Annotated[float, typer.Option(help="Expected win rate, 0 to 1.")]
HalfWidth = Annotated[float, typer.Option(help="Wanted half width of the interval.")]
Correlation = Annotated[
    float | None,
    typer.Option(help="Correlation of the scores in a pair of games, for a paired design."),
]


@powers.command("rate")
def power_rate(rate: Rate = 0.5, half_width: HalfWidth = 0.05) -> None:
    """Games for the interval of one win rate (Wilson)."""
    from unspoken.rating.power import games_for_rate

    print(games_for_rate(rate, half_width))


@powers.command("difference")
def power_difference(
    first: Rate,
    second: Rate,
    half_width: Annotated[
        float | None, typer.Option(help="Wanted half width; otherwise 80% power to detect it.")
    ] = None,
    correlation: Correlation = None,
) -> None:
    """Games of each agent for the difference of two win rates, or to detect it."""
    from unspoken.rating.power import games_for_difference, games_to_detect

    if half_width is None:
        print(games_to_detect(first, second, correlation=correlation))
    else:
        print(games_for_difference(first, second, half_width, correlation=correlation))


@powers.command("gap")
def power_gap(
    gap: Annotated[float, typer.Option(help="Expected V - C, in Elo points.")] = 0.0,
    half_width: Annotated[float, typer.Option(help="Wanted half width, in Elo points.")] = 50.0,
) -> None:
    """Games of a seeker and a holder for the interval of their Elo gap."""
    from unspoken.rating.power import games_for_elo_gap

    print(games_for_elo_gap(gap, half_width))


def _show(tables: Sequence[Table], *, as_json: bool) -> None:
    from unspoken.benchmarks.tables import show

    if as_json:
        print(json.dumps({table.key: table.json() for table in tables}, indent=2))
    else:
        show(tables)


def main() -> None:
    """Run the command; what a user did wrong ends in one line, not in a traceback."""
    sys.path.insert(0, "")  # agents of one's own are named by import paths from here
    try:
        app()
    except (ValueError, OSError, ImportError) as error:
        sys.exit(f"unspoken: {error}")
