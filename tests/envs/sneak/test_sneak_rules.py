"""The scores of SNEAK 2.1, calculated by hand, and the pure rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.envs.sneak.rules import (
    Ending,
    Sneak,
    binary_score,
    leakage,
    soft_score,
    top_share,
    utility,
)

PROBABILITY = st.floats(0, 1)
SIZE = st.integers(2, 40)


@pytest.mark.parametrize(
    ("p", "n", "value"),
    [
        (0.5, 6, 0.4),  # (1/2 - 1/6) / (5/6) = (1/3) / (5/6)
        (1.0, 6, 1.0),
        (1 / 6, 6, 0.0),
        (0.0, 6, 0.0),  # -0.2 without the bound
        (0.25, 6, 0.1),  # (1/12) / (5/6)
        (0.75, 2, 0.5),
        (0.58, 5, 0.475),  # 0.38 / 0.8
    ],
)
def test_utility(p, n, value) -> None:
    assert utility(p, n) == pytest.approx(value)


@pytest.mark.parametrize(
    ("p", "n", "value"),
    [
        (0.25, 12, 2 / 11),  # (1/4 - 1/12) / (11/12) = (1/6) / (11/12)
        (1.0, 12, 1.0),
        (1 / 12, 12, 0.0),
        (0.01, 12, 0.0),
        (0.55, 10, 0.5),
    ],
)
def test_leakage(p, n, value) -> None:
    assert leakage(p, n) == pytest.approx(value)


@pytest.mark.parametrize(
    ("ally", "chameleon", "value"),
    [
        (0.5, 0.25, 18 / 55),  # 0.4 * 9/11 = 0.3273
        (1.0, 1 / 12, 1.0),
        (1.0, 1.0, 0.0),
        (1 / 6, 0.0, 0.0),
        (1.0, 0.25, 9 / 11),
        (0.1, 0.9, 0.0),
    ],
)
def test_soft_score(ally, chameleon, value) -> None:
    assert soft_score(ally, chameleon, 6, 12) == pytest.approx(value)


@given(PROBABILITY, PROBABILITY, SIZE, SIZE)
def test_scores_lie_between_nought_and_one_and_follow_what_the_listeners_give(a, c, m, w) -> None:
    assert 0 <= soft_score(a, c, m, w) <= utility(a, m) <= 1
    assert 0 <= leakage(c, w) <= 1
    assert soft_score(a, c, m, w) <= soft_score(min(1, a + 0.1), c, m, w)
    assert soft_score(a, c, m, w) >= soft_score(a, min(1, c + 0.1), m, w)


@pytest.mark.parametrize("score", [utility, leakage])
@pytest.mark.parametrize(
    ("p", "n", "named"),
    [(1.1, 6, "p=1.1"), (-0.1, 6, "p=-0.1"), (float("nan"), 6, "p=nan"), (0.5, 1, "n=1")],
)
def test_what_is_no_probability_or_no_choice_is_refused(score, p, n, named) -> None:
    with pytest.raises(ValueError, match=named):
        score(p, n)


@pytest.mark.parametrize(
    ("p", "index", "share"),
    [
        ((0.5, 0.3, 0.2), 0, 1),
        ((0.5, 0.3, 0.2), 1, 0),
        ((0.4, 0.4, 0.2), 0, 1 / 2),
        ((0.4, 0.2, 0.4), 1, 0),
        ((0.25, 0.25, 0.25, 0.25), 3, 1 / 4),
        ((0.0, 0.0), 0, 0),  # no answer
        ((0.1 + 0.2, 0.3, 0.4 - 0.1, 0.1), 2, 1 / 3),  # tied but for rounding
    ],
)
def test_ties_count_fractionally(p, index, share) -> None:
    assert top_share(p, index) == pytest.approx(share)


@pytest.mark.parametrize(
    ("ally", "chameleon", "value"),
    [
        ((0.6, 0.2, 0.2), (0.5, 0.3, 0.2), 1),  # the secret is the last word
        ((0.6, 0.2, 0.2), (0.1, 0.3, 0.6), 0),
        ((0.2, 0.6, 0.2), (0.5, 0.3, 0.2), 0),
        ((0.4, 0.4, 0.2), (0.5, 0.3, 0.2), 1 / 2),
        ((0.6, 0.2, 0.2), (0.2, 0.4, 0.4), 1 / 2),
        ((0.4, 0.4, 0.2), (0.2, 0.4, 0.4), 1 / 4),
        ((1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 3, 1 / 3), 2 / 9),
        ((1, 0, 0), (0, 0, 0), 1),
        ((0, 0, 0), (1, 0, 0), 0),
    ],
)
def test_binary_score(ally, chameleon, value) -> None:
    assert binary_score(ally, chameleon, 2) == pytest.approx(value)


# The game --------------------------------------------------------------------------------------


def one(n, index):
    return np.eye(n)[index]


def spoken(**attributes) -> Sneak:
    game = Sneak(6, 12, 4, **attributes)
    game.speak()
    return game


def test_the_listeners_answer_in_the_same_turn() -> None:
    game = Sneak(6, 12, 4)
    assert (game.to_move, game.turn) == ("speaker", 1)
    game.speak()
    assert (game.to_move, game.turn) == ("ally", 2)
    game.choose(one(6, 0))
    assert (game.to_move, game.turn) == ("chameleon", 2)
    assert game.scores is None
    game.guess(one(12, 0))
    assert game.result.turn == 2


@pytest.mark.parametrize(
    ("choice", "guess", "ending", "winner", "scores"),
    [
        (0, 3, Ending.SIGNALLED, "speaker", (1, 0, 1, 1)),
        (0, 4, Ending.LEAKED, "chameleon", (1, 1, 0, 0)),
        (2, 3, Ending.MISSED, "chameleon", (0, 0, 0, 0)),
        (2, 4, Ending.BACKFIRED, "chameleon", (0, 1, 0, 0)),
    ],
)
def test_endings(choice, guess, ending, winner, scores) -> None:
    game = spoken()
    game.choose(one(6, choice))
    game.guess(one(12, guess))
    assert (game.result.outcome, game.result.winner) == (ending, winner)
    assert game.scores == scores
    sides = {"speaker": ("speaker_0", "ally_0"), "chameleon": ("chameleon_0",)}
    assert game.result.winners == sides[winner]


def test_distributions_are_scored_by_what_they_give_the_right_one() -> None:
    game = spoken()
    game.choose([0.5, 0.1, 0.1, 0.1, 0.1, 0.1])
    guess = np.full(12, 0.75 / 11)
    guess[4] = 0.25
    game.guess(guess)
    assert game.scores == pytest.approx((0.4, 2 / 11, 18 / 55, 0))
    assert (game.found, game.leaked) == (0.5, 0.25)
    assert game.result.outcome == Ending.LEAKED


@given(st.permutations([0.4, 0.4, 0.2, 0, 0, 0]), st.permutations([0.25] * 3 + [0.125] * 2 + [0]))
def test_the_speaker_wins_when_its_binary_score_is_over_one_half(choice, guess) -> None:
    game = Sneak(6, 6, 0)
    game.speak()
    game.choose(choice)
    game.guess(guess)
    assert (game.result.winner == "speaker") == (game.scores.binary > 0.5)


def test_three_way_ties_of_the_chameleon_are_no_find() -> None:
    game = Sneak(6, 6, 0)
    game.speak()
    game.choose(one(6, 0))
    game.guess([1 / 3, 1 / 3, 1 / 3, 0, 0, 0])
    assert game.scores.binary == pytest.approx(2 / 3)
    assert game.result.outcome == Ending.SIGNALLED


@pytest.mark.parametrize(("policy", "tries"), [("forfeit", 1), ("retry", 2)])
def test_a_message_against_the_rules_forfeits(policy, tries) -> None:
    game = Sneak(6, 12, 4)
    for left in reversed(range(tries)):
        assert game.result is None
        assert game.fault(policy, "secret") == bool(left)
    assert (game.result.outcome, game.result.winner) == (Ending.VIOLATION, "chameleon")
    assert (game.result.reason, game.result.turn, game.scores) == ("secret", 1, None)


@pytest.mark.parametrize(("policy", "tries"), [("forfeit", 1), ("retry", 2)])
def test_an_answer_that_is_none_counts_as_wrong(policy, tries) -> None:
    game = spoken()
    for _ in range(tries):
        assert game.to_move == "ally"
        game.fault(policy, "no answer")
    for _ in range(tries):
        assert game.to_move == "chameleon"
        game.fault(policy, "no answer")
    assert (game.result.outcome, game.scores) == (Ending.MISSED, (0, 0, 0, 0))


def test_each_role_may_retry_once() -> None:
    game = Sneak(6, 12, 4)
    for move in (game.speak, lambda: game.choose(one(6, 0)), lambda: game.guess(one(12, 0))):
        assert game.fault("retry", "")
        move()
    assert game.result.outcome == Ending.SIGNALLED


@pytest.mark.parametrize("p", [[0.5] * 6, [1, 0], [-1, 2, 0, 0, 0, 0], [0.5, 0, 0, 0, 0, 0]])
def test_what_is_no_distribution_is_refused(p) -> None:
    with pytest.raises(ValueError, match="no distribution over 6"):
        spoken().choose(p)


def test_void_has_no_winner() -> None:
    game = spoken()
    game.void("the provider is down")
    assert (game.result.outcome, game.result.winner) == (Ending.VOID, None)
    assert (game.result.reason, game.result.winners) == ("the provider is down", ())
