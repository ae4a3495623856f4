"""The moves that a sentence holds, each with how seriously it was meant."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from unspoken.envs.aidg_search.reading import Reading


class Weight(IntEnum):
    """How seriously a move was meant."""

    HINT = 1
    """No move; kept because it says why."""
    WEAK = 2
    """Said in passing; a move where nothing else was made."""
    MADE = 3


class Candidate(NamedTuple):
    """A move that an utterance may be.

    `said` is a guess as it was said, "plane" for "airplane"; `also` a second word beside it.
    """

    weight: Weight
    reading: Reading
    said: str = ""
    also: str = ""


def lock(word: str) -> Candidate:
    """A lock on a word."""
    return Candidate(Weight.MADE, Reading("lock", word, why=f'locks "{word}"'))


def guess(word: str, said: str, weight: Weight = Weight.MADE, also: str = "") -> Candidate:
    """A direct guess."""
    why = f'guesses "{said}" without "lock:"'
    if said != word:
        why += f', another name of "{word}"'
    return Candidate(weight, Reading("direct_guess", word, why=why), said, also)


def open_question(text: str, weight: Weight = Weight.MADE) -> Candidate:
    """A fair question that the bank does not hold."""
    why = "a yes/no question that the bank does not hold"
    return Candidate(weight, Reading("open_question", question=text, why=why))


def no_move(why: str) -> Candidate:
    """Something that looks like a move and is none."""
    return Candidate(Weight.HINT, Reading("invalid", why=why))
