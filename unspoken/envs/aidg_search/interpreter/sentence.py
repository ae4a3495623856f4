"""Reads one sentence: which moves it makes, and whether it takes back the one before it."""

from __future__ import annotations

import re
from functools import cached_property

from unspoken.envs.aidg_search.interpreter import clean
from unspoken.envs.aidg_search.interpreter.bank import Bank
from unspoken.envs.aidg_search.interpreter.clauses import (
    AUXILIARIES,
    Clause,
    clauses,
    lead,
    plain,
    with_subject,
    without_tail,
)
from unspoken.envs.aidg_search.interpreter.guess import (
    DETERMINERS,
    PREPOSITIONS,
    STOP,
    Lexicon,
    Named,
)
from unspoken.envs.aidg_search.interpreter.lock import locks
from unspoken.envs.aidg_search.interpreter.moves import (
    Candidate,
    Weight,
    guess,
    no_move,
    open_question,
)
from unspoken.envs.aidg_search.ontology import Ontology
from unspoken.envs.aidg_search.reading import Reading

# --- guesses that are not of the form "is it X" ---
_DECLARED = re.compile(
    r"(?:(?:my|the|a|first|next|best|current|only|final|educated|wild|so|then) )*"
    r"(?:guess|answer|bet|pick|choice|it)(?: here| now)?"
    r"(?P<is> (?:is|would be|will be|would have to be|must be)(?: [:,-])?| [:=>-]+| ,)?"
    r"(?: that it is| it is)?(?: \x01)? (?P<what>.+)$"
)
_ANNOUNCED = re.compile(
    r"(?:so |then )?(?:i|we|let me|let us)(?: am)?(?: will| would| shall| want to| am going to|"
    r" would like to| have to| must)?(?: just| now| then)*"
    r" (?:guess|guessing|say|saying|go with|going with|choose|choosing|pick|picking|answer|bet on|"
    r"settle on|try|submit)(?: it is| that it is| is)?(?: [:,\x01])*(?: it is|"
    r" is it)? (?P<what>.+)$"
)
_ANSWERED = re.compile(
    r"(?P<what>.+?) (?:is|would be|will be) (?:my (?:\w+ )?(?:guess|answer|pick|choice|bet)|it)$"
)
_OFFERED = re.compile(
    r"(?:(?:please |just |can you |could you )*(?:confirm|verify)|"
    r"what about|how about|what if (?:it is|i (?:said|say|guessed|locked|told you|tell you))?|"
    r"which(?: one)? is it|"
    r"(?:am|would|will|was) i (?:be )?(?:right|correct|wrong)(?: \w+){0,3}? (?:said|say|saying|"
    r"guess|guessed|guessing|locked|locking|lock|answered|thought|thinking|with|it is)|"
    r"(?:should|can|could|may|shall|might|do) (?:i|we) (?:\w+ )?(?:guess|say|try|answer|lock|"
    r"go with|call it)|if i (?:said|say|guessed|guess|locked|lock|answered|were to (?:say|guess|"
    r"lock))|(?:is|would) it(?: be)? (?:right|correct|fair|wrong) to (?:say|guess|lock)|"
    r"(?:please |just )*(?:say|answer|reply)(?: with)? no (?:if it is not|unless it is))"
    r"(?: that)?(?: it (?:is|was|were)| lock)?(?: [:,\x01])* (?P<what>.+)$"
)
_SUSPECTED = re.compile(
    r"(?:i|we)(?: am)?(?: \w+)? (?:think|believe|suspect|bet|feel|sure|confident|certain|imagine|"
    r"conclude|suppose|reckon|say|guess|convinced|positive|assume|know|thinking)(?: that)?"
    r"(?: it is| it must be| of| it has to be| it is got to be)(?P<what> .+)$"
)
_STATED = re.compile(
    r"(?:so |then |maybe |perhaps |surely |clearly |definitely )*"
    r"(?:it (?:(?:is |has )?got to be|is|must be|has to be|should be|would be|will be|could be|"
    r"might be|may be|can only be|seems to be)"
    r"|(?:it |that |this |all of (?:it|that|this) |everything )?(?:sounds?|looks?|seems?|feels?)"
    r"(?: very| quite| a lot| just| exactly)?(?: much)?(?: like| to be)"
    r"(?: it (?:is|has to be|must be))?"
    r"|(?:that|this) (?:is|(?:would|must|has to|will) be)"
    r"|(?:must|has to|have to|got to|can only) be"
    r"|you (?:are|must be|have to be|have got to be|were) (?:\w+ )?(?:thinking (?:of|about)|"
    r"talking about|holding|hiding|referring to))(?P<what> .+)$"
)
_NEW_THOUGHT = re.compile(r" (?:,|;|but|so|-+)(?: (?:but|so|and|then|therefore))*(?= )")
_NOW = re.compile(r"^(?:so|now|and|then|therefore|thus|hence) (?=i |my |it |we )")
_SPECULATIVE = re.compile(r"(?:.* )?(?:could|might|may|not|maybe|perhaps)\b")
_SUBJECT_FIRST = re.compile(
    r"(?:is|are|would|could|might|will|does|do|can|was|should|shall|may)(?: it(?= .+ (?:match|fit|"
    r"work)$))?(?P<what> .+?)(?: (?:be|sound|look|seem))?(?: the)?(?: (?:it|right|correct|"
    r"(?:match|fit|suit|name|be|equal)(?: it| the bill)?|"
    r"work|ring a bell|(?:a |an |my )?(?:\w+ )?(?:guess|answer|description|match)|describe it|"
    r"(?:on|in) your mind))?$"
)
_IDENTIFIED = re.compile(r"(?:(?:is|was) it|can it be) (?P<what>.+)$")
_WORDED = re.compile(r"\b(?:word|answer|name)\b")
_CALLED = re.compile(
    r" (?:called|named|known as|referred to as|spelled|spelt|labelled|namely|"
    r"(?:you|we|people|one|they)(?: \w+)? call(?: it)?) (?P<what>.+)$"
)

