"""Language models in chameleon: prompts, and whole games against the local server."""

import json
from itertools import pairwise

import pytest
from support.openai_server import FAULTS, KEY, Answer

from unspoken.agents.llm.prompts import Prompts
from unspoken.envs.registry import game

SPEC = game("chameleon")
FIXED = {"secret": "bird/owl", "chameleon": "player_1"}
ENDINGS = ("escaped", "guessed", "caught")


@pytest.fixture
def table(make):
    """A game between models only: the env, and each seat's requests in order."""

    def of(seed=0, reset=FIXED, agents=None, **options):
        spec = SPEC.with_options(**{"utterances": "free", **options})
        env = spec.env()
        env.reset(seed=seed, options=reset)
        agents = agents or {seat: make() for seat in spec.seats}
        for agent in agents.values():
            agent.reset("player", spec, seed)
        calls = {seat: [] for seat in spec.seats}
        while env.result is None:
            seat = env.agent_selection
            env.step(agents[seat].act(env.observe(seat), env.infos[seat]))
            calls[seat] += agents[seat].take_trace()
        return env, calls

    return of


def asked(call):
    return " ".join(message["content"] for message in call["messages"])


def system(agent="player_0", **options):
    spec = SPEC.with_options(**options)
    env = spec.env(utterances="free")
    env.reset(seed=0, options=FIXED)
    message, turn = Prompts(None, spec, "player").conversation(env.infos[agent])
    return message["content"], turn["content"]


def test_everybody_is_told_the_rules_and_its_part():
    honest, turn = system()
    lone, _ = system("player_1")
    assert "You are player 0 in a party game of 4 players" in honest
    assert "bird" in honest
    assert 'The secret word is "owl"' in honest
    assert "You are the chameleon" in lone
    assert "has not" not in honest
    assert '"owl"' not in lone
    for text in (honest, lone):
        assert "eagle" in text
        assert "one clue, one to five words" in text
        assert "In a tie nobody is accused" in text
        assert "Discussion" not in text
    assert "It is your turn to give a clue" in turn


def test_options_change_what_is_said():
    text, turn = system(clue_rounds=3, discussion=2, tie="revote", players=6, repeats=True)
    assert "6 players" in text
    assert "3 clues" in text
    assert "2. Discussion. Everybody speaks 2 times" in text
    assert "4. Guess" in text
    assert "one more vote, among the tied" in text
    assert "repeat a clue" not in text
    assert "clue 1 of 3" in turn
    assert "by lot" in system(tie="random")[0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "options",
    [{}, {"clue_rounds": 2, "discussion": 1, "tie": "revote", "players": 5}, {"players": 3}],
    ids=["plain", "long", "three"],
)
def test_whole_games(table, options, seed):
    env, calls = table(seed, reset={}, **options)
    assert env.result.outcome in ENDINGS
    assert sum(map(len, calls.values())) >= len([m for m in env.history if m.role != "referee"])
    assert not any(call.get("fallback") for of in calls.values() for call in of)


def test_a_game_without_errors_has_a_request_a_move(table, openai_server):
    words = iter(["feather", "wing", "nest", "claw"])
    openai_server.play = lambda messages: (
        next(words, None)
        or ("guess: eagle" if "found out" in messages[-1]["content"] else "I vote for player 1.")
    )
    env, calls = table()
    # player 1 cannot vote for itself: it is asked again, and then abstains
    assert (env.result.outcome, env.faults["player_1"]) == ("caught", 1)
    assert {seat: len(of) for seat, of in calls.items()} == {
        "player_0": 2,
        "player_1": 4,
        "player_2": 2,
        "player_3": 2,
    }
    last = calls["player_1"][-1]["messages"][-1]["content"]
    assert "player 0 -> vote: player 1" in last
    assert "Which word of the card" in last


def test_only_those_who_know_the_word_read_it(table):
    for seed in range(5):
        env, calls = table(seed, discussion=1)
        others = "".join(m.text for m in env.history if m.role not in ("player_1", "referee"))
        assert "owl" not in others
        for seat, of in calls.items():
            for call in of:
                assert ('"owl"' in asked(call)) == (seat != "player_1")
                # who is the chameleon is told to nobody else
                assert ("You are the chameleon" in asked(call)) == (seat == "player_1")


