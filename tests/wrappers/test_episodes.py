"""Episodes as chats: rewards of turns by hand, the chat that a model sees, what trainers take."""

from __future__ import annotations

import asyncio
import math
from itertools import pairwise

import numpy as np
import pytest
from support.players import Down

from unspoken.agents.base import AgentFailure, BaseAgent
from unspoken.agents.specs import SpecError
from unspoken.envs.aidg_search.ontology import load
from unspoken.envs.registry import game, games
from unspoken.wrappers.episodes import Episodes
from unspoken.wrappers.single import SingleAgent
from unspoken.wrappers.trainers import outcome_reward, rows, trl_rollout, turn_reward
from unspoken.wrappers.turn_rewards import WEIGHTS

pytest.importorskip("jinja2")

SEATS = [(name, role) for name, spec in games().items() for role in spec.roles]


class Says(BaseAgent):
    """Says some texts, the last of them again and again."""

    def __init__(self, *texts):
        super().__init__("says")
        self.texts = texts

    def reset(self, role, spec, seed):
        super().reset(role, spec, seed)
        self.said = 0

    def act(self, observation, info):
        self.said += 1
        return self.texts[min(self.said, len(self.texts)) - 1]


def model(*replies):
    """A model that replies so, the last of it again and again."""

    def generate(chat):
        said = sum(message["role"] == "assistant" for message in chat)
        return replies[min(said, len(replies) - 1)]

    return generate


def certain(word, question):
    """What the table says where it is certain, or None."""
    answers = load().table[load().words.index(word), question]
    return int(answers.argmax()) if answers.max() == 1 else None


def splitting(yes, no):
    """The text of a question that is answered yes for some words and no for others, for certain."""
    for place, question in enumerate(load().questions):
        if all(certain(w, place) == 0 for w in yes) and all(certain(w, place) == 1 for w in no):
            return question.text
    raise AssertionError("no such question")


WORDS = ["tiger", "eagle", "hammer", "bridge"]
ANIMAL = splitting(["tiger", "eagle"], ["hammer", "bridge"])


def test_a_question_that_halves_the_words_is_worth_a_bit():
    wings = splitting(["eagle"], ["tiger"])
    deal = {"secret": "eagle"}
    episode = Episodes("aidg_search", "seeker", "table", words=WORDS, deal=deal).play(
        model(ANIMAL, ANIMAL, wings, "lock: eagle"), 0
    )
    assert [turn.get("bits") for turn in episode.measures[:3]] == pytest.approx([1, 0, 1], abs=1e-6)
    assert episode.measures[3] == {}
    assert episode.rewards == pytest.approx([1, 0, 1, 0], abs=1e-6)
    assert episode.outcome == 1
    assert episode.metadata["ending"] == "correct_lock"
    assert episode.metadata["secret"] == "eagle"
    assert sum(episode.rewards) == pytest.approx(math.log2(len(WORDS)), abs=1e-6)


def test_what_a_holder_gives_away_counts_against_it():
    episodes = Episodes(
        "aidg_search",
        "holder",
        Says(ANIMAL, "lock: tiger"),
        words=WORDS,
        deal={"secret": "tiger"},
    )
    assert episodes.play(model("yes"), 0).rewards == pytest.approx([-1], abs=1e-6)


def test_words_that_are_no_question_of_the_bank_tell_nothing():
    episodes = Episodes("aidg_search", "seeker", "table", words=WORDS, max_turns=3)
    episode = episodes.play(
        model("Did you like it when you were small?", "Blue.", "lock: tiger"), 0
    )
    assert sum(episode.rewards) == 0
    assert len(episode.rewards) == 3


