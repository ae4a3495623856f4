"""Several listeners together, as SNEAK averages three evaluators (3.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from unspoken.envs.sneak.instances import Instance
from unspoken.envs.sneak.rules import Scores, score
from unspoken.judges.listeners.base import Distribution, Listener


class Heard(NamedTuple):
    """What listeners made of a message.

    Attributes:
        ally: each listener's distribution over the messages, by name.
        chameleon: each listener's distribution over the words, by name.
    """

    ally: dict[str, Distribution]
    chameleon: dict[str, Distribution]

    def scores(self, instance: Instance) -> dict[str, Scores]:
        """The message's scores by each listener (SNEAK 2.1)."""
        secret = instance.words.index(instance.secret)
        return {name: score(p, self.chameleon[name], secret) for name, p in self.ally.items()}

    def mean(self, instance: Instance) -> Scores:
        """The scores averaged over the listeners, as in the paper's tables.

        These are not the scores of the average distribution: nothing is below chance.
        """
        return Scores(*np.mean(list(self.scores(instance).values()), axis=0).tolist())


class Average:
    """A `Listener` whose distributions are the means of others'.

    Args:
        listeners: those others, at least one, each with a name of its own.

    Attributes:
        name: theirs, joined by " + ".
        listeners: them, by name.

    Raises:
        ValueError: if there are none, or two of one name.
    """

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self.listeners = {listener.name: listener for listener in listeners}
        if not listeners or len(self.listeners) < len(listeners):
            names = [listener.name for listener in listeners]
            raise ValueError(f"listeners {names}: at least one, each name once")
        self.name = " + ".join(self.listeners)

    def ally(self, instance: Instance, message: str) -> Distribution:
        """See `Listener.ally`."""
        return _mean([one.ally(instance, message) for one in self.listeners.values()])

    def chameleon(self, instance: Instance, message: str) -> Distribution:
        """See `Listener.chameleon`."""
        return _mean([one.chameleon(instance, message) for one in self.listeners.values()])

    async def aally(self, instance: Instance, message: str) -> Distribution:
        """As `ally`; listeners that ask a model are asked at the same time."""
        return _mean(await self._all("ally", instance, message))

    async def achameleon(self, instance: Instance, message: str) -> Distribution:
        """As `chameleon`; listeners that ask a model are asked at the same time."""
        return _mean(await self._all("chameleon", instance, message))

    def hear(self, instance: Instance, message: str) -> Heard:
        """What each listener makes of a message."""
        return Heard(
            {name: one.ally(instance, message) for name, one in self.listeners.items()},
            {name: one.chameleon(instance, message) for name, one in self.listeners.items()},
        )

    async def ahear(self, instance: Instance, message: str) -> Heard:
        """As `hear`; listeners that ask a model are asked at the same time."""
        both = await asyncio.gather(
            *(self._all(role, instance, message) for role in ("ally", "chameleon"))
        )
        return Heard(*(dict(zip(self.listeners, found, strict=True)) for found in both))

    def take_trace(self) -> list[Any]:
        """The requests that the listeners made since the last call, one listener after another."""
        traces: list[list[Any]] = [
            getattr(one, "take_trace", list)() for one in self.listeners.values()
        ]
        return [call for trace in traces for call in trace]

    async def _all(self, role: str, instance: Instance, message: str) -> list[Distribution]:
        async def ask(listener: Listener) -> Distribution:
            asked = getattr(listener, f"a{role}", None)
            if asked is None:
                found: Distribution = getattr(listener, role)(instance, message)
                return found
            awaited: Distribution = await asked(instance, message)
            return awaited

        return await asyncio.gather(*(ask(one) for one in self.listeners.values()))


def _mean(distributions: Sequence[Distribution]) -> Distribution:
    return np.asarray(np.mean(distributions, axis=0), np.float64)
