"""How well models keep to the rules, read from a run's record."""

import pytest
from support.openai_server import KEY, Answer

from unspoken.benchmarks import instructions, tournament
from unspoken.benchmarks.design import Fixture
from unspoken.benchmarks.instructions import FORFEITS, by_turn, followed, moves, requests
from unspoken.benchmarks.running import Running
from unspoken.benchmarks.sneak.run import carry_out, plan
from unspoken.benchmarks.store import Game, Store, read_games, reading
from unspoken.envs.base import Message
from unspoken.envs.registry import game, games
from unspoken.envs.result import Result

SEATS = {"seeker_0": "model", "holder_0": "table"}
CONFIG = {"game": "aidg_search_v0", "options": {}, "agents": ["model", "table"], "rounds": 1}


def call(agent, turn, move, step="", reply="words", **flags):
    """A request as the trace of a model has it."""
    given = {"unreadable": False, "fallback": False, **flags}
    return agent, {
        "messages": [],
        "reply": reply,
        "turn": turn,
        "move": move,
        "step": step,
        **given,
    }


def line(turn, role, move, text="…"):
    return Message(turn, role, text, move, -1)


@pytest.fixture
def record(tmp_path):
    """Keeps games given as ending, lines and requests; returns the moves read back."""

    def of(*played, config=CONFIG):
        with Store(tmp_path, config) as store:
            for n, (outcome, winner, turn, history, calls) in enumerate(played):
                store.save(
                    Game(
                        Fixture(n, 0, SEATS, "lamp", n),
                        "lamp",
                        Result(outcome, winner, turn),
                        dict.fromkeys(SEATS, 0.0),
                        tuple(history),
                        calls=tuple(calls),
                    )
                )
        with reading(tmp_path) as db:
            return moves(db, list(read_games(db)))

    return of


DISQUALIFIED = (
    "disqualified",
    "holder",
    2,
    [line(1, "seeker", "question"), line(1, "holder", "answer"), line(2, "seeker", "direct_guess")],
    [call("seeker_0", 1, 0), call("seeker_0", 2, 1)],
)
SPENT = (
    "wrong_final_guess",
    "holder",
    3,
    [
        line(1, "seeker", "invalid"),
        line(2, "seeker", "question"),
        line(2, "holder", "answer"),
        line(3, "seeker", "lock"),
    ],
    [
        call("seeker_0", 1, 0, unreadable=True),
        call("seeker_0", 1, 0, "again", unreadable=True),
        call("seeker_0", 2, 1, unreadable=True),
        call("seeker_0", 2, 1, "again"),
        call("seeker_0", 3, 2),
    ],
)
VOID = (
    "void",
    None,
    2,
    [line(1, "seeker", "question"), line(1, "holder", "answer")],
    [call("seeker_0", 1, 0), call("seeker_0", 2, 1, reply=None)],
)


def test_what_went_wrong_with_each_move(record):
    first, guess, spent, mended, lock, *void = record(DISQUALIFIED, SPENT, VOID)
    assert (first.invalid, first.forfeit, first.again, first.unreadable) == (False, False, False, 0)
    assert (guess.invalid, guess.forfeit, guess.again) == (True, True, False)
    assert (spent.invalid, spent.again, spent.unreadable, spent.forfeit) == (True, True, 2, False)
    assert (mended.invalid, mended.again, mended.unreadable) == (False, True, 1)
    assert (lock.invalid, lock.turn, lock.steps) == (False, 3, [""])
    assert [move.answered for move in void] == [True, False]


def test_rates_by_player_and_role(record):
    (row,) = followed(record(DISQUALIFIED, SPENT, VOID)).rows
    # 7 moves asked for, one without a reply; 2 asked again, so 8 replies, 3 of them unreadable
    assert row == {
        "player": "model",
        "role": "seeker",
        "games": 3,
        "moves": 6,
        "again": pytest.approx(2 / 6),
        "unreadable": pytest.approx(3 / 8),
        "fallback": 0,
        "invalid": pytest.approx(2 / 6),
        "forfeit": pytest.approx(1 / 3),
    }


def test_rates_by_turn(record):
    rows = by_turn(record(DISQUALIFIED, SPENT, VOID)).rows
    assert [(row["turn"], row["moves"]) for row in rows] == [(1, 3), (2, 2), (3, 1)]
    assert [row["invalid"] for row in rows] == [pytest.approx(1 / 3), 1 / 2, 0]
    assert [row["forfeit"] for row in rows] == [0, pytest.approx(1 / 3), 0]


def test_intervals_where_they_are_asked_for(record, tmp_path):
    record(DISQUALIFIED, SPENT, VOID)
    _, table, _ = instructions.stats(tmp_path)
    (row,) = table.rows
    # Wilson's interval of 2 of 6, from its formula with z = 1.959964
    assert (row["again_low"], row["again_high"]) == pytest.approx((0.0968, 0.7001), abs=5e-4)
    assert "33.3% [9.7, 70.0]" in table.markdown()


