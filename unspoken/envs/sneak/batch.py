"""Many games of SNEAK at once, as arrays: the games of `SneakEnv` by menu, without their texts.

```python
from unspoken.envs.sneak.batch import Batch
batch = Batch(4096)
batch.reset(seed=0)
batch.step(batch.sample())       # a message, a choice or a guess in every lane
batch.rewards, batch.ending, batch.cards, batch.heard, batch.masks
```
Lane i seeded with s plays the games, move for move, that the env plays after `reset(seed=s)` and
then `reset()` again and again.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unspoken.envs import generators
from unspoken.envs.base import choose, whole
from unspoken.envs.lanes import Lanes, read_only
from unspoken.envs.sneak import batch_kernels as kernels
from unspoken.envs.sneak.instances import DEFAULT, dealt, load
from unspoken.envs.sneak.interpreter import allowed
from unspoken.envs.sneak.menu import ALLY, CHAMELEON, SPEAKER, briefs, heard, overheard
from unspoken.envs.sneak.rules import Ending
from unspoken.lexicon.vectors import vocabulary

AGENTS = (SPEAKER, ALLY, CHAMELEON)
ENDINGS = (Ending.SIGNALLED, Ending.LEAKED, Ending.MISSED, Ending.BACKFIRED)
"""What `Batch.ending` counts: a message of the menu breaks no rule."""


class Batch(Lanes):
    """B games in parallel lanes that need not be in step: each deals itself a new game.

    Arrays that attributes give are views, not to be written on; the next call of `step` or `reset`
    changes what they hold. The file deals I instances; V words are in the vocabulary, which are
    the actions; W and M are the most words and messages that a category has. Every category is
    played whole: there are no `n_words` and `n_decoys`, on which the masks would depend. What each
    listener may know is `cards`, of the ally also `secrets` and `heard`, of the chameleon also
    `messages`.

    Args:
        num_envs: B, 1 or more.
        categories: see `SneakEnv`.

    Attributes:
        num_envs: B.
        instance_names: every instance as "category/word", in the order of `instances`.
        phrases: all texts, in the order of the numbers below: the vocabulary, then every
            category's decoys, then every category's words.
        instances: which instance is played, int64 [B].
        cards: the words on the table as their labels go, numbers of `phrases`, int64 [B, W]; -1
            where a category has fewer.
        secrets: place of the secret in `cards`, int64 [B].
        messages: what the speaker said, an index of the vocabulary, int64 [B]; -1 before.
        heard: what the ally hears as its labels go, numbers of `phrases`, int64 [B, M]; -1 before
            there is a message, and where a category has fewer.
        to_move: an index of `AGENTS`, int8 [B].
        masks: legal actions of the player to move as the env pads them, int8 [B, V].
        rewards: what the last step paid speaker, ally and chameleon, float64 [B, 3].
        ending: how the game ended that the last step finished, int8 [B]: an index of `ENDINGS`,
            -1 where none was finished.
        ended_instances: the lane's last finished game, int64 [B].
        ended_messages: what the speaker said in it, int64 [B].

    Raises:
        ValueError: if `num_envs` is out of its range.
        SneakDataError: if the file of categories is wrong; names the entry.

    `reset` comes first; before it `step` raises `gymnasium.error.ResetNeeded`. Which words may be
    said is worked out when the first batch of a file is made, which takes some seconds.
    """

    def __init__(self, num_envs: int, *, categories: str | Path = DEFAULT) -> None:
        n, file = whole("num_envs", num_envs, 1), Path(categories)
        found = load(file)
        self._dealt = tuple(dealt(file).values())
        self.instance_names = tuple(dealt(file))
        decoys = [text for category in found for text in category.decoys]
        words = [text for category in found for text in category.words]
        self.phrases = (*vocabulary(), *decoys, *words)
        sizes = [(len(category.words), len(category.decoys)) for category in found]
        first_decoy = _starts([d for _, d in sizes], len(vocabulary()))
        first_word = _starts([w for w, _ in sizes], len(vocabulary()) + len(decoys))
        of = [number for number, (w, _) in enumerate(sizes) for _ in range(w)]
        self._rules = kernels.Rules(
            words=first_word[of],
            n_words=np.array([sizes[c][0] for c in of]),
            decoys=first_decoy[of],
            n_messages=np.array([1 + sizes[c][1] for c in of]),
            secrets=np.array([i.words.index(i.secret) for i in self._dealt]),
            masks=np.stack([allowed(instance) for instance in self._dealt]),
        )
        self._state = state = _state(n, self._rules)
        super().__init__(n, state, kernels.WAITING)
        self.instances, self.cards = read_only(state.instances), read_only(state.cards)
        self.secrets, self.messages = read_only(state.secrets), read_only(state.messages)
        self.heard, self.to_move = read_only(state.heard), read_only(state.shown)
        self.masks, self.rewards = read_only(state.masks), read_only(state.rewards)
        self.ending = read_only(state.ending)
        self.ended_instances = read_only(state.ended_instances)
        self.ended_messages = read_only(state.ended_messages)

    def texts(self, agent: str) -> tuple[str, ...]:
        """What an agent has read so far in each lane: the text that the env would show it.

        Args:
            agent: one of `AGENTS`.

        Raises:
            ValueError: if there is no such agent.
        """
        self._check_reset()
        choose("agent", agent, AGENTS)
        return tuple(self._text(lane, agent) for lane in range(self.num_envs))

    def _text(self, lane: int, agent: str) -> str:
        instance = self._dealt[self.instances[lane]]
        words = tuple(self.phrases[number] for number in self.cards[lane] if number >= 0)
        text = briefs(replace(instance, words=words))[agent]
        if self.messages[lane] < 0 or agent == SPEAKER:
            return text
        if agent == CHAMELEON:
            return text + overheard(self.phrases[self.messages[lane]])
        return text + heard([self.phrases[n] for n in self.heard[lane] if n >= 0])

    def _choose(self, actions: NDArray[np.int64]) -> None:
        kernels.choose(self._rules, self._state, actions)

    def _move(self, actions: NDArray[np.int64]) -> int:
        return int(kernels.step(actions, self._rules, self._state))

    def _complaint(self, lane: int, action: int) -> str:
        place, mask = self.to_move[lane], self.masks[lane]
        who = AGENTS[place]
        if who != SPEAKER:
            return f"action {action} in lane {lane}: {who} takes 0 to {mask.sum() - 1}"
        if 0 <= action < len(mask):
            secret = self.instance_names[self.instances[lane]]
            word = self.phrases[action]
            return f"action {action} in lane {lane}: {word!r} gives away the secret of {secret}"
        return f"action {action} in lane {lane}: a word of the vocabulary, 0 to {len(mask) - 1}"


def _starts(sizes: list[int], first: int) -> NDArray[np.int64]:
    """Where each of some runs begins, the first at `first`."""
    return np.array([*accumulate(sizes[:-1], initial=first)])


def _state(n: int, rules: kernels.Rules) -> kernels.State:
    def zeros(kind: Any, *shape: int) -> NDArray[Any]:
        return np.zeros((n, *shape), kind)

    n_words, n_messages = int(rules.n_words.max()), int(rules.n_messages.max())
    return kernels.State(
        generators=zeros(np.uint64, generators.COLUMNS),
        games=zeros(np.int64),
        keys=zeros(np.uint64),
        instances=zeros(np.int64),
        cards=zeros(np.int64, n_words),
        secrets=zeros(np.int64),
        orders=zeros(np.int64, n_messages),
        messages=zeros(np.int64),
        choices=zeros(np.bool_),
        heard=zeros(np.int64, n_messages),
        shown=zeros(np.int8),
        masks=zeros(np.int8, rules.masks.shape[1]),
        rewards=zeros(np.float64, 3),
        ending=zeros(np.int8),
        ended_instances=zeros(np.int64),
        ended_messages=zeros(np.int64),
    )
