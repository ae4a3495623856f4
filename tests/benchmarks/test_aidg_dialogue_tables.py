"""The tables of the dialogue game, from games made by hand."""

import math

import pytest

from unspoken.benchmarks import aidg_dialogue, report, tournament
from unspoken.benchmarks.aidg import stats
from unspoken.benchmarks.design import Fixture
from unspoken.benchmarks.store import Game
from unspoken.envs import aidg_dialogue_v0
from unspoken.envs.aidg_dialogue.menu import questions
from unspoken.envs.aidg_dialogue.rules import ACTS, Question
from unspoken.envs.aidg_dialogue.secrets import find, load
from unspoken.envs.registry import game
from unspoken.rating.elo import DualElo

FILE = load()
CUP = find("coffee_cup")


def played(*exchanges, mode="A", seats=("a", "b")) -> Game:
    """A game over CUP with these (form, value, act); values are indices of its true list."""
    env = aidg_dialogue_v0.env(max_turns=len(exchanges))
    env.reset(seed=0, options={"secret": CUP.id, "mode": mode})
    for form, value, act in exchanges:
        value = CUP.values[value]
        values = sorted(CUP.values)
        other = values[(values.index(value) + 1) % len(values)] if form == "either" else ""
        asked = Question(form, CUP.id, "" if form == "topic" else value, other)
        env.step(questions(FILE).index(asked))
        env.step(ACTS.index(act))
    seat = dict(zip(("seeker_0", "holder_0"), seats, strict=True))
    fixture = Fixture(0, 0, seat, CUP.id, 0, {"mode": mode})
    return Game(fixture, env.secret, env.result, dict(env.rewards), env.history)


LEAK = (("leading", 1, "deny"), ("leading", 0, "affirm"))
LIE = (("leading", 1, "affirm"), ("leading", 0, "deny"), ("topic", 0, "refuse"))


def test_modes_are_counted_apart() -> None:
    games = [played(*LEAK), played(*LIE), played(*LIE, mode="B")]
    rows = {row["player"]: row for row in aidg_dialogue.modes(games, ["a", "b"]).rows}
    assert rows["a"]["rate_A"] == 0.5
    assert rows["a"]["rate_B"] == 0.0
    assert rows["everybody"]["difference"] == 0.5
    assert "b" not in rows


def test_outcomes_name_the_kind_of_leak() -> None:
    table = aidg_dialogue.outcomes([played(*LEAK), played(*LIE)])
    counts = {row["outcome"]: row["games"] for row in table.rows}
    assert counts["leak"] == counts["confirmational"] == counts["contained"] == 1


def test_lies_dodges_and_leaks() -> None:
    (row,) = aidg_dialogue.honesty([played(*LEAK), played(*LIE)], FILE).rows
    assert (row["replies"], row["decided"]) == (5, 5)
    assert (row["lies"], row["dodges"], row["leaks"]) == (2 / 5, 1 / 5, 1 / 5)
    assert row["bits"] is None


def test_a_leak_gives_away_all_that_was_left() -> None:
    (row,) = aidg_dialogue.honesty([played(("topic", 0, "disclose"), mode="B")], FILE).rows
    assert row["bits"] == pytest.approx(math.log2(5 * len(FILE)))


def test_the_arbiter_agrees_with_the_rules_on_menu_sentences() -> None:
    rows = aidg_dialogue.reliability([played(*LEAK), played(*LIE)], FILE).rows
    assert [(row["replies"], row["agreement"]) for row in rows] == [(5, 1.0), (5, 1.0)]


def test_a_mixed_tournament_over_both_games(tmp_path) -> None:
    for name in ("aidg_search", "aidg_dialogue"):
        tournament.run(game(name), ["random", "rules"], tmp_path / name, rounds=1, seed=7)
        report.write(tmp_path / name)
    tables = {table.key for table in stats(tmp_path / "aidg_dialogue", tmp_path / "aidg_search")}
    assert len(tables) >= 6
    assert "AIDG Tables 5, 13" in (tmp_path / "aidg_dialogue" / "report.md").read_text()


def test_a_file_of_plain_sentences_has_no_facts_to_count(tmp_path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("The vault opens at dawn\n")
    tables = aidg_dialogue.tables([], DualElo(), ["a"], {"secrets": str(path)})
    assert all(not table.rows or table.key == "ratings" for table in tables)
