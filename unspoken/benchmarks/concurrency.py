"""Many pieces of work that wait, at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def at_once(work: Callable[[T], Awaitable[object]], items: Iterable[T], concurrency: int) -> None:
    """Do a piece of work for every item, several at once.

    Args:
        work: what is to be done; the first exception ends it all.
        items: one piece of work each.
        concurrency: how many are in work at once, at least 1.

    Raises:
        ValueError: if `concurrency` is below 1.
    """
    check(concurrency)

    async def everything() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(concurrency))
        places = asyncio.Semaphore(concurrency)

        async def one(item: T) -> None:
            async with places:
                await work(item)

        async with asyncio.TaskGroup() as tasks:
            for item in items:
                tasks.create_task(one(item))

    try:
        asyncio.run(everything())
    except ExceptionGroup as group:  # the task group's wrapping says nothing to a user
        raise group.exceptions[0] from None


def check(concurrency: int) -> None:
    """Refuse a number of things at once that is below 1.

    Raises:
        ValueError: names the value.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency={concurrency}: at least 1")
