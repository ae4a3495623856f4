"""The built-in players of chameleon."""

import builtins
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from unspoken.agents.base import Outcome
from unspoken.agents.chameleon.player import Table
from unspoken.agents.chameleon.reading import (
    Charge,
    card,
    charges,
    clues,
    find_card,
    seat,
    speakers,
)
from unspoken.agents.chameleon.reputation import CENTRES, Reputation, tally
from unspoken.agents.chameleon.rsa import RSA
from unspoken.agents.chameleon.rules import Rules
from unspoken.agents.human import HumanAgent
from unspoken.agents.human import play as play_human
from unspoken.agents.random import RandomAgent
from unspoken.agents.specs import SpecError, make_agent
from unspoken.envs.chameleon.interpreter import clue_mask
from unspoken.envs.registry import game
from unspoken.envs.sneak.instances import DEFAULT, load
from unspoken.lexicon.vectors import similarity, vocabulary

SPEC = game("chameleon")
KINDS = [RandomAgent, Rules, RSA, Reputation]
BUILT = KINDS[1:]
BIRD = next(category for category in load() if category.name == "bird")
CARD = card("bird", BIRD.words)
OWL = BIRD.words.index("owl")
OPTIONS = [
    {},
    {"players": 3, "tie": "random"},
    {"players": 8, "clue_rounds": 2, "discussion": 1, "tie": "revote"},
    {"utterances": "free", "discussion": 2},
]


def start(players, seed, spec=SPEC, env=None, **reset):
    """A game of these players, one to a seat or one for all, and who sits where."""
    env = env or spec.env()
    env.reset(seed=seed, options=reset)
    players = players if isinstance(players, dict) else {s: players() for s in spec.seats}
    for n, player in enumerate(players.values()):
        player.reset("player", spec, 100 * seed + n)
    return env, players


def finish(env, players):
    while env.result is None:
        agent = env.agent_selection
        env.step(players[agent].act(env.observe(agent), env.infos[agent]))
    return env


def play(players, seed, spec=SPEC, env=None, **reset):
    return finish(*start(players, seed, spec, env, **reset))


def outcome(env, names, agent="player_0"):
    reward = env.rewards[agent]
    return Outcome("chameleon", "player", names, env.secret, env.history, env.result, reward)


def table(word=OWL, me=0, said=(), charges=(), players=4):
    """What a player of a game with the bird card sees; clues are (seat, clue)."""
    texts = [clue for _, clue in said]
    return Table(CARD, word, me, players, CARD.said(texts), speakers(said), charges)


def begun(player, seed=0, names=None):
    player.reset("player", SPEC if names is None else replace(SPEC, names=names), seed)
    return player


# Everybody ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTIONS, ids=["plain", "three", "eight", "free"])
@pytest.mark.parametrize("kind", KINDS)
def test_everybody_plays_legally_and_reproducibly(kind, options):
    spec = SPEC.with_options(**options)
    env = spec.env()
    for seed in range(3):
        first = play(kind, seed, spec, env)
        history, result = first.history, first.result
        assert first.faults == dict.fromkeys(spec.seats, 0)
        assert result.outcome in ("escaped", "guessed", "caught")
        assert play(kind, seed, spec).history == history


@pytest.mark.parametrize("kind", BUILT)
def test_a_copy_in_mid_game_goes_on_alike(kind):
    spec = SPEC.with_options(discussion=1)
    env, players = start(kind, 3, spec)
    for _ in range(5):
        agent = env.agent_selection
        env.step(players[agent].act(env.observe(agent), env.infos[agent]))
    twin = deepcopy((env, players))
    assert finish(env, players).history == finish(*twin).history


