"""Dual Elo: one rating as seeker (C), one as holder (V) (AIDG 3.4 and appendix F)."""

from __future__ import annotations

from dataclasses import dataclass, field

K = 24.0
START = 1500.0


def expected_score(own: float, other: float) -> float:
    """Expected score of a player rated `own` against one rated `other`, 0 to 1 (eq. 2, 6)."""
    return float(1 / (1 + 10 ** ((other - own) / 400)))


def update(
    c: float, v: float, seeker_score: float, weight: float = 1.0, k: float = K
) -> tuple[float, float]:
    """Both ratings after one game (eq. 3, 8, 9); what one side gains the other loses.

    Args:
        c: the seeker's C rating before the game.
        v: the holder's V rating before the game.
        seeker_score: 1 where the seeker won, 0 where the holder did.
        weight: M(t) in AIDG-II, 1 in AIDG-I.
        k: the learning constant, 24 in the paper.

    Returns:
        The seeker's new C and the holder's new V.
    """
    change = k * weight * (seeker_score - expected_score(c, v))
    return c + change, v - change


@dataclass(slots=True)
class DualElo:
    """Running ratings of many players, each with a rating a role.

    Attributes:
        k: the learning constant.
        c: the players' ratings as seeker, by name; 1500 before their first game.
        v: the players' ratings as holder.
    """

    k: float = K
    c: dict[str, float] = field(default_factory=dict)
    v: dict[str, float] = field(default_factory=dict)

    def record(self, seeker: str, holder: str, seeker_score: float, weight: float = 1.0) -> None:
        """Take one game into account."""
        self.c[seeker], self.v[holder] = update(
            self.c.get(seeker, START), self.v.get(holder, START), seeker_score, weight, self.k
        )
