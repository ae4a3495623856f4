"""What gives a secret away: its words, forms, derivations, initials and translations."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from unspoken.envs.sneak.instances import DEFAULT, Instance
from unspoken.envs.sneak.interpreter.said import folded
from unspoken.lexicon.morphology import FUNCTION_WORDS, forms, lemma, tokens
from unspoken.lexicon.stems import is_another, is_made_of, is_name, kin
from unspoken.lexicon.wordnet import base_forms, senses, synsets, tag_count

_COMMON = 200
"""How often an adjective was met in tagged text that says no phrase alone ("new")."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What gives a secret away.

    Attributes:
        letters: the secret without blanks and accents.
        phrases: word sequences, joined by blanks, with the rule that refuses them.
        spelled: the secret and its inflections without blanks.
        foreign: translations with their accents, as word sequences; no English words.
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
    made = [*_made_of(secret), *(word for part in telling for word in sorted(kin(part)))]
    foreign = [tokens(text) for text in _translations().get(secret, ())]
    shown = [f for f in foreign if _bare(f) != " ".join(f) or not is_english(_bare(f), secret)]
    phrases: dict[str, str] = {}
    for rule, texts in (
        ("secret", [secret, *telling]),
        ("inflection", [*inflected, *_all_forms(telling)]),
        ("derivation", [*made, *_all_forms(made), *_all_forms(_parts(own, public))]),
        ("translation", [bare for bare in map(_bare, shown) if not is_english(bare, secret)]),
    ):
        for text in texts:
            said = _words(text)
            phrases.setdefault(" ".join(said), rule)
            phrases.setdefault("".join(said), rule)
    return Marks(
        "".join(own),
        phrases,
        frozenset("".join(filter(str.isalpha, folded(form.lower()))) for form in inflected)
        | {"".join(_words(form)) for form in inflected},
        frozenset(map(" ".join, filter(None, shown))),
        _initials(own),
        max(len(said) for said in [*map(str.split, phrases), *foreign]),
    )


def _words(text: str) -> tuple[str, ...]:
    return tokens(folded(text.casefold()))


def _bare(words: Iterable[str]) -> str:
    return folded(" ".join(words))


def _all_forms(words: Iterable[str]) -> list[str]:
    return [form for w in words for form in sorted(forms(w)) if not is_another(form, w)]


def _telling(own: tuple[str, ...], public: Iterable[str]) -> list[str]:
    """The words of a phrase that say it alone: no other candidate has them, nor the category."""
    if len(own) < 2:
        return []
    shared = {lemma(word) for text in public for word in _words(text)}
    small = [w for w in own if w in FUNCTION_WORDS or tag_count(w, "a") > _COMMON]
    return [w for w in own if len(w) > 2 and w not in small and lemma(w) not in shared]


def _parts(own: tuple[str, ...], public: Iterable[str]) -> list[str]:
    """The words that a compound says itself: "police" of "policeman"; no other candidate's."""
    if len(own) > 1:
        return []
    word = own[0]
    others = ["".join(_words(text)) for text in public]
    cuts = range(3, len(word) - 2)
    parts = {part for cut in cuts for part in (word[:cut], word[cut:])}
    return sorted(
        part
        for part in parts
        if senses(part) and is_made_of(word, part) and not any(part in other for other in others)
    )


def _inflected(secret: str) -> list[str]:
    """Its forms; of a word that has no singular ("scissors") what that would be, too."""
    single = secret.removesuffix("s")
    paired = len(single) > 3 and not single.endswith("s") and single != secret and senses(single)
    own = [form for form in sorted(forms(secret)) if not is_another(form, secret.lower())]
    return own + [single] * bool(paired)


def _made_of(secret: str) -> list[str]:
    """Words of the same stem, and their negations."""
    made = sorted(kin(secret))
    for word in (secret, *made):
        opposites = {other.word for s in senses(word) for other in s.related("antonym")}
        made += sorted(o for o in opposites if o.endswith(word) or word.endswith(o))
    return made


def _initials(own: tuple[str, ...]) -> frozenset[str]:
    """First letters of all words of a phrase, and without small words."""
    found = {"".join(w[0] for w in own), "".join(w[0] for w in own if w not in FUNCTION_WORDS)}
    return frozenset(letters for letters in found if len(letters) > 1)


@cache
def _translations() -> dict[str, list[str]]:
    text = DEFAULT.with_name("translations.toml").read_text(encoding="utf-8")
    found: dict[str, list[str]] = tomllib.loads(text)["translations"]
    return found


@lru_cache(maxsize=1 << 14)
def is_word(word: str) -> bool:
    """Whether something is an English word, a form of one, or a name that WordNet knows."""
    return word in FUNCTION_WORDS or bool(synsets(word))


def is_ordinary(word: str) -> bool:
    """Whether something is an English word, and not as a name only."""
    return word in FUNCTION_WORDS or (is_word(word) and not is_name(word))


def is_english(word: str, secret: str) -> bool:
    """Whether a translation's letters are a word met in English text, or the name of another."""
    if is_name(word):
        own = {sense.synset for sense in senses(secret)}
        named = [sense for sense in senses(word) if not sense.scientific]
        return bool(named) and own.isdisjoint(sense.synset for sense in named)
    return word in FUNCTION_WORDS or any(
        tag_count(base, pos) for pos in "nvar" for base in base_forms(word, pos)
    )
