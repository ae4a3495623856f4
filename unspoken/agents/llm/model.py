"""A language model that is asked: what agents and arbiters share."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

from unspoken.agents.llm.client import OPENAI, Call, Refused, Server, Steps, ask, key, root
from unspoken.agents.llm.replies import Reply

RETURNED = 2_000
"""Characters of an unreadable reply that are put to the model again."""


class Settings(TypedDict, total=False):
    """How any model is asked; options of all that ask one.

    Attributes:
        max_tokens: longest reply in tokens, reasoning included.
        seed: sent with every request as it is; few servers heed it.
        reasoning_effort: sent as it is ("low", "medium", "high", …).
        base_url: root of the server's API; `OPENAI_BASE_URL`, or OpenAI itself, by default.
        prompts: folder with templates of one's own (`unspoken/data/prompts/README.md`).
        timeout: seconds to wait for one reply; 120 by default.
        retries: how often a request is sent again when the server is busy, broken or away; 5 by
            default.
    """

    max_tokens: int | None
    seed: int | None
    reasoning_effort: str | None
    base_url: str | None
    prompts: str | Path | None
    timeout: float
    retries: int


class Sampling(Settings, total=False):
    """Settings of those that take the words of a reply, not its probabilities.

    Attributes:
        top_p: above 0, up to 1.
    """

    top_p: float | None


class LanguageModel:
    """A model behind an OpenAI-compatible server, and what it was asked.

    The key is `OPENAI_API_KEY`; it is never kept here.

    Args:
        model: the model's name on its server.
        name: how tables and messages call it.
        temperature: 0 to 2. None leaves it to the server.
        max_tokens: see `Settings`, as all that follow.
        top_p: see `Sampling`.
        seed: see `Settings`.
        reasoning_effort: see `Settings`.
        base_url: see `Settings`.
        prompts: see `Settings`.
        timeout: see `Settings`.
        retries: see `Settings`.

    Attributes:
        name: how tables and messages call it.
        model: the model's name on its server.
        settings: what is sent with every request.
        server: where requests go.
        prompts: folder with templates of the user's own, or None.
        sleep: what waits between attempts.

    Raises:
        ValueError: if an option is out of its range, or there is neither a key nor a server of
            one's own.
    """

    name: str

    def __init__(
        self,
        model: str,
        name: str,
        *,
        temperature: float | None,
        max_tokens: int | None = None,
        top_p: float | None = None,
        seed: int | None = None,
        reasoning_effort: str | None = None,
        base_url: str | None = None,
        prompts: str | Path | None = None,
        timeout: float = 120.0,
        retries: int = 5,
    ) -> None:
        check("temperature", temperature, "0 to 2", lambda x: 0 <= x <= 2)
        check("max_tokens", max_tokens, "1 or more", lambda x: x >= 1)
        check("top_p", top_p, "above 0, up to 1", lambda x: 0 < x <= 1)
        check("timeout", timeout, "seconds above 0", lambda x: 0 < x < float("inf"))
        check("retries", retries, "0 or more", lambda x: x >= 0)
        url = root(base_url)
        check("base_url", url, "http://… or https://…", lambda x: x.startswith("http"))
        self.prompts = None if prompts is None else Path(prompts)
        check("prompts", self.prompts, "a folder", Path.is_dir)
        openai = url.startswith(OPENAI)
        if openai and not key():
            raise ValueError(
                f"{name} needs a key: set OPENAI_API_KEY, or give the base_url of a server "
                "that asks for none (also as OPENAI_BASE_URL)"
            )
        # OpenAI has renamed it, other servers have not
        limit = "max_completion_tokens" if openai else "max_tokens"
        settings = {
            "temperature": temperature,
            limit: max_tokens,
            "top_p": top_p,
            "seed": seed,
            "reasoning_effort": reasoning_effort,
        }
        self.name = name
        self.model = model
        self.settings = {key: value for key, value in settings.items() if value is not None}
        self.server = Server(base_url, timeout, retries)
        self.sleep: Callable[[float], object] = time.sleep
        self._trace: list[Call] = []

    def take_trace(self) -> list[Call]:
        """The requests made since the last call, in order."""
        trace, self._trace = self._trace, []
        return trace

    def _ask(
        self,
        messages: list[dict[str, str]],
        jitter: Callable[[], float],
        step: str = "",
        **extra: Any,
    ) -> Steps[Reply]:
        """Ask the model, and note it in the trace; `extra` goes into this request only."""
        call: Call = {
            "model": self.model,
            "messages": messages,
            "step": step,
            "reply": None,
            "finish_reason": None,
            "usage": None,
            "latency_s": 0.0,
            "attempts": 0,
            "error": None,
            "unreadable": False,
            "fallback": False,
        }
        self._trace.append(call)
        body = {"model": self.model, "messages": messages, **self.settings, **extra}
        return (yield from ask(self.server, body, call, self.name, jitter))

    def _ask_in_form(
        self,
        messages: list[dict[str, str]],
        jitter: Callable[[], float],
        forms: list[dict[str, Any]],
    ) -> Steps[Reply]:
        """Ask for a reply in the first of some forms that the server takes, or in any.

        A form that was refused where the same request without it was not is taken from `forms`.
        """
        refused: list[dict[str, Any]] = []
        for form in tuple(forms):
            try:
                reply = yield from self._ask(messages, jitter, response_format=form)
                break
            except Refused:
                refused.append(form)
        else:
            reply = yield from self._ask(messages, jitter)
        forms[:] = [form for form in forms if form not in refused]
        return reply


def check(option: str, value: Any, wanted: str, holds: Callable[[Any], bool]) -> None:
    """Refuse an option's value that is out of its range; None is in any.

    Raises:
        ValueError: names the option, the value and what is wanted.
    """
    if value is not None and not holds(value):
        raise ValueError(f"{option}={value!r}: {wanted}")
