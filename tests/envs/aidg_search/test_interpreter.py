"""Reading of free text: labelled utterances, and properties that hold of any text."""

import copy
import pickle
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unspoken.envs.aidg_search.interpreter import Interpreter, interpreter
from unspoken.envs.aidg_search.ontology import load

ONTOLOGY = load()
READER = interpreter()
INDEX = {question.id: i for i, question in enumerate(ONTOLOGY.questions)}
Q, OPEN, BAD = "question", "open_question", "invalid"

LOCKS = {
    "lock: chair": "chair",
    "LOCK: chair": "chair",
    "Lock - chair": "chair",
    "lock chair": "chair",
    "Lock Chair.": "chair",
    "lock: [chair]": "chair",
    "lock: 'the chair'": "chair",
    "lock: “chair”": "chair",
    "**lock:** chair.": "chair",
    "**Lock: Chair**": "chair",
    "`lock: chair`": "chair",
    "My final answer is lock: chair": "chair",
    "I lock chair": "chair",
    "I'd like to lock in: chair": "chair",
    "I'm locking in chair.": "chair",
    "I'll lock in the chair!": "chair",
    "Let me lock chair": "chair",
    "Locking in: chair": "chair",
    "LOCK(chair)": "chair",
    "lock = chair": "chair",
    "lock → chair": "chair",
    "<lock>chair</lock>": "chair",
    "lock\uff1a chair": "chair",
    "lock: chairs": "chair",
    "lock: scissor": "scissors",
    "lock: a pair of scissors": "scissors",
    "lock: paint brush": "paintbrush",
    "lock: tomatoes": "tomato",
    "lock: chair 🎉": "chair",
    "🔒 lock: chair": "chair",
    "lock: chair because it has four legs": "chair",
    "lock: chair, since people sit on it": "chair",
    "lock: chair (four legs, people sit on it)": "chair",
    "lock: an apple": "apple",
    "lock: my guess is chair": "chair",
    "Lock my guess: chair": "chair",
    "lock: it's a chair": "chair",
    "lock: couch": "couch",
    "lock: plane": "plane",
    "lock: car": "car",
    "lock: table lamp": "table lamp",
    "lock: c-h-a-i-r": "chair",
    "Based on the answers it must be furniture.\n\nlock: chair": "chair",
    "Is it a chair? I am sure now. lock: chair": "chair",
    "lock: chair. Am I right?": "chair",
    "lock: chair\nI'm confident it's the chair!": "chair",
    "lock: chair. It's the chair, right?": "chair",
    "Final answer: lock: chair": "chair",
    "<think>It could be a table. lock: table</think>lock: chair": "chair",
    '{"lock": "chair"}': "chair",
    '```json\n{"action": "lock", "word": "chair"}\n```': "chair",
    '{"reasoning": "lock: table?", "lock": "chair"}': "chair",
    "Lock:\nchair": "chair",
    "I am not sure, but lock: chair": "chair",
    "I've made up my mind, so I lock in the word chair.": "chair",
}

BAD_LOCKS = [
    "lock:",
    "lock: [your guess]",
    "lock: WORD",
    "lock: <word>",
    "lock: not a chair",
    "lock: anything but chair",
    "lock: chair or table",
    "lock: chair, table",
    "lock: chair / table",
    "lock: either a chair or a sofa",
    "I'm not ready to lock chair yet.",
    "I won't lock chair.",
]

