"""What an annotator is, and how the cross-examination game asks one."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from unspoken.envs.cross_examination.jury import Commitment, Label
from unspoken.judges.sda.transcripts import Exchange, Turn

if TYPE_CHECKING:
    from unspoken.envs.base import Message
    from unspoken.envs.cross_examination.cases import Case
    from unspoken.envs.cross_examination.rules import Question


class Labels(NamedTuple):
    """What an annotator makes of an answer; the scheme is in `unspoken/data/sda/README.md`.

    Attributes:
        commitment: one of COMMITMENTS.
        rel: whether the answer violates relevance.
        man: whether it violates manner.
        qual: whether it violates quality.
        const: whether it contradicts an earlier answer.
        contradicts: the turn of that answer, from 1; None where there is none.
        outcome: one of OUTCOMES: whom the turn went to.
        reasons: of REASONS: why.
        why: the annotator's own words; may be empty.
    """

    commitment: str
    rel: bool
    man: bool
    qual: bool
    const: bool
    contradicts: int | None
    outcome: str
    reasons: tuple[str, ...]
    why: str = ""

    def turn(self, exchange: Exchange) -> Turn:
        """The exchange with these labels."""
        flags = (self.rel, self.man, self.qual, self.const)
        words = (exchange.question, exchange.answer)
        return Turn(*words, self.commitment, *flags, self.outcome, self.reasons)


class Annotated(NamedTuple):
    """What came of asking an annotator about a turn.

    Attributes:
        labels: None if it gave none that can be taken; nothing stands in for them.
        problem: why not; "" otherwise.
        calls: the requests that were made to a model, in order.
        hopeless: whether the problem is none of this turn, so that another would have it too.
    """

    labels: Labels | None
    problem: str = ""
    calls: tuple[Mapping[str, Any], ...] = ()
    hopeless: bool = False


class Annotator(ABC):
    """Labels the answers of an examination. Turns are independent of each other.

    An annotator is also one for the free mode of the cross-examination game: `label` is what that
    asks for.

    Attributes:
        name: for transcripts and tables.
    """

    name: str

    @abstractmethod
    def annotate(self, turns: Sequence[Exchange], witness: str = "") -> Annotated:
        """Label the last of some turns.

        Args:
            turns: the examination so far, at least one turn.
            witness: who testifies, and for which side or what; "" if unknown.
        """

    async def aannotate(self, turns: Sequence[Exchange], witness: str = "") -> Annotated:
        """As `annotate`, without blocking the running loop."""
        return await asyncio.to_thread(self.annotate, turns, witness)

    @abstractmethod
    def label(
        self, case: Case, history: Sequence[Message], question: Question, answer: str
    ) -> Label:
        """The label of an answer in the game; see its interpreter."""


def game_label(labels: Labels) -> Label:
    """Labels as the game's jury takes them."""
    flags = (labels.rel, labels.man, labels.qual, labels.const)
    return Label(cast(Commitment, labels.commitment), *flags)


def game_turns(history: Sequence[Message], answer: str) -> list[Exchange]:
    """The game so far as turns.

    Args:
        history: the dialogue before the answer; its last message is the question.
        answer: the answer to it.
    """
    questions = [line.text for line in history if line.role == "questioner"]
    answers = [line.text for line in history if line.role == "witness"]
    return [Exchange(*turn) for turn in zip(questions, [*answers, answer], strict=True)]


def game_witness(case: Case) -> str:
    """Who testifies in a case and for what, as both sides know it."""
    known = "; ".join(fact.statement for fact in case.facts if fact.known)
    undisputed = f" Nobody disputes this: {known}." if known else ""
    return (
        f"{case.witness}. The case: {case.charge}{undisputed} "
        f"The witness wants the jury to believe that {case.goal}."
    )
