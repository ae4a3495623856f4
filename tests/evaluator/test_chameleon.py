"""Chameleon's evaluator: a position calculated by hand, and kernels against the reference."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unspoken.evaluator import chameleon as kernels
from unspoken.evaluator import chameleon_reference as reference

BOTH = pytest.mark.parametrize("module", [kernels, reference])

SPEECH = np.log([[0.4, 0.1], [0.3, 0.2]])
FAKED = np.log([[0.2, 0.2], [0.3, 0.1]])
POSITION = reference.Position(SPEECH, FAKED, np.array([0, 1]), np.ones(3))
"""Words A and B, players 0, 1 and 2; 0 and 1 have given a clue.

P(clues | 0, w) = S(m1 | w) · (0.2 + 0.2) / 2: 0 had heard nothing.      A 0.060, B 0.040
P(clues | 1, w) = S(m0 | w) · (0.8 · 0.3 + 0.2 · 0.1): q is 0.8 for A.   A 0.104, B 0.026
P(clues | 2, w) = S(m0 | w) · S(m1 | w).                                 A 0.120, B 0.020
"""
TABLE = np.array([[0.060, 0.040], [0.104, 0.026], [0.120, 0.020]])


@BOTH
def test_somebody_who_only_listens(module):
    assert module.joint(POSITION) == pytest.approx(TABLE / 0.37)
    found = module.posterior(POSITION)
    assert found.chameleon == pytest.approx(np.array([0.10, 0.13, 0.14]) / 0.37)
    assert found.word == pytest.approx(np.array([0.284, 0.086]) / 0.37)


@BOTH
def test_an_honest_player_knows_the_word_and_that_it_is_honest(module):
    found = module.posterior(replace(POSITION, secret=0, player=2))
    assert found.chameleon == pytest.approx(np.array([0.060, 0.104, 0]) / 0.164)
    assert found.word == pytest.approx([1, 0])
    outside = module.posterior(replace(POSITION, secret=1))
    assert outside.chameleon == pytest.approx(np.array([0.040, 0.026, 0.020]) / 0.086)


@BOTH
def test_the_chameleon_knows_itself_and_not_the_word(module):
    for player, belief in ((0, [0.6, 0.4]), (1, [0.8, 0.2]), (2, [6 / 7, 1 / 7])):
        found = module.posterior(replace(POSITION, player=player))
        assert found.chameleon == pytest.approx(np.eye(3)[player])
        assert found.word == pytest.approx(belief)


@BOTH
def test_suspicions_from_elsewhere_weigh_the_players(module):
    weighed = TABLE * np.array([[1], [2], [4]])
    found = module.joint(replace(POSITION, suspects=np.array([0.5, 1, 2])))
    assert found == pytest.approx(weighed / weighed.sum())


@BOTH
def test_who_knows_the_word_sees_the_same_whoever_asks(module):
    wanted = (TABLE / TABLE.sum(axis=0)).T
    for change in ({}, {"player": 0}, {"player": 2, "secret": 1}):
        assert module.seen(replace(POSITION, **change)) == pytest.approx(wanted)
    ruled_out = module.seen(replace(POSITION, suspects=np.array([0.0, 1, 1])))
    assert ruled_out == pytest.approx(np.array([[0, 104 / 224, 120 / 224], [0, 26 / 46, 20 / 46]]))


@BOTH
def test_what_each_clue_speaks_against_its_speaker(module):
    ratios = [[0.2 / 0.4, 0.2 / 0.1], [0.26 / 0.3, 0.26 / 0.2]]
    assert np.exp(module.doubts(POSITION)) == pytest.approx(np.array(ratios))


@BOTH
def test_what_giving_a_clue_leads_to(module):
    """Player 2 knows A. Its clue has S 0.2 and 0.1, F 0.1: the products below, by the table."""
    said = np.log([[0.2, 0.1]]), np.log([[0.1, 0.1]])
    found = module.outlook(replace(POSITION, secret=0, player=2), *said)
    suspicion = 0.120 * 0.1 / (0.060 * 0.2 + 0.104 * 0.2 + 0.120 * 0.1)
    assert found.suspicion == pytest.approx([suspicion])
    # 0 would then believe in A by 0.3 · 0.2 to 0.2 · 0.1, and 1 by 0.4 · 0.2 to 0.1 · 0.1
    assert found.leak == pytest.approx([(0.060 * 6 / 8 + 0.104 * 8 / 9) / 0.164])
    # as the chameleon it believes in A by 6/7, and leaks nothing
    found = module.outlook(replace(POSITION, player=2), *said)
    other = 0.020 * 0.1 / (0.040 * 0.1 + 0.026 * 0.1 + 0.020 * 0.1)
    assert found.suspicion == pytest.approx([6 / 7 * suspicion + 1 / 7 * other])
    assert found.leak.tolist() == [0]


@BOTH
def test_the_score_is_the_expected_reward_of_a_vote_now(module):
    """With A player 2 is accused, and would name A; with B player 0, which would name A too.

    So the honest side wins if the word is B and 0 the chameleon.
    """
    scores = module.evaluate_batch([POSITION, replace(POSITION, secret=1)])
    wins = [0.040 / 0.37, 0.040 / 0.086]
    for score, p in zip(scores, wins, strict=True):
        assert score == pytest.approx({"honest": 2 * p - 1, "chameleon": 1 - 2 * p})
    assert module.evaluate_batch([]) == []


@BOTH
def test_before_the_first_clue_equals_share(module):
    """Three players, four words: accused rightly by 1/3, and no guess by 3/4."""
    nothing = np.zeros((0, 4))
    start = reference.Position(nothing, nothing, np.zeros(0, np.int64), np.ones(3))
    (score,) = module.evaluate_batch([start])
    assert score["honest"] == pytest.approx(2 * (1 / 3) * (3 / 4) - 1)
    assert module.doubts(start).shape == (0, 4)


def test_speech_is_a_softmax_over_the_alternatives():
    alternatives = np.array([[0.5, 0.0], [0.1, 0.2], [0.0, 0.0]])
    said = np.exp(reference.speech(alternatives, alternatives, 0.5))
    assert said[:, 0] == pytest.approx(np.exp([1, 0.2, 0]) / np.exp([1, 0.2, 0]).sum())
    assert said.sum(axis=0) == pytest.approx([1, 1])
    with pytest.raises(ValueError, match="alternatives: at least one"):
        reference.speech(alternatives, alternatives[:0])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"speech": SPEECH[:, :1], "faked": FAKED[:, :1]}, r"speech \(2, 1\)"),
        ({"faked": FAKED[:1]}, r"faked \(1, 2\): \(2, 2\)"),
        ({"speech": SPEECH * np.inf}, "speech .*: finite"),
        ({"speakers": np.array([0, 3])}, "speakers=.*0 to 2"),
        ({"speakers": np.array([0])}, "speakers=.*one a clue"),
        ({"suspects": np.array([1, -1, 1])}, "suspects="),
        ({"suspects": np.array([0, 0, 1]), "secret": 0, "player": 2}, "suspects="),
        ({"secret": 2}, "secret=2: None, or 0 to 1"),
        ({"player": 3}, "player=3: None, or 0 to 2"),
    ],
)
def test_positions_that_make_no_sense(change, problem):
    with pytest.raises(ValueError, match=problem):
        replace(POSITION, **change)


@BOTH
def test_only_players_give_clues(module):
    with pytest.raises(ValueError, match="player=None"):
        module.outlook(POSITION, SPEECH, FAKED)
    with pytest.raises(ValueError, match=r"faked \(1, 2\)"):
        module.outlook(replace(POSITION, player=0), SPEECH, FAKED[:1])


@st.composite
def positions(draw):
    players, words = draw(st.integers(3, 8)), draw(st.integers(2, 12))
    n = draw(st.integers(0, 10))
    logs = st.floats(-25, 0, width=32)
    secret = draw(st.none() | st.integers(0, words - 1))
    player = draw(st.none() | st.integers(0, players - 1))
    return reference.Position(
        draw(arrays(np.float64, (n, words), elements=logs)),
        draw(arrays(np.float64, (n, words), elements=logs)),
        draw(arrays(np.int64, n, elements=st.integers(0, players - 1))),
        draw(arrays(np.float64, players, elements=st.floats(0.01, 100))),
        secret,
        player,
    )


@given(positions(), st.integers(1, 4), st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_kernels_equal_the_reference(position, n, random):
    same = pytest.approx
    assert kernels.joint(position) == same(reference.joint(position), abs=1e-9)
    assert kernels.seen(position) == same(reference.seen(position), abs=1e-9)
    assert kernels.doubts(position) == same(reference.doubts(position), abs=1e-9)
    for one, other in zip(kernels.posterior(position), reference.posterior(position), strict=True):
        assert one == same(other, abs=1e-9)
        assert one.sum() == same(1)
    (score,), (wanted,) = (m.evaluate_batch([position]) for m in (kernels, reference))
    assert score == same(wanted, abs=1e-9)
    assert -1 - 1e-9 <= score["honest"] <= 1 + 1e-9
    if position.player is not None:
        words = position.speech.shape[1]
        said = np.array([[random.uniform(-20, 0) for _ in range(words)] for _ in range(2 * n)])
        found = kernels.outlook(position, said[:n], said[n:])
        for one, other in zip(found, reference.outlook(position, said[:n], said[n:]), strict=True):
            assert one == same(other, abs=1e-9)
            assert ((one >= 0) & (one <= 1 + 1e-9)).all()


@given(positions())
@settings(max_examples=50)
def test_the_order_of_players_and_words_does_not_matter(position):
    """Seats and words turned around: what is said of them turns around with them."""
    players = len(position.suspects)
    turned = replace(
        position,
        speech=position.speech[:, ::-1],
        faked=position.faked[:, ::-1],
        speakers=players - 1 - position.speakers,
        suspects=position.suspects[::-1],
        secret=None if position.secret is None else position.speech.shape[1] - 1 - position.secret,
        player=None if position.player is None else players - 1 - position.player,
    )
    assert kernels.joint(turned)[::-1, ::-1] == pytest.approx(kernels.joint(position), abs=1e-9)
