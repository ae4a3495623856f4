"""What the README shows is run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.openai_server import KEY

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
# What the installed script does: unlike with -m, the current folder is not on its path.
INSTALLED = f"""
import sys
sys.path[:] = [{str(ROOT)!r}, *sys.path[1:]]
from unspoken.cli import main
main()
"""
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHELL = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)


def python(mark: str) -> str:
    """The README's block of Python that holds a mark."""
    return next(block for block in PYTHON if mark in block)


def test_the_training_loop_is_ten_lines_and_runs() -> None:
    loop = PYTHON[0]
    assert len([line for line in loop.splitlines() if line.strip()]) <= 10
    namespace: dict[str, object] = {}
    exec(compile(loop, "README.md", "exec"), namespace)
    assert not namespace["env"].agents


def command(mark: str, *more: str, cwd: Path = ROOT, **env: str) -> str:
    """Run the README's `unspoken` command that holds a mark; returns what it printed."""
    line = next(s for s in "".join(SHELL).splitlines() if mark in s and "unspoken" in s)
    done = subprocess.run(
        [sys.executable, "-c", INSTALLED, *line.partition("#")[0].split()[1:], *more],
        cwd=cwd,
        env=os.environ | env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_benchmark_of_a_language_model(openai_server, tmp_path) -> None:
    out = str(tmp_path / "run")
    server = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": openai_server.base_url}
    assert "openai:gpt-4.1" in command("openai:gpt-4.1", "--rounds", "1", "--out", out, **server)
    assert openai_server.requests
    assert "openai:gpt-4.1" in (tmp_path / "run" / "report.md").read_text()


def test_a_night_of_games_is_replayed_and_exported(openai_server, tmp_path) -> None:
    server = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": openai_server.base_url}
    prices = '[prices."gpt-4.1"]\ninput = 2.0\noutput = 8.0\n'
    (tmp_path / "prices.toml").write_text(prices)
    printed = command("--max-cost", "--rounds", "1", cwd=tmp_path, **server)
    assert "cost" in printed
    assert "all the same to the byte" in command("unspoken replay", cwd=tmp_path)
    assert "chats" in command("unspoken export", cwd=tmp_path)
    assert '"messages"' in (tmp_path / "night.jsonl").read_text()


def test_the_agent_of_ones_own_plays_in_a_tournament(tmp_path) -> None:
    package = tmp_path / "mylab"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "agents.py").write_text(python("class Sphinx"))
    command("mylab", "--rounds", "1", "--out", "run", cwd=tmp_path)
    assert "mylab.agents:Sphinx" in (tmp_path / "run" / "report.md").read_text()


def test_a_policy_is_trained_and_plays_in_a_tournament(tmp_path) -> None:
    pytest.importorskip("sb3_contrib")
    command("unspoken train", "--steps", "2048", "--games", "2", cwd=tmp_path)
    command("sb3:runs/seeker/policy.zip", "--rounds", "1", cwd=tmp_path)
    assert "sb3:" in (tmp_path / "runs" / "learnt" / "report.md").read_text()


def test_a_registered_environment_is_stepped() -> None:
    namespace: dict[str, object] = {}
    exec(compile(python("gymnasium.make("), "README.md", "exec"), namespace)
    assert namespace["terminated"] is False


def test_the_check_of_an_environment_runs() -> None:
    exec(compile(python("check_game("), "README.md", "exec"), {})


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / link).exists(), link


def test_there_are_two_commands_that_set_up_for_themselves() -> None:
    commands = [line for block in SHELL for line in block.splitlines() if "-m venv" in line]
    assert len(commands) == 2
    assert all(line.startswith("python3 -m venv") for line in commands)
