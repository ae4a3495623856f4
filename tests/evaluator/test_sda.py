import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unspoken.evaluator import sda
from unspoken.evaluator import sda_reference as reference
from unspoken.evaluator.sda import COMMITMENTS, Weights

BENEFICIAL, NEUTRAL, NONE, DETRIMENTAL = range(4)


def score(turns, module=sda, **given):
    """Scores of one dialogue; a turn is its commitment and the names of what it violates."""
    flags = [[name in violated.split() for _, violated in turns] for name in sda.VIOLATIONS]
    return module.score([code for code, _ in turns], *flags, [0, len(turns)], **given)


@pytest.fixture(params=[sda, reference], ids=["kernel", "reference"])
def module(request):
    return request.param


# The four utterances of the paper's section 4 and Figure 2: a beneficial one, a detrimental and a
# neutral one against manner, and no answer.
FIGURE_2 = [(BENEFICIAL, ""), (DETRIMENTAL, "man"), (NEUTRAL, "man"), (NONE, "")]


def test_figure_2_and_appendix_c(module):
    scores = score(FIGURE_2, module)
    assert scores.bat == pytest.approx([1, 0.4, 0.5, 0])
    assert scores.pat == pytest.approx([0, 1, 0.2, 0.5])
    assert scores.sum_bat == pytest.approx([1, 1.4, 1.9, 1.9])
    assert scores.sum_pat == pytest.approx([0, 1, 1.2, 1.7])
    assert scores.net == pytest.approx([1, -0.6, 0.3, -0.5])


def test_nrbat_with_the_deviations_that_are_right(module):
    # DESIGN 6; deviations by hand: the squares of (-.55, -.15, .35, .35) average 0.1425, those of
    # (-.975, .025, .225, .725) average 0.381875.
    nrbat = score(FIGURE_2, module).nrbat
    assert nrbat[1] == pytest.approx(-0.438, abs=5e-4)
    expected = [
        (b - 1.55) / math.sqrt(0.1425) - (p - 0.975) / math.sqrt(0.381875)
        for b, p in [(1, 0), (1.4, 1), (1.9, 1.2), (1.9, 1.7)]
    ]
    assert nrbat == pytest.approx(expected)


# By hand from equations 11 and 16: all that an answer can violate weighs 0.4 + 0.4 + 0.2.
BY_HAND = [
    (BENEFICIAL, "", 1, 0),
    (BENEFICIAL, "rel", 1, 0.4),
    (BENEFICIAL, "qual", 1, 0.2),
    (BENEFICIAL, "rel man qual", 1, 1),
    (NEUTRAL, "", 0.5, 0),
    (NEUTRAL, "man", 0.5, 0.2),
    (NEUTRAL, "rel man qual", 0.5, 0.5),
    (NONE, "", 0, 0.5),
    (NONE, "rel man qual", 0, 0.5),
    (DETRIMENTAL, "", 0, 1),
    (DETRIMENTAL, "rel", 0.4, 1),
    (DETRIMENTAL, "qual", 0.2, 1),
    (DETRIMENTAL, "rel man qual", 1, 1),
]


@pytest.mark.parametrize(("code", "violated", "bat", "pat"), BY_HAND)
def test_one_turn(module, code, violated, bat, pat):
    scores = score([(code, violated)], module)
    assert (scores.bat[0], scores.pat[0]) == (pytest.approx(bat), pytest.approx(pat))
    assert scores.net[0] == pytest.approx(bat - pat)
    assert scores.nrbat[0] == 0


@pytest.mark.parametrize(
    ("code", "violated", "pat"),
    [  # after benefits of 2, and with the turn's own: 0.2 times that on top
        (BENEFICIAL, "const", 0.2 * 3),
        (NEUTRAL, "man const", 0.2 + 0.2 * 2.5),
        (NONE, "const", 0.5 + 0.2 * 2),
        (DETRIMENTAL, "const", 1 + 0.2 * 2),
        (DETRIMENTAL, "rel qual const", 1 + 0.2 * 2.6),
    ],
)
def test_an_inconsistent_answer_costs_a_share_of_the_benefits_so_far(module, code, violated, pat):
    scores = score([(BENEFICIAL, ""), (BENEFICIAL, ""), (code, violated)], module)
    assert scores.pat == pytest.approx([0, 0, pat])
    assert scores.bat[2] == score([(code, violated)], module).bat[0]


def test_the_published_columns_leave_two_terms_out(module):
    turns = [(BENEFICIAL, ""), (DETRIMENTAL, "man qual"), (BENEFICIAL, "qual const")]
    printed, published = (score(turns, module, variant=v) for v in ("equations", "published"))
    assert printed.bat == pytest.approx([1, 0.6, 1])
    assert printed.pat == pytest.approx([0, 1, 0.2 + 0.2 * 2.6])
    assert published.bat == pytest.approx([1, 0.4, 1])
    assert published.pat == pytest.approx([0, 1, 0.2])


def test_nra_counts_turns_won(module):
    # Section 7.3, by hand; 0 is a turn that nobody judged.
    won = [0, 1, 1, -1, 0, -1, -1]
    scores = score([(NEUTRAL, "")] * 7, module, outcome=won)
    assert math.isnan(scores.nra[0])
    assert scores.nra[1:] == pytest.approx([1, 1, 1 / 3, 1 / 3, 0, -1 / 5])
    assert np.isnan(score(FIGURE_2, module).nra).all()


def test_sums_that_never_change_have_no_z(module):
    # The mean of such sums may differ from them by rounding; it must not become a score.
    weights = Weights(beneficial=0.1)
    turns = [(BENEFICIAL, "rel")] + [(DETRIMENTAL, "")] * 6
    scores = score(turns, module, weights=weights)
    pat = np.cumsum([0.04] + [1] * 6)
    assert scores.nrbat == pytest.approx(-(pat - pat.mean()) / pat.std())
    assert (score([(NONE, "")], module).nrbat == 0).all()
    assert (score([(BENEFICIAL, "")] * 9, module).nrbat != 0).any()


