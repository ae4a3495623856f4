"""Many games of AIDG-II at once, as arrays: the games of `AidgSearchEnv`, without their texts.

```python
from unspoken.envs.aidg_search.batch import Batch
batch = Batch(4096, holder="table")
batch.reset(seed=0)
batch.step(batch.sample())       # one question or lock in every lane
batch.rewards, batch.ending, batch.masks, batch.beliefs()
batch.play(10)                   # ten whole games a lane in one call
```
Lane i seeded with s plays the games, move for move, that the env plays after `reset(seed=s)` and
then `reset()` again and again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unspoken.envs import generators
from unspoken.envs.aidg_search import batch_kernels as kernels
from unspoken.envs.aidg_search.env import AidgSearchEnv
from unspoken.envs.aidg_search.menu import SEEKER, briefs
from unspoken.envs.aidg_search.rules import ANSWERS, MAX_TURNS, Ending, multiplier
from unspoken.envs.base import choose, whole
from unspoken.envs.lanes import Lanes, read_only
from unspoken.evaluator.aidg_search_bits import sets
from unspoken.evaluator.aidg_search_reference import likelihood

ENDINGS = (Ending.CORRECT_LOCK, Ending.WRONG_LOCK, Ending.WRONG_FINAL_GUESS)
"""What `Batch.ending` counts: nothing else can happen where actions are indices."""

Policy = Literal["random", "ask"]
_POLICIES = {"random": kernels.RANDOM, "ask": kernels.ASK}
_MOST_LEVELS = 256
_VECTOR = 8  # float32 that the machine works on at once


@dataclass(frozen=True, slots=True)
class Played:
    """What whole games came to.

    Attributes:
        endings: games by ending and last turn, int64 [3, T + 1]; rows as `ENDINGS`.
        belief: mean belief in the word that was locked, 0 to 1: what the seeker expected to win.
            NaN where no beliefs are kept.
    """

    endings: NDArray[np.int64]
    belief: float

    @property
    def games(self) -> int:
        """How many games were finished."""
        return int(self.endings.sum())

    @property
    def turns(self) -> int:
        """Turns of all these games together: the seeker's decisions."""
        return int(self.endings.sum(axis=0) @ np.arange(self.endings.shape[1]))

    @property
    def won(self) -> float:
        """Share of games that the seeker won."""
        return float(self.endings[0].sum() / self.games)


