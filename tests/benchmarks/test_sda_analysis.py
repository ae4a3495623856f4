"""Analyses of annotated examinations, against calculation by hand, scipy and known truths."""

import subprocess
import sys
from math import exp, log, sqrt
from statistics import fmean

import numpy as np
import pytest
from scipy import optimize
from scipy import stats as scipy_stats

from unspoken.benchmarks import sda
from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.sda import annotate, measures
from unspoken.evaluator.sda_reference import COMMITMENTS
from unspoken.judges.sda.transcripts import Dialogue, Turn

FEW = 30  # resamples


def turn(commitment="neutral", flags="", outcome=None, reasons=(), number=0) -> Turn:
    """`flags` names what is violated: r, m, q, c."""
    violated = [flag in flags for flag in "rmqc"]
    return Turn(f"question {number}", "answer", commitment, *violated, outcome, tuple(reasons))


def dialogue(annotator, *labels, name="trial") -> Dialogue:
    """Labels of each turn, as `turn` takes them."""
    turns = (turn(*label, number=i) for i, label in enumerate(labels))
    return Dialogue(name, tuple(turns), annotator)


def simulated(coefficients, turns, seed, reason="logic") -> Dialogue:
    """Random labels, and outcomes with known log odds of BaT and PaT."""
    rng = np.random.default_rng(seed)
    bare = [
        turn(str(rng.choice(COMMITMENTS)), [f for f in "rmq" if rng.random() < 0.3], number=i)
        for i in range(turns)
    ]
    (scored,) = annotate([Dialogue("simulated", tuple(bare))])
    b0, b1, b2 = coefficients
    chance = 1 / (1 + np.exp(-(b0 + b1 * scored.bat + b2 * scored.pat)))
    won = rng.random(turns) < chance
    judged = [
        Turn(t.question, t.answer, t.commitment, t.rel, t.man, t.qual, t.const, outcome, (reason,))
        for t, outcome in zip(bare, np.where(won, "witness", "questioner").tolist(), strict=True)
    ]
    return Dialogue(f"simulated {reason} {seed}", tuple(judged), "A")


# Statistics -------------------------------------------------------------------------------------


# Fleiss' kappa, a known example: how many of 14 raters put each of 10 subjects in 5 categories
RATERS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def test_kappas_of_a_known_example() -> None:
    units = [[c for c, n in enumerate(row) for _ in range(n)] for row in RATERS]
    codings = list(zip(*units, strict=True))
    assert st.fleiss_kappa(codings, range(5)) == pytest.approx(0.210, abs=5e-4)
    agreed = fmean((sum(n * n for n in row) - 14) / (14 * 13) for row in RATERS)
    assert agreed == pytest.approx(0.378, abs=5e-4)
    assert st.randolph_kappa(codings, range(5)) == pytest.approx((agreed - 1 / 5) / (1 - 1 / 5))


def test_kappas_of_perfect_agreement_and_of_one_category() -> None:
    assert st.fleiss_kappa(["aab", "aab"], "ab") == pytest.approx(1)
    assert st.fleiss_kappa(["aaa", "aaa"], "ab") is None
    # free-marginal: chance is one half although b was never used
    assert st.randolph_kappa(["aaa", "aaa"], "ab") == pytest.approx(1)
    assert st.randolph_kappa(["aa", "ab"], "ab") == pytest.approx((1 / 2 - 1 / 2) / (1 / 2))


def test_true_positives_by_hand() -> None:
    assert st.true_positive_rate([True, True, False, True], [True, False, True, True]) == 2 / 3
    assert st.true_positive_rate([False, False], [True, False]) is None


def test_auc_by_hand_and_its_error_by_delong() -> None:
    # 2 and 4 against 1 and 3: 3 of 4 pairs are right; both structural components are 1/2 and 1
    area = st.auc([1, 2, 3, 4], [False, True, False, True])
    assert area.value == 0.75
    error = sqrt(0.125 / 2 + 0.125 / 2)
    assert area.error == pytest.approx(error)
    assert (area.low, area.high) == pytest.approx((0.75 - 1.959964 * error, 1))


