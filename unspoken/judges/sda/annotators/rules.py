"""The rule-based annotator: deterministic and offline; a baseline, not a reader.

It goes by signal words (`reading`) and by how a cross-examination is put together: who examines
the other side's witness puts claims that harm it, so to grant one costs and to deny one helps.
Which claims do harm it does not know.

- commitment. An answer that is a question back, broken off, empty, a refusal, or yes and no at once
  commits to nothing, and so does not remembering, unless it was asked what the witness knows. To
  grant a claim is detrimental, but neutral in the first `OPENING` turns, where questioners
  establish who and where. To deny one is beneficial. Who grants or denies in other words is told
  by the words that the answer shares with the question and by their negations. What else a witness
  says of its own accord is beneficial, and neutral as long as the examination opens.
- rel: a yes or no was wanted, and the answer has neither, no content word of the question and no
  pronoun that takes one up.
- man: hedged or vague where a yes or no was wanted; a question back, broken off, a refusal,
  or yes and no at once.
- qual: the witness does not remember what it is confronted with.
- const: an earlier answer said of nearly the same words that it is not so.
- outcome: the questioner's where the answer is detrimental, commits to nothing, or is
  inconsistent; for credibility where a maxim or consistency was violated, else for logic. Emotions
  it does not see.

Its labels need not agree with people's: `unspoken sda annotate` has it label annotated
transcripts, and `unspoken sda analyse` tells how far they agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unspoken.envs.cross_examination.interpreter import read_answer
from unspoken.envs.cross_examination.jury import Label
from unspoken.envs.cross_examination.rules import assess
from unspoken.judges.sda.annotators.base import Annotated, Annotator, Labels, game_turns
from unspoken.judges.sda.annotators.reading import (
    Asked,
    Said,
    asked,
    claim,
    content,
    negative,
    said,
)
from unspoken.judges.sda.transcripts import Exchange

if TYPE_CHECKING:
    from unspoken.envs.base import Message
    from unspoken.envs.cross_examination.cases import Case
    from unspoken.envs.cross_examination.rules import Question

OPENING = 8
"""Turns in which to grant a claim is taken for background."""
ECHO = 0.3
"""Share of an answer's content words that the question must have for it to speak of the claim."""
SAME = 0.75
"""Share of the content words of two answers that both must have to be about the same."""

_NOTHING = ("refuses", "mixed", "counter", "broken", "empty")


class RuleBasedAnnotator(Annotator):
    """An `Annotator` that goes by rules; see the module."""

    name = "rules"

    def annotate(self, turns: Sequence[Exchange], witness: str = "") -> Annotated:
        """Label the last of some turns; see `Annotator.annotate`."""
        now = turns[-1]
        question, answer = asked(now.question), said(now.answer)
        closed = question.form in ("yes_no", "leading")
        commitment = _commitment(now, question, answer, len(turns) <= OPENING)
        contradicts = _contradicted(turns)
        strays = answer.kind == "content" and not answer.pointing
        rel = closed and strays and not content(now.question) & content(now.answer)
        unsure = (answer.hedged or answer.vague) and answer.kind != "no"
        man = answer.kind in _NOTHING or (question.form != "open" and unsure)
        qual = answer.kind == "forgets" and question.pressed and not question.of_memory
        const = contradicts is not None
        lost = commitment in ("detrimental", "none") or const
        doubted = lost and (rel or man or qual or const)
        labels = Labels(
            commitment,
            rel,
            man,
            qual,
            const,
            contradicts,
            "questioner" if lost else "witness",
            ("credibility",) if doubted else ("logic",),
        )
        return Annotated(labels)

    def label(
        self, case: Case, history: Sequence[Message], question: Question, answer: str
    ) -> Label:
        """The label of an answer in the game.

        What helps the witness the case tells; the words tell how it was said.
        """
        labels = self.annotate(game_turns(history, answer)).labels
        assert labels is not None
        label = assess(case, (), (), question, *read_answer(answer, case, question))
        return label._replace(
            rel=label.rel or labels.rel,
            man=label.man or labels.man,
            qual=labels.qual,
            const=labels.const,
        )


def _commitment(now: Exchange, question: Asked, answer: Said, opening: bool) -> str:
    if answer.kind in _NOTHING or (answer.kind == "forgets" and not question.of_memory):
        return "none"
    own = "neutral" if opening else "beneficial"
    if answer.kind == "content":
        if question.form == "open":
            return own
        words = content(now.answer)
        if len(words & content(now.question)) < ECHO * len(words):
            return own
        granted = negative(now.answer) == question.negative
    else:
        # "no" to a claim in the negative grants it, and so does "yes"
        granted = answer.kind == "yes" or question.negative
    if not granted:
        return "beneficial"
    background = opening or question.form == "remark"
    return "neutral" if background and not question.negative else "detrimental"


def _contradicted(turns: Sequence[Exchange]) -> int | None:
    """The last earlier turn whose answer the last one contradicts, from 1."""
    now = claim(turns[-1])
    if now is None:
        return None
    for number in range(len(turns) - 1, 0, -1):
        was = claim(turns[number - 1])
        if was is not None and was.holds != now.holds and _same(was.words, now.words):
            return number
    return None


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= max(2, SAME * len(one | other))
