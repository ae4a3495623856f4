"""One move at a time against a server that misbehaves."""

import asyncio
import copy
import pickle
import subprocess
import sys

import pytest
from support.openai_server import KEY, ODD, TRANSIENT, Answer

from unspoken.agents.base import Agent, AgentFailure
from unspoken.agents.llm import LLMAgent
from unspoken.agents.specs import make_agent, roles_of
from unspoken.envs.registry import game

BANK = game("aidg_search").menu("seeker")
QUESTION = BANK[1]


@pytest.fixture(params=["act", "aact"])
def move(request):
    """Makes an agent move, blocking or not."""

    def of(agent, situation):
        if request.param == "act":
            return agent.act(*situation)
        return asyncio.run(agent.aact(*situation))

    return of


def test_a_plain_move(openai_server, make, situation, move):
    openai_server.script(Answer("<think>Hm.</think> Yes"))
    agent = make("holder")
    assert move(agent, situation(QUESTION)) == "Yes"
    (call,) = agent.take_trace()
    assert call.pop("latency_s") > 0
    assert call.pop("messages") == openai_server.requests[0]["messages"]
    assert (
        call.items()
        >= {
            "model": "toy",
            "step": "",
            "reply": "<think>Hm.</think> Yes",
            "finish_reason": "stop",
            "usage": {"prompt_tokens": 11, "completion_tokens": 3},
            "attempts": 1,
            "error": None,
            "unreadable": False,
            "fallback": False,
        }.items()
    )
    assert agent.take_trace() == []


def test_what_is_sent(openai_server, make, situation, move):
    move(make("seeker"), situation())
    settings = {"temperature": 0.3, "top_p": 0.9, "seed": 4, "max_tokens": 50}
    move(make("seeker", **settings, reasoning_effort="low"), situation())
    first, second = openai_server.requests
    assert first.keys() == {"model", "messages", "temperature"}
    assert first["temperature"] == 0.7
    assert settings.items() <= second.items()
    assert second["reasoning_effort"] == "low"
    assert openai_server.keys == {KEY}
    move(make("seeker", temperature=None), situation())
    assert openai_server.requests[2].keys() == {"model", "messages"}


@pytest.mark.parametrize("fault", TRANSIENT)
def test_transient_faults_are_retried(openai_server, make, situation, move, waits, fault):
    openai_server.script(fault, fault, Answer("no"))
    agent = make("holder", timeout=0.5)
    assert move(agent, situation(QUESTION)) == "no"
    (call,) = agent.take_trace()
    assert (call["attempts"], call["error"], call["reply"]) == (3, None, "no")
    assert len(openai_server.requests) == 3
    asked = 2 if fault == "429-wait" else 0
    assert asked + 0.25 <= waits[0] <= asked + 0.5 <= waits[1] <= asked + 1


def test_backoff_doubles_up_to_a_limit_and_then_gives_up(make, openai_server, situation, waits):
    openai_server.script(*["503"] * 20)
    agent = make("holder", retries=9)
    with pytest.raises(AgentFailure, match=r"openai:toy: HTTP 503: .*away.* \(10 attempts\); try"):
        agent.act(*situation(QUESTION))
    full = [min(0.5 * 2**n, 30) for n in range(9)]
    assert all(f / 2 <= wait <= f for f, wait in zip(full, waits, strict=True))
    (call,) = agent.take_trace()
    assert (call["attempts"], call["reply"]) == (10, None)
    assert "503" in call["error"]
    assert len(openai_server.requests) == 10


def test_no_retries(make, openai_server, situation, waits):
    openai_server.script("429")
    with pytest.raises(AgentFailure, match="HTTP 429: slow down; try later"):
        make("holder", retries=0).act(*situation(QUESTION))
    assert waits == []


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("400", r"HTTP 400: Unsupported parameter: 'temperature'; .*temperature=none"),
        ("401", r"HTTP 401: Incorrect API key provided: \[key\]; check OPENAI_API_KEY"),
        ("403", "what the key may use"),
        ("404", "HTTP 404: no such model; check the model's name and base_url"),
        ("quota", "check the account's credit"),
        ("429-hours", "come back later"),
    ],
)
def test_permanent_faults_fail_at_once(openai_server, make, situation, move, waits, fault, words):
    openai_server.script(fault)
    agent = make("seeker")
    with pytest.raises(AgentFailure, match="^openai:toy: .*" + words) as failure:
        move(agent, situation())
    assert len(openai_server.requests) == 1
    assert waits == []
    assert KEY not in repr(agent.take_trace()) + repr(failure.value)
    assert pickle.loads(pickle.dumps(failure.value)).args == failure.value.args