def test_votes_are_shown_when_all_are_cast(table, openai_server):
    clues, ballots = ["feather", "wing", "nest", "claw"], ([1, 0, 1, 0], [1, 0, 1, 1])

    def play(messages):
        me = int(messages[0]["content"].split("You are player ")[1][0])
        last = messages[-1]["content"]
        return f"vote: player {ballots['again' in last][me]}" if "to vote" in last else clues[me]

    openai_server.play = play
    env, calls = table(reset={**FIXED, "chameleon": "player_2"}, tie="revote")
    assert env.result.outcome == "escaped"
    assert [len(of) for of in calls.values()] == [3, 3, 3, 3]
    for _, first, again in calls.values():
        assert "->" not in asked(first)
        assert "again" not in first["messages"][-1]["content"]
        text = again["messages"][-1]["content"]
        assert text.count("-> vote:") == 4
        assert "It is your turn to vote again, among the tied." in text
        assert "One more vote among player 0 and player 1." in text
        assert again["messages"][: len(first["messages"])] == first["messages"]


def test_requests_grow_by_the_new_lines_only(table, openai_server):
    clues = iter(["feather", "wing", "nest", "claw", "tree", "sky", "leaf", "grey"])

    def play(messages):
        last = messages[-1]["content"]
        if "give clue" in last:
            return next(clues)
        return "vote: player 2" if "to vote" in last else "I really cannot tell."

    openai_server.play = play
    _, calls = table(clue_rounds=2, discussion=1)
    assert sum(map(len, calls.values())) == 4 * 4 + 1  # player 2 is asked for its vote twice
    for of in calls.values():
        for before, after in pairwise(of):
            said = before["messages"]
            assert after["messages"][: len(said)] == said


def test_what_is_refused_is_said_with_the_reason(table, openai_server):
    openai_server.script(Answer("an owl"), Answer("owls"))
    env, calls = table(clue_rounds=2)
    seat = env.history[0].role
    assert env.history[0].text == "(no clue)"
    assert "gives 'owl' away" in calls[seat][1]["messages"][-1]["content"]
    assert "Your last clue broke the rules" in calls[seat][2]["messages"][-1]["content"]


@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_no_mix_of_faults_breaks_a_game(openai_server, play, make, rate):
    for seed in range(3):
        openai_server.trouble(rate, seed=seed, faults=tuple(FAULTS))
        agents = {seat: make(timeout=0.1, retries=3) for seat in SPEC.seats}
        env, calls = play(agents, seed=seed, spec=SPEC.with_options(discussion=1))
        assert env.result.reason or env.result.outcome in ENDINGS
        saved = json.dumps(calls, ensure_ascii=False).encode()
        assert KEY.encode() not in saved
        assert KEY not in env.result.reason


def test_by_menu(table):
    env, calls = table(utterances="menu", discussion=1)
    assert env.result.outcome in ENDINGS
    assert env.faults == dict.fromkeys(SPEC.seats, 0)
    spoken = [m for m in env.history if m.role != "referee"]
    assert all(line.action >= 0 for line in spoken)
    assert not any(call.get("fallback") for of in calls.values() for call in of)


def test_the_menu_names_the_words_of_the_card(make, openai_server):
    spec = SPEC.with_options(utterances="menu")
    env = spec.env()
    env.reset(seed=0, options=FIXED)
    for action in (0, 1, 2, 3):
        env.step(action)
    while env.result is None and env.infos[env.agent_selection]["phase"] == "vote":
        voter = env.agent_selection
        env.step(env.menu(voter).index("vote: player " + ("0" if voter == "player_1" else "1")))
    agent = make("player", spec)
    openai_server.script(Answer("guess: owl"))
    seen = env.observe("player_1"), env.infos["player_1"]
    assert env.menu("player_1")[agent.act(*seen)] == "guess: owl"
    assert "\nguess: owl" in openai_server.requests[0]["messages"][-1]["content"]
