"""SNEAK as a PettingZoo AEC environment: the shell around `rules.Sneak`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from unspoken.envs.base import DialogueEnv, Understood, Utterances, choose, one_line, whole
from unspoken.envs.result import Result
from unspoken.envs.sneak.instances import DEFAULT, Instance, dealt, load, resize
from unspoken.envs.sneak.interpreter import Reading, allowed, read_answer, read_message
from unspoken.envs.sneak.interpreter.places import place
from unspoken.envs.sneak.menu import (
    ALLY,
    CHAMELEON,
    SPEAKER,
    briefs,
    choices,
    heard,
    label,
    menus,
    overheard,
)
from unspoken.envs.sneak.rules import Distribution, Fault, Sneak

UNHEARD = "(no message)"
"""What stands for a message that was refused: its words may be the secret."""


class SneakEnv(DialogueEnv):
    """One message that an ally should know and a chameleon should not (SNEAK 2).

    Agents are `speaker_0`, `ally_0` and `chameleon_0`. The space, reward and option tables, and
    the version history, are in the game's README.

    Args:
        on_violation: what happens when a message is refused or an answer is none (free mode):
            "forfeit" (no score; the answer counts as wrong) or "retry" (once more, then forfeit).
        utterances: "menu" or "free".
        n_words: how many of a category's words are on the table, drawn by the env; None for all.
        n_decoys: how many of a category's decoys the ally hears, drawn by the env; None for all.
        categories: a file of categories; the package's own by default.
        checked: see `DialogueEnv`; `env()` sets it.
        nonzero_mask: see `DialogueEnv`.
        render_mode: None, "ansi" or "human".

    Raises:
        ValueError: if an option is out of its range; names the option and the range.
        SneakDataError: if the file of categories is wrong; names the entry.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as PettingZoo declares it
        "name": "sneak_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    _game: Sneak

    def __init__(
        self,
        *,
        on_violation: Fault = "forfeit",
        utterances: Utterances = "menu",
        n_words: int | None = None,
        n_decoys: int | None = None,
        categories: str | Path = DEFAULT,
        checked: bool = False,
        nonzero_mask: bool = False,
        render_mode: str | None = None,
    ) -> None:
        choose("on_violation", on_violation, ("forfeit", "retry"))
        if not isinstance(categories, str | os.PathLike):
            raise ValueError(f"categories={categories!r}: the path of a file")
        self._file = Path(categories)
        words = [len(category.words) for category in load(self._file)]
        decoys = [len(category.decoys) for category in load(self._file)]
        self._n_words = _size("n_words", n_words, 2, words)
        self._n_decoys = _size("n_decoys", n_decoys, 1, decoys)
        super().__init__(
            menus(1 + (self._n_decoys or max(decoys)), self._n_words or max(words)),
            utterances=utterances,
            checked=checked,
            nonzero_mask=nonzero_mask,
            render_mode=render_mode,
        )
        self._on_violation = on_violation
        self._longest = {agent: len(self._menus[agent]) for agent in (ALLY, CHAMELEON)}

    @property
    def secret(self) -> str:
        """The secret word of the present game (for runners and tests, never shown)."""
        return self.instance.secret

    def secrets(self) -> tuple[str, ...]:
        """What can be dealt: every word of every category, as "category/word"."""
        return tuple(dealt(self._file))

    def public(self, secret: str) -> str:
        """The category of "category/word"; all of it where the words on the table are drawn."""
        return secret.rpartition("/")[0] if self._n_words is None else secret

    @property
    def keepers(self) -> tuple[str, ...]:
        """The speaker and the ally."""
        return (SPEAKER, ALLY)

    def payoffs(self) -> dict[str, float]:
        """SoftScore for the speaker, for the listeners what they gave the right one."""
        game = self._game
        if game.scores is None:
            return dict.fromkeys(self.possible_agents, 0.0)
        return {SPEAKER: game.scores.soft, ALLY: game.found, CHAMELEON: game.leaked}

    def understand(self, role: str, text: str, info: Mapping[str, Any]) -> Understood:
        """How the game would take a text said by `role` in the situation `info`."""
        if role == "speaker":
            instance = Instance(info["category"], "concrete", info["words"], info["secret"], ())
            reading = read_message(text, instance)
            return Understood(-1 if reading.rule else place(reading.message), reading.why)
        options = info["messages" if role == "ally" else "words"]
        p = read_answer(text, options)
        if p is None:
            last = label(len(options) - 1)
            return Understood(
                -1,
                f'Answer with one label, "A" to "{last}", or with probabilities that add up to 1, '
                'such as "A: 0.7, B: 0.3".',
            )
        return Understood(_chosen(p))

    def _void(self, reason: str) -> None:
        self._game.void(reason)
        self._settle()

    def _begin(self, options: dict[str, Any]) -> None:
        instance = self._deal(options.get("secret"))
        n_words = self._n_words or len(instance.words)
        n_decoys = self._n_decoys or len(instance.decoys)
        if (n_words, n_decoys) != (len(instance.words), len(instance.decoys)):
            instance = resize(instance, n_words, n_decoys, self.np_random)
        order = self.np_random.permutation(n_words)
        words = tuple(instance.words[i] for i in order)
        self.instance: Instance = replace(instance, words=words)
        self._order = self.np_random.permutation(1 + n_decoys)
        self._game = Sneak(1 + n_decoys, n_words, words.index(instance.secret))
        self._briefs = briefs(self.instance)
        self._menus[CHAMELEON] = choices(words, self._longest[CHAMELEON])
        self._menus[ALLY] = choices((), self._longest[ALLY])
        self._message = ""
        self._heard: tuple[str, ...] = ()
        self._refused = dict.fromkeys(self.agents, "")
        self._said: list[tuple[int, str, str, str, int, str | None]] = []
        self._next()

    def _deal(self, wanted: Any) -> Instance:
        held = dealt(self._file)
        if wanted is None:
            names = list(held)
            return held[names[int(self.np_random.integers(len(names)))]]
        if not isinstance(wanted, str) or wanted not in held:
            raise ValueError(
                f'secret={wanted!r}: a category and one of its words, as in "{next(iter(held))}"; '
                f"secrets() lists all {len(held)}"
            )
        return held[wanted]

    def _private(self, agent: str) -> dict[str, Any]:
        info: dict[str, Any] = {
            "category": self.instance.category,
            "words": self.instance.words,
            "refused": self._refused[agent],
        }
        if agent != SPEAKER:
            info["menu"] = self._menus[agent]
        if agent == CHAMELEON:
            info["message"] = self._message
        else:
            info["secret"] = self.instance.secret
        if agent == ALLY:
            info["messages"] = self._heard
        return info

    def _play(self, agent: str, action: int | str) -> None:
        if agent == SPEAKER:
            self._speak(action)
        else:
            self._answer(agent, action)
        if self._game.result is None:
            self._next()
        else:
            self._settle()

    def _speak(self, action: int | str) -> None:
        if isinstance(action, int):
            said, reading = None, Reading(self._menus[SPEAKER][action])
        else:
            said, reading = one_line(action), read_message(action, self.instance)
        if reading.rule:
            self._keep("speaker", UNHEARD, "violation", original=said)
            self._fault(SPEAKER, reading.rule, reading.why)
            return
        self._message = reading.message
        original = said if said != reading.message else None
        self._keep("speaker", reading.message, "message", place(reading.message), original=original)
        messages = (reading.message, *self.instance.decoys)
        self._heard = tuple(messages[i] for i in self._order)
        self._menus[ALLY] = choices(self._heard, self._longest[ALLY])
        self._briefs[ALLY] += heard(self._heard)
        self._briefs[CHAMELEON] += overheard(reading.message)
        self._game.speak()

    def _answer(self, agent: str, action: int | str) -> None:
        options = self._options(agent)
        p: Distribution | None
        if isinstance(action, int):
            said, p = self._menus[agent][action], np.eye(len(options))[action]
        else:
            said, p = one_line(action), read_answer(action, options)
        role = self._roles[agent]
        if p is None:
            self._keep(role, said, "violation")
            self._fault(agent, "no answer", "That is no answer.")
        elif agent == ALLY:
            self._keep(role, said, "choice", _chosen(p))
            by_message = np.empty_like(p)
            by_message[self._order] = p
            self._game.choose(by_message)
        else:
            self._keep(role, said, "guess", _chosen(p))
            self._game.guess(p)

    def _options(self, agent: str) -> tuple[str, ...]:
        """What a listener chooses among."""
        return self._heard if agent == ALLY else self.instance.words

    def _fault(self, agent: str, reason: str, why: str) -> None:
        self.faults[agent] += 1
        if self._game.fault(self._on_violation, reason):
            self._refused[agent] = why
            self._briefs[agent] += f"{why} Try once more.\n"

    def _keep(
        self, role: str, text: str, move: str, action: int = -1, *, original: str | None = None
    ) -> None:
        # not said yet: the ally must not know whose message it hears, nor a listener the other's
        self._said.append((self._game.turn, role, text, move, action, original))

    def _index(self, agent: str, action: Any) -> int:
        index = super()._index(agent, action)
        if self._free and not self._menus[agent][index]:
            raise AssertionError(f"action {index} is no option of {agent} in this game")
        return index

    def _next(self) -> None:
        self.agent_selection = agent = f"{self._game.to_move}_0"
        self._legal = np.zeros(self._sizes[agent], np.int8)
        if agent == SPEAKER:
            self._legal[: len(self._menus[SPEAKER])] = allowed(self.instance)
        else:
            self._legal[: len(self._options(agent))] = 1

    def _settle(self) -> None:
        result = self._game.result
        assert result is not None
        self._finish(result, self.payoffs(), truncated=result.winner is None)

    def _finish(self, result: Result, rewards: dict[str, float], *, truncated: bool) -> None:
        """End everybody's game together, and let everybody hear what was said."""
        for turn, role, text, move, action, original in self._said:
            self._say(turn, role, text, move, action, original=original)
        scores = self._game.scores
        if scores is not None:
            told = f"Utility {scores.utility:.2f}, leakage {scores.leakage:.2f}: {scores.soft:.2f}."
            self._say(self._game.turn, "referee", told, "score")
        super()._finish(result, rewards, truncated=truncated)


def _chosen(p: Distribution) -> int:
    """The option that an answer puts all weight on, or -1."""
    return int(p.argmax()) if p.max() == 1 else -1


def _size(name: str, value: Any, least: int, held: list[int]) -> int | None:
    """A number of words or decoys that every category has; None for all."""
    note = " (as many as the smallest category has), or None for all"
    return None if value is None else whole(name, value, least, min(held), note)