def test_auc_is_that_of_mann_and_whitney_and_covers() -> None:
    rng = np.random.default_rng(0)
    truth = scipy_stats.norm.cdf(1 / sqrt(2))  # AUC of two normals one deviation apart
    covered = 0
    for _ in range(100):
        values = np.concatenate([rng.normal(1, 1, 60), rng.normal(0, 1, 40)]).tolist()
        area = st.auc(values, [True] * 60 + [False] * 40)
        test = scipy_stats.mannwhitneyu(values[:60], values[60:])
        assert area.value == pytest.approx(test.statistic / 2400)
        assert area.p == pytest.approx(test.pvalue)
        covered += area.low <= truth <= area.high
    assert 88 <= covered <= 100


def test_cliffs_delta_by_hand() -> None:
    # of 2 x 3 pairs, 4 are higher, 1 lower, 1 a tie
    assert st.cliffs_delta([2, 3], [1, 1, 3]).value == pytest.approx((4 - 1) / 6)
    assert st.cliffs_delta([1, 1], [1, 1]) == (0, 1)


def test_t_by_its_table() -> None:
    assert st.t_p(2.776, 4) == pytest.approx(0.05, abs=5e-5)
    assert st.t_p(-2.776, 4) == st.t_p(2.776, 4)


def test_logistic_regression_of_two_rates_by_hand() -> None:
    # 30 of 40 with the predictor, 10 of 50 without
    x = [[1.0]] * 40 + [[0.0]] * 50
    y = [True] * 30 + [False] * 10 + [True] * 10 + [False] * 40
    model = st.logistic(x, y)
    slope, error = log(30 / 10) - log(10 / 40), sqrt(1 / 30 + 1 / 10 + 1 / 10 + 1 / 40)
    assert model.coefficients == pytest.approx([log(10 / 40), slope])
    assert model.errors[1] == pytest.approx(error)
    ends = (model.low[1], model.high[1])
    assert ends == pytest.approx((slope - 1.959964 * error, slope + 1.959964 * error))
    assert model.p[1] == pytest.approx(st.normal_p(slope / error))
    assert model.tjur == pytest.approx(0.75 * 30 / 40 + 0.2 * 10 / 40 - 0.75 * 0.2 - 0.2 * 0.8)
    assert model.accuracy == pytest.approx(70 / 90)
    fit = sum(n * log(p) for n, p in ((30, 0.75), (10, 0.25), (10, 0.2), (40, 0.8)))
    null = 40 * log(40 / 90) + 50 * log(50 / 90)
    assert (model.aic, model.null_aic) == pytest.approx((4 - 2 * fit, 2 - 2 * null))
    assert model.p_model == pytest.approx(scipy_stats.chi2.sf(2 * (fit - null), 1))
    assert model.predicted[0] == pytest.approx(0.75)


def test_logistic_regression_is_the_maximum_that_scipy_finds() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, 2))
    y = rng.random(200) < 1 / (1 + np.exp(-x @ [1, -2]))
    design, sign = np.column_stack([np.ones(200), x]), np.where(y, 1, -1)
    found = optimize.minimize(lambda b: np.logaddexp(0, -sign * (design @ b)).sum(), np.zeros(3))
    assert st.logistic(x, y.tolist()).coefficients == pytest.approx(found.x, abs=1e-3)
    assert st.logistic_coefficients(x, y.tolist()) == pytest.approx(found.x, abs=1e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: st.logistic([[0.0], [1], [2], [3]], [False, False, True, True]), "separate"),
        (lambda: st.logistic([[0.0], [1], [1], [3]], [False, False, True, True]), "separate"),
        (lambda: st.logistic([[1.0]] * 4, [False, False, True, True]), "does not vary"),
        (lambda: st.logistic([[1.0], [2]], [True, True]), "2 of 2 outcomes are true"),
        (lambda: st.auc([1.0, 2], [False]), "for 2 values"),
        (lambda: st.cliffs_delta([], [1]), "0 and 1 values"),
        (lambda: st.fleiss_kappa(["ab"], "ab"), "1 coders of 2 units"),
        (lambda: st.fleiss_kappa(["ab", "ac"], "ab"), "'c' is not one of a, b"),
    ],
)
def test_data_without_a_statistic_are_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_coefficients_that_are_not_finite_are_missing_in_a_bootstrap() -> None:
    separated = st.logistic_coefficients([[0.0], [1], [2], [3]], [False, False, True, True])
    assert np.isnan(separated).all()


# Recovery ---------------------------------------------------------------------------------------

TRUE = (-0.3, 1.5, -1.8)


