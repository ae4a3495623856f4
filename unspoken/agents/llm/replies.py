"""What came back from a server: a reply, or a fault; and what a reply says.

Chat completions (`read`) and responses (`read_response`) are read into the same `Reply`. What
models put around the words that are wanted is taken away by `visible` (reasoning), `unwrapped`
(the JSON of `say_form` and `choice_form`) and `bare` (marks, quotes and labels).
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any, NamedTuple

import openai

_SHOWN = 300
_NEVER = -9999.0
"""What OpenAI gives for a token that cannot come; others give minus infinity, which JSON lacks."""
_REASONING = re.compile(
    r"<(?P<a>/?)(?:think|thinking|thought|reasoning|seed:think)>|\[(?P<b>/?)THINK\]|◁(?P<c>/?)think▷"
    r"|(?:<\|start\|>assistant)?<\|channel\|>(?:(?P<d>final)|\w+)[^<]{0,40}<\|message\|>",
    re.IGNORECASE,
)
"""Marks of reasoning; a group that is not empty says that it ends."""
_SPECIAL = re.compile(r"<\|[a-z_]+\|>|</?s>|<(?:bos|eos|end_of_turn)>")
"""Tokens that are no words and should have stayed in the server."""
_WRAPPERS = ("***", "**", "__", "*", "_", "`", '"', "'", "“”", "„“", "\u2018\u2019", "«»", "「」")
"""What may stand around an answer; two different characters are one before and one after it."""
_FENCE = re.compile(r"```[\w-]*\s(.*)```|```(.*)```", re.DOTALL)
_LABEL = (
    r"(?:(?:the|my|final|your)[ \t]+)*(?:%s)(?:[ \t]+is)?[*_ \t]*[:\uff1a](?:[*_]+(?=\s|$))?\s*"
)
_FIRST = re.compile(
    rf"(?:[*_#>\s]*{_LABEL % 'answer|reply|response|message|question|move|output|utterance'})+",
    re.IGNORECASE,
)
_FINAL = re.compile(rf"^[*_#> \t]*{_LABEL % 'answer'}(?=\S)", re.IGNORECASE | re.MULTILINE)
_ITEM = re.compile(
    r"^[ \t>*_#]*(?:\(?\d{1,2}[.):]|[-•*+]|(?:option|candidate|version)[ \t]+\w{1,2}[:.)])"
    r"(?:[*_]+(?=\s))?[ \t]*(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_CUT = re.compile(r'\s*(?:```\w*\s*)?\{\s*"say"\s*:\s*("(?:[^"\\]|\\.)*)\\?$', re.DOTALL)
_READ = 20_000
"""Characters at a reply's end that are looked at for JSON."""

MOST_ITEMS = 100
"""Items of a list that are looked at."""

SAY = "say"
MOST_CHOICES, MOST_SHORT, MOST_LETTERS = 250, 1000, 15_000
"""OpenAI takes no longer enumeration: more than 250 must be short, more than 1,000 may not be."""

_TRANSIENT = (408, 409, 425, 429)
_REFUSED = (400, 404, 422)
_REASONS = {"max_output_tokens": "length"}
_LOAD = "try later, raise retries=, or play fewer games at once"
_MENDS = {
    400: "take what the server refuses out of the agent's options (temperature=none leaves it out)",
    401: "check {key}",
    402: "check the account's credit",
    403: "check what the key may use",
    404: "check the model's name and base_url, which often ends in /v1",
    422: "take what the server refuses out of the agent's options",
}


