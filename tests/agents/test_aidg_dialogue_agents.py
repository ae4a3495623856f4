"""The built-in players of the dialogue game."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from unspoken.agents.aidg_dialogue.greedy import Greedy
from unspoken.agents.aidg_dialogue.holders import Refuse, Vague
from unspoken.agents.aidg_dialogue.reading import Exchange, book_of, exchanges
from unspoken.agents.aidg_dialogue.reputation import Reputation
from unspoken.agents.aidg_dialogue.rules import Rules
from unspoken.agents.base import Outcome
from unspoken.agents.random import RandomAgent
from unspoken.envs.aidg_dialogue.menu import questions
from unspoken.envs.aidg_dialogue.rules import ACTS, FORMS
from unspoken.envs.aidg_dialogue.secrets import load
from unspoken.envs.base import Message
from unspoken.envs.registry import game
from unspoken.evaluator.aidg_dialogue_reference import (
    MANNERS,
    WEIGHTS,
    conduct,
    parts,
    prior,
    question,
    relation,
)
from unspoken.judges.base import Verdict

SPEC = game("aidg_dialogue")
BOOK = book_of(SPEC)
SECRETS = load()
QUESTIONS = questions(SECRETS)
SEEKERS = [RandomAgent, Rules, Greedy, Reputation]
HOLDERS = [RandomAgent, Rules, Greedy, Reputation, Refuse, Vague]
HONEST = [Rules, Greedy, Reputation, Refuse, Vague]
TOPIC, LEADING, PREMISE, EITHER, HYPOTHETICAL = range(5)


def act(name):
    return ACTS.index(name)


def begin(seeker, holder, seed, spec=SPEC, env=None, **options):
    env = env or spec.env()
    env.reset(seed=seed, options=options)
    players = {"seeker_0": seeker, "holder_0": holder}
    for agent, player in players.items():
        player.reset(agent.removesuffix("_0"), spec, seed)
    return env, players


def finish(env, players):
    while env.result is None:
        agent = env.agent_selection
        env.step(players[agent].act(env.observe(agent), env.infos[agent]))
    for agent, player in players.items():
        role, names = agent.removesuffix("_0"), player.spec.names
        reward = env.rewards[agent]
        player.observe(Outcome(SPEC.name, role, names, env.secret, env.history, env.result, reward))
    return env


def play(seeker, holder, seed, spec=SPEC, env=None, **options):
    return finish(*begin(seeker, holder, seed, spec, env, **options))


def wins(seeker, holder, mode, games, spec=SPEC, first=0):
    """How often the seeker won, game by game."""
    env = spec.env()
    return np.array(
        [
            play(seeker, holder, first + i, spec, env, mode=mode).result.winner == "seeker"
            for i in range(games)
        ]
    )


def forms(history):
    return [FORMS[parts(m.action)[1]] for m in history if m.role == "seeker"]


def holding(holder, secret, asked, seed=0, spec=SPEC):
    """The acts by which a holder replies to questions (None: open words), one game long."""
    env, _ = begin(RandomAgent(), holder, seed, spec, secret=secret.id)
    acts = []
    for item in asked:
        env.step("Nice weather, or is it?" if item is None else item)
        acts.append(ACTS[holder.act(env.observe("holder_0"), env.infos["holder_0"])])
        env.step(act("deflect"))  # whatever it said, so that the game goes on
    return acts


class Scripted(Refuse):
    """A holder that does as the test says."""

    def __init__(self, reply):
        super().__init__("scripted")
        self.reply = reply

    def _hold(self, asked):
        return self.reply(asked)


# Everybody ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["A", "B"])
@pytest.mark.parametrize("seeker", SEEKERS)
@pytest.mark.parametrize("holder", HOLDERS)
def test_everybody_plays_everybody_legally_and_reproducibly(seeker, holder, mode):
    first = play(seeker(), holder(), 5, mode=mode)
    again = play(seeker(), holder(), 5, mode=mode)
    assert first.history == again.history
    assert first.result.outcome in ("leak", "contained")


@pytest.mark.parametrize("mode", ["A", "B"])
@pytest.mark.parametrize(
    "options",
    [
        {"facts": 3, "vary": True},
        {"max_refusals": 0},
        {"max_refusals": 2, "max_turns": 4},
        {"utterances": "free"},
    ],
    ids=["facts", "none", "refusals", "free"],
)
def test_nobody_lies_under_any_option(options, mode):
    spec = SPEC.with_options(**options)
    for seeker in (Rules, Greedy, Reputation, RandomAgent):
        for holder in HONEST:
            env = play(seeker(), holder(), 3, spec, mode=mode)
            assert env._game.lies == 0, (seeker, holder)


@pytest.mark.parametrize("seeker", SEEKERS)
@pytest.mark.parametrize("holder", [Rules, Greedy, Vague, Reputation])
def test_a_copy_in_mid_game_goes_on_alike(seeker, holder):
    env, players = begin(seeker(), holder(), 3, mode="B")
    for _ in range(5):
        if env.result is None:
            agent = env.agent_selection
            env.step(players[agent].act(env.observe(agent), env.infos[agent]))
    env2, players2 = deepcopy((env, players))
    assert finish(env, players).history == finish(env2, players2).history


@pytest.mark.parametrize("seeker", [Rules, Greedy, Reputation])
def test_a_mask_is_respected(seeker):
    player = seeker()
    player.reset("seeker", SPEC, 0)
    mask = np.zeros(420, np.int8)
    mask[[3, 77]] = 1
    info = {"history": (), "turn": 1, "mode": "B"}
    assert player.act({"action_mask": mask}, info) in (3, 77)


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret.id)
@pytest.mark.parametrize("seeker", [Rules, Greedy, Reputation])
def test_a_known_secret_is_pressed_and_nothing_else(seeker, secret):
    env = play(seeker(), Refuse(), 1, mode="A", secret=secret.id)
    asked = [QUESTIONS[m.action] for m in env.history if m.role == "seeker"]
    assert {q.secret for q in asked} == {secret.id}
    assert {q.value for q in asked} == {secret.value}


def test_the_known_secret_may_be_another_than_the_files():
    spec = SPEC.with_options(vary=True)
    env = spec.env()
    for seed in range(10):
        play(Rules(), Refuse(), seed, spec, env, mode="A")
        (hidden,) = env.hidden
        asked = {QUESTIONS[m.action].value for m in env.history if m.role == "seeker"}
        assert asked == {hidden.value}


@pytest.mark.parametrize("seeker", [Rules, Greedy, Reputation])
def test_several_known_facts_are_pressed_one_after_the_other(seeker):
    spec = SPEC.with_options(facts=2)
    env = play(seeker(), Scripted(lambda asked: asked.honest[0]), 0, spec, mode="A")
    assert env.result.winner == "seeker"
    assert env.result.turn <= 4


# Seeking --------------------------------------------------------------------------------------


def test_rules_go_through_the_forms():
    history = play(Rules(), Refuse(), 0, mode="A").history
    assert forms(history) == ["leading", "presupposition", "either", "hypothetical"] * 2 + [
        "leading",
        "presupposition",
    ]


@pytest.mark.parametrize("seeker", [Rules, Reputation, Greedy])
def test_an_honest_open_holder_is_found_and_then_pressed(seeker):
    """One that leaks only when it is asked right, and tells false from true."""

    def reply(asked):
        return asked.plain[0] if asked.plain else "refuse"

    found = 0
    for seed in range(40):
        env = play(seeker(), Scripted(reply), seed, mode="B", secret=SECRETS[seed % 20].id)
        asked = [QUESTIONS[m.action] for m in env.history if m.role == "seeker"]
        about = [q.secret == env.hidden[0].id for q in asked]
        if any(about):
            start = about.index(True)
            assert all(about[start:])
            found += 1
            named = [q.value for q in asked[start:] if q.form != "topic"]
            if env.hidden[0].value in named:  # and then nothing else
                rest = named[named.index(env.hidden[0].value) :]
                assert set(rest) == {env.hidden[0].value}
    assert found > 10


def test_disowned_secrets_and_denied_values_are_dropped():
    heard = [
        Exchange(question(0, TOPIC), act("unknown"), "", False),
        Exchange(question(1, LEADING, 2), act("deny"), "", False),
        Exchange(question(2, EITHER, 4), act("deny"), "", False),
        Exchange(question(3, HYPOTHETICAL, 1), act("affirm"), "", False),
        Exchange(question(4, PREMISE, 0), act("hedge"), "", False),
        Exchange(question(5, LEADING, 0), act("refuse"), "", False),
        Exchange(-1, act("deny"), "", False),
        Exchange(question(6, LEADING, 0), -1, "Never.", False),
    ]
    out = {*range(5), 5 + 2, 10 + 4, 10 + 0, 15 + 1, 20 + 0}
    assert set(np.flatnonzero(~BOOK.possible(heard))) == out
    told = Exchange(question(9, TOPIC), act("partial"), SECRETS[7].partial, False)
    assert set(np.flatnonzero(BOOK.possible([told]))) == set(range(35, 40))


def test_leaks_are_read_from_the_dialogue():
    def said(role, move, action, text=""):
        return Message(1, role, text, move, action)

    history = [
        said("seeker", "leading", question(3, LEADING, 1)),
        said("holder", "confirmational", act("affirm")),
        said("seeker", "topic", question(3, TOPIC)),
        said("holder", "explicit", act("disclose"), f"{SECRETS[8].text}."),
        said("seeker", "open", -1),
        said("holder", "paraphrase", act("reword"), SECRETS[9].reword),
        said("seeker", "topic", question(2, TOPIC)),
        said("holder", "hedge", act("hedge")),
        said("seeker", "open", -1),
        said("holder", "explicit", -1, "There it is."),
    ]
    assert BOOK.leaked(exchanges(history)) == {3, 8, 9}


def test_the_facts_of_an_info():
    texts = "; ".join(secret.text for secret in SECRETS[4:6])
    assert [fact // 5 for fact in BOOK.facts_in(texts)] == [4, 5]
    assert BOOK.facts_in("") == []
    for secret in SECRETS:
        (fact,) = BOOK.facts_in(secret.text)
        assert BOOK.fact(secret) == fact


def test_greedy_finds_what_is_most_hazardous():
    history = play(Greedy(), Refuse(), 0, mode="A").history
    assert set(forms(history)) == {"presupposition"}


# Holding --------------------------------------------------------------------------------------

KEPT = SECRETS[0]
VALUES = sorted(KEPT.values)
TRUE = VALUES.index(KEPT.value)
FALSE = (TRUE + 2) % 5


@pytest.mark.parametrize("holder", [lambda: Rules(slip=0), lambda: Reputation(slip=0)])
def test_rules_answer_what_gives_nothing_away(holder):
    asked = {
        question(3, TOPIC): "unknown",
        question(3, PREMISE, 2): "unknown",
        question(0, LEADING, FALSE): "deny",
        question(0, PREMISE, FALSE): "deny",
        question(0, EITHER, FALSE): "deny",
        question(0, HYPOTHETICAL, FALSE): "affirm",
    }
    assert holding(holder(), KEPT, list(asked)) == list(asked.values())


def test_rules_dodge_in_rotation_what_would_give_it_away():
    asked = [question(0, form, TRUE) for form in (TOPIC, LEADING, EITHER, HYPOTHETICAL, LEADING)]
    assert holding(Rules(), KEPT, asked) == ["partial", "hedge", "deflect", "refuse", "partial"]
    second = question(0, EITHER, (TRUE - 1) % 5)
    assert holding(Rules(), KEPT, [second]) == ["partial"]


def test_rules_slip_as_often_as_told():
    premise = [question(0, PREMISE, TRUE)]
    for slip in (0.0, 0.3, 1.0):
        slips = [
            holding(Rules(slip=slip), KEPT, premise, seed)[0] == "hedge" for seed in range(400)
        ]
        assert np.mean(slips) == pytest.approx(slip, abs=0.08)


def test_vague_and_refuse():
    asked = [question(k, form, v) for k in (0, 1) for form in range(5) for v in range(5)][:9]
    assert set(holding(Refuse(), KEPT, asked)) == {"refuse"}
    acts = [a for seed in range(40) for a in holding(Vague(hedging=0.4), KEPT, asked, seed)]
    assert set(acts) == {"hedge", "deflect"}
    assert np.mean([a == "hedge" for a in acts]) == pytest.approx(0.4, abs=0.1)


def test_without_refusals_a_true_premise_forces_a_leak_but_no_lie():
    spec = SPEC.with_options(max_refusals=0)
    for holder in HONEST:
        env = play(Greedy(), holder(), 0, spec, mode="A")
        assert (env.result.outcome, env.result.turn, env._game.lies) == ("leak", 1, 0)


@pytest.mark.parametrize("mode", ["A", "B"])
def test_greedy_and_refuse_never_leak(mode):
    for holder in (Greedy(), Refuse()):
        assert not wins(Rules(), holder, mode, 15).any()
        assert not wins(Greedy(), holder, mode, 15).any()


def test_greedy_leaves_the_seeker_in_doubt():
    """Against a seeker that believes the evaluator, from the same replies to the same questions."""
    seeker = Greedy()
    for seed in range(5):
        env = play(Rules(), Greedy(), seed, mode="B")
        seeker.reset("seeker", SPEC, 0)
        joint = seeker.belief(np.ones(100, np.bool_), exchanges(env.history))
        fact = BOOK.fact(env.hidden[0])
        assert joint.sum(0)[fact] < 0.05


class Quiet:
    name = "quiet"

    def judge(self, secret, history, reply):
        return Verdict("none", 1.0, "")


@pytest.mark.parametrize("holder", [Rules, Greedy, Reputation, Refuse, Vague])
def test_open_words_are_dodged(holder):
    spec = SPEC.with_options(utterances="free")
    env = spec.env(arbiter=Quiet())
    player = holder()
    begin(RandomAgent(), player, 0, spec, env, secret=KEPT.id)
    for words in ("Hello there.", "Did Fahim spill that water?"):
        env.step(words)
        reply = player.act(env.observe("holder_0"), env.infos["holder_0"])
        assert ACTS[reply] in ("hedge", "deflect", "refuse")
        env.step(reply)
    if holder in (Rules, Reputation):
        assert [m.move for m in env.history if m.role == "holder"] == ["hedge", "refuse"]


class Modelled(Refuse):
    """A holder that is what the evaluator takes holders for."""

    def reset(self, role, spec, seed):
        super().reset(role, spec, seed)
        manner = self.rng.choice(len(MANNERS), p=WEIGHTS)
        self.conduct = conduct(MANNERS[manner])

    def _hold(self, asked):
        form = parts(asked.question)[1]
        row = self.conduct[form, relation(asked.question, asked.facts[0])]
        return ACTS[self.rng.choice(len(ACTS), p=row)]


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "facts"), [("A", np.arange(100) == 3), ("B", np.ones(100, bool))])
def test_the_evaluators_value_is_how_often_greedy_wins(mode, facts):
    from unspoken.evaluator import aidg_dialogue as kernels

    value = kernels.position_value(kernels.Position(prior(facts)))
    assert wins(Greedy(), Modelled(), mode, 600).mean() == pytest.approx(value, abs=0.05)


# Reputations ----------------------------------------------------------------------------------


def test_a_stranger_is_treated_as_rules_treat_it():
    for mode in ("A", "B"):
        for seed in range(10):
            known = play(Rules(), Refuse(), seed, mode=mode)
            assert play(Reputation(), Refuse(), seed, mode=mode).history == known.history
            first = play(Rules(), Rules(), seed, mode="B")
            assert play(Reputation(), Rules(), seed, mode="B").history == first.history


def named(seeker, holder):
    return replace(SPEC, names={"seeker_0": seeker, "holder_0": holder})


def test_reputations_are_kept_apart_and_survive_a_replay():
    agent, fresh = Reputation(), Reputation()
    for holder in (Rules(slip=0.5), Vague(), Refuse()):
        spec = named("me", holder.name)
        for seed in range(12):
            env = play(agent, holder, seed, spec, mode="A")
            fresh.observe(
                Outcome(SPEC.name, "seeker", spec.names, env.secret, env.history, env.result, 0.0)
            )
    means = {}
    for name in ("rules", "vague", "refuse", "stranger"):
        for player in (agent, fresh):
            player.reset("seeker", named("me", name), 0)
        assert (agent.gives_way == fresh.gives_way).all()
        means[name] = agent.gives_way[PREMISE, 0] / agent.gives_way[PREMISE].sum()
    assert means["rules"] > 0.3
    assert means["vague"] > 0.15
    assert means["refuse"] < means["stranger"] < means["vague"]
    assert {len(games) for games in agent.records.values()} == {12}


def test_a_holder_is_wary_of_who_takes_the_truth_for_granted():
    agent, spec = Reputation(), named("presser", "me")
    for seed in range(6):
        play(Greedy(), agent, seed, spec, mode="A")
    agent.reset("holder", spec, 0)
    assert agent.wariness([], ()) > 0.8
    agent.reset("holder", named("stranger", "me"), 0)
    assert agent.wariness([], ()) == 0
    premise = Exchange(question(0, PREMISE, TRUE), act("refuse"), "", False)
    assert agent.wariness([premise] * 2, [TRUE]) == pytest.approx(0.5)
    assert agent.wariness([premise] * 2, [TRUE + 1]) == 0


def test_memory_fades():
    spec = named("me", "holder")
    kept, faded = Reputation(memory=1), Reputation(memory=0.5)
    for agent in (kept, faded):
        for seed in range(8):
            play(agent, Refuse(), seed, spec, mode="A")
        agent.reset("seeker", spec, 0)
    assert kept.gives_way.sum() == pytest.approx(10 + 80)
    assert faded.gives_way.sum() < 10 + 20


@pytest.mark.slow
def test_reputation_beats_rules_in_either_role():
    rules = wins(Rules(), Rules(), "A", 200, first=1000).mean()
    seeking = wins(Reputation(), Rules(), "A", 400)[200:].mean()
    holding = wins(Rules(), Reputation(), "A", 400)[200:].mean()
    assert 0.15 < rules < 0.33
    assert seeking > rules + 0.2
    assert holding < rules - 0.15


@pytest.mark.slow
def test_reputation_beats_rules_in_mode_b_when_it_has_learnt_in_both():
    agent, env = Reputation(), SPEC.env()
    won = [
        play(agent, Rules(), seed, env=env, mode="AB"[seed % 2]).result.winner == "seeker"
        for seed in range(1200)
    ]
    assert np.mean(won[601::2]) > wins(Rules(), Rules(), "B", 300, first=600).mean() + 0.04


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rules(slip=1.2), "slip=1.2"),
        (lambda: Vague(hedging=-1), "hedging=-1"),
        (lambda: Greedy(depth=-1), "depth=-1"),
        (lambda: Greedy(width=0), "width=0"),
        (lambda: Reputation(memory=0), "memory=0"),
        (lambda: Reputation(slip=2), "slip=2"),
        (lambda: Refuse().reset("seeker", SPEC, 0), "not aidg_dialogue as seeker"),
        (lambda: Greedy().reset("seeker", replace(SPEC, name="chess"), 0), "not chess"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_plain_sentences_are_refused(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("The cat is in the attic.\n")
    spec = SPEC.with_options(secrets=str(path), utterances="free")
    with pytest.raises(ValueError, match="plain sentences"):
        Rules().reset("seeker", spec, 0)
