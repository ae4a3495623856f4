"""Optimal play in the search game where every answer is certain.

Every word answers every question in one way, no two words answer all alike, all W words are
equally likely, and there are T turns. `most_likely` makes such answers out of the game's table. A
position is the set S of the n words that are left, and the turn t; M is the multiplier of AIDG
equation 1.

*Guessing before the last turn never pays.* Locking one of n words is worth M(t)(2/n - 1). Asking a
question that splits S into k parts, and locking then, is worth M(t+1)(2k/n - 1), k >= 2. For n = 2
the former is 0 and the latter M(t+1) > 0. For n > 2 the former is negative, and the latter is not,
or is negative and smaller: 0 < M(t+1) < M(t) and 2k/n > 2/n. So a seeker asks until one word is
left or the last turn has come. (In the paper's game a question costs 1/8; guessing between two
words instead of asking costs M(t+1), from 1/8 before the last turn to 15/8 on the first.) Nor does
it ask what splits nothing: a turn sooner, right locks bring more, and what would be guessed on the
last turn can be split once more.

*Values are costs.* A word found after k questions brings M(k+1) = 2(T - k)/T; n words left on the
last turn bring 2(2 - n)/T together. So a policy is worth 2 - 2C/(T W), where its cost C counts the
questions asked, summed over words, and 2(n - 1) more for n words left on the last turn. Where
nothing is left to the last turn, C/W + 1 is the expected turn of the lock: the best value and the
fewest turns are then the same tree, the optimal decision tree (Hyafil and Rivest 1976).

*The search.* C(S) = n + min over questions of the sum of C over the parts. It is found by asking
"does a tree cost less than b?" for rising b, with a memory of costs and of lower bounds
(depth-first branch and bound). A set costs at least what the Huffman tree of n equal words does
(`floor`). This is plain Python: the package's own table takes 443 positions and 0.2 s, less than a
kernel takes to compile.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.aidg_search.rules import MAX_TURNS
from unspoken.evaluator.aidg_search_reference import TIE, Floats

Answers = NDArray[np.int8]
Choose = Callable[[NDArray[np.intp], int], int]


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """What a seeker does, as a tree of N nodes; the first is the root.

    Attributes:
        moves: the seeker's menu index at each node, a question or Q + the word to lock, int16 [N].
        children: the node after yes, no and maybe, -1 where the game has ended or no word that is
            left answers so, int16 [N, 3].
    """

    moves: NDArray[np.int16]
    children: NDArray[np.int16]


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """What is known of a noiseless game.

    Attributes:
        policy: the best policy found.
        lower: its value, the expected M-weighted outcome, -2 to 2.
        upper: what no policy exceeds; equal to `lower` if the game is solved.
        nodes: positions searched.
        seconds: time taken.
    """

    policy: Policy
    lower: float
    upper: float
    nodes: int
    seconds: float


def most_likely(table: Floats) -> Answers:
    """The answer each word most likely gives, int8 [W, Q]: 0 yes, 1 no, 2 maybe.

    The first of them where several are equally likely; the package's own table has no such cell.

    Args:
        table: P(answer | word, question), float [W, Q, 3].
    """
    return np.asarray(table.argmax(axis=2), np.int8)


def solve(table: Answers, max_turns: int = MAX_TURNS, *, seconds: float = 60.0) -> Solution:
    """The optimal policy of a noiseless game, or how good it can be at most.

    Args:
        table: the answer of each word to each question, 0 yes, 1 no, 2 maybe, int8 [W, Q].
        max_turns: question turns plus the forced final guess, 1 or more.
        seconds: time after which the search stops; the policy is then that of `greedy`.

    Raises:
        ValueError: if the table has another shape or other entries, `max_turns` is out of its
            range or two words answer all questions alike; names what is wrong.
    """
    _check(table, max_turns)
    begun = time.perf_counter()
    search = _Search(table, begun + seconds)
    everything, left = (1 << len(table)) - 1, max_turns - 1
    policy = greedy(table, max_turns)
    least, most = search.floor(len(table), left), _cost(policy, table, max_turns)
    try:
        while least < most:
            least, solved = search.cost(everything, left, least + 1)
            if solved:
                policy, most = grow(table, search.choose(max_turns)), least
    except TimeoutError:
        pass
    lower, upper = (2 - 2 * cost / (max_turns * len(table)) for cost in (most, least))
    return Solution(policy, lower, upper, search.nodes, time.perf_counter() - begun)


def greedy(table: Answers, max_turns: int = MAX_TURNS) -> Policy:
    """The policy that asks what splits the words left best, by entropy, and locks when one is left.

    Args:
        table: answers, int8 [W, Q], no two rows alike.
        max_turns: question turns plus the forced final guess, 1 or more.
    """

    def choose(words: NDArray[np.intp], turn: int) -> int:
        if len(words) == 1 or turn == max_turns:
            return int(table.shape[1] + words[0])
        shares = np.stack([(table[words] == answer).mean(axis=0) for answer in range(3)])
        gains = -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=0)
        return int(np.rint(gains / TIE).argmax())

    return grow(table, choose)


def grow(table: Answers, choose: Choose) -> Policy:
    """The tree of a seeker that goes by the words that are left and the turn.

    Args:
        table: answers, int8 [W, Q].
        choose: menu index of the move, given the indices of the words left, ascending, and the
            turn from 1. It must lock in the end.
    """
    moves: list[int] = []
    children: list[list[int]] = []
    waiting = [(np.arange(len(table)), 1, -1, -1)]
    while waiting:
        words, turn, parent, heard = waiting.pop()
        if parent >= 0:
            children[parent][heard] = len(moves)
        move = choose(words, turn)
        if move < table.shape[1]:
            replies = table[words, move]
            for answer in (2, 1, 0):
                part = words[replies == answer]
                if len(part):
                    waiting.append((part, turn + 1, len(moves), answer))
        moves.append(move)
        children.append([-1, -1, -1])
    return Policy(np.array(moves, np.int16), np.array(children, np.int16))


def replay(policy: Policy, table: Answers) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Play a policy against every word.

    Args:
        policy: the seeker.
        table: answers, int8 [W, Q].

    Returns:
        The turn of the lock, int64 [W], and whether it was right, bool [W].
    """
    turns, locked = np.empty((2, len(table)), np.int64)
    for word, answers in enumerate(table):
        node, turns[word] = 0, 1
        while (move := int(policy.moves[node])) < table.shape[1]:
            node = policy.children[node, answers[move]]
            turns[word] += 1
        locked[word] = move - table.shape[1]
    return turns, locked == np.arange(len(table))


