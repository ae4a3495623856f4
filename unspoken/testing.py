"""Checks of a game that PettingZoo's own tests do not make: `check_game`.

`pettingzoo.test.api_test` and `seed_test` say whether an environment can be called. They miss the
faults that spoil results: a reward paid at every step, a seed that changes nothing, a secret in
another player's view. `check_game` plays a few whole games of any AEC environment (masks in the
observation or the info, or text actions), replays them move by move in every way that must make no
difference, and names the first thing that does:

| fault | what was found |
| --- | --- |
| `play` | the game raised an error on a legal action, or does not end |
| `random` | Python's or NumPy's global random state is read or advanced |
| `metadata` | class-level metadata is written, or shared by instances |
| `aliasing` | an observation or info changed after it was handed out |
| `space` | an observation outside its space, or a new space object at each call |
| `mask` | not int8, 0/1, of the right length; no legal move on turn; legal moves off turn |
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
| `secret` | somebody's view depends on a secret that is not theirs |
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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from unspoken.envs.base import DialogueEnv

__all__ = ["GameFault", "TextDtypeView", "check_game"]

Env = AECEnv[str, Any, Any]
Make = Callable[..., Env]
Returns = Mapping[str, float]
SecretOf = Callable[[Env], tuple[str | Collection[str], str]]

_TRIES = 6  # games tried for each seed; the longest is kept
_PAIRS = 4  # pairs of secrets compared for each seed
_SEEDS = 50  # seeds tried before a game counts as deaf to them
_FEW, _MANY = 5, 50  # resets between which an env must not grow
_SLACK = 64  # bytes by which a pickle may differ all the same
_POISON = 12345.0
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
    result_of: Callable[[Env], Returns] | None = None,
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
            asked after reset. A `DialogueEnv` with a `secret` and a holder needs none. Without
            it, secrets are not checked.
        secrets: what the secret may be, if `reset` takes `options={"secret": …}`; the `secrets()`
            of a `DialogueEnv`. With it, the same moves are played under two secrets, and the
            views of those who do not know it must be equal to the byte as long as all that is
            public is. Without it, a secret must not stand in their views more often than it does
            in another game.
        result_of: what the result of a finished game pays each agent, in closed form. For a
            `DialogueEnv` the default is 1 or the result's weight to the winner's role, as much
            less to the others, 0 where nobody won.
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
    games = [_longest_game(make, seed, max_steps) for seed in seeds]
    _check_global_random(make, games[0])
    _check_metadata(make, games[0])
    for game in games:
        _check_invariants(make, game, off_turn=int(nonzero_mask))
        _check_cleared_rewards(make, game)
        _check_returns(make, game, result_of)
        _check_second_instance(make, game)
        _check_unknown_options(make, game)
        _check_copies(make, game, max_steps)
        _check_observe(make, game)
        _check_written_masks(make, game)
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
    if isinstance(value, Mapping):
        return {_freeze(key): _freeze(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_freeze(inner) for inner in value]
    if isinstance(value, (set, frozenset)):
        return sorted(repr(_freeze(inner)) for inner in value)
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if array.dtype.hasobject:
            return _freeze(array.tolist())
        return _Array(array.dtype.str, array.shape, array.tobytes())
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, (int, bytes)):
        return value
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _freeze(getattr(value, field.name)) for field in _fields(value)}
    return _ADDRESS.sub("", repr(value))


def _fields(value: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(value)


def _difference(expected: Any, seen: Any, where: str = "") -> _Difference | None:
    """The first place where two frozen values differ."""
    if type(expected) is type(seen) is dict and list(expected) == list(seen):
        pairs = ((f"{where}[{key!r}]", expected[key], seen[key]) for key in expected)
    elif type(expected) is type(seen) is list and len(expected) == len(seen):
        pairs = ((f"{where}[{i}]", expected[i], seen[i]) for i in range(len(expected)))
    elif type(expected) is type(seen) and expected == seen:
        return None
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
    """Raise the fault if two values differ; the message says where."""
    difference = _difference(_freeze(expected), _freeze(seen), what)
    if difference:
        where, expected, seen = difference
        raise GameFault(fault, where, agent=agent, step=step, expected=expected, seen=seen)


def _shown(expected: object, seen: object) -> tuple[str, str]:
    """Both values, cut to the part where they begin to differ."""
    texts = (
        (expected, seen)
        if isinstance(expected, str) and isinstance(seen, str)
        else (repr(expected), repr(seen))
    )
    first = next(
        (i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts))
    )
    start = max(0, first - _SHOWN // 4) if max(map(len, texts)) > _SHOWN else 0
    cut = [("…" if start else "") + text[start : start + _SHOWN] for text in texts]
    cut = [part + "…" * (start + _SHOWN < len(text)) for part, text in zip(cut, texts, strict=True)]
    if isinstance(expected, str) and isinstance(seen, str):
        cut = [repr(part) for part in cut]
    return cut[0], cut[1]


def _snapshot(env: Env) -> dict[str, Any]:
    """All that can be seen of a game now, by everybody."""
    snapshot: dict[str, Any] = {
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
    where: str
    mask: Any
    size: int


def _masks(env: Env, agent: str, observation: Any, info: Any) -> list[_Mask]:
    """The agent's masks of actions, wherever they stand."""
    space = env.action_space(agent)
    found = []
    if isinstance(space, spaces.Discrete):
        for where, holder in (("observation", observation), ("info", info)):
            if isinstance(holder, Mapping) and "action_mask" in holder:
                found.append(_Mask(where, holder["action_mask"], int(space.n)))
    if isinstance(info, Mapping) and "menu_mask" in info:
        found.append(_Mask("info", info["menu_mask"], len(_menu(env, agent) or ())))
    return found


