"""The paper's tables of a run, from games made to the paper's own counts and from a real run."""

import json
import sqlite3
from contextlib import closing
from itertools import permutations

import numpy as np
import pytest

from unspoken.benchmarks import aidg, tournament
from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.design import Fixture
from unspoken.benchmarks.store import FILE, Game, read_ratings
from unspoken.benchmarks.tables import show
from unspoken.envs.aidg_search.rules import Ending, multiplier
from unspoken.envs.base import Message
from unspoken.envs.registry import game as game_spec
from unspoken.envs.result import Result
from unspoken.rating.elo import DualElo

# AIDG Table 10: seeker's disqualifications and wins in 25 games; Table 7: wins by turn.
TABLE_10 = {"qwen": (0, 7), "gemini": (2, 8), "gpt": (8, 3), "deepseek": (16, 2)}
TABLE_10 |= {"llama": (18, 1), "granite": (18, 1)}
FEW = 40  # resamples


def dialogue(winner, mode="A", seats=("a", "b"), turn=10) -> Game:
    outcome = "leak" if winner == "seeker" else "kept"
    return _game(Result(outcome, winner, turn), seats, (), {"mode": mode} if mode else {})


def search(ending, winner, turn=10, seats=("a", "b"), said=()) -> Game:
    history = tuple(Message(i, "holder", text, "answer", 0) for i, text in enumerate(said, 1))
    return _game(Result(ending, winner, turn, multiplier(turn)), seats, history, {})


def _game(result, seats, history, setting) -> Game:
    seat = dict(zip(("seeker_0", "holder_0"), seats, strict=True))
    fixture = Fixture(0, 0, seat, "chair", 0, setting)
    return Game(fixture, hidden="chair", result=result, rewards={}, history=history)


def papers_dialogues() -> list[Game]:
    counts = {("A", "seeker"): 32, ("A", "holder"): 114, ("B", "seeker"): 5, ("B", "holder"): 138}
    return [dialogue(winner, mode) for (mode, winner), n in counts.items() for _ in range(n)]


def papers_searches() -> list[Game]:
    games = []
    for seeker, (out, won) in TABLE_10.items():
        seats = (seeker, "holder of it")
        games += [search(Ending.DISQUALIFIED, "holder", 11, seats) for _ in range(out)]
        games += [search(Ending.CORRECT_LOCK, "seeker", 13, seats) for _ in range(won)]
        rest = 25 - out - won
        games += [search(Ending.WRONG_FINAL_GUESS, "holder", 16, seats) for _ in range(rest)]
    return games


def tables(**games):
    made = aidg.run_tables(games, resamples=FEW)
    return {table.key: list(table.rows) for table in made}


def test_rates_and_tests_of_the_papers_counts() -> None:
    made = tables(aidg_dialogue=papers_dialogues(), aidg_search=papers_searches())
    first, second = made["corpus"]
    assert (first["experiment"], first["games"], second["games"]) == ("AIDG-I", 289, 150)
    rates = [first["seeker_rate"], first["holder_rate"], second["seeker_rate"]]
    assert [round(100 * rate, 1) for rate in rates] == [12.8, 87.2, 14.7]
    assert first["seeker_rate_low"] < first["seeker_rate"] < first["seeker_rate_high"]
    assert first["holder_rate_low"] == pytest.approx(1 - first["seeker_rate_high"])
    turns = [10] * 289, [11] * 62 + [13] * 22 + [16] * 66
    assert (first["depth"], "depth_low" in first) == (10, False)  # all the same
    half = 1.976 * np.std(turns[1], ddof=1) / 150**0.5  # t of 149 degrees of freedom
    ends = (second["depth"] - half, second["depth"] + half)
    assert (second["depth_low"], second["depth_high"]) == pytest.approx(ends, abs=1e-3)
    tests = {row["section"]: row for row in made["tests"]}
    assert round(tests["5.2"]["value"], 3) == 0.156
    assert round(tests["5.2"]["p"], 2) == 0.69
    assert round(tests["5.4"]["value"], 2) == -0.95


