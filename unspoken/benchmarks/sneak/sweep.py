"""How results depend on the numbers of words and decoys (SNEAK 4.3, E.4).

The messages of a run are evaluated anew in instances with fewer words and decoys. What comes of it
is kept in the run's own file, message by message, so that a sweep too can be broken off and gone
on with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.estimates import Row
from unspoken.benchmarks.running import Running, counted, models_in, models_of, using
from unspoken.benchmarks.sneak.analysis import HEADINGS
from unspoken.benchmarks.sneak.results import METRICS, averaged, read_results, worth
from unspoken.benchmarks.sneak.run import evaluate
from unspoken.benchmarks.sneak.store import VOID, Calls, Message, MessageStore, SweepRow, read_sweep
from unspoken.benchmarks.store import reading
from unspoken.benchmarks.tables import PERCENT, Column, Table
from unspoken.envs.sneak.instances import Instance, resize
from unspoken.judges.listeners.base import Listener
from unspoken.judges.listeners.specs import make_listener

WORDS = (4, 6, 8, 10)
DECOYS = (1, 2, 3, 4, 5)


class Cells(NamedTuple):
    """What was swept.

    Attributes:
        speakers: of the run.
        means: the four metrics, [speakers, 4], by number of words and of decoys.
        instances: how many instances each of them is a mean over.
    """

    speakers: list[str]
    means: Mapping[tuple[int, int], st.Floats]
    instances: Mapping[tuple[int, int], int]


def sweep(
    folder: Path,
    *,
    words: Sequence[int] = WORDS,
    decoys: Sequence[int] = DECOYS,
    limit: int | None = None,
    running: Running = Running(),  # noqa: B008 - it is frozen
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Evaluate the messages of a run in smaller instances.

    Words and decoys are left out at random, for all speakers and evaluators the same ones.

    Args:
        folder: of the run; its own evaluators are asked.
        words: numbers of words, |W|, each at least 2 and at most what every category has.
        decoys: numbers of decoys, |M| - 1, each at least 1 and at most what every category has.
        limit: only so many instances now, the first of the run's order.
        running: how; `again` does again what an evaluator failed on.
        watch: told how many messages are done, and of how many.

    Raises:
        FileNotFoundError: if the folder holds no run.
        ValueError: if a number is out of range, or `running` cannot be as it is.
        RunOver: if the budget was spent; the sweep can be gone on with.
    """
    results = read_results(folder)
    if limit is not None and limit < 1:
        raise ValueError(f"limit={limit}: at least 1")
    _check("words", words, 2, [len(category.words) for category in results.categories])
    _check("decoys", decoys, 1, [len(category.decoys) for category in results.categories])
    places = {instance.id: n for n, instance in enumerate(results.instances[:limit])}
    messages = [m for m in results.messages if m.instance in places and m.fault != VOID]
    with using(models_in(results.config)):
        evaluators = {name: make_listener(name) for name in results.evaluators}
    executor = running.make_executor()
    shared = running.traffic(models_of(evaluators.values()))
    with MessageStore(folder, results.config) as store, counted(shared, store):
        swept = store.swept(failed=not running.again)
        todo = {
            m.id: [(w, d) for w in words for d in decoys if (m.id, w, d) not in swept]
            for m in messages
        }
        waiting = [message for message in messages if todo[message.id]]
        done = len(messages) - len(waiting)
        watch(done, len(messages))

        async def work(message: Message) -> tuple[int, list[SweepRow], Calls]:
            place = places[message.instance]
            rows: list[SweepRow] = []
            calls: list[tuple[str, Mapping[str, Any]]] = []
            for size in todo[message.id]:
                rng = np.random.default_rng([results.config["seed"], place])
                small = resize(results.instances[place], *size, rng)
                worths, asked = await _worths(evaluators, small, message)
                rows += [(name, *size, four) for name, four in worths.items()]
                calls += asked
            return message.id, rows, calls

        def keep(found: tuple[int, list[SweepRow], Calls]) -> None:
            nonlocal done
            store.save_sweep(*found)
            done += 1
            watch(done, len(messages))

        executor.run(waiting, work, keep)


def _check(name: str, wanted: Sequence[int], least: int, held: Sequence[int]) -> None:
    for number in wanted:
        if not least <= number <= min(held):
            raise ValueError(f"{name}={number}: {least} to {min(held)} are possible")


async def _worths(
    evaluators: Mapping[str, Listener], instance: Instance, message: Message
) -> tuple[dict[str, Sequence[float | None]], Calls]:
    """The four metrics of a message by evaluator; 0 if the rules refuse it."""
    if message.fault:
        return {name: [0.0] * len(METRICS) for name in evaluators}, ()
    found, calls = await evaluate(evaluators, instance, message.message)
    secret = instance.words.index(instance.secret)
    return {
        name: [None] * len(METRICS) if evaluation.reason else worth(evaluation, secret)
        for name, evaluation in found.items()
    }, calls


