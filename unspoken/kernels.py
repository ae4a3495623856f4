"""How kernels are compiled: by numba, cached where that is possible, without the GIL."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, overload

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


@overload
def kernel(function: F, /) -> F: ...
@overload
def kernel(**options: Any) -> Callable[[F], F]: ...
def kernel(function: F | None = None, /, **options: Any) -> F | Callable[[F], F]:
    """Compile a function when it is first called, and keep the result for other processes.

    numba keeps it beside the source, or else in the user's cache folder; `NUMBA_CACHE_DIR` goes
    before both. Where nothing can be written (a read-only install without a home), numba refuses;
    this warns once, and every process then compiles for itself.

    Args:
        function: the function, where the decorator has no options.
        options: of `numba.njit`, besides `cache` and `nogil`.
    """

    def compiled(function: F) -> F:
        try:
            made: F = njit(cache=True, nogil=True, **options)(function)
        except RuntimeError as error:
            if "no locator available" not in str(error):
                raise
            _warn_of_no_cache()
            made = njit(nogil=True, **options)(function)
        return made

    return compiled if function is None else compiled(function)


@cache
def _warn_of_no_cache() -> None:
    warnings.warn(
        "compiled kernels cannot be kept: neither the package's folder nor a cache folder of the "
        "user can be written to, so every process takes seconds to compile them; set "
        "NUMBA_CACHE_DIR to a folder that can be written to",
        RuntimeWarning,
        stacklevel=4,
    )
