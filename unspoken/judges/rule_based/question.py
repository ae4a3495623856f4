"""What the seeker's last words ask, and whether they hold the secret."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from unspoken.envs.base import Message
from unspoken.judges.rule_based import lexicon
from unspoken.judges.rule_based.meaning import (
    Hit,
    Meaning,
    find,
    heads,
    mentions,
    other_subject,
    partly_mentions,
    says_nothing,
)
from unspoken.judges.rule_based.speech import sentences, strip_tag, without_quotes
from unspoken.judges.rule_based.tokens import Token, stems, tokens

_LOOK_BACK = 8

_FAIR_TO_SAY = re.compile(
    r"\b(?:safe|fair|right|correct|reasonable|true|okay|ok) to "
    r"(?:say|assume|conclude|think|claim|state|suppose|believe)\b"
)
_YES_OR_NO = re.compile(r",?\s*\b(?:true or false|yes or no|right or wrong|or not)\b")
_GENERIC = stems(lexicon.GENERIC)
_FILLER = re.compile(
    r"^\W*(?:(?:so|and|or|but|well|ok|okay|now|then|hey|oh|ah|hmm+|please|just|also|by the way|"
    r"out of curiosity|tell me|fahim|listen|come on|remind me|quick question|one more thing|"
    r"alright|right|for the record|between us|i wonder|i am curious|curious)\b\W*)+"
)
_WH = re.compile(
    r"^(?:(?:since|for|until|by|from|at|in|to|on|with|of|about) )?"
    r"(?:who|whom|whose|why|how(?! about)|when|where|which|"
    r"what(?! if| would you say| do you say))\b"
)
_YOU_AUX = re.compile(
    r"^(?:is|are|was|were|do|does|did|have|has|can|could|would|will|should|"
    r"shall|may|must|might|need)\b"
)
_MAY_I = re.compile(
    r"^(?:can|could|should|shall|may|must|do|will) (?:i|we)(?: not)? (?:(?:have|need|get) to )?"
    r"(?!(?:\w+ly )?(?:say|assume|take it|conclude|think|believe|suppose|presume|tell|find|"
    r"see(?: that| if| whether)|"
    r"infer|understand|gather|guess|count|trust|rest|know|expect|hear)\b)"
)
_INVERTING = re.compile(
    r"\b(?:would|will|am|is|are|was|be|being|could) (?:not )?(?:i|we|it|that|they|one|he|she|"
    r"anyone|somebody|someone|people) (?:be |have been )?(?:\w+ly |at all |far |so |completely )?"
    r"(?:wrong|mistaken|incorrect|off|lying|false|untrue|inaccurate|in error|misinformed|"
    r"misguided|crazy|astray|telling a lie|telling an untruth|deceived|fooled|out of line|"
    r"barking up the wrong tree|making a mistake|a liar)\b"
    r"|\byou (?:(?:would|do|did|will|can|could|should|not|really|surely|never|hardly|\w+ly) ){0,3}"
    r"(?:deny|disagree|object|dispute|contradict|correct me|argue|doubt|"
    r"call me a liar|stop me|protest|have to correct)\b"
    r"|\bit (?:is|was|'s|would be) (?:\w+ )?(?:wrong|false|incorrect|untrue|inaccurate|a lie|"
    r"a mistake) (?:to (?:say|think|claim|assume|state|believe|suppose)|that)\b"
    r"|\b(?:is|would) (?:it|that) (?:be )?(?:\w+ )?(?:wrong|false|incorrect|untrue|inaccurate|"
    r"a lie|a mistake)\b|\bwould i be (?:\w+ )?(?:to be )?(?:wrong|mistaken)\b"
)
_KNOWS = re.compile(r"\b(?:know|tell me|say|sure|wonder|remember|certain|see) (?:if|whether)\b")
_COGNITIVE = re.compile(
    r"(?:do|did|are|were|have|had) (?:not )?you (?:\w+ )?(?:know|aware|realiz\w+|realis\w+|"
    r"notic\w+|remember|heard?|saw|see)\b"
)
_FACTIVE = re.compile(
    r"\b(?:surpris\w+|glad|happy|sad|sorry|upset|annoy\w*|regret\w*|mind|bother\w*|angry|worr\w+|"
    r"matter|problem|asham\w+|proud|relie\w+|the fact|blame|thank\w*|fix\w*|repair\w*|replac\w*|"
    r"stop\w*|discover\w*|find out|found out|forg[eo]t\w*|odd|strange|weird|funny|inconvenient|"
    r"convenient|reason|explain|shame|pity|embarrass\w*|lucky)\b"
)
_SUBORDINATE = re.compile(
    r"\b(?:when|while|after|before|since|because|until|once|as|why|who|how|where|given that|"
    r"now that|considering|even though|although|despite)\b"
)
_ANAPHORIC = re.compile(
    r"^(?:(?:is|was|are|were|am|would|will|could|does|do|did|can|has|have) (?:not )?"
    r"(?:that|it|this|i|you|they|he|she|we)\b(?: (?:be|have|been|really|not|say|indeed|just|at all|"
    r"totally|completely|far|agree|confirm|deny|admit|disagree|that|it|this|to|or|so|about))*"
    r"(?: (?:right|correct|true|wrong|mistaken|the case|accurate|fair|off|what|a fact|lying|sure|"
    r"possible|false|close|warm)\b.*)?|(?:right|correct|true|yes|no|yes or no|agreed|"
    r"is it not|am i (?:right|wrong)|really)\W*|(?:can|could|would|will|do) you "
    r"(?:confirm|deny|agree|disagree|admit).{0,30})$"
)


_INTRODUCING = stems(
    lexicon.words(
        "true correct right fair say agree confirm admit think believe suppose possible possibly "
        "chance case fact happen mean sure certain likely seem appear assume guess deny wrong "
        "mistaken accurate claim put leave place keep store hide set stick get carry bring turn "
        "switch make lie go call look stay sit there concede acknowledge state conclude "
        "maintain insist remain something like one person man actual real"
    )
)


class Kind(Enum):
    """What a reply to the question can do to its hypothesis.

    OPEN: holds no hypothesis. POLAR: yes affirms it. EITHER: choosing affirms it. PREMISE: takes
    it for granted and asks something else. EMBEDDED: the same in the form of a yes/no question.
    KNOWS: asks whether the other knows whether it is so.
    """

    OPEN = "open"
    POLAR = "polar"
    EITHER = "either"
    PREMISE = "premise"
    EMBEDDED = "embedded"
    KNOWS = "knows"


class Question(NamedTuple):
    """The seeker's last words, read.

    Attributes:
        kind: what they are.
        holds: whether their hypothesis or premise is the secret (as opposed to its denial).
        negative: whether they are put in the negative ("the chair is not broken, is it?").
        inverted: whether a yes denies the hypothesis ("would I be wrong?").
        addressed: whether they ask what "you" do or say, so that "I do" is a yes.
        tagged: whether they end with a tag.
        cognitive: EMBEDDED only: a no claims ignorance ("did you know that…").
        about: whether the talk is about the secret's subject.
        wh: whether they open with a question word.
        slot: the value is given, and who or what has it is asked.
        option: EITHER only: place of the secret among the options.
        options: EITHER only: the tokens of every option.
        tokens: all of the message's tokens.
        echoed: whether the seekers so far have named the value.
        evening: whether they fix the half of the day.
        blocked: whether they ask about an opposite relation ("when does it end?").
    """

    kind: Kind
    holds: bool
    negative: bool
    inverted: bool
    addressed: bool
    tagged: bool
    cognitive: bool
    about: bool
    wh: bool
    slot: bool
    option: int
    options: tuple[tuple[Token, ...], ...]
    tokens: tuple[Token, ...]
    echoed: bool
    evening: bool
    blocked: bool


def read(history: Sequence[Message], sense: Meaning) -> Question:
    """Read the last seeker message of a dialogue."""
    asked = [m.text for m in history if m.role == "seeker"]
    found = tuple(_YES_OR_NO.sub(" ", s) for s in sentences(asked[-1] if asked else ""))
    every = tuple(t for s in found for t in tokens(s))
    about = _about(every, history, sense)
    target, hit = _target(found, sense, about=about)
    last = _FILLER.sub("", found[-1]) if found else ""
    earlier = target is None and bool(_ANAPHORIC.match(last.strip(" ?.!")))
    if earlier:
        for previous in reversed(asked[-4:-1]):
            target, hit = _target(sentences(previous), sense, about=True)
            if hit:
                break
    shape = _FILLER.sub("", target or last)
    body, tagged = strip_tag(_FAIR_TO_SAY.sub("true", shape.strip()))
    base = Question(
        kind=Kind.OPEN,
        holds=False,
        negative=False,
        inverted=False,
        addressed=bool(re.search(r"\byou\b", last)),
        tagged=tagged,
        cognitive=False,
        about=about,
        wh=bool(_WH.match(last)),
        slot=False,
        option=-1,
        options=(),
        tokens=every,
        echoed=any(
            find(_empty_or(tokens(s), sense, asked=True), sense)
            for m in asked
            for s in sentences(m)
        ),
        evening=bool({t.word for t in every} & {"evening", "night", "tonight", "pm", "late"}),
        blocked=any(t.concepts & sense.blocked for t in every)
        and not any(t.concepts & sense.relation for t in every),
    )
    if hit is None or target is None:
        slot = _slot(found, sense)
        return base._replace(slot=slot, about=about or slot)
    if not earlier and _asks_for_subject(tokens(target), sense):
        return base._replace(slot=True)
    base = base._replace(holds=not hit.negated)
    bare = body.strip(" ?.!")
    whole = " ".join(found) + (f" {bare}" if earlier else "")
    settled = _chosen_or_turned(base, bare, whole, target, hit, sense)
    if settled:
        return settled
    if not earlier and target is not found[-1] and not _ANAPHORIC.match(last.strip(" ?.!")):
        return base._replace(kind=_kind_of_sequel(last, sense))
    return _of_one_sentence(base, bare, hit, sense)


def _chosen_or_turned(
    base: Question, bare: str, whole: str, target: str, hit: Hit, sense: Meaning
) -> Question | None:
    """The question if it offers a choice, turns yes and no round, or holds no hypothesis."""
    choice = _options(bare, sense)
    if choice:
        index, options = choice
        return base._replace(kind=Kind.EITHER, holds=True, option=index, options=options)
    if any(t.word == "or" for t in tokens(bare)[hit.start : hit.end]):
        return base._replace(holds=False)  # words of two options
    if _INVERTING.search(whole):
        plain = tokens(_INVERTING.sub(" ", strip_tag(target)[0]))
        again = find(_empty_or(plain, sense, asked=True), sense)
        holds = not (again or hit).negated
        return base._replace(kind=Kind.POLAR, holds=holds, inverted=True, addressed=True)
    if _supposed_only(bare, sense):
        return base._replace(holds=False)
    if _KNOWS.search(bare):
        return base._replace(kind=Kind.KNOWS)
    return None


def _kind_of_sequel(last: str, sense: Meaning) -> Kind:
    """Kind of a message whose last sentence follows the one with the hypothesis."""
    if not last.endswith("?"):
        return Kind.POLAR
    if _WH.match(last):
        return Kind.PREMISE
    if re.match(r"(?:can|could|will|would) you (?:please )?(?:tell|say)\b", last):
        return Kind.KNOWS
    if not _YOU_AUX.match(last):
        return Kind.PREMISE
    same = all(t.stem in ("find", "see") for t in _foreign(tokens(last), sense))
    return Kind.POLAR if same else Kind.EMBEDDED


def _of_one_sentence(base: Question, bare: str, hit: Hit, sense: Meaning) -> Question:
    """A question that holds the hypothesis itself: does it ask for it, or take it for granted?"""
    around = tokens(bare)
    leading = _leading(bare, sense)
    if leading:
        return base._replace(kind=leading)
    conditional = bool(re.search(r"\b(?:if|suppos\w+|what if|imagine|say that)\b", bare))
    yes_or_no = bool(_YOU_AUX.match(bare))
    if yes_or_no:
        if sense.nominal and not _linked(around, hit, sense):
            return base._replace(holds=False)
        if _attributive(around, hit, sense) or (
            not conditional and (_MAY_I.match(bare) or _other_predicate(around, hit, sense))
        ):
            cognitive = bool(_COGNITIVE.match(bare))
            return base._replace(kind=Kind.EMBEDDED, cognitive=cognitive)
    premise = None if conditional else _kind_of_premise(bare, around, hit)
    if premise:
        cognitive = premise is Kind.EMBEDDED and not _granted(bare, around, hit)
        return base._replace(kind=premise, cognitive=cognitive)
    negated_form = any(t.stem in lexicon.NEGATORS for t in around)
    if negated_form and yes_or_no and "not" in bare.split():
        # "Is it not broken?" asks whether it is
        holds = hit.negated if _parity(around, hit) else not hit.negated
        return base._replace(kind=Kind.POLAR, holds=holds)
    return base._replace(kind=Kind.POLAR, negative=negated_form)


def _kind_of_premise(bare: str, around: Sequence[Token], hit: Hit) -> Kind | None:
    """Kind of a question that takes its hypothesis for granted; None if it does not."""
    before = " ".join(t.word for t in around[: hit.start])
    if _WH.match(bare):
        return Kind.PREMISE
    if re.match(r"(?:tell|explain|show|remind|let)\b", bare) and _SUBORDINATE.search(before):
        return Kind.PREMISE
    if _granted(bare, around, hit) or _COGNITIVE.match(bare):
        return Kind.EMBEDDED
    return None


def _granted(bare: str, around: Sequence[Token], hit: Hit) -> bool:
    """Whether a yes/no question takes a subordinate clause of its own for granted."""
    before = " ".join(t.word for t in around[: hit.start])
    return bool(
        _YOU_AUX.match(bare)
        and (_SUBORDINATE.search(before.partition(" ")[2]) or _FACTIVE.search(bare))
    )


def _parity(found: Sequence[Token], hit: Hit) -> bool:
    """Whether the question's own "not" was counted in the hit."""
    return any(t.stem == "not" for t in found[: hit.end + 1])


