"""A run of the benchmark, read back: what every message is worth to every evaluator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.estimates import Row, estimate
from unspoken.benchmarks.sneak.design import BENCHMARK, fingerprint, in_order
from unspoken.benchmarks.sneak.store import VOID, Evaluation, Message, read_messages
from unspoken.benchmarks.store import StoreError, read_config, reading
from unspoken.envs.sneak.instances import DEFAULT, Category, Instance, file_of, instances, load
from unspoken.envs.sneak.rules import Scores, score

METRICS = Scores._fields


@dataclass(frozen=True)
class Results:
    """A run as arrays.

    Attributes:
        config: what was run.
        categories: of the run's file, in its order.
        instances: those that there are messages for, in the order of the run.
        messages: all of them, in the order of the run.
        values: the four `METRICS`, float64 [speakers, evaluators, instances, 4], 0 to 1. Messages
            that the rules refuse, or in which there is none to read, are worth 0 in all four. NaN
            where a speaker failed or has not spoken yet, and where an evaluator failed.
    """

    config: dict[str, Any]
    categories: tuple[Category, ...]
    instances: tuple[Instance, ...]
    messages: tuple[Message, ...]
    values: st.Floats

    @property
    def speakers(self) -> list[str]:
        """Specs of the speakers: the first axis of `values`."""
        return list(self.config["speakers"])

    @property
    def evaluators(self) -> list[str]:
        """Specs of the evaluators: the second axis of `values`."""
        return list(self.config["evaluators"])


def read_results(folder: Path) -> Results:
    """Read a run.

    Raises:
        FileNotFoundError: if the folder holds no run.
        StoreError: if its file is not a run's, the run is another, or its categories have changed.
    """
    with reading(folder) as db:
        config = read_config(db)
        if config.get("game") != BENCHMARK:
            raise StoreError(
                f"{folder} holds a run of {config.get('game')}, not of the benchmark; make one "
                "with: unspoken sneak"
            )
        messages = tuple(read_messages(db))
    categories = load(file_of(config))
    everything = instances(categories)
    if fingerprint(everything) != config["instances"]:
        raise StoreError(
            f"{config['categories'] or DEFAULT} has changed since the run in {folder}; the run "
            "cannot be read without the categories that it was made with"
        )
    spoken = {message.instance for message in messages}
    found = tuple(i for i in in_order(everything, config["seed"]) if i.id in spoken)
    return Results(config, categories, found, messages, _values(config, found, messages))


def _values(
    config: Mapping[str, Any], found: Sequence[Instance], messages: Sequence[Message]
) -> st.Floats:
    speakers, evaluators = config["speakers"], config["evaluators"]
    place = {instance.id: n for n, instance in enumerate(found)}
    values = np.full((len(speakers), len(evaluators), len(found), len(METRICS)), np.nan)
    for message in messages:
        n = place[message.instance]
        of_message = values[speakers.index(message.speaker), :, n]
        if message.fault and message.fault != VOID:
            of_message[:] = 0.0
        secret = found[n].words.index(found[n].secret)
        for name, evaluation in message.evaluations.items():
            if not evaluation.reason:
                of_message[evaluators.index(name)] = worth(evaluation, secret)
    return values


def worth(evaluation: Evaluation, secret: int) -> Scores:
    """The scores of an evaluation that did not fail."""
    return score(evaluation.ally, evaluation.chameleon, secret)


class Clusters:
    """Means over instances, and the same of resamples of whole categories.

    Instances of one category share words and decoys, so a bootstrap over single instances would
    give intervals that are too narrow: categories are drawn with replacement, each with all of its
    instances.

    Args:
        categories: the category of each instance.
        resamples: how many.
        seed: of the draw.
    """

    def __init__(self, categories: Sequence[str], *, resamples: int = 2000, seed: int = 0) -> None:
        names, codes = np.unique(np.array(categories), return_inverse=True)
        self._member: NDArray[np.float64] = np.eye(len(names))[codes]
        rng = np.random.default_rng(seed)
        n = len(names)
        self._weights = rng.multinomial(n, np.full(n, 1 / n), size=resamples).astype(np.float64)

    def means(self, values: st.Floats) -> tuple[st.Floats, st.Floats]:
        """Means over the last axis but one; instances with NaN count nowhere.

        Args:
            values: [..., instances, k].

        Returns:
            the means, [..., k], and those of every resample, [resamples, ..., k]; NaN of nothing.
        """
        known = ~np.isnan(values)
        sums = np.einsum("...nk,nc->...kc", np.where(known, values, 0.0), self._member)
        counts = np.einsum("...nk,nc->...kc", known.astype(np.float64), self._member)
        with np.errstate(invalid="ignore"):
            means = sums.sum(axis=-1) / counts.sum(axis=-1)
            top, bottom = (
                np.einsum("bc,...kc->b...k", self._weights, x, optimize=True)
                for x in (sums, counts)
            )
            return means, top / bottom

    @property
    def n(self) -> int:
        """How many categories there are."""
        return int(self._weights.shape[1])


def averaged(values: st.Floats, *, over: int) -> st.Floats:
    """Means over an axis; NaN counts nowhere, and is the mean of nothing else."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        means: st.Floats = np.where(known, values, 0.0).sum(axis=over) / known.sum(axis=over)
    return means


def estimates(means: st.Floats, samples: st.Floats) -> Row:
    """The four metrics with their intervals.

    Args:
        means: [4].
        samples: [resamples, 4].
    """
    row: Row = {}
    for k, key in enumerate(METRICS):
        known = samples[:, k][~np.isnan(samples[:, k])]
        if np.isnan(means[k]):
            row[key] = None
        elif known.min() == known.max() == means[k]:  # one category, or always the same
            row[key] = float(means[k])
        else:
            low, high = st.percentiles(known)
            row |= estimate(key, float(means[k]), st.Interval(float(low), float(high)))
    return row
