"""The statistics against the paper's figures, hand calculation and other libraries' calls."""

import subprocess
import sys
from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats as scipy_stats

from unspoken.benchmarks import statistics as st

# AIDG Table 12: C and V of AIDG-I, C and V of AIDG-II.
C1 = [1384.82, 1382.35, 1285.66, 1302.96, 1315.71, 1279.64]
V1 = [1653.20, 1648.93, 1670.56, 1701.77, 1710.23, 1664.18]
C2 = [1502.37, 1437.54, 1458.63, 1416.99, 1383.38, 1316.24]
V2 = [1601.07, 1603.24, 1582.05, 1557.72, 1551.64, 1589.10]


def test_odds_ratio_of_the_paper() -> None:
    *odds, corrected = st.odds_ratio((32, 146), (5, 143))
    assert [round(x, 2) for x in odds] == [7.75, 2.92, 20.53]
    assert not corrected


def test_odds_ratio_by_hand() -> None:
    *odds, _ = st.odds_ratio((3, 10), (2, 12), level=0.9)
    error = 1.6448536 * sqrt(1 / 3 + 1 / 7 + 1 / 2 + 1 / 10)
    centre = log((3 / 7) / (2 / 10))
    assert odds == pytest.approx([exp(centre), exp(centre - error), exp(centre + error)])


def test_odds_ratio_with_an_empty_cell_is_haldanes_and_says_so() -> None:
    # one half more in each cell: 0.5 and 9.5 against 3.5 and 6.5
    *odds, corrected = st.odds_ratio((0, 9), (3, 9))
    error = 1.959964 * sqrt(1 / 0.5 + 1 / 9.5 + 1 / 3.5 + 1 / 6.5)
    centre = log((0.5 / 9.5) / (3.5 / 6.5))
    assert corrected
    assert odds == pytest.approx([exp(centre), exp(centre - error), exp(centre + error)])


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    # Newcombe 1998 (Statistics in Medicine 17), Table II, method 10
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_newcombes_interval_is_his_and_by_hand(first, second, low, high) -> None:
    interval = st.newcombe(first, second)
    assert interval == pytest.approx((low, high), abs=5e-5)
    p, q = (successes / trials for successes, trials in (first, second))
    (p_low, p_high), (q_low, q_high) = st.wilson(first), st.wilson(second)
    assert interval.low == pytest.approx(p - q - sqrt((p - p_low) ** 2 + (q_high - q) ** 2))
    assert interval.high == pytest.approx(p - q + sqrt((p_high - p) ** 2 + (q - q_low) ** 2))


def test_fisher_of_the_paper_and_by_hand() -> None:
    assert st.fisher((32, 146), (5, 143)) < 1e-5
    # 4 of 4 against 0 of 4: the two most extreme of C(8, 4) = 70 tables
    assert st.fisher((4, 4), (0, 4)) == pytest.approx(2 / 70)


def test_chi_squared_of_the_paper_and_by_hand() -> None:
    chi = st.chi_squared((252, 289), (128, 150))
    assert (round(chi.value, 3), round(chi.p, 2)) == (0.156, 0.69)
    # n (|ad - bc| - n/2)² / product of the margins
    by_hand = 40 * (abs(15 * 10 - 5 * 10) - 20) ** 2 / (20 * 20 * 25 * 15)
    assert st.chi_squared((15, 20), (10, 20)).value == pytest.approx(by_hand)


def test_wilson_by_hand() -> None:
    z, p, n = 1.959964, 0.3, 10
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    assert st.wilson((3, 10)) == pytest.approx((centre - half, centre + half), abs=1e-6)
    assert st.wilson((0, 10)).low == 0
    assert st.wilson((10, 10)).high == pytest.approx(1)


def test_two_proportion_z_is_the_root_of_the_uncorrected_chi_squared() -> None:
    z = st.two_proportion_z((15, 20), (10, 20))
    chi = scipy_stats.chi2_contingency([[15, 5], [10, 10]], correction=False)
    assert z.value == pytest.approx(sqrt(chi.statistic))
    assert z.p == pytest.approx(chi.pvalue)
    assert st.two_proportion_z((10, 20), (15, 20)).value == pytest.approx(-z.value)
    assert st.normal_p(-z.value) == pytest.approx(z.p)


