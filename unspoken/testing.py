"""Checks of a game that PettingZoo's own tests do not make: `check_game`.

`pettingzoo.test.api_test` and `seed_test` say whether an environment can be called. They miss the
faults that spoil results: a reward paid at every step, a seed that changes nothing, a secret in
another player's view. `check_game` plays a few whole games of any AEC environment (masks in the
observation or the info, or text actions), some of them to the last turn by taking back the moves
that end them, replays them move by move in every way that must make no difference, and names the
first thing that does:

| fault | what was found |
| --- | --- |
| `play` | the game raised an error on a legal action, or does not end |
| `random` | Python's or NumPy's global random state is read or advanced |
| `metadata` | class-level metadata is written, or shared by instances |
| `aliasing` | an observation or info changed after it was handed out |
| `space` | an observation outside its space, or a new space object at each call |
| `mask` | not int8, 0/1, of the right length; no legal move on turn; legal moves off turn |
| `mask` | a move that it allows raises an error, ends the game as illegal or is not understood |
| `info` | an agent's first info is empty, its later ones are not |
| `ending` | agents do not end together with the same flags |
| `dead first` | a dead agent is not the next to step (`_deads_step_first`) |
| `last reward` | `last()` does not pay what stood in `rewards` since the agent's turn, once |
| `clear` | rewards of an earlier step still stand in `rewards` (`_clear_rewards`) |
| `returns` | what an agent was paid in all is not what the game's result says |
| `instance` | a second instance plays another game from the same seed |
| `reset` | a game depends on what the instance played before |
| `seed` | all seeds give the same game |
| `options` | an unknown reset option changes the game or raises |
| `deepcopy`, `pickle` | a copy in mid-game does not go on alike, or is tied to the original |
| `observe` | `observe` changes the game |
| `written mask` | writing on a handed-out mask changes the game |
| `secret` | somebody's view, or an error they get, depends on a secret that is not theirs |
| `growth` | the env grows from reset to reset |
| `hash seed` | the game depends on PYTHONHASHSEED |
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import importlib
import inspect
import itertools
import math
import os
import pickle
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from unspoken.envs.base import DialogueEnv, Understood
from unspoken.envs.registry import role_of

__all__ = ["GameFault", "TextDtypeView", "check_game"]

Env = AECEnv[str, Any, Any]
Make = Callable[..., Env]
Returns = Mapping[str, float]
ResultOf = Callable[[Env], Returns]
SecretOf = Callable[[Env], tuple[str | Collection[str], str]]
_Deal = Callable[[], list[Env]]
_Chosen = Counter[tuple[str, int]]  # how often an agent took an index of its menu

_TRIES = 12  # games for each seed; the longest is replayed in all ways
_LONG = 2  # how many of them take back the moves that end them
_LONG_STEPS = 100  # after which a long game ends as it comes
_TAKEN_BACK = 10  # moves tried at one step of a long game
_LEGAL = 4  # legal moves tried at each step of one long game
_PAIRS = 4  # pairs of secrets compared for each seed
_LONG_PAIRS = 2  # how many of them are played on as long games are
_SEEDS = 50  # seeds tried before a game counts as deaf to them
_FEW, _MANY = 5, 50  # resets between which an env must not grow
_SLACK = 64  # bytes by which a pickle may differ all the same
_POISON = 12345.0
_NO_SECRET = "there is no such secret"
_FROM_MENU = 0.875  # share of text actions that are menu sentences
_CLOSE = 1e-9
_SHOWN = 160
_ADDRESS = re.compile(r" at 0x[0-9a-f]+", re.IGNORECASE)


class GameFault(AssertionError):
    """A fault of a game.

    Args:
        fault: which of the faults in this module's table.
        what: what was looked at.
        agent: whose view or turn it was.
        step: how many times the env had been stepped since its reset.
        expected: what should have been there.
        seen: what was there.
    """

    def __init__(
        self,
        fault: str,
        what: str,
        *,
        agent: str | None = None,
        step: int | None = None,
        expected: object = None,
        seen: object = None,
    ) -> None:
        self.fault, self.what, self.agent, self.step = fault, what, agent, step
        self.expected, self.seen = expected, seen
        where = [f"agent {agent}"] * (agent is not None) + [f"step {step}"] * (step is not None)
        message = f"{fault}: {what}" + (f" ({', '.join(where)})" if where else "")
        if expected is not None or seen is not None:
            message += ": expected {}, saw {}".format(*_shown(expected, seen))
        super().__init__(message)


class TextDtypeView(BaseWrapper[str, Any, Any]):
    """For tests only: strings in observations get a dtype, all else passes unchanged.

    PettingZoo's `api_test` compares `observation.dtype` with the space's, which a `str` lacks.
    """

    def observe(self, agent: str) -> Any:
        """The env's observation; its strings know the dtype of a `Text` space."""
        return _with_dtype(self.env.observe(agent))

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """The env's own iterator, with its checks."""
        return self.env.agent_iter(max_iter)


class _DtypeStr(str):
    __slots__ = ()
    dtype = np.dtype(str)


def _with_dtype(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_dtype(inner) for key, inner in value.items()}
    return _DtypeStr(value) if isinstance(value, str) else value


