"""The tables of Chameleon: who wins in which part, how games end, what clues and votes are worth.

`honest_league` shows what a kind of player is worth to the honest side: the same games with each.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from unspoken.agents.base import Agent, Outcome
from unspoken.agents.chameleon.reading import Charge, charges, clues, seat
from unspoken.agents.specs import make_agent
from unspoken.benchmarks.design import schedule
from unspoken.benchmarks.statistics import mean_interval
from unspoken.benchmarks.store import Game
from unspoken.benchmarks.tables import (
    PERCENT,
    Cell,
    Column,
    Table,
    mean,
    outcome_table,
    part,
    team_leaderboard,
)
from unspoken.benchmarks.tournament import play
from unspoken.envs.chameleon.rules import Ending
from unspoken.envs.registry import GameSpec, role_of
from unspoken.envs.sneak.instances import DEFAULT, dealt, file_of
from unspoken.envs.sneak.rules import leakage, utility
from unspoken.judges.listeners.embedding import Embedding
from unspoken.rating.elo import DualElo

OUTCOMES = {
    Ending.CAUGHT: "honest win: the chameleon was caught",
    Ending.GUESSED: "chameleon wins: caught, and guessed the word",
    Ending.ESCAPED: "chameleon wins: escaped",
    Ending.VOID: "void: agent or provider failed",
}
PARTS = ("player", "chameleon")


def tables(
    games: Sequence[Game], elo: DualElo, players: Sequence[str], options: Mapping[str, Any]
) -> list[Table]:
    """All tables of a run, most important first."""
    file = file_of(options)
    return [
        team_leaderboard(games, players),
        outcomes(games),
        clue_scores(games, players, file),
        judgement(games, players),
    ]


def outcomes(games: Sequence[Game]) -> Table:
    """How games ended."""
    ends = Counter(game.result.outcome for game in games)
    counts = [(key, label, ends[key]) for key, label in OUTCOMES.items()]
    return outcome_table("How games ended", counts, len(games))


def clue_scores(games: Sequence[Game], players: Sequence[str], file: Path = DEFAULT) -> Table:
    """What each player's clues were worth in each part, scored as messages of SNEAK (2.1).

    Each clue is heard alone, by the listener `embedding`: its ally knows the word and tells the
    clue from the card's decoys, its chameleon picks a word of the card.

    Args:
        games: all games.
        players: everybody's name.
        file: the run's categories.
    """
    worth: dict[tuple[str, str], list[tuple[float, float]]] = {}
    expected: Counter[tuple[str, str]] = Counter()
    listener = Embedding()
    for game in games:
        instance = dealt(file)[game.fixture.secret]
        given = clues(game.history)
        names = {seat(a): (name, part(game, a)) for a, name in game.fixture.seats.items()}
        expected.update(names[seat(m.role)] for m in game.history if m.text == "(no clue)")
        if given:
            scores = listener.scores(instance, [text for _, text in given])
            for (by, _), ally, lone in zip(given, scores.p_ally, scores.p_chameleon, strict=True):
                useful = utility(min(float(ally), 1.0), 1 + len(instance.decoys))
                lost = leakage(min(float(lone), 1.0), len(instance.words))
                worth.setdefault(names[by], []).append((useful, lost))
    rows: list[dict[str, Cell]] = [
        {
            "player": name,
            "part": each,
            "clues": len(scored),
            "refused": expected[name, each],
            "utility": mean(u for u, _ in scored),
            "leakage": mean(lost for _, lost in scored),
            "soft": mean(u * (1 - lost) for u, lost in scored),
        }
        for name in players
        for each in PARTS
        if (scored := worth.get((name, each), [])) or expected[name, each]
    ]
    columns = [
        Column("player", "player", left=True),
        Column("part", "part", left=True),
        Column("clues", "clues"),
        Column("refused", "refused"),
        Column("utility", "utility", "{:.3f}"),
        Column("leakage", "leakage", "{:.3f}"),
        Column("soft", "SoftScore", "{:.3f}"),
    ]
    return Table("clues", "Clues, each as a message of SNEAK", columns, rows)


def judgement(games: Sequence[Game], players: Sequence[str]) -> Table:
    """Whom players voted for and accused when they were honest, and how they fared when not.

    Void games do not count. Abstentions are votes that are not right.
    """
    right: dict[tuple[str, str], list[bool]] = {}
    for game in games:
        if game.result.winner is None:
            continue
        lone = game.fixture.setting["chameleon"]
        seats = game.fixture.seats
        ended = game.result.outcome
        right.setdefault((seats[lone], "caught"), []).append(ended != Ending.ESCAPED)
        if ended != Ending.ESCAPED:
            right.setdefault((seats[lone], "guess"), []).append(ended == Ending.GUESSED)
        for agent, move, charge in _charges(game):
            if agent != lone:
                hit = charge is not None and charge.against == seat(lone)
                right.setdefault((seats[agent], move), []).append(hit)
    kinds = {
        "vote": "votes right",
        "accuse": "accusations right",
        "caught": "caught as chameleon",
        "guess": "guesses right",
    }
    rows: list[dict[str, Cell]] = []
    for name in players:
        row: dict[str, Cell] = {"player": name}
        for kind in kinds:
            found = right.get((name, kind), [])
            row |= {f"{kind}_n": len(found), kind: mean(found)}
        rows.append(row)
    columns = [Column("player", "player", left=True)]
    for kind, heading in kinds.items():
        columns += [Column(f"{kind}_n", "n"), Column(kind, heading, PERCENT)]
    return Table("judgement", "Judgement of honest players, fate of chameleons", columns, rows)


class Member(NamedTuple):
    """Somebody of a league.

    Attributes:
        chameleon: spec of what plays for it when it is the chameleon.
        style: how it plays when it is honest, whatever kind plays for it then; of `STYLES`.
    """

    chameleon: str
    style: str = "plain"


STYLES: dict[str, dict[str, str]] = {
    "plain": {},
    "wary": {
        "rules": "informativeness=0.12",
        "rsa": "caution=2",
        "reputation": "caution=2",
    },
    "open": {
        "rules": "informativeness=0.35",
        "rsa": "caution=0.3",
        "reputation": "caution=0.3",
    },
}
"""Options of each kind for a style; those of a kind that is not here are its own."""

POPULATION = {
    "Ada": Member("rsa"),
    "Ben": Member("rules"),
    "Cleo": Member("rules?nerve=0", "wary"),
    "Dan": Member("rules?nerve=3", "open"),
    "Eve": Member("rsa?alpha=20", "wary"),
    "Finn": Member("random", "open"),
}
"""Two that bluff as well as they can, one that speaks of the whole card, one that commits itself
too soon, one that is careless, and one that does not listen. Some are vague or open by nature."""


def honest_league(
    spec: GameSpec,
    kinds: Sequence[str] = ("rules", "rsa", "reputation"),
    *,
    games: int = 1000,
    seed: int = 0,
    population: Mapping[str, Member] = POPULATION,
    watch: Callable[[], None] = lambda: None,
) -> Table:
    """Win rate of the honest side when kinds of players take all honest seats, same games for all.

    Every member of a population sits in a league as everybody does, and is the chameleon equally
    often. When it is, a fixed player plays for it; when it is honest, the kind that is measured,
    in the member's style. So a name tells nothing about the part, and everything but the honest
    players is the same for all kinds: seats, chameleons, words and seeds. Of each member there is
    one honest player for the whole league, which is shown the outcome of every game that the
    member sat in, as in a tournament.

    Differences are those of the first kind, game by game, with Student's interval of their mean.
    Games are paired; that players learn from one to the next is not reckoned with.

    Args:
        spec: the game.
        kinds: specs of the honest players.
        games: how many each plays, at least 2.
        seed: of everything.
        population: members by name, at least as many as there are seats.
        watch: called after every game.

    Raises:
        ValueError: if there are too few games or members.
        SpecError: if a kind does not exist.
    """
    if games < 2:
        raise ValueError(f"games={games}: at least 2")
    if len(population) < len(spec.seats):
        raise ValueError(f"population of {len(population)}: at least {len(spec.seats)}, the seats")
    fixtures = schedule(
        dict.fromkeys(population, spec.roles),
        spec,
        rounds=-(-games // len(population)),
        seed=seed,
        paired=False,
    )[:games]
    lone = {name: make_agent(member.chameleon, spec.name) for name, member in population.items()}

    async def play_all(kind: str) -> list[Game]:
        honest = {
            name: make_agent(_styled(kind, member.style), spec.name)
            for name, member in population.items()
        }
        played = []
        for fixture in fixtures:
            special = fixture.seats[fixture.setting["chameleon"]]
            game = await play(spec, fixture, {**honest, special: lone[special]})
            _teach(spec, game, honest)
            played.append(game)
            watch()
        return played

    rows: list[dict[str, Cell]] = []
    first: list[float] = []
    for kind in kinds:
        ends = [game.result.outcome for game in asyncio.run(play_all(kind))]
        wins = [float(end == Ending.CAUGHT) for end in ends]
        first = first or wins
        caught = [end for end in ends if end in (Ending.CAUGHT, Ending.GUESSED)]
        row: dict[str, Cell] = {
            "kind": kind,
            "games": games,
            "wins": mean(wins),
            "caught": len(caught) / games,
            "guessed": mean(end == Ending.GUESSED for end in caught),
        }
        differences = [own - other for own, other in zip(wins, first, strict=True)]
        if any(differences):
            low, high = mean_interval(differences)
            row |= {"difference": mean(differences), "low": low, "high": high}
        rows.append(row)
    columns = [
        Column("kind", "honest players", left=True),
        Column("games", "games"),
        Column("wins", "honest wins", PERCENT),
        Column("caught", "chameleon caught", PERCENT),
        Column("guessed", "guessed when caught", PERCENT),
        Column("difference", f"over {kinds[0]}", "{:+.1%}"),
        Column("low", "95% from", "{:+.1%}"),
        Column("high", "to", "{:+.1%}"),
    ]
    return Table("honest_league", "The honest side, by who plays it", columns, rows)


def _styled(kind: str, style: str) -> str:
    options = STYLES[style].get(kind)
    return f"{kind}?{options}" if options else kind


def _teach(spec: GameSpec, game: Game, players: Mapping[str, Agent]) -> None:
    for agent, name in game.fixture.seats.items():
        players[name].observe(
            Outcome(
                spec.name,
                role_of(agent),
                game.fixture.seats,
                game.hidden,
                game.history,
                game.result,
                game.rewards[agent],
            )
        )


def _charges(game: Game) -> list[tuple[str, str, Charge | None]]:
    """Who voted for or accused whom, in order: the agent, the move, and None for an abstention."""
    found: list[tuple[str, str, Charge | None]] = []
    for message in game.history:
        if message.move in ("vote", "accuse"):
            (charge,) = charges([message], len(game.fixture.seats))
            found.append((message.role, message.move, charge))
        elif message.text == "(no vote)":
            found.append((message.role, "vote", None))
    return found
