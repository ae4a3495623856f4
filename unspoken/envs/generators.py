"""NumPy's default generator for many lanes at once, inside numba.

`integers`, `random` and `permutation` draw what `numpy.random.Generator` draws over
`PCG64(SeedSequence(seed))`, bit for bit, so that games played in a batch are the games that an env
of the same seed plays. Sources: O'Neill, PCG (HMC-CS-2014-0905), the XSL-RR output of a 128-bit
state; Lemire, Fast random integer generation in an interval (ACM TOMACS 29, 2019). NumPy keeps the
unused half of a 64-bit output.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from unspoken.kernels import kernel

Lanes = NDArray[np.uint64]

COLUMNS = 6
"""State high and low, increment high and low, whether half an output is kept, and that half."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""What a batch's own counters are counted by before they are mixed."""

_MULTIPLIER_HIGH = np.uint64(0x2360ED051FC65DA4)
_MULTIPLIER_LOW = np.uint64(0x4385DF649FCCF645)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)


def seed_lane(lane: Lanes, seed: int | None) -> None:
    """Write the state of `gymnasium.utils.seeding.np_random(seed)` into a lane.

    Args:
        lane: uint64 [COLUMNS], overwritten.
        seed: 0 or more; None draws one from the operating system.

    Raises:
        gymnasium.error.Error: if the seed is no whole number of 0 or more.
    """
    state = seeding.np_random(seed)[0].bit_generator.state
    for column, number in ((0, state["state"]["state"]), (2, state["state"]["inc"])):
        lane[column], lane[column + 1] = number >> 64, number & (2**64 - 1)
    lane[4], lane[5] = state["has_uint32"], state["uinteger"]


def lanes(seeds: Sequence[int | None]) -> Lanes:
    """A generator for each seed, uint64 [len(seeds), COLUMNS]; see `seed_lane`."""
    made = np.empty((len(seeds), COLUMNS), np.uint64)
    for lane, seed in zip(made, seeds, strict=True):
        seed_lane(lane, seed)
    return made


@kernel
def random(lane: Lanes) -> float:
    """What `Generator.random()` gives: a multiple of 2**-53 from 0 to below 1."""
    return float(_next64(lane) >> np.uint64(11)) * 2.0**-53


@kernel
def integers(lane: Lanes, n: int) -> int:
    """What `Generator.integers(n)` gives: a whole number from 0 to n - 1.

    Args:
        lane: uint64 [COLUMNS], moved on.
        n: 1 to 2**32; not checked. Nothing is drawn for 1.
    """
    if n == 1:
        return 0
    bound = np.uint64(n)
    product = _next32(lane) * bound  # for 2**32 this is the draw itself, shifted
    if product & _LOW_HALF < bound:
        rejected = (_ONE << _HALF) % bound
        while product & _LOW_HALF < rejected:
            product = _next32(lane) * bound
    return np.int64(product >> _HALF)  # type: ignore[return-value]


@kernel
def permutation(lane: Lanes, places: NDArray[np.int64]) -> None:
    """Write what `Generator.permutation(len(places))` gives into `places`, int64 [n]."""
    for i in range(len(places)):
        places[i] = i
    for i in range(len(places) - 1, 0, -1):
        mask = np.uint64(1)
        while mask < np.uint64(i):
            mask = mask << _ONE | _ONE
        j = np.int64(_next32(lane) & mask)
        while j > i:  # NumPy rejects here, where `integers` multiplies
            j = np.int64(_next32(lane) & mask)
        places[i], places[j] = places[j], places[i]


@kernel
def _next32(lane: Lanes) -> np.uint64:
    if lane[4] != _ZERO:
        lane[4] = _ZERO
        return np.uint64(lane[5])
    drawn = _next64(lane)
    lane[4] = _ONE
    lane[5] = drawn >> _HALF
    return np.uint64(drawn & _LOW_HALF)


@kernel
def _next64(lane: Lanes) -> np.uint64:
    high, low = lane[0], lane[1]
    product = low * _MULTIPLIER_LOW
    carried = _high_product(low, _MULTIPLIER_LOW)
    carried += high * _MULTIPLIER_LOW + low * _MULTIPLIER_HIGH
    low = product + lane[3]
    high = carried + lane[2] + (_ONE if low < product else _ZERO)
    lane[0], lane[1] = high, low
    turned = high >> np.uint64(58)
    mixed = high ^ low
    return np.uint64((mixed >> turned) | (mixed << ((np.uint64(64) - turned) & np.uint64(63))))


@kernel
def _high_product(a: np.uint64, b: np.uint64) -> np.uint64:
    """The upper 64 bits of a product of two uint64."""
    a1, a0 = a >> _HALF, a & _LOW_HALF
    b1, b0 = b >> _HALF, b & _LOW_HALF
    middle = a1 * b0 + (a0 * b0 >> _HALF)
    other = a0 * b1 + (middle & _LOW_HALF)
    return a1 * b1 + (middle >> _HALF) + (other >> _HALF)


@kernel(error_model="numpy", forceinline=True)
def mixed(x: np.uint64) -> np.uint64:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): counters to random bits."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
