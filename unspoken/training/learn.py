"""Training with MaskablePPO: legs with a checkpoint after each, and a curve of what was learnt.

A folder holds `task.json`, `learning.json` (the curve, and in the end what `compare` found), a
checkpoint for each leg, and `policy.zip`, which is the checkpoint that was best in the games of the
curve. Every leg sets its own seeds and begins new games, so that a run that was stopped gives the
same policy when it is gone on with; an unfinished leg is learnt again.

Where the extra `tensorboard` is installed, the folder `tensorboard` holds what SB3 logs, and the
curve.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import shutil
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import unspoken
from unspoken.benchmarks.executors import make_executor
from unspoken.training import choices
from unspoken.training.evaluation import as_rows, compare, measure
from unspoken.training.tasks import Task

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecEnv

    from unspoken.wrappers.single import Player

DESCRIPTION = "unspoken.json"
"""What a policy's zip says of itself, beside what SB3 writes."""
MISSING = "training and trained policies need the extra: pip install 'unspoken[rl]'"
CURVE_GAMES = 200
_TRAINING, _CURVE, _EVALUATION = range(3)

_OF_THE_GAMES = ["_last_obs", "_last_original_obs", "_last_episode_starts", "ep_info_buffer"]
"""What SB3 would keep of games that are not gone on with, and much larger than a policy."""

Watch = Callable[[str, int, int], None]
"""Told what is done, how much of it, and how much there is."""


def train(
    task: Task,
    folder: Path,
    *,
    seed: int = 0,
    resume: bool = False,
    games: int = 200,
    executor: str = "local",
    watch: Watch = lambda what, done, total: None,
) -> dict[str, Any]:
    """Learn a task on one thread.

    Args:
        task: what and how.
        folder: where all is kept; made if there is none.
        seed: of everything, 0 or more.
        resume: go on with what the folder holds.
        games: of each pair in the evaluation at the end; 0 for none.
        executor: where those are played, "local" or "ray".
        watch: called as it goes on.

    Returns:
        What `learning.json` holds: "task", "seed", "curve" (a point a leg: steps, seconds of the
        processor in training, and the `Score` of the policy's likeliest moves over some games),
        "leg" (the best of the curve by score, from 1, of equal ones the last), and "evaluation" of
        that one in other games.

    Raises:
        ImportError: if the extra `rl`, or that of the executor, is not installed.
        ValueError: if the folder holds another run, or one although `resume` is false, or there is
            no such executor.
    """
    try:
        import sb3_contrib  # noqa: F401 - is it there at all
        import torch
    except ImportError as error:
        raise ImportError(MISSING) from error
    from unspoken.agents.sb3 import SB3Agent

    make_executor(executor)
    torch.set_num_threads(1)
    learning = _begin(task, folder, seed, resume)
    curve = learning["curve"]

    env = make_env(task)
    last = folder / f"checkpoint_{len(curve):03d}.zip"
    model = load(last, env) if curve else new(task, env, folder, seed_of(seed, _TRAINING))
    while model.num_timesteps < task.steps:
        start = time.process_time()
        run_leg(
            model,
            task,
            seed_of(seed, _TRAINING, len(curve)),
            watch=lambda done: watch("moves", min(done, task.steps), task.steps),
        )
        took = time.process_time() - start
        player = SB3Agent.of(model.policy, describe(task), "policy")
        reached = measure(
            task.spec,
            task.role,
            player,
            task.opponents,
            games=CURVE_GAMES,
            seed=[seed, _CURVE],
        )
        before = curve[-1]["seconds"] if curve else 0.0
        point = {"steps": model.num_timesteps, "seconds": round(before + took, 1)}
        curve.append(point | dataclasses.asdict(reached))
        for key in ("wins", "reward", "score"):
            model.logger.record(f"curve/{key}", curve[-1][key])
        model.logger.dump(model.num_timesteps)
        save(model, task, folder / f"checkpoint_{len(curve):03d}.zip")
        write(folder / "learning.json", learning)
    learning["leg"] = best = 1 + max(range(len(curve)), key=lambda i: (curve[i]["score"], i))
    write(folder / "learning.json", learning)
    shutil.copyfile(folder / f"checkpoint_{best:03d}.zip", folder / "policy.zip")
    if games and "evaluation" not in learning:
        found = compare(
            task.spec,
            task.role,
            SB3Agent(str(folder / "policy.zip"), "learnt"),
            task.opponents,
            games=games,
            seed=[seed, _EVALUATION],
            executor=executor,
            watch=lambda done, total: watch("pairs", done, total),
        )
        learning["evaluation"] = as_rows(found)
        write(folder / "learning.json", learning)
    return learning


def run_leg(
    model: MaskablePPO, task: Task, seed: int, *, watch: Callable[[int], None] = lambda done: None
) -> None:
    """Learn for a leg, in new games.

    Args:
        model: with its env; it is as it was in the beginning of the leg whenever it was saved.
        task: says how long, and whether the learning rate falls.
        seed: of the games and of all that the model draws.
        watch: told the moves of the model so far, again and again.
    """
    from stable_baselines3.common.callbacks import BaseCallback

    class Progress(BaseCallback):
        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            watch(self.num_timesteps)

    env = model.get_env()
    assert env is not None
    model.set_random_seed(seed)
    model.set_env(env)  # the games are begun anew
    if task.anneal:
        model.lr_schedule = _falling(model, task)
    most = min(task.leg, task.steps - model.num_timesteps)
    model.learn(most, callback=Progress(), reset_num_timesteps=False)


