"""The tables of games and of growth: what they measure, not how fast it is."""

import pytest

from unspoken.benchmarks.speed import scaling
from unspoken.envs.registry import games


@pytest.fixture
def rates(monkeypatch):
    """Plays every chunk once; the nth measured makes n steps a second."""
    played = []

    def best_rates(chunks, seconds):
        played.append({name: chunk() for name, chunk in chunks.items()})
        return {name: float(n) for n, name in enumerate(chunks, start=1)}

    monkeypatch.setattr(scaling, "best_rates", best_rates)
    monkeypatch.setattr(scaling, "_GAMES", 2)
    return played


@pytest.mark.slow
def test_all_games_stand_beside_connect_four(rates) -> None:
    pytest.importorskip("pygame")
    table = scaling.games_table(0.01)
    first, *others = table.rows
    assert first["env"] == "connect_four_v3"
    assert (first["raw"], first["env()"], first["chosen"]) == (1, 2, 3)
    assert {row["env"] for row in others} >= {spec.id for spec in games().values()}
    assert [row["raw_ratio"] for row in others] == [row["raw"] / 1 for row in others]
    assert [row["env()_ratio"] for row in others] == [row["env()"] / 2 for row in others]
    assert min(rates[0].values()) > 0


def test_every_game_has_a_batch_beside_its_env(rates, monkeypatch) -> None:
    monkeypatch.setattr(scaling, "_LANES", 3)
    table = scaling.batches_table(0.01)
    assert [row["game"] for row in table.rows] == [spec.id for spec in games().values()]
    assert [row["ratio"] for row in table.rows] == [2, 4 / 3, 6 / 5, 8 / 7, 10 / 9]
    assert {n for (_, kind), n in rates[0].items() if kind == "batch"} == {3}


@pytest.mark.slow
def test_what_grows_is_what_the_tables_say(rates, monkeypatch) -> None:
    monkeypatch.setattr(scaling, "_PLAYED", (1, 20))
    turns, players, search, sneak, reuse = scaling.scaling_tables(0.01)
    steps = rates[0]  # n questions with their answers, and the lock
    assert steps == {n: 1000 // n * (2 * n + 1) for n in (10, 100, 1000)}
    assert [row["players"] for row in players.rows] == [3, 4, 5, 6, 7, 8]
    assert [row["search_words"] for row in search.rows][-1] == 100
    assert len(sneak.rows) == 3
    assert [row["ratio"] for row in turns.rows] == [1, 2, 3]
    assert [row["reuse"] for row in reuse.rows] == [1, 20]
    assert reuse.rows[0]["ratio"] == 1
