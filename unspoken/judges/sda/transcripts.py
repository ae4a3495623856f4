"""Examinations of a witness, annotated or not, read from CSV or JSON lines and written to them.

The columns and their codings are described in `unspoken/data/sda/README.md`; the files that came
with the SDA paper, the annotated ones and those of the corpus itself, are read as they are.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from unspoken.evaluator.sda_reference import COMMITMENTS, VIOLATIONS

OUTCOMES = ("witness", "questioner")
"""Whom a turn went to."""
REASONS = ("logic", "credibility", "emotion")
"""Why it went there: logical arguments, credibility, personal emotions (paper, section 5)."""
COLUMNS = (
    "dialogue",
    "turn",
    "question",
    "answer",
    "commitment",
    "rel",
    "man",
    "qual",
    "const",
    "outcome",
    "reasons",
    "annotator",
)
SHOWN = 20
"""Problems that a message lists before it says how many more there are."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and the answer to it.

    Attributes:
        question: what was asked.
        answer: what the witness said.
    """

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Turn(Exchange):
    """An exchange and what an annotator made of the answer.

    Attributes:
        commitment: one of COMMITMENTS: what the answer does to the witness's own goal.
        rel: whether the answer violates relevance.
        man: whether it violates manner (unclear, evasive in form, rambling).
        qual: whether it violates quality (does not seem truthful).
        const: whether it contradicts an earlier answer.
        outcome: one of OUTCOMES: whom the turn went to; None if nobody judged it.
        reasons: of REASONS, each once: why; empty without an outcome.

    Raises:
        ValueError: if a label does not exist, a reason comes twice or without an outcome.
    """

    commitment: str
    rel: bool
    man: bool
    qual: bool
    const: bool
    outcome: str | None = None
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        labels = [(self.commitment, COMMITMENTS), (self.outcome, (*OUTCOMES, None))]
        for label, allowed in labels + [(reason, REASONS) for reason in self.reasons]:
            if label not in allowed:
                raise ValueError(f"{label!r}: must be one of {allowed}")
        if len(set(self.reasons)) < len(self.reasons):
            raise ValueError(f"{self.reasons}: each reason must be there once")
        if self.reasons and self.outcome is None:
            raise ValueError(f"{self.reasons}: there is no outcome for these reasons")


@dataclass(frozen=True, slots=True)
class Dialogue:
    """An examination as one annotator labelled it.

    Attributes:
        id: its name; several annotators of one examination share it.
        turns: in order, at least one.
        annotator: who labelled it; "" if unknown.
    """

    id: str
    turns: tuple[Turn, ...]
    annotator: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """An examination as it was held, whoever labelled it.

    Attributes:
        id: its name.
        turns: in order, at least one; those that are labelled are `Turn`s.
        witness: who testifies, and for which side or what; "" if unknown.
    """

    id: str
    turns: tuple[Exchange, ...]
    witness: str = ""


class Problem(NamedTuple):
    """What is wrong with a file, and where.

    Attributes:
        line: where the row begins, from 1.
        column: its name in the file; "" if it is the whole row.
        what: the value and what was expected.
    """

    line: int
    column: str
    what: str

    def __str__(self) -> str:
        return f"line {self.line}{self.column and ', ' + self.column}: {self.what}"


class TranscriptError(ValueError):
    """A transcript that cannot be scored; lists everything that is wrong with it.

    Attributes:
        problems: all of them, also those that the message leaves out; none where the file could
            not be read at all.
    """

    def __init__(self, path: Path, problems: Sequence[Problem] = (), why: str = "") -> None:
        self.problems = tuple(problems)
        if why:
            text = f"{path} {why}"
        elif len(problems) == 1:
            text = f"{path}, {problems[0]}"
        else:
            more = len(problems) - SHOWN
            lines = [f"{path}: {len(problems)} problems", *map(str, problems[:SHOWN])]
            text = "\n  ".join(lines + [f"and {more} more"] * (more > 0))
        super().__init__(text)


def read(path: str | Path) -> tuple[Dialogue, ...]:
    """Read the examinations of a file, one for each dialogue and annotator, in file order.

    Args:
        path: a `.csv` or `.jsonl` file in UTF-8. Without a column of turns the rows of a dialogue
            count as they stand; without one of dialogues they are one, named after the file. The
            annotations by models that came with the SDA paper name no annotator: their folder does.

    Raises:
        TranscriptError: if the file cannot be read or anything in it is wrong; names every wrong
            row with its line, its column, the value and what was expected.
    """
    path = Path(path)
    names = {field.name for field in fields(Turn)}
    return tuple(
        Dialogue(
            name,
            tuple(Turn(**{k: v for k, v in row.values.items() if k in names}) for row in rows),
            annotator or (_model(path) if _by_model(rows[0]) else ""),
        )
        for (name, annotator), rows in _groups(path, _LABELLED).items()
    )


def read_exchanges(path: str | Path) -> tuple[Examination, ...]:
    """Read the examinations of a file without labels, or without regard to those it has.

    Args:
        path: as for `read`; needs a question and an answer in each row. Of the corpus of the SDA
            paper, rows that nobody answers (objections, the court) are left out.

    Raises:
        TranscriptError: as `read`; also if two annotators have different words in one examination.
    """
    path = Path(path)
    found: dict[str, Examination] = {}
    for (name, annotator), rows in _groups(path, _UNLABELLED).items():
        turns = tuple(Exchange(row.values["question"], row.values["answer"]) for row in rows)
        if found.setdefault(name, Examination(name, turns, _witness(rows))).turns != turns:
            what = f"dialogue {name!r} has other words here, by {annotator!r}, than before"
            raise TranscriptError(path, [Problem(rows[0].line, "", what)])
    return tuple(found.values())


def write(path: str | Path, dialogues: Iterable[Dialogue | Examination]) -> None:
    """Write examinations so that they can be read again, as CSV or JSON lines by the suffix.

    The labels of turns that have none are left empty, for a person to fill in.

    Raises:
        ValueError: if the suffix is another one.
    """
    path = Path(path)
    rows: list[dict[str, Any]] = [
        {
            "dialogue": dialogue.id,
            "turn": number,
            **{name: getattr(turn, name, None) for name in COLUMNS[2:-1]},
            "annotator": getattr(dialogue, "annotator", ""),
        }
        for dialogue in dialogues
        for number, turn in enumerate(dialogue.turns, 1)
    ]
    with io.StringIO(newline="") as file:
        if path.suffix.lower() == ".csv":
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            for row in rows:
                flags = {name: int(row[name]) for name in VIOLATIONS if row[name] is not None}
                writer.writerow(row | flags | {"reasons": "; ".join(row["reasons"] or ())})
        elif path.suffix.lower() == ".jsonl":
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            raise ValueError(f"{path}: a transcript is written to a .csv or a .jsonl file")
        path.write_bytes(file.getvalue().encode())


Meanings = Mapping[str, tuple[str, Callable[[object], Any]]]
"""What a column means, and how its cells are read, by its name in lower case."""


class _Form(NamedTuple):
    """What is read of a file.

    Attributes:
        meanings: of its columns.
        required: what has to be there.
        spoken: whether a row that nobody answers is left out.
    """

    meanings: Meanings
    required: tuple[str, ...]
    spoken: bool


class _Row(NamedTuple):
    """A row as far as it could be read.

    Attributes:
        line: where it begins.
        columns: the columns that mean something, by what they mean.
        values: what they say, likewise; without what is wrong.
    """

    line: int
    columns: dict[str, str]
    values: dict[str, Any]


def _groups(path: Path, form: _Form) -> dict[tuple[str, str], list[_Row]]:
    """The rows of a file by dialogue and annotator, each in the order of its turns."""
    readers = {".csv": _csv, ".jsonl": _jsonl}
    if path.suffix.lower() not in readers:
        raise TranscriptError(path, why="cannot be read: a transcript is a .csv or a .jsonl file")
    problems: list[Problem] = []
    rows = list(readers[path.suffix.lower()](_decoded(path), form, problems))
    if not rows and not problems:
        raise TranscriptError(path, why="holds no turn")
    groups = _grouped(rows, path.stem, problems)
    if problems:
        raise TranscriptError(path, sorted(problems, key=lambda problem: problem.line))
    return groups


def _decoded(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TranscriptError(path, why=f"cannot be read: {error.strerror}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        what = f"byte 0x{error.object[error.start]:02x} is not UTF-8: save the file as UTF-8"
        raise TranscriptError(path, [Problem(line, "", what)]) from None


def _csv(text: str, form: _Form, problems: list[Problem]) -> Iterator[_Row]:
    # the corpus repeats the whole history in each row, longer than csv allows by itself
    limit = csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    try:
        yield from _csv_rows(text, form, problems)
    finally:
        csv.field_size_limit(limit)


def _csv_rows(text: str, form: _Form, problems: list[Problem]) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    columns: dict[str, str] = {}
    end = 0
    try:
        for cells in reader:
            line, end = end + 1, reader.line_num
            if not cells:
                continue
            if not header:
                header = cells
                columns = _columns(line, header, form, problems)
                if problems:
                    return
            elif len(cells) != len(header):
                what = f"{len(cells)} fields where the header has {len(header)}"
                problems.append(Problem(line, "", what))
            else:
                record = dict(zip(header, cells, strict=True))
                yield from _row(line, columns, record, form, problems)
    except csv.Error as error:
        problems.append(Problem(end + 1, "", f"not CSV from here on: {error}"))


def _jsonl(text: str, form: _Form, problems: list[Problem]) -> Iterator[_Row]:
    # splitlines would cut inside a text that holds U+2028
    for line, source in enumerate(text.split("\n"), 1):
        if not source.strip():
            continue
        try:
            record = json.loads(source, object_pairs_hook=_unique)
            if not isinstance(record, dict):
                raise ValueError(f"it is {_shown(record)}")
        except (ValueError, RecursionError) as error:
            problems.append(Problem(line, "", f"not a JSON object: {error}"))
        else:
            columns = _columns(line, list(record), form, problems)
            yield from _row(line, columns, record, form, problems)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"{next(key for key in keys if keys.count(key) > 1)!r} is given twice")
    return record


def _columns(
    line: int, header: Sequence[str], form: _Form, problems: list[Problem]
) -> dict[str, str]:
    """The columns that mean something, by what they mean."""
    columns: dict[str, str] = {}
    for column in header:
        name, _ = form.meanings.get(_key(column), ("", None))
        if name in columns:
            what = f"means the same as the column {columns[name]!r}: keep one of them"
            problems.append(Problem(line, column, what))
        elif name:
            columns[name] = column
    missing = [name for name in form.required if name not in columns]
    if missing:
        what = f"there is no {', '.join(missing)} among the columns {', '.join(header)}"
        what += separated(header)
        problems.append(Problem(line, "", what))
    return columns


def separated(header: Sequence[str]) -> str:
    """For a message: what separates the fields of a header that was read as one; "" else."""
    marks = {";": "semicolons", "\t": "tabs"}
    found = next((mark for mark in marks if len(header) == 1 and mark in header[0]), "")
    return found and f": its fields are separated by {marks[found]}, commas are expected"


def _key(column: str) -> str:
    return column.strip().lower()


def _row(
    line: int,
    columns: dict[str, str],
    cells: dict[str, Any],
    form: _Form,
    problems: list[Problem],
) -> Iterator[_Row]:
    if form.spoken and "responder" in columns:
        answered = (cells.get(columns.get(name, "")) for name in ("answer", "responder"))
        if all(map(_blank, answered)):
            return
    values: dict[str, Any] = {}
    for name, column in columns.items():
        _, parse = form.meanings[_key(column)]
        try:
            values[name] = parse(cells[column])
        except ValueError as error:
            problems.append(Problem(line, column, f"{_shown(cells[column])}: {error}"))
    # a wrong outcome has its own problem
    if values.get("reasons") and not values.get("outcome", "outcome" in columns):
        column = columns["reasons"]
        what = f"{_shown(cells[column])}: expected nothing, since there is no outcome"
        problems.append(Problem(line, column, what))
    yield _Row(line, columns, values)


def _shown(cell: object) -> str:
    text = repr(cell)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _grouped(
    rows: Sequence[_Row], stem: str, problems: list[Problem]
) -> dict[tuple[str, str], list[_Row]]:
    groups: dict[tuple[str, str], list[_Row]] = {}
    for row in rows:
        key = row.values.get("dialogue", stem), row.values.get("annotator", "")
        groups.setdefault(key, []).append(row)
    used = [name for name in _PLACE if any(name in row.columns for row in rows)]
    placed = True
    for row in rows:
        for name in used:
            if name not in row.columns:
                problems.append(Problem(row.line, name, "missing here, though other rows have it"))
            placed = placed and name in row.values
    if not placed:  # else turns would seem to be missing or first that are only misplaced
        return groups
    for (name, annotator), group in groups.items():
        whose = f"dialogue {name!r}" + (f" of {annotator!r}" if annotator else "")
        if "turn" in used:
            group.sort(key=lambda row: row.values["turn"])
            problems.extend(_misnumbered(group, whose))
        first = group[0]
        # those by models that came with the paper are not always in the order of their turns
        if first.values.get("const") and not _by_model(first):
            column = first.columns["const"]
            what = f"violated: the first turn of {whose} contradicts no earlier one; expected 0"
            problems.append(Problem(first.line, column, what))
    return groups


def _by_model(row: _Row) -> bool:
    """Whether it is of a file by a model that came with the paper: people's spell it otherwise."""
    column = _key(row.columns.get("commitment", ""))
    return column == "commitment_value" and "annotator" not in row.columns