class Reply(NamedTuple):
    """What a model wrote.

    Attributes:
        text: its words, or its refusal; "" if there are none.
        finish_reason: the server's word for why it ended; of responses the word that chat
            completions have for it.
        model: what the server calls the model; "" if it does not say.
        usage: "prompt_tokens" and "completion_tokens", where the server counts them; where it
            says so also "cached_tokens" (of the prompt) and "reasoning_tokens" (of the reply).
        logprobs: what its first token could have been and the log-probability of each, the one
            that it was included; None if the server gives none.
        fingerprint: what the server calls its configuration; None if it does not say.
        reasoning: what the server gives of the model's reasoning beside the text; "" if nothing.
    """

    text: str
    finish_reason: str | None
    model: str
    usage: dict[str, int] | None
    logprobs: dict[str, float] | None = None
    fingerprint: str | None = None
    reasoning: str = ""


class Fault(NamedTuple):
    """Why there is no reply.

    Attributes:
        what: what happened.
        mend: what a person can do.
        transient: whether the same request may succeed later.
        wait: seconds that the server asks to wait.
        refused: whether another request might have been taken.
        usage: tokens that were used all the same, as `Reply.usage`.
    """

    what: str
    mend: str
    transient: bool = True
    wait: float = 0.0
    refused: bool = False
    usage: dict[str, int] | None = None


def read(body: bytes) -> Reply | Fault:
    """Read a chat completion that came with success."""
    data = _json(body)
    try:
        choice = data["choices"][0]
        message: dict[str, Any] = {**choice["message"]}
    except (LookupError, TypeError):
        return _no_reply("chat completion", body, data)
    text = _text(message.get("content")) or _text(message.get("refusal"))
    reason = choice.get("finish_reason")
    return Reply(
        clean(text),
        None if reason is None else clean(str(reason)),
        clean(_text(data.get("model"))),
        _usage(data),
        _logprobs(choice.get("logprobs")),
        clean(_text(data.get("system_fingerprint"))) or None,
        clean(_text(message.get("reasoning_content")) or _text(message.get("reasoning"))),
    )


def read_response(body: bytes) -> Reply | Fault:
    """Read a response (of the API of that name) that came with success."""
    data = _json(body)
    try:
        items = data["output"]
        parts = [part for i in items if i.get("type") == "message" for part in i["content"]]
        thoughts = [i for i in items if i.get("type") == "reasoning"]
        reasoning = [_text(i.get("summary")) or _text(i.get("content")) for i in thoughts]
        words = [_text(part.get("text")) or _text(part.get("refusal")) for part in parts]
        failed = data.get("error") or data.get("status") == "failed"
    except (LookupError, TypeError, AttributeError):
        return _no_reply("response", body, data)
    if failed:
        return _no_reply("response", body, data)
    why = data.get("incomplete_details")
    reason = why.get("reason") if isinstance(why, dict) else None
    first: dict[str, Any] = next((part for part in parts if part.get("logprobs")), {})
    return Reply(
        clean("".join(words)),
        _REASONS.get(str(reason), clean(str(reason))) if reason else "stop",
        clean(_text(data.get("model"))),
        _usage(data),
        _logprobs({"content": first.get("logprobs")}),
        clean(_text(data.get("system_fingerprint"))) or None,
        clean("\n".join(filter(None, reasoning))),
    )


