"""An arbiter that is a language model: `openai:MODEL?timeout=60&…`."""

from __future__ import annotations

import logging
import math
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

from unspoken.agents.base import AgentFailure
from unspoken.agents.llm.client import Steps, run
from unspoken.agents.llm.model import RETURNED, LanguageModel, Sampling
from unspoken.agents.llm.prompts import Prompts
from unspoken.agents.llm.replies import clean, objects, visible
from unspoken.envs.aidg_dialogue.secrets import Secret
from unspoken.envs.base import Message
from unspoken.envs.registry import game
from unspoken.judges.base import CATEGORIES, Category, Verdict
from unspoken.judges.rule_based import RuleBasedArbiter

log = logging.getLogger(__name__)

FORMAT = {
    "type": "json_schema",
    "json_schema": {
        "name": "verdict",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {
                "category": {"type": "string", "enum": list(CATEGORIES)},
                "confidence": {"type": "number"},
                "evidence": {"type": "string"},
            },
            "required": ["category", "confidence", "evidence"],
            "additionalProperties": False,
        },
    },
}
"""The `response_format` that servers are asked for."""

UNSURE = 0.5
"""Confidence of a verdict that gives none."""

_ROLE = "arbiter"
_READ = 20_000
_STEMS: dict[str, Category] = {
    "no": "none",
    "safe": "none",
    "explicit": "explicit",
    "disclos": "explicit",
    "confirm": "confirmational",
    "paraphras": "paraphrase",
    "semantic": "paraphrase",
    "impli": "implicit",
    "admi": "implicit",
}
_BRACKETS = str.maketrans("<>", "()")
_LINE = re.compile(r"^\W*category\W+([^\n,;\"'}]+)", re.IGNORECASE | re.MULTILINE)
_SURE = re.compile(r"\bconfidence\W+([\d.]+\s*%?)", re.IGNORECASE)


class LLMArbiter(LanguageModel):
    """An `Arbiter` that asks a language model.

    A reply that holds no verdict is put to the model once more. If there is no verdict then
    either, or the server does not answer, the rule-based arbiter judges instead (`last_source`,
    `fallbacks`, a warning in the log, and `fallback` in the trace). The key is `OPENAI_API_KEY`;
    it is never kept in the arbiter.

    Args:
        model: the model's name on its server.
        name: for reports; "openai:MODEL" by default.
        temperature: 0 to 2; 0.01 as in AIDG 4.2. None leaves it to the server.
        structured: whether the server is asked to hold the model to the form of a verdict; once
            it refuses that, it is not asked again.
        settings: see `unspoken.agents.llm.model.Sampling`.

    Attributes:
        last_source: who gave the last verdict: "model" or "rules"; "" before the first.
        fallbacks: how many verdicts the rules have given.

    Raises:
        ValueError: if an option is out of its range, a template is not valid, or there is neither
            a key nor a server of one's own.
    """

    def __init__(
        self,
        model: str,
        name: str | None = None,
        *,
        temperature: float | None = 0.01,
        structured: bool = True,
        **settings: Unpack[Sampling],
    ) -> None:
        super().__init__(
            model,
            name or f"openai:{model}",
            temperature=temperature,
            **settings,
        )
        self.last_source: Literal["", "model", "rules"] = ""
        self.fallbacks = 0
        self._forms = [FORMAT] if structured else []
        self._rules = RuleBasedArbiter()
        self._templates()

    def judge(self, secret: Secret, history: Sequence[Message], reply: str) -> Verdict:
        """Whether the reply gives the secret away; see `Arbiter.judge`.

        Raises:
            AgentFailure: if a template of the user's own fails; says where.
        """
        messages = self._templates().conversation(
            {
                "turn": history[-1].turn if history else 1,
                "history": [m._replace(role=inert(m.role), text=inert(m.text)) for m in history],
                "secret": inert(secret.text),
                "paraphrases": [inert(text) for text in secret.paraphrases],
                "reply": inert(reply),
            }
        )
        try:
            verdict = run(self._verdict(messages), self.sleep)
        except AgentFailure as failure:
            problem = str(failure)
        else:
            if verdict is not None:
                self.last_source = "model"
                return verdict
            problem = f"{self.name}: gave no verdict that can be read"
        self.last_source = "rules"
        self.fallbacks += 1
        self._trace[-1]["fallback"] = True
        log.warning("%s; the rule-based arbiter judges instead", problem)
        return self._rules.judge(secret, history, reply)

    def _templates(self) -> Prompts:
        # made anew, since templates cannot be copied or pickled; jinja keeps what it has read
        prompts = Prompts(self.prompts, game("aidg_dialogue"), _ROLE)
        self.prompts_version = prompts.version
        return prompts

    def _verdict(self, messages: list[dict[str, str]]) -> Steps[Verdict | None]:
        for _ in range(2):
            reply = yield from self._ask_in_form(messages, random.random, self._forms)
            text = visible(reply.text)
            verdict = read_verdict(text)
            if verdict is not None:
                return verdict
            self._trace[-1]["unreadable"] = True
            cut = " It was cut off: be shorter." if reply.finish_reason == "length" else ""
            problem = f"That was not one verdict that can be read.{cut}"
            messages = messages + self._templates().unreadable(text[:RETURNED], problem)
        return None


def inert(text: str) -> str:
    """A player's text as it can stand in a prompt: one line that opens and closes no tag."""
    return " ".join(text.split()).translate(_BRACKETS)


def read_verdict(text: str) -> Verdict | None:
    """The verdict in a model's reply.

    Args:
        text: JSON, with or without words around it, or lines like "Category: none".

    Returns:
        None if there is no verdict, or several that do not agree.
    """
    text = text[-_READ:]
    labelled = [fields for fields in objects(text) if "category" in fields]
    if not labelled:
        sure = _SURE.search(text)
        confidence = sure[1] if sure else None
        lines = _LINE.finditer(text)
        labelled = [{"category": line[1], "confidence": confidence} for line in lines]
    found = [verdict for fields in labelled if (verdict := _of_fields(fields))]
    return found[-1] if len({verdict.category for verdict in found}) == 1 else None


def _of_fields(fields: Mapping[str, Any]) -> Verdict | None:
    category = _category(fields.get("category"))
    if category is None:
        return None
    evidence = fields.get("evidence")
    quoted = isinstance(evidence, str) and category != "none"
    return Verdict(
        category,
        _confidence(fields.get("confidence")),
        clean(" ".join(str(evidence).split())) if quoted else "",
    )


def _category(label: Any) -> Category | None:
    """The one category that a label names, in the paper's words or others; None if not one."""
    words = re.findall(r"[a-z]+", label.lower()) if isinstance(label, str) else []
    named = {c for word in words for stem, c in _STEMS.items() if word.startswith(stem)}
    return named.pop() if len(named) == 1 else None


def _confidence(value: Any) -> float:
    """A number from 0 to 1; percent are understood."""
    text = str(value).strip()
    try:
        number = float(text.rstrip("% "))
    except ValueError:
        return UNSURE
    if text.endswith("%") or number > 1:
        number /= 100
    return UNSURE if math.isnan(number) else min(max(number, 0.0), 1.0)
