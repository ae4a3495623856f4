"""The tables of a run, from games made to the paper's own counts (AIDG Tables 6 and 7)."""

import math

import pytest

from unspoken.benchmarks import aidg_search
from unspoken.benchmarks.design import Fixture
from unspoken.benchmarks.store import Game
from unspoken.envs.aidg_search.ontology import load
from unspoken.envs.aidg_search.rules import ANSWERS, Ending, multiplier
from unspoken.envs.base import Message
from unspoken.envs.result import Result
from unspoken.rating.elo import DualElo

# AIDG Table 6 of 150 games: 14.7 %, 41.3 %, 23.3 %, 20.7 %.
ENDINGS = {
    Ending.CORRECT_LOCK: 22,
    Ending.DISQUALIFIED: 62,
    Ending.WRONG_LOCK: 35,
    Ending.WRONG_FINAL_GUESS: 31,
}
# AIDG Table 7: games and wins of each bin.
LOCKS = {5: (10, 3), 10: (15, 7), 14: (28, 8), 16: (35, 4)}


def played(ending, winner, turn, seats=("a", "b"), reason="", id_=0) -> Game:
    seat = dict(zip(("seeker_0", "holder_0"), seats, strict=True))
    result = Result(ending, winner, turn, multiplier(turn), reason)
    return Game(Fixture(id_, 0, seat, "chair", 0), "chair", result, {}, ())


def papers_games() -> list[Game]:
    games = [played(Ending.DISQUALIFIED, "holder", 9) for _ in range(62)]
    for turn, (n, wins) in LOCKS.items():
        wrong = Ending.WRONG_FINAL_GUESS if turn == 16 else Ending.WRONG_LOCK
        games += [played(Ending.CORRECT_LOCK, "seeker", turn) for _ in range(wins)]
        games += [played(wrong, "holder", turn) for _ in range(n - wins)]
    return games


def test_outcome_distribution_of_the_paper() -> None:
    rows = {row["outcome"]: row for row in aidg_search.outcomes(papers_games()).rows}
    assert {k: rows[k]["games"] for k in ENDINGS} == ENDINGS
    shares = {k: round(100 * rows[k]["share"], 1) for k in ENDINGS}
    assert list(shares.values()) == [14.7, 41.3, 23.3, 20.7]


def test_lost_disqualified_unreadable_and_failed_are_kept_apart() -> None:
    games = [
        played(Ending.NO_FINAL_GUESS, "holder", 16),
        played(Ending.VOID, None, 3, reason="the provider is down"),
        played(Ending.HOLDER_VIOLATION, "seeker", 3),
        played(Ending.WRONG_LOCK, "holder", 3),
    ]
    counts = {row["outcome"]: row["games"] for row in aidg_search.outcomes(games).rows}
    assert {k for k, n in counts.items() if n} == {
        "no_final_guess",
        "void",
        "holder_violation",
        "wrong_lock",
    }


def test_lock_timing_of_the_paper() -> None:
    rows = aidg_search.lock_timing(papers_games()).rows
    assert [(r["games"], r["wins"]) for r in rows] == list(LOCKS.values())
    assert [round(100 * r["rate"], 1) for r in rows] == [30.0, 46.7, 28.6, 11.4]
    assert rows[3]["multiplier"] == 0.125
    assert [r["timing"] for r in rows] == [
        "early (1–8)",
        "mid (9–12)",
        "late (13–15)",
        "final (16)",
    ]


def test_empty_bins_have_no_rate() -> None:
    rows = aidg_search.lock_timing([]).rows
    assert all(row["rate"] is None and row["games"] == 0 for row in rows)


@pytest.mark.parametrize(
    ("max_turns", "bins"),
    [
        (2, ["early (1)", "final (2)"]),
        (3, ["early (1)", "mid (2)", "final (3)"]),
        (4, ["early (1–2)", "mid (3)", "final (4)"]),
        (5, ["early (1–2)", "mid (3)", "late (4)", "final (5)"]),
    ],
)
def test_short_games_have_no_bins_without_turns(max_turns, bins) -> None:
    assert [row["timing"] for row in aidg_search.lock_timing([], max_turns).rows] == bins


