"""Bodies and errors as servers really send them."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import openai
import pytest

from unspoken.agents.llm.replies import Fault, Reply, fault_of, read, visible


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yes", "yes"),
        (" <think>it is a lamp</think>\n\nyes ", "yes"),
        ("<THINK>a</THINK>yes<thinking>b</thinking>", "yes"),
        ("it is a lamp</think>yes", "yes"),
        ("<think>it is a lamp", ""),
        ("<think>a</think>yes<think>b", "yes"),
        ("<think>a<think>b</think>c</think>yes", "yes"),
        ("<think></think>", ""),
        ("I think </b> so", "I think </b> so"),
        ("", ""),
    ],
)
def test_reasoning_is_not_said(text, said):
    assert visible(text) == said


def test_reasoning_is_stripped_in_linear_time():
    # These would take minutes if the time grew with the square of the length.
    assert visible("<think>" * 100_000) == ""
    assert visible("x</think>" * 100_000) == ""


def body(message, **more):
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], **more}).encode()


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "yes"}, "yes"),
        ({"content": None}, ""),
        ({}, ""),
        ({"content": None, "refusal": "no, sorry"}, "no, sorry"),
        ({"content": "yes", "refusal": None}, "yes"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, 3]}, "ab"),
        ({"content": {"text": "?"}}, ""),
        ({"content": "\ud83d"}, "?"),
        ({"content": "\U0001f600"}, "\U0001f600"),
    ],
)
def test_messages(message, text):
    assert read(body(message)) == Reply(text, "stop", "", None)


def test_usage_and_model_where_they_are_there():
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    assert read(body({"content": "x"}, model="m-1", usage=usage)) == Reply(
        "x", "stop", "m-1", {"prompt_tokens": 5, "completion_tokens": 2}
    )
    assert read(body({"content": "x"}, model=None, usage=[])).usage is None
    assert read(body({"content": "x"}, usage={"prompt_tokens": "many"})).usage is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b'{"choices": null}',
        b'{"choices": []}',
        b'{"choices": ["x"]}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": "x"}]}',
        b"\xff\xfe",
        b"[" * 100_000,
        b"<html>" * 100_000,
    ],
)
def test_bodies_that_are_no_completion_are_transient_faults(data):
    fault = read(data)
    assert isinstance(fault, Fault)
    assert fault.transient
    assert len(fault.what) < 500


def status_error(status, headers=None, body=None):
    request = httpx2.Request("POST", "http://server/v1")
    response = httpx2.Response(status, headers=headers, request=request)
    return openai.APIStatusError("it failed", response=response, body=body)


@pytest.mark.parametrize(
    ("headers", "low", "high"),
    [
        ({}, 0, 0),
        ({"retry-after": "7"}, 7, 7),
        ({"retry-after": "0.5"}, 0.5, 0.5),
        ({"Retry-After-Ms": "1500", "retry-after": "2"}, 1.5, 1.5),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0, 0),
        ({"retry-after": "-3"}, 0, 0),
        ({"retry-after": "nan"}, 0, 0),
        ({"retry-after": "soon"}, 0, 0),
        ({"retry-after": ""}, 0, 0),
    ],
)
def test_retry_after(headers, low, high):
    assert low <= fault_of(status_error(429, headers), 1).wait <= high


def test_retry_after_a_date():
    headers = {"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=90))}
    assert 60 <= fault_of(status_error(429, headers), 1).wait <= 90


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529, 599])
def test_transient_statuses(status):
    assert fault_of(status_error(status), 1).transient


@pytest.mark.parametrize("status", [301, 400, 401, 402, 403, 404, 413, 418, 422])
def test_permanent_statuses(status):
    fault = fault_of(status_error(status, body={"message": "because " * 1_000}), 1)
    assert not fault.transient
    assert fault.what.startswith(f"HTTP {status}: because")
    assert len(fault.what) < 400
    assert fault.mend


@pytest.mark.parametrize("body", [None, "", "<html>", [1], {"message": None}, {"code": 3}])
def test_errors_with_any_body(body):
    assert fault_of(status_error(500, body=body), 1).what.startswith("HTTP 500: ")
