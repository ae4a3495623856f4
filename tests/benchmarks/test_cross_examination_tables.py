"""The tables of the cross-examination, from games made by hand."""

import json
import math

import pytest

from unspoken.benchmarks import cross_examination, report, tournament
from unspoken.benchmarks.cross_examination import Played
from unspoken.benchmarks.design import Fixture
from unspoken.benchmarks.store import Game
from unspoken.envs import cross_examination_v0
from unspoken.envs.cross_examination.cases import DEFAULT, load
from unspoken.envs.cross_examination.menu import ANSWERS
from unspoken.envs.cross_examination.rules import FORMS
from unspoken.envs.registry import game
from unspoken.rating.elo import DualElo

FIRE = load(DEFAULT / "warehouse_fire.toml")
SAID = (
    ("ordered", "open", "affirm", "clear"),  # beneficial: BaT 1, PaT 0
    ("alarm_set", "open", "affirm", "hedged"),  # beneficial and at odds: 1, 0.4 + 0.2 * 2
    ("smoked", "open", "affirm", "off_point"),  # detrimental, off the point: 0.4, 1
    ("slept", "open", "none", "vague"),  # none: 0, 0.5
)
BAT, PAT = (1, 1, 0.4, 0), (0, 0.8, 1, 0.5)
ADMITTED = (("smoked", "open", "affirm", "clear"), ("slept", "open", "affirm", "clear"))


def played(*exchanges, seats=("a", "b"), void=""):
    env = cross_examination_v0.env(max_turns=len(exchanges), exhibits=None, utterances="free")
    env.reset(seed=0, options={"secret": FIRE.id})
    for fact, form, content, manner in exchanges:
        env.step(3 * FIRE.index(fact) + FORMS.index(form))
        if not void:
            env.step(ANSWERS.index((content, manner)))
    if void:
        env.void(void)
    seat = dict(zip(("questioner_0", "witness_0"), seats, strict=True))
    fixture = Fixture(0, 0, seat, FIRE.id, 0, {})
    game_ = Game(fixture, env.secret, env.result, dict(env.rewards), env.history)
    return Played(game_, tuple(env._game.turns))


def test_outcomes_and_matchups():
    games = [
        played(*SAID).game,
        played(*ADMITTED).game,
        played(SAID[0]).game,
        played(SAID[0], void="away").game,
    ]
    counts = {row["outcome"]: row["games"] for row in cross_examination.outcomes(games).rows}
    assert counts == {"believed": 1, "discredited": 2, "void": 1}
    (row,) = cross_examination.matchups(games, ["a", "b"]).rows
    assert (row["witness"], row["a"]) == ("b", pytest.approx(1 / 3))


def test_labels_are_shares_of_answers():
    (row,) = cross_examination.labels([played(*SAID)]).rows
    assert (row["player"], row["answers"]) == ("b", 4)
    shares = {"beneficial": 2, "neutral": 0, "none": 1, "detrimental": 1}
    broken = {"rel": 1, "man": 2, "qual": 0, "const": 1}
    for label, n in (shares | broken).items():
        assert row[label] == n / 4, label


def test_scores_by_hand():
    """Means of BaT and PaT, and NRBaT at the end from the sums' own means and deviations."""
    games = [played(*SAID), played(SAID[0])]
    (row,) = cross_examination.scores(games, "witness_0").rows
    assert row["player"] == "b"
    assert row["bat"] == pytest.approx((sum(BAT) + 1) / 5)
    assert row["pat"] == pytest.approx(sum(PAT) / 5)
    assert row["standing"] == pytest.approx(((sum(BAT) - sum(PAT)) / 4 + 1) / 2)
    b, p = [1, 2, 2.4, 2.4], [0, 0.8, 1.8, 2.3]
    assert games[0].nrbat == pytest.approx(z(b)[-1] - z(p)[-1])
    assert row["nrbat"] == pytest.approx((z(b)[-1] - z(p)[-1] + 0) / 2)
    (row,) = cross_examination.scores(games, "questioner_0").rows
    assert (row["player"], row["games"]) == ("a", 2)
    assert row["confronted"] == 0


def z(sums):
    middle = sum(sums) / len(sums)
    deviation = math.sqrt(sum((x - middle) ** 2 for x in sums) / len(sums))
    return [(x - middle) / deviation for x in sums]


def test_agreement_with_the_verdict():
    """Standings 0.025, -1 and 1; log-odds of the outcome model by hand."""
    games = [played(*SAID), played(*ADMITTED), played(SAID[0]), played(SAID[0], void="away")]
    standing, model, nrbat = cross_examination.agreement(games).rows
    assert [row["games"] for row in (standing, model, nrbat)] == [3, 3, 3]
    assert standing["agreement"] == 1
    assert standing["believed"] == 1
    assert standing["discredited"] == pytest.approx((0.025 - 1) / 2)
    odds = [0.25 + (1.47 * 2.4 - 1.77 * 2.3) / 4, 0.25 - 1.77, 0.25 + 1.47]
    chances = [1 / (1 + math.exp(-x)) for x in odds]
    assert chances[0] > 0.5  # the model would believe whom the score does not
    assert model["agreement"] == pytest.approx(2 / 3)
    assert model["believed"] == pytest.approx(chances[2])
    assert model["discredited"] == pytest.approx(sum(chances[:2]) / 2)


def test_a_run_of_nothing_has_empty_tables():
    tables = cross_examination.tables([], DualElo(), ["a"], {})
    assert all(not table.rows or table.key == "ratings" for table in tables)


def test_a_game_without_an_answer_has_no_scores():
    none = played(SAID[0], void="away")
    assert none.nrbat is None
    (row,) = cross_examination.scores([none], "witness_0").rows
    assert row["bat"] is None


def test_a_tournament_and_its_report(tmp_path):
    """What is read again from the lines of a run is what its games said."""
    options = {"jury": "model", "max_turns": 4}
    spec = game("cross_examination").with_options(**options)
    tournament.run(spec, ["random", "rules"], tmp_path, rounds=2, seed=7)
    summary = report.write(tmp_path)
    text = (tmp_path / "report.md").read_text()
    assert "Dual Elo: C as questioner, V as witness" in text
    assert "Agreement of SDA's scores with the verdict" in text
    results = json.loads((tmp_path / "results.json").read_text())
    assert sum(row["answers"] for row in results["labels"]) == 4 * len(summary.games)
    for one in summary.games:
        said = float(one.result.reason.split()[-1])
        tables = {t.key: t for t in cross_examination.tables([one], DualElo(), [], options)}
        (row,) = tables["scores_witness"].rows
        assert row["standing"] == pytest.approx(said, abs=1e-3)
