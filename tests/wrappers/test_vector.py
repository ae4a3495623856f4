"""The vector env keeps gymnasium's promises and plays the batch's games."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import (
    NormalizeObservation,
    RecordEpisodeStatistics,
    RescaleObservation,
)

from unspoken.envs.aidg_search.batch import ENDINGS, Batch
from unspoken.wrappers.vector import AidgSearchVectorEnv

MODES = (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP)


@pytest.fixture(params=MODES, ids=lambda mode: mode.value)
def envs(request):
    return AidgSearchVectorEnv(6, autoreset_mode=request.param, max_turns=5)


def legal(envs):
    """A legal action in each lane, by the mask."""
    return np.array(
        [np.random.default_rng(7).choice(np.flatnonzero(m)) for m in envs.action_masks()]
    )


def test_spaces_contain_what_is_given(envs):
    assert envs.observation_space.shape == (6, envs.single_observation_space.shape[0])
    assert envs.metadata["autoreset_mode"] in MODES
    observations, infos = envs.reset(seed=0)
    for _ in range(40):
        assert observations in envs.observation_space
        assert observations.dtype == np.float32
        assert infos["action_mask"].shape == (6, envs.single_action_space.n)
        assert infos["action_mask"].any(axis=1).all()
        actions = legal(envs)
        assert actions in envs.action_space
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert rewards.shape == terminations.shape == truncations.shape == (6,)
        assert rewards.dtype == np.float64
        assert terminations.dtype == truncations.dtype == bool
        assert not truncations.any()
        assert ((rewards != 0) == terminations).all()


def test_the_same_seed_gives_the_same_run(envs):
    runs = []
    for _ in range(2):
        run = [envs.reset(seed=5)]
        run += [envs.step(legal(envs)) for _ in range(20)]
        runs.append(run)
    assert data_equivalence(runs[0], runs[1])


def test_what_was_returned_is_not_changed_by_later_steps(envs):
    observations, infos = envs.reset(seed=1)
    kept = observations.copy(), infos["action_mask"].copy()
    for _ in range(12):
        before = envs.step(legal(envs))
        copies = [np.copy(part) for part in before[:4]]
        envs.step(legal(envs))
        for part, copy in zip(before[:4], copies, strict=True):
            np.testing.assert_array_equal(part, copy)
    np.testing.assert_array_equal(observations, kept[0])
    np.testing.assert_array_equal(infos["action_mask"], kept[1])


def test_a_step_is_a_step_of_the_batch_for_the_seeker():
    envs = AidgSearchVectorEnv(50, autoreset_mode="SameStep", reward="decay", holder_noise=0.1)
    batch = Batch(50, holder="table", reward="decay", holder_noise=0.1)
    envs.reset(seed=2)
    batch.reset(seed=2)
    for _ in range(30):
        seen = batch.features()
        actions = batch.sample()
        observations, rewards, terminations, _, infos = envs.step(actions)
        batch.step(actions)
        np.testing.assert_array_equal(observations, batch.features())
        np.testing.assert_array_equal(rewards, batch.rewards[:, 0])
        np.testing.assert_array_equal(terminations, batch.done)
        np.testing.assert_array_equal(infos["action_mask"], batch.masks == 1)
        over = np.flatnonzero(terminations)
        assert (infos["_final_obs"] == terminations).all() if len(over) else True
        for lane in over:
            np.testing.assert_array_equal(infos["final_obs"][lane], seen[lane])
            won = ENDINGS[infos["ending"][lane]] == "correct_lock"
            assert won == (rewards[lane] > 0)


def test_next_step_shows_the_end_and_ignores_the_next_action():
    envs = AidgSearchVectorEnv(1, autoreset_mode="NextStep", max_turns=2)
    envs.reset(seed=0)
    shown, *_ = envs.step(np.array([0]))
    lock = np.array([envs.single_action_space.n - 1])
    last, _, terminations, _, infos = envs.step(lock)
    assert terminations.all()
    assert infos["action_mask"].all()
    np.testing.assert_array_equal(last, shown)
    first, rewards, terminations, _, _ = envs.step(lock)
    assert rewards[0] == 0
    assert not terminations[0]
    np.testing.assert_allclose(first[0, :-2], 0.01)


@pytest.mark.parametrize("mode", MODES)
def test_gymnasiums_own_wrappers_take_it(mode):
    inner = AidgSearchVectorEnv(4, autoreset_mode=mode, max_turns=3)
    envs = RecordEpisodeStatistics(inner)
    if mode is AutoresetMode.NEXT_STEP:  # the only one that gymnasium's observation wrappers take
        envs = NormalizeObservation(RescaleObservation(envs, min_obs=-1, max_obs=1))
    envs.reset(seed=0)
    lengths = []
    for _ in range(30):
        *_, infos = envs.step(inner.batch.sample("ask"))
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    assert set(lengths) == {3}


def test_make_vec_makes_it():
    gymnasium.register(
        "unspoken-test/Search-v0", vector_entry_point="unspoken.wrappers.vector:AidgSearchVectorEnv"
    )
    envs = gymnasium.make_vec("unspoken-test/Search-v0", num_envs=3, words=["chair", "eagle"])
    observations, _ = envs.reset(seed=0)
    assert observations.shape == (3, 4)
    assert envs.spec.id == "unspoken-test/Search-v0"
    envs.close()


def test_texts_come_on_request():
    envs = AidgSearchVectorEnv(2, render_mode="ansi")
    envs.reset(seed=0)
    envs.step(np.array([0, 1]))
    assert [text.count("Seeker (turn 1)") for text in envs.render()] == [1, 1]
    silent = AidgSearchVectorEnv(2)
    silent.reset(seed=0)
    assert silent.render() is None


def test_modes_it_has_not_are_refused():
    with pytest.raises(ValueError, match="autoreset_mode"):
        AidgSearchVectorEnv(2, autoreset_mode=AutoresetMode.DISABLED)
    with pytest.raises(ValueError, match="render_mode"):
        AidgSearchVectorEnv(2, render_mode="human")