def test_known_coefficients_are_recovered_within_their_intervals() -> None:
    table, _ = sda.outcomes(annotate([simulated(TRUE, 2000, seed=1)]), resamples=FEW)
    for row, true in zip(table.rows, TRUE, strict=True):
        assert row["beta_low"] < true < row["beta_high"]
        # Wald's and the bootstrap's intervals are of one width for so many turns
        widths = [row[f"{key}_high"] - row[f"{key}_low"] for key in ("beta", "bootstrap")]
        assert widths[1] == pytest.approx(widths[0], rel=0.5)
        assert row["beta_high"] - row["beta_low"] < 0.7
    assert table.rows[1]["odds"] == pytest.approx(exp(table.rows[1]["beta"]))


def test_intervals_cover_known_coefficients_as_often_as_they_say() -> None:
    covered = np.zeros(3)
    for seed in range(60):
        model = st.logistic(*sda.predictors(annotate([simulated(TRUE, 300, seed)])))
        covered += (model.low < TRUE) & (np.array(TRUE) < model.high)
    assert (covered >= 52).all()  # 95% of 60 is 57, with a deviation of 1.7


def test_turns_judged_by_feeling_alone_are_not_predicted() -> None:
    mixed = [simulated(TRUE, 800, 5), simulated((0.4, 0, 0), 400, 6, reason="emotion")]
    rows = {row["reason"]: row for row in sda.conditioned(annotate(mixed)).rows}
    assert rows["all turns"]["turns"] == 1200
    assert rows["emotion"]["turns"] == 400
    assert rows["emotion"]["auc"] < 0.57 < rows["all turns"]["auc"] < rows["logic"]["auc"]
    assert rows["emotion"]["p_difference"] < 1e-6
    assert rows["emotion"]["without"] == pytest.approx(rows["logic"]["auc"])
    assert rows["credibility"] == {"reason": "credibility", "turns": 0, "won": None}


def test_outcomes_that_are_separated_have_no_coefficients_and_say_so() -> None:
    labels = [
        ("beneficial", "", "witness"),
        ("neutral", "m", "witness"),
        ("detrimental", "", "questioner"),
        ("none", "", "questioner"),
        ("none", "", None),
    ]
    coefficients, fits = sda.outcomes(annotate([dialogue("A", *labels * 4)]))
    assert coefficients.title.startswith(
        "Outcome of 16 turns from BaT and PaT (SDA Table 3): the p"
    )
    assert coefficients.title.endswith("separate the outcomes: no estimate is finite")
    assert coefficients.rows == []
    assert fits.rows[0] == {"reason": "all turns", "turns": 16, "won": 0.5}


