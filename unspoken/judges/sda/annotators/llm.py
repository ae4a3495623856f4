"""An annotator that is a language model: `openai:MODEL?style=few-shot&…` (SDA, section 8)."""

from __future__ import annotations

import asyncio
import copy
import logging
import random
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from unspoken.agents.base import AgentFailure
from unspoken.agents.llm.client import Steps, arun, run
from unspoken.agents.llm.model import RETURNED, LanguageModel, Sampling
from unspoken.agents.llm.prompts import DEFAULT, Prompts
from unspoken.agents.llm.replies import objects, visible
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.sda_reference import COMMITMENTS
from unspoken.judges.llm import inert
from unspoken.judges.sda.annotators.base import (
    Annotated,
    Annotator,
    Labels,
    game_label,
    game_turns,
    game_witness,
)
from unspoken.judges.sda.annotators.rules import RuleBasedAnnotator
from unspoken.judges.sda.transcripts import OUTCOMES, REASONS, Exchange

if TYPE_CHECKING:
    from unspoken.envs.base import Message
    from unspoken.envs.cross_examination.cases import Case
    from unspoken.envs.cross_examination.jury import Label
    from unspoken.envs.cross_examination.rules import Question

log = logging.getLogger(__name__)

STYLES = ("zero-shot", "few-shot", "guideline")
"""The package's styles of prompt; each is a template `sda/STYLE.jinja`."""

MAXIMS = {"relevance": "rel", "manner": "man", "quality": "qual", "consistency": "const"}
STATES = ("kept", "violated")

_ONE_OF = {"commitment": COMMITMENTS, "outcome": OUTCOMES} | dict.fromkeys(MAXIMS, STATES)
_PROPERTIES: dict[str, Any] = {
    "why": {"type": "string"},
    "commitment": {"type": "string", "enum": list(COMMITMENTS)},
    **{name: {"type": "string", "enum": list(STATES)} for name in MAXIMS},
    "contradicts": {"type": ["integer", "null"]},
    "outcome": {"type": "string", "enum": list(OUTCOMES)},
    "reasons": {"type": "array", "items": {"type": "string", "enum": list(REASONS)}},
}
SCHEMA: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "labels",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": _PROPERTIES,
            "required": list(_PROPERTIES),
            "additionalProperties": False,
        },
    },
}
"""The `response_format` that servers are asked for first."""
FORMATS: tuple[dict[str, Any] | None, ...] = (SCHEMA, {"type": "json_object"}, None)
"""What servers are asked for, in this order, until one is taken."""

_WHOLE = {*_ONE_OF, "reasons"}
"""What labels cannot do without."""
_ALL_TURNS = re.compile("HTTP (401|402|403|404):")
"""What a server refuses for the key, the account or the model, and so refuses every turn."""
_READ = 20_000
_WHY = 500
_LINE = re.compile(rf"^\W*({'|'.join(_PROPERTIES)})\b\W*?[:=](.*)$", re.IGNORECASE | re.MULTILINE)
_PROMPTS = GameSpec("sda", 0, (), "")
"""No game; it names the folder of the templates."""
_ROLE = "annotator"


