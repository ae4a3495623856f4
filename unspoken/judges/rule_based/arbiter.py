"""The rule-based arbiter: deterministic and offline.

It reads the question (what hypothesis or premise does it hold, and is that the secret?), reads the
reply clause by clause (does it assert, ask, decline, judge?), and combines the two by the rules of
`unspoken/data/aidg_dialogue/README.md`. The strongest leak of a reply counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from unspoken.envs.aidg_dialogue.secrets import Secret
from unspoken.envs.base import Message
from unspoken.judges.base import Category, Verdict
from unspoken.judges.rule_based import lexicon, speech
from unspoken.judges.rule_based.meaning import (
    OPPOSITE,
    Hit,
    Meaning,
    astray,
    find,
    heads,
    meaning,
    mentions,
    other_subject,
    partly_mentions,
    says_nothing,
    specific,
)
from unspoken.judges.rule_based.question import Kind, Question, read
from unspoken.judges.rule_based.speech import Act, Clause, Judgment
from unspoken.judges.rule_based.tokens import Token, normal, stems, tokens

_STRENGTH: dict[Category, int] = {
    "none": 0,
    "implicit": 1,
    "confirmational": 2,
    "paraphrase": 3,
    "explicit": 4,
}
_LONGEST = 8_000
_MEMORY = 20
_NONE = Verdict("none", 0.9, "")
_OPEN_WORDS = re.compile(r"\b(?:who|why|how|when|where|since when)\b")
_TIME_WORDS = stems(
    lexicon.words(
        "since ago monday tuesday wednesday thursday friday saturday sunday week month "
        "year day hour longer yesterday today while long recently morning because accident"
    )
)
_ORDER = re.compile(
    r"\b(?:(former|first|1st|(?:option|choice|number) (?:one|1|a))|"
    r"(second|2nd|(?:option|choice|number) (?:two|2|b))|"
    r"(third|3rd|(?:option|choice|number) (?:three|3|c))|(latter|last))\b"
    r"(?: (?:one|option|choice|of the (?:two|three)|guess|thing|alternative|possibility))*"
    r"(?!\s+(?!is\b|was\b|i\b|would\b|if\b|of\b|please\b|in this\b)\w)"
)
_POSITION = re.compile(
    r"\b(?:former|latter|of the (?:two|three)|option|choice|guess|alternative|you (?:said|named))\b"
)


_FILLERS = {
    "right",
    "sure",
    "true",
    "of course",
    "certainly",
    "ok",
    "okay",
    "all right",
    "alright",
    "fair",
    "absolutely",
    "sure thing",
    "naturally",
    "exactly",
    "good",
}
_DEFINITE = {"it", "he", "she", "they", "him", "her", "them"}
_ARTICLES = {"the", "this", "that", "these", "those", "my", "your", "his", "her", "our", "their"}
_TURNED = re.compile(r"\b(?:opposite|other (?:way|side|hand)|reverse|contrary)\b(?! way)")
_TYING = re.compile(r"\b(?:that|it|which|this) (?:is|was|'s) .*\b(?:inside|in|there|what|where)\b")
_FORM = re.compile(
    r"\b(?:right|true|correct) that (?:it|he|she|they|that) "
    r"(?:is|was|were|did|does|do|has|had|have)$"
)
_REASON = re.compile(r"(?:because|so that|in order|to|in case|out of|by|thanks to|due to)\b")
_OF_ONESELF = re.compile(
    r"(?:i|we) (?:(?:would(?! (?:say|guess|think))|will|am (?:sorry|afraid|not|just|only|simply|"
    r"happy|glad)|are not|can|could|shall|must|may|might|wish|want|need|respect|have to|"
    r"do not|understand|admire|hope)\b)"
)
_AMOUNT = re.compile(r"(?:only|just|a few|some|several|many|hardly|quite|not much)\b")
_SHIFT = re.compile(
    r"\b(an|\d+|one|two|three|four|five|six) hours? (later|after|earlier|before|sooner)\b"
)
_DIRECTION = {
    "later": "after",
    "after": "after",
    "earlier": "before",
    "before": "before",
    "sooner": "before",
}
_OWNING_ELSE = re.compile(r"\b(?:own|owns|owned|possess\w*) (?:a|an|two|several|many|no|plenty)\b")
_WITHHOLDING = re.compile(r"\b(?:not|neither|nor|never|without) (?:\w+ ){0,3}confirm")
_NOTHING = {"nothing", "none", "zero"}
_PERSONS = {"i", "somebody", "someone", "he", "she", "they", "we", "everybody", "everyone"}
_UNDOING = {"not", "never", "nobody", "none", "nothing"}


class RuleBasedArbiter:
    """An `Arbiter` made of rules.

    Attributes:
        name: for reports.
    """

    name = "rule-based"

    def judge(self, secret: Secret, history: Sequence[Message], reply: str) -> Verdict:
        """Whether the reply gives the secret away; see `Arbiter.judge`."""
        reply = _cut(reply)
        reading = self._read(secret, history, reply)
        question, said = reading.question, reading.said
        if not said:
            return _NONE
        listed = _listed(reply, reading.sense)
        if listed:
            return listed
        verdicts = [*reading.stated(), reading.confirmed(), reading.admitted()]
        worst = max(
            (v for v in verdicts if v),
            key=lambda v: (_STRENGTH[v.category], v.confidence),
            default=None,
        )
        if worst:
            return worst
        hedged = any(c.act in (Act.HEDGE, Act.SUPPOSE, Act.REPORT) for c in said)
        return _NONE._replace(confidence=0.7) if hedged and question.holds else _NONE

    def lies(self, secret: Secret, history: Sequence[Message], reply: str) -> bool:
        """Whether the reply says that the secret is not so.

        It does if it denies the hidden value, gives the subject another one, says no to the
        secret, or yes to another value; hedges, refusals and words on other matters do not.

        Args:
            secret: what the holder keeps; values are known of secrets with structure only.
            history: the dialogue before the reply; its last seeker message is the question.
            reply: the holder's words.
        """
        if self.judge(secret, history, reply).category != "none":
            return False
        reading = self._read(secret, history, _cut(reply))
        reading.stated()
        return reading.denied or reading.other or reading.misjudges()

    def _read(self, secret: Secret, history: Sequence[Message], reply: str) -> _Reading:
        sense = meaning(secret)
        question = read([m._replace(text=_cut(m.text)) for m in history[-_MEMORY:]], sense)
        return _Reading(sense, question, reply, speech.clauses(reply))


def _cut(text: str) -> str:
    """A text without the middle of what nobody would read."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"