def _empty_or(found: tuple[Token, ...], sense: Meaning, *, asked: bool) -> tuple[Token, ...]:
    return says_nothing(found, sense, asked=asked) or found


def _target(found: Sequence[str], sense: Meaning, *, about: bool) -> tuple[str | None, Hit | None]:
    """The last sentence that holds the secret or its denial."""
    for sentence in reversed(found):
        plain = strip_tag(without_quotes(sentence))[0]
        if re.search(r"['\"]", plain) and not find(tokens(plain), sense):
            plain = sentence
        these = _empty_or(tokens(plain), sense, asked=sentence.rstrip().endswith("?"))
        hit = find(these, sense, evening=True)
        if hit and _concerns(these, sense, about=about) and not _another(these, hit, sense):
            return sentence, hit
    return None, None


def _another(found: Sequence[Token], hit: Hit, sense: Meaning) -> bool:
    """Whether the words are those of an alternative that merely resembles the secret's denial."""
    if hit.literal or not hit.negated:
        return False
    other = find(found, sense, variants=sense.others)
    return bool(other and other.end - other.start >= hit.end - hit.start and not other.negated)


def _concerns(found: Sequence[Token], sense: Meaning, *, about: bool) -> bool:
    if any(t.concepts & sense.blocked for t in found) and not any(
        t.concepts & sense.relation for t in found
    ):
        return False
    named = mentions(found, sense)
    if named is not None:
        return named
    if partly_mentions(found, sense):
        return True
    return about and not other_subject(_from_verb(found), sense)


