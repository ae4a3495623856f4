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
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

import unspoken
from unspoken.agents.base import Agent, AgentFailure, RunOver
from unspoken.agents.specs import check_once, make_agents, roles_of
from unspoken.benchmarks.running import Running, counted, models_of, using
from unspoken.benchmarks.sneak.design import BENCHMARK, fingerprint, in_order
from unspoken.benchmarks.sneak.store import VOID, Calls, Evaluation, Message, MessageStore
from unspoken.benchmarks.tournament import ask, broken
from unspoken.envs.base import one_line
from unspoken.envs.registry import GameSpec, game
from unspoken.envs.sneak.instances import DEFAULT, Instance, instances, load
from unspoken.envs.sneak.interpreter import read_message
from unspoken.judges.listeners.base import Listener
from unspoken.judges.listeners.specs import make_listener

if TYPE_CHECKING:
    from unspoken.agents.llm.models import Models

T = TypeVar("T")
Watcher = Callable[[Message | None, int, int], None]
"""Called when a message is done (None at the start), with the numbers of those done and of all."""

GAME = "sneak"
SPEAKERS = ("random", "category", "synonym", "rsa", "best")
EVALUATORS = ("embedding", "rsa")
"""Who speaks and who evaluates when a user names nobody."""

_KEPT = 64
"""Situations that are kept until all have spoken about them."""


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
    models: Models | None = None,
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
        models: options of the models that are asked; none if None.

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
    with using(models):
        players = make_agents(speakers, GAME, "speakers")
        listeners = {name: make_listener(name) for name in evaluators}
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
        "models": None if models is None else models.json(),
        "unspoken": unspoken.__version__,
    }
    wanted = in_order(everything, seed)[:limit]
    if per_category is not None:
        taken: dict[str, int] = {}
        for instance in wanted:
            taken[instance.category] = taken.get(instance.category, 0) + 1
        wanted = wanted[: sum(min(n, per_category) for n in taken.values())]
    return Plan(spec, players, listeners, wanted, config)


def carry_out(
    plan: Plan,
    folder: Path,
    running: Running = Running(),  # noqa: B008 - it is frozen
    watch: Watcher = lambda message, done, total: None,
) -> int:
    """Make and evaluate all messages of a plan, or go on with it.

    Args:
        plan: what to do.
        folder: where `run.sqlite` is kept.
        running: how.
        watch: told of every message.

    Returns:
        how many messages were done again, or evaluated again.

    Raises:
        ValueError: if `running` cannot be as it is.
        RunOver: if the budget was spent: the messages in work are left out, the others are in the
            store, and the run can be gone on with.
        StoreError: if the folder holds another run.
    """
    if running.executor != "local":
        raise ValueError(f"executor={running.executor!r}: this benchmark is run by local only")
    executor = running.make_executor()
    shared = running.traffic(models_of([*plan.speakers.values(), *plan.evaluators.values()]))
    total = len(plan.instances) * len(plan.speakers)
    speak = Speaking(plan)
    with (
        MessageStore(folder, plan.config, force=running.force) as store,
        counted(shared, store),
    ):
        old = store.failed() if running.again else {}
        waiting = [id_ for id_ in range(total) if id_ not in store.done or id_ in old]
        done = total - len(waiting)
        watch(None, done, total)

        async def work(id_: int) -> Message:
            return await speak.again(old[id_]) if id_ in old else await speak.first(id_)

        def keep(message: Message) -> None:
            nonlocal done
            store.save(message)
            done += 1
            watch(message, done, total)

        executor.run(waiting, work, keep)
        return sum(id_ in old for id_ in waiting)


def failed(message: Message) -> bool:
    """Whether a message is void, or an evaluator failed on it."""
    return message.fault == VOID or any(e.reason for e in message.evaluations.values())


class Speaking:
    """What is done for one message after another.

    Args:
        plan: what to do.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._speakers = tuple(plan.speakers)
        # what all speakers see of an instance, which stand one after another
        self._situation = lru_cache(maxsize=_KEPT)(partial(_situation, plan.spec))

    async def first(self, id_: int) -> Message:
        """A message by its place in the order of the run."""
        n, speaker = divmod(id_, len(self._speakers))
        return await _message(self._plan, id_, n, self._speakers[speaker], self._situation)

    async def again(self, failed: Message) -> Message:
        """A message that is void, or of which an evaluation failed, done again."""
        if failed.fault == VOID:
            return await self.first(failed.id)
        instance = self._plan.instances[failed.id // len(self._speakers)]
        return await _evaluated_again(self._plan, instance, failed)


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

    Raises:
        RunOver: if the run cannot go on.
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
    except RunOver:
        raise
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
    except RunOver:
        raise
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