def test_requests_a_move_by_step(record):
    calls = [
        *[call("seeker_0", 1, 0, step) for step in ("sample", "verify", "correct", "sample")],
        call("seeker_0", 2, 1, "summary"),
        *[call("seeker_0", 2, 1, step) for step in ("sample", "verify")],
        ("arbiter", {"messages": [], "reply": "x", "turn": None, "move": None, "step": ""}),
    ]
    (row,) = requests(record(("correct_lock", "seeker", 2, [], calls))).rows
    assert (row["moves"], row["requests"]) == (2, 7)
    assert (row["a_move"], row["a_game"], row["extra"]) == (3.5, 7, 2.5)
    assert row["step_sample"] == 1.5
    assert row["step_summary"] == 0.5
    assert row["steps"] == "sample 1.50, verify 1.00, correct 0.50, summary 0.50"


def test_a_run_without_models_has_no_tables(record, tmp_path):
    assert record(("correct_lock", "seeker", 2, [], [])) == []
    assert instructions.stats(tmp_path) == []


def test_an_older_record_has_no_tables(record):
    old = ("seeker_0", {"messages": [], "reply": "x", "step": "", "unreadable": False})
    assert record(("correct_lock", "seeker", 2, [], [old])) == []


def test_every_forfeit_is_an_ending_of_its_game():
    assert FORFEITS.keys() <= games().keys()
    for name, endings in FORFEITS.items():
        assert set(endings.values()) <= set(game(name).roles)


@pytest.fixture
def model(openai_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.base_url)
    return "openai:model"


OTHERS = {"chameleon": ["rules", "rules?nerve=0"], "cross_examination": ["rules"]}


@pytest.mark.parametrize("name", games())
def test_runs_of_every_game(model, openai_server, tmp_path, name):
    openai_server.trouble(0.3, seed=2, faults=("empty", "think-only"))
    if name == "sneak":  # whose listeners look for labels in the last message
        own = openai_server.play
        openai_server.play = lambda messages: own(messages[:2])
    others = {"aidg_search": ["table"], "sneak": ["embedding", "best"]}
    rivals = others.get(name, ["random"])
    options = {"aidg_search": {"max_turns": 4}, "aidg_dialogue": {"max_turns": 3}}.get(name, {})
    spec = game(name).with_options(**options)
    agents = [f"{model}?method=self-consistency&samples=2", model, *rivals]
    tournament.run(spec, agents, tmp_path, rounds=1, seed=1, limit=6)
    tables = instructions.stats(tmp_path)
    keys = ["requests", "instructions", "instructions_by_turn"]
    assert [table.key for table in tables] == keys
    taken, kept, _ = (table.rows for table in tables)
    assert {row["player"] for row in taken} <= set(agents[:2])
    for row in taken:
        assert row["a_move"] == pytest.approx(1 + row["extra"])
        least = 2 if "samples" in row["player"] else 1
        assert least <= row["a_move"] <= least + 1
    assert sum(row["requests"] for row in taken) == len(openai_server.requests)
    for row in kept:
        assert row["invalid"] <= row["again"] or name == "aidg_dialogue"
    assert any(row["again"] for row in kept)


def test_runs_of_the_sneak_benchmark(model, openai_server, tmp_path):
    good = "How about <message>shiny</message>"
    speaker = f"{model}?method=rmr"
    openai_server.play = lambda messages: good
    run = tmp_path / "run"
    openai_server.script(
        *map(Answer, (good, "", good)), *[Answer("I would rather say nothing at all about it.")] * 3
    )
    carry_out(plan([speaker], ["embedding"], limit=4), run, Running(concurrency=1))
    taken, kept = instructions.stats(run)
    (row,) = taken.rows
    assert (row["player"], row["role"], row["moves"]) == (speaker, "speaker", 4)
    assert row["requests"] == len(openai_server.requests) == 10
    assert (row["step_draft"], row["step_refine"], row["step_again"]) == (1, 1, 0.5)
    (row,) = kept.rows
    assert (row["again"], row["invalid"], row["unreadable"]) == (0.5, 0.25, 3 / 6)


def test_a_disqualification_is_the_models(model, openai_server, tmp_path):
    own = openai_server.play

    def guesses(messages):
        seeker = "You are the seeker" in messages[0]["content"]
        return "Is it a chair?" if seeker else own(messages)

    openai_server.play = guesses
    spec = game("aidg_search").with_options(max_turns=4)
    tournament.run(spec, [model, "table"], tmp_path, rounds=2, seed=1)
    _, kept, *_ = instructions.stats(tmp_path)
    (row,) = [row for row in kept.rows if row["role"] == "seeker"]
    assert (row["forfeit"], row["invalid"], row["again"]) == (1, 1, 0)


def test_a_reply_that_is_a_list_counts_as_asked_again(model, openai_server, tmp_path):
    spec = game("aidg_search").with_options(max_turns=2)
    openai_server.script(Answer("1. Is it alive?\n2. Is it a tool?"), Answer("Is it alive?"))
    tournament.run(spec, [model, "table"], tmp_path, rounds=1, seed=1, concurrency=1)
    _, _, turns = instructions.stats(tmp_path)
    row = next(row for row in turns.rows if (row["role"], row["turn"]) == ("seeker", 1))
    assert (row["again"], row["invalid"]) == (1, 0)
