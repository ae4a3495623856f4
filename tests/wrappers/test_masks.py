"""Numbers and masks where each library looks for them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from unspoken.agents import features
from unspoken.envs.registry import game, games, role_of
from unspoken.wrappers.masks import FeaturesEnv, RLlibEnv

QUIET = pytest.mark.filterwarnings("ignore::UserWarning")
OFTEN = 60
"""Steps of PettingZoo's tests: more than a game of each kind has."""


def legal(env, rng) -> int:
    return int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"])))


@pytest.mark.parametrize("name", games())
def test_all_seats_have_one_action_space(name) -> None:
    env = game(name).env()
    first, *others = map(env.action_space, env.possible_agents)
    assert all(other == first for other in others)
    assert first.n == max(len(env.menu(agent)) for agent in env.possible_agents)


@QUIET
@pytest.mark.parametrize("name", games())
def test_pettingzoo_accepts_it(name) -> None:
    api_test(FeaturesEnv(name), num_cycles=OFTEN)
    seed_test(lambda: FeaturesEnv(name), num_cycles=OFTEN)
    parallel_api_test(turn_based_aec_to_parallel(FeaturesEnv(name)), num_cycles=OFTEN)


@pytest.mark.parametrize("kind", [FeaturesEnv, RLlibEnv])
@pytest.mark.parametrize("name", games())
def test_all_agents_see_the_same_space_at_any_time(name, kind) -> None:
    env, rng = kind(name), np.random.default_rng(0)
    spaces = {agent: env.observation_space(agent) for agent in env.possible_agents}
    assert len({str(space) for space in spaces.values()}) == 1
    env.reset(seed=0)
    while env.agents:
        for agent in env.possible_agents:  # also those that have left
            assert env.observe(agent) in spaces[agent]
            assert env.observation_space(agent) is spaces[agent]
        over = env.terminations[env.agent_selection]
        env.step(None if over else legal(env, rng))
    assert all(env.observe(agent) in spaces[agent] for agent in env.possible_agents)


def test_observations_are_features_padded_with_zeros() -> None:
    spec = game("aidg_search").with_options(max_turns=5)
    env = FeaturesEnv("aidg_search", max_turns=5)
    env.reset(seed=0)
    env.step(3)
    for agent in env.possible_agents:
        own = features.encode(spec, role_of(agent), env.unwrapped.infos[agent])
        seen = env.observe(agent)["observation"]
        np.testing.assert_array_equal(seen[: len(own)], own)
        assert not seen[len(own) :].any()


def test_masks_are_zero_off_turn_but_where_that_is_not_wanted() -> None:
    plain, everybody = FeaturesEnv("sneak"), FeaturesEnv("sneak", nonzero_mask=True)
    for env in (plain, everybody):
        env.reset(seed=0)
    assert not plain.observe("ally_0")["action_mask"].any()
    assert everybody.observe("ally_0")["action_mask"].all()
    mask = plain.observe("speaker_0")["action_mask"]
    np.testing.assert_array_equal(mask, plain.infos["speaker_0"]["action_mask"])
    np.testing.assert_array_equal(mask, plain.unwrapped.infos["speaker_0"]["action_mask"])
    mask[:] = 0
    assert plain.observe("speaker_0")["action_mask"].any()


def test_rllib_finds_its_keys_and_a_mask_that_is_never_zero() -> None:
    env, rng = RLlibEnv("cross_examination", max_turns=2), np.random.default_rng(0)
    env.reset(seed=0)
    while env.agents:
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert list(seen) == ["observations", "action_mask"]
            assert seen["action_mask"].dtype == np.float32
            assert seen["action_mask"].any()
        mask = env.infos[env.agent_selection]["action_mask"]
        if env.terminations[env.agent_selection]:
            env.step(None)
        else:
            np.testing.assert_array_equal(env.last()[0]["action_mask"], mask)
            env.step(legal(env, rng))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
@pytest.mark.parametrize("name", games())
def test_a_copy_in_mid_game_goes_on_alike(name, copied) -> None:
    env, rng = FeaturesEnv(name), np.random.default_rng(0)
    env.reset(seed=0)
    env.step(legal(env, rng))
    twin = copied(env)
    for _ in range(3):
        if env.terminations[env.agent_selection]:
            break
        action = legal(env, rng)
        for one in (env, twin):
            one.step(action)
        for agent in env.possible_agents:
            one, other = (e.observe(agent)["observation"] for e in (env, twin))
            np.testing.assert_array_equal(one, other)


def test_it_is_a_menu_game() -> None:
    assert FeaturesEnv(game("sneak").with_options(utterances="free")).unwrapped.utterances == "menu"
