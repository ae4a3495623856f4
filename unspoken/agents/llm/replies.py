"""What came back from a server: a reply, or a fault."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import openai

_SHOWN = 300
_REASONING = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_TRANSIENT = (408, 409, 425, 429)
_REFUSED = (400, 404, 422)
_LOAD = "try later, raise retries=, or play fewer games at once"
_MENDS = {
    400: "take what the server refuses out of the agent's options (temperature=none leaves it out)",
    401: "check OPENAI_API_KEY",
    402: "check the account's credit",
    403: "check what the key may use",
    404: "check the model's name and base_url, which often ends in /v1",
    422: "take what the server refuses out of the agent's options",
}


class Reply(NamedTuple):
    """What a model wrote.

    Attributes:
        text: its words, or its refusal; "" if there are none.
        finish_reason: the server's word for why it ended.
        model: what the server calls the model; "" if it does not say.
        usage: "prompt_tokens" and "completion_tokens", where the server counts them.
        logprobs: what its first token could have been and the log-probability of each, the one
            that it was included; None if the server gives none.
    """

    text: str
    finish_reason: str | None
    model: str
    usage: dict[str, int] | None
    logprobs: dict[str, float] | None = None


class Fault(NamedTuple):
    """Why there is no reply.

    Attributes:
        what: what happened.
        mend: what a person can do.
        transient: whether the same request may succeed later.
        wait: seconds that the server asks to wait.
        refused: whether another request might have been taken.
    """

    what: str
    mend: str
    transient: bool = True
    wait: float = 0.0
    refused: bool = False


def read(body: bytes) -> Reply | Fault:
    """Read a body that came with success."""
    try:
        data = json.loads(body)
        choice = data["choices"][0]
        message: dict[str, Any] = {**choice["message"]}
    except (ValueError, LookupError, TypeError, RecursionError):
        shown = _short(body[: 4 * _SHOWN].decode(errors="replace"))
        return Fault(f"the server sent no chat completion but {shown!r}", _LOAD)
    text = _text(message.get("content")) or _text(message.get("refusal"))
    usage = data.get("usage")
    counts = {
        key: usage[key]
        for key in ("prompt_tokens", "completion_tokens")
        if isinstance(usage, dict) and isinstance(usage.get(key), int)
    }
    reason = choice.get("finish_reason")
    return Reply(
        clean(text),
        None if reason is None else clean(str(reason)),
        clean(_text(data.get("model"))),
        counts or None,
        _logprobs(choice.get("logprobs")),
    )


def visible(text: str) -> str:
    """A reply without its reasoning: `<think>…</think>`, either end of which may be missing."""
    kept: list[str] = []
    reasoning = False
    start = 0
    for tag in _REASONING.finditer(text):
        if not reasoning:
            kept.append(text[start : tag.start()])
        if tag[1] and not reasoning:
            kept.clear()  # no tag opened it, so all before was reasoning
        reasoning = not tag[1]
        start = tag.end()
    if not reasoning:
        kept.append(text[start:])
    return "".join(kept).strip()


def clean(text: str) -> str:
    """A text that can be sent and stored: without the lone surrogates that JSON lets in."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fault_of(error: Exception | None, timeout: float) -> Fault:
    """What an exception of the client means.

    Args:
        error: what the client raised.
        timeout: the limit that the request had.
    """
    if isinstance(error, (openai.APITimeoutError, TimeoutError)):
        return Fault(f"no reply within {timeout:g} s", "raise timeout=, or " + _LOAD)
    if isinstance(error, openai.APIStatusError):
        return _status_fault(error)
    if isinstance(error, openai.APIConnectionError):
        return Fault(
            f"the connection failed ({_short(str(error.__cause__ or error))})",
            "check base_url and that its server runs",
        )
    return Fault(
        f"the request could not be sent ({type(error).__name__}: {_short(str(error))})",
        "check OPENAI_API_KEY and base_url",
        transient=False,
    )


def _status_fault(error: openai.APIStatusError) -> Fault:
    status = error.status_code
    body = error.body
    said = body.get("message") if isinstance(body, Mapping) else body
    what = f"HTTP {status}: {_short(str(said or error.message))}"
    if error.code == "insufficient_quota":  # a 429 that no waiting cures
        return Fault(what, _MENDS[402], transient=False)
    if status in _TRANSIENT or status >= 500:
        return Fault(what, _LOAD, wait=_retry_after(error.response.headers))
    mend = _MENDS.get(status, "see what the server says")
    return Fault(what, mend, transient=False, refused=status in _REFUSED)


def _retry_after(headers: Mapping[str, str]) -> float:
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        return max(seconds, 0.0) if math.isfinite(seconds) else 0.0
    try:
        date = parsedate_to_datetime(headers["retry-after"])
        return max(date.timestamp() - time.time(), 0.0)
    except (KeyError, ValueError, OverflowError):
        return 0.0


def _text(content: Any) -> str:
    """Words of a content: a string, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _logprobs(given: Any) -> dict[str, float] | None:
    """Log-probabilities of the first token; None if they are not as they should be."""
    try:
        first = given["content"][0]
        found = {
            clean(token["token"]): min(float(token["logprob"]), 0.0)
            for token in (first, *(first.get("top_logprobs") or ()))
        }
    except (LookupError, TypeError, ValueError, OverflowError, AttributeError):
        return None
    return None if any(map(math.isnan, found.values())) else found


def _short(text: str) -> str:
    text = " ".join(clean(text).split())
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
