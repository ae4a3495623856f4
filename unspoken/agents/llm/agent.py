"""An agent that is a language model: `openai:MODEL?temperature=0.7&…`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.base import BaseAgent, legal_actions, sentences
from unspoken.agents.llm import methods
from unspoken.agents.llm.client import Steps, arun, run
from unspoken.agents.llm.model import RETURNED, LanguageModel, Sampling, check
from unspoken.agents.llm.prompts import Prompts
from unspoken.agents.llm.replies import Reply, visible
from unspoken.envs.base import MAX_UTTERANCE, Understood
from unspoken.envs.registry import GameSpec


class LLMAgent(LanguageModel, BaseAgent):
    """A language model behind an OpenAI-compatible server.

    Each move is a chat completion over the whole game so far. A reply that the game cannot read
    is put to the model once more with what was wrong; if the second one is not readable either,
    free games get it as it is, and by menu the first legal action is played (`fallback` in the
    trace). The key is `OPENAI_API_KEY`; it is never kept in the agent.

    Args:
        model: the model's name on its server.
        name: how tables call it; "openai:MODEL" by default.
        temperature: 0 to 2; 0.7 as in AIDG 4.2. None leaves it to the server.
        method: how the model is brought to a move (`unspoken.agents.llm.methods`): "plain", "cot",
            "self-consistency", "sets" or "rmr".
        samples: candidates a move, where the method makes several; 1 or more.
        corrections: how often "sets" has a candidate corrected at most; 0 or more.
        settings: see `unspoken.agents.llm.model.Sampling`.

    Attributes:
        sleep: what waits between attempts of `act`.
        asleep: what waits between attempts of `aact`.

    Raises:
        ValueError: if an option is out of its range, or there is neither a key nor a server of
            one's own.
    """

    def __init__(
        self,
        model: str,
        name: str | None = None,
        *,
        temperature: float | None = 0.7,
        method: str = "plain",
        samples: int = 3,
        corrections: int = 1,
        **settings: Unpack[Sampling],
    ) -> None:
        check("samples", samples, "1 or more", lambda x: x >= 1)
        check("corrections", corrections, "0 or more", lambda x: x >= 0)
        self._bring = partial(methods.method(method), samples=samples, corrections=corrections)
        BaseAgent.__init__(self, name or f"openai:{model}", quick=False)
        LanguageModel.__init__(
            self,
            model,
            self.name,
            temperature=temperature,
            **settings,
        )
        self.asleep: Callable[[float], Awaitable[object]] = asyncio.sleep

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

    def _move(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Steps[int | str]:
        free = "menu_mask" in info
        legal = legal_actions(observation, info)
        prompts = Prompts(self.prompts, self.spec, self.role)
        said = sentences(self.spec, self.role, info)
        menu = () if free else tuple(said[i] for i in legal)
        messages = prompts.conversation(info, menu)
        reply = yield from self._bring(self._step, prompts, messages)
        text, (action, problem) = self._understand(reply, info, None if free else legal)
        if problem:
            messages = messages + prompts.unreadable(text[:RETURNED], problem)
            reply = yield from self._ask(messages, self.rng.random)
            text, (action, problem) = self._understand(reply, info, None if free else legal)
        if free:
            return text
        if problem:
            self._trace[-1]["fallback"] = True
            return int(legal[0])
        return action

    def _step(self, messages: list[dict[str, str]], step: str) -> Steps[Reply]:
        return (yield from self._ask(messages, self.rng.random, step))

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
