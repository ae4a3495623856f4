from __future__ import annotations

import pytest

from unspoken.agents.specs import make_agent
from unspoken.envs.registry import game
from unspoken.training.evaluation import compare, measure, opponents_of, players_of, score_table


def test_scores_follow_from_the_rules_where_the_winner_is_certain():
    spec = game("aidg_dialogue")
    refused = measure(
        spec, "seeker", make_agent("rules", spec.name), ["refuse"], games=6, seed=0
    )  # who refuses everything leaks nothing
    assert (refused.wins, refused.reward, refused.score, refused.spread) == (0, -1, -1, 0)
    assert refused.opponent == "refuse"


def test_everybody_meets_the_same_deals_and_the_same_seed_gives_the_same():
    spec = game("aidg_search")
    found = [
        measure(spec, "seeker", make_agent("rules", spec.name), ["table"], games=12, seed=[3, 1])
        for _ in range(2)
    ]
    assert found[0] == found[1]
    assert 0 < found[0].wins <= 1


def test_only_those_meet_who_have_the_roles():
    spec = game("aidg_search")
    assert "table" in opponents_of(spec, "seeker")
    assert "table" not in players_of(spec, "seeker")
    assert opponents_of(game("chameleon"), "player") == players_of(game("chameleon"), "player")


def test_a_comparison_has_the_player_against_all_and_others_against_the_usual(monkeypatch):
    spec = game("aidg_search")
    monkeypatch.setitem(
        __import__("unspoken.agents.specs").agents.specs.DEFAULTS,
        spec.name,
        ("random", "rules", "table"),
    )
    done = []
    player = make_agent("random", spec.name)
    player.name = "me"
    watch = lambda *n: done.append(n)  # noqa: E731
    found = compare(spec, "seeker", player, ["table"], games=2, seed=0, watch=watch)
    pairs = [(score.player, score.opponent) for score in found]
    assert pairs == [
        ("me", "table"),
        ("me", "random"),
        ("me", "rules"),
        ("random", "table"),
        ("rules", "table"),
    ]
    assert done[-1] == (5, 5)
    row = score_table("seeker", [{"score": 0.5, "spread": 0.25, "wins": 1.0}]).rows[0]
    assert row["interval"] == pytest.approx("+0.500 ± 0.250")
