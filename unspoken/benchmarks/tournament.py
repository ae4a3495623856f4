"""Running a tournament: many games at once, each game's end written at once.

Between rounds every player is shown the outcomes of the round in schedule order, and each game of
a round is played by a copy of the player as it stood when the round began. So what players learn
does not depend on which game happened to end first, and a run that was broken off and resumed is
the same as an unbroken one. Where nobody learns, nothing waits for the end of a round.
"""

from __future__ import annotations

import asyncio
import copy
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

import unspoken
from unspoken.agents.base import Agent, AgentFailure, BaseAgent, Outcome
from unspoken.agents.specs import make_agents, roles_of
from unspoken.benchmarks.design import Fixture, schedule
from unspoken.benchmarks.executors import Executor, make_executor
from unspoken.benchmarks.store import Game, Store
from unspoken.envs.base import one_line
from unspoken.envs.registry import GameSpec, role_of

log = logging.getLogger(__name__)

Watcher = Callable[[Game | None, int, int], None]
"""Called when a game is over (None at the start), with the number of games done and of all."""


@dataclass(frozen=True)
class Plan:
    """A tournament that can be played: everything that may be wrong has been looked at.

    Attributes:
        spec: the game and its options.
        players: the players by name.
        fixtures: the schedule.
        config: what the store holds a run to.
    """

    spec: GameSpec
    players: Mapping[str, Agent]
    fixtures: list[Fixture]
    config: dict[str, Any]


