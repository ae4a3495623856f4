"""The examples, each in a process of its own, as their users start them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def run(name, *arguments) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_listed_and_says_what_it_needs():
    listed = re.findall(r"\]\((\w+\.py)\)", (EXAMPLES / "README.md").read_text())
    assert sorted(listed) == sorted(path.name for path in EXAMPLES.glob("*.py"))
    for name in listed:
        assert "    pip install " in (EXAMPLES / name).read_text().split('"""')[1]


def test_cleanrl_is_one_short_file():
    assert len((EXAMPLES / "cleanrl_ppo.py").read_text().splitlines()) < 150


@pytest.mark.slow
def test_cleanrl_learns():
    pytest.importorskip("torch")
    returns = [
        float(x) for x in re.findall(r"return ([+-]\S+)", run("cleanrl_ppo.py", "--steps", "40000"))
    ]
    assert returns[-1] > returns[0] + 0.2
    assert run("cleanrl_ppo.py", "--steps", "1").count("return") == 1


@pytest.mark.slow
def test_rllib_trains_both_seats():
    pytest.importorskip("ray.rllib.algorithms.ppo", exc_type=ImportError)
    shown = run("rllib_ppo.py", "--iterations", "1", "--batch", "200")
    (pair,) = re.findall(r"questioner (\S+)  witness (\S+)", shown)
    assert float(pair[0]) == pytest.approx(-float(pair[1]), abs=1e-3)


@pytest.mark.slow
def test_tianshou_trains():
    pytest.importorskip("tianshou")
    assert "return" in run("tianshou_dqn.py", "--epochs", "1", "--steps", "200")


def test_rollouts_show_an_episode_of_each_game():
    pytest.importorskip("jinja2")
    shown = run("llm_rollouts.py", "--roles", "all")
    assert re.findall(r"=== (\w+)_v0 as (\w+)", shown) == [
        ("aidg_search", "seeker"),
        ("aidg_search", "holder"),
        ("aidg_dialogue", "seeker"),
        ("aidg_dialogue", "holder"),
        ("sneak", "speaker"),
        ("sneak", "ally"),
        ("sneak", "chameleon"),
        ("chameleon", "player"),
        ("cross_examination", "questioner"),
        ("cross_examination", "witness"),
    ]
    assert shown.count("assistant:") == shown.count("reward")
    assert "bits 0." in shown


def test_verifiers_finds_the_game():
    pytest.importorskip("verifiers.v1")
    code = (
        "import unspoken_game as g; "
        "tasks = list(g.GameTaskset(g.GameConfig(id='unspoken-game', games=2)));"
        "print([task.data.seed for task in tasks])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, EXAMPLES)))},
        check=False,
    )
    assert done.stdout == "[0, 1]\n", done.stderr
