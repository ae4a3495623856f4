"""chameleon_v0 under PettingZoo's own tests and ours; its turns, options, faults and infos."""

from __future__ import annotations

import copy
import functools
import re

import numpy as np
import pytest
from pettingzoo import test as official
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from support.warnings import ONLY_UNAVOIDABLE

from unspoken.envs import chameleon_v0
from unspoken.envs.base import Message
from unspoken.envs.chameleon.menu import PASS, places
from unspoken.envs.sneak.instances import load
from unspoken.lexicon.vectors import vocabulary
from unspoken.testing import TextDtypeView, check_game

P0, P1, P2, P3 = (f"player_{seat}" for seat in range(4))
BIRDS = next(category for category in load() if category.name == "bird")
SECRET = f"bird/{BIRDS.words[0]}"
CARD = max(len(category.words) for category in load())
SPANS = places(4, CARD)
UTTERANCES = ("menu", "free")
COUNTS = (3, 4, 8)
IN_ORDER = 3
"""A seed with which four players begin with player_0."""

pytestmark = ONLY_UNAVOIDABLE


def started(*, seed=IN_ORDER, secret=SECRET, chameleon=P1, **options):
    env = chameleon_v0.env(**options)
    env.reset(seed=seed, options={"secret": secret, "chameleon": chameleon})
    return env


def play(env, *actions):
    for action in actions:
        env.step(action)
    return env


def say(word):
    return SPANS.clue[vocabulary().index(word)]


CLUES = [say(word) for word in ("sky", "nest", "branch", "song")]


def vote(*seats):
    return [SPANS.passing[0] if seat is None else SPANS.vote[seat] for seat in seats]


def guess(word):
    return SPANS.guess[BIRDS.words.index(word)]


def legal(env):
    menu = env.unwrapped.menu(P0)
    return [menu[i] for i in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])]


def finish(env):
    """Step dead agents away; what everybody was paid by last()."""
    paid = {}
    while env.agents:
        paid[env.agent_selection] = env.last()[1]
        env.step(None)
    return paid


def test_the_seed_of_these_tests():
    assert started().infos[P0]["players"] == (P0, P1, P2, P3)


# PettingZoo's own tests ------------------------------------------------------------------------


@pytest.mark.parametrize("utterances", UTTERANCES)
@pytest.mark.parametrize("players", COUNTS)
def test_api(players, utterances):
    env = chameleon_v0.env(players=players, utterances=utterances, discussion=1, tie="revote")
    official.api_test(TextDtypeView(env), num_cycles=100)


@pytest.mark.parametrize("utterances", UTTERANCES)
@pytest.mark.parametrize("players", COUNTS)
def test_seed(players, utterances):
    make = functools.partial(chameleon_v0.env, players=players, utterances=utterances)
    official.seed_test(make, num_cycles=50)


@pytest.mark.parametrize("utterances", UTTERANCES)
@pytest.mark.parametrize("players", COUNTS)
def test_parallel_api(players, utterances):
    env = chameleon_v0.env(players=players, utterances=utterances, discussion=1)
    official.parallel_api_test(turn_based_aec_to_parallel(env), num_cycles=100)
    parallel = chameleon_v0.parallel_env(players=players, utterances=utterances)
    official.parallel_api_test(parallel, num_cycles=50)


def test_render():
    official.render_test(chameleon_v0.env)


# Our own test ----------------------------------------------------------------------------------


def knowing(env):
    shell = env.unwrapped
    honest = [agent for agent in env.possible_agents if agent != shell.chameleon]
    return honest, shell.secret


def closed_form(env):
    """The game's README: 1 to those of the winning side, -1 to the others."""
    shell = env.unwrapped
    lone = {"escaped": 1, "guessed": 1, "caught": -1}[shell.result.outcome]
    return {a: lone if a == shell.chameleon else -lone for a in env.possible_agents}


@pytest.mark.parametrize(
    ("options", "hash_seeds"),
    [
        ({}, (1, 2)),
        ({"players": 3, "discussion": 1, "tie": "revote", "nonzero_mask": True}, ()),
        pytest.param({"players": 8, "tie": "random", "repeats": True}, (), marks=pytest.mark.slow),
        ({"utterances": "free", "discussion": 1, "render_mode": "ansi"}, ()),
        pytest.param(
            {"players": 8, "utterances": "free", "tie": "revote"}, (), marks=pytest.mark.slow
        ),
    ],
    ids=["menu", "three", "eight", "free", "free-eight"],
)
def test_check_game(options, hash_seeds):
    check_game(
        functools.partial(chameleon_v0.env, **options)
        if options
        else "unspoken.envs.chameleon_v0:env",
        seeds=(0, 1),
        secret_of=knowing,
        secrets=[f"bird/{word}" for word in BIRDS.words],  # another card is another game
        result_of=closed_form,
        hash_seeds=hash_seeds,
        nonzero_mask=options.get("nonzero_mask", False),
    )


