"""Budgets, clocks and second tries of tournaments in which models play."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from support.openai_server import KEY, Answer
from support.runs import held, spent

from unspoken.agents.base import RunOver
from unspoken.agents.llm.models import read_models
from unspoken.benchmarks import report, running, tournament
from unspoken.benchmarks.store import FILE, StoreError
from unspoken.cli import app
from unspoken.envs.registry import game

SPEC = game("aidg_search")
DIALOGUE = game("aidg_dialogue")
MODEL = "openai:toy?timeout=20&retries=2"
SETTINGS = {"rounds": 2, "seed": 1}


@pytest.fixture(autouse=True)
def _server(openai_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.base_url)


@pytest.fixture
def prices(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text('currency = "EUR"\n[prices."to*"]\ninput = 1000\noutput = 10000\n')
    return path


def run(folder, agents=(MODEL, "rules", "table"), spec=SPEC, **settings):
    tournament.run(spec, list(agents), folder, **SETTINGS | settings)
    return held(folder)


# A budget ---------------------------------------------------------------------------------------


def test_a_stopped_run_goes_on_to_the_same_end(openai_server, tmp_path) -> None:
    whole = run(tmp_path / "whole")
    asked = len(openai_server.requests)
    stops = 0
    for limit in range(200, 14 * (asked + 100), 200):  # 14 tokens a request
        before = len(openai_server.requests)
        try:
            run(tmp_path / "run", max_tokens=limit, concurrency=3)
            break
        except RunOver as over:
            stops += f"max_tokens={limit} is reached" in str(over)
        total = spent(tmp_path / "run")["models"]["toy"]
        assert total["requests"] == len(openai_server.requests) - asked
        taken = total["prompt_tokens"] + total["completion_tokens"]
        assert limit <= taken <= limit + 3 * 14  # three games are in play
        assert len(openai_server.requests) - before <= 200 / 14 + 3
        assert all(row["outcome"] != "void" for row in held(tmp_path / "run")["games"])
    assert stops >= 3
    assert run(tmp_path / "run") == whole


def test_costs_are_what_the_server_counted(openai_server, prices, tmp_path) -> None:
    run(tmp_path, prices=prices)
    asked = len(openai_server.requests)
    total = spent(tmp_path)
    assert total["currency"] == "EUR"
    assert total["models"]["toy"]["cost"] == pytest.approx(asked * (11 * 1000 + 3 * 10000) / 1e6)
    assert total["models"]["toy"]["requests"] == asked
    summary = report.write(tmp_path)
    (row,) = next(table for table in summary.tables if table.key == "spent").rows
    assert row["cost"] == pytest.approx(asked * 0.041)
    assert "cost, EUR" in (tmp_path / "report.md").read_text()


def test_a_cost_stops_the_run(prices, tmp_path) -> None:
    with pytest.raises(RunOver, match=r"max_cost=0.5 is reached: 0\.5\d* EUR"):
        run(tmp_path, prices=prices, max_cost=0.5, concurrency=1)
    assert spent(tmp_path)["models"]["toy"]["cost"] == pytest.approx(13 * 0.041)


@pytest.mark.parametrize("spec", [SPEC, DIALOGUE.with_options(arbiter="openai:judge")])
def test_a_model_without_a_price_is_refused_before_anything_is_played(
    openai_server, spec, prices, tmp_path
) -> None:
    agent = "rules" if spec is not SPEC else "openai:other"
    with pytest.raises(ValueError, match=r'write \[prices\."(other|judge)"\]'):
        run(tmp_path / "run", [agent, "table" if spec is SPEC else "vague"], spec, prices=prices,
            max_cost=1.0)  # fmt: skip
    assert not (tmp_path / "run" / FILE).exists()
    assert not openai_server.requests


def test_limits_are_not_part_of_the_run(prices, tmp_path) -> None:
    run(tmp_path, max_tokens=10**9, max_connections=2)
    run(tmp_path, prices=prices, max_cost=1e9, cache=str(tmp_path / "cache"))
    with pytest.raises(StoreError, match="game_timeout=None"):
        run(tmp_path, game_timeout=60)
    with pytest.raises(StoreError, match="models=None"):
        run(tmp_path, models=read_models(args=["temperature=0"]))


def test_a_budget_is_for_all_games_of_a_command() -> None:
    use = {"prompt_tokens": 100, "completion_tokens": 20, "cost": 0.25}
    first = {"currency": "EUR", "models": {"a": use, "b": use}}
    before = running.Running(max_cost=0.6, max_tokens=200, max_connections=3)
    after = before.after(first)
    assert after.max_cost == pytest.approx(0.1)
    assert (after.max_tokens, after.max_connections) == (0, 3)
    assert running.Running().after(first) == running.Running()
    assert before.after(None) == before


def test_limits_are_refused_where_many_processes_ask(tmp_path) -> None:
    with pytest.raises(ValueError, match="limits are kept within one"):
        run(tmp_path, executor="ray", max_tokens=5)
    assert not (tmp_path / FILE).exists()


def test_connections_decide_how_many_games_are_in_play(openai_server, tmp_path) -> None:
    openai_server.delay = 0.5
    agents, spec = [MODEL, f"{MODEL}&seed=1"], SPEC.with_options(max_turns=2)
    run(tmp_path / "a", agents, spec, max_connections=12, rounds=6)
    assert openai_server.most == 12
    openai_server.most = 0
    run(tmp_path / "b", agents, spec, max_connections=3, concurrency=12, rounds=3)
    assert openai_server.most == 3


def test_options_of_models_reach_players_and_judges(openai_server, tmp_path) -> None:
    models = read_models(args=["max_tokens=77"])
    spec = DIALOGUE.with_options(arbiter="openai:judge")
    run(tmp_path, ["openai:toy", "support.players:Talker"], spec, models=models, rounds=1)
    asked = {(body["model"], body["max_tokens"]) for body in openai_server.requests}
    assert {model for model, _ in asked} == {"toy", "judge"}
    assert {n for _, n in asked} == {77}


def test_what_other_processes_took_is_counted(openai_server, prices, tmp_path) -> None:
    """As Ray's workers do it, with the work pickled."""

    class Elsewhere(running.Running):
        def make_executor(self):
            return running.make_executor("local", 2)

    plan = tournament.plan(SPEC, [MODEL, "table"], **SETTINGS)
    tournament.carry_out(plan, tmp_path, Elsewhere(executor="ray", prices=prices))
    total = spent(tmp_path)["models"]["toy"]
    assert total["requests"] == len(openai_server.requests) > 0
    assert total["cost"] == pytest.approx(len(openai_server.requests) * 0.041)


