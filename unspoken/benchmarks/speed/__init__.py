"""How fast everything is, as ratios taken in one run: `unspoken speed`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unspoken.benchmarks.tables import Table


def speed_tables(section: str, seconds: float) -> tuple[Sequence[Table], list[str]]:
    """The tables of one part of the measurement, and lines on what could not be measured.

    Args:
        section: "games" (all five, stepped as AEC environments, beside connect_four, and in
            batches), "peers" (the search game beside other suites), "kernels" (the evaluator beside
            what a core can do), "growth" (its cost by batch, words and questions), "scaling" (a
            game's cost by turns, players, words and games before), "threads" (batches on every
            core), "startup" (imports and first calls).
        seconds: time for each measurement.

    Raises:
        ImportError: if "games" lacks pygame, which connect_four needs; names the extra.
    """
    if section == "peers":
        from unspoken.benchmarks.speed.peers import peers_tables

        return peers_tables(seconds)
    return _MEASURES[section](seconds), []


def _games(seconds: float) -> Sequence[Table]:
    from unspoken.benchmarks.speed.scaling import batches_table, games_table

    return [games_table(seconds), batches_table(seconds)]


def _kernels(seconds: float) -> Sequence[Table]:
    from unspoken.benchmarks.speed.kernels import kernel_table
    from unspoken.benchmarks.speed.limits import limits_table, measure

    limits = measure(seconds)
    return [limits_table(seconds, limits), kernel_table(seconds, limits)]


def _growth(seconds: float) -> Sequence[Table]:
    from unspoken.benchmarks.speed.kernels import growth_table

    return [growth_table(seconds)]


def _scaling(seconds: float) -> Sequence[Table]:
    from unspoken.benchmarks.speed.scaling import scaling_tables

    return scaling_tables(seconds)


def _threads(seconds: float) -> Sequence[Table]:
    from unspoken.benchmarks.speed.scaling import threads_table

    return [threads_table(seconds)]


def _startup(seconds: float) -> Sequence[Table]:
    from unspoken.benchmarks.speed.startup import startup_table

    return [startup_table()]


_MEASURES: dict[str, Callable[[float], Sequence[Table]]] = {
    "games": _games,
    "kernels": _kernels,
    "growth": _growth,
    "scaling": _scaling,
    "threads": _threads,
    "startup": _startup,
}
