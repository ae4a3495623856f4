"""cross_examination_v0 under PettingZoo's own tests and ours; its cases, options and views."""

from __future__ import annotations

import copy
import functools
import pickle
import re

import numpy as np
import pytest
from cross_case import SMALL, exhibit
from pettingzoo import test as official
from support.warnings import ONLY_UNAVOIDABLE

from unspoken.envs import cross_examination_v0
from unspoken.envs.cross_examination.cases import load_all
from unspoken.envs.cross_examination.features import size
from unspoken.envs.cross_examination.jury import Label
from unspoken.envs.cross_examination.menu import ANSWERS
from unspoken.envs.cross_examination.rules import FORMS, Examination
from unspoken.testing import TextDtypeView, check_game

QUESTIONER, WITNESS = "questioner_0", "witness_0"
HOME, OFFICE, BADGE, TIRED, SUNDAY, GUARDED = range(6)
LOG = "I show you the log: it says so. I ask you again. It was office, wasn't it?"

pytestmark = ONLY_UNAVOIDABLE

UTTERANCES = ("menu", "free")


@pytest.fixture
def path(written):
    return written(SMALL)


def started(path, *, seed=0, **options):
    env = cross_examination_v0.env(case=path, **options)
    env.reset(seed=seed)
    return env


def play(env, *actions):
    for action in actions:
        env.step(action)
    return env


def ask(fact, form="open"):
    return len(FORMS) * fact + FORMS.index(form)


def say(content, manner="clear"):
    return ANSWERS.index((content, manner))


def legal(env):
    agent = env.agent_selection
    return np.flatnonzero(env.observe(agent)["action_mask"]).tolist()


# PettingZoo's own tests ------------------------------------------------------------------------


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_api(utterances):
    official.api_test(TextDtypeView(cross_examination_v0.env(utterances=utterances)), num_cycles=60)


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_seed(utterances):
    official.seed_test(lambda: cross_examination_v0.env(utterances=utterances), num_cycles=60)


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_parallel_api(utterances):
    env = cross_examination_v0.parallel_env(utterances=utterances)
    official.parallel_api_test(env, num_cycles=60)


def test_render():
    official.render_test(cross_examination_v0.env)


# Our own test ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "hash_seeds"),
    [
        pytest.param({}, (1, 2), marks=pytest.mark.slow),
        ({"utterances": "free", "render_mode": "ansi", "max_turns": 3}, ()),
        ({"jury": "model", "nonzero_mask": True, "exhibits": None, "max_turns": 3}, ()),
        ({"reward": "standing", "exhibits": 0, "max_turns": 3}, ()),
    ],
    ids=["menu", "free", "model", "standing"],
)
def test_check_game(options, hash_seeds):
    check_game(
        functools.partial(cross_examination_v0.env, **options),
        seeds=(0,),
        hash_seeds=hash_seeds,
        nonzero_mask=options.get("nonzero_mask", False),
    )


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_the_questioner_sees_nothing_of_the_truth(written, tmp_path, utterances):
    """Two cases that differ in the truth only, but for what an exhibit proves."""
    other = SMALL
    for id_, was in (("badge", "false"), ("guarded", "true"), ("tired", "true")):
        now = {"true": "false", "false": "true"}[was]
        pattern = rf'(id = "{id_}"(?:.*\n){{4}}truth = ){was}'
        other, changed = re.subn(pattern, rf"\g<1>{now}", other)
        assert changed == 1
    written(SMALL, "one.toml")
    written(other, "other.toml")
    assert len({case.truth for case in load_all(tmp_path)}) == 2
    make = functools.partial(
        cross_examination_v0.env, case=tmp_path, jury="model", utterances=utterances, max_turns=5
    )
    check_game(make, seeds=(0,), hash_seeds=())
    shell = make().unwrapped
    assert len({shell.public(name) for name in shell.secrets()}) == 1  # so they were compared


def test_the_witness_sees_nothing_of_the_exhibits(written):
    path = written(SMALL + exhibit("a photograph", "guarded") + exhibit("a note", "home"))
    views = {}
    for seed in range(20):
        env = started(path, seed=seed, exhibits=1)
        held = env.infos[QUESTIONER]["exhibits"]
        play(env, ask(HOME), say("affirm"), ask(BADGE, "leading"), say("deny"))
        seen = env.observe(WITNESS)["observation"], repr(env.infos[WITNESS])
        views.setdefault(held, set()).add(seen)
    assert len(views) == 3
    assert len(set.union(*views.values())) == 1