def test_modes_of_the_papers_counts() -> None:
    made = tables(aidg_dialogue=papers_dialogues())
    a, b, odds = made["modes"]
    assert [(r["games"], r["wins"]) for r in (a, b)] == [(146, 32), (143, 5)]
    assert [round(100 * r["rate"], 1) for r in (a, b)] == [21.9, 3.5]
    numbers = [odds["odds"], odds["odds_low"], odds["odds_high"]]
    assert [round(x, 2) for x in numbers] == [7.75, 2.92, 20.53]
    assert odds["p"] < 1e-5
    assert odds["mode"] == "A over B"
    everybody, row = made["modes_by_player"]
    assert (everybody["player"], row["player"]) == ("everybody", "a")
    assert row["difference"] == pytest.approx(32 / 146 - 5 / 143)
    ends = (row["difference_low"], row["difference_high"])
    assert ends == pytest.approx(st.newcombe((32, 146), (5, 143)))
    assert (row["rate_A_low"], row["rate_A_high"]) == pytest.approx(st.wilson((32, 146)))


def test_an_odds_ratio_with_an_empty_cell_is_marked() -> None:
    odds = tables(aidg_dialogue=[dialogue("holder", "B"), dialogue("seeker", "A")])["modes"][2]
    assert odds["odds"] == pytest.approx((1.5 / 0.5) / (0.5 / 1.5))
    assert odds["odds_low"] < odds["odds"] < odds["odds_high"]
    assert (odds["mode"], odds["p"]) == ("A over B (Haldane-Anscombe)", 1)


def test_modes_without_both_or_without_a_win_have_no_odds_ratio() -> None:
    only_a = tables(aidg_dialogue=[dialogue("holder", "A")])
    assert only_a["modes_by_player"][0]["difference"] is None
    assert only_a["modes"][2] == {"mode": "A over B", "p": None}
    nobody = tables(aidg_dialogue=[dialogue("holder", "A"), dialogue("holder", "B")])
    assert nobody["modes"][2] == {"mode": "A over B", "p": 1}


def test_disqualifications_of_the_papers_counts() -> None:
    rows = {row["player"]: row for row in tables(aidg_search=papers_searches())["disqualified"]}
    rates = {name: round(100 * row["disqualified"]) for name, row in rows.items()}
    assert rates == {name: 4 * out for name, (out, _) in TABLE_10.items()}
    assert {name: round(25 * row["won"]) for name, row in rows.items()} == {
        name: won for name, (_, won) in TABLE_10.items()
    }
    assert rows["qwen"]["turn"] is None
    assert rows["granite"]["turn"] == 11
    assert "turn_low" not in rows["granite"]  # always the same
    assert rows["qwen"]["disqualified_high"] == pytest.approx(0.1332, abs=1e-4)  # z²/(n + z²)


def test_turns_have_t_intervals_and_their_median_a_bootstrap_one() -> None:
    turns = [3, 4, 8]
    games = [search(Ending.DISQUALIFIED, "holder", turn) for turn in turns]
    games += [search(Ending.CORRECT_LOCK, "seeker", turn) for turn in turns]
    made = tables(aidg_search=games)
    half = 4.302653 * 7**0.5 / 3**0.5  # squares 4 + 1 + 9 over 2
    (out,), (won,) = made["disqualified"], made["win_turns"]
    assert (out["turn_low"], out["turn_high"]) == pytest.approx((5 - half, 5 + half))
    assert (won["mean_low"], won["mean_high"]) == pytest.approx((5 - half, 5 + half))
    assert (won["wins"], won["mean"], won["median"]) == (3, 5, 4)
    assert 3 <= won["median_low"] <= 4 <= won["median_high"] <= 8
    assert tables(aidg_search=games[:4])["win_turns"][0]["median"] == 3  # of one: no interval
    assert "median_low" not in tables(aidg_search=games[:4])["win_turns"][0]