GUESSES = {
    "Is it a chair?": "chair",
    "is it the Chair": "chair",
    "IS IT A CHAIR": "chair",
    "Could this be some sort of chair?": "chair",
    "It's the chair, right?": "chair",
    "chair?": "chair",
    "Chair.": "chair",
    "chairs?": "chair",
    "A chair?": "chair",
    "My guess is chair": "chair",
    "My guess: chair": "chair",
    "My guess is that it's a chair.": "chair",
    "I think it's a chair": "chair",
    "I believe the secret word is chair.": "chair",
    "Is the word 'chair'?": "chair",
    'Is the secret word "chair"?': "chair",
    "Is the answer CHAIR": "chair",
    "Would you call it a chair?": "chair",
    "Would you say it's a chair?": "chair",
    "Is it called a chair?": "chair",
    "Is it something people call a chair?": "chair",
    "Is it commonly known as a chair?": "chair",
    "Is it a chair or a table?": "chair",
    "Is it one of these: chair, table, lamp?": "chair",
    "Is it either a table or a chair?": "table",
    "Is it a piece of furniture, specifically a chair?": "chair",
    "Is it a kitchen chair?": "chair",
    "Is it a comfortable old wooden chair?": "chair",
    "Is it a hat worn in winter?": "hat",
    "Is it a hat that people wear?": "hat",
    "Is it a hat people wear in winter?": "hat",
    "Is it a button on a keyboard?": "button",
    "Is it a bridge spanning a river?": "bridge",
    "Would I be right if I said chair?": "chair",
    "Am I right that it's a chair?": "chair",
    "it's not a chair, is it?": "chair",
    "Is it not a chair?": "chair",
    "Isn't it a chair?": "chair",
    "Are you thinking of a chair?": "chair",
    "Did you pick the chair?": "chair",
    "Do you mean an airplane?": "airplane",
    "Do you have a chair in mind?": "chair",
    "Is a chair what you're thinking of?": "chair",
    "Is chair the word?": "chair",
    "Is 'chair' the secret word?": "chair",
    "Is chair correct?": "chair",
    "Does the word spell c-h-a-i-r?": "chair",
    "Is it a C H A I R?": "chair",
    "Could it possibly be an ordinary elephant?": "elephant",
    "Might it be an elephant?": "elephant",
    "Can it be an elephant?": "elephant",
    "Is it an aeroplane?": "airplane",
    "Is it a motorbike?": "motorcycle",
    "Is it a type of chair?": "chair",
    "Is it a piece of cheese?": "cheese",
    "Is it bread?": "bread",
    "Are they scissors?": "scissors",
    "Is it a pair of scissors?": "scissors",
    "Is it a paint brush?": "paintbrush",
    "Is it an orange?": "orange",
    "Is it your knee?": "knee",
    "Is this thing you're thinking of a tiger?": "tiger",
    "Is the object a tiger?": "tiger",
    "So, is the mystery item an umbrella?": "umbrella",
    "Should I lock chair?": "chair",
    "If I said lock: chair, would I be right?": "chair",
    "What about a chair?": "chair",
    "How about chair?": "chair",
    "Is it alive? Is it a tiger?": "tiger",
    "Is it alive? My guess is tiger.": "tiger",
    "Question: Is it a chair?": "chair",
    "**Is it a chair?**": "chair",
    '{"question": "Is it a chair?"}': "chair",
    "Is it the same as a chair?": "chair",
    "Final answer: chair": "chair",
    "Is it a statue or a sculpture?": "statue",
    "Is it an animal that is a tiger?": None,
    "Is it furniture called a chair?": "chair",
    "I'd say it's a chair.": "chair",
    "Is it a chair by any chance?": "chair",
    "Is it a chair? (yes/no/maybe)": "chair",
    "Is it \u0430 \u0441hair?": "chair",  # Cyrillic letters
    "Is it a bicycle, motorcycle or skateboard?": "bicycle",
    "Tell me whether it is a chair.": "chair",
}
GUESSES = {text: word for text, word in GUESSES.items() if word}

