"""The statistics of the human study, for a CSV of people's answers (SNEAK 4.1 and appendix B).

One row is one answer of one person:

    task       ally, chameleon or speaker
    instance   "category/secret", as in the file of categories
    message    the message that the answer is about; empty for the speaker
    worker     who answered
    answer     what was answered: one of the messages, one of the words, or the speaker's message
    options    what there was to choose from, as it was shown, parted by "|"

`options` may be left out: then they are the message and the decoys of the instance, or its words.
Where it is given, an answer can also be the letter of an option, A for the first; the order may
differ from worker to worker. An item is a task with an instance and a message.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.concurrency import at_once
from unspoken.benchmarks.estimates import Row, attempt
from unspoken.benchmarks.sneak.analysis import COLUMNS
from unspoken.benchmarks.sneak.results import METRICS, averaged, worth
from unspoken.benchmarks.sneak.run import evaluate
from unspoken.benchmarks.sneak.store import Evaluation
from unspoken.benchmarks.tables import PERCENT, Column, Table
from unspoken.envs.sneak.instances import Instance
from unspoken.envs.sneak.interpreter import read_message
from unspoken.envs.sneak.menu import label
from unspoken.envs.sneak.rules import top_share
from unspoken.judges.listeners.base import Listener

COLUMNS_NEEDED = ("task", "instance", "message", "worker", "answer")
LISTENERS = ("ally", "chameleon")
TASKS = (*LISTENERS, "speaker")


class AnswersError(ValueError):
    """A file of answers that cannot be used; the message says where, what, and how to mend it."""


@dataclass(frozen=True)
class Answer:
    """One answer.

    Attributes:
        task: one of `TASKS`.
        instance: what it is about, with the words and decoys that were shown.
        message: the message that it is about; "" for the speaker.
        worker: who gave it.
        answer: the message or word that was chosen; the speaker's own message.
    """

    task: str
    instance: Instance
    message: str
    worker: str
    answer: str


@dataclass(frozen=True)
class Item:
    """The answers to one question.

    Attributes:
        task: "ally" or "chameleon".
        instance: what was shown.
        message: the message.
        votes: answers for each option, int64 [n]; options are in the order of evaluations: the
            message and the decoys, or the words.
        right: place of the right option.
        codes: each answer as the place of the option in alphabetical order: for Fleiss' kappa,
            to which it would matter if the right one always had the same place.
    """

    task: str
    instance: Instance
    message: str
    votes: tuple[int, ...]
    right: int
    codes: tuple[int, ...]

    @property
    def top(self) -> list[int]:
        """The options with most votes."""
        return [i for i, count in enumerate(self.votes) if count == max(self.votes)]

    @property
    def strict(self) -> bool:
        """Whether one option has more than half of the votes."""
        return 2 * max(self.votes) > sum(self.votes)


def read_answers(path: Path, instances: Sequence[Instance]) -> list[Answer]:
    """Read a file of answers.

    Args:
        path: a CSV in UTF-8; its columns are described in the module.
        instances: those that rows may name.

    Raises:
        AnswersError: if the file cannot be read, or a row is wrong; names the line and the value.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise AnswersError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise AnswersError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    known = {instance.id: instance for instance in instances}
    found: list[Answer] = []
    seen: set[tuple[str, ...]] = set()
    try:
        missing = [name for name in COLUMNS_NEEDED if name not in (reader.fieldnames or ())]
        if missing:
            raise AnswersError(
                f"{path} has no column {', '.join(missing)}; columns are "
                f"{', '.join(COLUMNS_NEEDED)} and, if wanted, options"
            )
        for row in reader:
            where = f"{path}, line {reader.line_num}"
            try:
                answer = _answer(row, known)
            except ValueError as error:
                raise AnswersError(f"{where}: {error}") from None
            key = answer.task, answer.instance.id, _plain(answer.message), answer.worker
            if key in seen:
                raise AnswersError(
                    f"{where}: worker {answer.worker!r} answers twice as {answer.task} on "
                    f"{answer.instance.id!r}; one answer a worker and item"
                )
            seen.add(key)
            found.append(answer)
    except csv.Error as error:
        raise AnswersError(f"{path}, line {reader.line_num + 1}: not CSV: {error}") from None
    if not found:
        raise AnswersError(f"{path} holds no answers")
    return found


