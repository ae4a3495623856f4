"""Annotating many turns: kept turn by turn, resumed, under faults."""

import asyncio
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from support.openai_server import KEY, ODD, TRANSIENT, Answer

from unspoken.agents.specs import SpecError
from unspoken.benchmarks import sda
from unspoken.benchmarks.sda_annotate import INCOMPLETE, TRANSCRIPT, annotate, summary_table
from unspoken.benchmarks.store import FILE, StoreError
from unspoken.judges.sda.annotators.rules import RuleBasedAnnotator
from unspoken.judges.sda.scorer import score_dialogues
from unspoken.judges.sda.transcripts import (
    Dialogue,
    Examination,
    Exchange,
    Turn,
    read,
    read_exchanges,
    write,
)


def examination(name, turns):
    said = tuple(Exchange(f"{name}, question {n}?", f"Answer {n}.") for n in range(1, turns + 1))
    return Examination(name, said, f"The witness of {name}.")


EXAMS = (examination("van", 12), examination("ship", 8))
# "stall" is tried apart: many of them would make the test wait for time-outs only.
FAULTS = tuple(sorted((TRANSIENT | ODD).keys() - {"stall", "429-wait"}))

_sleep = asyncio.sleep


async def _no_wait(delay, result=None):
    return await _sleep(0, result)


def labelled(messages):
    """Labels that go by the turn's number, so that mixed up turns would show."""
    turn = int(re.search(r"number (\d+)", messages[1]["content"])[1])
    fields = {"why": str(turn), "commitment": ("neutral", "beneficial", "detrimental")[turn % 3]}
    fields |= dict.fromkeys(("relevance", "manner", "quality", "consistency"), "kept")
    if turn > 4:
        fields |= {"consistency": "violated", "contradicts": turn - 1}
    return json.dumps({"contradicts": None, "outcome": "witness", "reasons": ["logic"], **fields})


def expected(exam):
    turns = (
        Turn(
            exchange.question,
            exchange.answer,
            ("neutral", "beneficial", "detrimental")[turn % 3],
            rel=False,
            man=False,
            qual=False,
            const=turn > 4,
            outcome="witness",
            reasons=("logic",),
        )
        for turn, exchange in enumerate(exam.turns, 1)
    )
    return Dialogue(exam.id, tuple(turns), "model")


@pytest.fixture
def server(openai_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.base_url)
    monkeypatch.setattr(asyncio, "sleep", _no_wait)
    openai_server.play = labelled
    return openai_server


MODEL = "openai:model?timeout=1&retries=9"


def test_what_comes_out_is_read_by_score_and_analyse(server, tmp_path):
    seen = []
    summary = annotate(EXAMS, MODEL, tmp_path, watch=lambda *args: seen.append(args))
    people = tuple(map(expected, EXAMS))
    assert summary.complete == read(tmp_path / TRANSCRIPT) == people
    assert (summary.incomplete, summary.problems) == ((), ())
    assert (summary.prompt_tokens, summary.completion_tokens) == (20 * 11, 20 * 3)
    assert not (tmp_path / INCOMPLETE).exists()
    assert seen[0] == (None, 0, 20)
    assert [args[1:] for args in seen] == [(n, 20) for n in range(21)]
    assert all(found.labels for found, *_ in seen[1:])
    assert len(score_dialogues(read(tmp_path / TRANSCRIPT))) == 20
    models = sda.annotate(read(tmp_path / TRANSCRIPT))
    table = sda.against_people(models, sda.annotate(people))
    assert [row["commitment"] for row in table.rows] == [1.0, 1.0]
    rows = summary_table(summary).rows
    assert rows[0] == {"dialogue": "van", "turns": 12, "labelled": 12, "failed": 0}


def test_a_turn_is_told_what_was_said_before_it_and_not_after(server, tmp_path):
    annotate(EXAMS, MODEL, tmp_path, concurrency=3)
    cases = [request["messages"][1]["content"] for request in server.requests]
    assert len(cases) == 20
    for case in cases:
        turn = int(re.search(r"number (\d+)", case)[1])
        name = re.search("The witness of (.*)\\.", case)[1]
        assert f"Question: {name}, question {turn}?" in case
        assert re.findall(r"Answer (\d+)\.", case) == [str(n) for n in range(1, turn + 1)]


