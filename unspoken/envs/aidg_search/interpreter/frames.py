"""Brings a question in base forms to a plain statement that begins with who does it.

"Is X a place where you find it?" becomes "you find it in X", "is it used by X?" "X use it".
"""

from __future__ import annotations

import re

from unspoken.envs.aidg_search.interpreter.clean import word_set
from unspoken.envs.aidg_search.interpreter.guess import PREPOSITIONS
from unspoken.envs.aidg_search.interpreter.lemmas import DONE
from unspoken.envs.aidg_search.interpreter.rewrite import Rules

ERGATIVE = word_set("hang open close fold roll bend flex move float burn spin break")
"""Verbs of which "you open it" means "it opens"."""
_WHERE = word_set("in on at near under around inside above")
_ANY = r"(?:be|do|can)"
_PLACE = r"(?:place|somewhere|spot|location|room|environment|setting)"
_MATERIAL = (
    r"(?:(?:main|chief|primary|principal|mostly|key|basic) )*(?:material|"
    r"substance|stuff|"
    r"ingredient|component)"
)
_GROUP = r"(?:category|class|group|family|kingdom|head|umbrella|realm|world|" r"label|rank|order)"
_PURPOSE = r"(?:purpose|job|function|role|use|aim|task|point)"
_MEASURE = {
    "size": "bigger",
    "bulk": "bigger",
    "volume": "bigger",
    "height": "taller",
    "weight": "heavier",
    "length": "longer",
    "dimension": "bigger",
    "stature": "taller",
}
_SMALLER = {"smaller": "bigger", "shorter": "taller", "lighter": "heavier", "littler": "bigger"}
_OF = "|".join(_MEASURE)
_PREPOSITION_OF = {
    "farm": "on",
    "sea": "in",
    "ship": "on",
    "window": "at",
    "wall": "on",
    "floor": "on",
    "coat": "on",
    "road": "on",
}


def _in_place(match: re.Match[str]) -> str:
    place, does = match["place"], match["does"]
    does = re.sub(r"^(it|you) (?:do|can) ", r"\1 ", does)
    does = re.sub(r"^it be (\w+)_", r"you \1 it", does)
    if place.split()[0] in PREPOSITIONS or place == "outdoors":
        return f"do {does} {place}"
    return f"do {does} {_PREPOSITION_OF.get(place.split()[-1], 'in')} {place}"


def _has_it(match: re.Match[str]) -> str:
    place = match["place"]
    return f"do you find it {_PREPOSITION_OF.get(place.split()[0], 'in')} {place}"


def _compared(match: re.Match[str]) -> str:
    return f"be it {_MEASURE[match['measure']]} than {match['than']}"


def _inverse(match: re.Match[str]) -> str:
    return f"be it {_SMALLER[match['less']]} than {match['than']}"


def _object(match: re.Match[str]) -> str:
    other = f" {match[3]} {match[4]}" if match[3] else ""
    return f"do {match[1] or ''}you {match[2]}{other} it{match[5] or ''}"


