"""Forms, base forms and tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.envs.sneak.instances import load
from unspoken.lexicon.morphology import forms, lemma, tokens
from unspoken.lexicon.wordnet import senses

texts = st.text(max_size=12)
words = st.text("abcdefghijklmnopqrstuvwxyz-' ", max_size=12)
known = st.sampled_from(sorted({word for category in load() for word in category.words}))


@pytest.mark.parametrize(
    ("word", "among", "not_among"),
    [
        ("mouse", "mice", "mous"),
        ("mice", "mouse", "miced"),
        ("run", "runs ran running", "runing"),
        ("ran", "run running", ""),
        ("big", "bigger biggest", "biger"),
        ("happy", "happier happiest", "happyer"),
        ("good", "better best", ""),
        ("box", "boxes boxed boxing", "boxs"),
        ("city", "cities", "citys"),
        ("stop", "stopped stopping", "stoped"),
        ("hop", "hopped hopping", "hoped hoping"),
        ("hope", "hoped hoping", "hopped"),
        ("see", "saw seen seeing", "seed"),
        ("be", "is are was were been being", "bed bees"),
        ("die", "dies died dying", "dieing"),
        ("agree", "agreed agreeing", "agreeed"),
        ("panic", "panicked panicking", ""),
        ("visit", "visited visiting", "visitted"),
        ("learn", "learned learnt", ""),
        ("travel", "traveled travelled", ""),
        ("potato", "potatoes", ""),
        ("woman", "women", ""),
        ("snowman", "snowmen", ""),
        ("building", "build built buildings", ""),
        ("bed", "beds", "be being"),
        ("number", "numbers", "numb numbest"),
        ("rose", "roses", "rise risen"),
        ("glasses", "glass", ""),
        ("blorp", "blorps blorped blorping", ""),
    ],
)
def test_forms_of_words(word, among, not_among) -> None:
    found = forms(word)
    assert set(among.split()) <= found
    assert not set(not_among.split()) & found


@pytest.mark.parametrize(
    ("phrase", "among"),
    [
        ("ice cream", ["ice creams"]),
        ("wisdom tooth", ["wisdom teeth"]),
        ("mother-in-law", ["mothers-in-law"]),
        ("give up", ["gave up", "giving up", "given up"]),
        ("Teddy  Bear", ["teddy bear", "teddy bears"]),
        ("blue blorp", ["blue blorps"]),
    ],
)
def test_forms_of_phrases(phrase, among) -> None:
    assert set(among) <= forms(phrase)


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("mice", "mouse"),
        ("Children", "child"),
        ("running", "run"),
        ("went", "go"),
        ("happier", "happy"),
        ("better", "good"),
        ("glasses", "glass"),
        ("evening", "evening"),
        ("rose", "rose"),
        ("bed", "bed"),
        ("wolves", "wolf"),
        ("ice creams", "ice cream"),
        ("ice-cream", "ice cream"),
        ("blorps", "blorps"),
    ],
)
def test_lemma(word, base) -> None:
    assert lemma(word) == base


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat's  Hat!", ("the", "cat", "hat")),
        ("ice-cream, 2 scoops", ("ice", "cream", "2", "scoops")),
        ("the dogs’ don’t", ("the", "dogs", "don't")),
        ("A_b", ("a", "b")),
        ("Café ÉCLAIR", ("café", "éclair")),
        ("…?!", ()),
        ("", ()),
    ],
)
def test_tokens(text, expected) -> None:
    assert tokens(text) == expected


@given(texts | words | known)
def test_forms_never_raise_and_hold_the_word(text) -> None:
    assert " ".join(text.lower().split()) in forms(text)


@given(texts | words | known)
def test_lemma_is_idempotent(text) -> None:
    assert lemma(lemma(text)) == lemma(text)


@given(known)
def test_words_of_the_data_are_forms_of_their_lemma(word) -> None:
    assert word.lower() in forms(lemma(word)) | forms(word)
    assert senses(lemma(word))


@given(known)
def test_every_form_leads_back_to_a_word_with_that_form(word) -> None:
    for form in forms(word):
        assert form in forms(form)


@given(texts)
def test_tokens_are_their_own_tokens(text) -> None:
    assert all(tokens(token) == (token,) for token in tokens(text))
