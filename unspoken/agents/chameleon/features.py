"""Chameleon as numbers: what a player believes by the evaluator, and what its clues would say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from unspoken.agents.chameleon.player import seen_by
from unspoken.agents.chameleon.reading import seat
from unspoken.agents.chameleon.rsa import RSA
from unspoken.agents.features import Features, Layout, one_hot
from unspoken.envs.chameleon.menu import places
from unspoken.envs.chameleon.rules import Phase
from unspoken.envs.registry import GameSpec
from unspoken.lexicon.vectors import vocabulary

_PHASES: tuple[Phase, ...] = get_args(Phase)
_OF_A_PLAYER = ("is oneself", "clues", "charges", "can be voted for", "is the chameleon")
_OF_A_CLUE = ("like the word", "like the card")
_LATER = 3
"""Rounds that may follow those of clues and discussion: vote, second vote, guess."""


def layout(spec: GameSpec, role: str) -> Layout:
    """All from -1 to 1, for N players, W words of the longest card and V of the vocabulary.

    6 + 5 N + W + 2 V: which phase it is (four); whether oneself is the chameleon; the turn (share
    of the most there can be); for each player whether it is oneself, how many of its clues it has
    given (share), the charges against it (share of the players, 1 at most: accusations, and votes
    that are open), whether one can vote for it, and the probability that it is the chameleon, as
    `RSA.suspicion` has it; the probability of each word, 1 for the one that is known, and 0 where
    the card is shorter; and in the clue phase the cosine of each word of the vocabulary with the
    word that is believed in, and with all of the card, both on average.
    """
    players = range(len(spec.seats))
    card = len(spec.menu(role)) - places(len(players), 0).guess.stop
    names = (
        *(f"phase: {phase}" for phase in _PHASES),
        "chameleon",
        "turn",
        *(f"player {player}: {name}" for name in _OF_A_PLAYER for player in players),
        *(f"word {place}" for place in range(card)),
        *(f"{name}: {clue}" for name in _OF_A_CLUE for clue in vocabulary()),
    )
    return Layout(names, -1, 1)


def features(spec: GameSpec, role: str, info: Mapping[str, Any]) -> Features:
    """The numbers of `layout`, float32 [n]."""
    table = seen_by(info)
    found = RSA().posterior(table)
    n = table.players
    rounds = spec.options.get("clue_rounds", 1)
    last = rounds + spec.options.get("discussion", 0) + _LATER
    charged = [charge.against for charge in table.charges]
    belief = np.zeros(len(info["menu"]) - places(n, 0).guess.stop)
    belief[: len(info["words"])] = found.word
    fits = np.zeros((len(_OF_A_CLUE), len(vocabulary())))
    if info["phase"] == "clue":
        fits[:] = table.card.similarity @ found.word, table.card.general
    parts = (
        one_hot([_PHASES.index(info["phase"])], len(_PHASES)),
        [info["chameleon"], info["turn"] / last],
        one_hot([table.me], n),
        np.bincount(table.speakers, minlength=n) / rounds,
        (np.bincount(charged, minlength=n) / n).clip(max=1) if charged else np.zeros(n),
        one_hot(map(seat, info["candidates"]), n),
        found.chameleon,
        belief,
        fits.ravel(),
    )
    return np.concatenate(parts).clip(-1, 1).astype(np.float32)