def test_outcomes_and_locks_have_intervals() -> None:
    made = tables(aidg_search=papers_searches())
    out = next(row for row in made["outcomes"] if row["outcome"] == Ending.DISQUALIFIED)
    assert round(100 * out["share"], 1) == 41.3
    assert out["share_low"] < out["share"] < out["share_high"]
    late, final = made["lock_timing"][2:]
    assert (late["rate"], final["rate"], final["rate_low"]) == (1, 0, 0)
    assert "rate_low" not in made["lock_timing"][0]


def test_answers_by_outcome() -> None:
    games = [
        search(Ending.WRONG_LOCK, "holder", said=["yes", "maybe", "no"]),
        search(Ending.WRONG_LOCK, "holder", said=["maybe"]),
        search(Ending.CORRECT_LOCK, "seeker", said=["yes", "yes"]),
        search(Ending.CORRECT_LOCK, "seeker", turn=1),  # locked without a question
        search(Ending.VOID, None, said=["no"]),
    ]
    made = tables(aidg_search=games)
    rows = {row["answer"]: row for row in made["answers"]}
    assert {a: (r["won_n"], r["lost_n"]) for a, r in rows.items()} == {
        "yes": (1, 2),
        "no": (1, 0),
        "maybe": (2, 0),
    }
    assert (rows["maybe"]["won"], rows["yes"]["lost"], rows["yes"]["lost_low"]) == (0.5, 1, 1)
    assert 0.33 < rows["maybe"]["won_low"] <= 0.5 <= rows["maybe"]["won_high"] == 1
    z = {row["section"]: row["value"] for row in made["tests"]}["5.9"]
    pooled = 2 / 6
    assert z == pytest.approx(0.5 / (pooled * (1 - pooled) * (1 / 4 + 1 / 2)) ** 0.5)


def test_ratings_are_those_of_dual_elo_in_order_and_averaged_over_games() -> None:
    first = [dialogue("seeker"), dialogue("holder", seats=("b", "a"))]
    second = [
        search(Ending.CORRECT_LOCK, "seeker", 3),
        search(Ending.VOID, None),
        search(Ending.WRONG_LOCK, "holder", 9, ("b", "a")),
        search(Ending.CORRECT_LOCK, "seeker", 5, ("b", "a")),
    ]
    made = tables(aidg_dialogue=first, aidg_search=second)
    one, two = DualElo(), DualElo()
    one.record("a", "b", 1)
    one.record("b", "a", 0)
    two.record("a", "b", 1, 14 / 8)
    two.record("b", "a", 0, 1)
    two.record("b", "a", 1, 12 / 8)
    rows = {row["player"]: row for row in made["elo"]}
    for name in "ab":
        assert rows[name]["c_elo"] == pytest.approx((one.c[name] + two.c[name]) / 2)
        assert rows[name]["v_elo"] == pytest.approx((one.v[name] + two.v[name]) / 2)
        assert rows[name]["gap"] == pytest.approx(rows[name]["v_elo"] - rows[name]["c_elo"])
    assert rows["a"]["rated_in"] == rows["b"]["rated_in"] == "both"
    by_game = {(row["player"], row["experiment"]): row for row in made["elo_by_game"]}
    assert by_game["a", "AIDG-I"]["c_elo"] == pytest.approx(one.c["a"])
    assert by_game["b", "AIDG-II"]["v_elo"] == pytest.approx(two.v["b"])
    assert by_game["b", "combined"]["v_elo"] == pytest.approx(rows["b"]["v_elo"])
    combined = made["advantage"][2]
    assert combined["experiment"] == "combined"
    assert combined["advantage"] == pytest.approx((rows["a"]["gap"] + rows["b"]["gap"]) / 2)
    assert made["corpus"][1]["void"] == 1


