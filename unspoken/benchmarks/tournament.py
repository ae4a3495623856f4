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
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import unspoken
from unspoken.agents.base import Agent, AgentFailure, BaseAgent, Outcome, RunOver
from unspoken.agents.specs import make_agents, roles_of
from unspoken.benchmarks.design import Fixture, schedule
from unspoken.benchmarks.executors import Executor
from unspoken.benchmarks.running import Running, counted, models_of, using
from unspoken.benchmarks.store import Game, Store
from unspoken.envs.base import Message, one_line
from unspoken.envs.registry import GameSpec, role_of

if TYPE_CHECKING:
    from unspoken.agents.llm.models import Models

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
        timeout: seconds that a game may take; None if any number.
        models: options of the models that are asked; None if there are none.
    """

    spec: GameSpec
    players: Mapping[str, Agent]
    fixtures: list[Fixture]
    config: dict[str, Any]
    timeout: float | None = None
    models: Models | None = None


def plan(
    spec: GameSpec,
    agents: Sequence[str],
    *,
    rounds: int = 5,
    seed: int = 0,
    paired: bool | None = None,
    limit: int | None = None,
    game_timeout: float | None = None,
    models: Models | None = None,
) -> Plan:
    """Build the players and the schedule of a tournament.

    Args:
        spec: the game and its options.
        agents: specs of the players, each once.
        rounds: repetitions of the design.
        seed: of everything, 0 or more.
        paired: whether both seatings of a pair share secret and seed; as the game has it if None.
        limit: play only so many games, the first of the schedule; the rest can follow later.
        game_timeout: seconds that a game may take; one that is not over by then is void. It is
            looked at whenever somebody waits and between moves: an agent that computes without
            end is not interrupted.
        models: options of the models that are asked; none if None.

    Raises:
        ValueError: if the agents cannot play each other, or a setting is out of range.
        ImportError: if an agent needs an extra that is not installed; names the extra.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"limit={limit}: at least 1")
    if game_timeout is not None and not game_timeout > 0:
        raise ValueError(f"game_timeout={game_timeout}: more than 0 seconds")
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
    with using(models):
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
        "game_timeout": game_timeout,
        "models": None if models is None else models.json(),
        "unspoken": unspoken.__version__,
    }
    return Plan(spec, players, fixtures[:limit], config, game_timeout, models)


def carry_out(
    plan: Plan,
    folder: Path,
    running: Running = Running(),  # noqa: B008 - it is frozen
    watch: Watcher = lambda game, done, total: None,
) -> None:
    """Play a tournament, or go on with one, until all of its games are in the store.

    Args:
        plan: what to play.
        folder: where `run.sqlite` is kept.
        running: how.
        watch: told of every game that is over.

    Raises:
        ValueError: if `running` cannot be as it is, an agent cannot be sent to the executor, or
            void games are to be played again where players learn from games.
        ImportError: if the executor needs an extra that is not installed; names the extra.
        RuntimeError: if Ray's workers died again and again over one game.
        RunOver: if the budget was spent: the games in play are left out, the others are in the
            store, and the run can be gone on with.
        StoreError: if the folder holds another run.
    """
    place = running.make_executor()
    with using(plan.models):
        judges = vars(plan.spec.env()).values()
    shared = running.traffic(models_of([*plan.players.values(), *judges]))
    work, take = running.work(
        partial(play, plan.spec, players=plan.players, timeout=plan.timeout, models=plan.models),
        shared,
    )
    place.check(work)
    if running.again and any(map(_learns, plan.players.values())):
        learners = ", ".join(name for name, player in plan.players.items() if _learns(player))
        raise ValueError(
            f"void games cannot be played again where players learn from games ({learners}): the "
            "later games were played by what they had learnt"
        )
    with (
        Store(folder, plan.config, force=running.force, again=running.again) as store,
        counted(shared, store),
    ):
        play_all(plan, store, place, work, watch, take)


def run(spec: GameSpec, agents: Sequence[str], folder: Path, **settings: Any) -> None:
    """`plan` and `carry_out` in one; `settings` are the arguments of `plan` and of `Running`."""
    watch = {key: settings.pop(key) for key in ("watch",) if key in settings}
    how = {f.name: settings.pop(f.name) for f in fields(Running) if f.name in settings}
    carry_out(plan(spec, agents, **settings), folder, Running(**how), **watch)


