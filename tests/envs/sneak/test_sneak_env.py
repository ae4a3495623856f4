"""sneak_v0 under PettingZoo's own tests and ours; who is told what, and when."""

from __future__ import annotations

import copy
import functools
import pickle
import re

import numpy as np
import pytest
from pettingzoo import test as official
from support.warnings import ONLY_UNAVOIDABLE

from unspoken.envs import sneak_v0
from unspoken.envs.base import Message, Understood
from unspoken.envs.sneak.instances import instances, load
from unspoken.envs.sneak.interpreter import fault
from unspoken.envs.sneak.menu import choices
from unspoken.envs.sneak.rules import leakage, soft_score, utility
from unspoken.lexicon.vectors import vocabulary
from unspoken.testing import TextDtypeView, check_game

SPEAKER, ALLY, CHAMELEON = AGENTS = ("speaker_0", "ally_0", "chameleon_0")
SECRET = "headwear/hat"
UTTERANCES = ("menu", "free")

pytestmark = ONLY_UNAVOIDABLE


def started(*, seed=0, secret=SECRET, **options):
    env = sneak_v0.env(**options)
    env.reset(seed=seed, options={"secret": secret})
    return env


def play(env, *actions):
    for action in actions:
        env.step(action)
    return env


def say(word):
    return vocabulary().index(word)


def right(env):
    """The actions that find the message and the secret."""
    info = env.infos[ALLY]
    decoys = env.unwrapped.instance.decoys
    message = next(m for m in info["messages"] if m not in decoys)
    return info["messages"].index(message), info["words"].index(env.unwrapped.secret)


def texts(env):
    return {agent: env.observe(agent)["observation"] for agent in env.possible_agents}


def views(env):
    return {
        agent: text + str({k: v for k, v in env.infos[agent].items() if "mask" not in k})
        for agent, text in texts(env).items()
    }


# PettingZoo's own tests ------------------------------------------------------------------------


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_api(utterances):
    official.api_test(TextDtypeView(sneak_v0.env(utterances=utterances)), num_cycles=50)


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_seed(utterances):
    official.seed_test(lambda: sneak_v0.env(utterances=utterances), num_cycles=50)


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_parallel_api(utterances):
    official.parallel_api_test(sneak_v0.parallel_env(utterances=utterances), num_cycles=50)


def test_render():
    official.render_test(sneak_v0.env)


# Our own test ----------------------------------------------------------------------------------


def paid(env):
    """What the README says, from the rules' own distributions."""
    game = env.unwrapped._game
    if game.result.outcome in ("void", "violation"):
        return dict.fromkeys(AGENTS, 0.0)
    found, leaked = float(game.p_ally[0]), float(game.p_chameleon[game.secret])
    soft = soft_score(found, leaked, len(game.p_ally), len(game.p_chameleon))
    return {SPEAKER: soft, ALLY: found, CHAMELEON: leaked}


@pytest.mark.parametrize(
    ("options", "hash_seeds"),
    [
        ({}, (1, 2)),
        ({"utterances": "free", "on_violation": "retry"}, (1, 2)),
        ({"n_decoys": 2, "nonzero_mask": True}, ()),
        ({"n_words": 4, "n_decoys": 1}, ()),
        ({"utterances": "free", "render_mode": "ansi"}, ()),
    ],
    ids=["menu", "free-retry", "decoys-nonzero", "small", "free"],
)
def test_check_game(options, hash_seeds):
    check_game(
        functools.partial(sneak_v0.env, **options),
        seeds=(0, 1) if not hash_seeds else (0,),
        result_of=paid,
        hash_seeds=hash_seeds,
        nonzero_mask=options.get("nonzero_mask", False),
    )