def test_players_of_one_role_have_no_rating_in_the_other() -> None:
    made = tables(aidg_search=[search(Ending.CORRECT_LOCK, "seeker", 3, ("asks", "answers"))])
    first, second, spread = made["elo"]
    assert (first["player"], second["player"]) == ("asks", "answers")
    assert "v_elo" not in first
    assert "gap" not in second
    assert made["advantage"] == [{"experiment": "AIDG-II", "players": 0}]
    assert spread["c_elo"] is None


def test_who_played_one_game_only_keeps_its_ratings_marked() -> None:
    made = tables(
        aidg_dialogue=[dialogue("seeker"), dialogue("holder", seats=("b", "a"))],
        aidg_search=[
            search(Ending.CORRECT_LOCK, "seeker", 3, ("a", "c")),
            search(Ending.WRONG_LOCK, "holder", 9, ("c", "d")),
        ],
    )
    one, two = DualElo(), DualElo()
    one.record("a", "b", 1)
    one.record("b", "a", 0)
    two.record("a", "c", 1, 14 / 8)
    two.record("c", "d", 0, 1)
    rows = {row["player"]: row for row in made["elo"]}
    assert {name: row["rated_in"] for name, row in rows.items() if row["rank"]} == {
        "a": "C: both, V: AIDG-I",
        "b": "AIDG-I",
        "c": "AIDG-II",
        "d": "AIDG-II",
    }
    assert rows["a"]["c_elo"] == pytest.approx((one.c["a"] + two.c["a"]) / 2)
    assert rows["a"]["v_elo"] == pytest.approx(one.v["a"])
    assert "gap" not in rows["a"]  # of different games
    assert rows["b"]["gap"] == pytest.approx(one.v["b"] - one.c["b"])
    assert rows["b"]["gap_low"] <= rows["b"]["gap"] <= rows["b"]["gap_high"]
    assert rows["c"]["c_elo"] == pytest.approx(two.c["c"])
    assert (rows["d"]["v_elo"], "c_elo" in rows["d"]) == (pytest.approx(two.v["d"]), False)
    by_game = {(row["player"], row["experiment"]) for row in made["elo_by_game"]}
    assert by_game == {
        ("a", "AIDG-I"),
        ("a", "AIDG-II"),
        ("a", "combined"),
        ("b", "AIDG-I"),
        ("c", "AIDG-II"),
        ("d", "AIDG-II"),
    }
    # only "a" has both in both games, and only as a seeker
    assert [row["players"] for row in made["advantage"]] == [2, 1, 0]


def test_the_effect_of_the_defense_has_an_interval_over_players() -> None:
    games = [
        search(Ending.CORRECT_LOCK, "seeker", 5, ("a", "b")),
        search(Ending.WRONG_LOCK, "holder", 9, ("b", "c")),
        search(Ending.WRONG_LOCK, "holder", 9, ("c", "a")),
    ]
    made = tables(aidg_search=games)
    ratings = [row for row in made["elo"] if row["rank"]]
    pair = [row["v_elo"] for row in ratings], [row["c_elo"] for row in ratings]
    (row,) = made["advantage"]
    assert row["d"] == pytest.approx(st.paired_d(*pair))
    assert (row["d_low"], row["d_high"]) == pytest.approx(st.paired_d_interval(*pair))


def test_a_value_and_its_interval_are_one_cell() -> None:
    games = {"aidg_dialogue": papers_dialogues(), "aidg_search": papers_searches()}
    made = {table.key: table for table in aidg.run_tables(games, resamples=FEW)}
    corpus = made["corpus"].markdown()
    assert "| AIDG-I | 289 | 0 | 2890 | 10.0 | 12.8% [9.4, 17.1] | 87.2% [82.9, 90.6] |" in corpus
    assert "| AIDG-II | 150 |" in corpus
    assert "A over B | – | – | – | 7.75 [2.92, 20.53] |" in made["modes"].markdown()
    assert "+18.4% [+11.0, +26.1]" in made["modes_by_player"].markdown()
    row = json.loads(json.dumps(made["corpus"].json()))[0]
    assert row["seeker_rate"] == 37 / 289
    assert {"seeker_rate_low", "seeker_rate_high"} <= row.keys()
    labels = {column.heading for table in made.values() for column in table.columns if column.left}
    assert {"experiment", "player", "seeker", "mode", "outcome", "answer", "test"} <= labels


