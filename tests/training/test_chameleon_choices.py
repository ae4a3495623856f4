"""What a policy sees of chameleon, computed from texts; and the parts of a role, apart."""

import numpy as np
import pytest

from unspoken.agents.base import BaseAgent
from unspoken.agents.specs import make_agent
from unspoken.envs.chameleon.menu import places
from unspoken.envs.registry import game
from unspoken.evaluator.chameleon_reference import TEMPERATURE
from unspoken.lexicon.vectors import similarity, vocabulary
from unspoken.training import choices
from unspoken.training.evaluation import compare, measure, parts_of, score_table

SPEC = game("chameleon")


def played(moves, **options):
    """A game of so many moves by rules, and the info of the one who is to move."""
    env, player = SPEC.env(), make_agent("rules", "chameleon")
    env.reset(seed=3, options=options)
    for _ in range(moves):
        observation, _, _, _, info = env.last()
        player.reset("player", SPEC, 0)
        env.step(player.act(observation, info))
    return env.last()[-1]


def test_clues_are_as_like_the_word_as_their_vectors_say() -> None:
    env = SPEC.env()
    env.reset(seed=3)
    info = played(2, secret=env.unwrapped.secrets()[5], chameleon="player_0")
    assert info["phase"] == "clue"
    seen = choices._module(SPEC).see(SPEC, "player", info)
    rows = seen.options[: len(vocabulary())]
    table = similarity(vocabulary(), info["words"]).astype(float)
    word = info["words"].index(info["word"])
    given = [text for _, text in info["clues"]]
    fits = similarity(given, [info["word"]])[:, 0] / TEMPERATURE
    assert rows[:, 0] == pytest.approx(table[:, word] / TEMPERATURE, abs=1e-4)
    assert rows[:, 1] == pytest.approx(table.mean(axis=1) / TEMPERATURE, abs=1e-4)
    assert rows[:, 3] == pytest.approx(
        np.minimum(table[:, word] / TEMPERATURE - fits.min(), 0), abs=1e-4
    )
    assert seen.state[-1] == pytest.approx(fits.min() / 10, abs=1e-5)
    # the word by all clues: each speaks for it by its share of what could be said of the word
    sayable = table[info["action_mask"][: len(table)] > 0]
    for _, text in info["clues"]:
        sayable = np.vstack([sayable, similarity([text], info["words"])])
    logs = similarity(given, info["words"]) / TEMPERATURE
    total = np.logaddexp.reduce(sayable / TEMPERATURE, axis=0)
    for place in (0, 700, 2000):
        after = logs.sum(axis=0) + table[place] / TEMPERATURE - (len(given) + 1) * total
        p = np.exp(after - np.logaddexp.reduce(after))[word]
        assert rows[place, 2] == pytest.approx(np.log(1 - p), abs=1e-3)


def test_votes_are_for_players_and_guesses_for_words() -> None:
    info = played(4, chameleon="player_2")
    assert info["phase"] == "vote"
    at = places(4, 12)
    seen = choices._module(SPEC).see(SPEC, "player", info)
    votes = seen.options[at.vote.start : at.vote.stop]
    probable = np.exp(votes[:, 0])
    assert probable.sum() == pytest.approx(1, abs=1e-3)
    assert not seen.options[: at.clue.stop].any()
    assert seen.options[at.accuse.start : at.accuse.stop, 4].tolist() == [1] * 4
    assert seen.options[at.defend.start : at.defend.stop, 4].tolist() == [-1] * 4
    assert not votes[:, 4].any()
    given = dict(info["clues"])
    if not info["chameleon"]:
        like = [similarity([given[f"player_{k}"]], [info["word"]])[0, 0] for k in range(4)]
        assert votes[:, 2] == pytest.approx(np.array(like) / TEMPERATURE, abs=1e-4)
        guesses = seen.options[at.guess.start :][: len(info["words"]), 0]
        assert guesses.argmax() == info["words"].index(info["word"])


class Watch(BaseAgent):
    """Passes for the first legal move, and keeps whether it was the chameleon."""

    def __init__(self):
        super().__init__("watch")
        self.parts = []

    def act(self, observation, info):
        self.parts.append(info["chameleon"])
        return int(np.flatnonzero(observation["action_mask"])[0])


def test_parts_are_measured_apart() -> None:
    assert parts_of(SPEC) == ("honest", "chameleon")
    assert parts_of(game("aidg_search")) == ("",)
    for part, wanted in (("honest", {False}), ("chameleon", {True}), ("", {False, True})):
        watch = Watch()
        score = measure(SPEC, "player", watch, ["random"], games=12, seed=0, part=part)
        assert set(watch.parts) == wanted
        assert score.part == part


def test_the_same_player_is_as_good_as_itself_and_tables_say_the_part() -> None:
    player = make_agent("random", "chameleon")
    scores = compare(SPEC, "player", player, ["random"], games=1, seed=1)
    assert [score.part for score in scores].count("chameleon") == len(scores) / 2
    ours, again = (s for s in scores if s.part == "honest" and s.player == s.opponent == "random")
    assert ours == again
    from dataclasses import asdict

    table = score_table("player", [asdict(score) for score in scores])
    assert table.columns[0].key == "part"
    plain = [{**asdict(score), "part": ""} for score in scores]
    assert score_table("player", plain).columns[0].key == "opponent"
