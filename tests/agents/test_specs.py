"""Agents from specs, and what a wrong spec is told."""

import pytest

from unspoken.agents.base import Agent
from unspoken.agents.specs import ARGUMENT, KINDS, MAY_HAVE, SpecError, kinds, make_agent, roles_of

GAME = "aidg_search"
PLAIN = sorted(set(kinds(GAME)) - set(ARGUMENT) - set(MAY_HAVE))


@pytest.mark.parametrize("kind", PLAIN)
def test_every_kind_is_an_agent_named_by_its_spec(kind) -> None:
    agent = make_agent(kind, GAME)
    assert isinstance(agent, Agent)
    assert agent.name == kind


def test_options_are_converted() -> None:
    agent = make_agent("support.players:Asker?questions=7&pause=0.25", GAME)
    assert (agent.questions, agent.pause) == (7, 0.25)
    assert agent.name == "support.players:Asker?questions=7&pause=0.25"


def test_none_takes_an_option_back() -> None:
    agent = make_agent("openai:gpt-5?temperature=none&base_url=http://localhost:1/v1", GAME)
    assert "temperature" not in agent.settings


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gredy", "there is no agent 'gredy' for aidg_search; choose from .*greedy.*openai:MODEL"),
        ("openai", "agent 'openai': write openai:MODEL"),
        ("greedy:7", "agent 'greedy:7': write greedy"),
        ("table?eror=0.2", "has no option 'eror'; its options: .*error"),
        ("table?error=often", "error='often' is not a number"),
        ("table?error=1.5", "agent 'table.error=1.5': .*error"),
        ("support.players:Nobody", "module 'support.players' has no 'Nobody'"),
        ("nowhere.at.all:Agent", "there is no module 'nowhere.at.all'"),
    ],
)
def test_wrong_specs(spec, message) -> None:
    with pytest.raises(SpecError, match=message):
        make_agent(spec, GAME)


def test_roles() -> None:
    both = ("seeker", "holder")
    assert roles_of(make_agent("random", GAME), both) == both
    assert roles_of(make_agent("table", GAME), both) == ("holder",)
    assert roles_of(make_agent("support.players:Asker", GAME), both) == both


def test_no_kind_stands_in_two_places() -> None:
    assert not set(KINDS[""]) & set(KINDS[GAME])