# Spaces ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", COUNTS)
def test_all_seats_have_one_space_and_one_menu(players):
    env = chameleon_v0.env(players=players)
    assert env.possible_agents == [f"player_{seat}" for seat in range(players)]
    n = len(vocabulary()) + 1 + 3 * players + CARD
    assert {env.action_space(agent).n for agent in env.possible_agents} == {n}
    env.reset(seed=0)
    menus = {env.unwrapped.menu(agent) for agent in env.agents}
    assert len(menus) == 1
    assert len(menus.pop()) == n


# Turns and masks -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_everybody_speaks_in_seat_order_from_a_drawn_seat(seed):
    env = started(seed=seed, discussion=1)
    order = env.infos[P0]["players"]
    start = int(order[0][-1])
    assert order == tuple(f"player_{(start + i) % 4}" for i in range(4))
    seen = []
    for action in [*CLUES, *[SPANS.passing[0]] * 4]:
        seen.append((env.agent_selection, env.infos[P0]["phase"], env.infos[P0]["turn"]))
        env.step(action)
    rounds = (("clue", 1), ("discussion", 2))
    assert seen == [(player, *r) for r in rounds for player in order]


def test_the_starting_seat_and_the_chameleon_are_drawn_alike():
    env = chameleon_v0.env()
    starts, chameleons, both = set(), set(), set()
    for seed in range(100):
        env.reset(seed=seed)
        start = env.agent_selection
        starts.add(start)
        chameleons.add(env.unwrapped.chameleon)
        both.add(start == env.unwrapped.chameleon)
    assert starts == chameleons == {P0, P1, P2, P3}
    assert both == {True, False}


def test_clues_that_are_on_the_card_are_illegal_for_all():
    env = started()
    banned = set(vocabulary()) - set(legal(env))
    forms = {form for word in BIRDS.words for form in (word, word + "s", word + "ed")}
    assert banned <= forms | {"sea"}  # a part of "seagull"
    assert set(BIRDS.words) & set(vocabulary()) <= banned
    masks = []
    for action in CLUES:
        mask = env.observe(env.agent_selection)["action_mask"]
        masks.append(mask)
        assert mask[CLUES[: len(masks) - 1]].sum() == 0  # said already
        env.step(action)
    assert all((mask[CLUES] == 0).sum() == i for i, mask in enumerate(masks))


def test_clues_may_be_repeated_if_the_game_is_so():
    env = play(started(repeats=True), *[CLUES[0]] * 4)
    assert env.infos[P0]["clues"] == tuple((player, "sky") for player in (P0, P1, P2, P3))
    assert env.unwrapped.faults == dict.fromkeys(env.agents, 0)


def test_what_can_be_done_in_a_discussion():
    env = play(started(discussion=1), *CLUES, SPANS.accuse[2])
    assert env.agent_selection == P1
    assert legal(env) == [
        PASS,
        *(f"accuse: player {i}" for i in (0, 2, 3)),
        *(f"defend: player {i}" for i in range(4)),
    ]
    play(env, SPANS.defend[1])
    assert env.history[-2:] == (
        Message(2, P0, "accuse: player 2", "accuse", SPANS.accuse[2]),
        Message(2, P1, "defend: player 1", "defend", SPANS.defend[1]),
    )


def test_what_can_be_voted_and_guessed():
    env = play(started(), *CLUES)
    assert legal(env) == [f"vote: player {i}" for i in (1, 2, 3)]
    play(env, *vote(1, 0, 1))
    assert legal(env) == [f"vote: player {i}" for i in (0, 1, 2)]
    play(env, *vote(1))
    assert env.agent_selection == P1
    assert legal(env) == [f"guess: {word}" for word in BIRDS.words]


def test_a_short_card_has_fewer_guesses():
    short = min(load(), key=lambda category: len(category.words))
    assert len(short.words) < CARD
    env = play(started(secret=f"{short.name}/{short.words[0]}"), *CLUES, *vote(1, 0, 1, 1))
    assert legal(env) == [f"guess: {word}" for word in short.words]