# A clock ----------------------------------------------------------------------------------------


def test_a_game_that_takes_too_long_is_void(openai_server, tmp_path) -> None:
    openai_server.script("stall")
    run(tmp_path, game_timeout=4, concurrency=1)
    rows = held(tmp_path)["games"]
    assert [row["reason"] for row in rows if row["outcome"] == "void"] == [
        f"{MODEL} was to move when the game's 4 s were over"
    ]
    assert len(rows) == 8
    last = held(tmp_path)["calls"]
    assert sum(row["reply"] is None for row in last) == 1


def test_an_agent_that_computes_too_long_is_late_too(tmp_path) -> None:
    agents = ["support.players:Asker?pause=0.1", "table"]
    run(tmp_path, agents, game_timeout=0.15, rounds=1)
    assert {row["outcome"] for row in held(tmp_path)["games"]} == {"void"}


def test_a_judge_that_takes_too_long_leaves_the_game_as_it_was(openai_server, tmp_path) -> None:
    judged = {"utterances": "free", "arbiter": "openai:judge?timeout=2&retries=0"}
    openai_server.script(Answer(stall=1.5))
    spec = DIALOGUE.with_options(**judged)
    talkers = ["support.players:Talker", "support.players:Talker?name_=x"]
    start = time.perf_counter()
    run(tmp_path, talkers, spec, rounds=1, game_timeout=0.5, limit=1)
    assert time.perf_counter() - start < 6
    found = held(tmp_path)
    (row,) = found["games"]
    assert row["reason"].endswith("was to move when the game's 0.5 s were over")
    assert len(found["moves"]) == 1  # the question; the reply was not judged
    (call,) = found["calls"]
    assert (call["agent"], call["reply"]) == ("arbiter", None)


def test_no_time_at_all_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="game_timeout=0: more than 0"):
        run(tmp_path, game_timeout=0)


# A second try -----------------------------------------------------------------------------------


