"""Scores of examinations; those of the paper's annotators are checked where the files are."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

import unspoken.data
from unspoken.evaluator.sda import COMMITMENTS, VIOLATIONS, Weights
from unspoken.judges.sda.scorer import labels, score_dialogues, scores
from unspoken.judges.sda.transcripts import OUTCOMES, REASONS, Dialogue, Turn, read

PUBLISHED = Path(__file__).parents[4] / "shared" / "data" / "cpd"
OURS = sorted((Path(unspoken.data.__path__[0]) / "sda").glob("*.csv"))


def turn(commitment, violated="", outcome=None):
    flags = {name: name in violated.split() for name in VIOLATIONS}
    return Turn("Why?", "Because.", commitment, **flags, outcome=outcome)


FIGURE_2 = (
    turn("beneficial", outcome="witness"),
    turn("detrimental", "man", outcome="questioner"),
    turn("neutral", "man"),
    turn("none", outcome="witness"),
)


def test_rows_of_the_papers_example():
    # Figure 2 and Appendix C, with the deviations of DESIGN 6; NRA by hand.
    rows = score_dialogues([Dialogue("ofshe", FIGURE_2, "A1")])
    assert rows[1] == {
        "dialogue": "ofshe",
        "annotator": "A1",
        "turn": 2,
        "commitment": "detrimental",
        "rel": False,
        "man": True,
        "qual": False,
        "const": False,
        "outcome": "questioner",
        "bat": pytest.approx(0.4),
        "pat": pytest.approx(1),
        "sum_bat": pytest.approx(1.4),
        "sum_pat": pytest.approx(1),
        "nrbat": pytest.approx(-0.438, abs=5e-4),
        "net": pytest.approx(-0.6),
        "nra": pytest.approx(0),
    }
    assert [row["nra"] for row in rows] == pytest.approx([1, 0, 0, 1 / 3])


def test_a_dialogue_that_is_given_twice_is_refused():
    one = Dialogue("van", (turn("neutral"),), "A")
    message = "dialogue 'van' is there twice, by 'A': give it once"
    with pytest.raises(ValueError, match=message):
        score_dialogues([one, Dialogue("ship", one.turns, "A"), one])
    assert len(score_dialogues([one, Dialogue("van", one.turns, "B")])) == 2


def test_each_dialogue_is_scored_by_itself():
    first, second = Dialogue("a", FIGURE_2), Dialogue("b", (turn("none", "const"), *FIGURE_2))
    again = Dialogue("a", FIGURE_2, "B")
    rows = score_dialogues([first, second, again])
    assert rows[:4] == score_dialogues([first])
    assert rows[9:] == score_dialogues([again])
    assert [row["turn"] for row in rows[4:9]] == [1, 2, 3, 4, 5]
    assert rows[4]["nra"] is None
    assert rows[4]["pat"] == 0.5  # contradicts, and has no benefits to lose
    assert score_dialogues([]) == []


def test_weights_and_variant_are_passed_on():
    exam = [Dialogue("a", (turn("beneficial"), turn("detrimental", "qual const")))]
    assert score_dialogues(exam)[1]["bat"] == pytest.approx(0.2)
    assert score_dialogues(exam)[1]["pat"] == pytest.approx(1 + 0.2 * 1.2)
    assert score_dialogues(exam, variant="published")[1]["bat"] == 0
    assert score_dialogues(exam, variant="published")[1]["pat"] == 1
    weights = Weights(detrimental=-2, qual=0.5, const=1)
    assert score_dialogues(exam, weights)[1]["bat"] == 1
    assert score_dialogues(exam, weights)[1]["pat"] == 4
    with pytest.raises(ValueError, match="variant 'paper'"):
        score_dialogues(exam, variant="paper")
    with pytest.raises(ValueError, match="starts"):
        score_dialogues([*exam, Dialogue("empty", ())])


def test_labels_are_those_of_the_kernel():
    given = labels([Dialogue("a", FIGURE_2[:1]), Dialogue("b", FIGURE_2[1:])])
    assert given.commitment.tolist() == [0, 3, 1, 2]
    assert given.man.tolist() == [False, True, True, False]
    assert given.outcome.tolist() == [1, -1, 0, 1]
    assert given.starts.tolist() == [0, 1, 4]


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_our_examinations(path):
    (exam,) = read(path)
    assert exam.id == path.stem
    assert exam.annotator == "unspoken"
    assert 20 <= len(exam.turns) <= 30
    assert all(turn.outcome and turn.reasons for turn in exam.turns)
    assert all(math.isfinite(value) for row in scores([exam]) for value in row)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(row["note"] for row in rows)
    contradicted = {int(row["turn"]): row["contradicts"] for row in rows}
    assert [t for t, other in contradicted.items() if other] == [
        t for t, turn in enumerate(exam.turns, 1) if turn.const
    ]
    assert all(1 <= int(other) < t for t, other in contradicted.items() if other)
    assert any(contradicted.values())


def test_our_examinations_show_every_label():
    assert len(OURS) >= 3
    turns = [turn for path in OURS for turn in read(path)[0].turns]
    assert {(turn.commitment, turn.outcome) for turn in turns} == {
        (commitment, outcome) for commitment in COMMITMENTS for outcome in OUTCOMES
    }
    assert {reason for turn in turns for reason in turn.reasons} == set(REASONS)
    for name in VIOLATIONS:
        assert any(getattr(turn, name) for turn in turns)


# Rows, and rows whose published bat, pat and net_ZNRBaT the equations and the published variant
# give (DESIGN 6): a file is given whole by the one or by the other.
COUNTS = {
    "WMT_D_annotations": (303, (299, 295, 0), (303, 303, 303)),
    "WMT_P_annotations": (124, (124, 124, 124), (124, 124, 124)),
    "control_human_annotated": (63, (63, 63, 63), (63, 63, 63)),
    "enron_defense_1": (11, (11, 11, 11), (11, 10, 0)),
    "enron_defense_2": (36, (36, 36, 36), (36, 36, 36)),
    "enron_prosecution_1": (11, (11, 11, 11), (11, 11, 11)),
    "enron_prosecution_2": (6, (6, 6, 6), (6, 6, 6)),
    "enron_prosecution_3": (10, (10, 10, 10), (10, 10, 10)),
    "simpson_defense_5": (61, (60, 61, 0), (61, 61, 61)),
    "simpson_defense_6": (39, (37, 39, 0), (39, 39, 39)),
    "simpson_defense_7": (25, (25, 25, 25), (25, 25, 25)),
    "simpson_defense_8": (18, (18, 18, 18), (18, 18, 18)),
    "simpson_prosecution_12": (99, (98, 99, 0), (99, 99, 99)),
    "simpson_prosecution_8": (24, (23, 24, 0), (24, 24, 24)),
    "simpson_prosecution_9": (45, (45, 45, 45), (45, 45, 45)),
}


@pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason=f"the paper's annotations are not at {PUBLISHED}"
)
@pytest.mark.parametrize("name", COUNTS)
def test_the_published_columns(name):
    path = PUBLISHED / f"{name}.csv"
    dialogues = read(path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # read puts the annotators, whose rows are mixed, one after the other
    rows.sort(key=lambda row: row["annotator"])
    assert [dialogue.annotator for dialogue in dialogues] == sorted({r["annotator"] for r in rows})

    def agreeing(ours, column):
        published = np.array([float(row[column]) for row in rows])
        return int((np.abs(ours - published) < 1e-9).sum())

    count, *expected = COUNTS[name]
    assert len(rows) == count
    for variant, counts in zip(("equations", "published"), expected, strict=True):
        given = scores(dialogues, variant=variant)
        assert agreeing(given.bat, "bat") == counts[0]
        assert agreeing(given.pat, "pat") == counts[1]
        assert agreeing(given.nrbat, "net_ZNRBaT") == counts[2]
        assert agreeing(given.nra, "NRA") == count
    assert (count,) * 3 in expected