def _model(path: Path) -> str:
    return path.resolve().parent.name


def _witness(rows: Sequence[_Row]) -> str:
    """Who testifies, from all that the rows of an examination say about it."""
    said = [
        next((row.values[name] for row in rows if row.values.get(name)), "") for name in _WITNESS
    ]
    return " ".join(text if text.endswith(".") else f"{text}." for text in said if text)


def _misnumbered(group: Sequence[_Row], whose: str) -> Iterator[Problem]:
    """Turns of a dialogue that come twice, and where some are missing."""
    last, seen = 0, 0
    for row in group:
        turn, column = row.values["turn"], row.columns["turn"]
        if turn == last:
            yield Problem(row.line, column, f"{turn}: is on line {seen} too, in {whose}")
        elif turn > last + 1:
            gone = f"{last + 1}" if turn == last + 2 else f"{last + 1} to {turn - 1}"
            what = f"{turn}: {whose} lacks turn {gone}; expected 1, 2, … without a gap"
            yield Problem(row.line, column, what)
        last, seen = turn, row.line


def _text(cell: object) -> str:
    if not isinstance(cell, str) or not cell.strip():
        raise ValueError("expected a text that is not empty")
    return cell


def _name(cell: object) -> str:
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell)
    if not isinstance(cell, str) or not cell.strip():
        raise ValueError("expected a name that is not empty")
    return cell.strip()


