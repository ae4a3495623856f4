import hashlib
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.envs.sneak.instances import load
from unspoken.lexicon.vectors import DATA, similarity, vector, vocabulary
from unspoken.lexicon.wordnet import senses


def cosine(a, b):
    return float(similarity([a], [b])[0, 0])


def nearer(text, near, far):
    return cosine(text, near) > cosine(text, far)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("cutting", "knife", "bucket"),
        ("hospital", "nurse", "farmer"),
        ("beak", "bird", "horse"),
        ("snow", "winter", "kitchen"),
        ("guilty", "innocent", "purple"),
        ("meow", "cat", "tiger"),
        ("made of wood", "table", "glove"),
        ("bunny", "rabbit", "lion"),
        ("Halloween", "pumpkin", "carrot"),
        ("violins", "orchestra", "army"),
    ],
)
def test_what_goes_together(text, near, far):
    assert nearer(text, near, far)


def test_word_pairs_are_ordered_as_people_order_them():
    """Every eighteenth pair of WordSim-353 (Finkelstein et al. 2002) by its rating, 0 to 10."""
    rated = [
        ("tiger", "tiger", 10.0),
        ("furnace", "stove", 8.79),
        ("FBI", "investigation", 8.31),
        ("hotel", "reservation", 8.03),
        ("wood", "forest", 7.73),
        ("day", "dawn", 7.53),
        ("physics", "chemistry", 7.35),
        ("psychology", "anxiety", 7.0),
        ("problem", "challenge", 6.75),
        ("dividend", "calculation", 6.48),
        ("family", "planning", 6.25),
        ("game", "round", 5.97),
        ("money", "laundering", 5.65),
        ("man", "governor", 5.25),
        ("word", "similarity", 4.75),
        ("focus", "life", 4.06),
        ("music", "project", 3.63),
        ("viewer", "serial", 2.97),
        ("reason", "hypertension", 2.31),
        ("delay", "racism", 1.19),
    ]
    found = np.array([cosine(a, b) for a, b, _ in rated])
    ranks = (-found).argsort().argsort()
    assert np.corrcoef(ranks, np.arange(len(rated)))[0, 1] > 0.8


def test_vectors():
    for text in ("cat", "Cat", "ice cream", "a cat on the roof"):
        found = vector(text)
        assert found.shape == (128,)
        assert found.dtype == np.float32
        assert np.linalg.norm(found) == pytest.approx(1)
        assert not found.flags.writeable
    assert (vector("CATS") == vector("cat")).all()
    assert cosine("cat", "cat") == pytest.approx(1)
    assert (vector("as it is in an owl") == vector("owl")).all()


def test_unknown_words_are_backed_off():
    index = set((DATA / "words.txt").read_text().splitlines())
    assert not index & {"mice", "snowploughs", "toothbrushing"}
    assert (vector("mice") == vector("mouse")).all()
    both = vector("snow") + vector("plough")
    assert vector("snowploughs") == pytest.approx(both / np.linalg.norm(both), abs=1e-6)
    for text in ("", "?!", "of the", "qqxx", "字", "qqxx zzyy"):
        assert not vector(text).any()
        assert similarity([text], ["cat", "of"]).tolist() == [[0, 0]]
    assert (vector("the qqxx cat") == vector("cat")).all()


def test_rare_words_borrow_from_wordnet():
    assert (vector("okapi") == vector("giraffe")).all()  # its next broader word
    assert (vector("capybaras") == vector("rodent")).all()


def test_phrases_are_the_mean_of_their_words_unless_they_have_their_own():
    words = vector("old") + vector("bicycle") + vector("repair")
    assert vector("repair of an old bicycle") == pytest.approx(
        words / np.linalg.norm(words), abs=1e-6
    )
    assert nearer("hot dog", "hotdog", "puppy")
    parts = vector("ice") + vector("cream")
    assert np.abs(vector("ice cream") - parts / np.linalg.norm(parts)).max() > 0.01


@given(st.lists(st.text(max_size=30), max_size=4), st.lists(st.text(max_size=30), max_size=4))
def test_any_text_has_a_similarity(a, b):
    found = similarity(a, b)
    assert found.shape == (len(a), len(b))
    assert found.dtype == np.float32
    assert (np.abs(found) <= 1 + 1e-6).all()
    assert similarity(b, a) == pytest.approx(found.T, abs=1e-6)


def test_every_word_of_the_game_has_a_vector():
    for category in load():
        for text in (category.name, *category.words, *category.decoys):
            assert vector(text).any(), text


def test_vocabulary():
    words = vocabulary()
    assert len(words) == len(set(words)) == 2152
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)
    for word in words:
        # no proper name: WordNet has it in small letters; no function word: it has it at all
        assert any(sense.word == word for sense in senses(word)), word
        assert vector(word).any()
    digest = hashlib.sha256("\n".join(words).encode()).hexdigest()
    assert digest[:8] == "a7090021"  # menus are made of it: a new order is a new game version


def test_loading_is_quick_and_late():
    code = (
        "import sys, unspoken.lexicon.vectors as v; assert v._table.cache_info().currsize == 0; "
        "import time; start = time.perf_counter(); v.vector('cat'); "
        "print(time.perf_counter() - start); assert 'numba' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1.5


def test_lookups_are_fast():
    similarity(vocabulary(), ["cat"])
    start = time.perf_counter()
    similarity(vocabulary(), vocabulary())
    assert time.perf_counter() - start < 1