def _menu(env: Env, agent: str) -> Sequence[str] | None:
    menu = getattr(env.unwrapped, "menu", None)
    return menu(agent) if callable(menu) else None


def _check_mask(
    mask: _Mask, agent: str, step: int | None, *, on_turn: bool, off_turn: int = 0
) -> None:
    place = f"mask in the {mask.where}"
    array = mask.mask
    if not isinstance(array, np.ndarray) or array.dtype != np.int8 or array.shape != (mask.size,):
        seen = f"{getattr(array, 'dtype', type(array).__name__)} {np.shape(array)}"
        raise GameFault(
            "mask", place, agent=agent, step=step, expected=f"int8 ({mask.size},)", seen=seen
        )
    wrong = sorted(set(array.tolist()) - {0, 1})
    if wrong:
        raise GameFault("mask", place, agent=agent, step=step, expected=[0, 1], seen=wrong)
    if on_turn and not array.any():
        raise GameFault(
            "mask", f"{place}, on turn", agent=agent, step=step, expected="a legal move", seen="0s"
        )
    if not on_turn and (array != off_turn).any():
        expected = np.full_like(array, off_turn)
        raise GameFault(
            "mask", f"{place}, off turn", agent=agent, step=step, expected=expected, seen=array
        )


def _choose(env: Env, rng: np.random.Generator, step: int | None = None) -> Any:
    """A random legal action of the agent to move: None for a dead one."""
    agent = env.agent_selection
    observation, _, terminated, truncated, info = env.last()
    if terminated or truncated:
        return None
    space, menu = env.action_space(agent), _menu(env, agent)
    masks = _masks(env, agent, observation, info)
    for mask in masks[:1]:
        _check_mask(mask, agent, step, on_turn=True)
    legal = np.flatnonzero(masks[0].mask) if masks else np.arange(len(menu or ()))
    if isinstance(space, spaces.Discrete) and masks:
        return int(space.start) + int(rng.choice(legal))
    if isinstance(space, spaces.Text) and menu and rng.random() < 0.875:
        return menu[int(rng.choice(legal))]
    space.seed(int(rng.integers(2**31)))
    return space.sample()


def _is_legal(env: Env, action: Any) -> bool:
    agent = env.agent_selection
    observation, *_, info = env.last()
    space = env.action_space(agent)
    masks = _masks(env, agent, observation, info)
    if action is None or not masks or not isinstance(space, spaces.Discrete):
        return True
    return bool(masks[0].mask[action - int(space.start)])


