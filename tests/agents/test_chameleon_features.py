"""The features of chameleon are what the evaluator's reference says, computed plainly."""

from dataclasses import replace

import numpy as np
import pytest

from unspoken.agents import features
from unspoken.agents.chameleon.player import seen_by
from unspoken.agents.chameleon.reading import best, card
from unspoken.agents.chameleon.rules import CHOICE, Rules
from unspoken.agents.specs import make_agent
from unspoken.envs.registry import game
from unspoken.evaluator import chameleon_reference as reference
from unspoken.lexicon.vectors import similarity, vocabulary

OPTIONS = [
    {},
    {"players": 5, "clue_rounds": 2, "discussion": 1},
    {"players": 3, "utterances": "free", "discussion": 1},
]


def plainly(info):
    """Suspicion, belief, and the cosines of clues, from texts and the reference alone."""
    words, seats = info["words"], {a: int(a[7:]) for a in info["players"]}
    legal = card(info["category"], words).silence
    texts = [text for _, text in info["clues"]]
    like = similarity(texts, words).astype(float)
    position = reference.Position(
        like / reference.TEMPERATURE + legal.speech,
        like / reference.VAGUE + legal.faked,
        np.array([seats[agent] for agent, _ in info["clues"]], np.int64),
        np.ones(len(seats)),
        None if info["chameleon"] else words.index(info["word"]),
        seats[info["speaker"]],
    )
    found = reference.posterior(position)
    suspicion, belief = found
    if info["chameleon"]:
        seen = [
            reference.posterior(replace(position, secret=w, player=None)).chameleon
            for w in range(len(words))
        ]
        suspicion = belief @ np.array(seen)
    table = similarity(vocabulary(), words).astype(float)
    return suspicion, belief, np.stack([table @ belief, table.mean(axis=1)])


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("kind", ["rules", "rsa"])
def test_features_are_those_of_the_reference(options, kind) -> None:
    spec = game("chameleon").with_options(**options)
    env, player = spec.env(), make_agent(kind, "chameleon")
    at = {name: i for i, name in enumerate(features.layout(spec, "player").names)}
    compared = 0
    for seed in range(2):
        env.reset(seed=seed, options={"chameleon": "player_1"})
        while env.result is None:
            observation, _, _, _, info = env.last()
            numbers = features.encode(spec, "player", info)
            likenesses = numbers[-2 * len(vocabulary()) :]
            if info["phase"] == "clue":  # nobody has charged anybody
                suspicion, belief, like = plainly(info)
                first = at["player 0: is the chameleon"]
                seen = numbers[first : first + len(suspicion)]
                assert seen == pytest.approx(suspicion, abs=1e-6)
                held = numbers[at["word 0"] :][: len(belief)]
                assert held == pytest.approx(belief, abs=1e-6)
                assert likenesses == pytest.approx(like.ravel(), abs=1e-5)
                compared += 1
            else:
                assert not likenesses.any()
            player.reset("player", spec, seed)
            env.step(player.act(observation, info))
    assert compared >= 2 * len(spec.seats)


def test_the_best_places_are_those_of_a_stable_sort() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        values = rng.integers(-3, 4, rng.integers(1, 40)).astype(float)  # many are equal
        values[rng.random(len(values)) < 0.2] = -np.inf
        n = int(rng.integers(1, 12))
        assert best(values, n).tolist() == np.argsort(-values, kind="stable")[:n].tolist()


@pytest.mark.parametrize("informativeness", [0.0, 0.1, 0.2, 1.0])
def test_rules_draw_from_the_best_clues_that_do_not_tell_too_much(informativeness) -> None:
    """The ranking that is kept for a card gives what sorting the legal clues anew would."""
    spec = game("chameleon")
    env, rng = spec.env(), np.random.default_rng(1)
    for seed in range(4):
        env.reset(seed=seed)
        while env.infos[env.agent_selection]["phase"] == "clue":
            info = env.infos[env.agent_selection]
            legal = np.flatnonzero(info["action_mask"])
            if not info["chameleon"]:
                player, table = Rules(informativeness=informativeness), seen_by(info)
                speech = table.card.vocabulary(legal).speech
                told = np.exp(speech - np.logaddexp.reduce(speech, axis=1)[:, None])[:, table.word]
                fits = np.where(told <= informativeness, speech[:, table.word], -np.inf)
                if not np.isfinite(fits).any():
                    fits = -told
                order = [int(i) for i in np.argsort(-fits, kind="stable")[:CHOICE]]
                wanted = {int(legal[i]) for i in order if np.isfinite(fits[i])}
                said = set()
                for again in range(60):
                    player.reset("player", spec, again)
                    said.add(player.act({"action_mask": info["action_mask"]}, info))
                assert said == wanted
            env.step(int(rng.choice(legal)))