def test_outcome_tables_are_the_same_for_the_same_seed() -> None:
    people = annotate([simulated(TRUE, 150, 2)])
    first, again, other = (sda.outcomes(people, resamples=FEW, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first[0] != other[0]


# Agreement --------------------------------------------------------------------------------------

# BaT: A 1, 0.5, 0, 0.4; B 1, 0.5, 0, 0.5; C 0.5, 1, 0, 1. PaT: A 0, 0.2, 0.5, 1; B as below
A = dialogue(
    "A",
    ("beneficial", "", "witness", ("logic",)),
    ("neutral", "m", "witness", ("logic", "emotion")),
    ("none", "c", "questioner", ("logic",)),
    ("detrimental", "m", "questioner", ("credibility",)),
)
B = dialogue(
    "B",
    ("beneficial", "", "witness", ("logic",)),
    ("neutral", "", "questioner", ("emotion",)),
    ("none", "c", "questioner", ("logic",)),
    ("neutral", "c", "questioner", ("logic",)),
)
C = dialogue(
    "C",
    ("neutral", "", "witness", ("logic",)),
    ("beneficial", "", "witness", ("logic",)),
    ("none", "", "questioner", ("emotion",)),
    ("beneficial", "m", "witness", ()),
)


def test_agreement_of_three_people_by_hand() -> None:
    values = measures(annotate([A, B, C]))
    bats = [[1, 0.5, 0, 0.4], [1, 0.5, 0, 0.5], [0.5, 1, 0, 1]]
    pairs = ((0, 1), (0, 2), (1, 2))
    rhos = [scipy_stats.spearmanr(bats[i], bats[j]).statistic for i, j in pairs]
    assert values["bat"] == pytest.approx(fmean(rhos))
    # pairs that agree: turns 1 and 2 one of three, turn 3 all, turn 4 none; used 3, 4, 3 and 1..2
    agreed, used = fmean((1 / 3, 1 / 3, 1, 0)), (4, 4, 3, 1)
    chance = sum((n / 12) ** 2 for n in used)
    assert values["commitment"] == pytest.approx((agreed - chance) / (1 - chance))
    assert values["rel"] == pytest.approx(1)
    # manner: turn 2 A alone, turn 4 A and C
    assert values["man"] == pytest.approx((fmean((1, 1 / 3, 1, 1 / 3)) - 0.5) / 0.5)
    # A finds 1 of B's 2, B finds A's 1, C finds none of either; C has none to be found
    assert values["const"] == pytest.approx(fmean((1 / 2, 1, 0, 0)))
    verdicts = fmean((1, 1 / 3, 1, 1 / 3))
    assert values["outcome"] == pytest.approx((verdicts - 0.5) / 0.5)  # 6 of 12 each
    jaccards = (1, 1, 1, 1 / 2, 1 / 2, 0, 1, 0, 0, 0, 0, 0)
    assert values["reasons"] == pytest.approx(fmean(jaccards))
    assert values["same_reasons"] == 1 / 4


def test_agreement_without_outcomes_or_variety_has_no_value() -> None:
    bare = [dialogue(name, *[("neutral",)] * 4) for name in "AB"]
    values = measures(annotate(bare))
    assert {key for key, value in values.items() if value is None} == {
        "bat",
        "pat",
        "commitment",
        "const",
        "outcome",
        "reasons",
        "same_reasons",
    }
    assert values["qual"] == pytest.approx(1)


def test_agreement_joins_the_examinations_that_the_same_people_have() -> None:
    more = [Dialogue("other", one.turns, one.annotator) for one in (A, B)]
    three = [Dialogue("third", one.turns, one.annotator) for one in (A, B, C)]
    alone = Dialogue("alone", A.turns, "A")
    table = sda.agreement(annotate([A, B, *more, *three, alone]))
    values = {(row["annotators"], row["measure"]): row["value"] for row in table.rows}
    assert {(row["annotators"], row["turns"]) for row in table.rows} == {
        ("A, B", 8),
        ("A, B, C", 4),
    }
    two = measures(annotate([A, B]))
    assert values["A, B", "commitment"] == pytest.approx(two["commitment"])
    assert values["A, B", "NRBaT"] == pytest.approx(two["nrbat"])
    assert values["A, B, C", "BaT"] == pytest.approx(measures(annotate([A, B, C]))["bat"])


def test_models_beside_people_take_people_as_the_truth() -> None:
    model = Dialogue("trial", A.turns, "model")
    table = sda.against_people(annotate([model]), annotate([B, C]))
    (row,) = table.rows
    assert (row["set"], row["model"], row["turns"]) == ("trial", "model", 4)
    assert row["const"] == 1 / 2  # B marked two, of which the model has one; C marked none
    each = [measures(annotate([model, person])) for person in (B, C)]
    assert row["bat"] == pytest.approx(fmean(values["bat"] for values in each))
    assert row["man"] == pytest.approx(fmean(values["man"] for values in each))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sda.agreement(annotate([A])), "no examination has two annotators"),
        (
            lambda: measures(annotate([A, Dialogue("trial", B.turns[:3], "B")])),
            "'A' and 'B' labelled 4 and 3 turns of 'trial'",
        ),
        (
            lambda: measures(annotate([A, Dialogue("trial", B.turns[::-1], "B")])),
            "different words in turn 1 of 'trial'",
        ),
        (
            lambda: sda.agreement(
                annotate(
                    [
                        *(dialogue(who, ("neutral",), name="first") for who in "AB"),
                        A,
                        Dialogue("trial", (*B.turns[:-1], turn(number=9)), "B"),
                    ]
                )
            ),
            "'A' and 'B' have different words in turn 4 of 'trial'",
        ),
        (lambda: sda.analyse([], annotate([A, A])), "'trial' is there twice, by 'A'"),
        (lambda: sda.analyse([], [], annotate([A, A])), "'trial' is there twice, by 'A'"),
        (lambda: sda.agreement(annotate([A, A])), "'trial' is there twice, by 'A'"),
        (
            lambda: sda.against_people(annotate([A]), annotate([dialogue("B", name="other")][:0])),
            "no person labelled 'trial', which A has",
        ),
    ],
)
def test_annotations_that_do_not_match_are_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# Everything together ----------------------------------------------------------------------------