def test_nobody_listens(situation, waits):
    agent = LLMAgent("toy", base_url="http://127.0.0.1:9/v1", retries=1)
    agent.sleep = waits.append
    agent.reset("seeker", game("aidg_search"), 0)
    with pytest.raises(AgentFailure, match=r"connection failed \(.*refused\) .*check base_url"):
        agent.act(*situation())


def test_a_server_that_does_not_reply(openai_server, make, situation, move):
    openai_server.script(Answer(stall=30))
    with pytest.raises(AgentFailure, match=r"no reply within 0\.2 s; raise timeout="):
        move(make("seeker", timeout=0.2, retries=0), situation())


def test_a_server_that_trickles_does_not_hold_up_the_loop(openai_server, make, situation):
    openai_server.script(Answer(ending="trickle"))
    with pytest.raises(AgentFailure, match=r"no reply within 0\.3 s"):
        asyncio.run(make("seeker", timeout=0.3, retries=0).aact(*situation()))


def test_a_key_that_cannot_be_sent(make, situation, monkeypatch, move):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-ключ\n")
    with pytest.raises(AgentFailure, match="could not be sent") as failure:
        move(make("seeker"), situation())
    assert "ключ" not in str(failure.value)


@pytest.mark.parametrize("fault", ODD)
def test_odd_replies_are_put_to_the_model_again(openai_server, make, situation, move, fault):
    openai_server.script(fault, Answer("no"))
    agent = make("holder")
    said = move(agent, situation(QUESTION))
    calls = agent.take_trace()
    if fault == "parts":
        assert said == "maybe"
        assert len(calls) == 1
        return
    assert said == "no"
    assert [call["unreadable"] for call in calls] == [True, False]
    first, second = openai_server.requests
    assert second["messages"][:-2] == first["messages"]
    reply, complaint = second["messages"][-2:]
    assert reply["role"] == "assistant"
    assert 0 < len(reply["content"]) <= 2_000
    assert "lamp" not in reply["content"]
    assert complaint["role"] == "user"
    cut_off = fault == "cut-off"
    assert ("cut off" in complaint["content"]) == cut_off


def test_a_second_unreadable_reply_is_left_to_the_game(openai_server, make, situation, move):
    openai_server.script(Answer("blah"), Answer("It is a lamp, so yes."))
    agent = make("holder")
    assert move(agent, situation(QUESTION)) == "It is a lamp, so yes."
    calls = agent.take_trace()
    assert [(c["unreadable"], c["fallback"]) for c in calls] == [(True, False)] * 2
    openai_server.script("think-only", "huge")
    assert len(move(agent, situation(QUESTION))) <= 1 << 20
    openai_server.script("huge", "think-only")
    assert move(agent, situation(QUESTION)) == ""


def test_by_menu_the_index_is_played(openai_server, make, situation, move):
    openai_server.script(Answer("No."))
    assert move(make("holder"), situation(1, utterances="menu")) == 1
    openai_server.script(Answer(QUESTION))
    assert move(make("seeker"), situation(utterances="menu")) == 1
    assert QUESTION in openai_server.requests[-1]["messages"][0]["content"]


def test_by_menu_a_legal_action_stands_in(openai_server, make, situation, move):
    agent = make("seeker", game("aidg_search").with_options(max_turns=2))
    last_turn = situation(1, 1, utterances="menu", max_turns=2)
    openai_server.script(Answer("lock: xylophone"), Answer(QUESTION))
    action = move(agent, last_turn)
    assert type(action) is int
    assert last_turn[0]["action_mask"][action] == 1
    calls = agent.take_trace()
    assert [(c["unreadable"], c["fallback"]) for c in calls] == [(True, False), (True, True)]
    said = calls[1]["messages"][-1]["content"]
    assert "not among the sentences that you can say now" in said


def test_calls_say_which_move_they_are_for(openai_server, make, situation, move):
    agent = make("seeker", method="self-consistency", samples=2)
    openai_server.script(Answer(""), Answer(""), Answer(BANK[2]))
    move(agent, situation())
    move(agent, situation(BANK[2], "no"))
    calls = agent.take_trace()
    assert [(c["turn"], c["move"], c["step"]) for c in calls] == [
        (1, 0, "sample"),
        (1, 0, "sample"),
        (1, 0, "again"),
        (2, 1, "sample"),
        (2, 1, "sample"),
    ]
    agent.reset("seeker", game("aidg_search"), 1)
    move(agent, situation())
    assert {call["move"] for call in agent.take_trace()} == {0}


# Several candidates, and marks around one -------------------------------------------------------