class Batch(Lanes):
    """B games in parallel lanes that need not be in step: each deals itself a new game.

    Arrays that attributes and methods give are views, not to be written on; the next call of
    `step`, `play` or `reset` changes what they hold. Q is the number of questions, W of words in
    the ontology, N of words a secret may be, A = Q + W, T = `max_turns`.

    Args:
        num_envs: B, 1 or more.
        words: see `AidgSearchEnv`, as all that follow to `ontology`.
        max_turns: question turns plus the forced final guess.
        holder_noise: probability that an answer is heard as another.
        reward: "outcome" or "decay".
        ontology: folder with `words.toml` and `questions.toml`.
        holder: None, where both sides are played by `step`; "table", where each question is
            answered in the same step by the answer table, a mixed cell being drawn once a game
            and question.
        beliefs: "weights" keeps the seeker's posterior; "candidates" keeps only which words fit
            all answers, as bits, for answers without noise (with a table of certain answers this
            says as much); None keeps nothing.
        autoreset: "same_step" deals a finished lane anew in the step that finished it (what could
            be seen of the old game is then what was seen before the step: a lock tells the seeker
            nothing but the ending); "next_step" lets it wait, with all its mask 1, for the next
            step, whose action there is ignored.

    Attributes:
        num_envs: B.
        words: the N words that a secret may be; beliefs are over these, in this order.
        turn: the current turn of each lane, int64 [B], from 1.
        secret: which of `words` is hidden, int64 [B].
        masks: legal actions of the player to move as the env pads them, int8 [B, A].
        rewards: what the last step paid seeker and holder, float64 [B, 2].
        ending: how the game ended that the last step finished, int8 [B]: an index of `ENDINGS`,
            -1 where none was finished.
        ended_turn: last turn of the lane's last finished game, int64 [B].
        ended_secret: the secret of that game, int64 [B].
        questions: what was asked in turn t, at [:, t - 1], int16 [B, T]; later entries are stale.
        answers: what was heard, likewise, int8 [B, T].

    Raises:
        ValueError: if an option is out of its range; names the option and the range.

    `reset` comes first; before it `step` and `play` raise `gymnasium.error.ResetNeeded`.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        words: tuple[str, ...] | list[str] | None = None,
        max_turns: int = MAX_TURNS,
        holder_noise: float = 0.0,
        reward: Literal["outcome", "decay"] = "outcome",
        ontology: str | Path | None = None,
        holder: Literal["table"] | None = None,
        beliefs: Literal["weights", "candidates"] | None = "weights",
        autoreset: Literal["same_step", "next_step"] = "same_step",
    ) -> None:
        n = whole("num_envs", num_envs, 1)
        choose("holder", holder, (None, "table"))
        choose("beliefs", beliefs, (None, "weights", "candidates"))
        choose("autoreset", autoreset, ("same_step", "next_step"))
        folder = {} if ontology is None else {"ontology": ontology}
        env = AidgSearchEnv(
            words=words,
            max_turns=max_turns,
            holder_noise=holder_noise,
            reward=reward,
            **folder,  # type: ignore[arg-type]
        )
        if beliefs == "candidates" and holder_noise:
            raise ValueError(
                f"holder_noise={holder_noise!r} with beliefs='candidates': a noisy answer rules "
                "no word out; keep beliefs='weights'"
            )
        self._env = env
        self.words = env.words
        self._rules = _rules(
            env, int(max_turns), float(holder_noise), reward, holder, beliefs, autoreset
        )
        self._state = state = _state(n, self._rules)
        super().__init__(n, state, kernels.WAITING)
        self.turn, self.secret = read_only(state.turn), read_only(state.secret)
        self.masks, self.rewards = read_only(state.masks), read_only(state.rewards)
        self.ending = read_only(state.ending)
        self.ended_turn = read_only(state.ended_turn)
        self.ended_secret = read_only(state.ended_secret)
        self.questions, self.answers = read_only(state.questions), read_only(state.answers)

    def sample(self, policy: Policy = "random") -> NDArray[np.int64]:
        """A legal action for every lane, int64 [B], by a policy; see `play`.

        The choice is a function of the lane's seed, game and turn.
        """
        self._check_reset()
        choose("policy", policy, tuple(_POLICIES))
        actions = np.empty(self.num_envs, np.int64)
        self._choose(actions, policy)
        return actions

    def play(self, games: int = 1, policy: Policy = "random") -> Played:
        """Play every lane on until it has finished `games` games; all then begin another.

        The games are those that `step(sample(policy))` plays.

        Args:
            games: of each lane, 1 or more; the first is the one that it is in.
            policy: "random" is uniform over all legal moves; "ask" asks at random up to the last
                turn and then locks the likeliest word.

        Raises:
            ValueError: if an argument is out of its range, or the holder is not the table.
        """
        self._check_reset()
        choose("policy", policy, tuple(_POLICIES))
        whole("games", games, 1)
        if not self._rules.from_table:
            raise ValueError("play needs a holder: make the batch with holder='table'")
        endings = np.zeros((len(ENDINGS), self._rules.max_turns + 1), np.int64)
        believed = np.zeros(1)
        kernels.play(_POLICIES[policy], games, self._rules, self._state, endings, believed)
        self._deal()
        known = bool(self._rules.likelihood.shape[1] or len(self._rules.candidates))
        return Played(endings, float(believed[0] / endings.sum()) if known else float("nan"))

    @property
    def to_move(self) -> NDArray[np.int8]:
        """Who moves: 0 the seeker, 1 the holder, int8 [B]."""
        return np.asarray(self._state.shown == kernels.ANSWERING, np.int8)

    def beliefs(self) -> NDArray[np.float32]:
        """P(word is the secret | answers heard), float32 [B, N], rows sum to 1; a new array.

        With `beliefs="candidates"` all that fit are equally likely; a row of zeros if none does.
        Weights are float32, and no word's falls below 1e-25 times the first: in a game of
        truthful or noisy answers the posterior is right to 1e-5.

        Raises:
            ValueError: if no beliefs are kept.
        """
        if self._rules.likelihood.shape[1]:
            weights = self._state.weights[:, : len(self.words)]
            return np.asarray(weights / weights.sum(axis=1, keepdims=True))
        fit = self.candidates()
        return np.asarray(fit / np.maximum(fit.sum(axis=1, keepdims=True), 1, dtype=np.float32))

    def candidates(self) -> NDArray[np.bool_]:
        """Which words fit all answers, bool [B, N]; a new array.

        Raises:
            ValueError: if they are not kept.
        """
        if not len(self._rules.candidates):
            raise ValueError("this batch was made without them; give it another `beliefs`")
        return _unpacked(self._state.sets, len(self.words))

    def asked(self) -> NDArray[np.bool_]:
        """Which questions were answered in each lane's present game, bool [B, Q]; a new array.

        Raises:
            ValueError: if the posterior is not kept.
        """
        if not self._rules.likelihood.shape[1]:
            raise ValueError("what was asked is kept with beliefs='weights' only")
        return _unpacked(self._state.asked, len(self._rules.fitting))

    def features(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """What a network needs to see of each lane, float32 [B, N + 2], all from 0 to 1.

        Columns are the belief, its entropy as a share of log2(N), and the turn as a share of T.

        Args:
            out: where to write it; a new array if None.

        Raises:
            ValueError: if the posterior is not kept.
        """
        n = len(self.words)
        if not self._rules.likelihood.shape[1]:
            raise ValueError("features need beliefs='weights'")
        if out is None:
            out = np.empty((self.num_envs, n + 2), np.float32)
        kernels.features(self._state.weights, self._state.turn, self._rules.max_turns, out)
        return out

    def texts(self) -> tuple[str, ...]:
        """What the seeker of each lane has read so far: the text that the env would show it."""
        return tuple(map(self._text, range(self.num_envs)))

    def _text(self, lane: int) -> str:
        env, state = self._env, self._state
        subset = self.words if len(self.words) < len(env.ontology.words) else ()
        secret = self.words[state.secret[lane]]
        lines = [briefs(secret, self._rules.max_turns, subset)[SEEKER]]
        turn, shown = int(state.turn[lane]), state.shown[lane]
        for t in range(1, turn + (shown == kernels.ANSWERING)):
            question = env.menu(SEEKER)[state.questions[lane, t - 1]]
            lines.append(f"Seeker (turn {t}): {question}\n")
            if t < turn:
                lines.append(f"Holder (turn {t}): {ANSWERS[state.answers[lane, t - 1]]}\n")
        return "".join(lines)

    def _choose(self, actions: NDArray[np.int64], policy: Policy = "random") -> None:
        kernels.choose(_POLICIES[policy], self._rules, self._state, actions)

    def _move(self, actions: NDArray[np.int64]) -> int:
        return int(kernels.step(actions, self._rules, self._state))

    def _complaint(self, lane: int, action: int) -> str:
        shown = self._state.shown[lane]
        if shown == kernels.ANSWERING:
            return f"action {action} in lane {lane}: the holder is to answer, 0 to 2"
        n = self._rules.masks.shape[1]
        if not 0 <= action < n:
            return f"action {action} in lane {lane}: an index from 0 to {n - 1}"
        why = (
            "this is the last turn, only locks are left"
            if action < len(self._rules.fitting)
            else "that word is not in play"
        )
        return f"action {action} in lane {lane} ({self._env.menu(SEEKER)[action]!r}): {why}"


def _rules(
    env: AidgSearchEnv,
    max_turns: int,
    noise: float,
    reward: str,
    holder: str | None,
    beliefs: str | None,
    autoreset: str,
) -> kernels.Rules:
    ontology = env.ontology
    n_questions, n = len(ontology.questions), len(env.words)
    words = np.array([ontology.words.index(word) for word in env.words])
    places = np.full(len(ontology.words), -1)
    places[words] = np.arange(n)
    table = ontology.table[words]
    levels, cells = np.unique(table.reshape(-1, len(ANSWERS)), axis=0, return_inverse=True)
    if len(levels) > _MOST_LEVELS:
        raise ValueError(
            f"ontology with {len(levels)} different cells: a batch takes at most {_MOST_LEVELS}"
        )
    locks = np.concatenate([np.zeros(n_questions, np.int8), (places >= 0).astype(np.int8)])
    asking = locks.copy()
    asking[:n_questions] = 1
    answering = np.zeros_like(locks)
    answering[: len(ANSWERS)] = 1
    turns = range(1, max_turns + 1)
    pay = [multiplier(t, max_turns) if reward == "decay" else 1.0 for t in turns]
    heard = likelihood(table, noise).transpose(1, 2, 0)
    return kernels.Rules(
        max_turns=max_turns,
        noise=noise,
        from_table=holder == "table",
        same_step=autoreset == "same_step",
        words=words,
        places=places,
        masks=np.stack([asking, locks, answering, np.ones_like(locks)]),
        pay=np.array([0.0, *pay]),
        cells=cells.reshape(n, n_questions).astype(np.uint8),
        levels=levels,
        limits=np.rint(levels.cumsum(axis=1)[:, :2] * 2**31).astype(np.uint32),
        likelihood=_rows(heard, beliefs),
        candidates=_bits(np.ones(n, np.bool_), beliefs),
        fitting=_bits(table.transpose(1, 2, 0) > 0, beliefs),
    )


def _rows(heard: NDArray[np.float64], beliefs: str | None) -> NDArray[np.float32]:
    """P(answer heard) [Q, 3, N] as rows, and that of nothing heard; empty if not to be kept."""
    n = heard.shape[-1]
    rows = np.concatenate([heard.reshape(-1, n), np.ones((1, n))])
    rows = np.pad(rows, ((0, 0), (0, -n % _VECTOR)))
    return np.ascontiguousarray(rows if beliefs == "weights" else rows[:, :0], np.float32)


def _bits(fits: NDArray[np.bool_], beliefs: str | None) -> NDArray[np.uint64]:
    """Truth values [..., N] as bits, uint64 [..., N / 64 rounded up]; none if not to be kept."""
    packed = sets(fits)
    return packed if beliefs == "candidates" else packed[..., :0].copy()


def _unpacked(packed: NDArray[np.uint64], n: int) -> NDArray[np.bool_]:
    """The first n bits of each row, bool [B, n]."""
    octets = packed.astype("<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n, bitorder="little").view(bool)


def _state(n: int, rules: kernels.Rules) -> kernels.State:
    turns, n_questions = rules.max_turns, len(rules.fitting)

    def zeros(kind: Any, *shape: int) -> NDArray[Any]:
        return np.zeros((n, *shape), kind)

    return kernels.State(
        generators=zeros(np.uint64, generators.COLUMNS),
        games=zeros(np.int64),
        keys=zeros(np.uint64),
        secret=zeros(np.int64),
        turn=zeros(np.int64),
        shown=zeros(np.int8),
        masks=zeros(np.int8, rules.masks.shape[1]),
        rewards=zeros(np.float64, 2),
        ending=zeros(np.int8),
        ended_turn=zeros(np.int64),
        ended_secret=zeros(np.int64),
        questions=zeros(np.int16, turns),
        answers=zeros(np.int8, turns),
        asked=zeros(np.uint64, -(-n_questions // 64)),
        weights=zeros(np.float32, rules.likelihood.shape[1]),
        sets=zeros(np.uint64, len(rules.candidates)),
        news=zeros(np.int64),
    )