def test_void_games_are_played_again_and_only_they(openai_server, tmp_path) -> None:
    whole = run(tmp_path / "whole")
    openai_server.trouble(0.1, seed=3, faults=("401",))
    run(tmp_path / "run", concurrency=1)
    void = [row["id"] for row in held(tmp_path / "run")["games"] if row["outcome"] == "void"]
    assert 0 < len(void) < 6
    openai_server.trouble(0, seed=0)
    before = len(openai_server.requests)
    assert run(tmp_path / "run")["games"] != whole["games"]
    assert len(openai_server.requests) == before
    assert run(tmp_path / "run", again=True) == whole
    summary = report.write(tmp_path / "run")
    assert summary.again == len(void)
    assert json.loads((tmp_path / "run" / "results.json").read_text())["again"] == len(void)
    with closing(sqlite3.connect(tmp_path / "run" / FILE)) as db:
        kept = [json.loads(record) for (record,) in db.execute("SELECT record FROM again")]
    assert [record["games"][0]["id"] for record in kept] == void
    assert all("check OPENAI_API_KEY" in record["games"][0]["reason"] for record in kept)
    assert all(record["calls"] for record in kept)


def test_where_somebody_learns_nothing_is_played_again(tmp_path) -> None:
    agents = ["reputation", "table"]
    run(tmp_path, agents)
    with pytest.raises(ValueError, match=r"learn from games \(reputation\)"):
        run(tmp_path, agents, again=True)


# A kill -----------------------------------------------------------------------------------------


def test_killed_and_gone_on_with(openai_server, tmp_path) -> None:
    whole = run(tmp_path / "whole", rounds=3)
    first = len(openai_server.requests)
    openai_server.delay = 0.01
    command = [sys.executable, "-m", "unspoken", "tournament", "--game", "aidg_search"]
    command += ["-a", MODEL, "-a", "rules", "-a", "table", "--rounds", "3", "--seed", "1"]
    command += ["--out", str(tmp_path / "run")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and count(tmp_path / "run") < 4:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 4 <= count(tmp_path / "run") < 12
    assert run(tmp_path / "run", rounds=3) == whole
    # what was in flight since the last game was kept is all that may be missing
    total = spent(tmp_path / "run")["models"]["toy"]["requests"]
    assert len(whole["calls"]) <= total <= len(openai_server.requests) - first


def count(folder) -> int:
    try:
        with closing(sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True)) as db:
            return db.execute("SELECT COUNT(*) FROM games").fetchone()[0]
    except sqlite3.Error:
        return 0


# The command ------------------------------------------------------------------------------------


def unspoken(*words, **env):
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "unspoken", *words],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path, "COLUMNS": "160"} | env,
        timeout=120,
        check=False,
    )


def test_the_command_stops_with_a_code_of_its_own_and_goes_on(tmp_path, prices) -> None:
    words = ["tournament", "--game", "aidg_search", "-a", MODEL, "-a", "table", "--rounds", "2"]
    words += ["--out", str(tmp_path / "run"), "--prices", str(prices)]
    stopped = unspoken(*words, UNSPOKEN_TOURNAMENT_MAX_COST="0.2")
    assert stopped.returncode == 3, stopped.stderr
    (line,) = stopped.stdout.splitlines()
    assert line.startswith("stopped: max_cost=0.2 is reached: 0.")
    assert f"the same command with --out {tmp_path / 'run'} and a higher limit goes on" in line
    done = unspoken(*words, "--max-cost", "99", "--max-connections", "2")
    assert done.returncode == 0, done.stderr
    assert "What requests took" in done.stdout
    assert "cost, EUR" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--max-cost", "1"], r'write \[prices."toy"\]'),
        (["--prices", "/nowhere.toml"], "/nowhere.toml cannot be read"),
        (["--models", "/nowhere.toml"], "/nowhere.toml cannot be read"),
        (["--model-args", "tempersture=1"], "has no option 'tempersture'"),
        (["--game-timeout", "-1"], "game_timeout=-1.0: more than 0"),
        (["--max-tokens", "5", "--executor", "ray"], "limits are kept within one"),
    ],
)
def test_mistakes_are_found_before_anything_is_played(words, message, tmp_path) -> None:
    command = ["tournament", "--game", "aidg_search", "-a", "openai:toy", "-a", "table"]
    with pytest.raises(ValueError, match=message):
        app([*command, "--out", str(tmp_path / "run"), *words], standalone_mode=False)
    assert not (tmp_path / "run").exists()
