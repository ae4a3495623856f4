"""The listener that is a language model, against a server that misbehaves."""

import asyncio
import copy
import json
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.openai_server import KEY, PERMANENT, TRANSIENT, Answer

from unspoken.agents.base import AgentFailure
from unspoken.agents.specs import SpecError
from unspoken.envs.sneak.instances import Instance
from unspoken.judges.listeners.average import Average
from unspoken.judges.listeners.embedding import Embedding
from unspoken.judges.listeners.llm import LLMListener, read_labels
from unspoken.judges.listeners.specs import make_listener

pytestmark = pytest.mark.usefixtures("model_key")

BIRDS = Instance(
    "bird", "concrete", ("eagle", "sparrow", "owl", "penguin"), "penguin", ("wing", "feather")
)


@pytest.fixture
def make(openai_server, waits):
    """Builds listeners that ask the local server and do not sleep."""

    def build(**options):
        listener = LLMListener("toy", base_url=openai_server.base_url, **{"timeout": 5, **options})
        listener.sleep = waits.append
        return listener

    return build


def tokens(**chances):
    """An answer whose first token has these probabilities."""
    logprobs = {token.replace("_", " "): math.log(p) for token, p in chances.items()}
    return Answer("A", logprobs=logprobs)


def shown(request):
    """The choices of a request, by label."""
    turn = request["messages"][1]["content"]
    lines = [line for line in turn.splitlines() if line[1:3] == ") "]
    return {line[0]: line[3:] for line in lines}


def test_what_is_asked(openai_server, make):
    listener = make()
    p = listener.chameleon(BIRDS, "<b>ice\n and snow</b>")
    assert p.shape == (4,)
    assert p.dtype == np.float64
    assert p.sum() == pytest.approx(1)
    (request,) = openai_server.requests
    for key, value in {
        "temperature": 0,
        "max_tokens": 1,
        "logprobs": True,
        "top_logprobs": 20,
    }.items():
        assert request[key] == value
    assert sorted(shown(request)) == ["A", "B", "C", "D"]
    assert sorted(shown(request).values()) == sorted(BIRDS.words)
    system, turn = (message["content"] for message in request["messages"])
    assert "one capital letter" in system
    assert "(b)ice and snow(/b)" in turn
    assert "wing" not in turn
    listener.ally(BIRDS, "ice")
    turn = openai_server.requests[1]["messages"][1]["content"]
    assert sorted(shown(openai_server.requests[1]).values()) == ["feather", "ice", "wing"]
    assert "The secret: penguin" in turn
    assert "eagle, sparrow, owl, penguin" in turn
    assert (listener.name, listener.method) == ("openai:toy", "logprobs")


def test_the_chameleon_is_not_told_the_secret(openai_server, make):
    for secret in BIRDS.words:
        make().chameleon(Instance("bird", "concrete", BIRDS.words, secret, ("wing",)), "ice")
    turns = [request["messages"] for request in openai_server.requests]
    told = [json.dumps(turn) for turn in turns]
    assert all(text.count("penguin") == 1 for text in told)


def test_probabilities_come_back_to_their_choices(openai_server, make):
    openai_server.script(tokens(A=0.5, B=0.25, C=0.125, D=0.125))
    p = make().chameleon(BIRDS, "ice")
    labels = shown(openai_server.requests[0])
    assert {labels[x]: y for x, y in zip("ABCD", (0.5, 0.25, 0.125, 0.125), strict=True)} == {
        word: pytest.approx(p[i]) for i, word in enumerate(BIRDS.words)
    }
    openai_server.script(tokens(A=0.6, B=0.3, C=0.1))
    p = make().ally(BIRDS, "ice")
    labels = shown(openai_server.requests[1])
    assert p == pytest.approx(
        [
            {labels[x]: y for x, y in (("A", 0.6), ("B", 0.3), ("C", 0.1))}[m]
            for m in ("ice", "wing", "feather")
        ]
    )


def test_the_order_is_drawn_by_instance_and_message(openai_server, make):
    for message in ("ice", "ice", "snow", "cold", "black and white"):
        make().chameleon(BIRDS, message)
    orders = [tuple(shown(request).values()) for request in openai_server.requests]
    assert orders[0] == orders[1]
    assert len(set(orders)) > 2


def test_labels_by_hand():
    # A 0.3 + 0.1, B 0.2, and C is not there: at most 0.05, the least likely token, and at most
    # the 0.3 that is left of 1
    logprobs = {"A": 0.3, " A": 0.1, "B)": 0.2, "The": 0.05, "a": 0.05}
    found = read_labels({token: math.log(p) for token, p in logprobs.items()}, "ABC")
    assert found.p == pytest.approx(np.array([0.4, 0.2, 0.05]) / 0.65)
    assert (found.bounded, found.mass) == (1, pytest.approx(0.05 / 0.65))
    # what is left of 1 is shared by those that are missing
    found = read_labels({"A": math.log(0.6), "**B": math.log(0.2)}, "ABCD")
    assert found.p == pytest.approx([0.6, 0.2, 0.1, 0.1])
    assert (found.bounded, found.mass) == (2, pytest.approx(0.2))
    # a label that is mentioned is not bounded, however unlikely it is
    found = read_labels({"A": 0.0, "▁B": -9999.0}, "AB")
    assert (found.p.tolist(), found.bounded, found.mass) == ([1, 0], 0, 0)
    assert read_labels({"The": -0.1, "b": -3.0, "AB": -4.0}, "AB") is None
    assert read_labels({"A": -math.inf}, "AB") is None


