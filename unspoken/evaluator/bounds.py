"""Bounds of a lookahead, which all evaluators refuse alike."""

from __future__ import annotations


def check_search(depth: int, width: int) -> None:
    """Refuse bounds of a lookahead that make no sense.

    Raises:
        ValueError: names the bound and its range.
    """
    if depth < 0:
        raise ValueError(f"depth={depth}: 0 or more questions to look ahead")
    if width < 1:
        raise ValueError(f"width={width}: 1 or more questions to consider")
