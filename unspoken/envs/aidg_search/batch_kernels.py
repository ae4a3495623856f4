"""The search game for many lanes at once, compiled: moves, masks, pay and beliefs.

Nothing is checked here but legality; `batch` is the module to use. B is the number of lanes, Q of
questions, W of words in the ontology, N of words that a secret may be, A = Q + W of seeker's
actions, T of turns. A lane plays one game after another with one generator. Where no beliefs or
no candidates are kept their arrays are empty (N' = 0, S = 0), and cost nothing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unspoken.envs.generators import Lanes, integers, random
from unspoken.evaluator.aidg_search_reference import FLOOR

NOT_OVER, CORRECT, WRONG, WRONG_FINAL = range(-1, 3)
QUESTION_TURN, LAST_TURN, ANSWERING, WAITING = range(4)
RANDOM, ASK = range(2)

_NO_NEWS, _NEW_GAME = -1, -2
_LEAST = np.float32(1e-25)  # times FLOOR this is still a normal float32: others are slow
_SMALL = np.float32(1e-12)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_LOG2 = (  # log2(1 + m) / m for m from 0 to 1, interpolated at Chebyshev's points
    *map(np.float32, (-0.01207702, 0.06274843, -0.15415201, 0.25517635)),
    *map(np.float32, (-0.35309635, 0.48001246, -0.72130676, 1.44269472)),
)
_MANTISSA, _EXPONENT_OF_1, _WIDTH = np.int32(0x7FFFFF), np.int32(0x3F800000), np.int32(23)
_CHOICES = 1 << 32  # a game's draws of moves are counted from here, those of answers from 0


class Rules(NamedTuple):
    """What all lanes share; read-only.

    Attributes:
        max_turns: question turns plus the forced final guess, T.
        noise: probability that an answer is heard as one of the other two.
        from_table: whether answers are drawn in the step of their question.
        same_step: whether a finished lane is dealt anew at once, or by its next step.
        words: indices in the ontology of the words that a secret may be, int64 [N].
        places: the place of each word of the ontology among those, else -1, int64 [W].
        masks: what may be done, int8 [4, A]: in a question turn, in the last turn, by the holder,
            and in a lane that waits for its new game.
        pay: what the winner gets by the turn, float64 [T + 1].
        cells: which level of the answer table holds, uint8 [N, Q].
        levels: P(answer meant), float64 [K, 3].
        limits: the levels for draws of 31 bits, uint32 [K, 2]: below the first is yes, below the
            second no.
        likelihood: P(answer heard | word, question), float32 [Q, 3, N'].
        candidates: all N words as bits, uint64 [S], S = N / 64 rounded up.
        fitting: the words that an answer leaves as bits, uint64 [Q, 3, S].
    """

    max_turns: int
    noise: float
    from_table: bool
    same_step: bool
    words: NDArray[np.int64]
    places: NDArray[np.int64]
    masks: NDArray[np.int8]
    pay: NDArray[np.float64]
    cells: NDArray[np.uint8]
    levels: NDArray[np.float64]
    limits: NDArray[np.uint32]
    likelihood: NDArray[np.float32]
    candidates: NDArray[np.uint64]
    fitting: NDArray[np.uint64]


class State(NamedTuple):
    """The lanes.

    Attributes:
        generators: uint64 [B, 6], see `unspoken.envs.generators`.
        games: games dealt since the lane was seeded, int64 [B].
        keys: what the game's own draws are counted from, uint64 [B].
        secret: place of the secret in `Rules.words`, int64 [B].
        turn: int64 [B], from 1.
        shown: which of the four masks is in `masks`, int8 [B].
        masks: int8 [B, A].
        rewards: of the last step, float64 [B, 2], seeker and holder.
        ending: of the game that the last step ended, int8 [B]; NOT_OVER if it ended none.
        ended_turn: the last turn of the lane's last finished game, int64 [B].
        ended_secret: its secret, as in `secret`.
        questions: asked in turn t at [:, t - 1], int16 [B, T]; what is further on is stale.
        answers: heard, int8 [B, T], likewise.
        asked: the questions asked in this game as bits, uint64 [B, Q / 64 rounded up].
        weights: proportional to the belief, float32 [B, N'].
        sets: the words that fit all answers as bits, uint64 [B, S].
        news: row of the likelihood that a step's belief has to take in, int64 [B].
    """

    generators: Lanes
    games: NDArray[np.int64]
    keys: NDArray[np.uint64]
    secret: NDArray[np.int64]
    turn: NDArray[np.int64]
    shown: NDArray[np.int8]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    ending: NDArray[np.int8]
    ended_turn: NDArray[np.int64]
    ended_secret: NDArray[np.int64]
    questions: NDArray[np.int16]
    answers: NDArray[np.int8]
    asked: NDArray[np.uint64]
    weights: NDArray[np.float32]
    sets: NDArray[np.uint64]
    news: NDArray[np.int64]


@njit(cache=True, nogil=True, error_model="numpy")
def choose(policy: int, rules: Rules, state: State, actions: NDArray[np.int64]) -> None:
    """Write a policy's legal action for every lane into `actions`, int64 [B]."""
    words, n_questions = rules.words, len(rules.fitting)
    shown, keys, turn = state.shown, state.keys, state.turn
    weights, sets = state.weights, state.sets
    for i in range(len(actions)):
        if policy == ASK and shown[i] == LAST_TURN:
            actions[i] = n_questions + words[_likeliest(i, weights, sets)[0]]
        else:
            k = _pick(policy, shown[i], turn[i], keys[i], n_questions, len(words))
            lock = shown[i] != ANSWERING and k >= n_questions
            actions[i] = n_questions + words[k - n_questions] if lock else k


@njit(cache=True, nogil=True, error_model="numpy")
def step(actions: NDArray[np.int64], rules: Rules, state: State) -> int:
    """Let every lane's player say its action, int64 [B].

    Returns:
        The first lane whose mask does not allow its action, and then nothing has changed; else -1.
    """
    # Arrays are counted, atomically, when a tuple's field is looked at and when a helper hands
    # one on: so both are done outside the loop, or where it seldom comes.
    last, noise = rules.max_turns, rules.noise
    from_table, same_step = rules.from_table, rules.same_step
    words, places, patterns, pay = rules.words, rules.places, rules.masks, rules.pay
    cells, levels, limits = rules.cells, rules.levels, rules.limits
    likelihood, candidates, fitting = rules.likelihood, rules.candidates, rules.fitting
    generators, dealt, keys, secret = state.generators, state.games, state.keys, state.secret
    turn, shown, masks, rewards = state.turn, state.shown, state.masks, state.rewards
    ending, ended_turn, ended_secret = state.ending, state.ended_turn, state.ended_secret
    questions, answers, asked = state.questions, state.answers, state.asked
    weights, sets, news = state.weights, state.sets, state.news
    n_questions, n_actions = len(fitting), patterns.shape[1]
    for i in range(len(actions)):
        action = actions[i]
        if action < 0 or action >= n_actions or not patterns[shown[i], action]:
            return i
    for i in range(len(actions)):
        action, now = actions[i], shown[i]
        ending[i] = NOT_OVER
        rewards[i, 0] = rewards[i, 1] = 0.0
        news[i] = _NO_NEWS
        meant = -1
        deal = now == WAITING
        if now == ANSWERING:
            meant = action
        elif not deal and action < n_questions:
            questions[i, turn[i] - 1] = action
            if from_table:
                meant = _truth(keys[i], action, limits, cells[secret[i], action])
            else:
                shown[i] = ANSWERING
        elif not deal:
            won = places[action - n_questions] == secret[i]
            ending[i] = CORRECT if won else WRONG_FINAL if turn[i] == last else WRONG
            rewards[i, 0] = pay[turn[i]] if won else -pay[turn[i]]
            rewards[i, 1] = -rewards[i, 0]
            ended_turn[i], ended_secret[i] = turn[i], secret[i]
            deal = same_step
            shown[i] = WAITING
        if meant >= 0:
            heard = meant
            if noise > 0 and random(generators[i]) < noise:
                heard = (meant + 1 + integers(generators[i], 2)) % 3
            question = np.int64(questions[i, turn[i] - 1])
            answers[i, turn[i] - 1] = heard
            news[i] = 3 * question + heard
            turn[i] += 1
            shown[i] = LAST_TURN if turn[i] == last else QUESTION_TURN
            for s in range(sets.shape[1]):
                sets[i, s] &= fitting[question, heard, s]
        if deal:
            secret[i] = integers(generators[i], len(words))
            dealt[i] += 1
            keys[i] = _key(generators[i, 3], dealt[i])
            turn[i] = 1
            shown[i] = QUESTION_TURN
            news[i] = _NEW_GAME
            for s in range(sets.shape[1]):
                sets[i, s] = candidates[s]
        if shown[i] != now:
            _copy(patterns, shown[i], masks, i)
    if weights.shape[1] == 0:
        return -1
    # A loop of its own: so short that the core fetches the next lanes' rows meanwhile
    for i in range(len(actions)):
        if news[i] == _NEW_GAME:
            _fill(weights, i, np.float32(1.0))
            _fill(asked, i, np.uint64(0))
        elif news[i] != _NO_NEWS:
            question = news[i] // 3
            block, bit = question >> 6, np.uint64(1) << np.uint64(question & 63)
            if not asked[i, block] & bit:
                asked[i, block] |= bit
                _multiply(weights, i, likelihood, question, news[i] - 3 * question)
            elif noise > 0 or not from_table:  # else the same answer again
                heard_to = turn[i] - 1
                _hear_again(
                    i, question, noise, cells, levels, heard_to, questions, answers, weights
                )
            if weights[i, secret[i]] < _SMALL:  # else the largest is large enough
                _rescale(weights, i)
    return -1


@njit(cache=True, nogil=True, error_model="numpy")
def play(
    policy: int,
    games: int,
    rules: Rules,
    state: State,
    tally: NDArray[np.int64],
    belief: NDArray[np.float64],
) -> None:
    """Play whole games with a table's holder, lane by lane; what `choose` and `step` would do.

    No mask and no reward is written before the lane is done, and a lane's belief stays in the
    first-level cache.

    Args:
        policy: RANDOM or ASK.
        games: to be finished by each lane, the present one included; 1 or more.
        rules: of all lanes, with `from_table`.
        state: the lanes, with no holder to move. Each is left at the beginning of a game.
        tally: int64 [3, T + 1]; endings by turn are added.
        belief: float64 [1]; the belief in each word that is locked is added.
    """
    last, noise, words, patterns = rules.max_turns, rules.noise, rules.words, rules.masks
    cells, levels, limits = rules.cells, rules.levels, rules.limits
    likelihood, candidates, fitting = rules.likelihood, rules.candidates, rules.fitting
    generators, dealt, keys, secret = state.generators, state.games, state.keys, state.secret
    turn, shown, masks, rewards = state.turn, state.shown, state.masks, state.rewards
    ending, ended_turn, ended_secret = state.ending, state.ended_turn, state.ended_secret
    questions, answers, asked = state.questions, state.answers, state.asked
    weights, sets = state.weights, state.sets
    n_questions, n_words = len(fitting), len(words)
    for i in range(len(turn)):
        for game in range(games + 1):
            if game or shown[i] == WAITING:
                secret[i] = integers(generators[i], n_words)
                dealt[i] += 1
                keys[i] = _key(generators[i, 3], dealt[i])
                turn[i] = 1
                for s in range(sets.shape[1]):
                    sets[i, s] = candidates[s]
                _fill(weights, i, np.float32(1.0))
                _fill(asked, i, np.uint64(0))
            if game == games:
                break
            t, key, hidden = turn[i], keys[i], secret[i]
            while True:
                if policy == ASK and t == last:
                    word, sure = _likeliest(i, weights, sets)
                    break
                now = LAST_TURN if t == last else QUESTION_TURN
                question = _pick(policy, now, t, key, n_questions, n_words)
                if question >= n_questions:
                    word = question - n_questions
                    sure = _belief(i, word, weights, sets)
                    break
                heard = _truth(key, question, limits, cells[hidden, question])
                if noise > 0 and random(generators[i]) < noise:
                    heard = (heard + 1 + integers(generators[i], 2)) % 3
                questions[i, t - 1], answers[i, t - 1] = question, heard
                for s in range(sets.shape[1]):
                    sets[i, s] &= fitting[question, heard, s]
                if weights.shape[1]:
                    block, bit = question >> 6, np.uint64(1) << np.uint64(question & 63)
                    if not asked[i, block] & bit:
                        asked[i, block] |= bit
                        _multiply(weights, i, likelihood, question, heard)
                    elif noise > 0:  # else the same answer again
                        _hear_again(
                            i, question, noise, cells, levels, t, questions, answers, weights
                        )
                    if weights[i, hidden] < _SMALL:
                        _rescale(weights, i)
                t += 1
            over = CORRECT if word == hidden else WRONG_FINAL if t == last else WRONG
            tally[over, t] += 1
            belief[0] += sure
            ended_turn[i], ended_secret[i] = t, hidden
        shown[i], ending[i] = QUESTION_TURN, NOT_OVER
        rewards[i, 0] = rewards[i, 1] = 0.0
        _copy(patterns, QUESTION_TURN, masks, i)


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _multiply(
    weights: NDArray[np.float32],
    i: int,
    likelihood: NDArray[np.float32],
    question: int,
    answer: int,
) -> None:
    for w in range(weights.shape[1]):
        product = weights[i, w] * likelihood[question, answer, w]
        weights[i, w] = product if product > _LEAST else _LEAST  # noqa: FURB136 - max() is scalar


@njit(cache=True, nogil=True, error_model="numpy")
def _hear_again(
    i: int,
    question: int,
    noise: float,
    cells: NDArray[np.uint8],
    levels: NDArray[np.float64],
    heard: int,
    questions: NDArray[np.int16],
    answers: NDArray[np.int8],
    weights: NDArray[np.float32],
) -> None:
    """Take in an answer to a question that this game had before.

    What is meant is settled once a game, so only the channel can have made another of it: the
    answers to this question are weighed together, and the last time's weight is taken out.
    """
    factors, old = np.zeros(len(levels)), np.zeros(len(levels))
    for meant in range(3):
        before = after = 1.0  # P(the answers heard | this one was meant)
        for t in range(heard):
            if questions[i, t] == question:
                before = after
                after *= 1 - noise if answers[i, t] == meant else noise / 2
        for k in range(len(levels)):
            old[k] += levels[k, meant] * before
            factors[k] += levels[k, meant] * after
    for k in range(len(levels)):
        factors[k] = max(factors[k], FLOOR) / max(old[k], FLOOR)
    for w in range(weights.shape[1]):
        weights[i, w] = max(_LEAST, np.float32(weights[i, w] * factors[cells[w, question]]))


@njit(cache=True, nogil=True, error_model="numpy")
def _rescale(weights: NDArray[np.float32], i: int) -> None:
    """Bring the largest weight back to 1 when all have become small."""
    largest = np.float32(0.0)
    for w in range(weights.shape[1]):
        largest = max(largest, weights[i, w])
    if largest < _SMALL:
        for w in range(weights.shape[1]):
            weights[i, w] = max(_LEAST, weights[i, w] / largest)


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _fill(target, i, value):  # type: ignore[no-untyped-def]  # of several dtypes
    for k in range(target.shape[1]):
        target[i, k] = value


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _copy(source: NDArray[np.int8], j: int, target: NDArray[np.int8], i: int) -> None:
    for k in range(target.shape[1]):
        target[i, k] = source[j, k]


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _truth(key: np.uint64, question: int, limits: NDArray[np.uint32], cell: int) -> int:
    """What a holder by the table means: the same whenever it is asked in this game."""
    chance = _mixed(key + np.uint64(question) * _GOLDEN) >> np.uint64(33)
    return int(chance >= limits[cell, 0]) + int(chance >= limits[cell, 1])


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _key(lane: np.uint64, game: int) -> np.uint64:
    """What a game's own draws are counted from: its lane's increment, and which game it is."""
    return _mixed(lane + np.uint64(game) * _GOLDEN)


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _mixed(x: np.uint64) -> np.uint64:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): counters to random bits."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _pick(
    policy: int, shown: int, turn: int, key: np.uint64, n_questions: int, n_words: int
) -> int:
    """A random answer, question, or number of questions + place of the word to lock."""
    draw = _mixed(key + np.uint64(_CHOICES + turn) * _GOLDEN) >> np.uint64(32)
    first = n_questions if shown == LAST_TURN else 0
    n = n_questions - first if policy == ASK else n_questions - first + n_words
    n = 3 if shown == ANSWERING else n
    return first + np.int64((draw * np.uint64(n)) >> np.uint64(32))  # type: ignore[return-value]


