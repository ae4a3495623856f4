"""Requests to an OpenAI-compatible server.

`ask` is a generator: it yields what is to be done (`Enter`, `Send`, `Wait`) and receives what came
of it. `run` carries that out with blocking calls and `arun` with awaited ones, so that retries,
waits and the reading of replies exist once. Retries are ours, the openai client's own are off: only
so are the counts in the trace true. What the requests of a run share is in
`unspoken.agents.llm.traffic`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from functools import cache
from typing import Any, NamedTuple, NotRequired, TypedDict, TypeVar, cast
from urllib.parse import urlsplit

import openai

from unspoken.agents.base import AgentFailure
from unspoken.agents.llm import traffic
from unspoken.agents.llm.cache import Draw
from unspoken.agents.llm.replies import Fault, Reply, as_response, fault_of, read, read_response
from unspoken.agents.llm.traffic import Lane, Traffic

log = logging.getLogger(__name__)

OPENAI = "https://api.openai.com/v1"
KEY = "OPENAI_API_KEY"
FIRST_WAIT = 0.5
LONGEST_BACKOFF = 30.0
LONGEST_WAIT = 300.0
"""A server that asks for more seconds than this is taken not to answer."""

PATHS = {"chat": "/chat/completions", "responses": "/responses"}
"""The kinds of API, and where they are."""

_NO_KEY = "none"


class Refused(AgentFailure):
    """The server does not take such a request; it may take another."""


class Call(TypedDict):
    """One request to a model and what came of it: an entry of a trace. No key is in it.

    Attributes:
        model: the model that was asked.
        messages: the prompt.
        step: what a method (`unspoken.agents.llm.methods`) asked for; "" for a plain move.
        turn: the game's turn in which it was asked; None if no player asked.
        move: which of the player's moves of the game it was made for, from 0; likewise.
        response_format: its type, where one was asked for.
        prompts: version of the templates that the prompt was made by
            (`unspoken.agents.llm.prompts`); "" if it was made by none.
        base_url: root of the API that was asked, without a user's name and password.
        served: what the server calls the model; "" if it does not say.
        fingerprint: what the server calls its configuration (`system_fingerprint`); None if it
            does not say.
        reply: what the model wrote, with its reasoning where that is in the text; None if nothing
            came.
        reasoning: what the server gives of its reasoning beside the text; only where it does.
        finish_reason: the server's word for why the reply ended.
        usage: tokens as `Reply.usage` has them, of all attempts together; None if the server does
            not count them. Zeros if the reply came from the cache.
        cost: what that cost, in the currency of the price table; None if it has no price.
        cached: whether the reply came from the cache on disk; nothing was sent then.
        latency_s: seconds from the last attempt's start to its end, waits not included.
        attempts: how often the request was sent.
        error: what went wrong with the last attempt; None if it went well.
        failure: the message of the failure that came of it; None if a reply did.
        refused: whether the server said that it does not take such a request.
        unreadable: whether nothing could be made of the reply.
        fallback: whether something else stands in for the reply: a legal action, or the verdict
            of the rule-based arbiter.
        logprobs: as `Reply.logprobs`; only where they were asked for.
    """

    model: str
    messages: list[dict[str, str]]
    step: str
    turn: int | None
    move: int | None
    response_format: str | None
    prompts: str
    base_url: str
    served: str
    fingerprint: str | None
    reply: str | None
    finish_reason: str | None
    usage: dict[str, int] | None
    cost: float | None
    cached: bool
    latency_s: float
    attempts: int
    error: str | None
    failure: str | None
    refused: bool
    unreadable: bool
    fallback: bool
    logprobs: NotRequired[dict[str, float]]
    reasoning: NotRequired[str]


_OUTCOME = (
    "base_url", "served", "fingerprint", "reply", "finish_reason", "usage", "cost", "cached",
    "latency_s", "attempts", "error", "failure", "refused", "logprobs", "reasoning",
    "response_format",
)  # fmt: skip
"""What of a call a replay takes from the record; the rest is known before, or judged after."""


class Server(NamedTuple):
    """Where requests go.

    Attributes:
        base_url: root of its API; None is `OPENAI_BASE_URL`, or OpenAI itself.
        timeout: seconds to wait for a reply; under `run` between two bytes of it.
        retries: how often a request is sent again after a transient fault.
        api: one of PATHS.
        key_env: the environment variable that holds the key.
    """

    base_url: str | None
    timeout: float
    retries: int
    api: str = "chat"
    key_env: str = KEY


class Send(NamedTuple):
    """To be done: a request. What came of it is the body, or the exception."""

    server: Server
    body: dict[str, Any]


class Enter(NamedTuple):
    """To be done: taking a place on the way to an endpoint."""

    lane: Lane


class Wait(NamedTuple):
    """To be done: waiting."""

    seconds: float


T = TypeVar("T")
Steps = Generator[Send | Enter | Wait, bytes | Exception | None, T]


def root(base_url: str | None) -> str:
    """The root of a server's API: the one given, `OPENAI_BASE_URL`, or OpenAI's own."""
    return base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI


def key(name: str = KEY) -> str:
    """The key that an environment variable holds, or "".

    Keys and clients are kept in this module only, so that agents can be copied, pickled and shown.
    """
    return os.environ.get(name, "").strip()


def new_call(
    model: str,
    messages: list[dict[str, str]],
    *,
    step: str = "",
    turn: int | None = None,
    move: int | None = None,
    response_format: str | None = None,
    prompts: str = "",
    base_url: str = "",
) -> Call:
    """A request of which nothing has come yet; see `Call`."""
    return {
        "model": model,
        "messages": messages,
        "step": step,
        "turn": turn,
        "move": move,
        "response_format": response_format,
        "prompts": prompts,
        "base_url": _shown(base_url),
        "served": "",
        "fingerprint": None,
        "reply": None,
        "finish_reason": None,
        "usage": None,
        "cost": None,
        "cached": False,
        "latency_s": 0.0,
        "attempts": 0,
        "error": None,
        "failure": None,
        "refused": False,
        "unreadable": False,
        "fallback": False,
    }


def ask(
    server: Server,
    body: dict[str, Any],
    call: Call,
    name: str,
    jitter: Callable[[], float],
    draw: Draw = Draw(),  # noqa: B008 - it cannot change
) -> Steps[Reply]:
    """Send a request until it is answered.

    Args:
        server: where to.
        body: the request, as chat completions have it.
        call: kept up to date with what happens.
        name: how messages call the one who asks.
        jitter: a number from 0 to 1 that backoffs are weighed by.
        draw: tells it from equal requests, for the cache.

    Raises:
        AgentFailure: if there is no answer; says what happened and how to mend it.
        BudgetSpent: if a limit of the run is reached, or cannot be held.
        ReplayError: in a replay, if the record has no answer.
    """
    record = traffic.recording()
    if record is not None:
        return _recorded(call, record.answer(call))
    shared = traffic.current()
    url, reader = root(server.base_url), read
    if server.api == "responses":
        body, reader = as_response(body), read_response
    place = shared.cache.key(url, server.api, body, draw) if shared.cache else None
    if shared.cache and place and (kept := shared.cache.get(place)):
        got = reader(kept)
        if isinstance(got, Reply):
            shared.book_cached(call["model"])
            nothing = {"prompt_tokens": 0, "completion_tokens": 0}
            call.update({"cached": True, "usage": nothing, "cost": 0.0})
            return _noted(call, got)
    lane, waited = shared.lane(url), 0.0
    while True:
        waited = yield from _entered(lane, shared, call["model"], waited, jitter)
        start = time.perf_counter()
        try:
            call["attempts"] += 1
            outcome = yield Send(server, body)
        except GeneratorExit:  # broken off: it was sent, and nobody will say what it took
            shared.book(call["model"], None, failed=True)
            raise
        finally:
            lane.leave()
        call["latency_s"] = time.perf_counter() - start
        if isinstance(outcome, bytes):
            got = reader(outcome)
        else:
            got = fault_of(outcome, server.timeout, server.key_env)
        _count(call, got.usage)
        if isinstance(got, Reply):
            _noted(call, got)
        else:
            got = got._replace(what=_without_key(got.what, server.key_env))
            call["error"] = got.what
        cost = shared.book(call["model"], got.usage, failed=isinstance(got, Fault))
        if cost is not None:
            call["cost"] = (call["cost"] or 0.0) + cost
        if isinstance(got, Reply):
            if shared.cache and place and isinstance(outcome, bytes):
                shared.cache.put(place, outcome)
            return got
        attempts = call["attempts"]
        if not got.transient or got.wait > LONGEST_WAIT or attempts > server.retries:
            call["failure"], call["refused"] = _failure(name, attempts, got), got.refused
            raise (Refused if got.refused else AgentFailure)(call["failure"])
        backoff = min(FIRST_WAIT * 2 ** (attempts - 1), LONGEST_BACKOFF)
        seconds = got.wait + backoff * (1 + jitter()) / 2
        if got.wait:
            waited = lane.pause(got.wait)  # nobody else needs to be told that, too
        shared.retries += 1
        log.info(
            "%s: %s; retry %d of %d in %.1f s", name, got.what, attempts, server.retries, seconds
        )
        yield Wait(seconds)


def _entered(
    lane: Lane, shared: Traffic, model: str, waited: float, jitter: Callable[[], float]
) -> Steps[float]:
    """Take a place when the endpoint lets requests through.

    Args:
        lane: the way to the endpoint.
        shared: what the requests of the run share.
        model: who is asked.
        waited: until when this request has waited, at least, by `time.monotonic`.
        jitter: spreads those that have waited for the same moment.

    Returns:
        until when it has waited now.
    """
    while True:
        while lane.until > max(waited, time.monotonic()):
            waited = lane.until
            yield Wait(waited - time.monotonic() + FIRST_WAIT * jitter())
        yield Enter(lane)
        try:
            shared.admit(model)  # as late as can be: much may have been spent while it waited
        except BaseException:
            lane.leave()
            raise
        if lane.until <= max(waited, time.monotonic()):
            return waited
        lane.leave()


def _noted(call: Call, reply: Reply) -> Reply:
    call.update(
        {
            "served": reply.model,
            "fingerprint": reply.fingerprint,
            "reply": reply.text,
            "finish_reason": reply.finish_reason,
            "error": None,
        }
    )
    if reply.logprobs is not None:
        call["logprobs"] = reply.logprobs
    if reply.reasoning:
        call["reasoning"] = reply.reasoning
    return reply


def _count(call: Call, usage: dict[str, int] | None) -> None:
    if usage is not None:
        so_far = call["usage"] or {}
        keys = {**so_far, **usage}
        call["usage"] = {name: so_far.get(name, 0) + usage.get(name, 0) for name in keys}


def _recorded(call: Call, record: Any) -> Reply:
    """What came of a request when it was recorded.

    Raises:
        AgentFailure: if that was a failure.
    """
    call.update(cast(Call, {name: record[name] for name in _OUTCOME if name in record}))
    if call["failure"] is not None:
        raise (Refused if call["refused"] else AgentFailure)(call["failure"])
    return Reply(
        call["reply"] or "",
        call["finish_reason"],
        call["served"],
        call["usage"],
        call.get("logprobs"),
        call["fingerprint"],
        call.get("reasoning", ""),
    )


def run(steps: Steps[T], sleep: Callable[[float], object]) -> T:
    """Carry out steps with blocking calls."""
    outcome: bytes | Exception | None = None
    try:
        while True:
            step = steps.send(outcome)
            outcome = None
            if isinstance(step, Wait):
                sleep(step.seconds)
            elif isinstance(step, Enter):
                step.lane.enter()
            else:
                try:
                    client = _client(*_credentials(step.server))
                    outcome = client.post(**_arguments(step))
                except Exception as error:  # whatever it is, `fault_of` has a word for it
                    outcome = error
    except StopIteration as stop:
        return cast(T, stop.value)
    finally:
        steps.close()  # gives its place back at once where something else ended it


async def arun(steps: Steps[T], sleep: Callable[[float], Awaitable[object]]) -> T:
    """Carry out steps without blocking the running loop."""
    outcome: bytes | Exception | None = None
    try:
        while True:
            step = steps.send(outcome)
            outcome = None
            if isinstance(step, Wait):
                await sleep(step.seconds)
            elif isinstance(step, Enter):
                await step.lane.aenter()
            else:
                try:
                    client = await _async_client(*_credentials(step.server))
                    async with asyncio.timeout(step.server.timeout):
                        outcome = await client.post(**_arguments(step))
                except Exception as error:  # whatever it is, `fault_of` has a word for it
                    outcome = error
    except StopIteration as stop:
        return cast(T, stop.value)
    finally:
        steps.close()  # gives its place back at once where something else ended it


def _arguments(send: Send) -> dict[str, Any]:
    # not `chat.completions.create`, which looks at every field of every message: ten times as slow
    return {
        "path": PATHS[send.server.api],
        "body": send.body,
        "cast_to": bytes,
        "options": {"timeout": send.server.timeout},
    }


def _failure(name: str, attempts: int, fault: Fault) -> str:
    tries = "" if attempts == 1 else f" ({attempts} attempts)"
    return f"{name}: {fault.what}{tries}; {fault.mend}"


def _without_key(text: str, name: str) -> str:
    # a shorter one is a local server's dummy, and perhaps part of a word
    return text.replace(key(name), "[key]") if len(key(name)) >= 8 else text


def _shown(url: str) -> str:
    """A URL as it can be kept: without a user's name and password."""
    host = urlsplit(url).netloc
    return url.replace(host, host.rpartition("@")[2], 1)


def _credentials(server: Server) -> tuple[str, str]:
    return root(server.base_url), key(server.key_env) or _NO_KEY


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
