"""Many cross-examinations at once, as arrays: the games of `CrossExaminationEnv` by menu.

```python
from unspoken.envs.cross_examination.batch import Batch
batch = Batch(4096)
batch.reset(seed=0)
batch.step(batch.sample())       # a question or an answer in every lane
batch.rewards, batch.ending, batch.scores, batch.standing, batch.masks, batch.features()
```
Lane i seeded with s plays the games, move for move, that the env plays after `reset(seed=s)` and
then `reset()` again and again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unspoken.envs import generators
from unspoken.envs.base import choose, whole
from unspoken.envs.cross_examination import batch_kernels as kernels
from unspoken.envs.cross_examination.cases import files, load_all
from unspoken.envs.cross_examination.env import EXHIBITS, CrossExaminationEnv
from unspoken.envs.cross_examination.features import size
from unspoken.envs.cross_examination.jury import THRESHOLD, Jury
from unspoken.envs.cross_examination.menu import (
    ANSWERS,
    QUESTIONER,
    WITNESS,
    answer_menu,
    briefs,
    question_menu,
)
from unspoken.envs.cross_examination.rules import FORMS, MAX_TURNS, Ending, Examination, against
from unspoken.envs.lanes import Lanes, read_only
from unspoken.evaluator.cross_examination_reference import Facts, facts_of

AGENTS = (QUESTIONER, WITNESS)
ENDINGS = (Ending.BELIEVED, Ending.DISCREDITED)
"""What `Batch.ending` counts."""


class Batch(Lanes):
    """B games in parallel lanes that need not be in step: each deals itself a new game.

    Arrays that attributes give are views, not to be written on; the next call of `step` or `reset`
    changes what they hold. F, E are the most facts and exhibits of a case, N = `max_turns`, A the
    actions, those of the env. Labels are the rules'; there is no annotator, since every answer of
    the menu is labelled exactly.

    Args:
        num_envs: B, 1 or more.
        case: see `CrossExaminationEnv`, as all that follow.
        max_turns: questions at most.
        exhibits: how many of the case's exhibits the questioner holds; None for all.
        jury: "score" or "model".
        threshold: the standing from which on "score" believes the witness.
        reward: "outcome" or "standing".

    Attributes:
        num_envs: B.
        case_names: the cases by id, in the order of `cases`.
        cases: which case is played, int64 [B].
        held: which exhibits the questioner holds, bool [B, E].
        said: 1 where the witness stands by a fact, -1 by its contrary, 0 by neither, int8 [B, F].
        to_move: 0 the questioner, 1 the witness, int8 [B].
        turns: answers in the game so far, int64 [B].
        standing: how the witness stands, float64 [B], -1 to 1.
        masks: legal actions of the player to move as the env pads them, int8 [B, A].
        scores: BaT and PaT of the last step's answer, float64 [B, 2]; 0 where it was none.
        rewards: what the last step paid questioner and witness, float64 [B, 2].
        ending: how the game ended that the last step finished, int8 [B]: an index of `ENDINGS`,
            -1 where none was finished.
        ended_turns: answers in the lane's last finished game, int64 [B].
        ended_standing: the standing at its end, float64 [B].
        questions: what was asked in turn t, at [:, t - 1], int16 [B, N]; later entries are stale.
        answers: what was answered, likewise, int8 [B, N].

    Raises:
        ValueError: if an option is out of its range; names the option and the range.
        CaseError: if a case file is wrong; names the file, the entry and the mistake.

    `reset` comes first; before it `step` raises `gymnasium.error.ResetNeeded`.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        case: str | Path | None = None,
        max_turns: int = MAX_TURNS,
        exhibits: int | None = EXHIBITS,
        jury: Jury = "score",
        threshold: float = THRESHOLD,
        reward: Literal["outcome", "standing"] = "outcome",
    ) -> None:
        n = whole("num_envs", num_envs, 1)
        CrossExaminationEnv(  # checks the options
            case=case,
            max_turns=max_turns,
            exhibits=exhibits,
            jury=jury,
            threshold=threshold,
            reward=reward,
        )
        self._found = tuple(load_all(files(case)))
        self.case_names = tuple(found.id for found in self._found)
        held = np.array([len(found.exhibits) for found in self._found])
        facts = _together([facts_of(found) for found in self._found])
        refuted = [against(found, Examination(found, ()).known) for found in self._found]
        self._rules = kernels.Rules(
            max_turns=int(max_turns),
            exhibits=int(held.max() if exhibits is None else exhibits),
            by_model=jury == "model",
            threshold=float(threshold),
            by_standing=reward == "standing",
            facts=np.array([len(found.facts) for found in self._found]),
            **facts._asdict(),
            held=held,
            refuted=_stack(refuted),
            truth=_stack([np.where(found.truth, 1, -1).astype(np.int8) for found in self._found]),
        )
        self._state = state = _state(n, self._rules)
        super().__init__(n, state, kernels.WAITING)
        self.cases, self.held = read_only(state.cases), read_only(state.held)
        self.said, self.to_move = read_only(state.said), read_only(state.shown)
        self.turns, self.standing = read_only(state.turns), read_only(state.standing)
        self.masks, self.scores = read_only(state.masks), read_only(state.scores)
        self.rewards, self.ending = read_only(state.rewards), read_only(state.ending)
        self.ended_turns = read_only(state.ended_turns)
        self.ended_standing = read_only(state.ended_standing)
        self.questions, self.answers = read_only(state.questions), read_only(state.answers)

    def features(self) -> NDArray[np.float32]:
        """What the player to move knows of each position, float32 [B, 8 + 9F]; a new array.

        The numbers of `unspoken.envs.cross_examination.features.features`.
        """
        self._check_reset()
        numbers = np.empty((self.num_envs, size(self.said.shape[1])), np.float32)
        kernels.features(self._rules, self._state, numbers)
        return numbers

    def texts(self, agent: str) -> tuple[str, ...]:
        """What an agent has read so far in each lane: the text that the env would show it.

        Args:
            agent: "questioner_0" or "witness_0".

        Raises:
            ValueError: if there is no such agent.
        """
        self._check_reset()
        choose("agent", agent, AGENTS)
        return tuple(self._text(lane, agent) for lane in range(self.num_envs))

    def _text(self, lane: int, agent: str) -> str:
        case, most = self._found[self.cases[lane]], self._rules.max_turns
        game = Examination(case, tuple(np.flatnonzero(self.held[lane]).tolist()), most)
        lines = [briefs(case, [case.exhibits[i] for i in game.exhibits], most)[agent]]
        said: list[str] = []
        for turn in range(1, 1 + int(self.turns[lane]) + int(self.to_move[lane])):
            possible, place = game.questions(), int(self.questions[lane, turn - 1])
            lines.append(
                f"Questioner (turn {turn}): {question_menu(case, possible, said)[place]}\n"
            )
            question = possible[place]
            assert question is not None
            game.ask(question)
            if turn > self.turns[lane]:
                break
            answer = int(self.answers[lane, turn - 1])
            said.append(answer_menu(case, question)[answer])
            lines.append(f"Witness (turn {turn}): {said[-1]}\n")
            game.answer(*ANSWERS[answer])
        return "".join(lines)

    def _choose(self, actions: NDArray[np.int64]) -> None:
        kernels.choose(self._state, actions)

    def _move(self, actions: NDArray[np.int64]) -> int:
        return int(kernels.step(actions, self._rules, self._state))

    def _complaint(self, lane: int, action: int) -> str:
        who, legal = AGENTS[self.to_move[lane]], np.flatnonzero(self.masks[lane])
        return f"action {action} in lane {lane}: {who} takes {', '.join(map(str, legal))}"