# Briefs, sentences and infos -------------------------------------------------------------------


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_what_each_is_told(path, utterances):
    env = started(path, utterances=utterances)
    told = {agent: env.observe(agent)["observation"] for agent in env.agents}
    for text in told.values():
        assert "A letter was opened in the office on Sunday." in text
        assert "Nobody disputes this: Kim: sunday." in text
        assert "that Kim did not open it" in text
    assert "- the log: it says so\n" in told[QUESTIONER]
    assert "the place, the state Kim was in" in told[QUESTIONER]
    assert "the log" not in told[WITNESS]
    secret = env.unwrapped.secret
    assert secret == (
        "True: Kim: office; Kim: tired; Kim: sunday; Kim: guarded. False: Kim: home; Kim: badge."
    )
    assert "\n" not in secret
    assert {agent: secret in text for agent, text in told.items()} == {
        QUESTIONER: False,
        WITNESS: True,
    }


def test_a_game_says_its_sentences(path):
    env = started(path)
    play(env, ask(OFFICE), say("deny"), ask(BADGE, "leading"), say("affirm", "vague"))
    play(env, ask(OFFICE, "impeachment"), say("none", "off_point"))
    play(env, ask(OFFICE, "impeachment"), say("deny", "hedged"))
    play(env, ask(OFFICE, "impeachment"), say("affirm", "off_point"))
    texts = [message.text for message in env.history]
    assert texts == [
        "What of office?",
        "It was not office.",
        "It was badge, wasn't it?",
        "In a manner of speaking, it was badge.",
        f'You said: "It was not office." {LOG}',
        "Sundays are for gardens.",
        f'You said: "It was not office." {LOG}',
        "As far as I remember, it was not office.",
        'You said: "As far as I remember, it was not office." You also said: "In a manner of '
        "speaking, it was badge.\" Both cannot be. I ask you again. It was office, wasn't it?",
        "Sundays are for gardens. As for your question, it was office.",
    ]
    assert [message.move for message in env.history[:6]] == [
        "open",
        "deny clear",
        "leading",
        "affirm vague",
        "impeachment",
        "none off_point",
    ]
    assert [message.turn for message in env.history] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert "Witness (turn 1): It was not office.\n" in env.observe(QUESTIONER)["observation"]


def test_yes_and_no_to_leading_questions(path):
    env = play(started(path), ask(HOME), say("none"), ask(BADGE, "leading"), say("deny"))
    play(env, ask(OFFICE, "leading"), say("affirm"))
    assert env.history[3].text == "No, it was not badge."
    assert env.history[5].text == "Yes, it was office."


def test_infos(path):
    env = started(path)
    assert env.infos[QUESTIONER]["question"] is None
    play(env, ask(OFFICE))
    for agent in env.agents:
        info = env.infos[agent]
        assert info["question"][:2] == ("open", OFFICE)
        assert (info["case"].id, info["case"].truth, info["case"].exhibits) == ("", (), ())
    assert "truth" not in env.infos[QUESTIONER]
    assert "exhibits" not in env.infos[WITNESS]
    assert env.infos[WITNESS]["truth"] == (False, True, False, True, True, True)
    assert [held.name for held in env.infos[QUESTIONER]["exhibits"]] == ["the log"]
    play(env, say("deny"), ask(OFFICE, "impeachment"))
    assert [shown.name for shown in env.infos[WITNESS]["shown"]] == ["the log"]
    play(env, say("deny", "hedged"))
    info = env.infos[QUESTIONER]
    assert info["turns"][-1].label == Label("none", man=True, qual=True)
    assert info["standing"] == info["turns"][-1].account.standing == 0.25  # (1 - 0.5) / 2


def test_the_masks(path):
    env = started(path)
    assert legal(env) == [ask(fact) for fact in range(6)]
    play(env, ask(HOME))
    assert legal(env) == [say(c, m) for c, m in ANSWERS if c != "partial"]
    play(env, say("none"))
    place = {ask(fact, form) for fact in (HOME, OFFICE, BADGE) for form in ("open", "leading")}
    assert set(legal(env)) == place | {ask(fact) for fact in (TIRED, SUNDAY, GUARDED)}
    play(env, ask(OFFICE))
    assert legal(env) == list(range(len(ANSWERS)))
    play(env, say("deny"))
    assert ask(OFFICE) not in legal(env)
    assert ask(OFFICE, "leading") not in legal(env)
    assert ask(OFFICE, "impeachment") in legal(env)


