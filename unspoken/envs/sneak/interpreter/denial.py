"""Which of the things that a sentence names it means, and which it takes back.

"not the hat", "anything but the hat", "the hat is unlikely"; of people also "I trust player 1".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_CLAUSE = re.compile(
    r"""[.;:!?()\n]|\s[–—-]\s|,(?!\s*(?:who|which|that|i\s+(?:trust|believe|think))\b)
    |\b(?:but|so|and|because|since|as|then|though|although|while)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_NOT = re.compile(
    r"""\b(?:not|no|never|cannot|nor|neither|none|nobody|nothing|without|hardly|barely|doubt\w*
    |unlikely|impossible|wrong|excluded?|rul(?:e|ed|ing)\s+out|ruled|reject\w*|refus\w+|avoid
    |except|excepting|excluding|(?:other|rather)\s+than|instead\s+of|(?:apart|aside)\s+from|unlike
    |far\s+from|less|(?<!at\ )least)\b|n't\b""",
    re.IGNORECASE | re.VERBOSE,
)
_BUT = re.compile(
    r"\b((?:any|every|some|no)\s*(?:one|body|thing)|all|none|(?:any|every|no)\s+\w+)\s+but\b",
    re.IGNORECASE,
)
_IS = re.compile(
    r"""\W*(?:\w+ly\s+|also\s+|just\s+)*(?:(?:is|was|are|were|can|could|would|should|wo|must|ai)
    (?:n't)?|'s|cannot|will|may|might|be|seems?|looks?|sounds?|appears?|has\s+been)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_DOES = re.compile(r"\W*(?:(?:do|does|did|has|had)(?:n't)?|makes?|fits?)\b", re.IGNORECASE)
_NO = re.compile(
    r"\s*[?,:–—-]+\s*(?:no|nope|never|unlikely|impossible|wrong|innocent)\W*$", re.IGNORECASE
)
_TRUSTS = re.compile(
    r"\b(?:trust\w*|innocent|defend\w*|clear(?:s|ed)|spar(?:e|ed|ing)|vouch|exonerat\w+|acquit"
    r"|faith\s+in|believe\s+in)\b",
    re.IGNORECASE,
)
_TRUSTED = re.compile(
    r"""\b(?:innocent|honest|trust\w*|truthful|reliable|genuine|sincere|safe|knows?|knew|cleared
    |in\s+the\s+clear|one\s+of\s+us|on\s+our\s+side)\b|\bclear\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_LISTED = re.compile(
    r"[^\w.;:!?\n]*(?:\b(?:and|or|nor)\b)?[^\w.;:!?\n]*(?:(?:the|an?)\s+)?", re.IGNORECASE
)
_NEXT = re.compile(
    r"\b(?:not|never|(?:rather|other)\s+than|instead\s+of)\s*(?:(?:the|an?)\s+)?$", re.IGNORECASE
)
"""What stands before the next thing named and denies that, not the present one."""


class Mention(NamedTuple):
    """Where a text names something, and what: by number, several where they read alike."""

    start: int
    end: int
    what: tuple[int, ...]


def denies(clause: str) -> bool:
    """Whether the words before something deny it: "it is not", "anyone but"; not "no doubt"."""
    return _negations(_clauses(clause)[-1]) % 2 == 1


def listed(text: str, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, ...]]:
    """Mentions by the lists that they stand in ("the hat, the cap or the star"), in order."""
    group: list[Mention] = []
    for mention in sorted(mentions):
        if group and not _LISTED.fullmatch(text[group[-1].end : mention.start]):
            yield tuple(group)
            group = []
        group.append(mention)
    if group:
        yield tuple(group)


def meant(text: str, mentions: Sequence[Mention], *, people: bool = False) -> set[tuple[int, ...]]:
    """What a text names and nowhere takes back.

    Args:
        text: with straight apostrophes.
        mentions: what it names; they do not overlap.
        people: whether trust takes a mention back, as where players are accused, so that
            "I trust player 1" denies and "I don't trust player 1" does not.
    """
    groups = list(listed(text, mentions))
    named: set[tuple[int, ...]] = set()
    denied: set[tuple[int, ...]] = set()
    for i, group in enumerate(groups):
        start, end = group[0].start, group[-1].end
        last = groups[i - 1][-1].end if i else 0
        following = groups[i + 1][0].start if i + 1 < len(groups) else len(text)
        before = _clauses(text[:start])[-1]
        after = _clauses(_NEXT.sub("", text[end:following]))[0]
        odd = _negations(before) % 2 == 1
        trusted = people and bool(
            _TRUSTS.search(before[-(start - last) :] if start > last else "")
            or _TRUSTED.search(after)
        )
        said_of = _IS.match(after) or (_TRUSTED.search(after) if people else _DOES.match(after))
        if said_of:
            odd ^= _negations(after) % 2 == 1
        taken_back = odd != trusted or bool(_NO.match(text[end:following]))
        (denied if taken_back else named).update(mention.what for mention in group)
    return named - denied


def _clauses(text: str) -> list[str]:
    return _CLAUSE.split(_BUT.sub(r"\1 except", text))


def _negations(clause: str) -> int:
    return len(_NOT.findall(clause))
