from __future__ import annotations

import pytest

from unspoken.training.curves import curve_table, half_interval

TASK = {"game": "aidg_search", "role": "seeker", "opponents": ["table"]}


def run(scores, **task):
    curve = [
        {"steps": 10 * (i + 1), "seconds": 60.0, "wins": 0.5, "reward": score, "score": score}
        for i, score in enumerate(scores)
    ]
    return {"task": {**TASK, **task}, "curve": curve}


def test_means_and_students_interval_over_runs():
    table = curve_table([run([0.0, 1.0]), run([1.0, 2.0]), run([2.0])])
    assert [row["steps"] for row in table.rows] == [10]  # as far as all have come
    row = table.rows[0]
    assert row["score"] == 1
    assert row["minutes"] == 1
    assert row["spread"] == pytest.approx(4.3027 / 3**0.5, abs=1e-3)  # t(2) = 4.303, sd 1


def test_one_run_has_no_interval():
    assert half_interval([1.0]) is None
    assert half_interval([1.0] * 40) == 0


@pytest.mark.parametrize("runs", [[], [run([0.0]), run([0.0], role="holder")]])
def test_curves_are_of_one_task(runs):
    with pytest.raises(ValueError, match="the same task"):
        curve_table(runs)
