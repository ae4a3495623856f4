"""Where a question begins and ends in a sentence, and the plain form of its wording.

"So, would you say that the object is something people wear?" comes out as "do you wear it".
Words are joined by single spaces here, so that the rules can be read as patterns.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from unspoken.envs.aidg_search.interpreter.clean import word_set
from unspoken.envs.aidg_search.interpreter.rewrite import Rules

AUXILIARIES = word_set(
    "is are was were does do did can could will would may might must shall should has have had am"
)
_SUBJECTS = word_set(
    "it they you people there one we this that these those humans someone most i an a the "
    "children kids"
)
_BOUNDARY = word_set(
    ", : ; - -- --- ( ) = > / \x01 \x02 \x03 \x04 ? ! . and or but so then ask asking asked say "
    "saying know wonder wondering question now first instead is rather"
)
_IF_WORDS = word_set(
    "ask asking know wonder wondering tell me say check asked see sure confirm curious learn hear "
    "us determine establish clarify is"
)

_ANY_AUXILIARY = "|".join(sorted(AUXILIARIES))
_DETERMINER = r"(?:the|this|that|your|our)"
_SECRET = (
    r"(?:secret|hidden|mystery|mysterious|unknown|target|chosen|mentioned|concrete|physical|"
    r"correct|right)"
)
_NOUN = (
    r"(?:objects?|things?|items?|words?|answer|entity|noun|solution|secret|target|concept|"
    r"one(?= [^a-z]| (?:is|has|can|does|was|are|in|on|at|to|by|with|for|you|we|i)\b|$))"
)
_MIND = (
    r"(?: (?:that |which )?(?:you are|you have|you had|you|we are|i am|i have)"
    r" (?:currently )?(?:thinking (?:of|about)|holding|hiding|keeping|guarding|looking for|"
    r"in mind|on your mind|chosen|chose|picked|selected|have in mind|got in mind|got|had in mind|"
    r"trying to guess|guessing|talking about|mean|want me to guess)"
    r"| in question| in your mind| on your mind| to (?:be )?guess(?:ed)?| being guessed)"
)
_SUBJECT = re.compile(
    rf"\b(?:{_DETERMINER} (?:{_SECRET} )*{_NOUN}\b(?! of | for | (?:that|which) (?!you|we|i))"
    rf"{_MIND}?|what(?:ever)?{_MIND}|(?:secret|mystery) (?:word|object|thing|item){_MIND}?"
    rf"|it{_MIND})"
)
# "the animal" and the like speak of the secret where they are the subject of the question
_KNOWN_AS = re.compile(
    rf"(?:^|(?<= ))(?P<aux>(?:{_ANY_AUXILIARY})(?: not)?) (?:the|this|that|your) (?:animal|"
    rf"creature|"
    r"bird|insect|mammal|vehicle|fruit|vegetable|food|tool|device|machine|building|structure|place|"
    r"product|plant|body part|piece of furniture|piece of clothing|material|instrument|accessory|"
    r"garment|landform)(?= (?!of |for |in which|that |which |who ))"
)
_ITS = re.compile(
    r"\bits(?= (?:a|an|the|not|alive|made|used|found|worn|usually|often|normally|typically|really|"
    r"something|bigger|smaller|larger|taller|heavier|too|very|probably|definitely|in|on|able|"
    r"possible)\b)|(?<=\bif )its(?= [a-z-]+(?: or [a-z-]+)?(?: [?.!,]|$))"
    r"|(?<=\bwhether )its(?= [a-z-]+(?: or [a-z-]+)?(?: [?.!,]|$))"
)
_POINTING = re.compile(
    r"^((?:is|are|was|were|does|do|did|can|could|will|would|might|may|has|have|should|must)"
    r"(?: not)?) (?:this|that|these|those|they)\b"
)

_PAUSE = r"(?: (?:[,:;().!=>]|-+|\x01|\x02))*"
_LEAD = re.compile(
    rf"^(?:(?:[,:;().!/=>]|-+|[\x01-\x04])"
    r"|(?:so|ok|okay|well|alright|all right|right|great|good|cool|nice|perfect|excellent|thanks|"
    r"thank you|h+m+|u+h*m*|ah+|oh+|hey|hi|hello|please|now|then|next|first|second|secondly|third|"
    r"firstly|lastly|finally|also|and|but|or|actually|honestly|yes|no|yeah|understood|got it|"
    r"interesting|i see|sure|given that|in that case|based on that|just to (?:be )?\w+|to confirm|"
    r"to narrow (?:it|this|things) down(?: \w+)?|to start|let us (?:start|begin)(?: with)?|"
    r"here (?:is|goes|we go)(?: my)?(?: (?:first|next|final))?(?: question)?|by the way|"
    r"quick question|out of curiosity|maybe|perhaps|hence|therefore|thus|still|anyway|wait|"
    r"or rather|i mean|rather|instead|alternatively|in other words|again|let us see|"
    r"let me (?:see|think|try)(?: this)?)"
    rf"(?= |$){_PAUSE}"
    rf"|(?:my|the|our|your)? ?(?:first|second|third|next|last|final|new|current|actual|real)?"
    r" ?(?:question|q|query|questions|turn|round|ask)"
    r"(?: (?:number|no|nr))?(?: \d{1,2})?(?: (?:of|/|for you|for this turn|out of)(?: \d{1,2})?)?"
    rf"(?: (?:is|would be|will be|this is))?(?=$| (?:[:;,.)=>(\x01-]|-+|{_ANY_AUXILIARY}"
    r"|it|whether|if|as follows|this|\d))(?: as follows| this)?"
    rf"{_PAUSE}|q\d{{1,2}}{_PAUSE}|\d{{1,2}}(?: [.):-])+)(?: |$)"
)
_ASK = re.compile(
    r"^(?:(?:can|could|may|might|shall|would|will|do|did) (?:you|i|we)(?: please| kindly| just|"
    r" also)? "
    r"(?:tell me|tell us|let me know|say|ask(?: you)?|confirm(?: for me)?|know|happen to know|"
    r"answer|"
    r"think|agree|believe|clarify|guess|inquire)"
    r"|(?:please )?(?:tell me|tell us|answer(?: me)?(?: this)?|let me know|confirm|say|inform me)"
    r"|(?:now )?(?:let me|let us|i will|i would|i am going to|i want to|i would like to|"
    r"i would love to|"
    r"i need to|i would rather|i am asking|i ask|i wish to|i have to|i choose to|i will now|"
    r"i would prefer to|i shall|we can|i decided to|i am curious|i am wondering|i wonder|i was "
    r"wondering|i must|allow me to)"
    r"(?: just| first| now| next| also| instead| rather| simply| please| then| still)*"
    r"(?: (?:ask(?: you)?(?: this| instead| about this| first)?|know|check|find out|confirm|"
    r"start by "
    r"asking|begin by asking|wonder|clarify|hear|learn|see|inquire|be sure|understand))?"
    r"(?: a question)?"
    r"|(?:is|would|will) it(?: be)? (?:true|correct|right|the case|fair|safe|accurate|reasonable|"
    r"possible)(?: to (?:say|assume|think|state|claim))?"
    r"|(?:am|would|will|was) i(?: be)? (?:right|correct|wrong)(?: (?:in|to|by|when|if i|for)"
    r"(?: (?:saying|thinking|assuming|say|think|assume|said|guessing|believing))?)?"
    r"|(?:can|could|may|should) (?:i|we|you|one) (?:say|assume|conclude|take it|infer|suppose)"
    r"|would you (?:say|agree)|(?:i|we) (?:assume|suppose|guess|take it|presume|gather)"
    r"|you would say|are you saying"
    r"|(?:please |just |now )*(?:say|answer|reply|respond|write|type|give me a)(?: with)?(?: a)? "
    r"yes"
    r"(?: to me)? (?:if|when|in case)(?: and only if)?)"
    rf"{_PAUSE}(?P<if> (?:whether|if|that))?{_PAUSE} (?=(?:it|is|are|was|does|do|did|can|could|"
    r"would|will|has|have|you(?! about)|people|there|one|we|this|they|these|in|on|when)\b)"
)
_FILLER = re.compile(
    r"^(\w+ (?:it|you)) , (?:(?:like|for example|for instance|i think|i guess|dare i say|"
    r"let us say|i wonder|shall we say) ,|(?:u+h*m*|er+m*|h+m+|you know|well|oh)(?: ,)?)(?= )"
)
_TAIL = re.compile(
    r"(?: (?:,|-+|\() (?:is|are|was|does|do|can|could|will|would|has|did|might)(?: not)?"
    r" (?:it|they|you|that|there|we|people)(?: not)?"
    r"| (?:is|does|do|can|could|will|would|has) not (?:it|they|you|people)"
    r"| (?:right|correct|yes|no|maybe|true|true or false|or not|please|ok|okay|eh|huh|yeah|"
    r"by any chance|perhaps|would you say|do you think|i wonder|though|then|thanks|thank you|"
    r"you know|am i right|is that (?:right|correct|true|so)|if i may ask|in general|per se|"
    r"generally speaking|or something like that|in your opinion|i guess|i suppose|"
    r"(?:yes|no|maybe|yes or no)(?: (?:,|/|or))+ (?:no|maybe)|in (?:most|many) cases|"
    r"(?:(?:and|or) )?(?:otherwise|else|if not)(?: ,)?(?: (?:say|answer))? no|"
    r"(?:and )?no (?:otherwise|if not|if it is not|if it does not)|for (?:example|instance)|"
    r"just answer|answer|for the most part))$"
)
_TAIL_PUNCTUATION = re.compile(r"(?: (?:[,:;().!?=>/]|-+|[\x01-\x04]))+$")

# How an utterance puts a plain question: the first part is rewritten, the rest stays.
_THING = (
    r"(?:something|a thing|an object|an item|an? (?:physical|concrete|everyday) (?:object|thing|"
    r"item)|the (?:kind|sort|type) of (?:thing|object|item)|(?:a|some) (?:kind|sort|type) of "
    r"(?:thing|object|item)|one of (?:those|the|these) (?:things|objects|items))"
)
_VERBING = r"(?:call|name|label|term|consider|describe|class|classify|regard|identify|define|count)"
_VERBED = (
    r"(?:called|named|known as|known|considered|classified as|classed as|described as|regarded as|"
    r"referred to as|thought of as|thought to be|recogni[sz]ed as|deemed|seen as|viewed as|"
    r"categori[sz]ed as|counted as|labell?ed|spelled|spelt)"
)
_OFTEN = r"(?:usually|typically|normally|generally|commonly|often|frequently|also|best)"
_PEOPLE = (
    r"(?:you|people|one|we|i|humans|someone|somebody|most people|a person|a human|folks|persons|"
    r"anyone|anybody)"
)
_RULES = Rules(
    (needs[0] if needs else "thing|object|item" if _THING in pattern else "", pattern, by)
    for pattern, by, *needs in (
        (
            r"^(?:could|might|may|can|would|is) it (?:just |possibly |perhaps )?"
            r"(?:be )?(?:the case "
            r"|possible |true )?that (?=you |we )",
            "",
            " that ",
        ),
        (r"^you (?:have|had|have got) (.+) in mind$", r"is it \1"),
        (
            r" ,? ?(?:by any chance|in fact|perchance|if i may ask|in your opinion) ,?(?= )",
            "",
            "chance|in fact|i may ask|opinion",
        ),
        (r" , (?:perhaps|maybe|possibly|then|say|therefore|indeed|really) ,(?= )", "", " , "),
        (
            r"^(?:it (?:would|does|could|might|can|will)|(?:would|does) it) not (?:(?:happen|"
            r"chance) to|"
            r"by any chance) ",
            "does it ",
            " not ",
        ),
        (
            r"^(?:it (?:would|could|might) not|(?:would|could|might) it not) be (?=an? )",
            "is it ",
            " not be ",
        ),
        (r"^is it (?:designed|meant|intended|supposed|there) to (?!be )(?=\w)", "does it ", " to "),
        (
            r"^you (?:would|do|are|could|might) not (?:(?:happen to|by any chance) )?(?:be "
            r")?(?=thinking "
            r"|talking )",
            "are you ",
        ),
        (
            r"^(you|we) (?:are|were|must be|have to be|have been) (?=(?:\w+ )?(?:thinking|"
            r"talking) )",
            r"are \1 ",
        ),
        (r"^has it been (?=\w+(?:ed|en|de|ilt) )", "is it "),
        (
            r"^(?:could|might|may|can|is) it (?:be )?(?:the case )?(?:possible )?that it (is|has|"
            r"can)\b",
            r"it \1",
            " that ",
        ),
        (r"^(?:would|could|might|does|did|can) it (?:happen|turn out) to be\b", "is it"),
        (
            r"^(?:is|would) it(?: be)? (?:correct|accurate|right|fair|ok|okay|wrong|appropriate|"
            r"reasonable) to (?:call|describe|label|classify|name|identify) it(?: as)?(?= )",
            "is it",
            " to ",
        ),
        (
            r"^(?:is|could|would) (?:the (?:name|word|term)(?: of| for) it|"
            r"my guess(?: of)?)(?: be)?"
            r"(?= )",
            "is it",
            "name|word|term|guess",
        ),
        (
            r"^is it possible (?:for (?:you|people|someone|a person|one) )?to(?= )",
            "can you",
            " to ",
        ),
        (r"^does it (?:go by|have|answer to|bear) the name(?: of)?(?= )", "is it"),
        (
            r"^(?:could|might|may|would|can) (you|we) (?:possibly |perhaps |maybe )?be "
            r"(?=thinking |"
            r"talking |looking |dealing )",
            r"are \1 ",
        ),
        (r"^have you (?:got )?(.+) in mind$", r"is it \1"),
        # "isn't it alive?" asks whether it is alive; "is it not alive?" does not quite
        (r"^(is|are|was|were|does|do|did|can|could|would|will|has|have|might) not (?=\w)", r"\1 "),
        (r"^are (?:they|these|those|this|that|it)\b", "is it"),
        (r"^is (?:they|these|those|this|that)\b", "is it"),
        (r"^(?:was|were) (?:they|these|those|this|that|it)\b", "was it"),
        (r"^does (?:they(?!.* it\b)|this|that|these|those)\b", "does it"),
        (r"^do (?:they(?!.* it\b)|this|that|these|those|it)\b", "does it"),
        (r"^(?:has|have) (?:they|it|this|that)\b", "has it"),
        (
            r"^(can|could|would|will|might|may|must|did|should) (?:they|this|that|these|those)\b",
            r"\1 it",
        ),
        (r"\b(?:they(?! .*\bit\b)|them)\b", "it", "they|them"),
        (r"^has it (?:got )?(?=(?:a|an|any|some|\w+s)\b)", "does it have "),
        (r"^does it (?:happen to|usually|tend to|by any chance) (?=\w)", "does it "),
        (r"^does it (?:turn out to )?be\b", "is it"),
        (
            r"^(?:could|might|may|would|must|shall|should|will) it (?:possibly |perhaps |just |"
            r"maybe "
            r"|actually |really )?be (?!\w+(?:ed|en)\b|used|found|worn|made|seen|put|kept|held|"
            r"cut)",
            "is it ",
        ),
        (
            r"^is it (?:possibly|perhaps|maybe|likely|supposed|meant|going|by any chance) "
            r"(?:to be )?(?=\w)",
            "is it ",
            "possib|perhaps|maybe|likely|supposed|meant|going|chance",
        ),
        (
            r"^(?:would|could|can|do|should|might|may|will|did|does) "
            rf"{_PEOPLE} (?:{_OFTEN} )?(?:{_VERBING}|think of|refer to|speak of) it"
            r"(?: to be| as| under)?(?= )",
            "is it",
        ),
        (
            r"^(?:would|could|can|do|will|did) (?:you|people|we|one) (?:say|think|agree|believe|"
            r"assume)"
            r"(?: that)? it (is|has|can|does|was) ",
            r"it \1 ",
        ),
        (
            r"^(?:does|would|can|could) it (?:count|qualify|pass|be classed|be classified|"
            r"be described|"
            r"be thought of|be regarded|be considered|be seen(?= as))(?: as)?(?= )",
            "is it",
        ),
        (
            r"^does it (?:fall (?:under|into)|belong (?:to|in|under)) (?:the )?(?:category|class|"
            r"group)"
            r"(?: of)?(?= )",
            "is it",
        ),
        (rf"^is it (?:{_OFTEN} )?{_VERBED}(?: to be)?(?= )", "is it"),
        (
            r"^(?:would|could|can) it be (?:called|named|considered|classified as|described as|"
            r"classed as|termed|regarded as|thought of as)(?: to be)?(?= )",
            "is it",
        ),
        (
            r"^(?:are|were|was) (?:you|we) (?:really |actually |perhaps |currently )?"
            r"(?:thinking (?:of|about)|talking about|hiding|holding|dealing with|looking (?:for|"
            r"at)|"
            r"picturing|"
            r"imagining|referring to)(?= )",
            "is it",
        ),
        (
            r"^(?:do|did) you (?:really |actually |perhaps |happen to )?(?:mean|pick|choose|select|"
            r"think of|refer to)(?= )",
            "is it",
        ),
        (r"^have you (?:chosen|picked|selected)(?= )", "is it"),
        (r"^(?:do|did) you have (.+) in mind$", r"is it \1"),
        (r"^am i (?:looking for|searching for|seeking|after|guessing)(?= )", "is it"),
        (
            r"^does it (?:spell|read|equal|mean|say|refer to|denote|represent|stand for|name|"
            r"describe|designate|signify)(?= )",
            "is it",
        ),
        (
            r"^is it (?:the )?(?:same(?: thing)? as|identical to|equal to|equivalent to|"
            r"none other than|"
            r"another (?:word|name|term) for|synonymous with|spelled)(?= )",
            "is it",
        ),
        (r"^is it (?:the )?(?:word|name (?:of|for))(?= )", "is it"),
        (rf"^is it {_THING} ({_OFTEN} )?(?:called|named|known as|referred to as)(?= )", "is it"),
        (rf"^is it {_THING} (?:that|which) is(?= )", "is it"),
        (rf"^is it {_THING} (?:that|which) (has|can|was|could|would|will)(?= )", r"it \1"),
        (  # "something people sit on"
            rf"^is it {_THING} (?:that |which )?(?:{_PEOPLE}) (?:can|could|may|might|will|do)?"
            r" ?(?:would )?(.+ (?:on|in|with|at|from|under|into|around|through|inside|up))$",
            r"do you \1 it",
        ),
        (
            rf"^is it {_THING} (?:that |which )?(?:{_PEOPLE}) (?:can|could|may|are able to) (\w+)",
            r"can you \1 it",
        ),
        (
            rf"^is it {_THING} (?:that |which )?(?:{_PEOPLE}) (?:might |will |"
            rf"would )?({_OFTEN} )?"
            r"(\w+(?: across| upon)?)",
            r"do you \1\2 it",
        ),
        (rf"^is it {_THING} (?:that |which )(?:{_OFTEN} )?(\w+s)(?= |$)", r"it \1"),
        (rf"^is it {_THING} with(?= )", "does it have"),
        (rf"^is it {_THING} (?=(?:used|found|worn|made|eaten|seen|built|alive)\b)", "is it "),
        (rf"^is it {_THING} (?=\w+(?:ed|en)\b)", "is it "),
        (
            r"^is it (?:something )?(?=(?:bigger|smaller|larger|taller|heavier|lighter|longer)\b)",
            "is it ",
        ),
        (
            r"^is it (?:an? |the |some )?(?:kind|type|sort|form|variety|piece|example)s? of "
            r"(?:an? )?(?!furniture|jewel|cloth)",
            "is it ",
        ),
        (r"^is it able to(?= )", "can it"),
        (
            rf"^is it {_THING} (?:that |which )?((?:most |many )?(?:people|children|[a-z]+s)) "
            rf"({_OFTEN} )?([a-z]+)$",
            r"do \1 \2\3 it",
        ),
        (r"^is it capable of (\w{2,}?)(?:ing)(?= |$)", r"can it \1"),
        (r"^does it have the (?:ability|capability|capacity|power) to(?= )", "can it"),
        (
            r"^(?:does it (?:possess|feature|come with|have got)|is it equipped with)(?= )",
            "does it have",
            "possess|feature|come|have got|equip",
        ),
        (r"^do you (?:call|name|consider|term) it(?: to be| as)?(?= )", "is it"),
        (r"^is it (?:an? |some )?((?!living)\S+) (?:object|thing|item)$", r"is it \1"),
        (r"^is it something (\S+)$", r"is it \1"),
        (
            r"\b(find|see|use|eat|wear|hold|carry|lift|buy|have|own|ride|touch|keep|play with) "
            r"(?:this|that|these|those)(?= (?:in|on|at|to|for|with|when|around|every)\b|$)",
            r"\1 it",
            " this| that| these| those",
        ),
        # statements put as questions
        (r"^it (is|was|can|could|would|will|does|did|might|may|must)(?= )", r"\1 it"),
        (r"^it has (?:got )?", "does it have "),
        (r"^it (\w+[a-z])s(?= |$)", r"does it \1"),
        (r"^(you|people|one|we) (can|could|would|will|do)(?= )", r"\2 \1"),
        (r"^(you|people|one|we) (?=\w)", r"do \1 "),
        (r"^there (is|are|was)(?= )", r"\1 there"),
        (
            r"^is it (?:really|actually|in fact|indeed|basically|essentially|simply|just|"
            r"technically) ",
            "is it ",
        ),
    )
)


class Clause(NamedTuple):
    """A question in a sentence: its words, their place, and what stands around it."""

    words: list[str]
    start: int
    end: int
    before: str
    after: str
    asked: bool


def with_subject(words: list[str], spans: list[tuple[int, int]]) -> None:
    """Put "it" for "the secret word", "the thing you are thinking of" and the like, in place."""
    for pattern, by in ((_ITS, ["it", "is"]), (_KNOWN_AS, ["it"]), (_SUBJECT, ["it"])):
        line = " ".join(words)
        for match in reversed(list(pattern.finditer(line))):
            start = match.end("aux") + 1 if pattern is _KNOWN_AS else match.start()
            first, last = line.count(" ", 0, start), line.count(" ", 0, match.end())
            span = (spans[first][0], spans[last][1])
            words[first : last + 1] = by
            spans[first : last + 1] = [span] * len(by)


def lead(line: str) -> tuple[int, bool]:
    """How many words of filler a line begins with, and whether they announce a question."""
    at, asked = 0, False
    while True:
        rest = line[at:]
        if match := _LEAD.match(rest):
            asked |= "question" in match[0] or match[0].startswith(("q", "ask"))
        elif match := _ASK.match(rest):
            asked = True
        else:
            break
        at += match.end()
        if asked and line[at:].startswith(("whether it ", "if it ")):
            at = line.index(" ", at) + 1
    return line.count(" ", 0, at), asked


def without_tail(line: str) -> str:
    """Cut "right?", "can't it?", "yes or no?" and the like, and punctuation, off the end."""
    line = _TAIL_PUNCTUATION.sub("", line)
    while (cut := _TAIL_PUNCTUATION.sub("", _TAIL.sub("", line))) != line:
        line = cut
    return line


def without_filler(line: str) -> str:
    """Cut ", like," and ", um" after "is it"."""
    return _FILLER.sub(r"\1", line, count=1) if " , " in line else line


def clauses(words: list[str], skip: int, asked: bool, is_question: bool) -> list[Clause]:
    """The questions of a sentence, in order.

    Args:
        words: the words of the sentence.
        skip: how many of them are filler at the front.
        asked: whether the filler announces a question.
        is_question: whether the sentence ends in a question mark.
    """
    starts: list[tuple[int, bool]] = []
    n = len(words)
    if skip < n:
        if words[skip] in AUXILIARIES:
            starts.append((skip, asked))
        elif words[skip] in ("it", "you", "people", "there") and (asked or is_question):
            starts.append((skip, True))
    for k in range(skip + 1, n - 1):
        before, here, following = words[k - 1], words[k], words[k + 1]
        if following == "not" and k + 2 < n:
            following = words[k + 2]
        if here in AUXILIARIES and following in _SUBJECTS and before in _BOUNDARY:
            starts.append((k, before in ("ask", "asking", "question")))
        elif here in ("whether", "if") and before in _IF_WORDS and following in _SUBJECTS:
            starts.append((k + 1, True))
        elif here == "it" and is_question and before in (":", "\x01") and k > skip:
            starts.append((k, True))
    found = []
    for i, (start, announced) in enumerate(starts):
        end = starts[i + 1][0] if i + 1 < len(starts) else n
        stop = _end(words, start, end)
        before = " ".join(words[starts[i - 1][0] if i else 0 : start])
        after = " ".join(words[stop:])
        found.append(Clause(words[start:stop], start, stop, before, after, announced))
    return found


def _end(words: list[str], start: int, end: int) -> int:
    """Where a clause ends: with the quotation it stands in, if it stands in one."""
    opened = 0
    for k in range(start, end):
        if words[k] == "\x01":
            opened += 1
        elif words[k] in ("\x02", "\x03", "\x04"):
            if not opened:
                return k
            opened -= words[k] == "\x02"
    return end


@lru_cache(maxsize=4096)
def plain(line: str) -> str:
    """The plain form of a question or of a statement about "it"; see the module."""
    return _RULES(without_filler(line))
