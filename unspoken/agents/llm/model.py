"""A language model that is asked: what agents and arbiters share."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from unspoken.agents.llm import models
from unspoken.agents.llm.cache import Draw
from unspoken.agents.llm.client import (
    KEY,
    OPENAI,
    PATHS,
    Call,
    Refused,
    Server,
    Steps,
    ask,
    key,
    new_call,
    root,
)
from unspoken.agents.llm.replies import Reply, say_form
from unspoken.agents.llm.traffic import current, recording

RETURNED = 2_000
"""Characters of an unreadable reply that are put to the model again."""

OURS = ("model", "messages", "input", "stream", "n", "response_format")
"""What `extra_body` cannot set, since replies could not be read then."""


class Settings(TypedDict, total=False):
    """How any model is asked; options of all that ask one.

    Attributes:
        max_tokens: longest reply in tokens, reasoning included.
        seed: sent with every request, one more for each further draw of the same move (samples of
            a method); few servers heed it.
        reasoning_effort: sent as it is ("low", "medium", "high", …).
        stop: one text that ends a reply, or several (those only in a file or from Python).
        system: text that is put after the system message.
        extra_body: further fields of the body of each request; from a spec as a JSON object.
        api: "chat" (chat completions), or "responses" where the server has it.
        base_url: root of the server's API; `OPENAI_BASE_URL`, or OpenAI itself, by default.
        key_env: name of the environment variable that holds the key; `OPENAI_API_KEY` by default.
        prompts: folder with templates of one's own (`unspoken/data/prompts/README.md`).
        timeout: seconds to wait for one reply; 120 by default.
        retries: how often a request is sent again when the server is busy, broken or away; 5 by
            default.
    """

    max_tokens: int | None
    seed: int | None
    reasoning_effort: str | None
    stop: str | list[str] | None
    system: str | None
    extra_body: str | dict[str, Any] | None
    api: str
    base_url: str | None
    key_env: str
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

    The key stays in the environment; it is never kept here.

    Args:
        model: the model's name on its server.
        name: how tables and messages call it.
        temperature: 0 to 2. None leaves it to the server.
        max_tokens: see `Settings`, as all that follow.
        top_p: see `Sampling`.
        seed: see `Settings`, as all that follow.

    Attributes:
        name: how tables and messages call it.
        model: the model's name on its server.
        settings: what is sent with every request.
        server: where requests go.
        prompts: folder with templates of the user's own, or None.
        prompts_version: version of the templates in use, for the trace.
        turn: the game's turn, for the trace; None if no player asks.
        move: which of the player's moves of the game is asked for, from 0, for the trace; likewise.
        occasion: tells the draws of one game from another's (`unspoken.agents.llm.cache`).
        structured: whether moves are asked for by a JSON schema; no longer where that is refused.
        sleep: what waits between attempts.

    Raises:
        ValueError: if an option is out of its range, or there is neither a key nor a server of
            one's own. In a replay none is needed.
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
        stop: str | list[str] | None = None,
        system: str | None = None,
        extra_body: str | dict[str, Any] | None = None,
        api: str = "chat",
        base_url: str | None = None,
        key_env: str = KEY,
        prompts: str | Path | None = None,
        timeout: float = 120.0,
        retries: int = 5,
    ) -> None:
        check("temperature", temperature, "0 to 2", lambda x: 0 <= x <= 2)
        check("max_tokens", max_tokens, "1 or more", lambda x: x >= 1)
        check("top_p", top_p, "above 0, up to 1", lambda x: 0 < x <= 1)
        check("stop", stop, "a text, or some", lambda x: x and all(x))
        check("api", api, " or ".join(PATHS), lambda x: x in PATHS)
        check("timeout", timeout, "seconds above 0", lambda x: 0 < x < float("inf"))
        check("retries", retries, "0 or more", lambda x: x >= 0)
        url = root(base_url)
        check("base_url", url, "http://… or https://…", lambda x: x.startswith("http"))
        if base_url and "@" in base_url.partition("//")[2].partition("/")[0]:
            raise ValueError(  # without showing it
                "base_url holds a user or a password, and options are kept in the record: set it "
                "as OPENAI_BASE_URL, or name the variable with the key by key_env"
            )
        self.prompts = None if prompts is None else Path(prompts)
        check("prompts", self.prompts, "a folder", Path.is_dir)
        if not re.fullmatch(r"[A-Za-z_]\w*", key_env):
            raise ValueError("key_env is the name of a variable, not the key")  # nor shows it here
        openai = url.startswith(OPENAI)
        if (openai or key_env != KEY) and not key(key_env) and recording() is None:
            otherwise = (
                ", or give the base_url of a server that asks for none (also as OPENAI_BASE_URL)"
            )
            raise ValueError(f"{name} needs a key: set {key_env}{otherwise if openai else ''}")
        # OpenAI has renamed it, other servers have not
        limit = "max_completion_tokens" if openai else "max_tokens"
        settings = {
            "temperature": temperature,
            limit: max_tokens,
            "top_p": top_p,
            "seed": seed,
            "reasoning_effort": reasoning_effort,
            "stop": stop,
        }
        if api == "responses":
            check("seed", seed, "the responses API takes none", lambda _: False)
            check("stop", stop, "the responses API takes none", lambda _: False)
        self.name = name
        self.model = model
        self.settings = {key: value for key, value in settings.items() if value is not None}
        self.settings |= _extra(extra_body)
        self.server = Server(base_url, timeout, retries, api, key_env)
        self.prompts_version = ""
        self.turn: int | None = None
        self.move: int | None = None
        self.occasion = 0
        self.structured = False
        self.sleep: Callable[[float], object] = time.sleep
        self._system = system
        self._trace: list[Call] = []

    @classmethod
    def usual_options(cls, model: str) -> dict[str, Any]:
        """What a spec of this model need not say (`unspoken.agents.llm.models`)."""
        return models.current().options(model)

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
        messages = _told(messages, self._system)
        form: Mapping[str, Any] = extra.get("response_format") or {}
        call = new_call(
            self.model,
            messages,
            step=step,
            turn=self.turn,
            move=self.move,
            response_format=form.get("type"),
            prompts=self.prompts_version,
            base_url=root(self.server.base_url),
        )
        equal = [
            c
            for c in self._trace
            if c["step"] == step and c["failure"] is None and c["messages"] == messages
        ]
        self._trace.append(call)
        body = {"model": self.model, "messages": messages, **self.settings, **extra}
        if "seed" in self.settings and "seed" not in extra:
            body["seed"] += len(equal)  # one seed for all would make some servers say the same
        draw = Draw(self.occasion, len(equal))
        return (yield from ask(self.server, body, call, self.name, jitter, draw))

    def _ask_in_form(
        self,
        messages: list[dict[str, str]],
        jitter: Callable[[], float],
        forms: list[dict[str, Any]],
        step: str = "",
    ) -> Steps[Reply]:
        """Ask for a reply in the first of some forms that the server takes, or in any.

        A form that was refused where the same request without it was not is taken from `forms`,
        and nobody in the run asks this model for such a form again.
        """
        known, me = current().refused, (root(self.server.base_url), self.model)
        if recording() is not None:
            # who found out first what is refused was chance: there the record knows it
            known, forms = set(), list(forms)
        forms[:] = [form for form in forms if (*me, form["type"]) not in known]
        refused: list[dict[str, Any]] = []
        for form in tuple(forms):
            try:
                reply = yield from self._ask(messages, jitter, step, response_format=form)
                break
            except Refused:
                refused.append(form)
        else:
            reply = yield from self._ask(messages, jitter, step)
        forms[:] = [form for form in forms if form not in refused]
        known.update((*me, form["type"]) for form in refused)
        return reply

    def _ask_to_say(
        self,
        messages: list[dict[str, str]],
        jitter: Callable[[], float],
        step: str = "",
        sentences: Sequence[str] = (),
    ) -> Steps[Reply]:
        """Ask for a move, by a schema if `structured`; a server that refuses is asked once so.

        What is said is then `unwrapped`; servers that do not know schemas send it as it is.
        """
        forms = [say_form(sentences)] if self.structured else []
        reply = yield from self._ask_in_form(messages, jitter, forms, step)
        self.structured = bool(forms)
        return reply


def check(option: str, value: Any, wanted: str, holds: Callable[[Any], bool]) -> None:
    """Refuse an option's value that is out of its range; None is in any.

    Raises:
        ValueError: names the option, the value and what is wanted.
    """
    if value is not None and not holds(value):
        raise ValueError(f"{option}={value!r}: {wanted}")


def _told(messages: list[dict[str, str]], system: str | None) -> list[dict[str, str]]:
    """A conversation with more in its system message, or with one."""
    if not system:
        return messages
    if messages and messages[0]["role"] == "system":
        first, *rest = messages
        return [{**first, "content": f"{first['content']}\n\n{system}"}, *rest]
    return [{"role": "system", "content": system}, *messages]


def _extra(given: str | dict[str, Any] | None) -> dict[str, Any]:
    """The further fields of a body.

    Raises:
        ValueError: if they are no JSON object, or would change what is ours to say.
    """
    if given is None:
        return {}
    fields: Any = given
    if isinstance(given, str):
        try:
            fields = json.loads(given)
        except ValueError:
            fields = None
    check("extra_body", given, "a JSON object", lambda _: isinstance(fields, dict))
    taken = ", ".join(name for name in OURS if name in fields)
    check("extra_body", given, f"{taken} cannot be set there", lambda _: not taken)
    return dict(fields)
