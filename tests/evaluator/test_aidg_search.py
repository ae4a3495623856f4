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


@st.composite
def batches(draw):
    """Beliefs [B, W] with questions, answers and turns [B]."""
    rows = draw(st.lists(beliefs(), min_size=1, max_size=4))
    size = len(rows)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    numbers = (rng.integers(0, Q, size), rng.integers(0, 3, size), rng.integers(1, 17, size))
    return np.stack(rows), *numbers


def each(*arguments):
    """The arguments of every row of a batch; what is no array is the same for all."""
    size = next(len(a) for a in arguments if isinstance(a, np.ndarray))
    return [tuple(a[i] if isinstance(a, np.ndarray) else a for a in arguments) for i in range(size)]


def assert_batch(name, *arguments):
    """A batch is its rows stacked, and in both modules the same."""
    rows = np.stack([getattr(kernels, name)(*row) for row in each(*arguments)])
    for module in (kernels, reference):
        batch = getattr(module, name)(*arguments)
        assert batch.dtype == np.float64
        assert batch.shape == rows.shape
        assert batch == pytest.approx(rows, abs=1e-6)


@given(batches(), st.sampled_from([0.0, 0.1]))
@settings(max_examples=25, deadline=None)
def test_a_batch_is_its_rows(batch, noise):
    belief, question, answer, turn = batch
    packed = reference.pack(reference.likelihood(TABLE, noise))
    assert_batch("entropy", belief)
    assert_batch("lock_value", belief, turn)
    assert_batch("lock_value", belief, 5)
    bits = kernels.entropy(belief)
    for h, t in ((bits, turn), (bits, 16), (2.5, turn)):
        assert_batch("ask_value", h, 0.7, t)
    for module in (kernels, reference):
        gains = np.stack([kernels.information_gain(b, packed) for b in belief])
        assert module.information_gain(belief, packed) == pytest.approx(gains, abs=1e-6)
        for b, q, a in ((belief, question, answer), (belief, 3, answer), (belief, question, 2)):
            rows = [kernels.update(one, packed, int(i), int(j)) for one, i, j in each(b, q, a)]
            assert module.update(b, packed, q, a) == pytest.approx(np.stack(rows), abs=1e-6)
        rows = [kernels.update(belief[0], packed, int(i), 1) for i in question]
        children = module.update(belief[0], packed, question, 1)
        assert children == pytest.approx(np.stack(rows), abs=1e-6)
        locks = [kernels.lock_value(belief[0], int(t)) for t in turn]
        assert module.lock_value(belief[0], turn) == pytest.approx(locks, abs=1e-6)


@given(batches(), st.sampled_from([(0, 1), (1, 5), (2, 2)]), st.sampled_from([None, 0.1]))
@settings(max_examples=15, deadline=None)
def test_positions_in_a_batch_are_worth_what_each_is(batch, bounds, noise):
    belief, *_, turn = batch
    packed = None if noise is None else reference.pack(reference.likelihood(TABLE, noise))
    alone = [
        kernels.position_value(kernels.Position(b, int(t), 16, packed), *bounds)
        for b, t in zip(belief, turn, strict=True)
    ]
    for module in (kernels, reference):
        values = module.position_value_batch(belief, turn, 16, packed, *bounds)
        assert values.shape == (len(belief),)
        assert values == pytest.approx(alone, abs=1e-6)
    same_turn = kernels.position_value_batch(belief, 7, 16, packed, *bounds)
    turns = np.full(len(belief), 7)
    assert (same_turn == kernels.position_value_batch(belief, turns, 16, packed, *bounds)).all()


@given(beliefs(), st.integers(1, 12))
@settings(max_examples=15, deadline=None)
def test_a_deep_search_of_a_small_table_equals_the_reference(belief, turn):
    few = belief[:6] / belief[:6].sum() if belief[:6].sum() > 1e-3 else np.full(6, 1 / 6)
    packed = reference.pack(reference.likelihood(TABLE[:6, :5], 0.05))
    position = reference.Position(few, turn, 12, packed)
    for bounds in ((3, 9), (20, 1), (2, 1)):
        value = reference.position_value(position, *bounds)
        assert kernels.position_value(position, *bounds) == pytest.approx(value, abs=1e-6)
        assert kernels.best_action(position, *bounds) == reference.best_action(position, *bounds)


def test_an_empty_batch_is_empty():
    none, nobody = np.empty((0, W)), np.empty(0, np.int64)
    for module in (kernels, reference):
        assert module.entropy(none).shape == (0,)
        assert module.update(none, module.packaged(), 3, nobody).shape == (0, W)
        assert module.lock_value(none, 3).shape == (0,)
        assert module.position_value_batch(none, nobody).shape == (0,)
        assert module.evaluate_batch([]) == []


