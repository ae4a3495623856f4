"""The command that measures speed."""

import json
import sys

from typer.testing import CliRunner

from unspoken.cli import app

RUN = CliRunner()


def test_a_part_as_json() -> None:
    result = RUN.invoke(app, ["speed", "--only", "threads", "--seconds", "0.05", "--json"])
    assert result.exit_code == 0
    (table,) = json.loads(result.stdout).values()
    assert table[0]["threads"] == 1
    assert all(row["rate"] > 0 for row in table)


def test_a_part_that_needs_an_extra_names_it_and_the_others_go_on(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo.classic.connect_four.connect_four", None)
    arguments = ["--only", "games", "--only", "threads", "--seconds", "0.05"]
    result = RUN.invoke(app, ["speed", *arguments])
    assert result.exit_code == 0
    assert 'pip install "unspoken[speed]"' in result.output
    assert "threads" in result.stdout