def test_menus_before_a_game_name_no_case():
    menu = cross_examination_v0.env().unwrapped.menu
    assert len(menu(QUESTIONER)) == 42
    assert menu(QUESTIONER)[3:5] == ("(open question on fact 2)", "(leading question on fact 2)")
    assert menu(WITNESS)[3] == "(affirm, hedged)"


def test_menus_are_those_of_the_dealt_case():
    env = cross_examination_v0.env()
    for case in load_all():
        env.reset(seed=0, options={"secret": case.id})
        menu = env.unwrapped.menu(QUESTIONER)
        assert len([*filter(None, menu)]) == 2 * len(case.facts)
        assert len(menu) == 42
        assert menu[0] == case.facts[0].open
        assert env.observe(QUESTIONER)["action_mask"].shape == (42,)


def test_features_by_hand(path):
    env = play(started(path), ask(OFFICE), say("deny"), ask(OFFICE, "impeachment"))
    seen = {agent: env.infos[agent]["features"] for agent in env.agents}
    for agent in env.agents:
        assert seen[agent].dtype == np.float32
        assert seen[agent].shape == (size(6),) == (8 + 9 * 6,)
    chance = 1 / (1 + np.exp(-(0.25 + 1.47)))
    whole = [1 / 12, 1, 1 / 12, 0, chance, 0, 0, 1]
    #       bears asked raised stands known yes no part own
    rows = {
        HOME: [1, 0, 1, 0, -1, 0, 0, 0, 0],
        OFFICE: [-1, 1, 1, -1, 1, 1, 0, 1, 1],
        BADGE: [-1, 0, 1, 0, 0, 1, 0, 0, 0],
        TIRED: [0, 0, 0, 0, 0, 0, 0, 1, 0],
        SUNDAY: [0, 0, 0, 0, 1, 0, 0, 0, 0],
        GUARDED: [1, 0, 0, 0, 0, 1, 0, 0, 0],
    }
    assert seen[QUESTIONER] == pytest.approx(np.concatenate([whole, *rows.values()]), abs=1e-6)
    for fact, own in enumerate([-1, 1, -1, 1, 1, 1]):
        rows[fact][-1] = own
    assert seen[WITNESS] == pytest.approx(np.concatenate([whole, *rows.values()]), abs=1e-6)


def test_features_of_a_shorter_case_end_in_zeros():
    env = cross_examination_v0.env()
    sizes = {case.id: len(case.facts) for case in load_all()}
    shortest = min(sizes, key=sizes.__getitem__)
    env.reset(seed=0, options={"secret": shortest})
    features = env.infos[WITNESS]["features"]
    assert features.shape == (8 + 9 * max(sizes.values()),)
    assert not features[8 + 9 * sizes[shortest] :].any()


# The jury --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threshold", "outcome"), [(0.5, "believed"), (0.51, "discredited"), (-1, "believed")]
)
def test_the_witness_is_believed_from_the_threshold_on(path, threshold, outcome):
    env = started(path, max_turns=1, threshold=threshold)
    play(env, ask(TIRED), say("affirm"))  # neutral: 0.5
    assert env.result.outcome == outcome
    won = 1 if outcome == "believed" else -1
    assert env.rewards == {WITNESS: won, QUESTIONER: -won}
    assert (env.result.turn, env.result.reason) == (1, "standing 0.500")


def test_a_standing_of_three_tenths_is_three_tenths(path):
    env = started(path, max_turns=1, threshold=0.3)
    play(env, ask(TIRED), say("partial", "vague"))  # 0.5 - 0.5 * 0.4
    assert env.result.winner == "witness"


def test_rewards_by_standing(path):
    env = started(path, max_turns=2, reward="standing")
    play(env, ask(HOME), say("affirm"), ask(OFFICE, "leading"), say("affirm", "hedged"))
    # (1 - 0 + 0.4 - 1.28) / 2; see the dialogue by hand in test_cross_rules
    assert env.rewards == {WITNESS: pytest.approx(0.06), QUESTIONER: pytest.approx(-0.06)}
    assert env.result.winner == "questioner"


def test_a_juror_is_drawn_by_the_outcome_model(path):
    env = cross_examination_v0.env(case=path, max_turns=1, jury="model")
    believed = 0
    for seed in range(400):
        env.reset(seed=seed)
        play(env, ask(OFFICE), say("affirm"))  # detrimental: BaT 0, PaT 1
        believed += env.result.winner == "witness"
    chance = 1 / (1 + np.exp(-(0.25 - 1.77)))
    assert abs(believed / 400 - chance) < 4 * np.sqrt(chance * (1 - chance) / 400)


