"""Base forms of words: "makes", "making" and "made" are all "make"."""

from __future__ import annotations

from functools import lru_cache

from unspoken.envs.aidg_search.interpreter.clean import word_set
from unspoken.envs.aidg_search.interpreter.guess import PREPOSITIONS

DONE = "_"
"""Marks a participle: "used" is "use_"."""
_BASE = {
    word: base
    for line in """
be: is are am be being been
do: does do would will shall
can: can could may might
have: has have having
find_: found
make_: made
make: making
wear_: worn
eat_: eaten
see_: seen
keep_: kept
hold_: held
build_: built
buy_: bought
ride_: ridden
throw_: thrown
drive_: driven
grow_: grown
hang_: hung
sell_: sold
give_: given
know_: known
think_: thought
spin_: spun
draw_: drawn
write_: written
take_: taken
bend_: bent
lift_: lifted
break_: broken
spell_: spelt
shut_: shut
lay: laying lays laid
lie: lying lies
fall: fell fallen
use: using
have_: had
foot: feet
tooth: teeth
leaf: leaves
wing: wings wing
ring: ring rings
string: strings string
furnishing: furnishings
clothes: clothing clothes
building: building buildings
painting: paintings
during: during
stuff: things objects items something
one: one 1
two: two 2
three: three 3
four: four 4
five: five 5
you: they
it: these them this
mostly: mainly primarily chiefly largely predominantly
""".strip().splitlines()
    for base, _, words in [line.partition(": ")]
    for word in words.split()
}
_ENDS_IN_E = {
    word[:-1]: word
    for word in word_set("""
use make see live have give take ride drive move store compose describe serve consume produce place
race rise close fuse bite breathe slice bake include promote provide require measure navigate
write dine erase decorate wave type rotate revolve capture inhale handle separate
operate illuminate stroke raise hide enclose cruise pose shape change prepare
charge image surface smoke increase reduce communicate range like admire state remove rescue freeze
smile locate receive serve fuse note share size shine stone involve create suffice fire line wipe
cause reside time become edge cube observe manage associate relate
""")
}
_NOT_ING = word_set(
    "thing nothing everything ceiling morning evening spring earring sibling shed sled hundred"
)


@lru_cache(maxsize=8192)
def base(word: str) -> str:
    """The base form of a word, with `DONE` after that of a participle."""
    if word in _BASE:
        return _BASE[word]
    if (
        len(word) < 4
        or "-" in word
        or word in PREPOSITIONS
        or word.endswith(DONE)
        or word in _NOT_ING
    ):
        return word
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y" + DONE
    if word.endswith("ed") and len(word) > 3 and word[-3] != "e":
        return _stem(word[:-2]) + DONE
    if word.endswith("ing") and len(word) > 5:
        return _stem(word[:-3])
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "always")):
        return word[:-1]
    return word


def _stem(word: str) -> str:
    if word in _ENDS_IN_E:
        return _ENDS_IN_E[word]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl":
        return word[:-1]
    return word