# --- moves that were not meant ---
_BEFORE_ASKING = re.compile(
    r"(?:^| )(?:ask|asking|asked|say|saying|said|guess|guessing|try|trying|like|as|eg|questions?|"
    r"whether|if|mind)(?: (?:if|whether|that|something|things|like|about|[:,(\x01-]+))*$"
)
_DROPPED_BEFORE = re.compile(
    r"\b(?:not|never|tempted|tempting|consider|considering|considered|thought|instead of|rather "
    r"than|before|avoid|without|questions? like|questions? such as|was going to|forbidden|"
    r"disqualified|avoided|almost|earlier|already|previously|prohibited|unlike|refrain|such as|"
    r"examples?|if i|if we|were to|crossed my mind|later|next turn)\b"
)
_TENTATIVE_BEFORE = re.compile(r"\b(?:could|might|may|thinking|considering)\b")
_DROPPED_AFTER = re.compile(
    r"\bbut (?:that|this|i|which)\b(?! have)|"
    r"\b(?:would|will|might|could|may) (?:\w+ )?(?:disqualify|be (?:a direct|against|too|illegal|"
    r"cheating|guessing|risky|premature|disallowed)|count as|break (?:the|a|any) rules?)\b|"
    r"\b(?:is|are)(?: not)? (?:allowed|forbidden|illegal|against|off limits|a direct guess|"
    r"prohibited)\b|\bdisqualif\w+ me\b|\bbreaks the rule"
)
_RETRACTED = re.compile(
    r"(?:(?:oh|hm+|well|sorry|oops|actually|no|wait|hold on|but)(?: [,.!-])* )*(?:"
    r"scratch (?:that|it)|never ?mind|forget (?:that|it)|strike (?:that|it)|ignore (?:that|it|the "
    r"previous)|i take (?:that|it) back|on second thoughts?|let me (?:rephrase|reconsider|think "
    r"again|try again|ask something else)|i withdraw|that was a (?:mistake|slip)|cancel that|"
    r"disregard (?:that|it)|i (?:can not|should not|must not|may not|will not|would rather not|"
    r"better not|do not want to) (?:ask|say|guess|do) (?:that|it|this)|(?:that|this|which|it) "
    r"(?:would|will|might|could|is|was|counts) (?:\w+ )?(?:disqualify|be (?:a direct|against|"
    r"cheating|disallowed|risky|too risky|illegal)|a direct|not allowed|against the|forbidden|"
    r"as a (?:direct )?guess|count as))"
)
_TAKEN_BACK = re.compile(r"(?:actually|oh|hm+|well)(?: ,)? (?:no|wait)$|no , ?(?:wait|no)$|wait$")