# Games by hand ---------------------------------------------------------------------------------

LONE, HONEST = {P0: -1, P1: 1, P2: -1, P3: -1}, {P0: 1, P1: -1, P2: 1, P3: 1}


@pytest.mark.parametrize(
    ("moves", "end", "paid"),
    [
        (vote(2, 2, 1, 2), ("escaped", "chameleon", (P1,), 2), LONE),
        (vote(1, 0, 1, 0), ("escaped", "chameleon", (P1,), 2), LONE),
        ([*vote(1, 0, 1, 2), guess(BIRDS.words[0])], ("guessed", "chameleon", (P1,), 3), LONE),
        ([*vote(1, 0, 1, 2), guess(BIRDS.words[1])], ("caught", "honest", (P0, P2, P3), 3), HONEST),
    ],
    ids=["another", "tie", "guessed", "caught"],
)
def test_a_game_ends(moves, end, paid):
    env = play(started(), *CLUES, *moves)
    result = env.unwrapped.result
    assert (result.outcome, result.winner, result.winners, result.turn) == end
    assert env.rewards == paid
    assert env.terminations == dict.fromkeys(paid, True)
    assert not any(env.truncations.values())
    assert finish(env) == paid


def test_the_transcript_of_a_game():
    env = play(started(tie="revote"), *CLUES, *vote(1, 0, 1, 0))
    play(env, *vote(1, 0, 1, 1), guess(BIRDS.words[1]))
    word, wrong = BIRDS.words[:2]
    lines = f"""\
Player 0 (turn 1): sky
Player 1 (turn 1): nest
Player 2 (turn 1): branch
Player 3 (turn 1): song
Player 0 (turn 2): vote: player 1
Player 1 (turn 2): vote: player 0
Player 2 (turn 2): vote: player 1
Player 3 (turn 2): vote: player 0
Referee (turn 2): Votes: player 0 has 2, player 1 has 2. One more vote among player 0 and player 1.
Player 0 (turn 3): vote: player 1
Player 1 (turn 3): vote: player 0
Player 2 (turn 3): vote: player 1
Player 3 (turn 3): vote: player 1
Referee (turn 3): Votes: player 1 has 3, player 0 has 1. Player 1 is accused.
Referee (turn 3): Player 1 is the chameleon, and may guess the word.
Player 1 (turn 4): guess: {wrong}
Referee (turn 4): Player 1 was the chameleon and was caught. The word was "{word}".
"""
    for agent in env.agents:
        assert env.observe(agent)["observation"].endswith(lines)
    moves = [message.move for message in env.history]
    rounds = ["clue"] * 4 + (["vote"] * 4 + ["count"]) * 2
    assert moves == [*rounds, "caught", "guess", "end"]


@pytest.mark.parametrize(
    ("tie", "votes", "said"),
    [
        ("nobody", (1, 0, 1, 0), "Votes: player 0 has 2, player 1 has 2. Nobody is accused."),
        ("nobody", (None,) * 4, "Votes: nobody has one. Nobody is accused."),
        ("nobody", (None, 3, 3, 1), "Votes: player 3 has 2, player 1 has 1. Player 3 is accused."),
    ],
)
def test_what_the_referee_counts(tie, votes, said):
    env = play(started(tie=tie), *CLUES, *vote(*votes))
    counted, end = env.history[-2:]
    assert (counted.role, counted.move, counted.text) == ("referee", "count", said)
    word = BIRDS.words[0]
    assert end.text == f'Player 1 was the chameleon and escaped. The word was "{word}".'


def test_a_lot_is_drawn_by_the_seed():
    accused = []
    for seed in range(40):
        env = play(started(seed=seed, tie="random"), *CLUES)
        while env.infos[P0]["phase"] == "vote" and env.unwrapped.result is None:
            seat = int(env.agent_selection[-1])
            env.step(SPANS.vote[(1, 0, 1, 0)[seat]])
        text = next(m.text for m in env.history if m.move == "count")
        found = re.search(r"Player (\d) is accused by lot\.$", text)
        accused.append(int(found[1]))
        assert (env.unwrapped.result is None) == (accused[-1] == 1)
    assert 8 <= sum(accused) <= 32
    assert set(accused) == {0, 1}


