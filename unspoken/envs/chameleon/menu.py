"""The sentences that Chameleon's moves are said in.

All players have the same menu, whatever the word is and whoever does not know it: the clues, a
pass, accusations, defences, votes, and one guess for each place of the card.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from unspoken.envs.chameleon.rules import Ending, Phase, Tie, Vote
from unspoken.lexicon.vectors import vocabulary

PASS = "I pass."

UNSAID: dict[Phase, str] = {
    "clue": "(no clue)",
    "discussion": PASS,
    "vote": "(no vote)",
    "guess": "(no guess)",
}
"""What everybody hears of a pass, and of words that the phase has no use for."""


class Places(NamedTuple):
    """Where in the menu each kind of move stands; `places.vote[2]` is the vote for player_2.

    Attributes:
        clue: one for each word of `unspoken.lexicon.vectors.vocabulary()`, so they begin at 0.
        passing: one.
        accuse: one for each player.
        defend: one for each player.
        vote: one for each player.
        guess: one for each word of the longest card.
    """

    clue: range
    passing: range
    accuse: range
    defend: range
    vote: range
    guess: range

    def kind(self, action: int) -> str:
        """What kind of move an action is: the name of its range."""
        spans = zip(self._fields, self, strict=True)
        return next(name for name, span in spans if action in span)


@cache
def places(players: int, card: int) -> Places:
    """The places of the menu for so many players and words of the longest card."""
    ranges = []
    start = 0
    for size in (len(vocabulary()), 1, players, players, players, card):
        ranges.append(range(start, start + size))
        start += size
    return Places(*ranges)


def seats(players: int) -> tuple[str, ...]:
    """The agents of a game for so many players."""
    return tuple(f"player_{seat}" for seat in range(players))


def title(agent: str) -> str:
    """What an agent is called in sentences: "player 2"."""
    return agent.replace("_", " ")


def menu(players: int, card: int, words: Sequence[str] = ()) -> tuple[str, ...]:
    """The menu of every player.

    Args:
        players: how many there are.
        card: words of the longest card.
        words: those of the present card; places that it lacks hold a stopgap, as all do before
            the first game.
    """
    held = [*words, *(f"(word {place + 1})" for place in range(len(words), card))]
    return (*_moves(players), *(f"guess: {word}" for word in held))


@cache
def _moves(players: int) -> tuple[str, ...]:
    names = [title(agent) for agent in seats(players)]
    said = (f"{verb}: {name}" for verb in ("accuse", "defend", "vote") for name in names)
    return (*vocabulary(), PASS, *said)


def briefs(
    players: Sequence[str],
    chameleon: str,
    category: str,
    words: Sequence[str],
    secret: str,
    *,
    clue_rounds: int,
    discussion: int,
    tie: Tie,
) -> dict[str, str]:
    """What each player's observation begins with: the rules in short, and what it knows.

    Args:
        players: in the order in which they speak.
        chameleon: who does not know the word.
        category: what the card's words have in common.
        words: the card.
        secret: the word.
        clue_rounds: see `rules.Chameleon`.
        discussion: see `rules.Chameleon`.
        tie: see `rules.Chameleon`.
    """
    gives = "one clue" if clue_rounds == 1 else f"{clue_rounds} clues"
    speaks = "once" if discussion == 1 else f"{discussion} times"
    talk = f" Then everybody speaks {speaks}, to find out who is the chameleon." * bool(discussion)
    tied = {
        "nobody": "In a tie nobody is accused.",
        "random": "In a tie one of the tied is accused by lot.",
        "revote": "After a tie there is one more vote among the tied.",
    }[tie]
    rules = (
        f"The category is {category}. The words on the card: {', '.join(words)}. "
        f"In turn, beginning with {title(players[0])}, everybody gives {gives} of one to five "
        f'words, without any word of the card.{talk} Then all vote in secret, "vote: PLAYER", and '
        f"the one with the most votes is accused. {tied} If that is the chameleon it is caught, "
        'and still wins if it now guesses the word, "guess: WORD". If it is not, or nobody is '
        "accused, the chameleon wins.\n"
    )
    honest = (
        f'The secret word is "{secret}". One of the others is the chameleon, who does not know it. '
        "Show that you know it without telling it, and find the chameleon. "
    )
    lone = (
        "You are the chameleon: all others know which word of the card is the secret one. Pass for "
        "one of them, and find out which word it is. "
    )
    return {
        player: f"You are {title(player)} of {len(players)}, "
        f"player 0 to {len(players) - 1}. {lone if player == chameleon else honest}{rules}"
        for player in players
    }


def count(votes: Sequence[Vote], accused: str | None, tied: Sequence[str], *, lot: bool) -> str:
    """What the referee says when votes are opened.

    Args:
        votes: those of this ballot.
        accused: whom they found, if anybody.
        tied: among whom there is one more vote; empty if there is none.
        lot: whether a lot decided.
    """
    counts = Counter(target for _, target in votes if target is not None)
    most_first = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    shown = ", ".join(f"{title(player)} has {n}" for player, n in most_first) or "nobody has one"
    if tied:
        found = f"One more vote among {' and '.join(map(title, tied))}."
    elif accused is None:
        found = "Nobody is accused."
    else:
        found = f"{title(accused).capitalize()} is accused{' by lot' * lot}."
    return f"Votes: {shown}. {found}"


def caught(chameleon: str) -> str:
    """What the referee says when the one accused is the chameleon."""
    return f"{title(chameleon).capitalize()} is the chameleon, and may guess the word."


def ending(outcome: str, chameleon: str, secret: str) -> str:
    """What the referee says at the end: who did not know the word, and the word."""
    fate = {
        Ending.ESCAPED: "escaped",
        Ending.GUESSED: "guessed the word",
        Ending.CAUGHT: "was caught",
    }[Ending(outcome)]
    return f'{title(chameleon).capitalize()} was the chameleon and {fate}. The word was "{secret}".'
