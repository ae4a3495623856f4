import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unspoken.evaluator.sda import COMMITMENTS
from unspoken.judges.sda.transcripts import (
    OUTCOMES,
    REASONS,
    Dialogue,
    TranscriptError,
    Turn,
    read,
    write,
)

HEADER = "dialogue,turn,question,answer,commitment,rel,man,qual,const,outcome,reasons,annotator"
ROW = "van,1,Were you driving?,I was.,detrimental,0,0,0,0,questioner,logic,A"


@pytest.fixture
def save(tmp_path):
    def save(text, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return save


def problems(path):
    with pytest.raises(TranscriptError) as caught:
        read(path)
    return [str(problem) for problem in caught.value.problems]


def row(**cells):
    names = HEADER.split(",")
    return ",".join((dict(zip(names, ROW.split(","), strict=True)) | cells).values())


def test_a_row(save):
    turn = Turn(
        "Were you driving?",
        "I was.",
        "detrimental",
        rel=False,
        man=False,
        qual=False,
        const=False,
        outcome="questioner",
        reasons=("logic",),
    )
    assert read(save(f"{HEADER}\n{ROW}\n")) == (Dialogue("van", (turn,), "A"),)
    # and so from a BOM, CRLF, empty lines, spaces and capitals in labels, a path as a text
    other = row(commitment=" Detrimental", rel="FALSE", outcome="QUESTIONER", reasons=" Logic ")
    text = f"\ufeff\r\n{HEADER.upper()}\r\n\r\n{other}\r\n"
    assert read(str(save(text, "b.CSV"))) == (Dialogue("van", (turn,), "A"),)


def test_what_may_be_left_out(save):
    text = "answer,question,commitment,rel,man,qual,const,comment\nNo.,Why?,none,true,0,1,false,x\n"
    turn = Turn("Why?", "No.", "none", True, False, True, False)
    assert read(save(text, "exam.csv")) == (Dialogue("exam", (turn,)),)
    record = {"question": "Why?", "answer": "No.", "commitment": "none"}
    record |= {"rel": True, "man": 0, "qual": 1, "const": False, "comment": [1]}
    assert read(save(json.dumps(record), "exam.jsonl")) == (Dialogue("exam", (turn,)),)


def test_a_text_may_hold_commas_quotes_and_lines(save):
    cell = '"He said: ""stop"",\nthen\r\nnothing."'
    (dialogue,) = read(save(f"{HEADER}\n{row(answer=cell)}\n"))
    assert dialogue.turns[0].answer == 'He said: "stop",\nthen\r\nnothing.'


def test_rows_are_sorted_by_turn_and_grouped_by_dialogue_and_annotator(save):
    rows = [row(turn=t, annotator=a, answer=t + a) for t in "312" for a in "BA"]
    dialogues = read(save("\n".join([HEADER, *rows, row(dialogue="ship")])))
    assert [(d.id, d.annotator, [t.answer for t in d.turns]) for d in dialogues] == [
        ("van", "B", ["1B", "2B", "3B"]),
        ("van", "A", ["1A", "2A", "3A"]),
        ("ship", "A", ["I was."]),
    ]


PUBLISHED = (
    "answer,source,question,relevance_rate,Committment_value,relevance_binary,manner_binary,"
)
PUBLISHED += "quality_binary,consistency_value,outcome_value,outcome_reason,annotator"
LOGIC = "I choose this side because of their logical arguments are convincing.[Logical facts]"
CREDIT = "I choose this side because of framing of the other side as creditless/bad."
CREDIT += "[Crediblity establishment]"
EMOTION = (
    "I choose this side because my personal emotions and bias towards this side/the other side."
)
EMOTION += " [Emotions]"


@pytest.mark.parametrize(
    ("code", "commitment"),
    [("1", "detrimental"), ("2", "beneficial"), ("3", "neutral"), ("4", "none")],
)
@pytest.mark.parametrize(
    ("cell", "reasons"),
    [
        ("", ()),
        (LOGIC, ("logic",)),
        (str([LOGIC, CREDIT]), ("logic", "credibility")),
        (str({"choices": [CREDIT, EMOTION]}), ("credibility", "emotion")),
        (json.dumps({"choices": [LOGIC, EMOTION]}).replace("/", "\\/"), ("logic", "emotion")),
    ],
)
def test_the_published_columns_and_codings(save, code, commitment, cell, reasons):
    quoted = '"' + cell.replace('"', '""') + '"'
    text = f"{PUBLISHED}\nNo.,trial,Why?,3,{code},1,0,1,0,Witness,{quoted},A2\n"
    turn = Turn("Why?", "No.", commitment, True, False, True, False, "witness", reasons)
    assert read(save(text)) == (Dialogue("trial", (turn,), "A2"),)


BY_MODEL = (
    "type,question,answer,source,belief,Commitment_value,quality_rate,consistency_value,"
    "relevance_rate,manner_rate,outcome_value,outcome_reason,relevance_binary,manner_binary,"
    "quality_binary,bat,pat"
)


@pytest.mark.parametrize(
    ("cell", "reasons"),
    [
        ("", ()),
        ("1", ("logic",)),
        ("2.0", ("credibility",)),
        ("3. Emotional appeal/bias", ("emotion",)),
        ("1. Logical arguments are convincing", ("logic",)),
        ("Credibility attack on other side", ("credibility",)),
    ],
)
def test_the_published_form_of_models(save, tmp_path, cell, reasons):
    (tmp_path / "qwq-32b").mkdir()
    text = f"{BY_MODEL}\nQ/A,Why?,No.,trial,Hm.,4,0,1,3,1,Questioner,{cell},1,0,0,0,0.5\n"
    turn = Turn("Why?", "No.", "none", True, False, False, True, "questioner", reasons)
    path = save(text, "qwq-32b/trial.csv")
    assert read(path) == (Dialogue("trial", (turn,), "qwq-32b"),)
    # only their spelling tells that a folder is a model, whose turns may be in any order
    text = text.replace(",4,0,1,3,", ",4,0,0,3,")
    other = save(text.replace("Commitment", "Committment"), "qwq-32b/other.csv")
    assert read(other)[0].annotator == ""
    named = save(text.replace("type", "annotator", 1), "qwq-32b/named.csv")
    assert read(named)[0].annotator == "Q/A"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("0,1,0,1,1,Witness,1,0,0,0", "line 2, Commitment_value: '0': expected 1 (detrimental)"),
        ("2.5,1,0,1,1,Witness,1,0,0,0", "line 2, Commitment_value: '2.5': expected 1 (detr"),
        ("2,1,0,1,1,2,1,0,0,0", "line 2, outcome_value: '2': expected witness or questioner"),
        ("2,1,0,1,1,Witness,4,0,0,0", "line 2, outcome_reason: '4': expected 1, 2 or 3, or "),
        ("2,1,0,1,1,Witness,1. Luck,0,0,0", "line 2, outcome_reason: '1. Luck': expected 1, 2"),
        ("2,1,,1,1,Witness,1,0,0,0", "line 2, consistency_value: '': expected 1 (violated)"),
    ],
)
def test_what_a_model_said_wrong(save, cells, message):
    (problem,) = problems(save(f"{BY_MODEL}\nQ/A,Why?,No.,trial,Hm.,{cells},0,0\n"))
    assert problem.startswith(message)


