"""`unspoken sneak`: the SNEAK benchmark and the paper's further studies."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unspoken.cli.shared import (
    AsJson,
    Cache,
    MaxConnections,
    MaxCost,
    MaxTokens,
    ModelArgs,
    ModelFile,
    PriceFile,
    Seed,
    bar,
    models_of,
    print_end,
    print_tables,
)

if TYPE_CHECKING:
    from unspoken.benchmarks.sneak.store import Message

app = typer.Typer()

Run = Annotated[Path, typer.Argument(help="Folder of a run of the benchmark.")]
Speakers = Annotated[
    list[str] | None,
    typer.Option("--agent", "-a", help="A speaker; give it several times. Default: built-ins."),
]
Evaluators = Annotated[
    list[str] | None,
    typer.Option(
        "--evaluator", "-e", help="A listener; give it several times. Default: embedding, rsa."
    ),
]
Categories = Annotated[
    Path | None, typer.Option(help="Your own file of categories; the package's if not given.")
]
Again = Annotated[
    bool, typer.Option("--again", help="Also do again what failed: void messages, evaluations.")
]
Concurrency = Annotated[
    int | None,
    typer.Option(help="Messages in work at once. Default: as --max-connections, or 8.", min=1),
]


@app.callback(invoke_without_command=True)
def benchmark(
    context: typer.Context,
    agent: Speakers = None,
    evaluator: Evaluators = None,
    limit: Annotated[
        int | None, typer.Option(help="Only so many instances now, spread over the categories.")
    ] = None,
    per_category: Annotated[
        int | None, typer.Option(help="Only so many instances of each category now.")
    ] = None,
    categories: Categories = None,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the run; one that holds this run already is gone on with."),
    ] = None,
    force: Annotated[bool, typer.Option(help="Throw away what the folder holds.")] = False,
    again: Again = False,
    concurrency: Concurrency = None,
    max_connections: MaxConnections = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    prices: PriceFile = None,
    models: ModelFile = None,
    model_args: ModelArgs = None,
    cache: Cache = None,
) -> None:
    """The SNEAK benchmark: messages of every agent, and what evaluators make of them.

    A run that --max-cost or --max-tokens stopped ends with exit code 3; the same command goes on.
    """
    if context.invoked_subcommand is not None:
        return
    from unspoken.benchmarks.running import Running
    from unspoken.benchmarks.sneak import report, run

    folder = out or Path("runs") / datetime.now().strftime("%Y%m%d-%H%M%S")
    plan = run.plan(
        agent or run.SPEAKERS,
        evaluator or run.EVALUATORS,
        seed=seed,
        limit=limit,
        per_category=per_category,
        categories=categories,
        models=models_of(models, model_args),
    )
    running = Running(
        concurrency=concurrency,
        force=force,
        again=again,
        max_connections=max_connections,
        max_cost=max_cost,
        max_tokens=max_tokens,
        prices=prices,
        cache=cache,
    )
    with bar("sneak", folder) as shown:

        def watch(last: Message | None, done: int, total: int) -> None:
            if last is None and done:
                going = f"going on with {folder}: {done} of {total} messages are done"
                shown.progress.console.print(going)
            elif last is not None and any(e.reason for e in last.evaluations.values()):
                shown.note("unevaluated")
            elif last is not None and last.fault:
                shown.note("void" if last.fault == "void" else "refused")
            shown.set(done, total)

        redone = run.carry_out(plan, folder, running, watch)
    summary = report.write(folder)
    print_end(folder, summary)
    for reason, count in summary.unevaluated.items():
        print(f"{count} evaluations missing: {reason}")
    if again:
        print(f"done again: {redone} messages of which something had failed")
    elif summary.failures or summary.unevaluated:
        print(f"the same command with --out {folder} --again does again what failed")


@app.command("stats")
def stats(run: Run, as_json: AsJson = False) -> None:
    """Agreement of the evaluators, and how the words' similarity matters (4.1, 4.2)."""
    from unspoken.benchmarks.sneak import report

    print_tables(report.stats(run), as_json=as_json)


