"""Requests to an OpenAI-compatible server.

`ask` is a generator: it yields what is to be done (`Send`, `Wait`) and receives what came of it.
`run` carries that out with blocking calls and `arun` with awaited ones, so that retries, waits and
the reading of replies exist once. Retries are ours, the openai client's own are off: only so are
the counts in the trace true.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from functools import cache
from typing import Any, NamedTuple, TypedDict, TypeVar, cast

import openai

from unspoken.agents.base import AgentFailure
from unspoken.agents.llm.replies import Fault, Reply, fault_of, read

log = logging.getLogger(__name__)

OPENAI = "https://api.openai.com/v1"
FIRST_WAIT = 0.5
LONGEST_BACKOFF = 30.0
LONGEST_WAIT = 300.0
"""A server that asks for more seconds than this is taken not to answer."""

_NO_KEY = "none"


class Refused(AgentFailure):
    """The server does not take such a request; it may take another."""


class Call(TypedDict):
    """One request to a model and what came of it: an entry of a trace.

    Attributes:
        model: the model that was asked, or what the server says it was.
        messages: the prompt.
        step: what a method (`unspoken.agents.llm.methods`) asked for; "" for a plain move.
        reply: what the model wrote, reasoning included; None if nothing came.
        finish_reason: the server's word for why the reply ended.
        usage: "prompt_tokens" and "completion_tokens", where the server counts them.
        latency_s: seconds from the last attempt's start to its end, waits not included.
        attempts: how often the request was sent.
        error: what went wrong with the last attempt; None if it went well.
        unreadable: whether nothing could be made of the reply.
        fallback: whether something else stands in for the reply: a legal action, or the verdict
            of the rule-based arbiter.
    """

    model: str
    messages: list[dict[str, str]]
    step: str
    reply: str | None
    finish_reason: str | None
    usage: dict[str, int] | None
    latency_s: float
    attempts: int
    error: str | None
    unreadable: bool
    fallback: bool


class Server(NamedTuple):
    """Where requests go.

    Attributes:
        base_url: root of its API; None is `OPENAI_BASE_URL`, or OpenAI itself.
        timeout: seconds to wait for a reply; under `run` between two bytes of it.
        retries: how often a request is sent again after a transient fault.
    """

    base_url: str | None
    timeout: float
    retries: int


class Send(NamedTuple):
    """To be done: a request. What came of it is the body, or the exception."""

    server: Server
    body: dict[str, Any]


class Wait(NamedTuple):
    """To be done: waiting."""

    seconds: float


T = TypeVar("T")
Steps = Generator[Send | Wait, bytes | Exception | None, T]


def root(base_url: str | None) -> str:
    """The root of a server's API: the one given, `OPENAI_BASE_URL`, or OpenAI's own."""
    return base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI


def key() -> str:
    """`OPENAI_API_KEY`, or "".

    Keys and clients are kept in this module only, so that agents can be copied, pickled and shown.
    """
    return os.environ.get("OPENAI_API_KEY", "").strip()


def ask(
    server: Server, body: dict[str, Any], call: Call, name: str, jitter: Callable[[], float]
) -> Steps[Reply]:
    """Send a request until it is answered.

    Args:
        server: where to.
        body: the request.
        call: kept up to date with what happens.
        name: how messages call the one who asks.
        jitter: a number from 0 to 1 that backoffs are weighed by.

    Raises:
        AgentFailure: if there is no answer; says what happened and how to mend it.
    """
    while True:
        call["attempts"] += 1
        start = time.perf_counter()
        outcome = yield Send(server, body)
        call["latency_s"] = time.perf_counter() - start
        got = read(outcome) if isinstance(outcome, bytes) else fault_of(outcome, server.timeout)
        if isinstance(got, Reply):
            call.update(
                {
                    "model": got.model or call["model"],
                    "reply": got.text,
                    "finish_reason": got.finish_reason,
                    "usage": got.usage,
                    "error": None,
                }
            )
            return got
        what = call["error"] = _without_key(got.what)
        attempts = call["attempts"]
        if not got.transient or got.wait > LONGEST_WAIT or attempts > server.retries:
            failure = Refused if got.refused else AgentFailure
            raise failure(_failure(name, attempts, got._replace(what=what)))
        backoff = min(FIRST_WAIT * 2 ** (attempts - 1), LONGEST_BACKOFF)
        seconds = got.wait + backoff * (1 + jitter()) / 2
        log.info("%s: %s; retry %d of %d in %.1f s", name, what, attempts, server.retries, seconds)
        yield Wait(seconds)


def run(steps: Steps[T], sleep: Callable[[float], object]) -> T:
    """Carry out steps with blocking calls."""
    outcome: bytes | Exception | None = None
    while True:
        try:
            step = steps.send(outcome)
        except StopIteration as stop:
            return cast(T, stop.value)
        if isinstance(step, Wait):
            outcome = None
            sleep(step.seconds)
            continue
        try:
            client = _client(*_credentials(step.server))
            raw = client.chat.completions.with_raw_response.create(**_arguments(step))
            outcome = raw.http_response.content
        except Exception as error:  # whatever it is, `fault_of` has a word for it
            outcome = error


async def arun(steps: Steps[T], sleep: Callable[[float], Awaitable[object]]) -> T:
    """Carry out steps without blocking the running loop."""
    outcome: bytes | Exception | None = None
    while True:
        try:
            step = steps.send(outcome)
        except StopIteration as stop:
            return cast(T, stop.value)
        if isinstance(step, Wait):
            outcome = None
            await sleep(step.seconds)
            continue
        try:
            client = await _async_client(*_credentials(step.server))
            async with asyncio.timeout(step.server.timeout):
                raw = await client.chat.completions.with_raw_response.create(**_arguments(step))
            outcome = raw.http_response.content
        except Exception as error:  # whatever it is, `fault_of` has a word for it
            outcome = error


def _arguments(send: Send) -> dict[str, Any]:
    return {**send.body, "timeout": send.server.timeout}


def _failure(name: str, attempts: int, fault: Fault) -> str:
    tries = "" if attempts == 1 else f" ({attempts} attempts)"
    return f"{name}: {fault.what}{tries}; {fault.mend}"


def _without_key(text: str) -> str:
    # a shorter one is a local server's dummy, and perhaps part of a word
    return text.replace(key(), "[key]") if len(key()) >= 8 else text


def _credentials(server: Server) -> tuple[str, str]:
    return root(server.base_url), key() or _NO_KEY


@cache
def _client(base_url: str, key: str) -> openai.OpenAI:
    return openai.OpenAI(api_key=key, base_url=base_url, max_retries=0)


_Place = tuple[asyncio.AbstractEventLoop, str, str]
_open: dict[_Place, AsyncGenerator[openai.AsyncOpenAI, None]] = {}
_clients: dict[_Place, openai.AsyncOpenAI] = {}


async def _async_client(base_url: str, key: str) -> openai.AsyncOpenAI:
    """The running loop's client; connections cannot move from loop to loop."""
    place = (asyncio.get_running_loop(), base_url, key)
    if place not in _clients:
        _open[place] = _until_the_loop_ends(place)
        _clients[place] = await anext(_open[place])
    return _clients[place]


async def _until_the_loop_ends(place: _Place) -> AsyncGenerator[openai.AsyncOpenAI, None]:
    # asyncio.run closes the asynchronous generators that are left, and so the connections
    _, base_url, key = place
    client = openai.AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0)
    try:
        yield client
    finally:
        del _open[place], _clients[place]
        await client.close()
