"""Signal words of questions and answers, shared by whoever reads a cross-examination.

Patterns are searched in English text in any case of letters. A text can match several of them;
which counts is for the reader to say.
"""

from __future__ import annotations

import re

AUX = (
    r"(?:is|are|was|were|do|does|did|have|has|had|would|could|can|will|should|must|may|might|am|"
    r"(?:ca|wo|sha)(?=n['’]t))"
)
"""Auxiliary verbs, as part of a pattern."""
NOT = r"n['’]t"
"""The ending for not, as part of a pattern."""
WHO = r"(?:it|he|she|they|you|there|that|this|i|we|one)"
"""Pronouns that can be a subject, as part of a pattern."""
FILLED = (
    r"^\W*(?:(?:well|oh|ah|uh|um|er|look|now|so|and|but|or|then|okay|ok|all right|please|again|"
    r"in fact|sir|ma['’]am|madam|doctor|your honou?r)\b\W*)*"
)
"""The beginning of a text, with words that fill it, as part of a pattern."""


def pattern(text: str) -> re.Pattern[str]:
    """A pattern for either case of letters."""
    return re.compile(text, re.IGNORECASE)


_ADDRESS = r"(?:,?\s+(?:sir|ma['’]am|madam|doctor|professor|officer|detective|m[rs]s?\.?\s+\w+))?"
_END = r"(?=[.,;!]|\s*$)"
_SUBJECT = r"(?:i|it|he|she|they|we|there|that)"
_DONE = (
    r"(?:did|was|were|do|does|had|has|have|would|could|can|is|are|am)(?: (?:so|indeed|then|too))?"
)
_OPINION = r"(?:think|believe|suppose|guess|imagine|assume|expect)"
BEGUN = (
    rf"{FILLED}(?:(?:i(?:['’]m| am) afraid(?: that)?|(?:i['’]m )?sorry|honestly|frankly|actually|"
    r"to be (?:honest|frank)|(?:my|the) answer (?:is|was|must be|would be)(?: an?)?|"
    rf"i(?:['’]d| would| must| should| do)?(?: have to)? (?:say|answer|{_OPINION})"
    r"(?: that)?)\b\W*)*"
)
"""The same, with words that announce what is said or thought, as part of a pattern."""
_NOT_SO = (
    r"(?:(?:not|never) (?:\w+ly )?(?:so|right|true|correct|accurate|the case)|"
    r"(?:\w+ly )?(?:wrong|false|untrue|incorrect|a lie))"
)
_ISNT = rf"(?:is|was)(?:{NOT} (?:\w+ly )?(?:so|right|true|correct|accurate|the case)| {_NOT_SO})"
_UNABLE = rf"(?:(?:can|ca|could)(?:{NOT}| not)|cannot|unable to|hard to)"
_ABOUT = r"(?:and|but|any|anything|that|it|this|if|whether|what|who|when|where|why|how|which|about)"

NEGATIVE = pattern(rf"\b(?:no|not|never|nothing|nobody|none|nor|neither|without|cannot)\b|{NOT}\b")
"""A word for not."""

OPEN = pattern(
    rf"{FILLED}(?:(?:in|at|from|with|within|to|on|by|for|of|about|until|since) )?"
    r"(?:what|who|whom|whose|why|how|which)\b(?=.*\?|(?!\s+(?:i|you|he|she|it|they|we)\b))|"
    rf"{FILLED}(?:tell|describe|explain)\b|"
    rf"{FILLED}(?:when(?=\s+{AUX}\b)|where(?=(?:\s+\w+){{0,4}}?\s+{AUX}\b))|"
    r"\b(?:at|about) what time\b|\b(?:what|whom?|when|where|why|how)\s*\?"
)
"""A sentence that asks for more than a yes or a no."""

TAG = pattern(
    rf"(?:[,;:]|\s-+)\s*(?:and )?(?:{AUX}(?:{NOT})?\s+{WHO}(?:\s+not)?|right|correct|true|yes|"
    rf"(?:is|was)(?:{NOT})? (?:that|it)(?: not)?(?: also)? "
    r"(?:so|right|true|correct|a fair statement))"
    rf"{_ADDRESS}\s*\?*\s*$"
)
"""What is hung on to a claim, so that it is granted."""

