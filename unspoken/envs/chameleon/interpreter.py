"""What players type: clues and what refuses them, and whom or what a text names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from unspoken.envs.base import Mask, one_line
from unspoken.envs.sneak.instances import Instance
from unspoken.envs.sneak.interpreter import allowed, fault, read_message
from unspoken.envs.sneak.interpreter.denial import Mention, denies, listed, meant
from unspoken.envs.sneak.interpreter.places import place as clue_place
from unspoken.lexicon.morphology import forms, tokens

__all__ = [
    "Clue",
    "clue_mask",
    "clue_place",
    "passes",
    "read_act",
    "read_clue",
    "read_guess",
    "read_vote",
    "same",
]

_PLAYER = re.compile(r"\bplayer[\s_#-]*(\d+)\b", re.IGNORECASE)
_VOTED = re.compile(
    r"\b(?:vote|votes|voting|voted)\b\W*(?:is\s+)?(?:(?:for|against|goes\s+to|to|out)\W+)?"
    r"player[\s_#-]*(\d+)\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\b(?:or|nor)\b|/", re.IGNORECASE)
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


def read_act(text: str) -> tuple[str, int] | None:
    """An accusation or a defence in a discussion, and of whom: ("accuse", 2); None for talk."""
    found = _ACT.fullmatch(one_line(text))
    return (found[1].lower(), int(found[2])) if found else None


def read_vote(text: str) -> int | None:
    """Whom a text votes for, by seat; None if it does not say so, or names several.

    A player whom it calls innocent is not voted for.
    """
    text = _plain(text)
    mentions = [Mention(*m.span(), (int(m[1]),)) for m in _PLAYER.finditer(text)]
    named = _votes(text, mentions) or meant(text, mentions, people=True)
    return named.pop()[0] if len(named) == 1 else None


def read_guess(text: str, words: Sequence[str]) -> int | None:
    """Which word of the card a text guesses, by place; None if it names none, or several."""
    text = _plain(text)
    after = _GUESSED.search(text)
    parts = [after[1], text] if after and not denies(text[: after.start()]) else [text]
    for part in parts:
        named = meant(part, _named(part, words))
        if len(named) == 1:
            return named.pop()[0]
    return None


def _plain(text: str) -> str:
    return one_line(unicodedata.normalize("NFKC", text).replace("’", "'"))


def _votes(text: str, mentions: Sequence[Mention]) -> set[tuple[int, ...]]:
    """Those whom a text says that it votes for, which counts before whom else it names."""
    ends = {m.end() for m in _VOTED.finditer(text) if not denies(text[: m.start()])}
    votes: set[tuple[int, ...]] = set()
    for group in listed(text, mentions):
        for first, (start, end, seat) in enumerate(group):
            if end not in ends:
                continue
            rest = group[first:]
            # "vote: player 1, player 2" names two, "I vote for player 1, player 2 was clear" one
            said_of = re.match(r"\s*\w", text[rest[-1].end :])
            if said_of and not _OR.search(text[end : rest[-1].start]):
                alone = Mention(0, end - start, seat)
                votes.update(meant(text[start:], [alone], people=True))
            else:
                votes.update(other.what for other in rest)
    return votes


def _named(text: str, words: Sequence[str]) -> list[Mention]:
    """Where a text names words of the card, leaving out those within longer ones."""
    found = []
    for place in sorted(range(len(words)), key=lambda i: -len(words[i])):
        for m in _pattern(words[place]).finditer(text):
            found.append(Mention(*m.span(), (place,)))
            text = f"{text[: m.start()]}{' ' * len(m[0])}{text[m.end() :]}"
    return found


@lru_cache(maxsize=1 << 12)
def _pattern(word: str) -> re.Pattern[str]:
    """A word in any of its forms, longer ones first."""
    spoken = {tokens(form) for form in forms(word)} - {()}
    said = sorted(
        (r"[\W_]+".join(map(re.escape, form)) for form in spoken), key=lambda s: (-len(s), s)
    )
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(said)})(?:'s)?(?![^\W_])", re.IGNORECASE)


@lru_cache(maxsize=256)
def _cards(category: str, words: tuple[str, ...]) -> tuple[Instance, ...]:
    """A card with each of its words as the secret, as far as the rules of messages look at it."""
    return tuple(Instance(category, "concrete", words, word, ()) for word in words)
