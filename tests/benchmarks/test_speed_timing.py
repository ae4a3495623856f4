"""The counting of steps, with clocks and games that are known."""

import os

import numpy as np
import pytest

from unspoken.benchmarks.speed import timing
from unspoken.benchmarks.speed.timing import best_rates, choosing, one_core, replaying
from unspoken.envs import aidg_search_v0


class Clock:
    """A clock that only moves when somebody works."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def work(self, steps: int, *seconds: float):
        left = list(seconds)

        def chunk() -> int:
            self.now += left.pop(0)
            return steps

        return chunk


def test_the_best_counts_and_the_first_chunk_does_not(monkeypatch) -> None:
    clock = Clock()
    monkeypatch.setattr(timing, "time", clock)
    chunks = {
        "steady": clock.work(10, 1, 1, 1, 1, 1, 1),
        "disturbed": clock.work(30, 0.25, 2, 5, 1.5, 3, 2),
    }
    assert best_rates(chunks, 5.0) == {"steady": 10.0, "disturbed": 20.0}


def test_a_measurement_goes_on_until_its_time_is_up(monkeypatch) -> None:
    clock = Clock()
    monkeypatch.setattr(timing, "time", clock)
    # five measurements of one second each: 0.5 and 0.75 s are two chunks, in 1.25 s
    assert best_rates({"a": clock.work(5, 9, *[0.5, 0.75] * 5)}, 5.0) == {"a": 8.0}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no such call here")
def test_one_core_and_then_all_again() -> None:
    before = os.sched_getaffinity(0)
    with one_core():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


class Spy:
    """An env that lets everything through and counts what is asked of it."""

    def __init__(self, env) -> None:
        self.env, self.steps, self.resets = env, [], []

    def __getattr__(self, name):
        return getattr(self.env, name)

    def reset(self, seed=None) -> None:
        self.resets.append(seed)
        self.env.reset(seed=seed)

    def step(self, action) -> None:
        agent = self.env.agent_selection
        over = self.env.terminations[agent] or self.env.truncations[agent]
        assert over or self.env.observe(agent)["action_mask"][action], "an illegal move"
        assert not over, "a move of a game that is over"
        self.steps.append((agent, action))
        self.env.step(action)


def test_replaying_plays_the_recorded_games_again_move_by_move() -> None:
    env = Spy(aidg_search_v0.raw_env())
    chunk = replaying(env, 7)
    recorded = env.steps[:]
    for _ in range(2):
        env.steps.clear()
        env.resets.clear()
        assert chunk() == len(recorded)
        assert env.steps == recorded
        assert env.resets == [0, *[None] * 6]


def test_whole_games_lock_in_the_last_turn_only() -> None:
    env = Spy(aidg_search_v0.raw_env(max_turns=4))
    questions = len(env.ontology.questions)
    assert replaying(env, 5, questions)() == 5 * (2 * 3 + 1)
    seeker = [action for agent, action in env.steps if agent == "seeker_0"]
    assert [action >= questions for action in seeker] == [False, False, False, True] * 10


def test_choosing_makes_legal_moves_and_counts_them() -> None:
    env = Spy(aidg_search_v0.raw_env())
    chunk = choosing(env)
    assert chunk() + chunk() == len(env.steps)
    assert {agent for agent, _ in env.steps} == {"seeker_0", "holder_0"}


def test_choices_are_even() -> None:
    env = Spy(aidg_search_v0.raw_env())
    chunk = choosing(env, allow=None)
    while len(env.steps) < 4000:
        chunk()
    answers = np.bincount([action for agent, action in env.steps if agent == "holder_0"])
    n = answers.sum()
    assert len(answers) == 3
    # binomial: five standard deviations
    assert np.abs(answers - n / 3).max() < 5 * np.sqrt(n * 2 / 9)