AT_ONCE = pattern(rf"{FILLED}(?:yes|yeah|yep|aye|no|nope)\b(?=\s*[,.;:!?—-]|\s*$)\W*")
"""A yes or a no before the answer proper."""

YES = pattern(
    rf"{BEGUN}(?:(?:yes|yeah|yep|aye|affirmative|indeed|correct|certainly|absolutely|definitely|"
    r"of course|sure|true|right|exactly|obvious(?:ly)?|(?:that|it)(?:['’]s| is| was) (?:\w+ly )?"
    r"(?:so|right|true|correct|accurate|the case))\b(?!\s+(?:not|never)\b)|"
    rf"so{_END}|no doubt(?: about (?:it|that))?{_END}|{_SUBJECT} {_DONE}{_END}|"
    rf"i (?:(?:do not|do{NOT}|cannot|ca{NOT}) (?:deny|dispute)|admit|confirm) (?:it|that|this)"
    rf"{_END})"
)
"""A yes, in one of its words."""

NO = pattern(
    rf"{BEGUN}(?:no\b(?! (?:one|state|court|matter|doubt)\b)|nope\b|never\b(?! mind\b)|"
    r"negative\b|by no means\b|"
    r"not\b(?! (?:\w+ly )?(?:sure|certain)\b| only\b| for me\b)|incorrect\b|false\b|wrong\b|"
    rf"untrue\b|(?:certainly|of course|absolutely|definitely) not\b|(?:that|it)['’]s {_NOT_SO}\b|"
    rf"(?:that|it) {_ISNT}\b|{_SUBJECT} "
    r"(?:did|was|were|do|does|had|has|have|would|could|can|ca(?=n)|is|are|am)"
    rf"(?:{NOT}| not| never){_END}|cannot{_END}|"
    rf"i (?:\w+ly )?(?:do not|do{NOT}) (?:\w+ly )?{_OPINION} (?:so|that){_END}|"
    rf"i would(?:{NOT}| not) say (?:so|that){_END}|"
    rf"i (?:\w+ly )?(?:deny|dispute|reject|doubt)(?: (?:it|that|this)(?: \w+ly)?)?{_END})"
)
"""A no, in one of its words."""

MIXED = pattern(
    r"\b(?:yes|yeah)\W+(?:(?:and|but|or)\W+)?(?:also\W+)?no\b(?=[.,;!]|\W*$)|"
    r"\bno\W+(?:(?:and|but|or)\W+)?(?:also\W+)?yes\b(?=[.,;!]|\W*$)|"
    r"\bneither yes nor no\b|"
    rf"\b{_SUBJECT} ({AUX})\W+(?:and|but)\W+{_SUBJECT} \1(?:{NOT}| not)\b"
)
"""Yes and no at once."""

DENIES = pattern(
    rf"\bi (?:\w+ly )?(?:deny|dispute|reject|contest|doubt)(?: (?:that|having|the claim that))?\b|"
    rf"\b(?:that|it)(?:['’]s {_NOT_SO}| {_ISNT}) (?:to say )?that\b|"
    r"\b(?:false|untrue|wrong|incorrect|not (?:true|so|right|correct)) that\b|"
    r"\bno truth in (?:it|the claim|saying) that\b|"
    rf"\bi (?:\w+ly )?(?:do not|do{NOT}|would not|would{NOT}|never) "
    r"(?:\w+ly )?(?:think|believe|say|said|claim|claimed|accept|agree)(?: that)?\b"
)
"""Words that deny the clause after them."""

GRANTS = pattern(
    rf"\bi (?:do not|do{NOT}|did not|did{NOT}|cannot|ca{NOT}|will not|won['’]t|never) "
    r"(?:\w+ly )?(?:deny|denied|dispute|disputed|contest|doubt)(?: that)?\b|"
    rf"\b(?:that|it) (?:is not|is{NOT}|['’]s not) (?:false|untrue|wrong|incorrect) that\b"
)
"""Words for not that grant the clause after them."""

