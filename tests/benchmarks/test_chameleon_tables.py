"""The tables of chameleon, from games made by hand, and the league of honest players."""

import re
from collections import Counter

import pytest

from unspoken.benchmarks import chameleon, report, tournament
from unspoken.benchmarks.chameleon import POPULATION, honest_league
from unspoken.benchmarks.design import Fixture
from unspoken.benchmarks.store import Game
from unspoken.envs import chameleon_v0
from unspoken.envs.registry import game
from unspoken.envs.sneak.instances import instances, load
from unspoken.judges.listeners.specs import make_listener
from unspoken.rating.elo import DualElo

SPEC = game("chameleon")
NAMES = ("Ada", "Ben", "Cleo", "Dan")
OWL = next(i for i in instances(load()) if i.id == "bird/owl")


def played(said, votes, guess="guess: owl", lone=1, **options) -> Game:
    """A game about owls; what each seat says and votes for, None for nothing that can be read."""
    env = chameleon_v0.env(utterances="free", **options)
    fixed = {"chameleon": f"player_{lone}"}
    env.reset(seed=0, options={"secret": OWL.id, **fixed})
    while env.result is None:
        seat = int(env.agent_selection[-1])
        phase = env.infos[env.agent_selection]["phase"]
        if phase == "clue":
            env.step(said[seat] or "I pass.")
        elif phase == "discussion":
            env.step(f"accuse: player {(seat + 1) % 4}")
        elif phase == "vote":
            env.step("Nobody." if votes[seat] is None else f"vote: player {votes[seat]}")
        else:
            env.step(guess)
    seats = {f"player_{s}": name for s, name in enumerate(NAMES)}
    fixture = Fixture(0, 0, seats, OWL.id, 0, fixed)
    return Game(fixture, env.secret, env.result, dict(env.rewards), env.history)


CLUES = ("night", "feather", "hunter", None)
CAUGHT = played(CLUES, (1, 0, 1, 1), "guess: crow")
GUESSED = played(CLUES, (1, 0, 1, None))
ESCAPED = played(CLUES, (2, 0, 1, 0))
GAMES = [CAUGHT, GUESSED, ESCAPED]


def rows(table, *keys):
    return {tuple(row[key] for key in keys): row for row in table.rows}


def test_outcomes():
    counts = {row["outcome"]: row["games"] for row in chameleon.outcomes([*GAMES, CAUGHT]).rows}
    assert counts == {"caught": 2, "guessed": 1, "escaped": 1, "void": 0}


def test_the_ranking_comes_first_and_knows_both_parts():
    ranking, *_ = chameleon.tables(GAMES, DualElo(), NAMES, {})
    found = rows(ranking, "player")
    assert found["Ben",]["chameleon_win_rate"] == pytest.approx(2 / 3)
    assert found["Ben",]["player_games"] == 0
    for name in ("Ada", "Cleo", "Dan"):
        assert found[name,]["player_win_rate"] == pytest.approx(1 / 3)
        assert found[name,]["chameleon_games"] == 0


def test_clues_are_scored_as_messages_of_sneak():
    """By the listener itself, one message at a time, and SNEAK's formulas written out."""
    table = rows(chameleon.clue_scores(GAMES, NAMES), "player", "part")
    assert set(table) == {
        *(("Ada", "player"), ("Ben", "chameleon"), ("Cleo", "player"), ("Dan", "player")),
    }
    listener = make_listener("embedding")
    for (name, _), row in table.items():
        clue = CLUES[NAMES.index(name)]
        if clue is None:
            assert (row["clues"], row["refused"], row["utility"]) == (0, 3, None)
            continue
        ally = listener.ally(OWL, clue)[0]
        lone = listener.chameleon(OWL, clue)[OWL.words.index("owl")]
        n, w = 1 + len(OWL.decoys), len(OWL.words)
        utility = max(0, (ally - 1 / n) / (1 - 1 / n))
        leakage = max(0, (lone - 1 / w) / (1 - 1 / w))
        assert (row["clues"], row["refused"]) == (3, 0)
        assert row["utility"] == pytest.approx(utility, abs=1e-6)
        assert row["leakage"] == pytest.approx(leakage, abs=1e-6)
        assert row["soft"] == pytest.approx(utility * (1 - leakage), abs=1e-6)


