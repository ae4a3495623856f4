"""What SNEAK reads in text: labelled messages and answers, and properties that hold of any."""

import json

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from unspoken.envs.sneak.instances import Instance, instances, load
from unspoken.envs.sneak.interpreter import (
    MAX_WORDS,
    RULES,
    allowed,
    count_words,
    fault,
    read_answer,
    read_message,
)
from unspoken.envs.sneak.menu import choices, label
from unspoken.lexicon.vectors import vocabulary

INSTANCES = instances(load())
DECOYS = ("one", "two", "three", "four", "five")
FINE = ""


def of(secret, *others, category="thing"):
    """The instance of the package's file, or one made of these words."""
    if others:
        return Instance(category, "concrete", (secret, *others), secret, DECOYS)
    return next(instance for instance in INSTANCES if instance.secret == secret)


MADE = {
    "baker": of("baker", "butcher", "smith"),
    "polar bear": of("polar bear", "seal", "walrus"),
    "polar bear, among bears": of("polar bear", "brown bear", "panda"),
    "polar bear, in bears": of("polar bear", "panda", category="kind of bear"),
    "United States": of("United States", "France", "Peru"),
    "secretary of state": of("secretary of state", "mayor"),
}

MESSAGES = {
    "length": [
        ("hat", ""),
        ("hat", "   "),
        ("hat", "..."),
        ("hat", "?!"),
        ("hat", "what a magician keeps rabbits in"),
        ("hat", "one two three four five six"),
        ("hat", "one,two,three,four,five,six"),
        ("hat", "one/two/three/four/five/six"),
        ("hat", "one-two-three-four-five-six"),
        ("hat", "OneTwoThreeFourFiveSix"),
        ("hat", "one_two three four five six seven"),
        ("hat", "x" * 101),
        ("hat", "🐇 🎩 🪄 🐇 🎩 🪄"),
    ],
    "secret": [
        ("hat", "hat"),
        ("hat", "HAT"),
        ("hat", "a hat"),
        ("hat", "the Hat!"),
        ("hat", "hat's"),
        ("hat", "hat-trick"),
        ("hat", "top hat"),
        ("hat", "TopHat"),
        ("hat", "#TopHat"),
        ("hat", "rhymes with hat"),
        ("hat", "spelled like hat"),
        ("hat", "not a hat"),
        ("hat", "\uff48\uff41\uff54"),
        ("hat", "h\u200bat"),
        ("hat", "h\u0336a\u0336t\u0336"),
        ("hat", "hät"),
        ("hat", "h\u0430t"),
        ("hat", "🎩"),
        ("hat", "ⓗⓐⓣ"),
        ("dog", "🐶"),
        ("apple", "🍎 a day"),
        ("hat", "hat’s off"),
        ("hat", "hat'll do"),
        ("Christmas", "christmas eve"),
        ("ice cream", "ice cream"),
        ("ice cream", "ice-cream"),
        ("ice cream", "icecream"),
        ("ice cream", "two ice creams"),
        ("ice cream", "vanilla ice"),
        ("ice cream", "whipped cream"),
        ("yo-yo", "yo yo"),
        ("yo-yo", "yoyo"),
        ("question mark", "any questions or question"),
        ("science fiction", "rocket science"),
        ("polar bear", "polar expedition"),
        ("polar bear", "bear with me"),
        ("polar bear, among bears", "polar ice"),
        ("secretary of state", "state affairs"),
    ],
    "inflection": [
        ("hat", "hats"),
        ("hat", "many hats"),
        ("apple", "apples"),
        ("mouse", "mice"),
        ("knife", "knives"),
        ("foot", "feet"),
        ("swimming", "swim"),
        ("swimming", "swam"),
        ("swimming", "she swims"),
        ("fly", "flew"),
        ("scissors", "scissor"),
        ("jeans", "jean"),
        ("fly", "flies"),
        ("polar bear", "bears"),
        ("red", "redder"),
        ("cherry", "cherries"),
    ],
    "derivation": [
        ("baker", "bakery"),
        ("baker", "bakeries"),
        ("baker", "bake"),
        ("baker", "baking"),
        ("apple", "applesauce"),
        ("apple", "crabapple"),
        ("ring", "earring"),
        ("king", "kingdom"),
        ("king", "kingdoms"),
        ("cat", "catfish"),
        ("snow", "snowman"),
        ("sun", "sunflowers"),
        ("happiness", "happy"),
        ("happiness", "happily ever after"),
        ("happiness", "unhappy"),
        ("honesty", "dishonesty"),
        ("patience", "impatience"),
        ("music", "musician"),
        ("biology", "biologist"),
        ("photography", "photographic"),
        ("teacher", "teach"),
        ("mathematics", "mathematical"),
        ("freedom", "free"),
        ("lawyer", "law"),
        ("king", "kinglike"),
        ("dragon", "snapdragon"),
        ("poetry", "poet"),
        ("wisdom", "wise old man"),
        ("truth", "true"),
        ("death", "dead"),
        ("birth", "born"),
        ("pride", "proud"),
        ("theft", "thief"),
        ("pottery", "potter"),
        ("France", "French"),
        ("Spanish", "Spain"),
        ("lion", "lioness"),
        ("dog", "doggy"),
        ("count", "countess"),
        ("crow", "scarecrow"),
        ("foot", "football"),
        ("policeman", "police"),
        ("impatience", "patience"),
        ("phone", "telephone"),
        ("ice cream", "icy"),
    ],
    "spelling": [
        ("hat", "h-a-t"),
        ("hat", "h a t"),
        ("hat", "H.A.T."),
        ("hat", "h, a, t"),
        ("hat", "H_A_T"),
        ("hat", "ha t"),
        ("hat", "h then a then t"),
        ("hat", "hAt"),
        ("hat", "tah"),
        ("hat", "t-a-h"),
        ("hat", "tah backwards"),
        ("dog", "god backwards"),
        ("hat", "h4t"),
        ("hat", "h@t"),
        ("hat", "h@ts"),
        ("cat", "c4t"),
        ("lion", "l10n"),
        ("lion", "1ion"),
        ("apple", "4pple"),
        ("piano", "p!ano"),
        ("hat", "h*t"),
        ("hat", "h_t"),
        ("hat", "h?t"),
        ("hat", "h - t"),
        ("elephant", "el*phant"),
        ("elephant", "eleph"),
        ("elephant", "elephnat"),
        ("hat", "haaaat"),
        ("apple", "aple"),
        ("apple", "appple"),
        ("banana", "bananna"),
        ("apple", "palpe"),
        ("hat", "starts with h"),
        ("hat", "Starts with 'H'"),
        ("hat", "begins with an h"),
        ("hat", "begins with the letter h"),
        ("hat", "starts with ha"),
        ("hat", "ends in t"),
        ("hat", "ends with at"),
        ("hat", "three letters"),
        ("hat", "3 letters"),
        ("hat", "a three-letter word"),
        ("hat", "first letter H"),
        ("hat", "the letter h"),
        ("hat", "one syllable"),
        ("hat", "rhymes with bat"),
        ("hat", "rhyming with cat"),
        ("hat", "anagram of tha"),
        ("apple", "double p"),
        ("knife", "silent k"),
        ("hat", "two consonants"),
        ("hat", "happy animals talk"),
        ("hat", "Hotel Alpha Tango"),
        ("ice cream", "i-c-e-c-r-e-a-m"),
        ("apple", "ap ple"),
        ("hat", "🇭🇦🇹"),
    ],
    "initials": [
        ("hat", "h"),
        ("hat", "H."),
        ("hat", "h..."),
        ("hat", "an h word"),
        ("hat", "the H-word"),
        ("New York", "NY"),
        ("New York", "ny"),
        ("New York", "N.Y."),
        ("New York", "NYC"),
        ("New York", "N.Y.C."),
        ("New York", "visit NYC soon"),
        ("Los Angeles", "LA"),
        ("Los Angeles", "L.A."),
        ("polar bear", "PB"),
        ("polar bear", "pb"),
        ("United States", "US"),
        ("United States", "U.S."),
        ("United States", "USA"),
        ("secretary of state", "S.S."),
        ("secretary of state", "SOS"),
        ("hide-and-seek", "H.A.S."),
        ("ice cream", "IC"),
    ],
    "translation": [
        ("hat", "chapeau"),
        ("hat", "le chapeau"),
        ("hat", "chapeaux"),
        ("dog", "perro"),
        ("dog", "perros"),
        ("dog", "mein Hund"),
        ("cat", "Katze"),
        ("lion", "león"),
        ("lion", "LÖWE"),
        ("bear", "l'orso"),
        ("apple", "manzana"),
        ("robin", "rouge-gorge"),
        ("ice cream", "helado"),
        ("bear", "Bär"),
        ("tea", "thé"),
        ("happiness", "felicidad"),
    ],
    FINE: [
        ("hat", "rabbit"),
        ("hat", "magician's rabbit"),
        ("hat", "hatch"),
        ("hat", "hatchet"),
        ("hat", "chatter"),
        ("hat", "that"),
        ("hat", "what you wear outside"),
        ("hat", "keeps your head warm"),
        ("hat", "cap"),
        ("hat", "Abraham Lincoln"),
        ("hat", "one of these"),
        ("hat", "starts with a bang"),
        ("hat", "ends in tears"),
        ("hat", "love letters"),
        ("hat", "it's a cover"),
        ("hat", "jack-of-all-trades"),
        ("cat", "category"),
        ("cat", "catalog"),
        ("cat", "cattle"),
        ("cat", "chat"),
        ("car", "carpet"),
        ("car", "carrot cake"),
        ("car", "careful"),
        ("car", "scar"),
        ("sea", "season"),
        ("ear", "heart"),
        ("ear", "fear"),
        ("ear", "early bird"),
        ("hat", "hate"),
        ("bus", "busy"),
        ("tin", "tiny"),
        ("star", "stare"),
        ("pear", "pearl"),
        ("cow", "coward"),
        ("ant", "giant"),
        ("ant", "important"),
        ("pen", "penguin"),
        ("pen", "happen"),
        ("can", "candle"),
        ("king", "looking"),
        ("ring", "spring"),
        ("red", "hundred"),
        ("rain", "restrain"),
        ("ham", "hamlet"),
        ("rose", "prose"),
        ("bread", "pain"),
        ("dog", "god"),
        ("star", "rats"),
        ("pear", "reap"),
        ("lion", "loin"),
        ("bear", "barely"),
        ("knife", "sharp"),
        ("carrot", "vitamin c"),
        ("shirt", "plan s"),
        ("orange", "agent O"),
        ("apple", "a doctor's enemy"),
        ("hide-and-seek", "has a winner"),
        ("United States", "us"),
        ("Los Angeles", "la la la"),
        ("question mark", "mark"),
        ("science fiction", "fiction"),
        ("polar bear, among bears", "bear"),
        ("polar bear, among bears", "bears"),
        ("polar bear, in bears", "a bear"),
        ("secretary of state", "of course"),
        ("drum", "sounds like thunder"),
        ("poetry", "it rhymes"),
        ("judgment", "justice"),
        ("hat", "🐇"),
        ("hat", "🐇 🪄"),
        ("hat", "well-known long-eared magic animal"),
        ("hat", "U.S. president"),
        ("hat", "3.5 inches"),
        ("snow", "Олаф"),
        ("teacher", "preacher"),
        ("shoulder", "you should carry it"),
        ("cannon", "cannot fire twice"),
        ("can opener", "yes we can"),
        ("New York", "new in town"),
        ("ton", "Isaac Newton"),
        ("ton", "Paddington"),
        ("cap", "Al Capone"),
        ("hood", "knighthood"),
        ("lion", "rebellion"),
        ("pig", "pigeon"),
        ("bus", "business"),
        ("reading", "ready steady go"),
        ("numbness", "number"),
        ("Easter", "eastern"),
        ("black", "bleak"),
        ("expulsion", "exclusion"),
        ("dog", "sugar cane"),
        ("river", "Rio Grande"),
        ("India", "index finger"),
        ("month", "what a mess"),
        ("samba", "Simba"),
    ],
}
CASES = [(rule, secret, said) for rule, cases in MESSAGES.items() for secret, said in cases]


