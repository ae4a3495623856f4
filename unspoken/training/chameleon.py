"""Chameleon's choices: what each clue is like, who seems to be the chameleon, which word it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from unspoken.agents.features import encode
from unspoken.envs.chameleon.menu import places
from unspoken.envs.chameleon.rules import Phase
from unspoken.envs.registry import GameSpec
from unspoken.lexicon.vectors import vocabulary
from unspoken.training.choices import Layout, Seen

_PHASES = len(get_args(Phase))
_OF_A_PLAYER = 5
_OPTION = ("first", "second", "accuses or defends")


def layout(spec: GameSpec, role: str) -> Layout:
    """All from -1 to 1, from `unspoken.agents.chameleon.features`, which see.

    The state: the phase (four), whether oneself is the chameleon, the turn, the greatest of the
    probabilities that another player is the chameleon, and the greatest belief in a word.

    An option has two numbers by its kind. A clue: its likeness to the word that is believed in, and
    to all of the card. A player who is accused, defended or voted for: the probability that it is
    the chameleon, and the charges against it. A word that is guessed: the belief in it, and that as
    a share of the greatest. And whether it accuses (1) or defends (-1) somebody.
    """
    phases = (f"phase: {phase}" for phase in get_args(Phase))
    state = (*phases, "chameleon", "turn", "most suspicious", "greatest belief")
    return Layout(state, _OPTION, len(spec.menu(role)))


def see(spec: GameSpec, role: str, info: Mapping[str, Any]) -> Seen:
    """The numbers of `layout`."""
    numbers, players, words = encode(spec, role, info), len(info["players"]), len(vocabulary())
    head = _PHASES + 2
    of_players = numbers[head : head + _OF_A_PLAYER * players].reshape(_OF_A_PLAYER, players)
    me, _, charges, _, suspicion = of_players
    belief = numbers[head + of_players.size : -2 * words]
    options = np.zeros((len(info["menu"]), len(_OPTION)), np.float32)
    at = places(players, len(belief))
    options[at.clue, :2] = numbers[-2 * words :].reshape(2, words).T
    for span, sign in ((at.accuse, 1), (at.defend, -1), (at.vote, 0)):
        options[span, 0], options[span, 1], options[span, 2] = suspicion, charges, sign
    likeliest = float(belief.max())
    options[at.guess, 0] = belief
    options[at.guess, 1] = belief / likeliest if likeliest > 0 else 0
    most = float(np.where(me > 0, 0, suspicion).max())
    state = np.concatenate([numbers[:head], [most, likeliest]]).astype(np.float32)
    return Seen(state, options)
