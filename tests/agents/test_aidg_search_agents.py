from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from unspoken.agents.aidg_search.belief import MAYBE, Belief, Evidence, Manner, evidence, folder_of
from unspoken.agents.aidg_search.holders import Evasive, Table
from unspoken.agents.aidg_search.reputation import Reputation
from unspoken.agents.aidg_search.seekers import Greedy, Lookahead, Rules
from unspoken.agents.base import BaseAgent, Outcome
from unspoken.agents.random import RandomAgent
from unspoken.envs.aidg_search.ontology import load
from unspoken.envs.aidg_search.rules import ANSWERS
from unspoken.envs.base import Message
from unspoken.envs.registry import game

SPEC = game("aidg_search")
ONTOLOGY = load()
TABLE = ONTOLOGY.table
WORDS = ONTOLOGY.words
Q = len(ONTOLOGY.questions)
FOLDER = folder_of(SPEC)
ALL = np.ones(len(WORDS), np.bool_)
SEEKERS = [Greedy, Lookahead, Rules, Reputation, RandomAgent]
HOLDERS = [Greedy, Lookahead, Rules, Table, Evasive, RandomAgent]


class Usual(BaseAgent):
    """A holder that gives each cell's likeliest answer."""

    def act(self, observation, info):
        word = WORDS.index(info["secret"])
        return int(TABLE[word, info["history"][-1].action].argmax())


def begin(seeker, holder, secret, seed, spec=SPEC, env=None):
    env = env or spec.env()
    env.reset(seed=seed, options={"secret": secret})
    players = {"seeker_0": seeker, "holder_0": holder}
    for agent, player in players.items():
        player.reset(agent.removesuffix("_0"), spec, seed)
    return env, players


def finish(env, players):
    while env.result is None:
        agent = env.agent_selection
        env.step(players[agent].act(env.observe(agent), env.infos[agent]))
    for agent, player in players.items():
        role = agent.removesuffix("_0")
        reward = env.rewards[agent]
        player.observe(
            Outcome(SPEC.name, role, player.spec.names, env.secret, env.history, env.result, reward)
        )
    return env


def play(seeker, holder, secret, seed, spec=SPEC, env=None):
    return finish(*begin(seeker, holder, secret, seed, spec, env))


def said(role, move, action):
    return Message(1, role, "", move, action)


def holding(holder, secret, questions, seed=0, spec=SPEC):
    """The answers that a holder gives to questions, one game long."""
    holder.reset("holder", spec, seed)
    history = ()
    answers = []
    for turn, question in enumerate(questions, 1):
        move = "question" if question >= 0 else "open_question"
        history += (said("seeker", move, question),)
        info = {"history": history, "secret": secret, "turn": turn}
        answers.append(holder.act({"action_mask": np.ones(3, np.int8)}, info))
        history += (said("holder", "answer", answers[-1]),)
    return answers


@pytest.mark.parametrize("seeker", SEEKERS)
@pytest.mark.parametrize("holder", HOLDERS)
def test_everybody_plays_everybody_legally_and_reproducibly(seeker, holder):
    first = play(seeker(), holder(), "volcano", 5)
    again = play(seeker(), holder(), "volcano", 5)
    assert first.history == again.history
    assert first.result.outcome in ("correct_lock", "wrong_lock", "wrong_final_guess")


@pytest.mark.parametrize("seeker", SEEKERS)
@pytest.mark.parametrize("holder", [Table, Greedy])
def test_a_copy_in_mid_game_goes_on_alike(seeker, holder):
    env, players = begin(seeker(), holder(), "bread", 3)
    for _ in range(4):
        if env.result is None:
            agent = env.agent_selection
            env.step(players[agent].act(env.observe(agent), env.infos[agent]))
    env2, players2 = deepcopy((env, players))
    assert finish(env, players).history == finish(env2, players2).history


@pytest.mark.parametrize("seeker", [*SEEKERS, lambda: Lookahead(depth=1, noise=0.1)])
def test_word_subsets_short_games_and_free_text_are_respected(seeker):
    spec = SPEC.with_options(words=("apple", "cave", "knee"), max_turns=4, utterances="free")
    env = play(seeker(), Greedy(), "cave", 1, spec)
    lock = env.history[-1]
    assert lock.move == "lock"
    assert WORDS[lock.action - Q] in ("apple", "cave", "knee")


@pytest.mark.parametrize("seeker", [Greedy, Lookahead, Reputation, Rules])
def test_a_mask_without_most_questions_is_respected(seeker):
    player = seeker()
    player.reset("seeker", SPEC, 0)
    mask = np.zeros(Q + len(WORDS), np.int8)
    mask[[5, 9]] = mask[[Q + 3, Q + 4]] = 1
    assert player.act({"action_mask": mask}, {"history": (), "turn": 1}) in (5, 9, Q + 3, Q + 4)