# Who is told what ------------------------------------------------------------------------------


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_each_role_is_told_what_it_may_know_and_no_more(utterances):
    env = started(utterances=utterances)
    instance = env.unwrapped.instance
    for step in (say("rabbit"), 0, 0):
        seen = texts(env)
        for agent, text in seen.items():
            info = env.infos[agent]
            assert instance.category in text
            assert all(word in text for word in instance.words)
            assert (info["category"], info["words"]) == (instance.category, instance.words)
            knows = agent != CHAMELEON
            assert ('secret is "hat"' in text) == knows
            assert info.get("secret") == ("hat" if knows else None)
        spoken = step == 0
        decoys = {agent: all(d in seen[agent] for d in instance.decoys) for agent in AGENTS}
        assert decoys == {SPEAKER: False, ALLY: spoken, CHAMELEON: False}
        assert ("rabbit" in seen[CHAMELEON]) == ("rabbit" in seen[ALLY]) == spoken
        assert env.infos[CHAMELEON]["message"] == ("rabbit" if spoken else "")
        messages = {"rabbit", *instance.decoys} if spoken else set()
        assert set(env.infos[ALLY]["messages"]) == messages
        assert not {"messages", "decoys"} & (
            env.infos[SPEAKER].keys() | env.infos[CHAMELEON].keys()
        )
        assert env.history == ()
        env.step(step)


def test_check_game_as_it_is():
    check_game("unspoken.envs.sneak_v0:env", seeds=(3,), hash_seeds=())


def test_the_chameleon_does_not_hear_of_the_secret_before_its_guess():
    envs = [started(secret=f"headwear/{word}") for word in ("hat", "cap", "crown", "veil")]
    for step in (say("rabbit"), 3):
        assert len({views(env)[CHAMELEON] for env in envs}) == 1
        for env in envs:
            env.step(step)
    assert len({views(env)[CHAMELEON] for env in envs}) == 1


def test_the_chameleon_does_not_hear_the_allys_choice_before_its_guess():
    seen = {views(play(started(), say("rabbit"), choice))[CHAMELEON] for choice in range(6)}
    assert len(seen) == 1


def test_the_ally_is_not_told_which_message_is_the_speakers():
    """Any decoy that is said instead gives the same view but for the words themselves."""
    env = play(started(), say("rabbit"))
    decoys = env.unwrapped.instance.decoys
    said = next(decoy for decoy in decoys if decoy in vocabulary())
    other = play(started(), say(said))
    swapped = views(env)[ALLY].replace("rabbit", said)
    assert views(other)[ALLY] == swapped


def test_messages_and_words_come_in_seeded_order():
    orders, cards = set(), set()
    for seed in range(20):
        env = play(started(seed=seed), say("rabbit"))
        orders.add(env.infos[ALLY]["messages"].index("rabbit"))
        cards.add(env.infos[CHAMELEON]["words"])
        again = play(started(seed=seed), say("rabbit"))
        assert again.infos[ALLY]["messages"] == env.infos[ALLY]["messages"]
        assert again.infos[CHAMELEON]["words"] == env.infos[CHAMELEON]["words"]
    assert orders == set(range(6))
    assert len(cards) == 20


def test_when_it_is_over_everybody_hears_what_was_said():
    env = play(started(utterances="free"), "<message>magic rabbit</message>")
    choice, guess = right(env)
    play(env, f"I choose {'ABCDEF'[choice]}", "A: 0.5, B: 0.5")
    lines = env.history
    assert [line.role for line in lines] == ["speaker", "ally", "chameleon", "referee"]
    assert [line.move for line in lines] == ["message", "choice", "guess", "score"]
    assert [line.turn for line in lines] == [1, 2, 2, 2]
    assert [line.action for line in lines] == [-1, choice, -1, -1]
    assert [line.text for line in lines[:3]] == [
        "magic rabbit",
        f"I choose {'ABCDEF'[choice]}",
        "A: 0.5, B: 0.5",
    ]
    leaked = 0.5 if guess < 2 else 0.0
    expected = soft_score(1.0, leaked, 6, 12)
    assert lines[3].text == f"Utility 1.00, leakage {leakage(leaked, 12):.2f}: {expected:.2f}."
    for text in texts(env).values():
        assert "Speaker (turn 1): magic rabbit\n" in text
    assert env.unwrapped.originals == {0: "<message>magic rabbit</message>"}


