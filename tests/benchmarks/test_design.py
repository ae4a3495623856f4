"""The complete design (AIDG 4.2, equations 4 and 5), and leagues."""

from collections import Counter
from types import SimpleNamespace

import pytest

from unspoken.benchmarks.design import schedule
from unspoken.envs.registry import role_of

AGENTS = ("seeker_0", "holder_0")
BOTH = ("seeker", "holder")
WORDS = [f"w{i}" for i in range(100)]


def plan(players, secrets=WORDS, *, seats=AGENTS, settings=({},), special="", **rest):
    roles = tuple(dict.fromkeys(map(role_of, seats)))
    spec = SimpleNamespace(
        seats=seats, roles=roles, settings=settings, special=special, secrets=lambda: secrets
    )
    return schedule(players, spec, **{"rounds": 1, "seed": 1, "paired": False, **rest})


def design(n=6, rounds=5, seed=1, secrets=WORDS):
    return plan({f"m{i}": BOTH for i in range(n)}, secrets, rounds=rounds, seed=seed)


def test_six_players_and_five_tournaments_make_the_papers_150_games() -> None:
    games = design()
    assert len(games) == 150
    pairs = Counter((g.seats["seeker_0"], g.seats["holder_0"]) for g in games)
    assert len(pairs) == 30
    assert set(pairs.values()) == {5}
    assert all(a != b for a, b in pairs)


def test_secrets_are_drawn_without_replacement_within_a_tournament() -> None:
    for r in range(5):
        secrets = [g.secret for g in design() if g.round == r]
        assert len(set(secrets)) == 30


def test_a_round_longer_than_the_list_uses_every_secret_before_one_comes_again() -> None:
    counts = Counter(g.secret for g in design(rounds=1, secrets=WORDS[:7]))
    assert sum(counts.values()) == 30
    assert max(counts.values()) - min(counts.values()) <= 1


def test_same_seed_same_design_other_seed_other_design() -> None:
    assert design() == design()
    assert [g.secret for g in design()] != [g.secret for g in design(seed=2)]


def test_a_longer_tournament_begins_like_a_shorter_one() -> None:
    assert design(rounds=5)[:60] == design(rounds=2)


def test_players_are_paired_only_in_roles_they_play() -> None:
    games = plan({"s": ("seeker",), "h": ("holder",), "b": BOTH})
    pairs = {(g.seats["seeker_0"], g.seats["holder_0"]) for g in games}
    assert pairs == {("s", "h"), ("s", "b"), ("b", "h")}


def test_nobody_to_meet_is_an_error_that_says_what_is_missing() -> None:
    with pytest.raises(ValueError, match="at least one must play seeker and another one holder"):
        plan({"h": ("holder",)})


def test_rounds_below_one() -> None:
    with pytest.raises(ValueError, match="rounds=0"):
        design(rounds=0)


def test_modes_make_the_60_games_a_tournament_of_equation_4() -> None:
    players = {f"m{i}": BOTH for i in range(6)}
    modes = ({"mode": "A"}, {"mode": "B"})
    games = plan(players, WORDS[:20], rounds=5, settings=modes)
    assert len(games) == 300
    blocks = Counter((*g.seats.values(), g.setting["mode"]) for g in games)
    assert len(blocks) == 60
    assert set(blocks.values()) == {5}
    secrets = Counter(g.secret for g in games if g.round == 0)
    assert set(secrets.values()) == {3}


def test_paired_designs_give_both_seatings_the_same_secret_and_seed() -> None:
    players = {f"m{i}": BOTH for i in range(6)}
    modes = ({"mode": "A"}, {"mode": "B"})
    games = plan(players, WORDS[:20], rounds=3, settings=modes, paired=True)
    assert len(games) == 180
    deals: dict[object, set[object]] = {}
    for g in games:
        key = (g.round, frozenset(g.seats.values()), g.setting["mode"])
        deals.setdefault(key, set()).add((g.secret, g.seed))
    assert len(deals) == 90
    assert all(len(deal) == 1 for deal in deals.values())
    assert len({deal for (deal,) in deals.values()}) == 90


THREE = ("speaker_0", "ally_0", "chameleon_0")
LISTENERS = ("ally", "chameleon")


def test_three_roles_are_filled_in_every_way_with_different_players() -> None:
    players = {f"s{i}": ("speaker",) for i in range(4)}
    players |= {f"l{i}": LISTENERS for i in range(3)}
    games = plan(players, seats=THREE)
    assert len({tuple(g.seats.values()) for g in games}) == len(games) == 4 * 3 * 2


def test_paired_speakers_meet_the_same_listeners_over_the_same_secret() -> None:
    players = {"a": ("speaker",), "b": ("speaker",), "x": LISTENERS, "y": LISTENERS}
    games = plan(players, seats=THREE, paired=True)
    deals: dict[object, set[object]] = {}
    for g in games:
        deals.setdefault((g.seats["ally_0"], g.seats["chameleon_0"]), set()).add((g.secret, g.seed))
    assert len(deals) == 2
    assert all(len(deal) == 1 for deal in deals.values())


TABLE = tuple(f"player_{i}" for i in range(4))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_a_league_gives_everybody_the_special_part_once_a_round(n: int) -> None:
    players = {f"p{i}": ("player",) for i in range(n)}
    games = plan(players, seats=TABLE, special="chameleon", rounds=40)
    assert len(games) == 40 * n
    for r in range(40):
        special = [g.seats[g.setting["chameleon"]] for g in games if g.round == r]
        assert sorted(special) == sorted(players)
    sat = Counter(name for g in games for name in g.seats.values())
    assert max(sat.values()) - min(sat.values()) <= 0.15 * min(sat.values())
    assert all(len(set(g.seats.values())) == min(n, 4) for g in games)
    places = Counter(g.setting["chameleon"] for g in games)
    assert set(places) == set(TABLE)


def test_a_longer_league_begins_like_a_shorter_one() -> None:
    players = {f"p{i}": ("player",) for i in range(5)}
    long, short = (plan(players, seats=TABLE, special="chameleon", rounds=r) for r in (4, 2))
    assert long[:10] == short
