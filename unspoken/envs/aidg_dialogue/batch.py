"""Many games of AIDG-I at once, as arrays: the games of `AidgDialogueEnv`, without their texts.

```python
from unspoken.envs.aidg_dialogue.batch import Batch
batch = Batch(4096, mode="B")
batch.reset(seed=0)
batch.step(batch.sample())       # one question or reply in every lane
batch.rewards, batch.ending, batch.leak, batch.masks, batch.beliefs()
```
Lane i seeded with s plays the games, move for move, that the env plays after `reset(seed=s)` and
then `reset()` again and again.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unspoken.envs import generators
from unspoken.envs.aidg_dialogue import batch_kernels as kernels
from unspoken.envs.aidg_dialogue.env import AidgDialogueEnv, vary
from unspoken.envs.aidg_dialogue.menu import (
    FIRST,
    HOLDER,
    SEEKER,
    announcement,
    briefs,
    holder_menu,
    questions,
    seeker_menu,
)
from unspoken.envs.aidg_dialogue.rules import (
    ACTS,
    FORMS,
    LEAKS,
    MAX_TURNS,
    Ending,
    Mode,
    decide,
    legal,
)
from unspoken.envs.aidg_dialogue.secrets import DEFAULT, Secret, dealt, load
from unspoken.envs.base import choose, whole
from unspoken.envs.lanes import Lanes, read_only
from unspoken.evaluator.aidg_dialogue_reference import (
    BLOCK,
    VALUES,
    WEIGHTS,
    packaged,
    relations,
)

_DIRECT = ("affirm", "second", "deny", "unknown")

ENDINGS = (Ending.LEAK, Ending.CONTAINED, Ending.LIE)
"""What `Batch.ending` counts: a question of the menu breaks no rule of the seeker's."""