@app.command("sweep")
def sweep(
    run: Run,
    words: Annotated[
        list[int] | None, typer.Option(help="A number of words; several times. Default: 4 6 8 10.")
    ] = None,
    decoys: Annotated[
        list[int] | None, typer.Option(help="A number of decoys; several times. Default: 1 to 5.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Only so many instances now, the first of the run.")
    ] = None,
    again: Again = False,
    concurrency: Concurrency = None,
    max_connections: MaxConnections = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    prices: PriceFile = None,
    cache: Cache = None,
    plot: Annotated[
        Path | None, typer.Option(help="Also draw heat maps into this file, .png or .svg.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The messages of a run in instances with fewer words and decoys (4.3, E.4)."""
    from unspoken.benchmarks.running import Running
    from unspoken.benchmarks.sneak import sweep as sweeping

    running = Running(
        concurrency=concurrency,
        again=again,
        max_connections=max_connections,
        max_cost=max_cost,
        max_tokens=max_tokens,
        prices=prices,
        cache=cache,
    )
    with bar("sweep", run) as shown:
        sweeping.sweep(
            run,
            words=words or sweeping.WORDS,
            decoys=decoys or sweeping.DECOYS,
            limit=limit,
            running=running,
            watch=shown.set,
        )
    print_tables(sweeping.sweep_tables(run), as_json=as_json)
    if plot is not None:
        sweeping.plot(run, plot)


@app.command("human")
def human(
    answers: Annotated[
        Path,
        typer.Argument(
            help="CSV: task (ally, chameleon, speaker), instance (category/secret), message, "
            "worker, answer, and options (parted by |) where others were shown."
        ),
    ],
    evaluator: Evaluators = None,
    categories: Categories = None,
    concurrency: Annotated[int, typer.Option(help="Questions in work at once.", min=1)] = 8,
    as_json: AsJson = False,
) -> None:
    """People's answers: accuracy, agreement, and evaluators beside them (4.1, B)."""
    from unspoken.benchmarks.sneak.human import human_tables, read_answers
    from unspoken.benchmarks.sneak.run import EVALUATORS
    from unspoken.envs.sneak.instances import DEFAULT, instances, load
    from unspoken.judges.listeners.specs import make_listener

    found = read_answers(answers, instances(load(categories or DEFAULT)))
    listeners = {name: make_listener(name) for name in evaluator or EVALUATORS}
    print_tables(human_tables(found, listeners, concurrency=concurrency), as_json=as_json)


@app.command("decoys")
def decoys(
    model: Annotated[str, typer.Argument(help="The model that writes them, openai:MODEL?…")],
    out: Annotated[
        Path, typer.Option(help="File of categories to write; one that is there is gone on with.")
    ],
    categories: Categories = None,
) -> None:
    """Decoys by a language model, as a file for --categories (appendix C)."""
    from unspoken.agents.base import AgentFailure
    from unspoken.benchmarks.sneak.decoys import make_writer, write_decoys
    from unspoken.envs.sneak.instances import DEFAULT, load

    writer = make_writer(model)
    try:
        with bar("decoys", out) as shown:
            write_decoys(writer, load(categories or DEFAULT), out, watch=shown.set)
    except AgentFailure as error:
        raise ValueError(str(error)) from error


@app.command("import")
def import_norms(
    norms: Annotated[Path, typer.Argument(help="CSV: category, exemplar and frequency columns.")],
    out: Annotated[Path, typer.Option(help="File of categories to write.")],
) -> None:
    """The published category norms as a file for --categories: the paper's own word sets."""
    from unspoken.envs.sneak.norms import import_norms

    categories, left_out = import_norms(norms, out)
    for reason in left_out:
        print(f"left out: {reason}")
    words = sum(len(category.words) for category in categories)
    print(f"{out}: {len(categories)} categories, {words} instances")
