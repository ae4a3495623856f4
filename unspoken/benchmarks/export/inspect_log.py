"""A run as a log of inspect (https://inspect.aisi.org.uk): a sample for each game.

`inspect view`, `inspect log dump` and `inspect_ai.log.read_eval_log` open it. Of a sample,

- `input` says who played, `target` is what was hidden, and `messages` is the dialogue as everybody
  heard it: the first role is the user, the others are the assistant.
- `scores` has the outcome, and the reward of each seat with its player as the answer. A void game
  has an error and no rewards.
- `events` has every line of the dialogue, and before it the requests to models that led to it, as
  they were sent; `role` says who asked.
- `metadata` has all else: seed, setting, seats, ratings before and after.

In the log of a SNEAK benchmark a sample is a message, and its scores are the evaluators'.

All is made of inspect's own classes. The archive is put together here, a member for each sample,
since inspect's public way to write a log takes all samples at once. The record of a run has no
clock times: those in the log count from when the record was changed last.
"""

from __future__ import annotations

import json
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from unspoken.benchmarks.export.chats import scores_of
from unspoken.benchmarks.export.runs import Run
from unspoken.benchmarks.sneak.store import VOID, Message
from unspoken.benchmarks.store import Game, read_ratings
from unspoken.envs.base import one_line
from unspoken.envs.registry import role_of

if TYPE_CHECKING:
    from inspect_ai.event import Event
    from inspect_ai.log import EvalError, EvalSample, EvalScore, EvalSpec
    from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage
    from inspect_ai.scorer import Score

Call = Mapping[str, Any]

_STOPS: dict[str, Any] = {
    "stop": "stop",
    "length": "max_tokens",
    "content_filter": "content_filter",
}
"""Finish reasons in inspect's words; others are "unknown"."""

_METRICS = ("soft", "utility", "leakage", "binary")
"""Of a message; inspect shows the first in lists of logs."""


def write_log(run: Run, path: Path, left_out: Counter[str]) -> dict[str, int]:
    """Write a run as an `.eval` log.

    Args:
        run: the run.
        path: the file.
        left_out: nothing is.

    Returns:
        the number of "samples".

    Raises:
        ImportError: if the extra `export` is not installed.
    """
    try:
        from inspect_ai.log import (
            EvalLog,
            EvalPlan,
            EvalPlanStep,
            EvalResults,
            EvalStats,
            condense_sample,
        )
    except ImportError as error:
        raise ImportError('inspect logs need the extra: pip install "unspoken[export]"') from error
    maker: _Maker = _Benchmark(run) if run.benchmark else _Tournament(run)
    missing = run.missing
    plan = EvalPlan(steps=[EvalPlanStep(solver=player) for player in run.players])
    log = EvalLog(eval=maker.spec(), plan=plan, status="cancelled" if missing else "success")
    summaries: list[str] = []
    with zipfile.ZipFile(path, "w") as archive:
        start = _json(log, include={"version", "eval", "plan"})
        _write(archive, "_journal/start.json", start)
        for sample in maker.samples():
            summaries.append(_json(sample.summary()))
            member = f"samples/{sample.id}_epoch_{sample.epoch}.json"
            _write(archive, member, _json(condense_sample(sample)))
        _write(archive, "summaries.json", f"[{','.join(summaries)}]")
        log.stats = EvalStats(model_usage=maker.spent, role_usage=maker.spent_by_role)
        log.results = EvalResults(
            total_samples=run.done + (missing or 0),
            completed_samples=run.done - maker.void,
            scores=maker.scores(),
        )
        _write(archive, "header.json", _json(log))
    return {"samples": len(summaries)}


