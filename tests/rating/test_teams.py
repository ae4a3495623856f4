"""Ratings of games of many players, against openskill called by hand."""

import numpy as np
import pytest
from openskill.models import PlackettLuce
from scipy.stats import spearmanr

from unspoken.rating.teams import TeamGame, rate


def test_one_game_is_openskills_own_update_from_equal_sums() -> None:
    a, b, c, x = (("a", "player"), ("b", "player"), ("c", "player"), ("x", "chameleon"))
    skills = rate([TeamGame((a, b, c), (x,))])
    model = PlackettLuce()
    honest = [model.rating(mu=25 / 3) for _ in range(3)]
    [[first, *_], [alone]] = model.rate([honest, [model.rating(mu=25)]])
    assert skills[a].gain == pytest.approx(first.mu - 25 / 3)
    assert skills[a] == skills[b] == skills[c]
    assert skills[x].gain == pytest.approx(alone.mu - 25)
    assert skills[x].sigma == pytest.approx(alone.sigma)
    assert skills[a].gain > 0 > skills[x].gain


def test_known_strengths_are_ranked_and_orders_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    strength = {f"p{i}": i / 2 for i in range(6)}
    names = list(strength)
    games = []
    for _ in range(600):
        table = [names[i] for i in rng.permutation(6)[:4]]
        honest = [(name, "player") for name in table[1:]]
        lone = [(table[0], "chameleon")]
        edge = sum(strength[n] for n in table[1:]) / 3 - strength[table[0]]
        sides = (honest, lone) if rng.random() < 1 / (1 + np.exp(-edge)) else (lone, honest)
        games.append(TeamGame(tuple(sides[0]), tuple(sides[1])))
    skills = rate(games)
    for part in ("player", "chameleon"):
        found = [skills[name, part].gain for name in names]
        assert spearmanr(found, list(strength.values())).statistic > 0.9
    again = rate(games[::-1], seed=1)
    for who, skill in skills.items():
        assert again[who].gain == pytest.approx(skill.gain, abs=2 * skill.spread)


def test_somebody_may_sit_twice_on_a_side() -> None:
    a, b = ("a", "player"), ("b", "chameleon")
    assert set(rate([TeamGame((a, a), (b,))])) == {a, b}


def test_nothing_to_rate() -> None:
    with pytest.raises(ValueError, match="no games"):
        rate([])
    with pytest.raises(ValueError, match="orders=0"):
        rate([TeamGame((("a", "player"),), (("b", "chameleon"),))], orders=0)