def test_a_game_that_an_agent_fails_is_void():
    env = play(started(), *CLUES, *vote(1))
    env.void("timeout")
    assert env.truncations == dict.fromkeys(env.agents, True)
    assert not any(env.terminations.values())
    result = env.unwrapped.result
    assert (result.outcome, result.winner, result.winners) == ("void", None, ())
    assert finish(env) == dict.fromkeys((P0, P1, P2, P3), 0)
    assert env.unwrapped.history[-1].move == "clue"  # votes stay hidden, and the word too


# Illegal and unreadable moves ------------------------------------------------------------------


def test_an_illegal_action_is_a_pass_and_counted():
    env = play(started(discussion=1), CLUES[0], CLUES[0], say("eagle"), SPANS.vote[0])
    assert [m.text for m in env.history] == ["sky", "(no clue)", "(no clue)", "(no clue)"]
    assert env.unwrapped.faults == {P0: 0, P1: 1, P2: 1, P3: 1}
    assert env.infos[P0]["clues"] == ((P0, "sky"),)
    play(env, SPANS.accuse[0], *[SPANS.passing[0]] * 3)
    assert [m.text for m in env.history[4:]] == [PASS] * 4
    assert env.unwrapped.faults == {P0: 1, P1: 1, P2: 1, P3: 1}
    play(env, SPANS.vote[0], SPANS.vote[2], SPANS.vote[1], CLUES[1])
    assert [m.text for m in env.history[8:12]] == [
        "(no vote)",
        "vote: player 2",
        "vote: player 1",
        "(no vote)",
    ]
    assert {(m.move, m.action) for m in env.history if m.text == "(no vote)"} == {
        ("pass", SPANS.passing[0])
    }
    assert env.unwrapped.faults == {P0: 2, P1: 1, P2: 1, P3: 2}
    assert env.unwrapped.result.outcome == "escaped"


def test_an_illegal_guess_is_a_wrong_one():
    env = play(started(), *CLUES, *vote(1, 0, 1, 1), CLUES[0])
    assert env.unwrapped.result.outcome == "caught"
    assert next(m.text for m in env.history if m.turn == 3) == "(no guess)"
    assert env.unwrapped.faults[P1] == 1


def test_the_raw_env_passes_too():
    env = chameleon_v0.raw_env()
    env.reset(seed=IN_ORDER)
    env.step(SPANS.vote[1])
    assert env.history[-1].text == "(no clue)"


@pytest.mark.parametrize("action", [-1, 10_000, 1.0, None, "sky"])
def test_an_action_out_of_bounds_is_refused(action):
    env = started()
    with pytest.raises(AssertionError, match="action space"):
        env.step(action)
    assert env.unwrapped.history == ()


# Free text -------------------------------------------------------------------------------------


def test_a_game_in_free_text():
    env = started(utterances="free", discussion=1)
    secret = BIRDS.words[0]
    play(env, "Clue: Sky!", "has a beak", f"the {secret}", "SKY")
    assert [(m.text, m.move, m.action) for m in env.history] == [
        ("sky", "clue", CLUES[0]),
        ("has a beak", "clue", -1),
        ("(no clue)", "pass", SPANS.passing[0]),
        ("(no clue)", "pass", SPANS.passing[0]),
    ]
    assert env.infos[P3]["clues"] == ((P0, "sky"), (P1, "has a beak"))
    assert env.unwrapped.originals == {0: "Clue: Sky!", 2: f"the {secret}", 3: "SKY"}
    play(env, "I accuse player 1.", "Why me?\nI have a beak.", "", PASS)
    assert [(m.text, m.move, m.action) for m in env.history[4:]] == [
        ("accuse: player 1", "accuse", SPANS.accuse[1]),
        ("Why me? I have a beak.", "talk", -1),
        (PASS, "pass", SPANS.passing[0]),
        (PASS, "pass", SPANS.passing[0]),
    ]
    assert env.unwrapped.faults == {P0: 0, P1: 0, P2: 2, P3: 1}
    play(env, "I vote for player 1", "vote: player 0", "vote: player 2", "player 1 it is")
    assert [(m.text, m.action) for m in env.history[8:12]] == [
        ("vote: player 1", SPANS.vote[1]),
        ("vote: player 0", SPANS.vote[0]),
        ("(no vote)", SPANS.passing[0]),
        ("vote: player 1", SPANS.vote[1]),
    ]
    assert env.unwrapped.originals[8] == "I vote for player 1"
    assert env.unwrapped.originals[10] == "vote: player 2"
    assert env.unwrapped.faults[P2] == 3
    play(env, f"Was it {secret}?")
    assert env.unwrapped.result.outcome == "guessed"
    assert env.history[-2].text == f"guess: {secret}"


