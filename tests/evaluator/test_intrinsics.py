import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from unspoken.evaluator import intrinsics

NORMAL = 2.0**-1022


@njit
def each(numbers, out, what):
    for i in range(len(numbers)):
        out[i] = intrinsics.log2(numbers[i]) if what == 0 else intrinsics.exp(numbers[i])


def of(what, numbers):
    numbers = np.asarray(numbers, np.float64)
    out = np.empty_like(numbers)
    each(numbers, out, what)
    return out


@njit
def bits(number):
    return intrinsics.bits_of(number)


@njit
def back(number):
    return intrinsics.float_of(intrinsics.bits_of(number))


@njit
def popcount(number):
    return intrinsics.popcount(number)


@given(st.lists(st.floats(NORMAL, 1e300), min_size=1, max_size=9))
@settings(max_examples=300, deadline=None)
def test_logarithms_are_pythons(numbers):
    expected = [math.log2(x) for x in numbers]
    bound = [2.0**-51 * max(1.0, abs(y)) for y in expected]
    assert (np.abs(of(0, numbers) - expected) <= bound).all()


@given(st.floats(-1e-3, 1e-3))
@settings(max_examples=200, deadline=None)
def test_logarithms_near_one_keep_their_digits(step):
    assert of(0, [1 + step])[0] == pytest.approx(math.log2(1 + step), rel=1e-15, abs=0)


def test_p_log_p_of_nothing_is_nothing():
    for p in (0.0, 5e-324, 1e-310):
        assert abs(p * of(0, [p])[0]) < 1e-300
    assert of(0, [1.0, 2.0, 0.5, 2.0**-40]).tolist() == [0, 1, -1, -40]


@given(st.lists(st.floats(-708, 709), min_size=1, max_size=9))
@settings(max_examples=300, deadline=None)
def test_exponentials_are_pythons(numbers):
    expected = np.array([math.exp(x) for x in numbers])
    assert of(1, numbers) == pytest.approx(expected, rel=2.0**-50, abs=0)


def test_exponentials_of_very_little_are_next_to_nothing():
    assert (of(1, [-709.0, -1e5, -np.inf]) <= 2.0**-1021).all()
    assert of(1, [0.0]).tolist() == [1]


@given(st.floats(allow_nan=False))
def test_bits_are_those_of_the_number(number):
    assert int(bits(number)) == struct.unpack("<Q", struct.pack("<d", number))[0]
    assert back(number) == number


@given(st.integers(0, 2**64 - 1))
def test_set_bits_are_counted(number):
    assert popcount(np.uint64(number)) == number.bit_count()
