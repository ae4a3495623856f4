from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile

import pytest

from unspoken.agents import rl, specs
from unspoken.agents.sb3 import SB3Agent
from unspoken.agents.specs import SpecError, defaults, make_agent
from unspoken.envs.registry import game, games

pytest.importorskip("sb3_contrib")

PLAY = """
import json, sqlite3, sys
from pathlib import Path
from unspoken.benchmarks import tournament
from unspoken.envs.registry import game
folder = Path(sys.argv[1])
tournament.run(game("aidg_dialogue"), ["rl", "rules"], folder, rounds=1, seed=4, limit=4)
found = sqlite3.connect(folder / "run.sqlite")
print(json.dumps([found.execute(f"SELECT * FROM {t} ORDER BY 1, 2").fetchall()
                  for t in ("moves", "ratings")]))
"""


def test_nothing_heavy_comes_in_where_it_does_not_play():
    code = (
        "import sys; from unspoken.agents import rl; rl.EXTRA = ('no_such_module',);"
        "from unspoken.agents.specs import defaults, make_agents;"
        "from unspoken.envs.registry import games;"
        "[make_agents(defaults(spec)[0], name) for name, spec in games().items()];"
        "print([m for m in ('torch', 'stable_baselines3', 'sb3_contrib') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


@pytest.mark.parametrize("name", [name for name in games() if rl.shipped(name)])
def test_a_policy_that_comes_with_the_package_fits_its_game_and_plays_it_to_the_end(name):
    agent, spec = make_agent("rl", name), game(name)
    assert agent.roles == set(rl.shipped(name))
    for role, path in rl.shipped(name).items():
        with zipfile.ZipFile(path) as bundle:  # weights alone, and small
            assert bundle.namelist() == ["unspoken.json", "policy.pth"]
            about = json.loads(bundle.read("unspoken.json"))
        assert (about["game"], about["role"]) == (name, role)
        assert os.path.getsize(path) < 100_000
        env = spec.env()
        env.reset(seed=1)
        others = make_agent("random", name)
        while env.result is None:
            seat = env.agent_selection
            player = agent if seat.startswith(role) else others
            player.reset(seat.rpartition("_")[0], spec, 2)
            observation, _, _, _, info = env.last()
            env.step(player.act(observation, info))
        assert env.result.winner is not None


def test_other_roles_and_games_without_a_policy_are_refused(monkeypatch):
    agent = make_agent("rl", "aidg_search")
    with pytest.raises(ValueError, match="rl plays aidg_search as seeker, not aidg_search as hold"):
        agent.reset("holder", game("aidg_search"), 0)
    with pytest.raises(ValueError, match="rl plays aidg_search as seeker, not cross_examination"):
        agent.reset("witness", game("cross_examination"), 0)
    monkeypatch.setattr(rl, "FOLDER", rl.FOLDER / "none")
    with pytest.raises(SpecError, match="no policy for sneak comes with the package"):
        make_agent("rl", "sneak")
    assert defaults(game("sneak")) == (list(specs.DEFAULTS["sneak"]), "")


def test_where_it_cannot_play_it_is_left_out_in_a_line(monkeypatch):
    spec, scripted = game("aidg_search"), list(specs.DEFAULTS["aidg_search"])
    assert defaults(spec) == ([*scripted, "rl"], "")
    with monkeypatch.context() as other_sizes:
        other_sizes.setattr(SB3Agent, "_sizes", lambda agent, spec: (2, 3))
        names, said = defaults(spec)
    assert names == scripted
    assert said.startswith("aidg_search: rl is left out: rl was trained for 1409 numbers and 281")
    monkeypatch.setattr(rl, "EXTRA", ("json", "no_such_module"))
    names, said = defaults(spec)
    assert names == scripted
    assert said == "rl is left out: it needs the extra, pip install 'unspoken[rl]'"


@pytest.mark.slow
def test_the_same_seed_gives_the_same_games_in_other_processes(tmp_path):
    said = []
    for run in ("1", "2"):
        command = [sys.executable, "-W", "ignore", "-c", PLAY, str(tmp_path / run)]
        env = {**os.environ, "PYTHONHASHSEED": run, "OMP_NUM_THREADS": run}
        found = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
        said.append(found.stdout)
    assert json.loads(said[0])[0]
    assert said[0] == said[1]
