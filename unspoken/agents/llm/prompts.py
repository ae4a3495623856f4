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
def templates(folder: Path | None) -> jinja2.Environment:
    """The package's templates, overridden file by file by those of a folder.

    Raises:
        ValueError: if the folder does not exist or a template is not valid; says where.
    """
    if folder is not None and not folder.is_dir():
        raise ValueError(f"prompts={str(folder)!r} is not a folder")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([DEFAULT] if folder is None else [folder, DEFAULT]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in environment.list_templates(extensions=["jinja"]):
        try:
            environment.get_template(name)
        except jinja2.TemplateSyntaxError as error:
            raise ValueError(f"{error.filename}, line {error.lineno}: {error.message}") from None
    return environment


class Prompts:
    """The prompts of one role of a game.

    Args:
        folder: templates of the user, or None.
        spec: the game.
        role: the role.

    Raises:
        ValueError: if nobody wrote prompts for this role; says where they go.
    """

    def __init__(self, folder: Path | None, spec: GameSpec, role: str) -> None:
        self._environment = templates(folder)
        self._variables = {"spec": spec, "role": role}
        self._role = role
        self._place = f"{spec.name}/{role}"
        system = f"{self._place}.system.jinja"
        if system not in self._environment.list_templates():
            raise ValueError(
                f"there are no prompts for {role} in {spec.name}: write {system} in a folder and "
                "give it as prompts=FOLDER"
            )

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
            return message("user", self._render("turn", info=info, menu=menu, **variables))

        said: list[Message] = []
        last: Message | None = None
        messages = [message("system", self._render("system", info=info, menu=menu))]
        for line in info["history"]:
            if line.role == self._role:
                messages += [turn(line.turn), message("assistant", line.text)]
                said, last = [], line
            else:
                said.append(line)
        return [*messages, turn(info["turn"])]

    def unreadable(self, reply: str, problem: str) -> list[dict[str, str]]:
        """What follows on a reply that is no move: the reply, and a request for another."""
        complaint = self._render("unreadable", reply=reply, problem=problem)
        return [message("assistant", reply), message("user", complaint)]

    def _render(self, kind: str, **variables: Any) -> str:
        names = [f"{self._place}.{kind}.jinja", f"{kind}.jinja"]
        template = self._environment.select_template(names)
        try:
            return template.render(self._variables, **variables).strip()
        except Exception as error:  # a template is a program, and often the user's
            raise AgentFailure(f"prompt {template.filename}: {error}") from error


def message(role: str, content: str) -> dict[str, str]:
    """A chat message."""
    return {"role": role, "content": clean(content) or _NOTHING}
