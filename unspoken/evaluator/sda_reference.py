"""What the scores of Strategic Dialogue Assessment mean, in plain Python and NumPy.

`score` of `unspoken.evaluator.sda` is here under the same name and equal to 1e-9, written to be
read; that module is the one to call. Sources: the SDA paper, equations 6 (values of commitments),
11 (BaT), 16 (PaT), 17 (NRBaT), section 6 (net move benefit) and section 7.3 (NRA). Equation 11
prints f_c for a detrimental commitment, which would make that benefit negative; the paper's own
calculation (Appendix C) and its published columns take |f_c|, and so does this module. N is the
number of turns of all dialogues together. The paper's constants are those of the game's jury.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unspoken.envs.cross_examination import jury
from unspoken.envs.cross_examination.jury import CONST, MAN, QUAL, REL, VALUES

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Variant = Literal["equations", "published"]

COMMITMENTS: tuple[str, ...] = jury.COMMITMENTS
"""What an answer does to the witness's own goal; its place here is its code."""
VIOLATIONS = ("rel", "man", "qual", "const")
"""Maxims of relevance, manner and quality, and consistency with earlier answers."""
BENEFICIAL, NEUTRAL, NONE, DETRIMENTAL = range(len(COMMITMENTS))
"""Codes of the commitments: their places in COMMITMENTS."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Values of the commitments (equation 6) and weights of what was violated (Appendix C).

    Attributes:
        beneficial: 0 or more.
        neutral: 0 or more.
        none: 0 or less.
        detrimental: 0 or less.
        rel: weight of a violation of relevance, 0 or more.
        man: of manner, 0 or more.
        qual: of quality, 0 or more.
        const: share of the benefits so far that an inconsistent answer costs, 0 or more.

    Raises:
        ValueError: if a number is not finite or has the wrong sign; names it.
    """

    beneficial: float = VALUES["beneficial"]
    neutral: float = VALUES["neutral"]
    none: float = VALUES["none"]
    detrimental: float = VALUES["detrimental"]
    rel: float = REL
    man: float = MAN
    qual: float = QUAL
    const: float = CONST

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            loss = name in ("none", "detrimental")
            if not math.isfinite(value) or (value > 0 if loss else value < 0):
                bound = "0 or less" if loss else "0 or more"
                raise ValueError(f"weight {name}={value}: must be a number, {bound}")

    @classmethod
    def parse(cls, text: str) -> Weights:
        """Read weights like "rel=0.3,none=-0.25"; what is not named is as in the paper.

        Raises:
            ValueError: if a part cannot be read; names the part and what was expected.
        """
        names = [field.name for field in fields(cls)]
        given: dict[str, float] = {}
        for part in text.split(",") if text.strip() else ():
            name, equals, number = (piece.strip() for piece in part.partition("="))
            if not equals or name not in names:
                raise ValueError(
                    f"weights: {part.strip()!r} is not NAME=NUMBER; names: {', '.join(names)}"
                )
            if name in given:
                raise ValueError(f"weights: {name} is given twice")
            try:
                given[name] = float(number)
            except ValueError:
                raise ValueError(f"weights: {name}={number}: {number!r} is not a number") from None
        return cls(**given)

    def values(self) -> Floats:
        """f_c by the code of the commitment, float64 [4]."""
        return np.array([getattr(self, name) for name in COMMITMENTS], np.float64)


PAPER = Weights()
"""The weights of the paper."""


class Scores(NamedTuple):
    """Scores of every turn, float64 [N] each; sums and Z run over one dialogue.

    Attributes:
        bat: benefit at the turn, 0 or more (equation 11).
        pat: penalty at the turn, 0 or more (equation 16).
        sum_bat: sum of BaT up to and with the turn.
        sum_pat: sum of PaT up to and with the turn.
        nrbat: Z(sum_bat) - Z(sum_pat) with the population deviation over the turns of the
            dialogue; Z is 0 where a sum never changes (equation 17).
        net: BaT - PaT of the turn, positive where it helps the witness. Figure 6 standardises it
            over all turns that are compared, which is left to whoever compares.
        nra: turns won less turns lost so far, over both, -1 to 1 (section 7.3); NaN until a
            turn has an outcome.
    """

    bat: Floats
    pat: Floats
    sum_bat: Floats
    sum_pat: Floats
    nrbat: Floats
    net: Floats
    nra: Floats


class Labels(NamedTuple):
    """Checked labels of every turn, contiguous arrays.

    Attributes:
        commitment: codes, places in COMMITMENTS, int8 [N].
        rel: whether relevance is violated, bool [N].
        man: whether manner is, bool [N].
        qual: whether quality is, bool [N].
        const: whether the answer contradicts an earlier one, bool [N].
        starts: int64 [D + 1]; dialogue d has the turns starts[d] to starts[d + 1] - 1.
        outcome: 1 the witness's turn, -1 the questioner's, 0 not judged, int8 [N].
    """

    commitment: NDArray[np.int8]
    rel: Flags
    man: Flags
    qual: Flags
    const: Flags
    starts: NDArray[np.int64]
    outcome: NDArray[np.int8]


