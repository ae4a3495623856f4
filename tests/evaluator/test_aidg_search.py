import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unspoken.evaluator
from unspoken.envs.aidg_search.ontology import load
from unspoken.envs.aidg_search.rules import multiplier
from unspoken.evaluator import aidg_search as kernels
from unspoken.evaluator import aidg_search_reference as reference

TABLE = load().table
W, Q, _ = TABLE.shape


def perfect(columns):
    """The table [W, Q, 3] of questions whose answers (0, 1, 2) are certain."""
    return np.eye(3)[np.array(columns).T]


@st.composite
def beliefs(draw):
    concentration = draw(st.sampled_from([0.01, 0.1, 1.0, 10.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    belief = rng.dirichlet(np.full(W, concentration))
    return belief / belief.sum()


positions = st.builds(
    lambda belief, turn, noise: reference.Position(
        belief, turn, 16, reference.pack(reference.likelihood(TABLE, noise))
    ),
    beliefs(),
    st.integers(1, 16),
    st.sampled_from([0.0, 0.1]),
)


@given(positions)
@settings(max_examples=40, deadline=None)
def test_kernels_equal_the_reference(position):
    belief, packed = position.belief, position.answers
    same = pytest.approx
    assert kernels.information_gain(belief, packed) == same(
        reference.information_gain(belief, packed), abs=1e-6
    )
    assert kernels.entropy(belief) == same(reference.entropy(belief), abs=1e-6)
    assert kernels.pace(packed) == same(reference.pace(packed), abs=1e-6)
    assert kernels.update(belief, packed, 3, 2) == same(
        reference.update(belief, packed, 3, 2), abs=1e-6
    )
    assert kernels.lock_value(belief, position.turn) == same(
        reference.lock_value(belief, position.turn), abs=1e-6
    )
    assert kernels.ask_value(2.5, 0.7, position.turn) == same(
        reference.ask_value(2.5, 0.7, position.turn), abs=1e-6
    )


@given(positions, st.sampled_from([(0, 1), (1, 5), (2, 2)]))
@settings(max_examples=25, deadline=None)
def test_searches_equal_the_reference(position, bounds):
    value = reference.position_value(position, *bounds)
    assert kernels.position_value(position, *bounds) == pytest.approx(value, abs=1e-6)
    assert kernels.best_action(position, *bounds) == reference.best_action(position, *bounds)


@given(st.lists(beliefs(), min_size=1, max_size=4))
@settings(max_examples=10, deadline=None)
def test_a_batch_is_its_rows(rows):
    packed = reference.packaged()
    batch = np.stack(rows)
    for module in (kernels, reference):
        gains = module.information_gain(batch, packed)
        assert gains.shape == (len(rows), Q)
        assert gains == pytest.approx(
            np.stack([module.information_gain(row, packed) for row in rows]), abs=1e-9
        )


@given(beliefs())
@settings(max_examples=20, deadline=None)
def test_entropy_is_scipys(belief):
    stats = pytest.importorskip("scipy.stats")
    assert kernels.entropy(belief) == pytest.approx(stats.entropy(belief, base=2), abs=1e-9)


@given(beliefs(), st.integers(0, Q - 1))
@settings(max_examples=20, deadline=None)
def test_information_gain_is_mutual_information(belief, question):
    joint = belief[:, None] * TABLE[:, question]
    independent = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    seen = joint > 0
    mutual = (joint[seen] * np.log2(joint[seen] / independent[seen])).sum()
    gain = kernels.information_gain(belief, kernels.packaged())[question]
    assert gain == pytest.approx(mutual, abs=1e-6)


def test_an_even_split_of_four_words_is_one_bit():
    packed = kernels.pack(kernels.likelihood(perfect([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 0]])))
    gains = kernels.information_gain(np.full(4, 0.25), packed)
    unlike = 0.25 * 2 + 0.75 * np.log2(4 / 3)
    assert gains == pytest.approx([1, unlike, 0], abs=1e-9)


def test_questions_that_tell_the_same_have_the_same_gain():
    mirrored = np.stack([TABLE[:, 0], TABLE[:, 0, [1, 0, 2]], TABLE[:, 0]], axis=1)
    for module in (kernels, reference):
        packed = module.pack(module.likelihood(mirrored))
        gains = module.information_gain(np.random.default_rng(1).dirichlet(np.ones(W)), packed)
        assert gains[0] == gains[1] == gains[2]
        assert module.best_action(module.Position(np.full(W, 1 / W), 1, 16, packed), 0) == 0


def test_a_coin_toss_tells_nothing():
    table = np.broadcast_to([0.5, 0.5, 0.0], (4, 1, 3))
    packed = kernels.pack(kernels.likelihood(table))
    assert kernels.information_gain(np.full(4, 0.25), packed) == pytest.approx([0], abs=1e-9)


def test_noise_goes_to_the_other_answers_evenly():
    noisy = kernels.likelihood(perfect([[0, 2]]), 0.2)
    assert noisy[:, 0] == pytest.approx(np.array([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]]))


@given(st.floats(0, 1))
@settings(max_examples=20, deadline=None)
def test_likelihoods_are_distributions_and_never_zero(noise):
    p = kernels.likelihood(TABLE, noise)
    assert (p > 0).all()
    assert p.sum(-1) == pytest.approx(np.ones((W, Q)))


def test_a_belief_survives_contradictions():
    belief, packed = np.full(W, 1 / W), kernels.packaged()
    for answer in (0, 1) * 20:
        belief = kernels.update(belief, packed, 0, answer)
    assert np.isfinite(belief).all()
    assert belief.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("p", "turn", "value"), [(0.75, 9, 0.5), (1.0, 1, 2.0), (0.25, 16, -0.0625)]
)
def test_lock_value(p, turn, value):
    belief = np.array([p, *[(1 - p) / 9] * 9])
    assert kernels.lock_value(belief, turn) == pytest.approx(value)
    assert value == pytest.approx((2 * p - 1) * multiplier(turn))


