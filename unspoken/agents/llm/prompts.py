"""Prompts: jinja2 templates of a game, and the conversation that they make of its history.

Which templates and variables there are is in `unspoken/data/prompts/README.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

import unspoken.data
from unspoken.agents.base import AgentFailure
from unspoken.agents.llm.replies import clean
from unspoken.envs.base import Message
from unspoken.envs.registry import GameSpec

DEFAULT = Path(unspoken.data.__path__[0]) / "prompts"

_NOTHING = "(nothing)"
"""Stands for an empty message, which some servers refuse."""


@cache
def _environment(folder: Path | None) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([DEFAULT] if folder is None else [folder, DEFAULT]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


class Prompts:
    """The prompts of one role of a game.

    Args:
        folder: templates of the user, which go before the package's file by file; or None.
        spec: the game.
        role: the role.

    Raises:
        ValueError: if a template is not valid or nobody wrote it; says where.
    """

    def __init__(self, folder: Path | None, spec: GameSpec, role: str) -> None:
        self._variables: dict[str, Any] = {"spec": spec, "role": role}
        self._load, self._place = _environment(folder).select_template, f"{spec.name}/{role}"
        self._system = self._template("system")
        self._turn = self._template("turn", "turn.jinja")
        self._unreadable = self._template("unreadable", "unreadable.jinja")

    def conversation(
        self, info: Mapping[str, Any], menu: tuple[str, ...] = ()
    ) -> list[dict[str, str]]:
        """The game so far as chat messages; the last one asks for the next move.

        Every request of a game begins with all of the request before it, unless the menu changed.

        Args:
            info: the agent's info, with the history.
            menu: what can be said now where that is limited.
        """

        def turn(number: int) -> dict[str, str]:
            variables = {"turn": number, "said": said, "last": last}
            return message("user", self._render(self._turn, info=info, menu=menu, **variables))

        own = info.get("speaker", self._variables["role"])
        said: list[Message] = []
        last: Message | None = None
        messages = [message("system", self._render(self._system, info=info, menu=menu))]
        for line in info["history"]:
            if line.role == own:
                messages += [turn(line.turn), message("assistant", line.text)]
                said, last = [], line
            else:
                said.append(line)
        return [*messages, turn(info["turn"])]

    def unreadable(self, reply: str, problem: str) -> list[dict[str, str]]:
        """What follows on a reply that is no move: the reply, and a request for another."""
        complaint = self._render(self._unreadable, reply=reply, problem=problem)
        return [message("assistant", reply), message("user", complaint)]

    def method(self, step: str, **variables: Any) -> str:
        """What a method of `unspoken.agents.llm.methods` says to the model at one of its steps."""
        return self._render(self._template(step, f"methods/{step}.jinja"), **variables)

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


def message(role: str, content: str) -> dict[str, str]:
    """A chat message."""
    return {"role": role, "content": clean(content) or _NOTHING}
