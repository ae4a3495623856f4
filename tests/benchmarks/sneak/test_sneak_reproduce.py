"""The paper's figures against each other; expected values were computed apart, with scipy."""

import pytest

from unspoken.benchmarks.sneak.reproduce import reproduce


@pytest.fixture(scope="module")
def rows():
    return {(row["where"], row["what"]): row for row in reproduce().rows}


def test_averages_follow(rows) -> None:
    found = [row for (_, what), row in rows.items() if "averages" in what]
    assert [row["paper"] for row in found] == ["36 of 36", "88 of 88", "52 of 52"]
    assert [row["verdict"] for row in found] == ["agrees"] * 3


def test_shares_are_of_117_items(rows) -> None:
    for what in (
        "ally, plurality right: 104 of 117",
        "chameleon, plurality right: 80 of 117",
        "ally, workers right: 452 of 585",
        "chameleon, workers right: 261 of 585",
    ):
        assert rows["Table 6", what]["verdict"] == "agrees"
    assert rows["Table 7", "chameleon, top-1 agreement: 78 of 117"]["verdict"] == "agrees"


def test_robustness_does_not_follow_from_table_10(rows) -> None:
    expected = {"utility": 7.7632, "leakage": 7.5286}
    for metric, value in expected.items():
        row = rows["4.1", f"{metric}, deviation over evaluators"]
        assert row["value"] == pytest.approx(value, abs=1e-4)
        assert row["verdict"] == "differs"
    least, most = (rows["4.1", f"SoftScore, rho, {end}"]["value"] for end in ("least", "most"))
    assert (least, most) == pytest.approx((0.8181, 0.9475), abs=5e-5)


def test_four_times_is_over_no_models_row(rows) -> None:
    row = rows["Abstract", "people over models, SoftScore, at most"]
    assert row["value"] == pytest.approx(59.22 / 9.54)
    assert "3.2× over GPT-OSS-120B" in row["why"]
