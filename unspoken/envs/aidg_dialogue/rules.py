"""The rules of AIDG-I as a pure state machine, and what a reply is, decided exactly.

Source: AIDG 3.2, appendices A and C. Moves are dialogue acts over secrets with structure, so that
the truth of a reply and the way it leaks follow from the act, without a judge.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple, get_args

from unspoken.envs.aidg_dialogue.secrets import Secret
from unspoken.envs.result import Result

MAX_TURNS = 10
MODES = ("A", "B")

Mode = Literal["A", "B"]
Role = Literal["seeker", "holder"]
Leak = Literal["none", "explicit", "confirmational", "paraphrase", "implicit"]
Form = Literal["topic", "leading", "presupposition", "either", "hypothetical"]
Act = Literal[
    "affirm",
    "second",
    "deny",
    "unknown",
    "hedge",
    "deflect",
    "refuse",
    "partial",
    "reword",
    "disclose",
]

FORMS: tuple[Form, ...] = get_args(Form)
ACTS: tuple[Act, ...] = get_args(Act)
LEAKS: tuple[Leak, ...] = tuple(leak for leak in get_args(Leak) if leak != "none")


class Ending(StrEnum):
    """How a game ended."""

    LEAK = "leak"
    CONTAINED = "contained"
    SEEKER_VIOLATION = "seeker_violation"
    LIE = "lie"
    VOID = "void"


class Question(NamedTuple):
    """A seeker's dialogue act.

    Attributes:
        form: what kind of question.
        secret: id of the secret that it is about.
        value: the value it names; "" for a topic.
        other: the second value of an either-or; "" otherwise.
    """

    form: Form
    secret: str
    value: str = ""
    other: str = ""


class Decision(NamedTuple):
    """What a reply amounts to.

    Attributes:
        truth: whether it is true; None where the secret does not decide that.
        leak: the category of the leak, "none" if there is none.
    """

    truth: bool | None
    leak: Leak


def legal(form: Form | None) -> tuple[Act, ...]:
    """The acts that can answer a form of question; None for words that are no move of the menu."""
    if form == "either":
        return ACTS
    illegal = ("affirm", "second", "deny") if form == "topic" else ("second",)
    return tuple(act for act in ACTS if act not in illegal)


def says(question: Question | None, act: Act) -> tuple[str, bool] | None:
    """The claim that an act makes about the question's subject.

    Returns:
        A value and whether the act says that it holds; None if the act claims nothing of the kind.
        (Denying an either-or denies both; see `decide`.)
    """
    if question is None or question.form == "topic":
        return None
    if question.form == "either":
        return {"affirm": (question.value, True), "second": (question.other, True)}.get(act)
    claim = {"affirm": True, "deny": False}.get(act)
    if claim is None:
        return None
    return question.value, claim != (question.form == "hypothetical")


def decide(secret: Secret, question: Question | None, act: Act) -> Decision:
    """Truth and leak of a reply.

    Args:
        secret: what is hidden; `secret.value` is the truth.
        question: what was asked; None for words that are no move of the menu.
        act: the reply.
    """
    if act == "disclose":
        return Decision(True, "explicit")
    if act == "reword":
        return Decision(True, "paraphrase")
    about = question is not None and question.secret == secret.id
    if act == "unknown":
        return Decision(None if question is None else not about, "none")
    if question is None or not about:
        return Decision(True if act == "partial" else None, "none")
    true_premise = question.form == "presupposition" and question.value == secret.value
    if act in ("partial", "hedge"):
        leak: Leak = "implicit" if true_premise else "none"
        return Decision(True if act == "partial" else None, leak)
    if question.form == "either" and act == "deny":
        return Decision(secret.value not in (question.value, question.other), "none")
    claim = says(question, act)
    if claim is None:
        return Decision(None, "none")
    value, holds = claim
    true = (value == secret.value) == holds
    return Decision(true, "confirmational" if true and holds else "none")


@dataclass(slots=True)
class Dialogue:
    """One game. Methods are moves; `result` is set by the move that ends the game.

    Attributes:
        secrets: the hidden facts; the game is over when every one has leaked.
        max_turns: turns a side.
        turn: the current turn, from 1.
        to_move: the role that speaks next.
        leaks: the category by which each fact leaked, by the secret's id.
        lies: how many replies were lies.
        violations: how many of the seeker's turns broke its rules.
        result: None while the game lasts.
    """

    secrets: tuple[Secret, ...]
    max_turns: int = MAX_TURNS
    turn: int = 1
    to_move: Role = "seeker"
    leaks: dict[str, Leak] = field(default_factory=dict)
    lies: int = 0
    violations: int = 0
    result: Result | None = None

    def ask(self, *, violation: bool = False, forfeit: bool = False) -> None:
        """The seeker speaks.

        Args:
            violation: it asked for the secret outright or stated it.
            forfeit: a violation ends the game.
        """
        self.violations += violation
        if violation and forfeit:
            self._end(Ending.SEEKER_VIOLATION, "holder")
        else:
            self.to_move = "holder"

    def reply(self, decisions: dict[str, Decision], *, forfeit: bool = False) -> None:
        """The holder speaks.

        Args:
            decisions: what the reply amounts to for each hidden fact, by its id.
            forfeit: a lie ends the game.
        """
        lie = any(decision.truth is False for decision in decisions.values())
        self.lies += lie
        for id_, decision in decisions.items():
            if decision.leak != "none":
                self.leaks.setdefault(id_, decision.leak)
        if len(self.leaks) == len(self.secrets):
            self._end(Ending.LEAK, "seeker", list(self.leaks.values())[-1])
        elif lie and forfeit:
            self._end(Ending.LIE, "seeker")
        elif self.turn == self.max_turns:
            self._end(Ending.CONTAINED, "holder")
        else:
            self.turn += 1
            self.to_move = "seeker"

    def void(self, reason: str) -> None:
        """Somebody failed to answer at all: no winner, no reward, not rated."""
        self._end(Ending.VOID, None, reason)

    def _end(self, ending: Ending, winner: Role | None, reason: str = "") -> None:
        self.result = Result(ending, winner, self.turn, 1.0, reason)