def check_game(
    env_fn: Make | str,
    *,
    seeds: Sequence[int] = (0, 1, 2),
    secret_of: SecretOf | None = None,
    secrets: Sequence[str] | None = None,
    result_of: ResultOf | None = None,
    hash_seeds: Sequence[int] = (1, 2),
    nonzero_mask: bool = False,
    chance: bool = True,
    max_steps: int = 1_000,
) -> None:
    """Play a game in every way that must make no difference; raise on the first that does.

    Args:
        env_fn: makes the env: a function without arguments, `functools.partial` of one with
            arguments, or "module:function".
        seeds: the games that are played, one a seed.
        secret_of: the agent (or agents) who may know the game's secret, and the secret as text;
            asked after reset. A `DialogueEnv` with a `secret` needs none, it has `keepers`.
            Without it, secrets are not checked.
        secrets: what the secret may be, if `reset` takes `options={"secret": …}`; the `secrets()`
            of a `DialogueEnv`. With it, the same moves are played under two secrets, and the
            views of those who do not know it must be equal to the byte as long as all that is
            public is. Without it, a secret must not stand in their views more often than it does
            in another game.
        result_of: what the result of a finished game pays each agent, in closed form. For a
            `DialogueEnv` the default is its `payoffs()`, or 1 or the result's weight to the
            winners, as much less to the others, 0 where nobody won.
        hash_seeds: values of PYTHONHASHSEED under which fresh processes must play alike; empty
            for an env function that other processes cannot import.
        nonzero_mask: masks of those not to move are all ones, not all zeros.
        chance: whether the game has chance of its own, so that seeds must differ.
        max_steps: a game that goes on longer does not end.

    Raises:
        GameFault: names the fault, the agent, the step, what was expected and what was seen.
        ValueError: if `hash_seeds` are asked for and other processes cannot import `env_fn`.
    """
    pickled = _pickled(env_fn) if hash_seeds else b""
    make = _resolve(env_fn)
    _check_global_random(make, seeds[0], max_steps)
    played = [_play(make, seed, i, max_steps) for seed in seeds for i in range(_TRIES)]
    games = [_longest(game for game in played if game.seed == seed) for seed in seeds]
    _check_metadata(make, games[0])
    for game in played:
        _check_invariants(make, game, off_turn=int(nonzero_mask))
    for game in games:
        _replay(make, game, "instance", f"a second instance with seed {game.seed}")
        _check_observe(make, game)
        _check_cleared_rewards(make, game)
    for game in played:
        _check_returns(make, game, result_of)
    for game in games:
        _check_unknown_options(make, game)
        _check_copies(make, game, max_steps)
        _check_written_masks(make, game)
    _check_legal_moves(make, games[0])
    _check_resets(make, games)
    if chance:
        _check_seeds(make, games[0])
    _check_secrets(make, seeds, secret_of, secrets)
    _check_growth(make, games)
    if hash_seeds:
        _check_hash_seeds(pickled, seeds, max_steps, hash_seeds)


# What a game shows, as plain values --------------------------------------------------------


@dataclass(frozen=True)
class _Array:
    dtype: str
    shape: tuple[int, ...]
    data: bytes

    def __repr__(self) -> str:
        values = np.frombuffer(self.data, self.dtype).reshape(self.shape)
        return " ".join(np.array_repr(values, max_line_width=10_000).split())


class _Difference(NamedTuple):
    where: str
    expected: Any
    seen: Any