FAIR = [
    "Is it bigger than a chair?",
    "Would you find it next to a chair?",
    "Is it part of a bicycle?",
    "Is it made from an apple?",
    "Can you put it on a table?",
    "Is it used with a hammer?",
    "Is it like a chair?",
    "Is it similar to a hat?",
    "Is it found in a castle?",
    "Is it worn with a belt?",
    "Do you see it in a river?",
    "Is it orange?",
    "Is it orange in colour?",
    "Is it orange or blue?",
    "Is it an orange or yellow object?",
    "Does it have a zipper?",
    "Is it a chair leg?",
    "Is it a drill bit?",
    "Does it live in a cave?",
    "Is it a mountain animal?",
    "Is it a body part such as the knee or wrist?",
    "Is it an animal, like a tiger?",
    "Is it a vehicle (e.g. a bicycle)?",
    "Is it a vehicle (bicycle, motorcycle, canoe)?",
    "Is it button-shaped?",
    "Is it button shaped?",
    "Is it a battery powered device?",
    "Is it a water vehicle?",
    "Is it a household item?",
    "Is it a knee or elbow joint?",
    "Is it wearing a hat?",
    "Is it used as a table?",
    "Is it chair-like?",
    "Does it look like a chair?",
    "Is it the leg of a chair?",
    "Is it smaller than a car?",
    "Is it bigger than a cat?",
    "Is it a mammal or a bird?",
    "Is it used by men?",
    "Is it not alive?",
    "Is it non-living?",
    "Is it never used indoors?",
    "Is a chair bigger than it?",
    "Is a car bigger than it?",
    "Is it a car?",
    "Does the word start with the letter c?",
    "Does it rhyme with hat?",
    "Does it have three legs?",
    "Is it alive or is it a plant?",
    "Do people lock it?",
    "Does it have a lock?",
    "Is it used to lock doors?",
    "Do animals eat it?",
    "Was it invented in Europe?",
    "Is it something other than a chair?",
    "Is it always red?",
    "Is it bigger than a car but smaller than a house?",
]

SAME = {
    "Is it alive?": "alive",
    "is it alive": "alive",
    "IS IT ALIVE???": "alive",
    "Isn't it alive?": "alive",
    "It's alive, right?": "alive",
    "It is alive?": "alive",
    "Alive?": "alive",
    "So, is the secret word alive?": "alive",
    "Is this thing alive?": "alive",
    "Is the object you're thinking of alive?": "alive",
    "Tell me, is it alive?": "alive",
    "Tell me whether it is alive.": "alive",
    "I'd like to know if it's alive.": "alive",
    "Question 4: Is it alive?": "alive",
    "Q: Is it alive?": "alive",
    "Q7. Is it alive?": "alive",
    "4. Is it alive?": "alive",
    "My next question is: is it alive?": "alive",
    "Okay, let me ask: is it alive?": "alive",
    "Would you say it's alive?": "alive",
    "Would it be fair to say that it is alive?": "alive",
    "Is it true that it's alive?": "alive",
    "Could it be alive?": "alive",
    "Is it alive, yes or no?": "alive",
    "Is it alive? (yes/no/maybe)": "alive",
    "Is it alive? Please answer yes, no or maybe.": "alive",
    "Is it alive? I'm looking forward to your answer!": "alive",
    "Is it alive? Let me know.": "alive",
    "Is it alive? Is that right?": "alive",
    "Is it alive? I suspect it's a tiger.": "alive",
    "I think it's a tiger. Is it alive?": "alive",
    "Hmm. Chair? Table? Let me think. Question: Is it alive?": "alive",
    "Thought: is it a chair?\nQuestion: Is it alive?": "alive",
    "**Question:** Is it alive?": "alive",
    '"Is it alive?"': "alive",
    "“Is it alive?”": "alive",
    "My question is 'Is it alive?'": "alive",
    '{"question": "Is it alive?"}': "alive",
    '{"thought": "is it a chair?", "question": "Is it alive?"}': "alive",
    "{'question': 'Is it alive?'}": "alive",
    "<question>Is it alive?</question>": "alive",
    "<think>Is it a chair? lock: chair</think>\nIs it alive?": "alive",
    "lock: chair?</think>Is it alive?": "alive",
    "I won't lock yet. Is it alive?": "alive",
    "I am thinking of locking chair, but first: is it alive?": "alive",
    "Before I lock chair, is it alive?": "alive",
    "I could ask 'Is it a chair?' but that would disqualify me. Is it man-made?": "manmade",
    "Instead of asking 'Is it a chair?', I'll ask: is it man-made?": "manmade",
    "I can't ask if it's a chair. Is it man-made?": "manmade",
    "Is it man-made? I know I can't ask 'Is it a chair?'.": "manmade",
    "Is it man-made? Is it a chair? No, that would be a direct guess.": "manmade",
    "Is it a manmade object?": None,
    "Is it man made?": "manmade",
    "Is it alive? Actually, no. Is it bigger than a car?": "bigger_car",
    "Maybe lock: chair? No, I'd rather ask: does it have wheels?": "wheels",
    "Is it larger than an automobile?": "bigger_car",
    "Bigger than a car?": "bigger_car",
    "It's bigger than a car, isn't it?": "bigger_car",
    "It can fly, can't it?": "fly",
    "Can this thing fly?": "fly",
    "Is it able to fly?": "fly",
    "Can they fly?": "fly",
    "Does it have any wheels?": "wheels",
    "Does the object have wheels?": "wheels",
    "It has wheels, right?": "wheels",
    "Has it got wheels?": "wheels",
    "Does it have exactly 4 legs?": "four_legs",
    "Does it have legs?": "legs",
    "Is it an animal?": "animal",
    "Is it a kind of animal?": "animal",
    "Is your word an animal?": "animal",
    "Are you thinking of an animal?": "animal",
    "Do you sit on it?": None,
    "Is it found in kitchens?": "kitchen",
    "In a kitchen, would you find it?": "kitchen",
    "Is it something people climb?": "climb",
}
SAME = {text: id_ for text, id_ in SAME.items() if id_}