def _blank(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _optional(cell: object) -> str:
    return "" if _blank(cell) else _name(cell)


def _side(cell: object) -> str:
    sides = {"p_witness": "the prosecution", "d_witness": "the defence"}
    side = sides.get(str(cell).strip().lower())
    return f"A witness of {side}" if side else ""


def _number(cell: object) -> int:
    text = cell.strip() if isinstance(cell, str) else str(cell)
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) == 0:
        raise ValueError("expected a whole number, 1 or more")
    return int(text)


def _flag(cell: object) -> bool:
    flag = {"1": True, "true": True, "0": False, "false": False}.get(str(cell).strip().lower())
    if flag is None:
        raise ValueError("expected 1 (violated) or 0, or true or false")
    return flag


def _commitment(cell: object) -> str:
    return _one_of(COMMITMENTS, cell)


def _coded_commitment(cell: object) -> str:
    codes = {"1": "detrimental", "2": "beneficial", "3": "neutral", "4": "none"}
    label = codes.get(str(cell).strip())
    if label is None:
        meaning = ", ".join(f"{code} ({label})" for code, label in codes.items())
        raise ValueError(f"expected {meaning}")
    return label


def _outcome(cell: object) -> str | None:
    return None if _blank(cell) else _one_of(OUTCOMES, cell)


