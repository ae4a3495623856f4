"""The statistics of the AIDG and SDA papers: thin, typed calls to scipy and statsmodels.

A rate is given as its counts, `(successes, trials)`; a function that cannot give a number for the
data at hand raises ValueError and says why. scipy and statsmodels come with the "stats" extra and
are imported when they are needed.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from importlib import import_module
from itertools import permutations
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")
Floats = NDArray[np.float64]
Count = tuple[int, int]
"""Successes and trials."""

EXACT = 8
"""Up to so many pairs, Spearman's p is exact: all orders are counted."""


class Interval(NamedTuple):
    """Both ends of a confidence interval."""

    low: float
    high: float


class Odds(NamedTuple):
    """An odds ratio and the ends of its interval, all above 0, and whether it was corrected."""

    ratio: float
    low: float
    high: float
    corrected: bool


class Statistic(NamedTuple):
    """A test statistic or a correlation, and its two-sided p, 0 to 1."""

    value: float
    p: float


class Area(NamedTuple):
    """Area under a ROC curve, 0 to 1, with DeLong's error and interval, and p against one half."""

    value: float
    error: float
    low: float
    high: float
    p: float


class Logistic(NamedTuple):
    """A logistic regression on K predictors; arrays are float64 [K + 1], the intercept first.

    Attributes:
        coefficients: in log odds.
        errors: of the coefficients.
        p: of the coefficients (Wald), 0 to 1.
        low: lower ends of their intervals (Wald).
        high: upper ends.
        aic: Akaike's criterion.
        null_aic: the same of the intercept alone.
        tjur: Tjur's R², -1 to 1.
        accuracy: share of outcomes on the predicted side of one half.
        p_model: of the likelihood ratio against the intercept alone.
        predicted: chances of the outcome, float64 [N], 0 to 1.
    """

    coefficients: Floats
    errors: Floats
    p: Floats
    low: Floats
    high: Floats
    aic: float
    null_aic: float
    tjur: float
    accuracy: float
    p_model: float
    predicted: Floats


# Rates ------------------------------------------------------------------------------------------


def wilson(count: Count, level: float = 0.95) -> Interval:
    """Wilson's interval of a rate, within 0 to 1; the paper gives none."""
    successes, trials = _checked(count)
    ci = _load("scipy.stats").binomtest(successes, trials).proportion_ci(level, method="wilson")
    return Interval(float(ci.low), float(ci.high))


def odds_ratio(first: Count, second: Count, level: float = 0.95) -> Odds:
    """Odds of `first` over those of `second`, with Woolf's (logit) interval (AIDG 5.3, Table 5).

    Where a cell is 0, one half is added to all four (Haldane-Anscombe correction).

    Raises:
        ValueError: also if all or none succeeded, which says nothing about the ratio.
    """
    cells = _varied(first, second)
    corrected = bool((cells == 0).any())
    table = _load("statsmodels.stats.contingency_tables").Table2x2(cells + 0.5 * corrected)
    low, high = table.oddsratio_confint(1 - level)
    return Odds(float(table.oddsratio), float(low), float(high), corrected)


def newcombe(first: Count, second: Count, level: float = 0.95) -> Interval:
    """Newcombe's interval of the difference of two rates, from Wilson's of each, within -1 to 1.

    It is method 10 of Newcombe 1998, for samples that share no game.
    """
    counts = (*_checked(first), *_checked(second))
    low, high = _load("statsmodels.stats.proportion").confint_proportions_2indep(
        *counts, method="newcomb", compare="diff", alpha=1 - level
    )
    return Interval(float(low), float(high))


def fisher(first: Count, second: Count) -> float:
    """Two-sided p of Fisher's exact test, 0 to 1 (AIDG 5.3, Table 5)."""
    return float(_load("scipy.stats").fisher_exact(_cells(first, second)).pvalue)