def test_d_and_t_of_the_paper() -> None:
    assert round(st.paired_d(V1, C1), 2) == 5.47
    assert round(st.paired_d(V2, C2), 2) == 2.67
    assert st.paired_t(V1, C1).p < 0.0001
    assert round(st.paired_t(V2, C2).p, 3) == 0.001


def test_d_and_t_by_hand() -> None:
    # differences 1, 2, 3: mean 2, deviation 1
    assert st.paired_d([2, 4, 6], [1, 2, 3]) == pytest.approx(2)
    assert st.paired_t([2, 4, 6], [1, 2, 3]).value == pytest.approx(2 * sqrt(3))


def test_interval_of_a_mean_by_hand() -> None:
    # deviation 1; the table of t gives 4.303 for 2 degrees of freedom
    half = 4.302653 / sqrt(3)
    assert st.mean_interval([1, 2, 3]) == pytest.approx((2 - half, 2 + half))


@pytest.mark.parametrize(("v", "c"), [(V1, C1), (V2, C2), (C2, V2), ([5, 1], [1, 2])])
def test_interval_of_d_is_where_the_noncentral_t_has_its_tails(v, c) -> None:
    low, high = st.paired_d_interval(v, c)
    n, t = len(v), st.paired_t(v, c).value
    assert low < st.paired_d(v, c) < high
    for d, share in ((low, 0.975), (high, 0.025)):
        # P(T <= t) = E[P(Z <= t sqrt(V / (n - 1)) - d sqrt(n))], V chi-squared
        below = scipy_stats.chi2(n - 1).expect(
            lambda x, d=d: scipy_stats.norm.cdf(t * sqrt(x / (n - 1)) - d * sqrt(n))
        )
        assert below == pytest.approx(share, abs=1e-5)


def test_interval_of_no_effect_is_the_normal_one() -> None:
    # at t = 0, P(T <= 0) = P(Z <= -d sqrt(n)) whatever the deviation
    half = 1.959964 / sqrt(4)
    assert st.paired_d_interval([1, 2, 3, 4], [2, 1, 4, 3]) == pytest.approx((-half, half))


def test_correlations_of_the_paper() -> None:
    disqualified, won = [0, 8, 32, 64, 72, 72], [28, 32, 12, 8, 4, 4]
    assert round(st.pearson(disqualified, won).value, 2) == -0.95
    assert st.pearson(disqualified, won).value == pytest.approx(
        np.corrcoef(disqualified, won)[0, 1]
    )
    assert st.spearman(V1, V2) == pytest.approx((-1, 2 / 720))
    assert st.spearman(C1, C2).value == pytest.approx(0.6)
    assert round(st.spearman([235, 671, 400, 8], [0, 64, 72, 72]).value, 2) == -0.21


@pytest.mark.parametrize(
    ("x", "y"),
    [(C1, C2), ([235, 671, 400, 8], [0, 64, 72, 72]), ([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])],
)
def test_exact_p_of_spearman_is_scipys_permutation_test(x, y) -> None:
    test = scipy_stats.permutation_test(
        (x,), lambda x: scipy_stats.spearmanr(x, y).statistic, permutation_type="pairings"
    )
    assert st.spearman(x, y).p == pytest.approx(test.pvalue)


def test_spearman_of_many_pairs_has_the_usual_p() -> None:
    x, y = np.random.default_rng(0).random((2, 30)).tolist()
    assert st.spearman(x, y) == pytest.approx(tuple(scipy_stats.spearmanr(x, y)))


def test_bootstrap_is_seeded_and_covers() -> None:
    x = np.random.default_rng(1).normal(size=100).tolist()
    interval = st.bootstrap(x, np.mean, seed=5)
    assert interval == st.bootstrap(x, np.mean, seed=5)
    assert interval != st.bootstrap(x, np.mean, seed=6)
    half = 1.96 * np.std(x) / 10
    expected = (np.mean(x) - half, np.mean(x) + half)
    assert interval == pytest.approx(expected, abs=0.25 * half)
    assert st.bootstrap([3.0] * 5, np.mean) == (3, 3)


