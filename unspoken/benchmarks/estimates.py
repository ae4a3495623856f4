"""Statistics as cells of a table: with their intervals, and empty where the data have none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.tables import Cell

T = TypeVar("T")
Row = dict[str, Cell]
"""A row of a table, by the keys of its columns."""


class Estimate(float):
    """A number that is written with its interval, as in "25.0% [16.8, 35.5]"."""

    interval: st.Interval

    def __new__(cls, value: float, interval: st.Interval) -> Estimate:
        """A float, which keeps its interval."""
        number = super().__new__(cls, value)
        number.interval = interval
        return number

    def __format__(self, spec: str) -> str:
        low, high = (format(end, spec).removesuffix("%") for end in self.interval)
        return f"{format(float(self), spec)} [{low}, {high}]"


def estimate(key: str, value: float | None, interval: st.Interval | None) -> Row:
    """A value and the ends of its interval, as far as there are any."""
    if value is None or interval is None:
        return {key: value}
    low, high = interval
    return {key: Estimate(value, interval), f"{key}_low": low, f"{key}_high": high}


def attempt(function: Callable[..., T], *data: Any) -> T | None:
    """The statistic, or None where the data have none."""
    try:
        return function(*data)
    except ValueError:
        return None
