"""Seeker and holder strengths from one joint Bradley-Terry fit, with intervals.

The model is that of dual Elo (AIDG 3.4 and F.2): a seeker rated C beats a holder rated V with
probability 1 / (1 + 10^((V - C) / 400)). Elo walks towards such ratings game by game, so the
order of the games decides where it stops; here all games are weighed at once (Bradley and Terry
1952), so neither order nor names matter.

Every rating has a Gaussian prior with mean 1500 and a deviation of `prior_sd`, 800 points unless
told otherwise. It does two things. It keeps the rating of an undefeated player finite: with ten
games against opponents known to be average, about 700 points above theirs. And it anchors the
scale: within each group of players that games connect, the mean over all C and V ratings is 1500
exactly, as it is in dual Elo. A rating from ten balanced games is drawn about 2% towards 1500.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unspoken.rating.elo import START
from unspoken.rating.games import Cells, Floats, Ints, merge

POINTS = 400 / math.log(10)
"""Elo points a unit of log odds."""
PRIOR_SD = 800.0
_T = TypeVar("_T")
_Bounds = Mapping[str, tuple[float, float]]
_CHUNK = 2_000_000  # numbers held at once while resampling


@dataclass(frozen=True, slots=True)
class Group:
    """Players whom games connect; ratings of different groups cannot be compared.

    The links are between roles: with two players, C of the first and V of the second are one
    group, and C of the second and V of the first another.

    Attributes:
        seekers: whose C belongs here, sorted.
        holders: whose V belongs here, sorted.
        bounded: whether the ratings would be finite without the prior, which they are unless
            some of the group won every game against the rest (Ford 1957).
    """

    seekers: tuple[str, ...]
    holders: tuple[str, ...]
    bounded: bool


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """Ratings that explain all games best.

    Attributes:
        c: ratings as seeker, by name, of those who sought.
        v: ratings as holder, by name, of those who held.
        gap: V - C (AIDG eq. 16), by name, of those whose C and V can be compared.
        c_error: standard errors of `c`, relative to their group's mean, from the curvature at
            the optimum, prior included.
        v_error: standard errors of `v`, likewise.
        gap_error: standard errors of `gap`.
        groups: who can be compared with whom, the largest group first.
        games: number of games.
        prior_sd: the prior's deviation in points.
    """

    c: Mapping[str, float]
    v: Mapping[str, float]
    gap: Mapping[str, float]
    c_error: Mapping[str, float]
    v_error: Mapping[str, float]
    gap_error: Mapping[str, float]
    groups: tuple[Group, ...]
    games: int
    prior_sd: float

    def standings(self, level: float = 0.95) -> list[Standing]:
        """Everybody with intervals of value ± z standard errors, ranked by C, then by V.

        These cover what they should also where games are few and where somebody never lost,
        if games are independent and the model holds.

        Args:
            level: what the intervals shall cover, between 0 and 1.

        Raises:
            ValueError: if `level` is out of range.
        """
        z = NormalDist().inv_cdf((1 + _checked(level)) / 2)

        def around(values: Mapping[str, float], error: Mapping[str, float]) -> _Bounds:
            return {name: (x - z * error[name], x + z * error[name]) for name, x in values.items()}

        return _standings(
            self,
            around(self.c, self.c_error),
            around(self.v, self.v_error),
            around(self.gap, self.gap_error),
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value in Elo points and the bounds of its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's row in a table: C, V and V - C, each None where the games do not tell."""

    player: str
    c: Estimate | None
    v: Estimate | None
    gap: Estimate | None


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Ratings refitted to resampled games.

    Whatever is asked of the ratings can be asked of the replicates: the interval of a difference
    is `interval(b.c["x"] - b.c["y"])`, the probability that x is the better one is
    `(b.c["x"] > b.c["y"]).mean()`.

    Attributes:
        fit: the ratings from the games themselves.
        c: the replicates' ratings as seeker, by name, float64 [R] each.
        v: the replicates' ratings as holder.
    """

    fit: BradleyTerry
    c: Mapping[str, Floats]
    v: Mapping[str, Floats]

    def standings(self, level: float = 0.95) -> list[Standing]:
        """Everybody with the intervals of `interval`, ranked by C, then by V.

        Args:
            level: what the intervals shall cover, between 0 and 1.

        Raises:
            ValueError: if `level` is out of range.
        """
        return _standings(
            self.fit,
            {name: interval(sample, level) for name, sample in self.c.items()},
            {name: interval(sample, level) for name, sample in self.v.items()},
            {name: interval(self.v[name] - self.c[name], level) for name in self.fit.gap},
        )


def fit(
    games: Iterable[tuple[str, str, float, float]], *, prior_sd: float = PRIOR_SD
) -> BradleyTerry:
    """Rate all players in both roles at once, by penalised maximum likelihood.

    With weights, a game's logarithmic likelihood counts so many times; the probabilities are
    then shares of weight, not of games.

    Args:
        games: at least one `RatedGame`, or tuple of seeker, holder, seeker's score, weight.
        prior_sd: deviation of the prior in Elo points, positive.

    Raises:
        ValueError: if there are no games, or a score, a weight or `prior_sd` is out of range.
    """
    return _fit(merge(games), prior_sd)


def bootstrap(
    games: Iterable[tuple[str, str, float, float]],
    *,
    replicates: int = 1000,
    seed: int = 0,
    prior_sd: float = PRIOR_SD,
) -> Bootstrap:
    """Refit the ratings to games drawn anew from the games, with replacement.

    This assumes less than `BradleyTerry.standings` (the spread of the results themselves takes
    the place of the model's) and needs more games: with ten a player its 95% intervals cover
    70 to 80%, since who never lost does not lose in any replicate, and with fifty 90 to 95%.

    Merged games are drawn by one multinomial a replicate, and all replicates are fitted at once.

    Args:
        games: as for `fit`.
        replicates: R, at least 1.
        seed: of the draws.
        prior_sd: as for `fit`.

    Raises:
        ValueError: as for `fit`, or if `replicates` is below 1.
    """
    if replicates < 1:
        raise ValueError(f"replicates={replicates}: at least 1")
    cells = merge(games)
    found = _fit(cells, prior_sd)
    start = np.array([[found.c[p] for p in cells.seekers] + [found.v[p] for p in cells.holders]])
    rng = np.random.default_rng(seed)
    share = cells.count / found.games
    step = max(1, _CHUNK // max(len(share), len(cells.seekers) * len(cells.holders)))
    parts = []
    for done in range(0, replicates, step):
        counts = rng.multinomial(found.games, share, size=min(step, replicates - done))
        parts.append(_maximise(*_tally(cells, counts), prior_sd, (start - START) / POINTS))
    drawn = START + POINTS * np.concatenate(parts)
    s = len(cells.seekers)
    return Bootstrap(
        found, _named(cells.seekers, drawn[:, :s].T), _named(cells.holders, drawn[:, s:].T)
    )


def interval(sample: Floats, level: float = 0.95) -> tuple[float, float]:
    """The central interval of replicates [R] that holds `level` of them (percentile method).

    Raises:
        ValueError: if `level` is not between 0 and 1.
    """
    tail = (1 - _checked(level)) / 2
    low, high = np.quantile(sample, [tail, 1 - tail])
    return float(low), float(high)


def _checked(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"level={level}: must be between 0 and 1")
    return level


def _fit(cells: Cells, prior_sd: float) -> BradleyTerry:
    if not 0 < prior_sd < math.inf:
        raise ValueError(f"prior_sd={prior_sd}: must be positive and finite")
    wins, losses = _tally(cells, cells.count[None])
    s, h = wins.shape[1:]
    found = _maximise(wins, losses, prior_sd, np.zeros((1, s + h)))
    beat = np.zeros((s + h, s + h), bool)
    beat[:s, s:], beat[s:, :s] = wins[0] > 0, losses[0].T > 0
    linked = _classes(beat | beat.T)
    covariance = POINTS**2 * _covariance(cells, found, linked, prior_sd)
    errors = np.sqrt(np.diag(covariance))
    ratings = START + POINTS * found[0]
    places = {name: s + j for j, name in enumerate(cells.holders)}
    gap, gap_error = {}, {}
    for i, name in enumerate(cells.seekers):
        j = places.get(name)
        if j is not None and linked[i] == linked[j]:
            gap[name] = float(ratings[j] - ratings[i])
            variance = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
            gap_error[name] = math.sqrt(variance)
    return BradleyTerry(
        c=_named(cells.seekers, ratings[:s].tolist()),
        v=_named(cells.holders, ratings[s:].tolist()),
        gap=_named(list(gap), gap.values()),
        c_error=_named(cells.seekers, errors[:s].tolist()),
        v_error=_named(cells.holders, errors[s:].tolist()),
        gap_error=_named(list(gap_error), gap_error.values()),
        groups=_groups(cells, linked, _classes(beat)),
        games=int(cells.count.sum()),
        prior_sd=prior_sd,
    )


def _covariance(cells: Cells, x: Floats, linked: Ints, prior_sd: float) -> Floats:
    """Covariance of log odds relative to their group's mean, [S + H, S + H].

    With H the Hessian and J the gradient's variance, weights taken as given, it is H^-1 J H^-1,
    which is H^-1 where all weights are 1. The mean of a group is 1500 by convention and has no
    error: it gets a curvature of 1 here, whose share is then taken away.
    """
    ridge = _ridge(prior_sd)
    mean = (linked[:, None] == linked).astype(float)
    mean /= mean.sum(0)
    s = len(cells.seekers)
    hessian, variance = (ridge * np.eye(len(linked)) + mean for _ in range(2))
    for matrix, counts in (hessian, cells.count), (variance, cells.count * cells.weight):
        wins, losses = _tally(cells, counts[None])
        w = _curvature(wins + losses, x)[0]
        matrix[:s, :s] += np.diag(w.sum(1))
        matrix[s:, s:] += np.diag(w.sum(0))
        matrix[:s, s:] -= w
        matrix[s:, :s] -= w.T
    inverse = np.linalg.inv(hessian)
    covariance: Floats = inverse @ variance @ inverse - mean / (1 + ridge)
    return covariance


def _tally(cells: Cells, counts: Ints | Floats) -> tuple[Floats, Floats]:
    """Weights won and lost by seekers against holders, [R, S, H], from counts [R, K]."""
    s, h = len(cells.seekers), len(cells.holders)
    pairs, starts = np.unique(cells.seeker * h + cells.holder, return_index=True)
    sums = []
    for value in (cells.weight * cells.score, cells.weight * (1 - cells.score)):
        table = np.zeros((len(counts), s * h))
        table[:, pairs] = np.add.reduceat(counts * value, starts, axis=1)
        sums.append(table.reshape(-1, s, h))
    return sums[0], sums[1]


def _maximise(wins: Floats, losses: Floats, prior_sd: float, start: Floats) -> Floats:
    """Newton's method on R problems at once; log odds [R, S + H], C before V.

    The Hessian's C and V blocks are diagonal, so only an S x S system has to be solved; a step
    that makes things worse is halved. The penalised likelihood is strictly concave, so there is
    one optimum and the start does not matter.
    """
    ridge = _ridge(prior_sd)
    total = wins + losses
    s = wins.shape[1]

    def loss(x: Floats) -> Floats:
        d = _odds(x, s)
        misfit = (total * np.logaddexp(0, d) - wins * d).sum((1, 2))
        value: Floats = misfit + ridge / 2 * (x * x).sum(1)
        return value

    x = np.repeat(start, len(wins), axis=0)
    now = loss(x)
    for _ in range(100):
        residual = total * _sigmoid(_odds(x, s)) - wins
        gradient = np.concatenate([residual.sum(2), -residual.sum(1)], axis=1) + ridge * x
        w = _curvature(total, x)
        g, f = gradient[:, :s, None], gradient[:, s:, None]
        v_block = w.sum(1)[:, :, None] + ridge
        schur = np.eye(s) * (w.sum(2)[:, :, None] + ridge) - w @ (w.swapaxes(1, 2) / v_block)
        c_step = np.linalg.solve(schur, g + w @ (f / v_block))
        v_step = (f + w.swapaxes(1, 2) @ c_step) / v_block
        step = np.concatenate([c_step, v_step], axis=1)[:, :, 0]
        scale = np.ones((len(x), 1))
        while True:
            new = loss(x - scale * step)
            worse = new > now + 1e-12 * (1 + np.abs(now))
            if not worse.any():
                break
            scale[worse] /= 2
        x, now = x - scale * step, new
        if np.abs(step).max() < 1e-7:  # the error left is of the order of its square
            break
    return x


def _ridge(prior_sd: float) -> float:
    return (POINTS / prior_sd) ** 2


def _odds(x: Floats, s: int) -> Floats:
    return x[:, :s, None] - x[:, None, s:]


def _sigmoid(d: Floats) -> Floats:
    p: Floats = (1 + np.tanh(d / 2)) / 2
    return p


def _curvature(total: Floats, x: Floats) -> Floats:
    p = _sigmoid(_odds(x, total.shape[1]))
    return total * p * (1 - p)


def _named(names: Sequence[str], values: Iterable[_T]) -> dict[str, _T]:
    return dict(sorted(zip(names, values, strict=True), key=lambda item: item[0]))


def _groups(cells: Cells, linked: Ints, mutual: Ints) -> tuple[Group, ...]:
    s = len(cells.seekers)
    groups = []
    for label in np.unique(linked):
        inside = np.flatnonzero(linked == label)
        groups.append(
            Group(
                seekers=tuple(sorted(cells.seekers[i] for i in inside if i < s)),
                holders=tuple(sorted(cells.holders[i - s] for i in inside if i >= s)),
                bounded=len(np.unique(mutual[inside])) == 1,
            )
        )
    return tuple(sorted(groups, key=lambda g: (-len(g.seekers + g.holders), g.seekers)))


def _classes(edges: NDArray[np.bool_]) -> Ints:
    """Which nodes reach each other: the first member of each node's class, [n]."""
    reach = edges | np.eye(len(edges), dtype=bool)
    while True:
        once = reach.astype(np.float32)
        further = once @ once > 0
        if (further == reach).all():
            first: Ints = (reach & reach.T).argmax(1)
            return first
        reach = further


def _standings(fit: BradleyTerry, c: _Bounds, v: _Bounds, gap: _Bounds) -> list[Standing]:
    def row(player: str) -> Standing:
        return Standing(
            player,
            *(
                Estimate(values[player], *bounds[player]) if player in values else None
                for values, bounds in ((fit.c, c), (fit.v, v), (fit.gap, gap))
            ),
        )

    def rank(row: Standing) -> tuple[float, float, str]:
        c, v = (-math.inf if e is None else e.value for e in (row.c, row.v))
        return -c, -v, row.player

    return sorted(map(row, fit.c.keys() | fit.v.keys()), key=rank)
