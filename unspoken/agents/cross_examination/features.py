"""The cross-examination as numbers: those that the game itself gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unspoken.agents.features import Features, Layout
from unspoken.envs.cross_examination.jury import CONST
from unspoken.envs.cross_examination.rules import FORMS, MAX_TURNS
from unspoken.envs.registry import GameSpec

_WHOLE = ("turn", "standing", "BaT", "PaT", "chance of belief")
_OF_A_FACT = (
    "bearing",
    "under discussion",
    "topic raised",
    "stood by",
    "known",
    "inconsistent to affirm",
    "inconsistent to deny",
    "has a part",
)
_OWN = {"questioner": "proved by an exhibit", "witness": "truth"}


def layout(spec: GameSpec, role: str) -> Layout:
    """What `unspoken.envs.cross_examination.features` describes, 8 + 9 a fact.

    From -1 to 1 but for the penalties, the fourth: inconsistent answers cost what was gained
    before, so that no answer costs more than 1 + 0.2 · `max_turns`.
    """
    facts = len(spec.menu("questioner")) // len(FORMS)
    of_a_fact = (*_OF_A_FACT, _OWN[role])
    most = 1 + CONST * spec.options.get("max_turns", MAX_TURNS)
    names = (
        *_WHOLE,
        *(f"asked: {form}" for form in FORMS),
        *(f"fact {fact}: {name}" for fact in range(facts) for name in of_a_fact),
    )
    return Layout(names, -most, most)


def features(spec: GameSpec, role: str, info: Mapping[str, Any]) -> Features:
    """The numbers of `layout`, float32 [n]."""
    numbers: Features = info["features"]
    return numbers.copy()
