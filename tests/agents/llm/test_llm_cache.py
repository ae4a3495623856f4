"""Replies that are kept on disk."""

import json
import logging
import sqlite3
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.openai_server import KEY, Answer

from unspoken.agents.base import AgentFailure
from unspoken.agents.llm.cache import FILE, Cache, Draw, open_cache
from unspoken.agents.llm.prices import Price, Prices
from unspoken.agents.llm.traffic import BudgetSpent, Limits, Traffic
from unspoken.envs.registry import game
from unspoken.envs.sneak.instances import instances, load
from unspoken.judges.listeners.llm import LLMListener

BODY = {"model": "m", "messages": [{"role": "user", "content": "é\ud800?"}], "temperature": 0}


@pytest.fixture
def cached(tmp_path):
    """Traffic with a cache in the test's folder."""

    def of(**options):
        return Traffic(cache=Cache(tmp_path / "cache", **options))

    return of


def test_a_request_at_temperature_zero_is_sent_once(openai_server, make, situation, cached):
    openai_server.fingerprint = "fp"
    first, second = make("seeker", temperature=0), make("seeker", temperature=0)
    with cached().use() as traffic:
        said = first.act(*situation())
    with cached().use() as later:  # as another process would
        assert second.act(*situation()) == said
    assert len(openai_server.requests) == 1
    assert (traffic.spent.total.requests, traffic.spent.total.cached) == (1, 0)
    assert (later.spent.total.requests, later.spent.total.cached) == (0, 1)
    assert later.spent.tokens == later.spent.cost == 0
    (asked,), (kept,) = first.take_trace(), second.take_trace()
    different = {key for key in asked if asked[key] != kept[key]}
    assert different == {"cached", "usage", "cost", "latency_s", "attempts"}
    assert kept["usage"] == {"prompt_tokens": 0, "completion_tokens": 0}
    assert (kept["cached"], kept["cost"], kept["attempts"]) == (True, 0, 0)


@pytest.mark.parametrize("temperature", [0.7, None])
def test_draws_are_kept_where_that_is_asked_for(
    openai_server, make, situation, cached, temperature
):
    for sampling, sent in ((False, 2), (True, 1)):
        del openai_server.requests[:]
        for _ in range(2):
            with cached(sampling=sampling).use():
                make("seeker", temperature=temperature).act(*situation())
        assert len(openai_server.requests) == sent


def test_equal_requests_of_one_move_are_different_draws(openai_server, make, situation, cached):
    texts = [f"{word}?" for word in ("Is it alive", "Is it made of wood", "Is it a tool")]
    options = {"method": "self-consistency", "samples": 3}
    openai_server.script(*map(Answer, texts))
    for _ in range(2):
        with cached(sampling=True).use():
            agent = make("seeker", **options)
            agent.act(*situation())
            assert [call["reply"] for call in agent.take_trace()] == texts
    assert len(openai_server.requests) == 3


def test_games_are_different_draws_and_the_same_game_is_not(openai_server, make, situation, cached):
    for seed in (1, 2, 1, 2):
        with cached(sampling=True).use():
            agent = make()
            agent.reset("seeker", game("aidg_search"), seed)
            agent.act(*situation())
    assert len(openai_server.requests) == 2
    for seed in (1, 2):  # what is not drawn is the same in every game
        with cached().use():
            agent = make(temperature=0)
            agent.reset("seeker", game("aidg_search"), seed)
            agent.act(*situation())
    assert len(openai_server.requests) == 3


@given(
    st.sampled_from(["url", "api", "model", "messages", "temperature", "seed", "top_k", "draw"]),
    st.booleans(),
)
def test_all_that_matters_is_in_the_key(tmp_path_factory, what, sampled):
    cache = Cache(tmp_path_factory.mktemp("c"), sampling=True)
    body = {**BODY, "temperature": 0.5 if sampled else 0}
    one = ("http://a/v1", "chat", body, Draw())
    others = {
        "url": ("http://b/v1", "chat", body, Draw()),
        "api": ("http://a/v1", "responses", body, Draw()),
        "model": ("http://a/v1", "chat", {**body, "model": "n"}, Draw()),
        "messages": ("http://a/v1", "chat", {**body, "messages": []}, Draw()),
        "temperature": ("http://a/v1", "chat", {**body, "temperature": 0.6}, Draw()),
        "seed": ("http://a/v1", "chat", {**body, "seed": 1}, Draw()),
        "top_k": ("http://a/v1", "chat", {**body, "top_k": 1}, Draw()),
        "draw": ("http://a/v1", "chat", body, Draw(0, 1)),
    }
    assert cache.key(*one) == cache.key(*one)
    turned = (*one[:2], dict(reversed(body.items())), one[3])
    assert cache.key(*one) == cache.key(*turned)
    assert cache.key(*one) != cache.key(*others[what])
    elsewhere = cache.key(*one[:3], Draw(occasion=5))
    assert (elsewhere == cache.key(*one)) == (not sampled)
    cache.close()


