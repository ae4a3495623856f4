"""Features: in their space, named, right, and without what a role may not know."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unspoken.agents import features
from unspoken.agents.sneak.speakers import RandomWord
from unspoken.agents.specs import make_agent
from unspoken.envs.aidg_dialogue.rules import ACTS
from unspoken.envs.aidg_search.batch import Batch
from unspoken.envs.aidg_search.ontology import load
from unspoken.envs.aidg_search.rules import ANSWERS
from unspoken.envs.registry import game, games, role_of
from unspoken.evaluator import chameleon as chameleon_kernels
from unspoken.evaluator.chameleon_reference import Position, speech
from unspoken.lexicon.vectors import similarity, vocabulary

SEATS = [(name, role) for name, spec in games().items() for role in spec.roles]
VARIED = {
    "aidg_search": {"holder_noise": 0.2, "max_turns": 6},
    "aidg_dialogue": {"facts": 2, "vary": True, "max_refusals": 2, "mode": "B"},
    "sneak": {"n_words": 4, "n_decoys": 2},
    "chameleon": {"players": 5, "clue_rounds": 2, "discussion": 1, "tie": "revote"},
    "cross_examination": {"max_turns": 4},
}


def legal(env, rng) -> int:
    agent = env.agent_selection
    info = env.infos[agent]
    mask = info["menu_mask" if "menu_mask" in info else "action_mask"]
    return int(rng.choice(np.flatnonzero(mask)))


def named(spec, role, info) -> dict[str, float]:
    numbers = features.encode(spec, role, info)
    return dict(zip(features.layout(spec, role).names, map(float, numbers), strict=True))


@pytest.mark.parametrize("utterances", ["menu", "free"])
@pytest.mark.parametrize("varied", [False, True])
@pytest.mark.parametrize("name", games())
def test_features_are_in_their_space_for_everybody_at_any_time(name, varied, utterances) -> None:
    spec = game(name).with_options(utterances=utterances, **(VARIED[name] if varied else {}))
    env, rng = spec.env(), np.random.default_rng(0)
    spaces = {role: features.space(spec, role) for role in spec.roles}
    for seed in range(4):
        env.reset(seed=seed)
        while env.agents:
            for agent in env.agents:
                info = env.infos[agent]
                numbers = features.encode(spec, role_of(agent), info)
                assert numbers in spaces[role_of(agent)]
                assert numbers.dtype == np.float32
                assert features.encode(spec, role_of(agent), info) is not numbers
            over = env.terminations[env.agent_selection]
            env.step(None if over else legal(env, rng))


@pytest.mark.parametrize(("name", "role"), SEATS)
def test_every_number_has_a_name_of_its_own(name, role) -> None:
    names = features.layout(game(name), role).names
    assert len(set(names)) == len(names)


def twins(name, seed):
    """Two games that look the same to those who are not told."""
    options = {
        "aidg_search": ({"secret": "tiger"}, {"secret": "chair"}),
        "aidg_dialogue": ({"mode": "B"}, {"mode": "B"}),
        "sneak": ({"secret": "bird/owl"}, {"secret": "bird/eagle"}),
        "chameleon": (
            {"secret": "bird/owl", "chameleon": "player_1"},
            {"secret": "bird/eagle", "chameleon": "player_1"},
        ),
    }[name]
    spec = game(name)
    if name == "aidg_dialogue":
        first, second = spec.secrets()[:2]
        options = ({"secret": first, "mode": "B"}, {"secret": second, "mode": "B"})
    envs = spec.env(), spec.env()
    for env, one in zip(envs, options, strict=True):
        env.reset(seed=seed, options=one)
    return spec, envs


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["aidg_search", "aidg_dialogue", "sneak", "chameleon"])
def test_games_that_differ_in_what_is_hidden_look_alike(name, seed) -> None:
    spec, envs = twins(name, seed)
    rng = np.random.default_rng(seed)
    compared = 0
    told = envs[0].keepers
    while all(env.result is None for env in envs) and envs[0].history == envs[1].history:
        for agent in set(envs[0].agents) - set(told):
            one, other = (
                features.encode(spec, role_of(agent), env.infos[agent]).tobytes() for env in envs
            )
            assert one == other
            compared += 1
        both = np.logical_and(*(env.infos[env.agent_selection]["action_mask"] for env in envs))
        action = int(rng.choice(np.flatnonzero(both)))
        for env in envs:
            env.step(action)
    assert compared


def test_who_is_the_chameleon_does_not_show() -> None:
    spec = game("chameleon").with_options(discussion=1)
    envs = spec.env(), spec.env()
    for env, lone in zip(envs, ("player_1", "player_2"), strict=True):
        env.reset(seed=1, options={"secret": "bird/owl", "chameleon": lone})
    rng = np.random.default_rng(0)
    while not any(env.result or env.infos["player_0"]["votes"] for env in envs):
        one, other = (features.encode(spec, "player", env.infos["player_0"]) for env in envs)
        assert one.tobytes() == other.tobytes()
        action = legal(envs[0], rng)
        for env in envs:
            env.step(action)


def test_what_exhibits_are_held_does_not_show_to_the_witness() -> None:
    spec = game("cross_examination")
    case = spec.secrets()[0]
    seen, held = set(), set()
    for seed in range(5):
        env = spec.env()
        env.reset(seed=seed, options={"secret": case})
        held.add(tuple(e.name for e in env.infos["questioner_0"]["exhibits"]))
        seen.add(features.encode(spec, "witness", env.infos["witness_0"]).tobytes())
    assert len(held) > 1
    assert len(seen) == 1


@pytest.mark.parametrize(
    "options",
    [{}, {"holder_noise": 0.3, "max_turns": 8}, {"words": ["chair", "tiger", "river", "magnet"]}],
)
def test_the_seeker_sees_what_the_batch_gives(options) -> None:
    spec = game("aidg_search").with_options(**options)
    env, batch, rng = spec.env(), Batch(1, **options), np.random.default_rng(0)
    holder = make_agent("table", "aidg_search")
    batch.reset(seed=3)
    for seed in range(15):
        env.reset(seed=3 if seed == 0 else None)
        holder.reset("holder", spec, seed)
        while env.result is None:
            if env.agent_selection == "holder_0":
                action = holder.act(env.observe("holder_0"), env.infos["holder_0"])
            else:
                info = env.infos["seeker_0"]
                seen = features.encode(spec, "seeker", info)
                np.testing.assert_allclose(seen, batch.features()[0], atol=2e-5)
                # of few questions, so that some are asked again
                last = info["turn"] == spec.options.get("max_turns", 16)
                action = legal(env, rng) if last else int(rng.integers(10))
            batch.step([action])
            env.step(action)


def test_beliefs_are_by_bayes() -> None:
    spec, ontology = game("aidg_search"), load()
    env = spec.env()
    env.reset(seed=0, options={"secret": "tiger"})
    posterior = np.ones(100)
    for question, answer in ((4, 1), (17, 0)):
        env.step(question)
        env.step(answer)
        posterior *= [max(cell, 1e-12) for cell in ontology.table[:, question, answer]]
    posterior /= posterior.sum()
    numbers = features.encode(spec, "seeker", env.infos["seeker_0"])
    np.testing.assert_allclose(numbers[:100], posterior, atol=1e-6)
    bits = -sum(p * math.log2(p) for p in posterior if p > 0)
    np.testing.assert_allclose(numbers[100:], [bits / math.log2(100), 3 / 16], atol=1e-6)


def test_the_holder_sees_the_cell_and_where_answers_lead() -> None:
    spec, ontology = game("aidg_search"), load()
    mixed = np.argwhere(ontology.table.max(axis=-1) < 1)[0]
    word, question = ontology.words[mixed[0]], int(mixed[1])
    env = spec.env()
    env.reset(seed=0, options={"secret": word})
    before = named(spec, "holder", env.infos["holder_0"])
    assert [before[f"truth: {a}"] for a in ANSWERS] == [0, 0, 0]
    assert before["belief in the secret"] == pytest.approx(0.01)
    assert (before["rank of the secret"], before["entropy"]) == (0, pytest.approx(1))
    env.step(question)
    now = named(spec, "holder", env.infos["holder_0"])
    cell = ontology.table[mixed[0], question]
    assert [now[f"truth: {a}"] for a in ANSWERS] == pytest.approx(list(cell))
    assert [now[f"may say: {a}"] for a in ANSWERS] == [float(p > 0) for p in cell]
    answer = int(cell.argmax())
    env.step(answer)
    after = named(spec, "holder", env.infos["holder_0"])
    expected = (
        ontology.table[mixed[0], question, answer] / ontology.table[:, question, answer].sum()
    )
    assert after["belief in the secret"] == pytest.approx(expected, abs=1e-6)
    told = ANSWERS[answer]
    assert after["belief in the secret"] == now[f"belief in the secret after: {told}"]
    assert after["entropy"] == now[f"entropy after: {told}"]
    env.step(question)
    again = named(spec, "holder", env.infos["holder_0"])
    assert [again[f"may say: {a}"] for a in ANSWERS] == [float(a == told) for a in ANSWERS]


def test_the_dialogue_holder_sees_what_its_acts_amount_to() -> None:
    spec = game("aidg_dialogue")
    env = spec.env()
    env.reset(seed=0)
    (hidden,) = env.infos["holder_0"]["hidden"]
    question = next(
        index
        for index, question in enumerate(env._questions)
        if question[:3] == ("leading", hidden.id, hidden.value)
    )
    env.step(question)
    seen = named(spec, "holder", env.infos["holder_0"])
    # "It is {value}, is it not?": yes confirms, no is a lie, and a hedge is neither (AIDG 3.2)
    assert (seen["true: affirm"], seen["safe: affirm"]) == (1, 0)
    assert (seen["true: deny"], seen["safe: deny"]) == (0, 0)
    assert (seen["true: hedge"], seen["safe: hedge"]) == (1, 1)
    assert (seen["asked: leading"], seen["asked: topic"]) == (1, 0)
    assert (seen["about a secret"], seen["mode A"]) == (1, 1)
    assert seen["belief in the secret"] == pytest.approx(1)
    env.step(ACTS.index("hedge"))
    seen = named(spec, "seeker", env.infos["seeker_0"])
    assert seen["last reply: hedge"] == 1
    assert seen[f"belief: {hidden.id}: {hidden.value}"] == pytest.approx(1)
    assert seen["entropy"] == pytest.approx(0, abs=1e-6)
    assert seen["turn"] == pytest.approx(0.2)


def test_options_of_sneak_are_weighed_by_likeness() -> None:
    spec = game("sneak")
    env = spec.env()
    env.reset(seed=0, options={"secret": "bird/owl"})
    words = list(env.infos["speaker_0"]["words"])
    others = [word for word in words if word != "owl"]
    seen = named(spec, "speaker", env.infos["speaker_0"])
    speaker = RandomWord()
    speaker.reset("speaker", spec, 0)
    action = speaker.act(env.observe("speaker_0"), env.infos["speaker_0"])
    said = vocabulary()[action]
    likeness = {word: float(similarity([said], [word])[0, 0]) for word in words}
    assert seen[f"like the secret: {said}"] == pytest.approx(likeness["owl"], abs=1e-6)
    nearest = max(likeness[word] for word in others)
    assert seen[f"like the nearest other word: {said}"] == pytest.approx(nearest, abs=1e-6)
    assert not features.encode(spec, "ally", env.infos["ally_0"]).any()
    env.step(action)
    ally = named(spec, "ally", env.infos["ally_0"])
    for place, message in enumerate(env.infos["ally_0"]["messages"]):
        alike = float(similarity([message], ["owl"])[0, 0])
        assert ally[f"is there: {place}"] == 1
        assert ally[f"like the secret: {place}"] == pytest.approx(alike, abs=1e-6)
    env.step(0)
    heard = named(spec, "chameleon", env.infos["chameleon_0"])
    for place, word in enumerate(words):
        assert heard[f"like the message: {place}"] == pytest.approx(likeness[word], abs=1e-6)


def test_the_chameleon_believes_by_the_clues() -> None:
    spec = game("chameleon")
    env = spec.env()
    env.reset(seed=0, options={"secret": "bird/owl", "chameleon": "player_0"})
    rng, clues, by = np.random.default_rng(0), [], []
    while env.infos["player_0"]["phase"] == "clue":
        action = legal(env, rng)
        clues.append(vocabulary()[action])
        by.append(int(env.agent_selection[-1]))
        env.step(action)
    info = env.infos["player_0"]
    words = info["words"]
    free = [v for v, may in zip(vocabulary(), _sayable(info), strict=True) if may]
    alternatives = similarity(free, words)
    said = speech(similarity(clues, words), alternatives)
    faked = speech(similarity(clues, words), alternatives, 0.2)
    position = Position(said, faked, np.array(by), np.ones(4), None, 0)
    seen = named(spec, "player", info)
    belief = [seen[f"word {place}"] for place in range(len(words))]
    np.testing.assert_allclose(belief, chameleon_kernels.posterior(position).word, atol=1e-6)
    assert (seen["chameleon"], seen["phase: vote"], seen["player 0: is oneself"]) == (1, 1, 1)
    honest = named(spec, "player", env.infos["player_2"])
    known = [honest[f"word {place}"] for place in range(len(words))]
    assert known == [float(word == "owl") for word in words]
    assert [honest[f"player {p}: can be voted for"] for p in range(4)] == [1, 1, 0, 1]
    assert honest["player 2: is the chameleon"] == 0


def _sayable(info):
    from unspoken.envs.chameleon.interpreter import clue_mask

    return clue_mask(info["category"], info["words"]) > 0


def test_the_cross_examination_gives_its_own() -> None:
    spec = game("cross_examination")
    env = spec.env()
    env.reset(seed=0)
    info = env.infos["questioner_0"]
    np.testing.assert_array_equal(features.encode(spec, "questioner", info), info["features"])


def test_a_game_without_features_is_told_what_to_do(monkeypatch) -> None:
    monkeypatch.delitem(features.MODULES, "sneak")
    with pytest.raises(ValueError, match=r"no features for sneak, only for .*MODULES"):
        features.space(game("sneak"), "ally")


def test_a_role_that_does_not_exist_is_named() -> None:
    with pytest.raises(ValueError, match="sneak has no role 'spy'; choose from speaker, ally"):
        features.layout(game("sneak"), "spy")
