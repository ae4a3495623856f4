"""A position of the cross-examination as numbers, for learners."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.cross_examination.rules import FORMS, Examination, Role, against

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
    case, account, record = game.case, game.account, game.record
    numbers = np.zeros(size(facts), np.float32)
    numbers[:5] = (
        account.turns / game.max_turns,
        account.standing,
        account.sum_bat / game.max_turns,
        account.sum_pat / game.max_turns,
        account.chance,
    )
    rows = numbers[WHOLE:].reshape(-1, A_FACT)[: len(case.facts)]
    rows[:, 0] = [_BEARS[fact.bearing] for fact in case.facts]
    if game.question is not None and game.to_move == "witness":
        numbers[5 + FORMS.index(game.question.form)] = 1
        if game.question.fact is not None:
            rows[game.question.fact, 1] = 1
    raised = game.raised
    rows[:, 2] = [fact.topic in raised for fact in case.facts]
    for stance in record:
        rows[stance.fact, 3] = 1 if stance.value else -1
    refuted = against(case, game.known).astype(np.float32)
    rows[:, 4] = refuted[::2] - refuted[1::2]  # whose contrary is refuted is known
    inconsistent = against(case, record)
    rows[:, 5], rows[:, 6] = inconsistent[1::2], inconsistent[::2]
    rows[:, 7] = [bool(fact.part) for fact in case.facts]
    if role == "witness":
        rows[:, 8] = [1 if so else -1 for so in case.truth]
    else:
        for exhibit in game.exhibits:
            proof = case.exhibits[exhibit].proof
            rows[proof.fact, 8] = 1 if proof.value else -1
    return numbers
