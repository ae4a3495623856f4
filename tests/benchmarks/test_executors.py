"""Games through Ray: the same run as locally, whoever dies while it is played."""

import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from support.players import Asker

from unspoken.agents.specs import make_agent
from unspoken.benchmarks import report, running, tournament
from unspoken.benchmarks.executors import RETRIES, Local, make_executor
from unspoken.benchmarks.store import FILE, SCHEMA, StoreError
from unspoken.envs.registry import game
from unspoken.training.evaluation import compare

SEARCH = game("aidg_search")
ASKERS = ["support.players:Asker", "support.players:Learner", "random"]
TABLES = ("games", "seats", "moves", "calls", "ratings", "again", "meta")


class Mortal(Asker):
    """Takes its process with it while the file `marks` is short of `deaths` marks."""

    def __init__(self, name="mortal", *, marks: str, deaths: int = 1):
        super().__init__(name)
        self.marks, self.deaths = Path(marks), deaths

    def act(self, observation, info):
        if info["turn"] == 2 and len(self.marks.read_bytes()) < self.deaths:
            with self.marks.open("ab") as file:
                file.write(b"x")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(observation, info)


class Telephone(Asker):
    """Can be copied, and not be sent away."""

    def __init__(self, name="telephone"):
        super().__init__(name)
        self.line = threading.Lock()

    def __deepcopy__(self, memo):
        return Telephone()


class Stop(Exception):
    pass


@pytest.fixture(scope="module")
def cluster():
    """Two workers, which find the agents of these tests."""
    ray = pytest.importorskip("ray")
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.ERROR}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        ray.init(address="local", num_cpus=2, **quiet)
        yield ray
        ray.shutdown()


@pytest.fixture
def mortal(tmp_path):
    """Spec of an agent that dies so often, in all games together."""

    def of(deaths):
        marks = tmp_path / "marks"
        marks.touch()
        return f"test_executors:Mortal?marks={marks}&deaths={deaths}"

    return of


def run(folder, agents=ASKERS, spec=SEARCH, **settings):
    tournament.run(spec, agents, folder, **{"rounds": 2, "seed": 3} | settings)
    return everything(folder)


def everything(folder):
    """All that a run holds, but how long it took."""
    held = {}
    with closing(sqlite3.connect(folder / FILE)) as db:
        for name in TABLES:
            cursor = db.execute(f"SELECT * FROM {name} ORDER BY 1, 2")
            columns = [column for column, *_ in cursor.description]
            held[name] = [dict(zip(columns, row, strict=True)) for row in cursor]
    for row in held["games"]:
        assert row.pop("seconds") > 0
    return held


def count(folder):
    try:
        with closing(sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True)) as db:
            return db.execute("SELECT COUNT(*) FROM games").fetchone()[0]
    except sqlite3.Error:
        return 0


def test_every_table_is_compared():
    assert set(TABLES) == {word.split()[0] for word in SCHEMA.split("EXISTS ")[1:]} | {"meta"}


# What can be asked for --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"executor": "dask"}, "there is no executor 'dask'; choose from local, ray"),
        ({"executor": "ray", "concurrency": 4}, "concurrency=4: the executor ray"),
        ({"concurrency": 0}, "concurrency=0: at least 1"),
    ],
)
def test_what_cannot_be_asked_for(tmp_path, settings, problem):
    with pytest.raises(ValueError, match=problem):
        run(tmp_path, **settings)
    assert not (tmp_path / FILE).exists()


def test_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"pip install 'unspoken\[ray\]'"):
        run(tmp_path, executor="ray")
    assert not (tmp_path / FILE).exists()


def test_local_is_the_default():
    assert isinstance(make_executor(), Local)


@pytest.mark.parametrize(
    ("agents", "batches"),
    [
        (["support.players:Asker", "random"], [6]),
        (["support.players:Asker", "support.players:Learner"], [2, 2, 2]),
        (["support.players:Plain", "random"], [2, 2, 2]),  # it might learn
    ],
)
def test_only_who_learns_waits_for_the_end_of_a_round(tmp_path, monkeypatch, agents, batches):
    seen = []

    class Watched(Local):
        def run(self, items, work, done):
            seen.append(len(items))
            super().run(items, work, done)

    monkeypatch.setattr(running, "make_executor", lambda name, concurrency: Watched())
    run(tmp_path, agents, rounds=3)
    assert seen == batches


# The same run -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "agents"),
    [
        ("aidg_search", ["reputation", "support.players:Learner", "table", "evasive"]),
        ("aidg_dialogue", ["reputation", "rules", "vague"]),
        ("chameleon", ["reputation", "rules", "random", "rules?nerve=0"]),
        ("cross_examination", ["reputation", "rules"]),
    ],
)
@pytest.mark.slow
def test_ray_plays_what_is_played_locally(cluster, tmp_path, name, agents):
    settings = {"spec": game(name), "agents": agents}
    assert run(tmp_path / "ray", executor="ray", **settings) == run(tmp_path / "here", **settings)


