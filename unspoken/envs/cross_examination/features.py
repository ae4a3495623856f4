"""A position of the cross-examination as numbers, for learners."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.cross_examination.cases import Stance
from unspoken.envs.cross_examination.rules import FORMS, Examination, Role

WHOLE = 5 + len(FORMS)
A_FACT = 9

_BEARS = {"helps": 1, "hurts": -1, "neutral": 0}


def size(facts: int) -> int:
    """How many features there are for cases of at most so many facts."""
    return WHOLE + A_FACT * facts


def features(game: Examination, role: Role, facts: int) -> NDArray[np.float32]:
    """What a role knows of a position.

    Args:
        game: the position.
        role: whose view it is.
        facts: of the longest case; shorter ones are filled up with zeros.

    Returns:
        float32 [8 + 9 * facts], all from -1 to 1 but for the penalties. First the share of the
        turns that were answered, the standing, the sums of BaT and PaT over the number of turns
        that there can be, the outcome model's probability, and which form the question under
        discussion has (three, all 0 while none is). Then nine for each fact: its bearing; whether
        it is under discussion; whether its topic was raised; what the witness stands by; what the
        jury knows, with the links; whether to affirm it now would be inconsistent, and to deny
        it; whether there is a part; and what only the role knows: the truth for the witness, what
        its exhibits prove for the questioner. Where there are two sides they are 1 and -1, and 0
        for neither; what is or is not is 1 or 0.
    """
    case, account, most = game.case, game.account, game.max_turns
    asked = game.question if game.to_move == "witness" else None
    if role == "witness":
        own = {fact: 1 if so else -1 for fact, so in enumerate(case.truth)}
    else:
        own = _sides(case.exhibits[exhibit].proof for exhibit in game.exhibits)
    raised, said = game.raised, _sides(game.record)
    refuted, inconsistent = game.refuted.tolist(), game.inconsistent.tolist()
    # One list, for each look at an array takes as long as several at a list.
    numbers: list[float] = [
        account.turns / most,
        account.standing,
        account.sum_bat / most,
        account.sum_pat / most,
        account.chance,
        *(asked is not None and asked.form == form for form in FORMS),
    ]
    for i, fact in enumerate(case.facts):
        deny, affirm = 2 * i, 2 * i + 1  # places of its stances
        numbers += (
            _BEARS[fact.bearing],
            asked is not None and asked.fact == i,
            fact.topic in raised,
            said.get(i, 0),
            refuted[deny] - refuted[affirm],  # whose contrary is refuted is known
            inconsistent[affirm],
            inconsistent[deny],
            fact.part != "",
            own.get(i, 0),
        )
    padded = np.zeros(size(facts), np.float32)
    padded[: len(numbers)] = numbers
    return padded


def _sides(stances: Iterable[Stance]) -> dict[int, int]:
    return {stance.fact: 1 if stance.value else -1 for stance in stances}