def test_analyse_gives_what_there_are_data_for() -> None:
    alone = annotate([simulated(TRUE, 60, 1)])
    assert [t.key for t in sda.analyse(alone, resamples=FEW)] == ["outcome", "reasons"]
    mild = dialogue("A", *[("beneficial",), ("neutral",)] * 5, name="direct")
    keys = [t.key for t in sda.analyse(alone, cooperative=annotate([mild]), resamples=FEW)]
    assert keys == ["outcome", "reasons", "labels", "scores"]
    bare = annotate([dialogue(name, *[("neutral",), ("none",)] * 3) for name in "AB"])
    models = annotate([dialogue("m", *[("neutral",), ("none",)] * 3)])
    assert [t.key for t in sda.analyse(bare, models)] == ["agreement", "against_people"]
    with pytest.raises(ValueError, match="nothing to analyse: that takes an examination with two"):
        sda.analyse(bare[:1])


def test_distributions_by_hand() -> None:
    direct = dialogue("A", *[("beneficial",)] * 6, *[("neutral",)] * 2, ("neutral", "m"))
    cross = dialogue("A", *[("beneficial",)] * 4, *[("detrimental", "mr")] * 4, ("none", "c"))
    labels, numbers = sda.distributions(annotate([direct]), annotate([cross]))
    rows = {row["label"]: row for row in labels.rows}
    assert rows["beneficial"]["cooperative"] == 6 / 9
    assert rows["beneficial"]["difference"] == pytest.approx(2 / 9)
    assert rows["detrimental"]["adversarial"] == 4 / 9
    assert rows["manner violated"]["adversarial"] == 4 / 9
    # no detrimental of 9 against 4 of 9; eight rows
    p = scipy_stats.fisher_exact([[0, 9], [4, 5]]).pvalue
    assert rows["detrimental"]["p"] == pytest.approx(min(1, 8 * p))
    low, high = st.newcombe((0, 9), (4, 9))
    ends = rows["detrimental"]["difference_low"], rows["detrimental"]["difference_high"]
    assert ends == pytest.approx((low, high))
    bat, pat, net = numbers.rows
    assert bat["cooperative"] == pytest.approx((6 + 3 * 0.5) / 9)
    assert bat["adversarial"] == pytest.approx((4 + 4 * 0.8) / 9)
    last = 0.5 + 0.2 * (4 + 4 * 0.8)  # none, and a fifth of the benefits so far
    assert pat["adversarial"] == pytest.approx((4 * 1 + last) / 9)
    assert net["score"] == "BaT - PaT"
    assert net["delta"] > 0
    assert net["adversarial"] == pytest.approx(bat["adversarial"] - pat["adversarial"])


# Pairs of models --------------------------------------------------------------------------------

SCORES = {
    "one": {"big": {"BaT": 0.3, "Rel": 0.9}, "small": {"BaT": 0.2, "Rel": 0.9}},
    "two": {"big": {"BaT": 0.6, "Rel": 0.9}, "small": {"BaT": 0.3, "Rel": 0.9}},
    "three": {"big": {"BaT": 0.2}, "small": {"BaT": 0.3}, "else": {"Qual": 1.0}},
    "four": {"big": {"BaT": 0.1}},
}


def test_comparisons_by_hand() -> None:
    table = sda.comparisons(SCORES, [("big", "small")], resamples=200)
    bat, rel = table.rows
    assert [bat[key] for key in ("n", "wins", "loses", "ties")] == [3, 2, 1, 0]
    assert bat["mean"] == pytest.approx(0.1)  # 0.1, 0.3 and -0.1
    assert bat["median"] == pytest.approx(0.1)
    assert bat["sd"] == pytest.approx(0.2)
    p = scipy_stats.ttest_rel([0.3, 0.6, 0.2], [0.2, 0.3, 0.3]).pvalue
    assert bat["p"] == pytest.approx(p)
    assert bat["p_corrected"] == pytest.approx(min(1, 2 * p))
    assert -0.11 < bat["mean_low"] < bat["mean"] < bat["mean_high"] < 0.31
    assert [rel[key] for key in ("n", "ties", "p")] == [2, 2, None]


