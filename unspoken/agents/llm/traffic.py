"""What all requests of a run share: connections, waits, budget, prices, cache, and the record.

    traffic = Traffic(Limits(max_connections=16, max_cost=5.0), prices=read_prices(file))
    with traffic.use():
        ...  # every request made in here, by tasks and by `asyncio.to_thread`, is counted

Limits hold within one process. The budget is looked at before each attempt is sent and what a
request takes is known when its reply is there; so a run goes past its budget by the requests that
are in flight at that moment, at most, and never by one that was sent later.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

from unspoken.agents.base import RunOver
from unspoken.agents.llm.cache import Cache
from unspoken.agents.llm.prices import Price, Prices

if TYPE_CHECKING:
    from unspoken.agents.llm.client import Call

_traffic: ContextVar[Traffic | None] = ContextVar("traffic", default=None)
_replay: ContextVar[Recording | None] = ContextVar("replay", default=None)


class BudgetSpent(RunOver):
    """A limit of the run is reached, so a request was not sent; the message says which.

    It is no `AgentFailure`, since it is no fault of an agent: it ends the run, and no game is void
    because of it. The same command goes on with the run when the limit is higher.
    """


class ReplayError(RunOver):
    """A request that the record holds no answer to; the message says which."""


class BrokenOff(ReplayError):
    """A request that the record has, but that was broken off before anything came of it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a run; None is no limit.

    Attributes:
        max_connections: requests in flight at each endpoint, 1 or more.
        max_cost: what all requests may cost, in the price table's currency; 0 or more.
        max_tokens: tokens of all prompts and replies; 0 or more.

    Raises:
        ValueError: if a limit is out of its range.
    """

    max_connections: int | None = None
    max_cost: float | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        for name, low in (("max_connections", 1), ("max_cost", 0), ("max_tokens", 0)):
            value = getattr(self, name)
            if value is not None and not value >= low:
                raise ValueError(f"{name}={value}: {low} or more")


@dataclass(slots=True)
class Use:
    """What one model took.

    Attributes:
        requests: attempts that were sent.
        failed: of these, those that brought no reply.
        prompt_tokens: as the server counts them, those of failed attempts too where it says so.
        completion_tokens: likewise.
        cached_tokens: of the prompts, those that the server had in its cache.
        cost: of those with a price, in the table's currency.
        missing: replies of which the server did not say what they took.
        unpriced: replies that have no price.
        cached: requests that were answered from the cache on disk; they are in no other count.
    """

    requests: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float = 0.0
    missing: int = 0
    unpriced: int = 0
    cached: int = 0

    def add(self, other: Use) -> None:
        """Count what another took, too."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass(slots=True)
class Spent:
    """What a run took, by model.

    Attributes:
        models: by the name that the model was asked under.
    """

    models: dict[str, Use] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Mapping[str, Mapping[str, Any]]) -> Self:
        """From what `json` gave."""
        return cls({model: Use(**use) for model, use in data.items()})

    def json(self) -> dict[str, dict[str, Any]]:
        """As data that JSON can hold, by model."""
        return {model: asdict(use) for model, use in sorted(self.models.items())}

    @property
    def total(self) -> Use:
        """What all models took."""
        total = Use()
        for use in list(self.models.values()):
            total.add(use)
        return total

    @property
    def tokens(self) -> int:
        """Tokens of all prompts and replies."""
        return sum(u.prompt_tokens + u.completion_tokens for u in list(self.models.values()))

    @property
    def cost(self) -> float:
        """What all models cost, as far as they have prices."""
        return sum(use.cost for use in list(self.models.values()))


