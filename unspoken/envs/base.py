"""The PettingZoo shell that every game shares: turns, transcript, masks, rewards, checks.

A game subclasses `DialogueEnv` and says what its rules decide (`_begin`, `_play`, `_private`);
everything that PettingZoo asks of an AEC environment is here, once. The checks of PettingZoo's
standard wrappers (order of calls, bounds, legality) are here too, since each wrapper around an
environment costs several times what the game does.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, NoReturn, Protocol

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from unspoken.envs.registry import role_of
from unspoken.envs.result import Result
from unspoken.envs.spaces import OpenText

Mask = NDArray[np.int8]
Observation = dict[str, Any]
Utterances = Literal["menu", "free"]

MAX_TEXT = 1 << 24
MAX_UTTERANCE = 1 << 20
_SHOWN = 1_000


class Message(NamedTuple):
    """One line of a dialogue.

    Attributes:
        turn: the turn in which it was said, from 1.
        role: who said it: the role, or the agent ("player_2") where several share one; "referee"
            for the game itself.
        text: the words, on one line.
        move: the game's name for what was done ("question", "lock", "answer", …).
        action: index in the speaker's menu, or -1 for words that are in no menu.
    """

    turn: int
    role: str
    text: str
    move: str
    action: int


class Understood(NamedTuple):
    """How a game takes a text.

    Attributes:
        action: index in the speaker's menu, or -1 for words that are in no menu.
        problem: what is wrong with the text, as a sentence to its speaker; "" if it is a move.
    """

    action: int
    problem: str = ""


class Rules(Protocol):
    """A game as its `rules.py` has it, apart from PettingZoo."""

    @property
    def turn(self) -> int:
        """The current turn, from 1."""


class DialogueEnv(AECEnv[str, Observation, int | str]):
    """Base of all games.

    Args:
        menus: the canonical sentences of each agent; their order is the action space.
        utterances: "menu" (actions are indices) or "free" (actions are text).
        checked: whether to check calls as PettingZoo's standard wrappers do: order enforced,
            actions in bounds (AssertionError), and an illegal action ends the game with -1 for
            the offender. Unchecked, an illegal action is a ValueError. Games with a
            `pass_action` take it for that, and count it in `faults`, either way.
        nonzero_mask: masks of agents that are not to move are all ones instead of all zeros, for
            libraries that sample for everybody.
        render_mode: None, "ansi" (render() returns the transcript) or "human" (lines are printed
            as they are said).

    Raises:
        ValueError: if an option has a value that does not exist.
    """

    # Python finds these faster than what is in `__dict__`, and that faster while it has 30 names.
    __slots__ = (
        "_action_spaces",
        "_agent",
        "_briefs",
        "_checked",
        "_falses",
        "_free",
        "_game",
        "_has_reset",
        "_info",
        "_infos",
        "_labels",
        "_legal",
        "_live",
        "_mask_key",
        "_menus",
        "_messages",
        "_moved",
        "_names",
        "_observation_spaces",
        "_off",
        "_prints",
        "_roles",
        "_sizes",
        "_transcript",
        "_zeros",
        "faults",
        "originals",
        "result",
    )

    metadata: dict[str, Any] = {}  # noqa: RUF012 - as PettingZoo declares it

    def __init__(
        self,
        menus: dict[str, tuple[str, ...]],
        *,
        utterances: Utterances,
        checked: bool,
        nonzero_mask: bool,
        render_mode: str | None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        choose("utterances", utterances, ("menu", "free"))
        choose("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self.metadata = copy.deepcopy(type(self).metadata)  # wrappers write on it
        self.render_mode = render_mode
        self._prints = render_mode == "human"
        self.utterances = utterances
        self.possible_agents = list(menus)
        self._menus = menus
        self._free = utterances == "free"
        self._checked = checked
        self._mask_key = "menu_mask" if self._free else "action_mask"
        fill = np.ones if nonzero_mask else np.zeros
        # One size for all seats: Tianshou and shared networks need it, and masks cost nothing.
        longest = max(map(len, menus.values()))
        self._sizes = {agent: len(menu) if self._free else longest for agent, menu in menus.items()}
        self._off: dict[str, Mask] = {a: fill(n, np.int8) for a, n in self._sizes.items()}
        self._roles = {agent: role_of(agent) for agent in menus}
        roles = list(self._roles.values())
        self._names = {a: (r, a if roles.count(r) > 1 else r) for a, r in self._roles.items()}
        speakers = ["referee", *(speaker for _, speaker in self._names.values())]
        self._labels = {name: name.replace("_", " ").capitalize() for name in speakers}
        self._zeros = dict.fromkeys(menus, 0.0)
        self._falses = dict.fromkeys(menus, False)
        self._observation_spaces = {a: self._observation_space(n) for a, n in self._sizes.items()}
        self._action_spaces: dict[str, spaces.Space[Any]] = {
            agent: OpenText(MAX_UTTERANCE) if self._free else spaces.Discrete(n)
            for agent, n in self._sizes.items()
        }
        self.np_random, self.np_random_seed = seeding.np_random()
        self._has_reset = False
        self._live = False
        self._moved = False

    waits = False
    """Whether `step` waits for something, such as a judge behind a server."""

    pass_action: int | None = None
    """What an illegal action is taken for, in games of many players; None: it ends the game."""

    _game: Rules
    _legal: Mask
    _briefs: dict[str, str]

    # What a game says ---------------------------------------------------------------------

    @abstractmethod
    def _begin(self, options: dict[str, Any]) -> None:
        """Deal a new game: set `_game`, `_briefs` and `_legal`, and `agent_selection`."""

    @abstractmethod
    def _play(self, agent: str, action: int | str) -> None:
        """Carry out a legal action of the agent to move; `_legal` and `agent_selection` follow."""

    @abstractmethod
    def _private(self, agent: str) -> dict[str, Any]:
        """What only this agent's info holds; a new dict at every call.

        Its "menu" is there where the agent's sentences are not the same in every game.
        """

    @property
    @abstractmethod
    def secret(self) -> str:
        """What is hidden in the present game (for runners and tests, never shown)."""

    @abstractmethod
    def secrets(self) -> tuple[str, ...]:
        """What can be hidden in this env."""

    @property
    @abstractmethod
    def keepers(self) -> tuple[str, ...]:
        """The agents that are told what is hidden in the present game."""

    @abstractmethod
    def understand(self, role: str, text: str, info: Mapping[str, Any]) -> Understood:
        """How the game would take a text said by `role` in the situation `info`; pure."""

    def public(self, secret: str) -> str:
        """What everybody may know of one of `secrets()`: its category or case; "" for nothing.

        To those who are not told, games with secrets that have this in common look the same.
        """
        return ""

    def payoffs(self) -> dict[str, float] | None:
        """What the finished game pays each agent in all, where that is graded.

        None where the winning side gets 1, or the result's weight, and the others lose as much.
        """
        return None

    @abstractmethod
    def _void(self, reason: str) -> None:
        """End the game without a winner; rewards are 0."""

    # PettingZoo ---------------------------------------------------------------------------

    def _observation_space(self, n: int) -> spaces.Dict:
        text = OpenText(MAX_TEXT)
        if self._free:
            return spaces.Dict(observation=text)
        return spaces.Dict(observation=text, action_mask=spaces.Box(0, 1, (n,), np.int8))

    def observation_space(self, agent: str) -> spaces.Dict:
        """Space of the agent's observations; the same object at every call."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """`Discrete` over the longest menu, or `OpenText` in free mode; the same object always."""
        return self._action_spaces[agent]

    def menu(self, agent: str) -> tuple[str, ...]:
        """The agent's canonical sentences; index i is what action i says.

        A menu shorter than the action space is at its beginning; the rest is never legal.
        """
        return self._menus[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game.

        Args:
            seed: seeds all of the game's chance; None goes on with the present generator.
            options: what this one game fixes (see the game); unknown keys are ignored.
        """
        if seed is not None:
            self.np_random, self.np_random_seed = seeding.np_random(seed)
        # Until the new game stands: a refused option leaves none behind.
        self._has_reset = self._live = False
        self.agents = self.possible_agents[:]
        self.rewards = self._zeros.copy()
        self._cumulative_rewards = self._zeros.copy()
        self.terminations = self._falses.copy()
        self.truncations = self._falses.copy()
        self._skip_agent_selection = None  # type: ignore[assignment]
        self.result: Result | None = None
        self._messages: list[Message] = []
        self.originals: dict[int, str] = {}
        self.faults = dict.fromkeys(self.agents, 0)
        self._transcript = ""
        self._infos: dict[str, dict[str, Any]] = {}
        self._info: dict[str, Any] | None = None  # of the agent to move, once somebody looked at it
        self._begin(options or {})
        self._has_reset = self._live = self._moved = True

    def observe(self, agent: str) -> Observation:
        """What the agent knows now: its brief, the transcript so far, and its mask.

        Pure, and defined for every possible agent at any time after the first reset.
        """
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        text = self._briefs[agent] + self._transcript
        if self._free:
            return {"observation": text}
        mask = self._legal if self._live and agent == self.agent_selection else self._off[agent]
        return {"observation": text, "action_mask": mask.copy()}

    @property
    def agent_selection(self) -> str:
        """The agent to move; `_agent` within, which is found faster."""
        try:
            return self._agent
        except AttributeError:
            raise AttributeError("agent_selection cannot be accessed before reset") from None

    @agent_selection.setter
    def agent_selection(self, agent: str) -> None:
        self._agent, self._info = agent, None

    @property
    def num_agents(self) -> int:
        """How many agents are still there."""
        if "agents" not in vars(self):
            raise AttributeError("num_agents cannot be accessed before reset")
        return len(self.agents)

    @property
    def infos(self) -> dict[str, dict[str, Any]]:  # type: ignore[override]
        """The structured view of every agent that is still there, made when it is looked at."""
        if not self._has_reset:
            raise AttributeError("infos cannot be accessed before reset")
        if len(self._infos) < len(self.agents):
            self._infos = {a: self.info(a) for a in self.agents}
            if self._info is not None:
                self._infos[self._agent] = self._info
            self._info = self._infos[self._agent]
        return self._infos

    def info(self, agent: str, mask: Mask | None = None) -> dict[str, Any]:
        """The structured view of any possible agent, at any time after the first reset; a new one.

        Args:
            agent: whose view it is.
            mask: to be used as its mask, where that was made already.
        """
        info = self._private(agent)
        info["role"], info["speaker"] = self._names[agent]
        info["turn"] = self._game.turn
        info["history"] = tuple(self._messages)
        info[self._mask_key] = self._mask(agent) if mask is None else mask
        if self.result is not None:
            info["result"] = self.result
        return info

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """What PettingZoo's `last` gives: all that concerns the agent to move."""
        agent, info = self._agent, self._info
        if observe and self._live and not self._free:  # the common case, without detours
            mask = self._legal.copy()
            text = self._briefs[agent] + self._transcript
            if info is None:
                info = self._info = self.info(agent, mask)
            return {"observation": text, "action_mask": mask}, 0.0, False, False, info
        if info is None:
            info = self._info = self._infos.get(agent) or self.info(agent)
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            info,
        )

    @property
    def history(self) -> tuple[Message, ...]:
        """The dialogue so far."""
        return tuple(self._messages)

    def void(self, reason: str) -> None:
        """End the game without a winner because an agent failed to answer.

        A game that is over stays as it is.

        Args:
            reason: kept in the result.
        """
        if self.result is None:
            self._infos = {}
            self._void(reason)

    def step(self, action: int | str | None) -> None:
        """Let the agent to move say its action; None for an agent whose game is over."""
        if not self._live:
            self._step_idle(action)
            return
        self._moved = True
        agent = self._agent
        if self._free:
            if not isinstance(action, str):
                action = self._menus[agent][self._index(agent, action)]
            elif len(action) > MAX_UTTERANCE:
                raise AssertionError(
                    f"an utterance of {len(action)} characters is not in the action space of "
                    f"{agent}: at most {MAX_UTTERANCE}"
                )
        else:
            if type(action) is not int or not 0 <= action < self._sizes[agent]:
                action = self._index(agent, action)
            if not self._legal.item(action):
                if self.pass_action is None:
                    self._illegal(agent, action)
                    return
                self.faults[agent] += 1
                action = self.pass_action
        self.rewards = self._zeros.copy()
        self._info, self._infos = None, {}
        self._play(agent, action)

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:  # type: ignore[override]
        """The agent to move, again and again until the game is over; step in between."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return self._agents_in_turn(max_iter)

    def _agents_in_turn(self, max_iter: int) -> Iterator[str]:
        for _ in range(max_iter):
            if not self.agents:
                return
            if self._checked and not self._moved:
                raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
            self._moved = False
            yield self.agent_selection

    def render(self) -> str | None:
        """The transcript so far ("ansi"); "human" prints lines as they are said."""
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing: the env was made without a render_mode")
        return self._transcript if self.render_mode == "ansi" else None

    def take_trace(self) -> list[dict[str, Any]]:
        """The requests to models that the game itself made since the last call."""
        return []

    def close(self) -> None:
        """Nothing to release."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(utterances={self.utterances!r})"

    # What a game calls --------------------------------------------------------------------

    def _padded(self, agent: str, legal: Mask) -> Mask:
        """A mask over an agent's menu, as long as its masks are."""
        mask = np.zeros(self._sizes[agent], np.int8)
        mask[: len(legal)] = legal
        return mask

    def _say(
        self,
        turn: int,
        role: str,
        text: str,
        move: str,
        action: int = -1,
        original: str | None = None,
    ) -> None:
        """Add a line to the dialogue.

        Args:
            turn: the current turn.
            role: who speaks, as in `Message`.
            text: what everybody hears, on one line.
            move: what it was.
            action: index in the speaker's menu, or -1.
            original: what was really said where that is not what everybody hears; kept for the
                record (`originals`), in no agent's view.
        """
        if original is not None:
            self.originals[len(self._messages)] = original
        # What Message(…) does, at half its cost, which is a tenth of a step's.
        self._messages.append(_new(Message, (turn, role, text, move, action)))
        self._transcript = f"{self._transcript}{self._labels[role]} (turn {turn}): {text}\n"
        if self._prints:
            print(f"{self._labels[role]} (turn {turn}): {text}")

    def _finish(self, result: Result, rewards: dict[str, float], *, truncated: bool) -> None:
        """End everybody's game together: the only place where rewards are paid."""
        self._live = False
        self.result = result
        self.rewards = {agent: rewards[agent] for agent in self.agents}
        self._cumulative_rewards = self.rewards.copy()
        ended = dict.fromkeys(self.agents, True)
        if truncated:
            self.truncations = ended
        else:
            self.terminations = ended
        # What `_deads_step_first` does when everybody is dead.
        self._skip_agent_selection = self.agent_selection
        self.agent_selection = self.agents[0]

    # Within -------------------------------------------------------------------------------

    def _step_idle(self, action: int | str | None) -> None:
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        self._moved = True
        self._was_dead_step(action)  # type: ignore[arg-type]

    def _mask(self, agent: str) -> Mask:
        if self._live and agent == self.agent_selection:
            return self._legal.copy()
        return self._off[agent].copy()

    def _index(self, agent: str, action: Any) -> int:
        # Discrete.contains asks NumPy for type limits each time, which costs more than a step
        n = self._sizes[agent]
        if isinstance(action, (int, np.integer)) and 0 <= action < n:
            return int(action)
        if isinstance(action, np.ndarray) and action.shape == () and action.dtype.kind in "iu":
            return self._index(agent, action[()])
        text = "a text, or " if self._free else ""
        raise AssertionError(
            f"action {action!r} is not in the action space of {agent}: {text}an index from 0 to "
            f"{n - 1}"
        )

    def _illegal(self, agent: str, action: int) -> None:
        if not self._checked:
            sentence = self._menus[agent][action : action + 1]
            raise ValueError(
                f"action {action} {sentence} is not legal for {agent} now; see the mask in its "
                "observation"
            )
        EnvLogger.warn_on_illegal_move()
        self._finish(
            Result("void", None, self._game.turn, reason="illegal move"),
            {other: -1.0 if other == agent else 0.0 for other in self.agents},
            truncated=True,
        )
        self.terminations = dict.fromkeys(self.agents, True)
        self._infos = {}


