"""The rules of Chameleon as a pure state machine: no text, no menus, no PettingZoo.

Source: the party game that SNEAK 2.1 abstracts from; its card, clues, vote and last guess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, get_args

from unspoken.envs.result import Result

MIN_PLAYERS, MAX_PLAYERS = 3, 8

Phase = Literal["clue", "discussion", "vote", "guess"]
Side = Literal["chameleon", "honest"]
Tie = Literal["nobody", "random", "revote"]
Vote = tuple[str, str | None]
"""Who voted, and for whom; None for an abstention."""

TIES: tuple[Tie, ...] = get_args(Tie)


class Ending(StrEnum):
    """How a game ended."""

    ESCAPED = "escaped"
    GUESSED = "guessed"
    CAUGHT = "caught"
    VOID = "void"


def leaders(votes: Sequence[Vote]) -> tuple[str, ...]:
    """Those with the most votes, by name; nobody where all abstained."""
    counts = Counter(target for _, target in votes if target is not None)
    most = max(counts.values(), default=0)
    return tuple(sorted(player for player, n in counts.items() if n == most))


@dataclass(slots=True)
class Chameleon:
    """One game. Methods are moves of the player to move; `result` is set by the last one.

    Attributes:
        players: in the order in which they speak and vote.
        chameleon: the one of them who does not know the word.
        secret: the word.
        clue_rounds: how many clues each gives.
        discussion: how often each speaks before the vote.
        tie: what a tie in the vote leads to: nobody is accused, one of the tied by lot, or a
            second vote among the tied, whose tie accuses nobody.
        lots: all players in the order in which lots fall; the first of the tied is accused.
        turn: the current round, from 1: clue rounds, discussion, votes and the guess are one each.
        phase: what is done in it.
        votes: those that are open, of all votes so far, in the order in which they were cast.
        tied: who can be voted for in a second vote; empty before.
        accused: whom the vote found; None before, and where it found nobody.
        result: None while the game lasts.
    """

    players: tuple[str, ...]
    chameleon: str
    secret: str
    clue_rounds: int = 1
    discussion: int = 0
    tie: Tie = "nobody"
    lots: tuple[str, ...] = ()
    turn: int = 1
    phase: Phase = "clue"
    votes: tuple[Vote, ...] = ()
    tied: tuple[str, ...] = ()
    accused: str | None = None
    result: Result | None = None
    _place: int = 0
    _cast: list[Vote] = field(default_factory=list)

    @property
    def to_move(self) -> str:
        """The player who is to move."""
        return self.chameleon if self.phase == "guess" else self.players[self._place]

    def candidates(self, voter: str) -> tuple[str, ...]:
        """Whom a player can vote for: all others, in a second vote those of the tied; by name."""
        return tuple(sorted(p for p in self.tied or self.players if p != voter))

    def speak(self) -> None:
        """A clue is given, or something is said in the discussion."""
        if self._next():
            self.turn += 1
            if self.turn > self.clue_rounds + self.discussion:
                self.phase = "vote"
            elif self.turn > self.clue_rounds:
                self.phase = "discussion"

    def vote(self, target: str | None) -> None:
        """Vote for a candidate, or for nobody; hidden until the last vote is cast."""
        self._cast.append((self.to_move, target))
        if self._next():
            self._open()

    def guess(self, word: str | None) -> None:
        """The accused chameleon names a word, or none, which ends the game."""
        if word == self.secret:
            self._end(Ending.GUESSED, "chameleon")
        else:
            self._end(Ending.CAUGHT, "honest")

    def void(self, reason: str) -> None:
        """Somebody failed to answer at all: no winner, no reward, not rated."""
        self._end(Ending.VOID, None, reason)

    def _next(self) -> bool:
        """Pass to the next player; whether the round is over."""
        self._place = (self._place + 1) % len(self.players)
        return self._place == 0

    def _open(self) -> None:
        found = leaders(self._cast)
        self.votes += tuple(self._cast)
        self._cast = []
        if len(found) > 1 and self.tie == "revote" and not self.tied:
            self.tied = found
            self.turn += 1
            return
        if len(found) > 1 and self.tie == "random":
            found = tuple(p for p in self.lots if p in found)[:1]
        self.accused = found[0] if len(found) == 1 else None
        if self.accused == self.chameleon:
            self.phase = "guess"
            self.turn += 1
        else:
            self._end(Ending.ESCAPED, "chameleon")

    def _end(self, ending: Ending, winner: Side | None, reason: str = "") -> None:
        winners = tuple(
            p
            for p in sorted(self.players)
            if winner and (p == self.chameleon) == (winner == "chameleon")
        )
        self.result = Result(ending, winner, self.turn, 1.0, reason, winners)