@pytest.mark.parametrize("kind", BUILT)
def test_other_games_are_refused(kind):
    with pytest.raises(ValueError, match="plays chameleon, not aidg_search"):
        kind().reset("seeker", game("aidg_search"), 0)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("rules?informativeness=2", "informativeness=2.0"),
        ("rules?nerve=-1", "nerve=-1.0: 0 or more"),
        ("rsa?caution=-1", "caution=-1.0"),
        ("rsa?alpha=0", "alpha=0.0: above 0"),
        ("reputation?memory=0", "memory=0.0"),
    ],
)
def test_options_out_of_range(spec, problem):
    with pytest.raises(SpecError, match=problem):
        make_agent(spec, "chameleon")


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_acts_on_what_it_does_not_know(kind):
    """The chameleon does the same whatever the word is, as long as it hears the same."""
    spoken = []
    for word in ("owl", "duck"):
        env, players = start(kind, 1, secret=f"bird/{word}", chameleon="player_2")
        for clue in ("feather", "wing", "forest"):
            if env.agent_selection == "player_2":
                break
            env.step(vocabulary().index(clue))
        agent = env.agent_selection
        while agent != "player_2":
            env.step(vocabulary().index("nest"))
            agent = env.agent_selection
        spoken.append(players[agent].act(env.observe(agent), env.infos[agent]))
    assert spoken[0] == spoken[1]


@pytest.mark.parametrize("kind", BUILT)
def test_any_clue_in_words_of_ones_own_is_understood(kind):
    spec = SPEC.with_options(utterances="free")
    env, players = start(kind, 5, spec, secret="bird/owl", chameleon="player_3")
    for text in ("sees in the dark", "xyzzy plugh", "a wise old one"):
        env.step(text)
    assert finish(env, players).result.outcome in ("escaped", "guessed", "caught")


@pytest.mark.parametrize("kind", BUILT)
def test_players_without_a_clue_do_no_harm(kind):
    spec = SPEC.with_options(utterances="free")
    env, players = start(kind, 5, spec)
    for _ in range(4):
        env.step("I pass.")
    assert finish(env, players).result.outcome in ("escaped", "guessed", "caught")
    assert sum(env.faults.values()) == 4


# Reading --------------------------------------------------------------------------------------


def test_a_card_is_the_speaker_of_its_formula():
    """S(m | w) = exp(s / T) / sum over what no rule refuses, T = 0.1, twice that for F."""
    mask = clue_mask("bird", BIRD.words) > 0
    texts = ["feather", "sees in the dark"]
    likeness = similarity(texts, BIRD.words).astype(np.float64)
    everything = similarity(vocabulary(), BIRD.words).astype(np.float64)[mask]
    for said, t in zip(CARD.said(texts), (0.1, 0.2), strict=True):
        wanted = np.exp(likeness / t) / np.exp(everything / t).sum(axis=0)
        assert np.exp(said) == pytest.approx(wanted, rel=1e-5)
    everywhere = CARD.vocabulary(np.flatnonzero(mask))
    assert np.exp(everywhere.speech).sum(axis=0) == pytest.approx(1)
    assert np.exp(everywhere.faked).sum(axis=0) == pytest.approx(1)


def test_charges_are_accusations_and_open_votes():
    spec = SPEC.with_options(discussion=1, utterances="free", tie="revote")
    env = spec.env()
    env.reset(seed=4, options={"secret": "bird/owl", "chameleon": "player_0"})
    order = list(env.infos["player_0"]["players"])
    for clue in ("feather", "wing", "nest", "claw"):
        env.step(clue)
    for text in ("accuse: player 1", "Hm.", "defend: player 2", "I pass."):
        env.step(text if env.agent_selection != "player_1" else "accuse: player 0")
    first = charges(env.history, 4)
    assert {c.against for c in first} <= {0, 1}
    for _ in range(4):
        env.step(f"vote: player {(seat(env.agent_selection) + 1) % 4}")
    votes = charges(env.history, 4)[len(first) :]
    assert votes == tuple(Charge(seat(a), (seat(a) + 1) % 4) for a in order)
    assert [by for by, _ in clues(env.history)] == [seat(a) for a in order]