class _AfterReset:
    """What an env has from its first reset on, and until then only an error.

    `__getattr__` would say it as well, but in a class that has one Python looks every attribute up
    in a slower way: a step then takes a third longer.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, env: object, owner: object = None) -> NoReturn:
        raise AttributeError(f"{self._name} cannot be accessed before reset")


for _name in ("agents", "rewards", "terminations", "truncations"):
    setattr(DialogueEnv, _name, _AfterReset(_name))


_new = tuple.__new__


def choose(name: str, value: object, allowed: Sequence[object]) -> None:
    """Refuse an option's value that does not exist.

    Raises:
        ValueError: names the option, the value and what is allowed.
    """
    if value not in allowed:
        raise ValueError(f"{name}={value!r} does not exist; choose from {list(allowed)}")


def whole(name: str, value: Any, least: int, most: int | None = None, note: str = "") -> int:
    """An option's value as an int; refuse one that is no whole number of its range.

    Args:
        name: the option.
        value: what it was given.
        least: the smallest number allowed.
        most: the largest; None for no limit.
        note: what the error says after the range.

    Raises:
        ValueError: names the option, the value and the range.
    """
    number = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not number or value < least or (most is not None and value > most):
        span = f"at least {least}" if most is None else f"{least} to {most}"
        raise ValueError(f"{name}={value!r}: a whole number, {span}{note}")
    return int(value)


def one_line(text: str) -> str:
    """An utterance as the transcript shows it.

    On one line, so that nobody forges another's line, and cut in the middle when it is very long.
    """
    text = " ".join(text.encode("utf-8", "replace").decode().split())  # no lone surrogates
    if len(text) > _SHOWN:
        half = _SHOWN // 2
        text = f"{text[:half]} … {text[-half:]}"
    return text