def _play(make: Make, seed: int, policy_seed: int, max_steps: int) -> _Game:
    """Play and record a game of random legal actions."""
    env, rng = make(), np.random.default_rng(policy_seed)
    game = _Game(seed, [], [])
    step = 0
    try:
        env.reset(seed=seed)
        game.moments.append(_snapshot(env))
        while env.agents:
            if step == max_steps:
                raise GameFault("play", f"the game does not end in max_steps={max_steps}")
            action = _choose(env, rng, step)
            game.actions.append(action)
            env.step(action)
            step += 1
            game.moments.append(_snapshot(env))
    except GameFault:
        raise
    except Exception as error:
        raise GameFault(
            "play", f"legal play with seed {seed} raised {error!r}", step=step
        ) from error
    return game


def _longest_game(make: Make, seed: int, max_steps: int) -> _Game:
    games = (_play(make, seed, policy_seed, max_steps) for policy_seed in range(_TRIES))
    return max(games, key=lambda game: len(game.actions))


def _walk(env: Env, game: _Game, until: int | None = None) -> Iterator[int]:
    """Reset, and play the game's actions; stop before each of them and after the last."""
    env.reset(seed=game.seed)
    until = len(game.actions) if until is None else until
    for step in range(until):
        yield step
        env.step(game.actions[step])
    yield until


def _at(make: Make, game: _Game, step: int) -> Env:
    """A new env, played up to a step."""
    env = make()
    for _ in _walk(env, game, step):
        pass
    return env


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
    try:
        for step in range(start, len(game.moments)):
            difference = _difference(game.moments[step], _snapshot(env))
            if difference:
                where, expected, seen = difference
                agent = game.moments[max(step - 1, 0)]["agent_selection"]
                raise GameFault(
                    fault, f"{what}: {where}", agent=agent, step=step, expected=expected, seen=seen
                )
            if step < len(game.actions):
                if meddle:
                    meddle(env, step)
                env.step(game.actions[step])
    except GameFault:
        raise
    except Exception as error:
        raise GameFault(fault, f"{what}: the game raised {error!r}", step=step) from error


# Checks ------------------------------------------------------------------------------------


def _check_global_random(make: Make, game: _Game) -> None:
    def state() -> Any:
        return _freeze([random.getstate(), np.random.get_state()])

    kept = random.getstate(), np.random.get_state()
    try:
        for seed in (1, 2):
            random.seed(seed)
            np.random.seed(seed)
            before = state()
            env = make()
            env.reset(seed=game.seed)
            _follow(env, game, "random", f"the game after random.seed({seed}), np.random.seed(…)")
            if state() != before:
                raise GameFault("random", "the game changes the global random state")
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])


def _check_metadata(make: Make, game: _Game) -> None:
    one = make().unwrapped
    before = _freeze(type(one).metadata)
    other = _at(make, game, len(game.actions)).unwrapped
    difference = _difference(before, _freeze(type(one).metadata), "metadata")
    if difference:
        where, expected, seen = difference
        raise GameFault(
            "metadata", f"an instance writes on its class's {where}", expected=expected, seen=seen
        )
    for whose, owner in (("its class", type(one)), ("another instance", other)):
        for name, mine, theirs in (
            ("metadata", one.metadata, owner.metadata),
            *((f"metadata[{key!r}]", one.metadata[key], owner.metadata.get(key)) for key in before),
        ):
            if mine is theirs and isinstance(mine, (dict, list, set)):
                raise GameFault(
                    "metadata",
                    f"an instance shares {name} with {whose}; a wrapper that writes on it changes "
                    f"both (copy.deepcopy it in __init__)",
                )


