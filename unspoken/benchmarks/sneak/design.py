"""The design of the benchmark: which instances there are, and in which order they come."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from unspoken.envs.sneak.instances import Instance

BENCHMARK = "sneak benchmark"
"""What stands as the game in a run's config, which no tournament shares."""


def fingerprint(found: Sequence[Instance]) -> str:
    """What tells whether two files hold the same instances."""
    return hashlib.sha256(repr(found).encode()).hexdigest()[:16]


def in_order(found: Sequence[Instance], seed: int) -> list[Instance]:
    """Instances going round the categories: a word of each, in random order, then another of each.

    So every beginning is spread over the categories as evenly as it can be.
    """
    rng = np.random.default_rng(seed)
    groups: dict[str, list[Instance]] = {}
    for instance in found:
        groups.setdefault(instance.category, []).append(instance)
    dealt = [[group[i] for i in rng.permutation(len(group))] for group in groups.values()]
    return [
        dealt[c][r]
        for r in range(max(map(len, dealt)))
        for c in rng.permutation(len(dealt))
        if r < len(dealt[c])
    ]
