"""Methods: what they ask, in which order, and which reply is played (SNEAK 3.2)."""

import pytest
from support.openai_server import Answer

from unspoken.agents.specs import make_agent
from unspoken.envs.registry import game

BANK = game("aidg_search").menu("seeker")


@pytest.fixture
def asked(openai_server, make, situation):
    """Lets a seeker with a method move over scripted replies; returns the move and the trace."""

    def of(*replies, **options):
        openai_server.script(*map(Answer, replies))
        agent = make("seeker", **options)
        move = agent.act(*situation())
        return move, agent.take_trace()

    return of


def texts(call):
    return [m["content"] for m in call["messages"]]


def test_cot_plays_what_stands_between_the_tags(asked):
    said = f"A lamp? I would ask first.\n<answer>no</answer> No: <answer>{BANK[0]}</answer>"
    move, (call,) = asked(said, method="cot")
    assert move == BANK[0]
    assert call["step"] == "reason"
    assert "<answer>" in texts(call)[-1]


def test_a_message_keeps_the_tags_by_which_sneak_finds_it(openai_server, make):
    spec = game("sneak").with_options(utterances="free")
    env = spec.env()
    env.reset(seed=0, options={"secret": "bird/owl"})
    openai_server.script(Answer("It hunts by <b>night</b>.\n<message>silent hunter</message>"))
    agent = make("speaker", spec, method="cot")
    said = agent.act(env.observe("speaker_0"), env.infos["speaker_0"])
    assert said == "<message>silent hunter</message>"


def test_reasoning_without_tags_is_never_said(asked):
    move, calls = asked("I think it is the lamp.", BANK[1], method="cot")
    assert move == BANK[1]
    assert [call["step"] for call in calls] == ["reason", "again"]
    assert calls[0]["unreadable"]


def test_self_consistency_plays_the_majority(asked):
    move, calls = asked(BANK[0], BANK[1], BANK[1].upper(), method="self-consistency")
    assert move == BANK[1]
    assert [call["step"] for call in calls] == ["sample"] * 3


def test_sets_corrects_what_is_not_verified_and_plays_the_majority(asked):
    move, calls = asked(
        BANK[0], "It says too much.\nVERDICT: bad", BANK[2], BANK[2], "Fine.\n**Verdict: good**",
        method="sets", samples=2,
    )  # fmt: skip
    assert move == BANK[2]
    assert [call["step"] for call in calls] == ["sample", "verify", "correct", "sample", "verify"]
    assert texts(calls[2])[-4::2] == [BANK[0], "It says too much.\nVERDICT: bad"]


def test_sets_lets_the_model_choose_among_equals(asked):
    good = "VERDICT: good"
    move, calls = asked(BANK[0], good, BANK[1], good, "Number 2.", method="sets", samples=2)
    assert move == BANK[1]
    assert calls[-1]["step"] == "choose"
    assert f"1) {BANK[0]}\n2) {BANK[1]}" in texts(calls[-1])[-1]


@pytest.mark.parametrize("choice", ["", "none of them", "7"])
def test_an_unreadable_choice_takes_the_first(asked, choice):
    good = "VERDICT: good"
    move, _ = asked(BANK[0], good, BANK[1], good, choice, method="sets", samples=2)
    assert move == BANK[0]


def test_sets_stops_after_so_many_corrections(asked):
    bad = "VERDICT: bad"
    move, calls = asked(*[BANK[0], bad] * 2, BANK[4], method="sets", samples=1, corrections=2)
    assert move == BANK[4]
    assert len(calls) == 5


def test_rmr_refines_its_own_first_version(asked):
    move, calls = asked(BANK[0], BANK[3], method="rmr")
    assert move == BANK[3]
    assert [call["step"] for call in calls] == ["draft", "refine"]
    assert texts(calls[1])[-2] == BANK[0]
    assert texts(calls[1])[:-2] == texts(calls[0])


def test_own_templates_go_first(asked, tmp_path):
    (tmp_path / "aidg_search").mkdir()
    (tmp_path / "aidg_search" / "seeker.rmr.jinja").write_text("Once more, {{ role }}.")
    _, calls = asked(BANK[0], BANK[3], method="rmr", prompts=tmp_path)
    assert texts(calls[1])[-1] == "Once more, seeker."


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "magic"}, "method='magic': there is no method 'magic'; choose from plain, cot"),
        ({"method": "cot+magic"}, r"method='cot\+magic': there is no method 'magic'"),
        ({"method": "sets+cot+sets"}, "sets is there twice"),
        ({"method": "plain+rmr"}, "plain adds nothing"),
        ({"method": "cot++rmr"}, "there is no method ''"),
        ({"samples": 0}, "samples=0: 1 or more"),
        ({"corrections": -1}, "corrections=-1: 0 or more"),
    ],
)
def test_bad_options(make, options, said):
    with pytest.raises(ValueError, match=said):
        make(**options)


# Joined -----------------------------------------------------------------------------------------


def thought(move):
    return f"Let me think.\n<answer>{move}</answer>"


def test_the_candidates_of_a_method_are_thought_through(asked):
    replies = map(thought, (BANK[0], BANK[2], BANK[2]))
    move, calls = asked(*replies, method="cot+self-consistency")
    assert move == BANK[2]
    assert [call["step"] for call in calls] == ["sample/reason"] * 3
    assert all("<answer>" in texts(call)[-1] for call in calls)


