"""What the built-in players of SNEAK share: how they see a move to be made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from unspoken.agents.base import BaseAgent, legal_actions, sentences
from unspoken.envs.sneak.instances import Category, Instance, file_of, load
from unspoken.envs.sneak.interpreter import fault
from unspoken.envs.sneak.menu import label
from unspoken.envs.sneak.rules import Distribution
from unspoken.lexicon.vectors import sayable, similarity

ROLES = frozenset({"speaker", "ally", "chameleon"})


@dataclass(frozen=True, slots=True)
class Speech:
    """A speaker's move to be made.

    Attributes:
        instance: the game as the speaker knows it: without decoys, and its kind is a placeholder.
        category: the category as its file has it.
        words: the words of the vocabulary that no rule refuses.
        free: whether anything else can be said, too.
    """

    instance: Instance
    category: Category
    words: tuple[str, ...]
    free: bool


@dataclass(frozen=True, slots=True)
class Heard:
    """A listener's move to be made.

    Attributes:
        instance: the game as the listener knows it. For the ally its decoys are all messages but
            the first; for the chameleon it has none, and its secret is empty.
        message: the message; for the ally the first of those it hears, whoever said it.
        options: what the listener chooses among: the messages, or the words.
    """

    instance: Instance
    message: str
    options: tuple[str, ...]


@dataclass
class SneakPlayer(BaseAgent):
    """A built-in player of SNEAK; subclasses say how to speak, to listen, or both."""

    game: ClassVar[str] = "sneak"
    roles: ClassVar[frozenset[str] | None] = ROLES

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int | str:
        """An index of the menu; in free mode a speaker's message as a text."""
        if self.role == "speaker":
            return self._said(observation, info)
        options = info["messages" if self.role == "ally" else "words"]
        return self._answer(self._hear(_heard(info, self.role, options)), "menu_mask" in info)

    def _speak(self, speech: Speech) -> Iterable[str]:
        """Messages, the best first; one of them is a word of the vocabulary that can be said."""
        raise NotImplementedError

    def _hear(self, heard: Heard) -> Distribution:
        """Probability of each option, float64 [n], sums to 1."""
        raise NotImplementedError

    def _answer(self, p: Distribution, free: bool) -> int | str:
        """The answer of a listener that holds the options for so likely."""
        return int(self.rng.choice(len(p), p=p))

    def _said(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int | str:
        free = "menu_mask" in info
        menu = sentences(self.spec, self.role, info)
        legal = {menu[i]: int(i) for i in legal_actions(observation, info)}
        instance = Instance(info["category"], "concrete", info["words"], info["secret"], ())
        category = _categories(file_of(self.spec.options))[instance.category]
        for message in self._speak(Speech(instance, category, tuple(legal), free)):
            if message in legal:
                return message if free else legal[message]
            if free and not fault(message, instance):
                return message
        raise ValueError(f"{self.name}: the rules refuse every message about {instance.id}")


def nearest(text: str, words: Sequence[str], avoid: tuple[str, ...]) -> str:
    """The one of some words of the vocabulary that is most like a text and names none of others."""
    free = sayable(avoid)
    left = [word for word in words if word in free] or list(words)
    return left[int(similarity([text], left)[0].argmax())]


def distribution(p: Distribution) -> str:
    """An answer that gives every option its probability."""
    return ", ".join(f"{label(i)}: {value:.6f}" for i, value in enumerate(p))


def uniform(n: int) -> Distribution:
    """Chance among n options."""
    return np.full(n, 1 / n)


def _heard(info: Mapping[str, Any], role: str, options: tuple[str, ...]) -> Heard:
    message, *others = options if role == "ally" else (info["message"],)
    secret = info["secret"] if role == "ally" else ""
    instance = Instance(info["category"], "concrete", info["words"], secret, tuple(others))
    return Heard(instance, message, options)


@lru_cache(maxsize=8)
def _categories(file: Path) -> dict[str, Category]:
    return {category.name: category for category in load(file)}
