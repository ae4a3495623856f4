"""The benchmark's runs: complete, resumable, deterministic, not to be brought down by anybody."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import sneak_players

from unspoken.agents.base import AgentFailure
from unspoken.agents.specs import SpecError
from unspoken.benchmarks import tournament
from unspoken.benchmarks.running import Running
from unspoken.benchmarks.sneak import report
from unspoken.benchmarks.sneak.results import read_results
from unspoken.benchmarks.sneak.run import carry_out, plan
from unspoken.benchmarks.sneak.sweep import cells, plot, sweep, sweep_tables
from unspoken.benchmarks.store import FILE, StoreError
from unspoken.envs.registry import game
from unspoken.envs.sneak.instances import instances, load

SPEAKERS = ["sneak_players:Choosing", "sneak_players:Fixed?text=wet"]
EVALUATORS = ["sneak_players:Sure?found=0.6&leaked=0.3", "sneak_players:Longing"]


def run(folder, speakers=SPEAKERS, evaluators=EVALUATORS, *, limit=12, seed=3, **settings):
    keys = ("concurrency", "force", "again")
    how = Running(**{key: settings.pop(key) for key in keys if key in settings})
    watch = {"watch": settings.pop("watch")} if "watch" in settings else {}
    carry_out(plan(speakers, evaluators, limit=limit, seed=seed, **settings), folder, how, **watch)
    return everything(folder)


def everything(folder):
    with closing(sqlite3.connect(folder / FILE)) as db:
        columns = "id, speaker, instance, said, message, fault, reason"
        messages = db.execute(f"SELECT {columns} FROM messages ORDER BY id").fetchall()
        return messages, db.execute("SELECT * FROM evaluations ORDER BY 1, 2").fetchall()


class Stop(Exception):
    pass


def stop_after(n):
    def watch(last, done, total):
        if done >= n:
            raise Stop

    return watch


def row(table, **wanted):
    (found,) = [r for r in table.rows if all(r[key] == value for key, value in wanted.items())]
    return found


# Running ----------------------------------------------------------------------------------------


def test_everybody_speaks_about_everything_and_is_evaluated(tmp_path) -> None:
    messages, evaluations = run(tmp_path)
    assert len(messages) == 2 * 12
    assert [id_ for id_, *_ in messages] == list(range(24))
    spoken = {name: [m[2] for m in messages if m[1] == name] for name in SPEAKERS}
    assert spoken[SPEAKERS[0]] == spoken[SPEAKERS[1]]
    assert len(evaluations) == 2 * sum(m[5] == "" for m in messages)
    assert {m[3] for m in messages if m[1] == SPEAKERS[1]} == {"wet"}


def test_same_seed_same_run_whatever_the_concurrency(tmp_path) -> None:
    one = run(tmp_path / "a", concurrency=1)
    assert run(tmp_path / "b", concurrency=16) == one
    assert run(tmp_path / "c", seed=4) != one


@pytest.mark.parametrize("n", [1, 7, 24])
def test_broken_off_and_resumed_is_the_same_as_unbroken(tmp_path, n) -> None:
    whole = run(tmp_path / "whole")
    with pytest.raises(Stop):
        run(tmp_path / "broken", watch=stop_after(n))
    assert n <= len(everything(tmp_path / "broken")[0]) < 24 or n == 24
    assert run(tmp_path / "broken") == whole


def test_a_limit_can_be_raised(tmp_path) -> None:
    whole = run(tmp_path / "whole", limit=12)
    part = run(tmp_path / "part", limit=5)
    assert part[0] == whole[0][:10]
    assert run(tmp_path / "part", limit=12) == whole
    assert run(tmp_path / "part", limit=5) == whole  # what is there stays


def test_so_many_of_each_category() -> None:
    planned = plan(SPEAKERS, EVALUATORS, per_category=2).instances
    assert len(planned) == 2 * 117
    assert len({i.category for i in planned[:117]}) == 117
    assert planned[:100] == plan(SPEAKERS, EVALUATORS, limit=100).instances
    assert len(plan(SPEAKERS, EVALUATORS, per_category=99).instances) == 1394


def test_killed_at_any_moment_it_goes_on(tmp_path) -> None:
    speakers = ["sneak_players:Fixed?text=wet&pause=0.02", "sneak_players:Choosing"]
    whole = run(tmp_path / "whole", speakers, limit=40)
    code = (
        "import sys; from pathlib import Path\n"
        "from unspoken.benchmarks.sneak.run import carry_out, plan\n"
        f"carry_out(plan({speakers!r}, {EVALUATORS!r}, limit=40, seed=3), Path(sys.argv[1]))"
    )
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "killed")],
        env=os.environ | {"PYTHONPATH": path},
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and count(tmp_path / "killed") < 7:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    messages, evaluations = everything(tmp_path / "killed")
    assert 7 <= len(messages) < 80
    assert {e[0] for e in evaluations} == {m[0] for m in messages if not m[5]}
    assert run(tmp_path / "killed", speakers, limit=40) == whole


def count(folder) -> int:
    try:
        with closing(sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True)) as db:
            return db.execute("SELECT COUNT(*) FROM messages").fetchone()[0]
    except sqlite3.Error:
        return 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": 4}, "seed=3, not 4"),
        ({"speakers": SPEAKERS[:1]}, "speakers="),
        ({"evaluators": EVALUATORS[:1]}, "evaluators="),
    ],
)
def test_other_settings_are_refused(tmp_path, changed, message) -> None:
    run(tmp_path, limit=1)
    with pytest.raises(StoreError, match=message):
        run(tmp_path, **{"limit": 1, **changed})
    assert len(run(tmp_path, **{"limit": 1, "force": True, **changed})[0]) <= 2


def test_a_run_and_a_tournament_do_not_share_a_folder(tmp_path) -> None:
    tournament.run(game("aidg_search"), ["random", "table"], tmp_path / "t", rounds=1)
    with pytest.raises(StoreError, match="game='aidg_search_v0', not 'sneak benchmark'"):
        run(tmp_path / "t")
    with pytest.raises(StoreError, match="holds a run of aidg_search_v0"):
        read_results(tmp_path / "t")
    run(tmp_path / "b", limit=1)
    with pytest.raises(StoreError, match="game='sneak benchmark', not 'aidg_search_v0'"):
        tournament.run(game("aidg_search"), ["random", "table"], tmp_path / "b", rounds=1)


def test_a_changed_file_of_categories_is_noticed(tmp_path) -> None:
    file = tmp_path / "mine.toml"
    text = '[[category]]\nname = "bird"\nkind = "concrete"\nwords = ["owl", "duck", "hen"]\n'
    file.write_text(text + 'decoys = ["wing", "nest"]\n')
    messages, _ = run(tmp_path / "run", categories=file)
    assert {m[2] for m in messages} == {"bird/owl", "bird/duck", "bird/hen"}
    assert len(read_results(tmp_path / "run").instances) == 3
    load.cache_clear()
    file.write_text(text + 'decoys = ["wing", "egg"]\n')
    with pytest.raises(StoreError, match="has changed since the run"):
        read_results(tmp_path / "run")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"speakers": ["sneak_players:Ally"]}, "'sneak_players:Ally' is no speaker"),
        ({"speakers": ["gredy"]}, "there is no agent 'gredy'"),
        ({"evaluators": ["nobody"]}, "there is no listener 'nobody'"),
        ({"speakers": ["random", "random"]}, "speakers given twice: random"),
        ({"evaluators": []}, "no evaluators"),
        ({"limit": 0}, "limit=0: at least 1"),
        ({"per_category": 0}, "per_category=0: at least 1"),
        ({"seed": -1}, "seed=-1: 0 or more"),
        ({"concurrency": 0}, "concurrency=0: at least 1"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_done(tmp_path, settings, message) -> None:
    with pytest.raises(ValueError, match=message) as error:
        run(tmp_path / "new", **settings)
    assert type(error.value) in (ValueError, SpecError)
    assert not (tmp_path / "new" / FILE).exists() or not everything(tmp_path / "new")[0]


# Failing ----------------------------------------------------------------------------------------


def test_failures_of_speakers_are_kept_and_not_replayed(tmp_path) -> None:
    speakers = ["sneak_players:Failing", "sneak_players:Failing?how=error"]
    messages, evaluations = run(tmp_path, speakers, limit=30)
    void = [m for m in messages if m[5] == "void"]
    assert 10 < len(void) < 50
    assert {m[6] for m in void} == {
        "sneak_players:Failing failed: no answer",
        "sneak_players:Failing?how=error broke: KeyError: 'oops'",
    }
    assert not {m[0] for m in void} & {e[0] for e in evaluations}
    assert run(tmp_path, speakers, limit=30) == (messages, evaluations)
    # the same chance, so the same failures: but they are done again
    assert run(tmp_path, speakers, limit=30, again=True) == (messages, evaluations)
    done = carry_out(plan(speakers, EVALUATORS, limit=30, seed=3), tmp_path, Running(again=True))
    assert done == len(void)
    summary = report.write(tmp_path)
    assert sum(summary.failures.values()) == len(void)
    for name in speakers:
        counted = row(summary.tables[0], speaker=name)
        assert counted["void"] == sum(m[1] == name for m in void)
        useful = (0.6 - 1 / 6) / (5 / 6) / 2  # void ones do not count; Longing sees below
        assert counted["utility"] > useful


def test_failures_of_evaluators_leave_a_reason(tmp_path) -> None:
    evaluators = [f"sneak_players:{name}?found=0.9&leaked=0" for name in ("Broken", "Sure")]
    _, evaluations = run(tmp_path, SPEAKERS[1:], evaluators, limit=40)
    broken = [e for e in evaluations if e[1].startswith("sneak_players:Broken")]
    assert all(e[2] == e[3] == "[]" and e[4] for e in broken)
    assert {e[4].partition("broke: ")[2][:17] for e in broken} == {
        "ZeroDivisionError",
        "ValueError: array",
    }
    summary = report.write(tmp_path)
    counted = summary.tables[0].rows[0]
    assert counted["unevaluated"] == len(broken)
    assert counted["utility"] == pytest.approx((0.9 - 1 / 6) / (5 / 6))


def test_what_failed_can_be_done_again(tmp_path, monkeypatch) -> None:
    """Only that: what there is stays, and a server that is back gives what an unbroken run has."""
    whole = run(tmp_path / "whole", limit=12)

    def down(self, instance, message):
        raise AgentFailure(f"{self.name}: no answer")

    with monkeypatch.context() as patch:
        patch.setattr(sneak_players.Longing, "ally", down)
        patch.setattr(sneak_players.Fixed, "act", lambda self, observation, info: 1 / 0)
        messages, evaluations = run(tmp_path / "down", limit=10)
        sweep(tmp_path / "down", words=(4,), decoys=(1,))
    assert sum(m[5] == "void" for m in messages) == 10
    reasons = {e[4] for e in evaluations if e[1] == EVALUATORS[1]}
    assert reasons == {f"{EVALUATORS[1]} failed: no answer"}
    summary = report.write(tmp_path / "down")
    assert sum(summary.failures.values()) == 10
    assert sum(summary.unevaluated.values()) == sum(m[5] == "" for m in messages)
    assert run(tmp_path / "down", limit=12)[0][:20] == messages
    assert run(tmp_path / "down", limit=5, again=True)[0][:10] == whole[0][:10]
    assert run(tmp_path / "down", limit=12, again=True) == whole
    again = Running(again=True)
    assert carry_out(plan(SPEAKERS, EVALUATORS, limit=12, seed=3), tmp_path / "down", again) == 0
    sweep(tmp_path / "down", words=(4,), decoys=(1,), running=again)
    sweep(tmp_path / "whole", words=(4,), decoys=(1,))
    assert cells(tmp_path / "down").means[4, 1] == pytest.approx(
        cells(tmp_path / "whole").means[4, 1]
    )


def test_refused_and_unparsable_messages_count_as_nothing(tmp_path) -> None:
    speakers = [
        "sneak_players:Fixed?text=one two three four five six",
        "sneak_players:Model?text=no tags at all",
        "sneak_players:Model?text=I say <message>shiny</message>",
        "sneak_players:Fixed?text=shiny",
    ]
    evaluators = ["sneak_players:Sure?found=1&leaked=0"]
    messages, _ = run(tmp_path, speakers, evaluators, limit=9)
    faults = {name: {m[5] for m in messages if m[1] == name} for name in speakers}
    assert list(faults.values()) == [{"length"}, {"parse"}, {""}, {""}]
    assert {m[4] for m in messages if m[1] == speakers[2]} == {"shiny"}
    summary = report.write(tmp_path)
    rows = {r["speaker"]: r for r in summary.tables[0].rows}
    assert [rows[name]["soft"] for name in speakers] == [0, 0, 1, 1]
    assert [rows[name]["refused"] for name in speakers] == [9, 0, 0, 0]
    assert [rows[name]["unparsable"] for name in speakers] == [0, 9, 0, 0]
    assert summary.tokens == {name: {"prompt": 63, "completion": 0} for name in speakers[1:3]}


def test_evaluators_that_are_asked_leave_their_trace_with_the_message(tmp_path) -> None:
    evaluators = ["sneak_players:Asking", "sneak_players:Longing"]
    messages, evaluations = run(tmp_path, SPEAKERS[:1], evaluators, concurrency=8)
    by_evaluator = [[e[2:] for e in evaluations if e[1] == name] for name in evaluators]
    assert by_evaluator[0] == by_evaluator[1]
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        calls = db.execute("SELECT message, n, asked, reply FROM calls ORDER BY 1, 2").fetchall()
    assert calls == [
        (id_, n, evaluators[0], f"{task} {text}")
        for id_, _, _, _, text, *_ in messages
        for n, task in enumerate(("ally", "chameleon"))
    ]
    bounded = {table.key: table for table in report.write(tmp_path).tables}["bounded"]
    expected = {"evaluator": evaluators[0], "questions": 12, "labels": 24, "mass": 0.125}
    assert bounded.rows == [expected]


# Reporting --------------------------------------------------------------------------------------


def test_report_and_results_hold_every_table(tmp_path) -> None:
    run(tmp_path, limit=40)
    summary = report.write(tmp_path)
    held = json.loads((tmp_path / "results.json").read_text())
    assert held["messages"] == 80
    assert {t.key for t in summary.tables} <= held.keys()
    assert {"scores", "evaluators", "kinds", "relations"} <= held.keys()
    text = (tmp_path / "report.md").read_text()
    assert "SNEAK Table 2" in text
    assert "80 messages on 40 instances" in text
    sure = row(summary.tables[1], speaker=SPEAKERS[1], evaluator=EVALUATORS[0])
    results = read_results(tmp_path)
    words = [len(i.words) for i in results.instances]
    refused = {m.instance for m in results.messages if m.speaker == SPEAKERS[1] and m.fault}
    leaked = [
        0 if i.id in refused else (0.3 - 1 / n) / (1 - 1 / n)
        for i, n in zip(results.instances, words, strict=True)
    ]
    assert sure["leakage"] == pytest.approx(np.mean(leaked))
    assert sure["leakage_low"] <= sure["leakage"] <= sure["leakage_high"]
    more = {table.key for table in report.stats(tmp_path)}
    assert more == {"deviation", "rank_correlation", "categories", "clustering"}


def test_a_run_that_has_just_begun_can_be_reported(tmp_path) -> None:
    run(tmp_path, limit=1)
    assert report.write(tmp_path).tables
    report.stats(tmp_path)
    with pytest.raises(FileNotFoundError, match="holds no run"):
        report.write(tmp_path / "nowhere")


# Sweeping ---------------------------------------------------------------------------------------


def test_sweep_by_hand_and_in_two_goes(tmp_path) -> None:
    evaluators = ["sneak_players:Sure?found=0.6&leaked=0.3"]
    run(tmp_path, [SPEAKERS[1], "sneak_players:Fixed?text=a b c d e f"], evaluators)
    with pytest.raises(ValueError, match="holds no sweep"):
        cells(tmp_path)
    seen = []
    sweep(tmp_path, words=(4,), decoys=(1,), limit=3)
    sweep(tmp_path, words=(4, 8), decoys=(1, 5), watch=lambda *n: seen.append(n))
    assert seen[0] == (0, 24)
    assert seen[-1] == (24, 24)
    sweep(tmp_path, words=(4, 8), decoys=(1, 5), watch=lambda *n: seen.append(n))
    assert seen[-1] == (24, 24)
    speakers, means, instances = cells(tmp_path)
    assert instances == {(4, 1): 12, (4, 5): 12, (8, 1): 12, (8, 5): 12}
    assert set(means) == {(4, 1), (4, 5), (8, 1), (8, 5)}
    refused = sum(m.fault != "" for m in read_results(tmp_path).messages[::2])
    share = 1 - refused / 12
    assert means[4, 1][0] == pytest.approx(
        np.array([0.2, (0.3 - 1 / 4) / (3 / 4), 0.2 * (1 - 0.05 / 0.75), 0.0]) * share
    )
    # with 8 words the secret's 0.3 is the highest, with 5 decoys the message's 0.6
    assert means[8, 5][0, 0] == pytest.approx((0.6 - 1 / 6) / (5 / 6) * share)
    assert means[8, 5][0, 3] == 0
    assert means[8, 5][1].tolist() == [0, 0, 0, 0]
    tables = {table.key: table for table in sweep_tables(tmp_path)}
    metrics = {"sweep_utility", "sweep_leakage", "sweep_soft", "sweep_binary"}
    assert set(tables) == {"sweep_instances", *metrics}
    assert row(tables["sweep_utility"], speaker=speakers[0], words=4)["decoys_1"] == pytest.approx(
        0.2 * share
    )


def test_sizes_of_different_numbers_of_instances_are_told(tmp_path) -> None:
    run(tmp_path, limit=6)
    sweep(tmp_path, words=(4,), decoys=(1,))
    sweep(tmp_path, words=(8,), decoys=(1, 2), limit=2)
    counts = sweep_tables(tmp_path)[0].rows
    assert counts == [{"words": 4, "decoys_1": 6}, {"words": 8, "decoys_1": 2, "decoys_2": 2}]


def test_sweep_sees_the_same_words_for_all_speakers(tmp_path) -> None:
    speakers = (
        "sneak_players:Fixed?text=shiny",
        "sneak_players:Model?text=<message>shiny</message>",
    )
    run(tmp_path, speakers)
    sweep(tmp_path, words=(5,), decoys=(2, 3))
    means = cells(tmp_path).means
    for found in means.values():
        assert found[0] == pytest.approx(found[1])


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"words": (1,)}, "words=1: 2 to 11 are possible"),
        ({"words": (12,)}, "words=12: 2 to 11 are possible"),
        ({"decoys": (6,)}, "decoys=6: 1 to 5 are possible"),
        ({"limit": 0}, "limit=0: at least 1"),
    ],
)
def test_sizes_that_are_not_there(tmp_path, sizes, message) -> None:
    run(tmp_path, limit=1)
    with pytest.raises(ValueError, match=message):
        sweep(tmp_path, **sizes)


def test_heat_maps_are_drawn(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    run(tmp_path, limit=2)
    sweep(tmp_path, words=(4, 8), decoys=(1, 2))
    plot(tmp_path, tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").read_bytes()[:4] == b"\x89PNG"


def test_all_instances_are_there() -> None:
    assert len(instances(load())) == 1394
