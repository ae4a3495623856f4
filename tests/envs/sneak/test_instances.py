"""Reading categories, and what a wrong file is told."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.envs.sneak.instances import (
    DEFAULT,
    Category,
    Instance,
    SneakDataError,
    instances,
    load,
    resize,
)

FILE = """
[[category]]
name = "bird"
kind = "concrete"
words = ["eagle", "owl", "duck"]
decoys = ["wing", "feather"]

[[category]]
name = "virtue"
kind = "abstract"
wordnet = ["virtue"]
words = ["courage", "charity"]
decoys = ["good"]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_numbers_are_those_of_the_papers_table_1() -> None:
    categories = load()
    assert Counter(category.kind for category in categories) == {"concrete": 67, "abstract": 50}
    assert {len(category.words) for category in categories} <= {10, 11, 12}
    assert {len(category.decoys) for category in categories} == {5}
    found = instances(categories)
    assert len(found) == 1394
    assert len({instance.id for instance in found}) == 1394


def test_a_users_own_file_is_read(tmp_path) -> None:
    birds, virtues = load(write(tmp_path, FILE))
    assert birds == Category("bird", "concrete", ("eagle", "owl", "duck"), ("wing", "feather"))
    assert virtues.wordnet == ("virtue",)
    found = instances([birds, virtues])
    assert [instance.id for instance in found] == [
        *("bird/eagle", "bird/owl", "bird/duck", "virtue/courage", "virtue/charity"),
    ]
    assert found[1] == Instance("bird", "concrete", birds.words, "owl", birds.decoys)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "concrete"', 'kind = "solid"', "category 'bird': kind is 'solid', not one of con"),
        ('name = "bird"\n', "", "number 1: has no 'name'"),
        ('name = "virtue"', 'name = "Bird"', "category 'Bird' stands twice"),
        ('"duck"]', '"Owl"]', "'Owl' among the words is also one of the words"),
        ('["wing"', '["Bird"', "'Bird' among the decoys is also the category"),
        ('["wing"', '["owl"', "'owl' among the decoys is also one of the words"),
        ('["wing"', '["feather"', "'feather' among the decoys is also one of the decoys"),
        ('["eagle", "owl", "duck"]', '["eagle"]', "needs two words and one decoy"),
        ('["wing", "feather"]', "[]", "needs two words and one decoy"),
        ('["wing", "feather"]', '"wing"', "decoys must be a list of texts .*, not 'wing'"),
        ('"eagle"', '" eagle"', "words must be a list of texts without blanks at the ends"),
        ('"eagle"', '""', "words must be a list of texts"),
        ('"eagle"', "7", "words must be a list of texts"),
        ('name = "bird"', "name = 7", "name must be a text"),
        ('kind = "concrete"', 'sort = "concrete"', "has no 'kind'"),
        ('decoys = ["good"]', 'decoys = ["good"]\nweight = 2', "unknown key 'weight'; keys are na"),
        (
            '[[category]]\nname = "bird"',
            '[[group]]\nname = "bird"',
            r"\[\[category\]\] tables only",
        ),
        ('[[category]]\nname = "bird"', '[[category]\nname = "bird"', "is not valid TOML"),
        (FILE, "", r"holds no \[\[category\]\]"),
        (FILE, "category = 3", r"\[\[category\]\] tables only"),
    ],
)
def test_a_wrong_file_is_told_what_is_wrong(tmp_path, old, new, message) -> None:
    assert old in FILE
    with pytest.raises(SneakDataError, match=message) as told:
        load(write(tmp_path, FILE.replace(old, new, 1)))
    assert "mine.toml" in str(told.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path) -> None:
    with pytest.raises(SneakDataError, match=r"none\.toml cannot be read: No such file"):
        load(tmp_path / "none.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes(b'name = "caf\xe9"')
    with pytest.raises(SneakDataError, match=r"latin\.toml is not UTF-8"):
        load(path)


def test_the_package_file_is_the_default() -> None:
    assert load() == load(DEFAULT)


@given(
    st.sampled_from(instances(load())), st.integers(2, 10), st.integers(1, 5), st.integers(0, 99)
)
def test_fewer_words_and_decoys_keep_the_secret(instance, n_words, n_decoys, seed) -> None:
    small = resize(instance, n_words, n_decoys, np.random.default_rng(seed))
    assert (len(small.words), len(small.decoys)) == (n_words, n_decoys)
    assert small.secret == instance.secret
    assert small.secret in small.words
    assert small.id == instance.id
    for fewer, all_ in ((small.words, instance.words), (small.decoys, instance.decoys)):
        assert list(fewer) == [text for text in all_ if text in fewer]
    assert small == resize(instance, n_words, n_decoys, np.random.default_rng(seed))


def test_all_words_and_decoys_are_the_same_game() -> None:
    instance = instances(load())[0]
    assert resize(instance, 12, 5, np.random.default_rng(0)) == instance


@pytest.mark.parametrize(
    ("n_words", "n_decoys", "message"),
    [
        (13, 5, "13 words asked for, 2 to 12 possible"),
        (1, 5, "1 words asked for"),
        (12, 6, "6 decoys asked for, 1 to 5 possible"),
        (12, 0, "0 decoys asked for"),
    ],
)
def test_a_size_that_is_not_there_is_named(n_words, n_decoys, message) -> None:
    with pytest.raises(ValueError, match=message):
        resize(instances(load())[0], n_words, n_decoys, np.random.default_rng(0))