def cells(folder: Path) -> Cells:
    """The speakers of a run, and the means of each size over instances and evaluators.

    Raises:
        FileNotFoundError: if the folder holds no run.
        ValueError: if nothing has been swept.
    """
    results = read_results(folder)
    of = {m.id: (results.speakers.index(m.speaker), m.instance) for m in results.messages}
    places = {instance.id: n for n, instance in enumerate(results.instances)}
    shape = (len(results.speakers), len(results.evaluators), len(places), len(METRICS))
    found: dict[tuple[int, int], st.Floats] = {}
    with reading(folder) as db:
        for id_, (evaluator, words, decoys, four) in read_sweep(db):
            speaker, instance = of[id_]
            values = found.setdefault((words, decoys), np.full(shape, np.nan))
            e = results.evaluators.index(evaluator)
            values[speaker, e, places[instance]] = np.array(four, dtype=np.float64)
    if not found:
        raise ValueError(f"{folder} holds no sweep; make one with: unspoken sneak sweep {folder}")
    means = {
        size: averaged(averaged(values, over=2), over=1) for size, values in sorted(found.items())
    }
    counts = {
        size: int((~np.isnan(values)).any(axis=(0, 1, 3)).sum()) for size, values in found.items()
    }
    return Cells(results.speakers, means, counts)


def sweep_tables(folder: Path) -> list[Table]:
    """Numbers of instances; then a table a metric: speakers and |W| down, decoys across.

    As in Figures 4 and 9 of the paper.

    Raises:
        FileNotFoundError: if the folder holds no run.
        ValueError: if nothing has been swept.
    """
    speakers, means, instances = cells(folder)
    words, decoys = (sorted({size[i] for size in means}) for i in (0, 1))
    heads = {d: (f"decoys_{d}", f"{d} decoys" if d > 1 else "1 decoy") for d in decoys}
    counts: list[Row] = [
        {"words": w, **{heads[d][0]: instances[w, d] for d in decoys if (w, d) in instances}}
        for w in words
    ]
    title = "How many instances there are of each size"
    tables = [
        Table(
            "sweep_instances",
            title,
            [Column("words", "|W|"), *(Column(*heads[d]) for d in decoys)],
            counts,
        )
    ]
    columns = [
        Column("speaker", "speaker", left=True),
        Column("words", "|W|"),
        *(Column(*heads[d], PERCENT) for d in decoys),
    ]
    for k, key in enumerate(METRICS):
        rows: list[Row] = [
            {
                "speaker": name,
                "words": w,
                **{
                    heads[d][0]: float(means[w, d][s, k])
                    for d in decoys
                    if (w, d) in means and not np.isnan(means[w, d][s, k])
                },
            }
            for s, name in enumerate(speakers)
            for w in words
        ]
        title = f"By numbers of words and decoys (SNEAK Figure 9): {HEADINGS[key]}"
        tables.append(Table(f"sweep_{key}", title, columns, rows))
    return tables


def plot(folder: Path, path: Path) -> None:
    """Draw the sweep as heat maps, a row a speaker and a column a metric (Figure 9).

    Args:
        folder: of the run.
        path: the picture; its ending says the format.

    Raises:
        FileNotFoundError: if the folder holds no run.
        ValueError: if nothing has been swept.
        ImportError: if matplotlib is missing; names the extra.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            'matplotlib is missing: plots need the "report" extra: pip install "unspoken[report]"'
        ) from error
    speakers, means, _ = cells(folder)
    words, decoys = (sorted({size[i] for size in means}) for i in (0, 1))
    nothing = np.full((len(speakers), len(METRICS)), np.nan)
    grid = np.array([[means.get((w, d), nothing) for d in decoys] for w in words]) * 100
    size = (1 + 3.2 * len(METRICS), 0.6 + 2.6 * len(speakers))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(speakers), len(METRICS), squeeze=False)
    for s, name in enumerate(speakers):
        for k, key in enumerate(METRICS):
            ax, shown = axes[s][k], grid[:, :, s, k]
            ax.imshow(shown, vmin=0, vmax=100, aspect="auto", cmap="viridis", origin="lower")
            for (w, d), value in np.ndenumerate(shown):
                colour = "black" if value > 60 else "white"
                ax.text(d, w, f"{value:.0f}", ha="center", va="center", color=colour)
            ax.set_xticks(range(len(decoys)), map(str, decoys))
            ax.set_yticks(range(len(words)), map(str, words))
            ax.set_title(f"{name}: {HEADINGS[key]}" if k == 0 else HEADINGS[key])
            ax.set_xlabel("decoys")
            ax.set_ylabel("|W|")
    figure.savefig(path, dpi=150)
