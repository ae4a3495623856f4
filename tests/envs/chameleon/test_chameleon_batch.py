"""Batched games are the env's own games."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from unspoken.envs import chameleon_v0
from unspoken.envs.chameleon.batch import ENDINGS, PHASES, Batch
from unspoken.envs.chameleon.menu import places
from unspoken.envs.chameleon.rules import TIES
from unspoken.lexicon.vectors import vocabulary


def pointed(batch, rng):
    """Legal moves; many votes find the chameleon, and some guesses the word."""
    actions = batch.sample()
    spans = places(batch.rewards.shape[1], 0)
    lanes = np.arange(batch.num_envs)
    vote = spans.vote.start + batch.chameleons
    guess = spans.guess.start + batch._rules.secrets[batch.instances]
    wanted = np.where(batch.phase == PHASES.index("vote"), vote, guess)
    legal = (batch.phase >= PHASES.index("vote")) & (batch.masks[lanes, wanted] == 1)
    legal &= rng.random(len(lanes)) < 0.4
    actions[legal] = wanted[legal]
    return actions


@pytest.mark.parametrize(
    ("games", "options"),
    [
        (1000, {}),
        (500, {"players": 3, "tie": "revote", "discussion": 2}),
        (500, {"players": 6, "tie": "random", "clue_rounds": 2, "repeats": True}),
        (300, {"players": 8, "tie": "revote", "clue_rounds": 3, "discussion": 1}),
    ],
    ids=str,
)
def test_games_are_the_envs_move_for_move(games, options):
    lanes = 100
    batch = Batch(lanes, **options)
    batch.reset(seed=2)
    rng, rows, finished = np.random.default_rng(0), [], 0
    while finished < games:
        before = (batch.to_move, batch.phase, batch.turn, batch.instances, batch.chameleons)
        before += (batch.clues, batch.talk, batch.votes, batch.accused, batch.masks)
        before = [array.copy() for array in before]
        actions = pointed(batch, rng)
        batch.step(actions)
        finished += int(batch.done.sum())
        after = (batch.rewards, batch.ending, batch.ended_turn)
        after += (batch.ended_instances, batch.ended_chameleons)
        rows.append((*before, actions, *(array.copy() for array in after)))
    env, played, seen, words = chameleon_v0.raw_env(**options), 0, set(), vocabulary()
    agents = env.possible_agents
    for lane in range(lanes):
        env.reset(seed=2 + lane)
        for row in rows:
            to_move, phase, turn, instance, chameleon, clues, talk, votes, accused, mask, *rest = (
                array[lane] for array in row
            )
            action, rewards, ending, ended_turn, ended_instance, ended_chameleon = rest
            game = env._game
            assert env.agent_selection == agents[to_move]
            assert (game.phase, game.turn) == (PHASES[phase], turn)
            assert env.instance.id == batch.instance_names[instance]
            assert game.chameleon == agents[chameleon]
            said = {(m.turn, m.role): m for m in env.history if m.role in agents}
            for r, spoken in enumerate((*clues, *talk)):
                for seat, what in enumerate(spoken):
                    line = said.get((r + 1, agents[seat]))
                    assert (line is None) == (what < 0)
                    if line is not None:
                        assert line.action == (what if r < len(clues) else what + len(words))
            opened = [
                (player, agents[ballot[agents.index(player)]])
                for ballot in votes
                if ballot[0] >= 0
                for player in game.players
            ]
            assert list(game.votes) == opened
            assert game.accused == (None if accused < 0 else agents[accused])
            observation, *_ = env.last()
            assert observation["action_mask"].tobytes() == mask.tobytes()
            env.step(int(action))
            assert [env.rewards[agent] for agent in agents] == rewards.tolist()
            if ending < 0:
                assert env.result is None
            else:
                seen.add(ENDINGS[ending])
                assert env.result.outcome == ENDINGS[ending]
                assert env.result.turn == ended_turn
                assert env.instance.id == batch.instance_names[ended_instance]
                assert env.chameleon == agents[ended_chameleon]
                played += 1
                env.reset()
    assert played >= games
    assert seen == set(ENDINGS)


def test_ties_are_named_in_the_kernels_order():
    assert TIES == ("nobody", "random", "revote")


def test_random_moves_are_uniform_over_what_is_legal():
    batch = Batch(6_000, players=4, discussion=1)
    batch.reset(seed=0)
    said = batch.sample()
    assert batch.masks[np.arange(6_000), said].all()
    assert len(np.unique(said)) > 0.9 * batch.masks.any(axis=0).sum()
    for _ in range(4):
        batch.step(batch.sample())
    start = len(vocabulary())
    counts = np.bincount(batch.sample() - start, minlength=9) / 6_000
    assert counts[0] == pytest.approx(1 / 8, abs=0.02)  # a pass, 3 to accuse, 4 to defend
    assert counts[5:9] == pytest.approx(1 / 8, abs=0.02)


def test_what_is_not_legal_is_refused_and_changes_nothing():
    batch = Batch(2, players=3)
    with pytest.raises(ResetNeeded):
        batch.step([0, 0])
    batch.reset(seed=1)
    spans = places(3, 0)
    before = batch.masks.copy()
    with pytest.raises(ValueError, match=r"'vote: player 1'.* in lane 1: player \d owes a clue"):
        batch.step([int(np.flatnonzero(before[0])[0]), spans.vote[1]])
    assert (batch.masks == before).all()
    for _ in range(3):
        batch.step(batch.sample())
    own = spans.vote.start + batch.to_move
    with pytest.raises(ValueError, match=r"lane 0: player \d owes a vote for another"):
        batch.step(own)
    with pytest.raises(ValueError, match="of an index from 0 to"):
        batch.step([-1, 0])
    with pytest.raises(ValueError, match="players"):
        Batch(1, players=2)
