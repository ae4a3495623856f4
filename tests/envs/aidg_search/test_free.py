"""Who hears what in free games, what is kept of it, and options that are refused."""

import re
import sqlite3
from contextlib import closing

import pytest

from unspoken.agents.llm.prompts import Prompts
from unspoken.benchmarks import tournament
from unspoken.benchmarks.aidg_search import honesty
from unspoken.benchmarks.store import FILE, read_games
from unspoken.envs import aidg_search_v0
from unspoken.envs.aidg_search.ontology import load
from unspoken.envs.aidg_search.rules import ANSWERS
from unspoken.envs.registry import game

SEEKER, HOLDER = "seeker_0", "holder_0"
TELLTALE = "The word is\nchair."
ON_A_LINE = "The word is chair."
FEW = ("hat", "chair", "lamp")


def free(*said, seed=0, **options):
    env = aidg_search_v0.env(utterances="free", **options)
    env.reset(seed=seed, options={"secret": "chair"})
    for text in said:
        env.step(text)
    return env


def views(env):
    return [str((env.observe(agent)["observation"], env.infos[agent])) for agent in env.agents]


@pytest.mark.parametrize("policy", ["forfeit", "retry"])
def test_a_refused_reply_is_heard_by_nobody_and_kept(policy) -> None:
    env = free("Is it alive?", TELLTALE, on_holder_violation=policy)
    assert env.history[-1] == (1, "holder", "(no answer)", "violation", -1)
    assert env.originals == {1: ON_A_LINE}
    assert not any(ON_A_LINE in view for view in views(env))
    assert "chair" not in views(env)[0]


def test_a_second_try_is_heard() -> None:
    env = free("Is it alive?", TELLTALE, "No.", on_holder_violation="retry")
    assert [line.text for line in env.history[1:]] == ["(no answer)", "no"]
    assert list(env.originals) == [1]


@pytest.mark.parametrize(
    ("said", "heard"), [(TELLTALE, "maybe"), ("No, never.", "no"), ("yes, I think", "yes")]
)
def test_a_coerced_reply_is_heard_as_an_answer_and_kept(said, heard) -> None:
    env = free("Is it alive?", said, on_holder_violation="coerce")
    assert env.history[-1][2:4] == (heard, "answer")
    assert env.originals == {1: " ".join(said.split())}
    assert ON_A_LINE not in views(env)[0]
    assert not any(env.rewards.values())


def test_an_answer_that_is_heard_as_it_was_meant_has_no_original() -> None:
    assert free("Is it alive?", "**Yes.**", on_holder_violation="coerce").originals == {}


@pytest.mark.parametrize("utterances", ["menu", "free"])
def test_a_garbled_answer_is_heard_and_the_one_that_was_meant_kept(utterances) -> None:
    env = aidg_search_v0.env(utterances=utterances, holder_noise=1)
    env.reset(seed=0)
    for _ in range(10):
        env.step(0)
        env.step(1)
    answers = env.history[1::2]
    assert {line.text for line in answers} == {"yes", "maybe"}
    assert {line.move for line in answers} == {"answer"}
    assert env.originals == dict.fromkeys(range(1, 20, 2), "no")


def test_a_coerced_answer_can_be_garbled_too() -> None:
    env = free("Is it alive?", "No, never.", on_holder_violation="coerce", holder_noise=1)
    assert env.history[-1].text != "no"
    assert env.originals == {1: "No, never."}


def test_a_new_game_forgets_what_was_said_in_the_last() -> None:
    env = free("Is it alive?", TELLTALE, on_holder_violation="coerce")
    env.reset(seed=1)
    assert env.originals == {}


def test_a_tournament_keeps_what_was_not_heard(tmp_path) -> None:
    spec = game("aidg_search").with_options(holder_noise=0.5)
    tournament.run(spec, ["random", "support.players:Asker"], tmp_path, rounds=2, seed=0)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        games = list(read_games(db))
    garbled = [(g.history[n].text, said) for g in games for n, said in g.originals.items()]
    assert garbled
    assert all(heard != said and {heard, said} < set(ANSWERS) for heard, said in garbled)
    assert {row["violations"] for row in honesty(games, load()).rows} == {0}


@pytest.mark.parametrize("words", [None, aidg_search_v0.env().unwrapped.words])
def test_all_the_words_are_not_listed(words) -> None:
    assert "one of these" not in free(words=words).observe(SEEKER)["observation"]


def test_the_seeker_is_told_a_subset() -> None:
    env = free(words=FEW)
    seeker, holder = (env.observe(agent)["observation"] for agent in (SEEKER, HOLDER))
    listed = re.search(r"The word is one of these: (.*)\.\n", seeker)[1]
    assert set(listed.split(", ")) == set(FEW)
    assert "one of these" not in holder


@pytest.mark.parametrize("words", [None, list(FEW)])
def test_a_model_is_told_a_subset(words) -> None:
    spec = game("aidg_search").with_options(words=words)
    (system, _) = Prompts(None, spec, "seeker").conversation({"turn": 1, "history": ()})
    told = "The word is one of these: hat, chair, lamp.\n" in system["content"]
    assert told == bool(words)
    assert "\n\n\n" not in system["content"]


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("max_turns", (1, 0, -3, 16.0, 16.5, True, "16", "abc", None, float("nan"))),
        ("holder_noise", (-0.1, 1.1, float("nan"), "0.5", True, None, 1j)),
        ("words", ("chair", [], (), {"chair"}, iter(["chair"]), [3], ["chair", None], 7)),
    ],
)
def test_a_wrong_option_is_refused_with_what_is_expected(option, values) -> None:
    expected = {
        "max_turns": "a whole number, at least 2",
        "holder_noise": "a probability, a number from 0 to 1",
        "words": "a list of at least one word of the ontology",
    }[option]
    for value in values:
        with pytest.raises(ValueError, match=re.escape(f"{option}={value!r}: {expected}")):
            aidg_search_v0.env(**{option: value})


def test_words_that_the_ontology_lacks_are_named() -> None:
    with pytest.raises(ValueError, match="not in it: sofa, couch"):
        aidg_search_v0.env(words=["chair", "sofa", "couch"])