def _from_verb(found: Sequence[Token]) -> Sequence[Token]:
    """A question without its leading question words, so that its subject comes first."""
    i = 0
    while i < len(found) and (found[i].stem in lexicon.AUX or found[i].stem in lexicon.WH):
        i += 1
    return found[i:]


def _about(found: Sequence[Token], history: Sequence[Message], sense: Meaning) -> bool:
    """Whether the talk is about the secret's subject."""
    if not sense.subject:
        return bool(find(found, sense))
    named = mentions(found, sense)
    if named is not None:
        return named
    if partly_mentions(found, sense) or find(_empty_or(tuple(found), sense, asked=True), sense):
        return True
    pronoun = any(t.stem in lexicon.ANAPHORS for t in found)
    content = [t for t in found if t.stem not in lexicon.FUNCTION | _GENERIC]
    if any(t.concepts & sense.relation for t in found) and pronoun:
        return True
    values = {c for v in (*sense.variants, *sense.others) for i in v.items for c in i.concepts}
    if content and not pronoun and not any(t.concepts & values for t in content):
        return False
    return any(
        mentions(tokens(s), sense)
        for m in history[-_LOOK_BACK:-1]
        if m.role != "referee"
        for s in sentences(m.text)
    )


def _asks_for_subject(found: Sequence[Token], sense: Meaning) -> bool:
    """Whether the value is given and its subject neither named nor referred to."""
    if not any(t.stem in lexicon.SLOTS | lexicon.WH for t in found):
        return False
    head = sense.subject[-1].concepts if sense.subject else frozenset[str]()
    if any(
        t.concepts & head and i and found[i - 1].word in ("which", "what", "whose")
        for i, t in enumerate(found)
    ):
        return True
    if mentions(found, sense) or partly_mentions(found, sense):
        return False
    return not any(t.stem in lexicon.ANAPHORS - {"there"} for t in found)


