import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.evaluator import rsa as kernels
from unspoken.evaluator import rsa_reference as reference

BOTH = pytest.mark.parametrize("module", [kernels, reference])

# Frank and Goodman's reference game: a blue square, a blue circle, a green square, and the words
# blue, circle, square, green, each true or not.
with np.errstate(divide="ignore"):
    GAME = np.log(np.array([[1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]], np.float64))


@st.composite
def tables(draw):
    """Log meanings [W, M] of graded, sometimes also impossible, messages; prior; cost."""
    words, messages = draw(st.integers(1, 8)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    meaning = rng.uniform(-1, 1, (words, messages)) / draw(st.sampled_from([0.02, 0.1, 1.0]))
    if draw(st.booleans()):
        meaning[rng.random(meaning.shape) < 0.3] = -np.inf
        meaning[0, :] = meaning[:, 0] = 0.5  # every word and every message keeps something
    prior = rng.dirichlet(np.full(words, 2.0)) + 1e-6
    return meaning, prior, rng.uniform(0, 3, messages)


@BOTH
def test_the_reference_game_by_hand(module):
    # "square" is true of the blue and the green square; a speaker who means the blue one says
    # "blue" or "square" evenly, one who means the green one "square" only 1/2 to 1
    literal = [[1 / 2, 0, 1 / 2, 0], [1 / 2, 1, 0, 0], [0, 0, 1 / 2, 1]]
    assert module.listener(GAME) == pytest.approx(np.array(literal))
    said = [[1 / 2, 0, 1 / 2, 0], [1 / 3, 2 / 3, 0, 0], [0, 0, 1 / 3, 2 / 3]]
    assert module.speaker(GAME) == pytest.approx(np.array(said))
    pragmatic = [[3 / 5, 0, 3 / 5, 0], [2 / 5, 1, 0, 0], [0, 0, 2 / 5, 1]]
    assert module.listener(GAME, 1) == pytest.approx(np.array(pragmatic))
    again = [[1 / 2, 0, 1 / 2, 0], [2 / 7, 5 / 7, 0, 0], [0, 0, 2 / 7, 5 / 7]]
    assert module.speaker(GAME, 2) == pytest.approx(np.array(again))
    deeper = [[7 / 11, 0, 7 / 11, 0], [4 / 11, 1, 0, 0], [0, 0, 4 / 11, 1]]
    assert module.listener(GAME, 2) == pytest.approx(np.array(deeper))


@BOTH
def test_prior_cost_and_alpha_by_hand(module):
    # prior 1/2, 1/4, 1/4: "square" is 1/2 to 1/4, "blue" likewise
    prior = np.array([1 / 2, 1 / 4, 1 / 4])
    assert module.listener(GAME, 0, prior=prior)[:, 2] == pytest.approx([2 / 3, 0, 1 / 3])
    # alpha 2: of the green square "square" 1/4 to 1, so the listener hears 1/2 to 1/5
    assert module.speaker(GAME, 1, 2.0)[2] == pytest.approx([0, 0, 1 / 5, 4 / 5])
    assert module.listener(GAME, 1, 2.0)[:, 2] == pytest.approx([5 / 7, 0, 2 / 7])
    # "green" costs ln 2, which halves it: 1/2 to 1/2
    cost = np.array([0, 0, 0, np.log(2)])
    assert module.speaker(GAME, 1, cost=cost)[2] == pytest.approx([0, 0, 1 / 2, 1 / 2])


@BOTH
def test_the_ally_by_hand(module):
    # "square" and "circle" were said; who means the blue square would never say "circle", one who
    # means the green square would say neither more often than chance but for "square"
    heard = module.listener(GAME, 1)[:, [2, 0]]
    assert module.ally(heard) == pytest.approx(np.array([[1 / 2, 1 / 2], [0, 1], [1, 0]]))


@given(tables(), st.integers(0, 3))
def test_the_ally_is_bayes_rule(table, depth):
    """Against the posterior summed out over everything that all speakers could have meant."""
    meaning, prior, cost = table
    prior = prior / prior.sum()
    heard = reference.listener(meaning, depth, 1.5, prior, cost)[:, :3]
    said = reference.speaker(meaning, depth, 1.5, prior, cost) if depth else np.exp(meaning)
    said = said[:, :3]
    for secret in np.flatnonzero((heard > 0).any(axis=1)):
        everybody = prior @ said
        joint = np.array(
            [said[secret, i] * np.prod(np.delete(everybody, i)) for i in range(said.shape[1])]
        )
        if 1e-200 < joint.sum() < np.inf:
            wanted = joint / joint.sum()
            assert reference.ally(heard[[secret]])[0] == pytest.approx(wanted, abs=1e-9)


@given(tables(), st.integers(0, 4), st.sampled_from([0.5, 1.0, 4.0]))
def test_kernels_equal_the_reference(table, depth, alpha):
    meaning, prior, cost = table
    given = meaning.copy()
    heard = kernels.listener(meaning, depth, alpha, prior, cost)
    assert heard == pytest.approx(reference.listener(meaning, depth, alpha, prior, cost), abs=1e-9)
    assert heard.sum(axis=0) == pytest.approx(np.ones(meaning.shape[1]))
    said = kernels.speaker(meaning, depth + 1, alpha, prior, cost)
    wanted = reference.speaker(meaning, depth + 1, alpha, prior, cost)
    assert said == pytest.approx(wanted, abs=1e-9)
    assert said.sum(axis=1) == pytest.approx(np.ones(len(meaning)))
    assert (meaning == given).all()
    assert heard.max() <= 1


@given(tables(), st.integers(0, 4))
def test_the_most_rational_are_still_distributions(table, depth):
    meaning, prior, cost = table
    for module in (kernels, reference):
        heard = module.listener(meaning, depth, reference.MOST_RATIONAL, prior, cost)
        assert heard.sum(axis=0) == pytest.approx(np.ones(meaning.shape[1]))


@BOTH
def test_what_is_refused(module):
    for arguments, message in (
        ((GAME, -1), "depth=-1: 0 or more"),
        ((GAME, 1, 0.0), "alpha=0.0: above 0"),
        ((GAME, 1, np.inf), "alpha=inf: above 0"),
        ((GAME[0], 1), r"meaning \(4,\): needs shape"),
        ((GAME[:, :2], 0), "every word and every message needs a finite log meaning"),
        ((GAME, 0, 1.0, np.array([1.0, 0.0, 0.0])), "prior: 3 probabilities above 0"),
        ((GAME, 0, 1.0, None, np.zeros(3)), "cost: 4 numbers"),
        ((GAME, 1, 1e7), "alpha=10000000.0: above 0, up to 1e"),
    ):
        with pytest.raises(ValueError, match=message):
            module.listener(*arguments)
    with pytest.raises(ValueError, match="depth=0: 1 or more"):
        module.speaker(GAME, 0)
    with pytest.raises(ValueError, match="no message fits"):
        module.ally(np.array([[1.0, 0.5], [0.0, 0.0]]))
    with pytest.raises(ValueError, match="temperature=0: above 0"):
        module.log_meaning(np.zeros((2, 2)), 0)


def test_log_meanings():
    similarity = np.array([[0.5, -0.25]], np.float32)
    found = kernels.log_meaning(similarity, 0.25)
    assert found.dtype == np.float64
    assert found.tolist() == [[2.0, -1.0]]


def test_importing_compiles_nothing():
    code = (
        "import unspoken.evaluator.sneak, unspoken.evaluator.rsa as rsa; "
        "assert not rsa.listen.signatures"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
