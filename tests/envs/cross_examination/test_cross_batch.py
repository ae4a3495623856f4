"""Batched examinations are the env's own games."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from unspoken.envs import cross_examination_v0
from unspoken.envs.cross_examination.batch import AGENTS, ENDINGS, Batch
from unspoken.envs.cross_examination.features import features


def steps(batch, n):
    """Random legal moves, and what the batch said before and after each."""
    rows = []
    for _ in range(n):
        before = (batch.to_move, batch.cases, batch.held, batch.said, batch.turns, batch.standing)
        before = [array.copy() for array in (*before, batch.masks, batch.features())]
        actions = batch.sample()
        batch.step(actions)
        after = (batch.rewards, batch.ending, batch.scores, batch.ended_turns, batch.ended_standing)
        rows.append((*before, actions, *(array.copy() for array in after)))
    return rows


@pytest.mark.parametrize(
    ("lanes", "games", "options"),
    [
        (100, 1000, {}),
        (50, 300, {"jury": "model", "exhibits": None}),
        (50, 300, {"max_turns": 40, "exhibits": 1, "reward": "standing", "threshold": -0.4}),
        (50, 300, {"case": "missing_piece", "max_turns": 1}),
        (20, 40, {"exhibits": 0, "max_turns": 100}),
    ],
    ids=str,
)
def test_games_are_the_envs_move_for_move(lanes, games, options):
    batch = Batch(lanes, **options)
    batch.reset(seed=21)
    rows, finished = [], 0
    while finished < games:
        new = steps(batch, 20)
        finished += sum(int((row[-4] >= 0).sum()) for row in new)
        rows += new
    env, played, seen = cross_examination_v0.raw_env(**options), 0, set()
    roles = ("questioner", "witness")
    for lane in range(lanes):
        env.reset(seed=21 + lane)
        for row in rows:
            to_move, case, held, said, turns, standing, mask, numbers, action, *after = (
                array[lane] for array in row
            )
            game = env._game
            assert env.agent_selection == AGENTS[to_move]
            assert game.case.id == batch.case_names[case]
            assert game.exhibits == tuple(np.flatnonzero(held))
            stands = {stance.fact: 1 if stance.value else -1 for stance in game.record}
            assert said.tolist() == [stands.get(f, 0) for f in range(len(said))]
            assert len(game.turns) == turns
            assert game.account.standing == standing
            assert env.observe(env.agent_selection)["action_mask"].tolist() == mask.tolist()
            own = features(game, roles[to_move], len(said))
            np.testing.assert_allclose(own, numbers, rtol=0, atol=1e-6)
            before = len(game.turns)
            env.step(int(action))
            rewards, ending, scores, ended_turns, ended_standing = after
            assert [env.rewards[agent] for agent in AGENTS] == rewards.tolist()
            account = game.account
            answered = len(game.turns) > before
            assert scores.tolist() == ([account.bat, account.pat] if answered else [0, 0])
            if ending < 0:
                assert env.result is None
            else:
                seen.add(ENDINGS[ending])
                assert env.result.outcome == ENDINGS[ending]
                assert env.result.turn == ended_turns
                assert account.standing == ended_standing
                played += 1
                env.reset()
    assert played >= games
    assert seen == set(ENDINGS) or "threshold" not in options


def test_texts_are_what_the_env_shows():
    batch = Batch(20)
    batch.reset(seed=3)
    envs = [cross_examination_v0.raw_env() for _ in range(20)]
    for lane, env in enumerate(envs):
        env.reset(seed=3 + lane)
    for _ in range(40):
        actions = batch.sample()
        batch.step(actions)
        for env, action in zip(envs, actions.tolist(), strict=True):
            env.step(action)
            if env.result is not None:
                env.reset()
        for agent in AGENTS:
            assert batch.texts(agent) == tuple(env.observe(agent)["observation"] for env in envs)


def test_random_moves_are_uniform_over_what_is_legal():
    batch = Batch(20_000, case="missing_piece")
    batch.reset(seed=0)
    counts = np.bincount(batch.sample(), minlength=batch.masks.shape[1])
    legal = batch.masks[0] == 1
    assert (batch.masks == batch.masks[0]).all()
    assert not counts[~legal].any()
    assert counts[legal] / 20_000 == pytest.approx(1 / legal.sum(), abs=0.01)


def test_what_is_not_legal_is_refused_and_changes_nothing():
    batch = Batch(2)
    with pytest.raises(ResetNeeded):
        batch.step([0, 0])
    batch.reset(seed=1)
    before = batch.features()
    with pytest.raises(ValueError, match="action 2 in lane 1: questioner_0 takes 0, 3, "):
        batch.step([0, 2])
    with pytest.raises(ValueError, match="action -1 in lane 0"):
        batch.step([-1, 0])
    assert (batch.features() == before).all()
    batch.step([0, 0])
    with pytest.raises(ValueError, match="lane 0: witness_0 takes 0, 1, 2, 3, "):
        batch.step([40, 0])
    with pytest.raises(ValueError, match="threshold"):
        Batch(1, threshold=2)
    with pytest.raises(ValueError, match="agent"):
        batch.texts("jury")