def test_observations_only_grow():
    env = started(utterances="free", on_violation="retry")
    before = texts(env)
    for said in ("hats", "rabbit", "hm", "A", "hm", "B"):
        env.step(said)
        now = texts(env)
        assert all(now[agent].startswith(before[agent]) for agent in AGENTS)
        before = now


# Playing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("finds", "leaks", "outcome", "winner", "rewards"),
    [
        (True, False, "signalled", "speaker", (1, 1, 0)),
        (True, True, "leaked", "chameleon", (0, 1, 1)),
        (False, False, "missed", "chameleon", (0, 0, 0)),
        (False, True, "backfired", "chameleon", (0, 0, 1)),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_endings_and_rewards(finds, leaks, outcome, winner, rewards, seed):
    env = play(started(seed=seed), say("rabbit"))
    choice, guess = right(env)
    play(env, choice if finds else (choice + 1) % 6, guess if leaks else (guess + 1) % 12)
    result = env.unwrapped.result
    assert (result.outcome, result.winner, result.turn) == (outcome, winner, 2)
    assert env.rewards == dict(zip(AGENTS, rewards, strict=True))
    assert result.winners == {"speaker": (SPEAKER, ALLY), "chameleon": (CHAMELEON,)}[winner]
    assert all(env.terminations.values())
    assert not any(env.truncations.values())


def test_distributions_are_paid_for_what_they_give_the_right_one():
    env = play(started(utterances="free"), "rabbit")
    choice, guess = right(env)
    weights = np.full(6, 0.1)
    weights[choice] = 0.5
    play(env, ", ".join(f"{'ABCDEF'[i]}: {w:.2f}" for i, w in enumerate(weights)))
    others = [i for i in range(12) if i != guess][:3]
    play(env, ", ".join(f"{'ABCDEFGHIJKL'[i]}: 25%" for i in (guess, *others)))
    assert env.rewards == pytest.approx({SPEAKER: 18 / 55, ALLY: 0.5, CHAMELEON: 0.25})
    assert env.unwrapped.result.outcome == "signalled"  # the chameleon's is a four-way tie


def test_the_speakers_mask_leaves_out_what_the_rules_refuse():
    for secret in ("headwear/hat", "fruit/apple", "emotion/happiness", "dessert/ice cream"):
        env = started(secret=secret)
        mask = env.observe(SPEAKER)["action_mask"]
        instance = env.unwrapped.instance
        refused = [word for word, legal in zip(vocabulary(), mask, strict=True) if not legal]
        assert refused == [word for word in vocabulary() if fault(word, instance)]
        assert refused


def test_smaller_categories_leave_the_end_of_the_menu_empty():
    category = next(c for c in load() if len(c.words) == 11)
    env = started(secret=f"{category.name}/{category.words[0]}", utterances="free")
    play(env, "so it is", "A")
    assert env.unwrapped.menu(CHAMELEON)[11:] == ("",)
    assert env.infos[CHAMELEON]["menu_mask"].tolist() == [1] * 11 + [0]
    with pytest.raises(AssertionError, match="action 11 is no option of chameleon_0"):
        env.step(11)


@pytest.mark.slow
def test_all_1394_instances_deal_and_play():
    env = sneak_v0.env()
    ids = env.unwrapped.secrets()
    assert len(ids) == len(set(ids)) == 1394
    assert ids == tuple(instance.id for instance in instances(load()))
    free = sneak_v0.env(utterances="free")
    for number, name in enumerate(ids):
        free.reset(seed=number, options={"secret": name})
        assert f"{free.unwrapped.instance.category}/{free.unwrapped.secret}" == name
        assert free.unwrapped.instance.secret in free.unwrapped.instance.words
        free.step("somehow this")
        choice, guess = right(free)
        play(free, choice, guess)
        assert free.rewards == {SPEAKER: 0, ALLY: 1, CHAMELEON: 1}
    for number, name in enumerate(ids[::40]):
        env.reset(seed=number, options={"secret": name})
        legal = np.flatnonzero(env.observe(SPEAKER)["action_mask"])
        env.step(int(legal[number % len(legal)]))
        choice, guess = right(env)
        play(env, choice, (guess + 1) % len(env.unwrapped.instance.words))
        assert env.rewards == {SPEAKER: 1, ALLY: 1, CHAMELEON: 0}


def test_secrets_are_drawn_from_all_categories():
    env = sneak_v0.env()
    drawn = set()
    for seed in range(300):
        env.reset(seed=seed)
        drawn.add(f"{env.unwrapped.instance.category}/{env.unwrapped.secret}")
    assert len(drawn) > 250
    assert len({name.split("/")[0] for name in drawn}) > 90


# Free text -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("policy", "tries"), [("forfeit", 1), ("retry", 2)])
@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("hats", "inflection"),
        ("<message>h-a-t</message>", "spelling"),
        ("what a magician pulls rabbits from", "length"),
        ("", "length"),
    ],
)
def test_a_refused_message_scores_nothing_and_is_heard_by_nobody(policy, tries, said, rule):
    env = started(utterances="free", on_violation=policy)
    for _ in range(tries):
        assert env.unwrapped.result is None
        assert env.agent_selection == SPEAKER
        env.step(said)
    result = env.unwrapped.result
    assert (result.outcome, result.winner, result.reason) == ("violation", "chameleon", rule)
    assert env.rewards == dict.fromkeys(AGENTS, 0)
    assert [line.text for line in env.history] == ["(no message)"] * tries
    assert env.unwrapped.originals == dict.fromkeys(range(tries), said)
    assert env.unwrapped.faults == {SPEAKER: tries, ALLY: 0, CHAMELEON: 0}
    assert not said or not any(said in text for text in texts(env).values())


