"""Running the benchmark: many messages at once, each one written with its evaluations.

Every speaker gets every instance once and learns nothing between them, as in the paper: messages
are independent, and a run that was broken off and resumed is the same as an unbroken one.
"""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import unspoken
from unspoken.agents.base import Agent, AgentFailure
from unspoken.agents.specs import check_once, make_agents, roles_of
from unspoken.benchmarks.concurrency import at_once
from unspoken.benchmarks.sneak.design import BENCHMARK, fingerprint, in_order
from unspoken.benchmarks.sneak.store import VOID, Calls, Evaluation, Message, MessageStore
from unspoken.benchmarks.tournament import ask, broken
from unspoken.envs.base import one_line
from unspoken.envs.registry import GameSpec, game
from unspoken.envs.sneak.instances import DEFAULT, Instance, instances, load
from unspoken.envs.sneak.interpreter import read_message
from unspoken.judges.listeners.base import Listener
from unspoken.judges.listeners.specs import make_listener

T = TypeVar("T")
Watcher = Callable[[Message | None, int, int], None]
"""Called when a message is done (None at the start), with the numbers of those done and of all."""

GAME = "sneak"
SPEAKERS = ("random", "category", "synonym", "rsa", "best")
EVALUATORS = ("embedding", "rsa")
"""Who speaks and who evaluates when a user names nobody."""


@dataclass(frozen=True)
class Plan:
    """A run that can be carried out: everything that may be wrong has been looked at.

    Attributes:
        spec: the game and its options.
        speakers: by spec.
        evaluators: by spec.
        instances: what everybody speaks about, in order.
        config: what the store holds a run to.
    """

    spec: GameSpec
    speakers: Mapping[str, Agent]
    evaluators: Mapping[str, Listener]
    instances: Sequence[Instance]
    config: dict[str, Any]


def plan(
    speakers: Sequence[str] = SPEAKERS,
    evaluators: Sequence[str] = EVALUATORS,
    *,
    seed: int = 0,
    limit: int | None = None,
    per_category: int | None = None,
    categories: Path | None = None,
) -> Plan:
    """Build the speakers, the evaluators and the order of the instances.

    Args:
        speakers: specs of agents, each once.
        evaluators: specs of listeners, each once.
        seed: of the order and of all chance of the speakers, 0 or more.
        limit: only so many instances now, the first of the order; the rest can follow later. As
            the order goes round the categories, so many are spread over all of them.
        per_category: only so many instances of each category now; likewise.
        categories: file of categories of the user's own; the package's by default.

    Raises:
        ValueError: if a spec names nobody who can do it, or a setting is out of range.
        ImportError: if somebody needs an extra that is not installed; names the extra.
    """
    for name, value in (("limit", limit), ("per_category", per_category)):
        if value is not None and value < 1:
            raise ValueError(f"{name}={value}: at least 1")
    if seed < 0:
        raise ValueError(f"seed={seed}: 0 or more")
    check_once(evaluators, "evaluators")
    spec = game(GAME).with_options(utterances="free")
    file = None if categories is None else str(categories.resolve())
    if file is not None:
        spec = spec.with_options(categories=file)
    players = make_agents(speakers, GAME, "speakers")
    for name, player in players.items():
        roles = roles_of(player, spec.roles)
        if "speaker" not in roles:
            raise ValueError(f"agent {name!r} is no speaker: it plays {', '.join(roles)}")
    everything = instances(load(categories or DEFAULT))
    config = {
        "game": BENCHMARK,
        "speakers": list(speakers),
        "evaluators": list(evaluators),
        "seed": seed,
        "categories": file,
        "instances": fingerprint(everything),
        "unspoken": unspoken.__version__,
    }
    wanted = in_order(everything, seed)[:limit]
    if per_category is not None:
        taken: dict[str, int] = {}
        for instance in wanted:
            taken[instance.category] = taken.get(instance.category, 0) + 1
        wanted = wanted[: sum(min(n, per_category) for n in taken.values())]
    return Plan(spec, players, {name: make_listener(name) for name in evaluators}, wanted, config)


def carry_out(
    plan: Plan,
    folder: Path,
    *,
    concurrency: int = 8,
    force: bool = False,
    again: bool = False,
    watch: Watcher = lambda message, done, total: None,
) -> int:
    """Make and evaluate all messages of a plan, or go on with it.

    Args:
        plan: what to do.
        folder: where `run.sqlite` is kept.
        concurrency: messages in work at once.
        force: throw away what the folder holds.
        again: do again what failed: messages that are void, and evaluations.
        watch: told of every message.

    Returns:
        how many messages were done again, or evaluated again.

    Raises:
        ValueError: if `concurrency` is below 1.
        StoreError: if the folder holds another run.
    """
    situation = lru_cache(maxsize=concurrency)(partial(_situation, plan.spec))
    jobs = [
        (n * len(plan.speakers) + s, n, name)
        for n in range(len(plan.instances))
        for s, name in enumerate(plan.speakers)
    ]
    with MessageStore(folder, plan.config, force=force) as store:
        failed = store.failed() if again else {}
        waiting = [job for job in jobs if job[0] not in store.done or job[0] in failed]
        done = len(jobs) - len(waiting)
        watch(None, done, len(jobs))

        async def work(job: tuple[int, int, str]) -> None:
            nonlocal done
            id_, n, name = job
            old = failed.get(id_)
            if old is None or old.fault:
                message = await _message(plan, id_, n, name, situation)
            else:
                message = await _evaluated_again(plan, plan.instances[n], old)
            store.save(message)
            done += 1
            watch(message, done, len(jobs))

        at_once(work, waiting, concurrency)
        return sum(id_ in failed for id_, _, _ in waiting)