class _Maker:
    """What the logs of both kinds of run share.

    Attributes:
        void: samples so far that are void.
        spent: tokens so far, by model.
        spent_by_role: the same, by who asked.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.void = 0
        self.spent: dict[str, ModelUsage] = {}
        self.spent_by_role: dict[str, ModelUsage] = {}
        self.time = datetime.fromtimestamp(run.file.stat().st_mtime, UTC).replace(microsecond=0)
        self._name = _digest(str(run.file.resolve()), json.dumps(run.config, sort_keys=True))

    def spec(self) -> EvalSpec:
        """What was run."""
        from inspect_ai.log import EvalConfig, EvalDataset, EvalSpec

        run = self.run
        ids = [id_ for (id_,) in run.db.execute(f"SELECT id FROM {run.what} ORDER BY id")]
        task = run.config["game"].replace(" ", "_")
        return EvalSpec(
            eval_id=self._name,
            run_id=self._name,
            task_id=self._name,
            created=self.time.isoformat(),
            task=task,
            task_version=run.spec.version,
            task_args=dict(run.spec.options),
            dataset=EvalDataset(name=task, samples=len(ids), sample_ids=ids, shuffled=False),
            model=", ".join(run.served()) or "none/none",
            config=EvalConfig(epochs=1),
            packages={"unspoken": run.config["unspoken"]},
            metadata=run.config,
            tags=["unspoken"],
        )

    def samples(self) -> Iterator[EvalSample]:
        """The samples, in order."""
        raise NotImplementedError

    def scores(self) -> list[EvalScore]:
        """What came of all samples."""
        raise NotImplementedError

    def _sample(
        self, id_: int, calls: Iterable[tuple[str, Call]], reason: str | None, **parts: Any
    ) -> EvalSample:
        """A sample.

        Args:
            id_: its id.
            calls: the requests to models, each with who asked.
            reason: why it is void; None if it is not.
            parts: the rest of its fields.
        """
        from inspect_ai.log import EvalError, EvalSample

        self.void += reason is not None
        by_model: dict[str, ModelUsage] = {}
        by_role: dict[str, ModelUsage] = {}
        for asked, call in calls:
            usage = self._usage(call)
            _add(by_model, call["model"], usage)
            _add(by_role, asked, usage)
        for spent, found in ((self.spent, by_model), (self.spent_by_role, by_role)):
            for name, usage in found.items():
                _add(spent, name, usage)
        error: EvalError | None = None
        if reason is not None:
            error = EvalError(message=reason or VOID, traceback="", traceback_ansi="")
        return EvalSample(
            id=id_,
            epoch=1,
            uuid=_digest(self._name, str(id_)),
            model_usage=by_model,
            role_usage=by_role,
            error=error,
            **parts,
        )

    def _usage(self, call: Call) -> ModelUsage:
        from inspect_ai.model import ModelUsage

        usage = call.get("usage") or {}
        prompt, completion = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
        cached = usage.get("cached_tokens")
        return ModelUsage(
            input_tokens=prompt - (cached or 0),
            output_tokens=completion,
            total_tokens=prompt + completion,
            input_tokens_cache_read=cached,
            total_cost=call.get("cost") if self.run.currency == "USD" else None,
        )

    def _asked(self, asked: str, call: Call, n: str, start: datetime) -> Event:
        """A request as an event."""
        from inspect_ai.event import ModelEvent
        from inspect_ai.model import GenerateConfig

        details = ("step", "prompts", "served", "fingerprint", "unreadable", "fallback", "cost")
        return ModelEvent(
            uuid=_digest(self._name, n),
            timestamp=start,
            working_start=(start - self.time).total_seconds(),
            completed=start + timedelta(seconds=call.get("latency_s") or 0.0),
            model=call["model"],
            role=asked,
            input=_chat(call["messages"]),
            tools=[],
            tool_choice="none",
            config=GenerateConfig(),
            output=self._output(call),
            retries=max(call.get("attempts", 1) - 1, 0) or None,
            error=call.get("error"),
            cache="read" if call.get("cached") else None,
            metadata={key: call[key] for key in details if call.get(key)} or None,
        )

    def _output(self, call: Call) -> ModelOutput:
        from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput

        reply = call["reply"]
        if reply is None:
            return ModelOutput(model=call["model"], error=call.get("error"))
        said = ChatMessageAssistant(
            id=_digest(str(len(call["messages"])), "assistant", reply),
            content=reply,
            model=call["model"],
            source="generate",
        )
        stop = _STOPS.get(call.get("finish_reason") or "", "unknown")
        return ModelOutput(
            model=call.get("served") or call["model"],
            choices=[ChatCompletionChoice(message=said, stop_reason=stop)],
            usage=self._usage(call),
            time=call.get("latency_s"),
        )


class _Tournament(_Maker):
    """The log of a tournament."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._outcomes: Counter[str] = Counter()
        self._rewards: dict[str, dict[str, list[float]]] = {}

    def samples(self) -> Iterator[EvalSample]:
        """The games."""
        for game in self.run.games():
            fixture, result = game.fixture, game.result
            void = result.outcome == VOID
            self._outcomes[result.outcome] += 1
            for seat, player in () if void else fixture.seats.items():
                of_seat = self._rewards.setdefault(seat, defaultdict(list))
                of_seat[player].append(game.rewards[seat])
            setting = [f"{key}: {value}" for key, value in fixture.setting.items()]
            yield self._sample(
                fixture.id,
                game.calls,
                result.reason if void else None,
                input="\n".join(
                    [f"{s}: {player}" for s, player in fixture.seats.items()] + setting
                ),
                target=game.hidden,
                messages=_dialogue(game),
                scores=_game_scores(game),
                metadata=self._metadata(game),
                events=list(self._events(game)),
                total_time=game.seconds,
                turn_count=result.turn,
            )

    def scores(self) -> list[EvalScore]:
        """How games ended, what each seat got on average, and the ratings."""
        from inspect_ai.log import EvalScore

        scores = []
        for seat, of_seat in self._rewards.items():
            everything = [reward for rewards in of_seat.values() for reward in rewards]
            means = {player: fmean(rewards) for player, rewards in of_seat.items()}
            scores.append(
                EvalScore(
                    name=seat,
                    scorer="reward",
                    scored_samples=len(everything),
                    unscored_samples=self.void,
                    metrics=_metrics(_mean(everything) | means),
                )
            )
        outcomes = _metrics(dict(sorted(self._outcomes.items())))
        scores.append(EvalScore(name="outcome", scorer="outcome", metrics=outcomes))
        elo = read_ratings(self.run.db)
        for name, ratings in (("elo C", elo.c), ("elo V", elo.v)):
            if ratings:
                metrics = _metrics(dict(ratings))
                scores.append(EvalScore(name=name, scorer="dual_elo", metrics=metrics))
        return scores

    def _metadata(self, game: Game) -> dict[str, Any]:
        fixture, result = game.fixture, game.result
        ratings = self.run.db.execute(
            "SELECT kind, player, before, after FROM ratings WHERE game = ? ORDER BY kind",
            (fixture.id,),
        )
        return {
            "round": fixture.round,
            "seed": fixture.seed,
            "secret": fixture.secret,
            "setting": dict(fixture.setting),
            "seats": dict(fixture.seats),
            "outcome": result.outcome,
            "winner": result.winner,
            "winners": list(result.winners),
            "turn": result.turn,
            "weight": result.weight,
            "reason": result.reason,
            "ratings": {
                kind: {"player": player, "before": before, "after": after}
                for kind, player, before, after in ratings
            },
        }

    def _events(self, game: Game) -> Iterator[Event]:
        """The lines of the dialogue, each after the requests that led to it."""
        from inspect_ai.event import InfoEvent

        calls, time, done = game.calls, self.time, 0
        for n, line in enumerate([*game.history, None]):
            upto = len(calls) if line is None else _led_to(game, n, done)
            for place in range(done, upto):
                asked, call = calls[place]
                yield self._asked(asked, call, f"{game.fixture.id} call {place}", time)
                time += timedelta(seconds=call.get("latency_s") or 0.0)
            done = upto
            if line is not None:
                more = {"turn": line.turn, "move": line.move, "action": line.action}
                original = {"original": game.originals[n]} if n in game.originals else {}
                yield InfoEvent(
                    uuid=_digest(self._name, f"{game.fixture.id} line {n}"),
                    timestamp=time,
                    working_start=(time - self.time).total_seconds(),
                    source=line.role,
                    data=line.text,
                    metadata=more | original,
                )


