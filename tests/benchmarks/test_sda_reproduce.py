"""The SDA paper checked against itself; against its annotations where they are at hand."""

import csv
import json
import os
import tomllib
from importlib.resources import files
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from unspoken.benchmarks import sda, sda_reproduce
from unspoken.benchmarks.sda_reproduce import CONTROL, FILES, SHARED, VARIABLE, Row
from unspoken.evaluator import sda_reference

CPD = Path(os.environ.get(VARIABLE) or Path(__file__).parents[3] / "shared" / "data" / "cpd")
published = pytest.mark.skipif(
    not CPD.is_dir(), reason=f"the annotations of the SDA paper are not at {CPD}"
)

P = tomllib.loads((files("unspoken.data") / "sda" / "published.toml").read_text(encoding="utf-8"))
REASONS = {
    "Logical facts": "their logical arguments are convincing.",
    "Crediblity establishment": "framing of the other side as creditless/bad.",
    "Emotions": "my personal emotions and bias towards this side/the other side. ",
}


@pytest.fixture(scope="module")
def made_up(tmp_path_factory) -> Path:
    """A folder of the published form, filled at random, its scores by `variant="published"`."""
    folder = tmp_path_factory.mktemp("cpd")
    rng = np.random.default_rng(0)
    for name in FILES:
        rows = []
        for annotator in ("A1", "A2", "A3") if name == SHARED else ("A1",):
            rows += _labels(rng, annotator, mild=name == CONTROL)
        with open(folder / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    return folder


def _labels(rng, annotator, *, mild) -> list[dict[str, object]]:
    n = 40
    codes = rng.integers(0, 2 if mild else 4, n)
    flags = rng.random((3, n)) < (0.02 if mild else 0.3)
    const = np.zeros(n, bool) if mild else rng.random(n) < 0.1
    outcome = np.where(rng.random(n) < np.where(codes < 2, 0.8, 0.2), 1, -1)
    scores = sda_reference.score(codes, *flags, const, [0, n], variant="published", outcome=outcome)
    published_codes = [2, 3, 4, 1]  # beneficial, neutral, none, detrimental
    rows = []
    for i in range(n):
        tag = list(REASONS)[rng.integers(3)]
        rows.append(
            {
                "annotator": annotator,
                "question": f"question {i}",
                "answer": "answer",
                "Committment_value": published_codes[codes[i]],
                "relevance_binary": int(flags[0, i]),
                "manner_binary": int(flags[1, i]),
                "quality_binary": int(flags[2, i]),
                "consistency_value": int(const[i]),
                "outcome_value": "Witness" if outcome[i] > 0 else "Questioner",
                "outcome_reason": f"I choose this side because of {REASONS[tag]}[{tag}]",
                "bat": scores.bat[i],
                "pat": scores.pat[i],
                "net_ZNRBaT": scores.nrbat[i],
                "NRA": scores.nra[i],
            }
        )
    return rows


@pytest.fixture(scope="module")
def table(made_up):
    """The reproduction of the annotations that were made up."""
    return sda_reproduce.reproduce(made_up, resamples=20)


@pytest.fixture(scope="module")
def rows():
    """The reproduction of the published annotations, by place and name."""
    return {
        (row["where"], row["what"]): row for row in sda_reproduce.reproduce(CPD, resamples=200).rows
    }


# Without the annotations ------------------------------------------------------------------------


def test_every_row_has_a_verdict_and_what_differs_by_the_paper_alone_says_why(table) -> None:
    verdicts = {"agrees", "differs", "published only", "equations only", "not recomputable"}
    assert {row["verdict"] for row in table.rows} <= verdicts
    own = ("Table 1", "Table 5", "Table 6", "Table 7", "Table 8", "Appendix C", "7.1", "8.1")
    from_paper = [row for row in table.rows if row["where"] in own]
    assert len(from_paper) > 150
    assert all(row["why"] for row in from_paper if row["verdict"] != "agrees")
    assert all(row["published_value"] == row["equations_value"] for row in from_paper)
    assert len({(row["where"], row["what"]) for row in table.rows}) == len(table.rows)
    assert json.loads(json.dumps(table.json())) == table.json()


def test_published_columns_are_taken_as_they_are(table) -> None:
    rows = {row["what"]: row for row in table.rows if row["where"] == "annotations"}
    turns = 40 * (len(FILES) + 2)
    for row in rows.values():
        assert row["published_value"] == turns
    # quality in a detrimental answer, and inconsistency, are what the variants disagree about
    assert 0.8 * turns < rows["turns with our BaT"]["equations_value"] < turns
    assert 0.8 * turns < rows["turns with our PaT"]["equations_value"] < turns
    assert rows["turns with our NRA"]["equations_value"] == turns


def test_worked_example_of_appendix_c(table) -> None:
    rows = {row["what"]: row for row in table.rows if row["where"] == "Appendix C"}
    values = {what: row["equations_value"] for what, row in rows.items()}
    assert values["mean of the sums of BaT"] == pytest.approx(1.55)
    assert values["mean of the sums of PaT"] == pytest.approx(0.975)
    assert values["deviation of the sums of BaT"] == pytest.approx(0.3775, abs=5e-5)
    assert values["deviation of the sums of PaT"] == pytest.approx(0.618, abs=5e-4)
    assert values["NRBaT, turn 2"] == pytest.approx(-0.438, abs=5e-4)
    assert sum(row["verdict"] == "agrees" for row in rows.values()) == 11


def test_relevance_and_manner_of_tables_7_and_8_follow_from_table_6(table) -> None:
    rows = {(row["where"], row["what"]): row for row in table.rows}
    for where, who in (("Table 7", "larger"), ("Table 8", "reasoning")):
        for metric in ("Rel", "Man"):
            for name in ("wins, loses, ties", "mean", "median", "SD"):
                assert rows[where, f"{who} models, {metric}: {name}"]["verdict"] == "agrees"
    for metric in ("BaT", "PaT", "Commit"):
        key = "Table 7", f"larger models, {metric}: wins, loses, ties"
        assert rows[key]["verdict"] == "agrees"
    assert rows["Table 8", "comparisons, by Table 4"]["equations"] == "36"


def test_the_note_on_signs_of_nrbat_holds() -> None:
    """Table 7's counts and median, if Enron's defense witness has real minus signs."""
    differences = []
    for block, lines in P["table_6"].items():
        real = block == "Defense Witness vs. Prosecutor (Enron)"
        scored = {P["table_6_names"].get(name, name): cells[2] for name, *cells in lines}
        values = {name: float(cell.replace("--", "-").strip("*")) for name, cell in scored.items()}
        values = {name: x if real else abs(x) for name, x in values.items()}
        differences += [round(values[a] - values[b], 9) for a, b in P["pairs"]["size"]]
    counts = [sum(np.sign(differences) == sign) for sign in (1, -1, 0)]
    assert counts == [10, 12, 2]
    assert median(differences) == pytest.approx(-0.02)


def test_published_tables_are_whole() -> None:
    """What the paper's tables add up to guards against slips in copying."""
    assert [len(rows) for rows in P["table_6"].values()] == [17, 16, 16, 16, 16, 16]
    assert all(len(row) == 9 for rows in P["table_6"].values() for row in rows)
    for name, n in (("table_7", 24), ("table_8", 30)):
        for counts, *numbers in P[name].values():
            assert sum(map(int, counts.split(", "))) == n
            mean, _, _, low, high = map(float, numbers)
            assert low <= mean <= high
    assert sum(row[0] + row[1] for row in P["table_1"].values()) == 3325
    assert len(P["table_5"]) == 12
    both = [sorted(map(tuple, P["pairs"][kind])) for kind in ("size", "reasoning")]
    assert [len(pairs) for pairs in both] == [4, 6]


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        ((0.654, 0.651), "agrees"),
        ((0.654, 0.7), "published only"),
        ((0.7, 0.654), "equations only"),
        ((0.7, 0.6), "differs"),
        ((None, None), "not recomputable"),
    ],
)
def test_a_verdict_takes_both_ways(ours, verdict) -> None:
    row = Row("Table 2", "BaT", "0.65", ours, "because").row()
    assert row["verdict"] == verdict
    assert row["why"] == (None if verdict == "agrees" else "because")
    assert (row["published_value"], row["equations_value"]) == ours


