"""The dialogue game's choices: what each question promises, what each reply gives away."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.aidg_dialogue.reading import exchanges
from unspoken.agents.features import encode
from unspoken.envs.aidg_dialogue.rules import ACTS, FORMS, MAX_TURNS
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_dialogue_reference import BLOCK, MANNERS, VALUES, parts
from unspoken.training.choices import Floats32, Layout, Seen

_COMMON = ("turn", "mode A", "may refuse", "share leaked")
_LAST = tuple(f"last reply: {act}" for act in ACTS)
_SEEKER = ("entropy", *(f"manner {manner}" for manner in range(len(MANNERS))), "greatest leak")
_OF_A_QUESTION = (
    "leak",
    "information",
    "of the greatest leak",
    "of the most information",
    "belief in its fact",
    "asked before",
    "asked last",
    *FORMS,
)
_HOLDER = (*(f"asked: {form}" for form in FORMS), "about a secret", "true premise", "belief")
_OF_AN_ACT = ("said last", "true", "safe", "entropy after", *ACTS)


def layout(spec: GameSpec, role: str) -> Layout:
    """All from 0 to 1, most of them those of `unspoken.agents.aidg_dialogue.features`.

    The seeker's state leaves out the beliefs, which are with the options: of each question the
    probability of a leak and the information (share of log2(F)), each also as a share of the
    greatest of all questions; the belief in the fact that it names, or for a topic in its secret;
    how often it was asked (share of `max_turns`), whether just now; and its form.

    The holder's options are its acts: whether each was the last, is no lie, is no leak either, what
    it leaves in doubt, and which it is.
    """
    if role == "holder":
        return Layout((*_COMMON, *_HOLDER, *_LAST), _OF_AN_ACT, len(ACTS))
    return Layout((*_COMMON, *_LAST, *_SEEKER), _OF_A_QUESTION, len(spec.menu(role)))


def see(spec: GameSpec, role: str, info: Mapping[str, Any]) -> Seen:
    """The numbers of `layout`."""
    numbers, n, acts = encode(spec, role, info), len(_COMMON), len(ACTS)
    if role == "holder":
        of_acts = numbers[n : n + 4 * acts].reshape(4, acts).T
        state = np.concatenate([numbers[:n], numbers[n + 4 * acts :], of_acts[:, 0]])
        return Seen(state, np.hstack([of_acts, np.eye(acts, dtype=np.float32)]))
    asked = np.zeros((1, len(spec.menu(role))), np.float32)
    heard = [e.question for e in exchanges(info["history"]) if e.question >= 0]
    np.add.at(asked[0], heard, 1 / spec.options.get("max_turns", MAX_TURNS))
    states, options = choices(numbers[None], asked, np.array([*heard[-1:], -1])[:1])
    return Seen(states[0], options[0])


def choices(
    numbers: Floats32, asked: Floats32, last: NDArray[np.intp]
) -> tuple[Floats32, Floats32]:
    """The seeker's numbers of `layout` for B positions, float32 [B, S] and [B, Q, K].

    Args:
        numbers: as the features have them, float32 [B, n].
        asked: how often each question was asked, as a share of the turns, float32 [B, Q].
        last: the question that was asked last, int64 [B]; -1 for none.
    """
    lanes, questions = asked.shape
    head, tail = len(_COMMON) + len(ACTS), numbers.shape[1] - 2 * questions
    facts = tail - head - 1 - len(MANNERS)
    belief = numbers[:, head : head + facts]
    leak, information = numbers[:, tail : tail + questions], numbers[:, tail + questions :]
    greatest = leak.max(axis=1, keepdims=True)
    options = np.zeros((lanes, questions, len(_OF_A_QUESTION)), np.float32)
    options[..., 0], options[..., 1] = leak, information
    options[..., 2] = leak / np.maximum(greatest, 1e-9)
    options[..., 3] = information / np.maximum(information.max(axis=1, keepdims=True), 1e-9)
    fact, form = _subjects(questions)
    of_secrets = belief.reshape(lanes, -1, VALUES).sum(axis=2)
    options[..., 4] = np.where(form == 0, of_secrets[:, fact // VALUES], belief[:, fact])
    options[..., 5] = asked
    some = np.flatnonzero(last >= 0)
    options[some, last[some], 6] = 1
    options[:, np.arange(questions), len(_OF_A_QUESTION) - len(FORMS) + form] = 1
    states = np.concatenate([numbers[:, :head], numbers[:, head + facts : tail], greatest], axis=1)
    return states.astype(np.float32), options


@cache
def _subjects(questions: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The fact that each question names (a topic: the first of its secret), and its form."""
    assert questions % BLOCK == 0
    found = np.array([parts(question) for question in range(questions)])
    return VALUES * found[:, 0] + found[:, 2], found[:, 1]