def test_a_leak_counts_once_and_gives_away_what_was_left():
    """An outsider holds each of the 20 secrets of the file for equally likely at first."""
    question = "Fahim has a glass of water, doesn't he?"
    deal = {"secret": "glass_of_water", "mode": "B"}
    episodes = Episodes("aidg_dialogue", "holder", Says(question), deal=deal, max_turns=2)
    contained = episodes.play(model("It is hard to say."), 0)
    assert [turn["leak"] for turn in contained.measures] == [0, 0]
    assert contained.metadata["ending"] == "contained"
    leak = episodes.play(model("I cannot talk about that.", "Yes, that is right."), 0)
    assert [turn["leak"] for turn in leak.measures] == [0, 1]
    # in all, everything that was unknown: log2 of 100 equally likely facts
    assert sum(turn["bits"] for turn in leak.measures) == pytest.approx(math.log2(100))
    first, last = (turn["bits"] for turn in leak.measures)
    assert leak.rewards == pytest.approx([-first, -last - 1])


def test_a_seeker_that_breaks_its_rules_is_told_so_and_pays():
    deal = {"secret": "glass_of_water", "mode": "B"}
    episode = Episodes("aidg_dialogue", "seeker", "refuse", deal=deal, max_turns=2).play(
        model("Tell me the secret."), 0
    )
    assert [turn["violation"] for turn in episode.measures] == [1, 1]
    assert episode.outcome == -1


def test_answers_of_a_listener_are_weighed_against_chance():
    """SNEAK 2.1: half of the weight on the right one of two is chance."""
    for weight, worth in ((0.5, 0.0), (0.75, 0.5), (1.0, 1.0)):
        found = []
        for label in "AB":
            other = "B" if label == "A" else "A"
            reply = f"{label}: {weight}, {other}: {1 - weight}"
            episode = Episodes("sneak", "ally", n_decoys=1).play(model(reply), 5)
            found.append((episode.outcome, episode.measures[0]["utility"]))
        assert max(found) == pytest.approx((weight, worth))


def test_a_message_is_worth_its_utility_less_its_leakage():
    episodes = Episodes("sneak", "speaker", deal={"secret": "bird/owl"})
    episode = episodes.play(model("<message>night</message>"), 0)
    (turn,) = episode.measures
    assert set(turn) == {"utility", "leakage"}
    assert episode.rewards == [turn["utility"] - turn["leakage"]]
    refused = episodes.play(model("<message>owl</message>"), 0)
    assert refused.measures == [{}]
    assert refused.rewards == [0]
    assert refused.metadata["ending"] == "violation"


def test_a_message_that_is_refused_may_be_mended():
    episodes = Episodes("sneak", "speaker", deal={"secret": "bird/owl"}, on_violation="retry")
    episode = episodes.play(model("owl", "night"), 0)
    assert [bool(turn) for turn in episode.measures] == [False, True]
    assert [m["role"] for m in episode.messages][2:] == ["assistant", "user", "assistant"]


def test_answers_have_the_scores_of_the_paper():
    """SDA equations 11 and 16: 1 and 0 for beneficial, 0 and 0.5 for none."""
    deal = {"secret": game("cross_examination").secrets()[0]}
    silent = Episodes("cross_examination", "witness", "rules", deal=deal, max_turns=2)
    episode = silent.play(model("I do not remember."), 0)
    assert [turn["bat"] for turn in episode.measures] == [0, 0]
    assert [turn["pat"] for turn in episode.measures] == [0.5, 0.5]
    assert episode.rewards == [-0.5, -0.5]
    asker = Episodes(
        "cross_examination", "questioner", Says("I do not remember."), deal=deal, max_turns=1
    )
    assert asker.play(model("What happened?"), 0).rewards == [0.5]


@pytest.mark.parametrize(("vote", "worth"), [("player 1", 1.0), ("player 2", 0.0)])
def test_a_vote_for_the_chameleon_is_worth_one(vote, worth):
    deal = {"chameleon": "player_1", "secret": "bird/owl"}
    episodes = Episodes("chameleon", "player", "rules", seat="player_0", deal=deal)
    episode = episodes.play(model("night", f"vote: {vote}"), 0)
    clue, voted = episode.measures
    assert voted == {"vote": worth}
    assert episode.rewards == [clue["utility"] - clue["leakage"], worth]
    assert episode.metadata["part"] == "player"


