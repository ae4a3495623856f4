"""The dialogue game's evaluator: kernels against the reference, and both against the rules."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unspoken.evaluator
from unspoken.envs.aidg_dialogue.menu import questions
from unspoken.envs.aidg_dialogue.rules import ACTS, FORMS, decide, legal
from unspoken.envs.aidg_dialogue.secrets import load
from unspoken.evaluator import aidg_dialogue as kernels
from unspoken.evaluator import aidg_dialogue_reference as reference

SECRETS = load()
QUESTIONS = questions(SECRETS)
K = len(SECRETS)
F, Q, A, M = 5 * K, len(QUESTIONS), len(ACTS), len(reference.MANNERS)
ANY = np.ones(F, np.bool_)
PACKED = reference.packaged()
TOPIC, LEADING, PREMISE, EITHER, HYPOTHETICAL = range(5)


def point(fact):
    return np.arange(F) == fact


def act(name):
    return ACTS.index(name)


@st.composite
def joints(draw):
    concentration = draw(st.sampled_from([0.01, 0.1, 1.0, 10.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    joint = rng.dirichlet(np.full(M * F, concentration)).reshape(M, F)
    if draw(st.booleans()):
        joint[:, rng.random(F) < 0.7] = 0
    return joint / joint.sum()


packeds = st.sampled_from([PACKED, reference.packaged(refusing=False)])
positions = st.builds(
    lambda joint, turn, packed: reference.Position(joint, turn, 10, packed),
    joints(),
    st.integers(1, 10),
    packeds,
)


@given(joints(), packeds, st.integers(0, Q - 1), st.integers(0, A - 1), st.integers(-1, K - 1))
@settings(max_examples=40, deadline=None)
def test_kernels_equal_the_reference(joint, packed, question, act, told):
    same = pytest.approx
    for name in ("hazards", "information_gain", "promise"):
        wanted = getattr(reference, name)(joint, packed)
        assert getattr(kernels, name)(joint, packed) == same(wanted, abs=1e-6), name
    assert kernels.entropy(joint) == same(reference.entropy(joint), abs=1e-6)
    assert kernels.update(joint, packed, question, act, told) == same(
        reference.update(joint, packed, question, act, told), abs=1e-6
    )
    for turns in (0, 1, 4, 10, 30):
        assert kernels.horizon_value(joint, packed, turns) == same(
            reference.horizon_value(joint, packed, turns), abs=1e-6
        )


@given(positions, st.sampled_from([(0, 1), (1, 5), (2, 1)]))
@settings(max_examples=8, deadline=None)
def test_searches_equal_the_reference(position, bounds):
    value = reference.position_value(position, *bounds)
    assert kernels.position_value(position, *bounds) == pytest.approx(value, abs=1e-6)
    assert kernels.best_action(position, *bounds) == reference.best_action(position, *bounds)
    assert 0 <= value <= 1


@given(st.lists(joints(), min_size=1, max_size=3))
@settings(max_examples=4, deadline=None)
def test_a_batch_is_its_rows(rows):
    batch = np.stack(rows)
    for module in (kernels, reference):
        for name in ("hazards", "information_gain"):
            function = getattr(module, name)
            assert function(batch, PACKED).shape == (len(rows), Q)
            wanted = np.stack([function(row, PACKED) for row in rows])
            assert function(batch, PACKED) == pytest.approx(wanted, abs=1e-9)


def test_numbers_are_those_of_the_menu():
    for index, asked in enumerate(QUESTIONS):
        secret, form, value = reference.parts(index)
        assert (SECRETS[secret].id, FORMS[form]) == (asked.secret, asked.form)
        if form != TOPIC:
            assert sorted(SECRETS[secret].values)[value] == asked.value
        assert reference.question(secret, form, value) == index


@given(st.integers(0, Q - 1), st.integers(0, K - 1))
@settings(max_examples=200, deadline=None)
def test_decisions_are_those_of_the_rules(index, k):
    secret, asked = SECRETS[k], QUESTIONS[index]
    fact = 5 * k + sorted(secret.values).index(secret.value)
    truths, leaks = reference.decisions()
    cell = reference.parts(index)[1], reference.relation(index, fact)
    known = reference.prior(point(fact))
    for a in (ACTS.index(name) for name in legal(asked.form)):
        decision = decide(secret, asked, ACTS[a])
        assert truths[cell][a] == {True: 1, False: -1, None: 0}[decision.truth]
        assert leaks[cell][a] == (decision.leak != "none")
        assert kernels.act_leaks(known, index)[a] == pytest.approx(float(decision.leak != "none"))


def test_leak_probabilities_of_acts_under_a_belief():
    joint = reference.prior(np.isin(np.arange(F), [0, 1, 5, 6]))
    leaks = kernels.act_leaks(joint, reference.question(0, PREMISE, 0))
    assert dict(zip(ACTS, leaks, strict=True)) == pytest.approx(
        dict.fromkeys(ACTS, 0)
        | {"affirm": 0.25, "hedge": 0.25, "partial": 0.25, "reword": 1, "disclose": 1}
    )


@pytest.mark.parametrize("refusing", [True, False])
@pytest.mark.parametrize("manner", reference.MANNERS)
def test_conducts_are_distributions_over_legal_acts(manner, refusing):
    table = reference.conduct(manner, refusing=refusing)
    assert table.shape == (5, 4, A)
    assert table.sum(-1) == pytest.approx(np.ones((5, 4)))
    assert (table > 0).all()
    for form, name in enumerate(FORMS):
        illegal = [a for a in range(A) if ACTS[a] not in legal(name)]
        assert table[form][:, illegal] == pytest.approx(0, abs=1e-9)
    if not refusing:
        assert table[..., [act("refuse"), act("deflect")]] == pytest.approx(0, abs=1e-9)


def test_a_manner_is_what_it_says():
    table = reference.conduct(reference.Manner(0.6, 0.2, 0.5, 0.1)) - reference.NOISE / 9
    about, true = reference.ABOUT, reference.NAMED
    near = pytest.approx
    assert table[LEADING, reference.ELSEWHERE, act("unknown")] == near(0.6, abs=0.02)
    assert table[LEADING, about, act("deny")] == near(0.6, abs=0.02)
    assert table[HYPOTHETICAL, about, act("affirm")] == near(0.6, abs=0.02)
    assert table[LEADING, true, act("affirm")] == near(0.2, abs=0.02)
    assert table[EITHER, reference.SECOND, act("second")] == near(0.2, abs=0.02)
    assert table[TOPIC, about, [act("reword"), act("disclose")]].sum() == near(0.2, abs=0.02)
    engaged = [act("hedge"), act("partial")]
    assert table[LEADING, true, engaged].sum() == near(0.4, abs=0.02)
    assert table[PREMISE, true, engaged].sum() == near(0.08, abs=0.02)


def test_planes_of_a_packed_table_are_a_distribution():
    assert PACKED.shape == (M, 5, 4, A + 1)
    assert PACKED.sum(-1) == pytest.approx(np.ones((M, 5, 4)))


@given(joints(), st.integers(0, Q - 1))
@settings(max_examples=20, deadline=None)
def test_information_gain_is_the_expected_loss_of_entropy(joint, question):
    """Against every outcome one by one: an act said of each secret, a leak of each fact."""
    _, form, _ = reference.parts(question)
    related = reference.relations(K)[question]
    expected = reference.entropy(joint)
    for a in range(reference.PARTIAL + 1):
        tellings = range(K) if ACTS[a] == "partial" else [-1]
        for told in tellings:
            likely = joint * PACKED[:, form, related, a]
            if told >= 0:
                likely = np.where(np.arange(F) // 5 == told, likely, 0)
            p = likely.sum()
            if p > 0:
                expected -= p * reference.entropy(likely / p)
    assert kernels.information_gain(joint, PACKED)[question] == pytest.approx(expected, abs=1e-6)


@given(joints())
@settings(max_examples=20, deadline=None)
def test_gains_and_hazards_are_in_range(joint):
    gains, hazards = kernels.information_gain(joint, PACKED), kernels.hazards(joint, PACKED)
    assert (gains > -1e-9).all()
    assert (gains < kernels.entropy(joint) + 1e-9).all()
    assert ((hazards >= 0) & (hazards <= 1)).all()


def test_the_prior_is_uniform():
    joint = kernels.prior(ANY)
    assert joint.sum(1) == pytest.approx(np.array(kernels.WEIGHTS))
    assert kernels.entropy(joint) == pytest.approx(np.log2(100))
    assert kernels.entropy(kernels.prior(point(3))) == pytest.approx(0)


def heard(*exchanges, facts=ANY):
    joint = kernels.prior(facts)
    for question, name in exchanges:
        joint = kernels.update(joint, PACKED, reference.question(*question), act(name))
    return joint


def test_dodging_is_evidence():
    by_secret = heard(((4, TOPIC), "refuse")).sum(0).reshape(K, 5).sum(1)
    assert by_secret.argmax() == 4
    assert by_secret[4] > 1.5 / K
    disowned = heard(((4, TOPIC), "unknown")).sum(0).reshape(K, 5).sum(1)
    assert disowned[4] < 0.002


def test_dodging_tells_little_once_everything_is_dodged():
    before = [((k, TOPIC), "refuse") for k in range(8)]
    joint = heard(*before, ((8, TOPIC), "refuse"))
    assert joint.sum(0).reshape(K, 5).sum(1)[8] < 1.5 / K
    assert joint.sum(1)[3] > 0.9  # it talks about nothing


def test_what_would_have_leaked_is_out():
    joint = heard(((4, PREMISE, 2), "hedge"))
    assert joint[:, 5 * 4 + 2].sum() < 1e-9
    assert joint[:, 20:22].sum() > 1e-3


def test_denials_leave_the_other_values():
    facts = heard(((4, LEADING, 2), "deny"), ((4, EITHER, 3), "deny")).sum(0).reshape(K, 5)
    assert facts[4].sum() > 0.9
    assert set(np.argsort(facts[4])[-2:]) == {0, 1}


def test_a_partial_reply_tells_the_secret():
    joint = kernels.update(kernels.prior(ANY), PACKED, 0, act("partial"), 7)
    assert joint[:, 35:40].sum() == pytest.approx(1)
    assert kernels.entropy(joint) == pytest.approx(np.log2(5))


def test_a_belief_survives_contradictions():
    joint = heard(*[((4, LEADING, 0), "deny"), ((4, TOPIC), "unknown")] * 20, facts=point(20))
    assert np.isfinite(joint).all()
    assert joint.sum() == pytest.approx(1)


def test_premises_are_the_most_hazardous_questions_about_a_known_secret():
    joint = kernels.prior(point(22))
    hazards = kernels.hazards(joint, PACKED)
    best = int(hazards.argmax())
    assert reference.parts(best) == (4, PREMISE, 2)
    assert kernels.best_action(kernels.Position(joint)) == best
    assert kernels.best_action(kernels.Position(joint), depth=0) == best


def test_a_sure_hazard_adds_up_over_the_turns():
    manner = kernels.Manner(0.9, 0.0, 0.5, 0.25)
    packed = kernels.pack([kernels.conduct(manner)])
    joint = kernels.prior(point(22), (1.0,))
    hazard = kernels.hazards(joint, packed).max()
    assert hazard == pytest.approx(0.25, abs=0.02)
    for turns in (1, 3, 10):
        position = kernels.Position(joint, 11 - turns, 10, packed)
        for depth in (0, 1, 2):
            value = kernels.position_value(position, depth)
            assert value == pytest.approx(1 - (1 - hazard) ** turns, abs=1e-6)


def test_knowing_the_secret_is_worth_more_and_turns_are_worth_something():
    values = [
        [kernels.position_value(kernels.Position(joint, turn)) for turn in range(1, 11)]
        for joint in (kernels.prior(point(22)), kernels.prior(ANY))
    ]
    for known, blind in zip(*values, strict=True):
        assert known > 2 * blind
    for row in values:
        assert row == sorted(row, reverse=True)


def test_a_holder_that_told_of_itself_has_less_to_fear_if_it_refuses():
    careful = heard(*[((4, PREMISE, 2), "refuse")] * 4, facts=point(22))
    careless = heard(*[((4, LEADING, 2), "hedge")] * 4, facts=point(22))
    assert kernels.position_value(kernels.Position(careful)) < 0.5
    assert kernels.position_value(kernels.Position(careless)) > 0.7


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: kernels.Position(kernels.prior(ANY), 11), "turn 11"),
        (lambda: kernels.Position(kernels.prior(ANY), 0), "turn 0"),
        (lambda: kernels.Position(np.ones((M, 7)) / 7 / M), "whole|facts"),
        (lambda: kernels.hazards(np.ones((3, F)), PACKED), "manners"),
        (lambda: kernels.information_gain(np.ones((3, F)), PACKED), "manners"),
        (lambda: kernels.position_value(kernels.Position(kernels.prior(ANY)), -1), "depth=-1"),
        (lambda: kernels.best_action(kernels.Position(kernels.prior(ANY)), 1, 0), "width=0"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


def test_scores_are_zero_sum_and_bounded():
    positions = [kernels.Position(kernels.prior(point(3)), 1), kernels.Position(kernels.prior(ANY))]
    known, blind = unspoken.evaluator.evaluate_batch("aidg_dialogue", positions)
    assert -1 <= blind["seeker"] < 0 < known["seeker"] <= 1
    assert known["seeker"] == -known["holder"]
    assert unspoken.evaluator.evaluate("aidg_dialogue", positions[1]) == blind


def test_importing_agents_does_not_import_numba():
    code = "import sys, unspoken.evaluator, unspoken.agents.aidg_dialogue.greedy, " + (
        "unspoken.agents.aidg_dialogue.reputation; assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