def test_without_annotations_the_error_says_where_they_come_from(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(ValueError, match=f"asherz720.*give their folder, or set {VARIABLE}"):
        sda_reproduce.reproduce()
    with pytest.raises(FileNotFoundError, match=r"lacks WMT_D_annotations\.csv, .*asherz720"):
        sda_reproduce.reproduce(tmp_path)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(FileNotFoundError, match="lacks"):
        sda_reproduce.reproduce()


def test_annotations_without_scores_are_refused(made_up, tmp_path) -> None:
    for path in made_up.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    text = (tmp_path / f"{CONTROL}.csv").read_text().replace("net_ZNRBaT", "other", 1)
    (tmp_path / f"{CONTROL}.csv").write_text(text)
    with pytest.raises(ValueError, match=r"control_human_annotated\.csv lacks the scores.*net_ZN"):
        sda_reproduce.reproduce(tmp_path)


# With the annotations ---------------------------------------------------------------------------

# What they must give: from the published columns, and by the equations.
MUST = [
    ("Table 2", "BaT, Spearman's rho", "0.65", "0.661"),
    ("Table 2", "PaT, Spearman's rho", "0.66", "0.66"),
    ("Table 2", "NRBaT, Spearman's rho", "0.83", "0.821"),
    ("Table 2", "commitment, Fleiss' κ", "0.59", "0.59"),
    ("Table 2", "relevance, Randolph's κ", "0.72", "0.72"),
    ("Table 2", "manner, Randolph's κ", "0.52", "0.52"),
    ("Table 2", "quality, Randolph's κ", "0.868", "0.868"),
    ("Table 2", "outcome, Fleiss' κ", "0.29", "0.29"),
    ("Table 3", "BaT, β", "1.440", "2.361"),
    ("Table 3", "PaT, β", "-1.781", "-0.232"),
    ("Table 3", "AIC", "330.22", "347.04"),
    ("Table 3", "AIC of the intercept alone", "419", "419"),
    ("Table 3", "Tjur's R²", "0.286", "0.236"),
    ("Table 3", "AUC", "0.80", "0.786"),
    ("Table 3", "AUC, low end (DeLong)", "0.75", "0.735"),
    ("Table 3", "AUC, high end (DeLong)", "0.85", "0.837"),
    ("annotations", "turns with our BaT", "875", "866"),
    ("annotations", "turns with our PaT", "874", "867"),
    ("annotations", "turns with our NRA", "875", "875"),
]


@published
@pytest.mark.parametrize(("where", "what", "column", "equations"), MUST)
def test_figures_that_must_come_out(rows, where, what, column, equations) -> None:
    row = rows[where, what]
    assert (row["published"], row["equations"]) == (column, equations)


@published
def test_what_differs_says_why(rows) -> None:
    assert all(row["why"] for row in rows.values() if row["verdict"] != "agrees")
    unknown = {row["where"] for row in rows.values() if row["verdict"] == "not recomputable"}
    assert unknown == {"Table 5", "Table 6", "7.3"}


@published
def test_notes_of_table_2_hold(rows) -> None:
    assert rows["Table 2", "consistency, true-positive rate"]["why"].endswith(
        "25% if only the earlier of each pair is the truth"
    )
    assert "0.46 is that of A1 and A2" in rows["Table 2", "reasons, Jaccard"]["why"]
    why = rows["5", "annotated turns"]["why"]
    assert "610 turns, for three people have 101 of them in common" in why


@published
def test_nrbat_is_the_published_column() -> None:
    """The column follows from the published BaT and PaT in every file."""
    corpus = sda_reproduce.load(CPD)
    for one, columns in zip(corpus.ways["published"], corpus.columns, strict=True):
        assert one.nrbat == pytest.approx(columns[:, 2], abs=1e-6)


@published
def test_direct_examination_is_milder(rows) -> None:
    claims = [row for (where, _), row in rows.items() if where == "6"]
    assert len(claims) == 18
    assert {row["verdict"] for row in claims} == {"agrees"}


@published
def test_analysis_of_the_shared_examination_is_that_of_the_reproduction(rows) -> None:
    people = sda_reproduce.load(CPD).of(SHARED)["equations"]
    tables = {table.key: table for table in sda.analyse(people, resamples=20)}
    assert list(tables) == ["agreement", "outcome", "reasons"]
    assert tables["outcome"].rows[1]["beta"] == rows["Table 3", "BaT, β"]["equations_value"]
    assert "303 turns" in tables["outcome"].title
