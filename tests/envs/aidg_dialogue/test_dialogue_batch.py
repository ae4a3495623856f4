"""Batched games are the env's own games, and their beliefs those of the evaluator."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from scipy.stats import chisquare

from unspoken.agents.aidg_dialogue.features import features, layout
from unspoken.agents.aidg_dialogue.rules import Rules
from unspoken.envs import aidg_dialogue_v0
from unspoken.envs.aidg_dialogue.batch import ENDINGS, Batch
from unspoken.envs.aidg_dialogue.env import vary
from unspoken.envs.aidg_dialogue.menu import questions
from unspoken.envs.aidg_dialogue.rules import ACTS, LEAKS, Dialogue, decide
from unspoken.envs.aidg_dialogue.secrets import DEFAULT, load
from unspoken.envs.registry import game
from unspoken.evaluator import aidg_dialogue_reference as reference

SEEKER, HOLDER = "seeker_0", "holder_0"
AGENTS = (SEEKER, HOLDER)
FILE = load()
BLOCK, VALUES = reference.BLOCK, reference.VALUES
AFFIRM, DENY, UNKNOWN, DEFLECT, PARTIAL, DISCLOSE = map(
    ACTS.index, ("affirm", "deny", "unknown", "deflect", "partial", "disclose")
)


def pointed(batch, rng):
    """Legal actions: most questions are about something hidden, and few replies give it away."""
    actions = batch.sample()
    lanes = np.arange(batch.num_envs)
    facts = batch.hidden[lanes, rng.integers(batch.hidden.shape[1], size=len(lanes))]
    about = BLOCK * (facts // VALUES) + rng.integers(BLOCK, size=len(lanes))
    ask = (batch.to_move == 0) & (rng.random(len(lanes)) < 0.8)
    actions[ask] = about[ask]
    kept = rng.integers(PARTIAL + 1, size=len(lanes))
    keep = (batch.to_move == 1) & (rng.random(len(lanes)) < 0.8)
    keep &= batch.masks[lanes, kept] == 1
    actions[keep] = kept[keep]
    return actions


def hidden_in(env):
    return [(secret.id, secret.value) for secret in env.unwrapped.hidden]


# The same games ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mode": "B", "on_lie": "forfeit"},
        {"facts": 2, "max_turns": 6},
        {"facts": 3, "vary": True, "max_refusals": 1, "on_lie": "forfeit", "max_turns": 12},
        {"mode": "B", "vary": True, "max_refusals": 0, "max_turns": 3},
        {"facts": 2, "mode": "B", "max_refusals": 2, "max_turns": 20},
        {"max_turns": 1},
    ],
    ids=str,
)
def test_two_thousand_games_are_the_envs_move_for_move(options):
    lanes, games = 250, 2000
    batch = Batch(lanes, **options)
    batch.reset(seed=11)
    rng = np.random.default_rng(0)
    rows, finished = [], np.zeros(lanes, int)
    while finished.sum() < games:
        before = (batch.to_move, batch.turn, batch.hidden, batch.leaked, batch.lies, batch.masks)
        before = [array.copy() for array in before]
        actions = pointed(batch, rng)
        batch.step(actions)
        after = (batch.rewards, batch.leak, batch.ending, batch.ended_turn)
        after = [array.copy() for array in (*after, batch.ended_hidden, batch.ended_lies)]
        finished += batch.done
        rows.append((*before, actions, *after))
    env = aidg_dialogue_v0.raw_env(**options)
    played, seen = 0, set()
    for lane in range(lanes):
        env.reset(seed=11 + lane)
        for row in rows:
            to_move, turn, hidden, leaked, lies, masks, action, *after = (a[lane] for a in row)
            assert env.agent_selection == AGENTS[to_move]
            assert hidden_in(env) == [batch.fact_names[fact] for fact in hidden]
            out = env._game.leaks
            assert leaked.tolist() == [
                LEAKS.index(out[secret.id]) if secret.id in out else -1 for secret in env.hidden
            ]
            assert lies == env._game.lies
            observation, *_, info = env.last()
            assert info["turn"] == turn
            assert (observation["action_mask"] == masks).all()
            env.step(int(action))
            rewards, leak, ending, ended_turn, ended_hidden, ended_lies = after
            assert [env.rewards[agent] for agent in AGENTS] == rewards.tolist()
            said = next(m for m in reversed(env.history) if m.role != "referee")
            leaks = said.role == "holder" and said.move in LEAKS
            assert leak == (LEAKS.index(said.move) if leaks else -1)
            if ending < 0:
                assert env.result is None
            else:
                seen.add(ENDINGS[ending])
                assert env.result.outcome == ENDINGS[ending]
                assert env.result.turn == ended_turn
                assert env.result.reason == ("" if ending else LEAKS[leak])
                assert hidden_in(env) == [batch.fact_names[fact] for fact in ended_hidden]
                assert env._game.lies == ended_lies
                played += 1
                env.reset()
    assert played >= games
    assert seen == set(ENDINGS[: 3 if options.get("on_lie") == "forfeit" else 2])


@pytest.mark.parametrize("options", [{}, {"facts": 3, "mode": "B", "vary": True, "max_turns": 20}])
def test_texts_are_what_the_env_shows(options):
    follow(**options)


def test_a_file_of_one_secret(tmp_path):
    path = tmp_path / "one.toml"
    path.write_text("[[secret]]" + DEFAULT.read_text().split("[[secret]]")[3])
    follow(secrets=path, vary=True)


def follow(**options):
    """Play games of batch and env side by side and compare what is read."""
    batch = Batch(40, **options)
    batch.reset(seed=3)
    envs = [aidg_dialogue_v0.raw_env(**options) for _ in range(40)]
    for lane, env in enumerate(envs):
        env.reset(seed=3 + lane)
    rng = np.random.default_rng(0)
    for _ in range(60):
        actions = pointed(batch, rng)
        batch.step(actions)
        for env, action in zip(envs, actions.tolist(), strict=True):
            env.step(action)
            if env.result is not None:
                env.reset()
        for agent in AGENTS:
            shown = tuple(env.observe(agent)["observation"] for env in envs)
            assert batch.texts(agent) == shown


def test_the_verdicts_are_the_rules_for_every_secret():
    verdicts = Batch(1)._rules.verdicts
    for s, secret in enumerate(FILE):
        own = questions(FILE)[BLOCK * s : BLOCK * (s + 1)]
        for row, value in enumerate(sorted(secret.values)):
            hidden = vary(secret, secret.values.index(value))
            other = FILE[s - 1]
            for q, question in enumerate(own):
                for a, act in enumerate(ACTS):
                    for fact, verdict in (
                        (hidden, verdicts[row, q, a]),
                        (other, verdicts[VALUES, q, a]),
                    ):
                        truth, leak = decide(fact, question, act)
                        assert (verdict == -2) == (truth is False and leak == "none")
                        assert leak == (LEAKS[verdict] if verdict >= 0 else "none")


def test_endings_are_those_of_the_rules():
    secret = FILE[0]
    question = next(q for q in questions(FILE) if q.form == "leading" and q.value == secret.value)
    for ending, act in zip(ENDINGS, ("affirm", "refuse", "deny"), strict=True):
        dialogue = Dialogue((secret,), max_turns=1)
        dialogue.ask()
        dialogue.reply({secret.id: decide(secret, question, act)}, forfeit=True)
        assert dialogue.result.outcome == ending


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mode": "B", "max_refusals": 1},
        {"facts": 3, "vary": True, "max_turns": 20},
        {"facts": 2, "max_refusals": 0, "on_lie": "forfeit"},
    ],
    ids=str,
)
@pytest.mark.parametrize("slip", [0.0, 1.0])
def test_a_holder_by_the_rules_is_the_agent(options, slip):
    lanes = 40
    batch, outside = Batch(lanes, holder="rules", slip=slip, **options), Batch(lanes, **options)
    for b in (batch, outside):
        b.reset(seed=4)
    spec = game("aidg_dialogue").with_options(**options)
    agents, envs = [Rules(slip=slip) for _ in range(lanes)], [spec.env() for _ in range(lanes)]
    for lane, (agent, env) in enumerate(zip(agents, envs, strict=True)):
        env.reset(seed=4 + lane)
        agent.reset("holder", spec, 0)
    rng = np.random.default_rng(0)
    for _ in range(30):
        asked = pointed(batch, rng)
        batch.step(asked)
        assert not batch.to_move.any()
        outside.step(asked)
        replies = []
        for question, agent, env in zip(asked.tolist(), agents, envs, strict=True):
            env.step(question)
            observation, *_, info = env.last()
            replies.append(agent.act(observation, info))
            env.step(replies[-1])
            if env.unwrapped.result is not None:
                env.reset()
        outside.step(replies)
        for name in ("rewards", "ending", "leak", "hidden", "leaked", "lies", "turn", "masks"):
            np.testing.assert_array_equal(getattr(batch, name), getattr(outside, name))
        assert batch.texts() == outside.texts()
        np.testing.assert_array_equal(batch.joints(), outside.joints())


def test_a_holder_by_the_rules_slips_as_often_as_it_is_told():
    batch = Batch(20_000, holder="rules", slip=0.3, max_turns=2)
    batch.reset(seed=0)
    facts = batch.hidden[:, 0]
    premise = BLOCK * (facts // VALUES) + 2 + 4 * (facts % VALUES)
    assert questions(FILE)[premise[0]].form == "presupposition"
    batch.step(premise)
    assert batch.done.mean() == pytest.approx(0.3, abs=5 * 0.5 / np.sqrt(20_000))


# Beliefs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "A"},
        {"mode": "B", "max_refusals": 2},
        {"mode": "A", "facts": 2, "max_turns": 20},
        {"mode": "B", "facts": 2, "max_turns": 20},
    ],
    ids=str,
)
def test_beliefs_are_those_the_agents_see(options):
    batch = Batch(20, vary=True, **options)
    batch.reset(seed=2)
    spec = game("aidg_dialogue").with_options(vary=True, **options)
    names = layout(spec, "seeker").names
    belief = [i for i, name in enumerate(names) if name.startswith("belief: ")]
    manner = [i for i, name in enumerate(names) if name.startswith("manner ")]
    envs = [spec.env() for _ in range(20)]
    for lane, env in enumerate(envs):
        env.reset(seed=2 + lane)
    rng = np.random.default_rng(0)
    for step in range(30):
        joints = batch.joints()
        np.testing.assert_allclose(batch.beliefs(), joints.sum(axis=1), atol=1e-12)
        np.testing.assert_allclose(joints.sum(axis=(1, 2)), 1, rtol=1e-12)
        for env, joint in zip(envs, joints, strict=True):
            if step % 3 == 0 or env.agent_selection == SEEKER:
                seen = features(spec, "seeker", env.unwrapped.info(SEEKER))
                np.testing.assert_allclose(joint.sum(axis=0), seen[belief], atol=1e-6)
                np.testing.assert_allclose(joint.sum(axis=1), seen[manner], atol=1e-6)
        actions = pointed(batch, rng)
        batch.step(actions)
        for env, action in zip(envs, actions.tolist(), strict=True):
            env.step(action)
            if env.unwrapped.result is not None:
                env.reset()


def test_beliefs_of_long_games_are_the_references():
    lanes, turns = 12, 60
    batch = Batch(lanes, mode="B", max_turns=turns, max_refusals=5)
    batch.reset(seed=1)
    rng = np.random.default_rng(5)
    joints = [reference.prior(np.ones(len(batch.fact_names), np.bool_))] * lanes
    refusals = np.zeros(lanes, int)
    for _ in range(turns - 1):
        asked = batch.sample()
        own = batch.hidden[:, 0] // VALUES  # topics: partial, hedge and the like leak nothing
        asked = np.where(rng.random(lanes) < 0.3, BLOCK * own, asked)
        batch.step(asked)
        acts = np.where(rng.random(lanes) < 0.4, PARTIAL, UNKNOWN)
        declines = (refusals < 5) & (rng.random(lanes) < 0.3)
        acts[declines] = DEFLECT
        premise = (asked // BLOCK == own) & (acts == PARTIAL)  # the one that might
        acts[premise] = UNKNOWN
        batch.step(acts)
        assert not batch.done.any()
        for lane, (question, act) in enumerate(zip(asked.tolist(), acts.tolist(), strict=True)):
            packed = reference.packaged(bool(refusals[lane] < 5))
            told = own[lane] if act == PARTIAL else -1
            joints[lane] = reference.update(joints[lane], packed, question, act, told)
        refusals += declines
        np.testing.assert_allclose(batch.joints(), joints, rtol=1e-8, atol=1e-14)


# Edges -------------------------------------------------------------------------------------------


def test_samples_are_legal_and_each_as_likely():
    batch = Batch(20_000, mode="B")
    batch.reset(seed=0)
    lanes = np.arange(batch.num_envs)
    asked = batch.sample()
    assert chisquare(np.bincount(asked, minlength=len(batch.masks[0]))).pvalue > 1e-6
    topics = np.full(batch.num_envs, 0)
    batch.step(topics)
    replies = batch.sample()
    assert (batch.masks[lanes, replies] == 1).all()
    legal = np.flatnonzero(batch.masks[0])
    assert chisquare(np.bincount(replies)[legal]).pvalue > 1e-6


def test_the_same_seed_gives_the_same_batch():
    def run(seed):
        batch = Batch(64, facts=2, vary=True, mode="B")
        batch.reset(seed)
        for _ in range(50):
            batch.step(batch.sample())
        return batch.beliefs().tobytes() + batch.questions.tobytes() + batch.acts.tobytes()

    assert run(3) == run(list(range(3, 67)))
    assert run(3) != run(4)


def test_next_step_lets_a_finished_game_be_seen_and_plays_the_same_ones():
    batch, other = Batch(3, mode="B", autoreset="next_step"), Batch(3, mode="B")
    for b in (batch, other):
        b.reset(seed=0)
        b.step([0, 0, 0])
        b.step([DISCLOSE, DISCLOSE, UNKNOWN])
    assert batch.done.tolist() == [True, True, False]
    assert batch.leaked[:, 0].tolist() == [LEAKS.index("explicit")] * 2 + [-1]
    assert batch.masks[:2].all()
    assert batch.to_move.tolist() == [0, 0, 0]
    lanes = np.arange(2)
    np.testing.assert_array_equal(batch.beliefs()[lanes, batch.hidden[lanes, 0]], [1, 1])
    assert "Holder (turn 1): " in batch.texts()[0]
    np.testing.assert_array_equal(
        batch.hidden, np.where([[1], [1], [0]], other.ended_hidden, batch.hidden)
    )
    batch.step([5, 5, 5])
    assert not batch.done.any()
    assert batch.rewards.tolist() == [[0, 0]] * 3
    assert batch.turn.tolist() == [1, 1, 2]
    np.testing.assert_array_equal(batch.hidden, other.hidden)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, len(FILE) * BLOCK, 0], "lane 1: an index from 0 to 419"),
        ([0, 0, -1], "lane 2: an index from 0 to"),
        ([0, 0], r"actions int64 \[2\]: whole numbers \[3\]"),
        ([0.0, 0.0, 0.0], "whole numbers"),
    ],
)
def test_an_illegal_action_changes_nothing(actions, message):
    batch = Batch(3)
    batch.reset(seed=0)
    before = [array.copy() for array in batch._state]
    with pytest.raises(ValueError, match=message):
        batch.step(actions)
    for array, old in zip(batch._state, before, strict=True):
        np.testing.assert_array_equal(array, old)


def test_the_holder_is_told_what_it_may_reply():
    batch = Batch(1, max_refusals=0)
    batch.reset(seed=0)
    batch.step([0])
    with pytest.raises(ValueError, match="3 unknown, 4 hedge, 7 partial, 8 reword, 9 disclose"):
        batch.step([AFFIRM])


def test_views_cannot_be_written_on():
    batch = Batch(2)
    batch.reset(seed=0)
    with pytest.raises(ValueError, match="read-only"):
        batch.masks[0, 0] = 0


@pytest.mark.parametrize("call", ["sample", "beliefs", "joints", "texts"])
def test_reset_comes_first(call):
    batch = Batch(2)
    with pytest.raises(ResetNeeded):
        batch.step([0, 0])
    with pytest.raises(ResetNeeded):
        getattr(batch, call)()


def test_reset_without_seeds_goes_on_and_seeds_can_be_given_one_by_one():
    batch = Batch(3)
    batch.reset([1, 2, None])
    batch.reset([1, None, None])
    env = aidg_dialogue_v0.raw_env()
    env.reset(seed=1)
    assert [batch.fact_names[batch.hidden[0, 0]]] == hidden_in(env)
    env.reset(seed=2)
    env.reset()
    assert [batch.fact_names[batch.hidden[1, 0]]] == hidden_in(env)
    with pytest.raises(ValueError, match="2 seeds for 3 lanes"):
        batch.reset([1, 2])


def test_a_file_of_plain_sentences_is_refused(tmp_path):
    path = tmp_path / "plain.txt"
    path.write_text("The cat is out\n")
    with pytest.raises(ValueError, match="plain sentences"):
        Batch(2, secrets=path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"mode": "C"}, "mode='C'"),
        ({"on_lie": "end"}, "on_lie='end'"),
        ({"max_turns": 0}, "max_turns=0"),
        ({"max_refusals": -1}, "max_refusals=-1"),
        ({"facts": 4}, "facts=4"),
        ({"vary": 1}, "vary=1"),
        ({"holder": "greedy"}, "holder='greedy'"),
        ({"slip": 2}, "slip=2"),
        ({"autoreset": "never"}, "autoreset='never'"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        Batch(**{"num_envs": 2, **options})