def chi_squared(first: Count, second: Count) -> Statistic:
    """χ² of two rates with Yates' correction, 0 or more (AIDG 5.2)."""
    cells = _varied(first, second)
    result = _load("scipy.stats").chi2_contingency(cells, correction=True)
    return Statistic(float(result.statistic), float(result.pvalue))


def two_proportion_z(first: Count, second: Count) -> Statistic:
    """The z of two rates with the pooled deviation, positive if `first` is higher (AIDG 5.9)."""
    cells = _varied(first, second)
    z, p = _load("statsmodels.stats.proportion").proportions_ztest(cells[:, 0], cells.sum(axis=1))
    return Statistic(float(z), float(p))


def normal_p(z: float) -> float:
    """Two-sided p of a z, 0 to 1."""
    return float(2 * _load("scipy.stats").norm.sf(abs(z)))


def t_p(t: float, df: float) -> float:
    """Two-sided p of a t with so many degrees of freedom, 0 to 1."""
    return float(2 * _load("scipy.stats").t.sf(abs(t), df))


# Means ------------------------------------------------------------------------------------------


def mean_interval(x: Sequence[float], level: float = 0.95) -> Interval:
    """Student's t interval of a mean."""
    if len(x) < 2:
        raise ValueError(f"{len(x)} value: at least 2 are needed")
    a = np.asarray(x, dtype=np.float64)
    error = _deviation(a, "the values") / np.sqrt(len(a))
    low, high = _load("scipy.stats").t.interval(level, len(a) - 1, a.mean(), error)
    return Interval(float(low), float(high))


# Pairs ------------------------------------------------------------------------------------------


def paired_d(x: Sequence[float], y: Sequence[float]) -> float:
    """Paired Cohen's d: mean of x - y over its sample deviation (AIDG 5.1, Table 3)."""
    a, b = _pairs(x, y)
    return float((a - b).mean() / _deviation(a - b, "the differences"))


def paired_d_interval(x: Sequence[float], y: Sequence[float], level: float = 0.95) -> Interval:
    """Interval of `paired_d`, exact for normal differences: both noncentral t with t at a tail."""
    t, n = paired_t(x, y).value, len(x)
    stats, tail = _load("scipy.stats"), (1 - level) / 2
    # For t >= 0 both noncentralities lie between these two: the lower where t = 0 has it, the
    # upper where half the tail is given to the deviation and half to the mean.
    least = stats.norm.ppf(tail)
    most = abs(t) * np.sqrt(stats.chi2.isf(tail / 2, n - 1) / (n - 1)) + stats.norm.isf(tail / 2)
    ends = [
        _load("scipy.optimize").brentq(
            lambda c, share=share: stats.nct.cdf(abs(t), n - 1, c) - share, least - 1e-6, most
        )
        / np.sqrt(n)
        for share in (1 - tail, tail)
    ]
    low, high = ends if t >= 0 else (-ends[1], -ends[0])
    return Interval(float(low), float(high))


def paired_t(x: Sequence[float], y: Sequence[float]) -> Statistic:
    """Paired t-test of x against y, two-sided (AIDG 5.1, Table 3)."""
    a, b = _pairs(x, y)
    _deviation(a - b, "the differences")
    result = _load("scipy.stats").ttest_rel(a, b)
    return Statistic(float(result.statistic), float(result.pvalue))


def pearson(x: Sequence[float], y: Sequence[float]) -> Statistic:
    """Pearson's r, -1 to 1 (AIDG 5.4)."""
    a, b = _pairs(x, y, 3)
    _deviation(a, "x")
    _deviation(b, "y")
    result = _load("scipy.stats").pearsonr(a, b)
    return Statistic(float(result.statistic), float(result.pvalue))


