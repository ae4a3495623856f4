"""The bound of the search game with drawn answers, and the table beside perfect play."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unspoken.benchmarks.exact import exact_table, value_bound
from unspoken.envs.aidg_search.ontology import Ontology, Question, load

LEVELS = np.unique(load().table.reshape(-1, 3), axis=0)


def ontology(table: np.ndarray) -> Ontology:
    words = tuple(f"word{w}" for w in range(len(table)))
    questions = tuple(Question(str(q), f"Is it {q}?") for q in range(table.shape[1]))
    return Ontology(words, words, questions, table)


def optimum(table: np.ndarray, max_turns: int) -> float:
    """The best value over all dialogues; the same question is answered in the same way again."""

    def best(joint: np.ndarray, asked: frozenset[int], turn: int) -> float:
        """`joint` is the probability of each word and of what was heard."""
        lock = 2 * (max_turns + 1 - turn) / max_turns * (2 * joint.max() - joint.sum())
        asks = [
            sum(best(joint * table[:, q, a], asked | {q}, turn + 1) for a in range(3))
            for q in range(table.shape[1])
            if turn < max_turns and q not in asked
        ]
        return max(lock, *asks) if asks else lock

    return best(np.full(len(table), 1 / len(table)), frozenset(), 1)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_seeker_exceeds_the_bound(data: st.DataObject) -> None:
    words, questions = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 3))
    cells = data.draw(
        st.lists(st.integers(0, 4), min_size=words * questions, max_size=words * questions)
    )
    table = LEVELS[cells].reshape(words, questions, 3)
    max_turns, ahead = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 3))
    assert value_bound(ontology(table), max_turns, ahead) >= optimum(table, max_turns) - 1e-9


def test_the_bound_is_the_value_where_it_is_plain() -> None:
    # nine words, two questions with certain answers: M(3); on the first turn 2 (1/9 - 8/9)
    cells = [[[0, 1, 2][w // 3], [0, 1, 2][w % 3]] for w in range(9)]
    table = np.eye(3)[np.array(cells)]
    assert value_bound(ontology(table)) == pytest.approx(28 / 16, abs=1e-3)
    assert value_bound(ontology(table), 1) >= -14 / 9


def test_looking_ahead_tightens_the_bound() -> None:
    bounds = [value_bound(load(), ahead=ahead) for ahead in range(3)]
    assert bounds == sorted(bounds, reverse=True)


def test_the_table_of_perfect_play() -> None:
    table = exact_table()
    values = {row["player"]: row["value"] for row in table.rows}
    assert values["greedy"] <= values["optimum"] < values["bound: Huffman tree"]
    assert values["bound: Huffman tree"] < values["bound: log3 of the words"]
    assert all(value <= values["optimum"] for name, value in values.items() if "depth" in name)
    assert "optimum" in table.markdown()


def test_the_table_with_too_little_time() -> None:
    players = [row["player"] for row in exact_table(seconds=0).rows]
    assert {"best found", "bound: search"} <= set(players)
