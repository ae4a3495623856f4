"""The bound of the search game, against channels whose capacity is known."""

import math

import numpy as np
import pytest

from unspoken.benchmarks.baselines import _capacity, capacity, seekers
from unspoken.envs.aidg_search.ontology import load
from unspoken.envs.registry import game


@pytest.mark.parametrize(
    ("channel", "bits"),
    [
        ([[1, 0, 0], [0, 1, 0]], 1.0),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], math.log2(3)),
        ([[0.2, 0.3, 0.5]] * 4, 0.0),
        # binary symmetric channel with error 0.11: 1 - h(0.11)
        ([[0.89, 0.11], [0.11, 0.89]], 1 + 0.89 * math.log2(0.89) + 0.11 * math.log2(0.11)),
        # binary erasure channel with erasure 0.3
        ([[0.7, 0, 0.3], [0, 0.7, 0.3]], 0.7),
        # Z channel with crossover 1/2
        ([[1, 0], [0.5, 0.5]], math.log2(1.25)),
    ],
)
def test_capacities_of_the_textbook(channel, bits) -> None:
    assert _capacity(np.array(channel), 1e-9) == pytest.approx(bits, abs=1e-6)


def test_the_table_tells_at_most_its_capacity_under_any_belief() -> None:
    ontology = load()
    best = capacity(ontology)
    assert 1 <= best <= math.log2(3)
    rng = np.random.default_rng(0)
    for _ in range(20):
        belief = rng.dirichlet(np.full(100, 0.1))
        out = np.einsum("w,wqa->qa", belief, ontology.table)
        with np.errstate(divide="ignore", invalid="ignore"):
            cells = ontology.table * np.log2(ontology.table / out)
        gains = np.einsum("w,wqa->q", belief, np.nan_to_num(cells))
        assert gains.max() <= best + 1e-6


def test_seekers_are_measured_on_the_same_secrets() -> None:
    table = seekers(game("aidg_search"), ["rules", "random"], games=20, seed=1)
    rules, random = table.rows
    assert rules["wins"] > random["wins"]
    assert rules["score"] > random["score"]
    assert seekers(game("aidg_search"), ["rules"], games=20, seed=1).rows == [rules]
