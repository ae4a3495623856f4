"""The cross-examination's choices: what the jury would make of each answer; what is asked of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unspoken.agents.features import encode
from unspoken.agents.features import layout as numbers_of
from unspoken.envs.cross_examination.cases import (
    CONTENTS,
    MANNERS,
    Case,
    Content,
    Manner,
    Stance,
)
from unspoken.envs.cross_examination.features import A_FACT, WHOLE
from unspoken.envs.cross_examination.jury import VALUES, Label, bat, pat
from unspoken.envs.cross_examination.menu import ANSWERS
from unspoken.envs.cross_examination.rules import FORMS, MAX_TURNS, Question, answers, assess
from unspoken.envs.registry import GameSpec
from unspoken.training.choices import Floats32, Layout, Seen

_OF_AN_ANSWER = (
    "legal",
    "commitment",
    "BaT",
    "PaT",
    "not relevant",
    "not clear",
    "known to be false",
    "inconsistent",
    "true",
    "helps",
    "true facts against it",
    *CONTENTS,
)
_OF_THE_RECORD = ("facts stood by", "facts to be confronted with", "exhibits shown")


def layout(spec: GameSpec, role: str) -> Layout:
    """All numbers are those of `unspoken.envs.cross_examination.features`, or of the rules.

    The questioner's state are the eight of the whole game; its options have the nine of their
    fact, and which of the three forms they have.

    The witness's state has besides the nine of the fact under discussion, how many facts it stands
    by, on how many of these it can be confronted now (shares of the facts), and how many exhibits
    were shown (share of the turns). Its options have the label and the scores that the answer would
    get; whether it is true and whether what it says helps (1, -1, or 0 for neither); how many true
    facts contradict it (share); and its content.
    """
    names = numbers_of(spec, role).names
    of_a_fact = tuple(name.partition(": ")[2] for name in names[WHOLE : WHOLE + A_FACT])
    if role == "questioner":
        return Layout(names[:WHOLE], (*of_a_fact, *FORMS), len(spec.menu(role)))
    return Layout((*names[:WHOLE], *of_a_fact, *_OF_THE_RECORD), _OF_AN_ANSWER, len(ANSWERS))


def see(spec: GameSpec, role: str, info: Mapping[str, Any]) -> Seen:
    """The numbers of `layout`."""
    numbers = encode(spec, role, info)
    whole, facts = numbers[:WHOLE], numbers[WHOLE:].reshape(-1, A_FACT)
    if role == "questioner":
        forms = np.tile(np.eye(len(FORMS), dtype=np.float32), (len(facts), 1))
        return Seen(whole, np.hstack([np.repeat(facts, len(FORMS), axis=0), forms]))
    n = len(info["case"].facts)
    stood = facts[:n, 3]
    confronted = ((stood > 0) & (facts[:n, 5] > 0)) | ((stood < 0) & (facts[:n, 6] > 0))
    record = (np.mean(stood != 0), np.mean(confronted), len(info["shown"]) / _most(spec))
    question = info["question"]
    if question is None or question.fact is None:
        own = np.zeros(A_FACT, np.float32)
    else:
        own = facts[question.fact]
    options = np.zeros((len(ANSWERS), len(_OF_AN_ANSWER)), np.float32)
    if question is not None:
        before = float(numbers[2]) * _most(spec)
        for rows, content in zip(np.split(options, len(CONTENTS)), CONTENTS, strict=True):
            if content in answers(info["case"], question):
                _label(rows, info, question, content, stood, before)
    return Seen(np.concatenate([whole, own, record]).astype(np.float32), options)


def _label(
    rows: Floats32,
    info: Mapping[str, Any],
    question: Question,
    content: Content,
    stood: Floats32,
    before: float,
) -> None:
    """Write what a content would be in every manner, float32 [4, K]."""
    case: Case = info["case"]
    known = [Stance(i, True) for i, fact in enumerate(case.facts) if fact.known]
    known += [exhibit.proof for exhibit in info["shown"]]
    said = [Stance(int(fact), bool(stood[fact] > 0)) for fact in np.flatnonzero(stood)]
    clear = assess(case, known, said, question, content, "clear")
    for row, manner in zip(rows, MANNERS, strict=True):
        label = _in_manner(clear, manner)
        benefit = bat(*label[:4])
        row[:8] = 1, VALUES[label.commitment], benefit, pat(*label, before + benefit), *label[1:]
    if question.fact is not None and content in ("affirm", "deny"):
        stance = Stance(question.fact, content == "affirm")
        helpful = case.helpful(stance.fact)
        rows[:, 8] = 1 if stance.value == info["truth"][stance.fact] else -1
        rows[:, 9] = 0 if helpful is None else 1 if stance.value == helpful else -1
        true = [Stance(fact, so).place for fact, so in enumerate(info["truth"])]
        rows[:, 10] = case.conflicts[true, stance.place].mean()
    rows[:, 11 + CONTENTS.index(content)] = 1


def _in_manner(clear: Label, manner: Manner) -> Label:
    """The label of a clear answer, had it been given in a manner."""
    return clear._replace(rel=manner == "off_point", man=clear.man or manner in ("vague", "hedged"))


def _most(spec: GameSpec) -> int:
    return int(spec.options.get("max_turns", MAX_TURNS))