text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(str.strip)
name = text.map(str.strip)
turns = st.builds(
    Turn,
    text,
    text,
    st.sampled_from(COMMITMENTS),
    *[st.booleans()] * 4,
    st.sampled_from(OUTCOMES),
    st.permutations(REASONS).flatmap(lambda all: st.integers(0, 3).map(lambda n: tuple(all[:n]))),
) | st.builds(Turn, text, text, st.sampled_from(COMMITMENTS), *[st.booleans()] * 4)
transcripts = st.lists(
    st.builds(
        Dialogue,
        name,
        st.lists(turns, min_size=1, max_size=4).map(
            lambda turns: (replace(turns[0], const=False), *turns[1:])
        ),
        st.just("") | name,
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda dialogue: (dialogue.id, dialogue.annotator),
).map(tuple)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@given(dialogues=transcripts)
@settings(max_examples=50)
def test_what_is_written_is_read_back(tmp_path_factory, suffix, dialogues):
    path = tmp_path_factory.mktemp("written") / f"a.{suffix}"
    write(path, dialogues)
    assert read(path) == dialogues


def test_every_bad_row_is_named(save):
    rows = [
        row(commitment="benefical", rel="yes"),
        row(turn="2", outcome="jury", reasons="logic; luck"),
        row(turn="3"),
        row(turn="4", answer=" ", qual=""),
        row(turn="5", outcome="", man="2"),
        row(turn="6", reasons="logic;logic"),
        row(turn="7") + ",more",
    ]
    assert problems(save("\n".join([HEADER, *rows]))) == [
        "line 2, commitment: 'benefical': expected beneficial, neutral, none or detrimental",
        "line 2, rel: 'yes': expected 1 (violated) or 0, or true or false",
        "line 3, outcome: 'jury': expected witness or questioner",
        "line 3, reasons: 'logic; luck': expected logic, credibility or emotion",
        "line 5, answer: ' ': expected a text that is not empty",
        "line 5, qual: '': expected 1 (violated) or 0, or true or false",
        "line 6, man: '2': expected 1 (violated) or 0, or true or false",
        "line 6, reasons: 'logic': expected nothing, since there is no outcome",
        "line 7, reasons: 'logic;logic': expected each reason once",
        "line 8: 13 fields where the header has 12",
    ]


def test_reasons_need_an_outcome(save):
    header = HEADER.replace("outcome", "result")
    (problem,) = problems(save(f"{header}\n{ROW}\n"))
    assert problem == "line 2, reasons: 'logic': expected nothing, since there is no outcome"
    (problem,) = problems(save(f"{HEADER}\n{row(outcome='?')}\n"))
    assert problem == "line 2, outcome: '?': expected witness or questioner"


def test_a_first_turn_contradicts_none(save):
    rows = [row(turn="2"), row(const="1"), row(annotator="B"), row(annotator="B", turn="2")]
    (problem,) = problems(save("\n".join([HEADER, *rows])))
    assert problem == (
        "line 3, const: violated: the first turn of dialogue 'van' of 'A' contradicts no earlier "
        "one; expected 0"
    )
    rows = [row(turn="2", const="1"), row()]
    assert [turn.const for turn in read(save("\n".join([HEADER, *rows])))[0].turns] == [False, True]
    unnumbered = "question,answer,commitment,rel,man,qual,const\nWhy?,No.,none,0,0,0,1\n"
    (problem,) = problems(save(unnumbered))
    assert problem.startswith("line 2, const: violated: the first turn of dialogue 'a' ")


@pytest.mark.parametrize(("mark", "name"), [(";", "semicolons"), ("\t", "tabs")])
def test_other_separators_are_named(save, mark, name):
    (problem,) = problems(save(f"{HEADER}\n{ROW}\n".replace(",", mark)))
    assert problem.endswith(f"its fields are separated by {name}, commas are expected")


def test_lines_are_counted_where_rows_begin(save):
    long = row(answer='"one\ntwo\r\nthree"')
    text = f"{HEADER}\n\n{long}\n{row(turn='2', const='x')}\n"
    assert problems(save(text)) == [
        "line 6, const: 'x': expected 1 (violated) or 0, or true or false"
    ]


def test_a_long_list_is_cut(save):
    rows = [row(turn=str(n), rel="?") for n in range(1, 31)]
    with pytest.raises(TranscriptError) as caught:
        read(save("\n".join([HEADER, *rows])))
    lines = str(caught.value).splitlines()
    assert len(caught.value.problems) == 30
    assert lines[0].endswith("a.csv: 30 problems")
    assert len(lines) == 22
    assert lines[-1].strip() == "and 10 more"


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ("1 2 2 3", "line 4, turn: 2: is on line 3 too, in dialogue 'van' of 'A'"),
        ("1 2 4", "line 4, turn: 4: dialogue 'van' of 'A' lacks turn 3; expected 1, 2, …"),
        ("3 7 1 2", "line 3, turn: 7: dialogue 'van' of 'A' lacks turn 4 to 6; expected 1, 2, …"),
        ("2 3", "line 2, turn: 2: dialogue 'van' of 'A' lacks turn 1; expected 1, 2, …"),
        ("1 two", "line 3, turn: 'two': expected a whole number, 1 or more"),
        ("0 1", "line 2, turn: '0': expected a whole number, 1 or more"),
        ("1.0", "line 2, turn: '1.0': expected a whole number, 1 or more"),
    ],
)
def test_turns_that_do_not_run_from_one(save, numbers, message):
    rows = [row(turn=number) for number in numbers.split()]
    (problem,) = problems(save("\n".join([HEADER, *rows])))
    assert problem.startswith(message)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (
            HEADER.replace("rel", "reel").replace("const", "cons"),
            "line 1: there is no rel, const among the columns dialogue, turn, ",
        ),
        (
            HEADER.replace("reasons", "Manner_binary"),
            "line 1, Manner_binary: means the same as the column 'man': keep one of them",
        ),
        (HEADER.replace("reasons", "turn"), "line 1, turn: means the same as the column 'turn'"),
    ],
)
def test_a_header_that_does_not_fit(save, header, message):
    (problem,) = problems(save(f"{header}\n{ROW}\n"))
    assert problem.startswith(message)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("5,0,0,0,0", "line 2, Committment_value: '5': expected 1 (detrimental), 2 (beneficial), "),
        ("beneficial,0,0,0,0", "line 2, Committment_value: 'beneficial': expected 1 (detr"),
        ("1,3,0,0,0", "line 2, relevance_binary: '3': expected 1 (violated)"),
        ("1,0,0,0,", "line 2, consistency_value: '': expected 1 (violated)"),
    ],
)
def test_published_columns_that_are_wrong(save, cells, message):
    text = f"{PUBLISHED}\nNo.,trial,Why?,3,{cells},Witness,,A2\n"
    (problem,) = problems(save(text))
    assert problem.startswith(message)