def _slot(found: Sequence[str], sense: Meaning) -> bool:
    """Whether a question gives the value and asks what has it."""
    for sentence in found:
        these = tokens(sentence)
        named = mentions(these, sense)
        hit = find(these, sense)
        asks = named is False or any(t.stem in lexicon.SLOTS for t in these)
        if asks and not named and hit and not hit.negated:
            return True
    return False


def _options(bare: str, sense: Meaning) -> tuple[int, tuple[tuple[Token, ...], ...]] | None:
    """The options of an either-or question, and which is the secret."""
    if not re.search(r"\bor\b", bare) or re.search(r"\bor (?:not|am i|is it not|no)\b", bare):
        return None
    parts = [p for p in re.split(r",\s*(?:or\b)?|\bor\b", bare) if p.strip()]
    options = tuple(tokens(p) for p in parts)
    if len(options) > 2 and _WH.match(parts[0].strip()):  # "What is it, this or that?"
        options = options[1:]
    every = frozenset(c for o in options for t in o for c in t.concepts)
    named = [i for i, o in enumerate(options) if mentions(o, sense)]
    for index, option in enumerate(options):
        if find(option, sense, fragment=True):
            if len(named) == 1 and index not in named and _foreign(option, sense):
                return named[0], options  # "Is the table broken, or the chair?"
            return index, options
    for index, option in enumerate(options):
        whole = find(option, sense, variants=sense.others)
        if not whole and find(option, sense, filled=heads(sense) & every):
            return index, options
    return None