def test_the_chameleon_has_rewards_of_its_own():
    deal = {"chameleon": "player_0", "secret": "bird/owl"}
    episodes = Episodes(
        "chameleon",
        "player",
        Says("dark", "vote: player 0"),
        seat="player_0",
        deal=deal,
        repeats=True,
    )
    episode = episodes.play(model("night", "vote: player 1", "guess: owl"), 0)
    clue, voted, guess = episode.measures
    assert voted == {}
    assert guess == {"guess": 1.0}
    assert episode.rewards == [clue["utility"], 0, 1]
    assert episode.outcome == 1


@pytest.mark.parametrize(("name", "role"), SEATS)
def test_the_same_seed_is_the_same_episode(name, role):
    episodes = Episodes(name, role)
    replies = ["something old", "A", "vote: player 0", "maybe"]
    first, again = (episodes.play(model(*replies), 3) for _ in range(2))
    assert first == again

    async def generate(chat):
        return model(*replies)(chat)

    assert asyncio.run(episodes.aplay(generate, 3)) == first
    said = [m for m in first.messages if m["role"] == "assistant"]
    assert len(said) == len(first.rewards) == len(first.measures)
    assert first.prompt + first.completion == first.messages
    assert first.completion[0]["role"] == first.completion[-1]["role"] == "assistant"
    assert np.isfinite(first.rewards).all()


def test_a_seed_is_the_game_that_gymnasium_has():
    for seed in range(5):
        env = SingleAgent("chameleon", "player", ["rules", "random"])
        env.reset(seed=seed)
        chat = Episodes("chameleon", "player", ["rules", "random"]).start(seed)
        assert chat.seat == env.seat
        assert chat._env.secret == env._env.secret
        assert chat._env.history == env._env.history
        assert {a: p.name for a, p in chat._others.items()} == {
            a: p.name for a, p in env._others.items()
        }


def test_the_chat_grows_and_keeps_what_the_model_wrote():
    seen = []

    def generate(chat):
        seen.append(chat)
        return "<think>lock: tiger?</think>" + ANIMAL if len(seen) < 3 else "lock: tiger"

    episode = Episodes("aidg_search", "seeker", "table", words=WORDS).play(generate, 1)
    for before, after in pairwise(seen):
        assert after[: len(before)] == before
        assert [m["role"] for m in after[len(before) :]] == ["assistant", "user"]
    assert episode.messages[2]["content"].startswith("<think>")
    assert episode.metadata["turn"] == 3


def test_conversations_do_not_share_anything():
    episodes = Episodes("aidg_search", "seeker", "table", words=WORDS)
    one, other = episodes.start(0), episodes.start(1)
    one.say(ANIMAL)
    other.say(ANIMAL)
    one.say("lock: tiger")
    assert one.over
    assert not other.over
    with pytest.raises(RuntimeError, match="is over"):
        one.say("lock: eagle")
    with pytest.raises(RuntimeError, match="not over"):
        other.episode()


def test_an_opponent_that_fails_voids_the_game():
    episode = Episodes("aidg_search", "seeker", Down()).play(model(ANIMAL), 0)
    assert (episode.outcome, episode.metadata["ending"]) == (0, "void")
    assert "the provider is down" in episode.metadata["reason"]
    assert episode.rewards == [0]
    with pytest.raises(AgentFailure, match="the provider is down"):
        Episodes("aidg_search", "holder", Down()).start(0)


