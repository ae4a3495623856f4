"""Transcripts without labels, and the corpus of the SDA paper as it was published."""

import csv
import json

import pytest

from unspoken.judges.sda.transcripts import (
    Dialogue,
    Examination,
    Exchange,
    TranscriptError,
    Turn,
    read,
    read_exchanges,
    write,
)

CORPUS = (
    "type,question,answer,speaker,speaker_from,responder,Facts,Context,source,witness_name,"
    "witness_role,all_history"
)


@pytest.fixture
def save(tmp_path):
    def save(text, name="a.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return save


def test_a_question_and_an_answer_are_enough(save):
    turns = (Exchange("Why?", "No."), Exchange("Why not?", "Well."))
    assert read_exchanges(save("answer,Question\nNo.,Why?\nWell.,Why not?\n", "exam.csv")) == (
        Examination("exam", turns),
    )
    lines = [{"question": e.question, "answer": e.answer, "witness": " A cook. "} for e in turns]
    path = save("\n".join(map(json.dumps, lines)), "exam.jsonl")
    assert read_exchanges(path) == (Examination("exam", turns, "A cook."),)


def test_a_turn_is_an_exchange():
    turn = Turn("Why?", "No.", "none", rel=False, man=True, qual=False, const=False)
    assert isinstance(turn, Exchange)
    assert (turn.question, turn.answer) == ("Why?", "No.")
    assert turn != Exchange("Why?", "No.")


def test_turns_are_put_in_order_and_problems_named(save):
    path = save("dialogue,turn,question,answer\nx,2,B?,b\nx,1,A?,a\ny,1,C?,c\n")
    assert [(e.id, [t.answer for t in e.turns]) for e in read_exchanges(path)] == [
        ("x", ["a", "b"]),
        ("y", ["c"]),
    ]
    with pytest.raises(TranscriptError) as caught:
        read_exchanges(save("turn,question,answer\n1,A?,\n3,B?,b\n"))
    assert [str(problem) for problem in caught.value.problems] == [
        "line 2, answer: '': expected a text that is not empty",
        "line 3, turn: 3: dialogue 'a' lacks turn 2; expected 1, 2, … without a gap",
    ]
    with pytest.raises(TranscriptError, match="there is no answer among the columns question"):
        read_exchanges(save("question,responder\nWhy?,P_WITNESS\n"))
    with pytest.raises(TranscriptError, match="there is no answer among the columns question"):
        read_exchanges(save('{"question": "Why?", "responder": ""}\n', "a.jsonl"))


def test_labels_are_passed_over_whatever_they_are(save):
    text = "question,answer,commitment,rel,outcome_reason\nWhy?,No.,?,maybe,luck\n"
    assert read_exchanges(save(text))[0].turns == (Exchange("Why?", "No."),)


def test_annotators_of_one_examination_must_have_the_same_words(save):
    text = "source,annotator,question,answer\nx,A,Why?,No.\nx,B,Why?,No.\n"
    assert read_exchanges(save(text)) == (Examination("x", (Exchange("Why?", "No."),)),)
    with pytest.raises(TranscriptError, match="line 3: dialogue 'x' has other words here, by 'B'"):
        read_exchanges(save(text.replace("B,Why?,No.", "B,Why?,Yes.")))


def test_the_corpus_in_its_published_form(save):
    asked = 'Q/A,"So, were you there?",No sir.,,DEFENSE,P_WITNESS,facts,context,jm_1,Ann Lee,'
    asked += '"The officer, who searched."'
    rows = [
        f"{asked},history",
        'interruption,"I object, your Honor.",,MR. X,PROSECUTION,,facts,,jm_1,,,history',
        "Q/A,When did you begin to --,,,DEFENSE,,facts,,jm_1,,,history",
        f"{asked.replace('No sir', 'I was not')},{'h' * 200_000}",
        "Q/A,Correct?,Correct.,,Prosecution,D_WITNESS,f,c,jm_2,Bo,,h",
    ]
    limit = csv.field_size_limit()
    found = read_exchanges(save("\n".join([CORPUS, *rows])))
    question = "So, were you there?"
    assert found == (
        Examination(
            "jm_1",
            (Exchange(question, "No sir."), Exchange(question, "I was not.")),
            "Ann Lee. The officer, who searched. A witness of the prosecution.",
        ),
        Examination("jm_2", (Exchange("Correct?", "Correct."),), "Bo. A witness of the defence."),
    )
    assert csv.field_size_limit() == limit
    with pytest.raises(TranscriptError, match="line 2, answer: '': expected a text"):
        read_exchanges(save(f"{CORPUS}\n{rows[-1].replace('Correct.', '')}"))
    with pytest.raises(TranscriptError, match="holds no turn"):
        read_exchanges(save(f"{CORPUS}\n{rows[1]}"))


def test_what_lacks_labels_is_written_with_empty_cells_to_fill_in(tmp_path):
    turn = Turn("Why?", "No.", "none", True, False, False, False, "witness", ("logic",))
    path = tmp_path / "a.csv"
    write(path, [Examination("x", (turn, Exchange("And?", "So.")))])
    assert path.read_text().splitlines()[1:] == [
        "x,1,Why?,No.,none,1,0,0,0,witness,logic,",
        "x,2,And?,So.,,,,,,,,",
    ]
    with pytest.raises(TranscriptError) as caught:
        read(path)
    assert [(p.line, p.column) for p in caught.value.problems] == [
        (3, name) for name in ("commitment", "rel", "man", "qual", "const")
    ]
    path.write_text(path.read_text().replace("So.,,,,,,,,", "So.,neutral,0,0,0,0,,,"))
    filled = Turn("And?", "So.", "neutral", False, False, False, False)
    assert read(path) == (Dialogue("x", (turn, filled)),)
    write(path.with_suffix(".jsonl"), [Examination("x", (Exchange("And?", "So."),))])
    assert read_exchanges(path.with_suffix(".jsonl")) == (
        Examination("x", (Exchange("And?", "So."),)),
    )