# Each is tried where the words it needs occur.
_FRAMES = Rules(
    (needs, pattern, by)
    for needs, pattern, by in (
        # possibility
        ("able", rf"^{_ANY} (it|you) (?:be )?able to ", r"can \1 "),
        ("capable", rf"^{_ANY} it (?:be )?capable of ", "can it "),
        ("ability|capacity", r"^do it have (?:ability|capacity|capability) (?:to|of) ", "can it "),
        ("possible", r"^be it possible (?:for you )?to ", "can you "),
        (
            "it can|it do|able|capable",
            r"^be (.+?) (?:stuff )?it (?:can do|do|can|be able to(?: do)?|be capable of)$",
            r"can it \1",
        ),
        (
            "stuff",
            r"^be (\S+) it stuff you (?:do|can do|must do|have to do|need to do)$",
            r"do you \1 it",
        ),
        ("enough", r"^be it \S+ enough for (.+?) to ", r"can \1 "),
        ("enough", r"^be it \S+ enough to (?:be )?", "can it "),
        ("be", r"^do it (?:need|have) to be (\w+_)", r"be it \1"),
        ("or as", r" or as ", " or "),
        ("part of", r"^do it (?:form|make|constitute|make up|comprise) part of ", "be it part of "),
        ("what", r"^be (?!it )(.+?) what (?!you |it )(\S+) it", r"do \1 \2 it"),
        (
            "contain|have|feature",
            r"^do (?P<place>kitchen|bedroom|bathroom|office|garage|garage "
            r"or workshop|house|garden|garden or park|park or garden|ship|"
            r"farm|coat or trouser) (?:contain|have|feature) it$",
            _has_it,
        ),
        (
            "place",
            r"^(?:be|do) (?!it )(?P<place>.+?) (?:be )?(?:likely |good |natural "
            r"|usual |probable |right )*place (?:to find it|for it)$",
            _has_it,
        ),
        ("shape", r"^do it have shape of ", "be it "),
        ("colour", r"^do it have (?!many)(\S+(?: or \S+)?) colour$", r"be it \1"),
        ("colour", r"^be (?!its )(.+) its (?:main |usual |chief )?colour$", r"be it \1"),
        ("fall under", r"^do it fall under ", "be it "),
        ("find_", r"^can (.+) be find_ (?:in|on|at) it$", r"do it have \1"),
        ("family|group|class|order", rf"^be it (?:member of )?(\S+) {_GROUP}$", r"be it \1"),
        ("make_", r"^be it make_ to be (\w+_)", r"be it \1"),
        (
            "its",
            rf"^be its (?:main |chief |primary )?{_PURPOSE} (?=(?:dig|cut|fasten|"
            rf"protect|record|write|decorate|look-at|sit|travel|carry|hold|"
            rf"build|repair|paint|sleep|keep)\b)",
            "do you use it to ",
        ),
        # the passive of what is not "it"
        (
            "_ ",
            r"^(?:do|can) (?!it |you )(.+?) be (\w+)_ (in|on|with|from|around|through) it$",
            r"can you \2 \1 \3 it",
        ),
        (
            "_ ",
            r"^be (?!it |there )(.+?) (\w+)_ (in|on|with|from|around|through) it$",
            r"do you \2 \1 \3 it",
        ),
        (
            "there",
            r"^be there (\S+) (?:in|on|at) it ((?:spin|move|grow|bend)\S*)$",
            r"do it have \2 \1",
        ),
        ("or be it", r" or be it ", " or "),
        ("kingdom", r"^do it belong to (\S+) kingdom or ", r"be it \1 or "),
        # categories
        (
            "of",
            rf"^{_ANY} it (?:be )?(?:(?:fall|come|go|belong|be put|be file_|"
            rf"file|class_|be class_|be classify_) )?"
            rf"(?:under|in|to|among|with|part of)? ?(?:head of )?{_GROUP} of (?:\S+ of )?",
            "be it ",
        ),
        (
            "kingdom|category|class|family",
            rf"^{_ANY} it (?:be )?(?:(?:fall|belong|count|go|come|part) )(?:in|"
            rf"under|to|with|among|of) (.+) {_GROUP}$",
            r"be it \1",
        ),
        (
            "member|example|instance|specy|species|specimen|variety|form|one|case",
            r"^be it (?:member|example|instance|specy|species|specimen|variety|"
            r"form|one|case) of (?:(?:class|group|family|category|kingdom) "
            r"of )?",
            "be it ",
        ),
        (
            "as|among|under",
            rf"^{_ANY} (?:most |many )?(?:it|you|biologist|expert|scientist) "
            rf"(?:be )?(?:class|classify|categorise|categorize|regard|count|"
            rf"rank|group|label|describe|file|list|qualify|view|treat|think "
            rf"of|see|know)_? (?:it )?(?:of )?(?:as|among|under|with) (?:one "
            rf"of )?(?:be )?",
            "be it ",
        ),
        (
            "classify|call|consider|name|deem|label",
            r"^(?:do|can) (?:most |many )?(?:you|biologist|expert|scientist) "
            r"(?:classify|call|consider|name|deem|label) it (?:to be )?",
            "be it ",
        ),
        ("by", r"^(be it .+) by (?:most |many )?you$", r"\1"),
        # inversions
        (
            "place|somewhere|where|spot|location|room|environment|setting",
            rf"^be (?P<place>.+?) (?:(?:one of )?{_PLACE}(?: where| in)?|where) "
            rf"(?P<does>(?:it|you) .+)$",
            _in_place,
        ),
        (
            "habitat|home",
            r"^be its (?:natural |native )?(?:habitat|home) (in .+|on .+|near " r".+|at .+|by .+)$",
            r"do it live \1",
        ),
        (
            "habitat|home",
            r"^be (.+?) its (?:natural |native )?(?:habitat|home)$",
            r"do it live in \1",
        ),
        (
            "house",
            r"^be its (?:natural )?house (in .+|on .+|near .+|at .+|by .+)$",
            r"do it live \1",
        ),
        ("live", r"^be (.+?) where it live$", r"do it live in \1"),
        ("part", r"^be (.+) part of its diet$", r"do it eat \1"),
        (
            "what|material|substance|stuff|ingredient|component",
            rf"^be (?!it |there )(.+?) (?:what|{_MATERIAL}(?: what)?) (?:it "
            rf"be (?:mostly )?make_ of|it be (?:mostly )?of|you (?:mostly )?make "
            rf"it (?:of|from|with)|for it|of it|in it|use_ (?:for|in|to make) "
            rf"it|you use (?:for|to make) it)(?: mostly)?$",
            r"be it make_ of \1",
        ),
        ("its", rf"^be its {_MATERIAL} (.+)$", r"be it make_ of \1"),
        ("its", rf"^be (.+) its {_MATERIAL}$", r"be it make_ of \1"),
        (
            "contain|material",
            rf"^do its {_MATERIAL} (?:be|include|contain) (.+)$",
            r"be it make_ of \1",
        ),
        # numbers, measures, parts
        (
            "number",
            r"^be (?:its )?number of (\S+) (?:(?:it have|on it|it) )?(?:be "
            r")?(?:equal to )?(.+)$",
            r"do it have \2 \1",
        ),
        ("than", r"^(be .+?) than that of ", r"\1 than "),
        (
            "its",
            rf"^be its (?P<measure>{_OF}) (?:bigger|taller|greater|higher|more|"
            rf"longer) than (?P<than>.+)$",
            _compared,
        ),
        (
            "exceed|surpass",
            rf"^do its (?P<measure>{_OF}) (?:exceed|surpass) (?:that of )?(?P<than>.+)$",
            _compared,
        ),
        (
            "exceed|surpass",
            rf"^do it (?:exceed|surpass) (?P<than>.+) in (?P<measure>{_OF})$",
            _compared,
        ),
        ("exceed", r"^do it exceed (?:size of )?(\S+(?: \S+)?)$", r"be it bigger than \1"),
        (
            "than",
            rf"^(?:be|do) it (?:have )?(?:bigger|greater|more) (?:in )?(?P<measure>{_OF}) "
            rf"than (?P<than>.+)$",
            _compared,
        ),
        ("than", r"^be (?P<than>.+) (?P<less>smaller|shorter|lighter) than it$", _inverse),
        (
            "stand|grow|rise|reach",
            r"^do it (?:stand|rise|reach) (?:taller|higher) than ",
            "be it taller than ",
        ),
        ("number|have", r"^(do it have) (?:total|number) of ", r"\1 "),
        (
            "its",
            r"^be its (?:shape|colour|texture|form|appearance|outline|profile) "
            r"(?:be )?(?=\S+(?: (?:or|and) \S+)?$)(?!high|low|big|small|great)",
            "be it ",
        ),
        (
            "its",
            r"^(?:do|can) you (?:describe|call|name|define|see|consider) its "
            r"(?:shape|colour|texture|form|appearance|surface|feel|size|weight) "
            r"(?:as |to be )?",
            "be it ",
        ),
        ("its", r"^be its (?:surface|feel) (?=(?:soft|hard|hot|cold)$)", "be it "),
        ("its", r"^be its (?:taste|flavour) ", "do it taste "),
        ("its", r"^be its (?:body|surface|outside) (?=cover_)", "be it "),
        (
            "its",
            r"^(?:be|do) its (neck|smell|tail|temperature|price|leg|edge|point|"
            r"sound) (?:be )?(\S+)$",
            r"do it have \2 \1",
        ),
        (
            "its",
            rf"^be (?:one of )?its (?:main |chief |primary )?{_PURPOSE} to ",
            "do you use it to ",
        ),
        (
            "its",
            rf"^be (.+?) (?:one of )?its (?:main |chief |primary )?{_PURPOSE}$",
            r"do you use it to \1",
        ),
        ("its", rf"^do its {_PURPOSE} (?:involve|include) ", "do you use it to "),
        # what it has
        (
            "there",
            r"^be there (?:room|space|capacity) (?:in or on it |in it |on "
            r"it |inside it )?for (.+?)(?: (?:in|on|in or on|on or in) it)?( "
            r"at-once)?$",
            r"can it hold \1\2",
        ),
        (
            "there",
            r"^be there (.+?) (?:in|on|at|in or on|on or in|around|at-end of) it$",
            r"do it have \1",
        ),
        ("find", r"^(?:do|can) you find (.+) (?:in|on|in or on|on or in) it$", r"do it have \1"),
        ("room|space", r"^do it have (?:enough )?(?:room|space) for ", "can it hold "),
        (
            "equip_|fit_|provide_|supply_|furnish_|endow_",
            r"^be it (?:equip|fit|provide|supply|furnish|endow)_ with ",
            "do it have ",
        ),
        (
            "possess|feature|contain|include|own|bear|sport|with",
            r"^(?:do it (?:possess|feature|contain|include|bear|sport|come "
            r"with|own)|be it with) ",
            "do it have ",
        ),
        ("have", r"^(do it have .+?) (?:on|in|inside) it$", r"\1"),
        (
            "part",
            r"^(?:do|be) part of it (?:be )?(?:make_ of|consist of|make of|of) (.+)$",
            r"do it have \1 in",
        ),
        ("there", r"^be there (\S+(?: (?:or )?\S+)?)$", r"do it have \1"),
        # what it is for
        (
            "use_",
            r"^be it use_ (?:for|to|in) (?=(?:record|protect|fasten|hold|dig|"
            r"cut|make|tell|store|carry|keep|show|connect|repair|build|decorate|"
            r"display|write|send|paint|sit|eat|look-at|transport) )",
            "do you use it to ",
        ),
        (
            "use_",
            r"^(be it use_) for (?=dig$|cut$|write$|paint$|sit$|eat$|sleep$|decorate$)",
            r"\1 to ",
        ),
        ("use_", r"^be it use_ to ", "do you use it to "),
        (
            "help|let|allow|enable|assist",
            r"^(?:do|can) it (?:help|let|allow|enable|assist) (?:you )?(?:to |in |with )?",
            "do you use it to ",
        ),
        (
            "serve|mean_|design_|intend_|there|for",
            r"^(?:do it serve|be it (?:mean|design|intend)_|be it there) (?:to|for) ",
            "do you use it to ",
        ),
        ("make", r"^do (?:most |many )?you make it (?:out )?(?:of|from) ", "be it make_ of "),
        (
            "thing|stuff",
            r"^be it stuff (?:for )?you (?:do )?(.+ (?:in|on|with|at|from|"
            r"to|for|under|around))$",
            r"do you \1 it",
        ),
        (
            "you",
            r"^be it (?:stuff )?(most |many )?you (?:do |can )?(\S+)(?: (or|"
            r"and) (\S+))?(?! it\b)( .*)?$",
            _object,
        ),
        ("stuff", r"^be it stuff ", "be it "),
    )
)


