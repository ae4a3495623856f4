"""Chat completions, responses and forms, against a server that misbehaves."""

import asyncio
import json

import pytest
from support.openai_server import KEY, ODD, PERMANENT, TRANSIENT, Answer

from unspoken.agents.base import AgentFailure
from unspoken.agents.llm.client import run
from unspoken.agents.llm.model import LanguageModel
from unspoken.agents.llm.replies import say_form, unwrapped, visible
from unspoken.agents.llm.traffic import Traffic
from unspoken.envs.registry import game
from unspoken.envs.sneak.instances import instances, load
from unspoken.judges.listeners.llm import LLMListener
from unspoken.judges.specs import make_arbiter

QUESTION = game("aidg_search").menu("seeker")[1]


@pytest.fixture(params=["chat", "responses"])
def api(request):
    return request.param


@pytest.fixture
def ask(openai_server, waits):
    """Asks a model something; returns the reply's text and the call."""

    def of(*messages, extra=None, **options):
        options = {"base_url": openai_server.base_url, "timeout": 5, **options}
        model = LanguageModel("toy", "openai:toy", **{"temperature": None, **options})
        model.sleep = waits.append
        said = [{"role": role, "content": text} for role, text in messages or [("user", "final")]]
        try:
            reply = run(model._ask(said, lambda: 0.5, **(extra or {})), model.sleep)
            return reply, model.take_trace()[-1]
        except AgentFailure as failure:
            return failure, model.take_trace()[-1]

    return of


# the responses API


def test_a_response_is_read_as_a_completion_is(openai_server, make, situation):
    said, calls = [], []
    for api in ("chat", "responses"):
        openai_server.script(Answer("<think>Hm.</think> Is it alive?"))
        agent = make("seeker", api=api)
        said.append(agent.act(*situation()))
        calls += agent.take_trace()
    assert said == ["Is it alive?"] * 2
    first, second = ({k: v for k, v in call.items() if k != "latency_s"} for call in calls)
    assert first == second
    assert first["finish_reason"] == "stop"
    assert first["usage"] == {"prompt_tokens": 11, "completion_tokens": 3}


def test_what_the_responses_api_is_sent(openai_server, ask, monkeypatch):
    bodies = []
    monkeypatch.setattr(
        "support.openai_server.as_chat",
        lambda body: bodies.append(body) or {**body, "messages": body["input"]},
    )
    form = say_form(["yes", "no"])
    ask(
        ("system", "s"), ("user", "final"), api="responses", max_tokens=9, top_p=0.5,
        reasoning_effort="low", temperature=0.3, extra_body={"truncation": "auto"},
        extra={"response_format": form},
    )  # fmt: skip
    (body,) = bodies
    assert body == {
        "model": "toy",
        "input": [{"role": "system", "content": "s"}, {"role": "user", "content": "final"}],
        "store": False,
        "max_output_tokens": 9,
        "top_p": 0.5,
        "temperature": 0.3,
        "reasoning": {"effort": "low"},
        "truncation": "auto",
        "text": {"format": {"type": "json_schema", **form["json_schema"]}},
    }


def test_a_response_that_was_cut_off_or_refused(openai_server, ask):
    openai_server.script(
        Answer("Is it al", finish="length"),
        Answer(message={"content": None, "refusal": "I cannot."}),
        Answer(message={"content": None}),
        Answer("", finish="content_filter"),
        Answer(message={"content": [{"text": "a"}, {"text": "b"}]}),
    )
    found = [ask(api="responses")[0] for _ in range(5)]
    assert [(reply.text, reply.finish_reason) for reply in found] == [
        ("Is it al", "length"),
        ("I cannot.", "stop"),
        ("", "stop"),
        ("", "content_filter"),
        ("ab", "stop"),
    ]


def test_log_probabilities_of_a_response(openai_server):
    instance = instances(load())[0]
    found = []
    for api in ("chat", "responses"):
        options = {"base_url": openai_server.base_url, "api": api, "max_tokens": 16}
        found.append(LLMListener("toy", **options).ally(instance, "song").tolist())
    assert found[0] == found[1]
    assert len(set(found[0])) > 1


