"""The start-up table, over small programs whose time is known."""

import pytest

from unspoken.benchmarks.speed import startup
from unspoken.benchmarks.speed.startup import Start, starts, startup_table
from unspoken.envs.registry import games


def _table(monkeypatch, *programs: Start):
    monkeypatch.setattr(startup, "starts", lambda: programs)
    return startup_table(repeats=1)


def test_only_what_is_timed_counts(monkeypatch) -> None:
    sleep = "import time\ntime.sleep(0.3)"
    table = _table(
        monkeypatch, Start("before", "pass", before=sleep), Start("timed", sleep, aim=0.1)
    )
    before, timed = table.rows
    assert before["seconds"] < 0.3 <= timed["seconds"]
    assert (timed["cold"], timed["aim"]) == (None, 0.1)


def test_what_compiles_finds_an_empty_cache_and_then_its_own(monkeypatch) -> None:
    # takes longer where it has not left its mark yet
    code = """
import os, pathlib, time
mark = pathlib.Path(os.environ["NUMBA_CACHE_DIR"], "mark")
if not mark.exists():
    time.sleep(0.3)
mark.touch()
"""
    table = _table(monkeypatch, Start("compiled", code, compiles=True))
    assert table.rows[0]["seconds"] < 0.3 <= table.rows[0]["cold"]


def test_a_program_that_fails_is_named_with_what_it_said(monkeypatch) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)broken cannot be timed.*no_such_module"):
        _table(monkeypatch, Start("broken", "import no_such_module"))


def test_every_game_and_the_aims_of_the_project_are_there() -> None:
    names = {start.name: start for start in starts()}
    for spec in games().values():
        assert any(name.startswith(spec.id) for name in names)
    assert names["import unspoken"].aim == 0.5
    assert names["unspoken --help"].aim == 1.0
    assert names["information_gain, first call"].compiles


@pytest.mark.parametrize("name", ["import unspoken", "aidg_search_v0, made and reset"])
def test_real_ones_run(monkeypatch, name: str) -> None:
    (start,) = (start for start in starts() if start.name == name)
    assert _table(monkeypatch, start).rows[0]["seconds"] >= 0
