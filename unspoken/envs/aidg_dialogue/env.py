"""AIDG-I as a PettingZoo AEC environment: the shell around `rules.Dialogue`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from unspoken.envs.aidg_dialogue.interpreter import seeker_fault
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
    MAX_TURNS,
    MODES,
    Act,
    Decision,
    Dialogue,
    Form,
    Mode,
    Question,
    decide,
    legal,
)
from unspoken.envs.aidg_dialogue.secrets import DEFAULT, JOINT, Secret, dealt, load
from unspoken.envs.base import DialogueEnv, Mask, Understood, Utterances, choose, one_line, whole

if TYPE_CHECKING:
    from unspoken.judges.base import Arbiter
    from unspoken.judges.rule_based import RuleBasedArbiter

MAX_FACTS = 3


class AidgDialogueEnv(DialogueEnv):
    """A seeker makes a holder leak a secret sentence in free dialogue (AIDG 3.2).

    Agents are `seeker_0` and `holder_0`. The space, reward and option tables, and the version
    history, are in the game's README.

    Args:
        mode: "A" (the seeker knows the secret and must get it confirmed or revealed) or "B" (it
            knows nothing); `reset(options={"mode": …})` sets it for one game.
        on_seeker_violation: what happens when the seeker asks for the secret outright or states
            it (free mode): "flag" (counted) or "forfeit" (the holder wins).
        on_lie: what happens when the holder lies: "flag" or "forfeit" (the seeker wins).
        utterances: "menu" or "free".
        max_turns: turns a side, at least 1.
        max_refusals: how often the holder may refuse or deflect (menu mode); None for always.
        facts: how many linked facts are hidden together, 1 to 3; the seeker has to get all of
            them.
        vary: whether the hidden value is drawn among a secret's values instead of being the
            file's; what a seeker can learn about the file is then no help.
        secrets: a file of secrets, `.toml` or `.txt`; the paper's 20 by default.
        arbiter: judges free text; an object or a spec of `unspoken.judges.specs`, the rule-based
            one if None.
        checked: see `DialogueEnv`; `env()` sets it.
        nonzero_mask: see `DialogueEnv`.
        render_mode: None, "ansi" or "human".

    Raises:
        ValueError: if an option is out of its range; names the option and the range.
        SecretsError: if the file of secrets is wrong; names the line.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as PettingZoo declares it
        "name": "aidg_dialogue_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    _game: Dialogue

    def __init__(
        self,
        *,
        mode: Mode = "A",
        on_seeker_violation: Literal["flag", "forfeit"] = "flag",
        on_lie: Literal["flag", "forfeit"] = "flag",
        utterances: Utterances = "menu",
        max_turns: int = MAX_TURNS,
        max_refusals: int | None = None,
        facts: int = 1,
        vary: bool = False,
        secrets: str | Path = DEFAULT,
        arbiter: Arbiter | str | None = None,
        checked: bool = False,
        nonzero_mask: bool = False,
        render_mode: str | None = None,
    ) -> None:
        choose("mode", mode, MODES)
        choose("on_seeker_violation", on_seeker_violation, ("flag", "forfeit"))
        choose("on_lie", on_lie, ("flag", "forfeit"))
        self._max_turns = whole("max_turns", max_turns, 1)
        if max_refusals is not None:
            max_refusals = whole("max_refusals", max_refusals, 0, note=", or None")
        facts = whole("facts", facts, 1, MAX_FACTS)
        if not isinstance(vary, bool):
            raise ValueError(f"vary={vary!r}: True or False")
        if not isinstance(secrets, str | os.PathLike):
            raise ValueError(f"secrets={secrets!r}: the path of a file")
        if arbiter is not None and not isinstance(arbiter, str) and not hasattr(arbiter, "judge"):
            raise ValueError(f"arbiter={arbiter!r}: None, a spec, or an object with judge()")
        self._file = load(Path(secrets))
        self._dealt = dealt(self._file, facts)
        if not self._dealt:
            raise ValueError(
                f"facts={facts}: {secrets} links no {facts} secrets with each other (key `link`)"
            )
        structured = all(secret.structured for secret in self._file)
        if not structured and (utterances == "menu" or vary):
            raise ValueError(
                f"{secrets} holds plain sentences: menus and vary need a .toml file with "
                'structure; utterances="free" does not'
            )
        self._questions = questions(self._file)
        super().__init__(
            {SEEKER: seeker_menu(self._file), HOLDER: holder_menu()},
            utterances=utterances,
            checked=checked,
            nonzero_mask=nonzero_mask,
            render_mode=render_mode,
        )
        self._default_mode: Mode = mode
        self._forfeit_violation = on_seeker_violation == "forfeit"
        self._forfeit_lie = on_lie == "forfeit"
        self._max_refusals = max_refusals
        self._n_facts = facts
        self._vary = vary
        if isinstance(arbiter, str):
            from unspoken.judges.specs import make_arbiter

            arbiter = make_arbiter(arbiter)
        self._arbiter = arbiter
        self.waits = hasattr(arbiter, "take_trace")
        self._all_questions: Mask = self._padded(SEEKER, np.ones(len(self.menu(SEEKER)), np.int8))

    @property
    def secret(self) -> str:
        """What is hidden in the present game (for runners and tests, never shown)."""
        return JOINT.join(secret.text for secret in self._game.secrets)

    @property
    def hidden(self) -> tuple[Secret, ...]:
        """The hidden facts of the present game."""
        return self._game.secrets

    def secrets(self) -> tuple[str, ...]:
        """What can be hidden, by id; with several facts all linked ones, ids joined by "; "."""
        return tuple(JOINT.join(secret.id for secret in hand) for hand in self._dealt)

    def take_trace(self) -> list[dict[str, Any]]:
        """The requests that the arbiter made to a model since the last call."""
        take: Callable[[], list[dict[str, Any]]] = getattr(self._arbiter, "take_trace", list)
        return take()

    @property
    def keepers(self) -> tuple[str, ...]:
        """The holder, and in mode A the seeker."""
        return (SEEKER, HOLDER) if self._mode == "A" else (HOLDER,)

    def understand(self, role: str, text: str, info: Mapping[str, Any]) -> Understood:
        """How the game would take a text said by `role` in the situation `info`."""
        if not text.strip():
            return Understood(-1, "You said nothing.")
        text = one_line(text)
        menus = [self._menus[SEEKER]] if role == "seeker" else _holder_menus(info)
        return Understood(next((menu.index(text) for menu in menus if text in menu), -1))

    def _void(self, reason: str) -> None:
        self._game.void(reason)
        self._settle()

    def _begin(self, options: dict[str, Any]) -> None:
        self._mode: Mode = options.get("mode", self._default_mode)
        choose("mode", self._mode, MODES)
        hidden = self._hide(options.get("secret"))
        self._game = Dialogue(hidden, self._max_turns)
        self._briefs = briefs(hidden, self._mode, self._max_turns)
        self._menus[HOLDER] = holder_menu()
        self._question: Question | None = None
        self._refusals = 0
        self._next()

    def _hide(self, wanted: Any) -> tuple[Secret, ...]:
        """The facts of a new game; `wanted` names them by ids or texts, or is None."""
        chosen: Sequence[Secret]
        if wanted is None:
            chosen = self._dealt[int(self.np_random.integers(len(self._dealt)))]
        else:
            names = wanted.split(";") if isinstance(wanted, str) else list(wanted)
            names = [name.strip() if isinstance(name, str) else name for name in names]
            found = {s.id: s for s in self._file} | {s.text: s for s in self._file}
            unknown = [name for name in names if name not in found]
            chosen = [found[name] for name in names if name in found]
            if unknown or len(set(chosen)) < len(chosen) or len(chosen) != self._n_facts:
                raise ValueError(
                    f"secret={wanted!r}: name {self._n_facts} (facts={self._n_facts}) by ids or "
                    f"texts of this env's file, each once: "
                    f"{', '.join(secret.id for secret in self._file)}"
                )
        if self._vary:
            chosen = [vary(s, int(self.np_random.integers(len(s.values)))) for s in chosen]
        return tuple(chosen)

    def _private(self, agent: str) -> dict[str, Any]:
        info: dict[str, Any] = {"mode": self._mode}
        if agent == HOLDER or self._mode == "A":
            info["secret"] = self.secret
        if agent == HOLDER:
            info["hidden"] = self._game.secrets
            info["about"] = self._topical()
            info["menu"] = self._menus[HOLDER]
        return info

    def _play(self, agent: str, action: int | str) -> None:
        if agent == SEEKER:
            self._ask(action)
        else:
            self._reply(action)
        if self._game.result is None:
            self._next()
        else:
            self._settle()

    def _ask(self, action: int | str) -> None:
        game = self._game
        index, text = self._find(SEEKER, action)
        self._question = self._questions[index] if index >= 0 else None
        known = game.secrets if self._mode == "A" else ()
        fault = "" if index >= 0 else seeker_fault(text, known)
        move = self._question.form if self._question else ("violation" if fault else "open")
        self._say(game.turn, "seeker", text, move, index)
        game.ask(violation=bool(fault), forfeit=self._forfeit_violation)

    def _reply(self, action: int | str) -> None:
        game = self._game
        index, text = self._find(HOLDER, action)
        act = ACTS[index] if index >= 0 else None
        if act is not None:
            text = self._sentence(act)
            self._refusals += act in ("refuse", "deflect")
        decisions = {secret.id: self._weigh(secret, act, text) for secret in game.secrets}
        leaks = [d.leak for d in decisions.values() if d.leak != "none"]
        # Leaks are announced; that a reply was a lie would tell the seeker the truth.
        self._say(game.turn, "holder", text, leaks[0] if leaks else act or "free", index)
        turn, before = game.turn, len(game.leaks)
        game.reply(decisions, forfeit=self._forfeit_lie)
        if before < len(game.leaks) < len(game.secrets):
            said = announcement(len(game.leaks) - before, len(game.secrets))
            self._say(turn, "referee", said, "leak")

    def _weigh(self, secret: Secret, act: Act | None, text: str) -> Decision:
        """What a reply is to one fact: by the rules as far as they reach, else by the arbiter."""
        decision = Decision(None, "none")
        told = act in ("partial", "reword", "disclose")
        if act is not None and (not told or secret is self._topical()):
            decision = decide(secret, self._question, act)
        if decision.leak == "none" and (act is None or self._question is None):
            verdict = self._judge().judge(secret, self.history, text)
            decision = decision._replace(leak=verdict.category)
            if decision.leak == "none" and self._reader().lies(secret, self.history, text):
                decision = decision._replace(truth=False)
        return decision

    def _find(self, agent: str, action: int | str) -> tuple[int, str]:
        """The menu index of an action, -1 for other words, and its text on one line."""
        menu = self._menus[agent]
        if isinstance(action, int):
            return action, menu[action]
        text = one_line(action)
        if agent == HOLDER and text == FIRST and self._form == "either":
            return ACTS.index("affirm"), text
        return (menu.index(text) if text and text in menu else -1), text

    def _index(self, agent: str, action: Any) -> int:
        menu = self._menus[agent]
        if self._free and not menu and not isinstance(action, str):
            raise AssertionError(
                f"action {action!r}: {agent} has no menu, since these secrets are plain sentences; "
                "step with a text"
            )
        index = super()._index(agent, action)
        if self._free and not menu[index]:
            raise AssertionError(
                f"action {index} ({ACTS[index]}) has no sentence for this secret; step with a text "
                "or another index"
            )
        return index

    def _topical(self) -> Secret:
        """The fact that partial, reword and disclose speak of: the one asked about, if hidden."""
        game = self._game
        about = self._question.secret if self._question else ""
        kept = [s for s in game.secrets if s.id not in game.leaks] or list(game.secrets)
        return next((s for s in kept if s.id == about), kept[0])

    def _sentence(self, act: Act) -> str:
        if self._form == "either" and act == "affirm":
            return FIRST
        return self._menus[HOLDER][ACTS.index(act)]

    @property
    def _form(self) -> Form | None:
        """The form of the present question; None for open words."""
        return self._question.form if self._question else None

    def _judge(self) -> Arbiter:
        return self._reader() if self._arbiter is None else self._arbiter

    def _reader(self) -> RuleBasedArbiter:
        from unspoken.judges.rule_based import RuleBasedArbiter

        return RuleBasedArbiter()

    def _next(self) -> None:
        if self._game.to_move == "seeker":
            self.agent_selection = SEEKER
            self._legal = self._all_questions
        else:
            self.agent_selection = HOLDER
            self._menus[HOLDER] = holder_menu(self._topical())
            self._legal = self._padded(HOLDER, self._legal_acts())

    def _legal_acts(self) -> Mask:
        said = dict(zip(ACTS, self._menus[HOLDER], strict=True))
        acts = {act for act in legal(self._form) if said[act]}
        if self._max_refusals is not None and self._refusals >= self._max_refusals:
            acts -= {"refuse", "deflect"}
        return np.array([act in acts for act in ACTS], np.int8)

    def _settle(self) -> None:
        result = self._game.result
        assert result is not None
        seeker = {"seeker": 1.0, "holder": -1.0, None: 0.0}[result.winner]
        self._finish(result, {SEEKER: seeker, HOLDER: -seeker}, truncated=result.winner is None)


def _holder_menus(info: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The holder's sentences about each of its facts, as far as `info` tells them."""
    hidden: tuple[Secret | None, ...] = info.get("hidden", (None,))
    return [holder_menu(secret) for secret in hidden]


def vary(secret: Secret, index: int) -> Secret:
    """The secret with another of its values as the truth; `index` counts `secret.values`."""
    value = secret.values[index]
    if value == secret.value:
        return secret
    return replace(
        secret,
        text=secret.statement.replace("{value}", value),
        value=value,
        alternatives=tuple(v for v in secret.values if v != value),
        reword="",
        paraphrases=(),
    )
