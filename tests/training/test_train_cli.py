from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from unspoken.cli.train import curves, train

app = typer.Typer()
app.command()(train)
app.command()(curves)


def test_curves_of_folders_as_json(tmp_path):
    task = {"game": "aidg_search", "role": "seeker", "opponents": ["table"]}
    for seed, score in enumerate((0.0, 1.0)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        point = {"steps": 5, "seconds": 30.0, "wins": 0.5, "reward": score, "score": score}
        learning = {"task": task, "seed": seed, "curve": [point]}
        (folder / "learning.json").write_text(json.dumps(learning))
    said = CliRunner().invoke(app, ["curves", str(tmp_path / "0"), str(tmp_path / "1"), "--json"])
    (row,) = json.loads(said.output)["curve"]
    assert (row["steps"], row["score"], row["minutes"]) == (5, 0.5, 0.5)


@pytest.mark.parametrize("option", [["--role", "seeker"], ["--resume"], ["--opponent", "rules"]])
def test_a_league_takes_no_options_of_one_role(tmp_path, option):
    said = CliRunner().invoke(
        app, ["train", "aidg_dialogue", "--league", "--out", str(tmp_path / "new"), *option]
    )
    assert isinstance(said.exception, ValueError)
    assert "--league takes no --role" in str(said.exception)
    assert not (tmp_path / "new").exists()