@pytest.mark.parametrize(("rule", "secret", "said"), CASES)
def test_messages(rule, secret, said) -> None:
    assert fault(said, MADE.get(secret) or of(secret)) == rule


def test_there_are_enough_cases() -> None:
    assert len(set(CASES)) == len(CASES) >= 150
    assert set(MESSAGES) == {*RULES, FINE} - {"parse"}


def test_every_rule_tells_the_speaker_what_is_wrong_and_not_the_secret() -> None:
    for rule, secret, said in CASES:
        reading = read_message(f"<message>{said}</message>", MADE.get(secret) or of(secret))
        assert (reading.rule, bool(reading.why)) == (rule, rule != FINE)
        assert reading.why == RULES.get(rule, "")


# Spans -----------------------------------------------------------------------------------------

SPANS = {
    "<message>rabbit</message>": "rabbit",
    "<message> magic  rabbit\n</message>": "magic rabbit",
    "I think of magic.\n<message>rabbit</message>": "rabbit",
    "<message>hat</message> no: <message>rabbit</message>": "rabbit",
    "<message>rabbit</message> and not hat": "rabbit",
    "<MESSAGE>Rabbit</Message>": "Rabbit",
    "< message >rabbit< / message >": "rabbit",
    "<message>hat <message>rabbit</message>": "rabbit",
    "<message>rabbit</message></message>": "rabbit",
    "<message>**rabbit**</message>": "rabbit",
    '<message>"rabbit."</message>': "rabbit",
    "<message>“rabbit”</message>": "rabbit",
    "<message>N.Y.</message>": "N.Y.",
    "<message>magician's</message>": "magician's",
    "<message>(rabbit)</message>": "rabbit",
    "<think>hat?</think><message>rabbit</message>": "rabbit",
}


