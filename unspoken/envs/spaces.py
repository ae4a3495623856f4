"""A text space that admits whatever people and models type."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Text

_SAMPLED = "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ.,:?!'0123456789"
_SAMPLED_LENGTH = 60


class OpenText(Text):
    """Any Unicode string of at most `max_length` characters.

    `gymnasium.spaces.Text` keeps its alphabet as a set and scans a string against it: all of
    Unicode costs 193 MB and a long transcript milliseconds a check. Here membership is a type
    and length check, and only sampling uses an alphabet (a fixed string, so that samples do not
    depend on the hash seed).

    Args:
        max_length: longest admitted string, in characters; the shortest is the empty string.
        seed: seed of `sample`.
    """

    def __init__(self, max_length: int, *, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(max_length, min_length=0, charset=_SAMPLED, seed=seed)

    def contains(self, x: Any) -> bool:
        """Whether `x` is a string that is not too long."""
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A random string of at most 60 characters; masks are not supported by text."""
        if mask is not None or probability is not None:
            raise ValueError("OpenText.sample takes no mask: any string is admitted")
        length = int(self.np_random.integers(0, min(self.max_length, _SAMPLED_LENGTH) + 1))
        return "".join(_SAMPLED[i] for i in self.np_random.integers(0, len(_SAMPLED), length))

    def __repr__(self) -> str:
        return f"OpenText({self.max_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenText) and self.max_length == other.max_length

    __hash__ = None  # type: ignore[assignment]  # as Text: mutable random state
