"""Words of one stem and compounds: pairs labelled by hand."""

import pytest

from unspoken.lexicon.stems import is_another, is_made_of, is_name, kin, same_stem

SAME = """
wisdom wise, truth true, death dead, warmth warm, weight weigh, anxiety anxious, jealousy jealous,
theft thief, burglary burglar, surgery surgeon, tyranny tyrant, astronomy astronomer, dog doggy,
pottery potter, fraud fraudulent, lion lioness, tiger tigress, count countess, moon moonless,
hate hatred, patience impatience, selfishness self, square squarish
"""
APART = """
number numbness, reading ready, moth mother, corn corner, ear early, star stare, pear pearl,
plane planet, prince principle, general generous, minute minus, cap capone, organ orange, cat cat
"""
MADE = """
applesauce apple, football foot, scarecrow crow, bulldog dog, starfish star,
gingerbread bread, snowmonster snow
"""
CHANCE = """
carpet car, season sea, newton ton, monkey key, bargain bar, manage man, kidney kid, friend end,
ration rat, rebellion lion, pigeon pig, knighthood hood, cabernet net, paddington ton, handsome hand
"""


def _pairs(text: str) -> list[tuple[str, ...]]:
    return [tuple(pair.split()) for pair in text.split(",")]


@pytest.mark.parametrize(("a", "b"), _pairs(SAME))
def test_same_stem(a, b) -> None:
    assert same_stem(a, b)
    assert same_stem(b, a)


@pytest.mark.parametrize(("a", "b"), _pairs(APART))
def test_likeness_of_letters_is_not_enough(a, b) -> None:
    assert not same_stem(a, b)
    assert not same_stem(b, a)


@pytest.mark.parametrize(("word", "part"), _pairs(MADE))
def test_compounds(word, part) -> None:
    assert is_made_of(word, part)


@pytest.mark.parametrize(("word", "part"), _pairs(CHANCE))
def test_words_that_hold_others_by_chance(word, part) -> None:
    assert not is_made_of(word, part)


def test_kin_are_derivations_that_mean_what_is_near() -> None:
    assert "farmer" in kin("farm")
    assert "attend" not in kin("attention")


def test_forms_that_are_words_of_their_own() -> None:
    assert is_another("number", "numb")
    assert not is_another("flew", "fly")
    assert not is_another("bananas", "banana")


def test_names() -> None:
    assert is_name("plymouth")
    assert not is_name("apple")
    assert not is_name("blorp")