@pytest.mark.parametrize(("raw", "message"), SPANS.items())
@pytest.mark.parametrize("tagged", [True, False])
def test_the_last_span_is_the_message(raw, message, tagged) -> None:
    assert read_message(raw, of("hat"), tagged=tagged) == (message, "")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("rabbit", "rabbit"),
        (" magic\trabbit\n", "magic rabbit"),
        ('"rabbit"', "rabbit"),
        ("Rabbit.", "Rabbit"),
        ("**rabbit**", "rabbit"),
        ("Message: rabbit", "rabbit"),
        ("My clue: rabbit", "rabbit"),
        ("<message>rabbit", "rabbit"),
        ("rabbit</message>", "rabbit"),
    ],
)
def test_a_text_without_a_span_is_the_message_unless_spans_are_asked_for(raw, message) -> None:
    assert read_message(raw, of("hat")) == (message, "")
    assert read_message(raw, of("hat"), tagged=True) == ("", "parse")


def test_an_empty_span_is_no_message() -> None:
    assert read_message("<message></message>", of("hat")).rule == "length"
    assert read_message("rabbit <message> </message>", of("hat")).rule == "length"


@pytest.mark.parametrize(
    ("message", "n"),
    [
        ("rabbit", 1),
        ("a rabbit", 2),
        ("rabbit, magic", 2),
        ("well-known", 1),
        ("jack-of-all-trades", 1),
        ("a-b-c-d-e-f-g", 1),  # spelled, not said
        ("one-two-three-four-five", 5),
        ("rock 'n' roll", 3),
        ("it's", 1),
        ("U.S.A.", 1),
        ("3.5 inches", 2),
        ("HatTrick", 2),
        ("🐇", 1),
        ("🐇🪄", 2),
        ("- - -", 0),
        ("", 0),
    ],
)
def test_words_are_counted(message, n) -> None:
    assert count_words(message) == n