class LLMAnnotator(LanguageModel, Annotator):
    """An `Annotator` that asks a language model.

    A reply that cannot be taken is put to the model once more with what is wrong with it. If the
    second cannot be taken either, or the server does not answer, the turn stays without labels.
    Only in the game, which needs a label, the rule-based annotator then judges instead
    (`fallbacks`, a warning in the log, and `fallback` in the trace). The key is `OPENAI_API_KEY`;
    it is never kept in the annotator.

    Args:
        model: the model's name on its server.
        name: for transcripts; by default the model's name, with the style if it is not zero-shot.
        style: of the prompt: one of STYLES, or that of a template of one's own in `prompts`.
        temperature: 0 to 2; 0.1 as in SDA 8. None leaves it to the server.
        structured: whether the server is asked to hold the model to the form of labels: first by a
            schema, then to JSON; what it refuses, it is not asked for again.
        settings: see `unspoken.agents.llm.model.Sampling`.

    Attributes:
        fallbacks: how many labels the rules have given in games.
        asleep: what waits between attempts of `aannotate`.

    Raises:
        ValueError: if an option is out of its range, the style does not exist, a template is not
            valid, or there is neither a key nor a server of one's own.
    """

    def __init__(
        self,
        model: str,
        name: str | None = None,
        *,
        style: str = "zero-shot",
        temperature: float | None = 0.1,
        structured: bool = True,
        **settings: Unpack[Sampling],
    ) -> None:
        super().__init__(
            model,
            name or (model if style == STYLES[0] else f"{model} {style}"),
            temperature=temperature,
            **settings,
        )
        folders = [DEFAULT] if self.prompts is None else [self.prompts, DEFAULT]
        if not any((folder / "sda" / f"{style}.jinja").is_file() for folder in folders):
            raise ValueError(
                f"style={style!r} does not exist: choose from {', '.join(STYLES)}, or write "
                f"sda/{style}.jinja in a folder and give it as prompts=FOLDER"
            )
        self.style = style
        self.fallbacks = 0
        self.asleep: Callable[[float], Awaitable[object]] = asyncio.sleep
        # one list for all twins: what a server refuses once it need not refuse every turn
        self._forms = [form for form in FORMATS if form and structured]
        self._conversation([Exchange("?", "!")], "")

    def annotate(self, turns: Sequence[Exchange], witness: str = "") -> Annotated:
        """Label the last of some turns; see `Annotator.annotate`.

        Raises:
            ValueError: if a template of the user's own fails; says where.
        """
        return run(self._twin()._annotated(turns, witness), self.sleep)

    async def aannotate(self, turns: Sequence[Exchange], witness: str = "") -> Annotated:
        """As `annotate`, without blocking the running loop."""
        return await arun(self._twin()._annotated(turns, witness), self.asleep)

    def label(
        self, case: Case, history: Sequence[Message], question: Question, answer: str
    ) -> Label:
        """The label of an answer in the game; see `unspoken.envs.cross_examination`."""
        found = self.annotate(game_turns(history, answer), game_witness(case))
        self._trace += found.calls  # type: ignore[arg-type]
        if found.labels is not None:
            return game_label(found.labels)
        self.fallbacks += 1
        self._trace[-1]["fallback"] = True
        log.warning("%s; the rule-based annotator judges instead", found.problem)
        return RuleBasedAnnotator().label(case, history, question, answer)

    def _twin(self) -> LLMAnnotator:
        """The same annotator with a trace of its own, so that many turns can be asked at once."""
        twin = copy.copy(self)
        twin._trace = []
        return twin

    def _templates(self) -> Prompts:
        # made anew, since templates cannot be copied or pickled; jinja keeps what it has read
        prompts = Prompts(self.prompts, _PROMPTS, _ROLE)
        self.prompts_version = prompts.version
        return prompts

    def _conversation(self, turns: Sequence[Exchange], witness: str) -> list[dict[str, str]]:
        *before, now = (Exchange(inert(turn.question), inert(turn.answer)) for turn in turns)
        info = {
            "turn": len(turns),
            "history": (),
            "style": self.style,
            "witness": inert(witness),
            "before": before,
            "question": now.question,
            "answer": now.answer,
        }
        try:
            return self._templates().conversation(info)
        except AgentFailure as failure:
            raise ValueError(str(failure)) from failure

    def _annotated(self, turns: Sequence[Exchange], witness: str) -> Steps[Annotated]:
        messages = self._conversation(turns, witness)
        try:
            labels, problem = yield from self._labels(messages, len(turns))
            hopeless = False
        except AgentFailure as failure:
            labels, problem = None, str(failure)
            hopeless = bool(_ALL_TURNS.match(self._trace[-1]["error"] or ""))
        return Annotated(labels, problem, tuple(self.take_trace()), hopeless)

    def _labels(
        self, messages: list[dict[str, str]], turn: int
    ) -> Steps[tuple[Labels | None, str]]:
        problem = ""
        for _ in range(2):
            reply = yield from self._ask_in_form(messages, random.random, self._forms)
            text = visible(reply.text)
            try:
                return read_labels(text, turn), ""
            except ValueError as error:
                problem = str(error)
            self._trace[-1]["unreadable"] = True
            if reply.finish_reason == "length":
                problem += " It was cut off: be shorter."
            messages = messages + self._templates().unreadable(text[:RETURNED], problem)
        return None, f"{self.name}: {problem}"


