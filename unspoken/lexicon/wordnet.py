"""WordNet 3.0: senses of words, relations between them, and how similar two senses are.

The table is `unspoken/data/wordnet/wordnet.npz`, read on first use. Words are written with spaces,
as in "ice cream"; case, accents, underscores and hyphens do not matter when one is looked up.
"""

from __future__ import annotations

import unicodedata
from collections import deque
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import unspoken.data

PATH = Path(unspoken.data.__path__[0]) / "wordnet" / "wordnet.npz"

POS = "nvar"
"""Parts of speech: noun, verb, adjective, adverb."""
_POS_OF = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}

LEXFILES = (
    *("adj.all", "adj.pert", "adv.all", "noun.Tops", "noun.act", "noun.animal", "noun.artifact"),
    *("noun.attribute", "noun.body", "noun.cognition", "noun.communication", "noun.event"),
    *("noun.feeling", "noun.food", "noun.group", "noun.location", "noun.motive", "noun.object"),
    *("noun.person", "noun.phenomenon", "noun.plant", "noun.possession", "noun.process"),
    *("noun.quantity", "noun.relation", "noun.shape", "noun.state", "noun.substance", "noun.time"),
    *("verb.body", "verb.change", "verb.cognition", "verb.communication", "verb.competition"),
    *("verb.consumption", "verb.contact", "verb.creation", "verb.emotion", "verb.motion"),
    *("verb.perception", "verb.possession", "verb.social", "verb.stative", "verb.weather"),
    "adj.ppl",
)
"""The lexicographer files: rough topics; every synset belongs to one."""

SYNSET_RELATIONS = {
    "hypernym": "broader concepts",
    "instance_hypernym": "what a named thing is an instance of",
    "member_holonym": "groups it belongs to",
    "substance_holonym": "what it is the substance of",
    "part_holonym": "what it is a part of",
    "similar": "adjectives of nearly the same meaning",
    "attribute": "the noun that an adjective is a value of, or the values of a noun",
    "also": "see also",
    "verb_group": "verbs of nearly the same meaning",
    "entailment": "what doing it entails",
    "cause": "what it causes",
    "topic": "the topic it belongs to",
    "region": "the region it belongs to",
    "usage": "the way it is used, as slang or trademark",
}
SENSE_RELATIONS = {
    "antonym": "opposites",
    "derivation": "other words of the same stem",
    "pertainym": "the noun that an adjective pertains to, the adjective that an adverb is made of",
    "participle": "the verb that an adjective is the participle of",
}
INVERSES = {
    "hyponym": "hypernym",
    "instance_hyponym": "instance_hypernym",
    "member_meronym": "member_holonym",
    "substance_meronym": "substance_holonym",
    "part_meronym": "part_holonym",
    "in_topic": "topic",
    "in_region": "region",
    "in_usage": "usage",
    "pertained": "pertainym",
    "participle_of": "participle",
}
"""Relations that are another one the other way round."""
_SYMMETRIC = {"similar", "attribute", "verb_group", "antonym", "derivation"}

