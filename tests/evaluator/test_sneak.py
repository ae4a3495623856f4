import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.evaluator import sneak as kernels
from unspoken.evaluator import sneak_reference as reference

BOTH = pytest.mark.parametrize("module", [kernels, reference])

LN2, LN3 = np.log(2), np.log(3)
HAND = np.array([[LN3, 0.0, 0.0], [0.0, LN2, 0.0], [0.0, 0.0, 0.0]])
"""A message that fits the first word, one that fits the second, and one that fits none better."""


@st.composite
def boards(draw):
    """Similarity [n, W], decoys, candidates, alternatives; the last three may overlap."""
    texts, words = draw(st.integers(2, 9)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = st.lists(st.integers(0, texts - 1), max_size=6).map(lambda x: np.array(x, np.int64))
    return (
        rng.uniform(-1, 1, (texts, words)),
        draw(rows.filter(len)),
        draw(st.none() | rows),
        draw(st.none() | rows),
    )


@BOTH
def test_listeners_by_similarity_by_hand(module):
    found = module.soft_scores(HAND, np.array([1, 2]), np.array([0]), temperature=1.0)
    # to the first word weights 3, 1, 1: 3/5; to the second 1, 2, 1: 1/4; to the third 1/3
    assert found.p_ally == pytest.approx(np.array([[3 / 5, 1 / 4, 1 / 3]]))
    assert found.p_chameleon == pytest.approx(np.array([[3 / 5, 1 / 5, 1 / 5]]))
    # (3/5 - 1/3) / (2/3) = 2/5 both ways, so 2/5 · 3/5; the others are not above chance
    assert found.soft == pytest.approx(np.array([[6 / 25, 0, 0]]))


@BOTH
def test_literal_listeners_by_hand(module):
    found = module.soft_scores(HAND, np.array([1, 2]), np.array([0]), temperature=1.0, depth=0)
    # L_0 of the messages: 3/5, 1/5, 1/5; 1/4, 1/2, 1/4; 1/3 each
    first = 3 / 5 / (3 / 5 + 1 / 4 + 1 / 3)
    second = 1 / 5 / (1 / 5 + 1 / 2 + 1 / 3)
    third = 1 / 5 / (1 / 5 + 1 / 4 + 1 / 3)
    assert found.p_ally == pytest.approx(np.array([[first, second, third]]))
    assert found.p_chameleon == pytest.approx(np.array([[3 / 5, 1 / 5, 1 / 5]]))
    assert found.soft[0, 0] == pytest.approx((first - 1 / 3) / (2 / 3) * 3 / 5)
    other = module.soft_scores(
        HAND, np.array([1, 2]), np.array([0]), np.array([1]), temperature=1.0, depth=0
    )
    assert all((a == b).all() for a, b in zip(found, other, strict=True))


@BOTH
def test_pragmatic_listeners_by_hand(module):
    # two words, the message twice as fit for the first, and an alternative that fits both alike:
    # L_0 2/3, 1/3 and 1/2, 1/2; S_1(message | word) 4/7 and 2/5; L_1 20/34 and 14/34
    similarity = np.array([[LN2, 0.0], [0.0, 0.0]])
    board = (similarity, np.array([1]), np.array([0]), np.array([1]))
    found = module.soft_scores(*board, temperature=1.0, depth=1)
    assert found.p_chameleon == pytest.approx(np.array([[20 / 34, 14 / 34]]))
    # of the alternative S_1 3/7 and 3/5, so L_1 15/36 and 21/36; the decoy is that alternative
    ally = [20 / 34 / (20 / 34 + 15 / 36), 14 / 34 / (14 / 34 + 21 / 36)]
    assert found.p_ally == pytest.approx(np.array([ally]))
    # with nothing else to say the message says nothing
    alone = module.soft_scores(*board[:3], temperature=1.0, depth=1)
    assert alone.p_chameleon == pytest.approx(np.array([[1 / 2, 1 / 2]]))


@given(boards(), st.sampled_from([None, 0, 1, 2]), st.sampled_from([0.05, 0.3]))
def test_kernels_equal_the_reference(board, depth, temperature):
    options = {"temperature": temperature, "depth": depth, "alpha": 1.5}
    found = kernels.soft_scores(*board, **options)
    wanted = reference.soft_scores(*board, **options)
    rows = len(board[0]) if board[2] is None else len(board[2])
    for a, b in zip(found, wanted, strict=True):
        assert a.shape == (rows, board[0].shape[1])
        assert a.dtype == np.float64
        assert a == pytest.approx(b, abs=1e-9)
        assert ((a >= 0) & (a <= 1)).all()


@given(boards(), st.sampled_from([None, 0, 1]))
def test_positions_equal_the_reference(board, depth):
    similarity, decoys, candidates, others = board
    if candidates is None and set(decoys) == set(range(len(similarity))):
        candidates = decoys
    if candidates is not None and not len(candidates):
        candidates = None if len(set(decoys)) < len(similarity) else decoys
    position = kernels.Position(
        similarity, 1, decoys, candidates, others, temperature=0.2, depth=depth
    )
    (found,) = kernels.evaluate_batch([position])
    assert found == pytest.approx(reference.evaluate_batch([position])[0], abs=1e-9)
    scores = kernels.soft_scores(
        similarity, decoys, position.messages, others, temperature=0.2, depth=depth
    )
    assert found["speaker"] == pytest.approx(2 * scores.soft[:, 1].max() - 1)


@BOTH
def test_scores_of_positions_by_hand(module):
    positions = [
        module.Position(HAND, 0, np.array([1, 2]), temperature=1.0),
        module.Position(HAND, 1, np.array([1, 2]), temperature=1.0),
    ]
    first, second = module.evaluate_batch(positions)
    assert first == pytest.approx({"speaker": 2 * 6 / 25 - 1, "ally": 1 / 5, "chameleon": 1 / 5})
    assert second == pytest.approx({"speaker": -1, "ally": -1 / 2, "chameleon": -3 / 5})
    assert module.evaluate_batch([]) == []


def test_the_best_candidate_is_said():
    similarity = np.array([[0.0, 0.0], [1.0, 0.0], [0.1, 0.0], [0.0, 0.0]])
    decoys = np.array([3])
    scores = kernels.soft_scores(similarity, decoys, np.array([0, 1, 2]), temperature=0.2)
    position = kernels.Position(similarity, 0, decoys, temperature=0.2)
    (found,) = kernels.evaluate_batch([position])
    best = scores.soft[:, 0].argmax()
    assert found["ally"] == pytest.approx(2 * scores.p_ally[best, 0] - 1)
    said = kernels.Position(similarity, 0, decoys, np.array([1]), temperature=0.2)
    assert kernels.evaluate_batch([said])[0]["ally"] == pytest.approx(2 * scores.p_ally[1, 0] - 1)


@BOTH
def test_what_is_refused(module):
    decoys = np.array([1])
    for arguments, options, message in (
        ((HAND[0], decoys), {}, r"similarity \(3,\)"),
        ((HAND[:, :1], decoys), {}, r"similarity \(3, 1\)"),
        ((np.full((2, 2), np.nan), decoys), {}, "finite"),
        ((HAND, decoys[:0]), {}, "decoys: at least one"),
        ((HAND, np.array([3])), {}, r"decoys=array\(\[3\]\): indices of texts, 0 to 2"),
        ((HAND, decoys, np.array([-1])), {}, "candidates"),
        ((HAND, decoys, None, np.array([9])), {}, "alternatives"),
        ((HAND, decoys), {"depth": -1}, "depth=-1: None, or 0 or more"),
        ((HAND, decoys), {"depth": 1, "alpha": 0.0}, "alpha=0.0: above 0"),
        ((HAND, decoys), {"temperature": 0.0}, "temperature=0.0: above 0"),
    ):
        with pytest.raises(ValueError, match=message):
            module.soft_scores(*arguments, **{"temperature": 1.0, **options})
    with pytest.raises(ValueError, match="secret=3: 0 to 2"):
        module.Position(HAND, 3, decoys)
    with pytest.raises(ValueError, match="candidates: at least one"):
        module.Position(HAND, 0, np.array([0, 1, 2]))
