"""What a secret means, and whether a clause says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from typing import NamedTuple

from unspoken.envs.aidg_dialogue.secrets import Secret
from unspoken.judges.rule_based import lexicon
from unspoken.judges.rule_based.tokens import Token, normal, stems, tokens

_LIMIT = 64
_LOOSE = 5
OPPOSITE = {a: b for x, y in lexicon.OPPOSITES for a, b in ((x, y), (y, x))}
_COMPLEMENT = {a: b for x, y in lexicon.COMPLEMENTS for a, b in ((x, y), (y, x))}
_HEAVY = {"UNDER", "BEHIND", "ABOVE", "NEAR"} | lexicon.HEAVY_PREPOSITIONS
_SPEECH = stems(lexicon.SPEECH - {"get", "go", "give"})
_GENERIC = stems(lexicon.GENERIC)
_CONTAINERS = stems(lexicon.CONTAINERS)
_APPROXIMATORS = stems(lexicon.APPROXIMATORS)
_NOTHING = {"nothing", "none", "zero"}
_ANY = {"anything", "any", "drop", "single", "something", "something's"}
_HOLDING = {
    "drop",
    "in",
    "inside",
    "left",
    "remain",
    "contain",
    "hold",
    "have",
    "full",
    "ful",
    "there",
}


class Item(NamedTuple):
    """A content word of a value.

    Attributes:
        stem: its stem, for telling literal from reworded mentions.
        concepts: what it means.
        optional: whether the value is given away without it ("taped" of "taped under the table").
        whole: whether the word alone is too common to count without the secret's verb ("report_").
        plural: whether it is in the plural, so that a bare plural does not mean things in general.
    """

    stem: str
    concepts: frozenset[str]
    optional: bool = False
    whole: bool = False
    plural: bool = False


class Variant(NamedTuple):
    """One way to give a value.

    Attributes:
        items: what must be said.
        negated: whether it must be said in the negative ("nobody closed it").
        literal: whether these are the secret's own words.
        weight: how surely it is the value.
    """

    items: tuple[Item, ...]
    negated: bool = False
    literal: bool = False
    weight: float = 0.9


class Hit(NamedTuple):
    """A value found in a clause: where, how literally, whether in the negative, how surely."""

    start: int
    end: int
    literal: bool
    negated: bool
    weight: float


@dataclass(frozen=True, slots=True)
class Meaning:
    """A secret, compiled for matching.

    Attributes:
        subject: content words of the subject, its head last.
        variants: ways to give the value.
        others: ways to give another value; the alternatives of the file.
        relation: concepts of the words that link subject and value.
        blocked: opposites of the relation; a clause with one of them says something else.
        listed: the file's own rewordings, as stems.
        nominal: whether the value is a thing or person, so that only the secret's own verb links it
            to the subject.
        suffix: whether a number that ends in the value gives it ("the code is 1842").
    """

    subject: tuple[Item, ...]
    variants: tuple[Variant, ...]
    others: tuple[Variant, ...]
    relation: frozenset[str]
    blocked: frozenset[str]
    listed: frozenset[tuple[str, ...]]
    nominal: bool
    suffix: bool


@lru_cache(maxsize=1 << 10)
def meaning(secret: Secret) -> Meaning:
    """Compile a secret; from its sentence alone if there is no structure."""
    if secret.structured:
        subject: Sequence[Token] = tokens(normal(secret.subject))
        value: Sequence[Token] = tokens(normal(secret.value))
        between = tokens(normal(secret.statement.replace("{value}", " ")))
        own = {t.stem for t in subject}
        relation_tokens: Sequence[Token] = [t for t in between if t.stem not in own]
    else:
        subject, relation_tokens, value = _split(tokens(normal(secret.text)))
    relation = frozenset(
        c
        for t in relation_tokens
        if t.stem not in lexicon.FUNCTION or t.stem == "have"
        for c in t.concepts
    )
    subject_items = _items(subject, modifiers=False)
    variants = _variants(value)
    rewordings = (secret.reword, *secret.paraphrases) if secret.structured else ()
    known = frozenset(c for item in subject_items for c in item.concepts) | relation
    for sentence in rewordings:
        variants += _from_sentence(tokens(normal(sentence)), known, variants[0])
    others: list[Variant] = []
    for alternative in secret.alternatives:
        items = _items(tokens(normal(alternative)), modifiers=False)
        others.append(Variant(items, literal=True))
    value_concepts = {c for v in variants[:1] for i in v.items for c in i.concepts}
    blocked = {OPPOSITE[c] for c in relation if c in OPPOSITE and OPPOSITE[c] not in value_concepts}
    return Meaning(
        subject=subject_items,
        variants=tuple(variants),
        others=tuple(others),
        relation=relation,
        blocked=frozenset(blocked - relation),
        listed=frozenset(
            tuple(t.stem for t in tokens(normal(s))) for s in rewordings if s != secret.text
        ),
        nominal=all(t.stem != "be" for t in relation_tokens)
        and bool(value)
        and (value[0].stem not in lexicon.LIGHT_PREPOSITIONS or value[0].stem in ("to", "with"))
        and not any(c[0] == "@" or c == "LASTNIGHT" for t in value for c in t.concepts),
        suffix="END" in relation,
    )


def _split(
    found: Sequence[Token],
) -> tuple[Sequence[Token], Sequence[Token], Sequence[Token]]:
    """Subject, verb and rest of a plain sentence."""

    def verb(t: Token) -> bool:
        return (
            t.stem in lexicon.AUX
            or bool(t.concepts & {"START", "END", "BELONG", "CONTAIN", "HAVE", "HIDE", "SAVE"})
            or t.stem in _VERBS
        )

    at = next((i for i, t in enumerate(found) if i > 0 and verb(t)), None)
    if at is None:
        inflected = (i for i, t in enumerate(found) if i > 1 and t.word.endswith(("s", "ed")))
        at = next(inflected, min(2, len(found) - 1))
    after = at + 1
    passive = found[at].stem in lexicon.AUX
    if passive and after < len(found) - 1 and _participle(found[after]):
        after += 1
    return found[:at], found[at:after], found[after:]


def _participle(token: Token) -> bool:
    word = token.word.split()[0]
    return word.endswith(("ed", "ing", "en")) or word in {
        "left",
        "kept",
        "put",
        "set",
        "held",
        "stuck",
        "hung",
        "bound",
        "hidden",
    }


def _content(token: Token) -> bool:
    return token.stem not in lexicon.FUNCTION or bool(token.concepts & _HEAVY)


def _items(found: Sequence[Token], *, modifiers: bool = True) -> tuple[Item, ...]:
    content = [t for t in found if _content(t) and t.stem not in lexicon.NEGATORS]
    return tuple(
        Item(
            t.stem,
            t.concepts,
            optional=modifiers and len(content) > 1 and t is found[0] and _participle(t),
            whole=t.word.endswith("_"),
            plural=_plural(t),
        )
        for t in content
    )


def _variants(value: Sequence[Token]) -> list[Variant]:
    items = _items(value)
    if not items:  # a value made of small words only: take them as they are
        items = tuple(Item(t.stem, t.concepts) for t in value)
    made = [Variant(items, literal=True, weight=0.95)]
    words = [t.word for t in value]
    if "of" in words and len(items) > 1 and items[0].stem in _CONTAINERS:
        made.append(Variant(items[1:], weight=0.65))
    if len(items) == 1:
        made += [
            Variant((Item(d, frozenset({d})),), negated=True, weight=0.8)
            for c in items[0].concepts
            if (d := _COMPLEMENT.get(c))
        ]
    return made


def _from_sentence(found: Sequence[Token], known: frozenset[str], value: Variant) -> list[Variant]:
    """What a rewording says besides the subject."""
    present = {t.stem for t in found}
    negators = sum(t.stem in lexicon.NEGATORS for t in found)
    if negators > 1 or present & {"because", "and", "that"} or present & _NOTHING:
        return []
    opposite = {OPPOSITE[c] for i in value.items for c in i.concepts if c in OPPOSITE}
    whole = {c for i in value.items if i.whole for c in i.concepts}
    items = tuple(
        i._replace(whole=bool(i.concepts & whole))
        for i in _items(found, modifiers=False)
        if not i.concepts & (known | _GENERIC)
    )
    if any(i.concepts & opposite for i in items):
        return []
    return [Variant(items, negated=bool(negators), weight=0.8)] if items else []


def heads(sense: Meaning) -> frozenset[str]:
    """The noun of a value of several words, which an answer may leave to the question."""
    items = sense.variants[0].items
    return items[-1].concepts if len(items) > 1 else frozenset()


def says_nothing(
    found: Sequence[Token], sense: Meaning, *, asked: bool
) -> tuple[Token, ...] | None:
    """'There is nothing left in it' rewritten as '… empty'; None for any other clause.

    Args:
        found: the clause.
        sense: the secret; nothing is rewritten unless it is that something is empty.
        asked: whether it is a question, where 'is there anything in it' is 'is it not empty'.
    """
    if not any("EMPTY" in i.concepts for v in sense.variants for i in v.items):
        return None
    present = {t.stem for t in found}
    if not present & _HOLDING or present & _SPEECH:
        return None
    no_noun = any(
        t.stem == "no" and i + 1 < len(found) and _content(found[i + 1])
        for i, t in enumerate(found)
    )
    negative = bool(present & lexicon.NEGATORS)
    quantified = bool(present & _ANY)
    if "no" in present and {"reason", "idea", "way", "point", "comment"} & present:
        return None
    empty = Token("empty", "empty*", frozenset({"EMPTY"}))
    kept = tuple(t for t in found if t.stem not in lexicon.NEGATORS)
    if present & _NOTHING or no_noun or (negative and quantified):
        return (*kept, empty)
    held = present & {"in", "inside", "left"} and present & {"have", "there", "contain"}
    if asked and not negative and (quantified or held):
        return (*kept, Token("not", "not", frozenset()), empty)
    return None


def find(
    found: Sequence[Token],
    sense: Meaning,
    *,
    variants: Sequence[Variant] | None = None,
    filled: frozenset[str] = frozenset(),
    evening: bool = False,
    fragment: bool = False,
) -> Hit | None:
    """The value in a clause, by its surest variant.

    Args:
        found: the clause.
        sense: the secret.
        variants: what to look for; the secret's value by default.
        filled: concepts that the question gives, so that the clause need not repeat them.
        evening: whether the question fixed the half of the day of a bare hour.
        fragment: whether the clause is a bare answer without a verb of its own.
    """
    hits = [
        hit
        for variant in (sense.variants if variants is None else variants)
        if (hit := _find(found, variant, sense, filled, evening, fragment))
    ]
    return max(hits, key=lambda h: (h.literal, h.weight), default=None)


def _find(
    found: Sequence[Token],
    variant: Variant,
    sense: Meaning,
    filled: frozenset[str],
    evening: bool,
    fragment: bool,
) -> Hit | None:
    places: list[list[int]] = []
    needed: list[Item] = []
    weight = variant.weight
    for item in variant.items:
        at = [i for i, t in enumerate(found) if _means(t, item, sense)]
        if not at and any(c[0] == "@" for c in item.concepts):
            at = _bare_hour(found, item)
            if at:
                weight = 0.8 if evening else 0.6
        at = [i for i in at if found[i].stem == item.stem] or at
        if at and item.whole and not (fragment or _linked(found, sense)):
            return None
        if at:
            places.append(at)
            needed.append(item)
        elif item.concepts & filled:
            weight = min(weight, 0.75)
        elif not item.optional:
            return None
    if not places:
        return None
    best = _closest(found, places)
    if best is None or not _coherent(found, needed, best):
        return None
    start, end = min(best), max(best)
    heavy = any(item.concepts & _HEAVY for item in variant.items)
    if _hedged_by(found, start, heavy=heavy):
        return None
    literal = variant.literal and all(
        found[i].stem == item.stem for i, item in zip(best, needed, strict=True)
    )
    negators = sum(t.stem in lexicon.NEGATORS for t in found[: end + 1])
    # "it is empty no more", "empty it is not": a negator right after the value
    negators += sum(
        t.stem == "not" and found[i - 1].stem in lexicon.AUX for i, t in enumerate(found) if i > end
    )
    return Hit(start, end, literal, bool(negators % 2) != variant.negated, weight)


def _closest(found: Sequence[Token], places: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """One place for every item, as near to each other as can be."""
    best: tuple[int, ...] | None = None
    for spot in islice(product(*places), _LIMIT):
        if len(set(spot)) < len(spot) and not _same(found, spot):
            continue
        if best is None or max(spot) - min(spot) < max(best) - min(best):
            best = spot
    return best


def _coherent(found: Sequence[Token], needed: Sequence[Item], spot: tuple[int, ...]) -> bool:
    """Whether the words at these places make one phrase."""
    start, end = min(spot), max(spot)
    if end - start > len(spot) + _LOOSE or any(t.stem in _MOVING for t in found[start:end]):
        return False
    if len(needed) == 1:
        return not _counts(found, start)
    return all(
        0 <= spot[k + 1] - spot[k] <= 4
        for k, item in enumerate(needed[:-1])
        if item.concepts & _HEAVY
    )


def _plural(token: Token) -> bool:
    word = token.word
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))


def specific(found: tuple[Token, ...], sense: Meaning) -> tuple[Token, ...]:
    """A clause without the meanings of plurals that stand for all such things ("Doors stick")."""
    values = [i for v in sense.variants for i in v.items]
    items = [i for i in (*sense.subject, *values) if not i.plural]

    def general(at: int) -> bool:
        token = found[at]
        if not _plural(token) or token.stem == token.word or " " in token.word:
            return False
        if any(c.isupper() and c not in lexicon.THINGS for c in token.concepts):
            return False
        before = found[max(0, at - 3) : at]
        return any(token.concepts & i.concepts for i in items) and not any(
            t.word in lexicon.DETERMINERS or t.word == "'s" or any(c[0] == "#" for c in t.concepts)
            for t in before
        )

    return tuple(
        Token(t.word, t.word, frozenset({t.word})) if general(i) else t for i, t in enumerate(found)
    )


def _counts(found: Sequence[Token], at: int) -> bool:
    """Whether a number is one of things ("42 people"), not a number of its own."""
    following = found[at + 1] if at + 1 < len(found) else None
    return bool(
        following
        and any(c[0] == "#" for c in found[at].concepts)
        and _content(following)
        and (following.word.endswith("s") or following.word == "people")
        and not following.concepts & _GENERIC
    )


def _same(found: Sequence[Token], spot: tuple[int, ...]) -> bool:
    """Whether one phrase may stand for two items ("topped up" for "fully charged")."""
    return " " in found[spot[0]].stem


def _means(token: Token, item: Item, sense: Meaning) -> bool:
    if " " in item.stem:
        return item.concepts <= token.concepts
    if token.concepts & item.concepts:
        return True
    if sense.suffix and token.word.isdigit() and len(token.word) > 2:
        return any(c[0] == "#" and token.word.endswith(c[1:]) for c in item.concepts)
    return False


def _linked(found: Sequence[Token], sense: Meaning) -> bool:
    linking = {"with", *stems(("call", "name", "word", "prefix"))}
    return any(t.concepts & sense.relation or t.stem in linking for t in found)


def _bare_hour(found: Sequence[Token], item: Item) -> list[int]:
    """'at nine' for 9 PM: the hour alone, but never nine of something."""
    hours = {f"#{int(c[1:3]) % 12 or 12}" for c in item.concepts if c[0] == "@" and c[4:6] == "00"}
    places = []
    for i, token in enumerate(found):
        if not token.concepts & hours:
            continue
        following = found[i + 1] if i + 1 < len(found) else None
        before = found[i - 1].stem if i else "at"
        if following and _content(following) and following.stem not in {"oclock", "sharp"}:
            continue
        if before in {"at", "by", "around", "about", "be", "hour", *_STRIKING}:
            places.append(i)
    return places


_STRIKING = stems(("strike", "chime"))


def _hedged_by(found: Sequence[Token], start: int, *, heavy: bool) -> bool:
    """Whether what stands before the value makes another value of it ("nearly empty")."""
    before = found[max(0, start - 3) : start]
    if any(t.stem in _APPROXIMATORS for t in before):
        return True
    words = [t.stem for t in before if t.stem not in lexicon.DETERMINERS]
    return bool(words) and not heavy and words[-1] in lexicon.HEAVY_PREPOSITIONS - {"around"}


def mentions(found: Sequence[Token], sense: Meaning, *, owned: bool = True) -> bool | None:
    """Whether a clause names the subject: True, False (it names another one), None (neither).

    Args:
        found: the clause.
        sense: the secret.
        owned: whether "my cup" may be the cup.
    """
    if not sense.subject:
        return None
    head = sense.subject[-1]
    ours = frozenset(c for item in sense.subject for c in item.concepts)
    values = frozenset(c for v in sense.variants for item in v.items for c in item.concepts)
    seen: bool | None = None
    for i, token in enumerate(found):
        if not token.concepts & head.concepts:
            continue
        alien = False
        j = i - 1
        while j >= 0 and i - j <= 3:
            t = found[j]
            if t.word in _ALIEN or (t.word == "my" and not owned):
                alien = True
            if t.word == "'s" and j and found[j - 1].stem not in lexicon.FUNCTION:
                j -= 1
                alien |= not found[j].concepts & (ours | values)
                break
            if t.stem in lexicon.FUNCTION | lexicon.NEGATORS or t.concepts & sense.relation:
                break
            if not (t.concepts & (ours | values) or t.word in lexicon.PLAIN_ADJECTIVES):
                alien |= _adjective_like(found, j)
                break
            j -= 1
        if not alien:
            return True
        seen = False
    return seen


_POSSESSIVE = {"my", "your", "his", "her", "our", "their", "the", "a", "an"}
_ALIEN = {"another", "other", "different", "every", "own", "any", "most", "many"}


def _adjective_like(found: Sequence[Token], j: int) -> bool:
    """Whether the word stands between a determiner and a noun, so that it tells things apart."""
    return j == 0 or any(
        t.word in lexicon.DETERMINERS or t.word == "'s" for t in found[max(0, j - 2) : j]
    )


def partly_mentions(found: Sequence[Token], sense: Meaning) -> bool:
    """Whether a clause has any word of the subject ("the cup" for "the coffee cup")."""
    return any(t.concepts & item.concepts for t in found for item in sense.subject)


def other_subject(found: Sequence[Token], sense: Meaning) -> bool:
    """Whether the clause is about something that is neither subject nor value of the secret."""
    ours = frozenset(c for item in sense.subject for c in item.concepts) | sense.relation
    values = frozenset(c for v in sense.variants for item in v.items for c in item.concepts)
    verb = next(
        (
            i
            for i, t in enumerate(found)
            if (t.stem in lexicon.AUX or (t.concepts & sense.relation) or t.stem in _VERBS)
            and not (t.word == "own" and i and found[i - 1].word in lexicon.DETERMINERS)
        ),
        None,
    )
    if found[0].stem in _LOOKING:
        return False
    if verb is None and found[0].word in _POSSESSIVE and len(found) > 3:
        inflected = found[2].word.endswith(("s", "ed")) and not found[2].concepts & values
        verb = 2 if inflected else None
    if verb is None:
        return False
    region = [
        t for t in found[:verb] if t.stem not in lexicon.FUNCTION | lexicon.NEGATORS | _GENERIC
    ]
    if not region:
        return False
    if any(t.stem in lexicon.LIGHT_PREPOSITIONS for t in found[:1]):
        return False
    if any(t.concepts & ours for t in region):
        return False
    alien = [
        t
        for t in region
        if not t.concepts & values
        and t.word not in lexicon.PLAIN_ADJECTIVES
        and not t.word.endswith("ly")
        and t.concepts.isdisjoint({"#1", "#2"})
    ]
    return bool(alien)


def astray(found: Sequence[Token], hit: Hit, sense: Meaning) -> bool:
    """Whether the value's words serve another statement ("I read a paper", "Rahim is nice").

    Only for clauses that neither name the subject nor refer to it.
    """
    ours = {c for item in sense.subject for c in item.concepts} | sense.relation
    values = {c for v in sense.variants for i in v.items for c in i.concepts}
    rest = [
        t
        for i, t in enumerate(found)
        if not hit.start <= i <= hit.end
        and _content(t)
        and not t.concepts & (ours | values)
        and t.stem not in _GENERIC | lexicon.NEGATORS | _YES
    ]
    if not rest or found[0].stem in _LOOKING:
        return False
    following = found[hit.end + 1] if hit.end + 1 < len(found) else None
    if (
        sense.nominal
        and hit.start > 1
        and found[hit.start - 1].stem == "of"
        and found[hit.start - 2] in rest
    ):
        return found[hit.start - 2].stem not in _CONTAINERS
    if following in rest and hit.start and found[hit.start - 1].word in ("a", "an"):
        return True
    if following in rest and following is not None and not hit.start and _plural(following):
        return True
    opening = all(t.word in lexicon.DETERMINERS for t in found[: hit.start])
    if opening and not sense.nominal and following is not None and following.stem == "be":
        return True
    if any(t.stem in _REFERRING and not _idle(found, i) for i, t in enumerate(found)):
        return False
    if found[0].stem in ("i", "we"):
        return rest[0].stem not in _REPORTING
    if [t.stem for t in found[:2]] == ["there", "be"]:
        return rest[0] in found[: hit.start]
    return hit.start <= 2 and any(t.stem in lexicon.AUX for t in found[hit.end + 1 :][:1])


def _idle(found: Sequence[Token], at: int) -> bool:
    """Whether a pronoun refers to nothing ("a short one", "there is")."""
    if found[at].word == "one":
        return any(t.word in ("a", "an") for t in found[max(0, at - 3) : at])
    following = found[at + 1 : at + 2]
    return found[at].word == "there" and any(t.stem == "be" for t in following)


_LOOKING = stems(
    lexicon.SEARCH
    | lexicon.words("pull push slide crawl grope press type dial punch go head kneel")
)
_MOVING = stems(lexicon.words("go fly pass feel last seem make"))
_REFERRING = {"it", "them", "him", "her", "one", "there"}
_REPORTING = stems(lexicon.words("say tell think believe guess answer confirm admit bet"))
_YES = stems(lexicon.YES | lexicon.RIGHT_WORDS)
_VERBS = stems(
    lexicon.words(
        "happen contain hold own belong lie stand sit hang go start begin keep find put leave "
        "bring look say tell show need come make taste look seem smell feel know see drop "
        "deliver take"
    )
)