def make_env(
    task: Task,
    opponents: Sequence[Player] = (),
    weights: Sequence[float] | Literal["uniform"] = "uniform",
) -> VecEnv:
    """Games of a task in parallel, as SB3 wants them: as arrays where there is a batch of them.

    Args:
        task: the game, and how many.
        opponents: who has the other seats; those of the task if there are none.
        weights: by which they are drawn.
    """
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    from unspoken.training.batch import lanes
    from unspoken.wrappers.single import SingleAgent

    spec = task.spec
    players = list(opponents or task.opponents)
    if (batch := lanes(spec, task.role, players, task.envs, task.view)) is not None:
        return batch

    def one() -> Monitor[Any, Any]:
        seat = SingleAgent(spec, task.role, players, observation="text", sampling=weights)
        return Monitor(choices.Seat(seat, task.view))

    return DummyVecEnv([one] * task.envs)


def describe(task: Task) -> dict[str, Any]:
    """What a policy's zip says of itself: whose it is, and how its network is made."""
    spec = task.spec
    about: dict[str, Any] = {
        "unspoken": unspoken.__version__,
        "game": spec.name,
        "version": spec.version,
        "role": task.role,
        "opponents": list(task.opponents),
        "options": dict(task.options),
        "view": task.view,
        "choices": choices.VERSION,
        "hidden": list(task.hidden),
        "observations": int(choices.space(spec, task.role, task.view).shape[0]),
        "actions": len(spec.menu(task.role)),
    }
    if task.view == "options":
        layout = choices.layout(spec, task.role)
        sizes = {"state": len(layout.state), "option": len(layout.option)}
        about |= sizes | {"scorer": task.scorer}
    return about


def save(model: MaskablePPO, task: Task, file: Path) -> None:
    """Write a model as SB3 does, with its description."""
    model.save(file, exclude=_OF_THE_GAMES)
    with zipfile.ZipFile(file, "a") as bundle:
        bundle.writestr(DESCRIPTION, json.dumps(describe(task), indent=2))


def slim(policy: Path, file: Path) -> None:
    """Write a policy's zip anew with what it takes to play it, and nothing else.

    Args:
        policy: as `save` has written it.
        file: where to.
    """
    with zipfile.ZipFile(policy) as whole, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as part:
        for name in (DESCRIPTION, "policy.pth"):
            part.writestr(zipfile.ZipInfo(name), whole.read(name), zipfile.ZIP_DEFLATED)


def new(task: Task, env: VecEnv, folder: Path, seed: int) -> MaskablePPO:
    """An untrained model of a task."""
    from sb3_contrib import MaskablePPO

    from unspoken.training.policy import policy_class

    kind, arguments = policy_class(describe(task))
    logged = importlib.util.find_spec("tensorboard") is not None
    return MaskablePPO(
        kind,
        env,
        policy_kwargs=arguments,
        tensorboard_log=str(folder / "tensorboard") if logged else None,
        device="cpu",
        seed=seed,
        **task.ppo,
    )


def _falling(model: MaskablePPO, task: Task) -> Callable[[float], float]:
    """The learning rate of a leg, as a share of the task's that falls with what is done."""
    rate = model.learning_rate
    assert isinstance(rate, float)
    rate *= 1 - model.num_timesteps / task.steps
    return lambda progress: rate


def load(file: Path, env: VecEnv) -> MaskablePPO:
    """A model from a checkpoint of one's own: SB3 unpickles it, which can run code."""
    from sb3_contrib import MaskablePPO

    return MaskablePPO.load(file, env, device="cpu")


def _begin(task: Task, folder: Path, seed: int, resume: bool) -> dict[str, Any]:
    """What was learnt so far; a new folder says what is to be."""
    wanted = json.loads(json.dumps({"task": dataclasses.asdict(task), "seed": seed}))
    file = folder / "task.json"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write(file, wanted)
    elif not resume:
        raise ValueError(f"{folder} holds a run; give --resume to go on with it, or another --out")
    elif (there := json.loads(file.read_text(encoding="utf-8"))) != wanted:
        raise ValueError(f"{folder} holds another run ({there}); give another --out")
    so_far = folder / "learning.json"
    if so_far.exists():
        found: dict[str, Any] = json.loads(so_far.read_text(encoding="utf-8"))
        return found
    return {**wanted, "curve": []}


def seed_of(*path: int) -> int:
    """A seed, 0 to 2^31 - 1, for a place in a run."""
    return int(np.random.SeedSequence(path).generate_state(1)[0] >> 1)


def write(file: Path, data: Mapping[str, Any]) -> None:
    """Write JSON, all of it or nothing."""
    new = file.with_suffix(".tmp")
    new.write_text(json.dumps(data, indent=1), encoding="utf-8")
    new.replace(file)