def spearman(x: Sequence[float], y: Sequence[float]) -> Statistic:
    """Spearman's rho, -1 to 1, ties at their mean rank (AIDG 5.5, 5.8).

    The p is exact for up to `EXACT` pairs, since the usual t approximation is wrong for so few:
    at |rho| = 1 it gives 0 for any number of pairs.
    """
    a, b = _pairs(x, y, 3)
    _deviation(a, "x")
    _deviation(b, "y")
    stats = _load("scipy.stats")
    result = stats.spearmanr(a, b)
    rho, p = float(result.statistic), float(result.pvalue)
    if len(a) <= EXACT:
        ranks = stats.rankdata([a, b], axis=1)
        ranks -= ranks.mean(axis=1, keepdims=True)
        sums = np.array(list(permutations(ranks[0]))) @ ranks[1]
        p = float(np.mean(abs(sums) >= abs(ranks[0] @ ranks[1]) - 1e-9))
    return Statistic(rho, p)


# Groups and outcomes ----------------------------------------------------------------------------


def cliffs_delta(x: Sequence[float], y: Sequence[float]) -> Statistic:
    """Cliff's delta, P(x > y) - P(x < y), -1 to 1, with the p of Mann and Whitney's test."""
    if not len(x) or not len(y):
        raise ValueError(f"{len(x)} and {len(y)} values: at least 1 of each is needed")
    test = _load("scipy.stats").mannwhitneyu(x, y, alternative="two-sided")
    p = float(test.pvalue)
    # All values alike leave nothing to rank: scipy has no p for that.
    return Statistic(float(2 * test.statistic / (len(x) * len(y)) - 1), 1.0 if np.isnan(p) else p)


def auc(scores: Sequence[float], outcomes: Sequence[bool], level: float = 0.95) -> Area:
    """Area under the ROC curve of scores that should be higher where the outcome is true.

    Error and interval are DeLong's (DeLong et al. 1988), p is Mann and Whitney's.
    """
    values, truth = np.asarray(scores, dtype=np.float64), _outcomes(outcomes, len(scores))
    higher, lower = values[truth], values[~truth]
    delta = cliffs_delta(higher.tolist(), lower.tolist())
    area = (delta.value + 1) / 2
    wins = (np.sign(higher[:, None] - lower[None, :]) + 1) / 2
    variance = 0.0
    for shares in (wins.mean(axis=1), wins.mean(axis=0)):
        if len(shares) > 1:
            variance += float(shares.var(ddof=1)) / len(shares)
    error = float(np.sqrt(variance))
    half = float(_load("scipy.stats").norm.isf((1 - level) / 2)) * error
    ends = max(0.0, area - half), min(1.0, area + half)
    return Area(area, error, *ends, delta.p)


def logistic(x: ArrayLike, outcomes: Sequence[bool], level: float = 0.95) -> Logistic:
    """Logistic regression with an intercept, by maximum likelihood (SDA 7.1, Table 3).

    Args:
        x: predictors, [N, K].
        outcomes: [N].
        level: of the intervals.

    Raises:
        ValueError: also if the predictors separate the outcomes, so that no estimate is finite.
    """
    model, truth = _logit(x, outcomes)
    predicted = np.asarray(model.predict())
    low, high = model.conf_int(1 - level).T
    return Logistic(
        model.params,
        model.bse,
        model.pvalues,
        low,
        high,
        float(model.aic),
        float(2 - 2 * model.llnull),
        float(predicted[truth].mean() - predicted[~truth].mean()),
        float(((predicted > 0.5) == truth).mean()),
        float(model.llr_pvalue),
        predicted,
    )


