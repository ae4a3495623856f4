"""What the built-in players of the dialogue game share: how they see a move to be made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unspoken.agents.aidg_dialogue.reading import (
    REFUSALS,
    Book,
    Exchange,
    Facts,
    book_of,
    exchanges,
)
from unspoken.agents.base import BaseAgent, legal_actions
from unspoken.envs.aidg_dialogue.rules import ACTS, MAX_TURNS, Act
from unspoken.envs.aidg_dialogue.secrets import Secret
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_dialogue_reference import (
    VALUES,
    decisions,
    parts,
    relations,
)

_EVASIONS: tuple[Act, ...] = ("hedge", "deflect", "refuse")
_DIRECT: tuple[Act, ...] = ("affirm", "second", "deny", "unknown")
_WORD = re.compile(r"\w+")
_SHORT = 3  # letters of words that tell no subject


@dataclass(frozen=True, slots=True)
class Seeking:
    """A seeker's move to be made.

    Attributes:
        facts: which facts may be the one to get, as the game was announced, bool [F]: the known
            one in mode A, those of all secrets that have not leaked in mode B.
        heard: the exchanges that are about these facts.
        refusing: whether the holder may still refuse.
        legal: indices of the questions that are legal now, int64 [n].
        turn: the current turn.
        max_turns: turns a side.
    """

    facts: Facts
    heard: list[Exchange]
    refusing: bool
    legal: NDArray[np.intp]
    turn: int
    max_turns: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A holder's reply to be given.

    Attributes:
        question: index of the question, -1 for open words.
        facts: the facts that are hidden and have not leaked.
        heard: the exchanges before.
        sensitive: whether the question is about something hidden.
        honest: the legal acts that are no lie; at least one.
        safe: those of them that are no leak.
        plain: those of the safe ones that are a direct answer.
        mode: "A" if the seeker knows what is hidden, else "B".
    """

    question: int
    facts: tuple[int, ...]
    heard: list[Exchange]
    sensitive: bool
    honest: tuple[Act, ...]
    safe: tuple[Act, ...]
    plain: tuple[Act, ...]
    mode: str

    @property
    def premise(self) -> bool:
        """Whether a hedge would leave a question standing that takes the fact for granted."""
        return self.question >= 0 and "hedge" not in self.safe


@dataclass
class DialoguePlayer(BaseAgent):
    """A built-in player of the dialogue game; subclasses say how to seek, to hold, or both."""

    game: ClassVar[str] = "aidg_dialogue"
    roles: ClassVar[frozenset[str] | None] = frozenset({"seeker", "holder"})

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role.

        Raises:
            ValueError: if the agent does not play this game or this role, or the game's secrets
                are sentences without structure.
        """
        super().reset(role, spec, seed)
        book_of(spec)

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int:
        """An index of the menu."""
        legal = legal_actions(observation, info)
        if self.role == "seeker":
            return self._seek(self._seeking(legal, info))
        return ACTS.index(self._hold(self._asked(legal, info)))

    def _seek(self, seeking: Seeking) -> int:
        raise NotImplementedError

    def _hold(self, asked: Asked) -> Act:
        raise NotImplementedError

    def _seeking(self, legal: NDArray[np.intp], info: Mapping[str, Any]) -> Seeking:
        book, heard = self._book, exchanges(info["history"])
        leaked = book.leaked(heard)
        kept = [f for f in range(len(book)) if f // VALUES not in leaked]
        known = [f for f in book.facts_in(info.get("secret", "")) if f in kept]
        facts = book.mask(known[:1] or kept)
        others = leaked | {fact // VALUES for fact in known[1:]}
        turn = info["turn"]
        return Seeking(
            facts,
            [exchange for exchange in heard if exchange.secret not in others],
            self._may_refuse(heard),
            legal,
            turn,
            max(turn, self._max_turns),
        )

    def _asked(self, legal: NDArray[np.intp], info: Mapping[str, Any]) -> Asked:
        book, heard = self._book, exchanges(info["history"])
        hidden = [book.fact(secret) for secret in info["hidden"]]
        leaked = book.leaked(heard)
        kept = tuple(fact for fact in hidden if fact // VALUES not in leaked)
        acts = tuple(ACTS[index] for index in legal)
        said = next(m for m in reversed(info["history"]) if m.role == "seeker")
        if said.action < 0:
            sensitive = any(_mentions(said.text, secret) for secret in info["hidden"])
            honest = tuple(act for act in _EVASIONS if act in acts)
            safe = tuple(act for act in honest if act != "hedge" or not sensitive)
            return Asked(-1, kept, heard, sensitive, honest, safe, (), info["mode"])
        related = relations(len(book.secrets))[said.action]
        truths, leaks = (table[parts(said.action)[1]] for table in decisions())
        lies = (truths[related[hidden]] < 0).any(axis=0)
        true = (truths[related[hidden]] > 0).any(axis=0)
        leaking = leaks[related[list(kept)]].any(axis=0)
        honest = tuple(act for act in acts if not lies[ACTS.index(act)])
        safe = tuple(act for act in honest if not leaking[ACTS.index(act)])
        plain = tuple(act for act in safe if act in _DIRECT and true[ACTS.index(act)])
        sensitive = bool(related[hidden].any())
        return Asked(said.action, kept, heard, sensitive, honest, safe, plain, info["mode"])

    def _may_refuse(self, heard: list[Exchange]) -> bool:
        most = self.spec.options.get("max_refusals")
        return most is None or sum(exchange.act in REFUSALS for exchange in heard) < most

    @property
    def _book(self) -> Book:
        return book_of(self.spec)

    @property
    def _max_turns(self) -> int:
        return int(self.spec.options.get("max_turns", MAX_TURNS))


def first(acts: tuple[Act, ...], asked: Asked) -> Act:
    """The first of some acts that is honest and no leak; a hedge where all are either."""
    return next((act for act in acts if act in asked.safe), "hedge")


def _mentions(text: str, secret: Secret) -> bool:
    """Whether open words share a word with what is known of a secret."""
    said = {word.casefold() for word in _WORD.findall(text)}
    known = {word.casefold() for word in _WORD.findall(f"{secret.subject} {secret.value}")}
    return any(len(word) > _SHORT or word.isdigit() for word in said & known)