def test_a_word_leads_to_its_card():
    assert find_card("owl", DEFAULT).words == BIRD.words
    assert find_card("no such word", DEFAULT) is None


# Rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", [0.1, 0.2, 0.4])
def test_rules_tell_no_more_than_their_informativeness(cap):
    """By the literal listener: P(w | m) is S(m | w) over the sum of S(m | v), for all words v."""
    for seed in range(10):
        env = play(lambda: Rules(informativeness=cap), seed)
        held, lone = env.instance, seat(env.chameleon)
        w = held.words.index(held.secret)
        for by, clue in clues(env.history):
            if by != lone:
                told = np.exp(card(held.category, held.words).said([clue]).speech[0])
                assert told[w] / told.sum() <= cap + 1e-9


def test_rules_vote_for_the_clue_that_fits_least():
    said = [(0, "feather"), (1, "nest"), (2, "window"), (3, "night")]
    fits = similarity([clue for _, clue in said], ["owl"])[:, 0]
    suspicion = begun(Rules()).suspicion(table(said=said))
    assert suspicion.argsort().tolist() == (-fits).argsort().tolist()
    assert suspicion.argmax() == 2
    # who gave no clue is suspected most
    assert begun(Rules()).suspicion(table(said=said[:3])).argmax() == 3


def test_a_rules_chameleon_goes_by_what_it_heard():
    told = [(1, "night"), (2, "predator"), (3, "forest")]
    legal = np.flatnonzero(clue_mask("bird", BIRD.words))

    def fit(nerve, said, seed):
        clue = begun(Rules(nerve=nerve), seed)._clue(table(word=None, said=said), legal)
        return similarity([vocabulary()[clue]], ["owl"])[0, 0]

    def mean(nerve, said):
        return np.mean([fit(nerve, said, seed) for seed in range(30)])

    assert begun(Rules()).belief(table(word=None, said=told)).argmax() == OWL
    assert mean(1.0, told) > mean(0.0, told)
    assert fit(0.0, told, 1) == fit(0.0, [], 1)


# RSA ------------------------------------------------------------------------------------------


def test_rsa_weighs_suspicion_against_the_leak():
    from unspoken.evaluator import chameleon as kernels

    legal = np.flatnonzero(clue_mask("bird", BIRD.words))
    seen = {}
    for caution in (0.0, 1.0, 5.0):
        player = begun(RSA(caution=caution, alpha=1000.0))
        view = table(said=[(1, "feather"), (2, "forest")])
        clue = player._clue(view, legal)
        rows = CARD.vocabulary(np.array([clue]))
        seen[caution] = kernels.outlook(player.position(view), *rows)
    leaks = [float(seen[caution].leak[0]) for caution in seen]
    doubts = [float(seen[caution].suspicion[0]) for caution in seen]
    assert leaks == sorted(leaks, reverse=True)
    assert doubts == sorted(doubts)
    assert leaks[0] > leaks[-1]


def test_the_clues_that_rsa_leaves_out_are_never_the_best():
    from unspoken.agents.chameleon import rsa
    from unspoken.evaluator import chameleon as kernels

    for category in load()[::12]:
        held = card(category.name, category.words)
        legal = np.flatnonzero(clue_mask(category.name, category.words))
        for word in (0, None):
            said = [] if word == 0 else [(1, vocabulary()[legal[40]]), (2, vocabulary()[legal[7]])]
            texts = [clue for _, clue in said]
            view = Table(held, word, 0, 4, held.said(texts), speakers(said), ())
            position = begun(RSA()).position(view)
            seen = kernels.outlook(position, *held.vocabulary(legal))
            worth = np.log(1 - seen.suspicion) + np.log(1 - seen.leak)
            fits = held.vocabulary(legal).speech @ kernels.posterior(position).word
            assert worth.argmax() in np.argsort(-fits)[: rsa.WIDTH]


