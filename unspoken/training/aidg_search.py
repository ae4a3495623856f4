"""The search game's choices: what each question would tell, and how likely each word is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.aidg_search.belief import evidence
from unspoken.agents.features import encode
from unspoken.envs.aidg_search.ontology import DEFAULT, load
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_search_reference import Floats, likelihood, pack
from unspoken.training.choices import Floats32, Layout, Seen

_STATE = ("turn", "entropy", "greatest belief", "best gain")
_OPTION = ("lock", "belief", "gain", "of the best", "asked before")


class Table(NamedTuple):
    """What the choices are computed from.

    Attributes:
        packed: the evaluator's table of the N words, float64 [N, 4, Q].
        places: the places of these words among all W, int64 [N].
        words: W.
        again: whether a question can tell more when it is asked again: answers are noisy.
    """

    packed: Floats
    places: NDArray[np.intp]
    words: int
    again: bool


def layout(spec: GameSpec, role: str) -> Layout:
    """All from 0 to 1; of the seeker.

    The state: the turn (share of `max_turns`), the entropy of the belief (share of log2(N)), its
    greatest part, and the most that a question would tell (share of log2(3)).

    An option: whether it is a lock; the belief in its word; the expected information of its
    question (share of log2(3); 0 where it was asked before, if answers are certain to be heard);
    either as a share of the best one; and whether the question was asked before.

    Raises:
        ValueError: for the holder, whose menu has three words.
    """
    if role != "seeker":
        raise ValueError(
            f"role {role!r} of aidg_search chooses from three words: train with view = 'features'"
        )
    return Layout(_STATE, _OPTION, len(spec.menu(role)))


def see(spec: GameSpec, role: str, info: Mapping[str, Any]) -> Seen:
    """The numbers of `layout`."""
    table = table_of(spec)
    numbers = encode(spec, role, info)[None]
    asked = np.zeros((1, table.packed.shape[2]), np.bool_)
    asked[0, [question for question, _ in evidence(info["history"])]] = True
    states, options = choices(numbers, asked, table)
    return Seen(states[0], options[0])


def choices(numbers: Floats32, asked: NDArray[np.bool_], table: Table) -> tuple[Floats32, Floats32]:
    """The numbers of `layout` for B positions, float32 [B, 4] and [B, Q + W, 5].

    Args:
        numbers: beliefs, entropies and turns as the batch and the features have them,
            float32 [B, N + 2].
        asked: which questions were asked, bool [B, Q].
        table: of the game.
    """
    from unspoken.evaluator.aidg_search import information_gain

    belief = numbers[:, :-2]
    gain = information_gain(belief.astype(np.float64), table.packed) / math.log2(3)
    if not table.again:
        gain[asked] = 0
    likeliest, best = belief.max(axis=1), gain.max(axis=1)
    states = np.stack([numbers[:, -1], numbers[:, -2], likeliest, best], axis=1)
    n = asked.shape[1]
    options = np.zeros((len(numbers), n + table.words, len(_OPTION)), np.float32)
    questions, locks = options[:, :n], options[:, n:]
    questions[..., 2] = gain
    questions[..., 3] = gain / np.maximum(best, 1e-9)[:, None]
    questions[..., 4] = asked
    locks[..., 0] = 1
    locks[:, table.places, 1] = belief
    locks[:, table.places, 3] = belief / likeliest[:, None]
    return states.astype(np.float32), options


def table_of(spec: GameSpec) -> Table:
    """The table that a game is played with; cached."""
    words = spec.options.get("words")
    return _table(
        Path(spec.options.get("ontology", DEFAULT)),
        None if words is None else tuple(words),
        float(spec.options.get("holder_noise", 0.0)),
    )


@lru_cache(maxsize=8)
def _table(folder: Path, words: tuple[str, ...] | None, noise: float) -> Table:
    ontology = load(folder)
    places = np.flatnonzero([words is None or word in words for word in ontology.words])
    packed = pack(likelihood(ontology.table[places], noise))
    return Table(packed, places, len(ontology.words), noise > 0)