@pytest.mark.parametrize("seeker", [Greedy, Lookahead, Reputation])
def test_every_word_is_found_within_fifteen_questions(seeker):
    env = SPEC.env()
    turns = []
    for secret in WORDS:
        play(seeker(), Usual("usual"), secret, 0, env=env)
        assert env.result.outcome == "correct_lock", secret
        turns.append(env.result.turn)
    assert np.mean(turns) < 9


def test_random_covers_exactly_the_mask():
    agent = RandomAgent()
    agent.reset("seeker", SPEC, 0)
    mask = np.zeros(50, np.int8)
    mask[[3, 7, 49]] = 1
    for observation, info in (({"action_mask": mask}, {}), ({}, {"menu_mask": mask})):
        assert {agent.act(observation, info) for _ in range(200)} == {3, 7, 49}


def test_table_answers_a_question_the_same_way_all_game():
    mixed = int((TABLE[0].max(-1) < 1).argmax())
    answers = [holding(Table(), WORDS[0], [mixed] * 5, seed) for seed in range(60)]
    assert all(len(set(game)) == 1 for game in answers)
    assert len({game[0] for game in answers}) > 1


def test_table_draws_mixed_cells_as_the_table_says():
    word, question = np.argwhere(np.isclose(TABLE[..., 0], 0.75))[0]
    given = [holding(Table(), WORDS[word], [int(question)], seed)[0] for seed in range(2000)]
    shares = np.bincount(given, minlength=3) / 2000
    assert shares == pytest.approx(TABLE[word, question], abs=0.04)


def test_table_errs_as_often_as_told_and_anew_each_time():
    questions = [int(q) for q in np.flatnonzero(TABLE[0].max(-1) == 1)]
    truth = TABLE[0, questions].argmax(-1)
    wrong = [
        a != t
        for seed in range(10)
        for a, t in zip(holding(Table(error=0.2), WORDS[0], questions, seed), truth, strict=True)
    ]
    assert np.mean(wrong) == pytest.approx(0.2, abs=0.04)
    assert set(holding(Table(error=0.5), WORDS[0], questions[:1] * 30)) == {0, 1}


def test_evasive_is_vague_wherever_it_may_and_never_lies():
    for word in range(0, len(WORDS), 9):
        answers = holding(Evasive(), WORDS[word], range(Q))
        cells = TABLE[word]
        assert (cells[np.arange(Q), answers] > 0).all()
        assert all(a == MAYBE for a, cell in zip(answers, cells, strict=True) if cell[MAYBE] > 0)


@pytest.mark.parametrize("holder", [Greedy, lambda: Lookahead(depth=1), Rules, Table])
def test_other_holders_never_lie_and_repeat_themselves(holder):
    for word in (0, 33, 66, 99):
        mixed = [int(q) for q in np.flatnonzero(TABLE[word].max(-1) < 1)][:6]
        answers = holding(holder(), WORDS[word], [*mixed, 0, 1, *mixed])
        assert answers[:6] == answers[-6:]
        assert all(TABLE[word, q, a] > 0 for q, a in zip([*mixed, 0, 1], answers, strict=False))


def test_greedy_holder_leaves_the_most_entropy():
    word, question = (int(i) for i in np.argwhere(TABLE.max(-1) < 1)[0])
    given = holding(Greedy(), WORDS[word], [question])[0]

    def left(answer):
        belief = Belief(FOLDER, ALL).hear([Evidence(question, answer)]).words
        return -(belief * np.log2(belief + 1e-300)).sum()

    assert left(given) == pytest.approx(max(map(left, np.flatnonzero(TABLE[word, question]))))


@pytest.mark.parametrize("holder", [Greedy, Lookahead, Rules, Table, Evasive])
def test_open_questions_get_maybe_and_are_no_evidence(holder):
    assert holding(holder(), "cave", [-1, -1]) == [MAYBE, MAYBE]
    history = [
        said("seeker", "open_question", -1),
        said("holder", "answer", 0),
        said("seeker", "question", 4),
        said("holder", "answer", 1),
    ]
    assert evidence(history) == [Evidence(4, 1)]