def test_weights_take_the_place_of_the_papers(module):
    weights = Weights(beneficial=2, none=-3, detrimental=-4, rel=0.1, man=0.2, qual=0.3, const=0.5)
    turns = [(BENEFICIAL, "man"), (DETRIMENTAL, "rel man qual"), (NONE, "const")]
    scores = score(turns, module, weights=weights)
    assert scores.bat == pytest.approx([2, 4 * 0.6, 0])
    assert scores.pat == pytest.approx([2 * 0.2, 4, 3 + 0.5 * 4.4])


labelled = st.lists(
    st.tuples(st.integers(0, 3), *[st.booleans()] * 4, st.integers(-1, 1)), max_size=60
)
size = st.floats(0, 10).map(lambda x: round(x, 3))
weights = st.builds(
    Weights,
    beneficial=size,
    neutral=size,
    none=size.map(lambda x: -x),
    detrimental=size.map(lambda x: -x),
    **dict.fromkeys(sda.VIOLATIONS, size),
)


@given(labelled, st.data(), st.one_of(st.just(sda.PAPER), weights), st.booleans())
@settings(max_examples=150)
def test_the_kernel_equals_the_reference(turns, data, weights, published):
    n = len(turns)
    inner = data.draw(st.sets(st.integers(1, n - 1))) if n > 1 else set()
    starts = sorted({0, n} | inner)
    variant = "published" if published else "equations"
    *labels, outcome = ([turn[place] for turn in turns] for place in range(6))
    given = *labels, starts, weights, variant, outcome
    ours, plain = sda.score(*given), reference.score(*given)
    for name, left, right in zip(ours._fields, ours, plain, strict=True):
        assert left.dtype == np.float64, name
        assert left == pytest.approx(right, abs=1e-9, nan_ok=True), name
    for first, last in itertools.pairwise(starts):
        alone = sda.score(
            *(column[first:last] for column in labels),
            [0, last - first],
            weights,
            variant,
            outcome[first:last],
        )
        for together, single in zip(ours, alone, strict=True):
            assert np.array_equal(together[first:last], single, equal_nan=True)


@given(labelled.filter(bool))
def test_bounds(turns):
    columns = [list(column) for column in zip(*turns, strict=True)]
    scores = sda.score(*columns[:5], [0, len(turns)], outcome=columns[5])
    assert ((scores.bat >= 0) & (scores.bat <= 1)).all()
    assert (scores.pat >= 0).all()
    assert (np.diff(scores.sum_bat) >= 0).all()
    assert scores.nrbat.mean() == pytest.approx(0, abs=1e-9)
    assert (np.abs(scores.nra[~np.isnan(scores.nra)]) <= 1).all()


def test_no_dialogue_has_no_scores(module):
    assert [len(column) for column in module.score([], [], [], [], [], [0])] == [0] * 7


ONE = {
    "commitment": [0],
    "rel": [False],
    "man": [False],
    "qual": [False],
    "const": [False],
    "starts": [0, 1],
}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"commitment": [4]}, "commitment code 4: 0 to 3, for beneficial"),
        ({"commitment": [-1]}, "commitment code -1"),
        ({"commitment": [0.5]}, "commitment has the dtype float64: must be whole"),
        ({"commitment": [[0]]}, r"commitment has the shape \(1, 1\)"),
        ({"man": [1]}, "man has the dtype int64: must be bool"),
        ({"const": [True, False]}, r"const has the shape \(2,\): must be \[1\]"),
        ({"starts": [0, 2]}, "rise from 0 to the number of turns, 1"),
        ({"starts": [0, 0, 1]}, "starts"),
        ({"starts": [1]}, "starts"),
        ({"starts": []}, "starts"),
        ({"starts": [0.0, 1.0]}, "starts"),
        ({"outcome": [2]}, "outcome 2: 1 for the witness"),
        ({"outcome": np.array([-128], np.int8)}, "outcome -128"),
        ({"variant": "printed"}, "variant 'printed': choose from equations, published"),
    ],
)
def test_wrong_arguments(module, wrong, message):
    with pytest.raises(ValueError, match=message):
        module.score(**ONE | wrong)


def test_weights_from_a_text():
    assert Weights.parse("rel=0.3, none=-.25") == Weights(rel=0.3, none=-0.25)
    assert Weights.parse("  ") == Weights()
    # the paper's own, equation 6 and Appendix C
    assert Weights.parse("man=0.4,const=0.2") == sda.PAPER
    assert dict(zip(COMMITMENTS, sda.PAPER.values(), strict=True)) == {
        "beneficial": 1,
        "neutral": 0.5,
        "none": -0.5,
        "detrimental": -1,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("relevance=0.4", "'relevance=0.4' is not NAME=NUMBER; names: beneficial, neutral"),
        ("rel", "'rel' is not NAME=NUMBER"),
        ("rel=0.4,", "'' is not NAME=NUMBER"),
        ("rel=a lot", "rel=a lot: 'a lot' is not a number"),
        ("rel=1,rel=1", "rel is given twice"),
        ("rel=-1", "weight rel=-1.0: must be a number, 0 or more"),
        ("none=0.5", "weight none=0.5: must be a number, 0 or less"),
        ("qual=nan", "weight qual=nan"),
        ("detrimental=-inf", "weight detrimental=-inf"),
    ],
)
def test_weights_that_cannot_be_read(text, message):
    with pytest.raises(ValueError, match=message):
        Weights.parse(text)
