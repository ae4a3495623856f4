import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unspoken.evaluator import aidg_search_bits as bits
from unspoken.evaluator import aidg_search_reference as reference


@st.composite
def games(draw):
    """Certain answers [W, Q] and sets of words [B, W]."""
    words, questions = draw(st.integers(1, 140)), draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    left = rng.random((3, words)) < rng.random((3, 1))
    left[:, 0] |= ~left.any(axis=1)
    return rng.integers(0, 3, (words, questions)), left


@given(games())
@settings(max_examples=60, deadline=None)
def test_counting_equals_the_reference(game):
    answers, left = game
    table = np.eye(3)[answers]
    belief = left / left.sum(axis=1, keepdims=True)
    dense = reference.information_gain(belief, reference.pack(reference.likelihood(table)))
    gains = bits.information_gain(bits.sets(left), bits.pack(table))
    assert gains.shape == dense.shape
    assert gains == pytest.approx(dense, abs=1e-8)


@pytest.mark.parametrize("words", [1, 9, 64, 65])
def test_a_single_question(words):
    answers = np.arange(words) % 3
    packed = bits.pack(np.eye(3)[answers[:, None]])
    for answer in range(3):
        assert (packed[:, answer, 0] == bits.sets(answers == answer)).all()


@given(games(), st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_those_that_answer_so_are_left(game, answer):
    answers, left = game
    packed = bits.pack(np.eye(3)[answers])
    then = bits.update(bits.sets(left), packed, 0, answer)
    assert (then == bits.sets(left & (answers[:, 0] == answer))).all()
    each = bits.update(bits.sets(left), packed, np.zeros(3, np.int64), np.full(3, answer))
    assert (each == then).all()


def test_by_hand():
    packed = bits.pack(np.eye(3)[[[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 2, 0]]])
    left = bits.sets(np.array([[True] * 4, [True, True, False, False], [False] * 4]))
    # 2 + 2; 1 + 2 + 1; all the same. Then of the first two. Of no words nothing can be learnt.
    expected = [[1, 1.5, 0], [0, 1, 0], [0, 0, 0]]
    assert bits.information_gain(left, packed) == pytest.approx(np.array(expected), abs=1e-9)


def test_word_w_is_bit_w():
    only = np.zeros((2, 70), np.bool_)
    only[0, 63] = only[1, 66] = True
    assert bits.sets(only).tolist() == [[1 << 63, 0], [0, 1 << 2]]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: bits.pack(np.full((2, 2, 3), 1 / 3)), "word 0, question 0: the answer is not"),
        (lambda: bits.pack(np.eye(3)), "words, questions, 3"),
        (lambda: bits.information_gain(np.ones((1, 2)), PACKED), "not uint64 with 2 axes"),
        (lambda: bits.information_gain(LEFT, PACKED[0]), "not uint64 with 3 axes"),
        (lambda: bits.information_gain(np.ones((1, 2), np.uint64), PACKED), r"not \[B, N\]"),
        (lambda: bits.update(LEFT[0], PACKED, 0, 0), "not uint64 with 2 axes"),
    ],
)
def test_what_does_not_fit_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


PACKED = bits.pack(np.eye(3)[[[0, 1], [2, 1]]])
LEFT = bits.sets(np.array([[True, True]]))
