"""What the requests of a run share: connections, waits, budget, and the record."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.openai_server import KEY, ODD, TRANSIENT, Answer, OpenAIServer

from unspoken.agents.base import AgentFailure, RunOver
from unspoken.agents.llm import LLMAgent
from unspoken.agents.llm.prices import Price, Prices, read_prices
from unspoken.agents.llm.traffic import (
    BrokenOff,
    BudgetSpent,
    Lane,
    Limits,
    ReplayError,
    Spent,
    Traffic,
    Use,
    replaying,
)
from unspoken.envs.registry import game

A_REQUEST = 14  # tokens that the local server counts
TOY = Prices({"toy": Price(input=1_000_000, output=2_000_000, cached_input=500_000)})
A_COST = 11 * 1 + 3 * 2  # of a request, by TOY


@pytest.fixture
def moves(make, situation):
    """Makes some moves at once, by tasks or by threads; exceptions come back."""

    def of(n, by="tasks"):
        agents = [make("seeker", name=f"a{i}") for i in range(n)]
        seen = situation()

        async def all_of_them():
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(n))
            ways = {
                "tasks": lambda agent: agent.aact(*seen),
                "threads": lambda agent: asyncio.to_thread(agent.act, *seen),
            }
            kinds = [*ways] * n if by == "both" else [by] * n
            going = [ways[kind](agent) for kind, agent in zip(kinds, agents, strict=False)]
            return await asyncio.gather(*going, return_exceptions=True)

        return asyncio.run(all_of_them())

    return of


# connections


@pytest.mark.parametrize("by", ["tasks", "threads", "both"])
def test_so_many_connections_and_no_more(openai_server, moves, by):
    together = threading.Barrier(3)

    def play(messages):
        together.wait(60)  # nobody is answered before three are there
        return "Is it alive?"

    openai_server.play = play
    traffic = Traffic(Limits(max_connections=3))
    with traffic.use():
        assert all(isinstance(move, str) for move in moves(12, by))
    assert openai_server.most == 3
    assert (traffic.in_flight, traffic.waiting) == (0, 0)


def test_each_endpoint_has_its_own_connections(openai_server, make, situation):
    other = OpenAIServer()
    try:
        other.delay = openai_server.delay = 0.05
        urls = [openai_server.base_url, other.base_url] * 3
        agents = [make("seeker", base_url=url) for url in urls]

        async def all_of_them():
            await asyncio.gather(*(agent.aact(*situation()) for agent in agents))

        with Traffic(Limits(max_connections=1)).use():
            asyncio.run(all_of_them())
        assert (openai_server.most, other.most) == (1, 1)
        # together faster than one after another: they did not wait for each other
        assert min(other.times) < max(openai_server.times)
        assert min(openai_server.times) < max(other.times)
    finally:
        other.close()


def test_places_are_given_in_order():
    lane, got = Lane(1), []

    async def one(n):
        await lane.aenter()
        got.append(n)
        await asyncio.sleep(0)
        lane.leave()

    async def all_of_them():
        await asyncio.gather(*map(one, range(20)))

    asyncio.run(all_of_them())
    assert got == list(range(20))


@given(st.lists(st.sampled_from(["cancel", "keep"]), max_size=12), st.integers(1, 3))
def test_those_who_are_stopped_give_their_places_back(fates, places):
    lane = Lane(places)

    async def all_of_them():
        for _ in range(places):
            await lane.aenter()
        tasks = [asyncio.create_task(lane.aenter()) for _ in fates]
        await asyncio.sleep(0)
        assert lane.waiting == len(fates)
        for task, fate in zip(tasks, fates, strict=True):
            if fate == "cancel":
                task.cancel()
        for _ in range(places + fates.count("keep")):
            lane.leave()
            await asyncio.sleep(0)
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(all_of_them())
    assert (lane.in_flight, lane.waiting) == (0, 0)


def test_a_place_that_comes_while_its_task_is_stopped_is_not_lost():
    lane = Lane(1)

    async def race():
        await lane.aenter()
        task = asyncio.create_task(lane.aenter())
        await asyncio.sleep(0)
        lane.leave()  # the place is the task's now, but it has not run
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(race())
    assert lane.in_flight == 0


def test_a_stopped_request_gives_its_place_back(openai_server, make, situation):
    openai_server.script("stall")
    traffic = Traffic(Limits(max_connections=1))

    async def stopped():
        going = asyncio.create_task(make("seeker").aact(*situation()))
        while not openai_server.requests:
            await asyncio.sleep(0.01)
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        return await make("seeker").aact(*situation())

    with traffic.use():
        assert asyncio.run(stopped())
    assert traffic.in_flight == 0


def test_while_one_waits_to_try_again_another_goes(openai_server, make, situation):
    openai_server.script("503")
    first, second = make("seeker"), make("seeker")
    with Traffic(Limits(max_connections=1)).use():
        first.sleep = lambda _: second.act(*situation())  # would wait for ever without a place
        assert first.act(*situation())
    assert len(openai_server.requests) == 3


# servers that ask to wait


def test_all_wait_where_one_is_told_to(openai_server, make, situation, waits):
    openai_server.script(Answer("slow down", status=429, headers={"retry-after": "200"}))
    other = OpenAIServer()
    try:
        with Traffic().use():
            first, second, third = make("seeker"), make("holder"), make("seeker")
            elsewhere = make("seeker", base_url=other.base_url)
            first.sleep = lambda seconds: waits.append(("first", seconds))
            second.sleep = lambda seconds: waits.append(("second", seconds))
            elsewhere.sleep = lambda seconds: waits.append(("elsewhere", seconds))
            first.act(*situation())
            second.act(*situation(game("aidg_search").menu("seeker")[1]))
            elsewhere.act(*situation())
        third.act(*situation())  # shares nothing with them
        (one, told), (two, waited) = waits
        assert (one, two) == ("first", "second")
        assert 200 < told <= 200.5  # as before, and not twice
        assert 100 < waited <= 200.5
    finally:
        other.close()


def test_no_request_comes_before_the_time(openai_server, situation):
    openai_server.script(Answer("slow down", status=429, headers={"retry-after-ms": "400"}))

    def move(_):
        agent = LLMAgent("toy", base_url=openai_server.base_url)
        agent.reset("seeker", game("aidg_search"), 0)
        return agent.act(*situation())

    async def all_of_them():
        await asyncio.to_thread(told.wait)
        await asyncio.gather(*(asyncio.to_thread(move, n) for n in range(4)))

    with Traffic(Limits(max_connections=2)).use() as traffic:
        told = threading.Event()
        pause = traffic.lane(openai_server.base_url).pause
        traffic.lane(openai_server.base_url).pause = lambda s: (pause(s), told.set())[0]

        async def everything():
            await asyncio.gather(asyncio.to_thread(move, 0), all_of_them())

        asyncio.run(everything())
    first, *others = openai_server.times
    assert len(others) == 5
    assert min(others) - first >= 0.39


def test_hours_are_not_waited_for(openai_server, make, situation, waits):
    openai_server.script("429-hours")
    with Traffic().use():
        with pytest.raises(AgentFailure, match="come back later"):
            make("seeker").act(*situation())
        make("seeker").act(*situation())
    assert waits == []


# budget


def test_no_request_is_sent_when_the_tokens_are_used(openai_server, make, situation):
    traffic = Traffic(Limits(max_tokens=3 * A_REQUEST + 1))
    agent = make("seeker")
    with traffic.use():
        for _ in range(4):
            agent.act(*situation())
        with pytest.raises(BudgetSpent, match=r"max_tokens=43 is reached: 56 tokens"):
            agent.act(*situation())
    assert len(openai_server.requests) == 4
    assert traffic.spent.tokens == 4 * A_REQUEST
    assert not issubclass(BudgetSpent, AgentFailure)
    assert issubclass(BudgetSpent, RunOver)
    agent.act(*situation())  # outside there is no limit


def test_no_request_is_sent_when_the_money_is_spent(openai_server, make, situation):
    traffic = Traffic(Limits(max_cost=2 * A_COST), prices=TOY)
    agent = make("seeker")
    with traffic.use():
        agent.act(*situation())
        agent.act(*situation())
        with pytest.raises(BudgetSpent, match=r"max_cost=34 is reached: 34 USD were spent"):
            asyncio.run(agent.aact(*situation()))
    assert [call["cost"] for call in agent.take_trace()] == [A_COST, A_COST, None]
    assert len(openai_server.requests) == 2


@pytest.mark.parametrize("by", ["tasks", "threads"])
def test_past_the_budget_go_those_in_flight_at_most(openai_server, moves, by):
    openai_server.delay = 0.02
    with Traffic(Limits(max_connections=3, max_tokens=5 * A_REQUEST)).use() as traffic:
        ends = moves(30, by)
    sent = len(openai_server.requests)
    assert 5 <= sent <= 5 + 3 - 1
    assert traffic.spent.tokens == sent * A_REQUEST
    assert sum(isinstance(end, BudgetSpent) for end in ends) == 30 - sent
    assert traffic.in_flight == 0


def test_a_budget_is_looked_at_before_each_attempt(openai_server, make, situation, waits):
    counted = b'{"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 5}}'
    openai_server.script(Answer(body=counted))
    agent = make("seeker")
    traffic = Traffic(Limits(max_tokens=20), prices=TOY)
    with traffic.use(), pytest.raises(BudgetSpent):
        agent.act(*situation())
    assert len(openai_server.requests) == 1
    use = traffic.spent.total
    assert (use.requests, use.failed, use.prompt_tokens, use.completion_tokens) == (1, 1, 20, 5)
    (call,) = agent.take_trace()
    assert call["usage"] == {"prompt_tokens": 20, "completion_tokens": 5}
    assert call["cost"] == 30


def test_failed_attempts_count_where_the_server_says_so(openai_server, make, situation):
    usage = {"prompt_tokens": 20, "completion_tokens": 5}
    error = json.dumps({"error": {"message": "oops"}, "usage": usage}).encode()
    openai_server.script("503", Answer(status=500, body=error), "reset")
    agent = make("seeker")
    with Traffic(prices=TOY).use() as traffic:
        agent.act(*situation())
    use = traffic.spent.total
    assert (use.requests, use.failed, use.missing) == (4, 3, 0)
    assert (use.prompt_tokens, use.completion_tokens) == (31, 8)
    assert traffic.retries == 3
    (call,) = agent.take_trace()
    assert (call["usage"]["prompt_tokens"], call["usage"]["completion_tokens"]) == (31, 8)
    assert call["cost"] == use.cost == 31 + 2 * 8


@pytest.mark.parametrize("limits", [Limits(max_tokens=10**6), Limits(max_cost=10**6)])
def test_servers_that_do_not_count_are_refused_where_there_is_a_limit(
    openai_server, make, situation, limits
):
    openai_server.usage = None
    with (
        Traffic(limits, prices=TOY).use(),
        pytest.raises(BudgetSpent, match=r"toy: its server does not say how many tokens"),
    ):
        make("seeker").act(*situation())
    assert len(openai_server.requests) == 1


def test_a_server_that_forgets_to_count_once_does_not_end_the_run(openai_server, make, situation):
    agent = make("seeker")
    with Traffic(Limits(max_tokens=1000)).use() as traffic:
        agent.act(*situation())
        usage, openai_server.usage = openai_server.usage, None
        agent.act(*situation())
        openai_server.usage = usage
        agent.act(*situation())
    assert traffic.spent.total.missing == 1
    assert traffic.spent.tokens == 2 * A_REQUEST


@pytest.mark.parametrize("options", [{}, {"api": "responses", "structured": True}])
def test_under_faults_all_is_counted_as_the_server_does(openai_server, make, situation, options):
    openai_server.trouble(0.3, seed=3, faults=sorted((TRANSIENT | ODD).keys() - {"stall", "huge"}))
    agents = [make("seeker", retries=30, timeout=60, **options) for _ in range(30)]

    async def all_of_them():
        seen = situation()
        return await asyncio.gather(*(agent.aact(*seen) for agent in agents))

    with Traffic(Limits(max_connections=8, max_tokens=10**6), prices=TOY).use() as traffic:
        asyncio.run(all_of_them())
    calls = [call for agent in agents for call in agent.take_trace()]
    spent, used = traffic.spent.total, openai_server.used
    assert spent.requests == sum(call["attempts"] for call in calls) == len(openai_server.requests)
    assert spent.failed == traffic.retries > 0
    for name in ("prompt_tokens", "completion_tokens"):
        assert getattr(spent, name) == sum(call["usage"][name] for call in calls) == used[name]
    assert spent.cost == sum(call["cost"] for call in calls)
    assert spent.cost == used["prompt_tokens"] + 2 * used["completion_tokens"]


def test_without_limits_what_is_not_counted_is_said(openai_server, make, situation):
    openai_server.usage = None
    with Traffic(prices=TOY).use() as traffic:
        make("seeker").act(*situation())
    assert traffic.spent.total == Use(requests=1, missing=1)


def test_a_run_that_is_gone_on_with_has_spent_before(openai_server, make, situation):
    with Traffic(Limits(max_tokens=2 * A_REQUEST), prices=TOY).use() as first:
        make("seeker").act(*situation())
    before = Spent.of(json.loads(json.dumps(first.spent.json())))
    assert before.json() == first.spent.json()
    with Traffic(Limits(max_tokens=2 * A_REQUEST), prices=TOY, spent=before).use() as second:
        make("seeker").act(*situation())
        with pytest.raises(BudgetSpent):
            make("seeker").act(*situation())
    assert second.spent.models == {
        "toy": Use(requests=2, prompt_tokens=22, completion_tokens=6, cost=2 * A_COST)
    }


def test_a_limit_on_cost_needs_prices(tmp_path, make, situation, openai_server):
    file = tmp_path / "prices.toml"
    file.write_text('[prices."gpt-*"]\ninput = 1\noutput = 2\n')
    traffic = Traffic(Limits(max_cost=1), prices=read_prices(file))
    traffic.check(["gpt-5"])
    with pytest.raises(ValueError, match=r'price of toy, x: write \[prices\."toy"\].*prices\.toml'):
        traffic.check(["x", "toy", "gpt-4"])
    with pytest.raises(ValueError, match="a price table"):
        Traffic(Limits(max_cost=1)).check(["toy"])
    Traffic(Limits(max_tokens=1)).check(["toy"])
    with traffic.use(), pytest.raises(BudgetSpent, match="needs the price of toy"):
        make("seeker").act(*situation())  # somebody whom nobody has checked
    assert openai_server.requests == []


def test_models_without_a_price_are_counted(make, situation):
    with Traffic(prices=Prices({})).use() as traffic:
        make("seeker").act(*situation())
    assert traffic.spent.total.unpriced == 1
    assert traffic.spent.cost == 0


@pytest.mark.parametrize(
    "limits",
    [{"max_connections": 0}, {"max_cost": -1}, {"max_cost": float("nan")}, {"max_tokens": -1}],
)
def test_limits_out_of_range(limits):
    with pytest.raises(ValueError, match=next(iter(limits))):
        Limits(**limits)


# prices


def test_prices(tmp_path):
    file = tmp_path / "prices.toml"
    file.write_text(
        'currency = "EUR"\n'
        '[prices."gpt-*"]\ninput = 2\noutput = 8\n'
        '[prices."gpt-5*"]\ninput = 1.25\noutput = 10.0\ncached_input = 0.125\n'
        '[prices."lab/[old]"]\ninput = 0\noutput = 0\n'
    )
    prices = read_prices(file)
    assert prices.currency == "EUR"
    assert prices.of("gpt-4.1") == Price(2, 8, 2)
    assert prices.of("gpt-5-mini") == Price(1.25, 10, 0.125)
    assert prices.of("lab/[old]") == Price(0, 0, 0)
    assert prices.of("claude") is None
    # 600,000 new and 400,000 cached tokens of prompt, 100,000 of reply
    usage = {"prompt_tokens": 10**6, "completion_tokens": 10**5, "cached_tokens": 400_000}
    assert prices.of("gpt-5").cost(usage) == pytest.approx(0.75 + 0.05 + 1.0)
    assert prices.of("gpt-4.1").cost(usage) == pytest.approx(2.8)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[prices", "cannot be read"),
        ("[price.x]\n", r"price is not as it should be; .*\[prices\.\"MODEL\"\]"),
        ("prices = 3", "prices is not"),
        ("currency = 3", "currency is not"),
        ("[prices]\nx = 3", r"\[prices\.\"x\"\]: a section with input, output"),
        ("[prices.x]\ninput = 3", "output is missing"),
        ("[prices.x]\noutput = 3", "input is missing"),
        ("[prices.x]\ninput = 3\noutput = -1", "output = -1 is no price"),
        ("[prices.x]\ninput = true\noutput = 1", "input = True is no price"),
        ("[prices.x]\ninput = inf\noutput = 1", "input = inf is no price"),
        ('[prices.x]\ninput = "3"\noutput = 1', "input = '3' is no price"),
        ("[prices.x]\ninput = 3\noutputs = 1", "there is no 'outputs'; it has input, output"),
    ],
)
def test_price_tables_that_are_not_right(tmp_path, text, words):
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=rf"prices\.toml.*{words}"):
        read_prices(file)
    with pytest.raises(ValueError, match="cannot be read"):
        read_prices(tmp_path / "none.toml")


# record and replay


@pytest.fixture
def recorded(openai_server, make, situation):
    """What some agent said under some faults, what came of it, and the record through JSON."""
    openai_server.fingerprint = "fp_7"
    openai_server.script("503", Answer("garbage ???"), Answer("Is it alive?"), "400")
    agent = make("seeker", retries=1)
    ends = []
    for _ in range(4):
        try:
            ends.append(agent.act(*situation()))
        except AgentFailure as failure:
            ends.append(str(failure))
    return ends, json.loads(json.dumps(agent.take_trace()))


def test_a_replay_is_the_same_and_asks_nobody(recorded, situation, monkeypatch):
    ends, calls = recorded
    waits = []
    assert {call["fingerprint"] for call in calls} == {"fp_7", None}
    monkeypatch.delenv("OPENAI_API_KEY")
    with replaying(calls) as record:
        agent = LLMAgent("toy", base_url="https://api.openai.com/v1", retries=1)  # without a key
        agent.name, agent.sleep = "openai:toy", waits.append
        agent.reset("seeker", game("aidg_search"), 0)
        again = []
        for n in range(4):
            try:
                here = situation()
                blocking = n % 2
                again.append(agent.act(*here) if blocking else asyncio.run(agent.aact(*here)))
            except AgentFailure as failure:
                again.append(str(failure))
        assert again == ends
        assert json.loads(json.dumps(agent.take_trace())) == calls
        assert record.left() == 0
        assert waits == []
        with pytest.raises(ReplayError, match="no reply of toy to 2 messages that end in"):
            agent.act(*situation())
    assert not issubclass(ReplayError, AgentFailure)


def test_what_was_broken_off_is_told_apart(recorded, situation, make):
    _, calls = recorded
    open_call = {**calls[0], "reply": None, "failure": None}
    with replaying([open_call]), pytest.raises(BrokenOff):
        make("seeker").act(*situation())


def test_the_record_holds_no_key(recorded, openai_server, make, situation, monkeypatch):
    monkeypatch.setenv("LAB_KEY", "lab-0123456789")
    openai_server.script(Answer("bad key lab-0123456789", status=401), "401")
    url = openai_server.base_url.replace("http://", "http://me:secret@")
    with pytest.raises(ValueError, match="base_url holds a user or a password") as refused:
        make("seeker", base_url=url)
    assert "secret" not in str(refused.value)
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    agent = make("seeker", base_url=None, key_env="LAB_KEY")
    with pytest.raises(AgentFailure, match=r"bad key \[key\]; check LAB_KEY"):
        agent.act(*situation())
    said = json.dumps(agent.take_trace()) + repr(vars(agent).get("settings"))
    assert "lab-0123456789" not in said
    assert "secret" not in said
    assert openai_server.base_url in said
    with pytest.raises(AgentFailure) as failure:
        make("seeker").act(*situation())
    assert KEY not in str(failure.value)


def test_refused_forms_replay_in_whatever_order_they_were_found_out(openai_server, make, situation):
    openai_server.refuses = ("response_format",)
    agent = make("seeker")
    agent.structured = True
    reply = _asked(agent)
    calls = json.loads(json.dumps(agent.take_trace()))
    assert [call["refused"] for call in calls] == [True, False]
    assert [call["response_format"] for call in calls] == ["json_schema", None]
    for known in (0, 1):  # in another game it may have been known already
        with replaying(calls[known:]):
            other = make("seeker")
            other.structured = True
            assert _asked(other) == reply
            assert json.loads(json.dumps(other.take_trace())) == calls[known:]


def _asked(agent):
    from unspoken.agents.llm.client import run

    messages = [{"role": "user", "content": "aidg, final"}]
    return run(agent._ask_to_say(messages, lambda: 0.5), agent.sleep)