OWL = {"secret": "bird/owl"}
LONE = {**OWL, "chameleon": "player_3"}
CLUES = ("wise", "wing", "nest", "claw")
LISTS = {
    "aidg_search seeker": ("aidg_search", {}, {}, (), ("Is it alive?", "Is it made of metal?")),
    "aidg_search holder": ("aidg_search", {}, {}, ("Is it alive?",), ("yes", "no")),
    "aidg_dialogue seeker": (
        *("aidg_dialogue", {}, {}, ()),
        ("Where do you live now?", "Do you like the place?"),
    ),
    "aidg_dialogue holder": (
        *("aidg_dialogue", {}, {}, ("Where do you live?",)),
        ("I moved some time ago.", "I would rather not say."),
    ),
    "sneak speaker": ("sneak", {}, OWL, (), ("wise", "night hunter")),
    "sneak ally": ("sneak", {}, OWL, ("wise",), ("A", "B")),
    "chameleon clue": ("chameleon", {}, LONE, (), ("wise", "at night")),
    "chameleon talk": (
        *("chameleon", {"discussion": 1}, LONE, CLUES),
        ("I suspect player 1.", "I suspect player 2."),
    ),
    "chameleon vote": ("chameleon", {}, LONE, CLUES, ("vote: player 0", "vote: player 1")),
    "questioner": ("cross_examination", {}, {}, (), ("What did you do?", "Did you sleep?")),
    "witness": ("cross_examination", {}, {}, ("Did you sleep?",), ("No.", "I was on my round.")),
}


@pytest.fixture
def place(make):
    """A model to move in some game after some lines: the agent, and what it sees."""

    def at(name, options, reset, said, **settings):
        spec = game(name).with_options(**{"utterances": "free", **options})
        env = spec.env()
        env.reset(seed=0, options=reset)
        for line in said:
            env.step(line)
        seat = env.agent_selection
        agent = make(seat.rpartition("_")[0], spec, **settings)
        return agent, (env.observe(seat), env.infos[seat])

    return at


@pytest.mark.parametrize("form", ["{}. {}", "- {1}", "**Option {}:** {}"])
@pytest.mark.parametrize("kind", LISTS)
def test_of_several_candidates_one_is_asked_for(openai_server, place, move, kind, form):
    *where, items = LISTS[kind]
    listed = "\n".join(form.format(n, item) for n, item in enumerate(items, start=1))
    agent, seen = place(*where)
    openai_server.script(Answer(f"Here are some:\n{listed}"), Answer(items[1]))
    assert move(agent, seen) == items[1]
    first, second = agent.take_trace()
    assert (first["unreadable"], second["unreadable"], second["step"]) == (True, False, "again")
    assert "You gave 2 to choose from" in second["messages"][-1]["content"]


@pytest.mark.parametrize("kind", LISTS)
def test_who_insists_on_a_list_says_it(openai_server, place, move, kind):
    *where, items = LISTS[kind]
    listed = "\n".join(f"{n}. {item}" for n, item in enumerate(items, start=1))
    agent, seen = place(*where)
    openai_server.script(Answer(listed), Answer(listed))
    assert move(agent, seen) == listed
    assert len(agent.take_trace()) == 2


@pytest.mark.parametrize(
    ("kind", "reply"),
    [
        ("sneak speaker", "1. <message>wise</message>\n2. Then again: <message>hunter</message>"),
        ("sneak ally", "A: 0.7\nB: 0.3"),
        ("aidg_search seeker", "1. It may be a tool.\n2. I cannot tell.\nIs it alive?"),
        ("aidg_dialogue holder", "I moved there in 2001. In 2003 I left."),
        ("witness", "- I was on my round."),
    ],
)
def test_what_is_no_choice_is_said(openai_server, place, move, kind, reply):
    *where, _ = LISTS[kind]
    agent, seen = place(*where)
    openai_server.script(Answer(reply))
    assert move(agent, seen) == reply
    assert len(agent.take_trace()) == 1


def test_by_menu_one_is_asked_for_too(openai_server, make, situation, move):
    openai_server.script(Answer(f"1. {BANK[0]}\n2. {BANK[1]}"), Answer(BANK[1]))
    assert move(make("seeker"), situation(utterances="menu")) == 1


@pytest.mark.parametrize("kind", LISTS)
def test_marks_around_a_move_are_not_said(openai_server, place, move, kind):
    *where, (item, _) = LISTS[kind]
    agent, seen = place(*where)
    openai_server.script(Answer(f'**Answer:** "{item}"'))
    said = move(agent, seen)
    (call,) = agent.take_trace()
    assert not call["unreadable"]
    # a game that reads such marks itself gets them
    assert said == item or agent.spec.understand(agent.role, said, seen[1]).action >= 0


# A schema for moves -----------------------------------------------------------------------------


def test_a_move_by_a_schema(openai_server, place, move):
    agent, seen = place(*LISTS["witness"][:-1], structured=True)
    openai_server.script(Answer('<think>…</think>{"say": "I was \\"away\\"."}'))
    assert move(agent, seen) == 'I was "away".'
    (request,) = openai_server.requests
    schema = request["response_format"]["json_schema"]["schema"]
    assert schema["properties"] == {"say": {"type": "string"}}


