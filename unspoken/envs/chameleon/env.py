"""Chameleon as a PettingZoo AEC environment: the shell around `rules.Chameleon`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unspoken.envs.base import DialogueEnv, Understood, Utterances, choose, one_line, whole
from unspoken.envs.chameleon.interpreter import (
    clue_mask,
    clue_place,
    passes,
    read_act,
    read_clue,
    read_guess,
    read_vote,
    same,
)
from unspoken.envs.chameleon.menu import (
    UNSAID,
    briefs,
    caught,
    count,
    ending,
    menu,
    places,
    seats,
    title,
)
from unspoken.envs.chameleon.rules import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    TIES,
    Chameleon,
    Tie,
    leaders,
)
from unspoken.envs.sneak.instances import DEFAULT, Instance, dealt, load

MAX_ROUNDS = 10


class _Line(NamedTuple):
    """What an agent is heard to say: text, move and action of its message.

    `original` is what it typed, where that is not what is heard.
    """

    agent: str
    text: str
    move: str
    action: int
    original: str | None


class ChameleonEnv(DialogueEnv):
    """Clues, a vote, and one player who does not know the word.

    Agents are `player_0` to `player_7`, three to eight of them. The space, reward and option
    tables, and the version history, are in the game's README.

    Args:
        players: how many play, 3 to 8.
        clue_rounds: how many clues each gives, 1 to 10.
        discussion: how often each speaks between clues and vote, 0 to 10.
        tie: what a tie in the vote leads to: "nobody" is accused, one of the tied at "random", or
            a "revote" among the tied, whose tie accuses nobody.
        repeats: whether a clue may be given again.
        categories: a file of categories; the package's own by default.
        utterances: "menu" or "free".
        checked: see `DialogueEnv`; `env()` sets it.
        nonzero_mask: see `DialogueEnv`.
        render_mode: None, "ansi" or "human".

    Raises:
        ValueError: if an option is out of its range; names the option and the range.
        SneakDataError: if the file of categories is wrong; names the entry.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as PettingZoo declares it
        "name": "chameleon_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    _game: Chameleon

    def __init__(
        self,
        *,
        players: int = 4,
        clue_rounds: int = 1,
        discussion: int = 0,
        tie: Tie = "nobody",
        repeats: bool = False,
        categories: str | Path = DEFAULT,
        utterances: Utterances = "menu",
        checked: bool = False,
        nonzero_mask: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self._players = whole("players", players, MIN_PLAYERS, MAX_PLAYERS)
        self._rounds: dict[str, Any] = {
            "clue_rounds": whole("clue_rounds", clue_rounds, 1, MAX_ROUNDS),
            "discussion": whole("discussion", discussion, 0, MAX_ROUNDS),
            "tie": tie,
        }
        choose("tie", tie, TIES)
        if not isinstance(repeats, bool):
            raise ValueError(f"repeats={repeats!r}: True or False")
        if not isinstance(categories, str | os.PathLike):
            raise ValueError(f"categories={categories!r}: the path of a file")
        self._file = Path(categories)
        self._card = max(len(category.words) for category in load(self._file))
        self._places = places(self._players, self._card)
        self.pass_action = self._places.passing[0]
        super().__init__(
            dict.fromkeys(seats(self._players), menu(self._players, self._card)),
            utterances=utterances,
            checked=checked,
            nonzero_mask=nonzero_mask,
            render_mode=render_mode,
        )
        self._repeats = repeats

    @property
    def secret(self) -> str:
        """The word of the present game (for runners and tests, never shown)."""
        return self._instance.secret

    @property
    def chameleon(self) -> str:
        """The agent that does not know the word (for runners and tests, never shown)."""
        return self._game.chameleon

    @property
    def instance(self) -> Instance:
        """The card and its secret, as SNEAK has them (for runners and tests, never shown)."""
        return self._instance

    def secrets(self) -> tuple[str, ...]:
        """What can be hidden: "category/word" for every word of every card."""
        return tuple(dealt(self._file))

    def public(self, secret: str) -> str:
        """The category of "category/word"."""
        return secret.rpartition("/")[0]

    @property
    def keepers(self) -> tuple[str, ...]:
        """All but the chameleon."""
        return tuple(agent for agent in self.possible_agents if agent != self.chameleon)

    def understand(self, role: str, text: str, info: Mapping[str, Any]) -> Understood:
        """How the game would take a text said by a player in the situation `info`."""
        if not text.strip():
            return Understood(-1, "You said nothing.")
        read = {
            "clue": self._read_clue,
            "discussion": self._read_talk,
            "vote": self._read_vote,
            "guess": self._read_guess,
        }[info["phase"]]
        return read(text, info)

    def _read_clue(self, text: str, info: Mapping[str, Any]) -> Understood:
        if passes(text):
            return Understood(-1, "You cannot pass: give a clue of one to five words.")
        said, problem = read_clue(text, info["category"], info["words"])
        if not problem and not self._repeats and any(same(said, old) for _, old in info["clues"]):
            problem = f"The clue {said!r} has been given already."
        return Understood(-1 if problem else clue_place(said), problem)

    def _read_talk(self, text: str, info: Mapping[str, Any]) -> Understood:
        if passes(text):
            return Understood(self._places.passing[0])
        act = read_act(text)
        if act is None or act[1] >= self._players:
            return Understood(-1)
        verb, seat = act
        if verb == "defend":
            return Understood(self._places.defend[seat])
        if seat == self.possible_agents.index(info["speaker"]):
            return Understood(-1)
        return Understood(self._places.accuse[seat])

    def _read_vote(self, text: str, info: Mapping[str, Any]) -> Understood:
        seats = {self.possible_agents.index(agent): title(agent) for agent in info["candidates"]}
        seat = read_vote(text)
        if seat is None or seat not in seats:
            names = ", ".join(seats.values())
            return Understood(-1, f'Say "vote: PLAYER" with one of these: {names}.')
        return Understood(self._places.vote[seat])

    def _read_guess(self, text: str, info: Mapping[str, Any]) -> Understood:
        place = read_guess(text, info["words"])
        if place is None:
            words = ", ".join(info["words"])
            return Understood(-1, f'Say "guess: WORD" with one of these: {words}.')
        return Understood(self._places.guess[place])

    def _void(self, reason: str) -> None:
        self._game.void(reason)
        self._settle()

    def _begin(self, options: dict[str, Any]) -> None:
        secret, chameleon, first, lots = self._draw()
        if options.get("secret") is not None:
            secret = options["secret"]
        if secret not in self.secrets():
            raise ValueError(
                f"secret={secret!r} is none of this env's {len(self.secrets())}: they are "
                f"category/word, as {self.secrets()[0]!r}; secrets() lists them"
            )
        if options.get("chameleon") is not None:
            chameleon = options["chameleon"]
        agents = self.possible_agents
        choose("chameleon", chameleon, agents)
        self._instance = card = dealt(self._file)[secret]
        order = (*agents[first:], *agents[:first])
        self._game = Chameleon(order, chameleon, card.secret, lots=lots, **self._rounds)
        self._clues: tuple[tuple[str, str], ...] = ()
        self._ballot: list[_Line] = []
        self._menus = dict.fromkeys(agents, menu(self._players, self._card, card.words))
        self._briefs = briefs(
            order, chameleon, card.category, card.words, card.secret, **self._rounds
        )
        self._next()

    def _draw(self) -> tuple[str, str, int, tuple[str, ...]]:
        """A new game's secret, chameleon, first seat and lots.

        Always all of them: what the options of `reset` fix leaves the rest as it was.
        """
        agents, rng = self.possible_agents, self.np_random
        secrets = self.secrets()
        secret = secrets[int(rng.integers(len(secrets)))]
        chameleon = agents[int(rng.integers(len(agents)))]
        first = int(rng.integers(len(agents)))
        lots = tuple(agents[seat] for seat in rng.permutation(len(agents)))
        return secret, chameleon, first, lots

    def _private(self, agent: str) -> dict[str, Any]:
        game = self._game
        info: dict[str, Any] = {
            "category": self._instance.category,
            "words": self._instance.words,
            "players": game.players,
            "phase": game.phase,
            "clues": self._clues,
            "votes": game.votes,
            "candidates": game.candidates(agent),
            "chameleon": agent == game.chameleon,
            "menu": self._menus[agent],
        }
        if agent != game.chameleon:
            info["word"] = game.secret
        return info

    def _play(self, agent: str, action: int | str) -> None:
        game, turn = self._game, self._game.turn
        line = self._line(agent, action)
        if game.phase == "vote":
            self._ballot.append(line)  # heard when all have voted
            game.vote(_named(self.possible_agents, self._places.vote, line.action))
            if len(self._ballot) == self._players:
                self._open(turn)
        else:
            self._hear(turn, line)
            if game.phase == "guess":
                game.guess(_named(self._instance.words, self._places.guess, line.action))
            else:
                if line.move == "clue":
                    self._clues += ((agent, line.text),)
                game.speak()
        if game.result is None:
            self._next()
        else:
            self._settle()

    def _line(self, agent: str, action: int | str) -> _Line:
        """An action as everybody hears it: as the menu says it if it is there."""
        card, phase = self._instance, self._game.phase
        if isinstance(action, str):
            understood = self.understand("player", action, self.info(agent))
            self.faults[agent] += bool(understood.problem)
            index = self._places.passing[0] if understood.problem else understood.action
        else:
            index = action
        if index in self._places.passing:
            text, move = UNSAID[phase], "pass"
        elif index >= 0:
            text, move = self._menus[agent][index], self._places.kind(index)
        elif phase == "clue":
            text, move = read_clue(str(action), card.category, card.words).said, "clue"
        else:
            text, move = one_line(str(action)), "talk"
        typed = one_line(action) if isinstance(action, str) else text
        return _Line(agent, text, move, index, None if typed == text else typed)

    def _hear(self, turn: int, line: _Line) -> None:
        self._say(turn, line.agent, line.text, line.move, line.action, original=line.original)

    def _open(self, turn: int) -> None:
        """Show the votes of a ballot, now that all are cast, and what they lead to."""
        game = self._game
        for line in self._ballot:
            self._hear(turn, line)
        votes = game.votes[-len(self._ballot) :]
        self._ballot = []
        again = game.tied if game.phase == "vote" and game.result is None else ()
        lot = game.accused is not None and len(leaders(votes)) > 1
        self._say(turn, "referee", count(votes, game.accused, again, lot=lot), "count")
        if game.phase == "guess":
            self._say(turn, "referee", caught(game.chameleon), "caught")

    def _next(self) -> None:
        game, places = self._game, self._places
        agent = self.agent_selection = game.to_move
        legal = np.zeros(self._sizes[agent], np.int8)
        if game.phase == "clue":
            card = self._instance
            legal[: len(places.clue)] = clue_mask(card.category, card.words)
            if not self._repeats:
                given = (clue_place(said) for _, said in self._clues)
                legal[[place for place in given if place >= 0]] = 0
        elif game.phase == "discussion":
            others = [seat for seat, a in enumerate(self.possible_agents) if a != agent]
            legal[[places.accuse[seat] for seat in others]] = 1
            legal[places.defend.start : places.defend.stop] = 1
            legal[places.passing] = 1
        elif game.phase == "vote":
            seats = map(self.possible_agents.index, game.candidates(agent))
            legal[[places.vote[seat] for seat in seats]] = 1
        else:
            legal[[places.guess[place] for place in range(len(self._instance.words))]] = 1
        self._legal = legal

    def _settle(self) -> None:
        result = self._game.result
        assert result is not None
        pay = dict.fromkeys(self.possible_agents, 0.0)
        if result.winner is not None:
            said = ending(result.outcome, self.chameleon, self.secret)
            self._say(result.turn, "referee", said, "end")
            pay = {agent: 1.0 if agent in result.winners else -1.0 for agent in pay}
        self._finish(result, pay, truncated=result.winner is None)


def _named(things: Sequence[str], span: range, action: int) -> str | None:
    """Whom or what an action names by its place in a range of the menu; None for a pass."""
    return things[span.index(action)] if action in span else None