def test_an_accusation_counts_by_its_credibility():
    """By hand: three players are suspects alike; the one accused by 3, who is right half the time.

    For seats 1, 2, 3 as the chameleon the charge "3 accuses 1" has probability 1/2, 1/4, 1/3.
    """
    view = table(charges=(Charge(3, 1),))
    weights = np.array([1 / 2, 1 / 4, 1 / 3])
    suspicion = begun(RSA()).suspicion(view)
    assert suspicion == pytest.approx([0, *(weights / weights.sum())])
    # one's own says nothing
    own = begun(RSA()).suspicion(table(charges=(Charge(0, 1),)))
    assert own == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])


def test_an_rsa_chameleon_accuses_whom_the_others_suspect():
    said = [(1, "night"), (2, "window"), (3, "predator")]
    view = table(word=None, said=said)
    suspicion = begun(RSA()).suspicion(view)
    assert suspicion[1:].argmax() == 1
    assert suspicion.sum() == pytest.approx(1)


# Reputation -----------------------------------------------------------------------------------

NAMES = {f"player_{s}": name for s, name in enumerate(("Ada", "Ben", "Cleo", "Dan"))}


def scripted(said, votes, chameleon, names=NAMES, secret="owl", **options):
    """An outcome of a game with these clues and votes, by seat."""
    spec = SPEC.with_options(utterances="free", repeats=True, **options)
    env = spec.env()
    env.reset(seed=0, options={"secret": f"bird/{secret}", "chameleon": f"player_{chameleon}"})
    while env.result is None:
        s = seat(env.agent_selection)
        phase = env.infos[env.agent_selection]["phase"]
        if phase == "clue":
            env.step(said[s])
        else:
            env.step("guess: swan" if phase == "guess" else f"vote: player {votes[s]}")
    return outcome(env, names)


GAME = scripted(["predator", "window", "night", "forest"], [1, 0, 1, 0], 1)


def test_a_game_is_counted_by_part_and_kind():
    player = Reputation()
    player.observe(GAME)
    (game_,) = player.records
    counts = tally(game_, DEFAULT)
    assert game_.names == ("Ada", "Ben", "Cleo", "Dan")
    assert game_.chameleon == 1
    assert counts.clues.sum(axis=2).tolist() == [[1, 0], [0, 1], [1, 0], [1, 0]]
    assert counts.charges.tolist() == [[1, 0], [0, 0], [1, 0], [0, 1]]
    # the chameleon's clue fits no better than the clues of the others
    kinds = counts.clues.sum(axis=1).argmax(axis=1)
    assert kinds[1] == kinds.max()


def test_credibility_is_beta_bernoulli():
    """From Beta(2, 2): after one right vote 3/5, after one right and one wrong 3/6."""
    player = begun(Reputation(memory=1.0), names=NAMES)
    player.observe(GAME)
    assert [player._credibility(s) for s in range(4)] == pytest.approx([3 / 5, 1 / 2, 3 / 5, 2 / 5])
    player.observe(scripted(["nest", "window", "night", "forest"], [3, 3, 0, 0], 1))
    assert player._credibility(0) == pytest.approx(3 / 6)
    faded = Reputation(memory=0.5)
    for record in player.records:
        faded._ledger.enter(record, tally(record, DEFAULT), 0.5)
    faded.reset("player", replace(SPEC, names=NAMES), 0)
    assert faded._credibility(0) == pytest.approx(2.5 / 5.5)


def test_a_vague_player_is_no_longer_suspected_for_it():
    """Cleo's clues never fit; Dan's do, unless it is the chameleon."""
    plain = ["predator", "night", "window", "forest"]
    shown = [scripted(plain, [1, 0, 1, 0], lone) for lone in (0, 1, 2)]
    shown.append(scripted([*plain[:3], "window"], [1, 0, 1, 0], 3))
    player = begun(Reputation(memory=1.0), names=NAMES)
    for _ in range(20):
        for seen in shown:
            player.observe(seen)
    said = [(0, "night"), (1, "predator"), (2, "window"), (3, "window")]
    before, after = (p.suspicion(table(said=said)) for p in (begun(RSA()), player))
    assert before[3] < 2 * before[2]
    assert after[3] > 3 * after[2]


