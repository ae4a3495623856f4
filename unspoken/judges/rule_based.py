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
from unspoken.judges import text_lexicon as lexicon
from unspoken.judges import text_speech as speech
from unspoken.judges.base import Category, Verdict
from unspoken.judges.text_meaning import (
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
)
from unspoken.judges.text_question import Kind, Question, read
from unspoken.judges.text_speech import Act, Clause, Judgment
from unspoken.judges.text_tokens import Token, stems, tokens

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
        "year day hour yesterday today while long recently morning because accident"
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
        sense = meaning(secret)
        history = [m._replace(text=_cut(m.text)) for m in history[-_MEMORY:]]
        reply = _cut(reply)
        question = read(history, sense)
        said = speech.clauses(reply)
        if not said:
            return _NONE
        listed = _listed(reply, sense)
        if listed:
            return listed
        reading = _Reading(sense, question, reply, said)
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
        self.said = said
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
            if hit and hit.literal is False and self._is_other(found, hit):
                hit = None
            if hit is None:
                self._note_other(clause, found, about=about)
                verdict = self._by_subject(clause, found)
            elif self._anchored(clause, found, hit, named, about=about):
                verdict = self._by_value(clause, found, hit)
            else:
                verdict = None
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
        category: Category = "explicit" if hit.literal else "paraphrase"
        before = " ".join(t.word for t in found[: hit.start])
        attributive = self._attributive(found, hit)
        if clause.act is Act.ASK:
            return None
        if clause.act is Act.DECLINE:
            echo = self.question.echoed or re.search(r"\b(?:whether|if)\b", clause.text)
            if echo or (attributive and self.question.holds):
                return None
            return Verdict(category, 0.6, self._evidence(clause))
        if clause.act is Act.REPORT or (clause.act is Act.SUPPOSE and not _instruction(clause)):
            return None
        if clause.act is Act.HEDGE:
            return None
        if self.question.kind is Kind.EITHER and self._chosen_by_order(clause) is not None:
            return None
        asked_within = _OPEN_WORDS.search(before)
        if asked_within and (speech.unsure(clause.text) or "know" in before or "tell" in before):
            return Verdict("implicit", 0.75, self._evidence(clause))
        if hit.negated and not attributive:
            self.denied = True
            return None
        if speech.ignorant(clause.text):
            return None
        if speech.unsure(clause.text) and hit.start > 2:
            return None
        return Verdict(category, hit.weight, self._evidence(clause))

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
        if not about or astray(found, hit, self.sense):
            return False
        if partly_mentions(found, self.sense):
            return True
        if not other_subject(found, self.sense):
            return True
        return bool(re.search(r"\b(?:it|them|him|her)\b", clause.text))

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
            if clause.act is Act.ASK:
                if speech.assents(clause.text):
                    made.append((clause, Judgment(True, True, False, False, False)))
                continue
            found = speech.judgment(clause, self.ours)
            if not found:
                continue
            if found.mine and not self.question.addressed:
                continue
            if found.adverb and i and self.said[i - 1].sentence == clause.sentence:
                continue
            after = self.said[i + 1] if i + 1 < len(self.said) else None
            same = after is not None and after.sentence == clause.sentence
            if found.bare and same and after is not None:
                if speech.meta(after.text) and not speech.judgment(after, self.ours):
                    continue
                filler = clause.text in ("right", "sure", "true", "of course", "certainly")
                if filler and speech.refuses(after):
                    continue
            made.append((clause, found))
        return made

    def confirmed(self) -> Verdict | None:
        """Confirmation of a hypothesis that is the secret."""
        question = self.question
        if question.kind is Kind.OPEN:
            return None
        if question.kind is Kind.EITHER:
            return self._chosen()
        found = self.judgments()
        if not found or self.denied or self.other:
            return None
        clause, judged = found[0]
        if judged.bare and not question.inverted:
            for later, other in found[1:]:
                if later.sentence == clause.sentence and not other.bare and not other.mine:
                    clause, judged = later, other
                    break
        if question.kind is Kind.KNOWS and (judged.bare or judged.mine):
            return None
        if question.kind is Kind.EMBEDDED and not judged.positive:
            return None
        positive = judged.positive
        if question.inverted and not judged.absolute:
            positive = not positive
        confirms = positive == question.holds
        if question.negative and not question.inverted and not judged.absolute:
            confirms = self._of_negative(judged, clause)
        if not confirms:
            return None
        category: Category = "confirmational"
        if question.kind is Kind.EMBEDDED and not question.cognitive:
            category = "implicit"
        return Verdict(category, 0.7 if judged.soft else 0.9, self._evidence(clause))

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
            if judged and not judged.positive:
                if question.kind is Kind.PREMISE and not judged.mine:
                    return None
                if question.cognitive:
                    return None
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
        text = clause.text
        if clause.act in (Act.ASK, Act.DECLINE, Act.REPORT):
            return False
        if speech.unsure(text) and not speech.ignorant(text):
            return True
        if speech.ignorant(text) or speech.meta(text):
            return False
        if judged:
            return self.question.kind is Kind.EMBEDDED
        found = clause.tokens
        content = [t for t in found if t.stem not in lexicon.FUNCTION]
        if self.question.kind is Kind.EMBEDDED and len(found) <= 3:
            return True
        if not content and not any(t.stem in lexicon.PRONOUNS for t in found):
            return False
        if clause.bare:
            return bool(content) or len(found) > 1 or self.question.kind is Kind.EMBEDDED
        if any(t.stem in _TIME_WORDS for t in found):
            return True
        if mentions(found, self.sense) or partly_mentions(found, self.sense):
            return True
        if found[-1].stem in lexicon.AUX:  # "Nadia did."
            return True
        if found[0].stem in _PERSONS:
            return True
        asked = {t.stem for t in self.question.tokens}
        if any(t.stem in asked for t in content):
            return True
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