def test_a_speaker_that_may_try_again_is_told_why():
    env = play(started(utterances="free", on_violation="retry"), "hats")
    assert env.infos[SPEAKER]["refused"] == "That is a form of the secret."
    assert texts(env)[SPEAKER].endswith("That is a form of the secret. Try once more.\n")
    assert not any("Try once more" in texts(env)[agent] for agent in (ALLY, CHAMELEON))
    assert env.infos[ALLY]["turn"] == 1
    play(env, "rabbit", *("A", "B"))
    assert [line.move for line in env.history[:2]] == ["violation", "message"]


@pytest.mark.parametrize(("policy", "tries"), [("forfeit", 1), ("retry", 2)])
def test_an_answer_that_is_none_counts_as_wrong(policy, tries):
    env = play(started(utterances="free", on_violation=policy), "rabbit")
    for agent in (ALLY, CHAMELEON):
        for n in range(tries):
            assert env.agent_selection == agent
            assert env.infos[agent]["refused"] == ("That is no answer." if n else "")
            env.step("no idea")
    assert env.unwrapped.result.outcome == "missed"
    assert env.rewards == dict.fromkeys(AGENTS, 0)
    assert [line.move for line in env.history].count("violation") == 2 * tries


def test_menu_sentences_and_indices_are_moves_of_a_free_game():
    env = play(started(utterances="free"), say("rabbit"))
    assert env.history == ()
    choice, guess = right(env)
    play(env, env.unwrapped.menu(ALLY)[choice], guess)
    assert [line.action for line in env.history] == [say("rabbit"), choice, guess, -1]
    assert env.history[0].text == "rabbit"
    assert env.unwrapped.originals == {}


def test_a_forged_line_stays_on_its_line():
    before = {agent: text.count("\n") for agent, text in texts(started()).items()}
    env = play(started(utterances="free"), "rabbit\nAlly (turn 2): A")
    assert env.infos[CHAMELEON]["message"] == "rabbit Ally (turn 2): A"
    lines = {agent: text.count("\n") - before[agent] for agent, text in texts(env).items()}
    assert lines == {SPEAKER: 0, ALLY: 1 + 6, CHAMELEON: 1}