def _freeze(value: Any) -> Any:
    """A picklable copy in plain types, equal where the values are equal to the byte."""
    if type(value) is str or value is None or isinstance(value, (int, bytes, _Array)):
        return value
    if isinstance(value, (list, tuple)):
        return list(map(_freeze, value))
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else repr(key): _freeze(value[key]) for key in value}
    if isinstance(value, (set, frozenset)):
        return sorted(repr(_freeze(inner)) for inner in value)
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if array.dtype.hasobject:
            return _freeze(array.tolist())
        return _Array(array.dtype.str, array.shape, array.tobytes())
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value
    if dataclasses.is_dataclass(value):
        return {f.name: _freeze(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return _plain_repr(value)


def _plain_repr(value: object) -> str:
    return _ADDRESS.sub("", repr(value))


def _alike(one: Any, other: Any) -> bool:
    """Whether two frozen values are equal, in their types too."""
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is dict:
        return list(one) == list(other) and all(map(_alike, one.values(), other.values()))
    if kind is list:
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)


def _difference(expected: Any, seen: Any, where: str) -> _Difference | None:
    """The first place where two frozen values differ."""
    if _alike(expected, seen):
        return None
    if type(expected) is type(seen) is dict and list(expected) == list(seen):
        pairs = ((f"{where}[{key!r}]", expected[key], seen[key]) for key in expected)
    elif type(expected) is type(seen) is list and len(expected) == len(seen):
        pairs = ((f"{where}[{i}]", expected[i], seen[i]) for i in range(len(expected)))
    else:
        return _Difference(where, expected, seen)
    found = (_difference(inner, other, path) for path, inner, other in pairs)
    return next((difference for difference in found if difference), None)


def _same(
    fault: str,
    what: str,
    expected: Any,
    seen: Any,
    *,
    agent: str | None = None,
    step: int | None = None,
) -> None:
    """Raise the fault if two values differ; the message says where in `what`."""
    _same_frozen(fault, what, _freeze(expected), _freeze(seen), agent=agent, step=step)


def _same_frozen(
    fault: str, what: str, expected: Any, seen: Any, *, agent: str | None, step: int | None
) -> None:
    difference = _difference(expected, seen, what)
    if difference:
        what, expected, seen = difference
        raise GameFault(fault, what, agent=agent, step=step, expected=expected, seen=seen)


def _shown(*values: object) -> list[str]:
    """Values as text, cut to the part where they begin to differ."""
    texts = [repr(value) for value in values]
    columns = enumerate(zip(*texts, strict=False))
    alike = next((i for i, column in columns if len(set(column)) > 1), min(map(len, texts)))
    start = max(0, alike - _SHOWN // 4) if max(map(len, texts)) > _SHOWN else 0
    end = start + _SHOWN
    return ["…" * (start > 0) + text[start:end] + "…" * (end < len(text)) for text in texts]


def _snapshot(env: Env) -> dict[str, Any]:
    """All that can be seen of a game now, by everybody."""
    snapshot = {
        "agents": list(env.agents),
        "agent_selection": env.agent_selection if env.agents else None,
        "last()": _freeze(env.last()) if env.agents else None,
        "rewards": _freeze(env.rewards),
        "terminations": _freeze(env.terminations),
        "truncations": _freeze(env.truncations),
        "infos": _freeze(env.infos),
    }
    return snapshot | {f"observe({a!r})": _freeze(env.observe(a)) for a in env.possible_agents}


# Playing -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Game:
    """A game on record.

    Attributes:
        seed: what it was reset with.
        actions: what was done, None for dead agents.
        moments: snapshots before each action, and one after the last.
    """

    seed: int
    actions: list[Any]
    moments: list[dict[str, Any]]


class _Mask(NamedTuple):
    """A mask as it was handed out, where it stood, and how long it must be."""

    array: Any
    where: str
    size: int


def _masks(env: Env, agent: str, observation: Any, info: Any) -> list[_Mask]:
    """The agent's masks, wherever they stand."""
    space = env.action_space(agent)
    found = []
    if isinstance(space, spaces.Discrete):
        for where, holder in (("observation", observation), ("info", info)):
            if isinstance(holder, Mapping) and "action_mask" in holder:
                found.append(_Mask(holder["action_mask"], where, int(space.n)))
    if isinstance(info, Mapping) and "menu_mask" in info:
        found.append(_Mask(info["menu_mask"], "info", len(_menu(env, agent))))
    return found


def _menu(env: Env, agent: str) -> Sequence[str]:
    menu = getattr(env.unwrapped, "menu", None)
    return menu(agent) if callable(menu) else ()


def _check_mask(
    mask: _Mask, agent: str, step: int | None, *, on_turn: bool, off_turn: int = 0
) -> None:
    array, what = mask.array, f"mask in the {mask.where}"
    kind = [str(getattr(array, "dtype", type(array))), getattr(array, "shape", None)]
    _same("mask", f"{what}: type and shape", ["int8", (mask.size,)], kind, agent=agent, step=step)
    others = sorted(set(array.tolist()) - {0, 1})
    _same("mask", f"{what}: values but 0 and 1", [], others, agent=agent, step=step)
    if not on_turn:
        zeros_or_ones = np.full_like(array, off_turn)
        _same("mask", f"{what}, off turn", zeros_or_ones, array, agent=agent, step=step)
    elif not array.any():
        raise GameFault("mask", f"{what}: no legal action on turn", agent=agent, step=step)


def _choose(
    env: Env, rng: np.random.Generator, step: int | None = None, chosen: _Chosen | None = None
) -> Any:
    """A random legal action of the agent to move: None for a dead one.

    With `chosen`, one of those that it has taken least often, which is then counted there.
    """
    agent = env.agent_selection
    observation, _, terminated, truncated, info = env.last()
    if terminated or truncated:
        return None
    space, menu = env.action_space(agent), _menu(env, agent)
    masks = _masks(env, agent, observation, info)
    for mask in masks[:1]:
        _check_mask(mask, agent, step, on_turn=True)
    legal = np.flatnonzero(masks[0].array) if masks else np.arange(len(menu))
    if isinstance(space, spaces.Discrete) and masks:
        return int(space.start) + _pick(legal, rng, agent, chosen)
    if isinstance(space, spaces.Text) and menu and rng.random() < _FROM_MENU:
        return menu[_pick(legal, rng, agent, chosen)]
    space.seed(int(rng.integers(2**31)))
    return space.sample()


def _pick(
    legal: NDArray[np.intp], rng: np.random.Generator, agent: str, chosen: _Chosen | None
) -> int:
    if chosen is None:
        return int(rng.choice(legal))
    counts = np.array([chosen[agent, index] for index in legal.tolist()])
    index = int(rng.choice(legal[counts == counts.min()]))
    chosen[agent, index] += 1
    return index


def _is_legal(env: Env, action: Any) -> bool:
    """Whether the masks of the agent to move allow the action."""
    agent = env.agent_selection
    observation, *_, info = env.last()
    space = env.action_space(agent)
    masks = _masks(env, agent, observation, info)
    if action is None or not masks or not isinstance(space, spaces.Discrete):
        return True
    return bool(masks[0].array[action - int(space.start)])


def _play(make: Make, seed: int, policy_seed: int, max_steps: int) -> _Game:
    """Play and record a game of random legal actions; the last `_LONG` of a seed are long."""
    rng = np.random.default_rng((seed, policy_seed))
    game = _Game(seed, [], [])
    chosen: _Chosen | None = Counter() if policy_seed >= _TRIES - _LONG else None

    def again() -> list[Env]:
        what, step = f"a second instance with seed {seed}", len(game.actions)
        with _turned_into_fault("instance", what, lambda: step):
            env = make()
            env.reset(seed=seed)
            _repeat([env], game.actions)
            now = _snapshot(env)
        _same_frozen("instance", f"{what}: game", game.moments[-1], now, agent=None, step=step)
        return [env]

    envs = [make()]
    with _turned_into_fault("play", f"legal play with seed {seed}", lambda: len(game.actions)):
        envs[0].reset(seed=seed)
        game.moments.append(_snapshot(envs[0]))
        while envs[0].agents:
            if len(game.actions) == max_steps:
                raise GameFault("play", f"the game does not end in max_steps={max_steps}")
            if len(game.actions) >= min(_LONG_STEPS, max_steps // 2):
                chosen = None
            envs = _step(envs, again, game.actions, rng, chosen)
            game.moments.append(_snapshot(envs[0]))
    return game


def _step(
    envs: list[Env],
    again: Callable[[], list[Env]],
    actions: list[Any],
    rng: np.random.Generator,
    chosen: _Chosen | None,
) -> list[Env]:
    """Take the same legal action in all games.

    With `chosen`, an action that ends one of them is taken back and another one is tried, as long
    as tries are left. The games are made again for that, not copied: whether copies are true is
    one of the things to be found out.

    Args:
        envs: games that look alike to the agent to move.
        again: makes them again as they stand now.
        actions: what was done so far; the action is added.
        rng: chooses the action.
        chosen: what was chosen so far in a long game; None lets the games end as it comes.

    Returns:
        The games, a step on; none if the action is not legal in all of them.
    """
    for left in reversed(range(_TAKEN_BACK if chosen is not None else 1)):
        action = _choose(envs[0], rng, len(actions), chosen)
        if not all(_is_legal(env, action) for env in envs[1:]):
            continue
        for env in envs:
            env.step(action)
        if not left or action is None or not any(_is_over(env) for env in envs):
            actions.append(action)
            return envs
        envs = again()
    return []


def _repeat(envs: list[Env], actions: Sequence[Any]) -> None:
    """Look and step as often as in a game on record."""
    for action in actions:
        for env in envs:
            env.last()
            _ = env.infos
            for agent in env.possible_agents:
                env.observe(agent)
            env.last()
            env.step(action)


def _is_over(env: Env) -> bool:
    return not env.agents or any(_dead(env, agent) for agent in env.agents)


def _longest(games: Iterable[_Game]) -> _Game:
    return max(games, key=lambda game: len(game.actions))


@contextlib.contextmanager
def _turned_into_fault(fault: str, what: str, step: Callable[[], int]) -> Iterator[None]:
    """Whatever the game raises is the fault."""
    try:
        yield
    except GameFault:
        raise
    except Exception as error:
        raise GameFault(fault, f"{what}: {error!r} was raised", step=step()) from error


def _walk(env: Env, game: _Game, until: int | None = None) -> Iterator[int]:
    """Reset and play the game's actions; yields before each of them and after the last."""
    env.reset(seed=game.seed)
    until = len(game.actions) if until is None else until
    for step in range(until):
        yield step
        env.step(game.actions[step])
    yield until


def _play_until(env: Env, game: _Game, step: int) -> Env:
    for _ in _walk(env, game, step):
        pass
    return env


def _half(game: _Game) -> int:
    return len(game.actions) // 2


def _follow(
    env: Env,
    game: _Game,
    fault: str,
    what: str,
    *,
    start: int = 0,
    meddle: Callable[[Env, int], None] | None = None,
) -> None:
    """Play on as recorded; whatever differs from the record is the fault.

    Args:
        env: stands at step `start` of the game.
        game: the record.
        fault: name of the fault if something differs.
        what: what makes this play another than the recorded one.
        start: where to begin.
        meddle: what is done to the env before each step and must make no difference.
    """
    step = start
    with _turned_into_fault(fault, what, lambda: step):
        for step in range(start, len(game.moments)):
            agent = game.moments[max(step - 1, 0)]["agent_selection"]
            moment = _snapshot(env)
            now = f"{what}: game"
            _same_frozen(fault, now, game.moments[step], moment, agent=agent, step=step)
            if step < len(game.actions):
                env.last()  # as a player does, and as the record was made
                if meddle:
                    meddle(env, step)
                env.step(game.actions[step])


def _replay(
    make: Make,
    game: _Game,
    fault: str,
    what: str,
    *,
    meddle: Callable[[Env, int], None] | None = None,
) -> Env:
    """Play the whole game again on a new env; see `_follow`."""
    env = make()
    env.reset(seed=game.seed)
    _follow(env, game, fault, what, meddle=meddle)
    return env


# What must hold in every game --------------------------------------------------------------


def _check_invariants(make: Make, game: _Game, off_turn: int) -> None:
    env = make()
    held: list[_Held] = []
    owed: dict[str, float] = dict.fromkeys(env.possible_agents, 0.0)
    for step in _walk(env, game):
        views = [_View(env, agent) for agent in env.possible_agents]
        held += [thing for view in views for thing in view.hand_out(step)]
        _check_held(held[-4 * len(views) :], step)
        for view in views:
            _check_space(env, view, step)
            _check_masks(view, step, off_turn)
            _check_first_info(game, view, step)
        _check_ending(env, step)
        _check_last_reward(env, owed, step)
    _check_held(held, len(game.actions))


class _Held(NamedTuple):
    """Something that was handed out, and what it was then."""

    what: str
    agent: str
    step: int
    value: Any
    frozen: Any


class _View:
    """What an agent sees now."""

    def __init__(self, env: Env, agent: str) -> None:
        self.agent = agent
        self.observation = env.observe(agent)
        self.frozen = _freeze(self.observation)
        self.info = env.infos.get(agent)
        self.masks = _masks(env, agent, self.observation, self.info)
        self.on_turn = bool(env.agents) and agent == env.agent_selection and not _dead(env, agent)

    def hand_out(self, step: int) -> list[_Held]:
        return [
            _Held("observation", self.agent, step, self.observation, self.frozen),
            _Held("info", self.agent, step, self.info, _freeze(self.info)),
        ]


def _dead(env: Env, agent: str) -> bool:
    return bool(env.terminations[agent] or env.truncations[agent])


def _check_held(held: list[_Held], now: int) -> None:
    for what, agent, step, value, frozen in held:
        what = f"what was handed out has changed by step {now}: {what}"
        _same("aliasing", what, frozen, value, agent=agent, step=step)


def _check_space(env: Env, view: _View, step: int) -> None:
    agent = view.agent
    for get in (env.observation_space, env.action_space):
        if not isinstance(get(agent), spaces.Space) or get(agent) is not get(agent):
            what = f"{get.__name__} is not one and the same Space at each call"
            raise GameFault("space", what, agent=agent, step=step)
    space = env.observation_space(agent)
    if not space.contains(view.observation):
        what = f"observation {_shown(view.observation)[0]} is not in {space}"
        raise GameFault("space", what, agent=agent, step=step)


def _check_masks(view: _View, step: int, off_turn: int) -> None:
    for mask in view.masks:
        _check_mask(mask, view.agent, step, on_turn=view.on_turn, off_turn=off_turn)
    for one, other in itertools.pairwise(view.masks):
        what = f"mask in the {other.where}, beside that in the {one.where}"
        _same("mask", what, one.array, other.array, agent=view.agent, step=step)


def _check_first_info(game: _Game, view: _View, step: int) -> None:
    if view.info and not game.moments[0]["infos"].get(view.agent):
        what = f"the first info is empty, this one has {list(view.info)}"
        raise GameFault("info", what, agent=view.agent, step=step)


def _check_ending(env: Env, step: int) -> None:
    dead = [agent for agent in env.agents if _dead(env, agent)]
    if not dead:
        return
    for agent in env.agents:
        first, flags = (
            {"terminated": env.terminations[a], "truncated": env.truncations[a]}
            for a in (dead[0], agent)
        )
        what = f"agents end together; flags, beside those of {dead[0]}"
        _same("ending", what, first, flags, agent=agent, step=step)
    what = "agent_selection at the end (was _deads_step_first called?)"
    _same("dead first", what, dead[0], env.agent_selection, step=step)


def _check_last_reward(env: Env, owed: dict[str, float], step: int) -> None:
    for agent, reward in env.rewards.items():
        owed[agent] += reward
    if env.agents:
        agent, paid = env.agent_selection, env.last(observe=False)[1]
        what = "reward of last(), beside the sum in rewards since the agent's turn"
    else:
        agent, paid = max(owed, key=lambda agent: abs(owed[agent])), 0.0
        what = "what stood in rewards was never paid by last()"
    if not math.isclose(paid, owed[agent], abs_tol=_CLOSE):
        _same("last reward", what, owed[agent], float(paid), agent=agent, step=step)
    owed[agent] = 0.0


def _check_cleared_rewards(make: Make, game: _Game) -> None:
    def write_on_rewards(env: Env, step: int) -> None:
        rewards = env.unwrapped.rewards
        rewards.update(dict.fromkeys(rewards, _POISON))

    what = f"rewards are set to {_POISON} before each step (is _clear_rewards called?)"
    _replay(make, game, "clear", what, meddle=write_on_rewards)


def _check_returns(make: Make, game: _Game, result_of: ResultOf | None) -> None:
    env = make()
    paid = dict.fromkeys(env.possible_agents, 0.0)
    results: list[Returns] = []
    for _ in _walk(env, game):
        if env.agents:
            agent = env.agent_selection
            paid[agent] += env.last(observe=False)[1]
            if _dead(env, agent) and not results:
                results = [result_of(env)] if result_of else _dialogue_returns(env)
    if results and not any(_pays(result, paid) for result in results):
        what = f"what the game of seed {game.seed} paid in all, beside its result"
        expected = dict(results[0]) if len(results) == 1 else [dict(r) for r in results]
        raise GameFault("returns", what, step=len(game.actions), expected=expected, seen=paid)


def _pays(result: Returns, paid: Returns) -> bool:
    return all(math.isclose(result[a], paid[a], rel_tol=_CLOSE, abs_tol=_CLOSE) for a in paid)


def _dialogue_returns(env: Env) -> list[Returns]:
    """What a `DialogueEnv` may pay for its result: ±1, or weighted, or as it says itself."""
    shell = env.unwrapped
    if not isinstance(shell, DialogueEnv) or shell.result is None:
        return []
    graded = shell.payoffs()
    if graded is not None:
        return [graded]
    winner, winners = shell.result.winner, shell.result.winners
    winners = winners or tuple(a for a in shell.possible_agents if role_of(a) == winner)
    signs = {
        agent: 0.0 if winner is None else 1.0 if agent in winners else -1.0
        for agent in shell.possible_agents
    }
    pays = (1.0, shell.result.weight)
    return [{agent: sign * pay for agent, sign in signs.items()} for pay in pays]


# What must make no difference --------------------------------------------------------------


def _check_global_random(make: Make, seed: int, max_steps: int) -> None:
    def state() -> Any:
        return _freeze([random.getstate(), np.random.get_state()])

    kept = random.getstate(), np.random.get_state()
    try:
        random.seed(_SEEDS)
        np.random.seed(_SEEDS)
        before = state()
        _play(make, seed, 0, max_steps)
        _same("random", "global state of random and np.random", before, state())
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])


def _check_metadata(make: Make, game: _Game) -> None:
    def of_class() -> dict[str, Any]:
        return getattr(kind, "metadata", {})

    one = make().unwrapped
    kind = type(one)
    before = _freeze(of_class())
    other = _play_until(make(), game, len(game.actions)).unwrapped
    _same("metadata", f"written by an instance: {kind.__name__}.metadata", before, of_class())
    for whose, metadata in (("its class", of_class()), ("another instance", other.metadata)):
        pairs: list[tuple[str, Any, Any]] = [("metadata", one.metadata, metadata)]
        pairs += [(f"metadata[{key!r}]", one.metadata.get(key), metadata[key]) for key in metadata]
        for name, mine, theirs in pairs:
            if mine is theirs and isinstance(mine, (dict, list, set)):
                what = f"an instance shares {name} with {whose} (use copy.deepcopy in __init__)"
                raise GameFault("metadata", what)


def _check_unknown_options(make: Make, game: _Game) -> None:
    env = make()
    options = {"options": 1, "no such option": "x"}
    what = f"reset(options={options})"
    with _turned_into_fault("options", what, lambda: 0):
        env.reset(seed=game.seed, options=options)
    _follow(env, game, "options", what)


def _check_copies(make: Make, game: _Game, max_steps: int) -> None:
    last = len(game.actions) - 1
    for step in sorted({0, 1, _half(game), last}):
        for name, copied in (("deepcopy", copy.deepcopy), ("pickle", _pickle_round_trip)):
            what = f"copied at step {step}"
            env = _play_until(make(), game, step)
            with _turned_into_fault(name, what, lambda step=step: step):  # type: ignore[misc]
                twin, stray = copied(env), copied(env)
                _play_on(stray, max_steps)
            _follow(twin, game, name, f"the copy, {what}", start=step)
            _follow(env, game, name, f"the original, {what}", start=step)


def _pickle_round_trip(env: Env) -> Env:
    copied: Env = pickle.loads(pickle.dumps(env))
    return copied


def _play_on(env: Env, max_steps: int) -> None:
    rng = np.random.default_rng(_SEEDS)
    for _ in range(max_steps):
        if not env.agents:
            return
        env.step(_choose(env, rng))


def _check_observe(make: Make, game: _Game) -> None:
    def observe_all(env: Env, step: int) -> None:
        for agent in env.possible_agents:
            env.observe(agent)
        with _turned_into_fault("pickle", "pickle.dumps(env)", lambda: step):
            before = pickle.dumps(env)
        for agent in env.possible_agents:
            env.observe(agent)
            if pickle.dumps(env) != before:
                what = "observe() changes the env (its pickle differs)"
                raise GameFault("observe", what, agent=agent, step=step)

    env = _replay(make, game, "observe", "more calls of observe()", meddle=observe_all)
    observe_all(env, len(game.actions))


def _check_written_masks(make: Make, game: _Game) -> None:
    what = "handed-out masks are written on"

    def write_on_masks(env: Env, step: int) -> None:
        for agent in env.possible_agents:
            info = env.infos[agent] if agent == env.agent_selection else None
            masks = [mask.array for mask in _masks(env, agent, env.observe(agent), info)]
            for mask, inverse in [(mask, 1 - mask) for mask in masks]:
                if mask.flags.writeable:
                    mask[:] = inverse
        for agent in env.possible_agents:
            name = f"observe({agent!r})"
            before, now = game.moments[step][name], env.observe(agent)
            _same("written mask", f"{what}: {name}", before, now, agent=agent, step=step)

    _replay(make, game, "written mask", what, meddle=write_on_masks)


def _check_legal_moves(make: Make, game: _Game) -> None:
    """Try some of the legal moves, spread over the menu, at every step of a game."""
    rng = np.random.default_rng(game.seed)
    env = make()
    for step in _walk(env, game):
        if _is_over(env):
            continue
        agent = env.agent_selection
        observation, *_, info = env.last()
        for mask in _masks(env, agent, observation, info)[:1]:
            legal = np.flatnonzero(mask.array)
            for part in np.array_split(legal, min(_LEGAL, len(legal))):
                _check_legal_move(env, agent, int(rng.choice(part)), info, step)


def _check_legal_move(env: Env, agent: str, index: int, info: Any, step: int) -> None:
    space, menu, shell = env.action_space(agent), _menu(env, agent), env.unwrapped
    action = int(space.start) + index if isinstance(space, spaces.Discrete) else menu[index]
    what = f"action {action!r} is legal by the mask"
    twin = copy.deepcopy(env)
    with _turned_into_fault("mask", f"{what} of {agent}", lambda: step):
        twin.step(action)
    if _ended_as_illegal(twin, agent):
        raise GameFault("mask", f"{what} and ends the game as illegal", agent=agent, step=step)
    if isinstance(shell, DialogueEnv) and index < len(menu):
        understood = shell.understand(role_of(agent), menu[index], info)
        what = f"{what}; {menu[index]!r} understood"
        _same("mask", what, Understood(index), understood, agent=agent, step=step)


def _ended_as_illegal(env: Env, agent: str) -> bool:
    """Whether the game ended as PettingZoo ends it after an illegal action of the agent."""
    both = [env.terminations[a] and env.truncations[a] for a in env.agents]
    fined = [a for a in env.agents if env.rewards[a]]
    return bool(both) and all(both) and fined == [agent] and env.rewards[agent] < 0


def _check_resets(make: Make, games: Sequence[_Game]) -> None:
    env = make()
    for game in (*games, *games):
        _play_until(env, game, _half(game))  # and give up
        env.reset(seed=game.seed)
        _follow(env, game, "reset", f"seed {game.seed} again on the same instance")


def _check_seeds(make: Make, game: _Game) -> None:
    for seed in range(game.seed + 1, game.seed + 1 + _SEEDS):
        env = make()
        env.reset(seed=seed)
        try:
            _follow(env, game, "seed", "another seed")
        except GameFault:
            return
    raise GameFault("seed", f"the next {_SEEDS} seeds give the same game as seed {game.seed}")


def _check_growth(make: Make, games: Sequence[_Game]) -> None:
    env = make()
    sizes = {}
    for played in range(1, _MANY + 1):
        game = games[played % len(games)]
        _play_until(env, game, len(game.actions))
        if played in (_FEW, _MANY):
            sizes[played] = len(pickle.dumps(_play_until(env, games[0], _half(games[0]))))
    if abs(sizes[_MANY] - sizes[_FEW]) > _SLACK:
        what = f"bytes of the pickled env in the same position, after {_FEW} and {_MANY} games"
        raise GameFault("growth", what, expected=sizes[_FEW], seen=sizes[_MANY])


# Secrets -----------------------------------------------------------------------------------


def _check_secrets(
    make: Make,
    seeds: Sequence[int],
    secret_of: SecretOf | None,
    secrets: Sequence[str] | None,
) -> None:
    make = _rendering(make)
    env = make()
    env.reset(seed=seeds[0])
    shell = env.unwrapped
    if isinstance(shell, DialogueEnv):
        secrets = shell.secrets() if secrets is None else secrets
        if secret_of is None and hasattr(shell, "secret"):
            secret_of = _kept_secret
    if secret_of is None:
        return
    for seed in seeds:
        rng = np.random.default_rng(seed)
        if secrets is not None:
            pairs = _secret_pairs(make, seed, secrets, rng)
        else:
            pairs = _seed_pairs(make, seed, secret_of)
        for number, deal in enumerate(itertools.islice(pairs, _PAIRS)):
            played: list[Any] = []
            with _turned_into_fault("play", "legal play", lambda played=played: len(played)):  # type: ignore[misc]
                _compare_views(
                    deal,
                    secret_of,
                    rng,
                    played,
                    exact=secrets is not None,
                    long=number < _LONG_PAIRS,
                    errors=number == 0,
                )


def _kept_secret(env: Env) -> tuple[Collection[str], str]:
    shell: Any = env.unwrapped
    return shell.keepers, shell.secret


def _secret_pairs(
    make: Make, seed: int, secrets: Sequence[str], rng: np.random.Generator
) -> Iterator[_Deal]:
    """The same game with two secrets, again and again."""
    shell = make().unwrapped
    public = shell.public if isinstance(shell, DialogueEnv) else lambda secret: ""
    kinds: dict[str, list[str]] = {}
    for secret in secrets:
        kinds.setdefault(public(secret), []).append(secret)
    several = [kind for kind in kinds.values() if len(kind) > 1]
    while several:
        kind = several[rng.integers(len(several))]
        two = [kind[index] for index in rng.permutation(len(kind))[:2]]
        resets = [{"seed": seed, "options": {"secret": secret}} for secret in two]
        yield functools.partial(_dealt, make, resets)


def _seed_pairs(make: Make, seed: int, secret_of: SecretOf) -> Iterator[_Deal]:
    """The game of a seed, beside those of other seeds that have another secret."""
    for other_seed in range(seed + 1, seed + 1 + _SEEDS):
        deal = functools.partial(_dealt, make, [{"seed": seed}, {"seed": other_seed}])
        one, other = deal()
        if secret_of(one)[1] != secret_of(other)[1]:
            yield deal


def _dealt(make: Make, resets: Sequence[Mapping[str, Any]]) -> list[Env]:
    """Envs that have just been reset."""
    envs = [make() for _ in resets]
    for env, reset in zip(envs, resets, strict=True):
        env.reset(**reset)
    return envs


def _compare_views(
    deal: _Deal,
    secret_of: SecretOf,
    rng: np.random.Generator,
    actions: list[Any],
    *,
    exact: bool,
    long: bool,
    errors: bool,
) -> None:
    """Play two games with the same actions as long as they look the same in public.

    Args:
        deal: makes the two games.
        secret_of: as for `check_game`.
        rng: chooses the actions.
        actions: a list to which they are added.
        exact: whether the views must be equal to the byte.
        long: whether actions that end one of the games are taken back.
        errors: whether the errors that those who do not know the secret get are compared too.
    """
    envs = deal()
    (owners, secret), (_, others_secret) = map(secret_of, envs)
    owners = {owners} if isinstance(owners, str) else set(owners)
    outsiders = [agent for agent in envs[0].possible_agents if agent not in owners]
    chosen: _Chosen | None = Counter() if long else None

    def again() -> list[Env]:
        envs = deal()
        _repeat(envs, actions)
        return envs

    while envs:
        one, other = envs
        step = len(actions)
        if _public(one) != _public(other):  # from here on views may differ: a word was let out
            return
        for agent in outsiders:
            view, others_view = _outside_view(one, agent), _outside_view(other, agent)
            if errors and not _is_over(one) and agent == one.agent_selection:
                view["errors"], others_view["errors"] = _errors(one), _errors(other)
            if exact:
                what = f"with the secrets {secret!r} and {others_secret!r}: view"
                _same_frozen("secret", what, view, others_view, agent=agent, step=step)
            _check_mentions(secret, view, others_view, agent, step)
            _check_mentions(others_secret, others_view, view, agent, step)
        if not one.agents:
            return
        if step >= _LONG_STEPS:
            chosen = None
        envs = _step(envs, again, actions, rng, chosen)


def _errors(env: Env) -> dict[str, list[str]]:
    """What a copy of the env says to an action out of bounds and to a secret that there is not."""
    twin = copy.deepcopy(env)
    space = env.action_space(env.agent_selection)
    outside = int(space.start + space.n) if isinstance(space, spaces.Discrete) else -1
    return {
        f"step({outside})": _messages(lambda: twin.step(outside)),
        "reset(options={'secret': …})": _messages(
            lambda: twin.reset(seed=0, options={"secret": _NO_SECRET})
        ),
    }


def _messages(call: Callable[[], object]) -> list[str]:
    """The error that a call raises, and those behind it."""
    texts = []
    try:
        call()
    except Exception as raised:
        error: BaseException | None = raised
        while error is not None:
            texts += [_plain_repr(error), *getattr(error, "__notes__", [])]
            error = error.__cause__ or error.__context__
    return texts


def _check_mentions(
    secret: str, view: dict[str, Any], without: dict[str, Any], agent: str, step: int
) -> None:
    """A secret must not stand in a view more often than in the same game without it."""
    for where, seen in view.items():
        if not _difference(seen, without[where], where):
            continue
        here, there = (str(text).casefold() for text in (seen, without[where]))
        if here.count(secret.casefold()) > there.count(secret.casefold()):
            what = f"the secret {secret!r} stands in view[{where!r}]"
            raise GameFault("secret", what, agent=agent, step=step, expected=there, seen=here)


def _outside_view(env: Env, agent: str) -> dict[str, Any]:
    """All that an agent can get hold of without looking into the env."""
    view = {
        "observation": _freeze(env.observe(agent)),
        "info": _freeze(env.infos.get(agent)),
        "repr": _plain_repr(env),
        "str": str(env),
        "repr of unwrapped": _plain_repr(env.unwrapped),
        "str of unwrapped": str(env.unwrapped),
    }
    if getattr(env, "render_mode", None) == "ansi":
        view["render"] = _freeze(env.render())
    return view


def _public(env: Env) -> Any:
    """What everybody may know: who is to move, who was paid, and the dialogue if there is one."""
    shell = env.unwrapped
    dialogue = (shell.history, shell.result) if isinstance(shell, DialogueEnv) else ()
    selection = env.agent_selection if env.agents else None
    return _freeze([selection, env.rewards, env.terminations, env.truncations, dialogue])


def _rendering(make: Make) -> Make:
    """The same env with `render_mode="ansi"`, where that can be asked for."""
    if "ansi" not in make().metadata.get("render_modes", ()):
        return make
    try:
        inspect.signature(make).bind(render_mode="ansi")
    except (TypeError, ValueError):
        return make
    return functools.partial(make, render_mode="ansi")


# Other processes ---------------------------------------------------------------------------


def _resolve(env_fn: Make | str) -> Make:
    if not isinstance(env_fn, str):
        return env_fn
    module, _, name = env_fn.partition(":")
    make: Make = getattr(importlib.import_module(module), name)
    return make


def _pickled(env_fn: Make | str) -> bytes:
    function = env_fn
    while isinstance(function, functools.partial):
        function = function.func
    try:
        if getattr(function, "__module__", None) == "__main__":
            raise pickle.PicklingError("it is defined in __main__")
        return pickle.dumps(env_fn)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"another process cannot import env_fn ({error}): give 'module:function', a function "
            f"of a module, functools.partial of one, or hash_seeds=() to leave this check out"
        ) from error