def _check_invariants(make: Make, game: _Game, off_turn: int) -> None:
    """What must hold at each step of any game."""
    env = make()
    held: list[_Held] = []
    owed: dict[str, float] = dict.fromkeys(env.possible_agents, 0.0)
    first_infos: dict[str, Any] = {}
    for step in _walk(env, game):
        views = {agent: _View(env, agent) for agent in env.possible_agents}
        held += [held_ for view in views.values() for held_ in view.held(step)]
        _check_held(held[-4 * len(views) :], step)
        first_infos = first_infos or {agent: _freeze(env.infos[agent]) for agent in env.agents}
        for view in views.values():
            _check_spaces(env, view, step)
            _check_masks(env, view, step, off_turn)
            _check_first_info(first_infos, view, step)
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
        self.seen = _freeze(self.observation)
        self.info = env.infos.get(agent)
        self.on_turn = (
            bool(env.agents)
            and agent == env.agent_selection
            and not (env.terminations[agent] or env.truncations[agent])
        )
        self.masks = _masks(env, agent, self.observation, self.info)

    def held(self, step: int) -> list[_Held]:
        info = _Held("info", self.agent, step, self.info, _freeze(self.info))
        return [_Held("observation", self.agent, step, self.observation, self.seen), info]


def _check_held(held: list[_Held], now: int) -> None:
    for what, agent, step, value, frozen in held:
        difference = _difference(frozen, _freeze(value), what)
        if difference:
            where, expected, seen = difference
            raise GameFault(
                "aliasing",
                f"{where} was handed out and has changed by step {now}",
                agent=agent,
                step=step,
                expected=expected,
                seen=seen,
            )


def _check_spaces(env: Env, view: _View, step: int) -> None:
    agent = view.agent
    for name in ("observation_space", "action_space"):
        space = getattr(env, name)
        if not isinstance(space(agent), spaces.Space) or space(agent) is not space(agent):
            raise GameFault(
                "space", f"{name} is not one and the same Space", agent=agent, step=step
            )
    if not env.observation_space(agent).contains(view.observation):
        raise GameFault(
            "space",
            "an observation outside its space",
            agent=agent,
            step=step,
            expected=str(env.observation_space(agent)),
            seen=repr(view.observation),
        )


def _check_masks(env: Env, view: _View, step: int, off_turn: int) -> None:
    for mask in view.masks:
        _check_mask(mask, view.agent, step, on_turn=view.on_turn, off_turn=off_turn)
    for mask, other in itertools.combinations(view.masks, 2):
        if mask.size == other.size and (mask.mask != other.mask).any():
            raise GameFault(
                "mask",
                f"masks in the {mask.where} and the {other.where} differ",
                agent=view.agent,
                step=step,
                expected=mask.mask,
                seen=other.mask,
            )


def _check_first_info(first: dict[str, Any], view: _View, step: int) -> None:
    if view.info and not first.get(view.agent):
        raise GameFault(
            "info",
            "the first info is empty, a later one is not",
            agent=view.agent,
            step=step,
            expected=list(view.info),
            seen=[],
        )


def _check_ending(env: Env, step: int) -> None:
    flags = {agent: (env.terminations[agent], env.truncations[agent]) for agent in env.agents}
    ended = [agent for agent, flag in flags.items() if any(flag)]
    if not ended:
        return
    for agent, flag in flags.items():
        if flag != flags[ended[0]]:
            raise GameFault(
                "ending",
                "agents do not end together with the same (terminated, truncated)",
                agent=agent,
                step=step,
                expected=flags[ended[0]],
                seen=flag,
            )
    if env.agent_selection != ended[0]:
        raise GameFault(
            "dead first",
            "the game is over, but agent_selection is not its first dead agent (was "
            "_deads_step_first called?)",
            step=step,
            expected=ended[0],
            seen=env.agent_selection,
        )


def _check_last_reward(env: Env, owed: dict[str, float], step: int) -> None:
    for agent, reward in env.rewards.items():
        owed[agent] += reward
    if env.agents:
        agent = env.agent_selection
        paid = env.last(observe=False)[1]
        what = "last() must pay what stood in rewards since the agent's last turn, once"
    else:
        agent = max(owed, key=lambda agent: abs(owed[agent]))
        paid, what = 0.0, "what stood in rewards was never paid by last()"
    if not math.isclose(paid, owed[agent], abs_tol=1e-9):
        raise GameFault(
            "last reward", what, agent=agent, step=step, expected=owed[agent], seen=paid
        )
    owed[agent] = 0.0


def _check_cleared_rewards(make: Make, game: _Game) -> None:
    def write_on_rewards(env: Env, step: int) -> None:
        rewards = env.unwrapped.rewards
        rewards.update(dict.fromkeys(rewards, _POISON))

    env = make()
    env.reset(seed=game.seed)
    what = f"rewards set to {_POISON} before a step must be cleared by it (_clear_rewards)"
    _follow(env, game, "clear", what, meddle=write_on_rewards)