def profile(x: Floats, outcomes: Sequence[bool], level: float = 0.95) -> list[Interval]:
    """Profile-likelihood intervals of a logistic regression's coefficients, the intercept first.

    An end is where the likelihood ratio of holding the coefficient there is just significant. (The
    four errors that it is looked for within are well beyond.)

    Args:
        x: predictors, float64 [N, K].
        outcomes: [N].
        level: of the intervals.
    """
    brentq = _load("scipy.optimize").brentq
    family = _load("statsmodels.genmod.families").Binomial()
    GLM = _load("statsmodels.genmod.generalized_linear_model").GLM
    model = logistic(x, outcomes, level)
    design = np.column_stack([np.ones(len(x)), x])
    truth = np.asarray(outcomes, np.float64)
    apart = float(_load("scipy.stats").chi2.isf(1 - level, 1))
    best = model.aic / 2 - design.shape[1]

    def beyond(end: float, i: int) -> float:
        rest, offset = np.delete(design, i, axis=1), end * design[:, i]
        held = GLM(truth, rest, family, offset=offset).fit()
        return float(2 * (-held.llf - best) - apart)

    found = []
    for i, (at, error) in enumerate(zip(model.coefficients, model.errors, strict=True)):
        low, high = (brentq(beyond, at, at + side * 4 * error, args=(i,)) for side in (-1, 1))
        found.append(Interval(float(low), float(high)))
    return found


def logistic_coefficients(x: ArrayLike, outcomes: Sequence[bool]) -> Floats:
    """The coefficients of `logistic` alone, which is quick; NaN where none are finite."""
    try:
        return np.asarray(_logit(x, outcomes)[0].params)
    except ValueError:
        return np.full(np.shape(x)[1] + 1, np.nan)


# Bootstrap --------------------------------------------------------------------------------------