INVALID = [
    "",
    "   \n\t ",
    "?!...",
    "🎉🎉",
    "I'm sorry, I can't help with that.",
    "I don't know what to ask.",
    "What colour is it?",
    "Where do you find it?",
    "What is it?",
    "How big is it?",
    "Can you tell me what it is?",
    "Give me a hint please.",
    "Can you give me a hint?",
    "Am I close?",
    "¿Está vivo?",
    "Ist es lebendig?",
    "Est-ce un animal ?",
    "它是活的吗\uff1f",
    "asdf qwer zxcv",
    "yes",
    "No.",
    "maybe",
    "Is it?",
    "Is it a?",
    "Okay, great!",
    "<think>Is it alive?",
    "<think>Is it alive? lock: chair</think>",
    "So far it is not an animal. It is not a vehicle.",
    "It could be a chair or a table. I need more information.",
    "You CANNOT ask direct guessing questions like ''Is it a chair?'' You MUST ask "
    "categorical/property questions like ''Is it alive?'', ''Is it bigger than a car?'' "
    "When confident, say: ''lock: [your guess]''---you only get ONE attempt",
    "I could ask 'Is it a chair?' but that would disqualify me.",
]

FINAL = {
    "chair": "chair",
    "Chair.": "chair",
    "A chair!": "chair",
    "Is it a chair?": "chair",
    "My guess is chair": "chair",
    "I think it's the chair": "chair",
    "The answer is chair.": "chair",
    "Final guess: chair": "chair",
    "lock: chair": "chair",
    "sofa": "sofa",
    "My final guess is sofa": "sofa",
    "I think it's a sofa.": "sofa",
    "Is it a plane?": "plane",
    "chairs": "chair",
}


@pytest.mark.parametrize(("text", "word"), LOCKS.items())
def test_lock(text, word):
    reading = READER.read(text)
    assert (reading.move, reading.word) == ("lock", word), reading


@pytest.mark.parametrize("text", BAD_LOCKS)
def test_lock_without_a_word(text):
    reading = READER.read(text)
    assert reading.move == BAD, reading
    assert reading.why


@pytest.mark.parametrize(("text", "word"), GUESSES.items())
def test_direct_guess(text, word):
    reading = READER.read(text)
    assert (reading.move, reading.word) == ("direct_guess", word), reading


@pytest.mark.parametrize("text", FAIR)
def test_fair_question_that_the_bank_does_not_hold(text):
    reading = READER.read(text)
    assert reading.move == OPEN, reading
    assert reading.question.endswith("?")


@pytest.mark.parametrize(("text", "id_"), SAME.items())
def test_question_in_other_words(text, id_):
    reading = READER.read(text)
    canonical = ONTOLOGY.questions[INDEX[id_]].text
    assert (reading.move, reading.question, reading.index) == (Q, canonical, INDEX[id_]), reading


