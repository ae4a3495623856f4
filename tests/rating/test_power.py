"""Numbers of games against statsmodels, known values and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.rating import power
from unspoken.rating.bradley_terry import fit
from unspoken.rating.elo import expected_score

rates = st.floats(0.02, 0.98)
Z = 1.959963984540054


def pairs(first, second, correlation, games, repeats, seed):
    """Scores of both agents, each [repeats, games], with the rates and the correlation asked."""
    both = first * second
    both += correlation * math.sqrt(first * (1 - first) * second * (1 - second))
    u = np.random.default_rng(seed).random((repeats, games))
    return u < first, ((u < both) | (u >= first)) & (u < first + second - both)


# win rates


@pytest.mark.parametrize(("wins", "games"), [(0, 5), (59, 439), (32, 146), (7, 7)])
def test_half_width_is_wilsons(wins, games) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for level in (0.9, 0.95):
        low, high = proportion.proportion_confint(wins, games, alpha=1 - level, method="wilson")
        ours = power.rate_half_width(wins / games, games, level=level)
        assert ours == pytest.approx((high - low) / 2)


@given(st.floats(0, 1), st.floats(0.01, 0.49), st.floats(0.5, 0.999))
def test_games_for_a_rate_are_the_fewest_that_do(rate, half_width, level) -> None:
    n = power.games_for_rate(rate, half_width, level=level)
    assert power.rate_half_width(rate, n, level=level) <= half_width + 1e-12
    if n > 1:
        assert power.rate_half_width(rate, n - 1, level=level) >= half_width - 1e-12


def test_games_for_a_rate_known_values() -> None:
    # Wilson at 1/2: n = z^2 (1/(4h^2) - 1); Wald's well-known 385 less z^2
    assert power.games_for_rate(0.5, 0.05) == math.ceil(Z**2 * (1 / 0.01 - 1)) == 381
    assert power.games_for_rate(0, 0.05) == math.ceil(Z**2 * (1 / 0.1 - 1)) == 35


# two win rates


@given(rates, rates, st.floats(0.01, 0.9))
def test_games_for_a_difference_are_the_fewest_that_do(first, second, half_width) -> None:
    n = power.games_for_difference(first, second, half_width)
    assert power.difference_half_width(first, second, n) <= half_width + 1e-12
    if n > 1:
        assert power.difference_half_width(first, second, n - 1) >= half_width - 1e-12


@pytest.mark.parametrize("correlation", [None, -0.3, 0.0, 0.4])
def test_intervals_of_a_difference_are_as_wide_as_simulated_ones(correlation) -> None:
    n = power.games_for_difference(0.4, 0.55, 0.08, correlation=correlation)
    one, two = pairs(0.4, 0.55, correlation or 0.0, n, 4000, seed=1)
    gap = one.mean(1) - two.mean(1)
    assert Z * gap.std() == pytest.approx(0.08, rel=0.05)
    assert np.mean(np.abs(gap + 0.15) <= 0.08) == pytest.approx(0.95, abs=0.015)


def test_pairing_saves_the_share_that_the_correlation_is() -> None:
    unpaired = power.games_for_difference(0.5, 0.5, 0.1)
    paired = power.games_for_difference(0.5, 0.5, 0.1, correlation=0.5)
    assert unpaired == math.ceil(Z**2 * 0.5 / 0.01) == 193
    assert paired == math.ceil(unpaired / 2) == 97


@pytest.mark.parametrize(("first", "second"), [(0.5, 0.6), (0.1, 0.2), (0.9, 0.5)])
def test_unpaired_power_is_that_of_statsmodels(first, second) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    n = power.games_to_detect(first, second)
    theirs = proportion.power_proportions_2indep(first - second, second, n).power
    assert power.power_of_difference(first, second, n) == pytest.approx(theirs, abs=1e-4)
    assert theirs == pytest.approx(0.8, abs=0.02)


def test_games_to_detect_known_values() -> None:
    # Fleiss, Statistical Methods for Rates and Proportions: 0.25 against 0.40 without correction
    assert power.games_to_detect(0.25, 0.40) == 152
    # Connor 1987: shares of discordant pairs 0.20 and 0.05, so psi = 0.25 and delta = 0.15
    rho = (0.35 - 0.55 * 0.40) / math.sqrt(0.55 * 0.45 * 0.40 * 0.60)
    z = 0.8416212335729143
    expected = (Z * math.sqrt(0.25) + z * math.sqrt(0.25 - 0.15**2)) ** 2 / 0.15**2
    n = power.games_to_detect(0.55, 0.40, correlation=rho)
    assert n == math.ceil(expected) == 85


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6])
def test_paired_power_is_what_mcnemars_test_has(correlation) -> None:
    n = power.games_to_detect(0.5, 0.57, correlation=correlation)
    one, two = pairs(0.5, 0.57, correlation, n, 4000, seed=2)
    up, down = (two & ~one).sum(1), (one & ~two).sum(1)
    found = (up - down) / np.sqrt(up + down) > Z
    assert found.mean() == pytest.approx(0.8, abs=0.025)


def test_unpaired_power_is_what_the_z_test_has() -> None:
    n = power.games_to_detect(0.3, 0.45, power=0.9)
    one, two = (x.mean(1) for x in pairs(0.3, 0.45, 0.0, n, 4000, seed=3))
    mean = (one + two) / 2
    found = (two - one) / np.sqrt(2 * mean * (1 - mean) / n) > Z
    assert found.mean() == pytest.approx(0.9, abs=0.025)


@given(rates, rates, st.floats(0.1, 0.99))
def test_games_to_detect_is_the_inverse_of_power(first, second, wanted) -> None:
    if abs(first - second) < 0.01:
        return
    n = power.games_to_detect(first, second, power=wanted)
    assert n == power.games_to_detect(second, first, power=wanted)
    assert power.power_of_difference(first, second, n) >= wanted - 1e-9
    if n > 1:
        assert power.power_of_difference(first, second, n - 1) <= wanted + 1e-9


def test_agents_that_never_differ_are_never_told_apart() -> None:
    assert power.power_of_difference(0.5, 0.5, 100, correlation=1.0) == 0


# Elo


@pytest.mark.parametrize(("wins", "games"), [(50, 100), (13, 100)])
def test_elo_gap_has_the_interval_that_the_fit_has(wins, games) -> None:
    found = fit([("a", "a", 1, 1.0)] * wins + [("a", "a", 0, 1.0)] * (games - wins), prior_sd=1e5)
    half_width = Z * found.gap_error["a"]
    needed = power.games_for_elo_gap(found.gap["a"], half_width)
    assert needed in (games, games + 1)
    assert power.games_for_elo_gap(found.gap["a"], half_width / 2) == pytest.approx(
        4 * games, abs=2
    )


def test_elo_gap_known_value() -> None:
    # p = 1/2: (1.96 * 173.7 / 50)^2 * 4
    assert power.games_for_elo_gap(0, 50) == 186


@pytest.mark.parametrize("correlation", [None, 0.4])
def test_elo_difference_is_as_sure_as_simulated_ones(correlation) -> None:
    n = power.games_for_elo_difference(0.4, 0.6, 60, correlation=correlation)
    one, two = (x.mean(1) for x in pairs(0.4, 0.6, correlation or 0.0, n, 4000, seed=4))
    difference = 400 * (np.log10(two / (1 - two)) - np.log10(one / (1 - one)))
    assert Z * difference.std() == pytest.approx(60, rel=0.05)


def test_elo_difference_of_the_joint_fit_in_a_tournament() -> None:
    # 8 seekers, 8 holders, all equal: the lower bound is nearly reached
    rng = np.random.default_rng(5)
    n = power.games_for_elo_difference(0.5, 0.5, 80)
    each = -(-n // 8)
    differences = []
    for _ in range(200):
        won = rng.binomial(each, expected_score(1500, 1500), (8, 8))
        games = [
            (f"s{i}", f"h{j}", x, float(w))
            for (i, j), k in np.ndenumerate(won)
            for x, w in ((1, k), (0, each - k))
            if w
        ]
        c = fit(games, prior_sd=1e4).c
        differences.append(c["s0"] - c["s1"])
    assert Z * np.std(differences) == pytest.approx(80, rel=0.2)


# errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: power.games_for_rate(1.2, 0.1), "rate=1.2"),
        (lambda: power.games_for_rate(0.5, 0), "half_width=0"),
        (lambda: power.games_for_rate(0.5, 0.1, level=95), "level=95"),
        (lambda: power.rate_half_width(0.5, 0), "games=0"),
        (lambda: power.games_for_difference(0, 0.5, 0.1), "first=0"),
        (lambda: power.games_for_difference(0.1, 0.9, 0.1, correlation=0.5), "-1.000 to 0.111"),
        (lambda: power.games_to_detect(0.5, 0.5), "both win rates are 0.5"),
        (lambda: power.games_to_detect(0.5, 0.6, power=1), "power=1"),
        (lambda: power.games_for_elo_gap(0, -5), "half_width=-5"),
        (lambda: power.games_for_elo_difference(0.5, math.nan, 50), "second=nan"),
    ],
)
def test_what_is_out_of_range_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
