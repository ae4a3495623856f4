"""aidg_dialogue_v0 under PettingZoo's own tests and ours; its modes, options and briefs."""

from __future__ import annotations

import copy
import functools
import pickle
import re

import numpy as np
import pytest
from pettingzoo import test as official
from support.warnings import ONLY_UNAVOIDABLE

from unspoken.benchmarks.tournament import run
from unspoken.envs import aidg_dialogue_v0
from unspoken.envs.aidg_dialogue.menu import FIRST, holder_menu, questions
from unspoken.envs.aidg_dialogue.rules import ACTS, Question
from unspoken.envs.aidg_dialogue.secrets import load
from unspoken.envs.base import Message
from unspoken.envs.registry import game
from unspoken.judges.base import Verdict
from unspoken.testing import TextDtypeView, check_game

SEEKER, HOLDER = "seeker_0", "holder_0"
SECRETS = load()
SECRET = SECRETS[0]
OTHER = SECRETS[1]
QUESTIONS = questions(SECRETS)
WRONG = SECRET.alternatives[0]

pytestmark = ONLY_UNAVOIDABLE

UTTERANCES = ("menu", "free")


class Never:
    """An arbiter that finds nothing, and remembers what it was asked."""

    name = "never"

    def __init__(self):
        self.seen = []

    def judge(self, secret, history, reply):
        self.seen.append((secret.id, len(history), reply))
        return Verdict("none", 1.0, "")


class Always(Never):
    name = "always"

    def judge(self, secret, history, reply):
        return Verdict("implicit", 1.0, reply)


class Named(Never):
    """Finds the facts that are said word for word."""

    def judge(self, secret, history, reply):
        return Verdict("explicit" if secret.text in reply else "none", 1.0, "")


def env_pair():
    return aidg_dialogue_v0.env(facts=2).unwrapped.secrets()[0]


def started(*, seed=0, secret=SECRET.id, **options):
    env = aidg_dialogue_v0.env(**options)
    env.reset(seed=seed, options={"secret": secret})
    return env


def play(env, *actions):
    for action in actions:
        env.step(action)
    return env


def ask(form, secret=SECRET, value=None):
    value = "" if form == "topic" else value or secret.value
    return next(
        i
        for i, q in enumerate(QUESTIONS)
        if (q.form, q.secret, q.value) == (form, secret.id, value)
    )


def act(name):
    return ACTS.index(name)


def legal(env):
    return {ACTS[i] for i in np.flatnonzero(env.observe(HOLDER)["action_mask"])}


# PettingZoo's own tests ------------------------------------------------------------------------


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_api(utterances):
    official.api_test(TextDtypeView(aidg_dialogue_v0.env(utterances=utterances)), num_cycles=100)


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_seed(utterances):
    official.seed_test(lambda: aidg_dialogue_v0.env(utterances=utterances), num_cycles=100)


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_parallel_api(utterances):
    env = aidg_dialogue_v0.parallel_env(utterances=utterances)
    official.parallel_api_test(env, num_cycles=100)


def test_render():
    official.render_test(aidg_dialogue_v0.env)


# Our own test ----------------------------------------------------------------------------------


def ids(env):
    """A name for the secret: its text may be said aloud here, which ends what is secret about it.

    The views of the seeker are compared to the byte all the same.
    """
    return HOLDER, " ".join(f"<{secret.id}>" for secret in env.unwrapped.hidden)


def both(env):
    return (SEEKER, HOLDER), env.unwrapped.secret


@pytest.mark.parametrize(
    ("options", "hash_seeds"),
    [
        ({"mode": "B"}, (1, 2)),
        ({"mode": "B", "vary": True, "facts": 2, "max_refusals": 2}, ()),
        ({"mode": "B", "facts": 3, "max_turns": 4}, ()),
        ({"mode": "B", "utterances": "free", "render_mode": "ansi"}, ()),
        ({"mode": "B", "on_lie": "forfeit", "nonzero_mask": True, "max_turns": 3}, ()),
    ],
    ids=["menu", "facts-vary", "facts", "free", "forfeit"],
)
def test_check_game_of_mode_b(options, hash_seeds):
    check_game(
        functools.partial(aidg_dialogue_v0.env, **options),
        seeds=(0, 1),
        secret_of=ids,
        hash_seeds=hash_seeds,
        nonzero_mask=options.get("nonzero_mask", False),
    )


