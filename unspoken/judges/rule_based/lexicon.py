"""Small tables of English: which words mean the same, oppose each other, or do a job.

The tables hold everyday words of homes and offices, not sentences; whatever is written here is
turned into stems by `tokens`.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text, as a table."""
    return frozenset(text.split())


RINGS: dict[str, str] = {
    # things
    "GLASS": "glass, tumbler, drinking glass, beaker, goblet, glassful, water glass, pint glass",
    "CUP": "cup, mug",
    "WATER": "water, h2o, from the tap, out of the tap, tap water, clear drink, clear liquid, "
    "mineral water, aqua",
    "TABLE": "table, tabletop, desk top, dining table",
    "DOOR": "door, doorway, entrance, entry",
    "CHAIR": "chair, seat, stool",
    "FOLDER": "folder, binder, dossier, portfolio",
    "NOTEBOOK": "notebook, notepad, jotter, notepad, writing pad, exercise book",
    "PACKAGE": "package, parcel, shipment, packet, delivery, consignment, box",
    "CONTRACT": "contract, agreement, signed paper, signed deal, legal agreement, signed document, "
    "deed, deal",
    "DOCUMENT": "document, doc, file",
    "FILE": "file, document",
    "NAME": "name, filename, title",
    "DESKTOP": "desktop, main screen, home screen, wallpaper, screen background, background "
    "image, among the icon, between the icon, among your icon, start screen, screen's "
    "background",
    "PAPER": "paper, sheet, slip, post it, sticky note, notepaper, scrap, notelet, page, index "
    "card, post it note",
    "HINT": "hint, clue, reminder, cue",
    "PASSWORD": "password, passphrase, passcode, pass phrase, login",
    "CODE": "code, pin, combination, passcode, pin code, number to disarm, key code",
    "DIGIT": "digit, figure, numeral, number",
    "LIGHT": "light, lamp, lighting, bulb, lightbulb, illumination, chandelier",
    "BATTERY": "battery, accumulator",
    "LAPTOP": "laptop, computer, pc, portable computer, macbook, portable",
    "SERVER": "server, machine",
    "DRIVE": "drive, usb, flash drive, memory stick, thumb drive, usb stick, usb key, pen "
    "drive, usb memory, data stick, usb drive, thumbdrive",
    "CLOCK": "clock, timepiece, wall clock",
    "MEETING": "meeting, conference, session, get together, gathering, get together, assembly, "
    "appointment, call",
    "KEY": "key",
    "ENVELOPE": "envelope",
    "CAR": "car, automobile, vehicle",
    "MONEY": "money, cash",
    "PICTURE": "picture, photo, photograph, image",
    "DOCTOR": "doctor, physician",
    "PHONE": "phone, telephone, cellphone, mobile, smartphone",
    "SOFA": "sofa, couch",
    # where
    "UNDER": "under, underneath, beneath, below, underside of, bottom of, bottom side of, "
    "undersurface of, lower side of, below the top of",
    "BEHIND": "behind, at the back of",
    "ABOVE": "above, over, atop, on top of",
    "NEAR": "near, beside, next to, close to, adjacent to",
    "BACK": "back, rear, backside, at the rear, backdoor, hind, round the back",
    "FRONT": "front",
    "LEFT": "left, lefthand",
    "RIGHT": "right, righthand",
    # states
    "OPEN": "open, ajar, unclosed, unshut",
    "CLOSED": "close, shut",
    "BROKEN": "break, damage, bust, smash, snap, wreck, ruin, shatter, collapse, defective, fall "
    "apart, fell apart, out of order, in pieces, beyond repair, kaput, give out, come "
    "apart, come off, snap off, break off, fall off, fall to piece, fall to bit, "
    "crack, in two, give way, not usable, unusable, not hold anybody, "
    "not hold anyone, no good any more, on its last legs, need repair, need fix, "
    "missing a leg, lose a leg",
    "INTACT": "intact, fine, work, functional, function, unbroken, undamaged, in one piece, "
    "in working order",
    "EMPTY": "empty, drain, drink up, drink all, drink it all, all go, be go, bone dry, finish "
    "off, void of, devoid of, polish off, to the last drop, drink the last, down to "
    "the dreg, hold nothing, finish",
    "FULL": "full, 100 percent, hundred percent, top up, top off, all the way, max, maximum, "
    "capacity, complete charge, charge complete, total charge, entire charge, to the "
    "brim, fully, brim, all the charge, not get any fuller, not be fuller, as full as",
    "CHARGE": "charge, power, juice, 100 percent, hundred percent, top up, top off, complete "
    "charge, charge complete, total charge, entire charge, all the charge, every bar, "
    "not get any fuller, not be fuller, as full as",
    "SEALED": "seal, glue, stick down, stick shut, unopened, never be open, not be open, yet to "
    "be open, gum, wax shut, close with wax, tape shut, seal shut, lick, not yet be "
    "open, intact seal, seal be intact, seal be unbroken, seal be whole",
    "FAST": "fast, ahead, quick, more than the true time, more than the real time, more than "
    "the correct time, more than the actual time, later than the real time, later than "
    "the true time, later than it be, later than it really be, too far forward, in "
    "front, in advance, gain, in the lead, run early, early, subtract, deduct, take "
    "off, knock off",
    "SLOW": "slow, behind, late, behind the real time, behind the true time, less than the "
    "real time, less than the true time, lose, add",
    "OFF": "off, turn off, switch off, shut off, go out, put out, go off, go dark, extinguish, out",
    "ON": "turn on, switch on, come on",
    "FULLTIME": "always",
    "BIG": "big, large, huge",
    "SMALL": "small, little, tiny",
    # doing
    "TAPE": "tape, stick, attach, fix, fasten, affix, glue, adhere, tape up, sticky tape, "
    "adhesive tape, duct tape, sellotape, scotch tape, adhesive, stick on, tack, "
    "secure",
    "SPARE": "spare, extra, backup, duplicate, additional",
    "REBOOT": "reboot, restart, power cycle, re boot, turn off and on, switch off and on, turn "
    "off and back on, shut down and bring back up, shut down and bring up, go down and "
    "come back up, bring back up, come back up, recycle, boot again, boot anew, start "
    "again, start anew, start up again, fresh start",
    "START": "start, begin, commence, kick off, get go, get under way, first, prefix, "
    "beginning, open with, lead with, launch, get start, set off, opening, initial, "
    "commence",
    "END": "end, finish, conclude, last, final, ending, go on, the rest, remain, come last, "
    "tail, close with, round off, wind up, final part, complete with, after that, "
    "terminate",
    "WRITE": "write, jot, note, scribble, scrawl, pen, put down, record, handwritten, down on",
    "SAVE": "save, store, keep",
    "DELIVER": "deliver, drop off, bring, leave, arrive, hand over, land, courier, set down, turn "
    "up",
    "BELONG": "belong, own, owner, property, property of, possess, proprietor, rightful owner, "
    "ownership, be the one who own",
    "CONTAIN": "contain, hold, house, store",
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
    "LASTNIGHT": "last night, yesterday night, yesterday evening, overnight, during the night, in "
    "the night, previous night, night before, past night, middle of the night, last "
    "evening, after dark, between dusk and dawn, after dusk, small hour, wee hour, "
    "after sunset, dead of night, while everyone sleep, while everybody sleep, while "
    "you sleep, while we sleep, hour of darkness, yesterday after dark, late "
    "yesterday, late last evening, in the course of the night, through the night, "
    "before dawn",
    "MINUTE": "minute, min",
    "@00:00": "strike twelve, stroke of twelve, struck of twelve, one day turn into the next, "
    "new day begin, new day start, the day change, date change, day turn over, twelve on the dot",
    # places in a row
    "#1": "topmost, top one, number one",
    "#2": "one drawer down, one drawer further down, one drawer below, one drawer lower, "
    "second from the top, one below the first, one below the top, one under the first, "
    "one under the top, one after the first, next one down, next drawer down, "
    "just below the first, "
    "below the top one, under the top one, beneath the top one, below the first one, "
    "after the first one, beneath the first, below the topmost",
}
"""Words and phrases that stand for one meaning; a word may be in several."""

THINGS = words(
    "GLASS CUP WATER TABLE DOOR CHAIR FOLDER NOTEBOOK PACKAGE CONTRACT DOCUMENT FILE NAME DESKTOP "
    "PAPER HINT PASSWORD CODE DIGIT LIGHT BATTERY LAPTOP SERVER DRIVE CLOCK MEETING KEY ENVELOPE "
    "CAR MONEY PICTURE DOCTOR PHONE SOFA CHILD HOUSE"
)
"""Rings whose words are nouns, so that an s at their end is the plural."""

RESTATING = frozenset({"BELONG"})
"""Rings of links between subject and value; the value with another word of theirs is reworded."""

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
        "sleep": "slept",
        "strike": "struck",
        "come": "came",
        "lose": "lost",
        "shut": "shutting",
        "put": "putting",
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
MAYBES = words("plausible possible conceivable maybe perhaps possibly might may could conceivably")
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
        "less basic essential there's quite like answer thing assure promise guarantee "
        "because is 's here was completely "
        "entirely perfect really then those them"
    )
    | INTENSIFIERS
)
"""What may accompany a verdict ("I would say that you are quite right") without adding to it."""
