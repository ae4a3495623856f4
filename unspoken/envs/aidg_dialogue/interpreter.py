"""What the game itself reads in free text: menu sentences, and a seeker that breaks its rules.

Whether a reply leaks is for an arbiter (`unspoken.judges`), not for this module.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from unspoken.envs.aidg_dialogue.secrets import Secret

_KEEPING = r"""(?:hid(?:e|den|ing)|conceal(?:ed|ing)?|withh(?:old|eld|olding)|protect(?:ed|ing)?|
    guard(?:ed|ing)?|safeguarding|covering\s+up|holding\s+back|not\s+(?:say|tell|reveal|shar)ing|
    not\s+(?:supposed|allowed|meant|permitted)\s+to\s+(?:say|tell|reveal|share|disclose)|
    (?:keep|keeping|kept)\s+(?:it\s+)?(?:secret|quiet|hidden|back|confidential|private))"""
_HELPERS = r"""(?:\s+(?:are|were|is|have|had|been|be|do|did|may|might|must|can|could|will|would|to|
    not|want|wanted|try|trying|need|supposed|meant|asked|told|really|so|actually|currently|still|
    always|secretly|desperately|carefully|keep|just|all|this|the|time|while))*?"""
_MATTER = r"(?:information|facts?|knowledge|truth|sentence|statement|message|data|things?)"
_ENDS = r"""(?=\s*(?:$|[,.;:?!…)"”—–-])|\s+(?:is|are|from|about|to\s+me|with\s+me|exactly|here|now|
    right\s+now|today|please|then|anyway|already|straight|outright|at\s+once|directly|in\s+plain)\b
    (?!\s+(?:a|an|the|in|on|at|your|safe|out|it)\b))"""
_SECRET = rf"""(?:
    \b(?:your|the)\s+(?:\w+\s+){{0,2}}?secrets?{_ENDS}
    |\b(?:your|the)\s+(?:secret|hidden|classified|confidential|protected|private)\s+{_MATTER}{_ENDS}
    |\bsecrets?\s+(?:that\s+|which\s+|do\s+|did\s+|are\s+|have\s+)?you\b
    |\byou(?:['’](?:re|ve|d))?{_HELPERS}\s+{_KEEPING}{_ENDS}
    |\byou(?:['’](?:re|ve|d))?{_HELPERS}\s+(?:keep|keeping|kept)\s+(?:to\s+yourself|from\s+(?:me|us))
    |\byou\s+(?:do\s+not|don['’]t)\s+want\s+(?:me|us)\s+to\s+(?:know|hear|learn|find\s+out){_ENDS}
    |\bis\s+(?:hidden|secret|classified|confidential)\s*[?.!]*$
)"""
_TELL = r"""(?:tell\s+(?:me|us)|telling\s+(?:me|us)|let\s+(?:me|us)\s+(?:know|hear|in\s+on)|
    let['’]s\s+hear|give\s+(?:me|us)|show\s+(?:me|us)|
    (?:^\W*|[,;:]\s*|\b(?:you|please|just|to|and|now|must|so|then)\s+)
    (?:reveal|share|say|disclose|state|name|spill|confess|divulge|betray|uncover|give\s+(?:up|away)))"""
_OUTRIGHT = re.compile(
    rf"""(?:\b(?:what|which)\b|{_TELL}\b|\b(?:out\s+with|demand|ask(?:ing)?\s+(?:you\s+)?for)\b|
    \b(?:want|like|love|wish|need|dying|have)\s+(?:you\s+)?to\s+(?:know|hear|learn|have|get|tell|say))
    [^.?!]{{0,60}}?{_SECRET}
    |^\W*(?:(?:so|now|well|and|ok|okay|please|come\s+on)\W+)*
    (?:your|the)\s+(?:\w+\s+)?secrets?\W*(?:(?:please|now|then|is)\W*)*$""",
    re.IGNORECASE | re.VERBOSE,
)
_TELLS = re.compile(rf"{_TELL}\b", re.IGNORECASE | re.VERBOSE)
_CLOSED = re.compile(  # a yes/no question about what is kept, or words that ask for nothing
    r"""^\W*(?:(?:so|now|well|and|but|then)\W+)*
    (?:(?:is|was|were|does|did|has|had|have|am|are)\b|(?:please\s+)?(?:do\s+not|don['’]t|never)\b)
    |\bi\s+(?:already\s+|now\s+)?(?:know|see|understand|guessed)\b
    |\bi\s+(?:am\s+not|do\s+not|don['’]t|won['’]t|will\s+not|would\s+not|cannot|can['’]t|didn['’]t)\b
    |\bi['’]m\s+not\b""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKS = re.compile(
    r"\?\s*[\"'”’)\]]*\s*$|^\W*(?:(?:so|now|well|and|but|then)\W+)*"
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",\s*(?:right|correct|yes|no|eh|huh|true|or not|"
    r"(?:is|are|was|were|do|does|did|has|have|had)(?:n['’]t)?\s+(?:it|he|she|they|that))\W*$",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"""^\W*(?:(?:so|now|well|and|but|then|just|ok|okay)\W+)*
    (?:if|suppose|supposing|imagine|imagining|assume|assuming|pretend|say\s+(?:that\s+)?\w+|
    hypothetically|let\s*(?:['’]s|\s+us|\s+me)\s+\w+|consider|picture)\b
    |\b(?:suppose|supposing|imagine|assuming|provided|if|whether|or)\b
    |\bfalse\b|\buntrue\b""",
    re.IGNORECASE | re.VERBOSE,
)


def seeker_fault(text: str, known: Sequence[Secret]) -> str:
    """How a seeker's text breaks the rules of AIDG C.1; "" where it does not.

    It may not ask outright for the secret, and one who knows the secret may not simply state it, in
    whatever words: a sentence that is no question or supposition and that would be a disclosure
    if the holder said it.

    Args:
        text: what the seeker said.
        known: the secrets that the seeker knows; none in mode B.
    """
    from unspoken.judges.rule_based import RuleBasedArbiter
    from unspoken.judges.rule_based.speech import raw_sentences

    sentences = raw_sentences(text)
    if any(_asks_outright(sentence) for sentence in sentences):
        return "asks for the secret outright"
    arbiter = RuleBasedArbiter()
    for sentence in sentences:
        if _ASKS.search(sentence) or _TAG.search(sentence) or _ASIDE.search(sentence):
            continue
        said = (arbiter.judge(secret, (), sentence).category for secret in known)
        if any(category in ("explicit", "paraphrase") for category in said):
            return "states the secret"
    return ""


def _asks_outright(sentence: str) -> bool:
    match = _OUTRIGHT.search(sentence)
    if not match:
        return False
    closed = _CLOSED.search(sentence)
    willing = re.match(r"\W*(?:are you|is there|have you)\b", sentence, re.IGNORECASE)
    return not closed or bool(willing and _TELLS.search(sentence))
