"""Decoys that a language model writes (SNEAK appendix C): `openai:MODEL?temperature=0.7&…`.

The result is a file of categories of the user's own, which a run takes with `--categories`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from unspoken.agents.base import AgentFailure
from unspoken.agents.llm.client import run
from unspoken.agents.llm.model import LanguageModel, Sampling
from unspoken.agents.llm.prompts import Prompts
from unspoken.agents.llm.replies import visible
from unspoken.agents.specs import build
from unspoken.benchmarks.report import write_file
from unspoken.envs.registry import game
from unspoken.envs.sneak.decoys import N_DECOYS, decoy_faults
from unspoken.envs.sneak.instances import Category, load, toml

KINDS = {"openai": "unspoken.benchmarks.sneak.decoys:DecoyWriter"}
MAX_WORDS = 5
"""Words that a decoy of a model may have."""
REQUESTS = 6
"""How often a model is asked for decoys of one category."""

_SPAN = re.compile(r"<\s*decoy\s*>(.*?)<\s*/\s*decoy\s*>", re.IGNORECASE | re.DOTALL)


class DecoyWriter(LanguageModel):
    """A model that writes decoys. The key is `OPENAI_API_KEY`; it is never kept here.

    Args:
        model: the model's name on its server.
        temperature: 0 to 2. None leaves it to the server.
        settings: see `unspoken.agents.llm.model.Sampling`.

    Raises:
        ValueError: if an option is out of its range, a template is not valid, or there is neither
            a key nor a server of one's own.
    """

    def __init__(
        self,
        model: str,
        *,
        temperature: float | None = 0.7,
        **settings: Unpack[Sampling],
    ) -> None:
        super().__init__(
            model,
            f"openai:{model}",
            temperature=temperature,
            **settings,
        )
        self._templates = Prompts(self.prompts, game("sneak"), "decoys")

    def decoys(self, category: Category) -> tuple[str, ...]:
        """Five decoys for a category; its own are not looked at.

        The model is asked for more until five have been accepted.

        Raises:
            AgentFailure: if the server gives no answer, or nothing more to accept; says why.
        """
        accepted: list[str] = []
        refused: list[str] = []
        for _ in range(REQUESTS):
            info = {
                "turn": 1,
                "history": (),
                "category": category.name,
                "words": category.words,
                "accepted": accepted,
                "refused": refused,
                "wanted": 2 * (N_DECOYS - len(accepted)),
            }
            reply = run(self._ask(self._templates.conversation(info), random.random), self.sleep)
            refused = []
            for decoy in read_decoys(visible(reply.text)):
                faults = decoy_faults(
                    category.name,
                    category.words,
                    [*accepted, decoy],
                    category.wordnet,
                    max_words=MAX_WORDS,
                )
                refused += faults
                if not faults:
                    accepted.append(decoy)
                if len(accepted) == N_DECOYS:
                    return tuple(accepted)
        why = refused[-1] if refused else "the last reply held no <decoy>…</decoy>"
        raise AgentFailure(
            f"{self.name}: {len(accepted)} of {N_DECOYS} decoys for {category.name!r} after "
            f"{REQUESTS} requests ({why}); write the others yourself, or take another model"
        )


def read_decoys(text: str) -> list[str]:
    """What stands between `<decoy>` and `</decoy>`, in order, each on one line."""
    return [" ".join(decoy.split()) for decoy in _SPAN.findall(text)]


def make_writer(spec: str) -> DecoyWriter:
    """Build a writer from a spec.

    Raises:
        SpecError: if the kind, an option or a value does not exist; lists what does.
        ImportError: if the extra "llm" is not installed.
    """
    writer: DecoyWriter = build(spec, KINDS, "writer of decoys")
    return writer


def write_decoys(
    writer: DecoyWriter,
    categories: Sequence[Category],
    path: Path,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Write a file of the same categories with decoys of a model.

    The file is written after every category; one that is there is gone on with.

    Args:
        writer: the model.
        categories: whose decoys are to be written.
        path: the file.
        watch: told how many categories are done, and of how many.

    Raises:
        AgentFailure: if the model gives too few decoys for a category.
        SneakDataError: if the file that is there cannot be read.
    """
    held = {c.name: c for c in load(path)} if path.exists() else {}
    made = {
        c.name: held[c.name]
        for c in categories
        if c.name in held and replace(held[c.name], decoys=c.decoys) == c
    }
    watch(len(made), len(categories))
    for category in categories:
        if category.name not in made:
            made[category.name] = replace(category, decoys=writer.decoys(category))
            write_file(path, toml([made[c.name] for c in categories if c.name in made]))
            watch(len(made), len(categories))
