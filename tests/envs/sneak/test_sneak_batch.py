"""Batched games are the env's own games."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from unspoken.envs import sneak_v0
from unspoken.envs.sneak.batch import AGENTS, ENDINGS, Batch

FILE = """
[[category]]
name = "bird"
kind = "concrete"
words = ["owl", "duck", "raven"]
decoys = ["wing", "egg"]

[[category]]
name = "tool"
kind = "concrete"
words = ["hammer", "saw", "drill", "wrench", "file"]
decoys = ["garage"]
"""


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "categories.toml"
    path.write_text(FILE)
    return path


def pointed(batch, rng):
    """Legal actions; listeners are right about half of the time."""
    actions = batch.sample()
    lanes = np.arange(batch.num_envs)
    own = (batch.heard == batch.messages[:, None]).argmax(axis=1)
    right = np.where(batch.to_move == AGENTS.index("ally_0"), own, batch.secrets)
    know = (batch.to_move > 0) & (rng.random(len(lanes)) < 0.5)
    actions[know] = right[know]
    return actions


def test_ten_thousand_games_are_the_envs_move_for_move():
    lanes, games = 500, 20
    batch = Batch(lanes)
    batch.reset(seed=5)
    rng, rows = np.random.default_rng(0), []
    for _ in range(3 * games):
        before = (batch.to_move, batch.instances, batch.cards, batch.secrets, batch.heard)
        before = [array.copy() for array in (*before, batch.messages, batch.masks)]
        actions = pointed(batch, rng)
        batch.step(actions)
        after = (batch.rewards, batch.ending, batch.ended_instances, batch.ended_messages)
        rows.append((*before, actions, *(array.copy() for array in after)))
    env, seen = sneak_v0.raw_env(), set()
    for lane in range(lanes):
        env.reset(seed=5 + lane)
        for row in rows:
            to_move, instance, card, secret, heard, message, mask, action, *after = (
                array[lane] for array in row
            )
            assert env.agent_selection == AGENTS[to_move]
            assert env.instance.id == batch.instance_names[instance]
            words = tuple(batch.phrases[n] for n in card if n >= 0)
            assert env.instance.words == words
            assert words[secret] == env.secret
            shown = tuple(batch.phrases[n] for n in heard if n >= 0)
            assert env._heard == shown
            assert env._message == ("" if message < 0 else batch.phrases[message])
            observation, *_ = env.last()
            assert observation["action_mask"].tobytes() == mask.tobytes()
            env.step(int(action))
            rewards, ending, ended_instance, ended_message = after
            assert [env.rewards[agent] for agent in AGENTS] == rewards.tolist()
            if ending < 0:
                assert env.result is None
            else:
                seen.add(ENDINGS[ending])
                assert env.result.outcome == ENDINGS[ending]
                assert env.instance.id == batch.instance_names[ended_instance]
                assert env._message == batch.phrases[ended_message]
                env.reset()
    assert seen == set(ENDINGS)


def test_texts_are_what_the_env_shows(small):
    batch = Batch(30, categories=small)
    batch.reset(seed=3)
    envs = [sneak_v0.raw_env(categories=small) for _ in range(30)]
    for lane, env in enumerate(envs):
        env.reset(seed=3 + lane)
    for _ in range(12):
        actions = batch.sample()
        batch.step(actions)
        for env, action in zip(envs, actions.tolist(), strict=True):
            env.step(action)
            if env.result is not None:
                env.reset()
        for agent in AGENTS:
            assert batch.texts(agent) == tuple(env.observe(agent)["observation"] for env in envs)


def test_random_moves_are_uniform_over_what_is_legal(small):
    batch = Batch(20_000, categories=small)
    batch.reset(seed=0)
    said = batch.sample()
    assert batch.masks[np.arange(20_000), said].all()
    assert len(np.unique(said)) > 0.99 * batch.masks.any(axis=0).sum()
    batch.step(said)
    drills = np.array([name == "bird/owl" for name in batch.instance_names])[batch.instances]
    counts = np.bincount(batch.sample()[drills], minlength=3)
    assert counts / drills.sum() == pytest.approx(1 / 3, abs=0.04)


def test_lanes_can_be_seeded_anew_one_by_one(small):
    batch, other = Batch(2, categories=small), Batch(1, categories=small)
    batch.reset(seed=[4, 9])
    batch.step(batch.sample())
    batch.reset(seed=[None, 4])
    other.reset(seed=4)
    assert batch.cards[1].tolist() == other.cards[0].tolist()


def test_what_is_not_legal_is_refused_and_changes_nothing(small):
    batch = Batch(2, categories=small)
    with pytest.raises(ResetNeeded):
        batch.step([0, 0])
    batch.reset(seed=1)
    refused = int(np.flatnonzero(batch.masks[1] == 0)[0])
    fine = int(np.flatnonzero(batch.masks[0])[0])
    before = batch.masks.copy()
    with pytest.raises(ValueError, match=r"lane 1: '.*' gives away the secret of (bird|tool)/"):
        batch.step([fine, refused])
    with pytest.raises(ValueError, match=f"0 to {before.shape[1] - 1}"):
        batch.step([fine, -1])
    assert (batch.masks == before).all()
    batch.step(batch.sample())
    with pytest.raises(ValueError, match="lane 0: ally_0 takes 0 to "):
        batch.step([6, 0])
    with pytest.raises(ValueError, match="agent"):
        batch.texts("nobody")
    with pytest.raises(ValueError, match="num_envs"):
        Batch(0)
