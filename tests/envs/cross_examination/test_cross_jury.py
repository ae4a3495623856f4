"""The jury's formulas against the paper's, by hand and over the published annotations."""

import csv
import math
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.envs.cross_examination.jury import (
    BAT,
    COMMITMENTS,
    INTERCEPT,
    PAT,
    Account,
    Label,
    bat,
    pat,
)
from unspoken.evaluator import sda_reference

PUBLISHED = Path(__file__).parents[4] / "shared" / "data" / "cpd"

# By hand from equations 6, 11 and 16 with the weights of appendix C: rel, man, qual -> BaT, PaT.
TABLE = {
    ("beneficial", 0, 0, 0): (1.0, 0.0),
    ("beneficial", 1, 0, 0): (1.0, 0.4),
    ("beneficial", 1, 1, 1): (1.0, 1.0),
    ("beneficial", 0, 0, 1): (1.0, 0.2),
    ("neutral", 0, 0, 0): (0.5, 0.0),
    ("neutral", 0, 1, 0): (0.5, 0.2),
    ("neutral", 1, 1, 1): (0.5, 0.5),
    ("none", 0, 0, 0): (0.0, 0.5),
    ("none", 1, 1, 1): (0.0, 0.5),
    ("detrimental", 0, 0, 0): (0.0, 1.0),
    ("detrimental", 0, 1, 0): (0.4, 1.0),
    ("detrimental", 1, 0, 1): (0.6, 1.0),
    ("detrimental", 1, 1, 1): (1.0, 1.0),
}


@pytest.mark.parametrize(("labels", "scores"), TABLE.items())
def test_scores_of_a_turn(labels, scores):
    commitment, *violated = labels
    rel, man, qual = map(bool, violated)
    benefit, penalty = scores
    assert bat(commitment, rel, man, qual) == pytest.approx(benefit)
    assert pat(commitment, rel, man, qual, False, 3.0) == pytest.approx(penalty)
    assert pat(commitment, rel, man, qual, True, 3.0) == pytest.approx(penalty + 0.2 * 3.0)


def test_the_sums_of_figure_2():
    """Utterances 1 to 4 of section 4; the sums are those of appendix C."""
    labels = [
        Label("beneficial"),
        Label("detrimental", man=True),
        Label("neutral", man=True),
        Label("none"),
    ]
    account, sums = Account(), []
    for label in labels:
        account = account.after(label)
        sums.append((account.sum_bat, account.sum_pat))
    assert sums == [
        pytest.approx(pair) for pair in [(1.0, 0.0), (1.4, 1.0), (1.9, 1.2), (1.9, 1.7)]
    ]
    assert account.standing == pytest.approx((1.9 - 1.7) / 4)


def test_standing_and_chance_before_and_at_the_bounds():
    account = Account()
    assert account.standing == 0
    assert account.chance == pytest.approx(1 / (1 + math.exp(-0.25)))
    account = account.after(Label("beneficial"))
    assert account.standing == 1
    assert account.chance == pytest.approx(1 / (1 + math.exp(-(0.25 + 1.47))))
    for _ in range(9):
        account = account.after(Label("beneficial"))
    assert account.chance == pytest.approx(1 / (1 + math.exp(-(0.25 + 1.47))))
    for _ in range(20):
        account = account.after(Label("detrimental", const=True))
    # sums 10 and 20 * (1 + 0.2 * 10) over 30 turns: (10 - 60) / 30 is cut
    assert account.sum_pat == pytest.approx(60)
    assert account.standing == -1
    odds = 0.25 + 1.47 * 10 / 30 - 1.77 * 60 / 30
    assert account.chance == pytest.approx(1 / (1 + math.exp(-odds)))


violated = st.booleans()
labels = st.builds(Label, st.sampled_from(COMMITMENTS), violated, violated, violated, violated)


@given(st.lists(labels, min_size=1, max_size=20))
def test_the_scorer_of_transcripts_gives_the_same(given_labels):
    """`evaluator.sda_reference` is written apart from the game."""
    codes, *flags = zip(*given_labels, strict=True)
    places = [COMMITMENTS.index(commitment) for commitment in codes]
    starts = [0, len(places)]
    scores = sda_reference.score(places, *flags, starts)
    account = Account()
    for i, label in enumerate(given_labels):
        account = account.after(label)
        assert (account.bat, account.pat) == pytest.approx((scores.bat[i], scores.pat[i]))
        sums = scores.sum_bat[i], scores.sum_pat[i]
        assert (account.sum_bat, account.sum_pat) == pytest.approx(sums)


published = pytest.mark.skipif(
    not PUBLISHED.exists(), reason=f"the annotations are not at {PUBLISHED}"
)


@published
def test_the_intercept_of_the_outcome_model():
    """At the fit the model expects as many verdicts for the witness as there are."""
    with (PUBLISHED / "WMT_D_annotations.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    witness = sum(row["outcome_value"] == "Witness" for row in rows)
    odds = [INTERCEPT + BAT * float(row["bat"]) + PAT * float(row["pat"]) for row in rows]
    chances = [1 / (1 + math.exp(-o)) for o in odds]
    step = (witness - sum(chances)) / sum(p * (1 - p) for p in chances)  # Newton's
    assert len(rows) == 303
    assert abs(step) < 0.005  # so that it is 0.25 to two places


@published
def test_the_published_annotations():
    """BaT and PaT of every row but for the two slips that DESIGN 6 names."""
    names = dict(zip("2341", COMMITMENTS, strict=True))
    rows = 0
    for path in sorted(PUBLISHED.glob("*.csv")):
        sums: dict[str, float] = defaultdict(float)
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                commitment = names[row["Committment_value"][0]]
                keys = ("relevance_binary", "manner_binary", "quality_binary", "consistency_value")
                rel, man, qual, const = (row[key][0] == "1" for key in keys)
                benefit = bat(commitment, rel, man, qual)
                sums[row["annotator"]] += benefit
                penalty = pat(commitment, rel, man, qual, const, sums[row["annotator"]])
                if not (commitment == "detrimental" and qual):
                    assert float(row["bat"]) == pytest.approx(benefit), (path.name, row)
                if not const:
                    assert float(row["pat"]) == pytest.approx(penalty), (path.name, row)
                rows += 1
    assert rows == 875