def test_at_first_it_suspects_as_rsa_does():
    view = table(said=[(1, "feather"), (2, "window"), (3, "forest")])
    player = begun(Reputation(), names=NAMES)
    plain = begun(RSA()).suspicion(view)
    # within the kinds of clues that it tells apart
    assert np.all(np.abs(CENTRES) <= 2.75)
    assert player.suspicion(view) == pytest.approx(plain, abs=0.05)


def test_a_game_seen_from_two_seats_counts_once():
    player = Reputation()
    player.observe(GAME)
    player.observe(replace(GAME, reward=-GAME.reward))
    assert len(player.records) == 1
    player.observe(replace(GAME, result=GAME.result._replace(winner=None, winners=())))
    assert len(player.records) == 1  # void games teach nothing


def test_it_learns_with_other_categories(tmp_path):
    """The same games give the same record, whether the file was known when they were observed."""
    path = tmp_path / "mine.toml"
    path.write_text(
        '[[category]]\nname = "weather"\nkind = "concrete"\n'
        'words = ["zephyr", "drizzle", "owl"]\ndecoys = ["sky", "cold"]\n'
    )
    spec = SPEC.with_options(categories=str(path))
    env = play(Rules, 3, spec)
    player = Reputation()
    player.observe(outcome(env, NAMES))
    player.reset("player", replace(spec, names=NAMES), 0)
    counted = tally(player.records[0], Path(path))
    assert counted.clues.sum() == 4
    assert player._ledger.all_clues == pytest.approx(counted.clues.sum(axis=0))


def test_a_learner_is_copied_cheaply_and_apart():
    player = Reputation()
    player.observe(GAME)
    twin = deepcopy(player)
    assert twin.records[0] is player.records[0]
    twin.observe(scripted(["nest", "window", "night", "forest"], [3, 3, 0, 0], 1))
    assert (len(player.records), player._ledger.games) == (1, 1)


# People ---------------------------------------------------------------------------------------


def test_a_person_plays_a_whole_game():
    env = SPEC.env(utterances="free")
    shown = []
    replies = {
        "clue": iter(["the owl", "looks out of a window"]),
        "vote": iter(["player 0", "vote: player 9", "I think it is player 2."]),
        "guess": iter(["?", "something with wings", "guess: owl"]),
    }
    person = HumanAgent(
        ask=lambda prompt: next(replies[env.infos["player_0"]["phase"]]), show=shown.append
    )
    players = {"player_0": person, **{f"player_{s}": Rules() for s in (1, 2, 3)}}
    start(players, 1, env=env, secret="bird/owl", chameleon="player_0")
    finish(env, players)
    assert env.result.outcome == "guessed"
    assert env.faults["player_0"] == 0  # what is refused is asked for again
    assert "You are the chameleon" in shown[0]
    assert any("gives 'owl' away" in line for line in shown)
    assert any(line.startswith('Say "vote: PLAYER"') for line in shown)
    assert "  guess: owl" in shown
    assert any(line.startswith("referee: Votes:") for line in shown)


def test_a_person_at_the_terminal(monkeypatch, capsys):
    replies = {1: "made of something", 2: "vote: player 1", 3: "guess: none"}

    def ask(prompt):
        turn = int(prompt.split("[turn ")[1].split("]")[0])
        me = prompt.split(": ")[0][-1]
        return "vote: player 2" if turn == 2 and me == "1" else replies[turn]

    monkeypatch.setattr(builtins, "input", ask)
    play_human(SPEC, "player", {"player": "rules"}, seed=11)
    out = capsys.readouterr().out
    assert "The words on the card" in out
    assert "the secret was: " in out


def test_everybody_has_a_spec():
    for kind in ("random", "rules", "rsa", "reputation"):
        assert make_agent(kind, "chameleon").name == kind
