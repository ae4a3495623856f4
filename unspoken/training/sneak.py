"""SNEAK's choices: what each message tells the ally, and what the chameleon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unspoken.agents.features import encode
from unspoken.agents.sneak.features import likeness_to
from unspoken.agents.sneak.speakers import likely_decoys
from unspoken.envs.registry import GameSpec
from unspoken.lexicon.vectors import similarity
from unspoken.training.choices import Layout, Seen

TENTHS = 10
"""Cosines are in tenths: listeners that go by word vectors take a tenth for a clear difference."""

_OPTION = {
    "speaker": ("secret", "nearest other word", "card", "behind another word", "behind a decoy"),
    "ally": ("is there", "secret", "nearest other word"),
    "chameleon": ("is there", "message"),
}
_STATE = {
    "speaker": ("refused", "likeliest decoy"),
    "ally": ("refused",),
    "chameleon": ("refused",),
}


def layout(spec: GameSpec, role: str) -> Layout:
    """All are cosines in tenths, -10 to 10, but for whether an option is there, or was refused.

    The state: whether the last try was refused; the speaker's also how like the secret that one of
    the likely decoys is that is most like it. Decoys are not shown to speakers; the likely ones are
    the words of the vocabulary that are most like all of the card.

    An option: the numbers of `unspoken.agents.sneak.features`. For the speaker also how like the
    card it is, on average; how much liker the secret it is than the nearest other word, as a number
    below 0, and 0 if it is not; and how much less like the secret than the likeliest decoy, too.
    """
    return Layout(_STATE[role], _OPTION[role], len(spec.menu(role)))


def see(spec: GameSpec, role: str, info: Mapping[str, Any]) -> Seen:
    """The numbers of `layout`."""
    numbers = encode(spec, role, info)
    rows, refused = numbers[:-1].reshape(-1, len(spec.menu(role))), numbers[-1:]
    if role != "speaker":
        return Seen(refused, (rows * [[1], *[[TENTHS]] * (len(rows) - 1)]).T.astype(np.float32))
    secret, nearest = TENTHS * rows
    words = tuple(sorted(info["words"]))
    decoys = likely_decoys(info["category"], words, len(spec.menu("ally")) - 1)
    likeliest = TENTHS * similarity(decoys, [info["secret"]]).max()
    card = TENTHS * np.mean([likeness_to(word) for word in words], axis=0)
    hidden, clear = np.minimum(nearest - secret, 0), np.minimum(secret - likeliest, 0)
    options = np.stack([secret, nearest, card, hidden, clear], axis=1)
    return Seen(np.append(refused, likeliest).astype(np.float32), options.astype(np.float32))
