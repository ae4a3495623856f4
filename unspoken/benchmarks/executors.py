"""Where games are played: in this process, or by the workers of a Ray cluster.

An executor only decides where and when. What is played is a function of its item, and what became
of it is taken down in this process; so a run is the same whoever carries it out.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from unspoken.agents.base import RunOver
from unspoken.benchmarks.concurrency import at_once, check

T = TypeVar("T")
R = TypeVar("R")

NAMES = ("local", "ray")
CONCURRENCY = 8
RETRIES = 3
"""How often work is begun anew after the death of the worker that had it."""


class Executor(Protocol):
    """What carries out many pieces of work."""

    def check(self, work: Callable[..., object]) -> None:
        """Refuse work that this executor cannot carry out, before anything depends on it.

        Raises:
            ValueError: says why not.
        """

    def run(
        self, items: Sequence[T], work: Callable[[T], Awaitable[R]], done: Callable[[R], None]
    ) -> None:
        """Do a piece of work for every item; the first exception ends it all.

        But for a `RunOver`: nothing new is begun then, and what is in work is brought to its end,
        or to a `RunOver` of its own; so no request that was sent is forgotten.

        Args:
            items: one piece of work each.
            work: what is to be done; a function of the item alone, since it may be done in another
                process, and there more than once.
            done: is given every result here, one at a time, in the order in which they come.
        """


def make_executor(name: str = "local", concurrency: int | None = None) -> Executor:
    """Build an executor.

    Args:
        name: "local" or "ray".
        concurrency: how many pieces are in work at once, at least 1; local only, 8 if None. Ray
            does as many as its machines have processors.

    Raises:
        ValueError: if there is no such executor, or it does not take such a `concurrency`.
        ImportError: if the extra `ray` is needed and not installed.
    """
    if name not in NAMES:
        raise ValueError(f"there is no executor {name!r}; choose from {', '.join(NAMES)}")
    if name == "local":
        return Local(CONCURRENCY if concurrency is None else concurrency)
    if concurrency is not None:
        raise ValueError(
            f"concurrency={concurrency}: the executor ray works on as many games at once as its "
            "machines have processors; leave it out"
        )
    return Ray()


class Local:
    """This process; what waits for a server or in a thread does not hold up the rest.

    Args:
        concurrency: how many pieces are in work at once, at least 1.

    Raises:
        ValueError: if `concurrency` is below 1.
    """

    def __init__(self, concurrency: int = CONCURRENCY) -> None:
        check(concurrency)
        self._concurrency = concurrency

    def check(self, work: Callable[..., object]) -> None:
        """See `Executor`; nothing is refused."""

    def run(
        self, items: Sequence[T], work: Callable[[T], Awaitable[R]], done: Callable[[R], None]
    ) -> None:
        """See `Executor`."""
        over: list[RunOver] = []

        async def one(item: T) -> None:
            if over:
                return
            try:
                result = await work(item)
            except RunOver as error:
                over.append(error)
            else:
                done(result)

        at_once(one, items, self._concurrency)
        if over:
            raise over[0]


class Ray:
    """The workers of a Ray cluster, each item a task on one processor.

    The cluster is the one that this process is already connected to, else that of `RAY_ADDRESS`,
    else one is started on this machine; it stays until the process ends. On other machines, what
    is played (this package, agents of one's own, files that options name, API keys in the
    environment) must be there, too. A task whose worker dies is done again elsewhere.

    Raises:
        ImportError: if the extra `ray` is not installed.
    """

    def __init__(self) -> None:
        # Nobody is told that it runs; this also spares a process. Ray reads it when it starts.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray
        except ImportError as error:
            raise ImportError(
                "the executor ray needs the extra: pip install 'unspoken[ray]'"
            ) from error
        if not ray.is_initialized():
            ray.init(
                address=os.environ.get("RAY_ADDRESS", "local"),
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        self._task = ray.remote(max_retries=RETRIES)(_do)

    def check(self, work: Callable[..., object]) -> None:
        """See `Executor`."""
        self._pickled(work)

    def _pickled(self, work: Callable[..., object]) -> bytes:
        import ray

        pickler: Any = ray.cloudpickle
        try:
            pickled: bytes = pickler.dumps(work)
        except Exception as error:  # whatever the agents raise that refuse it
            raise ValueError(
                f"an agent cannot be sent to Ray's workers ({error}); agents that hold locks, "
                "files or connections play with the executor local"
            ) from error
        return pickled

    def run(
        self, items: Sequence[T], work: Callable[[T], Awaitable[R]], done: Callable[[R], None]
    ) -> None:
        """See `Executor`.

        Raises:
            ValueError: if `work` cannot be sent to another process.
            RuntimeError: if the workers of an item died each time.
        """
        import ray

        shared = [ray.put(self._pickled(work))]

        async def one(item: T) -> None:
            going = self._task.remote(shared, item)
            try:
                result = await going
            except asyncio.CancelledError:
                ray.cancel(going)
                raise
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None  # its own words are the whole remote traceback
            except ray.exceptions.RayError as error:
                raise RuntimeError(
                    f"Ray lost the workers of {item} {RETRIES + 1} times; the run can be gone on "
                    f"with ({type(error).__name__})"
                ) from error
            done(result)

        at_once(one, items, max(len(items), 1))


def _do(shared: list[Any], item: Any) -> Any:
    # In a list, so that Ray does not fetch and unpack it for every item.
    (place,) = shared
    return asyncio.run(_work(place)(item))


@lru_cache(maxsize=1)
def _work(place: Any) -> Callable[[Any], Any]:
    import ray

    work: Callable[[Any], Any] = ray.cloudpickle.loads(ray.get(place))
    return work
