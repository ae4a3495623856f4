"""What users wait for before anything runs: imports, a first game, a first kernel call."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from statistics import median

from unspoken.benchmarks.tables import Cell, Column, Table
from unspoken.envs.registry import games

REPEATS = 5


@dataclass(frozen=True)
class Start:
    """Something that is timed in a fresh process.

    Attributes:
        name: what it is.
        code: what is timed.
        before: what runs before the clock does.
        aim: seconds it may take; None for no aim.
        compiles: whether it uses kernels: it is then timed with an empty cache of compiled code
            and with a filled one.
    """

    name: str
    code: str
    before: str = ""
    aim: float | None = None
    compiles: bool = False


_POSITION = """
import numpy as np
from unspoken.evaluator import aidg_search as evaluator
position = evaluator.Position(np.full(100, 0.01))
position.answers
"""


def starts() -> tuple[Start, ...]:
    """All that is timed, in the order of the table."""
    made = [
        Start(
            f"{spec.id}, made and reset",
            f"from unspoken.envs import {spec.id}\n{spec.id}.env().reset(seed=0)",
            "import unspoken.envs",
        )
        for spec in games().values()
    ]
    return (
        Start("import unspoken", "import unspoken", aim=0.5),
        Start("import unspoken.envs", "import unspoken.envs"),
        *made,
        Start(
            "unspoken --help",
            "from unspoken.cli import main\ntry: main()\nexcept SystemExit: pass",
            "import sys\nsys.argv = ['unspoken', '--help']",
            aim=1.0,
        ),
        Start("import numba", "import numba"),
        Start("import unspoken.evaluator.aidg_search", _POSITION),
        Start(
            "information_gain, first call",
            "evaluator.information_gain(position.belief, position.answers)",
            _POSITION,
            aim=0.3,
            compiles=True,
        ),
        Start(
            "best_action, first call",
            "evaluator.best_action(position)",
            _POSITION,
            aim=0.3,
            compiles=True,
        ),
    )


def startup_table(repeats: int = REPEATS) -> Table:
    """Seconds from fresh processes, without the start of Python itself.

    Aims are for filled caches; code that is compiled for the first time takes what "cold" says,
    once.

    Args:
        repeats: processes for each line; medians are shown.

    Raises:
        RuntimeError: if one of them fails; with what it said.
    """
    rows: list[dict[str, Cell]] = []
    for start in starts():
        with tempfile.TemporaryDirectory() as folder:
            cold = _seconds(start, folder) if start.compiles else None
            warm = [_seconds(start, folder) for _ in range(repeats)]
        rows.append(
            {
                "what": start.name,
                "seconds": median(warm),
                "least": min(warm),
                "cold": cold,
                "aim": start.aim,
            }
        )
    columns = [
        Column("what", "from a fresh process", left=True),
        Column("seconds", "median, s", "{:.3f}"),
        Column("least", "least, s", "{:.3f}"),
        Column("cold", "cold, s", "{:.2f}"),
        Column("aim", "aim, s", "{:.1f}"),
    ]
    return Table("startup", f"Start-up, median of {repeats}", columns, rows)


def _seconds(start: Start, folder: str) -> float:
    lines = (
        start.before,
        "import time as _time",
        "_start = _time.perf_counter()",
        start.code,
        "print()",
        "print(_time.perf_counter() - _start)",
    )
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        env=os.environ | {"NUMBA_CACHE_DIR": folder},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{start.name} cannot be timed; it ended with:\n{done.stderr}")
    return float(done.stdout.splitlines()[-1])