async def _evaluated_again(plan: Plan, instance: Instance, message: Message) -> Message:
    """A message of which those evaluators have been asked again that failed."""
    failed = {name: plan.evaluators[name] for name, e in message.evaluations.items() if e.reason}
    evaluations, calls = await evaluate(failed, instance, message.message)
    return replace(message, evaluations={**message.evaluations, **evaluations}, calls=calls)


async def evaluate(
    evaluators: Mapping[str, Listener], instance: Instance, message: str
) -> tuple[dict[str, Evaluation], Calls]:
    """What each evaluator makes of a message, and the requests that took.

    An evaluator that fails or breaks leaves a reason; it is not asked again.
    """
    found = await asyncio.gather(
        *(_evaluation(name, listener, instance, message) for name, listener in evaluators.items())
    )
    evaluations = {name: one for name, (one, _) in zip(evaluators, found, strict=True)}
    calls = [
        (name, trace)
        for name, (_, traces) in zip(evaluators, found, strict=True)
        for trace in traces
    ]
    return evaluations, calls


async def _evaluation(
    name: str, listener: Listener, instance: Instance, message: str
) -> tuple[Evaluation, Sequence[Mapping[str, Any]]]:
    traced = hasattr(listener, "take_trace")
    own: Any = copy.deepcopy(listener) if traced else listener
    try:
        if hasattr(own, "aally"):
            ally = await own.aally(instance, message)
            chameleon = await own.achameleon(instance, message)
        else:
            ally, chameleon = own.ally(instance, message), own.chameleon(instance, message)
        evaluation = Evaluation(
            _distribution(ally, 1 + len(instance.decoys)),
            _distribution(chameleon, len(instance.words)),
        )
    except AgentFailure as error:
        evaluation = Evaluation(reason=_failed(name, own, error))
    except Exception as error:  # a fault in somebody's listener must not end the run
        evaluation = Evaluation(reason=f"{name} broke: {broken(error)}")
    return evaluation, own.take_trace() if traced else ()


def _failed(spec: str, who: Agent | Listener, error: AgentFailure) -> str:
    return one_line(f"{spec} failed: {str(error).removeprefix(f'{who.name}: ')}")


def _distribution(p: Any, n: int) -> tuple[float, ...]:
    weights = np.asarray(p, dtype=np.float64)
    if weights.shape != (n,) or not (weights >= 0).all() or abs(weights.sum() - 1) > 1e-6:
        raise ValueError(f"{p!r} is no distribution over {n}: needs {n} weights, 0 to 1, sum 1")
    return tuple(np.minimum(weights, 1.0).tolist())


def _situation(spec: GameSpec, instance: str, seed: int) -> tuple[Any, Any, tuple[str, ...]]:
    """What a speaker sees, what it knows, and its menu."""
    env = spec.env()
    env.reset(seed=seed, options={"secret": instance})
    agent = env.agent_selection
    return env.observe(agent), env.infos[agent], env.menu(agent)


async def _message(
    plan: Plan, id_: int, n: int, name: str, situation: Callable[..., Any]
) -> Message:
    """Have a speaker make a message, and evaluate it if the rules allow it."""
    start = time.perf_counter()
    instance = plan.instances[n]
    seeds = np.random.SeedSequence([plan.config["seed"], n]).generate_state(2).tolist()
    player = copy.deepcopy(plan.speakers[name])
    said, message, fault, reason = "", "", "", ""
    evaluations: Mapping[str, Evaluation] = {}
    calls: list[tuple[str, Mapping[str, Any]]] = []
    try:
        observation, info, menu = situation(instance.id, seeds[0])
        player.reset("speaker", plan.spec, seeds[1])
        answer = await ask(player, observation, dict(info))
        said = answer if isinstance(answer, str) else menu[answer]
    except AgentFailure as error:
        fault, reason = VOID, _failed(name, player, error)
    except Exception as error:  # a fault in somebody's agent must not end everybody's run
        fault, reason = VOID, f"{name} broke: {broken(error)}"
    take_trace = getattr(player, "take_trace", None)
    if take_trace is not None:
        calls += [(name, trace) for trace in take_trace()]
    if not fault:
        # the paper asks models for tags, and without them a reply holds no message (appendix A)
        message, fault = read_message(said, instance, tagged=take_trace is not None)
    if not fault:
        evaluations, asked = await evaluate(plan.evaluators, instance, message)
        calls += asked
    seconds = time.perf_counter() - start
    return Message(
        id_, name, instance.id, said, message, fault, reason, evaluations, calls, seconds
    )
