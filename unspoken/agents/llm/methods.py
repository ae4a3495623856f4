"""How a model is brought to a reply: in one request, or with more thought (SNEAK 3.2).

A method gets the conversation and ways to ask, and returns the reply that is to be played. Its
own requests are made by the templates `methods/….jinja`, which a game can replace by its own
(`GAME/ROLE.….jinja`).

Methods are joined by "+", from the inner to the outer: the inner one brings what the outer one
works on. "rmr+self-consistency" is the most common of several refined messages,
"self-consistency+rmr" refines the most common of several messages. "cot" is how a single request
is made, so it is the innermost wherever it stands. The `step` of a request says what it is for,
from the outer to the inner method, as in "sample/refine/reason".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Protocol

from unspoken.agents.llm.client import Steps
from unspoken.agents.llm.prompts import Messages, Prompts, message
from unspoken.agents.llm.replies import Reply, visible

Ask = Callable[[Messages, str], Steps[Reply]]
"""Asks the model; the second argument says what the request is for, in the trace."""

_ANSWER = re.compile(r"<(answer|message)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_VERDICT = re.compile(r"\bverdict\W+(good|bad)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Tools:
    """What a method works with.

    Attributes:
        say: asks for a move and nothing else.
        think: asks for any words.
        prompts: the templates of the role.
        meaning: what the game takes a reply for; None if that is no move.
    """

    say: Ask
    think: Ask
    prompts: Prompts
    meaning: Callable[[Reply], Hashable | None]


class _Base(Protocol):
    """How a single reply is asked for; `step` is what it is wanted for."""

    def __call__(self, tools: Tools, messages: Messages, step: str) -> Steps[Reply]: ...


class _Outer(Protocol):
    """Makes a reply of others: `bring` brings one of these, `tools.think` asks about them."""

    def __call__(
        self, bring: Ask, tools: Tools, messages: Messages, *, samples: int, corrections: int
    ) -> Steps[Reply]: ...


def plain(tools: Tools, messages: Messages, step: str) -> Steps[Reply]:
    """One request."""
    return (yield from tools.say(messages, step))


def cot(tools: Tools, messages: Messages, step: str) -> Steps[Reply]:
    """Chain of thought: reasoning first, then the move between tags (Wei et al. 2022).

    A reply without the tags counts as none: reasoning must not be said aloud.
    """
    thoughtful = _extended(messages, tools.prompts.method("cot"))
    reply = yield from tools.think(thoughtful, _path(step, "reason"))
    spans = [(span[1].lower(), span[0], span[2]) for span in _ANSWER.finditer(visible(reply.text))]
    if not spans:
        return reply._replace(text="")
    tag, whole, said = spans[-1]
    return reply._replace(text=said.strip() if tag == "answer" else whole)  # a game's own tag stays


def self_consistency(
    bring: Ask, tools: Tools, messages: Messages, *, samples: int, **_: int
) -> Steps[Reply]:
    """The reply that most samples agree on, the first of several such (Wang et al. 2023)."""
    replies = []
    for _n in range(samples):
        replies.append((yield from bring(messages, "sample")))  # noqa: PERF401 - it yields
    return _most_common(replies, tools)[0]


def sets(
    bring: Ask, tools: Tools, messages: Messages, *, samples: int, corrections: int
) -> Steps[Reply]:
    """Self-enhanced test-time scaling: candidates, each verified and corrected (Chen et al. 2025).

    Of the candidates the most common is played; where several are equally common, as free text
    often is, the model chooses among them.
    """
    prompts = tools.prompts
    finals = []
    for _ in range(samples):
        reply = yield from bring(messages, "sample")
        for _ in range(corrections):
            checked = [*_answered(messages, reply), message("user", prompts.method("verify"))]
            verdict = yield from tools.think(checked, "verify")
            found = _VERDICT.findall(visible(verdict.text))
            if found and found[-1].lower() == "good":
                break
            mended = [*_answered(checked, verdict), message("user", prompts.method("correct"))]
            reply = yield from bring(mended, "correct")
        finals.append(reply)
    best = _most_common(finals, tools)
    if len(best) == 1:
        return best[0]
    drafts = [visible(reply.text) for reply in best]
    question = _extended(messages, prompts.method("choose", drafts=drafts))
    choice = yield from tools.think(question, "choose")
    numbers = [int(n) for n in re.findall(r"\d+", visible(choice.text))]
    return best[next((n - 1 for n in numbers if 1 <= n <= len(best)), 0)]


def rmr(bring: Ask, tools: Tools, messages: Messages, **_: int) -> Steps[Reply]:
    """Recursive message refinement: a first message, then one that hints at the first (SNEAK)."""
    first = yield from bring(messages, "draft")
    refine = [*_answered(messages, first), message("user", tools.prompts.method("rmr"))]
    return (yield from bring(refine, "refine"))


_BASES: dict[str, _Base] = {"plain": plain, "cot": cot}
_OUTER: dict[str, _Outer] = {"self-consistency": self_consistency, "sets": sets, "rmr": rmr}
_TEMPLATES = {"cot": ("cot",), "sets": ("verify", "correct", "choose"), "rmr": ("rmr",)}


@dataclass(frozen=True)
class Method:
    """A method, or several of which each brings what the next one works on.

    Args:
        name: "plain", "cot", "self-consistency", "sets", "rmr", or some of them joined by "+"
            (which a query string may have turned into a space), inner to outer.
        samples: candidates a move, where a method makes several; 1 or more.
        corrections: how often "sets" has a candidate corrected at most; 0 or more.

    Raises:
        ValueError: if there is no such method, or the methods cannot be joined.
    """

    name: str = "plain"
    samples: int = 3
    corrections: int = 1

    def __post_init__(self) -> None:
        known, names = (*_BASES, *_OUTER), self._names
        for name in names:
            if name not in known:
                problem = (
                    f"there is no method {name!r}; choose from {', '.join(known)}, or join some of "
                    "them as in cot+self-consistency"
                )
            elif names.count(name) > 1:
                problem = f"{name} is there twice; once is enough"
            elif name == "plain" and len(names) > 1:
                problem = "plain adds nothing to another method; leave it out"
            else:
                continue
            raise ValueError(f"method={self.name!r}: {problem}")

    @property
    def templates(self) -> tuple[str, ...]:
        """The steps that it has templates for."""
        return tuple(step for name in self._names for step in _TEMPLATES.get(name, ()))

    def __call__(self, tools: Tools, messages: Messages) -> Steps[Reply]:
        """The reply to play.

        Args:
            tools: see `Tools`.
            messages: the conversation, which asks for a move.
        """
        base = next((name for name in self._names if name in _BASES), "plain")
        outer = [name for name in self._names if name in _OUTER]
        return self._brought(base, outer, tools, messages, "")

    def _brought(
        self, base: str, outer: list[str], tools: Tools, messages: Messages, step: str
    ) -> Steps[Reply]:
        if not outer:
            return (yield from _BASES[base](tools, messages, step))
        *inner, last = outer

        def bring(messages: Messages, part: str) -> Steps[Reply]:
            return self._brought(base, inner, tools, messages, _path(step, part))

        def think(messages: Messages, part: str) -> Steps[Reply]:
            return tools.think(messages, _path(step, part))

        make, here = _OUTER[last], replace(tools, think=think)
        numbers = {"samples": self.samples, "corrections": self.corrections}
        return (yield from make(bring, here, messages, **numbers))

    @property
    def _names(self) -> list[str]:
        return re.split(r"[+ ]", self.name)


def _path(step: str, part: str) -> str:
    return f"{step}/{part}" if step else part


def _answered(messages: Messages, reply: Reply) -> Messages:
    return [*messages, message("assistant", visible(reply.text))]


def _extended(messages: Messages, text: str) -> Messages:
    """The conversation with more said in its last message."""
    *before, last = messages
    return [*before, message(last["role"], f"{last['content']}\n\n{text}")]


def _most_common(replies: list[Reply], tools: Tools) -> list[Reply]:
    """The replies that most others mean the same as, each once, in their order.

    Replies that are no move count only if all are none.
    """
    keys = [tools.meaning(reply) for reply in replies]
    moves = [(key, reply) for key, reply in zip(keys, replies, strict=True) if key is not None]
    if not moves:
        moves = [(visible(reply.text), reply) for reply in replies]
    counts = Counter(key for key, _ in moves)
    most = max(counts.values())
    first: dict[Hashable, Reply] = {}
    for key, reply in moves:
        if counts[key] == most:
            first.setdefault(key, reply)
    return list(first.values())
