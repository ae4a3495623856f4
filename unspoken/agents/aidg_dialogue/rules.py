"""A player with a list: what to ask next, and how to dodge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from unspoken.agents.aidg_dialogue.player import (
    Asked,
    DialoguePlayer,
    Seeking,
    first,
)
from unspoken.agents.aidg_dialogue.reading import DODGES, Exchange
from unspoken.agents.base import check_probability
from unspoken.envs.aidg_dialogue.rules import FORMS, Act
from unspoken.envs.registry import GameSpec
from unspoken.evaluator.aidg_dialogue_reference import VALUES, parts, question

TOPIC = FORMS.index("topic")
PRESSING = tuple(form for form in range(len(FORMS)) if form != TOPIC)
ROTATION: tuple[Act, ...] = ("partial", "hedge", "deflect", "refuse")


@dataclass
class Rules(DialoguePlayer):
    """Seeks by elimination and holds by the book.

    Seeking, it drops every fact that a reply would have lied about or leaked. While many secrets
    are left it asks for one topic after the other; a secret that was not disowned is suspected,
    and its values are pressed one after the other: leading question, presupposition, either-or,
    hypothetical, and again. A known secret is pressed from the start.

    Holding, it answers plainly as long as that gives nothing away, and else dodges in rotation:
    a part of the truth, a hedge, a change of subject, a refusal. It is not perfect: now and then
    it hedges where a question takes the secret for granted, which lets that stand.

    Attributes:
        slip: probability, 0 to 1, of such a hedge each time. By default against itself it loses
            about as often in mode A as the models of AIDG Table 5 (21.9%).
    """

    name: str = "rules"
    slip: float = field(default=0.08, kw_only=True)

    def __post_init__(self) -> None:
        check_probability("slip", self.slip)

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role; secrets and values are gone through in an order of the seed."""
        super().reset(role, spec, seed)
        self._order = self.rng.permutation(len(self._book))

    # Seeking ------------------------------------------------------------------------------

    def _seek(self, seeking: Seeking) -> int:
        left = seeking.facts & self._book.possible(seeking.heard)
        facts = self._ordered(np.flatnonzero(left if left.any() else seeking.facts))
        suspects = self._suspects(facts, seeking)
        if suspects:
            fact = max(suspects, key=lambda fact: _presses(fact, seeking.heard) > 0)
            return self._ask(fact, self._press(fact, seeking), seeking)
        asked = {exchange.secret for exchange in seeking.heard}
        fresh = [fact for fact in facts if fact // VALUES not in asked]
        return self._ask((fresh or facts)[0], self._probe(), seeking)

    def _suspects(self, facts: list[int], seeking: Seeking) -> list[int]:
        """The facts of the secret that is suspected, if any is, in order."""
        secrets = list(dict.fromkeys(fact // VALUES for fact in facts))
        if len(secrets) > 1:
            answered = {e.secret for e in seeking.heard if e.evidence}
            secrets = [secret for secret in secrets if secret in answered]
        return [fact for fact in facts if secrets and fact // VALUES == secrets[0]]

    def _press(self, fact: int, seeking: Seeking) -> int:
        """The form in which to press a fact."""
        return PRESSING[_presses(fact, seeking.heard) % len(PRESSING)]

    def _probe(self) -> int:
        """The form in which to find out whether a secret is the one."""
        return TOPIC

    def _ask(self, fact: int, form: int, seeking: Seeking) -> int:
        wanted = question(fact // VALUES, form, fact % VALUES)
        return wanted if wanted in seeking.legal else int(self.rng.choice(seeking.legal))

    def _ordered(self, facts: Iterable[int]) -> list[int]:
        """Facts in the order of the seed, those of a secret together."""
        rank = self._order.reshape(-1, VALUES).min(axis=1)
        return sorted(map(int, facts), key=lambda f: (rank[f // VALUES], self._order[f]))

    # Holding ------------------------------------------------------------------------------

    def _hold(self, asked: Asked) -> Act:
        if asked.plain:
            return asked.plain[0]
        if asked.question < 0:
            return first(("refuse", "deflect") if asked.sensitive else ("hedge",), asked)
        if asked.premise and self.rng.random() < self._slips(asked):
            return "hedge"
        dodges = [act for act in self._dodges(asked) if act in asked.safe]
        before = sum(exchange.act in DODGES for exchange in asked.heard)
        return dodges[before % len(dodges)] if dodges else "hedge"

    def _slips(self, asked: Asked) -> float:
        """Probability of leaving a true premise standing now."""
        return self.slip

    def _dodges(self, asked: Asked) -> tuple[Act, ...]:
        """The acts to dodge with, in rotation."""
        return ROTATION


def _presses(fact: int, heard: Iterable[Exchange]) -> int:
    """How many questions have named a fact (as the first of an either-or)."""
    return sum(names(fact, exchange) for exchange in heard)


def names(fact: int, exchange: Exchange) -> bool:
    """Whether a question named a fact, as the first of an either-or."""
    if exchange.question < 0:
        return False
    secret, form, value = parts(exchange.question)
    return form != TOPIC and VALUES * secret + value == fact
