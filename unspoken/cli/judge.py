"""`unspoken judge`: how a game reads or judges a text."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from unspoken.cli.shared import AsJson, print_tables

app = typer.Typer(
    help="How a game reads or judges a text, as one JSON object.", no_args_is_help=True
)

ArbiterSpec = Annotated[
    str, typer.Option(help="rules, openai:MODEL, local, or an import path (module:Class).")
]


@app.command("aidg_search")
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


@app.command("aidg_dialogue")
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


@app.command("cases")
def judge_cases(
    file: Annotated[
        Path,
        typer.Argument(help="JSON lines: secret, question, reply, leak (the label a person gave)."),
    ],
    arbiter: ArbiterSpec = "rules",
    as_json: AsJson = False,
) -> None:
    """Confusion, precision and recall of an arbiter on labelled exchanges."""
    from unspoken.benchmarks.arbiters import confusion_tables
    from unspoken.judges.specs import make_arbiter

    print_tables(confusion_tables(file, make_arbiter(arbiter)), as_json=as_json)