FORGETS = pattern(
    rf"(?:\b{_UNABLE}|\bdo(?:{NOT}| not)|\bdid(?:{NOT}| not)|\bno longer)\s+(?:\w+ly\s+)?"
    r"(?:recall|remember|recollect)\b|"
    rf"(?:\b{_UNABLE}|\bdo(?:{NOT}| not)|\bno longer)\s+(?:\w+ly\s+)?"
    rf"know\b(?=\W*$|\s*[,.;!]|\s+{_ABOUT}\b)|"
    rf"\b{_UNABLE}\s+(?:\w+ly\s+)?(?:say|tell|explain|make out|be sure)\b|"
    r"\bnot (?:\w+ly )?(?:sure|certain)\b|"
    rf"\bdo(?:{NOT}| not) have (?:that|the|those|any) (?:\w+ )?(?:figures?|numbers?|dates?)\b|"
    r"(?:^\W*|\bi(?:['’]ve| have| had)? )(?:(?:have|got) )?no (?:idea|memory|recollection|"
    r"way of knowing)\b|\bi(?:['’]ve| have| had)? (?:\w+ly )?forg[eo]t(?:ten)?\b(?! to\b)|"
    r"\bwould (?:have|need) to (?:look|check|see)\b"
)
"""The speaker does not remember or know."""

REFUSES = pattern(
    r"\b(?:will not|won['’]t|would not|wouldn['’]t|must not|mustn['’]t|may not|shall not|shan['’]t|"
    r"can(?:not| not|['’]t)|could(?: not|n['’]t)|refuse to|decline to|rather not|prefer not to|"
    r"not going to|(?:am|['’]m|was) not (?:free|at liberty|here|allowed|able) to|told me not to)"
    r"\s+(?:\w+\s+)?(?:answer|comment|discuss|speak|talk)\b|"
    r"\b(?:will not|won['’]t|must not|may not|rather not|prefer not to|refuse to|decline to|"
    r"not going to|not (?:free|at liberty|allowed) to|told me not to)\s+(?:say|tell)\b|"
    r"\bno comment\b|\bask (?:my|the) (?:lawyer|attorney)\b|\b(?:take|plead) the fifth\b|"
    r"\bnothing to say\b"
)
"""The speaker will not answer."""

HEDGED = pattern(
    r"\b(?:(?:as far as|as best|that) i (?:can |could )?(?:know|recall|remember|recollect|tell|see)"
    r"(?: of)?|(?:that|as far as) i(?:['’]m| am) aware(?: of)?|as far as i|as best (?:as )?i|"
    r"if i (?:remember|recall)|(?:(?:to|from) (?:the best of )?)?my (?:knowledge|recollection|"
    rf"memory)|from what i(?: can)?(?: \w+)?|i(?:['’]d)? (?:should |would |seem to )?{_OPINION}|"
    rf"i (?:\w+ly )?(?:do not|do{NOT}) (?:\w+ly )?{_OPINION}|i (?:seem to )?recall|i doubt|"
    r"perhaps|maybe|possibly|possible|possibility|probably|apparently|presumably|might|"
    r"may (?:well )?(?:have|be)|could (?:well )?(?:have(?: been)?|be)|it would seem|"
    r"i would not swear|not (?:entirely|absolutely|completely) (?:sure|certain))\b"
)
"""The speaker's own words for being unsure."""

VAGUE = pattern(
    r"\b(?:in a (?:manner of speaking|way|sense)|in some (?:way|sense|respect)s?|sort of|kind of|"
    r"more or less|(?:it |that )?depend(?:s|ing)?|so to speak|to (?:some|a certain) "
    r"(?:extent|degree)|(?:one|you) could (?:say|put it)(?: (?:so|that way|like that))?|"
    r"something like that|not exactly|not really|not necessarily|at some point|yes and no|"
    rf"neither yes nor no|i would(?:{NOT}| not) say (?:so|that)|"
    r"if (?:that|it|i|he|she|they|there|you)\b)"
)
"""Loose or conditional words."""