def resample(
    items: Sequence[T],
    statistic: Callable[[Sequence[T]], ArrayLike],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> Floats:
    """The statistic of `resamples` samples with replacement, one row a sample.

    A sample keeps the order of `items`, on which Elo ratings depend.
    """
    if not items or resamples < 1:
        raise ValueError(f"{len(items)} items, {resamples} resamples: at least 1 of each")
    rng = np.random.default_rng(seed)
    picks = np.sort(rng.integers(len(items), size=(resamples, len(items))), axis=1)
    return np.array([statistic([items[i] for i in row]) for row in picks], dtype=np.float64)


def percentiles(samples: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
    """Both ends of the percentile interval of each column."""
    if not 0 < level < 1:
        raise ValueError(f"level={level} is not between 0 and 1")
    low, high = np.quantile(samples, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def bootstrap(
    items: Sequence[T],
    statistic: Callable[[Sequence[T]], float],
    *,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval:
    """Percentile bootstrap interval of a statistic; the same seed gives the same interval."""
    low, high = percentiles(resample(items, statistic, resamples=resamples, seed=seed), level)
    return Interval(float(low), float(high))


# Agreement --------------------------------------------------------------------------------------


def krippendorff_alpha(codings: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Krippendorff's alpha for nominal categories (Krippendorff 2011, equation for nominal data).

    Args:
        codings: one sequence a coder, all of the same length; None where a coder gave nothing.

    Returns:
        1 for perfect agreement, 0 for what chance gives, below 0 for less; None where it is not
        defined: nothing was coded twice, or only one category was ever used.
    """
    units = [[code for code in unit if code is not None] for unit in zip(*codings, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    totals = Counter(code for unit in units for code in unit)
    n = totals.total()
    chance = n * n - sum(count * count for count in totals.values())
    if chance == 0:
        return None
    observed = sum(
        (len(unit) ** 2 - sum(count * count for count in Counter(unit).values())) / (len(unit) - 1)
        for unit in units
    )
    return 1 - (n - 1) * observed / chance


def fleiss_kappa(
    codings: Sequence[Sequence[Hashable]], categories: Sequence[Hashable]
) -> float | None:
    """Fleiss' kappa: chance is what all coders together give (Fleiss 1971).

    Args:
        codings: one sequence a coder, all of the same length.
        categories: all that a coder may give.

    Returns:
        1 for perfect agreement, 0 for what chance gives; None if only one category was used.
    """
    table = _counts(codings, categories)
    if (table.sum(axis=0) > 0).sum() < 2:
        return None
    return float(_load("statsmodels.stats.inter_rater").fleiss_kappa(table, method="fleiss"))


def randolph_kappa(codings: Sequence[Sequence[Hashable]], categories: Sequence[Hashable]) -> float:
    """Randolph's kappa: chance is the same for every category (Randolph 2005).

    Arguments as of `fleiss_kappa`; at least two categories.
    """
    table = _counts(codings, categories)
    return float(_load("statsmodels.stats.inter_rater").fleiss_kappa(table, method="randolph"))


def true_positive_rate(truth: Sequence[bool], found: Sequence[bool]) -> float | None:
    """Share of what is true that was found, 0 to 1; None where nothing is true."""
    hits = [bool(f) for t, f in zip(truth, found, strict=True) if t]
    return sum(hits) / len(hits) if hits else None


# Within -----------------------------------------------------------------------------------------


def _load(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f'{module} is missing: this needs the "stats" extra: pip install "unspoken[stats]"'
        ) from error


def _checked(count: Count) -> Count:
    successes, trials = count
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"{successes} of {trials} is no rate: 0 ≤ successes ≤ trials, trials ≥ 1")
    return count


def _cells(first: Count, second: Count) -> NDArray[np.int64]:
    rows = [(s, n - s) for s, n in map(_checked, (first, second))]
    return np.array(rows, dtype=np.int64)


def _varied(first: Count, second: Count) -> NDArray[np.int64]:
    cells = _cells(first, second)
    if 0 in cells.sum(axis=0):
        raise ValueError(f"{first} against {second}: all or none succeeded, nothing to compare")
    return cells


def _pairs(x: Sequence[float], y: Sequence[float], least: int = 2) -> tuple[Floats, Floats]:
    if len(x) != len(y) or len(x) < least:
        raise ValueError(f"{len(x)} and {len(y)} values: at least {least} pairs are needed")
    return np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)


def _deviation(x: Floats, name: str) -> float:
    deviation = float(x.std(ddof=1))
    if not deviation:
        raise ValueError(f"{name} do not vary: there is no deviation to divide by")
    return deviation


def _outcomes(outcomes: Sequence[bool], n: int) -> NDArray[np.bool_]:
    truth = np.asarray(outcomes, dtype=np.bool_)
    if truth.shape != (n,) or truth.all() or not truth.any():
        raise ValueError(
            f"{truth.sum()} of {truth.size} outcomes are true, for {n} values: one outcome a "
            "value is needed, and both kinds"
        )
    return truth


def _logit(x: ArrayLike, outcomes: Sequence[bool]) -> tuple[Any, NDArray[np.bool_]]:
    predictors = np.asarray(x, dtype=np.float64)
    truth = _outcomes(outcomes, len(predictors))
    discrete = _load("statsmodels.discrete.discrete_model")
    design = np.column_stack([np.ones(len(predictors)), predictors])
    if np.linalg.matrix_rank(design) < design.shape[1]:
        raise ValueError("a predictor does not vary, or follows from the others: no regression")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say is looked at here
        try:
            model = discrete.Logit(truth.astype(np.float64), design).fit(disp=False, maxiter=100)
        except np.linalg.LinAlgError:
            model = None
    if not model or not model.mle_retvals["converged"] or (model.predict() == truth).all():
        raise ValueError("the predictors separate the outcomes: no estimate is finite")
    return model, truth


def _counts(
    codings: Sequence[Sequence[Hashable]], categories: Sequence[Hashable]
) -> NDArray[np.int64]:
    """How many coders gave each unit each category, [units, categories]."""
    units = list(zip(*codings, strict=True))
    if len(codings) < 2 or not units:
        raise ValueError(f"{len(codings)} coders of {len(units)} units: at least 2 coders, 1 unit")
    strange = sorted({repr(code) for unit in units for code in unit if code not in categories})
    if strange:
        raise ValueError(f"{strange[0]} is not one of {', '.join(map(str, categories))}")
    return np.array([[unit.count(c) for c in categories] for unit in units], dtype=np.int64)
