"""Figures of a paper beside ours: what a reproduction is made of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from unspoken.benchmarks.tables import Cell, Column, Table

_PRINTED = re.compile(r"([<>]?)([+-]?[\d,]+\.?(\d*))(%|pp|×|)")


@dataclass(frozen=True)
class Figure:
    """A figure of the paper.

    Attributes:
        where: table or section.
        what: what it says.
        printed: as the paper prints it.
        ours: the same, recomputed (a share for percentages); a text is compared as it is; None
            where the paper publishes too little.
        why: what is known of a figure that differs or cannot be recomputed.
    """

    where: str
    what: str
    printed: str
    ours: float | str | None
    why: str = ""

    @property
    def verdict(self) -> str:
        """Whether the paper's figure follows: "agrees", "differs" or "not recomputable"."""
        if self.ours is None:
            return "not recomputable"
        if isinstance(self.ours, str):
            return "agrees" if self.ours == self.printed else "differs"
        return "agrees" if agrees(self.printed, self.ours) else "differs"

    @property
    def shown(self) -> str | None:
        """Ours with the printed decimals, and one more where those do not read the same."""
        if self.ours is None or isinstance(self.ours, str):
            return self.ours
        bound, value, decimals, unit = _read(self.printed)
        if bound:
            return f"{self.ours:.2g}"
        ours = self.ours * _scale(unit)
        places = decimals + (decimals > 0 and f"{ours:.{decimals}f}" != f"{value:.{decimals}f}")
        sign = "+" if self.printed.startswith("+") else ""
        comma = "," if "," in self.printed else ""
        return f"{ours:{sign}{comma}.{places}f}{unit}"

    def row(self) -> dict[str, Cell]:
        """For the table; "value" is ours before rounding."""
        verdict = self.verdict
        return {
            "where": self.where,
            "what": self.what,
            "paper": self.printed,
            "ours": self.shown,
            "verdict": verdict,
            "why": None if verdict == "agrees" else self.why,
            "value": self.ours,
        }


def compare(key: str, title: str, figures: Iterable[Figure]) -> Table:
    """The table of a reproduction, one figure a row."""
    columns = [
        Column(name, name, left=name not in ("paper", "ours"))
        for name in ("where", "what", "paper", "ours", "verdict", "why")
    ]
    return Table(key, title, columns, [figure.row() for figure in figures])


def agrees(printed: str, ours: float) -> bool:
    """Whether a number rounds to the printed one, a tie either way, or keeps the printed bound."""
    bound, value, decimals, unit = _read(printed)
    ours *= _scale(unit)
    if bound:
        return ours < value if bound == "<" else ours > value
    return abs(ours - value) <= 0.5 * 10.0**-decimals + 1e-9


def _read(printed: str) -> tuple[str, float, int, str]:
    match = _PRINTED.fullmatch(printed)
    if match is None:
        raise ValueError(f"{printed!r} is not a figure")
    bound, number, decimals, unit = match.groups()
    return bound, float(number.replace(",", "")), len(decimals), unit


def _scale(unit: str) -> int:
    return 100 if unit in ("%", "pp") else 1
