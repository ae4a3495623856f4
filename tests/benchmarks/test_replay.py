"""Runs played again from their record: offline, without a key, the same to the byte."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from support.openai_server import KEY, ODD, TRANSIENT, Answer
from support.runs import SNEAK, held

from unspoken.agents.llm.models import read_models
from unspoken.benchmarks import tournament
from unspoken.benchmarks.replay import replay
from unspoken.benchmarks.running import Running
from unspoken.benchmarks.sneak.run import carry_out, plan
from unspoken.benchmarks.store import FILE, StoreError
from unspoken.envs.registry import game

FAULTS = tuple(sorted((TRANSIENT | ODD).keys() - {"stall", "429-wait", "huge"}))
MODEL = "openai:toy?timeout=20&retries=1"
JUDGE = "openai:judge?timeout=20&retries=1"
RUNS = {
    "aidg_search": (
        ["support.players:Learner", "table", f"{MODEL}&method=cot&structured=true"],
        {},
    ),
    "aidg_dialogue": (["vague", "reputation", MODEL], {"arbiter": JUDGE}),
    "sneak": (["embedding", "best", MODEL, f"{MODEL}&method=rmr"], {}),
    "chameleon": (
        [
            "rules",
            f"{MODEL}&history=window:1&form=transcript",
            MODEL,
            f"{MODEL}&method=self-consistency",
        ],
        {},
    ),
    "cross_examination": (
        ["rules", f"{MODEL}&history=summary:1"],
        {"annotator": JUDGE, "max_turns": 4},
    ),
}
_sleep = asyncio.sleep


async def _no_wait(delay, result=None):
    return await _sleep(0, result)


@pytest.fixture
def server(openai_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.base_url)
    monkeypatch.setattr(asyncio, "sleep", _no_wait)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    yield openai_server
    monkeypatch.undo()


@pytest.fixture
def away(server, monkeypatch):
    """No server and no key any more."""

    def leave():
        server.close()
        monkeypatch.delenv("OPENAI_API_KEY")
        monkeypatch.delenv("OPENAI_BASE_URL")

    return leave


def elsewhere(*folders):
    """What another process makes of some runs, without a key and with another hash seed."""
    code = (
        "import json, sys\nfrom pathlib import Path\n"
        "from unspoken.benchmarks.replay import replay\n"
        "for run in sys.argv[1:]:\n"
        "    found = replay(Path(run), Path(run + '-again'))\n"
        "    print(json.dumps([found.played, found.requests, found.different]))"
    )
    keep = {k: v for k, v in os.environ.items() if not k.startswith("OPENAI")}
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, folders)],
        env=keep | {"PYTHONHASHSEED": "4711", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_all_games_are_the_same_in_another_process(server, tmp_path) -> None:
    """Models in all roles, judges and methods; replies that fail, and games that are void."""
    server.script("401")
    server.trouble(0.25, seed=5, faults=FAULTS)
    for name, (agents, options) in RUNS.items():
        spec = game(name).with_options(**options)
        # of so many some come to a judged reply, whatever fails
        limit = 12 if name == "aidg_dialogue" else 6
        tournament.run(spec, agents, tmp_path / name, rounds=4, seed=3, limit=limit)
    played = {name: held(tmp_path / name) for name in RUNS}
    outcomes = [row["outcome"] for found in played.values() for row in found["games"]]
    assert 0 < outcomes.count("void") < len(outcomes) / 2
    for name in ("aidg_dialogue", "cross_examination"):
        assert "arbiter" in {call["agent"] for call in played[name]["calls"]}
    found = elsewhere(*(tmp_path / name for name in RUNS))
    for (games, requests, different), (name, run) in zip(found, played.items(), strict=True):
        assert different == {}, name
        assert (games, requests) == (len(run["games"]), len(run["calls"])), name
        assert held(tmp_path / f"{name}-again") == run, name


def test_the_benchmark_is_the_same_in_another_process(server, tmp_path) -> None:
    server.script("401", "401")
    server.trouble(0.2, seed=2, faults=(*FAULTS, "401"))
    speakers = [MODEL, f"{MODEL}&method=sets", "random"]
    evaluators = [JUDGE, f"{JUDGE}&method=sample&n=3", "embedding"]
    todo = plan(speakers, evaluators, limit=6, seed=1)
    carry_out(todo, tmp_path / "run")
    failed = json.dumps(held(tmp_path / "run", SNEAK)["messages"]).count('"void"')
    carry_out(todo, tmp_path / "run", Running(again=True))
    server.trouble(0, seed=0)
    carry_out(todo, tmp_path / "run", Running(again=True))
    run = held(tmp_path / "run", SNEAK)
    assert failed > 0
    assert all(row["fault"] != "void" for row in run["messages"])
    ((messages, requests, different),) = elsewhere(tmp_path / "run")
    assert different == {}
    assert (messages, requests) == (18, len(run["calls"]))
    assert held(tmp_path / "run-again", SNEAK) == run


def test_options_of_models_are_in_the_record(server, away, tmp_path) -> None:
    """They may change what is asked, and in a replay there is no file any more."""
    models = read_models(args=["system=Be brief."])
    spec = game("aidg_search")
    tournament.run(spec, [MODEL, "table"], tmp_path, rounds=1, models=models)
    assert "Be brief." in server.requests[0]["messages"][0]["content"]
    away()
    assert replay(tmp_path).different == {}


@pytest.mark.parametrize("games", [1, 3])
def test_an_unfinished_run_is_replayed_as_far_as_it_goes(server, away, tmp_path, games) -> None:
    tournament.run(game("aidg_search"), [MODEL, "table"], tmp_path, rounds=4, limit=games, seed=1)
    away()
    found = replay(tmp_path)
    assert (found.played, found.different) == (games, {})


def test_a_game_whose_time_was_over_ends_where_it_ended(server, away, tmp_path) -> None:
    agents = [f"{MODEL}&method=cot", "support.players:Asker?pause=0.01"]
    server.script(*[Answer("<answer>Is it alive?</answer>")] * 2, "garbage", "stall")
    tournament.run(game("aidg_search"), agents, tmp_path, rounds=2, game_timeout=6, concurrency=1)
    reasons = [row["reason"] for row in held(tmp_path)["games"]]
    assert sum("6 s were over" in reason for reason in reasons) == 1
    away()
    assert replay(tmp_path, tmp_path / "again").different == {}
    assert [row["reason"] for row in held(tmp_path / "again")["games"]] == reasons
    assert held(tmp_path / "again")["moves"] == held(tmp_path)["moves"]


def test_a_game_that_no_model_was_late_in(tmp_path) -> None:
    agents = ["support.players:Asker?pause=0.2", "table"]
    tournament.run(game("aidg_search"), agents, tmp_path, rounds=1, game_timeout=0.5)
    assert {row["outcome"] for row in held(tmp_path)["games"]} == {"void"}
    assert replay(tmp_path).different == {}


def test_void_games_that_were_played_again(server, away, tmp_path) -> None:
    server.trouble(0.1, seed=3, faults=("401",))
    tournament.run(game("aidg_search"), [MODEL, "table"], tmp_path, rounds=4)
    server.trouble(0, seed=0)
    tournament.run(game("aidg_search"), [MODEL, "table"], tmp_path, rounds=4, again=True)
    away()
    assert replay(tmp_path).different == {}


# What differs -----------------------------------------------------------------------------------


def change(folder, query, *values):
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        assert db.execute(query, values).rowcount > 0


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "UPDATE moves SET text = 'well' WHERE game = 1 AND n = 1",
            "moves: row 1, text: 'well' was ",
        ),
        ("UPDATE games SET turn = 99 WHERE id = 1", "games: row 0, turn: 99 was "),
        ("UPDATE ratings SET after = 1 WHERE game = 1", "ratings: row 0, after: 1.0 was "),
        ("DELETE FROM calls WHERE game = 1 AND n = 2", "the record has no reply of toy"),
        ("UPDATE calls SET reply = 'lock: dog' WHERE game = 1 AND n = 0", "turn: "),
        (
            "UPDATE calls SET details = json_set(details, '$.unreadable', json('true')) "
            "WHERE game = 1 AND n = 0",
            "calls: row 0, unreadable: True was False",
        ),
    ],
)
def test_what_was_changed_is_found(server, away, tmp_path, query, said) -> None:
    tournament.run(game("aidg_search"), [MODEL, "table"], tmp_path, rounds=3, seed=1)
    away()
    change(tmp_path, query)
    found = replay(tmp_path)
    assert said in found.different[1]
    assert set(found.different) <= {1, 2}
    assert found.played == 3


def test_old_and_other_runs_are_refused(server, away, tmp_path) -> None:
    tournament.run(game("aidg_search"), [MODEL, "table"], tmp_path / "run", rounds=1)
    away()
    with pytest.raises(StoreError, match="holds a run already"):
        replay(tmp_path / "run", tmp_path / "run")
    change(tmp_path / "run", "UPDATE calls SET details = json_remove(details, '$.served')")
    with pytest.raises(StoreError, match="kept less of a request than it takes"):
        replay(tmp_path / "run")
    change(tmp_path / "run", "DELETE FROM calls")
    change(tmp_path / "run", """UPDATE meta SET value = '"aidg_search_v9"' WHERE key = 'game'""")
    with pytest.raises(StoreError, match="the run is of aidg_search_v9, and this unspoken plays"):
        replay(tmp_path / "run")
    with pytest.raises(FileNotFoundError, match="holds no run"):
        replay(tmp_path / "nowhere")


def test_the_command_says_it_and_has_a_code(server, tmp_path) -> None:
    tournament.run(game("aidg_search"), [MODEL, "table"], tmp_path, rounds=1)
    keep = {k: v for k, v in os.environ.items() if not k.startswith("OPENAI")}
    command = [sys.executable, "-m", "unspoken", "replay", str(tmp_path)]
    said = {"env": keep, "capture_output": True, "text": True, "check": False}
    same = subprocess.run(command, **said)
    assert same.returncode == 0, same.stderr
    assert "all the same to the byte" in same.stdout
    change(tmp_path, "UPDATE games SET turn = 99 WHERE id = 0")
    other = subprocess.run(command, **said)
    assert other.returncode == 1
    assert "game 0: games: row 0, turn: 99 was " in other.stdout