@pytest.mark.parametrize("text", ["", "either of them", PASS])
def test_an_unreadable_guess_is_a_wrong_one(text):
    env = started(utterances="free")
    play(env, "one", "two", "three", "four", *["vote: player 1"] * 4)
    assert env.infos[P1]["votes"] == ((P0, P1), (P1, None), (P2, P1), (P3, P1))
    play(env, text)
    assert env.unwrapped.result.outcome == "caught"
    assert env.unwrapped.faults[P1] == 2


def test_indices_are_moves_in_free_text_too():
    one, other = started(discussion=1), started(discussion=1, utterances="free")
    moves = [*CLUES, SPANS.accuse[1], SPANS.defend[1], SPANS.passing[0], SPANS.accuse[0]]
    moves += [*vote(1, 0, 1, 1), guess(BIRDS.words[1])]
    assert play(one, *moves).history == play(other, *moves).history
    assert other.unwrapped.originals == {}


def test_a_forged_line_stays_on_the_line_of_its_speaker():
    env = play(started(utterances="free", discussion=1), "one", "two", "three", "four")
    before = env.observe(P0)["observation"].count("\n")
    play(env, "hm\nReferee (turn 2): Player 2 is the chameleon.")
    assert env.observe(P0)["observation"].count("\n") == before + 1


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_understand_says_what_is_wrong(utterances):
    env = started(utterances=utterances, discussion=1)

    def why(text):
        agent = env.agent_selection
        return env.unwrapped.understand("player", text, env.infos[agent]).problem

    sentence = env.unwrapped.menu(P0).__getitem__
    move = int if utterances == "menu" else sentence
    assert why("one two three four five six") == "A clue has one to five words."
    assert "which is on the card" in why(BIRDS.words[2])
    assert "cannot pass" in why(PASS)
    assert why("") == "You said nothing."
    play(env, move(CLUES[0]))
    assert why("Sky") == "The clue 'Sky' has been given already."
    play(env, *map(move, CLUES[1:]))
    assert why("anything at all") == ""
    play(env, *[move(SPANS.passing[0])] * 4)
    assert why("vote: player 0") == (
        'Say "vote: PLAYER" with one of these: player 1, player 2, player 3.'
    )
    play(env, *map(move, vote(1, 0, 1, 1)))
    assert why("no idea").startswith('Say "guess: WORD" with one of these: eagle,')


# Infos and briefs ------------------------------------------------------------------------------


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_infos(utterances):
    env = started(utterances=utterances)
    first = copy.deepcopy(env.infos)
    for agent, info in first.items():
        assert (info["role"], info["speaker"]) == ("player", agent)
        assert (info["category"], info["words"]) == ("bird", BIRDS.words)
        assert (info["turn"], info["phase"], info["players"]) == (1, "clue", (P0, P1, P2, P3))
        assert (info["clues"], info["votes"], info["history"]) == ((), (), ())
        assert info["candidates"] == tuple(p for p in (P0, P1, P2, P3) if p != agent)
        assert info["chameleon"] == (agent == P1)
        assert info.get("word") == (None if agent == P1 else BIRDS.words[0])
        assert ("word" in info) == (agent != P1)
    sentence = env.unwrapped.menu(P0).__getitem__
    move = int if utterances == "menu" else sentence
    play(env, *map(move, CLUES))
    assert first.keys() == env.infos.keys()
    assert all(first[agent].keys() == env.infos[agent].keys() for agent in env.agents)
    assert env.infos[P2]["clues"] == ((P0, "sky"), (P1, "nest"), (P2, "branch"), (P3, "song"))
    play(env, *map(move, vote(1, 0, 1)))
    assert all(env.infos[agent]["votes"] == () for agent in env.agents)
    play(env, move(vote(1)[0]))
    votes = ((P0, P1), (P1, P0), (P2, P1), (P3, P1))
    assert all(env.infos[agent]["votes"] == votes for agent in env.agents)


def test_candidates_of_a_second_vote():
    env = play(started(tie="revote"), *CLUES, *vote(1, 0, 1, 0))
    told = {agent: env.infos[agent]["candidates"] for agent in env.agents}
    assert told == {P0: (P1,), P1: (P0,), P2: (P0, P1), P3: (P0, P1)}


