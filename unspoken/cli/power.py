"""`unspoken power`: how many games a wanted precision takes."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(
    help="How many games a wanted precision takes (95% intervals).", no_args_is_help=True
)

Rate = Annotated[float, typer.Option(help="Expected win rate, 0 to 1.")]
HalfWidth = Annotated[float, typer.Option(help="Wanted half width of the interval.")]
Correlation = Annotated[
    float | None,
    typer.Option(help="Correlation of the scores in a pair of games, for a paired design."),
]


@app.command("rate")
def power_rate(rate: Rate = 0.5, half_width: HalfWidth = 0.05) -> None:
    """Games for the interval of one win rate (Wilson)."""
    from unspoken.rating.power import games_for_rate

    print(games_for_rate(rate, half_width))


@app.command("difference")
def power_difference(
    first: Rate,
    second: Rate,
    half_width: Annotated[
        float | None, typer.Option(help="Wanted half width; otherwise 80% power to detect it.")
    ] = None,
    correlation: Correlation = None,
) -> None:
    """Games of each agent for the difference of two win rates, or to detect it."""
    from unspoken.rating.power import games_for_difference, games_to_detect

    if half_width is None:
        print(games_to_detect(first, second, correlation=correlation))
    else:
        print(games_for_difference(first, second, half_width, correlation=correlation))


@app.command("gap")
def power_gap(
    gap: Annotated[float, typer.Option(help="Expected V - C, in Elo points.")] = 0.0,
    half_width: Annotated[float, typer.Option(help="Wanted half width, in Elo points.")] = 50.0,
) -> None:
    """Games of a seeker and a holder for the interval of their Elo gap."""
    from unspoken.rating.power import games_for_elo_gap

    print(games_for_elo_gap(gap, half_width))
