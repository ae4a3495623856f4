from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace

import numpy as np
import pytest

from unspoken.agents.specs import make_agent
from unspoken.envs.registry import game

pytest.importorskip("sb3_contrib")

from unspoken.training import choices, learn
from unspoken.training.batch import DialogueVecEnv, SearchVecEnv
from unspoken.training.evaluation import measure
from unspoken.training.tasks import Task
from unspoken.wrappers.single import SingleAgent

WORDS = ["tiger", "table", "river", "hammer", "bread", "rocket"]
TOY = Task(
    "aidg_search",
    "seeker",
    ("table",),
    steps=6144,
    leg=2048,
    envs=64,
    scorer="linear",
    hidden=(8,),
    options={"words": WORDS, "max_turns": 5},
    ppo={"n_steps": 16, "batch_size": 256, "n_epochs": 4, "learning_rate": 1e-2, "gamma": 1.0},
)


@pytest.fixture(scope="module", autouse=True)
def few_games():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learn, "CURVE_GAMES", 40)
        yield


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    folder = tmp_path_factory.mktemp("learnt")
    return folder, learn.train(TOY, folder, seed=1, games=0)


def weights(file):
    from unspoken.agents.sb3 import load

    return load(file)[0].state_dict()


def same(one, other):
    return one.keys() == other.keys() and all(bool((one[k] == other[k]).all()) for k in one)


def test_a_short_training_beats_random(learnt):
    folder, learning = learnt
    chance = measure(
        TOY.spec, "seeker", make_agent("random", "aidg_search"), ["table"], games=200, seed=9
    )
    assert learning["curve"][-1]["wins"] > chance.wins + 0.2
    assert [point["steps"] for point in learning["curve"]] == [2048, 4096, 6144]
    assert json.loads((folder / "learning.json").read_text()) == learning


def test_the_same_seed_gives_the_same_weights_and_another_others(learnt, tmp_path):
    short = replace(TOY, steps=2048)
    learn.train(short, tmp_path / "same", seed=1, games=0)
    learn.train(short, tmp_path / "other", seed=2, games=0)
    first = weights(learnt[0] / "checkpoint_001.zip")
    assert same(first, weights(tmp_path / "same" / "policy.zip"))
    assert not same(first, weights(tmp_path / "other" / "policy.zip"))


