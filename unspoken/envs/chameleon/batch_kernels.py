"""Chameleon for many lanes at once, compiled: moves, masks, votes and pay.

Nothing is checked here but legality; `batch` is the module to use. B is the number of lanes, I of
instances, C of cards, V of words in the vocabulary, P of players, R of clue rounds, D of rounds of
discussion, A of actions. Players are seats. A lane plays one game after another with one generator.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.generators import GOLDEN, Lanes, integers, mixed, permutation
from unspoken.kernels import kernel

NOT_OVER, ESCAPED, GUESSED, CAUGHT = range(-1, 3)
CLUE, DISCUSSION, VOTE, GUESS, WAITING = range(5)
"""What is done, and so which mask is shown; or a lane that waits for a new game."""
NOBODY, BY_LOT, AGAIN = range(3)
"""What a tie leads to."""
NOTHING = -1

Whole = NDArray[np.int64]


class Rules(NamedTuple):
    """What all lanes share; read-only.

    Attributes:
        players: P.
        clue_rounds: R.
        discussion: D.
        tie: `NOBODY`, `BY_LOT` or `AGAIN`.
        repeats: whether a clue may be given again.
        cards: each instance's card, int64 [I].
        secrets: place of the secret on it, int64 [I].
        words: how many there are on each card, int64 [C].
        masks: which words of the vocabulary are clues, int8 [C, V].
    """

    players: int
    clue_rounds: int
    discussion: int
    tie: int
    repeats: bool
    cards: Whole
    secrets: Whole
    words: Whole
    masks: NDArray[np.int8]


class State(NamedTuple):
    """The lanes.

    Attributes:
        generators: uint64 [B, 6], see `unspoken.envs.generators`.
        games: games dealt since the lane was seeded, int64 [B].
        keys: what the draws of random moves are counted from, uint64 [B].
        instances: int64 [B].
        chameleons: the seat that does not know the word, int64 [B].
        first: the seat that speaks first, int64 [B].
        lots: seats in the order in which lots fall, int64 [B, P].
        turn: int64 [B], from 1.
        to_move: the seat that moves, int64 [B].
        moves: how many were made in the round, int64 [B].
        clues: by round and seat, int64 [B, R, P]; NOTHING before.
        talk: likewise, int64 [B, D, P]: 0 a pass, 1 + seat an accusation, 1 + P + seat a defence.
        cast: votes that are still hidden, by seat, int64 [B, P]; stale before.
        votes: those that are open, by ballot and seat, int64 [B, 2, P]; NOTHING before.
        tied: who can be voted for, bool [B, P].
        accused: the seat that was found, int64 [B]; NOTHING before, and where nobody was.
        shown: what is done, int8 [B].
        masks: int8 [B, A].
        rewards: of the last step, float64 [B, P].
        ending: of the game that the last step ended, int8 [B]; NOT_OVER if it ended none.
        ended_turn: the last turn of the lane's last finished game, int64 [B].
        ended_instances: that game, int64 [B].
        ended_chameleons: likewise, int64 [B].
    """

    generators: Lanes
    games: Whole
    keys: NDArray[np.uint64]
    instances: Whole
    chameleons: Whole
    first: Whole
    lots: Whole
    turn: Whole
    to_move: Whole
    moves: Whole
    clues: Whole
    talk: Whole
    cast: Whole
    votes: Whole
    tied: NDArray[np.bool_]
    accused: Whole
    shown: NDArray[np.int8]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    ending: NDArray[np.int8]
    ended_turn: Whole
    ended_instances: Whole
    ended_chameleons: Whole


@kernel(error_model="numpy")
def choose(words: int, state: State, actions: Whole) -> None:
    """Write an action of every lane that is uniform over all legal ones, int64 [B].

    Args:
        words: V.
        state: the lanes.
        actions: overwritten.
    """
    masks, shown, keys = state.masks, state.shown, state.keys
    turn, moves = state.turn, state.moves
    for i in range(len(actions)):
        start, n = (0, words) if shown[i] == CLUE else (words, masks.shape[1] - words)
        tries = np.uint64(0)  # most of them are legal, so drawing again is quickest
        while True:
            place = np.uint64(64 * turn[i] + moves[i]) + (tries << np.uint64(32))
            draw = mixed(keys[i] + place * GOLDEN) >> np.uint64(32)
            actions[i] = start + np.int64((draw * np.uint64(n)) >> np.uint64(32))
            if masks[i, actions[i]]:
                break
            tries += np.uint64(1)


@kernel(error_model="numpy")
def step(actions: Whole, rules: Rules, state: State) -> int:
    """Let every lane's player say its action, int64 [B].

    Returns:
        The first lane whose mask does not allow its action, and then nothing has changed; else -1.
    """
    # Arrays are counted, atomically, when a tuple's field is looked at: outside the loop.
    players, rounds, discussion = rules.players, rules.clue_rounds, rules.discussion
    repeats, secrets, words = rules.repeats, rules.secrets, rules.masks.shape[1]
    instances, chameleons, first = state.instances, state.chameleons, state.first
    turn, to_move, moves, clues, talk = (
        state.turn,
        state.to_move,
        state.moves,
        state.clues,
        state.talk,
    )
    cast, shown, masks = state.cast, state.shown, state.masks
    rewards, ending, ended_turn = state.rewards, state.ending, state.ended_turn
    ended_instances, ended_chameleons = state.ended_instances, state.ended_chameleons
    votes_at, guesses_at = words + 1 + 2 * players, words + 1 + 3 * players
    for i in range(len(actions)):
        legal = 0 <= actions[i] < masks.shape[1] and masks[i, actions[i]]
        if shown[i] != WAITING and not legal:
            return i
    for i in range(len(actions)):
        action, now, seat = actions[i], shown[i], to_move[i]
        ending[i] = NOT_OVER
        for p in range(players):
            rewards[i, p] = 0.0
        if now == WAITING:
            _deal(i, rules, state)
            continue
        if now == GUESS:
            ending[i] = GUESSED if action - guesses_at == secrets[instances[i]] else CAUGHT
        else:
            if now == CLUE:
                clues[i, turn[i] - 1, seat] = action
                if not repeats:
                    masks[i, action] = 0
            elif now == DISCUSSION:
                talk[i, turn[i] - 1 - rounds, seat] = action - words
            else:
                cast[i, seat] = action - votes_at
            moves[i] = (moves[i] + 1) % players
            to_move[i] = (first[i] + moves[i]) % players
            if moves[i] == 0 and now == VOTE:
                ending[i] = _open(i, rules, state)
            elif moves[i] == 0:
                turn[i] += 1
                if turn[i] > rounds:
                    shown[i] = DISCUSSION if turn[i] <= rounds + discussion else VOTE
        if ending[i] == NOT_OVER:
            if shown[i] != CLUE:
                _show(i, now, rules, state)
            continue
        for p in range(players):
            won = (p == chameleons[i]) == (ending[i] != CAUGHT)
            rewards[i, p] = 1.0 if won else -1.0
        ended_turn[i], ended_instances[i] = turn[i], instances[i]
        ended_chameleons[i] = chameleons[i]
        _deal(i, rules, state)
    return -1


@kernel(error_model="numpy")
def _deal(i: int, rules: Rules, state: State) -> None:
    """Give a lane a new game."""
    lane, players = state.generators[i], rules.players
    instance = state.instances[i] = integers(lane, len(rules.cards))
    state.chameleons[i] = integers(lane, players)
    state.first[i] = state.to_move[i] = integers(lane, players)
    permutation(lane, state.lots[i])
    state.games[i] += 1
    state.keys[i] = mixed(lane[3] + np.uint64(state.games[i]) * GOLDEN)
    state.turn[i], state.moves[i], state.accused[i] = 1, 0, NOTHING
    for p in range(players):
        state.tied[i, p] = True
        for r in range(rules.clue_rounds):
            state.clues[i, r, p] = NOTHING
        for r in range(rules.discussion):
            state.talk[i, r, p] = NOTHING
        for ballot in range(2):
            state.votes[i, ballot, p] = NOTHING
    mask, clues = state.masks[i], rules.masks[rules.cards[instance]]
    for a in range(len(mask)):
        mask[a] = clues[a] if a < len(clues) else 0
    state.shown[i] = CLUE


@kernel(error_model="numpy")
def _open(i: int, rules: Rules, state: State) -> int:
    """Count the votes; how the game has ended, or NOT_OVER."""
    players, tied, votes = rules.players, state.tied[i], state.votes[i]
    ballot = 0 if votes[0, 0] == NOTHING else 1
    counts = np.zeros(players, np.int64)
    for p in range(players):
        votes[ballot, p] = state.cast[i, p]
        counts[votes[ballot, p]] += 1
    most, leaders = counts.max(), 0
    for p in range(players):
        leaders += counts[p] == most
    if leaders > 1 and rules.tie == AGAIN and ballot == 0:
        for p in range(players):
            tied[p] = counts[p] == most
        state.turn[i] += 1
        return NOT_OVER
    if leaders == 1 or rules.tie == BY_LOT:
        for seat in state.lots[i]:
            if counts[seat] == most:
                state.accused[i] = seat
                break
    if state.accused[i] != state.chameleons[i]:
        return ESCAPED
    state.turn[i] += 1
    state.shown[i], state.to_move[i] = GUESS, state.chameleons[i]
    return NOT_OVER


@kernel(error_model="numpy")
def _show(i: int, before: int, rules: Rules, state: State) -> None:
    """Write the mask of a discussion, a vote or a guess.

    Args:
        i: the lane.
        before: what was done before; after a clue the words must be cleared.
        rules: of all lanes.
        state: the lanes.
    """
    players, words = rules.players, rules.masks.shape[1]
    mask, now, seat, tied = state.masks[i], state.shown[i], state.to_move[i], state.tied[i]
    for a in range(0 if before == CLUE else words, len(mask)):
        mask[a] = 0
    if now == GUESS:
        start = words + 1 + 3 * players
        for place in range(rules.words[rules.cards[state.instances[i]]]):
            mask[start + place] = 1
        return
    mask[words] = now == DISCUSSION
    for p in range(players):
        mask[words + 1 + p] = now == DISCUSSION and p != seat
        mask[words + 1 + players + p] = now == DISCUSSION
        mask[words + 1 + 2 * players + p] = now == VOTE and tied[p] and p != seat