@njit(cache=True, nogil=True, error_model="numpy")
def _likeliest(i: int, weights: NDArray[np.float32], sets: NDArray[np.uint64]) -> tuple[int, float]:
    """The first of the likeliest words, and the belief in it; word 0 if nothing is known."""
    if weights.shape[1]:
        best, total = _best_and_sum(weights, i)
        word = 0
        while weights[i, word] < best:
            word += 1
        return word, float(best / total)
    for s in range(sets.shape[1]):
        for b in range(64):
            if (sets[i, s] >> np.uint64(b)) & np.uint64(1):
                return 64 * s + b, 1 / _count(i, sets)
    return 0, 0.0


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "nnan", "nsz"})
def _best_and_sum(weights: NDArray[np.float32], i: int) -> tuple[np.float32, np.float32]:
    """Weights are positive numbers, so any order of summation is near enough (a test bounds it)."""
    best = total = np.float32(0.0)
    for w in range(weights.shape[1]):
        weight = weights[i, w]
        total += weight
        best = weight if weight > best else best  # noqa: FURB136 - max() is scalar
    return best, total


@njit(cache=True, nogil=True, error_model="numpy")
def _count(i: int, sets: NDArray[np.uint64]) -> int:
    count = 0
    for s in range(sets.shape[1]):
        left = sets[i, s]
        while left:
            left &= left - np.uint64(1)
            count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def _belief(i: int, word: int, weights: NDArray[np.float32], sets: NDArray[np.uint64]) -> float:
    if weights.shape[1]:
        return float(weights[i, word] / _best_and_sum(weights, i)[1])
    if sets.shape[1] and (sets[i, word >> 6] >> np.uint64(word & 63)) & np.uint64(1):
        return 1 / _count(i, sets)
    return 0.0


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc"})
def features(
    weights: NDArray[np.float32], turn: NDArray[np.int64], max_turns: int, out: NDArray[np.float32]
) -> None:
    """Write each lane's belief, its entropy over log2(N) and its turn over T, float32 [B, N + 2].

    Logarithms are a polynomial, and sums are taken in any order: both together are off by less
    than 1e-5 bits.
    """
    n = weights.shape[1]
    most = max(math.log2(n), 1.0)
    for i in range(len(weights)):
        total = spread = np.float32(0.0)
        for w in range(n):
            weight = weights[i, w]
            total += weight
            spread += weight * _log2(weight)
        share = np.float32(1.0) / total
        for w in range(n):
            out[i, w] = weights[i, w] * share
        bits = float(math.log2(total) - spread * share)
        out[i, n] = min(max(bits / most, 0.0), 1.0)
        out[i, n + 1] = turn[i] / max_turns


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _log2(x: np.float32) -> np.float32:
    """Binary logarithm of a normal number: the exponent and a polynomial of the mantissa."""
    pattern = np.float32(x).view(np.int32)
    exponent = np.float32(np.int32(pattern >> _WIDTH) - np.int32(127))
    m = np.int32((pattern & _MANTISSA) | _EXPONENT_OF_1).view(np.float32) - np.float32(1.0)
    p = np.float32(0.0)
    for c in _LOG2:
        p = p * m + c
    return exponent + p * m