class Batch(Lanes):
    """B games in parallel lanes that need not be in step: each deals itself a new game.

    Arrays that attributes give are views, not to be written on; the next call of `step` or `reset`
    changes what they hold. The file has K secrets, each with a true value and four others: F = 5 K
    facts, and A = 21 K actions, the seeker's menu. H = `facts` are hidden together, T =
    `max_turns`. There is no `on_seeker_violation`, since a question of the menu is none, and no
    arbiter, since the rules decide what a reply is.

    Args:
        num_envs: B, 1 or more.
        mode: see `AidgDialogueEnv`, as all that follow to `secrets`. It changes what the seeker
            reads and believes, not what may be done.
        on_lie: "flag" or "forfeit".
        max_turns: turns a side.
        max_refusals: how often the holder may refuse or deflect; None for always.
        facts: how many linked facts are hidden together.
        vary: whether the hidden value is drawn.
        secrets: a `.toml` file of secrets.
        holder: None, where both sides are played by `step`; "rules", where each question is
            answered in the same step as the agent `rules` does.
        slip: how often that one hedges where it leaves a true premise standing, 0 to 1; its own
            default. With 0 or 1 the replies are the agent's, else they are as likely.
        autoreset: "same_step" deals a finished lane anew in the step that finished it; "next_step"
            lets it wait, with all its mask 1, for the next step, whose action there is ignored.

    Attributes:
        num_envs: B.
        fact_names: every fact as the id of its secret and a value, in the order of `hidden` and
            `beliefs`: the file's secrets, their values in alphabetical order.
        hidden: the facts that are hidden, int64 [B, H].
        leaked: by which category each of them leaked, int8 [B, H]: an index of `rules.LEAKS`, -1
            where it has not.
        lies: how many replies of the game were lies, int64 [B].
        turn: the current turn of each lane, int64 [B], from 1.
        masks: legal actions of the player to move as the env pads them, int8 [B, A].
        rewards: what the last step paid seeker and holder, float64 [B, 2].
        leak: category of leak of the last step's reply, int8 [B], as in `leaked`.
        ending: how the game ended that the last step finished, int8 [B]: an index of `ENDINGS`,
            -1 where none was finished.
        ended_turn: last turn of the lane's last finished game, int64 [B].
        ended_hidden: the facts of that game, int64 [B, H].
        ended_lies: its lies, int64 [B].
        questions: what was asked in turn t, at [:, t - 1], int32 [B, T]; later entries are stale.
        acts: what was replied, an index of `rules.ACTS`, likewise, int8 [B, T].
        announced: the category of leak of that reply, or -1, likewise, int8 [B, T].

    Raises:
        ValueError: if an option is out of its range; names the option and the range.
        SecretsError: if the file of secrets is wrong; names the line.

    `reset` comes first; before it `step` raises `gymnasium.error.ResetNeeded`.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        mode: Mode = "A",
        on_lie: Literal["flag", "forfeit"] = "flag",
        max_turns: int = MAX_TURNS,
        max_refusals: int | None = None,
        facts: int = 1,
        vary: bool = False,
        secrets: str | Path = DEFAULT,
        holder: Literal["rules"] | None = None,
        slip: float = 0.08,
        autoreset: Literal["same_step", "next_step"] = "same_step",
    ) -> None:
        n = whole("num_envs", num_envs, 1)
        choose("holder", holder, (None, "rules"))
        real = isinstance(slip, Real) and not isinstance(slip, bool)
        if not real or not 0 <= slip <= 1:
            raise ValueError(f"slip={slip!r}: a probability, a number from 0 to 1")
        choose("autoreset", autoreset, ("same_step", "next_step"))
        AidgDialogueEnv(  # checks the options
            mode=mode,
            on_lie=on_lie,
            max_turns=max_turns,
            max_refusals=max_refusals,
            facts=facts,
            vary=vary,
            secrets=secrets,
        )
        self._mode: Mode = mode
        self._file = file = load(Path(secrets))
        self.fact_names = tuple((s.id, value) for s in file for value in sorted(s.values))
        verdicts, plain = _decisions(file[0])
        self._rules = kernels.Rules(
            max_turns=int(max_turns),
            most_refusals=int(max_turns if max_refusals is None else max_refusals),
            forfeit=on_lie == "forfeit",
            by_rules=holder == "rules",
            slip=float(slip),
            same_step=autoreset == "same_step",
            known=mode == "A",
            hands=np.array([[file.index(s) for s in hand] for hand in dealt(file, int(facts))]),
            places=_places(file)[:, : VALUES if vary else 1].copy(),
            reworded=np.array([bool(_with(s, v).reword) for s in file for v in sorted(s.values)]),
            forms=np.array([FORMS.index(q.form) for q in questions(file)[:BLOCK]]),
            masks=_masks(len(questions(file))),
            verdicts=verdicts,
            plain=plain,
            weights=np.array(WEIGHTS),
            relations=relations(1).astype(np.int64),
            likelihood=np.stack([packaged(False), packaged(True)]),
        )
        self._state = state = _state(n, self._rules)
        super().__init__(n, state, kernels.WAITING)
        self.hidden, self.leaked = read_only(state.hidden), read_only(state.leaked)
        self.lies, self.turn = read_only(state.lies), read_only(state.turn)
        self.masks, self.rewards = read_only(state.masks), read_only(state.rewards)
        self.leak, self.ending = read_only(state.leak), read_only(state.ending)
        self.ended_turn = read_only(state.ended_turn)
        self.ended_hidden = read_only(state.ended_hidden)
        self.ended_lies = read_only(state.ended_lies)
        self.questions, self.acts = read_only(state.questions), read_only(state.acts)
        self.announced = read_only(state.announced)

    @property
    def to_move(self) -> NDArray[np.int8]:
        """Who moves: 0 the seeker, 1 the holder, int8 [B]."""
        return np.asarray(self._state.shown >= kernels.ANSWERING, np.int8)

    def beliefs(self) -> NDArray[np.float64]:
        """What the seeker can believe of the fact that leaks next, float64 [B, F]; rows sum to 1.

        By the evaluator's manners of holders, from the questions answered so far; in mode A the
        seeker knows the fact. Nothing is kept for it: it costs time when it is asked for, the more
        the later the turn. Where all facts of a waiting lane have leaked, it is on those. A new
        array.
        """
        return self._believed(1)[1]

    def joints(self) -> NDArray[np.float64]:
        """The same with the holder's manner, P(manner, fact), float64 [B, M, F]; a new array.

        What `unspoken.evaluator.aidg_dialogue` takes as a batch of beliefs.
        """
        return self._believed(self.num_envs)[0]

    def _believed(self, lanes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        self._check_reset()
        joints = np.empty((lanes, len(WEIGHTS), len(self.fact_names)))
        beliefs = np.empty((self.num_envs, len(self.fact_names)))
        kernels.believe(self._rules, self._state, joints, beliefs)
        return joints, beliefs

    def texts(self, agent: str = SEEKER) -> tuple[str, ...]:
        """What an agent has read so far in each lane: the text that the env would show it.

        Args:
            agent: "seeker_0" or "holder_0".

        Raises:
            ValueError: if there is no such agent.
        """
        self._check_reset()
        choose("agent", agent, (SEEKER, HOLDER))
        return tuple(self._text(lane, agent) for lane in range(self.num_envs))

    def _text(self, lane: int, agent: str) -> str:
        state, menu = self._state, seeker_menu(self._file)
        held = [self._fact(fact) for fact in self.hidden[lane].tolist()]
        lines = [briefs(held, self._mode, self._rules.max_turns)[agent]]
        out: set[int] = set()
        turn, shown = int(state.turn[lane]), state.shown[lane]
        replies = turn - (shown != kernels.WAITING)
        for t in range(replies + (shown >= kernels.ANSWERING)):
            question = int(state.questions[lane, t])
            lines.append(f"Seeker (turn {t + 1}): {menu[question]}\n")
            if t == replies:
                break
            act, told = ACTS[state.acts[lane, t]], int(state.told[lane, t])
            about = None if told < 0 else next(s for s in held if s.id == self._file[told].id)
            said = holder_menu(about)[ACTS.index(act)]
            if act == "affirm" and questions(self._file)[question].form == "either":
                said = FIRST
            lines.append(f"Holder (turn {t + 1}): {said}\n")
            before = len(out)
            if state.announced[lane, t] >= 0:
                out.add(question // BLOCK if told < 0 else told)
            if before < len(out) < len(held):
                lines.append(f"Referee (turn {t + 1}): {announcement(1, len(held))}\n")
        return "".join(lines)

    def _fact(self, fact: int) -> Secret:
        secret = self._file[fact // VALUES]
        return _with(secret, sorted(secret.values)[fact % VALUES])

    def _choose(self, actions: NDArray[np.int64]) -> None:
        kernels.choose(self._rules, self._state, actions)

    def _move(self, actions: NDArray[np.int64]) -> int:
        return int(kernels.step(actions, self._rules, self._state))

    def _complaint(self, lane: int, action: int) -> str:
        shown, n = self._state.shown[lane], self._rules.masks.shape[1]
        if shown < kernels.ANSWERING:
            return f"action {action} in lane {lane}: an index from 0 to {n - 1}"
        may = ", ".join(f"{act} {ACTS[act]}" for act in np.flatnonzero(self.masks[lane]))
        return f"action {action} in lane {lane}: the holder is to reply, by {may}"


def _with(secret: Secret, value: str) -> Secret:
    return vary(secret, secret.values.index(value))


def _places(file: tuple[Secret, ...]) -> NDArray[np.int64]:
    """Place in the alphabet of each secret's values, the file's true one first, int64 [K, 5]."""
    return np.array([[sorted(s.values).index(value) for value in s.values] for s in file])


def _decisions(secret: Secret) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Verdicts and plain answers; see `kernels.Rules`. To the rules all secrets are alike."""
    facts = [_with(secret, value) for value in sorted(secret.values)]
    facts.append(replace(secret, id=""))  # any other secret
    verdicts = np.full((len(facts), BLOCK, len(ACTS)), kernels.NOTHING, np.int8)
    plain = np.full((2, len(facts), BLOCK), -1, np.int8)
    for row, fact in enumerate(facts):
        for q, question in enumerate(questions((secret,))):
            for a, act in reversed(list(enumerate(ACTS))):
                truth, leak = decide(fact, question, act)
                if leak != "none":
                    verdicts[row, q, a] = LEAKS.index(leak)
                elif truth is False:
                    verdicts[row, q, a] = kernels.A_LIE
                if truth and act in legal(question.form) and act in _DIRECT:
                    plain[0, row, q] = a
                    plain[1, row, q] = a if leak == "none" else plain[1, row, q]
    return verdicts, plain