def test_tables_of_two_runs_fit_100_characters(capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    pairs = list(permutations([f"player{i:02}" for i in range(1, 12)], 2))
    won = [i % 3 == 0 for i in range(len(pairs))]
    dialogues = [
        dialogue("seeker" if win else "holder", mode, seats, 1 + i % 9)
        for i, (win, seats) in enumerate(zip(won, pairs, strict=True))
        for mode in "AB"
    ]
    searches = [
        search(Ending.CORRECT_LOCK, "seeker", 1 + i % 9, seats, ["yes", "no"])
        if win
        else search(Ending.DISQUALIFIED, "holder", 2 + i % 9, seats, ["yes", "maybe"])
        for i, (win, seats) in enumerate(zip(won, pairs, strict=True))
    ]
    games = {"aidg_dialogue": dialogues, "aidg_search": searches}
    made = aidg.run_tables(games, resamples=FEW)
    assert {table.key: table.width for table in made if table.width > 100} == {}
    show(made)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert sum(line.split()[:2] == ["AIDG-I", "220"] for line in lines) == 1
    assert sum(line.split()[:2] == ["AIDG-II", "110"] for line in lines) == 1


def test_intervals_hold_the_ratings_and_come_from_the_seed() -> None:
    games = [
        search(Ending.CORRECT_LOCK, "seeker", 6 + i % 5, seats)
        if i % 3 == 0
        else search(Ending.WRONG_LOCK, "holder", 9, seats)
        for i in range(30)
        for seats in (("a", "b"), ("b", "a"))
    ]
    made = tables(aidg_search=games)
    for row in made["elo"][:2]:
        for key in ("c_elo", "v_elo", "gap"):
            assert row[f"{key}_low"] < row[key] < row[f"{key}_high"]
    assert tables(aidg_search=games) == made


def test_what_there_are_no_data_for_is_left_out() -> None:
    one = tables(aidg_dialogue=[dialogue("seeker", mode="")] * 3)
    assert list(one) == ["corpus", "win_turns", "advantage", "elo"]
    two = tables(aidg_search=papers_searches())
    assert not two.keys() & {"modes", "modes_by_player", "elo_by_game"}


def test_other_games_and_runs_without_an_ended_game_are_refused() -> None:
    with pytest.raises(ValueError, match="no games of AIDG: sneak"):
        aidg.run_tables({"sneak": []})
    with pytest.raises(ValueError, match="no game has been played to its end"):
        aidg.run_tables({"aidg_search": [search(Ending.VOID, None)]})


def test_a_real_run(tmp_path) -> None:
    spec = game_spec("aidg_search")
    tournament.run(spec, ["support.players:Asker", "random"], tmp_path, rounds=2, seed=3)
    made = {table.key: table for table in aidg.stats(tmp_path)}
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        elo = read_ratings(db)
    for row in made["elo"].rows[:2]:
        assert row["c_elo"] == pytest.approx(elo.c[row["player"]])
        assert row["v_elo"] == pytest.approx(elo.v[row["player"]])
    assert sum(row["games"] for row in made["outcomes"].rows) == 4
    for table in made.values():
        assert table.markdown()
    with pytest.raises(ValueError, match="a second run of aidg_search"):
        aidg.stats(tmp_path, tmp_path)
    with pytest.raises(FileNotFoundError, match="holds no run"):
        aidg.stats(tmp_path / "elsewhere")
