"""How a run is carried out: all that does not change what comes of it."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from unspoken.benchmarks.executors import Executor, make_executor

if TYPE_CHECKING:
    from unspoken.agents.llm.models import Models
    from unspoken.agents.llm.prices import Prices
    from unspoken.agents.llm.traffic import Spent, Traffic
    from unspoken.benchmarks.store import Record

T = TypeVar("T")
R = TypeVar("R")

_HERE = ("max_connections", "max_cost", "max_tokens")
"""Limits that are kept in this process."""


@dataclass(frozen=True)
class Running:
    """How a run is carried out.

    Attributes:
        executor: where games are played: "local" or "ray"; the run is the same.
        concurrency: pieces in work at once (games, messages), by the executor local only. If None,
            as many as `max_connections`, or else 8.
        force: throw away what the folder holds.
        again: do again what failed: void games; in the SNEAK benchmark also evaluations.
        max_connections: most requests in flight to one endpoint; any number if None.
        max_cost: most that all requests of the run may cost, in the currency of the prices.
        max_tokens: most tokens of all requests of the run, prompts and replies together.
        prices: a file (`unspoken.agents.llm.prices`).
        cache: which replies are kept on disk and where (`unspoken.agents.llm.cache.open_cache`).
    """

    executor: str = "local"
    concurrency: int | None = None
    force: bool = False
    again: bool = False
    max_connections: int | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    prices: Path | None = None
    cache: str | None = None

    def make_executor(self) -> Executor:
        """The executor.

        Raises:
            ValueError: if there is no such executor, or it cannot do it like that.
            ImportError: if it needs an extra that is not installed; names the extra.
        """
        given = [name for name in _HERE if getattr(self, name) is not None]
        if self.executor != "local" and given:
            raise ValueError(
                f"{given[0]}={getattr(self, given[0])}: the executor {self.executor} makes "
                "requests in many processes, and limits are kept within one; use the executor local"
            )
        if self.executor == "local" and self.concurrency is None:
            return make_executor(self.executor, self.max_connections)
        return make_executor(self.executor, self.concurrency)

    def traffic(self, models: Iterable[str]) -> Traffic | None:
        """What all requests of the run share; None where nothing asks a model.

        Args:
            models: those that are going to be asked.

        Raises:
            ValueError: if a limit or a file is not as it should be, or `max_cost` is given and a
                model has no price.
            ImportError: if the extra `llm` is needed and not installed.
        """
        used = "unspoken.agents.llm.client" in sys.modules  # where nothing asks, nothing is loaded
        if not used and {getattr(self, name) for name in (*_HERE, "prices", "cache")} == {None}:
            return None
        from unspoken.agents.llm.cache import open_cache
        from unspoken.agents.llm.prices import read_prices
        from unspoken.agents.llm.traffic import Limits, Traffic

        shared = Traffic(
            Limits(self.max_connections, self.max_cost, self.max_tokens),
            read_prices(self.prices) if self.prices else None,
            open_cache(self.cache or ""),
        )
        shared.check(models)
        return shared

    def after(self, spent: Mapping[str, Any] | None) -> Running:
        """The same with what is left of the budget.

        Args:
            spent: by another run, as `unspoken.benchmarks.store.read_spent` gives it.
        """
        models = (spent or {"models": {}})["models"].values()
        less = {
            "max_tokens": sum(use["prompt_tokens"] + use["completion_tokens"] for use in models),
            "max_cost": sum(use["cost"] for use in models),
        }
        left = {
            key: max(getattr(self, key) - n, 0) for key, n in less.items() if getattr(self, key)
        }
        return replace(self, **left)

    def work(
        self, work: Callable[[T], Awaitable[R]], shared: Traffic | None
    ) -> tuple[Callable[[T], Awaitable[Any]], Callable[[Any], R]]:
        """Work as the executor is to do it, and what takes its result.

        What is shared does not reach other processes; there each piece of work has its own prices
        and cache, and brings back what it took.
        """
        if self.executor == "local" or shared is None:
            return work, lambda found: found

        def take(found: tuple[R, Spent]) -> R:
            result, spent = found
            for model, use in spent.models.items():
                shared.spent.models.setdefault(model, type(use)()).add(use)
            return result

        return partial(_elsewhere, work, shared.prices, self.cache), take


@contextmanager
def counted(shared: Traffic | None, record: Record) -> Iterator[None]:
    """Have all requests in here go by what is shared, and the record keep what the run takes.

    Args:
        shared: what requests share; None where there are none.
        record: of the run; says what it has taken before.
    """
    if shared is None:
        yield
        return
    from unspoken.agents.llm.traffic import Spent

    before = record.spent() or {"models": {}, "currency": None}
    shared.spent = Spent.of(before["models"])
    currency = shared.prices.currency if shared.prices else before["currency"]
    record.spending = lambda: {"currency": currency, "models": shared.spent.json()}
    try:
        with shared.use():
            yield
    finally:
        if shared.cache is not None:
            shared.cache.close()


async def _elsewhere(
    work: Callable[[T], Awaitable[R]], prices: Prices | None, cache: str | None, item: T
) -> tuple[R, Spent]:
    from unspoken.agents.llm.cache import open_cache
    from unspoken.agents.llm.traffic import Traffic

    with Traffic(prices=prices, cache=open_cache(cache or "")).use() as shared:
        return await work(item), shared.spent


def using(models: Models | None) -> AbstractContextManager[Any]:
    """Have models that are built in here from specs take these options."""
    return nullcontext() if models is None else models.use()


def models_in(config: Mapping[str, Any]) -> Models | None:
    """The options of models that a run was made with, from its config."""
    if config.get("models") is None:
        return None
    from unspoken.agents.llm.models import Models

    return Models(**config["models"])


def models_of(things: Iterable[Any]) -> set[str]:
    """The models that some agents and judges ask; others are passed over."""
    models = {getattr(thing, "model", None) for thing in things if hasattr(thing, "take_trace")}
    return {model for model in models if isinstance(model, str)}
