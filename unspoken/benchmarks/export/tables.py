"""A run as Parquet tables, with a dataset card that says what is in their columns.

`datasets.load_dataset(FOLDER, "games")`, `pandas.read_parquet(FOLDER / "games.parquet")` and
whatever else reads Parquet open them. The tables are those of the run's store, with what is kept as
JSON there in columns of its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unspoken.benchmarks.export.runs import Run

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 2_000
"""Rows of a table that are in memory at a time, and in one row group of its file."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: its name.
        kind: "int", "float", "text", "bool", "texts", "floats" or "chat".
        about: what is in it.
        value: what gives it, in SQL; the column of the same name if empty.
    """

    name: str
    kind: str
    about: str
    value: str = ""


@dataclass(frozen=True)
class Sheet:
    """A table.

    Attributes:
        name: its name, and that of its file.
        about: what a row is.
        source: what follows FROM in SQL.
        columns: left to right.
    """

    name: str
    about: str
    source: str
    columns: Sequence[Column]

    @property
    def query(self) -> str:
        """What reads the rows."""
        values = ", ".join(column.value or column.name for column in self.columns)
        return f"SELECT {values} FROM {self.source}"


def _detail(key: str) -> str:
    return f"json_extract(details, '$.{key}')"


_CALL = (
    Column("model", "text", "the model that was asked", _detail("model")),
    Column("step", "text", 'what a method asked for; "" for a plain move', _detail("step")),
    Column("messages", "chat", "the prompt, as it was sent"),
    Column("reply", "text", "what the model wrote, reasoning included; null if nothing came"),
    Column("prompt_tokens", "int", "of the prompt, where the server counts them"),
    Column("completion_tokens", "int", "of the reply, likewise"),
    Column(
        "cost", "float", "in the currency of the price table, if there was one", _detail("cost")
    ),
    Column("finish_reason", "text", "why the reply ended", _detail("finish_reason")),
    Column("latency_s", "float", "seconds of the last attempt", _detail("latency_s")),
    Column("attempts", "int", "how often the request was sent", _detail("attempts")),
    Column("error", "text", "what went wrong with the last attempt; else null", _detail("error")),
    Column("unreadable", "bool", "whether no move was in the reply", _detail("unreadable")),
    Column("fallback", "bool", "whether something else was played", _detail("fallback")),
    Column("details", "text", "all that is known of the request besides, as JSON"),
)

TOURNAMENT = (
    Sheet(
        "games",
        "a game",
        "games ORDER BY id",
        (
            Column("id", "int", "place in the schedule, from 0"),
            Column("round", "int", "repetition of the design, from 0"),
            Column("seed", "int", "all chance of the game and its players"),
            Column("setting", "text", "further options of this game, as JSON"),
            Column("secret", "text", "what was hidden, as the design names it"),
            Column("hidden", "text", "what was hidden, in the words of whoever knew it"),
            Column("outcome", "text", 'how it ended; "void" if a player failed'),
            Column("winner", "text", "the role or side that won; null if nobody did"),
            Column("winners", "texts", "the seats that won, in games with sides"),
            Column("turns", "int", "the turn on which it ended, from 1", "turn"),
            Column("weight", "float", "what the result weighs in ratings"),
            Column("reason", "text", 'what stands behind the outcome; "" if nothing'),
            Column("seconds", "float", "how long it took"),
        ),
    ),
    Sheet(
        "seats",
        "a player in a game",
        "seats ORDER BY game, rowid",
        (
            Column("game", "int", "id of the game"),
            Column("seat", "text", "where the player sat, for example seeker_0", "agent"),
            Column("role", "text", "its role", "rtrim(rtrim(agent, '0123456789'), '_')"),
            Column("player", "text", "spec of the player"),
            Column("reward", "float", "what the game paid it"),
        ),
    ),
    Sheet(
        "moves",
        "a line of a dialogue",
        "moves ORDER BY game, n",
        (
            Column("game", "int", "id of the game"),
            Column("n", "int", "place in the dialogue, from 0"),
            Column("turn", "int", "turn of the game, from 1"),
            Column(
                "speaker", "text", "the role; the seat where several share one; or referee", "role"
            ),
            Column("text", "text", "what everybody heard"),
            Column("move", "text", "the game's name for what was done"),
            Column("action", "int", "place in the speaker's menu; -1 for words of its own"),
            Column("original", "text", "what was really said, where others heard something else"),
        ),
    ),
    Sheet(
        "calls",
        "a request to a model",
        "calls LEFT JOIN seats USING (game, agent) ORDER BY game, n",
        (
            Column("game", "int", "id of the game"),
            Column("n", "int", "place among the requests of the game, from 0"),
            Column("seat", "text", "who asked: a seat, or the game's own judge", "agent"),
            Column("player", "text", "spec of the player; null for the game's own judge"),
            *_CALL,
        ),
    ),
    Sheet(
        "ratings",
        "a rating after a game, in games of two",
        "ratings ORDER BY game, kind",
        (
            Column("game", "int", "id of the game"),
            Column("kind", "text", "C: as seeker, V: as holder (dual Elo)"),
            Column("player", "text", "spec of the player"),
            Column("before", "float", "the rating before the game"),
            Column("after", "float", "and after it"),
        ),
    ),
)

BENCHMARK = (
    Sheet(
        "messages",
        "a message of a speaker",
        "messages ORDER BY id",
        (
            Column("id", "int", "place in the order of the run, from 0"),
            Column("speaker", "text", "spec of the speaker"),
            Column("instance", "text", 'what it spoke about, "category/secret"'),
            Column("said", "text", "all that it said"),
            Column("message", "text", 'the message in it; "" if there is none'),
            Column("fault", "text", '"", the rule that refuses it, or "void"'),
            Column("reason", "text", "why it is void"),
            Column("seconds", "float", "how long it took"),
        ),
    ),
    Sheet(
        "evaluations",
        "what an evaluator made of a message",
        "evaluations ORDER BY message, evaluator",
        (
            Column("message", "int", "id of the message"),
            Column("evaluator", "text", "spec of the evaluator"),
            Column("ally", "floats", "probability of the message and of each decoy"),
            Column("chameleon", "floats", "probability of each word of the category"),
            Column("reason", "text", "why there are none"),
        ),
    ),
    Sheet(
        "sweep",
        "the same in a smaller instance",
        "sweep ORDER BY message, evaluator, n_words, n_decoys",
        (
            Column("message", "int", "id of the message"),
            Column("evaluator", "text", "spec of the evaluator"),
            Column("n_words", "int", "words of the instance"),
            Column("n_decoys", "int", "decoys of the instance"),
            Column("utility", "float", "of the message, 0 to 1; null if the evaluator failed"),
            Column("leakage", "float", "likewise"),
            Column("soft", "float", "likewise"),
            Column("binary", "float", "likewise", '"binary"'),
        ),
    ),
    Sheet(
        "calls",
        "a request to a model",
        "calls ORDER BY message, n",
        (
            Column("message", "int", "id of the message"),
            Column("n", "int", "place among the requests for the message, from 0"),
            Column("asked", "text", "spec of the speaker or evaluator that asked"),
            *_CALL,
        ),
    ),
)

_READ: dict[str, Callable[[Any], Any]] = {
    "bool": bool,
    "texts": json.loads,
    "floats": json.loads,
    "chat": json.loads,
}
"""How the store's values become those of a table, where they are not the same."""