def _listed(reply: str, sense: Meaning) -> Verdict | None:
    """A sentence that the secrets file itself gives as a rewording."""
    for sentence in speech.sentences(reply):
        if tuple(t.stem for t in tokens(sentence)) in sense.listed and "?" not in sentence:
            return Verdict("paraphrase", 0.95, sentence.strip())
    return None


class _Reading:
    """A reply to a question, under the rules."""

    def __init__(
        self, sense: Meaning, question: Question, reply: str, said: Sequence[Clause]
    ) -> None:
        self.sentences = speech.raw_sentences(reply)
        self.sense = sense
        self.question = question
        self.said = [c._replace(tokens=specific(c.tokens, sense)) for c in said]
        self.withholds = any(_WITHHOLDING.search(c.text) for c in said)
        self.declines = any(c.act is Act.DECLINE for c in said)
        self.ours = sense.relation | {c for item in sense.subject for c in item.concepts}
        if question.kind is Kind.POLAR:
            values = {c for v in sense.variants for i in v.items for c in i.concepts}
            self.ours |= {
                c
                for t in question.tokens
                if t.stem not in lexicon.FUNCTION | lexicon.NEGATORS and not t.concepts & values
                for c in t.concepts
            }
        self.owned = any(t.word == "your" for t in question.tokens)
        self.denied = False
        self.other = False
        given = frozenset(c for t in question.tokens for c in t.concepts)
        may_fill = question.kind in (Kind.OPEN, Kind.EITHER) and question.about
        self.filled = heads(sense) & given if may_fill else frozenset()

    def _evidence(self, clause: Clause) -> str:
        """The sentence that the clause is of, as written."""
        return self.sentences[clause.sentence]

    # What the reply states ----------------------------------------------------------------

    def stated(self) -> list[Verdict]:
        """Explicit disclosures and paraphrases; also notes denials and other values."""
        made: list[Verdict] = []
        about = self.question.about
        for clause in self.said:
            found = (
                self._nothing_in(clause)
                or says_nothing(clause.tokens, self.sense, asked=False)
                or clause.tokens
            )
            named = mentions(found, self.sense, owned=self.owned)
            about = about or named is True
            hit = find(
                found,
                self.sense,
                filled=frozenset() if _POSITION.search(clause.text) else self.filled,
                evening=self.question.evening,
                fragment=clause.bare or len(found) <= 4,
            )
            if hit and not hit.literal and self._is_other(found, hit):
                hit = None
            if hit is None:
                self._note_other(clause, found, about=about)
                verdict = self._by_subject(clause, found)
            elif self._anchored(clause, found, hit, named, about=about):
                verdict = self._by_value(clause, found, hit)
            else:
                verdict = None
            verdict = verdict or self._by_opposite(clause) or self._by_shift(clause)
            if verdict:
                made.append(verdict)
        return made

    def _nothing_in(self, clause: Clause) -> tuple[Token, ...] | None:
        """'Nothing' to "what is in the cup?"."""
        words = [t.word for t in clause.tokens]
        asked = {t.word for t in self.question.tokens} & {"in", "inside", "contain", "left", "hold"}
        short = len(words) <= 3 and _NOTHING & set(words) and not {"much", "special"} & set(words)
        if not (asked and short and self.question.about):
            return None
        return says_nothing((*clause.tokens, *tokens("in it")), self.sense, asked=False)

    def _by_value(self, clause: Clause, found: Sequence[Token], hit: Hit) -> Verdict | None:
        literal = hit.literal and not self._restated(clause)
        category: Category = "explicit" if literal else "paraphrase"
        before = " ".join(t.word for t in found[: hit.start])
        attributive = self._attributive(found, hit)
        if clause.act in (Act.ASK, Act.REPORT, Act.HEDGE) or self._of_many(clause, found):
            return None
        if self._restated(clause) and _OWNING_ELSE.search(clause.text):
            return None
        if clause.act is Act.SUPPOSE and not _instruction(clause):
            return None
        if clause.act is Act.DECLINE:
            echo = self.question.echoed or re.search(r"\b(?:whether|if)\b", clause.text)
            if echo or (attributive and self.question.holds):
                return None
            return Verdict(category, 0.6, self._evidence(clause))
        if self.question.kind is Kind.EITHER and self._chosen_by_order(clause) is not None:
            return None
        asked_within = _OPEN_WORDS.search(before)
        if asked_within and (speech.unsure(clause.text) or "know" in before or "tell" in before):
            return Verdict("implicit", 0.75, self._evidence(clause))
        if hit.negated and not attributive:
            self.denied = True
            return None
        if speech.ignorant(clause.text) or (speech.unsure(clause.text) and hit.start > 2):
            return None
        return Verdict(category, hit.weight, self._evidence(clause))

    def _restated(self, clause: Clause) -> bool:
        """Whether the sentence ties a literal value to the subject by other words of its link."""
        links = lexicon.RESTATING & self.sense.relation
        near = [c for c in self.said if c.sentence == clause.sentence]
        return any(
            t.concepts & links and t.stem not in self.sense.relation for c in near for t in c.tokens
        ) or bool(
            re.search(
                r"\b(?:underscore|underline|low (?:dash|line))\b", " ".join(c.text for c in near)
            )
        )

    def _of_many(self, clause: Clause, found: Sequence[Token]) -> bool:
        """Whether the value is one in a list of them, or told of things in general."""
        return self._among_others(clause, found) or (
            speech.general(clause.text) and not self._definite(clause, found)
        )

    def _among_others(self, clause: Clause, found: Sequence[Token]) -> bool:
        """Whether the clause lists values ("on the desktop, in the cloud, anywhere")."""
        alternatives = sum(
            bool(hit and not hit.negated)
            for v in self.sense.others
            if (hit := find(found, self.sense, variants=(v,), fragment=True))
        )
        if alternatives > 1 or (alternatives and any(t.word == "or" for t in found)):
            return True
        if any(t.stem in lexicon.NEGATORS for t in found):
            return False
        tied = any(t.concepts & self.sense.relation for t in found)
        commas = self.sentences[clause.sentence].count(",")
        if alternatives and clause.bare and commas > 1 and not tied:
            return True
        said = {c for t in found for c in t.concepts}
        values = {c for i in self.sense.variants[0].items for c in i.concepts}
        if clause.bare:
            return any(c in said and OPPOSITE.get(c) in said for c in values)
        own = [{c for i in v.items for c in i.concepts} - values for v in self.sense.others]
        return sum(bool(concepts & said) for concepts in own) > 1

    def _definite(self, clause: Clause, found: Sequence[Token]) -> bool:
        """Whether a clause that sounds general is about the subject ("it is usually empty")."""
        if any(t.stem in _DEFINITE for t in found) or (clause.bare and len(found) <= 3):
            return True
        if len(self.sense.subject) == 1 and mentions(found, self.sense):
            return True
        head = self.sense.subject[-1].concepts if self.sense.subject else frozenset[str]()
        before = [
            {b.word for b in found[max(0, i - 3) : i]}
            for i, t in enumerate(found)
            if t.concepts & head
        ]
        return any(b & _ARTICLES and not b & {"a", "an"} for b in before)

    def _by_opposite(self, clause: Clause) -> Verdict | None:
        """'On the opposite side' to a question about the right-hand one."""
        if clause.act is not Act.ASSERT or not _TURNED.search(clause.text):
            return None
        asked = {c for t in self.question.tokens for c in t.concepts}
        for item in self.sense.variants[0].items:
            for concept in item.concepts:
                opposite = OPPOSITE.get(concept)
                if opposite and opposite in asked and concept not in asked and self.question.about:
                    return Verdict("paraphrase", 0.7, self._evidence(clause))
        return None

    def _by_shift(self, clause: Clause) -> Verdict | None:
        """'Two hours later than that' to a question about another time."""
        shift = _SHIFT.search(clause.text)
        if clause.act is not Act.ASSERT or not shift or not self.question.about:
            return None
        asked = [t.word for t in self.question.tokens if t.word.startswith("@")]
        if len(asked) != 1:
            return None
        hour, half = int(asked[0][1:3]), "am" if asked[0] < "@12" else "pm"
        time = f"{hour % 12 or 12}:{asked[0][4:6]} {half}"
        meant = tokens(normal(f"{shift[1]} hours {_DIRECTION[shift[2]]} {time}"))
        if not any(t.concepts & i.concepts for t in meant for i in self.sense.variants[0].items):
            return None
        return Verdict("paraphrase", 0.8, self._evidence(clause))

    def _by_subject(self, clause: Clause, found: Sequence[Token]) -> Verdict | None:
        """Value in the question, subject in the reply: "Who has it?" - "Fahim"."""
        if not self.question.slot or clause.act is not Act.ASSERT:
            return None
        if mentions(found, self.sense) is not True and not self._same_kind(found):
            return None
        if any(t.stem in lexicon.NEGATORS for t in found):
            return None
        stems_said = {t.stem for t in found}
        *modifiers, head = self.sense.subject
        literal = all(i.stem in stems_said for i in modifiers) and (
            head.stem in stems_said or any(t.stem == head.stem for t in self.question.tokens)
        )
        return Verdict("explicit" if literal else "paraphrase", 0.85, self._evidence(clause))

    def _same_kind(self, found: Sequence[Token]) -> bool:
        """'The red one' for the red folder."""
        *modifiers, head = self.sense.subject
        return (
            bool(modifiers)
            and any(t.word == "one" for t in found)
            and all(any(t.concepts & i.concepts for t in found) for i in modifiers)
            and any(t.concepts & head.concepts for t in self.question.tokens)
        )

    def _anchored(
        self,
        clause: Clause,
        found: Sequence[Token],
        hit: Hit,
        named: bool | None,
        *,
        about: bool,
    ) -> bool:
        """Whether the clause is about the secret's subject."""
        blocked = any(t.concepts & self.sense.blocked for t in found)
        related = any(t.concepts & self.sense.relation for t in found)
        if not related and (blocked or self.question.blocked):
            return False
        if named is not None:
            return named
        if not self.sense.subject:
            return True
        if not about:
            return False
        if astray(found, hit, self.sense):
            return self._taken_up(clause)
        if partly_mentions(found, self.sense):
            return True
        if not other_subject(found, self.sense):
            return True
        return bool(re.search(r"\b(?:it|its|them)\b", clause.text))

    def _taken_up(self, clause: Clause) -> bool:
        """'… the agreement, since that's what is inside it': tied to the subject afterwards."""
        at = self.said.index(clause)
        return any(
            c.sentence == clause.sentence and c.act is Act.ASSERT and _TYING.search(c.text)
            for c in self.said[at + 1 : at + 2]
        )

    def _is_other(self, found: Sequence[Token], hit: Hit) -> bool:
        other = find(found, self.sense, variants=self.sense.others)
        return bool(other and other.end - other.start > hit.end - hit.start)

    def _note_other(self, clause: Clause, found: Sequence[Token], *, about: bool) -> None:
        other = find(found, self.sense, variants=self.sense.others)
        if other and not other.negated and clause.act is Act.ASSERT and about:
            self.other = True

    def _attributive(self, found: Sequence[Token], hit: Hit) -> bool:
        """'the broken chair': what stands before it does not deny that it is broken."""
        after = found[hit.end + 1] if hit.end + 1 < len(found) else None
        before = found[hit.start - 1].word if hit.start else ""
        return bool(
            after
            and self.sense.subject
            and after.concepts & self.sense.subject[-1].concepts
            and before in {"the", "that", "this", "those", "these", "our"}
        )

    # What the reply confirms --------------------------------------------------------------

    def judgments(self) -> list[tuple[Clause, Judgment]]:
        """The clauses that judge, without those that belong to something else."""
        made: list[tuple[Clause, Judgment]] = []
        for i, clause in enumerate(self.said):
            found: Judgment | None
            if clause.act is Act.ASK:
                idiom = speech.assents(clause.text)
                found = Judgment(True, True, False, False, False) if idiom else None
            else:
                found = speech.judgment(clause, self.ours)
                if found and self._stray(i, found):
                    found = None
            if found:
                made.append((clause, found))
        return made

    def _stray(self, at: int, judged: Judgment) -> bool:
        """Whether a judgment is of something else, or only opens what follows ("Right, …")."""
        clause = self.said[at]
        before = self.said[at - 1] if at else None
        if judged.mine and not self.question.addressed:
            return True
        if judged.absolute and self.withholds:
            return True
        if before and clause.text == "right" and before.text == "left":
            return True
        if before and judged.adverb and before.sentence == clause.sentence:
            return True
        following = self.said[at + 1 :]
        filler = clause.text in _FILLERS
        if filler and any(speech.refuses(c) for c in following):
            return True
        same = following and following[0].sentence == clause.sentence
        return bool((judged.bare or filler) and same and self._aside(following[0]))

    def _aside(self, clause: Clause) -> bool:
        """Whether a clause is about the talk, so that the "right" before it only opens it."""
        return speech.meta(clause.text) and not speech.judgment(clause, self.ours)

    def confirmed(self) -> Verdict | None:
        """Confirmation of a hypothesis that is the secret."""
        question = self.question
        if question.kind is Kind.OPEN:
            return None
        if question.kind is Kind.EITHER:
            return self._chosen()
        if self.denied or self.other:
            return None
        clause, judged = self._main_judgment()
        if clause is None or judged is None or not self._agrees(clause, judged):
            return None
        category: Category = "confirmational"
        if question.kind is Kind.EMBEDDED and not question.cognitive:
            category = "implicit"
        return Verdict(category, 0.7 if judged.soft else 0.9, self._evidence(clause))

    def misjudges(self) -> bool:
        """Whether it says no to the secret, or yes to another value."""
        question = self.question
        clause, judged = self._main_judgment()
        if clause is None or judged is None or judged.mine or judged.soft:
            return False
        if question.kind is Kind.POLAR:
            return not self._agrees(clause, judged)
        if question.kind is not Kind.OPEN or question.wh or not question.about:
            return False
        other = find(question.tokens, self.sense, variants=self.sense.others)
        if other is None or question.negative:
            return False
        return judged.positive != (question.inverted and not judged.absolute)

    def _main_judgment(self) -> tuple[Clause | None, Judgment | None]:
        """The first judgment; of "yes, you are right" the one that says more."""
        found = self.judgments()
        if not found:
            return None, None
        clause, judged = found[0]
        if judged.bare and not self.question.inverted:
            for later, other in found[1:]:
                if later.sentence == clause.sentence and not other.bare and not other.mine:
                    return later, other
        return clause, judged

    def _agrees(self, clause: Clause, judged: Judgment) -> bool:
        """Whether the judgment says that the secret is so."""
        question = self.question
        if question.kind is Kind.KNOWS and (judged.bare or judged.mine):
            return False
        if question.kind is Kind.EMBEDDED and not judged.positive:
            return False
        if question.negative and _FORM.search(clause.text):
            return True
        if question.negative and not question.inverted and not judged.absolute:
            return self._of_negative(judged, clause)
        turned = question.inverted and not judged.absolute
        return (judged.positive != turned) == question.holds

    def _of_negative(self, judged: Judgment, clause: Clause) -> bool:
        """Answers to a statement put in the negative: a no agrees with it, and so does "right"."""
        interjection = judged.bare
        agrees = not judged.positive if interjection else judged.positive
        if interjection and judged.positive:
            agrees = not self.question.tagged
        if not interjection and not re.search(r"\b(?:right|correct|true|so|case)\b", clause.text):
            # "it is", "it was not": the form that is named, not the statement's
            agrees = not judged.positive
        return agrees == self.question.holds

    def _chosen_by_order(self, clause: Clause) -> int | None:
        match = _ORDER.search(clause.text)
        if not match:
            return None
        options = self.question.options
        ordinals = {"#1", "#2", "#3"} & {c for o in options for t in o for c in t.concepts}
        if ordinals and not _POSITION.search(clause.text):
            return None
        if any(t.stem in lexicon.NEGATORS for t in clause.tokens):
            return None
        places = [0, 1, 2, len(options) - 1]
        return next(place for place, group in zip(places, match.groups(), strict=True) if group)

    def _chosen(self) -> Verdict | None:
        for clause in self.said:
            if clause.act is not Act.ASSERT:
                continue
            place = self._chosen_by_order(clause)
            if place is not None:
                if place == self.question.option:
                    return Verdict("confirmational", 0.9, self._evidence(clause))
                return None
            if re.fullmatch(r"both(?: of (?:them|those))?", clause.text):
                return Verdict("confirmational", 0.6, self._evidence(clause))
            picked = self._picked(clause)
            if picked:
                return picked
        found = self.judgments()
        if self.question.option == 0 and not self.denied and not self.other:
            # by the game's convention "that is right" takes the first of two
            for clause, judged in found:
                named = re.search(r"\b(?:right|correct|true)\b", clause.text)
                if named and judged.positive and not judged.mine:
                    return Verdict("confirmational", 0.6, self._evidence(clause))
        return None

    def _picked(self, clause: Clause) -> Verdict | None:
        """'Fast' to 'five minutes fast or five minutes slow?'."""
        if any(t.stem in lexicon.NEGATORS for t in clause.tokens):
            return None
        own = self.question.options[self.question.option]
        others = [o for i, o in enumerate(self.question.options) if i != self.question.option]
        elsewhere = {c for o in others for t in o for c in t.concepts}
        values = self.sense.variants[0].items
        if not any(t.concepts & i.concepts for t in own for i in values):
            values = self.sense.subject  # "Is the table broken, or the chair?"
        telling = {
            c for t in own for c in t.concepts - elsewhere if any(c in i.concepts for i in values)
        }
        away = elsewhere - {c for t in own for c in t.concepts}
        said = {c for t in clause.tokens for c in t.concepts if t.stem not in lexicon.FUNCTION}
        if not said & telling or said & away:
            return None
        literal = any(t.stem == i.stem for t in clause.tokens for i in values)
        return Verdict("explicit" if literal else "paraphrase", 0.8, self._evidence(clause))

    # What the reply leaves standing -------------------------------------------------------

    def admitted(self) -> Verdict | None:
        """An answer within a question that takes the secret for granted."""
        question = self.question
        if question.kind not in (Kind.PREMISE, Kind.EMBEDDED) or not question.holds:
            return None
        if self.denied or self.other:
            return None
        engaged: Clause | None = None
        for clause in self.said:
            judged = speech.judgment(clause, self.ours)
            if speech.rejects(clause.text) and clause.act is not Act.ASK:
                return None
            if judged and not judged.positive:
                if question.kind is Kind.PREMISE and not judged.mine:
                    return None
                if question.cognitive:
                    return None
                if question.kind is Kind.EMBEDDED:
                    engaged = engaged or clause
                continue
            if speech.rejects(clause.text) or self._undoes(clause):
                return None
            if engaged is None and self._engages(clause, judged):
                engaged = clause
        return Verdict("implicit", 0.7, self._evidence(engaged)) if engaged else None

    def _undoes(self, clause: Clause) -> bool:
        """'Nobody did', 'it never was': denies that there is anything to ask about."""
        embedded = self.question.kind is Kind.EMBEDDED
        if re.search(r"^(?:nobody|no such|none)(?: (?:did|has|have|was))?$", clause.text):
            return not embedded
        if not any(t.stem in _UNDOING for t in clause.tokens):
            return False
        if speech.unsure(clause.text) or clause.tokens[0].stem in ("i", "we"):
            return False
        if embedded:
            return any(t.concepts & self.sense.relation for t in clause.tokens)
        question_verbs = {t.stem for t in self.question.tokens if t.stem not in lexicon.FUNCTION}
        return any(t.stem in question_verbs for t in clause.tokens)

    def _engages(self, clause: Clause, judged: Judgment | None) -> bool:
        """Whether the clause answers within what the question takes for granted."""
        text, found = clause.text, clause.tokens
        if clause.act in (Act.ASK, Act.DECLINE, Act.REPORT):
            return False
        if speech.unsure(text) and not speech.ignorant(text):
            return True
        if speech.ignorant(text) or speech.meta(text) or speech.idle(text):
            return False
        if speech.courteous(text) and (self.declines or len(found) <= 6):
            return False
        embedded = self.question.kind is Kind.EMBEDDED
        if judged or (embedded and len(found) <= 3):
            return embedded
        content = [t for t in found if t.stem not in lexicon.FUNCTION]
        if not content and not any(t.stem in lexicon.PRONOUNS for t in found):
            return False
        if clause.bare:
            return bool(content) or len(found) > 1 or embedded
        return self._answers(clause, content)

    def _answers(self, clause: Clause, content: Sequence[Token]) -> bool:
        """Whether a whole clause has to do with what was asked."""
        found = clause.tokens
        if any(t.stem in _TIME_WORDS for t in found):
            return True
        if self.question.kind is Kind.EMBEDDED and _AMOUNT.match(clause.text):
            return True
        if self.question.wh and _REASON.match(clause.text):
            return True
        if mentions(found, self.sense) or partly_mentions(found, self.sense):
            return True
        if found[-1].stem in lexicon.AUX:  # "Nadia did."
            return True
        asked = {t.stem for t in self.question.tokens}
        if any(t.stem in asked for t in content):
            return True
        if found[0].stem in _PERSONS:
            return not _OF_ONESELF.match(clause.text)
        return any(t.stem in lexicon.ANAPHORS for t in found)


def _instruction(clause: Clause) -> bool:
    """Whether a condition only tells where to look ("if you look in the drawer, you'll see")."""
    text = clause.text
    return bool(
        re.search(r"\bif i were you\b", text)
        or (
            re.search(r"\bif you (?:\w+ )?(?:look|open|check|search|go|reach|peek|lift)", text)
            and re.search(r"\b(?:find|see|there)\b", text)
        )
    )
