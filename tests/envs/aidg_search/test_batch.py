"""Batched games are the env's own games, and their beliefs those of the evaluator."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from unspoken.agents.aidg_search.belief import Belief, Evidence, Manner
from unspoken.envs import aidg_search_v0
from unspoken.envs.aidg_search.batch import ENDINGS, Batch
from unspoken.envs.aidg_search.ontology import DEFAULT, load
from unspoken.envs.aidg_search.rules import Search
from unspoken.evaluator.aidg_search_reference import entropy

SEEKER, HOLDER = "seeker_0", "holder_0"
AGENTS = (SEEKER, HOLDER)
ONTOLOGY = load()
Q = len(ONTOLOGY.questions)
FEW = ("chair", "eagle", "cloud", "rocket", "apple")


def mixed(batch, rng):
    """Legal actions: half the lanes ask on, the others may lock."""
    asking = rng.random(batch.num_envs) < 0.5
    return np.where(asking, batch.sample("ask"), batch.sample("random"))


def evidence(batch, lane):
    heard = range(int(batch.turn[lane]) - 1)
    return [Evidence(int(batch.questions[lane, t]), int(batch.answers[lane, t])) for t in heard]


def posterior(batch, lane, noise=0.0):
    """What the seeker believes by the package's own reading of a dialogue, float64 [N]."""
    dealt = np.isin(ONTOLOGY.words, batch.words)
    belief = Belief(DEFAULT, dealt, (Manner(error=noise),)).hear(evidence(batch, lane))
    return belief.words[dealt]


# The same games ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"holder_noise": 0.3},
        {"words": FEW, "max_turns": 4, "reward": "decay"},
        {"words": ("chair",), "max_turns": 2, "holder_noise": 1.0},
        {"max_turns": 6, "holder_noise": 0.3, "reward": "decay"},
    ],
    ids=str,
)
def test_ten_thousand_games_are_the_envs_move_for_move(options):
    lanes, games = 250, 8
    batch = Batch(lanes, beliefs=None, **options)
    batch.reset(seed=11)
    rng = np.random.default_rng(0)
    rows, finished = [], np.zeros(lanes, int)
    while finished.min() < games:
        before = (batch.to_move.copy(), batch.turn.copy(), batch.secret.copy(), batch.masks.copy())
        actions = mixed(batch, rng)
        batch.step(actions)
        after = (batch.rewards.copy(), batch.ending.copy(), batch.ended_turn.copy())
        finished += batch.done
        rows.append((*before, actions, *after))
    env = aidg_search_v0.raw_env(**options)
    played = 0
    for lane in range(lanes):
        env.reset(seed=11 + lane)
        for to_move, turn, secret, masks, actions, rewards, ending, ended_turn in rows:
            agent = env.agent_selection
            assert agent == AGENTS[to_move[lane]]
            assert env.secret == batch.words[secret[lane]]
            observation, *_, info = env.last()
            assert info["turn"] == turn[lane]
            assert (observation["action_mask"] == masks[lane]).all()
            env.step(int(actions[lane]))
            assert [env.rewards[a] for a in AGENTS] == rewards[lane].tolist()
            if ending[lane] < 0:
                assert env.result is None
            else:
                assert env.result.outcome == ENDINGS[ending[lane]]
                assert env.result.turn == ended_turn[lane]
                played += 1
                env.reset()
    assert played >= lanes * games


def test_what_is_heard_and_read_is_what_the_env_says():
    batch = Batch(40, holder_noise=0.3, words=FEW)
    batch.reset(seed=3)
    envs = [aidg_search_v0.raw_env(holder_noise=0.3, words=FEW) for _ in range(40)]
    for lane, env in enumerate(envs):
        env.reset(seed=3 + lane)
    for _ in range(25):  # an odd number: questions that wait for their answers are read too
        actions = batch.sample("ask")
        batch.step(actions)
        for env, action in zip(envs, actions.tolist(), strict=True):
            env.step(action)
    texts = [env.observe(SEEKER)["observation"] for env in envs]
    assert batch.texts() == tuple(texts)


