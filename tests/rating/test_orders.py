"""Elo over random orders against every order there is."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unspoken.rating.elo import DualElo
from unspoken.rating.orders import over_orders

GAMES = [
    ("a", "b", 1, 1.0),
    ("a", "b", 0, 1.875),
    ("a", "c", 1, 0.5),
    ("b", "c", 1, 1.0),
    ("b", "c", 1, 1.0),
]


def elo(games, k=24.0):
    found = DualElo(k=k)
    for game in games:
        found.record(*game)
    return found


def test_many_random_orders_come_to_what_all_orders_give() -> None:
    every = [elo(order, k=200) for order in permutations(GAMES)]
    found = over_orders(GAMES, orders=4000, seed=1, k=200)
    assert found.orders == 4000
    for ours, theirs in ((found.c, [e.c for e in every]), (found.v, [e.v for e in every])):
        for name, spread in ours.items():
            ratings = np.array([t[name] for t in theirs])
            assert spread.low == pytest.approx(ratings.min())
            assert spread.high == pytest.approx(ratings.max())
            assert spread.mean == pytest.approx(ratings.mean(), abs=ratings.std() / 12 + 1e-9)
            assert spread.sd == pytest.approx(ratings.std(), rel=0.05)


def test_the_given_order_is_plain_dual_elo() -> None:
    plain, found = elo(GAMES), over_orders(GAMES, orders=3)
    assert {name: s.given for name, s in found.c.items()} == plain.c
    assert {name: s.given for name, s in found.v.items()} == plain.v


def test_one_game_has_one_order() -> None:
    (spread,) = over_orders([("a", "b", 1, 1.0)], orders=5).c.values()
    assert (spread.given, spread.mean, spread.sd, spread.low, spread.high) == (
        1512,
        1512,
        0,
        1512,
        1512,
    )


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from("abc"),
            st.sampled_from([0.0, 1.0]),
            st.sampled_from([0.125, 1.0]),
        ),
        min_size=1,
        max_size=20,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_given_decides_only_given_and_points_are_conserved(games, random) -> None:
    one = over_orders(games, orders=20, seed=4)
    other = over_orders(random.sample(games, len(games)), orders=20, seed=4)
    spreads = [*one.c.values(), *one.v.values()]
    for a, b in zip(spreads, [*other.c.values(), *other.v.values()], strict=True):
        assert (a.mean, a.sd, a.low, a.high) == (b.mean, b.sd, b.low, b.high)
        assert a.low - 1e-9 <= a.mean <= a.high + 1e-9
    assert np.mean([s.mean for s in spreads]) == pytest.approx(1500)


def test_names_do_not_matter() -> None:
    new = {"a": "z", "b": "a", "c": "m"}
    one = over_orders(GAMES, orders=50)
    other = over_orders([(new[s], new[h], x, w) for s, h, x, w in GAMES], orders=50)
    assert {new[name]: s for name, s in one.c.items()} == other.c
    assert {new[name]: s for name, s in one.v.items()} == other.v


def test_no_orders_and_no_games_are_refused() -> None:
    with pytest.raises(ValueError, match="orders=0"):
        over_orders(GAMES, orders=0)
    with pytest.raises(ValueError, match="no games"):
        over_orders([])
