"""The search game for many lanes at once, compiled: moves, masks, pay and beliefs.

Nothing is checked here but legality; `batch` is the module to use. B is the number of lanes, Q of
questions, W of words in the ontology, N of words that a secret may be, A = Q + W of seeker's
actions, T of turns. A lane plays one game after another with one generator. Where no beliefs or
no candidates are kept their arrays are empty (N' = 0, S = 0), and cost nothing.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.generators import GOLDEN, Lanes, integers, mixed, random
from unspoken.evaluator.aidg_search_reference import FLOOR
from unspoken.evaluator.intrinsics import popcount
from unspoken.kernels import kernel

NOT_OVER, CORRECT, WRONG, WRONG_FINAL = range(-1, 3)
QUESTION_TURN, LAST_TURN, ANSWERING, WAITING = range(4)
RANDOM, ASK = range(2)

_NO_NEWS, _NEW_GAME = -1, -2
_LEAST = np.float32(1e-25)  # times FLOOR this is still a normal float32: others are slow
_SMALL = np.float32(1e-12)
_UP = np.float32(2.0**40)  # a power of 2, so that it does not matter when rows are scaled
_LOG2 = (  # log2(1 + m) / m for m from 0 to 1, interpolated at Chebyshev's points
    *map(np.float32, (-0.01207702, 0.06274843, -0.15415201, 0.25517635)),
    *map(np.float32, (-0.35309635, 0.48001246, -0.72130676, 1.44269472)),
)
_MANTISSA, _EXPONENT_OF_1, _WIDTH = np.int32(0x7FFFFF), np.int32(0x3F800000), np.int32(23)
_INNER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # sooner compiled
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
        likelihood: P(answer heard | word, question) in row 3 question + answer, float32
            [3 Q + 1, N']; the last row is that of nothing heard. Columns after the N-th only fill
            up a vector of the machine's, with 0.
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
        weights: proportional to the belief, float32 [B, N'], as wide as `Rules.likelihood`.
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


@kernel(error_model="numpy")
def choose(policy: int, rules: Rules, state: State, actions: NDArray[np.int64]) -> None:
    """Write a policy's legal action for every lane into `actions`, int64 [B]."""
    words, n_questions = rules.words, len(rules.fitting)
    shown, keys, turn = state.shown, state.keys, state.turn
    weights, sets = state.weights, state.sets
    for i in range(len(actions)):
        if policy == ASK and shown[i] == LAST_TURN:
            word = _likeliest(weights, i) if weights.shape[1] else _first(i, sets)
            actions[i] = n_questions + words[word]
        else:
            k = _pick(policy, shown[i], turn[i], keys[i], n_questions, len(words))
            lock = shown[i] != ANSWERING and k >= n_questions
            actions[i] = n_questions + words[k - n_questions] if lock else k


@kernel(error_model="numpy")
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
            _copy(likelihood, len(likelihood) - 1, weights, i)
            _fill(asked, i, np.uint64(0))
        elif news[i] != _NO_NEWS:
            question = news[i] // 3
            block, bit = question >> 6, np.uint64(1) << np.uint64(question & 63)
            if not asked[i, block] & bit:
                asked[i, block] |= bit
                _multiply(weights, i, likelihood, news[i])
            elif noise > 0 or not from_table:  # else the same answer again
                heard_to = turn[i] - 1
                _hear_again(
                    i, question, noise, cells, levels, heard_to, questions, answers, i, weights
                )
            if weights[i, secret[i]] < _SMALL:  # else the largest is large enough
                _rescale(weights, i, len(words))
    return -1


