"""A player that learns how far to trust each of the others, and by what to know it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unspoken.agents.base import Outcome, check_memory
from unspoken.agents.chameleon.player import Table
from unspoken.agents.chameleon.reading import (
    charges,
    clues,
    find_card,
    seat,
    speakers,
)
from unspoken.agents.chameleon.rsa import CREDIBILITY, RSA
from unspoken.envs.base import Message
from unspoken.envs.registry import GameSpec
from unspoken.envs.sneak.instances import DEFAULT, file_of
from unspoken.evaluator.chameleon_reference import Position
from unspoken.evaluator.rsa_reference import Floats

HONEST, CHAMELEON = 0, 1
EDGES = np.arange(-2.5, 1.5, 0.5)
"""Doubts, in nats, at which one kind of clue ends and the next begins."""
CENTRES = np.append(EDGES - 0.25, EDGES[-1] + 0.25)
EXPECTED = 5 / (1 + np.exp(np.outer([1, -1], CENTRES)))
"""What is taken to have been seen before the first game, float64 [2, K]: five clues of each kind,
so much oftener from chameleons than from honest players as the doubt says."""
STRANGER = 20.0
"""Clues in each part that what is known of everybody counts for in the record of one player."""


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """A finished game; copies of it are itself.

    Attributes:
        secret: the word.
        names: the players by seat.
        chameleon: the seat of the one that did not know the word.
        history: what was said.
    """

    secret: str
    names: tuple[str, ...]
    chameleon: int
    history: tuple[Message, ...]

    def __deepcopy__(self, memo: Any) -> Game:
        return self


class Tally(NamedTuple):
    """Counts of a game; the last axis of the second are charges that were right, and wrong.

    Attributes:
        clues: by seat, part and kind of clue, float64 [N, 2, K].
        charges: of each seat if it was honest, float64 [N, 2].
    """

    clues: Floats
    charges: Floats


@dataclass
class Ledger:
    """What is known of everybody.

    Attributes:
        clues: by name, float64 [2, K] each.
        charges: by name, float64 [2] each.
        all_clues: of everybody, float64 [2, K].
        games: how many have been entered.
    """

    clues: dict[str, Floats] = field(default_factory=dict)
    charges: dict[str, Floats] = field(default_factory=dict)
    all_clues: Floats = field(default_factory=lambda: np.zeros(EXPECTED.shape))
    games: int = 0

    def enter(self, game: Game, tally: Tally, memory: float) -> None:
        """Add a game; what was known of its players fades."""
        self.games += 1
        self.all_clues = memory * self.all_clues + tally.clues.sum(axis=0)
        for name in dict.fromkeys(game.names):
            seats = [s for s, other in enumerate(game.names) if other == name]
            for book, counts in ((self.clues, tally.clues), (self.charges, tally.charges)):
                old = book.get(name, np.zeros(counts.shape[1:]))
                book[name] = memory * old + counts[seats].sum(axis=0)

    def evidence(self, name: str) -> Floats:
        """How much each kind of clue speaks against a player, in nats, float64 [K]."""
        everybody = _normal(EXPECTED + self.all_clues)
        own = _normal(STRANGER * everybody + self.clues.get(name, 0))
        return np.asarray(np.log(own[CHAMELEON] / own[HONEST]))

    def credibility(self, name: str) -> float:
        """Probability, 0 to 1, that a charge of a player is right if it is honest."""
        right, wrong = CREDIBILITY + self.charges.get(name, 0)
        return float(right / (right + wrong))


@dataclass
class Reputation(RSA):
    """Plays like `RSA`, but learns, by name, from the games it has finished.

    After a game all roles are open. Of each player it keeps how well its clues fitted, apart for
    games in which it was honest and in which it was the chameleon: a count of clues by how much
    the evaluator doubts them. A clue then speaks against its player as much as such clues are
    commoner from this player as the chameleon than when it is honest: who is vague anyway is not
    suspected for it. Of each player it also keeps a Beta-Bernoulli credibility: how often it
    accused and voted rightly when it was honest, by which its charges are weighed.

    Each game fades those before. Of strangers it expects what all players together have shown,
    and at first what the evaluator does. Players without a name share one record.

    Attributes:
        memory: what a game's counts are worth after each further game, more than 0 and up to 1.
    """

    name: str = "reputation"
    memory: float = field(default=0.995, kw_only=True)
    records: list[Game] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_memory(self.memory)
        self._file, self._ledger = DEFAULT, Ledger()

    def observe(self, outcome: Outcome) -> None:
        """Remember a finished game, once if several of its players are this one."""
        history, winners = outcome.history, outcome.result.winners
        if not winners or (self.records and self.records[-1].history == history):
            return
        lone = outcome.result.winner == "chameleon"
        (chameleon,) = (a for a in outcome.names if (a in winners) == lone)
        names = tuple(outcome.names[agent] for agent in sorted(outcome.names, key=seat))
        self.records.append(Game(outcome.secret, names, seat(chameleon), history))
        self._enter()

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game, with what is remembered of its players."""
        super().reset(role, spec, seed)
        if file_of(spec.options) != self._file:
            self._file, self._ledger = file_of(spec.options), Ledger()
            self._enter()

    def _enter(self) -> None:
        for game in self.records[self._ledger.games :]:
            self._ledger.enter(game, tally(game, self._file), self.memory)

    def suspicion(self, table: Table) -> Floats:
        """Probability that each player is the chameleon, float64 [N]; see `RSA.suspicion`.

        What others may think of one's own clues is left to the evaluator: they have other records.
        """
        from unspoken.evaluator import chameleon as kernels

        weights = super().suspicion(table)
        if table.word is not None:
            doubts = kernels.doubts(self.position(table))[:, table.word]
            for player, doubt in zip(table.speakers, doubts, strict=True):
                evidence = self._ledger.evidence(self._name(player))
                weights[player] *= np.exp(np.interp(doubt, CENTRES, evidence) - doubt)
        return np.asarray(weights / weights.sum())

    def _credibility(self, player: int) -> float:
        return self._ledger.credibility(self._name(player))

    def _name(self, player: int) -> str:
        return self.spec.names.get(f"player_{player}", "")


def tally(game: Game, file: Path) -> Tally:
    """Count what a finished game shows; nothing of clues to a word that is on no card."""
    from unspoken.evaluator import chameleon as kernels

    players = len(game.names)
    found = Tally(np.zeros((players, *EXPECTED.shape)), np.zeros((players, 2)))
    for charge in charges(game.history, players):
        if charge.by != game.chameleon:
            found.charges[charge.by, int(charge.against != game.chameleon)] += 1
    card, given = find_card(game.secret, file), clues(game.history)
    if card is not None:
        said = card.said([text for _, text in given])
        position = Position(*said, speakers(given), np.ones(players))
        doubts = kernels.doubts(position)[:, card.words.index(game.secret)]
        for (player, _), doubt in zip(given, doubts, strict=True):
            part = CHAMELEON if player == game.chameleon else HONEST
            found.clues[player, part, _kind(doubt)] += 1
    return found


def _kind(doubt: float) -> int:
    """The kind of a clue: the interval between the edges that its doubt lies in."""
    return int(np.searchsorted(EDGES, doubt))


def _normal(counts: Floats) -> Floats:
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))
