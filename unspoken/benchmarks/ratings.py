"""Ratings of a run beside plain Elo: one joint fit with intervals, and Elo over other orders."""

from __future__ import annotations

from collections.abc import Sequence

from unspoken.benchmarks.store import Game
from unspoken.benchmarks.tables import Cell, Column, Table
from unspoken.rating.bradley_terry import Estimate, bootstrap, interval
from unspoken.rating.games import RatedGame
from unspoken.rating.orders import over_orders

ORDERS = 1000
REPLICATES = 1000


def rated(games: Sequence[Game], *, weighted: bool = True) -> list[RatedGame]:
    """The games that ended with a winner, as ratings take them.

    Args:
        games: of two players each, the seeker first.
        weighted: whether games keep their weight M(t); win probabilities want them equal.
    """
    found = []
    for game in games:
        if game.result.winner is not None:
            seeker, holder = game.fixture.seats.values()
            weight = game.result.weight if weighted else 1.0
            found.append(RatedGame(seeker, holder, float(game.first_won), weight))
    return found


def joint_ratings(games: Sequence[Game]) -> Table:
    """Seeker and holder strengths from one Bradley-Terry fit over all games, with 95% intervals.

    Independent of the order of games; each game counts once. The intervals are those of the
    likelihood's curvature, which cover best with few games; those of `REPLICATES` bootstrap
    samples stand beside them. Players of different groups never met, not even through others, and
    cannot be compared.
    """
    samples = bootstrap(rated(games, weighted=False), replicates=REPLICATES)
    fitted = samples.fit
    rows: list[dict[str, Cell]] = []
    for standing in fitted.standings():
        row: dict[str, Cell] = {"player": standing.player}
        for key, estimate in (("c", standing.c), ("v", standing.v), ("gap", standing.gap)):
            row |= _estimate(key, estimate)
        for key, drawn in (("c", samples.c), ("v", samples.v)):
            if standing.player in drawn:
                low, high = interval(drawn[standing.player])
                row[f"{key}_bootstrap"] = f"{low:.0f} to {high:.0f}"
        rows.append(row)
    columns = [
        Column("player", "player", left=True),
        *(
            column
            for key, heading in (("c", "C"), ("v", "V"))
            for column in (
                Column(key, heading, "{:.0f}"),
                Column(f"{key}_interval", "95%"),
                Column(f"{key}_bootstrap", "bootstrap"),
            )
        ),
        Column("gap", "gap", "{:.0f}"),
        Column("gap_interval", "95%"),
    ]
    groups = f", {len(fitted.groups)} groups that cannot be compared" * (len(fitted.groups) > 1)
    return Table("joint", f"Joint Bradley-Terry fit on the Elo scale{groups}", columns, rows)


def order_spread(games: Sequence[Game], *, seed: int = 0) -> Table:
    """How far plain dual Elo moves when the same games come in other orders."""
    spread = over_orders(rated(games), orders=ORDERS, seed=seed)
    rows: list[dict[str, Cell]] = [
        {
            "player": name,
            "rating": kind,
            "played": one.given,
            "mean": one.mean,
            "sd": one.sd,
            "low": one.low,
            "high": one.high,
        }
        for kind, by_name in (("C", spread.c), ("V", spread.v))
        for name, one in sorted(by_name.items(), key=lambda item: -item[1].mean)
    ]
    columns = [
        Column("player", "player", left=True),
        Column("rating", "rating"),
        Column("played", "as played", "{:.1f}"),
        Column("mean", "mean", "{:.1f}"),
        Column("sd", "sd", "{:.1f}"),
        Column("low", "lowest", "{:.1f}"),
        Column("high", "highest", "{:.1f}"),
    ]
    return Table("orders", f"Dual Elo over {ORDERS} orders of the same games", columns, rows)


def _estimate(key: str, estimate: Estimate | None) -> dict[str, Cell]:
    if estimate is None:
        return {key: None, f"{key}_interval": None}
    return {key: estimate.value, f"{key}_interval": f"{estimate.low:.0f} to {estimate.high:.0f}"}