@pytest.mark.parametrize("text", INVALID)
def test_invalid(text):
    reading = READER.read(text)
    assert reading.move == BAD, reading
    assert reading.why


@pytest.mark.parametrize(("text", "word"), FINAL.items())
def test_final_guess(text, word):
    reading = READER.read(text, final=True)
    assert (reading.move, reading.word) == ("lock", word), reading


def test_guess_of_two_words_is_no_final_guess():
    assert READER.read("chair or table", final=True).move == BAD


def test_final_turn_leaves_questions_alone():
    assert READER.read("Is it alive?", final=True).move == Q
    assert READER.read("Is it a sofa?", final=True).move == OPEN
    assert READER.read("I don't know", final=True).move == BAD


@pytest.mark.parametrize("text", ["yes", "Yes.", "YES!", " yes ", "**Yes**", '"yes"', "`yes`"])
def test_answer(text):
    assert READER.read_answer(text) == "yes"
    assert READER.read_answer(text.lower().replace("yes", "no")) == "no"
    assert READER.read_answer(text.lower().replace("yes", "maybe")) == "maybe"


@pytest.mark.parametrize(
    ("text", "answer"),
    {
        "Yes, it is.": "yes",
        "yep": "yes",
        "The answer is yes.": "yes",
        "No doubt: yes": "yes",
        "Nope!": "no",
        "Well, no, it isn't.": "no",
        "Definitely not.": "no",
        "The answer is no": "no",
        "Perhaps": "maybe",
        "It depends on the kind.": "maybe",
        "I can't say": "maybe",
        "Yes and no": "maybe",
        "I don't know": "maybe",
        "It is a chair": None,
        "Please choose yes, no or maybe": None,
        "It has no wheels": None,
        "": None,
    }.items(),
)
def test_longer_answer_is_read_only_when_lenient(text, answer):
    assert READER.read_answer(text) is None
    assert READER.read_answer(text, lenient=True) == answer


def test_answer_after_thinking():
    assert READER.read_answer("<think>It is a chair, so no... wait.</think>\n\nYes.") == "yes"


def test_why_says_what_to_do():
    assert "yes, no or maybe" in READER.read("What is it?").why
    assert "one guess" in READER.read("lock: chair or table").why


@pytest.mark.parametrize(
    ("text", "question"),
    {
        "So, is it as heavy as a brick???": "Is it as heavy as a brick?",
        "Question 3: **does it rhyme with hat?** Thanks!": "Does it rhyme with hat?",
        "I'd like to know if it's heavier than Mount Everest": "Is it heavier than mount everest?",
        'Is it spelled with a "ch"?': 'Is it spelled with a "ch"?',
        "Is it furniture (e.g. a chair)?": "Is it furniture (e.g. a chair)?",
    }.items(),
)
def test_open_question_is_tidied(text, question):
    reading = READER.read(text)
    assert (reading.move, reading.question) == (OPEN, question)


@pytest.mark.parametrize("question", ONTOLOGY.questions, ids=lambda q: q.id)
def test_every_wording_of_the_bank_reads_as_its_question(question):
    for wording in (question.text, *question.forms):
        reading = READER.read(wording)
        assert (reading.move, reading.index) == (Q, INDEX[question.id]), (wording, reading)


@pytest.mark.parametrize("word", ONTOLOGY.words)
def test_every_word(word):
    article = "an" if word[0] in "aeiou" else "a"
    assert READER.read(f"lock: {word}").word == word
    assert READER.read(f"LOCK: the {word.upper()}!").word == word
    assert READER.read(word, final=True).move == "lock"
    for text in (
        f"Is it {article} {word}?",
        f"Could it be {article} {word} of some kind?",
        f"Is the secret word '{word}'?",
        f"I think it's {article} {word}.",
    ):
        reading = READER.read(text)
        assert (reading.move, reading.word) == ("direct_guess", word), (text, reading)
    for text in (
        f"Is it bigger than {article} {word}?",
        f"Would you see it beside {article} {word}?",
        f"Is it {article} {word} accessory?",
        f"Is it {word}-shaped?",
        f"Does it look like {article} {word}?",
    ):
        reading = READER.read(text)
        assert (reading.move, reading.word) == (OPEN, ""), (text, reading)