def _answer(
    row: Mapping[str | None, str | list[str] | None], known: Mapping[str, Instance]
) -> Answer:
    if None in row or None in row.values():
        raise ValueError("has more or fewer fields than the header")
    cells = {str(name): " ".join(str(value).split()) for name, value in row.items()}
    task, id_, message = cells["task"].lower(), cells["instance"], cells["message"]
    if task not in TASKS:
        raise ValueError(f"task {cells['task']!r} is not one of {', '.join(TASKS)}")
    if id_ not in known:
        raise ValueError(
            f"there is no instance {id_!r}; write category/secret as in the categories"
        )
    for name in ("worker", "answer") if task == "speaker" else ("worker", "answer", "message"):
        if not cells[name]:
            raise ValueError(f"{name} is empty")
    instance = known[id_]
    if task == "speaker":
        return Answer(task, instance, "", cells["worker"], cells["answer"])
    shown = [part.strip() for part in cells.get("options", "").split("|") if part.strip()]
    right = message if task == "ally" else instance.secret
    if shown:
        if sum(_plain(option) == _plain(right) for option in shown) != 1:
            raise ValueError(f"{right!r} must be among the options once: {' | '.join(shown)}")
        if len(shown) < 2 or len({*map(_plain, shown)}) < len(shown):
            raise ValueError(f"options must be two at least, all different: {' | '.join(shown)}")
        others = [option for option in shown if _plain(option) != _plain(right)]
        instance = (
            replace(instance, decoys=_as_held(others, instance.decoys))
            if task == "ally"
            else replace(instance, words=_as_held([right, *others], instance.words))
        )
    elif task == "ally" and _plain(message) in map(_plain, instance.decoys):
        raise ValueError(
            f"message {message!r} is one of the decoys; give the options that were shown"
        )
    options = _options(task, instance, message)
    chosen = [option for option in options if _plain(option) == _plain(cells["answer"])]
    if not chosen and shown:
        lettered = {label(i): option for i, option in enumerate(shown)}
        letter = lettered.get(cells["answer"].strip("().").upper())
        chosen = [option for option in options if letter and _plain(option) == _plain(letter)]
    if not chosen:
        listed = " | ".join(shown or options)
        raise ValueError(f"answer {cells['answer']!r} is not one of the options: {listed}")
    return Answer(task, instance, message, cells["worker"], chosen[0])


def _as_held(shown: Sequence[str], held: Sequence[str]) -> tuple[str, ...]:
    """Options as an instance has them and in its order, others after them."""
    known = {_plain(option): option for option in held}
    texts = [known.get(_plain(option), option) for option in shown]
    return tuple(sorted(texts, key=lambda o: (held.index(o) if o in held else len(held), o)))


def _options(task: str, instance: Instance, message: str) -> tuple[str, ...]:
    return (message, *instance.decoys) if task == "ally" else instance.words


def _plain(text: str) -> str:
    return text.casefold()


def items(answers: Sequence[Answer]) -> list[Item]:
    """The answers of listeners, put together by what they are about.

    Raises:
        AnswersError: if the options of an item differ.
    """
    groups: dict[tuple[str, str, str], list[Answer]] = {}
    for answer in answers:
        if answer.task in LISTENERS:
            key = answer.task, answer.instance.id, _plain(answer.message)
            groups.setdefault(key, []).append(answer)
    found = []
    for (task, id_, _), group in groups.items():
        instance, message = group[0].instance, group[0].message
        if any(answer.instance != instance for answer in group):
            raise AnswersError(
                f"{task}, {id_!r}, message {message!r}: its rows have different options; an item "
                "has the same for all workers, in any order"
            )
        options = _options(task, instance, message)
        places = [[_plain(o) for o in options].index(_plain(a.answer)) for a in group]
        ranks = {option: rank for rank, option in enumerate(sorted(options, key=_plain))}
        found.append(
            Item(
                task,
                instance,
                message,
                tuple(places.count(i) for i in range(len(options))),
                0 if task == "ally" else options.index(instance.secret),
                tuple(ranks[options[place]] for place in places),
            )
        )
    return found


