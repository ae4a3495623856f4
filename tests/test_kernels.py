"""Kernels compile with a cache, and without one where none can be kept."""

import pytest
from numba.core import caching

from unspoken import kernels
from unspoken.kernels import kernel


def add(a, b):
    return a + b


@pytest.fixture
def nowhere(monkeypatch):
    """Nothing that numba can keep compiled code in."""
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    kernels._warn_of_no_cache.cache_clear()


def test_a_kernel_with_options_and_without():
    assert kernel(add)(1, 2) == kernel(error_model="numpy")(add)(1, 2) == 3


def test_without_a_place_to_keep_it_a_kernel_compiles_all_the_same(nowhere, recwarn):
    with pytest.warns(RuntimeWarning, match="set NUMBA_CACHE_DIR to a folder that can be written"):
        first = kernel(add)
    assert first(1, 2) == 3
    assert kernel(fastmath=True)(add)(1, 2) == 3
    assert len(recwarn) == 0  # it warns once


def test_other_errors_are_not_swallowed(monkeypatch):
    def refuse(**options):
        raise RuntimeError("something else")

    monkeypatch.setattr(kernels, "njit", refuse)
    with pytest.raises(RuntimeError, match="something else"):
        kernel(add)
