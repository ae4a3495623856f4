"""The command, as a user calls it."""

import json
import os
import subprocess
import sys

import pytest


def unspoken(*words, stdin="", env=None, ok=True) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [sys.executable, "-m", "unspoken", *words],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"COLUMNS": "160"} | (env or {}),
        check=False,
    )
    assert not ok or done.returncode == 0, done.stderr
    return done


def test_judge_prints_one_json_object() -> None:
    reading = json.loads(unspoken("judge", "aidg_search", "Lock: [chair].").stdout)
    assert reading["move"] == "lock"
    assert reading["word"] == "chair"
    assert set(reading) == {"move", "word", "question", "why"}
    reading = json.loads(unspoken("judge", "aidg_search", "-", stdin="is it alive").stdout)
    assert (reading["move"], reading["question"]) == ("question", "Is it alive?")


def test_tournament_table_report_and_resume(tmp_path) -> None:
    words = ["tournament", "--game", "aidg_search", "-a", "random", "-a", "table", "-a", "rules"]
    words += ["--rounds", "2", "--seed", "7", "--out", str(tmp_path / "run")]
    first = unspoken(*words)
    assert "C_ELO" in first.stdout
    assert "How games ended" in first.stdout
    assert "When locks came" in first.stdout
    results = (tmp_path / "run" / "results.json").read_text()
    assert json.loads(results)["seed"] == 7
    again = unspoken(*words)
    assert again.stdout == first.stdout
    assert "going on with" in again.stderr
    assert (tmp_path / "run" / "results.json").read_text() == results


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tournament", "--game", "chess"], "there is no game 'chess'; choose from "),
        (["tournament", "--agent", "gredy"], "there is no agent 'gredy'"),
        (["tournament", "--agent", "table"], "nobody can meet anybody"),
        (["play", "aidg_search", "--as", "judge"], "has no role 'judge'"),
        (["tournament", "--out", "/dev/null"], "/dev/null"),
        (["tournament", "-o", "foo=1"], "has no option foo; its options: "),
        (["tournament", "-o", "foo"], "write KEY=VALUE"),
        (["tournament", "--seed", "-1"], "seed=-1"),
        (["stats", "/nowhere"], "/nowhere holds no run"),
        (["replay", "/nowhere"], "/nowhere holds no run"),
        (["judge", "aidg_dialogue", "--secret", "", "--reply", "x"], "the secret is empty"),
    ],
)
def test_mistakes_end_in_one_line(words, message) -> None:
    done = unspoken(*words, ok=False)
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_version_and_help() -> None:
    assert unspoken("--version").stdout.startswith("unspoken 0.")
    assert {"tournament", "replay"} <= set(unspoken("--help").stdout.split())
    unspoken("--version", env={"UNSPOKEN_VERSION": "0.2"})  # no option of ours


def test_importing_the_package_and_the_help_load_nothing_heavy() -> None:
    code = (
        "import sys, unspoken, unspoken.cli; "
        "heavy = {'numba', 'torch', 'openai', 'scipy', 'matplotlib', 'pettingzoo', 'numpy'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_games_agents_and_evaluator_compiles_nothing() -> None:
    code = (
        "import sys; from unspoken.envs import aidg_search_v0; import unspoken.evaluator; "
        "from unspoken.agents.specs import ARGUMENT, make_agent, kinds; "
        "own = [k for k in kinds('aidg_search') if k not in (*ARGUMENT, 'local', 'rl')]; "
        "[make_agent(k, 'aidg_search') for k in own]; "
        "print('numba' in sys.modules, 'torch' in sys.modules, 'openai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False False False"


@pytest.mark.parametrize("columns", ["40", "60", "80"])
def test_numbers_are_never_cut(tmp_path, columns) -> None:
    out = str(tmp_path / "run")
    words = ["tournament", "--game", "aidg_search", "-a", "random", "-a", "rules", "--out", out]
    printed = unspoken(*words, env={"COLUMNS": columns}).stdout
    for row in json.loads((tmp_path / "run" / "results.json").read_text())["ratings"]:
        assert f"{row['c_elo']:.1f}" in printed
        assert row["player"] in printed
