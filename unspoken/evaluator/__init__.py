"""Scores of positions: one interface over the games' kernels, which are loaded on first use."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

_MODULES = {
    "aidg_dialogue": "unspoken.evaluator.aidg_dialogue",
    "aidg_search": "unspoken.evaluator.aidg_search",
    "chameleon": "unspoken.evaluator.chameleon",
    "cross_examination": "unspoken.evaluator.cross_examination",
    "sneak": "unspoken.evaluator.sneak",
}


def evaluate(game: str, position: Any) -> dict[str, float]:
    """How a position stands for each role, from -1 to 1.

    Args:
        game: the name of a game that has an evaluator, for example "aidg_search".
        position: the game's `Position`, from its evaluator module, which also says what the
            score means.

    Raises:
        ValueError: if the game has no evaluator; the message lists those that have.
    """
    return evaluate_batch(game, [position])[0]


def evaluate_batch(game: str, positions: Sequence[Any]) -> list[dict[str, float]]:
    """`evaluate` of each position, in order; a game may value many at once faster than singly.

    Args:
        game: the name of a game that has an evaluator.
        positions: the game's `Position`s, B of them, or none.

    Returns:
        B dictionaries from role to score, -1 to 1.

    Raises:
        ValueError: if the game has no evaluator; the message lists those that have.
    """
    if game not in _MODULES:
        raise ValueError(f"{game!r} has no evaluator; choose from {', '.join(_MODULES)}")
    scores: list[dict[str, float]] = import_module(_MODULES[game]).evaluate_batch(positions)
    return scores
