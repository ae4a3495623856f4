"""The shipped table, and what a wrong file is told."""

import shutil
from collections import Counter

import numpy as np
import pytest

from unspoken.envs import aidg_search_v0
from unspoken.envs.aidg_search.ontology import DEFAULT, OntologyError, load

ONTOLOGY = load()


def answers(word: str, *ids: str) -> list[str]:
    index = {q.id: i for i, q in enumerate(ONTOLOGY.questions)}
    row = ONTOLOGY.table[ONTOLOGY.words.index(word)]
    return [("yes", "no", "maybe")[row[index[i]].argmax()] for i in ids]


def test_the_words_are_those_of_table_9() -> None:
    assert len(ONTOLOGY.words) == 100
    assert set(Counter(ONTOLOGY.categories).values()) == {10}
    assert ONTOLOGY.words[0] == "chair"
    assert ONTOLOGY.words[-1] == "magnet"


def test_the_bank_is_large_enough_and_every_cell_is_a_distribution() -> None:
    assert len(ONTOLOGY.questions) >= 128
    assert ONTOLOGY.table.shape == (100, len(ONTOLOGY.questions), 3)
    assert np.allclose(ONTOLOGY.table.sum(axis=-1), 1)
    assert (ONTOLOGY.table >= 0).all()
    assert not ONTOLOGY.table.flags.writeable


def test_every_pair_of_words_differs_on_three_questions() -> None:
    yes = ONTOLOGY.table[:, :, 0]
    differ = (np.abs(yes[:, None] - yes[None]) > 1e-9).sum(axis=-1)
    assert differ[np.triu_indices(100, 1)].min() >= 3


def test_no_wording_stands_for_two_questions() -> None:
    wordings = Counter(w.lower() for q in ONTOLOGY.questions for w in (q.text, *q.forms))
    assert max(wordings.values()) == 1
    assert all(q.text.endswith("?") for q in ONTOLOGY.questions)


@pytest.mark.parametrize(
    ("word", "ids", "expected"),
    [
        ("penguin", ("fly", "swim", "bird", "lays_eggs", "alive"), "no yes yes yes yes"),
        ("whale", ("mammal", "lays_eggs", "bigger_car", "legs"), "yes no yes no"),
        ("table", ("legs", "alive", "wood", "furnishing"), "yes no yes yes"),
        ("airplane", ("fly", "wings", "tail", "engine", "animal"), "yes yes yes yes no"),
        ("potato", ("vegetable", "underground", "eaten_raw", "peel"), "yes yes no yes"),
        ("cloud", ("water_made", "high_up", "alive"), "yes yes no"),
        ("clock", ("tells", "moving_parts", "alive"), "yes yes no"),
        ("umbrella", ("rain", "opens_closes", "handle"), "yes yes yes"),
        ("tongue", ("body_part", "in_mouth", "bones"), "yes yes no"),
        ("candle", ("light", "burns", "electricity"), "yes yes no"),
    ],
)
def test_what_anybody_knows(word, ids, expected) -> None:
    assert answers(word, *ids) == expected.split()


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(DEFAULT, tmp_path / "mine")


def replace(folder, old, new, file="questions.toml") -> None:
    path = folder / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_users_own_folder_is_played(folder) -> None:
    replace(folder, '"magnet"', '"trumpet"', "words.toml")
    path = folder / "questions.toml"
    path.write_text(path.read_text().replace("magnet", "trumpet"))
    env = aidg_search_v0.env(ontology=folder)
    env.reset(seed=0, options={"secret": "trumpet"})
    assert "lock: trumpet" in env.menu("seeker_0")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('rest = "no"', 'rest = "nope"', "question 'furnishing': rest is 'nope'"),
        ('yes = "chair', 'yes = "sofa chair', "'sofa' is not a word of words.toml"),
        ('yes = "chair', 'yes = "chair chair', "'chair' stands twice"),
        ('id = "animal"', 'id = "furnishing"', "id given twice: furnishing"),
        ('yes = "chair', 'often = "chair', r"unknown key \['often'\]"),
        ("usually = [0.75", "usually = [0.85", "level 'usually': .* is not three probabilities"),
        ("[levels]", "[levels", "is not valid TOML"),
        ("text =", "txt =", "has no 'text'"),
    ],
)
def test_a_wrong_file_is_told_what_is_wrong(folder, old, new, message) -> None:
    replace(folder, old, new)
    with pytest.raises(OntologyError, match=message):
        load(folder)


def test_a_missing_file_is_named(tmp_path) -> None:
    with pytest.raises(OntologyError, match=r"words\.toml does not exist"):
        load(tmp_path)