def test_a_server_without_responses_says_so(openai_server, ask):
    openai_server.has_responses = False
    failure, call = ask(api="responses")
    assert "HTTP 404" in str(failure)
    assert "without the responses API is asked with api=chat" in str(failure)
    assert len(openai_server.requests) == 1  # nothing else is tried in silence
    assert call["refused"] is True


def test_a_response_that_failed_is_tried_again(openai_server, ask):
    failed = {"status": "failed", "error": {"code": "server_error", "message": "oops"}}
    body = json.dumps({"object": "response", "output": [], **failed}).encode()
    openai_server.script(Answer(body=body), Answer("yes"))
    reply, call = ask(api="responses")
    assert (reply.text, call["attempts"]) == ("yes", 2)


@pytest.mark.parametrize("fault", [*TRANSIENT, *PERMANENT, *ODD])
def test_faults_are_the_same_with_either(openai_server, ask, waits, fault):
    ends = []
    for kind in ("chat", "responses"):
        openai_server.script(fault, Answer("yes"))
        got, call = ask(api=kind, timeout=0.3 if fault == "stall" else 5)
        openai_server._script.clear()
        said = str(got) if isinstance(got, AgentFailure) else got.text
        ends.append((said, call["attempts"], call["finish_reason"]))
    (one, *rest), (two, *other) = ends
    assert rest == other
    # only 404 has another word for each
    assert two.startswith(one)
    assert KEY not in one


@pytest.mark.parametrize("option", [{"seed": 1}, {"stop": "x"}])
def test_responses_take_no_seed_and_no_stop(option):
    with pytest.raises(ValueError, match="the responses API takes none"):
        LanguageModel("m", "m", temperature=None, api="responses", **option)


# what is sent and kept