def _check_returns(make: Make, game: _Game, result_of: Callable[[Env], Returns] | None) -> None:
    env = make()
    paid = dict.fromkeys(env.possible_agents, 0.0)
    results: Sequence[Returns] = ()
    for _ in _walk(env, game):
        if env.agents:
            _, reward, terminated, truncated, _ = env.last(observe=False)
            paid[env.agent_selection] += reward
            if (terminated or truncated) and not results:
                results = [result_of(env)] if result_of else _dialogue_returns(env)
    if results and not any(_pays(result, paid) for result in results):
        raise GameFault(
            "returns",
            f"what agents were paid is not what the game's result says (seed {game.seed})",
            step=len(game.actions),
            expected=" or ".join(str(dict(result)) for result in results),
            seen=str(paid),
        )


def _pays(result: Returns, paid: Returns) -> bool:
    return all(math.isclose(result[a], paid[a], rel_tol=1e-9, abs_tol=1e-9) for a in paid)


def _dialogue_returns(env: Env) -> list[Returns]:
    """What a `DialogueEnv` may pay for its result: ±1, or weighted."""
    shell = env.unwrapped
    if not isinstance(shell, DialogueEnv) or shell.result is None:
        return []
    winner = shell.result.winner
    signs = {
        agent: 0.0 if winner is None else 1.0 if agent.rpartition("_")[0] == winner else -1.0
        for agent in shell.possible_agents
    }
    return [
        {agent: sign * pay for agent, sign in signs.items()} for pay in (1.0, shell.result.weight)
    ]


def _check_second_instance(make: Make, game: _Game) -> None:
    env = make()
    env.reset(seed=game.seed)
    _follow(env, game, "instance", f"a second instance with seed {game.seed}")


def _check_unknown_options(make: Make, game: _Game) -> None:
    env = make()
    options = {"options": 1, "no such option": "x"}
    try:
        env.reset(seed=game.seed, options=options)
    except Exception as error:
        raise GameFault("options", f"reset(options={options}) raised {error!r}") from error
    _follow(env, game, "options", f"the game after reset(options={options})")


