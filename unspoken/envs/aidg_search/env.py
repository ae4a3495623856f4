"""AIDG-II as a PettingZoo AEC environment: the shell around `rules.Search`."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from unspoken.envs.aidg_search.menu import HOLDER, SEEKER, briefs, menus
from unspoken.envs.aidg_search.ontology import DEFAULT, Ontology, load
from unspoken.envs.aidg_search.rules import ANSWERS, MAX_TURNS, Fault, Search
from unspoken.envs.base import DialogueEnv, Mask, Understood, Utterances, choose, one_line, whole

if TYPE_CHECKING:
    from unspoken.envs.aidg_search.interpreter import Interpreter

UNHEARD = "(no answer)"
"""What everybody hears of a reply that is none: its words may hold the secret."""


class AidgSearchEnv(DialogueEnv):
    """Twenty questions with yes, no and maybe, a lock and disqualification (AIDG 3.3).

    Agents are `seeker_0` and `holder_0`. The space, reward and option tables, and the version
    history, are in the game's README.

    Args:
        reward: "outcome" pays 1 to the winner and -1 to the loser; "decay" weighs that by M(t).
        on_holder_violation: what happens when the holder says anything but yes, no or maybe (free
            mode): "forfeit" (the seeker wins), "retry" (once more, then forfeit) or "coerce" (the
            reply is taken for the answer it comes nearest to, "maybe" if to none). What it really
            said is in `originals`, here and with `holder_noise`.
        utterances: "menu" or "free".
        words: the words the secret may be, all of the ontology's if None.
        max_turns: question turns plus the forced final guess, a whole number, 2 or more.
        holder_noise: probability, 0 to 1, that an answer reaches the dialogue as one of the other
            two, drawn by the env (a noisy channel, for robustness studies).
        ontology: folder with `words.toml` and `questions.toml`; the package's own by default.
        checked: see `DialogueEnv`; `env()` sets it.
        nonzero_mask: see `DialogueEnv`.
        render_mode: None, "ansi" or "human".

    Raises:
        ValueError: if an option is out of its range; names the option and the range.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as PettingZoo declares it
        "name": "aidg_search_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    _game: Search

    def __init__(
        self,
        *,
        reward: Literal["outcome", "decay"] = "outcome",
        on_holder_violation: Fault = "forfeit",
        utterances: Utterances = "menu",
        words: tuple[str, ...] | list[str] | None = None,
        max_turns: int = MAX_TURNS,
        holder_noise: float = 0.0,
        ontology: str | Path = DEFAULT,
        checked: bool = False,
        nonzero_mask: bool = False,
        render_mode: str | None = None,
    ) -> None:
        choose("reward", reward, ("outcome", "decay"))
        choose("on_holder_violation", on_holder_violation, ("forfeit", "retry", "coerce"))
        self._max_turns = whole("max_turns", max_turns, 2, note=" (a question and the guess)")
        real = isinstance(holder_noise, Real) and not isinstance(holder_noise, bool)
        if not real or not 0 <= holder_noise <= 1:
            raise ValueError(f"holder_noise={holder_noise!r}: a probability, a number from 0 to 1")
        self._folder = Path(ontology)
        super().__init__(
            menus(self.ontology),
            utterances=utterances,
            checked=checked,
            nonzero_mask=nonzero_mask,
            render_mode=render_mode,
        )
        self._lexicon = self.ontology.words
        self.words = _subset(self.ontology, words)
        self._subset = self.words if len(self.words) < len(self._lexicon) else ()
        self._reward = reward
        self._on_violation = on_holder_violation
        self._noise = float(holder_noise)
        self._n_questions = len(self.ontology.questions)
        n = len(self.menu(SEEKER))
        allowed = np.array([word in self.words for word in self.ontology.words], np.int8)
        locks = np.concatenate([np.zeros(self._n_questions, np.int8), allowed])
        self._final_moves: Mask = locks
        self._question_moves: Mask = np.where(np.arange(n) < self._n_questions, 1, locks).astype(
            np.int8
        )
        self._answers = self._padded(HOLDER, np.ones(len(ANSWERS), np.int8))

    # Looked up, not kept: they are large, and copies and pickles of an env are taken in mid-game.

    @property
    def ontology(self) -> Ontology:
        """The words, questions and answer table of this env."""
        return load(self._folder)

    @property
    def _interpreter(self) -> Interpreter:
        # Its patterns take longer to compile than everything else here, and menus need none.
        from unspoken.envs.aidg_search.interpreter import interpreter

        return interpreter(self._folder)

    @property
    def secret(self) -> str:
        """The holder's word in the present game (for runners and tests, never shown)."""
        return self._game.secret

    def secrets(self) -> tuple[str, ...]:
        """The words that the secret may be."""
        return self.words

    @property
    def keepers(self) -> tuple[str, ...]:
        """The holder."""
        return (HOLDER,)

    def understand(self, role: str, text: str, info: Mapping[str, Any]) -> Understood:
        """How the game would take a text said by `role` in the situation `info`."""
        if role == "holder":
            word = self._interpreter.read_answer(text)
            if word is None:
                return Understood(-1, 'Answer with exactly one word: "yes", "no" or "maybe".')
            return Understood(ANSWERS.index(word))
        final = info["turn"] == self._max_turns
        reading = self._interpreter.read(text, final=final)
        if reading.move == "invalid":
            return Understood(-1, reading.why)
        if reading.move == "lock":
            return Understood(self._lock_action(reading.word))
        if final and reading.move != "direct_guess":
            return Understood(-1, 'This is the last turn: say "lock: WORD".')
        return Understood(reading.index)

    def _void(self, reason: str) -> None:
        self._game.void(reason)
        self._settle()

    def _begin(self, options: dict[str, Any]) -> None:
        secret = options.get("secret")
        if secret is None:
            secret = self.words[int(self.np_random.integers(len(self.words)))]
        elif secret not in self.words:
            raise ValueError(
                f"secret {secret!r} is not one of this env's {len(self.words)} words: "
                f"{', '.join(self.words)}"
            )
        self._game = Search(secret, self._max_turns)
        self._briefs = briefs(secret, self._max_turns, self._subset)
        self._next()

    def _private(self, agent: str) -> dict[str, Any]:
        return {"secret": self._game.secret} if agent == HOLDER else {}

    def _play(self, agent: str, action: int | str) -> None:
        game = self._game
        if isinstance(action, str):
            if agent == SEEKER:
                self._read(action)
            else:
                self._read_answer(action)
        elif agent == HOLDER:
            self._answer(action)
        elif action < self._n_questions:
            self._say(game.turn, "seeker", self._menus[SEEKER][action], "question", action)
            game.ask()
        else:
            word = self._lexicon[action - self._n_questions]
            self._lock(word, self._menus[SEEKER][action], action)
        if game.result is None:
            self._next()
        else:
            self._settle()

    def _read(self, utterance: str) -> None:
        game = self._game
        reading = self._interpreter.read(utterance, final=game.final)
        text = one_line(utterance)
        if reading.move == "lock":
            self._lock(reading.word, text, self._lock_action(reading.word))
            return
        move = reading.move
        if game.final and move in ("question", "open_question"):
            move = "invalid"
        self._say(game.turn, "seeker", text, move, reading.index)
        if move == "direct_guess":
            game.direct_guess()
        elif move == "invalid":
            game.unreadable()
        else:
            game.ask()

    def _lock(self, word: str, text: str, action: int) -> None:
        self._say(self._game.turn, "seeker", text, "lock", action)
        self._game.lock(word)

    def _lock_action(self, word: str) -> int:
        words = self._lexicon
        return self._n_questions + words.index(word) if word in words else -1

    def _read_answer(self, utterance: str) -> None:
        read = self._interpreter.read_answer
        word = read(utterance)
        if word is not None:
            self._answer(ANSWERS.index(word))
            return
        said = one_line(utterance)
        if self._on_violation == "coerce":
            self._answer(ANSWERS.index(read(utterance, lenient=True) or "maybe"), said)
        else:
            self._say(self._game.turn, "holder", UNHEARD, "violation", original=said)
            self._game.violation(self._on_violation)

    def _answer(self, meant: int, said: str | None = None) -> None:
        heard = meant
        if self._noise and self.np_random.random() < self._noise:
            heard = (meant + 1 + int(self.np_random.integers(2))) % 3
            said = ANSWERS[meant] if said is None else said
        game = self._game
        self._say(game.turn, "holder", ANSWERS[heard], "answer", heard, said)
        game.answer()

    def _next(self) -> None:
        game = self._game
        if game.to_move == "holder":
            self._agent, self._legal = HOLDER, self._answers
        else:
            self._agent = SEEKER
            final = game.turn == self._max_turns  # `game.final`, without a call in every turn
            self._legal = self._final_moves if final else self._question_moves

    def _settle(self) -> None:
        result = self._game.result
        assert result is not None
        pay = result.weight if self._reward == "decay" else 1.0
        seeker = {"seeker": pay, "holder": -pay, None: 0.0}[result.winner]
        self._finish(result, {SEEKER: seeker, HOLDER: -seeker}, truncated=result.winner is None)


def _subset(ontology: Ontology, words: tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    if words is None:
        return ontology.words
    strings = isinstance(words, list | tuple) and all(isinstance(word, str) for word in words)
    if not strings or not words:
        raise ValueError(f"words={words!r}: a list of at least one word of the ontology, or None")
    unknown = [word for word in words if word not in ontology.words]
    if unknown:
        raise ValueError(
            f"words={words!r}: words of the ontology only; not in it: {', '.join(unknown)}"
        )
    return tuple(word for word in ontology.words if word in words)
