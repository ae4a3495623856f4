"""Language models as speakers and evaluators, against the local server."""

import json
import sqlite3
from contextlib import closing

import pytest
from support.openai_server import KEY
from support.runs import SNEAK, held, spent

from unspoken.agents.base import RunOver
from unspoken.benchmarks.running import Running
from unspoken.benchmarks.sneak import report
from unspoken.benchmarks.sneak.run import carry_out, plan
from unspoken.benchmarks.sneak.sweep import sweep
from unspoken.benchmarks.store import FILE
from unspoken.cli import app

LISTENER = "openai:model?method=sample&n=1&timeout=60"


def play(messages):
    """A speaker that forgets its tags for some words, and listeners that like the first label."""
    last = messages[-1]["content"]
    if "secret word" not in last:
        return "A"
    return "I say it is <message>shiny</message>" if len(last) % 2 else "shiny, without tags"


@pytest.fixture
def speaker(openai_server, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.base_url)
    openai_server.play = play
    prompts = tmp_path / "prompts" / "sneak"
    prompts.mkdir(parents=True)
    (prompts / "speaker.system.jinja").write_text("You speak. Put it into <message> tags.")
    (prompts / "speaker.turn.jinja").write_text("The secret word is {{ info.secret }}.")
    return f"openai:model?prompts={prompts.parent}&timeout=60"


def test_models_speak_and_evaluate(openai_server, speaker, tmp_path) -> None:
    run = tmp_path / "run"
    carry_out(plan([speaker], [LISTENER, "embedding"], limit=6), run)
    asked = len(openai_server.requests)
    summary = report.write(run)
    scores = summary.tables[0].rows[0]
    assert scores["messages"] == 6
    assert 0 < scores["unparsable"] < 6
    assert (scores["refused"], scores["void"], scores["unevaluated"]) == (0, 0, 0)
    heard = 6 - scores["unparsable"]
    assert summary.tokens[LISTENER] == {"prompt": 11 * 2 * heard, "completion": 3 * 2 * heard}
    # a reply that the rules refuse is put to the model once more
    assert 6 <= asked - 2 * heard <= 12
    assert summary.tokens[speaker]["prompt"] == 11 * (asked - 2 * heard)
    # the same model speaks and evaluates
    assert "self_bias" in {table.key for table in summary.tables}
    with closing(sqlite3.connect(run / FILE)) as db:
        evaluations = db.execute("SELECT ally FROM evaluations WHERE evaluator = ?", (LISTENER,))
        answers = [json.loads(ally) for (ally,) in evaluations]
    assert all(sorted(ally) == [0, 0, 0, 0, 0, 1] for ally in answers)
    assert KEY.encode() not in b"".join(path.read_bytes() for path in run.iterdir())


def test_a_server_that_is_down_leaves_reasons(openai_server, speaker, tmp_path) -> None:
    run = tmp_path / "run"
    openai_server.trouble(1.0, seed=1, faults=("401",))
    carry_out(plan([speaker, "random"], [LISTENER], limit=3), run)
    asked = len(openai_server.requests)
    summary = report.write(run)
    rows = {row["speaker"]: row for row in summary.tables[0].rows}
    assert rows[speaker]["void"] == 3
    assert rows["random"]["unevaluated"] == 3
    assert rows["random"]["utility"] is None
    assert all("check OPENAI_API_KEY" in reason for reason in summary.failures)
    carry_out(plan([speaker, "random"], [LISTENER], limit=3), run)
    assert len(openai_server.requests) == asked  # nothing is asked again


def test_a_budget_stops_the_run_and_a_higher_one_goes_on(openai_server, speaker, tmp_path) -> None:
    whole, run = tmp_path / "whole", tmp_path / "run"
    todo = plan([speaker, "random"], [LISTENER, "embedding"], limit=5)
    carry_out(todo, whole)
    asked = len(openai_server.requests)
    with pytest.raises(RunOver, match=r"max_tokens=100 is reached: \d+ tokens were used"):
        carry_out(todo, run, Running(max_tokens=100, concurrency=2))
    stopped = held(run, SNEAK)
    assert 0 < len(stopped["messages"]) < 10
    assert all(row["fault"] != "void" for row in stopped["messages"])
    took = spent(run)["models"]["model"]
    assert took["requests"] == len(openai_server.requests) - asked
    assert took["requests"] == took["prompt_tokens"] / 11 <= 100 / 14 + 2 * 2
    carry_out(todo, run, Running(max_tokens=10**6))
    assert held(run, SNEAK) == held(whole, SNEAK)
    (row,) = report.write(run).tables[-1].rows
    assert (row["model"], row["requests"]) == ("model", len(openai_server.requests) - asked)


def test_a_sweep_counts_and_stops_too(openai_server, speaker, tmp_path) -> None:
    carry_out(plan(["random"], [LISTENER], limit=4, seed=1), tmp_path)
    sizes = {"words": (4, 6), "decoys": (2,)}
    with pytest.raises(RunOver, match="max_tokens=150 is reached"):
        sweep(tmp_path, **sizes, running=Running(max_tokens=150, concurrency=1))
    sweep(tmp_path, **sizes)
    took = spent(tmp_path)["models"]["model"]
    assert took["requests"] == len(openai_server.requests) == took["prompt_tokens"] / 11


def test_the_command_takes_limits(openai_server, speaker, tmp_path) -> None:
    words = ["sneak", "-a", speaker, "-e", LISTENER, "--limit", "3", "--out", str(tmp_path / "run")]
    assert app([*words, "--max-tokens", "30"], standalone_mode=False) == 3
    with pytest.raises(ValueError, match=r'write \[prices\."model"\]'):
        app([*words, "--max-cost", "1"], standalone_mode=False)


def test_other_executors_are_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="executor='ray': this benchmark is run by local only"):
        carry_out(plan(["random"], limit=1), tmp_path / "run", Running(executor="ray"))