def _together(cases: list[Facts]) -> Facts:
    """The facts of all cases, each array with one more dimension in front."""
    return Facts(*(_stack(list(arrays)) for arrays in zip(*cases, strict=True)))


def _stack(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Arrays of several sizes in one; where they are shorter it is 0."""
    shape = np.max([array.shape for array in arrays], axis=0)
    whole = np.zeros((len(arrays), *shape), arrays[0].dtype)
    for row, array in zip(whole, arrays, strict=True):
        row[tuple(map(slice, array.shape))] = array
    return whole


def _state(n: int, rules: kernels.Rules) -> kernels.State:
    facts, exhibits = rules.helpful.shape[1], rules.proofs.shape[1]
    topics = int(rules.topics.max()) + 1

    def zeros(kind: Any, *shape: int) -> NDArray[Any]:
        return np.zeros((n, *shape), kind)

    return kernels.State(
        generators=zeros(np.uint64, generators.COLUMNS),
        games=zeros(np.int64),
        keys=zeros(np.uint64),
        cases=zeros(np.int64),
        held=zeros(np.bool_, exhibits),
        said=zeros(np.int8, facts),
        told=zeros(np.int8, facts),
        raised=zeros(np.bool_, topics),
        refuted=zeros(np.bool_, 2 * facts),
        opposed=zeros(np.bool_, 2 * facts),
        spent=zeros(np.bool_, facts, exhibits + 2 * facts),
        grounds=zeros(np.int64, facts),
        asked=zeros(np.int64, 2),
        turns=zeros(np.int64),
        sums=zeros(np.float64, 2),
        scores=zeros(np.float64, 2),
        standing=zeros(np.float64),
        shown=zeros(np.int8),
        masks=zeros(np.int8, max(len(FORMS) * facts, len(ANSWERS))),
        rewards=zeros(np.float64, 2),
        ending=zeros(np.int8),
        ended_turns=zeros(np.int64),
        ended_standing=zeros(np.float64),
        questions=zeros(np.int16, rules.max_turns),
        answers=zeros(np.int8, rules.max_turns),
    )
