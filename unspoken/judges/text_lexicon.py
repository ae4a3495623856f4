"""Small tables of English: which words mean the same, oppose each other, or do a job.

The tables hold everyday words of homes and offices, not sentences; whatever is written here is
turned into stems by `text_tokens`.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text, as a table."""
    return frozenset(text.split())


RINGS: dict[str, str] = {
    # things
    "GLASS": "glass, tumbler, drinking glass, beaker",
    "CUP": "cup, mug",
    "WATER": "water, h2o",
    "TABLE": "table, tabletop",
    "DOOR": "door, doorway, entrance, entry",
    "CHAIR": "chair, seat, stool",
    "FOLDER": "folder, binder, dossier",
    "NOTEBOOK": "notebook, notepad, jotter",
    "PACKAGE": "package, parcel, shipment, packet, delivery",
    "CONTRACT": "contract, agreement",
    "DOCUMENT": "document, doc, file",
    "FILE": "file, document",
    "NAME": "name, filename, title",
    "DESKTOP": "desktop, main screen, home screen",
    "PAPER": "paper, sheet, slip, post it, sticky note, notepaper",
    "HINT": "hint, clue, reminder, cue",
    "PASSWORD": "password, passphrase, passcode",
    "CODE": "code, pin, combination, passcode",
    "DIGIT": "digit, figure, numeral, number",
    "LIGHT": "light, lamp, lighting",
    "BATTERY": "battery, accumulator",
    "LAPTOP": "laptop, computer, pc",
    "SERVER": "server, machine",
    "DRIVE": "drive, usb, flash drive, memory stick, thumb drive, usb stick, usb key, pen drive",
    "CLOCK": "clock, timepiece",
    "MEETING": "meeting, conference, session, get together, gathering",
    "KEY": "key",
    "ENVELOPE": "envelope",
    "CAR": "car, automobile, vehicle",
    "MONEY": "money, cash",
    "PICTURE": "picture, photo, photograph, image",
    "DOCTOR": "doctor, physician",
    "PHONE": "phone, telephone, cellphone, mobile, smartphone",
    "SOFA": "sofa, couch",
    # where
    "UNDER": "under, underneath, beneath, below, underside of, bottom of",
    "BEHIND": "behind, at the back of",
    "ABOVE": "above, over, atop, on top of",
    "NEAR": "near, beside, next to, close to, adjacent to",
    "BACK": "back, rear, backside",
    "FRONT": "front",
    "LEFT": "left, lefthand",
    "RIGHT": "right, righthand",
    # states
    "OPEN": "open, ajar, unclosed, unshut",
    "CLOSED": "close, shut",
    "BROKEN": "break, damage, bust, smash, snap, wreck, ruin, shatter, collapse, defective, "
    "fall apart, fell apart, out of order, in pieces, beyond repair, kaput, give out",
    "INTACT": "intact, fine, work, functional, function, unbroken, undamaged, in one piece, "
    "in working order",
    "EMPTY": "empty, drain, drink up, drink all, drink it all, all go, be go, bone dry, "
    "finish off, void of, devoid of",
    "FULL": "full, 100 percent, hundred percent, top up, top off, all the way, max, maximum, "
    "capacity, complete charge, charge complete, total charge, entire charge",
    "CHARGE": "charge, power, juice, 100 percent, hundred percent, top up, top off, "
    "complete charge, charge complete, total charge, entire charge",
    "SEALED": "seal, glue, stick down, stick shut, unopened, never be open, not be open, "
    "yet to be open",
    "FAST": "fast, ahead, quick",
    "SLOW": "slow, behind, late",
    "OFF": "off, turn off, switch off, shut off, go out, put out, go off, go dark, extinguish, out",
    "ON": "turn on, switch on, come on",
    "FULLTIME": "always",
    "BIG": "big, large, huge",
    "SMALL": "small, little, tiny",
    # doing
    "TAPE": "tape, stick, attach, fix, fasten, affix, glue, adhere",
    "SPARE": "spare, extra, backup, duplicate, additional",
    "REBOOT": "reboot, restart, power cycle, re boot",
    "START": "start, begin, commence, kick off, get go, get under way, first, prefix, beginning",
    "END": "end, finish, conclude, last, final, ending",
    "WRITE": "write, jot, note, scribble, scrawl, pen",
    "SAVE": "save, store, keep",
    "DELIVER": "deliver, drop off, bring, leave",
    "BELONG": "belong, own, owner, property of, possess",
    "CONTAIN": "contain, hold, house",
    "HAVE": "have, hold, possess, carry, own, get",
    "BUY": "buy, purchase",
    "STEAL": "steal, rob",
    "MOVE": "move, relocate",
    "HIDE": "hide, conceal, stash",
    "DIE": "die, pass away",
    "CHILD": "child, kid",
    "HOUSE": "house, home",
    "JOB": "job, work, position",
    "MARRY": "marry, wed",
    # when
    "LASTNIGHT": "last night, yesterday night, yesterday evening, overnight, during the night, "
    "in the night, previous night, night before, past night, middle of the night, last evening",
    "MINUTE": "minute, min",
}
"""Words and phrases that stand for one meaning; a word may be in several."""

COMPLEMENTS: tuple[tuple[str, str], ...] = (("OPEN", "CLOSED"), ("BROKEN", "INTACT"))
"""Not the one is the other."""

