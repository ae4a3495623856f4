"""Logs of inspect, read back by inspect itself; without it these tests are skipped."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from support.openai_server import KEY

from unspoken.benchmarks import tournament
from unspoken.benchmarks.export import export
from unspoken.benchmarks.sneak import run as sneak
from unspoken.benchmarks.sneak.results import METRICS, read_results
from unspoken.benchmarks.store import FILE, read_calls, read_games, read_ratings, reading
from unspoken.envs.registry import game

pytest.importorskip("inspect_ai")

MODEL = "openai:toy"


@pytest.fixture
def model(openai_server, model_key, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.base_url)
    return MODEL


def logged(folder, out):
    from inspect_ai.log import read_eval_log, resolve_sample_attachments
    from inspect_ai.log import resolve_sample_events_data as resolve

    made = export(folder, "inspect", out)
    log = read_eval_log(str(made.path))
    samples = [resolve_sample_attachments(resolve(s), "full") for s in log.samples]
    return log, samples, made


def test_a_log_says_what_the_store_says(model, openai_server, tmp_path) -> None:
    openai_server.script("429", "garbage")
    spec = game("aidg_dialogue").with_options(arbiter="openai:judge", max_turns=3)
    tournament.run(spec, [model, "rules"], tmp_path / "run", rounds=1, seed=3)
    log, samples, made = logged(tmp_path / "run", tmp_path / "log.eval")
    with reading(tmp_path / "run") as db:
        games = list(read_games(db))
        calls = {g.fixture.id: read_calls(db, g.fixture.id) for g in games}
        elo = read_ratings(db)
        after = db.execute("SELECT game, kind, after FROM ratings").fetchall()
    assert log.status == "success"
    assert log.eval.task == "aidg_dialogue_v0"
    assert log.eval.model == "judge, toy"
    assert log.eval.metadata["seed"] == 3
    assert made.rows == {"samples": len(games)}
    assert log.eval.dataset.sample_ids == [g.fixture.id for g in games]
    for sample, played in zip(samples, games, strict=True):
        assert sample.id == played.fixture.id
        assert sample.target == played.hidden
        assert sample.error is None
        assert [m.text for m in sample.messages] == [f"{m.role}: {m.text}" for m in played.history]
        assert sample.scores["outcome"].value == played.result.outcome
        for seat, player in played.fixture.seats.items():
            score = sample.scores[seat]
            assert (score.value, score.answer) == (played.rewards[seat], player)
        assert sample.metadata["seats"] == played.fixture.seats
        assert sample.metadata["seed"] == played.fixture.seed
        assert sample.metadata["setting"] == played.fixture.setting
        rated = {k: r for id_, k, r in after if id_ == sample.id}
        found = {k: rating["after"] for k, rating in sample.metadata["ratings"].items()}
        assert found == rated
        lines = [event for event in sample.events if event.event == "info"]
        assert [e.data for e in lines] == [line.text for line in played.history]
        asked = [event for event in sample.events if event.event == "model"]
        for event, (seat, call) in zip(asked, calls[sample.id], strict=True):
            assert (event.role, event.model) == (seat, call["model"])
            assert [{"role": m.role, "content": m.text} for m in event.input] == call["messages"]
            assert event.output.completion == call["reply"]
            assert (event.retries or 0) + 1 == call["attempts"]
            assert event.output.usage.input_tokens == call["usage"]["prompt_tokens"]
    everything = [call for of_game in calls.values() for _, call in of_game]
    for name in ("toy", "judge"):
        tokens = sum(c["usage"]["completion_tokens"] for c in everything if c["model"] == name)
        assert log.stats.model_usage[name].output_tokens == tokens
    scores = {score.name: score for score in log.results.scores}
    assert {n: m.value for n, m in scores["elo C"].metrics.items()} == elo.c
    seeking = [g.rewards["seeker_0"] for g in games]
    assert scores["seeker_0"].metrics["mean"].value == pytest.approx(sum(seeking) / len(seeking))
    of_model = [
        r for g, r in zip(games, seeking, strict=True) if g.fixture.seats["seeker_0"] == model
    ]
    assert scores["seeker_0"].metrics[model].value == sum(of_model) / len(of_model)
    counts = {n: m.value for n, m in scores["outcome"].metrics.items()}
    assert sum(counts.values()) == len(games)
    assert KEY.encode() not in Path(tmp_path / "log.eval").read_bytes()


def test_lines_stand_after_the_requests_that_led_to_them(model, tmp_path) -> None:
    tournament.run(game("aidg_search"), [model, "table"], tmp_path / "run", rounds=1)
    _, samples, _ = logged(tmp_path / "run", tmp_path)
    for sample in samples:
        kinds = [(e.event, e.role if e.event == "model" else e.source) for e in sample.events]
        seeking = [kind for kind in kinds if kind[1] in ("seeker", "seeker_0")]
        assert seeking[::2] == [("model", "seeker_0")] * (len(seeking) // 2)
        assert seeking[1::2] == [("info", "seeker")] * (len(seeking) // 2)
        times = [event.timestamp for event in sample.events]
        assert times == sorted(times)


def test_void_games_have_an_error_and_no_rewards(model, openai_server, tmp_path) -> None:
    openai_server.trouble(1.0, seed=1, faults=("401",))
    tournament.run(game("aidg_search"), [model, "rules", "table"], tmp_path / "run", rounds=1)
    log, samples, _ = logged(tmp_path / "run", tmp_path)
    void = [s for s in samples if MODEL in s.metadata["seats"].values()]
    assert len(void) == 3
    for sample in samples:
        assert (sample.error is not None) == (sample in void)
        assert ("seeker_0" in sample.scores) == (sample not in void)
    assert "401" in void[0].error.message
    assert void[0].events[-1].error
    assert log.results.completed_samples == log.results.total_samples - 3
    assert MODEL not in {n for score in log.results.scores for n in score.metrics}


def test_games_of_many_and_unfinished_runs(tmp_path) -> None:
    tournament.run(game("chameleon"), ["rules", "rsa", "random"], tmp_path / "run", limit=2)
    log, samples, made = logged(tmp_path / "run", tmp_path)
    assert log.status == "cancelled"
    assert log.results.total_samples == 2 + made.missing == 5 * 3
    assert log.eval.model == "none/none"
    for sample in samples:
        assert sample.scores.keys() == {"outcome", *(f"player_{n}" for n in range(4))}
        assert not sample.model_usage


def test_the_benchmark(model, tmp_path) -> None:
    plan = sneak.plan([model, "category"], ["embedding", "openai:ear"], limit=3)
    sneak.carry_out(plan, tmp_path / "run")
    log, samples, _ = logged(tmp_path / "run", tmp_path)
    results = read_results(tmp_path / "run")
    assert len(samples) == 6
    for sample in samples:
        message = results.messages[sample.id]
        assert sample.target == message.instance.partition("/")[2]
        speaker, place = results.speakers.index(message.speaker), sample.id // 2
        for name, score in sample.scores.items():
            worth = results.values[speaker, results.evaluators.index(name), place].tolist()
            assert [score.value[key] for key in METRICS] == pytest.approx(worth)
    means = {score.name: score.metrics["soft"].value for score in log.results.scores}
    soft = results.values[..., METRICS.index("soft")].mean(axis=(0, 2))
    assert [means[name] for name in results.evaluators] == pytest.approx(soft.tolist())


def test_inspects_own_commands_open_a_log(model, tmp_path) -> None:
    tournament.run(game("aidg_search"), [model, "table"], tmp_path / "run", rounds=1)
    made = export(tmp_path / "run", "inspect", tmp_path / "logs")
    assert made.path == tmp_path / "logs" / "aidg_search_v0.eval"

    def inspect(*words):
        command = [sys.executable, "-m", "inspect_ai", "log", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
        return json.loads(done.stdout)

    listed = inspect("list", "--json", "--log-dir", str(tmp_path / "logs"))
    assert [os.path.basename(log["name"]) for log in listed] == ["aidg_search_v0.eval"]
    dumped = inspect("dump", str(made.path))
    with closing(sqlite3.connect(tmp_path / "run" / FILE)) as db:
        hidden = [h for (h,) in db.execute("SELECT hidden FROM games ORDER BY id")]
    assert [sample["target"] for sample in dumped["samples"]] == hidden


def test_the_same_run_is_the_same_log(model, tmp_path) -> None:
    tournament.run(game("aidg_search"), [model, "table"], tmp_path / "run", rounds=1)
    export(tmp_path / "run", "inspect", tmp_path / "a.eval")
    export(tmp_path / "run", "inspect", tmp_path / "b.eval")
    assert (tmp_path / "a.eval").read_bytes() == (tmp_path / "b.eval").read_bytes()