def test_label_probabilities_are_kept(openai_server, tmp_path):
    instance = instances(load())[0]
    found = []
    for _ in range(2):
        with Traffic(cache=Cache(tmp_path)).use():
            listener = LLMListener("toy", base_url=openai_server.base_url)
            found.append(listener.ally(instance, "song").tolist())
    assert found[0] == found[1]
    assert len(openai_server.requests) == 1


def test_what_failed_is_not_kept(openai_server, make, situation, cached):
    openai_server.script("503", "400", "no-json")
    with cached().use():
        with pytest.raises(AgentFailure):
            make("seeker", temperature=0).act(*situation())
        make("seeker", temperature=0).act(*situation())
        make("seeker", temperature=0).act(*situation())
    assert len(openai_server.requests) == 4


def test_what_is_kept_can_be_had_when_the_budget_is_spent(openai_server, make, situation, tmp_path):
    prices = Prices({"toy": Price(1, 1, 1)})
    traffic = Traffic(Limits(max_tokens=1, max_cost=1e-9), prices, Cache(tmp_path))
    with traffic.use():
        said = make("seeker", temperature=0).act(*situation())
        assert make("seeker", temperature=0).act(*situation()) == said
        with pytest.raises(BudgetSpent):
            make("seeker", temperature=0, seed=1).act(*situation())


def test_no_key_is_kept(make, situation, cached, tmp_path):
    with cached().use():
        make("seeker", temperature=0).act(*situation())
    held = b"".join(path.read_bytes() for path in (tmp_path / "cache").iterdir())
    assert KEY.encode() not in held
    assert b"toy" in held


WRITER = """
import sys
from pathlib import Path
from unspoken.agents.llm.cache import Cache, Draw
cache = Cache(Path(sys.argv[1]))
for n in range(300):
    key = cache.key("http://a", "chat", {"temperature": 0, "n": n}, Draw())
    cache.put(key, f"{n}:{sys.argv[2]}".encode())
    assert cache.get(key).startswith(f"{n}:".encode())
"""


def test_several_processes_can_use_it_at_once(tmp_path):
    going = [
        subprocess.Popen([sys.executable, "-c", WRITER, tmp_path, str(n)], stderr=subprocess.PIPE)
        for n in range(3)
    ]
    for process in going:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    cache = Cache(tmp_path)
    for n in range(300):
        assert cache.get(cache.key("http://a", "chat", {"temperature": 0, "n": n}, Draw()))


def test_a_cache_that_breaks_does_not_end_the_run(make, situation, cached, caplog):
    with cached().use() as traffic:
        traffic.cache.close()
        assert make("seeker", temperature=0).act(*situation())
    said = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert any("could not be read" in line for line in said)
    assert any("could not be written" in line for line in said)


def test_a_body_that_is_no_reply_any_more_is_asked_for_anew(openai_server, make, situation, cached):
    with cached().use() as traffic:
        make("seeker", temperature=0).act(*situation())
        db = sqlite3.connect(traffic.cache.folder / FILE)
        with db:
            db.execute("UPDATE replies SET body = ?", (b"{",))
        db.close()
        assert make("seeker", temperature=0).act(*situation())
    assert len(openai_server.requests) == 2


def test_where_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    assert open_cache("off") is None
    assert open_cache("") is None
    found = {where: open_cache(where) for where in ("on", "sampling", "here", "sampling:here")}
    places = {where: (cache.folder, cache.sampling) for where, cache in found.items()}
    home = tmp_path / "home" / "unspoken"
    assert places["on"] == (home, False)
    assert places["sampling"] == (home, True)
    assert [str(places[w][0]) for w in ("here", "sampling:here")] == ["here"] * 2
    assert [places[w][1] for w in ("here", "sampling:here")] == [False, True]
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"file.*cannot be used as a cache"):
        open_cache("file")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / FILE).write_text("no database, but long enough to be taken for one" * 50)
    with pytest.raises(ValueError, match="cannot be used as a cache: file is not a database"):
        open_cache("bad")


def test_lone_surrogates_have_a_key(tmp_path):
    cache = Cache(tmp_path)
    again = json.loads(json.dumps(BODY))
    assert cache.key("u", "chat", BODY, Draw()) == cache.key("u", "chat", again, Draw())