@pytest.mark.parametrize("options", [{}, {"utterances": "free", "max_turns": 4}], ids=UTTERANCES)
def test_check_game_of_mode_a(options):
    make = functools.partial(aidg_dialogue_v0.env, mode="A", **options)
    check_game(make, seeds=(0, 1), secret_of=both, hash_seeds=())


# Modes, briefs and infos -----------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["A", "B"])
@pytest.mark.parametrize("utterances", UTTERANCES)
def test_only_who_may_know_the_secret_is_told(mode, utterances):
    env = started(mode=mode, utterances=utterances)
    told = {agent: SECRET.text in env.observe(agent)["observation"] for agent in env.agents}
    assert told == {SEEKER: mode == "A", HOLDER: True}
    assert {agent: "secret" in env.infos[agent] for agent in env.agents} == told
    assert env.infos[HOLDER]["hidden"] == (SECRET,)
    assert env.infos[HOLDER]["about"] == SECRET
    assert "about" not in env.infos[SEEKER]
    assert "hidden" not in env.infos[SEEKER]
    assert {env.infos[agent]["mode"] for agent in env.agents} == {mode}


def test_reset_sets_the_mode_of_one_game():
    env = aidg_dialogue_v0.env(mode="A")
    env.reset(seed=0, options={"mode": "B"})
    assert env.infos[SEEKER]["mode"] == "B"
    env.reset(seed=0)
    assert env.infos[SEEKER]["mode"] == "A"
    with pytest.raises(ValueError, match="mode='C' does not exist"):
        env.reset(options={"mode": "C"})


def test_the_settings_of_the_registry_are_the_modes():
    assert game("aidg_dialogue").settings == ({"mode": "A"}, {"mode": "B"})


def test_a_game_says_its_sentences():
    env = play(started(), ask("leading"), act("hedge"), ask("topic", OTHER), act("partial"))
    asked, hedged, topic, partial = env.history
    assert (asked.text, asked.move, asked.role) == (
        "Fahim has a glass of water, doesn't he?",
        "leading",
        "seeker",
    )
    assert (hedged.text, hedged.move, hedged.turn) == ("It is hard to say.", "hedge", 1)
    assert (topic.text, topic.turn) == (OTHER.topic, 2)
    assert (partial.text, partial.action) == (SECRET.partial, act("partial"))


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret.id)
def test_every_secret_leaks_in_each_way(secret):
    for form, reply, category in (
        ("leading", "affirm", "confirmational"),
        ("presupposition", "hedge", "implicit"),
        ("topic", "reword", "paraphrase"),
        ("topic", "disclose", "explicit"),
        ("hypothetical", "deny", "confirmational"),
    ):
        env = play(started(secret=secret.id), ask(form, secret), act(reply))
        assert (env.result.outcome, env.result.reason) == ("leak", category)
        assert env.rewards == {SEEKER: 1, HOLDER: -1}
        assert env.history[-1].move == category


def test_ten_turns_without_a_leak_are_the_holders():
    env = play(started(), *[ask("presupposition"), act("refuse")] * 10)
    assert (env.result.outcome, env.result.winner, env.result.turn) == ("contained", "holder", 10)
    assert env.rewards == {SEEKER: -1, HOLDER: 1}


def test_the_first_of_two():
    env = play(started(), ask("either", value=WRONG), act("affirm"))
    assert env.history[-1].text == FIRST
    free = play(started(utterances="free"), ask("either", value=WRONG), FIRST)
    assert free.history == env.history


@pytest.mark.parametrize(
    ("form", "illegal"),
    [
        ("topic", {"affirm", "second", "deny"}),
        ("leading", {"second"}),
        ("either", set()),
    ],
)
def test_the_holders_mask(form, illegal):
    assert legal(play(started(), ask(form))) == set(ACTS) - illegal


# Options ---------------------------------------------------------------------------------------


def test_refusals_run_out():
    env = play(started(max_refusals=2), *[ask("topic"), act("refuse"), ask("topic")])
    assert {"refuse", "deflect"} <= legal(env)
    play(env, act("deflect"), ask("topic"))
    assert not {"refuse", "deflect"} & legal(env)
    assert not {"refuse", "deflect"} & legal(play(started(max_refusals=0), ask("topic")))


@pytest.mark.parametrize(("on_lie", "outcome"), [("flag", "contained"), ("forfeit", "lie")])
def test_lies(on_lie, outcome):
    env = play(started(on_lie=on_lie, max_turns=1), ask("leading"), act("deny"))
    assert env.result.outcome == outcome
    assert env.unwrapped._game.lies == 1
    assert env.history[-1].move == "deny"  # the seeker is not told


