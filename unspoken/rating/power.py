"""How many games are needed for an interval of a wanted width, or to see a wanted difference.

Two designs are compared throughout. *Unpaired*: each agent plays games of its own. *Paired* (role
swapped): every pair of games shares its secret, its seed and its opponent, and the two agents
take the role in question in turn, so that a hard secret is hard for both. `correlation` is that
of the two scores of a pair; what it saves is what the shared secret explains. Numbers of games
are per agent: n games are n pairs in the paired design and n games of each agent in the unpaired
one, 2n games in all either way.

All formulas are for large samples (normal approximation); counts are rounded up.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from unspoken.rating.bradley_terry import POINTS
from unspoken.rating.elo import expected_score

LEVEL = 0.95
POWER = 0.8


def rate_half_width(rate: float, games: int, *, level: float = LEVEL) -> float:
    """Half the width of Wilson's interval (1927) of a win rate, 0 to 0.5.

    Args:
        rate: the win rate observed, 0 to 1.
        games: at least 1.
        level: of the interval, between 0 and 1.

    Raises:
        ValueError: if something is out of range.
    """
    _check("rate", rate, 0, 1, closed=True)
    z, n = _z(level), _at_least_one(games)
    return z * math.sqrt(n * rate * (1 - rate) + z * z / 4) / (n + z * z)


def games_for_rate(rate: float, half_width: float, *, level: float = LEVEL) -> int:
    """Games until Wilson's interval of a win rate is at most 2 `half_width` wide.

    The width falls with the number of games n; equal to `half_width` h, it is a quadratic in n:
    h² n² + z² (2h² - pq) n + z⁴ (h² - 1/4) = 0.

    Args:
        rate: the win rate expected, 0 to 1; 0.5 is the worst case.
        half_width: wanted, between 0 and 0.5.
        level: of the interval, between 0 and 1.

    Raises:
        ValueError: if something is out of range.
    """
    _check("rate", rate, 0, 1, closed=True)
    _check("half_width", half_width, 0, 0.5)
    z2, h2 = _z(level) ** 2, half_width**2
    b = z2 * (rate * (1 - rate) - 2 * h2)
    root = math.sqrt(b * b + 4 * h2 * z2 * z2 * (0.25 - h2))
    return _up((b + root) / (2 * h2))


def difference_half_width(
    first: float,
    second: float,
    games: int,
    *,
    correlation: float | None = None,
    level: float = LEVEL,
) -> float:
    """Half the width of Wald's interval of the difference of two win rates.

    Args:
        first: the first agent's win rate, between 0 and 1.
        second: the second agent's.
        games: of each agent, at least 1.
        correlation: of the scores in a pair; None for the unpaired design.
        level: of the interval, between 0 and 1.

    Raises:
        ValueError: if something is out of range, or the rates cannot have that correlation.
    """
    return _z(level) * math.sqrt(_variance(first, second, correlation) / _at_least_one(games))


def games_for_difference(
    first: float,
    second: float,
    half_width: float,
    *,
    correlation: float | None = None,
    level: float = LEVEL,
) -> int:
    """Games of each agent until the difference of their win rates is known to ± `half_width`.

    Args:
        first: the first agent's win rate, between 0 and 1.
        second: the second agent's.
        half_width: wanted, between 0 and 1.
        correlation: of the scores in a pair; None for the unpaired design.
        level: of the interval, between 0 and 1.

    Raises:
        ValueError: if something is out of range, or the rates cannot have that correlation.
    """
    _check("half_width", half_width, 0, 1)
    return _up(_variance(first, second, correlation) * (_z(level) / half_width) ** 2)


def power_of_difference(
    first: float,
    second: float,
    games: int,
    *,
    correlation: float | None = None,
    level: float = LEVEL,
) -> float:
    """Probability that a two-sided test tells two win rates apart, in the right direction.

    The test is the pooled z test of two proportions in the unpaired design, McNemar's (without
    correction) in the paired one (Connor 1987).

    Args:
        first: the first agent's win rate, between 0 and 1.
        second: the second agent's.
        games: of each agent, at least 1.
        correlation: of the scores in a pair; None for the unpaired design.
        level: 1 - the test's significance level, between 0 and 1.

    Raises:
        ValueError: if something is out of range, or the rates cannot have that correlation.
    """
    null, true = _deviations(first, second, correlation)
    reach = abs(first - second) * math.sqrt(_at_least_one(games)) - _z(level) * null
    return NormalDist().cdf(reach / true) if true else 0.0


def games_to_detect(
    first: float,
    second: float,
    *,
    correlation: float | None = None,
    power: float = POWER,
    level: float = LEVEL,
) -> int:
    """Games of each agent until a test tells two win rates apart with probability `power`.

    The inverse of `power_of_difference`.

    Args:
        first: the first agent's win rate, between 0 and 1.
        second: the second agent's, another one.
        correlation: of the scores in a pair; None for the unpaired design.
        power: wanted, between 0 and 1.
        level: 1 - the test's significance level, between 0 and 1.

    Raises:
        ValueError: if something is out of range, the rates are equal, or they cannot have that
            correlation.
    """
    _check("power", power, 0, 1)
    null, true = _deviations(first, second, correlation)
    if first == second:
        raise ValueError(f"both win rates are {first}: no number of games tells them apart")
    reach = _z(level) * null + NormalDist().inv_cdf(power) * true
    return _up((max(reach, 0.0) / (first - second)) ** 2)


def games_for_elo_gap(gap: float, half_width: float, *, level: float = LEVEL) -> int:
    """Games of one seeker against one holder until V - C is known to ± `half_width` points.

    A win rate p from n games gives the gap as 400 log10((1 - p)/p), whose variance is
    (400/ln 10)² / (n p (1 - p)) (delta method).

    Args:
        gap: V - C expected, in Elo points.
        half_width: wanted, in Elo points, positive.
        level: of the interval, between 0 and 1.

    Raises:
        ValueError: if something is out of range.
    """
    _check("half_width", half_width, 0, math.inf)
    p = expected_score(0.0, gap)
    return _up((_z(level) * POINTS / half_width) ** 2 / (p * (1 - p)))


def games_for_elo_difference(
    first: float,
    second: float,
    half_width: float,
    *,
    correlation: float | None = None,
    level: float = LEVEL,
) -> int:
    """Games of each of two agents until their ratings' difference is known to ± `half_width`.

    Both play the role in question against the same opponents. Where opponents differ in strength
    or are rated from few games themselves, the number is a lower bound.

    Args:
        first: the first agent's win rate against them, between 0 and 1.
        second: the second agent's.
        half_width: wanted, in Elo points, positive.
        correlation: of the scores in a pair; None for the unpaired design.
        level: of the interval, between 0 and 1.

    Raises:
        ValueError: if something is out of range, or the rates cannot have that correlation.
    """
    _check("half_width", half_width, 0, math.inf)
    correlation = _possible(first, second, correlation)
    a, b = (1 / math.sqrt(p * (1 - p)) for p in (first, second))
    variance = a * a + b * b - 2 * correlation * a * b
    return _up(variance * (_z(level) * POINTS / half_width) ** 2)


def _possible(first: float, second: float, correlation: float | None) -> float:
    """The correlation, 0 for None, if two wins with these rates can have it."""
    _check("first", first, 0, 1)
    _check("second", second, 0, 1)
    if correlation is None:
        return 0.0
    # how often both win is at least 0 and first + second - 1, and at most the lower rate
    both = math.sqrt(first * (1 - first) * second * (1 - second))
    low = (max(0.0, first + second - 1) - first * second) / both
    high = (min(first, second) - first * second) / both
    if not low - 1e-12 <= correlation <= high + 1e-12:
        raise ValueError(
            f"correlation={correlation}: wins with rates {first} and {second} can have one from "
            f"{low:.3f} to {high:.3f}"
        )
    return correlation


def _variance(first: float, second: float, correlation: float | None) -> float:
    """Variance of the difference of the two scores of a pair."""
    correlation = _possible(first, second, correlation)
    a, b = (math.sqrt(p * (1 - p)) for p in (first, second))
    return max(0.0, a * a + b * b - 2 * correlation * a * b)


def _deviations(first: float, second: float, correlation: float | None) -> tuple[float, float]:
    """The deviation of a difference as the test takes it to be, and as it is."""
    variance = _variance(first, second, correlation)
    if correlation is None:
        mean = (first + second) / 2
        return math.sqrt(2 * mean * (1 - mean)), math.sqrt(variance)
    # McNemar: without a difference the variance is the share of pairs with one win
    return math.sqrt(variance + (first - second) ** 2), math.sqrt(variance)


def _z(level: float) -> float:
    _check("level", level, 0, 1)
    return NormalDist().inv_cdf((1 + level) / 2)


def _up(games: float) -> int:
    return max(1, math.ceil(games))


def _at_least_one(games: int) -> int:
    if games < 1:
        raise ValueError(f"games={games}: at least 1")
    return games


def _check(name: str, value: float, low: float, high: float, *, closed: bool = False) -> None:
    if not (low <= value <= high if closed else low < value < high):
        ends = "from {} to {}" if closed else "above {} and below {}"
        raise ValueError(f"{name}={value}: must be {ends.format(low, high)}")
