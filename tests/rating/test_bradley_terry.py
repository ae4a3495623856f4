"""The joint fit against choix, evalica, scipy, statsmodels, hand calculations and itself."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unspoken.rating.bradley_terry import POINTS, Group, bootstrap, fit, interval
from unspoken.rating.elo import DualElo, expected_score
from unspoken.rating.games import RatedGame, merge

WEAK = 1e5  # a prior that hardly does anything


def tournament(players=5, rounds=6, seed=0, weights=(1.0,)):
    rng = np.random.default_rng(seed)
    c, v = rng.normal(1450, 120, players), rng.normal(1550, 60, players)
    return [
        RatedGame(
            f"p{i}",
            f"p{j}",
            float(rng.random() < expected_score(c[i], v[j])),
            float(rng.choice(weights)),
        )
        for _ in range(rounds)
        for i in range(players)
        for j in range(players)
        if i != j
    ]


def items(games):
    """Every role of every player as an item, for libraries with one kind of item."""
    return {item: i for i, item in enumerate(sorted({(r, g[r]) for g in games for r in (0, 1)}))}


def ratings(found, order):
    return np.array([(found.c, found.v)[role][name] for role, name in order])


# against others


@pytest.mark.parametrize("prior_sd", [200, 800])
def test_choix_finds_the_same_maximum_a_posteriori(prior_sd) -> None:
    choix = pytest.importorskip("choix")
    games = tournament()
    order = items(games)
    data = [(order[0, g.seeker], order[1, g.holder])[:: 1 if g.score else -1] for g in games]
    # choix (0.4.1) penalises alpha |x|^2, a prior of variance 1/(2 alpha), whatever it documents
    alpha = (POINTS / prior_sd) ** 2 / 2
    theirs = choix.opt_pairwise(len(order), data, alpha=alpha, tol=1e-12)
    ours = ratings(fit(games, prior_sd=prior_sd), order)
    assert ours == pytest.approx(1500 + POINTS * theirs, abs=1e-4)


def test_choix_and_evalica_find_the_same_maximum_of_the_likelihood() -> None:
    choix, evalica = pytest.importorskip("choix"), pytest.importorskip("evalica")
    games = tournament(seed=1)
    order = items(games)
    ours = ratings(fit(games, prior_sd=WEAK), order)
    data = [(order[0, g.seeker], order[1, g.holder])[:: 1 if g.score else -1] for g in games]
    assert ours == pytest.approx(1500 + POINTS * choix.ilsr_pairwise(len(order), data), abs=0.01)

    weighted = tournament(seed=1, weights=(0.125, 1.0, 1.875))
    theirs = evalica.bradley_terry(
        [f"0{g.seeker}" for g in weighted],
        [f"1{g.holder}" for g in weighted],
        [evalica.Winner.X if g.score else evalica.Winner.Y for g in weighted],
        weights=[g.weight for g in weighted],
        tolerance=1e-13,
        limit=100_000,
    ).scores
    logs = np.array([math.log(theirs[f"{role}{name}"]) for role, name in order])
    ours = ratings(fit(weighted, prior_sd=WEAK), order)
    assert ours == pytest.approx(1500 + POINTS * (logs - logs.mean()), abs=0.01)


def test_scipy_finds_the_same_optimum_of_the_objective_written_out_in_points() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    games = tournament(players=4, seed=2, weights=(0.125, 0.5, 2.0))
    games += [RatedGame("p0", "p1", 0.5), RatedGame("p2", "p0", 0.25, 0.75)]
    order = items(games)

    def objective(x):
        total = sum(((r - 1500) / 300) ** 2 / 2 for r in x)
        for seeker, holder, score, weight in games:
            p = expected_score(x[order[0, seeker]], x[order[1, holder]])
            total -= weight * (score * math.log(p) + (1 - score) * math.log(1 - p))
        return total

    start = np.full(len(order), 1500.0)
    found = optimize.minimize(objective, start, jac="3-point", options={"gtol": 1e-8})
    assert ratings(fit(games, prior_sd=300), order) == pytest.approx(found.x, abs=0.01)


def test_statsmodels_finds_the_same_errors_of_the_gaps() -> None:
    api = pytest.importorskip("statsmodels.api")
    games = tournament(rounds=20, seed=3)
    order = items(games)
    design = np.zeros((len(games), len(order)))
    for row, g in zip(design, games, strict=True):
        row[order[0, g.seeker]], row[order[1, g.holder]] = 1, -1
    glm = api.GLM([g.score for g in games], design[:, 1:], family=api.families.Binomial()).fit()
    found = fit(games, prior_sd=WEAK)
    for name, error in found.gap_error.items():
        contrast = np.zeros(len(order))
        contrast[order[1, name]], contrast[order[0, name]] = 1, -1
        test = glm.t_test(contrast[1:])
        assert found.gap[name] == pytest.approx(POINTS * test.effect.item(), abs=0.01)
        assert error == pytest.approx(POINTS * test.sd.item(), rel=1e-4)


# by hand


def test_three_wins_to_one_are_400_log10_3_apart() -> None:
    found = fit([("a", "b", 1, 1.0)] * 3 + [("a", "b", 0, 1.0)], prior_sd=WEAK)
    assert found.c["a"] == pytest.approx(1500 + 200 * math.log10(3), abs=0.01)
    assert found.v["b"] == pytest.approx(1500 - 200 * math.log10(3), abs=0.01)
    # a logit's variance is 1/(n p q); half of the difference is the seeker's
    assert found.c_error["a"] == pytest.approx(POINTS / math.sqrt(4 * 3 / 16) / 2, rel=1e-3)


def test_an_undefeated_player_is_rated_where_prior_and_games_balance() -> None:
    found = fit([("a", "b", 1, 1.0)] * 10, prior_sd=800)
    c, v = found.c["a"], found.v["b"]
    assert c - 1500 == pytest.approx(1500 - v)
    pull = (c - 1500) / 800**2
    assert pull == pytest.approx(10 * (1 - expected_score(c, v)) / POINTS)


@pytest.mark.parametrize("wins", [0, 10])
def test_who_always_or_never_wins_is_rated_finitely_and_reported(wins) -> None:
    games = [g for g in tournament(seed=4) if g.seeker != "p0"]
    games += [("p0", f"p{j}", float(wins > 0), 1.0) for j in range(1, 5) for _ in range(5)]
    found = fit(games)
    assert [g.bounded for g in found.groups] == [False]
    assert (found.c["p0"] > 1700) if wins else (found.c["p0"] < 1300)
    assert 500 < found.c["p0"] < 2500
    assert found.c_error["p0"] > 1.5 * found.c_error["p1"]


def test_two_players_make_two_groups_and_no_gap() -> None:
    games = [("a", "b", x, 1.0) for x in (1, 0, 0)] + [("b", "a", x, 1.0) for x in (0, 0)]
    found = fit(games)
    assert found.groups == (Group(("a",), ("b",), True), Group(("b",), ("a",), False))
    assert found.gap == {}
    assert found.c["a"] + found.v["b"] == pytest.approx(3000)
    assert [(s.player, s.gap) for s in found.standings()] == [("a", None), ("b", None)]


def test_three_players_make_one_group() -> None:
    (group,) = fit(tournament(players=3, seed=5)).groups
    assert group.seekers == group.holders == ("p0", "p1", "p2")


def test_players_of_one_role_only_have_one_rating() -> None:
    games = [("asker", f"h{i}", x, 1.0) for i in range(3) for x in (0, 1)]
    found = fit(games)
    assert list(found.c) == ["asker"]
    assert list(found.v) == ["h0", "h1", "h2"]
    rows = found.standings()
    assert [(r.player, r.c is None, r.v is None) for r in rows[:2]] == [
        ("asker", False, True),
        ("h0", True, False),
    ]


# what must not matter

results = st.lists(
    st.tuples(
        st.sampled_from("abcde"),
        st.sampled_from("abcde"),
        st.sampled_from([0.0, 0.5, 1.0]),
        st.sampled_from([0.125, 1.0, 1.875]),
    ),
    min_size=1,
    max_size=40,
)


@settings(deadline=None)
@given(results, st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(games, random) -> None:
    found = fit(games)
    shuffled = random.sample(games, len(games))
    assert fit(shuffled) == found
    new = dict(zip("abcde", random.sample(["zoë", "b", "", "Ω", "a"], 5), strict=True))
    renamed = fit([(new[s], new[h], x, w) for s, h, x, w in shuffled])
    for one, other in ((found.c, renamed.c), (found.v, renamed.v), (found.gap, renamed.gap)):
        assert {new[p]: r for p, r in one.items()} == pytest.approx(other, abs=1e-9)
    for one, other in ((found.c_error, renamed.c_error), (found.gap_error, renamed.gap_error)):
        assert {new[p]: r for p, r in one.items()} == pytest.approx(other, rel=1e-7)


@settings(deadline=None)
@given(results)
def test_every_group_averages_1500_as_dual_elo_does(games) -> None:
    found, elo = fit(games), DualElo()
    for game in games:
        elo.record(*game)
    assert sum(len(g.seekers) for g in found.groups) == len(found.c)
    assert sum(len(g.holders) for g in found.groups) == len(found.v)
    for group in found.groups:
        for r in (found, elo):
            values = [r.c[p] for p in group.seekers] + [r.v[p] for p in group.holders]
            assert np.mean(values) == pytest.approx(1500, abs=1e-6)


@settings(deadline=None)
@given(results)
def test_swapping_roles_and_results_swaps_the_ratings(games) -> None:
    found, mirrored = fit(games), fit([(h, s, 1 - x, w) for s, h, x, w in games])
    assert mirrored.c == pytest.approx(found.v, abs=1e-9)
    assert mirrored.v == pytest.approx(found.c, abs=1e-9)


def test_a_weight_of_two_is_the_game_played_twice() -> None:
    games = tournament(seed=6)
    twice = fit([g._replace(weight=2.0) for g in games])
    assert twice.c == pytest.approx(fit(games + games).c, abs=1e-9)
    # but its error is that of one game
    assert twice.c_error["p0"] > 1.3 * fit(games + games).c_error["p0"]


def test_draws_of_the_bootstrap_depend_on_neither_order_nor_names() -> None:
    games = tournament(seed=7, weights=(0.5, 1.0, 1.5))
    new = {"p0": "z", "p1": "y", "p2": "x", "p3": "w", "p4": "p0"}
    one = bootstrap(games, replicates=50, seed=3)
    other = bootstrap(
        [(new[s], new[h], x, w) for s, h, x, w in reversed(games)], replicates=50, seed=3
    )
    for old, name in new.items():
        assert (one.c[old] == other.c[name]).all()
        assert (one.v[old] == other.v[name]).all()


def test_only_look_alikes_are_ordered_by_name() -> None:
    cells = merge([("c", "b", 1, 1.0), ("a", "d", 1, 1.0), ("x", "b", 0, 1.0), ("c", "b", 1, 1.0)])
    assert sorted(cells.seekers) == ["a", "c", "x"]
    assert cells.count.tolist().count(2) == 1
    assert merge([("b", "h", 1, 1.0), ("a", "h", 1, 1.0)]).seekers == ("a", "b")


# intervals


def test_intervals_from_the_curvature_cover_what_they_should_even_with_few_games() -> None:
    rng = np.random.default_rng(8)
    hits = {1.0: [], 1.875: []}
    for n in range(150):
        c, v = rng.normal(1325, 80, 6), rng.normal(1675, 40, 6)
        for big, hit in hits.items():
            games = [
                (f"{i}", f"{j}", float(rng.random() < expected_score(c[i], v[j])), (1, big)[n % 2])
                for i in range(6)
                for j in range(6)
                for n in range(6)
                if i != j
            ]
            for row in fit(games).standings():
                true = v[int(row.player)] - c[int(row.player)]
                hit.append(row.gap.low <= true <= row.gap.high)
    for hit in hits.values():
        assert 0.93 < np.mean(hit) < 0.985


def test_bootstrap_is_that_of_games_drawn_one_by_one() -> None:
    games = tournament(players=4, rounds=10, seed=9, weights=(0.5, 1.0, 1.5))
    rng = np.random.default_rng(0)
    drawn = [fit([games[i] for i in rng.integers(len(games), size=len(games))]) for _ in range(300)]
    ours = bootstrap(games, replicates=2000, seed=1)
    assert ours.fit == fit(games)
    for name in ours.c:
        theirs = np.array([d.c[name] for d in drawn])
        assert ours.c[name].std() == pytest.approx(theirs.std(), rel=0.2)
        assert ours.c[name].mean() == pytest.approx(theirs.mean(), abs=theirs.std() / 4)


def test_bootstrap_agrees_with_the_curvature_where_games_are_many() -> None:
    games = tournament(players=5, rounds=100, seed=10)
    found = bootstrap(games, replicates=800, seed=2)
    for one, other in zip(found.standings(), found.fit.standings(), strict=True):
        assert one.player == other.player
        for a, b in ((one.c, other.c), (one.v, other.v), (one.gap, other.gap)):
            assert a.value == b.value
            assert a.high - a.low == pytest.approx(b.high - b.low, rel=0.15)
            assert a.low < a.value < a.high


def test_a_bootstrap_is_repeatable_and_has_the_replicates_asked_for() -> None:
    games = tournament(seed=11)
    one, same, other = (bootstrap(games, replicates=7, seed=s) for s in (1, 1, 2))
    assert one.v["p1"].shape == (7,)
    assert (one.v["p1"] == same.v["p1"]).all()
    assert (one.v["p1"] != other.v["p1"]).any()


def test_interval_holds_the_middle() -> None:
    assert interval(np.arange(101.0), 0.9) == (pytest.approx(5), pytest.approx(95))


# errors


@pytest.mark.parametrize(
    ("games", "message"),
    [
        ([], "no games"),
        ([("a", "b", 2, 1.0)], "a against b: score=2.0"),
        ([("a", "b", math.nan, 1.0)], "score=nan"),
        ([("a", "b", 1, 0.0)], "weight=0.0"),
        ([("a", "b", 1, math.inf)], "weight=inf"),
    ],
)
def test_what_cannot_be_rated_is_refused(games, message) -> None:
    for rate in (fit, bootstrap):
        with pytest.raises(ValueError, match=message):
            rate(games)


def test_settings_out_of_range_are_refused() -> None:
    games = [("a", "b", 1, 1.0)]
    for prior_sd in (0, -1, math.inf, math.nan):
        with pytest.raises(ValueError, match="prior_sd"):
            fit(games, prior_sd=prior_sd)
    with pytest.raises(ValueError, match="replicates=0"):
        bootstrap(games, replicates=0)
    with pytest.raises(ValueError, match="level=95"):
        fit(games).standings(95)
    with pytest.raises(ValueError, match="level=1"):
        interval(np.zeros(3), 1)
