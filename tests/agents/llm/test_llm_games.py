"""Whole games against the local server."""

import asyncio
import json

import pytest
from support.openai_server import FAULTS, KEY, PERMANENT, Answer

from unspoken.envs.registry import game


@pytest.fixture
def seats(make):
    def of(**options):
        return {"seeker_0": make(**options), "holder_0": make(**options)}

    return of


def texts(env):
    return [line.text for line in env.history]


@pytest.mark.parametrize("utterances", ["free", "menu"])
@pytest.mark.parametrize("seed", range(4))
def test_blocking_and_not_is_the_same_game(play, seats, utterances, seed):
    games = [
        play(seats(), seed=seed, blocking=blocking, utterances=utterances)
        for blocking in (True, False)
    ]
    (env, calls), (other, others) = games
    assert env.result == other.result
    assert env.history == other.history
    assert [c | {"latency_s": 0} for c in calls] == [c | {"latency_s": 0} for c in others]
    assert env.result.outcome in ("correct_lock", "wrong_lock", "wrong_final_guess")
    assert len(calls) == len(env.history)
    assert {call["attempts"] for call in calls} == {1}


@pytest.mark.parametrize("blocking", [True, False])
@pytest.mark.parametrize("utterances", ["free", "menu"])
@pytest.mark.parametrize("rate", [0.3, 0.9, 1.0])
def test_no_mix_of_faults_breaks_a_game(
    openai_server, play, seats, waits, utterances, rate, blocking
):
    attempts = 0
    for seed in range(4):
        openai_server.trouble(rate, seed=seed, faults=tuple(FAULTS))
        agents = seats(timeout=0.1, retries=3)
        env, calls = play(agents, seed=seed, blocking=blocking, utterances=utterances)
        attempts += sum(call["attempts"] for call in calls)
        assert env.result.reason or env.result.outcome != "void"
        saved = json.dumps(calls, ensure_ascii=False).encode()
        assert KEY.encode() not in saved
        assert KEY not in env.result.reason
        assert KEY not in repr(agents)
    assert attempts >= len(openai_server.requests)  # some end before the server has seen them


@pytest.mark.parametrize("rate", [0.3, 1.0])
@pytest.mark.parametrize(
    "options",
    [
        {"history": "summary:1", "method": "cot+self-consistency", "samples": 2},
        {"history": "window:2", "form": "transcript", "method": "rmr+sets", "samples": 2},
        {"history": "summary:2", "form": "transcript", "structured": True},
    ],
    ids=["thinking", "refining", "structured"],
)
def test_nor_with_methods_and_memory(openai_server, play, seats, waits, options, rate):
    openai_server.trouble(rate, seed=1, faults=tuple(FAULTS))
    for seed in range(2):
        agents = seats(timeout=0.1, retries=3, **options)
        env, calls = play(agents, seed=seed, max_turns=5)
        assert env.result.reason or env.result.outcome != "void"
        assert KEY.encode() not in json.dumps(calls, ensure_ascii=False).encode()


def test_retries_are_invisible_in_the_game(openai_server, play, seats):
    calm, calm_calls = play(seats(), seed=2)
    openai_server.trouble(0.5, seed=0, faults=("503", "429", "reset", "cut", "no-json"))
    rough, calls = play(seats(retries=50), seed=2)
    assert texts(rough) == texts(calm)
    attempts = [call["attempts"] for call in calls]
    assert max(attempts) > 1
    assert sum(attempts) == len(openai_server.requests) - len(calm_calls)


@pytest.mark.parametrize("fault", PERMANENT)
def test_a_failure_voids_the_game_and_says_why(openai_server, play, seats, fault):
    openai_server.script(Answer(), Answer(), fault)
    env, _ = play(seats())
    assert (env.result.outcome, env.result.winner) == ("void", None)
    assert "openai:toy: HTTP" in env.result.reason
    assert KEY not in env.result.reason


@pytest.mark.parametrize(
    ("policy", "winner"), [("forfeit", "seeker"), ("retry", "seeker"), ("coerce", None)]
)
def test_a_holder_that_chats(openai_server, play, seats, policy, winner):
    def chatty(messages):
        holder = "You are the holder" in messages[0]["content"]
        return "Oh, that is a wonderful thing to wonder about!" if holder else own(messages)

    own, openai_server.play = openai_server.play, chatty
    env, calls = play(seats(), on_holder_violation=policy)
    assert sum(call["unreadable"] for call in calls) >= 2
    if winner:
        assert (env.result.outcome, env.result.winner) == ("holder_violation", winner)
    else:
        assert "maybe" in texts(env)


def test_a_seeker_that_only_talks_uses_up_its_turns(openai_server, play, seats):
    openai_server.play = lambda messages: "The weather has been very mild of late."
    env, calls = play(seats())
    assert (env.result.outcome, env.result.turn) == ("no_final_guess", 16)
    assert len(calls) == 32


def test_a_seeker_that_guesses_is_disqualified_without_a_second_try(openai_server, play, seats):
    openai_server.script(Answer("Is it a chair?"))
    env, calls = play(seats())
    assert env.result.outcome == "disqualified"
    assert len(calls) == 1


def test_prompts_never_give_the_secret_away(openai_server, play, seats):
    for seed in range(5):
        openai_server.requests.clear()
        env, _ = play(seats(), seed=seed)
        said = " ".join(texts(env))
        for request in openai_server.requests:
            prompt = " ".join(message["content"] for message in request["messages"])
            seeker = "You are the seeker" in prompt
            assert (f'"{env.secret}"' in prompt) == (not seeker)
            if seeker and env.secret not in said:
                assert env.secret not in prompt


def test_many_games_at_once(openai_server, make):
    spec = game("aidg_search")
    openai_server.trouble(0.2, seed=3, faults=("429", "reset", "empty"))

    async def one(seed):
        env = spec.env(utterances="free")
        env.reset(seed=seed)
        agents = {seat: make(seat.rpartition("_")[0], retries=30) for seat in spec.agents}
        while env.result is None:
            seat = env.agent_selection
            env.step(await agents[seat].aact(env.observe(seat), env.infos[seat]))
        return env.result.outcome

    async def all_of_them():
        return await asyncio.gather(*map(one, range(6)))

    assert "void" not in asyncio.run(all_of_them())


def test_every_loop_has_connections_of_its_own(make, situation):
    agent = make("seeker", retries=0)

    async def move():
        return await agent.aact(*situation())

    loop = asyncio.new_event_loop()
    first = loop.run_until_complete(move())
    assert asyncio.run(move()) == first
    assert loop.run_until_complete(move()) == first
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
