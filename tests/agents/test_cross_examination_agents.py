"""The built-in players of the cross-examination."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from unspoken.agents.base import Outcome
from unspoken.agents.cross_examination.player import CrossPlayer, act
from unspoken.agents.cross_examination.reading import examination, replay
from unspoken.agents.cross_examination.reputation import Reputation, conduct, exposures
from unspoken.agents.cross_examination.rules import Rules
from unspoken.agents.cross_examination.search import Search
from unspoken.agents.human import HumanAgent
from unspoken.agents.human import play as play_in_terminal
from unspoken.agents.random import RandomAgent
from unspoken.agents.specs import make_agent
from unspoken.envs.cross_examination.cases import DEFAULT, files, load, load_all
from unspoken.envs.cross_examination.menu import ANSWERS
from unspoken.envs.cross_examination.rules import FORMS
from unspoken.envs.registry import game

SPEC = game("cross_examination")
CASES = SPEC.secrets()
FIRE = load(DEFAULT / "warehouse_fire.toml")
EVERYBODY = [RandomAgent, Rules, Search, Reputation]
QUESTIONER, WITNESS = "questioner_0", "witness_0"


def begin(questioner, witness, seed, spec=SPEC, env=None, **options):
    env = env or spec.env()
    env.reset(seed=seed, options=options)
    players = {QUESTIONER: questioner, WITNESS: witness}
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


def play(questioner, witness, seed, spec=SPEC, env=None, **options):
    return finish(*begin(questioner, witness, seed, spec, env, **options))


def series(questioner, witness, games, spec=SPEC):
    """Standings at the end and whether the witness was believed, of games over all cases."""
    env = spec.env()
    ends = []
    for i in range(games):
        play(questioner, witness, i, spec, env, secret=CASES[i % len(CASES)])
        ends.append((env._game.account.standing, env.result.winner == "witness"))
    return np.array(ends)


def seen(env, agent=None):
    """The game as a player reads it."""
    return examination(env.infos[agent or env.agent_selection], 12)


def ask(fact, form="open"):
    return 3 * FIRE.index(fact) + FORMS.index(form)


def fire(*actions, spec=SPEC, seed=0):
    """The warehouse fire after some actions."""
    env = spec.env()
    env.reset(seed=seed, options={"secret": FIRE.id})
    for action in actions:
        env.step(action)
    return env


def move(player, env, spec=SPEC):
    agent = env.agent_selection
    player.reset(agent.removesuffix("_0"), spec, 0)
    return player.act(env.observe(agent), env.infos[agent])


class Scripted(CrossPlayer):
    """A witness that does as the test says."""

    def __init__(self, reply):
        super().__init__("scripted")
        self.reply = reply

    def _answer(self, game):
        return self.reply(game)


def insisting(game):
    """Says what helps, whatever is held before it."""
    helpful = game.case.helpful(game.question.fact)
    value = game.case.truth[game.question.fact] if helpful is None else helpful
    return act("affirm" if value else "deny")


# Everybody ------------------------------------------------------------------------------------


@pytest.mark.parametrize("questioner", EVERYBODY)
@pytest.mark.parametrize("witness", EVERYBODY)
def test_everybody_plays_everybody_legally_and_reproducibly(questioner, witness):
    first = play(questioner(), witness(), 5)
    again = play(questioner(), witness(), 5)
    assert first.history == again.history
    assert first.result.outcome in ("believed", "discredited")


@pytest.mark.parametrize(
    "options",
    [
        {"exhibits": None, "jury": "model"},
        {"exhibits": 0, "max_turns": 3},
        {"case": "leaked_memo", "threshold": 0.1},
        {"utterances": "free", "max_turns": 20},
    ],
    ids=["model", "short", "case", "free"],
)
def test_everybody_plays_under_any_option(options):
    spec = SPEC.with_options(**options)
    for questioner, witness in zip(EVERYBODY, EVERYBODY[::-1], strict=True):
        env = play(questioner(), witness(), 3, spec)
        assert env.result.outcome in ("believed", "discredited"), (questioner, witness)


@pytest.mark.parametrize("player", [Rules, Search, Reputation])
def test_a_copy_in_mid_game_goes_on_alike(player):
    env, players = begin(player(), player(), 3)
    for _ in range(9):
        agent = env.agent_selection
        env.step(players[agent].act(env.observe(agent), env.infos[agent]))
    env2, players2 = deepcopy((env, players))
    assert finish(env, players).history == finish(env2, players2).history


@pytest.mark.parametrize("kind", ["rules", "search?depth=1&width=4", "reputation?memory=0.9"])
def test_specs(kind):
    assert make_agent(kind, SPEC.name).name == kind


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="not aidg_search as seeker"):
        Rules().reset("seeker", game("aidg_search"), 0)
    with pytest.raises(ValueError, match="memory=0"):
        Reputation(memory=0)
    with pytest.raises(ValueError, match="width=0"):
        Search(width=0)


# Reading the game -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(7))
def test_players_read_the_game_as_it_is(seed):
    env = SPEC.env()
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while env.result is None:
        true = env._game
        for agent in (QUESTIONER, WITNESS):
            own = seen(env, agent)
            assert own.account == true.account
            assert own.record == true.record
            assert own.known == true.known
            assert own.raised == true.raised
            assert [e.name for e in (own.case.exhibits[i] for i in own.shown)] == [
                true.case.exhibits[i].name for i in true.shown
            ]
        if true.to_move == "questioner":
            asked, wanted = seen(env).questions(), true.questions()
            assert [unnumbered(q) for q in asked] == [unnumbered(q) for q in wanted]
        else:
            for content, manner in ANSWERS:
                assert seen(env).assess(content, manner) == true.assess(content, manner)
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        env.step(int(rng.choice(legal)))


def unnumbered(question):
    """A question without the place of its exhibit, which is another for each player."""
    if question is None or question.ground is None:
        return question
    ground = question.ground
    return question._replace(ground=ground._replace(exhibit=min(ground.exhibit, 0)))


def test_a_witness_suspects_what_is_against_it():
    env = fire(ask("slept"))
    against = {fact.id for fact, so in zip(FIRE.facts, FIRE.truth, strict=True) if hurts(fact, so)}
    suspected = {FIRE.facts[e.proof.fact].id for e in seen(env).case.exhibits}
    assert suspected == against
    assert "made_rounds" in suspected
    assert "saw_gate" not in suspected


def hurts(fact, so):
    return (fact.bearing == "hurts" and so) or (fact.bearing == "helps" and not so)


@pytest.mark.parametrize("seed", range(7))
def test_a_finished_game_is_read_from_its_lines(seed):
    spec = SPEC.with_options(exhibits=None, utterances="free")
    env = play(Rules(), RandomAgent(), seed, spec)
    game_ = replay(env._game.case, env.history)
    assert game_.turns == env._game.turns
    assert game_.shown == env._game.shown


def test_a_finished_game_in_own_words_is_read_as_the_game_read_it():
    spec = SPEC.with_options(utterances="free", max_turns=4, exhibits=None)
    env = spec.env()
    env.reset(seed=0, options={"secret": FIRE.id})
    for said in (
        "Tell the jury how many rounds you made, please.",
        "Every hour I made one, I swear, a round every hour.",
        "I have the watchman's clock here. Did you really make a round every hour?",
        "Perhaps not every hour.",
        "Do you like music?",
        "I do.",
        "Now, did you sleep in the lodge?",
        "I do not remember.",
    ):
        env.step(said)
    read = replay(env._game.case, env.history)
    assert [t.question.fact for t in read.turns] == [t.question.fact for t in env._game.turns]
    assert [t.content for t in read.turns] == [t.content for t in env._game.turns]
    assert read.account == env._game.account


def test_the_cases_of_options():
    assert load_all(files(None)) == load_all()
    (case,) = load_all(files(FIRE.id))
    assert case.id == FIRE.id
    assert files("/somewhere/else.toml").name == "else.toml"


# Rules ----------------------------------------------------------------------------------------


def test_rules_confront_where_they_can():
    for seed in range(7):
        env, players = begin(Rules(), Scripted(insisting), seed)
        while env.result is None:
            agent = env.agent_selection
            if agent == QUESTIONER:
                could = [q for q in seen(env).questions() if q is not None and q.ground]
                shown = [q for q in could if q.ground.exhibit >= 0]
                chosen = players[agent].act(env.observe(agent), env.infos[agent])
                env.step(chosen)
                asked = env._game.question
                assert (asked.form == "impeachment") == bool(could)
                if shown:
                    assert asked.ground.exhibit >= 0
            else:
                env.step(players[agent].act(env.observe(agent), env.infos[agent]))


def test_rules_ask_about_their_exhibits_and_then_press_what_hurts():
    env = play(Rules(), Scripted(lambda g: act("none")), 0, secret=FIRE.id)
    held = {FIRE.exhibits[i].proof.fact for i in env._game.exhibits}
    asked = [turn.question for turn in env._game.turns]
    assert {q.fact for q in asked} <= held  # nothing is ever said of them
    env = play(Rules(), Rules(), 0, secret=FIRE.id, spec=SPEC.with_options(exhibits=0))
    order = [FIRE.facts[t.question.fact].bearing for t in env._game.turns if not t.question.ground]
    assert order[:5] == ["hurts"] * 5
    assert order == sorted(order, key=["hurts", "neutral", "helps"].index)


def test_rules_never_contradict_and_concede_late():
    for seed in range(14):
        for questioner in (RandomAgent(), Rules(), Search(depth=1)):
            env = play(questioner, Rules(), seed)
            evaded = set()
            for turn in env._game.turns:
                fact = turn.question.fact
                label = turn.label
                assert not label.qual
                if label.const:  # it admits what it was asked before
                    assert fact in evaded
                    assert turn.manner == "hedged"
                    assert turn.content == ("affirm" if env._game.case.truth[fact] else "deny")
                if turn.content == "none":
                    evaded.add(fact)


@pytest.mark.parametrize(
    ("fact", "wanted"),
    [
        ("pallets", "affirm"),  # neutral, and so
        ("saw_gate", "deny"),  # hurts, and is not so
        ("ordered", "affirm"),  # helps, and is so
        ("smoked", "partial"),  # hurts, and is so
        ("made_rounds", "partial"),  # helps, and is not so
        ("slept", "deny"),  # hurts, is so, and there is no part
    ],
)
def test_rules_say_what_is_so_unless_it_hurts(fact, wanted):
    assert ANSWERS[move(Rules(), fire(ask(fact)))] == (wanted, "clear")


def test_rules_do_not_say_what_helps_where_it_contradicts():
    """That it made the rounds was said; that it slept is so, and is excluded by that."""
    said = (ask("made_rounds"), act("affirm"), ask("slept"), act("affirm", "hedged"))
    env = fire(*said, ask("made_rounds", "impeachment"))
    assert ANSWERS[move(Rules(), env)] == ("none", "hedged")
    env.step(act("none", "hedged"))
    env.step(ask("made_rounds", "impeachment"))
    assert ANSWERS[move(Rules(), env)] == ("deny", "hedged")


# Search ---------------------------------------------------------------------------------------


def test_a_search_takes_what_pays_in_the_last_turn():
    spec = SPEC.with_options(max_turns=1)
    best = {"slept": "deny", "pallets": "affirm", "ordered": "affirm", "made_rounds": "affirm"}
    for fact, content in best.items():
        assert ANSWERS[move(Search(), fire(ask(fact), spec=spec), spec)] == (content, "clear")
    env = fire(spec=spec)
    asked = seen(env).questions()[move(Search(), env, spec)]
    assert FIRE.facts[asked.fact].bearing == "neutral"


def test_a_search_confronts_in_the_last_turn():
    spec = SPEC.with_options(max_turns=2, exhibits=None)
    env = fire(ask("smoked"), act("deny"), spec=spec)
    assert move(Search(), env, spec) == ask("smoked", "impeachment")


def test_a_searching_witness_tells_a_part_rather_than_a_lie_that_is_found_out():
    spec = SPEC.with_options(exhibits=None, max_turns=2)
    sure = Search()
    sure._held = lambda game: [1.0] * len(game.case.exhibits)
    assert ANSWERS[move(sure, fire(ask("smoked"), spec=spec), spec)] == ("partial", "clear")
    safe = Search()
    safe._held = lambda game: [0.0] * len(game.case.exhibits)
    assert ANSWERS[move(safe, fire(ask("smoked"), spec=spec), spec)] == ("deny", "clear")


def test_the_witness_spreads_the_exhibits_over_what_they_could_prove():
    env = fire(ask("smoked"))
    player = Search()
    player.reset("witness", SPEC, 0)
    position = player.position(seen(env))
    assert position.record.held == pytest.approx([3 / 7] * 7)
    player.reset("witness", SPEC.with_options(exhibits=0), 0)
    assert player.position(seen(env)).record.held.sum() == 0


# Reputation -----------------------------------------------------------------------------------


def test_conduct_counts_what_was_violated_and_what_could_have_been():
    """Three answers: a clear benefit, a hedge, and a vague insistence against an exhibit."""
    spec = SPEC.with_options(exhibits=None)
    env = fire(
        ask("smoked"),
        act("deny"),
        ask("pallets"),
        act("affirm", "hedged"),
        ask("smoked", "impeachment"),
        act("deny", "vague"),
        spec=spec,
    )
    rel, man, qual, const = conduct(seen(env)).tolist()
    assert rel == [0, 3]
    assert man == [2, 1]
    assert qual == [1, 1]  # that there were no pallets would have been refuted, too
    assert const == [0, 1]  # to admit it would have contradicted the denial


def test_exposures_count_false_words_that_were_met_by_an_exhibit():
    spec = SPEC.with_options(exhibits=None)
    said = (ask("smoked"), act("deny"), ask("slept"), act("deny"), ask("ordered"), act("affirm"))
    env = fire(*said, ask("smoked", "impeachment"), act("deny"), spec=spec)
    assert exposures(env._game).tolist() == [[1, 1]]


def test_habits_are_learnt_by_name_and_fade():
    player = Reputation(memory=0.5, depth=1)
    named = replace(SPEC, names={QUESTIONER: "q", WITNESS: "hedger"})
    hedger = Scripted(lambda g: act("none", "hedged"))
    player.reset("questioner", named, 0)
    stranger = player._habits(seen(fire()))
    assert stranger == pytest.approx([0.2] * 4)
    for seed in range(3):
        play(player, hedger, seed, named)
    player.reset("questioner", named, 0)
    answers_ = 12 * (1 + 0.5 + 0.25)
    assert player.counts[1] == pytest.approx([answers_, 0])
    habits = player._habits(seen(fire()))
    assert habits[1] == pytest.approx((1 + answers_) / (5 + answers_))
    assert habits[0] == pytest.approx(1 / (5 + answers_))
    player.reset("questioner", replace(SPEC, names={QUESTIONER: "q", WITNESS: "other"}), 0)
    assert player._habits(seen(fire())) == pytest.approx(stranger)


def test_habits_follow_the_present_game():
    player = Reputation()
    player.reset("questioner", SPEC, 0)
    env = fire(ask("pallets"), act("affirm", "off_point"))
    assert player._habits(seen(env)) == pytest.approx([2 / 6, 1 / 6, 1 / 6, 1 / 5])


def test_a_game_over_other_cases_is_not_counted():
    player = Reputation(depth=1)
    play(player, Rules(), 0, secret=FIRE.id)
    player.reset("questioner", SPEC.with_options(case="leaked_memo"), 0)
    assert not player.counts.any()
    player.reset("questioner", SPEC.with_options(case=FIRE.id), 0)
    assert player.counts[0].sum() == 12


def test_a_witness_grows_bold_where_it_is_not_found_out():
    held = []
    for met in (0, 20):
        player = Reputation()
        player.reset("witness", SPEC, 0)
        player.counts = np.array([[met, 20 - met]], float)
        held.append(player._held(seen(fire(ask("smoked")))))
    assert max(held[0]) < 3 / 7 < min(held[1])


def test_a_witness_in_good_standing_keeps_its_conduct_clean():
    """What is worth the same is said in the manner that it has used least."""
    spec = SPEC.with_options(exhibits=None)
    confronted = (ask("smoked"), act("deny"), ask("smoked", "impeachment"))
    env = fire(*confronted, spec=spec)
    assert ANSWERS[move(Reputation(), env, spec)][1] == "clear"
    env = fire(*confronted, act("none", "hedged"), ask("smoked", "impeachment"), spec=spec)
    assert ANSWERS[move(Reputation(), env, spec)][1] == "clear"


def test_a_questioner_makes_more_of_a_witness_that_it_knows():
    """One that insists is confronted more often, and stands lower, than without knowing it."""
    named = replace(SPEC, names={QUESTIONER: "q", WITNESS: "insists"})
    witness = Scripted(insisting)
    known, unknown = Reputation(depth=1), Search(depth=1)
    series(known, witness, 14, named)
    assert series(known, witness, 14, named)[:, 0].mean() < (
        series(unknown, witness, 14, named)[:, 0].mean() - 0.02
    )


# Strength -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_skill_pays_in_both_roles():
    """Random loses to rules, rules to search, in either seat, against everybody."""
    games = 42
    ladder = [RandomAgent, Rules, lambda: Search(depth=1)]
    believed = np.array([[series(q(), w(), games)[:, 1].mean() for w in ladder] for q in ladder])
    standing = np.array([[series(q(), w(), games)[:, 0].mean() for w in ladder] for q in ladder])
    assert (np.diff(believed.mean(axis=0)) > 0.03).all()  # witnesses, from random to search
    assert (np.diff(standing.mean(axis=1)) < -0.03).all()  # questioners
    assert believed[:, 0].max() < 0.1
    assert believed[2, 1] < believed[1, 1] - 0.15 < believed[0, 1] - 0.3


# Free words and people ------------------------------------------------------------------------


@pytest.mark.parametrize("witness", [Rules, Search, Reputation])
def test_words_about_no_fact_get_a_plain_no(witness):
    spec = SPEC.with_options(utterances="free")
    env = fire("Do you like music?", spec=spec)
    assert env._game.question.fact is None
    assert ANSWERS[move(witness(), env, spec)] == ("deny", "clear")


@pytest.mark.parametrize("role", ["questioner", "witness"])
def test_a_whole_game_of_a_person_at_the_terminal(monkeypatch, capsys, role):
    lines = iter(["What did you do in the lodge?", "I was asleep", "Who called?"] * 9)
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    spec = SPEC.with_options(case=FIRE.id, max_turns=3)
    play_in_terminal(spec, role, {"questioner": "rules", "witness": "rules"}, seed=1)
    out = capsys.readouterr().out
    assert f"You are the {role}" in out
    assert "True: " in out  # the secret is told at the end


def test_a_person_is_shown_what_can_be_said():
    shown = []
    lines = iter(["? lodge", "What did you do in the lodge?"])
    person = HumanAgent(ask=lambda prompt: next(lines), show=shown.append)
    spec = SPEC.with_options(utterances="menu")
    assert move(person, fire(spec=spec), spec) == ask("slept")
    assert any("You slept in the lodge" in line for line in shown)