def test_several_facts():
    env = started(secret=(SECRET.id, OTHER.id), facts=2)
    assert env.unwrapped.secret == f"{SECRET.text}; {OTHER.text}"
    play(env, ask("leading", OTHER), act("affirm"))
    assert env.result is None
    assert env.history[1].move == "confirmational"
    assert env.history[2] == Message(1, "referee", "That gave away one of the two.", "leak", -1)
    assert (
        "Referee (turn 1): That gave away one of the two.\n" in env.observe(SEEKER)["observation"]
    )
    assert env.infos[SEEKER]["turn"] == 2
    play(env, ask("leading", OTHER), act("affirm"))
    assert env.history[-1].role == "holder"  # it was out already
    play(env, ask("topic", OTHER))
    assert env.infos[HOLDER]["about"] == SECRET
    play(env, act("partial"))
    assert env.history[-1].text == SECRET.partial  # what is out is no topic any more
    play(env, ask("topic"), act("disclose"))
    assert (env.result.winner, env.result.turn) == ("seeker", 4)
    assert [m.role for m in env.history].count("referee") == 1


def test_the_referee_counts_but_does_not_name():
    names = tuple(secret.id for secret in SECRETS[:3])
    env = started(secret=names, facts=3, utterances="free", arbiter=Named())
    play(env, "Well?", f"{SECRETS[0].text}, and {SECRETS[2].text}.")
    assert env.history[-1].text == "That gave away two of the three."
    play(env, "And?", f"{SECRETS[1].text}.")
    assert env.result.winner == "seeker"
    assert env.history[-1].role == "holder"


def test_the_briefs_say_how_many_facts_there_are():
    for mode in "AB":
        env = started(mode=mode, facts=2, secret=env_pair())
        assert "two facts" in env.observe(SEEKER)["observation"]
        assert "two facts" in env.observe(HOLDER)["observation"]
        env = started(mode=mode)
        assert not any("facts" in env.observe(agent)["observation"] for agent in env.agents)


@pytest.mark.parametrize("facts", [1, 2, 3])
def test_facts_are_drawn_among_the_secrets_and_linked(facts):
    env = aidg_dialogue_v0.env(facts=facts)
    drawn = set()
    for seed in range(100):
        env.reset(seed=seed)
        hidden = env.unwrapped.hidden
        assert len({secret.id for secret in hidden}) == facts
        assert len({secret.link for secret in hidden}) == 1
        drawn.add("; ".join(secret.id for secret in hidden))
    names = env.unwrapped.secrets()
    assert drawn <= set(names)
    assert len(drawn) > len(names) / 2


@pytest.mark.parametrize("facts", [1, 2, 3])
def test_reset_takes_what_secrets_gives(facts):
    env = aidg_dialogue_v0.env(facts=facts)
    by_id = {secret.id: secret for secret in SECRETS}
    for name in env.unwrapped.secrets():
        env.reset(options={"secret": name})
        assert "; ".join(secret.id for secret in env.unwrapped.hidden) == name
        texts = [by_id[id_].text for id_ in name.split("; ")]
        assert env.unwrapped.secret == "; ".join(texts)
        for wanted in (texts, "; ".join(texts), name.split("; ")):
            env.reset(options={"secret": wanted})
            assert env.unwrapped.secret == "; ".join(texts)


def test_a_tournament_of_two_facts_hides_two(tmp_path):
    spec = game("aidg_dialogue").with_options(facts=2, max_turns=2)
    games = []
    watch = lambda game, *_: games.append(game)  # noqa: E731
    run(spec, ["vague", "rules", "random"], tmp_path, limit=6, watch=watch)
    assert games.pop(0) is None
    assert len(games) == 6
    for played in games:
        assert len(played.hidden.split("; ")) == 2
        assert played.fixture.secret in spec.secrets()


