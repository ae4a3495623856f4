"""The cross-examination as a PettingZoo AEC environment: the shell around `rules.Examination`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import numpy as np

from unspoken.envs.base import DialogueEnv, Understood, Utterances, choose, one_line, whole
from unspoken.envs.cross_examination.cases import Case, files, load_all
from unspoken.envs.cross_examination.features import features
from unspoken.envs.cross_examination.interpreter import Annotator, read_answer, read_question
from unspoken.envs.cross_examination.jury import JURIES, THRESHOLD, Jury
from unspoken.envs.cross_examination.menu import (
    ANSWERS,
    QUESTIONER,
    WITNESS,
    answer_menu,
    briefs,
    places,
    question_menu,
    secret,
)
from unspoken.envs.cross_examination.rules import FORMS, MAX_TURNS, Examination, Question

EXHIBITS = 3


class CrossExaminationEnv(DialogueEnv):
    """A questioner examines a witness before a jury that keeps SDA's scores (SDA 3 to 5).

    Agents are `questioner_0` and `witness_0`. The space, reward and option tables, and the version
    history, are in the game's README.

    Args:
        case: the case: the name of one of the package's, the path of a file, or that of a folder
            whose cases are dealt; None deals the package's.
        max_turns: questions at most, at least 1.
        exhibits: how many of the case's exhibits the questioner holds, drawn for each game; None
            for all of them.
        jury: who decides: "score" (the witness is believed from a standing on) or "model" (a
            juror drawn by the paper's outcome model).
        threshold: that standing, -1 to 1.
        reward: "outcome" pays 1 to the winner and -1 to the loser; "standing" pays the witness its
            standing and the questioner the contrary.
        utterances: "menu" or "free".
        annotator: labels answers that are in no menu (free mode): an object or a spec of
            `unspoken.judges.sda.annotators`; None for the game's own reading of them.
        checked: see `DialogueEnv`; `env()` sets it.
        nonzero_mask: see `DialogueEnv`.
        render_mode: None, "ansi" or "human".

    Raises:
        ValueError: if an option is out of its range; names the option and the range.
        CaseError: if a case file is wrong; names the file, the entry and the mistake.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as PettingZoo declares it
        "name": "cross_examination_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    _game: Examination

    def __init__(
        self,
        *,
        case: str | Path | None = None,
        max_turns: int = MAX_TURNS,
        exhibits: int | None = EXHIBITS,
        jury: Jury = "score",
        threshold: float = THRESHOLD,
        reward: Literal["outcome", "standing"] = "outcome",
        utterances: Utterances = "menu",
        annotator: Annotator | str | None = None,
        checked: bool = False,
        nonzero_mask: bool = False,
        render_mode: str | None = None,
    ) -> None:
        choose("jury", jury, JURIES)
        choose("reward", reward, ("outcome", "standing"))
        self._max_turns = whole("max_turns", max_turns, 1)
        if exhibits is not None:
            exhibits = whole("exhibits", exhibits, 0, note=", or None")
        real = isinstance(threshold, Real) and not isinstance(threshold, bool)
        if not real or not -1 <= threshold <= 1:
            raise ValueError(f"threshold={threshold!r}: a number from -1 to 1")
        if annotator is not None and not isinstance(annotator, str | Annotator):
            raise ValueError(f"annotator={annotator!r}: None, a spec, or an object with label()")
        self._path = files(case)
        self._facts = max(len(found.facts) for found in self._cases.values())
        super().__init__(
            places(self._facts),
            utterances=utterances,
            checked=checked,
            nonzero_mask=nonzero_mask,
            render_mode=render_mode,
        )
        self._n_exhibits = exhibits
        self._jury = jury
        self._threshold = float(threshold)
        self._reward = reward
        if isinstance(annotator, str):
            from unspoken.judges.sda.annotators import make_annotator

            annotator = make_annotator(annotator)
        self._annotator = annotator
        self.waits = hasattr(annotator, "take_trace")

    @property
    def _cases(self) -> dict[str, Case]:
        # looked up, not kept: copies and pickles of an env are taken in mid-game
        return {case.id: case for case in load_all(self._path)}

    @property
    def secret(self) -> str:
        """What is hidden in the present game: the truth (for runners and tests, never shown)."""
        return secret(self._game.case)

    def secrets(self) -> tuple[str, ...]:
        """The cases that can be dealt, by id."""
        return tuple(self._cases)

    def take_trace(self) -> list[dict[str, Any]]:
        """The requests that the annotator made to a model since the last call."""
        take: Callable[[], list[dict[str, Any]]] = getattr(self._annotator, "take_trace", list)
        return take()

    def public(self, secret: str) -> str:
        """The charge and the facts of a case; their truth is not known to all."""
        case = self._cases[secret]
        return "\n".join((case.title, case.charge, *(fact.statement for fact in case.facts)))

    def payoffs(self) -> dict[str, float] | None:
        """What is paid by standing."""
        if self._reward != "standing" or self.result is None or self.result.winner is None:
            return None
        standing = self._game.account.standing
        return {WITNESS: standing, QUESTIONER: -standing}

    @property
    def keepers(self) -> tuple[str, ...]:
        """The witness."""
        return (WITNESS,)

    def understand(self, role: str, text: str, info: Mapping[str, Any]) -> Understood:
        """How the game would take a text said by `role` in the situation `info`."""
        text = one_line(text)
        if not text:
            return Understood(-1, "You said nothing.")
        free = "menu_mask" in info
        if text not in info["menu"]:
            return Understood(-1, "" if free else "That is not in the menu.")
        action = info["menu"].index(text)
        if info["menu_mask" if free else "action_mask"][action]:
            return Understood(action)
        return Understood(-1, "" if free else "That cannot be said now.")

    def _void(self, reason: str) -> None:
        self._game.void(reason)
        self._settle()

    def _begin(self, options: dict[str, Any]) -> None:
        wanted, cases = options.get("secret"), self._cases
        if wanted is None:
            wanted = list(cases)[int(self.np_random.integers(len(cases)))]
        elif wanted not in cases:
            raise ValueError(f"secret={wanted!r}: name one of this env's cases: {', '.join(cases)}")
        case = cases[wanted]
        order = self.np_random.permutation(len(case.exhibits))[: self._n_exhibits]
        held = tuple(sorted(map(int, order)))
        self._game = Examination(case, held, self._max_turns)
        self._public = case.public
        self._exhibits = tuple(case.exhibits[i] for i in held)
        self._briefs = briefs(case, self._exhibits, self._max_turns)
        self._menus = places(self._facts)
        self._next()

    def _private(self, agent: str) -> dict[str, Any]:
        game = self._game
        info: dict[str, Any] = {
            "menu": self._menus[agent],
            "case": self._public,
            "question": game.question if game.to_move == "witness" else None,
            "turns": tuple(game.turns),
            "shown": tuple(game.case.exhibits[i] for i in game.shown),
            "standing": game.account.standing,
        }
        if agent == WITNESS:
            info["truth"] = game.case.truth
            info["features"] = features(game, "witness", self._facts)
        else:
            info["exhibits"] = self._exhibits
            info["features"] = features(game, "questioner", self._facts)
        return info

    def _play(self, agent: str, action: int | str) -> None:
        if agent == QUESTIONER:
            self._ask(action)
        else:
            self._answer(action)
        self._next()

    def _ask(self, action: int | str) -> None:
        game = self._game
        index, text = self._find(QUESTIONER, action)
        question = self._questions[index] if index >= 0 else read_question(text, game)
        assert question is not None
        move = question.form if question.fact is not None else "other"
        self._say(game.turn, "questioner", text, move, index)
        game.ask(question)

    def _answer(self, action: int | str) -> None:
        game = self._game
        question = game.question
        assert question is not None
        index, text = self._find(WITNESS, action)
        label = None
        if index >= 0:
            content, manner = ANSWERS[index]
        else:
            content, manner = read_answer(text, game.case, question)
            if self._annotator is not None:
                label = self._annotator.label(self._public, self.history, question, text)
        self._say(game.turn, "witness", text, f"{content} {manner}", index)
        game.answer(content, manner, label)

    def _find(self, agent: str, action: int | str) -> tuple[int, str]:
        """The menu index of an action, -1 for words that are no move now, and its text."""
        menu = self._menus[agent]
        if isinstance(action, int):
            return action, menu[action]
        text = one_line(action)
        index = menu.index(text) if text and text in menu else -1
        return (index if index >= 0 and self._legal[index] else -1), text

    def _index(self, agent: str, action: Any) -> int:
        index = super()._index(agent, action)
        if self._free and not self._menus[agent][index]:
            raise AssertionError(
                f"action {index} has no sentence for {agent} now; see its menu, or step with a text"
            )
        return index

    def _next(self) -> None:
        game = self._game
        if game.to_move == "questioner":
            self.agent_selection = QUESTIONER
            self._questions = game.questions()
            if not any(self._questions):
                self._decide()
                return
            said = [line.text for line in self._messages if line.role == "witness"]
            menu = question_menu(game.case, self._questions, said)
            places = len(FORMS) * self._facts
            self._menus[QUESTIONER] = (*menu, *[""] * (places - len(menu)))
            legal = [question is not None for question in self._questions]
        else:
            assert game.question is not None
            self.agent_selection = WITNESS
            plain = game.question._replace(ground=None)  # what it is answered by is the same
            self._menus[WITNESS] = _answers(self._path, game.case.id, plain)
            legal = [bool(sentence) for sentence in self._menus[WITNESS]]
        self._legal = self._padded(self.agent_selection, np.array(legal, np.int8))

    def _decide(self) -> None:
        account = self._game.account
        if self._jury == "model":
            believed = self.np_random.random() < account.chance
        else:
            believed = account.standing >= self._threshold
        self._game.verdict(bool(believed))
        self._settle()

    def _settle(self) -> None:
        result = self._game.result
        assert result is not None
        witness = {"witness": 1.0, "questioner": -1.0, None: 0.0}[result.winner]
        if self._reward == "standing" and result.winner is not None:
            witness = self._game.account.standing
        rewards = {WITNESS: witness, QUESTIONER: -witness}
        self._finish(result, rewards, truncated=result.winner is None)


@lru_cache(maxsize=4096)
def _answers(path: Path, case: str, question: Question) -> tuple[str, ...]:
    """`answer_menu`, which is the same in every game."""
    return answer_menu(next(found for found in load_all(path) if found.id == case), question)
