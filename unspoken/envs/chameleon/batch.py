"""Many games of Chameleon at once, as arrays: the games of `ChameleonEnv` by menu, without texts.

```python
from unspoken.envs.chameleon.batch import Batch
batch = Batch(4096, players=4)
batch.reset(seed=0)
batch.step(batch.sample())       # a clue, an act, a vote or a guess in every lane
batch.rewards, batch.ending, batch.clues, batch.votes, batch.masks
```
Lane i seeded with s plays the games, move for move, that the env plays after `reset(seed=s)` and
then `reset()` again and again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from unspoken.envs import generators
from unspoken.envs.base import whole
from unspoken.envs.chameleon import batch_kernels as kernels
from unspoken.envs.chameleon.env import ChameleonEnv
from unspoken.envs.chameleon.interpreter import clue_mask
from unspoken.envs.chameleon.menu import menu, places
from unspoken.envs.chameleon.rules import TIES, Ending, Phase, Tie
from unspoken.envs.lanes import Lanes, read_only
from unspoken.envs.sneak.instances import DEFAULT, dealt, load

PHASES: tuple[Phase, ...] = get_args(Phase)
ENDINGS = (Ending.ESCAPED, Ending.GUESSED, Ending.CAUGHT)
"""What `Batch.ending` counts."""


class Batch(Lanes):
    """B games in parallel lanes that need not be in step: each deals itself a new game.

    Arrays that attributes give are views, not to be written on; the next call of `step` or `reset`
    changes what they hold. Players are seats, 0 to P - 1; R = `clue_rounds`, D = `discussion`, V
    the size of the vocabulary and A that of the menu. A move that the mask does not allow is
    refused; the env plays it as a pass.

    Args:
        num_envs: B, 1 or more.
        players: P; see `ChameleonEnv`, as all that follow.
        clue_rounds: how many clues each gives.
        discussion: how often each speaks between clues and vote.
        tie: "nobody", "random" or "revote".
        repeats: whether a clue may be given again.
        categories: a file of categories.

    Attributes:
        num_envs: B.
        instance_names: every instance as "category/word", in the order of `instances`.
        instances: which instance is played, int64 [B]; hidden from the chameleon but for its card.
        chameleons: the seat that does not know the word, int64 [B]; hidden.
        first: the seat that speaks first, int64 [B].
        phase: an index of `PHASES`, int8 [B].
        turn: the current round, int64 [B], from 1.
        to_move: the seat that moves, int64 [B].
        clues: by round and seat, a word of the vocabulary, int64 [B, R, P]; -1 before.
        talk: likewise what was said in the discussion, int64 [B, D, P]: 0 a pass, 1 + seat an
            accusation, 1 + P + seat a defence.
        votes: the votes that are open, by ballot and seat, int64 [B, 2, P]; -1 before.
        accused: the seat that the vote found, int64 [B]; -1 before and where it found nobody.
        masks: legal actions of the player to move as the env pads them, int8 [B, A].
        rewards: what the last step paid each seat, float64 [B, P].
        ending: how the game ended that the last step finished, int8 [B]: an index of `ENDINGS`,
            -1 where none was finished.
        ended_turn: the last turn of the lane's last finished game, int64 [B].
        ended_instances: that game's instance, int64 [B].
        ended_chameleons: its chameleon, int64 [B].

    Raises:
        ValueError: if an option is out of its range; names the option and the range.
        SneakDataError: if the file of categories is wrong; names the entry.

    `reset` comes first; before it `step` raises `gymnasium.error.ResetNeeded`.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        players: int = 4,
        clue_rounds: int = 1,
        discussion: int = 0,
        tie: Tie = "nobody",
        repeats: bool = False,
        categories: str | Path = DEFAULT,
    ) -> None:
        n = whole("num_envs", num_envs, 1)
        ChameleonEnv(  # checks the options
            players=players,
            clue_rounds=clue_rounds,
            discussion=discussion,
            tie=tie,
            repeats=repeats,
            categories=categories,
        )
        cards = load(Path(categories))
        held = dealt(Path(categories))
        self.instance_names = tuple(held)
        names = [card.name for card in cards]
        self._rules = kernels.Rules(
            players=int(players),
            clue_rounds=int(clue_rounds),
            discussion=int(discussion),
            tie=TIES.index(tie),
            repeats=repeats,
            cards=np.array([names.index(instance.category) for instance in held.values()]),
            secrets=np.array([i.words.index(i.secret) for i in held.values()]),
            words=np.array([len(card.words) for card in cards]),
            masks=np.stack([clue_mask(card.name, card.words) for card in cards]),
        )
        self._state = state = _state(n, self._rules)
        super().__init__(n, state, kernels.WAITING)
        self.instances, self.chameleons = read_only(state.instances), read_only(state.chameleons)
        self.first, self.phase = read_only(state.first), read_only(state.shown)
        self.turn, self.to_move = read_only(state.turn), read_only(state.to_move)
        self.clues, self.talk = read_only(state.clues), read_only(state.talk)
        self.votes, self.accused = read_only(state.votes), read_only(state.accused)
        self.masks, self.rewards = read_only(state.masks), read_only(state.rewards)
        self.ending, self.ended_turn = read_only(state.ending), read_only(state.ended_turn)
        self.ended_instances = read_only(state.ended_instances)
        self.ended_chameleons = read_only(state.ended_chameleons)

    def _choose(self, actions: NDArray[np.int64]) -> None:
        kernels.choose(self._rules.masks.shape[1], self._state, actions)

    def _move(self, actions: NDArray[np.int64]) -> int:
        return int(kernels.step(actions, self._rules, self._state))

    def _complaint(self, lane: int, action: int) -> str:
        players, n = self._rules.players, self.masks.shape[1]
        said = menu(players, int(self._rules.words.max()))
        shown = f" ({said[action]!r})" if 0 <= action < n else f", of an index from 0 to {n - 1}"
        spans = places(players, 0)
        wanted = {
            "clue": "a clue that is no word of the card and was not given",
            "discussion": f"{spans.passing[0]} to {spans.defend[-1]}, and nobody accuses itself",
            "vote": f"a vote for another, in {spans.vote[0]} to {spans.vote[-1]}",
            "guess": f"a word of the card, from {spans.vote[-1] + 1} on",
        }[PHASES[self.phase[lane]]]
        return f"action {action}{shown} in lane {lane}: player {self.to_move[lane]} owes {wanted}"


