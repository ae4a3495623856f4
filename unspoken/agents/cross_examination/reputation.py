"""A player that learns how each witness bears itself, and what each questioner finds out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from unspoken.agents.base import Outcome, check_memory
from unspoken.agents.cross_examination.reading import replay
from unspoken.agents.cross_examination.search import Search
from unspoken.envs.base import Message
from unspoken.envs.cross_examination.cases import files, load_all
from unspoken.envs.cross_examination.jury import THRESHOLD
from unspoken.envs.cross_examination.menu import ANSWERS, QUESTIONER, WITNESS, secret
from unspoken.envs.cross_examination.rules import Examination, answers
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.cross_examination_reference import HABIT, MAXIMS, Floats, rounded

TRUST = 5.0
"""Answers that weigh as much as what is thought of a stranger."""
SPARE = 0.25
"""Share of what a witness has above the threshold that it gives up to keep its conduct clean."""


class Game(NamedTuple):
    """A finished game, as it is remembered."""

    secret: str
    history: tuple[Message, ...]


@dataclass
class Reputation(Search):
    """Looks ahead like `Search`, but with what it has learnt, by name, about its opponent.

    Of each witness it keeps a Beta-Bernoulli credibility for each maxim: how often the witness
    violated relevance, manner, quality and consistency where it could. The lookahead takes the
    witness to violate each as readily as that, so that it asks what such a witness answers worst,
    in the form that brings that out. What it answers in the present game counts at once.

    Of each questioner it keeps how often that confronted its false words with an exhibit, and is
    the bolder the less it did. Of its own it keeps the conduct in the present game: as far as its
    standing is above the threshold, it gives some of that up for an answer that violates less,
    and among answers that are worth the same it takes the one whose maxim it has violated least.

    Finished games give the counts; each game fades those before. Opponents without a name share
    one record.

    Attributes:
        memory: what a game's counts are worth after each further game, more than 0 and up to 1.
    """

    name: str = "reputation"
    memory: float = field(default=0.98, kw_only=True)
    records: dict[tuple[str, str], list[Game]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_memory(self.memory)

    def observe(self, outcome: Outcome) -> None:
        """Remember the finished game."""
        opponent = outcome.names.get(_other(outcome.role), "")
        game = Game(outcome.secret, outcome.history)
        self.records.setdefault((outcome.role, opponent), []).append(game)

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role, with what is remembered of the opponent."""
        super().reset(role, spec, seed)
        opponent, cases = spec.names.get(_other(role), ""), files(spec.options.get("case"))
        self.counts = np.zeros((len(MAXIMS) if role == "questioner" else 1, 2))
        for game in self.records.get((role, opponent), []):
            self.counts = self.memory * self.counts + tally(game, role, cases)

    # Asking -------------------------------------------------------------------------------

    def _habits(self, game: Examination) -> Floats:
        violated, kept = (self.counts + conduct(game)).T
        return np.asarray((TRUST * HABIT + violated) / (TRUST + violated + kept))

    # Answering ----------------------------------------------------------------------------

    def _held(self, game: Examination) -> list[float]:
        met, missed = self.counts[0]
        return [
            p if p == 1 else (TRUST * p + met) / (TRUST + met + missed) for p in super()._held(game)
        ]

    def _answer(self, game: Examination) -> int:
        from unspoken.evaluator import cross_examination as kernels

        values = rounded(kernels.answer_values(self.position(game), self.depth, self.width))
        above = game.account.standing - self.spec.options.get("threshold", THRESHOLD)
        sure = max(0.0, above) * len(game.turns) / game.max_turns
        enough = np.nanmax(values) - SPARE * sure
        own = 1 + conduct(game)[:, 0]

        def cost(index: int) -> float:
            label = game.assess(*ANSWERS[index])
            return float(own @ label[1:])

        return min((int(i) for i in np.flatnonzero(values >= enough)), key=cost)


def conduct(game: Examination) -> Floats:
    """How a witness has borne itself.

    Returns:
        float64 [4, 2], for each of `MAXIMS` the answers that violated it, and those that could
        have and did not.
    """
    counts = np.zeros((len(MAXIMS), 2))
    again = Examination(game.case, game.exhibits, game.max_turns)
    for turn in game.turns:
        again.ask(turn.question)
        contents = answers(game.case, turn.question)
        labels = np.array([again.assess(content, "clear")[1:] for content in contents], np.bool_)
        could = labels.max(axis=0)
        could[:2] = True  # any answer can be off the point, or unclear
        violated = np.array(turn.label[1:])
        counts[violated, 0] += 1
        counts[could & ~violated, 1] += 1
        again.answer(turn.content, turn.manner, turn.label)
    return counts


def exposures(game: Examination) -> Floats:
    """What came of a witness's false words.

    Returns:
        float64 [1, 2]: how many facts there are on which it served its goal by what is not so,
        and was confronted with an exhibit; and how many on which it was not.
    """
    case = game.case
    stances = {turn.stance for turn in game.turns if turn.stance is not None}
    false = {fact for fact, value in stances if case.truth[fact] != value == case.helpful(fact)}
    questions = [turn.question for turn in game.turns]
    shown = {q.fact for q in questions if q.ground is not None and q.ground.exhibit >= 0}
    return np.array([[len(false & shown), len(false - shown)]], np.float64)


def _other(role: str) -> str:
    return WITNESS if role == "questioner" else QUESTIONER


@lru_cache(maxsize=1 << 14)
def tally(game: Game, role: str, cases: Path) -> Floats:
    """Count what a finished game shows about the opponent of a role; 0 of a case that is unknown.

    Args:
        game: the game.
        role: the role of who remembers it.
        cases: the case file, or the folder of case files, that is played with.
    """
    case = next((case for case in load_all(cases) if secret(case) == game.secret), None)
    count = conduct if role == "questioner" else exposures
    if case is None:
        return np.zeros((1, 2))
    return count(replay(case, game.history))