def plan(
    spec: GameSpec,
    agents: Sequence[str],
    *,
    rounds: int = 5,
    seed: int = 0,
    paired: bool | None = None,
    limit: int | None = None,
) -> Plan:
    """Build the players and the schedule of a tournament.

    Args:
        spec: the game and its options.
        agents: specs of the players, each once.
        rounds: repetitions of the design.
        seed: of everything, 0 or more.
        paired: whether both seatings of a pair share secret and seed; as the game has it if None.
        limit: play only so many games, the first of the schedule; the rest can follow later.

    Raises:
        ValueError: if the agents cannot play each other, or a setting is out of range.
        ImportError: if an agent needs an extra that is not installed; names the extra.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"limit={limit}: at least 1")
    if seed < 0:
        raise ValueError(f"seed={seed}: 0 or more")
    # One mode for all: agents that talk and agents that choose play the same game.
    if spec.options.get("utterances", "free") != "free":
        raise ValueError("tournaments are played in free mode: leave the option utterances out")
    spec = replace(
        spec.with_options(utterances="free"),
        settings=tuple(s for s in spec.settings if s.items() <= {**s, **spec.options}.items()),
    )
    paired = spec.paired if paired is None else paired
    players = make_agents(agents, spec.name)
    taken = {name: roles_of(player, spec.roles) for name, player in players.items()}
    fixtures = schedule(taken, spec, rounds=rounds, seed=seed, paired=paired)
    config = {
        "game": spec.id,
        "options": dict(spec.options),
        "agents": list(agents),
        "rounds": rounds,
        "seed": seed,
        "paired": paired,
        "unspoken": unspoken.__version__,
    }
    return Plan(spec, players, fixtures[:limit], config)


def carry_out(
    plan: Plan,
    folder: Path,
    *,
    executor: str = "local",
    concurrency: int | None = None,
    force: bool = False,
    watch: Watcher = lambda game, done, total: None,
) -> None:
    """Play a tournament, or go on with one, until all of its games are in the store.

    Args:
        plan: what to play.
        folder: where `run.sqlite` is kept.
        executor: where games are played: "local" or "ray"; the run is the same.
        concurrency: games in play at once; local only, 8 if None.
        force: throw away what the folder holds.
        watch: told of every game that is over.

    Raises:
        ValueError: if there is no such executor, it does not take such a `concurrency`, or an
            agent cannot be sent to it.
        ImportError: if the executor needs an extra that is not installed; names the extra.
        RuntimeError: if Ray's workers died again and again over one game.
        StoreError: if the folder holds another run.
    """
    place = make_executor(executor, concurrency)
    place.check(_work(plan))
    with Store(folder, plan.config, force=force) as store:
        _play_all(plan, store, place, watch)


def run(spec: GameSpec, agents: Sequence[str], folder: Path, **settings: Any) -> None:
    """`plan` and `carry_out` in one; `settings` are the arguments of both."""
    design = ("rounds", "seed", "paired", "limit")
    planned = {key: settings.pop(key) for key in design if key in settings}
    carry_out(plan(spec, agents, **planned), folder, **settings)


def _play_all(plan: Plan, store: Store, executor: Executor, watch: Watcher) -> None:
    total = len(plan.fixtures)
    done = sum(fixture.id in store.done for fixture in plan.fixtures)
    watch(None, done, total)
    played = dict(store.held)

    def keep(game: Game) -> None:
        nonlocal done
        store.save(game)
        played[game.fixture.id] = game
        done += 1
        watch(game, done, total)

    learning = any(map(_learns, plan.players.values()))
    for _, group in groupby(plan.fixtures, key=lambda fixture: learning and fixture.round):
        games = list(group)
        waiting = [fixture for fixture in games if fixture.id not in store.done]
        executor.run(waiting, _work(plan), keep)
        _teach(plan, (played.pop(fixture.id) for fixture in games))


def _work(plan: Plan) -> Callable[[Fixture], Awaitable[Game]]:
    return partial(play, plan.spec, players=plan.players)


def _learns(player: Agent) -> bool:
    return getattr(player.observe, "__func__", None) is not BaseAgent.observe


def _teach(plan: Plan, games: Iterable[Game]) -> None:
    for game in games:
        names = game.fixture.seats
        for agent, name in names.items():
            outcome = Outcome(
                plan.spec.name,
                role_of(agent),
                names,
                game.hidden,
                game.history,
                game.result,
                game.rewards[agent],
            )
            try:
                plan.players[name].observe(outcome)
            except Exception as error:
                log.warning("%s broke in observe: %s", name, broken(error))


async def play(spec: GameSpec, fixture: Fixture, players: Mapping[str, Agent]) -> Game:
    """Play one game in free mode with copies of the players.

    An agent that fails or breaks voids the game; nothing is replayed.
    """
    start = time.perf_counter()
    spec = replace(spec, names=fixture.seats)
    env = spec.env(utterances="free")
    env.reset(seed=fixture.seed, options={"secret": fixture.secret, **fixture.setting})
    seated = {agent: copy.deepcopy(players[name]) for agent, name in fixture.seats.items()}
    seeds = np.random.SeedSequence(fixture.seed).generate_state(len(seated))
    calls: list[tuple[str, dict[str, Any]]] = []
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for (agent, player), seed in zip(seated.items(), seeds, strict=True):
        try:
            player.reset(role_of(agent), spec, int(seed))
        except Exception as error:
            env.void(f"{fixture.seats[agent]} broke: {broken(error)}")
    while env.result is None:
        agent = env.agent_selection
        player = seated[agent]
        try:
            action = await ask(player, env.observe(agent), env.infos[agent])
            if env.waits:
                await asyncio.to_thread(env.step, action)
            else:
                env.step(action)
        except AgentFailure as error:
            env.void(one_line(f"{fixture.seats[agent]} failed: {error}"))
        except Exception as error:  # a fault in somebody's agent must not end everybody's run
            env.void(f"{fixture.seats[agent]} broke: {broken(error)}")
        take_trace = getattr(player, "take_trace", None)
        if take_trace is not None:
            calls += [(agent, trace) for trace in take_trace()]
        calls += [("arbiter", trace) for trace in env.take_trace()]
        for other, reward in env.rewards.items():
            rewards[other] += reward
    seconds = time.perf_counter() - start
    return Game(
        fixture,
        env.secret,
        env.result,
        rewards,
        env.history,
        env.originals,
        tuple(calls),
        seconds,
    )


def broken(error: Exception) -> str:
    """An exception on one line."""
    return one_line(f"{type(error).__name__}: {error}")


async def ask(player: Agent, observation: Any, info: Any) -> int | str:
    """A player's move, without blocking the running loop."""
    aact = getattr(player, "aact", None)
    if aact is not None:
        answer: int | str = await aact(observation, info)
        return answer
    if getattr(player, "quick", False):
        return player.act(observation, info)
    return await asyncio.to_thread(player.act, observation, info)