@pytest.mark.slow
def test_a_comparison_is_the_same_on_ray(cluster):
    spec, player = game("aidg_search"), make_agent("greedy", "aidg_search")
    given = (spec, "seeker", player, ["table"])
    far = compare(*given, games=3, seed=5, executor="ray")
    assert far == compare(*given, games=3, seed=5)


@pytest.mark.slow
def test_a_run_may_change_hands(cluster, tmp_path):
    run(tmp_path / "both", rounds=1)
    run(tmp_path / "both", rounds=2, executor="ray")
    assert run(tmp_path / "both", rounds=3) == run(tmp_path / "ray", rounds=3, executor="ray")


@pytest.mark.slow
def test_failing_agents_void_the_same_games(cluster, tmp_path):
    agents = ["support.players:Asker", "support.players:Down", "support.players:Buggy"]
    agents += ["support.players:Unfit?where=reset", "support.players:Waiting"]
    far = run(tmp_path / "ray", agents, rounds=1, executor="ray")
    assert far == run(tmp_path / "here", agents, rounds=1)
    failures = report.summarise(tmp_path / "ray").failures
    assert any("the provider is down" in reason for reason in failures)
    assert any("KeyError" in reason for reason in failures)


# Deaths -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_games_of_a_killed_worker_are_played_again(cluster, tmp_path, mortal):
    agents = [mortal(2), "support.players:Learner", "reputation", "table"]
    killed = run(tmp_path / "killed", agents, executor="ray")
    assert (tmp_path / "marks").read_bytes() == b"xx"
    assert killed == run(tmp_path / "quiet", agents, executor="ray")  # now it dies no more
    assert killed == run(tmp_path / "here", agents)


@pytest.mark.slow
def test_a_game_that_always_kills_ends_the_run_which_can_be_gone_on_with(cluster, tmp_path, mortal):
    agents = [mortal(RETRIES + 1), "support.players:Learner"]
    first = {"limit": 1, "executor": "ray"}
    with pytest.raises(RuntimeError, match=r"lost the workers of Fixture\(id=0, .* 4 times"):
        run(tmp_path / "run", agents, **first)
    assert everything(tmp_path / "run")["games"] == []
    assert run(tmp_path / "run", agents, **first) == run(tmp_path / "here", agents, limit=1)


@pytest.mark.slow
def test_a_run_that_is_stopped_goes_on(cluster, tmp_path):
    def stop(last, done, total):
        if done == 7:
            raise Stop

    with pytest.raises(Stop):
        run(tmp_path / "run", executor="ray", watch=stop)
    assert len(everything(tmp_path / "run")["games"]) == 7
    assert run(tmp_path / "run", executor="ray") == run(tmp_path / "here")


@pytest.mark.slow
def test_the_driver_killed_the_run_goes_on(cluster, tmp_path):
    agents = ["support.players:Asker?pause=0.05", "random", "support.players:Learner"]
    command = [sys.executable, "-m", "unspoken", "tournament", "--game", "aidg_search"]
    command += ["--rounds", "4", "--seed", "3", "--executor", "ray", "--out", str(tmp_path / "run")]
    for agent in agents:
        command += ["--agent", agent]
    env = os.environ | {"RAY_ADDRESS": "local"}  # a cluster of its own
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None and count(tmp_path / "run") < 5:
        time.sleep(0.005)
    with pytest.raises(StoreError, match="in use by another run"):
        run(tmp_path / "run", agents, rounds=4, executor="ray")
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 5 <= count(tmp_path / "run") < 24
    gone_on = run(tmp_path / "run", agents, rounds=4, executor="ray")
    assert gone_on == run(tmp_path / "here", agents, rounds=4)


# Errors -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_agent_that_cannot_be_sent(cluster, tmp_path):
    agents = ["test_executors:Telephone", "random"]
    run(tmp_path / "here", agents)
    held = (tmp_path / "here" / "run.sqlite").read_bytes()
    with pytest.raises(ValueError, match=r"cannot be sent to Ray's workers \(cannot pickle '_thre"):
        run(tmp_path / "here", agents, executor="ray", force=True)
    assert (tmp_path / "here" / "run.sqlite").read_bytes() == held


@pytest.mark.slow
def test_an_error_of_the_work_comes_back_as_itself(cluster):
    async def refuse(item):
        raise LookupError(f"no {item}")

    with pytest.raises(LookupError, match=r"^no 5$") as caught:
        make_executor("ray").run([5], refuse, print)
    assert type(caught.value) is LookupError
