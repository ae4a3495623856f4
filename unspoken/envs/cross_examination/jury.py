"""What a jury makes of a witness's answers: the scores of SDA turn by turn, and the verdict.

The scores are equations 6, 11 and 16 of the paper (section 4.5), with |f_c| where equation 11
writes f_c, as its appendix C computes. Labels, not words, go in.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

Commitment = Literal["beneficial", "neutral", "none", "detrimental"]
Jury = Literal["score", "model"]

COMMITMENTS: tuple[Commitment, ...] = get_args(Commitment)
JURIES: tuple[Jury, ...] = get_args(Jury)

VALUES: dict[Commitment, float] = {
    "beneficial": 1.0,
    "neutral": 0.5,
    "none": -0.5,
    "detrimental": -1.0,
}
"""f_c, equation 6."""
REL, MAN, QUAL, CONST = 0.4, 0.4, 0.2, 0.2
"""What a violation weighs (appendix C)."""

INTERCEPT, BAT, PAT = 0.25, 1.47, -1.77
"""Log-odds that a juror is on the witness's side, by the scores of a turn.

BAT and PAT are Table 3's, which come near if every maxim weighs 0.5 (`unspoken reproduce sda`).
The paper prints no intercept. This one is fitted to the annotations of its regression (303 turns),
scored by the weights above, with the two coefficients held; by weights of 0.5 it is 0.286.
"""

THRESHOLD = 0.3
"""Standing from which on the jury believes the witness."""


class Label(NamedTuple):
    """An answer by SDA's scheme (section 4.5, Figure 4).

    Attributes:
        commitment: what its content does for the witness's goal.
        rel: whether it violates relevance.
        man: whether it violates manner.
        qual: whether it violates quality, as the jury sees it.
        const: whether it contradicts what the witness has said before.
    """

    commitment: Commitment
    rel: bool = False
    man: bool = False
    qual: bool = False
    const: bool = False


def bat(commitment: Commitment, rel: bool, man: bool, qual: bool) -> float:
    """Benefit at turn, 0 to 1 (equation 11)."""
    value = VALUES[commitment]
    if commitment == "detrimental":
        return abs(value) * _violated(rel, man, qual)
    return max(value, 0.0)


def pat(
    commitment: Commitment, rel: bool, man: bool, qual: bool, const: bool, sum_bat: float
) -> float:
    """Penalty at turn, 0 or more (equation 16); `sum_bat` is the sum of BaT with this turn's."""
    penalty = abs(VALUES[commitment])
    if commitment in ("beneficial", "neutral"):
        penalty *= _violated(rel, man, qual)
    return penalty + CONST * const * sum_bat


def _violated(rel: bool, man: bool, qual: bool) -> float:
    return REL * rel + MAN * man + QUAL * qual


class Account(NamedTuple):
    """How the witness stands after some answers.

    Attributes:
        turns: how many answers were scored.
        bat: the last answer's benefit.
        pat: the last answer's penalty.
        sum_bat: of all of them.
        sum_pat: of all of them.
    """

    turns: int = 0
    bat: float = 0.0
    pat: float = 0.0
    sum_bat: float = 0.0
    sum_pat: float = 0.0

    def after(self, label: Label) -> Account:
        """The account with one more answer."""
        benefit = bat(*label[:4])
        sum_bat = self.sum_bat + benefit
        penalty = pat(*label, sum_bat)
        return Account(self.turns + 1, benefit, penalty, sum_bat, self.sum_pat + penalty)

    @property
    def standing(self) -> float:
        """Mean of BaT - PaT over the turns so far, cut to [-1, 1]; 0 before the first answer.

        NRBaT (equation 17) needs the whole dialogue for its deviations and does not say who is
        ahead; this is the same difference of sums, over the number of turns.
        """
        if not self.turns:
            return 0.0
        net = (self.sum_bat - self.sum_pat) / self.turns
        return round(min(1.0, max(-1.0, net)), 9)  # so that a tenth is a tenth

    @property
    def chance(self) -> float:
        """Probability that a juror takes the witness's side, by the outcome model.

        The model is fitted to the scores of single turns, so it gets their means over the
        dialogue: the sums over the number of turns.
        """
        turns = max(self.turns, 1)
        odds = INTERCEPT + (BAT * self.sum_bat + PAT * self.sum_pat) / turns
        return 1.0 / (1.0 + math.exp(-odds))