class Lane:
    """The way to one endpoint: so many requests at once, and none while it asks to wait.

    Places are given in the order in which they were asked for, to tasks and threads alike.

    Args:
        places: how many; None is no limit.

    Attributes:
        until: when requests may go on, by `time.monotonic`.
        in_flight: places that are taken.
    """

    def __init__(self, places: int | None = None) -> None:
        self._places = places
        self._lock = threading.Lock()
        self._queue: deque[Future[None]] = deque()
        self.until = 0.0
        self.in_flight = 0

    @property
    def waiting(self) -> int:
        """How many wait for a place."""
        return len(self._queue)

    def pause(self, seconds: float) -> float:
        """Let no request begin for so long; returns until when."""
        with self._lock:
            self.until = max(self.until, time.monotonic() + seconds)
            return self.until

    def enter(self) -> None:
        """Wait for a place, blocking."""
        place = self._ask()
        if place is not None:
            try:
                place.result()
            except BaseException:
                self._forget(place)
                raise

    async def aenter(self) -> None:
        """Wait for a place without blocking the running loop."""
        place = self._ask()
        if place is not None:
            try:
                await asyncio.wrap_future(place)
            except BaseException:
                self._forget(place)
                raise

    def leave(self) -> None:
        """Give a place back."""
        with self._lock:
            self.in_flight -= 1
            while self._queue and (self._places is None or self.in_flight < self._places):
                first = self._queue.popleft()
                if first.set_running_or_notify_cancel():
                    self.in_flight += 1
                    first.set_result(None)

    def _ask(self) -> Future[None] | None:
        """A place, if there is one; otherwise what is done when there is."""
        with self._lock:
            if self._places is None or (self.in_flight < self._places and not self._queue):
                self.in_flight += 1
                return None
            place: Future[None] = Future()
            self._queue.append(place)
            return place

    def _forget(self, place: Future[None]) -> None:
        if not place.cancel():  # it was given while the one who waited was stopped
            self.leave()


class Traffic:
    """What all requests of a run share.

    Args:
        limits: see `Limits`.
        prices: what tokens cost; None if nobody asks.
        cache: replies that are kept on disk; None for none.
        spent: what the run has taken before, if it is gone on with.

    Attributes:
        limits: as given.
        prices: as given.
        cache: as given.
        spent: what all requests took so far, those before included.
        retries: how often a request was sent again.
        refused: the forms of replies that a server does not take: its URL, the model, the type.
    """

    def __init__(
        self,
        limits: Limits = Limits(),
        prices: Prices | None = None,
        cache: Cache | None = None,
        spent: Spent | None = None,
    ) -> None:
        self.limits = limits
        self.prices = prices
        self.cache = cache
        self.spent = Spent() if spent is None else spent
        self.retries = 0
        self.refused: set[tuple[str, str, str]] = set()
        self._lanes: dict[str, Lane] = {}
        self._lock = threading.Lock()

    @contextmanager
    def use(self) -> Iterator[Self]:
        """Have all requests in here share this; tasks and `asyncio.to_thread` inherit it."""
        token = _traffic.set(self)
        try:
            yield self
        finally:
            _traffic.reset(token)

    @property
    def in_flight(self) -> int:
        """Requests that are being answered now."""
        return sum(lane.in_flight for lane in list(self._lanes.values()))

    @property
    def waiting(self) -> int:
        """Requests that wait for a connection now."""
        return sum(lane.waiting for lane in list(self._lanes.values()))

    def check(self, models: Iterable[str]) -> None:
        """Refuse a limit on cost where the cost of a model is not known.

        Raises:
            ValueError: says what is to be written into the price table.
        """
        if self.limits.max_cost is None:
            return
        missing = sorted({model for model in models if self.price(model) is None})
        if missing:
            raise ValueError(self._unpriced(missing))

    def lane(self, url: str) -> Lane:
        """The way to an endpoint, by its base URL."""
        with self._lock:
            if url not in self._lanes:
                self._lanes[url] = Lane(self.limits.max_connections)
            return self._lanes[url]

    def admit(self, model: str) -> None:
        """Refuse a request that would be sent after a limit was reached.

        Raises:
            BudgetSpent: says which limit, or that the model has no price.
        """
        limits, spent = self.limits, self.spent
        if limits.max_tokens is not None and spent.tokens >= limits.max_tokens:
            raise BudgetSpent(
                f"max_tokens={limits.max_tokens} is reached: {spent.tokens} tokens were used"
            )
        if limits.max_cost is None:
            return
        if self.price(model) is None:
            raise BudgetSpent(self._unpriced([model]))
        if spent.cost >= limits.max_cost:
            raise BudgetSpent(
                f"max_cost={limits.max_cost:g} is reached: {spent.cost:.6g} {self._currency} "
                "were spent"
            )

    def book(self, model: str, usage: Mapping[str, int] | None, *, failed: bool) -> float | None:
        """Count an attempt that has ended.

        Args:
            model: who was asked.
            usage: what it took, as `Reply.usage`; None if the server does not say.
            failed: whether there was no reply.

        Returns:
            what it cost; None if that is not known.

        Raises:
            BudgetSpent: if a limit is set and the server does not say what its replies take. That
                is so at a model's first reply; later it is counted in `Use.missing`.
        """
        price = self.price(model)
        cost = price.cost(usage) if price is not None and usage is not None else None
        with self._lock:
            use = self.spent.models.setdefault(model, Use())
            use.add(
                Use(
                    requests=1,
                    failed=int(failed),
                    cost=cost or 0.0,
                    missing=int(usage is None and not failed),
                    unpriced=int(price is None and not failed),
                    **{name: (usage or {}).get(name, 0) for name in TOKENS},
                )
            )
            known = use.prompt_tokens + use.completion_tokens > 0
            unknown = usage is None and not failed and not known
        if unknown and (self.limits.max_cost, self.limits.max_tokens) != (None, None):
            raise BudgetSpent(
                f"{model}: its server does not say how many tokens a reply takes (usage is "
                "missing), so neither max_tokens nor max_cost can be held; leave them out, or make "
                "the server count"
            )
        return cost

    def book_cached(self, model: str) -> None:
        """Count a request that was answered from the cache on disk."""
        with self._lock:
            self.spent.models.setdefault(model, Use()).cached += 1

    def price(self, model: str) -> Price | None:
        """The price of a model; None if it has none."""
        return None if self.prices is None else self.prices.of(model)

    @property
    def _currency(self) -> str:
        return "" if self.prices is None else self.prices.currency

    def _unpriced(self, models: list[str]) -> str:
        file = self.prices.file if self.prices is not None else None
        lines = ", ".join(f'[prices."{model}"] input = … output = …' for model in models)
        return (
            f"max_cost needs the price of {', '.join(models)}: write {lines} (for a million "
            f"tokens) into {file or 'a price table (TOML) and give it as prices'}"
        )


