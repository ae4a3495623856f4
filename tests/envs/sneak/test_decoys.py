"""Decoys: the checks on all of the data, and how they are made."""

import subprocess
import sys

import pytest

from unspoken.envs.sneak.decoys import decoy_faults, generate
from unspoken.envs.sneak.instances import SneakDataError, load
from unspoken.lexicon.morphology import forms, tokens
from unspoken.lexicon.senses import category_synonyms
from unspoken.lexicon.wordnet import senses

BIRDS = ("eagle", "robin", "sparrow", "crow", "owl", "parrot", "penguin", "duck", "swan", "hawk")


@pytest.mark.parametrize("category", load(), ids=lambda category: category.name)
def test_decoys_of_the_data(category) -> None:
    assert len(category.decoys) == 5
    faults = decoy_faults(category.name, category.words, category.decoys, category.wordnet)
    assert faults == []
    others = category_synonyms(category.name, category.words, category.wordnet)
    assert set(category.decoys).isdisjoint(others)
    for word in (part for text in category.words for part in tokens(text)):
        for decoy in category.decoys:
            assert not (len(decoy) > 2 and word.startswith(decoy)), (word, decoy)
            assert not (len(decoy) > 2 and word.endswith(decoy)), (word, decoy)
    own = {form for text in (category.name, *category.words) for form in forms(text)}
    said = [decoy.casefold() for decoy in category.decoys]
    assert len(set(said)) == 5
    assert own.isdisjoint(said)
    for decoy in category.decoys:
        assert senses(decoy)
        assert 1 <= len(tokens(decoy)) <= 3


def test_no_decoy_of_the_data_is_upper_ontology() -> None:
    opaque = {"entity", "whole", "physical object", "abstraction", "object", "thing", "artifact"}
    assert opaque.isdisjoint(decoy for category in load() for decoy in category.decoys)


@pytest.mark.slow
def test_the_decoys_of_the_data_are_the_generated_ones() -> None:
    for category in load():
        assert category.decoys == generate(category.name, category.words, category.wordnet)


def test_decoys_fit_the_category() -> None:
    # parts of birds, and what they are and lay, by WordNet's bird.n.01
    assert {"wing", "feather", "animal", "egg"} <= set(generate("bird", BIRDS))


def test_decoys_are_the_same_in_every_process() -> None:
    code = f"""
from unspoken.envs.sneak.decoys import generate
print(generate("bird", {BIRDS!r}))
"""
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1] == f"{generate('bird', BIRDS)}\n"


def test_no_decoy_comes_from_one_word_only() -> None:
    # only the owl is nocturnal, only the parrot talks
    alone = generate("bird", [*BIRDS, "nightingale"])
    assert not {"nocturnal", "zygodactyl", "hoot"} & set(alone)


def test_words_without_anything_in_common_are_refused() -> None:
    with pytest.raises(SneakDataError, match="'blorp': its words share only 0 terms in WordNet"):
        generate("blorp", ["xyzzy", "plugh", "frobnitz"])


@pytest.mark.parametrize(
    ("decoy", "fault"),
    [
        ("Wing", ""),
        ("flock of geese", ""),
        ("ducks", "decoy 'ducks' repeats the word 'duck'"),
        ("a swan song", "decoy 'a swan song' repeats the word 'swan'"),
        ("birds", "decoy 'birds' repeats the category"),
        ("sparrow-like", "decoy 'sparrow-like' repeats the word 'sparrow'"),
        ("crowing", "decoy 'crowing' repeats the word 'crow'"),
        ("vertebrates", "decoy 'vertebrates' is another name of the category"),
        ("cygnet", ""),
        ("bowl", "decoy 'bowl' shares a part with the word 'owl'"),
        ("scarecrow", "decoy 'scarecrow' shares a part with the word 'crow'"),
        ("", "decoy '' has 0 words, not 1 to 3"),
        ("…", "decoy '…' has 0 words, not 1 to 3"),
        ("it has two long wings", "decoy 'it has two long wings' has 5 words, not 1 to 3"),
    ],
)
def test_each_fault_is_named(decoy, fault) -> None:
    assert decoy_faults("bird", BIRDS, [decoy]) == [fault] * bool(fault)


def test_two_forms_of_one_lemma_are_a_fault() -> None:
    assert decoy_faults("bird", BIRDS, ["wing", "beak", "Wings"]) == [
        "decoy 'Wings' is the same as 'wing'"
    ]
    assert decoy_faults("bird", BIRDS, ["tree house", "tree-houses"]) == [
        "decoy 'tree-houses' is the same as 'tree house'"
    ]


def test_another_name_of_one_word_is_a_fault() -> None:
    words = ["car", "truck", "bus", "motorcycle"]
    assert decoy_faults("vehicle", words, ["automobiles", "cycle", "wheel"]) == [
        "decoy 'automobiles' is another name of the word 'car'",
        "decoy 'cycle' shares a part with the word 'motorcycle'",
    ]


def test_what_the_category_is_called_depends_on_its_nouns() -> None:
    words = ["spade", "rake", "hoe", "trowel", "shovel"]
    assert decoy_faults("gardening equipment", words, ["tools", "soil"], ["tool"]) == [
        "decoy 'tools' is another name of the category"
    ]


def test_longer_decoys_can_be_allowed() -> None:
    assert decoy_faults("bird", BIRDS, ["it has two long wings"], max_words=5) == []


def test_small_words_of_the_category_are_no_fault() -> None:
    assert decoy_faults("part of a car", ["engine", "wheel"], ["the motor"]) == []
    assert decoy_faults("part of a car", ["engine", "wheel"], ["car door"]) == [
        "decoy 'car door' repeats the category"
    ]