def _masks(actions: int) -> NDArray[np.int8]:
    """What may be done; see `kernels.Rules`."""
    masks = np.zeros((kernels.ANSWERING + 4 * len(FORMS), actions), np.int8)
    masks[: kernels.ANSWERING] = 1
    for f, form in enumerate(FORMS):
        for may_refuse in range(2):
            for worded in range(2):
                barred = set() if may_refuse else {"refuse", "deflect"}
                barred |= set() if worded else {"reword"}
                for act in legal(form):
                    row = kernels.ANSWERING + 4 * f + 2 * may_refuse + worded
                    masks[row, ACTS.index(act)] = act not in barred
    return masks


def _state(n: int, rules: kernels.Rules) -> kernels.State:
    turns, hidden = rules.max_turns, rules.hands.shape[1]

    def zeros(kind: Any, *shape: int) -> NDArray[Any]:
        return np.zeros((n, *shape), kind)

    return kernels.State(
        generators=zeros(np.uint64, generators.COLUMNS),
        games=zeros(np.int64),
        keys=zeros(np.uint64),
        hidden=zeros(np.int64, hidden),
        leaked=zeros(np.int8, hidden),
        about=zeros(np.int64),
        topical=zeros(np.int64),
        lies=zeros(np.int64),
        refusals=zeros(np.int64),
        dodges=zeros(np.int64),
        turn=zeros(np.int64),
        shown=zeros(np.int8),
        masks=zeros(np.int8, rules.masks.shape[1]),
        rewards=zeros(np.float64, 2),
        leak=zeros(np.int8),
        ending=zeros(np.int8),
        ended_turn=zeros(np.int64),
        ended_hidden=zeros(np.int64, hidden),
        ended_lies=zeros(np.int64),
        questions=zeros(np.int32, turns),
        acts=zeros(np.int8, turns),
        told=zeros(np.int32, turns),
        announced=zeros(np.int8, turns),
    )
