"""How a model is brought to a reply: in one request, or with more thought (SNEAK 3.2).

A method gets the conversation and a way to ask, and returns the reply that is to be played. Its
own requests are made by the templates `methods/….jinja`, which a game can replace by its own
(`GAME/ROLE.….jinja`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Protocol

from unspoken.agents.llm.client import Steps
from unspoken.agents.llm.prompts import Prompts, message
from unspoken.agents.llm.replies import Reply, visible

Messages = list[dict[str, str]]
Ask = Callable[[Messages, str], Steps[Reply]]
"""Asks the model; the second argument says what the request is for, in the trace."""

_ANSWER = re.compile(r"<(answer|message)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_VERDICT = re.compile(r"\bverdict\W+(good|bad)\b", re.IGNORECASE)


class Method(Protocol):
    """Brings a model to a reply."""

    def __call__(
        self, ask: Ask, prompts: Prompts, messages: Messages, *, samples: int, corrections: int
    ) -> Steps[Reply]:
        """The reply to play.

        Args:
            ask: asks the model.
            prompts: the templates of the role.
            messages: the conversation, which asks for a move.
            samples: how many candidates to make, where the method makes several.
            corrections: how often a candidate is corrected at most.
        """


def plain(ask: Ask, prompts: Prompts, messages: Messages, **_: int) -> Steps[Reply]:
    """One request."""
    return (yield from ask(messages, ""))


def cot(ask: Ask, prompts: Prompts, messages: Messages, **_: int) -> Steps[Reply]:
    """Chain of thought: reasoning first, then the move between tags (Wei et al. 2022).

    A reply without the tags counts as none: reasoning must not be said aloud.
    """
    reply = yield from ask(_extended(messages, prompts.method("cot")), "reason")
    spans = [(span[1].lower(), span[0], span[2]) for span in _ANSWER.finditer(visible(reply.text))]
    if not spans:
        return reply._replace(text="")
    tag, whole, said = spans[-1]
    return reply._replace(text=said.strip() if tag == "answer" else whole)  # a game's own tag stays


def self_consistency(
    ask: Ask, prompts: Prompts, messages: Messages, *, samples: int, **__: int
) -> Steps[Reply]:
    """The reply that most samples agree on, of several that do the first (Wang et al. 2023)."""
    replies = []
    for _ in range(samples):
        replies.append((yield from ask(messages, "sample")))  # noqa: PERF401 - it yields
    return _most_common(replies)[0]


def sets(
    ask: Ask, prompts: Prompts, messages: Messages, *, samples: int, corrections: int
) -> Steps[Reply]:
    """Self-enhanced test-time scaling: candidates, each verified and corrected (Chen et al. 2025).

    Of the candidates the most common is played; where several are equally common, as free text
    often is, the model chooses among them.
    """
    finals = []
    for _ in range(samples):
        reply = yield from ask(messages, "sample")
        for _ in range(corrections):
            checked = [*_answered(messages, reply), message("user", prompts.method("verify"))]
            verdict = yield from ask(checked, "verify")
            found = _VERDICT.findall(visible(verdict.text))
            if found and found[-1].lower() == "good":
                break
            mended = [*_answered(checked, verdict), message("user", prompts.method("correct"))]
            reply = yield from ask(mended, "correct")
        finals.append(reply)
    best = _most_common(finals)
    if len(best) == 1:
        return best[0]
    drafts = [visible(reply.text) for reply in best]
    choice = yield from ask(_extended(messages, prompts.method("choose", drafts=drafts)), "choose")
    numbers = [int(n) for n in re.findall(r"\d+", visible(choice.text))]
    return best[next((n - 1 for n in numbers if 1 <= n <= len(best)), 0)]


def rmr(ask: Ask, prompts: Prompts, messages: Messages, **_: int) -> Steps[Reply]:
    """Recursive message refinement: a first message, then one that hints at the first (SNEAK)."""
    first = yield from ask(messages, "draft")
    refine = [*_answered(messages, first), message("user", prompts.method("rmr"))]
    return (yield from ask(refine, "refine"))


_METHODS: dict[str, Method] = {
    "plain": plain,
    "cot": cot,
    "self-consistency": self_consistency,
    "sets": sets,
    "rmr": rmr,
}


def method(name: str) -> Method:
    """The method of a name.

    Raises:
        ValueError: if there is none; lists what exists.
    """
    if name not in _METHODS:
        raise ValueError(f"method={name!r} does not exist; choose from {', '.join(_METHODS)}")
    return _METHODS[name]


def _answered(messages: Messages, reply: Reply) -> Messages:
    return [*messages, message("assistant", visible(reply.text))]


def _extended(messages: Messages, text: str) -> Messages:
    """The conversation with more said in its last message."""
    *before, last = messages
    return [*before, message(last["role"], f"{last['content']}\n\n{text}")]


def _most_common(replies: list[Reply]) -> list[Reply]:
    """The replies that most others are equal to, each once, in their order."""
    keys = [" ".join(re.findall(r"\w+", visible(reply.text).casefold())) for reply in replies]
    counts = Counter(keys)
    most = max(counts.values())
    first: dict[str, Reply] = {}
    for key, reply in zip(keys, replies, strict=True):
        if counts[key] == most:
            first.setdefault(key, reply)
    return list(first.values())