# --- questions ---
_WH = re.compile(
    r"(?:(?:please |can you |could you |would you |i (?:want|would like|need) to )?"
    r"(?:tell me|say|ask|know|explain|describe|give me)(?: the)? )?"
    r"(?:(?:in|on|at|to|for|of|from|with|by|about) )?"
    r"(?:what|where|when|who|whom|whose|why|how|which|name the|name one|describe|list)\b"
)
_ABOUT = clean.word_set("it its one ones them there this that these those")
_CHATTER = re.compile(
    r"(?:is|was|does|do|did|can|could|would|will|have|has|are|should|may|am|shall|must)(?: not)?"
    r" (?:it (?:right|correct|true|ok|okay|clear|fair|alright|fine|allowed|good|yes|no|maybe|"
    r"my turn|your turn|possible|over|understood|wrong|yours|mine|helpful|make sense|a yes|a no|"
    r"time|sound (?:good|right|fair|ok))(?: (?:,|to (?:ask|say|you|me|lock|guess)|if|or|with|for|"
    r"so)"
    r"\b.*| (?:,|or) .*)?$"
    r"|you (?:\w+ )?(?:give|explain|repeat|help|clarify|hint|elaborate|rephrase|ready|understand|"
    r"answer|respond|reply|provide|tell|confirm|agree|see what|get what|follow|have (?:any|a) "
    r"(?:hints?|clues?|questions?))\b"
    r"|(?:that|this|it|you) (?:right|correct|ok|okay|close|ready|done|help|enough|fair|clear|"
    r"more|anything|so|true|allowed|make sense|sound|seem|work)"
    r"(?: (?:now|yet|so far|at all|for you|to you|to me|then|again|please))*$"
    r"|there (?:right|correct|ok|okay|more|anything|so|hints?|clues?|any (?:hints?|clues?))\b"
    r"(?!.* (?:in|on|inside|about|of|with|for|to|around|near) it\b)"
    r"|(?:that|this|you|i|we)$|(?:i|we) (?:ask|know|start|restart|begin|continue|try|skip|pass|"
    r"guess|"
    r"lock|say|tell|assume|finish|stop|repeat|rephrase|clarify|request|proceed|go|just|please|"
    r"change|reconsider|check|confirm|right|correct|close|think|believe|suppose|conclude|answer|"
    r"understand|win|lose|done|allowed|on the right|get(?:ting)? (?:a|any|some|another|more|closer|"
    r"warmer|it right)|have (?:a|any|some|another|more)|see (?:the|a|your) (?:list|rules?|word)|"
    r"give|want|expect|receive|make (?:a|another|one|my)|take (?:a|another|one|my)|do|also|now|"
    r"play (?:again|another|one|a)|move on)\b|the (?:game|turn|round|rules)\b)"
)
_EMPTY = re.compile(
    r"\w+ it(?: (?:a|an|the|some|not|be|have|really|of|in|to|something|anything|what|kind|type))*$"
)
_ELLIPSIS = re.compile(
    r"(?:a|an|the|some|any|made|found|used|worn|bigger|smaller|larger|taller|heavier|lighter|"
    r"longer|older|more|less|usually|often|something|able|part|has|can|with)\b"
)
_ASKED_NOUN = re.compile(r"(?:is it|can it be) (?:an?|the) (?P<noun>[a-z-]+)$")
_LEADING_NOISE = re.compile(r"^[^A-Za-z0-9(]+")
_NO_NOUN = (
    STOP
    | DETERMINERS
    | clean.word_set(
        "something anything nothing everything thing guess answer question sorry help hello thanks "
        "thank good luck idea clue hint pass skip sure ok okay well give ready done hmm word none "
        "unknown final correct right wrong clear good bad"
    )
)

_OF_THE_GAME = re.compile(r"\b(?:guess|guessing|disqualif\w*|cheating|rules?|allowed|disallowed)\b")
_AM_I_RIGHT = re.compile(r"\b(?:am|would|will|was) i (?:be )?(?:right|correct|wrong)\b.*")
_IF_I_SAID = re.compile(r"(?:am|would|will|was) i (?:be )?(?:right|correct|wrong) if i \w+")
_PAST = {"was": "is", "were": "is", "had": "has", "could": "can", "did": "does", "would": "will"}
_CONDITION = clean.word_set("if when whenever while once")
_CIRCUMSTANCE = clean.word_set("in on at inside during under with without") | _CONDITION
# They make of what stands before a question a remark: "in your opinion,", "if I understand you,"
_ASIDE = clean.word_set(
    "case opinion point mind question turn reflection answer answers info information guess round "
    "note clue clues list game far that view i we word words said told please so possible not "
    "first next last second mistaken correctly right terms short brief fact general particular "
    "respect regard regards account light order"
)