TOKENS = ("prompt_tokens", "completion_tokens", "cached_tokens")


def current() -> Traffic:
    """What requests share here; one of its own for each where nothing is set."""
    return _traffic.get() or Traffic()


class Recording:
    """Recorded requests that answer the requests of a replay, each once and in order.

    Args:
        calls: `Call`s, also as `unspoken.benchmarks.store` gives them back.
    """

    def __init__(self, calls: Iterable[Mapping[str, Any]]) -> None:
        self._calls: dict[str, deque[Mapping[str, Any]]] = {}
        for call in calls:
            self._calls.setdefault(_identity(call), deque()).append(call)

    def left(self) -> int:
        """How many recorded requests nothing has asked for."""
        return sum(map(len, self._calls.values()))

    def answer(self, call: Call) -> Mapping[str, Any]:
        """The record of a request.

        Raises:
            ReplayError: if it was not recorded.
            BrokenOff: if nothing came of it.
        """
        waiting = self._calls.get(_identity(call))
        if not waiting:
            last = call["messages"][-1]["content"] if call["messages"] else ""
            step = f" for the step {call['step']!r}" if call["step"] else ""
            raise ReplayError(
                f"the record has no reply of {call['model']}{step} to {len(call['messages'])} "
                f"messages that end in {last[-200:]!r}"
            )
        found = waiting.popleft()
        if found.get("reply") is None and found.get("failure") is None:
            raise BrokenOff(f"{call['model']}: this request was broken off when it was recorded")
        return found


@contextmanager
def replaying(calls: Iterable[Mapping[str, Any]]) -> Iterator[Recording]:
    """Answer all requests in here from a record; none is sent, and no key is needed.

    A request is answered by the next recorded one with the same model, messages and step, whether
    that brought a reply or a failure.
    """
    recording = Recording(calls)
    token = _replay.set(recording)
    try:
        yield recording
    finally:
        _replay.reset(token)


def recording() -> Recording | None:
    """The record that requests are answered from here; None if they are sent."""
    return _replay.get()


def _identity(call: Mapping[str, Any]) -> str:
    return json.dumps([call["model"], call["step"], call["messages"]], sort_keys=True)