def test_strided_and_small_numbers_are_taken():
    batch = np.asfortranarray(np.random.default_rng(0).dirichlet(np.ones(W), 6))
    turns = np.arange(1, 7, dtype=np.int8)
    packed = kernels.packaged()
    for module in (kernels, reference):
        plain = np.ascontiguousarray(batch)
        assert module.lock_value(batch, turns) == pytest.approx(reference.lock_value(plain, turns))
        assert module.update(batch[::2], packed, turns[::2], 1) == pytest.approx(
            reference.update(plain[::2], packed, turns[::2], 1)
        )
        assert module.entropy(batch) == pytest.approx(reference.entropy(plain))
        assert module.position_value_batch(batch, turns) == pytest.approx(
            kernels.position_value_batch(plain, turns.astype(np.int64))
        )


def test_scores_of_mixed_positions_keep_their_order():
    rng = np.random.default_rng(0)
    noisy = kernels.pack(kernels.likelihood(TABLE, 0.1))
    positions = [
        kernels.Position(rng.dirichlet(np.ones(W)), 1 + i, max_turns, packed)
        for i in range(3)
        for max_turns in (16, 8)
        for packed in (None, noisy)
    ]
    scores = kernels.evaluate_batch(positions)
    alone = [kernels.position_value(position) / 2 for position in positions]
    assert [score["seeker"] for score in scores] == pytest.approx(alone, abs=1e-9)
    assert scores == [
        {role: pytest.approx(value, abs=1e-6) for role, value in score.items()}
        for score in reference.evaluate_batch(positions)
    ]


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


ONE, MANY, PACKED = np.full(W, 1 / W), np.full((3, W), 1 / W), kernels.packaged()


@pytest.mark.parametrize("module", [kernels, reference])
@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("entropy", (np.ones((2, 2, 2)),), r"belief \(2, 2, 2\)"),
        ("entropy", (np.array(1.0),), r"belief \(\)"),
        ("entropy", (np.empty(0),), r"belief \(0,\)"),
        ("entropy", (np.eye(W, dtype=int)[0],), "int64"),
        ("update", (ONE[:-1], PACKED, 0, 0), "other words"),
        ("update", (ONE, PACKED[0], 0, 0), r"answer table \(4"),
        ("update", (ONE, PACKED[:, :3], 0, 0), "answer table"),
        ("update", (ONE, PACKED, Q, 0), f"question {Q} is not between 0 and {Q - 1}"),
        ("update", (ONE, PACKED, -1, 0), "question -1"),
        ("update", (ONE, PACKED, 0, 3), "answer 3 is not between 0 and 2"),
        ("update", (MANY, PACKED, np.array([0, 1, Q]), 0), f"question {Q}"),
        ("update", (MANY, PACKED, 0, np.array([0, -1, 2])), "answer -1"),
        ("update", (MANY, PACKED, np.array([0, 1]), 0), "different lengths: 3 and 2"),
        ("update", (ONE, PACKED, np.array([0, 1]), np.array([1])), "different lengths"),
        ("update", (ONE, PACKED, np.array([0.0, 1.0]), 0), "neither a whole number"),
        ("update", (ONE, PACKED, 1.5, 0), "neither a whole number"),
        ("update", (np.zeros(W), PACKED, 0, 0), "rules out"),
        ("update", (np.zeros((2, W)), PACKED, 0, 0), "rules out"),
        ("information_gain", (ONE[:-1], PACKED), "other words"),
        ("information_gain", (MANY[None], PACKED), "belief"),
        ("pace", (PACKED[0],), "answer table"),
        ("pack", (TABLE[0],), "words, questions, 3"),
        ("likelihood", (TABLE[..., :2],), "words, questions, 3"),
        ("lock_value", (ONE, 99), "turn 99 is not between 1 and 16"),
        ("lock_value", (ONE, 0), "turn 0"),
        ("lock_value", (ONE, 9, 8), "turn 9 is not between 1 and 8"),
        ("lock_value", (MANY, np.array([1, 2, 17])), "turn 17"),
        ("lock_value", (MANY, np.array([1, 2])), "different lengths"),
        ("lock_value", (MANY, np.array([[1, 2, 3]])), "neither a whole number"),
        ("ask_value", (1.0, 0.7, 17), "turn 17"),
        ("ask_value", (1.0, 0.0, 3), "pace=0.0"),
        ("ask_value", (np.ones((2, 2)), 0.7, 3), "bits"),
        ("ask_value", (np.ones(3), 0.7, np.array([1, 2])), "different lengths"),
        ("position_value_batch", (ONE,), "beliefs"),
        ("position_value_batch", (MANY[:, :-1],), "other words"),
        ("position_value_batch", (MANY, 17), "turn 17"),
        ("position_value_batch", (MANY, np.array([1, 2])), "different lengths"),
        ("position_value_batch", (MANY, 1, 16, None, -1), "depth=-1"),
        ("position_value_batch", (MANY, 1, 16, None, 1, 0), "width=0"),
        ("Position", (MANY,), "a position has one"),
    ],
)
def test_wrong_shapes_and_ranges_are_refused_by_both(module, name, arguments, message):
    with pytest.raises(ValueError, match=message):
        getattr(module, name)(*arguments)


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