def write_tables(run: Run, path: Path, left_out: Counter[str]) -> dict[str, int]:
    """Write the tables of a run and their card.

    Args:
        run: the run.
        path: the folder.
        left_out: nothing is.

    Returns:
        the number of rows by table.

    Raises:
        ImportError: if the extra `export` is not installed.
    """
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError('tables need the extra: pip install "unspoken[export]"') from error
    path.mkdir()
    sheets = BENCHMARK if run.benchmark else TOURNAMENT
    counts = {}
    for sheet in sheets:
        schema = _schema(sheet)
        with pq.ParquetWriter(path / f"{sheet.name}.parquet", schema, compression="zstd") as file:
            counts[sheet.name] = 0
            cursor = run.db.execute(sheet.query)
            while rows := cursor.fetchmany(ROWS):
                file.write_batch(_batch(schema, sheet, rows))
                counts[sheet.name] += len(rows)
    (path / "README.md").write_text(card(run, sheets, counts), encoding="utf-8")
    return counts


def _batch(schema: pa.Schema, sheet: Sheet, rows: Sequence[Sequence[Any]]) -> pa.RecordBatch:
    import pyarrow as pa

    arrays = []
    for column, field, values in zip(sheet.columns, schema, zip(*rows, strict=True), strict=True):
        read = _READ.get(column.kind)
        if read is not None:
            values = tuple(None if value is None else read(value) for value in values)
        arrays.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _schema(sheet: Sheet) -> pa.Schema:
    import pyarrow as pa

    text = pa.string()
    types = {
        "int": pa.int64(),
        "float": pa.float64(),
        "text": text,
        "bool": pa.bool_(),
        "texts": pa.list_(text),
        "floats": pa.list_(pa.float64()),
        "chat": pa.list_(pa.struct([("role", text), ("content", text)])),
    }
    return pa.schema(
        [pa.field(c.name, types[c.kind], metadata={"about": c.about}) for c in sheet.columns]
    )


