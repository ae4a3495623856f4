"""Chats as one JSON object a line, in the form in which OpenAI and TRL take them for training.

`messages` is a list of `{"role", "content"}`; the other keys say where it comes from and how the
game went for this player. What the player did not know is not in its chat: `secret` is there for
whoever reads the file, and `knew_secret` says whether the player had been told it (judges and
evaluators count as told).

Where a chat comes from (`source`):

- "requests": the player is a model. The chat is its last request of the game that was answered, as
  it was sent, and the reply, as it came. With the full history, which is the default, that is the
  whole game; with a window or a summary, or by a method of several steps, it is what the model saw
  last. With `each="request"` every request is a chat of its own (`step` says what for).
- "templates": the player is none. The game is played again from the record, and the chat is what
  the prompt templates of the LLM agents (`unspoken/data/prompts`) make of what this player saw when
  it moved last, and what it said. This needs the extra `llm`.

Players that said nothing have no chat. Values that do not apply are "" and 0, so that each key has
one type in all lines.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from unspoken.benchmarks.export.runs import Run
from unspoken.benchmarks.sneak.results import METRICS, worth
from unspoken.benchmarks.sneak.store import VOID, Message
from unspoken.benchmarks.store import Game
from unspoken.envs.base import DialogueEnv, one_line
from unspoken.envs.registry import role_of

if TYPE_CHECKING:
    from unspoken.agents.llm.prompts import Prompts

Chat = list[dict[str, str]]
Call = Mapping[str, Any]
Row = dict[str, Any]

SILENT = "said nothing"
NO_EXTRA = 'players that are no models need the extra: pip install "unspoken[llm]"'
NO_REPLAY = "players that are no models in games that this version does not play the same"


class View(NamedTuple):
    """A player's last move.

    Attributes:
        info: what it knew then, as its info has it.
        said: what it said.
    """

    info: Mapping[str, Any]
    said: str


def write_chats(
    run: Run, path: Path, left_out: Counter[str], *, each: str = "player"
) -> dict[str, int]:
    """Write the chats of a run.

    Args:
        run: the run.
        path: the file.
        left_out: counts what is left out, by reason.
        each: what a line is: "player" or "request".

    Returns:
        the number of "chats".
    """
    maker = _Benchmark(run, left_out) if run.benchmark else _Tournament(run, left_out)
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in maker.requests() if each == "request" else maker.players():
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return {"chats": count}


class _Tournament:
    """The chats of a tournament."""

    def __init__(self, run: Run, left_out: Counter[str]) -> None:
        self._run = run
        self._left_out = left_out

    def requests(self) -> Iterator[Row]:
        """A chat for each request that was answered, those of the game's own judges among them."""
        for game in self._run.games():
            told = self._told(game)
            for agent, call in game.calls:
                if call["reply"] is not None:
                    yield _of_call(call) | _asked(call) | self._row(game, agent, told)

    def players(self) -> Iterator[Row]:
        """A chat for each player of each game."""
        for game in self._run.games():
            told = self._told(game)
            asked = {seat: calls_of(game.calls, seat) for seat in game.fixture.seats}
            others = [seat for seat, calls in asked.items() if not calls]
            made = self._made(game, others) if others else {}
            for seat, calls in asked.items():
                chat = last_chat(calls) if calls else made.get(seat)
                if chat is not None:
                    yield chat | self._row(game, seat, told)
                elif calls:
                    self._left_out[SILENT] += 1

    @cached_property
    def _env(self) -> DialogueEnv:
        if self._llm:
            from unspoken.agents.llm.traffic import replaying

            with replaying(()):  # a judge that is a model can be built without a key
                return self._run.spec.env()
        return self._run.spec.env()

    @cached_property
    def _llm(self) -> bool:
        return has_llm()

    def _told(self, game: Game) -> tuple[str, ...]:
        """The seats that know the secret."""
        deal(self._env, game)
        return self._env.keepers

    def _made(self, game: Game, seats: Sequence[str]) -> dict[str, Row]:
        """The chats of some seats that the templates make of a game."""
        if not self._llm:
            self._left_out[NO_EXTRA] += len(seats)
            return {}
        from unspoken.agents.llm.traffic import ReplayError, replaying

        judged = [call for agent, call in game.calls if agent not in game.fixture.seats]
        try:
            with replaying(judged):
                views = last_views(self._env, game)
        except (_Differs, ReplayError):
            self._left_out[NO_REPLAY] += len(seats)
            return {}
        spec = replace(self._run.spec, names=game.fixture.seats)
        found = {}
        for seat in seats:
            prompts = self._prompts(spec, role_of(seat))
            if prompts is None:
                self._left_out[f"the role {role_of(seat)} has no prompt templates"] += 1
            elif seat not in views:
                self._left_out[SILENT] += 1
            else:
                found[seat] = _templated(prompts, views[seat])
        return found

    def _prompts(self, spec: Any, role: str) -> Prompts | None:
        from unspoken.agents.llm.prompts import Prompts

        try:
            return Prompts(None, spec, role)
        except ValueError:
            return None

    def _row(self, game: Game, seat: str, told: Iterable[str]) -> Row:
        fixture, result = game.fixture, game.result
        known = seat in fixture.seats
        won = seat in result.winners if result.winners else role_of(seat) == result.winner
        return {
            "game": self._run.config["game"],
            "id": fixture.id,
            "round": fixture.round,
            "seed": fixture.seed,
            **({"setting": dict(fixture.setting)} if fixture.setting else {}),
            "seat": seat,
            "role": role_of(seat) if known else seat,
            "player": fixture.seats.get(seat, seat),
            "opponents": [name for other, name in fixture.seats.items() if other != seat],
            "secret": game.hidden,
            "knew_secret": seat in told or not known,
            "outcome": result.outcome,
            "winner": result.winner or "",
            "won": won,
            "reward": game.rewards.get(seat, 0.0),
            "turns": result.turn,
            "reason": result.reason,
        }