def score(
    commitment: ArrayLike,
    rel: ArrayLike,
    man: ArrayLike,
    qual: ArrayLike,
    const: ArrayLike,
    starts: ArrayLike,
    weights: Weights = PAPER,
    variant: Variant = "equations",
    outcome: ArrayLike | None = None,
) -> Scores:
    """Scores of every turn; arguments and errors as in `unspoken.evaluator.sda.score`."""
    labels = check_labels(commitment, rel, man, qual, const, starts, outcome)
    bat_weights, pat_weights = variant_weights(weights, variant)
    bat, pat = np.empty((2, len(labels.commitment)))
    sum_bat, sum_pat, nrbat, nra = np.empty((4, len(bat)))
    for first, last in pairwise(labels.starts.tolist()):
        benefits = penalties = 0.0
        won = judged = 0
        for i in range(first, last):
            code = int(labels.commitment[i])
            violated = (bool(labels.rel[i]), bool(labels.man[i]), bool(labels.qual[i]))
            bat[i] = benefit(code, *violated, bat_weights)
            benefits += bat[i]
            pat[i] = penalty(code, *violated, bool(labels.const[i]), benefits, pat_weights)
            penalties += pat[i]
            sum_bat[i], sum_pat[i] = benefits, penalties
            won += int(labels.outcome[i])
            judged += abs(int(labels.outcome[i]))
            nra[i] = won / judged if judged else np.nan
        turns = slice(first, last)
        nrbat[turns] = standardised(sum_bat[turns]) - standardised(sum_pat[turns])
    return Scores(bat, pat, sum_bat, sum_pat, nrbat, bat - pat, nra)


def benefit(commitment: int, rel: bool, man: bool, qual: bool, weights: Weights = PAPER) -> float:
    """BaT of one turn, 0 or more (equation 11)."""
    value: float = weights.values()[commitment]
    if commitment in (BENEFICIAL, NEUTRAL):
        return value
    if commitment == DETRIMENTAL:
        return abs(value) * (weights.rel * rel + weights.man * man + weights.qual * qual)
    return 0.0


def penalty(
    commitment: int,
    rel: bool,
    man: bool,
    qual: bool,
    const: bool,
    benefits: float,
    weights: Weights = PAPER,
) -> float:
    """PaT of one turn, 0 or more (equation 16); `benefits` is the sum of BaT with this turn's."""
    value: float = abs(weights.values()[commitment])
    if commitment in (BENEFICIAL, NEUTRAL):
        value *= weights.rel * rel + weights.man * man + weights.qual * qual
    return value + weights.const * const * benefits


def standardised(sums: Floats) -> Floats:
    """Z scores with the population deviation, float64 [n]; 0 where the deviation is 0."""
    # Differences to the first sum are exactly 0 where sums are equal; those to a mean may not be.
    differences = sums - sums[0]
    deviation = differences.std()
    if deviation == 0:
        return np.zeros(len(sums))
    return np.asarray((differences - differences.mean()) / deviation)


def variant_weights(weights: Weights, variant: str) -> tuple[Weights, Weights]:
    """The weights that BaT and PaT take.

    "published" is how the columns that came with the paper were made: BaT of a detrimental turn
    leaves out quality, and PaT of an inconsistent one leaves out the benefits so far.

    Raises:
        ValueError: if there is no such variant.
    """
    if variant == "equations":
        return weights, weights
    if variant == "published":
        return replace(weights, qual=0.0), replace(weights, const=0.0)
    raise ValueError(f"variant {variant!r}: choose from {', '.join(get_args(Variant))}")


def check_labels(
    commitment: ArrayLike,
    rel: ArrayLike,
    man: ArrayLike,
    qual: ArrayLike,
    const: ArrayLike,
    starts: ArrayLike,
    outcome: ArrayLike | None = None,
) -> Labels:
    """Labels as arrays that can be scored.

    Raises:
        ValueError: if a shape, a dtype, a code or a start is wrong; names the argument.
    """
    codes = np.asarray(commitment)
    if codes.ndim != 1:
        raise ValueError(f"commitment has the shape {codes.shape}: must be [N], one code a turn")
    n = len(codes)
    codes = _array("commitment", codes, n, "iu", "whole numbers")
    wrong = codes[(codes < 0) | (codes >= len(COMMITMENTS))]
    if len(wrong):
        raise ValueError(f"commitment code {wrong[0]}: 0 to 3, for {', '.join(COMMITMENTS)}")
    won = np.zeros(n, np.int8)
    if outcome is not None:
        won = _array("outcome", outcome, n, "iu", "whole numbers")
        wrong = won[(won < -1) | (won > 1)]
        if len(wrong):
            raise ValueError(f"outcome {wrong[0]}: 1 for the witness, -1 for the questioner, or 0")
    edges = np.asarray(starts)
    if (
        edges.ndim != 1
        or edges.dtype.kind not in "iu"
        or len(edges) == 0
        or (edges[0], edges[-1]) != (0, n)
        or (np.diff(edges.astype(np.int64)) <= 0).any()
    ):
        raise ValueError(
            f"starts: must be whole numbers that rise from 0 to the number of turns, {n}, "
            f"one dialogue from each to the next; got {edges.tolist()!r:.80}"
        )
    return Labels(
        np.ascontiguousarray(codes, np.int8),
        _flags("rel", rel, n),
        _flags("man", man, n),
        _flags("qual", qual, n),
        _flags("const", const, n),
        np.ascontiguousarray(edges, np.int64),
        np.ascontiguousarray(won, np.int8),
    )


def _flags(name: str, given: ArrayLike, n: int) -> Flags:
    return np.ascontiguousarray(_array(name, given, n, "b", "bool"), np.bool_)


def _array(name: str, given: ArrayLike, n: int, kinds: str, expected: str) -> NDArray[Any]:
    array = np.asarray(given)
    if array.shape != (n,):
        raise ValueError(f"{name} has the shape {array.shape}: must be [{n}], as commitment")
    if n and array.dtype.kind not in kinds:
        raise ValueError(f"{name} has the dtype {array.dtype}: must be {expected}")
    return array