@given(
    st.dictionaries(
        st.sampled_from(["A", " A", "B", "B.", "C)", "D", "x", "The"]),
        st.floats(-20, 0) | st.just(-math.inf),
        min_size=1,
    )
)
def test_any_log_probabilities_give_a_distribution(logprobs):
    found = read_labels(logprobs, "ABCD")
    if found is not None:
        assert found.p.sum() == pytest.approx(1)
        assert (found.p >= 0).all()
        assert 0 <= found.mass <= 1
        named = {token.strip(" .)") for token in logprobs}
        assert found.bounded == len(set("ABCD") - named)


def test_what_was_bounded_is_reported(openai_server, make):
    listener = make()
    openai_server.script(tokens(A=0.6, B=0.2, C=0.1, D=0.1), tokens(A=0.6, B=0.2))
    listener.chameleon(BIRDS, "ice")
    assert (listener.answers, listener.bounded, listener.bounded_mass) == (1, 0, 0)
    listener.chameleon(BIRDS, "ice")
    assert (listener.answers, listener.bounded) == (2, 2)
    assert listener.bounded_mass == pytest.approx(0.2)
    first, second = listener.take_trace()
    assert (first["bounded"], second["bounded"]) == (0, 2)
    assert second["mass"] == pytest.approx(0.2)
    assert listener.take_trace() == []


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {"content": []},
        {"content": None},
        {"content": [{"token": "A"}]},
        {"content": [{"token": "A", "logprob": "likely"}]},
        {"content": [{"token": "A", "logprob": None, "top_logprobs": []}]},
        {"content": [{"token": 3, "logprob": -1}]},
        [1],
    ],
)
def test_servers_without_log_probabilities(openai_server, make, logprobs):
    choice = {"message": {"content": "A"}, "finish_reason": "stop", "logprobs": logprobs}
    openai_server.script(Answer(body=json.dumps({"choices": [choice]}).encode()))
    with pytest.raises(AgentFailure, match=r"no log-probabilities came; use a server that gives"):
        make().chameleon(BIRDS, "ice")


def test_only_the_first_token_counts(openai_server, make):
    content = [
        {"token": "B", "logprob": math.log(0.9), "top_logprobs": []},
        {"token": "A", "logprob": 0.0, "top_logprobs": []},
    ]
    choice = {"message": {"content": "BA"}, "logprobs": {"content": content}}
    openai_server.script(Answer(body=json.dumps({"choices": [choice]}).encode()))
    p = make().chameleon(BIRDS, "ice")
    assert BIRDS.words[p.argmax()] == shown(openai_server.requests[0])["B"]
    assert p.max() == pytest.approx(0.9)


def test_a_server_that_refuses_log_probabilities(openai_server, make):
    openai_server.script(Answer("logprobs is not supported", status=400))
    with pytest.raises(AgentFailure, match=r"logprobs is not supported.*method=sample"):
        make().chameleon(BIRDS, "ice")


def test_a_model_that_begins_otherwise(openai_server, make):
    openai_server.script(tokens(The=0.9, I=0.1))
    listener = make()
    with pytest.raises(AgentFailure, match="no label among its likeliest first tokens"):
        listener.chameleon(BIRDS, "ice")
    assert listener.take_trace()[0]["unreadable"]
    assert listener.answers == 0


@pytest.mark.parametrize("fault", TRANSIENT)
def test_transient_faults_are_retried(openai_server, make, waits, fault):
    wanted = make().chameleon(BIRDS, "ice")
    openai_server.script(fault, fault)
    assert make(timeout=0.3).chameleon(BIRDS, "ice") == pytest.approx(wanted)
    assert len(waits) == 2


@pytest.mark.parametrize("fault", PERMANENT)
def test_permanent_faults_end_it(openai_server, make, fault):
    openai_server.script(fault)
    with pytest.raises(AgentFailure, match="openai:toy: ") as caught:
        make().chameleon(BIRDS, "ice")
    assert KEY not in str(caught.value)