def test_nothing_is_lost_under_faults(server, tmp_path):
    server.trouble(0.3, seed=5, faults=FAULTS)
    server.script("429", "500", "stall", "cut", "no-json", "garbage")
    server.script(Answer("response_format is not known", status=400))
    while annotate(EXAMS, MODEL, tmp_path).incomplete:
        pass
    assert read(tmp_path / TRANSCRIPT) == tuple(map(expected, EXAMS))
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert KEY.encode() not in kept


def test_what_is_not_labelled_is_left_empty_counted_and_asked_for_again(server, tmp_path):
    broken = {("van", 3), ("van", 11)}

    def some(messages):
        case = messages[1]["content"]
        place = re.search("The witness of (.*)\\.", case)[1], int(re.search(r"ber (\d+)", case)[1])
        return "I'd rather not." if place in broken else labelled(messages)

    server.play = some
    summary = annotate(EXAMS, MODEL, tmp_path)
    assert [dialogue.id for dialogue in summary.complete] == ["ship"]
    assert [(name, turn) for name, turn, _ in summary.problems] == sorted(broken)
    assert "model: That was not a JSON object with the labels." in summary.problems[0][2]
    assert summary_table(summary).rows[1] == {
        "dialogue": "van",
        "turns": 12,
        "labelled": 10,
        "failed": 2,
    }
    (van,) = summary.incomplete
    bare = {n for n, turn in enumerate(van.turns, 1) if not isinstance(turn, Turn)}
    assert bare == {3, 11}
    assert read(tmp_path / TRANSCRIPT) == (expected(EXAMS[1]),)
    with pytest.raises(ValueError, match=r"incomplete\.csv: 10 problems"):
        read(tmp_path / INCOMPLETE)
    assert read_exchanges(tmp_path / INCOMPLETE)[0].turns == EXAMS[0].turns
    server.play, before = labelled, len(server.requests)
    summary = annotate(EXAMS, MODEL, tmp_path)
    assert len(server.requests) == before + 2
    assert summary.problems == ()
    assert summary.complete == tuple(map(expected, EXAMS))
    assert not (tmp_path / INCOMPLETE).exists()
    with sqlite3.connect(tmp_path / FILE) as db:
        assert db.execute("SELECT COUNT(*) FROM calls").fetchone() == (before + 2,)


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_a_refusal_that_meets_every_turn_ends_the_run(server, tmp_path, status):
    asked = 3 if status == 404 else 1  # that may be of the form of the reply
    server.script(*[Answer("no", status=status)] * asked)
    summary = annotate(EXAMS, MODEL, tmp_path, concurrency=1)
    assert [(name, turn) for name, turn, _ in summary.problems] == [("van", 1)]
    assert f"HTTP {status}: " in summary.problems[0][2]
    assert len(summary.incomplete) == 2
    assert len(server.requests) == asked
    assert annotate(EXAMS, MODEL, tmp_path).complete == tuple(map(expected, EXAMS))


def test_a_refusal_after_labels_is_that_turns(server, tmp_path):
    server.script(Answer(), Answer(), Answer("no", status=403))
    summary = annotate(EXAMS, MODEL, tmp_path, concurrency=1)
    assert [(name, turn) for name, turn, _ in summary.problems] == [("van", 3)]
    assert len(server.requests) == 20


def run_cli(server, *words):
    env = os.environ | {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.base_url}
    command = [sys.executable, "-m", "unspoken", "sda", "annotate", *map(str, words)]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_the_command_fails_where_nothing_is_labelled(server, tmp_path):
    write(tmp_path / "a.csv", EXAMS)
    words = (tmp_path / "a.csv", "--out", tmp_path / "out", "--annotator", MODEL)
    server.script(*[Answer("no", status=401)] * 20)
    done = run_cli(server, *words)
    assert done.returncode != 0
    assert "without labels: model: HTTP 401" in " ".join(done.stdout.split())
    done = run_cli(server, *words[:-1], f"{MODEL}&style=few-shot", "--style", "guideline")
    assert done.returncode != 0
    assert "names a style too" in " ".join(done.stderr.split())


