"""A thousand games of language models against a server that fails one time in ten.

    PYTHONPATH=. python tools/llm_load.py [--games 1000] [--fault-rate 0.1] [--connections 1 16 64]

The server is that of the tests, in a process of its own, which plays at once. First a tournament
is played at each number of connections without faults: games and requests a second, and which
share of the time is this process's own computing. Then one with faults: it must end, no game may
be lost, its cost must be what the server counted, and its replay the same to the byte. Faults are
all of the server's but two: replies of a megabyte, and those that come when nobody waits for them
any more, which the server counts and nobody gets.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from unspoken.benchmarks import tournament
from unspoken.benchmarks.replay import replay
from unspoken.benchmarks.running import Running
from unspoken.benchmarks.store import read_games, read_spent, reading
from unspoken.envs.registry import game

TESTS = Path(__file__).parents[1] / "tests"
AGENTS = ["openai:one?timeout=60&retries=9", "openai:two?timeout=60&retries=9"]
PRICES = '[prices."*"]\ninput = 2.0\noutput = 8.0\n'
INPUT, OUTPUT = 2e-6, 8e-6
SERVER = """
import json, sys, time
from support.openai_server import ODD, TRANSIENT, OpenAIServer
server = OpenAIServer()
print(server.base_url, flush=True)
for line in sys.stdin:
    rate = float(line)
    server.trouble(rate, seed=7, faults=sorted((TRANSIENT | ODD).keys() - {"huge", "stall"}))
    said = {"requests": len(server.times), "used": server.used, "cpu": time.process_time()}
    print(json.dumps(said), flush=True)
"""


class Server:
    """The server's process."""

    def __init__(self) -> None:
        path = os.pathsep.join([str(TESTS), str(TESTS.parent)])
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.base_url = self._line()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def trouble(self, rate: float) -> dict[str, Any]:
        """Fail so often from now on; returns what it has done so far."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{rate}\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._line())
        return found

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()


def played(server: Server, folder: Path, games: int, connections: int, rate: float) -> None:
    """Play so many games, and print how fast."""
    prices = folder.parent / "prices.toml"
    prices.write_text(PRICES)
    before = server.trouble(rate)
    plan = tournament.plan(game("aidg_search"), AGENTS, rounds=games // 2)
    running = Running(max_connections=connections, prices=prices, max_cost=1e6)
    start, own = time.perf_counter(), time.process_time()
    tournament.carry_out(plan, folder, running)
    wall, own = time.perf_counter() - start, time.process_time() - own
    after = server.trouble(0)
    requests = after["requests"] - before["requests"]
    theirs = after["cpu"] - before["cpu"]
    print(
        f"{connections} connections, {rate:.0%} faults: {games} games, {requests} requests in "
        f"{wall:.1f} s: {games / wall:.1f} games/s, {requests / wall:.0f} requests/s; our CPU "
        f"{own:.1f} s ({own / wall:.0%} of the time; {1e3 * own / games:.1f} ms a game, "
        f"{1e3 * own / requests:.2f} ms a request), the server's {theirs:.1f} s",
        flush=True,
    )
    if rate:
        check(folder, games, before, after)


def check(folder: Path, games: int, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Compare what a run holds with what the server counted, and with its replay."""
    with reading(folder) as db:
        held = list(read_games(db))
        spent = read_spent(db)
    void = sum(one.result.winner is None for one in held)
    lost = games - len(held)
    print(f"{len(held)} games kept, {lost} lost, {void} void")
    assert spent is not None
    ours = {key: sum(u[key] for u in spent["models"].values()) for key in ("requests", "cost")}
    sent = after["requests"] - before["requests"]
    used = {key: n - before["used"].get(key, 0) for key, n in after["used"].items()}
    cost = used["prompt_tokens"] * INPUT + used["completion_tokens"] * OUTPUT
    print(
        f"requests: {ours['requests']} by us, {sent} by the server; cost: {ours['cost']:.6f} by "
        f"us, {cost:.6f} by the server"
    )
    start = time.perf_counter()
    found = replay(folder)
    seconds = time.perf_counter() - start
    print(
        f"replay: {found.played} games, {found.requests} requests in {seconds:.1f} s, "
        f"{len(found.different)} differ"
    )
    for place, what in list(found.different.items())[:5]:
        print(f"  game {place}: {what}")


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--fault-rate", type=float, default=0.1)
    parser.add_argument("--connections", type=int, nargs="*", default=[1, 16, 64])
    given = parser.parse_args()
    os.environ.setdefault("OPENAI_API_KEY", "sk-of-nobody")
    with closing(Server()) as server, TemporaryDirectory() as folder:
        os.environ["OPENAI_BASE_URL"] = server.base_url
        for connections in given.connections:
            run = Path(folder) / f"c{connections}"
            played(server, run, given.games, connections, 0.0)
        if given.fault_rate:
            run = Path(folder) / "faults"
            played(server, run, given.games, 64, given.fault_rate)


if __name__ == "__main__":
    main()
