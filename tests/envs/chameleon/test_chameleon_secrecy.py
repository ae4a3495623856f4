"""Nobody sees what they may not: the word, who does not know it, votes before all are cast."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from unspoken.envs import chameleon_v0
from unspoken.envs.sneak.instances import load

CATEGORIES = (load()[1], load()[-1])
UTTERANCES = ("menu", "free")
OPEN = "an open clue {}"


def view(env, agent):
    """All that an agent can get hold of without looking into the env."""
    shown = {
        "observation": env.observe(agent)["observation"],
        "mask": env.observe(agent).get("action_mask", np.zeros(0)).tolist(),
        "repr": repr(env),
        "str": str(env),
        "render": env.render(),
        "selection": env.agent_selection,
        "menu": env.menu(agent),
        "rewards": dict(env.rewards),
    }
    info = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in env.infos[agent].items()}
    return shown | {f"info[{key!r}]": value for key, value in info.items()}


def pair(resets, utterances, **options):
    """Two games that differ in what their resets fix."""
    envs = [
        chameleon_v0.env(
            utterances=utterances, render_mode="ansi", discussion=1, tie="revote", **options
        )
        for _ in resets
    ]
    for env, (seed, fixed) in zip(envs, resets, strict=True):
        env.reset(seed=seed, options=fixed)
    return envs


def step(envs, rng):
    """Take one random action in both; free text is now and then no sentence of the menu."""
    one = envs[0]
    info = one.infos[one.agent_selection]
    mask = info.get("menu_mask", info.get("action_mask"))
    assert mask.any()
    action = int(rng.choice(np.flatnonzero(mask)))
    if "menu_mask" in info:
        open_words = OPEN.format("abcdefgh"[rng.integers(8)])
        said = ["", open_words, info["words"][rng.integers(len(info["words"]))]]
        action = said[rng.integers(3)] if rng.random() < 0.3 else one.menu(info["speaker"])[action]
    elif rng.random() < 0.1:
        action = int(rng.integers(len(mask)))  # legal or not
    for env in envs:
        env.step(action)


def public(env):
    return env.history, env.result, env.agent_selection


def differences(envs, agent):
    one, other = (view(env, agent) for env in envs)
    assert one.keys() <= other.keys() | {"info['word']"}
    return {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}


def played(resets, utterances, seed, **options):
    """Steps of two games with the same actions, as long as they look alike in public."""
    envs = pair(resets, utterances, **options)
    rng = np.random.default_rng(seed)
    while public(envs[0]) == public(envs[1]):
        yield envs
        if envs[0].result is not None:
            return
        step(envs, rng)


CASES = list(itertools.product(CATEGORIES, (3, 5, 8), UTTERANCES, range(3)))


@pytest.mark.parametrize(("card", "players", "utterances", "seed"), CASES)
def test_the_chameleon_sees_the_same_whatever_the_word_is(card, players, utterances, seed):
    rng = np.random.default_rng(seed)
    words = rng.permutation(card.words)[:2]
    chameleon = f"player_{rng.integers(players)}"
    fixed = [{"secret": f"{card.name}/{word}", "chameleon": chameleon} for word in words]
    steps = 0
    for envs in played([(seed, f) for f in fixed], utterances, seed, players=players):
        steps += 1
        assert differences(envs, chameleon) == set()
        for agent in set(envs[0].possible_agents) - {chameleon}:
            assert differences(envs, agent) == {"observation", "info['word']"}
            texts = [
                env.observe(agent)["observation"].replace(f'"{word}"', "WORD", 1)
                for env, word in zip(envs, words, strict=True)
            ]
            assert texts[0] == texts[1]
    assert steps > 2 * players


@pytest.mark.parametrize(("card", "players", "utterances", "seed"), CASES)
def test_the_honest_see_the_same_whoever_the_chameleon_is(card, players, utterances, seed):
    rng = np.random.default_rng(seed)
    two = [f"player_{seat}" for seat in rng.permutation(players)[:2]]
    secret = f"{card.name}/{rng.choice(card.words)}"
    resets = [(seed, {"secret": secret, "chameleon": agent}) for agent in two]
    steps = 0
    for envs in played(resets, utterances, seed, players=players):
        steps += 1
        for agent in envs[0].possible_agents:
            own = {"observation", "info['chameleon']", "info['word']"}
            assert differences(envs, agent) == (own if agent in two else set())
            tails = [env.observe(agent)["observation"].partition("The category")[2] for env in envs]
            assert tails[0] == tails[1]
    assert steps > 2 * players


@pytest.mark.parametrize("utterances", UTTERANCES)
@pytest.mark.parametrize("players", [3, 4, 8])
def test_nobody_sees_a_vote_before_the_last_one(players, utterances):
    """Two games in which everybody but the last votes differently, or not at all."""
    card = CATEGORIES[0]
    fixed = {"secret": f"{card.name}/{card.words[0]}", "chameleon": "player_0"}
    envs = pair([(0, fixed)] * 2, utterances, players=players)
    rng = np.random.default_rng(0)
    while envs[0].infos["player_0"]["phase"] != "vote":
        step(envs, rng)
    for _ in range(players):
        assert all(env.infos[agent]["votes"] == () for env in envs for agent in env.agents)
        for agent in envs[0].agents:
            assert differences(envs, agent) == set()
        voter = int(envs[0].agent_selection[-1])
        menu = envs[0].menu("player_0")
        targets = [(voter + 1) % players, voter if voter % 2 else (voter + 2) % players]
        for env, target in zip(envs, targets, strict=True):
            said = f"vote: player {target}"
            env.step(menu.index(said) if utterances == "menu" else f"I say it loud: {said}")
    for env in envs:
        for agent in env.possible_agents:
            assert len(env.infos[agent]["votes"]) == players
    assert envs[0].history != envs[1].history


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_refused_clue_tells_nobody_which_word_it_held(position):
    card = CATEGORIES[0]
    fixed = {"secret": f"{card.name}/{card.words[0]}", "chameleon": "player_1"}
    envs = pair([(0, fixed)] * 2, "free")
    for number in range(position):
        for env in envs:
            env.step(OPEN.format("abc"[number]))
    for env, word in zip(envs, card.words, strict=False):
        env.step(f"it is the {word}")
    for agent in envs[0].agents:
        assert differences(envs, agent) == set()


def test_the_end_tells_all():
    card = CATEGORIES[0]
    for seed in range(10):
        (env,) = pair([(seed, {"secret": f"{card.name}/{card.words[3]}"})], "menu")
        rng = np.random.default_rng(seed)
        while env.result is None:
            step([env], rng)
        last = env.history[-1]
        assert last.role == "referee"
        assert f'The word was "{card.words[3]}".' in last.text
        lone = env.chameleon.replace("_", " ").capitalize()
        assert last.text.startswith(f"{lone} was the chameleon")