def value(policy: Policy, table: Answers, max_turns: int = MAX_TURNS) -> float:
    """Expected M-weighted outcome of a policy, all words equally likely, -2 to 2.

    Args:
        policy: the seeker.
        table: answers, int8 [W, Q].
        max_turns: question turns plus the forced final guess.
    """
    return 2 - 2 * _cost(policy, table, max_turns) / (max_turns * len(table))


@cache
def floor(words: int, left: int, ways: int = 3) -> int:
    """What `words` equally likely words cost at least, whatever the questions.

    That is the Huffman tree with `ways` branches a node: its leaves lie on two levels. Where `left`
    questions are too few for it, guesses are spread over the leaves of the last level.

    Args:
        words: how many, 1 or more.
        left: questions that may still be asked, 0 or more.
        ways: different answers that a question has, 2 or 3.
    """
    depth, leaves = 0, 1
    while depth < left and ways * leaves <= words:
        depth, leaves = depth + 1, ways * leaves
    more = words - leaves
    if depth == left:
        return words * depth + 2 * more
    return words * depth + more + math.ceil(more / (ways - 1))


class _Search:
    """Branch and bound over sets of words, which are whole numbers with a bit a word."""

    def __init__(self, table: Answers, deadline: float) -> None:
        self.nodes = 0
        self._deadline = deadline
        self._questions = range(table.shape[1])
        self._ways = max(2, *(len(np.unique(column)) for column in table.T))
        self._yes, self._maybe = (
            [_bits(np.flatnonzero(column == answer)) for column in table.T] for answer in (0, 2)
        )
        self._known: dict[tuple[int, int], tuple[int, int]] = {}

    def floor(self, words: int, left: int) -> int:
        """The least cost of so many words, given how many answers the table's questions have."""
        return floor(words, left, self._ways)

    def choose(self, max_turns: int) -> Choose:
        """The moves of the optimal policy, as `grow` wants them."""

        def choose(words: NDArray[np.intp], turn: int) -> int:
            left = max_turns - turn
            if len(words) == 1 or left == 0:
                return len(self._questions) + int(words[0])
            self.cost(_bits(words), left, _INFINITE)
            return self._bound(_bits(words), left)[1]

        return choose

    def cost(
        self, words: int, left: int, below: int, questions: Sequence[int] | None = None
    ) -> tuple[int, bool]:
        """The least cost of a set and True, or False and a lower bound that is not under `below`.

        Args:
            words: the words left.
            left: questions that may still be asked.
            below: the cost to get under.
            questions: those that are worth asking; all by default.

        Raises:
            TimeoutError: if the time is up.
        """
        least, best = self._bound(words, left)
        if best != _OPEN or least >= below:
            return least, best != _OPEN
        self.nodes += 1
        if time.perf_counter() > self._deadline:
            raise TimeoutError
        splits = self._splits(words, left, questions or self._questions)
        useful = [question for _, question, _ in splits]
        cost = _INFINITE
        for bound, question, parts in splits:
            if bound >= below:
                cost = min(cost, bound)
                break
            bounds = [self._bound(part, left - 1)[0] for part in parts]
            total = words.bit_count() + sum(bounds)
            for part, known in zip(parts, bounds, strict=True):
                if total >= below:
                    break
                total += self.cost(part, left - 1, below - total + known, useful)[0] - known
            cost = min(cost, total)
            if total < below:
                below, best = total, question
                if total == least:
                    break
        self._known[words, _needed(words, left)] = cost, best
        return cost, best != _OPEN

    def _bound(self, words: int, left: int) -> tuple[int, int]:
        """A lower bound, and the question that reaches it; _OPEN if that is not known."""
        n = words.bit_count()
        if n == 1 or left == 0:
            return 2 * (n - 1), _LOCK
        known = self._known.get((words, _needed(words, left)))
        return known or (self.floor(n, left), _OPEN)

    def _splits(
        self, words: int, left: int, questions: Sequence[int]
    ) -> list[tuple[int, int, list[int]]]:
        """Bound, question and parts, small ones first, of each way to split a set; best first."""
        n, then = words.bit_count(), left - 1
        found: dict[tuple[int, ...], tuple[int, int, list[int]]] = {}
        for question in questions:
            yes, maybe = words & self._yes[question], words & self._maybe[question]
            parts = sorted(part for part in (yes, maybe, words ^ yes ^ maybe) if part)
            if len(parts) > 1 and (key := tuple(parts)) not in found:
                parts.sort(key=int.bit_count)
                bound = n + sum(self.floor(part.bit_count(), then) for part in parts)
                found[key] = bound, question, parts
        return sorted(found.values())


_OPEN, _LOCK, _INFINITE = -2, -1, 1 << 62


def _bits(words: NDArray[np.intp]) -> int:
    return sum(1 << word for word in words.tolist())


def _needed(words: int, left: int) -> int:
    """Of the questions left, those that can matter: every one splits off a word at least."""
    return min(left, words.bit_count() - 1)


def _cost(policy: Policy, table: Answers, max_turns: int) -> int:
    turns, right = replay(policy, table)
    earned = np.where(right, 1, -1) @ (max_turns + 1 - turns)
    return max_turns * len(table) - int(earned)


def _check(table: Answers, max_turns: int) -> None:
    if table.ndim != 2 or not table.size or not np.isin(table, (0, 1, 2)).all():
        raise ValueError(f"answers {table.shape}: not [words, questions] of 0 yes, 1 no, 2 maybe")
    if max_turns < 1:
        raise ValueError(f"max_turns={max_turns}: 1 or more")
    _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    for word, other in enumerate(first[which.ravel()].tolist()):
        if word != other:
            raise ValueError(f"words {other} and {word} answer all questions alike; drop one")
