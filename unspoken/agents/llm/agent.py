"""An agent that is a language model: `openai:MODEL?temperature=0.7&…`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Unpack

from unspoken.agents.base import BaseAgent, legal_actions, sentences
from unspoken.agents.llm.client import Steps, arun, run
from unspoken.agents.llm.memory import Memory
from unspoken.agents.llm.methods import Method, Tools
from unspoken.agents.llm.model import RETURNED, LanguageModel, Sampling, check
from unspoken.agents.llm.prompts import Messages, Prompts
from unspoken.agents.llm.reading import Reader
from unspoken.agents.llm.replies import Reply, unwrapped, visible
from unspoken.envs.registry import GameSpec


class LLMAgent(LanguageModel, BaseAgent):
    """A language model behind an OpenAI-compatible server.

    Each move is a chat completion over the game so far. A reply that the game cannot read is put
    to the model once more with what was wrong (step "again" in the trace); if the second one is
    not readable either, free games get it as it is, and by menu the first legal action is played
    (`fallback` in the trace). The key is `OPENAI_API_KEY`; it is never kept in the agent.

    Args:
        model: the model's name on its server.
        name: how tables call it; "openai:MODEL" by default.
        temperature: 0 to 2; 0.7 as in AIDG 4.2. None leaves it to the server.
        method: how the model is brought to a move (`unspoken.agents.llm.methods`): "plain", "cot",
            "self-consistency", "sets", "rmr", or some of them as in "cot+self-consistency".
        samples: candidates a move, where the method makes several; 1 or more.
        corrections: how often "sets" has a candidate corrected at most; 0 or more.
        history: what a request holds of the game so far (`unspoken.agents.llm.memory`): "full",
            "window:N" or "summary:N".
        form: in which form: "chat" or "transcript".
        structured: whether the server is asked to hold moves to a JSON schema; a game's server
            that refuses it once is not asked again.
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
        history: str = "full",
        form: str = "chat",
        structured: bool = False,
        **settings: Unpack[Sampling],
    ) -> None:
        check("samples", samples, "1 or more", lambda x: x >= 1)
        check("corrections", corrections, "0 or more", lambda x: x >= 0)
        self._method = Method(method, samples, corrections)
        self._memory = Memory(history, form)
        BaseAgent.__init__(self, name or f"openai:{model}", quick=False)
        LanguageModel.__init__(self, model, self.name, temperature=temperature, **settings)
        self.structured = structured
        self.asleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role.

        Raises:
            ValueError: if there are no prompts for it, or they are not valid.
        """
        super().reset(role, spec, seed)
        self.occasion = seed
        self.prompts_version = self._templates().version
        self._memory.forget()
        self.turn = self.move = None

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
        said = sentences(self.spec, self.role, info)
        menu = () if free else tuple(said[i] for i in legal)
        prompts = self._templates()
        reader = Reader(self.spec, self.role, info, None if free else legal)
        self.turn, self.move = info["turn"], 0 if self.move is None else self.move + 1

        def think(messages: Messages, step: str) -> Steps[Reply]:
            return (yield from self._ask(messages, self.rng.random, step))

        def say(messages: Messages, step: str) -> Steps[Reply]:
            structured = self.structured
            reply = yield from self._ask_to_say(messages, self.rng.random, step, menu)
            words = visible(reply.text)
            return reply._replace(text=unwrapped(words) if structured else words)

        messages = yield from self._memory.conversation(
            prompts, info, menu, lambda messages: think(messages, "summary")
        )
        reply = yield from self._method(Tools(say, think, prompts, reader.meaning), messages)
        text, (action, problem) = reader.read(reply)
        if problem:
            self._trace[-1]["unreadable"] = True
            messages = messages + prompts.unreadable(text[:RETURNED], problem)
            text, (action, problem) = reader.read((yield from say(messages, "again")), choosy=False)
            self._trace[-1]["unreadable"] = bool(problem)
        if free:
            return text
        if problem:
            self._trace[-1]["fallback"] = True
            return int(legal[0])
        return action

    def _templates(self) -> Prompts:
        # made anew, since templates cannot be copied or pickled; jinja keeps what it has read
        steps = (*self._memory.templates, *self._method.templates)
        return Prompts(self.prompts, self.spec, self.role, steps)
