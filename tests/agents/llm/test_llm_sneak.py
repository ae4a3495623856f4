"""Language models in sneak: prompts, methods, and whole games against the local server."""

import numpy as np
import pytest
from support.openai_server import Answer

from unspoken.envs.registry import game
from unspoken.envs.sneak.interpreter import allowed

SPEC = game("sneak")
SECRET = "bird/owl"
SEATS = ("speaker_0", "ally_0", "chameleon_0")
ENDINGS = ("signalled", "leaked", "missed", "backfired")


@pytest.fixture
def sneak(make):
    """A game of three models, the speaker with a method: the env and each seat's requests."""

    def of(utterances="free", seed=0, secret=SECRET, env_options=(), **options):
        spec = SPEC.with_options(utterances=utterances, **dict(env_options))
        env = spec.env()
        env.reset(seed=seed, options={"secret": secret})
        agents = {seat: make(**(options if seat == "speaker_0" else {})) for seat in SEATS}
        for seat, agent in agents.items():
            agent.reset(seat.removesuffix("_0"), spec, seed)
        calls = {seat: [] for seat in SEATS}
        while env.result is None:
            seat = env.agent_selection
            env.step(agents[seat].act(env.observe(seat), env.infos[seat]))
            calls[seat] += agents[seat].take_trace()
        return env, calls

    return of


def steps(calls):
    return [call["step"] for call in calls]


def asked(call):
    return " ".join(message["content"] for message in call["messages"])


def message_of(env):
    return next(line for line in env.history if line.move == "message")


@pytest.mark.parametrize("utterances", ["free", "menu"])
@pytest.mark.parametrize("method", ["plain", "cot", "self-consistency", "sets", "rmr"])
def test_every_method_plays_whole_games(sneak, openai_server, method, utterances):
    env, calls = sneak(utterances, method=method)
    assert env.result.outcome in ENDINGS
    assert env.faults == dict.fromkeys(SEATS, 0)
    assert message_of(env).action >= 0  # the server says words of the vocabulary
    assert [len(calls[seat]) for seat in SEATS[1:]] == [1, 1]
    assert len(openai_server.requests) == sum(map(len, calls.values()))
    said = steps(calls["speaker_0"])
    if method == "sets":
        verified = said.count("verify")
        assert (said.count("sample"), verified) == (3, 3)
        assert len(said) <= 3 * 3 + 1
    else:
        expected = {
            "plain": [""],
            "cot": ["reason"],
            "self-consistency": ["sample"] * 3,
            "rmr": ["draft", "refine"],
        }
        assert said == expected[method]


def test_cot_asks_for_reasons_and_says_the_message_only(sneak, openai_server):
    openai_server.script(
        Answer("It sees at night. <message>day</message>\n<message>wise</message>")
    )
    env, calls = sneak(method="cot")
    assert message_of(env).text == "wise"
    (call,) = calls["speaker_0"]
    assert "step by step" in call["messages"][-1]["content"]
    assert "<answer>" not in asked(call)


def test_rmr_refines_the_first_message_and_not_the_secret(sneak, openai_server):
    openai_server.script(
        Answer("<message>wise</message>"), Answer("Then:\n<message>old books</message>")
    )
    env, calls = sneak(method="rmr")
    assert message_of(env).text == "old books"
    first, second = calls["speaker_0"]
    assert second["messages"][:-2] == first["messages"]
    assert second["messages"][-2]["content"] == "<message>wise</message>"
    assert SECRET.rpartition("/")[2] not in second["messages"][-1]["content"]


def test_sets_has_what_is_bad_corrected_and_chooses(sneak, openai_server):
    openai_server.script(
        *map(
            Answer,
            (
                "<message>hoot</message>",
                "VERDICT: bad",
                "<message>wise</message>",
                "<message>night</message>",
                "VERDICT: good",
                "2",
            ),
        )
    )
    env, calls = sneak(method="sets", samples=2)
    assert message_of(env).text == "night"
    assert steps(calls["speaker_0"]) == [
        *("sample", "verify", "correct", "sample", "verify", "choose"),
    ]


def test_everybody_is_told_what_its_role_may_know(sneak, openai_server):
    env, calls = sneak()
    message = message_of(env).text
    others = [word for word in env.instance.words if word != env.secret]
    for seat in SEATS:
        (call,) = calls[seat]
        said = asked(call)
        assert env.instance.category in said
        assert all(word in said for word in others)
        assert (f"The secret: {env.secret}" in said) == (seat != "chameleon_0")
        assert (message in said) == (seat != "speaker_0")
        assert all((f") {decoy}\n" in said) == (seat == "ally_0") for decoy in env.instance.decoys)
    assert "The secret:" not in asked(calls["chameleon_0"][0])


@pytest.mark.parametrize("role", ["speaker", "ally", "chameleon"])
def test_templates_name_no_option_that_was_not_given(make, role):
    make(role, SPEC)


def test_labels_are_those_of_the_game(sneak, openai_server):
    openai_server.script(Answer("<message>wise</message>"))
    env, calls = sneak()
    for seat, options in (
        ("ally_0", env.menu("ally_0")),
        ("chameleon_0", env.menu("chameleon_0")),
    ):
        shown = calls[seat][0]["messages"][-1]["content"]
        assert "\n".join(option for option in options if option) in shown


def test_a_refused_message_is_asked_for_again_with_the_rule(sneak, openai_server):
    openai_server.script(Answer("<message>the owls</message>"), Answer("<message>wise</message>"))
    env, calls = sneak()
    assert message_of(env).text == "wise"
    assert "That is a form of the secret." in calls["speaker_0"][1]["messages"][-1]["content"]


def test_on_retry_the_env_says_why_too(sneak, openai_server):
    openai_server.script(*[Answer("<message>owl</message>")] * 2, Answer("<message>wise</message>"))
    env, calls = sneak(env_options={"on_violation": "retry"})
    assert message_of(env).text == "wise"
    assert "was refused" in calls["speaker_0"][2]["messages"][-1]["content"]
    assert env.faults["speaker_0"] == 1


def test_by_menu_the_speaker_is_shown_the_words_that_it_may_say(sneak):
    env, calls = sneak("menu")
    shown = calls["speaker_0"][0]["messages"][0]["content"]
    words = shown.split("exactly as it is written here:\n")[1].split("\n")[0].split(", ")
    menu = env.menu("speaker_0")
    assert words == [menu[i] for i in np.flatnonzero(allowed(env.instance))]
    assert len(words) < len(menu)
    assert message_of(env).text in words
