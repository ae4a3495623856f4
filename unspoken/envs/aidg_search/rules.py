"""The rules of AIDG-II as a pure state machine: no text, no menus, no PettingZoo.

Source: AIDG sections 3.3 and 3.4, equation 1, Table 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from unspoken.envs.result import Result

ANSWERS = ("yes", "no", "maybe")
MAX_TURNS = 16

Role = Literal["seeker", "holder"]
Fault = Literal["forfeit", "retry", "coerce"]


class Ending(StrEnum):
    """How a game ended: the four of AIDG Table 6, two more, and void: nobody won."""

    CORRECT_LOCK = "correct_lock"
    DISQUALIFIED = "disqualified"
    WRONG_LOCK = "wrong_lock"
    WRONG_FINAL_GUESS = "wrong_final_guess"
    NO_FINAL_GUESS = "no_final_guess"
    HOLDER_VIOLATION = "holder_violation"
    VOID = "void"


def multiplier(turn: int, max_turns: int = MAX_TURNS) -> float:
    """Turn-decay multiplier M(t) of AIDG equation 1.

    Args:
        turn: the turn on which the game ends, 1 to `max_turns`.
        max_turns: question turns plus the final guess. With the paper's 16 this is (17 - t)/8;
            other lengths are scaled so that M(1) = 2 stays.

    Returns:
        A weight from 2 (turn 1) down to 2 / `max_turns` (the last turn).

    Raises:
        ValueError: if `turn` lies outside 1 to `max_turns`.
    """
    if not 1 <= turn <= max_turns:
        raise ValueError(f"turn {turn} is not between 1 and {max_turns}")
    return 2 * (max_turns + 1 - turn) / max_turns


@dataclass(slots=True)
class Search:
    """One game. Methods are moves; `result` is set by the move that ends the game.

    Attributes:
        secret: the holder's word.
        max_turns: question turns plus the forced final guess.
        turn: the current turn, from 1.
        to_move: the role that speaks next.
        holder_warned: whether the holder has used its second try at the present question.
        result: None while the game lasts.
    """

    secret: str
    max_turns: int = MAX_TURNS
    turn: int = 1
    to_move: Role = "seeker"
    holder_warned: bool = False
    result: Result | None = None

    @property
    def final(self) -> bool:
        """Whether this is the turn of the forced final guess."""
        return self.turn == self.max_turns

    def ask(self) -> None:
        """The seeker asks a question; the holder is to answer."""
        self.to_move = "holder"

    def answer(self) -> None:
        """The holder answers; the next turn begins."""
        self.turn += 1
        self.to_move = "seeker"
        self.holder_warned = False

    def lock(self, word: str) -> None:
        """The seeker names its one guess, which ends the game."""
        if word == self.secret:
            self._end(Ending.CORRECT_LOCK, "seeker")
        elif self.final:
            self._end(Ending.WRONG_FINAL_GUESS, "holder")
        else:
            self._end(Ending.WRONG_LOCK, "holder")

    def direct_guess(self) -> None:
        """The seeker guesses a word without locking it: disqualified."""
        self._end(Ending.DISQUALIFIED, "holder")

    def unreadable(self) -> None:
        """The seeker made no move that this turn allows: the turn is spent; the last one loses."""
        if self.final:
            self._end(Ending.NO_FINAL_GUESS, "holder")
        else:
            self.turn += 1

    def violation(self, policy: Fault) -> None:
        """The holder said something other than yes, no or maybe.

        Args:
            policy: "forfeit" ends the game for the seeker; "retry" lets the holder speak once
                more and then forfeits. ("coerce" never comes here: the shell turns the reply
                into an answer.)
        """
        if policy == "retry" and not self.holder_warned:
            self.holder_warned = True
        else:
            self._end(Ending.HOLDER_VIOLATION, "seeker")

    def void(self, reason: str) -> None:
        """Somebody failed to answer at all: no winner, no reward, not rated."""
        self._end(Ending.VOID, None, reason)

    def _end(self, ending: Ending, winner: Role | None, reason: str = "") -> None:
        weight = multiplier(self.turn, self.max_turns)
        self.result = Result(ending, winner, self.turn, weight, reason)