FILLER = st.sampled_from(
    ["", "So, ", "Okay. ", "Question 4: ", "Q: ", "Tell me, ", "Hmm... ", "- ", "Great!\n\n", "🤔 "]
)
TRAIL = st.sampled_from(["", " Thanks!", " (yes/no/maybe)", "\n\nI can't wait to hear it.", " 🙂"])
MARK = st.sampled_from(["?", " ?", "??", "?!"])


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(range(len(ONTOLOGY.questions))),
    st.sampled_from([str, str.upper, str.lower, str.title]),
    FILLER,
    MARK,
    TRAIL,
)
def test_dressing_does_not_change_a_question(index, case, filler, mark, trail):
    text = filler + case(ONTOLOGY.questions[index].text.rstrip("?")) + mark + trail
    assert READER.read(text).index == index, text


PIECES = st.sampled_from(
    [
        *(
            "is it",
            "a",
            "chair",
            "lock",
            ":",
            "lock: ",
            "table",
            "?",
            ".",
            ",",
            "\n",
            " ",
            '"',
            "'",
        ),
        *("<think>", "</think>", "{", "}", '{"lock": "chair"}', "**", "(", ")", "-", "or", "not"),
        *("I could ask", "but", "my guess is", "Question:", "what about", "would you call it"),
        *("\u200b", "\uff1a", "🎉", "\x01", "\x02", "\x05", "e.g.", "it's", "can't", "the word"),
    ]
)
ANYTHING = st.one_of(
    st.text(max_size=300),
    st.text(alphabet=string.printable, max_size=300),
    st.lists(PIECES, max_size=40).map("".join),
    st.lists(PIECES, max_size=40).map(" ".join),
)


@settings(max_examples=600, deadline=None)
@given(ANYTHING, st.booleans())
def test_no_text_breaks_the_reader(text, final):
    reading = READER.read(text, final=final)
    assert reading == READER.read(text, final=final)
    assert (reading.word != "") == (reading.move in ("lock", "direct_guess"))
    assert (reading.question != "") == (reading.move in (Q, OPEN))
    assert (reading.index >= 0) == (reading.move == Q)
    assert reading.word == reading.word.lower()
    if not (final and reading.move == "lock"):
        assert reading.why
    assert READER.read_answer(text) in ("yes", "no", "maybe", None)
    assert READER.read_answer(text, lenient=True) in ("yes", "no", "maybe", None)


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "x",
            " ",
            "?",
            "(",
            "<",
            "{",
            "\n",
            "'",
            "🎉",
            "\u0436",
            "x\n",
            "a-",
            "a, ",
            ' "a',
            " 'a",
        ),
        *("is it ", "Is it a chair leg? ", "lock: ", "lock chair or ", "<think>", "my guess is "),
        *(
            "so, ",
            "c h a i r ",
            "I think it's a chair. ",
            "{'a",
            "would you call it ",
            "[",
            "i say ",
        ),
    ],
)
def test_huge_text(piece):
    text = piece * (100_000 // len(piece))
    READER.read(text)
    READER.read(text, final=True)
    READER.read_answer(text, lenient=True)
    assert READER.read(text[:50_000] + "</think>\n\nIs it alive?").index == INDEX["alive"]


def test_move_before_long_chatter():
    chatter = " I am looking forward to it and wish you well." * 200
    assert READER.read("Is it alive?" + chatter).index == INDEX["alive"]


def test_thinking_longer_than_what_is_looked_at():
    assert READER.read("<think>" + "Is it a chair? " * 5000).move == BAD
    assert READER.read("<think>" + "Is it a chair? " * 5000 + "</think>lock: chair").word == "chair"


def test_copies_read_alike():
    for twin in (copy.deepcopy(READER), pickle.loads(pickle.dumps(READER)), Interpreter(ONTOLOGY)):
        for text in ("Is it alive?", "Could it fly?", "lock: chairs", "Is it a kitchen chair?"):
            assert twin.read(text) == READER.read(text)


def test_one_interpreter_per_ontology():
    assert interpreter() is READER
