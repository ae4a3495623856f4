"""Bodies and errors as servers really send them."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.openai_server import Answer

from unspoken.agents.llm.replies import (
    MOST_CHOICES,
    Fault,
    Reply,
    as_response,
    bare,
    candidates,
    fault_of,
    read,
    read_response,
    say_form,
    unwrapped,
    visible,
)
from unspoken.envs.registry import game


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
        ("[THINK]it is a lamp[/THINK]yes", "yes"),
        ("◁think▷it is a lamp◁/think▷yes<|im_end|>", "yes"),
        (
            "<|channel|>analysis<|message|>lamp<|end|><|start|>assistant<|channel|>final<|message|>yes<|return|>",
            "yes",
        ),
        ("<|channel|>commentary to=x<|message|>it is a lamp", ""),
        ("yes</s>", "yes"),
        ("", ""),
    ],
)
def test_reasoning_is_not_said(text, said):
    assert visible(text) == said


def test_reasoning_is_stripped_in_linear_time():
    # These would take minutes if the time grew with the square of the length.
    assert visible("<think>" * 100_000) == ""
    assert visible("x</think>" * 100_000) == ""
    assert visible("<|channel|>" * 100_000) == ""


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
    deepseek = usage | {"prompt_cache_hit_tokens": 4, "prompt_tokens_details": None}
    assert read(body({"content": "x"}, usage=deepseek)).usage["cached_tokens"] == 4
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


# what stands around an answer

PLAIN = st.text(st.sampled_from("abc xyzäß中?!.,"), min_size=1).map(str.strip).filter(bool)
WRAPS = [
    "**{}**", "*{}*", "__{}__", "`{}`", '"{}"', "\u201c{}\u201d", "«{}»", "```\n{}\n```",
    "```text\n{}\n```",
    "Answer: {}", "**Answer:** {}", "My answer is: {}", "Final answer: {}", "Reply: {}",
    "Question: {}",
    "## Answer:\n{}", "Well, let me think.\n\nFinal answer: {}", "I am sure.\n**Answer: {}**",
    "  {}\n",
]  # fmt: skip


@given(PLAIN, st.lists(st.sampled_from(WRAPS), max_size=1))
def test_an_answer_comes_out_of_what_is_around_it(text, wraps):
    wrapped = text
    for wrap in wraps:
        wrapped = wrap.format(wrapped)
    assert bare(wrapped) == text


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("**Answer:** **yes**", "yes"),
        ('Answer: "yes"', "yes"),
        ("```\n**yes**\n```", "yes"),
        ("> **Reply:** `no`", "no"),
        ("Answer: no\nFinal answer: yes", "yes"),
        # what is no wrapping stays
        ('"yes" or "no"', '"yes" or "no"'),
        ("*a* and *b*", "*a* and *b*"),
        ("lock: lamp", "lock: lamp"),
        ("vote: player 2", "vote: player 2"),
        ("It's a dog's", "It's a dog's"),
        ("The answer is not clear", "The answer is not clear"),
        ("Answer:", "Answer:"),
        ("**", "**"),
        ("```", "```"),
        ("", ""),
    ],
)
def test_bare(text, answer):
    assert bare(text) == answer


@given(st.one_of(st.text(), st.text(st.sampled_from('*_`"\n:A answer>'), max_size=60)))
def test_bare_only_takes_away_and_does_so_once(text):
    once = bare(text)
    assert once in text
    assert bare(once) == once
    assert bool(once) == bool(text.strip())


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("1. Is it a?\n2. Is it b?", ("Is it a?", "Is it b?")),
        ("Here are some:\n\n1) Is it a?\n2) **It is.**\n\nWell.", ("Is it a?", "It is.")),
        ("- a\n- b\n- c", ("a", "b", "c")),
        ("**Option A:** a\n**Option B:** b", ("a", "b")),
        ("Candidate 1: a\n\nCandidate 2: b", ("a", "b")),
        ("1. Is it a?", ()),
        ("Is it a? Is it b?", ()),
        ("It has 2. parts\nand 3. more", ()),
        ("-5 degrees\n-6 degrees", ("5 degrees", "6 degrees")),
        ("", ()),
    ],
)  # fmt: skip
def test_candidates(text, items):
    assert candidates(text) == items


@given(st.lists(PLAIN.filter(lambda s: s[0].isalpha()), min_size=2, max_size=9))
def test_a_list_is_its_items(items):
    text = "\n".join(f"{n}. {item}" for n, item in enumerate(items, 1))
    assert candidates(text) == tuple(map(bare, items))


@given(st.one_of(st.text(), st.text(st.sampled_from("12.-)*\n ab"), max_size=60)))
def test_candidates_of_anything(text):
    assert len(candidates(text)) != 1


# forms


@given(
    st.text(),
    st.sampled_from(["{}", "```json\n{}\n```", "Here it is: {} I hope it helps.", "{{}} {}"]),
    st.sampled_from(["say", "Say", " SAY "]),
    st.booleans(),
)
def test_what_is_said_comes_out_of_a_form(said, around, name, ascii_only):
    form = json.dumps({"why": "x", name: said}, ensure_ascii=ascii_only)
    text = around.replace("{}", form, 1) if "{{}}" not in around else "{} " + form
    assert unwrapped(text) == said.encode("utf-8", "replace").decode().strip()


@given(st.text(min_size=1), st.data())
def test_what_was_cut_off_is_read_as_far_as_it_goes(said, data):
    form = json.dumps({"say": said})
    text = form[: data.draw(st.integers(len('{"say": "'), len(form) - 2))]
    assert said.encode("utf-8", "replace").decode().strip().startswith(unwrapped(text).rstrip("?"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"say": "a"} {"say": "b"}', "b"),
        ('{"say": null}', ""),
        ('{"say": 3}', "3"),
        ('{"said": "a"}', '{"said": "a"}'),
        ('{"say": ["a"]}', '{"say": ["a"]}'),
        ('["say"]', '["say"]'),
        ("yes", "yes"),
        ("", ""),
    ],
)
def test_unwrapped(text, said):
    assert unwrapped(text) == said


@given(st.text())
def test_what_is_no_form_stays_as_it_is(text):
    if "{" not in text:
        assert unwrapped(text) == text


def test_hostile_replies_are_read_in_linear_time():
    for text in ('{"a":' * 300_000, "{" * 10**6, '{"say": "' * 200_000, '`*"' * 10**5):
        unwrapped(text)
    for text in (
        "Answer: " * 50_000,
        "*" * 10**6,
        "\n" * 10**5 + "x",
        "answer\n" * 10**5,
        "my " * 10**5,
    ):
        bare(text)
    for text in ("1. " * 10**5, "- \n" * 10**5, "1.\n" * 10**5, " " * 10**6):
        candidates(text)


def test_a_long_menu_is_left_to_the_model():
    few, many = ["yes", "no"], [f"sentence {n} of a menu that is long" for n in range(600)]

    def enum(sentences):
        schema = say_form(sentences)["json_schema"]["schema"]
        assert schema["required"] == ["say"]
        return schema["properties"]["say"].get("enum")

    assert enum(few) == few
    assert enum(()) is None
    assert enum(many) is None
    assert enum(many[:MOST_CHOICES]) == many[:MOST_CHOICES]
    assert enum([str(n) for n in range(900)]) is not None
    assert enum([str(n) for n in range(1001)]) is None


# responses


def test_a_body_for_responses_has_nothing_of_the_other_kind_left():
    body = {"model": "m", "messages": [], "max_completion_tokens": 5, "logprobs": True,
            "top_logprobs": 3, "response_format": {"type": "json_object"}}  # fmt: skip
    assert as_response(body) == {
        "model": "m",
        "input": [],
        "store": False,
        "max_output_tokens": 5,
        "include": ["message.output_text.logprobs"],
        "top_logprobs": 3,
        "text": {"format": {"type": "json_object"}},
    }


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"null", b"[]", b"{}", b'{"output": null}', b'{"output": ["x"]}',
        b'{"output": 3}',
        b'{"output": [{"type": "message"}]}', b'{"output": [{"type": "message", "content": [3]}]}',
        b'{"output": [], "error": {"message": "x"}}', b"[" * 100_000, b"<html>" * 100_000,
    ],
)  # fmt: skip
def test_bodies_that_are_no_response_are_transient_faults(data):
    fault = read_response(data)
    assert isinstance(fault, Fault)
    assert fault.transient


FIELDS = [
    *("choices", "message", "content", "output", "type", "text", "usage", "error", "logprobs"),
    *("token", "logprob", "summary", "prompt_tokens", "input_tokens", "input_tokens_details"),
    *("status", "incomplete_details"),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_body_is_read_or_is_a_fault(data):
    body = json.dumps(data).encode()
    for reader in (read, read_response):
        got = reader(body)
        assert isinstance(got, (Reply, Fault))
        if isinstance(got, Reply):
            got.text.encode()
            assert got.usage is None or all(n >= 0 for n in got.usage.values())


# other languages


@pytest.mark.parametrize("said", ["Ja.", "はい", "Oui, bien sûr !", "да", "是的", "نعم"])
def test_other_languages_are_put_to_the_model_again(openai_server, make, situation, said):
    openai_server.script(Answer(said), Answer("yes"))
    agent = make("holder")
    assert agent.act(*situation(game("aidg_search").menu("seeker")[1])) == "yes"
    assert [call["unreadable"] for call in agent.take_trace()] == [True, False]
    assert openai_server.requests[1]["messages"][-2]["content"] == said
