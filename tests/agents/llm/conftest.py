"""Agents that talk to the local server, and games between them."""

import asyncio

import pytest

from unspoken.agents.base import AgentFailure
from unspoken.agents.llm import LLMAgent
from unspoken.envs.registry import game


@pytest.fixture(autouse=True)
def _environment(model_key):
    """Agents can be built in every test here."""


@pytest.fixture
def make(openai_server, waits):
    """Builds agents that ask the local server and do not sleep."""

    async def asleep(seconds):
        waits.append(seconds)

    def build(role=None, spec=None, **options):
        usual = {"base_url": openai_server.base_url, "timeout": 5}
        agent = LLMAgent("toy", **{**usual, **options})
        agent.sleep, agent.asleep = waits.append, asleep
        if role is not None:
            agent.reset(role, spec or game("aidg_search"), 0)
        return agent

    return build


@pytest.fixture
def situation():
    """What the agent to move sees after some actions of an aidg_search game."""

    def at(*actions, **options):
        env = game("aidg_search").env(**{"utterances": "free", **options})
        env.reset(seed=0, options={"secret": "lamp"})
        for action in actions:
            env.step(action)
        return env.observe(env.agent_selection), env.infos[env.agent_selection]

    return at


@pytest.fixture
def play():
    """Plays a game; returns the env and the requests that were made."""

    def game_of(agents, *, seed=0, blocking=True, spec=None, **options):
        spec = spec or game("aidg_search").with_options(**options)
        env = spec.env(**({} if "utterances" in spec.options else {"utterances": "free"}))
        env.reset(seed=seed)
        calls = []

        async def moves():
            for n, (seat, agent) in enumerate(agents.items()):
                agent.reset(seat.rpartition("_")[0], spec, 10 * seed + n)
            while env.result is None:
                seat = env.agent_selection
                agent, seen, info = agents[seat], env.observe(seat), env.infos[seat]
                try:
                    env.step(agent.act(seen, info) if blocking else await agent.aact(seen, info))
                except AgentFailure as failure:
                    env.void(str(failure))
                calls.extend(agent.take_trace())

        asyncio.run(moves())
        return env, calls

    return game_of
