"""The tables of tournaments of sneak_v0."""

import pytest

from unspoken.benchmarks import report, sneak, tournament
from unspoken.benchmarks.design import Fixture
from unspoken.benchmarks.store import Game
from unspoken.envs.registry import game
from unspoken.envs.result import Result
from unspoken.envs.sneak.instances import load
from unspoken.rating.elo import DualElo

BIRD = next(c for c in load() if c.name == "bird")  # 12 words, 5 decoys


def played(id_, speaker, rewards, outcome, winner) -> Game:
    seats = {"speaker_0": speaker, "ally_0": "ally", "chameleon_0": "chameleon"}
    sides = {"speaker": ("speaker_0", "ally_0"), "chameleon": ("chameleon_0",), None: ()}
    result = Result(outcome, winner, 2, 1.0, "", sides[winner])
    fixture = Fixture(id_, 0, seats, f"bird/{BIRD.words[id_]}", 0)
    return Game(fixture, BIRD.words[id_], result, dict(zip(seats, rewards, strict=True)), ())


GAMES = [
    played(0, "a", (0.4 * 9 / 11, 0.5, 0.25), "signalled", "speaker"),
    played(1, "a", (0.0, 1.0, 1.0), "leaked", "chameleon"),
    played(2, "a", (0.0, 0.0, 0.0), "violation", "chameleon"),
    played(3, "a", (0.0, 0.0, 0.0), "void", None),
    played(4, "b", (1.0, 1.0, 1 / 12), "signalled", "speaker"),
]


def test_speakers_by_hand() -> None:
    teams, table = sneak.tables(GAMES, DualElo(), ["a", "b", "ally", "chameleon"], {})
    assert teams.key == "ratings"
    rows = {row["speaker"]: row for row in table.rows}
    assert [row["speaker"] for row in table.rows][:2] == ["b", "a"]
    a = rows["a"]
    assert (a["games"], a["refused"]) == (3, 1)
    assert a["utility"] == pytest.approx((0.4 + 1 + 0) / 3)
    assert a["leakage"] == pytest.approx((2 / 11 + 1 + 0) / 3)
    assert a["soft"] == pytest.approx(0.4 * 9 / 11 / 3)
    assert a["binary"] == pytest.approx(1 / 3)
    assert rows["ally"]["games"] == 0
    assert rows["ally"]["soft"] is None


def test_smaller_tables_have_other_chances() -> None:
    _, table = sneak.tables(GAMES[:1], DualElo(), ["a"], {"n_words": 4, "n_decoys": 1})
    assert table.rows[0]["utility"] == 0  # 1/2 is chance among two
    assert table.rows[0]["leakage"] == 0


def test_a_tournament_is_reported(tmp_path) -> None:
    players = ["random", "sneak_players:Choosing", "sneak_players:Fixed?text=A"]
    tournament.run(game("sneak"), players, tmp_path, rounds=1, seed=1)
    tables = {table.key: table for table in report.write(tmp_path).tables}
    assert {"ratings", "speakers"} <= tables.keys()
    assert sum(row["games"] for row in tables["speakers"].rows) == 6
