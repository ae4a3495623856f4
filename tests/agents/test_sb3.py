from __future__ import annotations

import copy
import json
import pickle
import zipfile

import numpy as np
import pytest

from unspoken.envs.registry import game

pytest.importorskip("sb3_contrib")

from unspoken.agents.sb3 import SB3Agent
from unspoken.training import choices, learn
from unspoken.training.evaluation import measure
from unspoken.training.tasks import Task

SPEC = game("cross_examination")
TASK = Task(SPEC.name, "witness", ("rules",), envs=2, hidden=(8,))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    where = tmp_path_factory.mktemp("policy") / "policy.zip"
    env = learn.make_env(TASK)
    model = learn.new(TASK, env, where.parent, 0)
    learn.save(model, TASK, where)
    return where


def game_of(agent, seed=0):
    return measure(SPEC, "witness", agent, ["rules"], games=3, seed=seed)


def test_it_plays_the_same_games_from_the_file_copied_and_pickled(file):
    agent = SB3Agent(str(file))
    assert agent.name == f"sb3:{file}"
    first = game_of(agent)
    assert game_of(copy.deepcopy(agent)) == first
    assert game_of(pickle.loads(pickle.dumps(agent))) == first


def test_moves_are_legal_and_the_likeliest_or_drawn_by_the_agents_seed(file):
    likeliest, drawn = SB3Agent(str(file)), SB3Agent(str(file), stochastic=True)
    env = SPEC.env()
    env.reset(seed=1)
    env.step(int(np.flatnonzero(env.observe("questioner_0")["action_mask"])[0]))
    observation, _, _, _, info = env.last()
    found = {}
    for name, agent in (("likeliest", likeliest), ("drawn", drawn)):
        found[name] = []
        for seed in (*range(20), *range(20)):
            agent.reset("witness", SPEC, seed)
            found[name].append(agent.act(observation, info))
        assert observation["action_mask"][found[name]].all()
        assert found[name][:20] == found[name][20:]
    assert len(set(found["likeliest"])) == 1
    assert len(set(found["drawn"])) > 1  # an untrained policy is nearly uniform


def test_it_says_what_it_cannot_play(file):
    agent = SB3Agent(str(file))
    assert agent.roles == {"witness"}
    with pytest.raises(ValueError, match="plays witness of cross_examination_v0, not questioner"):
        agent.reset("questioner", SPEC, 0)
    with pytest.raises(ValueError, match="not seeker of aidg_search_v0"):
        agent.reset("seeker", game("aidg_search"), 0)


def changed(file, folder, **about):
    """The policy with another description, or with none."""
    new = folder / "changed.zip"
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(new, "w") as bundle:
        for name in old.namelist():
            data = old.read(name)
            if name == learn.DESCRIPTION:
                if not about:
                    continue
                data = json.dumps(json.loads(data) | about).encode()
            bundle.writestr(name, data)
    return str(new)


def test_a_policy_of_other_sizes_is_refused_with_the_sizes(file, tmp_path):
    agent = SB3Agent(str(file))
    agent._about = agent._about | {"actions": 5}
    with pytest.raises(ValueError, match="and 5 actions; with these options"):
        agent.reset("witness", SPEC, 0)


def test_other_files_are_refused(file, tmp_path):
    with pytest.raises(FileNotFoundError):
        SB3Agent(str(tmp_path / "none.zip"))
    with pytest.raises(ValueError, match="is no policy that `unspoken train` has made"):
        SB3Agent(changed(file, tmp_path))
    (tmp_path / "text.zip").write_text("no zip")
    with pytest.raises(ValueError, match="is no policy"):
        SB3Agent(str(tmp_path / "text.zip"))
    with pytest.raises(ValueError, match="version 0 of the numbers"):
        SB3Agent(changed(file, tmp_path, choices=0))
    assert choices.VERSION != 0
