"""`unspoken sneak`, as a user calls it."""

import json

import pytest
from test_cli import unspoken

SPEAK = ("sneak", "-a", "random", "-a", "category", "-e", "embedding", "-e", "rsa")


def test_run_resume_sweep_and_stats(tmp_path) -> None:
    out = str(tmp_path / "run")
    first = unspoken(*SPEAK, "--limit", "8", "--seed", "3", "--out", out)
    assert "SNEAK Table 2" in first.stdout
    assert "Reference baselines beside SNEAK Table 2" in first.stdout
    again = unspoken(*SPEAK, "--limit", "10", "--seed", "3", "--out", out)
    assert "16 of 20 messages are done" in again.stderr
    held = json.loads((tmp_path / "run" / "results.json").read_text())
    assert held["messages"] == 20
    words = ("sneak", "sweep", out, "--words", "4", "--words", "8", "--decoys", "2", "--json")
    swept = json.loads(unspoken(*words).stdout)
    assert [row["words"] for row in swept["sweep_soft"]] == [4, 8, 4, 8]
    stats = json.loads(unspoken("sneak", "stats", out, "--json").stdout)
    assert {"deviation", "rank_correlation", "categories", "clustering"} == stats.keys()


def test_a_server_that_is_down_and_up_again(tmp_path) -> None:
    """What failed is told as evaluations, and can be done again."""
    evaluator = "openai:fake?base_url=http://127.0.0.1:9/v1&retries=0"
    words = ("sneak", "-a", "random", "-e", evaluator, "--limit", "2", "--out", str(tmp_path))
    first = unspoken(*words)
    assert "2 evaluations missing: openai:fake" in first.stdout
    assert "void:" not in first.stdout
    assert "--again does again what failed" in first.stdout
    assert "done again: 0" not in first.stdout
    assert "done again: 2 messages" in unspoken(*words, "--again").stdout


def test_answers_of_people(tmp_path) -> None:
    file = tmp_path / "answers.csv"
    rows = [
        f"chameleon,bird/owl,night,w{n},{word}" for n, word in enumerate(("owl", "owl", "crow"))
    ]
    file.write_text("\n".join(["task,instance,message,worker,answer", *rows]))
    tables = json.loads(unspoken("sneak", "human", str(file), "-e", "embedding", "--json").stdout)
    assert tables["people"][0]["worker"] == pytest.approx(2 / 3)
    assert tables["agreement"][0]["evaluator"] == "embedding"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sneak", "-e", "nobody"], "there is no listener 'nobody'"),
        (["sneak", "-a", "gredy"], "there is no agent 'gredy'"),
        (["sneak", "stats", "/nowhere"], "/nowhere holds no run"),
        (["sneak", "sweep", "/nowhere"], "/nowhere holds no run"),
        (["sneak", "human", "/nowhere.csv"], "/nowhere.csv cannot be read"),
        (["sneak", "decoys", "gpt", "--out", "x.toml"], "there is no writer of decoys 'gpt'"),
    ],
)
def test_mistakes_end_in_one_line(words, message, tmp_path) -> None:
    done = unspoken(*words, ok=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