def test_sampling(openai_server, make):
    openai_server.gives_logprobs = False
    listener = make(method="sample", n=4, seed=7)
    assert listener.method == "sample (n=4)"
    openai_server.script(
        Answer("<think>A? No.</think>B"), Answer("**C**"), Answer("A bird."), Answer("D) owl")
    )
    p = listener.chameleon(BIRDS, "ice")
    orders = [shown(request) for request in openai_server.requests]
    counts = dict.fromkeys(BIRDS.words, 0)
    for order, label in zip((orders[0], orders[1], orders[3]), "BCD", strict=True):
        counts[order[label]] += 1
    assert p == pytest.approx([counts[word] / 3 for word in BIRDS.words])
    assert len({tuple(order.values()) for order in orders}) > 1
    assert [call["unreadable"] for call in listener.take_trace()] == [False, False, True, False]
    assert [request["seed"] for request in openai_server.requests] == [7, 8, 9, 10]
    request = openai_server.requests[0]
    assert request["temperature"] == 1
    assert not {"logprobs", "top_logprobs", "max_tokens"} & set(request)


def test_samples_that_say_nothing(openai_server, make):
    openai_server.script(*[Answer("I think it is the owl.")] * 3)
    with pytest.raises(AgentFailure, match="none of 3 samples began with a label; the last was"):
        make(method="sample", n=3).chameleon(BIRDS, "ice")


def test_without_blocking(openai_server, make):
    listener = make()
    wanted = listener.ally(BIRDS, "ice"), listener.chameleon(BIRDS, "ice")

    async def both():
        return await asyncio.gather(listener.aally(BIRDS, "ice"), listener.achameleon(BIRDS, "ice"))

    found = asyncio.run(both())
    assert all((a == b).all() for a, b in zip(found, wanted, strict=True))
    average = Average([listener, Embedding()])
    heard = asyncio.run(average.ahear(BIRDS, "ice"))
    assert (heard.ally["openai:toy"] == wanted[0]).all()
    assert (heard.chameleon["embedding"] == Embedding().chameleon(BIRDS, "ice")).all()
    ally = asyncio.run(average.aally(BIRDS, "ice"))
    assert ally == pytest.approx((wanted[0] + Embedding().ally(BIRDS, "ice")) / 2)
    assert asyncio.run(average.achameleon(BIRDS, "ice")).sum() == pytest.approx(1)
    assert len(average.take_trace()) == len(openai_server.requests)


def test_copies_ask_on_their_own_and_hold_no_key(openai_server, make):
    listener = make()
    twin = copy.deepcopy(listener)
    twin.chameleon(BIRDS, "ice")
    assert (len(listener.take_trace()), len(twin.take_trace())) == (0, 1)
    pickled = pickle.dumps(LLMListener("toy", base_url=openai_server.base_url))
    assert KEY.encode() not in pickled
    assert pickle.loads(pickled).ally(BIRDS, "ice").sum() == pytest.approx(1)


def test_prompts_of_ones_own(openai_server, make, tmp_path):
    (tmp_path / "sneak").mkdir()
    turn = "{{ info.message }}: {% for l, w in info.choices %}{{ l }}={{ w }} {% endfor %}"
    (tmp_path / "sneak" / "chameleon_listener.turn.jinja").write_text(turn)
    openai_server.script(tokens(A=1.0))
    make(prompts=tmp_path).chameleon(BIRDS, "ice")
    assert openai_server.requests[0]["messages"][1]["content"].startswith("ice: A=")
    (tmp_path / "wrong" / "sneak").mkdir(parents=True)
    (tmp_path / "wrong" / "sneak" / "ally_listener.turn.jinja").write_text("{% if %}")
    with pytest.raises(ValueError, match=r"ally_listener\.turn\.jinja, line 1"):
        make(prompts=tmp_path / "wrong")


def test_specs(openai_server):
    url = openai_server.base_url
    spec = f"openai:lab/toy?method=sample&n=3&temperature=none&base_url={url}"
    listener = make_listener(spec)
    assert (listener.name, listener.model, listener.settings) == (spec, "lab/toy", {})
    assert listener.chameleon(BIRDS, "ice").sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("openai:toy?method=guess", "method='guess': logprobs or sample"),
        ("openai:toy?n=0", "n=0: 1 or more samples"),
        ("openai:toy?top_logprobs=21", "top_logprobs=21: 1 to 20"),
        ("openai:toy?temprature=1", "has no option 'temprature'; its options: method, n"),
        ("openai:toy?retries=-1", "retries=-1: 0 or more"),
    ],
)
def test_wrong_specs(spec, message):
    with pytest.raises(SpecError, match=message):
        make_listener(spec)


def test_more_choices_than_letters(make):
    instance = Instance("x", "concrete", tuple(f"w{i}" for i in range(27)), "w0", ("y",))
    with pytest.raises(ValueError, match="x/w0: 27 choices, labels for 26"):
        make().chameleon(instance, "ice")


@pytest.mark.parametrize("package", ["openai", "jinja2"])
def test_without_the_extra(package):
    code = (
        f"import sys; sys.modules[{package!r}] = None; "
        "from unspoken.judges.listeners.specs import make_listener; "
        "make_listener('openai:toy')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'need the "llm" extra: pip install "unspoken[llm]"' in done.stderr
