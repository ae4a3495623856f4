"""The tournament: complete, resumable, deterministic, and not to be brought down by an agent."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from unspoken.agents.specs import SpecError
from unspoken.benchmarks import report, tournament
from unspoken.benchmarks.store import FILE, StoreError
from unspoken.envs.registry import game

SPEC = game("aidg_search")
ASKERS = ["support.players:Asker", "support.players:Learner", "random"]


def run(folder, agents=ASKERS, **kwargs):
    settings = {"rounds": 2, "seed": 3} | kwargs
    tournament.run(SPEC, agents, folder, **settings)
    return everything(folder)


def everything(folder) -> dict[str, list]:
    db = sqlite3.connect(folder / FILE)
    columns = "id, round, secret, seed, outcome, winner, turn, weight, reason"
    tables = {"games": f"SELECT {columns} FROM games ORDER BY id"}
    for name in ("seats", "moves", "ratings"):
        tables[name] = f"SELECT * FROM {name} ORDER BY 1, 2"
    try:
        return {name: db.execute(query).fetchall() for name, query in tables.items()}
    finally:
        db.close()


class Stop(Exception):
    pass


def stop_after(n):
    def watch(last, done, total):
        if done >= n:
            raise Stop

    return watch


def test_all_pairs_are_played_and_rated(tmp_path) -> None:
    held = run(tmp_path)
    assert len(held["games"]) == 2 * 6
    assert len(held["ratings"]) == 2 * len(held["games"])
    assert {game for game, *_ in held["moves"]} == set(range(12))


def test_same_seed_same_run_whatever_the_concurrency(tmp_path) -> None:
    one = run(tmp_path / "a", concurrency=1)
    assert run(tmp_path / "b", concurrency=16) == one
    assert run(tmp_path / "c", seed=4) != one


@pytest.mark.parametrize("n", [1, 5, 8, 12])
def test_broken_off_and_resumed_is_the_same_as_unbroken(tmp_path, n) -> None:
    whole = run(tmp_path / "whole")
    with pytest.raises(Stop):
        run(tmp_path / "broken", watch=stop_after(n))
    assert len(everything(tmp_path / "broken")["games"]) >= n
    assert run(tmp_path / "broken") == whole


def test_a_finished_run_is_not_played_again(tmp_path) -> None:
    first = run(tmp_path)
    seen = []
    run(tmp_path, watch=lambda last, done, total: seen.append((last, done, total)))
    assert seen == [(None, 12, 12)]
    assert everything(tmp_path) == first


def test_a_run_can_be_prolonged(tmp_path) -> None:
    long = run(tmp_path / "long", rounds=3)
    run(tmp_path / "short", rounds=1)
    assert run(tmp_path / "short", rounds=3) == long


def test_a_limit_plays_the_beginning_of_the_schedule(tmp_path) -> None:
    whole = run(tmp_path / "whole")
    assert run(tmp_path / "part", limit=5)["games"] == whole["games"][:5]
    assert run(tmp_path / "part") == whole
    with pytest.raises(ValueError, match="limit=0"):
        run(tmp_path / "none", limit=0)


def test_killed_at_any_moment_it_goes_on(tmp_path) -> None:
    agents = ["support.players:Asker?pause=0.01", "random", "support.players:Learner"]
    whole = run(tmp_path / "whole", agents, rounds=4)
    command = [sys.executable, "-m", "unspoken", "tournament", "--game", "aidg_search"]
    command += ["--rounds", "4", "--seed", "3", "--out", str(tmp_path / "killed")]
    for agent in agents:
        command += ["--agent", agent]
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"PYTHONPATH": path}
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while process.poll() is None and count(tmp_path / "killed") < 5:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    held = everything(tmp_path / "killed")
    assert 5 <= len(held["games"]) < 24
    assert {game for game, *_ in held["moves"]} == {game for game, *_ in held["games"]}
    assert run(tmp_path / "killed", agents, rounds=4) == whole


def count(folder) -> int:
    try:
        with closing(sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True)) as db:
            return db.execute("SELECT COUNT(*) FROM games").fetchone()[0]
    except sqlite3.Error:
        return 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": 4}, "seed=3, not 4"),
        ({"agents": ["random", "support.players:Asker"]}, "agents="),
        ({"rounds": 1}, "rounds=2, not 1"),
    ],
)
def test_another_run_in_the_folder_is_refused_and_kept(tmp_path, changed, message) -> None:
    first = run(tmp_path)
    with pytest.raises(StoreError, match=message):
        run(tmp_path, **changed)
    assert everything(tmp_path) == first


def test_force_starts_anew(tmp_path) -> None:
    run(tmp_path)
    other = run(tmp_path, seed=4, force=True)
    assert other == run(tmp_path / "fresh", seed=4)


def test_a_file_that_is_no_run_is_refused_and_kept(tmp_path) -> None:
    (tmp_path / FILE).write_text("my notes " * 1000)
    with pytest.raises(StoreError, match="is not a run of unspoken"):
        run(tmp_path)
    assert (tmp_path / FILE).read_text().startswith("my notes")


def test_two_runs_in_one_folder_are_kept_apart(tmp_path) -> None:
    def second_run(last, done, total):
        with pytest.raises(StoreError, match="in use by another run"):
            run(tmp_path)

    run(tmp_path, watch=second_run)


def test_failing_and_broken_agents_void_only_their_own_games(tmp_path) -> None:
    agents = ["support.players:Asker", "random", "support.players:Down", "support.players:Buggy"]
    run(tmp_path, agents, rounds=1)
    summary = report.summarise(tmp_path)
    assert len(summary.games) == 12
    for played in summary.games:
        seated = set(played.fixture.seats.values())
        if "support.players:Down" in seated:
            assert played.result.winner is None
            assert set(played.rewards.values()) == {0.0}
        if seated == {"support.players:Asker", "random"}:
            assert played.result.winner is not None
    assert any("the provider is down" in reason for reason in summary.failures)
    assert any("KeyError" in reason for reason in summary.failures)
    assert any("action 99" in reason for reason in summary.failures)
    rated = {row[2] for row in everything(tmp_path)["ratings"]}
    assert "support.players:Down" not in rated


def test_blocking_agents_do_not_hold_up_each_other(tmp_path) -> None:
    agents = ["support.players:Waiting", "support.players:Asker"]
    start = time.perf_counter()
    run(tmp_path, agents, rounds=8, concurrency=16)
    moves = sum(1 for _ in everything(tmp_path)["moves"])
    assert moves > 60
    assert time.perf_counter() - start < moves * 0.05


def test_agents_given_twice_and_unknown_agents(tmp_path) -> None:
    with pytest.raises(ValueError, match="given twice: random"):
        run(tmp_path, ["random", "random"])
    with pytest.raises(SpecError, match="there is no agent 'gredy' for aidg_search; choose from"):
        run(tmp_path, ["gredy", "random"])
    assert not (tmp_path / FILE).exists()


def test_report_files(tmp_path) -> None:
    run(tmp_path)
    summary = report.write(tmp_path)
    board = summary.tables[0]
    assert [row["player"] for row in board.rows] == sorted(
        ASKERS, key=lambda name: -next(r["c_elo"] for r in board.rows if r["player"] == name)
    )
    ratings = [row[key] for row in board.rows for key in ("c_elo", "v_elo")]
    assert sum(ratings) == pytest.approx(1500 * 6)
    shares = [row["share"] for row in summary.tables[1].rows]
    assert sum(shares) == pytest.approx(1)
    text = (tmp_path / "report.md").read_text()
    assert all(name in text for name in ASKERS)
    assert '"lock_timing"' in (tmp_path / "results.json").read_text()


def test_an_option_of_the_game_restricts_the_design(tmp_path) -> None:
    spec = game("aidg_dialogue").with_options(mode="B")
    tournament.run(spec, ["random", "rules"], tmp_path, rounds=1)
    settings = [played.fixture.setting for played in report.summarise(tmp_path).games]
    assert settings == [{"mode": "B"}] * 2


def test_an_option_that_does_not_exist(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"aidg_search has no option foo; its options: .*words"):
        tournament.run(SPEC.with_options(foo=1), ["random", "rules"], tmp_path)


def test_secrets_of_ones_own_in_plain_sentences(tmp_path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("The vault opens at dawn\nThe cat is called Oslo\n")
    spec = game("aidg_dialogue").with_options(secrets=str(path))
    agents = ["support.players:Talker", "support.players:Talker?name_=x"]
    tournament.run(spec, agents, tmp_path / "run", rounds=1)
    hidden = {played.hidden for played in report.summarise(tmp_path / "run").games}
    assert hidden <= {"The vault opens at dawn", "The cat is called Oslo"}


@pytest.mark.parametrize("where", ["reset", "text", "observe"])
def test_an_unfit_agent_does_not_end_the_run(tmp_path, where) -> None:
    agents = [f"support.players:Unfit?where={where}", "support.players:Plain", "random"]
    run(tmp_path, agents, rounds=1)
    summary = report.write(tmp_path)
    assert len(summary.games) == 6
    assert all("\n" not in reason for reason in summary.failures)
    assert bool(summary.failures) == (where == "reset")


def test_an_agent_that_cannot_be_copied_is_refused_at_the_start(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"'support\.players:Uncopyable' cannot be copied"):
        run(tmp_path, ["support.players:Uncopyable", "random"])


def test_a_class_that_is_no_agent() -> None:
    with pytest.raises(SpecError, match="is no agent: it has no reset, act and observe"):
        tournament.plan(SPEC, ["collections:OrderedDict", "random"])