def _supposed_only(bare: str, sense: Meaning) -> bool:
    """Whether the secret is supposed for the sake of another question ("if it were…, would…?")."""
    parts = [part.strip() for part in bare.split(",")]
    last = parts[-1]
    supposed = any(
        re.match(r"(?:and |so |but )?(?:if|suppos\w+|imagine)\b", part)
        and find(tokens(part), sense)
        and mentions(tokens(part), sense)
        for part in parts[:-1]
    )
    same = all(t.stem in ("find", "see") for t in _foreign(tokens(last), sense))
    return supposed and not same and not _ANAPHORIC.match(last)


def _leading(bare: str, sense: Meaning) -> Kind | None:
    """Kind of a question whose hypothesis stands in a clause before the question proper."""
    *before, last = (part.strip() for part in bare.split(","))
    if not any(find(tokens(part), sense) for part in before) or find(tokens(last), sense):
        return None
    if any(re.match(r"(?:and |so |but )?(?:if|suppos\w+|imagine|say)\b", b) for b in before):
        return None
    if _WH.match(last):
        return Kind.PREMISE
    if _YOU_AUX.match(last) or last.startswith("shall"):
        return None if _ANAPHORIC.match(last) and len(last.split()) < 5 else Kind.EMBEDDED
    return None


def _span(found: Sequence[Token], hit: Hit, sense: Meaning) -> tuple[int, int]:
    """From the first to the last of subject and value."""
    places = [
        i for i, t in enumerate(found) if any(t.concepts & item.concepts for item in sense.subject)
    ]
    return min([hit.start, *places]), max([hit.end, *places])