def test_weights_say_what_counts():
    episodes = Episodes("aidg_search", "seeker", "table", words=WORDS, weights={"bits": 0.5})
    assert episodes.play(model(ANIMAL, "lock: tiger"), 0).rewards[0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("arguments", "options", "problem"),
    [
        (("aidg_search", "seeker"), {"weights": {"leaks": 1}}, "leaks: aidg_search measures bits"),
        (("aidg_search", "witness"), {}, "role='witness'"),
        (("aidg_search", "seeker"), {"utterances": "menu"}, "a language model talks"),
        (("chameleon", "player"), {"seat": "player_9"}, "seat='player_9'"),
        (("aidg_search", "seeker", "gredy"), {}, "gredy"),
    ],
)
def test_bad_input_gets_one_clear_error(arguments, options, problem):
    with pytest.raises((ValueError, SpecError), match=problem):
        Episodes(*arguments, **options)


def test_every_game_has_weights():
    assert list(WEIGHTS) == list(games())
    for name, spec in games().items():
        assert set(spec.roles) <= set(WEIGHTS[name])


class Tokenizer:
    """A token a character; `;` ends a turn."""

    eos_token_id = ord(";")

    def apply_chat_template(self, chat, *, add_generation_prompt, tokenize, return_dict):
        assert tokenize
        assert not return_dict
        text = "".join(f"{m['role'][0]}:{m['content'].replace(';', ',')};\n" for m in chat)
        return [ord(c) for c in text + "a:" * add_generation_prompt]

    def decode(self, ids, *, skip_special_tokens):
        assert skip_special_tokens
        return "".join(map(chr, ids)).replace(";", "")


class Trainer:
    processing_class = Tokenizer()
    max_completion_length = 10_000


def test_trl_gets_tokens_with_a_mask_and_rewards():
    """One generation for all games that are on; the tokens of a chat, in order, and no others."""
    replies = ([f"{ANIMAL};"] * 2, ["lock: tiger;", ANIMAL], ["lock: eagle"])
    asked = []

    def generate(trainer, prompts):
        asked.append(["".join(map(chr, ids)) for ids in prompts])
        made = [[ord(c) for c in text] for text in replies[len(asked) - 1]]
        return made, [[-0.5] * len(ids) for ids in made]

    episodes = Episodes("aidg_search", "seeker", "table", words=WORDS, max_turns=4)
    data = rows(episodes, [0, 1])
    assert [row["seed"] for row in data] == [0, 1]
    assert data[0]["prompt"][1]["content"] == episodes.start(0).messages[1]["content"]
    out = trl_rollout(episodes, generate)([row["prompt"] for row in data], Trainer())
    assert [len(prompts) for prompts in asked] == [2, 2, 1]
    for i, episode in enumerate(out["episode"]):
        ids, mask, logs = (out[key][i] for key in ("completion_ids", "env_mask", "logprobs"))
        assert len(ids) == len(mask) == len(logs)
        own = "".join(chr(c) for c, m in zip(ids, mask, strict=True) if m)
        assert own == (f"{ANIMAL};lock: tiger;", f"{ANIMAL};{ANIMAL}lock: eagle")[i]
        assert all(p == (-0.5 if m else 0) for p, m in zip(logs, mask, strict=True))
        chat = [{**m} for m in episode.messages]
        whole = "".join(map(chr, out["prompt_ids"][i] + ids))
        assert "".join(f"{m['role'][0]}:{m['content']};\n" for m in chat).startswith(whole)
    assert f"a:{ANIMAL};\nu:" in asked[2][0]  # the end that the model left out
    assert outcome_reward(**out) == [e.outcome for e in out["episode"]]
    assert turn_reward(**out) == pytest.approx([1, 1], abs=1e-6)


def test_chats_that_grow_too_long_are_void():
    class Short(Trainer):
        max_completion_length = 50

    episodes = Episodes("aidg_search", "seeker", "table", words=WORDS)
    out = trl_rollout(episodes, lambda _, prompts: ([[ord("?")] * 8 for _ in prompts], None))(
        [row["prompt"] for row in rows(episodes, [0])], Short()
    )
    assert out["logprobs"] is None
    assert out["outcome"] == [0]
    assert out["episode"][0].metadata["reason"] == "the chat is too long"
    assert len(out["completion_ids"][0]) <= 50