# Any text --------------------------------------------------------------------------------------

ANY = st.sampled_from(INSTANCES)


@given(st.text(max_size=200), ANY)
@example("\ud800", INSTANCES[0])
@example("<message>" * 50, INSTANCES[0])
def test_any_text_is_read(text, instance) -> None:
    reading = read_message(text, instance)
    assert reading.rule in {*RULES, FINE}
    assert "\n" not in reading.message
    if reading.rule == FINE:
        assert 1 <= count_words(reading.message) <= MAX_WORDS
    assert read_message(f"<message>{text}</message>", instance, tagged=True).rule in {*RULES, FINE}


@given(st.text(st.characters(codec="ascii"), max_size=40), st.text(max_size=40), ANY)
def test_the_last_of_two_spans_decides(first, second, instance) -> None:
    assume("<" not in first + second)
    alone = f"<message>{second}</message>"
    both = read_message(f"{first}<message>{first}</message>{alone}", instance, tagged=True)
    assert both == read_message(alone, instance)


@given(ANY, st.data())
def test_the_secret_is_refused_however_it_is_dressed(instance, data) -> None:
    pick = lambda *options: data.draw(st.sampled_from(options))  # noqa: E731
    secret = pick(instance.secret, instance.secret.upper(), instance.secret.title())
    said = f"{pick('', 'the ', 'my ', '*')}{secret}{pick('', '!', '*', '?', ' ')}"
    assert fault(said, instance) in ("secret", "length")


