"""A player with a list: what to ask next, and what to say to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.cross_examination.player import CrossPlayer, act
from unspoken.envs.cross_examination.cases import Content
from unspoken.envs.cross_examination.rules import Examination, Question, answers


@dataclass
class Rules(CrossPlayer):
    """Confronts and presses as questioner; as witness never contradicts and concedes late.

    Asking, it confronts the witness with a contradiction whenever it can, with exhibits first.
    Else it asks about facts on which it holds an exhibit against the witness, so as to confront
    it with that next; then it presses facts that hurt, by leading questions where it may; then
    neutral ones, and last those that help. Among equals chance decides.

    Answering, it says what is so where that does not hurt. Where it hurts it tells a part; if
    there is none it says what helps, as long as that contradicts nothing that it has said and
    nothing that the jury knows. Otherwise it does not remember; asked again, it admits the fact,
    as far as it remembers.
    """

    name: str = "rules"

    def _ask(self, game: Examination, legal: NDArray[np.intp]) -> int:
        questions = game.questions()
        held = {game.case.exhibits[i].proof for i in game.exhibits}
        against = {proof.fact for proof in held if game.case.helpful(proof.fact) is not proof.value}

        def rank(index: int) -> int:
            question = questions[index]
            assert question is not None
            if question.ground is not None:
                return 0 if question.ground.exhibit >= 0 else 1
            return 2 + 2 * self._distance(game, question, against) + (question.form == "open")

        return min(map(int, self.rng.permutation(legal)), key=rank)

    def _distance(self, game: Examination, question: Question, against: set[int]) -> int:
        assert question.fact is not None
        if question.fact in against:
            return 0
        return {"hurts": 1, "neutral": 2, "helps": 3}[game.case.facts[question.fact].bearing]

    def _answer(self, game: Examination) -> int:
        question = game.question
        assert question is not None
        assert question.fact is not None
        helpful, so = game.case.helpful(question.fact), game.case.truth[question.fact]
        truth: Content = "affirm" if so else "deny"
        if helpful in (None, so) and _clean(game, truth):
            return act(truth)
        if "partial" in answers(game.case, question):
            return act("partial")
        serving: Content = "affirm" if helpful else "deny"
        if helpful is not None and _clean(game, serving):
            return act(serving)
        again = any(t.question.fact == question.fact and t.content == "none" for t in game.turns)
        return act(truth, "hedged") if again else act("none", "hedged")


def _clean(game: Examination, content: Content) -> bool:
    """Whether nobody can tell that a content is not so."""
    label = game.assess(content, "clear")
    return not (label.qual or label.const)