@pytest.mark.parametrize("cell", ["Logical facts", LOGIC.replace("facts", "fact"), LOGIC + LOGIC])
def test_published_reasons_that_are_wrong(save, cell):
    text = f"{PUBLISHED}\nNo.,trial,Why?,3,1,0,0,0,0,Witness,{cell},A2\n"
    (problem,) = problems(save(text))
    assert problem.startswith("line 2, outcome_reason: ")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{", "line 1: not a JSON object: Expecting property name"),
        ("[1, 2]", "line 1: not a JSON object: it is [1, 2]"),
        ('{"rel": 1, "rel": 0}', "line 1: not a JSON object: 'rel' is given twice"),
        ("9" * 5000, "line 1: not a JSON object: "),
        ("[" * 99999, "line 1: not a JSON object: "),
        ('{"question": "Why?"}', "line 1: there is no answer, commitment, rel, man, qual, const"),
    ],
)
def test_lines_that_are_not_json(save, source, message):
    (problem,) = problems(save(source + "\n", "a.jsonl"))
    assert problem.startswith(message)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"rel": 2}, "line 2, rel: 2: expected 1 (violated)"),
        ({"rel": None}, "line 2, rel: None: expected 1 (violated)"),
        ({"turn": True}, "line 2, turn: True: expected a whole number"),
        ({"turn": 2.5}, "line 2, turn: 2.5: expected a whole number"),
        ({"commitment": None}, "line 2, commitment: None: expected beneficial, neutral"),
        ({"outcome": False}, "line 2, outcome: False: expected witness or questioner"),
        ({"reasons": 0}, "line 2, reasons: 0: expected any of logic"),
        ({"reasons": False}, "line 2, reasons: False: expected any of logic"),
        ({"reasons": {}}, "line 2, reasons: {}: expected any of logic"),
        ({"reasons": [None]}, "line 2, reasons: [None]: expected logic"),
        ({"annotator": False}, "line 2, annotator: False: expected a name"),
        ({"question": 7}, "line 2, question: 7: expected a text"),
        ({"reasons": [1]}, "line 2, reasons: [1]: expected logic, credibility or emotion"),
        ({"reasons": 1}, "line 2, reasons: 1: expected any of logic, credibility, emotion"),
        ({"dialogue": ""}, "line 2, dialogue: '': expected a name"),
        ({"answer": "x" * 99 + "\n", "rel": "x" * 99}, "line 2, rel: 'xxxxx"),
    ],
)
def test_json_values_that_are_wrong(save, cells, message):
    record = {"turn": 1, "dialogue": 5, "question": "Why?", "answer": "No.", "commitment": "none"}
    record |= {"rel": 0, "man": 0, "qual": 0, "const": 0, "outcome": "witness", "annotator": ""}
    good, bad = json.dumps(record), json.dumps(record | {"turn": 2} | cells)
    (problem,) = problems(save(f"{good}\n{bad}\n", "a.jsonl"))
    assert problem.startswith(message)
    assert len(problem) < 150


