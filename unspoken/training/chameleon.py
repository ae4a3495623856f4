"""Chameleon's choices: what each clue is like, who seems to be the chameleon, which word it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from unspoken.agents.chameleon.player import Table, seen_by
from unspoken.agents.chameleon.rsa import RSA
from unspoken.agents.features import one_hot
from unspoken.envs.chameleon.menu import places
from unspoken.envs.chameleon.rules import Phase
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.chameleon_reference import TEMPERATURE
from unspoken.evaluator.rsa_reference import Floats
from unspoken.training.choices import Layout, Seen

_PHASES: tuple[Phase, ...] = get_args(Phase)
_STATE = (
    *(f"phase: {phase}" for phase in _PHASES),
    "chameleon",
    "clues given",
    "most suspicious",
    "suspected oneself",
    "greatest belief",
    "least fit",
)
_OPTION = ("first", "second", "third", "fourth", "accuses or defends")
_MOST = 10.0


def layout(spec: GameSpec, role: str) -> Layout:
    """The state is from -1 to 1; of options, likelihoods and probabilities are in nats, -10 to 10.

    Below, "the word" is the secret, or what the chameleon believes it to be, on average. A clue
    fits as well as its cosine with the word says, in units of the evaluator's temperature, which
    makes nats of it; a player as well as its clues do on average, or -10 if it gave none.

    The state: the phase (four), whether oneself is the chameleon, how many clues were given
    (share), the greatest of the probabilities that another player is the chameleon, that of
    oneself, the greatest belief in a word, and how well the player fits that fits least, of the
    others (in tens).

    An option has four numbers by its kind. A clue: how well it fits, and how well it fits the words
    of the card on average; the probability that one who has heard all clues, and knows nothing
    else, would not take the word for the secret; and how much worse it fits than the player that
    fits least, a number below 0, or 0. A player who is accused, defended or voted for: the
    probability that it is the chameleon, the charges against it (share of the players), and how
    well it fits. A word that is guessed: the belief in it. And whether it accuses (1) or defends
    (-1) somebody.
    """
    return Layout(_STATE, _OPTION, len(spec.menu(role)))


def see(spec: GameSpec, role: str, info: Mapping[str, Any]) -> Seen:
    """The numbers of `layout`."""
    table = seen_by(info)
    chameleon, belief = RSA().posterior(table)
    fits = _fits(table, belief)
    others = np.arange(table.players) != table.me
    spoken = others & (fits > -_MOST)
    least = fits[spoken].min() if spoken.any() else -_MOST
    at = places(table.players, len(info["menu"]) - places(table.players, 0).guess.stop)
    options = np.zeros((len(info["menu"]), len(_OPTION)), np.float32)
    if info["phase"] == "clue":
        clues = options[: at.clue.stop]
        like = table.card.similarity @ (belief / TEMPERATURE)
        heard = table.said.speech.sum(axis=0)
        heard = np.exp(heard - heard.max())
        told = table.card.likelihood @ np.stack([heard * belief, heard], axis=1)
        clues[:, 0], clues[:, 1] = like, table.card.general / TEMPERATURE
        clues[:, 2] = _log(1 - told[:, 0] / told[:, 1])
        clues[:, 3] = np.minimum(like - least, 0)
    charges = np.zeros(table.players)
    for charge in table.charges:
        charges[charge.against] += 1 / table.players
    for span, sign in ((at.accuse, 1), (at.defend, -1), (at.vote, 0)):
        rows = options[span.start : span.stop]
        rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 4] = _log(chameleon), charges, fits, sign
    options[at.guess.start : at.guess.start + len(belief), 0] = _log(belief)
    given = len(table.speakers) / (table.players * spec.options.get("clue_rounds", 1))
    found = chameleon[others].max(), chameleon[table.me], belief.max(), least / _MOST
    phase = one_hot([_PHASES.index(info["phase"])], len(_PHASES))
    state = np.concatenate([phase, [info["chameleon"], given, *found]])
    return Seen(state.astype(np.float32), options.clip(-_MOST, _MOST))


def _log(p: Floats) -> Floats:
    return np.log(np.maximum(p, np.exp(-_MOST)))


def _fits(table: Table, belief: Floats) -> Floats:
    """How well each player fits, float64 [N]."""
    n = table.players
    given = np.bincount(table.speakers, minlength=n)
    like = table.said.speech - table.card.silence.speech
    told = np.bincount(table.speakers, like @ belief, minlength=n)
    return np.where(given > 0, told / np.maximum(given, 1), -_MOST)
