"""An agent that is a language model: `openai:MODEL?temperature=0.7&…`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.base import BaseAgent, legal_actions
from unspoken.agents.llm.client import OPENAI, Call, Server, Steps, arun, ask, key, root, run
from unspoken.agents.llm.prompts import Prompts
from unspoken.agents.llm.replies import Reply, visible
from unspoken.envs.base import MAX_UTTERANCE, Understood
from unspoken.envs.registry import GameSpec

_RETURNED = 2_000
"""Characters of an unreadable reply that are put to the model again."""


class LLMAgent(BaseAgent):
    """A language model behind an OpenAI-compatible server.

    Each move is a chat completion over the whole game so far. A reply that the game cannot read
    is put to the model once more with what was wrong; if the second one is not readable either,
    free games get it as it is, and by menu the first legal action is played (`fallback` in the
    trace). The key is `OPENAI_API_KEY`; it is never kept in the agent.

    Args:
        model: the model's name on its server.
        name: how tables call it; "openai:MODEL" by default.
        temperature: 0 to 2; 0.7 as in AIDG 4.2. None leaves it to the server.
        max_tokens: longest reply in tokens, reasoning included.
        top_p: above 0, up to 1.
        seed: sent with every request as it is; few servers heed it.
        reasoning_effort: sent as it is ("low", "medium", "high", …).
        base_url: root of the server's API; `OPENAI_BASE_URL`, or OpenAI itself, by default.
        prompts: folder with templates of one's own (`unspoken/data/prompts/README.md`).
        timeout: seconds to wait for one reply.
        retries: how often a request is sent again when the server is busy, broken or away.

    Attributes:
        roles: None, which is any role.
        sleep: what waits between attempts of `act`.
        asleep: what waits between attempts of `aact`.

    Raises:
        ValueError: if an option is out of its range, or there is neither a key nor a server of
            one's own.
    """

    roles: ClassVar[frozenset[str] | None] = None

    def __init__(
        self,
        model: str,
        name: str | None = None,
        *,
        temperature: float | None = 0.7,
        max_tokens: int | None = None,
        top_p: float | None = None,
        seed: int | None = None,
        reasoning_effort: str | None = None,
        base_url: str | None = None,
        prompts: str | Path | None = None,
        timeout: float = 120.0,
        retries: int = 5,
    ) -> None:
        super().__init__(name or f"openai:{model}", quick=False)
        _check("temperature", temperature, "0 to 2", lambda x: 0 <= x <= 2)
        _check("max_tokens", max_tokens, "1 or more", lambda x: x >= 1)
        _check("top_p", top_p, "above 0, up to 1", lambda x: 0 < x <= 1)
        _check("timeout", timeout, "seconds above 0", lambda x: 0 < x < float("inf"))
        _check("retries", retries, "0 or more", lambda x: x >= 0)
        url = root(base_url)
        _check("base_url", url, "http://… or https://…", lambda x: x.startswith("http"))
        self.prompts = None if prompts is None else Path(prompts)
        _check("prompts", self.prompts, "a folder", Path.is_dir)
        openai = url.startswith(OPENAI)
        if openai and not key():
            raise ValueError(
                f"{self.name} needs a key: set OPENAI_API_KEY, or give the base_url of a server "
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
        self.model = model
        self.settings = {key: value for key, value in settings.items() if value is not None}
        self.server = Server(base_url, timeout, retries)
        self.sleep: Callable[[float], object] = time.sleep
        self.asleep: Callable[[float], Awaitable[object]] = asyncio.sleep
        self._trace: list[Call] = []

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role.

        Raises:
            ValueError: if there are no prompts for it, or they are not valid.
        """
        super().reset(role, spec, seed)
        Prompts(self.prompts, spec, role)

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int | str:
        """The model's next move.

        Raises:
            AgentFailure: if the server gives no answer; says how to mend it.
        """
        return run(self._move(observation, info), self.sleep)

    async def aact(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int | str:
        """As `act`, without blocking the running loop."""
        return await arun(self._move(observation, info), self.asleep)

    def take_trace(self) -> list[Call]:
        """The requests made since the last call, in order."""
        trace, self._trace = self._trace, []
        return trace

    def _move(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Steps[int | str]:
        free = "menu_mask" in info
        legal = legal_actions(observation, info)
        sentences = self.spec.menu(self.role)
        prompts = Prompts(self.prompts, self.spec, self.role)
        messages = prompts.conversation(info, () if free else tuple(sentences[i] for i in legal))
        reply = yield from self._ask(messages)
        text, (action, problem) = self._understand(reply, info, None if free else legal)
        if problem:
            messages = messages + prompts.unreadable(text[:_RETURNED], problem)
            reply = yield from self._ask(messages)
            text, (action, problem) = self._understand(reply, info, None if free else legal)
        if free:
            return text
        if problem:
            self._trace[-1]["fallback"] = True
            return int(legal[0])
        return action

    def _ask(self, messages: list[dict[str, str]]) -> Steps[Reply]:
        call: Call = {
            "model": self.model,
            "messages": messages,
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
        body = {"model": self.model, "messages": messages, **self.settings}
        return (yield from ask(self.server, body, call, self.name, self.rng.random))

    def _understand(
        self, reply: Reply, info: Mapping[str, Any], legal: NDArray[np.intp] | None
    ) -> tuple[str, Understood]:
        text = visible(reply.text)[:MAX_UTTERANCE]
        if text:
            understood = self.spec.understand(self.role, text, info)
            if legal is not None and not understood.problem and understood.action not in legal:
                understood = Understood(-1, "That is not among the sentences that you can say now.")
        else:
            understood = Understood(-1, "You said nothing.")
        if understood.problem:
            self._trace[-1]["unreadable"] = True
            if reply.finish_reason == "length":
                understood = understood._replace(
                    problem=f"{understood.problem} Your reply was cut off: be shorter."
                )
        return text, understood


def _check(option: str, value: Any, wanted: str, holds: Callable[[Any], bool]) -> None:
    if value is not None and not holds(value):
        raise ValueError(f"{option}={value!r}: {wanted}")
