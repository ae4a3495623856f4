"""`unspoken reproduce`: a paper's figures, recomputed from what it published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unspoken.cli.shared import AsJson, print_tables

app = typer.Typer(
    help="A paper's figures, recomputed from what it published.", no_args_is_help=True
)


@app.command("aidg")
def reproduce_aidg(
    as_json: AsJson = False,
) -> None:
    """Every figure of AIDG that follows from its published counts and ratings."""
    from unspoken.benchmarks.aidg_reproduce import reproduce

    print_tables([reproduce()], as_json=as_json)


@app.command("sneak")
def reproduce_sneak(as_json: AsJson = False) -> None:
    """Every figure of SNEAK that follows from its published tables."""
    from unspoken.benchmarks.sneak.reproduce import reproduce

    print_tables([reproduce()], as_json=as_json)


@app.command("sda")
def reproduce_sda(
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of the published annotations (CPD).", envvar="UNSPOKEN_CPD"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Every figure of SDA that follows from its published annotations and tables."""
    from unspoken.benchmarks.sda_reproduce import reproduce

    print_tables([reproduce(data)], as_json=as_json)