def test_votes_and_guesses():
    table = rows(chameleon.judgement(GAMES, NAMES), "player")
    assert [table[name,]["vote"] for name in NAMES] == [
        pytest.approx(2 / 3),  # voted for 1, 1, 2
        None,
        1.0,
        pytest.approx(1 / 3),  # 1, nobody, 0
    ]
    assert (table["Ben",]["caught"], table["Ben",]["caught_n"]) == (pytest.approx(2 / 3), 3)
    assert (table["Ben",]["guess"], table["Ben",]["guess_n"]) == (0.5, 2)
    assert table["Ada",]["accuse_n"] == 0


def test_accusations():
    talked = played(CLUES, (1, 0, 1, 1), discussion=1)
    table = rows(chameleon.judgement([talked], NAMES), "player")
    assert [table[name,]["accuse"] for name in NAMES] == [1.0, None, 0.0, 0.0]
    assert table["Ada",]["vote_n"] == 1


def test_void_games_count_nowhere_but_among_the_outcomes():
    env = chameleon_v0.env(utterances="free")
    env.reset(seed=0, options={"secret": OWL.id, "chameleon": "player_1"})
    env.void("down")
    lost = Game(CAUGHT.fixture, env.secret, env.result, dict(env.rewards), env.history)
    for table in chameleon.tables([lost], DualElo(), NAMES, {})[2:]:
        assert all(not row.get("vote_n") and not row.get("clues") for row in table.rows)


def test_a_tournament_with_its_report(tmp_path):
    players = ["random", "rules", "rsa", "reputation", "rules?nerve=0"]
    tournament.run(SPEC, players, tmp_path, rounds=2, seed=7)
    report.write(tmp_path)
    text = (tmp_path / "report.md").read_text()
    for heading in ("Skill in each part", "How games ended", "SNEAK", "Judgement"):
        assert heading in text
    assert "void: agent or provider failed | 0 |" in re.sub(" +", " ", text)


# The league -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "problem"),
    [({"games": 1}, "games=1: at least 2"), ({"population": {}}, "population of 0: at least 4")],
)
def test_leagues_that_cannot_be(settings, problem):
    with pytest.raises(ValueError, match=problem):
        honest_league(SPEC, **settings)


def test_everybody_plays_the_same_games():
    seen = []
    table = honest_league(SPEC, ("rules", "rules"), games=12, seed=1, watch=lambda: seen.append(1))
    first, again = table.rows
    assert first == again
    assert len(seen) == 24


def test_only_the_honest_players_differ(monkeypatch):
    """And a name tells nothing about the part: all are the chameleon equally often."""
    seen = {}

    async def watched(spec, fixture, players):
        seen.setdefault(fixture.id, []).append((fixture, {n: p.name for n, p in players.items()}))
        return await tournament.play(spec, fixture, players)

    monkeypatch.setattr(chameleon, "play", watched)
    honest_league(SPEC, ("rules", "rsa"), games=2 * len(POPULATION))
    lone = Counter()
    for (first, rules), (second, rsa) in seen.values():
        assert first == second
        special = first.seats[first.setting["chameleon"]]
        lone[special] += 1
        for name in first.seats.values():
            if name == special:
                assert rules[name] == rsa[name] == POPULATION[name].chameleon
            else:
                assert rules[name].partition("?")[0] == "rules"
                assert rsa[name].partition("?")[0] == "rsa"
    assert lone == dict.fromkeys(POPULATION, 2)


@pytest.mark.slow
def test_reputation_raises_the_honest_sides_win_rate():
    """The order of the league of 1,000 games, in one of 200: the interval is clear of 0."""
    table = honest_league(SPEC, ("rules", "reputation"), games=200, seed=5)
    rules, reputation = table.rows
    assert reputation["wins"] > rules["wins"]
    assert reputation["low"] > 0
    assert (rules["games"], reputation["games"]) == (200, 200)