_WEIGHED_WHY = "a question was weighed but not asked"
_WH_WHY = "cannot be answered by yes, no or maybe; ask a yes/no question"


class SentenceReader:
    """Reads sentences in terms of one ontology.

    Args:
        ontology: whose words and questions the sentences are about.
    """

    def __init__(self, ontology: Ontology) -> None:
        self.lexicon = Lexicon(ontology.words)
        self._questions = ontology.questions

    @cached_property
    def _bank(self) -> Bank:  # not built for those who only use the sentences of the menu
        return Bank(self._questions)

    def asked(self, index: int, weight: Weight = Weight.MADE) -> Candidate:
        """The bank's question of an index, as a move."""
        text = self._questions[index].text
        why = f'asks the bank\'s question "{text}"'
        return Candidate(weight, Reading("question", question=text, why=why, index=index))

    def read(self, raw: str) -> tuple[list[Candidate], bool]:
        """The moves of a sentence, in order, and whether it takes back the move before it.

        Args:
            raw: a sentence of `clean.sentences`.
        """
        sentence = clean.tokenise(self.lexicon.rejoin(raw))
        words = sentence.words
        self._rejoin(words, sentence.spans)
        with_subject(words, sentence.spans)
        line = " ".join(words)
        if not words:
            return [], False
        is_question = not {"?", clean.ASKED}.isdisjoint(words[-3:])
        found = self._moves(sentence, line, is_question)
        retracts = _RETRACTED.match(line) or _TAKEN_BACK.match(line.rstrip(" .!?"))
        made = any(c.weight is Weight.MADE for c in found)
        return found, retracts is not None and not made

    def final_noun(self, raw: str, bare: bool = True) -> str:
        """A word outside the list that a sentence names as a final guess, or "".

        Args:
            raw: a sentence of `clean.sentences`.
            bare: whether the noun alone will do, without "my guess is" or the like.
        """
        words = clean.tokenise(self.lexicon.rejoin(raw)).words
        line = " ".join(words)
        body = without_tail(" ".join(words[lead(line)[0] :]))
        tries = [
            pattern.match(text)
            for text in (without_tail(line), body)
            for pattern in (_DECLARED, _ANNOUNCED, _SUSPECTED, _STATED)
        ]
        match = next(filter(None, tries), None)
        if match is None and not bare:
            return ""
        return self._noun(_words(match["what"] if match else body))

    def noun_asked(self, question: str) -> str:
        """The noun outside the list of "Is it a car?", "" if the question is about more."""
        match = _ASKED_NOUN.match(plain(without_tail(question.lower().rstrip("?"))))
        return self._noun([match["noun"]]) if match else ""

    # --- the kinds of moves, one after the other ---

    def _moves(self, sentence: clean.Sentence, line: str, is_question: bool) -> list[Candidate]:
        words = sentence.words
        skip, asked = lead(line)
        body = without_tail(" ".join(words[skip:]))
        if not body:
            return []
        if asked and body.startswith("it ") and _IF_I_SAID.search(line):  # "if I said it was alive"
            verb, _, rest = body.removeprefix("it ").partition(" ")
            body = f"it {_PAST.get(verb, verb)} {rest}"
        if is_question or asked or words[skip] in AUXILIARIES:
            index = self._bank.find(body)
            if index >= 0:
                return [self.asked(index)]
        found: list[Candidate] = []
        if " lock" in f" {line}":
            found = locks(line, is_question, self.lexicon)
            if found and found[-1].weight is Weight.MADE:
                return found
        if not found and (declared := self._declared(without_tail(line), body, is_question)):
            found.append(declared)
        asks = self._asks(sentence, skip, asked, is_question)
        return found + asks if found or asks else self._fragment(body, asked, is_question)

    def _declared(self, line: str, body: str, is_question: bool) -> Candidate | None:
        """A guess that is stated: "my guess is X", "I think it is X", "what about X?"."""
        last = _NOW.sub("", _NEW_THOUGHT.split(line)[-1].strip())
        for text in dict.fromkeys((line, body, last)):
            for pattern in (_OFFERED, _ANSWERED, _ANNOUNCED, _DECLARED):
                match = pattern.match(text)
                if match is None or (pattern is _DECLARED and not _declares(match)):
                    continue
                words = _words(match["what"])
                if named := self.lexicon.head(words, bare=True):
                    return _named(named)
                if pattern is _DECLARED and "guess" in text and (noun := self._noun(words)):
                    return guess(noun, noun)
            match = _SUSPECTED.match(text) or _STATED.match(text)
            if match and (is_question or not _SPECULATIVE.match(text)):
                named = self.lexicon.head(_words(match["what"]))
                if named:
                    weight = Weight.MADE if is_question else Weight.WEAK
                    return _named(named, weight)
        return None

    def _asks(
        self, sentence: clean.Sentence, skip: int, asked: bool, is_question: bool
    ) -> list[Candidate]:
        """The questions of a sentence; clauses joined by "and" or "or" are one question."""
        found: list[Candidate] = []
        first, dropped = -1, False
        for clause in clauses(sentence.words, skip, asked, is_question):
            joined = clause.before.split()[-1:] in (["and"], ["or"])
            along = dropped and re.search(r"\x02[^a-z]*\x01$", clause.before)
            weight = Weight.HINT if along else _weight(clause)
            dropped = weight is Weight.HINT
            if dropped:
                found.append(no_move(_WEIGHED_WHY))
                continue
            candidate = self._ask(sentence, skip, clause, weight)
            if candidate is None:
                continue
            before = found[-1] if found and joined and first >= 0 else None
            if before and before.reading.move == "direct_guess":
                continue
            if before and before.reading.question and candidate.reading.question:
                candidate = open_question(_raw(sentence, first, clause.end), weight)
                found.pop()
            else:
                first = clause.start
            found.append(candidate)
        return found

    def _ask(
        self, sentence: clean.Sentence, skip: int, clause: Clause, weight: Weight
    ) -> Candidate | None:
        line = without_tail(" ".join(clause.words))
        worded = _WORDED.search(sentence.raw.lower(), 0, sentence.spans[clause.end - 1][1])
        if named := self._guess_in(line, worded is not None):
            return _named(named, weight)
        opening = sentence.words[skip : clause.start]
        # "In a kitchen, would you find it?"
        fronted = bool(opening) and opening[0] in PREPOSITIONS | _CONDITION
        index = self._bank.find(f"{line} {' '.join(opening)}") if fronted else -1
        if index < 0 and not (fronted and _narrows(opening)):
            index = self._bank.find(line)
        if index >= 0:
            return self.asked(index, weight)
        if _CHATTER.match(line):
            return None
        if _EMPTY.match(plain(line)):
            return no_move("the question is not complete")
        if _ABOUT.isdisjoint((*clause.words, *plain(line).split())) or len(clause.words) < 3:
            return None
        if clause.words[0] not in AUXILIARIES:  # "It is true that people eat it?"
            return open_question(f"{plain(line).capitalize()}?", weight)
        start = skip if fronted else clause.start
        return open_question(_raw(sentence, start, clause.end), weight)

    def _guess_in(self, line: str, worded: bool) -> Named | None:
        """The word that a question guesses; `worded` if it asks about "the word"."""
        head = self.lexicon.head
        if match := _OFFERED.match(line):
            return head(_words(match["what"]), bare=True)
        match = _IDENTIFIED.match(plain(line))
        if match and (named := head(_words(match["what"]), bare=worded)):
            return named
        if match := _CALLED.search(line):
            return head(_words(match["what"]), bare=True)
        if match := _SUBJECT_FIRST.match(line):
            words = _words(match["what"])
            named_by = STOP | {"its"}  # "is its colour orange?" is about a property
            return head(words, bare=True) if named_by.isdisjoint(words) else None
        return None

    def _fragment(self, body: str, asked: bool, is_question: bool) -> list[Candidate]:
        """What is no full sentence: "Chair?", "Alive?", "Bigger than a cat?", "What is it?"."""
        if _WH.match(body):
            return [no_move(_WH_WHY)] if is_question or not body.startswith("wh") else []
        words = _words(body)
        if not words:
            return []
        finite = not AUXILIARIES.isdisjoint(words) or words[0] in ("i", "you", "we", "it")
        if ":" not in words and not finite and (is_question or asked or STOP.isdisjoint(words)):
            named = self.lexicon.head(words, bare=True)
            if named and (is_question or asked or len(words) <= 4 or "," in words):
                return [_named(named)]
        if not (asked or is_question):
            index = self._bank.find(body) if words[0] == "it" else -1
            return [self.asked(index, Weight.WEAK)] if index >= 0 else []
        attempts = (f"is it {body}", f"is it a {body}", f"it {body}", _with_it(words))
        for attempt in attempts:
            if (index := self._bank.find(attempt)) >= 0:
                return [self.asked(index)]
        if _ELLIPSIS.match(body) and len(words) > 1 and not finite:
            return [open_question(f"Is it {' '.join(words)}?")]
        # a bare word with a question mark is a question if it is one of those questions are made of
        known = all(self._bank.knows(word) for word in words) and _NO_NOUN.isdisjoint(words)
        return [open_question(f"Is it {' '.join(words)}?")] if known and len(words) < 4 else []

    # --- words ---

    def _noun(self, words: list[str]) -> str:
        """A short noun phrase outside the list that is no category of the bank, or ""."""
        while words and (words[0] in DETERMINERS or words[0] == "it"):
            words = words[1:]
        noun = " ".join(words)
        if not 1 <= len(words) <= 3 or not all(w.isalnum() or "-" in w for w in words):
            return ""
        if not _NO_NOUN.isdisjoint(words) or noun.isdigit():
            return ""
        if any(self._bank.find(f"{frame}{noun}") >= 0 for frame in ("is it ", "is it a ")):
            return ""
        return self.lexicon.spelled.get(noun, noun)

    def _rejoin(self, words: list[str], spans: list[tuple[int, int]]) -> None:
        """Write compounds in one word: "paint brush", "paint-brush", "paintbrush"."""
        joined = self.lexicon.joined
        for i in range(len(words) - 1, -1, -1):
            first, _, second = words[i].partition("-")
            if second and (whole := joined.get((first, second))):
                words[i] = whole
            elif i + 1 < len(words) and (whole := joined.get((words[i], words[i + 1]))):
                words[i : i + 2] = [whole]
                spans[i : i + 2] = [(spans[i][0], spans[i + 1][1])]


