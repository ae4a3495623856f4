from __future__ import annotations

import math

import numpy as np
import pytest

from unspoken.agents.specs import make_agent
from unspoken.envs.cross_examination.jury import VALUES, bat, pat
from unspoken.envs.cross_examination.menu import ANSWERS
from unspoken.envs.cross_examination.rules import answers
from unspoken.envs.registry import game
from unspoken.training import choices
from unspoken.training.choices import Seat
from unspoken.wrappers.single import SingleAgent

SEATS = [
    ("aidg_search", "seeker", "table"),
    ("aidg_dialogue", "seeker", "rules"),
    ("aidg_dialogue", "holder", "rules"),
    ("chameleon", "player", "random"),
    ("sneak", "speaker", "embedding"),
    ("cross_examination", "questioner", "rules"),
    ("cross_examination", "witness", "rules"),
]


@pytest.mark.parametrize(("name", "role", "opponent"), SEATS)
def test_numbers_fit_their_layout_from_the_first_move_to_the_end(name, role, opponent):
    env = Seat(SingleAgent(name, role, opponent, observation="text"), "options")
    layout = choices.layout(game(name), role)
    assert layout.options == env.action_space.n
    assert len(set(layout.option)) == len(layout.option)
    assert len(set(layout.state)) == len(layout.state)
    chance = np.random.default_rng(0)
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        over = False
        while not over:
            assert env.observation_space.contains(seen)
            assert np.isfinite(seen).all()
            legal = np.flatnonzero(env.action_masks())
            seen, _, over, cut, _ = env.step(int(chance.choice(legal)))
            over = over or cut
        assert env.observation_space.contains(seen)


def test_a_seeker_sees_the_gain_of_questions_and_the_belief_in_words():
    spec = game("aidg_search")
    env = spec.env()
    env.reset(seed=0, options={"secret": "eagle"})
    seen = choices._module(spec).see(spec, "seeker", env.last()[-1])
    questions = len(seen.options) - 100
    gains = seen.options[:questions, 2] * math.log2(3)
    table = env.ontology.table  # entropy of the mean answer less the mean entropy of answers

    def bits(p):
        return -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1)

    np.testing.assert_allclose(
        gains, bits(table.mean(axis=0)) - bits(table).mean(axis=0), atol=1e-4
    )
    np.testing.assert_allclose(seen.options[questions:, 1], 0.01, atol=1e-6)
    assert seen.state[1] == pytest.approx(1)
    env.step(int(gains.argmax()))
    env.step(0)
    again = choices._module(spec).see(spec, "seeker", env.last()[-1]).options
    assert again[gains.argmax(), 2] == 0
    assert again[gains.argmax(), 4] == 1


def test_a_witness_sees_what_the_rules_make_of_each_answer():
    spec = game("cross_examination")
    env, chance, asking = spec.env(), np.random.default_rng(1), make_agent("rules", spec.name)
    for seed in range(6):
        env.reset(seed=seed)
        asking.reset("questioner", spec, seed)
        while env.result is None:
            observation, _, _, _, info = env.last()
            if env.agent_selection == "questioner_0":
                env.step(asking.act(observation, info))
                continue
            position = env._game
            options = choices._module(spec).see(spec, "witness", info).options
            for row, (content, manner) in zip(options, ANSWERS, strict=True):
                if content not in answers(position.case, position.question):
                    assert not row.any()
                    continue
                label = position.assess(content, manner)
                benefit = bat(*label[:4])
                penalty = pat(*label, position.account.sum_bat + benefit)
                wanted = [1, VALUES[label.commitment], benefit, penalty, *label[1:]]
                np.testing.assert_allclose(row[:8], wanted, atol=1e-5)
            env.step(int(chance.choice(np.flatnonzero(observation["action_mask"]))))


def test_what_does_not_exist_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="view='words'"):
        choices.space(game("aidg_search"), "seeker", "words")
    with pytest.raises(ValueError, match="view = 'features'"):
        choices.layout(game("aidg_search"), "holder")
    monkeypatch.delitem(choices.MODULES, "sneak")
    with pytest.raises(ValueError, match="no options as numbers for sneak"):
        choices.layout(game("sneak"), "ally")