@given(ANY)
def test_the_secret_letter_by_letter_is_refused(instance) -> None:
    letters = [letter for letter in instance.secret if letter.isalpha()]
    for joint in ("-", ".", "_", ""):
        assert fault(joint.join(letters), instance) in ("spelling", "secret", "inflection")
    if len(letters) <= MAX_WORDS:
        assert fault(" ".join(letters), instance) == "spelling"


@given(ANY, st.data())
def test_accents_case_and_invisible_characters_change_nothing(instance, data) -> None:
    word = data.draw(st.sampled_from(vocabulary()))
    at = data.draw(st.integers(0, len(word)))
    dressed = f"{word[:at]}\u200b{word[at:]}".upper()
    plain = fault(word, instance)
    # capitals can be initials: "PB"
    assert fault(dressed, instance) in (plain, "initials")
    assert fault(f"{word[:at]}\u200b{word[at:]}", instance) == plain


@given(ANY, st.integers(0, len(vocabulary()) - 1))
def test_the_mask_is_what_the_rules_say(instance, index) -> None:
    assert bool(allowed(instance)[index]) == (fault(vocabulary()[index], instance) == FINE)


def test_masks_leave_nearly_everything_and_are_read_only() -> None:
    for instance in INSTANCES[::50]:
        mask = allowed(instance)
        assert mask.dtype == np.int8
        assert len(vocabulary()) - 20 < mask.sum() <= len(vocabulary())
        with pytest.raises(ValueError, match="read-only"):
            mask[0] = 0
        assert allowed(instance) is mask
        reordered = Instance(
            instance.category, instance.kind, instance.words[::-1], instance.secret, ()
        )
        assert allowed(reordered) is mask


def test_no_decoy_is_against_the_rules_for_everybody() -> None:
    """Decoys come from the category: most of them can be said of most of its words."""
    faults = [fault(decoy, instance) for instance in INSTANCES[::7] for decoy in instance.decoys]
    assert sum(rule == FINE for rule in faults) > 0.95 * len(faults)


# Answers ---------------------------------------------------------------------------------------

WORDS = ("hat", "cap", "helmet", "tonic water", "water", "star")
NONE = None
ANSWERS = {
    "A": 0,
    "a": 0,
    "F": 5,
    " b ": 1,
    "b)": 1,
    "(C)": 2,
    "[C]": 2,
    "C.": 2,
    "**D**": 3,
    "`E`": 4,
    '"A"': 0,
    "hat": 0,
    "Hat.": 0,
    "the hat": 0,
    "A hat": 0,
    "A cap": 1,  # an article, not a label
    "tonic water": 3,
    "water": 4,
    "Tonic  Water!": 3,
    "C) helmet": 2,
    "C: helmet": 2,
    "C - helmet": 2,
    "helmet (C)": 2,
    "C) hat": NONE,
    "hat (C)": NONE,
    "The answer is C": 2,
    "The answer is: C.": 2,
    "Answer: B": 1,
    "answer: B) cap": 1,
    "I choose B.": 1,
    "I pick the star": 5,
    "My guess is the hat": 0,
    "The secret word is: star!": 5,
    "option d": 3,
    "Label: E": 4,
    "I'd say E": 4,
    "it is water": 4,
    "I think the secret is tonic water.": 3,
    "It must be tonic water, I think": 3,
    "Maybe the helmet?": 2,
    "C. Because it protects": 2,
    "Reasons and reasons.\n\nC": 2,
    "It is not the hat.\nSo: B": 1,
    "The hat or the cap?\nAnswer: hat": 0,
    '{"answer": "C"}': 2,
    '{"guess": "star"}': 5,
    '```json\n{"label": "B"}\n```': 1,
    "": NONE,
    "   ": NONE,
    "G": NONE,
    "X": NONE,
    "I": NONE,
    "fedora": NONE,
    "hello there": NONE,
    "A or B": NONE,
    "water or hat": NONE,
    "not hat": NONE,
    "I don't know": NONE,
    "It isn't the star": NONE,
    "hat, cap": NONE,
    "hats": NONE,
    "chat": NONE,
    "starfish": NONE,
    '{"answer": "G"}': NONE,
    '{"answer": 3}': NONE,
    "not the hat, it is the cap": 1,
    "It is not B but C": 2,
    "It's the hat, not the cap": 0,
    "hat rather than cap": 0,
    "I don't know, but my guess is B": 1,
    "I'm 90% sure it's B.": 1,
    "no doubt the star": 5,
    "It cannot be anything but the hat": 0,
    "I would never choose B": NONE,
    "anything but B": NONE,
    "The answer is anything but B": NONE,
    "B is wrong": NONE,
    "neither hat nor cap": NONE,
    "not the hat or the cap": NONE,
    "[1, 2]": NONE,
    "{": NONE,
    "{}": NONE,
    "null": NONE,
}


