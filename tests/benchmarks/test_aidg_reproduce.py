"""The paper checked against itself."""

import json
import tomllib
from importlib.resources import files

import pytest

from unspoken.benchmarks import aidg_reproduce
from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.figures import Figure, agrees

TABLE = aidg_reproduce.reproduce()
ROWS = {(row["where"], row["what"]): row for row in TABLE.rows}

# What the statistics must give from the paper's own counts.
AGREES = [
    ("Table 3", "AIDG-I, Cohen's d, paired", "5.47"),
    ("Table 3", "AIDG-II, Cohen's d, paired", "2.67"),
    ("Table 3", "combined, Cohen's d, paired (mean of both)", "4.07"),
    ("Table 5", "odds ratio", "7.75"),
    ("Table 5", "odds ratio, low end (Woolf)", "2.92"),
    ("Table 5", "odds ratio, high end (Woolf)", "20.53"),
    ("5.2", "χ² of it, with Yates' correction", "0.156"),
    ("5.2", "p of it", "0.69"),
    ("5.4", "r of disqualification and win rate", "-0.95"),
    ("5.8", "rho of V_ELO, I and II", "-1.0"),
    ("5.8", "rho of C_ELO, I and II", "0.6"),
    ("Table 6", "disqualification, by Table 7 (62 of 150)", "41.3%"),
    ("5.1", "wins of seekers", "59"),
    ("5.1", "wins of holders", "380"),
    ("Table 4", "deviation of V_ELO, population", "1.9"),
]

DIFFERS = {
    ("Table 2", "AIDG-I, games, by eq. 4"): "300",
    ("Table 2", "AIDG-II, turns, by Tables 7 and 10"): "1,800–1,806",
    ("Table 3", "combined, Cohen's d of mean ratings"): "5.021",
    ("Table 4", "GPT-5, gap"): "216.14",
    ("Table 4", "DeepSeek-V3.1, gap"): "269.77",
    ("Table 4", "deviation of C_ELO"): "50.40",
    ("Appendix G", "centre of mean V"): "1628",
    ("Abstract", "confirmation “more effective”"): "6.268×",
    ("Table 5", "wins, mode A: at most, by Table 13 and eq. 4"): "31",
    ("Abstract", "disqualified, of failures"): "48.44%",
    ("5.5", "rho of size and disqualification"): "-0.21",
    ("5.5", "p of it, exact"): "0.83",
    ("5.8", "p of it, exact"): "0.0028",
    ("F.5", "gain of the seeker"): "15.955",
    ("F.5", "V_ELO after the game"): "1584",
}


@pytest.mark.parametrize(("where", "what", "printed"), AGREES)
def test_figures_that_must_come_out(where, what, printed) -> None:
    row = ROWS[where, what]
    assert (row["paper"], row["ours"], row["verdict"]) == (printed, printed, "agrees")


def test_fisher_is_below_the_printed_bound() -> None:
    row = ROWS["Table 5", "p of Fisher's exact test"]
    assert row["verdict"] == "agrees"
    assert row["value"] < 1e-5


def test_exactly_these_differ_and_each_says_why() -> None:
    differs = {key: row["ours"] for key, row in ROWS.items() if row["verdict"] == "differs"}
    assert differs == DIFFERS
    assert all(row["why"] for row in TABLE.rows if row["verdict"] != "agrees")


def test_what_cannot_be_recomputed_has_no_value() -> None:
    rows = [row for row in TABLE.rows if row["verdict"] == "not recomputable"]
    assert {row["where"] for row in rows} == {"5.6", "Table 7", "Table 10", "5.9"}
    assert all(row["value"] is None and row["ours"] is None for row in rows)


def test_rows_are_distinct_and_the_table_is_json() -> None:
    assert len(ROWS) == len(TABLE.rows) > 100
    assert json.loads(json.dumps(TABLE.json())) == TABLE.json()
    assert "| Table 5 | odds ratio | 7.75 | 7.75 | agrees | – |" in TABLE.markdown()


def test_worked_example_of_f5() -> None:
    assert ROWS["F.5", "C_ELO after the game"]["value"] == pytest.approx(1415.95, abs=0.005)
    assert ROWS["F.5", "V_ELO after the game"]["value"] == pytest.approx(1584.05, abs=0.005)
    assert "15.96" in ROWS["F.5", "gain of the seeker"]["why"]
    assert "1584.04" in ROWS["F.5", "V_ELO after the game"]["why"]


def test_the_z_of_5_9_takes_about_254_answers_in_lost_games() -> None:
    lost, turns = 254, 1663
    counts = (round(0.22 * (turns - lost)), turns - lost), (round(0.107 * lost), lost)
    assert st.two_proportion_z(*counts).value == pytest.approx(4.12, abs=0.05)  # counts are whole
    assert str(lost) in ROWS["5.9", "z of “maybe”, 22.0% against 10.7%"]["why"]


def test_published_tables_are_whole() -> None:
    """What the paper's tables add up to guards against slips in copying."""
    text = (files("unspoken.data") / "aidg" / "published.toml").read_text(encoding="utf-8")
    p = tomllib.loads(text)
    assert p["table_2"]["games"] == [289, 150]
    assert sum(p["table_5"]["games"]) == 289
    assert sum(row[0] for row in p["table_7"].values()) == 150 - 62
    assert sum(row[0] * 25 // 100 for row in p["table_10"].values()) == 62
    assert sum(row[1] * 25 // 100 for row in p["table_10"].values()) == 22
    for i in (0, 2):  # zero-sum from 1500, so C and V of six players add up to 18,000
        both = sum(row[i] + row[i + 1] for row in p["table_12"].values())
        assert both == pytest.approx(18_000, abs=0.06)


@pytest.mark.parametrize(
    ("printed", "ours", "expected"),
    [
        ("0.5", 0.549, True),
        ("0.5", 0.551, False),
        ("0.5", 0.55, True),  # a tie may be rounded either way
        ("12.8%", 0.12803, True),
        ("12.8%", 12.803, False),
        ("+4pp", 0.04, True),
        ("-1.9pp", -0.0186, True),
        ("1,663", 1663, True),
        ("<0.001", 0.0028, False),
        ("<0.001", 0.0002, True),
        (">2.6", 2.67, True),
        ("2.0×", 2.0, True),
    ],
)
def test_agreement_is_rounding_to_the_printed_digits(printed, ours, expected) -> None:
    assert agrees(printed, ours) is expected


def test_figures_are_shown_as_printed() -> None:
    shown = [
        Figure("", "", printed, ours).shown
        for printed, ours in [
            ("4,403", 4403),
            ("+32pp", 0.32),
            ("216.2", 216.14),
            ("1627.14", 1627.135),
            ("<0.001", 0.00278),
            ("1, 2", "1, 2"),
            ("6.57", None),
        ]
    ]
    assert shown == ["4,403", "+32pp", "216.14", "1627.135", "0.0028", "1, 2", None]


def test_what_is_no_figure_is_refused() -> None:
    with pytest.raises(ValueError, match="'about 3' is not a figure"):
        agrees("about 3", 3)
