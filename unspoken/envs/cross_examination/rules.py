"""The rules of the cross-examination as a pure state machine, and what an answer is, exactly.

Source: SDA sections 3 to 5. Questions are about facts of a case, answers have a content and a
manner, so that the labels of the paper's scheme follow from both, without a judge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.cross_examination.cases import Case, Content, Manner, Stance
from unspoken.envs.cross_examination.jury import Account, Commitment, Label
from unspoken.envs.result import Result

MAX_TURNS = 12

Role = Literal["questioner", "witness"]
Form = Literal["open", "leading", "impeachment"]

FORMS: tuple[Form, ...] = get_args(Form)


class Ending(StrEnum):
    """How an examination ended."""

    BELIEVED = "believed"
    DISCREDITED = "discredited"
    VOID = "void"


class Ground(NamedTuple):
    """What contradicts an answer of the witness.

    Attributes:
        fact: place of the fact that the answer was about.
        answer: the turn of that answer.
        stance: what an exhibit proves, or what another answer committed the witness to.
        exhibit: place of the exhibit among the case's, or -1 for an answer.
        turn: the turn of the other answer, or 0 for an exhibit.
    """

    fact: int
    answer: int
    stance: Stance
    exhibit: int = -1
    turn: int = 0


class Question(NamedTuple):
    """What the questioner asks; without a fact for words that are about none.

    Attributes:
        form: how it is asked.
        fact: place of the fact that is under discussion, or None.
        ground: what it confronts the witness with, for an impeachment.
    """

    form: Form
    fact: int | None
    ground: Ground | None = None


_question = cache(Question)  # those without a ground are the same in every position


class Turn(NamedTuple):
    """A question with its answer and what the jury made of it.

    Attributes:
        question: what was asked.
        content: what the answer commits to about the fact.
        manner: how it was given.
        label: its label.
        account: how the witness stands after it.
    """

    question: Question
    content: Content
    manner: Manner
    label: Label
    account: Account

    @property
    def stance(self) -> Stance | None:
        """The commitment that it puts on record, if it does."""
        fact = self.question.fact
        if fact is None or self.content not in ("affirm", "deny"):
            return None
        return Stance(fact, self.content == "affirm")


def against(case: Case, stances: Iterable[Stance]) -> NDArray[np.bool_]:
    """Which stances cannot hold, by the links, if these do; bool [2F] by their places."""
    places = [stance.place for stance in stances]
    refuted: NDArray[np.bool_] = np.logical_or.reduce(case.conflicts[places], axis=0)
    return refuted


def assess(
    case: Case,
    known: Iterable[Stance],
    record: Iterable[Stance],
    question: Question,
    content: Content,
    manner: Manner,
) -> Label:
    """The label of an answer.

    Args:
        case: the case; only what is public of it is used.
        known: what everybody knows: the case's known facts and what shown exhibits prove.
        record: what the witness has committed itself to before.
        question: what was asked.
        content: what the answer commits to about the question's fact.
        manner: how it is given.
    """
    return _label(case, against(case, known), against(case, record), question, content, manner)


def _label(
    case: Case,
    refuted: NDArray[np.bool_],
    inconsistent: NDArray[np.bool_],
    question: Question,
    content: Content,
    manner: Manner,
) -> Label:
    rel = manner == "off_point"
    man = manner in ("vague", "hedged")
    if content == "none":
        return Label("none", rel, man)
    if question.fact is None or content == "partial":
        # Who is asked for a yes or a no and tells a part is not clear.
        pressed = content == "partial" and question.form != "open"
        return Label("neutral", rel, man or pressed)
    stance = Stance(question.fact, content == "affirm")
    qual, const = bool(refuted[stance.place]), bool(inconsistent[stance.place])
    helpful = case.helpful(stance.fact)
    commitment: Commitment
    if qual:
        commitment = "none"  # what the jury knows to be false cannot serve any goal
    elif helpful is None:
        commitment = "neutral"
    else:
        commitment = "beneficial" if stance.value == helpful else "detrimental"
    return Label(commitment, rel, man, qual, const)


def answers(case: Case, question: Question) -> tuple[Content, ...]:
    """The contents that can answer a question."""
    told = question.fact is not None and case.facts[question.fact].part
    if not told or question.form == "impeachment":
        return ("affirm", "deny", "none")
    return ("affirm", "deny", "partial", "none")


@dataclass(slots=True)
class Examination:
    """One game. Methods are moves; `result` is set by `verdict` or `void`.

    Attributes:
        case: the case.
        exhibits: places of the exhibits that the questioner holds, in the case's order.
        max_turns: questions at most.
        to_move: the role that speaks next.
        question: the question under discussion; None before the first.
        turns: what was asked and answered.
        shown: places of the exhibits that the witness was confronted with, in that order.
        spent: the confrontations that were answered, as (fact, exhibit, stance of the ground).
        result: None while the game lasts.
        refuted: which stances cannot hold by what everybody knows; bool [2F] by their places.
        inconsistent: which cannot hold by what the witness stands by; bool [2F].
    """

    case: Case
    exhibits: tuple[int, ...]
    max_turns: int = MAX_TURNS
    to_move: Role = "questioner"
    question: Question | None = None
    turns: list[Turn] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    spent: list[tuple[int, int, Stance]] = field(default_factory=list)
    result: Result | None = None
    refuted: NDArray[np.bool_] = field(init=False, repr=False, compare=False)
    inconsistent: NDArray[np.bool_] = field(init=False, repr=False, compare=False)
    # What follows from the above and is kept, since every position asks for it.
    _proved: NDArray[np.bool_] = field(init=False, repr=False, compare=False)
    _said: dict[int, tuple[Stance, int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        proofs = [self.case.exhibits[i].proof for i in self.exhibits]
        self.refuted, self._proved = against(self.case, self.known), against(self.case, proofs)
        self.inconsistent, self._said = np.zeros_like(self.refuted), {}
        for number, turn in enumerate(self.turns, 1):
            self._commit(turn.stance, number)

    @property
    def account(self) -> Account:
        """How the witness stands."""
        return self.turns[-1].account if self.turns else Account()

    @property
    def turn(self) -> int:
        """The current turn, from 1; the last one when the game is over."""
        return self.result.turn if self.result else len(self.turns) + 1

    @property
    def record(self) -> tuple[Stance, ...]:
        """What the witness stands by: its last commitment to each fact, in order of facts."""
        return tuple(self._said[fact][0] for fact in sorted(self._said))

    @property
    def known(self) -> tuple[Stance, ...]:
        """What everybody knows, apart from what follows from it."""
        facts = [Stance(i, True) for i, fact in enumerate(self.case.facts) if fact.known]
        return (*facts, *(self.case.exhibits[i].proof for i in self.shown))

    @property
    def raised(self) -> set[str]:
        """The topics that there was a question on, by their ids."""
        facts = (turn.question.fact for turn in self.turns)
        return {self.case.facts[fact].topic for fact in facts if fact is not None}

    def questions(self) -> list[Question | None]:
        """For each fact its questions in the order of `FORMS`, 3F; None where it cannot be asked.

        When none can be asked, or the last turn is over, the jury decides.
        An open question is asked until it is answered; so is a leading one, once the topic was
        raised. A part answers the form it was given to, and a leading question answers an open
        one. What is answered can only come back as an impeachment.
        """
        if len(self.turns) >= self.max_turns:
            return [None] * (len(FORMS) * len(self.case.facts))
        said, raised = self._said, self.raised
        told = {(t.question.fact, t.question.form) for t in self.turns if t.content == "partial"}
        found: list[Question | None] = []
        for i, fact in enumerate(self.case.facts):
            pressed = i in said or (i, "leading") in told
            grounds = self.grounds(i)
            found += [
                None if pressed or (i, "open") in told else _question("open", i),
                None if pressed or fact.topic not in raised else _question("leading", i),
                Question("impeachment", i, grounds[0]) if grounds else None,
            ]
        return found

    def grounds(self, fact: int) -> list[Ground]:
        """What the witness can still be confronted with on a fact: exhibits, then its answers."""
        if fact not in self._said:
            return []
        stance, answer = self._said[fact]
        found: list[tuple[int, Stance, int]] = []
        if self._proved[stance.place]:
            found += [(i, self.case.exhibits[i].proof, 0) for i in self.exhibits]
        if self.inconsistent[stance.place]:
            found += [(-1, *self._said[other]) for other in sorted(self._said)]
        return [
            Ground(fact, answer, other, exhibit, turn)
            for exhibit, other, turn in found
            if self.case.contradict(stance, other) and (fact, exhibit, other) not in self.spent
        ]

    def ask(self, question: Question) -> None:
        """The questioner asks."""
        self.question = question
        if question.ground and question.ground.exhibit >= 0:
            exhibit = question.ground.exhibit
            if exhibit not in self.shown:
                self.shown.append(exhibit)
                self.refuted |= self.case.conflicts[self.case.exhibits[exhibit].proof.place]
        self.to_move = "witness"

    def assess(self, content: Content, manner: Manner) -> Label:
        """The label that an answer to the question under discussion would get."""
        assert self.question is not None
        question = self.question
        return _label(self.case, self.refuted, self.inconsistent, question, content, manner)

    def answer(self, content: Content, manner: Manner, label: Label | None = None) -> None:
        """The witness answers.

        Args:
            content: what it commits to about the fact; this goes on record.
            manner: how.
            label: what the jury makes of it; by the rules if None.
        """
        question = self.question
        assert question is not None
        label = self.assess(content, manner) if label is None else label
        turn = Turn(question, content, manner, label, self.account.after(label))
        self.turns.append(turn)
        self._commit(turn.stance, len(self.turns))
        if question.ground and question.fact is not None and content != "none":
            self.spent.append((question.fact, question.ground.exhibit, question.ground.stance))
        self.to_move = "questioner"

    def verdict(self, believed: bool) -> None:
        """The jury decides."""
        winner: Role = "witness" if believed else "questioner"
        ending = Ending.BELIEVED if believed else Ending.DISCREDITED
        self._end(ending, winner, len(self.turns), f"standing {self.account.standing:.3f}")

    def void(self, reason: str) -> None:
        """Somebody failed to answer at all: no winner, no reward, not rated."""
        self._end(Ending.VOID, None, self.turn, reason)

    def _end(self, ending: Ending, winner: Role | None, turn: int, reason: str) -> None:
        self.result = Result(ending, winner, turn, 1.0, reason)

    def _commit(self, stance: Stance | None, turn: int) -> None:
        """Note what an answer puts on record, if it does: the last word on a fact stands."""
        if stance is None:
            return
        before = self._said.get(stance.fact)
        self._said[stance.fact] = stance, turn
        if before is None:
            self.inconsistent |= self.case.conflicts[stance.place]
        elif before[0] != stance:
            self.inconsistent = against(self.case, self.record)