def test_two_words_and_a_perfect_question_are_worth_the_next_turn():
    packed = kernels.pack(kernels.likelihood(perfect([[0, 0], [0, 1]])))
    position = kernels.Position(np.array([0.5, 0.5]), 4, 16, packed)
    assert kernels.position_value(position, 1) == pytest.approx(multiplier(5))
    assert kernels.best_action(position, 1) == 1


def test_a_sure_seeker_locks():
    belief = np.eye(W)[7]
    position = kernels.Position(belief, 5)
    assert kernels.best_action(position, 2) == Q + 7
    assert kernels.position_value(position, 2) == pytest.approx(multiplier(5))


def test_on_the_last_turn_there_is_only_the_lock():
    position = kernels.Position(np.full(W, 1 / W), 16)
    assert kernels.best_action(position, 3) == Q
    assert kernels.position_value(position, 3) == pytest.approx((2 / W - 1) / 8)


def test_nobody_asks_in_vain_for_ever():
    packed = kernels.pack(kernels.likelihood(perfect([[0, 0, 0]])))
    for module in (kernels, reference):
        position = module.Position(np.full(3, 1 / 3), 1, 4, packed)
        assert np.isfinite(module.position_value(position, 3))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: kernels.Position(np.full(W, 1 / W), 17), "turn 17"),
        (lambda: kernels.Position(np.ones(3) / 3), "3"),
        (lambda: kernels.information_gain(np.ones(3) / 3, kernels.packaged()), "words"),
        (lambda: kernels.channel(1.5), "noise=1.5"),
        (lambda: kernels.position_value(kernels.Position(np.full(W, 1 / W)), -1), "depth=-1"),
        (lambda: kernels.best_action(kernels.Position(np.full(W, 1 / W)), 1, 0), "width=0"),
        (lambda: unspoken.evaluator.evaluate("chess", None), "aidg_search"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


def test_scores_are_zero_sum_and_bounded():
    positions = [kernels.Position(np.eye(W)[0], 1), kernels.Position(np.full(W, 1 / W), 14)]
    sure, lost = unspoken.evaluator.evaluate_batch("aidg_search", positions)
    assert sure == {"seeker": pytest.approx(1), "holder": pytest.approx(-1)}
    assert -1 <= lost["seeker"] < 0
    assert lost["seeker"] == -lost["holder"]
    assert unspoken.evaluator.evaluate("aidg_search", positions[1]) == lost


def test_importing_the_package_does_not_import_numba():
    code = "import sys, unspoken.evaluator, unspoken.agents.aidg_search.reputation; " + (
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