def test_a_game_lasts_two_steps_a_turn_at_most():
    env = cross_examination_v0.env(max_turns=100)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        steps = 0
        while env.result is None:
            env.step(int(rng.choice(legal(env))))
            steps += 1
        assert steps == 2 * env.result.turn <= 200


# Options ---------------------------------------------------------------------------------------


def test_the_cases_that_are_dealt(path, tmp_path):
    assert cross_examination_v0.env().unwrapped.secrets() == tuple(c.id for c in load_all())
    one = cross_examination_v0.env(case="van_accident").unwrapped
    assert one.secrets() == ("van_accident",)
    assert cross_examination_v0.env(case=str(path)).unwrapped.secrets() == ("small",)
    assert cross_examination_v0.env(case=tmp_path).unwrapped.secrets() == ("small",)
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        cross_examination_v0.env(case="no_such_case")


def test_what_is_public_of_a_case_tells_cases_apart():
    shell = cross_examination_v0.env().unwrapped
    assert len({shell.public(name) for name in shell.secrets()}) == len(shell.secrets())


def test_reset_takes_what_secrets_gives():
    env = cross_examination_v0.env()
    for name in env.unwrapped.secrets():
        env.reset(seed=3, options={"secret": name})
        assert env.unwrapped._game.case.id == name
    with pytest.raises(ValueError, match="secret='nonsense': name one of this env's cases: clin"):
        env.reset(options={"secret": "nonsense"})