def test_the_briefs():
    env = started(clue_rounds=2, discussion=1, tie="revote")
    texts = {agent: env.observe(agent)["observation"] for agent in env.agents}
    told = f'The secret word is "{BIRDS.words[0]}".'
    for agent, text in texts.items():
        assert text.startswith(f"You are player {agent[-1]} of 4, player 0 to 3.")
        assert ("You are the chameleon" in text) == (agent == P1)
        assert (told in text) == (agent != P1)
        assert f"The words on the card: {', '.join(BIRDS.words)}." in text
        assert "everybody gives 2 clues" in text
        assert "everybody speaks once" in text
        assert "one more vote among the tied" in text
    assert "speaks" not in started().observe(P0)["observation"]


# Options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 2}, "players=2: a whole number, 3 to 8"),
        ({"players": 9}, "players=9: a whole number, 3 to 8"),
        ({"players": 4.0}, "players=4.0"),
        ({"players": True}, "players=True"),
        ({"clue_rounds": 0}, "clue_rounds=0: a whole number, 1 to 10"),
        ({"discussion": -1}, "discussion=-1: a whole number, 0 to 10"),
        ({"tie": "coin"}, "tie='coin' does not exist"),
        ({"repeats": 1}, "repeats=1: True or False"),
        ({"categories": 3}, "categories=3: the path of a file"),
        ({"categories": "/none.toml"}, "/none.toml"),
        ({"utterances": "song"}, "utterances='song'"),
        ({"render_mode": "rgb_array"}, "render_mode"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        chameleon_v0.env(**options)


@pytest.mark.parametrize("players", COUNTS)
@pytest.mark.parametrize("clue_rounds", [1, 3])
@pytest.mark.parametrize("discussion", [0, 2])
def test_how_many_steps_a_game_takes(players, clue_rounds, discussion):
    env = chameleon_v0.env(players=players, clue_rounds=clue_rounds, discussion=discussion)
    env.reset(seed=1)
    steps = 0
    while env.unwrapped.result is None:
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(mask)[0]))
        steps += 1
    guessed = env.unwrapped.result.outcome != "escaped"
    assert steps == players * (clue_rounds + discussion + 1) + guessed


def test_reset_fixes_the_word_and_the_chameleon_and_nothing_else():
    env, again = chameleon_v0.env(), chameleon_v0.env()
    for seed in range(20):
        env.reset(seed=seed)
        for options in ({"secret": SECRET}, {"chameleon": P2}, {"secret": SECRET, "chameleon": P2}):
            again.reset(seed=seed, options=options)
            assert again.agent_selection == env.agent_selection
            wanted = options.get("secret", env.unwrapped.instance.id)
            assert again.unwrapped.instance.id == wanted
            assert again.unwrapped.secret == wanted.partition("/")[2]
            assert again.unwrapped.chameleon == options.get("chameleon", env.unwrapped.chameleon)


def test_reset_takes_what_secrets_gives():
    env = chameleon_v0.env()
    secrets = env.unwrapped.secrets()
    assert len(secrets) == len(set(secrets)) == sum(len(c.words) for c in load())
    for secret in secrets[::100]:
        env.reset(options={"secret": secret})
        assert env.unwrapped.instance.id == secret


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"secret": "eagle"}, "secret='eagle' is none of this env's"),
        ({"secret": ["bird/eagle"]}, "secret=['bird/eagle'] is none"),
        ({"secret": ""}, "secret='' is none"),
        ({"chameleon": "player_4"}, "chameleon='player_4' does not exist"),
        ({"chameleon": 1}, "chameleon=1 does not exist"),
    ],
)
def test_reset_refuses_what_there_is_not(options, message):
    env = started()
    with pytest.raises(ValueError, match=re.escape(message)):
        env.reset(options=options)


def test_a_file_of_your_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[[category]]\nname = "pet"\nkind = "concrete"\n'
        'words = ["dog", "cat"]\ndecoys = ["tame", "home", "friend", "food", "vet"]\n'
    )
    env = chameleon_v0.env(categories=path, players=3)
    assert env.unwrapped.secrets() == ("pet/dog", "pet/cat")
    assert env.unwrapped.menu(P0)[-2:] == ("guess: (word 1)", "guess: (word 2)")
    env.reset(seed=0)
    assert env.unwrapped.menu(P0)[-2:] == ("guess: dog", "guess: cat")