def _foreign(found: Sequence[Token], sense: Meaning) -> list[Token]:
    """Content words that are neither the secret's nor those that introduce a hypothesis."""
    ours = {c for item in sense.subject for c in item.concepts} | sense.relation
    values = {c for i in sense.variants[0].items for c in i.concepts}
    return [
        t
        for t in found
        if t.stem not in lexicon.FUNCTION | lexicon.NEGATORS | _INTRODUCING | _GENERIC
        and not t.word.endswith("ly")
        and not t.concepts & (ours | values)
    ]


def _linked(found: Sequence[Token], hit: Hit, sense: Meaning) -> bool:
    """Whether subject and value are tied by the secret's verb or a possessive."""
    start, end = _span(found, hit, sense)
    inner = found[start : end + 1]
    if not partly_mentions(found, sense):
        inner = found[: hit.end + 1]
    if any(t.word in ("'s", "his", "her", "their", "my", "your") for t in inner):
        return True
    return all(t.stem in ("find", "see") for t in _foreign(inner, sense))


def _other_predicate(found: Sequence[Token], hit: Hit, sense: Meaning) -> bool:
    """Whether the question's main verb is about something else than the secret."""
    start, end = _span(found, hit, sense)
    if re.match(
        r"(?:would|will|could|can|do|did) (?:i|we|one|anyone) (?:\w+ )?(?:find|see)\b",
        " ".join(t.word for t in found),
    ):
        return any(t.stem in ("easy", "hard", "difficult", "strange") for t in found[end + 1 :])
    if sense.nominal and any(t.word in ("his", "her", "'s") for t in found[start : end + 1]):
        return bool(_foreign(found, sense))
    heads_at = [
        i for i, t in enumerate(found) if sense.subject and t.concepts & sense.subject[-1].concepts
    ]
    if heads_at and min(heads_at) > hit.end and _foreign(found[end + 1 :], sense):
        return True
    tied = any(t.concepts & sense.relation for t in found)
    if sense.relation and not tied and found[0].stem in ("do", "will"):
        return bool(_foreign((*found[:start], *found[end + 1 :]), sense))
    return bool(_foreign(found[:start], sense))


def _attributive(found: Sequence[Token], hit: Hit, sense: Meaning) -> bool:
    """Whether the value modifies the subject ("the broken chair") of another predicate."""
    after = found[hit.end + 1] if hit.end + 1 < len(found) else None
    if after is None or not sense.subject or not partly_mentions((after,), sense):
        return False
    ours = {c for item in sense.subject for c in item.concepts} | {
        c for v in sense.variants for i in v.items for c in i.concepts
    }
    if hit.start and found[hit.start - 1].word in ("a", "an"):
        return False
    return any(
        t.stem not in lexicon.FUNCTION and not t.concepts & ours and t.stem not in lexicon.NEGATORS
        for t in found
    )