def _named(named: Named, weight: Weight = Weight.MADE) -> Candidate:
    return guess(named.word, named.said, weight, named.also)


def _declares(match: re.Match[str]) -> bool:
    """Whether it reads "my guess is X", "final guess X", "answer: X", not "answer this"."""
    head = match[0][: match.start("what")].split()
    mark = match["is"]
    if head[0] == "it":
        return mark is not None and mark.strip(" :=>-") == ""
    return mark is not None or "guess" in head


def _narrows(opening: list[str]) -> bool:
    """Whether what stands before a question, "in winter,", is a part of it."""
    if opening[0] not in _CIRCUMSTANCE or opening[-1:] != [","]:
        return False
    return _ASIDE.isdisjoint(opening)


def _weight(clause: Clause) -> Weight:
    line = " ".join(clause.words)
    dropped = _DROPPED_AFTER.search(line)
    # "would it count as a plant" asks, "would it count as a guess" does not
    if (dropped and (dropped.start() > 0 or _OF_THE_GAME.search(line))) or _DROPPED_AFTER.search(
        clause.after
    ):
        return Weight.HINT
    before = _AM_I_RIGHT.sub("", clause.before)
    if _BEFORE_ASKING.search(before):
        if _DROPPED_BEFORE.search(before):
            return Weight.HINT
        if _TENTATIVE_BEFORE.search(before):
            return Weight.WEAK
    return Weight.MADE


def _words(line: str) -> list[str]:
    marks = (",", "/", "(", ")", ":", "-", "--", "---")
    return [w for w in line.split() if w[0].isalnum() or w in marks]


def _with_it(words: list[str]) -> str:
    """Turn "can fly" into "can it fly", "has wheels" into "it has wheels"."""
    if words[0] in AUXILIARIES and words[0] not in ("has", "have"):
        return " ".join([words[0], "it", *words[1:]])
    return " ".join(["it", *words])


def _raw(sentence: clean.Sentence, start: int, end: int) -> str:
    """Part of a sentence as it was typed, tidied."""
    spans = sentence.spans
    text = clean.as_typed(sentence.raw[spans[start][0] : spans[end - 1][1]])
    text = _LEADING_NOISE.sub("", " ".join(text.split())).rstrip(" ?.!,;:'-")
    if text.count('"') % 2:
        text = text.removesuffix('"') if text.endswith('"') else text + '"'
    if text.count("(") < text.count(")"):
        text = text.rstrip(" )?.!")
    return text[:1].upper() + text[1:] + "?"