def play_all(
    plan: Plan,
    store: Store,
    executor: Executor,
    work: Callable[[Fixture], Awaitable[Any]],
    watch: Watcher,
    take: Callable[[Any], Game] = lambda game: game,
) -> None:
    """Have all games of a plan played that are not in the store; players are shown all of them.

    Args:
        plan: what to play.
        store: takes the games.
        executor: where they are played.
        work: plays one.
        watch: told of every game that is over.
        take: the game in what `work` brings.
    """
    total = len(plan.fixtures)
    done = sum(fixture.id in store.done for fixture in plan.fixtures)
    watch(None, done, total)
    played = dict(store.held)

    def keep(found: Any) -> None:
        nonlocal done
        game = take(found)
        store.save(game)
        played[game.fixture.id] = game
        done += 1
        watch(game, done, total)

    learning = any(map(_learns, plan.players.values()))
    for _, group in groupby(plan.fixtures, key=lambda fixture: learning and fixture.round):
        games = list(group)
        waiting = [fixture for fixture in games if fixture.id not in store.done]
        executor.run(waiting, work, keep)
        _teach(plan, (played.pop(fixture.id) for fixture in games))


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


class _OutOfTimeError(Exception):
    """The game's time is over."""


def late(timeout: float | None) -> str:
    """The end of the reason why a game is void whose time was over."""
    return f"was to move when the game's {timeout:g} s were over"


class Cut(NamedTuple):
    """Where a game was broken off when its time was over.

    Attributes:
        moves: how many moves had been made.
        reason: why it is void.
        left: how many of its requests have not been made again.
        mark: raised by the request that was broken off.
    """

    moves: int
    reason: str
    left: Callable[[], int]
    mark: type[RunOver]

    def reached(self, history: Sequence[Message]) -> bool:
        """Whether nothing had been begun after this."""
        return len(history) >= self.moves and not self.left()


async def play(
    spec: GameSpec,
    fixture: Fixture,
    players: Mapping[str, Agent],
    timeout: float | None = None,
    models: Models | None = None,
    cut: Cut | None = None,
) -> Game:
    """Play one game in free mode with copies of the players.

    An agent that fails or breaks voids the game, and so does the end of its time; nothing is
    played again.

    Args:
        spec: the game and its options.
        fixture: what to play.
        players: the players by name.
        timeout: seconds that it may take; any number if None.
        models: options of the models that judges ask; none if None.
        cut: where it was broken off when it was played first; for those who play it again.

    Raises:
        RunOver: if the run cannot go on; there is no game then.
    """
    with using(models):  # judges are built anew for every game
        return await _played(spec, fixture, players, timeout, cut)


async def _played(
    spec: GameSpec,
    fixture: Fixture,
    players: Mapping[str, Agent],
    timeout: float | None,
    cut: Cut | None,
) -> Game:
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
    loop = asyncio.get_running_loop()
    end = None if timeout is None else loop.time() + timeout
    while env.result is None:
        agent = env.agent_selection
        player = seated[agent]
        name = fixture.seats[agent]
        moved = env
        limit = asyncio.timeout_at(end)
        try:
            async with limit:
                if (end and loop.time() >= end) or (cut and cut.reached(env.history)):
                    raise _OutOfTimeError
                action = await ask(player, env.observe(agent), env.infos[agent])
                if not env.waits:
                    env.step(action)
                else:
                    # what its thread still does when the time is over must not be seen
                    moved = env if end is None else copy.deepcopy(env)
                    await asyncio.to_thread(moved.step, action)
                    env = moved
        except RunOver as error:
            if cut is None or not isinstance(error, cut.mark):
                raise
            env.void(cut.reason)
        except AgentFailure as error:
            env.void(one_line(f"{name} failed: {error}"))
        except Exception as error:  # a fault in somebody's agent must not end everybody's run
            if limit.expired() or isinstance(error, _OutOfTimeError):
                env.void(cut.reason if cut else f"{name} {late(timeout)}")
            else:
                env.void(f"{name} broke: {broken(error)}")
        take_trace = getattr(player, "take_trace", None)
        if take_trace is not None:
            calls += [(agent, trace) for trace in take_trace()]
        calls += [("arbiter", trace) for trace in moved.take_trace()]
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
