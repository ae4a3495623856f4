import numpy as np
import pytest

from unspoken.benchmarks.speed import kernels, limits

LIMITS = limits.Limits(4e10, 8e10, {"L1": 1e11, "L2": 5e10, "L3": 2e10, "memory": 1e10})


@pytest.mark.parametrize("kernel", kernels.kernels(), ids=lambda kernel: kernel.name)
def test_what_is_compared_is_the_same(kernel):
    if kernel.numpy is None:
        pytest.skip("has no form in NumPy that ends soon")
    for one, other in zip(columns(kernel.run()), columns(kernel.numpy()), strict=True):
        assert one == pytest.approx(other, abs=1e-6, nan_ok=True)


def columns(result):
    return result if isinstance(result, tuple) else (np.asarray(result),)


def test_shares_are_of_the_limits():
    table = kernels.kernel_table(0.001, LIMITS)
    assert [row["kernel"] for row in table.rows] == [k.name for k in kernels.kernels()]
    for row in table.rows:
        if "flops" in row:
            assert row["peak"] == pytest.approx(row["rate"] * row["flops"] / 4e10)
        if "bytes" in row:
            limit = LIMITS.reads[row["level"]]
            assert row["bandwidth"] == pytest.approx(row["rate"] * row["bytes"] / limit)
    assert "evaluations/s" in table.markdown()


def test_the_peaks_of_a_core_are_measured():
    rows = limits.limits_table(0.01).rows
    assert [row["unit"] for row in rows] == ["Gflop/s"] * 2 + ["GB/s"] * 4
    assert all(row["rate"] > 0 for row in rows)


def test_growth_is_beside_the_usual_size():
    rows = kernels.growth_table(0.001).rows
    usual = next(r for r in rows if (r["batch"], r["words"], r["questions"]) == (300, 100, 128))
    assert usual["ratio"] == 1
    assert len(rows) == 12


def test_the_fastest_chunk_counts():
    units = iter([0, 10**6, *[1] * 10**6])
    assert limits.fastest({"one": lambda: next(units)}, 0.0001)["one"] > 1e6
