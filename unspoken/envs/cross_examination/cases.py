"""The cases of the cross-examination game, read from files.

The format is described in `unspoken/data/cross_examination/README.md`.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

import unspoken.data

DEFAULT = Path(unspoken.data.__path__[0]) / "cross_examination"

Bearing = Literal["helps", "hurts", "neutral"]
Kind = Literal["implies", "excludes"]
Content = Literal["affirm", "deny", "partial", "none"]
Manner = Literal["clear", "vague", "off_point", "hedged"]
Manners = Mapping[Content, Mapping[Manner, str]]

BEARINGS: tuple[Bearing, ...] = get_args(Bearing)
KINDS: tuple[Kind, ...] = get_args(Kind)
CONTENTS: tuple[Content, ...] = get_args(Content)
MANNERS: tuple[Manner, ...] = get_args(Manner)

CLAUSES: dict[Content, str] = {"affirm": "yes", "deny": "no", "partial": "part"}
"""The clause of a fact that an answer of each content says."""

SAID: Manners = {
    "affirm": {
        "clear": "Yes, {yes}.",
        "vague": "In a manner of speaking, {yes}.",
        "off_point": "{aside} As for your question, {yes}.",
        "hedged": "As far as I remember, {yes}.",
    },
    "deny": {
        "clear": "No, {no}.",
        "vague": "In a manner of speaking, {no}.",
        "off_point": "{aside} As for your question, {no}.",
        "hedged": "As far as I remember, {no}.",
    },
    "partial": {
        "clear": "What I can say is this: {part}.",
        "vague": "In a manner of speaking, {part}.",
        "off_point": "{aside} As for your question, {part}.",
        "hedged": "As far as I remember, {part}.",
    },
    "none": {
        "clear": "I will not answer that.",
        "vague": "Things like that are never as simple as they look.",
        "off_point": "{aside}",
        "hedged": "I do not remember, and I would not want to guess.",
    },
}
"""How answers are said where the case has no words of its own."""

_HELPFUL: dict[Bearing, bool | None] = {"helps": True, "hurts": False, "neutral": None}
_SLOT = re.compile(r"\{(.*?)\}")
_NAME = re.compile(r"[a-z0-9_]+")


class CaseError(ValueError):
    """A case file that the game cannot use; the message says where, what, and how to mend it."""


class Stance(NamedTuple):
    """A commitment to a fact or to its contrary.

    Attributes:
        fact: its place in the case.
        value: True for the fact, False for its contrary.
    """

    fact: int
    value: bool

    @property
    def place(self) -> int:
        """Its place among the 2F stances of a case: 2 * fact + value."""
        return 2 * self.fact + self.value

    @property
    def contrary(self) -> Stance:
        """The other one on the same fact."""
        return Stance(self.fact, not self.value)


@dataclass(frozen=True, slots=True)
class Topic:
    """What several facts are about.

    Attributes:
        id: short name, unique in its case.
        name: a noun phrase.
        aside: what a witness says who is asked about it and talks of something else; a sentence.
    """

    id: str
    name: str
    aside: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence that can be affirmed or denied, and how the players' moves speak of it.

    Attributes:
        id: short name, unique in its case.
        topic: id of its topic.
        statement: the fact, a declarative sentence without its full stop.
        bearing: what it does for the witness's goal when it is affirmed.
        open: a question that does not say whether the fact is so.
        leading: a question that puts the fact; a yes affirms it.
        yes: the witness affirms it: a clause that can follow "Yes, ".
        no: the witness denies it: a clause that can follow "No, ".
        part: it says something about it that leaves it open; "" for none.
        known: whether everybody knows from the start that it is so.
    """

    id: str
    topic: str
    statement: str
    bearing: Bearing
    open: str
    leading: str
    yes: str
    no: str
    part: str = ""
    known: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """What two facts have to do with each other.

    Attributes:
        kind: "implies" (the second holds where the first does) or "excludes" (not both hold).
        facts: ids of the two.
        why: a sentence that says so.
    """

    kind: Kind
    facts: tuple[str, str]
    why: str


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A thing that proves a fact or its contrary.

    Attributes:
        name: a noun phrase.
        text: what it shows, a clause that can follow its name and a colon.
        proof: the stance that it proves, which is the truth.
    """

    name: str
    text: str
    proof: Stance


@dataclass(frozen=True, slots=True, repr=False)
class Case:
    """A case: what everybody knows of it, and what is hidden.

    Attributes:
        id: the file's name without its ending.
        title: a few words.
        charge: what it is about, told to both sides.
        witness: who testifies, a noun phrase.
        goal: what the witness wants of the jury, a clause that can follow "that".
        topics: in file order.
        facts: F of them, in file order.
        links: in file order.
        conflicts: which stances contradict each other, by links or as contraries; bool [2F, 2F] by
            their places, read-only.
        manners: how answers are said, with slots for the fact's clause and the topic's aside.
        truth: which facts are so, F truth values; hidden.
        exhibits: what can be held by the questioner; hidden.
    """

    id: str
    title: str
    charge: str
    witness: str
    goal: str
    topics: tuple[Topic, ...]
    facts: tuple[Fact, ...]
    links: tuple[Link, ...]
    conflicts: NDArray[np.bool_] = field(compare=False)  # follows from the links
    manners: Manners = field(hash=False)
    truth: tuple[bool, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()

    def __repr__(self) -> str:
        return f"Case({self.title!r})"  # with nothing that is hidden

    def __deepcopy__(self, memo: dict[int, Any]) -> Case:
        return self  # nothing in it changes, and games are copied by the thousand

    @property
    def public(self) -> Case:
        """The case without its id and without what is hidden, as both players are given it."""
        return replace(self, id="", truth=(), exhibits=())

    def index(self, fact: str) -> int:
        """The place of a fact, by its id."""
        return next(i for i, held in enumerate(self.facts) if held.id == fact)

    def topic(self, fact: int) -> Topic:
        """The topic of a fact, by its place."""
        return next(topic for topic in self.topics if topic.id == self.facts[fact].topic)

    def contradict(self, one: Stance, other: Stance) -> bool:
        """Whether two stances cannot both hold."""
        return bool(self.conflicts[one.place, other.place])

    def helpful(self, fact: int) -> bool | None:
        """The value of a fact that helps the witness; None for a neutral one."""
        return _HELPFUL[self.facts[fact].bearing]


@cache
def files(case: str | Path | None) -> Path:
    """The file, or the folder of files, that the option `case` names: all of the package's if None.

    Raises:
        ValueError: if it is no case of the package and no path.
    """
    if case is None:
        return DEFAULT
    if not isinstance(case, str | os.PathLike):
        raise ValueError(f"case={case!r}: a case of the package, or the path of a file or folder")
    own = DEFAULT / f"{case}.toml"
    return own if own.exists() else Path(case)


def load(path: Path) -> Case:
    """Read the case of a file.

    Raises:
        CaseError: if the file is missing or wrong; names the file, the entry and the mistake.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise CaseError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CaseError(f"{path} is not UTF-8 text: save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise CaseError(f"{path} is not valid TOML: {error}") from None
    try:
        return _case(path.stem, data)
    except CaseError as error:
        raise CaseError(f"{path}: {error}") from None


@cache
def load_all(path: Path = DEFAULT) -> tuple[Case, ...]:
    """Read the case of a file, or those of a folder in alphabetical order.

    Raises:
        CaseError: if there is none, or one is wrong.
    """
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    if not files:
        raise CaseError(f"{path} holds no case: a case is a file whose name ends with .toml")
    return tuple(map(load, files))


# Reading, step by step; each problem is raised as "entry: mistake; mend" ------------------------


def _case(id_: str, data: dict[str, Any]) -> Case:
    tables = ("topic", "fact", "link", "exhibit")
    head = {key: value for key, value in data.items() if key not in (*tables, "manners")}
    _check_keys("the file's head", head, ("title", "charge", "witness", "goal"), ())
    for key in head:
        _text("the file's head", key, head[key])
    entries = {key: _entries(key, data.get(key, [])) for key in tables}
    topics = tuple(
        Topic(**_texts(name, e, ("id", "name", "aside"))) for name, e in entries["topic"]
    )
    _unique("topic", "id", [topic.id for topic in topics])
    facts, truth = _facts(entries["fact"], {topic.id for topic in topics})
    ids = [fact.id for fact in facts]
    links = tuple(_link(name, entry, ids) for name, entry in entries["link"])
    conflicts = _conflicts(facts, links)
    exhibits = tuple(_exhibit(name, entry, ids, truth) for name, entry in entries["exhibit"])
    _unique("exhibit", "name", [exhibit.name for exhibit in exhibits])
    manners = _manners(data.get("manners", {}))
    case = Case(
        id=id_,
        **head,
        topics=topics,
        facts=facts,
        links=links,
        conflicts=conflicts,
        manners=manners,
        truth=truth,
        exhibits=exhibits,
    )
    _check_whole(case)
    return case


def _entries(key: str, tables: Any) -> list[tuple[str, dict[str, Any]]]:
    """The tables of a kind, each with how a message names it."""
    if not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        raise CaseError(f"{key} must be written as [[{key}]] tables")
    named = []
    for number, table in enumerate(tables, 1):
        own = table.get("id", table.get("name"))
        named.append((f"{key} {own!r}" if own else f"{key} number {number}", table))
    return named


def _facts(
    entries: Sequence[tuple[str, dict[str, Any]]], topics: set[str]
) -> tuple[tuple[Fact, ...], tuple[bool, ...]]:
    optional = {"part", "known"}
    needed = tuple(key.name for key in fields(Fact) if key.name not in optional)
    facts, truth = [], []
    for name, entry in entries:
        _check_keys(name, entry, (*needed, "truth"), tuple(optional))
        flags = {"truth": entry["truth"], "known": entry.get("known", False)}
        for key, flag in flags.items():
            if not isinstance(flag, bool):
                raise CaseError(f"{name}: {key} is {flag!r}; write true or false")
        texts = {key: value for key, value in entry.items() if key not in flags}
        for key, value in texts.items():
            _text(name, key, value)
        if not _NAME.fullmatch(entry["id"]):
            raise CaseError(f"{name}: an id is made of a-z, 0-9 and _ only")
        _one_of(name, "topic", entry["topic"], sorted(topics), "add the [[topic]] or mend its id")
        _one_of(name, "bearing", entry["bearing"], BEARINGS, "write one of them")
        for key in ("open", "leading"):
            if not entry[key].endswith("?"):
                raise CaseError(f"{name}: {key} is no question; end it with a question mark")
        for key in ("statement", "yes", "no", "part"):
            if entry.get(key, "").endswith((".", "?", "!")):
                raise CaseError(f"{name}: {key} ends with a stop; the game sets it, leave it out")
        if flags["known"] and not flags["truth"]:
            raise CaseError(f"{name}: known, but its truth is false; only what is so can be known")
        facts.append(Fact(**texts, known=flags["known"]))
        truth.append(flags["truth"])
    _unique("fact", "id", [fact.id for fact in facts])
    for keys in (("open", "leading"), ("statement",), ("yes", "no", "part")):
        texts_of = [getattr(fact, key) for fact in facts for key in keys]
        _unique("fact", " or ".join(keys), [text for text in texts_of if text])
    return tuple(facts), tuple(truth)


def _link(name: str, entry: dict[str, Any], ids: Sequence[str]) -> Link:
    _check_keys(name, entry, ("kind", "facts", "why"), ())
    _one_of(name, "kind", entry["kind"], KINDS, "write one of them")
    _text(name, "why", entry["why"])
    pair = entry["facts"]
    if not isinstance(pair, list) or len(pair) != 2 or pair[0] == pair[1]:
        raise CaseError(f"{name}: facts is {pair!r}; name two different facts, by their ids")
    for id_ in pair:
        _one_of(name, "facts", id_, ids, "add the [[fact]] or mend its id")
    return Link(entry["kind"], (pair[0], pair[1]), entry["why"])


def _exhibit(
    name: str, entry: dict[str, Any], ids: Sequence[str], truth: Sequence[bool]
) -> Exhibit:
    texts = _texts(name, entry, ("name", "text", "proves"))
    _one_of(name, "proves", texts["proves"], ids, "add the [[fact]] or mend its id")
    fact = ids.index(texts["proves"])
    return Exhibit(texts["name"], texts["text"], Stance(fact, truth[fact]))


def _manners(table: Any) -> Manners:
    if not isinstance(table, dict):
        raise CaseError("manners must be written as [manners.affirm] and so on")
    manners = {content: dict(SAID[content]) for content in CONTENTS}
    for content, sentences in table.items():
        _one_of("manners", "a content", content, CONTENTS, "name one of them")
        name = f"manners.{content}"
        if not isinstance(sentences, dict):
            raise CaseError(f"{name} must be a table of sentences, one a manner")
        for manner, sentence in sentences.items():
            _one_of(name, "a manner", manner, MANNERS, "name one of them")
            _text(name, manner, sentence)
            wanted = [CLAUSES[content]] if content in CLAUSES else []
            wanted += ["aside"] if manner == "off_point" else []
            braces = set("{}") & set(_SLOT.sub("", sentence))
            if braces or sorted(_SLOT.findall(sentence)) != sorted(wanted):
                slots = " and ".join(f"{{{slot}}}" for slot in wanted) or "no slot"
                raise CaseError(
                    f"{name}: {manner} must hold {slots} and no other braces: {sentence!r}"
                )
            manners[content][manner] = sentence
    said = [sentence for sentences in manners.values() for sentence in sentences.values()]
    _unique("manners", "sentence", said)
    return manners


def _conflicts(facts: Sequence[Fact], links: Iterable[Link]) -> NDArray[np.bool_]:
    """Which stances contradict each other, through any number of links."""
    places = {fact.id: i for i, fact in enumerate(facts)}
    follows = np.eye(2 * len(facts), dtype=np.bool_)  # from row to column
    for link in links:
        first, second = (places[id_] for id_ in link.facts)
        cause, effect = Stance(first, True), Stance(second, link.kind == "implies")
        follows[cause.place, effect.place] = True
        follows[effect.contrary.place, cause.contrary.place] = True
    for middle in range(len(follows)):  # Warshall's closure
        follows |= np.outer(follows[:, middle], follows[middle])
    contraries = np.arange(len(follows)) ^ 1
    conflicts = follows[:, contraries]
    for place in range(len(conflicts)):
        if conflicts[place, place]:
            says = "so" if place % 2 else "not so"
            raise CaseError(
                f"fact {facts[place // 2].id!r}: by the links it can never be {says}; "
                "take one of its links away"
            )
    conflicts.setflags(write=False)
    return conflicts


def _check_whole(case: Case) -> None:
    """What only the whole case shows: whether it is consistent, and a game."""
    for bearing in BEARINGS:
        if not any(fact.bearing == bearing for fact in case.facts):
            raise CaseError(f"no fact has the bearing {bearing!r}; a case needs facts of all three")
    for topic in case.topics:
        if not any(fact.topic == topic.id for fact in case.facts):
            raise CaseError(f"topic {topic.id!r} has no fact; add one or take it away")
    facts = range(len(case.facts))
    for link in case.links:
        one, other = (case.index(id_) for id_ in link.facts)
        if case.truth[one] and case.truth[other] != (link.kind == "implies"):
            raise CaseError(
                f"link {list(link.facts)}: {link.kind}, but {link.facts[0]!r} is true and "
                f"{link.facts[1]!r} is {str(case.truth[other]).lower()}; mend a truth or the link"
            )
    told = [Stance(i, value) for i in facts if (value := case.helpful(i)) is not None]
    if not any(case.contradict(one, other) for one in told for other in told):
        raise CaseError(
            "a witness that says only what helps is never inconsistent; link a fact that helps "
            "with one that hurts ('implies'), or two that help ('excludes')"
        )
    proofs = [exhibit.proof for exhibit in case.exhibits]
    if not any(case.helpful(proof.fact) is (not proof.value) for proof in proofs):
        raise CaseError(
            "no exhibit tells against the witness; add one that proves a fact that hurts, or the "
            "contrary of one that helps"
        )


# Checks of one entry ---------------------------------------------------------------------------


def _check_keys(
    name: str, entry: Mapping[str, Any], needed: Sequence[str], optional: Sequence[str]
) -> None:
    for key in needed:
        if key not in entry:
            raise CaseError(f"{name} has no {key!r}; add it")
    for key in entry:
        if key not in needed and key not in optional:
            keys = ", ".join([*needed, *sorted(optional)])
            raise CaseError(f"{name} has an unknown key {key!r}; its keys are {keys}")


def _texts(name: str, entry: dict[str, Any], keys: Sequence[str]) -> dict[str, str]:
    _check_keys(name, entry, keys, ())
    return {key: _text(name, key, entry[key]) for key in keys}


def _text(name: str, key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or value != " ".join(value.split()):
        raise CaseError(f"{name}: {key} is {value!r}; write a text on one line, singly spaced")
    if key not in MANNERS and set("{}") & set(value):
        raise CaseError(f"{name}: {key} holds braces: {value!r}; leave them out")
    return value


def _one_of(name: str, key: str, value: Any, allowed: Sequence[str], mend: str) -> None:
    if value not in allowed:
        raise CaseError(f"{name}: {key} is {value!r}, not one of {list(allowed)}; {mend}")


def _unique(name: str, key: str, values: Sequence[str]) -> None:
    for twice in _repeated(values):
        raise CaseError(f"{name}: the {key} {twice!r} stands twice; each only once")


def _repeated(values: Sequence[str]) -> Iterator[str]:
    seen: set[str] = set()
    for value in values:
        if value.casefold() in seen:
            yield value
        seen.add(value.casefold())