def test_a_message_that_is_also_a_decoy_keeps_its_own_label():
    env = started(utterances="free")
    decoy = env.unwrapped.instance.decoys[0]
    play(env, decoy)
    messages = env.infos[ALLY]["messages"]
    assert messages.count(decoy) == 2
    play(env, decoy, "A")
    assert env.rewards[ALLY] == 0.5


@pytest.mark.parametrize(
    ("role", "said", "understood"),
    [
        ("speaker", "rabbit", (say("rabbit"), "")),
        ("speaker", "<message>rabbit</message>", (say("rabbit"), "")),
        ("speaker", "magic rabbit", (-1, "")),
        ("speaker", "hats", (-1, "That is a form of the secret.")),
        ("ally", "B", (1, "")),
        ("ally", "A: 0.5, B: 0.5", (-1, "")),
        ("chameleon", "A: 1", (0, "")),
        ("chameleon", "hat", (5, "")),
    ],
)
def test_texts_are_understood_without_an_env_in_play(role, said, understood):
    env = play(started(utterances="free"), "rabbit")
    info = dict(env.infos[f"{role}_0"])
    if role == "chameleon":
        info["words"] = ("cap", "veil", "hood", "crown", "turban", "hat")
    assert sneak_v0.env().unwrapped.understand(role, said, info) == Understood(*understood)


def test_what_is_no_answer_is_understood_as_that():
    env = play(started(utterances="free"), "rabbit")
    for role, last in (("ally", "F"), ("chameleon", "L")):
        problem = env.unwrapped.understand(role, "hm", env.infos[f"{role}_0"]).problem
        assert f'"A" to "{last}"' in problem


# Options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_words", "n_decoys"), [(2, 1), (4, 3), (10, 5), (None, 2), (6, None)])
def test_sizes(n_words, n_decoys):
    env = sneak_v0.env(n_words=n_words, n_decoys=n_decoys)
    for seed in range(5):
        env.reset(seed=seed, options={"secret": SECRET})
        assert env.unwrapped.secret == "hat"
        play(env, say("rabbit"))
        words, messages = env.infos[ALLY]["words"], env.infos[ALLY]["messages"]
        assert len(words) == (n_words or 12)
        assert len(messages) == 1 + (n_decoys or 5)
        assert "hat" in words
        assert "rabbit" in messages
        choice, guess = right(env)
        play(env, choice, (guess + 1) % len(words))
        assert env.rewards[SPEAKER] == utility(1, len(messages)) == 1


@pytest.mark.parametrize(("n_words", "chi_square"), [(4, 16.27), (None, 31.26)])  # p = 0.001
def test_the_place_of_the_secret_among_the_words_tells_nothing(n_words, chi_square):
    env = sneak_v0.env(n_words=n_words)
    places = []
    for seed in range(1_500):
        env.reset(seed=seed, options={"secret": SECRET})
        places.append(env.infos[CHAMELEON]["words"].index("hat"))
    counts = np.bincount(places, minlength=n_words or 12)
    expected = 1_500 / len(counts)
    assert ((counts - expected) ** 2 / expected).sum() < chi_square