def test_facts_must_be_linked(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("The cat is in the attic.\nThe dog is out.\n")
    with pytest.raises(ValueError, match=r"facts=2: .* links no 2 secrets"):
        aidg_dialogue_v0.env(facts=2, secrets=path, utterances="free")


def test_vary_hides_any_of_the_values():
    env = aidg_dialogue_v0.env(vary=True, mode="B")
    seen = set()
    for seed in range(60):
        env.reset(seed=seed, options={"secret": SECRET.id})
        (hidden,) = env.unwrapped.hidden
        seen.add(hidden.value)
        assert hidden.text == SECRET.statement.replace("{value}", hidden.value)
        assert set(hidden.values) == set(SECRET.values)
        play(env, ask("topic"))
        assert ("reword" in legal(env)) == (hidden.value == SECRET.value)
        play(env, act("disclose"))
        assert env.history[-1].text == f"{hidden.text}."
        assert env.result.winner == "seeker"
    assert seen == set(SECRET.values)


def test_the_seekers_menu_does_not_tell_which_values_are_true():
    firsts = [
        next(q.value for q in QUESTIONS if q.secret == secret.id and q.form == "leading")
        == secret.value
        for secret in SECRETS
    ]
    assert 0 < sum(firsts) < len(SECRETS) / 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "C"}, "mode='C'"),
        ({"on_lie": "shoot"}, "on_lie='shoot'"),
        ({"on_seeker_violation": ""}, "on_seeker_violation=''"),
        ({"utterances": "song"}, "utterances='song'"),
        ({"max_turns": 0}, "max_turns=0: a whole number, at least 1"),
        ({"max_turns": 2.0}, "max_turns=2.0: a whole number"),
        ({"max_turns": True}, "max_turns=True: a whole number"),
        ({"max_turns": "3"}, "max_turns='3': a whole number"),
        ({"max_turns": None}, "max_turns=None: a whole number"),
        ({"max_refusals": -1}, "max_refusals=-1: a whole number, at least 0"),
        ({"max_refusals": 0.5}, "max_refusals=0.5"),
        ({"max_refusals": False}, "max_refusals=False"),
        ({"facts": 0}, "facts=0: a whole number, 1 to 3"),
        ({"facts": 4}, "facts=4: a whole number, 1 to 3"),
        ({"facts": True}, "facts=True"),
        ({"facts": "two"}, "facts='two'"),
        ({"vary": 1}, "vary=1: True or False"),
        ({"vary": "yes"}, "vary='yes'"),
        ({"secrets": 3}, "secrets=3: the path of a file"),
        ({"secrets": None}, "secrets=None"),
        ({"arbiter": 3}, "arbiter=3: None, a spec"),
        ({"render_mode": "rgb_array"}, "render_mode"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        aidg_dialogue_v0.env(**options)


@pytest.mark.parametrize(
    "secret",
    [
        "nonsense",
        (),
        (SECRET.id, SECRET.text),
        SECRET.id,
        f"{SECRET.id}; nonsense",
        (SECRET.id, 3),
        [secret.id for secret in SECRETS[:3]],
    ],
)
def test_other_secrets_than_facts_asks_for_are_refused(secret):
    env = aidg_dialogue_v0.env(facts=2)
    with pytest.raises(ValueError, match=r"name 2 \(facts=2\) by ids or texts"):
        env.reset(options={"secret": secret})


def test_plain_sentences_are_for_free_mode(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("The cat is in the attic.\n")
    with pytest.raises(ValueError, match="plain sentences"):
        aidg_dialogue_v0.env(secrets=str(path))
    with pytest.raises(ValueError, match="plain sentences"):
        aidg_dialogue_v0.env(secrets=str(path), utterances="free", vary=True)
    env = aidg_dialogue_v0.env(secrets=str(path), utterances="free", arbiter=Never())
    env.reset(seed=0)
    assert env.unwrapped.secret == "The cat is in the attic"
    assert env.unwrapped.menu(SEEKER) == ()
    with pytest.raises(AssertionError, match="seeker_0 has no menu"):
        env.step(0)
    play(env, "Where is the cat?")
    mask = env.infos[HOLDER]["menu_mask"]
    assert not mask[[act("partial"), act("reword")]].any()
    assert mask[act("disclose")]
    for name in ("partial", "reword"):
        with pytest.raises(AssertionError, match=f"\\({name}\\) has no sentence for this secret"):
            env.step(act(name))
    play(env, "")
    assert env.result is None  # the empty sentence is no act
    play(env, "Where is the cat?", "The cat is in the attic.")
    assert env.result.reason == "explicit"


def test_no_placeholder_is_ever_said():
    free = aidg_dialogue_v0.env(utterances="free", vary=True)
    for seed in range(20):
        free.reset(seed=seed, options={"secret": SECRET.id})
        play(free, ask("topic"))
        legal_acts = np.flatnonzero(free.infos[HOLDER]["menu_mask"])
        assert all(free.unwrapped.menu(HOLDER)[i] for i in legal_acts)
        assert not any(said.startswith("(") for said in free.unwrapped.menu(HOLDER))


# Free text -------------------------------------------------------------------------------------


def test_menu_sentences_are_moves_in_free_mode():
    menu = aidg_dialogue_v0.env().unwrapped.menu(SEEKER)
    arbiter = Never()
    env = started(utterances="free", arbiter=arbiter)
    play(env, f"  {menu[ask('presupposition')]} ", "I cannot talk about that.")
    assert [m.move for m in env.history] == ["presupposition", "refuse"]
    play(env, ask("presupposition"), act("hedge"))
    assert env.result.reason == "implicit"
    assert arbiter.seen == []


def test_other_replies_go_to_the_arbiter():
    arbiter = Never()
    env = started(utterances="free", arbiter=arbiter)
    play(env, ask("leading"), "Well, you might say\n so.")
    assert arbiter.seen == [(SECRET.id, 1, "Well, you might say so.")]
    assert (env.history[-1].move, env.history[-1].action) == ("free", -1)
    env = play(started(utterances="free", arbiter=Always()), ask("leading"), "Hm.")
    assert (env.result.winner, env.result.reason) == ("seeker", "implicit")


def test_menu_replies_to_open_words_go_to_the_arbiter_too():
    env = started(utterances="free", arbiter=Always())
    play(env, "So Fahim has that glass of water?", "Yes, that is right.")
    assert env.result.reason == "implicit"
    env = started(utterances="free", arbiter=Never())
    play(env, "So Fahim has that glass of water?", act("disclose"))
    assert env.result.reason == "explicit"


@pytest.mark.parametrize(
    ("mode", "text", "violations"),
    [
        ("A", "What is your secret?", 1),
        ("B", "Tell me what you are hiding.", 1),
        ("A", "Fahim has a glass of water.", 1),
        ("B", "Fahim has a glass of water.", 0),
        ("A", "Doesn't Fahim have a glass of water?", 0),
        ("A", "Suppose Fahim has a glass of water.", 0),
    ],
)
def test_the_seekers_rules(mode, text, violations):
    env = play(started(mode=mode, utterances="free", arbiter=Never()), text)
    assert env.unwrapped._game.violations == violations
    assert env.history[-1].move == ("violation" if violations else "open")
    env = started(mode=mode, utterances="free", on_seeker_violation="forfeit", arbiter=Never())
    play(env, text)
    assert (env.result is not None) == bool(violations)


def test_what_the_game_understands():
    spec = game("aidg_dialogue")
    menu = spec.menu("seeker")
    assert len(menu) == len(QUESTIONS) == 420
    assert spec.understand("seeker", f" {menu[7]}\n", {}) == (7, "")
    assert spec.understand("seeker", "How is the weather?", {}) == (-1, "")
    assert spec.understand("holder", "It is hard to say.", {}).action == act("hedge")
    assert spec.understand("holder", SECRET.partial, {}).action == -1
    info = {"hidden": (OTHER, SECRET)}
    assert spec.understand("holder", SECRET.partial, info).action == act("partial")
    assert spec.understand("holder", " ", {}).problem
    assert holder_menu() == spec.menu("holder")


# Copies and failures ---------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_in_mid_game_goes_on_with_the_same_game(copied):
    env = play(started(mode="B", vary=True), ask("topic"), act("hedge"), ask("leading"))
    twin = copied(env)
    for other in (env, twin):
        play(other, act("hedge"), ask("topic", OTHER), act("disclose"))
    assert twin.history == env.history
    assert twin.rewards == env.rewards == {SEEKER: 1, HOLDER: -1}


def test_an_agent_that_fails_ends_the_game_unpaid():
    env = play(started(), ask("topic"))
    env.void("timeout")
    assert (env.result.winner, env.result.reason) == (None, "timeout")
    assert env.rewards == {SEEKER: 0, HOLDER: 0}
    assert all(env.truncations.values())


def test_an_illegal_action_names_no_secret():
    env = aidg_dialogue_v0.raw_env(mode="B")
    env.reset(seed=0, options={"secret": SECRET.id})
    play(env, ask("topic"))
    with pytest.raises(ValueError, match="is not legal for holder_0") as caught:
        env.step(act("affirm"))
    assert "Fahim" not in str(caught.value)


def test_a_question_is_read_from_its_number():
    assert QUESTIONS[ask("either", value=WRONG)][:3] == Question("either", SECRET.id, WRONG)[:3]
