"""What the kernels need of the machine and numba does not offer: bits of numbers, and logarithms.

All are for compiled functions only. They are single instructions or short runs of them, so that
loops which use them are vectorised; numba's own `np.log2` is a call for every number. Numba's cache
does not see changes here: touch the modules that use them after one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from unspoken.kernels import kernel

_SQRT_HALF = np.uint64(0x3FE6A09E667F3BCD)
_ONE = np.uint64(0x3FF0000000000000)
_MANTISSA = np.uint64(0x000FFFFFFFFFFFFF)
_WIDTH = np.uint64(52)
_INTEGERS = np.uint64(0x4330000000000000)  # 2^52, from where on neighbours are 1 apart
_BIAS = 2.0**52 + 1023
# 2 / ((2 k + 1) ln 2): log2 m = sum of C[k] s^(2 k + 1) where s = (m - 1) / (m + 1). What is left
# out is below 2^-55 of the sum for m from sqrt(1/2) to sqrt(2).
_C = tuple(2 / ((2 * k + 1) * float(np.log(2))) for k in range(10))
_C0, _C1, _C2, _C3, _C4, _C5, _C6, _C7, _C8, _C9 = _C
# e^x = 2^n e^r, where n is the whole number nearest to x / ln 2 and |r| up to ln 2 / 2.
_PER_LN2 = float(1 / np.log(2))
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # n times the first is exact
_NEAREST = 1.5 * 2.0**52
_OFFSET = np.uint64(1023)
_LEAST, _MOST = -708.0, 709.0
_E2, _E3, _E4, _E5, _E6, _E7 = (1 / float(math.factorial(k)) for k in range(2, 8))
_E8, _E9, _E10, _E11, _E12, _E13 = (1 / float(math.factorial(k)) for k in range(8, 14))


def _cast(to: Any, of: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(to))

    return to(of), codegen


def _bits_of(typing: Any, number: Any) -> Any:
    return _cast(types.uint64, types.float64)


def _float_of(typing: Any, bits: Any) -> Any:
    return _cast(types.float64, types.uint64)


def _popcount(typing: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


bits_of: Any = intrinsic(_bits_of)
"""The 64 bits of a float64, as uint64."""
float_of: Any = intrinsic(_float_of)
"""The float64 that 64 bits stand for."""
popcount: Any = intrinsic(_popcount)
"""How many bits of a uint64 are set, as int64."""


@kernel(error_model="numpy", fastmath={"contract"})
def log2(p: float) -> float:
    """Binary logarithm of a normal float64 above 0, to 2^-51 of its size or of 1.

    Of 0 and of subnormal numbers it is some number near -1023, so that p log2(p) is 0 to the last
    digit without a branch. Negative numbers, infinities and NaN give no sense.
    """
    shifted = bits_of(p) + (_ONE - _SQRT_HALF)
    exponent = float_of((shifted >> _WIDTH) | _INTEGERS) - _BIAS
    m = float_of((shifted & _MANTISSA) + _SQRT_HALF)
    s = (m - 1) / (m + 1)
    z = s * s
    y = _C4 + z * (_C5 + z * (_C6 + z * (_C7 + z * (_C8 + z * _C9))))
    y = _C0 + z * (_C1 + z * (_C2 + z * (_C3 + z * y)))
    return float(exponent + s * y)


@kernel(error_model="numpy", fastmath={"contract"})
def exp(x: float) -> float:
    """The exponential, to 2^-50 of its size; of less than -708 it is that of -708, 3e-308.

    The largest x is 709; NaN gives no sense.
    """
    x = min(max(x, _LEAST), _MOST)
    shifted = x * _PER_LN2 + _NEAREST
    n = shifted - _NEAREST
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    y = _E8 + r * (_E9 + r * (_E10 + r * (_E11 + r * (_E12 + r * _E13))))
    y = _E2 + r * (_E3 + r * (_E4 + r * (_E5 + r * (_E6 + r * (_E7 + r * y)))))
    y = 1 + (r + r * r * y)
    return float(y * float_of((bits_of(shifted) + _OFFSET) << _WIDTH))