def test_own_categories(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[[category]]\nname = "pet"\nkind = "concrete"\nwords = ["cat", "dog", "newt"]\n'
        'decoys = ["home", "fur"]\n'
    )
    env = sneak_v0.env(categories=path)
    assert env.unwrapped.secrets() == ("pet/cat", "pet/dog", "pet/newt")
    env.reset(seed=0)
    assert env.unwrapped.instance.category == "pet"
    assert len(env.unwrapped.menu(ALLY)) == 3
    with pytest.raises(ValueError, match=r"n_words=4: a whole number, 2 to 3"):
        sneak_v0.env(categories=str(path), n_words=4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_violation": "shoot"}, "on_violation='shoot'"),
        ({"utterances": "song"}, "utterances='song'"),
        ({"n_words": 1}, "n_words=1: a whole number, 2 to 11"),
        ({"n_words": 13}, "n_words=13: a whole number, 2 to 11"),
        ({"n_words": 4.0}, "n_words=4.0: a whole number"),
        ({"n_words": True}, "n_words=True"),
        ({"n_decoys": 0}, "n_decoys=0: a whole number, 1 to 5"),
        ({"n_decoys": "3"}, "n_decoys='3'"),
        ({"categories": 3}, "categories=3: the path of a file"),
        ({"categories": "nowhere.toml"}, "nowhere.toml cannot be read"),
        ({"render_mode": "rgb_array"}, "render_mode"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        sneak_v0.env(**options)


@pytest.mark.parametrize("secret", ["hat", "headwear", "headwear/cat", "", 3, ("headwear", "hat")])
def test_a_secret_that_there_is_not_is_refused(secret):
    env = sneak_v0.env()
    message = f'secret={secret!r}: a category and one of its words, as in "four-footed animal/dog"'
    with pytest.raises(ValueError, match=re.escape(message)):
        env.reset(seed=0, options={"secret": secret})


# Void and illegal ------------------------------------------------------------------------------


@pytest.mark.parametrize("moves", [(), ("rabbit",), ("rabbit", "A")])
def test_an_agent_that_fails_ends_the_game_unpaid(moves):
    env = play(started(utterances="free"), *moves)
    env.void("timeout")
    assert env.truncations == dict.fromkeys(AGENTS, True)
    assert not any(env.terminations.values())
    result = env.unwrapped.result
    assert (result.winner, result.winners, result.reason) == (None, (), "timeout")
    assert env.rewards == dict.fromkeys(AGENTS, 0)
    assert [line.text for line in env.history] == list(moves)  # what was said is kept


def test_an_illegal_action_ends_the_game_for_all():
    env = play(started(n_words=4), say("rabbit"), 0)
    env.step(11)
    assert env.rewards == {SPEAKER: 0, ALLY: 0, CHAMELEON: -1}
    assert env.terminations == env.truncations == dict.fromkeys(AGENTS, True)
    assert [line.move for line in env.history] == ["message", "choice"]
    env = sneak_v0.raw_env()
    env.reset(seed=0, options={"secret": SECRET})
    with pytest.raises(ValueError, match="is not legal for speaker_0 now") as caught:
        env.step(say("hat") if "hat" in vocabulary() else say("cap"))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_in_mid_game_goes_on_with_the_same_game(copied):
    env = play(started(seed=3), say("rabbit"))
    twin = copied(env)
    play(twin, 1, 2)
    assert env.history == ()
    play(env, 1, 2)
    assert twin.history == env.history
    assert twin.rewards == env.rewards
    for each in (env, twin):
        each.reset()
    assert twin.unwrapped.instance == env.unwrapped.instance


def test_menus_are_sentences_with_labels():
    env = play(started(), say("rabbit"))
    assert env.unwrapped.menu(SPEAKER) == vocabulary()
    assert env.unwrapped.menu(ALLY) == choices(env.infos[ALLY]["messages"])
    assert env.unwrapped.menu(CHAMELEON) == choices(env.infos[CHAMELEON]["words"])
    assert env.unwrapped.menu(CHAMELEON)[0].startswith("A) ")
    assert isinstance(env.infos[SPEAKER]["history"], tuple)
    assert Message(1, "speaker", "rabbit", "message", 0).role == env.infos[SPEAKER]["speaker"]


@pytest.mark.parametrize("said", ["rabbit", "Rabbit", "rabbit!", "<message>RABBIT.</message>"])
def test_case_and_punctuation_do_not_make_another_message(said):
    env = started(utterances="free")
    assert env.unwrapped.understand("speaker", said, env.infos[SPEAKER]).action == say("rabbit")
    play(env, said, 0, 0)
    assert env.history[0].action == say("rabbit")
