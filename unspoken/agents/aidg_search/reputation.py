"""A seeker that learns how far each holder can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from unspoken.agents.aidg_search.belief import MAYBE, Belief, Evidence, Manner, evidence
from unspoken.agents.aidg_search.player import Search, SearchPlayer
from unspoken.agents.aidg_search.seekers import choose
from unspoken.agents.base import Outcome, check_memory
from unspoken.envs.aidg_search.menu import HOLDER
from unspoken.envs.aidg_search.ontology import load
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_search_reference import Floats, Position
from unspoken.evaluator.bounds import check_search

ERROR_EDGES = np.array([0, 0.01, 0.03, 0.07, 0.13, 0.19, 0.25, 0.35, 0.5])
EVASION_EDGES = np.array([0, 0.04, 0.4, 0.8, 1])
PRIOR = np.array([[0.5, 15.0], [0.5, 5.0]])
"""Beta parameters of a stranger's errors and evasions: how many, and how many not."""


def _centres(edges: Floats) -> Floats:
    return np.asarray((edges[1:] + edges[:-1]) / 2)


MANNERS = tuple(Manner(*m) for m in product(_centres(ERROR_EDGES), _centres(EVASION_EDGES)))
"""What a holder may be like, as far as this agent tells."""


class Game(NamedTuple):
    """What a finished game shows about its holder."""

    secret: str
    heard: tuple[Evidence, ...]


@dataclass
class Reputation(SearchPlayer):
    """Weighs answers by how truthful and how evasive the holder has been.

    For each holder, by name, it keeps a Beta-Bernoulli credibility of two kinds of evidence:
    answers that were true, and open questions that were not dodged. Finished games, in which the
    secret tells truth from error, give the counts; each game fades them. Within a game they are
    the prior of a joint belief over the word and the holder's manner, so that contradictions (the
    same question answered differently, answers that no word explains) lower the trust at once,
    and questions are asked again when that is what tells most. Holders without a name share one
    record. What the env garbles counts as the holder's error.

    Attributes:
        memory: what a game's counts are worth after each further game, more than 0 and up to 1.
        depth: questions to look ahead, 0 or more.
        width: questions to consider at each step, 1 or more.
    """

    roles: ClassVar[frozenset[str]] = frozenset({"seeker"})
    name: str = "reputation"
    memory: float = field(default=0.98, kw_only=True)
    depth: int = field(default=2, kw_only=True)
    width: int = field(default=6, kw_only=True)
    records: dict[str, list[Game]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_memory(self.memory)
        check_search(self.depth, self.width)

    def observe(self, outcome: Outcome) -> None:
        """Remember what the finished game shows about its holder."""
        if outcome.role == "seeker":
            game = Game(outcome.secret, tuple(evidence(outcome.history)))
            self.records.setdefault(_holder(outcome.names), []).append(game)

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role, with what is remembered of the holder."""
        super().reset(role, spec, seed)
        counts = np.zeros((2, 2))
        for game in self.records.get(_holder(spec.names), []):
            counts = self.memory * counts + tally(game, self._folder)
        self.credibility = PRIOR + counts.clip(min=0)

    def belief(self, search: Search) -> Belief:
        """What is believed about the word and the holder."""
        errors, evasions = self.credibility
        weights = np.outer(_beta(errors, ERROR_EDGES), _beta(evasions, EVASION_EDGES)).ravel()
        return Belief(self._folder, search.words, MANNERS, weights).hear(search.heard)

    def _seek(self, search: Search) -> int:
        return choose(self.belief(search), search, self._best)

    def _best(self, position: Position) -> int:
        from unspoken.evaluator import aidg_search as kernels

        return kernels.best_action(position, self.depth, self.width)


@lru_cache(maxsize=4096)
def tally(game: Game, folder: Path) -> Floats:
    """What a finished game says for and against its holder, float64 [2, 2].

    The first row counts false and true answers where the table leaves no choice. The second row
    counts, over the first answers where it leaves one, the "maybe" in excess of the table's share
    (below 0 if there were fewer), and the other answers; their ratio estimates the evasion.
    """
    ontology = load(folder)
    counts = np.zeros((2, 2))
    if game.secret not in ontology.words:  # remembered from a game with other words
        return counts
    cells = ontology.table[ontology.words.index(game.secret)]
    for question, answer in game.heard:
        if cells[question].max() == 1:
            true = cells[question, answer] == 1
            counts[0] += (not true, true)
    for question, answer in dict(reversed(game.heard)).items():
        maybe = cells[question, MAYBE]
        if 0 < maybe < 1:
            counts[1] += (1 - maybe, 0) if answer == MAYBE else (-maybe, 1)
    return counts


def _beta(parameters: Floats, edges: Floats) -> Floats:
    """A Beta distribution's weights of the intervals between the edges, by their centres."""
    centres, widths = _centres(edges), np.diff(edges)
    logs = (parameters - 1) @ np.log([centres, 1 - centres]) + np.log(widths)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _holder(names: Mapping[str, str]) -> str:
    return names.get(HOLDER, "")