_ENDINGS = {
    "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}
"""What WordNet's own morphology takes off a form, and what it puts there instead."""


class _Table:
    """The arrays of the file, decoded. A sense is one word of one synset.

    Attributes:
        sense_word: the word of each sense, int32 [senses].
        sense_synset: the synset of each sense, int32 [senses].
        first: the first sense of each synset, and the end, int32 [synsets + 1].
        rank: place of the sense among those of its word, 1 for the first, uint8 [senses].
        count: how often the sense was met in tagged text, uint16 [senses].
        lexfile: index into `LEXFILES`, uint8 [synsets].
        satellite: whether an adjective belongs to a cluster round another, bool [synsets].
    """

    def __init__(self) -> None:
        with np.load(PATH) as file:
            text = file["words"]
            bits = file["new_lemma"]
            self.lexfile = file["lexfile"]
            self.satellite = np.unpackbits(file["satellite"], count=len(self.lexfile)).astype(bool)
            size = file["size"]
            self.sense_word = file["sense_word"]
            self.rank = file["sense_rank"]
            self.count = file["sense_count"]
        # Words stay one text: strings of all of them take longer to make than the rest.
        self._text: str = text.tobytes().decode("ascii")
        self._end = np.append(np.flatnonzero(text == ord("\n")), len(text))
        new = np.unpackbits(bits, count=len(self._end))
        lemmas = list(compress(self._text.lower().split("\n"), new))
        self._number = dict(zip(lemmas, range(len(lemmas)), strict=True))
        self.first = _starts(size)
        self.sense_synset = np.repeat(np.arange(len(size), dtype=np.int32), size)
        lemma = (np.cumsum(new, dtype=np.int32) - 1)[self.sense_word]
        pos = np.array([POS.index(_POS_OF[name.partition(".")[0]]) for name in LEXFILES], np.int32)
        key = (lemma * len(POS) + pos[self.lexfile[self.sense_synset]]) * 128 + self.rank
        self._by_lemma = np.argsort(key, kind="stable").astype(np.int32)
        self._start = _starts(np.bincount(lemma))

    def word(self, number: int) -> str:
        """A word as it is written."""
        start = self._end[number - 1] + 1 if number else 0
        return self._text[start : self._end[number]]

    def senses(self, lemma: str) -> list[int]:
        """The senses of a word in lower case, nouns first, then in the order of their ranks."""
        number = self._number.get(lemma)
        if number is None:
            return []
        start, end = self._start[number : number + 2]
        senses: list[int] = self._by_lemma[start:end].tolist()
        return senses


def _starts(size: NDArray[np.integer]) -> NDArray[np.int32]:
    """Where groups of these sizes start, and where the last one ends."""
    start = np.zeros(len(size) + 1, np.int32)
    np.cumsum(size, out=start[1:])
    return start


@cache
def _table() -> _Table:
    return _Table()


@cache
def _links(relation: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where the links of each synset or sense start, [n + 1], and what they lead to, [links]."""
    stored = INVERSES.get(relation, relation)
    if stored not in SYNSET_RELATIONS and stored not in SENSE_RELATIONS:
        known = ", ".join([*SYNSET_RELATIONS, *SENSE_RELATIONS, *INVERSES])
        raise WordNetError(f"no relation {relation!r}; relations are {known}")
    with np.load(PATH) as file:
        source = np.cumsum(file[f"{stored}_source"], dtype=np.int32)
        target = source + file[f"{stored}_target"]
    if stored in _SYMMETRIC:
        source, target = np.concatenate([source, target]), np.concatenate([target, source])
    elif stored != relation:
        source, target = target, source
    order = np.lexsort((target, source))
    table = _table()
    n = len(table.lexfile) if stored in SYNSET_RELATIONS else len(table.sense_word)
    return _starts(np.bincount(source, minlength=n)), target[order]


def _follow(number: int, relation: str) -> list[int]:
    start, target = _links(relation)
    found: list[int] = target[start[number] : start[number + 1]].tolist()
    return found


class WordNetError(ValueError):
    """A name of a synset, relation or part of speech that WordNet does not have."""


@dataclass(frozen=True, slots=True, order=True)
class Synset:
    """A set of words with one meaning.

    Attributes:
        id: its number in the table.
    """

    id: int

    def __repr__(self) -> str:
        return f"Synset({self.name})"

    @property
    def senses(self) -> tuple[Sense, ...]:
        """Its words, most typical first."""
        first = _table().first
        return tuple(Sense(i) for i in range(first[self.id], first[self.id + 1]))

    @property
    def words(self) -> tuple[str, ...]:
        """Its words as they are written, most typical first."""
        return tuple(sense.word for sense in self.senses)

    @property
    def name(self) -> str:
        """First word, part of speech (s: satellite adjective) and rank: "dog.n.01"."""
        first = self.senses[0]
        pos = "s" if _table().satellite[self.id] else self.pos
        return f"{first.word.lower().replace(' ', '_')}.{pos}.{first.rank:02d}"

    @property
    def lexfile(self) -> str:
        """Its rough topic, one of `LEXFILES`: "noun.animal"."""
        return LEXFILES[_table().lexfile[self.id]]

    @property
    def pos(self) -> str:
        """Its part of speech, one of `POS`."""
        return _POS_OF[self.lexfile.partition(".")[0]]

    @property
    def count(self) -> int:
        """How often it was met in tagged text, in any of its words."""
        return sum(sense.count for sense in self.senses)

    def related(self, relation: str) -> tuple[Synset, ...]:
        """The synsets that a relation leads to, in the order of the database.

        Args:
            relation: a key of `SYNSET_RELATIONS`, `SENSE_RELATIONS` (then from any of its words)
                or `INVERSES`.

        Raises:
            WordNetError: if there is no such relation.
        """
        if INVERSES.get(relation, relation) in SENSE_RELATIONS:
            found = {other.synset for sense in self.senses for other in sense.related(relation)}
            return tuple(sorted(found))
        return tuple(map(Synset, _follow(self.id, relation)))

    @property
    def keywords(self) -> tuple[str, ...]:
        """The familiar content words of a noun's definition, as lemmas; none for other synsets."""
        vocabulary, start, number = _keywords()
        if self.pos != "n":
            return ()
        return tuple(vocabulary[i] for i in number[start[self.id] : start[self.id + 1]])

    @property
    def specificity(self) -> float:
        """-ln of the share of all nouns that a noun stands above, itself included; 0 at the root.

        Seco, Veale and Hayes' intrinsic information content in another unit; a noun that can be
        reached by several ways counts several times, so it is an estimate for the broadest ones.

        Raises:
            WordNetError: if it is no noun.
        """
        if self.pos != "n":
            raise WordNetError(f"{self.name} is no noun; only nouns have one hierarchy")
        return float(_specificity()[self.id])

    def ancestors(self) -> dict[Synset, int]:
        """Everything above it and itself, nearest first, with the fewest steps to each."""
        return {Synset(number): steps for number, steps in _ancestors(self.id).items()}

    def hypernym_paths(self) -> tuple[tuple[Synset, ...], ...]:
        """Every way down from a root to it."""
        above = [Synset(number) for number in _parents(self.id)]
        return tuple((*path, self) for up in above for path in up.hypernym_paths()) or ((self,),)

    @property
    def min_depth(self) -> int:
        """Steps to the root by the shortest way."""
        return _depth(self.id)[0]

    @property
    def max_depth(self) -> int:
        """Steps to the root by the longest way."""
        return _depth(self.id)[1]


@dataclass(frozen=True, slots=True, order=True)
class Sense:
    """One word in one of its meanings.

    Attributes:
        id: its number in the table.
    """

    id: int

    def __repr__(self) -> str:
        return f"Sense({self.word!r}, {self.synset.name})"

    @property
    def word(self) -> str:
        """The word as it is written, with spaces."""
        table = _table()
        return table.word(int(table.sense_word[self.id]))

    @property
    def synset(self) -> Synset:
        """The meaning."""
        return Synset(int(_table().sense_synset[self.id]))

    @property
    def rank(self) -> int:
        """Place among the senses of the word in that part of speech; 1 is the most common."""
        return int(_table().rank[self.id])

    @property
    def count(self) -> int:
        """How often the word was met in this meaning in tagged text."""
        return int(_table().count[self.id])

    @property
    def scientific(self) -> bool:
        """Whether it is the Latin name of a group of animals or plants."""
        kind = self.synset.lexfile in ("noun.animal", "noun.plant")
        return kind and not self.word[0].islower()

    def related(self, relation: str) -> tuple[Sense, ...]:
        """The senses that a relation of `SENSE_RELATIONS`, or its inverse, leads to.

        Raises:
            WordNetError: if there is no such relation between senses.
        """
        if INVERSES.get(relation, relation) not in SENSE_RELATIONS:
            known = ", ".join(SENSE_RELATIONS)
            raise WordNetError(f"no relation {relation!r} between words; relations are {known}")
        return tuple(map(Sense, _follow(self.id, relation)))


@cache
def _keywords() -> tuple[list[str], NDArray[np.int32], NDArray[np.uint16]]:
    """All keywords; where those of each noun start; their numbers."""
    with np.load(PATH) as file:
        vocabulary = file["keywords"].tobytes().decode("ascii").split("\n")
        size, number = file["keyword_size"], file["keyword"]
    return vocabulary, _starts(size), number


@lru_cache(maxsize=1 << 14)
def keyword_specificity(keyword: str) -> float:
    """Minus ln of the share of all nouns that a keyword is used to define.

    Raises:
        WordNetError: if it is no keyword.
    """
    number, used = _usage()
    if keyword not in number:
        raise WordNetError(f"no keyword {keyword!r}; `Synset.keywords` gives those there are")
    return float(np.log((len(_keywords()[1]) - 1) / used[:, number[keyword]].sum()))


@lru_cache(maxsize=1 << 14)
def keyword_typicality(keyword: str, lexfile: str) -> float:
    """How typical a keyword is of the nouns of a lexicographer file.

    1 if it defines no others, 0 if it is as common there as anywhere or rarer: the positive part
    of pointwise mutual information over the most that it can be.

    Raises:
        WordNetError: if it is no keyword, or it is no file of nouns.
    """
    number, used = _usage()
    if keyword not in number or not lexfile.startswith("noun.") or lexfile not in LEXFILES:
        raise WordNetError(f"no keyword {keyword!r} or no noun file {lexfile!r}")
    row = LEXFILES.index(lexfile)
    of_file = _table().lexfile == row
    share = used[row, number[keyword]] / used[:, number[keyword]].sum()
    base = of_file.sum() / (len(_keywords()[1]) - 1)
    return float(np.log(max(share, base) / base) / np.log(1 / base))


@cache
def _usage() -> tuple[dict[str, int], NDArray[np.float64]]:
    """The number of each keyword, and how many nouns of each file it defines, [files, keywords]."""
    vocabulary, start, number = _keywords()
    lexfile = _table().lexfile[: len(start) - 1]
    used = np.zeros((len(LEXFILES), len(vocabulary)))
    np.add.at(used, (np.repeat(lexfile, np.diff(start)), number), 1)
    return {word: i for i, word in enumerate(vocabulary)}, used


@cache
def _specificity() -> NDArray[np.float64]:
    """Of all synsets, float64 [synsets]."""
    table = _table()
    noun = np.array([name.startswith("noun") for name in LEXFILES])[table.lexfile]
    below = noun.astype(np.float64)
    links = [_links(relation) for relation in ("hypernym", "instance_hypernym")]
    number = np.arange(len(below))
    child = np.concatenate([np.repeat(number, np.diff(start)) for start, _ in links])
    parent = np.concatenate([target for _, target in links])
    level = below.copy()
    while level.any():  # one step up a round: what stands n steps below each
        reached = np.zeros_like(below)
        np.add.at(reached, parent, level[child])
        below += reached
        level = reached
    share: NDArray[np.float64] = np.maximum(below, 1) / below.max()
    return -np.log(share)


# words


@lru_cache(maxsize=1 << 16)
def spelling(word: str) -> str:
    """A word as WordNet spells it, in lower case: "ice-cream" is "ice cream", "café" "cafe".

    A word that is no lemma stays, in lower case and with single spaces.
    """
    same = " ".join(word.lower().replace("’", "'").replace("_", " ").split())
    plain = unicodedata.normalize("NFKD", same).encode("ascii", "ignore").decode()
    spaced = " ".join(plain.replace("-", " ").split())
    ways = (plain, spaced, spaced.replace(" ", "-"), spaced.replace(" ", ""))
    return next((way for way in ways if _table().senses(way)), same)


@lru_cache(maxsize=1 << 16)
def senses(word: str, pos: str | None = None) -> tuple[Sense, ...]:
    """The senses of a lemma as it stands: nouns, verbs, adjectives, adverbs, common ones first.

    Args:
        word: a lemma; an inflected form has no senses of its own (see `base_forms`).
        pos: a letter of `POS`, for senses of that part of speech only.

    Raises:
        WordNetError: if there is no such part of speech.
    """
    if pos is not None and pos not in _ENDINGS:
        raise WordNetError(f"no part of speech {pos!r}; parts of speech are {', '.join(POS)}")
    found = map(Sense, _table().senses(spelling(word)))
    return tuple(sense for sense in found if pos is None or sense.synset.pos == pos)


def synsets(word: str, pos: str | None = None) -> tuple[Synset, ...]:
    """The meanings of a word or of what it is a form of, in the order of `senses`.

    Raises:
        WordNetError: if there is no such part of speech.
    """
    found = (
        sense.synset
        for letter in pos or POS
        for base in base_forms(word, letter)
        for sense in senses(base, letter)
    )
    return tuple(dict.fromkeys(found))


def synset(name: str) -> Synset:
    """The synset of a name such as "dog.n.01".

    Raises:
        WordNetError: if there is none.
    """
    parts = name.rsplit(".", 2)
    if len(parts) == 3 and parts[1].replace("s", "a") in POS:
        for sense in senses(parts[0], parts[1].replace("s", "a")):
            if parts[2] == f"{sense.rank:02d}":
                return sense.synset
    raise WordNetError(f"no synset {name!r}; names are like dog.n.01")


@lru_cache(maxsize=1 << 16)
def base_forms(word: str, pos: str) -> tuple[str, ...]:
    """The lemmas that a word can be a form of: itself if it is one, then by WordNet's rules.

    Args:
        word: any word or phrase.
        pos: a letter of `POS`.

    Raises:
        WordNetError: if there is no such part of speech.
    """
    key = spelling(word)
    bases = list(exceptions(pos).get(key, ()))
    if not bases:
        for ending in _ENDINGS[pos].split():
            old, _, new = ending.partition(":")
            if key.endswith(old):
                bases.append(key[: -len(old)] + new)
    return tuple(dict.fromkeys(spelling(base) for base in (key, *bases) if senses(base, pos)))


@cache
def exceptions(pos: str) -> dict[str, tuple[str, ...]]:
    """WordNet's irregular forms, each with the lemmas it is a form of.

    Raises:
        WordNetError: if there is no such part of speech.
    """
    if pos not in _ENDINGS:
        raise WordNetError(f"no part of speech {pos!r}; parts of speech are {', '.join(POS)}")
    with np.load(PATH) as file:
        lines = file["exceptions"].tobytes().decode("ascii").split("\n")
    rows = [line.split("\t") for line in lines]
    return {form: tuple(bases) for letter, form, *bases in rows if letter == pos}


@lru_cache(maxsize=1 << 16)
def tag_count(word: str, pos: str | None = None) -> int:
    """How often a lemma was met in tagged text, in any of its senses."""
    return sum(sense.count for sense in senses(word, pos))


# similarity


def wu_palmer(a: Synset, b: Synset) -> float:
    """Wu-Palmer similarity in (0, 1], as NLTK computes it.

    Depth of the deepest common ancestor against the depths of both by way of it; the ancestor is
    the one with the longest shortest way to the root. Other parts of speech than nouns get one
    root above all. As in NLTK it is not quite symmetric where two ancestors are equally deep, and
    below 1 for a sense and itself where its ways to the root differ in length.
    """
    rooted = a.pos != "n" or b.pos != "n"
    common = [n for n in _ancestors(a.id) if n in _ancestors(b.id)]
    deepest = max((_depth(n)[0] for n in common), default=0)
    best = [n for n in common if _depth(n)[0] == deepest]
    if a.id in best:
        top = a.id
    elif rooted and not deepest:
        top = _ROOT
    else:
        top = min(best, key=lambda n: Synset(n).name)
    depth = 1 + (0 if top == _ROOT else _depth(top)[1])
    way = _distance(a.id, top, rooted) + _distance(b.id, top, rooted)
    return 2 * depth / (way + 2 * depth)


def path_similarity(a: Synset, b: Synset) -> float:
    """1 / (1 + steps of the shortest way between two synsets), in (0, 1], as NLTK computes it."""
    return 1 / (1 + _distance(a.id, b.id, a.pos != "n" or b.pos != "n"))


_ROOT = -1
"""Stands above every synset that has nothing above it."""


@lru_cache(maxsize=1 << 16)
def _parents(number: int) -> tuple[int, ...]:
    return (*_follow(number, "hypernym"), *_follow(number, "instance_hypernym"))


@lru_cache(maxsize=1 << 14)
def _ancestors(number: int) -> dict[int, int]:
    steps = {number: 0}
    queue = deque([number])
    while queue:
        at = queue.popleft()
        for up in _parents(at):
            if up not in steps:
                steps[up] = steps[at] + 1
                queue.append(up)
    return steps


@lru_cache(maxsize=1 << 16)
def _depth(number: int) -> tuple[int, int]:
    """Steps to the root by the shortest and by the longest way."""
    above = [_depth(up) for up in _parents(number)]
    if not above:
        return 0, 0
    return 1 + min(low for low, _ in above), 1 + max(high for _, high in above)


def _distance(a: int, b: int, rooted: bool) -> int:
    if a == b:
        return 0
    ups, downs = (_with_root(n) if rooted else _ancestors(n) for n in (a, b))
    return min(steps + downs[n] for n, steps in ups.items() if n in downs)


def _with_root(number: int) -> dict[int, int]:
    """The ancestors and the common root; NLTK puts it one step above the farthest of them."""
    if number == _ROOT:
        return {_ROOT: 0}
    steps = _ancestors(number)
    return {**steps, _ROOT: 1 + max(steps.values())}


# words of one stem

_CLIPPED = 3
"""Letters that the shorter of two spellings has at least."""


@lru_cache(maxsize=1 << 14)
def readings(word: str) -> tuple[tuple[str, str], ...]:
    """What a word can be a form of: lemmas with their parts of speech, itself first if it is one.

    Like `base_forms`, but a noun that only looks like a form of another word is not taken for
    one: "bed" is no form of "be", "rose" none of "rise". A noun of the same stem is: "building"
    is a form of "build".
    """
    key = spelling(word)
    found = [(base, pos) for pos in POS for base in base_forms(key, pos) if _holds(key, base, pos)]
    return tuple(sorted(found, key=lambda reading: reading[0] != key))


def _holds(word: str, base: str, pos: str) -> bool:
    if word == base or not senses(word, "n"):
        return True
    irregular = base in exceptions(pos).get(word, ())
    if pos == "n":
        plural = word in (base + "s", base + "es") and not word.endswith("ss") and len(base) > 2
        return plural or irregular
    return (pos == "a" and irregular) or base in _same_stem(word)


@lru_cache(maxsize=1 << 14)
def derivations(word: str) -> frozenset[str]:
    """The lemmas that are made of the same stem as a word, in any of its meanings.

    WordNet's derivational links; links of adjectives and adverbs to what they are made of, and to
    what they are values of, where the stem shows ("French" of "France", not "lunar" of "moon");
    synonyms of which one holds the other ("phone" and "telephone") or that are other spellings of
    it ("grey" and "gray"). Followed one step further where the words begin alike: "farmer",
    "farm", "farming".

    Args:
        word: any word or phrase, or a form of one; a phrase has the derivations of the whole only.

    Returns:
        lemmas in lower case, without the word itself; empty where WordNet does not know it.
    """
    found: set[str] = set()
    for base, _ in readings(word):
        for other in _same_stem(base):
            found.add(other)
            found.update(further for further in _same_stem(other) if _alike(further, base))
    return frozenset(found - {spelling(word)})


@lru_cache(maxsize=1 << 14)
def _same_stem(lemma: str) -> frozenset[str]:
    """The lemmas one step of derivation away."""
    linked: set[str] = set()
    for sense in senses(lemma):
        # "be born" is what "birth" is made of
        linked.update(other.word.removeprefix("be ") for other in sense.related("derivation"))
        stemmed = [
            other
            for relation in ("pertainym", "pertained", "participle", "participle_of")
            for other in sense.related(relation)
        ]
        if sense.synset.pos in "na":
            stemmed += [o for to in sense.synset.related("attribute") for o in to.senses]
            linked.update(word for word in sense.synset.words if _variants(word, lemma))
        linked.update(other.word for other in stemmed if other.word[:2].lower() == lemma[:2])
    return frozenset(word.lower() for word in linked)


def _alike(a: str, b: str) -> bool:
    """Whether two words begin with the same four letters, or the shorter begins the longer."""
    n = min(len(a), len(b), 4)
    return n > 2 and a[:n].lower() == b[:n].lower()


def _variants(a: str, b: str) -> bool:
    """Whether synonyms are one word: cut short, or spelt with another letter."""
    a, b = sorted((a.lower(), b.lower()), key=len)
    if " " in b or len(a) < _CLIPPED:
        return False
    start = shared_start(a, b)
    end = shared_start(a[start:][::-1], b[start:][::-1])
    return a in b or (start > 0 and start + end >= len(b) - 1)


def shared_start(a: str, b: str) -> int:
    """With how many equal letters two words begin."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))


@cache
def used_nouns() -> tuple[str, ...]:
    """The single-word nouns that occur in tagged text, sorted; no names."""
    table = _table()
    noun = np.array([name.startswith("noun") for name in LEXFILES])[table.lexfile]
    met = np.flatnonzero((table.count > 0) & noun[table.sense_synset])
    words = map(table.word, np.unique(table.sense_word[met]).tolist())
    return tuple(sorted(w for w in words if len(w) > 2 and w.isalpha() and w.islower()))