def _one_of(labels: Sequence[str], cell: object) -> str:
    label = cell.strip().lower() if isinstance(cell, str) else ""  # str(None) is a label
    if label not in labels:
        raise ValueError(f"expected {', '.join(labels[:-1])} or {labels[-1]}")
    return label


def _reasons(cell: object) -> tuple[str, ...]:
    given = [] if _blank(cell) else cell.split(";") if isinstance(cell, str) else cell
    if not isinstance(given, list):
        raise ValueError(f"expected any of {', '.join(REASONS)}")
    reasons = tuple(_one_of(REASONS, reason) for reason in given)
    if len(set(reasons)) < len(reasons):
        raise ValueError("expected each reason once")
    return reasons


def _published_reasons(cell: object) -> tuple[str, ...]:
    """Reasons as the paper's files have them.

    People's are sentences, each with a tag, one or a list of them; a model's is a number of the
    prompt, or what stands there, or both.
    """
    tags = {
        "[Logical facts]": "logic",
        "[Crediblity establishment]": "credibility",  # their spelling
        "[Emotions]": "emotion",
    }
    text = "" if cell is None else str(cell).strip()
    if text in _PROMPTED:
        return (_PROMPTED[text],)
    found = re.findall(r"I choose this side[^\[\]]*(\[[^\[\]]*\])", text)
    if text and (not found or len(found) < text.count("I choose") or not tags.keys() >= set(found)):
        raise ValueError(
            f"expected 1, 2 or 3, or sentences 'I choose this side …' with {', '.join(tags)}"
        )
    return _reasons([tags[tag] for tag in found])


