from __future__ import annotations

import json

import pytest

pytest.importorskip("sb3_contrib")

from unspoken.agents import specs
from unspoken.training import league
from unspoken.training.league import FLOOR, League, league_table
from unspoken.training.tasks import Task

GAME = "cross_examination"
ROLES = ("questioner", "witness")


def small_league():
    return League(ROLES, GAME, {"questioner": ("rules", "random"), "witness": ("rules",)})


def test_ratings_follow_elo_and_the_harder_opponent_is_met_more_often():
    tried = small_league()
    assert tried.weights("witness", "me") == [FLOOR + 0.5] * 2  # nobody is rated yet
    tried.record("witness", "me", "rules", wins=0, games=1)  # K = 24: half of it each way
    assert tried.rating("witness", "me") == 1488
    assert tried.rating("questioner", "rules") == 1512
    hard, easy = tried.weights("witness", "me")
    assert hard == pytest.approx(FLOOR + 1 / (1 + 10 ** (-24 / 400)))
    assert hard > easy > FLOOR
    tried.record("questioner", "you", "rules", wins=1, games=1)
    assert tried.rating("questioner", "you") == 1512
    assert [row["player"] for row in league_table(tried).rows if row["role"] == "questioner"] == [
        "rules",
        "random",
    ]


def test_wins_are_spread_over_the_games():
    tried = small_league()
    tried.record("witness", "me", "rules", wins=5, games=10)
    assert abs(tried.rating("witness", "me") - 1500) < 24


def test_both_roles_learn_and_join_the_league_the_same_each_time(tmp_path, monkeypatch):
    monkeypatch.setitem(specs.DEFAULTS, GAME, ("random",))
    options = {"max_turns": 3}
    ppo = {"n_steps": 16, "batch_size": 16, "n_epochs": 1}
    tasks = [
        Task(GAME, role, ("random",), steps=64, leg=32, envs=2, options=options, ppo=ppo)
        for role in ROLES
    ]
    found = [league.train(tasks, tmp_path / run, seed=3, games=2) for run in ("one", "two")]
    for role in ROLES:
        names = [player.name for player in found[0].players[role]]
        assert names == ["random", f"{role}_001", f"{role}_002"]
        assert (tmp_path / "one" / f"{role}_002.zip").exists()
    assert league_table(found[0]).json() == league_table(found[1]).json()
    whole = json.loads((tmp_path / "one" / "league.json").read_text())
    assert [set(met) for met in whole["legs"]][1:3] == [
        {"random", "questioner_001"},  # past selves are met beside scripted agents
        {"random", "witness_001"},
    ]

    def stop(what, done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        league.train(tasks, tmp_path / "cut", seed=3, games=2, watch=stop)
    assert not (tmp_path / "cut" / "witness_002.zip").exists()
    resumed = league.train(tasks, tmp_path / "cut", seed=3, games=2, resume=True)
    assert league_table(resumed).json() == league_table(found[0]).json()
    assert json.loads((tmp_path / "cut" / "league.json").read_text()) == whole
    with pytest.raises(ValueError, match="holds a league"):
        league.train(tasks, tmp_path / "one")
    with pytest.raises(ValueError, match="holds another league"):
        league.train(tasks, tmp_path / "one", seed=4, games=2, resume=True)


def test_a_league_is_for_both_roles_of_a_game(tmp_path):
    task = Task(GAME, "witness", ("random",))
    with pytest.raises(ValueError, match="both of them; cross_examination has questioner, witness"):
        league.train([task], tmp_path)
