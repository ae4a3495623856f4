"""`unspoken sda`: Strategic Dialogue Assessment of transcripts."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import parse_qsl

import typer

from unspoken.cli.shared import AsJson, Seed, bar, print_tables

if TYPE_CHECKING:
    from unspoken.benchmarks.tables import Table

app = typer.Typer(
    help="Strategic Dialogue Assessment of annotated examinations.", no_args_is_help=True
)

Files = Annotated[list[Path], typer.Argument(help="Annotated transcripts, .csv or .jsonl.")]
WeightsText = Annotated[
    str, typer.Option("--weights", help="As rel=0.4,none=-0.5; the paper's where not given.")
]
VariantName = Annotated[
    Literal["equations", "published"],
    typer.Option("--variant", help="The paper's equations, or what its columns were made by."),
]


@app.command("score")
def score(
    files: Files,
    weights: WeightsText = "",
    variant: VariantName = "equations",
    form: Annotated[Literal["table", "csv", "json"], typer.Option("--format")] = "table",
) -> None:
    """BaT, PaT, their sums, NRBaT, net move benefit and NRA of every turn."""
    from unspoken.evaluator.sda_reference import Weights
    from unspoken.judges.sda.scorer import score_dialogues
    from unspoken.judges.sda.transcripts import read

    dialogues = [dialogue for file in files for dialogue in read(file)]
    rows = score_dialogues(dialogues, Weights.parse(weights), variant)
    if form == "json":
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    elif form == "csv":
        writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        print_tables([_scores(rows)], as_json=False)


@app.command("analyse")
def analyse(
    files: Files,
    model: Annotated[
        list[Path] | None, typer.Option(help="The same turns, annotated by a model.")
    ] = None,
    cooperative: Annotated[
        list[Path] | None, typer.Option(help="Cooperative dialogues, to compare with.")
    ] = None,
    weights: WeightsText = "",
    variant: VariantName = "equations",
    resamples: Annotated[int, typer.Option(help="Bootstrap samples.", min=1)] = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Agreement of annotators, prediction of outcomes, cooperative against adversarial."""
    from unspoken.benchmarks import sda
    from unspoken.evaluator.sda_reference import Weights
    from unspoken.judges.sda.transcripts import read

    def annotations(paths: Sequence[Path] | None) -> list[sda.Annotation]:
        dialogues = [dialogue for path in paths or () for dialogue in read(path)]
        return sda.annotate(dialogues, Weights.parse(weights), variant)

    people, models, direct = map(annotations, (files, model, cooperative))
    tables = sda.analyse(people, models, direct, resamples=resamples, seed=seed)
    print_tables(tables, as_json=as_json)


@app.command("annotate")
def annotate(
    files: Annotated[list[Path], typer.Argument(help="Transcripts; they need no labels.")],
    out: Annotated[Path, typer.Option(help="Folder; one that holds this run is gone on with.")],
    annotator: Annotated[
        str, typer.Option(help="rules, openai:MODEL, local or module:Class.")
    ] = "rules",
    style: Annotated[
        Literal["zero-shot", "few-shot", "guideline"] | None,
        typer.Option(help="How a model is asked."),
    ] = None,
    witness: Annotated[
        str, typer.Option(help="Who testifies and for what, where the files do not say.")
    ] = "",
    limit: Annotated[int | None, typer.Option(help="Only so many turns now.", min=1)] = None,
    concurrency: Annotated[int, typer.Option(help="Turns in work at once.", min=1)] = 8,
    force: Annotated[bool, typer.Option(help="Throw away what the folder holds.")] = False,
) -> None:
    """Label transcripts by rules or a model, turn by turn; kept in DIR/run.sqlite."""
    from unspoken.benchmarks import sda_annotate as run
    from unspoken.judges.sda.transcripts import Turn, read_exchanges

    found = [one for file in files for one in read_exchanges(file)]
    found = [one if one.witness else replace(one, witness=witness) for one in found]
    if style is not None:
        if "style" in dict(parse_qsl(annotator.partition("?")[2], keep_blank_values=True)):
            raise ValueError(f"--style {style}: {annotator!r} names a style too; give one of them")
        annotator += f"{'&' if '?' in annotator else '?'}style={style}"
    with bar("turns", out) as shown:
        summary = run.annotate(
            found,
            annotator,
            out,
            concurrency=concurrency,
            limit=limit,
            force=force,
            watch=lambda _, done, total: shown.set(done, total),
        )
    print_tables([run.summary_table(summary)], as_json=False)
    for why, count in Counter(why for *_, why in summary.problems).most_common():
        print(f"{count} without labels: {why}")
    turns = [turn for one in summary.incomplete for turn in one.turns]
    if not summary.complete and not any(isinstance(turn, Turn) for turn in turns):
        raise typer.Exit(1)


@app.command("compare")
def compare(
    scores: Annotated[Path, typer.Argument(help="CSV: set, model, and one column a metric.")],
    pair: Annotated[list[str], typer.Option(help="Two models, FIRST,SECOND; several times.")],
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Paired comparisons of models, as SDA compares sizes and reasoning (Tables 7 and 8)."""
    from unspoken.benchmarks.sda import comparisons, parse_pair, read_scores

    pairs = [parse_pair(text) for text in pair]
    print_tables([comparisons(read_scores(scores), pairs, seed=seed)], as_json=as_json)


def _scores(rows: Sequence[dict[str, Any]]) -> Table:
    from unspoken.benchmarks.tables import Column, Table

    text = ("dialogue", "annotator", "commitment", "outcome")
    violations = ("rel", "man", "qual", "const")
    numbers = ("bat", "pat", "sum_bat", "sum_pat", "nrbat", "net", "nra")
    columns = [
        *(Column(key, key, left=True) for key in text[:2]),
        Column("turn", "turn"),
        Column("commitment", "commitment", left=True),
        Column("violations", "violated", left=True),
        Column("outcome", "outcome", left=True),
        *(Column(key, key, "{:.3f}") for key in numbers),
    ]
    shown = [{**row, "violations": " ".join(key for key in violations if row[key])} for row in rows]
    return Table("scores", "Scores of every turn (SDA 4)", columns, shown)
