"""Perfect play, against hand calculation and against trying everything."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unspoken.envs.aidg_search.ontology import load
from unspoken.envs.aidg_search.rules import multiplier
from unspoken.evaluator.aidg_search_exact import (
    floor,
    greedy,
    grow,
    most_likely,
    replay,
    solve,
    value,
)

THREE = np.array([[a, b] for a in range(3) for b in range(3)], np.int8)
"""Nine words and two questions that tell them apart."""
LADDER = np.where(np.eye(4, 3), 0, 1).astype(np.int8)
"""Four words, of which each question picks out one."""


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    words, questions = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    table = draw(arrays(np.int8, (words, questions), elements=st.integers(0, 2)))
    distinct = np.unique(table, axis=0)
    assume(len(distinct) > 1 or words == 1)
    return distinct


def try_everything(table: np.ndarray, max_turns: int) -> Fraction:
    """The best value, by every lock and every question on every turn."""

    @cache
    def best(words: tuple[int, ...], turn: int) -> Fraction:
        """Over the words left, summed."""
        weight = Fraction(2 * (max_turns + 1 - turn), max_turns)
        values = [weight * (2 - len(words))]
        if turn < max_turns:
            for column in table.T.tolist():
                parts = [tuple(w for w in words if column[w] == a) for a in range(3)]
                values.append(sum((best(p, turn + 1) for p in parts if p), Fraction(0)))
        return max(values)

    return best(tuple(range(len(table))), 1) / len(table)


@settings(max_examples=100)
@given(tables(), st.integers(1, 7))
def test_nothing_is_better(table: np.ndarray, max_turns: int) -> None:
    solution = solve(table, max_turns)
    expected = float(try_everything(table, max_turns))
    assert solution.lower == solution.upper == pytest.approx(expected, abs=1e-12)
    assert value(solution.policy, table, max_turns) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=30)
@given(st.data())
def test_nothing_is_better_on_parts_of_the_packages_table(data: st.DataObject) -> None:
    answers = most_likely(load().table)
    words = data.draw(st.lists(st.integers(0, 99), min_size=2, max_size=7, unique=True))
    questions = data.draw(st.lists(st.integers(0, 180), min_size=1, max_size=20, unique=True))
    table = np.unique(answers[np.ix_(words, questions)], axis=0)
    assert solve(table).lower == pytest.approx(float(try_everything(table, 16)), abs=1e-12)


@pytest.mark.parametrize(
    ("table", "max_turns", "expected"),
    [
        (THREE, 16, 28 / 16),  # everybody is known after two questions: M(3)
        (LADDER, 16, 2 - 2 * 9 / 64),  # found after 1, 2, 3 and 3 questions
        (LADDER, 2, 0.0),  # one question, then a guess among three: 1/4 - 3/4 * 1/3
        (LADDER, 1, -1.0),  # a guess among four: 2 (1/4 - 3/4)
        (THREE[:1], 16, 2.0),  # nothing to ask
    ],
)
def test_values_by_hand(table: np.ndarray, max_turns: int, expected: float) -> None:
    solution = solve(table, max_turns)
    assert (solution.lower, solution.upper) == pytest.approx((expected, expected))
    assert value(solution.policy, table, max_turns) == pytest.approx(expected)


@pytest.mark.parametrize("ways", [2, 3])
def test_the_floor_is_the_best_tree_of_any_sizes(ways: int) -> None:
    @cache
    def least(words: int, left: int) -> int:
        if words < 2 or left == 0:
            return 2 * max(0, words - 1)
        third = range(words) if ways == 3 else range(1)
        splits = [(a, b, words - a - b) for a in third for b in range(1, words - a)]
        return words + min(sum(least(n, left - 1) for n in split) for split in splits)

    for words in range(1, 41):
        for left in range(8):
            assert floor(words, left, ways) == least(words, left), (words, left)


@pytest.mark.parametrize(
    ("words", "ways", "cost"),
    # Huffman: 81 leaves of a full tree, ten of them replaced by 29 on the next level; 64 and 36
    [(100, 3, 71 * 4 + 29 * 5), (100, 2, 28 * 6 + 72 * 7), (9, 3, 18), (5, 3, 8), (8, 2, 24)],
)
def test_huffman_trees(words: int, ways: int, cost: int) -> None:
    assert floor(words, 15, ways) == cost


def test_the_packages_table_is_solved() -> None:
    answers = most_likely(load().table)
    solution = solve(answers)
    assert solution.lower == solution.upper
    turns, right = replay(solution.policy, answers)
    assert right.all()
    assert turns.max() <= 16
    outcome = np.mean([multiplier(turn) for turn in turns.tolist()])
    assert solution.lower == pytest.approx(outcome)
    assert value(greedy(answers), answers) < solution.lower < 2 - 2 * floor(100, 15) / 1600


def test_a_table_without_maybe_is_bounded_by_binary_trees() -> None:
    answers = np.minimum(most_likely(load().table), 1)
    solution = solve(answers)
    assert solution.lower == solution.upper <= 2 - 2 * floor(100, 15, 2) / 1600


def test_time_runs_out() -> None:
    answers = most_likely(load().table)
    solution = solve(answers, seconds=0)
    assert solution.upper == 2 - 2 * floor(100, 15) / 1600
    assert solution.lower == value(greedy(answers), answers) == value(solution.policy, answers)


def test_the_same_tree_every_time() -> None:
    answers = most_likely(load().table)
    one, other = (solve(answers).policy for _ in range(2))
    assert one.moves.tolist() == other.moves.tolist()
    assert one.children.tolist() == other.children.tolist()


def test_replay_of_a_wrong_lock() -> None:
    policy = grow(LADDER, lambda words, turn: 0 if turn == 1 else 3 + int(words[0]))
    turns, right = replay(policy, LADDER)
    assert turns.tolist() == [2, 2, 2, 2]
    assert right.tolist() == [True, True, False, False]
    assert value(policy, LADDER) == 0.0


def test_most_likely_answers() -> None:
    table = np.array([[[0.75, 0.05, 0.2], [0.15, 0.15, 0.7], [0.5, 0.5, 0]]])
    assert most_likely(table).tolist() == [[0, 2, 0]]


@pytest.mark.parametrize(
    ("table", "max_turns", "message"),
    [
        (np.array([[0, 1], [2, 1], [0, 1]], np.int8), 16, "words 0 and 2 answer all questions"),
        (np.array([[3]], np.int8), 16, "not .words, questions. of 0 yes"),
        (np.array([0, 1], np.int8), 16, "not .words, questions."),
        (THREE, 0, "max_turns=0: 1 or more"),
    ],
)
def test_what_is_refused(table: np.ndarray, max_turns: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solve(table, max_turns)