_PROMPTED = {
    text: reason
    for number, (reason, words) in enumerate(
        zip(
            REASONS,
            (
                "Logical arguments are convincing",
                "Credibility attack on other side",
                "Emotional appeal/bias",
            ),
            strict=True,
        ),
        1,
    )
    for text in (f"{number}", f"{number}.0", words, f"{number}. {words}")
}
_PLACE = ("dialogue", "turn", "annotator")
_WITNESS = ("witness", "witness_name", "witness_role", "responder")

_MEANINGS: Meanings = {
    "dialogue": ("dialogue", _name),
    "dialogue_id": ("dialogue", _name),
    "source": ("dialogue", _name),
    "turn": ("turn", _number),
    "question": ("question", _text),
    "answer": ("answer", _text),
    "commitment": ("commitment", _commitment),
    "committment_value": ("commitment", _coded_commitment),  # people's files
    "commitment_value": ("commitment", _coded_commitment),  # models'
    "rel": ("rel", _flag),
    "relevance_binary": ("rel", _flag),
    "man": ("man", _flag),
    "manner_binary": ("man", _flag),
    "qual": ("qual", _flag),
    "quality_binary": ("qual", _flag),
    "const": ("const", _flag),
    "consistency_value": ("const", _flag),
    "outcome": ("outcome", _outcome),
    "outcome_value": ("outcome", _outcome),
    "reasons": ("reasons", _reasons),
    "outcome_reason": ("reasons", _published_reasons),
    "annotator": ("annotator", _optional),
}
_LABELLED = _Form(_MEANINGS, required=COLUMNS[2:9], spoken=False)
_UNLABELLED = _Form(
    {
        **{
            column: meaning
            for column, meaning in _MEANINGS.items()
            if meaning[0] in (*_PLACE, "question", "answer")
        },
        "witness": ("witness", _optional),
        "witness_name": ("witness_name", _optional),
        "witness_role": ("witness_role", _optional),
        "responder": ("responder", _side),
    },
    required=("question", "answer"),
    spoken=True,
)
