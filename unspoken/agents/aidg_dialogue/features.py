"""The dialogue game as numbers: what a seeker believes, and what each act of a holder amounts to.

Numba comes in with the evaluator's kernels, on the first use.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unspoken.agents.aidg_dialogue.greedy import Greedy
from unspoken.agents.aidg_dialogue.reading import book_of, exchanges
from unspoken.agents.features import Features, Layout, one_hot
from unspoken.envs.aidg_dialogue.rules import ACTS, FORMS
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_dialogue_reference import (
    MANNERS,
    VALUES,
    Floats,
    packaged,
    parts,
)

_COMMON = ("turn", "mode A", "may refuse", "share leaked")
_OF_AN_ACT = ("last reply", "true", "safe", "entropy after")


def layout(spec: GameSpec, role: str) -> Layout:
    """All from 0 to 1, for the F facts of a file of secrets and the Q questions about them.

    Both roles begin with the turn (share of `max_turns`); whether the seeker knows what is
    hidden; whether the holder may still refuse; and the share of what is hidden that has leaked.

    Seeker, 20 + F + 2 Q: the last reply (one of ten acts); the belief in each fact, in mode A 1
    for the one that it is to get; its entropy as a share of log2(F); the belief in each of the
    evaluator's five manners of the holder; and for each question the probability of a leak, and
    the expected information as a share of log2(F).

    Holder, 52: the last reply, and of each act whether it is legal and no lie, whether it is no
    leak either, and the entropy that it leaves a seeker by the evaluator (share of log2(F)); the
    form of the question (five), whether it is about something hidden, whether a hedge would leave
    a true premise standing; and such a seeker's belief in what is hidden. All that depends on a
    question is 0 while none is to be answered; entropies are while it is open words.
    """
    book = book_of(spec)
    if role == "holder":
        acts = (f"{name}: {act}" for name in _OF_AN_ACT for act in ACTS)
        forms = (f"asked: {form}" for form in FORMS)
        names = (*_COMMON, *acts, *forms, "about a secret", "true premise", "belief in the secret")
        return Layout(names)
    questions = spec.menu("seeker")
    facts = (f"{s.id}: {value}" for s in book.secrets for value in sorted(s.values))
    return Layout(
        (
            *_COMMON,
            *(f"last reply: {act}" for act in ACTS),
            *(f"belief: {fact}" for fact in facts),
            "entropy",
            *(f"manner {manner}" for manner in range(len(MANNERS))),
            *(f"leak: {question}" for question in questions),
            *(f"information: {question}" for question in questions),
        )
    )


def features(spec: GameSpec, role: str, info: Mapping[str, Any]) -> Features:
    """The numbers of `layout`, float32 [n]."""
    reader = _Reader()
    reader.reset(role, spec, 0)
    return reader.read(info)


@dataclass
class _Reader(Greedy):
    """Sees a position as the built-in players do, and says what it sees."""

    def read(self, info: Mapping[str, Any]) -> Features:
        heard = exchanges(info["history"])
        most = self.spec.options.get("facts", 1)
        common = (
            info["turn"] / self._max_turns,
            info["mode"] == "A",
            self._may_refuse(heard),
            min(len(self._book.leaked(heard)) / most, 1),
        )
        last = one_hot((e.act for e in heard[-1:] if e.act >= 0), len(ACTS))
        own = self._wanting(info) if self.role == "seeker" else self._hiding(info)
        return np.concatenate([common, last, *own]).clip(0, 1).astype(np.float32)

    def _wanting(self, info: Mapping[str, Any]) -> tuple[Floats, ...]:
        from unspoken.evaluator import aidg_dialogue as kernels

        seeking = self._seeking(np.empty(0, np.intp), info)
        joint, packed = self.belief(seeking.facts, seeking.heard), packaged(seeking.refusing)
        bits = math.log2(len(self._book))
        return (
            joint.sum(axis=0),
            np.array([kernels.entropy(joint) / bits]),
            joint.sum(axis=1),
            kernels.hazards(joint, packed),
            kernels.information_gain(joint, packed) / bits,
        )

    def _hiding(self, info: Mapping[str, Any]) -> tuple[Floats, ...]:
        acts, asked = np.zeros((3, len(ACTS))), np.zeros(len(FORMS) + 2)
        history = info["history"]
        if history and history[-1].role == "seeker" and "result" not in info:
            mask = info["menu_mask" if "menu_mask" in info else "action_mask"]
            now = self._asked(np.flatnonzero(mask[: len(ACTS)]), info)
            acts[0] = one_hot(map(ACTS.index, now.honest), len(ACTS))
            acts[1] = one_hot(map(ACTS.index, now.safe), len(ACTS))
            if now.question >= 0:
                legal = tuple(act for act, may in zip(ACTS, mask, strict=False) if may)
                left = self._entropies(now, legal)
                acts[2][list(map(ACTS.index, legal))] = left
                acts[2] /= math.log2(len(self._book))
                asked[parts(now.question)[1]] = 1
            asked[len(FORMS) :] = now.sensitive, now.premise
        return acts.ravel(), asked, np.array([self._suspected(info)])

    def _suspected(self, info: Mapping[str, Any]) -> float:
        """A seeker's belief in the facts that are hidden and have not leaked, 0 to 1."""
        heard = exchanges(info["history"])
        leaked = self._book.leaked(heard)
        hidden = [self._book.fact(secret) for secret in info["hidden"]]
        kept = [fact for fact in hidden if fact // VALUES not in leaked]
        if not kept:
            return 0.0
        known = kept if info["mode"] == "A" else range(len(self._book))
        return float(self.belief(self._book.mask(known), heard).sum(axis=0)[kept].sum())