@kernel(error_model="numpy")
def play(
    policy: int,
    games: int,
    rules: Rules,
    state: State,
    tally: NDArray[np.int64],
    belief: NDArray[np.float64],
) -> None:
    """Play whole games with a table's holder; what `choose` and `step` would do.

    A belief is worked out where a word is locked, from all that was heard; a random seeker's
    moves and the table's answers ask for none before.

    Args:
        policy: RANDOM or ASK.
        games: to be finished by each lane, the present one included; 1 or more.
        rules: of all lanes, with `from_table`.
        state: the lanes, with no holder to move. Each is left waiting for a new game, with masks,
            rewards and beliefs as they were before.
        tally: int64 [3, T + 1]; endings by turn are added.
        belief: float64 [1]; the belief in each word that is locked is added.
    """
    last, noise, n_words = rules.max_turns, rules.noise, len(rules.words)
    cells, likelihood = rules.cells, rules.likelihood
    generators, dealt, keys, secret = state.generators, state.games, state.keys, state.secret
    turn, shown, questions, answers = state.turn, state.shown, state.questions, state.answers
    ended_turn, ended_secret = state.ended_turn, state.ended_secret
    locked = np.empty(len(turn), np.int64)
    for game in range(games):
        for i in range(len(turn)):
            if game or shown[i] == WAITING:
                secret[i] = integers(generators[i], n_words)
                dealt[i] += 1
                keys[i] = _key(generators[i, 3], dealt[i])
                turn[i] = 1
        _converse(
            policy,
            last,
            noise,
            cells,
            rules.limits,
            generators,
            keys,
            secret,
            turn,
            questions,
            answers,
            locked,
        )
        if likelihood.shape[1]:
            belief[0] += _weigh(
                noise, cells, rules.levels, likelihood, turn, secret, questions, answers, locked
            )
        else:
            belief[0] += _sift(rules.candidates, rules.fitting, turn, questions, answers, locked)
        for i in range(len(turn)):
            won = locked[i] == secret[i]
            over = CORRECT if won else WRONG_FINAL if turn[i] == last else WRONG
            tally[over, turn[i]] += 1
            ended_turn[i], ended_secret[i] = turn[i], secret[i]
    for i in range(len(turn)):
        shown[i] = WAITING


@kernel(error_model="numpy", **_INNER)
def _converse(
    policy: int,
    last: int,
    noise: float,
    cells: NDArray[np.uint8],
    limits: NDArray[np.uint32],
    generators: Lanes,
    keys: NDArray[np.uint64],
    secret: NDArray[np.int64],
    turn: NDArray[np.int64],
    questions: NDArray[np.int16],
    answers: NDArray[np.int8],
    locked: NDArray[np.int64],
) -> None:
    """Ask and answer in every lane up to the lock: of this word, or -1 for the likeliest."""
    n_words, n_questions = cells.shape
    for i in range(len(turn)):
        key, hidden, t = keys[i], np.uint64(secret[i]), turn[i]
        word = -1
        while policy == RANDOM or t < last:
            now = LAST_TURN if t == last else QUESTION_TURN
            question = _pick(policy, now, t, key, n_questions, n_words)
            if question >= n_questions:
                word = question - n_questions
                break
            heard = _truth(key, question, limits, cells[hidden, np.uint64(question)])
            if noise > 0 and random(generators[i]) < noise:
                heard = (heard + 1 + integers(generators[i], 2)) % 3
            questions[i, np.uint64(t - 1)], answers[i, np.uint64(t - 1)] = question, heard
            t += 1
        turn[i], locked[i] = t, word