@pytest.mark.parametrize("key", ["turn", "dialogue", "annotator"])
def test_a_place_that_only_some_lines_have(save, key):
    record = {"question": "Why?", "answer": "No.", "commitment": "none"}
    record |= {"rel": 0, "man": 0, "qual": 0, "const": 0}
    lines = [json.dumps(record), json.dumps(record | {key: "1"})]
    assert problems(save("\n".join(lines), "a.jsonl")) == [
        f"line 1, {key}: missing here, though other rows have it"
    ]


def test_text_that_is_not_utf_8(save):
    data = f"{HEADER}\n{row(answer='Café.')}\n".encode("latin-1")
    (problem,) = problems(save(data))
    assert problem == "line 2: byte 0xe9 is not UTF-8: save the file as UTF-8"
    assert problems(save(HEADER.encode("utf-16")))[0].startswith("line 1: byte 0xff is not UTF-8")


def test_quotes_that_do_not_close(save):
    text = f"{HEADER}\n{ROW}\n{row(turn='2', rel='?')}\n{row(turn='3', answer=chr(34) + 'No.')}\n"
    assert problems(save(text)) == [
        "line 3, rel: '?': expected 1 (violated) or 0, or true or false",
        "line 4: not CSV from here on: unexpected end of data",
    ]


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", HEADER, HEADER + "\n\n"])
def test_a_file_without_turns(save, text):
    with pytest.raises(TranscriptError, match=r"a\.csv holds no turn"):
        read(save(text))


def test_files_that_cannot_be_read(save, tmp_path):
    with pytest.raises(TranscriptError, match=r"a\.txt cannot be read: a transcript is a \.csv"):
        read(save("", "a.txt"))
    with pytest.raises(TranscriptError, match=r"none\.csv cannot be read: No such file"):
        read(tmp_path / "none.csv")
    with pytest.raises(ValueError, match=r"a\.txt: a transcript is written to"):
        write(tmp_path / "a.txt", [])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"commitment": "Neutral"}, "'Neutral': must be one of .*'beneficial', 'neutral'"),
        ({"outcome": "judge"}, "'judge': must be one of .*'witness', 'questioner', None"),
        ({"reasons": ("luck",), "outcome": "witness"}, "'luck': must be one of .*'logic'"),
        ({"reasons": ("logic", "logic"), "outcome": "witness"}, "each reason must be there once"),
        ({"reasons": ("logic",)}, "there is no outcome for these reasons"),
    ],
)
def test_a_turn_with_labels_that_do_not_exist(labels, message):
    turn = Turn("Why?", "No.", "none", rel=False, man=False, qual=False, const=False)
    with pytest.raises(ValueError, match=message):
        replace(turn, **labels)
