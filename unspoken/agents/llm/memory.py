"""What a request holds of the game so far: all of it, its last turns, or notes and the last turns.

The system message always stays, and with it what only this role knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unspoken.agents.llm.client import Steps
from unspoken.agents.llm.model import check
from unspoken.agents.llm.prompts import Messages, Prompts
from unspoken.agents.llm.replies import Reply, visible
from unspoken.envs.base import Message

LONGEST_SUMMARY = 4_000
"""Characters of a summary that are kept."""

FORMS = ("chat", "transcript")

Ask = Callable[[Messages], Steps[Reply]]


@dataclass
class Memory:
    """The conversation of one player's game, move by move.

    Args:
        history: "full"; "window:N", the last N turns before the present one; or "summary:N",
            where older turns are replaced by notes that the model writes itself. They are written
            when N turns have grown older than the last N, from the notes before and these turns.
        form: "chat", the player's own lines as the assistant's; or "transcript", all of the game
            in one user message.

    Raises:
        ValueError: if there is no such history or form.
    """

    history: str = "full"
    form: str = "chat"
    _notes: str = field(default="", repr=False)
    _noted: tuple[Message, ...] = field(default=(), repr=False)
    """The lines that the notes are about."""

    def __post_init__(self) -> None:
        known = re.fullmatch(r"full|(window|summary):([1-9]\d*)", self.history)
        wanted = "full, window:N or summary:N, where N is a number of turns, 1 or more"
        check("history", self.history, wanted, lambda _: known is not None)
        check("form", self.form, " or ".join(FORMS), lambda x: x in FORMS)
        assert known is not None
        self._kind, self._turns = known[1] or "full", int(known[2] or 0)

    @property
    def templates(self) -> tuple[str, ...]:
        """The steps that it has templates for."""
        earlier = {"window": ("earlier",), "summary": ("earlier", "summary")}.get(self._kind, ())
        return (*earlier, *(("transcript",) if self.form == "transcript" else ()))

    def forget(self) -> None:
        """A new game begins."""
        self._notes, self._noted = "", ()

    def conversation(
        self, prompts: Prompts, info: Mapping[str, Any], menu: tuple[str, ...], ask: Ask
    ) -> Steps[Messages]:
        """The game so far as chat messages; the last one asks for the next move.

        Args:
            prompts: the templates of the role.
            info: the agent's info, with the history.
            menu: what can be said now where that is limited.
            ask: asks the model for notes.
        """
        lines: Sequence[Message] = info["history"]
        left_out = 0
        if self._kind == "window":
            left_out = _before(lines, info["turn"] - self._turns)
        elif self._kind == "summary":
            yield from self._note(prompts, info, ask)
            left_out = len(self._noted)
        messages = prompts.conversation(info, menu, left_out=left_out, summary=self._notes)
        return prompts.transcript(messages) if self.form == "transcript" else messages

    def _note(self, prompts: Prompts, info: Mapping[str, Any], ask: Ask) -> Steps[None]:
        """Bring the notes up to date if enough has become old since they were written."""
        lines: tuple[Message, ...] = tuple(info["history"])
        old = lines[: _before(lines, info["turn"] - self._turns)]
        if old[: len(self._noted)] != self._noted:  # it is another game, or it was taken back
            self.forget()
        old = old[len(self._noted) :]
        if not old or old[-1].turn - old[0].turn + 1 < self._turns:
            return
        reply = yield from ask(prompts.summary(info, old, self._notes))
        notes = visible(reply.text)[:LONGEST_SUMMARY].strip()
        if notes:  # otherwise the lines stay as they are until the next move
            self._notes, self._noted = notes, (*self._noted, *old)


def _before(lines: Sequence[Message], turn: int) -> int:
    """How many lines there are before a turn."""
    return next((n for n, line in enumerate(lines) if line.turn >= turn), len(lines))