def as_response(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a chat completion, for the responses API.

    Nothing is to be kept by the server, since each request holds the whole conversation.
    """
    rest = dict(body)
    made = {"model": rest.pop("model"), "input": rest.pop("messages"), "store": False}
    for limit in ("max_tokens", "max_completion_tokens"):
        if limit in rest:
            made["max_output_tokens"] = rest.pop(limit)
    if "reasoning_effort" in rest:
        made["reasoning"] = {"effort": rest.pop("reasoning_effort")}
    form = rest.pop("response_format", None)
    if form is not None:
        made["text"] = {"format": {"type": form["type"], **form.get(form["type"], {})}}
    if rest.pop("logprobs", False):
        made["include"] = ["message.output_text.logprobs"]
    return made | rest


def visible(text: str) -> str:
    """A reply without its reasoning: `<think>…</think>`, either end of which may be missing.

    Other marks of reasoning are known, too (`[THINK]`, the channels of gpt-oss), and tokens like
    `<|im_end|>` are no words.
    """
    kept: list[str] = []
    reasoning = False
    start = 0
    for tag in _REASONING.finditer(text):
        if not reasoning:
            kept.append(text[start : tag.start()])
        ends = any(tag.groups())
        if ends and not reasoning:
            kept.clear()  # no tag opened it, so all before was reasoning
        reasoning = not ends
        start = tag.end()
    if not reasoning:
        kept.append(text[start:])
    return _SPECIAL.sub("", "".join(kept)).strip()


def unwrapped(text: str) -> str:
    """The words in a JSON object as `say_form` asks for one; the text as it is if there is none.

    Of several the last counts. What was cut off is read as far as it goes.
    """
    for fields in reversed(list(objects(text[-_READ:]))):
        said = fields.get(SAY)
        if isinstance(said, str):
            return clean(said).strip()
        if SAY in fields and not isinstance(said, (dict, list)):
            return "" if said is None else str(said)
    cut = _CUT.fullmatch(text)
    if cut is None:
        return text
    whole = re.sub(r"\\u[0-9a-fA-F]{0,3}$", "", cut[1])
    try:
        return clean(json.loads(whole + '"', strict=False)).strip()
    except ValueError:
        return text


def bare(text: str) -> str:
    """An answer without what may stand around it.

    Code fences, bold, italics and quotes around the whole go, labels before it ("Answer:", "My
    reply is:"), and what comes before a line that begins with "Answer:" or "Final answer:".
    Nothing within the answer changes.
    """
    while True:
        before, text = text, text.strip()
        finals = list(_FINAL.finditer(text))
        text = _within(text[finals[-1].start() :].strip() if finals else text)
        label = _FIRST.match(text)
        if label and label.end() < len(text):
            text = text[label.end() :]
        if text == before:
            return text


def candidates(text: str) -> tuple[str, ...]:
    """The items of a list, if a text is one: "1. … 2. …", "- …", "Option A: …", each on its line.

    Returns:
        two or more, in order, each as `bare` makes it; none if the text is no list.
    """
    starts = list(islice(_ITEM.finditer(text), MOST_ITEMS))
    ends = [*(start.start() for start in starts[1:]), len(text)]
    items = [
        bare(text[start.end() : end].partition("\n\n")[0])
        for start, end in zip(starts, ends, strict=True)
    ] if starts else []  # fmt: skip
    return tuple(items) if len(items) > 1 else ()


def say_form(sentences: Sequence[str] = ()) -> dict[str, Any]:
    """The `response_format` of a move: a JSON object with what is said.

    Args:
        sentences: what can be said, where that is limited. More than servers take in a schema are
            left to the model.
    """
    said: dict[str, Any] = {"type": "string"}
    short = sum(map(len, sentences)) <= MOST_LETTERS and len(sentences) <= MOST_SHORT
    if sentences and (short or len(sentences) <= MOST_CHOICES):
        said["enum"] = list(sentences)
    return {
        "type": "json_schema",
        "json_schema": {
            "name": "move",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {SAY: said},
                "required": [SAY],
                "additionalProperties": False,
            },
        },
    }


def objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, keys in lower case; those within others too."""
    decoder = json.JSONDecoder()
    for start in re.finditer(r'\{(?=\s*")', text):
        try:
            found, _ = decoder.raw_decode(text, start.start())
        except ValueError:
            continue
        except RecursionError:  # nobody nests that deep but to do harm
            return
        yield {key.strip().lower(): value for key, value in found.items()}


def clean(text: str) -> str:
    """A text that can be sent and stored: without the lone surrogates that JSON lets in."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fault_of(error: Exception | None, timeout: float, key_env: str = "OPENAI_API_KEY") -> Fault:
    """What an exception of the client means.

    Args:
        error: what the client raised.
        timeout: the limit that the request had.
        key_env: the environment variable that the key came from.
    """
    if isinstance(error, (openai.APITimeoutError, TimeoutError)):
        return Fault(f"no reply within {timeout:g} s", "raise timeout=, or " + _LOAD)
    if isinstance(error, openai.APIStatusError):
        return _status_fault(error, key_env)
    if isinstance(error, openai.APIConnectionError):
        return Fault(
            f"the connection failed ({_short(str(error.__cause__ or error))})",
            "check base_url and that its server runs",
        )
    return Fault(
        f"the request could not be sent ({type(error).__name__}: {_short(str(error))})",
        f"check {key_env} and base_url",
        transient=False,
    )


def _status_fault(error: openai.APIStatusError, key_env: str) -> Fault:
    status = error.status_code
    body = error.body
    said = body.get("message") if isinstance(body, Mapping) else body
    what = f"HTTP {status}: {_short(str(said or error.message))}"
    usage = _usage(_json(error.response.content))
    if error.code == "insufficient_quota":  # a 429 that no waiting cures
        return Fault(what, _MENDS[402], transient=False, usage=usage)
    if status in _TRANSIENT or status >= 500:
        return Fault(what, _LOAD, wait=_retry_after(error.response.headers), usage=usage)
    mend = _MENDS.get(status, "see what the server says").format(key=key_env)
    if status == 404 and error.request.url.path.endswith("/responses"):
        mend += "; a server without the responses API is asked with api=chat"
    return Fault(what, mend, transient=False, refused=status in _REFUSED, usage=usage)


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


def _within(text: str) -> str:
    """What is in a fence or between marks, if these are around all of a text."""
    fence = _FENCE.fullmatch(text)
    inner = (fence[1] or fence[2] or "").strip() if fence else ""
    if inner and "```" not in inner:
        return inner
    for mark in _WRAPPERS:
        first, last = (mark[0], mark[1]) if mark[0] != mark[-1] else (mark, mark)
        inner = text[len(first) : -len(last)].strip()
        around = text.startswith(first) and text.endswith(last) and len(text) > len(first + last)
        if around and inner and first[0] not in inner and last[0] not in inner:
            return inner
    return text


def _json(body: bytes) -> Any:
    """What a body holds; None if it is no JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _no_reply(wanted: str, body: bytes, data: Any) -> Fault:
    shown = _short(body[: 4 * _SHOWN].decode(errors="replace"))
    return Fault(f"the server sent no {wanted} but {shown!r}", _LOAD, usage=_usage(data))


def _usage(data: Any) -> dict[str, int] | None:
    """What a body says that was used, in the words of chat completions; None if it does not."""
    usage = data.get("usage") if isinstance(data, dict) else None
    if not isinstance(usage, dict):
        return None
    counts: dict[str, int] = {}
    for name, other in (("prompt", "input"), ("completion", "output")):
        for source in (f"{name}_tokens", f"{other}_tokens"):
            _take(counts, f"{name}_tokens", usage.get(source))
        details = usage.get(f"{name}_tokens_details") or usage.get(f"{other}_tokens_details")
        if counts and isinstance(details, dict):
            for part in ("cached_tokens", "reasoning_tokens"):
                _take(counts, part, details.get(part) or None)
    if counts:
        _take(counts, "cached_tokens", usage.get("prompt_cache_hit_tokens") or None)  # DeepSeek's
    return counts or None


def _take(counts: dict[str, int], name: str, value: Any) -> None:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        counts.setdefault(name, value)


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
            clean(token["token"]): min(max(float(token["logprob"]), _NEVER), 0.0)
            for token in (first, *(first.get("top_logprobs") or ()))
        }
    except (LookupError, TypeError, ValueError, OverflowError, AttributeError):
        return None
    return None if any(map(math.isnan, found.values())) else found


def _short(text: str) -> str:
    text = " ".join(clean(text).split())
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