def test_judgements_are_not_thought_through_as_moves(asked):
    move, calls = asked(
        thought(BANK[0]), "VERDICT: bad", thought(BANK[1]),
        thought(BANK[2]), "VERDICT: good",
        "2",
        method="cot+sets", samples=2,
    )  # fmt: skip
    assert move == BANK[2]
    assert [call["step"] for call in calls] == [
        *("sample/reason", "verify", "correct/reason", "sample/reason", "verify", "choose")
    ]
    # what is checked is the move alone, and no request for reasons stands before it
    assert texts(calls[1])[-2] == BANK[0]
    assert "<answer>" not in "".join(texts(calls[1]))
    assert ["<answer>" in texts(call)[-1] for call in calls] == [
        call["step"].endswith("reason") for call in calls
    ]


@pytest.mark.parametrize("method", ["rmr+cot", "cot+rmr"])
def test_both_versions_are_thought_through(asked, method):
    move, calls = asked(thought(BANK[0]), thought(BANK[3]), method=method)
    assert move == BANK[3]
    assert [call["step"] for call in calls] == ["draft/reason", "refine/reason"]
    assert texts(calls[1])[-2] == BANK[0]


def test_the_order_says_what_is_done_to_what(asked):
    move, calls = asked(
        BANK[0], BANK[1], BANK[2], BANK[1], method="rmr+self-consistency", samples=2
    )
    assert move == BANK[1]  # each of two messages is refined
    assert [call["step"] for call in calls] == ["sample/draft", "sample/refine"] * 2
    move, calls = asked(
        BANK[0], BANK[0], BANK[4], BANK[4], method="self-consistency+rmr", samples=2
    )
    assert move == BANK[4]  # the most common of two is refined
    assert [call["step"] for call in calls] == ["draft/sample"] * 2 + ["refine/sample"] * 2
    assert texts(calls[2])[-2] == BANK[0]


def test_three_at_once(asked):
    good = "VERDICT: good"
    chain = thought(BANK[0]), thought(BANK[5])
    move, calls = asked(*chain, good, *chain, good, method="cot+rmr+sets", samples=2)
    assert move == BANK[5]
    assert [call["step"] for call in calls] == [
        *("sample/draft/reason", "sample/refine/reason", "verify")
    ] * 2


def test_replies_agree_if_the_game_takes_them_for_the_same(asked):
    move, _ = asked(BANK[0], BANK[1], f"My question: {BANK[1]}", method="self-consistency")
    assert move == BANK[1]


def test_replies_that_are_no_move_have_no_vote(asked):
    move, calls = asked("", "", BANK[3], method="self-consistency")
    assert move == BANK[3]
    assert not any(call["unreadable"] for call in calls)
    said = "I am at a loss."
    move, calls = asked(said, said, thought(BANK[3]), method="cot+self-consistency")
    assert move == BANK[3]
    assert len(calls) == 3


def test_from_a_query_string(openai_server, situation):
    spec = f"openai:toy?method=cot+self-consistency&samples=2&base_url={openai_server.base_url}"
    agent = make_agent(spec, "aidg_search")
    openai_server.script(*[Answer(thought(BANK[6]))] * 2)
    agent.reset("seeker", game("aidg_search"), 0)
    assert agent.act(*situation()) == BANK[6]
    assert [call["step"] for call in agent.take_trace()] == ["sample/reason"] * 2


METHODS = {
    "plain": 1,
    "cot": 1,
    "self-consistency": 3,
    "rmr": 2,
    "cot+self-consistency": 3,
    "rmr+cot": 2,
    "rmr+self-consistency": 6,
    "self-consistency+rmr": 6,
    "cot+sets": 10,
    "rmr+sets": 16,
}
"""The most requests that a move takes (samples=3, corrections=1), none asked again."""


@pytest.mark.parametrize("utterances", ["free", "menu"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["sneak", "chameleon", "aidg_dialogue"])
def test_every_method_plays_every_kind_of_game(make, openai_server, name, method, utterances):
    options = {"aidg_dialogue": {"max_turns": 2}}.get(name, {})
    spec = game(name).with_options(utterances=utterances, **options)
    env = spec.env()
    env.reset(seed=0)
    own = openai_server.play

    def play(messages):
        last = messages[-1]["content"]
        if "VERDICT" in last:
            return "VERDICT: bad"
        if "with its number" in last:
            return "1"
        reply = own(messages)
        return thought(reply) if "<answer>" in last else reply

    openai_server.play = play
    agents = {seat: make() for seat in spec.seats}
    first = env.agent_selection
    agents[first] = make(method=method)
    moves = []
    for seat, agent in agents.items():
        agent.reset(seat.rpartition("_")[0], spec, 0)
    while env.result is None:
        seat = env.agent_selection
        env.step(agents[seat].act(env.observe(seat), env.infos[seat]))
        calls = agents[seat].take_trace()
        if seat == first:
            moves.append(calls)
            assert {call["move"] for call in calls} == {len(moves) - 1}
    assert env.result.winner is not None
    for calls in moves:
        made = [call for call in calls if call["step"] != "again"]
        assert 1 <= len(made) <= METHODS[method]
        assert len(made) == METHODS[method] or "sets" in method


def test_what_is_sent_in_vain_is_in_the_trace(openai_server, make, situation):
    openai_server.script("503", Answer(BANK[0]), "429", Answer(BANK[1]))
    agent = make("seeker", method="rmr")
    assert agent.act(*situation()) == BANK[1]
    assert [call["attempts"] for call in agent.take_trace()] == [2, 2]