OPPOSITES: tuple[tuple[str, str], ...] = (
    ("START", "END"),
    ("ON", "OFF"),
    ("LEFT", "RIGHT"),
    ("FRONT", "BACK"),
    ("FAST", "SLOW"),
    ("OPEN", "CLOSED"),
)
"""Never both of the same thing at once."""

IRREGULAR: dict[str, str] = {
    form: base
    for base, forms in {
        "be": "is are was were been being am 's",
        "have": "has had having",
        "do": "does did done doing",
        "break": "broke broken",
        "write": "wrote written",
        "begin": "began begun",
        "hold": "held",
        "keep": "kept",
        "find": "found",
        "stick": "stuck",
        "drink": "drank drunk",
        "go": "went gone goes",
        "take": "took taken",
        "hide": "hid hidden",
        "hang": "hung",
        "stand": "stood",
        "lie": "lay lain lying",
        "say": "said",
        "tell": "told",
        "know": "knew known",
        "think": "thought",
        "give": "gave given",
        "get": "got gotten",
        "fall": "fell fallen",
        "tear": "tore torn",
        "bring": "brought",
        "buy": "bought",
        "steal": "stole stolen",
        "run": "ran",
        "sit": "sat",
        "see": "saw seen",
        "make": "made",
        "speak": "spoke spoken",
        "hear": "heard",
        "mean": "meant",
        "leave": "leaving leaves",
        "catch": "caught",
        "feel": "felt",
        "child": "children",
        "wife": "wives",
        "knife": "knives",
        "shelf": "shelves",
    }.items()
    for form in forms.split()
}


AUX = words("be have do can could will would shall should may might must")
PRONOUNS = words(
    "i me you it he she him her they them we us that this these those there one ones here who "
    "somebody someone anybody anyone everyone everybody"
)
ANAPHORS = words("it he she him her his its they them their that this those these there one ones")
DETERMINERS = words("the a an some my your his her its our their that this these those any each")
LIGHT_PREPOSITIONS = words(
    "in on at to inside into by with of for within onto from about as up upon"
)
HEAVY_PREPOSITIONS = words(
    "behind before after until till than past beyond near beside next above over under below "
    "beneath underneath between without outside opposite against around"
)
CONJUNCTIONS = words("and or but so because although though while if whether unless that then")
INTENSIFIERS = words(
    "very really quite indeed just only still now actually honestly simply right exactly also too "
    "already currently always all well oh ah um uh hmm hm okay ok please even ever yet today "
    "certainly definitely surely obviously clearly of course sharp completely totally entirely "
    "then most much more again probably likely apparently evidently"
)
FUNCTION = (
    AUX
    | PRONOUNS
    | DETERMINERS
    | LIGHT_PREPOSITIONS
    | CONJUNCTIONS
    | INTENSIFIERS
    | words("who what when where why how which whose not no never n't oclock 's let us like")
)
"""Words without content of their own."""

NEGATORS = words(
    "not never no nobody noone none nothing nor neither nowhere without hardly scarcely false "
    "untrue deny doubt unlikely incorrect myth"
)
APPROXIMATORS = words("almost nearly half partly partially somewhat practically virtually")
DESIRES = words(
    "like love want prefer wish hope dream enjoy hate pretend imagine fancy crave dislike"
)
MAYBES = words("maybe perhaps possibly might may could conceivably")
ATTITUDES = words("say think claim assume ask believe mention suggest want imply guess suspect")
SPEECH = words(
    "say tell discuss talk speak comment answer confirm deny reveal share disclose divulge "
    "elaborate engage respond reply verify expand explain go get give betray mention"
)
SEARCH = words("look check find try see search open peek lift reach feel")
WH = words("who why how when where what which whose whom")
SLOTS = words("who what which anyone anybody someone somebody anything something whose whom")
GENERIC = words(
    "thing place time answer fact truth spot location secret number digit figure state condition "
    "owner name part word letter character bit end last final two first start beginning way "
    "reason real actual content inside moment date hour point matter case side hand piece"
)
"""Nouns that can stand for what is asked, whatever it is."""
PLAIN_ADJECTIVES = words(
    "old new whole same little big nice good poor actual entire famous mysterious said small great "
    "particular certain precious specific real"
)
CONTAINERS = words("glass cup bottle can mug piece sheet pack jar bag box bowl carton")

YES = words(
    "yes yeah yep yup yea aye affirmative absolutely definitely certainly indeed exactly precisely "
    "sure surely always naturally bingo obviously totally undoubtedly probably likely "
    "confirmed nod guilty busted"
)
PLAIN_YES = words("yes yeah yep yup yea aye affirmative indeed bingo nod guilty busted confirmed")
NO = words("no nope nah nay negative never neither")
RIGHT_WORDS = words(
    "right true correct accurate so case spot truth fact confirm agree admit concede fair"
)
WRONG_WORDS = words(
    "wrong mistake mistaken incorrect false untrue inaccurate lie liar error deny disagree dispute "
    "object contradict argue doubt off astray misinformed misguided disbelieve crazy silly"
)
VERDICT_LIGHT = (
    words(
        "but suspicion guess hunch intuition conclusion deduction impression information instinct "
        "the a an of on to about as i you it that this they he she we there what one all in "
        "at seem appear think guess suppose believe afraid say put way be have do can could "
        "will bet assume somebody someone would must shall should not never far too by any "
        "mean with such me your and or hypothesis assumption statement claim much pretty more "
        "less basic essential there's quite like answer thing is 's here was completely "
        "entirely perfect really then those them"
    )
    | INTENSIFIERS
)
"""What may accompany a verdict ("I would say that you are quite right") without adding to it."""