def stated(words: list[str]) -> list[str]:
    """The statement that a question asks about."""
    return _active(_FRAMES(" ".join(words)).split())


def _active(words: list[str]) -> list[str]:
    """Put first who does it, and the active for the passive voice."""
    if len(words) < 3 or words[0] not in ("be", "do", "can", "was"):
        return words
    mood = [words[0]] if words[0] in ("can", "was") else []
    if words[1] == "one" and words[0] in ("do", "can") and words[2] not in ("of", "you", "adult"):
        words = [words[0], "you", *words[2:]]
    if words[1] != "it":
        if words[0] == "do" or (words[0] == "can" and words[1] != "be"):
            return [words[1], *mood, *[w.removesuffix(DONE) for w in words[2:]]]
        return [w.removesuffix(DONE) for w in words]
    rest = words[2:]
    if rest[0] == "be" and words[0] != "be":
        rest = rest[1:]
        be = True
    else:
        be = words[0] in ("be", "was")
    if be and rest and (rest[0].endswith(DONE) or rest[0] in ("cut", "put")):
        if words[0] == "was":
            mood = []
        verb = rest[0].removesuffix(DONE)
        rest = [w.removesuffix(DONE) for w in rest[1:]]
        if len(rest) > 1 and rest[0] in ("or", "and"):
            verb, rest = f"{verb} {rest[0]} {rest[1]}", rest[2:]
        if rest[:2] == ["by", "you"]:
            rest = rest[2:]
        elif rest[:1] == ["by"] and len(rest) > 1 and rest[1] != "magnetism":
            end = 4 if rest[2:3] == ["or"] and len(rest) > 3 else 2
            return [*rest[1:end], *mood, *verb.split(), "it", *rest[end:]]
        if verb.split()[0] in ERGATIVE:
            return ["it", *mood, *verb.split(), *rest]
        return ["you", *mood, *verb.split(), "it", *rest]
    rest = [w.removesuffix(DONE) for w in rest]
    if be and not mood and len(rest) > 1 and rest[0] in _WHERE:
        return ["you", "find", "it", *rest]
    return ["it", *mood, *(["be"] if be else []), *rest]