def test_a_table_holder_answers_truly_within_the_step_and_the_rest_is_the_same_game():
    lanes = np.arange(200)
    batch, outside = Batch(200, holder="table"), Batch(200)
    for b in (batch, outside):
        b.reset(seed=5)
    words = np.array([ONTOLOGY.words.index(word) for word in batch.words])
    for turn in range(1, 16):
        questions = batch.sample("ask")
        batch.step(questions)
        answers = batch.answers[lanes, turn - 1]
        assert (ONTOLOGY.table[words[batch.secret], questions, answers] > 0).all()
        outside.step(questions)
        assert outside.to_move.all()
        outside.step(answers)
        for name in ("secret", "turn", "to_move", "masks", "questions", "answers"):
            np.testing.assert_array_equal(getattr(outside, name), getattr(batch, name))
        np.testing.assert_array_equal(outside.beliefs(), batch.beliefs())


MIXED = np.argwhere(ONTOLOGY.table.max(axis=2) < 1)


@pytest.mark.parametrize(("word", "question"), MIXED[[0, len(MIXED) // 2, -1]].tolist())
def test_mixed_cells_are_drawn_by_the_table_and_once_a_game(word, question):
    n = 20_000
    batch = Batch(n, words=(ONTOLOGY.words[word],), holder="table", beliefs=None, max_turns=3)
    batch.reset(seed=0)
    batch.step(np.full(n, question))
    first = batch.answers[:, 0].copy()
    share = np.bincount(first, minlength=3) / n
    np.testing.assert_allclose(share, ONTOLOGY.table[word, question], atol=5 * 0.5 / np.sqrt(n))
    batch.step(np.full(n, question))
    assert (batch.answers[:, 1] == first).all()
    batch.reset()
    batch.step(np.full(n, question))
    again = (batch.answers[:, 0] == first).mean()  # a new game draws anew
    assert again == pytest.approx((share**2).sum(), abs=5 * 0.5 / np.sqrt(n))


# Beliefs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("words", [None, FEW])
def test_beliefs_are_those_of_the_dialogue(noise, words):
    batch = Batch(30, holder="table", holder_noise=noise, words=words)
    batch.reset(seed=2)
    few = np.random.default_rng(0).choice(Q, 20, replace=False)  # so that some come again
    rng = np.random.default_rng(3)
    for _ in range(15):
        batch.step(few[rng.integers(len(few), size=30)])
        beliefs = batch.beliefs()
        for lane in range(30):
            np.testing.assert_allclose(beliefs[lane], posterior(batch, lane, noise), atol=1e-5)
    assert any(len(set(batch.questions[i, :15].tolist())) < 15 for i in range(30))


def test_a_belief_survives_any_lies():
    batch = Batch(300, max_turns=100)
    batch.reset(seed=0)
    for _ in range(198):
        batch.step(batch.sample("ask"))  # answers are random: every word is contradicted
        beliefs = batch.beliefs()
        assert np.isfinite(beliefs).all()
        np.testing.assert_allclose(beliefs.sum(axis=1), 1, rtol=1e-5)


def test_candidates_are_the_words_that_fit_every_answer():
    batch = Batch(100, holder="table", beliefs="candidates")
    batch.reset(seed=4)
    for _ in range(12):
        batch.step(batch.sample("ask"))
        fits = batch.candidates()
        for lane in range(100):
            expected = np.ones(len(ONTOLOGY.words), bool)
            for e in evidence(batch, lane):
                expected &= ONTOLOGY.table[:, e.question, e.answer] > 0
            assert (fits[lane] == expected).all()
        assert fits[np.arange(100), batch.secret].all()
    np.testing.assert_allclose(batch.beliefs().sum(axis=1), 1, rtol=1e-6)


def test_features_are_belief_entropy_and_turn():
    batch = Batch(50, holder="table")
    batch.reset(seed=1)
    for turn in range(1, 16):
        features, beliefs = batch.features(), batch.beliefs()
        np.testing.assert_allclose(features[:, :-2], beliefs, rtol=1e-5)
        bits = entropy(beliefs.astype(float)) / np.log2(100)
        np.testing.assert_allclose(features[:, -2], bits, atol=1e-5)
        np.testing.assert_allclose(features[:, -1], turn / 16, rtol=1e-6)
        assert features.min() >= 0
        assert features.max() <= 1
        batch.step(batch.sample("ask"))


def test_features_of_one_word():
    batch = Batch(2, words=("chair",))
    batch.reset(seed=0)
    np.testing.assert_allclose(batch.features(), [[1, 0, 1 / 16]] * 2)


# Whole games -------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["random", "ask"])
@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
@pytest.mark.parametrize(
    ("beliefs", "noise"), [("weights", 0.0), ("weights", 0.2), ("candidates", 0.0), (None, 0.2)]
)
def test_play_is_stepping_through_samples(policy, autoreset, beliefs, noise):
    lanes, games = 70, 3
    options = {"holder": "table", "max_turns": 7, "beliefs": beliefs, "holder_noise": noise}
    options["autoreset"] = autoreset
    played, stepped = Batch(lanes, **options), Batch(lanes, **options)
    for batch in (played, stepped):
        batch.reset(seed=8)
    result = played.play(games, policy)
    counts, finished = np.zeros((3, 8), int), np.zeros(lanes, int)
    while finished.min() < games:
        stepped.step(stepped.sample(policy))
        for lane in np.flatnonzero(stepped.done & (finished < games)):
            counts[stepped.ending[lane], stepped.ended_turn[lane]] += 1
        finished += stepped.done
    assert (result.endings == counts).all()
    assert result.games == lanes * games
    assert result.turns == (counts.sum(axis=0) * np.arange(8)).sum()
    assert np.isnan(result.belief) == (beliefs is None)
    assert (played.turn == 1).all()
    assert not played.done.any()


@pytest.mark.parametrize(("noise", "max_turns"), [(0.0, 16), (0.2, 40), (0.5, 150)])
def test_play_believes_what_the_steps_believe(noise, max_turns):
    options = {"holder": "table", "holder_noise": noise, "max_turns": max_turns}
    played, stepped = Batch(60, **options), Batch(60, **options)
    for batch in (played, stepped):
        batch.reset(seed=9)
    result = played.play(1, "ask")
    for _ in range(max_turns - 1):
        stepped.step(stepped.sample("ask"))
    believed = stepped.beliefs().max(axis=1).mean()
    stepped.step(stepped.sample("ask"))
    assert result.belief == pytest.approx(believed, rel=1e-5)
    assert result.won == (stepped.ending == 0).mean()
    np.testing.assert_array_equal(played.beliefs(), stepped.beliefs())


def test_play_goes_on_from_where_the_lanes_are():
    batch = Batch(20, holder="table", autoreset="next_step")
    batch.reset(seed=0)
    batch.step(np.where(np.arange(20) < 10, 0, Q))  # half ask, half lock and wait
    result = batch.play(1, "ask")
    assert result.endings[:, 16].sum() == 20


def test_play_needs_a_holder():
    batch = Batch(2)
    batch.reset(seed=0)
    with pytest.raises(ValueError, match="holder='table'"):
        batch.play()


def test_a_seeker_that_believes_the_table_wins_as_often_as_it_expects():
    batch = Batch(2000, holder="table")
    batch.reset(seed=0)
    result = batch.play(5, "ask")
    assert abs(result.won - result.belief) < 4 * 0.5 / np.sqrt(result.games)


def test_random_moves_win_as_often_as_one_word_in_all():
    batch = Batch(2000, holder="table", beliefs=None)
    batch.reset(seed=0)
    assert batch.play(10).won == pytest.approx(0.01, abs=4 * 0.1 / np.sqrt(20_000))


def test_the_same_seed_gives_the_same_batch():
    def run(seed):
        batch = Batch(64, holder="table", holder_noise=0.1)
        batch.reset(seed)
        result = batch.play(4, "ask")
        return result.endings.tobytes() + batch.beliefs().tobytes() + batch.questions.tobytes()

    assert run(3) == run(list(range(3, 67)))
    assert run(3) != run(4)


# Edges -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, Q + 1, 0], "lane 1 .*not in play"),
        ([0, 0, -1], "lane 2: an index from 0 to"),
        ([10**9, 0, 0], "lane 0: an index from 0 to"),
        ([0, 0], r"actions int64 \[2\]: whole numbers \[3\]"),
        ([0.0, 0.0, 0.0], "whole numbers"),
    ],
)
def test_an_illegal_action_changes_nothing(actions, message):
    batch = Batch(3, words=("chair", "eagle"))
    batch.reset(seed=0)
    legal = Q + ONTOLOGY.words.index("chair")
    before = [array.copy() for array in batch._state]
    with pytest.raises(ValueError, match=message):
        batch.step(actions if len(actions) < 3 or actions[1] != Q + 1 else [legal, absent(), 0])
    for array, old in zip(batch._state, before, strict=True):
        np.testing.assert_array_equal(array, old)


def absent():
    return Q + next(i for i, w in enumerate(ONTOLOGY.words) if w not in ("chair", "eagle"))


def test_the_last_turn_and_the_holder_say_what_they_allow():
    batch = Batch(1, max_turns=2)
    batch.reset(seed=0)
    batch.step([0])
    with pytest.raises(ValueError, match="holder is to answer"):
        batch.step([3])
    batch.step([2])
    with pytest.raises(ValueError, match="only locks are left"):
        batch.step([0])


def test_next_step_lets_a_finished_game_be_seen():
    batch = Batch(2, holder="table", autoreset="next_step")
    batch.reset(seed=0)
    batch.step([3, 3])
    secret, belief = batch.secret.copy(), batch.beliefs()
    right = Q + ONTOLOGY.words.index(batch.words[secret[0]])
    batch.step([right, 4])
    assert batch.done.tolist() == [True, False]
    assert ENDINGS[batch.ending[0]] == "correct_lock"
    assert batch.secret[0] == secret[0]
    np.testing.assert_array_equal(batch.beliefs()[0], belief[0])
    assert batch.masks[0].all()
    batch.step([5, 5])
    assert not batch.done.any()
    assert batch.rewards[0].tolist() == [0, 0]
    assert batch.turn.tolist() == [1, 4]


def test_views_cannot_be_written_on():
    batch = Batch(2)
    batch.reset(seed=0)
    with pytest.raises(ValueError, match="read-only"):
        batch.masks[0, 0] = 0


def test_reset_comes_first():
    with pytest.raises(ResetNeeded):
        Batch(2).step([0, 0])


def test_reset_without_seeds_goes_on_and_seeds_can_be_given_one_by_one():
    batch = Batch(3)
    batch.reset([1, 2, None])
    third = batch._state.generators[2].copy()
    batch.reset([1, None, None])
    env = aidg_search_v0.raw_env()
    env.reset(seed=1)
    assert batch.words[batch.secret[0]] == env.secret
    env.reset(seed=2)
    env.reset()
    assert batch.words[batch.secret[1]] == env.secret
    assert (batch._state.generators[2] != third).any()
    with pytest.raises(ValueError, match="2 seeds for 3 lanes"):
        batch.reset([1, 2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"holder": "greedy"}, "holder='greedy'"),
        ({"beliefs": "all"}, "beliefs='all'"),
        ({"autoreset": "never"}, "autoreset='never'"),
        ({"max_turns": 1}, "max_turns=1"),
        ({"holder_noise": 2}, "holder_noise=2"),
        ({"holder_noise": 0.1, "beliefs": "candidates"}, "rules no word out"),
        ({"words": ["unicorn"]}, "unicorn"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        Batch(**{"num_envs": 2, **options})


def test_endings_are_those_of_the_rules():
    for ending, (word, turn) in zip(
        ENDINGS, [("chair", 1), ("cloud", 1), ("cloud", 3)], strict=True
    ):
        game = Search("chair", max_turns=3, turn=turn)
        game.lock(word)
        assert game.result.outcome == ending


def test_what_was_asked() -> None:
    batch = Batch(64, holder="table")
    batch.reset(seed=3)
    for _ in range(40):
        batch.step(batch.sample())
        asked = np.zeros_like(batch.asked())
        for lane, turn in enumerate(batch.turn):
            asked[lane, batch.questions[lane, : turn - 1]] = True
        assert (batch.asked() == asked).all()
    blind = Batch(2, holder="table", beliefs=None)
    blind.reset(seed=0)
    with pytest.raises(ValueError, match="beliefs='weights' only"):
        blind.asked()