def test_a_run_that_is_gone_on_with_ends_like_one_that_was_not_stopped(
    learnt, tmp_path, monkeypatch
):
    folder, learning = learnt

    def stop(file, data):
        real(file, data)
        if len(data.get("curve", ())) == 2:
            raise KeyboardInterrupt

    real = learn.write
    monkeypatch.setattr(learn, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        learn.train(TOY, tmp_path, seed=1, games=0)
    monkeypatch.setattr(learn, "write", real)
    resumed = learn.train(TOY, tmp_path, seed=1, resume=True, games=0)
    assert same(weights(folder / "policy.zip"), weights(tmp_path / "policy.zip"))
    untimed = [
        [{k: v for k, v in point.items() if k != "seconds"} for point in run["curve"]]
        for run in (learning, resumed)
    ]
    assert untimed[0] == untimed[1]


def test_the_policy_is_the_best_leg_of_the_curve_and_of_equal_ones_the_last(
    learnt, tmp_path, monkeypatch
):
    folder, learning = learnt
    scores = [point["score"] for point in learning["curve"]]
    assert learning["leg"] == max(range(3), key=lambda leg: (scores[leg], leg)) + 1
    for faked, leg in (([0.5, 0.9, 0.9], 3), ([0.5, 0.9, 0.8], 2)):
        run = tmp_path / str(leg)
        shutil.copytree(folder, run)
        data = json.loads((run / "learning.json").read_text())
        for point, score in zip(data["curve"], faked, strict=True):
            point["score"] = score
        learn.write(run / "learning.json", data)
        assert learn.train(TOY, run, seed=1, resume=True, games=0)["leg"] == leg
        best = weights(run / f"checkpoint_00{leg}.zip")
        assert same(best, weights(run / "policy.zip"))


def test_a_slim_policy_plays_as_the_whole_one(learnt, tmp_path):
    learn.slim(learnt[0] / "policy.zip", tmp_path / "slim.zip")
    assert same(weights(learnt[0] / "policy.zip"), weights(tmp_path / "slim.zip"))
    assert os.path.getsize(tmp_path / "slim.zip") < os.path.getsize(learnt[0] / "policy.zip") / 4


def test_a_folder_that_holds_a_run_is_not_written_over(learnt):
    with pytest.raises(ValueError, match="--resume"):
        learn.train(TOY, learnt[0], seed=1, games=0)
    with pytest.raises(ValueError, match="another run"):
        learn.train(TOY, learnt[0], seed=2, resume=True, games=0)


@pytest.mark.parametrize("view", ["options", "features"])
def test_a_batch_shows_what_single_games_show(view):
    spec = game("aidg_search").with_options(words=WORDS, max_turns=4)
    lanes = SearchVecEnv(spec, 3, view)
    lanes.seed(5)
    seen = lanes.reset()
    chance = np.random.default_rng(0)
    singles = [
        choices.Seat(SingleAgent(spec, "seeker", "table", observation="text"), view)
        for _ in range(3)
    ]
    for lane, single in enumerate(singles):
        np.testing.assert_allclose(seen[lane], single.reset(seed=5 + lane)[0], atol=1e-5)
    certain = np.flatnonzero(
        (lanes._batch._env.ontology.table[_places(spec)].max(axis=-1) == 1).all(0)
    )
    for _ in range(3):  # both holders say the same only where nothing is drawn
        actions = chance.choice(certain, 3)
        seen, rewards, done, _ = lanes.step(actions)
        assert not rewards.any()
        assert not done.any()
        for lane, single in enumerate(singles):
            one = single.step(int(actions[lane]))[0]
            np.testing.assert_allclose(seen[lane], one, atol=1e-4)
            assert (lanes.env_method("action_masks")[lane] == single.action_masks()).all()


def _places(spec):
    words = spec.env().ontology.words
    return [i for i, word in enumerate(words) if word in WORDS]


@pytest.mark.parametrize(
    ("options", "view"),
    [
        ({}, "options"),
        ({}, "features"),
        ({"mode": "B"}, "options"),
        ({"max_refusals": 2, "max_turns": 6}, "options"),
    ],
)
def test_a_batch_of_dialogues_shows_what_single_games_show(options, view):
    spec = game("aidg_dialogue").with_options(**options)
    lanes = DialogueVecEnv(spec, 3, view, slip=0)  # else replies are as likely, not the same
    lanes.seed(5)
    seen = lanes.reset()
    chance, on = np.random.default_rng(0), set(range(3))
    singles = [
        choices.Seat(SingleAgent(spec, "seeker", "rules?slip=0", observation="text"), view)
        for _ in on
    ]
    for lane, single in enumerate(singles):
        np.testing.assert_allclose(seen[lane], single.reset(seed=5 + lane)[0], atol=1e-5)
    for _ in range(10):
        actions = np.array(
            [chance.choice(np.flatnonzero(m)) for m in lanes.env_method("action_masks")]
        )
        seen, rewards, done, _ = lanes.step(actions)
        for lane in sorted(on):
            one, reward, over, _, _ = singles[lane].step(int(actions[lane]))
            assert (reward, over) == (rewards[lane], done[lane])
            if over:
                on.remove(lane)
            else:
                np.testing.assert_allclose(seen[lane], one, atol=1e-5)
    assert not on


def test_a_batch_is_taken_where_there_is_one():
    seeker = Task("aidg_dialogue", "seeker", ("rules",), envs=2)
    assert isinstance(learn.make_env(seeker), DialogueVecEnv)
    for changed in (
        {"opponents": ("rules", "vague")},
        {"options": {"facts": 2}},
        {"options": {"on_seeker_violation": "flag"}},
    ):
        assert not isinstance(learn.make_env(replace(seeker, **changed)), DialogueVecEnv)


def test_games_without_a_batch_are_played_one_by_one():
    task = Task("cross_examination", "witness", ("rules",), envs=2)
    env = learn.make_env(task)
    assert env.num_envs == 2
    assert env.reset().shape == (2, choices.space(task.spec, "witness", "options").shape[0])


def test_tensorboard_gets_the_curve_where_it_is_installed(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    learning = learn.train(replace(TOY, steps=2048), tmp_path, seed=1, games=0)
    (folder,) = (tmp_path / "tensorboard").iterdir()
    found = accumulator.EventAccumulator(str(folder)).Reload()
    (point,) = found.Scalars("curve/score")
    assert point.step == 2048
    assert point.value == pytest.approx(learning["curve"][0]["score"])
    assert found.Scalars("rollout/ep_rew_mean")