def card(run: Run, sheets: Sequence[Sheet], counts: dict[str, int]) -> str:
    """The dataset card: what `datasets` needs to find the tables, and what people need to know."""
    return "\n".join(_card_lines(run, sheets, counts)) + "\n"


def _card_lines(run: Run, sheets: Sequence[Sheet], counts: dict[str, int]) -> Iterator[str]:
    config = run.config
    yield "---"
    yield "configs:"
    for sheet in sheets:
        if counts[sheet.name]:  # `datasets` refuses tables without rows
            yield f"- config_name: {sheet.name}"
            yield f"  data_files: {sheet.name}.parquet"
            if sheet is sheets[0]:
                yield "  default: true"
    yield "tags:"
    yield "- unspoken"
    yield "---"
    yield ""
    yield f"# A run of {config['game']}"
    yield ""
    yield f"{run.done} {run.what}, seed {config['seed']}, made by unspoken {config['unspoken']}."
    if run.missing:
        yield f"The run was not finished: {run.missing} {run.what} are missing."
    yield ""
    yield "The tables hold what was hidden in the games."
    yield ""
    yield "Players:"
    yield ""
    yield from (f"- `{player}`" for player in run.players)
    yield ""
    yield "```python"
    yield "from datasets import load_dataset"
    yield ""
    yield f'{sheets[0].name} = load_dataset("FOLDER", "{sheets[0].name}", split="train")'
    yield "```"
    for sheet in sheets:
        yield ""
        yield f"## {sheet.name}"
        yield ""
        yield f"`{sheet.name}.parquet`: a row is {sheet.about}; {counts[sheet.name]} rows."
        yield ""
        yield "| column | type | what |"
        yield "| --- | --- | --- |"
        for column, field in zip(sheet.columns, _schema(sheet), strict=True):
            yield f"| `{column.name}` | {_shown(field.type)} | {column.about} |"
    yield ""
    yield "## The run's configuration"
    yield ""
    yield "```json"
    yield json.dumps(config, indent=2, ensure_ascii=False)
    yield "```"


def _shown(kind: pa.DataType) -> str:
    return f"`{str(kind).replace('element: ', '').replace('item: ', '')}`"
