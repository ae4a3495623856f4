"""What players type: clues and what refuses them, and whom or what a text names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from unspoken.envs.base import Mask, one_line
from unspoken.envs.sneak.instances import Instance
from unspoken.envs.sneak.interpreter import allowed, fault, read_message
from unspoken.lexicon.morphology import forms, tokens
from unspoken.lexicon.vectors import vocabulary

_PLAYER = re.compile(r"\bplayer[\s_#-]*(\d+)\b", re.IGNORECASE)
_VOTED = re.compile(
    r"\b(?:vote|votes|voting|voted)\b\W*(?:is\s+)?(?:(?:for|against|goes\s+to|to|out)\W+)?"
    r"player[\s_#-]*(\d+)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.,;:!?()\n]|\b(?:but|so|and|because|since)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|no|never|cannot|nor|neither)\b|n['’]t\b", re.IGNORECASE)
_GUESSED = re.compile(r"\bguess(?:\s+is)?\b\W*(?:is\s+)?(.+)$", re.IGNORECASE)
_ACT = re.compile(r"(?:i\s+)?(accuse|defend)\b\W*player[\s_#-]*(\d+)\W*", re.IGNORECASE)


class Clue(NamedTuple):
    """A clue in a text.

    Attributes:
        said: the words, on one line.
        why: what refuses them, as a sentence to the player; "" if nothing does.
    """

    said: str
    why: str


def passes(text: str) -> bool:
    """Whether a text says the menu's pass."""
    return one_line(text).casefold().strip(" .!") == "i pass"


def read_clue(text: str, category: str, words: tuple[str, ...]) -> Clue:
    """The clue in a text, and what refuses it.

    The rules of SNEAK's messages, for every word of the card as if it were the secret: rules that
    looked at the secret alone would tell it.

    Args:
        text: what a player said.
        category: the card's.
        words: the card's.
    """
    cards = _cards(category, words)
    said = one_line(read_message(text, cards[0]).message)
    for card in cards:
        rule = fault(said, card)
        if rule == "length":
            return Clue(said, "A clue has one to five words.")
        if rule:
            return Clue(
                said, f"{said!r} gives {card.secret!r} away, which is on the card ({rule})."
            )
    return Clue(said, "")


def same(one: str, other: str) -> bool:
    """Whether two clues are the same words."""
    return tokens(one) == tokens(other)


@lru_cache(maxsize=256)
def clue_mask(category: str, words: tuple[str, ...]) -> Mask:
    """Which words of the vocabulary are clues that nothing refuses, int8 [n], read-only."""
    mask: Mask = np.min([allowed(card) for card in _cards(category, words)], axis=0)
    mask.setflags(write=False)
    return mask


def clue_place(said: str) -> int:
    """Place of a clue in the vocabulary, -1 if it is not in it."""
    return _vocabulary_places().get(" ".join(tokens(said)), -1)


def read_act(text: str) -> tuple[str, int] | None:
    """An accusation or a defence in a discussion, and of whom: ("accuse", 2); None for talk."""
    found = _ACT.fullmatch(one_line(text))
    return (found[1].lower(), int(found[2])) if found else None


def read_vote(text: str) -> int | None:
    """Whom a text votes for, by seat; None if it does not say so, or names several."""
    text = one_line(text)
    votes = {int(found[1]) for found in _VOTED.finditer(text) if not _denied(text, found)}
    named = votes or {int(found[1]) for found in _PLAYER.finditer(text) if not _denied(text, found)}
    return named.pop() if len(named) == 1 else None


def read_guess(text: str, words: Sequence[str]) -> int | None:
    """Which word of the card a text guesses, by place; None if it names none, or several."""
    text = one_line(text)
    after = _GUESSED.search(text)
    for part in ([after[1]] if after else []) + [text]:
        named = _named(part, tuple(words))
        if len(named) == 1:
            return named[0]
    return None


def _denied(text: str, found: re.Match[str]) -> bool:
    """Whether the clause up to what was found denies it."""
    before = _CLAUSE.split(text[: found.start()])[-1]
    return bool(_NOT.search(before))


def _named(text: str, words: tuple[str, ...]) -> list[int]:
    """Places of the card's words that a text names, leaving out those within longer ones."""
    said = f" {' '.join(tokens(text))} "
    found = []
    for place in sorted(range(len(words)), key=lambda i: -len(words[i])):
        for form in sorted(forms(words[place]), key=len, reverse=True):
            spoken = f" {' '.join(tokens(form))} "
            if spoken in said:
                said = said.replace(spoken, " | ")
                found.append(place)
                break
    return found


@lru_cache(maxsize=256)
def _cards(category: str, words: tuple[str, ...]) -> tuple[Instance, ...]:
    """A card with each of its words as the secret, as far as the rules of messages look at it."""
    return tuple(Instance(category, "concrete", words, word, ()) for word in words)


@cache
def _vocabulary_places() -> dict[str, int]:
    return {word: place for place, word in enumerate(vocabulary())}