def test_a_limit_takes_the_first_turns_and_the_rest_can_follow(server, tmp_path):
    summary = annotate(EXAMS, MODEL, tmp_path, limit=14)
    assert [dialogue.id for dialogue in summary.complete] == ["van"]
    assert [isinstance(turn, Turn) for turn in summary.incomplete[0].turns] == [True] * 2 + [
        False
    ] * 6
    assert len(server.requests) == 14
    assert annotate(EXAMS, MODEL, tmp_path).incomplete == ()
    assert len(server.requests) == 20
    annotate(EXAMS, MODEL, tmp_path)
    assert len(server.requests) == 20
    annotate(EXAMS, MODEL, tmp_path, force=True, limit=1)
    assert len(server.requests) == 21
    assert not (tmp_path / TRANSCRIPT).exists()


def test_labels_that_are_there_already_are_neither_shown_nor_kept(server, tmp_path):
    others = Examination("van", expected(EXAMS[0]).turns[:3])
    server.play = lambda messages: "no"
    summary = annotate([others], MODEL, tmp_path)
    assert summary.incomplete[0].turns == EXAMS[0].turns[:3]


def test_the_rules_need_no_server(tmp_path):
    summary = annotate(EXAMS, "rules", tmp_path)
    rules = RuleBasedAnnotator()
    for exam, dialogue in zip(EXAMS, summary.complete, strict=True):
        assert dialogue.annotator == "rules"
        for n, turn in enumerate(dialogue.turns, 1):
            assert turn == rules.annotate(exam.turns[:n]).labels.turn(exam.turns[n - 1])


def test_a_folder_of_another_run_is_refused(server, tmp_path):
    annotate(EXAMS, "rules", tmp_path)
    with pytest.raises(StoreError, match="annotator='rules', not 'openai:model"):
        annotate(EXAMS, MODEL, tmp_path)
    with pytest.raises(StoreError, match="dialogues="):
        annotate(EXAMS[:1], "rules", tmp_path)


@pytest.mark.parametrize(
    ("dialogues", "settings", "message"),
    [
        ((), {}, "no turns"),
        ((EXAMS[0], EXAMS[0]), {}, "examinations given twice: van"),
        (EXAMS, {"limit": 0}, "limit=0: at least 1"),
        (EXAMS, {"concurrency": 0}, "concurrency=0: at least 1"),
    ],
)
def test_settings_that_are_wrong(tmp_path, dialogues, settings, message):
    with pytest.raises(ValueError, match=message):
        annotate(dialogues, "rules", tmp_path / "run", **settings)
    with pytest.raises(SpecError, match="no annotator 'ruls'"):
        annotate(EXAMS, "ruls", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_killed_run_goes_on_where_it_was(server, tmp_path):
    transcript, out = tmp_path / "exams.jsonl", tmp_path / "run"
    write(transcript, EXAMS)
    slow = server.play
    server.play = lambda messages: (time.sleep(0.05), slow(messages))[1]
    code = (
        "from pathlib import Path; import sys;"
        "from unspoken.benchmarks.sda_annotate import annotate;"
        "from unspoken.judges.sda.transcripts import read_exchanges;"
        f"annotate(read_exchanges(sys.argv[1]), {MODEL!r}, Path(sys.argv[2]), concurrency=2)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, transcript, out], env={**os.environ})
    deadline = time.monotonic() + 60
    while len(server.requests) < 6:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with sqlite3.connect(out / FILE) as db:
        (kept,) = db.execute("SELECT COUNT(*) FROM turns WHERE labels IS NOT NULL").fetchone()
    assert 3 <= kept < 20
    asked = len(server.requests)
    server.play = lambda messages: slow(messages)
    summary = annotate(read_exchanges(transcript), MODEL, out)
    assert len(server.requests) - asked == 20 - kept
    assert [dialogue.turns for dialogue in summary.complete] == [
        expected(exam).turns for exam in EXAMS
    ]
