"""SNEAK for many lanes at once, compiled: moves, masks and pay.

Nothing is checked here but legality; `batch` is the module to use. B is the number of lanes, I of
instances, V of words in the vocabulary, W and M of the most words and messages a game has. A lane
plays one game after another with one generator. Texts are numbers: first the vocabulary, then
every category's decoys and words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.generators import GOLDEN, Lanes, integers, mixed, permutation
from unspoken.kernels import kernel

NOT_OVER, SIGNALLED, LEAKED, MISSED, BACKFIRED = range(-1, 4)
SPEAKER, ALLY, CHAMELEON, WAITING = range(4)
"""Who moves, and whose mask is shown; or a lane that waits for a new game."""
NOTHING = -1


class Rules(NamedTuple):
    """What all lanes share; read-only.

    Attributes:
        words: number of each instance's first word, int64 [I]; the rest follow.
        n_words: int64 [I].
        decoys: number of each instance's first decoy, int64 [I]; the rest follow.
        n_messages: the decoys and one, int64 [I].
        secrets: place of the secret among the words, int64 [I].
        masks: which words of the vocabulary may be said, int8 [I, V].
    """

    words: NDArray[np.int64]
    n_words: NDArray[np.int64]
    decoys: NDArray[np.int64]
    n_messages: NDArray[np.int64]
    secrets: NDArray[np.int64]
    masks: NDArray[np.int8]


class State(NamedTuple):
    """The lanes.

    Attributes:
        generators: uint64 [B, 6], see `unspoken.envs.generators`.
        games: games dealt since the lane was seeded, int64 [B].
        keys: what the draws of random moves are counted from, uint64 [B].
        instances: int64 [B].
        cards: the words on the table, as their labels go, int64 [B, W]; NOTHING further on.
        secrets: place of the secret on the table, int64 [B].
        orders: what the ally hears, as its labels go, int64 [B, M]: 0 the message, 1 the first
            decoy, …; stale further on.
        messages: what the speaker said, int64 [B]; NOTHING before.
        choices: whether the ally found it, bool [B]; stale before.
        heard: what the ally hears, as its labels go, int64 [B, M]; NOTHING before and further on.
        shown: who moves, int8 [B].
        masks: int8 [B, V].
        rewards: of the last step, float64 [B, 3]: speaker, ally, chameleon.
        ending: of the game that the last step ended, int8 [B]; NOT_OVER if it ended none.
        ended_instances: the lane's last finished game, int64 [B].
        ended_messages: what was said in it, int64 [B].
    """

    generators: Lanes
    games: NDArray[np.int64]
    keys: NDArray[np.uint64]
    instances: NDArray[np.int64]
    cards: NDArray[np.int64]
    secrets: NDArray[np.int64]
    orders: NDArray[np.int64]
    messages: NDArray[np.int64]
    choices: NDArray[np.bool_]
    heard: NDArray[np.int64]
    shown: NDArray[np.int8]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    ending: NDArray[np.int8]
    ended_instances: NDArray[np.int64]
    ended_messages: NDArray[np.int64]


@kernel(error_model="numpy")
def choose(rules: Rules, state: State, actions: NDArray[np.int64]) -> None:
    """Write an action of every lane that is uniform over all legal ones, int64 [B]."""
    masks, shown, keys, instances = state.masks, state.shown, state.keys, state.instances
    sizes = masks.shape[1], rules.n_messages, rules.n_words
    for i in range(len(actions)):
        now, instance = shown[i], instances[i]
        n = sizes[0]
        if now == ALLY:
            n = sizes[1][instance]
        elif now == CHAMELEON:
            n = sizes[2][instance]
        tries = np.uint64(0)  # few words are refused, so drawing again is quickest
        while True:
            draw = mixed(keys[i] + (np.uint64(4) * tries + np.uint64(now)) * GOLDEN)
            actions[i] = np.int64(((draw >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))
            if masks[i, actions[i]]:
                break
            tries += np.uint64(1)


@kernel(error_model="numpy")
def step(actions: NDArray[np.int64], rules: Rules, state: State) -> int:
    """Let every lane's player say its action, int64 [B].

    Returns:
        The first lane whose mask does not allow its action, and then nothing has changed; else -1.
    """
    # Arrays are counted, atomically, when a tuple's field is looked at: outside the loop.
    words, n_words, places = rules.words, rules.n_words, rules.secrets
    decoys, n_messages, patterns = rules.decoys, rules.n_messages, rules.masks
    generators, games, keys, instances = state.generators, state.games, state.keys, state.instances
    cards, secrets, orders = state.cards, state.secrets, state.orders
    messages, choices, heard = state.messages, state.choices, state.heard
    shown, masks, rewards, ending = state.shown, state.masks, state.rewards, state.ending
    ended_instances, ended_messages = state.ended_instances, state.ended_messages
    n_actions = masks.shape[1]
    for i in range(len(actions)):
        legal = 0 <= actions[i] < n_actions and masks[i, actions[i]]
        if shown[i] != WAITING and not legal:
            return i
    for i in range(len(actions)):
        action, now, instance = actions[i], shown[i], instances[i]
        ending[i] = NOT_OVER
        rewards[i, 0] = rewards[i, 1] = rewards[i, 2] = 0.0
        if now == SPEAKER:
            messages[i] = action
            for m in range(n_messages[instance]):
                said = orders[i, m]
                heard[i, m] = action if said == 0 else decoys[instance] + said - 1
            for a in range(n_actions):
                masks[i, a] = 0
            for a in range(n_messages[instance]):
                masks[i, a] = 1
            shown[i] = ALLY
            continue
        if now == ALLY:
            choices[i] = orders[i, action] == 0
            for a in range(max(n_messages[instance], n_words[instance])):
                masks[i, a] = a < n_words[instance]
            shown[i] = CHAMELEON
            continue
        if now == CHAMELEON:
            found, leaked = choices[i], action == secrets[i]
            rewards[i, 0], rewards[i, 1], rewards[i, 2] = found and not leaked, found, leaked
            if found:
                ending[i] = LEAKED if leaked else SIGNALLED
            else:
                ending[i] = BACKFIRED if leaked else MISSED
            ended_instances[i], ended_messages[i] = instance, messages[i]
        instance = instances[i] = integers(generators[i], len(words))
        n = n_words[instance]
        permutation(generators[i], cards[i, :n])
        for w in range(n):
            if cards[i, w] == places[instance]:
                secrets[i] = w
            cards[i, w] += words[instance]
        cards[i, n:] = NOTHING
        permutation(generators[i], orders[i, : n_messages[instance]])
        heard[i] = NOTHING
        messages[i] = NOTHING
        games[i] += 1
        keys[i] = mixed(generators[i, 3] + np.uint64(games[i]) * GOLDEN)
        for a in range(n_actions):
            masks[i, a] = patterns[instance, a]
        shown[i] = SPEAKER
    return -1
