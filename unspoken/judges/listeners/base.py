"""What a listener of SNEAK is."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.sneak.instances import Instance

Distribution = NDArray[np.float64]


class Listener(Protocol):
    """Hears a message and says what it makes of it (SNEAK 2.3).

    Listeners that ask a model also have `aally` and `achameleon`, which do the same without
    blocking the running loop, and `take_trace`.

    Attributes:
        name: for reports.
    """

    name: str

    def ally(self, instance: Instance, message: str) -> Distribution:
        """Which of the messages comes from a speaker who knows the secret, to one who knows it.

        Args:
            instance: the game, with its secret and decoys.
            message: what the speaker said.

        Returns:
            float64 [1 + decoys]: the message, then the decoys as they stand in the instance; sums
            to 1.
        """
        ...

    def chameleon(self, instance: Instance, message: str) -> Distribution:
        """Which of the words is the secret, to one who does not know it.

        Args:
            instance: the game; only its category and words are looked at.
            message: what the speaker said.

        Returns:
            float64 [words], in the order of the instance; sums to 1.
        """
        ...
