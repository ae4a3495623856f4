"""Where the search game's seekers stand beside perfect play.

Where every answer is certain (the most likely answer of each word is the one it gives), the optimum
is known: `unspoken.evaluator.aidg_search_exact`. The game as it is, with answers that are drawn
once a game, has a posterior for a position and too many of them to solve; `value_bound` says what
no seeker can exceed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from unspoken.benchmarks.baselines import capacity
from unspoken.benchmarks.tables import PERCENT, Cell, Column, Table
from unspoken.envs.aidg_search.ontology import Ontology, load
from unspoken.envs.aidg_search.rules import MAX_TURNS, multiplier
from unspoken.evaluator.aidg_search_exact import (
    Answers,
    Policy,
    floor,
    grow,
    most_likely,
    replay,
    solve,
    value,
)
from unspoken.evaluator.aidg_search_reference import Floats

PLAYERS = ("greedy", "lookahead?depth=1", "lookahead?depth=2", "lookahead?depth=3")
"""The seekers by lookahead, in the order of how many questions they look ahead, from none."""


def exact_table(seconds: float = 60.0) -> Table:
    """Turns and values of the optimum, of its bounds and of the built-in seekers.

    With certain answers every seeker meets every word once, which leaves nothing to chance. Of the
    game as it is only the bound is here; what seekers reach in it is in `baselines.seekers`.

    Args:
        seconds: time for the search for the optimum; where it does not suffice, the best policy
            found and the bound have a row each.
    """
    ontology = load()
    drawn: dict[str, Cell] = {"answers": "drawn", "player": "bound", "value": value_bound(ontology)}
    rows = [*_certain(most_likely(ontology.table), seconds), drawn]
    columns = [
        Column("answers", "answers", left=True),
        Column("player", "seeker", left=True),
        Column("turns", "turns", "{:.2f}"),
        Column("wins", "wins", PERCENT),
        Column("value", "value (±M)", "{:+.3f}"),
        Column("best", "of the best", PERCENT),
    ]
    title = "Perfect play in the search game: M-weighted outcome, share of the optimum or its bound"
    return Table("exact", title, columns, rows)


def _certain(answers: Answers, seconds: float) -> Iterable[dict[str, Cell]]:
    words = len(answers)
    solution = solve(answers, seconds=seconds)

    def row(player: str, questions: float, wins: float | None, worth: float) -> dict[str, Cell]:
        best = worth / solution.upper
        cells: dict[str, Cell] = {"answers": "certain", "player": player}
        return cells | {"turns": 1 + questions, "wins": wins, "value": worth, "best": best}

    def bound(player: str, questions: float) -> dict[str, Cell]:
        return row(player, questions, None, 2 - 2 * questions / MAX_TURNS)

    def played(player: str, policy: Policy) -> dict[str, Cell]:
        turns, right = replay(policy, answers)
        return row(player, float(turns.mean() - 1), float(right.mean()), value(policy, answers))

    yield bound("bound: log3 of the words", math.log(words, 3))
    yield bound("bound: Huffman tree", floor(words, MAX_TURNS - 1) / words)
    if solution.lower == solution.upper:
        yield played("optimum", solution.policy)
    else:
        yield bound("bound: search", MAX_TURNS * (1 - solution.upper / 2))
        yield played("best found", solution.policy)
    for depth, player in enumerate(PLAYERS):
        yield played(player, _lookahead(answers, depth))


def _lookahead(answers: Answers, depth: int) -> Policy:
    from unspoken.evaluator.aidg_search import Position, best_action, likelihood, pack

    words = len(answers)
    packed = pack(likelihood(np.eye(3)[answers]))

    def choose(left: NDArray[np.intp], turn: int) -> int:
        belief = np.zeros(words)
        belief[left] = 1 / len(left)
        return best_action(Position(belief, turn, MAX_TURNS, packed), depth)

    return grow(answers, choose)


def value_bound(ontology: Ontology, max_turns: int = MAX_TURNS, ahead: int = 2) -> float:
    """What no seeker's expected M-weighted outcome exceeds where answers are drawn.

    Say that H bits are unknown on turn t, that k more questions are asked, and that the lock is
    wrong with probability e, given the dialogue. The lock is worth M(t+k)(1 - 2e) and leaves at
    most h(e) + e log2(W-1) bits (Fano); the questions tell at most c bits each (`capacity`). By
    weak duality, for every price x > 0 of a bit, the value is at most

        max over k of M(t+k) + x log2(1 + (W-1) 2^(-2 M(t+k) / x)) + x (c k - H),

    where the logarithm is what the best e adds. The least over a grid of x is taken. The first
    `ahead` questions are searched in full: each position there is worth the better of locking and
    the best question.

    Args:
        ontology: the words, and the answer table of the only questions that are asked.
        max_turns: question turns plus the forced final guess, 1 or more.
        ahead: questions to search, 0 or more; each makes the bound tighter and the search some
            hundred times as long. With the package's table none to three give 1.435, 1.407, 1.376
            and 1.346, the last in three minutes, the others in a second.

    Returns:
        A value from -2 to 2.
    """
    table, most = ontology.table, capacity(ontology)
    words = len(table)
    price = np.geomspace(1e-3, 10, 1000)
    weight = np.array([multiplier(turn, max_turns) for turn in range(1, max_turns + 1)])[:, None]
    leave = weight + price * np.log2(1 + (words - 1) * 2 ** (-2 * weight / price))
    for k in reversed(range(max_turns - 1)):  # now the better of locking and asking
        leave[k] = np.maximum(leave[k], leave[k + 1] + price * most)

    def bound(belief: Floats, turn: int, ahead: int) -> float:
        if ahead == 0 or turn == max_turns:
            return float((leave[turn - 1] - price * _entropy(belief)).min())
        joint = belief[:, None, None] * table
        p = joint.sum(axis=0)
        children = joint / np.where(p > 0, p, 1)
        lines = leave[turn] - price * _entropy(children)[..., None]
        values = (p * lines.min(axis=-1)).sum(axis=1)
        best = multiplier(turn, max_turns) * (2 * float(belief.max()) - 1)
        if ahead == 1:
            return max(best, float(values.max()))
        for question in np.argsort(-values, kind="stable").tolist():
            if values[question] <= best:  # a bound already: nor is it worth more
                break
            deeper = sum(
                float(p[question, answer])
                * bound(children[:, question, answer], turn + 1, ahead - 1)
                for answer in range(3)
                if p[question, answer] > 0
            )
            best = max(best, deeper)
        return best

    return bound(np.full(words, 1 / words), 1, ahead)


def _entropy(beliefs: Floats) -> Floats:
    return np.asarray(-(beliefs * np.log2(np.where(beliefs > 0, beliefs, 1))).sum(axis=0))
