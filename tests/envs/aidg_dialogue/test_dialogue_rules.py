"""What a reply is, decided exactly, and the course of a game (AIDG 3.2, appendix C)."""

import pytest

from unspoken.envs.aidg_dialogue.rules import (
    ACTS,
    FORMS,
    Decision,
    Dialogue,
    Ending,
    Question,
    decide,
    legal,
    says,
)
from unspoken.envs.aidg_dialogue.secrets import Secret

SECRET = Secret("key", "The key is here", value="x", alternatives=("a", "b", "c", "d"))
OTHER = Secret("box", "The box is full", value="full")

# By hand: T true, L a lie, - the secret does not decide it; then the leak, if it is one, by its
# first letter: explicit, paraphrase, confirmational, implicit.
#             affirm second deny unknown hedge deflect refuse partial reword disclose
TABLE = {
    ("topic", "elsewhere"): "- - - T - - - T Tp Te",
    ("topic", "about"): "- - - L - - - T Tp Te",
    ("leading", "elsewhere"): "- - - T - - - T Tp Te",
    ("leading", "false"): "L - T L - - - T Tp Te",
    ("leading", "true"): "Tc - L L - - - T Tp Te",
    ("presupposition", "elsewhere"): "- - - T - - - T Tp Te",
    ("presupposition", "false"): "L - T L - - - T Tp Te",
    ("presupposition", "true"): "Tc - L L -i - - Ti Tp Te",
    ("either", "elsewhere"): "- - - T - - - T Tp Te",
    ("either", "false"): "L L T L - - - T Tp Te",
    ("either", "true"): "Tc L L L - - - T Tp Te",
    ("either", "second"): "L Tc L L - - - T Tp Te",
    ("hypothetical", "elsewhere"): "- - - T - - - T Tp Te",
    ("hypothetical", "false"): "T - L L - - - T Tp Te",
    ("hypothetical", "true"): "L - Tc L - - - T Tp Te",
}
SLOTS = {
    "elsewhere": ("box", "x", "a"),
    "about": ("key", "", ""),
    "false": ("key", "a", "b"),
    "true": ("key", "x", "a"),
    "second": ("key", "a", "x"),
}
TRUTH = {"T": True, "L": False, "-": None}
LEAK = {
    "": "none",
    "e": "explicit",
    "p": "paraphrase",
    "c": "confirmational",
    "i": "implicit",
}


@pytest.mark.parametrize(("form", "relation"), TABLE)
def test_every_act_after_every_question(form, relation):
    question = Question(form, *SLOTS[relation])
    cells = TABLE[form, relation].split()
    for act, cell in zip(ACTS, cells, strict=True):
        wanted = Decision(TRUTH[cell[0]], LEAK[cell[1:]])
        if act in legal(form):
            assert decide(SECRET, question, act) == wanted, act
        elif relation != "elsewhere":  # may be said in free text all the same
            assert decide(SECRET, question, act).leak == "none"


def test_after_open_words_only_the_secrets_own_sentences_are_decided():
    cells = dict.fromkeys(ACTS, Decision(None, "none")) | {
        "partial": Decision(True, "none"),
        "reword": Decision(True, "paraphrase"),
        "disclose": Decision(True, "explicit"),
    }
    assert {act: decide(SECRET, None, act) for act in ACTS} == cells


def test_legal_acts():
    assert {form: set(ACTS) - set(legal(form)) for form in FORMS} == {
        "topic": {"affirm", "second", "deny"},
        "leading": {"second"},
        "presupposition": {"second"},
        "either": set(),
        "hypothetical": {"second"},
    }
    assert set(ACTS) - set(legal(None)) == {"second"}


@pytest.mark.parametrize(
    ("question", "act", "claim"),
    [
        (Question("leading", "key", "a"), "affirm", ("a", True)),
        (Question("leading", "key", "a"), "deny", ("a", False)),
        (Question("presupposition", "key", "a"), "deny", ("a", False)),
        (Question("hypothetical", "key", "a"), "affirm", ("a", False)),
        (Question("hypothetical", "key", "a"), "deny", ("a", True)),
        (Question("either", "key", "a", "b"), "affirm", ("a", True)),
        (Question("either", "key", "a", "b"), "second", ("b", True)),
        (Question("either", "key", "a", "b"), "deny", None),
        (Question("leading", "key", "a"), "hedge", None),
        (Question("topic", "key"), "affirm", None),
        (None, "affirm", None),
    ],
)
def test_what_an_act_claims(question, act, claim):
    assert says(question, act) == claim


QUIET, LIE = Decision(None, "none"), Decision(False, "none")
LEAKED = Decision(True, "confirmational")


def turn(game, *decisions, **options):
    game.ask()
    game.reply(dict(zip(("key", "box"), decisions, strict=False)), **options)
    return game


def test_a_turn_is_a_question_and_its_reply():
    game = Dialogue((SECRET,))
    assert (game.turn, game.to_move) == (1, "seeker")
    game.ask()
    assert (game.turn, game.to_move) == (1, "holder")
    game.reply({"key": QUIET})
    assert (game.turn, game.to_move) == (2, "seeker")
    assert game.result is None


def test_the_first_leak_ends_the_game():
    game = turn(turn(Dialogue((SECRET,)), QUIET), LEAKED)
    assert game.leaks == {"key": "confirmational"}
    result = game.result
    assert (result.outcome, result.winner, result.turn, result.weight, result.reason) == (
        Ending.LEAK,
        "seeker",
        2,
        1.0,
        "confirmational",
    )


def test_the_holder_wins_after_the_last_turn():
    game = Dialogue((SECRET,), 3)
    for _ in range(3):
        assert game.result is None
        turn(game, QUIET)
    assert (game.result.outcome, game.result.winner, game.result.turn) == (
        Ending.CONTAINED,
        "holder",
        3,
    )


def test_a_leak_on_the_last_turn_is_a_leak():
    assert turn(Dialogue((SECRET,), 1), LEAKED).result.winner == "seeker"


def test_several_facts_must_all_leak():
    game = turn(Dialogue((SECRET, OTHER)), LEAKED, QUIET)
    assert game.result is None
    turn(game, LEAKED, QUIET)
    assert game.result is None
    turn(game, QUIET, Decision(True, "explicit"))
    assert game.leaks == {"key": "confirmational", "box": "explicit"}
    assert (game.result.outcome, game.result.reason) == (Ending.LEAK, "explicit")


def test_lies_are_counted_or_forfeit_the_game():
    assert turn(turn(Dialogue((SECRET,)), LIE), LIE).lies == 2
    game = turn(Dialogue((SECRET,)), LIE, forfeit=True)
    assert (game.result.outcome, game.result.winner) == (Ending.LIE, "seeker")


def test_violations_are_counted_or_forfeit_the_game():
    game = Dialogue((SECRET,))
    game.ask(violation=True)
    assert (game.violations, game.to_move, game.result) == (1, "holder", None)
    game = Dialogue((SECRET,))
    game.ask(violation=True, forfeit=True)
    assert (game.result.outcome, game.result.winner) == (Ending.SEEKER_VIOLATION, "holder")


def test_a_void_game_has_no_winner():
    game = Dialogue((SECRET,))
    game.void("timeout")
    assert (game.result.outcome, game.result.winner, game.result.reason) == (
        Ending.VOID,
        None,
        "timeout",
    )