@pytest.mark.parametrize(("exhibits", "held"), [(0, 0), (2, 2), (None, 5), (9, 5)])
def test_how_many_exhibits_there_are(exhibits, held):
    env = cross_examination_v0.env(case="van_accident", exhibits=exhibits)
    drawn = set()
    for seed in range(30):
        env.reset(seed=seed)
        hand = env.infos[QUESTIONER]["exhibits"]
        assert len(set(hand)) == len(hand) == held
        drawn.add(hand)
    assert len(drawn) == {0: 1, 2: 10, 5: 1}[held]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"case": 3}, "case=3: a case of the package, or the path"),
        ({"max_turns": 0}, "max_turns=0: a whole number, at least 1"),
        ({"max_turns": 2.0}, "max_turns=2.0: a whole number"),
        ({"max_turns": True}, "max_turns=True: a whole number"),
        ({"exhibits": -1}, "exhibits=-1: a whole number, at least 0, or None"),
        ({"exhibits": "all"}, "exhibits='all'"),
        ({"jury": "twelve"}, "jury='twelve' does not exist"),
        ({"threshold": 1.5}, "threshold=1.5: a number from -1 to 1"),
        ({"threshold": "0"}, "threshold='0': a number"),
        ({"threshold": True}, "threshold=True: a number"),
        ({"threshold": float("nan")}, "threshold=nan: a number"),
        ({"reward": "money"}, "reward='money'"),
        ({"utterances": "song"}, "utterances='song'"),
        ({"annotator": 3}, "annotator=3: None, a spec, or an object with label()"),
        ({"render_mode": "rgb_array"}, "render_mode"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        cross_examination_v0.env(**options)


# Free text -------------------------------------------------------------------------------------


def test_menu_sentences_are_moves_in_free_mode(path):
    menu, free = started(path), started(path, utterances="free")
    for action in (ask(OFFICE), say("deny"), ask(OFFICE, "impeachment"), say("affirm", "vague")):
        text = menu.unwrapped.menu(menu.agent_selection)[action]
        play(menu, action)
        play(free, f"  {text}\n")
    assert free.history == menu.history
    play(menu, ask(BADGE))
    play(free, ask(BADGE))
    assert free.history == menu.history


def test_other_words_are_read(path):
    env = started(path, utterances="free")
    play(env, "Where do you say you were, at home?", "I was at home, I think.")
    asked, answered = env.history
    assert (asked.move, asked.action) == ("open", -1)
    assert (answered.move, answered.action) == ("affirm hedged", -1)
    turn = env.infos[WITNESS]["turns"][0]
    assert (turn.question.fact, turn.label) == (HOME, Label("beneficial", man=True))
    play(env, "How do you do?", "Very well, thank you.")
    assert env.history[2].move == "other"
    assert env.infos[WITNESS]["turns"][1].label == Label("neutral")


def test_what_cannot_be_said_now_is_other_words(path):
    env = started(path, utterances="free")
    play(env, "What of office?", "It was not office.", "What of office?")
    assert (env.history[2].move, env.history[2].action) == ("other", -1)
    mask = env.infos[WITNESS]["menu_mask"]
    assert [ANSWERS[i][0] for i in np.flatnonzero(mask)] == ["affirm"] * 4 + ["deny"] * 4 + [
        "none"
    ] * 4
    play(env, say("deny"))
    assert env.history[-1].text == "That is not so."


def test_indices_without_a_sentence_are_refused_in_free_mode(path):
    env = started(path, utterances="free")
    with pytest.raises(AssertionError, match="action 2 has no sentence for questioner_0 now"):
        env.step(ask(HOME, "impeachment"))
    play(env, ask(HOME))
    with pytest.raises(AssertionError, match="action 8 has no sentence for witness_0 now"):
        env.step(say("partial"))


class Strict:
    """An annotator that finds everything detrimental, and remembers what it was asked."""

    def __init__(self):
        self.seen = []

    def label(self, case, history, question, answer):
        self.seen.append((case.id, case.truth, history[-1].text, question.fact, answer))
        return Label("detrimental")


def test_an_annotator_labels_what_is_in_no_menu(path):
    annotator = Strict()
    env = started(path, utterances="free", annotator=annotator)
    play(env, ask(HOME), "I surely was at home.", ask(OFFICE), say("deny"))
    assert annotator.seen == [("", (), "What of home?", HOME, "I surely was at home.")]
    turns = env.infos[WITNESS]["turns"]
    assert [turn.label.commitment for turn in turns] == ["detrimental", "beneficial"]
    assert not env.unwrapped.waits
    assert env.unwrapped.take_trace() == []


def test_an_annotator_by_its_spec(path):
    env = started(path, utterances="free", annotator="rules")
    play(env, ask(HOME), "I do not recall.")
    assert env.infos[WITNESS]["turns"][0].label.commitment == "none"
    with pytest.raises(ValueError, match="oracle"):
        cross_examination_v0.env(annotator="oracle")


@pytest.mark.parametrize("utterances", UTTERANCES)
def test_what_the_game_understands(path, utterances):
    env = started(path, utterances=utterances)
    understand = env.unwrapped.understand
    info = env.infos[QUESTIONER]
    free = utterances == "free"
    assert understand("questioner", " What of office?\n", info) == (ask(OFFICE), "")
    assert understand("questioner", " ", info).problem == "You said nothing."
    said = understand("questioner", "It was office, wasn't it?", info)  # no topic was raised yet
    assert said == (-1, "" if free else "That cannot be said now.")
    said = understand("questioner", "How are you?", info)
    assert said == (-1, "" if free else "That is not in the menu.")
    play(env, ask(OFFICE))
    said = understand("witness", "As far as I remember, it was office.", env.infos[WITNESS])
    assert said.action == say("affirm", "hedged")


# Copies and failures ---------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_in_mid_game_goes_on_with_the_same_game(path, copied):
    env = play(started(path, jury="model", max_turns=2), ask(OFFICE), say("deny"))
    twin = copied(env)
    for other in (env, twin):
        play(other, ask(OFFICE, "impeachment"), say("affirm"))
    assert twin.history == env.history
    assert twin.result == env.result
    assert twin.rewards == env.rewards


def test_an_agent_that_fails_ends_the_game_unpaid(path):
    env = play(started(path, reward="standing"), ask(OFFICE), say("deny"), ask(TIRED))
    env.void("timeout")
    assert (env.result.winner, env.result.reason, env.result.turn) == (None, "timeout", 2)
    assert env.rewards == {QUESTIONER: 0, WITNESS: 0}
    assert all(env.truncations.values())


def test_an_illegal_action_names_nothing_hidden(path):
    env = cross_examination_v0.raw_env(case=path)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="is not legal for questioner_0") as caught:
        env.step(ask(OFFICE, "impeachment"))
    assert "log" not in str(caught.value)


def test_the_env_is_the_rules(path):
    """The same moves in the env and in the plain state machine."""
    env = play(started(path), ask(HOME), say("affirm"), ask(OFFICE, "leading"), say("deny"))
    game = Examination(load_all(path)[0], (0,))
    for fact, form, content in ((HOME, "open", "affirm"), (OFFICE, "leading", "deny")):
        game.ask(game.questions()[ask(fact, form)])
        game.answer(content, "clear")
    assert env.infos[WITNESS]["turns"] == tuple(game.turns)
