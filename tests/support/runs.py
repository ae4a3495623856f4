"""What a run holds, for comparisons."""

import json
import sqlite3
from contextlib import closing

from unspoken.benchmarks.store import FILE

TABLES = ("games", "seats", "moves", "calls", "ratings")
SNEAK = ("messages", "evaluations", "calls")


def held(folder, tables=TABLES):
    """All that a run holds, but how long things took, and how often requests were sent."""
    found = {}
    with closing(sqlite3.connect(folder / FILE)) as db:
        for name in tables:
            cursor = db.execute(f"SELECT * FROM {name} ORDER BY 1, 2")
            columns = [column for column, *_ in cursor.description]
            found[name] = [dict(zip(columns, row, strict=True)) for row in cursor]
    for rows in found.values():
        for row in rows:
            row.pop("seconds", None)
            if "details" in row:
                row["details"] = json.loads(row["details"])
                del row["details"]["latency_s"], row["details"]["attempts"]
    return found


def spent(folder):
    """What a run has noted that it took."""
    with closing(sqlite3.connect(folder / FILE)) as db:
        (value,) = db.execute("SELECT value FROM spent").fetchone()
    return json.loads(value)