class _Benchmark:
    """The chats of a run of the SNEAK benchmark."""

    def __init__(self, run: Run, left_out: Counter[str]) -> None:
        self._run = run
        self._left_out = left_out

    def requests(self) -> Iterator[Row]:
        """A chat for each request that was answered, those of evaluators among them."""
        for message in self._run.messages():
            for asked, call in message.calls:
                if call["reply"] is not None:
                    role = "speaker" if asked == message.speaker else "evaluator"
                    yield _of_call(call) | _asked(call) | self._row(message, asked, role)

    def players(self) -> Iterator[Row]:
        """A chat for each message, of its speaker."""
        for message in self._run.messages():
            calls = calls_of(message.calls, message.speaker)
            chat = last_chat(calls) if calls else self._made(message)
            if chat is not None:
                yield chat | self._row(message, message.speaker, "speaker")
            elif calls:
                self._left_out[SILENT] += 1

    @cached_property
    def _env(self) -> DialogueEnv:
        return self._run.spec.env()

    @cached_property
    def _prompts(self) -> Prompts | None:
        if not has_llm():
            return None
        from unspoken.agents.llm.prompts import Prompts

        return Prompts(None, self._run.spec, "speaker")

    def _made(self, message: Message) -> Row | None:
        if message.fault == VOID:
            self._left_out[SILENT] += 1
            return None
        if self._prompts is None:
            self._left_out[NO_EXTRA] += 1
            return None
        self._env.reset(seed=self._run.seed_of(message), options={"secret": message.instance})
        info = self._env.infos[self._env.agent_selection]
        return _templated(self._prompts, View(info, message.said))

    def _row(self, message: Message, asked: str, role: str) -> Row:
        scores = scores_of(self._run, message)
        category, _, secret = message.instance.partition("/")
        softs = [row["soft"] for row in scores]
        return {
            "game": self._run.config["game"],
            "id": message.id,
            "seed": self._run.config["seed"],
            "seat": f"{role}_0" if role == "speaker" else role,
            "role": role,
            "player": asked,
            "category": category,
            "secret": secret,
            "knew_secret": True,
            "message": message.message,
            "outcome": message.fault or "allowed",
            "reward": fmean(softs) if softs else 0.0,
            "scores": scores,
            "turns": 1,
            "reason": message.reason,
        }


