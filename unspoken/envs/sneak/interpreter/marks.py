"""What gives a secret away: its words, forms, derivations, initials and translations."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from unspoken.envs.sneak.instances import DEFAULT, Instance
from unspoken.envs.sneak.interpreter.accidents import STRANGERS
from unspoken.envs.sneak.interpreter.said import folded
from unspoken.lexicon.morphology import forms, lemma, tokens
from unspoken.lexicon.wordnet import derivations, senses, synsets

_FUNCTION_WORDS = """
a an the and or nor but of in on at by to for from with as is are was be it its he him his she her
they them we us our you your i me my this that not no if so do go up down out off
"""
_SMALL = frozenset(_FUNCTION_WORDS.split())


@dataclass(frozen=True, slots=True)
class Marks:
    """What gives a secret away.

    Attributes:
        letters: the secret without blanks and accents.
        phrases: word sequences, joined by blanks, with the rule that refuses them.
        spelled: the secret and its inflections without blanks.
        foreign: translations with their accents, as word sequences.
        initials: of a secret of several words; none of a single word.
        longest: words of the longest sequence.
    """

    letters: str
    phrases: dict[str, str]
    spelled: frozenset[str]
    foreign: frozenset[str]
    initials: frozenset[str]
    longest: int


def marks_of(instance: Instance) -> Marks:
    """What gives the secret of an instance away; made once."""
    others = tuple(sorted(word for word in instance.words if word != instance.secret))
    return _marks(instance.secret, (*others, instance.category))


@lru_cache(maxsize=4096)
def _marks(secret: str, public: tuple[str, ...]) -> Marks:
    own = _words(secret)
    telling = _telling(own, public)
    inflected = _inflected(secret)
    made = _made_of(secret)
    foreign = [tokens(text) for text in _translations().get(secret, ())]
    phrases: dict[str, str] = {}
    for rule, texts in (
        ("secret", [secret, *telling]),
        ("inflection", [*inflected, *_all_forms(telling)]),
        ("derivation", [w for w in (*made, *_all_forms(made)) if w not in _strangers(secret)]),
        ("translation", [bare for bare in map(_bare, foreign) if not is_ordinary(bare)]),
    ):
        for text in texts:
            said = _words(text)
            phrases.setdefault(" ".join(said), rule)
            phrases.setdefault("".join(said), rule)
    return Marks(
        "".join(own),
        phrases,
        frozenset("".join(_words(form)) for form in inflected),
        frozenset(map(" ".join, filter(None, foreign))),
        _initials(own),
        max(len(said) for said in [*map(str.split, phrases), *foreign]),
    )


def _words(text: str) -> tuple[str, ...]:
    return tokens(folded(text.casefold()))


def _bare(words: Iterable[str]) -> str:
    return folded(" ".join(words))


def _all_forms(words: Iterable[str]) -> list[str]:
    return [form for word in words for form in sorted(forms(word))]


def _telling(own: tuple[str, ...], public: Iterable[str]) -> list[str]:
    """The words of a phrase that say it alone: no other candidate has them, nor the category."""
    if len(own) < 2:
        return []
    shared = {lemma(word) for text in public for word in _words(text)}
    return [w for w in own if len(w) > 2 and w not in _SMALL and lemma(w) not in shared]


def _inflected(secret: str) -> list[str]:
    """Its forms; of a word that has no singular ("scissors") what that would be, too."""
    single = secret.removesuffix("s")
    paired = len(single) > 3 and not single.endswith("s") and single != secret and senses(single)
    return sorted(forms(secret)) + [single] * bool(paired)


def _made_of(secret: str) -> list[str]:
    """Words of the same stem, and their negations."""
    made = sorted(derivations(secret) - _strangers(secret))
    person = [sense.synset.lexfile == "noun.person" for sense in senses(secret, "n")[:1]]
    if secret.endswith("er") and all(person) and senses(secret + "y", "n"):
        made.append(secret + "y")  # WordNet does not link a baker to the bakery
    for word in (secret, *made):
        opposites = {other.word for s in senses(word) for other in s.related("antonym")}
        made += sorted(opposite for opposite in opposites if opposite.endswith(word))
    return made


def _strangers(secret: str) -> frozenset[str]:
    return STRANGERS.get(secret, frozenset())


def _initials(own: tuple[str, ...]) -> frozenset[str]:
    """First letters of all words of a phrase, and without small words."""
    found = {"".join(w[0] for w in own), "".join(w[0] for w in own if w not in _SMALL)}
    return frozenset(letters for letters in found if len(letters) > 1)


@cache
def _translations() -> dict[str, list[str]]:
    text = DEFAULT.with_name("translations.toml").read_text(encoding="utf-8")
    found: dict[str, list[str]] = tomllib.loads(text)["translations"]
    return found


@lru_cache(maxsize=1 << 14)
def is_word(word: str) -> bool:
    """Whether something is an English word, a form of one, or a name that WordNet knows."""
    return word in _SMALL or bool(synsets(word))


def is_ordinary(word: str) -> bool:
    """Whether something is an English word, and not as a name only."""
    own = senses(word)
    named = bool(own) and not any(sense.word.islower() for sense in own)
    return word in _SMALL or (is_word(word) and not named)
