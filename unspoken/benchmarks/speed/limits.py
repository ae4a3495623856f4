"""What one core can do at most: arithmetic and memory, measured by the simplest loops there are."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unspoken.benchmarks.speed.timing import Chunk, Name, one_core
from unspoken.benchmarks.tables import Cell, Column, Table

_STEPS = 16
_LEVELS = (("L1", 16 << 10), ("L2", 256 << 10), ("L3", 4 << 20), ("memory", 256 << 20))
"""Bytes that are read over and over; caches of usual machines hold what is named so."""


@dataclass(frozen=True)
class Limits:
    """The peaks of one core.

    Attributes:
        flops: additions and multiplications a second, float64, as fused multiply-adds.
        flops32: the same of float32.
        reads: bytes read a second from "L1", "L2", "L3" and "memory".
    """

    flops: float
    flops32: float
    reads: dict[str, float]


def measure(seconds: float = 2.0) -> Limits:
    """Measure one core.

    Args:
        seconds: time for each peak.
    """
    multiply, add_up = _loops()
    chunks: dict[str, Chunk] = {
        "flops": _multiplying(multiply, np.float64),
        "flops32": _multiplying(multiply, np.float32),
    }
    for level, size in _LEVELS:
        chunks[level] = _reading(add_up, size)
    with one_core():
        rates = fastest(chunks, seconds)
    reads = {level: rates[level] for level, _ in _LEVELS}
    return Limits(rates["flops"], rates["flops32"], reads)


def fastest(chunks: Mapping[Name, Chunk], seconds: float) -> dict[Name, float]:
    """Units a second of each in its fastest single chunk; chunks take turns.

    One chunk is over before the system gives the core to somebody else: this is what the code can
    do, where `best_rates` also counts what the machine does meanwhile.

    Args:
        chunks: what to measure, by name.
        seconds: time for each, all its chunks together.
    """
    best = dict.fromkeys(chunks, 0.0)
    for chunk in chunks.values():
        chunk()
    end = time.perf_counter() + seconds * len(chunks)
    while time.perf_counter() < end:
        for name, chunk in chunks.items():
            start = time.perf_counter()
            done = chunk()
            best[name] = max(best[name], done / (time.perf_counter() - start))
    return best


def limits_table(seconds: float = 2.0, limits: Limits | None = None) -> Table:
    """The peaks of one core.

    Args:
        seconds: time for each peak.
        limits: what was measured before.
    """
    found = limits or measure(seconds)
    rows: list[dict[str, Cell]] = [
        {"limit": "float64 fused multiply-adds", "rate": found.flops / 1e9, "unit": "Gflop/s"},
        {"limit": "float32 fused multiply-adds", "rate": found.flops32 / 1e9, "unit": "Gflop/s"},
    ]
    for level, size in _LEVELS:
        name = f"reading {level} ({size >> 10:,} KiB)"
        rows.append({"limit": name, "rate": found.reads[level] / 1e9, "unit": "GB/s"})
    columns = [
        Column("limit", "one core", left=True),
        Column("rate", "at most", "{:.1f}"),
        Column("unit", "", left=True),
    ]
    return Table("limits", "What one core can do", columns, rows)


def _multiplying(multiply: Callable[..., None], kind: type[np.floating[Any]]) -> Chunk:
    numbers = np.linspace(0.1, 1, 1024).astype(kind).reshape(4, -1)
    factor, term = kind(0.5), kind(0.25)

    def chunk() -> int:
        multiply(numbers, factor, term, 64)
        return 64 * numbers.size * _STEPS * 2

    return chunk


def _reading(add_up: Callable[..., float], size: int) -> Chunk:
    numbers = np.ones((4, size // 32))
    times = max(1, (1 << 20) // size)

    def chunk() -> int:
        add_up(numbers, times)
        return times * numbers.nbytes

    return chunk


def _loops() -> tuple[Callable[..., None], Callable[..., float]]:
    from numba import njit

    # Both go through four parts at once, for each step waits for the one before.

    @njit(nogil=True, fastmath={"contract"})  # type: ignore[untyped-decorator,unused-ignore]
    def multiply(numbers: Any, factor: Any, term: Any, times: int) -> None:
        a, b, c, d = numbers[0], numbers[1], numbers[2], numbers[3]
        for _ in range(times):
            for i in range(len(a)):
                w, x, y, z = a[i], b[i], c[i], d[i]
                for _ in range(_STEPS):
                    w, x = w * factor + term, x * factor + term
                    y, z = y * factor + term, z * factor + term
                a[i], b[i], c[i], d[i] = w, x, y, z

    @njit(nogil=True, fastmath={"reassoc", "nsz"})  # type: ignore[untyped-decorator,unused-ignore]
    def add_up(numbers: Any, times: int) -> float:
        a, b, c, d = numbers[0], numbers[1], numbers[2], numbers[3]
        total = 0.0
        for _ in range(times):
            for i in range(len(a)):
                total += a[i] + b[i] + c[i] + d[i]
        return total

    return multiply, add_up