def _check_copies(make: Make, game: _Game, max_steps: int) -> None:
    ways: dict[str, Callable[[Env], Env]] = {
        "deepcopy": copy.deepcopy,
        "pickle": lambda env: pickle.loads(pickle.dumps(env)),  # type: ignore[no-any-return]
    }
    last = len(game.actions) - 1
    for (name, copied), step in itertools.product(ways.items(), sorted({0, 1, last // 2, last})):
        env = _at(make, game, step)
        try:
            twin, stray = copied(env), copied(env)
            _play_out(stray, max_steps)
        except Exception as error:
            raise GameFault(name, f"a copy made in mid-game raised {error!r}", step=step) from error
        _follow(twin, game, name, f"a copy made at step {step}", start=step)
        _follow(env, game, name, f"the original of copies made at step {step}", start=step)


def _play_out(env: Env, max_steps: int) -> None:
    rng = np.random.default_rng(_TRIES)
    for _ in range(max_steps):
        if not env.agents:
            return
        env.step(_choose(env, rng))


def _check_observe(make: Make, game: _Game) -> None:
    def observe_all(env: Env, step: int) -> None:
        for agent in env.possible_agents:
            env.observe(agent)
        before = pickle.dumps(env)
        for agent in env.possible_agents * 2:
            env.observe(agent)
            if pickle.dumps(env) != before:
                raise GameFault("observe", "observe() changes the env", agent=agent, step=step)

    env = make()
    env.reset(seed=game.seed)
    _follow(env, game, "observe", "the game with more calls of observe()", meddle=observe_all)
    observe_all(env, len(game.actions))


def _check_written_masks(make: Make, game: _Game) -> None:
    what = "the game after its masks were written on"

    def write_on_masks(env: Env, step: int) -> None:
        agent = env.agent_selection
        observation, *_, info = env.last()
        for mask in _masks(env, agent, observation, info):
            if mask.mask.flags.writeable:
                mask.mask[:] = 1 - mask.mask
        for agent in env.possible_agents:
            where = f"observe({agent!r})"
            found = _difference(game.moments[step][where], _freeze(env.observe(agent)), where)
            if found:
                raise GameFault(
                    "written mask",
                    f"{what}: {found.where}",
                    agent=agent,
                    step=step,
                    expected=found.expected,
                    seen=found.seen,
                )

    env = make()
    env.reset(seed=game.seed)
    _follow(env, game, "written mask", what, meddle=write_on_masks)


def _check_resets(make: Make, games: Sequence[_Game]) -> None:
    env = make()
    for game in (*games, *games):
        for _ in _walk(env, game, len(game.actions) // 2):
            pass  # a game that is given up
        env.reset(seed=game.seed)
        _follow(env, game, "reset", f"the game of seed {game.seed} after other games")


def _check_seeds(make: Make, game: _Game) -> None:
    others = [seed for seed in range(_SEEDS + 1) if seed != game.seed]
    for seed in others:
        env = make()
        env.reset(seed=seed)
        try:
            _follow(env, game, "seed", "another seed")
        except GameFault:
            return
    raise GameFault("seed", f"{len(others)} other seeds give the game of seed {game.seed}")


def _check_growth(make: Make, games: Sequence[_Game]) -> None:
    env = make()
    sizes = {}
    for played in range(1, _MANY + 1):
        for _ in _walk(env, games[played % len(games)]):
            pass
        if played in (_FEW, _MANY):
            for _ in _walk(env, games[0], len(games[0].actions) // 2):
                pass
            sizes[played] = len(pickle.dumps(env))
    if abs(sizes[_MANY] - sizes[_FEW]) > _SLACK:
        raise GameFault(
            "growth",
            f"bytes of the pickled env, at the same point of a game, after {_FEW} and {_MANY} games",
            expected=sizes[_FEW],
            seen=sizes[_MANY],
        )


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
            secret_of = _holders_secret
    if secret_of is None:
        return
    for seed in seeds:
        if secrets is not None:
            for one, other, rng in _secret_pairs(make, seed, secrets):
                _compare_views(one, other, secret_of, rng, exact=True)
        else:
            for one, other, rng in _seed_pairs(make, seed, secret_of):
                _compare_views(one, other, secret_of, rng, exact=False)


def _holders_secret(env: Env) -> tuple[Collection[str], str]:
    holders = [agent for agent in env.possible_agents if agent.rpartition("_")[0] == "holder"]
    return holders, env.unwrapped.secret  # type: ignore[attr-defined]


_Pair = tuple[Env, Env, np.random.Generator]


def _secret_pairs(make: Make, seed: int, secrets: Sequence[str]) -> Iterator[_Pair]:
    """The same game with two secrets."""
    rng = np.random.default_rng(seed)
    for _ in range(_PAIRS if len(secrets) > 1 else 0):
        pair = make(), make()
        for env, index in zip(pair, rng.permutation(len(secrets))[:2], strict=True):
            env.reset(seed=seed, options={"secret": secrets[index]})
        yield *pair, rng


def _seed_pairs(make: Make, seed: int, secret_of: SecretOf) -> Iterator[_Pair]:
    """Games of other seeds that have other secrets."""
    rng = np.random.default_rng(seed)
    pairs = 0
    for other_seed in range(seed + 1, seed + 1 + _SEEDS):
        one, other = make(), make()
        one.reset(seed=seed)
        other.reset(seed=other_seed)
        if secret_of(one)[1] != secret_of(other)[1]:
            yield one, other, rng
            pairs += 1
        if pairs == _PAIRS:
            return


def _compare_views(
    one: Env, other: Env, secret_of: SecretOf, rng: np.random.Generator, *, exact: bool
) -> None:
    """Play both games with the same actions as long as they look the same to the public."""
    owners, secret = secret_of(one)
    owners = {owners} if isinstance(owners, str) else set(owners)
    _, others_secret = secret_of(other)
    for step in itertools.count():
        public = _difference(_public(one), _public(other)) is None
        for agent in one.possible_agents:
            if agent in owners:
                continue
            view, others_view = _outside_view(one, agent), _outside_view(other, agent)
            difference = _difference(view, others_view, "view") if exact and public else None
            if difference:
                raise GameFault(
                    "secret",
                    f"{difference.where} is not the same when the secret is {others_secret!r} "
                    f"instead of {secret!r}",
                    agent=agent,
                    step=step,
                    expected=difference.expected,
                    seen=difference.seen,
                )
            _check_named(secret, view, others_view, agent, step)
            _check_named(others_secret, others_view, view, agent, step)
        if not public or not one.agents:
            return
        action = _choose(one, rng, step)
        if not _is_legal(other, action):
            return
        one.step(action)
        other.step(action)


def _check_named(secret: str, view: Any, others_view: Any, agent: str, step: int) -> None:
    for where, seen in view.items():
        text = str(seen)
        if _mentions(secret, text) > _mentions(secret, str(others_view[where])):
            at = text.casefold().index(secret.casefold())
            raise GameFault(
                "secret",
                f"the secret {secret!r} stands in view[{where!r}]: "
                f"…{text[max(0, at - _SHOWN // 2) : at + _SHOWN // 2]}…",
                agent=agent,
                step=step,
            )


def _mentions(secret: str, text: str) -> int:
    return text.casefold().count(secret.casefold())


def _outside_view(env: Env, agent: str) -> dict[str, Any]:
    """All that an agent can get hold of without looking into the env."""
    view = {
        "observation": _freeze(env.observe(agent)),
        "info": _freeze(env.infos.get(agent)),
        "repr": _ADDRESS.sub("", repr(env)),
        "str": str(env),
        "repr(unwrapped)": _ADDRESS.sub("", repr(env.unwrapped)),
        "str(unwrapped)": str(env.unwrapped),
    }
    if getattr(env, "render_mode", None) == "ansi":
        view["render"] = _freeze(env.render())
    return view


def _public(env: Env) -> Any:
    """What everybody may know: whose turn it is, who is paid, and the dialogue if there is one."""
    shell = env.unwrapped
    dialogue = (shell.history, shell.result) if isinstance(shell, DialogueEnv) else ()
    selection = env.agent_selection if env.agents else None
    flags = env.terminations, env.truncations
    return _freeze([env.agents, selection, env.rewards, flags, dialogue])


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
        games = [_longest_game(make, seed, max_steps) for seed in seeds]
    pickle.dump(games, sys.stdout.buffer)


def _play_elsewhere(
    pickled: bytes, seeds: Sequence[int], max_steps: int, hash_seed: int
) -> list[_Game]:
    """Play in a fresh process with a hash seed of its own."""
    path = os.pathsep.join(filter(None, ["", *sys.path]))
    child = subprocess.run(
        [sys.executable, "-c", _IN_CHILD],
        input=pickle.dumps((pickled, tuple(seeds), max_steps)),
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": path},
        capture_output=True,
        check=False,
    )
    if child.returncode:
        error = child.stderr.decode(errors="replace").strip()
        raise GameFault(
            "hash seed", f"a process with PYTHONHASHSEED={hash_seed} could not play:\n{error}"
        )
    games: list[_Game] = pickle.loads(child.stdout)
    return games


def _check_hash_seeds(
    pickled: bytes, seeds: Sequence[int], max_steps: int, hash_seeds: Sequence[int]
) -> None:
    first, *rest = (_play_elsewhere(pickled, seeds, max_steps, seed) for seed in hash_seeds)
    for hash_seed, games in zip(hash_seeds[1:], rest, strict=True):
        for game, other in zip(first, games, strict=True):
            what = f"seed {game.seed}, PYTHONHASHSEED={hash_seeds[0]} and {hash_seed}"
            for step, moments in enumerate(zip(game.moments, other.moments, strict=False)):
                actions = [_freeze(played.actions[step : step + 1]) for played in (game, other)]
                difference = _difference(*moments) or _difference(*actions, "sampled action")
                if difference:
                    raise GameFault(
                        "hash seed",
                        f"{what}: {difference.where}",
                        agent=game.moments[step]["agent_selection"],
                        step=step,
                        expected=difference.expected,
                        seen=difference.seen,
                    )
