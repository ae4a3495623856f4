"""Language models in a tournament, against a local server that misbehaves."""

import asyncio
import sqlite3

import pytest
from support.openai_server import KEY, ODD, TRANSIENT

from unspoken.agents.llm.agent import LLMAgent
from unspoken.benchmarks import report, tournament
from unspoken.benchmarks.store import FILE
from unspoken.envs.registry import game

SPEC = game("aidg_search")
# "stall" is tried apart: many of them would make the test wait for time-outs only.
FAULTS = tuple(sorted((TRANSIENT | ODD).keys() - {"stall", "429-wait"}))


@pytest.fixture
def model(openai_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.base_url)
    monkeypatch.setattr(asyncio, "sleep", _no_wait)
    return "openai:model?timeout=1&retries=9"


_sleep = asyncio.sleep


async def _no_wait(delay, result=None):
    return await _sleep(0, result)


def calls(folder):
    db = sqlite3.connect(folder / FILE)
    try:
        return db.execute("SELECT game, details FROM calls").fetchall()
    finally:
        db.close()


def test_all_games_end_and_none_is_lost_under_faults(openai_server, model, tmp_path) -> None:
    openai_server.trouble(0.3, seed=5, faults=FAULTS)
    openai_server.script("429", "500", "stall", "cut")
    tournament.run(SPEC, [model, "rules", "table"], tmp_path, rounds=3, seed=1)
    summary = report.write(tmp_path)
    assert len(summary.games) == 3 * 4
    assert not summary.failures
    made = calls(tmp_path)
    assert {game_id for game_id, _ in made} == {
        g.fixture.id for g in summary.games if model in g.fixture.seats.values()
    }
    assert summary.tokens[model]["prompt"] > 0
    assert any('"attempts": 2' in details for _, details in made)


def test_a_provider_that_is_down_voids_its_games_only(openai_server, model, tmp_path) -> None:
    openai_server.trouble(1.0, seed=5, faults=("401",))
    tournament.run(SPEC, [model, "rules", "table"], tmp_path, rounds=1, seed=1)
    summary = report.write(tmp_path)
    for played in summary.games:
        assert (played.result.winner is None) == (model in played.fixture.seats.values())
    assert sum(summary.failures.values()) == 3
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert KEY.encode() not in kept


def test_resuming_asks_for_nothing_that_is_there(openai_server, model, tmp_path) -> None:
    tournament.run(SPEC, [model, "table"], tmp_path, rounds=2, seed=1)
    asked = len(openai_server.requests)
    assert asked == len(calls(tmp_path))
    tournament.run(SPEC, [model, "table"], tmp_path, rounds=2, seed=1)
    assert len(openai_server.requests) == asked


def test_a_missing_key_is_said_at_the_start(monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        tournament.run(SPEC, ["openai:gpt-5", "table"], tmp_path)
    assert LLMAgent.roles is None
    assert not (tmp_path / FILE).exists()
