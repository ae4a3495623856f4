"""A run in the formats that other people's tools open.

| format | what it makes | needs |
| --- | --- | --- |
| `jsonl` | a file of chats, one line each (`unspoken.benchmarks.export.chats`) | extra `llm` for the chats of players that are no models |
| `inspect` | a log of inspect (`unspoken.benchmarks.export.inspect_log`) | extra `export` |
| `parquet` | a folder of tables and a dataset card (`unspoken.benchmarks.export.tables`) | extra `export` |

Runs are read game by game and never held whole. A run that is not finished gives what is there.
"""  # noqa: E501 - a table

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from unspoken.benchmarks.export.runs import Run
from unspoken.benchmarks.store import FILE, reading
from unspoken.envs.base import choose

FORMATS = ("jsonl", "inspect", "parquet")

_SUFFIX = {"jsonl": ".jsonl", "inspect": ".eval", "parquet": ""}


@dataclass(frozen=True)
class Exported:
    """What came of an export.

    Attributes:
        path: the file or folder that was written.
        what: what the run is made of: "games" or "messages".
        done: how many of them were there.
        missing: how many the run still lacks; None if that cannot be told.
        rows: how many rows or samples were written, by table.
        left_out: how often each reason left something out.
    """

    path: Path
    what: str
    done: int
    missing: int | None
    rows: dict[str, int]
    left_out: Counter[str] = field(default_factory=Counter)


def export(
    folder: Path, to: str, out: Path, *, each: str = "player", force: bool = False
) -> Exported:
    """Write a run in another format.

    Args:
        folder: of a tournament of one game, or of a run of the SNEAK benchmark.
        to: one of `FORMATS`.
        out: the file to write, or a folder to write it into; with "parquet" the folder.
        each: what a line of "jsonl" is: "player" (a game as one player had it) or "request" (a
            request to a model and the reply).
        force: write over what is there.

    Raises:
        FileNotFoundError: if the folder holds no run.
        FileExistsError: if `out` is there already.
        StoreError: if the folder's file is not a run's.
        ValueError: if there is no such format or `each`, or `out` is no place for it.
        ImportError: if an extra is needed and not installed; names the extra.
    """
    choose("--to", to, FORMATS)
    choose("--each", each, ("player", "request"))
    if each != "player" and to != "jsonl":
        raise ValueError(f"--each {each}: only of jsonl, not of {to}")
    _check_folder(folder)
    writer = _writer(to, each)
    with reading(folder) as db:
        db.execute("BEGIN")  # the run may be going on: all of it as it is now
        run = Run(db, folder)
        path = _place(out, _SUFFIX[to], f"{run.config['game'].replace(' ', '_')}")
        left_out: Counter[str] = Counter()
        with _replacing(path, force=force) as new:
            rows = writer(run, new, left_out)
        return Exported(path, run.what, run.done, run.missing, rows, left_out)


def _writer(to: str, each: str) -> Callable[[Run, Path, Counter[str]], dict[str, int]]:
    """What writes a format; imported only now, since it may need an extra."""
    if to == "jsonl":
        from unspoken.benchmarks.export.chats import write_chats

        return lambda run, path, left_out: write_chats(run, path, left_out, each=each)
    if to == "inspect":
        from unspoken.benchmarks.export.inspect_log import write_log

        return write_log
    from unspoken.benchmarks.export.tables import write_tables

    return write_tables


def _check_folder(folder: Path) -> None:
    """Refuse a folder without a run; say where runs are if its subfolders hold some."""
    if (folder / FILE).exists() or not folder.is_dir():
        return
    within = sorted(path.parent.name for path in folder.glob(f"*/{FILE}"))
    if within:
        raise FileNotFoundError(
            f"{folder} holds no run itself, but several; name one: "
            f"{', '.join(str(folder / name) for name in within)}"
        )


def _place(out: Path, suffix: str, name: str) -> Path:
    """The file to write: `out` itself, or one in it if it is a folder."""
    if not suffix:
        if out.is_file():
            raise ValueError(f"{out} is a file; tables are written into a folder")
        return out
    if out.is_dir() or not out.suffix:
        return out / f"{name}{suffix}"
    if out.suffix != suffix:
        raise ValueError(f"{out}: a file name that ends in {suffix}, or a folder")
    return out


@contextmanager
def _replacing(path: Path, *, force: bool) -> Iterator[Path]:
    """A place beside `path` to write to, which takes its place when all went well."""
    if not force and (path.is_file() or (path.is_dir() and any(path.iterdir()))):
        raise FileExistsError(f"{path} is there already; name another, or write over it (--force)")
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    _remove(new)
    try:
        yield new
        if path.is_dir():
            _merge(new, path)
        else:
            new.replace(path)
    finally:
        _remove(new)


def _merge(new: Path, old: Path) -> None:
    for path in new.iterdir():
        path.replace(old / path.name)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
