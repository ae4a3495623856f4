"""Replies that are kept on disk, so that the same request is not paid for twice.

The key of a reply is everything that may matter to it: the endpoint, the kind of API, the whole
body of the request with all its settings, and which of several equal requests of one move it is.
By default only requests at temperature 0 are kept. Where `sampling` is set the others are, too;
their key has also the seed of the game, so that games stay independent draws and the same run,
run again, gets the same draws. Several processes can use one folder at once.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

log = logging.getLogger(__name__)

FILE = "replies.sqlite"
_FORMAT = 1
_BUSY = 30.0


class Draw(NamedTuple):
    """Which of many equal requests one is.

    Attributes:
        occasion: what stands for the game: the seed that the agent got.
        number: how many equal ones were made before in the same move.
    """

    occasion: int = 0
    number: int = 0


class Cache:
    """Replies on disk.

    Args:
        folder: where they are, or will be.
        sampling: whether replies are kept that are drawn at random.

    Raises:
        ValueError: if the folder cannot be used; says why.
    """

    def __init__(self, folder: Path, *, sampling: bool = False) -> None:
        self.folder = folder
        self.sampling = sampling
        self._lock = threading.Lock()
        path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=_BUSY, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            with self._db:
                self._db.execute(
                    "CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, body BLOB NOT NULL)"
                    " WITHOUT ROWID"
                )
        except (OSError, sqlite3.Error) as error:
            raise ValueError(f"{path} cannot be used as a cache: {error}") from error

    def key(self, url: str, api: str, body: Mapping[str, Any], draw: Draw) -> bytes | None:
        """The key of a request; None if its reply is not to be kept."""
        sampled = body.get("temperature") != 0
        if sampled and not self.sampling:
            return None
        own = [_FORMAT, url, api, body, draw.number, draw.occasion if sampled else None]
        return hashlib.sha256(json.dumps(own, sort_keys=True).encode()).digest()

    def get(self, key: bytes) -> bytes | None:
        """The body that came; None if none is there."""
        try:
            with self._lock:
                found = self._db.execute("SELECT body FROM replies WHERE key = ?", (key,))
                row = found.fetchone()
        except sqlite3.Error as error:
            log.warning("the cache in %s could not be read: %s", self.folder, error)
            return None
        return None if row is None else bytes(row[0])

    def put(self, key: bytes, body: bytes) -> None:
        """Keep a body; the first one stays."""
        try:
            with self._lock, self._db:
                self._db.execute("INSERT OR IGNORE INTO replies VALUES (?, ?)", (key, body))
        except sqlite3.Error as error:  # a full disk must not end a run
            log.warning("the cache in %s could not be written: %s", self.folder, error)

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def open_cache(where: str) -> Cache | None:
    """The cache that an option names.

    Args:
        where: "off"; "on" for the user's own folder; or a folder. With "sampling:" before a
            folder, or as "sampling" alone, replies that are drawn at random are kept as well.

    Raises:
        ValueError: as `Cache`.
    """
    if where in ("", "off"):
        return None
    kind, colon, folder = where.partition(":")
    sampling = kind == "sampling" and (bool(colon) or not folder)
    if sampling:
        where = folder or "on"
    return Cache(_home() if where == "on" else Path(where).expanduser(), sampling=sampling)


def _home() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "unspoken"