class _Benchmark(_Maker):
    """The log of a run of the SNEAK benchmark."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._worth: dict[str, list[dict[str, float]]] = {}

    def samples(self) -> Iterator[EvalSample]:
        """The messages."""
        for message in self.run.messages():
            category, _, secret = message.instance.partition("/")
            words = ", ".join(self.run.words[category])
            void = message.fault == VOID
            yield self._sample(
                message.id,
                message.calls,
                message.reason if void else None,
                input=f"speaker: {message.speaker}\ncategory: {category}\nwords: {words}",
                target=secret,
                messages=_chat([{"role": "assistant", "content": message.said}]) * (not void),
                scores=self._scored(message),
                metadata={
                    "speaker": message.speaker,
                    "message": message.message,
                    "fault": message.fault,
                    "reason": message.reason,
                },
                events=list(self._events(message)),
                total_time=message.seconds,
            )

    def scores(self) -> list[EvalScore]:
        """Means over the messages that were evaluated, by evaluator."""
        from inspect_ai.log import EvalScore

        return [
            EvalScore(
                name=evaluator,
                scorer="evaluator",
                scored_samples=len(rows),
                metrics=_metrics({key: fmean(row[key] for row in rows) for key in _METRICS}),
            )
            for evaluator, rows in self._worth.items()
        ]

    def _scored(self, message: Message) -> dict[str, Score]:
        from inspect_ai.scorer import Score

        scores = {}
        for row in scores_of(self.run, message):
            evaluator = row.pop("evaluator")
            self._worth.setdefault(evaluator, []).append(row)
            scores[evaluator] = Score(value=row, answer=message.message, explanation=message.fault)
        return scores

    def _events(self, message: Message) -> Iterator[Event]:
        time = self.time
        for n, (asked, call) in enumerate(message.calls):
            yield self._asked(asked, {**call}, f"{message.id} call {n}", time)
            time += timedelta(seconds=call.get("latency_s") or 0.0)


def _led_to(game: Game, n: int, done: int) -> int:
    """How many requests had been made when a line was said; `done` if the record does not tell."""
    line = game.history[n]
    said = game.originals.get(n, line.text)
    for place in range(done, len(game.calls)):
        asked, call = game.calls[place]
        same = line.role in (asked, role_of(asked))
        if same and call["reply"] is not None and said in one_line(call["reply"]):
            return place + 1
    return done


def _dialogue(game: Game) -> list[ChatMessage]:
    first = next(iter(game.fixture.seats))
    roles = {"referee": "system", first: "user", role_of(first): "user"}
    chat = [
        {"role": roles.get(line.role, "assistant"), "content": f"{line.role}: {line.text}"}
        for line in game.history
    ]
    return _chat(chat)


def _game_scores(game: Game) -> dict[str, Score]:
    from inspect_ai.scorer import Score

    result = game.result
    scores = {"outcome": Score(value=str(result.outcome), explanation=result.reason or None)}
    if result.outcome != VOID:
        for seat, player in game.fixture.seats.items():
            scores[seat] = Score(value=game.rewards[seat], answer=player)
    return scores


def _mean(values: Sequence[float]) -> dict[str, float]:
    """A mean and its standard error, which one value has not."""
    error = {"stderr": stdev(values) / len(values) ** 0.5} if len(values) > 1 else {}
    return {"mean": fmean(values)} | error


def _metrics(values: Mapping[str, float]) -> dict[str, Any]:
    from inspect_ai.log import EvalMetric

    return {str(name): EvalMetric(name=str(name), value=value) for name, value in values.items()}


def _chat(messages: Sequence[Mapping[str, str]]) -> list[ChatMessage]:
    """Messages with ids that go by their place and words, so that requests share them."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {
        "system": ChatMessageSystem,
        "developer": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    return [
        kinds[m["role"]](id=_digest(str(n), m["role"], m["content"]), content=m["content"])
        for n, m in enumerate(messages)
    ]


def _add(spent: dict[str, ModelUsage], name: str, usage: ModelUsage) -> None:
    spent[name] = spent[name] + usage if name in spent else usage


def _digest(*parts: str) -> str:
    """A name that is the same each time the same thing is exported."""
    return blake2b("\n".join(parts).encode(), digest_size=11).hexdigest()


def _write(archive: zipfile.ZipFile, member: str, text: str) -> None:
    # a member without the time of day: the same run makes the same file
    archive.writestr(zipfile.ZipInfo(member), text, zipfile.ZIP_DEFLATED)


def _json(model: Any, include: set[str] | None = None) -> str:
    text: str = model.model_dump_json(exclude_none=True, include=include)
    return text