@pytest.mark.parametrize(("said", "index"), ANSWERS.items())
def test_answers(said, index) -> None:
    p = read_answer(said, WORDS)
    if index is None:
        assert p is None
    else:
        assert p.tolist() == np.eye(6)[index].tolist()


WEIGHTS = {
    "A: 0.7, B: 0.3": (0.7, 0.3),
    "A=0.7; B=0.3": (0.7, 0.3),
    "A 0.7, B .3": (0.7, 0.3),
    "a: 0.7\nb: 0.3": (0.7, 0.3),
    "A: 70%, B: 30%": (0.7, 0.3),
    "A: 70, B: 30": (0.7, 0.3),
    "A -> 0.7, B -> 0.3": (0.7, 0.3),
    "A: 0.7 and B: 0.3": (0.7, 0.3),
    "A (0.7), B (0.3)": (0.7, 0.3),
    "hat: 0.7, cap: 0.3": (0.7, 0.3),
    "A) hat: 0.7, B) cap: 0.3": (0.7, 0.3),
    "hat: 0.7, B: 0.3": (0.7, 0.3),
    "A: 0.7, B: 0.3, C: 0": (0.7, 0.3),
    "A: 1": (1.0, 0),
    "A: 100%": (1.0, 0),
    "A: 0.33, B: 0.33, C: 0.33": (1 / 3, 1 / 3, 1 / 3),
    '{"A": 0.7, "B": 0.3}': (0.7, 0.3),
    '{"hat": 0.7, "cap": 0.3}': (0.7, 0.3),
    '{"probabilities": {"A": 0.7, "B": 0.3}}': (0.7, 0.3),
    '```\n{"A": 70, "B": 30}\n```': (0.7, 0.3),
    "[0.7, 0.3, 0, 0, 0, 0]": (0.7, 0.3),
    "Let me think.\nA: 0.7, B: 0.3": (0.7, 0.3),
    "A=0.7 B=0.3": (0.7, 0.3),
    "A 0.7 B 0.3": (0.7, 0.3),
    "A: 70 percent, B: 30 percent": (0.7, 0.3),
    "A: 7e-1, B: 3e-1": (0.7, 0.3),
    "Let me think.\nA: 0.7\nB: 0.3": (0.7, 0.3),
    "A=0.7 B=0.7": NONE,
    "A: nan": NONE,
    "B: NaN": NONE,
    "A: nan\nB: 1": NONE,
    "B: inf": NONE,
    "B: -1": NONE,
    "A: -0.5, B: 1.5": NONE,
    "B: 1/2": NONE,
    "P(B)=0.9": NONE,
    "A: 0.7": NONE,
    "A: 0.7, B: 0.7": NONE,
    "A: 0.7, A: 0.3": NONE,
    "A: 0.7, hat: 0.3": NONE,
    "A: 0.7, G: 0.3": NONE,
    "A: 0, B: 0": NONE,
    '{"A": 1.5, "B": -0.5}': NONE,
    '{"A": true}': NONE,
    '{"A": "0.7"}': NONE,
    '{"A": NaN, "B": 1}': NONE,
    '{"A": 0.7, "Z": 0.3}': NONE,
    "[0.7, 0.3]": NONE,
}