def test_a_call_has_all_that_a_record_needs(openai_server, ask):
    openai_server.fingerprint = "fp_1"
    openai_server.usage |= {
        "prompt_tokens_details": {"cached_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    openai_server.script(Answer("yes", logprobs={"yes": -0.1, "no": -2.5}))
    _, call = ask(extra={"logprobs": True, "top_logprobs": 2})
    assert (call["model"], call["served"], call["fingerprint"]) == ("toy", "toy", "fp_1")
    assert call["base_url"] == openai_server.base_url
    assert call["usage"] == {
        "prompt_tokens": 11,
        "cached_tokens": 8,
        "completion_tokens": 3,
        "reasoning_tokens": 2,
    }
    assert call["logprobs"] == {"yes": -0.1, "no": -2.5}
    assert call["failure"] is None
    json.dumps(call)


def test_a_system_text_is_put_after_the_system_message(openai_server, ask):
    ask(("system", "rules"), ("user", "final"), system="Be brief.")
    ask(("user", "final"), system="Be brief.")
    ask(("system", "rules"), ("user", "final"))
    first, second, third = (body["messages"] for body in openai_server.requests)
    assert first[0] == {"role": "system", "content": "rules\n\nBe brief."}
    assert second[0] == {"role": "system", "content": "Be brief."}
    assert third[0] == {"role": "system", "content": "rules"}


def test_stop_and_further_fields(openai_server, ask):
    ask(stop="END", extra_body='{"top_k": 20}')
    ask(stop=["a", "b"], extra_body={"temperature": 0.5}, temperature=0.1)
    first, second = openai_server.requests
    assert (first["stop"], first["top_k"]) == ("END", 20)
    assert (second["stop"], second["temperature"]) == (["a", "b"], 0.5)


@pytest.mark.parametrize(
    "option",
    [
        {"stop": ""},
        {"stop": []},
        {"stop": ["a", ""]},
        {"api": "completions"},
        {"key_env": "sk-0123456789"},
        {"extra_body": "top_k=3"},
        {"extra_body": "[1]"},
        {"extra_body": {"messages": []}},
        {"extra_body": {"stream": True}},
    ],
)
def test_options_out_of_range(option):
    with pytest.raises(ValueError, match=next(iter(option))) as error:
        LanguageModel("m", "m", temperature=None, **option)
    assert "sk-" not in str(error.value)


def test_reasoning_beside_the_text_is_kept_and_not_said(openai_server, ask):
    openai_server.script(
        Answer("yes", message={"reasoning_content": "Hm."}),
        Answer("yes", message={"reasoning": ""}),
    )
    assert [ask()[1].get("reasoning") for _ in range(2)] == ["Hm.", None]
    body = {"output": [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Well."}]},
        {"type": "message", "content": [{"type": "output_text", "text": "yes"}]},
    ]}  # fmt: skip
    openai_server.script(Answer(body=json.dumps(body).encode()))
    reply, call = ask(api="responses")
    assert (reply.text, call["reply"], call["reasoning"]) == ("yes", "yes", "Well.")


def test_draws_of_one_move_have_seeds_of_their_own(openai_server, make, situation):
    agent = make("seeker", method="self-consistency", samples=3, seed=5)
    agent.act(*situation())
    agent.take_trace()
    agent.act(*situation())
    assert [body["seed"] for body in openai_server.requests] == [5, 6, 7] * 2


# forms


@pytest.mark.parametrize("blocking", [True, False])
def test_a_form_is_asked_for_and_read(openai_server, make, situation, blocking):
    agent = make("seeker", structured=True)
    here = situation(utterances="menu")
    openai_server.script(Answer(json.dumps({"say": QUESTION})))
    action = agent.act(*here) if blocking else asyncio.run(agent.aact(*here))
    assert action == 1
    (body,) = openai_server.requests
    schema = body["response_format"]["json_schema"]
    assert schema["strict"] is True
    said = schema["schema"]["properties"]["say"]
    assert QUESTION in said["enum"]
    assert agent.take_trace()[0]["response_format"] == "json_schema"


def test_a_form_that_is_refused_is_not_asked_for_again(openai_server, make, situation, waits, api):
    openai_server.refuses = ("response_format",)
    agent = make("holder", structured=True, api=api)
    openai_server.play = lambda messages: "yes"
    for _ in range(2):
        assert agent.act(*situation(QUESTION)) == "yes"
    forms = ["response_format" in body for body in openai_server.requests]
    assert forms == [True, False, False]
    assert waits == []


def test_in_a_run_a_form_is_refused_once_for_all(openai_server, make, situation):
    openai_server.refuses = ("response_format",)
    openai_server.play = lambda messages: "yes"
    with Traffic().use():
        for _ in range(3):
            make("holder", structured=True).act(*situation(QUESTION))
    assert ["response_format" in body for body in openai_server.requests] == [True] + [False] * 3


def test_where_all_is_refused_the_form_is_not_to_blame(openai_server, make, situation):
    openai_server.script("404", "404", Answer('{"say": "no"}'))
    agent = make("holder", structured=True)
    with pytest.raises(AgentFailure, match="HTTP 404: no such model"):
        agent.act(*situation(QUESTION))
    assert agent.act(*situation(QUESTION)) == "no"
    assert "response_format" in openai_server.requests[-1]


@pytest.mark.parametrize(
    "text",
    ["yes", '```json\n{"say": "yes"}\n```', 'Sure: {"Say": "yes"}', "<think>no</think>yes", "Yes."],
)
def test_servers_may_ignore_the_form(openai_server, make, situation, text):
    openai_server.script(Answer(text))
    assert make("holder", structured=True).act(*situation(QUESTION)).strip(".").lower() == "yes"
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize("name", ["aidg_search", "aidg_dialogue", "chameleon", "cross_examination"])
@pytest.mark.parametrize("keeps", [True, False])
def test_whole_games_by_form(openai_server, make, play, name, keeps):
    openai_server.keeps_schemas = keeps
    spec = game(name)
    env = spec.env(utterances="free")
    env.reset(seed=1)
    seats = {seat: make(structured=True) for seat in env.possible_agents}
    env, calls = play(seats, seed=1, spec=spec)
    assert env.result.outcome != "void"
    assert all("{" not in line.text for line in env.history)
    asked = [call["response_format"] for call in calls if call["response_format"]]
    assert asked
    replies = [unwrapped(visible(call["reply"])) for call in calls]
    assert any(line.text in replies for line in env.history)


def test_an_arbiter_through_responses(openai_server):
    from unspoken.envs.aidg_dialogue import secrets
    from unspoken.envs.base import Message

    secret = secrets.load()[0]
    arbiter = make_arbiter(f"openai:toy?api=responses&base_url={openai_server.base_url}")
    asked = Message(1, "seeker", "What is it?", "", -1)
    verdict = arbiter.judge(secret, (asked,), secret.text)
    assert (verdict.category, arbiter.last_source) == ("explicit", "model")