def test_by_menu_the_schema_has_the_sentences(openai_server, make, situation, move):
    seen = situation(1, utterances="menu")
    openai_server.script(Answer('{"say": "no"}'))
    assert move(make("holder", structured=True), seen) == 1
    schema = openai_server.requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["say"]["enum"] == ["yes", "no", "maybe"]


def test_a_server_without_schemas_is_asked_without(openai_server, make, situation, move):
    openai_server.script("400", Answer("no"), Answer("yes"))
    agent = make("holder", structured=True)
    assert move(agent, situation(QUESTION)) == "no"
    assert move(agent, situation(QUESTION)) == "yes"
    forms = ["response_format" in request for request in openai_server.requests]
    assert forms == [True, False, False]


def test_only_moves_are_asked_for_by_a_schema(openai_server, make, situation, move):
    def say(text):
        return Answer(f'{{"say": "{text}"}}')

    openai_server.script(say(BANK[0]), Answer("VERDICT: bad"), say("hm"), say(BANK[4]))
    agent = make("seeker", structured=True, method="sets", samples=1)
    assert move(agent, situation()) == BANK[4]
    asked = [
        (call["step"], "response_format" in request)
        for call, request in zip(agent.take_trace(), openai_server.requests, strict=True)
    ]
    assert asked == [("sample", True), ("verify", False), ("correct", True), ("again", True)]
    assert openai_server.requests[1]["messages"][-2]["content"] == BANK[0]
    openai_server.requests.clear()
    openai_server.script(Answer(f"Hm. <answer>{BANK[5]}</answer>"))
    assert move(make("seeker", structured=True, method="cot"), situation()) == BANK[5]
    assert "response_format" not in openai_server.requests[0]


def test_without_usage(openai_server, make, situation):
    openai_server.usage = None
    agent = make("seeker")
    agent.act(*situation())
    assert agent.take_trace()[0]["usage"] is None


def test_a_cancelled_request_stays_in_the_trace(openai_server, make, situation):
    openai_server.script("stall")
    agent = make("seeker")

    async def cancelled():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(agent.aact(*situation()), 0.2)

    asyncio.run(cancelled())
    (call,) = agent.take_trace()
    assert (call["attempts"], call["reply"]) == (1, None)


def test_copies_play_on_their_own(openai_server, make, situation):
    agent = make("seeker")
    agent.act(*situation())
    twin = copy.deepcopy(agent)
    twin.act(*situation())
    assert (len(agent.take_trace()), len(twin.take_trace())) == (1, 2)
    fresh = LLMAgent("toy", base_url=openai_server.base_url)
    fresh.reset("seeker", game("aidg_search"), 0)
    pickled = pickle.dumps(fresh)
    assert KEY.encode() not in pickled
    assert pickle.loads(pickled).act(*situation())
    assert KEY not in repr(vars(agent)) + repr(agent)


@pytest.mark.parametrize(
    "option",
    [
        {"temperature": -1},
        {"temperature": float("nan")},
        {"max_tokens": 0},
        {"top_p": 0},
        {"timeout": 0},
        {"timeout": float("inf")},
        {"retries": -1},
        {"base_url": "localhost"},
        {"prompts": "/nowhere"},
    ],
)
def test_options_out_of_range(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        LLMAgent("toy", **option)


def test_no_key_is_found_out_at_once(monkeypatch, openai_server, situation):
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    with pytest.raises(ValueError, match="openai:toy needs a key: set OPENAI_API_KEY"):
        LLMAgent("toy")
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.base_url)
    agent = LLMAgent("toy", max_tokens=9)
    agent.reset("seeker", game("aidg_search"), 0)
    assert agent.act(*situation())
    assert openai_server.keys == {"none"}
    assert openai_server.requests[0]["max_tokens"] == 9


def test_openai_itself_is_sent_its_own_name_for_the_limit():
    assert LLMAgent("gpt-5", max_tokens=9).settings["max_completion_tokens"] == 9


def test_specs(openai_server):
    spec = f"openai:lab/toy?temperature=0.2&retries=1&base_url={openai_server.base_url}"
    agent = make_agent(spec, "aidg_search")
    assert isinstance(agent, Agent)
    assert (agent.name, agent.model, agent.quick) == (spec, "lab/toy", False)
    assert agent.settings == {"temperature": 0.2}
    assert roles_of(agent, ("seeker", "holder")) == ("seeker", "holder")
    with pytest.raises(ValueError, match="has no option 'temprature'"):
        make_agent("openai:toy?temprature=1", "aidg_search")


@pytest.mark.parametrize("package", ["openai", "jinja2"])
def test_without_the_extra(package):
    code = f"import sys; sys.modules[{package!r}] = None; import unspoken.agents.llm.agent"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'the LLM agents need the "llm" extra: pip install "unspoken[llm]"' in done.stderr
