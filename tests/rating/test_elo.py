"""Dual Elo against the paper's own figures (AIDG appendix F)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.envs.aidg_search.rules import multiplier
from unspoken.rating.elo import DualElo, expected_score, update

ratings = st.floats(0, 3000)


def test_worked_example_of_f5_with_the_printing_error_mended() -> None:
    assert expected_score(1400, 1600) == pytest.approx(0.240, abs=5e-4)
    # The paper goes on with E_C rounded to 0.240; without that the last digit is one less.
    paper = 24 * multiplier(10) * (1 - round(expected_score(1400, 1600), 3))
    assert (round(1400 + paper, 2), round(1600 - paper, 2)) == (1415.96, 1584.04)
    c, v = update(1400, 1600, 1, multiplier(10))
    exact = 24 * 0.875 * (1 - 1 / (1 + 10**0.5))
    assert (c, v) == (pytest.approx(1400 + exact), pytest.approx(1600 - exact))
    assert (c, v) == (pytest.approx(1415.96, abs=0.01), pytest.approx(1584.04, abs=0.01))


def test_equal_ratings_expect_a_half_and_400_points_ten_to_one() -> None:
    assert expected_score(1500, 1500) == 0.5
    p = expected_score(1900, 1500)
    assert p / (1 - p) == pytest.approx(10)


def test_first_game_moves_twelve_points_each_way() -> None:
    elo = DualElo()
    elo.record("a", "b", 1)
    assert (elo.c, elo.v) == ({"a": 1512.0}, {"b": 1488.0})


@given(ratings, ratings, st.sampled_from([0, 1]), st.integers(1, 16))
def test_what_one_gains_the_other_loses_and_winners_gain(c, v, score, turn) -> None:
    new_c, new_v = update(c, v, score, multiplier(turn))
    assert new_c + new_v == pytest.approx(c + v)
    assert (new_c >= c) if score else (new_c <= c)
    assert abs(new_c - c) <= 24 * multiplier(turn)


def test_roles_are_rated_apart() -> None:
    elo = DualElo()
    elo.record("a", "b", 0)
    elo.record("b", "a", 0)
    assert set(elo.c) == set(elo.v) == {"a", "b"}
    assert elo.c["a"] == elo.c["b"] == 1488
    assert elo.v["a"] == elo.v["b"] == 1512