def scores_of(run: Run, message: Message) -> list[dict[str, Any]]:
    """What a message of the benchmark is worth to each evaluator that did not fail.

    Messages that the rules refuse are worth 0 (`unspoken.benchmarks.sneak.results`); void ones
    have no worth.
    """
    if message.fault == VOID:
        return []
    if message.fault:
        nothing = dict.fromkeys(METRICS, 0.0)
        return [{"evaluator": name, **nothing} for name in run.config["evaluators"]]
    words = run.words[message.instance.partition("/")[0]]
    secret = words.index(message.instance.partition("/")[2])
    return [
        {"evaluator": name, **{key: float(x) for key, x in worth(e, secret)._asdict().items()}}
        for name, e in message.evaluations.items()
        if not e.reason
    ]


def has_llm() -> bool:
    """Whether the extra `llm` is there."""
    try:
        import unspoken.agents.llm  # noqa: F401
    except ImportError:
        return False
    return True


def calls_of(calls: Iterable[tuple[str, Call]], asked: str) -> list[Call]:
    """The requests of one player."""
    return [call for who, call in calls if who == asked]


def last_chat(calls: Sequence[Call]) -> Row | None:
    """A model's chat of a game: its last request that was answered; None if none was."""
    answered = [call for call in calls if call["reply"] is not None]
    if not answered:
        return None
    usage = [call.get("usage") or {} for call in calls]
    return {
        **_of_call(answered[-1]),
        "step": answered[-1].get("step") or "",
        "requests": len(calls),
        "unreadable": sum(bool(call.get("unreadable")) for call in calls),
        "prompt_tokens": sum(used.get("prompt_tokens", 0) for used in usage),
        "completion_tokens": sum(used.get("completion_tokens", 0) for used in usage),
    }


def _of_call(call: Call) -> Row:
    reply = {"role": "assistant", "content": call["reply"]}
    return {
        "messages": [*call["messages"], reply],
        "source": "requests",
        "model": call["model"],
        "prompts": call.get("prompts") or "",
    }


def _asked(call: Call) -> Row:
    usage = call.get("usage") or {}
    return {
        "step": call.get("step") or "",
        "unreadable": int(bool(call.get("unreadable"))),
        "finish_reason": call.get("finish_reason") or "",
        "prompt_tokens": usage.get("prompt_tokens", 0),
        "completion_tokens": usage.get("completion_tokens", 0),
    }


def _templated(prompts: Prompts, view: View) -> Row:
    messages: Chat = prompts.conversation(view.info)
    return {
        "messages": [*messages, {"role": "assistant", "content": view.said}],
        "source": "templates",
        "model": "",
        "prompts": prompts.version,
        "step": "",
        "requests": 0,
        "unreadable": 0,
        "prompt_tokens": 0,
        "completion_tokens": 0,
    }


class _Differs(Exception):
    """A game that does not go as it is recorded."""


def deal(env: DialogueEnv, game: Game) -> None:
    """Begin a recorded game anew."""
    fixture = game.fixture
    env.reset(seed=fixture.seed, options={"secret": fixture.secret, **fixture.setting})


def last_views(env: DialogueEnv, game: Game) -> dict[str, View]:
    """What each player saw when it moved last, and what it said then, by seat.

    The game is played again, with the words that the record has.

    Raises:
        _Differs: if it does not go as it is recorded.
    """
    deal(env, game)
    replies = [(seat, call["reply"]) for seat, call in game.calls if call["reply"] is not None]
    views: dict[str, View] = {}
    for n, line in enumerate(game.history):
        if line.role == "referee":
            continue
        seat = env.agent_selection
        if env.result is not None or (info := env.info(seat))["speaker"] != line.role:
            raise _Differs
        said = game.originals.get(n, line.text)
        views[seat] = View(info, said)
        env.step(_whole(said, (reply for who, reply in replies if who == seat)))
    if env.result is None:
        env.void(game.result.reason)
    if env.history != game.history:
        raise _Differs
    return views


def _whole(said: str, replies: Iterable[str]) -> str:
    """What a player said, with the line breaks that the record of moves does not keep."""
    from unspoken.agents.llm.replies import visible

    for reply in replies:
        words = visible(reply)
        if one_line(words) == said:
            return words
    return said