def test_belief_is_bayes_over_the_answers_and_their_errors():
    """Against a sum over everything that the holder may have meant, question by question."""
    heard = [Evidence(3, 0), Evidence(3, 1), Evidence(20, 2), Evidence(3, 0)]
    manners, weights = (Manner(0.1, 0.0), Manner(0.3, 0.5)), (0.7, 0.3)
    joint = np.zeros((2, len(WORDS)))
    for g, (error, evasion) in enumerate(manners):
        says = np.where(np.eye(3) == 1, 1 - error, error / 2)
        for w in range(len(WORDS)):
            joint[g, w] = weights[g]
            for question in {e.question for e in heard}:
                cell = TABLE[w, question].copy()
                if cell[MAYBE] > 0:
                    cell = (1 - evasion) * cell + evasion * np.eye(3)[MAYBE]
                joint[g, w] *= sum(
                    cell[meant] * np.prod([says[meant, a] for q, a in heard if q == question])
                    for meant in range(3)
                )
    belief = Belief(FOLDER, ALL, manners, weights).hear(heard)
    assert belief.joint == pytest.approx(joint / joint.sum(), abs=1e-9)
    assert belief.packed[:, :3].sum(1) == pytest.approx(np.ones((len(WORDS), Q)))


def test_asking_a_truthful_holder_again_is_worth_nothing():
    from unspoken.evaluator import aidg_search as kernels

    question = int((TABLE.max(-1) < 1).sum(0).argmax())
    for manner, worth in ((Manner(), False), (Manner(0.2), True)):
        belief = Belief(FOLDER, ALL, (manner,)).hear([Evidence(question, 0)])
        gain = kernels.information_gain(belief.words, belief.packed)[question]
        assert (gain > 1e-6) == worth


def test_what_the_env_garbles_is_reckoned_with():
    won = [
        play(Greedy(), Usual("usual"), secret, 1, SPEC.with_options(holder_noise=0.1)).result
        for secret in WORDS[::4]
    ]
    assert sum(result.winner == "seeker" for result in won) > len(won) / 2


def test_contradictions_lower_trust_at_once():
    agent = Reputation()
    agent.reset("seeker", SPEC, 0)
    mask = np.ones(Q + len(WORDS), np.int8)

    def error(*heard):
        history = [
            m
            for q, a in heard
            for m in (said("seeker", "question", q), said("holder", "answer", a))
        ]
        search = agent._search({"action_mask": mask}, {"history": history, "turn": 9})
        return agent.belief(search).manner.error

    assert error((1, 0), (1, 1)) > 2 * error((1, 0), (1, 0))
    assert error((1, 0), (2, 0), (3, 0)) > 2 * error((1, 0), (2, 1), (3, 1))


def test_reputations_are_kept_apart_and_survive_a_replay():
    agent = Reputation()
    outcomes = []
    for name, holder in (("liar", Table(error=0.3)), ("saint", Table()), ("eel", Evasive())):
        spec = replace(SPEC, names={"seeker_0": "me", "holder_0": name})
        for seed, secret in enumerate(WORDS[:80:10]):
            before = list(agent.records.get(name, ()))
            env = play(agent, holder, secret, seed, spec)
            assert len(agent.records[name]) == len(before) + 1
            outcomes.append(
                Outcome(SPEC.name, "seeker", spec.names, secret, env.history, env.result, 0.0)
            )
    fresh = Reputation()
    for outcome in outcomes:
        fresh.observe(outcome)
    means = {}
    for name in ("liar", "saint", "eel", "stranger"):
        for player in (agent, fresh):
            player.reset("seeker", replace(SPEC, names={"holder_0": name}), 0)
        assert (agent.credibility == fresh.credibility).all()
        means[name] = agent.credibility[:, 0] / agent.credibility.sum(1)
    assert means["liar"][0] > 0.2
    assert means["saint"][0] < 0.02
    assert means["eel"][1] > 0.5 > 0.3 > means["saint"][1]
    assert means["saint"][0] < means["stranger"][0] < means["liar"][0]


def score(seeker, holder, seeds):
    env = SPEC.env()
    results = [
        play(seeker, holder, secret, 1000 * seed + i, env=env).result
        for seed in seeds
        for i, secret in enumerate(WORDS)
    ]
    won = np.array([r.winner == "seeker" for r in results])
    return won.mean(), np.mean([r.weight for r in results] * np.where(won, 1, -1))


@pytest.mark.slow
def test_reputation_beats_greedy_against_a_liar():
    wins, points = score(Reputation(), Table(error=0.2), range(2))
    greedy_wins, greedy_points = score(Greedy(), Table(error=0.2), range(2))
    assert wins > greedy_wins + 0.1
    assert points > greedy_points + 0.25


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Table(error=1.2), "error=1.2"),
        (lambda: Greedy(noise=-1), "noise=-1"),
        (lambda: Lookahead(depth=-1), "depth=-1"),
        (lambda: Lookahead(width=0), "width=0"),
        (lambda: Reputation(memory=0), "memory=0"),
        (lambda: Table().reset("seeker", SPEC, 0), "not aidg_search as seeker"),
        (lambda: Greedy().reset("seeker", replace(SPEC, name="chess"), 0), "not chess"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_answers_are_in_the_order_of_the_rules():
    assert ANSWERS[MAYBE] == "maybe"