def test_differences_that_are_equal_on_paper_tie() -> None:
    scored = {"one": {"a": {"x": 0.3}, "b": {"x": 0.1 + 0.2}}}
    (row,) = sda.comparisons(scored, [("a", "b")]).rows
    assert (row["ties"], row["sd"], row["p"]) == (1, None, None)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("big", "small"), ("big", "small")], "pair big,small: is given twice"),
        ([("big", "small"), ("small", "big")], "pair small,big: is given twice"),
        ([("big", "big")], "pair big,big: a model cannot be compared with itself"),
    ],
)
def test_pairs_that_count_nothing_or_twice_are_refused(pairs, message) -> None:
    with pytest.raises(ValueError, match=message):
        sda.comparisons(SCORES, pairs)


def test_scores_that_are_equal_on_paper_tie() -> None:
    assert sda.rankable(np.array([0.3, 0.1 + 0.2, 0.4])) == [0.3, 0.3, 0.4]
    near = [np.array([0.3, 0.1 + 0.2, 0.5]), np.array([0.1, 0.2, 0.3])]
    assert sda._rho(*near) == pytest.approx(scipy_stats.spearmanr([0, 0, 1], [0, 1, 2])[0])


def test_resamples_without_a_finite_fit_are_counted() -> None:
    labels = [("beneficial",), ("beneficial", "r"), ("none",), ("detrimental", "m")]
    won = ["witness", "questioner", "questioner", "witness"]
    turns = [(*(*label, "")[:2], who) for label, who in zip(labels, won, strict=True)] * 2
    table = sda.outcomes(annotate([dialogue("A", *turns)]), resamples=FEW)[0]
    found = int(table.title.split(" resamples of ")[0].split()[-1])
    assert 0 < found < FEW
    assert table.title.endswith(f" resamples of {FEW}: the others have no finite fit")


def test_models_without_scores_are_named() -> None:
    with pytest.raises(ValueError, match="no scores of 'huge'; there are those of big, else, sma"):
        sda.comparisons(SCORES, [("huge", "small")])
    with pytest.raises(ValueError, match="no set has a score of both models"):
        sda.comparisons(SCORES, [("big", "else")])


def test_pairs_are_two_names() -> None:
    assert sda.parse_pair("big, small") == ("big", "small")
    for text in ("big", "big,", ",small", "a,b,c"):
        with pytest.raises(ValueError, match=f"pair '{text}': write FIRST,SECOND"):
            sda.parse_pair(text)


def test_scores_are_read_from_a_file(tmp_path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("set,model,BaT,Rel\none,big,0.3,0.9\none,small,-0.2,\ntwo,big,.5,-\n")
    assert sda.read_scores(file) == {
        "one": {"big": {"BaT": 0.3, "Rel": 0.9}, "small": {"BaT": -0.2}},
        "two": {"big": {"BaT": 0.5}},
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,BaT\nbig,1\n", "no column 'set'; there are model, BaT"),
        ("set;model;BaT\none;big;1\n", "separated by semicolons, commas are expected"),
        ("set\tmodel\tBaT\none\tbig\t1\n", "separated by tabs, commas are expected"),
        ("set,model,BaT,BaT\none,big,1,2\n", "scores.csv: two columns are called 'BaT'"),
        ("set,model,BaT, BaT\none,big,1,2\n", "scores.csv: two columns are called 'BaT'"),
        ('set,model,BaT\none,"big"x,1\n', "scores.csv is not CSV: "),
        (b"set,model,B\xe4T\none,big,1\n", "scores.csv: byte 0xe4 is not UTF-8"),
        ("set,model,BaT\none,big,high\n", "line 2, BaT: 'high' is not a number"),
        ("set,model,BaT\none,big,nan\n", "line 2, BaT: 'nan' is not a number"),
        ("set,model,BaT\none,big,1,2\n", "line 2: not the 3 fields of the header"),
        ("set,model,BaT\none,big\n", "line 2: not the 3 fields of the header"),
        ("set,model,BaT\none,big,1\none,big,2\n", "line 3: a second row of 'big'"),
    ],
)
def test_a_file_of_scores_that_is_wrong_is_refused(tmp_path, text, message) -> None:
    file = tmp_path / "scores.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=message):
        sda.read_scores(file)


def test_scipy_and_statsmodels_are_imported_only_when_needed() -> None:
    code = (
        "import sys, unspoken.benchmarks.sda, unspoken.benchmarks.sda_reproduce\n"
        "sys.exit(bool({'scipy', 'statsmodels', 'pandas'} & sys.modules.keys()))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
