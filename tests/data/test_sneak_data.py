"""The words of SNEAK: the benchmark's numbers and the promises of the data's README."""

import re
import tomllib
from collections import Counter
from importlib import resources
from typing import Any

import pytest

FOLDER = resources.files("unspoken.data") / "sneak"


def read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def categories() -> list[dict[str, Any]]:
    return list(read("categories.toml")["category"])


@pytest.fixture(scope="module")
def translations() -> dict[str, list[str]]:
    return dict(read("translations.toml")["translations"])


def test_numbers_are_the_papers(categories: list[dict[str, Any]]) -> None:
    kinds = Counter(category["kind"] for category in categories)
    assert kinds == {"concrete": 67, "abstract": 50}
    assert sum(len(category["words"]) for category in categories) == 1394
    assert {len(category["words"]) for category in categories} <= {10, 11, 12}


def test_names_are_unique(categories: list[dict[str, Any]]) -> None:
    assert len({category["name"].casefold() for category in categories}) == 117


def test_no_word_twice_in_a_category(categories: list[dict[str, Any]]) -> None:
    for category in categories:
        words = [word.casefold() for word in category["words"]]
        assert len(set(words)) == len(words), category["name"]


def test_few_words_stand_in_two_categories_and_none_in_three(
    categories: list[dict[str, Any]],
) -> None:
    counts = Counter(word.casefold() for category in categories for word in category["words"])
    assert max(counts.values()) == 2
    assert sum(count == 2 for count in counts.values()) <= 20


def test_no_word_names_its_category(categories: list[dict[str, Any]]) -> None:
    for category in categories:
        named = [w for w in category["words"] if category["name"].casefold() in w.casefold()]
        assert not named, category["name"]


def test_words_are_short_phrases(categories: list[dict[str, Any]]) -> None:
    for category in categories:
        for word in category["words"]:
            assert re.fullmatch(r"[A-Za-z'-]+( [A-Za-z'-]+){0,2}", word), word


def test_every_category_has_wordnet_lemmas(categories: list[dict[str, Any]]) -> None:
    for category in categories:
        lemmas = category["wordnet"]
        assert lemmas, category["name"]
        assert all(lemma == lemma.strip() != "" for lemma in lemmas), category["name"]


def test_translations_are_of_the_words_and_of_all_of_them(
    categories: list[dict[str, Any]], translations: dict[str, list[str]]
) -> None:
    assert set(translations) == {word for category in categories for word in category["words"]}


def test_translations_are_lower_case_and_differ_from_the_word(
    translations: dict[str, list[str]],
) -> None:
    for word, forms in translations.items():
        assert len(set(forms)) == len(forms), word
        for form in forms:
            assert form == form.strip().lower() != word.lower(), word


def test_no_translation_is_another_word_of_the_category(
    categories: list[dict[str, Any]], translations: dict[str, list[str]]
) -> None:
    for category in categories:
        words = {word.casefold() for word in category["words"]}
        for word in category["words"]:
            assert not words.intersection(translations[word]), (category["name"], word)


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("dog", "perro"),  # Spanish
        ("house", "maison"),  # French
        ("butterfly", "schmetterling"),  # German
        ("freedom", "libertà"),  # Italian
        ("heart", "coração"),  # Portuguese
    ],
)
def test_well_known_translations(word: str, form: str, translations: dict[str, list[str]]) -> None:
    assert form in translations[word]


@pytest.mark.parametrize(("word", "form"), [("cat", "chat"), ("skirt", "rock"), ("foot", "pie")])
def test_everyday_english_words_are_no_translations(
    word: str, form: str, translations: dict[str, list[str]]
) -> None:
    assert form not in translations[word]