@pytest.mark.parametrize(("said", "weights"), WEIGHTS.items())
def test_probabilities(said, weights) -> None:
    p = read_answer(said, WORDS)
    if weights is None:
        assert p is None
    else:
        assert p == pytest.approx(np.pad(weights, (0, 6 - len(weights))))
        assert p.dtype == np.float64


def test_messages_that_read_like_labels_or_like_each_other() -> None:
    said = ("fabric", "A", "B) fabric", "cover", "Cover", "0.7")
    assert read_answer("A", said).argmax() == 0
    assert read_answer("B) A", said).argmax() == 1
    assert read_answer("C) B) fabric", said).argmax() == 2
    assert read_answer("cover", said).tolist() == [0, 0, 0, 0.5, 0.5, 0]
    assert read_answer("D) cover", said).argmax() == 3
    assert read_answer("E) Cover", said).argmax() == 4
    assert read_answer("E", said).argmax() == 4


NUMBERS = st.one_of(
    st.floats(0, 1), st.sampled_from(["nan", "inf", "-1", "1/2", "2e9", "-inf", "Infinity"])
)


@given(st.lists(NUMBERS, min_size=2, max_size=6), st.sampled_from([", ", "; ", "\n", " ", " and "]))
@example(["1/2", 1.0], "\n")
def test_numbers_that_do_not_add_up_are_no_answer(numbers, between) -> None:
    """Whatever parts them, no label is taken out of a list of numbers."""
    said = between.join(f"{label(i)}={n}" for i, n in enumerate(numbers))
    fair = all(isinstance(n, float) for n in numbers)
    assume(not fair or not 0.95 < sum(numbers) < 1.05)
    assume(not fair or not 95 < sum(numbers) < 105)
    assert read_answer(said, WORDS) is None


DENIED = st.sampled_from(
    ["not {}", "It isn't {}", "anything but {}", "{} is wrong", "{} is unlikely",
     "I doubt it is {}", "I would never pick {}", "neither of them, not {}", "{}? No."]
)  # fmt: skip


@given(DENIED, st.sampled_from([*"BCDEF", *WORDS]))
def test_what_is_denied_is_no_answer(form, name) -> None:
    assert read_answer(form.format(name), WORDS) is None


OPTIONS = st.lists(st.text(min_size=1, max_size=12), min_size=2, max_size=30)
TIDY = st.lists(
    st.text(st.characters(codec="ascii", categories=["Ll"]), min_size=3, max_size=12),
    min_size=2,
    max_size=30,
    unique=True,
)


@given(st.text(max_size=300), OPTIONS)
@example("[" * 100_000, ["one", "two"])
@example('{"answer":' * 50_000, ["one", "two"])
@example("A" + " " * 100_000 + "B", ["one", "two"])
@example("\ud800", ["one", "two"])
def test_any_answer_is_a_distribution_or_none(text, options) -> None:
    p = read_answer(text, options)
    if p is not None:
        assert p.shape == (len(options),)
        assert (p >= 0).all()
        assert p.sum() == pytest.approx(1)


@given(OPTIONS, st.data())
def test_every_sentence_of_a_menu_is_its_option(options, data) -> None:
    options = [" ".join(option.split()) or "x" for option in options]
    index = data.draw(st.integers(0, len(options) - 1))
    assert (
        read_answer(choices(options)[index], options).tolist()
        == np.eye(len(options))[index].tolist()
    )
    assert read_answer(label(index), options).argmax() == index


@given(TIDY, st.data())
def test_probabilities_come_back_by_label_and_by_word_in_text_and_json(options, data) -> None:
    weights = data.draw(
        st.lists(st.integers(0, 100), min_size=len(options), max_size=len(options)).filter(any)
    )
    p = np.array(weights) / sum(weights)
    labels = [label(i) for i in range(len(options))]
    assume(not {option.upper() for option in options} & set(labels))
    for names in (labels, options):
        pairs = dict(zip(names, p.tolist(), strict=True))
        text = ", ".join(f"{name}: {weight:.6f}" for name, weight in pairs.items())
        assert read_answer(text, options) == pytest.approx(p, abs=1e-4)
        assert read_answer(json.dumps(pairs), options) == pytest.approx(p, abs=1e-9)


def test_labels_go_on_after_the_alphabet() -> None:
    assert [label(i) for i in (0, 25, 26, 27, 51, 52, 701, 702)] == [
        *("A", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA"),
    ]