def _state(n: int, rules: kernels.Rules) -> kernels.State:
    players, rounds, words = rules.players, rules.clue_rounds, rules.masks.shape[1]
    spans = places(players, int(rules.words.max()))

    def zeros(kind: Any, *shape: int) -> NDArray[Any]:
        return np.zeros((n, *shape), kind)

    assert spans.passing[0] == words
    return kernels.State(
        generators=zeros(np.uint64, generators.COLUMNS),
        games=zeros(np.int64),
        keys=zeros(np.uint64),
        instances=zeros(np.int64),
        chameleons=zeros(np.int64),
        first=zeros(np.int64),
        lots=zeros(np.int64, players),
        turn=zeros(np.int64),
        to_move=zeros(np.int64),
        moves=zeros(np.int64),
        clues=zeros(np.int64, rounds, players),
        talk=zeros(np.int64, rules.discussion, players),
        cast=zeros(np.int64, players),
        votes=zeros(np.int64, 2, players),
        tied=zeros(np.bool_, players),
        accused=zeros(np.int64),
        shown=zeros(np.int8),
        masks=zeros(np.int8, spans.guess.stop),
        rewards=zeros(np.float64, players),
        ending=zeros(np.int8),
        ended_turn=zeros(np.int64),
        ended_instances=zeros(np.int64),
        ended_chameleons=zeros(np.int64),
    )