def test_resamples_keep_the_order() -> None:
    samples = st.resample(range(6), lambda items: list(items), resamples=50)
    assert samples.shape == (50, 6)
    assert (np.diff(samples, axis=1) >= 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: st.wilson((3, 2)), "3 of 2 is no rate"),
        (lambda: st.wilson((-1, 2)), "-1 of 2"),
        (lambda: st.wilson((0, 0)), "0 of 0"),
        (lambda: st.fisher((1, 2), (5, 4)), "5 of 4"),
        (lambda: st.odds_ratio((0, 9), (0, 8)), "nothing to compare"),
        (lambda: st.newcombe((0, 0), (3, 9)), "0 of 0"),
        (lambda: st.mean_interval([3]), "1 value: at least 2"),
        (lambda: st.mean_interval([3, 3]), "do not vary"),
        (lambda: st.paired_d_interval([1, 2], [2, 3]), "do not vary"),
        (lambda: st.chi_squared((0, 9), (0, 8)), "nothing to compare"),
        (lambda: st.two_proportion_z((9, 9), (8, 8)), "nothing to compare"),
        (lambda: st.paired_d([1, 2], [1]), "2 and 1 values"),
        (lambda: st.paired_d([1], [2]), "at least 2 pairs"),
        (lambda: st.paired_d([1, 2], [2, 3]), "do not vary"),
        (lambda: st.paired_t([1, 2], [2, 3]), "do not vary"),
        (lambda: st.pearson([1, 2], [2, 1]), "at least 3 pairs"),
        (lambda: st.pearson([1, 1, 1], [1, 2, 3]), "x do not vary"),
        (lambda: st.spearman([1, 2, 3], [1, 1, 1]), "y do not vary"),
        (lambda: st.bootstrap([], np.mean), "0 items"),
        (lambda: st.bootstrap([1], np.mean, level=1), "between 0 and 1"),
    ],
)
def test_data_without_a_statistic_are_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(ImportError, match=r'"stats" extra: pip install "unspoken\[stats\]"'):
        st.fisher((1, 2), (1, 2))


def test_scipy_and_statsmodels_are_imported_only_when_needed() -> None:
    code = (
        "import sys, unspoken.benchmarks.aidg, unspoken.benchmarks.aidg_reproduce\n"
        "sys.exit(bool({'scipy', 'statsmodels'} & sys.modules.keys()))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_alpha_of_krippendorffs_own_examples() -> None:
    two = ["0100000010", "1110010000"]
    assert st.krippendorff_alpha(two) == pytest.approx(0.095, abs=5e-4)
    four = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    coded = [[None if c == "." else c for c in coder] for coder in four]
    assert st.krippendorff_alpha(coded) == pytest.approx(0.743, abs=5e-4)


def test_alpha_of_perfect_agreement_and_of_nothing_to_agree_on() -> None:
    assert st.krippendorff_alpha(["abc", "abc"]) == 1
    assert st.krippendorff_alpha(["aaa", "aaa"]) is None
    assert st.krippendorff_alpha([[None, "a"], ["a", None]]) is None


def test_profile_intervals_by_hand() -> None:
    """A saturated model of 7 of 10 and 3 of 10: ends of its slope by a grid over the other."""
    x = np.repeat([0.0, 1.0], 10)[:, None]
    won = [i < 3 for i in range(10)] + [i < 7 for i in range(10)]

    def log_likelihood(intercept, slope):
        odds = np.stack([intercept, intercept + slope])
        wins = np.array([3, 7])[:, None]
        return (wins * odds - 10 * np.log1p(np.exp(odds))).sum(axis=0).max()

    grid = np.linspace(-6, 6, 100_001)
    best = 2 * (7 * np.log(0.7) + 3 * np.log(0.3))
    for end in st.profile(x, won)[1]:
        assert 2 * (best - log_likelihood(grid, end)) == pytest.approx(3.841459, abs=1e-4)