_IN_CHILD = "from unspoken.testing import _play_in_child; _play_in_child()"


def _play_in_child() -> None:
    """Play what standard input asks for; the records go to standard output."""
    pickled, seeds, max_steps = pickle.load(sys.stdin.buffer)
    with contextlib.redirect_stdout(sys.stderr):
        make = _resolve(pickle.loads(pickled))
        games = [_play(make, seed, i, max_steps) for seed in seeds for i in range(_TRIES)]
    pickle.dump(games, sys.stdout.buffer)


def _play_elsewhere(
    pickled: bytes, seeds: Sequence[int], max_steps: int, hash_seed: int
) -> list[_Game]:
    """Play in a fresh process with a hash seed of its own."""
    path = os.pathsep.join(["", *filter(None, sys.path)])
    child = subprocess.run(
        [sys.executable, "-c", _IN_CHILD],
        input=pickle.dumps((pickled, tuple(seeds), max_steps)),
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": path},
        capture_output=True,
        check=False,
    )
    if child.returncode:
        error = child.stderr.decode(errors="replace").strip()
        what = f"a process with PYTHONHASHSEED={hash_seed} could not play:\n{error}"
        raise GameFault("hash seed", what)
    games: list[_Game] = pickle.loads(child.stdout)
    return games


def _check_hash_seeds(
    pickled: bytes, seeds: Sequence[int], max_steps: int, hash_seeds: Sequence[int]
) -> None:
    with ThreadPoolExecutor() as pool:
        play = functools.partial(_play_elsewhere, pickled, seeds, max_steps)
        first, *rest = pool.map(play, hash_seeds)
    for hash_seed, games in zip(hash_seeds[1:], rest, strict=True):
        what = f"PYTHONHASHSEED={hash_seeds[0]} and {hash_seed}"
        for game, other in zip(first, games, strict=True):
            _compare_records(game, other, f"{what}, seed {game.seed}")


def _compare_records(game: _Game, other: _Game, what: str) -> None:
    for step, (moment, others_moment) in enumerate(zip(game.moments, other.moments, strict=False)):
        agent = moment["agent_selection"]
        _same("hash seed", f"{what}: game", moment, others_moment, agent=agent, step=step)
        action, others_action = (g.actions[step : step + 1] for g in (game, other))
        sampled = f"{what}: sampled action"
        _same("hash seed", sampled, action, others_action, agent=agent, step=step)
