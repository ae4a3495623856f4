from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from unspoken.cli.train import curves, exploit, train

app = typer.Typer()
app.command()(train)
app.command()(curves)
app.command()(exploit)


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


@pytest.mark.parametrize("option", [["--role", "seeker"], ["--opponent", "rules"]])
def test_a_league_takes_no_options_of_one_role(tmp_path, option):
    said = CliRunner().invoke(
        app, ["train", "aidg_dialogue", "--league", "--out", str(tmp_path / "new"), *option]
    )
    assert isinstance(said.exception, ValueError)
    assert "--league takes no --role" in str(said.exception)
    assert not (tmp_path / "new").exists()


def test_responses_to_a_policy_as_tables_and_as_json(tmp_path, monkeypatch):
    module = pytest.importorskip("unspoken.training.exploit")
    score = {"player": "rules", "opponent": "me", "games": 5, "wins": 0.6, "reward": 0.2}
    score |= {"score": 0.2, "spread": 0.1, "part": ""}
    given = {}

    def found(policy, folder, *, watch, **settings):
        given.update(settings, policy=policy)
        return {
            "policy": "me.zip",
            "game": "aidg_search",
            "role": "seeker",
            "responses": [score | {"kind": "built-in"}],
            "trained": -0.25,
            "best": score,
            "gap": 0.45,
            "spread": 0.2,
            "exact": [{"against": "anybody", "score": -0.5}],
        }

    monkeypatch.setattr(module, "exploit", found)
    command = ["exploit", "me.zip", "--out", str(tmp_path), "--steps", "0", "-o", "max_turns=4"]
    said = CliRunner().invoke(app, [*command, "--json"])
    tables = json.loads(said.output)
    assert [row["player"] for row in tables["responses"]] == ["rules"]
    training, best, exact = tables["exploitability"]
    assert (training["score"], best["score"], best["gap"]) == (-0.25, 0.2, 0.45)
    assert (exact["score"], exact["gap"]) == (0.5, 0.75)
    assert given["options"] == {"max_turns": 4}
    assert (given["steps"], given["games"], given["seed"]) == (0, 500, 0)
    assert "exploit.json\n" in CliRunner().invoke(app, command).output
