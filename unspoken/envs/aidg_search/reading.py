"""What an utterance of the search game was read as."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Move = Literal["question", "lock", "direct_guess", "open_question", "invalid"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A seeker's utterance, read.

    Attributes:
        move: "question" (one of the bank, perhaps in other words), "open_question" (a fair yes/no
            property question that the bank does not hold), "lock" (`lock: WORD`), "direct_guess"
            (names the thing without locking: disqualifies) or "invalid" (nothing of these).
        word: the word that is locked or guessed, lower case; "" otherwise.
        question: the bank's canonical sentence ("question") or the question as asked
            ("open_question"); "" otherwise.
        why: one short sentence for people that says what decided the reading.
        index: index of the question in the bank, else -1.
    """

    move: Move
    word: str = ""
    question: str = ""
    why: str = ""
    index: int = -1
