"""Our generators draw what NumPy's own draw, bit for bit."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import seeding
from hypothesis import given
from hypothesis import strategies as st

from unspoken.envs import generators

SEEDS = st.integers(0, 2**128)
BOUNDS = st.one_of(
    st.integers(1, 2**32),
    st.sampled_from([1, 2, 3, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32]),
)


def draw(lane, call):
    return generators.random(lane) if call is None else generators.integers(lane, call)


def expected(rng, call):
    return rng.random() if call is None else int(rng.integers(call))


@given(SEEDS, st.lists(st.one_of(st.none(), BOUNDS), max_size=60))
def test_any_interleaving_of_calls_draws_what_numpy_draws(seed, calls):
    rng, _ = seeding.np_random(seed)
    (lane,) = generators.lanes([seed])
    assert [draw(lane, c) for c in calls] == [expected(rng, c) for c in calls]


def test_thousands_of_draws():
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(7)))
    (lane,) = generators.lanes([7])
    choices = [None, 2, 100, 3 * 2**30, 2**32]  # 3 * 2**30 rejects a quarter of the draws
    calls = [choices[i] for i in np.random.default_rng(0).integers(len(choices), size=20_000)]
    assert [draw(lane, c) for c in calls] == [expected(rng, c) for c in calls]


@given(SEEDS, st.lists(st.integers(0, 40), min_size=1, max_size=20))
def test_permutations_are_numpys(seed, sizes):
    rng, _ = seeding.np_random(seed)
    (lane,) = generators.lanes([seed])
    for size in sizes:
        places = np.empty(size, np.int64)
        generators.permutation(lane, places)
        assert places.tolist() == rng.permutation(size).tolist()
    assert draw(lane, 100) == expected(rng, 100)


def test_lanes_are_independent_and_seeded_one_by_one():
    made = generators.lanes([3, 4])
    for lane, seed in zip(made, (3, 4), strict=True):
        assert generators.integers(lane, 100) == seeding.np_random(seed)[0].integers(100)


def test_no_seed_takes_one_from_the_system():
    first, second = generators.lanes([None, None])
    assert (first != second).any()


@pytest.mark.parametrize("seed", [-1, 1.5])
def test_a_bad_seed_is_refused_as_gymnasium_refuses_it(seed):
    with pytest.raises(gymnasium.error.Error):
        generators.lanes([seed])