def read_labels(text: str, turn: int) -> Labels:
    """The labels in a model's reply.

    Args:
        text: JSON, with or without words around it, or lines like "Commitment: none".
        turn: the number of the turn that is labelled.

    Raises:
        ValueError: if there are no labels, several that do not agree, or one that is not allowed;
            says it in sentences that a model can be told.
    """
    text = text[-_READ:]
    given = [fields for fields in objects(text) if "commitment" in fields]
    # what is quoted before the answer, a part of it or of the form, does not stand beside it
    given = [fields for fields in given if fields.keys() >= _WHOLE] or given
    if not given:
        lines = [(line[1].lower(), line[2].strip()) for line in _LINE.finditer(text)]
        if len({name for name, _ in lines}) < len(lines):
            raise ValueError("That labels the turn more than once.")
        given = [dict(lines)] if lines else []
    if not given:
        raise ValueError("That was not a JSON object with the labels.")
    found = [_labels_of(fields, turn) for fields in given]
    if len({labels._replace(why="") for labels in found}) > 1:
        raise ValueError("That labels the turn more than once, and not alike.")
    return found[-1]


def _labels_of(fields: Mapping[str, Any], turn: int) -> Labels:
    problems: list[str] = []
    values: dict[str, str] = {}
    for name, allowed in _ONE_OF.items():
        value = _plain(fields.get(name))
        if value not in allowed:
            problems.append(_complaint(name, fields, f"one of {', '.join(allowed)}"))
        values[name] = value
    reasons = _reasons(fields.get("reasons"))
    if not reasons:
        problems.append(_complaint("reasons", fields, f"one or more of {', '.join(REASONS)}"))
    flags = {short: values[name] == "violated" for name, short in MAXIMS.items()}
    contradicts = _number(fields.get("contradicts"))
    if flags["const"] and (contradicts is None or not 0 < contradicts < turn):
        wanted = f"the number of an earlier turn, 1 to {turn - 1}" if turn > 1 else "null"
        extra = "" if turn > 1 else "; the first turn contradicts nothing, consistency is kept"
        problems.append(_complaint("contradicts", fields, wanted + extra))
    elif not flags["const"] and contradicts is not None:
        problems.append(_complaint("contradicts", fields, "null where consistency is kept"))
    if problems:
        raise ValueError(" ".join(problems))
    why = " ".join(str(fields.get("why") or "").split())[:_WHY]
    return Labels(
        values["commitment"],
        **flags,
        contradicts=contradicts,
        outcome=values["outcome"],
        reasons=reasons,
        why=why,
    )


def _complaint(name: str, fields: Mapping[str, Any], wanted: str) -> str:
    if name not in fields:
        return f'There is no "{name}"; it must be {wanted}.'
    shown = repr(fields[name])
    return f'"{name}" was {shown if len(shown) <= 60 else shown[:59] + "…"}; it must be {wanted}.'


def _plain(value: Any) -> str:
    return value.strip(" \t\"'*_`.,;").lower() if isinstance(value, str) else ""


def _reasons(value: Any) -> tuple[str, ...]:
    """Reasons, each once, in the order of REASONS; none if any is not allowed."""
    given = re.split(r"[,;]|\band\b", value.strip("[] ")) if isinstance(value, str) else value
    named = {_plain(reason) for reason in given} if isinstance(given, list) else set()
    return tuple(r for r in REASONS if r in named) if named <= set(REASONS) else ()


def _number(value: Any) -> int | None:
    """The turn that a value names; -1 if it names none and does not say that there is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value or None
    text = _plain(value)
    if value is None or (isinstance(value, str) and text in ("", "none", "null", "0", "n/a", "-")):
        return None
    number = re.fullmatch(r"(?:turn )?(\d{1,6})", text)
    return int(number[1]) or None if number else -1