def human_tables(
    answers: Sequence[Answer], evaluators: Mapping[str, Listener], *, concurrency: int = 8
) -> list[Table]:
    """Every table that there are answers for.

    Args:
        answers: of people.
        evaluators: who they are set beside; none leaves those tables out.
        concurrency: items evaluated at once.
    """
    asked = items(answers)
    messages = [answer for answer in answers if answer.task == "speaker"]
    tables = []
    if asked:
        tables.append(accuracy(asked))
        if evaluators:
            questions = [(item.instance, item.message) for item in asked]
            tables.append(agreement(asked, _evaluated(evaluators, questions, concurrency)))
    if messages and evaluators:
        tables.append(best_messages(messages, evaluators, concurrency=concurrency))
    return tables


def accuracy(asked: Sequence[Item]) -> Table:
    """How well people do, and how far they agree (Table 6, B.2).

    Fleiss' kappa is over the places of the options in alphabetical order; it takes as many answers
    for every item. Krippendorff's alpha does not.
    """
    rows: list[Row] = []
    for task in LISTENERS:
        of_task = [item for item in asked if item.task == task]
        if not of_task:
            continue
        votes, sizes = sum(sum(i.votes) for i in of_task), {len(i.codes) for i in of_task}
        kappa = None
        if len(sizes) == 1 and min(sizes) > 1:
            places = range(max(len(item.votes) for item in of_task))
            kappa = st.fleiss_kappa([*zip(*(i.codes for i in of_task), strict=True)], places)
        coders = range(max(sizes))
        padded = [[i.codes[c] if c < len(i.codes) else None for i in of_task] for c in coders]
        rows.append(
            {
                "task": task,
                "items": len(of_task),
                "answers": votes,
                "worker": sum(i.votes[i.right] for i in of_task) / votes,
                "plurality": float(np.mean([top_share(i.votes, i.right) for i in of_task])),
                "chance": float(np.mean([1 / len(i.votes) for i in of_task])),
                "kappa": kappa,
                "alpha": st.krippendorff_alpha(padded),
            }
        )
    columns = [
        Column("task", "task", left=True),
        Column("items", "items"),
        Column("answers", "answers"),
        Column("worker", "workers right", PERCENT),
        Column("plurality", "plurality right", PERCENT),
        Column("chance", "chance", PERCENT),
        Column("kappa", "Fleiss' κ", "{:.2f}"),
        Column("alpha", "Krippendorff's alpha", "{:.2f}"),
    ]
    title = "People as listeners (SNEAK Table 6); ties of a plurality count fractionally"
    return Table("people", title, columns, rows)


