"""Prompts: jinja2 templates of a game, and the conversation that they make of its history.

Which templates and variables there are is in `unspoken/data/prompts/README.md`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta

import unspoken.data
from unspoken.agents.base import AgentFailure
from unspoken.agents.llm.replies import clean
from unspoken.envs.base import Message
from unspoken.envs.registry import GameSpec

DEFAULT = Path(unspoken.data.__path__[0]) / "prompts"

Messages = list[dict[str, str]]
"""A conversation as chat messages."""

_NOTHING = "(nothing)"
"""Stands for an empty message, which some servers refuse."""


@cache
def _environment(folder: Path | None) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([DEFAULT] if folder is None else [folder, DEFAULT]),
        undefined=jinja2.StrictUndefined,
        auto_reload=False,  # a run has one version of its prompts
        trim_blocks=True,
        lstrip_blocks=True,
    )


class Prompts:
    """The prompts of one role of a game.

    Args:
        folder: templates of the user, which go before the package's file by file; or None.
        spec: the game.
        role: the role.
        steps: further things that are said to the model: templates `GAME/ROLE.STEP.jinja`, or
            `methods/STEP.jinja`.

    Attributes:
        version: 8 hexadecimal digits, which change with the text of any of the templates, those
            that they include among them.

    Raises:
        ValueError: if a template is not valid or nobody wrote it; says where.
    """

    def __init__(
        self, folder: Path | None, spec: GameSpec, role: str, steps: Sequence[str] = ()
    ) -> None:
        self._variables: dict[str, Any] = {"spec": spec, "role": role}
        self._load, self._place = _environment(folder).select_template, f"{spec.name}/{role}"
        self._system = self._template("system")
        self._turn = self._template("turn", "turn.jinja")
        self._unreadable = self._template("unreadable", "unreadable.jinja")
        self._steps = {step: self._template(step, f"methods/{step}.jinja") for step in steps}
        self.version = _version((self._system, self._turn, self._unreadable, *self._steps.values()))

    def conversation(
        self,
        info: Mapping[str, Any],
        menu: tuple[str, ...] = (),
        *,
        left_out: int = 0,
        summary: str = "",
    ) -> Messages:
        """The game so far as chat messages; the last one asks for the next move.

        Every request of a game begins with all of the request before it, unless the menu or what
        is left out has changed.

        Args:
            info: the agent's info, with the history.
            menu: what can be said now where that is limited.
            left_out: lines at the beginning of the history that are not shown, but for what the
                step "earlier" says of them.
            summary: what it may say: the agent's notes on these lines.
        """
        history: Sequence[Message] = info["history"]
        shown = {**info, "history": tuple(history[left_out:])}

        def turn(number: int) -> dict[str, str]:
            variables = {"turn": number, "said": said, "last": last}
            return message("user", self._render(self._turn, info=shown, menu=menu, **variables))

        own = self.speaker(info)
        said: list[Message] = []
        last: Message | None = None
        messages = [message("system", self._render(self._system, info=shown, menu=menu))]
        for n, line in enumerate(history):
            if line.role == own:
                if n >= left_out:
                    messages += [turn(line.turn), message("assistant", line.text)]
                said, last = [], line
            elif n >= left_out:
                said.append(line)
        messages.append(turn(info["turn"]))
        if left_out:
            turns = history[left_out - 1].turn
            earlier = self.method("earlier", summary=summary, turns=turns)
            messages[1] = message("user", f"{earlier}\n\n{messages[1]['content']}")
        return messages

    def speaker(self, info: Mapping[str, Any]) -> str:
        """How the history calls the one whose info it is."""
        speaker: str = info.get("speaker", self._variables["role"])
        return speaker

    def summary(self, info: Mapping[str, Any], lines: Sequence[Message], summary: str) -> Messages:
        """What asks the model for notes on lines that it will not be shown again.

        Args:
            info: the agent's info.
            lines: the lines.
            summary: its notes on what came before them; "" if nothing did.
        """
        shown = {**info, "history": tuple(lines)}
        own = self.speaker(info)
        text = self.method("summary", info=shown, lines=lines, own=own, summary=summary)
        system = self._render(self._system, info=shown, menu=())
        return [message("system", system), message("user", text)]

    def transcript(self, conversation: Messages) -> Messages:
        """A conversation in the form of a system message and one other."""
        system, *said = conversation
        lines = [{"own": m["role"] == "assistant", "text": m["content"]} for m in said]
        return [system, message("user", self.method("transcript", lines=lines))]

    def unreadable(self, reply: str, problem: str) -> Messages:
        """What follows on a reply that is no move: the reply, and a request for another."""
        complaint = self._render(self._unreadable, reply=reply, problem=problem)
        return [message("assistant", reply), message("user", complaint)]

    def method(self, step: str, **variables: Any) -> str:
        """What is said to the model at one of the `steps`."""
        return self._render(self._steps[step], **variables)

    def _template(self, name: str, *otherwise: str) -> jinja2.Template:
        try:
            return self._load([f"{self._place}.{name}.jinja", *otherwise])
        except jinja2.TemplatesNotFound:
            raise ValueError(
                f"there are no prompts for {self._variables['role']} in "
                f"{self._variables['spec'].name}: write {self._place}.{name}.jinja in a folder and "
                "give it as prompts=FOLDER"
            ) from None
        except jinja2.TemplateSyntaxError as error:
            raise ValueError(f"{error.filename}, line {error.lineno}: {error.message}") from None

    def _render(self, template: jinja2.Template, **variables: Any) -> str:
        try:
            return template.render(self._variables, **variables).strip()
        except Exception as error:  # a template is a program, and often the user's
            raise AgentFailure(f"prompt {template.filename}: {error}") from error


@cache
def _version(templates: tuple[jinja2.Template, ...]) -> str:
    texts: list[str] = []
    waiting = [template.name for template in templates]
    environment = templates[0].environment
    for name in waiting:  # grows while it is gone through
        assert environment.loader is not None
        assert name is not None
        text, _, _ = environment.loader.get_source(environment, name)
        texts.append(text)
        more = jinja2.meta.find_referenced_templates(environment.parse(text))
        waiting += [other for other in more if other is not None and other not in waiting]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:8]


def message(role: str, content: str) -> dict[str, str]:
    """A chat message."""
    return {"role": role, "content": clean(content) or _NOTHING}
