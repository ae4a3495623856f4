"""What a finished game hands on: to rewards, ratings and reports."""

from __future__ import annotations

from typing import NamedTuple


class Result(NamedTuple):
    """The end of one game.

    Attributes:
        outcome: the game's own word for the ending, for example "correct_lock".
        winner: the role or side that won, or None where nobody did (the game is then not rated).
        turn: the turn on which the game ended, from 1.
        weight: what the result weighs in ratings; M(t) in AIDG-II, else 1.
        reason: what stands behind the outcome where one word is not enough ("illegal move", a
            provider's error, the kind of a leak); empty otherwise.
        winners: the agents that won, in games where the winner is a side and not one role; empty
            in the others.
    """

    outcome: str
    winner: str | None
    turn: int
    weight: float = 1.0
    reason: str = ""
    winners: tuple[str, ...] = ()