def agreement(asked: Sequence[Item], evaluations: Sequence[Mapping[str, Evaluation]]) -> Table:
    """How far evaluators, and the mean of their distributions, agree with people (Table 7, B.3).

    Args:
        asked: the items.
        evaluations: of each item, by evaluator.
    """
    rows: list[Row] = []
    names = list(dict.fromkeys(name for of_item in evaluations for name in of_item))
    for task in LISTENERS:
        for name in ["average", *names] if len(names) > 1 else names:
            pairs = [
                (item, p)
                for item, of_item in zip(asked, evaluations, strict=True)
                if item.task == task and (p := _of(task, name, of_item)) is not None
            ]
            if not pairs:
                continue
            agree = [_same(item, p) for item, p in pairs]
            strict = [a for (item, _), a in zip(pairs, agree, strict=True) if item.strict]
            shares = [item.votes[item.right] / sum(item.votes) for item, _ in pairs]
            r = attempt(st.pearson, shares, [float(p[item.right]) for item, p in pairs])
            rows.append(
                {
                    "task": task,
                    "evaluator": name,
                    "items": len(pairs),
                    "top": float(np.mean(agree)),
                    "strict_items": len(strict),
                    "strict": float(np.mean(strict)) if strict else None,
                    "r": r and r.value,
                    "p": r and r.p,
                }
            )
    columns = [
        Column("task", "task", left=True),
        Column("evaluator", "evaluator", left=True),
        Column("items", "items"),
        Column("top", "agree with the plurality", PERCENT),
        Column("strict_items", "with a strict majority"),
        Column("strict", "agree with it", PERCENT),
        Column("r", "r of vote share", "{:.2f}"),
        Column("p", "p", "{:.2g}"),
    ]
    title = (
        "Evaluators beside people (SNEAK Table 7); r: share of votes for the right answer, and "
        "its probability"
    )
    return Table("agreement", title, columns, rows)


def best_messages(
    messages: Sequence[Answer], evaluators: Mapping[str, Listener], *, concurrency: int = 8
) -> Table:
    """People's messages: all, and the best of each instance by SoftScore (Table 5, B.1).

    Averaged over the evaluators; a message that the rules refuse is worth 0.
    """
    read = [read_message(answer.answer, answer.instance) for answer in messages]
    fine = [n for n, reading in enumerate(read) if not reading.rule]
    questions = [(messages[n].instance, read[n].message) for n in fine]
    found = _evaluated(evaluators, questions, concurrency)
    values = np.zeros((len(messages), len(evaluators), len(METRICS)))
    for n, of_message in zip(fine, found, strict=True):
        instance = messages[n].instance
        for e, evaluation in enumerate(of_message.values()):
            failed = bool(evaluation.reason)
            secret = instance.words.index(instance.secret)
            values[n, e] = np.nan if failed else worth(evaluation, secret)
    means = averaged(values, over=1)
    known = np.flatnonzero(~np.isnan(means).any(axis=1))
    soft = METRICS.index("soft")
    best: dict[str, int] = {}
    for n in known.tolist():
        id_ = messages[n].instance.id
        if id_ not in best or means[n, soft] > means[best[id_], soft]:
            best[id_] = n
    rows: list[Row] = [
        {
            "source": source,
            "messages": len(taken),
            "refused": sum(bool(read[n].rule) for n in taken),
            **dict(zip(METRICS, means[taken].mean(axis=0).tolist(), strict=True)),
        }
        for source, taken in (
            ("all", known.tolist()),
            ("best of each instance", list(best.values())),
        )
        if taken
    ]
    columns = [
        Column("source", "people's messages", left=True),
        Column("messages", "messages"),
        Column("refused", "refused"),
        *COLUMNS,
    ]
    return Table("people_speaking", "People as speakers (SNEAK Table 5)", columns, rows)


def _evaluated(
    evaluators: Mapping[str, Listener], questions: Sequence[tuple[Instance, str]], concurrency: int
) -> list[dict[str, Evaluation]]:
    found: list[dict[str, Evaluation]] = [{} for _ in questions]

    async def work(n: int) -> None:
        found[n], _ = await evaluate(evaluators, *questions[n])

    at_once(work, range(len(questions)), concurrency)
    return found


def _of(task: str, name: str, of_item: Mapping[str, Evaluation]) -> st.Floats | None:
    """An evaluator's distribution, or the mean of all; None if there is none."""
    wanted = of_item.values() if name == "average" else [of_item[name]]
    given = [getattr(evaluation, task) for evaluation in wanted if not evaluation.reason]
    return np.mean(given, axis=0) if given else None


def _same(item: Item, p: st.Floats) -> float:
    """Whether people and an evaluator put the same option first; ties count fractionally."""
    return float(np.mean([top_share(p, place) for place in item.top]))
