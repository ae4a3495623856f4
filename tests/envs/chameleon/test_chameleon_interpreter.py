"""What players type, read: clues and what refuses them, votes, guesses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.envs.chameleon.interpreter import (
    clue_mask,
    clue_place,
    passes,
    read_act,
    read_clue,
    read_guess,
    read_vote,
    same,
)
from unspoken.envs.chameleon.menu import PASS, menu, places
from unspoken.lexicon.vectors import vocabulary

CARD = ("dog", "mouse", "fly", "sea urchin", "fish", "starfish", "Mars", "T-shirt")


def read(text, words=CARD):
    return read_clue(text, "thing", words)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fluffy", "fluffy"),
        ("  Fluffy.  ", "Fluffy"),
        ('"fluffy tail"', "fluffy tail"),
        ("Clue: **fluffy**", "fluffy"),
        ("I thought of a kennel. <message>fluffy</message>", "fluffy"),
        ("two\nlines", "two lines"),
    ],
)
def test_the_clue_in_a_text(text, said):
    assert read(text) == (said, "")


@pytest.mark.parametrize("said", ["fluffy", "goes for walks", "red planet", "man's best friend"])
def test_fair_clues(said):
    assert read(said) == (said, "")


@pytest.mark.parametrize(
    ("said", "word", "rule"),
    [
        ("dog", "dog", "secret"),
        ("DOGS", "dog", "inflection"),
        ("d-o-g", "dog", "spelling"),
        ("mice", "mouse", "inflection"),
        ("it flew", "fly", "inflection"),
        ("sea urchins", "sea urchin", "secret"),
        ("urchin", "sea urchin", "secret"),
        ("fishing boat", "fish", "inflection"),
        ("starfish arms", "starfish", "secret"),
        ("Martian", "Mars", "derivation"),
        ("starts with d", "dog", "spelling"),
    ],
)
def test_clues_that_give_a_word_of_the_card_away(said, word, rule):
    assert (
        read(said, (word, "ball")).why
        == f"{said!r} gives {word!r} away, which is on the card ({rule})."
    )
    assert read(said).why  # whichever word of the card is the secret
    assert read(said, CARD[::-1]).why


@pytest.mark.parametrize("said", ["", "!?", "one two three four five six", "a b c e f g"])
def test_a_clue_has_one_to_five_words(said):
    assert read(said).why == "A clue has one to five words."
    assert read("one two three four five").why == ""


def test_the_mask_is_what_the_rules_say():
    mask = clue_mask("thing", CARD)
    assert mask.dtype == np.int8
    fair = dict(zip(vocabulary(), mask.tolist(), strict=True))
    assert not any(fair[word] for word in ("dog", "fish", "sea"))
    assert fair["cat"]
    for word in [*vocabulary()[::20], *(word for word in fair if not fair[word])]:
        assert fair[word] == (not read(word).why)


def test_the_same_clue():
    assert same("Fluffy tail", "fluffy-tail!")
    assert not same("fluffy", "fluffy tail")


def test_the_place_of_a_clue():
    assert clue_place("CAT!") == vocabulary().index("cat")
    assert clue_place("no such thing") == -1


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("accuse: player 2", ("accuse", 2)),
        ("I accuse Player_0!", ("accuse", 0)),
        ("Defend: player 1.", ("defend", 1)),
        ("I defend player 1 and player 2", None),
        ("I do not accuse player 2", None),
        ("Why did player 2 say 'bark'?", None),
    ],
)
def test_acts_in_a_discussion(text, act):
    assert read_act(text) == act


@pytest.mark.parametrize("text", ["I pass.", "i pass", " I PASS! "])
def test_a_pass(text):
    assert passes(text)
    assert not passes(f"{text} it on")


@pytest.mark.parametrize(
    ("text", "seat"),
    [
        ("vote: player 2", 2),
        ("vote: Player_2", 2),
        ("player 2", 2),
        ("Player 2.", 2),
        ("I vote for player 2, because player 1 was clear.", 2),
        ("player 0 and player 1 were clear; my vote goes to player 3", 3),
        ("I don't trust player 1, so I vote against player 1", 1),
        ("I will not vote for player 1 but player 3", 3),
        ("My vote is player 3.", 3),
        ("It can only be player 3; player 3 said nothing.", 3),
        ("I don't trust player 1", 1),
        ("I don't think player 1 is innocent", 1),
        ("player 1 doesn't know the word", 1),
        ("I trust player 1 more than player 2", 2),
        ("Player 1 is innocent, player 2 is the chameleon", 2),
        ("vote player 2, not player 1", 2),
        ("I vote for player 2, player 1 was clear", 2),
        ("I vote for player 2 whose clue did not fit", 2),
        ("nobody but player 3 can be it", 3),
        ("no doubt it is player 3", 3),
        ("I know it is player 2", 2),
        ("I won't vote for player 1", None),
        ("vote: player 1 and player 2", None),
        ("vote: player 1, player 2", None),
        ("not player 1 or player 2", None),
        ("player 0 and player 1 are innocent", None),
        ("Player 1, who is innocent", None),
        ("player 1 or player 2", None),
        ("vote: player 1, vote: player 2", None),
        ("the second one", None),
        ("vote: nobody", None),
        ("", None),
    ],
)
def test_votes(text, seat):
    assert read_vote(text) == seat


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("guess: dog", "dog"),
        ("Dog", "dog"),
        ("I guess the word is MICE!", "mouse"),
        ("It is the sea urchin.", "sea urchin"),
        ("starfish", "starfish"),
        ("my guess is fish", "fish"),
        ("Not dog, so I guess fish", "fish"),
        ("guess: T-shirt", "T-shirt"),
        ("mars", "Mars"),
        ("It is not dog but mouse", "mouse"),
        ("dog, not mouse", "dog"),
        ("dog is the word, not fish", "dog"),
        ("no doubt the dog", "dog"),
        ("dog’s", "dog"),
        ("I won't guess fish", None),
        ("my guess is not fish", None),
        ("neither dog nor fish", None),
        ("guess: dog, fish", None),
        ("dog/fish", None),
        ("dog or mouse", None),
        ("guess: dog or mouse", None),
        ("guess: cat", None),
        ("", None),
    ],
)
def test_guesses(text, word):
    place = read_guess(text, CARD)
    assert (None if place is None else CARD[place]) == word


DENIED = ["not {}", "It isn't {}", "{} is wrong", "{} is not it", "I doubt it is {}", "{}? No."]
GUESS_DENIED = [*DENIED, "anything but the {}", "It cannot be the {}", "{} doesn't fit"]
VOTE_DENIED = [*DENIED, "anyone but {}", "I trust {}", "{} is innocent", "{} knows the word",
               "{} isn't the chameleon", "I will not vote for {}", "my vote: not {}"]  # fmt: skip


@given(st.sampled_from(GUESS_DENIED), st.sampled_from(CARD))
def test_a_word_that_is_denied_is_not_guessed(form, word):
    assert read_guess(form.format(word), CARD) is None
    assert read_guess(f"guess: {form.format(word)}", CARD) is None


@given(st.sampled_from(VOTE_DENIED), st.integers(0, 7), st.integers(0, 7))
def test_a_player_who_is_denied_is_not_voted_for(form, seat, other):
    said = form.format(f"player {seat}")
    assert read_vote(said) is None
    vote = read_vote(f"{said.strip('.')}. I vote for player {other}.")
    assert vote == other


@given(st.text(max_size=60))
def test_any_text_can_be_read(text):
    assert "\n" not in read(text).said
    read_act(text)
    read_vote(text)
    read_guess(text, CARD)


@pytest.mark.parametrize("players", [3, 8])
def test_the_places_of_the_menu(players):
    words = CARD[:6]
    said, spans = menu(players, len(CARD), words), places(players, len(CARD))
    assert said[: len(spans.clue)] == vocabulary()
    assert [said[i] for i in spans.passing] == [PASS]
    assert said[spans.accuse[0]] == "accuse: player 0"
    assert said[spans.defend[2]] == "defend: player 2"
    assert said[spans.vote[-1]] == f"vote: player {players - 1}"
    assert [said[i] for i in spans.guess[:6]] == [f"guess: {word}" for word in words]
    assert [said[i] for i in spans.guess[6:]] == ["guess: (word 7)", "guess: (word 8)"]
    assert len(said) == len(set(said)) == spans.guess.stop
    assert [spans.kind(span[0]) for span in spans] == list(spans._fields)
