"""`unspoken train`, `unspoken curves` and `unspoken exploit`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from unspoken.cli.shared import AsJson, Options, Seed, bar, options_of, print_tables


def train(
    game: Annotated[str, typer.Argument(help="The game, for example aidg_search.")],
    out: Annotated[Path, typer.Option(help="Folder of checkpoints, curve and policy.zip.")],
    role: Annotated[
        str | None, typer.Option(help="Whose part is learnt. Default: the game's first.")
    ] = None,
    opponent: Annotated[
        list[str] | None,
        typer.Option(help="Against whom; several take turns. Default: as the file has it."),
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Moves of the learner in all.", min=1)] = None,
    seed: Seed = 0,
    config: Annotated[
        Path | None, typer.Option(help="TOML file of hyperparameters. Default: the package's own.")
    ] = None,
    resume: Annotated[bool, typer.Option(help="Go on with what the folder holds.")] = False,
    games: Annotated[
        int, typer.Option(help="Games against each agent in the evaluation at the end.", min=0)
    ] = 200,
    executor: Annotated[
        str, typer.Option(help="Where those are played: local, or ray (extra `ray`).")
    ] = "local",
    league: Annotated[
        bool,
        typer.Option(
            help="Both roles of the game learn, against their pasts and the built-in agents."
        ),
    ] = False,
) -> None:
    """Learn a role with MaskablePPO (extra `rl`); sb3:DIR/policy.zip then is an agent."""
    if league:
        if role or opponent or config:
            raise ValueError("--league takes no --role, --opponent or --config")
        _league(game, out, steps, seed, resume)
        return
    from unspoken.envs.registry import game as find
    from unspoken.training.evaluation import score_table
    from unspoken.training.learn import train as learn
    from unspoken.training.tasks import load

    role = role or find(game).roles[0]
    task = load(game, role, config, opponents=opponent or None, steps=steps)
    with bar(f"{task.game} {role}", out) as shown:

        def watch(what: str, done: int, total: int) -> None:
            shown.progress.update(shown.progress.task_ids[0], description=f"{role}: {what}")
            shown.set(done, total)

        learning = learn(
            task, out, seed=seed, resume=resume, games=games, executor=executor, watch=watch
        )
    print_tables([score_table(role, learning.get("evaluation", []))], as_json=False)
    print(f"{out}: policy.zip (play it as sb3:{out}/policy.zip), learning.json, checkpoints")


def _league(game: str, out: Path, steps: int | None, seed: int, resume: bool) -> None:
    from unspoken.envs.registry import game as find
    from unspoken.training import league
    from unspoken.training.tasks import load

    roles = find(game).roles
    tasks = [load(game, role, steps=steps) for role in roles]
    with bar(f"{game}: league", out) as shown:
        found = league.train(
            tasks,
            out,
            seed=seed,
            resume=resume,
            watch=lambda what, done, total: shown.set(done, total),
        )
    print_tables([league.league_table(found)], as_json=False)
    print(f"{out}: league.json, and ROLE_NNN.zip after each leg (play one as sb3:FILE)")


def curves(
    folders: Annotated[list[Path], typer.Argument(help="Folders of runs of `unspoken train`.")],
    as_json: AsJson = False,
) -> None:
    """What several runs of the same task reached by how many moves: mean and 95 % interval."""
    from unspoken.training.curves import curve_table

    runs = [json.loads((f / "learning.json").read_text(encoding="utf-8")) for f in folders]
    print_tables([curve_table(runs)], as_json=as_json)


def exploit(
    policy: Annotated[Path, typer.Argument(help="A policy's zip, as `unspoken train` makes it.")],
    out: Annotated[Path, typer.Option(help="Folder of exploit.json and the trained response.")],
    steps: Annotated[
        int | None,
        typer.Option(help="Moves of the response that is trained; 0 for none.", min=0),
    ] = None,
    games: Annotated[int, typer.Option(help="Games of each response.", min=2)] = 500,
    seed: Seed = 0,
    option: Options = None,
    as_json: AsJson = False,
) -> None:
    """What a best response gets from a policy: built-in agents, a trained one, exactly if it can.

    What the best of them gets more than the opponents of training is a lower bound on the policy's
    exploitability.
    """
    from unspoken.training.exploit import exploit as look
    from unspoken.training.exploit import exploit_tables

    with bar(policy.name, out) as shown:

        def watch(what: str, done: int, total: int) -> None:
            shown.progress.update(shown.progress.task_ids[0], description=f"{policy.stem}: {what}")
            shown.set(done, total)

        found = look(
            policy,
            out,
            steps=steps,
            games=games,
            seed=seed,
            options=options_of(option),
            watch=watch,
        )
    print_tables(exploit_tables(found), as_json=as_json)
    if not as_json:
        print(
            f"{out}: exploit.json"
            + ("" if steps == 0 else f", and the response, sb3:{out}/response/policy.zip")
        )
