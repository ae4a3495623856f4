"""The game so far, read from what a player is told or from the lines of a finished game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from unspoken.envs.base import Message
from unspoken.envs.cross_examination.cases import (
    Case,
    Content,
    Exhibit,
    Manner,
    Stance,
)
from unspoken.envs.cross_examination.interpreter import read_question
from unspoken.envs.cross_examination.menu import question_menu
from unspoken.envs.cross_examination.rules import FORMS, Examination, Question


def examination(info: Mapping[str, Any], max_turns: int) -> Examination:
    """The game as far as a player knows it, by its info.

    The exhibits of its case are those that the questioner holds. For the witness they are those
    that were shown and, after them, one that it may hold on each further fact whose truth is
    against the witness (without name and text).

    Args:
        info: the player's info.
        max_turns: questions at most.
    """
    case, shown = info["case"], info["shown"]
    if info["role"] == "questioner":
        case = replace(case, exhibits=info["exhibits"])
    else:
        case = replace(case, truth=info["truth"])
        case = replace(case, exhibits=(*shown, *_suspected(case, shown)))
    game = Examination(case, tuple(range(len(case.exhibits))), max_turns)
    names = [exhibit.name for exhibit in case.exhibits]
    places: dict[int, int] = {}  # of exhibits among those above, by the game's own numbers

    def own(question: Question) -> Question:
        ground = question.ground
        if ground is None or ground.exhibit < 0:
            return question
        if ground.exhibit not in places:  # shown now, and they were shown in this order
            places[ground.exhibit] = names.index(shown[len(places)].name)
        return question._replace(ground=ground._replace(exhibit=places[ground.exhibit]))

    for turn in info["turns"]:
        game.ask(own(turn.question))
        game.answer(turn.content, turn.manner, turn.label)
    if info["question"] is not None:
        game.ask(own(info["question"]))
    return game


def _suspected(case: Case, shown: Sequence[Exhibit]) -> list[Exhibit]:
    proved = {exhibit.proof.fact for exhibit in shown}
    return [
        Exhibit("", "", Stance(fact, so))
        for fact, so in enumerate(case.truth)
        if case.helpful(fact) is (not so) and fact not in proved
    ]


def replay(case: Case, history: Sequence[Message]) -> Examination:
    """A finished game, from its lines.

    Answers are labelled by the rules, also where an annotator labelled words that are in no menu.

    Args:
        case: its case, with what is hidden.
        history: its dialogue; a question that was not answered is left out.
    """
    game = Examination(case, tuple(range(len(case.exhibits))), len(history))
    said: list[str] = []
    for asked, answer in zip(history[::2], history[1::2], strict=False):
        game.ask(_question(game, asked, said))
        content, manner = answer.move.split()
        game.answer(cast(Content, content), cast(Manner, manner))
        said.append(answer.text)
    return game


def _question(game: Examination, line: Message, said: Sequence[str]) -> Question:
    if line.move == "other":
        return Question("leading", None)
    if line.action < 0:
        return read_question(line.text, game)
    fact, form = divmod(line.action, len(FORMS))
    question = Question(FORMS[form], fact)
    if question.form != "impeachment":
        return question
    for ground in game.grounds(fact):  # which of them it was, its words tell
        menu: list[Question | None] = [None] * (len(FORMS) * len(game.case.facts))
        menu[line.action] = question._replace(ground=ground)
        if question_menu(game.case, menu, said)[line.action] == line.text:
            break
    return question._replace(ground=ground)