@kernel(error_model="numpy", **_INNER)
def _weigh(
    noise: float,
    cells: NDArray[np.uint8],
    levels: NDArray[np.float64],
    likelihood: NDArray[np.float32],
    turn: NDArray[np.int64],
    secret: NDArray[np.int64],
    questions: NDArray[np.int16],
    answers: NDArray[np.int8],
    locked: NDArray[np.int64],
) -> float:
    """Work out the beliefs, lock the likeliest where no word is, and sum the beliefs in them.

    Four answers are taken in at a time, so that a row is read and written a fourth as often; in
    the order of the turns, so that words which tie in `step` tie here. The answers being drawn by
    the same likelihoods, the secret's weight does not fall to the floor within four.
    """
    rows, width = likelihood.shape
    longest = questions.shape[1]
    flat = likelihood.reshape(-1)
    nothing = np.uint64((rows - 1) * width)
    weights = np.empty((1, width), np.float32)
    first = np.full(rows // 3, -1)  # lane * T + turn in which a question was first asked
    heard = np.empty(longest + 4, np.uint64)
    row: int = np.int64(0)  # type: ignore[assignment]  # or helpers are compiled for 0 as well
    total = 0.0
    for i in range(len(turn)):
        start, n, turns = i * longest, np.uint64(0), turn[i] - 1
        for t in range(turns):
            question = np.uint64(questions[i, t])
            heard[n] = (np.uint64(3) * question + np.uint64(answers[i, t])) * np.uint64(width)
            if first[question] < start:
                first[question] = start + t
                n += np.uint64(1)
        for k in range(4):
            heard[n + np.uint64(k)] = nothing
        for w in range(width):
            weights[row, w] = flat[nothing + np.uint64(w)]
        for k in range(np.uint64(0), n, np.uint64(4)):
            a, b = heard[k], heard[k + np.uint64(1)]
            c, d = heard[k + np.uint64(2)], heard[k + np.uint64(3)]
            for w in range(np.uint64(width)):
                x = _times(weights[row, w], flat[a + w])
                x = _times(x, flat[b + w])
                x = _times(x, flat[c + w])
                weights[row, w] = _times(x, flat[d + w])
            if weights[row, secret[i]] < _SMALL:
                _rescale(weights, row, len(cells))
        if noise > 0 and n < np.uint64(turns):
            for t in range(turns):
                asked = int(questions[i, t])
                if first[asked] != start + t:
                    _hear_again(
                        i, asked, noise, cells, levels, t + 1, questions, answers, row, weights
                    )
                    if weights[row, secret[i]] < _SMALL:
                        _rescale(weights, row, len(cells))
        if locked[i] < 0:
            locked[i] = _likeliest(weights, row)
        total += weights[row, locked[i]] / _sum(weights, row)
    return total


@kernel(error_model="numpy", **_INNER)
def _sift(
    candidates: NDArray[np.uint64],
    fitting: NDArray[np.uint64],
    turn: NDArray[np.int64],
    questions: NDArray[np.int16],
    answers: NDArray[np.int8],
    locked: NDArray[np.int64],
) -> float:
    """As `_weigh`, of the words that fit the answers."""
    n_sets = len(candidates)
    sets = np.empty((1, n_sets), np.uint64)
    total = 0.0
    for i in range(len(turn)):
        for s in range(n_sets):
            fit = candidates[s]
            for t in range(turn[i] - 1):
                fit &= fitting[np.uint64(questions[i, t]), np.uint64(answers[i, t]), s]
            sets[0, s] = fit
        if locked[i] < 0:
            locked[i] = _first(0, sets)
        word = np.uint64(locked[i])
        if n_sets and (sets[0, word >> np.uint64(6)] >> (word & np.uint64(63))) & np.uint64(1):
            total += 1 / _count(0, sets)
    return total


@kernel(error_model="numpy", forceinline=True)
def _times(weight: np.float32, likelihood: np.float32) -> np.float32:
    product = weight * likelihood
    return product if product > _LEAST else _LEAST  # noqa: FURB136 - max() is scalar


@kernel(error_model="numpy", forceinline=True)
def _multiply(
    weights: NDArray[np.float32],
    i: int,
    likelihood: NDArray[np.float32],
    row: int,
) -> None:
    for w in range(weights.shape[1]):
        weights[i, w] = _times(weights[i, w], likelihood[row, w])


@kernel(error_model="numpy", **_INNER)
def _hear_again(
    i: int,
    question: int,
    noise: float,
    cells: NDArray[np.uint8],
    levels: NDArray[np.float64],
    heard: int,
    questions: NDArray[np.int16],
    answers: NDArray[np.int8],
    row: int,
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
    for w in range(len(cells)):
        weights[row, w] = max(_LEAST, np.float32(weights[row, w] * factors[cells[w, question]]))


@kernel(error_model="numpy", **_INNER)
def _rescale(weights: NDArray[np.float32], i: int, n: int) -> None:
    """Scale the weights of all n words up when the largest has become small; loses no digit."""
    largest = np.float32(0.0)
    for w in range(n):
        largest = max(largest, weights[i, w])
    if largest < _SMALL:
        for w in range(n):
            weights[i, w] *= _UP


@kernel(error_model="numpy", forceinline=True)
def _fill(target: NDArray[Any], i: int, value: Any) -> None:
    for k in range(target.shape[1]):
        target[i, k] = value


@kernel(error_model="numpy", forceinline=True)
def _copy(source: NDArray[Any], j: int, target: NDArray[Any], i: int) -> None:
    for k in range(target.shape[1]):
        target[i, k] = source[j, k]


@kernel(error_model="numpy", forceinline=True)
def _truth(key: np.uint64, question: int, limits: NDArray[np.uint32], cell: int) -> int:
    """What a holder by the table means: the same whenever it is asked in this game."""
    chance = mixed(key + np.uint64(question) * GOLDEN) >> np.uint64(33)
    return int(chance >= limits[cell, 0]) + int(chance >= limits[cell, 1])


@kernel(error_model="numpy", forceinline=True)
def _key(lane: np.uint64, game: int) -> np.uint64:
    """What a game's own draws are counted from: its lane's increment, and which game it is."""
    return mixed(lane + np.uint64(game) * GOLDEN)


@kernel(error_model="numpy", forceinline=True)
def _pick(
    policy: int, shown: int, turn: int, key: np.uint64, n_questions: int, n_words: int
) -> int:
    """A random answer, question, or number of questions + place of the word to lock."""
    draw = mixed(key + np.uint64(_CHOICES + turn) * GOLDEN) >> np.uint64(32)
    first = n_questions if shown == LAST_TURN else 0
    n = n_questions - first if policy == ASK else n_questions - first + n_words
    n = 3 if shown == ANSWERING else n
    return first + np.int64((draw * np.uint64(n)) >> np.uint64(32))  # type: ignore[return-value]


@kernel(error_model="numpy", forceinline=True)
def _likeliest(weights: NDArray[np.float32], i: int) -> int:
    """Where a row first has its largest weight.

    Bits of positive numbers are in the order of the numbers, and loops over whole numbers are
    vectorised where such over floats, which might be NaN, are not.
    """
    n = np.int32(weights.shape[1])
    most, place = np.int32(0), n
    for w in range(n):
        bits = np.float32(weights[i, w]).view(np.int32)
        most = bits if bits > most else most  # noqa: FURB136 - max() is scalar
    for w in range(n):
        here = np.int32(w) if np.float32(weights[i, w]).view(np.int32) == most else n
        place = here if here < place else place  # noqa: FURB136 - min() is scalar
    return np.int64(place)  # type: ignore[return-value]


@kernel(error_model="numpy", fastmath={"reassoc"}, forceinline=True)
def _sum(weights: NDArray[np.float32], i: int) -> np.float32:
    """Weights are positive numbers, so any order of summation is near enough (a test bounds it)."""
    total = np.float32(0.0)
    for w in range(weights.shape[1]):
        total += weights[i, w]
    return total


@kernel(error_model="numpy", forceinline=True)
def _first(i: int, sets: NDArray[np.uint64]) -> int:
    """The first word of a set; 0 if it is empty or not kept."""
    for s in range(sets.shape[1]):
        if sets[i, s]:
            below = (sets[i, s] - np.uint64(1)) & ~sets[i, s]
            return 64 * s + int(popcount(below))
    return 0


@kernel(error_model="numpy", forceinline=True)
def _count(i: int, sets: NDArray[np.uint64]) -> int:
    count = 0
    for s in range(sets.shape[1]):
        count += popcount(sets[i, s])
    return count


@kernel(error_model="numpy", fastmath={"reassoc", "contract"})
def features(
    weights: NDArray[np.float32], turn: NDArray[np.int64], max_turns: int, out: NDArray[np.float32]
) -> None:
    """Write each lane's belief, its entropy over log2(N) and its turn over T, float32 [B, N + 2].

    Logarithms are a polynomial, and sums are taken in any order: both together are off by less
    than 1e-5 bits.
    """
    n = out.shape[1] - 2
    most = max(math.log2(n), 1.0)
    for i in range(len(weights)):
        total = spread = np.float32(0.0)
        for w in range(weights.shape[1]):  # what fills a row up is too small to matter
            weight = weights[i, w]
            total += weight
            spread += weight * _log2(weight)
        share = np.float32(1.0) / total
        for w in range(n):
            out[i, w] = weights[i, w] * share
        bits = float(_log2(total) - spread * share)
        out[i, n] = min(max(bits / most, 0.0), 1.0)
        out[i, n + 1] = turn[i] / max_turns


@kernel(
    error_model="numpy",
    fastmath={"contract"},
    forceinline=True,
)
def _log2(x: np.float32) -> np.float32:
    """Binary logarithm of a normal number: the exponent and a polynomial of the mantissa."""
    pattern = np.float32(x).view(np.int32)
    exponent = np.float32(np.int32(pattern >> _WIDTH) - np.int32(127))
    m = np.int32((pattern & _MANTISSA) | _EXPONENT_OF_1).view(np.float32) - np.float32(1.0)
    p = np.float32(0.0)
    for c in _LOG2:
        p = p * m + c
    return exponent + p * m