def test_leaderboard_counts_each_role_apart() -> None:
    games = [
        played(Ending.CORRECT_LOCK, "seeker", 5, ("a", "b")),
        played(Ending.DISQUALIFIED, "holder", 7, ("a", "c")),
        played(Ending.WRONG_LOCK, "holder", 3, ("b", "a")),
        played(Ending.VOID, None, 1, ("c", "a"), reason="down"),
    ]
    elo = DualElo(c={"a": 1510.0, "b": 1490.0}, v={"a": 1530.0, "b": 1480.0, "c": 1500.0})
    board = aidg_search.tables(games, elo, ["a", "b", "c"], {})[0]
    rows = {row["player"]: row for row in board.rows}
    assert [row["player"] for row in board.rows] == ["a", "b", "c"]
    a = rows["a"]
    assert a["gap"] == pytest.approx(20)
    assert (a["seeker_win_rate"], a["holder_win_rate"]) == (0.5, 1.0)
    assert (a["disqualified"], a["mean_turns"], a["games"]) == (0.5, 6.0, 4)
    assert rows["c"]["c_elo"] is None
    assert rows["c"]["seeker_win_rate"] is None
    assert "| 3 | c | – | 1500.0 | – |" in board.markdown()


def dialogue(*exchanges, word="penguin", holder="b", originals=None):
    ontology = load()
    ids = [q.id for q in ontology.questions]
    history = []
    for turn, (question, answer) in enumerate(exchanges, start=1):
        i = ids.index(question)
        history.append(Message(turn, "seeker", ontology.questions[i].text, "question", i))
        history.append(Message(turn, "holder", answer, "answer", ANSWERS.index(answer)))
    seats = {"seeker_0": "a", "holder_0": holder}
    result = Result(Ending.WRONG_LOCK, "holder", len(exchanges) + 1)
    fixture = Fixture(0, 0, seats, word, 0)
    return Game(fixture, word, result, {}, tuple(history), originals or {})


def test_honesty_counts_lies_and_dodges() -> None:
    ontology = load()
    cells = ontology.table[ontology.words.index("penguin")]
    free = next(q.id for q, c in zip(ontology.questions, cells, strict=True) if 0 < c[2] < 1)
    games = [
        dialogue(("bird", "no"), ("fly", "no"), (free, "maybe"), ("bird", "maybe")),
        dialogue(("bird", "yes"), holder="c"),
    ]
    rows = {row["player"]: row for row in aidg_search.honesty(games, ontology).rows}
    assert rows["b"]["answers"] == 4
    assert (rows["b"]["false"], rows["b"]["maybe"], rows["b"]["dodged"]) == (0.5, 0.5, 1.0)
    assert (rows["c"]["false"], rows["c"]["dodged"]) == (0.0, None)


def test_honesty_is_that_of_what_was_meant_and_bits_of_what_was_heard() -> None:
    games = [
        dialogue(("bird", "no"), originals={1: "yes"}),  # garbled
        dialogue(("bird", "yes"), originals={1: "No, it does not fly."}, holder="c"),  # both
        dialogue(("bird", "maybe"), originals={1: "It is a penguin."}, holder="d"),
        dialogue(("bird", "no"), originals={1: "No way!", 0: ""}, holder="e"),
    ]
    rows = {row["player"]: row for row in aidg_search.honesty(games, load()).rows}
    assert [rows[name]["false"] for name in "bcde"] == [0, 1, 1, 1]
    assert [rows[name]["maybe"] for name in "bcde"] == [0, 0, 1, 0]
    assert [rows[name]["violations"] for name in "bcde"] == [0, 1, 1, 2]
    assert rows["b"]["bits"] == rows["e"]["bits"] < rows["c"]["bits"]


def test_bits_of_an_answer_are_those_of_the_words_it_excludes() -> None:
    ontology = load()
    bird = [q.id for q in ontology.questions].index("bird")
    birds = ontology.table[:, bird, 0]
    assert set(birds) == {0.0, 1.0}  # so that log2 is all there is to it
    (row,) = aidg_search.honesty([dialogue(("bird", "yes"))], ontology).rows
    assert row["bits"] == pytest.approx(math.log2(100 / birds.sum()), abs=1e-6)
