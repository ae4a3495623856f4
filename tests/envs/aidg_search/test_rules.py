"""The pure rules (AIDG 3.3, 3.4, F.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.envs.aidg_search.rules import Ending, Search, multiplier


@pytest.mark.parametrize(
    ("turn", "value"), [(1, 2.0), (4, 1.625), (8, 1.125), (10, 0.875), (16, 0.125)]
)
def test_multiplier_of_f4(turn, value) -> None:
    assert multiplier(turn) == value


@pytest.mark.parametrize("turn", [0, 17, -1])
def test_multiplier_refuses_turns_that_do_not_exist(turn) -> None:
    with pytest.raises(ValueError, match="between 1 and 16"):
        multiplier(turn)


@given(st.integers(2, 200))
def test_other_lengths_keep_the_first_turn_at_two_and_end_above_zero(n) -> None:
    assert multiplier(1, n) == 2
    assert multiplier(n, n) == pytest.approx(2 / n)


def at_turn(turn: int, **kwargs) -> Search:
    game = Search("chair", **kwargs)
    for _ in range(turn - 1):
        game.ask()
        game.answer()
    return game


def test_a_turn_is_a_question_and_its_answer() -> None:
    game = Search("chair")
    assert (game.turn, game.to_move) == (1, "seeker")
    game.ask()
    assert (game.turn, game.to_move) == (1, "holder")
    game.answer()
    assert (game.turn, game.to_move) == (2, "seeker")


def test_the_final_guess_is_turn_sixteen() -> None:
    assert not at_turn(15).final
    assert at_turn(16).final


@pytest.mark.parametrize(
    ("turn", "word", "ending", "winner"),
    [
        (1, "chair", Ending.CORRECT_LOCK, "seeker"),
        (15, "table", Ending.WRONG_LOCK, "holder"),
        (16, "chair", Ending.CORRECT_LOCK, "seeker"),
        (16, "table", Ending.WRONG_FINAL_GUESS, "holder"),
    ],
)
def test_locks(turn, word, ending, winner) -> None:
    game = at_turn(turn)
    game.lock(word)
    assert (game.result.outcome, game.result.winner) == (ending, winner)
    assert (game.result.turn, game.result.weight) == (turn, (17 - turn) / 8)


def test_a_direct_guess_disqualifies() -> None:
    game = at_turn(7)
    game.direct_guess()
    assert game.result.outcome == Ending.DISQUALIFIED
    assert game.result.winner == "holder"
    assert game.result.weight == 1.25


def test_an_unreadable_turn_is_spent_and_the_last_one_loses() -> None:
    game = at_turn(15)
    game.unreadable()
    assert (game.turn, game.result) == (16, None)
    game.unreadable()
    assert (game.result.outcome, game.result.winner) == (Ending.NO_FINAL_GUESS, "holder")
    assert (game.result.reason, game.result.weight) == ("", 1 / 8)


def test_a_violation_forfeits() -> None:
    game = at_turn(3)
    game.ask()
    game.violation("forfeit")
    assert (game.result.outcome, game.result.winner) == (Ending.HOLDER_VIOLATION, "seeker")


def test_retry_allows_one_violation_a_question() -> None:
    game = at_turn(3)
    for _ in range(2):
        game.ask()
        game.violation("retry")
        assert game.result is None
        assert game.to_move == "holder"
        game.answer()
    game.ask()
    game.violation("retry")
    game.violation("retry")
    assert game.result.outcome == Ending.HOLDER_VIOLATION


def test_void_has_no_winner() -> None:
    game = at_turn(2)
    game.void("the provider is down")
    assert (game.result.outcome, game.result.winner) == (Ending.VOID, None)
    assert game.result.reason == "the provider is down"
